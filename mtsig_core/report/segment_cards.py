"""Segments to be read, as HTML: outputs side by side, with what they do not share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import regex

from mtsig_core.languages import languages_of
from mtsig_core.metrics.overlap import Tokenize, matched_pieces
from mtsig_core.report.html import template
from mtsig_core.report.table import rounded, signed
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


def differing_pieces(text: str, other_text: str) -> tuple[list[Piece], list[Piece]] | None:
    """Cut two texts into pieces that both have, in the same order, and pieces that only one has.

    None where that would take too long. White space is marked only between two marked units.

    >>> differing_pieces("the old house is big", "the small house is big")[0]
    [('the ', False), ('old', True), (' house is big', False)]
    >>> differing_pieces("今天天气很好", "昨天天气好")[0]
    [('今', True), ('天天气', False), ('很', True), ('好', False)]
    """
    units, spans = reading_units(text)
    other_units, other_spans = reading_units(other_text)
    counts = Counter(units)
    other_counts = Counter(other_units)
    n_equal = sum(n * other_counts[unit] for unit, n in counts.items())
    if n_equal > MOST_EQUAL:
        return None
    is_shared = np.zeros(len(units), bool)
    is_shared_in_other = np.zeros(len(other_units), bool)
    matcher = SequenceMatcher(None, units, other_units, autojunk=False)
    for start, other_start, n in matcher.get_matching_blocks():
        is_shared[start : start + n] = True
        is_shared_in_other[other_start : other_start + n] = True
    return _cut(text, spans, is_shared), _cut(other_text, other_spans, is_shared_in_other)


def reading_units(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The units by which two texts are compared, and the span of each.

    >>> reading_units("Don't go, 3.5 km")[0]
    ['Don', "'", 't', 'go', ',', '3', '.', '5', 'km']
    >>> len(reading_units("👨\u200d👩\u200d👧 家👩🏽")[0])
    3
    """
    matches = list(_UNIT.finditer(text))
    return [match[0] for match in matches], [match.span() for match in matches]


def _cut(text: str, spans: Sequence[tuple[int, int]], is_shared: np.ndarray) -> list[Piece]:
    pieces: list[Piece] = []

    def add(piece: str, is_marked: bool) -> None:
        """Add a piece to the last one if that has the same mark."""
        if pieces and pieces[-1][1] == is_marked:
            piece = pieces.pop()[0] + piece
        if piece:
            pieces.append((piece, is_marked))

    position = 0
    for k, (start, end) in enumerate(spans):
        is_between_marked = k > 0 and not is_shared[k - 1] and not is_shared[k]
        add(text[position:start], is_between_marked)
        add(text[start:end], not is_shared[k])
        position = end
    add(text[position:], False)
    return pieces


# -------------------------------------------------------------------------------------------------
# Segments as HTML: outputs side by side, each in the direction and language that it is written in.


#: What may be marked in the texts.
MATCHES, DIFFERENCES, ERRORS = MARKS = (
    "matches with the reference",
    "differences between the two",
    "errors that raters marked",
)

_RIGHT_TO_LEFT = frozenset(
    ["ar", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "syr", "ug", "ur", "yi"]
)
#: A piece of a text and the class of its mark, which may be empty.
MarkedPiece = tuple[str, str]


def list_marks(testset: TestSet) -> list[str]:
    """What can be marked in the texts of a test set, the first choice first."""
    marks = [DIFFERENCES]
    if testset.references:
        marks.insert(0, MATCHES)
    judgements = testset.judgements
    if judgements is not None and any(row.spans for row in judgements.rows):
        marks.insert(0, ERRORS)
    return marks


def _macros() -> Any:
    return template("cards.html").module


#: The fonts are those that each system has for a script: a page asks other hosts for nothing.
STYLE = str(_macros().style())


def text_direction(language: str | None) -> str:
    """The direction to set a text in.

    From the right in the languages written so, else by its first letter.

    >>> text_direction("ar_EG"), text_direction(None)
    ('rtl', 'auto')
    """
    code, *_ = language_tag(language).split("-")
    if code.lower() in _RIGHT_TO_LEFT:
        return "rtl"
    return "auto"


def language_tag(language: str | None) -> str:
    """A language as a page names it; empty where it is not known.

    >>> language_tag("zh_TW"), language_tag(None), language_tag('x"><script>')
    ('zh-TW', '', '')
    """
    tag = (language or "").replace("_", "-")
    if tag.isascii() and tag.replace("-", "").isalnum():
        return tag
    return ""


