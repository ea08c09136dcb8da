"""Compiled counting of matching n-grams, exact, in texts given as code points.

For each segment the n-grams of its references are numbered once, and every system is looked up in that numbering. An
n-gram is known by the number of its first n-1 tokens and by its last token; no two n-grams ever share a number. A
hypothesis adds nothing: where it leaves the references, longer n-grams cannot match either.
"""

import numpy as np
from numba import njit

from mtsig_core._compiled import compiled
from mtsig_core.metrics.tokenizers import ALONE, DASH, DIGIT, SPACE, STOP, WORD

ORDER = 4
_SEED, _SPREAD = 0x2545F491, 0x1E3779B97F4A7C15
_FREE = -1


@njit()
def split(codes: np.ndarray, begin: int, end: int, classes: np.ndarray, edge: int, tokens: np.ndarray, n: int) -> int:
    """Append the tokens of codes[begin:end], as (begin, end, hash), to `tokens` at row n; return the next row.

    The rule says which characters have a token boundary before or after them. It is what remains of the four
    substitutions of 13a:

    - A stop is set apart when a non-digit follows. Else it is cut off from a non-digit before it, and from a digit
      after it if the substitution of pairs "non-digit, stop" took it as the second of a pair. Pairs do not overlap,
      which matters in runs of stops ("a..5" and "a...5" differ).
    - A dash is set apart after a digit.
    """
    last = classes.size - 1
    while begin < end and classes[min(codes[end - 1], last)] == SPACE:
        end -= 1
    while begin < end and classes[min(codes[begin], last)] == SPACE:
        begin += 1
    if begin == end:
        return n
    here, previous, paired = classes[min(codes[begin], last)], edge, False
    start, digest, i = -1, _SEED, begin
    while i < end:
        if here == WORD:  # as most characters are: no boundary on either side
            if start < 0:
                start, digest = i, _SEED
            while here == WORD:
                digest = (digest ^ codes[i]) * _SPREAD
                i += 1
                here = edge if i == end else classes[min(codes[i], last)]
            previous, paired = WORD, False
            continue
        following = edge if i + 1 == end else classes[min(codes[i + 1], last)]
        before = after = here <= ALONE
        second = False
        if here == STOP:
            second = previous < DIGIT and not paired
            before = previous < DIGIT or following < DIGIT
            after = second or following < DIGIT
        elif here == DASH:
            before = after = previous == DIGIT
        if before and start >= 0:
            tokens[n, 0], tokens[n, 1], tokens[n, 2] = start, i, digest
            n, start = n + 1, -1
        if here != SPACE:
            if start < 0:
                start, digest = i, _SEED
            digest = (digest ^ codes[i]) * _SPREAD
            if after:
                tokens[n, 0], tokens[n, 1], tokens[n, 2] = start, i + 1, digest
                n, start = n + 1, -1
        previous, here, paired, i = here, following, second, i + 1
    if start >= 0:
        tokens[n, 0], tokens[n, 1], tokens[n, 2] = start, end, digest
        n += 1
    return n


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
                i, j = tokens[t, 0], tokens[other, 0]
                while i < tokens[t, 1] and j < tokens[other, 1] and codes[i] == codes[j]:
                    i, j = i + 1, j + 1
                if i == tokens[t, 1] and j == tokens[other, 1]:
                    break
            at = at + np.uint64(1) & np.uint64(mask)
        if grow and table[at] == _FREE:
            table[at] = t
        ids[t] = table[at]


@njit()
def _learn(ids: np.ndarray, begin: int, end: int, keys: np.ndarray, nodes: np.ndarray, mask: int, n_nodes: int,
           hits: np.ndarray, limit: np.ndarray) -> int:
    """Number the n-grams of a reference, ids[begin:end], and raise `limit` to its counts; return the new n_nodes."""
    for i in range(begin, end):
        node = ids[i]
        hits[node] += 1
        limit[node] = max(limit[node], hits[node])
        for j in range(i + 1, min(i + ORDER, end)):
            key = node << 32 | ids[j]
            at = np.uint64(key * _SPREAD >> 32 & mask)
            while keys[at] != key and keys[at] != _FREE:
                at = at + np.uint64(1) & np.uint64(mask)
            if keys[at] == _FREE:
                keys[at] = key
                nodes[at] = n_nodes
                n_nodes += 1
            node = nodes[at]
            hits[node] += 1
            limit[node] = max(limit[node], hits[node])
    hits[:n_nodes] = 0
    return n_nodes


