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
from mtsig_core.testset import TestSet
from mtsig_core.version import find_version

_ORDER = 4

# exp(y) for abs(y) <= log(2)/2 is this polynomial, highest power first, to 2e-16.
_EXP = tuple(1 / math.factorial(k) for k in range(12, -1, -1))
_LOG2_E = 1 / math.log(2)
_LOG_2_HIGH, _LOG_2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10


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

    def statistics(
        self, testset: TestSet, progress: Callable[[float], None] | None = None
    ) -> np.ndarray:
        """Counts of matching n-grams in each segment, identical to sacreBLEU's: shape (systems,
        segments, 10), int32.

        With several references an n-gram matches as often as the reference that has it most often
        allows, and the reference length is the one closest to the system's, the shorter of two as
        close.
        """
        from mtsig_core.metrics.kernels import (
            ngrams,
        )  # late: a compiler takes half a second to load

        tokenizer, n_refs = self._tokenizer(testset), len(testset.references)
        stats = np.zeros(
            (len(testset.systems), testset.n_segments, len(self.stat_names)), dtype=np.int32
        )
        for first, last, texts in each_block(testset, progress):
            shared, sizes = ngrams.count_block(
                [self._prepared(row, tokenizer) for row in texts],
                n_refs,
                tokenizer,
                ngrams.TOKENS,
                _ORDER,
                merge=True,
            )
            length, ref_lengths = sizes[n_refs:], sizes[:n_refs, None]
            gaps = abs(length - ref_lengths) << 32 | ref_lengths
            closest = (
                gaps.min(axis=0, where=ref_lengths >= 0, initial=np.iinfo(np.int64).max)
                & 0xFFFFFFFF
            )
            totals = np.maximum(length[..., None] - np.arange(_ORDER), 0)
            stats[:, first:last] = np.concatenate(
                [length[..., None], closest[..., None], shared[0], totals], axis=-1
            )
        return stats

    def score(self, sums: np.ndarray) -> np.ndarray:
        """BLEU in points, 0 to 100, of summed statistics, shape (..., 10) -> (...), float64; the
        same to the last bit for the same counts, whatever the layout or type. Fastest with the
        statistics outermost in memory.
        """
        sums = np.asarray(sums)
        columns = as_columns(sums, len(self.stat_names))
        scores = np.empty(columns.shape[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            if compiles_scores(scores.size):
                _compiled(_points_of_each)(columns, scores)
            else:
                scores[:] = _points(*columns)
            # The formula gives 0, inf or nan where a count is 0.
            if scores.size and not (scores.min() > 0 and scores.max() < np.inf):
                odd = ~((scores > 0) & (scores < np.inf))
                scores[odd] = _smoothed_points(columns[:, odd])
        return scores.reshape(sums.shape[:-1])[()]

    def _swapped(self, *sums_and_pairs: np.ndarray) -> np.ndarray:
        """See `Metric.score`."""
        kept, moved, pairs = map(np.ascontiguousarray, sums_and_pairs)
        differences = np.empty((len(pairs), kept.shape[2]))
        _compiled(_differences_of_each)(kept, moved, pairs, differences)
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
    """M-BLEU (Zhang and Vogel 2004, eq.

    4): brevity penalty times the arithmetic mean of the n-gram precisions.

    Statistics and brevity penalty are those of BLEU; the precisions of orders 1 to 4 weigh 1/4
    each, one of no n-grams at all counts as 0, and nothing is smoothed. Never below BLEU where that
    is not smoothed.

    References
    ----------
    Zhang and Vogel (2004), Measuring confidence intervals for the machine translation evaluation metrics, section 2.2.
    Their printed M-BLEU scores lie below BLEU, which eq. 4 cannot give.

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
        sys_len, ref_len = sums[..., 0], sums[..., 1]
        mean = sum(sums[..., 2 + n] / np.maximum(sums[..., 6 + n], 1) for n in range(4)) / 4
        # Without a word there is no precision either, whatever the penalty.
        points: np.ndarray = (
            100 * mean * np.exp(np.minimum(1 - ref_len / np.maximum(sys_len, 1), 0))
        )
        return points

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting."""
        return super().signature(testset).replace("smooth:exp", "smooth:none|mean:arithmetic")


# -- scoring --------------------------------------------------------------------------------------


def _points(
    sys_len: Numbers,
    ref_len: Numbers,
    c1: Numbers,
    c2: Numbers,
    c3: Numbers,
    c4: Numbers,
    t1: Numbers,
    t2: Numbers,
    t3: Numbers,
    t4: Numbers,
) -> Numbers:
    """BLEU where no count is 0: brevity penalty times the geometric mean of the precisions.

    Arrays and compiled numbers give the same bits, as IEEE 754 defines the rounding of each step
    but exp, hence the polynomial.
    """
    # Below exp(-700), which stands for 0, the powers of 2 would leave the range of float64.
    log_penalty = np.fmax(np.fmin(1 - np.float64(ref_len) / sys_len, 0.0), -700.0)
    power = np.floor(log_penalty * _LOG2_E + 0.5)
    y = (log_penalty - power * _LOG_2_HIGH) - power * _LOG_2_LOW
    penalty = _EXP[0]
    for coefficient in _EXP[1:]:
        penalty = penalty * y + coefficient
    penalty = penalty * np.int64((np.int64(power) + 1023) << 52).view(
        np.float64
    )  # times 2 ** power
    precisions = np.float64(c1) * c2 * c3 * c4 / (np.float64(t1) * t2 * t3 * t4)
    return 100 * penalty * np.sqrt(np.sqrt(precisions))


def _points_of_each(columns: np.ndarray, scores: np.ndarray) -> None:
    """Set scores[i] to `_points` of columns[:, i]; to be compiled."""
    for i in range(scores.size):
        scores[i] = _points(
            columns[0, i],
            columns[1, i],
            columns[2, i],
            columns[3, i],
            columns[4, i],
            columns[5, i],
            columns[6, i],
            columns[7, i],
            columns[8, i],
            columns[9, i],
        )


def _differences_of_each(
    kept: np.ndarray, moved: np.ndarray, pairs: np.ndarray, differences: np.ndarray
) -> None:
    """Set differences[p] to the scores of pair p after swaps, the first less the second, NaN where
    `_points` gives 0, inf or nan; to be compiled. No sum is written to memory, which would take
    longer than to score it.
    """
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        for r in range(kept.shape[2]):
            first = _points(
                kept[0, i, r] + moved[0, j, r],
                kept[1, i, r] + moved[1, j, r],
                kept[2, i, r] + moved[2, j, r],
                kept[3, i, r] + moved[3, j, r],
                kept[4, i, r] + moved[4, j, r],
                kept[5, i, r] + moved[5, j, r],
                kept[6, i, r] + moved[6, j, r],
                kept[7, i, r] + moved[7, j, r],
                kept[8, i, r] + moved[8, j, r],
                kept[9, i, r] + moved[9, j, r],
            )
            second = _points(
                kept[0, j, r] + moved[0, i, r],
                kept[1, j, r] + moved[1, i, r],
                kept[2, j, r] + moved[2, i, r],
                kept[3, j, r] + moved[3, i, r],
                kept[4, j, r] + moved[4, i, r],
                kept[5, j, r] + moved[5, i, r],
                kept[6, j, r] + moved[6, i, r],
                kept[7, j, r] + moved[7, i, r],
                kept[8, j, r] + moved[8, i, r],
                kept[9, j, r] + moved[9, i, r],
            )
            usual = 0 < first < np.inf and 0 < second < np.inf
            differences[p, r] = first - second if usual else np.nan


@functools.cache
def _compiled(loop: Callable[..., None]) -> Callable[..., None]:
    return compiled(loop, _points)


def _smoothed_points(sums: np.ndarray) -> np.ndarray:
    """BLEU with counts of 0, shape (10, n) -> (n,): the k-th order without a match counts as 1/2**k
    matches. 0 without any match or if an order has no n-grams at all.
    """
    sums = np.array(sums, dtype=np.float64)
    correct, total = sums[2:6], sums[6:]
    is_zero = ~correct.any(axis=0) | ~total.all(axis=0)
    smoothed: float | np.ndarray = 1.0
    for matches in correct:
        smoothed = np.where(matches == 0, smoothed / 2, smoothed)
        np.copyto(matches, smoothed, where=matches == 0)
    return np.where(is_zero, 0.0, _points(*sums))
