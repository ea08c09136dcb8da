"""How often two metrics are called significantly apart: equal ones, and one that is better."""

import numpy as np
import pytest

from mtsig_core import TestSet
from mtsig_core.experiments.metric_agreement import (
    AgreementPlan,
    compare_metrics,
    draw_accuracies,
)
from mtsig_core.stats.significance import TESTS
from mtsig_core.testset import SegmentScores

pytestmark = pytest.mark.statistics


def shares(noise, shared, spread, repeats, n_systems=8, n_segments=100):
    """Share of draws in which two metrics are significantly apart, by PERM-BOTH and by bootstrap
    samples.

    A segment is hard or easy for all systems. Each of the two metrics sees the true quality of an
    output with noise of its own: some of it `shared` by all outputs of a segment.
    """
    rng, found = np.random.default_rng(6), []
    names = [f"S{k}" for k in range(n_systems)]
    for seed in range(repeats):
        truth = (
            np.linspace(0, spread, n_systems)[:, None]
            + rng.normal(0, 0.6, (n_systems, n_segments))
            + rng.normal(0, 1, n_segments)
        )
        tables = {
            name: truth
            + rng.normal(0, own, truth.shape)
            + (name != "people") * rng.normal(0, shared, n_segments)
            for name, own in zip(("people", "x", "y"), (0.5, *noise), strict=True)
        }
        testset = TestSet(
            "toy",
            {name: [None] * n_segments for name in names},
            {},
            scores={
                name: SegmentScores(
                    {system: row.tolist() for system, row in zip(names, table, strict=True)}
                )
                for name, table in tables.items()
            },
        )
        plan = AgreementPlan(
            human="people", metrics=["x", "y"], trials=199, resamples=100, seed=seed
        )
        held = draw_accuracies(testset, plan)
        x, y = held.rows
        order = [0, 1] if x.soft[0] >= y.soft[0] else [1, 0]
        p_values = TESTS["bootstrap"].p_values
        found.append(
            (
                compare_metrics([held], order)[0].p_value,
                p_values((x.soft - y.soft)[:1], (x.soft - y.soft)[None, 1:])[0],
            )
        )
    return (np.array(found) <= 0.05).mean(axis=0)


@pytest.mark.parametrize("shared, low, high", [(0, 0.02, 0.10), (0.5, 0, 0.06)])
def test_good_metrics_that_are_equal(shared, low, high):
    """The bootstrap calls one of 200 apart.

    Noise that all systems share makes the test cautious, not bold.
    """
    permuted, _ = shares((0.8, 0.8), shared, 2, 200)
    assert low <= permuted <= high


def test_a_better_metric_is_found_more_often_than_by_bootstrap():
    permuted, drawn = shares((0.8, 2), 0, 0.8, 150)
    assert 0.35 <= permuted <= 0.6 and permuted - drawn >= 0.05
