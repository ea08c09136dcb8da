"""The page Review: what an organiser does stands in it for everybody, under two links."""

import json
from html import escape

import pytest
import streamlit as st

from mtsig_core.report.review import (
    ACROSS_PAIRS,
    circles_table,
    decision_cautions,
    decisions_table,
    history_sentences,
)
from mtsig_core.report.sentences import explain_ranking, state_verdict
from mtsig_core.report.tables import tops_table
from mtsig_core.reviews import (
    Decide,
    Exclude,
    NoteOn,
    SetRule,
    change_from_json,
    change_to_json,
)
from mtsig_core.source import TaskSource
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.kept_tasks import KeptTask
from mtsig_core.stats.ranks import ranks_before_after
from mtsig_core.stats.settings import PRESETS, SETTINGS
from pages._sections import review_sections
from pages._ui import background, screen, views
from pages._ui.catalogue import PAGES
from pages._ui.views import TaskView
from tests.builders.apps import followed, press
from tests.builders.reviews import begin_review
from tests.builders.screens import (
    all_copied,
    captions,
    find_command,
    labelled,
    links,
    read_address,
    shows,
    words,
)

HOSTILE = "<b>close</b> & $x$"


@pytest.fixture
def root(folder, own_stores):
    """A folder of tasks, and a database of its own."""
    return folder.parent


@pytest.fixture
def kept(root, compare_folder):
    """A review of the task, as the page Results starts it."""
    return begin_review(views.reviews(), "task", compare_folder(), "XCOMET")


@pytest.fixture
def at(opened, root):
    """Open a page by a link, to be worked on: only from its second run on are the controls of a
    page the same.
    """
    return lambda page, **asked: (
        opened(page, root=root, **asked).switch_page(f"pages/{page}.py").run()
    )


def read(kept):
    return views.reviews().find(kept.read_link)


def pick(app, key, value):
    app.selectbox(key=key).select(value)
    return app.run()


def change(kept, *changes):
    for n, step in enumerate(changes, len(kept.history)):
        views.reviews().add(kept.edit_link, step, n)


def exclude(app, system, reason):
    pick(app, "review.exclude.system.all language pairs", system)
    app.text_input(key="review.exclude.reason").input(reason)
    press(app, "Exclude it")


def test_a_review_is_started_on_the_page_task_and_changed_step_by_step(at, folder, monkeypatch):
    app = at("results", shared_task="task", metric="XCOMET", trials="999")
    asked = followed(app, lambda: press(app, "Start a review"), monkeypatch)
    ((link,),) = asked.values()  # trials and metric are the review's own by now
    assert app.title[0].value == "Review"
    assert list(app.query_params) == list(asked) == ["review"]
    exclude(app, "Alpha", HOSTILE)
    kept = views.reviews().find(link)
    assert [entry.change for entry in kept.history[1:]] == [Exclude("Alpha", None, HOSTILE)]
    said = words(app)
    assert escape(history_sentences(kept.history)[-1]) in said
    assert "<b>close" not in said
    whole = KeptTask(TaskSource(str(folder)))
    before = compare_task(whole, "XCOMET", trials=999)
    now = compare_task(whole.leaving_out(kept.review.exclusions), "XCOMET", trials=999)
    assert state_verdict(now, "XCOMET") in said
    assert shows(app, circles_table(ranks_before_after(before, now, "XCOMET")))
    assert "--exclude" in find_command(app, "task")
    assert "--metrics XCOMET" in find_command(app, "task")
    press(app, "Put back")
    assert views.reviews().find(link).review.exclusions == ()
    press(app, "Undo")  # the newest step: that it was put back
    kept = views.reviews().find(link)
    assert [exclusion.system for exclusion in kept.review.exclusions] == ["Alpha"]
    assert len(kept.history) == 4


