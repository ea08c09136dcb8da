"""Walking over tall arrays a few rows at a time, so that temporaries stay in the cache and memory stays bounded."""

from collections.abc import Callable, Iterator

import numpy as np

__all__ = ["Rows", "row_chunks", "by_rows", "in_turn"]

_MADE_AT_ONCE = 1 << 21  # numbers


class Rows:
    """Rows of numbers that are too many to be kept: they are made whenever they are asked for.

    Parameters
    ----------
    shape : tuple of int
        (rows, numbers in each)
    make : callable
        What is asked for, a slice or an array of the numbers of rows -> ndarray, a row for each.
    """

    def __init__(self, shape: tuple[int, int], make: Callable[[slice | np.ndarray], np.ndarray]):
        self.shape, self._make = shape, make

    def __getitem__(self, rows: slice | np.ndarray) -> np.ndarray:
        return self._make(rows)


def row_chunks(n_rows: int, n_columns: int, target: int = 1 << 17) -> Iterator[slice]:
    """Slices of rows that hold about `target` numbers each."""
    step = max(1, target // max(1, n_columns))
    for at in range(0, n_rows, step):
        yield slice(at, min(at + step, n_rows))


def by_rows(function: Callable[..., np.ndarray], *arrays: np.ndarray | Rows) -> np.ndarray:
    """Apply a function of equally many rows to chunks of rows, and put the results together."""
    n_rows, n_columns = arrays[-1].shape
    parts = []
    for many in row_chunks(n_rows, n_columns, _MADE_AT_ONCE):
        made = [array[many] for array in arrays]
        parts += [function(*(array[rows] for array in made)) for rows in row_chunks(len(made[-1]), n_columns)]
    return np.concatenate(parts, axis=-1) if parts else np.empty(0)


def of_known(function: Callable[[np.ndarray], np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Apply a function of equally long rows to what is known in each, without the NaN.

    Parameters
    ----------
    function : callable
        ndarray, shape (some, n) -> shape (some,).
    rows : ndarray, shape (k, numbers)

    Returns
    -------
    ndarray of float64, shape (k,)
        NaN where nothing is known.
    """
    known = ~np.isnan(rows)
    if known.all() and rows.size:
        return function(rows)
    n = known.sum(axis=1)
    found = np.full(len(rows), np.nan)
    for many in np.unique(n[n > 0]):
        alike = n == many
        found[alike] = function(rows[alike][known[alike]].reshape(-1, many))
    return found


def in_turn(rows: np.ndarray | Rows, order: np.ndarray) -> Iterator[np.ndarray]:
    """One row after the other, in this order."""
    for some in row_chunks(len(order), rows.shape[1], _MADE_AT_ONCE):
        yield from rows[order[some]] if isinstance(rows, Rows) else (rows[k] for k in order[some])
