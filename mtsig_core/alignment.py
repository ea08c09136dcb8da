"""Where a text goes out of step with its reference: line counts that differ, and lines in another
order.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mtsig_core.testset import text_lengths

MAX_LINES = 60_000  # longer texts and greater differences are not searched: the counts say enough
MAX_DIFFERENCE = 20
_SHORT = 4.0  # characters added to each length, so that short lines may differ by a few
_SPREAD, _WORDS = 0.3, 4.0  # of the logarithms of lengths; what it costs two lines to share no word
_FILTER = 256  # bits for a line's words
#: Chinese, Japanese and Korean characters stand for themselves, other scripts make words.
_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]|\w+")


def find_first_fault(reference: Sequence[str], output: Sequence[str]) -> int | None:
    """The line, from 1, at which an output of another length most likely goes out of step with its
    reference.

    The lines of the shorter text are paired with those of the longer, in order, so that as few of
    the longer are left over as must be. Pairs are good that share words and have the usual ratio of
    lengths, as in Gale and Church (1993). Diagonal by diagonal, `best` is the cost of pairing the
    first lines of the shorter text, and `fault` where the first line was left over on the way
    there.

    Returns: None if the counts are equal, or the texts so long or so different in length that a
    search is no help.

    Examples
    --------
    >>> reference = ["A cat sat.", "It was warm.", "Dogs ran by."]
    >>> find_first_fault(reference, ["A cat sat.", "Dogs ran by."])
    2
    """
    short, long = sorted((reference, output), key=len)
    difference = len(long) - len(short)
    if not 0 < difference <= min(MAX_DIFFERENCE, len(reference) // 2) or len(long) > MAX_LINES:
        return None
    words = [_filter_words(texts) for texts in (short, long)]
    logs = [np.log(text_lengths(texts) + _SHORT) for texts in (short, long)]
    n = len(short)
    # Before the first fault lines pair off from the start, after the last from the end.
    usual = np.median(np.concatenate([logs[0] - logs[1][:n], logs[0] - logs[1][difference:]]))

    def add_up(shift: int) -> np.ndarray:
        """The cost of the first k pairs of line j and line j + `shift`, for each k."""
        own = slice(shift, shift + n)
        lengths = np.log1p(((logs[0] - logs[1][own] - usual) / _SPREAD) ** 2)
        return np.concatenate(
            [[0.0], np.cumsum(lengths - _WORDS * _overlap(words[0], words[1][own]))]
        )

    best, fault = add_up(0), np.arange(n + 1)
    for shift in range(1, difference + 1):
        costs = add_up(shift)
        gains = best - costs
        lead = np.minimum.accumulate(gains)
        fault = fault[np.maximum.accumulate(np.where(gains == lead, np.arange(n + 1), 0))]
        best = costs + lead
    return int(fault[n]) + 1


def _filter_words(texts: Sequence[str]) -> np.ndarray:
    """The words of each line as the bits of a Bloom filter."""
    filters = bytearray()
    for text in texts:
        bits = 0
        for word in set(_WORD.findall(text.lower())):
            bits |= 1 << zlib.crc32(word.encode("utf-8", "replace")) % _FILTER
        filters += bits.to_bytes(_FILTER // 8, "little")
    return np.frombuffer(bytes(filters), np.uint64).reshape(len(texts), -1)


def _overlap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Common words as a share of the mean of both, 0 to 1, beyond what filters so full have in
    common by chance.
    """
    common, in_a, in_b = (np.bitwise_count(x).sum(axis=-1, dtype=float) for x in (a & b, a, b))
    by_chance = in_a * in_b / _FILTER
    share: np.ndarray = np.clip((common - by_chance) / ((in_a + in_b) / 2 - by_chance + 1), 0, 1)
    return share


# -- the same number of lines, in another order ---------------------------------------------------

_WINDOW = 15  # lines whose lengths are correlated
_ALIKE = 0.8  # correlation of the lengths in a window from which on its lines are in step
_DUBIOUS = 20  # windows of a text whose words are compared, those with the lowest correlations
# share of lines of a window that share more with their own reference line than with its neighbours
_IN_STEP = 0.3
_NEIGHBOURS = (0, -2, -1, 1, 2, 7)  # the line itself, and those it is compared with
_SEARCHED = 2000  # lines among which the place of each is looked for
_MOVED = 12  # lines that fit better elsewhere, beyond those that fit where they are
_BITS = 20  # of the hash of a piece of a line
_RARE = 0.01  # of the lines: a piece that more of them have tells nothing
_BETTER = 0.15  # how much better the lengths correlate with those of the lines found elsewhere
_TELLING, _UNLIKE = (
    100,
    0.2,
)  # lines, and the correlation of their lengths below which they do not belong together


