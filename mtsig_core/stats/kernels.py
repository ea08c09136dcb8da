"""Compiled loops over random draws; see `mtsig_core.stats.resampling` for what they mean."""

import numpy as np

from mtsig_core._compiled import compiled


@compiled
def count_draws(drawn: np.ndarray, counts: np.ndarray) -> None:
    """Count how often each unit was drawn, shape (replicates, draws), on to counts, shape (replicates, units)."""
    for r in range(drawn.shape[0]):
        row, here = drawn[r], counts[r]
        for k in range(len(row)):
            here[row[k]] += 1


@compiled
def count_stationary(begins: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> None:
    """Count how often each segment is in blocks on a circle: counts (replicates, segments).

    begins (replicates, segments) says where a new block begins, starts the segment it begins with.
    """
    n = counts.shape[1]
    for r in range(begins.shape[0]):
        position = starts[r, 0]
        for t in range(n):
            if begins[r, t]:
                position = starts[r, t]
            counts[r, position] += 1
            position += 1
            if position == n:
                position = 0


@compiled
def swap_stationary(begins: np.ndarray, coins: np.ndarray, swaps: np.ndarray) -> None:
    """One coin per block: swaps (replicates, segments) takes the coin of the block that a segment lies in.

    The segments before the first beginning belong to the last block, for the segments lie on a circle.
    """
    n = swaps.shape[1]
    for r in range(begins.shape[0]):
        current = coins[r, 0]
        for t in range(n - 1, -1, -1):
            if begins[r, t]:
                current = coins[r, t]
                break
        for t in range(n):
            if begins[r, t]:
                current = coins[r, t]
            swaps[r, t] = current


@compiled
def sum_swapped(swaps: np.ndarray, first: int, columns: np.ndarray) -> np.ndarray:
    """Add up the rows of the units that are swapped: three times as fast as a product of the matrices.

    Of each four units the sums of all 16 ways to swap them are made once, and then looked up (Arlazarov, Dinic, Kronrod
    and Faradzev 1970).

    `swaps`: ndarray of uint8, shape (replicates, bytes), a bit for each unit, the first unit of a byte highest;
    `first`: the unit that the columns begin with, a multiple of 16; `columns`: ndarray of uint64, shape (units, words),
    of a multiple of 16 units. Each word is four numbers of 16 bits; what they add up to must stay below 2^16. Returns:
    shape (replicates, words).
    """
    n_units, n_words = columns.shape
    sums = np.zeros((swaps.shape[0], n_words), np.uint64)
    ways = np.zeros((4, 16, n_words), np.uint64)
    four = np.uint64(15)
    for at in range(0, n_units, 16):
        for k in range(16):
            unit, few, step = at + 8 * (k // 8) + 7 - k % 8, k // 4, 1 << k % 4
            for way in range(step):
                for w in range(n_words):
                    ways[few, step + way, w] = ways[few, way, w] + columns[unit, w]
        byte = (first + at) // 8
        for r in range(swaps.shape[0]):
            low, high = np.uint64(swaps[r, byte]), np.uint64(swaps[r, byte + 1])
            a, b, c, d = low & four, low >> np.uint64(4), high & four, high >> np.uint64(4)
            for w in range(n_words):
                sums[r, w] += ways[0, a, w] + ways[1, b, w] + ways[2, c, w] + ways[3, d, w]
    return sums


@compiled
def sum_runs(rows: np.ndarray, chosen: np.ndarray, sums: np.ndarray) -> None:
    """Add chosen rows to sums (runs, columns): the chosen are cut into as many runs, as equal as can be."""
    n = len(sums)
    for run in range(n):
        here = sums[run]
        for k in range(run * len(chosen) // n, (run + 1) * len(chosen) // n):
            row = rows[chosen[k]]
            for column in range(rows.shape[1]):
                here[column] += row[column]
