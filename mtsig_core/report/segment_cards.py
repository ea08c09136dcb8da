"""Segments to be read, as HTML: outputs side by side, with what they do not share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from html import escape

import numpy as np
import regex

from mtsig_core.languages import languages_of
from mtsig_core.metrics.overlap import matched_pieces
from mtsig_core.report.table import rounded, signed
from mtsig_core.report.text import read_template
from mtsig_core.testset import TestSet

# What two outputs do not share: words in scripts with spaces between words, characters in those
# without.


#: A piece of a text, and whether another text lacks it.
Piece = tuple[str, bool]
#: Pairs of equal units above which two texts are not compared: about 5,000 characters of Chinese
#: each have as many.
MOST_EQUAL = 1_000_000
# A word of letters and digits with its marks; a character of a script without spaces between words;
# or any other character as a reader sees it, such as an emoji with all that is joined to it. Hangul
# has spaces.
_UNIT = regex.compile(
    r"(?V1)(?:[[\p{L}\p{N}]--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Tibetan}\p{Myanmar}\p{Khmer}\p{Tai_Le}"
    r"\p{New_Tai_Lue}\p{Tai_Tham}\p{Tai_Viet}\p{Yi}\u30fc\uff70]][\p{M}\u200d]*)+|(?!\s)\X"
)


def differing_pieces(one: str, other: str) -> tuple[list[Piece], list[Piece]] | None:
    """Cut two texts into pieces that both have, in the same order, and pieces that only one has;
    None where that would take too long. White space is marked only between two marked units.

    >>> differing_pieces("the old house is big", "the small house is big")[0]
    [('the ', False), ('old', True), (' house is big', False)]
    >>> differing_pieces("今天天气很好", "昨天天气好")[0]
    [('今', True), ('天天气', False), ('很', True), ('好', False)]
    """
    (units, places), (others, their_places) = reading_units(one), reading_units(other)
    counts, their_counts = Counter(units), Counter(others)
    if sum(n * their_counts[unit] for unit, n in counts.items()) > MOST_EQUAL:
        return None
    shared, theirs = np.zeros(len(units), bool), np.zeros(len(others), bool)
    for start, begin, n in SequenceMatcher(
        None, units, others, autojunk=False
    ).get_matching_blocks():
        shared[start : start + n] = theirs[begin : begin + n] = True
    return _pieces(one, places, shared), _pieces(other, their_places, theirs)


def reading_units(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The units by which two texts are compared, and where each stands.

    >>> reading_units("Don't go, 3.5 km")[0]
    ['Don', "'", 't', 'go', ',', '3', '.', '5', 'km']
    >>> len(reading_units("👨\u200d👩\u200d👧 家👩🏽")[0])
    3
    """
    found = list(_UNIT.finditer(text))
    return [one[0] for one in found], [one.span() for one in found]


def _pieces(text: str, places: list[tuple[int, int]], shared: np.ndarray) -> list[Piece]:
    pieces: list[Piece] = []

    def add(part: str, marked: bool) -> None:
        if pieces and pieces[-1][1] == marked:
            part = pieces.pop()[0] + part
        if part:
            pieces.append((part, marked))

    at = 0
    for k, (start, end) in enumerate(places):
        add(text[at:start], k > 0 and not shared[k - 1] and not shared[k])
        add(text[start:end], not shared[k])
        at = end
    add(text[at:], False)
    return pieces


# Segments to be read, as HTML: outputs side by side, each in the direction and language that it is
# written in.


#: What may be marked in the texts.
MARKS = ("matches with the reference", "differences between the two")

_EMPTY = "(empty)"
_NO_TEXT = "(rated, without a text of its own here)"
_RIGHT_TO_LEFT = frozenset(
    ["ar", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "syr", "ug", "ur", "yi"]
)
#: The tokens of a text, as a metric sees them.
Tokenize = Callable[[str], list[str]]

#: The fonts are those that each system has for a script: a page asks other hosts for nothing.
STYLE = f"<style>\n{read_template('segments.css')}</style>"


