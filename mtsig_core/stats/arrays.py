"""Walk over tall arrays in chunks, and decide which numbers are equal despite rounding."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

# -------------------------------------------------------------------------------------------------
# Walking over tall arrays a few rows at a time, so that temporaries stay in the cache and memory stays bounded.


_MADE_AT_ONCE = 1 << 21  # numbers


class Rows:
    """Rows of numbers that are too many to be kept: they are made whenever they are read."""

    def __init__(self, shape: tuple[int, int], make: Callable[[slice | np.ndarray], np.ndarray]):
        self.shape, self._make = shape, make

    def __getitem__(self, rows: slice | np.ndarray) -> np.ndarray:
        return self._make(rows)


def row_chunks(n_rows: int, n_columns: int, target: int = 1 << 17) -> Iterator[slice]:
    """Slices of rows that hold about `target` numbers each."""
    step = max(1, target // max(1, n_columns))
    for first in range(0, n_rows, step):
        yield slice(first, min(first + step, n_rows))


def apply_by_rows(function: Callable[..., np.ndarray], *arrays: np.ndarray | Rows) -> np.ndarray:
    """Apply a function to chunks of as many rows of each array, and join the results.

    Many rows of `Rows` are made at once, and few of them looked at, so that they stay in the cache.
    """
    n_rows, n_columns = arrays[-1].shape
    results = []
    for chunk in row_chunks(n_rows, n_columns, _MADE_AT_ONCE):
        made = [array[chunk] for array in arrays]
        for rows in row_chunks(len(made[-1]), n_columns):
            few_rows = [array[rows] for array in made]
            results.append(function(*few_rows))
    if results:
        return np.concatenate(results, axis=-1)
    return np.empty(0)


def apply_to_known(function: Callable[[np.ndarray], np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Apply a function, shape (k, n) -> (k,), to the numbers of each row that are not NaN.

    Shape (rows,), NaN where a row has none. Rows with as many numbers are computed together.
    """
    is_known = ~np.isnan(rows)
    if is_known.all() and rows.size:
        return function(rows)
    n_known = is_known.sum(axis=1)
    results = np.full(len(rows), np.nan)
    for n in np.unique(n_known[n_known > 0]):
        has_n = n_known == n
        known_values = rows[has_n][is_known[has_n]].reshape(-1, n)
        results[has_n] = function(known_values)
    return results


def pair_differences(values: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The first less the second of each pair, shape (systems, ...) -> (pairs, ...).

    `pairs` has shape (pairs, 2).
    """
    return np.asarray(values[pairs[:, 0]] - values[pairs[:, 1]])


def make_read_only(values: np.ndarray) -> np.ndarray:
    """A view that cannot be changed."""
    values = values.view()
    values.flags.writeable = False
    return values


def iterate_rows(rows: np.ndarray | Rows, order: np.ndarray) -> Iterator[np.ndarray]:
    """One row after the other, in this order."""
    if not isinstance(rows, Rows):
        for k in order:
            yield rows[k]
        return
    for chunk in row_chunks(len(order), rows.shape[1], _MADE_AT_ONCE):
        yield from rows[order[chunk]]


# -------------------------------------------------------------------------------------------------
# Which numbers are equal, and which at least as extreme: rounding must not break ties.


#: Two numbers are equal if their difference is a smaller share of them.
TOLERANCE = 1e-9


def rounding_error(values: np.ndarray) -> np.ndarray:
    """A difference too small to tell numbers of this size apart.

    `TOLERANCE` of the largest along the last axis, without the NaN.
    """
    largest: np.ndarray = np.fmax.reduce(np.abs(values), axis=-1, initial=0.0)
    return TOLERANCE * largest


def contains_zero(low: float, high: float) -> bool:
    """Whether an interval contains 0, as it does where a bound is 0 except for rounding.

    >>> contains_zero(2 * 0.04 - 0.08, 0.07), contains_zero(1e-17, 0.07), contains_zero(0.001, 0.07)
    (True, True, False)
    """
    tie = TOLERANCE * max(abs(low), abs(high))
    return low <= tie and high >= -tie


def count_extreme(observed: np.ndarray, replicates: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Count the replicates that are as far from their middle as the observed value is from 0.

    Returns ndarray of int, shape (k,).

    >>> count_extreme(np.array([-2.0]), np.array([[3.0, 1.0, -3.0, 2.0]]), np.array([0.0])).tolist()
    [3]
    """
    distance = np.abs(observed)
    above = np.fmax.reduce(replicates, axis=1, initial=-np.inf) - middle
    below = middle - np.fmin.reduce(replicates, axis=1, initial=np.inf)
    farthest = np.fmax(np.fmax(above, below), 0.0)
    least = distance - TOLERANCE * np.maximum(farthest, distance)
    counts: np.ndarray = (np.abs(replicates - middle[:, None]) >= least[:, None]).sum(axis=1)
    return counts
