"""The page Task: its numbers are those of the core, and each cell leads on."""

import json
from html import escape

import pytest

from mtsig_core.experiments.metric_agreement import task_agreement
from mtsig_core.experiments.rankings import compare_by_rules
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
from mtsig_core.simulation.corpus import simulated_task
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.across import compare_task, find_disputes
from mtsig_core.stats.kept_tasks import KeptTask
from mtsig_core.stats.ranks import RANK_RULES
from pages._ui import address, background, testsets, views
from pages._ui.views import query_of_pair
from tests.builders.score_folders import many
from tests.builders.screens import (
    answers,
    captions,
    copied,
    find_command,
    labelled,
    links,
    offered,
    shows,
    small_source,
    words,
    write,
)

SIMULATED_INSTEAD = "is one test set, not a shared task. So this page shows the simulated task."


@pytest.fixture
def root(folder):
    return folder.parent


def grid_of(app):
    """The text of the picture, by row."""
    return app.dataframe[0].value


def test_the_picture_is_what_the_core_finds(compare_folder, open_task):
    app = open_task()
    found = compare_folder()
    ranks = rank_table(found, "XCOMET")
    said = words(app)
    names, across, n_pairs = (list(grid_of(app)[column]) for column in "012")
    assert names == ranks.values("system")
    # The answer is right after the names: behind 30 language pairs it would be out of sight.
    ends = ranks.columns[1].sort_key
    assert across == pytest.approx(
        list(map(ends, ranks.values(ranks.keys[1]))), abs=1e-3, nan_ok=True
    )
    assert n_pairs == [2, 2, 1]
    for text in (state_verdict(found, "XCOMET"), escape(describe_methods(found, "XCOMET"))):
        assert text in said
    assert "We assume that higher XCOMET scores are better" in said
    files = [button.label for button in app.get("download_button")]
    assert files == ["CSV", "JSON", "LaTeX", "Typst", "Markdown", "HTML report", "Picture (SVG)"]
    ((label, command),) = offered(labelled(app.expander, "Command")).items()
    assert label.startswith("Command that prints this task")
    assert copied(app) == [command]
    assert "mtsig task --folder" in command
    assert "--metrics XCOMET" in command


def test_the_rule_of_ranks_is_chosen_and_what_it_ignores_is_said(compare_folder, open_task):
    app = open_task(rank_rule="wmt25")
    found = compare_folder(rank_rule="wmt25")
    said = words(app)
    tops = tops_table(found, "XCOMET")
    assert tops.keys == ["language_pair", "first", "first_simultaneous"]
    assert shows(app, tops)
    for text in ("· ranks as WMT25", *map(escape, RANK_RULES["wmt25"].ignores)):
        assert text in said
    assert "--rank-rule wmt25" in copied(app)[0]
    app.selectbox(key="metric").set_value("MetricX-24").run()
    assert app.selectbox(key="rank_rule").value == "wmt25"
    app.selectbox(key="rank_rule").set_value("simultaneous").run()
    assert "rank_rule" not in app.query_params
    assert "--rank-rule" not in copied(app)[0]


def test_what_could_decide_nothing_is_said_before_its_wins_are_read(folder, open_task):
    """Of 11 systems Bonferroni needs more than 999 trials, of the 8 that have the other language
    pair it does not.
    """
    many(folder)
    told = "55 of 83 pairs of systems within the language pairs cannot be decided"
    app = open_task(correction="bonferroni")
    assert told in "".join(html.value for html in app.get("html")[:6])
    assert told not in words(open_task())


@pytest.mark.long
def test_what_ranks_and_decisions_say_otherwise_stands_above_and_warnings_of_a_kind_together(
    opened,
):
    app = opened("results", metric="human", correction="none", trials="1999")
    note = "In qaa-en and qab-en: Rank ranges and the top group are always corrected for all pairs"
    assert note in "".join(html.value for html in app.get("html")[:6])
    rows = words(labelled(app.tabs, "Caveats and method")).count("<tr>") - 1
    found = compare_task(simulated_task(), "human", correction="none", trials=1999)
    assert 0 < rows <= sum(len(one.warnings) for one in found.pairs.values())


def test_rules_stand_side_by_side_and_those_that_change_the_top_group_come_first(
    compare_folder, open_task
):
    app = open_task(tab="Other rankings")
    table = rules_table(compare_by_rules(lambda **rule: compare_folder(**rule), True), "XCOMET")
    systems, pairs = table.values("system"), table.values("language_pair")
    drawn = [frame for frame in app.dataframe if list(frame.value["1"]) == systems]
    assert len(drawn) == 1
    changed = {pair for pair, word in zip(pairs, table.values("differs"), strict=True) if word}
    unchanged = [pair not in changed for pair in dict.fromkeys(pairs)]
    assert unchanged == sorted(unchanged)


