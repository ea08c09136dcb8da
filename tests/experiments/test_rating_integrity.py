"""Integrity of ratings: planted habits of raters are found, and quiet raters have no marks."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from mtsig_core import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.integrity import examine_integrity
from mtsig_core.experiments.rating_integrity import examine_ratings
from mtsig_core.judgements import Judgement, Judgements
from mtsig_core.readers.tasks import read_task
from mtsig_core.report.html import report_html
from mtsig_core.report.integrity_reports import integrity_report
from mtsig_core.report.latex import report_latex
from mtsig_core.report.rating_reports import rating_sections, ratings_report
from mtsig_core.report.text import report_text
from mtsig_core.schema import to_json
from mtsig_core.testset import SegmentScores
from tests.builders.code import DATA
from tests.builders.rated_campaigns import Campaign

PEARMUT = DATA / "pearmut"

#: A constant rater, one 20 points stricter, one that gets 30 points stricter over time, and one
#: that fails checks.
HABITS = {
    "r1": lambda score, place: 70.0,
    "r2": lambda score, place: score - 20,
    "r3": lambda score, place: score - 30 * place,
}
PLANTED = {(7, "C", "r5"): 98.0, (7, "C", "r6"): 14.0}


def find(result, rater):
    [row] = [row for row in result.raters if row.rater == rater]
    return row


def share_covered(campaigns):
    """How often the interval of a rater's strictness holds the true one, among the others'."""
    is_covered = []
    for campaign in campaigns:
        testset, strictness = campaign.make()
        for row in examine_ratings(testset).raters:
            others = [value for rater, value in strictness.items() if rater != row.rater]
            true = strictness[row.rater] - np.mean(others)
            is_covered.append(row.strictness.low <= true <= row.strictness.high)
    return np.mean(is_covered)


@pytest.mark.parametrize("is_shared", [True, False])
def test_planted_habits_are_found_and_no_others(is_shared):
    campaign = Campaign(
        is_shared, 3, strictness_sd=2, n_documents=160, habits=HABITS, share_passed={"r4": 0.2}
    )
    testset, _ = campaign.make()
    result = examine_ratings(testset)
    marks = {row.rater: set(row.marks) for row in result.raters}
    assert {"constant", "narrow"} <= marks["r1"]
    assert "stricter" in marks["r2"]
    assert find(result, "r2").strictness.low > 10
    assert "drift" in marks["r3"]
    assert find(result, "r3").drift.low > 0
    assert marks["r4"] == {"checks"}
    assert all(not marks[rater] for rater in ("r0", "r5", "r6", "r7"))
    assert [row.basis for row in result.raters] == ["outputs" if is_shared else "systems"] * 8


def test_who_clicks_at_random_orders_systems_unlike_the_others():
    rng = np.random.default_rng(5)
    habits = {"r7": lambda score, place: rng.uniform(40, 100)}
    testset, _ = Campaign(True, 5, habits=habits).make()
    rater = find(examine_ratings(testset), "r7")
    assert "order" in rater.marks
    assert abs(rater.order.value - 0.5) < 0.1
    assert abs(rater.correlation) < 0.15


def test_quiet_raters_have_no_marks():
    """By chance one campaign in twenty may have a mark."""
    marked = []
    for seed in range(8):
        for is_shared in (True, False):
            testset, _ = Campaign(is_shared, seed, strictness_sd=0).make()
            for row in examine_ratings(testset).raters:
                marked += row.marks
    assert len(marked) <= 1


@pytest.mark.statistics
@pytest.mark.parametrize("is_shared", [True, False])
def test_intervals_of_strictness_have_the_true_one(is_shared):
    campaigns = [Campaign(is_shared, seed, strictness_sd=2) for seed in range(12)]
    assert 0.88 < share_covered(campaigns) <= 0.99


@pytest.mark.skipif(not PEARMUT.is_dir(), reason="needs the annotations in ../shared/data/pearmut")
@pytest.mark.parametrize("name", ["dynamic", "single-stream"])
def test_strictness_of_simulated_annotators_of_pearmut(name):
    """Their strictness is added to scores, so that it has the opposite sign here."""
    points = json.loads((PEARMUT / f"{name}.truth.json").read_text())["strictness"]
    n_covered = 0
    for testset in read_task(PEARMUT / f"{name}.annotations.json").testsets.values():
        rows = examine_ratings(testset).raters
        assert len(rows) == 6
        for row in rows:
            others = [points[other.rater] for other in rows if other.rater != row.rater]
            true = np.mean(others) - points[row.rater]
            n_covered += row.strictness.low <= true <= row.strictness.high
    assert n_covered >= 11


@pytest.mark.long
@pytest.mark.statistics
def test_campaigns_of_quiet_raters_have_a_mark_seldom():
    n_marked = 0
    for seed in range(200):
        for is_shared in (True, False):
            testset, _ = Campaign(is_shared, seed, strictness_sd=0).make()
            n_marked += any(row.marks for row in examine_ratings(testset).raters)
    assert n_marked == 2


@pytest.mark.long
@pytest.mark.statistics
def test_the_end_of_the_scale_hides_strictness():
    campaigns = [Campaign(True, seed, strictness_sd=5) for seed in range(60)]
    assert 0.87 < share_covered(campaigns) < 0.93


def rate_by_hand(scores, higher=True):
    """Ratings {(rater, line): score} of one system; each line is a document."""
    rows = [Judgement("A", line, score, rater, "") for (rater, line), score in scores.items()]
    lines = sorted({row.line for row in rows})
    means = SegmentScores({"A": [50.0] * len(lines)}, higher)
    judgements = Judgements("human", tuple(rows), is_campaign=False)
    return TestSet(
        "hand",
        {"A": ["text"] * len(lines)},
        {},
        lines=lines,
        scores={"human": means},
        judgements=judgements,
    )


@pytest.mark.parametrize("higher", [True, False])
def test_of_two_raters_strictness_is_the_paired_mean_with_students_interval(higher):
    first, second = [80, 70, 95, 60, 50, 75], [70, 66, 70, 58, 51, 60]
    scores = {("x", k): value for k, value in enumerate(first, 1)}
    scores |= {("y", k): value for k, value in enumerate(second, 1)}
    result = examine_ratings(rate_by_hand(scores, higher))
    difference = np.subtract(first, second) * (1 if higher else -1)
    half = t.ppf(0.975, 5) * difference.std(ddof=1) / np.sqrt(6)
    strictness = find(result, "y").strictness
    assert strictness.value == pytest.approx(difference.mean())
    assert (strictness.low, strictness.high) == pytest.approx(
        (difference.mean() - half, difference.mean() + half)
    )
    assert find(result, "x").strictness.value == pytest.approx(-difference.mean())
    assert result.disputed[0].line == 3
    assert result.disputed[0].scores == (("y", 70), ("x", 95))
    assert (result.n_outputs, result.n_shared, result.n_sole) == (6, 6, 0)


def test_a_strict_partner_makes_nobody_milder():
    """x is 20 stricter than y and z, who agree; most of y's partners are x."""
    scores = {}
    for line in range(1, 25):
        pair = "xy" if line <= 12 else "yz" if line <= 18 else "xz"
        for rater in pair:
            scores[rater, line] = 60 + line - 20 * (rater == "x")
    result = examine_ratings(rate_by_hand(scores))
    assert find(result, "x").strictness.value == pytest.approx(20)
    assert find(result, "y").strictness.value == pytest.approx(-10)
    assert find(result, "z").strictness.value == pytest.approx(-10)


