"""Lines of outputs that are worth a look: empty, untranslated, in another language, cut, repeated.

An output is compared with its companions: the references, and the other outputs, of the same
segment. What a reference has, or half of the other outputs, is the nature of the segment and no
fault of one output. So a name that stays as it is, a headline without a full stop, or a word of
English in a German text are not counted.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from typing import Any

import numpy as np

from mtsig_core.stats.file_cautions import find_shared_start
from mtsig_core.stats.line_cautions import ENTITY, find_script, strip_texts
from mtsig_core.testset import TestSet

_LONG = 20  # characters of a line that says more than a name or a number
_NUMBER = re.compile(r"[0-9]+")
_MARKS = re.compile(r"[\W_]+")
#: A word, or a character of a script without spaces.
_WORDS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff]|[^\\W\\d_]+")
#: How a line ends that is whole. Thai, Lao and Burmese end without a mark.
_END = re.compile(r"""[^\w\s,，、]["'»”’)\]]*$""")


@dataclass(frozen=True)
class LineFault:
    """Lines of one output with the same fault."""

    kind: str  # a key of `FINDERS`
    system: str
    lines: tuple[int, ...]  # their numbers
    n_lines: int  # of the test set
    example: str  # the first of these lines
    detail: str = ""  # the languages, or the text that was added


@dataclass(frozen=True)
class _Finding:
    """Rows of one output with a fault, of shape (rows,)."""

    output: int
    rows: np.ndarray
    detail: str = ""


@dataclass(frozen=True, eq=False)
class _Texts:
    """The outputs of a test set, and their companions."""

    testset: TestSet

    @cached_property
    def systems(self) -> dict[str, list[str]]:
        """The outputs by system, without systems that have only scores."""
        outputs = {}
        for name, lines in self.testset.systems.items():
            if any(line is not None for line in lines):
                outputs[name] = strip_texts(lines)
        return outputs

    @cached_property
    def has_text(self) -> np.ndarray:
        """Where an output is known, empty or not: raters see only some, (outputs, segments)."""
        has_text = np.zeros((len(self.systems), self.testset.n_segments), dtype=bool)
        for output, name in enumerate(self.systems):
            has_text[output] = [line is not None for line in self.testset.systems[name]]
        return has_text

    @property
    def outputs(self) -> list[list[str]]:
        return list(self.systems.values())

    @cached_property
    def references(self) -> list[list[str]]:
        return [strip_texts(lines) for lines in self.testset.references.values()]

    @cached_property
    def sources(self) -> list[str] | None:
        if self.testset.sources is None:
            return None
        return strip_texts(self.testset.sources)

    @property
    def all(self) -> list[list[str]]:
        """The outputs, then the references."""
        return [*self.outputs, *self.references]

    @property
    def originals(self) -> list[str] | None:
        """Texts that differ where the sources differ: the sources, or a reference."""
        if self.sources is None and self.references:
            return self.references[0]
        return self.sources

    def measure(self, measure_line: Callable[[str], float]) -> np.ndarray:
        """Measure each line of outputs and references, of shape (texts, segments)."""
        measures = np.empty((len(self.all), self.testset.n_segments))
        for text, lines in enumerate(self.all):
            measures[text] = [measure_line(line) for line in lines]
        return measures

    def mark(self, is_marked: Callable[[str, int], object]) -> np.ndarray:
        """Mark lines of outputs and references, by the line and its row, (texts, segments)."""
        marks = np.zeros((len(self.all), self.testset.n_segments), dtype=bool)
        for text, lines in enumerate(self.all):
            marks[text] = [bool(is_marked(line, row)) for row, line in enumerate(lines)]
        return marks

    def select_odd(self, marks: np.ndarray) -> np.ndarray:
        """Keep the marks that no reference and fewer than half of the other outputs share.

        From (texts, segments) to (outputs, segments).
        """
        n_outputs = len(self.outputs)
        in_outputs = marks[:n_outputs] & self.has_text
        in_reference = marks[n_outputs:].any(axis=0)
        n_others = self.has_text.sum(axis=0) - self.has_text
        n_others_marked = in_outputs.sum(axis=0) - in_outputs
        is_usual = in_reference | (2 * n_others_marked >= np.maximum(1, n_others))
        odd: np.ndarray = in_outputs & ~is_usual
        return odd


