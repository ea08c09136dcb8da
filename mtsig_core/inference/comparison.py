"""`compare`: from a test set to scores, intervals, tested pairs, ranks and warnings, in one call."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from urllib.parse import quote

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.inference import engine
from mtsig_core.inference.by_reference import leaders_by_reference, references_alone
from mtsig_core.inference.cautions import about_several, once
from mtsig_core.inference.decided_anew import ranked
from mtsig_core.inference.few_units import can_reach, least_worth, rank_correction, swaps_units
from mtsig_core.inference.intervals import INTERVALS
from mtsig_core.inference.measured import Measured, measure
from mtsig_core.inference.pairwise import PairNumbers, compare_pairs, draw
from mtsig_core.inference.power import error_interval, minimum_detectable_difference, unbiased
from mtsig_core.inference.rank_rules import clusters_of
from mtsig_core.inference.ranking import decision_matrix, rank_intervals
from mtsig_core.inference.runs import pair_runs, system_runs
from mtsig_core.inference.settings import check_jobs, check_metric, interval_kind, resolve
from mtsig_core.inference.significance import TESTS, decide
from mtsig_core.inference.units_apart import ENOUGH
from mtsig_core.metrics import Metric, metrics_for, tokenizer_of
from mtsig_core.results import Comparison, MetricResult, PairResult, Settings, SystemResult

__all__ = ["compare", "joined"]

_SIDES = {1: "a", -1: "b", 0: None}


def compare(testset: TestSet, metrics: str | Metric | Sequence[str | Metric] = ("bleu",), *, test: str = "ar",
            unit: str = "auto", block_length: float | None = None, trials: int = 9999, alpha: float = 0.05,
            correction: str = "auto", ci: str = "auto", resamples: int = 2000, seed: int = 0,
            baseline: str | None = None, rank_rule: str = "simultaneous", by_reference: bool = True, jobs: int = 1,
            progress: Callable[[str, float], None] | None = None,
            measured: dict[str, Measured] | None = None) -> Comparison:
    """Which differences between the systems of a test set are real?

    Parameters
    ----------
    testset : TestSet
    metrics : str, Metric, or sequence of these
        Names, of the test set's own segment scores too, or metrics made with settings of their own. Of segment
        scores, a system's score is the mean of those it has, and pairs are compared on the segments both have.
    test : {"ar", "bootstrap", "percentile", "koehn", "riezler-maxwell", "t", "wilcoxon"}
        The last two only for means of segment scores, by segment.
    unit : {"auto", "segment", "document", "block"}
        What is drawn or swapped; ``auto`` is the document where ids exist.
    block_length : float, optional
        Mean length of stationary blocks, in segments.
    trials : int
        Draws of the test; of up to 13 segments or documents ``ar`` tries all swaps instead, and p is exact.
    alpha : float
        Level of the decisions; intervals have level 1 - alpha.
    correction : {"auto", "none", "bonferroni", "holm", "bh", "by", "romano-wolf"}
    ci : {"auto", "percentile", "basic", "bca", "jackknife-t", "t"}
        ``auto`` is percentile, jackknife-t where the units are worth fewer than 100 of equal size.
    resamples : int
        Bootstrap samples behind the intervals and standard errors.
    seed : int
        The same seed gives the same result, whatever `jobs` is.
    baseline : str, optional
        Compare only with this system; there are no rank intervals then.
    rank_rule : {"simultaneous", "wmt24", "wmt25", "overlap"}
        How ranks are made: simultaneous rank intervals from the pairs, corrected for all of them; as the WMT tasks of
        2024 and 2025 published theirs, from segment scores; or by overlap of the systems' intervals. Scores, order,
        wins and losses are those of the rule; pairs and their tests stay. A warning says what the rule ignores, and
        what it hides here. ``wmt24`` scores by the mean over domains, which the test set must have.
    by_reference : bool
        Whether to test with each reference alone too, where several score, to see whether they agree on who is ahead.
    jobs : int
        Number of threads, -1 for all cores.
    progress : callable, optional
        Called with (stage, share of it done); may raise `Cancelled` to stop the work.
    measured : dict of str to Measured, optional
        Is filled with what was counted, by metric, for whoever goes on with it.

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
    metrics = metrics_for(testset, metrics)
    for metric in metrics:
        check_metric(metric, test, ci, rank_rule)
    settings, units = resolve(
        testset, test=test, unit=unit, block_length=block_length, trials=trials, alpha=alpha, correction=correction,
        ci=ci, resamples=resamples, seed=seed, baseline=baseline, rank_rule=rank_rule)
    check_jobs(jobs)
    needed = testset.under(*(metric.name for metric in metrics))
    ours = rank_rule == "simultaneous"  # what each reference alone says is ranked so
    alone = references_alone(needed, settings.test, baseline) if by_reference and ours else {}
    results = {}
    for metric in metrics:
        def stage(name: str, metric: Metric = metric) -> engine.Progress | None:
            return None if progress is None else lambda share: progress(f"{metric.name}: {name}", share)

        result = _compare_one(testset, metric, settings, ci, jobs, stage, measured)
        results[metric.name] = replace(result, by_reference=leaders_by_reference(alone, metric, settings, jobs, stage))
    return ranked(testset, settings, units, metrics, results)


