"""What the dashboard may open: uploads, what it was started on, folders below MTSIG_DATA_ROOT, the demonstration."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from mtsig_core import InputError, MtsigError, TestSet, language_pairs
from mtsig_core.readers.lines import shown
from mtsig_core.serving import SOURCE_VARIABLE
from mtsig_core.sources import Source

__all__ = ["Offer", "available", "explain_absence", "keep_upload"]

_DEMO = Source(demo=0)
_DEPTH = 3  # folders below the root that are searched for shared tasks
_KEPT = 20  # uploads that the server remembers, of all its users together
_MINE = "testsets.uploads_of_this_session"


@dataclass(frozen=True)
class Offer:
    """A test set that may be opened.

    Attributes
    ----------
    load : callable
        () -> TestSet
    options : list of str
        What names it on the command line.
    refs : tuple of str
        References to score with unless others are chosen; empty for all.
    humans : bool
        Whether the others take part as systems unless told otherwise.
    """

    load: Callable[[], TestSet]
    options: list[str]
    refs: tuple[str, ...] = ()
    humans: bool = False


def available() -> dict[str, Offer]:
    """Test sets by the name they have in the list and in the address of a page."""
    found = {}
    asked_for = st.query_params.get("testset")
    for name, offer in _uploads().items():
        if name in st.session_state.get(_MINE, ()) or name == asked_for:  # who has the link has the set
            found[name] = offer
    if os.environ.get(SOURCE_VARIABLE):
        source = Source.from_json(os.environ[SOURCE_VARIABLE])
        found[source.title] = _from_source(source)
    for folder in _task_folders():
        for langpair in _pairs(folder):
            name = f"{folder.relative_to(_root()).as_posix()}/{langpair}".removeprefix("./")
            found[name] = _from_source(Source(folder=str(folder), langpair=langpair), below=_root())
    found.setdefault(_DEMO.title, _from_source(_DEMO))
    return found


def explain_absence(offers: dict[str, Offer]) -> str | None:
    """What to say where a link names a set that is not here."""
    asked_for = st.query_params.get("testset")
    if asked_for is not None and asked_for not in offers:
        return (f"This link names the test set {asked_for!r}, which is not here. If it was an upload, upload its files "
                "again on the page Data; the same files give the same numbers.")
    return None


def keep_upload(testset: TestSet, options: list[str]) -> str:
    """Remember an uploaded set while the server runs; its name, which tells what is in it and who may open it."""
    name = f"{testset.name} {testset.digest[:16]}"
    uploads = _uploads()
    uploads[name] = Offer(lambda: testset, options)
    uploads.move_to_end(name)
    while len(uploads) > _KEPT:
        uploads.popitem(last=False)
    st.session_state[_MINE] = {*st.session_state.get(_MINE, ()), name}
    return name


@st.cache_resource
def _uploads() -> OrderedDict[str, Offer]:
    return OrderedDict()


def _from_source(source: Source, below: Path | None = None) -> Offer:
    """A source, read anew only when one of its files has changed, and not at all if one lies outside `below`.

    All references are read: which of them score is chosen on screen, and begins as the source says.
    """
    refs, humans, source = source.refs, source.refs_as_systems, replace(source, refs=(), refs_as_systems=False)

    def load():
        for file in source.files() if below is not None else ():
            if not Path(file).resolve().is_relative_to(below):
                raise InputError(f"{shown(file)} is a link that leads out of MTSIG_DATA_ROOT, where the dashboard may "
                                 "not read. Replace it by the file.")
        return _read(source, _fingerprint(source))

    return Offer(load, source.arguments(), refs, humans)


@st.cache_resource(max_entries=8, show_spinner="Reading the test set")
def _read(source: Source, fingerprint: tuple) -> TestSet:
    return source.read()


def _root() -> Path | None:
    value = os.environ.get("MTSIG_DATA_ROOT")
    return Path(value).resolve() if value else None


def _task_folders() -> list[Path]:
    """Folders with `references/` in them, at most `_DEPTH` below the root; none that a link leads out of it."""
    root = _root()
    if root is None or not root.is_dir():
        return []
    found, level = [], [root]
    for _ in range(_DEPTH + 1):
        found += [folder for folder in level if (folder / "references").is_dir()]
        level = [child for folder in level for child in _folders(folder) if child.resolve().is_relative_to(root)]
    return sorted(found)


def _folders(folder: Path) -> list[Path]:
    try:
        return [child for child in folder.iterdir() if child.is_dir() and not child.name.startswith(".")]
    except PermissionError:
        return []


def _pairs(folder: Path) -> list[str]:
    try:
        return language_pairs(folder)
    except MtsigError:  # looks like a shared task and is none: nothing to offer
        return []


def _fingerprint(source: Source) -> tuple:
    """Path, size and time of each file of a source."""
    return tuple((file, os.stat(file).st_size, os.stat(file).st_mtime_ns) for file in sorted(source.files()))
