"""Compiled counting of matching n-grams, exact, in texts given as code points.

For each segment the n-grams of its references are numbered once, and every system is looked up in that numbering. An
n-gram is known by the number of its first n-1 tokens and by its last token; no two n-grams ever share a number. A
hypothesis adds nothing: where it leaves the references, longer n-grams cannot match either.
"""

import numpy as np
from numba import njit

from mtsig_core._compiled import compiled
from mtsig_core.metrics.tokenizers import DASH, DIGIT, SPACE, STOP

ORDER = 4
_SEED, _SPREAD = 0x2545F491, 0x1E3779B97F4A7C15
_FREE = -1


@njit()
def split(codes: np.ndarray, begin: int, end: int, classes: np.ndarray, edge: int, tokens: np.ndarray, n: int) -> int:
    """Append the tokens of codes[begin:end], as (begin, end, hash), to `tokens` at row n; return the next row.

    A space, a character that stands alone, and a stop have a token boundary on either side, others none. What digits
    change of that `_beside_digit` says. Words end where nobody can foresee it, so nothing here branches on that: the
    token that may end before a character is written before each, and the next over it where it goes on.
    """
    last = np.uint32(classes.size - 1)  # unsigned: no place is counted from the end
    while begin < end and classes[min(codes[end - 1], last)] == SPACE:
        end -= 1
    while begin < end and classes[min(codes[begin], last)] == SPACE:
        begin += 1
    if begin >= end:
        return n
    text, rows, row = codes[begin:end], tokens[n:], 0
    start, digest, inside, after = begin, _SEED, False, False
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
        digest = ((_SEED if cut else digest) ^ text[i]) * _SPREAD
        inside, after, previous, here = here != SPACE, after_this, here, following
    rows[row, 0], rows[row, 1], rows[row, 2] = start, end, digest
    return n + row + 1


@njit()
def _beside_digit(text: np.ndarray, i: int, previous: int, here: int, following: int, classes: np.ndarray,
                  edge: int) -> tuple[bool, bool]:
    """Whether a token boundary is before the stop or dash text[i] and after it: what the substitutions of 13a leave.

    - A stop is set apart when a non-digit follows. Else it is cut off from a non-digit before it, and from a digit
      after it if the substitution of pairs "non-digit, stop" took it as the second of a pair. Pairs do not overlap,
      which matters in runs of stops ("a..5" and "a...5" differ).
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
def _equal(codes: np.ndarray, one: int, other: int, size: int) -> bool:
    """Whether so many characters from one place on are those from another."""
    i, end, away = np.uint64(one), np.uint64(one + size), np.uint64(other - one)
    while i < end and codes[i] == codes[i + away]:
        i += np.uint64(1)
    equal: bool = i == end
    return equal


@njit()
def _identify(codes: np.ndarray, tokens: np.ndarray, begin: int, end: int, table: np.ndarray, mask: int,
              ids: np.ndarray, grow: bool) -> None:
    """Set ids[begin:end] to the row of the first token equal to each of tokens[begin:end], -1 if there is none.

    With `grow` the tokens that are not yet in the table are added to it.
    """
    for t in range(begin, end):
        digest = tokens[t, 2]
        at = np.uint64(digest >> 32 & mask)  # unsigned: no place is counted from the end
        while table[at] != _FREE:
            other = np.int64(table[at])
            if tokens[other, 2] == digest:
                size = tokens[t, 1] - tokens[t, 0]
                if tokens[other, 1] - tokens[other, 0] == size and _equal(codes, tokens[t, 0], tokens[other, 0], size):
                    break
            at = at + np.uint64(1) & np.uint64(mask)
        if grow and table[at] == _FREE:
            table[at] = t
        ids[t] = table[at]


@njit()
def _learn(ids: np.ndarray, begin: int, end: int, firsts: np.ndarray, keys: np.ndarray, nodes: np.ndarray, mask: int,
           n_nodes: int, hits: np.ndarray, limit: np.ndarray) -> int:
    """Number the n-grams of a reference, ids[begin:end], and raise `limit` to its counts; return the new n_nodes.

    Most n-grams go on with one token only: the first that each went on with stands in `firsts`, with the number of the
    n-gram longer by it, and whether there are others, which are looked up in a table.
    """
    for i in range(begin, end):
        node = ids[i]
        hits[node] += 1
        limit[node] = max(limit[node], hits[node])
        for j in range(i + 1, min(i + ORDER, end)):
            if firsts[node, 0] == _FREE:
                firsts[node] = ids[j], n_nodes, 0
                n_nodes += 1
            if firsts[node, 0] == ids[j]:
                node = firsts[node, 1]
            else:
                firsts[node, 2] = 1
                at = place(node, ids[j], keys, mask)
                if keys[at] == _FREE:
                    keys[at], nodes[at] = node << 32 | ids[j], n_nodes
                    n_nodes += 1
                node = nodes[at]
            hits[node] += 1
            limit[node] = max(limit[node], hits[node])
    hits[:n_nodes] = 0
    return n_nodes


@njit()
def _match(ids: np.ndarray, firsts: np.ndarray, keys: np.ndarray, nodes: np.ndarray, mask: int, n_nodes: int,
           hits: np.ndarray, limit: np.ndarray, correct: np.ndarray) -> None:
    """Add to `correct` the n-grams of a system's tokens that the references have, each up to its limit."""
    for i in range(ids.size):
        if ids[i] == _FREE:
            continue
        node = np.uint64(ids[i])
        hits[node] += 1
        correct[0] += hits[node] <= limit[node]
        for j in range(i + 1, min(i + ORDER, ids.size)):
            if ids[j] == _FREE:
                break
            if firsts[node, 0] == ids[j]:
                node = np.uint64(firsts[node, 1])
            elif firsts[node, 2] == 1:
                at = place(node, ids[j], keys, mask)
                if keys[at] == _FREE:
                    break
                node = np.uint64(nodes[at])
            else:
                break
            hits[node] += 1
            correct[j - i] += hits[node] <= limit[node]
    hits[:n_nodes] = 0


