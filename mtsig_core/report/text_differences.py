"""What two outputs do not share: words in scripts with spaces between words, characters in those without."""

from __future__ import annotations

import unicodedata

import numpy as np

__all__ = ["LONGEST", "Piece", "differing_pieces", "reading_units"]

#: A piece of a text, and whether another text lacks it.
Piece = tuple[str, bool]
#: The product of their numbers of units above which two texts are not compared: 5,000 characters each.
LONGEST = 25_000_000
_SMALL = 250_000  # cells of a table that is kept whole
# Scripts without spaces between words: Thai, Lao and Tibetan, Myanmar, Khmer, kana, Han with its extensions, Tai Le to
# New Tai Lue, Yi. Hangul has spaces.
_UNSPACED = ((0x0E00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19DF), (0x2E80, 0x31FF),
             (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA4CF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F), (0xF900, 0xFAFF),
             (0xFF66, 0xFF9F), (0x1B000, 0x1B16F), (0x20000, 0x3FFFF))
_JOINER = "\u200d"


def differing_pieces(one: str, other: str) -> tuple[list[Piece], list[Piece]] | None:
    """Cut two texts into pieces that both have, in the same order, and pieces that one has alone.

    By a longest common subsequence of their units (`reading_units`), so that what is marked is the least that tells
    the two apart. White space is marked only between two marked units.

    Parameters
    ----------
    one, other : str

    Returns
    -------
    (list of (str, bool), list of (str, bool)), or None
        For either text, pieces that joined are the text, and whether the other lacks each. None where the two are too
        long to be compared (`LONGEST`).

    Examples
    --------
    >>> differing_pieces("the old house is big", "the small house is big")[0]
    [('the ', False), ('old', True), (' house is big', False)]
    >>> differing_pieces("今天天气很好", "昨天天气好")
    ([('今', True), ('天天气', False), ('很', True), ('好', False)], [('昨', True), ('天天气好', False)])
    """
    (units, places), (others, their_places) = reading_units(one), reading_units(other)
    numbers = {unit: k for k, unit in enumerate(dict.fromkeys([*units, *others]))}
    x, y = (np.array([numbers[unit] for unit in found], dtype=np.int32) for found in (units, others))
    shared = _shared(x, y)
    return None if shared is None else (_pieces(one, places, shared[0]), _pieces(other, their_places, shared[1]))


def reading_units(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The units by which two texts are compared, and where each stands.

    A word of letters and digits, with its marks; a character of a script without spaces between words, with its
    marks; any other character that is not white space, emoji with all that is joined to them.

    Examples
    --------
    >>> reading_units("Don't go, 3.5 km")[0]
    ['Don', "'", 't', 'go', ',', '3', '.', '5', 'km']
    >>> len(reading_units("👨\u200d👩\u200d👧 家👩🏽")[0])
    3
    """
    places: list[tuple[int, int]] = []
    begun = None  # where the unit began that is being read
    wordy = False  # whether it is a word
    flag = False  # whether it is half of a flag
    for at, letter in enumerate(text):
        kind = unicodedata.category(letter)
        word = kind[0] in "LN" and not _unspaced(ord(letter))
        half = 0x1F1E6 <= ord(letter) <= 0x1F1FF
        if begun is not None and (kind[0] == "M" or letter == _JOINER or text[at - 1] == _JOINER or word and wordy
                                  or half and flag or 0x1F3FB <= ord(letter) <= 0x1F3FF):
            flag = False
            continue
        if begun is not None:
            places.append((begun, at))
        begun = None if letter.isspace() else at
        wordy, flag = word, half
    if begun is not None:
        places.append((begun, len(text)))
    return [text[start:end] for start, end in places], places


def _unspaced(code: int) -> bool:
    return code >= 0x0E00 and any(first <= code <= last for first, last in _UNSPACED)


def _pieces(text: str, places: list[tuple[int, int]], shared: np.ndarray) -> list[Piece]:
    pieces: list[Piece] = []

    def add(part: str, marked: bool) -> None:
        if pieces and pieces[-1][1] == marked:
            part = pieces.pop()[0] + part
        if part:
            pieces.append((part, marked))

    at = 0
    for k, (start, end) in enumerate(places):
        add(text[at:start], k > 0 and not shared[k - 1] and not shared[k])
        add(text[start:end], not shared[k])
        at = end
    add(text[at:], False)
    return pieces


def _shared(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Which items of x and of y belong to a longest common subsequence; None where that would take too long."""
    start = _alike(x, y)
    end = _alike(x[start:][::-1], y[start:][::-1])
    of_x, of_y = (np.r_[np.ones(start, bool), np.zeros(len(items) - start - end, bool), np.ones(end, bool)]
                  for items in (x, y))
    waiting = [(start, len(x) - end, start, len(y) - end)]
    if (waiting[0][1] - start) * (waiting[0][3] - start) > LONGEST:
        return None
    while waiting:  # Hirschberg (1975): halve x, and cut y where the two halves share most
        first, last, begin, stop = waiting.pop()
        here, there = x[first:last], y[begin:stop]
        if len(here) * len(there) <= _SMALL or len(here) == 1:
            _mark_by_table(here, there, of_x[first:last], of_y[begin:stop])
        else:
            half = len(here) // 2
            cut = int(np.argmax(_lengths(here[:half], there)[-1] + _lengths(here[half:][::-1], there[::-1])[-1][::-1]))
            waiting += [(first, first + half, begin, begin + cut), (first + half, last, begin + cut, stop)]
    return of_x, of_y


def _alike(x: np.ndarray, y: np.ndarray) -> int:
    """How many items both begin with."""
    n = min(len(x), len(y))
    unlike = np.flatnonzero(x[:n] != y[:n])
    return int(unlike[0]) if len(unlike) else n


def _lengths(x: np.ndarray, y: np.ndarray, keep: bool = False) -> list[np.ndarray]:
    """Lengths of the longest common subsequence with the first items of y, shape (len(y) + 1,): of all of x, or
    (keep) of its first 0, 1, 2, ... items."""
    rows = [np.zeros(len(y) + 1, dtype=np.int32)]
    for item in x:
        above = rows[-1]
        row = above.copy()
        np.maximum(above[1:], above[:-1] + (y == item), out=row[1:])
        np.maximum.accumulate(row, out=row)
        if not keep:
            rows.pop()
        rows.append(row)
    return rows


def _mark_by_table(x: np.ndarray, y: np.ndarray, of_x: np.ndarray, of_y: np.ndarray) -> None:
    """Mark a longest common subsequence by going back through the whole table."""
    rows = _lengths(x, y, keep=True)
    i, j = len(x), len(y)
    while i and j:
        if x[i - 1] == y[j - 1]:
            i, j = i - 1, j - 1
            of_x[i] = of_y[j] = True
        elif rows[i - 1][j] >= rows[i][j - 1]:
            i -= 1
        else:
            j -= 1
