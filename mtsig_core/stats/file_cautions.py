"""Cautions about outputs that are hardly the right file, and about references made from an output.

`line_cautions` has those about single lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

from mtsig_core.alignment import Reordering, find_reordering
from mtsig_core.caution import Caution
from mtsig_core.languages import find_spaceless
from mtsig_core.metrics.cache import remember
from mtsig_core.stats.line_cautions import (
    ENTITY,
    Lines,
    about_characters,
    about_lines,
    strip_texts,
)
from mtsig_core.testset import TestSet, show_name

_SEARCHED = 2000  # segments to look at
_WORTH_KEEPING = 2000  # outputs; fewer are searched faster than a file is read
_remembered: WeakKeyDictionary[TestSet, tuple[Caution, ...]] = WeakKeyDictionary()


def about_files(testset: TestSet) -> tuple[Caution, ...]:
    """Warn of texts that are probably not the intended files.

    The cautions of a test set are found once, and kept with its statistics.
    """
    if testset not in _remembered:
        _remembered[testset] = _recall_cautions(testset)
    return _remembered[testset]


def _recall_cautions(testset: TestSet) -> tuple[Caution, ...]:
    if not testset.references:
        return ()
    if len(testset.systems) * testset.n_segments < _WORTH_KEEPING:
        return _search_files(testset)
    lines = hash(tuple(testset.lines))  # cautions name lines
    key = (testset.digest, lines, "cautions of files and lines, 2")
    return remember(tuple[Caution, ...], lambda: _search_files(testset), *key)


def _search_files(testset: TestSet) -> tuple[Caution, ...]:
    cautions = list(_about_language(testset))
    wrong_files = {caution.a for caution in cautions}
    systems = {
        name: texts
        for name, texts in testset.systems.items()
        if name not in wrong_files and any(texts[:_SEARCHED])
    }
    cautions += _about_order(testset, systems)
    cautions += _about_marks(testset, systems)
    faulty = {caution.a for caution in cautions}
    cautions += _about_equal_lines(testset, systems)
    # Where each line is faulty, there is no need to search single lines.
    in_order = {name: texts for name, texts in systems.items() if name not in faulty}
    cautions += about_lines(testset, in_order)
    cautions += about_characters(testset, in_order)
    return tuple(cautions)


def _about_language(testset: TestSet) -> Iterator[Caution]:
    """Warn of outputs that are the source, or that are in another script than the references."""
    reference = list(islice(next(iter(testset.references.values())), _SEARCHED))
    expected = find_spaceless(reference)
    source = None
    if testset.sources is not None:
        source = strip_texts(testset.sources[:_SEARCHED])
    for name, texts in testset.systems.items():
        output = texts[:_SEARCHED]
        language = find_spaceless(output)
        if strip_texts(output) == source:
            yield Caution("is-source", a=name)
        elif language != expected and any(output):
            yield Caution("other-script", {"language": language, "expected": expected}, a=name)


# -------------------------------------------------------------------------------------------------
# Lines in another order.


def _about_order(testset: TestSet, systems: Mapping[str, Lines]) -> Iterator[Caution]:
    """Warn of references that no system follows, and of systems that follow none of the others."""
    usable = {}
    for reference, lines in testset.references.items():
        reordered = {}
        for name, texts in systems.items():
            reordering = find_reordering(lines, texts)
            if reordering is not None:
                reordered[name] = reordering
        if len(reordered) == len(systems) > 1:
            place = _locate_lines(testset, next(iter(reordered.values())))
            yield Caution("reference-order", {"reference": reference, **place})
        else:
            usable[reference] = reordered
    if not usable:
        return
    first = next(iter(usable))
    in_order = [
        name for name in systems if not any(name in reordered for reordered in usable.values())
    ]
    for name in systems:
        if all(name in reordered for reordered in usable.values()):
            reordering = usable[first][name]
            facts = {
                "reference": first,
                **_locate_lines(testset, reordering),
                "shift": reordering.shift,
                "same_as": _find_same_lines(testset, name, in_order),
            }
            yield Caution("other-order", facts, a=name, remedies=({"exclude": name},))


def _locate_lines(testset: TestSet, reordering: Reordering) -> dict[str, int]:
    """Return the first and the last line that fit other lines of the reference better."""
    first = testset.lines[reordering.start]
    last = testset.lines[reordering.stop - 1]
    return {"first": first, "last": last}


def _find_same_lines(testset: TestSet, name: str, candidates: Iterable[str]) -> str | None:
    """Return the first of some systems that has nearly all lines of this one, in any order."""
    lines = Counter(testset.systems[name][:_SEARCHED])
    for candidate in candidates:
        common = lines & Counter(testset.systems[candidate][:_SEARCHED])
        if common.total() >= 0.9 * lines.total():
            return candidate
    return None


# -------------------------------------------------------------------------------------------------
# Marks: most lines of a text share something that hardly a line of the others has.


_MARKED, _RARE = 2 / 3, 0.1  # shares of lines
_MARKED_LINES, _LEAST_LINES = 200, 10  # lines to look at, and the least number
_LEAST_ENTITIES = 3  # lines
_EXAMPLE = 60  # characters of a line in the example
_ESCAPED = re.compile('[&<>"“”„«»]')  # the characters of entities, and their variants
_VARIANTS = {
    '"': re.compile("[“”„«»]|''"),
    "'": re.compile("[‘’‚‹›]"),
    ".": re.compile("。"),
    ",": re.compile("、"),
}
_NUMBER = re.compile("[0-9]+")
_SPACED = re.compile(r"(?<=\s)[.,;:!?]+(?=\s|$)")  # as tokenizers leave punctuation
_UNUSUAL = re.compile(r"[^\w\s.,;:!?'\"-]+ ?")
#: What lines may share without a mark: a letter or two at the start, words at the end.
_STYLE = {"start": re.compile(r"[\w.,;:!?' ]{0,2}"), "end": re.compile(r"[\w.,;:!?' ]*")}


class _Mark(NamedTuple):
    """A piece of lines, as `_mask` writes them."""

    place: Literal["start", "end", "anywhere"]
    piece: str

    def is_in(self, line: str) -> bool:
        if self.place == "start":
            return line.startswith(self.piece)
        if self.place == "end":
            return line.endswith(self.piece)
        return self.piece in line

    def write(self, text: str) -> str:
        """Write the mark with the number that it has in a text."""
        numbered = re.search(re.escape(self.piece).replace("0", "[0-9]+"), text)
        return show_name(self.piece if numbered is None else numbered[0])


_SPACE_BEFORE_PUNCTUATION = _Mark("anywhere", " .")


class _Sample:
    """Distinct lines from all over a text, without empty ones."""

    def __init__(self, lines: Lines):
        step = max(1, len(lines) // _MARKED_LINES)
        self.texts = list(dict.fromkeys(filter(None, lines[::step])))

    @cached_property
    def lines(self) -> list[str]:
        """The texts as marks are written."""
        return [_mask(text) for text in self.texts]

    def share(self, mark: _Mark) -> float:
        """Return the share of lines that have a mark."""
        return sum(map(mark.is_in, self.lines)) / max(1, len(self.lines))


def _mask(text: str) -> str:
    """Write numbers as 0, quotation marks as straight ones, and punctuation after a space as '.'."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        for usual, variants in _VARIANTS.items():
            text = variants.sub(usual, text)
    return _NUMBER.sub("0", _SPACED.sub(".", text))


