"""The bootstrap, one resample at a time: what a lecture shows of it (Koehn 2004, sections 3 and 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mtsig_core.experiments.lecture_sentences import Excerpt, from_blocks
from mtsig_core.inference.intervals import Sample, percentile
from mtsig_core.inference.resampling import Units, bootstrap_weights
from mtsig_core.inference.significance import win_rates
from mtsig_core.metrics import direction

__all__ = ["Resamples", "expected_missing", "resamples"]


@dataclass(frozen=True, eq=False)
class Resamples:
    """Bootstrap samples of a few sentences, in the order drawn.

    Attributes
    ----------
    weights : ndarray of int, shape (samples, segments)
        How often each sentence is in each.
    sums : ndarray, shape (samples, 2, stats)
        Summed statistics of both systems.
    scores : ndarray, shape (samples, 2)
        In points.
    improvement : ndarray, shape (samples,)
        By how much the first system is better.
    """

    weights: np.ndarray
    sums: np.ndarray
    scores: np.ndarray
    improvement: np.ndarray

    def first(self, n: int) -> Resamples:
        """The first n."""
        return Resamples(*(values[:n] for values in (self.weights, self.sums, self.scores, self.improvement)))

    @property
    def missing(self) -> np.ndarray:
        """How many sentences each sample lacks, shape (samples,)."""
        return np.asarray((self.weights == 0).sum(axis=1))

    @property
    def mean_missing(self) -> float:
        return float(self.missing.mean())

    def too_few(self, alpha: float = 0.05) -> bool:
        """Whether not even one of so many samples lies beyond each end of a percentile interval."""
        return len(self.scores) < 2 / alpha

    def middle(self, alpha: float = 0.05) -> tuple[tuple[float, float], tuple[float, float]]:
        """Percentile intervals of level 1 - alpha: of the first system's score, and of the improvement.

        The least and the largest, where samples are too few for these.
        """
        drawn = np.stack([self.scores[:, 0], self.improvement])
        low, high = (drawn.min(axis=1), drawn.max(axis=1)) if self.too_few(alpha) else \
            percentile(Sample(drawn.mean(axis=1), drawn, np.empty((0, 0))), alpha)
        (a, d), (b, e) = low.tolist(), high.tolist()
        return (a, b), (d, e)

    @property
    def share_worse(self) -> float:
        """Share of the samples on which the first system is the worse; ties count for neither."""
        return float(win_rates(self.improvement[None])[1][0])


def resamples(shown: Excerpt, seed: int, start: int, stop: int) -> Resamples:
    """Bootstrap samples `start` to `stop`: those of `compare` by segment with this seed, both systems by one draw.

    Examples
    --------
    >>> from mtsig_core import TestSet
    >>> from mtsig_core.experiments.lecture_sentences import excerpt
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 3, "B": ["a b c d x"] * 3}, {"ref": ["a b c d e"] * 3})
    >>> found = resamples(excerpt(ts, "bleu", "A", "B", 3, 0), 0, 0, 5)
    >>> found.weights.sum(axis=1).tolist(), found.share_worse
    ([3, 3, 3, 3, 3], 0.0)
    """
    units = Units.segments(shown.n)
    weights = from_blocks(lambda block: bootstrap_weights(units, seed, block), start, stop).astype(np.int64)
    sums = np.einsum("rn,sni->rsi", weights, shown.statistics)
    scores = shown.score(sums)
    return Resamples(weights, sums, scores, direction(shown.metric) * (scores[:, 0] - scores[:, 1]))


def expected_missing(n: int) -> float:
    """How many of n sentences a bootstrap sample lacks on average: n (1 - 1/n)^n.

    Examples
    --------
    >>> round(expected_missing(12) / 12, 3)
    0.352
    """
    return n * (1 - 1 / n) ** n
