"""The findings of a task: held against the comparison, AutoRank and means by domain; LaTeX is whole
in structure.
"""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from mtsig_core import SystemInfo, Task, compare, read_task
from mtsig_core.cli.main import main
from mtsig_core.experiments.rankings import autorank, make_findings
from mtsig_core.report import latex
from mtsig_core.report.experiment_reports import findings_report, findings_table
from mtsig_core.report.reports import render_report
from mtsig_core.report.tables import rank_table, starred_matrix
from mtsig_core.simulation.corpus import simulated_task
from mtsig_core.testset import SegmentScores


@pytest.fixture(scope="module")
def task():
    """The simulated task with two metrics beside human scores, and a system that does not support a
    language pair.
    """
    whole, rng = simulated_task(), np.random.default_rng(3)

    def add_metrics(pair, testset):
        human = testset.scores["human"].by_system
        noisy = {
            f"m{k}": SegmentScores(
                {
                    name: [None if score is None else score + 30 * rng.normal() for score in scores]
                    for name, scores in human.items()
                }
            )
            for k in (1, 2)
        }
        return replace(testset, scores={**testset.scores, **noisy})

    testsets = {
        pair: add_metrics(pair, testset)
        for pair, testset in whole.testsets.items()
        if pair != "qac-en"
    }
    systems = {
        name: info
        for name, info in whole.systems.items()
        if any(name in testset.systems for testset in testsets.values())
    }
    return Task(
        "toy", testsets, systems | {"Oak-closed": SystemInfo(True, unsupported=("qab-en",))}
    )


@pytest.fixture(scope="module")
def found(task):
    return make_findings(task, trials=1999)


def test_the_table_has_ranks_scores_autorank_and_domains(task, found):
    assert found.metric == "human" and [*found.pairs] == ["qaa-en", "qab-en"]
    table, testset = findings_table(found, "qab-en"), task.testsets["qab-en"]
    result = compare(testset, "human", trials=1999).metrics["human"]
    assert table.values("system") == [row.system for row in result.systems]
    assert table.values("rank") == [(row.rank_low, row.rank_high) for row in result.systems]
    assert table.values("score") == pytest.approx([row.score for row in result.systems])
    ranked = {
        row.system: row.autorank
        for row in autorank(task, ["m1", "m2"], resamples=9).pairs["qab-en"].systems
    }
    assert table.values("autorank") == pytest.approx(
        [ranked[name] for name in table.values("system")]
    )
    for domain in [key.removeprefix("domain_") for key in table.keys if key.startswith("domain_")]:
        means = {
            name: np.mean(
                [
                    score
                    for score, one in zip(scores, testset.domains, strict=True)
                    if one == domain and score is not None
                ]
            )
            for name, scores in testset.scores["human"].by_system.items()
        }
        shown = table.values(f"domain_{domain}")
        assert shown == pytest.approx([means[name] for name in table.values("system")])
        assert [k for k, key in table.marks if key == f"domain_{domain}"] == [int(np.argmax(shown))]


def test_tracks_are_shaded_and_unsupported_languages_told(found):
    table = findings_table(found, "qab-en")
    assert {table.values("system")[k] for k in table.grey} == {
        name for name in table.values("system") if not name.endswith("-closed")
    }
    told = [name for name in table.values("printed") if "not supported" in name]
    assert told == ["Oak-closed (language not supported)"]
    assert not any(
        "not supported" in name for name in findings_table(found, "qaa-en").values("printed")
    )


def test_pairs_have_marks_by_their_adjusted_p(found):
    result = found.pairs["qaa-en"].comparison.metrics["human"]
    matrix, names = starred_matrix(result), [row.system for row in result.systems]
    seen = set()
    for pair in result.pairs:
        p, k = pair.p_adjusted, [*names].index(pair.a)
        expected = "‡" if p < 0.001 else "†" if p < 0.01 else "*" if p < 0.05 else ""
        cell = matrix.values(str(names.index(pair.b) + 1))[k]
        assert cell == f"{pair.delta:+.2f}{expected}"
        seen.add(expected)
    assert seen >= {"†", ""}


def test_head_to_head_is_of_the_rule_that_ranks(task):
    """As WMT24 the differences are of means over domains, with the p of that rule; no mark
    contradicts a rank.
    """
    ruled = make_findings(task, trials=999, rank_rule="wmt24")
    result = ruled.pairs["qaa-en"].comparison.metrics["human"]
    matrix, scores = starred_matrix(result), {row.system: row.score for row in result.systems}
    names = list(scores)
    ours_is_other = 0
    for row, name in enumerate(names):
        for column, other in enumerate(names):
            cell = matrix.values(str(column + 1))[row]
            if name == other:
                continue
            assert cell.rstrip("*†‡") == f"{scores[name] - scores[other]:+.2f}"
            pair = next(pair for pair in result.pairs if {pair.a, pair.b} == {name, other})
            assert (cell[-1] in "*†‡") == (pair.rule_better is not None)
            ours_is_other += f"{abs(pair.delta):.2f}" != cell.strip("+-*†‡")
    assert ours_is_other
    wins = sum(
        mark in "*†‡" for row in matrix.texts() for mark in (cell[-1:] for cell in row[2:]) if mark
    )
    assert wins / 2 == sum(tally[0] for tally in result.tally().values())
    by_rule = sum(pair.rule_better is not None for pair in result.pairs)
    for form in ("text", "html"):
        assert (
            f"Ranked as WMT24, {by_rule} of 66 pairs differ, without correction."
            in render_report(findings_report(ruled), form)
        )
    record = json.loads(render_report(findings_report(ruled), "json"))["pairs"]["qaa-en"]["pairs"][
        0
    ]
    first = result.pairs[0]
    assert (
        record["difference"],
        record["rule_difference"],
        record["rule_p"],
        record["rule_better"],
    ) == (first.delta, first.rule_delta, first.rule_p, first.rule_better)


