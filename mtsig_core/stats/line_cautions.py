"""Facts about lines of an output.

One line for many sources, the source itself, another script, the same text in other characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

from mtsig_core.caution import Caution
from mtsig_core.metrics import lacks_tokenizer, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.testset import TestSet, show_name

Lines = Sequence[str | None]
_Facts = dict[str, Any]

#: Least number and share of lines before mtsig warns of a fault of single lines.
_LEAST_LINES = 5
_LEAST_SHARE = 0.01
#: Share of lines that repeat the source: good systems leave up to 0.013 untranslated.
_LEAST_COPIES = 0.02
_LEAST_ENTITIES = 3  # lines: no translator writes one
_MANY = 0.05  # share of lines from which the score says little of the system
_LONG = 20  # characters from which a line that equals the source was not translated
_EXAMPLE = 60  # characters of a line in an example
_N_EXAMINED = 500  # lines that show whether a closer look is worth it

_NUMBER = re.compile(r"[0-9]+")
_MARKS = re.compile(r"\W+")
#: An entity of HTML.
ENTITY = re.compile(r"&(?:amp|quot|apos|lt|gt|nbsp|#\d{2,4}|#x[0-9a-f]{2,4});", re.IGNORECASE)


def about_lines(testset: TestSet, systems: Mapping[str, Lines]) -> Iterator[Caution]:
    """Warn of outputs with faulty lines.

    One line stands for many sources, or lines are copies of the source, have entities of HTML, or
    are in another script than the references.
    """
    texts = _ComparedTexts(testset)
    for name, lines in systems.items():
        for find in (_find_repeated, _find_untranslated, _find_entities, _find_foreign):
            facts = find(lines, texts)
            if facts is None:
                continue
            if facts["n"] >= _MANY * testset.n_segments:
                yield Caution("faulty-lines", facts, a=name, remedies=({"exclude": name},))
            else:
                yield Caution("few-faulty-lines", facts, a=name)


@dataclass(frozen=True, eq=False)
class _ComparedTexts:
    """The texts that the lines of an output are compared with."""

    testset: TestSet

    @cached_property
    def references(self) -> list[list[str]]:
        """The references without spaces around each line."""
        return [strip_texts(lines) for lines in self.testset.references.values()]

    @cached_property
    def sources(self) -> list[str]:
        """The sources, or the first reference, whose lines differ where the sources do."""
        lines = self.testset.sources
        if lines is None:
            return self.references[0]
        return strip_texts(lines)

    @cached_property
    def sources_without_numbers(self) -> list[str]:
        """The sources with 0 for each number; found once, as each system asks for them."""
        return [_NUMBER.sub("0", source) for source in self.sources]

    @cached_property
    def script(self) -> str | None:
        """The script of the first reference."""
        step = max(1, len(self.references[0]) // _N_EXAMINED)
        return find_script(" ".join(self.references[0][::step]))

    @cached_property
    def rows_with_entities(self) -> set[int]:
        """Find segments whose source or reference has an HTML entity as part of the text."""
        rows: set[int] = set()
        for lines in (self.sources, *self.references):
            rows.update(_list_entities(lines))
        return rows

    def describe(self, kind: str, rows: Sequence[int], lines: Lines, least: float) -> _Facts | None:
        """The rows with a fault: how many of how many, and an example; None of few."""
        if len(rows) < least:
            return None
        text = lines[rows[0]] or ""
        if len(text) > _EXAMPLE:
            text = f"{text[:_EXAMPLE]}..."
        return {
            "sort": kind,
            "n": len(rows),
            "n_lines": self.testset.n_segments,
            "line": self.testset.lines[rows[0]],
            "example": show_name(text),
        }

    def find_least(self, n: float, share: float = _LEAST_SHARE) -> float:
        """The least number of faulty lines to warn of."""
        return max(n, share * self.testset.n_segments)


def strip_texts(texts: Iterable[str | None]) -> list[str]:
    """Return texts without spaces at their ends; missing ones are empty."""
    return [(text or "").strip() for text in texts]


def _find_repeated(lines: Lines, texts: _ComparedTexts) -> _Facts | None:
    """The line that stands for the most different sources, numbers aside.

    None where a reference repeats one nearly as often.
    """
    rows = _list_repeated(lines, texts.sources_without_numbers)
    least = texts.find_least(_LEAST_LINES)
    if len(rows) >= least and texts.testset.sources is not None:
        for reference in texts.references:
            least = max(least, 2 * len(_list_repeated(reference, texts.sources_without_numbers)))
    return texts.describe("repeated", rows, lines, least)


def _list_repeated(lines: Lines, sources: Sequence[str]) -> list[int]:
    """A row for each of the different sources that have the most frequent line, numbers aside.

    The sources have 0 for each number.
    """
    rows: dict[str, dict[str, int]] = {}
    for row, (line, source) in enumerate(zip(lines, sources, strict=True)):
        if line and line.strip():
            rows_of_sources = rows.setdefault(_NUMBER.sub("0", line.strip()), {})
            rows_of_sources.setdefault(source, row)
    most: dict[str, int] = max(rows.values(), key=len, default={})
    return list(most.values())


def _find_untranslated(lines: Lines, texts: _ComparedTexts) -> _Facts | None:
    """Lines that are the source although no reference is."""
    if texts.testset.sources is None:
        return None
    rows = []
    for row, (line, source) in enumerate(zip(strip_texts(lines), texts.sources, strict=True)):
        if len(source) >= _LONG and line == source:
            wording = _MARKS.sub("", source)
            if all(_MARKS.sub("", reference[row]) != wording for reference in texts.references):
                rows.append(row)
    least = texts.find_least(_LEAST_LINES, _LEAST_COPIES)
    return texts.describe("copies", rows, lines, least)


def _find_entities(lines: Lines, texts: _ComparedTexts) -> _Facts | None:
    """Lines with entities of HTML although neither the source nor a reference has one there."""
    usual = texts.rows_with_entities
    rows = [row for row in _list_entities(lines) if row not in usual]
    least = max(texts.find_least(_LEAST_ENTITIES), 3 * len(usual))
    return texts.describe("entities", rows, lines, least)


def _list_entities(lines: Lines) -> list[int]:
    rows = []
    for row, text in enumerate(lines):
        if text is not None and "&" in text and ENTITY.search(text) is not None:
            rows.append(row)
    return rows


def _find_foreign(lines: Lines, texts: _ComparedTexts) -> _Facts | None:
    """Lines in another script than the references, where the reference is not, and not the source."""
    script = texts.script
    if script is None:
        return None
    rows = []
    for row, line in enumerate(lines):
        if not line or _has_script(line, script) or find_script(line) is None:
            continue
        is_source = line.strip() == texts.sources[row]
        if not is_source and _has_script(texts.references[0][row], script):
            rows.append(row)
    return texts.describe("script", rows, lines, texts.find_least(_LEAST_LINES))


# -------------------------------------------------------------------------------------------------
# Scripts.


#: Names of scripts; Chinese and Japanese share one here, as `find_spaceless` tells them apart.
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
    """Count the letters of a text, or only the letters of a script."""
    if text.isascii():
        if script in (None, "Latin"):
            return sum(map(str.isalpha, text))
        return 0
    return len(_compile_letters(script).findall(text))


@cache
def _compile_letters(script: str | None) -> Any:
    """The pattern of the letters of a script, or of any."""
    import regex  # late: it takes as long to import as the cautions of a small test set

    return regex.compile(r"\p{L}" if script is None else _SCRIPTS[script])


# -------------------------------------------------------------------------------------------------
# The same text in other characters.


_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‘’‚‛‹›′`´", "'"))
#: Serbian, whose two alphabets stand for each other letter by letter.
_CYRILLIC = dict(zip("абвгдђежзијклмнопрстћуфхцчш", "abvgdđežzijklmnoprstćufhcčš", strict=True))
_CYRILLIC |= {"љ": "lj", "њ": "nj", "џ": "dž"}
_CAPITALS = {cyrillic.swapcase(): latin.title() for cyrillic, latin in _CYRILLIC.items()}
_TO_LATIN = str.maketrans(_CYRILLIC | _CAPITALS)
_FULL_WIDTH = [char for char in map(chr, range(0xFF10, 0xFF5B)) if char.isalnum()]
_TO_HALF_WIDTH = str.maketrans({char: unicodedata.normalize("NFKC", char) for char in _FULL_WIDTH})


def _compose(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _is_decomposed(text: str) -> bool:
    return not unicodedata.is_normalized("NFC", text)


def _make_quotes_straight(text: str) -> str:
    return text.translate(_QUOTES)


def _narrow(text: str) -> str:
    """Letters and digits in half width; punctuation stays in full width, as is usual."""
    return text.translate(_TO_HALF_WIDTH)


def _write_in_latin(text: str) -> str:
    return text.translate(_TO_LATIN)


_Fold = Callable[[str], str]


class _Folding(NamedTuple):
    """Texts after folding, where characters do not count, and the texts that folding changes."""

    fold: _Fold
    changes: Callable[[str], object]


FOLDINGS: Mapping[str, _Folding] = {
    "composition": _Folding(_compose, _is_decomposed),
    "width": _Folding(_narrow, re.compile("[\uff10-\uff5a]").search),
    "alphabet": _Folding(_write_in_latin, re.compile("[\u0400-\u045f]").search),
    "quotes": _Folding(_make_quotes_straight, re.compile("[“”„‟«»″‘’‚‛‹›′`´]").search),
}
_WORDS = re.compile(r"\w+|[^\w\s]")
_WORTH_SCORING = 0.005  # share of words that the reference has only after folding
_LEAST_GAIN = 1.0  # points of BLEU (chrF) that folding adds
_GRAVE, _GRAVE_SHARE = 3.0, 0.1  # points, and share of the score, from which the score says little


def about_characters(testset: TestSet, systems: Mapping[str, Lines]) -> Iterator[Caution]:
    """Warn of outputs that write the same as the references in other characters.

    Such are composed and decomposed letters, full width, Serbian alphabets and quotation marks; the
    caution has the score that an output would have if both were written alike. Also of Chinese in
    other characters, which no table here turns into each other.
    """
    for kind, folding in FOLDINGS.items():
        sample = _Sample(testset, folding)
        suspects = {name: lines for name, lines in systems.items() if sample.adds_words(lines)}
        if suspects:
            yield from _about_folding(testset, suspects, kind, folding)
    yield from _about_chinese(testset, systems)


class _Sample:
    """Lines of the first reference, with their words before and after folding.

    Words are counted once, not again for each system, which took a fifth of the time of a
    comparison of 26 systems.
    """

    def __init__(self, testset: TestSet, folding: _Folding):
        reference = next(iter(testset.references.values()))
        self.folding = folding
        self.step = max(1, len(reference) // _N_EXAMINED)
        self.lines = reference[:: self.step]

    @cached_property
    def is_changed(self) -> bool:
        return _changes_any(self.folding, self.lines)

    @cached_property
    def rows(self) -> list[_SampleRow]:
        return [_SampleRow(line or "", self.folding) for line in self.lines]

    def adds_words(self, lines: Lines) -> bool:
        """Whether folding makes clearly more words of the reference appear in an output."""
        lines = lines[:: self.step]
        if not self.is_changed and not _changes_any(self.folding, lines):
            return False
        fold, changes = self.folding
        n_added = n_words = 0
        for line, row in zip(lines, self.rows, strict=True):
            if not line:
                continue
            n_words += row.n_words
            is_changed = changes(line)
            if not is_changed and not row.is_changed:
                continue
            words = _count_words(line)
            n_added -= _count_common(words, row.words)
            if is_changed:
                words = _count_words(fold(line))
            n_added += _count_common(words, row.folded_words)
        return n_added > _WORTH_SCORING * n_words


@dataclass(frozen=True, eq=False)
class _SampleRow:
    """A line of the reference, empty without one."""

    text: str
    folding: _Folding

    @cached_property
    def n_words(self) -> int:
        return len(self.text.split())

    @cached_property
    def is_changed(self) -> bool:
        """Whether folding changes it."""
        return bool(self.folding.changes(self.text))

    @cached_property
    def words(self) -> Counter[str]:
        return _count_words(self.text)

    @cached_property
    def folded_words(self) -> Counter[str]:
        if not self.is_changed:
            return self.words
        return _count_words(self.folding.fold(self.text))


def _changes_any(folding: _Folding, lines: Lines) -> bool:
    """Whether folding changes a line; one search in all lines is ten times as fast as many."""
    return bool(folding.changes("\n".join(filter(None, lines))))


def _count_words(text: str) -> Counter[str]:
    return Counter(_WORDS.findall(text))


def _count_common(words: Counter[str], other_words: Counter[str]) -> int:
    """Count what `words & other_words` has, in a third of its time."""
    common = words.keys() & other_words.keys()
    return sum(min(words[word], other_words[word]) for word in common)


def _about_folding(
    testset: TestSet, suspects: Mapping[str, Lines], kind: str, folding: _Folding
) -> Iterator[Caution]:
    """Warn of the outputs that score higher folded, and more so where their score is far off."""
    before, after, metric = _score(testset, suspects, folding)
    gains = {name: after[name] - before[name] for name in suspects}
    grave = []
    slight = []
    for name in sorted(suspects, key=gains.__getitem__, reverse=True):
        if gains[name] < _LEAST_GAIN:
            break
        if gains[name] >= max(_GRAVE, _GRAVE_SHARE * before[name]):
            grave.append(name)
        else:
            slight.append(name)
    for code, names in (("other-characters", grave), ("some-characters", slight)):
        if not names:
            continue
        worst = names[0]
        facts = {
            "sort": kind,
            "systems": names,
            "metric": metric,
            "worst": worst,
            "before": before[worst],
            "after": after[worst],
            **_find_example(testset, suspects[worst], folding.fold),
        }
        yield Caution(code, facts, a=worst if len(names) == 1 else None)


def _score(
    testset: TestSet, systems: Mapping[str, Any], folding: _Folding
) -> tuple[dict[str, float], dict[str, float], str]:
    """The scores of some outputs as they are and folded, and the metric.

    It is BLEU, or chrF where the tokenizer of BLEU is not installed.
    """
    plain = TestSet(
        testset.name,
        systems,
        testset.references,
        langpair=testset.langpair,
        tokenizer=testset.tokenizer,
    )
    metric = resolve_metric(plain, "bleu")
    if lacks_tokenizer(metric, plain):
        metric = resolve_metric(plain, "chrf")
    statistics = cached_statistics(metric, plain)
    totals = statistics.sum(axis=1)
    # Only segments that folding changes are counted again: a third of them in German.
    rows = _find_changed(plain, folding)
    changed = plain.take(rows)
    folded = replace(
        changed,
        systems=_fold_texts(changed.systems, folding.fold),
        references=_fold_texts(changed.references, folding.fold),
    )
    added = cached_statistics(metric, folded).sum(axis=1) - statistics[:, rows].sum(axis=1)
    before = metric.score(totals).tolist()
    after = metric.score(totals + added).tolist()
    names = list(systems)
    return (
        dict(zip(names, before, strict=True)),
        dict(zip(names, after, strict=True)),
        metric.name,
    )


def _find_changed(testset: TestSet, folding: _Folding) -> list[int]:
    """The segments in which folding changes an output or a reference."""
    rows: set[int] = set()
    for lines in (*testset.systems.values(), *testset.references.values()):
        rows.update(row for row, line in enumerate(lines) if line and folding.changes(line))
    return sorted(rows)


def _fold_texts(texts: Mapping[str, Lines], fold: _Fold) -> dict[str, Any]:
    folded = {}
    for name, lines in texts.items():
        folded[name] = [None if line is None else fold(line) for line in lines]
    return folded


def _find_example(testset: TestSet, lines: Lines, fold: _Fold) -> dict[str, Any]:
    """The first line where a word is the same only after folding, with the word of both."""
    reference = next(iter(testset.references.values()))
    for row, (line, text) in enumerate(zip(lines, reference, strict=True)):
        words = {fold(word): word for word in _WORDS.findall(text or "")}
        for word in _WORDS.findall(line or ""):
            reference_word = words.get(fold(word), word)
            if reference_word != word:
                return {
                    "line": testset.lines[row],
                    "ours": show_name(word),
                    "theirs": show_name(reference_word),
                }
    return {"line": None, "ours": "", "theirs": ""}


# Traditional and simplified Chinese.


_CLEARLY = 0.8  # share of the characters of one kind only
_LEAST_TELLING = 20


def _about_chinese(testset: TestSet, systems: Mapping[str, Lines]) -> Iterator[Caution]:
    """Warn of simplified characters where the reference has traditional ones, or vice versa."""
    expected = find_characters(next(iter(testset.references.values())))
    if expected is None:
        return
    for name, lines in systems.items():
        characters = find_characters(lines)
        if characters not in (None, expected):
            facts = {"ours": characters, "theirs": expected}
            yield Caution("other-chinese", facts, a=name, remedies=({"exclude": name},))


def find_characters(lines: Lines) -> str | None:
    """Whether a text is in simplified or traditional Chinese characters; None where in neither.

    The older standards of either have only their own: GB 2312 simplified, Big5 traditional
    characters.

    >>> find_characters(["这些书对学习汉语来说很重要，我们应该认真读"] * 2)
    'simplified'
    >>> find_characters(["這些書對學習漢語來說很重要，我們應該認真讀"] * 2)
    'traditional'
    """
    counts = {"simplified": 0, "traditional": 0}
    text = "".join(line for line in lines if line and not line.isascii())
    for char, n in Counter(text).items():
        if "\u4e00" <= char <= "\u9fff":
            is_simplified = _can_encode(char, "gb2312")
            if is_simplified != _can_encode(char, "big5"):
                counts["simplified" if is_simplified else "traditional"] += n
    kind = max(counts, key=counts.__getitem__)
    least = max(_LEAST_TELLING, _CLEARLY * sum(counts.values()))
    if counts[kind] >= least:
        return kind
    return None


def _can_encode(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
