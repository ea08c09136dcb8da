"""Several looks at a running evaluation: the levels of their plan, and what decides by them."""

import numpy as np
import pytest

from mtsig_core import SettingError, compare, read_scores
from mtsig_core.stats.significance import Look, level_at_look, parse_look
from tests.builders.cases import brief


def rated(rng, n_systems=3, better=4.0):
    """Scores of systems on 20 documents, of which the first system is better."""
    columns = {f"s{k}": list(rng.normal(60 + better * (k == 0), 6, 40)) for k in range(n_systems)}
    columns["docid"] = [f"d{k // 2}" for k in range(40)]
    return read_scores({"human": columns})


@pytest.mark.parametrize("n_planned", [1, 2, 3, 5, 10, 20])
def test_levels_add_up_to_alpha(n_planned):
    levels = [level_at_look(0.05, Look(k + 1, n_planned)) for k in range(n_planned)]
    assert sum(levels) == pytest.approx(0.05)
    assert len(set(levels[:-1])) <= 1
    assert levels[-1] == pytest.approx(0.05 if n_planned == 1 else 0.04)


def test_a_look_decides_as_a_test_at_its_level():
    testset = rated(np.random.default_rng(3))
    looked = compare(testset, "human", look="2/5", trials=999, resamples=200)
    tested = compare(testset, "human", alpha=0.0025, trials=999, resamples=200)
    assert looked.metrics == tested.metrics
    assert (looked.settings.alpha, looked.settings.look) == (0.0025, "2/5")
    at_once = compare(testset, "human", look="1/1", trials=999, resamples=200)
    assert at_once == compare(testset, "human", trials=999, resamples=200)


def test_a_look_is_told_with_its_level():
    testset = rated(np.random.default_rng(3))
    looked = compare(testset, "human", look="5/5", trials=999, resamples=200)
    (told,) = [row for row in looked.warnings if row.code == "one-of-several-looks"]
    assert told.facts["number"] == told.facts["n_planned"] == 5
    assert told.facts["alpha"] == pytest.approx(0.04)
    assert told.facts["together"] == pytest.approx(0.05)
    at_once = compare(testset, "human", trials=999, resamples=200)
    assert "one-of-several-looks" not in {row.code for row in at_once.warnings}


@pytest.mark.parametrize("text", brief(3, ["6/5", "0/5", "2", "", "1/101", "-1/5", "2/5/6", "a/b"]))
def test_a_look_outside_its_plan_is_refused(text):
    with pytest.raises(SettingError, match="Expected its number and how many were planned"):
        parse_look(text)


def test_too_few_trials_for_a_look_are_refused():
    testset = rated(np.random.default_rng(3))
    with pytest.raises(SettingError, match=r"alpha 0\.0025 is below the smallest p"):
        compare(testset, "human", look="2/5", trials=199)


def unequal(means, sizes, higher_is_better=True):
    """Each system rated on the first so many of 60 segments; whether the caution says it."""
    columns = {}
    for k, (mean, size) in enumerate(zip(means, sizes, strict=True)):
        columns[f"s{k}"] = [mean + (j % 3) for j in range(size)] + [None] * (60 - size)
    lower = () if higher_is_better else ("human",)
    testset = read_scores({"human": columns}, lower)
    cautions = compare(testset, "human", trials=999, resamples=100).warnings
    (told,) = [row for row in cautions if row.code == "rated-on-different-lines"]
    return told.facts["follows_means"]


def test_an_assignment_that_follows_the_means_is_told():
    assert unequal([80, 75, 70, 65], [60, 50, 40, 30])
    assert not unequal([80, 75, 70, 65], [30, 40, 50, 60])
    assert unequal([80, 75, 70, 65], [30, 40, 50, 60], higher_is_better=False)
    assert not unequal([80, 75, 70, 65], [60, 59, 58, 57])
    assert not unequal([80, 75, 70], [60, 50, 30])
    assert not unequal([70, 70, 70, 70], [60, 51, 42, 30])


def test_each_rating_is_offered_as_a_segment_where_pairs_are_across_raters():
    rows = {
        "system": ["a", "b", "a", "b"],
        "line": [1, 1, 2, 3],
        "rater": ["x", "y", "x", "y"],
        "score": [70, 60, 80, 50],
    }

    def offered(raters, **changes):
        testset = read_scores({"human": {**rows, **changes}}, raters=raters)
        cautions = compare(testset, "human", trials=999, resamples=100).warnings
        (told,) = [row for row in cautions if row.code == "rated-on-different-lines"]
        assert told.facts["across_raters"] == bool(told.remedies)
        return told.remedies

    assert offered("mean") == ({"raters": "segments"}, {"raters": "adjusted"})
    assert not offered("segments")
    assert not offered("mean", rater=["x"] * 4)


def test_pairs_with_the_fewest_documents_in_common_come_first():
    """Of 40 documents, the systems have the first 40, 12, 28 and 20."""
    rng = np.random.default_rng(5)
    columns = {"docid": [f"d{k}" for k in range(40)]}
    for name, size in (("a", 40), ("b", 12), ("c", 28), ("d", 20)):
        columns[name] = [float(score) for score in rng.normal(70, 5, size)] + [None] * (40 - size)
    cautions = compare(read_scores({"human": columns}), "human", trials=999, resamples=100).warnings
    few = [row.facts["n_documents"] for row in cautions if row.code == "few-common-lines"]
    assert few == [12, 12, 12, 20, 20, 28]
