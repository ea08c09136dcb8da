"""Systems with skewed differences: a few units are far from the others, always on the same side.

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
#: The skewness has to be so many standard errors of a normal sample's skewness from 0: less is
#: chance.
LEAST_ERRORS = 3.0
#: skewness / sqrt(n) has to be so large, as the level depends on it: with less, so many units make
#: up for it.
LEAST_EFFECT = 0.1
#: The differences of a system have to be so many times as skewed as nearly all of the others.
LEAST_CONTRAST = 2.0
_NEARLY_ALL = 0.9
#: One in so many pairs of a system may differ: the other system may be skewed, too.
_EXCEPTIONS = 5
_FAR = 0.5  # of the distance of the farthest unit
_MOST_NAMED = 3  # units


@dataclass(frozen=True)
class SkewedSystem:
    """One system, and the units that its differences to the others are skewed by."""

    system: str
    is_worse: bool  # whether it is worse in the few units
    #: How many units are at least half as far from the mean as the farthest one, their share of the
    #: spread of its differences (the sum of their squares), and the names of the first of them,
    #: empty without names.
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
    """Find the systems whose differences to the others are skewed, all in the same direction.

    The limits are `LEAST_ERRORS`, `LEAST_EFFECT` and `LEAST_CONTRAST`. Two systems are never
    skewed. `left_out` has the differences of the pairs with each unit left out, shape (pairs,
    units); `sizes` the segments of each unit; `unit_names` the names of the units, empty where they
    have none; `sign` turns a difference into an improvement.
    """
    if len(names) < LEAST_SYSTEMS or not len(pairs) or not left_out.shape[1]:
        return ()
    skewness = measure_skewness(left_out)
    least = max(
        LEAST_ERRORS * chance_skewness(sizes),
        LEAST_EFFECT * float(np.sqrt(effective_number(sizes))),
    )
    common_skewness = {}
    for k in range(len(names)):
        in_all, signs = _find_pairs(pairs, k)
        common = _common_skewness(skewness[in_all] * signs)
        if abs(common) >= least:
            common_skewness[k] = common
    is_unskewed = ~np.isin(pairs, list(common_skewness)).any(axis=1)
    if not is_unskewed.any():
        return ()
    usual = float(np.quantile(np.abs(skewness[is_unskewed]), _NEARLY_ALL))
    skewed = []
    for k, common in common_skewness.items():
        if abs(common) < LEAST_CONTRAST * usual:
            continue
        in_all, signs = _find_pairs(pairs, k)
        values = pseudo_values(left_out[in_all])[0] * signs[:, None]
        is_worse = common * sign < 0
        skewed.append(_describe(names[k], values.mean(axis=0), is_worse, unit_names))
    return tuple(skewed)


def _find_pairs(pairs: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of system k, and the signs that turn them so that it comes first."""
    in_all = np.flatnonzero((pairs == k).any(axis=1))
    return in_all, np.where(pairs[in_all, 0] == k, 1.0, -1.0)


def chance_skewness(sizes: np.ndarray) -> float:
    """Compute the standard error of the skewness of normal sums over units of these sizes.

    sqrt(6 / n) of equal ones, and more of unequal ones, as large units are far from the others.

    >>> round(chance_skewness(np.full(24, 7)), 3)
    0.5
    """
    shares = sizes / sizes.mean()
    return float(np.sqrt(6 * np.mean(shares**3) / len(sizes)))


def _common_skewness(signed: np.ndarray) -> float:
    """The skewness that nearly all pairs of a system reach, with the sign that most of them have.

    0 if they do not have the same sign.
    """
    if not len(signed):
        return 0.0
    side = float(np.sign(np.median(signed)))
    ascending = np.sort(signed * side)
    return side * max(0.0, float(ascending[len(signed) // _EXCEPTIONS]))


def measure_skewness(left_out: np.ndarray) -> np.ndarray:
    """The skewness of the pseudo-values of each row, 0 where nothing varies; (k, units) -> (k,)."""
    skewness = np.zeros(len(left_out))
    for rows in row_chunks(*left_out.shape):
        values, has_part = pseudo_values(left_out[rows])
        n = np.maximum(has_part.sum(axis=1), 1)
        squares = values**2
        variance = squares.sum(axis=1) / n
        # `values**3` takes fifteen times as long, as it calls the power of the C library.
        cubes = (squares * values).sum(axis=1) / n
        nothing = np.zeros_like(cubes)
        skewness[rows] = np.divide(cubes, variance**1.5, out=nothing, where=variance > 0)
    return skewness


def measure_sizes(units: Units) -> np.ndarray:
    """The segments of each unit.

    The pieces of stationary blocks that a jackknife leaves out are nearly equal.
    """
    if units.kind == "document":
        return np.bincount(units.index)
    return np.ones(units.pieces)


def list_unit_names(testset: TestSet, units: Units) -> tuple[str, ...]:
    """The names of the units: ids of documents, lines of segments; stationary blocks have none."""
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
    largest_units = ()
    if unit_names:
        largest_units = tuple(unit_names[k] for k in far[:_MOST_NAMED])
    return SkewedSystem(name, is_worse, len(far), share, largest_units)
