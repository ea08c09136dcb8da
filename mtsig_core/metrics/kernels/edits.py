"""Compiled search for the fewest edits and shifts of TER, with sacreBLEU's results.

The search is greedy. A shift moves a stretch of words to a place where the reference has it. The
search makes the shift that lowers the edit distance most, and repeats this until no shift lowers
it. The score depends on the candidates, their order and the limits of the search, so these are the
same as in sacreBLEU.

The edit distance is the length of the shortest path through a grid (words of the output, words of
the reference) that stays in a band around the diagonal. A shift changes the words of only some
rows. The shortest paths from the start to the row before them, and from the row after them to the
end, do not change. So only the rows between are computed for each shift, and a stretch is searched
only where the reference has its first word.
"""

import math
from collections import namedtuple

import numpy as np

from mtsig_core._compiled import compiled, compiled_helper

_MAX_SHIFT_LENGTH = 10
_MAX_SHIFT_DISTANCE = 50
_MAX_TRIED = 1000
_BEAM = 25
_FAR = 1 << 29  # farther than any cell of the band


# The grid of an output and a reference.
# words: of the output; padded: of the reference, from 1 on; again: for each word of the reference,
# the next place that has it. low, high: the band of each row, from low to high - 1. Arrays of rows
# hold column j of row i at j - low[i] + 1, and `_FAR` in all places that are not in the band, for
# one before it and as far behind it as the row below looks. forward, backward: the shortest paths
# from the start to each cell and from each cell to the end; rows: memory for two rows.
_Grid = namedtuple("_Grid", "words padded again low high forward backward rows")

# A shortest path. aligned: the word of the output that each word of the reference is aligned to, -1
# for before the first. wrong, wrong_in_ref: how many of the first i words of the output and of the
# reference have an edit.
_Path = namedtuple("_Path", "aligned wrong wrong_in_ref")


@compiled_helper
def _band(n: int, m: int) -> tuple[np.ndarray, np.ndarray, int]:
    """The band of each row, from low to high - 1, and the width of the arrays that hold the rows."""
    low = np.zeros(n + 1, np.int64)
    high = np.empty(n + 1, np.int64)
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


@compiled_helper
def _make_grid(output: np.ndarray, reference: np.ndarray, places: np.ndarray) -> _Grid:
    """The grid of two texts, with the first row of `forward` and the last of `backward`.

    All words get new numbers: the first place in the reference that has them, `_FAR` where none
    has. `places`, by the old numbers, holds `_FAR` before and after.
    """
    n = output.size
    m = reference.size
    words = np.empty(n, np.int32)
    padded = np.empty(m + 1, np.int32)
    again = np.empty(m, np.int32)
    for j in range(m - 1, -1, -1):
        again[j] = places[reference[j]]
        places[reference[j]] = j
    for i in range(n):
        words[i] = places[output[i]]
    padded[0] = -1
    for j in range(m):
        padded[j + 1] = places[reference[j]]
    for j in range(m):
        places[reference[j]] = _FAR
    low, high, width = _band(n, m)
    forward = np.full((n + 1, width), _FAR, np.int32)
    backward = np.full((n + 1, width), _FAR, np.int32)
    rows = np.full((2, width), _FAR, np.int32)
    for j in range(high[0]):
        forward[0, j + 1] = j
    for j in range(low[n], m + 1):
        backward[n, j - low[n] + 1] = m - j
    return _Grid(words, padded, again, low, high, forward, backward, rows)


@compiled_helper
def _fill_row(
    above: np.ndarray, shift: int, row: np.ndarray, size: int, padded: np.ndarray, word: int
) -> None:
    """Fill a row from the row above it, whose band begins `shift` columns before.

    `padded` has, for each column of the row's band, the word of the reference that leads to it.
    (Arrays, not the grid: with the grid TER takes a tenth longer.)
    """
    left = _FAR
    for k in range(size):
        through = min(above[shift + k] + (padded[k] != word), above[shift + k + 1] + 1)
        left = min(through, left + 1)
        row[k + 1] = left
    row[size + 1 :] = _FAR


