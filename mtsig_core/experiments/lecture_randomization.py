"""Approximate randomization, swap by swap: what a lecture shows of it (Riezler and Maxwell 2005, Fig. 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mtsig_core.experiments.lecture_sentences import Excerpt, from_blocks
from mtsig_core.inference.engine import UnitStatistics, swap_differences
from mtsig_core.inference.resampling import Units, coins
from mtsig_core.inference.significance import approximate_randomization
from mtsig_core.inference.ties import rounding

__all__ = ["Swaps", "all_swaps", "random_swaps"]


@dataclass(frozen=True, eq=False)
class Swaps:
    """Differences of two systems after swaps of their outputs.

    Attributes
    ----------
    observed : float
        score(a) - score(b) of the outputs as they are, in points.
    swapped : ndarray of uint8, shape (trials, segments)
        1 where the two outputs trade places.
    differences : ndarray, shape (trials,)
    """

    observed: float
    swapped: np.ndarray
    differences: np.ndarray

    def first(self, n: int) -> Swaps:
        """The first n trials."""
        return Swaps(self.observed, self.swapped[:n], self.differences[:n])

    @property
    def extreme(self) -> np.ndarray:
        """Which differences are at least as large as the observed one, either way, shape (trials,)."""
        slack = rounding(np.append(self.differences, self.observed)[None])[0]
        return np.asarray(np.abs(self.differences) >= abs(self.observed) - slack)

    @property
    def counts(self) -> np.ndarray:
        """c after each trial, shape (trials,)."""
        return np.cumsum(self.extreme)

    @property
    def running_p(self) -> np.ndarray:
        """(c + 1) / (R + 1) after each trial, shape (trials,)."""
        return np.asarray((self.counts + 1) / np.arange(2, len(self.differences) + 2))

    @property
    def p(self) -> float:
        """(c + 1) / (R + 1)."""
        return float(approximate_randomization(np.array([self.observed]), self.differences[None])[0])


def random_swaps(shown: Excerpt, seed: int, start: int, stop: int) -> Swaps:
    """Trials `start` to `stop`, a fair coin for each sentence: drawn also where few sentences would let all be tried.

    Examples
    --------
    >>> from mtsig_core import TestSet
    >>> from mtsig_core.experiments.lecture_sentences import excerpt
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 3, "B": ["a b c d x"] * 3}, {"ref": ["a b c d e"] * 3})
    >>> found = random_swaps(excerpt(ts, "wer", "A", "B", 3, 0), 0, 0, 400)
    >>> found.observed, sorted({round(d, 2) for d in found.differences.tolist()}), 0.2 < found.p < 0.3
    (-20.0, [-20.0, -6.67, 6.67, 20.0], True)
    """
    swapped = from_blocks(lambda block: coins(shown.n, seed, block), start, stop)
    moved = np.einsum("rn,sni->sri", swapped.astype(np.int64), shown.statistics)
    first, second = (total - own + other for total, own, other in zip(
        shown.statistics.sum(axis=1)[:, None], moved, moved[::-1], strict=True))
    return Swaps(_observed(shown), swapped, shown.score(first) - shown.score(second))


def all_swaps(shown: Excerpt) -> Swaps:
    """Every way to swap but the one that swaps nothing, 2^n - 1: then p is exact.

    Examples
    --------
    >>> from mtsig_core import TestSet
    >>> from mtsig_core.experiments.lecture_sentences import excerpt
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 3, "B": ["a b c d x"] * 3}, {"ref": ["a b c d e"] * 3})
    >>> all_swaps(excerpt(ts, "wer", "A", "B", 3, 0)).p
    0.25
    """
    data = UnitStatistics(shown.metric, shown.statistics, Units.segments(shown.n))
    assert data.units.all_swaps is not None, "too many sentences to try all swaps"
    numbers = np.arange(1, data.units.all_swaps + 1)[:, None]
    return Swaps(_observed(shown), (numbers >> np.arange(shown.n) & 1).astype(np.uint8),
                 swap_differences(data, np.array([[0, 1]]), 1, 0)[0])


def _observed(shown: Excerpt) -> float:
    a, b = shown.scores.tolist()
    return float(a - b)
