"""Test sets to open: uploads, the set or task of this server, folders below MTSIG_DATA_ROOT,
simulated data.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path, PurePosixPath

import streamlit as st

from mtsig_core import InputError, MtsigError, TestSet
from mtsig_core.errors import SettingError
from mtsig_core.readers import uploads
from mtsig_core.readers.limits import hide_places, limit_reading, task_limits, upload_limits
from mtsig_core.readers.scores import find_unsettled
from mtsig_core.readers.task_contents import Contents, contents_of, tables_beside
from mtsig_core.readers.task_names import folder_name
from mtsig_core.readers.tasks import has_scores, is_task, no_output, pairs_of
from mtsig_core.readers.texts import find_runs
from mtsig_core.report.palette import shortened
from mtsig_core.simulation.corpus import PAIRS
from mtsig_core.source import SOURCE_VARIABLE, TASK_VARIABLE, Source, TaskSource
from mtsig_core.stats.kept_tasks import KeptTask
from mtsig_core.testset import show_name
from pages._store.database import find_home, open_database
from pages._store.kept_sets import Saved, SetStore, TableStore
from pages._ui import address, browser, screen
from pages._ui.catalogue import LARGE, TASK, Page
from pages._work.memory import LOADED, remember, weigh_testset
from pages._work.zips import KeptZips, placed_for_a_request

SIMULATED = TaskSource(None)
KOEHN, ZHANG_VOGEL = (
    Source(demo=300),
    Source(demo=1592, demo_references=4),
)  # of the size of their test sets
#: By what the list calls them; the first one leaves something open.
DEMOS = {
    "simulated shared task": TASK,
    "simulated, 30,000 segments": LARGE,
    "simulated, 300 segments": KOEHN,
    "simulated, 1,592 segments, 4 references": ZHANG_VOGEL,
}


def demo_label(source: Source) -> str:
    """Return the name of a source in the list."""
    return next((name for name, demo in DEMOS.items() if demo == source), source.title)


def offer_demo(demo: Source, why: str, source: Source) -> None:
    """Write why a page cannot show this test set, with a button for a simulated one unless it is
    open.
    """
    if (demo.demo, demo.demo_references, demo.demo_task) != (
        source.demo,
        source.demo_references,
        source.demo_task,
    ):
        screen.plain(why)
        st.button(
            demo_label(demo),
            key=f"demo.{demo.title}",
            type="tertiary",
            icon=":material/arrow_forward:",
            on_click=address.keep,
            args=("testset", [demo.title]),
        )


# Uploads, what the dashboard was started on, folders below MTSIG_DATA_ROOT.

KEPT = "~"  # before the link of a kept set or task, in the address
_DEPTH = 3  # folders below the root that are searched for shared tasks


@dataclass(frozen=True)
class Offer:
    """A test set that can be opened."""

    label: str  # what it is called in the list
    load: Callable[[], TestSet]  # () -> TestSet
    #: what names it on the command line; its references score, and the others take part, unless
    #: others are chosen
    source: Source
    may_change: bool = False  # whether other content may come to stand under its name


@dataclass(frozen=True)
class TaskOffer:
    """A shared task that can be opened."""

    label: str  # what it is called in the list
    source: TaskSource  # what names it on the command line
    pairs: Sequence[str]
    unread: tuple[
        tuple[str, str], ...
    ] = ()  # the files in its zip that are not read, each with the reason
    saved: Saved | None = None  # an upload

    def testset(self, name: str, pair: str) -> str:
        """Return the name of one of its language pairs in the address, if the task is called
        `name`.
        """
        if self.source.folder is None:
            return self.source.select_pair(pair).title
        return f"{name}/{pair}".removeprefix("./")


class Gone(InputError):
    """A link names a test set that is not here."""

    def __init__(self, name: str, what: str = "test set"):
        super().__init__(
            f"The {what} of this link is not here: it was deleted, has expired, or is on another server. "
            "Upload its files again on the page Upload: the same files give the same numbers."
            if name.startswith(KEPT)
            else f"The {what} {shortened(name, 200)!r} of this link is not here. If it is a folder of this server, check "
            "that it still exists. Or upload its files on the page Upload: the same files give the same numbers."
        )


def available() -> dict[str, Offer]:
    """Return the test sets for everybody and for this browser, by their names in the address."""
    offers = {}
    if os.environ.get(SOURCE_VARIABLE) and served_task() is None:
        source = Source.from_json(os.environ[SOURCE_VARIABLE])
        offers[source.title] = _from_source(source, demo_label(source))
    for name, task in _tasks_of_the_server().items():
        offers |= _list_testsets(name, task)
    for label, demo in DEMOS.items():
        offers.setdefault(demo.title, _from_source(demo, label))
    for saved in _uploads():
        offers |= _list_testsets(*_offer_upload(saved))
    return _number_labels(offers)


def available_tasks() -> dict[str, TaskOffer]:
    """Return the shared tasks for everybody and for this browser, by their names in the address."""
    simulated = {SIMULATED.title: TaskOffer(SIMULATED.title, SIMULATED, PAIRS)}
    served = os.environ.get(SOURCE_VARIABLE)
    offers = simulated if served and Source.from_json(served).demo_task else {}
    uploads = (_offer_upload(saved) for saved in _uploads() if saved.task is not None)
    return _number_labels(offers | _tasks_of_the_server() | simulated | dict(uploads))


def _tasks_of_the_server() -> dict[str, TaskOffer]:
    """Return the task that the dashboard was started on, and the tasks below the root."""
    offers = {}
    if (task := served_task()) is not None:
        name = show_name(folder_name(task.folder))
        offers[name] = TaskOffer(name, task, task.pairs or pairs_in(Path(task.folder)))
    for name, folder in task_folders():
        pairs, scores, runs, unread = beside(folder)
        source = TaskSource(str(folder), scores=tuple(scores), run=tuple(runs), below=str(root()))
        own = show_name(folder_name(folder))  # which is not "txt", as the path may end
        label = name if name.lower().removesuffix(".zip").endswith(own.lower()) else own
        offers.setdefault(name, TaskOffer(label, source, pairs, unread))
    return offers


def _uploads() -> list[Saved]:
    """Return the uploads of this browser."""
    owner = browser.find_owner()
    return [] if owner is None else store().list_owned(owner)


def _offer_upload(saved: Saved) -> tuple[str, Offer | TaskOffer]:
    """Return an upload with its name in the address."""
    name = f"{KEPT}{saved.link}"
    if saved.task is None:
        return name, Offer(saved.name, partial(_load_upload, saved), saved.source)
    return name, TaskOffer(saved.name, saved.task, saved.pairs, saved.unread, saved)


def _list_testsets(name: str, offer: Offer | TaskOffer) -> dict[str, Offer]:
    """Return a test set, or each language pair of a task."""
    if isinstance(offer, Offer):
        return {name: offer}
    names = {pair: offer.testset(name, pair) for pair in offer.pairs}
    labels = {
        pair: own if offer.source.folder is None else f"{offer.label}/{pair}"
        for pair, own in names.items()
    }
    if offer.saved is None:
        return {
            own: _from_source(offer.source.select_pair(pair), labels[pair])
            for pair, own in names.items()
        }
    return {
        own: Offer(
            labels[pair], partial(_load_upload, offer.saved, pair), offer.source.select_pair(pair)
        )
        for pair, own in names.items()
    }


def _number_labels(offers: dict) -> dict:
    """Give each offer a label of its own."""
    taken, numbered = set(), {}
    for name, offer in offers.items():
        label, n = offer.label, 1
        while label in taken:
            label, n = f"{offer.label} ({n + 1})", n + 1
        taken.add(label)
        numbered[name] = replace(offer, label=label)
    return numbered


def served_task() -> TaskSource | None:
    """Return the whole task that the dashboard was started on."""
    text = os.environ.get(TASK_VARIABLE)
    return TaskSource.from_json(text) if text else None


def usual(offers: dict[str, Offer], page: Page) -> str:
    """Return the name of the set that a page opens by default: its own demonstration if the first
    offer is one.
    """
    first = next(iter(offers))
    return page.demo.title if first == TASK.title and not os.environ.get(SOURCE_VARIABLE) else first


def find(name: str, offers: dict[str, Offer]) -> Offer | None:
    """Return the set of a name: one of the offers, or an upload, which anybody with its link may
    open.
    """
    for demo in (replace(TASK, langpair=pair) for pair in PAIRS):
        if name not in offers and name == demo.title:
            return _from_source(demo, demo.title)
    if name not in offers and name.startswith(KEPT):
        saved = store().find(name.removeprefix(KEPT).partition("/")[0])
        return saved and _number_labels(offers | _list_testsets(*_offer_upload(saved))).get(name)
    return offers.get(name)


def find_task(name: str, offers: dict[str, TaskOffer]) -> TaskOffer | None:
    """Return the task of a name: one of the offers, or an upload, which anybody with its link may
    open.
    """
    if name not in offers and name.startswith(KEPT) and "/" not in name:
        saved = store().find(name.removeprefix(KEPT))
        return (
            None
            if saved is None or saved.task is None
            else _number_labels(offers | dict([_offer_upload(saved)]))[name]
        )
    return offers.get(name)


def keep_upload(testset: TestSet, source: Source) -> str:
    """Keep an uploaded set in the database; return its name in the address."""
    return f"{KEPT}{store().keep(testset, browser.find_owner(make=True), source)}"


@st.cache_resource
def store() -> SetStore:
    """Return the store of uploads; whoever visits is not told where on this machine it is."""
    with hide_places({str(find_home()): "MTSIG_HOME"}):
        return SetStore(open_database())


@st.cache_resource
def tables() -> TableStore:
    """Return the store of uploaded tables of published scores."""
    return TableStore(store().database)


# -- whole tasks that were uploaded ---------------------------------------------------------------


def unpack_files(content: bytes, file: str) -> list[tuple[str, bytes]]:
    """Return the files of an uploaded archive that is no shared task; none of one that is."""
    with (
        placed_for_a_request(content, zip_name(file)) as path,
        limit_reading(upload_limits(), below=path.parent),
    ):
        return uploads.list_flat_files(path)


def list_members(content: bytes, file: str) -> list[tuple[str, bytes]]:
    """Return all files of an uploaded archive, by their places in it."""
    with (
        placed_for_a_request(content, zip_name(file)) as path,
        limit_reading(task_limits(), below=path.parent),
    ):
        return uploads.list_members(path)


def list_pairs(content: bytes, file: str) -> list[str]:
    """Return the language pairs of an uploaded archive; none of one that is no shared task."""
    with (
        placed_for_a_request(content, zip_name(file)) as path,
        limit_reading(task_limits(), below=path.parent),
    ):
        return pairs_of(path) if is_task(path) else []


def look_into(content: bytes, file: str) -> Contents:
    """List the contents of an uploaded zip of a task; the names of its files start at the zip."""
    with (
        placed_for_a_request(content, zip_name(file)) as path,
        limit_reading(task_limits(), below=path.parent),
    ):
        contents = contents_of(path)
        return replace(
            contents,
            scores=_from_zip_on(contents.scores, path),
            runs=_from_zip_on(contents.runs, path),
        )


def _from_zip_on(
    files: Sequence[tuple[str, str, str]], path: Path
) -> tuple[tuple[str, str, str], ...]:
    """Return files (language pair, name, path) as they lie in the zip."""
    return tuple((pair, name, str(Path(own).relative_to(path.parent))) for pair, name, own in files)


def find_open_directions(
    content: bytes, file: str, tables: Iterable[tuple[str, str, str]]
) -> dict[str, tuple[float, float]]:
    """Return the names of scores in an uploaded zip of which it has to be asked whether higher or
    lower is better, with the range of each. `tables`: language pair, name and file of each, as
    `look_into` has them.
    """
    found: dict[str, tuple[float, float]] = {}
    with (
        placed_for_a_request(content, zip_name(file)) as path,
        limit_reading(task_limits(), below=path.parent),
    ):
        for pair, name, own in tables:
            with suppress(InputError, SettingError):  # which is told once the task is to be opened
                ranges = find_unsettled([(name, path.parent / own)], langpair=pair)
                found |= {
                    metric: own_range for metric, own_range in ranges.items() if metric not in found
                }
    return found


def zip_name(file: str) -> str:
    """Return the name of an uploaded zip on disk: the browser's name for it, without any
    folders.
    """
    name = PurePosixPath(show_name(file).replace("\\", "/").replace("\0", "")).name
    return name.encode()[-200:].decode("utf-8", "ignore")  # which keeps the ending


def keep_task(
    content: bytes,
    source: TaskSource,
    contents: Contents,
    unread: list[tuple[str, str]],
    pair: str | None = None,
) -> str:
    """Keep the zip of a task in the database after all of it, or one language pair, was read
    without an error; return its name in the address.
    """
    limits = task_limits() if pair is None else upload_limits()
    with placed_for_a_request(content, source.folder) as path, limit_reading(limits):
        here = _at(source, path.parent)
        read = here.read() if pair is None else here.select_pair(pair).read()
    if not read.systems:
        raise InputError(no_output(source.folder, [pair]))
    pairs = (
        contents.pairs if pair is not None else tuple(read.testsets)
    )  # one without outputs is left out
    owner = browser.find_owner(make=True)
    return KEPT + store().keep_task(content, owner, source, pairs, len(read.systems), unread)


def placed(saved: Saved) -> TaskSource:
    """Return a kept task, to be read from its zip on disk."""
    path = kept_zips().place(saved.digest, saved.task.folder, lambda: store().load_zip(saved))
    return _at(replace(saved.task, name=saved.name), path.parent)


def delete(saved: Saved) -> None:
    """Delete a kept set or task of this browser."""
    store().delete(saved.link, browser.find_owner())
    if not store().has_content(saved.digest):  # else others keep the same, and may be reading it
        kept_zips().remove(saved.digest)


def _at(source: TaskSource, folder: Path) -> TaskSource:
    """Return the source with its files named from a folder."""

    def there(files):
        return tuple((pair, name, str(folder / path)) for pair, name, path in files)

    return replace(
        source,
        folder=str(folder / source.folder),
        scores=there(source.scores),
        run=there(source.run),
        below=str(folder),
    )


@cache
def kept_zips() -> KeptZips:
    """Return where the zips of kept tasks lie; the database may be on another machine."""
    return KeptZips()


def _load_upload(saved: Saved, pair: str | None = None) -> TestSet:
    """Return a kept test set, or one language pair of a kept task."""

    def read():
        if pair is None:
            return store().load(saved)
        with limit_reading(upload_limits()):
            return replace(placed(saved).select_pair(pair).read(), name=f"{saved.name} {pair}")

    return _loaded(("kept", saved.digest, saved.name, pair), "Opening the test set", read)


def _from_source(source: Source, label: str) -> Offer:
    """Read a source, again only if one of its files has changed.

    All references are read: which of them score is chosen on screen, and begins as the source says.
    """
    whole = replace(source, refs=(), refs_as_systems=False)

    def load():
        return _loaded((whole, _fingerprint(whole)), "Reading the test set", whole.read)

    return Offer(label, load, source, not source.simulated)


def _loaded(key: tuple, what: str, make: Callable[[], TestSet]) -> TestSet:
    def make_with_spinner():
        with st.spinner(what):
            return make()

    return LOADED.make(key, make_with_spinner, weigh_testset)


def read_beforehand(source: Source) -> TestSet:
    """Read a source as a session would that opens it."""
    return LOADED.make((source, _fingerprint(source)), source.read, weigh_testset)


def root() -> Path | None:
    """Return the only folder below which files may be read by path."""
    value = os.environ.get("MTSIG_DATA_ROOT")
    return Path(value).resolve() if value else None


def task_folders() -> list[tuple[str, Path]]:
    """Return name and path of the shared tasks below the root, folders and zips, at most `_DEPTH`
    levels down; no link may lead out.
    """
    below = root()
    if below is None or not below.is_dir():
        return []
    tasks, level = [], [below]
    for _ in range(_DEPTH + 1):
        inside = [
            child
            for folder in level
            for child in _inside(folder)
            if child.resolve().is_relative_to(below)
        ]
        tasks += [folder for folder in level if _looks_like_task(folder)]
        tasks += [child for child in inside if not child.is_dir() and _looks_like_task(child)]
        level = [child for child in inside if child.is_dir()]
    return [(show_name(folder.relative_to(below).as_posix()), folder) for folder in sorted(tasks)]


def _looks_like_task(folder: Path) -> bool:
    def look():
        try:
            return is_task(folder)
        except (OSError, MtsigError):  # one that cannot be read hides no other
            return False

    return (
        look()
        if folder.is_dir()
        else LOADED.make(("looks like a task", *_stamp(folder)), look, lambda _: 0)
    )


def _stamp(path: str | Path) -> tuple[str, int, int]:
    """Return path, size and time of a file."""
    stat = os.stat(path)
    return str(path), stat.st_size, stat.st_mtime_ns


def _inside(folder: Path) -> list[Path]:
    """Return the folders and zips in a folder."""
    try:
        return [
            child
            for child in folder.iterdir()
            if not child.name.startswith(".")
            and (child.is_dir() or child.suffix.lower() == ".zip" and child.is_file())
        ]
    except OSError:
        return []


def beside(
    folder: Path,
) -> tuple[
    list[str], list[tuple[str, str, str]], list[tuple[str, str, str]], tuple[tuple[str, str], ...]
]:
    """Return a task's language pairs, its tables of scores and further runs, and the files of a zip
    that are not read, with reasons.
    """
    if folder.is_dir():
        pairs = pairs_in(folder, root())
        return pairs, tables_beside(folder, pairs), find_runs(folder, pairs), ()

    def look():
        try:
            with limit_reading(below=root()):
                return contents_of(folder)
        except (OSError, MtsigError):  # looks like a shared task and is none: nothing to offer
            return Contents((), (), (), ())

    contents = LOADED.make(("contents", *_stamp(folder)), look, lambda _: 0)
    return list(contents.pairs), list(contents.scores), list(contents.runs), contents.unread


def pairs_in(folder: Path, below: Path | None = None) -> list[str]:
    """Return the language pairs of a task; empty if a folder only looks like a task."""

    def look():
        with limit_reading(below=below):
            return pairs_of(folder)

    try:
        if folder.is_dir() and not has_scores(folder):  # only names to look at
            return look()
        # Of a folder of scores, or of a zip, which must be read for it: not in each run of each
        # page.
        return LOADED.make(
            ("pairs", str(folder), _fingerprint(Source(folder=str(folder)))), look, len
        )
    except (OSError, MtsigError):  # looks like a shared task and is none: nothing to offer
        return []


def _fingerprint(source: Source) -> tuple:
    """Return path, size and time of each file of a source."""
    return tuple(map(_stamp, sorted(source.files())))


# A shared task by what is kept of it.

_AS_READ = 4  # bytes in memory for each of a file, about


def open_kept_task(
    offer: TaskOffer, track: str | None, refs: tuple[str, ...] = (), refs_as_systems: bool = False
) -> KeptTask:
    """Open a task, or one track of it; its files are read again if one has changed."""
    source = offer.source if offer.saved is None else placed(offer.saved)
    source = replace(source, refs=refs, refs_as_systems=refs_as_systems)
    with limit_reading(
        below=source.below
    ):  # which says of a file that is gone how it is called, and not where it was
        files = *source.files(), *filter(Path.is_file, source.list_joined_files())
        fingerprint = tuple(map(_stamp, files))
        return _read_task(source, track, fingerprint, limited=offer.saved is not None)


def _read_task(
    source: TaskSource, track: str | None, fingerprint: tuple, limited: bool
) -> KeptTask:
    def make():
        if track is None:
            task = KeptTask(source)
        else:
            whole = _read_task(
                source, None, fingerprint, limited
            )  # which is read once for all tracks
            task = KeptTask(replace(source, track=track), read=lambda: whole.task.of_track(track))
        with (
            st.spinner("Reading the task"),
            limit_reading(task_limits()) if limited else nullcontext(),
        ):
            task.info  # noqa: B018 - what takes time, for the page to say so meanwhile
        return task

    return LOADED.make(
        ("task", source, track, fingerprint),
        make,
        lambda _: _AS_READ * sum(size for _, size, _ in fingerprint),
    )


# One language pair with the systems of one track.

_MARK = "@"  # between the name of a test set and the track


def track_name(testset: str, track: str | None) -> str:
    """Return the name of a test set in the address, with its track."""
    return testset if track is None else f"{testset}{_MARK}{track}"


def track_of(testset: str) -> str | None:
    """Return the track in the name of a test set."""
    return (
        testset.rpartition(_MARK)[2]
        if testset.endswith((f"{_MARK}constrained", f"{_MARK}unconstrained"))
        else None
    )


def is_of_task(testset: str) -> bool:
    """Return whether the name of a test set is that of a language pair of a shared task."""
    return "/" in testset or testset.startswith(TASK.title)


def find_track(name: str, offers: dict[str, Offer]) -> Offer | None:
    """Return the set of a name, as `find`; after a track in the name, only the systems of that
    track.
    """
    base, mark, track = name.rpartition(_MARK)
    if (
        (offer := find(name, offers)) is not None
        or not mark
        or (offer := find(base, offers)) is None
    ):
        return offer
    try:
        whole = offer.load()
    except MtsigError:  # which is said where it is opened
        return offer
    if not (names := _of_track(base, track, whole)):
        return None
    return replace(
        offer,
        label=f"{offer.label}, {track} track",
        load=lambda: _part(whole, names, track),
        source=replace(offer.source, only=names),
    )


def _of_track(base: str, track: str, whole: TestSet) -> tuple[str, ...]:
    """Return the systems of a language pair that are in a track by the task's table; all systems
    without a track.
    """
    offers = available_tasks()
    if (link := base.partition("/")[0]) != base and (upload := find_task(link, offers)) is not None:
        offers[link] = upload
    for name, task in offers.items():
        if base.startswith(f"{name}/" if task.source.folder is not None else TASK.title):
            with suppress(MtsigError):  # no system of that track
                return tuple(
                    system
                    for system in whole.systems
                    if system in open_kept_task(task, track).info.systems
                )
    return ()


@remember(16)  # a part knows its digest, which takes time to find
def _part(whole: TestSet, names: tuple[str, ...], track: str) -> TestSet:
    return replace(whole.only(names), name=f"{whole.name}, {track} track")
