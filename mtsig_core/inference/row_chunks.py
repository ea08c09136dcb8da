"""Walking over tall arrays a few rows at a time, so that temporaries stay in the cache and memory stays bounded."""

from collections.abc import Callable, Iterator

import numpy as np

__all__ = ["row_chunks", "by_rows"]


def row_chunks(n_rows: int, n_columns: int, target: int = 1 << 17) -> Iterator[slice]:
    """Slices of rows that hold about `target` numbers each."""
    step = max(1, target // max(1, n_columns))
    for at in range(0, n_rows, step):
        yield slice(at, min(at + step, n_rows))


def by_rows(function: Callable[..., np.ndarray], *arrays: np.ndarray) -> np.ndarray:
    """Apply a function of equally many rows to chunks of rows, and put the results together."""
    chunks = row_chunks(len(arrays[0]), arrays[-1].shape[1])
    parts = [function(*(array[rows] for array in arrays)) for rows in chunks]
    return np.concatenate(parts, axis=-1) if parts else np.empty(0)
