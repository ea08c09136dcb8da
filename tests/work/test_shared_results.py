"""What one process of the server has computed, another finds."""

import os
import threading

import numpy as np
import pytest

from mtsig_core.source import SHARED_VARIABLE
from pages._work import shared_results
from pages._work.scheduler import Scheduler


class Sender:
    """A worker that does its work at once, and says how heavy the value is."""

    weight = 10

    def __init__(self, heavy=True):
        pass

    def start(self):
        pass

    def run(self, work, tell):
        return work(tell)


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv(SHARED_VARIABLE, str(tmp_path / "results"))
    return tmp_path / "results"


def test_another_process_need_not_compute(folder):
    key, one, other = ("compare", "digest", ("alpha", 0.05), "\udc80"), Scheduler(Sender), Scheduler(Sender)
    one.watch(key, lambda tell: np.arange(3), "me").future.result(5)
    assert not other.found((*key, 1)) and key not in other.values
    assert other.found(key) and other.values.get(key).tolist() == [0, 1, 2]
    assert folder.stat().st_mode & 0o777 == 0o700 and [file.stat().st_mode & 0o777 for file in folder.iterdir()] == [
        0o600]


def test_values_may_hold_functions(folder):
    shared_results.keep(("f",), [lambda k: k + 1])
    assert shared_results.find(("f",))[0][0](1) == 2


def test_without_other_processes_nothing_is_written(monkeypatch):
    monkeypatch.delenv(SHARED_VARIABLE, raising=False)
    shared_results.keep(("a",), 1)
    assert shared_results.find(("a",)) is None


def test_what_was_made_first_makes_room_and_what_cannot_be_written_is_left(folder, monkeypatch):
    monkeypatch.setattr(shared_results, "_MOST", 800)
    for k in range(5):
        shared_results.keep(("a", k), bytes(300))
        for file in folder.iterdir():  # a second earlier than what comes next
            os.utime(file, (file.stat().st_atime, file.stat().st_mtime - 1))
    assert [shared_results.find(("a", k)) is not None for k in range(5)] == [False, False, False, True, True]
    shared_results.keep(("b",), threading.Lock())
    assert shared_results.find(("b",)) is None
