"""Compiled, exact counting of the n-grams (of words or of characters) that texts share.

The n-grams of a segment's references are the nodes of a trie. The link of a node leads to the node
without its first symbol. So one walk over a text finds, at each symbol, the longest known n-gram
that ends there. The links lead to the shorter n-grams that end at the same symbol; they are counted
once, after the walk (Aho and Corasick 1975).
"""

from collections import namedtuple
from collections.abc import Sequence

import numpy as np

from mtsig_core._compiled import compiled, compiled_helper
from mtsig_core.metrics.counting import join_texts
from mtsig_core.metrics.kernels.tokens import (
    FREE,
    HASH_SEED,
    SPREAD,
    TokenTable,
    equal,
    identify,
    split,
    table_size,
)
from mtsig_core.metrics.tokenizers import ALONE, SPACE, Tokenizer

#: What a symbol is: a token, a character, a word between spaces.
TOKENS = 0
CHARACTERS = 1
BETWEEN_SPACES = 2
_ROOT = 0

# keys, nodes: a hash table from (parent, symbol) to the node. sizes: how many nodes have each
# length; the nodes of length n are numbered from 1 + (n - 1) * width on. The other arrays are by
# node: its link, where it begins in the first reference that has it, how often each reference has
# it (references, nodes), and how often a system does.
_Trie = namedtuple("_Trie", "keys nodes sizes link start counts hits")

# What turns texts into symbols: code points of all texts, the tokenizer, what a symbol is, and
# memory for the tokens of a segment and for the numbers of its symbols.
_Reader = namedtuple("_Reader", "codes classes edge kind tokens ids")


@compiled_helper
def new_trie(n_refs: int, order: int, width: int) -> _Trie:
    """A trie for n-grams up to `order` of references with at most `width` symbols."""
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


@compiled_helper
def clear(trie: _Trie, n_symbols: int) -> int:
    """Make the trie ready for references with `n_symbols` symbols; return the mask of its table."""
    mask = table_size((trie.sizes.size - 1) * n_symbols + 1) - 1
    trie.keys[: mask + 1] = FREE
    trie.sizes[:] = 0
    return mask


@compiled_helper
def _place(node: np.integer, symbol: int, keys: np.ndarray, mask: int) -> np.uint64:
    """The place in the table of the n-gram that is longer by a symbol, or a free one for it."""
    key = np.int64(node) << 32 | symbol
    place = np.uint64(key * SPREAD >> 32 & mask)  # unsigned: no place is counted from the end
    while keys[place] != key and keys[place] != FREE:
        place = place + np.uint64(1) & np.uint64(mask)
    return place


@compiled_helper
def learn(symbols: np.ndarray, ref: int, start: int, trie: _Trie, mask: int, width: int) -> None:
    """Count the n-grams of a reference, and add new ones; its first symbol is at `start`."""
    order = trie.sizes.size - 1
    ending = np.zeros(order + 1, np.int32)  # the n-gram of each length that ends at the last symbol
    for i in range(symbols.size):
        link = np.int32(_ROOT)
        parent = np.int32(_ROOT)
        for length in range(1, min(i + 1, order) + 1):
            place = _place(parent, symbols[i], trie.keys, mask)
            if trie.keys[place] == FREE:
                node = 1 + (length - 1) * width + trie.sizes[length]
                trie.keys[place] = np.int64(parent) << 32 | symbols[i]
                trie.nodes[place] = node
                trie.link[node] = link
                trie.start[node] = start + i - length + 1
                trie.counts[:, node] = 0
                trie.sizes[length] += 1
            link = trie.nodes[place]
            trie.counts[ref, link] += 1
            parent = ending[length]
            ending[length] = link


@compiled_helper
def _nodes_of_length(trie: _Trie, length: int, width: int) -> tuple[int, int]:
    """The first node of the n-grams of a length, and the node after the last."""
    first = 1 + (length - 1) * width
    return first, first + trie.sizes[length]


@compiled_helper
def keep_largest(trie: _Trie, width: int) -> None:
    """Give the first reference each n-gram as often as any reference has it."""
    for length in range(1, trie.sizes.size):
        first, end = _nodes_of_length(trie, length, width)
        for node in range(first, end):
            for ref in range(1, len(trie.counts)):
                trie.counts[0, node] = max(trie.counts[0, node], trie.counts[ref, node])


