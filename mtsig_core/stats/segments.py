"""Segments of two systems: found by document, domain or text, sorted, and scored together."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import regex

from mtsig_core.errors import SettingError
from mtsig_core.metrics import Metric, direction
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import make_read_only, rounding_error
from mtsig_core.stats.engine import count_common_segments, has_gaps, pair_statistics
from mtsig_core.stats.pair import contributions
from mtsig_core.stats.resampling import make_units
from mtsig_core.testset import TestSet

#: The orders of a list of segments.
ORDERS = ("most in favour of A", "most in favour of B", "largest either way", "line", "length")

#: Places to search for a text.
PLACES = ("anywhere", "source", "references", "output of A", "output of B")

#: Ways to search for a text.
WAYS = ("as written", "whole words", "regular expression")

#: The time limit of a search for a regular expression.
SECONDS = 2.0
_MOST_REPEATS = (
    100_000  # by all counts of a regular expression together: more would fill the memory
)

_Texts = Sequence[str | None]


def match_pattern(columns: Sequence[_Texts], pattern: str) -> np.ndarray:
    r"""Find the segments in which a regular expression matches one of the texts.

    Upper and lower case are the same.

    Returns
    -------
    ndarray of bool, shape (segments,)

    Raises
    ------
    SettingError
        For a pattern that cannot be read, or takes longer than `SECONDS`.

    Examples
    --------
    >>> match_pattern([["12 cats", "a dog", None], ["", "", "no 7"]], r"\d+$|^a\b").tolist()
    [False, True, True]
    """
    expression = _compile_pattern(pattern)
    deadline = time.monotonic() + SECONDS
    is_match = np.zeros(len(columns[0]), dtype=bool)
    for texts in columns:
        for k, text in enumerate(texts):
            if text is None or is_match[k]:
                continue
            seconds_left = max(deadline - time.monotonic(), 0.001)
            try:
                is_match[k] = expression.search(text, timeout=seconds_left) is not None
            except TimeoutError:
                raise SettingError(
                    f"The regular expression {pattern!r} takes more than {SECONDS:g} seconds on these "
                    "texts. Repeat no group that repeats itself, such as (a+)+, or look for a text as it "
                    "is written."
                ) from None
    return is_match


def _compile_pattern(pattern: str) -> regex.Pattern[str]:
    # A repeat of repeats, such as (a{9999}){9999}, would be written out in memory.
    counts = [int(digits) for digits in re.findall(r"\{(?:\d*,)?(\d+)", pattern)]
    if len(counts) > 1 and math.prod(counts) > _MOST_REPEATS:
        raise SettingError(
            f"The regular expression {pattern!r} repeats a text up to {math.prod(counts):,} times. "
            f"Expected at most {_MOST_REPEATS:,}."
        )
    try:
        return regex.compile(pattern, regex.IGNORECASE)
    except (regex.error, OverflowError, RecursionError) as error:
        raise SettingError(
            f"The regular expression {pattern!r} cannot be read: {error}. A backslash before "
            "a sign such as ( or . looks for the sign itself."
        ) from None


def measure_contributions(
    testset: TestSet, metric: Metric, a: str, b: str, statistics: np.ndarray
) -> np.ndarray:
    """Return how much each segment adds to the improvement of a over b, in points.

    The shape is (segments,). A value above 0 favours a, also for metrics where lower is better. See
    `pair.contributions`.

    >>> from mtsig_core import make_metric
    >>> ts = TestSet("toy", {"A": ["a b c d", "e f g h"], "B": ["a b c d", "e f"]}, {"ref": ["a b c d", "e f g h"]})
    >>> bleu = make_metric("bleu")
    >>> [bool(value > 0) for value in measure_contributions(ts, bleu, "A", "B", bleu.statistics(ts))]
    [False, True]
    """
    both = _common_statistics(testset, metric, a, b, statistics)
    data = engine.UnitStatistics(metric, both, make_units(testset, "segment"))
    return make_read_only(direction(metric) * contributions(data))


def find_segments(  # noqa: PLR0913  each parameter is a filter of the page
    testset: TestSet,
    a: str,
    b: str,
    *,
    document: int | None = None,
    domain: str | None = None,
    text: str = "",
    where: str = "anywhere",
    how: str = "as written",
    among: np.ndarray | None = None,
    shortest: int | None = None,
    longest: int | None = None,
) -> np.ndarray:
    """Find the positions of the segments that fit all filters, in the order of the test set.

    The filters are a document, a domain, a text, some positions (`among`) and the characters of the
    longest reference.

    >>> ts = TestSet("toy", {"A": ["a Cat", "a dog"], "B": ["cats", "a rat"]}, {"ref": ["a cat", "a dog"]})
    >>> find_segments(ts, "A", "B", text="CAT").tolist(), find_segments(ts, "A", "B", text="cats").tolist()
    ([0], [0])
    """
    if where not in PLACES:
        raise SettingError(f"where is {where!r}. Expected one of: {', '.join(PLACES)}.")
    if how not in WAYS:
        raise SettingError(f"how is {how!r}. Expected one of: {', '.join(WAYS)}.")
    testset.only((a, b))  # raises an error for an unknown system
    fits = np.ones(testset.n_segments, dtype=bool)
    if among is not None:
        fits &= np.isin(np.arange(testset.n_segments), among)
    if document is not None:
        fits &= testset.document_index == document
    if domain is not None:
        if testset.domains is None:
            raise SettingError(
                f"{testset.name} has no domains. A documents file with `domain<TAB>docid` gives them."
            )
        fits &= np.array([name == domain for name in testset.domains], dtype=bool)
    if shortest is not None:
        fits &= _measure_lengths(testset) >= shortest
    if longest is not None:
        fits &= _measure_lengths(testset) <= longest
    columns = _list_texts(testset, a, b, where)
    if text and not columns:
        fits[:] = False
    elif text and how == "regular expression":
        fits &= match_pattern(columns, text)
    elif text:
        fits &= _contains_text(columns, text, how == "whole words")
    return np.flatnonzero(fits)


def _contains_text(columns: Sequence[_Texts], text: str, is_whole_word: bool) -> np.ndarray:
    """Find the segments in which a text occurs in one of the columns."""
    folded_text = text.casefold()
    whole_word = re.compile(rf"(?<!\w){re.escape(folded_text)}(?!\w)")
    contains = np.zeros(len(columns[0]), dtype=bool)
    for texts in columns:
        for k, folded in enumerate(_fold_case(texts)):
            # A search for plain text is much faster than a regular expression.
            if folded_text in folded and (not is_whole_word or whole_word.search(folded)):
                contains[k] = True
    return contains


def _fold_case(texts: _Texts) -> list[str]:
    # One call for all texts takes less time than one for each.
    folded = "\n".join(text or "" for text in texts).casefold().split("\n")
    if len(folded) == len(texts):
        return folded
    return [(text or "").casefold() for text in texts]


def _measure_lengths(testset: TestSet) -> np.ndarray:
    """Count the characters of the longest reference of each segment."""
    lengths = np.zeros(testset.n_segments, dtype=np.int64)
    for texts in testset.references.values():
        lengths = np.maximum(lengths, [len(text or "") for text in texts])
    return lengths


def sort_segments(
    testset: TestSet, positions: np.ndarray, added: np.ndarray, order: str
) -> np.ndarray:
    """Sort positions by one of `ORDERS`; ties stay in the order of the test set.

    `added` is what each segment of the test set adds. By length, the segment with the longest
    reference comes first.

    >>> ts = TestSet("toy", {"A": ["", "", ""]}, {"ref": ["aaa", "b", "cc"]})
    >>> added = np.array([0.1, -0.3, 0.2])
    >>> [sort_segments(ts, np.arange(3), added, order).tolist() for order in ORDERS]
    [[2, 0, 1], [1, 0, 2], [1, 2, 0], [0, 1, 2], [0, 2, 1]]
    """
    values = added[positions]
    if order == "line":
        keys = positions
    elif order == "length":
        keys = -_measure_lengths(testset)[positions]
    elif order == "most in favour of A":
        keys = -values
    elif order == "most in favour of B":
        keys = values
    elif order == "largest either way":
        keys = -np.abs(values)
    else:
        raise SettingError(f"order is {order!r}. Expected one of: {', '.join(ORDERS)}.")
    return positions[np.argsort(keys, kind="stable")]


def score_selection(
    testset: TestSet, metric: Metric, a: str, b: str, statistics: np.ndarray, positions: np.ndarray
) -> tuple[float, float, int]:
    """Score a and b on the chosen segments only, from their summed statistics.

    The scores describe these segments. They were chosen by looking, so no test of the difference
    would be valid.

    Returns
    -------
    score_a, score_b : float
    n : int
        The segments that have scores of both.
    """
    if not len(positions):
        raise SettingError("No segment to score. Expected at least one position.")
    both = _common_statistics(testset, metric, a, b, statistics)[:, positions]
    n = int(count_common_segments(metric, both, engine.all_pairs(2))[0])
    if not n:
        raise SettingError(
            f"None of these {len(positions)} segments has a score by {metric.name} for {a} and {b}."
        )
    score_a, score_b = metric.score(both.sum(axis=1))
    return float(score_a), float(score_b), n


def deciding_segments(
    testset: TestSet, metric: Metric, a: str, b: str, statistics: np.ndarray, added: np.ndarray
) -> np.ndarray:
    """Find the segments without which the better system would not be ahead.

    The segments that add most in its favour are left out one after the other, until the corpus
    scores of the remaining ones are equal or reversed. Each segment is weighed by what it adds when
    only this segment is left out, so a smaller set may exist (Broderick, Giordano and Meager 2020).
    The result describes the difference; it is no test.

    Returns
    -------
    ndarray of int, shape (segments left out,)
        In the order in which they are left out. Empty where scores are equal, or where the better
        system stays ahead however many are left out.

    Examples
    --------
    >>> from mtsig_core import make_metric
    >>> ref = ["a b c d e", "f g h i j", "k l m n o", "p q r s t"]
    >>> ts = TestSet("toy", {"A": ref, "B": ["a b c d e", "f g h i", "k l m n o", "p q r s t"]}, {"ref": ref})
    >>> bleu = make_metric("bleu")
    >>> counts = bleu.statistics(ts)
    >>> deciding_segments(ts, bleu, "A", "B", counts, measure_contributions(ts, bleu, "A", "B", counts)).tolist()
    [1]
    """
    nothing = np.arange(0)
    both = _common_statistics(testset, metric, a, b, statistics).astype(np.float64)
    totals = both.sum(axis=1)
    scores = np.asarray(metric.score(totals))
    difference = scores[0] - scores[1]
    if abs(difference) <= rounding_error(scores):
        return nothing
    ahead = np.sign(difference) * direction(metric)  # 1 where a is better, else -1
    order = np.argsort(-ahead * added, kind="stable")
    left_out = np.cumsum(both[:, order], axis=1)[:, :-1]  # all left out would have no score
    remaining_scores = np.asarray(metric.score(totals[:, None] - left_out))
    leads = np.sign(difference) * (remaining_scores[0] - remaining_scores[1])
    is_reversed = leads <= rounding_error(remaining_scores.T)
    if not is_reversed.any():
        return nothing
    n_left_out = int(np.argmax(is_reversed)) + 1
    return order[:n_left_out]


def find_neighbours(testset: TestSet, k: int) -> tuple[int | None, int | None]:
    """Find the segments before and after one in its document; None at its start or end.

    Without document ids, both are missing (None).

    >>> ts = TestSet("toy", {"A": ["", "", ""]}, {"ref": ["a", "b", "c"]}, documents=["d", "e", "d"])
    >>> find_neighbours(ts, 0), find_neighbours(ts, 1)
    ((None, 2), (None, None))
    """
    if testset.documents is None:
        return None, None
    document = testset.document_index[k]
    positions = np.flatnonzero(testset.document_index == document).tolist()
    place = positions.index(k)
    before = None
    if place > 0:
        before = positions[place - 1]
    after = None
    if place + 1 < len(positions):
        after = positions[place + 1]
    return before, after


def system_scores(
    testset: TestSet, metric: Metric, statistics: np.ndarray, k: int
) -> list[tuple[str, float | None]]:
    """Score each system on one segment, best first; systems without a score come last with None.

    A corpus metric scores a test set of this one segment: sentence BLEU has sacreBLEU's `exp`
    smoothing without effective order. The mean of such scores is not the corpus score.
    """
    scores = np.asarray(metric.score(statistics[:, k]), dtype=np.float64)
    has_score = np.isfinite(scores)
    if has_gaps(metric, statistics):
        has_score &= statistics[:, k, -1] > 0
    keys = np.where(has_score, -direction(metric) * scores, np.inf)
    names = list(testset.systems)
    return [
        (names[row], float(scores[row]) if has_score[row] else None)
        for row in np.argsort(keys, kind="stable").tolist()
    ]


def system_table(
    testset: TestSet, k: int, scores: Iterable[tuple[str, float | None]]
) -> tuple[list[str], Iterator[list[Any]]]:
    """Return header and rows of one segment: each system, its score and its output.

    `scores` come from `system_scores`.
    """
    location = _location_columns(testset)
    header = [*location, "system", "score", "output"]
    cells = [values[k] for values in location.values()]
    rows = ([*cells, name, score, testset.systems[name][k]] for name, score in scores)
    return header, rows


def segment_table(
    testset: TestSet, a: str, b: str, positions: np.ndarray, added: np.ndarray
) -> tuple[list[str], Iterator[list[Any]]]:
    """Header and rows of some segments: their location, what each adds, and its texts."""
    columns: dict[str, Sequence[Any]] = _location_columns(testset)
    columns["contribution"] = added.tolist()
    if testset.sources is not None:
        columns["source"] = testset.sources
    for name, texts in testset.references.items():
        columns[f"reference {name}"] = texts
    for name in (a, b):
        columns[f"output {name}"] = testset.systems[name]
    rows = ([values[k] for values in columns.values()] for k in positions.tolist())
    return list(columns), rows


def _location_columns(testset: TestSet) -> dict[str, Sequence[Any]]:
    columns: dict[str, Sequence[Any]] = {"line": testset.lines}
    if testset.domains is not None:
        columns["domain"] = testset.domains
    if testset.documents is not None:
        columns["docid"] = testset.documents
    return columns


def _common_statistics(
    testset: TestSet, metric: Metric, a: str, b: str, statistics: np.ndarray
) -> np.ndarray:
    """Select the statistics of the two, on the segments that both have."""
    testset.only((a, b))  # raises an error for an unknown system
    names = list(testset.systems)
    both = statistics[[names.index(a), names.index(b)]]
    if has_gaps(metric, both):
        both, _ = pair_statistics(both, engine.all_pairs(2))
    return both


def _list_texts(testset: TestSet, a: str, b: str, place: str) -> list[_Texts]:
    columns: list[_Texts] = []
    if place in ("anywhere", "source") and testset.sources is not None:
        columns.append(testset.sources)
    if place in ("anywhere", "references"):
        columns.extend(testset.references.values())
    if place in ("anywhere", "output of A"):
        columns.append(testset.systems[a])
    if place in ("anywhere", "output of B"):
        columns.append(testset.systems[b])
    return columns
