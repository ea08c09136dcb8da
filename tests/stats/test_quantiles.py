"""Quantiles of our own against scipy's."""

import numpy as np
import pytest
from scipy.special import gammaincinv, stdtrit

from mtsig_core.stats.quantiles import chi_squared_quantile, student_quantile

#: On both sides of where scipy takes over, to as good as infinitely many; and a pair without units.
FREEDOM = np.array([0.7, 4.9, 5, 29.9, 30, 42.27, 997.5, 1e5, np.inf, np.nan])


@pytest.mark.parametrize("level", [1e-9, 3e-5, 0.025, 0.4, 0.5, 0.8, 0.975, 0.99995, 1 - 1e-9])
def test_quantiles_are_those_of_scipy(level):
    t = student_quantile(FREEDOM, level)
    assert t == pytest.approx(stdtrit(FREEDOM, level), rel=1e-11, abs=1e-15, nan_ok=True)
    assert student_quantile(42.27, level) == t[FREEDOM == 42.27]
    finite = np.append(FREEDOM[:-2], np.nan)
    expected = 2 * gammaincinv(finite / 2, level)
    chi_squared = chi_squared_quantile(finite, level)
    assert chi_squared == pytest.approx(expected, rel=1e-11, nan_ok=True)


def test_each_freedom_may_have_its_level_and_certainty_is_infinite():
    levels = np.array([0.3, 0.9, 1.0])
    freedom = np.array([50.0, 500.0, 60.0])
    expected = stdtrit(freedom, levels)
    assert student_quantile(freedom, levels) == pytest.approx(expected, rel=1e-13)
