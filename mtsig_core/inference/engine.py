"""Statistics x draws -> replicate scores, for all systems and pairs at once.

One matrix product serves all systems of a block of replicates. Sums are exact (integers below 2^24 in float32,
otherwise float64), so the results do not depend on how the work is cut up or on the number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cached_property

import numpy as np

from mtsig_core.inference.parallel import in_order
from mtsig_core.inference.resampling import BLOCK, Units, bootstrap_weights, swap_bits, unpacked
from mtsig_core.metrics import Metric, is_segment_mean

__all__ = ["Progress", "Stages", "UnitStatistics", "bootstrap_scores", "swap_differences", "jackknife_scores",
           "all_pairs", "in_bits"]

#: Called with the share of the work that is done, between blocks; may raise `Cancelled` to stop it.
Progress = Callable[[float], None]
#: What gives a stage of the work, by its name, something to report to; None where nobody wants to know.
Stages = Callable[[str], Progress | None]

_EXACT_IN_FLOAT32 = 1 << 24
_ROWS = 4096  # units per product: 4 MB of weights in float32
_UNITS = 16  # whose swaps are looked up together


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
    """

    def __init__(self, metric: Metric, statistics: np.ndarray, units: Units):
        if statistics.dtype.kind == "f":
            statistics = _rounded(statistics.astype(np.float64), units)
        elif statistics.dtype not in (np.int32, np.int64):
            statistics = statistics.astype(np.int64)  # differences of unsigned or short numbers would wrap round
        self.metric, self.units = metric, units
        self._by_unit = units.sum(statistics)
        self.totals = self._by_unit.sum(axis=1, dtype=np.float64).T
        self.shape = self.totals.shape
        self.scores = self.score(self.totals)
        self._columns, self._source, self._chained = _distinct_columns(self._by_unit)
        self._peak = _largest(self._columns)
        # Of means of segment scores: how many segments all systems have, where they have the same number in each unit;
        # else 0.
        counts = self._by_unit[..., -1]
        self.counted = int(counts[0].sum()) if is_segment_mean(metric) and (counts == counts[0]).all() else 0
        # Draws and swaps add as many units as there are. Where such sums stay below 2^24 all can be float32;
        # Metric.score reckons in float64 all the same.
        small = units.n * max(self._peak, _largest(self._by_unit)) < _EXACT_IN_FLOAT32
        self._sum_dtype = self._columns.dtype if small else np.dtype(np.float64)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Score sums with the statistics on the first axis, shape (stats, ...) -> (...)."""
        return self.metric.score(sums.transpose(*range(1, sums.ndim), 0))

    def weighted_sums(self, weights: np.ndarray) -> np.ndarray:
        """Sums of the statistics under each row of weights.

        weights (replicates, units), non-negative integers with rows that sum to at most the number of units ->
        (stats, systems, replicates), exact: float32 where that can hold them, else float64.
        """
        products = np.zeros((len(self._columns), len(weights)), self._sum_dtype)
        for at in range(0, weights.shape[1], _ROWS):
            part, columns = weights[:, at:at + _ROWS], self._columns[:, at:at + _ROWS]
            if self._sum_dtype != columns.dtype and int(part.sum(axis=1).max()) * self._peak >= _EXACT_IN_FLOAT32:
                columns = columns.astype(np.float64)
            products += columns @ part.astype(columns.dtype).T
        return self._all(products)

    def swapped_sums(self, bits: np.ndarray) -> np.ndarray:
        """The same as `weighted_sums` where each unit counts once or not at all, as `swap_bits` says."""
        if self._packed is None:
            return self.weighted_sums(unpacked(bits, self.units.n))
        from mtsig_core import _kernels  # late: it imports numba

        sums = np.zeros((len(bits), 4 * self._packed[0][1].shape[1]), self._sum_dtype)
        for first, columns in self._packed:
            sums += _kernels.sum_swapped(bits.view(np.uint8), first, columns).view(np.uint16)
        return self._all(np.ascontiguousarray(sums.T))

    @cached_property
    def _packed(self) -> list[tuple[int, np.ndarray]] | None:
        """The distinct columns, four numbers in a word, cut so that no sum of a part exceeds 16 bits; with each
        part goes its first unit. None where numbers are too large for it, or no counts."""
        columns = self._columns
        if columns.dtype != np.float32 or columns.min(initial=0) < 0:
            return None
        highest = np.add.reduceat(columns.max(axis=0), range(0, columns.shape[1], _UNITS), dtype=np.float64)
        most = np.iinfo(np.uint16).max - highest.max()
        if most < highest.max():
            return None
        packed = np.zeros((len(highest) * _UNITS, -(-len(columns) // 32) * 32), np.uint16)
        packed[:columns.shape[1], :len(columns)] = columns.T
        cuts = [0, *np.flatnonzero(np.diff(highest.cumsum() // most)) + 1, len(highest)]
        return [(int(first) * _UNITS, packed.view(np.uint64)[first * _UNITS:last * _UNITS])
                for first, last in zip(cuts, cuts[1:], strict=False)]

    def _all(self, products: np.ndarray) -> np.ndarray:
        """Sums of all statistics, shape (stats, systems, replicates), from those of the distinct columns."""
        sums: np.ndarray = products[self._source]
        for k, chained in enumerate(self._chained):
            if chained.any():
                sums[k, chained] = sums[k - 1, chained] - sums[k, chained]
        return sums

    def without(self, groups: np.ndarray) -> Iterator[np.ndarray]:
        """For each system, the totals less those of each group of units: (groups, stats)."""
        firsts = np.flatnonzero(np.diff(groups, prepend=-1))
        for by_unit, totals in zip(self._by_unit, self.totals.T, strict=True):
            yield totals - np.add.reduceat(by_unit, firsts, axis=0, dtype=np.float64)


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
    columns : ndarray, shape (distinct columns, units)
        float32 where that holds the numbers exactly, else float64.
    source : ndarray of int, shape (stats, systems)
        The distinct column of each statistic and system ...
    chained : ndarray of bool, shape (stats, systems)
        ... that is taken from the statistic before it.
    """
    n_systems, n_units, n_stats = by_unit.shape
    whole = by_unit.dtype.kind in "iu"
    # Differences of counts, which may be negative, are twice as large as these.
    dtype = np.float32 if whole and 2 * _largest(by_unit) < _EXACT_IN_FLOAT32 else np.float64
    columns = np.empty((n_systems * n_stats, n_units), dtype)  # memory is taken only where it is written

    # Columns are told apart by a random sum modulo 2^64, and then compared.
    keys = np.einsum("sun,u->ns", by_unit if whole else by_unit.view(np.int64), _random_weights(n_units))
    steps = -np.diff(keys, axis=0, prepend=0)  # sums of differences are differences of sums
    _, inverse, counts = np.unique(steps, return_inverse=True, return_counts=True)
    shared = counts[inverse].reshape(keys.shape) > 1

    seen: dict[int, int] = {}
    source = np.zeros(keys.shape, dtype=np.intp)
    chained = np.zeros(keys.shape, dtype=bool)
    for k, s in np.ndindex(keys.shape):
        chained[k, s] = whole and k > 0 and int(keys[k, s]) not in seen and shared[k, s]
        column = by_unit[s, :, k - 1] - by_unit[s, :, k] if chained[k, s] else by_unit[s, :, k]
        known = len(seen)
        at = source[k, s] = seen.setdefault(int((steps if chained[k, s] else keys)[k, s]), known)
        if at == known:
            columns[at] = column
        elif not np.array_equal(columns[at], column):  # two different ones had the same sum: store them all
            columns[:] = by_unit.transpose(2, 0, 1).reshape(columns.shape)
            return columns, np.arange(len(columns)).reshape(keys.shape), np.zeros_like(chained)
    return columns[:len(seen)], source, chained


