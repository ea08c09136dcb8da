"""Values kept in memory; statistics kept on disk too, so that the same texts are counted only once.

An entry is a checksum and a value. Its key is the content of the test set, the metric with all its
settings, and the code that counts. An entry that does not match its checksum is counted again and
replaced.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import re
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from mtsig_core.errors import InputError, SettingError
from mtsig_core.metrics import Metric, is_adapted, is_segment_mean
from mtsig_core.progress import Progress
from mtsig_core.schema import decode, encode
from mtsig_core.testset import TestSet, show_name
from mtsig_core.version import __version__, find_version

#: What all entries together may take; the ones not used for longest go first.
MAX_CACHE_BYTES = 1 << 30

_Value = TypeVar("_Value")
_DIGEST_SIZE = 16
_ENTRY = re.compile(r"[0-9a-f]{32}\.stats|\.stats-\w+")  # or a file that is being written
_LEAST = 1 << 16  # bytes that every file counts as at least, which bounds their number too
_LARGEST = 1 << 26  # bytes of a result: to keep more takes longer than it saves
_ABANDONED = 3600  # seconds after which nobody is still writing a file
_complained = False


#: The first word of the key of a value that other programs made, so that a new version of mtsig,
#: or of what it counts with, does not make it again.
FROM_ELSEWHERE = "from elsewhere"

#: The absence of a value; None is a value as any other.
NO_VALUE = object()


class Memory:
    """The values used last, by key, shared by threads.

    Pages use it too: any browser may tell the server to clear Streamlit's own caches, and other
    processes have no Streamlit.

    Parameters
    ----------
    size : float
        How many values are kept.
    most : float
        What they may weigh in all; the value used last is kept whatever it weighs.
    """

    def __init__(self, size: float = math.inf, most: float = math.inf):
        self._size = size
        self.most = most
        self._values: OrderedDict[Hashable, tuple[Any, float]] = OrderedDict()
        self._weight = 0.0
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.RLock] = {}

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self._values)

    def __contains__(self, key: Hashable) -> bool:
        """Return whether the value of a key is there."""
        return key in self._values

    def get(self, key: Hashable, default: Any = None) -> Any:
        """Return the value of a key, or the default without one.

        If None can be a value, use another default: `NO_VALUE`.
        """
        with self._lock:
            if key not in self._values:
                return default
            self._values.move_to_end(key)
            value, _ = self._values[key]
            return value

    def keep(self, key: Hashable, value: Any, weight: float = 0.0) -> None:
        """Keep a value, and forget those used longest ago if there is no room."""
        with self._lock:
            _, old_weight = self._values.pop(key, (None, 0.0))
            self._weight += weight - old_weight
            self._values[key] = value, weight
            while len(self._values) > 1 and self._is_full():
                _, (_, weight) = self._values.popitem(last=False)
                self._weight -= weight

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._values.clear()
            self._weight = 0.0

    def _is_full(self) -> bool:
        return len(self._values) > self._size or self._weight > self.most

    def make(
        self,
        key: Hashable,
        make: Callable[[], Any],
        weigh: Callable[[Any], float] = lambda _: 0.0,
    ) -> Any:
        """Return the value of a key, made once however many ask at the same time.

        If `make` raises, nothing is kept.
        """
        value = self.get(key, NO_VALUE)
        if value is not NO_VALUE:
            return value
        with self._lock:
            turn = self._making.setdefault(key, threading.RLock())
        with turn:
            value = self.get(key, NO_VALUE)
            if value is NO_VALUE:  # else it was made while this one waited
                try:
                    value = make()
                    self.keep(key, value, weigh(value))
                finally:
                    with self._lock:
                        self._making.pop(key, None)
        return value


#: Experiments ask for the same statistics several times. The statistics of a large set would take
#: most of the memory of a process, so they are read from disk again.
STATISTICS_MEMORY = Memory(most=1 << 25)


def cached_statistics(
    metric: Metric, testset: TestSet, progress: Progress | None = None
) -> np.ndarray:
    """Return ``metric.statistics(testset)``, from memory or disk if they were counted before.

    The array may be read-only, because all callers share it. Metrics that do not belong to mtsig
    are always counted, because mtsig cannot tell when their code changes. If `cache_folder` cannot
    be used, nothing is kept on disk, and a message on standard error reports this once.
    """
    if testset.textless_systems and not is_segment_mean(metric):
        raise SettingError(
            f"{', '.join(testset.textless_systems)} has ratings and no text that {metric.name} could "
            "score. Leave it out, or choose the ratings as metric."
        )
    key = _statistics_key(metric, testset)
    if key is None:
        return metric.statistics(testset, progress)
    memory_key = json.dumps(key)
    statistics: np.ndarray | None = STATISTICS_MEMORY.get(memory_key)
    if statistics is None:
        statistics = _read_or_count(metric, testset, _entry(key), progress)
        statistics.flags.writeable = False
        if statistics.nbytes <= STATISTICS_MEMORY.most:
            STATISTICS_MEMORY.keep(memory_key, statistics, statistics.nbytes)
    return statistics


def _statistics_key(metric: Metric, testset: TestSet) -> list[object] | None:
    """The content of the test set and of the metric, None where their statistics are not kept."""
    if is_segment_mean(metric):  # nothing to count: no need of a digest
        return None
    key = metric_key(metric, testset)
    if key is None:
        return None
    return [testset.digest, *key]


def _read_or_count(
    metric: Metric,
    testset: TestSet,
    path: Path | None,
    progress: Progress | None,
) -> np.ndarray:
    """Read statistics from their entry on disk; without it, count them and write it."""
    if path is None:
        return metric.statistics(testset, progress)
    shape = len(testset.systems), testset.n_segments, len(metric.stat_names)
    statistics = _unpack_statistics(_read(path), shape)
    if statistics is None:
        statistics = metric.statistics(testset, progress)
        _write(path, encode(statistics))
    return statistics


def keep_value(value: object, *key: object) -> None:
    """Keep a result among the statistics, where it can be kept and is not too large.

    The key, of values that JSON can write, names all that it depends on except the code.
    """
    path = _entry(["value", *key])
    content = encode(value)
    if path is not None and len(content) <= _LARGEST:
        _write(path, content)


def kept_value(kind: type[_Value], *key: object) -> _Value | None:
    """What `keep_value` has kept under this key, of that kind; None without."""
    path = _entry(["value", *key])
    if path is None:
        return None
    content = _read(path)
    if content is None:
        return None
    try:
        return decode(kind, content)
    except InputError:
        return None


def remember(kind: type[_Value], make: Callable[[], _Value], *key: object) -> _Value:
    """The value that is kept under this key, or else a new one, which is kept."""
    value = kept_value(kind, *key)
    if value is None:
        value = make()
        keep_value(value, *key)
    return value


def cache_folder() -> Path | None:
    """``MTSIG_CACHE``, or ``mtsig`` in the user's cache folder.

    None where the variable is set to nothing.

    Raises
    ------
    RuntimeError
        If the user has no home.
    """
    folder = os.environ.get("MTSIG_CACHE")
    if folder == "":
        return None
    if folder is not None:
        return Path(folder).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("mtsig", appauthor=False, opinion=False)


def metric_key(metric: Metric, testset: TestSet) -> list[str] | None:
    """Return a key of everything except the test set that the numbers of a metric depend on.

    None for a metric that does not belong to mtsig.
    """
    counting: object = metric
    while counting is not None:  # a mean of another metric is mtsig's own if that one is
        if not type(counting).__module__.startswith("mtsig_core.metrics."):
            return None
        counting = getattr(counting, "metric", None)
    if is_adapted(metric):
        return None
    data = metric.data_digest(testset) if hasattr(metric, "data_digest") else ""
    return [metric.name, metric.signature(testset), data]


def _folder() -> Path | None:
    try:
        return cache_folder()
    except RuntimeError as error:
        _complain("the user's home", str(error))
        return None


def _entry(key: list[object]) -> Path | None:
    """The file of an entry, None where nothing is kept."""
    folder = _folder()
    if folder is None:
        return None
    package = "" if key[0] == "value" else "metrics"
    counted_by = [] if FROM_ELSEWHERE in key else _counted_by(package)
    everything = json.dumps([*key, counted_by])
    digest = hashlib.blake2b(everything.encode(), digest_size=16).hexdigest()
    return folder / f"{digest}.stats"


@cache
def _counted_by(package: str) -> list[str]:
    """Return the versions and the source code on which an entry depends, besides its settings.

    The source counts because a checkout changes more often than its version.
    """
    source = hashlib.blake2b(digest_size=16)
    for path in sorted((Path(__file__).parents[1] / package).rglob("*.py")):
        source.update(path.read_bytes())
    return [__version__, platform.python_version(), find_version("sacrebleu"), source.hexdigest()]


# -- one entry ------------------------------------------------------------------------------------


def _read(path: Path) -> memoryview | None:
    """The content of an entry, None unless it is there and every byte is as it was written."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_CACHE_BYTES:
            return None
        packed = path.read_bytes()
    except FileNotFoundError:  # another process has made room
        return None
    except OSError as error:
        _complain(path.parent, error.strerror or str(error))
        return None
    content = memoryview(packed)[_DIGEST_SIZE:]
    if packed[:_DIGEST_SIZE] != _checksum(content, path.stem):
        return None
    with suppress(OSError):  # a folder that can only be read is of use too
        os.utime(path)
    return content


