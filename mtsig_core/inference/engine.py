"""Statistics x draws -> replicate scores, for all systems and pairs at once.

The sums of a block of replicates serve all systems and pairs. They are exact (see `unit_statistics`), so the results do
not depend on how the work is cut up or on the number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import numpy as np

from mtsig_core._compiled import worth_compiling
from mtsig_core.inference.parallel import in_order
from mtsig_core.inference.resampling import BLOCK, bootstrap_weights, swap_bits
from mtsig_core.inference.row_chunks import Rows
from mtsig_core.inference.unit_statistics import UnitStatistics, in_bits
from mtsig_core.metrics import is_segment_mean

__all__ = ["Progress", "Stages", "UnitStatistics", "bootstrap_scores", "swap_differences", "swap_rows",
           "jackknife_scores", "all_pairs", "in_bits"]

#: Called with the share of the work that is done, between blocks; may raise `Cancelled` to stop it.
Progress = Callable[[float], None]
#: What gives a stage of the work, by its name, something to report to; None where nobody wants to know.
Stages = Callable[[str], Progress | None]

_MOST_KEPT = 1 << 24  # differences, 128 MB: those of 57 systems and 9,999 trials
_DRAWING = 0.1  # share of the work that drawing is, where differences are made anew
_LOOKED_AT = 4  # times that a test looks at each pair then: for p, spread, step of Romano-Wolf, root mean square


def bootstrap_scores(data: UnitStatistics, n_resamples: int, seed: int, *, jobs: int = 1,
                     progress: Progress | None = None) -> np.ndarray:
    """Scores of all systems on bootstrap samples, the same samples for every system.

    Returns
    -------
    ndarray of float64, shape (systems, n_resamples)
    """
    def block_scores(block: int) -> np.ndarray:
        weights = bootstrap_weights(data.units, seed, block)[:n_resamples - block * BLOCK]
        return data.score(data.weighted_sums(weights))

    scores = np.empty((data.shape[1], n_resamples))
    for at, block in _in_blocks(block_scores, n_resamples, jobs, progress):
        scores[:, at:at + BLOCK] = block
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
        return _differences(data, data.swapped_columns(swap_bits(data.units, seed, block)), pairs)

    out = np.empty((len(pairs), n_trials))
    for at, block in _in_blocks(block_differences, n_trials, jobs, progress):
        out[:, at:at + BLOCK] = block[:, :n_trials - at]
    return out


def swap_rows(data: UnitStatistics, pairs: np.ndarray, n_trials: int, seed: int, *, jobs: int = 1,
              progress: Progress | None = None) -> np.ndarray | Rows:
    """The same as `swap_differences`; where they would take too much memory, made anew whenever a pair is looked at.

    What is kept then are the sums of each system, and progress goes on while pairs are looked at.
    """
    n_trials = data.units.all_swaps or n_trials
    if len(pairs) * n_trials <= _MOST_KEPT:
        return swap_differences(data, pairs, n_trials, seed, jobs=jobs, progress=progress)

    def block_columns(block: int) -> np.ndarray:
        return data.swapped_columns(swap_bits(data.units, seed, block))

    made = 0

    def make(rows: slice | np.ndarray) -> np.ndarray:
        nonlocal made
        systems, places = np.unique(pairs[rows], return_inverse=True)
        differences = np.empty((len(pairs[rows]), n_trials))
        for at, columns in zip(range(0, n_trials, BLOCK), blocks, strict=True):
            block = _differences(data, columns, places.reshape(-1, 2), systems)
            differences[:, at:at + BLOCK] = block[:, :n_trials - at]
        made += len(differences)
        if progress is not None:
            progress(_DRAWING + (1 - _DRAWING) * min(1.0, made / (_LOOKED_AT * len(pairs))))
        return differences

    drawn = None if progress is None else lambda share: progress(_DRAWING * share)
    blocks = [columns for _, columns in _in_blocks(block_columns, n_trials, jobs, drawn)]
    return Rows((len(pairs), n_trials), make)


def _differences(data: UnitStatistics, columns: np.ndarray, pairs: np.ndarray,
                 systems: slice | np.ndarray = slice(None)) -> np.ndarray:
    """Differences of pairs of the systems after swaps, the fastest way there is: shape (pairs, replicates).

    columns are those of `UnitStatistics.swapped_columns`.
    """
    moved = data.of_all(columns, systems)
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
    first, second = pairs.T
    if np.count_nonzero(np.diff(first)) > len(pairs) // 4:  # few in a row share their first, as in no order
        apart: np.ndarray = (kept[first] + moved[second]) / data.counted
        apart -= (kept[second] + moved[first]) / data.counted
        return apart
    differences = np.empty((len(pairs), kept.shape[1]))
    for i, j, rows in _by_first(pairs):
        np.divide(kept[i] + moved[j], data.counted, out=differences[rows])
        differences[rows] -= (kept[j] + moved[i]) / data.counted
    return differences


def jackknife_scores(data: UnitStatistics) -> np.ndarray:
    """Scores of all systems with each unit left out, shape (systems, units); NaN where a system has no score in a unit,
    so that there is nothing to leave out.

    For stationary blocks the pieces left out are fixed blocks of consecutive segments.
    """
    groups, rows = data.units.jackknife_groups(), []
    for sums, totals in zip(data.without(groups), data.totals.T, strict=True):
        scores = np.asarray(data.metric.score(sums))
        rows.append(np.where(sums[:, -1] < totals[-1], scores, np.nan) if is_segment_mean(data.metric) else scores)
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


def _in_blocks(task: Callable[[int], np.ndarray], n_replicates: int, jobs: int,
               progress: Progress | None) -> Iterator[tuple[int, np.ndarray]]:
    """(first replicate, result) of each block, in order, whoever computes it."""
    with closing(in_order(task, -(-n_replicates // BLOCK), jobs)) as results:
        for at, result in zip(range(0, n_replicates, BLOCK), results, strict=True):
            yield at, result
            if progress is not None:
                progress(min(1.0, (at + BLOCK) / n_replicates))
