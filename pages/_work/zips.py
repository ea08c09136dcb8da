"""Archives on disk, where they are read: an upload for as long as one request takes, a kept task
for all sessions.
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
#: Seconds for which a task that was asked for stays on disk, however little room there is: somebody
#: is reading it. What all of them can take is bounded by what may be kept at all.
_IN_USE = 600.0


@contextmanager
def placed_for_a_request(content: bytes, name: str) -> Iterator[Path]:
    """Write an archive into a folder that nobody else uses, and remove both in the end."""
    with tempfile.TemporaryDirectory(prefix="mtsig-upload-") as folder:
        path = Path(folder).resolve() / name
        path.write_bytes(content)
        yield path


class KeptZips:
    """The zips of kept tasks on disk, by the digest of what is kept; those used longest ago make
    room for others.
    """

    def __init__(self, room: int = _ROOM, in_use: float = _IN_USE):
        self._room, self._in_use = room, in_use
        self._folder = tempfile.TemporaryDirectory(
            prefix="mtsig-tasks-"
        )  # removed when the server ends
        self._below = Path(self._folder.name).resolve()
        self._writing: dict[
            str, threading.Lock
        ] = {}  # a lock for each key: one writes, and the others wait for it
        self._lock = threading.Lock()  # while folders are listed and removed

    def place(self, key: str, name: str, content: Callable[[], bytes]) -> Path:
        """Return where the zip of a key lies; its content is asked for once where it is not
        there.
        """
        path = self._below / key / name
        with self._writing.setdefault(key, threading.Lock()):
            if not path.is_file():
                self._write(path, content())
        with suppress(OSError):  # it was deleted just now, which whoever reads it will be told
            os.utime(path.parent)
        return path

    def remove(self, key: str) -> None:
        """Remove the zip of a key, if it is there."""
        with self._lock:
            shutil.rmtree(self._below / key, ignore_errors=True)

    def _write(self, path: Path, content: bytes) -> None:
        with self._lock:
            self._make_room(len(content))
            path.parent.mkdir(exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent)
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)

    def _make_room(self, size: int) -> None:
        """Remove what nobody has used for long, the oldest first, until there is room for so many
        bytes.
        """
        folders = [(folder.stat().st_mtime, folder) for folder in self._below.iterdir()]
        held = sum(_size(folder) for _, folder in folders)
        for used, folder in sorted(folders):
            if held + size <= self._room or time.time() - used < self._in_use:
                return
            held -= _size(folder)
            shutil.rmtree(folder, ignore_errors=True)


def _size(folder: Path) -> int:
    """Return the bytes of the files in a folder; one that is being written may get another name
    meanwhile.
    """
    size = 0
    for file in folder.iterdir():
        with suppress(FileNotFoundError):
            size += file.stat().st_size
    return size
