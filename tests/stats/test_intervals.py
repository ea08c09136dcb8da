"""Intervals, against scipy fed with the same replicates."""

import itertools
import math
import statistics
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from mtsig_core import compare, read_scores
from mtsig_core.stats import intervals
from mtsig_core.stats.arrays import row_chunks
from mtsig_core.stats.engine import UnitStatistics, bootstrap_scores, jackknife_scores
from mtsig_core.stats.intervals import (
    INTERVALS,
    Sample,
    fitting_intervals,
    largest_quantile,
    simultaneous,
)
from mtsig_core.stats.resampling import Units
from tests.builders.cases import brief
from tests.builders.toys import Given, bleu, bleu_counts, compare_given, mean, segment_scores

ALPHAS = (0.01, 0.05, 0.2)


def sample_of(statistics, rule, resamples=999):
    n = statistics.shape[1]
    data = UnitStatistics(Given({}, rule), statistics, Units("segment", np.arange(n), n))
    return Sample(
        data.scores,
        bootstrap_scores(data, resamples, seed=1),
        jackknife_scores(data),
        freedom=np.full(len(data.scores), n - 1.0),
    )


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(
    "ours, theirs", [("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")]
)
class TestAgainstScipy:
    def test_of_means(self, ours, theirs, alpha):
        statistics = segment_scores(1, [60, 95], 40)
        self.check(ours, theirs, alpha, statistics, mean)

    def test_of_bleu(self, ours, theirs, alpha):
        self.check(ours, theirs, alpha, bleu_counts(1, [0, 0.5], 40)[0], bleu)

    def check(self, ours, theirs, alpha, statistics, rule):
        sample = sample_of(statistics, rule)
        low, high = INTERVALS[ours](sample, alpha)
        for k, rows in enumerate(statistics):
            of_scipy = stats.bootstrap(
                (np.arange(len(rows)),),
                lambda drawn, rows=rows: rule(rows[drawn].sum(axis=0)),
                vectorized=False,
                n_resamples=0,
                method=theirs,
                confidence_level=1 - alpha,
                bootstrap_result=SimpleNamespace(bootstrap_distribution=sample.replicates[k]),
            ).confidence_interval
            np.testing.assert_allclose([low[k], high[k]], of_scipy, rtol=1e-6)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_jackknife_t_of_a_mean_is_students(alpha):
    statistics = segment_scores(2, [60, 70], 25)
    low, high = INTERVALS["jackknife-t"](sample_of(statistics, mean), alpha)
    for k, rows in enumerate(statistics):
        of_scipy = stats.t.interval(
            1 - alpha, 24, loc=rows[:, 0].mean(), scale=stats.sem(rows[:, 0])
        )
        np.testing.assert_allclose([low[k], high[k]], of_scipy, rtol=1e-6)


@pytest.mark.parametrize("n", [1, 2, 19, 100])
@pytest.mark.parametrize("alpha", [1e-17, 0.05, 0.3, 0.999])  # 1 - 1e-17 is 1 in floating point
def test_percentile_is_numpys_quantile(n, alpha):
    drawn = np.random.default_rng(n).normal(30, 1, (3, n))
    found = intervals.percentile(Sample(np.zeros(3), drawn, np.empty((3, 0))), alpha)
    np.testing.assert_allclose(
        found, np.quantile(drawn, [alpha / 2, 1 - alpha / 2], axis=1), rtol=1e-12
    )


@st.composite
def samples(draw):
    numbers = st.integers(-50, 50).map(lambda x: x / 4)
    return Sample(
        *(draw(hnp.arrays(float, shape, elements=numbers)) for shape in ((3,), (3, 19), (3, 7))),
        freedom=np.array([6.0, 4.5, 1.0]),
    )


@pytest.mark.parametrize("name", fitting_intervals(False))
class TestEveryInterval:
    @given(
        samples(),
        st.sampled_from([0.05, 0.2]),
        st.sampled_from([-8.0, 2.0, 100.0]),
        st.sampled_from([-1.0, 2**-10, 4.0]),
    )
    def test_it_moves_stretches_and_turns_with_the_values_and_widens_with_a_smaller_alpha(
        self, name, sample, alpha, shift, scale
    ):
        low, high = INTERVALS[name](sample, alpha)
        assert (low <= high + 1e-12).all()
        moved = Sample(
            *(shift + scale * x for x in (sample.observed, sample.replicates, sample.left_out)),
            freedom=sample.freedom,
        )
        np.testing.assert_allclose(
            INTERVALS[name](moved, alpha),
            np.sort([shift + scale * low, shift + scale * high], axis=0),
            atol=1e-9,
        )
        lower, higher = INTERVALS[name](sample, 0.01)
        assert (lower <= low + 1e-12).all() and (high <= higher + 1e-12).all()

    def test_what_never_varies_has_no_width(self, name):
        sample = Sample(
            np.array([30.0]),
            np.full((1, 99), 30.0),
            np.full((1, 12), 30.0),
            freedom=np.array([11.0]),
        )
        assert INTERVALS[name](sample, 0.05) == ([30.0], [30.0])


