"""Training runs: how much scores differ between them, told apart from how much they would between test sets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from mtsig_core.results import MetricResult, PairResult, PairRuns, SystemRuns
from mtsig_core.stats.power import unbiased, units_freedom, welch_satterthwaite


def runs_across(results: Iterable[MetricResult], names: Iterable[str], alpha: float) -> tuple[SystemRuns, ...]:
    """The training runs of systems across language pairs: run k has the mean of its scores in all of them.

    Of systems with as many runs in every language pair, and several. The variance of these means is that of a mean
    score either way: where run k is one training for all language pairs, and where each was trained by itself.
    """
    in_pairs = [{row.system: row.scores for row in result.runs} for result in results]
    found = []
    for name in names:
        scores = [of.get(name, ()) for of in in_pairs]
        if len({len(own) for own in scores}) == 1 and len(scores[0]) > 1:
            found.append(spread_of_runs(name, np.mean(scores, axis=0).tolist(), alpha))
    return tuple(found)


def spread_of_runs(name: str, scores: Sequence[float], alpha: float) -> SystemRuns:
    """The scores of the training runs of a system, and their standard deviation with its interval."""
    sd = float(np.std(scores, ddof=1)) if len(scores) > 1 else None
    ends = (None, None) if sd is None else spread_interval(sd, len(scores), alpha)
    return SystemRuns(name, tuple(scores), sd, *ends)


def spread_interval(sd: float, n_runs: int, alpha: float = 0.05) -> tuple[float, float]:
    """Interval of level 1 - alpha for the standard deviation of normal runs: sd sqrt(f / chi-squared(f)), f = R - 1.

    Examples
    --------
    Of two runs next to nothing is known:

    >>> [round(end, 2) for end in spread_interval(1.0, 2)], [round(end, 2) for end in spread_interval(1.0, 5)]
    ([0.45, 31.91], [0.6, 2.87])
    """
    from scipy.special import gammaincinv

    freedom = n_runs - 1
    low, high = (sd * math.sqrt(freedom / (2 * gammaincinv(freedom / 2, level)))
                 for level in (1 - alpha / 2, alpha / 2))
    return low, high


def pair_runs(pairs: Iterable[PairResult], runs: Sequence[SystemRuns]) -> tuple[PairRuns, ...]:
    """The standard errors of each pair: over test sets, between runs, and of both.

    Runs of two systems are independent, so their variances add up; and so do those of test set and training. What
    differs from run to run on a segment is in both, divided by the number of runs: the sum errs on the large side.
    Of two or three runs the SD is hardly known, and a difference has to exceed more standard errors: t with degrees of
    freedom by Welch and Satterthwaite, those of R runs R - 1.
    """
    spread = {row.system: None if row.sd is None else (row.sd**2 / len(row.scores), len(row.scores) - 1.0)
              for row in runs}
    found = []
    for pair in pairs if runs else ():
        a, b = spread[pair.a], spread[pair.b]
        between = None if a is None or b is None else math.sqrt(a[0] + b[0])
        total = freedom = None
        if a and b and pair.se is not None:
            of_testset = unbiased(pair.se, pair.n_units), float(units_freedom(pair.n_effective))
            variances, degrees = np.array([(of_testset[0] ** 2, of_testset[1]), a, b]).T
            total, freedom = math.sqrt(variances.sum()), float(welch_satterthwaite(variances, degrees))
        found.append(PairRuns(pair.a, pair.b, pair.se, between, total, freedom))
    return tuple(found)


def turning(row: PairRuns, alpha: float) -> float | None:
    """The difference that another test set and other runs would not turn, in points: t SE of both; None without it."""
    from scipy.special import stdtrit

    if row.se_total is None or row.df_total is None:
        return None
    return float(stdtrit(row.df_total, 1 - alpha / 2)) * row.se_total
