"""Compiled counting of the n-grams that texts share, exact: for BLEU and NIST of words, for chrF of
characters too.

The n-grams of a segment's references are the nodes of a trie. A node's link leads to the node
without its first symbol, so a text finds the longest known n-gram that ends at each of its symbols
in one walk; the shorter ones that end there are its links, and are counted once for all at the end
(Aho and Corasick 1975).
"""

from collections import namedtuple
from collections.abc import Sequence

import numpy as np
from numba import njit

from mtsig_core._compiled import compiled
from mtsig_core.metrics.counting import join_texts
from mtsig_core.metrics.kernels.tokens import (
    FREE,
    HASH_SEED,
    SPREAD,
    equal,
    identify,
    split,
    table_size,
)
from mtsig_core.metrics.tokenizers import ALONE, SPACE, Tokenizer

#: What a symbol is: a token, a character, a word between spaces.
TOKENS, CHARACTERS, BETWEEN_SPACES = range(3)
_ROOT = 0

# keys, nodes: a hash table from (parent, symbol) to the node. sizes: how many nodes have each
# length; those of length n are numbered from 1 + (n - 1) * width on. The other arrays are by node:
# its link, where it begins in the first reference that has it, how often each reference has it
# (references, nodes), and how often a system does.
_Trie = namedtuple("_Trie", "keys nodes sizes link start counts hits")


@njit()
def new_trie(n_refs: int, order: int, width: int) -> _Trie:
    n_nodes = order * width + 1
    size = table_size(n_nodes)
    return _Trie(
        np.empty(size, np.int64),
        np.empty(size, np.int32),
        np.zeros(order + 1, np.int64),
        np.empty(n_nodes, np.int32),
        np.empty(n_nodes, np.int32),
        np.empty((n_refs, n_nodes), np.int32),
        np.zeros(n_nodes, np.int32),
    )


@njit()
def clear(trie: _Trie, n_symbols: int) -> int:
    """Make the trie ready for references of so many symbols; return the mask of its table."""
    mask = table_size((trie.sizes.size - 1) * n_symbols + 1) - 1
    trie.keys[: mask + 1] = FREE
    trie.sizes[:] = 0
    return mask


@njit()
def _place(node: np.integer, symbol: int, keys: np.ndarray, mask: int) -> np.uint64:
    """Where the n-gram that is longer by a symbol stands in the table, or would."""
    key = np.int64(node) << 32 | symbol
    at = np.uint64(key * SPREAD >> 32 & mask)  # unsigned: no place is counted from the end
    while keys[at] != key and keys[at] != FREE:
        at = at + np.uint64(1) & np.uint64(mask)
    return at


@njit()
def learn(symbols: np.ndarray, ref: int, start: int, trie: _Trie, mask: int, width: int) -> None:
    """Count the n-grams of a reference, whose first symbol is at `start`, and add those that are
    new.
    """
    order = trie.sizes.size - 1
    ending = np.zeros(order + 1, np.int32)  # the n-gram of each length that ends at the last symbol
    for i in range(symbols.size):
        link, parent = np.int32(_ROOT), np.int32(_ROOT)
        for length in range(1, min(i + 1, order) + 1):
            at = _place(parent, symbols[i], trie.keys, mask)
            if trie.keys[at] == FREE:
                node = 1 + (length - 1) * width + trie.sizes[length]
                trie.keys[at] = np.int64(parent) << 32 | symbols[i]
                trie.nodes[at] = node
                trie.link[node] = link
                trie.start[node] = start + i - length + 1
                trie.counts[:, node] = 0
                trie.sizes[length] += 1
            link = trie.nodes[at]
            trie.counts[ref, link] += 1
            parent, ending[length] = ending[length], link


@njit()
def keep_largest(trie: _Trie, width: int) -> None:
    """Let the first reference have each n-gram as often as the one that has it most often."""
    for length in range(1, trie.sizes.size):
        for node in range(1 + (length - 1) * width, 1 + (length - 1) * width + trie.sizes[length]):
            for ref in range(1, len(trie.counts)):
                trie.counts[0, node] = max(trie.counts[0, node], trie.counts[ref, node])


@njit()
def walk(symbols: np.ndarray, trie: _Trie, mask: int, room: int) -> int:
    """Count the longest known n-gram that ends at each symbol of a system; return the room that is
    left.

    What follows a node and a symbol that is no child of it is remembered in the table as if it were
    one, for so many as there is room: the next system, most of whose text is the same, finds it in
    one step.
    """
    node = np.int32(_ROOT)
    for symbol in symbols:
        at = _place(node, symbol, trie.keys, mask)
        if trie.keys[at] == FREE:
            found, shorter = at, node
            while trie.keys[found] == FREE and shorter != _ROOT:
                shorter = trie.link[shorter]
                found = _place(shorter, symbol, trie.keys, mask)
            following = np.int32(_ROOT) if trie.keys[found] == FREE else trie.nodes[found]
            if room > 0:
                trie.keys[at] = np.int64(node) << 32 | symbol
                trie.nodes[at] = following
                room -= 1
            node = following
        else:
            node = trie.nodes[at]
        trie.hits[node] += 1
    trie.hits[_ROOT] = 0
    return room


