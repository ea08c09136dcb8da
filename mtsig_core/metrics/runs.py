"""A metric over training runs: the mean of the corpus scores of a system's runs (Clark, Dyer, Lavie and Smith 2011)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.testset import TestSet

if TYPE_CHECKING:
    from mtsig_core.metrics import Metric


class OverRuns:
    """The mean over runs of what a metric says of each.

    The statistics of the runs stand side by side for each segment, so whatever draws, swaps or leaves out a unit of the
    test set does so for all runs of a system at once, and run k of one system trades places with run k of the other. A
    system with one run has it in the place of each: its score is that of the run.

    `metric`: of texts; `n_runs`: the most that a system has.

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
        self.stat_names = tuple(f"run {k}: {name}" for k in range(1, n_runs + 1) for name in metric.stat_names)

    def __getattr__(self, name: str) -> Any:
        if name in ("metric", "parts") or name.startswith("__"):  # parts would be those of the first run alone
            raise AttributeError(name)
        return getattr(self.metric, name)

    def statistics(self, testset: TestSet, progress: Callable[[float], None] | None = None) -> np.ndarray:
        """Shape (systems, segments, runs * stats)."""
        every = {f"{k} {name}": output for name, first in testset.systems.items()
                 for k, output in enumerate([first, *testset.runs.get(name, ())], 1)}
        counted = self.metric.statistics(replace(testset, systems=every, runs={}, scores={}, parses={}), progress)
        row = {name: k for k, name in enumerate(every)}
        rows = [[row.get(f"{k} {name}", row[f"1 {name}"]) for k in range(1, self.n_runs + 1)]
                for name in testset.systems]
        side_by_side: np.ndarray = np.concatenate([counted[list(run)] for run in zip(*rows, strict=True)], axis=2)
        return side_by_side

    def by_run(self, sums: np.ndarray) -> np.ndarray:
        """The score of each run: shape (..., runs * stats) -> (..., runs)."""
        width = len(self.metric.stat_names)
        return np.stack([self.metric.score(sums[..., k * width:(k + 1) * width]) for k in range(self.n_runs)], axis=-1)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """The mean over runs, in points: shape (..., runs * stats) -> (...)."""
        mean: np.ndarray = self.by_run(sums).sum(axis=-1) / self.n_runs
        return mean

    def signature(self, testset: TestSet) -> str:
        """That of the metric, and over how many runs its mean is taken."""
        return f"{self.metric.signature(testset)}|runs:{self.n_runs}"


def average_runs(metric: Metric, testset: TestSet) -> Metric:
    """The metric over the training runs of a test set; itself where there are none, and where it is over runs already.
    """
    if not testset.runs or hasattr(metric, "n_runs"):
        return metric
    if getattr(metric, "needs_parses", False):
        raise SettingError(f"{metric.name} needs parses, and training runs have none. Choose another metric, or leave "
                           "the runs out.")
    return OverRuns(metric, testset.n_runs)
