"""A shared task by what is kept of it, and one language pair of a task with the systems of one track."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path

import streamlit as st

from mtsig_core import MtsigError, TestSet
from mtsig_core.readers.limits import limit_reading, task_limits
from mtsig_core.report.kept_results import KeptTask
from mtsig_core.source import TaskSource
from pages._ui import testsets
from pages._ui.testsets import Offer, TaskOffer
from pages._work.memory import LOADED, Memory

_AS_READ = 4  # bytes in memory for each of a file, about


def kept(offer: TaskOffer, track: str | None, refs: tuple[str, ...] = (), refs_as_systems: bool = False) -> KeptTask:
    """A task, or one track of it, by what is kept of it; its files are looked at anew when one has changed."""
    source = offer.source if offer.saved is None else testsets.placed(offer.saved)
    source = replace(source, refs=refs, refs_as_systems=refs_as_systems)
    return _kept(source, track, tuple((path, *_seen(path)) for path in (
        *source.files(), *filter(Path.is_file, source.list_joined_files()))), limited=offer.saved is not None)


def _seen(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns


def _kept(source: TaskSource, track: str | None, fingerprint: tuple, limited: bool) -> KeptTask:
    def make():
        if track is None:
            task = KeptTask(source)
        else:
            whole = _kept(source, None, fingerprint, limited)  # which is read once for all tracks
            task = KeptTask(replace(source, track=track), read=lambda: whole.task.of_track(track))
        with st.spinner("Reading the task"), limit_reading(task_limits()) if limited else nullcontext():
            task.info  # noqa: B018 - what takes time, for the page to say so meanwhile
        return task

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
    offers = testsets.available_tasks()
    if (link := base.partition("/")[0]) != base and (upload := testsets.find_task(link, offers)) is not None:
        offers[link] = upload
    for name, task in offers.items():
        if base.startswith(f"{name}/" if task.source.folder is not None else testsets.TASK.title):
            with suppress(MtsigError):  # no system of that track
                return tuple(system for system in whole.systems if system in kept(task, track).info.systems)
    return ()


def _part(whole: TestSet, names: tuple[str, ...], track: str) -> TestSet:
    key = whole.digest, whole.name, names, track
    return _PARTS.make(key, lambda: replace(whole.only(names), name=f"{whole.name}, {track} track"))
