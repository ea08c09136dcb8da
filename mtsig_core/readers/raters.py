"""Several ratings of a segment: their mean, each as a segment of its own, or adjusted for how strict each rater is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError
from mtsig_core.readers.columns import InputTable, find_column
from mtsig_core.testset import show_name

#: Why ratings are left out, as results count them.
LEFT_OUT = ("bad", "duplicate", "incomplete", "tutorial")
#: The end of the name of scores that are adjusted for raters; the mean over raters stands beside them.
ADJUSTED = "-adjusted"


class Rating(NamedTuple):
    """One score: of which system, of which line (a number from 1, or an id), and its row in the file."""

    system: str
    line: int | str
    score: float | None
    document: str | None
    domain: str | None
    rater: str | None
    row: int | str
    file: ScoreFile

    @property
    def where(self) -> str:
        return self.file.table.where(self.row)


@dataclass(eq=False)
class ScoreFile:
    """The ratings of a table."""

    table: InputTable
    n_rows: int | None  # the number of lines where they are only counted, not named
    ratings: list[Rating] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.table.name


def average_raters(ratings: Sequence[Rating]) -> list[Rating]:
    """A rating for each system and line: the mean over raters, of each the last; as they are where no raters are
    named."""
    if all(rating.rater is None for rating in ratings):
        return list(ratings)
    of_item: dict[tuple[str, int | str], list[Rating]] = {}
    for rating in _last_ratings(ratings):
        of_item.setdefault((rating.system, rating.line), []).append(rating)
    languages = _list_languages(ratings)

    def item_of(rating: Rating) -> tuple[Any, ...]:
        return rating.document, rating.domain, languages.get((rating.file.name, rating.row))

    averaged = []
    for own in of_item.values():
        if other := next((one for one in own if item_of(one) != item_of(own[0])), None):
            raise explain_second(own[0], other)
        scores = [rating.score for rating in own if rating.score is not None]
        averaged.append(own[0]._replace(score=sum(scores) / len(scores) if scores else None))
    return averaged


def separate_raters(ratings: Sequence[Rating]) -> list[Rating]:
    """Each rating as a segment of its own, of each rater the last: line and rater name the segment."""
    if all(rating.rater is None for rating in ratings):
        return list(ratings)
    return [rating._replace(line=f"{rating.line} {rating.rater or ''}") for rating in _last_ratings(ratings)]


def _last_ratings(ratings: Iterable[Rating]) -> list[Rating]:
    """Of several ratings of an item by one rater the last."""
    return list({(rating.system, rating.line, rating.rater): rating for rating in ratings}.values())


def _list_languages(ratings: Sequence[Rating]) -> dict[tuple[str, int | str], tuple[Any, ...]]:
    """By file and row: what columns such as trgLang say."""
    found: dict[tuple[str, int | str], tuple[Any, ...]] = {}
    for file in dict.fromkeys(rating.file for rating in ratings):
        places = [k for k, column in enumerate(file.table.header) if "lang" in column.lower()]
        if places:
            found |= {(file.name, row): tuple(cells[k] for k in places) for row, cells in file.table.rows}
    return found


def count_ratings(metric: str, ratings: Sequence[Rating]) -> Assumption | None:
    """How many ratings and raters the scores are means of, how far raters agree, and what was left out; None where no
    raters are named."""
    files = dict.fromkeys(rating.file for rating in ratings)
    named = [rating for rating in ratings if rating.rater is not None and rating.score is not None]
    if not named:
        return None
    kept = _last_ratings(named)
    left_out = dict.fromkeys(LEFT_OUT, 0)
    for (_, why), n in (item for file in files for item in file.table.left_out.items()):
        left_out[why] = left_out.get(why, 0) + n
    left_out["duplicate"] += len(named) - len(kept)
    items = defaultdict(list)
    for rating in kept:
        items[rating.system, rating.line].append(rating.score or 0.0)
    return Assumption("ratings", {"metric": metric, "langpair": "", "n_ratings": len(kept),
                                  "n_raters": len({rating.rater for rating in kept}),
                                  "per_segment": len(kept) / len(items), "agreement": measure_agreement(items.values()),
                                  "left_out": left_out})


def measure_agreement(items: Iterable[Sequence[float]]) -> float | None:
    """Krippendorff's alpha for interval data, of the items with two ratings or more: 1 - the variance within items, a
    mean over ratings, over the variance of all. None where it is undefined.

    >>> measure_agreement([[1, 1], [2, 4], [3, 3], [2]]), measure_agreement([[1, 1]])
    (0.5454545454545455, None)
    """
    several = [np.asarray(item, dtype=np.float64) for item in items if len(item) > 1]
    values = np.concatenate(several) if several else np.zeros(1)
    if not np.ptp(values):
        return None
    within = sum(len(item) * item.var(ddof=1) for item in several) / len(values)
    return float(1 - within / values.var(ddof=1))


#-----------------------------------------------------------------------------------------------------------------------
# Scores adjusted for raters.


class _Design(NamedTuple):
    """Ratings sorted by document and segment, as numbers."""

    systems: dict[str, int]
    n_raters: int
    system: np.ndarray
    rater: np.ndarray
    score: np.ndarray
    segments: np.ndarray  # where each segment begins, and the end
    documents: np.ndarray  # where each document begins, and the end, among the segments

    @classmethod
    def of(cls, ratings: Sequence[Rating]) -> _Design:
        """Of ratings that are sorted."""
        systems, raters = ({name: k for k, name in enumerate(dict.fromkeys(names))} for names in (
            (one.system for one in ratings), (one.rater or "" for one in ratings)))
        segments = _find_starts([rating.line for rating in ratings])
        documents = _find_starts([_document_of(ratings[k]) for k in segments[:-1]])
        return cls(systems, len(raters), np.array([systems[one.system] for one in ratings]),
                   np.array([raters[one.rater or ""] for one in ratings]),
                   np.array([one.score for one in ratings], dtype=np.float64), segments, documents)

    def centre(self, first: int, end: int) -> tuple[np.ndarray, np.ndarray]:
        """Of segments `first` to `end` the columns of systems and raters, and the scores, less their segment's mean."""
        own = slice(self.segments[first], self.segments[end])
        values = np.zeros((own.stop - own.start, len(self.systems) + self.n_raters + 1))
        rows = np.arange(len(values))
        values[rows, self.system[own]] = values[rows, len(self.systems) + self.rater[own]] = 1
        values[:, -1] = self.score[own]
        values -= np.repeat(self.mean(values, first, end), np.diff(self.segments[first:end + 1]), axis=0)
        return values[:, :-1], values[:, -1]

    def sum(self, values: np.ndarray, first: int, end: int) -> np.ndarray:
        """Sums over the ratings of each segment, of a row for each rating."""
        sums: np.ndarray = np.add.reduceat(values, self.segments[first:end] - self.segments[first], axis=0)
        return sums

    def mean(self, values: np.ndarray, first: int, end: int) -> np.ndarray:
        counts = np.diff(self.segments[first:end + 1])
        return self.sum(values, first, end) / counts.reshape(-1, *(1,) * (values.ndim - 1))


