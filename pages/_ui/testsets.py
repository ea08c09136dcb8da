"""What the dashboard may open: uploads, what it was started on, folders below MTSIG_DATA_ROOT, the demonstration."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from mtsig_core import InputError, MtsigError, TestSet
from mtsig_core.data.checks import literal
from mtsig_core.data.readers.bounds import bounded
from mtsig_core.data.readers.further_runs import runs_beside
from mtsig_core.data.readers.tasks import has_scores, is_task, pairs_of, tables_beside
from mtsig_core.data.source import SOURCE_VARIABLE, Source
from mtsig_core.data.store import Saved, Store, open_store
from mtsig_core.data.task_source import TASK_VARIABLE, TaskSource
from mtsig_core.report.palette import shortened
from pages._ui import browser, demos
from pages._ui.shelf import SHELF, weight

__all__ = ["KEPT", "Gone", "Offer", "available", "find", "keep_upload", "name_of", "pairs_in", "root",
           "served_task", "store", "task_folders", "usual"]

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
            f"The test set {shortened(name, 200)!r} of this link is not here. If it was a folder of this server, see "
            "whether it still is; or upload its files on the page Data: the same files give the same numbers.")


def available() -> dict[str, Offer]:
    """What is offered to everybody, and to this browser: by the name that it has in the address of a page."""
    found = {}
    if os.environ.get(SOURCE_VARIABLE):
        if (task := served_task()) is not None:
            for langpair in task.pairs or pairs_in(Path(task.folder)):
                name = f"{name_of(task)}/{langpair}"
                found[name] = _from_source(task.of_pair(langpair), name)
        else:
            source = Source.from_json(os.environ[SOURCE_VARIABLE])
            found[source.title] = _from_source(source, demos.label(source))
    for task, folder in task_folders():
        scores, runs = tables_beside(folder, pairs := pairs_in(folder, root())), runs_beside(folder, pairs)
        for langpair in pairs:
            name = f"{task}/{langpair}".removeprefix("./")
            of_scores, of_runs = (tuple(one[1:] for one in files if one[0] == langpair) for files in (scores, runs))
            found[name] = _from_source(Source(folder=str(folder), langpair=langpair, scores=of_scores, run=of_runs,
                                              below=str(root())), name)
    for label, demo in demos.DEMOS.items():
        found.setdefault(demo.title, _from_source(demo, label))
    if (owner := browser.owner()) is not None:
        for saved in store().of(owner):
            found[f"{KEPT}{saved.link}"] = _from_store(saved, {offer.label for offer in found.values()})
    return found


def served_task() -> TaskSource | None:
    """The whole task that the dashboard was started on."""
    text = os.environ.get(TASK_VARIABLE)
    return TaskSource.from_json(text) if text else None


def name_of(task: TaskSource) -> str:
    """What a task that the dashboard was started on is called in the address."""
    return literal(Path(task.folder).name)


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


def _load(digest: str, name: str, saved: Saved) -> TestSet:
    return _shelved(("kept", digest, name), "Opening the test set", lambda: store().load(saved))


def _from_source(source: Source, label: str) -> Offer:
    """A source, read anew only when one of its files has changed.

    All references are read: which of them score is chosen on screen, and begins as the source says.
    """
    whole = replace(source, refs=(), refs_as_systems=False)

    def load():
        return _shelved((whole, _fingerprint(whole)), "Reading the test set", whole.read)

    return Offer(label, load, source, not source.simulated)


def _shelved(key: tuple, said: str, make: Callable[[], TestSet]) -> TestSet:
    def told():
        with st.spinner(said):
            return make()

    return SHELF.get(key, told, weight)


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
        found += [folder for folder in level if _looks_like_task(folder)]
        level = [child for folder in level for child in _folders(folder) if child.resolve().is_relative_to(below)]
    return [(literal(folder.relative_to(below).as_posix()), folder) for folder in sorted(found)]


def _looks_like_task(folder: Path) -> bool:
    try:
        return is_task(folder)
    except (OSError, MtsigError):  # one that cannot be read hides no other
        return False


def _folders(folder: Path) -> list[Path]:
    try:
        return [child for child in folder.iterdir() if child.is_dir() and not child.name.startswith(".")]
    except OSError:
        return []


def pairs_in(folder: Path, below: Path | None = None) -> list[str]:
    """The language pairs of a task; none where it looks like one and is none."""
    def look():
        with bounded(below=below):
            return pairs_of(folder)

    try:
        if folder.is_dir() and not has_scores(folder):  # only names to look at
            return look()
        # Of a folder of scores, or of a zip, which must be read for it: not in each run of each page.
        return SHELF.get(("pairs", str(folder), _fingerprint(Source(folder=str(folder)))), look, len)
    except (OSError, MtsigError):  # looks like a shared task and is none: nothing to offer
        return []


def _fingerprint(source: Source) -> tuple:
    """Path, size and time of each file of a source."""
    return tuple((file, os.stat(file).st_size, os.stat(file).st_mtime_ns) for file in sorted(source.files()))
