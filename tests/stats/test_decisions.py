"""Draws decided in another way are a comparison with these settings, in every field, and nothing is
counted.
"""

import numpy as np
import pytest

from mtsig_core import SettingError, Task, TestSet, compare, compare_task, decide, draw
from mtsig_core.stats import comparison, engine
from mtsig_core.stats import draws as draws_module
from mtsig_core.stats.significance import CORRECTIONS, TESTS, romano_wolf
from tests.builders.cases import brief
from tests.builders.replicates import draw_again
from tests.builders.results import find_pair
from tests.builders.score_tables import rated_systems

WORDS = "the small cat sat on a mat and saw one dog run".split()


def texts(n_segments, worse, seed):
    """Sentences with this share of the words changed."""
    rng = np.random.default_rng(seed)
    return [
        " ".join("x" if rng.random() < worse else word for word in WORDS[k % 4 : k % 4 + 8])
        for k in range(n_segments)
    ]


def corpus(n_segments, n_documents, **more):
    systems = {
        name: texts(n_segments, share, k)
        for k, (name, share) in enumerate(
            {"A": 0.1, "B": 0.14, "C": 0.2, "C again": 0.2, "D": 0.32}.items()
        )
    }
    systems["C again"] = [
        *systems["C"][:-3],
        *systems["C again"][-3:],
    ]  # they differ in three lines
    return TestSet(
        "made up",
        systems,
        {"ref": texts(n_segments, 0, 0), **more},
        documents=[f"d{k * n_documents // n_segments}" for k in range(n_segments)],
    )


def rated(domains=None):
    """Scores with gaps: two systems have no segment in common."""
    scores = np.random.default_rng(3).normal([[70], [66], [65], [60]], 5, (4, 60))
    scores[2, :30] = scores[3, 30:] = np.nan
    return rated_systems(dict(zip("ABCD", scores, strict=True)), domains=domains)


CASES = {
    "many documents": (corpus(240, 60), "bleu", {}),
    "by segment": (corpus(240, 60), "chrf", {"unit": "segment", "test": "bootstrap"}),
    "seven documents, all swaps": (corpus(70, 7), "bleu", {}),
    "domains": (rated(["news", "social"] * 30), "human", {}),
    "t": (rated(), "human", {"test": "t", "unit": "segment"}),
    "gaps": (rated(), "human", {}),
    "seven documents: some corrections decide nothing": (
        corpus(70, 7),
        "bleu",
        {"test": "bootstrap"},
    ),
    "too few trials for some": (corpus(120, 40), "bleu", {"trials": 99}),
    "two references, too few trials for some": (
        corpus(120, 40, other=texts(120, 0.05, 9)),
        "bleu",
        {"trials": 99},
    ),
    "two references": (corpus(120, 40, other=texts(120, 0.05, 9)), "ter", {}),
    "koehn": (corpus(120, 40), "ter", {"test": "koehn"}),
    "percentile": (corpus(120, 40), "bleu", {"test": "percentile"}),
}


OTHERS = [
    {"alpha": 0.2},
    {"alpha": 0.01, "ci": "basic"},
    {"ci": "jackknife-t"},
    {"ci": "bca"},
    {"rank_rule": "overlap"},
    {"rank_rule": "wmt24"},
    {"rank_rule": "wmt25", "alpha": 0.1},
    *({"correction": correction} for correction in CORRECTIONS),
    *(
        {"correction": correction, "baseline": name}
        for name in ("A", "B", "D")
        for correction in ("auto", "none", "bh")
    ),
]


def draw_nothing(patch):
    """Whatever draws or counts fails."""

    def fail(*args, **more):
        pytest.fail("drawn or counted again")

    for name in (
        "bootstrap_scores",
        "swap_differences",
        "swap_rows",
        "jackknife_scores",
        "UnitStatistics",
    ):
        patch.setattr(engine, name, fail)
    for module in (draws_module, engine, comparison):
        patch.setattr(module, "measure", fail)
    patch.setattr(engine, "cached_statistics", fail)


@pytest.fixture(scope="module")
def drawn():
    return {
        case: draw(
            testset,
            metric,
            trials=999 if "trials" not in settings else settings["trials"],
            resamples=300,
            **{key: value for key, value in settings.items() if key != "trials"},
        )
        for case, (testset, metric, settings) in CASES.items()
    }


