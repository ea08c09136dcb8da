"""Statistics of all systems by unit, and their sums under draws and swaps: the engine of every
test.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from mtsig_core._compiled import worth_compiling
from mtsig_core.errors import SettingError, suggest_name
from mtsig_core.metrics import Metric, direction, is_segment_mean, part_counter, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.stats.arrays import TOLERANCE, Rows, row_chunks
from mtsig_core.stats.parallel import run_in_order
from mtsig_core.stats.resampling import (
    BLOCK,
    Units,
    bootstrap_weights,
    make_units,
    sum_groups,
    swap_bits,
    unpack_bits,
)
from mtsig_core.testset import TestSet

# -------------------------------------------------------------------------------------------------
# Statistics of all systems, of which no column is stored twice.


EXACT_IN_FLOAT32 = 1 << 24
UNITS_AT_ONCE = 16  # whose swaps are looked up together
_LARGEST_PACKED = (1 << 15) // UNITS_AT_ONCE - 1


@dataclass(frozen=True, eq=False)
class Columns:
    """Statistics by unit, laid out for products: about half of them for BLEU.

    Statistics repeat: with one reference all systems share its lengths, and the number of bigrams
    is the number of words less one. A column that equals another, or its predecessor less another,
    is not stored again.
    """

    #: shape (units, columns): uint16 for small counts, with rows and columns of 0 to multiples of
    #: 16 and 32; float32 where that holds the numbers exactly; else float64.
    values: np.ndarray
    n: int  # units
    source: np.ndarray  # int, shape (stats, systems): The column of each statistic and system
    chained: (
        np.ndarray
    )  # bool, shape (stats, systems): Whether that is taken from the statistic before
    dtype: np.dtype  # of the statistics

    @classmethod
    def from_statistics(cls, statistics: np.ndarray) -> Columns:
        """Those of statistics of any type but unsigned ones, shape (systems, units, stats).

        >>> counts = np.arange(24).reshape(2, 3, 4) // 5
        >>> bool((Columns.from_statistics(counts).statistics() == counts).all())
        True
        """
        n_systems, n_units, n_stats = statistics.shape
        keys, steps = np.zeros((2, n_stats, n_systems), dtype=object)
        for system, rows in enumerate(_by_system(statistics)):
            keys[:, system] = [_digest(row) for row in rows]
            if statistics.dtype.kind in "iu":
                steps[1:, system] = [
                    _digest(row - after) if (row >= after).all() else 0
                    for row, after in pairwise(rows)
                ]
        counts = Counter(steps.flat)
        chained = np.array(
            [[step != 0 and counts[step] > 1 for step in row] for row in steps], dtype=bool
        )
        keys[chained] = steps[chained]
        places = {key: k for k, key in enumerate(dict.fromkeys(keys.flat))}
        most = largest(statistics) if statistics.dtype.kind in "iu" else np.inf
        values, left = (
            _room(n_units, len(places), most, statistics.min(initial=0) >= 0),
            set(places),
        )
        for system, rows in enumerate(_by_system(statistics)):
            for k, key in enumerate(keys[:, system]):
                if key in left:
                    values[:n_units, places[key]] = (
                        rows[k - 1] - rows[k] if chained[k, system] else rows[k]
                    )
                    left.remove(key)
        source = np.array([[places[key] for key in row] for row in keys], dtype=int).reshape(
            n_stats, n_systems
        )
        return cls(values, n_units, source, chained.reshape(n_stats, n_systems), statistics.dtype)

    @property
    def shape(self) -> tuple[int, int, int]:
        """(systems, units, stats), as the statistics had it."""
        return self.source.shape[1], self.n, self.source.shape[0]

    @property
    def n_distinct(self) -> int:
        """Columns that are not there to fill up."""
        return int(self.source.max(initial=-1)) + 1

    def expand(self, columns: np.ndarray, systems: slice | np.ndarray = slice(None)) -> np.ndarray:
        """Sums of all statistics, or those of some systems, from sums of the columns:
        shape (columns, ...) -> (stats, systems, ...), such as replicates.
        """
        sums: np.ndarray = columns[self.source[:, systems]]
        for k, chained in enumerate(self.chained[:, systems]):
            if chained.any():
                sums[k, chained] = sums[k - 1, chained] - sums[k, chained]
        return sums

    def totals(self) -> np.ndarray:
        """Sums over all units, float64, shape (stats, systems)."""
        return self.expand(self.values[:, : self.n_distinct].sum(axis=0, dtype=np.float64))

    def by_system(self) -> Iterator[np.ndarray]:
        """The statistics of each system: (stats, units)."""
        columns = self.values[: self.n].T
        return (self.expand(columns, np.array([system]))[:, 0] for system in range(self.shape[0]))

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
        values[: self.n, : len(used)] = self.values[: self.n, used]
        return replace(self, values=values, source=places.reshape(source.shape), chained=chained)

    def by(self, units: Units) -> Columns:
        """Those of segments, summed by unit."""
        if units.kind != "document":
            return self
        sums = sum_groups(self.values[None, : self.n, : self.n_distinct], units.index)[0]
        values = _room(units.n, self.n_distinct, largest(sums), self.values.dtype == np.uint16)
        values[: units.n, : self.n_distinct] = sums
        return replace(self, values=values, n=units.n, dtype=np.dtype(np.int64))  # sums may need it


def _room(n_units: int, n_columns: int, most: float, packed: bool) -> np.ndarray:
    """Zeros of the type that statistics up to the largest are kept as; `packed` where none is
    negative.
    """
    if packed and most <= _LARGEST_PACKED:
        return np.zeros(
            (-(-n_units // UNITS_AT_ONCE) * UNITS_AT_ONCE, -(-n_columns // 32) * 32), np.uint16
        )
    # differences may be twice as large
    return np.zeros((n_units, n_columns), np.float32 if 2 * most < EXACT_IN_FLOAT32 else np.float64)


def _by_system(statistics: np.ndarray) -> Iterator[np.ndarray]:
    """A copy of the statistics of each system, shape (stats, units)."""
    return (np.ascontiguousarray(own.T) for own in statistics)


def _digest(column: np.ndarray) -> bytes:
    """What only equal columns have in common."""
    return hashlib.sha1(column.data, usedforsecurity=False).digest()


def largest(numbers: np.ndarray) -> float:
    """The largest absolute value, without a copy."""
    return max(float(numbers.max(initial=0)), -float(numbers.min(initial=0)))


# -------------------------------------------------------------------------------------------------
# The statistics of all systems by unit, and their sums under draws and swaps.
#
# Sums are exact (integers below 2^24 in float32 or 2^16 in uint16, otherwise float64), so no result depends on how the
# work is cut up or on the number of workers.


_UNITS_AT_ONCE = 4096  # units per product: 4 MB of weights in float32


class UnitStatistics:
    """The statistics of all systems, of shape (systems, segments, stats), summed by unit and laid
    out for products.

    `totals` has shape (stats, systems), `scores` corpus scores in points, `shape` is (stats,
    systems).
    """

    def __init__(self, metric: Metric, statistics: np.ndarray | Columns, units: Units):
        if isinstance(statistics, Columns):
            columns = statistics.by(units)
        else:
            if statistics.dtype.kind == "f":
                statistics = _rounded(statistics.astype(np.float64), units)
            elif statistics.dtype not in (np.int32, np.int64):
                statistics = statistics.astype(
                    np.int64
                )  # differences of unsigned or short numbers would wrap round
            columns = Columns.from_statistics(units.sum(statistics))
        self.metric, self.columns, self.units = metric, columns, units
        self.expand = columns.expand
        self._columns, self._distinct = columns.values, columns.n_distinct
        self.totals = columns.totals()
        self.shape = self.totals.shape
        self.scores = self.score(self.totals)
        # Of means of segment scores: how many segments all systems have, where they have the same
        # number in each unit; else 0.
        self.counted = 0
        if is_segment_mean(self.metric) and self.shape[0] == 2:
            counts = self.expand(self._columns[: units.n].T)[-1]
            self.counted = int(counts[0].sum()) if (counts == counts[0]).all() else 0
        # Draws and swaps add as many units as there are. Where such sums stay below 2^24 all can be
        # float32; Metric.score reckons in float64 all the same.
        self._peak = largest(self._columns)
        if self._columns.dtype != np.uint16:  # else none is larger than what it is taken from
            self._peak = max(self._peak, *map(largest, columns.by_system()))
        single = self._columns.dtype != np.float64 and units.n * self._peak < EXACT_IN_FLOAT32
        self._sum_dtype = np.dtype(np.float32 if single else np.float64)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Score sums with the statistics on the first axis, shape (stats, ...) -> (...)."""
        return self.metric.score(sums.transpose(*range(1, sums.ndim), 0))

    def weighted_sums(self, weights: np.ndarray) -> np.ndarray:
        """Sums of the statistics under each row of weights.

        weights (replicates, units), non-negative integers with rows that sum to at most the number
        of units -> (stats, systems, replicates), exact: float32 where that can hold them, else
        float64.
        """
        return self.expand(self._weighted_columns(weights))

    def swapped_columns(self, bits: np.ndarray) -> np.ndarray:
        """Sums of the distinct columns over the units that `swap_bits` says are swapped: (columns,
        replicates).
        """
        if self._columns.dtype != np.uint16 or not worth_compiling(
            len(bits) * self._columns.size // 50
        ):
            return self._weighted_columns(unpack_bits(bits, self.units.n))
        from mtsig_core.stats import kernels  # late: it imports numba

        sums = np.zeros((len(bits), self._columns.shape[1]), self._sum_dtype)
        for first, columns in self._packed:
            sums += kernels.sum_swapped(bits.view(np.uint8), first, columns).view(np.uint16)
        return np.ascontiguousarray(sums.T[: self._distinct])

    def _weighted_columns(self, weights: np.ndarray) -> np.ndarray:
        def product(at: int) -> np.ndarray:
            part = weights[:, at : at + _UNITS_AT_ONCE]
            columns = self._columns[at : at + part.shape[1], : self._distinct]
            exact = (
                self._sum_dtype == np.float32
                or int(part.sum(axis=1).max()) * self._peak < EXACT_IN_FLOAT32
            )
            kind = np.float32 if exact and columns.dtype != np.float64 else np.float64
            made: np.ndarray = part.astype(kind) @ columns.astype(kind, copy=False)
            return made.astype(self._sum_dtype, copy=False)

        sums = product(0)
        for at in range(_UNITS_AT_ONCE, weights.shape[1], _UNITS_AT_ONCE):
            sums += product(at)
        return np.ascontiguousarray(sums.T)

    @cached_property
    def _packed(self) -> list[tuple[int, np.ndarray]]:
        """The distinct columns, four numbers in a word, cut so that no sum of a part exceeds 16
        bits; with each part goes its first unit.
        """
        highest = (
            self._columns.max(axis=1)
            .reshape(-1, UNITS_AT_ONCE)
            .sum(axis=1, dtype=np.int64)
            .cumsum()
        )
        cuts = [0, *np.flatnonzero(np.diff(highest // (1 << 15))) + 1, len(highest)]
        return [
            (
                int(first) * UNITS_AT_ONCE,
                self._columns[first * UNITS_AT_ONCE : last * UNITS_AT_ONCE].view(np.uint64),
            )
            for first, last in zip(cuts, cuts[1:], strict=False)
        ]

    def without(self, groups: np.ndarray) -> Iterator[np.ndarray]:
        """For each system, the totals less those of each group of units: (groups, stats)."""
        firsts = np.flatnonzero(np.diff(groups, prepend=-1))
        for by_unit, totals in zip(self.columns.by_system(), self.totals.T, strict=True):
            yield totals - np.ascontiguousarray(
                np.add.reduceat(by_unit, firsts, axis=1, dtype=np.float64).T
            )


def _rounded(statistics: np.ndarray, units: Units) -> np.ndarray:
    """Real numbers as multiples of a power of two: so fine that nothing is lost that could be seen,
    so coarse that sums of draws and swaps are exact too. Each statistic has its own, whatever its
    scale.
    """
    return round_to_bits(
        statistics, 4 * units.n * units.sum(np.abs(statistics)).max(axis=(0, 1), initial=0.0), 53
    )


def round_to_bits(values: np.ndarray, reach: np.ndarray | float, bits: int) -> np.ndarray:
    """Values rounded to multiples of a power of two: whatever is below the reach has at most so
    many bits then.

    >>> round_to_bits(np.array([0.1 + 0.2, 0.3]), 0.3, 42).tolist() == [round_to_bits(np.array(0.3), 0.3, 42)] * 2
    True
    """
    grain = np.ldexp(1.0, np.frexp(reach)[1] - bits)
    rounded: np.ndarray = np.round(values / grain) * grain
    return rounded


# -------------------------------------------------------------------------------------------------
# In how many units two systems differ: the others tell nothing of which is better, however many there are.


#: So many that no p is bounded by their number: 2/2^20 is a two-millionth.
ENOUGH = 20
_UNITS_COMPARED, _VALUES_COMPARED = 256, 1 << 22


def count_differing_units(
    data: UnitStatistics, pairs: np.ndarray, n_units: np.ndarray, swapped: bool = False
) -> np.ndarray:
    """The units that tell the systems of each pair apart, shape (pairs,), of the `n_units` that
    both have; of stationary blocks the segments, which are no fewer.

    Counting stops at `ENOUGH` and returns all units of the pair; also where none differ, since
    identical outputs cannot look significant, and of blocks that are `swapped`: how small their p
    can be is reckoned from whole blocks.
    """
    if data.units.block_length is not None and swapped:
        return n_units
    counts, still = np.zeros(len(pairs), dtype=int), np.arange(len(pairs))
    for at in range(0, data.units.n, _UNITS_COMPARED):
        statistics = data.expand(data.columns.values[at : at + _UNITS_COMPARED].T)
        for rows in row_chunks(
            len(still), statistics.shape[0] * statistics.shape[2], _VALUES_COMPARED
        ):
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


# -------------------------------------------------------------------------------------------------
# Statistics x draws -> replicate scores, for all systems and pairs at once.
#
# The sums of a block of replicates serve all systems and pairs. They are exact (see `UnitStatistics`), so the results
# do not depend on how the work is cut up or on the number of workers.


#: Called with the share of the work that is done, between blocks; may raise `Cancelled` to stop it.
StageProgress = Callable[[float], None]
#: What gives a stage of the work, by its name, something to report to; None where nobody wants to
#: know.
Stages = Callable[[str], StageProgress | None]

_MOST_KEPT = 1 << 24  # differences, 128 MB: those of 57 systems and 9,999 trials
_DRAWING = 0.1  # share of the work that drawing is, where differences are made anew
# times that a test looks at each pair then: for p, spread and size, then for the steps of
# Romano-Wolf
_LOOKED_AT = 2


def fits_in_memory(n_pairs: int, n_trials: int | None) -> bool:
    """Whether the differences of so many pairs are few enough to be kept."""
    return n_pairs * (n_trials or 0) <= _MOST_KEPT


def bootstrap_scores(
    data: UnitStatistics,
    n_resamples: int,
    seed: int,
    *,
    jobs: int = 1,
    progress: StageProgress | None = None,
) -> np.ndarray:
    """Scores of all systems on bootstrap samples, the same samples for every system.

    Returns ndarray of float64, shape (systems, n_resamples).
    """

    def block_scores(block: int) -> np.ndarray:
        weights = bootstrap_weights(data.units, seed, block)[: n_resamples - block * BLOCK]
        return data.score(data.weighted_sums(weights))

    scores = np.empty((data.shape[1], n_resamples))
    for at, block in _in_blocks(block_scores, n_resamples, jobs, progress):
        scores[:, at : at + BLOCK] = block
    # A sample without any scored segment, possible where few have a score, says nothing: the
    # observed score stands in.
    np.copyto(scores, data.scores[:, None], where=np.isnan(scores))
    return scores


def swap_differences(
    data: UnitStatistics,
    pairs: np.ndarray,
    n_trials: int,
    seed: int,
    *,
    jobs: int = 1,
    progress: StageProgress | None = None,
) -> np.ndarray:
    """Differences score(i) - score(j) after random swaps of units, the same swaps for every pair;
    shape (pairs, n_trials), or (pairs, all swaps) where there are so few units that all are tried
    (`Units.all_swaps`).

    With M_k the sums of system k over the swapped units and T_k its totals, the swapped sums of the pair (i, j) are T_i
    - M_i + M_j and T_j - M_j + M_i: one product per system serves all pairs.
    """
    n_trials = data.units.all_swaps or n_trials

    def block_differences(block: int) -> np.ndarray:
        return _replicate_differences(
            data, data.swapped_columns(swap_bits(data.units, seed, block)), pairs
        )

    out = np.empty((len(pairs), n_trials))
    for at, block in _in_blocks(block_differences, n_trials, jobs, progress):
        out[:, at : at + BLOCK] = block[:, : n_trials - at]
    return out


def swap_rows(
    data: UnitStatistics,
    pairs: np.ndarray,
    n_trials: int,
    seed: int,
    *,
    jobs: int = 1,
    progress: StageProgress | None = None,
) -> np.ndarray | Rows:
    """The same as `swap_differences`; where they would take too much memory, made anew whenever a
    pair is looked at.

    What is kept then are the sums of each system, and progress goes on while pairs are looked at.
    """
    n_trials = data.units.all_swaps or n_trials
    if fits_in_memory(len(pairs), n_trials):
        return swap_differences(data, pairs, n_trials, seed, jobs=jobs, progress=progress)

    def block_columns(block: int) -> np.ndarray:
        return data.swapped_columns(swap_bits(data.units, seed, block))

    made = 0

    def make(rows: slice | np.ndarray) -> np.ndarray:
        nonlocal made
        systems, places = np.unique(pairs[rows], return_inverse=True)
        differences = np.empty((len(pairs[rows]), n_trials))
        for at, columns in zip(range(0, n_trials, BLOCK), blocks, strict=True):
            block = _replicate_differences(data, columns, places.reshape(-1, 2), systems)
            differences[:, at : at + BLOCK] = block[:, : n_trials - at]
        made += len(differences)
        if progress is not None:
            progress(_DRAWING + (1 - _DRAWING) * min(1.0, made / (_LOOKED_AT * len(pairs))))
        return differences

    drawn = None if progress is None else lambda share: progress(_DRAWING * share)
    blocks = [columns for _, columns in _in_blocks(block_columns, n_trials, jobs, drawn)]
    return Rows((len(pairs), n_trials), make)


def _replicate_differences(
    data: UnitStatistics,
    columns: np.ndarray,
    pairs: np.ndarray,
    systems: slice | np.ndarray = slice(None),
) -> np.ndarray:
    """Differences of pairs of the systems after swaps, the fastest way there is: shape (pairs,
    replicates).

    columns are those of `UnitStatistics.swapped_columns`.
    """
    moved = data.expand(columns, systems)
    kept = data.totals[:, systems, None].astype(moved.dtype) - moved
    if data.counted:
        return _of_means(data, kept[0].astype(np.float64), moved[0].astype(np.float64), pairs)
    swapped = getattr(data.metric.score, "swapped", None)
    if swapped is None or not worth_compiling(30 * len(pairs) * kept.shape[2]):
        return _of_scores(data, kept, moved, pairs)
    differences: np.ndarray = swapped(data.metric, kept, moved, pairs)
    left = np.isnan(differences.min(axis=1))  # what that way is not for
    if left.any():
        differences[left] = _of_scores(data, kept, moved, pairs[left])
    return differences


def _of_scores(
    data: UnitStatistics, kept: np.ndarray, moved: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    groups, shape = _by_first(pairs), kept[:, 0].shape
    differences = np.empty((len(pairs), shape[1]))
    memory = np.empty(
        2 * kept[:, 0].size * max(rows.stop - rows.start for _, _, rows in groups), kept.dtype
    )
    for i, j, rows in groups:
        n_pairs = rows.stop - rows.start
        sums = memory[: 2 * n_pairs * kept[:, 0].size].reshape(-1, 2, n_pairs, shape[1])
        np.add(kept[:, i, None], moved[:, j], out=sums[:, 0])
        np.add(kept[:, j], moved[:, i, None], out=sums[:, 1])
        first, second = data.score(sums)
        np.subtract(first, second, out=differences[rows])
    return differences


def _of_means(
    data: UnitStatistics, kept: np.ndarray, moved: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """The same of means over as many segments whatever is swapped; kept and moved are sums of
    segment scores.
    """
    first, second = pairs.T
    if (
        np.count_nonzero(np.diff(first)) > len(pairs) // 4
    ):  # few in a row share their first, as in no order
        apart: np.ndarray = (kept[first] + moved[second]) / data.counted
        apart -= (kept[second] + moved[first]) / data.counted
        return apart
    differences = np.empty((len(pairs), kept.shape[1]))
    for i, j, rows in _by_first(pairs):
        np.divide(kept[i] + moved[j], data.counted, out=differences[rows])
        differences[rows] -= (kept[j] + moved[i]) / data.counted
    return differences


def jackknife_scores(data: UnitStatistics) -> np.ndarray:
    """Scores of all systems with each unit left out, shape (systems, units); NaN where a system has
    no score in a unit, so that there is nothing to leave out.

    For stationary blocks the pieces left out are fixed blocks of consecutive segments.
    """
    groups, rows = data.units.jackknife_groups(), []
    for sums, totals in zip(data.without(groups), data.totals.T, strict=True):
        scores = np.asarray(data.metric.score(sums))
        rows.append(
            np.where(sums[:, -1] < totals[-1], scores, np.nan)
            if is_segment_mean(data.metric)
            else scores
        )
    return np.array(rows)


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


def _in_blocks(
    task: Callable[[int], np.ndarray], n_replicates: int, jobs: int, progress: StageProgress | None
) -> Iterator[tuple[int, np.ndarray]]:
    """(first replicate, result) of each block, in order, whoever computes it."""
    with closing(run_in_order(task, -(-n_replicates // BLOCK), jobs)) as results:
        for at, result in zip(range(0, n_replicates, BLOCK), results, strict=True):
            yield at, result
            if progress is not None:
                progress(min(1.0, (at + BLOCK) / n_replicates))


# -------------------------------------------------------------------------------------------------
# Segment scores with gaps: what pairs of systems have in common.


def find_scored(metric: Metric, statistics: np.ndarray | Columns) -> np.ndarray | None:
    """Whether each system has a score of each segment, shape (systems, segments).

    None where no score is missing.
    """
    if isinstance(statistics, Columns) or not is_segment_mean(metric):
        return None
    has_score: np.ndarray = statistics[..., -1] > 0
    return None if has_score.all() else has_score


def has_gaps(metric: Metric, statistics: np.ndarray | Columns) -> bool:
    """Whether a system lacks a score that another has."""
    return find_scored(metric, statistics) is not None


def count_common_segments(
    metric: Metric, statistics: np.ndarray | Columns, pairs: np.ndarray
) -> np.ndarray:
    """Number of segments that both systems of each pair have, shape (pairs,)."""
    if isinstance(statistics, Columns) or not is_segment_mean(metric):
        return np.full(len(pairs), statistics.shape[1])
    rated = statistics[..., -1]
    n: np.ndarray = np.rint((rated @ rated.T)[pairs[:, 0], pairs[:, 1]]).astype(int)
    return n


def pair_statistics(statistics: np.ndarray, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Statistics of pairs, shape (2 * pairs, segments, stats), each on the segments that both its
    systems have a score for; and the pairs in these.

    Every pair gets two rows of its own. All that works on systems works on them, and with the same
    draws, so that a null stays joint for all pairs. Statistics are (score, 1), or (0, 0) where
    there is no score.

    >>> two = np.array([[[80, 1], [70, 1]], [[60, 1], [0, 0]]])
    >>> pair_statistics(two, np.array([[0, 1]]))[0].tolist()
    [[[80, 1], [0, 0]], [[60, 1], [0, 0]]]
    """
    both = statistics[pairs] * statistics[pairs, :, -1:].prod(axis=1, keepdims=True)
    return both.reshape(-1, *statistics.shape[1:]), np.arange(2 * len(pairs)).reshape(-1, 2)


def segment_scores(metric: Metric, statistics: np.ndarray | Columns) -> np.ndarray | None:
    """The scores of single segments, NaN where there is none; None for a metric that is no mean of
    them, as a mean of the means of domains is none.

    They are multiples of a power of two, 2^-42 of the largest: .1 + .2 is .3.
    """
    if isinstance(statistics, Columns) or not is_segment_mean(metric) or statistics.shape[-1] > 2:
        return None
    scores, counts = np.moveaxis(statistics, -1, 0)
    return np.where(counts > 0, round_to_bits(scores, np.abs(scores).max(initial=0.0), 42), np.nan)


# -------------------------------------------------------------------------------------------------
# A test set as one metric sees it: counted once, and handed down to whatever is asked of it.


@dataclass(frozen=True, eq=False)
class Measured:
    """The systems and segments that a metric can compare, and their statistics."""

    # only what can be compared: of segment scores, the systems and segments that have any
    testset: TestSet
    metric: Metric
    #: shape (systems, segments, stats): The statistics, in the order of the test set; of whole
    #: numbers each different column once, as on large sets they are most of the memory.
    stored: Columns | np.ndarray

    @cached_property
    def statistics(self) -> np.ndarray:
        """Shape (systems, segments, stats)."""
        return self.stored.statistics() if isinstance(self.stored, Columns) else self.stored

    @cached_property
    def totals(self) -> np.ndarray:
        """The statistics of all segments together, shape (systems, stats)."""
        return (
            self.stored.totals().T if isinstance(self.stored, Columns) else self.stored.sum(axis=1)
        )

    @property
    def names(self) -> list[str]:
        return list(self.testset.systems)

    @property
    def sign(self) -> int:
        """What turns a difference of scores into an improvement."""
        return direction(self.metric)

    @cached_property
    def scores(self) -> np.ndarray:
        """Corpus scores in points, shape (systems,)."""
        return np.asarray(self.metric.score(self.totals), dtype=np.float64)

    @cached_property
    def order(self) -> np.ndarray:
        """Rows of the systems, best first, shape (systems,); ties as they come."""
        return np.argsort(-self.sign * self.scores, kind="stable")

    @cached_property
    def has_score(self) -> np.ndarray | None:
        """As `find_scored`."""
        return find_scored(self.metric, self.stored)

    @property
    def has_gaps(self) -> bool:
        """Whether a system lacks a score that another has."""
        return self.has_score is not None

    @property
    def segment_scores(self) -> np.ndarray | None:
        """Shape (systems, segments), NaN where there is none; None for a metric that is no mean of
        them.
        """
        return segment_scores(self.metric, self.stored)

    def best_first(self) -> Measured:
        """The same with the systems in the order of their scores."""
        return self._rows(self.order)

    def only(self, names: Iterable[str]) -> Measured:
        """The same with these systems alone, in this order; `SettingError` for one that has no
        score.
        """
        known, names = self.names, list(names)
        for name in names:
            if name not in known:
                raise SettingError(
                    f"No system {name!r} with a score by {self.metric.name}.{suggest_name(name, known)} "
                    f"Systems that have one: {', '.join(known)}."
                )
        return self._rows([known.index(name) for name in names])

    def units(self, kind: str = "auto", block_length: float | None = None) -> Units:
        """What is drawn or swapped; see `make_units`."""
        return make_units(self.testset, kind, block_length)

    def by(self, units: Units) -> UnitStatistics:
        """Ready to be drawn by unit."""
        return UnitStatistics(self.metric, self.stored, units)

    def counter(self) -> Callable[[np.ndarray], np.ndarray]:
        """What gives the statistics of some segments as a test set of their own; see
        `part_counter`.
        """
        return part_counter(self.metric, self.testset, self.statistics)

    def _rows(self, rows: list[int] | np.ndarray) -> Measured:
        names = self.names
        systems = {names[k]: self.testset.systems[names[k]] for k in rows}
        if list(systems) == names:
            return self
        own = (
            self.stored.only(np.asarray(rows))
            if isinstance(self.stored, Columns)
            else self.stored[rows]
        )
        return Measured(replace(self.testset.only(systems), systems=systems), self.metric, own)


def measure(
    testset: TestSet,
    metric: str | Metric,
    *,
    statistics: np.ndarray | None = None,
    progress: Callable[[float], None] | None = None,
) -> Measured:
    """Count what a metric needs of a test set, and leave out what it cannot compare; `statistics`
    may be known already.

    >>> ts = TestSet("toy", {"A": ["a b c d x"], "B": ["a b c d e"]}, {"ref": ["a b c d e"]})
    >>> found = measure(ts, "wer")
    >>> found.scores.tolist(), found.best_first().names
    ([20.0, 0.0], ['B', 'A'])
    """
    metric = resolve_metric(testset, metric)
    if statistics is None:
        statistics = cached_statistics(metric, testset, progress)
    if is_segment_mean(metric):
        rated = statistics[..., -1] > 0
        systems, segments = rated.any(axis=1), rated.any(axis=0)
        if not systems.any():
            raise SettingError(
                f"{testset.name} has no score by {metric.name} for these systems and segments. Choose "
                "others, or another metric."
            )
        if not (systems.all() and segments.all()):
            names = list(testset.systems)
            testset = testset.take(np.flatnonzero(segments).tolist()).only(
                names[k] for k in np.flatnonzero(systems)
            )
            statistics = statistics[systems][:, segments]
    whole = statistics.dtype in (np.int32, np.int64) and not is_segment_mean(metric)
    return Measured(testset, metric, Columns.from_statistics(statistics) if whole else statistics)
