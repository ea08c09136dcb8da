"""`compare_task`: every language pair of a shared task, and the systems across them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mtsig_core.data.score_directions import by_precedence, check_settled, human_scores
from mtsig_core.data.task import Task
from mtsig_core.data.task_exclusions import TaskExclusion, without
from mtsig_core.errors import SettingError, unknown
from mtsig_core.inference.across_pairs import MACRO_TESTS, MacroNumbers, across_pairs, decidable_across
from mtsig_core.inference.by_rule import over_domains
from mtsig_core.inference.comparison import compare, joined
from mtsig_core.inference.correction import ADJUSTMENTS
from mtsig_core.inference.measured import Measured, measure
from mtsig_core.inference.rank_rules import RANK_RULES, clusters_of
from mtsig_core.inference.runs import runs_across
from mtsig_core.inference.significance import decide
from mtsig_core.metrics import METRICS
from mtsig_core.results import Caution, Comparison, Exclusion, MetricResult, Settings
from mtsig_core.results.task import MacroPair, MacroResult, MacroSystem, TaskComparison, TaskInfo

__all__ = ["ask_for_metric", "compare_task", "corrected_macro", "counted_macro", "excluded_in", "macro_of", "of_parts",
           "task_metrics"]

_SIDES = {1: "a", -1: "b", 0: None}


def compare_task(task: Task, metrics: str | Sequence[str] | None = None, *, test: str = "ar", unit: str = "auto",
                 block_length: float | None = None, trials: int = 9999, alpha: float = 0.05, correction: str = "auto",
                 ci: str = "auto", resamples: int = 2000, seed: int = 0, rank_rule: str = "simultaneous",
                 by_reference: bool = True, exclude: Iterable[TaskExclusion] = (), refs: tuple[str, ...] = (),
                 refs_as_systems: bool = False, jobs: int = 1,
                 progress: Callable[[str, float], None] | None = None) -> TaskComparison:
    """Which differences between the systems of a shared task are real, in each language pair and across them?

    Parameters
    ----------
    task : Task
    metrics : str or sequence of str, optional
        By default all scores that the task has, BLEU where it has none: human scores first, then the metric that the
        task's table names; where nothing says which metric decides, a warning asks. A language pair is compared by
        those it has, and left out where it has none of them.
    test : {"ar", "bootstrap", ...}
        As in `compare`, within each language pair. Across them the mean difference is tested by the same, where its
        draws can be averaged (``ar``, ``bootstrap``); else there is no macro result.
    unit, block_length, trials, alpha, correction, ci, resamples, seed, rank_rule, by_reference, jobs
        As in `compare`, for each language pair; the family of a correction is all pairs of systems in one language
        pair, and, of the macro result, all pairs of systems that have every language pair.
    exclude : iterable of TaskExclusion
        Systems to leave out, in all language pairs or in one, each with a reason.
    refs : tuple of str
        References to score with, in each language pair those that it has; all if empty.
    refs_as_systems : bool
        Whether the others, and those with ratings, act as systems, as ``HUMAN-NAME``; see `Task.scored_with`.
    progress : callable, optional
        Called with (stage, share of it done).

    Returns
    -------
    TaskComparison

    Examples
    --------
    >>> a, b, c = ["a b c d e"] * 40, ["a b c d"] * 40, ["a b c"] * 40
    >>> from mtsig_core.data.testset import TestSet
    >>> pair = TestSet("toy", {"A": a, "B": b, "C": c}, {"ref": a})
    >>> found = compare_task(Task("toy", {"en-de": pair, "en-cs": pair.only(["A", "B"])}), "bleu", trials=999)
    >>> [(row.system, row.n_pairs, row.rank_low, row.wins) for row in found.macro["bleu"].systems]
    [('A', 2, 1, 3), ('B', 2, 2, 1), ('C', 1, None, 0)]
    """
    exclude = tuple(exclude)
    if refs or refs_as_systems:
        task = task.scored_with(refs or None, others_as_systems=refs_as_systems)
    task = without(task, exclude)
    info = TaskInfo.of(task)
    names = task_metrics(info, metrics)
    settings: dict[str, Any] = dict(test=test, unit=unit, block_length=block_length, trials=trials, alpha=alpha,
                                    correction=correction, ci=ci, resamples=resamples, seed=seed, rank_rule=rank_rule,
                                    by_reference=by_reference, jobs=jobs)
    parts: dict[tuple[str, str], Comparison] = {}
    macro = {}
    for name in names:
        own: dict[str, Comparison] = {}
        counted: dict[str, Measured] = {}
        for pair in info.pairs_with(name):
            report = None if progress is None else partial(_stage, progress, pair)
            measured: dict[str, Measured] = {}
            own[pair] = parts[name, pair] = compare(task.testsets[pair], name, progress=report, measured=measured,
                                                    **settings)
            counted[pair] = measured[name]
        report = None if progress is None else partial(progress, f"across language pairs: {name}")
        across = macro_of(task, own, name, trials=trials, jobs=jobs, progress=report, measured=counted)
        if across is not None:
            macro[name] = across
    return of_parts(info, names, parts, macro, exclude, chosen=metrics is not None)


def of_parts(info: TaskInfo, metrics: Sequence[str], parts: Mapping[tuple[str, str], Comparison],
             macro: Mapping[str, MacroResult], exclude: tuple[TaskExclusion, ...], chosen: bool) -> TaskComparison:
    """The whole of comparisons by one of the metrics each, by (metric, language pair); whether the user has `chosen`
    them."""
    by_pair = {pair: [parts[name, pair] for name in metrics if (name, pair) in parts] for pair in info.pairs}
    pairs = {pair: replace(joined(several), excluded=excluded_in(pair, exclude))
             for pair, several in by_pair.items() if several}
    asked = None if chosen else ask_for_metric(info, metrics[0])
    return TaskComparison(info, pairs, {name: macro[name] for name in metrics if name in macro}, exclude,
                          warnings=() if asked is None else (asked,))


def ask_for_metric(task: TaskInfo, first: str) -> Caution | None:
    """The warning that nothing says which of several metrics decides: human scores would, and the task's table."""
    own = task.own_scores
    if first not in own or len(own) < 2 or human_scores(own) or task.primary is not None:
        return None
    return Caution.of(
        "which-metric", "Nothing says which metric decides: this task has no human scores, and no table of systems "
        f"that names a metric. {first} comes first of {len(own)} only by the order in which they are read: "
        f"{', '.join(own)}.", first,
        advice="Choose the metric that decides, or name it in the first line of systems.tsv: # metric: NAME.",
        remedies=({"primary": "NAME"},))