def _random_weights(n: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-2**63, 2**63, n)


def _largest(numbers: np.ndarray) -> float:
    """The largest absolute value, without a copy."""
    return max(float(numbers.max(initial=0)), -float(numbers.min(initial=0)))


def bootstrap_scores(data: UnitStatistics, n_resamples: int, seed: int, *, jobs: int = 1,
                     progress: Progress | None = None) -> np.ndarray:
    """Scores of all systems on bootstrap samples, the same samples for every system.

    Returns
    -------
    ndarray of float64, shape (systems, n_resamples)
    """
    def block_scores(block: int) -> np.ndarray:
        return data.score(data.weighted_sums(bootstrap_weights(data.units, seed, block)))

    scores = np.empty((data.shape[1], n_resamples))
    for at, block in _in_blocks(block_scores, n_resamples, jobs, progress):
        scores[:, at:at + BLOCK] = block[:, :n_resamples - at]
    # A sample without any scored segment, possible where few have a score, says nothing: the observed score stands in.
    np.copyto(scores, data.scores[:, None], where=np.isnan(scores))
    return scores


def swap_differences(data: UnitStatistics, pairs: np.ndarray, n_trials: int, seed: int, *, jobs: int = 1,
                     progress: Progress | None = None) -> np.ndarray:
    """Score differences of pairs of systems after random swaps of units, the same swaps for every pair.

    With M_k the sums of system k over the swapped units and T_k its totals, the swapped sums of the pair (i, j) are
    T_i - M_i + M_j and T_j - M_j + M_i: one product per system serves all pairs.

    Parameters
    ----------
    data : UnitStatistics
    pairs : ndarray of int, shape (pairs, 2)
    n_trials : int
        Of no account where there are so few units that all swaps are tried (`Units.all_swaps`).
    seed : int

    Returns
    -------
    ndarray of float64, shape (pairs, n_trials or all swaps)
        Differences score(i) - score(j).
    """
    n_trials = data.units.all_swaps or n_trials

    def block_differences(block: int) -> np.ndarray:
        moved = data.swapped_sums(swap_bits(data.units, seed, block))
        return _differences(data, data.totals[:, :, None].astype(moved.dtype) - moved, moved, pairs)

    out = np.empty((len(pairs), n_trials))
    for at, block in _in_blocks(block_differences, n_trials, jobs, progress):
        out[:, at:at + BLOCK] = block[:, :n_trials - at]
    return out


