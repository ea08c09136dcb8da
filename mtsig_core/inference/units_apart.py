"""In how many units two systems differ: the others tell nothing of which is better, however many there are."""

from __future__ import annotations

import numpy as np

from mtsig_core.inference.row_chunks import row_chunks
from mtsig_core.inference.ties import TOLERANCE
from mtsig_core.inference.unit_statistics import UnitStatistics

__all__ = ["ENOUGH", "units_apart"]

#: So many that no p is bounded by their number: 2/2^20 is a two-millionth.
ENOUGH = 20
_ROWS, _AT_ONCE = 256, 1 << 22


def units_apart(data: UnitStatistics, pairs: np.ndarray, n_units: np.ndarray, swapped: bool = False) -> np.ndarray:
    """The units that tell the systems of each pair apart; of stationary blocks the segments, which are no fewer.

    Counting stops at `ENOUGH`, then all units of the pair are taken to. So are they where none does, as two that say
    the same have no difference that few could make look sure, and of blocks that are `swapped`: how small their p can
    be is reckoned from whole blocks.

    Parameters
    ----------
    data : UnitStatistics
    pairs : ndarray of int, shape (pairs, 2)
    n_units : ndarray of int, shape (pairs,)
        Units that both have.

    Returns
    -------
    ndarray of int, shape (pairs,)
    """
    if data.units.block_length is not None and swapped:
        return n_units
    counts, still = np.zeros(len(pairs), dtype=int), np.arange(len(pairs))
    for at in range(0, data.units.n, _ROWS):
        statistics = data.of_all(data.columns.values[at:at + _ROWS].T)
        for rows in row_chunks(len(still), statistics.shape[0] * statistics.shape[2], _AT_ONCE):
            first, second = pairs[still[rows]].T
            differ = _differ(statistics[:, first], statistics[:, second]).any(axis=0)
            counts[still[rows]] += np.count_nonzero(differ, axis=1)
        still = still[counts[still] < ENOUGH]
        if not len(still):
            break
    few = (counts > 0) & (counts < ENOUGH)
    return np.where(few, np.minimum(counts, n_units), n_units)


def _differ(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Where numbers are not the same, rounding apart."""
    tie = 0 if first.dtype.kind in "iu" else TOLERANCE * np.maximum(np.abs(first), np.abs(second))
    apart: np.ndarray = first != second if not np.any(tie) else np.abs(first - second) > tie
    return apart
