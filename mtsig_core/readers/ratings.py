"""Segments with several ratings: take the mean or single ratings, and measure rater agreement.

`rater_effects.py` adjusts ratings for the strictness of each rater.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError
from mtsig_core.readers.columns import Evidence, InputTable, RowId, find_column
from mtsig_core.testset import show_name

#: The number of a line, from 1, or its id.
LineId: TypeAlias = int | str

#: Why ratings are left out, as results count them.
LEFT_OUT = ("bad", "duplicate", "incomplete", "tutorial")


class Rating(NamedTuple):
    """One score, and its row in the file."""

    system: str
    line: LineId
    score: float | None
    document: str | None
    domain: str | None
    rater: str | None
    row: RowId
    file: ScoreFile
    #: Of several ratings of an item, which this is, whoever gave it; of a campaign, the id of the
    #: annotation.
    slot: str | None = None
    evidence: Evidence | None = None

    @property
    def location(self) -> str:
        """What messages call its row."""
        return self.file.table.locate(self.row)


@dataclass(eq=False)
class ScoreFile:
    """The ratings of a table."""

    table: InputTable
    n_rows: int | None  # the number of lines where they are only counted, not named
    ratings: list[Rating] = field(default_factory=list)
    assumed: list[Assumption] = field(default_factory=list)  # of its columns

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.table.name


def average_raters(ratings: Sequence[Rating]) -> list[Rating]:
    """Average, for each system and line, the last rating of each rater.

    Ratings without named raters do not change.
    """
    if all(rating.rater is None for rating in ratings):
        return list(ratings)
    languages = _list_languages(ratings)
    averaged = []
    for item_ratings in _group_items(keep_last_ratings(ratings)):
        first = item_ratings[0]
        for rating in item_ratings:
            is_same_item = (
                rating.document == first.document
                and rating.domain == first.domain
                and languages.get(rating.location) == languages.get(first.location)
            )
            if not is_same_item:
                raise explain_second(first, rating)
        scores = [rating.score for rating in item_ratings if rating.score is not None]
        mean = sum(scores) / len(scores) if scores else None
        averaged.append(first._replace(score=mean))
    return averaged


def separate_raters(ratings: Sequence[Rating]) -> list[Rating]:
    """Make each rating a segment of its own, with only the last rating of each rater.

    The name of the segment is line and rater, or line and slot if ratings have slots.
    """
    if all(rating.rater is None for rating in ratings):
        return list(ratings)
    return [
        rating._replace(line=f"{rating.line} {rating.slot or rating.rater or ''}")
        for rating in keep_last_ratings(ratings)
    ]


def keep_last_ratings(ratings: Iterable[Rating]) -> list[Rating]:
    """The last of several ratings of an item by one rater; in two slots, both count."""
    last = {}
    for rating in ratings:
        last[rating.system, rating.line, rating.rater, rating.slot] = rating
    return list(last.values())


def _group_items(ratings: Iterable[Rating]) -> list[list[Rating]]:
    """The ratings of each system and line."""
    items: dict[tuple[str, LineId], list[Rating]] = defaultdict(list)
    for rating in ratings:
        items[rating.system, rating.line].append(rating)
    return list(items.values())


def _list_languages(ratings: Sequence[Rating]) -> dict[str, list[object]]:
    """What columns such as trgLang say, by what messages call the row."""
    languages = {}
    for file in dict.fromkeys(rating.file for rating in ratings):
        table = file.table
        places = [k for k, title in enumerate(table.header) if "lang" in title.lower()]
        if places:
            for row, cells in table.rows:
                languages[table.locate(row)] = [cells[k] for k in places]
    return languages


def count_ratings(metric: str, ratings: Sequence[Rating]) -> Assumption | None:
    """How many ratings the scores are means of, how far raters agree, and what was left out.

    None where no raters are named.
    """
    scored = [rating for rating in ratings if rating.rater is not None and rating.score is not None]
    if not scored:
        return None
    last = keep_last_ratings(scored)
    left_out = dict.fromkeys(LEFT_OUT, 0)
    for file in dict.fromkeys(rating.file for rating in ratings):
        for (_, reason), n in file.table.left_out.items():
            left_out[reason] = left_out.get(reason, 0) + n
    left_out["duplicate"] += len(scored) - len(last)
    items = [[rating.score or 0.0 for rating in item] for item in _group_items(last)]
    return Assumption(
        "ratings",
        {
            "metric": metric,
            "langpair": "",
            "n_ratings": len(last),
            "n_raters": len({rating.rater for rating in last}),
            "per_segment": len(last) / len(items),
            "agreement": measure_agreement(items),
            "left_out": left_out,
        },
    )


_SQUARES_OVERFLOW = 1e100  # numbers whose squares, added up, may be too large for a float


def measure_agreement(items: Iterable[Sequence[float]]) -> float | None:
    """Krippendorff's alpha for interval data, of the items with two ratings or more.

    Alpha is 1 minus the variance within items (a mean over ratings) divided by the variance of all
    ratings. None if it is undefined.

    >>> measure_agreement([[1, 1], [2, 4], [3, 3], [2]]), measure_agreement([[1, 1]])
    (0.5454545454545455, None)
    """
    rated_twice = [np.asarray(item, dtype=np.float64) for item in items if len(item) > 1]
    if not rated_twice:
        return None
    values = np.concatenate(rated_twice)
    largest = np.abs(values).max()
    if largest > _SQUARES_OVERFLOW:  # their agreement is the same in another unit
        rated_twice = [item / largest for item in rated_twice]
        values = values / largest
    if not np.ptp(values):
        return None
    within = sum(len(item) * item.var(ddof=1) for item in rated_twice) / len(values)
    return float(1 - within / values.var(ddof=1))


def explain_second(first: Rating, second: Rating) -> InputError:
    """The error for two scores of one system and line."""
    place = first.location
    differing = ""
    if first.file is second.file:
        place = f"row {first.row}"
        columns = _list_differing_columns(first, second)
        if columns:
            differing = f" The rows differ in {', '.join(columns)}."
    return InputError(
        f"{second.location}: {show_name(second.system)} has a second score for line "
        f"{show_name(str(second.line))}; the first is in {place}.{differing} Expected one for each. Give "
        "the scores of one language pair, number lines through the whole set, and average several "
        "raters."
    )


def _list_differing_columns(first: Rating, second: Rating) -> list[str]:
    """The columns in which the rows of two ratings differ, with both values; without scores."""
    table = second.file.table
    rows = dict(table.rows)
    systems = {rating.system for rating in second.file.ratings}
    columns = []
    for title, *cells in zip(table.header, rows[first.row], rows[second.row], strict=True):
        text, other_text = map(str, cells)
        is_score = title in systems or find_column([title], "score") is not None
        if text != other_text and not is_score:
            texts = f"{show_name(text[:40])} and {show_name(other_text[:40])}"
            columns.append(f"{show_name(title)} ({texts})")
    return columns
