"""Lines that stay in their file and are read when they are asked for, so that texts take no memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, overload

import numpy as np

from mtsig_core.errors import InputError

__all__ = ["CHUNK_LINES", "StoredLines", "file_state", "picked", "text_lengths"]

#: Lines that are in memory at once where all are looked at.
CHUNK_LINES = 4096


class StoredLines(Sequence[str]):
    """Lines of an open file of UTF-8 text: in all a tuple of texts would do, but of 12 bytes each.

    Slices are tuples of texts. A pickle has the texts themselves, so that it can be read on other machines.

    Parameters
    ----------
    file : BinaryIO
        Kept open; a file that takes its place under the same name changes nothing.
    name : str
        Of the file, for messages.
    begins, sizes, lengths : ndarray of int, shape (lines,)
        Where each line begins in the file and its size, in bytes; and its length, in characters.
    state : tuple of int
        What `file_state` said when these were found.
    """

    def __init__(self, file: BinaryIO, name: str, begins: np.ndarray, sizes: np.ndarray, lengths: np.ndarray,
                 state: tuple[int, int]):
        self._file, self._name, self._state = file, name, state
        self._begins, self._sizes, self.lengths = begins, sizes, lengths

    def __len__(self) -> int:
        return len(self._begins)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        if not isinstance(at, slice):
            return self._bytes(int(self._begins[at]), int(self._sizes[at])).decode()
        begins, sizes = self._begins[at].tolist(), self._sizes[at].tolist()
        places = list(zip(begins, sizes, strict=True))
        first, last = (min(begins), max(begin + size for begin, size in places)) if places else (0, 0)
        if last - first > 2 * (sum(sizes) + len(sizes)):  # far apart
            return tuple(self._bytes(begin, size).decode() for begin, size in places)
        data = self._bytes(first, last - first)
        return tuple(data[begin - first:begin - first + size].decode() for begin, size in places)

    def __iter__(self) -> Iterator[str]:
        for at in range(0, len(self), CHUNK_LINES):
            yield from self[at:at + CHUNK_LINES]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple | StoredLines):
            return NotImplemented
        return len(self) == len(other) and np.array_equal(self.lengths, text_lengths(other)) and all(
            self[at:at + CHUNK_LINES] == other[at:at + CHUNK_LINES] for at in range(0, len(self), CHUNK_LINES))

    __hash__ = None  # type: ignore[assignment]  # to hash it would be to read it

    def __reduce__(self) -> tuple[type, tuple[tuple[str, ...]]]:
        return tuple, (tuple(self),)

    def at(self, indices: Sequence[int]) -> StoredLines:
        """The lines at these positions (from 0), in this order, where they are."""
        some = np.asarray(indices, dtype=np.intp)
        return StoredLines(self._file, self._name, self._begins[some], self._sizes[some], self.lengths[some],
                           self._state)

    def _bytes(self, begin: int, size: int) -> bytes:
        data = os.pread(self._file.fileno(), size, begin)  # which any threads and processes may call at once
        if file_state(self._file) != self._state:
            raise InputError(f"{self._name} has changed since it was opened. Start again, or work on a copy that stays "
                             "as it is.")
        return data


def picked(values: Sequence[Any], at: Sequence[int]) -> Sequence[Any]:
    """Those at some positions (from 0), in this order; lines of a file stay there."""
    return values.at(at) if isinstance(values, StoredLines) else [values[k] for k in at]


def text_lengths(texts: Sequence[str | None]) -> np.ndarray:
    """The characters of each text, -1 for None.

    >>> text_lengths(("ab", None, "")).tolist()
    [2, -1, 0]
    """
    if isinstance(texts, StoredLines):
        return texts.lengths
    try:
        return np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))  # type: ignore[arg-type]
    except TypeError:  # None has no length; to ask each text first takes half as long again
        return np.fromiter((-1 if text is None else len(text) for text in texts), dtype=np.int64, count=len(texts))


def file_state(file: BinaryIO) -> tuple[int, int]:
    """What changes when somebody writes to a file: its size, and when that was."""
    found = os.fstat(file.fileno())
    return found.st_size, found.st_mtime_ns
