"""Two systems that differ in a handful of units: the others say nothing, however often they are drawn."""

import numpy as np
import pytest

from mtsig_core import TestSet, compare
from mtsig_core.experiments.domains import by_domain
from mtsig_core.experiments.sweeps import sweep_sizes
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.report.sentences import describe_undecided
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.engine import ENOUGH, UnitStatistics, all_pairs, units_apart
from mtsig_core.stats.few_units import cannot_decide
from mtsig_core.stats.pair import examine_pair
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.significance import fitting_tests
from mtsig_core.task import Task
from mtsig_core.testset import SegmentScores
from tests.toys import bleu_counts


@pytest.mark.parametrize("unit", ["segment", "document"])
def test_counts_are_those_of_a_loop(unit):
    counts, documents = bleu_counts(seed=2, qualities=[0.0, 0.1, 0.3], n_segments=700)
    counts = counts[[0, 0, 0, 0, 1, 2]]
    rng = np.random.default_rng(1)
    for system, n in ((1, 3), (2, 19), (3, 40)):  # copies of the first but for some segments
        at = rng.choice(700, n, replace=False)
        counts[system, at] = counts[4, at] + [1, 0, *[0] * 8]
    units = Units.segments(700) if unit == "segment" else Units(unit, documents, int(documents.max()) + 1)
    sums, pairs = units.sum(counts), all_pairs(6)
    slow = np.array([(sums[i] != sums[j]).any(axis=1).sum() for i, j in pairs])
    found = units_apart(UnitStatistics(Bleu(), counts, units), pairs, np.full(len(pairs), units.n))
    few = (slow > 0) & (slow < ENOUGH)
    assert few.sum() > 1 and (found[few] == slow[few]).all() and (found[~few] == units.n).all()


def four_of_a_hundred(ahead=4, n=100):
    rows = {"X": [1.0 if k < ahead else k % 2 / 1 for k in range(n)], "Y": [0.0 if k < ahead else k % 2 / 1
                                                                            for k in range(n)]}
    return TestSet("toy", {name: [None] * n for name in rows}, {}, scores={"human": SegmentScores(rows)})


@pytest.mark.parametrize("test", ["ar", "bootstrap", "percentile", "koehn", "riezler-maxwell"])
@pytest.mark.parametrize("ahead", [4, 7])
def test_no_test_is_surer_than_the_segments_that_differ(test, ahead):
    """Of two equal systems all of n favour the same 2 / 2^n times, however many others are drawn beside them."""
    testset = four_of_a_hundred(ahead)
    found = compare(testset, ["human"], test=test, unit="segment", trials=999, resamples=500, correction="none")
    pair, = found.metrics["human"].pairs
    assert (pair.n_units, pair.n_apart, pair.decidable) == (100, ahead, ahead == 7)
    assert pair.p_value is None or pair.p_value >= 2 / 2**ahead
    assert pair.better == (None if ahead == 4 else "a")
    told = [caution.facts for caution in found.warnings if caution.code == "few-differences"]
    raised = pair.p_value is not None and pair.p_value <= 2 / 2**ahead
    assert len(told) == (raised or not pair.decidable)
    assert all((one["n"], one["n_all"], one["least"]) == (ahead, 100, 2 / 2**ahead) for one in told)
    assert "near-alpha" not in {caution.code for caution in found.warnings} or pair.decidable
    if ahead == 4:
        assert cannot_decide(found.settings, found.metrics["human"]) == \
            "Cannot be decided: systems differ in too few segments by human"
        assert describe_undecided(pair, found.settings) == "cannot be decided by a difference in only 4 segments"
    alone = examine_pair(testset, "human", "X", "Y", unit="segment", trials=999, resamples=500)
    of_draws = [one for one in alone.outcomes if not fitting_tests(True)[one.test].of_segments]
    assert all(one.p_value is None or one.p_value >= 2 / 2**ahead for one in of_draws)
    assert (alone.mdd is None) == (pair.mdd is None) == (ahead == 4)


def test_documents_that_tie_but_for_rounding_do_not_tell():
    ahead, tied = [(1.0, 0.5)] * 4, [(0.1 + 0.2, 0.3)] * 16
    rows = {name: [value for pair in [*ahead, *tied] for value in (pair[k], 0.0)] for k, name in enumerate("XY")}
    testset = TestSet("toy", {name: [None] * 40 for name in rows}, {}, scores={"human": SegmentScores(rows)},
                      documents=[str(k // 2) for k in range(40)])
    pair, = compare(testset, ["human"], test="percentile", trials=999, resamples=100).metrics["human"].pairs
    assert pair.n_apart == 4 and pair.p_value >= 0.125


@pytest.mark.parametrize("test", ["ar", "bootstrap", "percentile", "koehn"])
def test_blocks_are_told_apart_by_their_segments(test):
    """Scattered ones: the samples of blocks have them too often together, or not at all."""
    n, at = 300, (20, 90, 150, 210, 280)
    rows = {name: [1.0 * (k % 2) if k not in at else ahead for k in range(n)]
            for name, ahead in (("X", 1.0), ("Y", 0.0))}
    testset = TestSet("toy", {name: [None] * n for name in rows}, {}, scores={"human": SegmentScores(rows)})
    asked = dict(unit="block", block_length=5, trials=999, resamples=200)
    found = compare(testset, ["human"], test=test, **asked)
    pair, = found.metrics["human"].pairs
    assert pair.better is None and (pair.p_value is None or pair.p_value > 0.05)
    told = [(caution.facts["n"], caution.facts["n_all"]) for caution in found.warnings
            if caution.code == "few-differences"]
    assert test == "ar" or told == [(5, 300)]
    assert all(one.better is None for one in examine_pair(testset, "human", "X", "Y", **asked).outcomes
               if one.test in ("ar", "bootstrap", "percentile", "koehn"))


def test_tasks_and_domains_know_it_too():
    testset = four_of_a_hundred(5)
    halves = TestSet("toy", dict(testset.systems), {}, scores=dict(testset.scores), domains=["a"] * 50 + ["b"] * 50)
    found = by_domain(halves, "human", test="bootstrap", trials=999, resamples=100)
    assert found.pairs[0].p_value == 2 / 2**5 and found.pairs[0].better is None
    few = {pair: four_of_a_hundred(n) for pair, n in (("en-de", 3), ("en-fr", 2))}
    task = compare_task(Task("toy", few), "human", test="bootstrap", unit="segment", trials=999, resamples=100)
    assert task.macro["human"].pairs[0].p_value == 2 / 2**2 and task.macro["human"].pairs[0].better is None
    swept = sweep_sizes(testset, "human", unit="segment", sizes=[100, 30], repeats=20, resamples=100)
    assert {row.significant for row in swept.pairs} == {0.0}


def test_a_test_without_draws_is_told_nothing_of_them():
    found = compare(four_of_a_hundred(5), ["human"], test="t", unit="segment", resamples=100)
    assert "few-differences" not in {caution.code for caution in found.warnings}


def test_pairs_that_differ_enough_or_nowhere_are_as_ever():
    for ahead in (0, 30, 100):
        found = compare(four_of_a_hundred(ahead), ["human"], unit="segment", trials=999, resamples=100)
        pair, = found.metrics["human"].pairs
        assert pair.n_apart is None and pair.decidable
