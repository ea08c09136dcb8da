"""The warnings that a test set calls for whatever is made of it: its texts, files, documents and ratings."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, combinations, islice, takewhile
from operator import eq
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import Remedy
from mtsig_core.languages import find_spaceless
from mtsig_core.metrics import list_better_tokenizers
from mtsig_core.metrics.cache import remember
from mtsig_core.readers.alignment import Reordering, find_reordering
from mtsig_core.stats.inventory import count_characters
from mtsig_core.testset import TestSet, show_name

#-----------------------------------------------------------------------------------------------------------------------
# Warnings about texts, documents and ratings.


def about_texts(testset: TestSet) -> Iterator[Caution]:
    """Warnings about texts that are empty, wholly or in part, not meant to be translated, or of a wrong file."""
    canaries = [line for line, document, domain in zip(
        testset.lines, testset.documents or (), testset.domains or testset.documents or (), strict=False)
        if "canary" in (document, domain)]
    if canaries:
        yield Caution("canary", {"line": canaries[0]})
    domains_of: dict[str, set[str]] = {}
    for document, domain in zip(testset.documents or (), testset.domains or (), strict=False):
        domains_of.setdefault(document, set()).add(domain)
    torn = [document for document, domains in domains_of.items() if len(domains) > 1]
    if torn:
        yield Caution("documents-in-domains", {"documents": torn, "n_documents": len(domains_of)})
    if testset.has_texts:
        yield from _about_empty(testset)
        yield from about_files(testset)


def _about_empty(testset: TestSet) -> Iterator[Caution]:
    for role, group in (("System", testset.systems), ("Reference", testset.references)):
        empty = {name: [line for line, text in zip(testset.lines, texts, strict=True)
                        if text is not None and not text.strip()] for name, texts in group.items()}
        for name in sorted(group, key=lambda name: -len(empty[name])):  # the worst first
            n, n_present = len(empty[name]), len(group[name]) - group[name].count(None)
            if n and n == n_present:
                yield Caution("all-empty", {"role": role, "n": n}, a=name)
            elif n:
                yield Caution("empty-lines", {"role": role, "n": n, "n_present": n_present, "line": empty[name][0]},
                              a=name)


def about_words(testset: TestSet, tokenizers: Mapping[str, str | None]) -> Iterator[Caution]:
    """Warnings about metrics whose tokenizer (by the name of the metric) does not cut the references into words."""
    language = find_spaceless(chain(*testset.references.values())) if any(tokenizers.values()) else None
    if language is None:
        return
    for metric, tokenizer in tokenizers.items():
        if better := list_better_tokenizers(tokenizer, language):
            remedies: tuple[Remedy, ...] = tuple({"tokenize": other} for other in better)
            if tokenizer == "tercom":
                remedies = {"metrics": "chrf"}, {"metrics": "bleu", "tokenize": better[0]}
            yield Caution("tokenizer-and-script", {"language": language, "tokenizer": tokenizer, "better": better},
                          metric, remedies=remedies)


def about_metrics(testset: TestSet, tokenizers: Mapping[str, str | None]) -> Iterator[Caution]:
    """Warnings about what metrics (by name, with the tokenizer of each) can tell of a test set."""
    for metric in tokenizers:
        yield from about_ratings(testset, metric)
    yield from about_words(testset, tokenizers)


def about_independence(testset: TestSet, unit: str) -> Iterator[Caution]:
    """The warning that without document ids nobody knows which segments depend on each other."""
    if testset.documents is None and unit == "block":
        yield Caution("blocks-for-documents", remedies=({"docs": "FILE"},))
    elif testset.documents is None:
        remedies: list[Remedy] = [*[{"docs": "FILE"}] * testset.has_texts, {"unit": "block"}]
        yield Caution("no-documents", {"has_texts": testset.has_texts}, remedies=tuple(remedies))


def about_ignored_documents(testset: TestSet, unit: str, remedy: Remedy, *, enough: bool = True,
                            se_ratio: float | None = None) -> Iterator[Caution]:
    """The warning that segments are the unit although documents are known; whether these are `enough` to decide."""
    if testset.documents is not None and unit == "segment":
        yield Caution("documents-ignored", {"n_documents": testset.n_documents or 0, "enough": enough,
                                            "se_ratio": se_ratio}, remedies=(remedy,) if enough else ())


def about_repeated_references(testset: TestSet) -> Iterator[Caution]:
    """The warning of each system that is a reference."""
    for reference, system in repeated_references(testset):
        yield Caution("reference-among-systems", {"reference": reference, "has_others": len(testset.references) > 1},
                      a=system, remedies=({"exclude": system},))


def repeated_references(testset: TestSet) -> list[tuple[str, str]]:
    """The references that systems repeat word for word, each with one of these systems."""
    return [(reference, system) for reference, texts in testset.references.items()
            for system, output in testset.systems.items()
            if any(texts) and all(text in (None, other) for text, other in zip(texts, output, strict=True))]


def about_ratings(testset: TestSet, metric: str) -> Iterator[Caution]:
    """Warnings about human translations: those that have ratings and are not ranked, or have nothing but ratings."""
    if metric not in testset.scores:
        if testset.textless_systems:
            yield Caution("ratings-alone", {"names": testset.textless_systems}, metric)
        return
    by_system = testset.scores[metric].by_system
    for name in testset.rated_humans:
        if n := sum(value is not None for value in by_system.get(name, ())):
            yield Caution("ratings-of-references", {"name": name, "n": n}, metric,
                          remedies=({"refs_as_systems": True},))


def about_scores(testset: TestSet, metric: str) -> Iterator[Caution]:
    """Warnings about what of the set has segment scores, for a metric that is a mean of them."""
    if metric not in testset.scores:
        return
    by_system = testset.scores[metric].by_system
    every, values_of = frozenset(range(testset.n_segments)), {name: by_system.get(name, ()) for name in testset.systems}
    rated = {name: every if len(values) == len(every) and None not in values else
             frozenset(k for k, value in enumerate(values) if value is not None) for name, values in values_of.items()}
    if without := [name for name, segments in rated.items() if not segments]:
        yield Caution("not-rated", {"names": without, "n_systems": len(rated)}, metric)
    some = frozenset().union(*rated.values())
    if len(some) < testset.n_segments:
        yield Caution("partly-rated", {"n": len(some), "n_segments": testset.n_segments}, metric)
    counts = [len(segments) for segments in rated.values() if segments]
    if len({segments for segments in rated.values() if segments}) > 1:
        compared = any(a & b for a, b in combinations([one for one in rated.values() if one], 2))
        yield Caution("rated-on-different-lines", {"low": min(counts), "high": max(counts), "compared": compared},
                      metric)


#-----------------------------------------------------------------------------------------------------------------------
# All that makes a test set look wrong as it is opened.


_TOO_SHORT, _TOO_LONG = 0.5, 2.0  # characters of a system's output / of the reference, in all


def find_suspicions(testset: TestSet) -> list[Caution]:
    """Empty texts, identical outputs, outputs that are a reference, and lengths far from the reference's."""
    found = [*about_texts(testset), *chain(*(about_ratings(testset, metric) for metric in testset.scores))]
    names = list(testset.systems)
    for k, a in enumerate(names if testset.has_texts else ()):
        found += [Caution("identical-outputs", a=a, b=b) for b in names[k + 1:]
                  if testset.systems[a] == testset.systems[b]]
    if not testset.has_texts:
        return found
    found += about_repeated_references(testset)
    first, texts = next(iter(testset.references.items()))
    expected = count_characters(texts)
    for name, output in testset.systems.items():
        ratio = count_characters(output) / expected if expected else 1
        if 0 < ratio < _TOO_SHORT or ratio > _TOO_LONG:
            found.append(Caution("odd-length", {"ratio": ratio, "reference": first}, a=name))
    return found