@pytest.mark.parametrize(
    "asked",
    [{"correction": "bonferroni"}, pytest.param({"unit": "segment"}, marks=pytest.mark.long)],
)
def test_under_the_picture_stands_how_to_read_it(opened, asked):
    app = opened("results", metric="human", trials="1999", **asked)
    found = compare_task(simulated_task(), "human", trials=1999, **asked)
    table = rank_table(found, "human")
    [caption] = [each for each in app.caption if "Shading separates clusters" in each.value]
    told = f"{caption.value} {caption.proto.help}"
    legend = table.legend.explain(table, "Coloured", "Shading")
    for sentence in (*explain_ranking(found, "human"), *legend):
        assert sentence in told
    for sentence in list_gaps_across(found, "human"):
        assert escape(sentence) in words(app)


def test_metrics_are_held_against_each_other_where_others_are_chosen(compare_folder, open_task):
    app = open_task(against="MetricX-24")
    compared = compare_folder(["XCOMET", "MetricX-24"])
    assert state_agreement(find_disputes(compared)) in words(app)
    assert state_task_answer(compared, "XCOMET") in answers(app)[0]
    assert "MetricX-24" in answers(app)[0]
    asks = "--metrics XCOMET,MetricX-24 --trials 999"
    assert [line.count(asks) for line in copied(app)] == [1, 1]


def test_metrics_are_held_against_people_where_people_have_scored(
    folder, print_json, monkeypatch, open_task
):
    app = open_task(trust="true")
    titles = [element.value for element in app.subheader]
    assert "Which metric to trust?" not in titles  # a metric is no person
    for path in (folder / "automatic_scores").iterdir():
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for k, line in enumerate(lines):
            line["metric_scores"]["esa"] = [90 - len(path.stem) + k % 7, 60 + k * 5 % 11]
        write(path, map(json.dumps, lines))
    app = open_task(trust="true")
    found = task_agreement(TaskSource(str(folder)).read(), "esa")
    for text in (agreement_verdict(found), agreement_note(found)):
        assert escape(text) in words(app)
    monkeypatch.chdir(folder.parent)  # from where the command names it
    printed = print_json(find_command(app, "agreement"))["metrics"]
    for row in found.metrics:
        assert printed[row.metric]["soft_pairwise_accuracy"] == row.soft_pairwise_accuracy
    assert "--human esa" in copied(app)[-1]  # the command of the files, which have it too


def test_nothing_is_said_to_be_ranked_across_where_no_two_systems_have_all(folder, open_task):
    dash = "A dash: no score, or no rank."
    across = ("within each language pair, and across them", "Overall rank: by the mean")
    why = "No system is ranked across the language pairs: no two systems have segments in common in all of them."

    def read_page():
        app = open_task()
        helps = [caption.proto.help for caption in app.caption]
        return "\n".join([words(app), captions(app), *helps])

    said = read_page()
    for text in (dash, *across):
        assert text in said
    assert why not in said
    path = folder / "automatic_scores" / "Beta.jsonl"
    write(path, [line for line in path.read_text().splitlines() if "en-ja" not in line])
    said = read_page()
    assert dash in said
    for text in across:
        assert text not in said
    assert said.count(why) == 3  # above the ranks, under Caveats and Method


def test_a_broken_task_is_one_message_and_the_controls_stay(folder, open_task):
    write(folder / "automatic_scores" / "Bad.jsonl", ['{"language_pair": "en-de_DE"}'])
    app = open_task()
    assert "Bad.jsonl, line 1" in words(app)
    assert labelled(app.selectbox, "Shared task")


def test_a_question_of_direction_is_asked_where_nothing_else_is_there(opened, folder, open_task):
    place = {"language_pair": "en-de_DE", "domain": "news", "document_id": "d"}
    line = json.dumps({**place, "metric_scores": {"mine": [1, 7]}})
    first, *others = sorted((folder / "automatic_scores").glob("*.jsonl"))
    write(first, [line])
    app = open_task()
    assert "--lower-is-better NAME" in words(app)
    methods = next(html.value for html in app.get("html") if "We compared" in html.value)
    assert "cannot tell from name and range" in methods
    assert "--" not in methods
    assert grid_of(app)["0"].size
    for path in others:
        write(path, [line])
    app = opened("results", root=folder.parent)
    assert "Is higher better, or lower?" in words(app)


def test_what_is_there_is_drawn_while_the_rest_is_computed(monkeypatch, open_task):
    """Each look at the work draws once more: no control may be drawn twice in a run."""
    monkeypatch.setattr(background, "PATIENCE", 0)
    monkeypatch.setattr(background, "_REDRAWN", 0.01)
    app = open_task(metric="MetricX-24", trials="9999", seed="77")
    assert grid_of(app) is not None


