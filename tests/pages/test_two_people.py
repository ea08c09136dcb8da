"""Two people who open the same content, each from files of their own names: nothing of one reaches
the other.
"""

from types import SimpleNamespace

import cloudpickle
import pytest
import streamlit as st

from mtsig_core.errors import SettingError
from mtsig_core.reviews import Decide, Exclude, NoteOn
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.kept_tasks import KeptTask
from pages._sections import ranking_sections, size_sections
from pages._ui import background, charts, result_cache, testsets, views
from tests.builders.apps import ROWS
from tests.builders.cases import brief
from tests.builders.reviews import begin_review
from tests.builders.score_folders import score_folder
from tests.builders.screens import replace_in_most, sentences, words, write
from tests.builders.streamlit_parts import all_elements

#: Views of a page beside its first: what its link asks.
VIEWS = [
    ("metrics", {"inside": "by domain"}),
    ("metrics", {"inside": "which metric to trust"}),
    ("pair", {"card": "true"}),
    ("inside", {"inside": "sentence average"}),
    ("trust", {"experiment": "Coverage"}),
    ("summary", {"metric": "human"}),
]
#: Of pages on scores alone, whose lines are counted from 0: what was assumed of that names the
#: file.
ON_SCORES = [
    ("summary", {}),
    ("pairs", {}),
    ("pair", {"card": "true"}),
    ("metrics", {"inside": "by domain"}),
    ("metrics", {"inside": "which metric to trust"}),
    ("bootstrap", {}),
]
CASES = brief(
    len(ROWS) + 3,
    [
        *(("texts", name, {}) for name in ROWS),
        *(("scores", *view) for view in ON_SCORES),
        *(("texts", *view) for view in VIEWS),
    ],
)


def texts_of_a(person, folder):
    """The same content for everybody; the set is called as its files are."""
    reference = sentences(60)
    outputs = {
        "A": replace_in_most(reference, 3, "small", "tiny"),
        "B": replace_in_most(reference, 4, "number", "no"),
    }
    documents = [f"{domain(k)}\td{k // 3}" for k in range(60)]
    system = []
    for name, texts in outputs.items():
        system.append((name, write(folder / f"{person}-{name}.txt", texts)))
    return Source(
        ref=(("ref", write(folder / f"{person}-ref.txt", reference)),),
        system=tuple(system),
        docs=write(folder / f"{person}-docs.txt", documents),
        scores=scores_of_a(person, folder, first_line=1).scores[:1],
    )


def scores_of_a(person, folder, first_line=0):
    tables = []
    for metric, spread in (("human", 11), ("xcomet", 7)):
        rows = ["system\tline\tscore\tdocument\tdomain"]
        for better, name in enumerate("AB"):
            for k in range(60):
                score = 50 + (7 * k + better) % spread + better
                rows.append(f"{name}\t{k + first_line}\t{score}\td{k // 3}\t{domain(k)}")
        tables.append((metric, write(folder / f"{person}-{metric}.tsv", rows)))
    return Source(scores=tuple(tables), higher_is_better=("human",))


def domain(k):
    return "news" if k < 30 else "social"


SOURCES = {"texts": texts_of_a, "scores": scores_of_a}


@pytest.fixture
def files(monkeypatch):
    """What the buttons of a page save, as it is pressed for."""
    saved = []
    before = st.download_button

    def keep(label, content, *more, **named):
        saved.append(content() if callable(content) else content)
        return before(label, "", *more, **named)

    monkeypatch.setattr(charts, "st", SimpleNamespace(**vars(st) | {"download_button": keep}))
    return saved


def texts_of(page, files):
    """All that a page sends and saves."""
    sent = [str(element.proto) for element in all_elements(page)]
    saved = [one.decode(errors="replace") if isinstance(one, bytes) else one for one in files]
    return "\n".join([*sent, *saved])


def shared_values():
    """What sessions share, as bytes."""
    memories = background._SCHEDULER.values, result_cache._DECIDED
    return [cloudpickle.dumps(value) for memory in memories for value, _ in memory._values.values()]


def check_apart(shown, alice="alice", robert="robert"):
    """Each is told of the own, and nothing of the other."""
    assert alice in shown["alice"]
    assert robert in shown["robert"]
    assert "robert" not in shown["alice"]
    assert "alice" not in shown["robert"]