def test_two_people_98_against_14_come_first_with_their_texts():
    testset, _ = Campaign(True, 8).make()
    rows = [row for row in testset.judgements.rows if (row.line, row.system) != (7, "C")]
    rows += [Judgement("C", 7, 98.0, "r5", "0"), Judgement("C", 7, 14.0, "r6", "0")]
    testset = replace(testset, judgements=replace(testset.judgements, rows=tuple(rows)))
    first = examine_ratings(testset).disputed[0]
    assert (first.line, first.system, first.difference) == (7, "C", 84)
    assert (first.source, first.output) == ("source 7", "C 7")
    text = report_text(ratings_report(examine_ratings(testset)))
    assert "The largest difference is on line 7, C: 14 by r6, 98 by r5." in text


def test_documents_that_one_person_rated_are_listed():
    testset, _ = Campaign(False, 2, n_documents=20).make()
    result = examine_ratings(testset)
    assert (result.n_sole, result.n_documents, result.n_shared) == (20, 20, 0)
    assert {row.n_ratings for row in result.sole_documents} == {20}
    text = report_text(ratings_report(result))
    assert "Only one person rated 20 of 20 documents." in text
    assert "No output has two ratings" in text


def test_a_set_without_raters_says_so():
    testset = TestSet("plain", {"A": ["a"]}, {"ref": ["a"]})
    with pytest.raises(SettingError, match="does not say who gave its ratings"):
        examine_ratings(testset)
    assert examine_integrity(testset).ratings is None
    rated, _ = Campaign(True, n_documents=4).make()
    judgements = replace(rated.judgements, rows=rated.judgements.rows[:20])
    rest = replace(rated, judgements=judgements).take(range(12, 16))
    assert examine_integrity(rest).ratings is None


def test_reports_have_the_ratings_in_each_format():
    testset, _ = Campaign(True, 3, habits=HABITS).make()
    integrity = examine_integrity(testset)
    report = integrity_report(integrity)
    assert "raters stand out: r" in report_text(report)
    assert "Raters" in report_latex(report)
    assert "raters stand out: r" in report_html(report)
    record = report.make_record()
    assert '"r2"' in to_json(record)
    assert record["ratings"]["raters"]["r1"]["frequent_score"] == 70
    rows = ratings_report(integrity.ratings).make_rows()
    assert [row["rater"] for row in rows] == [row.rater for row in integrity.ratings.raters]
    titles = [section.title for section in rating_sections(integrity.ratings, "en-cs")]
    assert titles == ["Ratings, en-cs", "Outputs on which raters disagree most"]
