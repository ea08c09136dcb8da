"""Statistics of all systems, of which no column is stored twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from mtsig_core.inference.resampling import Units, sum_groups

__all__ = ["Columns", "EXACT_IN_FLOAT32", "UNITS_AT_ONCE", "largest"]

EXACT_IN_FLOAT32 = 1 << 24
UNITS_AT_ONCE = 16  # whose swaps are looked up together
_ROWS = 4096  # within the cache
_LARGEST_PACKED = (1 << 15) // UNITS_AT_ONCE - 1


@dataclass(frozen=True, eq=False)
class Columns:
    """Statistics by unit, laid out for products: about half of them for BLEU.

    Statistics repeat: with one reference all systems share its lengths, and the number of bigrams is the number of
    words less one. A column that equals another, or its predecessor less another, is not stored again.

    Attributes
    ----------
    values : ndarray, shape (units, columns)
        uint16 for small counts, with rows and columns of 0 to multiples of 16 and 32; float32 where that holds the
        numbers exactly; else float64.
    n : int
        Units.
    source : ndarray of int, shape (stats, systems)
        The column of each statistic and system ...
    chained : ndarray of bool, shape (stats, systems)
        ... that is taken from the statistic before it.
    dtype : dtype
        Of the statistics.
    """

    values: np.ndarray
    n: int
    source: np.ndarray
    chained: np.ndarray
    dtype: np.dtype

    @classmethod
    def of(cls, statistics: np.ndarray) -> Columns:
        """Those of statistics of any type but unsigned ones, shape (systems, units, stats).

        Examples
        --------
        >>> counts = np.arange(24).reshape(2, 3, 4) // 5
        >>> bool((Columns.of(counts).statistics() == counts).all())
        True
        """
        n_systems, n_units, n_stats = statistics.shape
        whole = statistics.dtype.kind in "iu"

        # Columns are told apart by a random sum modulo 2^64, and compared as they are stored.
        keys, weights = np.zeros(n_stats * n_systems, np.int64), _random_weights(n_units)
        falling = np.full((n_stats - 1) * n_systems, whole)  # none of a statistic exceeds the one before it
        parts = [*_by_statistic(statistics)] if n_units <= _ROWS else None  # a single one is made once
        for rows, part in parts or _by_statistic(statistics):
            keys += np.einsum("cu,u->c", part if whole else part.view(np.int64), weights[rows])
            falling &= (part[:-n_systems] >= part[n_systems:]).all(axis=1)
        steps = keys[:-n_systems] - keys[n_systems:]  # sums of differences are differences of sums
        chained = np.zeros(len(keys), dtype=bool)
        chained[n_systems:] = falling & _repeated(steps)
        keys[n_systems:][chained[n_systems:]] = steps[chained[n_systems:]]
        stored = _stored(statistics, parts or _by_statistic(statistics), keys, chained)
        if stored is None:  # two different ones had the same sum: store them all
            chained[:] = False
            stored = _stored(statistics, _by_statistic(statistics), np.arange(len(keys)), chained)
            assert stored is not None
        values, source = stored
        shape = n_stats, n_systems
        return cls(values, n_units, source.reshape(shape), chained.reshape(shape), statistics.dtype)

    @property
    def shape(self) -> tuple[int, int, int]:
        """(systems, units, stats), as the statistics had it."""
        return self.source.shape[1], self.n, self.source.shape[0]

    @property
    def n_distinct(self) -> int:
        """Columns that are not there to fill up."""
        return int(self.source.max(initial=-1)) + 1

    def of_all(self, columns: np.ndarray, systems: slice | np.ndarray = slice(None)) -> np.ndarray:
        """Sums of all statistics, or those of some systems, from sums of the columns:
        shape (columns, ...) -> (stats, systems, ...), such as replicates."""
        sums: np.ndarray = columns[self.source[:, systems]]
        for k, chained in enumerate(self.chained[:, systems]):
            if chained.any():
                sums[k, chained] = sums[k - 1, chained] - sums[k, chained]
        return sums

    def totals(self) -> np.ndarray:
        """Sums over all units, float64, shape (stats, systems)."""
        return self.of_all(self.values[:, :self.n_distinct].sum(axis=0, dtype=np.float64))

    def by_system(self) -> Iterator[np.ndarray]:
        """The statistics of each system: (stats, units)."""
        columns = self.values[:self.n].T
        return (self.of_all(columns, np.array([system]))[:, 0] for system in range(self.shape[0]))

    def statistics(self) -> np.ndarray:
        """All of them as they were, shape (systems, units, stats)."""
        whole = np.empty(self.shape, self.dtype)
        for system, own in enumerate(self.by_system()):
            whole[system] = own.T
        return whole

    def only(self, systems: np.ndarray) -> Columns:
        """Those of these systems, in this order."""
        source, chained = self.source[:, systems], self.chained[:, systems]
        used, places = np.unique(source, return_inverse=True)
        if len(used) == self.n_distinct:
            return replace(self, source=source, chained=chained)
        values = _room(self.n, len(used), largest(self.values), self.values.dtype == np.uint16)
        values[:self.n, :len(used)] = self.values[:self.n, used]
        return replace(self, values=values, source=places.reshape(source.shape), chained=chained)

    def by(self, units: Units) -> Columns:
        """Those of segments, summed by unit."""
        if units.kind != "document":
            return self
        sums = sum_groups(self.values[None, :self.n, :self.n_distinct], units.index)[0]
        found = self._room_for(units.n, largest(sums))
        found.values[:units.n, :self.n_distinct] = sums
        return found

    def runs(self, chosen: np.ndarray, n: int, peak: float) -> Columns:
        """Those of n runs of chosen units, as equal as can be, of which none exceeds the peak."""
        from mtsig_core import _kernels  # late: it imports numba

        found = self._room_for(n, -(-len(chosen) // n) * peak)
        _kernels.sum_runs(self.values, chosen, found.values[:n])
        return found

    def _room_for(self, n: int, most: float) -> Columns:
        """The same columns, still 0, for sums by n units, of which none exceeds the most."""
        values = _room(n, self.values.shape[1], most, self.values.dtype == np.uint16)
        return replace(self, values=values, n=n, dtype=np.dtype(np.int64))  # sums may need it


def _room(n_units: int, n_columns: int, most: float, packed: bool) -> np.ndarray:
    """Zeros of the type that statistics up to the largest are kept as; `packed` where none is negative."""
    if packed and most <= _LARGEST_PACKED:
        return np.zeros((-(-n_units // UNITS_AT_ONCE) * UNITS_AT_ONCE, -(-n_columns // 32) * 32), np.uint16)
    # differences may be twice as large
    return np.zeros((n_units, n_columns), np.float32 if 2 * most < EXACT_IN_FLOAT32 else np.float64)


def _by_statistic(statistics: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Some units at a time, and a copy of what each statistic of each system is there: (stats * systems, units)."""
    for at in range(0, statistics.shape[1], _ROWS):
        part = np.array(statistics[:, at:at + _ROWS].transpose(2, 0, 1), order="C")
        yield slice(at, at + part.shape[2]), part.reshape(-1, part.shape[2])