#-----------------------------------------------------------------------------------------------------------------------
# Outputs that are hardly the right file, and references made from an output.


_FOUND: WeakKeyDictionary[TestSet, tuple[Caution, ...]] = WeakKeyDictionary()
_SEGMENTS = 2000  # that are looked at
_WORTH_KEEPING = 2000  # outputs; fewer are looked through faster than a file is read


def about_files(testset: TestSet) -> tuple[Caution, ...]:
    """Warnings about texts that look like others than those that were meant; looked for once in each test set, and
    kept with its statistics."""
    if testset not in _FOUND:
        _FOUND[testset] = _kept_or_found(testset) if testset.references else ()
    return _FOUND[testset]


def _kept_or_found(testset: TestSet) -> tuple[Caution, ...]:
    if len(testset.systems) * testset.n_segments < _WORTH_KEEPING:
        return (*_about_files(testset),)
    key = (testset.digest, hash(tuple(testset.lines)), "facts of files")  # facts name lines
    return remember(tuple[Caution, ...], lambda: (*_about_files(testset),), *key)


def _about_files(testset: TestSet) -> Iterator[Caution]:
    reference = list(islice(next(iter(testset.references.values())), _SEGMENTS))
    script = find_spaceless(reference)
    source = None if testset.sources is None else _stripped(islice(testset.sources, _SEGMENTS))
    compared = {}
    for name, texts in testset.systems.items():
        output = list(islice(texts, _SEGMENTS))
        looks = find_spaceless(output)
        if _stripped(output) == source:
            yield Caution("is-source", a=name)
        elif looks != script and any(output):
            yield Caution("other-script", {"language": looks, "expected": script}, a=name)
        elif any(output):
            compared[name] = texts
    yield from _about_order(testset, compared)
    yield from _about_marks(testset, compared)
    yield from _about_equal_lines(testset, compared)


