"""Compiled loops over random draws; see `mtsig_core.stats.resampling` for their meaning."""

import numpy as np

from mtsig_core._compiled import compiled


@compiled
def count_draws(draws: np.ndarray, counts: np.ndarray) -> None:
    """Count how often each unit is drawn in each row, both of shape (replicates, units)."""
    for r in range(draws.shape[0]):
        row = counts[r]
        for k in range(draws.shape[1]):
            row[draws[r, k]] += 1


@compiled
def count_stationary(begins: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> None:
    """Count how often each segment is in blocks on a circle: counts (replicates, segments).

    `begins`, shape (replicates, segments): whether a new block begins; `starts`: its first segment.
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
    """Swap segments, shape (replicates, segments), by one coin per block.

    The segments before the first beginning belong to the last block, as the segments are on a
    circle.
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
    """Add up the rows of the units that are swapped, three times as fast as a matrix product.

    For every four units, the sums of all 16 ways to swap them are computed once and then looked up
    (Arlazarov, Dinic, Kronrod and Faradzev 1970).

    `swaps`: ndarray of uint8, shape (replicates, bytes), a bit for each unit, the first unit of a
    byte highest; `first`: the unit that the columns begin with, a multiple of 16; `columns`:
    ndarray of uint64, shape (units, words), of a multiple of 16 units. Each word is four numbers of
    16 bits; what they add up to must stay below 2^16. Returns: shape (replicates, words).
    """
    n_units, n_words = columns.shape
    sums = np.zeros((swaps.shape[0], n_words), np.uint64)
    ways = np.zeros((4, 16, n_words), np.uint64)
    low_bits = np.uint64(15)
    half_byte = np.uint64(4)
    for group in range(0, n_units, 16):
        for k in range(16):
            # Bit k of the two bytes of a group; the highest bit of a byte is its first unit.
            first_of_byte = group + 8 * (k // 8)
            unit = first_of_byte + 7 - k % 8
            four = k // 4
            bit = 1 << k % 4
            for way in range(bit):
                for w in range(n_words):
                    ways[four, bit + way, w] = ways[four, way, w] + columns[unit, w]
        byte = (first + group) // 8
        for r in range(swaps.shape[0]):
            first_byte = np.uint64(swaps[r, byte])
            second_byte = np.uint64(swaps[r, byte + 1])
            a = first_byte & low_bits
            b = first_byte >> half_byte
            c = second_byte & low_bits
            d = second_byte >> half_byte
            for w in range(n_words):
                first_sum = ways[0, a, w] + ways[1, b, w]
                second_sum = ways[2, c, w] + ways[3, d, w]
                sums[r, w] += first_sum + second_sum
    return sums
