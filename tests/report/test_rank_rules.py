"""Ranks by all rules side by side: held against one comparison for each rule, and pairs counted by
a loop.
"""

import numpy as np
import pytest

from mtsig_core import compare, compare_task
from mtsig_core.experiments.rankings import compare_by_rules, count_against_tests
from mtsig_core.report.experiment_reports import (
    rule_counts_table,
    rules_report,
    rules_table,
    rules_verdict,
)
from mtsig_core.report.reports import RENDERERS, render_report
from mtsig_core.report.sentences import describe_methods, list_caution_texts
from mtsig_core.report.tables import pairs_table, signs_table
from mtsig_core.simulation.corpus import simulated_task
from mtsig_core.stats.kept_tasks import KeptDraws
from mtsig_core.stats.ranks import RANK_RULES, fitting_rules
from mtsig_core.task import Task
from tests.builders.results import list_codes, select_cautions
from tests.builders.score_tables import rated_systems

RULES = [*RANK_RULES]


@pytest.fixture(scope="module")
def testset():
    return simulated_task().testsets["qab-en"]


@pytest.fixture(scope="module")
def by_rule(testset):
    cache = KeptDraws()
    return compare_by_rules(
        lambda **given: compare(testset, "human", trials=999, cache=cache, **given), True
    )


def test_each_column_is_the_comparison_by_its_rule(testset, by_rule):
    shown = rules_table(by_rule, "human")
    assert [*by_rule] == RULES
    for rule in RULES:
        one = compare(testset, "human", trials=999, rank_rule=rule).metrics["human"]
        ranks = {row.system: (row.rank_low, row.rank_high) for row in one.systems}
        assert dict(zip(shown.values("system"), shown.values(rule), strict=True)) == ranks
        clusters = {row.system: row.cluster for row in one.systems}
        assert (
            dict(zip(shown.values("system"), shown.values(f"cluster_{rule}"), strict=True))
            == clusters
        )
        tops = {name for k, name in enumerate(shown.values("system")) if (k, rule) in shown.marks}
        assert tops == {name for name, (low, _) in ranks.items() if low == 1}
    first = by_rule["simultaneous"].metrics["human"].systems
    assert shown.ruled == {
        k for k in range(len(first) - 1) if first[k].cluster != first[k + 1].cluster
    }


def test_rules_that_rank_alike_share_a_column_to_read(by_rule):
    shown = rules_table(by_rule, "human")
    ranks = {rule: (shown.values(rule), shown.values(f"cluster_{rule}")) for rule in RULES}
    groups = {rule: [other for other in RULES if ranks[other] == ranks[rule]] for rule in RULES}
    expected = {rule: group for rule, group in groups.items() if group[0] == rule}
    assert len(expected) < len(RULES)
    names = {"simultaneous": "simultaneous", "overlap": "overlap", "pearmut": "Pearmut"}
    names |= {f"wmt{year}": f"WMT{year}" for year in (23, 24, 25, 26)}
    names |= {f"wmt{year}": f"WMT{year} into English" for year in (21, 22)}
    names["wmt22-appraise"] = "WMT22 out of English"
    names["wmt22-appraise-all"] = "WMT22 over all segments"
    to_read = [column for column in shown.columns if column.key in RULES and not column.where]
    assert {column.key: column.title for column in to_read} == {
        rule: ", ".join(map(names.get, group)) for rule, group in expected.items()
    }
    (first, *_) = shown.records()
    assert {f"{rule}_low" for rule in RULES} <= first.keys()


def test_open_pairs_are_counted_by_a_named_test_where_a_rule_decides(by_rule):
    for rule, found in by_rule.items():
        (caution,) = select_cautions(found, "not-equal")
        by_name = caution.text.startswith("By approximate randomization, ")
        assert by_name == (rule != "simultaneous")
        assert "pairs show no significant difference" in caution.text