OPENS = {
    "the task of a set": ("task", "XCOMET", {"testset": "task/en-ja_JP"}),
    "the first of the folder": ("task", "XCOMET", {}),
    "the first beside a test set": ("task", "XCOMET", {"testset": "simulated corpus"}),
    "the simulated one": ("simulated task", "human", {"testset": "simulated shared task"}),
}


@pytest.mark.parametrize("case", OPENS)
def test_it_opens_the_task_of_the_set_that_was_looked_at(case, open_task):
    task, metric, asked = OPENS[case]
    app = open_task(metric=metric, **asked)
    assert app.selectbox(key="shared_task").value == task
    assert SIMULATED_INSTEAD not in words(app)


def test_a_dashboard_that_was_started_on_the_simulated_task_opens_it(opened, root):
    app = opened("results", Source(demo_task=True), root=root, metric="human", trials="999")
    assert app.selectbox(key="shared_task").value == "simulated task"


def test_it_says_why_it_is_a_demonstration_where_a_test_set_is_open(opened, tmp_path):
    page = opened("results", small_source(tmp_path))
    assert SIMULATED_INSTEAD in words(page)
    assert "Demo data" in words(page)
    assert "Open Summary" in links(page)


def test_what_is_usual_stands_in_no_address_of_the_next_page(folder, open_task):
    """Else that page would take it out, and Back would need one press more."""
    app = open_task(shared_task="task")
    assert "shared_task" not in app.session_state[address._KEPT]
    assert app.selectbox(key="shared_task").value == "task"
    kept = KeptTask(TaskSource(str(folder)))
    offer = testsets.TaskOffer("task", kept.source, ())
    for metric, told in (("XCOMET", None), ("MetricX-24", "MetricX-24")):
        view = views.TaskView("task", offer, kept, metric, {})
        assert view.address_of("en-de_DE", "digest")["metric"] == told


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


def test_a_cell_opens_its_pair_in_the_track(folder, open_task):
    """Its systems alone, said in the status line and as a command; an unknown track is no test
    set.
    """
    app = open_task("summary", testset="task/en-de_DE@constrained")
    for text in (
        "task en-de_DE, constrained track",
        "2 systems",
        "higher XCOMET scores are better",
    ):
        assert text in words(app)
    digest = TaskSource(str(folder), track="constrained").read().testsets["en-de_DE"].digest
    assert f"digest={digest[:12]}" in app.get("page_link")[0].proto.query_string
    app = open_task("summary", testset="task/en-de_DE@unconstrained")
    assert "of this link is not here" in words(app)


def test_a_link_leads_from_a_language_pair_back_to_the_task_as_it_was(opened, root):
    there = {"testset": "task/en-de_DE@constrained", "metric": "XCOMET", "trials": "999"}
    app = opened("summary", root=root, **there, back="results")
    asks = links(app)["Back to Results"]
    assert asks.items() >= {**there, "track": "constrained"}.items()
    assert "back" not in asks
    app = opened("results", root=root, **asks)
    assert "back" not in app.query_params
    assert app.selectbox(key="shared_task").value == "task"
    assert app.selectbox(key="track").value == "constrained"
    app = opened("pair", root=root, testset="simulated corpus, 300 segments", back="results")
    assert "Back to Results" not in links(app)


def test_a_task_is_read_once_for_all_tracks(monkeypatch, open_task):
    reads, read = [], TaskSource.read
    monkeypatch.setenv("MTSIG_CACHE", "")
    monkeypatch.setattr(TaskSource, "read", lambda self: reads.append(self) or read(self))
    for track, systems in (
        ("constrained", ["Alpha", "Beta"]),
        ("all systems", ["Alpha", "Beta", "Gamma"]),
    ):
        app = open_task(track=track)
        assert sorted(grid_of(app)["0"]) == systems
    assert len(reads) == 1


def test_a_row_leaves_to_the_page_pair_what_it_would_choose_itself():
    """Also the best system: else Back needs two presses."""
    assert query_of_pair(["x", "y", "z"], "x", "z") == {"a": None, "b": "z"}
    assert query_of_pair(["x", "y"], "z", "y") == {"a": "z", "b": None}
    assert query_of_pair([], "x", "y") == {"a": "x", "b": "y"}


def test_a_folder_of_plain_test_sets_is_a_task_and_the_page_calls_them_test_sets(opened, tmp_path):
    for name, first in (("news", "a b c d e"), ("flores", "v w x y z")):
        for file, line in (("ref", first), ("good", first), ("bad", first[:5])):
            path = tmp_path / "root" / "release" / name / f"{file}.txt"
            write(path, [line] * 30)
    page = opened("results", root=tmp_path / "root", metric="bleu", trials="199")
    text = words(page)
    assert "2 test sets" in text and "anguage pair" not in text
    assert "<th>news</th><th>flores</th>" in text or "<th>flores</th><th>news</th>" in text
    captions = " ".join(caption.value for caption in page.caption)
    assert "Click a cell to open the test set" in captions
