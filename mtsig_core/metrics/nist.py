"""NIST (Doddington 2002), with the scores of mteval-v13a."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.metrics.counting import BlockCounter, WordMetric, Words, compiled_late
from mtsig_core.testset import TestSet

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
    test set (`TestSet.take`, `TestSet.in_domain`) is a test set of its own, with weights of its own.

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

    >>> from mtsig_core.testset import TestSet
    >>> toy = TestSet("toy", systems={"A": ["the cat"]}, references={"ref": ["the cat the dog"]})
    >>> nist = Nist()
    >>> stats = nist.statistics(toy)
    >>> stats[0, 0].tolist()
    [3.0, 1.0, 0.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 4.0]
    >>> nist.score(stats.sum(axis=1)).round(4).tolist()
    [0.3298]
    """

    name: ClassVar[str] = "nist"
    ends: ClassVar[Mapping[float, str]] = {
        0.0: "no word of the whole set that carries information matches a reference"}
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
        """What gives the statistics of some segments as a test set of their own, its n-grams matched once.

        Returns: (segments, an array of int) -> what `statistics` gives for ``testset.take(segments)``.
        """
        n_refs, n_systems = len(testset.references), len(testset.systems)
        words = self._words(testset, [*testset.references.values(), *testset.systems.values()])
        grams = _reference_grams(words, n_refs)
        plain = np.zeros((n_systems, testset.n_segments, len(self.stat_names)))
        matches = _matches(words, grams, 0, plain)
        add, tally = compiled_late(_add), compiled_late(_tally)

        def count(segments: np.ndarray) -> np.ndarray:
            counts = np.zeros(len(grams.context), np.int32)
            tally(grams.at, grams.begins, words.counts[:n_refs], segments, counts)
            stats = plain.take(segments, axis=1)
            add(*matches, grams.information(counts), segments, stats)
            return stats

        return count

    def _counter(self, testset: TestSet) -> BlockCounter:
        references = list(testset.references.values())
        grams = _reference_grams(self._words(testset, references), len(references))
        information, add = grams.information(grams.counts()), compiled_late(_add)

        def count(words: Words, first: int, stats: np.ndarray) -> None:
            add(*_matches(words, grams, first, stats), information, np.arange(stats.shape[1]), stats)

        return count


@dataclass(frozen=True, eq=False)
class _Grams:
    """The different n-grams of all references, numbered from 1, those of one length in a row; 0 stands for all words.
    """

    #: Numbers of the n-grams that begin at each word of the references, by length; 0 where the text ends before.
    at: np.ndarray
    begins: np.ndarray  # where the texts begin in `at`
    #: What an n-gram goes on from: its first n - 1 words; 0 for a word, and for a bigram that begins with the word 0,
    #: which mteval takes for false.
    context: np.ndarray

    def counts(self) -> np.ndarray:
        """How often each occurs in all references."""
        counts = np.bincount(self.at.ravel(), minlength=len(self.context))
        counts[0] = len(self.at)
        return counts

    def information(self, counts: np.ndarray) -> np.ndarray:
        """Bits of each n-gram that occurs, by its count; 0 of the others."""
        bits, seen = np.zeros(len(counts)), np.flatnonzero(counts)
        bits[seen] = np.log2(counts[self.context[seen]] / counts[seen])
        return bits


def _reference_grams(words: Words, n_references: int) -> _Grams:
    """The n-grams of the references, which come first among the words."""
    lengths = np.maximum(words.counts[:n_references], 0)
    total = int(lengths.sum())
    ids, spellings = words.ids[:total], words.spellings()
    zero = spellings.index("0") if "0" in spellings else -1
    left = np.repeat(np.cumsum(lengths), lengths.ravel()) - np.arange(total)  # words from here to the end of the text
    grams, context, known = np.zeros((total, _ORDER), np.int32), [np.zeros(1, np.int32)], 1
    at, gram = np.arange(total), ids
    for n in range(_ORDER):
        different, number = np.unique(gram, return_inverse=True)
        grams[at, n] = known + number
        known += len(different)
        context.append(np.zeros(len(different), np.int32))
        if n:
            context[n + 1][number] = np.where((n == 1) & (ids[at] == zero), 0, grams[at, n - 1])
        goes_on = left[at] > n + 1
        at, gram = at[goes_on], number[goes_on]
        gram = gram << 32 | ids[at + n + 1]
    return _Grams(grams, words.begins[:n_references], np.concatenate(context))


