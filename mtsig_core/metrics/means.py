"""Metrics that are means: of segment scores read from a table (human ratings, COMET), over domains,
and over training runs (Clark, Dyer, Lavie and Smith 2011).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtsig_core.errors import InputError, SettingError
from mtsig_core.testset import TestSet

if TYPE_CHECKING:
    from mtsig_core.metrics import Metric

_LARGEST = 1e100


@dataclass(frozen=True)
class SegmentMean:
    """The mean of the segment scores of a table, over the segments that have one, on the table's
    own scale.

    Examples
    --------
    >>> from mtsig_core.testset import SegmentScores, TestSet
    >>> toy = TestSet("toy", {"A": [None] * 3}, {}, scores={"human": SegmentScores({"A": [80.0, None, 90.0]})})
    >>> human = SegmentMean("human", True)
    >>> stats = human.statistics(toy)
    >>> stats[0].tolist()
    [[80.0, 1.0], [0.0, 0.0], [90.0, 1.0]]
    >>> human.score(stats.sum(axis=1)).tolist(), human.signature(toy)
    ([85.0], 'scores:human|n:2|better:higher')
    """

    name: str  # one of the test set's `scores`
    higher_is_better: bool

    stat_names: ClassVar[tuple[str, ...]] = ("sum", "count")
    is_segment_mean: ClassVar[bool] = True

    def statistics(
        self, testset: TestSet, progress: Callable[[float], None] | None = None
    ) -> np.ndarray:
        """(score, 1) where there is a score, else (0, 0): shape (systems, segments, 2)."""
        if self.name not in testset.scores:
            raise SettingError(
                f"{testset.name} has no scores {self.name!r}. It has: {', '.join(testset.scores)}."
            )
        by_system = testset.scores[self.name].by_system
        unknown = (None,) * testset.n_segments
        scores = np.array(
            [by_system.get(name, unknown) for name in testset.systems], dtype=np.float64
        )
        scores = scores.reshape(len(testset.systems), testset.n_segments)
        largest = np.fmax.reduce(np.abs(scores), axis=None, initial=0.0)
        if largest and not 1 / _LARGEST <= largest <= _LARGEST:
            raise InputError(
                f"The largest score by {self.name} is {largest:g}. Expected a size between "
                f"{1 / _LARGEST:g} and {_LARGEST:g}, of which squares and cubes are numbers. Give the "
                "scores in another unit."
            )
        return np.stack([np.nan_to_num(scores, nan=0.0), ~np.isnan(scores)], axis=-1)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """The mean, of shape (...); NaN where no segment has a score."""
        total, count = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
        scored = count > 0
        means: np.ndarray = (
            total / count
            if scored.all()
            else np.divide(total, count, out=np.full(total.shape, np.nan), where=scored)
        )
        return means

    def signature(self, testset: TestSet) -> str:
        """The table's name, its number of scores over all systems, and which direction is
        better.
        """
        by_system = testset.scores[self.name].by_system
        own = [by_system.get(name, ()) for name in testset.systems]
        n = sum(len(values) - values.count(None) for values in own)
        return f"scores:{self.name}|n:{n}|better:{'higher' if self.higher_is_better else 'lower'}"


@dataclass(frozen=True)
class DomainMean:
    """The mean over domains of a metric's score in each, as WMT24 scored systems: a domain of few
    segments counts as much as one of many. A domain in which a system has no score does not count
    for it.

    The statistics are those of the metric for each domain, and last whether the segment has a
    score.

    Examples
    --------
    >>> from mtsig_core.testset import SegmentScores, TestSet
    >>> toy = TestSet("toy", {"A": [None] * 3}, {}, scores={"human": SegmentScores({"A": [80.0, 60.0, 90.0]})},
    ...               domains=["news", "news", "speech"])
    >>> human = DomainMean(SegmentMean("human", True))
    >>> human.score(human.statistics(toy).sum(axis=1)).tolist()
    [80.0]
    """

    of: Metric

    @property
    def name(self) -> str:
        return self.of.name

    @property
    def higher_is_better(self) -> bool:
        return self.of.higher_is_better

    @property
    def stat_names(self) -> tuple[str, ...]:
        return (*self.of.stat_names, "scored")

    @property
    def is_segment_mean(self) -> bool:
        return getattr(self.of, "is_segment_mean", False)

    def statistics(
        self, testset: TestSet, progress: Callable[[float], None] | None = None
    ) -> np.ndarray:
        """Shape (systems, segments, domains x stats + 1)."""
        found, domains = self.of.statistics(testset, progress), testset.domains or ()
        within = np.array(
            [[domain == one for one in dict.fromkeys(domains)] for domain in domains],
            dtype=found.dtype,
        )
        scored = found[..., -1:] if self.is_segment_mean else np.ones_like(found[..., -1:])
        by_domain = (within[..., None] * found[..., None, :]).reshape(*found.shape[:2], -1)
        return np.concatenate([by_domain, scored], axis=-1)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """The mean of the scores, of shape (...); NaN where no segment has a score."""
        by_domain = sums[..., :-1].reshape(*sums.shape[:-1], -1, len(self.of.stat_names))
        scores = np.asarray(self.of.score(by_domain), dtype=np.float64)
        scored = ~np.isnan(scores)
        total, n = np.where(scored, scores, 0.0).sum(axis=-1), scored.sum(axis=-1)
        found: np.ndarray = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
        return found

    def has_score(self, statistics: np.ndarray) -> np.ndarray:
        """Whether a segment has a score in each domain, from statistics of segment means: bool,
        shape (systems, segments, domains).
        """
        by_domain = statistics[..., :-1].reshape(
            *statistics.shape[:-1], -1, len(self.of.stat_names)
        )
        found: np.ndarray = by_domain[..., -1] > 0
        return found

    def signature(self, testset: TestSet) -> str:
        """That of the metric, and what is averaged last."""
        return f"{self.of.signature(testset)}|mean:domains"


class OverRuns:
    """The mean over runs of what a metric says of each.

    The statistics of the `n_runs` runs, the most that a system has, are side by side for each
    segment, so whatever draws, swaps or leaves out a unit does so for all runs of a system at once,
    and run k of one system trades places with run k of the other. A system with one run has it in
    the place of each.

    Examples
    --------
    >>> from mtsig_core.metrics import resolve_metric
    >>> toy = TestSet("toy", {"A": ["a b c d"], "B": ["a x c d"]}, {"ref": ["a b c d"]}, runs={"A": [["a x y d"]]})
    >>> wer = resolve_metric(toy, "wer")
    >>> stats = wer.statistics(toy)
    >>> stats.shape, wer.score(stats.sum(axis=1)).tolist(), wer.by_run(stats.sum(axis=1)).tolist()
    ((2, 1, 4), [25.0, 25.0], [[0.0, 50.0], [25.0, 25.0]])
    """

    is_segment_mean = False

    def __init__(self, metric: Metric, n_runs: int):
        self.metric, self.n_runs = metric, n_runs
        self.stat_names = tuple(
            f"run {k}: {name}" for k in range(1, n_runs + 1) for name in metric.stat_names
        )

    def __getattr__(self, name: str) -> Any:
        if name in ("metric", "parts") or name.startswith(
            "__"
        ):  # parts would be those of the first run alone
            raise AttributeError(name)
        return getattr(self.metric, name)

    def statistics(
        self, testset: TestSet, progress: Callable[[float], None] | None = None
    ) -> np.ndarray:
        """Shape (systems, segments, runs * stats)."""
        every = {
            f"{k} {name}": output
            for name, first in testset.systems.items()
            for k, output in enumerate([first, *testset.runs.get(name, ())], 1)
        }
        counted = self.metric.statistics(
            replace(testset, systems=every, runs={}, scores={}, parses={}), progress
        )
        row = {name: k for k, name in enumerate(every)}
        rows = [
            [row.get(f"{k} {name}", row[f"1 {name}"]) for k in range(1, self.n_runs + 1)]
            for name in testset.systems
        ]
        side_by_side: np.ndarray = np.concatenate(
            [counted[list(run)] for run in zip(*rows, strict=True)], axis=2
        )
        return side_by_side

    def by_run(self, sums: np.ndarray) -> np.ndarray:
        """The score of each run: shape (..., runs * stats) -> (..., runs)."""
        width = len(self.metric.stat_names)
        return np.stack(
            [self.metric.score(sums[..., k * width : (k + 1) * width]) for k in range(self.n_runs)],
            axis=-1,
        )

    def score(self, sums: np.ndarray) -> np.ndarray:
        """The mean over runs, in points: shape (..., runs * stats) -> (...)."""
        mean: np.ndarray = self.by_run(sums).sum(axis=-1) / self.n_runs
        return mean

    def signature(self, testset: TestSet) -> str:
        """That of the metric, and over how many runs its mean is taken."""
        return f"{self.metric.signature(testset)}|runs:{self.n_runs}"


def average_runs(metric: Metric, testset: TestSet) -> Metric:
    """The metric over the training runs of a test set; itself where there are none, and where it is
    over runs already.
    """
    if not testset.runs or hasattr(metric, "n_runs"):
        return metric
    if getattr(metric, "needs_parses", False):
        raise SettingError(
            f"{metric.name} needs parses, and training runs have none. Choose another metric, or leave "
            "the runs out."
        )
    return OverRuns(metric, testset.n_runs)
