"""Comparisons kept on disk: the same, in every format, without being computed again."""

from dataclasses import replace

import pytest

from mtsig_core import TestSet, compare, make_metric
from mtsig_core.metrics import metric_of
from mtsig_core.report import kept_results
from mtsig_core.report.comparison_report import FORMS
from mtsig_core.report.kept_results import kept_comparison
from mtsig_core.stats.significance import ADJUSTMENTS

QUICK = {"trials": 99, "resamples": 49}
REF = [f"the old house number {k} stands near the river and the mill" for k in range(40)]
WORSE = [text.replace("house", "home") if k % 3 else text for k, text in enumerate(REF)]
OTHER = [text.replace("river", "sea") if k % 4 == 0 else text for k, text in enumerate(REF)]
TOY = TestSet("toy", {"A": WORSE, "B": OTHER, "C": REF[1:] + REF[:1]}, {"r": REF, "q": OTHER[::-1]},
              documents=[f"d{k // 4}" for k in range(40)], langpair="en-de",
              scores={"human": {"A": [k % 5 for k in range(40)], "B": [None, *range(39)], "C": [1.5] * 40}})


@pytest.fixture
def computed(monkeypatch, tmp_path):
    """What is compared, where something can be kept."""
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path))
    done, compare = [], kept_results.compare

    def counted(testset, metrics, **settings):
        done.append([metric.name for metric in metrics])
        return compare(testset, metrics, **settings)

    monkeypatch.setattr(kept_results, "compare", counted)
    return done


def of(testset, *names):
    return [metric_of(testset, name) for name in names]


@pytest.mark.parametrize("settings", [
    {}, {"test": "bootstrap", "correction": "none", "ci": "percentile"}, {"unit": "segment", "baseline": "B"},
    {"unit": "block", "block_length": 3.0}, {"rank_rule": "overlap"}, {"by_reference": False}])
def test_what_is_kept_is_what_was_computed_in_every_format(computed, settings):
    asked = of(TOY, "bleu", "human")
    new, kept = (kept_comparison(TOY, asked, **QUICK | settings) for _ in range(2))
    assert computed == [["bleu", "human"]]
    assert [kept.render(form) for form in FORMS] == [new.render(form) for form in FORMS]


def test_threads_change_nothing(computed):
    kept_comparison(TOY, of(TOY, "bleu"), jobs=2, **QUICK)
    kept_comparison(TOY, of(TOY, "bleu"), **QUICK)
    assert len(computed) == 1


@pytest.mark.parametrize("names", [["bleu"], ["human"], ["bleu", "human"]])
@pytest.mark.parametrize("settings", [
    {}, {"unit": "segment", "baseline": "B"}, {"by_reference": False, "ci": "percentile"},
    {"test": "bootstrap", "correction": "none"}])
def test_another_correction_is_decided_by_what_is_kept_and_is_as_if_computed(computed, settings, names):
    settings = QUICK | {"correction": "auto"} | settings
    kept_comparison(TOY, of(TOY, *names), **settings)
    assert computed == [names]
    for correction in ADJUSTMENTS:
        asked = settings | {"correction": correction}
        anew = compare(TOY, of(TOY, *names), **asked)
        for _ in range(2):
            found = kept_comparison(TOY, of(TOY, *names), **asked)
            assert [found.render(form) for form in FORMS] == [anew.render(form) for form in FORMS]
    assert computed == [names]


@pytest.mark.parametrize("first, asked", [
    ({"correction": "holm"}, {"correction": "bonferroni"}), ({}, {"correction": "holm", "rank_rule": "overlap"}),
    ({"test": "koehn"}, {"test": "koehn", "correction": "none"}),
    ({"correction": "none"}, {"correction": "romano-wolf"}), ({"rank_rule": "overlap"}, {"correction": "holm"})])
def test_what_needs_draws_for_another_correction_is_computed(computed, first, asked):
    for settings in (QUICK | {"correction": "auto"} | first, QUICK | asked):
        found = kept_comparison(TOY, of(TOY, "bleu"), **settings)
        assert found.render("json") == compare(TOY, of(TOY, "bleu"), **settings).render("json")
    assert len(computed) == 2


def test_another_correction_of_a_metric_that_a_name_does_not_say_is_computed(computed):
    metric = [make_metric("bleu", lowercase=True)]
    for correction in ("none", "holm"):
        kept_comparison(TOY, metric, **QUICK, correction=correction)
    assert len(computed) == 2


def test_whatever_else_is_asked_is_computed(computed):
    others = [(TOY, "bleu", {"seed": 1}), (TOY, "bleu", {"trials": 199}), (TOY, "chrf", {}), (TOY, "human", {}),
              (replace(TOY, name="other"), "bleu", {}), (replace(TOY, assumed=("Higher is better.",)), "bleu", {}),
              (replace(TOY, lines=range(2, 42)), "bleu", {}), (replace(TOY, simulated=True), "bleu", {}),
              (replace(TOY, tokenizer="char"), "bleu", {}), (replace(TOY, langpair="en-fr"), "bleu", {})]
    asked = [(TOY, of(TOY, "bleu"), {}), (TOY, [make_metric("bleu", lowercase=True)], {}),
             *((testset, of(testset, name), settings) for testset, name, settings in others)]
    for testset, metrics, settings in asked:
        kept_comparison(testset, metrics, **QUICK | settings)
    assert len(computed) == len(asked)


def test_of_metrics_of_others_nothing_is_kept(computed, tmp_path):
    class Length:
        name, higher_is_better, stat_names = "length", True, ("words", "one")

        def statistics(self, testset, progress=None):
            return make_metric("bleu").statistics(testset)[..., -2:]

        def score(self, sums):
            return sums[..., 0] / sums[..., 1]

        def signature(self, testset):
            return "words"

    for _ in range(2):
        kept_comparison(TOY, [Length()], **QUICK)
    assert len(computed) == 2 and not list(tmp_path.iterdir())


def test_a_damaged_entry_is_computed_anew(computed, tmp_path):
    first = kept_comparison(TOY, of(TOY, "bleu"), **QUICK).render("json")
    for entry in tmp_path.glob("*.stats"):
        entry.write_bytes(entry.read_bytes()[:-1])
    assert kept_comparison(TOY, of(TOY, "bleu"), **QUICK).render("json") == first and len(computed) == 2


def test_where_nothing_is_kept_all_is_computed(computed, monkeypatch):
    monkeypatch.setenv("MTSIG_CACHE", "")
    for _ in range(2):
        kept_comparison(TOY, of(TOY, "bleu"), **QUICK)
    assert len(computed) == 2
