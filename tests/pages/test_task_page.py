"""The page Task: its numbers are those of the core, and each cell leads on."""

import json
from contextlib import suppress
from html import escape
from urllib.parse import parse_qsl

import pytest

from mtsig_core import SettingError
from mtsig_core.cli.main import main
from mtsig_core.experiments.metric_agreement import task_agreement
from mtsig_core.readers.tasks import pairs_of
from mtsig_core.report.experiment_reports import agreement_note, agreement_verdict, rules_table
from mtsig_core.report.sentences import (
    describe_methods,
    explain_ranking,
    list_gaps_across,
    state_agreement,
    state_task_answer,
    state_verdict,
)
from mtsig_core.report.tables import rank_table, tops_table
from mtsig_core.results import TaskComparison
from mtsig_core.simulation.corpus import simulated_task
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.across import compare_task, find_disputes
from mtsig_core.stats.kept_tasks import KeptTask
from mtsig_core.stats.ranks import RANK_RULES, fitting_rules
from pages._ui import address, background, testsets, views
from pages._ui.views import query_of_pair
from tests.builders.score_folders import many
from tests.builders.screens import answers, arguments, copied, offered, small_source, words


@pytest.fixture
def root(folder):
    return folder.parent


def grid_of(app):
    """The text of the picture, by row."""
    return app.dataframe[0].value


def test_the_picture_is_what_the_core_finds(opened, root):
    app = opened("results", root=root, shared_task="task", metric="XCOMET", trials="999")
    found = compare_task(KeptTask(TaskSource(str(root / "task"))), "XCOMET", trials=999)
    ranks = rank_table(found, "XCOMET")
    assert any(state_verdict(found, "XCOMET") in html.value for html in app.get("html"))
    assert list(grid_of(app)["0"]) == ranks.values("system") and ranks.marks
    # The answer is right after the names: behind 30 language pairs it would be out of sight.
    assert list(grid_of(app)["1"])[:2] == [
        row.rank_low
        if row.rank_low == row.rank_high
        else pytest.approx(row.rank_low + row.rank_high / 1000)
        for row in found.macro["XCOMET"].systems[:2]
    ]
    assert list(grid_of(app)["2"]) == [2, 2, 1]  # in so many language pairs
    assert any(escape(describe_methods(found, "XCOMET")) in html.value for html in app.get("html"))
    assert [button.label for button in app.get("download_button")] == [
        "CSV",
        "JSON",
        "LaTeX",
        "HTML report",
        "Picture (SVG)",
    ]
    assert any("Assumed: XCOMET: higher is better" in html.value for html in app.get("html"))
    box = next(box for box in app.expander if box.label == "Command")
    ((label, command),) = offered(box).items()
    assert label.startswith("Command that prints this task") and copied(app) == [command]
    assert "mtsig task --folder" in command and "--metrics XCOMET" in command


def test_the_rule_of_ranks_is_chosen_and_what_it_ignores_is_said(opened, root):
    app = opened(
        "results", root=root, shared_task="task", metric="XCOMET", trials="999", rank_rule="wmt25"
    )
    found = compare_task(
        KeptTask(TaskSource(str(root / "task"))), "XCOMET", trials=999, rank_rule="wmt25"
    )
    ranks = rank_table(found, "XCOMET")
    assert [round(cell, 3) for cell in grid_of(app)["3"]] == [
        ranks.columns[3].sort_key(ends) for ends in ranks.values(ranks.keys[3])
    ]
    said = "\n".join(html.value for html in app.get("html"))
    assert "· ranks as WMT25" in said and all(
        escape(what) in said for what in RANK_RULES["wmt25"].ignores
    )
    tops = tops_table(found, "XCOMET")
    assert tops.keys == ["language_pair", "first", "first_simultaneous"]
    assert all(escape(cell) in said for row in (tops.titles, *tops.texts()) for cell in row)
    assert "--rank-rule wmt25" in copied(app)[0]
    app.selectbox(key="metric").set_value("MetricX-24").run()
    assert app.selectbox(key="rank_rule").value == "wmt25"
    app.selectbox(key="rank_rule").set_value("simultaneous").run()
    assert "rank_rule" not in app.query_params and "--rank-rule" not in copied(app)[0]


def test_what_could_decide_nothing_is_said_before_its_wins_are_read(opened, root):
    """Of 11 systems Bonferroni needs more than 999 trials, of the 8 that have the other language
    pair it does not.
    """
    many(root / "task")
    asked = {"trials": "999", "correction": "bonferroni"}
    app = opened("results", root=root, shared_task="task", metric="XCOMET", **asked)
    told = "55 of 83 pairs of systems within the language pairs cannot be decided"
    said = [html.value for html in app.get("html")]
    assert [told in one for one in said].index(True) < 5 and not app.exception
    assert told not in words(
        opened("results", root=root, shared_task="task", metric="XCOMET", trials="999")
    )


