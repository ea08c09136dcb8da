"""Compiled search for the fewest edits and shifts that turn an output into a reference, for TER, as
sacreBLEU has it.

The search is greedy: of all shifts of a stretch of words to where the reference has it, the one
that lowers the edit distance most is made, until none lowers it. What is tried, in which order, and
what is given up when is part of the score, so all of sacreBLEU's limits are kept.

The edit distance is the length of the shortest path through a grid (words of the output, words of
the reference) that stays in a band around the diagonal. A shift changes the words of some rows
only. So the shortest paths from the start to the row before them and from the row after them to the
end are those of the unshifted words, and only the rows between are worked out for each shift that
is tried; and a stretch is looked for only where the reference has its first word.
"""

import math

import numpy as np
from numba import njit

from mtsig_core._compiled import compiled

_MAX_SHIFT_LENGTH = 10
_MAX_SHIFT_DISTANCE = 50
_MAX_TRIED = 1000
_BEAM = 25
_FAR = 1 << 29  # farther than any cell of the band


@njit()
def _band(n: int, m: int) -> tuple[np.ndarray, np.ndarray, int]:
    """The band of each row, from low to high - 1, and the width of the arrays that hold the rows.

    In these arrays column j of row i is at j - low[i] + 1, and `_FAR` is in all places that are not
    in the band, for one before it and as far behind it as the row below looks.
    """
    low, high = np.zeros(n + 1, np.int64), np.empty(n + 1, np.int64)
    slope = m / n
    half = _BEAM
    if slope / 2 > _BEAM:
        half = math.ceil(slope / 2 + _BEAM)
    width = 0
    for i in range(1, n + 1):
        middle = math.floor(i * slope)
        low[i] = max(0, middle - half)
        high[i] = min(m + 1, middle + half)
        width = max(width, high[i] - low[i - 1])
    high[0] = high[1]
    return low, high, width + 2


@njit()
def _step_down(
    above: np.ndarray, shift: int, row: np.ndarray, size: int, padded: np.ndarray, word: int
) -> None:
    """Fill a row from the row above it, whose band begins `shift` columns before.

    `padded` has, for each column of the row's band, the word of the reference that leads to it.
    """
    left = _FAR
    for k in range(size):
        through = min(above[shift + k] + (padded[k] != word), above[shift + k + 1] + 1)
        left = min(through, left + 1)
        row[k + 1] = left
    row[size + 1 :] = _FAR


@njit()
def _forward(
    words: np.ndarray,
    padded: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    paths: np.ndarray,
    known: int,
) -> None:
    """The shortest paths from the start to each cell, of which those to the first rows are known,
    at least to row 0.
    """
    for i in range(known, words.size + 1):
        _step_down(
            paths[i - 1],
            low[i] - low[i - 1],
            paths[i],
            high[i] - low[i],
            padded[low[i] :],
            words[i - 1],
        )


@njit()
def _backward(
    words: np.ndarray,
    padded: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    paths: np.ndarray,
    known: int,
) -> None:
    """The shortest paths from each cell, the first row excepted, to the end; from row `known` on
    they are known.
    """
    m = padded.size - 1
    for i in range(known - 1, 0, -1):
        shift, word, right = low[i + 1] - low[i], words[i], _FAR
        below, row = paths[i + 1], paths[i]
        for k in range(high[i] - low[i] - 1, -1, -1):
            at = k - shift + 1  # of the same column in the row below
            here = right + 1
            if at >= 0:
                here = min(here, below[at] + 1)
                if low[i] + k < m:
                    here = min(here, below[at + 1] + (padded[low[i] + k + 1] != word))
            row[k + 1] = right = here


