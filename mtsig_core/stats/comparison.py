"""`compare`: from a test set to scores, intervals, tested pairs, ranks and warnings, in one call."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.metrics import Metric, is_segment_mean, metric_of, metrics_for, tokenizer_of
from mtsig_core.results import (
    Comparison,
    MetricResult,
    PairResult,
    PairRuns,
    ReferenceLeaders,
    Settings,
    SystemResult,
    SystemRuns,
    TestSetInfo,
)
from mtsig_core.stats import engine
from mtsig_core.stats.by_rule import by_rule
from mtsig_core.stats.cautions import find_cautions, join_cautions, repeated_references
from mtsig_core.stats.choices import with_adjusted
from mtsig_core.stats.engine import ENOUGH, Stages
from mtsig_core.stats.few_units import (
    can_reach,
    least_worth,
    rank_correction,
    swaps_units,
    told_apart_in,
    trials_needed,
)
from mtsig_core.stats.intervals import INTERVALS
from mtsig_core.stats.measured import Measured, measure
from mtsig_core.stats.one_score import stage
from mtsig_core.stats.pairwise import PairNumbers, compare_pairs, draw, sides_of, tested_against, unbeaten
from mtsig_core.stats.power import (
    error_interval,
    minimum_detectable_difference,
    unbiased,
    units_freedom,
    welch_satterthwaite,
)
from mtsig_core.stats.ranks import clusters_of, decision_matrix, rank_intervals
from mtsig_core.stats.resampling import Units, make_units
from mtsig_core.stats.settings import check_jobs, check_metric, check_rank_rule, interval_kind, resolve
from mtsig_core.stats.significance import ADJUSTMENTS, TESTS, decide
from mtsig_core.testset import TestSet

#-----------------------------------------------------------------------------------------------------------------------
# Who is ahead by each reference alone, where several score a test set together and may not agree.


def leaders_by_reference(parts: Mapping[str, TestSet], metric: Metric, settings: Settings, jobs: int,
                         stage: Stages) -> tuple[ReferenceLeaders, ...]:
    """The systems that no other is significantly better than, by each reference alone; all else as in `settings`.

    `parts` are those of `references_alone`, which serve all metrics.

    Nothing where there is no such circle, or nothing to learn from it: with one reference or one system, against a
    baseline, for tests and families that give no ranks, for scores that do not come from the references, and where a
    system repeats a reference word for word.

    Examples
    --------
    >>> from mtsig_core import compare
    >>> outputs = {"A": ["a b c d x"] * 40, "B": ["a b c y e"] * 40}
    >>> ts = TestSet("toy", outputs, {"r1": ["a b c d e"] * 40, "r2": ["a b c y z"] * 40})
    >>> [(row.reference, row.leaders) for row in compare(ts, "wer", trials=99).metrics["wer"].by_reference]
    [('r1', ('A', 'B')), ('r2', ('B',))]
    """
    n_systems = max((len(part.systems) for part in parts.values()), default=0)
    if is_segment_mean(metric) or trials_needed(settings, n_systems * (n_systems - 1) // 2) is not None:
        return ()
    found = []
    for k, (name, part) in enumerate(parts.items(), 1):
        counting, testing = (stage(f"{what}, reference {k} of {len(parts)} alone") for what in ("counting", "test"))
        length = settings.block_length and min(settings.block_length, float(part.n_segments))
        seen, chosen = measure(part, metric, progress=counting), replace(settings, block_length=length)
        units = seen.units(chosen.unit, chosen.block_length)
        n_pairs = len(seen.names) * (len(seen.names) - 1) // 2
        decidable = bool(can_reach(chosen, np.full(n_pairs, units.pieces), rank_correction(chosen)).any())
        leaders, ahead = tuple(seen.best_first().names), False
        if decidable:
            leaders, ahead, decidable = unbeaten(seen, chosen, jobs, testing)
        found.append(ReferenceLeaders(name, leaders, part.n_segments, decidable, ahead))
    return tuple(found)


def references_alone(testset: TestSet, test: str, baseline: str | None) -> dict[str, TestSet]:
    """For each reference that has a text, the segments that it has, scored with it alone.

    Nothing where `leaders_by_reference` has nothing to say, whatever the metric.
    """
    if (len(testset.references) < 2 or len(testset.systems) < 2 or baseline is not None
            or TESTS[test].p_values is None or repeated_references(testset)):
        return {}
    there = {name: [k for k, text in enumerate(texts) if text is not None]
             for name, texts in testset.references.items()}
    return {name: (testset if len(some) == testset.n_segments else testset.at(some)).scored_with([name])
            for name, some in there.items() if some}


#-----------------------------------------------------------------------------------------------------------------------
# Training runs: how much scores differ between them, told apart from how much they would between test sets.


def system_runs(seen: Measured, alpha: float) -> tuple[SystemRuns, ...]:
    """The scores of the training runs of each system, and their standard deviation; empty where there are none."""
    by_run = getattr(seen.metric, "by_run", None)
    if by_run is None:
        return ()
    found = []
    for name, scores in zip(seen.names, by_run(seen.totals).tolist(), strict=True):
        found.append(_spread_of_runs(name, scores[:1 + len(seen.testset.runs.get(name, ()))], alpha))
    return tuple(found)


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
            found.append(_spread_of_runs(name, np.mean(scores, axis=0).tolist(), alpha))
    return tuple(found)


def _spread_of_runs(name: str, scores: Sequence[float], alpha: float) -> SystemRuns:
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
        if a and b and pair.se is not None and pair.n_units is not None and pair.n_effective is not None:
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


#-----------------------------------------------------------------------------------------------------------------------
# A comparison with other decisions of the same draws: another correction of p, or ranks by another rule.


def serves_corrections(settings: Settings) -> bool:
    """Whether a comparison has all that `corrected_by` needs: p, a correction that leaves the least of them as it is,
    so that it decides whatever another could, and ranks of ours."""
    return (TESTS[settings.test].p_values is not None and settings.correction in ("none", "romano-wolf")
            and settings.rank_rule == "simultaneous")


def drawn_alike(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Settings, as `compare` takes them, of comparisons that might serve `corrected_by` for these.

    >>> drawn_alike({"correction": "holm", "seed": 3})[0], drawn_alike({"correction": "romano-wolf"})
    ({'correction': 'auto', 'seed': 3}, [])
    """
    if settings.get("correction") not in ADJUSTMENTS or settings.get("rank_rule", "simultaneous") != "simultaneous":
        return []
    return [{**settings, "correction": other} for other in ("auto", "romano-wolf", "none")]