@pytest.mark.long
def test_what_ranks_and_decisions_say_otherwise_stands_above_and_warnings_of_a_kind_together(
    opened,
):
    app = opened("results", metric="human", correction="none", trials="1999")
    said = [html.value for html in app.get("html")]
    note = "In qaa-en and qab-en: Rank ranges and the top group are always corrected for all pairs"
    assert [note in one for one in said].index(True) < 5 and not app.exception
    (tab,) = [tab for tab in app.tabs if tab.label == "Caveats and method"]
    rows = "".join(html.value for html in tab.get("html")).count("<tr>") - 1
    found = compare_task(simulated_task(), "human", correction="none", trials=1999)
    assert 0 < rows <= sum(len(one.warnings) for one in found.pairs.values())


def test_rules_stand_side_by_side_and_those_that_change_the_top_group_come_first(opened, root):
    app = opened(
        "results", root=root, shared_task="task", metric="XCOMET", trials="999", tab="Rank rules"
    )
    task, found = KeptTask(TaskSource(str(root / "task"))), {}
    for rule in fitting_rules(segment_means=True):
        with suppress(SettingError):
            found[rule] = compare_task(task, "XCOMET", trials=999, rank_rule=rule)
    shown = rules_table(found, "XCOMET")
    differs = shown.values("differs")
    assert not app.exception and {"simultaneous", "wmt25", "overlap"} <= {*shown.keys}
    by_pair = {
        pair: any(
            word
            for one, word in zip(shown.values("language_pair"), differs, strict=True)
            if one == pair
        )
        for pair in shown.values("language_pair")
    }
    assert [*by_pair.values()] == sorted(by_pair.values(), reverse=True)
    for word, *ranks in zip(differs, *(shown.values(rule) for rule in found), strict=True):
        assert (word == "top group") <= (len({ends[0] == 1 for ends in ranks if ends}) > 1)
        assert (word == "winner") == (len({ends[1] == 1 for ends in ranks if ends}) > 1)
    drawn = [
        frame.value for frame in app.dataframe if list(frame.value["1"]) == shown.values("system")
    ]
    assert len(drawn) == 1


@pytest.mark.parametrize(
    "asked",
    [{"correction": "bonferroni"}, pytest.param({"unit": "segment"}, marks=pytest.mark.long)],
)
def test_under_the_picture_stands_how_to_read_it(opened, asked):
    app = opened("results", metric="human", trials="1999", **asked)
    found = compare_task(simulated_task(), "human", trials=1999, **asked)
    caption = next(
        caption for caption in app.caption if "Shading separates clusters" in caption.value
    )
    table = rank_table(found, "human")
    legend = table.legend.explain(table, "Coloured", "Shading")
    assert not app.exception and all(
        sentence in f"{caption.value} {caption.proto.help}"
        for sentence in [*explain_ranking(found, "human"), *legend]
    )
    assert all(escape(one) in words(app) for one in list_gaps_across(found, "human"))


def test_metrics_are_held_against_each_other_where_others_are_chosen(opened, root):
    app = opened(
        "results",
        root=root,
        shared_task="task",
        metric="XCOMET",
        trials="999",
        against="MetricX-24",
    )
    compared = compare_task(
        KeptTask(TaskSource(str(root / "task"))), ["XCOMET", "MetricX-24"], trials=999
    )
    assert not app.exception and any(
        state_agreement(find_disputes(compared)) in html.value for html in app.get("html")
    )
    assert (
        state_task_answer(compared, "XCOMET") in answers(app)[0] and "MetricX-24" in answers(app)[0]
    )
    # What a row asks of the page Pair is left there as it is, also the best system: else Back needs
    # two presses.
    assert query_of_pair(["x", "y", "z"], "x", "z") == {"a": None, "b": "z"}
    assert query_of_pair(["x", "y"], "z", "y") == {"a": "z", "b": None}
    assert query_of_pair([], "x", "y") == {"a": "x", "b": "y"}
    assert [line.count("--metrics XCOMET,MetricX-24 --trials 999") for line in copied(app)] == [
        1,
        1,
    ]


