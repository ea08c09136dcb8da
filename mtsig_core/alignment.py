"""Check whether the lines of an output match the lines of its reference.

If the texts differ in length, the lines no longer match from some line on. If the lengths are equal, the
lines may still be in another order.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from mtsig_core.testset import text_lengths

MAX_LINES = 60_000  # longer texts and greater differences are not searched: the counts say enough
MAX_DIFFERENCE = 20
_SHORT = 4.0  # characters added to each length, so that short lines may differ by a few
_SPREAD = 0.3  # of the logarithms of lengths
_NO_COMMON_WORD = 4.0  # the cost of a pair of lines that share no word
_FILTER_BITS = 256  # for the words of a line
#: Chinese, Japanese and Korean characters stand for themselves, other scripts make words.
_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3]|\w+")


def find_first_fault(reference: Sequence[str], output: Sequence[str]) -> int | None:
    """Find the line (from 1) from which an output of another length most likely no longer matches.

    The search pairs the lines of the two texts in order, so that as few lines of the longer text as
    possible have no partner. A pair is good if it shares words and has the usual ratio of lengths,
    as in Gale and Church (1993).

    Returns
    -------
    int or None
        None if the counts are equal, or if the texts are too long or too different in length for a
        search to help.

    Examples
    --------
    >>> reference = ["A cat sat.", "It was warm.", "Dogs ran by."]
    >>> find_first_fault(reference, ["A cat sat.", "Dogs ran by."])
    2
    """
    short, long = sorted((reference, output), key=len)
    difference = len(long) - len(short)
    max_difference = min(MAX_DIFFERENCE, len(reference) // 2)
    if not 0 < difference <= max_difference or len(long) > MAX_LINES:
        return None
    n = len(short)
    short_words = _filter_words(short)
    long_words = _filter_words(long)
    short_logs = np.log(text_lengths(short) + _SHORT)
    long_logs = np.log(text_lengths(long) + _SHORT)
    # Lines pair off from the start before the first fault, and from the end after the last one.
    from_start = short_logs - long_logs[:n]
    from_end = short_logs - long_logs[difference:]
    usual_ratio = np.median(np.concatenate([from_start, from_end]))

    def add_up_costs(shift: int) -> np.ndarray:
        """The cost of the first k pairs of line j and line j + shift of the longer, for each k."""
        shifted = slice(shift, shift + n)
        deviations = (short_logs - long_logs[shifted] - usual_ratio) / _SPREAD
        overlaps = _measure_overlap(short_words, long_words[shifted])
        pair_costs = np.log1p(deviations**2) - _NO_COMMON_WORD * overlaps
        return np.concatenate([[0.0], np.cumsum(pair_costs)])

    # Shift by shift, the least cost of pairing the first k lines of the shorter text, for each k,
    # and where the first line of the longer one had no partner then.
    best_costs = add_up_costs(0)
    faults = np.arange(n + 1)
    for shift in range(1, difference + 1):
        costs = add_up_costs(shift)
        gains = best_costs - costs
        best_gains = np.minimum.accumulate(gains)
        # The texts begin to be shifted so far where the gain was last the best one.
        begins = np.maximum.accumulate(np.where(gains == best_gains, np.arange(n + 1), 0))
        faults = faults[begins]
        best_costs = costs + best_gains
    return int(faults[n]) + 1


def _filter_words(texts: Sequence[str]) -> np.ndarray:
    """The words of each line as the bits of a Bloom filter, shape (lines, 64-bit numbers)."""
    filters = bytearray()
    for text in texts:
        bits = 0
        for word in set(_WORD.findall(text.lower())):
            bits |= 1 << zlib.crc32(word.encode("utf-8", "replace")) % _FILTER_BITS
        filters += bits.to_bytes(_FILTER_BITS // 8, "little")
    return np.frombuffer(bytes(filters), np.uint64).reshape(len(texts), -1)


def _measure_overlap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Common words as a share of the mean of both, 0 to 1, beyond what is common by chance."""
    n_common = _count_bits(a & b)
    n_in_a = _count_bits(a)
    n_in_b = _count_bits(b)
    by_chance = n_in_a * n_in_b / _FILTER_BITS
    n_possible = (n_in_a + n_in_b) / 2 - by_chance + 1
    overlap: np.ndarray = np.clip((n_common - by_chance) / n_possible, 0, 1)
    return overlap