def _stored(statistics: np.ndarray, parts: Iterable[tuple[slice, np.ndarray]], keys: np.ndarray, chained: np.ndarray
            ) -> tuple[np.ndarray, np.ndarray] | None:
    """A column for each different key, and the number of the column that each key has; None where two differ whose keys
    do not. Keys, and what is chained, by statistic and system. The parts of the statistics are overwritten."""
    _, first, source = np.unique(keys, return_index=True, return_inverse=True)
    most = largest(statistics) if statistics.dtype.kind in "iu" else np.inf
    values = _room(statistics.shape[1], len(first), most, statistics.min(initial=0) >= 0)
    later, again = np.flatnonzero(chained), np.flatnonzero(first[source] != np.arange(len(keys)))
    for rows, part in parts:
        part[later] = part[later - len(statistics)] - part[later]
        distinct = part[first]
        if not np.array_equal(distinct[source[again]], part[again]):
            return None
        values[rows, :len(first)] = distinct.T
    return values, source


def _repeated(keys: np.ndarray) -> np.ndarray:
    """Which keys are there more than once."""
    _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
    repeated: np.ndarray = counts[places] > 1
    return repeated


@lru_cache(4)
def _random_weights(n: int) -> np.ndarray:
    weights = np.random.default_rng(0).integers(-2**63, 2**63, n)
    weights.setflags(write=False)
    return weights


def largest(numbers: np.ndarray) -> float:
    """The largest absolute value, without a copy."""
    return max(float(numbers.max(initial=0)), -float(numbers.min(initial=0)))