@pytest.mark.parametrize("case", brief(6, CASES))
def test_as_a_comparison_with_these_settings(case, drawn, monkeypatch):
    testset, metric, settings = CASES[case]
    compared = 0
    for other in ({}, *OTHERS):
        asked = {"trials": 999, "resamples": 300, **settings, **other}
        try:
            anew = compare(testset, metric, **asked)
        except SettingError as problem:
            with pytest.raises(SettingError, match=str(problem)[:20]):
                decide(drawn[case], **other)
            continue
        with monkeypatch.context() as patch:
            draw_nothing(patch)
            again = decide(drawn[case], **other)
        assert again == anew, other
        compared += 1
    assert compared > len(OTHERS) / 3


def test_the_cases_have_what_tells_settings_apart(drawn):
    def decide_case(case, **other):
        (result,) = decide(drawn[case], **other).metrics.values()
        return result

    def better(**other):
        return [pair.better for pair in decide_case("many documents", **other).pairs]

    assert better(correction="none") != better(correction="bonferroni")
    assert better(alpha=0.5) != better(alpha=0.01)
    few = "seven documents: some corrections decide nothing"
    for correction, can in (("none", True), ("bonferroni", False)):
        pairs = decide_case(few, correction=correction).pairs
        assert any(pair.decidable for pair in pairs) == can
        references = "two references, too few trials for some"
        assert bool(decide_case(references, correction=correction).by_reference) == can
    assert any(pair.n == 0 for pair in decide_case("gaps").pairs)
    assert {TESTS[one.plan.test].draws for one in drawn.values()} == {"swaps", "bootstrap", "none"}


def test_pairs_that_are_too_many_to_keep_are_made_again_for_each_family(monkeypatch):
    testset, _, _ = CASES["many documents"]
    asked = dict(trials=99, resamples=50)
    usual = {name: compare(testset, "bleu", **asked, baseline=name) for name in (None, "A", "B")}
    monkeypatch.setattr(engine, "_MOST_KEPT", 500)
    draws = draw(testset, "bleu", **asked)
    assert {name: decide(draws, baseline=name) for name in usual} == usual


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("baseline", ["A", "B", "D"])
def test_a_baseline_is_corrected_over_its_own_pairs(gaps, test, baseline):
    """Romano-Wolf of these pairs only, from what the test looks at: all pairs would be a larger
    family.
    """
    scores = np.random.default_rng(1).normal([[61], [60.5], [60], [59.5]], 5, (4, 60))
    if gaps:
        scores[2, :30] = scores[3, 30:] = np.nan
    testset = rated_systems(dict(zip("ABCD", scores, strict=True)))
    asked = dict(test=test, trials=999, resamples=100, correction="romano-wolf")
    comparison = compare(testset, "human", baseline=baseline, **asked)
    pairs = comparison.metrics["human"].pairs
    tested = [pair for pair in pairs if pair.n > 0]
    null = draw_again(comparison, testset)[[pair.n > 0 for pair in pairs]]
    if test == "bootstrap":
        null -= null.mean(axis=1, keepdims=True)
    expected = romano_wolf(np.array([pair.delta for pair in tested]), null)
    assert [pair.p_adjusted for pair in tested] == pytest.approx(expected, abs=1e-12)
    every = compare(testset, "human", **asked).metrics["human"]
    assert any(p.p_adjusted < find_pair(every, p.a, p.b).p_adjusted for p in tested)


def task_of(testset):
    return Task("toy", {"en-de": testset, "en-cs": testset.only(["A", "B", "D"])})


@pytest.mark.parametrize(
    "task, metric, rank_rules",
    [
        (task_of(CASES["many documents"][0]), "bleu", ["overlap"]),
        (task_of(CASES["domains"][0]), "human", ["overlap", "wmt24", "wmt25"]),
    ],
    ids=["texts", "domains"],
)
def test_a_task_draws_nothing_again(task, metric, rank_rules, monkeypatch):
    cache, asked = {}, dict(trials=499, resamples=100)
    compare_task(task, metric, cache=cache, **asked)
    for other in (
        {"alpha": 0.2},
        {"correction": "bh"},
        {"ci": "basic"},
        *({"rank_rule": rule} for rule in rank_rules),
    ):
        anew = compare_task(task, metric, **asked, **other)
        with monkeypatch.context() as patch:
            draw_nothing(patch)
            assert compare_task(task, metric, cache=cache, **asked, **other) == anew


def test_a_rule_by_domain_scores_by_domain_across_language_pairs():
    task = task_of(rated(["news"] * 10 + ["social"] * 50))
    scores = []
    for rule in ("simultaneous", "wmt24"):
        found = compare_task(task, "human", trials=99, resamples=50, rank_rule=rule)
        scores.append({row.system: row.score for row in found.macro["human"].systems})
    assert scores[0] != scores[1]