def _stripped(texts: Iterable[str | None]) -> list[str]:
    return [(text or "").strip() for text in texts]


# -- lines in another order --------------------------------------------------------------------------------------


def _about_order(testset: TestSet, systems: Mapping[str, Sequence[str]]) -> Iterator[Caution]:
    found = {reference: {name: part for name, texts in systems.items()
                         if (part := find_reordering(lines, texts)) is not None}
             for reference, lines in testset.references.items()}
    for reference, parts in found.items():
        if len(parts) == len(systems) > 1:
            yield Caution("reference-order", {"reference": reference, **_part(testset, next(iter(parts.values())))})
    kept = {reference: parts for reference, parts in found.items() if len(parts) < len(systems) or len(systems) == 1}
    for name in systems:
        if kept and all(name in parts for parts in kept.values()):
            reference = next(iter(kept))
            yield _out_of_order(testset, name, reference, kept[reference][name], [
                other for other in systems if not any(other in parts for parts in kept.values())])


def _out_of_order(testset: TestSet, name: str, reference: str, part: Reordering, others: Iterable[str]) -> Caution:
    """The warning about one system; `others` are those whose lines are in order."""
    output = testset.systems[name]
    same = next((other for other in others if _same_lines(output, testset.systems[other])), None)
    return Caution("other-order", {"reference": reference, **_part(testset, part), **_manner(output, part),
                                   "same_as": same}, a=name, remedies=({"exclude": name},))