def find_line_faults(testset: TestSet) -> tuple[LineFault, ...]:
    """Find the lines of each output that are worth a look, by the kind of fault.

    >>> texts = {"A": ["ein Satz", ""], "B": ["ein Satz", "und noch ein Satz"]}
    >>> [fault] = find_line_faults(TestSet("toy", texts, {"ref": ["ein Satz", "und noch einer"]}))
    >>> fault.kind, fault.system, fault.lines
    ('empty', 'A', (2,))
    """
    texts = _Texts(testset)
    names = list(texts.systems)
    if not names:
        return ()
    faults = []
    for kind, finder in FINDERS.items():
        for finding in finder.find(texts):
            if len(finding.rows) < finder.least:
                continue
            fault = LineFault(
                kind,
                names[finding.output],
                tuple(testset.lines[row] for row in finding.rows),
                testset.n_segments,
                texts.outputs[finding.output][finding.rows[0]],
                finding.detail,
            )
            faults.append(fault)
    return tuple(faults)


def _list_findings(odd: np.ndarray) -> Iterator[_Finding]:
    """The marked rows of each output, from (outputs, segments)."""
    for output, marks in enumerate(odd):
        yield _Finding(output, np.flatnonzero(marks))


def _find_empty(texts: _Texts) -> Iterator[_Finding]:
    """Lines without a text."""
    return _list_findings(texts.select_odd(texts.mark(lambda line, _: not line)))


def _find_untranslated(texts: _Texts) -> Iterator[_Finding]:
    """Lines with the words of the source."""
    if texts.sources is None:
        return
    wordings = [_MARKS.sub("", source).casefold() for source in texts.sources]

    def is_source(line: str, row: int) -> bool:
        if len(wordings[row]) < _LONG:
            return False
        return _MARKS.sub("", line).casefold() == wordings[row]

    yield from _list_findings(texts.select_odd(texts.mark(is_source)))


# -------------------------------------------------------------------------------------------------
# Another language.

_SURE = 0.9  # confidence of the identifier
_KNOWN = 0.5  # share of known words from which a line is in the language of its companions
_HOME = 0.6  # share of lines from which a language is that of the translations
_USUAL = 0.01  # share of lines that references may have in another language
_N_IDENTIFIED = 300  # lines that show the language of the translations
_NO_LANGUAGE = "zxx"


def _find_foreign(texts: _Texts) -> Iterator[_Finding]:
    """Lines in another language than the translations, or in another script."""
    languages = _identify_odd_lines(texts)
    marks = np.array(languages) != ""
    for finding in _list_findings(texts.select_odd(marks)):
        counts = Counter(languages[finding.output][row] for row in finding.rows)
        detail = ", ".join(f"{language}: {n}" for language, n in counts.most_common(3))
        yield _Finding(finding.output, finding.rows, detail)


def _identify_odd_lines(texts: _Texts) -> list[list[str]]:
    """The language of each line that is not in the language of the translations, else ''.

    Only lines with few words of their companions are identified: it takes half a millisecond.
    """
    translations = texts.references or texts.outputs
    script = find_script(" ".join(_spread(translations[0])))
    usual = _list_usual_languages(translations)
    vocabulary = _collect_vocabulary(texts)
    languages = []
    for lines in texts.all:
        row = []
        for line in lines:
            language = ""
            if len(line) >= _LONG and _share_known(line, vocabulary) < _KNOWN:
                language = _name_language(line, script, usual)
            row.append(language)
        languages.append(row)
    return languages


