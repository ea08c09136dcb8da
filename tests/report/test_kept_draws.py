"""Draws kept on disk: what is decided from them is as if drawn, in every format."""

from dataclasses import replace

import numpy as np
import pytest

from mtsig_core import TestSet, compare, make_metric
from mtsig_core.caution import Assumption
from mtsig_core.metrics import resolve_metric
from mtsig_core.report.reports import RENDERERS
from mtsig_core.schema import decode
from mtsig_core.stats import comparison
from mtsig_core.stats.kept_tasks import KeptDraws

QUICK = {"trials": 99, "resamples": 49}
REF = [f"the old house number {k} stands near the river and the mill" for k in range(40)]
WORSE = [text.replace("house", "home") if k % 3 else text for k, text in enumerate(REF)]
OTHER = [text.replace("river", "sea") if k % 4 == 0 else text for k, text in enumerate(REF)]
TOY = TestSet(
    "toy",
    {"A": WORSE, "B": OTHER, "C": REF[1:] + REF[:1]},
    {"r": REF, "q": OTHER[::-1]},
    documents=[f"d{k // 4}" for k in range(40)],
    langpair="en-de",
    scores={"human": {"A": [k % 5 for k in range(40)], "B": [None, *range(39)], "C": [1.5] * 40}},
)


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """By which metrics is drawn, where something can be kept."""
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path))
    done, draw_metric = [], comparison.draw_metric

    def counted(testset, metric, *args, **more):
        done.append(metric.name)
        return draw_metric(testset, metric, *args, **more)

    monkeypatch.setattr(comparison, "draw_metric", counted)
    return done


def compare_kept(testset, metrics, **settings):
    """As a new process does."""
    return compare(testset, metrics, cache=KeptDraws(), **QUICK | settings)


def of(testset, *names):
    return [resolve_metric(testset, name) for name in names]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"test": "bootstrap", "correction": "none", "ci": "percentile"},
        {"unit": "segment", "baseline": "B"},
        {"unit": "block", "block_length": 3.0},
        {"rank_rule": "overlap"},
        {"by_reference": False},
    ],
)
def test_what_is_kept_is_what_was_drawn_in_every_format(drawn, settings):
    new, kept = (compare_kept(TOY, of(TOY, "bleu", "human"), **settings) for _ in range(2))
    assert drawn == ["bleu", "human"]
    assert [kept.render(form) for form in RENDERERS] == [new.render(form) for form in RENDERERS]


def test_threads_and_decisions_draw_nothing_again(drawn):
    compare_kept(TOY, of(TOY, "bleu", "human"), jobs=2)
    for other in (
        {},
        {"alpha": 0.2},
        {"correction": "by"},
        {"baseline": "B"},
        {"rank_rule": "overlap"},
    ):
        found = compare_kept(TOY, of(TOY, "bleu", "human"), **other)
        assert drawn == ["bleu", "human"]
        assert found == compare(TOY, of(TOY, "bleu", "human"), **QUICK | other)
        del drawn[2:]


def test_a_name_is_said_anew_and_draws_nothing(drawn):
    compare_kept(TOY, of(TOY, "bleu"))
    assumed = Assumption("direction-default", {"metric": "X"})
    for testset in (
        replace(TOY, name="other"),
        replace(TOY, assumed=(assumed,)),
        replace(TOY, lines=range(2, 42)),
    ):
        found = compare_kept(testset, of(TOY, "bleu"))
        assert (
            len(drawn) == 1
            and found.testset.name == testset.name
            and found.testset.assumed == testset.assumed
        )


def test_whatever_else_is_asked_is_drawn(drawn):
    asked = [
        (TOY, of(TOY, "bleu"), {}),
        (TOY, [make_metric("bleu", lowercase=True)], {}),
        (TOY, of(TOY, "bleu"), {"seed": 1}),
        (TOY, of(TOY, "bleu"), {"resamples": 59}),
        (TOY, of(TOY, "bleu"), {"unit": "segment"}),
        (TOY, of(TOY, "bleu"), {"unit": "segment", "trials": 149}),
        (TOY, of(TOY, "chrf"), {}),
        (TOY, of(TOY, "human"), {}),
        (replace(TOY, tokenizer="char"), of(TOY, "bleu"), {}),
    ]
    for testset, metrics, settings in asked:
        compare_kept(testset, metrics, **settings)
    assert len(drawn) == len(asked)


def test_of_metrics_of_others_nothing_is_kept(drawn, tmp_path):
    class Length:
        name, higher_is_better, stat_names = "length", True, ("other", "words", "one")

        def statistics(self, testset, progress=None):
            return make_metric("bleu").statistics(testset)[..., -3:]

        def score(self, sums):
            return sums[..., 1] / sums[..., 2]

        def signature(self, testset):
            return "words"

    for _ in range(2):
        compare_kept(TOY, [Length()])
    assert len(drawn) == 2
    for entry in tmp_path.iterdir():  # counts of our metrics, which the caveats ask for
        counts = decode(np.ndarray, entry.read_bytes()[16:])
        assert counts.shape[-1] != len(Length.stat_names)


def test_a_damaged_entry_is_drawn_again(drawn, tmp_path):
    first = compare_kept(TOY, of(TOY, "bleu")).render("json")
    for entry in tmp_path.glob("*.stats"):
        entry.write_bytes(entry.read_bytes()[:-1])
    assert compare_kept(TOY, of(TOY, "bleu")).render("json") == first and len(drawn) == 2
