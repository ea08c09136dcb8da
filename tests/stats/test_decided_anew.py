"""Other corrections of what was drawn are those of a comparison made anew, in every field."""

import numpy as np
import pytest

from mtsig_core import TestSet, compare
from mtsig_core.stats.comparison import corrected_by, serves_corrections
from mtsig_core.stats.significance import ADJUSTMENTS, TESTS

WORDS = "the small cat sat on a mat and saw one dog run".split()


def texts(n_segments, worse, seed):
    """Sentences with this share of the words changed."""
    rng = np.random.default_rng(seed)
    return [" ".join("x" if rng.random() < worse else word for word in WORDS[k % 4:k % 4 + 8])
            for k in range(n_segments)]


def corpus(n_segments, n_documents, **more):
    systems = {name: texts(n_segments, share, k) for k, (name, share) in enumerate(
        {"A": 0.1, "B": 0.14, "C": 0.2, "C again": 0.2, "D": 0.32}.items())}
    systems["C again"] = [*systems["C"][:-3], *systems["C again"][-3:]]  # they differ in three lines
    return TestSet("made up", systems, {"ref": texts(n_segments, 0, 0), **more},
                   documents=[f"d{k * n_documents // n_segments}" for k in range(n_segments)])


def rated():
    """Scores with gaps: two systems have no segment in common."""
    rng = np.random.default_rng(3)
    scores = {name: (rng.normal(level, 5, 60)).tolist() for name, level in (("A", 70), ("B", 66), ("C", 65), ("D", 60))}
    scores["C"][:30] = scores["D"][30:] = [None] * 30
    return TestSet("rated", {name: [None] * 60 for name in scores}, {}, scores={"human": scores})


CASES = {
    "many documents": (corpus(240, 60), "bleu", {}),
    "by segment": (corpus(240, 60), "chrf", {"unit": "segment", "test": "bootstrap"}),
    "seven documents, all swaps": (corpus(70, 7), "bleu", {}),
    "seven documents: some corrections decide nothing": (corpus(70, 7), "bleu", {"test": "bootstrap"}),
    "too few trials for some": (corpus(120, 40), "bleu", {"trials": 99}),
    "two references, too few trials for some": (corpus(120, 40, other=texts(120, 0.05, 9)), "bleu", {"trials": 99}),
    "two references": (corpus(120, 40, other=texts(120, 0.05, 9)), "ter", {}),
    "a baseline": (corpus(120, 40), "bleu", {"baseline": "B"}),
    "percentile": (corpus(120, 40), "bleu", {"test": "percentile", "correction": "none"}),
    "gaps": (rated(), "human", {}),
    "t": (rated(), "human", {"test": "t", "correction": "none"}),
}


@pytest.mark.parametrize("correction", ADJUSTMENTS)
@pytest.mark.parametrize("case", CASES)
def test_as_a_comparison_with_that_correction(case, correction):
    testset, metric, settings = CASES[case]
    settings = {"trials": 999, "resamples": 300, **settings}
    drawn = compare(testset, metric, **settings)
    assert serves_corrections(drawn.settings)
    assert corrected_by(drawn, testset, correction) == compare(testset, metric, **settings | {"correction": correction})


def test_the_cases_have_what_tells_corrections_apart():
    found = {case: compare(testset, metric, **{"trials": 999, "resamples": 300, **settings})
             for case, (testset, metric, settings) in CASES.items()}

    def decided(case, correction):
        testset, metric, _ = CASES[case]
        result = corrected_by(found[case], testset, correction).metrics[metric]
        return [pair.better for pair in result.pairs], [pair.decidable for pair in result.pairs], result.by_reference

    assert decided("many documents", "none")[0] != decided("many documents", "bonferroni")[0]
    few = "seven documents: some corrections decide nothing"
    assert any(decided(few, "none")[1]) and not any(decided(few, "bonferroni")[1])
    references = "two references, too few trials for some"
    assert decided(references, "none")[2] and not decided(references, "bonferroni")[2]
    assert any(pair.n == 0 for pair in found["gaps"].metrics["human"].pairs)


def test_what_lacks_something_does_not_serve():
    testset, _, _ = CASES["many documents"]
    for settings in ({"correction": "holm"}, {"test": "koehn"}, {"test": "percentile"}, {"rank_rule": "overlap"}):
        found = compare(testset, "bleu", trials=99, resamples=50, **settings)
        assert not serves_corrections(found.settings), (settings, TESTS[found.settings.test])
