"""Compiled splitting of texts, given as code points, into tokens, and numbering of these, exact."""

import numpy as np
from numba import njit

from mtsig_core._compiled import compiled
from mtsig_core.metrics.tokenizers import DASH, DIGIT, SPACE, STOP

HASH_SEED, SPREAD = 0x2545F491, 0x1E3779B97F4A7C15
FREE = -1


@njit()
def split(
    codes: np.ndarray,
    begin: int,
    end: int,
    classes: np.ndarray,
    edge: int,
    tokens: np.ndarray,
    n: int,
) -> int:
    """Append the tokens of codes[begin:end], as (begin, end, hash), to `tokens` at row n; return
    the next row.

    A space, a character that stands alone, and a stop have a token boundary on either side, others
    none. What digits change of that `_beside_digit` says. Words end where nobody can foresee it, so
    nothing here branches on that: the token that may end before a character is written before each,
    and the next over it where it goes on.
    """
    last = np.uint32(classes.size - 1)  # unsigned: no place is counted from the end
    while begin < end and classes[min(codes[end - 1], last)] == SPACE:
        end -= 1
    while begin < end and classes[min(codes[begin], last)] == SPACE:
        begin += 1
    if begin >= end:
        return n
    text, rows, row = codes[begin:end], tokens[n:], 0
    start, digest, inside, after = begin, HASH_SEED, False, False
    previous, here = edge, classes[min(text[0], last)]
    for i in range(text.size):
        following = classes[min(text[i + 1], last)] if i + 1 < text.size else edge
        before = after_this = here <= STOP
        if (previous | following) & DIGIT and here & STOP:
            before, after_this = _beside_digit(text, i, previous, here, following, classes, edge)
        cut = after | before
        rows[row, 0], rows[row, 1], rows[row, 2] = start, begin + i, digest
        row += cut & inside
        start = begin + i if cut else start
        digest = ((HASH_SEED if cut else digest) ^ text[i]) * SPREAD
        inside, after, previous, here = here != SPACE, after_this, here, following
    rows[row, 0], rows[row, 1], rows[row, 2] = start, end, digest
    return n + row + 1


@njit()
def _beside_digit(
    text: np.ndarray,
    i: int,
    previous: int,
    here: int,
    following: int,
    classes: np.ndarray,
    edge: int,
) -> tuple[bool, bool]:
    """Whether a token boundary is before the stop or dash text[i] and after it: what the
    substitutions of 13a leave.

    - A stop is set apart when a non-digit follows. Else it is cut off from a non-digit before it, and from a digit
      after it if the substitution of pairs "non-digit, stop" took it as the second of a pair. Pairs
      do not overlap, which matters in runs of stops ("a..5" and "a...5" differ).
    - A dash is set apart after a digit.
    """
    if here == DASH:
        return previous == DIGIT, previous == DIGIT
    if following < DIGIT:
        return True, True
    run, last = i, np.uint32(classes.size - 1)
    while run > 0 and classes[min(text[run - 1], last)] == STOP:  # to where the run of stops begins
        run -= 1
    first_is_second = (classes[min(text[run - 1], last)] if run > 0 else edge) < DIGIT
    return previous < DIGIT, first_is_second == ((i - run) % 2 == 0)


@njit()
def equal(codes: np.ndarray, one: int, other: int, size: int) -> bool:
    """Whether so many characters from one place on are those from another."""
    i, end, away = np.uint64(one), np.uint64(one + size), np.uint64(other - one)
    while i < end and codes[i] == codes[i + away]:
        i += np.uint64(1)
    equal: bool = i == end
    return equal


@njit()
def identify(
    codes: np.ndarray,
    tokens: np.ndarray,
    begin: int,
    end: int,
    table: np.ndarray,
    mask: int,
    ids: np.ndarray,
    grow: bool,
) -> None:
    """Set ids[begin:end] to the row of the first token equal to each of tokens[begin:end], -1 if
    there is none.

    With `grow` the tokens that are not yet in the table are added to it.
    """
    for t in range(begin, end):
        digest = tokens[t, 2]
        at = np.uint64(digest >> 32 & mask)  # unsigned: no place is counted from the end
        while table[at] != FREE:
            other = np.int64(table[at])
            if tokens[other, 2] == digest:
                size = tokens[t, 1] - tokens[t, 0]
                if tokens[other, 1] - tokens[other, 0] == size and equal(
                    codes, tokens[t, 0], tokens[other, 0], size
                ):
                    break
            at = at + np.uint64(1) & np.uint64(mask)
        if grow and table[at] == FREE:
            table[at] = t
        ids[t] = table[at]


@njit()
def table_size(n: int) -> int:
    """A power of two that leaves a table of n entries at least half empty."""
    size = 2
    while size < 2 * n + 1:
        size *= 2
    return size


@compiled
def number_tokens(
    codes: np.ndarray, begins: np.ndarray, lengths: np.ndarray, classes: np.ndarray, edge: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number the tokens of texts, shape (texts,): equal tokens alike, from 0 in order of first
    appearance.

    Returns: `ids`: the number of each token, all texts in a row; `bounds`: where each text begins
    in `ids`, and the end of the last; shape (texts + 1,); `spans`: where the token of each number
    lies in `codes`, shape (distinct tokens, 2).
    """
    tokens = np.empty((codes.size, 3), np.int64)
    bounds = np.zeros(begins.size + 1, np.int64)
    for k in range(begins.size):
        bounds[k + 1] = split(
            codes, begins[k], begins[k] + max(lengths[k], 0), classes, edge, tokens, bounds[k]
        )
    n = bounds[-1]
    ids = np.empty(n, np.int64)
    mask = table_size(n) - 1
    identify(codes, tokens, 0, n, np.full(mask + 1, FREE, np.int32), mask, ids, True)
    spans = np.empty((n, 2), np.int64)
    n_distinct = 0
    for t in range(n):
        if ids[t] == t:
            spans[n_distinct] = tokens[t, :2]
            ids[t] = n_distinct
            n_distinct += 1
        else:
            ids[t] = ids[ids[t]]  # the first of its kind is already numbered
    return ids, bounds, spans[:n_distinct].copy()
