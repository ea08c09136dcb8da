"""Systems whose differences to the others are skewed: a few units are far from the rest, always on
the same side.

A test of means then rejects too often: a sample without such units has a mean too far on one side
and a standard error that is too small. Where all systems are skewed alike, their differences are
not, and the level holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mtsig_core.stats.arrays import row_chunks
from mtsig_core.stats.resampling import Units, effective_number
from mtsig_core.stats.studentised import pseudo_values
from mtsig_core.testset import TestSet

#: With two systems nothing tells which of them is skewed.
LEAST_SYSTEMS = 3
#: How many standard errors of a normal sample's skewness the skewness has to be from 0: less is
#: chance.
LEAST_ERRORS = 3.0
#: How large skewness / sqrt(n) has to be, which is what the level depends on: with less, so many
#: units make up for it.
LEAST_EFFECT = 0.1
#: How many times as skewed as nearly all differences of the other systems those of one system have
#: to be.
LEAST_CONTRAST = 2.0
_NEARLY_ALL = 0.9
#: Of a system's pairs one in so many may be otherwise: those with another system that is skewed,
#: too.
_EXCEPTIONS = 5
_FAR = 0.5
_MOST_NAMED = 3  # units


@dataclass(frozen=True)
class SkewedSystem:
    """One system, and the units that its differences to the others are skewed by."""

    system: str
    is_worse: bool  # whether the few units speak against it
    #: How many units are at least half as far from the mean as the farthest one, which share of the
    #: spread of its differences (the sum of their squares) they carry, and the names of the first
    #: of them, empty without names.
    n_far: int
    share: float
    named: tuple[str, ...]


def find_skewed(
    left_out: np.ndarray,
    pairs: np.ndarray,
    sizes: np.ndarray,
    names: Sequence[str],
    unit_names: Sequence[str],
    sign: int,
) -> tuple[SkewedSystem, ...]:
    """The systems whose differences to the others are skewed, the same way round, by
    `LEAST_ERRORS`, `LEAST_EFFECT` and `LEAST_CONTRAST`. There is none of two systems.

    `left_out` has the differences of the pairs with each unit left out, shape (pairs, units);
    `sizes` the segments of each unit; `unit_names` the names of the units, empty where they have
    none; `sign` turns a difference into an improvement.
    """
    if len(names) < LEAST_SYSTEMS or not len(pairs) or not left_out.shape[1]:
        return ()
    skewness = measure_skewness(left_out)
    least = max(
        LEAST_ERRORS * chance_skewness(sizes),
        LEAST_EFFECT * float(np.sqrt(effective_number(sizes))),
    )
    one_sided = {}
    for k in range(len(names)):
        size = _common_skewness(_signed(skewness, pairs, k))
        if abs(size) >= least:
            one_sided[k] = size
    alike = ~np.isin(pairs, list(one_sided)).any(axis=1)  # pairs of systems that are not skewed
    if not alike.any():
        return ()
    beside = float(np.quantile(np.abs(skewness[alike]), _NEARLY_ALL))
    found = []
    for k, size in one_sided.items():
        if abs(size) >= LEAST_CONTRAST * beside:
            own = (pairs == k).any(axis=1)
            values = pseudo_values(left_out[own])[0] * np.where(pairs[own, :1] == k, 1.0, -1.0)
            found.append(_describe(names[k], values.mean(axis=0), size * sign < 0, unit_names))
    return tuple(found)


def chance_skewness(sizes: np.ndarray) -> float:
    """The standard error of the skewness of normal sums over units of these sizes: sqrt(6 / n) of
    equal ones, and more of unequal ones, as large units are far from the rest.

    >>> round(chance_skewness(np.full(24, 7)), 3)
    0.5
    """
    shares = sizes / sizes.mean()
    return float(np.sqrt(6 * np.mean(shares**3) / len(sizes)))


def _signed(skewness: np.ndarray, pairs: np.ndarray, k: int) -> np.ndarray:
    """The skewness of the differences of system k, itself first, to the others."""
    own = np.flatnonzero((pairs == k).any(axis=1))
    signed: np.ndarray = skewness[own] * np.where(pairs[own, 0] == k, 1.0, -1.0)
    return signed


def _common_skewness(signed: np.ndarray) -> float:
    """The skewness that nearly all pairs of a system reach, with the sign that most of them have; 0
    if they do not have the same.
    """
    if not len(signed):
        return 0.0
    side = float(np.sign(np.median(signed)))
    ascending = np.sort(signed * side)
    return side * max(0.0, float(ascending[len(signed) // _EXCEPTIONS]))


def measure_skewness(left_out: np.ndarray) -> np.ndarray:
    """The skewness of the pseudo-values of each row, 0 where nothing varies; (k, units) -> (k,)."""
    found = np.zeros(len(left_out))
    for rows in row_chunks(*left_out.shape):
        values, has_part = pseudo_values(left_out[rows])
        n = np.maximum(has_part.sum(axis=1), 1)
        variance = (values**2).sum(axis=1) / n
        cubes = (values**3).sum(axis=1) / n
        found[rows] = np.divide(cubes, variance**1.5, out=np.zeros_like(cubes), where=variance > 0)
    return found


def measure_sizes(units: Units) -> np.ndarray:
    """The segments of each unit; of stationary blocks, the pieces that a jackknife leaves out are
    as good as equal.
    """
    return np.ones(units.pieces) if units.kind != "document" else np.bincount(units.index)


def list_unit_names(testset: TestSet, units: Units) -> tuple[str, ...]:
    """What the units are called: documents by their ids, segments by their lines; stationary blocks
    have no name.
    """
    if units.block_length is not None:
        return ()
    if units.kind == "segment" or testset.documents is None:
        return tuple(f"line {line}" for line in testset.lines)
    firsts = np.unique(testset.document_index, return_index=True)[1]
    return tuple(testset.documents[first] for first in firsts)


def _describe(
    name: str, values: np.ndarray, is_worse: bool, unit_names: Sequence[str]
) -> SkewedSystem:
    """A system with the units in which its mean difference to the others is far from the rest."""
    order = np.argsort(-np.abs(values), kind="stable")
    far = order[np.abs(values[order]) >= _FAR * np.abs(values).max()]
    share = float(np.sum(values[far] ** 2) / np.sum(values**2))
    named = tuple(unit_names[k] for k in far[:_MOST_NAMED]) if unit_names else ()
    return SkewedSystem(name, is_worse, len(far), share, named)
