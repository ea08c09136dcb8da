"""The units that are drawn or swapped, and the random draws.

All randomness comes from here. Replicates are made in fixed blocks of `BLOCK`, each from a
generator keyed by (seed, stream, block), so a replicate does not depend on the number of
replicates, workers or systems.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mtsig_core._compiled import worth_compiling
from mtsig_core.errors import SettingError
from mtsig_core.stats.arrays import row_chunks
from mtsig_core.testset import TestSet

#: Replicates per block: the unit of parallel work, and what bounds memory.
BLOCK = 256
UNITS = ("segment", "document", "block")
_FASTER = 2  # nanoseconds a draw that compiled code saves
_DRAWN_AT_ONCE = 1 << 18  # random numbers that stay in the cache
#: Draws whose memory a process has already: to ask the system for more takes as long as to count.
_COUNTED_AT_ONCE = 1 << 13
_MOST_ENUMERATED = 13  # units whose swaps are all tried: 8,191, fewer than are drawn by default
_BOOTSTRAP_STREAM = 0
_SWAP_STREAM = 1
_SUBSET_STREAM = 2
_METRIC_STREAM = 3


@dataclass(frozen=True, eq=False)
class Units:
    """The units of resampling of one test set."""

    # ``"segment"``, ``"document"``, or ``"block"`` (stationary blocks of consecutive segments)
    kind: str
    #: int, shape (segments,): The number of the unit that each segment belongs to. For blocks,
    #: which are drawn again for every replicate, each segment is a unit here.
    index: np.ndarray
    n: int  # number of units drawn from
    block_length: float | None = None  # mean length of a block in segments; None for other kinds

    @classmethod
    def segments(cls, n: int) -> Units:
        """Each of n segments as a unit."""
        return cls("segment", np.arange(n), n)

    @property
    def effective(self) -> float:
        """Number of units of equal size that these are worth; for blocks, the number of pieces."""
        if self.kind == "document":
            return effective_number(np.bincount(self.index))
        return float(self.pieces)

    @property
    def pieces(self) -> int:
        """Number of units, which are taken as independent; for blocks, segments over mean length."""
        if self.block_length is None:
            return self.n
        return max(1, round(self.n / self.block_length))

    @property
    def all_swaps(self) -> int | None:
        """In how many ways some of the units can be swapped, 2^n - 1, where all can be tried.

        None where they are too many, and for stationary blocks, which are cut again for every swap.
        """
        if self.block_length is not None or self.n > _MOST_ENUMERATED:
            return None
        return (1 << self.n) - 1

    def sum(self, statistics: np.ndarray) -> np.ndarray:
        """Sum segment statistics by unit, (systems, segments, stats) -> (systems, units, stats)."""
        if self.kind == "document":
            return sum_groups(statistics, self.index)
        return statistics

    def jackknife_groups(self) -> np.ndarray:
        """Return the group with which a jackknife leaves out each unit.

        A group is the unit itself, or its fixed block of consecutive units.
        """
        if self.block_length is None:
            return np.arange(self.n)
        return np.minimum(np.arange(self.n) * self.pieces // self.n, self.pieces - 1)


def effective_number(sizes: np.ndarray) -> float:
    """Units of equal size that units of these sizes are worth: (sum w)^2 / sum w^2, 0 of none.

    Kish (1965). The mean of independent units has a variance of sigma^2 / n where each weighs the
    same, and sigma^2 over this number where they weigh w.

    >>> effective_number(np.array([10, 10, 10])), effective_number(np.array([28, 1, 1]))
    (3.0, 1.1450381679389312)
    """
    squares = float(np.sum(np.square(sizes, dtype=float)))
    if squares:
        return float(np.sum(sizes)) ** 2 / squares
    return 0.0


def group_positions(index: np.ndarray) -> list[np.ndarray]:
    """The positions of each number from 0 on, ascending: the segments of each unit."""
    order = np.argsort(index, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(index[order])) + 1)


def make_units(testset: TestSet, kind: str = "auto", block_length: float | None = None) -> Units:
    """The units of a test set; ``auto`` is the document where there are ids, else the segment.

    Stationary blocks have a mean length of at least 1, by default twice the mean document length,
    25 without ids. Raises SettingError for an unknown kind, documents without ids, or a block
    length that makes no sense.
    """
    n = testset.n_segments
    if kind == "auto":
        kind = "document"
        if testset.documents is None:
            kind = "segment"
    if kind not in UNITS:
        raise SettingError(f"Unknown unit {kind!r}. Expected auto, {', '.join(UNITS)}.")
    if block_length is not None and kind != "block":
        raise SettingError(f"A block length goes with unit 'block', not with {kind!r}.")
    if kind == "document":
        index = testset.document_index
        return Units(kind, index, int(index.max()) + 1)
    if kind == "segment":
        return Units(kind, np.arange(n), n)
    if block_length is None:
        # Documents that the bootstrap should keep together lie within blocks of about twice their
        # length.
        block_length = 25.0
        if testset.n_documents is not None:
            block_length = 2 * n / testset.n_documents
        block_length = min(float(n), block_length)
    if not 1 <= block_length <= n:
        raise SettingError(
            f"Block length {block_length:g} is not between 1 and the number of segments, {n}."
        )
    return Units(kind, np.arange(n), n, float(block_length))


def bootstrap_weights(units: Units, seed: int, block: int) -> np.ndarray:
    """Count how often each unit occurs in each bootstrap sample of a block.

    Segments and documents are drawn independently with replacement. Stationary blocks (Politis and
    Romano 1994) are drawn on a circle: starts uniform, lengths geometric with mean `block_length`,
    the first n segments kept.

    Returns ndarray of uint16, shape (BLOCK, units); each row sums to the number of units.
    """
    counts = np.zeros((BLOCK, units.n), dtype=np.uint16)
    dtype = np.dtype(np.uint16 if units.n <= 1 << 16 else np.uint32)
    rng = _generator(seed, _BOOTSTRAP_STREAM, block)
    for rows in row_chunks(BLOCK, units.n, _DRAWN_AT_ONCE):
        chunk = counts[rows]
        draws = rng.integers(0, units.n, chunk.shape, dtype=dtype)
        if units.block_length is None and not worth_compiling(_FASTER * chunk.size):
            _count_draws(draws, chunk)
            continue
        from mtsig_core.stats import kernels  # late: it imports numba

        if units.block_length is None:
            kernels.count_draws(draws, chunk)
        else:
            begins = _draw_begins(rng, chunk.shape, units.block_length)
            kernels.count_stationary(begins, draws, chunk)
    return counts


def _count_draws(draws: np.ndarray, counts: np.ndarray) -> None:
    """Count how often each unit is drawn in each row, both of shape (replicates, units)."""
    n = draws.shape[1]
    for rows in row_chunks(len(draws), n, _COUNTED_AT_ONCE):
        chunk = draws[rows]
        # Numbers that differ between rows, so that one call counts several rows.
        row = np.arange(len(chunk), dtype=np.int64)[:, None]
        numbers = (chunk + row * n).ravel()
        counts[rows] = np.bincount(numbers, minlength=chunk.size).reshape(chunk.shape)


def swap_bits(units: Units, seed: int, block: int) -> np.ndarray:
    """Which units are swapped between two systems in each replicate of a block.

    Each with probability 1/2; 64 units in a word, as many words as it takes. The bits after the
    last unit are undefined.

    With stationary blocks the circle of segments is cut again for every replicate, and one coin is
    tossed per block. That is ours: Politis and Romano (1994) only resample. Where all swaps can be
    tried (`Units.all_swaps`) replicate k swaps the units of the digits 1 in the binary number k +
    1, whatever the seed, so that the first 2^n - 1 are all there are except none swapped.

    Returns ndarray of uint64, shape (BLOCK, words); each byte as `numpy.packbits` makes it.
    """
    if units.all_swaps is not None:
        numbers = 1 + block * BLOCK + np.arange(BLOCK)[:, None]
        digits = numbers >> np.arange(units.n) & 1
        return _pack_bits(digits.astype(np.uint8))
    if units.block_length is None:
        return _toss(units.n, seed, block)
    from mtsig_core.stats import kernels

    rng = _generator(seed, _SWAP_STREAM, block)
    coins = unpack_bits(rng.bit_generator.random_raw((BLOCK, _count_words(units.n))), units.n)
    swapped = np.empty_like(coins)
    for rows in row_chunks(BLOCK, units.n, _DRAWN_AT_ONCE):
        begins = _draw_begins(rng, swapped[rows].shape, units.block_length)
        kernels.swap_stationary(begins, coins[rows], swapped[rows])
    return _pack_bits(swapped)


def unpack_bits(words: np.ndarray, n: int) -> np.ndarray:
    """The first n bits of each row: shape (rows, words) -> (rows, n), uint8."""
    return np.unpackbits(words.view(np.uint8), axis=1, count=n)


def toss_coins(n: int, seed: int, block: int) -> np.ndarray:
    """Fair coins for n units in each replicate of a block: the swaps of units that are many.

    Returns ndarray of uint8, shape (BLOCK, n).
    """
    return unpack_bits(_toss(n, seed, block), n)


def cell_bits(n_systems: int, n_units: int, n_trials: int, seed: int) -> np.ndarray:
    """Fair coins for each unit of each system: where two metrics trade their scores.

    Packed as `swap_bits` are.

    Returns ndarray of uint64, shape (systems, trials, words).
    """
    shape = BLOCK, n_systems, _count_words(n_units)
    blocks = []
    for block in range(-(-n_trials // BLOCK)):
        rng = _generator(seed, _METRIC_STREAM, block)
        blocks.append(rng.bit_generator.random_raw(shape))
    by_trial = np.concatenate(blocks)[:n_trials]
    return np.ascontiguousarray(by_trial.transpose(1, 0, 2))


def draw_subset(n_units: int, size: int, seed: int, repeat: int) -> np.ndarray:
    """Random units of a test set, in random order.

    Without replacement, but with it if there are not so many. Keyed by (seed, size, repeat), so a
    subset does not depend on the other sizes that are drawn.

    Returns ndarray of int, shape (size,).
    """
    rng = _generator(seed, _SUBSET_STREAM, size << 16 | repeat)
    return np.asarray(rng.choice(n_units, size, replace=size > n_units))


def _generator(seed: int, stream: int, block: int) -> np.random.Generator:
    # An array, as a list would round large seeds.
    key = np.array([seed, stream << 48 | block], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key))


def _toss(n: int, seed: int, block: int) -> np.ndarray:
    rng = _generator(seed, _SWAP_STREAM, block)
    return rng.bit_generator.random_raw((BLOCK, _count_words(n)))


def _count_words(n_bits: int) -> int:
    """The words of 64 bits that so many bits fill."""
    return -(-n_bits // 64)


def _pack_bits(bits: np.ndarray) -> np.ndarray:
    packed = np.packbits(bits, axis=1)
    words = np.zeros((len(bits), _count_words(bits.shape[1])), np.uint64)
    words.view(np.uint8)[:, : packed.shape[1]] = packed
    return words


def _draw_begins(
    rng: np.random.Generator, size: tuple[int, ...], block_length: float
) -> np.ndarray:
    """Whether a new stationary block begins at each segment of each replicate."""
    return rng.random(size, dtype=np.float32) < np.float32(1 / block_length)


def sum_groups(statistics: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Sum by the number of each segment in the index.

    (systems, segments, stats) -> (systems, groups, stats); int64 of whole numbers, else float64.
    """
    order = np.argsort(index, kind="stable")
    firsts = np.flatnonzero(np.diff(index[order], prepend=-1))
    dtype: type[np.number] = np.float64
    if statistics.dtype.kind in "iu":
        dtype = np.int64
    return np.add.reduceat(statistics[:, order], firsts, axis=1, dtype=dtype)