def test_where_nobody_is_ranked_no_rank_is_explained(at, few_documents):
    found = compare_task(KeptTask(TaskSource(str(few_documents))), "bleu", trials=999)
    kept = begin_review(views.reviews(), few_documents.name, found, "bleu")
    app = at("review", review=kept.edit_link)
    assert explain_ranking(found, "bleu")[0] in captions(app)
    assert tops_table(found, "bleu").values("first")[0] in words(app)
    exclude(app, "A", "late")
    assert "No system is ranked, with or without the excluded systems." in words(app)
    assert "An arrow" not in captions(app)


def test_a_link_to_a_review_opens_its_task_on_every_page(at, kept):
    app = at("review", review=kept.read_link)
    assert list(app.query_params) == ["review"]
    of_task = [page.title for page in PAGES.values() if page.opens in ("testset", "task")]
    asks = {title: links(app)[title] for title in of_task}
    assert asks == dict.fromkeys(of_task, {"testset": "task/en-de_DE", "metric": "XCOMET"})
    for name, said in (("results", "2 language pairs"), ("summary", "en-de_DE")):
        opened = at(name, **asks[PAGES[name].title])
        assert said in words(opened)
        assert "Demo data" not in words(opened)


def test_a_reload_keeps_the_tab_and_the_language_pair(at, kept):
    app = at("review", review=kept.edit_link)
    pick(app, "review.decide.pair", "en-ja_JP")
    asked = {"review": kept.edit_link, "review.decide.pair": "en-ja_JP"}
    assert read_address(app) == asked
    again = at("review", **asked, tab="Notes")
    assert again.selectbox(key="review.decide.pair").value == "en-ja_JP"
    assert again.session_state["tab"] == "Notes"


def test_steps_of_others_are_named_once_and_the_server_counts_them(at, kept):
    """The browser asks for the number; then it runs the page again."""
    app = at("review", review=kept.edit_link)
    app.text_input(key="review.author").input(HOSTILE)
    exclude(app, "Alpha", "late")
    assert [entry.author for entry in read(kept).history] == ["", HOSTILE]
    assert "New: " not in words(app)
    assert f", {escape(HOSTILE)}: excluded Alpha" in words(app)
    views.reviews().add(kept.edit_link, Decide("en-de_DE", ("Beta",), "by far"), 2, "Ana")
    for link, n_steps in ((kept.read_link, 3), (kept.edit_link, 3), ("nothing", 0)):
        assert views.count_steps(link) == n_steps
    app.run()
    assert "UTC, Ana: decided en-de_DE: Beta is the winner: by far." in words(app)
    assert "New: " in words(app)
    app.run()
    assert "New: " not in words(app)


def test_a_review_leaves_another_language_pair_of_its_task_open(at, kept):
    app = at("summary", testset="task/en-ja_JP")
    app.query_params = {"review": kept.read_link}
    app.switch_page("pages/review.py").run()
    assert links(app)["Summary"]["testset"] == "task/en-ja_JP"


def test_nobody_is_left_out_without_a_reason(at, kept):
    app = at("review", review=kept.edit_link)
    exclude(app, "Alpha", "")
    assert "Give a reason for excluding Alpha" in words(app)
    assert len(read(kept).history) == 1
    exclude(app, "Alpha", "late")
    assert read(kept).review.exclusions[0].reason == "late"
    assert "Give a reason" not in words(app)


def test_what_is_typed_and_not_kept_is_said(at, kept, monkeypatch):
    """A click is lost where the server starts again: the new session has the text, and does not
    know the button.
    """
    app = at("review", review=kept.edit_link)
    for label, button in (("Note", "Save the note"), ("Why", "Decide")):
        with monkeypatch.context() as lost:
            lost.setattr(review_sections, "_save", lambda *asked: None)
            assert "Not saved yet" not in words(app.run())
            labelled(app.text_area, label).input("clear")
            if button == "Decide":
                app.multiselect(key="review.decide.first.en-de_DE").set_value(["Alpha"])
            press(app, button)
        n = len(read(kept).history)
        assert words(app.run()).count("Not saved yet") == 1
        press(app, button)
        assert len(read(kept).history) == n + 1
        assert "Not saved yet" not in words(app)
    assert read(kept).review.notes[0].text == read(kept).review.decisions[0].why == "clear"