@pytest.mark.parametrize("side", [-1, 1])
def test_bca_takes_values_on_one_side_as_half_a_replicate_short_of_all(side):
    drawn = np.linspace(1, 2, 99)[None] * side
    found = np.sort(
        np.abs(INTERVALS["bca"](Sample(np.zeros(1), drawn, np.ones((1, 5))), 0.05)), axis=None
    )
    levels = stats.norm.cdf(2 * stats.norm.ppf(0.5 / 99) + stats.norm.ppf([0.025, 0.975]))
    np.testing.assert_allclose(found, 1 + levels, rtol=1e-9)


def test_bca_counts_values_equal_to_the_observed_one_half():
    drawn = np.concatenate(
        [np.linspace(20, 29, 10), np.full(20, 30.0), np.linspace(31, 60, 30)]
    )  # 20 of 60 below
    bias = stats.norm.ppf(1 / 3)
    levels = stats.norm.cdf(2 * bias + stats.norm.ppf([0.1, 0.9]))
    found = INTERVALS["bca"](Sample(np.array([30.0]), drawn[None], np.ones((1, 5))), 0.2)
    np.testing.assert_allclose(np.ravel(found), np.quantile(drawn, levels), rtol=1e-9)


class TestStudentT:
    def interval(self, *scores, alpha=0.05):
        row = np.array([scores])
        sample = Sample(np.nanmean(row, axis=1), np.empty((1, 0)), np.empty((1, 0)), row)
        return np.ravel(INTERVALS["t"](sample, alpha))

    @pytest.mark.parametrize("alpha", ALPHAS)
    def test_of_what_has_a_score(self, alpha):
        scores = [70.0, 90.0, 85.0]
        of_scipy = stats.t.interval(1 - alpha, 2, loc=np.mean(scores), scale=stats.sem(scores))
        np.testing.assert_allclose(
            self.interval(*scores[:2], np.nan, scores[2], np.nan, alpha=alpha), of_scipy
        )

    def test_three_segments_have_one_and_two_have_none(self):
        np.testing.assert_allclose(
            self.interval(70.0, 72.0, 74.0), [72 - 4.9683, 72 + 4.9683], atol=1e-3
        )
        assert np.isnan(self.interval(70.0, 74.0, np.nan)).all()


@pytest.mark.parametrize("kind", fitting_intervals(True))
@pytest.mark.parametrize("n", [1, 2, 3])
def test_from_fewer_than_three_units_there_is_no_interval(kind, n):
    sample = replace(
        sample_of(segment_scores(1, [60], n), mean), segments=np.arange(n, dtype=float)[None]
    )
    ends = INTERVALS[kind](sample, 0.05)
    assert np.isnan(ends).all() if n < 3 else np.isfinite(ends).all()


# Simultaneous intervals: against Tukey's and Dunnett's in closed form, and a loop that shares no
# code with ours.


MANY = np.full((2, 3), 90)  # units of three pairs, of equal size
COUNTS, DOCUMENTS = bleu_counts(seed=61, qualities=[0.3, 0.0, 0.2, -0.3], n_segments=240)


def pairs_of(n):
    return np.array(list(itertools.combinations(range(n), 2)))


def differences(scores, pairs):
    return scores[pairs[:, 0]] - scores[pairs[:, 1]]


def normal(n_systems, draws=400_000, seed=0):
    return np.random.default_rng(seed).normal(0, 1, (n_systems, draws))


@pytest.mark.parametrize("n_systems, alpha", brief(2, [(2, 0.05), (3, 0.2), (3, 0.05), (8, 0.05)]))
def test_the_quantile_of_independent_systems_is_tukeys(n_systems, alpha):
    found, se = largest_quantile(differences(normal(n_systems), pairs_of(n_systems)), alpha)
    assert found == pytest.approx(
        stats.studentized_range.ppf(1 - alpha, n_systems, np.inf) / math.sqrt(2), rel=0.005
    )
    np.testing.assert_allclose(se, math.sqrt(2), rtol=0.01)


