"""The minimum detectable difference, power, and the size that a difference needs."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import NormalIndPower

from mtsig_core.inference.power import minimum_detectable_difference, power_at, units_needed


def test_2_80_standard_errors_by_default():
    assert minimum_detectable_difference(1.0) == pytest.approx(2.80, abs=0.005)


@pytest.mark.parametrize("alpha, power", [(0.05, 0.8), (0.01, 0.9), (0.1, 0.5), (0.001, 0.99)])
def test_a_z_test_finds_it_that_often(alpha, power):
    shift = minimum_detectable_difference(1.0, alpha, power)
    found = stats.norm.sf(stats.norm.isf(alpha / 2) - shift)
    assert found == pytest.approx(power)


def test_many_at_once():
    np.testing.assert_allclose(minimum_detectable_difference(np.array([0.0, 1.0, 2.0])), [0, 2.8016, 5.6032], atol=1e-3)


@pytest.mark.parametrize("difference", [0.0, 1.0, -2.0, 3.5])
@pytest.mark.parametrize("se, alpha", [(1, 0.05), (0.5, 0.01), (2.0, 0.1)])
def test_power_is_that_of_a_z_test(difference, se, alpha):
    bound = stats.norm.isf(alpha / 2)
    assert power_at(difference, se, alpha) == pytest.approx(
        stats.norm.sf(bound, difference / se) + stats.norm.cdf(-bound, difference / se))


def test_a_difference_of_nothing_is_found_at_the_level_by_default():
    assert power_at(0.0, 3.0) == pytest.approx(0.05)


def test_power_at_many_differences_at_once():
    differences, se = np.array([0.0, 1.0, -4.0]), np.array([1.0, 0.5, 2.0])
    np.testing.assert_allclose(
        power_at(differences, se), [power_at(*one) for one in zip(differences, se, strict=True)])


@pytest.mark.parametrize("spread", [0.1, 0.7, 2.5])
def test_differences_may_vary_less_or_more_than_the_test_reckons_with(spread):
    seen = stats.norm(1.5, spread)
    bound = 0.8 * stats.norm.isf(0.025)
    assert power_at(1.5, 0.8, spread=spread) == pytest.approx(seen.sf(bound) + seen.cdf(-bound))


@pytest.mark.parametrize("difference, se, found", [
    (1.95, 1.0, 0), (1.97, 1.0, 1), (-1.97, 1.0, 1), (0.0, 0.0, 0), (0.001, 0.0, 1)])
def test_without_spread_the_same_difference_is_seen_each_time(difference, se, found):
    assert power_at(difference, se, spread=0.0) == found


@pytest.mark.parametrize("effect", [0.1, 0.25, 0.5])
@pytest.mark.parametrize("alpha, power", [(0.05, 0.8), (0.01, 0.9)])
def test_units_needed_are_those_of_a_z_test_of_one_mean(effect, alpha, power):
    exact = NormalIndPower().solve_power(effect, alpha=alpha, power=power, ratio=0)
    assert units_needed(effect, 1 / np.sqrt(400), 400, alpha, power) == np.ceil(exact)


def test_a_difference_of_half_a_standard_deviation_needs_32_units():
    assert units_needed(0.5, 0.1, 100) == 32  # (2.802 / 0.5)^2 = 31.4


@pytest.mark.parametrize("difference, se", [(1000.0, 0.1), (1.0, 0.0)])
def test_one_unit_is_the_least(difference, se):
    assert units_needed(difference, se, 100) == 1