def test_metrics_are_held_against_people_where_people_have_scored(
    opened, root, capsys, monkeypatch
):
    app = opened(
        "results", root=root, shared_task="task", metric="XCOMET", trials="999", trust="true"
    )
    assert "Which metric to trust?" not in [
        element.value for element in app.subheader
    ]  # a metric is no person
    for path in (root / "task" / "automatic_scores").iterdir():
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for k, line in enumerate(lines):
            line["metric_scores"]["esa"] = [90 - len(path.stem) + k % 7, 60 + k * 5 % 11]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    app = opened(
        "results", root=root, shared_task="task", metric="XCOMET", trials="999", trust="true"
    )
    assert not app.exception
    found = task_agreement(TaskSource(str(root / "task")).read(), "esa")
    said = "\n".join(html.value for html in app.get("html"))
    assert escape(agreement_verdict(found)) in said and escape(agreement_note(found)) in said
    command = next(line for line in copied(app) if line.startswith("mtsig agreement"))
    monkeypatch.chdir(root)  # from where the command names it
    assert main([*arguments(command), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)["metrics"]
    assert {name: one["soft_pairwise_accuracy"] for name, one in printed.items()} == {
        one.metric: one.soft_pairwise_accuracy for one in found.metrics
    }
    assert "--human esa" in copied(app)[-1]  # the command of the files, which have it too


def test_nothing_is_said_to_be_ranked_across_where_no_two_systems_have_all(opened, root):
    said = {}
    for which in (True, False):
        app = opened("results", root=root, shared_task="task", metric="XCOMET", trials="999")
        assert not app.exception
        said[which] = "\n".join(
            [
                *(html.value for html in app.get("html")),
                *(f"{one.value} {one.proto.help}" for one in app.caption),
            ]
        )
        path = root / "task" / "automatic_scores" / "Beta.jsonl"
        path.write_text(
            "".join(line for line in path.read_text().splitlines(True) if "en-ja" not in line)
        )
    assert (
        "A dash: no score, or no rank." in said[True]
        and "A dash: no score, or no rank." in said[False]
    )
    for told in ("within each language pair, and across them", "Rank across: by the mean"):
        assert told in said[True] and told not in said[False]
    why = "No system is ranked across the language pairs: no two systems have segments in common in all of them."
    assert [said[which].count(why) for which in (True, False)] == [
        0,
        3,
    ]  # above the ranks, under Caveats and Method


def test_a_broken_task_is_one_message_and_the_controls_stay(opened, root):
    (root / "task" / "automatic_scores" / "Bad.jsonl").write_text('{"language_pair": "en-de_DE"}\n')
    app = opened("results", root=root, shared_task="task", metric="XCOMET")
    assert not app.exception
    assert any("Bad.jsonl, line 1" in html.value for html in app.get("html"))
    assert "Shared task" in [box.label for box in app.selectbox]


def test_a_question_of_direction_is_asked_where_nothing_else_is_there(opened, root):
    line = {
        "language_pair": "en-de_DE",
        "domain": "news",
        "document_id": "d",
        "metric_scores": {"mine": [1, 7]},
    }
    first, *others = sorted((root / "task" / "automatic_scores").glob("*.jsonl"))
    first.write_text(json.dumps(line) + "\n")
    app = opened("results", root=root, shared_task="task", metric="XCOMET", trials="999")
    assert any(
        "Neither name nor range shows" in html.value and "--lower-is-better NAME" in html.value
        for html in app.get("html")
    )
    methods = next(html.value for html in app.get("html") if "We compared" in html.value)
    assert "Neither name nor range shows" in methods and "--" not in methods
    assert grid_of(app)["0"].size and not app.exception
    for path in others:
        path.write_text(json.dumps(line) + "\n")
    app = opened("results", root=root, shared_task="task")
    assert (
        any("Is higher better, or lower?" in html.value for html in app.get("html"))
        and not app.exception
    )


def test_what_is_there_is_drawn_while_the_rest_is_computed(opened, root, monkeypatch):
    """Each look at the work draws once more: no control may be drawn twice in a run."""
    monkeypatch.setattr(background, "PATIENCE", 0)
    monkeypatch.setattr(background, "_REDRAWN", 0.01)
    app = opened(
        "results", root=root, shared_task="task", metric="MetricX-24", trials="9999", seed="77"
    )
    assert not app.exception and grid_of(app) is not None


@pytest.mark.parametrize(
    ("testset", "task"),
    [("simulated shared task", "simulated task"), ("task/en-ja_JP", "task"), (None, "task")],
)
def test_it_opens_the_task_of_the_set_that_was_looked_at(opened, root, testset, task):
    asked = {} if testset is None else {"testset": testset}
    app = opened(
        "results", root=root, metric="XCOMET" if task == "task" else "human", trials="999", **asked
    )
    assert not app.exception and app.selectbox(key="shared_task").value == task


def test_a_dashboard_that_was_started_on_the_simulated_task_opens_it(opened, root):
    app = opened("results", Source(demo_task=True), root=root, metric="human", trials="999")
    assert app.selectbox(key="shared_task").value == "simulated task"


SIMULATED_INSTEAD = "is one test set, not a shared task. So this page shows the simulated task."


def test_it_says_why_it_is_a_demonstration_where_a_test_set_is_open(opened, tmp_path, root):
    page = opened("results", small_source(tmp_path))
    assert not page.exception and SIMULATED_INSTEAD in words(page) and "Simulated: " in words(page)
    assert "Open Summary" in [link.proto.label for link in page.get("page_link")]
    for asked in (
        {},
        {"testset": "task/en-de_DE"},
        {"testset": "simulated corpus"},
        {"shared_task": "task"},
    ):
        assert SIMULATED_INSTEAD not in words(opened("results", root=root, **asked))


def test_what_is_usual_stands_in_no_address_of_the_next_page(opened, root):
    """Else that page would take it out, and Back would need one press more."""
    app = opened("results", root=root, shared_task="task", metric="XCOMET", trials="999")
    assert (
        "shared_task" not in app.session_state[address._KEPT]
        and app.selectbox(key="shared_task").value == "task"
    )
    kept = KeptTask(TaskSource(str(root / "task")))
    offer = testsets.TaskOffer("task", kept.source, ())
    asked = {
        metric: views.TaskView("task", offer, kept, metric, {}).address_of(
            "en-de_DE", compare_task(kept, metric, trials=99)
        )
        for metric in ("XCOMET", "MetricX-24")
    }
    assert [one["metric"] for one in asked.values()] == [None, "MetricX-24"]


def test_a_folder_of_scores_is_read_for_its_pairs_once(opened, root, monkeypatch):
    """Not in each run of each page; and anew when its files have changed."""
    read = []
    monkeypatch.setattr(testsets, "pairs_of", lambda place: read.append(place) or pairs_of(place))
    for _ in range(2):
        assert "task/en-ja_JP" in opened("methods", root=root).selectbox(key="testset").options
    assert len(read) == 1
    (root / "task" / "automatic_scores" / "Beta.jsonl").unlink()
    opened("methods", root=root)
    assert len(read) == 2


def test_the_picture_so_far_has_the_systems_of_every_pair(root):
    found = compare_task(KeptTask(TaskSource(str(root / "task"))), "XCOMET", trials=999)
    reverse = {pair: found.pairs[pair] for pair in reversed(found.pairs)}
    ranks = rank_table(TaskComparison(found.task, reverse, {}), "XCOMET")
    assert ranks.values("system")[-1] == "Gamma"  # which the first pair does not have


def test_a_cell_opens_its_pair_in_the_track(opened, root):
    """Its systems alone, said in the status line and as a command; an unknown track is no test
    set.
    """
    app = opened(
        "summary", root=root, testset="task/en-de_DE@constrained", metric="XCOMET", trials="999"
    )
    texts = "".join(html.value for html in app.get("html"))
    assert (
        not app.exception and "task en-de_DE, constrained track" in texts and "2 systems" in texts
    )
    assert "Assumed: XCOMET: higher is better" in texts
    kept = compare_task(
        KeptTask(TaskSource(str(root / "task"), track="constrained")), "XCOMET", trials=999
    )
    assert (
        f"digest={kept.pairs['en-de_DE'].testset.digest[:12]}"
        in app.get("page_link")[0].proto.query_string
    )
    app = opened(
        "summary", root=root, testset="task/en-de_DE@unconstrained", metric="XCOMET", trials="999"
    )
    assert (
        any("of this link is not here" in html.value for html in app.get("html"))
        and not app.exception
    )


def test_a_link_leads_from_a_language_pair_back_to_the_task_as_it_was(opened, root):
    app = opened(
        "summary",
        root=root,
        testset="task/en-de_DE@constrained",
        metric="XCOMET",
        trials="999",
        back="results",
    )
    [link] = [one.proto for one in app.get("page_link") if one.proto.label == "Back to Results"]
    asks = dict(parse_qsl(link.query_string))
    assert {
        "testset": "task/en-de_DE@constrained",
        "metric": "XCOMET",
        "track": "constrained",
        "trials": "999",
    }.items() <= asks.items() and "back" not in asks
    app = opened("results", root=root, **asks)
    assert not app.exception and "back" not in app.query_params
    assert (app.selectbox(key="shared_task").value, app.selectbox(key="track").value) == (
        "task",
        "constrained",
    )
    app = opened("pair", root=root, testset="simulated corpus, 300 segments", back="results")
    assert "Back to Results" not in [one.proto.label for one in app.get("page_link")]


def test_a_task_is_read_once_for_all_tracks(opened, root, monkeypatch):
    reads, read = [], TaskSource.read
    monkeypatch.setenv("MTSIG_CACHE", "")
    monkeypatch.setattr(TaskSource, "read", lambda self: reads.append(self) or read(self))
    for track, systems in (
        ("constrained", ["Alpha", "Beta"]),
        ("all systems", ["Alpha", "Beta", "Gamma"]),
    ):
        app = opened(
            "results", root=root, shared_task="task", metric="XCOMET", trials="999", track=track
        )
        assert sorted(grid_of(app)["0"]) == systems
    assert len(reads) == 1
