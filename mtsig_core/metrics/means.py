"""Metrics that are means: over segment scores, over domains, and over training runs.

Segment scores come from a table (human ratings, COMET). For training runs see Clark, Dyer, Lavie
and Smith (2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from mtsig_core.errors import InputError, SettingError
from mtsig_core.metrics.protocol import Metric, split_sums
from mtsig_core.progress import Progress
from mtsig_core.testset import TestSet

_LARGEST = 1e100


def divide_sums(sums: np.ndarray) -> np.ndarray:
    """The means of summed scores and their counts, shape (..., 2) -> (...); NaN for a count of 0."""
    total, count = split_sums(sums)
    has_score = count > 0
    if has_score.all():
        return np.asarray(total / count)
    means: np.ndarray = np.full(total.shape, np.nan)
    np.divide(total, count, out=means, where=has_score)
    return means


@dataclass(frozen=True)
class SegmentMean:
    """The mean of a table's segment scores, over the segments that have one, on its own scale.

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

    def statistics(self, testset: TestSet, progress: Progress | None = None) -> np.ndarray:
        """(score, 1) where there is a score, else (0, 0): shape (systems, segments, 2)."""
        if self.name not in testset.scores:
            raise SettingError(
                f"{testset.name} has no scores {self.name!r}. It has: {', '.join(testset.scores)}."
            )
        by_system = testset.scores[self.name].by_system
        scores = np.full((len(testset.systems), testset.n_segments), np.nan)
        for row, name in zip(scores, testset.systems, strict=True):
            if name in by_system:
                row[:] = by_system[name]
        largest = np.fmax.reduce(np.abs(scores), axis=None, initial=0.0)
        if largest and not 1 / _LARGEST <= largest <= _LARGEST:
            raise InputError(
                f"The largest score by {self.name} is {largest:g}. Expected a size between "
                f"{1 / _LARGEST:g} and {_LARGEST:g}, of which squares and cubes are numbers. "
                "Give the scores in another unit."
            )
        return np.stack([np.nan_to_num(scores, nan=0.0), ~np.isnan(scores)], axis=-1)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """The mean, of shape (...); NaN where no segment has a score."""
        return divide_sums(sums)

    def signature(self, testset: TestSet) -> str:
        """The table's name, its number of scores over all systems, and the better direction."""
        by_system = testset.scores[self.name].by_system
        n_scores = 0
        for name in testset.systems:
            scores = by_system.get(name, ())
            n_scores += len(scores) - scores.count(None)
        better = "higher" if self.higher_is_better else "lower"
        return f"scores:{self.name}|n:{n_scores}|better:{better}"


@dataclass(frozen=True)
class DomainMean:
    """The mean over domains of a metric's score in each, as WMT24 scored systems.

    A domain of few segments counts as much as a domain of many. A domain in which a system has no
    score does not count for it. The statistics are the metric's, for each domain, and last whether
    the segment has a score.

    Examples
    --------
    >>> from mtsig_core.testset import SegmentScores, TestSet
    >>> toy = TestSet("toy", {"A": [None] * 3}, {}, scores={"human": SegmentScores({"A": [80.0, 60.0, 90.0]})},
    ...               domains=["news", "news", "speech"])
    >>> human = DomainMean(SegmentMean("human", True))
    >>> human.score(human.statistics(toy).sum(axis=1)).tolist()
    [80.0]
    """

    metric: Metric

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.metric.name

    @property
    def higher_is_better(self) -> bool:
        """Whether higher scores are better."""
        return self.metric.higher_is_better

    @property
    def stat_names(self) -> tuple[str, ...]:
        """The metric's statistics, which come once for each domain, and whether there is a score."""
        return (*self.metric.stat_names, "scored")

    @property
    def is_segment_mean(self) -> bool:
        """Whether the metric is a mean of segment scores."""
        return getattr(self.metric, "is_segment_mean", False)

    def statistics(self, testset: TestSet, progress: Progress | None = None) -> np.ndarray:
        """Shape (systems, segments, domains x stats + 1)."""
        statistics = self.metric.statistics(testset, progress)
        domain_of_segment = testset.domains or ()
        blocks = []
        for domain in dict.fromkeys(domain_of_segment):
            is_inside = np.array([name == domain for name in domain_of_segment])
            blocks.append(statistics * is_inside[:, None].astype(statistics.dtype))
        has_score = np.ones_like(statistics[..., -1:])
        if self.is_segment_mean:
            has_score = statistics[..., -1:]
        return np.concatenate([*blocks, has_score], axis=-1)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """The mean of the scores, of shape (...); NaN where no segment has a score."""
        scores = np.asarray(self.metric.score(self._by_domain(sums)), dtype=np.float64)
        has_score = ~np.isnan(scores)
        total = np.where(has_score, scores, 0.0).sum(axis=-1)
        n_domains = has_score.sum(axis=-1)
        means: np.ndarray = np.full(n_domains.shape, np.nan)
        np.divide(total, n_domains, out=means, where=n_domains > 0)
        return means

    def has_score(self, statistics: np.ndarray) -> np.ndarray:
        """Whether a segment has a score in each domain, from statistics of segment means.

        Returns
        -------
        bool, shape (systems, segments, domains).
        """
        counts: np.ndarray = self._by_domain(statistics)[..., -1]
        return counts > 0

    def signature(self, testset: TestSet) -> str:
        """The metric's signature, and what is averaged last."""
        return f"{self.metric.signature(testset)}|mean:domains"

    def _by_domain(self, statistics: np.ndarray) -> np.ndarray:
        """Shape (..., domains x stats + 1) -> (..., domains, stats)."""
        n_stats = len(self.metric.stat_names)
        return statistics[..., :-1].reshape(*statistics.shape[:-1], -1, n_stats)