def _part(testset: TestSet, part: Reordering) -> dict[str, int | None]:
    """Which lines were searched, how many of them fit other lines of the reference better, and an example."""
    facts = {"first": testset.lines[part.start], "last": testset.lines[part.stop - 1], "n": len(part.moved)}
    line, place = (testset.lines[int(some[len(some) // 2])] if len(some) else None for some in (
        part.moved, part.places))
    return {**facts, "line": line, "place": place}


def _manner(output: Sequence[str], part: Reordering) -> dict[str, int | str | None]:
    """How the lines were moved, where that can be told: by a shift, or in another order."""
    if (shift := part.shift) is not None:
        return {"shift": shift, "order": None}
    written = [text for text in _stripped(islice(output, _SEGMENTS)) if text]
    lengths, ends, order = [len(text) for text in written], part.moved + part.places, None
    if any(lines == sorted(lines) for lines in (written, [text.casefold() for text in written])):
        order = "alphabet"
    elif lengths in (sorted(lengths), sorted(lengths, reverse=True)):
        order = "length"
    elif len(ends) and np.ptp(ends) == 0:
        order = "reverse"
    return {"shift": None, "order": order}


def _same_lines(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether two texts have nearly all lines in common, wherever these stand."""
    counts = [Counter(islice(texts, _SEGMENTS)) for texts in (a, b)]
    return (counts[0] & counts[1]).total() >= 0.9 * min(len(a), _SEGMENTS)


# -- marks in most lines -----------------------------------------------------------------------------------------


# Pieces of lines that most lines of one text have and hardly any of the others.
_EXAMPLE = 60  # characters of a line that are shown
_MARKED, _RARE = 0.5, 0.1  # shares of lines
_QUOTES, _DIALOGUE = "\"'-–—", 0.8  # what speech begins and ends with, and in how many lines of a dialogue
_GLANCED, _LOOKED, _LEAST = 30, 200, 10  # lines in which marks are looked for, and counted; fewer tell nothing
_FIRST, _LAST = "\x02", "\x03"  # stand for the ends of a line
_ENTITY = re.compile(r"&(?:amp|quot|apos|lt|gt|nbsp|#\d{2,4}|#x[0-9a-f]{2,4});", re.IGNORECASE)
_ENTITIES = 3  # lines with entities at least; and more than half as many as have what these stand for in others
_ESCAPED = re.compile("[&<>\"“”„«»]")  # what entities stand for, and how else it is written
_VARIANTS = {'"': re.compile("[“”„«»]|''"), "'": re.compile("[‘’‚‹›]"), ".": re.compile("。"), ",": re.compile("、")}
_NUMBER = re.compile("[0-9]+")
_SPACED = re.compile(r"(?<=\s)[.,;:!?]+(?=\s|$)")  # as tokenizers leave punctuation
# What is style, and no mark: letters and punctuation within a line or at its end, two of them at its start.
_USUAL = re.compile(rf"(?:[\w.,;:!?'\"-]|(?<! ) (?!\.))+|(?:[\w.,;:!?']| (?!\.))*{_LAST}|{_FIRST}[\w.,;:!?' ]{{0,2}}")


class _Sample:
    """Lines from all parts of a text, each once, none empty; and what a glance at some of them shows."""

    def __init__(self, texts: Iterable[Sequence[str | None]]):
        some = chain.from_iterable(lines[::max(1, len(lines) // _LOOKED)] for lines in texts)
        self.texts = [*dict.fromkeys(filter(None, some))]

    @cached_property
    def lines(self) -> list[str]:
        return [*map(_masked, self.texts)]

    @cached_property
    def pieces(self) -> dict[str, float]:
        """The characters and pairs of characters of some lines, each with the share of lines that have it."""
        some = [*map(_masked, self.texts[::max(1, len(self.texts) // _GLANCED)][:_GLANCED])]
        counts = Counter(chain.from_iterable({*line, *zip(line, line[1:], strict=False)} for line in some))
        return {"".join(piece): count / len(some) for piece, count in counts.items()}

    def share(self, piece: str) -> float:
        """Of the lines, how many have a piece."""
        return sum(piece in line for line in self.lines) / max(1, len(self.lines))


def _about_marks(testset: TestSet, systems: Mapping[str, Sequence[str]]) -> Iterator[Caution]:
    outputs = {name: _Sample([texts]) for name, texts in systems.items()}
    references = {name: _Sample([texts]) for name, texts in testset.references.items()}
    others = [*references.values(), *([] if testset.sources is None else [_Sample([testset.sources])])]
    for name, sample in outputs.items():
        if facts := _describe_marks(sample, others):
            yield Caution("marked-lines", facts, a=name, remedies=({"exclude": name},))
    for name, sample in references.items():
        if outputs and (facts := _describe_marks(sample, [*outputs.values()])):
            yield Caution("marked-reference", {"reference": name, **facts})


def _masked(text: str) -> str:
    """A line whose numbers, quotation marks, and punctuation after a space, are all alike, between its ends."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        for usual, variants in _VARIANTS.items():
            text = variants.sub(usual, text)
    return f"{_FIRST}{_NUMBER.sub('0', _SPACED.sub('.', text))}{_LAST}"


def _describe_marks(sample: _Sample, others: Sequence[_Sample]) -> dict[str, Any]:
    """In how many lines marks are, of which sort, and a line that shows them; empty where there are none."""
    if len(sample.texts) < _LEAST:
        return {}
    if marks := _find_marks(sample, others):
        having = [text for text, line in zip(sample.texts, sample.lines, strict=True) if marks[0] in line]
        spaced = any(mark.strip(_FIRST + _LAST) == " ." for mark in marks)
        return _mark_facts("spaces" if spaced else "marks", having, sample, [] if spaced else [
            ("start" if mark[0] == _FIRST else "end" if mark[-1] == _LAST else "anywhere",
             show_name(_as_written(mark, having[0]))) for mark in marks])
    escaped = [text for text in sample.texts if "&" in text and _ENTITY.search(text)]
    meant = max(sum(bool(_ESCAPED.search(text)) for text in other.texts) for other in others)
    if len(escaped) >= _ENTITIES and len(escaped) > _MARKED * meant and not any(
            _ENTITY.search(text) for other in others for text in other.texts):
        return _mark_facts("entities", escaped, sample, [])
    return {}


def _mark_facts(sort: str, having: Sequence[str], sample: _Sample, marks: list[tuple[str, str]]) -> dict[str, Any]:
    text = having[0]
    return {"sort": sort, "n": len(having), "n_lines": len(sample.texts), "marks": marks,
            "example": show_name(text if len(text) <= _EXAMPLE else f"{text[:_EXAMPLE]}...")}


def _find_marks(sample: _Sample, others: Sequence[_Sample]) -> list[str]:
    """Up to two pieces that most of the lines have, and hardly any of the others."""
    often = [piece for piece, share in sample.pieces.items() if share > 0.8 * _MARKED and all(
        other.pieces.get(piece, 0) <= 2 * _RARE for other in others)]
    found: list[str] = []
    for piece in sorted(often, key=lambda piece: (-sample.pieces[piece], piece)):
        if not any(piece in mark for mark in found) and sample.share(piece) > _MARKED and all(
                other.share(piece) <= _RARE for other in others):
            mark = _grown(piece, sample.lines)
            dialogue = mark.strip(f"{_FIRST}{_LAST} ") in _QUOTES and sample.share(mark) <= _DIALOGUE
            if not (_USUAL.fullmatch(mark) or dialogue or _is_wording(mark, sample, others[0])
                    or any(mark in one or one in mark for one in found)):
                found.append(mark)
    return found[:2]


def _is_wording(mark: str, sample: _Sample, other: _Sample) -> bool:
    """Whether words at the start of lines take the place of other words, as 'Press' of 'Click' or 'Art. 1' of
    'Article 1': lines with words that were added are longer by them."""
    words = mark.strip(f"{_FIRST}{_LAST} ")
    [(start, many)] = Counter(line.split(" ", 1)[0] for line in other.lines).most_common(1) or [("", 0)]
    formulaic = mark[0] == _FIRST and many > _MARKED * len(other.lines) and start.strip(_FIRST) not in mark
    if not formulaic and (" " not in words or re.search(r"[^\w ]", words)):
        return False
    longer = sum(map(len, sample.texts)) / len(sample.texts) - sum(map(len, other.texts)) / max(1, len(other.texts))
    return longer < len(words) / 2


def _grown(piece: str, lines: Sequence[str]) -> str:
    """The piece with what nearly always stands beside it, but for the full stop of the sentence."""
    while True:
        around: Counter[str] = Counter()
        for line in lines:
            before, middle, after = line.partition(piece)
            if middle:
                around.update([*([before[-1] + piece] if before else []), *([piece + after[0]] if after else [])])
        longer, count = around.most_common(1)[0] if around else ("", 0)
        if count < 0.9 * sum(piece in line for line in lines) or len(piece) > _EXAMPLE:
            return piece if len(piece.lstrip(".")) < 2 else piece.lstrip(".")
        piece = longer


def _as_written(mark: str, text: str) -> str:
    """A mark with the number that it has in a line."""
    shown = mark.strip(_FIRST + _LAST)
    found = re.search(re.escape(shown).replace("0", "[0-9]+"), text)
    return found[0] if found else shown


# -- references made from an output ------------------------------------------------------------------------------


_WORDS, _CHARACTERS = 5, 12  # that a line has at least, as short ones are translated alike; the latter without spaces
_EQUAL, _SHARE, _TIMES = 10, 0.05, 2  # lines equal to a reference: how many, of all, and those of the next system
_SURE, _LUCK = 0.001, 0.6  # p that so many would come by luck, were the true numbers as 0.6 to 0.4
#: Lines with one other word, as a multiple of those that errors independent of each other would leave beside as many
#: equal lines: within these bounds errors are here and there, as in any good translation.
_NEAR = (0.6, 1.25)
_TWINS = 0.8  # of these lines that another system has, too: one was made from the other


def _about_equal_lines(testset: TestSet, systems: Mapping[str, Sequence[str]]) -> Iterator[Caution]:
    """A warning for each reference that one system equals in many more lines than the others do."""
    step = max(1, testset.n_segments // _SEGMENTS)
    for reference, texts in testset.references.items():
        lines = texts[::step]
        long = np.fromiter(map(_is_long, lines), bool, len(lines))
        equal = {name: long & np.fromiter(map(eq, lines, output[::step]), bool, len(lines))
                 for name, output in systems.items()}
        counts = {name: int(rows.sum()) for name, rows in equal.items() if rows.sum() < long.sum()}
        if len(counts) < 2:
            continue
        first = max(counts, key=lambda name: counts[name])
        most = counts.pop(first)
        second = max((name for name in counts if (equal[first] & equal[name]).sum() < _TWINS * most),
                     key=lambda name: counts[name], default=None)
        if second is None or not _is_far_more(most, counts[second], int(long.sum())):
            continue
        nearly = sum(map(_is_nearly, np.array(lines, object)[long], np.array(systems[first][::step], object)[long]))
        expected = most * math.log(long.sum() / most)  # of Poisson's distribution of errors, 0 in `most` lines
        if _NEAR[0] * expected < nearly < _NEAR[1] * expected:
            continue
        others = [other for other in testset.references if other != reference]
        yield Caution("made-from-output", {
            "reference": reference, "n": most, "n_lines": int(long.sum()), "next_system": second,
            "n_next": counts[second], "has_others": bool(others)}, a=first,
            remedies=({"refs": ",".join(others)} if others else {"exclude": first},))


def _is_long(text: str | None) -> bool:
    """Whether two translators seldom write such a line alike; in scripts without spaces characters count."""
    return text is not None and (len(text.split()) >= _WORDS or not _has_spaces(text))


def _has_spaces(text: str) -> bool:
    return text.isascii() or _CHARACTERS * (text.count(" ") + 1) > len(text)


def _is_far_more(most: int, next_most: int, n: int) -> bool:
    """Whether a system equals a reference in far more of `n` lines than the next one, beyond chance."""
    if most < max(_EQUAL, _SHARE * n, _TIMES * next_most):
        return False
    from scipy.stats import binom  # late: seldom needed

    return float(binom.sf(most - 1, most + next_most, _LUCK)) < _SURE


def _is_nearly(a: str | None, b: str) -> bool:
    """Whether one word (two characters, where there are no spaces) was changed, left out or added."""
    if a is None or a == b:
        return False
    spaced = _has_spaces(a)
    ours, theirs = (text.split() if spaced else list(text) for text in (a, b))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False)))
    ours, theirs = ours[same:][::-1], theirs[same:][::-1]
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False)))
    return max(len(ours), len(theirs)) - same <= (1 if spaced else 2)
