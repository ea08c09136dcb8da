"""What a test set holds, and what in it is suspicious."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from mtsig_core.caution import Caution
from mtsig_core.errors import format_count
from mtsig_core.languages import SPACELESS, find_spaceless
from mtsig_core.readers.wmt_xml import NO_REFERENCE
from mtsig_core.stats.cautions import about_ratings, about_repeated_references, about_texts
from mtsig_core.testset import SegmentScores, TestSet

CANARY = ", a canary"
_NO_SPACES = SPACELESS.keys() - {"ko"}  # between words: pieces between spaces would be taken for lost text
_TOO_SHORT, _TOO_LONG = 0.5, 2.0  # characters of a system's output / of the reference, in all


@dataclass(frozen=True)
class Holding:
    """One thing that a test set holds, and how much of it."""

    role: str  # {"reference", "system", "training run", "source", "left out", "documents", "scores", "domain"}
    name: str
    #: For what was left out, the lines; for scores, missing ones count as empty; None for texts that are not here.
    segments: int | None
    #: Words are what stands between spaces: None where the script has none. All are None but for texts, save `empty` of
    #: scores.
    words: int | None = None
    characters: int | None = None
    empty: int | None = None
    repeated: int | None = None
    #: Of a system by all score tables together, and of a table for all systems; None where there is no table.
    scores: int | None = None


def inventory(testset: TestSet) -> list[Holding]:
    """What is there: texts, what was left out, documents, scores, domains."""
    texts = [("reference", name, values) for name, values in testset.references.items()]
    texts += [("system", name, values) for name, values in testset.systems.items()]
    texts += [("training run", f"{name}, run {k}", values) for name, outputs in testset.runs.items()
              for k, values in enumerate(outputs, 2)]
    texts += [("source", "", testset.sources)] if testset.sources is not None else []
    found = [_holding(role, name, values) for role, name, values in texts]
    if testset.scores:
        found = [replace(one, scores=sum(_scored(table, one.name) for table in testset.scores.values()))
                 if one.role == "system" else one for one in found]
    if (lines := left_out(testset)) is not None:
        found.append(Holding("left out", *lines))
    if testset.documents is not None:
        found.append(Holding("documents", format_count(testset.n_documents or 0, "document"), testset.n_segments))
    for metric, table in testset.scores.items():
        n = sum(_scored(table, name) for name in testset.systems)
        found.append(Holding("scores", metric, testset.n_segments, scores=n,
                             empty=len(testset.systems) * testset.n_segments - n))
    return found + [Holding("domain", domain, size) for domain, size in Counter(testset.domains or ()).items()]


def left_out(testset: TestSet) -> tuple[str, int] | None:
    """Which lines before the last are no segments, and how many; of texts, those called canary, or without a reference.

    >>> left_out(TestSet("toy", {"A": ["a"]}, {"ref": ["a"]}, lines=[2])), left_out(TestSet("toy", {}, {"ref": ["a"]}))
    (('line 1, a canary', 1), None)
    """
    gone = testset.lines[-1] - testset.n_segments
    if gone <= 0:
        return None
    known = set(testset.lines)
    first = next(line for line in range(1, testset.lines[-1]) if line not in known)
    more = f" and {gone - 1} more" if gone > 1 else ""
    why = "" if not testset.has_texts else ", a canary or without a reference" if any(
        said.startswith(NO_REFERENCE) for said in testset.assumed) else CANARY
    return f"line {first}{more}{why}", gone


def suspicions(testset: TestSet) -> list[Caution]:
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
    expected = _characters(texts)
    for name, output in testset.systems.items():
        ratio = _characters(output) / expected if expected else 1
        if 0 < ratio < _TOO_SHORT or ratio > _TOO_LONG:
            found.append(Caution("odd-length", {"ratio": ratio, "reference": first}, a=name))
    return found


def _scored(scores: SegmentScores, name: str) -> int:
    """How many scores a system has."""
    return sum(value is not None for value in scores.by_system.get(name, ()))


def _holding(role: str, name: str, values: Sequence[str | None]) -> Holding:
    present = [text for text in values if text is not None]
    if not present:
        return Holding(role, name, None)
    filled = [text for text in present if text.strip()]
    words = None if find_spaceless(present) in _NO_SPACES else sum(len(text.split()) for text in present)
    return Holding(role, name, len(present), words, _characters(present), len(present) - len(filled),
                   len(filled) - len(set(filled)))


def _characters(values: Sequence[str | None]) -> int:
    return sum(len(text) for text in values if text is not None)