def test_who_reads_has_no_controls_and_never_the_link_to_go_on(at, kept):
    note = NoteOn("en-de_DE", "XCOMET", "Beta", "Gamma", HOSTILE)
    decision = Decide("en-de_DE", ("Alpha",), "why not")
    change(kept, Exclude("Alpha", "en-de_DE", "a bug"), decision, note)
    app = at("review", review=kept.read_link)
    assert [button.label for button in app.button] == ["Close this review"]
    assert not [*app.selectbox, *app.text_input, *app.text_area, *app.multiselect]
    declared = "Alpha is declared the winner, but was not compared there"
    for part in ("a bug", "why not", escape(HOSTILE), declared):
        assert part in words(app)
    sent = "".join(str(element.proto) for element in app.main)
    for texts in (sent, words(app), str(app.session_state), str(app.query_params)):
        assert kept.edit_link not in texts
    assert kept.read_link in all_copied(app)
    assert kept.edit_link in all_copied(at("review", review=kept.edit_link))


@pytest.mark.long
def test_the_printed_command_gives_the_numbers_of_the_files(
    at, root, kept, monkeypatch, print_json
):
    change(
        kept,
        Exclude("Gamma", "en-de_DE", HOSTILE),
        SetRule("wmt25"),
        Decide("en-de_DE", ("Gamma",)),
        NoteOn("en-de_DE", "XCOMET", "Alpha", "Beta", "نص \u202e{x}"),
    )
    files = {}

    def keep(title, data, name, *args, key, **more):
        files[key.rpartition(".")[2]] = data() if callable(data) else data

    monkeypatch.setattr(st, "download_button", keep)
    app = at("review", review=kept.read_link)
    assert files["svg"].startswith("<svg ")
    assert "Notes on disputed pairs" in files["html"]
    assert "declared winner" in files["html"]
    monkeypatch.chdir(root)  # the page names folders from MTSIG_DATA_ROOT on
    reviewed = json.loads(files["json"])
    del reviewed["review"]
    assert print_json(find_command(app, "task")) == reviewed


def test_the_second_of_two_editors_is_told(at, kept):
    """What was typed stays; what the other did is on screen."""

    def decide(app, system, why):
        app.multiselect(key="review.decide.first.en-de_DE").select(system)
        app.text_area(key="review.decide.why.en-de_DE").input(why)
        press(app, "Decide")

    first, second = (at("review", review=kept.edit_link) for _ in range(2))
    decide(first, "Alpha", "mine")
    decide(second, "Beta", "no, mine")
    changes = [entry.change for entry in read(kept).history[1:]]
    assert changes == [Decide("en-de_DE", ("Alpha",), "mine")]
    assert "Somebody else changed this review once" in words(second)
    assert "Alpha is the winner: mine" in words(second)
    assert second.text_area(key="review.decide.why.en-de_DE").value == "no, mine"
    press(second, "Change the decision")
    assert read(kept).review.decisions[0].why == "no, mine"
    assert len(read(kept).history) == 3
    assert "Somebody else" not in words(second)


@pytest.mark.long
def test_the_rule_and_the_metric_are_chosen_in_the_review(at, kept):
    app = at("review", review=kept.edit_link)
    pick(app, "review.Rank rule.1", "wmt25")
    pick(app, "review.Metric.2", "MetricX-24")
    review = read(kept).review
    assert review.settings == {"trials": 999, "rank_rule": "wmt25"}
    assert review.metric == "MetricX-24"
    for said in ("chose ranks as WMT25", "Ranks as WMT25: ", "MetricX-24 scores are better"):
        assert said in words(app)
    for option in ("--metrics MetricX-24", "--rank-rule wmt25"):
        assert option in find_command(app, "task")
    pick(app, "review.Preset.3", "wmt25")
    preset = PRESETS["wmt25"].settings
    assert read(kept).review.settings == {**preset}
    assert "chose the settings &#x27;As WMT25&#x27;" in words(app)
    press(app, f"Use {SETTINGS['test'].name_value('ar')}")  # the caveat of a test of segments
    assert read(kept).review.settings == {**preset, "test": "ar"}


