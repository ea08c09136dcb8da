"""The statistics of all systems by unit, and their sums under draws and swaps.

Sums are exact (integers below 2^24 in float32 or 2^16 in uint16, otherwise float64), so the results do not depend on
how the work is cut up or on the number of workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from mtsig_core._compiled import worth_compiling
from mtsig_core.inference.resampling import Units, unpacked
from mtsig_core.metrics import Metric, is_segment_mean

__all__ = ["UnitStatistics", "in_bits"]

_EXACT_IN_FLOAT32 = 1 << 24
_ROWS = 4096  # units per product: 4 MB of weights in float32
_UNITS = 16  # whose swaps are looked up together
_LARGEST_PACKED = (1 << 15) // _UNITS - 1


class UnitStatistics:
    """The statistics of all systems, summed by unit and laid out for products.

    Parameters
    ----------
    metric : Metric
    statistics : ndarray, shape (systems, segments, stats)
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

    def __init__(self, metric: Metric, statistics: np.ndarray, units: Units):
        if statistics.dtype.kind == "f":
            statistics = _rounded(statistics.astype(np.float64), units)
        elif statistics.dtype not in (np.int32, np.int64):
            statistics = statistics.astype(np.int64)  # differences of unsigned or short numbers would wrap round
        self.metric, self.is_whole = metric, statistics.dtype.kind != "f"
        self._columns, self._source, self._chained = _distinct_columns(units.sum(statistics))
        self._take_up(units)

    def _take_up(self, units: Units) -> None:
        """All that follows from the columns."""
        self.units, self._distinct = units, int(self._source.max(initial=-1)) + 1
        self.totals = self.of_all(self._columns[:, :self._distinct].sum(axis=0, dtype=np.float64))
        self.shape = self.totals.shape
        self.scores = self.score(self.totals)
        # Of means of segment scores: how many segments all systems have, where they have the same number in each unit;
        # else 0.
        self.counted = 0
        if is_segment_mean(self.metric):
            counts = self.of_all(self._columns[:units.n].T)[-1]
            self.counted = int(counts[0].sum()) if (counts == counts[0]).all() else 0
        # Draws and swaps add as many units as there are. Where such sums stay below 2^24 all can be float32;
        # Metric.score reckons in float64 all the same.
        self._peak = _largest(self._columns)
        if self._columns.dtype != np.uint16:  # else none is larger than what it is taken from
            self._peak = max(self._peak, *map(_largest, self._by_system()))
        single = self._columns.dtype != np.float64 and units.n * self._peak < _EXACT_IN_FLOAT32
        self._sum_dtype = np.dtype(np.float32 if single else np.float64)

    def drawn(self, chosen: np.ndarray, n: int) -> UnitStatistics:
        """Those of units drawn from these, whose statistics are whole numbers: of n runs of them, each a unit now.

        As if it were made of their statistics, in a fifth of the time: what repeats among these is known.

        Parameters
        ----------
        chosen : ndarray of int, shape (at least n,)
            A unit drawn twice is two. They are cut into runs as equal as can be.
        """
        from mtsig_core import _kernels  # late: it imports numba

        part = UnitStatistics.__new__(UnitStatistics)
        part.metric, part.is_whole, part._source, part._chained = self.metric, True, self._source, self._chained
        part._columns = _no_columns(n, self._columns.shape[1], -(-len(chosen) // n) * self._peak,
                                    packed=self._columns.dtype == np.uint16)
        _kernels.sum_runs(self._columns, chosen, part._columns[:n])
        part._take_up(Units.segments(n))
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

    def of_all(self, columns: np.ndarray, systems: slice | np.ndarray = slice(None)) -> np.ndarray:
        """Sums of all statistics, or those of some systems, from sums of the distinct columns:
        shape (columns, ...) -> (stats, systems, ...), such as replicates."""
        sums: np.ndarray = columns[self._source[:, systems]]
        for k, chained in enumerate(self._chained[:, systems]):
            if chained.any():
                sums[k, chained] = sums[k - 1, chained] - sums[k, chained]
        return sums

    def _weighted_columns(self, weights: np.ndarray) -> np.ndarray:
        sums = np.zeros((len(weights), self._distinct), self._sum_dtype)
        for at in range(0, weights.shape[1], _ROWS):
            part = weights[:, at:at + _ROWS]
            columns = self._columns[at:at + part.shape[1], :self._distinct]
            exact = self._sum_dtype == np.float32 or int(part.sum(axis=1).max()) * self._peak < _EXACT_IN_FLOAT32
            kind = np.float32 if exact and columns.dtype != np.float64 else np.float64
            sums += part.astype(kind) @ columns.astype(kind, copy=False)
        return np.ascontiguousarray(sums.T)

    @cached_property
    def _packed(self) -> list[tuple[int, np.ndarray]]:
        """The distinct columns, four numbers in a word, cut so that no sum of a part exceeds 16 bits; with each part
        goes its first unit."""
        highest = self._columns.max(axis=1).reshape(-1, _UNITS).sum(axis=1, dtype=np.int64).cumsum()
        cuts = [0, *np.flatnonzero(np.diff(highest // (1 << 15))) + 1, len(highest)]
        return [(int(first) * _UNITS, self._columns[first * _UNITS:last * _UNITS].view(np.uint64))
                for first, last in zip(cuts, cuts[1:], strict=False)]

    def without(self, groups: np.ndarray) -> Iterator[np.ndarray]:
        """For each system, the totals less those of each group of units: (groups, stats)."""
        firsts = np.flatnonzero(np.diff(groups, prepend=-1))
        for by_unit, totals in zip(self._by_system(), self.totals.T, strict=True):
            yield totals - np.ascontiguousarray(np.add.reduceat(by_unit, firsts, axis=1, dtype=np.float64).T)

    def _by_system(self) -> Iterator[np.ndarray]:
        """The statistics of each system: (stats, units)."""
        columns = self._columns[:self.units.n].T
        return (self.of_all(columns, np.array([system]))[:, 0] for system in range(self.shape[1]))


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


def _distinct_columns(by_unit: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The columns that really have to be multiplied: about half of them for BLEU.

    Statistics repeat: with one reference all systems share its lengths, and the number of bigrams is the number of
    words less one. A column that equals another, or its predecessor less another, is not stored again.

    Parameters
    ----------
    by_unit : ndarray, shape (systems, units, stats)

    Returns
    -------
    columns : ndarray, shape (units, distinct columns)
        uint16 for small counts, with rows and columns of 0 to multiples of 16 and 32; float32 where that holds the
        numbers exactly; else float64.
    source : ndarray of int, shape (stats, systems)
        The distinct column of each statistic and system ...
    chained : ndarray of bool, shape (stats, systems)
        ... that is taken from the statistic before it.
    """
    n_systems, n_units, n_stats = by_unit.shape
    whole = by_unit.dtype.kind in "iu"

    # Columns are told apart by a random sum modulo 2^64, and then compared.
    keys = np.einsum("sun,u->ns", by_unit if whole else by_unit.view(np.int64), _random_weights(n_units))
    steps = -np.diff(keys, axis=0, prepend=0)  # sums of differences are differences of sums
    _, inverse, counts = np.unique(steps, return_inverse=True, return_counts=True)
    shared = counts[inverse].reshape(keys.shape) > 1

    seen: dict[int, int] = {}
    first: list[tuple[int, int]] = []
    source = np.zeros(keys.shape, dtype=np.intp)
    chained = np.zeros(keys.shape, dtype=bool)

    def column(k: int, s: int, rows: slice = slice(None)) -> np.ndarray:
        values: np.ndarray = by_unit[s, rows, k]
        return by_unit[s, rows, k - 1] - values if chained[k, s] else values

    for k, s in np.ndindex(keys.shape):
        if whole and k > 0 and int(keys[k, s]) not in seen and shared[k, s]:
            chained[k, s] = (by_unit[s, :, k - 1] >= by_unit[s, :, k]).all()
        source[k, s] = seen.setdefault(int((steps if chained[k, s] else keys)[k, s]), len(first))
        if source[k, s] == len(first):
            first.append((k, s))
    same = [(k, s) for k, s in np.ndindex(keys.shape) if first[source[k, s]] != (k, s)]
    if not all(np.array_equal(column(*first[source[k, s]]), column(k, s)) for k, s in same):
        first = list(np.ndindex(keys.shape))  # two different ones had the same sum: store them all
        source, chained[:] = np.arange(keys.size).reshape(keys.shape), False

    columns = _no_columns(n_units, len(first), _largest(by_unit) if whole else np.inf, by_unit.min(initial=0) >= 0)
    for at in range(0, n_units, _ROWS):  # within the cache
        rows = slice(at, min(at + _ROWS, n_units))
        for number, (k, s) in enumerate(first):
            columns[rows, number] = column(k, s, rows)
    return columns, source, chained


def _no_columns(n_units: int, n_columns: int, largest: float, packed: bool) -> np.ndarray:
    """Zeros of the type that statistics up to the largest are kept as; `packed` where none is negative."""
    if packed and largest <= _LARGEST_PACKED:
        return np.zeros((-(-n_units // _UNITS) * _UNITS, -(-n_columns // 32) * 32), np.uint16)
    # differences may be twice as large
    return np.zeros((n_units, n_columns), np.float32 if 2 * largest < _EXACT_IN_FLOAT32 else np.float64)


def _random_weights(n: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-2**63, 2**63, n)


def _largest(numbers: np.ndarray) -> float:
    """The largest absolute value, without a copy."""
    return max(float(numbers.max(initial=0)), -float(numbers.min(initial=0)))