def _differences(data: UnitStatistics, kept: np.ndarray, moved: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Differences of pairs after swaps, the fastest way there is: shape (pairs, replicates).

    kept and moved, of shape (stats, systems, replicates), are sums over the units that are not swapped and that are.
    """
    if data.counted:
        return _of_means(data, kept[0].astype(np.float64), moved[0].astype(np.float64), pairs)
    swapped = getattr(data.metric.score, "swapped", None)
    if swapped is None:
        return _of_scores(data, kept, moved, pairs)
    differences: np.ndarray = swapped(data.metric, kept, moved, pairs)
    left = np.isnan(differences.min(axis=1))  # what that way is not for
    if left.any():
        differences[left] = _of_scores(data, kept, moved, pairs[left])
    return differences


def _of_scores(data: UnitStatistics, kept: np.ndarray, moved: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    groups, shape = _by_first(pairs), kept[:, 0].shape
    differences = np.empty((len(pairs), shape[1]))
    memory = np.empty(2 * kept[:, 0].size * max(rows.stop - rows.start for _, _, rows in groups), kept.dtype)
    for i, j, rows in groups:
        n_pairs = rows.stop - rows.start
        sums = memory[:2 * n_pairs * kept[:, 0].size].reshape(-1, 2, n_pairs, shape[1])
        np.add(kept[:, i, None], moved[:, j], out=sums[:, 0])
        np.add(kept[:, j], moved[:, i, None], out=sums[:, 1])
        first, second = data.score(sums)
        np.subtract(first, second, out=differences[rows])
    return differences


def _of_means(data: UnitStatistics, kept: np.ndarray, moved: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The same of means over as many segments whatever is swapped; kept and moved are sums of segment scores."""
    differences = np.empty((len(pairs), kept.shape[1]))
    for i, j, rows in _by_first(pairs):
        np.divide(kept[i] + moved[j], data.counted, out=differences[rows])
        differences[rows] -= (kept[j] + moved[i]) / data.counted
    return differences


def jackknife_scores(data: UnitStatistics) -> np.ndarray:
    """Scores of all systems with each unit left out, shape (systems, units).

    For stationary blocks the pieces left out are fixed blocks of consecutive segments.
    """
    groups = data.units.jackknife_groups()
    return np.array([data.metric.score(sums) for sums in data.without(groups)])


def all_pairs(n_systems: int) -> np.ndarray:
    """The pairs (i, j) with i < j in lexicographic order, shape (pairs, 2)."""
    return np.stack(np.triu_indices(n_systems, 1), axis=1)


def _by_first(pairs: np.ndarray) -> list[tuple[int, np.ndarray | slice, slice]]:
    """The runs of pairs that share their first system, as (first, seconds, rows)."""
    groups: list[tuple[int, np.ndarray | slice, slice]] = []
    starts = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1))
    for start, stop in zip(starts, [*starts[1:], len(pairs)], strict=True):
        run = pairs[start:stop, 1]
        # a slice reads in place what an index array would copy
        seconds = slice(int(run[0]), int(run[-1]) + 1) if np.all(np.diff(run) == 1) else run
        groups.append((int(pairs[start, 0]), seconds, slice(int(start), int(stop))))
    return groups


def _in_blocks(task: Callable[[int], np.ndarray], n_replicates: int, jobs: int,
               progress: Progress | None) -> Iterator[tuple[int, np.ndarray]]:
    """(first replicate, result) of each block, in order, whoever computes it."""
    with closing(in_order(task, -(-n_replicates // BLOCK), jobs)) as results:
        for at, result in zip(range(0, n_replicates, BLOCK), results, strict=True):
            yield at, result
            if progress is not None:
                progress(min(1.0, (at + BLOCK) / n_replicates))