def _about_marks(testset: TestSet, systems: Mapping[str, Lines]) -> Iterator[Caution]:
    outputs = {name: _Sample(texts) for name, texts in systems.items()}
    references = {name: _Sample(texts) for name, texts in testset.references.items()}
    other_samples = list(references.values())
    if testset.sources is not None:
        other_samples.append(_Sample(testset.sources))
    for name, sample in outputs.items():
        facts = _describe_marks(sample, other_samples)
        if facts is not None:
            yield Caution("marked-lines", facts, a=name, remedies=({"exclude": name},))
    if not outputs:
        return
    for name, sample in references.items():
        facts = _describe_marks(sample, list(outputs.values()))
        if facts is not None:
            yield Caution("marked-reference", {"reference": name, **facts})


def _describe_marks(sample: _Sample, other_samples: Sequence[_Sample]) -> dict[str, Any] | None:
    """Return in how many lines marks are, their kind, and an example; None without marks."""
    if len(sample.texts) < _LEAST_LINES:
        return None
    marks = _find_marks(sample, other_samples)
    if marks:
        lines = zip(sample.texts, sample.lines, strict=True)
        marked = [text for text, line in lines if marks[0].is_in(line)]
        if marks[0] == _SPACE_BEFORE_PUNCTUATION:
            return _list_facts("spaces", marked, sample)
        written = [(mark.place, mark.write(marked[0])) for mark in marks]
        return _list_facts("marks", marked, sample, written)
    escaped = [text for text in sample.texts if ENTITY.search(text)]
    if len(escaped) >= _LEAST_ENTITIES and _has_only_entities(len(escaped), other_samples):
        return _list_facts("entities", escaped, sample)
    return None