def _find_starts(values: Sequence[object]) -> np.ndarray:
    """Where each run of the same value begins, and the end."""
    return np.array([k for k, value in enumerate(values) if k == 0 or value != values[k - 1]] + [len(values)])


def _document_of(rating: Rating) -> int | str:
    return rating.line if rating.document is None else rating.document


def adjust_raters(metric: str, ratings: Sequence[Rating]) -> tuple[list[Rating], Assumption]:
    """Scores of each system on each line, adjusted for how strict the raters are.

    A rating is system + segment + rater, by least squares. The mean of a system's adjusted scores is the mean over the
    segments, plus how much better the system is than those that were rated there. How much each segment adds comes
    from what the ratings of its document are beside the fit without that document, as in the estimate CR3 of Bell and
    McCaffrey 2002: so their spread over documents covers that the effects are estimated.
    """
    from threadpoolctl import threadpool_limits

    place: dict[int | str, int] = {}
    kept = [rating for rating in _last_ratings(ratings) if rating.score is not None]
    for rating in kept:
        place.setdefault(_document_of(rating), len(place))
        place.setdefault(rating.line, len(place))
    kept.sort(key=lambda rating: (place[_document_of(rating)], place[rating.line]))
    design = _Design.of(kept)
    with threadpool_limits(limits=1, user_api="blas"):  # small matrices, for which threads only wait for one another
        scores, effects = _fit_raters(design)
    if scores is None:
        raise InputError(f"{kept[0].file.name}: how strict raters are cannot be told apart from how good systems are, "
                         "as too few raters rate several systems. Take the mean over raters.", {"raters": "mean"})
    counts = np.bincount(design.rater)
    sd = float(np.sqrt(np.average((effects - np.average(effects, weights=counts)) ** 2, weights=counts)))
    adjusted = [kept[start]._replace(system=system, score=float(scores[k, column]))
                for k, start in enumerate(design.segments[:-1]) for system, column in design.systems.items()]
    return adjusted, Assumption("ratings-adjusted", {"metric": metric + ADJUSTED, "n_raters": design.n_raters,
                                                     "effects_sd": sd})