def corrected_by(comparison: Comparison, testset: TestSet, correction: str) -> Comparison:
    """A comparison with its p corrected in another way; no draw is made again.

    Parameters
    ----------
    comparison : Comparison
        One that `serves_corrections`, by metrics that a name alone says.
    testset : TestSet
        That it is of.
    correction : str
        Any but Romano-Wolf, which needs the draws.

    Examples
    --------
    >>> from mtsig_core import compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> corrected_by(compare(ts, trials=999), ts, "holm") == compare(ts, trials=999, correction="holm")
    True
    """
    settings = replace(comparison.settings, correction=correction)
    m = len(testset.under(*comparison.metrics).systems)
    few = trials_needed(settings, m * (m - 1) // 2) is not None  # what each reference alone says needs trials, too
    return _anew(comparison, testset, settings, {
        name: replace(_corrected(result, settings), by_reference=() if few else result.by_reference)
        for name, result in comparison.metrics.items()})


def ranked_by(comparison: Comparison, testset: TestSet, rule: str) -> Comparison:
    """A comparison by simultaneous rank intervals with ranks by another rule; no draw is made again.

    Parameters
    ----------
    comparison : Comparison
        By metrics that a name alone says.
    testset : TestSet
        That it is of.
    rule : str
        As `rank_rule` of `compare`.

    Examples
    --------
    >>> from mtsig_core import compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> ranked_by(compare(ts, trials=999), ts, "overlap") == compare(ts, trials=999, rank_rule="overlap")
    True
    """
    check_rank_rule(rule, testset)
    return _anew(comparison, testset, replace(comparison.settings, rank_rule=rule), comparison.metrics)


def ranked(testset: TestSet, settings: Settings, units: Units, metrics: Sequence[Metric],
           results: Mapping[str, MetricResult]) -> Comparison:
    """What was found, with ranks by the rule that is asked for, and warnings."""
    if settings.rank_rule != "simultaneous":
        results = {metric.name: by_rule(results[metric.name], testset, metric, settings) for metric in metrics}
    warnings = find_cautions(testset, settings, units, metrics, results)
    return Comparison(TestSetInfo.of(testset), settings, warnings, results)


def _anew(comparison: Comparison, testset: TestSet, settings: Settings, results: Mapping[str, MetricResult],
          ) -> Comparison:
    metrics = metrics_for(testset, list(comparison.metrics))
    for metric in metrics:
        check_metric(metric, settings.test, settings.ci, settings.rank_rule)
    found = ranked(testset, settings, make_units(testset, settings.unit, settings.block_length), metrics, results)
    return replace(found, excluded=comparison.excluded)


def _corrected(result: MetricResult, settings: Settings) -> MetricResult:
    p = np.array([pair.p_value for pair in result.pairs if pair.p_value is not None])
    result = with_adjusted(result, ADJUSTMENTS[settings.correction](p), settings.alpha)
    decidable = can_reach(replace(settings, trials=result.trials), told_apart_in(result.pairs))
    pairs = tuple(
        pair if can else replace(pair, decidable=False, mdd=None, mdd_low=None, mdd_high=None, mdd_family=None)
        for pair, can in zip(result.pairs, decidable, strict=True))
    before, after = result.signature.rsplit("|correction:", 1)
    return replace(result, pairs=pairs,
                   signature=f"{before}|correction:{settings.correction}|{after.partition('|')[2]}")


#-----------------------------------------------------------------------------------------------------------------------
# `compare`: from a test set to scores, intervals, tested pairs, ranks and warnings, in one call.


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
    cautions = (caution for part in parts for caution in part.warnings)
    return replace(first, metrics=metrics, warnings=join_cautions(cautions, metrics))


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


#-----------------------------------------------------------------------------------------------------------------------
# `replicates`: the draws behind a comparison, as arrays.


@dataclass(frozen=True, eq=False, repr=False)
class Replicates:
    """The draws behind a comparison by one metric, in points; arrays are read-only.

    Attributes
    ----------
    systems : tuple of str
        Best first, as in the comparison.
    scores : ndarray, shape (systems, resamples)
        On bootstrap samples, the same samples for all systems.
    pairs : tuple of (str, str)
        As in the comparison.
    differences : ndarray, shape (pairs, resamples)
        score(a) - score(b) on bootstrap samples of the segments that both have: intervals and standard errors come from
        these. NaN for a pair that has none in common, here and below.
    tested : ndarray, shape (pairs, trials)
        What the test holds the observed difference against: differences after random swaps for ``ar`` (all swaps but
        for none, where there are few units), on bootstrap samples for the other tests. For ``t`` and ``wilcoxon`` those
        of the segments, shape (pairs, segments), NaN where one of the two has no score.
    """

    systems: tuple[str, ...]
    scores: np.ndarray
    pairs: tuple[tuple[str, str], ...]
    differences: np.ndarray
    tested: np.ndarray

    def __repr__(self) -> str:
        return (f"<Replicates: scores {self.scores.shape}, differences {self.differences.shape}, "
                f"tested {self.tested.shape}>")


def replicates(comparison: Comparison, testset: TestSet, metric: str | Metric | None = None, *, jobs: int = 1,
               progress: Callable[[str, float], None] | None = None) -> Replicates:
    """Draw again what a comparison was made from: with its settings and seed, so the very same draws.

    Parameters
    ----------
    comparison : Comparison
    testset : TestSet
        The one that was compared.
    metric : str or Metric, optional
        One of the comparison's, by default its first; the metric itself where `compare` was given one with settings of
        its own.
    jobs, progress
        As in `compare`.

    Raises
    ------
    SettingError
        If the comparison is of other texts, has no such metric, or had it with other settings.

    Examples
    --------
    >>> from mtsig_core.stats.comparison import compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 30 + ["a b c d x"] * 30, "B": ["a x c d e"] * 60},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = compare(ts, trials=999, resamples=500, ci="percentile")
    >>> drawn = replicates(found, ts)
    >>> drawn.scores.shape, drawn.tested.shape
    ((2, 500), (1, 999))
    >>> bool(drawn.differences[0].std(ddof=1) == found.metrics["bleu"].pairs[0].se)
    True
    """
    check_jobs(jobs)
    if testset.digest != comparison.testset.digest:
        raise SettingError(f"The comparison is of {comparison.testset.name} with other texts, systems or segments than "
                           f"{testset.name} has now. Give the test set that was compared.")
    metric = metric_of(testset, next(iter(comparison.metrics)) if metric is None else metric)
    result, settings = comparison.metrics[metric.name], comparison.settings
    seen = measure(testset.under(metric.name), metric, progress=stage(progress, "counting")).best_first()
    signature = metric.signature(seen.testset)
    if not result.signature.startswith(f"{signature}|"):
        raise SettingError(f"The comparison has {metric.name} as {result.signature}, and this is {signature}. Give the "
                           "metric that was compared.")
    units = seen.units(settings.unit, settings.block_length)
    settings = replace(settings, ci="percentile")  # no jackknife: these are the draws alone
    systems = draw(metric, seen.stored, units, settings, jobs, stage(progress, "intervals"))
    place = {name: k for k, name in enumerate(seen.names)}
    pairs = np.array([(place[pair.a], place[pair.b]) for pair in result.pairs], dtype=int).reshape(-1, 2)
    n, sides, rows = sides_of(seen, systems, pairs, units, settings, jobs, stage(progress, "pairs"))
    differences = sides.sample.drawn[rows[:, 0]] - sides.sample.drawn[rows[:, 1]]
    tested = tested_against(sides, rows, settings, jobs, stage(progress, "test"))[:] if len(rows) else np.empty((0, 0))
    return Replicates(tuple(seen.names), _frozen(systems.sample.drawn),
                      tuple((pair.a, pair.b) for pair in result.pairs),
                      *(_frozen(_whole(values, n > 0)) for values in (differences, tested)))


def _whole(values: np.ndarray, some: np.ndarray) -> np.ndarray:
    """A row for each pair, NaN for those that could not be compared."""
    if some.all():
        return values
    full = np.full((len(some), values.shape[1]), np.nan)
    full[some] = values
    return full


def _frozen(values: np.ndarray) -> np.ndarray:
    values = values.view()
    values.flags.writeable = False
    return values