@njit()
def _align(
    words: np.ndarray,
    padded: np.ndarray,
    low: np.ndarray,
    paths: np.ndarray,
    aligned: np.ndarray,
    wrong: np.ndarray,
    wrong_in_ref: np.ndarray,
) -> None:
    """Follow a shortest path back.

    Sets the word of the output that each word of the reference is aligned to, -1 for before the
    first, and how many of the first i words of either text have an edit. Of several paths it is
    sacreBLEU's: substitutions are preferred to deletions, and these to insertions, from the end on.
    """
    wrong[:], wrong_in_ref[:] = 0, 0
    i, j = words.size, padded.size - 1
    while i > 0 or j > 0:
        here = paths[i, j - low[i] + 1]
        differs = i > 0 and padded[j] != words[i - 1]
        at = j - low[max(i - 1, 0)] + 1
        if i > 0 and j > 0 and here == paths[i - 1, at - 1] + differs:
            aligned[j - 1] = i - 1
            wrong[i] = wrong_in_ref[j] = differs
            i, j = i - 1, j - 1
        elif i > 0 and here == paths[i - 1, at] + 1:
            wrong[i] = 1
            i -= 1
        else:
            aligned[j - 1] = i - 1
            wrong_in_ref[j] = 1
            j -= 1
    for i in range(1, wrong.size):
        wrong[i] += wrong[i - 1]
    for j in range(1, wrong_in_ref.size):
        wrong_in_ref[j] += wrong_in_ref[j - 1]


@njit()
def _shift(
    words: np.ndarray, start: int, length: int, target: int, shifted: np.ndarray
) -> tuple[int, int]:
    """Move words[start:start + length] before the word at `target`; return the first row changed
    and that after.
    """
    if target < start:
        first, end = target, start + length
        shifted[target : target + length] = words[start:end]
        shifted[target + length : end] = words[target:start]
    else:
        # Up to its own end a stretch moves on by as much as the target is after its start.
        end = target if target > start + length else min(target + length, words.size)
        first = start
        shifted[start : end - length] = words[start + length : end]
        shifted[end - length : end] = words[start : start + length]
    while first < end and shifted[first] == words[first]:
        first += 1
    while first < end and shifted[end - 1] == words[end - 1]:
        end -= 1
    return first, end


@njit()
def _distance(
    shifted: np.ndarray,
    first: int,
    end: int,
    padded: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    forward: np.ndarray,
    backward: np.ndarray,
    rows: np.ndarray,
) -> int:
    """Edit distance when the words from `first` to `end` - 1 have changed."""
    above = forward[first]
    for i in range(first + 1, end + 1):
        row = rows[i & 1]
        _step_down(
            above, low[i] - low[i - 1], row, high[i] - low[i], padded[low[i] :], shifted[i - 1]
        )
        above = row
    best = _FAR
    behind = backward[end]
    for k in range(1, high[end] - low[end] + 1):
        best = min(best, above[k] + behind[k])
    return best


@njit()
def _best_shift(
    words: np.ndarray,
    padded: np.ndarray,
    again: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    forward: np.ndarray,
    backward: np.ndarray,
    aligned: np.ndarray,
    wrong: np.ndarray,
    wrong_in_ref: np.ndarray,
    known: int,
    rows: np.ndarray,
    tried: int,
) -> tuple[tuple[int, int, int, int], int]:
    """The best shift as (gain, length, -start, -target), and how many have been tried by now."""
    n, m = words.size, padded.size - 1
    distance = forward[n, m - low[n] + 1]
    shifted = np.empty_like(words)
    best = (-_FAR, 0, 0, 0)
    for start in range(n):
        if wrong[min(start + _MAX_SHIFT_LENGTH, n)] == wrong[start]:
            continue  # nothing is wrong with any stretch that begins here
        following = words[start]
        while following <= start + _MAX_SHIFT_DISTANCE:
            at, following = following, again[following]
            if at < start - _MAX_SHIFT_DISTANCE:
                continue
            longest = min(_MAX_SHIFT_LENGTH, n - start, m - at)
            for length in range(1, longest + 1):
                if words[start + length - 1] != padded[at + length]:
                    break
                if (
                    wrong[start + length] == wrong[start]
                    or wrong_in_ref[at + length] == wrong_in_ref[at]
                ):
                    continue
                if start <= aligned[at] < start + length:
                    continue
                previous = -1
                for j in range(at - 1, at + length):
                    target = aligned[j] + 1 if j >= 0 else 0
                    if target == previous:
                        continue
                    previous = target
                    first, end = _shift(words, start, length, target, shifted)
                    gain = 0
                    if first < end:
                        _backward(words, padded, low, high, backward, known)
                        known = 1
                        gain = distance - _distance(
                            shifted, first, end, padded, low, high, forward, backward, rows
                        )
                    shift = (gain, length, -start, -target)
                    if shift > best:
                        best = shift
                    tried += 1
                if tried >= _MAX_TRIED:
                    return best, tried
    return best, tried