class OverRuns:
    """The mean over training runs of a metric's score of each.

    The statistics of the `n_runs` runs, the most that a system has, are next to each other for each
    segment. So all runs of a unit are drawn, swapped or left out together, and run k of one system
    is swapped with run k of the other. A system with one run has it in the place of each.

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
        self.metric = metric
        self.n_runs = n_runs
        stat_names: list[str] = []
        for k in range(1, n_runs + 1):
            stat_names += [f"run {k}: {name}" for name in metric.stat_names]
        self.stat_names = tuple(stat_names)

    def __getattr__(self, name: str) -> Any:
        # the metric's `parts` would count only the first run
        if name in ("metric", "parts") or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.metric, name)

    def statistics(self, testset: TestSet, progress: Progress | None = None) -> np.ndarray:
        """Shape (systems, segments, runs * stats)."""
        outputs: dict[str, Sequence[str]] = {}
        rows: list[list[int]] = []  # of each system, the output of each run
        for name, first in testset.systems.items():
            runs = [first, *testset.runs.get(name, ())]
            numbers = range(len(outputs), len(outputs) + len(runs))
            for k, output in enumerate(runs, 1):
                outputs[f"{k} {name}"] = output
            absent = self.n_runs - len(runs)
            rows.append([*numbers, *(numbers[0] for _ in range(absent))])
        testset_of_runs = replace(testset, systems=outputs, runs={}, scores={}, parses={})
        statistics = self.metric.statistics(testset_of_runs, progress)
        by_run = statistics[np.array(rows)]  # (systems, runs, segments, stats)
        side_by_side: np.ndarray = np.moveaxis(by_run, 1, 2)
        return side_by_side.reshape(len(rows), testset.n_segments, -1)

    def by_run(self, sums: np.ndarray) -> np.ndarray:
        """The score of each run: shape (..., runs * stats) -> (..., runs)."""
        scores = [self.metric.score(run) for run in np.split(sums, self.n_runs, axis=-1)]
        return np.stack(scores, axis=-1)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """The mean over runs, in points: shape (..., runs * stats) -> (...)."""
        mean: np.ndarray = self.by_run(sums).sum(axis=-1) / self.n_runs
        return mean

    def signature(self, testset: TestSet) -> str:
        """The metric's signature, and the number of runs."""
        return f"{self.metric.signature(testset)}|runs:{self.n_runs}"


def average_runs(metric: Metric, testset: TestSet) -> Metric:
    """The metric over the training runs of a test set.

    It returns the metric itself if there are no runs, or if it already averages over runs.
    """
    if not testset.runs or hasattr(metric, "n_runs"):
        return metric
    if getattr(metric, "needs_parses", False):
        raise SettingError(
            f"{metric.name} needs parses, and training runs have none. "
            "Choose another metric, or remove the runs."
        )
    return OverRuns(metric, testset.n_runs)
