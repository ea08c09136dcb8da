"""Where a text goes out of step with its reference, for the message about their line counts."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

__all__ = ["Fault", "first_fault"]

MAX_LINES = 60_000  # longer texts and greater differences are not searched: the counts say enough
MAX_DIFFERENCE = 20

# Costs in nats, as the log densities of lengths are: of moves rarer than 1-1, of two lines without a common word,
# and of a line beyond the ends of the text.
JOINED_OR_SPLIT = 4.0
MISSING_OR_EXTRA = 5.0
NO_COMMON_WORD = 9.0
OUTSIDE = 1e6

SHORT = 4.0  # characters added to each length, so that short lines may differ by a few
WORD_BITS = 256

# Chinese, Japanese and Korean characters stand for themselves, other scripts make words.
WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]|\w+")

_Arrivals = Iterator[tuple[np.ndarray, np.ndarray]]  # the costs and first faults of each way


class Fault(NamedTuple):
    """The first place where an output goes out of step with its reference.

    `kind` is ``joined`` (a line of the output holds two of the reference), ``split`` (two lines of the output
    hold one), ``missing`` or ``extra``. `line` counts from 1: in the reference if missing, else in the output.
    """

    kind: str
    line: int


def first_fault(reference: Sequence[str], output: Sequence[str]) -> Fault | None:
    """The likeliest first line at which an output of another length goes out of step with its reference.

    An alignment in the manner of Gale and Church (1993, A Program for Aligning Sentences in Bilingual Corpora,
    section 3) with the moves 1-1, 2-1, 1-2, 1-0 and 0-1, and two differences. Common words count beside lengths,
    as both texts are mostly of one language. And only alignments with the fewest moves other than 1-1 compete:
    real outputs have lines of odd lengths, which two opposite moves explain all too easily. So the band is as
    wide as the counts differ, and is run through diagonal by diagonal, with cumulative sums and minima.

    Parameters
    ----------
    reference, output : sequence of str
        The lines of the two texts.

    Returns
    -------
    Fault or None
        None if the counts are equal, or the texts so long or so different in length that a search is no help.

    Examples
    --------
    >>> first_fault(["A cat sat.", "It was warm.", "Dogs ran by."], ["A cat sat. It was warm.", "The dogs ran by."])
    Fault(kind='joined', line=1)
    """
    n, m = len(reference), len(output)
    difference = abs(m - n)
    if difference == 0 or difference > min(MAX_DIFFERENCE, n // 2) or max(n, m) > MAX_LINES:
        return None
    price = _Prices(reference, output, margin=difference + 2)
    step = 1 if m > n else -1

    # best[i] is the cost of the best way to i lines of the reference and i + shift lines of the output, and
    # fault[i] the first move other than 1-1 on it, as 2 * line + (which of the two possible moves).
    best = price.diagonal(0)
    fault = np.full(n + 1, -1)
    for shift in range(0, m - n, step):
        arrive = _arrivals_with_more if step > 0 else _arrivals_with_fewer
        costs, faults = (np.stack(values) for values in zip(*arrive(best, fault, shift, price), strict=True))
        choice = costs.argmin(axis=0)[None]
        entry, entry_fault = (np.take_along_axis(values, choice, axis=0)[0] for values in (costs, faults))
        diagonal = price.diagonal(shift + step)
        lead = np.minimum.accumulate(entry - diagonal)
        is_new = np.concatenate([[True], lead[1:] < lead[:-1]])
        entered = np.maximum.accumulate(np.where(is_new, np.arange(n + 1), 0))
        best, fault = diagonal + lead, entry_fault[entered]

    line, move = divmod(int(fault[n]), 2)
    return Fault((("split", "extra") if step > 0 else ("joined", "missing"))[move], line + 1)


def _arrivals_with_fewer(best: np.ndarray, fault: np.ndarray, shift: int, price: _Prices) -> _Arrivals:
    """Costs and first faults of coming from diagonal `shift` to the next one with one line of output fewer."""
    ref, out, here = price.ref, price.out, np.arange(len(best))
    yield (_moved(best, 2, OUTSIDE) + price.pair(ref(-2) + ref(-1), out(shift - 2)) + JOINED_OR_SPLIT,
           _earlier(_moved(fault, 2, -1), 2 * (here - 2 + shift)))
    yield (_moved(best, 1, OUTSIDE) + ref(-1).outside + MISSING_OR_EXTRA,
           _earlier(_moved(fault, 1, -1), 2 * (here - 1) + 1))


def _arrivals_with_more(best: np.ndarray, fault: np.ndarray, shift: int, price: _Prices) -> _Arrivals:
    """Costs and first faults of coming from diagonal `shift` to the next one with one line of output more."""
    ref, out, here = price.ref, price.out, np.arange(len(best))
    two = out(shift - 1) + out(shift)
    # Any place of the cut is as likely as another: hence the logarithm of their number.
    yield (_moved(best, 1, OUTSIDE) + price.pair(ref(-1), two) + np.log1p(two.length) + JOINED_OR_SPLIT,
           _earlier(_moved(fault, 1, -1), 2 * (here - 1 + shift)))
    yield best + price.alone(out(shift)) + MISSING_OR_EXTRA, _earlier(fault, 2 * (here + shift) + 1)


def _moved(values: np.ndarray, by: int, fill: float) -> np.ndarray:
    """The values `by` places further on."""
    return np.concatenate([np.full(by, fill, dtype=values.dtype), values[:len(values) - by]])


def _earlier(fault: np.ndarray, now: np.ndarray) -> np.ndarray:
    """The fault already on the way, or this one if there is none."""
    return np.where(fault >= 0, fault, now)


@dataclass(frozen=True)
class _Lines:
    """What is compared of lines: characters, words as the bits of a Bloom filter, and a price for not being there."""

    length: np.ndarray
    words: np.ndarray
    outside: np.ndarray

    @classmethod
    def of(cls, texts: Sequence[str], margin: int) -> _Lines:
        """The lines of a text, between `margin` lines that are not there."""
        bits = np.frombuffer(b"".join(map(_word_bits, texts)), np.uint64).reshape(len(texts), -1)
        return cls(np.pad(np.array([len(text) for text in texts], dtype=float), margin),
                   np.pad(bits, [(margin, margin), (0, 0)]),
                   np.pad(np.zeros(len(texts)), margin, constant_values=OUTSIDE))

    def part(self, start: int, size: int) -> _Lines:
        place = slice(start, start + size)
        return _Lines(self.length[place], self.words[place], self.outside[place])

    def __add__(self, other: _Lines) -> _Lines:
        """Each line and the one beside it taken as one."""
        return _Lines(self.length + other.length, self.words | other.words, self.outside + other.outside)


def _word_bits(text: str) -> bytes:
    bits = 0
    for word in set(WORD.findall(text.lower())):
        bits |= 1 << zlib.crc32(word.encode("utf-8", "replace")) % WORD_BITS
    return bits.to_bytes(WORD_BITS // 8, "little")


class _Prices:
    """What lines cost: together as translations of one source, or alone."""

    def __init__(self, reference: Sequence[str], output: Sequence[str], margin: int):
        self.n_places = len(reference) + 1
        self.margin = margin
        self._ref, self._out = _Lines.of(reference, margin), _Lines.of(output, margin)
        log_ref, log_out = (np.log(lines.length[margin:-margin] + SHORT) for lines in (self._ref, self._out))
        # Before the first fault lines pair off from the start, after the last from the end. The other half of these
        # pairs lies about the same middle, however widely.
        k = min(len(log_ref), len(log_out))
        growth = np.stack([log_out[:k] - log_ref[:k], log_out[-k:] - log_ref[-k:]])
        self.growth = np.median(growth)
        self.spread = max(1.2 * np.median(np.abs(growth - self.growth).min(axis=0)), 0.03)
        self.mean, self.sd = log_out.mean(), log_out.std() + 0.1

    def ref(self, start: int) -> _Lines:
        """Line i + start of the reference, for each place i."""
        return self._ref.part(self.margin + start, self.n_places)

    def out(self, start: int) -> _Lines:
        """Line i + start of the output, for each place i."""
        return self._out.part(self.margin + start, self.n_places)

    def pair(self, ref: _Lines, out: _Lines) -> np.ndarray:
        """Minus the log density of the output's length given the reference's, plus the cost of other words.

        Student's t with 3 degrees of freedom for the logarithm of the length: a wild line must not outweigh
        many good ones.
        """
        log_length = np.log(out.length + SHORT)
        z = (log_length - np.log(ref.length + SHORT) - self.growth) / self.spread
        density = 2 * np.log1p(z * z / 3) + np.log(self.spread) + log_length
        price: np.ndarray = density + NO_COMMON_WORD * (1 - _overlap(ref.words, out.words)) + ref.outside + out.outside
        return price

    def alone(self, out: _Lines) -> np.ndarray:
        """Minus the log density of the length of a line that translates nothing; an empty one is a common case."""
        log_length = np.log(out.length + SHORT)
        density = 0.5 * ((log_length - self.mean) / self.sd) ** 2 + np.log(self.sd) + log_length
        price: np.ndarray = np.where(out.length == 0, 0, density) + out.outside
        return price

    def diagonal(self, shift: int) -> np.ndarray:
        """The cost of the first i pairs of line j of the reference and line j + shift of the output, for each i."""
        return np.concatenate([[0.0], np.cumsum(self.pair(self.ref(0), self.out(shift))[:-1])])


def _overlap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Common words as a share of the mean of both, 0 to 1, beyond what filters so full have in common by chance."""
    common, in_a, in_b = (np.bitwise_count(x).sum(axis=-1, dtype=float) for x in (a & b, a, b))
    by_chance = in_a * in_b / WORD_BITS
    share: np.ndarray = np.clip((common - by_chance) / ((in_a + in_b) / 2 - by_chance + 1), 0, 1)
    return share
