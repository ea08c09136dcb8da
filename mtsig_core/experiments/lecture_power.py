"""Two systems of which one is truly better, tested on test set after test set: what a lecture shows of power."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.experiments.claims import drawn, share_for
from mtsig_core.experiments.family_wise_error import randomized
from mtsig_core.experiments.population import Population, Rate, population, rate
from mtsig_core.inference import engine
from mtsig_core.inference.power import exaggeration_at, power_at
from mtsig_core.inference.resampling import Units
from mtsig_core.inference.significance import significant
from mtsig_core.metrics import Metric, direction

__all__ = ["ALPHA", "Better", "PowerTests", "better", "power_tests"]

ALPHA = 0.05
_TRIALS = 999
_STREAM = 61
_PAIR = np.array([[0, 1]])


@dataclass(frozen=True, eq=False)
class Better:
    """Two systems, the first truly better than the second.

    Attributes
    ----------
    whole : Population
        Of whose systems both are mixed.
    share : float
        Of the segments on which the first says what the best of them says; see `claims.drawn`.
    difference : float
        In points, of the mixtures.
    spread : float
        Standard error of the difference times the root of the number of segments, in points; by the jackknife.
    """

    whole: Population
    share: float
    difference: float
    spread: float

    def error(self, n: int) -> float:
        """Standard error of the difference on test sets of n segments."""
        return self.spread / float(np.sqrt(n))

    def planned(self, n: int) -> float:
        """Power that is planned for n segments."""
        return float(power_at(self.difference, self.error(n), ALPHA, n_effective=n))

    def planned_exaggeration(self, n: int) -> float:
        """How many times the true difference significant ones are expected to be, on average."""
        return float(exaggeration_at(self.difference, self.error(n), ALPHA, n_effective=n))


@dataclass(frozen=True, eq=False)
class PowerTests:
    """Test sets on which the two were compared.

    Attributes
    ----------
    true : float
        The true difference, in points.
    differences, p : ndarray, shape (tests,)
        What was observed, and p of approximate randomization.
    """

    true: float
    differences: np.ndarray
    p: np.ndarray

    @classmethod
    def joined(cls, parts: Sequence[PowerTests]) -> PowerTests:
        """Test sets of several, one after the other."""
        return replace(parts[0], differences=np.concatenate([part.differences for part in parts]),
                       p=np.concatenate([part.p for part in parts]))

    def first(self, n: int) -> PowerTests:
        """The first n test sets."""
        return replace(self, differences=self.differences[:n], p=self.p[:n])

    @property
    def significant(self) -> np.ndarray:
        """Where the difference is, whichever system it is for, shape (tests,)."""
        return significant(self.p, ALPHA)

    @property
    def found(self) -> Rate:
        """How often it is."""
        return rate(int(np.count_nonzero(self.significant)), len(self.p))

    @property
    def turned(self) -> int:
        """How many of these are for the worse system (errors of sign, type S)."""
        return int(np.count_nonzero(self.significant & (self.differences < 0)))

    @property
    def running_sizes(self) -> list[float | None]:
        """`size_found` after each test set."""
        found = self.significant
        sums, counts = np.cumsum(np.abs(self.differences) * found), np.cumsum(found)
        return [float(total / count) if count else None for total, count in zip(sums, counts, strict=True)]

    @property
    def size_found(self) -> float | None:
        """Mean size of the significant differences, either way, in points; None where there is none."""
        return self.running_sizes[-1]


def better(testset: TestSet, metric: str | Metric, points: float, *, statistics: np.ndarray | None = None) -> Better:
    """Mix two systems of those of a test set, so that one is better by so many points, or as many as there can be.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e", "a b c d x"] * 30, "B": ["a b c d x", "a b c y z", "a b c y e"] * 20},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = better(ts, "bleu", 5.0)
    >>> round(found.difference, 1), 0 < found.share < 1, found.planned(100) < found.planned(1000)
    (5.0, True, True)
    """
    whole = population(testset, metric, statistics=statistics)
    share, difference = share_for(whole, points)
    n = whole.n_segments
    mixed = drawn(whole, 2, 1, share, n, np.random.default_rng(_STREAM))
    a, b = engine.jackknife_scores(engine.UnitStatistics(whole.metric, mixed, Units.segments(n)))
    return Better(whole, share, difference, float(np.sqrt(n * (n - 1)) * (a - b).std()))


def power_tests(two: Better, n: int, seed: int, start: int, stop: int) -> PowerTests:
    """Test sets `start` to `stop` of n segments, drawn with replacement, each tested with 999 random swaps.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e", "a b c d x"] * 30, "B": ["a b c d x", "a b c y z", "a b c y e"] * 20},
    ...              {"ref": ["a b c d e"] * 60})
    >>> power_tests(better(ts, "bleu", 20.0), 200, 0, 0, 10).found.share
    1.0
    """
    sign, differences, p = direction(two.whole.metric), [], []
    for k in range(start, stop):
        rng = np.random.default_rng([seed, _STREAM, k])
        data = engine.UnitStatistics(two.whole.metric, drawn(two.whole, 2, 1, two.share, n, rng), Units.segments(n))
        delta, _, found = randomized(data, _PAIR, _TRIALS, rng)
        differences.append(sign * float(delta[0]))
        p.append(float(found[0]))
    return PowerTests(two.difference, np.array(differences), np.array(p))