def _list_facts(
    sort: str, marked: Sequence[str], sample: _Sample, marks: Sequence[tuple[str, str]] = ()
) -> dict[str, Any]:
    example = marked[0]
    if len(example) > _EXAMPLE:
        example = f"{example[:_EXAMPLE]}..."
    return {
        "sort": sort,
        "n": len(marked),
        "n_lines": len(sample.texts),
        "marks": marks,
        "example": show_name(example),
    }


def _has_only_entities(n_escaped: int, other_samples: Sequence[_Sample]) -> bool:
    """Whether lines have entities where the other texts have the characters themselves."""
    for sample in other_samples:
        if any(ENTITY.search(text) for text in sample.texts):
            return False
        n_with_characters = sum(_ESCAPED.search(text) is not None for text in sample.texts)
        if n_escaped <= _MARKED * n_with_characters:
            return False
    return True


def _find_marks(sample: _Sample, other_samples: Sequence[_Sample]) -> list[_Mark]:
    """Return up to two marks that most lines have, and hardly a line of each other text."""

    def is_mark(mark: _Mark) -> bool:
        if sample.share(mark) <= _MARKED:
            return False
        return all(text.share(mark) <= _RARE for text in other_samples)

    if is_mark(_SPACE_BEFORE_PUNCTUATION):
        return [_SPACE_BEFORE_PUNCTUATION]
    start, end = _find_added(sample.lines, other_samples[0].lines)
    marks = []
    if not _STYLE["start"].fullmatch(start) and is_mark(_Mark("start", start)):
        marks.append(_Mark("start", start))
    if not _STYLE["end"].fullmatch(end) and is_mark(_Mark("end", end)):
        marks.append(_Mark("end", end))
    if marks:
        return marks
    counts = Counter(piece for line in sample.lines for piece in set(_UNUSUAL.findall(line)))
    pieces = [_Mark("anywhere", piece) for piece, _ in counts.most_common()]
    return list(islice(filter(is_mark, pieces), 2))


def _find_added(lines: Sequence[str], other_lines: Sequence[str]) -> tuple[str, str]:
    """Return the start and the end that most lines share, without what most of the others share.

    Lines that begin or end otherwise than the others have other words, such as 'Click' for 'Press',
    and nothing added.
    """
    added = []
    for step in (1, -1):
        shared = find_shared_start([line[::step] for line in lines])
        shared_by_others = find_shared_start([line[::step] for line in other_lines])
        if not shared.endswith(shared_by_others):
            shared = ""
        added.append(shared.removesuffix(shared_by_others)[::step])
    start, end = added
    return start, end


