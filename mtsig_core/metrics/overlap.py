"""Which words of an output a reference has too, and in how long a run: the n-grams behind BLEU,
marked in the text.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter

from mtsig_core.metrics.tokenizers import sacrebleu_tokenizer

#: A piece of the text, and the longest n-gram of it that a reference has too: 1 to 4, or 0 for
#: none.
MatchedPiece = tuple[str, int]
_LONGEST = 4


def matched_pieces(
    text: str, references: Sequence[str | None], tokens: Callable[[str], list[str]]
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
    found = tokens(text)
    places = align(text, found) or []
    known = {gram for reference in references for gram, _ in _ngrams(tokens(reference or ""))}
    orders = [0] * len(text)  # of each character: the longest n-gram that covers it
    for gram, at in _ngrams(found) if places else ():
        if gram in known:
            start, end = places[at][0], places[at + len(gram) - 1][1]
            orders[start:end] = [len(gram)] * (end - start)
    return [
        ("".join(letter for letter, _ in piece), order)
        for order, piece in groupby(zip(text, orders, strict=True), key=itemgetter(1))
    ]


def align(text: str, tokens: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where each token stands in the text, or None unless the tokens are all of it but the white
    space.
    """
    places, at = [], 0
    for token in tokens:
        while at < len(text) and text[at].isspace():
            at += 1
        if not token or not text.startswith(token, at):
            return None
        places.append((at, at + len(token)))
        at += len(token)
    return places if not text[at:].strip() else None


@functools.cache
def bleu_tokens(name: str) -> Callable[[str], list[str]]:
    """How sacreBLEU's tokenizer of that name splits a text."""
    tokenizer = sacrebleu_tokenizer(name)

    def tokens(text: str) -> list[str]:
        try:
            found: list[str] = tokenizer(text.rstrip()).split()
        except (AttributeError, TypeError):  # MeCab gives None for a text too long
            return []
        return found

    return tokens


def _ngrams(tokens: Sequence[str]) -> list[tuple[tuple[str, ...], int]]:
    """The n-grams, the shortest first, and where they begin."""
    return [
        (tuple(tokens[at : at + n]), at)
        for n in range(1, _LONGEST + 1)
        for at in range(len(tokens) - n + 1)
    ]