@njit()
def place(node: np.integer, token: int, keys: np.ndarray, mask: int) -> np.uint64:
    """Where the n-gram of that number, longer by a token, stands in the table, or would."""
    key = np.int64(node) << 32 | token
    at = np.uint64(key * _SPREAD >> 32 & mask)
    while keys[at] != key and keys[at] != _FREE:
        at = at + np.uint64(1) & np.uint64(mask)
    return at


@njit()
def table_size(n: int) -> int:
    """A power of two that leaves a table of n entries at least half empty."""
    size = 2
    while size < 2 * n + 1:
        size *= 2
    return size


@njit()
def characters(lengths: np.ndarray) -> int:
    """The sum of the lengths of texts, without those that are not there; numpy's own would load all of its algebra."""
    total = 0
    for k in range(lengths.size):
        total += max(lengths[k], 0)
    return total


@compiled
def count(codes: np.ndarray, begins: np.ndarray, lengths: np.ndarray, n_refs: int, classes: np.ndarray, edge: int,
          stats: np.ndarray, first: int) -> None:
    """Fill stats[:, first:first + segments] with the BLEU statistics of a block of segments.

    `codes`: code points of all texts, uint32; `begins`, `lengths`: where each text lies in `codes`: shape (references +
    systems, segments), int64, the references first. A length of -1 marks a reference that a segment does not have;
    `classes`, `edge`: the tokenizer; `stats`: shape (systems, all segments, 2 + 2 * ORDER), int32, of zeros; `first`:
    position of the block's first segment.
    """
    n_texts, n_segments = lengths.shape
    most_in_refs, most_in_system = 0, 0  # characters, and so a bound on tokens
    for seg in range(n_segments):
        most_in_refs = max(most_in_refs, characters(lengths[:n_refs, seg]))
        for s in range(n_refs, n_texts):
            most_in_system = max(most_in_system, lengths[s, seg])
    tokens = np.empty((most_in_refs + most_in_system, 3), np.int64)
    ids = np.empty(most_in_refs + most_in_system, np.int64)
    table = np.empty(table_size(most_in_refs), np.int32)  # of tokens: the row of the first of its kind
    firsts = np.empty((ORDER * most_in_refs, 3), np.int32)  # see `_learn`
    keys = np.empty(table_size((ORDER - 1) * most_in_refs), np.int64)  # of n-grams
    nodes = np.empty(keys.size, np.int64)  # the number of the n-gram at that place
    limit = np.empty(ORDER * most_in_refs, np.int32)  # the most often a reference has the n-gram
    hits = np.empty(ORDER * most_in_refs, np.int32)
    bounds = np.zeros(n_refs + 1, np.int64)  # of the references in `tokens`

    for seg in range(n_segments):
        for r in range(n_refs):
            begin = begins[r, seg]
            bounds[r + 1] = split(codes, begin, begin + max(lengths[r, seg], 0), classes, edge, tokens, bounds[r])
        m = bounds[n_refs]
        token_mask = table_size(m) - 1
        table[:token_mask + 1] = _FREE
        _identify(codes, tokens, 0, m, table, token_mask, ids, True)

        mask = table_size((ORDER - 1) * m) - 1
        keys[:mask + 1] = _FREE
        firsts[:ORDER * m] = _FREE
        limit[:ORDER * m] = 0
        hits[:ORDER * m] = 0
        n_nodes = m  # the first m numbers are those of the tokens
        for r in range(n_refs):
            n_nodes = _learn(ids, bounds[r], bounds[r + 1], firsts, keys, nodes, mask, n_nodes, hits, limit)

        for s in range(n_refs, n_texts):
            row = stats[s - n_refs, first + seg]
            same = _same_before(codes, begins, lengths, seg, n_refs, s)
            if same < s:
                row[:] = stats[same - n_refs, first + seg]
                continue
            end = split(codes, begins[s, seg], begins[s, seg] + lengths[s, seg], classes, edge, tokens, m)
            _identify(codes, tokens, m, end, table, token_mask, ids, False)
            _match(ids[m:end], firsts, keys, nodes, mask, n_nodes, hits, limit, row[2:])
            row[0] = end - m
            row[1] = _closest(end - m, bounds, lengths[:n_refs, seg])
            for order in range(ORDER):
                row[2 + ORDER + order] = max(end - m - order, 0)


