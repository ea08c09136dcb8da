"""BLEU (Papineni et al. 2002), with the counts and scores of sacreBLEU."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core._compiled import compiled
from mtsig_core.metrics.counting import (
    Numbers,
    Tokenized,
    as_columns,
    compiles_scores,
    count_references,
    each_block,
)
from mtsig_core.progress import Progress
from mtsig_core.testset import TestSet
from mtsig_core.version import find_version

_ORDER = 4
# Where the counts of matching and of all n-grams are among the statistics.
_CORRECT = slice(2, 2 + _ORDER)
_TOTAL = slice(2 + _ORDER, 2 + 2 * _ORDER)

# exp(y) for abs(y) <= log(2)/2 is this polynomial, highest power first, to 2e-16.
_EXP = tuple(1 / math.factorial(k) for k in range(12, -1, -1))
_LOG2_E = 1 / math.log(2)
# log(2) as a sum of two numbers, the first with zeros at its end, so that whole multiples are exact.
_LOG_2_HIGH = 6.93147180369123816490e-01
_LOG_2_LOW = 1.90821492927058770002e-10


@dataclass(frozen=True)
class Bleu(Tokenized):
    """BLEU of up to four-grams, with sacreBLEU's `exp` smoothing.

    References
    ----------
    Papineni, Roukos, Ward and Zhu (2002), BLEU: a method for automatic evaluation of machine translation, section 2.

    Examples
    --------
    "the cat sat down" shares 4 of its 4 tokens with "the cat sat down there", 3 of 3 bigrams, 2 of 2 trigrams and
    its one four-gram; it is a token short, which costs a brevity penalty of exp(1 - 5/4) = .7788:

    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["the cat sat down"]}, references={"ref": ["the cat sat down there"]})
    >>> bleu = Bleu()
    >>> stats = bleu.statistics(toy)
    >>> stats[0, 0].tolist()
    [4, 5, 4, 3, 2, 1, 4, 3, 2, 1]
    >>> bleu.score(stats.sum(axis=1)).round(2).tolist()
    [77.88]
    """

    name: ClassVar[str] = "bleu"
    ends: ClassVar[Mapping[float, str]] = {
        0.0: "no 4-gram of the whole set matches a reference",
        100.0: "every segment equals a reference, as far as the metric looks",
    }
    higher_is_better: ClassVar[bool] = True
    stat_names: ClassVar[tuple[str, ...]] = (
        "sys_len",
        "ref_len",
        *(f"correct_{n}" for n in range(1, 5)),
        *(f"total_{n}" for n in range(1, 5)),
    )

    def statistics(self, testset: TestSet, progress: Progress | None = None) -> np.ndarray:
        """Count matching n-grams in each segment, with sacreBLEU's counts.

        With several references an n-gram matches as often as it occurs in the reference that has
        it most often. The reference length is the one closest to the system's; of two as close, the
        shorter.

        Returns
        -------
        Shape (systems, segments, 10), int32.
        """
        # late: a compiler takes half a second to load
        from mtsig_core.metrics.kernels import ngrams

        tokenizer = self._tokenizer(testset)
        n_refs = len(testset.references)
        shape = (len(testset.systems), testset.n_segments, len(self.stat_names))
        stats = np.zeros(shape, dtype=np.int32)
        for first, last, texts in each_block(testset, progress):
            prepared = [self._prepared(row, tokenizer) for row in texts]
            matches, sizes = ngrams.count_block(
                prepared, n_refs, tokenizer, ngrams.TOKENS, _ORDER, merge=True
            )
            ref_sizes = sizes[:n_refs]
            sys_sizes = sizes[n_refs:]
            totals = np.maximum(sys_sizes[..., None] - np.arange(_ORDER), 0)
            block = stats[:, first:last]
            block[..., 0] = sys_sizes
            block[..., 1] = _closest_lengths(sys_sizes, ref_sizes)
            block[..., _CORRECT] = matches[0]
            block[..., _TOTAL] = totals
        return stats

    def score(self, sums: np.ndarray) -> np.ndarray:
        """BLEU in points, 0 to 100, of summed statistics: shape (..., 10) -> (...), float64.

        The same counts give the same bits, whatever the layout or type. It is fastest with the
        statistics outermost in memory.
        """
        sums = np.asarray(sums)
        columns = as_columns(sums, len(self.stat_names))
        scores = np.empty(columns.shape[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            if compiles_scores(scores.size):
                _compiled(_points_of_each)(columns, scores)
            else:
                scores[:] = _points(columns)
            # The formula gives 0, inf or nan where a count is 0.
            if scores.size and not (scores.min() > 0 and scores.max() < np.inf):
                odd = ~((scores > 0) & (scores < np.inf))
                scores[odd] = _smoothed_points(columns[:, odd])
        return scores.reshape(sums.shape[:-1])[()]

    def _swapped(self, *sums_and_pairs: np.ndarray) -> np.ndarray:
        """See `Metric.score`."""
        staying, moving, pairs = map(np.ascontiguousarray, sums_and_pairs)
        differences = np.empty((len(pairs), staying.shape[2]))
        _compiled(_differences_of_each)(staying, moving, pairs, differences)
        return differences

    score.swapped = _swapped  # type: ignore[attr-defined]

    def signature(self, testset: TestSet) -> str:
        """SacreBLEU's signature of these settings."""
        case = "lc" if self.lowercase else "mixed"
        tokenizer = self._tokenizer(testset).signature
        return (
            f"nrefs:{count_references(testset)}|case:{case}|eff:no|tok:{tokenizer}|smooth:exp|"
            f"version:{find_version('sacrebleu')}"
        )


