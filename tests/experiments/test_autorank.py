"""AutoRank: by hand, and the published values of WMT25."""

import csv
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas
import pytest

from mtsig_core import SegmentScores, SettingError, Task, TestSet, compare, read_task
from mtsig_core.experiments.rankings import autorank, combine, weigh_metrics
from mtsig_core.report.experiment_reports import autorank_report
from mtsig_core.report.reports import render_report
from mtsig_core.testset import show_name
from tests.builders.code import DATA
from tests.builders.results import select_cautions

WMT24 = DATA / "human" / "wmt24" / "AutoRank.xlsx"
WMT25 = DATA / "wmt25"


def make_testset(by_metric, documents=None):
    """A test set of scores, {metric: (systems, segments)}, of systems s0, s1, ..."""
    scores = {}
    for metric, rows in by_metric.items():
        by_system = {f"s{k}": row.tolist() for k, row in enumerate(rows)}
        scores[metric] = SegmentScores(by_system, higher_is_better=metric != "errors")
    systems = {name: [None] * len(row) for name, row in by_system.items()}
    return TestSet("toy", systems, {}, scores=scores, documents=documents)


def make_task(n_documents=20, **scores):
    rng = np.random.default_rng(1)
    n = 3 * n_documents
    by_metric = {
        name: SegmentScores(
            {system: list(mean + rng.normal(size=n)) for system, mean in means.items()}
        )
        for name, means in scores.items()
    }
    systems = dict.fromkeys(next(iter(scores.values())), [None] * n)
    documents = [f"d{k // 3}" for k in range(n)]
    testset = TestSet("toy", systems, {}, scores=by_metric, documents=documents)
    return Task("toy", {"en-de": testset})


def rank(testset, **settings):
    """AutoRank of one language pair."""
    return autorank(Task("toy", {"en-de": testset}), **settings).pairs["en-de"]


def test_both_rules_by_hand():
    values = np.array([[[9.0], [5.0], [1.0], [1.0]], [[0.3], [0.4], [0.2], [0.1]]])
    first, second = (
        [6 / 8, 2 / 8, -2 / 8, -2 / 8],
        [0.05 / 0.225, 0.15 / 0.225, -0.05 / 0.225, -0.15 / 0.225],
    )
    mean = (np.array(first) + np.array(second)) / 2
    expected = 1 + 3 * (mean.max() - mean) / (mean.max() - mean.min())
    np.testing.assert_allclose(combine(values, "2025")[:, 0], expected)
    np.testing.assert_allclose(
        combine(values, "2024")[:, 0], [(1 + 7 / 3) / 2, (3 + 1) / 2, (5 + 11 / 3) / 2, 5.0]
    )


def test_equal_scores_share_the_first_place():
    assert (
        combine(np.ones((2, 3, 1)), "2025")[:, 0].tolist()
        == combine(np.ones((2, 3, 1)), "2024")[:, 0].tolist()
        == [1.0, 1.0, 1.0]
    )


def test_the_range_in_resamples_is_of_documents_drawn_alike_for_all_metrics():
    """Held against a loop of its own, with other random numbers."""
    task = make_task(40, x={"A": 1.0, "B": 0.95, "C": 0.0}, y={"A": 0.9, "B": 0.9, "C": -0.5})
    found = autorank(task, resamples=4000).pairs["en-de"]
    scores = np.array(
        [[one.by_system[name] for name in "ABC"] for one in task.testsets["en-de"].scores.values()]
    )
    by_document = scores.reshape(2, 3, 40, 3).mean(axis=3)
    rng = np.random.default_rng(2)
    drawn = np.stack(
        [by_document[:, :, rng.integers(0, 40, 40)].mean(axis=2) for _ in range(4000)], axis=2
    )
    ranked = combine(drawn, "2025")
    for one in found.systems:
        low, high = np.percentile(ranked["ABC".index(one.system)], [2.5, 97.5])
        assert (one.low, one.high) == pytest.approx((low, high), abs=0.12)


@pytest.mark.parametrize("rule", ["2025", "2024"])
def test_weights_make_the_mean_that_autorank_is(rule):
    scores = np.random.default_rng(4).normal(size=(3, 6)) * [[1.0], [40.0], [0.01]]
    scores[2] = 5.0  # a metric that tells nobody apart has no weight
    weighted, ranked = weigh_metrics(scores, rule) @ scores, combine(scores[:, :, None], rule)[:, 0]
    assert np.corrcoef(weighted, ranked)[0, 1] == pytest.approx(-1, abs=1e-12)