def contributed(added: Sequence[float], unit: str) -> list[str]:
    """The part of a difference that each segment adds.

    It has as many digits as the largest asks for.
    """
    largest = max(map(abs, added), default=0)
    if not 1e-4 <= largest < 1000:
        return [f"{rounded(value, '+')} {unit}" for value in added]
    decimals = max(3, 1 - math.floor(math.log10(largest)))
    return [f"{signed(value, f'.{decimals}f')} {unit}" for value in added]


class _Text(NamedTuple):
    """A text as it is shown."""

    pieces: Sequence[MarkedPiece]
    direction: str
    language: str
    placeholder: str  # where there is no text


class _Block(NamedTuple):
    """A text with its name on a card."""

    name: str
    text: _Text
    kind: str  # the classes of its place


class _Row(NamedTuple):
    """A text in the list of all systems."""

    name: str
    text: _Text
    score: str = ""
    side: str = ""  # A or B where it is one of the chosen pair


def _show_text(
    text: str | None, language: str | None, pieces: Sequence[MarkedPiece] | None = None
) -> _Text:
    if text is None:
        return _Text((), "", "", "(rated, without a text of its own here)")
    if not text:
        return _Text((), "", "", "(empty)")
    return _Text(pieces or [(text, "")], text_direction(language), language_tag(language), "")


def card(  # noqa: PLR0913  what is shown of a segment, by name
    testset: TestSet,
    systems: Sequence[str],
    k: int,
    head: str,
    *,
    marks: str = MATCHES,
    tokens: Tokenize | None = None,
    notes: Sequence[str] = (),
    outputs_first: bool = False,
) -> str:
    """One segment: its head, the source and the references, and the outputs, two in a row."""
    target = languages_of(testset.langpair)[1]
    inputs = []
    for name, text, language in _list_inputs(testset, k):
        inputs.append(_Block(name, _show_text(text, language), "mt-quiet"))
    if len(inputs) % 2 == 1:  # the first is wide then, so that the two outputs are in one row
        inputs[0] = inputs[0]._replace(kind="mt-quiet mt-wide")
    pieces = _mark_texts(testset, systems, k, marks, tokens)
    outputs = []
    for name in systems:
        output = _show_text(testset.systems[name][k], target, pieces.get(name))
        outputs.append(_Block(_title_output(testset, name, k), output, ""))
    if outputs_first and len(outputs) % 2 == 1:
        outputs[-1] = outputs[-1]._replace(kind="mt-wide")
    blocks = inputs + outputs
    if outputs_first:
        blocks = outputs + inputs
    facts = _list_facts(testset, k, notes)
    return str(_macros().card(head, facts, blocks))


def _title_output(testset: TestSet, name: str, k: int) -> str:
    """A system with the score of each of its raters, where several rated this output."""
    if testset.judgements is None:
        return name
    rows = testset.judgements.rows_of_outputs.get((name, testset.lines[k]), [])
    if len(rows) < 2:
        return name
    return f"{name}: rated {', '.join(f'{row.score:g}' for row in rows)}"


def neighbour(testset: TestSet, systems: Sequence[str], k: int, title: str) -> str:
    """A segment before or after another, in small: the first line of each output, without marks."""
    target = languages_of(testset.langpair)[1]
    texts = [_show_text(testset.systems[name][k], target) for name in systems[:2]]
    return str(_macros().neighbour(f"{title}, line {testset.lines[k]}", texts))


