"""The n-grams that an output shares with a reference: marked in a text, and counted by segment."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from mtsig_core.metrics.counting import WordIds
from mtsig_core.metrics.gtm import Gtm
from mtsig_core.metrics.protocol import Metric
from mtsig_core.metrics.tokenizers import sacrebleu_tokenizer
from mtsig_core.testset import TestSet

#: A piece of the text, and the longest n-gram of it in a reference: 1 to 4, or 0 for none.
MatchedPiece = tuple[str, int]
#: The tokens of a text, as a metric sees them.
Tokenize = Callable[[str], list[str]]
_LONGEST = 4


def matched_pieces(
    text: str, references: Sequence[str | None], tokens: Tokenize
) -> list[MatchedPiece]:
    """Cut a text into pieces by the longest n-gram that covers them and occurs in a reference.

    A space between two tokens belongs to the longest n-gram that covers both. Counts are not
    clipped: a token that a reference has once is marked each time. Where `tokens` cannot be found
    in the text (a tokenizer that turns ``&amp;`` into ``&``), nothing is marked rather than the
    wrong thing. The pieces joined are the text.

    Examples
    --------
    >>> matched_pieces("the cat sat", ["a cat sat there", "the end"], str.split)
    [('the', 1), (' ', 0), ('cat sat', 2)]
    """
    words = tokens(text)
    places = align(text, words)
    orders = [0 for _ in text]  # of each character: the longest n-gram that covers it
    if places:
        in_references: set[tuple[str, ...]] = set()
        for reference in references:
            in_references.update(gram for gram, _ in _ngrams(tokens(reference or "")))
        for gram, first in _ngrams(words):
            if gram in in_references:
                start = places[first][0]
                end = places[first + len(gram) - 1][1]
                orders[start:end] = [len(gram)] * (end - start)
    pieces = []
    start = 0
    for order, characters in groupby(orders):
        end = start + len(list(characters))
        pieces.append((text[start:end], order))
        start = end
    return pieces


def align(text: str, tokens: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where each token begins and ends in the text.

    None unless the tokens are all of the text except white space.
    """
    places = []
    end = 0
    for token in tokens:
        start = end
        while start < len(text) and text[start].isspace():
            start += 1
        if not token or not text.startswith(token, start):
            return None
        end = start + len(token)
        places.append((start, end))
    if text[end:].strip():
        return None
    return places


@functools.cache
def bleu_tokens(name: str) -> Tokenize:
    """How sacreBLEU's tokenizer of that name splits a text."""
    tokenizer = sacrebleu_tokenizer(name)

    def tokens(text: str) -> list[str]:
        try:
            words: list[str] = tokenizer(text.rstrip()).split()
        except (AttributeError, TypeError):  # MeCab gives None for a text too long
            return []
        return words

    return tokens


def _ngrams(tokens: Sequence[str]) -> Iterator[tuple[tuple[str, ...], int]]:
    """The n-grams and where they begin, the shortest first."""
    for n in range(1, _LONGEST + 1):
        for first in range(len(tokens) - n + 1):
            yield tuple(tokens[first : first + n]), first


@dataclass(frozen=True, eq=False)
class NgramMatches:
    """How often n-grams of one order occur in each segment, a cell for each that occurs there."""

    segment: np.ndarray  # (cells,)
    gram: np.ndarray  # (cells,), numbers from 0
    counts: np.ndarray  # (3, cells): in the reference, a, b
    matches: np.ndarray  # (2, cells): clipped, of a and b
    words: np.ndarray  # (grams, order): numbers of their words
    spellings: Sequence[str]  # of the words

    def spell(self, k: int) -> str:
        """The words of an n-gram, with spaces between."""
        return " ".join(self.spellings[word] for word in self.words[k])


def match_ngrams(testset: TestSet, metric: Metric) -> tuple[np.ndarray, list[NgramMatches]]:
    """Count the n-grams of one word, of two, to four, in the first reference and two outputs.

    Words are found by the tokenizer that was chosen for the metric, or else that of the test set;
    case counts where the metric does not ignore it. Segments without this reference do not count.

    Returns the number of words of the reference, shape (segments,), -1 where it is missing, and the
    n-grams by their length.
    """
    splitter = Gtm(getattr(metric, "tokenize", None), getattr(metric, "lowercase", False))
    reference = next(iter(testset.references.values()))
    words = splitter.number_words(testset, [reference, *testset.systems.values()])
    spellings = words.spellings()
    grams = [_count_order(words, order + 1, spellings) for order in range(_LONGEST)]
    return words.counts[0], grams


def _count_order(words: WordIds, order: int, spellings: Sequence[str]) -> NgramMatches:
    n_texts, n_segments = words.counts.shape
    place = np.repeat(np.arange(n_texts * n_segments), np.maximum(words.counts, 0).ravel())
    starts = np.arange(len(place) - order + 1)
    starts = starts[place[starts] == place[starts + order - 1]]
    gram = np.zeros(len(starts), np.int64)
    firsts = gram
    for offset in range(order):
        longer = gram * len(words.spans) + words.ids[starts + offset]
        _, firsts, gram = np.unique(longer, return_index=True, return_inverse=True)
    text, segment = np.divmod(place[starts], n_segments)
    cells, cell = np.unique(segment * len(firsts) + gram, return_inverse=True)
    counts = np.bincount(text * len(cells) + cell, minlength=n_texts * len(cells))
    segments, grams = np.divmod(cells, len(firsts))
    has_reference = words.counts[0, segments] >= 0
    counts = counts.reshape(n_texts, -1) * has_reference
    own_words = words.ids[starts[firsts][:, None] + np.arange(order)]
    matches = np.minimum(counts[1:], counts[0])
    return NgramMatches(segments, grams, counts, matches, own_words, spellings)
