"""What intervals cover, how wide they are, and what a test set of a size can see."""

import numpy as np
import pytest
from scipy import stats

from mtsig_core.stats import engine
from mtsig_core.stats.few_units import find_freedom, unbiased
from mtsig_core.stats.intervals import INTERVALS, Sample, jackknife_t, percentile, simultaneous
from mtsig_core.stats.power import minimum_detectable_difference, units_needed
from mtsig_core.stats.resampling import Units, group_positions
from mtsig_core.stats.significance import approximate_randomization
from tests.builders.populations import populations
from tests.builders.toys import Given, mean

pytestmark = pytest.mark.statistics

ALPHA = 0.05


def samples(population, n, how_many, seed):
    """Counts of two systems on samples of n segments, shape (2, samples, n, 10)."""
    drawn = np.random.default_rng(seed).integers(0, population.counts.shape[1], (how_many, n))
    return population.counts[:2, drawn]


def scores(data, counts, resamples, seed):
    """Scores (..., ) and bootstrap scores (..., resamples) of counts (..., segments, 10)."""
    flat = data(counts.reshape(-1, *counts.shape[-2:]))
    drawn = engine.bootstrap_scores(flat, resamples, seed)
    return flat.scores.reshape(counts.shape[:-2]), drawn.reshape(*counts.shape[:-2], resamples)


def covers(interval, truth):
    low, high = interval
    return (low <= truth) & (truth <= high)


@populations("corpus")
def test_coverage_of_the_percentile_interval(population, data):
    truth = data(population.counts[:2]).scores
    hits = {"score": [], "difference": []}
    for batch in range(20):
        observed, drawn = scores(data, samples(population, 300, 50, seed=batch), 999, seed=batch)
        hits["score"].extend(
            covers(percentile(Sample(observed[0], drawn[0], None), ALPHA), truth[0])
        )
        hits["difference"].extend(
            covers(
                percentile(Sample(observed[0] - observed[1], drawn[0] - drawn[1], None), ALPHA),
                truth[0] - truth[1],
            )
        )
    assert 0.93 <= np.mean(hits["score"]) <= 0.97
    assert 0.93 <= np.mean(hits["difference"]) <= 0.97


def test_few_units_need_the_jackknife(population, data):
    truth = np.subtract(*data(population.counts[:2]).scores)
    counts = samples(population, 30, 2000, seed=3)
    observed, drawn = scores(data, counts, 999, seed=3)
    left_out = engine.jackknife_scores(data(counts.reshape(-1, 30, 10))).reshape(2, -1, 30)
    sample = Sample(
        observed[0] - observed[1],
        drawn[0] - drawn[1],
        left_out[0] - left_out[1],
        freedom=np.full(len(counts[0]), 29.0),
    )
    by_jackknife = np.mean(covers(jackknife_t(sample, ALPHA), truth))
    assert 0.93 <= by_jackknife <= 0.97
    assert np.mean(covers(percentile(sample, ALPHA), truth)) < by_jackknife


@populations("corpus")
def test_doubling_the_test_set_narrows_the_interval_by_30_percent(population, data):
    def width(n):
        observed, drawn = scores(data, samples(population, n, 100, seed=n)[0], 1000, seed=n)
        return np.mean(np.subtract(*percentile(Sample(observed, drawn, None), ALPHA)[::-1]))

    assert 0.69 <= width(600) / width(300) <= 0.73


def test_power_at_the_minimum_detectable_difference():
    n, repeats = 200, 800
    units = Units("segment", np.arange(n), n)
    shift = minimum_detectable_difference(10 / np.sqrt(n))
    rng = np.random.default_rng(4)
    base = np.repeat(rng.normal(60, 20, (repeats, n)), 2, axis=0)
    base[::2] += rng.normal(shift, 10, (repeats, n))
    data = engine.UnitStatistics(
        Given({}, mean), np.stack([base, np.ones_like(base)], axis=-1), units
    )
    swapped = engine.swap_differences(data, np.arange(2 * repeats).reshape(-1, 2), 499, 0)
    power = np.mean(
        approximate_randomization(data.scores[::2] - data.scores[1::2], swapped) <= ALPHA
    )
    assert abs(power - 0.8) <= 3 * stats.binom(repeats, 0.8).std() / repeats


