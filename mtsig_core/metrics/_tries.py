"""Compiled counting of the n-grams that two texts share, for chrF: characters up to six, words up to two.

The n-grams of a segment's references are the nodes of a trie. A node's link leads to the node without its first symbol,
so a text finds the longest known n-gram that ends at each of its symbols in one walk; the shorter ones that end there
are its links, and are counted once for all at the end.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from mtsig_core._compiled import compiled
from mtsig_core.metrics._ngrams import characters
from mtsig_core.metrics.tokenizers import ALONE, SPACE

_SPREAD = 0x1E3779B97F4A7C15
_FREE = -1
_ROOT = 0

# keys, nodes: a hash table from (parent, symbol) to the node. The other arrays are by node: its link, its length, how
# often each reference has it (references, nodes), and how often a system does. A link has a lower number than its node.
_Trie = namedtuple("_Trie", "keys nodes link length counts hits")


@njit()
def _table_size(n: int) -> int:
    """A power of two that leaves a table of n entries at least half empty."""
    size = 2
    while size < 2 * n:
        size *= 2
    return size


@njit()
def _new_trie(n_refs: int, n_nodes: int) -> _Trie:
    size = _table_size(n_nodes)
    return _Trie(np.empty(size, np.int64), np.empty(size, np.int32), np.empty(n_nodes, np.int32),
                 np.empty(n_nodes, np.int32), np.empty((n_refs, n_nodes), np.int32), np.zeros(n_nodes, np.int32))


@njit()
def _place(keys: np.ndarray, mask: int, parent: np.int32, symbol: int) -> np.int64:
    """Where the child of a node is in the table, or is to be."""
    key = np.int64(parent) << 32 | symbol
    at = ((key * _SPREAD) >> 32) & mask
    while keys[at] != key and keys[at] != _FREE:
        at = (at + 1) & mask
    return at


@njit()
def _learn(symbols: np.ndarray, order: int, ref: int, trie: _Trie, mask: int, n_nodes: int) -> int:
    """Count the n-grams of a reference, and add those that are new; return the number of nodes."""
    ending = np.zeros(order + 1, np.int32)  # the n-gram of each length that ends at the last symbol
    for i in range(symbols.size):
        link, parent = _ROOT, np.int32(_ROOT)
        for length in range(1, min(i + 1, order) + 1):
            at = _place(trie.keys, mask, parent, symbols[i])
            if trie.keys[at] == _FREE:
                trie.keys[at] = np.int64(parent) << 32 | symbols[i]
                trie.nodes[at] = n_nodes
                trie.link[n_nodes] = link
                trie.length[n_nodes] = length
                trie.counts[:, n_nodes] = 0
                n_nodes += 1
            link = trie.nodes[at]
            trie.counts[ref, link] += 1
            parent, ending[length] = ending[length], link
    return n_nodes


@njit()
def _match(symbols: np.ndarray, order: int, trie: _Trie, mask: int, n_nodes: int, matches: np.ndarray) -> None:
    """Add the matches of a system with each reference to `matches` (references, order)."""
    node = np.int32(_ROOT)
    for symbol in symbols:
        if trie.length[node] == order:
            node = trie.link[node]
        at = _place(trie.keys, mask, node, symbol)
        while trie.keys[at] == _FREE and node != _ROOT:
            node = trie.link[node]
            at = _place(trie.keys, mask, node, symbol)
        if trie.keys[at] != _FREE:
            node = trie.nodes[at]
            trie.hits[node] += 1
    for gram in range(n_nodes - 1, _ROOT, -1):
        hits = trie.hits[gram]
        if hits:
            trie.hits[gram] = 0
            trie.hits[trie.link[gram]] += hits
            for ref in range(len(matches)):
                matches[ref, trie.length[gram] - 1] += min(hits, trie.counts[ref, gram])
    trie.hits[_ROOT] = 0


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
        at = _place(keys, mask, node, codes[i])
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


@compiled
def count(codes: np.ndarray, begins: np.ndarray, lengths: np.ndarray, n_refs: int, classes: np.ndarray,
          char_order: int, word_order: int, stats: np.ndarray) -> None:
    """Fill the statistics of a block of segments against each reference.

    Parameters
    ----------
    codes : numpy.ndarray
        Code points of all texts, int32.
    begins, lengths : numpy.ndarray
        Where each text lies in `codes`: shape (references + systems, segments), int64, the references first. A
        length of -1 marks a reference that a segment does not have.
    n_refs : int
    classes : numpy.ndarray
        SPACE, ALONE for punctuation, or another class of each character; those beyond share the last.
    char_order, word_order : int
        The longest n-grams.
    stats : numpy.ndarray
        Shape (references, systems, segments, 3 * (char_order + word_order)), int32.
    """
    n_texts, n_segments = lengths.shape
    most, most_in_refs = 0, 0
    for seg in range(n_segments):
        most_in_refs = max(most_in_refs, characters(lengths[:n_refs, seg]))
        for k in range(n_texts):
            most = max(most, lengths[k, seg])
    symbols = np.empty(most, np.int32)
    chars = _new_trie(n_refs, char_order * most_in_refs + 1)
    words = _new_trie(n_refs, word_order * most_in_refs + 1)
    chars.length[_ROOT] = words.length[_ROOT] = 0
    spelling = np.empty(_table_size(most_in_refs + 1), np.int64)
    spelled = np.empty(spelling.size, np.int32)
    in_ref = np.zeros((2, n_refs), np.int64)  # characters and words
    matches = np.zeros((n_refs, char_order + word_order), np.int32)

    for seg in range(n_segments):
        m = characters(lengths[:n_refs, seg])
        char_mask = _table_size(char_order * m + 1) - 1
        chars.keys[:char_mask + 1] = _FREE
        word_mask = _table_size(word_order * m + 1) - 1
        words.keys[:word_mask + 1] = _FREE
        spell_mask = _table_size(m + 1) - 1
        spelling[:spell_mask + 1] = _FREE
        n_chars, n_words, n_spelled = 1, 1, 1
        for r in range(n_refs):
            begin, end = begins[r, seg], begins[r, seg] + max(lengths[r, seg], 0)
            n = _characters(codes, begin, end, classes, symbols)
            n_chars = _learn(symbols[:n], char_order, r, chars, char_mask, n_chars)
            in_ref[0, r] = n
            if word_order:
                n, n_spelled = _words(
                    codes, begin, end, classes, spelling, spelled, spell_mask, n_spelled, True, symbols)
                n_words = _learn(symbols[:n], word_order, r, words, word_mask, n_words)
                in_ref[1, r] = n

        for s in range(n_refs, n_texts):
            begin, end = begins[s, seg], begins[s, seg] + lengths[s, seg]
            matches[:] = 0
            n = _characters(codes, begin, end, classes, symbols)
            _match(symbols[:n], char_order, chars, char_mask, n_chars, matches[:, :char_order])
            for r in range(n_refs):
                _fill(stats[r, s - n_refs, seg], n, in_ref[0, r], matches[r, :char_order])
            if word_order:
                n, _ = _words(codes, begin, end, classes, spelling, spelled, spell_mask, n_spelled, False, symbols)
                _match(symbols[:n], word_order, words, word_mask, n_words, matches[:, char_order:])
                for r in range(n_refs):
                    _fill(stats[r, s - n_refs, seg, 3 * char_order:], n, in_ref[1, r], matches[r, char_order:])
