"""The statistics of all systems by unit, and their sums under draws and swaps.

Sums are exact (integers below 2^24 in float32 or 2^16 in uint16, otherwise float64), so the results do not depend on
how the work is cut up or on the number of workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from mtsig_core._compiled import worth_compiling
from mtsig_core.inference.columns import EXACT_IN_FLOAT32, UNITS_AT_ONCE, Columns, largest
from mtsig_core.inference.resampling import Units, unpacked
from mtsig_core.metrics import Metric, is_segment_mean

__all__ = ["UnitStatistics", "in_bits"]

_ROWS = 4096  # units per product: 4 MB of weights in float32


class UnitStatistics:
    """The statistics of all systems, summed by unit and laid out for products.

    Parameters
    ----------
    metric : Metric
    statistics : ndarray, shape (systems, segments, stats), or Columns
    units : Units

    Attributes
    ----------
    totals : ndarray of float64, shape (stats, systems)
    scores : ndarray of float64, shape (systems,)
        Corpus scores in points.
    shape : tuple of int
        (stats, systems)
    is_whole : bool
        Whether the statistics are whole numbers, so that `drawn` can be asked for.
    """

    def __init__(self, metric: Metric, statistics: np.ndarray | Columns, units: Units):
        if isinstance(statistics, Columns):
            columns = statistics.by(units)
        else:
            if statistics.dtype.kind == "f":
                statistics = _rounded(statistics.astype(np.float64), units)
            elif statistics.dtype not in (np.int32, np.int64):
                statistics = statistics.astype(np.int64)  # differences of unsigned or short numbers would wrap round
            columns = Columns.of(units.sum(statistics))
        self._take_up(metric, columns, units)

    def _take_up(self, metric: Metric, columns: Columns, units: Units) -> None:
        """All that follows from the columns."""
        self.metric, self.columns, self.units = metric, columns, units
        self.is_whole = columns.dtype.kind != "f"
        self.of_all = columns.of_all
        self._columns, self._distinct = columns.values, columns.n_distinct
        self.totals = columns.totals()
        self.shape = self.totals.shape
        self.scores = self.score(self.totals)
        # Of means of segment scores: how many segments all systems have, where they have the same number in each unit;
        # else 0.
        self.counted = 0
        if is_segment_mean(self.metric) and self.shape[0] == 2:
            counts = self.of_all(self._columns[:units.n].T)[-1]
            self.counted = int(counts[0].sum()) if (counts == counts[0]).all() else 0
        # Draws and swaps add as many units as there are. Where such sums stay below 2^24 all can be float32;
        # Metric.score reckons in float64 all the same.
        self._peak = largest(self._columns)
        if self._columns.dtype != np.uint16:  # else none is larger than what it is taken from
            self._peak = max(self._peak, *map(largest, columns.by_system()))
        single = self._columns.dtype != np.float64 and units.n * self._peak < EXACT_IN_FLOAT32
        self._sum_dtype = np.dtype(np.float32 if single else np.float64)

    def drawn(self, chosen: np.ndarray, n: int) -> UnitStatistics:
        """Those of units drawn from these, whose statistics are whole numbers: of n runs of them, each a unit now.

        As if it were made of their statistics, in a fifth of the time: what repeats among these is known.

        Parameters
        ----------
        chosen : ndarray of int, shape (at least n,)
            A unit drawn twice is two. They are cut into runs as equal as can be.
        """
        part = UnitStatistics.__new__(UnitStatistics)
        part._take_up(self.metric, self.columns.runs(chosen, n, self._peak), Units.segments(n))
        return part

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Score sums with the statistics on the first axis, shape (stats, ...) -> (...)."""
        return self.metric.score(sums.transpose(*range(1, sums.ndim), 0))

    def weighted_sums(self, weights: np.ndarray) -> np.ndarray:
        """Sums of the statistics under each row of weights.

        weights (replicates, units), non-negative integers with rows that sum to at most the number of units ->
        (stats, systems, replicates), exact: float32 where that can hold them, else float64.
        """
        return self.of_all(self._weighted_columns(weights))

    def swapped_columns(self, bits: np.ndarray) -> np.ndarray:
        """Sums of the distinct columns over the units that `swap_bits` says are swapped: (columns, replicates)."""
        if self._columns.dtype != np.uint16 or not worth_compiling(len(bits) * self._columns.size // 50):
            return self._weighted_columns(unpacked(bits, self.units.n))
        from mtsig_core import _kernels  # late: it imports numba

        sums = np.zeros((len(bits), self._columns.shape[1]), self._sum_dtype)
        for first, columns in self._packed:
            sums += _kernels.sum_swapped(bits.view(np.uint8), first, columns).view(np.uint16)
        return np.ascontiguousarray(sums.T[:self._distinct])

    def _weighted_columns(self, weights: np.ndarray) -> np.ndarray:
        def product(at: int) -> np.ndarray:
            part = weights[:, at:at + _ROWS]
            columns = self._columns[at:at + part.shape[1], :self._distinct]
            exact = self._sum_dtype == np.float32 or int(part.sum(axis=1).max()) * self._peak < EXACT_IN_FLOAT32
            kind = np.float32 if exact and columns.dtype != np.float64 else np.float64
            made: np.ndarray = part.astype(kind) @ columns.astype(kind, copy=False)
            return made.astype(self._sum_dtype, copy=False)

        sums = product(0)
        for at in range(_ROWS, weights.shape[1], _ROWS):
            sums += product(at)
        return np.ascontiguousarray(sums.T)

    @cached_property
    def _packed(self) -> list[tuple[int, np.ndarray]]:
        """The distinct columns, four numbers in a word, cut so that no sum of a part exceeds 16 bits; with each part
        goes its first unit."""
        highest = self._columns.max(axis=1).reshape(-1, UNITS_AT_ONCE).sum(axis=1, dtype=np.int64).cumsum()
        cuts = [0, *np.flatnonzero(np.diff(highest // (1 << 15))) + 1, len(highest)]
        return [(int(first) * UNITS_AT_ONCE, self._columns[first * UNITS_AT_ONCE:last * UNITS_AT_ONCE].view(np.uint64))
                for first, last in zip(cuts, cuts[1:], strict=False)]

    def without(self, groups: np.ndarray) -> Iterator[np.ndarray]:
        """For each system, the totals less those of each group of units: (groups, stats)."""
        firsts = np.flatnonzero(np.diff(groups, prepend=-1))
        for by_unit, totals in zip(self.columns.by_system(), self.totals.T, strict=True):
            yield totals - np.ascontiguousarray(np.add.reduceat(by_unit, firsts, axis=1, dtype=np.float64).T)


def _rounded(statistics: np.ndarray, units: Units) -> np.ndarray:
    """Real numbers as multiples of a power of two: so fine that nothing is lost that could be seen, so coarse that sums
    of draws and swaps are exact too. Each statistic has its own, whatever its scale."""
    return in_bits(statistics, 4 * units.n * units.sum(np.abs(statistics)).max(axis=(0, 1), initial=0.0), 53)


def in_bits(values: np.ndarray, reach: np.ndarray | float, bits: int) -> np.ndarray:
    """Values rounded to multiples of a power of two: whatever is below the reach has at most so many bits then.

    Examples
    --------
    >>> in_bits(np.array([0.1 + 0.2, 0.3]), 0.3, 42).tolist() == [in_bits(np.array(0.3), 0.3, 42)] * 2
    True
    """
    grain = np.ldexp(1.0, np.frexp(reach)[1] - bits)
    rounded: np.ndarray = np.round(values / grain) * grain
    return rounded
