"""The shared tasks that may be opened: the one served, those below MTSIG_DATA_ROOT, a simulated one."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from mtsig_core import InputError
from mtsig_core.data.readers.lines import shown
from mtsig_core.data.readers.tasks import tables_beside
from mtsig_core.data.source import SOURCE_VARIABLE, Source
from mtsig_core.data.task_source import TaskSource
from mtsig_core.report.kept_tasks import KeptTask
from pages._ui import testsets

__all__ = ["SIMULATED", "TaskOffer", "available", "kept"]

SIMULATED = TaskSource(None)


@dataclass(frozen=True)
class TaskOffer:
    """A shared task that may be opened.

    Attributes
    ----------
    source : TaskSource
    below : Path or None
        The folder that its files must lie in, links followed; None for anywhere.
    """

    source: TaskSource
    below: Path | None = None

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
        if source.folder is not None and source.langpair is None:
            found[Path(source.folder).name] = TaskOffer(TaskSource(
                source.folder, lower_is_better=source.lower_is_better, higher_is_better=source.higher_is_better,
                keep_canary=source.keep_canary, keep_withdrawn=source.keep_withdrawn))
    for name, folder in testsets.task_folders():
        scores = tuple(tables_beside(folder, testsets.pairs_in(folder)))
        found.setdefault(name, TaskOffer(TaskSource(str(folder), scores=scores), testsets.root()))
    return found | {SIMULATED.title: TaskOffer(SIMULATED)}


def kept(offer: TaskOffer, track: str | None) -> KeptTask:
    """A task, or one track of it, by what is kept of it; its files are looked at anew when one has changed."""
    files = offer.source.files()
    for path in files if offer.below is not None else ():
        if not path.resolve().is_relative_to(offer.below):
            raise InputError(f"{shown(path)} is a link that leads out of MTSIG_DATA_ROOT, where the dashboard may not "
                             "read. Replace it by the file.")
    return _kept(offer.source, track, tuple((path, *_seen(path)) for path in files))


def _seen(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns


@st.cache_resource(max_entries=8, show_spinner="Reading the task")
def _kept(source: TaskSource, track: str | None, fingerprint: tuple) -> KeptTask:
    if track is None:
        found = KeptTask(source)
    else:
        whole = _kept(source, None, fingerprint)  # which is read once for all tracks
        found = KeptTask(replace(source, track=track), read=lambda: whole.task.of_track(track))
    found.info  # noqa: B018 - what takes time, for the page to say so meanwhile
    return found
