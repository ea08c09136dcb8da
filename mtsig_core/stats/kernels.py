"""Compiled loops over random draws; see `mtsig_core.stats.resampling` for their meaning."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from mtsig_core._compiled import compiled

# Philox4x64: the two factors, and the two numbers that each round adds to the key (the fractions of
# the golden ratio and of the square root of 3).
_FIRST = np.uint64(0xD2E7470EE14C6C93)
_SECOND = np.uint64(0xCA5A826395121157)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SQRT3 = np.uint64(0xBB67AE8584CAA73B)


def _multiply(typing: Any, a: Any, b: Any) -> Any:  # noqa: ARG001  numba calls it
    """The upper half of the product of two numbers of 64 bits.

    One instruction, which numba does not offer.
    """

    def upper_half(context: Any, builder: Any, signature: Any, numbers: Any) -> Any:  # noqa: ARG001  numba calls it
        double = ir.IntType(128)
        first, second = numbers
        product = builder.mul(builder.zext(first, double), builder.zext(second, double))
        shifted = builder.lshr(product, ir.Constant(double, 64))
        return builder.trunc(shifted, ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), upper_half


_high: Any = intrinsic(_multiply)


@compiled
def random_words(key: np.ndarray, first: int, words: np.ndarray) -> None:
    """Fill words with the numbers of `numpy.random.Philox`, in two thirds of its time.

    Philox4x64-10 (Salmon et al. 2011): a counter is enciphered in ten rounds.

    `key`: ndarray of uint64, shape (2,); `first`: fours of words to skip; `words`: ndarray of
    uint64, a multiple of four of them.
    """
    counter = np.uint64(first + 1)
    zero = np.uint64(0)
    for four in range(len(words) // 4):
        a = counter + np.uint64(four)
        b = zero
        c = zero
        d = zero
        first_key = key[0]
        second_key = key[1]
        for _ in range(10):
            high_a = _high(_FIRST, a)
            low_a = _FIRST * a
            high_c = _high(_SECOND, c)
            low_c = _SECOND * c
            a = high_c ^ b ^ first_key
            b = low_c
            c = high_a ^ d ^ second_key
            d = low_a
            first_key += _GOLDEN
            second_key += _SQRT3
        words[4 * four] = a
        words[4 * four + 1] = b
        words[4 * four + 2] = c
        words[4 * four + 3] = d


@compiled
def count_uniform(
    key: np.ndarray, words: np.ndarray, draws: np.ndarray, fresh: int, counts: np.ndarray
) -> None:
    """Draw units evenly, as many in each replicate as there are, and count each.

    The draws of `numpy.random.Generator.integers` on 16 or 32 bits (Lemire 2019): the high half of
    a random number times units is the unit, and a number whose low half is below 2^bits mod units
    is skipped.

    `key`: ndarray of uint64, shape (2,), of `random_words`; `words`: ndarray of uint64, memory for
    random words, a multiple of four; `draws`: ndarray of uint16 or uint32, the same memory, as
    numbers of so many bits; `fresh`: rows that numpy fills in one call: of numbers of 16 bits the
    second half of 32 is left over after them; `counts`: shape (replicates, units), increased.
    """
    n_rows, n = counts.shape
    bits = 8 * draws.itemsize
    n_units = np.uint64(n)
    n_bits = np.uint64(bits)
    low_bits = np.uint64((1 << bits) - 1)
    threshold = np.uint64((1 << bits) % n)
    units = np.empty(n, np.uint32)
    is_accepted = np.empty(n, np.uint16)
    first = 0
    position = len(draws)
    for row in range(n_rows):
        if bits == 16 and row % fresh == 0:
            position += position % 2
        row_counts = counts[row]
        n_left = n
        while n_left:
            if position == len(draws):
                random_words(key, first, words)
                first = first + len(words) // 4
                position = 0
            chunk = draws[position : position + n_left]
            # Three loops, so that the processor computes several numbers at once in two of them.
            for k in range(len(chunk)):
                product = n_units * chunk[k]
                units[k] = product >> n_bits
                is_accepted[k] = (product & low_bits) >= threshold
            for k in range(len(chunk)):
                row_counts[units[k]] += is_accepted[k]
            for k in range(len(chunk)):
                n_left -= is_accepted[k]
            position += len(chunk)


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