@compiled_helper
def _fill_forward(grid: _Grid, first: int) -> None:
    """Fill the paths from the start to all rows from `first` on; those before are known."""
    low = grid.low
    high = grid.high
    padded = grid.padded
    forward = grid.forward
    for i in range(first, grid.words.size + 1):
        shift = low[i] - low[i - 1]
        size = high[i] - low[i]
        _fill_row(forward[i - 1], shift, forward[i], size, padded[low[i] :], grid.words[i - 1])


@compiled_helper
def _fill_backward(grid: _Grid, n_rows: int) -> None:
    """Fill the paths to the end of all rows but the first; from row `n_rows` on they are known."""
    low = grid.low
    padded = grid.padded
    m = padded.size - 1
    for i in range(n_rows - 1, 0, -1):
        shift = low[i + 1] - low[i]
        word = grid.words[i]
        right = _FAR
        below = grid.backward[i + 1]
        row = grid.backward[i]
        for k in range(grid.high[i] - low[i] - 1, -1, -1):
            place = k - shift + 1  # of the same column in the row below
            shortest = right + 1
            if place >= 0:
                shortest = min(shortest, below[place] + 1)
                if low[i] + k < m:
                    through = below[place + 1] + (padded[low[i] + k + 1] != word)
                    shortest = min(shortest, through)
            right = shortest
            row[k + 1] = right


@compiled_helper
def _follow_back(grid: _Grid, path: _Path) -> None:
    """Follow a shortest path back, and set `path`.

    Of several paths it takes sacreBLEU's, which prefers, from the end on, substitutions to
    deletions, and deletions to insertions.
    """
    words = grid.words
    padded = grid.padded
    low = grid.low
    forward = grid.forward
    aligned = path.aligned
    wrong = path.wrong
    wrong_in_ref = path.wrong_in_ref
    wrong[:] = 0
    wrong_in_ref[:] = 0
    i = words.size
    j = padded.size - 1
    while i > 0 or j > 0:
        length = forward[i, j - low[i] + 1]
        differs = i > 0 and padded[j] != words[i - 1]
        above = j - low[max(i - 1, 0)] + 1  # of the same column in the row above
        if i > 0 and j > 0 and length == forward[i - 1, above - 1] + differs:
            aligned[j - 1] = i - 1
            wrong[i] = differs
            wrong_in_ref[j] = differs
            i -= 1
            j -= 1
        elif i > 0 and length == forward[i - 1, above] + 1:
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


@compiled_helper
def _shift(
    words: np.ndarray, start: int, length: int, target: int, shifted: np.ndarray
) -> tuple[int, int]:
    """Move words[start:start + length] before the word at `target`.

    Returns the first row that changes and the row after the last.
    """
    if target < start:
        first = target
        end = start + length
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


@compiled_helper
def _distance(shifted: np.ndarray, first: int, end: int, grid: _Grid) -> int:
    """Edit distance when the words from `first` to `end` - 1 have changed."""
    low = grid.low
    high = grid.high
    padded = grid.padded
    above = grid.forward[first]
    for i in range(first + 1, end + 1):
        row = grid.rows[i & 1]
        shift = low[i] - low[i - 1]
        _fill_row(above, shift, row, high[i] - low[i], padded[low[i] :], shifted[i - 1])
        above = row
    shortest = _FAR
    behind = grid.backward[end]
    for k in range(1, grid.high[end] - grid.low[end] + 1):
        shortest = min(shortest, above[k] + behind[k])
    return shortest


@compiled_helper
def _is_wrong_stretch(path: _Path, start: int, place: int, length: int) -> bool:
    """Whether a stretch has an edit in output and reference, and is not aligned with itself."""
    if path.wrong[start + length] == path.wrong[start]:
        return False
    if path.wrong_in_ref[place + length] == path.wrong_in_ref[place]:
        return False
    aligned = path.aligned[place]
    return not start <= aligned < start + length


