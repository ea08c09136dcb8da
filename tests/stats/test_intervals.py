"""Intervals, against scipy fed with the same replicates."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from mtsig_core import _kernels
from mtsig_core.stats import intervals
from mtsig_core.stats.engine import UnitStatistics, bootstrap_scores, jackknife_scores
from mtsig_core.stats.intervals import INTERVALS, Sample, fitting_intervals, jackknife_se
from mtsig_core.stats.resampling import Units
from tests.toys import Given, bleu, bleu_counts, mean, segment_scores

ALPHAS = (0.01, 0.05, 0.2)


def sample_of(statistics, rule, resamples=999):
    n = statistics.shape[1]
    data = UnitStatistics(Given({}, rule), statistics, Units("segment", np.arange(n), n))
    return Sample(data.scores, bootstrap_scores(data, resamples, seed=1), jackknife_scores(data))


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("ours, theirs", [("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")])
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
                (np.arange(len(rows)),), lambda drawn, rows=rows: rule(rows[drawn].sum(axis=0)), vectorized=False,
                n_resamples=0, method=theirs, confidence_level=1 - alpha,
                bootstrap_result=SimpleNamespace(bootstrap_distribution=sample.drawn[k])).confidence_interval
            np.testing.assert_allclose([low[k], high[k]], of_scipy, rtol=1e-6)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_jackknife_t_of_a_mean_is_students(alpha):
    statistics = segment_scores(2, [60, 70], 25)
    low, high = INTERVALS["jackknife-t"](sample_of(statistics, mean), alpha)
    for k, rows in enumerate(statistics):
        of_scipy = stats.t.interval(1 - alpha, 24, loc=rows[:, 0].mean(), scale=stats.sem(rows[:, 0]))
        np.testing.assert_allclose([low[k], high[k]], of_scipy, rtol=1e-6)


def test_jackknife_se_of_a_mean_is_the_usual_one():
    statistics = segment_scores(3, [60], 30)
    assert jackknife_se(sample_of(statistics, mean).left_out) == pytest.approx(stats.sem(statistics[0, :, 0]), rel=1e-6)


def test_percentile_leaves_out_the_share_it_says():
    drawn = np.arange(1000.0)[None]
    low, high = intervals.percentile(Sample(np.array([500.0]), drawn, np.empty((1, 0))), 0.05)
    assert ((drawn < low).sum(), (drawn > high).sum()) == (25, 25)  # Koehn's sorted values 26 to 975


@pytest.mark.parametrize("n", [1, 2, 19, 100])
@pytest.mark.parametrize("alpha", [1e-17, 0.05, 0.3, 0.999])  # 1 - 1e-17 is 1 in floating point
def test_percentile_is_numpys_quantile(n, alpha):
    drawn = np.random.default_rng(n).normal(30, 1, (3, n))
    found = intervals.percentile(Sample(np.zeros(3), drawn, np.empty((3, 0))), alpha)
    np.testing.assert_allclose(found, np.quantile(drawn, [alpha / 2, 1 - alpha / 2], axis=1), rtol=1e-12)


WIDE = st.floats(allow_nan=True, allow_infinity=True)  # tiny and huge ones too, which no bins of equal width tell apart
NUMBERS = st.one_of(WIDE, st.integers(-3, 3).map(float), st.floats(30, 31))


def selected(rows, wanted):
    found = np.empty((len(rows), len(wanted)))
    _kernels.order_statistics(rows, rows.min(axis=1), rows.max(axis=1), np.array(wanted), found)
    return found


@given(hnp.arrays(float, st.tuples(st.integers(1, 3), st.integers(1, 60)), elements=NUMBERS), st.data())
def test_what_is_selected_is_what_would_be_sorted_there(rows, data):
    wanted = np.unique(data.draw(st.lists(st.integers(0, rows.shape[1] - 1), min_size=1, max_size=5)))
    np.testing.assert_array_equal(selected(rows, wanted), np.sort(rows, axis=1)[:, wanted])


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("at", [0, 3, 9])
def test_what_is_no_number_or_infinite_is_sorted_as_numpy_does(odd, at):
    row = np.array([[5.0, 1, 4, 2, 3, 9, 7, 8, 6, 0]])
    row[0, at] = odd
    np.testing.assert_array_equal(selected(row, np.arange(10)), np.sort(row, axis=1))


@pytest.mark.parametrize("n", [999, 5000])
def test_many_are_selected_as_few_are_sorted(n):
    """With the same bits, whether compiled or not."""
    rows = np.random.default_rng(n).normal(0, [[1e-9], [1], [1e9]], (3, n)) ** 3  # long tails
    places = [0, 1, n // 40, n // 2, n - 2, n - 1]
    np.testing.assert_array_equal(selected(rows, places), np.sort(rows, axis=1)[:, places])


@pytest.mark.parametrize("compiled", [False, True])
def test_percentile_is_the_same_compiled_or_not(monkeypatch, compiled):
    monkeypatch.setattr(intervals, "worth_compiling", lambda nanoseconds: compiled)
    drawn = np.random.default_rng(1).normal(30, 1, (5, 2000))
    found = intervals.percentile(Sample(np.zeros(5), drawn, np.empty((5, 0))), 0.05)
    ordered = np.sort(drawn, axis=1)
    low = ordered[:, 49] + (ordered[:, 50] - ordered[:, 49]) * (0.025 * 1999 - 49)
    assert found[0].tolist() == low.tolist() and (found[1] > found[0] + 3).all()


@st.composite
def samples(draw):
    numbers = st.integers(-50, 50).map(lambda x: x / 4)
    return Sample(*(draw(hnp.arrays(float, shape, elements=numbers)) for shape in ((3,), (3, 19), (3, 7))))


@pytest.mark.parametrize("name", fitting_intervals(False))
class TestEveryInterval:
    @given(samples(), st.sampled_from(ALPHAS))
    def test_low_is_not_above_high(self, name, sample, alpha):
        low, high = INTERVALS[name](sample, alpha)
        assert (low <= high + 1e-12).all()

    @given(samples(), st.sampled_from(ALPHAS))
    def test_exchanging_the_systems_turns_it_round(self, name, sample, alpha):
        low, high = INTERVALS[name](sample, alpha)
        turned = INTERVALS[name](Sample(-sample.observed, -sample.drawn, -sample.left_out), alpha)
        np.testing.assert_allclose(turned, [-high, -low], atol=1e-9)

    @given(samples(), st.sampled_from([-8.0, 2.0, 100.0]), st.sampled_from([2**-10, 0.5, 4.0]))
    def test_moves_and_stretches_with_the_values(self, name, sample, shift, scale):
        low, high = INTERVALS[name](sample, 0.05)
        moved = Sample(*(shift + scale * x for x in (sample.observed, sample.drawn, sample.left_out)))
        np.testing.assert_allclose(INTERVALS[name](moved, 0.05), [shift + scale * low, shift + scale * high], atol=1e-9)

    @given(samples(), st.permutations(range(3)))
    def test_quantities_are_on_their_own(self, name, sample, order):
        low, high = INTERVALS[name](sample, 0.05)
        reordered = INTERVALS[name](Sample(sample.observed[order], sample.drawn[order], sample.left_out[order]), 0.05)
        np.testing.assert_allclose(reordered, [low[order], high[order]])

    @given(samples())
    def test_a_smaller_alpha_widens_it(self, name, sample):
        low, high = INTERVALS[name](sample, 0.05)
        lower, higher = INTERVALS[name](sample, 0.01)
        assert (lower <= low + 1e-12).all() and (high <= higher + 1e-12).all()

    def test_what_never_varies_has_no_width(self, name):
        sample = Sample(np.array([30.0]), np.full((1, 99), 30.0), np.full((1, 12), 30.0))
        assert INTERVALS[name](sample, 0.05) == ([30.0], [30.0])

    def test_many_quantities_at_once_are_as_one_by_one(self, name):
        rng = np.random.default_rng(5)
        sample = Sample(*(rng.normal(30, 1, shape) for shape in ((400,), (400, 999), (400, 50))))
        low, high = INTERVALS[name](sample, 0.05)
        for k in (0, 131, 399):
            alone = Sample(sample.observed[k:k + 1], sample.drawn[k:k + 1], sample.left_out[k:k + 1])
            np.testing.assert_allclose(INTERVALS[name](alone, 0.05), [[low[k]], [high[k]]])


def test_bca_stays_finite_where_all_values_lie_on_one_side():
    sample = Sample(np.array([0.0, 9.0]), np.random.default_rng(6).uniform(1, 2, (2, 99)), np.ones((2, 5)))
    assert np.isfinite(INTERVALS["bca"](sample, 0.05)).all()


@pytest.mark.parametrize("side", [-1, 1])
def test_bca_takes_values_on_one_side_as_half_a_replicate_short_of_all(side):
    drawn = np.linspace(1, 2, 99)[None] * side
    found = np.sort(np.abs(INTERVALS["bca"](Sample(np.zeros(1), drawn, np.ones((1, 5))), 0.05)), axis=None)
    levels = stats.norm.cdf(2 * stats.norm.ppf(0.5 / 99) + stats.norm.ppf([0.025, 0.975]))
    np.testing.assert_allclose(found, 1 + levels, rtol=1e-9)


def test_bca_counts_values_equal_to_the_observed_one_half():
    drawn = np.concatenate([np.linspace(20, 29, 10), np.full(20, 30.0), np.linspace(31, 60, 30)])  # 20 of 60 below
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
        np.testing.assert_allclose(self.interval(*scores[:2], np.nan, scores[2], np.nan, alpha=alpha), of_scipy)

    def test_three_segments_have_one_and_two_have_none(self):
        np.testing.assert_allclose(self.interval(70.0, 72.0, 74.0), [72 - 4.9683, 72 + 4.9683], atol=1e-3)
        assert np.isnan(self.interval(70.0, 74.0, np.nan)).all()


def test_the_interval_of_segment_scores_is_for_their_means_alone():
    assert list(fitting_intervals(True)) == ["percentile", "basic", "bca", "jackknife-t", "t"]
    assert list(fitting_intervals(False)) == ["percentile", "basic", "bca", "jackknife-t"]


@pytest.mark.parametrize("kind", fitting_intervals(True))
@pytest.mark.parametrize("n", [1, 2, 3])
def test_from_fewer_than_three_units_there_is_no_interval(kind, n):
    sample = replace(sample_of(segment_scores(1, [60], n), mean), segments=np.arange(n, dtype=float)[None])
    ends = INTERVALS[kind](sample, 0.05)
    assert np.isnan(ends).all() if n < 3 else np.isfinite(ends).all()
