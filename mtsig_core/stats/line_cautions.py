"""Facts on lines of an output: the same text in other characters, one line for many sources, the
source itself, another script.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from mtsig_core.caution import Caution
from mtsig_core.metrics import lacks_tokenizer, resolve_metric
from mtsig_core.testset import TestSet, show_name

Lines = Sequence[str | None]

#: Least number and share of lines before a fault of single lines is told.
_LEAST_LINES, _LEAST_SHARE = 5, 0.01
_LEAST_COPIES = (
    0.02  # share of lines that repeat the source: good systems leave up to 0.013 untranslated
)
_LEAST_ENTITIES = 3  # lines: no translator writes one
_MANY = 0.05  # share of lines from which the score says little of the system
_LONG = 20  # characters from which a line that equals the source was not translated
_EXAMPLE = 60  # characters of a line in an example
_LOOKED = 500  # lines that are looked at to see whether to look closer

_NUMBER = re.compile(r"[0-9]+")
_MARKS = re.compile(r"\W+")
#: An entity of HTML.
ENTITY = re.compile(r"&(?:amp|quot|apos|lt|gt|nbsp|#\d{2,4}|#x[0-9a-f]{2,4});", re.IGNORECASE)


def about_lines(testset: TestSet, systems: Mapping[str, Lines]) -> Iterator[Caution]:
    """Warn of outputs in which one line stands for many sources, lines are copies of the source,
    have entities of HTML, or are in another script than the references.
    """
    examined = _Examined(testset)
    for name, lines in systems.items():
        for find in (_find_repeated, _find_untranslated, _find_entities, _find_foreign):
            facts = find(lines, examined)
            if facts is None:
                continue
            if facts["n"] >= _MANY * testset.n_segments:
                yield Caution("faulty-lines", facts, a=name, remedies=({"exclude": name},))
            else:
                yield Caution("few-faulty-lines", facts, a=name)


@dataclass(frozen=True, eq=False)
class _Examined:
    """What the lines of an output are held against."""

    testset: TestSet

    @cached_property
    def references(self) -> list[list[str]]:
        return [_strip(lines) for lines in self.testset.references.values()]

    @cached_property
    def sources(self) -> list[str]:
        """The sources; without them the first reference, whose lines differ where the sources
        do.
        """
        lines = self.testset.sources
        return self.references[0] if lines is None else _strip(lines)

    @cached_property
    def script(self) -> str | None:
        """The script of the first reference."""
        step = max(1, len(self.references[0]) // _LOOKED)
        return find_script(" ".join(self.references[0][::step]))

    @cached_property
    def rows_with_entities(self) -> set[int]:
        """Where the source or a reference has an entity of HTML, which is then part of the text."""
        rows = set()
        for own in (self.sources, *self.references):
            rows |= {row for row, text in enumerate(own) if _has_entity(text)}
        return rows

    @property
    def least(self) -> float:
        return max(_LEAST_LINES, _LEAST_SHARE * self.testset.n_segments)


def _has_entity(text: str | None) -> bool:
    return text is not None and "&" in text and ENTITY.search(text) is not None


def _strip(lines: Lines) -> list[str]:
    return ["" if line is None else line.strip() for line in lines]


def _facts(sort: str, rows: Sequence[int], lines: Lines, examined: _Examined) -> dict[str, Any]:
    """Which lines are meant, how many of how many, and an example."""
    text = lines[rows[0]] or ""
    shown = text if len(text) <= _EXAMPLE else f"{text[:_EXAMPLE]}..."
    return {
        "sort": sort,
        "n": len(rows),
        "n_lines": examined.testset.n_segments,
        "line": examined.testset.lines[rows[0]],
        "example": show_name(shown),
    }


def _find_repeated(lines: Lines, examined: _Examined) -> dict[str, Any] | None:
    """The line that stands for the most different sources, numbers aside, where no reference
    repeats one so often.
    """
    rows = _rows_of_repeated(lines, examined.sources)
    if len(rows) < examined.least:
        return None
    usual = max(
        (len(_rows_of_repeated(own, examined.sources)) for own in examined.references), default=0
    )
    if examined.testset.sources is None:
        usual = 0  # the references stand for the sources, and repeat none of them
    return None if len(rows) < 2 * usual else _facts("repeated", rows, lines, examined)


def _rows_of_repeated(lines: Lines, sources: Sequence[str]) -> list[int]:
    """A row for each of the different sources, numbers aside, that have the same line, where these
    are most.
    """
    rows: dict[str, dict[str, int]] = {}
    for row, (line, source) in enumerate(zip(lines, sources, strict=True)):
        if line and line.strip():
            of_sources = rows.setdefault(_NUMBER.sub("0", line.strip()), {})
            of_sources.setdefault(_NUMBER.sub("0", source), row)
    most: dict[str, int] = max(rows.values(), key=len, default={})
    return list(most.values())


def _find_untranslated(lines: Lines, examined: _Examined) -> dict[str, Any] | None:
    """Lines that are the source although no reference is."""
    if examined.testset.sources is None:
        return None
    rows = []
    for row, (line, source) in enumerate(zip(_strip(lines), examined.sources, strict=True)):
        if len(source) < _LONG or line != source:
            continue
        if not any(_is_same_wording(own[row], source) for own in examined.references):
            rows.append(row)
    least = max(_LEAST_LINES, _LEAST_COPIES * examined.testset.n_segments)
    return _facts("copies", rows, lines, examined) if len(rows) >= least else None


def _is_same_wording(first: str, second: str) -> bool:
    """Whether two lines have the same letters and digits."""
    return first == second or _MARKS.sub("", first) == _MARKS.sub("", second)


def _find_entities(lines: Lines, examined: _Examined) -> dict[str, Any] | None:
    """Lines with entities of HTML although neither the source nor a reference has one there."""
    rows = []
    for row, line in enumerate(lines):
        if _has_entity(line) and row not in examined.rows_with_entities:
            rows.append(row)
    least = max(
        _LEAST_ENTITIES,
        _LEAST_SHARE * examined.testset.n_segments,
        3 * len(examined.rows_with_entities),
    )
    return _facts("entities", rows, lines, examined) if len(rows) >= least else None


def _find_foreign(lines: Lines, examined: _Examined) -> dict[str, Any] | None:
    """Lines in another script than the references, where the reference of that line is not, and not
    the source.
    """
    if examined.script is None:
        return None
    rows = []
    for row, line in enumerate(lines):
        if not line or _has_script(line, examined.script) or find_script(line) is None:
            continue
        is_source = line.strip() == examined.sources[row]
        if not is_source and _has_script(examined.references[0][row], examined.script):
            rows.append(row)
    return _facts("script", rows, lines, examined) if len(rows) >= examined.least else None


# -------------------------------------------------------------------------------------------------
# Scripts.


#: What a script is called; Chinese and Japanese share theirs here, as `find_spaceless` tells them
#: apart.
_SCRIPTS = {
    "Latin": r"\p{Script=Latin}",
    "Cyrillic": r"\p{Script=Cyrillic}",
    "Greek": r"\p{Script=Greek}",
    "Arabic": r"\p{Script=Arabic}",
    "Hebrew": r"\p{Script=Hebrew}",
    "Devanagari": r"\p{Script=Devanagari}",
    "Bengali": r"\p{Script=Bengali}",
    "Tamil": r"\p{Script=Tamil}",
    "Armenian": r"\p{Script=Armenian}",
    "Georgian": r"\p{Script=Georgian}",
    "Ethiopic": r"\p{Script=Ethiopic}",
    "Chinese or Japanese": r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]",
    "Korean": r"\p{Script=Hangul}",
    "Thai": r"\p{Script=Thai}",
}
_MOSTLY, _HARDLY = 0.75, 0.1  # shares of letters
_FEW_LETTERS = 10


def find_script(text: str) -> str | None:
    """The script of most letters of a text; None where it is mixed, or there are few letters.

    >>> find_script("Добар дан, свете"), find_script("Dobar dan, svete"), find_script("OK"), find_script("ab где cd жи")
    ('Cyrillic', 'Latin', None, None)
    """
    if text.isascii():
        return "Latin" if sum(map(str.isalpha, text)) >= _FEW_LETTERS else None
    n = _count_letters(text)
    if n < _FEW_LETTERS:
        return None
    for name in _SCRIPTS:
        if _count_letters(text, name) >= _MOSTLY * n:
            return name
    return None


def _has_script(text: str, script: str) -> bool:
    """Whether a text has more than a few letters of a script."""
    if script == "Latin" and len(text.encode("ascii", "ignore")) > 0.5 * len(text):
        return True  # as nearly always, and found without a look at each letter
    return _count_letters(text, script) >= _HARDLY * len(text)


def _count_letters(text: str, script: str | None = None) -> int:
    """The letters of a text, or those of a script."""
    if text.isascii():
        return sum(map(str.isalpha, text)) if script in (None, "Latin") else 0
    return len(_letters(script).findall(text))


@cache
def _letters(script: str | None) -> Any:
    """The pattern of the letters of a script, or of any."""
    import regex  # late: it takes as long to import as the cautions of a small test set

    return regex.compile(r"\p{L}" if script is None else _SCRIPTS[script])


# -------------------------------------------------------------------------------------------------
# The same text in other characters.


_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‘’‚‛‹›′`´", "'"))
#: Serbian, whose two alphabets stand for each other letter by letter.
_CYRILLIC = dict(
    zip(
        "абвгдђежзијклљмнњопрстћуфхцчџш",
        [
            "a",
            "b",
            "v",
            "g",
            "d",
            "đ",
            "e",
            "ž",
            "z",
            "i",
            "j",
            "k",
            "l",
            "lj",
            "m",
            "n",
            "nj",
            "o",
            "p",
            "r",
            "s",
            "t",
            "ć",
            "u",
            "f",
            "h",
            "c",
            "č",
            "dž",
            "š",
        ],
        strict=True,
    )
)
_TO_LATIN = str.maketrans(
    _CYRILLIC | {one.swapcase(): other.title() for one, other in _CYRILLIC.items()}
)


_TO_HALF_WIDTH = str.maketrans(
    {
        char: unicodedata.normalize("NFKC", char)
        for char in map(chr, range(0xFF10, 0xFF5B))
        if char.isalnum()
    }
)


def _compose(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _make_quotes_straight(text: str) -> str:
    return text.translate(_QUOTES)


def _narrow(text: str) -> str:
    """Letters and digits in full width become those in half width; punctuation in full width stays,
    as it is usual.
    """
    return text.translate(_TO_HALF_WIDTH)


def _write_in_latin(text: str) -> str:
    return text.translate(_TO_LATIN)


@dataclass(frozen=True)
class _Fold:
    """What a text becomes where a difference of characters does not count, and which texts it
    changes.
    """

    apply: Callable[[str], str]
    changes: Callable[[str], object]


#: The same in other characters.
FOLDS: Mapping[str, _Fold] = {
    "composition": _Fold(_compose, lambda text: not unicodedata.is_normalized("NFC", text)),
    "width": _Fold(_narrow, re.compile("[\uff10-\uff5a]").search),
    "alphabet": _Fold(_write_in_latin, re.compile("[\u0400-\u045f]").search),
    "quotes": _Fold(_make_quotes_straight, re.compile("[“”„‟«»″‘’‚‛‹›′`´]").search),
}
_WORDS = re.compile(r"\w+|[^\w\s]")
_WORTH_SCORING = 0.005  # share of words that the reference has only after folding
_TOLD = 1.0  # points of BLEU (chrF) that folding adds
_GRAVE, _GRAVE_SHARE = 3.0, 0.1  # points, and share of the score, from which the score says little


def about_characters(testset: TestSet, systems: Mapping[str, Lines]) -> Iterator[Caution]:
    """Warn of outputs that write the same as the references in other characters, with the score
    that they would have if both were written alike: composed and decomposed letters, full width,
    Serbian alphabets, quotation marks; and of Chinese in other characters, which no table here
    turns into each other.
    """
    for sort, fold in FOLDS.items():
        suspects = {
            name: lines for name, lines in systems.items() if _adds_words(lines, testset, fold)
        }
        if suspects:
            yield from _about_fold(testset, suspects, sort, fold.apply)
    yield from _about_chinese(testset, systems)


def _adds_words(lines: Lines, testset: TestSet, fold: _Fold) -> bool:
    """Whether folding both makes clearly more words of the first reference appear in the output."""
    before = after = total = 0
    reference = next(iter(testset.references.values()))
    step = max(1, len(reference) // _LOOKED)
    for ours, theirs in zip(lines[::step], reference[::step], strict=True):
        if not ours or not theirs:
            continue
        total += len(theirs.split())
        if fold.changes(ours) or fold.changes(theirs):
            before += _count_common(ours, theirs)
            after += _count_common(fold.apply(ours), fold.apply(theirs))
    return after - before > _WORTH_SCORING * total


def _count_common(first: str, second: str) -> int:
    return (Counter(_WORDS.findall(first)) & Counter(_WORDS.findall(second))).total()


def _about_fold(
    testset: TestSet, suspects: Mapping[str, Lines], sort: str, fold: Callable[[str], str]
) -> Iterator[Caution]:
    """Score the outputs as they are and folded; a warning of those whose score is far off, and one
    of the others.
    """
    before, metric = _score(testset, suspects, None)
    after, _ = _score(testset, suspects, fold)
    gains = {name: after[name] - before[name] for name in suspects}
    told = sorted(
        (name for name in suspects if gains[name] >= _TOLD), key=lambda name: -gains[name]
    )
    grave = [name for name in told if gains[name] >= max(_GRAVE, _GRAVE_SHARE * before[name])]
    others = [name for name in told if name not in grave]
    for code, names in (("other-characters", grave), ("some-characters", others)):
        if not names:
            continue
        worst = names[0]
        facts = {
            "sort": sort,
            "systems": names,
            "metric": metric,
            "worst": worst,
            "before": before[worst],
            "after": after[worst],
            **_find_example(testset, suspects[worst], fold),
        }
        yield Caution(code, facts, a=worst if len(names) == 1 else None)


def _score(
    testset: TestSet, systems: Mapping[str, Lines], fold: Callable[[str], str] | None
) -> tuple[dict[str, float], str]:
    """The scores of some outputs, by BLEU, or by chrF where the tokenizer of BLEU is not installed;
    and which it is.
    """

    def fold_lines(lines: Lines) -> Any:
        if fold is None:
            return lines
        return [None if text is None else fold(text) for text in lines]

    folded = TestSet(
        testset.name,
        {name: fold_lines(lines) for name, lines in systems.items()},
        {name: fold_lines(lines) for name, lines in testset.references.items()},
        langpair=testset.langpair,
        tokenizer=testset.tokenizer,
    )
    metric = resolve_metric(folded, "bleu")
    if lacks_tokenizer(metric, folded):
        metric = resolve_metric(folded, "chrf")
    scores = metric.score(metric.statistics(folded).sum(axis=1))
    return {
        name: float(score) for name, score in zip(folded.systems, scores, strict=True)
    }, metric.name


def _find_example(testset: TestSet, lines: Lines, fold: Callable[[str], str]) -> dict[str, Any]:
    """The first line where a word is the same only after folding: its number, the word of the
    output and of the reference.
    """
    reference = next(iter(testset.references.values()))
    for row, (ours, theirs) in enumerate(zip(lines, reference, strict=True)):
        words = {fold(word): word for word in _WORDS.findall(theirs or "")}
        for word in _WORDS.findall(ours or ""):
            other = words.get(fold(word), word)
            if other != word:
                return {
                    "line": testset.lines[row],
                    "ours": show_name(word),
                    "theirs": show_name(other),
                }
    return {"line": None, "ours": "", "theirs": ""}


# -- Traditional and simplified Chinese -----------------------------------------------------------


_CLEARLY = 0.8  # share of the characters of one kind only
_LEAST_TELLING = 20


def _about_chinese(testset: TestSet, systems: Mapping[str, Lines]) -> Iterator[Caution]:
    """Warn of an output in simplified characters where the reference is in traditional ones, or the
    other way round.
    """
    expected = find_characters(next(iter(testset.references.values())))
    if expected is None:
        return
    for name, lines in systems.items():
        found = find_characters(lines)
        if found is not None and found != expected:
            facts = {"ours": found, "theirs": expected}
            yield Caution("other-chinese", facts, a=name, remedies=({"exclude": name},))


def find_characters(lines: Lines) -> str | None:
    """Whether a text is in simplified or traditional Chinese characters; None where it is neither.

    The older standards of either have only their own: GB 2312 simplified, Big5 traditional
    characters.

    >>> find_characters(["这些书对学习汉语来说很重要，我们应该认真读"] * 2)
    'simplified'
    >>> find_characters(["這些書對學習漢語來說很重要，我們應該認真讀"] * 2)
    'traditional'
    """
    counts = Counter[str]()
    for char, n in Counter("".join(line for line in lines if line and not line.isascii())).items():
        if "\u4e00" <= char <= "\u9fff":
            simplified, traditional = _can_encode(char, "gb2312"), _can_encode(char, "big5")
            if simplified != traditional:
                counts["simplified" if simplified else "traditional"] += n
    [(most, n)] = counts.most_common(1) or [("", 0)]
    return most if n >= max(_LEAST_TELLING, _CLEARLY * counts.total()) else None


def _can_encode(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
