"""Archives on disk: an upload belongs to its request, and a kept task is written once for all who
open it.
"""

import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from mtsig_core import InputError, MtsigError
from mtsig_core.source import TaskSource
from pages._store.database import open_database
from pages._store.kept_sets import SetStore
from pages._ui import browser, testsets
from pages._work.zips import KeptZips, placed_for_a_request
from tests.builders.cases import brief
from tests.builders.toys import task_files, zipped

FILES = task_files()
PEOPLE = 10


def at_once(act):
    """What `act` gives each of ten people who do it at the same moment, and raises."""
    start = Barrier(PEOPLE)

    def one(person):
        start.wait(30)
        return act(person)

    with ThreadPoolExecutor(PEOPLE) as people:
        return list(people.map(one, range(PEOPLE)))


@pytest.fixture
def store(monkeypatch, tmp_path):
    database = open_database({"MTSIG_HOME": str(tmp_path / "home")})
    store = SetStore(database)
    monkeypatch.setattr(testsets, "store", lambda: store)
    yield store
    database.close()


def test_an_upload_lies_in_a_folder_of_its_own_as_long_as_it_is_read():
    with (
        placed_for_a_request(b"one", "same.zip") as one,
        placed_for_a_request(b"two", "same.zip") as two,
    ):
        assert one != two
        assert (one.read_bytes(), two.read_bytes()) == (b"one", b"two")
    assert not one.parent.exists()
    assert not two.parent.exists()


def test_ten_people_open_the_same_zip_at_once(store, monkeypatch):
    """A class is handed one file, which everybody uploads under the same name."""
    content = zipped(FILES)

    def open_task(person):
        contents = testsets.look_into(content, "wmt.zip")
        source = TaskSource("wmt.zip", name="WMT", scores=contents.scores)
        link = testsets.keep_task(content, source, contents, []).removeprefix(testsets.KEPT)
        saved = store.find(link)
        return link, sorted(testsets.placed(saved).read().testsets)

    monkeypatch.setattr(browser, "find_owner", lambda make=False: os.urandom(8).hex())
    opened = at_once(open_task)
    assert len({link for link, _ in opened}) == PEOPLE
    assert [pairs for _, pairs in opened] == [
        sorted(testsets.list_pairs(content, "wmt.zip"))
    ] * PEOPLE


def test_a_kept_task_is_written_once_and_stays_while_others_keep_it(store, monkeypatch):
    content, written = zipped(FILES), []
    source = TaskSource("wmt.zip", name="WMT")
    links = [
        store.keep_task(content, owner, source, ("en-de",), 2) for owner in ("alice", "robert")
    ]
    alice, robert = map(store.find, links)
    zips = KeptZips()
    paths = at_once(
        lambda _: zips.place(alice.digest, "wmt.zip", lambda: written.append(1) or content)
    )
    assert len(written) == 1
    assert {path.read_bytes() for path in paths} == {content}
    monkeypatch.setattr(testsets, "kept_zips", lambda: zips)
    for owner, saved, still_there in (("alice", alice, True), ("robert", robert, False)):
        monkeypatch.setattr(browser, "find_owner", lambda make=False, owner=owner: owner)
        testsets.delete(saved)
        assert paths[0].exists() is still_there


def test_what_was_used_longest_ago_makes_room_unless_somebody_may_be_reading_it():
    zips = KeptZips(room=25, in_use=600)
    old, older, new = (
        zips.place(key, "a.zip", lambda: b"x" * 10) for key in ("old", "older", "new")
    )
    assert old.exists()
    assert older.exists()
    assert new.exists()  # all were asked for just now
    for age, path in ((1000, old), (2000, older)):
        os.utime(path.parent, (path.stat().st_mtime - age,) * 2)
    zips.place("last", "a.zip", lambda: b"x" * 10)
    assert new.exists()
    assert not older.exists()
    assert not old.exists()


def test_a_folder_that_vanishes_is_written_again():
    zips = KeptZips()
    path = zips.place("key", "a.zip", lambda: b"one")
    shutil.rmtree(path.parent)
    assert zips.place("key", "a.zip", lambda: b"two").read_bytes() == b"two"


def damaged():
    """Zips of which each is wrong in another way."""
    whole = zipped(FILES)
    yield "empty", b""
    yield "cut short", whole[: len(whole) // 2]
    yield "noise in the middle", whole[:200] + b"\xff" * 200 + whole[400:]
    yield "nothing in it", zipped({})
    yield (
        "no outputs",
        zipped({name: text for name, text in FILES.items() if "system-outputs" not in name}),
    )
    for name in FILES:
        yield f"{name} is binary", zipped(FILES | {name: b"\x00\xff\xfe" * 50})
        yield f"{name} is empty", zipped(FILES | {name: b""})
        yield f"{name} is short", zipped(FILES | {name: b"one line\n"})


@pytest.mark.parametrize("act", brief(2, ["look_into", "keep_task", "list_pairs", "unpack_files"]))
def test_no_message_has_the_path_of_a_temporary_folder(store, monkeypatch, act):
    monkeypatch.setattr(browser, "find_owner", lambda make=False: "somebody")
    told = {}
    for what, content in damaged():
        try:
            if act == "keep_task":
                source = TaskSource("wmt.zip", name="WMT")
                contents = testsets.Contents(("en-de",), (), (), ())
                testsets.keep_task(content, source, contents, [])
            else:
                told[what] = repr(getattr(testsets, act)(content, "wmt.zip"))
        except MtsigError as error:
            told[what] = str(error)
    assert (
        act == "unpack_files" or len(set(told.values())) > 1
    )  # of a task it gives nothing, whatever is in it
    assert not [
        what
        for what, text in told.items()
        if "mtsig-upload-" in text or tempfile.gettempdir() in text
    ]


def test_a_kept_task_that_is_removed_while_it_is_opened_is_told_without_a_path(store, monkeypatch):
    source = TaskSource("wmt.zip", name="WMT")
    saved = store.find(store.keep_task(zipped(FILES), "alice", source, ("en-de",), 2))
    offer = testsets.TaskOffer("WMT", source, ("en-de",), saved=saved)
    place = testsets.placed

    def placed_and_removed(saved):
        there = place(saved)
        shutil.rmtree(there.below)
        return there

    monkeypatch.setattr(testsets, "placed", placed_and_removed)
    with pytest.raises(InputError) as told:
        testsets.open_kept_task(offer, None)
    assert "wmt.zip" in str(told.value)
    assert "mtsig-tasks-" not in str(told.value)