def scored(values, n_units, documents=None):
    """Segment scores (systems, segments) as what the engine works on."""
    units = (
        Units("segment", np.arange(n_units), n_units)
        if documents is None
        else Units("document", documents, n_units)
    )
    return engine.UnitStatistics(
        Given({}, mean), np.stack([values, np.ones_like(values)], axis=-1), units
    )


@pytest.mark.parametrize(
    "shift, length", [(0.4, 1), (0.3, 6), (1.0, 1)], ids=["segments", "documents", "few segments"]
)
def test_power_at_the_size_that_was_planned(shift, length):
    """From the standard error on many units, the units for power .80; on fresh test sets of that
    size AR finds it.
    """
    rng, repeats = np.random.default_rng(length), 600

    def differences(sets, n):  # documents of 1 to 2 length - 1 segments, alike within
        sizes = rng.integers(1, 2 * length, n)
        documents = np.repeat(np.arange(n), sizes)
        alike = rng.normal(0, 0.5 * (length > 1), (sets, n))[:, documents]
        return rng.normal(shift, 1, (sets, len(documents))) + alike, documents

    many, documents = differences(1, 4000)
    se = engine.bootstrap_scores(scored(many, 4000, documents), 1000, 0).std()
    n = units_needed(shift, se, 4000, swaps=True)
    assert n < 13 if shift == 1 else 20 <= n <= 60, n
    found = []
    for batch in range(repeats // 40):
        values, documents = differences(40, n)
        pairs = np.stack([values, np.zeros_like(values)], axis=1).reshape(80, -1)
        data = scored(pairs, n, documents)
        swapped = engine.swap_differences(data, np.arange(80).reshape(-1, 2), 199, batch)
        found.extend(
            approximate_randomization(np.subtract(data.scores[::2], data.scores[1::2]), swapped)
            <= ALPHA
        )
    assert 0.72 <= np.mean(found) <= 0.86


#: Segments of 15 documents as unequal as Zipf's law makes them: worth seven equal ones.
ZIPF = np.round(76 / np.arange(1, 16)).astype(int)
#: MQM scores of single segments, and how often each comes.
MQM, SHARES = [0.0, -1.0, -5.0, -10.0, -25.0], [0.6, 0.25, 0.1, 0.04, 0.01]


def documents_of(sizes, sets, seed):
    """Segment scores of mean 0, alike within documents of these sizes: (sets, segments), and the
    document of each.
    """
    rng, index = np.random.default_rng(seed), np.repeat(np.arange(len(sizes)), sizes)
    alike = 0.3 * rng.normal(size=(sets, len(sizes)))
    return alike[:, index] + rng.normal(size=(sets, len(index))), index


def coverage(values, n_units, documents=None, resamples=999):
    """Share of test sets, the rows of `values`, whose intervals hold a true mean of 0, by kind."""
    held = {"percentile": [], "jackknife-t": []}
    for first in range(0, len(values), 50):  # each few with samples of their own
        rows = values[first : first + 50]
        data = scored(rows, n_units, documents)
        sample = Sample(
            data.scores,
            engine.bootstrap_scores(data, resamples, first),
            engine.jackknife_scores(data),
            freedom=find_freedom(data, np.stack([rows, np.ones_like(rows)], axis=-1)),
        )
        for kind, hits in held.items():
            hits.extend(covers(INTERVALS[kind](sample, ALPHA), 0.0))
    return {kind: np.mean(hits) for kind, hits in held.items()}


@pytest.mark.parametrize(
    "sizes",
    [
        ZIPF,
        np.array([60, *[4] * 19]),
        np.clip(np.random.default_rng(5).lognormal(1, 1.1, 20).astype(int), 1, 76),
    ],
)
def test_jackknife_t_holds_with_few_documents_of_unequal_size(sizes):
    """With one degree of freedom less than there are documents it holds in 0.90 to 0.93; so does
    percentile.
    """
    values, index = documents_of(sizes, 4000, len(sizes))
    found = coverage(values, len(sizes), index, resamples=199)
    assert 0.942 <= found["jackknife-t"] <= 0.985, found
    assert found["percentile"] < 0.925, found
    data = scored(values, len(sizes), index)
    too_sure = Sample(
        data.scores,
        np.empty((len(values), 0)),
        engine.jackknife_scores(data),
        freedom=np.full(len(values), len(sizes) - 1.0),
    )
    assert np.mean(covers(jackknife_t(too_sure, ALPHA), 0.0)) < found["jackknife-t"] - 0.012


def test_the_correction_of_a_standard_error_counts_documents_by_their_worth():
    """The variance of the bootstrap x n / (n - 1), over the true one: with the number of documents
    .80.
    """
    values, index = documents_of(ZIPF, 20_000, 1)
    data = scored(values, len(ZIPF), index)
    drawn = engine.bootstrap_scores(data, 299, 0)
    se = unbiased(drawn.std(axis=1, ddof=1), data.units.effective)
    assert 0.84 <= np.mean(se**2) / data.scores.var() <= 1.0


@pytest.mark.parametrize(
    "n, gain",
    [
        (60, (0.015, 0.05)),
        pytest.param(200, (0.004, 0.02), marks=pytest.mark.long),
        pytest.param(300, (0.003, 0.02), marks=pytest.mark.long),
        pytest.param(600, (-0.002, 0.009), marks=pytest.mark.long),
    ],
)
def test_below_400_units_jackknife_t_holds_more_often_than_percentile(n, gain):
    """Differences of two systems with MQM's scores: symmetric, with heavy tails."""
    rng = np.random.default_rng(n)
    values = np.subtract(*rng.choice(MQM, (2, 4000, n), p=SHARES))
    found = coverage(values, n)
    assert 0.94 <= found["jackknife-t"] <= 0.965, found
    assert gain[0] <= found["jackknife-t"] - found["percentile"] <= gain[1], found


def held_together(population, data, n, how_many, unit="segment", seed=11):
    """Share of samples of n units on which the intervals of all 15 differences of six systems hold:
    (simultaneous, single).
    """
    pairs, rng = engine.all_pairs(len(population.counts)), np.random.default_rng(seed)
    truth = np.subtract(*data(population.counts).scores[pairs.T])
    whole = group_positions(population.documents)
    found = []
    for k in range(how_many):
        if unit == "segment":
            sample = data(population.counts[:, rng.integers(0, population.counts.shape[1], n)])
        else:
            drawn = [whole[d] for d in rng.integers(0, len(whole), n)]
            units = Units("document", np.repeat(np.arange(n), [len(d) for d in drawn]), n)
            sample = data(population.counts[:, np.concatenate(drawn)], units)
        scores = engine.bootstrap_scores(sample, 999, k)
        observed, drawn = (np.subtract(*values[pairs.T]) for values in (sample.scores, scores))
        worth = sample.units.effective
        joint = simultaneous(
            observed, drawn, np.full(len(pairs), n), np.full(len(pairs), worth), ALPHA
        )
        found.append(
            [
                covers(ends, truth).all()
                for ends in (joint, percentile(Sample(observed, drawn, None), ALPHA))
            ]
        )
    return np.mean(found, axis=0)


def test_simultaneous_intervals_hold_together_and_single_ones_do_not(population, data):
    joint, single = held_together(population, data, 300, 300)
    assert 0.90 <= joint <= 0.98
    assert single < 0.75


def test_so_they_do_with_few_units(population, data):
    assert 0.87 <= held_together(population, data, 20, 300)[0] <= 0.97


@pytest.mark.long
@pytest.mark.parametrize(
    "unit, n, band",
    [
        ("segment", 300, (0.92, 0.97)),
        ("segment", 100, (0.90, 0.96)),
        ("segment", 30, (0.89, 0.96)),
        ("segment", 15, (0.92, 0.97)),
        ("document", 150, (0.90, 0.97)),
        ("document", 60, (0.92, 0.985)),
        ("document", 20, (0.93, 1.0)),
    ],
)
def test_simultaneous_intervals_at_every_size(population, data, unit, n, band):
    low, high = band
    assert low <= held_together(population, data, n, 2000, unit)[0] <= high
