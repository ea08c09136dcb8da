"""How far an annotation is, and what its open pairs would take: counted by a plain loop, shown by the
command and as JSON.
"""

import json
from pathlib import Path

import pytest

from mtsig_core import TestSet, compare
from mtsig_core.annotation_progress import ProgressRow, measure_progress
from mtsig_core.cli.main import main
from mtsig_core.judgements import Annotation, AttentionCheck, Judgement, Judgements
from mtsig_core.report.progress_report import list_open_pairs, open_pairs_table, progress_blocks

FILE = Path(__file__).parents[1] / "readers" / "pearmut" / "dynamic.annotations.json"


@pytest.fixture
def rated():
    """Three systems, 24 documents of two items in two domains, all by two raters, an hour each."""
    rows, annotations = [], []
    scores = {name: [None] * 48 for name in "ABC"}
    for k in range(48):
        rater = "xy"[k // 24]
        if k % 2 == 0:
            annotations.append(Annotation(f"n{k // 2}", rater, 1000.0 * k, 300.0, 2))
        for name, level in (("A", 80), ("B", 79.6), ("C", 40)):
            score = level + (k * 7 + ord(name) * 3) % 11
            scores[name][k] = float(score)
            rows.append(Judgement(name, k + 1, score, rater, f"n{k // 2}"))
    checks = (AttentionCheck("x", True), AttentionCheck("x", False), AttentionCheck("y", True))
    return TestSet(
        "campaign",
        {name: [None] * 48 for name in "ABC"},
        {},
        documents=[f"d{k // 2}" for k in range(48)],
        domains=["news" if k < 16 else "edu" for k in range(48)],
        scores={"ESA": scores},
        judgements=Judgements("ESA", tuple(rows), tuple(annotations), checks),
    )


def test_all_is_counted(rated):
    rows = {(row.kind, row.name): row for row in measure_progress(rated)}
    assert rows["all", ""] == ProgressRow("all", "", 24, 48, 144, 2, 2.0, 150.0, 3, 2)
    assert rows["domain", "news"] == ProgressRow(
        "domain", "news", 8, 16, 48, 1, 8 / 12, 150.0, 0, 0
    )
    assert rows["system", "B"] == ProgressRow("system", "B", 24, 48, 48, 2, None, None, 0, 0)
    assert rows["rater", "x"] == ProgressRow("rater", "x", 12, 24, 72, 1, 1.0, 150.0, 2, 1)
    part = {(row.kind, row.name): row for row in measure_progress(rated.take(range(4)).only("AB"))}
    assert part["all", ""].items == 4 and part["rater", "x"].documents == 2


def test_open_pairs_say_what_they_would_take(rated):
    comparison = compare(rated, ["ESA"], trials=999, resamples=999)
    result = comparison.metrics["ESA"]
    [row] = list_open_pairs(comparison, result)
    assert {row.pair.a, row.pair.b} == {"A", "B"}
    [total] = [row for row in comparison.testset.progress if row.kind == "all"]
    table = open_pairs_table([row], total, "documents")
    cells = dict(zip([column.key for column in table.columns], table.rows[0], strict=True))
    assert cells["more"] == max(0, row.plan.size_family.units - 24)
    assert cells["hours"] == pytest.approx(cells["more"] * 2.0 / 24)
    assert [block.table.key for block in progress_blocks(comparison)] == ["progress", "open-pairs"]
    at_look = compare(rated, ["ESA"], trials=999, resamples=999, look="2/5")
    at_level = compare(rated, ["ESA"], trials=999, resamples=999, alpha=0.04)
    assert list_open_pairs(at_look, result)[0].plan == list_open_pairs(at_level, result)[0].plan
    assert not list(
        progress_blocks(compare(TestSet("s", rated.systems, {}, scores=rated.scores), ["ESA"]))
    )


def test_the_command_shows_it_and_json_has_it(capsys):
    main(["task", str(FILE), "--trials", "99", "--resamples", "99"])
    out = capsys.readouterr().out
    assert (
        "eng_Latn-ces_Latn: progress of the annotation" in out
        and "All language pairs: progress" in out
    )
    main(["task", str(FILE), "--trials", "99", "--resamples", "99", "--format", "json"])
    record = json.loads(capsys.readouterr().out)
    rows = record["pairs"]["eng_Latn-ces_Latn"]["testset"]["progress"]
    assert rows[0]["kind"] == "all" and rows[0]["items"] == 7
