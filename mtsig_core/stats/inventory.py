"""What a test set holds, and how much of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mtsig_core.errors import format_count
from mtsig_core.languages import SPACELESS, find_spaceless
from mtsig_core.testset import SegmentScores, TestSet

_NO_SPACES = SPACELESS.keys() - {"ko"}  # between words: pieces between spaces would be taken for lost text


class Gap(NamedTuple):
    """Lines before the last that are no segments: the first, how many, and why, where it is known; a key of words in
    `report/assumption_words.py`."""

    first: int
    n: int
    why: str | None


@dataclass(frozen=True)
class Holding:
    """One thing that a test set holds, and how much of it."""

    role: str  # {"reference", "system", "training run", "source", "excluded", "documents", "scores", "domain"}
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
    gap: Gap | None = None  # what was left out


def list_contents(testset: TestSet) -> list[Holding]:
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
    if (gap := find_gap(testset)) is not None:
        found.append(Holding("excluded", "", gap.n, gap=gap))
    if testset.documents is not None:
        found.append(Holding("documents", format_count(testset.n_documents or 0, "document"), testset.n_segments))
    for metric, table in testset.scores.items():
        n = sum(_scored(table, name) for name in testset.systems)
        found.append(Holding("scores", metric, testset.n_segments, scores=n,
                             empty=len(testset.systems) * testset.n_segments - n))
    return found + [Holding("domain", domain, size) for domain, size in Counter(testset.domains or ()).items()]


def find_gap(testset: TestSet) -> Gap | None:
    """Which lines before the last are no segments; of texts, those called canary, or without a reference.

    >>> find_gap(TestSet("toy", {"A": ["a"]}, {"ref": ["a"]}, lines=[2]))
    Gap(first=1, n=1, why='canary')
    """
    n = testset.lines[-1] - testset.n_segments
    if n <= 0:
        return None
    known = set(testset.lines)
    first = next(line for line in range(1, testset.lines[-1]) if line not in known)
    without_reference = any(one.code == "no-reference" for one in testset.assumed)
    why = "canary or no reference" if without_reference else "canary"
    return Gap(first, n, why if testset.has_texts else None)


def _scored(scores: SegmentScores, name: str) -> int:
    """How many scores a system has."""
    return sum(value is not None for value in scores.by_system.get(name, ()))


def _holding(role: str, name: str, values: Sequence[str | None]) -> Holding:
    present = [text for text in values if text is not None]
    if not present:
        return Holding(role, name, None)
    filled = [text for text in present if text.strip()]
    words = None if find_spaceless(present) in _NO_SPACES else sum(len(text.split()) for text in present)
    return Holding(role, name, len(present), words, count_characters(present), len(present) - len(filled),
                   len(filled) - len(set(filled)))


def count_characters(values: Sequence[str | None]) -> int:
    return sum(len(text) for text in values if text is not None)
