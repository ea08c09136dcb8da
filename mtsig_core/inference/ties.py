"""What counts as equal, and what as at least as extreme: rounding must not break ties."""

from __future__ import annotations

import numpy as np

from mtsig_core._compiled import worth_compiling

__all__ = ["TOLERANCE", "count_extreme", "holds_zero", "rounding"]

#: Numbers whose difference is smaller than this share of them are equal.
TOLERANCE = 1e-9


def rounding(values: np.ndarray) -> np.ndarray:
    """What is too small to tell numbers of this size apart: `TOLERANCE` of the largest along the last axis."""
    largest: np.ndarray = np.fmax.reduce(np.abs(values), axis=-1, initial=0.0)  # whatever is not known
    return TOLERANCE * largest


def holds_zero(low: float, high: float) -> bool:
    """Whether an interval contains 0; an end that is 0 but for rounding is.

    >>> holds_zero(2 * 0.04 - 0.08, 0.07), holds_zero(1e-17, 0.07), holds_zero(0.001, 0.07)
    (True, True, False)
    """
    tie = TOLERANCE * max(abs(low), abs(high))
    return low <= tie and high >= -tie


def count_extreme(observed: np.ndarray, replicates: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """How many replicates are as far from their middle as the observed value from 0.

    Parameters
    ----------
    observed, middle : ndarray, shape (k,)
    replicates : ndarray, shape (k, R)

    Returns
    -------
    ndarray of int, shape (k,)

    Examples
    --------
    >>> count_extreme(np.array([-2.0]), np.array([[3.0, 1.0, -3.0, 2.0]]), np.array([0.0])).tolist()
    [3]
    """
    reached = np.abs(observed)
    high = np.fmax.reduce(replicates, axis=1, initial=-np.inf) - middle
    low = middle - np.fmin.reduce(replicates, axis=1, initial=np.inf)
    least = reached - TOLERANCE * np.maximum(np.fmax(np.fmax(high, low), 0.0), reached)
    if not worth_compiling(replicates.size):
        counts: np.ndarray = (np.abs(replicates - middle[:, None]) >= least[:, None]).sum(axis=1)
        return counts
    from mtsig_core import _kernels  # late: it imports numba

    counts = np.empty(len(replicates), np.int64)
    _kernels.count_far(replicates, middle, least, counts)
    return counts
