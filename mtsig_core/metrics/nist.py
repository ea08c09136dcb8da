"""NIST (Doddington 2002), with the scores of mteval-v13a."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.metrics._word_level import BlockCounter, WordMetric, Words, compiled_late

__all__ = ["Nist"]

_ORDER = 5
_HALF_AT = 2 / 3  # share of the reference length at which the penalty is .5
_SPREAD = 0x1E3779B97F4A7C15


@dataclass(frozen=True)
class Nist(WordMetric):
    """NIST (Doddington 2002): mean information of the matching n-grams, summed over n = 1 to 5, times a penalty.

    Information in bits, from all references of the test set: log2(words / count) of a word, log2(count of the first
    n-1 words / count) of an n-gram. An n-gram matches as often as the reference that has it most often allows; the
    information of the matches is divided by the number of the output's n-grams. The penalty is
    exp(beta ln^2(min(1, output length / mean reference length))), beta so that it is .5 at two thirds.

    Scores are those of mteval-v13a with case kept (-c), tokenizer 13a, one peculiarity included: in a bigram that
    begins with the token 0, that token counts as no context. They grow with the test set, since the weights do.

    The weights are part of the statistics: a bootstrap or a permutation keeps those of the whole test set. A part of a
    test set (`TestSet.at`, `TestSet.in_domain`) is a test set of its own, with weights of its own.

    Parameters
    ----------
    tokenize, lowercase
        As for `mtsig_core.metrics.bleu.Bleu`.

    References
    ----------
    Doddington (2002), Automatic evaluation of machine translation quality using n-gram co-occurrence statistics.

    Examples
    --------
    Of the 4 words of the reference, "the" has log2(4/2) = 1 bit, the others 2; "cat" after "the" has log2(2/1) = 1.
    The output matches 2 words with 3 bits and the bigram, and is 2 words long where 4 are expected:

    >>> from mtsig_core.data.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["the cat"]}, references={"ref": ["the cat the dog"]})
    >>> nist = Nist()
    >>> stats = nist.statistics(toy)
    >>> stats[0, 0].tolist()
    [3.0, 1.0, 0.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 4.0]
    >>> nist.score(stats.sum(axis=1)).round(4).tolist()
    [0.3298]
    """

    name: ClassVar[str] = "nist"
    higher_is_better: ClassVar[bool] = True
    stat_names: ClassVar[tuple[str, ...]] = (
        *(f"info_{n}" for n in range(1, 6)), *(f"total_{n}" for n in range(1, 6)), "ref_len")
    stat_type: ClassVar[type] = np.float64
    settings: ClassVar[str] = f"n:{_ORDER}"
    depends_on_testset: ClassVar[bool] = True

    def score(self, sums: np.ndarray) -> np.ndarray:
        """NIST of summed statistics, shape (..., 11) -> (...), float64; 0 and up, seldom above 15.

        0 without a word in the output or in the references.
        """
        sums = np.asarray(sums, dtype=np.float64)
        information = sum(sums[..., n] / np.maximum(sums[..., _ORDER + n], 1) for n in range(_ORDER))
        length, expected = sums[..., _ORDER], sums[..., -1]
        ratio = np.divide(length, expected, out=np.zeros(length.shape), where=expected > 0)
        with np.errstate(divide="ignore"):
            beta = math.log(0.5) / math.log(_HALF_AT) ** 2
            scores: np.ndarray = information * np.exp(beta * np.log(np.minimum(ratio, 1)) ** 2)
        return scores

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting, and the size of the test set that the weights come from."""
        return f"{super().signature(testset)}|weights:{testset.n_segments}-segments"

    def parts(self, testset: TestSet) -> Callable[[np.ndarray], np.ndarray]:
        """What gives the statistics of some segments as a test set of their own, its texts split into words once.

        Returns
        -------
        callable
            (segments, an array of int) -> what `statistics` gives for ``testset.at(segments)``.
        """
        n_refs, n_systems = len(testset.references), len(testset.systems)
        words = self._words(testset, [*testset.references.values(), *testset.systems.values()])
        grams, zeros = _reference_grams(words, n_refs)
        kernel = compiled_late(_add_information)

        def count(segments: np.ndarray) -> np.ndarray:
            begins, counts = (np.ascontiguousarray(x[:, segments]) for x in (words.begins, words.counts))
            lengths = np.maximum(counts[:n_refs], 0)
            here = np.cumsum(lengths).reshape(lengths.shape) - lengths  # where the texts begin, put in a row
            shift = np.repeat((begins[:n_refs] - here).ravel(), lengths.ravel())
            at = np.arange(len(shift)) + shift
            stats = np.zeros((n_systems, len(segments), len(self.stat_names)))
            kernel(words.ids, begins, counts, _information(grams[:, at], zeros[at]), here, stats)
            return stats

        return count

    def _counter(self, testset: TestSet) -> BlockCounter:
        references = list(testset.references.values())
        words = self._words(testset, references)
        information = _information(*_reference_grams(words, len(references)))
        begins, kernel = words.begins, compiled_late(_add_information)

        def count(words: Words, first: int, stats: np.ndarray) -> None:
            here = np.ascontiguousarray(begins[:, first:first + stats.shape[1]])
            kernel(words.ids, words.begins, words.counts, information, here, stats)

        return count


