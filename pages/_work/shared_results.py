"""Results that one process of the server has computed, for the others: in a folder that is theirs alone and goes when
the server does, so that what lies there was written by the same code for the same user."""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path

import cloudpickle

from mtsig_core.source import SHARED_VARIABLE

_MOST = 256 << 20  # bytes


def find(key: Hashable):
    """The value that another process has kept under a key, and its bytes; None where there is none."""
    if (place := _place(key)) is None:
        return None
    try:
        kept, value = pickle.loads(content := place.read_bytes())
    except OSError:
        return None
    return (value, len(content)) if kept == repr(key) else None


def keep(key: Hashable, value) -> None:
    """Keep a value for the others; where there is no room, what was made first goes. They see all of it or nothing."""
    if (place := _place(key)) is None:
        return
    with suppress(OSError, pickle.PicklingError, TypeError):  # no room, or of no kind to be kept: it is computed again
        content = cloudpickle.dumps((repr(key), value))  # as a worker has sent it
        place.parent.mkdir(mode=0o700, exist_ok=True)
        _make_room(place.parent, len(content))
        handle, temporary = tempfile.mkstemp(dir=place.parent)
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, place)


def _place(key):
    folder = os.environ.get(SHARED_VARIABLE)
    return Path(folder, hashlib.blake2b(repr(key).encode("utf-8", "surrogatepass")).hexdigest()) if folder else None


def _make_room(folder, size):
    files = sorted((entry.stat().st_mtime, entry.stat().st_size, entry.path) for entry in os.scandir(folder))
    excess = size + sum(held for _, held, _ in files) - _MOST
    for _, held, path in files:
        if excess <= 0:
            return
        excess -= held
        with suppress(FileNotFoundError):
            os.unlink(path)
