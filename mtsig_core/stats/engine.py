"""Statistics of all systems by unit, and their sums under draws and swaps, for every test."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mtsig_core._compiled import worth_compiling
from mtsig_core.errors import SettingError, suggest_name
from mtsig_core.metrics import (
    CountSegments,
    Metric,
    MetricLike,
    direction,
    is_segment_mean,
    part_counter,
    resolve_metric,
)
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.progress import Progress
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
_COLUMNS_AT_ONCE = 32  # of uint16, to which rows are filled up
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
    source: np.ndarray  # int, shape (stats, systems): the column of each statistic and system
    #: bool, shape (stats, systems): whether it is the statistic before less that column.
    is_chained: np.ndarray
    dtype: np.dtype  # of the statistics

    @classmethod
    def from_statistics(cls, statistics: np.ndarray) -> Columns:
        """Store statistics of any type but unsigned ones, shape (systems, units, stats).

        >>> counts = np.arange(24).reshape(2, 3, 4) // 5
        >>> bool((Columns.from_statistics(counts).statistics() == counts).all())
        True
        """
        n_systems, n_units, n_stats = statistics.shape
        is_whole = statistics.dtype.kind in "iu"
        digests = np.zeros((n_stats, n_systems), dtype=object)
        step_digests = np.zeros((n_stats, n_systems), dtype=object)  # of predecessors less columns
        for system, columns in enumerate(_copy_by_system(statistics)):
            digests[:, system] = [_digest(column) for column in columns]
            if is_whole:
                for k, (before, column) in enumerate(pairwise(columns), 1):
                    if (before >= column).all():
                        step_digests[k, system] = _digest(before - column)
        # A step is stored in place of a column only where others have the same step.
        counts = Counter(step_digests.flat)
        is_repeated = [step != 0 and counts[step] > 1 for step in step_digests.flat]
        is_chained = np.array(is_repeated, dtype=bool).reshape(n_stats, n_systems)
        digests[is_chained] = step_digests[is_chained]

        distinct = dict.fromkeys(digests.flat)
        numbers = {digest: k for k, digest in enumerate(distinct)}
        source = np.array([numbers[digest] for digest in digests.flat], dtype=int)
        source = source.reshape(n_stats, n_systems)
        most = np.inf
        if is_whole:
            most = largest(statistics)
        is_packable = statistics.min(initial=0) >= 0
        values = _allocate(n_units, len(numbers), most, is_packable)
        stored = set()
        for system, columns in enumerate(_copy_by_system(statistics)):
            for k, number in enumerate(source[:, system]):
                if number in stored:
                    continue
                column = columns[k]
                if is_chained[k, system]:
                    column = columns[k - 1] - column
                values[:n_units, number] = column
                stored.add(number)
        return cls(values, n_units, source, is_chained, statistics.dtype)

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of the statistics, (systems, units, stats)."""
        n_stats, n_systems = self.source.shape
        return n_systems, self.n, n_stats

    @property
    def n_distinct(self) -> int:
        """Count the stored columns, without padding."""
        return int(self.source.max(initial=-1)) + 1

    def expand(self, columns: np.ndarray, systems: slice | np.ndarray = slice(None)) -> np.ndarray:
        """Compute sums of all statistics, or only of some systems, from sums of the columns.

        Shape (columns, ...) -> (stats, systems, ...), such as replicates.
        """
        sums: np.ndarray = columns[self.source[:, systems]]
        for k, is_chained in enumerate(self.is_chained[:, systems]):
            if is_chained.any():
                sums[k, is_chained] = sums[k - 1, is_chained] - sums[k, is_chained]
        return sums

    def totals(self) -> np.ndarray:
        """Sums over all units, float64, shape (stats, systems)."""
        columns = self.values[:, : self.n_distinct]
        return self.expand(columns.sum(axis=0, dtype=np.float64))

    def by_system(self) -> Iterator[np.ndarray]:
        """The statistics of each system: (stats, units)."""
        columns = self.values[: self.n].T
        for system in range(self.shape[0]):
            yield self.expand(columns, np.array([system]))[:, 0]

    def statistics(self) -> np.ndarray:
        """All of them as they were, shape (systems, units, stats)."""
        statistics = np.empty(self.shape, self.dtype)
        for system, columns in enumerate(self.by_system()):
            statistics[system] = columns.T
        return statistics

    def only(self, systems: np.ndarray) -> Columns:
        """Return the statistics of these systems, in this order."""
        source = self.source[:, systems]
        is_chained = self.is_chained[:, systems]
        used, renumbered = np.unique(source, return_inverse=True)
        if len(used) == self.n_distinct:
            return replace(self, source=source, is_chained=is_chained)
        is_packed = self.values.dtype == np.uint16
        n_used = len(used)
        values = _allocate(self.n, n_used, largest(self.values), is_packed)
        values[: self.n, :n_used] = self.values[: self.n, used]
        source = renumbered.reshape(source.shape)
        return replace(self, values=values, source=source, is_chained=is_chained)

    def sum_by(self, units: Units) -> Columns:
        """Return the statistics of segments, summed by unit."""
        if units.kind != "document":
            return self
        segments = self.values[: self.n, : self.n_distinct]
        sums = sum_groups(segments[None], units.index)[0]
        is_packed = self.values.dtype == np.uint16
        values = _allocate(units.n, self.n_distinct, largest(sums), is_packed)
        values[: units.n, : self.n_distinct] = sums
        # Sums may not fit into the type of the statistics.
        return replace(self, values=values, n=units.n, dtype=np.dtype(np.int64))


