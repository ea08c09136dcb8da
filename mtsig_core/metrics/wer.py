"""Word error rate, in order and position-independent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.metrics.counting import BlockCounter, WordIds, WordMetric, compiled_late
from mtsig_core.testset import TestSet


@dataclass(frozen=True)
class ErrorRate(WordMetric):
    """Errors per 100 words of the references; a subclass says what an error is."""

    higher_is_better: ClassVar[bool] = False
    stat_names: ClassVar[tuple[str, ...]] = ("errors", "ref_len")
    settings: ClassVar[str] = "ref:fewest-errors"
    in_order: ClassVar[bool] = True

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Errors per 100 words of the references: shape (..., 2) -> (...), float64.

        Where the references have no word, it is 0 without an error and 100 with any.
        """
        sums = np.asarray(sums, dtype=np.float64)
        errors = sums[..., 0]
        words = sums[..., 1]
        rate = np.where(words > 0, errors / np.maximum(words, 1), errors > 0)
        return 100 * rate

    def _counter(self, testset: TestSet) -> BlockCounter:
        kernel = compiled_late(_count, _distance, _unshared)
        n_refs = len(testset.references)

        def count(words: WordIds, _: int, stats: np.ndarray) -> None:
            n_kinds = len(words.spans)
            kernel(words.ids, words.begins, words.counts, n_refs, n_kinds, self.in_order, stats)

        return count


@dataclass(frozen=True)
class Wer(ErrorRate):
    """Word error rate: errors per 100 words of the reference; lower is better.

    Errors are the fewest insertions, deletions and substitutions of words that turn the output into
    the reference (Levenshtein 1966). In each segment the nearest of several references counts
    (Niessen et al. 2000), the one that needs the fewest; of two that need as few, the longer. The
    corpus score is the sum of these errors over the sum of these references' lengths.

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
    """Position-independent error rate (Tillmann et al. 1997), per 100 words; lower is better.

    Errors are the words that output and reference do not share, whatever the order: the length of
    the longer of the two less the words that both have. A word is shared as often as both have it.
    This is half of abs(output length - reference length) plus the sum over words of abs(count in
    output - count in reference), as Popovic and Ney write it, and never more than word errors in
    order. In each segment the reference with the fewest errors counts; of two with as few, the
    longer. The corpus score is the sum of these errors over the sum of these references' lengths.

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
    row = np.empty(max(counts.max(), 0) + 1, np.int64)
    word_counts = np.zeros(n_kinds, np.int64)
    for seg in range(counts.shape[1]):
        for s in range(len(stats)):
            output = ids[begins[n_refs + s, seg] :][: counts[n_refs + s, seg]]
            fewest = np.int64(-1)
            for r in range(n_refs):
                length = counts[r, seg]
                if length < 0:
                    continue
                reference = ids[begins[r, seg] :][:length]
                if in_order:
                    errors = _distance(output, reference, row)
                else:
                    errors = _unshared(output, reference, word_counts)
                is_longer = errors == fewest and length > stats[s, seg, 1]
                if fewest < 0 or errors < fewest or is_longer:
                    fewest = errors
                    stats[s, seg, 0] = errors
                    stats[s, seg, 1] = length


def _distance(a: np.ndarray, b: np.ndarray, row: np.ndarray) -> np.int64:
    """Levenshtein distance; `row` is memory for len(b) + 1 numbers."""
    while len(a) and len(b) and a[-1] == b[-1]:
        a = a[:-1]
        b = b[:-1]
    for j in range(len(b) + 1):
        row[j] = j
    for i in range(len(a)):
        diagonal = row[0]
        row[0] = i + 1
        for j in range(len(b)):
            cost = min(diagonal + (a[i] != b[j]), row[j] + 1, row[j + 1] + 1)
            diagonal = row[j + 1]
            row[j + 1] = cost
    distance: np.int64 = row[len(b)]
    return distance


def _unshared(a: np.ndarray, b: np.ndarray, word_counts: np.ndarray) -> np.int64:
    """The length of the longer text less the words that both have.

    `word_counts` holds 0 for each word, before and after.
    """
    for word in b:
        word_counts[word] += 1
    shared = 0
    for word in a:
        if word_counts[word] > 0:
            word_counts[word] -= 1
            shared += 1
    for word in b:
        word_counts[word] = 0
    return np.int64(max(len(a), len(b)) - shared)