def _count_bits(filters: np.ndarray) -> np.ndarray:
    """The bits in the last axis; numpy has its own count from 2.0 on only."""
    counts: np.ndarray = _BITS_OF_BYTES[filters.view(np.uint8)].sum(axis=-1, dtype=float)
    return counts


_BITS_OF_BYTES = np.array([byte.bit_count() for byte in range(256)], np.uint8)

# The same number of lines, in another order.

_WINDOW = 15  # lines whose lengths are correlated
_IN_STEP_CORRELATION = 0.8  # of the lengths in a window: from here on its lines are in step
_MAX_DOUBTFUL = 20  # windows whose words are compared, those with the lowest correlations
#: Share of lines of a window that share more with their own reference line than with its
#: neighbours.
_IN_STEP_SHARE = 0.3
_NEIGHBOURS = (-2, -1, 1, 2, 7)  # the lines that each line is compared with
_SEARCHED = 2000  # lines among which the place of each is looked for
_MIN_MOVED = 12  # lines that fit better elsewhere, beyond those that fit where they are
_SAME_SHIFT = 0.7  # share of the moved lines that must agree on a shift
_BETTER = 0.15  # how much better the lengths must correlate at the new place than at the old one
_TELLING = 100  # lines from which on a low correlation of lengths is no chance
_UNLIKE = 0.2  # the correlation below which lines do not belong together


class Reordering(NamedTuple):
    """Lines of an output that fit other lines of the reference, to the nearest window."""

    start: int  # the first line, from 0
    stop: int
    shift: int | None  # by how many lines the reference comes later, if most lines agree


