"""Texts of any size: small ones as a list, large ones left in their file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import BinaryIO, cast

import numpy as np

from mtsig_core.data.readers.bounds import is_limited, open_file
from mtsig_core.data.readers.formats import SEGMENTS, refusal
from mtsig_core.data.readers.lines import GZIP_MAGIC, FilePath, chunks, read_lines, shown
from mtsig_core.data.stored_lines import StoredLines, file_state

__all__ = ["LARGE", "read_texts"]

#: Bytes on disk from which on a text is left there.
LARGE = 4 << 20
_MARK = b"\xef\xbb\xbf"  # of the byte order


def read_texts(path: FilePath) -> Sequence[str]:
    """The lines of a text file, as `read_lines` has them; those of a large one stay where they are.

    Of a large file the beginnings of the lines are kept in memory, and it must stay as it is while they are used. One
    that is gzipped is unpacked to a temporary file. What strangers upload is small, and always in memory.

    Raises
    ------
    InputError
        As `read_lines`.
    """
    try:
        small = is_limited() or not hasattr(os, "pread") or os.path.getsize(path) < LARGE
        stored = None if small else _stored(open_file(path), path)
    except (OSError, ValueError):  # no such file, or no room for a copy
        stored = None
    return stored or read_lines(path)  # which says what is wrong, where something is


def _stored(file: BinaryIO, path: FilePath) -> StoredLines | None:
    """The lines of a file, None if it is no text."""
    state = file_state(file)
    copy = cast(BinaryIO, tempfile.TemporaryFile()) if file.read(2) == GZIP_MAGIC else None
    first, ends, sizes, lengths = 0, *(list[np.ndarray]() for _ in range(3))
    for block in _whole_lines(path, copy):
        if not ends and (error := refusal(shown(path), block, SEGMENTS)):
            raise error
        if not ends and block.startswith(_MARK):
            first, block = len(_MARK), block[len(_MARK):]
        try:
            lines = block.decode().removesuffix("\n").split("\n")
        except ValueError:
            return None
        if b"\0" in block or (b"\r" in block and b"\n" not in block):
            return None
        raw = block.removesuffix(b"\n").split(b"\n")
        ends.append(np.array([len(line) + 1 for line in raw], dtype=np.int64))
        sizes.append(np.array([len(line.removesuffix(b"\r")) for line in raw], dtype=np.int32))
        lengths.append(np.array([len(line.removesuffix("\r")) for line in lines], dtype=np.int32))
    if not ends:
        return None
    if copy is not None:
        copy.flush()
        file, state = copy, file_state(copy)
    begins = np.cumsum(np.concatenate([[first], *ends]))[:-1]
    return StoredLines(file, shown(path), begins, np.concatenate(sizes), np.concatenate(lengths), state)


def _whole_lines(path: FilePath, copy: BinaryIO | None) -> Iterator[bytes]:
    """The content of a file in blocks that end with a line, written to a copy as it comes."""
    rest: list[bytes] = []
    for chunk, _ in chunks(path):
        if copy is not None:
            copy.write(chunk)
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join([*rest, chunk[:cut]])
            rest = []
        rest.append(chunk[cut:])
    if last := b"".join(rest):
        yield last