def range_by_all_swaps(values, weights, alpha):
    """Rank ranges from each of all swaps of units, by Romano and Wolf's step-down; values (metrics,
    systems, units).
    """
    weighted = np.einsum("m,msu->su", weights, values)
    n_systems, n_units = weighted.shape
    signs = 1 - 2 * np.array(list(product([0, 1], repeat=n_units)))
    pairs = list(combinations(range(n_systems), 2))
    null = np.array([signs @ (weighted[i] - weighted[j]) for i, j in pairs])
    t = np.abs(null) / null.std(axis=1, keepdims=True)
    left, better, worst_p = (
        set(range(len(pairs))),
        np.zeros((n_systems, n_systems), dtype=bool),
        0.0,
    )
    for k in sorted(left, key=lambda k: -t[k, 0]):  # the first swaps nothing
        worst_p = max(worst_p, np.mean(t[sorted(left)].max(axis=0) >= t[k, 0] - 1e-9))
        left.remove(k)
        if worst_p <= alpha:
            i, j = pairs[k] if null[k, 0] > 0 else pairs[k][::-1]
            better[i, j] = True
    return [
        (1 + int(better[:, k].sum()), n_systems - int(better[k].sum())) for k in range(n_systems)
    ]


@pytest.mark.parametrize("rule", ["2025", "2024"])
@pytest.mark.parametrize("seed", range(4))
def test_rank_ranges_are_those_of_all_swaps_of_the_weighted_mean(rule, seed):
    rng = np.random.default_rng(seed)
    of_segments, of_systems = rng.normal(size=(2, 1, 11)), 2 * rng.normal(size=(1, 5, 1))
    values = rng.normal(size=(2, 5, 11)) + of_segments + of_systems
    values[1] *= -30
    testset = make_testset({"x": values[0], "errors": values[1]})
    found = rank(testset, rule=rule, resamples=9)
    weights = weigh_metrics(values.mean(axis=2) * [[1], [-1]], rule) * [1, -1]
    expected = range_by_all_swaps(values, weights, 0.05)
    for row in found.systems:
        assert (row.rank_low, row.rank_high) == expected[int(row.system[1:])]
    assert len({*expected}) > 1
    assert found.settings.trials == 2**11 - 1


@pytest.mark.parametrize("share_missing", [0.0, 0.3])
def test_by_one_metric_the_ranks_are_those_of_the_comparison(share_missing):
    """Also where systems lack scores, so that each pair is compared on what both have."""
    rng = np.random.default_rng(7)
    means = dict(zip("ABCDE", (0.9, 0.8, 0.2, 0.1, -0.4), strict=True))
    testset = make_task(30, x=means).testsets["en-de"]
    kept = {
        name: [None if rng.random() < share_missing else score for score in scores]
        for name, scores in testset.scores["x"].by_system.items()
    }
    testset = replace(testset, scores={"x": SegmentScores(kept, higher_is_better=False)})
    ranked = compare(testset, "x", trials=999, seed=3).metrics["x"]
    found = rank(testset, trials=999, resamples=9, seed=3)
    ranges = {row.system: (row.rank_low, row.rank_high) for row in ranked.systems}
    assert {one.system: (one.rank_low, one.rank_high) for one in found.systems} == ranges
    assert len(set(ranges.values())) > 1


def test_the_same_metric_twice_changes_no_rank():
    testset = make_task(30, x={"A": 0.5, "B": 0.3, "C": 0.0, "D": -0.2}).testsets["en-de"]
    twice = replace(testset, scores={"x": testset.scores["x"], "y": testset.scores["x"]})
    ranks = [
        [(row.system, row.rank_low, row.rank_high) for row in rank(one, resamples=99).systems]
        for one in (testset, twice)
    ]
    assert ranks[0] == ranks[1]


def test_too_few_units_give_no_ranks_and_say_so():
    task = make_task(3, x={"A": 5.0, "B": 0.0, "C": -5.0})
    found = autorank(task, resamples=99)
    assert {(one.rank_low, one.rank_high) for one in found.pairs["en-de"].systems} == {(None, None)}
    text = render_report(autorank_report(found), "text")
    assert (
        "No system is ranked: the test set is too small. A has the best AutoRank of 3 systems."
        in text
    )


@pytest.mark.parametrize("form", ["text", "latex", "json", "csv"])
def test_what_resamples_give_is_called_neither_an_interval_nor_a_rank(form):
    task = make_task(20, x={"A": 1.0, "B": 0.0}, y={"A": 1.0, "B": 0.0})
    text = render_report(autorank_report(autorank(task, trials=999, resamples=99)), form)
    assert "95% CI" not in text and "ci_low" not in text
    if form in ("text", "latex"):
        assert "range in" in text and "Range in resamples: the middle 95" in text
        assert "All rank ranges hold together at about 95%" in text.replace("\\%", "%")
    if form == "text":
        assert "A is significantly better than B" in text


