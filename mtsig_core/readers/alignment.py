"""Where a text goes out of step with its reference: line counts that differ, and lines in another order."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mtsig_core.testset import text_lengths

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
WORD_PATTERN = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]|\w+")

_Arrivals = Iterator[tuple[np.ndarray, np.ndarray]]  # the costs and first faults of each way


class Fault(NamedTuple):
    """The first place where an output goes out of step with its reference.

    `kind` is ``joined`` (a line of the output holds two of the reference), ``split`` (two lines of the output
    hold one), ``missing`` or ``extra``. `line` counts from 1: in the reference if missing, else in the output.
    """

    kind: str
    line: int


def find_first_fault(reference: Sequence[str], output: Sequence[str]) -> Fault | None:
    """The likeliest first line at which an output of another length goes out of step with its reference.

    An alignment in the manner of Gale and Church (1993, A Program for Aligning Sentences in Bilingual Corpora,
    section 3) with the moves 1-1, 2-1, 1-2, 1-0 and 0-1, and two differences. Common words count beside lengths,
    as both texts are mostly of one language. And only alignments with the fewest moves other than 1-1 compete:
    real outputs have lines of odd lengths, which two opposite moves explain all too easily. So the band is as
    wide as the counts differ, and is run through diagonal by diagonal, with cumulative sums and minima.

    `reference`, `output`: the lines of the two texts. Returns: None if the counts are equal, or the texts so long or so
    different in length that a search is no help.

    Examples
    --------
    >>> reference = ["A cat sat.", "It was warm.", "Dogs ran by."]
    >>> find_first_fault(reference, ["A cat sat. It was warm.", "The dogs ran by."])
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
    ref, output, lines = price.ref, price.out, np.arange(len(best))
    yield (_shift(best, 2, OUTSIDE) + price.pair(ref(-2) + ref(-1), output(shift - 2)) + JOINED_OR_SPLIT,
           _keep_first(_shift(fault, 2, -1), 2 * (lines - 2 + shift)))
    yield (_shift(best, 1, OUTSIDE) + ref(-1).outside + MISSING_OR_EXTRA,
           _keep_first(_shift(fault, 1, -1), 2 * (lines - 1) + 1))


def _arrivals_with_more(best: np.ndarray, fault: np.ndarray, shift: int, price: _Prices) -> _Arrivals:
    """Costs and first faults of coming from diagonal `shift` to the next one with one line of output more."""
    ref, output, lines = price.ref, price.out, np.arange(len(best))
    two = output(shift - 1) + output(shift)
    # Any place of the cut is as likely as another: hence the logarithm of their number.
    yield (_shift(best, 1, OUTSIDE) + price.pair(ref(-1), two) + np.log1p(two.length) + JOINED_OR_SPLIT,
           _keep_first(_shift(fault, 1, -1), 2 * (lines - 1 + shift)))
    yield best + price.price_extra(output(shift)) + MISSING_OR_EXTRA, _keep_first(fault, 2 * (lines + shift) + 1)


def _shift(values: np.ndarray, n_places: int, fill: float) -> np.ndarray:
    """The values `n_places` places further on."""
    return np.concatenate([np.full(n_places, fill, dtype=values.dtype), values[:len(values) - n_places]])


def _keep_first(fault: np.ndarray, current: np.ndarray) -> np.ndarray:
    """The fault already on the way, or this one if there is none."""
    return np.where(fault >= 0, fault, current)


