"""Texts cut and laid out for compiled code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mtsig_core.testset import TestSet, text_lengths

#: What a formula runs on: an array as it stands, and one number of it where it is compiled.
Numbers = Any

# Texts are counted in blocks of this many characters, so that memory does not grow with the test set.
_BLOCK = 2**17


def blocks(texts: Sequence[Sequence[str | None]]) -> Iterator[tuple[int, int]]:
    """Cut the segments into runs [first, last) of about `_BLOCK` characters, all texts taken together."""
    sizes = sum((np.maximum(text_lengths(row), 0) for row in texts), start=np.zeros(len(texts[0]), dtype=np.int64))
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // _BLOCK)) + 1
    yield from zip([0, *cuts.tolist()], [*cuts.tolist(), len(sizes)], strict=True)


def joined(block: Sequence[Sequence[str | None]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Code points of all texts in one array, where each text begins, and its length (-1 for None)."""
    flat = [text for row in block for text in row]
    lengths = text_lengths(flat)
    sizes = np.maximum(lengths, 0)
    shape = len(block), len(block[0])
    codes = np.array(["".join(filter(None, flat))]).view(np.uint32)  # numpy keeps each character in four bytes
    codes.setflags(write=False)
    return codes, (np.cumsum(sizes) - sizes).reshape(shape), lengths.reshape(shape)


def as_columns(sums: np.ndarray, n_stats: int) -> np.ndarray:
    """Sums of statistics, shape (..., stats), as a row for each statistic; float32 stays, all else becomes float64."""
    columns = sums.transpose(-1, *range(sums.ndim - 1)).reshape(n_stats, -1)
    return columns if columns.dtype == np.float32 else columns.astype(np.float64, copy=False)


def reference_count(testset: TestSet) -> int | str:
    """How many references a segment has, as a signature says it."""
    return testset.n_references or "var"
