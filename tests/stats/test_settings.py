"""From what was asked for to settings without a gap."""

import inspect

import numpy as np
import pytest

from mtsig_core import InputError, SettingError, TestSet, compare
from mtsig_core.stats.settings import PRESETS, resolve
from tests.builders.toys import toy

SEGMENTS, DOCUMENTS = toy(3, 120), toy(3, 240, documents=np.arange(240) // 2)
ASKED = dict(
    test="ar",
    unit="auto",
    block_length=None,
    trials=999,
    alpha=0.05,
    correction="auto",
    ci="auto",
    resamples=200,
    seed=0,
    baseline=None,
)


def settings(testset=SEGMENTS, **asked):
    return resolve(testset, **{**ASKED, **asked})[0]


@pytest.mark.parametrize(
    "asked, message",
    [
        (dict(trials=0), "trials is 0. Expected a whole number from 1 to 10,000,000"),
        (dict(trials=-5), "trials is -5"),
        (dict(trials=99.5), "trials is 99.5"),
        (dict(trials=True), "trials is True"),
        (dict(resamples=1), "resamples is 1. Expected a whole number from 2"),
        (dict(seed=-1), "seed is -1. Expected a whole number from 0"),
        (dict(seed=1.5), "seed is 1.5"),
        (dict(seed=None), "seed is None"),
        (dict(seed=2**64), "to 18,446,744,073,709,551,615"),
        (dict(alpha=0.0), "alpha is 0. Expected a number between 0 and 1"),
        (dict(alpha=1.0), "alpha is 1"),
        (dict(alpha=-0.05), "alpha is -0.05"),
        (dict(alpha=float("nan")), "alpha is nan"),
        (dict(alpha=float("inf")), "alpha is inf"),
        (
            dict(alpha=0.001, trials=998),
            "alpha 0.001 is below the smallest p that 998 trials can give.*at least 999",
        ),
        (dict(alpha=0.05, trials=38, test="percentile"), "at least 39 trials"),
        (
            dict(test="boostrap"),
            "Unknown test 'boostrap'. Did you mean 'bootstrap'\\? Available: ar, bootstrap",
        ),
        (dict(test=""), "Unknown test ''. Available"),
        (dict(unit="documents"), "Unknown unit 'documents'. Did you mean 'document'\\?"),
        (
            dict(correction="romano_wolf"),
            "Unknown correction 'romano_wolf'. Did you mean 'romano-wolf'\\?",
        ),
        (dict(correction="Holm"), "Unknown correction 'Holm'. Did you mean 'holm'\\?"),
        (dict(ci="jackknife"), "Unknown interval 'jackknife'. Did you mean 'jackknife-t'\\?"),
        (
            dict(test="koehn", correction="holm"),
            "Test 'koehn' gives no p to correct. Choose the correction none",
        ),
        (
            dict(test="percentile", correction="romano-wolf"),
            "not defined for test 'percentile', only for ar, bootstrap",
        ),
        (
            dict(test="riezler-maxwell", correction="romano-wolf"),
            "not defined for test 'riezler-maxwell'",
        ),
        (dict(unit="document"), "toy has no document ids"),
        (
            dict(unit="block", block_length=0.9),
            "Block length 0.9 is not between 1 and the number of segments, 120",
        ),
        (dict(unit="block", block_length=121), "Block length 121"),
        (dict(unit="segment", block_length=5), "A block length goes with unit 'block'"),
        (dict(baseline="Z"), "No system 'Z' to use as baseline. Systems: A, B, C"),
    ],
)
def test_errors_say_what_came_and_what_to_do(asked, message):
    with pytest.raises(SettingError, match=message):
        settings(**asked)


def test_no_system():
    with pytest.raises(InputError, match="No system in empty. Give at least one output"):
        settings(TestSet("empty", {}, {"ref": ["a"]}))


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_tests_of_segment_scores_have_no_trials(test):
    made = settings(test=test)
    assert (made.trials, made.correction, made.unit) == (None, "holm", "segment")
    assert settings(test=test, alpha=1e-9).alpha == 1e-9  # which no number of trials limits


@pytest.mark.parametrize("asked", [dict(test="t"), dict(test="wilcoxon"), dict(ci="t")])
@pytest.mark.parametrize("unit", ["auto", "document", "block"])
def test_they_are_by_segment(asked, unit):
    with pytest.raises(
        SettingError, match="works on single segments, and the unit is .* Choose the unit segment"
    ):
        settings(DOCUMENTS, unit=unit, **asked)


@pytest.mark.parametrize(
    "asked",
    [
        dict(alpha=0.001, trials=999),
        dict(alpha=0.05, trials=19),
        dict(alpha=0.05, trials=39, test="percentile"),
        dict(alpha=0.001, trials=10, test="koehn"),
        dict(test="koehn", correction="none"),
        dict(unit="block", block_length=1),
        dict(unit="block", block_length=120),
        dict(seed=2**64 - 1),
        dict(resamples=2),
        dict(baseline="B"),
        dict(
            trials=np.int64(99), resamples=np.int32(50), seed=np.uint64(7), alpha=np.float64(0.05)
        ),
    ],
)
def test_the_edge_of_what_is_allowed(asked):
    settings(**asked)


def test_settings_are_plain_numbers():
    found = settings(
        trials=np.int64(99), resamples=np.int32(50), seed=np.uint64(7), alpha=np.float64(0.05)
    )
    assert [type(value) for value in (found.trials, found.resamples, found.seed, found.alpha)] == [
        int,
        int,
        int,
        float,
    ]


class TestAuto:
    @pytest.mark.parametrize("testset, unit", [(SEGMENTS, "segment"), (DOCUMENTS, "document")])
    def test_unit_is_the_document_where_ids_exist(self, testset, unit):
        assert settings(testset).unit == unit

    @pytest.mark.parametrize(
        "test, correction",
        [
            ("ar", "romano-wolf"),
            ("bootstrap", "romano-wolf"),
            ("percentile", "holm"),
            ("riezler-maxwell", "holm"),
            ("koehn", "none"),
        ],
    )
    def test_correction_is_that_of_the_test(self, test, correction):
        assert settings(test=test).correction == correction

    @pytest.mark.parametrize(
        "testset, asked, ci",
        [
            (toy(1, 400), {}, "percentile"),
            (toy(1, 399), {}, "jackknife-t"),
            (toy(1, 800, np.arange(800) // 2), {}, "percentile"),
            (toy(1, 798, np.arange(798) // 2), {}, "jackknife-t"),
            (toy(1, 798, np.arange(798) // 2), dict(unit="segment"), "percentile"),
            (toy(1, 1000), dict(unit="block", block_length=2.5), "percentile"),
            (toy(1, 1000), dict(unit="block", block_length=2.6), "jackknife-t"),
        ],
    )
    def test_interval_is_percentile_from_400_units_on(self, testset, asked, ci):
        assert settings(testset, **asked).ci == ci

    def test_what_was_asked_for_stays(self):
        found = settings(DOCUMENTS, unit="segment", correction="bh", ci="bca", baseline="C", seed=5)
        assert (found.unit, found.correction, found.ci, found.baseline, found.seed) == (
            "segment",
            "bh",
            "bca",
            "C",
            5,
        )
        assert found.block_length is None

    def test_block_length(self):
        assert settings(DOCUMENTS, unit="block").block_length == 4
        assert settings(unit="block").block_length == 25


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_resolves_or_says_why_it_does_not_fit(name):
    preset = PRESETS[name]
    if misfit := preset.explain_misfit(False, DOCUMENTS.domains is not None):
        assert misfit.startswith(f"'{preset.title}' ") and "segment scores" in misfit
        assert ("domain" in misfit) == (name == "wmt24")
    else:
        assert settings(DOCUMENTS, **preset.settings)


def test_the_quick_way_takes_a_tenth_of_the_draws():
    usual = inspect.signature(compare).parameters["trials"].default
    quick = PRESETS["quick"]
    assert (
        quick.settings == {"trials": 999}
        and f" {quick.settings['trials']} permutations" in quick.explanation
    )
    assert (usual + 1) / (999 + 1) == 10