def find_shared_start(lines: Sequence[str]) -> str:
    """Return the longest start that most lines share."""
    start = ""
    while True:
        longer = Counter(
            line[: len(start) + 1]
            for line in lines
            if len(line) > len(start) and line.startswith(start)
        )
        if not longer:
            return start
        [(candidate, n)] = longer.most_common(1)
        if n <= _MARKED * len(lines):
            return start
        start = candidate


# -------------------------------------------------------------------------------------------------
# References made from an output.


#: Least length of a line in words, or in characters of scripts without spaces: short lines are often
#: equal.
_LEAST_WORDS = 5
_LEAST_CHARACTERS = 12
_LEAST_LONG_LINES = 20
#: How much larger the share of lines is that one system has as the reference has them, or with one
#: edit, than the share of the next system.
_FAR_ABOVE = 0.6
_TWINS = 0.8  # share of these lines that another system also has: one was made from the other


def _about_equal_lines(testset: TestSet, systems: Mapping[str, Lines]) -> Iterator[Caution]:
    """Warn of each reference that has the same lines as one system, but not as the others."""
    step = max(1, testset.n_segments // _SEARCHED)
    for reference, texts in testset.references.items():
        lines = texts[::step]
        long_rows = [row for row, text in enumerate(lines) if _is_long(text)]
        if len(long_rows) < _LEAST_LONG_LINES:
            continue
        equal_rows = {}
        for name, output in systems.items():
            outputs = output[::step]
            if any(outputs[row] != lines[row] for row in long_rows):
                equal_rows[name] = {row for row in long_rows if _is_equal(lines[row], outputs[row])}
        if not equal_rows:
            continue
        first = max(equal_rows, key=lambda name: len(equal_rows[name]))
        rows = equal_rows.pop(first)
        counts = {
            name: len(equal)
            for name, equal in equal_rows.items()
            if len(equal & rows) < _TWINS * len(rows)
        }
        if not counts:
            continue
        second = max(counts, key=lambda name: counts[name])
        if len(rows) - counts[second] <= _FAR_ABOVE * len(long_rows):
            continue
        other_references = [name for name in testset.references if name != reference]
        facts = {
            "reference": reference,
            "n": len(rows),
            "n_lines": len(long_rows),
            "next_system": second,
            "n_next": counts[second],
            "has_others": bool(other_references),
        }
        remedy = {"refs": ",".join(other_references)} if other_references else {"exclude": first}
        yield Caution("made-from-output", facts, a=first, remedies=(remedy,))


def _is_long(text: str | None) -> bool:
    """Whether two translators seldom write such a line alike."""
    return text is not None and (len(text.split()) >= _LEAST_WORDS or not _has_spaces(text))


def _has_spaces(text: str) -> bool:
    return text.isascii() or _LEAST_CHARACTERS * (text.count(" ") + 1) > len(text)


def _is_equal(reference: str | None, output: str | None) -> bool:
    """Whether an output is the reference, or has one edit.

    An edit changes, removes or adds a word, or up to two characters in scripts without spaces.
    """
    if reference is None or output is None:
        return False
    if not _has_spaces(reference):
        return _count_edited(reference, output) <= 2
    # Most lines differ at both ends, so two words are edited: they are not split.
    first_word = reference.split(None, 1)[0]
    last_word = reference.rsplit(None, 1)[-1]
    has_start = output.lstrip().startswith(first_word)
    has_end = output.rstrip().endswith(last_word)
    if not has_start and not has_end:
        return False
    return _count_edited(reference.split(), output.split()) <= 1


def _count_edited(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the part between equal starts and equal ends of two sequences."""
    shorter = min(len(first), len(second))
    n_start = 0
    while n_start < shorter and first[n_start] == second[n_start]:
        n_start += 1
    n_end = 0
    while n_end < shorter - n_start and first[-1 - n_end] == second[-1 - n_end]:
        n_end += 1
    return max(len(first), len(second)) - n_start - n_end