def find_reordering(
    reference: Sequence[str | None], output: Sequence[str | None]
) -> Reordering | None:
    """Find lines of an output that fit other lines of the reference than their own.

    The lengths of output and reference are correlated in windows. If a window has a low correlation
    and its words fit other lines equally well, the search looks for the places of the lines around
    it. A line has moved if it shares most words with another line of the reference. The lengths
    must also fit better there, so that a bad translation is not mistaken for another order.

    Parameters
    ----------
    reference, output : sequence of (str or None)
        As many lines each.

    Returns
    -------
    Reordering or None
        None if the lines are in step, or too few or too unlike the reference to tell.

    Examples
    --------
    >>> lines = [f"{k * k} is the square of {k}, " + "more " * (k * k % 11) for k in range(50)]
    >>> find_reordering(lines, lines) is None, find_reordering(lines, lines[9:] + lines[:9])
    (True, Reordering(start=0, stop=50, shift=9))
    """
    n_distinct = min(len({*reference}), len({*output}))
    if n_distinct < _MIN_MOVED:  # each distinct line has one clear place
        return None
    lengths = np.stack([text_lengths(reference), text_lengths(output)])
    lines = np.flatnonzero(lengths.min(axis=0) > 0)
    if len(lines) < _WINDOW:
        return None
    logs = np.log(lengths[:, lines] + _SHORT)
    window = _find_window_out_of_step(reference, output, lines, logs)
    if window is None:
        return None

    last_start = max(0, len(lines) - _SEARCHED)
    start = min(max(0, window - _SEARCHED // 2), last_start)
    searched = slice(start, start + _SEARCHED)
    return _locate(reference, output, lines[searched], logs[:, searched])


def _find_window_out_of_step(
    reference: Sequence[str | None],
    output: Sequence[str | None],
    lines: np.ndarray,
    logs: np.ndarray,
) -> int | None:
    """Find where a window begins whose lines fit other reference lines as well as their own."""
    for start in _find_doubtful_windows(logs):
        window = lines[start : start + _WINDOW]
        reference_words = _filter_lines(reference, window)
        output_words = _filter_lines(output, window)
        own_overlap = _measure_overlap(output_words, reference_words)
        is_best = own_overlap > 0
        for step in _NEIGHBOURS:
            neighbours = np.roll(reference_words, -step, axis=0)
            is_best &= own_overlap > _measure_overlap(output_words, neighbours)
        if is_best.mean() < _IN_STEP_SHARE:
            return start
    return None


def _find_doubtful_windows(logs: np.ndarray) -> list[int]:
    """Where windows begin whose lengths hardly correlate, the worst first."""
    last_start = logs.shape[1] - _WINDOW
    starts = np.unique(np.append(np.arange(0, last_start, _WINDOW // 2), last_start))
    windows = sliding_window_view(logs, _WINDOW, axis=1)[:, starts]
    deviations = windows - windows.mean(axis=-1, keepdims=True)
    covariance = (deviations[0] * deviations[1]).mean(axis=-1)
    variances = (deviations**2).mean(axis=-1)
    correlations = covariance / np.sqrt(np.maximum(variances[0] * variances[1], 1e-12))
    order = np.argsort(correlations, kind="stable")
    doubtful = order[correlations[order] < _IN_STEP_CORRELATION]
    worst: list[int] = starts[doubtful[:_MAX_DOUBTFUL]].tolist()
    return worst


def _filter_lines(texts: Sequence[str | None], lines: np.ndarray) -> np.ndarray:
    return _filter_words([texts[line] or "" for line in lines])


def _locate(
    reference: Sequence[str | None],
    output: Sequence[str | None],
    lines: np.ndarray,
    logs: np.ndarray,
) -> Reordering | None:
    """Find, by windows, the lines that fit other lines, and the number of lines of their shift."""
    places, is_mutual = _find_places(_filter_lines(reference, lines), _filter_lines(output, lines))
    indices = np.arange(len(lines))
    is_moved = is_mutual & (places != indices)
    is_in_place = is_mutual & (places == indices)
    window_of_line = indices // _WINDOW
    n_windows = window_of_line[-1] + 1
    n_moved = np.bincount(window_of_line[is_moved], minlength=n_windows)
    n_in_place = np.bincount(window_of_line[is_in_place], minlength=n_windows)
    surplus = n_moved - n_in_place
    windows = np.flatnonzero(surplus > 0)
    if surplus[windows].sum() < _MIN_MOVED:
        return None
    start = int(windows[0]) * _WINDOW
    stop = min(int(windows[-1] + 1) * _WINDOW, len(lines))
    moved = start + np.flatnonzero(is_moved[start:stop])

    fit_in_place = _correlate(logs[0, moved], logs[1, moved])
    fit_elsewhere = _correlate(logs[0, places[moved]], logs[1, moved])
    shift = None
    if fit_elsewhere >= fit_in_place + _BETTER:
        shift = _find_shift(lines[places[moved]] - lines[moved])
    else:  # the places elsewhere were found by chance
        lengths = logs[:, start:stop]
        is_unlike = np.ptp(lengths, axis=1).min() > 0 and _correlate(*lengths) <= _UNLIKE
        if stop - start < _TELLING or not is_unlike:
            return None
    return Reordering(int(lines[start]), int(lines[stop - 1]) + 1, shift)


def _find_places(
    reference_words: np.ndarray, output_words: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Find, for each line of the output, the line of the reference that shares most words with it.

    The second array has, for each line, whether the match is mutual.
    """
    overlaps = np.stack([_measure_overlap(words, reference_words) for words in output_words])
    places = overlaps.argmax(axis=1)
    indices = np.arange(len(places))
    is_mutual = overlaps.argmax(axis=0)[places] == indices
    return places, is_mutual & (overlaps[indices, places] > 0)


def _find_shift(shifts: np.ndarray) -> int | None:
    """The shift that most lines agree on."""
    values, counts = np.unique(shifts, return_counts=True)
    if counts.max() < _SAME_SHIFT * len(shifts):
        return None
    return int(values[counts.argmax()])


def _correlate(a: np.ndarray, b: np.ndarray) -> float:
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])