def _fit_raters(design: _Design) -> tuple[np.ndarray | None, np.ndarray]:
    """Adjusted scores of shape (segments, systems), and the effects of raters; no scores where the effects of systems
    cannot be estimated, with all documents or without one."""
    n_systems, n_segments = len(design.systems), len(design.segments) - 1
    documents = list(pairwise(design.documents))
    size = n_systems + design.n_raters
    products, sums = np.zeros((size, size)), np.zeros(size)
    for first, end in documents:
        columns, scores = design.centre(first, end)
        products += columns.T @ columns
        sums += columns.T @ scores
    if (inverse := _invert(products, n_systems)) is None:
        return None, sums
    effects = inverse @ sums
    rated = design.mean(np.eye(n_systems)[design.system], 0, n_segments)  # of each segment the share of each system
    toward = inverse[:n_systems] - rated.mean(axis=0) @ inverse[:n_systems]
    added = np.zeros((n_segments, n_systems))
    for first, end in documents:
        columns, scores = design.centre(first, end)
        rest = scores - columns @ effects
        without = _invert(products - columns.T @ columns, n_systems)
        if without is None:
            return None, sums
        rest += columns @ (without @ (columns.T @ rest))
        added[first:end] = design.sum(rest[:, None] * (columns @ toward.T), first, end)
    own = effects[:n_systems]
    level = design.mean(design.score, 0, n_segments) - rated @ own
    return level[:, None] + own + n_segments * (added - added.mean(axis=0)), effects[n_systems:]


def _invert(products: np.ndarray, n_systems: int) -> np.ndarray | None:
    """The pseudo-inverse of sums of products; None where differences between systems cannot be estimated."""
    values, vectors = np.linalg.eigh(products)
    is_free = values <= 1e-9 * max(values[-1], 1)
    free = vectors[:n_systems, is_free]
    if np.abs(free - free.mean(axis=0)).max(initial=0) > 1e-6:
        return None
    inverse: np.ndarray = (vectors[:, ~is_free] / values[~is_free]) @ vectors[:, ~is_free].T
    return inverse


def explain_second(first: Rating, second: Rating) -> InputError:
    """The error for two scores of one system and line, with the columns in which their rows differ."""
    table, place, differing = second.file.table, first.where, ""
    if first.file is second.file:
        place, rows = f"row {first.row}", dict(table.rows)
        systems = {rating.system for rating in second.file.ratings}
        pairs = zip(table.header, map(str, rows[first.row]), map(str, rows[second.row]), strict=True)
        listed = [f"{show_name(column)} ({show_name(one[:40])} and {show_name(two[:40])})" for column, one, two in pairs
                  if one != two and column not in systems and find_column([column], "score") is None]
        differing = f" The rows differ in {', '.join(listed)}." if listed else ""
    return InputError(f"{second.where}: {show_name(second.system)} has a second score for line "
                      f"{show_name(str(second.line))}; the first is in {place}.{differing} Expected one for each. Give "
                      "the scores of one language pair, number lines through the whole set, and average several "
                      "raters.")


