"""A review in sentences, tables and the files of a task."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from mtsig_core import compare
from mtsig_core.caution import Assumption, Caution
from mtsig_core.report.latex import escape
from mtsig_core.report.reports import render_report
from mtsig_core.report.review import (
    ACROSS_PAIRS,
    circles_table,
    content_sentence,
    decision_cautions,
    decisions_table,
    history_sentences,
    left_out_table,
    notes_table,
    review_changes_table,
    review_record,
)
from mtsig_core.report.sentences import count_hidden, explain_far_firsts
from mtsig_core.report.tables import tops_table
from mtsig_core.report.task_reports import ranking_report
from mtsig_core.results import TaskInfo
from mtsig_core.reviews import (
    Begin,
    Decide,
    Entry,
    Exclude,
    NoteOn,
    PutBack,
    SeeContent,
    SetMetric,
    SetRule,
    TakeBack,
    replay,
)
from mtsig_core.simulation.corpus import simulated_task
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.ranks import RANK_RULES, ranks_before_after
from mtsig_core.task import Task, TaskExclusion
from tests.builders.markup import Page
from tests.builders.rated_tasks import made
from tests.builders.rendered import comparison_text, task_document
from tests.builders.results import find_pair, select_cautions
from tests.builders.score_tables import rated_systems

HOSTILE = "<b>نظام</b> _x"
BEGIN = Begin("toy", None, "d0", {"en-de": "1", "en-cs": "2"}, "x", {"rank_rule": "simultaneous"})


def history(*steps):
    return [Entry(k, 1_795_356_180 + 60 * k, step) for k, step in enumerate([BEGIN, *steps])]


def numbered(*steps):
    return [replace(entry, number=entry.number + 1) for entry in history(*steps)]


def test_each_step_is_a_plain_sentence_with_its_time():
    said = history_sentences(
        numbered(
            Exclude(HOSTILE, "en-de", "copied"),
            Exclude("B"),
            PutBack("B"),
            SetRule("wmt24"),
            SetMetric("chrf"),
            NoteOn("en-de", "x", "A", "B", "close"),
            NoteOn("en-de", "x", "A", "B", ""),
            Decide("en-de", ("A",), "clear"),
            Decide("en-cs", ("A", "B")),
            Decide("en-cs"),
            SeeContent("d1"),
            TakeBack(2),
        )
    )
    assert said == [
        f"2026-11-22 {14 + (3 + k) // 60:02}:{(3 + k) % 60:02} UTC: {what}"
        for k, what in enumerate(
            [
                "began the review of toy, all systems, by x",
                f"excluded {HOSTILE} in en-de: copied (undone)",
                "excluded B in all language pairs: no reason given",
                "included B again in all language pairs",
                "chose ranks as WMT24",
                "chose the metric chrF",
                "noted on A and B in en-de by x: close",
                "removed the note on A and B in en-de by x",
                "decided en-de: A is the winner: clear",
                "decided en-cs: A and B are joint winners",
                "removed the decision for en-cs",
                "continued with the changed content of the task",
                f"undid entry 2, excluded {HOSTILE} in en-de: copied",
            ]
        )
    ]


def test_a_step_has_the_name_of_its_author():
    [step] = [replace(entry, author="Ana", number=1) for entry in history()]
    [sentence] = history_sentences([step])
    assert sentence.startswith("2026-11-22 14:03 UTC, Ana: began the review of toy")
    assert review_record([step])["history"][0]["author"] == "Ana"


@pytest.fixture(scope="module")
def before():
    return compare_task(made(missing=1), "X", trials=99, resamples=99)


@pytest.fixture(scope="module")
def reviewed(before):
    """A review that leaves the winner of the first language pair out, and what is then found."""
    pair = next(iter(before.pairs))
    winner = before.pairs[pair].metrics["X"].systems[0].system
    steps = numbered(
        Exclude(winner, pair, "a <bug>"),
        Decide(pair, (HOSTILE, "B"), "<i>close</i> & fair"),
        NoteOn(pair, "X", HOSTILE, "B", "100% _open_"),
    )
    found = compare_task(
        made(missing=1), "X", trials=99, resamples=99, exclude=replay(steps).exclusions
    )
    return steps, pair, winner, found


def test_before_and_after_side_by_side(before, reviewed):
    _, pair, winner, found = reviewed
    changes = ranks_before_after(before, found, "X")
    table = review_changes_table(changes)
    cells = {row[0]: dict(zip(table.keys[1:], row[1:], strict=True)) for row in table.texts()}
    assert table.keys == ["system", *before.pairs, "across all"]
    assert list(cells) == [row.system for row in before.macro["X"].systems]
    assert cells[winner][pair].endswith("\N{RIGHTWARDS ARROW} excluded")
    for one in changes.ranks:
        assert (
            "\N{RIGHTWARDS ARROW}" in cells[one.system][one.pair or "across all"]
        ) is one.changed
    missing = next(
        name
        for name in cells
        if name not in [row.system for row in before.pairs[pair].metrics["X"].systems]
        or name not in [row.system for row in list(before.pairs.values())[-1].metrics["X"].systems]
    )
    assert "-" in cells[missing].values()
    circles = {row[0]: row[1:] for row in circles_table(changes).texts()}
    assert list(circles) == [*before.pairs, "across all"] and winner in circles[pair][0]
    assert winner not in circles[pair][1] and circles[pair][2] == "yes"
    assert [
        circles_table(changes, RANK_RULES[rule]).titles[1] for rule in ("simultaneous", "wmt25")
    ] == ["top group: before", "first, ranked as WMT25: before"]


def test_the_page_to_print_has_ranks_reasons_and_steps(reviewed):
    steps, _, winner, found = reviewed
    report = ranking_report(found, "X", steps)
    page = Page(render_report(report, "html"))
    assert {winner, "a <bug>", HOSTILE, "100% _open_"} <= set(page.cells)
    assert [section.title for section in report.sections][:2] == ["Decided", "Excluded systems"]
    assert len(report.sections[-1].blocks) == len(steps)


def test_every_file_has_what_was_decided(reviewed):
    steps, pair, winner, found = reviewed
    files = {
        form: task_document(form, found, "mtsig task --demo", steps)
        for form in ("text", "json", "csv", "latex", "html")
    }
    data = json.loads(files["json"])
    assert data["review"] == json.loads(json.dumps(review_record(steps, found)))
    assert data["excluded"] == [{"system": winner, "reason": "a <bug>", "pair": pair}]
    rows = [*csv.DictReader(io.StringIO(files["csv"]))]
    decided = [row for row in rows if row["table"] == "decisions"]
    assert [row["system"] for row in decided] == [HOSTILE, "B"]
    assert {row["reason"] for row in decided} == {"<i>close</i> & fair"}
    (note,) = (row for row in rows if row["table"] == "notes")
    assert (note["a"], note["b"], note["reason"]) == (HOSTILE, "B", "100% _open_")
    page = Page(files["html"])
    assert not {"i", "bug"} & page.tags
    assert {HOSTILE, "100% _open_"} <= set(page.cells)
    for form, part in (
        ("latex", r"\label{tab:mtsig-decisions}"),
        ("latex", r"100\% \_open\_"),
        ("text", "\nDecided\n"),
        ("text", "100% _open_"),
        ("html", "&lt;i&gt;close&lt;/i&gt;"),
        ("html", "History of the review"),
    ):
        assert part in files[form]


@pytest.fixture(scope="module")
def disputed(before):
    """A review that declares the worse system of a pair the first, with notes on three pairs."""
    pair = next(iter(before.pairs))
    result = before.pairs[pair].metrics["X"]
    row = next(row for row in result.pairs if row.better == "a")
    gone = result.systems[-1].system
    steps = numbered(
        SetMetric("X"),
        Exclude(gone, pair, "late"),
        Decide(pair, (row.b,), "a claim"),
        NoteOn(pair, "X", row.b, row.a, "0.5 ahead"),
        NoteOn(pair, "X", row.a, gone, "gone"),
        NoteOn(pair, "Y", row.a, row.b, "by another"),
    )
    exclude = replay(steps).exclusions
    found = compare_task(made(missing=1), "X", trials=99, resamples=99, exclude=exclude)
    return steps, found, find_pair(found.pairs[pair].metrics["X"], row.a, row.b), gone


def test_notes_have_what_was_found_of_their_pairs(disputed):
    steps, found, row, gone = disputed
    notes = replay(steps).notes
    table = notes_table(notes, found)
    turned, left, other = table.texts()
    assert table.titles[5:] == ["difference", "95% CI for all pairs", "adjusted p", "better"]
    interval = f"[{-row.ci_joint_high:+.2f}, {-row.ci_joint_low:+.2f}]"
    assert turned[5:] == [f"{-row.delta:+.2f}", interval, f"{row.p_adjusted:.4f}", row.a]
    assert left[5:] == ["-", "-", "-", f"{gone} excluded"]
    assert other[5:8] == ["-"] * 3
    assert table.rows[2][8] == "not compared by that metric"
    pair, comparison = next(iter(found.pairs.items()))
    lower = replace(comparison.metrics["X"], higher_is_better=False)
    flipped = replace(found, pairs={pair: replace(comparison, metrics={"X": lower})})
    interval = f"[{row.ci_joint_low:+.2f}, {row.ci_joint_high:+.2f}]"
    assert notes_table(notes, flipped).texts()[0][5:7] == [f"{row.delta:+.2f}", interval]
    measured, of_gone, by_other = review_record(steps, found)["measured"]
    expected = {"delta": -row.delta, "ci_low": -row.ci_high, "ci_joint_high": -row.ci_joint_low}
    expected |= {"p_adjusted": row.p_adjusted, "better": "b", "rule_p": None, "left_out": []}
    assert expected.items() <= measured.items()
    assert (of_gone["left_out"], by_other["left_out"]) == ([gone], [])


def test_every_file_has_what_the_numbers_say_against_decisions(disputed):
    """In the words of the screen: a file is read by who does not see it."""
    steps, found, row, _ = disputed
    cautions = decision_cautions(replay(steps), found)
    (warned,) = (one.text for one in cautions if one.code == "declared-not-first")
    files = {
        form: task_document(form, found, "mtsig task --demo", steps)
        for form in ("text", "json", "csv", "latex", "html")
    }
    assert f"Warning: {warned}\n" in files["text"]
    assert warned in Page(files["html"]).text
    assert escape(warned) in files["latex"]
    assert warned in json.loads(files["json"])["review"]["decision_warnings"]
    rows = [*csv.DictReader(io.StringIO(files["csv"]))]
    assert warned in [cells["reason"] for cells in rows if cells["table"] == "decision_warnings"]
    deltas = [cells["delta"] for cells in rows if cells["table"] == "notes"]
    assert deltas == [str(-row.delta), "", ""]


def test_notes_have_the_difference_and_decision_of_the_rule_that_ranks():
    found = compare_task(simulated_task(), "human", trials=99, resamples=99, rank_rule="wmt24")
    result = found.pairs["qaa-en"].metrics["human"]
    first, last = result.systems[0], result.systems[-1]
    note = NoteOn("qaa-en", "human", last.system, first.system, "look again")
    steps = numbered(SetRule("wmt24"), note)
    table = notes_table(replay(steps).notes, found)
    assert table.titles[-3:] == ["difference as WMT24", "p as WMT24", "better as WMT24"]
    cell, p, better = table.rows[0][-3:]
    assert cell.value == pytest.approx(last.score - first.score)
    rule_p = find_pair(result, first.system, last.system).rule_p
    assert (p, better) == (rule_p, first.system)
    [measured] = review_record(steps, found)["measured"]
    assert measured["rule_delta"] == pytest.approx(cell.value)
    assert measured["rule_better"] == "b"


def test_what_was_assumed_of_a_score_that_has_no_part_is_not_in_the_report(before):
    info = replace(
        before.task,
        assumed=[Assumption("direction-default", {"metric": name}) for name in ("esa", "X")],
    )
    text = Page(task_document("html", replace(before, task=info), "mtsig task --demo")).text
    assert "higher X scores are better" in text and "esa scores are better" not in text


def test_a_task_of_other_content_is_told(before):
    info = TaskInfo.from_task(made(missing=1))
    digests = {pair: comparison.testset.digest for pair, comparison in before.pairs.items()}
    review = replace(replay(numbered()), digest=info.digest, digests=digests)
    assert content_sentence(review, info, digests) is None
    pair = list(digests)[-1]
    changed = content_sentence(
        replace(review, digest="old", digests={**digests, pair: "old"}), info, digests
    )
    assert f"changed in {pair} after" in changed
    assert "the table of systems" in content_sentence(replace(review, digest="old"), info, digests)


def test_tables_of_what_stands():
    review = replay(
        numbered(Exclude("A", "en-de", "late"), Exclude("B"), Decide("en-cs", ("C",), "alone"))
    )
    assert review.exclusions[0] == TaskExclusion("A", "late", "en-de")
    assert left_out_table(review.exclusions).texts() == [["A", "en-de", "late"], ["B", "all", ""]]
    assert decisions_table(review).texts() == [["en-cs", "C", "alone"]]
    assert not notes_table(review.notes)


def test_beside_a_decision_stands_who_may_be_the_first_by_each_rule(before):
    pair = next(iter(before.pairs))
    review = replace(
        replay(numbered(Decide(pair, ("A",), "clear"), Decide("gone", ("B",)))), metric="X"
    )
    for found in (
        before,
        compare_task(made(missing=1), "X", trials=99, resamples=99, rank_rule="wmt25"),
    ):
        tops = tops_table(found, "X")
        keys, firsts = tops.keys[1:], tops.texts()
        table = decisions_table(review, found)
        assert table.keys == ["language_pair", "declared", "why", *keys]
        rows = [row for row in table.texts() if row[0] != ACROSS_PAIRS]
        assert rows == [
            [pair, "A", "clear", *firsts[0][1:]],
            *([own[0], "-", "", *own[1:]] for own in firsts[1:]),
            ["gone", "B", "", *["-"] * len(keys)],
        ]
    assert len(keys) == 2


def test_decisions_are_held_against_the_top_group():
    turns = np.arange(43) % 7
    systems = {"A": turns[:40], "B": turns[3:], "C": [-9.0] * 40}
    alike = rated_systems(systems, metric="X")
    found = compare_task(Task("toy", {"en-de": alike}), "X", trials=999, resamples=99)

    def questioned(*first):
        review = replace(replay(numbered(Decide("en-de", first))), metric="X")
        return [(one.code, one.a, dict(one.facts)) for one in decision_cautions(review, found)]

    assert questioned("A") == [
        ("top-group-not-declared", None, {"pair": "en-de", "systems": ("B",)})
    ]
    assert questioned("A", "B") == []
    facts = {"pair": "en-de", "rule": "simultaneous", "in_top_group": False}
    assert questioned("C") == [("declared-not-first", "C", facts)]
    assert questioned("D") == [("declared-not-compared", "D", {"pair": "en-de"})]
    found = compare_task(
        Task("toy", {"en-de": alike}), "X", trials=999, resamples=99, rank_rule="wmt25"
    )
    assert questioned("C") == [("declared-not-first", "C", {**facts, "rule": "wmt25"})]


def test_a_decision_is_not_held_against_ranks_that_are_none():
    """Four documents decide nothing: who is declared first there is not beaten by anybody."""
    review = replace(replay(numbered(Decide("en-de", ("B",)))), metric="X")
    [caution] = decision_cautions(
        review, compare_task(made(["A", "B"], documents=4), "X", trials=999, resamples=99)
    )
    assert caution == Caution(
        "declared-without-ranks", {"pair": "en-de", "why": "4 documents are too few"}, "X", "B"
    )


def test_who_is_not_the_first_by_another_rule_may_be_so_by_ours():
    found = compare_task(made(), "X", trials=999, resamples=99, rank_rule="wmt25")
    result = found.pairs["en-de"].metrics["X"]
    held = next(row.system for row in result.systems if row.rank_low != 1)
    told = replace(result, ruled=replace(result.ruled, first_held=(*result.ruled.first_held, held)))
    found = replace(found, pairs={"en-de": replace(found.pairs["en-de"], metrics={"X": told})})
    first, *_ = decision_cautions(
        replace(replay(numbered(Decide("en-de", (held,)))), metric="X"), found
    )
    assert first.code == "declared-not-first" and first.facts["in_top_group"]


def scored(last):
    """A is best; B is worse everywhere by a little; C has a lower mean still, and `last` says
    how.
    """
    turns = np.arange(40) % 3
    systems = {"A": 10.0 + turns, "B": 9.8 + turns, "C": last}
    return rated_systems(systems, metric="X", domains=["news"] * 40)


@pytest.mark.parametrize(
    "last",
    [
        [40.0 if k % 5 == 0 else 0.0 for k in range(40)],
        [9.0 if k in (1, 2) else None for k in range(40)],
        [9.0 if k == 1 else None for k in range(40)],
    ],
)
def test_who_may_be_the_first_though_others_score_better_is_told(last):
    found = compare(scored(last), "X", trials=999, resamples=99)
    assert [(row.system, row.rank_low) for row in found.metrics["X"].systems] == [
        ("A", 1),
        ("B", 2),
        ("C", 1),
    ]
    [said] = explain_far_firsts(found, "X")
    assert said.startswith("C is in the top group although better-scoring systems are not.")
    assert said in comparison_text(found)
    assert explain_far_firsts(compare(scored([8.0] * 40), "X", trials=999, resamples=99), "X") == []


def on_other_lines(cow):
    """Bee is better than Ant on all lines that both have, and has the lower mean: Ant has the easy
    lines.
    """
    easy = np.repeat([40.0, 90.0], 30)
    turns = np.arange(60) % 3
    ant, bee = easy.copy(), easy + turns + 4
    ant[:15] = bee[45:] = np.nan
    systems = {"Ant": ant, "Bee": bee, "Cow": easy + turns + cow}
    return rated_systems(systems, metric="X", domains=["news"] * 60)


def test_a_rule_that_ranks_the_significantly_worse_system_first_is_told():
    found = compare(on_other_lines(-30.0), "X", trials=999, resamples=99, rank_rule="wmt24")
    first = found.metrics["X"].systems[0]
    assert (first.system, first.rank_low, first.rank_high) == ("Ant", 1, 1)
    (caution,) = select_cautions(found, "rank-rule")
    said = "1 pair is ranked the wrong way round, the significantly worse system first"
    assert said in caution.text
    task = compare_task(
        Task("toy", dict.fromkeys(("en-de", "en-cs"), on_other_lines(-30.0))),
        "X",
        trials=999,
        resamples=99,
        rank_rule="wmt24",
    )
    assert count_hidden(task, "X")["turned_round"] == 2
    agreeing = compare(scored([8.0] * 40), "X", trials=999, resamples=99, rank_rule="wmt24")
    assert "wrong way round" not in " ".join(caution.text for caution in agreeing.warnings)
