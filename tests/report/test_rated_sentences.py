"""What is quoted of ratings with gaps is right by itself: how many were compared, and what a
difference is of.
"""

import re
from dataclasses import replace

import numpy as np
import pytest

from mtsig_core import compare
from mtsig_core.report.paragraph import paper_sentences
from mtsig_core.report.sentences import describe_methods
from mtsig_core.stats.across import compare_task
from mtsig_core.task import Task
from tests.builders.markup import Page, methods
from tests.builders.score_tables import rated_systems
from tests.builders.task_files import task_html

N = 60
QUICK = dict(trials=99, resamples=50)
OWN = "A score is the mean over all segments with scores for its system"


def rated(systems="AB", missing=0.3, alike=False, name="toy"):
    """Ratings of systems ever worse, without some at random, or without the last third for all."""
    rng = np.random.default_rng(3)
    scores = {system: rng.normal(80 - 4 * k, 9, N) for k, system in enumerate(systems)}
    for row in scores.values():
        row[rng.random(N) < missing] = np.nan
        if alike:
            row[:] = np.where(np.arange(N) < 40, np.nan_to_num(row, nan=70), np.nan)
    return replace(rated_systems(scores, np.arange(N) // 4), name=name)


def both(testset, a, b):
    """Ratings of two systems on the segments where both have one, counted by hand."""
    scores = testset.scores["human"].by_system
    rows = np.array([scores[a], scores[b]], dtype=float).T
    return rows[~np.isnan(rows).any(axis=1)]


def documents_of_both(testset, a, b):
    """How many documents have such a segment."""
    scores = testset.scores["human"].by_system
    rows = zip(testset.documents, scores[a], scores[b], strict=True)
    return len({row[0] for row in rows if None not in row})


def quoted(found, metric="human"):
    """The sentences for a paper, those of the HTML report, and the paragraph to which the LaTeX
    tables refer.
    """
    said = paper_sentences(found, metric)
    assert said in Page(found.render("html")).text
    return [said, *methods(found.render("latex"))]


@pytest.mark.parametrize("unit", ["segment", "document"])
def test_two_systems_with_ratings_of_different_segments(unit):
    testset = rated()
    common, documents = both(testset, "A", "B"), documents_of_both(testset, "A", "B")
    where = (
        ""
        if unit == "segment"
        else " in 15 documents"
        if documents == 15
        else f" in {documents} of 15 documents"
    )
    texts = quoted(compare(testset, ["human"], unit=unit, **QUICK))
    assert len(texts) == 2 and 0 < len(common) < N
    for text in texts:
        assert f"({len(common)} of 60 segments{where}, those with scores for both systems; " in text
        assert OWN in text and "so it may not equal the difference of the two scores" in text
    (found,) = re.findall(
        r"difference (\S+) points on the (\d+) segments with scores for both", texts[0]
    )
    assert found == (f"{np.subtract(*common.mean(axis=0)):+.2f}", str(len(common)))


@pytest.mark.parametrize("settings", [{}, {"baseline": "C"}, {"test": "koehn"}])
def test_many_systems(settings):
    testset = rated("ABC")
    pairs = ("AC", "BC") if "baseline" in settings else ("AB", "AC", "BC")
    counts = sorted(len(both(testset, *pair)) for pair in pairs)
    documents = sorted(documents_of_both(testset, *pair) for pair in pairs)
    assert documents[0] < documents[-1] <= 15
    for text in quoted(compare(testset, ["human"], **QUICK | settings)):
        assert (
            f"({counts[0]} to {counts[-1]} of 60 segments in {documents[0]} to {documents[-1]} of 15 documents, "
            "those with scores for both systems; segment scores without references)"
        ) in text and OWN in text
        said = re.findall(
            r"difference [-+]\S+ points( on the \d+ segments with scores for both)?", text
        )
        assert all(said)


@pytest.mark.parametrize("systems", ["AB", "ABC"])
def test_systems_with_ratings_of_the_same_segments_have_scores_that_differ_by_the_difference(
    systems,
):
    for text in quoted(compare(rated(systems, alike=True), ["human"], **QUICK)):
        assert "(40 of 60 segments in 10 of 15 documents, those with scores; " in text
        assert OWN not in text and "both" not in text


def test_a_single_system_and_none_in_common():
    for text in quoted(compare(rated("A", alike=True), ["human"], **QUICK)):
        assert "40 of 60 segments have human scores." in text
    apart = rated("ABC", missing=0)
    scores = apart.scores["human"].by_system
    halves = {
        "A": [*scores["A"][:30], *[None] * 30],
        "B": [*[None] * 30, *scores["B"][30:]],
        "C": scores["C"],
    }
    said = paper_sentences(compare(rated_systems(halves), ["human"], **QUICK), "human")
    assert re.search(
        r"difference \S+ points on the 0 segments with scores for both.* not tested", said
    )
    assert "(30 of 60 segments, those with scores for both systems; " in said


def test_a_task_says_it_of_its_language_pairs():
    sets = {"en-de": rated("ABC", name="one"), "en-cs": rated("ABC", alike=True, name="two")}
    found = compare_task(Task("toy", sets), "human", **QUICK)
    said = describe_methods(found, "human")
    n = sorted(len(both(sets["en-de"], *pair)) for pair in ("AB", "AC", "BC"))
    assert f"In en-de: Systems were compared on {n[0]} to {n[-1]} of 60 segments" in said
    assert "In en-cs: Systems were compared on 40 of 60 segments" in said
    assert (
        f"In en-de: {OWN}" in said
        and paper_sentences(found, "human") in Page(task_html(found, "mtsig task")).text
    )
    whole = compare_task(Task("toy", {"en-de": rated("ABC", 0)}), "human", **QUICK)
    assert "Systems were compared on" not in describe_methods(whole, "human")
