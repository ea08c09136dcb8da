"""The tokenizers of sacreBLEU, as tables of character classes that compiled code can follow.

The tokenizers 13a and zh are written as four regular expressions that only ever insert spaces.
Whether they insert a space on either side of a character depends only on the classes of its
neighbours, so a table of classes replaces them (`kernels.tokens.split` states the rule). For other
tokenizers mtsig calls sacreBLEU, and uses only the spaces of its result.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mtsig_core.errors import InputError, MissingTokenizerError, SettingError, explain_unknown
from mtsig_core.extras import name_packages, write_missing
from mtsig_core.languages import language_code
from mtsig_core.testset import TestSet

#: The names sacreBLEU knows, in its order.
TOKENIZERS = (
    "none",
    "zh",
    "13a",
    "intl",
    "char",
    "ja-mecab",
    "ko-mecab",
    "spm",
    "flores101",
    "flores200",
    "spBLEU-1K",
)

_BY_LANGUAGE = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
#: The languages, of those that other tokenizers leave in pieces too long, that these cut into
#: words; the rest cut all.
_CUT = {
    "none": (),
    "13a": (),
    "intl": (),
    "tercom": (),
    "zh": ("zh",),
    "ja-mecab": ("ja",),
    "ko-mecab": ("ko",),
}
#: The extra that brings what a tokenizer needs; the others with needs split by SentencePiece's models.
_EXTRAS = {"ja-mecab": "ja", "ko-mecab": "ko"}

# Classes of characters. Those below DIGIT count as [^0-9] in the expressions of 13a, and so does
# SPACE for the padding that 13a puts around a line; EDGE is the outside of a line that is not
# padded. The numbers are compiled into kernels.tokens: change that file too when they change, or
# compiled code in the cache goes on with the old ones.
SPACE = 0  # separates tokens
ALONE = 1  # a token of its own
STOP = 2  # full stop or comma: depends on the digits around it
DASH = 3  # hyphen: depends on a digit before it
WORD = 4  # anything else
DIGIT = 8  # a bit that EDGE has too and no other, as STOP is one that only DASH has too
EDGE = 12

# What str.split() and str.strip() take for space.
_SPACES = [
    (0x09, 0x0D),
    (0x1C, 0x20),
    (0x85, 0x85),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
]
# ASCII punctuation that 13a always sets apart: all of it but the apostrophe, comma, hyphen and full
# stop.
_PUNCTUATION = [(0x20, 0x26), (0x28, 0x2B), (0x2F, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)]
# What sacreBLEU takes for Chinese. Its two ranges beyond the basic plane are written with four
# hexadecimal digits too few, so that they stand for U+2001..U+2A6D and U+2F81..U+2FA1: general
# punctuation and many symbols are 'Chinese', the rare characters of Extension B are not. Scores are
# only comparable if this is kept.
_CHINESE = [
    (0x2001, 0x2A6D),
    (0x2E80, 0x2FDF),
    (0x2FF0, 0x303F),
    (0x3100, 0x312F),
    (0x31A0, 0x31EF),
    (0x3200, 0x4DB5),
    (0x4E00, 0x9FBB),
    (0xF900, 0xFA2D),
    (0xFA30, 0xFA6A),
    (0xFA70, 0xFAD9),
    (0xFE10, 0xFE1F),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFFEF),
]


Texts = Sequence[str | None]


@dataclass(frozen=True, eq=False)
class Tokenizer:
    """How to find the tokens of a text."""

    signature: str  # what sacreBLEU's signature calls it
    #: Class of each character up to U+FFFF, uint8; the characters beyond share the last class.
    classes: np.ndarray
    edge: int = SPACE  # the class that a line seems to have on either side
    prepare: Callable[[Texts], Texts] | None = None  # applied to texts first; it keeps None


def default_tokenizer(language: str | None) -> str:
    """The tokenizer that sacreBLEU uses for a target language, whatever its region or script."""
    return _BY_LANGUAGE.get(language_code(language) or "", "13a")


def tokenizer_name(testset: TestSet, setting: str | None = None) -> str:
    """The tokenizer's name: a metric's setting, else the test set's, else by its language."""
    return setting or testset.tokenizer or default_tokenizer(testset.target_language)