def _spread(lines: Sequence[str]) -> Sequence[str]:
    """Some lines from all over a text."""
    return lines[:: max(1, len(lines) // _N_IDENTIFIED)]


def _list_usual_languages(translations: Sequence[Sequence[str]]) -> frozenset[str]:
    """Languages that the identifier gives to translations; none where it gives them several."""
    counts: Counter[str] = Counter()
    for lines in translations:
        identified = [identify_language(line) for line in _spread(lines) if len(line) >= _LONG]
        counts.update(language for language in identified if language is not None)
    if not counts or max(counts.values()) < _HOME * counts.total():
        return frozenset()
    return frozenset(name for name, n in counts.items() if n >= _USUAL * counts.total())


def _name_language(line: str, script: str | None, usual: frozenset[str]) -> str:
    """The language or script of a line that is in another one than the translations, else ''."""
    if usual:
        language = identify_language(line)
        if language is not None and language not in usual:
            return language
    line_script = find_script(line)
    if None not in (script, line_script) and line_script != script:
        return f"{line_script} script"
    return ""


def _collect_vocabulary(texts: _Texts) -> frozenset[str]:
    """Words that a reference has, or more than half of the outputs."""
    counts: Counter[str] = Counter()
    for lines in texts.outputs:
        counts.update(_list_words(lines))
    vocabulary = {word for word, n in counts.items() if 2 * n > len(texts.outputs)}
    return frozenset(vocabulary.union(*map(_list_words, texts.references)))


def _list_words(lines: Sequence[str]) -> set[str]:
    return set(_WORDS.findall("\n".join(lines)))


def _share_known(line: str, vocabulary: frozenset[str]) -> float:
    words = _WORDS.findall(line)
    return sum(word in vocabulary for word in words) / max(1, len(words))


def identify_language(text: str) -> str | None:
    """The ISO 639-1 code of the language of a text; None where it is not clear.

    >>> identify_language("Das ist ein Satz in deutscher Sprache"), identify_language("OK 12")
    ('de', None)
    """
    language, confidence = _load_identifier().classify(text)
    if confidence < _SURE or language == _NO_LANGUAGE:
        return None
    return str(language)


@cache
def _load_identifier() -> Any:
    """The identifier of languages, which takes a second to load."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    if hasattr(LanguageIdentifier, "from_model_file"):
        load = LanguageIdentifier.from_model_file
    else:  # before py3langid 0.4, which needs numpy 2
        load = LanguageIdentifier.from_pickled_model
    return load(MODEL_FILE, norm_probs=True)


# -------------------------------------------------------------------------------------------------
# Lines that are cut, or that repeat.

_SHORTER, _MUCH_SHORTER = 0.7, 0.3  # lengths as shares of those of the companions
_LONG_ENOUGH = 40  # bytes of the companions of a line that can be called cut
_SQUEEZED = 2.5  # how much better than its companions a line can be compressed that runs in a loop
_LOOPS = 100  # characters


def _find_truncated(texts: _Texts) -> Iterator[_Finding]:
    """Lines that are shorter than their companions, and end without a mark where these have one."""
    lengths = texts.measure(lambda line: len(line.encode()))
    lengths[lengths == 0] = np.nan
    usual_length = _take_median(lengths, axis=0)
    ratios = lengths / usual_length
    ratios /= _take_median(ratios, axis=1)[:, np.newaxis]
    has_no_end = texts.mark(lambda line, _: line and _END.search(line) is None)
    is_cut = has_no_end & (ratios < _SHORTER)
    is_cut |= ratios < _MUCH_SHORTER
    is_cut &= usual_length >= _LONG_ENOUGH
    return _list_findings(texts.select_odd(is_cut))


def _take_median(values: np.ndarray, axis: int) -> np.ndarray:
    """The median without missing values; infinite where all are missing."""
    is_missing = np.isnan(values).all(axis=axis, keepdims=True)
    medians: np.ndarray = np.nanmedian(np.where(is_missing, np.inf, values), axis=axis)
    return medians


def _find_loops(texts: _Texts) -> Iterator[_Finding]:
    """Lines that repeat a word or a phrase many times: a compressor makes them much shorter."""

    def measure_compression(line: str) -> float:
        data = line.encode()
        if len(data) < _LOOPS:
            return 1.0
        return len(data) / len(zlib.compress(data))

    ratios = texts.measure(measure_compression)
    is_loop = ratios > _SQUEEZED * np.median(ratios, axis=0)
    return _list_findings(texts.select_odd(is_loop))


def _find_repeated(texts: _Texts) -> Iterator[_Finding]:
    """Lines with the text of another line whose source differs, numbers aside."""
    originals = texts.originals
    if originals is None:
        return
    is_repeated = np.zeros((len(texts.all), len(originals)), dtype=bool)
    for text, lines in enumerate(texts.all):
        rows_by_line: dict[str, list[int]] = defaultdict(list)
        for row, line in enumerate(lines):
            if len(line) >= _LONG:
                rows_by_line[_NUMBER.sub("0", line)].append(row)
        for rows in rows_by_line.values():
            if len({_NUMBER.sub("0", originals[row]) for row in rows}) > 1:
                is_repeated[text, _list_repeats(rows)] = True
    yield from _list_findings(texts.select_odd(is_repeated))


def _list_repeats(rows: list[int]) -> list[int]:
    """The later of two rows with the same line; of more, all: no source is likely to be the right one."""
    if len(rows) == 2:
        return rows[1:]
    return rows


# -------------------------------------------------------------------------------------------------
# Text that was added.

_N_STARTS = 3  # of each line
_OFTEN = 5  # times as often as in each companion
_LEAST_SHARED = 0.01  # share of lines
_PUNCTUATION = re.compile(r"[\s\"'“”„«»‘’—–-]*")  # a start that is a style of dialogues
_GO_ON = 0.5  # share of the lines that go on as a companion begins
#: What language models write around a translation.
_REMARK = re.compile(
    r"</?think|<\|\w+\|>|```"
    r"|^(?:(?:sure|certainly|of course|okay|ok)[,.!] )?(?:here(?:'s| is| are) (?:the|a|my)\b|let(?:'s| me) \w+)"
    r"|^i(?:'m sorry| apologi[sz]e| can(?:'t|not)|'ll| will) |\bas an ai\b"
    r"|\b(?:note|translation|explanation)s?: |\b(?:this|the) translation\b",
    re.IGNORECASE,
)


def _find_added(texts: _Texts) -> Iterator[_Finding]:
    """Lines with the same start, after which they go on as a companion begins."""
    masked = [list(map(_mask, lines)) for lines in texts.all]
    starts = [_count_starts(lines) for lines in masked]
    least = max(FINDERS["added"].least, _LEAST_SHARED * texts.testset.n_segments)
    for output in range(len(texts.outputs)):
        lines = masked[output]
        companions = masked[:output] + masked[output + 1 :]
        other_starts = starts[:output] + starts[output + 1 :]
        start = _pick_start(starts[output], other_starts, least)
        if start is None:
            continue
        added = find_shared_start([line for line in lines if line.startswith(start)])
        rows = [row for row, line in enumerate(lines) if line.startswith(added)]
        n_going_on = 0
        for row in rows:
            beginnings = {_find_word(companion[row]) for companion in companions}
            remainder = lines[row].removeprefix(added)
            n_going_on += _find_word(remainder) in beginnings
        if n_going_on >= _GO_ON * len(rows):
            yield _Finding(output, np.array(rows), added.strip())


def _mask(line: str) -> str:
    return _NUMBER.sub("0", line)


def _find_word(line: str) -> str:
    """The first word of a line, or its first character in scripts without spaces."""
    word = _WORDS.search(line)
    return "" if word is None else word[0]


def _count_starts(lines: Sequence[str]) -> Counter[str]:
    """How many lines have the same text before their first, second or third word."""
    counts: Counter[str] = Counter()
    for line in lines:
        for word in islice(_WORDS.finditer(line), _N_STARTS):
            counts[line[: word.start()]] += 1
    del counts[""]
    return counts


def _pick_start(
    counts: Counter[str], other_counts: Sequence[Mapping[str, int]], least: float
) -> str | None:
    """The most frequent start that no other text has nearly so often."""
    for start, n in counts.most_common():
        if n < least:
            break
        if _PUNCTUATION.fullmatch(start):
            continue
        n_usual = max((counts.get(start, 0) for counts in other_counts), default=0)
        if n >= _OFTEN * max(1, n_usual):
            return start
    return None


def _find_remarks(texts: _Texts) -> Iterator[_Finding]:
    """Lines with what a language model writes around a translation."""
    has_remark = texts.mark(lambda line, _: _REMARK.search(line) is not None)
    return _list_findings(texts.select_odd(has_remark))


def _find_entities(texts: _Texts) -> Iterator[_Finding]:
    """Lines with entities of HTML where the source has none."""
    sources = texts.sources

    def has_entity(line: str, row: int) -> bool:
        if "&" not in line or ENTITY.search(line) is None:
            return False
        return sources is None or ENTITY.search(sources[row]) is None

    return _list_findings(texts.select_odd(texts.mark(has_entity)))


@dataclass(frozen=True)
class _Finder:
    """How a kind of fault is found."""

    find: Callable[[_Texts], Iterator[_Finding]]
    #: The lines that an output needs of it to be listed. Sound outputs have a few of some kinds.
    least: int = 1


FINDERS: Mapping[str, _Finder] = {
    "empty": _Finder(_find_empty),
    "untranslated": _Finder(_find_untranslated, 3),
    "language": _Finder(_find_foreign, 3),
    "truncated": _Finder(_find_truncated, 5),
    "loop": _Finder(_find_loops),
    "repeated": _Finder(_find_repeated, 3),
    "added": _Finder(_find_added, 5),
    "remark": _Finder(_find_remarks),
    "entities": _Finder(_find_entities, 3),
}
