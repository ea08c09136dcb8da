"""Pairs under several metrics, against results made by hand."""

from dataclasses import replace

from mtsig_core.report.sentences import state_agreement, state_decisions
from mtsig_core.report.table import Column, Table
from mtsig_core.report.tables import (
    across_table,
    add_metric_columns,
    dispute_counts_table,
    pick_unlike,
    relations_table,
    without_relation,
)
from mtsig_core.results import SystemResult
from mtsig_core.stats.across import FEW, UNDECIDED, Disputed, pairs_across
from tests.builders.results import SETTINGS
from tests.builders.results import result as leaderboard
from tests.builders.toys import metric_result, pair_result


def pair(a, b, delta, better):
    return pair_result(a, b, delta, better, n=10)


def result(name, *pairs, higher_is_better=True):
    systems = tuple(SystemResult(system, 0.0, None, None, None, None) for system in "ABCD")
    return metric_result(systems, pairs, name, higher_is_better)


BLEU = result(
    "bleu",
    pair("A", "B", 1.0, "a"),
    pair("A", "C", 2.0, "a"),
    pair("B", "C", 1.0, None),
    pair("A", "D", 3.0, "a"),
)
# lower is better, and other systems lead: the pairs come the other way round
TER = result(
    "ter",
    pair("B", "A", -2.0, "a"),
    pair("A", "C", -4.0, "a"),
    pair("C", "B", -1.0, "a"),
    higher_is_better=False,
)


def test_pairs_are_turned_as_the_first_metric_has_them():
    found = {(p.a, p.b): p for p in pairs_across([BLEU, TER])}
    assert set(found) == {("A", "B"), ("A", "C"), ("B", "C")}  # D is not scored by both
    assert found["A", "B"].improvements == (1.0, -2.0) and found["A", "B"].decisions == (1, -1)
    assert found["A", "C"].improvements == (2.0, 4.0) and found["A", "C"].decisions == (1, 1)
    assert found["B", "C"].improvements == (1.0, -1.0) and found["B", "C"].decisions == (0, -1)


def test_where_none_decides_and_one_could_not_nobody_knows_whether_they_agree():
    shut = replace(BLEU.pairs[2], decidable=False)
    few = result(
        "chrf",
        BLEU.pairs[0],
        shut,
        replace(BLEU.pairs[1], better=None, significant=False, decidable=False),
    )
    found = pairs_across([BLEU, few])
    assert {(p.a, p.b): p.kind for p in found} == {
        ("A", "B"): "agree",
        ("B", "C"): "cannot be decided",
        ("A", "C"): "significant by some metrics only",
    }
    said = state_decisions(["BLEU", "chrF"], found)
    assert "agree on 1 of 2 pairs" in said and said.endswith(f"1 more {FEW}")
    table = across_table([BLEU, few], SETTINGS)
    assert table.values("together") == [
        "significant by some metrics only",
        "agree",
        "cannot be decided",
    ]
    assert len(pick_unlike(table).rows) == 1
    all_shut = [
        Disputed("en-de", ("bleu", "chrf"), tuple(p for p in found if p.kind == UNDECIDED))
    ] * 2
    assert state_agreement(all_shut).endswith(FEW) and "agree" not in state_agreement(all_shut)
    two = Disputed("en-de", ("bleu", "chrf"), tuple(found))
    assert state_agreement([two]).endswith(said)
    counts = dispute_counts_table([two])
    assert counts.keys == [
        "language_pair",
        "n_pairs",
        "agree",
        "significant_by_some_metrics_only",
        "opposite",
        "cannot_be_decided",
        "only_bleu",
        "only_chrf",
    ]
    assert counts.rows[0][:6] == ("en-de", 3, 1, 1, 0, 1)


def test_each_system_against_each_by_every_metric():
    """Worked out by hand from the decisions above; D is not scored by both."""
    table = relations_table([BLEU, TER])
    assert table.titles == ["", "system", "1", "2", "3"]
    assert table.texts() == [
        ["1", "A", "", "><", ">>"],
        ["2", "B", "<>", "", "~<"],
        ["3", "C", "<<", "~>", ""],
    ]
    assert without_relation([BLEU, TER]) == ["D"] and without_relation([BLEU]) == []


def test_every_pair_under_every_metric_contradictions_first():
    found = across_table([BLEU, TER], SETTINGS).records()
    assert [
        [
            row[column]
            for column in (
                "a",
                "b",
                "improvement_bleu",
                "improvement_ter",
                "relation_bleu",
                "relation_ter",
                "together",
            )
        ]
        for row in found
    ] == [
        ["A", "B", 1.0, -2.0, ">", "<", "opposite"],
        ["B", "C", 1.0, -1.0, "~", "<", "significant by some metrics only"],
        ["A", "C", 2.0, 4.0, ">", ">", "agree"],
    ]
    assert all(
        row[f"{what}_{metric}"] == value
        for row in found
        for metric in ("bleu", "ter")
        for what, value in (("p", 0.5), ("adjusted_p", 0.5), ("segments", 10))
    )


def test_columns_of_further_metrics_join_by_system():
    table = add_metric_columns(
        Table("toy", (Column("system", "system", "name"),), (("C",), ("A",), ("Z",))),
        [leaderboard(higher_is_better=False)],
    )
    assert table.titles == ["system", "BLEU ↓", "its rank"]
    assert table.texts() == [["C", "80.00", "3"], ["A", "70.00", "1-2"], ["Z", "-", "-"]]
