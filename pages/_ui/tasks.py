"""Shared tasks that may be opened, and one language pair of a task with the systems of one track."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from mtsig_core import MtsigError, TestSet
from mtsig_core.readers.limits import bounded, task_limits
from mtsig_core.report.kept_results import KeptTask
from mtsig_core.source import SOURCE_VARIABLE, Source, TaskSource
from mtsig_core.store.kept_sets import Saved
from pages._ui import browser, testsets
from pages._ui.testsets import Offer
from pages._work.memory import LOADED, Memory

SIMULATED = TaskSource(None)
_AS_READ = 4  # bytes in memory for each of a file, about


@dataclass(frozen=True)
class TaskOffer:
    """A shared task that may be opened."""

    source: TaskSource  # what names it on the command line
    label: str = ""  # what it is called in the list
    place: Callable[[], TaskSource] | None = None  # () -> TaskSource, from which an upload is read
    unread: tuple[tuple[str, str], ...] = ()  # the files in its zip that are not read, each with the reason

    def testset(self, name: str, pair: str) -> str:
        """What one of its language pairs is called in the address of a page, where the task is called `name`."""
        return f"{name}/{pair}" if self.source.folder is not None else self.source.of_pair(pair).title


def available() -> dict[str, TaskOffer]:
    """What is offered, by the name that it has in the address of a page."""
    found = {}
    if os.environ.get(SOURCE_VARIABLE):
        source = Source.from_json(os.environ[SOURCE_VARIABLE])
        if source.demo_task:
            found[SIMULATED.title] = TaskOffer(SIMULATED, SIMULATED.title)
    if (task := testsets.served_task()) is not None:
        name = testsets.name_of(task)
        found[name] = TaskOffer(task, name)
    for name, folder in testsets.task_folders():
        _, scores, runs, unread = testsets.beside(folder)
        found.setdefault(name, TaskOffer(TaskSource(
            str(folder), scores=tuple(scores), run=tuple(runs), below=str(testsets.root())), name, unread=unread))
    found[SIMULATED.title] = TaskOffer(SIMULATED, SIMULATED.title)
    if (owner := browser.owner()) is not None:
        for saved in testsets.store().of(owner):
            if saved.task is not None:
                found[f"{testsets.KEPT}{saved.link}"] = _upload(saved, {offer.label for offer in found.values()})
    return found


def find(name: str, offers: dict[str, TaskOffer]) -> TaskOffer | None:
    """The task of that name: one of those offered, or an upload, for who has the link has the task."""
    if name not in offers and (saved := testsets.saved_task(name)) is not None:
        return _upload(saved, {offer.label for offer in offers.values()})
    return offers.get(name)


def _upload(saved: Saved, labels: set[str]) -> TaskOffer:
    return TaskOffer(saved.task, testsets.labelled(saved.name, labels), lambda: testsets.placed(saved), saved.unread)


def kept(offer: TaskOffer, track: str | None, refs: tuple[str, ...] = (), refs_as_systems: bool = False) -> KeptTask:
    """A task, or one track of it, by what is kept of it; its files are looked at anew when one has changed."""
    source = replace(offer.source if offer.place is None else offer.place(), refs=refs, refs_as_systems=refs_as_systems)
    return _kept(source, track, tuple((path, *_seen(path)) for path in (
        *source.files(), *filter(Path.is_file, source.beside()))), limited=offer.place is not None)


def _seen(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns


def _kept(source: TaskSource, track: str | None, fingerprint: tuple, limited: bool) -> KeptTask:
    def make():
        if track is None:
            found = KeptTask(source)
        else:
            whole = _kept(source, None, fingerprint, limited)  # which is read once for all tracks
            found = KeptTask(replace(source, track=track), read=lambda: whole.task.of_track(track))
        with st.spinner("Reading the task"), bounded(task_limits()) if limited else nullcontext():
            found.info  # noqa: B018 - what takes time, for the page to say so meanwhile
        return found

    return LOADED.make(("task", source, track, fingerprint), make,
                     lambda _: _AS_READ * sum(size for _, size, _ in fingerprint))


# One language pair with the systems of one track.

_MARK = "@"  # between the name of a test set and the track
_PARTS = Memory(16)  # a part knows its digest, which takes time to find


def track_name(testset: str, track: str | None) -> str:
    """What a test set is called in the address of a page, with its track."""
    return testset if track is None else f"{testset}{_MARK}{track}"


def find_track(name: str, offers: dict[str, Offer]) -> Offer | None:
    """The set of that name, as `testsets.find`; with a track after it, the systems of that track alone."""
    base, mark, track = name.rpartition(_MARK)
    if (offer := testsets.find(name, offers)) is not None or not mark or (offer := testsets.find(base, offers)) is None:
        return offer
    try:
        whole = offer.load()
    except MtsigError:  # which is said where it is opened
        return offer
    if not (names := _of_track(base, track, whole)):
        return None
    return replace(offer, label=f"{offer.label}, {track} track", load=lambda: _part(whole, names, track),
                   source=replace(offer.source, only=names))


def _of_track(base: str, track: str, whole: TestSet) -> tuple[str, ...]:
    """The systems of a language pair that are in a track, as the task that it is of says; none of no track."""
    offers = available()
    if (link := base.partition("/")[0]) != base and (upload := find(link, offers)) is not None:
        offers[link] = upload
    for name, task in offers.items():
        if base.startswith(f"{name}/" if task.source.folder is not None else testsets.TASK.title):
            with suppress(MtsigError):  # no system of that track
                return tuple(system for system in whole.systems if system in kept(task, track).info.systems)
    return ()


def _part(whole: TestSet, names: tuple[str, ...], track: str) -> TestSet:
    key = whole.digest, whole.name, names, track
    return _PARTS.make(key, lambda: replace(whole.only(names), name=f"{whole.name}, {track} track"))