def text_direction(language: str | None) -> str:
    """The direction to set a text in: from the right in the languages written so, else by its first
    letter.

    >>> text_direction("ar_EG"), text_direction(None)
    ('rtl', 'auto')
    """
    return "rtl" if language_tag(language).split("-")[0].lower() in _RIGHT_TO_LEFT else "auto"


def language_tag(language: str | None) -> str:
    """A language as a page names it; empty where it is not known.

    >>> language_tag("zh_TW"), language_tag(None), language_tag('x"><script>')
    ('zh-TW', '', '')
    """
    tag = (language or "").replace("_", "-")
    return tag if tag.replace("-", "").isalnum() and tag.isascii() else ""


def contributed(added: Sequence[float], unit: str) -> list[str]:
    """What segments add to a difference, with as many digits as the largest asks for."""
    largest = max(map(abs, added), default=0)
    form = f".{max(3, 1 - math.floor(math.log10(largest)))}f" if 1e-4 <= largest < 1000 else ""
    return [f"{signed(value, form) if form else rounded(value, '+')} {unit}" for value in added]


def card(
    testset: TestSet,
    systems: Sequence[str],
    k: int,
    head: str,
    *,
    marks: str = MARKS[0],
    tokens: Tokenize | None = None,
    notes: Sequence[str] = (),
    outputs_first: bool = False,
) -> str:
    """One segment: its head, the source and the references, and the outputs, two in a row."""
    target, rows = languages_of(testset.langpair)[1], _given(testset, k)
    odd = len(rows) % 2 == 1  # the first is wide then, so that the two outputs are in one row
    above = "".join(
        _block(name, _text(text, language), "mt-quiet" + " mt-wide" * (odd and not n))
        for n, (name, text, language) in enumerate(rows)
    )
    pieces = _mark_differences(testset, systems, k) if marks == MARKS[1] else {}
    outputs = ""
    for n, name in enumerate(systems):
        text = testset.systems[name][k]
        inner = pieces.get(name) or (
            _matched(testset, text, k, tokens) if marks == MARKS[0] else None
        )
        alone = outputs_first and n == len(systems) - 1 and len(systems) % 2 == 1
        outputs += _block(name, _text(text, target, inner), "mt-wide" if alone else "")
    texts = outputs + above if outputs_first else above + outputs
    return f'<div class="mt-pair">{_head(testset, k, head, notes)}{texts}</div>'


def neighbour(testset: TestSet, systems: Sequence[str], k: int, where: str) -> str:
    """A segment before or after another, in small: the first line of each output, without marks."""
    target = languages_of(testset.langpair)[1]
    inside = f'<div class="mt-wide"><small>{escape(where)}, line {testset.lines[k]}</small></div>'
    inside += "".join(
        f"<div>{_text(testset.systems[name][k], target)}</div>" for name in systems[:2]
    )
    return f'<div class="mt-pair mt-near mt-quiet">{inside}</div>'


