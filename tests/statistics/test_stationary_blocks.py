"""The stationary bootstrap against theory and against the package arch."""

import numpy as np
import pytest
from arch.bootstrap import StationaryBootstrap
from scipy import stats
from scipy.signal import lfilter

from mtsig_core.stats import engine
from mtsig_core.stats.resampling import Units, bootstrap_weights
from tests.builders.toys import Given, mean

pytestmark = pytest.mark.statistics

PHI, N, B = 0.5, 3000, 25


def blocks(n, block_length):
    return Units("block", np.arange(n), n, block_length)


def means(series, units, resamples=1000, seed=0):
    """Means on bootstrap samples of series, shape (series, n) -> (series, resamples)."""
    data = engine.UnitStatistics(
        Given({}, mean), np.stack([series, np.ones_like(series)], axis=-1), units
    )
    return engine.bootstrap_scores(data, resamples, seed)


def se(series, units, resamples=1000, seed=0):
    """Bootstrap standard errors of the means of series, shape (series, n) -> (series,)."""
    return means(series, units, resamples, seed).std(axis=1)


@pytest.fixture(scope="module")
def series():
    """Twenty AR(1) series, begun long before they are looked at."""
    return lfilter([1], [1, -PHI], np.random.default_rng(9).normal(size=(20, N + 200)))[:, 200:]


def test_standard_error_of_correlated_segments(series):
    long_run = 1 / (1 - PHI) / np.sqrt(N)
    assert 0.90 <= np.mean(se(series, blocks(N, B))) / long_run <= 1.05


def test_segments_as_units_miss_the_correlation(series):
    long_run = 1 / (1 - PHI) / np.sqrt(N)
    assert np.mean(se(series, Units("segment", np.arange(N), N))) / long_run < 0.7


@pytest.mark.parametrize("block_length", [1, 12, 40])
def test_same_distribution_as_arch(series, block_length):
    one = series[0, :400]
    ours = means(one[None], blocks(400, block_length), 2000)[0]
    theirs = StationaryBootstrap(block_length, one, seed=3).apply(np.mean, 2000).ravel()
    assert stats.ks_2samp(ours, theirs).pvalue > 0.01
    assert 0.93 < ours.std() / theirs.std() < 1.07  # 2,000 draws each: 1 +- 4.2 times .016


@pytest.mark.parametrize("block_length", [5, 25, 100])
def test_as_many_blocks_as_arch(block_length):
    """Where a segment is drawn more often than the one before it, blocks begin."""
    n, replicates = 1000, 1024

    def beginnings(counts):
        counts = counts.astype(int)
        return np.maximum(0, counts - np.roll(counts, 1, axis=-1)).sum(axis=-1)

    ours = beginnings(
        np.concatenate([bootstrap_weights(blocks(n, block_length), 1, k) for k in range(4)])
    )
    arch = StationaryBootstrap(block_length, np.arange(n), seed=1)
    theirs = beginnings(
        np.array([np.bincount(arch.update_indices(), minlength=n) for _ in range(replicates)])
    )
    error = np.hypot(ours.std(), theirs.std()) / np.sqrt(replicates)
    assert abs(ours.mean() - theirs.mean()) < 4 * error
    assert 0.9 < ours.std() / theirs.std() < 1.1