def test_a_link_to_nothing_and_a_task_that_is_gone_are_messages(at, root, kept):
    assert "is not here: it was deleted" in words(at("review", review="x" * 22))
    assert "no review is open" in words(at("review"))
    (root / "task").rename(root / "other")
    app = at("review", review=kept.read_link)
    assert "The shared task &#x27;task&#x27; of this review is not offered here" in words(app)


def test_other_content_is_told_until_one_goes_on_with_it(at, root, kept):
    assert "The content of this task" not in words(at("review", review=kept.edit_link))
    change(kept, Exclude("Gamma"))
    (root / "task" / "automatic_scores" / "Gamma.jsonl").unlink()
    app = at("review", review=kept.edit_link)
    assert "changed in en-de_DE after the review. " in words(app)
    assert "Unknown system &#x27;Gamma&#x27;" in words(app)
    press(app, "Put back")
    press(app, "Continue with the current content")
    assert "The content of this task" not in words(app)
    assert "Unknown system" not in words(app)
    assert "continued with the changed content" in words(app)


def test_a_pair_opened_from_a_review_has_its_settings_and_exclusions(at, kept, monkeypatch):
    """Whatever was chosen before for another set that is open in the session."""
    change(kept, Exclude("Gamma", "en-de_DE", "late & <i>odd</i>"), SetRule("wmt25"))
    app = at("summary", testset="task/en-ja_JP", metric="XCOMET", trials="1999", exclude="Alpha")
    app.query_params["review"] = kept.read_link
    with monkeypatch.context() as patch:
        patch.setattr(screen._Grid, "choose_cell", lambda grid: (0, 3))
        followed(app, lambda: app.switch_page("pages/review.py").run(), monkeypatch)
    assert app.title[0].value == "Summary"
    asked = {"testset": "task/en-de_DE", "exclude": "Gamma", "trials": "999", "rank_rule": "wmt25"}
    assert app.query_params.items() >= asked.items()
    assert "review" not in app.query_params
    assert "1 system excluded" in words(app)
    assert "has other content than" not in words(app)
    assert app.text_input(key="reason.Gamma").value == "late & <i>odd</i>"
    app.switch_page("pages/review.py").run()
    assert app.title[0].value == "Review"
    assert kept.read_link in all_copied(app)


def test_who_is_left_out_can_be_put_back_while_the_numbers_wait(at, kept, monkeypatch):
    """Where a long comparison asks before it runs, or was cancelled, nothing of the review is
    hidden behind it.
    """

    def ask_first(view, meanwhile):
        return background._Task(("key",), "It", st.empty(), None).ask()

    change(kept, Exclude("Alpha", None, "late"))
    monkeypatch.setattr(TaskView, "comparison", ask_first)
    monkeypatch.setattr(background._SCHEDULER, "expected", {("key",): 61.0})
    app = at("review", review=kept.edit_link)
    assert "would take about 61 s" in words(app)
    assert "mt-working" not in words(app)  # which hides what follows
    assert "Alpha, all language pairs: late" in words(app)
    assert labelled(app.tabs, "History and sharing")
    press(app, "Put back")
    assert not read(kept).review.exclusions


def test_a_decision_is_made_across_the_language_pairs_too(at, kept, compare_folder):
    app = at("review", review=kept.edit_link)
    pick(app, "review.decide.pair", ACROSS_PAIRS)
    found = compare_folder()
    last = found.macro["XCOMET"].systems[-1].system
    app.multiselect(key=f"review.decide.first.{ACROSS_PAIRS}").set_value([last])
    press(app, "Decide")
    review = read(kept).review
    [decision] = review.decisions
    assert (decision.pair, decision.first) == (None, (last,))
    declared = {
        row["language_pair"]: row["declared"] for row in decisions_table(review, found).records()
    }
    assert declared[ACROSS_PAIRS] == last
    assert [caution.a for caution in decision_cautions(review, found)] == [last]
    assert app.subheader[0].value == f"1 of {len(declared)} decided"
    assert change_from_json(change_to_json(decision)) == decision
