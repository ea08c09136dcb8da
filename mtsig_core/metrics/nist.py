"""NIST (Doddington 2002), with the scores of mteval-v13a."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mtsig_core.metrics.counting import BlockCounter, WordIds, WordMetric
from mtsig_core.testset import TestSet

_ORDER = 5
_HALF_AT = 2 / 3  # share of the reference length at which the penalty is .5


@dataclass(frozen=True)
class Nist(WordMetric):
    """NIST (Doddington 2002): mean information of the matching n-grams, summed over n = 1 to 5,
    times a penalty.

    Information in bits, from all references of the test set: log2(words / count) of a word,
    log2(count of the first n-1 words / count) of an n-gram. An n-gram matches as often as the
    reference that has it most often allows; the information of the matches is divided by the number
    of the output's n-grams. The penalty is exp(beta ln^2(min(1, output length / mean reference
    length))), beta so that it is .5 at two thirds.

    Scores are those of mteval-v13a with case kept (-c), tokenizer 13a, one peculiarity included: in
    a bigram that begins with the token 0, that token counts as no context. They grow with the test
    set, since the weights do.

    The weights are part of the statistics: a bootstrap or a permutation keeps those of the whole
    test set. A part of a test set (`TestSet.take`, `TestSet.in_domain`) is a test set of its own,
    with weights of its own.

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
        """NIST of summed statistics, shape (..., 11) -> (...), float64: 0 and up, seldom above
        15.
        """
        sums = np.asarray(sums, dtype=np.float64)
        information = sum(
            sums[..., n] / np.maximum(sums[..., _ORDER + n], 1) for n in range(_ORDER)
        )
        length, expected = sums[..., _ORDER], sums[..., -1]
        ratio = np.divide(length, expected, out=np.zeros(length.shape), where=expected > 0)
        with np.errstate(divide="ignore"):
            beta = math.log(0.5) / math.log(_HALF_AT) ** 2
            scores: np.ndarray = information * np.exp(beta * np.log(np.minimum(ratio, 1)) ** 2)
        return scores

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting, and the size of the test set that the weights come
        from.
        """
        return f"{super().signature(testset)}|weights:{testset.n_segments}-segments"

    def parts(self, testset: TestSet) -> Callable[[np.ndarray], np.ndarray]:
        """What gives the statistics of some segments (an array of int) as a test set of their own,
        its n-grams matched once: the same as `statistics` for ``testset.take(segments)``.
        """
        n_refs = len(testset.references)
        words = self._words(testset, [*testset.references.values(), *testset.systems.values()])
        grams = _Grams(words, n_refs)
        lengths, (numbers, times, ends) = _lengths(words, n_refs), grams.match(words)
        begins = np.concatenate([[0], ends.ravel()[:-1]]).reshape(ends.shape)

        def count(segments: np.ndarray) -> np.ndarray:
            texts = _ranges(
                grams.begins[:, segments], np.maximum(words.counts[:n_refs, segments], 0)
            )
            information, sizes = grams.information(grams.numbers[texts]), (ends - begins)[segments]
            matches = _ranges(begins[segments], sizes)
            return _statistics(
                numbers[matches], times[matches], sizes, information, lengths[:, segments]
            )

        return count

    def _counter(self, testset: TestSet) -> BlockCounter:
        references = list(testset.references.values())
        grams = _Grams(self._words(testset, references), len(references))
        information = grams.information(grams.numbers)

        def count(words: WordIds, first: int, stats: np.ndarray) -> None:
            numbers, times, ends = grams.match(words, first)
            sizes = np.diff(ends.ravel(), prepend=0).reshape(ends.shape)
            stats[:] = _statistics(
                numbers, times, sizes, information, _lengths(words, len(references))
            )

        return count


class _Grams:
    """The different n-grams of all references, numbered from 1, those of one length in a row; 0
    stands for all words.

    `numbers`: those of the n-grams that begin at each word of the references, by length, 0 where
    the text ends before; `begins`: where the texts begin in it; `context`: what an n-gram goes on
    from, its first n - 1 words; 0 for a word, and for a bigram that begins with the word 0, which
    mteval takes for false.
    """

    def __init__(self, words: WordIds, n_references: int):
        """Number them; the references come first among the words."""
        lengths = np.maximum(words.counts[:n_references], 0)
        total = int(lengths.sum())
        ids, spellings = words.ids[:total], words.spellings()
        zero = spellings.index("0") if "0" in spellings else -1
        left = np.repeat(np.cumsum(lengths), lengths.ravel()) - np.arange(
            total
        )  # words to the end of the text
        self.begins, self.numbers = words.begins[:n_references], np.zeros((total, _ORDER), np.int32)
        context, known = [np.zeros(1, np.int32)], 1
        at, gram = np.arange(total), ids
        for n in range(_ORDER):
            different, number = np.unique(gram, return_inverse=True)
            self.numbers[at, n] = known + number
            known += len(different)
            context.append(np.zeros(len(different), np.int32))
            if n:
                context[n + 1][number] = np.where(
                    (n == 1) & (ids[at] == zero), 0, self.numbers[at, n - 1]
                )
            goes_on = left[at] > n + 1
            at, gram = at[goes_on], number[goes_on]
            gram = gram << 32 | ids[at + n + 1]
        self.context = np.concatenate(context)

    def information(self, numbers: np.ndarray) -> np.ndarray:
        """Bits of each n-gram by its count among those of some texts, shape (words, lengths); 0
        where it is not there.
        """
        counts = np.bincount(numbers.ravel(), minlength=len(self.context))
        counts[0] = len(numbers)
        bits, seen = np.zeros(len(counts)), np.flatnonzero(counts)
        bits[seen] = np.log2(counts[self.context[seen]] / counts[seen])
        return bits

    def match(self, words: WordIds, first: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The n-grams that outputs share with references in a block from segment `first` on: their
        numbers, how often each matches, and where those of a segment, system and length end.
        """
        from mtsig_core.metrics.kernels import (
            ngrams,
        )  # late: a compiler takes half a second to load

        n_refs, n_segments = len(self.begins), words.counts.shape[1]
        most = int(np.maximum(words.counts[n_refs:], 0).sum()) * _ORDER
        places, times = np.empty(most, np.int32), np.empty(most, np.int32)
        ends = np.zeros((n_segments, len(words.counts) - n_refs, _ORDER), np.int64)
        starts = np.ascontiguousarray(self.begins[:, first : first + n_segments])
        ngrams.list_shared(
            words.ids, words.begins, words.counts, starts, _ORDER, places, times, ends
        )
        n = ends.max(initial=0)
        lengths = np.tile(np.arange(_ORDER), ends[..., 0].size).repeat(
            np.diff(ends.ravel(), prepend=0)
        )
        return self.numbers[places[:n], lengths], times[:n].copy(), ends


def _lengths(words: WordIds, n_refs: int) -> np.ndarray:
    """What needs no weights: n-grams of each output by length, and the mean length of the
    references there are.
    """
    counts, is_there = words.counts[:, :, None], words.counts[:n_refs] >= 0
    totals = np.maximum(counts[n_refs:] - np.arange(_ORDER), 0)
    expected = words.counts[:n_refs].sum(axis=0, where=is_there) / is_there.sum(axis=0)
    return np.concatenate(
        [totals, np.broadcast_to(expected[:, None], (*totals.shape[:2], 1))], axis=-1
    )


def _statistics(
    numbers: np.ndarray,
    times: np.ndarray,
    sizes: np.ndarray,
    information: np.ndarray,
    lengths: np.ndarray,
) -> np.ndarray:
    """The information of the matches, of which each segment, system and length has so many, beside
    the lengths.
    """
    which = np.arange(sizes.size).repeat(sizes.ravel())
    bits = np.bincount(which, information[numbers] * times, sizes.size).reshape(sizes.shape)
    return np.concatenate([bits.transpose(1, 0, 2), lengths], axis=-1)


def _ranges(begins: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """All places from each beginning on, as many as its size."""
    sizes = sizes.ravel()
    return np.repeat(begins.ravel() - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
