"""Arrays too tall to hold at once, walked over in chunks, and what counts as equal despite
rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

# -------------------------------------------------------------------------------------------------
# Walking over tall arrays a few rows at a time, so that temporaries stay in the cache and memory stays bounded.


_MADE_AT_ONCE = 1 << 21  # numbers


class Rows:
    """Rows of numbers that are too many to be kept: they are made whenever they are asked for."""

    def __init__(self, shape: tuple[int, int], make: Callable[[slice | np.ndarray], np.ndarray]):
        self.shape, self._make = shape, make

    def __getitem__(self, rows: slice | np.ndarray) -> np.ndarray:
        return self._make(rows)


def row_chunks(n_rows: int, n_columns: int, target: int = 1 << 17) -> Iterator[slice]:
    """Slices of rows that hold about `target` numbers each."""
    step = max(1, target // max(1, n_columns))
    for at in range(0, n_rows, step):
        yield slice(at, min(at + step, n_rows))


def apply_by_rows(function: Callable[..., np.ndarray], *arrays: np.ndarray | Rows) -> np.ndarray:
    """Apply a function of equally many rows to chunks of rows, and put the results together."""
    n_rows, n_columns = arrays[-1].shape
    parts = []
    for many in row_chunks(n_rows, n_columns, _MADE_AT_ONCE):
        made = [array[many] for array in arrays]
        parts += [
            function(*(array[rows] for array in made))
            for rows in row_chunks(len(made[-1]), n_columns)
        ]
    return np.concatenate(parts, axis=-1) if parts else np.empty(0)


def apply_to_known(function: Callable[[np.ndarray], np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Apply a function, shape (some, n) -> (some,), to what is known in each of equally long rows,
    without the NaN; shape (rows,), NaN where nothing is known.
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


def pair_differences(values: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The first less the second of each pair: (systems, ...) and pairs of shape (pairs, 2) ->
    (pairs, ...).
    """
    return np.asarray(values[pairs[:, 0]] - values[pairs[:, 1]])


def make_read_only(values: np.ndarray) -> np.ndarray:
    """A view that cannot be changed."""
    values = values.view()
    values.flags.writeable = False
    return values


def iterate_rows(rows: np.ndarray | Rows, order: np.ndarray) -> Iterator[np.ndarray]:
    """One row after the other, in this order."""
    for some in row_chunks(len(order), rows.shape[1], _MADE_AT_ONCE):
        yield from rows[order[some]] if isinstance(rows, Rows) else (rows[k] for k in order[some])


# -------------------------------------------------------------------------------------------------
# What counts as equal, and what as at least as extreme: rounding must not break ties.


#: Numbers whose difference is smaller than this share of them are equal.
TOLERANCE = 1e-9


def rounding_error(values: np.ndarray) -> np.ndarray:
    """What is too small to tell numbers of this size apart: `TOLERANCE` of the largest along the
    last axis.
    """
    largest: np.ndarray = np.fmax.reduce(
        np.abs(values), axis=-1, initial=0.0
    )  # whatever is not known
    return TOLERANCE * largest


def contains_zero(low: float, high: float) -> bool:
    """Whether an interval contains 0; an end that is 0 but for rounding is.

    >>> contains_zero(2 * 0.04 - 0.08, 0.07), contains_zero(1e-17, 0.07), contains_zero(0.001, 0.07)
    (True, True, False)
    """
    tie = TOLERANCE * max(abs(low), abs(high))
    return low <= tie and high >= -tie


def count_extreme(observed: np.ndarray, replicates: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """How many replicates are as far from their middle as the observed value from 0.

    Returns ndarray of int, shape (k,).

    >>> count_extreme(np.array([-2.0]), np.array([[3.0, 1.0, -3.0, 2.0]]), np.array([0.0])).tolist()
    [3]
    """
    reached = np.abs(observed)
    high = np.fmax.reduce(replicates, axis=1, initial=-np.inf) - middle
    low = middle - np.fmin.reduce(replicates, axis=1, initial=np.inf)
    least = reached - TOLERANCE * np.maximum(np.fmax(np.fmax(high, low), 0.0), reached)
    counts: np.ndarray = (np.abs(replicates - middle[:, None]) >= least[:, None]).sum(axis=1)
    return counts
