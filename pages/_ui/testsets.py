"""What the dashboard may open: uploads, what it was started on, folders below MTSIG_DATA_ROOT, the demonstration."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from mtsig_core import InputError, MtsigError, TestSet
from mtsig_core.data.readers.lines import shown
from mtsig_core.data.readers.tasks import has_scores, is_task, pairs_of, tables_beside
from mtsig_core.data.source import SOURCE_VARIABLE, Source
from mtsig_core.data.store import Saved, Store, open_store
from pages._ui import browser, demos

__all__ = ["KEPT", "Gone", "Offer", "available", "find", "keep_upload", "pairs_in", "root", "store",
           "task_folders", "usual"]

KEPT = "~"  # before the link of a kept set, in the address
_DEPTH = 3  # folders below the root that are searched for shared tasks


@dataclass(frozen=True)
class Offer:
    """A test set that may be opened.

    Attributes
    ----------
    label : str
        What it is called in the list.
    load : callable
        () -> TestSet
    source : Source
        What names it on the command line; its references score, and the others take part, unless others are chosen.
    may_change : bool
        Whether other content may come to stand under its name.
    """

    label: str
    load: Callable[[], TestSet]
    source: Source
    may_change: bool = False


class Gone(InputError):
    """A link names a test set that is not here."""

    def __init__(self, name: str):
        super().__init__(
            "The test set of this link is not here: it was deleted, it has expired, or it was kept on another "
            "server. Upload its files again on the page Data: the same files give the same numbers."
            if name.startswith(KEPT) else
            f"The test set {name!r} of this link is not here. If it was a folder of this server, see whether it still "
            "is; or upload its files on the page Data: the same files give the same numbers.")


def available() -> dict[str, Offer]:
    """What is offered to everybody, and to this browser: by the name that it has in the address of a page."""
    found = {}
    if os.environ.get(SOURCE_VARIABLE):
        source = Source.from_json(os.environ[SOURCE_VARIABLE])
        if source.folder is not None and source.langpair is None:  # a whole task
            for langpair in pairs_in(Path(source.folder)):
                name = f"{Path(source.folder).name}/{langpair}"
                found[name] = _from_source(replace(source, langpair=langpair), name)
        else:
            found[source.title] = _from_source(source, demos.label(source))
    for task, folder in task_folders():
        scores = tables_beside(folder, pairs := pairs_in(folder))
        for langpair in pairs:
            name, own = f"{task}/{langpair}".removeprefix("./"), tuple(one[1:] for one in scores if one[0] == langpair)
            found[name] = _from_source(Source(folder=str(folder), langpair=langpair, scores=own), name, below=root())
    for label, demo in demos.DEMOS.items():
        found.setdefault(demo.title, _from_source(demo, label))
    if (owner := browser.owner()) is not None:
        for saved in store().of(owner):
            found[f"{KEPT}{saved.link}"] = _from_store(saved, {offer.label for offer in found.values()})
    return found


def usual(offers: dict[str, Offer], page: str) -> str:
    """The name of the set that a page opens on where none was chosen."""
    return demos.usual(offers, page, served=bool(os.environ.get(SOURCE_VARIABLE)))


def find(name: str, offers: dict[str, Offer]) -> Offer | None:
    """The set of that name: one of those offered, or a kept one, for who has the link has the set."""
    if name not in offers and name == demos.FORMER.title:
        return _from_source(demos.FORMER, demos.label(demos.FORMER))
    if (pair := demos.of_task(name)) is not None:
        return _from_source(pair, pair.title)
    if name not in offers and name.startswith(KEPT):
        saved = store().find(name.removeprefix(KEPT))
        return saved and _from_store(saved, {offer.label for offer in offers.values()})
    return offers.get(name)


def keep_upload(testset: TestSet, source: Source) -> str:
    """Keep an uploaded set in the database; its name in the address."""
    return f"{KEPT}{store().keep(testset, browser.owner(make=True), source)}"


@st.cache_resource
def store() -> Store:
    return open_store()


def _from_store(saved: Saved, labels: set[str]) -> Offer:
    label, n = saved.name, 1
    while label in labels:
        label, n = f"{saved.name} ({n + 1})", n + 1
    return Offer(label, lambda: _load(saved.digest, saved.name, saved), saved.source)


@st.cache_resource(max_entries=8, show_spinner="Opening the test set")
def _load(digest: str, name: str, _saved: Saved) -> TestSet:
    return store().load(_saved)


def _from_source(source: Source, label: str, below: Path | None = None) -> Offer:
    """A source, read anew only when one of its files has changed, and not at all if one lies outside `below`.

    All references are read: which of them score is chosen on screen, and begins as the source says.
    """
    whole = replace(source, refs=(), refs_as_systems=False)

    def load():
        for file in whole.files() if below is not None else ():
            if not Path(file).resolve().is_relative_to(below):
                raise InputError(f"{shown(file)} is a link that leads out of MTSIG_DATA_ROOT, where the dashboard may "
                                 "not read. Replace it by the file.")
        return _read(repr((whole, _fingerprint(whole))), whole)

    return Offer(label, load, source, not source.simulated)


@st.cache_resource(max_entries=8, show_spinner="Reading the test set")
def _read(key: str, _source: Source) -> TestSet:
    """By a key of one text: Streamlit takes 20 ms to look through a source of 30 files, in each run of each page."""
    return _source.read()


def root() -> Path | None:
    """The only folder below which files may be read by path."""
    value = os.environ.get("MTSIG_DATA_ROOT")
    return Path(value).resolve() if value else None


def task_folders() -> list[tuple[str, Path]]:
    """Name and place of the folders of shared tasks, at most `_DEPTH` below the root; none that a link leads out."""
    below = root()
    if below is None or not below.is_dir():
        return []
    found, level = [], [below]
    for _ in range(_DEPTH + 1):
        found += [folder for folder in level if is_task(folder)]
        level = [child for folder in level for child in _folders(folder) if child.resolve().is_relative_to(below)]
    return [(folder.relative_to(below).as_posix(), folder) for folder in sorted(found)]


def _folders(folder: Path) -> list[Path]:
    try:
        return [child for child in folder.iterdir() if child.is_dir() and not child.name.startswith(".")]
    except PermissionError:
        return []


def pairs_in(folder: Path) -> list[str]:
    """The language pairs of a task; none where it looks like one and is none."""
    try:
        if folder.is_dir() and not has_scores(folder):  # only names to look at
            return pairs_of(folder)
        return _pairs_inside(str(folder), _fingerprint(Source(folder=str(folder))))
    except MtsigError:  # looks like a shared task and is none: nothing to offer
        return []


@st.cache_resource(max_entries=64, show_spinner=False)
def _pairs_inside(folder: str, fingerprint: tuple) -> list[str]:
    """Those of a folder of scores, or of a zip, which must be read for it: not in each run of each page."""
    return pairs_of(folder)


def _fingerprint(source: Source) -> tuple:
    """Path, size and time of each file of a source."""
    return tuple((file, os.stat(file).st_size, os.stat(file).st_mtime_ns) for file in sorted(source.files()))