@njit()
def _match(ids: np.ndarray, begin: int, end: int, keys: np.ndarray, nodes: np.ndarray, mask: int, n_nodes: int,
           hits: np.ndarray, limit: np.ndarray, correct: np.ndarray) -> None:
    """Add to `correct` the n-grams of a system, ids[begin:end], that the references have, each up to its limit."""
    for i in range(begin, end):
        if ids[i] == _FREE:
            continue
        node = ids[i]
        hits[node] += 1
        correct[0] += hits[node] <= limit[node]
        for j in range(i + 1, min(i + ORDER, end)):
            if ids[j] == _FREE:
                break
            key = node << 32 | ids[j]
            at = np.uint64(key * _SPREAD >> 32 & mask)
            while keys[at] != key and keys[at] != _FREE:
                at = at + np.uint64(1) & np.uint64(mask)
            if keys[at] == _FREE:
                break
            node = nodes[at]
            hits[node] += 1
            correct[j - i] += hits[node] <= limit[node]
    hits[:n_nodes] = 0


@njit()
def _table_size(n: int) -> int:
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

    Parameters
    ----------
    codes : numpy.ndarray
        Code points of all texts, int32.
    begins, lengths : numpy.ndarray
        Where each text lies in `codes`: shape (references + systems, segments), int64, the references first. A
        length of -1 marks a reference that a segment does not have.
    n_refs : int
    classes, edge
        The tokenizer.
    stats : numpy.ndarray
        Shape (systems, all segments, 2 + 2 * ORDER), int32, of zeros.
    first : int
        Position of the block's first segment.
    """
    n_texts, n_segments = lengths.shape
    most_in_refs, most_in_system = 0, 0  # characters, and so a bound on tokens
    for seg in range(n_segments):
        most_in_refs = max(most_in_refs, characters(lengths[:n_refs, seg]))
        for s in range(n_refs, n_texts):
            most_in_system = max(most_in_system, lengths[s, seg])
    tokens = np.empty((most_in_refs + most_in_system, 3), np.int64)
    ids = np.empty(most_in_refs + most_in_system, np.int64)
    table = np.empty(_table_size(most_in_refs), np.int32)  # of tokens: the row of the first of its kind
    keys = np.empty(_table_size((ORDER - 1) * most_in_refs), np.int64)  # of n-grams
    nodes = np.empty(keys.size, np.int64)  # the number of the n-gram at that place
    limit = np.empty(ORDER * most_in_refs, np.int32)  # the most often a reference has the n-gram
    hits = np.empty(ORDER * most_in_refs, np.int32)
    bounds = np.zeros(n_refs + 1, np.int64)  # of the references in `tokens`

    for seg in range(n_segments):
        for r in range(n_refs):
            begin = begins[r, seg]
            bounds[r + 1] = split(codes, begin, begin + max(lengths[r, seg], 0), classes, edge, tokens, bounds[r])
        m = bounds[n_refs]
        token_mask = _table_size(m) - 1
        table[:token_mask + 1] = _FREE
        _identify(codes, tokens, 0, m, table, token_mask, ids, True)

        mask = _table_size((ORDER - 1) * m) - 1
        keys[:mask + 1] = _FREE
        limit[:ORDER * m] = 0
        hits[:ORDER * m] = 0
        n_nodes = m  # the first m numbers are those of the tokens
        for r in range(n_refs):
            n_nodes = _learn(ids, bounds[r], bounds[r + 1], keys, nodes, mask, n_nodes, hits, limit)

        for s in range(n_refs, n_texts):
            row = stats[s - n_refs, first + seg]
            end = split(codes, begins[s, seg], begins[s, seg] + lengths[s, seg], classes, edge, tokens, m)
            _identify(codes, tokens, m, end, table, token_mask, ids, False)
            _match(ids, m, end, keys, nodes, mask, n_nodes, hits, limit, row[2:])
            row[0] = end - m
            row[1] = _closest(end - m, bounds, lengths[:n_refs, seg])
            for order in range(ORDER):
                row[2 + ORDER + order] = max(end - m - order, 0)


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

    Returns
    -------
    ids : numpy.ndarray
        The number of each token, all texts in a row.
    bounds : numpy.ndarray
        Where each text begins in `ids`, and the end of the last; shape (texts + 1,).
    spans : numpy.ndarray
        Where the token of each number lies in `codes`, shape (distinct tokens, 2).
    """
    tokens = np.empty((codes.size, 3), np.int64)
    bounds = np.zeros(begins.size + 1, np.int64)
    for k in range(begins.size):
        bounds[k + 1] = split(codes, begins[k], begins[k] + max(lengths[k], 0), classes, edge, tokens, bounds[k])
    n = bounds[-1]
    ids = np.empty(n, np.int64)
    mask = _table_size(n) - 1
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
