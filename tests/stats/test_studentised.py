"""The studentised bootstrap against slow loops over its definition, which share no code with it but
the resamples.
"""

import math

import numpy as np
import pytest

from mtsig_core import TestSet, compare
from mtsig_core.stats.engine import measure
from mtsig_core.stats.resampling import BLOCK, Units, bootstrap_weights
from mtsig_core.stats.studentised import draw_studentised, pseudo_values
from tests.builders.replicates import draw_again
from tests.builders.score_tables import rated_systems

QUICK = {"trials": 299, "resamples": 200, "seed": 3}
N_DOCUMENTS = 12


def rated(values, documents=None):
    """A test set of given segment scores, by system; None where there is none."""
    return rated_systems(values, documents)


def skewed(seed, n=40):
    rng = np.random.default_rng(seed)
    return {
        "A": rng.normal(60, 8, n).tolist(),
        "B": (58 + 6 * rng.lognormal(0, 1, n)).tolist(),
        "C": rng.normal(57, 8, n).tolist(),
    }


def translated(seed, n=60):
    """Texts of three systems in documents of unequal length."""
    rng = np.random.default_rng(seed)
    words = [f"w{k}" for k in range(40)]
    reference = [[str(word) for word in rng.choice(words, 12)] for _ in range(n)]

    def change(share):
        lines = [[word if rng.random() > share else "x" for word in line] for line in reference]
        return [" ".join(line) for line in lines]

    documents = [f"d{k}" for k in np.sort(rng.integers(0, N_DOCUMENTS, n))]
    outputs = {name: change(share) for name, share in (("A", 0.2), ("B", 0.25), ("C", 0.4))}
    return TestSet(
        "toy", outputs, {"ref": [" ".join(line) for line in reference]}, documents=documents
    )


def resamples(n, trials, seed):
    """The units of each resample, by number."""
    drawn = []
    for block in range(math.ceil(trials / BLOCK)):
        for row in bootstrap_weights(Units.segments(n), seed, block):
            drawn.append([unit for unit, times in enumerate(row) for _ in range(times)])
    return drawn[:trials]


def standard_error(values):
    middle = sum(values) / len(values)
    return math.sqrt(sum((x - middle) ** 2 for x in values) / (len(values) - 1) / len(values))


def t_of(values, expected):
    """How many standard errors a mean is from what was expected."""
    return (sum(values) / len(values) - expected) / standard_error(values)


def p_by_hand(values, trials, seed):
    """Observed t, those of the resamples, and p, of differences that are one for each unit."""
    observed = sum(values) / len(values)
    t0 = observed / standard_error(values)
    drawn = [
        t_of([values[unit] for unit in units], observed)
        for units in resamples(len(values), trials, seed)
    ]
    extreme = sum(abs(t) >= abs(t0) - 1e-9 for t in drawn)
    return t0, drawn, (extreme + 1) / (trials + 1)


def compared(testset, metric, **settings):
    found = compare(testset, [metric], test="bootstrap-t", **{**QUICK, **settings}).metrics[metric]
    return {(pair.a, pair.b): pair for pair in found.pairs}


@pytest.mark.parametrize("seed, n", [(0, 40), (1, 40), (2, 11), (3, 11)])
def test_means_of_segments_by_loops(seed, n):
    values = skewed(seed, n)
    pairs, t0, drawn = compared(rated(values), "human"), {}, {}
    for a, b in pairs:
        differences = [x - y for x, y in zip(values[a], values[b], strict=True)]
        t0[a, b], drawn[a, b], p = p_by_hand(differences, QUICK["trials"], QUICK["seed"])
        assert pairs[a, b].p_value == pytest.approx(p)

    # Romano-Wolf: the largest of the pairs not yet passed, from the most extreme pair down
    left, at_least = sorted(t0, key=lambda pair: -abs(t0[pair])), 0.0
    while left:
        largest = [
            max(abs(t) for t in ts) for ts in zip(*(drawn[pair] for pair in left), strict=True)
        ]
        p = (sum(t >= abs(t0[left[0]]) - 1e-9 for t in largest) + 1) / (QUICK["trials"] + 1)
        at_least = max(at_least, p)
        assert pairs[left[0]].p_adjusted == pytest.approx(at_least)
        left = left[1:]


def pseudo_values_by_hand(testset, metric, a, b, units):
    """N times the difference less n - 1 times that without each unit, from whole test sets scored
    anew.
    """

    def difference(kept):
        seen = measure(testset.take(kept), metric)
        score = dict(zip(seen.names, seen.scores.tolist(), strict=True))
        return score[a] - score[b]

    everything = list(range(testset.n_segments))
    without = [
        difference([k for k in everything if units[k] != unit])
        for unit in sorted(set(units), key=units.index)
    ]
    return [len(without) * difference(everything) - (len(without) - 1) * one for one in without]


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_corpus_scores_by_document(metric):
    testset = translated(5)
    units = list(testset.documents)
    for (a, b), pair in compared(testset, metric).items():
        values = pseudo_values_by_hand(testset, metric, a, b, units)
        average, trials = sum(values) / len(values), QUICK["trials"]
        t0 = abs(pair.delta) / standard_error(values)
        drawn = [
            t_of([values[unit] for unit in some], average)
            for some in resamples(len(values), trials, 3)
        ]
        assert pair.p_value == pytest.approx(
            (sum(abs(t) >= t0 - 1e-9 for t in drawn) + 1) / (trials + 1)
        )


