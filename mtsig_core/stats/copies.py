"""Segments that occur more than once in a test set, in different units.

They are drawn as if they were independent.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from mtsig_core.stats.resampling import Units
from mtsig_core.testset import TestSet

#: By how much copies may add to the variance of a mean before it matters: a test at .05 rejects 6%
#: of true nulls then. A few short segments such as 'Yes.' add far less, as a segment counts with
#: the square of its length.
MOST_ADDED = 0.1


@dataclass(frozen=True)
class Copies:
    """Segments with the source and the references of an earlier segment of another unit."""

    n: int
    n_segments: int
    #: The lines of the longest such segment, and of the one that it copies.
    line: int
    first_line: int
    #: What the variance of a mean is with copies that are alike, as a multiple of that with
    #: independent ones.
    inflation: float

    @property
    def matters(self) -> bool:
        """Whether tests and intervals are too sure because of them."""
        return self.inflation > 1 + MOST_ADDED


def find_copies(testset: TestSet, units: Units) -> Copies | None:
    """Return the copies of a test set; None without copies, and without texts to find them by.

    Stationary blocks are cut again for each resample, so each segment is its own unit.

    >>> once = TestSet("toy", {"A": ["a", "b"]}, {"ref": ["one two", "three"]})
    >>> twice = TestSet("toy", {"A": ["a", "b"] * 2}, {"ref": ["one two", "three"] * 2})
    >>> find_copies(once, Units.segments(2)), find_copies(twice, Units.segments(4)).inflation
    (None, 2.0)
    """
    first_of: dict[Hashable, int] = {}
    characters: dict[tuple[int, int], int] = {}  # by the first segment of that text, and by unit
    copies: dict[int, int] = {}  # segment -> the one that it copies
    for segment, (text, length) in enumerate(_list_texts(testset)):
        first = first_of.setdefault(text, segment)
        unit = int(units.index[segment])
        if first != segment and unit != units.index[first]:
            copies[segment] = first
        characters[first, unit] = characters.get((first, unit), 0) + length
    if not copies:
        return None

    def count_characters(segment: int) -> int:
        return characters[copies[segment], int(units.index[segment])]

    longest = max(copies, key=count_characters)
    return Copies(
        len(copies),
        testset.n_segments,
        testset.lines[longest],
        testset.lines[copies[longest]],
        _inflation(characters),
    )


def _list_texts(testset: TestSet) -> Iterator[tuple[Hashable, int]]:
    """The source and references of each segment, and how many characters they have."""
    sides = list(testset.references.values())
    if testset.sources is not None:
        sides.append(testset.sources)
    if sides:
        for texts in zip(*sides, strict=True):
            yield texts, sum(len(text or "") for text in texts)


def _inflation(characters: dict[tuple[int, int], int]) -> float:
    """Compute how copies inflate the variance of a sum, compared with independent units."""
    texts = np.array([first for first, _ in characters])
    sizes = np.array(list(characters.values()), dtype=float)
    together = np.bincount(texts, weights=sizes)
    apart = float(np.sum(sizes**2))
    if apart:
        return float(np.sum(together**2)) / apart
    return 1.0
