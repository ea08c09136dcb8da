"""The protocol of a metric, by which tests, intervals and figures know it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, SupportsFloat, TypeAlias, runtime_checkable

import numpy as np

from mtsig_core.progress import Progress
from mtsig_core.testset import TestSet

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as OfSacrebleu
#: Counts some segments (an array of int) as a test set of their own.
CountSegments = Callable[[np.ndarray], np.ndarray]


@runtime_checkable
class Metric(Protocol):
    """A corpus metric computed from summed per-segment statistics.

    Attributes
    ----------
    name : str
        Lower-case name, as on the command line.
    higher_is_better : bool
    stat_names : tuple of str
        Names of the statistics, in the order of the last axis.
    is_segment_mean : bool, optional
        Whether the statistics are (score, 1) or, where a segment has no score, (0, 0), and the
        score is their mean. `mean_over_domains` has more statistics, the last of which is whether
        the segment has a score.
    depends_on_testset : bool, optional
        Whether the statistics of a segment depend on the other segments, so that they differ in a
        part of the test set. The metric may then have a method ``parts``, which counts parts
        faster: see `part_counter`.
    needs_parses : bool, optional
        Whether it needs dependency parses of outputs and references.
    tokenizer : callable, optional
        TestSet -> the name of the tokenizer that finds its words, for a metric of words: see
        `find_tokenizer`.
    ends : mapping of float to str, optional
        The scores at which its range ends, 0 first, and why a system has that score: its replicates
        all have it too, so that two systems there cannot be told apart.
    is_adapted : bool, optional
        Whether another package counts: nothing tells when its code has changed, so no counts are
        kept on disk.
    """

    @property
    def name(self) -> str:
        """Lower-case name."""

    @property
    def higher_is_better(self) -> bool:
        """Whether higher scores are better."""

    @property
    def stat_names(self) -> tuple[str, ...]:
        """Names of the statistics."""

    def statistics(self, testset: TestSet, progress: Progress | None = None) -> np.ndarray:
        """Per-segment statistics, shape (systems, segments, stats), systems in the set's order.

        Where the work takes longer than a moment, `progress` is called with "counting" and the
        share that is done; it may raise `Cancelled` to stop the work.
        """

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Scores in points of summed statistics: shape (..., stats) -> (...), float64.

        The sums are exact but may come as any type of number, float32 too: compute in float64.

        The method may have an attribute ``swapped``, a faster way to the same bits for pairs whose
        units are swapped: a function of the metric, the sums that stay with each system and the
        sums that move, both of shape (stats, systems, replicates), and pairs (i, j). It returns the
        score of staying[i] + moving[j] less the score of staying[j] + moving[i], shape (pairs,
        replicates); NaN where it cannot tell. A subclass with another score has none.
        """

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting a score depends on."""


#: A metric by its name, as it is, or as `adapt_metric` adapts it: an object of sacreBLEU, or a
#: function that scores segments.
MetricLike: TypeAlias = "str | Metric | OfSacrebleu | Callable[..., SupportsFloat | None]"
MetricsLike: TypeAlias = "MetricLike | Sequence[MetricLike]"


def split_sums(sums: np.ndarray) -> np.ndarray:
    """Sums of statistics, shape (..., stats), by statistic: shape (stats, ...), float64."""
    return np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