@dataclass(frozen=True)
class MBleu(Bleu):
    """M-BLEU: brevity penalty times the arithmetic mean of the n-gram precisions.

    Statistics and brevity penalty are BLEU's. The precisions of orders 1 to 4 weigh 1/4 each. The
    precision of an order without n-grams is 0, and nothing is smoothed. So M-BLEU is never below
    unsmoothed BLEU.

    References
    ----------
    Zhang and Vogel (2004), Measuring confidence intervals for the machine translation evaluation metrics, section 2.2,
    equation 4. Their printed M-BLEU scores are below BLEU, which equation 4 cannot give.

    Examples
    --------
    3 of 4 words match, 1 of 3 bigrams, no trigram and no four-gram; the output is a word short:

    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["the cat sat down"]}, references={"ref": ["a cat sat there down"]})
    >>> m_bleu = MBleu()
    >>> m_bleu.score(m_bleu.statistics(toy).sum(axis=1)).round(2).tolist()  # exp(1 - 5/4) (3/4 + 1/3) / 4
    [21.09]
    """

    name: ClassVar[str] = "m-bleu"
    ends: ClassVar[Mapping[float, str]] = {
        0.0: "no word of the whole set matches a reference",
        100.0: "every segment equals a reference, as far as the metric looks",
    }

    def score(self, sums: np.ndarray) -> np.ndarray:
        """M-BLEU in points, 0 to 100, of summed statistics: shape (..., 10) -> (...), float64."""
        sums = np.asarray(sums, dtype=np.float64)
        sys_len = sums[..., 0]
        ref_len = sums[..., 1]
        total_precision = np.zeros(sums.shape[:-1])
        for correct, total in zip(range(2, 6), range(6, 10), strict=True):
            total_precision += sums[..., correct] / np.maximum(sums[..., total], 1)
        # An output without a word has precision 0, so its penalty does not matter.
        log_penalty = np.minimum(1 - ref_len / np.maximum(sys_len, 1), 0)
        points: np.ndarray = 100 * (total_precision / _ORDER) * np.exp(log_penalty)
        return points

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting."""
        return super().signature(testset).replace("smooth:exp", "smooth:none|mean:arithmetic")


# -- scoring --------------------------------------------------------------------------------------


def _closest_lengths(sys_sizes: np.ndarray, ref_sizes: np.ndarray) -> np.ndarray:
    """The length of the reference closest to each output; -1 in `ref_sizes` is no reference.

    Shapes (systems, segments) and (references, segments) -> (systems, segments).
    """
    lengths = ref_sizes[:, None]
    # Gap and length in one number, so that the least has the shorter of two references as close.
    gap_and_length = abs(sys_sizes - lengths) << 32 | lengths
    farthest = np.iinfo(np.int64).max
    closest = gap_and_length.min(axis=0, where=lengths >= 0, initial=farthest)
    closest_lengths: np.ndarray = closest & 0xFFFFFFFF
    return closest_lengths


def _points(counts: Numbers) -> Numbers:
    """BLEU where no count is 0: brevity penalty times the geometric mean of the precisions.

    `counts` has the ten statistics, each a number or an array. Arrays and compiled numbers give the
    same bits, because IEEE 754 defines the rounding of each step except exp, hence the polynomial.
    """
    sys_len = counts[0]
    ref_len = np.float64(counts[1])
    # Below exp(-700), which stands for 0, the powers of 2 would leave the range of float64.
    log_penalty = np.fmax(np.fmin(1 - ref_len / sys_len, 0.0), -700.0)
    power = np.floor(log_penalty * _LOG2_E + 0.5)
    remainder = (log_penalty - power * _LOG_2_HIGH) - power * _LOG_2_LOW
    penalty = _EXP[0]
    for coefficient in _EXP[1:]:
        penalty = penalty * remainder + coefficient
    two_to_the_power = np.int64((np.int64(power) + 1023) << 52).view(np.float64)
    penalty = penalty * two_to_the_power
    correct = np.float64(counts[2]) * counts[3] * counts[4] * counts[5]
    total = np.float64(counts[6]) * counts[7] * counts[8] * counts[9]
    return 100 * penalty * np.sqrt(np.sqrt(correct / total))


def _points_of_each(columns: np.ndarray, scores: np.ndarray) -> None:
    """Set scores[i] to `_points` of columns[:, i]; to be compiled."""
    for i in range(scores.size):
        scores[i] = _points(_read_counts(columns, i))


def _read_counts(columns: np.ndarray, i: int) -> tuple[float, ...]:
    """columns[:, i] as a tuple, which compiled code keeps in registers."""
    c = columns
    return c[0, i], c[1, i], c[2, i], c[3, i], c[4, i], c[5, i], c[6, i], c[7, i], c[8, i], c[9, i]


def _differences_of_each(
    staying: np.ndarray, moving: np.ndarray, pairs: np.ndarray, differences: np.ndarray
) -> None:
    """Set differences[p] to the scores of pair p after swaps, the first less the second.

    NaN where `_points` gives 0, inf or nan. To be compiled.
    """
    for p in range(len(pairs)):
        i = pairs[p, 0]
        j = pairs[p, 1]
        for r in range(staying.shape[2]):
            first = _points(_add_counts(staying, i, moving, j, r))
            second = _points(_add_counts(staying, j, moving, i, r))
            if 0 < first < np.inf and 0 < second < np.inf:
                differences[p, r] = first - second
            else:
                differences[p, r] = np.nan


def _add_counts(
    staying: np.ndarray, i: int, moving: np.ndarray, j: int, r: int
) -> tuple[float, ...]:
    """staying[:, i, r] + moving[:, j, r] as a tuple, which compiled code keeps in registers.

    To write the sums to memory would take longer than to score them: the swaps take ten times as
    long with an array here.
    """
    return (
        staying[0, i, r] + moving[0, j, r],
        staying[1, i, r] + moving[1, j, r],
        staying[2, i, r] + moving[2, j, r],
        staying[3, i, r] + moving[3, j, r],
        staying[4, i, r] + moving[4, j, r],
        staying[5, i, r] + moving[5, j, r],
        staying[6, i, r] + moving[6, j, r],
        staying[7, i, r] + moving[7, j, r],
        staying[8, i, r] + moving[8, j, r],
        staying[9, i, r] + moving[9, j, r],
    )


@functools.cache
def _compiled(loop: Callable[..., None]) -> Callable[..., None]:
    return compiled(loop, _points, _read_counts, _add_counts)


def _smoothed_points(sums: np.ndarray) -> np.ndarray:
    """BLEU with counts of 0, shape (10, n) -> (n,).

    The k-th order without a match counts as 1/2**k matches. The score is 0 without any match, or if
    an order has no n-grams at all.
    """
    sums = np.array(sums, dtype=np.float64)
    correct = sums[_CORRECT]
    total = sums[_TOTAL]
    is_zero = ~correct.any(axis=0) | ~total.all(axis=0)
    smoothed: float | np.ndarray = 1.0
    for matches in correct:
        smoothed = np.where(matches == 0, smoothed / 2, smoothed)
        np.copyto(matches, smoothed, where=matches == 0)
    return np.where(is_zero, 0.0, _points(sums))