def test_a_task_says_how_many_pairs_only_the_rule_separates():
    """Items of a document are alike, so that t tests of items separate equal systems."""
    rng = np.random.default_rng(5)
    documents = np.repeat(np.arange(12), 10)
    testsets = {}
    for lang_pair in ("en-de", "en-cs"):
        by_document = rng.normal(70, 5, (4, 12))
        scores = by_document[:, documents] + rng.normal(0, 1, (4, 120))
        testsets[lang_pair] = rated_systems(dict(zip("ABCD", scores, strict=True)), documents)
    task, settings = Task("toy", testsets), {"trials": 999, "resamples": 20}
    found = compare_task(task, "human", rank_rule="wmt26", **settings)
    pairs = []
    for comparison in found.pairs.values():
        pairs += comparison.metrics["human"].pairs
    n_only = sum(pair.rule_better is not None and not pair.significant for pair in pairs)
    assert n_only > 1
    said = f"Ranked as WMT26, {n_only} of 12 pairs differ without a significant difference."
    assert said in list_caution_texts(found, "human")
    ours = compare_task(task, "human", **settings)
    assert not any("without a significant" in text for text in list_caution_texts(ours, "human"))


def test_differences_are_marked(by_rule):
    shown = rules_table(by_rule, "human")
    for word, *ranks in zip(shown.values("differs"), *map(shown.values, RULES), strict=True):
        wins, tops = ({ends[k] == 1 for ends in ranks} for k in (1, 0))
        assert word == ("winner" if len(wins) > 1 else "top group" if len(tops) > 1 else "")
    assert "Cedar-open" in rules_verdict(by_rule, "human")


def test_pairs_that_ranks_tie_or_separate_are_counted(by_rule):
    counts = rule_counts_table(by_rule, "human")
    for rule, row in zip(RULES, counts.records(), strict=True):
        result = by_rule[rule].metrics["human"]
        ranks = {one.system: {*range(one.rank_low, one.rank_high + 1)} for one in result.systems}
        tied = sum(1 for pair in result.pairs if pair.significant and ranks[pair.a] & ranks[pair.b])
        separated = sum(
            1 for pair in result.pairs if not pair.significant and not ranks[pair.a] & ranks[pair.b]
        )
        only_by_rule = sum(
            1 for pair in result.pairs if pair.rule_better is not None and not pair.significant
        )
        counted = row["tied"], row["separated"], row["only_by_rule"]
        assert counted == (tied, separated, only_by_rule)
        assert row["significant"] + row["not_significant"] == len(result.pairs)
        assert row["top_group"] == ", ".join(
            one.system for one in result.systems if one.rank_low == 1
        )
        assert sum(map(int, row["clusters"].split(" + "))) == len(result.systems)
        assert count_against_tests(result)["tied"] == tied


def test_a_task_has_the_language_pairs_that_change_first():
    task, cache = simulated_task(), KeptDraws()
    found = compare_by_rules(
        lambda **given: compare_task(task, ["bleu"], trials=999, cache=cache, **given), False
    )
    assert [*found] == [*fitting_rules(False)]
    shown = rules_table(found, "bleu")
    changed = {
        pair
        for pair, word in zip(shown.values("language_pair"), shown.values("differs"), strict=True)
        if word
    }
    order = list(dict.fromkeys(shown.values("language_pair")))
    assert {*order[: len(changed)]} == changed and len(order) == 3
    assert rule_counts_table(found, "bleu").values("top_group")[0] == "0 of 3"
    report = rules_report({"bleu": found})
    for form in RENDERERS:
        assert render_report(report, form)


@pytest.mark.long
def test_the_command_takes_all_rules(run, run_json):
    asked = "compare --demo-task --metrics human,bleu --trials 999 --resamples 99 --rank-rule all"
    found = run_json(asked)
    assert [*found["metrics"]] == ["human", "bleu"]
    assert "rank_rule" not in found["settings"]
    titles = [rule.title for rule in fitting_rules(False).values()]
    assert [row["rule"] for row in found["metrics"]["bleu"]["rules"]] == titles
    for wrong, said in (
        (f"{asked} --baseline Cedar-open", "--baseline"),
        (f"{asked} --rank-rule al", "Did you mean 'all'?"),
    ):
        refused = run(wrong)
        assert refused.status == 2
        assert said in refused.err


