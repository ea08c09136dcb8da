"""Compiled counting of the n-grams that two texts share, for chrF: characters up to six, words up to two.

The n-grams of a segment's references are the nodes of a trie. A node's link leads to the node without its first symbol,
so a text finds the longest known n-gram that ends at each of its symbols in one walk; the shorter ones that end there
are its links, and are counted once for all at the end.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from mtsig_core._compiled import compiled
from mtsig_core.metrics.kernels.ngrams import characters, place, table_size
from mtsig_core.metrics.tokenizers import ALONE, SPACE

_FREE = -1
_ROOT = 0

# keys, nodes: a hash table from (parent, symbol) to the node. sizes: how many nodes have each length; those of length n
# are numbered from 1 + (n - 1) * width on. The other arrays are by node: its link, how often each reference has it
# (references, nodes), and how often a system does.
_Trie = namedtuple("_Trie", "keys nodes sizes link counts hits")


@njit()
def _new_trie(n_refs: int, order: int, width: int) -> _Trie:
    n_nodes = order * width + 1
    size = table_size(n_nodes)
    return _Trie(np.empty(size, np.int64), np.empty(size, np.int32), np.zeros(order + 1, np.int64),
                 np.empty(n_nodes, np.int32), np.empty((n_refs, n_nodes), np.int32), np.zeros(n_nodes, np.int32))


@njit()
def _learn(symbols: np.ndarray, order: int, ref: int, trie: _Trie, mask: int, width: int) -> None:
    """Count the n-grams of a reference, and add those that are new."""
    ending = np.zeros(order + 1, np.int32)  # the n-gram of each length that ends at the last symbol
    for i in range(symbols.size):
        link, parent = np.int32(_ROOT), np.int32(_ROOT)
        for length in range(1, min(i + 1, order) + 1):
            at = place(parent, symbols[i], trie.keys, mask)
            if trie.keys[at] == _FREE:
                node = 1 + (length - 1) * width + trie.sizes[length]
                trie.keys[at] = np.int64(parent) << 32 | symbols[i]
                trie.nodes[at] = node
                trie.link[node] = link
                trie.counts[:, node] = 0
                trie.sizes[length] += 1
            link = trie.nodes[at]
            trie.counts[ref, link] += 1
            parent, ending[length] = ending[length], link


@njit()
def _match(symbols: np.ndarray, order: int, trie: _Trie, mask: int, width: int, room: int, matches: np.ndarray) -> int:
    """Add the matches of a system with each reference to `matches` (references, order); return the room that is left.

    What follows a node and a symbol that is no child of it is remembered in the table as if it were one, for so many
    as there is room: the next system, most of whose text is the same, finds it in one step.
    """
    node = np.int32(_ROOT)
    for symbol in symbols:
        at = place(node, symbol, trie.keys, mask)
        if trie.keys[at] == _FREE:
            found, shorter = at, node
            while trie.keys[found] == _FREE and shorter != _ROOT:
                shorter = trie.link[shorter]
                found = place(shorter, symbol, trie.keys, mask)
            following = np.int32(_ROOT) if trie.keys[found] == _FREE else trie.nodes[found]
            if room > 0:
                trie.keys[at] = np.int64(node) << 32 | symbol
                trie.nodes[at] = following
                room -= 1
            node = following
        else:
            node = trie.nodes[at]
        trie.hits[node] += 1
    for length in range(order, 0, -1):
        first = 1 + (length - 1) * width
        last = first + trie.sizes[length]
        hits = trie.hits[first:last]
        for ref in range(len(matches)):
            counts, total = trie.counts[ref, first:last], np.int32(0)
            for k in range(hits.size):
                total += min(hits[k], counts[k])
            matches[ref, length - 1] += total
        links = trie.link[first:last]
        for k in range(hits.size):
            trie.hits[links[k]] += hits[k]
        hits[:] = 0
    trie.hits[_ROOT] = 0
    return room


@njit()
def _characters(codes: np.ndarray, begin: int, end: int, classes: np.ndarray, out: np.ndarray) -> int:
    """Copy the characters that are no space; return their number."""
    last, n = classes.size - 1, 0
    for i in range(begin, end):
        if classes[min(codes[i], last)] != SPACE:
            out[n] = codes[i]
            n += 1
    return n


@njit()
def _spell(codes: np.ndarray, begin: int, end: int, keys: np.ndarray, nodes: np.ndarray, mask: int, n_words: int,
           grow: bool) -> tuple[np.int32, int]:
    """The number of a word, _FREE for one that is not known, and how many numbers are taken afterwards.

    A word is a path in a trie of characters, so that no two words ever share a number.
    """
    node = np.int32(_ROOT)
    for i in range(begin, end):
        at = place(node, codes[i], keys, mask)
        if keys[at] == _FREE:
            if not grow:
                return np.int32(_FREE), n_words
            keys[at] = np.int64(node) << 32 | codes[i]
            nodes[at] = n_words
            n_words += 1
        node = nodes[at]
    return node, n_words


@njit()
def _words(codes: np.ndarray, begin: int, end: int, classes: np.ndarray, keys: np.ndarray, nodes: np.ndarray,
           mask: int, n_words: int, grow: bool, out: np.ndarray) -> tuple[int, int]:
    """Number the words, of which one punctuation mark is cut off: the last character, else the first.

    Returns how many words there are and how many numbers are taken.
    """
    last, n, i = classes.size - 1, 0, begin
    while i < end:
        if classes[min(codes[i], last)] == SPACE:
            i += 1
            continue
        stop = i + 1
        while stop < end and classes[min(codes[stop], last)] != SPACE:
            stop += 1
        cut = stop
        if stop - i > 1:
            if classes[min(codes[stop - 1], last)] == ALONE:
                cut = stop - 1
            elif classes[min(codes[i], last)] == ALONE:
                cut = i + 1
        out[n], n_words = _spell(codes, i, cut, keys, nodes, mask, n_words, grow)
        n += 1
        if cut < stop:
            out[n], n_words = _spell(codes, cut, stop, keys, nodes, mask, n_words, grow)
            n += 1
        i = stop
    return n, n_words


@njit()
def _fill(stats: np.ndarray, n_symbols: int, n_in_ref: int, matches: np.ndarray) -> None:
    """Set the counts of one system and reference: in the system, in the reference, in both, for each order.

    Where the reference is too short to have any, sacreBLEU counts none in the system either.
    """
    for k in range(matches.size):
        in_ref = max(n_in_ref - k, 0)
        stats[3 * k] = max(n_symbols - k, 0) if in_ref else 0
        stats[3 * k + 1] = in_ref
        stats[3 * k + 2] = matches[k]


@njit()
def _measure(lengths: np.ndarray, n_refs: int) -> tuple[int, int]:
    """The most characters that a text has, and that the references of a segment have."""
    most, most_in_refs = 0, 0
    for seg in range(lengths.shape[1]):
        most_in_refs = max(most_in_refs, characters(lengths[:n_refs, seg]))
        for k in range(lengths.shape[0]):
            most = max(most, lengths[k, seg])
    return most, most_in_refs


@compiled
def count(codes: np.ndarray, begins: np.ndarray, lengths: np.ndarray, n_refs: int, classes: np.ndarray,
          char_order: int, word_order: int, stats: np.ndarray) -> None:
    """Fill the statistics of a block of segments against each reference.

    `codes`: code points of all texts, uint32; `begins`, `lengths`: where each text lies in `codes`: shape (references +
    systems, segments), int64, the references first. A length of -1 marks a reference that a segment does not have;
    `classes`: SPACE, ALONE for punctuation, or another class of each character; those beyond share the last;
    `char_order`, `word_order`: the longest n-grams; `stats`: shape (references, systems, segments, 3 * (char_order +
    word_order)), int32.
    """
    n_texts, n_segments = lengths.shape
    most, most_in_refs = _measure(lengths, n_refs)
    symbols = np.empty(most, np.int32)
    chars = _new_trie(n_refs, char_order, most_in_refs)
    words = _new_trie(n_refs, word_order, most_in_refs)
    spelling = np.empty(table_size(most_in_refs + 1), np.int64)
    spelled = np.empty(spelling.size, np.int32)
    in_ref = np.zeros((2, n_refs), np.int64)  # characters and words
    matches = np.zeros((n_refs, char_order + word_order), np.int32)

    for seg in range(n_segments):
        m = characters(lengths[:n_refs, seg])
        char_mask = table_size(char_order * m + 1) - 1
        chars.keys[:char_mask + 1] = _FREE
        word_mask = table_size(word_order * m + 1) - 1
        words.keys[:word_mask + 1] = _FREE
        spell_mask = table_size(m + 1) - 1
        spelling[:spell_mask + 1] = _FREE
        chars.sizes[:] = words.sizes[:] = 0
        n_spelled = 1
        for r in range(n_refs):
            begin, end = begins[r, seg], begins[r, seg] + max(lengths[r, seg], 0)
            n = _characters(codes, begin, end, classes, symbols)
            _learn(symbols[:n], char_order, r, chars, char_mask, m)
            in_ref[0, r] = n
            if word_order:
                n, n_spelled = _words(
                    codes, begin, end, classes, spelling, spelled, spell_mask, n_spelled, True, symbols)
                _learn(symbols[:n], word_order, r, words, word_mask, m)
                in_ref[1, r] = n

        char_room, word_room = char_mask // 4, word_mask // 4  # nodes fill at most half of the places
        for s in range(n_refs, n_texts):
            begin, end = begins[s, seg], begins[s, seg] + lengths[s, seg]
            matches[:] = 0
            n = _characters(codes, begin, end, classes, symbols)
            char_room = _match(symbols[:n], char_order, chars, char_mask, m, char_room, matches[:, :char_order])
            for r in range(n_refs):
                _fill(stats[r, s - n_refs, seg], n, in_ref[0, r], matches[r, :char_order])
            if word_order:
                n, _ = _words(codes, begin, end, classes, spelling, spelled, spell_mask, n_spelled, False, symbols)
                word_room = _match(
                    symbols[:n], word_order, words, word_mask, m, word_room, matches[:, char_order:])
                for r in range(n_refs):
                    _fill(stats[r, s - n_refs, seg, 3 * char_order:], n, in_ref[1, r], matches[r, char_order:])
