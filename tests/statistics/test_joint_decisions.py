"""How often a release that is as good as the last one is called worse on some set by some metric."""

import numpy as np
import pytest

from mtsig_core import SegmentScores, Task, TestSet, compare_task
from mtsig_core.stats.joint_decisions import decide_together

pytestmark = pytest.mark.statistics

N_SETS, N_SEGMENTS, N_RELEASES = 5, 60, 400


def draw_release(rng):
    """Two equal systems on five test sets, rated by two independent metrics."""
    testsets = {}
    for number in range(N_SETS):
        scores = {}
        for metric in ("first", "second"):
            values = rng.normal(70, 10, (2, N_SEGMENTS))
            by_system = {"new": values[0].tolist(), "old": values[1].tolist()}
            scores[metric] = SegmentScores(by_system)
        no_texts = dict.fromkeys(("new", "old"), [None] * N_SEGMENTS)
        testsets[f"set {number}"] = TestSet(f"set {number}", no_texts, {}, scores=scores)
    return Task("release", testsets)


def test_worse_nowhere_fails_few_equal_releases():
    """Ten two-sided tests at 0.05 call an equal release worse somewhere in 1 - 0.975^10 = 22% of
    cases. Decided together, any claim is made in at most 5%, and 'worse' in half of these.
    """
    rng = np.random.default_rng(11)
    n_worse_apart = n_claims = n_worse = 0
    for _ in range(N_RELEASES):
        found = compare_task(
            draw_release(rng), ["first", "second"], test="t", unit="segment", resamples=100,
            baseline="old",
        )  # fmt: skip
        for_each = [one.pairs[0] for part in found.pairs.values() for one in part.metrics.values()]
        n_worse_apart += any(pair.better == "b" for pair in for_each)
        together = {row.pair.better for row in decide_together(found)}
        n_claims += together != {None}
        n_worse += "b" in together
    assert 0.17 < n_worse_apart / N_RELEASES < 0.28
    assert 0.02 < n_claims / N_RELEASES < 0.085
    assert n_worse / N_RELEASES < 0.05