@njit()
def add_shared(trie: _Trie, width: int, shared: np.ndarray) -> None:
    """Add how many n-grams of each length the system shares with references to `shared`
    (references, lengths).
    """
    for length in range(trie.sizes.size - 1, 0, -1):
        first = 1 + (length - 1) * width
        last = first + trie.sizes[length]
        hits, links = trie.hits[first:last], trie.link[first:last]
        for ref in range(len(shared)):
            counts, total = trie.counts[ref, first:last], np.int32(0)
            for k in range(hits.size):
                total += min(hits[k], counts[k])
            shared[ref, length - 1] += total
        for k in range(hits.size):
            trie.hits[links[k]] += hits[k]
        hits[:] = 0
    trie.hits[_ROOT] = 0


@njit()
def count_symbols(lengths: np.ndarray) -> int:
    """The sum of the lengths of texts, without those that are not there; numpy's own would load all
    of its algebra.
    """
    total = 0
    for k in range(lengths.size):
        total += max(lengths[k], 0)
    return total


@njit()
def measure_lengths(lengths: np.ndarray, n_refs: int) -> tuple[int, int]:
    """The most symbols that a text has, and that the references of a segment have."""
    most, most_in_refs = 0, 0
    for seg in range(lengths.shape[1]):
        most_in_refs = max(most_in_refs, count_symbols(lengths[:n_refs, seg]))
        for k in range(lengths.shape[0]):
            most = max(most, lengths[k, seg])
    return most, most_in_refs


@njit()
def _find_same(
    codes: np.ndarray, begins: np.ndarray, lengths: np.ndarray, seg: int, first: int, s: int
) -> int:
    """The first system, from `first` on, whose text is that of system s; in WMT24 en-de one text in
    five is such.
    """
    for other in range(first, s):
        size = lengths[s, seg]
        if lengths[other, seg] == size and equal(codes, begins[s, seg], begins[other, seg], size):
            return other
    return s


@njit()
def _copy_characters(
    codes: np.ndarray, begin: int, end: int, classes: np.ndarray, ids: np.ndarray, n: int
) -> int:
    """Append the characters that are no space to `ids` at n; return the next place."""
    last = classes.size - 1
    for i in range(begin, end):
        if classes[min(codes[i], last)] != SPACE:
            ids[n] = codes[i]
            n += 1
    return n


@njit()
def _split_at_spaces(
    codes: np.ndarray, begin: int, end: int, classes: np.ndarray, tokens: np.ndarray, n: int
) -> int:
    """As `split`: the words between spaces, of which one punctuation mark is cut off, the last
    character or the first.
    """
    last, i = classes.size - 1, begin
    while i < end:
        if classes[min(codes[i], last)] == SPACE:
            i += 1
            continue
        start, cut, digest = i, -1, HASH_SEED
        while i < end and classes[min(codes[i], last)] != SPACE:
            i += 1
        if i - start > 1 and classes[min(codes[i - 1], last)] == ALONE:
            cut = i - 1
        elif i - start > 1 and classes[min(codes[start], last)] == ALONE:
            cut = start + 1
        for k in range(start, i):
            if k == cut:
                tokens[n, 0], tokens[n, 1], tokens[n, 2] = start, k, digest
                n, start, digest = n + 1, k, HASH_SEED
            digest = (digest ^ codes[k]) * SPREAD
        tokens[n, 0], tokens[n, 1], tokens[n, 2] = start, i, digest
        n += 1
    return n


@njit()
def _read(
    codes: np.ndarray,
    begin: int,
    end: int,
    classes: np.ndarray,
    edge: int,
    kind: int,
    tokens: np.ndarray,
    table: np.ndarray,
    mask: int,
    ids: np.ndarray,
    n: int,
    grow: bool,
) -> int:
    """Append the symbols of a text to `ids` at n, those that no reference has as -1; return the
    next place.
    """
    if kind == CHARACTERS:
        return _copy_characters(codes, begin, end, classes, ids, n)
    if kind == BETWEEN_SPACES:
        stop = _split_at_spaces(codes, begin, end, classes, tokens, n)
    else:
        stop = split(codes, begin, end, classes, edge, tokens, n)
    identify(codes, tokens, n, stop, table, mask, ids, grow)
    return stop