def joined(parts: Sequence[Comparison]) -> Comparison:
    """One comparison of several that differ in nothing but the metrics, which keep their order.

    Raises
    ------
    SettingError
        If they differ in more, or have a metric in common.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> list(joined([compare(ts, metric, trials=999) for metric in ("bleu", "ter")]).metrics)
    ['bleu', 'ter']
    """
    first = parts[0]
    metrics: dict[str, MetricResult] = {}
    for part in parts:
        if (part.testset, part.settings, part.excluded) != (first.testset, first.settings, first.excluded):
            raise SettingError("Comparisons of other test sets, settings or exclusions cannot be joined. Expected them "
                               "to differ in the metrics alone.")
        if twice := [name for name in part.metrics if name in metrics]:
            raise SettingError(f"{', '.join(twice)} is in two of the comparisons. Expected each metric once.")
        metrics |= part.metrics
    warnings = (*about_several(metrics), *(caution for part in parts for caution in part.warnings))
    return replace(first, metrics=metrics, warnings=once(warnings, metrics))


def _compare_one(testset: TestSet, metric: Metric, settings: Settings, ci: str, jobs: int,
                 stage: engine.Stages, measured: dict[str, Measured] | None) -> MetricResult:
    if (report := stage("counting")) is not None:
        report(0.0)
    seen = measure(testset.under(metric.name), metric, progress=report)
    if measured is not None:
        measured[metric.name] = seen
    seen = seen.best_first()  # in place of what came: on large sets the statistics are most of the memory
    names, units = seen.names, seen.units(settings.unit, settings.block_length)
    # by what has scores, which may be little of the whole
    exact = TESTS[settings.test].tries_all(units)
    pairs = _pairs(names, settings.baseline, metric)
    settings = replace(settings, ci=interval_kind(ci, least_worth(seen, pairs, units)),
                       trials=units.all_swaps if exact else settings.trials)

    systems = draw(metric, seen.stored, units, settings, jobs, stage("intervals"))
    ci_low, ci_high = INTERVALS[settings.ci](systems.sample, settings.alpha)
    found = compare_pairs(seen, systems, pairs, units, settings, jobs, stage)
    improvement, win, lose = seen.sign * found.delta, found.win, found.lose
    if not metric.higher_is_better:
        win, lose = lose, win
    side = np.sign(improvement) if found.side is None else seen.sign * found.side
    favours = np.where(np.isfinite(side) & (side != np.sign(improvement)), side, 0)
    decidable = can_reach(settings, found.n_apart)
    better = np.where(
        decidable, decide(improvement, settings.alpha, p=found.adjusted, win=win, lose=lose, side=side), 0)
    mdd, mdd_low, mdd_high, mdd_family = _detectable(found, decidable & (found.se > 0), settings)

    ranks = [(None, None, None)] * len(names)
    rankable = bool(can_reach(settings, found.n_apart, rank_correction(settings)).any())
    if settings.baseline is None and TESTS[settings.test].p_values is not None and rankable:
        decisions = decide(improvement, settings.alpha, p=found.for_ranks, side=side)
        low, high = rank_intervals(decision_matrix(len(names), pairs, decisions))
        ranks = list(zip(low, high, clusters_of(np.arange(len(names)), low, high), strict=True))
    result = MetricResult(
        metric.name, _signature(metric, seen.testset, settings, int(np.count_nonzero(found.n)), exact),
        metric.higher_is_better,
        tuple(SystemResult(name, float(systems.data.scores[k]), _number(ci_low[k]), _number(ci_high[k]),
                           *map(_int, ranks[k])) for k, name in enumerate(names)),
        tuple(PairResult(
            names[i], names[j], float(found.delta[k]), _number(found.low[k]), _number(found.high[k]),
            p_value=_at(found.p, k), p_adjusted=_at(found.adjusted, k),
            significant=bool(better[k]), better=_SIDES[int(better[k])], favours=_SIDES[int(favours[k])],
            win=_at(win, k), lose=_at(lose, k), se=_number(found.se[k]), se_ratio=_at(found.se_ratio, k),
            mdd=_number(mdd[k]), n=int(found.n[k]), ci_joint_low=_number(found.joint_low[k]),
            ci_joint_high=_number(found.joint_high[k]), n_units=int(found.n_units[k]),
            n_effective=float(found.n_effective[k]), decidable=bool(decidable[k]), mdd_low=_number(mdd_low[k]),
            mdd_high=_number(mdd_high[k]), mdd_family=_number(mdd_family[k]), se_df=_number(found.se_df[k]),
            swap_se=_at(found.swap_se, k),
            n_apart=int(found.n_apart[k]) if found.n_apart[k] < min(ENOUGH, found.n_units[k]) else None)
            for k, (i, j) in enumerate(pairs)),
        tokenizer=tokenizer_of(metric, seen.testset), ci=settings.ci, n_units=units.pieces,
        n_effective=units.effective, trials=settings.trials, exact=exact,
        runs=system_runs(seen, settings.alpha))
    return replace(result, pair_runs=pair_runs(result.pairs, result.runs))