def splits_words(name: str, language: str | None) -> bool:
    """Whether a tokenizer finds words in a language of `SPACELESS`, such as zh or th."""
    if language is None or name not in _CUT:
        return True
    return language in _CUT[name]


def fitting_tokenizers(language: str) -> tuple[str, ...]:
    """The tokenizers for such a language, the best first: sacreBLEU's choice, and characters."""
    if language in _BY_LANGUAGE:
        return (_BY_LANGUAGE[language], "char")
    return ("char", "flores200")


def check_tokenizer(name: str) -> None:
    """Check that there is a tokenizer of that name."""
    if name not in TOKENIZERS:
        raise explain_unknown("tokenizer", name, TOKENIZERS)


@functools.cache
def make_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of that name."""
    check_tokenizer(name)
    western = [
        (_PUNCTUATION, ALONE),
        ([(0x2C, 0x2C), (0x2E, 0x2E)], STOP),
        ([(0x2D, 0x2D)], DASH),
        ([(0x30, 0x39)], DIGIT),
    ]
    if name == "13a":
        return Tokenizer(name, _table(western), prepare=_clean_13a)
    if name == "zh":
        return Tokenizer(name, _table([*western, (_CHINESE, ALONE)]), edge=EDGE)
    if name == "char":
        return Tokenizer(name, _table([([(0, 0xFFFF)], ALONE)]))
    if name == "none":
        return Tokenizer(name, _table([]))
    split = sacrebleu_tokenizer(name)

    def prepare(texts: Texts) -> Texts:
        return [None if text is None else _split_by_sacrebleu(name, split, text) for text in texts]

    return Tokenizer(split.signature(), _table([]), prepare=prepare)


def _split_by_sacrebleu(name: str, split: Callable[[str], str], text: str) -> str:
    try:
        return split(text.rstrip())
    # MeCab gives None for a text too long, and takes UTF-8 only
    except (AttributeError, TypeError) as error:
        raise InputError(
            f"Tokenizer {name!r} cannot split a segment of {len(text)} characters that begins "
            f"{text[:40]!r}. Shorten it, or remove what is not valid Unicode."
        ) from error


def _table(classes: Iterable[tuple[Iterable[tuple[int, int]], int]]) -> np.ndarray:
    """Table of classes from [(ranges, class), ...]; later ones win, and space over all."""
    table = np.full(0x10000, WORD, dtype=np.uint8)
    for ranges, cls in [*classes, (_SPACES, SPACE)]:
        for first, last in ranges:
            table[first : last + 1] = cls
    table.setflags(write=False)
    return table


def _clean_13a(texts: Texts) -> Texts:
    """What 13a does before it looks at punctuation."""
    return [_clean_markup(text) if text and _has_markup(text) else text for text in texts]


def _has_markup(text: str) -> bool:
    return "&" in text or "<" in text or "\n" in text


def _clean_markup(text: str) -> str:
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, char in [("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")]:
        text = text.replace(entity, char)
    return text


def package_of(name: str) -> str:
    """What pip installs for a tokenizer that needs a further package."""
    return name_packages(_choose_extra(name))


def _choose_extra(name: str) -> str:
    return _EXTRAS.get(name, "sentencepiece")


def sacrebleu_tokenizer(name: str) -> Any:
    """SacreBLEU's own tokenizer object."""
    try:
        from sacrebleu.metrics.bleu import BLEU

        return BLEU(tokenize=name).tokenizer
    except (ImportError, RuntimeError) as error:
        message = write_missing(
            _choose_extra(name),
            f"Tokenizer {name!r}",
            "Or choose another tokenizer: char needs none.",
        )
        raise MissingTokenizerError(message) from error
    # A model is downloaded on first use. What goes wrong then ends in errors of many libraries, or
    # in an exit of the whole program.
    except (Exception, SystemExit) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise SettingError(
            f"Tokenizer {name!r} could not be set up ({reason}). If it needs a model that "
            "sacreBLEU downloads on first use, use it in sacreBLEU once with a network connection. "
            "Or choose another tokenizer.",
            {"tokenize": "NAME"},
        ) from error