@compiled
def count_ngrams(
    codes: np.ndarray,
    begins: np.ndarray,
    lengths: np.ndarray,
    n_refs: int,
    classes: np.ndarray,
    edge: int,
    kind: int,
    shared: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Count the n-grams that systems share with references in a block of segments.

    `codes`: code points of all texts, uint32; `begins`, `lengths`: where each text lies in `codes`:
    shape (references + systems, segments), int64, the references first. A length of -1 marks a
    reference that a segment does not have; `classes`, `edge`: the tokenizer; `kind`: what is a
    symbol, TOKENS, CHARACTERS or words BETWEEN_SPACES.

    Fills `shared`, of zeros, shape (references or 1, systems, segments, lengths of n-grams), int32:
    the one row counts each n-gram up to the most that a reference has; and `sizes`, the symbols of
    each text, -1 where there is none.
    """
    n_rows, n_systems, n_segments, order = shared.shape
    most, most_in_refs = measure_lengths(lengths, n_refs)
    tokens = np.empty((most_in_refs + most, 3), np.int64)
    ids = np.empty(most_in_refs + most, np.int64)
    table = np.empty(
        table_size(most_in_refs), np.int32
    )  # of tokens: the row of the first of its kind
    trie = new_trie(n_refs, order, most_in_refs)
    for seg in range(n_segments):
        width = count_symbols(lengths[:n_refs, seg])
        token_mask, mask, m = table_size(width) - 1, clear(trie, width), 0
        table[: token_mask + 1] = FREE
        for r in range(n_refs):
            first, begin = m, begins[r, seg]
            m = _read(
                codes,
                begin,
                begin + max(lengths[r, seg], 0),
                classes,
                edge,
                kind,
                tokens,
                table,
                token_mask,
                ids,
                m,
                True,
            )
            learn(ids[first:m], r, 0, trie, mask, width)
            sizes[r, seg] = m - first if lengths[r, seg] >= 0 else -1
        if n_rows < n_refs:
            keep_largest(trie, width)
        room = mask // 4  # nodes fill at most half of the places
        for s in range(n_systems):
            same = _find_same(codes, begins, lengths, seg, n_refs, n_refs + s) - n_refs
            if same < s:
                shared[:, s, seg] = shared[:, same, seg]
                sizes[n_refs + s, seg] = sizes[n_refs + same, seg]
                continue
            begin = begins[n_refs + s, seg]
            end = _read(
                codes,
                begin,
                begin + lengths[n_refs + s, seg],
                classes,
                edge,
                kind,
                tokens,
                table,
                token_mask,
                ids,
                m,
                False,
            )
            room = walk(ids[m:end], trie, mask, room)
            add_shared(trie, width, shared[:, s, seg])
            sizes[n_refs + s, seg] = end - m


def count_block(
    texts: Sequence[Sequence[str | None]],
    n_refs: int,
    tokenizer: Tokenizer,
    kind: int,
    order: int,
    merge: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """What `count_ngrams` fills; `merge` makes one row of the references."""
    codes, begins, lengths = join_texts(texts)
    sizes = np.empty_like(lengths)
    shared = np.zeros(
        (1 if merge else n_refs, len(texts) - n_refs, lengths.shape[1], order), np.int32
    )
    count_ngrams(
        codes, begins, lengths, n_refs, tokenizer.classes, tokenizer.edge, kind, shared, sizes
    )
    return shared, sizes


@compiled
def list_shared(
    ids: np.ndarray,
    begins: np.ndarray,
    counts: np.ndarray,
    starts: np.ndarray,
    order: int,
    places: np.ndarray,
    times: np.ndarray,
    ends: np.ndarray,
) -> None:
    """List the n-grams that systems share with references, each up to the most that a reference
    has.

    `ids`: words as numbers; `begins`, `counts`: where each text is in them: shape (references +
    systems, segments), a count of -1 for none; `starts`: where each reference begins in what the
    caller has of all references.

    Fills `places` and `times`: where in that each n-gram begins first, and how often it matches; by
    segment, system, and length; `ends`, shape (segments, systems, lengths): where each list of
    these ends.
    """
    n_refs, end = len(starts), 0
    _, most = measure_lengths(counts, n_refs)
    trie = new_trie(n_refs, order, most)
    for seg in range(counts.shape[1]):
        width = count_symbols(counts[:n_refs, seg])
        mask = clear(trie, width)
        for r in range(n_refs):
            learn(
                ids[begins[r, seg] :][: max(counts[r, seg], 0)],
                r,
                starts[r, seg],
                trie,
                mask,
                width,
            )
        keep_largest(trie, width)
        room = mask // 4
        for s in range(len(counts) - n_refs):
            room = walk(ids[begins[n_refs + s, seg] :][: counts[n_refs + s, seg]], trie, mask, room)
            for length in range(order, 1, -1):
                for node in range(
                    1 + (length - 1) * width, 1 + (length - 1) * width + trie.sizes[length]
                ):
                    trie.hits[trie.link[node]] += trie.hits[node]
            for length in range(1, order + 1):
                for node in range(
                    1 + (length - 1) * width, 1 + (length - 1) * width + trie.sizes[length]
                ):
                    if trie.hits[node] > 0:
                        places[end], times[end] = (
                            trie.start[node],
                            min(trie.hits[node], trie.counts[0, node]),
                        )
                        trie.hits[node] = 0
                        end += 1
                ends[seg, s, length - 1] = end