def _write(path: Path, content: bytes) -> None:
    """Keep a content: readers see the whole entry or none."""
    temporary = None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _make_room(path.parent, _DIGEST_SIZE + len(content)):
            return
        # a file that only the user can open
        handle, temporary = tempfile.mkstemp(prefix=".stats-", dir=path.parent)
        with open(handle, "wb") as file:
            file.writelines([_checksum(content, path.stem), content])
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        _complain(path.parent, error.strerror or str(error))
    finally:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)


def _make_room(folder: Path, size: int) -> bool:
    """Remove what was not used for longest until `size` bytes fit; return whether they can."""
    files = []
    for entry in os.scandir(folder):
        with suppress(FileNotFoundError):  # another process is making room too
            if _ENTRY.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                files.append((status.st_mtime, max(status.st_size, _LEAST), entry))
    n_bytes = sum(n for _, n, _ in files) + max(size, _LEAST)
    excess = n_bytes - MAX_CACHE_BYTES
    for used, n, entry in sorted(files, key=lambda file: file[0]):
        is_being_written = entry.name.startswith(".")
        if is_being_written:
            is_superfluous = used < time.time() - _ABANDONED
        else:
            is_superfluous = excess > 0
        if is_superfluous:
            with suppress(FileNotFoundError):
                os.unlink(entry.path)
            excess -= n
    return excess <= 0


def _unpack_statistics(content: memoryview | None, shape: tuple[int, ...]) -> np.ndarray | None:
    """The array of an entry, None where it is not there or no array of numbers of that shape."""
    if content is None:
        return None
    try:
        statistics = np.array(decode(np.ndarray, content))
    except InputError:  # the checksum is right, and it was not written here all the same
        return None
    if statistics.dtype.kind not in "iuf" or statistics.shape != shape:
        return None
    return statistics


def _checksum(content: bytes | memoryview, key: str) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST_SIZE, key=key.encode()).digest()


def _complain(folder: Path | str, reason: str) -> None:
    global _complained
    if not _complained:
        _complained = True
        print(
            f"mtsig: mtsig cannot keep its counts in {show_name(folder)} ({reason}) and counts again. Name another "
            f"folder with MTSIG_CACHE, or set it to nothing.",
            file=sys.stderr,
        )
