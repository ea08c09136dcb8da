"""Folders and files with names that are no UTF-8, and ones that lead elsewhere: shown escaped, or
refused, alone.
"""

import os

import pytest

from mtsig_core.source import Source, TaskSource
from mtsig_core.testset import TestSet
from pages._server.launch import make_absolute
from pages._ui import testsets
from tests.builders.screens import copied, sentences, small_source, words, write
from tests.builders.streamlit_parts import all_elements

CAFE = os.fsdecode(b"caf\xe9")


def task(folder, system="x"):
    write(folder / "references/en-de.refA.txt", sentences(20))
    write(folder / "system-outputs/en-de" / f"{system}.txt", sentences(20))
    write(
        folder / "system-outputs/en-de/y.txt",
        [text.replace("small", "big") for text in sentences(20)],
    )
    return folder


@pytest.fixture
def root(tmp_path):
    """Two tasks that may be opened, one of a strange name; one with a pipe, one that leads out, one
    that is broken.
    """
    root = tmp_path / "root"
    task(root / "good"), task(root / CAFE, CAFE)
    os.mkfifo(task(root / "pipe") / "system-outputs/en-de/z.txt")
    (task(root / "out") / "system-outputs/en-de/z.txt").symlink_to(
        write(tmp_path / "secret.txt", ["s"] * 20)
    )
    (root / "loop").symlink_to(root / "loop")
    (root / "broken/references").mkdir(parents=True)
    return root


@pytest.mark.parametrize(
    "page, name, said",
    [
        ("summary", "caf\\udce9/en-de", "caf\\udce9"),
        ("summary", "pipe/en-de", "pipe/system-outputs/en-de/z.txt is no regular file"),
        (
            "upload",
            "out/en-de",
            "out/system-outputs/en-de/z.txt is a link that leads out of MTSIG_DATA_ROOT",
        ),
    ],
)
def test_each_set_opens_or_has_one_message(opened, root, page, name, said):
    app = opened(page, root=root, testset=name, trials="999")
    assert said in words(app)
    assert str(root) not in words(app) + "".join(copied(app))
    assert {"good/en-de", "caf\\udce9/en-de", "pipe/en-de"} <= set(
        app.selectbox(key="testset").options
    )


@pytest.mark.parametrize(
    "name, said",
    [("caf\\udce9", "caf\\udce9"), ("pipe", "pipe/system-outputs/en-de/z.txt is no regular file")],
)
def test_each_task_opens_or_has_one_message(opened, root, name, said):
    app = opened("results", root=root, shared_task=name, trials="999")
    assert said in words(app)
    assert str(root) not in words(app) + "".join(copied(app))


def test_files_that_the_dashboard_is_started_on(opened, tmp_path):
    system = write(tmp_path / f"{CAFE}.txt", sentences(20))
    source = Source(
        ref=(("ref", write(tmp_path / "ref.txt", sentences(20))),),
        system=((None, system), ("y", write(tmp_path / "y.txt", ["a"] * 20))),
    )
    app = opened("summary", source, trials="999")
    assert "caf\\udce9" in words(app)


@pytest.mark.parametrize("page, asked", [("summary", {}), ("results", {"shared_task": "wmt"})])
def test_where_the_files_lie_is_shown_nowhere(opened, tmp_path, page, asked):
    whole = make_absolute(TaskSource(str(task(tmp_path / "wmt")))) if page == "results" else None
    source = small_source(tmp_path) if whole is None else Source(folder=whole.folder)
    app = opened(page, make_absolute(source), task=whole, trials="99", **asked)
    shown = [str(element.proto) for element in all_elements(app)]
    assert len(shown) > 9
    assert not [text for text in shown if f"{tmp_path}/" in text]


def test_no_upload_goes_for_others(tmp_path, monkeypatch):
    monkeypatch.setenv("MTSIG_HOME", str(tmp_path))
    testsets.store.clear()
    store = testsets.store()
    links = [
        store.keep(TestSet(f"t{k}", {"A": [f"a{k}"]}, {"r": ["b"]}), "me" * 10) for k in range(25)
    ]
    testsets.store.clear()  # as any browser may ask of Streamlit
    for k, link in enumerate(links):
        saved = testsets.store().find(link)
        assert testsets._load_upload(saved).systems["A"] == (f"a{k}",)
    testsets.store.clear()
