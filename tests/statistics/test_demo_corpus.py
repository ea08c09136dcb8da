"""The acceptance bands on the simulated corpus, and what it has in common with the experiments of
Koehn (2004).

More of them, which other populations share, are in the modules of their subjects.
"""

from itertools import product

import numpy as np
import pytest

from mtsig_core.metrics.bleu import Bleu
from mtsig_core.stats import engine
from mtsig_core.stats.intervals import Sample, percentile
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.significance import approximate_randomization, win_rates
from tests.builders.populations import DANISH, FINNISH, GERMAN, GREEK, PORTUGUESE, SPANISH

pytestmark = pytest.mark.statistics

#: Koehn (2004), Table 1: precision of unigrams and four-grams.
PRECISIONS = [(62.6, 14.7), (60.9, 13.4), (60.8, 13.3), (59.4, 12.1), (58.3, 9.8), (56.1, 7.8)]
#: His Table 3: in how many of 100 samples of 300 the better system was found better, at 95%.
FOUND = {
    (SPANISH, PORTUGUESE): 60,
    (SPANISH, DANISH): 65,
    (PORTUGUESE, DANISH): 12,
    (PORTUGUESE, GREEK): 68,
    (DANISH, GREEK): 48,
    (DANISH, GERMAN): 100,
    (GREEK, GERMAN): 97,
    (GREEK, FINNISH): 100,
    (GERMAN, FINNISH): 91,
}
#: His Table 4: of the conclusions between this share of wins and the next, the percentage that was
#: right.
RIGHT = {50: 52, 60: 72, 70: 77, 80: 88, 90: 95, 95: 98, 98: 99, 99: 100}


def blocks(counts, n=300, how_many=100):
    """Consecutive segments, shape (systems, samples, n, 10)."""
    return counts[:, : n * how_many].reshape(len(counts), how_many, n, -1)


def broad(counts, n=300, how_many=100):
    """Every so many segments, shape (systems, samples, n, 10)."""
    return counts[:, : n * how_many].reshape(len(counts), n, how_many, -1).swapaxes(1, 2)


def scores(samples):
    return Bleu().score(samples.sum(axis=-2, dtype=np.int64))


def bootstrap(data, samples, resamples=1000):
    """Bootstrap scores of each sample, shape (samples, systems, resamples); every sample has its
    own draws.
    """
    return np.array(
        [
            engine.bootstrap_scores(data(np.ascontiguousarray(samples[:, k])), resamples, k)
            for k in range(samples.shape[1])
        ]
    )


# -- bands ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def drawn_broad(data, counts):
    return bootstrap(data, broad(counts))


def coverage(drawn, truth):
    low, high = percentile(Sample(None, drawn.reshape(-1, drawn.shape[-1]), None), 0.05)
    truth = np.tile(truth, len(drawn))
    return np.mean((low <= truth) & (truth <= high))


def test_coverage_of_broad_samples(counts, drawn_broad):
    assert 0.93 <= coverage(drawn_broad, scores(counts)) <= 0.99


def test_blocks_say_little_about_the_rest(data, counts):
    assert 0.15 <= coverage(bootstrap(data, blocks(counts)), scores(counts)) <= 0.60


def test_conclusions_at_95_percent_are_right(drawn_broad):
    right, wrong = 0, 0
    for better, worse in FOUND:
        win, lose = win_rates(drawn_broad[:, better] - drawn_broad[:, worse])
        right, wrong = right + np.sum(win >= 0.95), wrong + np.sum(lose >= 0.95)
    assert right / (right + wrong) >= 0.97


@pytest.mark.parametrize("start", range(0, 30_000, 6_000))
def test_approximate_randomization_against_all_swaps(data, counts, start):
    pair = counts[[SPANISH, DANISH], start : start + 10]
    coins = np.array(list(product([False, True], repeat=10)))[..., None]
    first, second = (scores(np.where(coins, pair[a], pair[b])) for a, b in ((1, 0), (0, 1)))
    observed = np.subtract(*scores(pair))
    exact = np.mean(np.abs(first - second) >= abs(observed) - 1e-9)
    ours = approximate_randomization(
        np.array([observed]), engine.swap_differences(data(pair), np.array([[0, 1]]), 20_000, start)
    )
    assert abs(ours[0] - exact) <= 0.012


# -- likeness -------------------------------------------------------------------------------------


def test_precisions(counts):
    sums = counts.sum(axis=1)
    np.testing.assert_allclose(100 * sums[:, [2, 5]] / sums[:, [6, 9]], PRECISIONS, atol=1)


def test_outputs_are_as_long_as_the_reference(counts):
    length, reference = counts.sum(axis=1)[:, :2].T
    np.testing.assert_allclose(length / reference, 1, atol=0.015)


def test_blocks_scatter_more_than_broad_samples(counts):
    # Koehn's Figures 2 and 3: 21 to 37, and 27 to 31
    of_blocks, of_broad = scores(blocks(counts))[SPANISH], scores(broad(counts))[SPANISH]
    np.testing.assert_allclose([of_blocks.min(), of_blocks.max()], [20.2, 36.9], atol=1)
    np.testing.assert_allclose([of_broad.min(), of_broad.max()], [26.6, 31.6], atol=1)


def test_differences_of_broad_samples(counts):
    # Koehn's Figure 4: -0.07 to 4, one of 100 negative
    of_broad = scores(broad(counts))
    difference = of_broad[SPANISH] - of_broad[DANISH]
    assert -0.5 < difference.min() < 0
    assert 3.5 < difference.max() < 5
    assert 1 <= np.sum(difference < 0) <= 2


def test_documents_matter_as_in_real_test_sets(data, demo, counts):
    documents = Units("document", demo.document_index, demo.n_documents)
    by_document, by_segment = (
        engine.bootstrap_scores(data(counts, units), 500, 0) for units in (documents, None)
    )
    ratios = [
        np.std(by_document[a] - by_document[b]) / np.std(by_segment[a] - by_segment[b])
        for a, b in engine.all_pairs(6)
    ]
    assert 1.1 <= np.median(ratios) <= 1.4


def test_how_often_a_better_system_is_found(drawn_broad):
    found = [np.sum(win_rates(drawn_broad[:, a] - drawn_broad[:, b])[0] >= 0.95) for a, b in FOUND]
    np.testing.assert_allclose(found, list(FOUND.values()), atol=16)


def test_how_far_a_share_of_wins_can_be_trusted(data, counts, drawn_broad):
    shares, is_right = [], []
    for drawn in (drawn_broad, *(bootstrap(data, broad(counts, n), 500) for n in (100, 200))):
        for a, b in FOUND:
            win, lose = win_rates(drawn[:, a] - drawn[:, b])
            shares.extend(100 * np.maximum(win, lose))
            is_right.extend(win >= lose)
    level = np.digitize(shares, [*RIGHT, 100])
    right = [100 * np.mean(np.array(is_right)[level == k + 1]) for k in range(len(RIGHT))]
    np.testing.assert_allclose(right, list(RIGHT.values()), atol=12)
