"""Who gave which rating, when, and which controls they passed, from files of each kind."""

import json

import numpy as np
import pytest

from mtsig_core import read_scores
from mtsig_core.experiments.rating_integrity import examine_ratings
from mtsig_core.judgements import Annotation, AttentionCheck
from mtsig_core.source import TaskSource
from mtsig_core.stats.kept_tasks import KeptTask
from tests.builders.code import DATA

PUBLISHED = DATA / "human"
ESA = """\
ann,A,1,TGT,eng,ces,90,test-en-news_one,False,[],1724111000.0,1724111010.0
ann,A,2,TGT,eng,ces,80,test-en-news_one,False,[],1724111004.0,1724111030.0
ann,A,1,BAD,eng,ces,20,test-en-news_one#bad,False,[],1724111040.0,1724111050.0
ann,A,2,BAD,eng,ces,75,test-en-news_one#bad,False,[],1724111040.0,1724111050.0
ann,A,2,TGT,eng,ces,60,test-en-news_one#dup,False,[],1724111060.0,1724111070.0
ben,A,1,TGT,eng,ces,60,test-en-news_one,False,[],1724111001.0,1724111005.0
"""


def read_judgements(path, metric="ESA", **options):
    return read_scores([(metric, path)], **options).judgements


def test_appraise_has_times_by_document_and_checks_by_degraded_outputs(write):
    judgements = read_judgements(write("esa.csv", ESA))
    scores = [(row.rater, row.line, row.score) for row in judgements.rows]
    assert scores == [("ann", 2, 90), ("ann", 3, 80), ("ben", 2, 60)]
    annotation = "ann A test-en-news_one"
    assert judgements.annotation_by_id[annotation] == Annotation(
        annotation, "ann", 1724111000.0, 30.0, 2
    )
    assert judgements.checks == (AttentionCheck("ann", True), AttentionCheck("ann", False))
    assert not judgements.is_campaign


def test_segments_that_were_rated_hours_apart_take_their_own_times(write):
    text = ESA.replace("1724111004.0,1724111030.0", "1724119000.0,1724119026.0")
    judgements = read_judgements(write("esa.csv", text))
    assert judgements.annotations[0].seconds == 36


def test_standardized_scores_come_with_those_that_were_given(write):
    """Also of raters without spread, whom the ranking leaves out."""
    rows = [f"ann,A,{k},TGT,eng,ces,{90 - 10 * k},x,False,1.0,2.0" for k in range(3)]
    rows += [f"ben,A,{k},TGT,eng,ces,50,x,False,1.0,2.0" for k in range(3)]
    testset = read_scores([("DA", write("da.csv", "\n".join(rows) + "\n"))])
    assert sorted(testset.scores["DA"].by_system["A"]) == [-1, 0, 1]
    given = {(row.rater, row.score) for row in testset.judgements.rows}
    assert given == {("ann", 90), ("ann", 80), ("ann", 70), ("ben", 50)}
    assert len(testset.judgements.rows) == 6


def test_controls_of_mqm_are_checks(write):
    text = """\
system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity
A\td1\t1\t1\tr1\ts\tt\tMissed\tHOTW-test
A\td1\t1\t1\tr1\ts\tt\tAccuracy/Omission\tMajor
A\td1\t1\t1\tr2\ts\tt\tFound\tHOTW-test
A\td1\t1\t1\tr2\ts\tt\tNo-error\tno-error
"""
    judgements = read_judgements(write("mqm.tsv", text), "mqm")
    assert judgements.checks == (AttentionCheck("r1", False), AttentionCheck("r2", True))
    assert [(row.rater, row.score) for row in judgements.rows] == [("r1", 5), ("r2", 0)]


def test_people_of_wmt25_are_raters_and_unknown_ones_their_slots(write):
    slots = {"human1": 98, "annotator1": "p1", "human2": 14, "annotator2": "unknown"}
    record = {"doc_id": "en-cs_CZ_#_news_#_d_#_0", "scores": {"A": slots}}
    testset = read_scores([("ESA", write("wmt25.jsonl", json.dumps(record) + "\n"))])
    assert testset.scores["ESA"].by_system["A"] == (56,)
    [disputed] = examine_ratings(testset).disputed
    assert disputed.scores == (("human2", 14), ("p1", 98))


def test_a_table_with_raters_keeps_each_rating_and_its_digest(write):
    """The digest is of means, so that cached results and reviews stay."""
    first = "system,line,rater,score\nA,1,x,90\nA,1,y,70\nA,2,x,40\nB,1,x,10\nB,2,y,20\n"
    testset = read_scores([("human", write("t.csv", first))])
    assert [(row.system, row.line, row.rater, row.score) for row in testset.judgements.rows] == [
        ("A", 1, "x", 90),
        ("A", 1, "y", 70),
        ("A", 2, "x", 40),
        ("B", 1, "x", 10),
        ("B", 2, "y", 20),
    ]
    means = "system,line,score\nA,1,80\nA,2,40\nB,1,10\nB,2,20\n"
    plain = read_scores([("human", write("m.csv", means))])
    assert plain.judgements is None
    assert testset.digest.isalnum()
    assert testset.scores["human"].by_system == plain.scores["human"].by_system


def test_a_kept_task_keeps_who_rated(write, tmp_path, monkeypatch):
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path / "cache"))
    write("task/en-de.human.tsv", "system\tline\trater\tscore\nA\t1\tx\t90\nA\t2\ty\t70\n")
    for _ in range(2):
        kept = KeptTask(TaskSource(str(tmp_path / "task"), higher_is_better=("en-de",)))
        [testset] = kept.task.testsets.values()
        assert [row.rater for row in testset.judgements.rows] == ["x", "y"]
        monkeypatch.setattr(TaskSource, "read", None)  # the second time it is on disk


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="needs the ratings in ../shared/data/human")
def test_raters_of_wmt24_who_hardly_vary_are_found():
    path = PUBLISHED / "wmt24/esa_generalMT2024_wave2.csv"
    result = examine_ratings(read_scores([("ESA", path)], langpair="en-zh"))
    by_rater = {}
    for row in read_judgements(path, langpair="en-zh").rows:
        by_rater.setdefault(row.rater, []).append(row.score)
    flattest = min(by_rater, key=lambda rater: np.std(by_rater[rater]))
    assert flattest == "engzho7922"
    assert "narrow" in {row.rater: row.marks for row in result.raters}[flattest]
    n_checks = sum(row.n_checks for row in result.raters)
    assert (sum(row.n_passed for row in result.raters), n_checks, result.n_shared) == (530, 549, 0)
