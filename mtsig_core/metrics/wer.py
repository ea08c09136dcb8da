"""Word error rate, in order and position-independent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.metrics.counting import BlockCounter, WordMetric, compiled_late
from mtsig_core.testset import TestSet


@dataclass(frozen=True)
class ErrorRate(WordMetric):
    """Errors per 100 words of the references; a subclass says what an error is."""

    higher_is_better: ClassVar[bool] = False
    stat_names: ClassVar[tuple[str, ...]] = ("errors", "ref_len")
    settings: ClassVar[str] = "ref:fewest-errors"
    in_order: ClassVar[bool] = True

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Errors per 100 words of the references, shape (..., 2) -> (...), float64; without a
        reference word 0 without an error and 100 with any.
        """
        sums = np.asarray(sums, dtype=np.float64)
        errors, words = sums[..., 0], sums[..., 1]
        return 100 * np.where(words > 0, errors / np.maximum(words, 1), errors > 0)

    def _counter(self, testset: TestSet) -> BlockCounter:
        kernel, n_refs = compiled_late(_count, _distance, _unshared), len(testset.references)
        return lambda words, first, stats: kernel(
            words.ids, words.begins, words.counts, n_refs, len(words.spans), self.in_order, stats
        )


@dataclass(frozen=True)
class Wer(ErrorRate):
    """Word error rate: the fewest insertions, deletions and substitutions of words that turn the
    output into the reference (Levenshtein 1966), per 100 words of the reference; lower is better.

    In each segment the nearest of several references counts (Niessen et al. 2000), the one that
    needs the fewest; of two that need as few, the longer. The corpus score is the sum of these
    errors over that of these references' lengths.

    References
    ----------
    Niessen, Och, Leusch and Ney (2000), An evaluation tool for machine translation: fast evaluation for MT research.

    Examples
    --------
    One word is wrong and one is missing, of five:

    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["the dog sat down"]}, references={"ref": ["the cat sat down there"]})
    >>> wer = Wer()
    >>> wer.score(wer.statistics(toy).sum(axis=1)).tolist()
    [40.0]
    """

    name: ClassVar[str] = "wer"
    ends: ClassVar[Mapping[float, str]] = {0.0: "no word is wrong"}


@dataclass(frozen=True)
class Per(ErrorRate):
    """Position-independent error rate (Tillmann et al. 1997): word errors without regard to order,
    the length of the longer of output and reference less the words they share, per 100 words of the
    reference; lower is better.

    A word is shared as often as both have it. This is half of abs(output length - reference length)
    plus the sum over words of abs(count in output - count in reference), as Popovic and Ney write
    it, and never more than word errors in order. In each segment the reference with the fewest
    errors counts; of two with as few, the longer. The corpus score is the sum of these errors over
    that of these references' lengths.

    References
    ----------
    Tillmann, Vogel, Ney, Zubiaga and Sawaf (1997), Accelerated DP based search for statistical translation.
    Popovic and Ney (2007), Word error rates: decomposition over POS classes and applications for error analysis.

    Examples
    --------
    Four words against five, of which they share three:

    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["down sat the dog"]}, references={"ref": ["the cat sat down there"]})
    >>> per = Per()
    >>> per.score(per.statistics(toy).sum(axis=1)).tolist()
    [40.0]
    """

    name: ClassVar[str] = "per"
    in_order: ClassVar[bool] = False
    ends: ClassVar[Mapping[float, str]] = {0.0: "no word is wrong, whatever the order"}


def _count(
    ids: np.ndarray,
    begins: np.ndarray,
    counts: np.ndarray,
    n_refs: int,
    n_kinds: int,
    in_order: bool,
    stats: np.ndarray,
) -> None:
    """Fill the statistics of a block, shape (systems, segments, 2); to be compiled.

    The references come first.
    """
    row, left = np.empty(max(counts.max(), 0) + 1, np.int64), np.zeros(n_kinds, np.int64)
    for seg in range(counts.shape[1]):
        for s in range(len(stats)):
            output = ids[begins[n_refs + s, seg] :][: counts[n_refs + s, seg]]
            best = np.int64(-1)
            for r in range(n_refs):
                length = counts[r, seg]
                if length >= 0:
                    reference = ids[begins[r, seg] :][:length]
                    errors = (
                        _distance(output, reference, row)
                        if in_order
                        else _unshared(output, reference, left)
                    )
                    if best < 0 or errors < best or (errors == best and length > stats[s, seg, 1]):
                        best = errors
                        stats[s, seg, 0], stats[s, seg, 1] = errors, length


def _distance(a: np.ndarray, b: np.ndarray, row: np.ndarray) -> np.int64:
    """Levenshtein distance; `row` is memory for len(b) + 1 numbers."""
    while len(a) and len(b) and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    for j in range(len(b) + 1):
        row[j] = j
    for i in range(len(a)):
        diagonal, row[0] = row[0], i + 1
        for j in range(len(b)):
            cost = min(diagonal + (a[i] != b[j]), row[j] + 1, row[j + 1] + 1)
            diagonal, row[j + 1] = row[j + 1], cost
    distance: np.int64 = row[len(b)]
    return distance


def _unshared(a: np.ndarray, b: np.ndarray, left: np.ndarray) -> np.int64:
    """The length of the longer text less the words that both have; `left` holds 0 for each word."""
    for word in b:
        left[word] += 1
    shared = 0
    for word in a:
        if left[word] > 0:
            left[word] -= 1
            shared += 1
    for word in b:
        left[word] = 0
    return np.int64(max(len(a), len(b)) - shared)