def test_the_matrix_of_signs_has_as_many_wins_as_the_leaderboard(by_rule):
    for rule, one in by_rule.items():
        result = one.metrics["human"]
        table = signs_table(result, one.settings)
        wins = {name: [*row].count(">") for _, name, *row in table.rows}
        assert wins == {name: tally[0] for name, tally in result.tally().items()}
        text = one.render("text")
        assert ("not by the rule of the ranks" in one.render("latex")) == (rule != "simultaneous")
        assert ("significantly better, < worse" in text) == (rule == "simultaneous")


def test_pairs_have_columns_of_the_rule_beside_ours(by_rule):
    result = by_rule["wmt25"].metrics["human"]
    table = pairs_table(result, by_rule["wmt25"].settings)
    assert table.titles[-3:] == ["difference as WMT25", "p as WMT25", "better as WMT25"]
    assert table.values("rule_p") == [pair.rule_p for pair in result.pairs]
    for pair, better in zip(result.pairs, table.values("rule_better"), strict=True):
        assert better == {"a": pair.a, "b": pair.b, None: None}[pair.rule_better]


def test_a_system_without_an_easy_or_hard_domain_is_told_where_domains_are_averaged():
    """C is worse than A wherever both are rated, and is first by means over domains, because only
    easy ones count.
    """
    domains = ["easy"] * 40 + ["hard"] * 40
    scores = np.random.default_rng(5).normal([[70], [68], [66]], 4, (3, 80))
    scores[:, :40] += 20
    scores[2, 40:] = np.nan
    documents = np.arange(80) // 4
    rated = rated_systems(dict(zip("ABC", scores, strict=True)), documents, domains=domains)
    found = {
        rule: compare(rated, "human", trials=99, resamples=99, rank_rule=rule)
        for rule in ("wmt24", "wmt25")
    }
    assert found["wmt24"].metrics["human"].systems[0].system == "C"
    (told,) = select_cautions(found["wmt24"], "domains-of-systems")
    facts = (told.metric, told.facts["systems"], told.facts["domains"])
    assert facts == ("human", ("C",), ("hard",))
    lacks = "C has no human scores in some domains (hard)"
    assert f"{lacks}. This can raise or lower its score and rank." in told.text
    assert "domains-of-systems" not in list_codes(found["wmt25"])
    whole = compare(rated.without(["C"]), "human", trials=99, resamples=99, rank_rule="wmt24")
    assert "domains-of-systems" not in list_codes(whole)


def test_the_method_says_whose_means_are_tested_within_and_across_language_pairs():
    task = simulated_task()
    words = {
        "wmt24": "mean difference of means over domains of two",
        "wmt25": "mean difference of two",
    }
    for rule, across in words.items():
        found = compare_task(task, "human", trials=99, resamples=99, rank_rule=rule)
        method = describe_methods(found, "human")
        assert across in method
        assert ("within a test set are of means over segments" in method) == (rule == "wmt24")


def test_a_rule_that_ranks_nobody_does_not_agree():
    """Four segments can decide no pair of three systems, so that simultaneous rank ranges rank
    nobody.
    """
    scores = {"A": [5.0, 3.0, 4.0, 2.0], "B": [3.0, 4.0, 2.0, 5.0], "C": [4.0, 2.5, 5.0, 2.0]}
    few = rated_systems(scores)
    rules = ["simultaneous", "wmt22", "wmt25"]
    found = {rule: compare(few, "human", trials=99, rank_rule=rule) for rule in rules}
    assert all(row.rank_low is None for row in found["simultaneous"].metrics["human"].systems)
    verdict = rules_verdict(found, "human")
    assert verdict.endswith("No system is ranked by simultaneous rank ranges"), verdict
    assert "All rank rules" not in verdict
    alone = {"simultaneous": found["simultaneous"]}
    assert rules_verdict(alone, "human") == "No rank rule ranks any system"


def test_a_figure_says_that_its_differences_are_of_segment_means_where_ranks_are_not(by_rule):
    for rule, one in by_rule.items():
        drawn = str(one.figure("differences", "human").to_plotly_json())
        assert "Difference in human" in drawn or rule == "wmt24"
        assert ("Difference of segment means in human" in drawn) == (rule == "wmt24")