def test_all_forms_have_the_numbers(found):
    code = render_report(findings_report(found), "latex")
    assert code.count(r"\begin{tabular}") == 4
    assert r"$\dagger$" in code and r"\rowcolor" in code and "language not supported" in code
    page = render_report(findings_report(found), "html")
    assert "Grey: not in the constrained track" in page and "†" in page
    text = render_report(findings_report(found), "text")
    assert "AutoRank as WMT25" in text and "Grey" not in text
    rows = [*csv.DictReader(io.StringIO(render_report(findings_report(found), "csv")))]
    record = json.loads(render_report(findings_report(found), "json"))["pairs"]["qab-en"]
    own = [row for row in rows if row["language_pair"] == "qab-en" and row["table"] == "systems"]
    assert [row["system"] for row in own] == [row["system"] for row in record["systems"]]
    assert sum(row["unsupported"] == "True" or row["unsupported"] == "true" for row in own) == 1


def test_the_command_and_what_the_metadata_say(tmp_path, capsys):
    scores = tmp_path / "automatic_scores"
    scores.mkdir()
    for k, name in enumerate("AB"):
        (scores / f"{name}.jsonl").write_text(
            "".join(
                json.dumps(
                    {
                        "language_pair": "en-de_DE",
                        "domain": "news",
                        "document_id": f"n{n}",
                        "metric_scores": {"BLEURT": [n / 40 + k / 4, k / 2]},
                    }
                )
                + "\n"
                for n in range(20)
            )
        )
    (tmp_path / "systems_metadata.json").write_text(
        json.dumps(
            {
                "A": {
                    "constrained": True,
                    "supported_lps": {"en-de_DE": "unsupported", "en-cs_CZ": "supported"},
                }
            }
        )
    )
    assert read_task(tmp_path).systems["A"].unsupported == ("en-de_DE",)
    asked = ["findings", "--folder", str(tmp_path), "--trials", "999"]
    assert main(asked) == 0
    text = capsys.readouterr().out
    assert "A (language not supported)" in text and "AutoRank" not in text


@pytest.mark.long
def test_further_metrics_stand_beside_the_one_that_ranks(task, found):
    several = make_findings(task, ["human", "m1"], trials=1999)
    table, alone = findings_table(several, "qab-en"), findings_table(found, "qab-en")
    assert table.select(*alone.keys).rows == alone.rows
    result = compare(task.testsets["qab-en"], "m1", trials=1999).metrics["m1"]
    ranks = {row.system: (row.rank_low, row.rank_high) for row in result.systems}
    assert dict(zip(table.values("system"), table.values("rank_m1"), strict=True)) == ranks


def test_a_matrix_too_wide_for_a_page_is_left_to_files(found, monkeypatch):
    monkeypatch.setitem(latex._MOST_IN_MATRIX, "starred", 10)
    code = render_report(findings_report(found), "latex")
    assert code.count(r"\begin{tabular}") == 3
    assert "% qaa-en: head-to-head: too many systems for a page. CSV has the numbers." in code
    assert render_report(findings_report(found), "html").count("Row against column") == 2


def test_a_further_metric_of_texts_stands_beside_ranks_by_segment_scores(task):
    """Its ranks are simultaneous rank ranges, as the rule needs segment scores; so the table
    says.
    """
    both = make_findings(task, ["human", "bleu"], trials=999, rank_rule="wmt25")
    table = findings_table(both, "qab-en")
    bleu = compare(task.testsets["qab-en"], "bleu", trials=999).metrics["bleu"]
    ranks = {row.system: (row.rank_low, row.rank_high) for row in bleu.systems}
    assert table.values("rank_bleu") == [ranks[name] for name in table.values("system")]
    ruled = compare(task.testsets["qab-en"], "human", trials=999, rank_rule="wmt25").metrics[
        "human"
    ]
    assert table.values("rank") == [(row.rank_low, row.rank_high) for row in ruled.systems]
    note = "Ranks by BLEU are simultaneous rank ranges, because the rule is for segment scores."
    assert note in render_report(findings_report(both), "text")
    assert note not in render_report(
        findings_report(make_findings(task, ["human", "m1"], trials=999, rank_rule="wmt25")), "text"
    )


def test_only_systems_known_to_be_outside_the_constrained_track_are_grey(task):
    """Not one whose track nobody knows, nor a reference that takes part."""
    names = list(task.testsets["qab-en"].systems)
    infos = {
        names[0]: SystemInfo(True),
        names[1]: SystemInfo(False),
        names[2]: SystemInfo(None),
        names[3]: SystemInfo(False, kind="human"),
    }
    known = replace(task, systems=infos | {name: SystemInfo(None) for name in names[4:]})
    small = make_findings(known, "human", trials=99, resamples=20)
    table = findings_table(small, "qab-en")
    assert {table.values("system")[row] for row in table.grey} == {names[1]}
    ranking = rank_table(small.comparison, "human")
    assert {ranking.values("system")[row] for row in ranking.grey} == {names[1]}
    nobody = replace(task, systems=dict.fromkeys(task.systems, SystemInfo(False)))
    assert not findings_table(
        make_findings(nobody, "human", trials=99, resamples=20), "qab-en"
    ).grey
