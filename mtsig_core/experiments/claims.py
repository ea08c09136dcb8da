"""Many comparisons of which some are of truly different systems: false and lost findings by correction."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.experiments.family_wise_error import corrected, drawn_from, randomized
from mtsig_core.experiments.population import (
    Population,
    Rate,
    check_whole,
    equal_systems,
    rate,
    repeated,
    told,
)
from mtsig_core.inference import engine
from mtsig_core.inference.correction import CORRECTIONS
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.inference.resampling import Units
from mtsig_core.inference.settings import check_level
from mtsig_core.inference.significance import decide
from mtsig_core.metrics import Metric, direction

__all__ = ["STREAM", "ClaimCounts", "Claims", "Mean", "claims", "drawn", "share_for", "share_of_best"]

STREAM = 42  # of the draws of test sets
_AIM = 2.8  # standard errors that the true difference is to have: found 8 times in 10 where it alone is tested


@dataclass(frozen=True)
class Mean:
    """A mean over repeats with its 95% Monte Carlo interval by normal theory; `share` as in `Rate`."""

    share: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class ClaimCounts:
    """What is claimed under one correction.

    Attributes
    ----------
    correction : str
    any_false : Rate
        Test sets with a false claim: the family-wise error. False is a claim between equal systems, and one for the
        worse system.
    false_share : Mean
        Mean share of the claims of a test set that are false, 0 where there are none: the false discovery rate.
    lost : Mean
        Mean share of the true differences that are not found.
    """

    correction: str
    any_false: Rate
    false_share: Mean
    lost: Mean


@dataclass(frozen=True)
class Claims:
    """False and lost findings by correction.

    Attributes
    ----------
    metric : str
    alpha : float
    repeats, trials, seed, n_segments, systems, better : int
        `better` of the systems are truly better than the others.
    true_pairs, null_pairs : int
    difference : float
        Of the better over the others, in points: of the mixtures that the systems are drawn from.
    rows : tuple of ClaimCounts
        One for each of `CORRECTIONS`, on the same test sets.
    """

    metric: str
    alpha: float
    repeats: int
    trials: int
    seed: int
    n_segments: int
    systems: int
    better: int
    true_pairs: int
    null_pairs: int
    difference: float
    rows: tuple[ClaimCounts, ...]


def claims(testset: TestSet, metric: str | Metric, *, systems: int = 15, better: int = 3, repeats: int = 300,
           n_segments: int | None = None, trials: int = 4999, alpha: float = 0.05, seed: int = 0, jobs: int = 1,
           statistics: np.ndarray | None = None, progress: Progress | None = None,
           found: Callable[[int, int, Claims], None] | None = None) -> Claims:
    """False and lost findings among all pairs of systems, of which a few are truly better, by every correction.

    Equal systems are made by chance, as in `families`. Each of the better ones says of a share of the segments what
    the best real system says, and else what one of all says; the share is the one that makes the difference 2.8
    standard errors at this size, or 1. Approximate randomization by segment.

    Parameters
    ----------
    testset, metric, statistics, progress, found, repeats, n_segments, alpha, seed, jobs
        As in `mtsig_core.experiments.family_wise_error.families`.
    trials : int
        Holm does no better than Bonferroni where few p are possible below alpha / pairs.
    systems : int
        3 to 50.
    better : int
        At least 1, and fewer than the systems.

    Raises
    ------
    SettingError

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e", "a b c d x"] * 30, "B": ["a b c d x", "a b c y z", "a b c y e"] * 20},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = claims(ts, "bleu", systems=4, better=1, repeats=10, trials=99)
    >>> found.true_pairs, found.null_pairs, [row.correction for row in found.rows][:2]
    (3, 3, ['none', 'bonferroni'])
    """
    check_level(alpha)
    check_whole("systems", systems, 3, 50)
    check_whole("better", better, 1, systems - 1)
    check_whole("repeats", repeats, 2, 100_000)
    whole, n = drawn_from(testset, metric, n_segments, alpha, trials, statistics, progress)
    units, pairs, sign = Units.segments(n), engine.all_pairs(systems), direction(whole.metric)
    true = (pairs[:, 0] < better) & (pairs[:, 1] >= better)
    share, difference = share_of_best(whole, n, trials, seed)

    def one(k: int, rng: np.random.Generator) -> list[tuple[int, int, int]]:
        data = engine.UnitStatistics(whole.metric, drawn(whole, systems, better, share, n, rng), units)
        delta, null, p = randomized(data, pairs, trials, rng)
        adjusted = corrected(delta, null, p, units)
        return [_counted(decide(sign * delta, alpha, p=adjusted[name]), true) for name in CORRECTIONS]

    def gathered(sets: list[list[tuple[int, int, int]]]) -> Claims:
        counts, n_sets, rows = np.array(sets), len(sets), []
        for k, name in enumerate(CORRECTIONS):
            claimed, false, right = counts[:, k].T
            rows.append(ClaimCounts(name, rate(int(np.count_nonzero(false)), n_sets),
                                    _mean(false / np.maximum(claimed, 1)), _mean(1 - right / true.sum())))
        return Claims(whole.metric.name, alpha, n_sets, trials, seed, n, systems, better, int(true.sum()),
                      int((~true).sum()), difference, tuple(rows))

    return gathered(repeated(one, repeats, seed, STREAM, jobs=jobs, progress=stage(progress, "families"),
                             found=told(found, repeats, gathered)))


def _counted(decided: np.ndarray, true: np.ndarray) -> tuple[int, int, int]:
    """Claims, those that are false, those that are right; `decided` is 1, -1 or 0 and a true pair has the better
    system first."""
    claimed, right = int(np.count_nonzero(decided)), int(np.count_nonzero(true & (decided == 1)))
    return claimed, claimed - right, right


def drawn(whole: Population, systems: int, better: int, share: float, n: int,
           rng: np.random.Generator) -> np.ndarray:
    """Statistics of one test set, the better systems first, shape (systems, n, stats).

    Parameters
    ----------
    whole : Population
    systems, better : int
    share : float
        Of the segments on which a better system says what the best real one says; see `share_of_best`.
    n : int
        Segments.
    rng : numpy.random.Generator
    """
    speaker = rng.integers(0, len(whole.systems), (systems, n))
    speaker[:better][rng.random((better, n)) < share] = 0  # the best of the real ones
    return whole.statistics[speaker, rng.integers(0, whole.n_segments, n)]


def share_of_best(whole: Population, n: int, trials: int, seed: int) -> tuple[float, float]:
    """How much of a better system the best real one says, and the difference that makes, in points."""
    rng = np.random.default_rng([seed, STREAM, 1])
    data = engine.UnitStatistics(whole.metric, equal_systems(whole, 2, n, rng), Units.segments(n))
    nulls = engine.swap_differences(data, np.array([[0, 1]]), max(trials, 200), seed)
    return share_for(whole, _AIM * float(nulls.std()))


def share_for(whole: Population, aim: float) -> tuple[float, float]:
    """The same for a difference that is asked for, in points; all of the best real one where that is not enough."""
    sums = whole.statistics.sum(axis=1, dtype=np.float64)
    every, best, sign = sums.mean(axis=0), sums[0], direction(whole.metric)

    def gap(share: float) -> float:
        mixed = np.stack([(1 - share) * every + share * best, every])
        scores = whole.metric.score(mixed)
        return float(sign * (scores[0] - scores[1]))

    low, high = 0.0, 1.0
    if gap(1.0) > aim:
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if gap(middle) < aim else (low, middle)
    return high, gap(high)


def _mean(values: np.ndarray) -> Mean:
    half = 1.959963984540054 * float(values.std(ddof=1)) / math.sqrt(len(values))
    mean = float(values.mean())
    if half == 0 and mean in (0, 1):  # all alike: as sure as a share of so many can be
        sure = rate(int(mean * len(values)), len(values))
        return Mean(mean, sure.low or 0.0, 1.0 if sure.high is None else sure.high, len(values))
    return Mean(mean, max(0.0, mean - half), min(1.0, mean + half), len(values))
