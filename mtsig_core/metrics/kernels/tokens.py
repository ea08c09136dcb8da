"""Compiled, exact splitting of texts (as code points) into tokens, and numbering of the tokens."""

from collections import namedtuple

import numpy as np

from mtsig_core._compiled import compiled, compiled_helper
from mtsig_core.metrics.tokenizers import DASH, DIGIT, SPACE, STOP

HASH_SEED = 0x2545F491
SPREAD = 0x1E3779B97F4A7C15
FREE = -1


@compiled_helper
def split(
    codes: np.ndarray,
    begin: int,
    end: int,
    classes: np.ndarray,
    edge: int,
    tokens: np.ndarray,
    n: int,
) -> int:
    """Append the tokens of codes[begin:end], as (begin, end, hash), to `tokens` at row n.

    A space, a character that is a token of its own, and a stop have a token boundary on either
    side, others none. `_beside_digit` tells what digits change. Where words end cannot be
    predicted, so nothing here branches on it: the token that may end before a character is written
    before each character, and the next one over it where the token goes on.

    Returns the next row.
    """
    last = np.uint32(classes.size - 1)  # unsigned: no place is counted from the end
    while begin < end and classes[min(codes[end - 1], last)] == SPACE:
        end -= 1
    while begin < end and classes[min(codes[begin], last)] == SPACE:
        begin += 1
    if begin >= end:
        return n
    text = codes[begin:end]
    rows = tokens[n:]
    row = 0
    start = begin
    digest = HASH_SEED
    is_inside = False
    boundary_after = False
    previous = edge
    current = classes[min(text[0], last)]
    for i in range(text.size):
        following = classes[min(text[i + 1], last)] if i + 1 < text.size else edge
        before = current <= STOP
        after = before
        if (previous | following) & DIGIT and current & STOP:
            before, after = _beside_digit(text, i, previous, current, following, classes, edge)
        is_cut = boundary_after | before
        rows[row, 0] = start
        rows[row, 1] = begin + i
        rows[row, 2] = digest
        row += is_cut & is_inside
        start = begin + i if is_cut else start
        digest = ((HASH_SEED if is_cut else digest) ^ text[i]) * SPREAD
        is_inside = current != SPACE
        boundary_after = after
        previous = current
        current = following
    rows[row, 0] = start
    rows[row, 1] = end
    rows[row, 2] = digest
    return n + row + 1


@compiled_helper
def _beside_digit(
    text: np.ndarray,
    i: int,
    previous: int,
    current: int,
    following: int,
    classes: np.ndarray,
    edge: int,
) -> tuple[bool, bool]:
    """Whether 13a puts a token boundary before the stop or dash text[i], and after it.

    - A stop is set apart when a non-digit follows. Else it is cut off from a non-digit before it,
      and from a digit after it if the substitution of pairs "non-digit, stop" took it as the second
      of a pair. Pairs do not overlap, which matters in runs of stops ("a..5" and "a...5" differ).
    - A dash is set apart after a digit.
    """
    if current == DASH:
        is_after_digit = previous == DIGIT
        return is_after_digit, is_after_digit
    if following < DIGIT:
        return True, True
    last = np.uint32(classes.size - 1)
    run = i  # where the run of stops begins
    while run > 0 and classes[min(text[run - 1], last)] == STOP:
        run -= 1
    before_run = classes[min(text[run - 1], last)] if run > 0 else edge
    first_is_second = before_run < DIGIT
    is_even = (i - run) % 2 == 0
    return previous < DIGIT, first_is_second == is_even


@compiled_helper
def equal(codes: np.ndarray, first: int, second: int, size: int) -> bool:
    """Whether `size` characters from one place on equal those from another."""
    i = np.uint64(first)
    end = np.uint64(first + size)
    distance = np.uint64(second - first)
    while i < end and codes[i] == codes[i + distance]:
        i += np.uint64(1)
    are_equal: bool = i == end
    return are_equal


# A hash table of tokens: the row of the first token of each kind; its size less one is the mask.
TokenTable = namedtuple("TokenTable", "rows mask")


@compiled_helper
def identify(
    codes: np.ndarray,
    tokens: np.ndarray,
    begin: int,
    end: int,
    table: TokenTable,
    ids: np.ndarray,
    grow: bool,
) -> None:
    """Set ids[begin:end] to the row of the first token equal to each of tokens[begin:end].

    It is -1 for a token that is not in the table. With `grow` such tokens are added.
    """
    for t in range(begin, end):
        digest = tokens[t, 2]
        place = np.uint64(digest >> 32 & table.mask)  # unsigned: no place is counted from the end
        while table.rows[place] != FREE:
            other = np.int64(table.rows[place])
            if tokens[other, 2] == digest and _same_token(codes, tokens, t, other):
                break
            place = place + np.uint64(1) & np.uint64(table.mask)
        if grow and table.rows[place] == FREE:
            table.rows[place] = t
        ids[t] = table.rows[place]


@compiled_helper
def _same_token(codes: np.ndarray, tokens: np.ndarray, t: int, other: np.int64) -> bool:
    size = tokens[t, 1] - tokens[t, 0]
    if tokens[other, 1] - tokens[other, 0] != size:
        return False
    is_same: bool = equal(codes, tokens[t, 0], tokens[other, 0], size)
    return is_same


@compiled_helper
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
    """Number the tokens of texts: equal tokens alike, from 0 in order of first appearance.

    `begins`, `lengths`: where each text is in `codes`, shape (texts,).

    Returns `ids`, the number of each token, all texts in a row; `bounds`, where each text begins in
    `ids`, and the end of the last, shape (texts + 1,); `spans`, where the token of each number is
    in `codes`, shape (distinct tokens, 2).
    """
    tokens = np.empty((codes.size, 3), np.int64)
    bounds = np.zeros(begins.size + 1, np.int64)
    for k in range(begins.size):
        end = begins[k] + max(lengths[k], 0)
        bounds[k + 1] = split(codes, begins[k], end, classes, edge, tokens, bounds[k])
    n = bounds[-1]
    ids = np.empty(n, np.int64)
    size = table_size(n)
    table = TokenTable(np.full(size, FREE, np.int32), size - 1)
    identify(codes, tokens, 0, n, table, ids, True)
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