def test_against_a_baseline_it_is_dunnetts():
    """The chance that all of m differences from one normal, each of correlation 1/2, stay below the
    quantile.
    """
    m = 5
    found, _ = largest_quantile(
        differences(normal(m + 1), np.array([(k, m) for k in range(m)])), 0.05
    )
    z, weights = np.polynomial.hermite_e.hermegauss(80)
    at, root = z[:, None], math.sqrt(2) * found
    inside = (stats.norm.cdf(at + root) - stats.norm.cdf(at - root))[:, 0] ** m
    assert (weights @ inside) / weights.sum() == pytest.approx(0.95, abs=0.002)


def slow(observed, drawn, pairs, n_units, n_effective, alpha):
    """One number at a time."""
    differences = [[x - y for x, y in zip(drawn[i], drawn[j], strict=True)] for i, j in pairs]
    spread, middle = (
        [statistics.stdev(d) for d in differences],
        [statistics.fmean(d) for d in differences],
    )
    largest = sorted(
        max(
            abs(d[b] - m) / s
            for d, s, m in zip(differences, spread, middle, strict=True)
            if s > 1e-9
        )
        for b in range(len(drawn[0]))
    )
    position = (1 - alpha) * (len(largest) - 1)
    at = int(position)
    q = largest[at] + (largest[min(at + 1, len(largest) - 1)] - largest[at]) * (position - at)
    found = []
    for d0, s, worth in zip(observed, spread, n_effective, strict=True):
        reach = max(q, stats.norm.isf(alpha / 2 / len(pairs))) if worth < 60 else q
        half = (
            stats.t.isf(stats.norm.sf(reach), worth - 1) * s * math.sqrt(worth / (worth - 1))
            if s > 1e-9
            else 0
        )
        found.append((d0 - half, d0 + half))
    return np.transpose(found)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_against_a_slow_loop(alpha):
    rng = np.random.default_rng(4)
    drawn = (
        rng.gamma(2.0, [[1.0], [5.0], [0.2], [3.0]], (4, 199)) + 50
    )  # neither symmetric nor of one scale
    observed, n_units = rng.normal(0, 1, 6), np.array([9, 12, 400, 60, 3, 59])
    worth = n_units * np.array([1, 0.5, 0.7, 0.7, 1, 0.8])
    np.testing.assert_allclose(
        simultaneous(observed, differences(drawn, pairs_of(4)), n_units, worth, alpha),
        slow(observed, drawn.tolist(), pairs_of(4), n_units, worth, alpha),
        rtol=1e-9,
    )


def test_a_shift_of_all_draws_widens_nothing():
    drawn, pairs, ten = normal(3, 999), pairs_of(3), np.full(3, 10)
    moved = drawn + [[0], [7], [-2]]
    np.testing.assert_allclose(
        simultaneous(np.zeros(3), differences(moved, pairs), ten, ten, 0.05),
        simultaneous(np.zeros(3), differences(drawn, pairs), ten, ten, 0.05),
    )


class TestWhatNeverVaries:
    def test_gets_its_one_value_and_does_not_widen_the_others(self):
        drawn = np.concatenate(
            [normal(2, 500), normal(2, 500)[:1] + 3]
        )  # the third is the first, 3 points higher
        low, high = simultaneous(
            np.array([1.0, -3.0, 2.0]), differences(drawn, pairs_of(3)), *MANY, 0.05
        )
        assert (low[1], high[1]) == (-3, -3)
        alone = simultaneous(
            np.array([1.0]), differences(drawn, pairs_of(2)), np.array([90]), np.array([90]), 0.05
        )
        np.testing.assert_allclose([low[0], high[0]], np.ravel(alone))

    def test_none_does(self):
        never = np.full((3, 9), 5.0)
        low, high = simultaneous(
            np.array([0.0, 2.0, 2.0]), differences(never, pairs_of(3)), *MANY, 0.05
        )
        assert low.tolist() == high.tolist() == [0.0, 2.0, 2.0]

    def test_one_unit_has_none(self):
        never, one = np.full((3, 9), 5.0), np.ones(3)
        assert np.isnan(
            simultaneous(np.zeros(3), differences(never, pairs_of(3)), one, one, 0.05)
        ).all()


def test_many_pairs_are_walked_in_pieces():
    drawn, pairs = normal(30, 2000), pairs_of(30)
    assert len(list(row_chunks(len(pairs), 2000))) > 3
    d = differences(drawn, pairs)
    found, se = largest_quantile(d, 0.05)
    z = (d - d.mean(axis=1, keepdims=True)) / d.std(axis=1, ddof=1, keepdims=True)
    assert found == pytest.approx(np.quantile(np.abs(z).max(axis=0), 0.95))
    np.testing.assert_allclose(se, d.std(axis=1, ddof=1))


