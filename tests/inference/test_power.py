"""The minimum detectable difference."""

import numpy as np
import pytest
from scipy import stats

from mtsig_core.inference.power import minimum_detectable_difference


def test_2_80_standard_errors_by_default():
    assert minimum_detectable_difference(1.0) == pytest.approx(2.80, abs=0.005)


@pytest.mark.parametrize("alpha, power", [(0.05, 0.8), (0.01, 0.9), (0.1, 0.5), (0.001, 0.99)])
def test_a_z_test_finds_it_that_often(alpha, power):
    shift = minimum_detectable_difference(1.0, alpha, power)
    found = stats.norm.sf(stats.norm.isf(alpha / 2) - shift)
    assert found == pytest.approx(power)


def test_many_at_once():
    np.testing.assert_allclose(minimum_detectable_difference(np.array([0.0, 1.0, 2.0])), [0, 2.8016, 5.6032], atol=1e-3)
