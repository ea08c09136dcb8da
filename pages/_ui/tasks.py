"""The shared tasks that may be opened: the one served, those below MTSIG_DATA_ROOT, a simulated one."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from mtsig_core.data.readers.further_runs import runs_beside
from mtsig_core.data.readers.tasks import tables_beside
from mtsig_core.data.source import SOURCE_VARIABLE, Source
from mtsig_core.data.task_source import TaskSource
from mtsig_core.report.kept_tasks import KeptTask
from pages._ui import testsets
from pages._ui.shelf import SHELF

__all__ = ["SIMULATED", "TaskOffer", "available", "kept"]

SIMULATED = TaskSource(None)
_AS_READ = 4  # bytes in memory for each of a file, about


@dataclass(frozen=True)
class TaskOffer:
    """A shared task that may be opened.

    Attributes
    ----------
    source : TaskSource
    """

    source: TaskSource

    def testset(self, name: str, pair: str) -> str:
        """What one of its language pairs is called in the address of a page, where the task is called `name`."""
        return f"{name}/{pair}" if self.source.folder is not None else self.source.of_pair(pair).title


def available() -> dict[str, TaskOffer]:
    """What is offered, by the name that it has in the address of a page."""
    found = {}
    if os.environ.get(SOURCE_VARIABLE):
        source = Source.from_json(os.environ[SOURCE_VARIABLE])
        if source.demo_task:
            found[SIMULATED.title] = TaskOffer(SIMULATED)
    if (task := testsets.served_task()) is not None:
        found[testsets.name_of(task)] = TaskOffer(task)
    for name, folder in testsets.task_folders():
        pairs = testsets.pairs_in(folder, testsets.root())
        found.setdefault(name, TaskOffer(TaskSource(
            str(folder), scores=tuple(tables_beside(folder, pairs)), run=tuple(runs_beside(folder, pairs)),
            below=str(testsets.root()))))
    return found | {SIMULATED.title: TaskOffer(SIMULATED)}


def kept(offer: TaskOffer, track: str | None) -> KeptTask:
    """A task, or one track of it, by what is kept of it; its files are looked at anew when one has changed."""
    return _kept(offer.source, track, tuple((path, *_seen(path)) for path in (
        *offer.source.files(), *filter(Path.is_file, offer.source.beside()))))


def _seen(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns


def _kept(source: TaskSource, track: str | None, fingerprint: tuple) -> KeptTask:
    def make():
        if track is None:
            found = KeptTask(source)
        else:
            whole = _kept(source, None, fingerprint)  # which is read once for all tracks
            found = KeptTask(replace(source, track=track), read=lambda: whole.task.of_track(track))
        with st.spinner("Reading the task"):
            found.info  # noqa: B018 - what takes time, for the page to say so meanwhile
        return found

    return SHELF.get(("task", source, track, fingerprint), make,
                     lambda _: _AS_READ * sum(size for _, size, _ in fingerprint))
