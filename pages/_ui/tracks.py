"""One language pair of a shared task with the systems of one track alone, as the page Task opens it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from mtsig_core import MtsigError, TestSet
from pages._ui import demos, tasks, testsets
from pages._ui.jobs import Memory
from pages._ui.testsets import Offer

__all__ = ["find", "named"]

_MARK = "@"  # between the name of a test set and the track
_PARTS = Memory(16)  # a part knows its digest, which takes time to find


def named(testset: str, track: str | None) -> str:
    """What a test set is called in the address of a page, with its track."""
    return testset if track is None else f"{testset}{_MARK}{track}"


def find(name: str, offers: dict[str, Offer]) -> Offer | None:
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
    offers = tasks.available()
    if (link := base.partition("/")[0]) != base and (upload := tasks.find(link, offers)) is not None:
        offers[link] = upload
    for name, task in offers.items():
        if base.startswith(f"{name}/" if task.source.folder is not None else demos.TASK.title):
            with suppress(MtsigError):  # no system of that track
                return tuple(system for system in whole.systems if system in tasks.kept(task, track).info.systems)
    return ()


def _part(whole: TestSet, names: tuple[str, ...], track: str) -> TestSet:
    key = whole.digest, whole.name, names, track
    if (found := _PARTS.get(key)) is None:
        found = replace(whole.only(names), name=f"{whole.name}, {track} track")
        _PARTS.keep(key, found)
    return found