def excluded_in(pair: str, exclude: Iterable[TaskExclusion]) -> tuple[Exclusion, ...]:
    """Who is left out of one language pair, and why."""
    return tuple(Exclusion(one.system, one.reason) for one in exclude if one.pair in (None, pair))


def task_metrics(task: TaskInfo, metrics: str | Sequence[str] | None = None) -> list[str]:
    """The metrics to compare a task by: those that are named; else all scores it has, and BLEU for pairs without.

    Raises
    ------
    SettingError
        For one that no language pair has, and one that comes twice.
    """
    if metrics is None:
        no_scores = any(not own for own in task.scores.values())
        names = by_precedence([*task.own_scores, *["bleu"] * no_scores], task.primary)
        if task.primary is not None and task.primary not in names:
            names.insert(len(human_scores(names)), task.primary)
    else:
        names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names or len(set(names)) < len(names):
        raise SettingError(f"metrics are {', '.join(names) or 'none'}. Expected at least one, each only once.")
    for name in names:
        check_settled(name, task.assumed)
        if not task.pairs_with(name):
            known = dict.fromkeys(name for own in task.scores.values() for name in own)
            raise SettingError(f"No language pair of {task.name} has {name!r}. Scores of segments: "
                               f"{', '.join(known) or 'none'}.")
        if name in METRICS and any(name in own for own in task.scores.values()):
            raise SettingError(f"{task.name} has segment scores that are called {name}, as a metric of mtsig is. Give "
                               f"them another name, such as my-{name}.")
        if name not in METRICS and not any(name in own for own in task.scores.values()):
            raise unknown("metric", name, [*METRICS, *(name for own in task.scores.values() for name in own)])
    return names


def macro_of(task: Task, pairs: Mapping[str, Comparison], metric: str, *, trials: int = 9999, jobs: int = 1,
             progress: Callable[[float], None] | None = None,
             measured: Mapping[str, Measured] | None = None) -> MacroResult | None:
    """The systems of a task across those of its language pairs that have a metric; None of fewer than two.

    Parameters
    ----------
    task : Task
    pairs : mapping of str to Comparison
        By language pair, of the same settings.
    metric : str
    trials : int
        Draws across them; of a pair with so few units that `compare` tries all swaps, as many are drawn here.
    measured : mapping of str to Measured, optional
        By language pair, what `compare` counted; the others are counted here.
    """
    have = {pair: comparison for pair, comparison in pairs.items() if metric in comparison.metrics}
    settings = {pair: comparison.settings for pair, comparison in have.items()}
    if len(have) < 2:
        return None
    one, results = next(iter(settings.values())), [comparison.metrics[metric] for comparison in have.values()]
    # as within language pairs: where one of them has few units
    ci = "jackknife-t" if any(result.ci == "jackknife-t" for result in results) else "percentile"
    numbers = None
    if one.test in MACRO_TESTS:
        parts = {pair: (measured or {}).get(pair) or measure(task.testsets[pair].under(metric), metric)
                 for pair in have}
        if RANK_RULES[one.rank_rule].by_domain:
            parts = {pair: over_domains(part) for pair, part in parts.items()}
        numbers = across_pairs(parts, settings, test=one.test, correction=one.correction, alpha=one.alpha,
                               trials=trials, seed=one.seed, ci=ci, jobs=jobs, progress=progress)
    runs = runs_across(results, numbers.names if numbers is not None else (), one.alpha)
    return MacroResult(metric, results[0].higher_is_better, tuple(have), _systems(results, _scored(numbers)),
                       _pairs(numbers, len(have)), runs, None if numbers is None else ci)