def test_a_system_that_fails_in_few_documents_is_warned_of():
    """As in a comparison by one metric."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(2, 6, 60)) + rng.normal(size=(2, 1, 60))
    values[:, 4, [7, 31]] -= 20
    testset = make_testset(dict(zip("xy", values, strict=True)))
    found = autorank(Task("toy", {"en-de": testset}), trials=999, resamples=9)
    (warned,) = found.pairs["en-de"].warnings
    (expected,) = select_cautions(compare(testset, "x", trials=999), "skewed-system")
    for fact in ("systems", "n_far", "named", "is_worse"):
        assert warned.facts[fact] == expected.facts[fact]
    assert warned.facts["systems"] == ("s4",)
    assert set(warned.facts["named"]) == {"line 8", "line 32"}
    text = render_report(autorank_report(found), "text")
    assert "By AutoRank, a few segments set s4 apart" in text
    assert "hold together at about" not in text
    assert not rank(testset.only(["s0", "s1", "s2", "s3"]), trials=999, resamples=9).warnings


def test_errors_count_downwards_and_people_are_no_metric():
    testset = make_task(human={"A": 0.0, "B": 9.0}, good={"A": 5.0, "B": 1.0}).testsets["en-de"]
    errors = SegmentScores({"A": [1.0] * 60, "B": [2.0] * 60}, higher_is_better=False)
    found = rank(replace(testset, scores={**testset.scores, "bad": errors}), resamples=99)
    assert found.metrics == ("good", "bad")
    places = {row.system: dict(row.places) for row in found.systems}
    assert places == {"A": {"good": 1, "bad": 1}, "B": {"good": 2, "bad": 2}}


def test_a_system_without_a_metric_is_named():
    testset = make_task(x={"A": 1.0, "B": 0.0}).testsets["en-de"]
    more = {**testset.scores, "y": SegmentScores({"A": [1.0] * 60, "B": [2.0] * 60})}
    three = replace(testset, systems={**testset.systems, "C": [None] * 60}, scores=more)
    assert rank(three, resamples=99).without == ("C",)
    with pytest.raises(SettingError, match="fewer than two systems"):
        rank(three.only(["A", "C"]), resamples=99)
    with pytest.raises(SettingError, match="2024"):
        rank(three, rule="2023")


@pytest.mark.skipif(not WMT25.is_dir(), reason="needs the scores of WMT25 in ../shared/data/wmt25")
def test_all_published_values_of_wmt25_come_out():
    with open(WMT25 / "published" / "autorank.tsv") as file:
        published = {
            (row["language_pair"], row["system"]): float(row["autorank"])
            for row in csv.DictReader(file, delimiter="\t")
        }
    found = autorank(read_task(WMT25), resamples=9, trials=99)
    mine = {
        (pair, row.system): row.autorank for pair, one in found.pairs.items() for row in one.systems
    }
    assert mine.keys() == published.keys() and len(mine) == 117
    assert max(abs(mine[key] - published[key]) for key in mine) <= 0.0501


@pytest.mark.skipif(
    not WMT24.is_file(), reason="needs AutoRank.xlsx of WMT24 in ../shared/data/human/wmt24"
)
def test_all_published_values_of_wmt24_come_out():
    """The sheet of each language pair has the scores of both metrics, lower better, and
    AutoRank.
    """
    n = 0
    for sheet in pandas.read_excel(WMT24, sheet_name=None, index_col=0).values():
        sheet = sheet[sheet.index.notna()]
        scores = {}
        for name in ("metricx", "cometkiwi"):
            by_system = {system: [score] * 2 for system, score in sheet[name].items()}
            scores[name] = SegmentScores(by_system, higher_is_better=False)
        testset = TestSet("set", dict.fromkeys(sheet.index, [None] * 2), {}, scores=scores)
        found = rank(testset, rule="2024", resamples=9)
        published = {show_name(system): value for system, value in sheet["AutoRank"].items()}
        assert {row.system: row.autorank for row in found.systems} == pytest.approx(published)
        n += len(published)
    assert n == 244


def test_the_metrics_of_wmt25_are_told():
    five = [
        "CometKiwi-XL",
        "GEMBA-ESA-CMDA",
        "GEMBA-ESA-GPT4.1",
        "MetricX-24-Hybrid-XL",
        "XCOMET-XL",
        "chrF++",
    ]
    testset = make_task(5, **{name: {"A": 1.0, "B": 0.0} for name in five}).testsets["en-de"]
    found = autorank(
        Task("toy", {pair: testset for pair in ("en-it_IT", "en-cs_CZ", "en-mas_KE")}), resamples=9
    )
    assert [len(one.metrics) for one in found.pairs.values()] == [4, 5, 1]
    assert all(one.as_published for one in found.pairs.values()) and "WMT25 used" in render_report(
        autorank_report(found), "text"
    )
    chosen = autorank(Task("toy", {"en-it_IT": testset}), five[:2], resamples=9)
    assert "WMT25 used" not in render_report(autorank_report(chosen), "text")


def test_the_command_prints_it(run, run_json):
    command = "autorank --demo-task --metrics bleu,chrf --pairs qaa-en --resamples 99"
    found = run_json(command)["pairs"]["qaa-en"]
    assert found["metrics"] == ["bleu", "chrf"]
    assert len(found["systems"]) == 12
    first, *_, last = found["systems"]
    assert (first["autorank"], last["autorank"]) == (1.0, 12.0)
    assert first.keys() == {"system", "autorank", "low", "high", "rank_low", "rank_high", "places"}
    assert "language_pair,system,autorank" in run(command, "--format", "csv").out