def test_scores_that_are_missing_take_no_part():
    values = skewed(4, 30)
    gaps = {
        name: [None if k % 7 == place else x for k, x in enumerate(row)]
        for place, (name, row) in enumerate(values.items())
    }
    for (a, b), pair in compared(rated(gaps), "human").items():
        both = [k for k in range(30) if gaps[a][k] is not None and gaps[b][k] is not None]
        differences = {k: gaps[a][k] - gaps[b][k] for k in both}
        observed = sum(differences.values()) / len(both)
        t0, extreme = observed / standard_error(list(differences.values())), 0
        for units in resamples(30, QUICK["trials"], QUICK["seed"]):
            drawn = [differences[unit] for unit in units if unit in differences]
            extreme += abs(t_of(drawn, observed)) >= abs(t0) - 1e-9
        assert pair.p_value == pytest.approx((extreme + 1) / (QUICK["trials"] + 1))


def test_the_other_way_round_it_is_the_same():
    values = skewed(7)
    there = compared(rated(values), "human", baseline="B")
    back = compared(
        rated({name: [-x for x in row] for name, row in values.items()}), "human", baseline="B"
    )
    assert {pair: one.p_value for pair, one in there.items()} == {
        pair: one.p_value for pair, one in back.items()
    }


def test_replicates_are_in_points():
    values = skewed(8)
    testset = rated(values)
    found = compare(testset, ["human"], test="bootstrap-t", **QUICK)
    pair, row = found.metrics["human"].pairs[0], draw_again(found, testset)[0]
    differences = [x - y for x, y in zip(values[pair.a], values[pair.b], strict=True)]
    _, drawn, _ = p_by_hand(differences, QUICK["trials"], QUICK["seed"])
    assert row == pytest.approx(np.array(drawn) * standard_error(differences))


class TestWhatHardlyVaries:
    def test_equal_outputs_have_p_1(self):
        values = skewed(9)
        pair = compared(rated({"A": values["A"], "B": list(values["A"])}), "human")["A", "B"]
        assert pair.p_value == 1 and pair.better is None

    def test_a_resample_without_spread_is_as_extreme_as_any(self):
        """Two systems that differ in one unit of twelve: a resample without it has no spread."""
        equal = [50.0] * 12
        pair = compared(rated({"A": [62.0, *equal[1:]], "B": equal}), "human")["A", "B"]
        assert pair.p_value > 0.28  # (11 / 12)^12 = .35 of the resamples do without it

    def test_few_units_cannot_be_surer_than_they_are(self):
        values = {"A": [60.0, 61, 62, 63, 60.5], "B": [50.0, 50, 50, 50, 50]}
        assert compared(rated(values), "human")["A", "B"].p_value >= 2 / 2**5

    @pytest.mark.parametrize("shape", [(1, 1), (2, 3)])
    def test_pseudo_values_of_hardly_any(self, shape):
        values, has_part = pseudo_values(np.full(shape, np.nan))
        assert not values.any() and not has_part.any()


def test_blocks_are_drawn_as_the_pieces_that_are_left_out():
    """Of stationary blocks the pieces that a jackknife leaves out are the units: five of eight
    segments each.
    """
    values = skewed(2)
    found = compared(rated(values), "human", unit="block", block_length=8.0)
    for (a, b), pair in found.items():
        d = np.array(values[a]) - np.array(values[b])
        sums = d.reshape(5, 8).sum(axis=1)
        without = (d.sum() - sums) / 32
        own = 5 * d.mean() - 4 * without
        extreme = 0
        for units in resamples(5, QUICK["trials"], QUICK["seed"]):
            drawn = [own[unit] for unit in units]
            spread = standard_error(drawn)
            if spread < 1e-9:  # one piece five times
                extreme += 1
            else:
                extreme += (
                    abs((np.mean(drawn) - d.mean()) / spread)
                    >= abs(d.mean()) / standard_error(own) - 1e-9
                )
        p = (extreme + 1) / (QUICK["trials"] + 1)
        assert pair.p_value == pytest.approx(max(p, 2 / 2**5), abs=1e-9)


def test_rows_that_are_too_many_to_keep_are_made_anew(monkeypatch):
    left_out = np.random.default_rng(0).normal(size=(4, 25))
    pairs = np.array([[0, 1], [0, 2], [2, 3]])
    kept = draw_studentised(left_out, pairs, Units.segments(25), 300, 1)
    monkeypatch.setattr(
        "mtsig_core.stats.studentised.fits_in_memory", lambda n_pairs, n_trials: False
    )
    made = draw_studentised(left_out, pairs, Units.segments(25), 300, 1)
    assert not isinstance(made, np.ndarray)
    assert made[1:] == pytest.approx(kept[1:]) and made[np.array([2, 0])] == pytest.approx(
        kept[[2, 0]]
    )
