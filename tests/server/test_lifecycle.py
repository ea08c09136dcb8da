"""The server between the runs of pages."""

import gc
import sys
from pathlib import Path

import pytest

from mtsig_core.metrics.cache import Memory
from mtsig_core.source import Source
from pages._server import internals, lifecycle, sessions
from pages._ui import background, testsets
from pages._ui.catalogue import TASK
from tests.builders.client import run
from tests.builders.streamlit_parts import Left, keeps_sessions_that_left

CONFIG = Path(__file__).resolve().parents[2] / ".streamlit" / "config.toml"


class Over(Exception):
    pass


def tidied(monkeypatch, runtime, quick):
    """After how many quick searches, counted at each look, the server searches all memory."""
    searched, asked = [], []
    quick = iter(quick)

    async def sleep(seconds):
        if (following := next(quick, None)) is None:
            raise Over
        asked.append(following)

    monkeypatch.setattr(lifecycle.asyncio, "sleep", sleep)
    monkeypatch.setattr(internals, "get_instance", lambda: runtime)
    monkeypatch.setattr(internals.runtime, "exists", lambda: True)
    monkeypatch.setattr(gc, "get_stats", lambda: [{"collections": asked[-1]}])
    monkeypatch.setattr(gc, "collect", lambda: searched.append(asked[-1]))
    before = sys.getswitchinterval()
    try:
        with pytest.raises(Over):
            run(lifecycle.tidy())
        assert sys.getswitchinterval() <= 1e-3  # who sends waits little for who draws
    finally:
        sys.setswitchinterval(before)
    return searched


def test_memory_is_searched_where_something_happened_and_not_after_each_run(monkeypatch):
    runtime = Left()
    runtime.here = False
    assert tidied(monkeypatch, runtime, [0, 5, 25, 25, 30]) == [25]
    lifecycle._give_back()
    assert "postScriptGC = false" in CONFIG.read_text()


def test_a_session_has_one_run_of_a_page_at_a_time():
    """Two would change its state at once, for which Streamlit has a lock in each run alone."""
    assert "fastReruns = false" in CONFIG.read_text()


def test_sessions_that_left_are_ended_and_their_memory_given_back_though_nobody_comes(monkeypatch):
    runtime = Left()
    monkeypatch.setattr(sessions, "_refused", {"one": {"a file": "why"}})
    assert tidied(monkeypatch, runtime, [0, 1, 2]) == [0]
    assert runtime.ended == 1
    assert sessions._refused == {}


def test_streamlit_keeps_sessions_that_left_where_they_are_looked_for():
    assert keeps_sessions_that_left()


def test_garbage_is_looked_for_once_all_is_loaded(monkeypatch):
    monkeypatch.setattr(background, "prepare", lambda: None)
    monkeypatch.setattr(internals.PagesManager, "uses_pages_directory", False)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    gc.disable()  # as `serve` starts it
    try:
        lifecycle._load()
        assert gc.isenabled()
    finally:
        gc.enable()


def test_what_the_server_opens_beforehand_is_what_sessions_open(monkeypatch):
    monkeypatch.setattr(testsets, "LOADED", Memory(8))
    lifecycle._open_demonstration()
    read = testsets.read_beforehand(TASK)
    monkeypatch.setattr(Source, "read", None)  # nothing is read again
    assert testsets.available()[TASK.title].load() is read
