"""The server between the runs of pages."""

import gc
import sys
from pathlib import Path

import pytest

from pages._ui import background, server_life, server_tidying

CONFIG = Path(__file__).resolve().parents[2] / ".streamlit" / "config.toml"


class Over(Exception):
    pass


def test_memory_is_searched_where_something_happened_and_not_after_each_run(monkeypatch):
    quick, searched = iter([0, 5, 25, 25, 30, 60, 60]), []

    def sleep(seconds):
        if len(asked) == 5:
            raise Over

    asked = []
    monkeypatch.setattr(server_tidying.time, "sleep", sleep)
    monkeypatch.setattr(gc, "get_stats", lambda: (asked.append(next(quick)), [{"collections": asked[-1]}])[1])
    monkeypatch.setattr(gc, "collect", lambda: searched.append(asked[-1]))
    with pytest.raises(Over):
        server_tidying._keep_tidy()
    assert searched == [25] and asked == [0, 5, 25, 25, 30]
    server_tidying._give_back()
    assert "postScriptGC = false" in CONFIG.read_text()


def test_garbage_is_looked_for_once_all_is_loaded(monkeypatch):
    monkeypatch.setattr(background, "prepare", lambda: None)
    monkeypatch.setattr(server_life.PagesManager, "uses_pages_directory", False)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    gc.disable()  # as `serve` starts it
    try:
        server_life._load()
        assert gc.isenabled()
    finally:
        gc.enable()


def test_who_sends_waits_little_for_who_draws(monkeypatch):
    before, started = sys.getswitchinterval(), []
    monkeypatch.setattr(server_tidying.threading, "Thread",
                        lambda **more: type("Started", (), {"start": lambda self: started.append(more["target"])})())
    try:
        server_tidying.tidy()
        assert sys.getswitchinterval() <= 1e-3 and started == [server_tidying._keep_tidy]
    finally:
        sys.setswitchinterval(before)
