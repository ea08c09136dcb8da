"""Spreads of blocks and broad samples against numpy by hand, sacreBLEU and scipy."""

import numpy as np
import pytest
from scipy import stats

from mtsig_core import SettingError, TestSet
from mtsig_core.experiments.sampling import SampledSystem, ratio_of_spreads, sampling, spreads
from mtsig_core.metrics.means import SegmentMean
from tests.builders.toys import segment_scores, texts, toy, with_statistics

HUMAN = SegmentMean("human", True)


def test_means_by_hand():
    scores = segment_scores(3, [60, 70], 103)
    scores[:, :, 0] += np.repeat([0, 20, 5, 30], [30, 30, 30, 13])  # neighbours are alike
    found = spreads(toy(2, 103), with_statistics(HUMAN, scores), sizes=(10, 20))
    assert [(row.size, row.samples, row.system) for row in found.rows] == [
        (10, 10, "B"),
        (10, 10, "A"),
        (20, 5, "B"),
        (20, 5, "A"),
    ]
    for row in found.rows:
        values = (
            np.round(scores["AB".index(row.system), : row.size * row.samples, 0] * 2**20) / 2**20
        )
        blocks = values.reshape(row.samples, row.size).mean(axis=1).std(ddof=1)
        broad = values.reshape(row.size, row.samples).mean(axis=0).std(ddof=1)
        assert (row.blocks, row.broad, row.ratio) == pytest.approx(
            (blocks, broad, blocks / broad), rel=1e-5
        )
    low, middle, high = found.ratios()[10]
    assert low < middle < high and middle == pytest.approx((low + high) / 2) and low > 1


def test_the_interval_is_that_of_the_f_distribution():
    rng = np.random.default_rng(0)
    blocks, broad = rng.normal(0, 2, 9), rng.normal(0, 1, 30)
    ratio, low, high = ratio_of_spreads(blocks, np.append(broad, np.nan), alpha=0.1)
    f = stats.f(8, 29)
    assert (low, high) == pytest.approx(
        (ratio / np.sqrt(f.ppf(0.95)), ratio / np.sqrt(f.ppf(0.05)))
    )
    assert (
        ratio_of_spreads(blocks, np.full(9, 3.0)) is None
        and ratio_of_spreads(blocks[:1], broad) is None
    )


def test_the_interval_holds_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(1)
    ends = [ratio_of_spreads(rng.normal(0, 3, 9), rng.normal(0, 1, 9))[1:] for _ in range(1000)]
    assert 0.93 <= np.mean([low <= 3 <= high for low, high in ends]) <= 0.97


@pytest.mark.statistics
def test_the_interval_holds_the_truth_where_neighbours_are_alike():
    """Blocks of 300 segments of the simulated corpus have an autocorrelation of .65."""
    rng = np.random.default_rng(2)

    def lot():
        values = rng.normal(size=300)
        for k in range(1, 300):
            values[k] = 0.65 * values[k - 1] + np.sqrt(1 - 0.65**2) * values[k]
        return values[200:]

    held, naive = [], []
    for _ in range(600):
        blocks, broad = lot(), rng.normal(size=100)
        ratio, low, high = ratio_of_spreads(blocks, broad)
        held.append(low <= 1 <= high)
        naive.append(abs(2 * np.log(ratio)) < np.log(stats.f(99, 99).ppf(0.975)))
    assert np.mean(naive) < 0.88 and 0.91 <= np.mean(held) <= 0.98


def test_the_interval_of_hits_counts_runs_of_them_as_fewer():
    """Independent hits: Wilson's interval, as scipy has it.

    Hits that come in runs: the truth is held as often.
    """

    def system(hits):
        zero = np.zeros(len(hits))
        return SampledSystem("A", 0.0, zero, np.where(hits, -1.0, 1.0), zero + 2)

    mixed = np.arange(100) % 5 > 0
    theirs = stats.binomtest(80, 100).proportion_ci(method="wilson")
    found = system(mixed).hit_rate
    assert (found.count, found.n) == (80, 100) and (found.low, found.high) == pytest.approx(
        (theirs.low, theirs.high)
    )
    rng, held, naive = np.random.default_rng(3), [], []
    for _ in range(400):
        state, hits = rng.random() < 0.5, []
        for _ in range(200):
            state = state if rng.random() < 0.6 else rng.random() < 0.5  # half are hits, in runs
            hits.append(state)
        one = system(np.array(hits)).hit_rate
        held.append(one.low <= 0.5 <= one.high)
        naive.append(abs(np.mean(hits) - 0.5) < 1.96 * 0.5 / np.sqrt(200))
    assert np.mean(naive) < 0.75 and 0.87 <= np.mean(held) <= 0.98
    assert system(np.array([], dtype=bool)).hit_rate.share is None


def test_spreads_are_those_of_the_samples_also_where_each_is_counted_anew():
    reference, outputs = texts(2, [0.2, 0.4], 60)
    testset = TestSet("toy", dict(zip("AB", outputs, strict=True)), {"ref": reference})
    found = spreads(testset, "nist", sizes=(20,), shuffle=True, seed=3)
    for kind in ("blocks", "broad"):
        sampled = sampling(
            testset, "nist", kind, size=20, shuffle=True, seed=3, resamples=20, trials=19
        )
        assert [getattr(row, kind) for row in found.rows] == pytest.approx(
            [one.sd for one in sampled.systems]
        )


def test_sizes_that_give_five_samples_unless_others_are_asked_for():
    scores = segment_scores(1, [60], 100)

    def sizes(**more):
        rows = spreads(toy(1, 100), with_statistics(HUMAN, scores), **more).rows
        return [row.size for row in rows]

    assert sizes() == [10, 20] and sizes(sizes=(40, 50, 40)) == [40, 50]


@pytest.mark.parametrize(
    "n, more, message",
    [
        (40, {}, "Too few segments for 5 samples of 10, .*: 40. Expected at least 50"),
        (40, {"sizes": (30,)}, "Use samples of at most 20"),
        (40, {"alpha": 0}, "alpha is 0"),
        (40, {"seed": -1}, "seed is -1"),
    ],
)
def test_what_cannot_be(n, more, message):
    with pytest.raises(SettingError, match=message):
        spreads(toy(1, n), with_statistics(HUMAN, segment_scores(1, [60], n)), **more)


def test_one_system_without_any_spread():
    (row,) = spreads(
        TestSet("toy", {"A": ["a b c d"] * 60}, {"ref": ["a b c d"] * 60}), "bleu", sizes=(20,)
    ).rows
    assert (row.blocks, row.broad, row.ratio) == (0, 0, None)
