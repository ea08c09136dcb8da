"""Find rows and values in a table of scores that are not scores of segments.

These are sums and means below the scores, marks of failed judgements, and systems on another scale
than the rest.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError
from mtsig_core.grouping import group_values
from mtsig_core.readers.ratings import LineId, Rating, ScoreFile
from mtsig_core.testset import show_name

_FEWEST = 5  # scores of a system, of which the values may tell something
#: What the line of a row is called that sums up others, in small letters.
SUMMARIES = (
    "mean",
    "avg",
    "avg.",
    "average",
    "total",
    "sum",
    "overall",
    "all",
    "median",
    "std",
    "std.",
    "stdev",
    "sd",
    "min",
    "max",
    "count",
    "macro",
    "micro",
)
_MOST_SUMMARIES = 8  # rows below the scores, such as the rows of pandas' describe()
_EVIDENCE = 4  # digits, of all systems together, that agree with a mean
#: What programs write where a judge gave no score.
FAILED = (-1.0, -99.0, -999.0, -9999.0)
#: How far scores may lie outside 0 to 1: the scale of COMET, for example, has no hard limits.
_MARGIN = 0.2


# Sums and means.


def drop_summaries(file: ScoreFile, metric: str) -> None:
    """Take rows of sums and means out of a table.

    It recognizes them by their names, and the last row also by its values.
    """
    summaries = _find_named_summaries(file.ratings)
    content = "sums or means by their names"
    if not summaries:
        summaries, content = _find_last_row(file.ratings)
    if not summaries:
        return
    rows = {str(rating.row) for rating in file.ratings if rating.line in summaries}
    file.ratings = [rating for rating in file.ratings if rating.line not in summaries]
    if file.n_rows is not None:
        file.n_rows -= len(summaries)
    facts = {"metric": metric, "file": file.name, "rows": sorted(rows), "what": content}
    file.assumed.append(Assumption("summary-rows", facts))


def _find_named_summaries(ratings: Sequence[Rating]) -> set[LineId]:
    """The lines that are called as sums or means, of a table whose other lines are many."""
    lines = {rating.line for rating in ratings}
    summaries = {line for line in lines if str(line).strip().lower() in SUMMARIES}
    are_few = len(summaries) <= _MOST_SUMMARIES and len(lines) >= len(summaries) + _FEWEST
    return summaries if are_few else set()


def _find_last_row(ratings: Sequence[Rating]) -> tuple[set[LineId], str]:
    """The last line, if the score of each system there is the sum, or the mean, of those above."""
    by_system: dict[str, dict[LineId, float | None]] = {}
    for rating in ratings:
        scores = by_system.setdefault(rating.system, {})
        if rating.rater is not None or rating.line in scores:
            return set(), ""
        scores[rating.line] = rating.score
    last_lines = set()
    columns = []
    for scores in by_system.values():
        last_lines.add(next(reversed(scores)))
        *above, last = scores.values()
        numbers = [score for score in above if score is not None]
        if last is None or len(numbers) < _FEWEST:
            return set(), ""
        columns.append((numbers, last))
    if len(last_lines) != 1:
        return set(), ""
    if _are_sums(columns):
        return last_lines, "the sums of the rows above"
    if _are_means(columns):
        return last_lines, "the means of the rows above"
    return set(), ""


_Columns = Sequence[tuple[Sequence[float], float]]


def _are_sums(columns: _Columns) -> bool:
    """Whether each last score is the sum of those above, and some last score is the largest."""
    are_equal = all(_is_rounded(sum(above), last) for above, last in columns)
    return are_equal and any(abs(last) > max(map(abs, above)) for above, last in columns)


def _are_means(columns: _Columns) -> bool:
    """Whether each last score is the mean of those above, so closely that it is no chance."""
    distinct = {tuple(above): last for above, last in columns}
    evidence = 0.0
    for above, last in distinct.items():
        if not _is_rounded(statistics.fmean(above), last):
            return False
        n_possible = (max(above) - min(above)) * 10.0 ** _count_decimals(last)
        evidence += math.log10(max(n_possible, 1))
    return evidence >= _EVIDENCE


def _is_rounded(exact: float, written: float) -> bool:
    """Whether a number may have been written for an exact one."""
    tolerance = 0.5 * 10.0 ** -_count_decimals(written) + 1e-9 * abs(exact)
    return abs(exact - written) <= tolerance * (1 + 1e-9)


def _count_decimals(number: float) -> int:
    text = f"{number:.12f}".rstrip("0")
    return len(text.partition(".")[2])


# Judgements that failed.


def drop_failed(ratings: Sequence[Rating], metric: str) -> tuple[list[Rating], Assumption | None]:
    """The ratings with a missing score in place of each mark of a judgement that failed.

    For example, -1 is such a mark if all other scores are 0 or more.
    """
    scores = [rating.score for rating in ratings if rating.score is not None]
    marks = {score for score in scores if score in FAILED}
    valid = [score for score in scores if score not in marks]
    if len(marks) != 1 or not valid or 2 * len(valid) < len(scores):
        return list(ratings), None
    if min(valid) < 0 or {*valid} <= {0.0, 1.0}:
        return list(ratings), None
    mark = marks.pop()
    marked = [rating._replace(score=None) if rating.score == mark else rating for rating in ratings]
    facts = {"metric": metric, "mark": mark, "n_failed": scores.count(mark)}
    return marked, Assumption("failed-judgements", facts)


# Scales.


def check_scales(ratings: Sequence[Rating], metric: str) -> None:
    """Raise InputError where some systems are scored from 0 to 1, and others from 0 to 100."""
    by_system = group_values(
        (rating.score, rating.system) for rating in ratings if rating.score is not None
    )
    units: dict[str, Sequence[float]] = {}
    hundreds: dict[str, Sequence[float]] = {}
    for system, scores in by_system.items():
        has_fractions = len(set(scores) - {0.0, 1.0}) > 1
        n_above = sum(score > 1 + _MARGIN for score in scores)
        if _lie_within(scores, 1) and has_fractions:
            units[system] = scores
        elif _lie_within(scores, 100) and n_above >= 0.9 * len(scores):
            hundreds[system] = scores
    pair = _find_rescaled(units, hundreds)
    if pair is None:
        return
    a, b = pair
    name_a = show_name(a)
    raise InputError(
        f"{ratings[0].file.name}: the {show_name(metric)} scores of {name_a} range {_show_range(units[a])}, "
        f"and those of {show_name(b)} {_show_range(hundreds[b])}. Expected one scale for all systems. "
        f"Multiply the scores of {name_a} by 100, or divide the others by 100."
    )


def _lie_within(scores: Sequence[float], top: float) -> bool:
    """Whether some scores, not just a few, lie between 0 and the top, or close to them."""
    if len(scores) < _FEWEST:
        return False
    return min(scores) >= -top * _MARGIN and max(scores) <= top * (1 + _MARGIN)


def _show_range(scores: Sequence[float]) -> str:
    return f"from {min(scores):g} to {max(scores):g}"


def _find_rescaled(
    units: Mapping[str, Sequence[float]], hundreds: Mapping[str, Sequence[float]]
) -> tuple[str, str] | None:
    """Two systems whose medians would be alike on one scale; a bad system may have low scores."""
    for a, low in units.items():
        for b, high in hundreds.items():
            ratio = statistics.median(high) / max(100 * statistics.median(low), 1e-9)
            if 1 / 3 <= ratio <= 3:
                return a, b
    return None
