"""NIST (Doddington 2002), with the scores of mteval-v13a."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.metrics.counting import BlockCounter, WordIds, WordMetric
from mtsig_core.metrics.protocol import CountSegments
from mtsig_core.testset import TestSet

_ORDER = 5
_HALF_AT = 2 / 3  # share of the reference length at which the penalty is .5


@dataclass(frozen=True)
class Nist(WordMetric):
    """NIST (Doddington 2002): mean information of the n-grams that match, times a penalty.

    The means of n = 1 to 5 are summed. Information is in bits, from all references of the test set:
    log2(words / count) of a word, log2(count of the first n-1 words / count) of an n-gram. An
    n-gram matches as often as it occurs in the reference that has it most often. The information of
    the matches is divided by the number of the output's n-grams. The penalty is exp(beta
    ln^2(min(1, output length / mean reference length))), beta so that it is .5 at two thirds.

    Scores equal mteval-v13a's with case kept (-c) and tokenizer 13a. One peculiarity is included:
    in a bigram that begins with the token 0, that token counts as no context. Scores grow with the
    test set, because the weights do.

    The weights are part of the statistics: a bootstrap or a permutation keeps the weights of the
    whole test set. A part of a test set (`TestSet.take`, `TestSet.in_domain`) is a test set of its
    own, with weights of its own.

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
        0.0: "no word of the whole set that carries information matches a reference"
    }
    higher_is_better: ClassVar[bool] = True
    stat_names: ClassVar[tuple[str, ...]] = (
        *(f"info_{n}" for n in range(1, 6)),
        *(f"total_{n}" for n in range(1, 6)),
        "ref_len",
    )
    stat_type: ClassVar[type] = np.float64
    settings: ClassVar[str] = f"n:{_ORDER}"
    depends_on_testset: ClassVar[bool] = True

    def score(self, sums: np.ndarray) -> np.ndarray:
        """NIST of summed statistics: shape (..., 11) -> (...), float64, from 0, seldom above 15."""
        sums = np.asarray(sums, dtype=np.float64)
        information = np.zeros(sums.shape[:-1])
        for n in range(_ORDER):
            information += sums[..., n] / np.maximum(sums[..., _ORDER + n], 1)
        length = sums[..., _ORDER]
        expected = sums[..., -1]
        ratio = np.divide(length, expected, out=np.zeros(length.shape), where=expected > 0)
        beta = math.log(0.5) / math.log(_HALF_AT) ** 2
        with np.errstate(divide="ignore"):
            penalty = np.exp(beta * np.log(np.minimum(ratio, 1)) ** 2)
        scores: np.ndarray = information * penalty
        return scores

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting, and how many segments the weights come from."""
        return f"{super().signature(testset)}|weights:{testset.n_segments}-segments"

    def parts(self, testset: TestSet) -> CountSegments:
        """A function that counts some segments (an array of int) as a test set of their own.

        It gives the same as `statistics` for ``testset.take(segments)``, and matches the n-grams
        only once for all calls.
        """
        n_refs = len(testset.references)
        words = self.number_words(
            testset, [*testset.references.values(), *testset.systems.values()]
        )
        grams = _Grams(words, n_refs)
        ref_sizes = np.maximum(words.counts[:n_refs], 0)
        lengths = _lengths(words, n_refs)
        matches = grams.match(words)

        def count(segments: np.ndarray) -> np.ndarray:
            in_references = _ranges(grams.begins[:, segments], ref_sizes[:, segments])
            information = grams.information(grams.numbers[in_references])
            bits = matches.take(segments).sum_information(information)
            return _join(bits, lengths[:, segments])

        return count

    def _counter(self, testset: TestSet) -> BlockCounter:
        references = list(testset.references.values())
        grams = _Grams(self.number_words(testset, references), len(references))
        information = grams.information(grams.numbers)

        def count(words: WordIds, first: int, stats: np.ndarray) -> None:
            bits = grams.match(words, first).sum_information(information)
            stats[:] = _join(bits, _lengths(words, len(references)))

        return count


@dataclass(frozen=True)
class _Matches:
    """The n-grams that outputs share with references, by segment, system and length."""

    numbers: np.ndarray  # of each n-gram
    times: np.ndarray  # how often it matches
    ends: (
        np.ndarray
    )  # where each segment's, system's and length's are: (segments, systems, lengths)
    sizes: np.ndarray  # how many these are, of the same shape

    def take(self, segments: np.ndarray) -> _Matches:
        """The matches of some segments."""
        sizes = self.sizes[segments]
        places = _ranges(self.ends[segments] - sizes, sizes)
        ends = np.cumsum(sizes).reshape(sizes.shape)
        return _Matches(self.numbers[places], self.times[places], ends, sizes)

    def sum_information(self, information: np.ndarray) -> np.ndarray:
        """Bits of the matches: shape (systems, segments, lengths)."""
        cell = np.arange(self.sizes.size).repeat(self.sizes.ravel())
        bits = np.bincount(cell, information[self.numbers] * self.times, self.sizes.size)
        return bits.reshape(self.sizes.shape).transpose(1, 0, 2)


class _Grams:
    """The different n-grams of all references, numbered from 1; number 0 stands for all words.

    The numbers of n-grams of one length follow each other.

    `numbers`: of the n-grams that begin at each word of the references, by length, 0 where the text
    ends before; `begins`: where the texts begin in it; `context`: the number of an n-gram's first
    n - 1 words; 0 for a word, and for a bigram that begins with the word 0, which mteval takes for
    false.
    """

    def __init__(self, words: WordIds, n_references: int):
        """Number them; the references come first among the words."""
        lengths = np.maximum(words.counts[:n_references], 0)
        total = int(lengths.sum())
        ids = words.ids[:total]
        spellings = words.spellings()
        zero = spellings.index("0") if "0" in spellings else -1
        text_ends = np.repeat(np.cumsum(lengths), lengths.ravel())
        words_left = text_ends - np.arange(total)
        self.begins = words.begins[:n_references]
        self.numbers = np.zeros((total, _ORDER), np.int32)
        contexts = [np.zeros(1, np.int32)]
        n_numbered = 1
        places = np.arange(total)
        gram = ids
        for n in range(_ORDER):
            different, number = np.unique(gram, return_inverse=True)
            self.numbers[places, n] = n_numbered + number
            n_numbered += len(different)
            context = np.zeros(len(different), np.int32)
            if n > 0:
                context[number] = self.numbers[places, n - 1]
            if n == 1:
                context[number[ids[places] == zero]] = 0
            contexts.append(context)
            goes_on = words_left[places] > n + 1
            places = places[goes_on]
            # The next gram: the number of this one and the word after it, in one integer.
            gram = number[goes_on] << 32 | ids[places + n + 1]
        self.context = np.concatenate(contexts)

    def information(self, numbers: np.ndarray) -> np.ndarray:
        """Bits of each n-gram by its count in some texts, 0 where it does not occur.

        `numbers`: of the n-grams of these texts, shape (words, lengths).
        """
        counts = np.bincount(numbers.ravel(), minlength=len(self.context))
        counts[0] = len(numbers)
        bits = np.zeros(len(counts))
        occurring = np.flatnonzero(counts)
        bits[occurring] = np.log2(counts[self.context[occurring]] / counts[occurring])
        return bits

    def match(self, words: WordIds, first: int = 0) -> _Matches:
        """Find the n-grams that outputs share with references in a block.

        The block begins with segment `first`.
        """
        # late: a compiler takes half a second to load
        from mtsig_core.metrics.kernels import ngrams

        n_refs = len(self.begins)
        n_segments = words.counts.shape[1]
        most = int(np.maximum(words.counts[n_refs:], 0).sum()) * _ORDER
        places = np.empty(most, np.int32)
        times = np.empty(most, np.int32)
        ends = np.zeros((n_segments, len(words.counts) - n_refs, _ORDER), np.int64)
        starts = np.ascontiguousarray(self.begins[:, first : first + n_segments])
        ngrams.list_shared(words.ids, words.begins, words.counts, starts, places, times, ends)
        n = ends.max(initial=0)
        sizes = np.diff(ends.ravel(), prepend=0).reshape(ends.shape)
        length_of_cell = np.tile(np.arange(_ORDER), ends[..., 0].size)
        lengths = length_of_cell.repeat(sizes.ravel())
        return _Matches(self.numbers[places[:n], lengths], times[:n].copy(), ends, sizes)


def _lengths(words: WordIds, n_refs: int) -> np.ndarray:
    """N-grams of each output by length, and the mean length of its references.

    Shape (systems, segments, lengths + 1). No weights are needed for them.
    """
    ref_sizes = words.counts[:n_refs]
    has_reference = ref_sizes >= 0
    sys_sizes = words.counts[n_refs:, :, None]
    totals = np.maximum(sys_sizes - np.arange(_ORDER), 0)
    expected = ref_sizes.sum(axis=0, where=has_reference) / has_reference.sum(axis=0)
    return _join(totals, np.broadcast_to(expected[:, None], (*totals.shape[:2], 1)))


def _join(*statistics: np.ndarray) -> np.ndarray:
    return np.concatenate(statistics, axis=-1)


def _ranges(begins: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return, for each beginning, its following places, as many as its size."""
    begins = begins.ravel()
    sizes = sizes.ravel()
    places_before = np.cumsum(sizes) - sizes
    return np.repeat(begins - places_before, sizes) + np.arange(sizes.sum())