@compiled_helper
def _best_shift(  # noqa: C901  the loops are sacreBLEU's, one in another
    grid: _Grid, path: _Path, n_rows: int, n_tried: int
) -> tuple[tuple[int, int, int, int], int]:
    """The best shift as (gain, length, -start, -target), and how many have been tried by now.

    From row `n_rows` on, the paths to the end are known.
    """
    words = grid.words
    padded = grid.padded
    n = words.size
    m = padded.size - 1
    distance = grid.forward[n, m - grid.low[n] + 1]
    shifted = np.empty_like(words)
    best = (-_FAR, 0, 0, 0)
    for start in range(n):
        if path.wrong[min(start + _MAX_SHIFT_LENGTH, n)] == path.wrong[start]:
            continue  # no stretch that begins here has an edit
        following = words[start]
        while following <= start + _MAX_SHIFT_DISTANCE:
            place = following
            following = grid.again[place]
            if place < start - _MAX_SHIFT_DISTANCE:
                continue
            longest = min(_MAX_SHIFT_LENGTH, n - start, m - place)
            for length in range(1, longest + 1):
                if words[start + length - 1] != padded[place + length]:
                    break
                if not _is_wrong_stretch(path, start, place, length):
                    continue
                previous = -1
                for j in range(place - 1, place + length):
                    target = path.aligned[j] + 1 if j >= 0 else 0
                    if target == previous:
                        continue
                    previous = target
                    first, end = _shift(words, start, length, target, shifted)
                    gain = 0
                    if first < end:
                        _fill_backward(grid, n_rows)
                        n_rows = 1
                        gain = distance - _distance(shifted, first, end, grid)
                    shift = (gain, length, -start, -target)
                    if shift > best:
                        best = shift
                    n_tried += 1
                if n_tried >= _MAX_TRIED:
                    return best, n_tried
    return best, n_tried


@compiled_helper
def edits(output: np.ndarray, reference: np.ndarray, places: np.ndarray) -> int:
    """Edits and shifts between two texts, given as arrays of numbered words.

    `places` is memory, by number of word, as `_make_grid` describes it.
    """
    n = output.size
    m = reference.size
    if n == 0 or m == 0:
        return n + m
    grid = _make_grid(output, reference, places)
    path = _Path(np.empty(m, np.int64), np.empty(n + 1, np.int64), np.empty(m + 1, np.int64))
    shifted = grid.words.copy()
    n_shifts = 0
    n_tried = 0
    first = 0  # rows up to `first`, and from `end` on, are the same as before the last shift
    end = n
    while True:
        _fill_forward(grid, first + 1)
        distance: int = grid.forward[n, m - grid.low[n] + 1]
        if distance == 0:
            return n_shifts
        _follow_back(grid, path)
        (gain, length, start, target), n_tried = _best_shift(grid, path, end, n_tried)
        if n_tried >= _MAX_TRIED or gain <= 0:
            return n_shifts + distance
        first, end = _shift(grid.words, -start, length, -target, shifted)
        grid.words[:] = shifted
        n_shifts += 1


@compiled
def count_edits(
    ids: np.ndarray, bounds: np.ndarray, n_refs: int, has_reference: np.ndarray, stats: np.ndarray
) -> None:
    """Fill the statistics of a block of segments.

    `ids`, `bounds`: numbers of all words, and where the words of each text begin: the texts are
    (references + systems, segments), row after row, and the last bound is the end; `has_reference`:
    shape (references, segments); `stats`: shape (systems, segments, 2), float64.
    """
    n_systems, n_segments = stats.shape[:2]
    places = np.full(ids.size, _FAR, np.int32)
    for s in range(n_systems):
        for seg in range(n_segments):
            text = (n_refs + s) * n_segments + seg
            output = ids[bounds[text] : bounds[text + 1]]
            fewest = _FAR
            total_length = 0
            n_present = 0
            for r in range(n_refs):
                if has_reference[r, seg]:
                    text = r * n_segments + seg
                    reference = ids[bounds[text] : bounds[text + 1]]
                    fewest = min(fewest, edits(output, reference, places))
                    total_length += reference.size
                    n_present += 1
            stats[s, seg, 0] = fewest
            stats[s, seg, 1] = total_length / n_present
