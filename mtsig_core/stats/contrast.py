"""Pairs of systems, each compared on the segments that both have: where every test of pairs starts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mtsig_core.metrics import Metric
from mtsig_core.progress import Progress
from mtsig_core.stats.arrays import pair_differences
from mtsig_core.stats.engine import (
    Columns,
    UnitStatistics,
    bootstrap_scores,
    count_common_segments,
    count_differing_units,
    find_scored,
    pair_statistics,
    swap_differences,
)
from mtsig_core.stats.few_units import pair_units
from mtsig_core.stats.resampling import Units


@dataclass(frozen=True, eq=False)
class Contrast:
    """Pairs of systems on their common segments, ready to be drawn, swapped and tested.

    The tested pairs are those with a common segment. Where no score is missing, `data` has the
    systems, and `rows` the pairs. Else `data` has two rows for each tested pair, both sides on the
    segments that both have. All pairs share their draws and swaps, so a null is joint for them.

    >>> from mtsig_core.metrics import make_metric
    >>> from mtsig_core.stats.engine import all_pairs
    >>> from mtsig_core.stats.significance import approximate_randomization
    >>> counts = np.array([[[0, 9]] * 20, [[4, 9]] * 20, [[4, 9]] * 20])
    >>> contrast = contrast_pairs(make_metric("wer"), counts, Units.segments(20), all_pairs(3))
    >>> p = approximate_randomization(contrast.deltas, contrast.swap(999, seed=0))
    >>> contrast.fill(p).tolist()
    [0.001, 0.001, 1.0]
    """

    pairs: np.ndarray  # int, shape (pairs, 2): rows of the systems
    has_score: np.ndarray | None  # as `find_scored`, of the systems
    n_common: np.ndarray  # int, shape (pairs,): segments that both have
    statistics: np.ndarray | Columns  # of the rows of `data`, by segment
    data: UnitStatistics
    rows: np.ndarray  # int, shape (tested, 2): rows of `data`

    @property
    def is_tested(self) -> np.ndarray:
        """Whether the two systems of each pair have a common segment, shape (pairs,)."""
        return np.asarray(self.n_common > 0)

    @cached_property
    def deltas(self) -> np.ndarray:
        """Observed differences of the tested pairs in points, shape (tested,)."""
        return self.difference(self.data.scores)

    @cached_property
    def n_units(self) -> np.ndarray:
        """Units that both systems of each pair have segments in, shape (pairs,)."""
        return self.count_units(self.data.units)[0]

    @cached_property
    def n_effective(self) -> np.ndarray:
        """Compute how many units of equal size the units are worth (Kish 1965), shape (pairs,)."""
        return self.count_units(self.data.units)[1]

    def difference(self, values: np.ndarray) -> np.ndarray:
        """Differences of the tested pairs: (rows of `data`, ...) -> (tested, ...)."""
        return pair_differences(values, self.rows)

    def fill(self, values: np.ndarray) -> np.ndarray:
        """Values of the tested pairs as values of all pairs, NaN for the others.

        Shapes (tested, ...) -> (pairs, ...).
        """
        is_tested = self.is_tested
        if is_tested.all():
            return values
        filled = np.full((len(is_tested), *values.shape[1:]), np.nan)
        filled[is_tested] = values
        return filled

    def bootstrap(
        self,
        n_resamples: int,
        seed: int,
        *,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> np.ndarray:
        """Differences of the tested pairs on bootstrap samples, shape (tested, resamples)."""
        scores = bootstrap_scores(self.data, n_resamples, seed, jobs=jobs, progress=progress)
        return self.difference(scores)

    def swap(
        self,
        n_trials: int,
        seed: int,
        *,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> np.ndarray:
        """Differences of the tested pairs after random swaps, shape (tested, trials)."""
        if not len(self.rows):
            return np.empty((0, n_trials))
        return swap_differences(self.data, self.rows, n_trials, seed, jobs=jobs, progress=progress)

    def count_units(self, units: Units) -> tuple[np.ndarray, np.ndarray]:
        """The units that both systems have segments in, and how many of equal size these are worth.

        Both of shape (pairs,), 0 without a common segment; see `few_units.pair_units`.
        """
        return pair_units(self.has_score, self.pairs, units)

    def count_differing_units(self, is_swapped: bool) -> np.ndarray:
        """Count the units in which the two systems of each pair differ, shape (pairs,).

        See `engine.count_differing_units`; `is_swapped` for a test that swaps.
        """
        n_differing = self.n_units.copy()
        n_differing[self.is_tested] = count_differing_units(
            self.data, self.rows, self.n_units[self.is_tested], is_swapped
        )
        return n_differing


def contrast_pairs(
    metric: Metric,
    statistics: np.ndarray | Columns,
    units: Units,
    pairs: np.ndarray,
    data: UnitStatistics | None = None,
) -> Contrast:
    """Contrast pairs of systems, each on the segments that both have.

    Parameters
    ----------
    metric : Metric
    statistics : ndarray or Columns, shape (systems, segments, stats)
    units : Units
        What is drawn or swapped.
    pairs : ndarray of int, shape (pairs, 2)
        Rows of the statistics.
    data : UnitStatistics, optional
        These statistics by these units, where they are already summed.
    """
    n_common = count_common_segments(metric, statistics, pairs)
    rows = pairs[n_common > 0]
    has_score = find_scored(metric, statistics)
    if len(rows) and has_score is not None:
        assert not isinstance(statistics, Columns), "only segment scores have gaps"
        statistics, rows = pair_statistics(statistics, rows)
        data = None
    if data is None:
        data = UnitStatistics(metric, statistics, units)
    return Contrast(pairs, has_score, n_common, statistics, data, rows)