def system_list(
    testset: TestSet,
    k: int,
    scores: Iterable[tuple[str, str]],
    head: str,
    *,
    unit: str,
    tokens: Tokenize | None = None,
    chosen: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> str:
    """All outputs of one segment, above its source and references, as a table of system, score and
    text.
    """
    target = languages_of(testset.langpair)[1]
    rows = []
    for name, score in scores:
        text, called = testset.systems[name][k], f"<bdi>{escape(name)}</bdi>"
        if name in chosen:
            called = f"<b>{'AB'[chosen.index(name)]}: {called}</b>"
        rows.append(
            (called, escape(score), _text(text, target, _matched(testset, text, k, tokens)))
        )
    rows += [
        (f"<bdi>{escape(name)}</bdi>", "", _text(text, language))
        for name, text, language in _given(testset, k)
    ]
    body = "".join(
        f"<tr><td>{called}</td><td>{score}</td><td>{text}</td></tr>" for called, score, text in rows
    )
    return (
        f'<div class="mt-pair">{_head(testset, k, head, notes)}</div><table class="mt-each"><thead><tr><th>system'
        f"</th><th>{escape(unit)}</th><th>output</th></tr></thead><tbody>{body}</tbody></table>"
    )


def legend(marks: str = MARKS[0]) -> str:
    """What the marks mean."""
    if marks == MARKS[1]:
        said = (
            'Marked: <span class="mt-alone">what the other output lacks</span>, by words where the script '
            "has spaces, else by characters"
        )
    else:
        orders = enumerate(("1 token", "2 tokens", "3 tokens", "4 or more"), 1)
        said = "Marked: n-grams that a reference has too, of " + " &nbsp; ".join(
            _span(f" {name} ", f"mt-n{n}") for n, name in orders
        )
    return f'<div class="mt-legend">{said}</div>'


def segments_html(
    testset: TestSet,
    systems: Sequence[str],
    segments: Sequence[int],
    heads: Sequence[str],
    *,
    title: str,
    note: str = "",
    marks: str = MARKS[0],
    tokens: Tokenize | None = None,
) -> str:
    """A file to read or print offline: the cards of some segments, below a note on which they
    are.
    """
    cards = "\n".join(
        card(testset, systems, k, head, marks=marks, tokens=tokens)
        for k, head in zip(segments, heads, strict=True)
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">\n'
        f"{STYLE}\n<style>body {{font: 1rem/1.5 sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem}}"
        f"</style></head>\n<body><h1><bdi>{escape(title)}</bdi></h1>\n<p><bdi>{escape(note)}</bdi></p>\n"
        f"{legend(marks)}\n{cards}\n</body></html>\n"
    )


def _given(testset: TestSet, k: int) -> list[tuple[str, str, str | None]]:
    """Name, text and language of the source and the references of a segment."""
    source, target = languages_of(testset.langpair)
    rows = [] if testset.sources is None else [("source", testset.sources[k], source)]
    return rows + [
        (name, text, target)
        for name, texts in testset.references.items()
        if (text := texts[k]) is not None
    ]


def _head(testset: TestSet, k: int, head: str, notes: Sequence[str]) -> str:
    where = [f"line {testset.lines[k]}"]
    where += [values[k] for values in (testset.domains, testset.documents) if values is not None]
    said = " · ".join(f"<bdi>{escape(part)}</bdi>" for part in (*where, *notes))
    return f'<div class="mt-wide"><b>{escape(head)}</b> <small>{said}</small></div>'


def _block(name: str, text: str, extra: str = "") -> str:
    return f'<div class="{extra}"><small><bdi>{escape(name)}</bdi></small>{text}</div>'


def _text(text: str | None, language: str | None, inner: str | None = None) -> str:
    if not text:
        return f'<div class="mt-text">{_NO_TEXT if text is None else _EMPTY}</div>'
    lang = f' lang="{tag}"' if (tag := language_tag(language)) else ""
    return (
        f'<div class="mt-text" dir="{text_direction(language)}"{lang}>{inner or escape(text)}</div>'
    )


def _matched(testset: TestSet, text: str | None, k: int, tokens: Tokenize | None) -> str | None:
    if not text or tokens is None:
        return None
    references = [texts[k] for texts in testset.references.values()]
    return "".join(
        _span(piece, f"mt-n{order}" if order else "")
        for piece, order in matched_pieces(text, references, tokens)
    )


def _mark_differences(testset: TestSet, systems: Sequence[str], k: int) -> dict[str, str]:
    texts = [testset.systems[name][k] for name in systems[:2]]
    both = differing_pieces(*texts) if len(texts) == 2 and None not in texts else None
    return (
        {}
        if both is None
        else {
            name: "".join(_span(piece, "mt-alone" if alone else "") for piece, alone in pieces)
            for name, pieces in zip(systems[:2], both, strict=True)
        }
    )


def _span(text: str, kind: str) -> str:
    return f'<span class="{kind}">{escape(text)}</span>' if kind else escape(text)
