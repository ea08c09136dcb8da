"""Folders and files with names that are no UTF-8, and ones that lead elsewhere: shown escaped, or
refused, alone.
"""

import os

import pytest

from mtsig_core.source import Source, TaskSource
from mtsig_core.testset import TestSet
from pages._server.launch import make_absolute
from pages._ui import testsets
from tests.builders.screens import all_copied, sentences, small_source, words, write
from tests.builders.streamlit_parts import all_elements

CAFE = os.fsdecode(b"caf\xe9")


def task(folder, system="x"):
    outputs = {system: sentences(20), "y": [text.replace("small", "big") for text in sentences(20)]}
    write(folder / "references/en-de.refA.txt", sentences(20))
    for name, lines in outputs.items():
        write(folder / "system-outputs/en-de" / f"{name}.txt", lines)
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


def test_files_that_the_dashboard_is_started_on(opened, tmp_path):
    system = write(tmp_path / f"{CAFE}.txt", sentences(20))
    source = Source(
        ref=(("ref", write(tmp_path / "ref.txt", sentences(20))),),
        system=((None, system), ("y", write(tmp_path / "y.txt", ["a"] * 20))),
    )
    app = opened("summary", source, trials="999")
    assert "caf\\udce9" in words(app)


@pytest.mark.parametrize(
    "page, name, said",
    [
        ("summary", "caf\\udce9", "caf\\udce9"),
        ("summary", "pipe", "pipe/system-outputs/en-de/z.txt is not a regular file"),
        (
            "upload",
            "out",
            "out/system-outputs/en-de/z.txt is a link that leads out of MTSIG_DATA_ROOT",
        ),
        ("results", "caf\\udce9", "caf\\udce9"),
        ("results", "pipe", "pipe/system-outputs/en-de/z.txt is not a regular file"),
    ],
)
def test_each_set_and_task_opens_or_has_one_message(opened, root, page, name, said):
    asked = {"shared_task": name} if page == "results" else {"testset": f"{name}/en-de"}
    app = opened(page, root=root, trials="999", **asked)
    assert said in words(app)
    assert str(root) not in words(app) + all_copied(app)
    if page != "results":
        options = set(app.selectbox(key="testset").options)
        assert {"good/en-de", "caf\\udce9/en-de", "pipe/en-de"} <= options


@pytest.mark.parametrize("page, asked", [("summary", {}), ("results", {"shared_task": "wmt"})])
def test_where_the_files_lie_is_shown_nowhere(opened, tmp_path, page, asked):
    whole, source = None, small_source(tmp_path)
    if page == "results":
        whole = make_absolute(TaskSource(str(task(tmp_path / "wmt"))))
        source = Source(folder=whole.folder)
    app = opened(page, make_absolute(source), task=whole, trials="99", **asked)
    shown = [str(element.proto) for element in all_elements(app)]
    assert len(shown) > 9
    assert f"{tmp_path}/" not in "\n".join(shown)


@pytest.mark.usefixtures("own_stores")
def test_no_upload_goes_for_others():
    sets = [TestSet(f"t{k}", {"A": [f"a{k}"]}, {"r": ["b"]}) for k in range(25)]
    kept = [testsets.store().keep(testset, "me" * 10) for testset in sets]
    testsets.store.clear()  # as any browser may ask of Streamlit
    for k, link in enumerate(kept):
        saved = testsets.store().find(link)
        assert testsets._load_upload(saved).systems["A"] == (f"a{k}",)
