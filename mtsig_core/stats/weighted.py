"""Ranks by a weighted mean of several metrics: the same units trade places for all of them, so they
have one null.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.results import Settings
from mtsig_core.stats.arrays import Rows, pair_differences
from mtsig_core.stats.decisions import decide_tests, rank_systems
from mtsig_core.stats.draws import draw_replicates, draw_sides, draw_systems, test_pairs
from mtsig_core.stats.engine import Measured, all_pairs, count_differing_units, jackknife_scores
from mtsig_core.stats.few_units import p_floor, pair_units
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import Plan
from mtsig_core.stats.significance import TESTS
from mtsig_core.stats.skew import SkewedSystem, find_skewed, list_unit_names, measure_sizes


@dataclass(frozen=True)
class WeightedRanks:
    """The rank range of each system, None where nothing can be decided; and the systems that a few
    units set apart, of which tests are too sure.
    """

    ranges: tuple[tuple[int | None, int | None], ...]
    skewed: tuple[SkewedSystem, ...]


@dataclass(frozen=True, eq=False)
class _PairsByMetric:
    """All pairs of systems by one metric; arrays of shape (pairs,) but for the replicates."""

    has_common: np.ndarray  # whether the two have a segment in common
    delta: np.ndarray  # NaN where they have none
    n_apart: np.ndarray  # units that tell the two apart, 0 where they have none in common
    row: np.ndarray  # where the replicates of each pair are
    replicates: np.ndarray | Rows  # shape (pairs with a common segment, trials)
    left_out: (
        np.ndarray
    )  # differences with each unit left out, shape (pairs with a common segment, units)


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
    pairs = all_pairs(len(metrics[0].names))
    parts = [
        _draw_pairs(seen, pairs, units, Plan.from_settings(settings), jobs) for seen in metrics
    ]
    tested = np.flatnonzero(np.all([part.has_common for part in parts], axis=0))
    delta = np.zeros(len(tested))
    for weight, part in zip(weights, parts, strict=True):
        delta += weight * part.delta[tested]
    n_apart = np.max([part.n_apart[tested] for part in parts], axis=0)
    replicates = _add_replicates(parts, weights, tested)
    test = TESTS[settings.test]
    families = [np.arange(len(tested))]
    found = test_pairs(
        delta,
        replicates,
        test,
        p_floor(test, settings.unit, n_apart),
        families,
        whole=test.tries_all(units),
    )
    decisions = decide_tests(found, delta, 1, n_apart, settings)
    names = metrics[0].names
    ranks = rank_systems(len(names), pairs[tested], decisions.for_ranks)
    left_out = np.zeros((len(tested), parts[0].left_out.shape[1]))
    for weight, part in zip(weights, parts, strict=True):
        left_out += weight * part.left_out[part.row[tested]]
    unit_names = list_unit_names(metrics[0].testset, units)
    skewed = find_skewed(left_out, pairs[tested], measure_sizes(units), names, unit_names, 1)
    return WeightedRanks(tuple((low, high) for low, high, _ in ranks), skewed)


def _draw_pairs(
    seen: Measured, pairs: np.ndarray, units: Units, plan: Plan, jobs: int
) -> _PairsByMetric:
    plan = replace(plan, resamples=0)  # which only intervals need
    systems = draw_systems(seen.metric, seen.stored, units, plan, jobs, None)
    n_common, sides, rows = draw_sides(seen, systems, pairs, units, plan, jobs, None)
    has_common = n_common > 0
    delta = np.full(len(pairs), np.nan)
    delta[has_common] = pair_differences(sides.data.scores, rows)
    n_units, _ = pair_units(seen, pairs, units)
    n_apart = np.zeros(len(pairs), dtype=int)
    n_apart[has_common] = count_differing_units(
        sides.data, rows, n_units[has_common], TESTS[plan.test].draws == "swaps"
    )
    replicates = draw_replicates(sides, rows, plan, jobs, None)
    left_out = pair_differences(jackknife_scores(sides.data), rows)
    return _PairsByMetric(
        has_common, delta, n_apart, np.cumsum(has_common) - 1, replicates, left_out
    )


def _add_replicates(
    parts: Sequence[_PairsByMetric], weights: np.ndarray, tested: np.ndarray
) -> Rows:
    """The weighted sum of the replicates of the metrics, a row for each tested pair."""
    n_trials = parts[0].replicates.shape[1]

    def make(rows: slice | np.ndarray) -> np.ndarray:
        chosen = tested[rows]
        total = np.zeros((len(chosen), n_trials))
        for weight, part in zip(weights, parts, strict=True):
            total += weight * part.replicates[part.row[chosen]]
        return total

    return Rows((len(tested), n_trials), make)
