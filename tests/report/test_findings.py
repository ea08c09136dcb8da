"""The findings of a task: held against the comparison, AutoRank and means by domain; LaTeX is whole
in structure.
"""

import itertools
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from mtsig_core import SystemInfo, Task, compare, read_task
from mtsig_core.experiments.rankings import autorank, make_findings
from mtsig_core.report import latex
from mtsig_core.report.experiment_reports import findings_report, findings_table
from mtsig_core.report.reports import render_report
from mtsig_core.report.tables import rank_table, starred_matrix
from mtsig_core.simulation.corpus import simulated_task
from mtsig_core.testset import SegmentScores
from tests.builders.results import find_pair


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
    return make_findings(task, trials=999)


def test_the_table_has_ranks_scores_autorank_and_domains(task, found):
    assert found.metric == "human"
    assert [*found.pairs] == ["qaa-en", "qab-en"]
    table, testset = findings_table(found, "qab-en"), task.testsets["qab-en"]
    result = compare(testset, "human", trials=999).metrics["human"]
    names = [row.system for row in result.systems]
    assert table.values("system") == names
    assert table.values("rank") == [(row.rank_low, row.rank_high) for row in result.systems]
    assert table.values("score") == pytest.approx([row.score for row in result.systems])
    ranked = autorank(task, ["m1", "m2"], resamples=9).pairs["qab-en"].systems
    by_system = {row.system: row.autorank for row in ranked}
    assert table.values("autorank") == pytest.approx([by_system[name] for name in names])
    human = testset.scores["human"].by_system
    scores = np.array([human[name] for name in names], dtype=float)
    domains = [key for key in table.keys if key.startswith("domain_")]
    assert domains
    for domain in domains:
        inside = np.array(testset.domains) == domain.removeprefix("domain_")
        means = np.nanmean(scores[:, inside], axis=1)
        assert table.values(domain) == pytest.approx(means)
        assert [row for row, key in table.marks if key == domain] == [np.argmax(means)]


def test_tracks_are_shaded_and_unsupported_languages_told(found):
    table = findings_table(found, "qab-en")
    assert {table.values("system")[k] for k in table.grey} == {
        name for name in table.values("system") if not name.endswith("-closed")
    }
    assert [table.values("printed")[k] for k in table.dark] == ["Oak-closed"]
    assert not findings_table(found, "qaa-en").dark


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
    wins = dict.fromkeys(names, 0)
    ours_is_other = False
    for (row, name), (column, other) in itertools.permutations(enumerate(names), 2):
        cell = matrix.values(str(column + 1))[row]
        assert cell.rstrip("*†‡") == f"{scores[name] - scores[other]:+.2f}"
        pair = find_pair(result, name, other)
        is_marked = cell[-1] in "*†‡"
        assert is_marked == (pair.rule_better is not None)
        wins[name] += is_marked and cell[0] == "+"
        ours_is_other |= f"{abs(pair.delta):.2f}" != cell.strip("+-*†‡")
    assert ours_is_other
    assert wins == {name: tally[0] for name, tally in result.tally().items()}
    test = "a two-sided Wilcoxon test in each domain, combined by Stouffer"
    said = (
        f"Ranked as WMT24, {sum(wins.values())} of 66 pairs differ by {test}, without correction."
    )
    for form in ("text", "html"):
        assert said in render_report(findings_report(ruled), form)


def test_files_have_the_marks_and_the_legend(found):
    report = findings_report(found)
    code = render_report(report, "latex")
    assert code.count(r"\begin{tabular}") == 4
    for part in (r"$\dagger$", r"\rowcolor", "Dark grey: language not supported"):
        assert part in code
    assert re.search(r"\\cellcolor\[gray\]\{.75\}Oak-closed &", code)
    assert re.search(r" & \$-\$\d+\.\d\d(\*|\$\\d?dagger\$)? &", code)
    page = render_report(report, "html")
    assert "Grey: not in the constrained track" in page
    assert page.count('<td class="name dark">Oak-closed') == 1
    text = render_report(report, "text")
    assert "Language not supported: Oak-closed." in text
    assert "AutoRank as WMT25" in text
    assert "Grey" not in text
    record = json.loads(render_report(report, "json"))["pairs"]["qab-en"]
    assert [row["system"] for row in record["systems"] if row["unsupported"]] == ["Oak-closed"]


def test_the_command_and_what_the_metadata_say(tmp_path, run):
    scores = tmp_path / "automatic_scores"
    scores.mkdir()
    for k, name in enumerate("AB"):
        lines = []
        for n in range(20):
            row = {"language_pair": "en-de_DE", "domain": "news", "document_id": f"n{n}"}
            values = {"BLEURT": [n / 40 + k / 4, k / 2]}
            lines.append(json.dumps(row | {"metric_scores": values}))
        (scores / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    supported = {"en-de_DE": "unsupported", "en-cs_CZ": "supported"}
    metadata = {"A": {"constrained": True, "supported_lps": supported}}
    (tmp_path / "systems_metadata.json").write_text(json.dumps(metadata))
    assert read_task(tmp_path).systems["A"].unsupported == ("en-de_DE",)
    text = run("findings --trials 999 --folder", tmp_path).out
    assert "Language not supported: A." in text
    assert "AutoRank" not in text


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
    quick = dict(trials=99, resamples=20)
    both = make_findings(task, ["human", "bleu"], rank_rule="wmt25", **quick)
    table, testset = findings_table(both, "qab-en"), task.testsets["qab-en"]
    bleu = compare(testset, "bleu", **quick).metrics["bleu"]
    ranks = {row.system: (row.rank_low, row.rank_high) for row in bleu.systems}
    assert table.values("rank_bleu") == [ranks[name] for name in table.values("system")]
    ruled = compare(testset, "human", rank_rule="wmt25", **quick).metrics["human"]
    assert table.values("rank") == [(row.rank_low, row.rank_high) for row in ruled.systems]
    note = "Ranks by BLEU are simultaneous rank ranges, because the rule is for segment scores."
    assert note in render_report(findings_report(both), "text")
    of_scores = make_findings(task, ["human", "m1"], rank_rule="wmt25", **quick)
    assert note not in render_report(findings_report(of_scores), "text")


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