@pytest.mark.parametrize("source, name, asked", CASES)
def test_nothing_of_one_person_is_shown_to_another(opened, tmp_path, files, source, name, asked):
    shown, metric = {}, "bleu" if source == "texts" else "human"
    before = {*shared_values()}  # of whole tasks, which are told apart by their names
    for person in ("alice", "robert"):
        files.clear()
        own_source = SOURCES[source](person, tmp_path / person)
        page = opened(name, own_source, **{"trials": "999", "metric": metric} | asked)
        assert "mt-error" not in words(page)
        shown[person] = texts_of(page, files).replace(str(tmp_path / person), "")
    check_apart(shown)
    for value in {*shared_values()} - before:
        assert b"alice" not in value
        assert b"robert" not in value


@pytest.mark.parametrize("tab", brief(2, ["Language pairs", *ranking_sections.TABS]))
def test_nothing_of_one_task_is_shown_of_another_with_the_same_content(
    opened, tmp_path, files, tab
):
    shown, asked = {}, {"trials": "999", "metric": "XCOMET", "tab": tab, "trust": "true"}
    for person in ("alice", "robert"):
        files.clear()
        folder = score_folder(tmp_path / person).rename(tmp_path / person / f"{person}-task")
        page = opened("results", task=TaskSource(str(folder)), **asked)
        assert "mt-error" not in words(page)
        shown[person] = texts_of(page, files)
    check_apart(shown, "alice-task", "robert-task")


def test_a_task_is_told_by_its_zip_though_it_is_called_as_another(tmp_path):
    """What is read of it names files in it."""
    folders = [
        score_folder(tmp_path / person).rename(tmp_path / f"{person}-task")
        for person in ("alice", "robert")
    ]
    alice, robert = (TaskSource(str(folder), name="WMT").digest() for folder in folders)
    assert alice != robert


@pytest.mark.usefixtures("own_stores")
def test_nothing_of_one_review_is_shown_in_another(opened, tmp_path, files):
    """Two people review the same task: each with a reason, a note and a decision, on the same
    system and pair.
    """
    folder = score_folder(tmp_path / "tasks")
    found = compare_task(KeptTask(TaskSource(str(folder))), "XCOMET", trials=999)
    shown, links = {}, {}
    for person in ("alice", "robert"):
        files.clear()
        kept = begin_review(views.reviews(), "task", found, "XCOMET", person)
        for n, step in enumerate(
            (
                Exclude("Gamma", None, f"{person} says so"),
                NoteOn("en-de_DE", "XCOMET", "Alpha", "Beta", f"a note by {person}"),
                Decide("en-de_DE", ("Alpha",), f"as {person} decided"),
            ),
            1,
        ):
            views.reviews().add(kept.edit_link, step, n)
        page = opened("review", root=folder.parent, review=kept.read_link)
        shown[person], links[person] = texts_of(page, files), (kept.read_link, kept.edit_link)
    check_apart(shown, "as alice decided", "as robert decided")
    for person, other in (("alice", "robert"), ("robert", "alice")):
        assert f"{person} says so" in shown[person]
        for link in links[other]:
            assert link not in shown[person]


def test_what_was_assumed_is_told_each_person_by_their_own_file(opened, tmp_path):
    """Though what is found of it is found once."""
    for person in ("alice", "robert"):
        page = opened("summary", scores_of_a(person, tmp_path / person), trials="999")
        assert f"{person}-human.tsv counts lines from 0" in texts_of(page, [])
    assert shared_values()


def test_an_error_calls_the_set_by_the_name_of_who_sees_it(tmp_path, monkeypatch):
    """Work fails once for all who wait for it."""
    monkeypatch.setattr(background, "result", lambda key, work, what, meanwhile: work(None))
    for person in ("alice", "robert"):
        testset = scores_of_a(person, tmp_path / person).read()
        with pytest.raises(SettingError, match=f"{person}-human has only segment scores"):
            result_cache.comparison(testset, "bleu", trials=999)


def test_no_memory_of_the_pages_gives_one_persons_set_to_another(tmp_path):
    """Parts of a test set are remembered, too, and have its name."""
    names = {}
    for person in ("alice", "robert"):
        testset = texts_of_a(person, tmp_path / person).read()
        view = SimpleNamespace(testset=testset, source=Source())
        several, _ = size_sections.with_several_references(view, "A")
        parts = (
            views._with_tokenizer(testset, "char"),
            testsets._select_track(testset, ("A",), "constrained"),
            several,
        )
        names[person] = " ".join(part.name for part in parts)
        assert names[person].count(person) == 3
    check_apart(names)
