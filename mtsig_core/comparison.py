"""`compare`: from a test set to scores, intervals, tested pairs, ranks and warnings, in one call."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from mtsig_core import engine
from mtsig_core._rows import row_chunks
from mtsig_core.cache import cached_statistics
from mtsig_core.correction import ADJUSTMENTS, romano_wolf
from mtsig_core.diagnostics import find_cautions
from mtsig_core.errors import SettingError
from mtsig_core.intervals import INTERVALS, Sample
from mtsig_core.metrics import Metric, make_metric
from mtsig_core.power import minimum_detectable_difference
from mtsig_core.ranking import decision_matrix, rank_intervals
from mtsig_core.resampling import Units, make_units
from mtsig_core.results import Comparison, MetricResult, PairResult, Settings, SystemResult, TestSetInfo
from mtsig_core.settings import resolve
from mtsig_core.significance import TESTS, TOLERANCE, win_rates
from mtsig_core.testset import TestSet

__all__ = ["compare"]


def compare(testset: TestSet, metrics: Sequence[str | Metric] = ("bleu",), *, test: str = "ar", unit: str = "auto",
            block_length: float | None = None, trials: int = 9999, alpha: float = 0.05, correction: str = "auto",
            ci: str = "auto", resamples: int = 2000, seed: int = 0, baseline: str | None = None, jobs: int = 1,
            progress: Callable[[str, float], None] | None = None) -> Comparison:
    """Which differences between the systems of a test set are real?

    Parameters
    ----------
    testset : TestSet
    metrics : str, or sequence of str or Metric
        Names, or metrics made with settings of their own.
    test : {"ar", "bootstrap", "percentile", "koehn", "riezler-maxwell"}
    unit : {"auto", "segment", "document", "block"}
        What is drawn or swapped; ``auto`` is the document where ids exist.
    block_length : float, optional
        Mean length of stationary blocks, in segments.
    trials : int
        Draws of the test.
    alpha : float
        Level of the decisions; intervals have level 1 - alpha.
    correction : {"auto", "none", "bonferroni", "holm", "bh", "by", "romano-wolf"}
    ci : {"auto", "percentile", "basic", "bca", "jackknife-t"}
        ``auto`` is percentile, jackknife-t below 100 units.
    resamples : int
        Bootstrap samples behind the intervals and standard errors.
    seed : int
        The same seed gives the same result, whatever `jobs` is.
    baseline : str, optional
        Compare only with this system; there are no rank intervals then.
    jobs : int
        Number of threads, -1 for all cores.
    progress : callable, optional
        Called with (stage, share of it done); may raise `Cancelled` to stop the work.

    Returns
    -------
    Comparison

    Raises
    ------
    SettingError, InputError
        With a message fit for the user.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> pair = compare(ts, trials=999).metrics["bleu"].pairs[0]
    >>> pair.a, pair.b, pair.p_value, pair.better
    ('A', 'B', 0.001, 'a')
    """
    settings, units = resolve(
        testset, test=test, unit=unit, block_length=block_length, trials=trials, alpha=alpha, correction=correction,
        ci=ci, resamples=resamples, seed=seed, baseline=baseline)
    metrics = [metrics] if isinstance(metrics, str) else metrics
    metrics = [make_metric(m) if isinstance(m, str) else m for m in metrics]
    names = [metric.name for metric in metrics]
    if not names or len(set(names)) < len(names):
        raise SettingError(f"metrics are {', '.join(names) or 'none'}. Expected at least one, each only once.")
    if jobs < 1 and jobs != -1:
        raise SettingError(f"jobs is {jobs}. Expected at least 1, or -1 for all cores.")
    results = {}
    for metric in metrics:
        def stage(name, metric=metric):
            return None if progress is None else lambda share: progress(f"{metric.name}: {name}", share)

        results[metric.name] = _compare_one(testset, metric, settings, units, jobs, stage)
    return Comparison(TestSetInfo.of(testset), settings, find_cautions(testset, settings, units, results), results)


def _compare_one(testset: TestSet, metric: Metric, settings: Settings, units: Units, jobs: int,
                 stage: Callable) -> MetricResult:
    if (report := stage("counting")) is not None:
        report(0.0)
    statistics = cached_statistics(metric, testset, report)
    scores = metric.score(statistics.sum(axis=1))
    best_first = np.argsort(-scores if metric.higher_is_better else scores, kind="stable")
    names = [list(testset.systems)[k] for k in best_first]
    data = engine.UnitStatistics(metric, statistics, units, best_first)

    if settings.baseline is None:
        pairs = engine.all_pairs(len(names))
    else:
        b = names.index(settings.baseline)
        pairs = np.array([(k, b) for k in range(len(names)) if k != b], dtype=int).reshape(-1, 2)

    test = TESTS[settings.test]
    n_drawn = max(settings.resamples, settings.trials if test.draws == "bootstrap" else 0)
    drawn = engine.bootstrap_scores(data, n_drawn, settings.seed, jobs=jobs, progress=stage("intervals"))
    left_out = engine.jackknife_scores(data) if settings.ci in ("bca", "jackknife-t") else np.empty((len(names), 0))
    sample = Sample(data.scores, drawn[:, :settings.resamples], left_out)
    ci_low, ci_high = INTERVALS[settings.ci](sample, settings.alpha)

    delta, delta_low, delta_high, se = _differences(sample, pairs, settings)
    p, adjusted, for_ranks, win, lose = _test(data, drawn, pairs, delta, settings, jobs, stage("test"))
    better = _decide(delta, adjusted, win, lose, settings.alpha, metric.higher_is_better)
    if not metric.higher_is_better and win is not None:
        win, lose = lose, win
    mdd = minimum_detectable_difference(se, settings.alpha)

    def other_unit(kind):
        other = engine.UnitStatistics(metric, statistics, make_units(testset, kind), best_first)
        return engine.bootstrap_scores(other, settings.resamples, settings.seed, jobs=jobs,
                                       progress=stage(f"standard errors by {kind}"))

    se_ratio = None if testset.documents is None else _se_ratio(sample.drawn, settings.unit, pairs, other_unit)
    ranks = [(None, None)] * len(names)
    if settings.baseline is None and test.p_values is not None:
        decisions = _decide(delta, for_ranks, None, None, settings.alpha, metric.higher_is_better)
        ranks = list(zip(*rank_intervals(decision_matrix(len(names), pairs, decisions)), strict=True))
    return MetricResult(
        metric.name, _signature(metric, testset, settings), metric.higher_is_better,
        tuple(SystemResult(name, float(data.scores[k]), _number(ci_low[k]), _number(ci_high[k]), *map(_int, ranks[k]))
              for k, name in enumerate(names)),
        tuple(PairResult(
            names[i], names[j], float(delta[k]), _number(delta_low[k]), _number(delta_high[k]),
            p_value=_at(p, k), p_adjusted=_at(adjusted, k),
            significant=bool(better[k]), better={1: "a", -1: "b", 0: None}[int(better[k])],
            win=_at(win, k), lose=_at(lose, k), se=float(se[k]), se_ratio=_at(se_ratio, k), mdd=float(mdd[k]))
            for k, (i, j) in enumerate(pairs)))


def _differences(sample: Sample, pairs: np.ndarray, settings: Settings):
    """Difference, interval and bootstrap standard error of each pair, each of shape (pairs,)."""
    parts = [np.empty((4, 0))]
    for rows in row_chunks(len(pairs), sample.drawn.shape[1]):
        i, j = pairs[rows].T
        part = Sample(*(values[i] - values[j] for values in (sample.observed, sample.drawn, sample.left_out)))
        low, high = INTERVALS[settings.ci](part, settings.alpha)
        parts.append(np.array([part.observed, low, high, part.drawn.std(axis=1, ddof=1)]))
    return np.concatenate(parts, axis=1)


def _se_ratio(drawn, unit, pairs, other_unit):
    """Standard error by document / by segment of each difference, NaN where nothing varies.

    drawn holds the bootstrap scores by `unit`, other_unit(kind) makes those by another.
    """
    errors = {}
    for kind in ("document", "segment"):
        scores = drawn if kind == unit else other_unit(kind)
        errors[kind] = np.array([(scores[i] - scores[j]).std(ddof=1) for i, j in pairs])
    varies = errors["segment"] > TOLERANCE
    return np.divide(errors["document"], errors["segment"], out=np.full(len(pairs), np.nan), where=varies)


def _test(data, drawn, pairs, delta, settings, jobs, progress):
    """p-values, adjusted p-values (as chosen, and for ranks), win and lose rates of all pairs; None where undefined.

    Rank intervals hold jointly only with the family-wise error controlled, whatever correction the pairs get.
    """
    if not len(pairs):
        return (None,) * 5
    test = TESTS[settings.test]
    if test.draws == "swaps":
        replicates = engine.swap_differences(data, pairs, settings.trials, settings.seed, jobs=jobs, progress=progress)
    else:
        replicates = np.empty((len(pairs), settings.trials))  # most of the memory, so no copy
        for row, (i, j) in zip(replicates, pairs, strict=True):
            np.subtract(drawn[i, :settings.trials], drawn[j, :settings.trials], out=row)
    if test.p_values is None:
        return None, None, None, *win_rates(replicates)
    p = test.p_values(delta, replicates)
    if not test.romano_wolf:
        return p, ADJUSTMENTS[settings.correction](p), ADJUSTMENTS["holm"](p), None, None
    if test.draws == "bootstrap":
        replicates -= replicates.mean(axis=1, keepdims=True)  # the shift that makes them a null
    stepped = romano_wolf(delta, replicates)
    adjusted = stepped if settings.correction == "romano-wolf" else ADJUSTMENTS[settings.correction](p)
    return p, adjusted, stepped, None, None


def _decide(delta, adjusted, win, lose, alpha, higher_is_better):
    """1 where the first system of a pair is significantly better, -1 where the second is, else 0."""
    if not len(delta):
        return np.zeros(0, dtype=int)
    sign = np.sign(delta) if higher_is_better else -np.sign(delta)
    if adjusted is not None:
        return np.where(adjusted <= alpha + TOLERANCE, sign, 0).astype(int)
    conclude = np.maximum(win, lose) >= 1 - alpha - TOLERANCE
    return (np.where(conclude, np.sign(win - lose), 0) * (1 if higher_is_better else -1)).astype(int)


def _signature(metric, testset, settings):
    """The metric's own signature, then what was resampled and how."""
    unit = settings.unit if settings.block_length is None else f"{settings.unit}[{settings.block_length:g}]"
    return "|".join([
        metric.signature(testset), f"test:{settings.test}", f"unit:{unit}", f"trials:{settings.trials}",
        f"ci:{settings.ci}", f"resamples:{settings.resamples}", f"correction:{settings.correction}",
        f"alpha:{settings.alpha:g}", f"seed:{settings.seed}", f"mtsig:{settings.version}"])


def _number(value):
    return float(value) if math.isfinite(value) else None


def _at(values, k):
    return None if values is None else _number(values[k])


def _int(value):
    return None if value is None else int(value)
