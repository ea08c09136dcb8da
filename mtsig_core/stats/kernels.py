"""Compiled loops over random draws; see `mtsig_core.stats.resampling` for what they mean."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from mtsig_core._compiled import compiled

# Philox4x64: what is multiplied by, and what is added to the key each round (the fractions of the
# golden ratio and of the square root of 3).
_FIRST, _SECOND = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
_GOLDEN, _SQRT3 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)


def _multiply(typing: Any, a: Any, b: Any) -> Any:
    """The upper half of the product of two numbers of 64 bits: one instruction, which numba has no
    word for.
    """

    def upper_half(context: Any, builder: Any, signature: Any, numbers: Any) -> Any:
        double = ir.IntType(128)
        product = builder.mul(*(builder.zext(number, double) for number in numbers))
        return builder.trunc(builder.lshr(product, ir.Constant(double, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), upper_half


_high: Any = intrinsic(_multiply)


@compiled
def random_words(key: np.ndarray, first: int, words: np.ndarray) -> None:
    """Fill words with what `numpy.random.Philox` gives from its first-th four on, in two thirds of
    the time.

    Philox4x64-10 (Salmon et al. 2011): a counter is enciphered in ten rounds.

    `key`: ndarray of uint64, shape (2,); `first`: fours of words passed over; `words`: ndarray of
    uint64, a multiple of four of them.
    """
    counter, none = np.uint64(first + 1), np.uint64(0)
    for at in range(len(words) // 4):
        a, b, c, d, this, that = counter + np.uint64(at), none, none, none, key[0], key[1]
        for _ in range(10):
            p, q, r, s = _high(_FIRST, a), _FIRST * a, _high(_SECOND, c), _SECOND * c
            a, b, c, d = r ^ b ^ this, s, p ^ d ^ that, q
            this += _GOLDEN
            that += _SQRT3
        words[4 * at], words[4 * at + 1], words[4 * at + 2], words[4 * at + 3] = a, b, c, d


@compiled
def count_uniform(
    key: np.ndarray, words: np.ndarray, draws: np.ndarray, fresh: int, counts: np.ndarray
) -> None:
    """Draw units evenly, as many in each replicate as there are, and count how often each was
    drawn.

    What `numpy.random.Generator.integers` on 16 or 32 bits would draw (Lemire 2019): the high half
    of a random number times units is the unit, and a number whose low half lies below 2^bits mod
    units is passed over.

    `key`: ndarray of uint64, shape (2,), of `random_words`; `words`: ndarray of uint64, room for
    random words, a multiple of four; `draws`: ndarray of uint16 or uint32, the same room, as
    numbers of so many bits; `fresh`: rows that numpy fills in one go: of numbers of 16 bits the
    second half of 32 is left over after them; `counts`: shape (replicates, units), counted on.
    """
    n_rows, n = counts.shape
    bits = 8 * draws.itemsize
    many, high, low = np.uint64(n), np.uint64(bits), np.uint64((1 << bits) - 1)
    threshold = np.uint64((1 << bits) % n)
    units, accepted = np.empty(n, np.uint32), np.empty(n, np.uint16)
    first, at = 0, len(draws)
    for row in range(n_rows):
        if bits == 16 and row % fresh == 0:
            at += at % 2
        here, left = counts[row], n
        while left:
            if at == len(draws):
                random_words(key, first, words)
                first, at = first + len(words) // 4, 0
            some = draws[at : at + left]
            for k in range(
                len(some)
            ):  # apart from what is counted, so that many are reckoned at once
                product = many * some[k]
                units[k], accepted[k] = product >> high, (product & low) >= threshold
            for k in range(len(some)):
                here[units[k]] += accepted[k]
            for k in range(len(some)):
                left -= accepted[k]
            at += len(some)


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
    """One coin per block: swaps (replicates, segments) takes the coin of the block that a segment
    lies in.

    The segments before the first beginning belong to the last block, for the segments lie on a
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
    """Add up the rows of the units that are swapped: three times as fast as a product of the
    matrices.

    Of each four units the sums of all 16 ways to swap them are made once, and then looked up
    (Arlazarov, Dinic, Kronrod and Faradzev 1970).

    `swaps`: ndarray of uint8, shape (replicates, bytes), a bit for each unit, the first unit of a
    byte highest; `first`: the unit that the columns begin with, a multiple of 16; `columns`:
    ndarray of uint64, shape (units, words), of a multiple of 16 units. Each word is four numbers of
    16 bits; what they add up to must stay below 2^16. Returns: shape (replicates, words).
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