def _reference_grams(words: Words, n_references: int) -> tuple[np.ndarray, np.ndarray]:
    """The n-grams that begin at each word of the references, which come first among the words.

    Returns
    -------
    grams : ndarray of int32, shape (5, words)
        Numbers of the n-grams, for each n from 0; -1 where the text ends before.
    zeros : ndarray of bool, shape (words,)
        Whether the word is 0, which mteval takes for false.
    """
    lengths = np.maximum(words.counts[:n_references], 0)
    total = int(lengths.sum())
    ids, spellings = words.ids[:total], words.spellings()
    left = np.repeat(np.cumsum(lengths), lengths.ravel()) - np.arange(total)  # words from here to the end of the text
    grams = np.full((_ORDER, total), -1, np.int32)
    at, gram = np.arange(total), ids
    for n in range(_ORDER):
        gram = np.unique(gram, return_inverse=True)[1]
        grams[n, at] = gram
        goes_on = left[at] > n + 1
        at, gram = at[goes_on], gram[goes_on]
        gram = gram << 32 | ids[at + n + 1]
    return grams, ids == (spellings.index("0") if "0" in spellings else -1)


def _information(grams: np.ndarray, zeros: np.ndarray) -> np.ndarray:
    """Bits of the n-grams that begin at each word, shape (words, 5); 0 where a text ends before."""
    total = len(zeros)
    bits = np.zeros((total, _ORDER))
    at, context = np.arange(total), np.full(total, total)
    for n in range(_ORDER):
        gram = grams[n, at]
        counts = np.bincount(gram)[gram]
        bits[at, n] = np.log2(context / counts)
        if n + 1 < _ORDER:
            goes_on = grams[n + 1, at] >= 0
            at, context = at[goes_on], counts[goes_on]
        if n == 0:
            context = np.where(zeros[at], total, context)
    return bits


def _add_information(ids: np.ndarray, begins: np.ndarray, counts: np.ndarray, information: np.ndarray,
                     information_begins: np.ndarray, stats: np.ndarray) -> None:
    """Fill the statistics of a block; to be compiled.

    Parameters
    ----------
    ids, begins, counts
        The words of the texts, the references first.
    information : numpy.ndarray
        Bits by position in the references of the whole test set, and by order.
    information_begins : numpy.ndarray
        Where the references of the block's segments begin in `information`, shape (references, segments).
    stats : numpy.ndarray
        Shape (systems, segments, 11), of zeros.
    """
    n_refs = len(information_begins)
    most = 0
    for seg in range(counts.shape[1]):
        most = max(most, np.maximum(counts[:n_refs, seg], 0).sum())
    size = 2
    while size < 2 * _ORDER * most + 1:
        size *= 2
    keys, nodes = np.empty(size, np.int64), np.empty(size, np.int64)  # n-gram -> its number; 0 is the empty one
    bits = np.empty(_ORDER * most + 1)
    limit, hits = np.zeros(bits.size, np.int64), np.zeros(bits.size, np.int64)

    for seg in range(counts.shape[1]):
        n_words = np.maximum(counts[:n_refs, seg], 0).sum()
        mask = 1
        while mask < 2 * _ORDER * n_words:
            mask = 2 * mask + 1
        keys[:mask + 1] = -1
        n_nodes, n_present = 1, 0
        for text in range(len(counts)):
            begin, count = begins[text, seg], counts[text, seg]
            is_reference = text < n_refs
            n_present += is_reference and count >= 0
            for i in range(count):
                node = 0
                for n in range(min(_ORDER, count - i)):
                    key = node << 32 | ids[begin + i + n]
                    slot = ((key * _SPREAD) >> 32) & mask
                    while keys[slot] != key and keys[slot] != -1:
                        slot = (slot + 1) & mask
                    if keys[slot] == -1:
                        if not is_reference:
                            break  # what no reference has, none of its continuations match either
                        keys[slot], nodes[slot] = key, n_nodes
                        bits[n_nodes] = information[information_begins[text, seg] + i, n]
                        limit[n_nodes] = hits[n_nodes] = 0
                        n_nodes += 1
                    node = nodes[slot]
                    hits[node] += 1
                    if is_reference:
                        limit[node] = max(limit[node], hits[node])
                    elif hits[node] <= limit[node]:
                        stats[text - n_refs, seg, n] += bits[node]
            hits[:n_nodes] = 0
            if not is_reference:
                row = stats[text - n_refs, seg]
                for n in range(_ORDER):
                    row[_ORDER + n] = max(count - n, 0)
                row[-1] = n_words / n_present