@njit()
def _same_before(codes: np.ndarray, begins: np.ndarray, lengths: np.ndarray, seg: int, first: int, s: int) -> int:
    """The first system, from `first` on, whose text is that of system s; in WMT24 en-de one text in five is such."""
    for other in range(first, s):
        size = lengths[s, seg]
        if lengths[other, seg] == size and _equal(codes, begins[s, seg], begins[other, seg], size):
            return other
    return s


@njit()
def _closest(length: int, bounds: np.ndarray, present: np.ndarray) -> np.int64:
    """The number of tokens of a reference nearest to `length`, the smaller of two as near."""
    best = np.int64(-1)
    for r in range(present.size):
        if present[r] >= 0:
            candidate = bounds[r + 1] - bounds[r]
            gap, best_gap = abs(candidate - length), abs(best - length)
            if best < 0 or gap < best_gap or (gap == best_gap and candidate < best):
                best = candidate
    return best


@compiled
def number(codes: np.ndarray, begins: np.ndarray, lengths: np.ndarray, classes: np.ndarray,
           edge: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number the tokens of texts, shape (texts,): equal tokens alike, from 0 in order of first appearance.

    Returns: `ids`: the number of each token, all texts in a row; `bounds`: where each text begins in `ids`, and the end
    of the last; shape (texts + 1,); `spans`: where the token of each number lies in `codes`, shape (distinct tokens,
    2).
    """
    tokens = np.empty((codes.size, 3), np.int64)
    bounds = np.zeros(begins.size + 1, np.int64)
    for k in range(begins.size):
        bounds[k + 1] = split(codes, begins[k], begins[k] + max(lengths[k], 0), classes, edge, tokens, bounds[k])
    n = bounds[-1]
    ids = np.empty(n, np.int64)
    mask = table_size(n) - 1
    _identify(codes, tokens, 0, n, np.full(mask + 1, _FREE, np.int32), mask, ids, True)
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
