"""A test set as one metric sees it: counted once, and handed down to whatever is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mtsig_core.errors import SettingError, suggest_name
from mtsig_core.metrics import Metric, direction, is_segment_mean, part_counter, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.stats import engine
from mtsig_core.stats.engine import Columns, UnitStatistics
from mtsig_core.stats.resampling import Units, make_units
from mtsig_core.testset import TestSet


@dataclass(frozen=True, eq=False)
class Measured:
    """The systems and segments that a metric can compare, and their statistics."""

    testset: TestSet  # only what can be compared: of segment scores, the systems and segments that have any
    metric: Metric
    #: shape (systems, segments, stats): The statistics, in the order of the test set; of whole numbers each different
    #: column once, as on large sets they are most of the memory.
    stored: Columns | np.ndarray

    @cached_property
    def statistics(self) -> np.ndarray:
        """Shape (systems, segments, stats)."""
        return self.stored.statistics() if isinstance(self.stored, Columns) else self.stored

    @cached_property
    def totals(self) -> np.ndarray:
        """The statistics of all segments together, shape (systems, stats)."""
        return self.stored.totals().T if isinstance(self.stored, Columns) else self.stored.sum(axis=1)

    @property
    def names(self) -> list[str]:
        return list(self.testset.systems)

    @property
    def sign(self) -> int:
        """What turns a difference of scores into an improvement."""
        return direction(self.metric)

    @cached_property
    def scores(self) -> np.ndarray:
        """Corpus scores in points, shape (systems,)."""
        return np.asarray(self.metric.score(self.totals), dtype=np.float64)

    @cached_property
    def order(self) -> np.ndarray:
        """Rows of the systems, best first, shape (systems,); ties as they come."""
        return np.argsort(-self.sign * self.scores, kind="stable")

    @property
    def has_gaps(self) -> bool:
        """Whether a system lacks a score that another has."""
        return engine.has_gaps(self.metric, self.stored)

    @property
    def segment_scores(self) -> np.ndarray | None:
        """Shape (systems, segments), NaN where there is none; None for a metric that is no mean of them."""
        return engine.segment_scores(self.metric, self.stored)

    def best_first(self) -> Measured:
        """The same with the systems in the order of their scores."""
        return self._rows(self.order)

    def only(self, names: Iterable[str]) -> Measured:
        """The same with these systems alone, in this order; `SettingError` for one that has no score."""
        known, names = self.names, list(names)
        for name in names:
            if name not in known:
                raise SettingError(f"No system {name!r} with a score by {self.metric.name}.{suggest_name(name, known)} "
                                   f"Systems that have one: {', '.join(known)}.")
        return self._rows([known.index(name) for name in names])

    def pair(self, a: str, b: str) -> tuple[np.ndarray, int]:
        """Statistics of two systems on the segments that both have, shape (2, segments, stats), and how many these are;
        `SettingError` without any."""
        two, pair = self.only((a, b)), np.array([[0, 1]])
        n = int(engine.count_common_segments(self.metric, two.statistics, pair)[0])
        if not n:
            raise SettingError(f"{a} and {b} have no line in common with a score by {self.metric.name}: they cannot be "
                               "compared. Choose another pair.")
        return engine.pair_statistics(two.statistics, pair)[0] if two.has_gaps else two.statistics, n

    def units(self, kind: str = "auto", block_length: float | None = None) -> Units:
        """What is drawn or swapped; see `make_units`."""
        return make_units(self.testset, kind, block_length)

    def by(self, units: Units) -> UnitStatistics:
        """Ready to be drawn by unit."""
        return UnitStatistics(self.metric, self.stored, units)

    def counter(self) -> Callable[[np.ndarray], np.ndarray]:
        """What gives the statistics of some segments as a test set of their own; see `part_counter`."""
        return part_counter(self.metric, self.testset, self.statistics)

    def _rows(self, rows: list[int] | np.ndarray) -> Measured:
        names = self.names
        systems = {names[k]: self.testset.systems[names[k]] for k in rows}
        if list(systems) == names:
            return self
        own = self.stored.only(np.asarray(rows)) if isinstance(self.stored, Columns) else self.stored[rows]
        return Measured(replace(self.testset.only(systems), systems=systems), self.metric, own)


def measure(testset: TestSet, metric: str | Metric, *, statistics: np.ndarray | None = None,
            progress: Callable[[float], None] | None = None) -> Measured:
    """Count what a metric needs of a test set, and leave out what it cannot compare; `statistics` may be known already.

    >>> ts = TestSet("toy", {"A": ["a b c d x"], "B": ["a b c d e"]}, {"ref": ["a b c d e"]})
    >>> found = measure(ts, "wer")
    >>> found.scores.tolist(), found.best_first().names
    ([20.0, 0.0], ['B', 'A'])
    """
    metric = resolve_metric(testset, metric)
    if statistics is None:
        statistics = cached_statistics(metric, testset, progress)
    if is_segment_mean(metric):
        rated = statistics[..., -1] > 0
        systems, segments = rated.any(axis=1), rated.any(axis=0)
        if not systems.any():
            raise SettingError(f"{testset.name} has no score by {metric.name} for these systems and segments. Choose "
                               "others, or another metric.")
        if not (systems.all() and segments.all()):
            names = list(testset.systems)
            testset = testset.take(np.flatnonzero(segments).tolist()).only(names[k] for k in np.flatnonzero(systems))
            statistics = statistics[systems][:, segments]
    whole = statistics.dtype in (np.int32, np.int64) and not is_segment_mean(metric)
    return Measured(testset, metric, Columns.from_statistics(statistics) if whole else statistics)
