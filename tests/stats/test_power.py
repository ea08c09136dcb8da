"""The minimum detectable difference, power, and the size that a difference needs."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from mtsig_core.stats.few_units import welch_satterthwaite
from mtsig_core.stats.power import (
    Size,
    degrees_of_freedom,
    error_interval,
    exaggeration_at,
    minimum_detectable_difference,
    noncentrality_interval,
    power_at,
    units_needed,
)


@pytest.mark.parametrize("alpha, power", [(0.05, 0.8), (0.01, 0.9), (0.1, 0.5), (0.001, 0.99)])
def test_a_z_test_finds_it_that_often(alpha, power):
    shift = minimum_detectable_difference(1.0, alpha, power)
    found = stats.norm.sf(stats.norm.isf(alpha / 2) - shift)
    assert found == pytest.approx(power)


@pytest.mark.parametrize("difference", [0.0, 1.0, -2.0, 3.5])
@pytest.mark.parametrize("se, alpha", [(1, 0.05), (0.5, 0.01), (2.0, 0.1)])
def test_power_is_that_of_a_z_test(difference, se, alpha):
    bound = stats.norm.isf(alpha / 2)
    assert power_at(difference, se, alpha) == pytest.approx(
        stats.norm.sf(bound, difference / se) + stats.norm.cdf(-bound, difference / se)
    )


@pytest.mark.parametrize(
    ("difference", "se", "alpha"), [(1.0, 0.8, 0.05), (-0.3, 1.0, 0.01), (4.0, 1.0, 0.05)]
)
def test_what_is_found_exaggerates_as_the_cut_normal_does(difference, se, alpha):
    bound = stats.norm.isf(alpha / 2) * se
    mean = stats.norm.expect(abs, loc=difference, scale=se, lb=bound) + stats.norm.expect(
        abs, loc=difference, scale=se, ub=-bound
    )
    assert exaggeration_at(difference, se, alpha) == pytest.approx(
        mean / power_at(difference, se, alpha) / abs(difference)
    )


@pytest.mark.parametrize("spread", [0.1, 0.7, 2.5])
def test_differences_may_vary_less_or_more_than_the_test_reckons_with(spread):
    seen = stats.norm(1.5, spread)
    bound = 0.8 * stats.norm.isf(0.025)
    assert power_at(1.5, 0.8, spread=spread) == pytest.approx(seen.sf(bound) + seen.cdf(-bound))


@pytest.mark.parametrize(
    "difference, se, found",
    [(1.95, 1.0, 0), (1.97, 1.0, 1), (-1.97, 1.0, 1), (0.0, 0.0, 0), (0.001, 0.0, 1)],
)
def test_without_spread_the_same_difference_is_seen_each_time(difference, se, found):
    assert power_at(difference, se, spread=0.0) == found


@pytest.mark.parametrize("effect", [0.1, 0.25, 0.5, 1.0, 1.5])
@pytest.mark.parametrize("alpha, power", [(0.05, 0.8), (0.01, 0.9)])
def test_units_needed_are_those_of_a_t_test_of_one_mean(effect, alpha, power):
    exact = TTestPower().solve_power(effect, alpha=alpha, power=power)
    assert abs(units_needed(effect, 1 / np.sqrt(400), 400, alpha, power) - np.ceil(exact)) <= 1


def test_units_of_unequal_size_leave_the_standard_error_more_open():
    """A hundred worth ten: as many needed are worth a tenth, and t has so many degrees of
    freedom.
    """
    n = units_needed(1.0, 0.2, 100, n_effective=10.0)
    assert n > units_needed(1.0, 0.2, 100)
    for many, enough in ((n, True), (n - 1, False)):
        factor = stats.t.isf(0.025, max(many / 10 - 1, 1)) + stats.t.isf(0.2, max(many / 10 - 1, 1))
        assert (factor * 0.2 * np.sqrt(100 / many) <= 1.0) == enough


@pytest.mark.parametrize("n", [3, 6, 15, 60])
def test_few_units_take_students_t(n):
    assert minimum_detectable_difference(1.0, n_effective=float(n)) == pytest.approx(
        stats.t.isf(0.025, n - 1) + stats.t.isf(0.2, n - 1)
    )
    exact = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8) * np.sqrt(n)
    assert minimum_detectable_difference(1.0, n_effective=float(n)) == pytest.approx(
        exact, rel=0.08 if n < 6 else 0.02
    )


@pytest.mark.parametrize("n, size", [(6, 1.5), (9, 1.0), (40, 0.4)])
def test_power_of_few_is_that_of_a_t_test(n, size):
    assert power_at(size, 1 / np.sqrt(n), n_effective=float(n)) == pytest.approx(
        TTestPower().power(size, n, 0.05), abs=0.003
    )
    d = np.random.default_rng(n).normal(size, 1, (200_000, n))
    found = np.abs(d.mean(axis=1)) >= stats.t.isf(0.025, n - 1) * d.std(axis=1, ddof=1) / np.sqrt(n)
    assert exaggeration_at(size, 1 / np.sqrt(n), n_effective=float(n)) == pytest.approx(
        np.abs(d.mean(axis=1))[found].mean() / size, rel=0.02
    )


@pytest.mark.parametrize("n, alpha, power", [(6, 0.05, 0.8), (6, 0.05, 0.5), (9, 0.005, 0.8)])
def test_where_only_the_least_p_will_do_all_units_have_to_show_it(n, alpha, power):
    """The chance that n normal units of this mean are all above 0 is the power."""
    shift = minimum_detectable_difference(1 / np.sqrt(n), alpha, power, float(n), n)
    assert 2 / 2**n <= alpha < 4 / 2**n and stats.norm.cdf(shift) ** n == pytest.approx(
        power, abs=0.001
    )


def test_of_swaps_too_few_for_any_p_there_is_no_difference_that_they_find():
    assert np.isinf(minimum_detectable_difference(1.0, 0.05, 0.8, 5.0, 5))
    assert minimum_detectable_difference(0.0, 0.05, 0.8, 5.0, 5) == 0
    assert units_needed(100.0, 1.0, 10, swaps=True) == 6


def test_the_level_of_few_swaps_is_the_largest_that_they_have():
    """Of seven 6/128, of eight 12/256: a t test at that level."""
    for n, level in ((7, 6 / 128), (8, 12 / 256), (500, 0.05)):
        assert minimum_detectable_difference(1.0, 0.05, 0.8, float(n), n) == pytest.approx(
            stats.t.isf(level / 2, n - 1) + stats.t.isf(0.2, n - 1)
        )


def test_degrees_of_freedom_of_a_sum_are_by_welch():
    """Of two variances as scipy has them for two means."""
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=5), rng.normal(0, 3, 9)
    found = welch_satterthwaite(
        np.array([a.var(ddof=1) / 5, b.var(ddof=1) / 9]), np.array([4.0, 8.0])
    )
    assert found == pytest.approx(stats.ttest_ind(a, b, equal_var=False).df)
    many = welch_satterthwaite(
        np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[4.0, 4.0], [8.0, 8.0]])
    )
    np.testing.assert_allclose(many, [4 / (1 / 4 + 1 / 8), 8.0])


@pytest.mark.parametrize("t, freedom", [(0.0, 5.0), (1.0, 3.0), (3.0, 30.0), (12.0, 500.0)])
def test_noncentrality_is_that_of_the_noncentral_t(t, freedom):
    low, high = noncentrality_interval(np.array([t]), np.array([freedom]), 0.05)
    assert stats.nct.sf(t, freedom, low[0]) == pytest.approx(0.025, abs=0.0005)
    assert stats.nct.cdf(t, freedom, high[0]) == pytest.approx(0.025, abs=0.0005)


def test_errors_of_normal_units_have_about_as_many_degrees_of_freedom_as_units_and_heavy_tails_fewer():
    rng = np.random.default_rng(0)
    normal, heavy = rng.normal(size=(20, 400)), rng.standard_t(3, size=(20, 400))
    assert np.median(degrees_of_freedom(normal, 10**6)) == pytest.approx(399, rel=0.1)
    assert np.median(degrees_of_freedom(heavy, 10**6)) < 200
    assert np.median(degrees_of_freedom(normal, 101)) < 100  # the draws count too
    assert np.isnan(degrees_of_freedom(np.ones((1, 9)), 99)).all()
    assert np.isnan(degrees_of_freedom(normal[:, :4], 99)).all()


@pytest.mark.long
@pytest.mark.parametrize(
    "draw, n, least",
    [
        (lambda rng, shape: rng.normal(size=shape), 20, 0.93),
        (lambda rng, shape: rng.standard_t(5, size=shape) / np.sqrt(5 / 3), 60, 0.89),
    ],
)
def test_intervals_hold_on_fresh_draws(draw, n, least):
    """Means of n numbers of variance 1, also with heavy tails, where n - 1 degrees of freedom would
    hold .8 of the time.
    """
    x = draw(np.random.default_rng(1), (3000, n))
    left_out = (x.sum(axis=1, keepdims=True) - x) / (n - 1)
    freedom, many = degrees_of_freedom(left_out, 10**6), np.full(3000, n)
    se = x.std(axis=1) / np.sqrt(n)  # what the bootstrap estimates
    low, high = error_interval(se, freedom, many)
    assert least <= np.mean((low <= n**-0.5) & (n**-0.5 <= high)) <= 0.985
    low, high = noncentrality_interval(
        (x.mean(axis=1) / se + 3 / se / np.sqrt(n)) * np.sqrt(1 - 1 / n), freedom
    )
    assert least <= np.mean((low <= 3) & (high >= 3)) <= 0.985


def test_degrees_of_freedom_are_by_bonetts_kurtosis():
    x = np.random.default_rng(1).gamma(1.0, size=50)
    n, cut = 50, int(50 / (2 * 46**0.5))
    squares, middle = sum((x - x.mean()) ** 2), np.sort(x)[cut:-cut].mean()
    kurtosis = n * sum((x - middle) ** 4) / squares**2
    variance = (n / (n - 2)) ** 2 * (kurtosis - (n - 3) / n) / (n - 1) + 2 / 99
    assert degrees_of_freedom(x[None], 100) == pytest.approx(2 / variance, rel=1e-12)


def test_the_interval_of_a_size_in_segments():
    assert Size(10, 5, 20, 300).segment_ends == (150, 600)
    assert Size(10, 5, None, 300).segment_ends == (150, np.inf)
    assert Size(10, None, None, 300).segment_ends == ()
    assert Size(None, None, None, None).segment_ends == ()
