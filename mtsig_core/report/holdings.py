"""What a test set holds, and how much of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mtsig_core.errors import format_count
from mtsig_core.languages import SPACELESS, find_spaceless
from mtsig_core.testset import SegmentScores, TestSet, count_characters

#: Languages without spaces between words; Korean has them.
_NO_SPACES = SPACELESS.keys() - {"ko"}


class Gap(NamedTuple):
    """Lines before the last that are no segments."""

    first: int
    n: int
    why: str | None  # a key of words in `report/caution_words.py`; None where it is not known


@dataclass(frozen=True)
class Holding:
    """One thing that a test set holds, and how much of it."""

    # {"reference", "system", "training run", "source", "excluded", "documents", "scores", "domain"}
    role: str
    name: str
    #: For excluded ones, the lines; None for texts that are not here.
    segments: int | None
    # These are of texts only, except that missing scores count as empty.
    words: int | None = None  # None where the script has no spaces
    characters: int | None = None
    empty: int | None = None
    repeated: int | None = None
    #: Of a system by all score tables together, of a table for all systems.
    scores: int | None = None
    gap: Gap | None = None  # of excluded lines


def list_contents(testset: TestSet) -> list[Holding]:
    """The texts, excluded lines, documents, scores and domains of a test set."""
    holdings = [
        _count_texts("reference", name, testset.references[name]) for name in testset.references
    ]
    for name, texts in testset.systems.items():
        holding = _count_texts("system", name, texts)
        if testset.scores:
            n_scores = sum(_count_scores(table, name) for table in testset.scores.values())
            holding = replace(holding, scores=n_scores)
        holdings.append(holding)
    for name, outputs in testset.runs.items():
        for number, texts in enumerate(outputs, 2):
            holdings.append(_count_texts("training run", f"{name}, run {number}", texts))
    if testset.sources is not None:
        holdings.append(_count_texts("source", "", testset.sources))
    gap = find_gap(testset)
    if gap is not None:
        holdings.append(Holding("excluded", "", gap.n, gap=gap))
    n = testset.n_segments
    if testset.n_documents is not None:
        holdings.append(Holding("documents", format_count(testset.n_documents, "document"), n))
    for metric, table in testset.scores.items():
        n_scores = sum(_count_scores(table, name) for name in testset.systems)
        n_missing = len(testset.systems) * n - n_scores
        holdings.append(Holding("scores", metric, n, scores=n_scores, empty=n_missing))
    for domain, size in Counter(testset.domains or ()).items():
        holdings.append(Holding("domain", domain, size))
    return holdings


def find_gap(testset: TestSet) -> Gap | None:
    """Which lines before the last are no segments.

    Texts lack those called canary, or without a reference.

    >>> find_gap(TestSet("toy", {"A": ["a"]}, {"ref": ["a"]}, lines=[2]))
    Gap(first=1, n=1, why='canary')
    """
    n = testset.lines[-1] - testset.n_segments
    if n <= 0:
        return None
    lines = set(testset.lines)
    first = next(line for line in range(1, testset.lines[-1]) if line not in lines)
    if not testset.has_texts:
        return Gap(first, n, None)
    lacks_references = any(assumption.code == "no-reference" for assumption in testset.assumed)
    return Gap(first, n, "canary or no reference" if lacks_references else "canary")


def _count_scores(scores: SegmentScores, name: str) -> int:
    """Count the scores of a system."""
    return sum(score is not None for score in scores.by_system.get(name, ()))


def _count_texts(role: str, name: str, texts: Sequence[str | None]) -> Holding:
    present = [text for text in texts if text is not None]
    if not present:
        return Holding(role, name, None)
    filled = [text for text in present if text.strip()]
    words = None
    if find_spaceless(present) not in _NO_SPACES:
        words = sum(len(text.split()) for text in present)
    return Holding(
        role,
        name,
        len(present),
        words=words,
        characters=count_characters(present),
        empty=len(present) - len(filled),
        repeated=len(filled) - len(set(filled)),
    )