@dataclass(frozen=True)
class _Lines:
    """What is compared of lines: characters, words as the bits of a Bloom filter, and a price for not being there."""

    length: np.ndarray
    words: np.ndarray
    outside: np.ndarray

    @classmethod
    def from_texts(cls, texts: Sequence[str], margin: int) -> _Lines:
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
    for word in set(WORD_PATTERN.findall(text.lower())):
        bits |= 1 << zlib.crc32(word.encode("utf-8", "replace")) % WORD_BITS
    return bits.to_bytes(WORD_BITS // 8, "little")


class _Prices:
    """What lines cost: together as translations of one source, or alone."""

    def __init__(self, reference: Sequence[str], output: Sequence[str], margin: int):
        self.n_places = len(reference) + 1
        self.margin = margin
        self._ref, self._out = _Lines.from_texts(reference, margin), _Lines.from_texts(output, margin)
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

    def price_extra(self, out: _Lines) -> np.ndarray:
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


# -- the same number of lines, in another order ------------------------------------------------------------------

_WINDOW = 15  # lines whose lengths are correlated
_ALIKE = 0.8  # correlation of the lengths in a window from which on its lines are in step
_DUBIOUS = 20  # windows of a text whose words are compared, those with the lowest correlations
_IN_STEP = 0.3  # share of lines of a window that share more with their own reference line than with its neighbours
_NEIGHBOURS = (0, -2, -1, 1, 2, 7)  # the line itself, and those it is compared with
_SEARCHED = 2000  # lines among which the place of each is looked for
_MOVED = 12  # lines that fit better elsewhere, beyond those that fit where they are
_BITS = 20  # of the hash of a piece of a line
_RARE = 0.01  # of the lines: a piece that more of them have tells nothing
_BETTER = 0.15  # how much better the lengths correlate with those of the lines found elsewhere
_TELLING, _UNLIKE = 100, 0.2  # lines, and the correlation of their lengths below which they do not belong together


class Reordering(NamedTuple):
    """The part of a text whose lines fit other lines of the reference.

    `start` and `stop` bound that part, `moved` are its lines that have a clear place elsewhere, and `places` the lines
    of the reference that they fit; all count from 0.
    """

    start: int
    stop: int
    moved: np.ndarray
    places: np.ndarray

    @property
    def shift(self) -> int | None:
        """By how many lines the reference comes later, where most lines agree on it."""
        if not len(self.moved):
            return None
        shifts, counts = np.unique(self.places - self.moved, return_counts=True)
        return int(shifts[counts.argmax()]) if counts.max() >= 0.7 * len(self.moved) else None


def find_reordering(reference: Sequence[str | None], output: Sequence[str | None]) -> Reordering | None:
    """The lines of an output that fit other lines of the reference than those they stand beside.

    Three steps, each only where the one before leaves a doubt: correlations of the lengths in windows; words that lines
    of the dubious windows share with their own reference line and with another; and for each of up to 2,000 lines, the
    reference line that shares most of its rare pieces. A line has moved where the two lines prefer each other. The part
    is the stretch with the most of them, less those that prefer their own line (Kadane's maximum sum). Its lengths
    must also fit better there than where they are, which those of a bad translation do not.

    `reference`, `output`: as many lines each. Returns: None where the lines are in step, or too few or too unlike the
    reference to tell.

    Examples
    --------
    >>> lines = [f"{k * k} is the square of {k}, " + "more " * (k * k % 11) for k in range(50)]
    >>> find_reordering(lines, lines) is None, find_reordering(lines, lines[20:] + lines[:20]).moved.size
    (True, 50)
    """
    if min(len({*reference}), len({*output})) < _MOVED:  # each distinct line has one clear place
        return None
    lengths = np.stack([text_lengths(reference), text_lengths(output)])
    lines = np.flatnonzero(lengths.min(axis=0) > 0)
    if len(lines) < _WINDOW:
        return None
    logs = np.log(lengths[:, lines] + SHORT)
    dubious = _dubious_windows(logs)
    window = next((window for window in dubious if not _is_in_step(*(
        _pick_lines(texts, lines[window:window + _WINDOW]) for texts in (reference, output)))), None)
    if window is None:
        return None
    first = int(np.clip(window - _SEARCHED // 2, 0, max(0, len(lines) - _SEARCHED)))
    lines, logs = lines[first:first + _SEARCHED], logs[:, first:first + _SEARCHED]
    place, mutual = _find_best_places(*(_pick_lines(texts, lines) for texts in (reference, output)))
    in_place = place == np.arange(len(place))
    total = np.concatenate([[0], np.cumsum(mutual * np.where(in_place, -1, 1))])
    gain = total - np.minimum.accumulate(total)
    stop = int(gain.argmax())
    start = stop - int((total[stop::-1] == total[stop] - gain[stop]).argmax())
    moved = np.flatnonzero(mutual & ~in_place)
    moved = moved[(moved >= start) & (moved < stop)]
    if gain[stop] < _MOVED:
        return None
    fit_in_place, fit_elsewhere = (_correlate(logs[0, places], logs[1, moved]) for places in (moved, place[moved]))
    if fit_elsewhere < fit_in_place + _BETTER:  # those found elsewhere are found by chance
        if stop - start < _TELLING or _correlate(*logs[:, start:stop]) > _UNLIKE:
            return None
        moved = moved[:0]
    return Reordering(int(lines[start]), int(lines[stop - 1]) + 1, lines[moved], lines[place[moved]])


def _pick_lines(texts: Sequence[str | None], lines: np.ndarray) -> list[str]:
    return [texts[line] or "" for line in lines]


def _correlate(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a, b)[0, 1]) if len(a) > 1 and np.ptp(a) and np.ptp(b) else 0.0


def _dubious_windows(logs: np.ndarray) -> list[int]:
    """Where windows begin whose lengths hardly correlate, the worst first."""
    begins = np.unique(np.append(np.arange(0, logs.shape[1] - _WINDOW, _WINDOW // 2), logs.shape[1] - _WINDOW))

    def mean(values: np.ndarray) -> np.ndarray:
        sums = np.concatenate([[0], np.cumsum(values)])
        means: np.ndarray = (sums[begins + _WINDOW] - sums[begins]) / _WINDOW
        return means

    a, b = logs - logs.mean(axis=1, keepdims=True)
    variance = (mean(a * a) - mean(a) ** 2) * (mean(b * b) - mean(b) ** 2)
    alike = (mean(a * b) - mean(a) * mean(b)) / np.sqrt(np.maximum(variance, 1e-12))
    order = np.argsort(alike, kind="stable")
    worst: list[int] = begins[order[alike[order] < _ALIKE]][:_DUBIOUS].tolist()
    return worst


def _is_in_step(reference: Sequence[str], output: Sequence[str]) -> bool:
    """Whether most lines share more with their own reference line than with its neighbours."""
    reference_features, features = ([_find_features(text) for text in texts] for texts in (reference, output))
    best = 0
    for k, words in enumerate(features):
        share, *others = (len(words & line) / (len(words) + len(line))
                          for line in (reference_features[(k + step) % len(reference_features)]
                                       for step in _NEIGHBOURS))
        best += share > max(others)
    return best >= _IN_STEP * len(features)


def _find_features(text: str) -> set[Any]:
    """The words of a line; the pairs of its characters where it has hardly any spaces."""
    words = text.split()
    return {*words} if 12 * len(words) > len(text) else {*zip(text, text[1:], strict=False)}


def _find_best_places(reference: Sequence[str], output: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """For each line of the output, the line of the reference that shares most rare pieces with it; and whether that one
    prefers it, too."""
    from scipy import sparse  # late: seldom needed

    size = 2 if sum(map(ord, "".join(reference[::10]))) > 0x2E80 * sum(map(len, reference[::10])) / 2 else 5
    pieces = [_hash_pieces(texts, size) for texts in (reference, output)]
    known, n_lines = np.unique(pieces[0][1], return_counts=True)
    rare = n_lines <= max(2, _RARE * len(reference))
    known, weights = known[rare], np.log(len(reference) / n_lines[rare]) + 0.1
    matrices = []
    for rows, cells in pieces:
        columns = np.minimum(np.searchsorted(known, cells), max(0, len(known) - 1))
        keep = known[columns] == cells if len(known) else np.zeros(len(cells), bool)
        rows, columns = rows[keep], columns[keep]
        norm = np.sqrt(np.bincount(rows, weights[columns] ** 2, minlength=len(reference)))
        matrices.append(sparse.csr_matrix((weights[columns] / norm[rows], (rows, columns)),
                                          shape=(len(reference), len(known))))
    alike = (matrices[1] @ matrices[0].T).toarray()
    place = alike.argmax(axis=1)
    every = np.arange(len(place))
    return place, (alike.argmax(axis=0)[place] == every) & (alike[every, place] > 0)


def _hash_pieces(texts: Sequence[str], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Which line has which pieces of `size` characters, as hashes; each once."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    n = max(0, len(codes) - size + 1)
    hashes = np.zeros(n, np.uint64)
    for k in range(size):
        hashes = hashes * np.uint64(1_000_003) + codes[k:k + n]
    hashes = (hashes * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - _BITS)
    in_one_line = rows[:n] == rows[len(rows) - n:]
    rows_and_hashes = np.sort((rows[:n][in_one_line] << _BITS) + hashes[in_one_line].astype(np.int64))
    rows_and_hashes = rows_and_hashes[np.diff(rows_and_hashes, prepend=-1) > 0]  # np.unique takes ten times as long
    return rows_and_hashes >> _BITS, rows_and_hashes & ((1 << _BITS) - 1)