def _matches(words: Words, grams: _Grams, first: int, stats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The n-grams of the outputs that match a reference; fills what needs no weights of the statistics of a block.

    `words`: of the block's references and systems; `first`: its first segment; `stats`: shape (systems, segments, 11),
    of zeros. Returns: `matched`: shape (matches,), numbers of the n-grams, by segment, system, and length; `ends`:
    shape (segments, systems, 5), where the matches of each end.
    """
    n_systems, n_segments, _ = stats.shape
    most = int(np.maximum(words.counts[-n_systems:], 0).sum()) * _ORDER
    matched, ends = np.empty(most, np.int32), np.zeros((n_segments, n_systems, _ORDER), np.int64)
    begins = np.ascontiguousarray(grams.begins[:, first:first + n_segments])
    match = compiled_late(_match, _measure, _store)
    match(words.ids, words.begins, words.counts, grams.at, begins, stats, matched, ends)
    return matched[:ends.max(initial=0)].copy(), ends


def _tally(at: np.ndarray, begins: np.ndarray, counts: np.ndarray, segments: np.ndarray, found: np.ndarray) -> None:
    """Count the n-grams of the references of some segments; to be compiled. See `_Grams`."""
    for seg in segments:
        for ref in range(len(begins)):
            for word in range(begins[ref, seg], begins[ref, seg] + max(counts[ref, seg], 0)):
                found[0] += 1
                for n in range(_ORDER):
                    if at[word, n] == 0:
                        break
                    found[at[word, n]] += 1


def _add(matched: np.ndarray, ends: np.ndarray, information: np.ndarray, segments: np.ndarray,
         stats: np.ndarray) -> None:
    """Add up the information of the matches of some segments; to be compiled. See `_matches`."""
    _, n_systems, n_orders = ends.shape
    for k, seg in enumerate(segments):
        at = 0 if seg == 0 else ends[seg - 1, n_systems - 1, n_orders - 1]
        for system in range(n_systems):
            for n in range(n_orders):
                bits = 0.0
                for match in range(at, ends[seg, system, n]):
                    bits += information[matched[match]]
                stats[system, k, n] = bits
                at = ends[seg, system, n]


def _match(ids: np.ndarray, begins: np.ndarray, counts: np.ndarray, grams: np.ndarray, gram_begins: np.ndarray,
           stats: np.ndarray, matched: np.ndarray, ends: np.ndarray) -> None:
    """Find the matches of a block; to be compiled. See `_matches`.

    `ids`, `begins`, `counts`: the words of the texts, the references first; `grams`, `gram_begins`: numbers of the
    n-grams of the references of the whole test set, and where in them those of the block begin.
    """
    n_refs = len(gram_begins)
    most, longest = _measure(counts, n_refs)
    size = 2
    while size < 2 * _ORDER * most + 1:
        size *= 2
    keys, nodes = np.empty(size, np.int64), np.empty(size, np.int64)  # n-gram -> its number here; 0 is the empty one
    numbers = np.empty(_ORDER * most + 1, np.int32)
    limit, hits = np.zeros(numbers.size, np.int64), np.zeros(numbers.size, np.int64)
    found, n_found = np.empty((_ORDER, max(longest, 1)), np.int32), np.zeros(_ORDER, np.int64)
    end = 0

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
            n_found[:] = 0
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
                        numbers[n_nodes] = grams[gram_begins[text, seg] + i, n]
                        limit[n_nodes] = hits[n_nodes] = 0
                        n_nodes += 1
                    node = nodes[slot]
                    hits[node] += 1
                    if is_reference:
                        limit[node] = max(limit[node], hits[node])
                    elif hits[node] <= limit[node]:
                        found[n, n_found[n]] = numbers[node]
                        n_found[n] += 1
            hits[:n_nodes] = 0
            if not is_reference:
                row = stats[text - n_refs, seg]
                end = _store(found, n_found, count, matched, end, ends[seg, text - n_refs], row)
                row[-1] = n_words / n_present


def _measure(counts: np.ndarray, n_refs: int) -> tuple[int, int]:
    """The most words that the references of a segment have, and the most of a text; to be compiled."""
    most, longest = 0, 0
    for seg in range(counts.shape[1]):
        most = max(most, np.maximum(counts[:n_refs, seg], 0).sum())
        longest = max(longest, counts[:, seg].max())
    return most, longest


def _store(found: np.ndarray, n_found: np.ndarray, count: int, matched: np.ndarray, end: int, ends: np.ndarray,
           row: np.ndarray) -> int:
    """Write the matches of an output behind those before it, and its numbers of n-grams; to be compiled."""
    for n in range(_ORDER):
        matched[end:end + n_found[n]] = found[n, :n_found[n]]
        end += n_found[n]
        ends[n] = end
        row[_ORDER + n] = max(count - n, 0)
    return end