@njit()
def _renumber(
    output: np.ndarray,
    reference: np.ndarray,
    places: np.ndarray,
    words: np.ndarray,
    padded: np.ndarray,
    again: np.ndarray,
) -> None:
    """Number all words anew: by the first place in the reference that has them, `_FAR` where none
    has.

    Sets the words of the output and, from 1 on, of the reference, and for each place the next one
    of the same word. `places`, by the numbers that words have until then, holds `_FAR` before and
    after.
    """
    for j in range(reference.size - 1, -1, -1):
        again[j] = places[reference[j]]
        places[reference[j]] = j
    for i in range(output.size):
        words[i] = places[output[i]]
    padded[0] = -1
    for j in range(reference.size):
        padded[j + 1] = places[reference[j]]
    for j in range(reference.size):
        places[reference[j]] = _FAR


@njit()
def edits(output: np.ndarray, reference: np.ndarray, places: np.ndarray) -> int:
    """Edits and shifts between two texts, given as arrays of numbered words; `places` as
    `_renumber` has it.
    """
    n, m = output.size, reference.size
    if n == 0 or m == 0:
        return n + m
    words, padded, again = np.empty(n, np.int32), np.empty(m + 1, np.int32), np.empty(m, np.int32)
    _renumber(output, reference, places, words, padded, again)
    shifted = words.copy()
    low, high, width = _band(n, m)
    forward = np.full((n + 1, width), _FAR, np.int32)
    backward = np.full((n + 1, width), _FAR, np.int32)
    rows = np.full((2, width), _FAR, np.int32)
    aligned, wrong, wrong_in_ref = (
        np.empty(m, np.int64),
        np.empty(n + 1, np.int64),
        np.empty(m + 1, np.int64),
    )
    for j in range(high[0]):
        forward[0, j + 1] = j
    for j in range(low[n], m + 1):
        backward[n, j - low[n] + 1] = m - j
    shifts, tried, first, end = 0, 0, 0, n
    while True:  # rows up to `first` and from `end` on are as before
        _forward(words, padded, low, high, forward, first + 1)
        distance: int = forward[n, m - low[n] + 1]
        if distance == 0:
            return shifts
        _align(words, padded, low, forward, aligned, wrong, wrong_in_ref)
        (gain, length, start, target), tried = _best_shift(
            words,
            padded,
            again,
            low,
            high,
            forward,
            backward,
            aligned,
            wrong,
            wrong_in_ref,
            end,
            rows,
            tried,
        )
        if tried >= _MAX_TRIED or gain <= 0:
            return shifts + distance
        first, end = _shift(words, -start, length, -target, shifted)
        words[:] = shifted
        shifts += 1


@compiled
def count_edits(
    ids: np.ndarray, bounds: np.ndarray, n_refs: int, is_there: np.ndarray, stats: np.ndarray
) -> None:
    """Fill the statistics of a block of segments.

    `ids`, `bounds`: numbers of all words, and where the words of each text begin: the texts are
    (references + systems, segments), row after row, and the last bound is the end; `is_there`:
    shape (references, segments): whether the segment has the reference; `stats`: shape (systems,
    segments, 2), float64.
    """
    n_systems, n_segments = stats.shape[:2]
    places = np.full(ids.size, _FAR, np.int32)
    for s in range(n_systems):
        for seg in range(n_segments):
            k = (n_refs + s) * n_segments + seg
            output = ids[bounds[k] : bounds[k + 1]]
            fewest, length, n_there = _FAR, 0, 0
            for r in range(n_refs):
                if is_there[r, seg]:
                    k = r * n_segments + seg
                    reference = ids[bounds[k] : bounds[k + 1]]
                    fewest = min(fewest, edits(output, reference, places))
                    length += reference.size
                    n_there += 1
            stats[s, seg, 0] = fewest
            stats[s, seg, 1] = length / n_there