def system_list(  # noqa: PLR0913  what is shown of a segment, by name
    testset: TestSet,
    k: int,
    scores: Iterable[tuple[str, str]],
    head: str,
    *,
    unit: str,
    marks: str = MATCHES,
    tokens: Tokenize | None = None,
    pair_names: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> str:
    """All outputs of one segment, above its source and references.

    They are a table of system, score and text.
    """
    target = languages_of(testset.langpair)[1]
    sides = dict(zip(pair_names, "AB", strict=False))
    rows = []
    for name, score in scores:
        text = testset.systems[name][k]
        if marks == ERRORS:
            pieces = _mark_errors(testset, name, k)
        else:
            pieces = _mark_matches(testset, text, k, tokens)
        output = _show_text(text, target, pieces)
        rows.append(_Row(name, output, score, sides.get(name, "")))
    for name, text, language in _list_inputs(testset, k):
        rows.append(_Row(name, _show_text(text, language)))
    facts = _list_facts(testset, k, notes)
    return str(_macros().system_list(head, facts, unit, rows))


def legend(marks: str = MATCHES) -> str:
    """Explain the marks."""
    macros = _macros()
    if marks == DIFFERENCES:
        return str(macros.legend_of_differences())
    if marks == ERRORS:
        return str(macros.legend_of_errors())
    return str(macros.legend_of_matches())


def segments_html(  # noqa: PLR0913  what is shown of segments, by name
    testset: TestSet,
    systems: Sequence[str],
    segments: Sequence[int],
    heads: Sequence[str],
    *,
    title: str,
    note: str = "",
    marks: str = MATCHES,
    tokens: Tokenize | None = None,
) -> str:
    """A file to read or print offline: the cards of some segments, below a note on them."""
    cards = []
    for k, head in zip(segments, heads, strict=True):
        cards.append(card(testset, systems, k, head, marks=marks, tokens=tokens))
    page = template("segments.html")
    return page.render(title=title, note=note, legend=legend(marks), cards=cards)


def _list_inputs(testset: TestSet, k: int) -> Iterator[tuple[str, str, str | None]]:
    """Name, text and language of the source and the references of a segment."""
    source, target = languages_of(testset.langpair)
    if testset.sources is not None:
        yield "source", testset.sources[k], source
    for name, texts in testset.references.items():
        reference = texts[k]
        if reference is not None:
            yield name, reference, target


def _list_facts(testset: TestSet, k: int, notes: Sequence[str]) -> list[str]:
    """Line, domain and document of a segment, and notes on it."""
    facts = [f"line {testset.lines[k]}"]
    facts += [values[k] for values in (testset.domains, testset.documents) if values is not None]
    return [*facts, *notes]


def _mark_texts(
    testset: TestSet, systems: Sequence[str], k: int, marks: str, tokens: Tokenize | None
) -> dict[str, list[MarkedPiece] | None]:
    """The marked pieces of each output; none of an output without marks."""
    if marks == DIFFERENCES:
        return _mark_differences(testset, systems, k)
    if marks == ERRORS:
        return {name: _mark_errors(testset, name, k) for name in systems}
    return {name: _mark_matches(testset, testset.systems[name][k], k, tokens) for name in systems}


def _mark_matches(
    testset: TestSet, text: str | None, k: int, tokens: Tokenize | None
) -> list[MarkedPiece] | None:
    if not text or tokens is None:
        return None
    references = [texts[k] for texts in testset.references.values()]
    marked = []
    for piece, order in matched_pieces(text, references, tokens):
        css = ""
        if order:
            css = f"mt-n{order}"
        marked.append((piece, css))
    return marked


def _mark_differences(
    testset: TestSet, systems: Sequence[str], k: int
) -> dict[str, list[MarkedPiece] | None]:
    texts = [testset.systems[name][k] for name in systems[:2]]
    if len(texts) < 2 or None in texts:
        return {}
    both = differing_pieces(*texts)
    if both is None:
        return {}
    css_of = {True: "mt-alone", False: ""}
    marked: dict[str, list[MarkedPiece] | None] = {}
    for name, pieces in zip(systems[:2], both, strict=True):
        marked[name] = [(piece, css_of[is_alone]) for piece, is_alone in pieces]
    return marked


def _mark_errors(testset: TestSet, name: str, k: int) -> list[MarkedPiece] | None:
    """An output cut where raters marked errors; a major error hides a minor one."""
    text = testset.systems[name][k]
    if not text or testset.judgements is None:
        return None
    css_of_letters = ["" for _ in text]
    for row in testset.judgements.rows_of_outputs.get((name, testset.lines[k]), []):
        for span in row.spans:
            for place in range(max(span.start, 0), min(span.stop, len(text))):
                if span.severity in ("major", "critical"):
                    css_of_letters[place] = "mt-major"
                elif not css_of_letters[place]:
                    css_of_letters[place] = "mt-minor"
    marked: list[MarkedPiece] = []
    for css, letters in groupby(zip(css_of_letters, text, strict=True), key=itemgetter(0)):
        marked.append(("".join(letter for _, letter in letters), css))
    return marked