def corrected_macro(macro: MacroResult, pairs: Mapping[str, Comparison], settings: Settings) -> MacroResult:
    """Across language pairs, with p corrected in another way; no draw is made again.

    Parameters
    ----------
    macro : MacroResult
        By any correction.
    pairs : mapping of str to Comparison
        By language pair, by the other correction.
    settings : Settings
        Theirs: any correction but Romano-Wolf, which needs the draws.
    """
    have = {pair: one for pair, one in pairs.items() if macro.metric in one.metrics}
    results = [one.metrics[macro.metric] for one in have.values()]
    delta, p = (np.array([getattr(pair, name) for pair in macro.pairs]) for name in ("delta", "p_value"))
    adjusted = ADJUSTMENTS[settings.correction](p)
    decidable = decidable_across({pair: one.settings for pair, one in have.items()},
                                 np.array([pair.n_apart for pair in macro.pairs], dtype=int), settings.trials,
                                 settings.correction)
    decisions = np.where(decidable, decide(results[0].sign * delta, settings.alpha, p=adjusted), 0)
    decided = tuple(replace(pair, p_adjusted=float(own), better=_SIDES[int(sign)], decidable=bool(can))
                    for pair, own, sign, can in zip(macro.pairs, adjusted, decisions, decidable, strict=True))
    return replace(counted_macro(macro, have), pairs=decided)


def counted_macro(macro: MacroResult, pairs: Mapping[str, Comparison]) -> MacroResult:
    """Across language pairs, with wins, ties and losses as the language pairs have them by their rule of ranks.

    Parameters
    ----------
    macro : MacroResult
        By a rule with the same scores.
    pairs : mapping of str to Comparison
        By language pair.
    """
    results = [one.metrics[macro.metric] for one in pairs.values() if macro.metric in one.metrics]
    return replace(macro, systems=_systems(results, [row for row in macro.systems if row.score is not None]))


def _systems(results: Sequence[MetricResult], scored: Sequence[MacroSystem]) -> tuple[MacroSystem, ...]:
    """Those with a score across language pairs, and the others, each with its wins in all of them."""
    tallies: dict[str, list[int]] = {}
    n_pairs: dict[str, int] = {}
    for result in results:
        for name, counts in result.tally().items():
            n_pairs[name] = n_pairs.get(name, 0) + 1
            tallies[name] = [a + b for a, b in zip(tallies.get(name, (0, 0, 0)), counts, strict=True)]
    others = sorted(n_pairs.keys() - {row.system for row in scored}, key=lambda name: (-tallies[name][0], name))
    rows = [*scored, *(MacroSystem(name, 0, None, None, None, None, None, 0, 0, 0) for name in others)]
    return tuple(replace(row, n_pairs=n_pairs[row.system], wins=wins, ties=ties, losses=losses)
                 for row in rows for wins, ties, losses in [tallies[row.system]])


def _scored(numbers: MacroNumbers | None) -> list[MacroSystem]:
    if numbers is None:
        return []
    low, high = zip(*numbers.ranks, strict=True)
    clusters: list[int | None] = [None] * len(low) if low[0] is None else clusters_of(
        np.arange(len(low)), np.array(low), np.array(high)).tolist()
    return [MacroSystem(name, 0, float(numbers.scores[k]), _known(numbers.score_low[k]), _known(numbers.score_high[k]),
                        low[k], high[k], 0, 0, 0, clusters[k])
            for k, name in enumerate(numbers.names)]


def _pairs(numbers: MacroNumbers | None, n_pairs: int) -> tuple[MacroPair, ...]:
    if numbers is None:
        return ()
    return tuple(MacroPair(numbers.names[i], numbers.names[j], n_pairs, float(numbers.delta[k]), _known(numbers.low[k]),
                           _known(numbers.high[k]), float(numbers.p[k]), float(numbers.adjusted[k]),
                           _SIDES[int(numbers.decisions[k])], bool(numbers.decidable[k]), int(numbers.n_apart[k]))
                 for k, (i, j) in enumerate(numbers.pairs))


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _stage(progress: Callable[[str, float], None], pair: str, stage: str, share: float) -> None:
    progress(f"{pair}, {stage}", share)
