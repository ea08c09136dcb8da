"""Two people who open the same content, each from files of their own names: nothing of one reaches
the other.
"""

from types import SimpleNamespace

import cloudpickle
import pytest
import streamlit as st

from mtsig_core.errors import SettingError
from mtsig_core.reviews import Begin, Decide, Exclude, NoteOn
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.kept_tasks import KeptTask
from pages._sections import ranking_sections, size_sections
from pages._ui import background, charts, result_cache, testsets, views
from tests.builders.apps import ROWS
from tests.builders.cases import brief
from tests.builders.score_folders import score_folder
from tests.builders.screens import sentences, words, write
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
        "A": [text.replace("small", "tiny") if k % 3 else text for k, text in enumerate(reference)],
        "B": [text.replace("number", "no") if k % 4 else text for k, text in enumerate(reference)],
    }
    documents = [f"{'news' if k < 30 else 'social'}\td{k // 3}" for k in range(60)]
    table = scores_of_a(person, folder, first_line=1).scores[0]
    return Source(
        ref=(("ref", write(folder / f"{person}-ref.txt", reference)),),
        system=tuple(
            (name, write(folder / f"{person}-{name}.txt", texts)) for name, texts in outputs.items()
        ),
        docs=write(folder / f"{person}-docs.txt", documents),
        scores=(table,),
    )


def scores_of_a(person, folder, first_line=0):
    tables = []
    for metric, spread in (("human", 11), ("xcomet", 7)):
        rows = [
            f"{name}\t{k + first_line}\t{50 + (7 * k + better) % spread + better}\td{k // 3}\t{domain(k)}"
            for better, name in enumerate("AB")
            for k in range(60)
        ]
        header = "system\tline\tscore\tdocument\tdomain"
        tables.append((metric, write(folder / f"{person}-{metric}.tsv", [header, *rows])))
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


@pytest.mark.parametrize("source, name, asked", CASES)
def test_nothing_of_one_person_is_shown_to_another(opened, tmp_path, files, source, name, asked):
    shown, metric = {}, "bleu" if source == "texts" else "human"
    before = {*shared_values()}  # of whole tasks, which are told apart by their names
    for person in ("alice", "robert"):
        files.clear()
        opened_by = SOURCES[source](person, tmp_path / person)
        page = opened(name, opened_by, **{"trials": "999", "metric": metric} | asked)
        assert "mt-error" not in words(page)
        shown[person] = texts_of(page, files).replace(str(tmp_path / person), "")
    assert "robert" not in shown["alice"]
    assert "alice" not in shown["robert"]
    assert "alice" in shown["alice"]
    assert "robert" in shown["robert"]
    added = {*shared_values()} - before
    assert not [value for value in added if b"alice" in value or b"robert" in value]


@pytest.mark.parametrize("tab", brief(2, ["Language pairs", *ranking_sections.TABS]))
def test_nothing_of_one_task_is_shown_of_another_with_the_same_content(
    opened, tmp_path, files, tab
):
    shown = {}
    for person in ("alice", "robert"):
        files.clear()
        folder = score_folder(tmp_path / person).rename(tmp_path / person / f"{person}-task")
        page = opened(
            "results",
            task=TaskSource(str(folder)),
            trials="999",
            metric="XCOMET",
            tab=tab,
            trust="true",
        )
        assert "mt-error" not in words(page)
        shown[person] = texts_of(page, files)
    assert "robert" not in shown["alice"]
    assert "alice" not in shown["robert"]
    assert "alice-task" in shown["alice"]
    assert "robert-task" in shown["robert"]


def test_a_task_is_told_by_its_zip_though_it_is_called_as_another(tmp_path):
    """What is read of it names files in it."""
    folders = [
        score_folder(tmp_path / person).rename(tmp_path / f"{person}-task")
        for person in ("alice", "robert")
    ]
    alice, robert = (TaskSource(str(folder), name="WMT").digest() for folder in folders)
    assert alice != robert


def test_nothing_of_one_review_is_shown_in_another(opened, tmp_path, files, monkeypatch):
    """Two people review the same task: each with a reason, a note and a decision, on the same
    system and pair.
    """
    monkeypatch.setenv("MTSIG_HOME", str(tmp_path / "home"))
    testsets.store.clear(), views.reviews.clear()
    root = score_folder(tmp_path / "tasks").parent
    found = compare_task(KeptTask(TaskSource(str(root / "task"))), "XCOMET", trials=999)
    digests = {pair: one.testset.digest for pair, one in found.pairs.items()}
    shown, links = {}, {}
    for person in ("alice", "robert"):
        files.clear()
        kept = views.reviews().begin(
            Begin("task", None, found.task.digest, digests, "XCOMET", {"trials": 999}), person
        )
        steps = (
            Exclude("Gamma", None, f"{person} says so"),
            NoteOn("en-de_DE", "XCOMET", "Alpha", "Beta", f"a note by {person}"),
            Decide("en-de_DE", ("Alpha",), f"as {person} decided"),
        )
        for step in steps:
            kept = views.reviews().add(kept.edit_link, step, len(kept.history))
        page = opened("review", root=root, review=kept.read_link)
        assert f"as {person} decided" in words(page)
        assert f"{person} says so" in words(page)
        shown[person], links[person] = texts_of(page, files), {kept.read_link, kept.edit_link}
    for person, other in (("alice", "robert"), ("robert", "alice")):
        assert other not in shown[person]
        assert not [link for link in links[other] if link in shown[person]]
    testsets.store.clear(), views.reviews.clear()


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
    assert "robert" not in names["alice"]
    assert names["alice"].count("alice") == 3
    assert "alice" not in names["robert"]
    assert names["robert"].count("robert") == 3
