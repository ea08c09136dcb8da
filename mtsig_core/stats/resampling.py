"""What is drawn or swapped (units), and the random draws themselves.

All randomness comes from here. Replicates are made in fixed blocks of `BLOCK`, each from a
generator keyed by (seed, stream, block), so a replicate is the same whatever the number of
replicates asked for, of workers, or of systems compared.
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
_FASTER = 3  # nanoseconds a draw that compiled code saves
_DRAWN_AT_ONCE = 1 << 18  # random numbers that stay in the cache
_WORDS_AT_ONCE = 1 << 10  # and in the nearest one
_COUNTED_AT_ONCE = (
    1 << 13
)  # that a process has the memory for: to ask the system for more takes as long as to count
_MOST_ENUMERATED = 13  # units whose swaps are all tried: 8,191, fewer than are drawn by default
_BOOTSTRAP_STREAM, _SWAP_STREAM, _SUBSET_STREAM, _METRIC_STREAM = 0, 1, 2, 3


@dataclass(frozen=True, eq=False)
class Units:
    """The units of resampling of one test set."""

    # ``"segment"``, ``"document"``, or ``"block"`` (stationary blocks of consecutive segments)
    kind: str
    #: int, shape (segments,): The number of the unit that each segment belongs to. For blocks,
    #: which are drawn anew for every replicate, each segment is its own unit here.
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
        return (
            float(self.pieces)
            if self.kind != "document"
            else effective_number(np.bincount(self.index))
        )

    @property
    def pieces(self) -> int:
        """Number of independent pieces the test set is taken to have; for blocks, segments over
        mean length.
        """
        return self.n if self.block_length is None else max(1, round(self.n / self.block_length))

    @property
    def all_swaps(self) -> int | None:
        """In how many ways some of the units can be swapped, 2^n - 1, where they are few enough to
        try each; else None.

        Stationary blocks are cut anew for every swap, so theirs cannot be counted.
        """
        return 2**self.n - 1 if self.block_length is None and self.n <= _MOST_ENUMERATED else None

    def sum(self, statistics: np.ndarray) -> np.ndarray:
        """Sum segment statistics by unit, shape (systems, segments, stats) -> (systems, units,
        stats).
        """
        return statistics if self.kind != "document" else sum_groups(statistics, self.index)

    def jackknife_groups(self) -> np.ndarray:
        """The piece that each unit is left out with in a jackknife: its own, or its fixed block of
        consecutive ones.
        """
        if self.block_length is None:
            return np.arange(self.n)
        return np.minimum(np.arange(self.n) * self.pieces // self.n, self.pieces - 1)


def effective_number(sizes: np.ndarray) -> float:
    """Units of equal size that units of these sizes are worth (Kish 1965): (sum w)^2 / sum w^2, 0
    of none.

    The mean of independent units has a variance of sigma^2 / n where each weighs the same, and
    sigma^2 over this number where they weigh w.

    >>> effective_number(np.array([10, 10, 10])), effective_number(np.array([28, 1, 1]))
    (3.0, 1.1450381679389312)
    """
    squares = float(np.sum(np.square(sizes, dtype=float)))
    return float(np.sum(sizes)) ** 2 / squares if squares else 0.0


def group_positions(index: np.ndarray) -> list[np.ndarray]:
    """The positions of each number from 0 on, ascending, as the segments of each unit or
    document.
    """
    order = np.argsort(index, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(index[order])) + 1)


def make_units(testset: TestSet, kind: str = "auto", block_length: float | None = None) -> Units:
    """The units of a test set; ``auto`` is the document where it has document ids, else the
    segment.

    Stationary blocks have a mean length of at least 1, by default twice the mean document length,
    25 without ids. Raises SettingError for an unknown kind, documents without ids, or a block
    length that makes no sense.
    """
    n = testset.n_segments
    if kind == "auto":
        kind = "segment" if testset.documents is None else "document"
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
        block_length = min(
            float(n), 25.0 if testset.n_documents is None else 2 * n / testset.n_documents
        )
    if not 1 <= block_length <= n:
        raise SettingError(
            f"Block length {block_length:g} is not between 1 and the number of segments, {n}."
        )
    return Units(kind, np.arange(n), n, float(block_length))


def bootstrap_weights(units: Units, seed: int, block: int) -> np.ndarray:
    """How often each unit occurs in each bootstrap sample of a block.

    Segments and documents are drawn independently with replacement. Stationary blocks (Politis and
    Romano 1994) are drawn on a circle: starts uniform, lengths geometric with mean `block_length`,
    the first n segments kept.

    Returns ndarray of uint16, shape (BLOCK, units); each row sums to the number of units.
    """
    counts = np.zeros((BLOCK, units.n), dtype=np.uint16)
    dtype = np.dtype(np.uint16 if units.n <= 1 << 16 else np.uint32)
    if units.block_length is None and worth_compiling(_FASTER * counts.size):
        from mtsig_core.stats import kernels  # late: it imports numba

        words = np.empty(_WORDS_AT_ONCE, np.uint64)
        fresh = next(row_chunks(BLOCK, units.n, _DRAWN_AT_ONCE)).stop
        kernels.count_uniform(
            _key(seed, _BOOTSTRAP_STREAM, block), words, words.view(dtype), fresh, counts
        )
        return counts
    rng = _generator(seed, _BOOTSTRAP_STREAM, block)
    for rows in row_chunks(BLOCK, units.n, _DRAWN_AT_ONCE):
        here = counts[rows]
        draws = rng.integers(0, units.n, here.shape, dtype=dtype)
        if units.block_length is not None:
            from mtsig_core.stats import kernels

            kernels.count_stationary(_begins(rng, here.shape, units.block_length), draws, here)
            continue
        for few in row_chunks(len(draws), units.n, _COUNTED_AT_ONCE):
            places = draws[few] + np.arange(few.stop - few.start, dtype=np.int64)[:, None] * units.n
            here[few] = np.bincount(places.ravel(), minlength=places.size).reshape(places.shape)
    return counts


def swap_bits(units: Units, seed: int, block: int) -> np.ndarray:
    """Which units trade places between two systems in each replicate of a block, each with
    probability 1/2; 64 units in a word, as many words as it takes. What the bits after the last
    unit are is left open.

    With stationary blocks the circle of segments is cut anew for every replicate, and one coin is
    tossed per block. That is ours: Politis and Romano (1994) only resample. Where all swaps can be
    tried (`Units.all_swaps`) replicate k swaps the units of the digits 1 in the binary number k +
    1, whatever the seed, so that the first 2^n - 1 are all there are but for none swapped.

    Returns ndarray of uint64, shape (BLOCK, words); each byte as `numpy.packbits` makes it.
    """
    if units.all_swaps is not None:
        numbers = 1 + block * BLOCK + np.arange(BLOCK)[:, None]
        return _packed((numbers >> np.arange(units.n) & 1).astype(np.uint8))
    if units.block_length is None:
        return _toss(units.n, seed, block)
    from mtsig_core.stats import kernels

    rng = _generator(seed, _SWAP_STREAM, block)
    toss_coins = unpack_bits(rng.bit_generator.random_raw((BLOCK, -(-units.n // 64))), units.n)
    swapped = np.empty_like(toss_coins)
    for rows in row_chunks(BLOCK, units.n, _DRAWN_AT_ONCE):
        begins = _begins(rng, (rows.stop - rows.start, units.n), units.block_length)
        kernels.swap_stationary(begins, toss_coins[rows], swapped[rows])
    return _packed(swapped)


def unpack_bits(words: np.ndarray, n: int) -> np.ndarray:
    """The first n bits of each row: shape (rows, words) -> (rows, n), uint8."""
    return np.unpackbits(words.view(np.uint8), axis=1, count=n)


def toss_coins(n: int, seed: int, block: int) -> np.ndarray:
    """Fair coins for n units in each replicate of a block: the swaps of units too many to try them
    all.

    Returns ndarray of uint8, shape (BLOCK, n).
    """
    return unpack_bits(_toss(n, seed, block), n)


def cell_bits(n_systems: int, n_units: int, n_trials: int, seed: int) -> np.ndarray:
    """Fair coins for each unit of each system: where two metrics trade their scores.

    Packed as `swap_bits` are.

    Returns ndarray of uint64, shape (systems, trials, words).
    """
    words = -(-n_units // 64)
    blocks = [
        _generator(seed, _METRIC_STREAM, block).bit_generator.random_raw((BLOCK, n_systems, words))
        for block in range(-(-n_trials // BLOCK))
    ]
    return np.ascontiguousarray(np.concatenate(blocks)[:n_trials].transpose(1, 0, 2))


def draw_subset(n_units: int, size: int, seed: int, repeat: int) -> np.ndarray:
    """Random units of a test set, in random order: without replacement, beyond the set's own size
    with.

    Keyed by (seed, size, repeat), so a subset is the same whatever other sizes are drawn.

    Returns ndarray of int, shape (size,).
    """
    rng = _generator(seed, _SUBSET_STREAM, size << 16 | repeat)
    drawn: np.ndarray = rng.choice(n_units, size, replace=size > n_units)
    return drawn


def _generator(seed: int, stream: int, block: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=_key(seed, stream, block)))


def _key(seed: int, stream: int, block: int) -> np.ndarray:
    return np.array(
        [seed, stream << 48 | block], dtype=np.uint64
    )  # a plain list would round large seeds


def _toss(n: int, seed: int, block: int) -> np.ndarray:
    return _generator(seed, _SWAP_STREAM, block).bit_generator.random_raw((BLOCK, -(-n // 64)))


def _packed(bits: np.ndarray) -> np.ndarray:
    words = np.zeros((len(bits), -(-bits.shape[1] // 64)), np.uint64)
    words.view(np.uint8)[:, : -(-bits.shape[1] // 8)] = np.packbits(bits, axis=1)
    return words


def _begins(rng: np.random.Generator, size: tuple[int, int], block_length: float) -> np.ndarray:
    return rng.random(size, dtype=np.float32) < np.float32(1 / block_length)


def sum_groups(statistics: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Sums by the number of each segment in the index, (systems, segments, stats) -> (systems,
    groups, stats); int64 of whole numbers, else float64.
    """
    order = np.argsort(index, kind="stable")
    firsts = np.flatnonzero(np.diff(index[order], prepend=-1))
    dtype = np.int64 if statistics.dtype.kind in "iu" else np.float64
    return np.add.reduceat(statistics[:, order], firsts, axis=1, dtype=dtype)