def _allocate(n_units: int, n_columns: int, most: float, is_packable: bool) -> np.ndarray:
    """Zeros of the smallest type for statistics up to `most`; none negative if `is_packable`."""
    if is_packable and most <= _LARGEST_PACKED:
        n_rows = _round_up(n_units, UNITS_AT_ONCE)
        n_filled = _round_up(n_columns, _COLUMNS_AT_ONCE)
        return np.zeros((n_rows, n_filled), np.uint16)
    is_exact = 2 * most < EXACT_IN_FLOAT32  # differences may be twice as large
    if is_exact:
        return np.zeros((n_units, n_columns), np.float32)
    return np.zeros((n_units, n_columns), np.float64)


def _round_up(n: int, step: int) -> int:
    return -(-n // step) * step


def _copy_by_system(statistics: np.ndarray) -> Iterator[np.ndarray]:
    """A copy of the statistics of each system, shape (stats, units)."""
    return (np.ascontiguousarray(rows.T) for rows in statistics)


def _digest(column: np.ndarray) -> bytes:
    """Equal columns have equal digests, and no others."""
    return hashlib.sha1(column.data, usedforsecurity=False).digest()


def largest(numbers: np.ndarray) -> float:
    """The largest absolute value, without a copy."""
    highest = float(numbers.max(initial=0))
    lowest = float(numbers.min(initial=0))
    return max(highest, -lowest)


# -------------------------------------------------------------------------------------------------
# The statistics of all systems by unit, and their sums under draws and swaps.
#
# Sums are exact (integers below 2^24 in float32 or 2^16 in uint16, otherwise float64), so no result depends on how the
# work is cut up or on the number of workers.


_UNITS_AT_ONCE = 4096  # units per product: 4 MB of weights in float32


class UnitStatistics:
    """Statistics of shape (systems, segments, stats), summed by unit and laid out for products.

    `totals` has shape (stats, systems), `scores` corpus scores in points, `shape` is (stats,
    systems).
    """

    def __init__(self, metric: Metric, statistics: np.ndarray | Columns, units: Units):
        if isinstance(statistics, Columns):
            columns = statistics.sum_by(units)
        else:
            summable = _make_summable(statistics, units)
            columns = Columns.from_statistics(units.sum(summable))
        self.metric = metric
        self.columns = columns
        self.units = units
        self.expand = columns.expand
        self._columns = columns.values
        self._distinct = columns.n_distinct
        self.totals = columns.totals()
        self.shape = self.totals.shape
        self.scores = self.score(self.totals)
        self.n_shared_segments = self._count_shared_segments()
        # Draws and swaps add as many units as there are. Where such sums stay below 2^24 all can be
        # float32; Metric.score works in float64 all the same.
        self._peak = largest(self._columns)
        if self._columns.dtype != np.uint16:  # else a difference of columns is never larger
            for statistics_of_system in columns.by_system():
                self._peak = max(self._peak, largest(statistics_of_system))
        are_sums_exact = units.n * self._peak < EXACT_IN_FLOAT32
        self._sum_dtype: np.dtype = np.dtype(np.float64)
        if are_sums_exact and self._columns.dtype != np.float64:
            self._sum_dtype = np.dtype(np.float32)

    def _count_shared_segments(self) -> int:
        """Count the segments that all systems have, for means of segment scores; else 0.

        0 also where they do not have the same number in each unit.
        """
        if not is_segment_mean(self.metric) or self.shape[0] != 2:
            return 0
        by_unit = self._columns[: self.units.n].T
        counts = self.expand(by_unit)[-1]
        if (counts == counts[0]).all():
            return int(counts[0].sum())
        return 0

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Score sums with the statistics on the first axis, shape (stats, ...) -> (...)."""
        statistics_last = sums.transpose(*range(1, sums.ndim), 0)
        return self.metric.score(statistics_last)

    def weighted_sums(self, weights: np.ndarray) -> np.ndarray:
        """Sums of the statistics under each row of weights.

        weights (replicates, units), non-negative integers with rows that sum to at most the number
        of units -> (stats, systems, replicates), exact: float32 where that can hold them, else
        float64.
        """
        return self.expand(self._weighted_columns(weights))

    def swapped_columns(self, bits: np.ndarray) -> np.ndarray:
        """Sums of the distinct columns over the units that `swap_bits` swaps.

        Shape (columns, replicates).
        """
        is_packed = self._columns.dtype == np.uint16
        n_additions = len(bits) * self._columns.size // 50
        if not is_packed or not worth_compiling(n_additions):
            return self._weighted_columns(unpack_bits(bits, self.units.n))
        from mtsig_core.stats import kernels  # late: it imports numba

        sums = np.zeros((len(bits), self._columns.shape[1]), self._sum_dtype)
        bytes_of_bits = bits.view(np.uint8)
        for first, columns in self._packed:
            words = kernels.sum_swapped(bytes_of_bits, first, columns)
            sums += words.view(np.uint16)
        return np.ascontiguousarray(sums.T[: self._distinct])

    def _weighted_columns(self, weights: np.ndarray) -> np.ndarray:
        sums = self._multiply(weights, 0)
        for first in range(_UNITS_AT_ONCE, weights.shape[1], _UNITS_AT_ONCE):
            sums += self._multiply(weights, first)
        return np.ascontiguousarray(sums.T)

    def _multiply(self, weights: np.ndarray, first: int) -> np.ndarray:
        """The product of the weights and columns of `_UNITS_AT_ONCE` units from the first one."""
        weights = weights[:, first : first + _UNITS_AT_ONCE]
        last = first + weights.shape[1]
        columns = self._columns[first:last, : self._distinct]
        is_exact = self._sum_dtype == np.float32
        if not is_exact:
            most_units = int(weights.sum(axis=1).max())
            is_exact = most_units * self._peak < EXACT_IN_FLOAT32
        is_single = is_exact and columns.dtype != np.float64
        dtype: type[np.floating] = np.float64
        if is_single:
            dtype = np.float32
        sums: np.ndarray = weights.astype(dtype) @ columns.astype(dtype, copy=False)
        return sums.astype(self._sum_dtype, copy=False)

    @cached_property
    def _packed(self) -> list[tuple[int, np.ndarray]]:
        """The distinct columns, four numbers in a word, in chunks with the first unit of each.

        They are cut so that no sum of a chunk exceeds 16 bits.
        """
        by_unit = self._columns.max(axis=1)
        grouped = by_unit.reshape(-1, UNITS_AT_ONCE)
        by_group = grouped.sum(axis=1, dtype=np.int64)
        n_exceeded = by_group.cumsum() // (1 << 15)
        inner_cuts = np.flatnonzero(np.diff(n_exceeded)) + 1
        cuts = [0, *inner_cuts, len(by_group)]
        chunks = []
        for first_group, last_group in pairwise(cuts):
            first = int(first_group) * UNITS_AT_ONCE
            last = int(last_group) * UNITS_AT_ONCE
            words = self._columns[first:last].view(np.uint64)
            chunks.append((first, words))
        return chunks

    def without(self, groups: np.ndarray) -> Iterator[np.ndarray]:
        """Subtract each group of units from the totals, for each system: (groups, stats)."""
        firsts = np.flatnonzero(np.diff(groups, prepend=-1))
        for by_unit, totals in zip(self.columns.by_system(), self.totals.T, strict=True):
            by_group = np.add.reduceat(by_unit, firsts, axis=1, dtype=np.float64)
            yield totals - np.ascontiguousarray(by_group.T)


def _make_summable(statistics: np.ndarray, units: Units) -> np.ndarray:
    """Statistics whose sums and differences are exact.

    Real numbers become multiples of a power of two: so fine that nothing visible is lost, so coarse
    that sums of draws and swaps are exact too. Each statistic has its own, whatever its scale.
    Differences of unsigned or short numbers would overflow, so these become longer.
    """
    if statistics.dtype.kind == "f":
        statistics = statistics.astype(np.float64)
        sizes = units.sum(np.abs(statistics))
        largest_sums = sizes.max(axis=(0, 1), initial=0.0)
        reach = 4 * units.n * largest_sums
        return round_to_bits(statistics, reach, 53)
    if statistics.dtype in (np.int32, np.int64):
        return statistics
    return statistics.astype(np.int64)


def round_to_bits(values: np.ndarray, reach: np.ndarray | float, bits: int) -> np.ndarray:
    """Round to multiples of a power of two: values below the reach have at most so many bits then.

    >>> round_to_bits(np.array([0.1 + 0.2, 0.3]), 0.3, 42).tolist() == [round_to_bits(np.array(0.3), 0.3, 42)] * 2
    True
    """
    _, exponent = np.frexp(reach)
    grain = np.ldexp(1.0, exponent - bits)
    rounded: np.ndarray = np.round(values / grain) * grain
    return rounded


# -------------------------------------------------------------------------------------------------
# In how many units two systems differ: the other units do not show which system is better, however
# many there are.


#: So many that no p is bounded by their number: 2/2^20 is a two-millionth.
ENOUGH = 20
_UNITS_COMPARED = 256
_VALUES_COMPARED = 1 << 22


def count_differing_units(
    data: UnitStatistics, pairs: np.ndarray, n_units: np.ndarray, swapped: bool = False
) -> np.ndarray:
    """The units that tell the systems of each pair apart, shape (pairs,).

    Of the `n_units` that both have; of stationary blocks the segments, which are no fewer. Counting
    stops at `ENOUGH` and returns all units of the pair; also where none differ, since identical
    outputs cannot look significant, and of blocks that are `swapped`: how small their p can be
    depends on whole blocks.
    """
    if data.units.block_length is not None and swapped:
        return n_units
    counts = np.zeros(len(pairs), dtype=int)
    unfinished = np.arange(len(pairs))
    for first_unit in range(0, data.units.n, _UNITS_COMPARED):
        last_unit = first_unit + _UNITS_COMPARED
        columns = data.columns.values[first_unit:last_unit].T
        statistics = data.expand(columns)
        n_values = statistics.shape[0] * statistics.shape[2]
        for chunk in row_chunks(len(unfinished), n_values, _VALUES_COMPARED):
            numbers = unfinished[chunk]
            first, second = pairs[numbers].T
            is_different = _find_different(statistics[:, first], statistics[:, second])
            differs = is_different.any(axis=0)
            counts[numbers] += np.count_nonzero(differs, axis=1)
        has_few = counts[unfinished] < ENOUGH
        unfinished = unfinished[has_few]
        if not len(unfinished):
            break
    is_bounding = (counts > 0) & (counts < ENOUGH)
    n_apart = np.minimum(counts, n_units)
    return np.where(is_bounding, n_apart, n_units)


def _find_different(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether numbers differ by more than rounding."""
    is_different: np.ndarray
    if first.dtype.kind in "iu":
        is_different = first != second
    else:
        size = np.maximum(np.abs(first), np.abs(second))
        tie = TOLERANCE * size
        is_different = np.abs(first - second) > tie
    return is_different


# -------------------------------------------------------------------------------------------------
# Statistics x draws -> replicate scores, for all systems and pairs at once.
#
# The sums of a block of replicates serve all systems and pairs. They are exact (see `UnitStatistics`), so the results
# do not depend on how the work is cut up or on the number of workers.


_MOST_KEPT = 1 << 24  # differences, 128 MB: as many as 57 systems have in 9,999 trials
_DRAWING = 0.1  # share of the work that drawing is, where differences are made again
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
    draw_weights: Callable[[int], np.ndarray] | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> np.ndarray:
    """Scores of all systems on bootstrap samples, the same samples for every system.

    `draw_weights` draws the samples of a block, shape (BLOCK, units), in another way than
    `bootstrap_weights`.

    Returns ndarray of float64, shape (systems, n_resamples).
    """

    def score_block(block: int) -> np.ndarray:
        if draw_weights is None:
            weights = bootstrap_weights(data.units, seed, block)
        else:
            weights = draw_weights(block)
        n_left = n_resamples - block * BLOCK
        sums = data.weighted_sums(weights[:n_left])
        return data.score(sums)

    scores = np.empty((data.shape[1], n_resamples))
    for first, block_scores in _run_blocks(score_block, n_resamples, jobs, "resamples", progress):
        last = first + BLOCK
        scores[:, first:last] = block_scores
    # A sample may have no scored segment, where few have a score: it gets the observed score.
    np.copyto(scores, data.scores[:, None], where=np.isnan(scores))
    return scores


def swap_differences(
    data: UnitStatistics,
    pairs: np.ndarray,
    n_trials: int,
    seed: int,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> np.ndarray:
    """Differences score(i) - score(j) after random swaps of units, the same for every pair.

    Shape (pairs, n_trials), or (pairs, all swaps) where there are so few units that all are tried
    (`Units.all_swaps`).

    With M_k the sums of system k over the swapped units and T_k its totals, the swapped sums of the
    pair (i, j) are T_i - M_i + M_j and T_j - M_j + M_i: one product per system serves all pairs.
    """
    n_trials = data.units.all_swaps or n_trials

    def swap_block(block: int) -> np.ndarray:
        bits = swap_bits(data.units, seed, block)
        columns = data.swapped_columns(bits)
        return _swap_pairs(data, columns, pairs)

    differences = np.empty((len(pairs), n_trials))
    for first, block_differences in _run_blocks(swap_block, n_trials, jobs, "swaps", progress):
        n_left = n_trials - first
        last = first + BLOCK
        differences[:, first:last] = block_differences[:, :n_left]
    return differences


def swap_rows(
    data: UnitStatistics,
    pairs: np.ndarray,
    n_trials: int,
    seed: int,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> np.ndarray | Rows:
    """`swap_differences`, or rows that are made again whenever a test looks at a pair.

    Where the differences would take too much memory, only the sums of each system are kept, and
    progress goes on while a test looks at pairs.
    """
    n_trials = data.units.all_swaps or n_trials
    if fits_in_memory(len(pairs), n_trials):
        return swap_differences(data, pairs, n_trials, seed, jobs=jobs, progress=progress)

    def sum_block(block: int) -> np.ndarray:
        bits = swap_bits(data.units, seed, block)
        return data.swapped_columns(bits)

    def report_drawing(stage: str, share: float) -> None:
        if progress is not None:
            progress(stage, _DRAWING * share)

    blocks = [
        columns for _, columns in _run_blocks(sum_block, n_trials, jobs, "swaps", report_drawing)
    ]
    n_made = 0

    def make_rows(rows: slice | np.ndarray) -> np.ndarray:
        nonlocal n_made
        systems, numbers = np.unique(pairs[rows], return_inverse=True)
        pairs_of_rows = numbers.reshape(-1, 2)
        differences = np.empty((len(pairs_of_rows), n_trials))
        for first, columns in zip(range(0, n_trials, BLOCK), blocks, strict=True):
            block = _swap_pairs(data, columns, pairs_of_rows, systems)
            n_left = n_trials - first
            last = first + BLOCK
            differences[:, first:last] = block[:, :n_left]
        n_made += len(differences)
        if progress is not None:
            n_to_make = _LOOKED_AT * len(pairs)
            share = min(1.0, n_made / n_to_make)
            progress("swaps", _DRAWING + (1 - _DRAWING) * share)
        return differences

    return Rows((len(pairs), n_trials), make_rows)


def _swap_pairs(
    data: UnitStatistics,
    columns: np.ndarray,
    pairs: np.ndarray,
    systems: slice | np.ndarray = slice(None),
) -> np.ndarray:
    """Differences of pairs of the systems after swaps, in the fastest way: (pairs, replicates).

    `columns` come from `UnitStatistics.swapped_columns`.
    """
    moved = data.expand(columns, systems)
    totals = data.totals[:, systems, None]
    remaining = totals.astype(moved.dtype) - moved
    if data.n_shared_segments:
        moved_scores = moved[0].astype(np.float64)
        remaining_scores = remaining[0].astype(np.float64)
        return _subtract_means(data.n_shared_segments, remaining_scores, moved_scores, pairs)
    swap = getattr(data.metric.score, "swapped", None)
    n_replicates = moved.shape[2]
    n_operations = 30 * len(pairs) * n_replicates
    if swap is None or not worth_compiling(n_operations):
        return _subtract_scores(data, remaining, moved, pairs)
    differences: np.ndarray = swap(data.metric, remaining, moved, pairs)
    is_missing = np.isnan(differences.min(axis=1))  # compiled code does not fit these pairs
    if is_missing.any():
        missing_pairs = pairs[is_missing]
        differences[is_missing] = _subtract_scores(data, remaining, moved, missing_pairs)
    return differences


def _subtract_scores(
    data: UnitStatistics, remaining: np.ndarray, moved: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    n_stats, _, n_replicates = moved.shape
    runs = _find_runs(pairs)
    differences = np.empty((len(pairs), n_replicates))
    # One piece of memory for all runs: to ask the system for more takes as long as to add.
    most = max(run.n_pairs for run in runs)
    memory = np.empty(n_stats * 2 * most * n_replicates, moved.dtype)
    for run in runs:
        shape = n_stats, 2, run.n_pairs, n_replicates
        n_sums = np.prod(shape)
        sums = memory[:n_sums].reshape(shape)
        np.add(remaining[:, run.first, None], moved[:, run.seconds], out=sums[:, 0])
        np.add(remaining[:, run.seconds], moved[:, run.first, None], out=sums[:, 1])
        first_scores, second_scores = data.score(sums)
        np.subtract(first_scores, second_scores, out=differences[run.rows])
    return differences


def _subtract_means(
    n_segments: int, remaining: np.ndarray, moved: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """The same of means over as many segments whatever is swapped.

    `remaining` and `moved` are sums of segment scores.
    """
    first, second = pairs.T
    n_changes = np.count_nonzero(np.diff(first))
    if n_changes > len(pairs) // 4:  # few pairs in a row share their first system
        differences: np.ndarray = (remaining[first] + moved[second]) / n_segments
        differences -= (remaining[second] + moved[first]) / n_segments
        return differences
    differences = np.empty((len(pairs), moved.shape[1]))
    for run in _find_runs(pairs):
        sums = remaining[run.first] + moved[run.seconds]
        np.divide(sums, n_segments, out=differences[run.rows])
        sums = remaining[run.seconds] + moved[run.first]
        differences[run.rows] -= sums / n_segments
    return differences


def jackknife_scores(data: UnitStatistics) -> np.ndarray:
    """Scores of all systems with each unit left out, shape (systems, units).

    NaN where a system has no score in a unit, so that there is nothing to leave out. For stationary
    blocks the pieces left out are fixed blocks of consecutive segments.
    """
    rows = []
    groups = data.units.jackknife_groups()
    left_out = data.without(groups)
    for sums, totals in zip(left_out, data.totals.T, strict=True):
        scores = np.asarray(data.metric.score(sums))
        if is_segment_mean(data.metric):
            has_score = sums[:, -1] < totals[-1]
            scores = np.where(has_score, scores, np.nan)
        rows.append(scores)
    return np.array(rows)


def all_pairs(n_systems: int) -> np.ndarray:
    """The pairs (i, j) with i < j in lexicographic order, shape (pairs, 2)."""
    return np.stack(np.triu_indices(n_systems, 1), axis=1)


class _Run(NamedTuple):
    """Pairs in a row that share their first system."""

    first: int
    seconds: np.ndarray | slice
    rows: slice

    @property
    def n_pairs(self) -> int:
        return int(self.rows.stop - self.rows.start)


def _find_runs(pairs: np.ndarray) -> list[_Run]:
    runs = []
    starts = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1)).tolist()
    for start, stop in pairwise([*starts, len(pairs)]):
        first = int(pairs[start, 0])
        in_run = pairs[start:stop, 1]
        seconds: np.ndarray | slice = in_run
        if np.all(np.diff(in_run) == 1):
            # A slice reads in place what an index array would copy.
            lowest = int(in_run[0])
            highest = int(in_run[-1])
            seconds = slice(lowest, highest + 1)
        runs.append(_Run(first, seconds, slice(start, stop)))
    return runs


def _run_blocks(
    task: Callable[[int], np.ndarray],
    n_replicates: int,
    jobs: int,
    stage: str,
    progress: Progress | None,
) -> Iterator[tuple[int, np.ndarray]]:
    """(first replicate, result) of each block, in order, computed by any worker."""
    n_blocks = -(-n_replicates // BLOCK)
    firsts = range(0, n_replicates, BLOCK)
    with closing(run_in_order(task, n_blocks, jobs)) as results:
        for first, result in zip(firsts, results, strict=True):
            yield first, result
            if progress is not None:
                share = (first + BLOCK) / n_replicates
                progress(stage, min(1.0, share))


# -------------------------------------------------------------------------------------------------
# Segment scores with gaps: what pairs of systems have in common.


def find_scored(metric: Metric, statistics: np.ndarray | Columns) -> np.ndarray | None:
    """Whether each system has a score of each segment, shape (systems, segments).

    None where no score is missing.
    """
    if isinstance(statistics, Columns) or not is_segment_mean(metric):
        return None
    has_score: np.ndarray = statistics[..., -1] > 0
    if has_score.all():
        return None
    return has_score


def has_gaps(metric: Metric, statistics: np.ndarray | Columns) -> bool:
    """Whether a system lacks a score that another has."""
    return find_scored(metric, statistics) is not None


def count_common_segments(
    metric: Metric, statistics: np.ndarray | Columns, pairs: np.ndarray
) -> np.ndarray:
    """Number of segments that both systems of each pair have, shape (pairs,)."""
    has_score = find_scored(metric, statistics)
    if has_score is None:
        return np.full(len(pairs), statistics.shape[1])
    by_system = has_score.astype(float)  # a product of floats is the fastest
    n_common = np.rint(by_system @ by_system.T).astype(int)
    first, second = pairs.T
    return np.asarray(n_common[first, second])


def pair_statistics(statistics: np.ndarray, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Statistics of pairs, each on the segments that both have a score for; and the pairs in these.

    Shape (2 * pairs, segments, stats). Every pair gets two rows. All functions of systems take
    them, with the same draws, so that a null stays joint for all pairs. Statistics are (score, 1),
    or (0, 0) where there is no score.

    >>> two = np.array([[[80, 1], [70, 1]], [[60, 1], [0, 0]]])
    >>> pair_statistics(two, np.array([[0, 1]]))[0].tolist()
    [[[80, 1], [0, 0]], [[60, 1], [0, 0]]]
    """
    has_score = statistics[pairs, :, -1:]
    is_common = has_score.prod(axis=1, keepdims=True)
    both = statistics[pairs] * is_common
    rows = both.reshape(-1, *statistics.shape[1:])
    pairs_of_rows = np.arange(len(rows)).reshape(-1, 2)
    return rows, pairs_of_rows


def segment_scores(metric: Metric, statistics: np.ndarray | Columns) -> np.ndarray | None:
    """Return the scores of single segments, NaN for a segment without a score.

    None for a metric that is not their mean, such as a mean of the means of domains. Scores are
    rounded to multiples of a power of two, 2^-42 of the largest, so that .1 + .2 is .3.
    """
    if isinstance(statistics, Columns) or not is_segment_mean(metric) or statistics.shape[-1] > 2:
        return None
    scores, counts = np.moveaxis(statistics, -1, 0)
    largest_score = np.abs(scores).max(initial=0.0)
    rounded = round_to_bits(scores, largest_score, 42)
    return np.where(counts > 0, rounded, np.nan)


# -------------------------------------------------------------------------------------------------
# A test set as one metric sees it: counted once, for all that is computed from it.


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
        if isinstance(self.stored, Columns):
            return self.stored.statistics()
        return self.stored

    @cached_property
    def totals(self) -> np.ndarray:
        """The statistics of all segments together, shape (systems, stats)."""
        if isinstance(self.stored, Columns):
            return self.stored.totals().T
        return np.asarray(self.stored.sum(axis=1))

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return list(self.testset.systems)

    @property
    def sign(self) -> int:
        """Return the sign that turns a difference of scores into an improvement."""
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
        """As the function `segment_scores`."""
        return segment_scores(self.metric, self.stored)

    def best_first(self) -> Measured:
        """The same with the systems in the order of their scores."""
        return self._select(self.order)

    def only(self, names: Iterable[str]) -> Measured:
        """The same with only these systems, in this order.

        `SettingError` for one that has no score.
        """
        available = self.names
        rows = []
        for name in names:
            if name not in available:
                suggestion = suggest_name(name, available)
                systems = ", ".join(available)
                raise SettingError(
                    f"No system {name!r} with a score by {self.metric.name}.{suggestion} "
                    f"Systems that have one: {systems}."
                )
            rows.append(available.index(name))
        return self._select(np.array(rows, dtype=int))

    def units(self, kind: str = "auto", block_length: float | None = None) -> Units:
        """The units that are drawn or swapped; see `make_units`."""
        return make_units(self.testset, kind, block_length)

    def sum_by(self, units: Units) -> UnitStatistics:
        """The statistics by unit, ready to be drawn."""
        return UnitStatistics(self.metric, self.stored, units)

    def counter(self) -> CountSegments:
        """The function that counts some segments as a test set; see `part_counter`."""
        return part_counter(self.metric, self.testset, self.statistics)

    def _select(self, rows: np.ndarray) -> Measured:
        names = [self.names[row] for row in rows]
        if names == self.names:
            return self
        systems = {name: self.testset.systems[name] for name in names}
        stored = self.stored
        if isinstance(stored, Columns):
            stored = stored.only(rows)
        else:
            stored = stored[rows]
        testset = replace(self.testset.only(names), systems=systems)
        return Measured(testset, self.metric, stored)


def measure(
    testset: TestSet,
    metric: MetricLike,
    *,
    progress: Progress | None = None,
) -> Measured:
    """Count what a metric needs of a test set, and leave out what it cannot compare.

    >>> ts = TestSet("toy", {"A": ["a b c d x"], "B": ["a b c d e"]}, {"ref": ["a b c d e"]})
    >>> measured = measure(ts, "wer")
    >>> measured.scores.tolist(), measured.best_first().names
    ([20.0, 0.0], ['B', 'A'])
    """
    metric = resolve_metric(testset, metric)
    statistics = cached_statistics(metric, testset, progress)
    if not is_segment_mean(metric):
        if statistics.dtype in (np.int32, np.int64):
            return Measured(testset, metric, Columns.from_statistics(statistics))
        return Measured(testset, metric, statistics)
    has_score = statistics[..., -1] > 0
    systems = np.flatnonzero(has_score.any(axis=1))
    segments = np.flatnonzero(has_score.any(axis=0))
    if not len(systems):
        raise SettingError(
            f"{testset.name} has no score by {metric.name} for these systems and segments. Choose "
            "others, or another metric."
        )
    if (len(systems), len(segments)) != has_score.shape:
        names = list(testset.systems)
        names_with_score = [names[k] for k in systems]
        testset = testset.take(segments.tolist()).only(names_with_score)
        statistics = statistics[np.ix_(systems, segments)]
    return Measured(testset, metric, statistics)