class Reordering(NamedTuple):
    """The part of a text whose lines fit other lines of the reference.

    `start` and `stop` bound that part, `moved` are its lines that have a clear place elsewhere, and
    `places` the lines of the reference that they fit; all count from 0.
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


def find_reordering(
    reference: Sequence[str | None], output: Sequence[str | None]
) -> Reordering | None:
    """The lines of an output that fit other lines of the reference than those they stand beside.

    Three steps, each only where the one before leaves a doubt: correlations of the lengths in
    windows; words that lines of the dubious windows share with their own reference line and with
    another; and for each of up to 2,000 lines, the reference line that shares most of its rare
    pieces. A line has moved where the two lines prefer each other. The part is the stretch with the
    most of them, less those that prefer their own line (Kadane's maximum sum). Its lengths must
    also fit better there than where they are, which those of a bad translation do not.

    `reference`, `output`: as many lines each. Returns: None where the lines are in step, or too few
    or too unlike the reference to tell.

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
    logs = np.log(lengths[:, lines] + _SHORT)
    dubious = _dubious_windows(logs)
    window = next(
        (
            window
            for window in dubious
            if not _is_in_step(
                *(
                    _pick_lines(texts, lines[window : window + _WINDOW])
                    for texts in (reference, output)
                )
            )
        ),
        None,
    )
    if window is None:
        return None
    first = int(np.clip(window - _SEARCHED // 2, 0, max(0, len(lines) - _SEARCHED)))
    lines, logs = lines[first : first + _SEARCHED], logs[:, first : first + _SEARCHED]
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
    fit_in_place, fit_elsewhere = (
        _correlate(logs[0, places], logs[1, moved]) for places in (moved, place[moved])
    )
    if fit_elsewhere < fit_in_place + _BETTER:  # those found elsewhere are found by chance
        if stop - start < _TELLING or _correlate(*logs[:, start:stop]) > _UNLIKE:
            return None
        moved = moved[:0]
    return Reordering(
        int(lines[start]), int(lines[stop - 1]) + 1, lines[moved], lines[place[moved]]
    )


def _pick_lines(texts: Sequence[str | None], lines: np.ndarray) -> list[str]:
    return [texts[line] or "" for line in lines]


def _correlate(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a, b)[0, 1]) if len(a) > 1 and np.ptp(a) and np.ptp(b) else 0.0


def _dubious_windows(logs: np.ndarray) -> list[int]:
    """Where windows begin whose lengths hardly correlate, the worst first."""
    begins = np.unique(
        np.append(np.arange(0, logs.shape[1] - _WINDOW, _WINDOW // 2), logs.shape[1] - _WINDOW)
    )

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
    reference_features, features = (
        [_find_features(text) for text in texts] for texts in (reference, output)
    )
    best = 0
    for k, words in enumerate(features):
        share, *others = (
            len(words & line) / (len(words) + len(line))
            for line in (
                reference_features[(k + step) % len(reference_features)] for step in _NEIGHBOURS
            )
        )
        best += share > max(others)
    return best >= _IN_STEP * len(features)


def _find_features(text: str) -> set[Any]:
    """The words of a line; the pairs of its characters where it has hardly any spaces."""
    words = text.split()
    return {*words} if 12 * len(words) > len(text) else {*zip(text, text[1:], strict=False)}


def _find_best_places(
    reference: Sequence[str], output: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """For each line of the output, the line of the reference that shares most rare pieces with it;
    and whether that one prefers it, too.
    """
    from scipy import sparse  # late: seldom needed

    size = (
        2
        if sum(map(ord, "".join(reference[::10]))) > 0x2E80 * sum(map(len, reference[::10])) / 2
        else 5
    )
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
        matrices.append(
            sparse.csr_matrix(
                (weights[columns] / norm[rows], (rows, columns)), shape=(len(reference), len(known))
            )
        )
    alike = (matrices[1] @ matrices[0].T).toarray()
    place = alike.argmax(axis=1)
    every = np.arange(len(place))
    return place, (alike.argmax(axis=0)[place] == every) & (alike[every, place] > 0)


def _hash_pieces(texts: Sequence[str], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Which line has which pieces of `size` characters, as hashes; each once."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32).astype(
        np.uint64
    )
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    n = max(0, len(codes) - size + 1)
    hashes = np.zeros(n, np.uint64)
    for k in range(size):
        hashes = hashes * np.uint64(1_000_003) + codes[k : k + n]
    hashes = (hashes * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - _BITS)
    in_one_line = rows[:n] == rows[len(rows) - n :]
    rows_and_hashes = np.sort(
        (rows[:n][in_one_line] << _BITS) + hashes[in_one_line].astype(np.int64)
    )
    rows_and_hashes = rows_and_hashes[
        np.diff(rows_and_hashes, prepend=-1) > 0
    ]  # np.unique takes ten times as long
    return rows_and_hashes >> _BITS, rows_and_hashes & ((1 << _BITS) - 1)
