"""Ranks by a weighted mean of several metrics.

The same units are swapped for all metrics, so they have one null.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.results import Settings
from mtsig_core.stats.arrays import Rows
from mtsig_core.stats.decisions import decide_tests, rank_systems
from mtsig_core.stats.draws import draw_contrast, draw_replicates, test_pairs
from mtsig_core.stats.engine import Measured, all_pairs, jackknife_scores
from mtsig_core.stats.few_units import p_floor
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import Plan
from mtsig_core.stats.significance import TESTS
from mtsig_core.stats.skew import SkewedSystem, find_skewed, list_unit_names, measure_sizes


@dataclass(frozen=True)
class WeightedRanks:
    """The rank range of each system, and the systems that a few units set apart.

    Where nothing can be decided, a system has None for its range. Tests are too sure of skewed
    systems.
    """

    ranges: tuple[tuple[int | None, int | None], ...]
    skewed: tuple[SkewedSystem, ...]


@dataclass(frozen=True, eq=False)
class _PairsByMetric:
    """All pairs of systems by one metric; arrays of shape (pairs,) except the last two."""

    is_tested: np.ndarray  # whether the two have a segment in common
    delta: np.ndarray  # NaN where they have none
    n_apart: np.ndarray  # units that tell the two apart, 0 where they have none in common
    row: np.ndarray  # the row of each pair in the arrays below
    replicates: np.ndarray | Rows  # shape (tested, trials)
    left_out: np.ndarray  # shape (tested, units): differences with each unit left out


def rank_by_weighted_mean(
    metrics: Sequence[Measured],
    weights: np.ndarray,
    units: Units,
    settings: Settings,
    jobs: int = 1,
) -> WeightedRanks:
    """Rank the systems by the sum of their scores times these weights.

    A weight is negative where a lower score is better. All metrics have the same systems and
    segments. Two systems are compared on the segments that both have by each metric; a pair that
    has none by some metric is not tested.
    """
    names = metrics[0].names
    pairs = all_pairs(len(names))
    plan = Plan.from_settings(settings)
    by_metric = [_draw_pairs(measured, pairs, units, plan, jobs) for measured in metrics]
    is_tested_by_all = np.all([draws.is_tested for draws in by_metric], axis=0)
    tested = np.flatnonzero(is_tested_by_all)
    n_tested = len(tested)
    delta = np.zeros(n_tested)
    left_out = np.zeros((n_tested, by_metric[0].left_out.shape[1]))
    for weight, draws in zip(weights, by_metric, strict=True):
        delta += weight * draws.delta[tested]
        left_out += weight * draws.left_out[draws.row[tested]]
    n_apart = np.max([draws.n_apart[tested] for draws in by_metric], axis=0)
    test = TESTS[settings.test]
    replicates = _add_replicates(by_metric, weights, tested)
    floor = p_floor(test, settings.unit, n_apart)
    family = np.arange(n_tested)
    tests = test_pairs(delta, replicates, test, floor, [family], is_exact=test.tries_all(units))
    decisions = decide_tests(tests, delta, 1, n_apart, settings)
    tested_pairs = pairs[tested]
    ranks = rank_systems(len(names), tested_pairs, decisions.for_ranks)
    ranges = tuple((low, high) for low, high, _ in ranks)
    unit_names = list_unit_names(metrics[0].testset, units)
    sizes = measure_sizes(units)
    skewed = find_skewed(left_out, tested_pairs, sizes, names, unit_names, 1)
    return WeightedRanks(ranges, skewed)


def _draw_pairs(
    measured: Measured, pairs: np.ndarray, units: Units, plan: Plan, jobs: int
) -> _PairsByMetric:
    plan = replace(plan, resamples=0)  # only intervals need them
    draws = draw_contrast(measured, pairs, units, plan, jobs)
    contrast = draws.contrast
    delta = contrast.fill(contrast.deltas)
    row = np.cumsum(contrast.is_tested) - 1
    replicates = draw_replicates(contrast, draws.sides, plan, jobs, None)
    left_out = contrast.difference(jackknife_scores(contrast.data))
    return _PairsByMetric(contrast.is_tested, delta, draws.n_apart, row, replicates, left_out)


def _add_replicates(
    by_metric: Sequence[_PairsByMetric], weights: np.ndarray, tested: np.ndarray
) -> Rows:
    """The weighted sum of the replicates of the metrics, a row for each tested pair."""
    n_trials = by_metric[0].replicates.shape[1]

    def make(rows: slice | np.ndarray) -> np.ndarray:
        pairs = tested[rows]
        total = np.zeros((len(pairs), n_trials))
        for weight, draws in zip(weights, by_metric, strict=True):
            total += weight * draws.replicates[draws.row[pairs]]
        return total

    return Rows((len(tested), n_trials), make)