@compiled_helper
def walk(symbols: np.ndarray, trie: _Trie, mask: int, room: int) -> int:
    """Count the longest known n-gram that ends at each symbol of a system.

    What follows a node and a symbol that is no child of it is remembered in the table like a child,
    as long as there is room: the next system, most of whose text is the same, finds it in one step.

    Returns the room that is left.
    """
    node = np.int32(_ROOT)
    for symbol in symbols:
        place = _place(node, symbol, trie.keys, mask)
        if trie.keys[place] == FREE:
            known = place
            shorter = node
            while trie.keys[known] == FREE and shorter != _ROOT:
                shorter = trie.link[shorter]
                known = _place(shorter, symbol, trie.keys, mask)
            following = np.int32(_ROOT)
            if trie.keys[known] != FREE:
                following = trie.nodes[known]
            if room > 0:
                trie.keys[place] = np.int64(node) << 32 | symbol
                trie.nodes[place] = following
                room -= 1
            node = following
        else:
            node = trie.nodes[place]
        trie.hits[node] += 1
    trie.hits[_ROOT] = 0
    return room


@compiled_helper
def add_shared(trie: _Trie, width: int, shared: np.ndarray) -> None:
    """Add how many n-grams the system shares with references to `shared` (references, lengths)."""
    for length in range(trie.sizes.size - 1, 0, -1):
        first, end = _nodes_of_length(trie, length, width)
        hits = trie.hits[first:end]
        links = trie.link[first:end]
        for ref in range(len(shared)):
            counts = trie.counts[ref, first:end]
            total = np.int32(0)
            for k in range(hits.size):
                total += min(hits[k], counts[k])
            shared[ref, length - 1] += total
        for k in range(hits.size):
            trie.hits[links[k]] += hits[k]
        hits[:] = 0
    trie.hits[_ROOT] = 0


@compiled_helper
def count_symbols(lengths: np.ndarray) -> int:
    """The sum of the lengths of texts, -1 for no text; numpy's own sum loads all of its algebra."""
    total = 0
    for k in range(lengths.size):
        total += max(lengths[k], 0)
    return total


@compiled_helper
def measure_lengths(lengths: np.ndarray, n_refs: int) -> tuple[int, int]:
    """The most symbols that a text has, and that the references of a segment have."""
    most = 0
    most_in_refs = 0
    for seg in range(lengths.shape[1]):
        most_in_refs = max(most_in_refs, count_symbols(lengths[:n_refs, seg]))
        for k in range(lengths.shape[0]):
            most = max(most, lengths[k, seg])
    return most, most_in_refs


@compiled_helper
def _find_same(
    codes: np.ndarray, begins: np.ndarray, lengths: np.ndarray, seg: int, first: int, s: int
) -> int:
    """The first system, from `first` on, with the text of system s.

    In WMT24 en-de one text in five equals an earlier one.
    """
    for other in range(first, s):
        size = lengths[s, seg]
        if lengths[other, seg] == size and equal(codes, begins[s, seg], begins[other, seg], size):
            return other
    return s


@compiled_helper
def _copy_characters(reader: _Reader, begin: int, end: int, n: int) -> int:
    """Append the characters that are no space to the ids at n; return the next place."""
    last = reader.classes.size - 1
    for i in range(begin, end):
        code = reader.codes[i]
        if reader.classes[min(code, last)] != SPACE:
            reader.ids[n] = code
            n += 1
    return n


@compiled_helper
def _split_at_spaces(reader: _Reader, begin: int, end: int, n: int) -> int:
    """As `split`: the words between spaces.

    One punctuation mark of a word is cut off, the last character or else the first.
    """
    codes = reader.codes
    classes = reader.classes
    tokens = reader.tokens
    last = classes.size - 1
    i = begin
    while i < end:
        if classes[min(codes[i], last)] == SPACE:
            i += 1
            continue
        start = i
        while i < end and classes[min(codes[i], last)] != SPACE:
            i += 1
        cut = -1
        if i - start > 1 and classes[min(codes[i - 1], last)] == ALONE:
            cut = i - 1
        elif i - start > 1 and classes[min(codes[start], last)] == ALONE:
            cut = start + 1
        digest = HASH_SEED
        for k in range(start, i):
            if k == cut:
                tokens[n, 0] = start
                tokens[n, 1] = k
                tokens[n, 2] = digest
                n += 1
                start = k
                digest = HASH_SEED
            digest = (digest ^ codes[k]) * SPREAD
        tokens[n, 0] = start
        tokens[n, 1] = i
        tokens[n, 2] = digest
        n += 1
    return n


@compiled_helper
def _read(reader: _Reader, begin: int, length: int, table: TokenTable, n: int, grow: bool) -> int:
    """Append the symbols of a text to the ids at n, -1 for one that no reference has.

    With `grow`, for references, such symbols get numbers. Returns the next place.
    """
    end = begin + max(length, 0)
    if reader.kind == CHARACTERS:
        return _copy_characters(reader, begin, end, n)
    if reader.kind == BETWEEN_SPACES:
        stop = _split_at_spaces(reader, begin, end, n)
    else:
        stop = split(reader.codes, begin, end, reader.classes, reader.edge, reader.tokens, n)
    identify(reader.codes, reader.tokens, n, stop, table, reader.ids, grow)
    return stop