class TestInCompare:
    def test_they_are_wider_than_the_single_ones_which_stay(self):
        result = compare_given(COUNTS, bleu, trials=99, resamples=999)
        for pair in result.pairs:
            assert pair.ci_joint_low < pair.ci_low < pair.ci_high < pair.ci_joint_high

    def test_one_pair_has_its_single_interval(self):
        for asked in (dict(), dict(ci="bca"), dict(baseline="B")):
            (pair,) = compare_given(COUNTS[:2], bleu, trials=99, resamples=199, **asked).pairs
            assert (pair.ci_joint_low, pair.ci_joint_high) == (pair.ci_low, pair.ci_high)


class TestGaps:
    """Pairs on different lines share the draws, and each has its own number of units."""

    def compared(self, rows, **settings):
        return compare(
            read_scores({"human": rows}), "human", trials=99, resamples=1999, **settings
        ).metrics["human"]

    def scores(self, holes):
        rng = np.random.default_rng(8)
        base = segment_scores(9, [60, 61, 62], 150)[..., 0] + rng.normal(0, 1, (3, 150))
        return {
            name: [None if k in holes.get(name, ()) else float(x) for k, x in enumerate(row)]
            for name, row in zip("ABC", base, strict=True)
        }

    def test_a_pair_on_few_lines_has_the_t_of_few_and_bonferronis_level(self):
        few = set(range(8, 150))
        found = {
            frozenset((p.a, p.b)): p
            for p in self.compared(self.scores({"C": few}), ci="percentile").pairs
        }
        ratio = {name: (p.ci_joint_high - p.delta) / p.se for name, p in found.items()}
        many, some = ratio[frozenset("AB")], ratio[frozenset("AC")]
        assert found[frozenset("AC")].n == 8 and found[frozenset("AB")].n == 150
        assert stats.t.sf(many / math.sqrt(150 / 149), 149) > 0.025 / 3  # by draws
        assert some == pytest.approx(stats.t.isf(0.025 / 3, 7) * math.sqrt(8 / 7), rel=1e-6)

    def test_a_pair_without_a_common_line_has_none_and_the_family_is_the_others(self):
        apart = self.scores({"A": set(range(75)), "B": set(range(75, 150))})
        found = {frozenset((p.a, p.b)): p for p in self.compared(apart).pairs}
        assert found[frozenset("AB")].ci_joint_low is None and found[frozenset("AB")].n == 0
        assert found[frozenset("AC")].ci_joint_low < found[frozenset("AC")].ci_low
        alone = self.compared(
            {**apart, "C": [None if k > 40 else 70.0 + k % 7 for k in range(150)]}
        ).pairs
        (only,) = (pair for pair in alone if pair.ci_joint_low is not None)
        assert {only.a, only.b} == {"B", "C"}
        assert (only.ci_joint_low, only.ci_joint_high) == (only.ci_low, only.ci_high)

    def test_units_are_documents_with_a_common_line(self):
        docid = [f"d{k // 15}" for k in range(150)]
        rows = {**self.scores({"C": set(range(40, 150))}), "docid": docid}
        found = {frozenset((p.a, p.b)): p for p in self.compared(rows).pairs}
        ratio = {name: (p.ci_joint_high - p.delta) / p.se for name, p in found.items()}
        worth = 40**2 / (15**2 + 15**2 + 10**2)
        level = stats.t.sf(ratio[frozenset("AB")] / math.sqrt(10 / 9), 9)
        assert level <= 0.025 / 3 + 1e-9  # Bonferroni's, or less by draws
        reach = stats.t.isf(level, worth - 1) * math.sqrt(worth / (worth - 1))
        assert ratio[frozenset("AC")] == pytest.approx(reach, rel=1e-6)

    @pytest.mark.parametrize("block_length", [None, 20, 50])
    def test_none_is_within_that_of_its_pair_alone(self, block_length):
        rows = self.scores({})
        rows["B"] = [value + (300 if k == 7 else 0) for k, value in enumerate(rows["B"])]  # skewed
        settings = {} if block_length is None else {"unit": "block", "block_length": block_length}
        for ci in ("percentile", "bca", "jackknife-t"):
            for pair in self.compared(rows, ci=ci, **settings).pairs:
                assert pair.ci_joint_low <= pair.ci_low <= pair.ci_high <= pair.ci_joint_high
