"""The test sets that a user can open.

They are uploads, the set or task of this server, folders below MTSIG_DATA_ROOT, and simulated data.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
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
from mtsig_core.readers.texts import PairFile, find_runs
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
#: Of the size of the test sets of these papers.
KOEHN = Source(demo=300)
ZHANG_VOGEL = Source(demo=1592, demo_references=4)
#: By their names in the list.
DEMOS = {
    "simulated shared task": TASK,
    "simulated, 30,000 segments": LARGE,
    "simulated, 300 segments": KOEHN,
    "simulated, 1,592 segments, 4 references": ZHANG_VOGEL,
}


def demo_label(source: Source) -> str:
    """Return the name of a source in the list."""
    for label, demo in DEMOS.items():
        if demo == source:
            return label
    return source.title


def offer_demo(demo: Source, why: str, source: Source) -> None:
    """Write why a page cannot show this test set, with a button for a simulated one.

    Nothing is drawn if that one is open.
    """
    if _demo_of(demo) == _demo_of(source):
        return
    screen.plain(why)
    st.button(
        demo_label(demo),
        key=f"demo.{demo.title}",
        type="tertiary",
        icon=":material/arrow_forward:",
        on_click=address.keep,
        args=("testset", [demo.title]),
    )


def _demo_of(source: Source) -> tuple[int | None, int, bool]:
    return source.demo, source.demo_references, source.demo_task


# Uploads, what the dashboard was started on, folders below MTSIG_DATA_ROOT.

KEPT = "~"  # before the link of a kept set or task, in the address
_DEPTH = 3  # folders below the root that are searched for shared tasks


@dataclass(frozen=True)
class Offer:
    """A test set that can be opened."""

    label: str  # its name in the list
    load: Callable[[], TestSet]
    #: Names it on the command line. Its references score, and the others take part, unless others
    #: are chosen.
    source: Source
    may_change: bool = False  # whether other content may get its name


@dataclass(frozen=True)
class TaskOffer:
    """A shared task that can be opened."""

    label: str  # its name in the list
    source: TaskSource  # names it on the command line
    pairs: Sequence[str]
    #: The files in its zip that are not read, each with the reason.
    unread: tuple[tuple[str, str], ...] = ()
    saved: Saved | None = None  # an upload

    @property
    def is_simulated(self) -> bool:
        """Whether its data are simulated."""
        return self.source.simulated

    def testset(self, name: str, lang_pair: str) -> str:
        """Return the name of a language pair in the address, if the task is called `name`."""
        if self.is_simulated:
            return self.source.select_pair(lang_pair).title
        return f"{name}/{lang_pair}".removeprefix("./")

    def has_testset(self, name: str, testset: str) -> bool:
        """Return whether a name in the address belongs to one of its language pairs."""
        prefix = TASK.title if self.is_simulated else f"{name}/"
        return testset.startswith(prefix)


class Gone(InputError):  # noqa: N818  what happened, for the page to offer Upload
    """A link names a test set that is not here."""

    def __init__(self, name: str, kind: str = "test set"):
        message = (
            f"The {kind} {shortened(name, 200)!r} of this link is not here. If it is a folder of this server, check "
            "that it still exists. Or upload its files on the page Upload: the same files give the same numbers."
        )
        if name.startswith(KEPT):
            message = (
                f"The {kind} of this link is not here: it was deleted, has expired, or is on another server. "
                "Upload its files again on the page Upload: the same files give the same numbers."
            )
        super().__init__(message)


def available() -> dict[str, Offer]:
    """Return the test sets for everybody and for this browser, by their names in the address."""
    offers = {}
    served = _served_source()
    if served is not None and served_task() is None:
        offers[served.title] = _from_source(served, demo_label(served))
    for name, task in _list_tasks_of_server().items():
        offers.update(_list_testsets(name, task))
    for label, demo in DEMOS.items():
        offers.setdefault(demo.title, _from_source(demo, label))
    for saved in _list_uploads():
        name, offer = _offer_upload(saved)
        offers.update(_list_testsets(name, offer))
    return _number_labels(offers)


def available_tasks() -> dict[str, TaskOffer]:
    """Return the shared tasks for everybody and for this browser, by their names in the address."""
    offers = {}
    simulated = TaskOffer(SIMULATED.title, SIMULATED, PAIRS)
    served = _served_source()
    if served is not None and served.demo_task:
        offers[SIMULATED.title] = simulated  # before the others
    offers.update(_list_tasks_of_server())
    offers[SIMULATED.title] = simulated
    for saved in _list_uploads():
        if saved.task is not None:
            name, offer = _offer_upload(saved)
            offers[name] = offer
    return _number_labels(offers)


def _served_source() -> Source | None:
    """Return the test set that the dashboard was started on."""
    text = os.environ.get(SOURCE_VARIABLE)
    return Source.from_json(text) if text else None


def served_task() -> TaskSource | None:
    """Return the whole task that the dashboard was started on."""
    text = os.environ.get(TASK_VARIABLE)
    return TaskSource.from_json(text) if text else None


def _list_tasks_of_server() -> dict[str, TaskOffer]:
    """Return the task that the dashboard was started on, and the tasks below the root."""
    offers = {}
    task = served_task()
    if task is not None:
        offers[task.title] = TaskOffer(task.title, task, task.pairs or tuple(task.list_pairs()))
    for name, folder in task_folders():
        contents = find_contents(folder)
        source = TaskSource(
            str(folder), scores=contents.scores, run=contents.runs, below=str(root())
        )
        label = show_name(folder_name(folder))  # not "txt", as the path may end
        if name.lower().removesuffix(".zip").endswith(label.lower()):
            label = name
        offers.setdefault(name, TaskOffer(label, source, contents.pairs, contents.unread))
    return offers


def _list_uploads() -> list[Saved]:
    """Return the uploads of this browser."""
    owner = browser.find_owner()
    if owner is None:
        return []
    return store().list_owned(owner)


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
    testsets = {}
    for lang_pair in offer.pairs:
        testset = offer.testset(name, lang_pair)
        source = offer.source.select_pair(lang_pair)
        label = f"{offer.label}/{lang_pair}"
        if offer.is_simulated:
            label = testset
        if offer.saved is None:
            testsets[testset] = _from_source(source, label)
        else:
            load = partial(_load_upload, offer.saved, lang_pair)
            testsets[testset] = Offer(label, load, source)
    return testsets


def _number_labels(offers: dict) -> dict:
    """Give each offer a label of its own."""
    labels = set()
    numbered = {}
    for name, offer in offers.items():
        label = offer.label
        n = 1
        while label in labels:
            n += 1
            label = f"{offer.label} ({n})"
        labels.add(label)
        numbered[name] = replace(offer, label=label)
    return numbered


def usual(offers: dict[str, Offer], page: Page) -> str:
    """Return the name of the set that a page opens by default.

    It is the page's own demonstration if the first offer is a demonstration.
    """
    first = next(iter(offers))
    if first == TASK.title and _served_source() is None:
        return page.demo.title
    return first


def find(name: str, offers: dict[str, Offer]) -> Offer | None:
    """Return the set of a name.

    It is one of the offers, or an upload, which anybody with its link may open.
    """
    if name in offers:
        return offers[name]
    for lang_pair in PAIRS:
        demo = replace(TASK, langpair=lang_pair)
        if name == demo.title:
            return _from_source(demo, name)
    if name.startswith(KEPT):
        link, _, _ = name.removeprefix(KEPT).partition("/")
        saved = store().find(link)
        if saved is not None:
            testsets = _list_testsets(*_offer_upload(saved))
            return _number_labels(offers | testsets).get(name)
    return None


def find_task(name: str, offers: dict[str, TaskOffer]) -> TaskOffer | None:
    """Return the task of a name, as `find`."""
    if name in offers or not name.startswith(KEPT) or "/" in name:
        return offers.get(name)
    saved = store().find(name.removeprefix(KEPT))
    if saved is None or saved.task is None:
        return None
    _, offer = _offer_upload(saved)
    return _number_labels({**offers, name: offer})[name]


def keep_upload(testset: TestSet, source: Source) -> str:
    """Keep an uploaded set in the database; return its name in the address."""
    link = store().keep(testset, browser.find_owner(make=True), source)
    return f"{KEPT}{link}"


@st.cache_resource
def store() -> SetStore:
    """Return the store of uploads; its place on this machine is hidden from visitors."""
    with hide_places({str(find_home()): "MTSIG_HOME"}):
        return SetStore(open_database())


@st.cache_resource
def tables() -> TableStore:
    """Return the store of uploaded tables of published scores."""
    return TableStore(store().database)


# -- whole tasks that were uploaded ---------------------------------------------------------------


@contextmanager
def _placed(content: bytes, file: str, limits: Callable[[], object]) -> Iterator[Path]:
    """Place an uploaded archive on disk, within these limits, for as long as it is read."""
    with (
        placed_for_a_request(content, zip_name(file)) as path,
        limit_reading(limits(), below=path.parent),
    ):
        yield path


def unpack_files(content: bytes, file: str) -> uploads.NamedContents:
    """Return the files of an uploaded archive; an empty result for a shared task."""
    with _placed(content, file, upload_limits) as path:
        return [] if is_task(path) else uploads.list_flat_files(path)


def list_members(content: bytes, file: str) -> uploads.NamedContents:
    """Return all files of an uploaded archive, by their places in it."""
    with _placed(content, file, task_limits) as path:
        return uploads.list_members(path)


def list_pairs(content: bytes, file: str) -> list[str]:
    """Return the language pairs of an uploaded archive; empty if it is not a shared task."""
    with _placed(content, file, task_limits) as path:
        if not is_task(path):
            return []
        return pairs_of(path)


def look_into(content: bytes, file: str) -> Contents:
    """List the contents of an uploaded zip of a task; the names of its files start at the zip."""
    with _placed(content, file, task_limits) as path:
        contents = contents_of(path)
        scores = _make_relative(contents.scores, path.parent)
        runs = _make_relative(contents.runs, path.parent)
        return replace(contents, scores=scores, runs=runs)


def _make_relative(files: Sequence[PairFile], folder: Path) -> tuple[PairFile, ...]:
    """Return files (language pair, name, path) with their paths below a folder."""
    return tuple(
        (lang_pair, name, str(Path(path).relative_to(folder))) for lang_pair, name, path in files
    )


def find_open_directions(
    content: bytes, file: str, tables: Iterable[PairFile]
) -> dict[str, tuple[float, float]]:
    """Return the scores in an uploaded zip whose direction is unknown, with the range of each.

    The user has to be asked whether higher or lower is better. `tables`: language pair, name and
    file of each, as `look_into` has them.
    """
    open_ranges: dict[str, tuple[float, float]] = {}
    with _placed(content, file, task_limits) as path:
        for lang_pair, name, table in tables:
            with suppress(InputError, SettingError):  # they are shown when the task is opened
                ranges = find_unsettled([(name, path.parent / table)], langpair=lang_pair)
                for metric, score_range in ranges.items():
                    open_ranges.setdefault(metric, score_range)
    return open_ranges


def zip_name(file: str) -> str:
    """Return the name of an uploaded zip on disk: the name in the browser, without folders."""
    path = show_name(file).replace("\\", "/").replace("\0", "")
    name = PurePosixPath(path).name
    return name.encode()[-200:].decode("utf-8", "ignore")  # which keeps the ending


def keep_task(
    content: bytes,
    source: TaskSource,
    contents: Contents,
    unread: list[tuple[str, str]],
    pair: str | None = None,
) -> str:
    """Keep the zip of a task in the database; return its name in the address.

    Before that, it reads the whole task, or one language pair.
    """
    limits = task_limits()
    if pair is not None:
        limits = upload_limits()
    with placed_for_a_request(content, source.folder) as path, limit_reading(limits):
        on_disk = _place_below(source, path.parent)
        if pair is None:
            task = on_disk.read()
            pairs = tuple(task.testsets)  # one without outputs is left out
            systems = task.systems
        else:
            pairs = contents.pairs
            systems = on_disk.select_pair(pair).read().systems
    if not systems:
        raise InputError(no_output(source.folder, [pair]))
    owner = browser.find_owner(make=True)
    link = store().keep_task(content, owner, source, pairs, len(systems), unread)
    return f"{KEPT}{link}"


def placed(saved: Saved) -> TaskSource:
    """Return a kept task, to be read from its zip on disk."""
    path = kept_zips().place(saved.digest, saved.task.folder, lambda: store().load_zip(saved))
    return _place_below(replace(saved.task, name=saved.name), path.parent)


def delete(saved: Saved) -> None:
    """Delete a kept set or task of this browser."""
    store().delete(saved.link, browser.find_owner())
    if not store().has_content(saved.digest):  # else others keep the same, and may be reading it
        kept_zips().remove(saved.digest)


def _place_below(source: TaskSource, folder: Path) -> TaskSource:
    """Return the source with its files named from a folder."""

    def place(files):
        return tuple((pair, name, str(folder / path)) for pair, name, path in files)

    return replace(
        source,
        folder=str(folder / source.folder),
        scores=place(source.scores),
        run=place(source.run),
        below=str(folder),
    )


@remember(1)  # not `functools.cache`: two at once would make two, and one folder would be removed
def kept_zips() -> KeptZips:
    """Return the zips of kept tasks on disk; the database may be on another machine."""
    return KeptZips()


def _load_upload(saved: Saved, pair: str | None = None) -> TestSet:
    """Return a kept test set, or one language pair of a kept task."""

    def read():
        if pair is None:
            return store().load(saved)
        with limit_reading(upload_limits()):
            testset = placed(saved).select_pair(pair).read()
            return replace(testset, name=f"{saved.name} {pair}")

    key = ("kept", saved.digest, saved.name, pair)
    return _remember_testset(key, "Opening the test set", read)


def _from_source(source: Source, label: str) -> Offer:
    """Offer a source, which is read again only if one of its files has changed.

    All references are read. The user chooses on screen which references score; the source has the
    default.
    """
    full_source = replace(source, refs=(), refs_as_systems=False)

    def load():
        key = (full_source, _fingerprint(full_source))
        return _remember_testset(key, "Reading the test set", full_source.read)

    return Offer(label, load, source, not source.simulated)


def _remember_testset(key: tuple, description: str, make: Callable[[], TestSet]) -> TestSet:
    def make_with_spinner():
        with st.spinner(description):
            return make()

    return LOADED.make(key, make_with_spinner, weigh_testset)


def read_beforehand(source: Source) -> TestSet:
    """Read a source in the same way as a session that opens it."""
    return LOADED.make((source, _fingerprint(source)), source.read, weigh_testset)


# -- the folders of this server -------------------------------------------------------------------


def root() -> Path | None:
    """Return the only folder below which files may be read by path."""
    value = os.environ.get("MTSIG_DATA_ROOT")
    return Path(value).resolve() if value else None


def task_folders() -> list[tuple[str, Path]]:
    """Return name and path of the shared tasks below the root, folders and zips.

    They are at most `_DEPTH` levels down; no link may lead out.
    """
    below = root()
    if below is None or not below.is_dir():
        return []
    tasks = []
    level = [below]
    for _ in range(_DEPTH + 1):
        tasks += [folder for folder in level if _is_task_folder(folder)]
        next_level = []
        for folder in level:
            for child in _list_folders_and_zips(folder):
                if not child.resolve().is_relative_to(below):
                    continue
                if child.is_dir():
                    next_level.append(child)
                elif _is_task_zip(child):
                    tasks.append(child)
        level = next_level
    return [(show_name(task.relative_to(below).as_posix()), task) for task in sorted(tasks)]


def _is_task_folder(folder: Path) -> bool:
    try:
        return is_task(folder)
    except (OSError, MtsigError):  # one that cannot be read hides no other
        return False


def _is_task_zip(file: Path) -> bool:
    key = ("looks like a task", *_stamp(file))
    return LOADED.make(key, lambda: _is_task_folder(file))


def _stamp(path: str | Path) -> tuple[str, int, int]:
    """Return path, size and time of a file."""
    stat = os.stat(path)
    return str(path), stat.st_size, stat.st_mtime_ns


def _list_folders_and_zips(folder: Path) -> list[Path]:
    try:
        children = [child for child in folder.iterdir() if not child.name.startswith(".")]
    except OSError:
        return []
    return [child for child in children if child.is_dir() or _is_zip(child)]


def _is_zip(path: Path) -> bool:
    return path.suffix.lower() == ".zip" and path.is_file()


_NO_CONTENTS = Contents((), (), (), ())


def find_contents(task: Path) -> Contents:
    """Return the language pairs of a task, its tables of scores, further runs and unread files."""
    if task.is_dir():
        pairs = pairs_in(task, root())
        scores = tables_beside(task, pairs)
        return replace(
            _NO_CONTENTS,
            pairs=tuple(pairs),
            scores=tuple(scores),
            runs=tuple(find_runs(task, pairs)),
        )

    def look():
        try:
            with limit_reading(below=root()):
                return contents_of(task)
        except (OSError, MtsigError):  # only looks like a shared task: nothing to offer
            return _NO_CONTENTS

    return LOADED.make(("contents", *_stamp(task)), look)


def pairs_in(folder: Path, below: Path | None = None) -> list[str]:
    """Return the language pairs of a task; empty if a folder only looks like a task."""

    def look():
        with limit_reading(below=below):
            return pairs_of(folder)

    try:
        if folder.is_dir() and not has_scores(folder):  # only names to look at
            return look()
        # A folder of scores, or a zip, must be read for it: not in each run of each page.
        key = ("pairs", str(folder), _fingerprint(Source(folder=str(folder))))
        return LOADED.make(key, look, len)
    except (OSError, MtsigError):  # only looks like a shared task: nothing to offer
        return []


def _fingerprint(source: Source) -> tuple:
    """Return path, size and time of each file of a source."""
    return tuple(_stamp(file) for file in sorted(source.files()))


# -- a shared task --------------------------------------------------------------------------------

_BYTES_IN_MEMORY = 4  # for each byte of a file, about


def open_kept_task(
    offer: TaskOffer, track: str | None, refs: tuple[str, ...] = (), refs_as_systems: bool = False
) -> KeptTask:
    """Open a task, or one track of it; its files are read again if one has changed."""
    source = offer.source
    if offer.saved is not None:
        source = placed(offer.saved)
    source = replace(source, refs=refs, refs_as_systems=refs_as_systems)
    # A message on a file that is gone then has its name, and not its place on disk.
    with limit_reading(below=source.below):
        files = [*source.files(), *filter(Path.is_file, source.list_joined_files())]
        fingerprint = tuple(_stamp(file) for file in files)
        return _read_task(source, track, fingerprint, is_limited=offer.saved is not None)


def _read_task(
    source: TaskSource, track: str | None, fingerprint: tuple, is_limited: bool
) -> KeptTask:
    def make():
        task = KeptTask(source)
        if track is not None:
            # All tracks are taken from the whole task, which is read once.
            full_task = _read_task(source, None, fingerprint, is_limited)
            task = KeptTask(
                replace(source, track=track), read=lambda: full_task.task.of_track(track)
            )
        limits = limit_reading(task_limits()) if is_limited else nullcontext()
        with st.spinner("Reading the task"), limits:
            task.info  # noqa: B018  reads it, which takes time
        return task

    weight = _BYTES_IN_MEMORY * sum(size for _, size, _ in fingerprint)
    return LOADED.make(("task", source, track, fingerprint), make, lambda _: weight)


# -- one language pair with the systems of one track ----------------------------------------------

_MARK = "@"  # between the name of a test set and the track
_TRACKS = ("constrained", "unconstrained")


def track_name(testset: str, track: str | None) -> str:
    """Return the name of a test set in the address, with its track."""
    return testset if track is None else f"{testset}{_MARK}{track}"


def track_of(testset: str) -> str | None:
    """Return the track in the name of a test set."""
    _, mark, track = testset.rpartition(_MARK)
    return track if mark and track in _TRACKS else None


def is_of_task(testset: str) -> bool:
    """Return whether the name of a test set belongs to a language pair of a shared task."""
    return "/" in testset or testset.startswith(TASK.title)


def find_track(name: str, offers: dict[str, Offer]) -> Offer | None:
    """Return the set of a name, as `find`.

    After a track in the name, it has only the systems of that track.
    """
    offer = find(name, offers)
    base, mark, track = name.rpartition(_MARK)
    if offer is not None or not mark:
        return offer
    offer = find(base, offers)
    if offer is None:
        return None
    try:
        full_set = offer.load()
    except MtsigError:  # it is shown when the set is opened
        return offer
    names = _list_track(base, track, full_set)
    if not names:
        return None
    return replace(
        offer,
        label=f"{offer.label}, {track} track",
        load=lambda: _select_track(full_set, names, track),
        source=replace(offer.source, only=names),
    )


def _list_track(testset: str, track: str, full_set: TestSet) -> tuple[str, ...]:
    """Return the systems of a language pair that are in a track by the task's table."""
    offers = available_tasks()
    link, slash, _ = testset.partition("/")
    if slash:
        upload = find_task(link, offers)
        if upload is not None:
            offers[link] = upload
    for name, task in offers.items():
        if task.has_testset(name, testset):
            with suppress(MtsigError):  # no system of that track
                systems = open_kept_task(task, track).info.systems
                return tuple(system for system in full_set.systems if system in systems)
    return ()


@remember(16)  # each knows its digest, which takes time to find
def _select_track(full_set: TestSet, names: tuple[str, ...], track: str) -> TestSet:
    return replace(full_set.only(names), name=f"{full_set.name}, {track} track")
