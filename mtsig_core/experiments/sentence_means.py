"""The mean of sentence scores: what a corpus metric is not, as a metric of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.metrics import Metric, is_segment_mean

__all__ = ["SentenceMean", "segment_mean"]


@dataclass(frozen=True)
class SentenceMean:
    """The mean over segments of a corpus metric's score of each; its statistics are (score, 1).

    A segment on which the metric is undefined has (0, 0).

    Examples
    --------
    >>> from mtsig_core.metrics import make_metric
    >>> ts = TestSet("toy", {"A": ["a b c d", "x"]}, {"ref": ["a b c d", "y"]})
    >>> mean = SentenceMean(make_metric("bleu"))
    >>> float(mean.score(mean.statistics(ts).sum(axis=1))[0])
    50.0
    """

    of: Metric

    stat_names: ClassVar[tuple[str, ...]] = ("score", "count")
    is_segment_mean: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return f"sentence-{self.of.name}"

    @property
    def higher_is_better(self) -> bool:
        return self.of.higher_is_better

    def statistics(self, testset: TestSet, progress: Callable[[float], None] | None = None) -> np.ndarray:
        """Shape (systems, segments, 2), float64."""
        return self.from_counts(self.of.statistics(testset, progress))

    def from_counts(self, statistics: np.ndarray) -> np.ndarray:
        """The same, of the statistics of the corpus metric, shape (systems, segments, stats)."""
        scores = np.asarray(self.of.score(statistics), dtype=np.float64)
        known = np.isfinite(scores)
        return np.stack([np.where(known, scores, 0.0), known.astype(np.float64)], axis=-1)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """The mean, of shape (...); NaN where no segment has a score."""
        total, count = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
        mean: np.ndarray = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
        return mean

    def signature(self, testset: TestSet) -> str:
        """That of the metric, smoothing included; for BLEU that is sacreBLEU's ``exp`` without effective order."""
        return f"mean-of-sentences|{self.of.signature(testset)}"


def segment_mean(metric: Metric) -> Metric:
    """The metric itself where it is a mean of segment scores, else the mean of its sentence scores."""
    return metric if is_segment_mean(metric) else SentenceMean(metric)
