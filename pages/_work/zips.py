"""Archives on disk, for readers that need a file.

An upload stays on disk for one request, and a stored task for all sessions.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_ROOM = 1 << 30  # bytes on disk, of all kept tasks that were opened since the server started
#: Seconds for which a task stays on disk after a request, however little room there is: somebody is
#: reading it. What all of them can take is bounded by what may be kept at all.
_IN_USE = 600.0


@contextmanager
def placed_for_a_request(content: bytes, name: str) -> Iterator[Path]:
    """Write an archive into a folder that nobody else uses, and remove both in the end."""
    with tempfile.TemporaryDirectory(prefix="mtsig-upload-") as folder:
        path = Path(folder).resolve() / name
        path.write_bytes(content)
        yield path


class KeptZips:
    """The zips of kept tasks on disk, by the digest of what is kept.

    Those used longest ago make room for others.
    """

    def __init__(self, room: int = _ROOM, in_use: float = _IN_USE):
        self._room = room
        self._in_use = in_use
        # removed when the server ends
        self._temporary = tempfile.TemporaryDirectory(prefix="mtsig-tasks-")
        self._folder = Path(self._temporary.name).resolve()
        # a lock for each key: one thread writes, and the others wait for it
        self._writing: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()  # while folders are listed and removed

    def place(self, key: str, name: str, content: Callable[[], bytes]) -> Path:
        """Return the path of the zip of a key; `content` is called once where it is not there."""
        path = self._folder / key / name
        with self._writing.setdefault(key, threading.Lock()):
            if not path.is_file():
                self._write(path, content())
        with suppress(OSError):  # it was deleted just now: the reader raises an error
            os.utime(path.parent)
        return path

    def remove(self, key: str) -> None:
        """Remove the zip of a key, if it is there."""
        with self._lock:
            shutil.rmtree(self._folder / key, ignore_errors=True)

    def _write(self, path: Path, content: bytes) -> None:
        with self._lock:
            self._make_room(len(content))
            path.parent.mkdir(exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent)
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)

    def _make_room(self, size: int) -> None:
        """Remove the archives that were not used for longest, until there is room."""
        folders = [(folder.stat().st_mtime, folder) for folder in self._folder.iterdir()]
        total = sum(_measure(folder) for _, folder in folders)
        for used, folder in sorted(folders):
            if total + size <= self._room or time.time() - used < self._in_use:
                return
            total -= _measure(folder)
            shutil.rmtree(folder, ignore_errors=True)


def _measure(folder: Path) -> int:
    """Return the bytes of the files in a folder."""
    size = 0
    for file in folder.iterdir():
        with suppress(FileNotFoundError):  # a file that was just written has another name now
            size += file.stat().st_size
    return size
