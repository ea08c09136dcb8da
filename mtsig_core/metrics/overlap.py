"""Mark the n-grams behind BLEU in a text: words of an output that are also in a reference."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from mtsig_core.metrics.tokenizers import sacrebleu_tokenizer

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