@compiled
def count_ngrams(  # noqa: PLR0914  memory for all segments is allocated once
    codes: np.ndarray,
    begins: np.ndarray,
    lengths: np.ndarray,
    n_refs: int,
    tokenizer: tuple[np.ndarray, int, int],
    shared: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Count the n-grams that systems share with references in a block of segments.

    `codes`: code points of all texts, uint32; `begins`, `lengths`: where each text is in `codes`,
    shape (references + systems, segments), int64, the references first. A length of -1 marks a
    reference that a segment does not have. `tokenizer`: its classes and edge, and what a symbol is:
    TOKENS, CHARACTERS or words BETWEEN_SPACES.

    Fills `shared`, of zeros, shape (references or 1, systems, segments, lengths of n-grams), int32:
    one row counts each n-gram up to the most that a reference has. Also fills `sizes`, the symbols
    of each text, -1 for a missing text.
    """
    n_rows, n_systems, n_segments, order = shared.shape
    classes, edge, kind = tokenizer
    most, most_in_refs = measure_lengths(lengths, n_refs)
    tokens = np.empty((most_in_refs + most, 3), np.int64)
    ids = np.empty(most_in_refs + most, np.int64)
    reader = _Reader(codes, classes, edge, kind, tokens, ids)
    token_rows = np.empty(table_size(most_in_refs), np.int32)
    trie = new_trie(n_refs, order, most_in_refs)
    for seg in range(n_segments):
        width = count_symbols(lengths[:n_refs, seg])
        table = TokenTable(token_rows, table_size(width) - 1)
        token_rows[: table.mask + 1] = FREE
        mask = clear(trie, width)
        n = 0
        for r in range(n_refs):
            first = n
            n = _read(reader, begins[r, seg], lengths[r, seg], table, n, True)
            learn(ids[first:n], r, 0, trie, mask, width)
            sizes[r, seg] = n - first if lengths[r, seg] >= 0 else -1
        if n_rows < n_refs:
            keep_largest(trie, width)
        room = mask // 4  # nodes fill at most half of the places
        for s in range(n_systems):
            row = n_refs + s
            same = _find_same(codes, begins, lengths, seg, n_refs, row) - n_refs
            if same < s:
                shared[:, s, seg] = shared[:, same, seg]
                sizes[row, seg] = sizes[n_refs + same, seg]
                continue
            end = _read(reader, begins[row, seg], lengths[row, seg], table, n, False)
            room = walk(ids[n:end], trie, mask, room)
            add_shared(trie, width, shared[:, s, seg])
            sizes[row, seg] = end - n


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
    n_rows = 1 if merge else n_refs
    n_systems = len(texts) - n_refs
    shared = np.zeros((n_rows, n_systems, lengths.shape[1], order), np.int32)
    settings = (tokenizer.classes, tokenizer.edge, kind)
    count_ngrams(codes, begins, lengths, n_refs, settings, shared, sizes)
    return shared, sizes


@compiled
def list_shared(
    ids: np.ndarray,
    begins: np.ndarray,
    counts: np.ndarray,
    starts: np.ndarray,
    places: np.ndarray,
    times: np.ndarray,
    ends: np.ndarray,
) -> None:
    """List the n-grams that systems share with references, each up to the most that one has.

    `ids`: words as numbers; `begins`, `counts`: where each text is in them, shape (references +
    systems, segments), a count of -1 for none; `starts`: where each reference begins in the
    caller's array of all references.

    Fills `places` and `times`: where in that array each n-gram begins first, and how often it
    matches, by segment, system, and length; and `ends`, shape (segments, systems, lengths): where
    the list of each ends.
    """
    n_refs = len(starts)
    order = ends.shape[2]
    end = 0
    _, most = measure_lengths(counts, n_refs)
    trie = new_trie(n_refs, order, most)
    for seg in range(counts.shape[1]):
        width = count_symbols(counts[:n_refs, seg])
        mask = clear(trie, width)
        for r in range(n_refs):
            reference = ids[begins[r, seg] :][: max(counts[r, seg], 0)]
            learn(reference, r, starts[r, seg], trie, mask, width)
        keep_largest(trie, width)
        room = mask // 4
        for s in range(len(counts) - n_refs):
            output = ids[begins[n_refs + s, seg] :][: counts[n_refs + s, seg]]
            room = walk(output, trie, mask, room)
            for length in range(order, 1, -1):
                first, last = _nodes_of_length(trie, length, width)
                for node in range(first, last):
                    trie.hits[trie.link[node]] += trie.hits[node]
            for length in range(1, order + 1):
                first, last = _nodes_of_length(trie, length, width)
                for node in range(first, last):
                    if trie.hits[node] > 0:
                        places[end] = trie.start[node]
                        times[end] = min(trie.hits[node], trie.counts[0, node])
                        trie.hits[node] = 0
                        end += 1
                ends[seg, s, length - 1] = end
