"""Sweeps of the number of references."""

import numpy as np
import pytest
import sacrebleu

from mtsig_core import SettingError, TestSet
from mtsig_core.experiments.sweeps import (
    by_draws,
    by_repeats,
    reference_sets,
    sweep_references,
    with_references,
)
from mtsig_core.report.experiment_tables import reference_table
from mtsig_core.simulation.corpus import load_demo, simulate
from tests.builders.toys import texts


def several(n_references, **more):
    reference, systems = texts(1, [0.2, 0.4, 0.15, 0.15, 0.15], 60)
    return TestSet(
        "toy",
        {"A": systems[0], "B": systems[1]},
        {f"r{k}": text for k, text in enumerate([reference, *systems[2:]][:n_references])},
        **more,
    )


def test_scores_are_the_means_of_sacrebleus():
    testset = several(3)
    found = sweep_references(testset, "bleu", shares=[1.0], resamples=50)
    for row in found.rows:
        sets = [
            chosen for chosen in reference_sets(["r0", "r1", "r2"]) if len(chosen) == row.references
        ]
        theirs = [
            sacrebleu.corpus_bleu(
                list(testset.systems[row.system]),
                [list(testset.references[name]) for name in chosen],
            ).score
            for chosen in sets
        ]
        assert row.score == pytest.approx(np.mean(theirs)) and row.sets == len(sets)


def test_the_share_of_data_that_is_as_good():
    found = sweep_references(several(4), "bleu", shares=[0.5, 1.0], repeats=5, resamples=100)
    assert [(row.references, row.size) for row in found.rows[::2]] == [
        (k, n) for k in (1, 2, 3, 4) for n in (30, 60)
    ]
    widths = {(row.references, row.size, row.system): row.width for row in found.rows}
    for row in found.rows:
        assert row.equivalent == pytest.approx((row.width / widths[1, row.size, row.system]) ** 2)
        if row.references == 1:
            assert (row.equivalent, row.equivalent_low, row.equivalent_high) == (1, None, None)
        else:
            assert 0 < row.equivalent_low < row.equivalent < row.equivalent_high
    shown = [
        (row.equivalent, row.equivalent_low, row.equivalent_high)
        for row in found.rows
        if (row.size, row.system) == (60, "A")
    ]
    assert reference_table(found, "A").values("equivalent") == shown


class TestTheIntervalOfAShareThatIsAsGood:
    """Against a truth that is known: widths in a known ratio on shared test sets, normal scores of
    known spread.
    """

    N, COMMON = 300, 0.8

    def held(self, interval):
        rng = np.random.default_rng(11)
        found = [interval(rng) for _ in range(self.N)]
        return np.mean([low <= 0.6**2 <= high for low, high in found])

    def test_over_repeats(self):
        def one(rng):
            both = rng.normal(
                0, self.COMMON, 20
            )  # a test set that is wide with one reference is wide with several
            first, several = (1 + 0.1 * (both + rng.normal(0, 0.6, 20)) for _ in range(2))
            return by_repeats(first, 0.6 * several)

        assert 0.92 <= self.held(one) <= 0.975

    @pytest.mark.statistics
    def test_over_bootstrap_samples(self):
        def one(rng):
            both = rng.normal(0, self.COMMON, 300)
            first, several = (both + rng.normal(0, 0.6, (2, 300)) for _ in range(2))
            return by_draws(50 + first, 50 + 0.6 * several, 0.05, 1)

        assert 0.91 <= self.held(one) <= 0.985

    def test_nothing_to_go_by(self):
        assert by_repeats(np.array([1.0]), np.array([1.0])) is None
        assert (
            by_repeats(np.array([np.nan, 1.0]), np.ones(2)) is None
            and by_repeats(np.zeros(3), np.ones(3)) is None
        )
        assert by_draws([np.ones(50)], [np.ones(50)], 0.05, 0) is None  # no spread at all


@pytest.mark.parametrize("n", [2, 4, 5])
def test_every_reference_is_used_equally_often(n):
    sets = reference_sets([str(k) for k in range(n)])
    for size in range(1, n + 1):
        used = [name for chosen in sets if len(chosen) == size for name in set(chosen)]
        assert set(np.unique(used, return_counts=True)[1]) == {size if size < n else 1}


def test_the_demonstration_gets_four_references():
    demo = load_demo(50)
    anew = with_references(demo)
    assert len(anew.references) == 4 and anew.systems == demo.systems and anew.simulated
    assert with_references(several(2)).references == several(2).references
    assert anew.references["ref1"] == simulate(50).references["ref"]
    with pytest.raises(SettingError, match="Take its first segments"):
        with_references(demo.take(range(10, 40)))


@pytest.mark.parametrize(
    "settings, message",
    [
        (dict(n=1), "has 1 reference"),
        (dict(shares=[1.5]), "share of the test set is 1.5"),
        (dict(shares=[0.01]), "Too few units in 1% of 60: 1"),
        (dict(unit="document"), "document ids"),
        (dict(unit="block"), "segment or document"),
    ],
)
def test_what_cannot_be_done_is_said(settings, message):
    with pytest.raises(SettingError, match=message):
        sweep_references(several(settings.pop("n", 2)), "bleu", resamples=50, **settings)
