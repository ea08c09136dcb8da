"""Fifteen systems, every pair tested, test set after test set: what a lecture shows of many comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.experiments import claims, family_wise_error
from mtsig_core.experiments.family_wise_error import corrected, drawn_from, randomized
from mtsig_core.experiments.population import Population, Rate, equal_systems, rate
from mtsig_core.inference import engine
from mtsig_core.inference.resampling import Units
from mtsig_core.inference.significance import decide
from mtsig_core.metrics import Metric, direction

__all__ = ["ALPHA", "BETTER", "CORRECTIONS_SHOWN", "SYSTEMS", "Family", "Tables", "family", "tables"]

SYSTEMS, BETTER = 15, 3
CORRECTIONS_SHOWN = ("none", "bh", "holm", "romano-wolf")
ALPHA = 0.05
_TRIALS = 2999  # with 999 no p is small enough for Holm's first of 105: it would find nothing, ever


@dataclass(frozen=True, eq=False)
class Tables:
    """What is claimed on each test set.

    Attributes
    ----------
    pairs : ndarray of int, shape (pairs, 2)
    true : ndarray of bool, shape (pairs,)
        Where the first system is truly better; elsewhere the two are equal.
    decided : dict of str to ndarray of int, shape (test sets, pairs)
        By correction: 1 where the first system is claimed to be better, -1 the second, 0 none.
    """

    pairs: np.ndarray
    true: np.ndarray
    decided: dict[str, np.ndarray]

    @classmethod
    def joined(cls, parts: Sequence[Tables]) -> Tables:
        """Test sets of several, one after the other."""
        return replace(parts[0], decided={name: np.concatenate([part.decided[name] for part in parts])
                                          for name in parts[0].decided})

    def first(self, n: int) -> Tables:
        """The first n test sets."""
        return replace(self, decided={name: rows[:n] for name, rows in self.decided.items()})

    def cells(self, correction: str) -> list[list[tuple[int, int]]]:
        """The claims of each test set: (pair, 1 or -1)."""
        return [[(int(k), int(row[k])) for k in np.flatnonzero(row)] for row in self.decided[correction]]

    def any_false(self, correction: str) -> Rate:
        """Test sets with a false claim."""
        return rate(int(np.count_nonzero(self.false(correction))), len(self.decided[correction]))

    def false(self, correction: str) -> np.ndarray:
        """False claims of each test set, shape (test sets,): between equals, and for the worse."""
        found = self.decided[correction]
        return np.asarray(((found != 0) & ~(self.true & (found == 1))).sum(axis=1))

    def lost(self, correction: str) -> np.ndarray:
        """True differences not found on each test set, shape (test sets,)."""
        return np.asarray((self.true & (self.decided[correction] != 1)).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Family:
    """What test sets are drawn from.

    Attributes
    ----------
    whole : Population
    n : int
        Segments of each test set.
    better : int
        How many of the systems are truly better than the others.
    share : float
        See `claims.share_of_best`.
    """

    whole: Population
    n: int
    better: int
    share: float


def family(testset: TestSet, metric: str | Metric, *, better: int = 0, n_segments: int | None = None, seed: int = 0,
           statistics: np.ndarray | None = None) -> Family:
    """Prepare the drawing of test sets; `n_segments` as in `family_wise_error.families`."""
    whole, n = drawn_from(testset, metric, n_segments, ALPHA, _TRIALS, statistics, None)
    return Family(whole, n, better, claims.share_of_best(whole, n, _TRIALS, seed)[0] if better else 0.0)


def tables(drawn: Family, seed: int, start: int, stop: int) -> Tables:
    """Test sets `start` to `stop`: those of `families`, or of `claims`, with 2,999 trials.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e", "a b c d x"] * 30, "B": ["a b c d x", "a b c d e", "a b c y e"] * 20},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = tables(family(ts, "bleu"), 0, 0, 2)
    >>> found.decided["none"].shape, found.true.any(), found.false("holm").tolist()
    ((2, 105), np.False_, [0, 0])
    """
    pairs, sign = engine.all_pairs(SYSTEMS), direction(drawn.whole.metric)
    decided: dict[str, list[np.ndarray]] = {name: [] for name in CORRECTIONS_SHOWN}
    for k in range(start, stop):
        rng = np.random.default_rng([seed, claims.STREAM if drawn.better else family_wise_error.STREAM, k])
        statistics = claims.drawn(drawn.whole, SYSTEMS, drawn.better, drawn.share, drawn.n, rng) if drawn.better \
            else equal_systems(drawn.whole, SYSTEMS, drawn.n, rng)
        data = engine.UnitStatistics(drawn.whole.metric, statistics, Units.segments(drawn.n))
        delta, null, p = randomized(data, pairs, _TRIALS, rng)
        adjusted = corrected(delta, null, p, data.units)
        for name, rows in decided.items():
            rows.append(decide(sign * delta, ALPHA, p=adjusted[name]))
    return Tables(pairs, (pairs[:, 0] < drawn.better) & (pairs[:, 1] >= drawn.better),
                  {name: np.array(rows) for name, rows in decided.items()})
