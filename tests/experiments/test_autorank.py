"""AutoRank: by hand, and the published values of WMT25."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from mtsig_core import SegmentScores, SettingError, Task, TestSet, read_task
from mtsig_core.cli.main import main
from mtsig_core.experiments.rankings import autorank, combine
from mtsig_core.report.experiment_reports import AUTORANK_FORMS
from mtsig_core.testset import show_name

WMT24 = Path(__file__).resolve().parents[3] / "shared" / "data" / "human" / "wmt24" / "AutoRank.xlsx"
WMT25 = Path(__file__).resolve().parents[3] / "shared" / "data" / "wmt25"


def make_task(n_documents=20, **scores):
    rng = np.random.default_rng(1)
    n = 3 * n_documents
    by_metric = {name: SegmentScores({system: list(mean + rng.normal(size=n)) for system, mean in means.items()})
                 for name, means in scores.items()}
    systems = list(next(iter(scores.values())))
    return Task("toy", {"en-de": TestSet("toy", {name: [None] * n for name in systems}, {}, scores=by_metric,
                                         documents=[f"d{k // 3}" for k in range(n)])})


def test_both_rules_by_hand():
    values = np.array([[[9.0], [5.0], [1.0], [1.0]], [[0.3], [0.4], [0.2], [0.1]]])
    first, second = [6 / 8, 2 / 8, -2 / 8, -2 / 8], [.05 / .225, .15 / .225, -.05 / .225, -.15 / .225]
    mean = (np.array(first) + np.array(second)) / 2
    expected = 1 + 3 * (mean.max() - mean) / (mean.max() - mean.min())
    np.testing.assert_allclose(combine(values, "2025")[:, 0], expected)
    np.testing.assert_allclose(combine(values, "2024")[:, 0], [(1 + 7 / 3) / 2, (3 + 1) / 2, (5 + 11 / 3) / 2, 5.0])


def test_equal_scores_share_the_first_place():
    assert combine(np.ones((2, 3, 1)), "2025")[:, 0].tolist() == combine(np.ones((2, 3, 1)), "2024")[:, 0].tolist() == \
        [1.0, 1.0, 1.0]


def test_intervals_and_ranks_come_from_documents_drawn_alike_for_all_metrics():
    """Held against a loop of its own, with other random numbers."""
    task = make_task(40, x={"A": 1.0, "B": 0.95, "C": 0.0}, y={"A": 0.9, "B": 0.9, "C": -0.5})
    found = autorank(task, resamples=4000).pairs["en-de"]
    scores = np.array([[one.by_system[name] for name in "ABC"] for one in task.testsets["en-de"].scores.values()])
    by_document = scores.reshape(2, 3, 40, 3).mean(axis=3)
    rng = np.random.default_rng(2)
    drawn = np.stack([by_document[:, :, rng.integers(0, 40, 40)].mean(axis=2) for _ in range(4000)], axis=2)
    ranked = combine(drawn, "2025")
    for one in found.systems:
        low, high = np.percentile(ranked["ABC".index(one.system)], [2.5, 97.5])
        assert (one.low, one.high) == pytest.approx((low, high), abs=.12)
    ranges = {one.system: (one.rank_low, one.rank_high) for one in found.systems}
    assert ranges == {"A": (1, 2), "B": (1, 2), "C": (3, 3)}


def test_errors_count_downwards_and_people_are_no_metric():
    task = make_task(human={"A": 0.0, "B": 9.0}, good={"A": 5.0, "B": 1.0})
    testset = task.testsets["en-de"]
    errors = SegmentScores({"A": [1.0] * 60, "B": [2.0] * 60}, higher_is_better=False)
    task = Task("toy", {"en-de": TestSet("toy", testset.systems, {}, scores={**testset.scores, "bad": errors})})
    found = autorank(task, resamples=99).pairs["en-de"]
    assert found.metrics == ("good", "bad")
    assert [(one.system, dict(one.places)) for one in found.systems] == [("A", {"good": 1, "bad": 1}),
                                                                         ("B", {"good": 2, "bad": 2})]


def test_a_system_without_a_metric_is_named():
    task = make_task(x={"A": 1.0, "B": 0.0})
    testset = task.testsets["en-de"]
    more = {**testset.scores, "y": SegmentScores({"A": [1.0] * 60, "B": [2.0] * 60})}
    task = Task("toy", {"en-de": TestSet("toy", {**testset.systems, "C": [None] * 60}, {}, scores=more)})
    assert autorank(task, resamples=99).pairs["en-de"].without == ("C",)
    with pytest.raises(SettingError, match="fewer than two systems"):
        autorank(Task("toy", {"en-de": task.testsets["en-de"].only(["A", "C"])}), resamples=99)
    with pytest.raises(SettingError, match="2024"):
        autorank(task, rule="2023")


@pytest.mark.skipif(not WMT25.is_dir(), reason="needs the scores of WMT25 in ../shared/data/wmt25")
def test_all_published_values_of_wmt25_come_out():
    with open(WMT25 / "published" / "autorank.tsv") as file:
        published = {(row["language_pair"], row["system"]): float(row["autorank"])
                     for row in csv.DictReader(file, delimiter="\t")}
    found = autorank(read_task(WMT25), resamples=99)
    mine = {(pair, row.system): row.autorank for pair, one in found.pairs.items() for row in one.systems}
    assert mine.keys() == published.keys() and len(mine) == 117
    assert max(abs(mine[key] - published[key]) for key in mine) <= 0.0501


@pytest.mark.skipif(not WMT24.is_file(), reason="needs AutoRank.xlsx of WMT24 in ../shared/data/human/wmt24")
def test_all_published_values_of_wmt24_come_out():
    """The sheet of each language pair has the scores of both metrics, lower better, and AutoRank."""
    openpyxl = pytest.importorskip("openpyxl")
    n = 0
    for sheet in openpyxl.load_workbook(WMT24, data_only=True).worksheets:
        header, *rows = sheet.iter_rows(values_only=True)
        records = [dict(zip(header, row, strict=True)) for row in rows if row[0]]
        scores = {name: SegmentScores({row[None]: [row[name]] * 2 for row in records}, higher_is_better=False)
                  for name in ("metricx", "cometkiwi")}
        testset = TestSet(sheet.title, {row[None]: [None] * 2 for row in records}, {}, scores=scores)
        found = autorank(Task("wmt24", {sheet.title: testset}), rule="2024", resamples=9).pairs[sheet.title]
        mine = {one.system: one.autorank for one in found.systems}
        assert mine == pytest.approx({show_name(row[None]): row["AutoRank"] for row in records}, abs=1e-9)
        n += len(mine)
    assert n == 244


def test_the_metrics_of_wmt25_are_told():
    five = ["CometKiwi-XL", "GEMBA-ESA-CMDA", "GEMBA-ESA-GPT4.1", "MetricX-24-Hybrid-XL", "XCOMET-XL", "chrF++"]
    testset = make_task(5, **{name: {"A": 1.0, "B": 0.0} for name in five}).testsets["en-de"]
    found = autorank(Task("toy", {pair: testset for pair in ("en-it_IT", "en-cs_CZ", "en-mas_KE")}), resamples=9)
    assert [len(one.metrics) for one in found.pairs.values()] == [4, 5, 1]
    assert all(one.as_published for one in found.pairs.values()) and "WMT25 used" in AUTORANK_FORMS["text"](found)
    chosen = autorank(Task("toy", {"en-it_IT": testset}), five[:2], resamples=9)
    assert "WMT25 used" not in AUTORANK_FORMS["text"](chosen)


def test_the_command_prints_it(capsys):
    assert main(["autorank", "--demo-task", "--metrics", "bleu,chrf", "--pairs", "qaa-en", "--resamples", "99",
                 "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["pairs"]["qaa-en"]
    assert found["metrics"] == ["bleu", "chrf"] and len(found["systems"]) == 12
    first, *_, last = found["systems"]
    assert (first["autorank"], last["autorank"]) == (1.0, 12.0)
    assert first.keys() == {"system", "autorank", "low", "high", "rank_low", "rank_high", "places"}
    for form, part in (("text", "AutoRank"), ("csv", "language_pair,system,autorank"), ("latex", "\\toprule")):
        assert main(["autorank", "--demo-task", "--metrics", "bleu", "--pairs", "qaa-en", "--resamples", "99",
                     "--format", form]) == 0
        assert part in capsys.readouterr().out