def _detectable(found: PairNumbers, decidable: np.ndarray, settings: Settings) -> list[np.ndarray]:
    """Minimum detectable differences, their intervals, and those of tests at alpha / m; NaN where p cannot be so small.
    """
    m, enough = max(1, int(np.count_nonzero(found.n))), replace(settings, trials=None)
    ends = error_interval(found.se, found.se_df, found.n_units, settings.alpha)
    se, swapped = unbiased(found.se, found.n_units), found.n_apart if swaps_units(settings) else None
    return [np.where(decidable & can, minimum_detectable_difference(error, level, n_effective=found.n_effective,
                                                                    n_swapped=swapped), np.nan)
            for error, level, can in (
                *((error, settings.alpha, True) for error in (se, *ends)),
                (se, settings.alpha / m, can_reach(enough, found.n_apart, "bonferroni")))]


def _pairs(names: Sequence[str], baseline: str | None, metric: Metric) -> np.ndarray:
    """The pairs to compare: all of them, or those with the baseline."""
    if baseline is None:
        return engine.all_pairs(len(names))
    if baseline not in names:
        raise SettingError(f"The baseline {baseline} has no score by {metric.name}. Systems that have: "
                           f"{', '.join(names)}.")
    b = names.index(baseline)
    return np.array([(k, b) for k in range(len(names)) if k != b], dtype=int).reshape(-1, 2)


def _signature(metric: Metric, testset: TestSet, settings: Settings, n_pairs: int, exact: bool) -> str:
    """The metric's own signature, then what was resampled and how, and the family that was decided on together."""
    unit = settings.unit if settings.block_length is None else f"{settings.unit}[{settings.block_length:g}]"
    trials = [] if settings.trials is None else [f"trials:{settings.trials}{'[all]' if exact else ''}"]
    family = [] if settings.baseline is None else [f"baseline:{quote(settings.baseline, safe=' ')}"]
    return "|".join([
        metric.signature(testset), f"test:{settings.test}", f"unit:{unit}", *trials,
        f"ci:{settings.ci}", f"resamples:{settings.resamples}", f"correction:{settings.correction}",
        f"pairs:{n_pairs}", *family,
        f"alpha:{settings.alpha:g}", f"seed:{settings.seed}", f"mtsig:{settings.version}"])


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _at(values: np.ndarray | None, k: int) -> float | None:
    return None if values is None else _number(values[k])


def _int(value: int | None) -> int | None:
    return None if value is None else int(value)
