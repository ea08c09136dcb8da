"""Corrections for many comparisons: raw p-values -> adjusted p-values, to be held against alpha."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mtsig_core.inference.row_chunks import Rows, by_rows, in_turn
from mtsig_core.inference.ties import count_extreme

__all__ = ["ADJUSTMENTS", "CORRECTIONS", "FAMILY_WISE", "romano_wolf"]

#: Those that control the probability of any false decision.
FAMILY_WISE = ("bonferroni", "holm", "romano-wolf")


def none(p: np.ndarray) -> np.ndarray:
    """No correction."""
    return p.copy()


def bonferroni(p: np.ndarray) -> np.ndarray:
    """Bonferroni: m p. Controls the family-wise error rate under any dependence."""
    adjusted: np.ndarray = np.minimum(1, p * p.size)
    return adjusted


def holm(p: np.ndarray) -> np.ndarray:
    """Holm (1979), step-down Bonferroni. Controls the family-wise error rate under any dependence."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return _back(np.minimum(1, stepped), order)


def bh(p: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg (1995). Controls the false discovery rate under positive dependence."""
    return _step_up(p, 1.0)


def by(p: np.ndarray) -> np.ndarray:
    """Benjamini and Yekutieli (2001). Controls the false discovery rate under any dependence."""
    return _step_up(p, np.sum(1 / np.arange(1, p.size + 1)))


#: The corrections that need nothing but p-values, shape (m,) -> (m,).
ADJUSTMENTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "none": none, "bonferroni": bonferroni, "holm": holm, "bh": bh, "by": by}
#: All of them, as named on the command line.
CORRECTIONS = (*ADJUSTMENTS, "romano-wolf")


def romano_wolf(observed: np.ndarray, null: np.ndarray | Rows, tolerance: float = 1e-9, *,
                whole: bool = False) -> np.ndarray:
    """Step-down max-T of Romano and Wolf (2005): family-wise error from the joint null of all pairs.

    Each pair is studentised by the standard deviation of its null. A pair whose null does not vary takes no part in the
    maximum: without a difference (identical outputs) it gets p = 1; a difference that is the same in every draw is
    infinitely many standard deviations, so that it comes first in the step-down and keeps the p of the pair alone.

    Parameters
    ----------
    observed : ndarray, shape (pairs,)
        Observed differences.
    null : ndarray or Rows, shape (pairs, replicates)
        Differences under the null hypothesis, the same draws for all pairs.
    tolerance : float
        A null difference that is less by this share of a pair's largest counts as equal.
    whole : bool
        Whether null and observed differences together are all that there can be. The standard deviation is then that of
        all, which is the same whichever of them is observed, so that p is exact.

    Returns
    -------
    ndarray, shape (pairs,)
        Adjusted p-values, at least 1 / (replicates + 1).
    """
    n = null.shape[1]

    def spread_and_size(d0: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.array([(np.column_stack([d0, rows]) if whole else rows).std(axis=1),
                         np.maximum(np.abs(d0), np.abs(rows).max(axis=1, initial=0.0))])

    spread, size = by_rows(spread_and_size, observed, null)
    ties = tolerance * size
    varies = spread > ties
    adjusted = np.ones(len(observed))
    constant = np.flatnonzero(~varies & (observed != 0))
    if len(constant):
        kept = null[constant]
        adjusted[constant] = (count_extreme(observed[constant], kept, np.zeros(len(kept))) + 1) / (n + 1)
    if not varies.any():
        return adjusted
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(varies, np.abs(observed) / spread, -np.inf)
    order = np.argsort(size, kind="stable")[np.count_nonzero(~varies):]  # smallest first
    largest = np.zeros(n)  # over the pairs not yet passed
    p = np.empty(len(order))
    for k, (pair, row) in enumerate(zip(order, in_turn(null, order), strict=True)):
        np.maximum(largest, np.abs(row) / spread[pair], out=largest)
        threshold = (abs(observed[pair]) - ties[pair]) / spread[pair]
        p[k] = (np.count_nonzero(largest >= threshold) + 1) / (n + 1)
    adjusted[order] = np.maximum.accumulate(p[::-1])[::-1]
    return adjusted


def _step_up(p: np.ndarray, factor: float) -> np.ndarray:
    order = np.argsort(p, kind="stable")
    scaled = p[order] * (factor * p.size) / np.arange(1, p.size + 1)
    return _back(np.minimum(1, np.minimum.accumulate(scaled[::-1])[::-1]), order)


def _back(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Undo a sort."""
    out = np.empty_like(values)
    out[order] = values
    return out
