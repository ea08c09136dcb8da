"""Systems across language pairs and across metrics, and `compare_task`: a whole shared task."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mtsig_core.errors import SettingError, counted, unknown
from mtsig_core.metrics import METRICS
from mtsig_core.results import (
    Comparison,
    Exclusion,
    MacroPair,
    MacroResult,
    MacroSystem,
    MetricResult,
    PairResult,
    Settings,
    TaskComparison,
    TaskInfo,
)
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import row_chunks
from mtsig_core.stats.by_rule import over_domains
from mtsig_core.stats.cautions import about_choice
from mtsig_core.stats.comparison import compare, joined, runs_across
from mtsig_core.stats.engine import units_apart
from mtsig_core.stats.few_units import can_reach, p_floor, pair_units, rank_correction
from mtsig_core.stats.intervals import jackknife_se
from mtsig_core.stats.measured import Measured, measure
from mtsig_core.stats.pairwise import draw, sides_of, tested_against
from mtsig_core.stats.power import units_freedom, welch_satterthwaite
from mtsig_core.stats.ranks import RANK_RULES, clusters_of, decision_matrix, rank_intervals
from mtsig_core.stats.significance import ADJUSTMENTS, TESTS, decide, romano_wolf
from mtsig_core.task import Task, TaskExclusion, without
from mtsig_core.testset import by_precedence, check_settled, human_scores

#-----------------------------------------------------------------------------------------------------------------------
# Several metrics on the same pairs: where they decide alike, where only some decide, where they contradict.


NOT_ALIKE = ("opposite", "some decide")
AGREE, UNDECIDED = "agree", "cannot be decided"
FEW = "cannot be decided with so few trials or units"
#: What metrics may say of a pair together, the gravest first.
KINDS = (*NOT_ALIKE, AGREE, UNDECIDED)
#: What a decision is written as, after Zhang and Vogel (2004, Fig. 3).
RELATIONS = {1: ">", -1: "<", 0: "~"}


@dataclass(frozen=True)
class PairAcross:
    """One pair under several metrics, in their order.

    Attributes
    ----------
    a, b : str
        Ordered by the first metric.
    improvements : tuple of float
        Differences in points of each metric, positive where a is better.
    decisions : tuple of int
        1 where a is significantly better, -1 where b is, 0 where neither.
    decidable : bool
        Whether each of them could have decided, with so many trials and units.
    """

    a: str
    b: str
    improvements: tuple[float, ...]
    decisions: tuple[int, ...]
    decidable: bool = True

    @property
    def relations(self) -> tuple[str, ...]:
        """By metric: ``>`` a is significantly better, ``<`` worse, ``~`` neither."""
        return tuple(RELATIONS[decision] for decision in self.decisions)

    @property
    def kind(self) -> str:
        """One of `KINDS`: where no metric decides, and one could not have, nobody knows whether they agree."""
        if len(set(self.decisions)) == 1:
            return AGREE if self.decidable or self.decisions[0] else UNDECIDED
        return NOT_ALIKE[not {1, -1} <= set(self.decisions)]


@dataclass(frozen=True)
class Disputed:
    """What several metrics say together of all pairs of systems in one language pair of a task.

    Attributes
    ----------
    language_pair : str or None
        None for the mean differences across the language pairs.
    metrics : tuple of str
    pairs : tuple of PairAcross
        Those that all of these metrics have tested.
    """

    language_pair: str | None
    metrics: tuple[str, ...]
    pairs: tuple[PairAcross, ...]

    def count(self, kind: str) -> int:
        """How many pairs are of one of `KINDS`."""
        return sum(pair.kind == kind for pair in self.pairs)

    def alone(self, metric: str) -> int:
        """How many pairs one metric decides, and no other does."""
        at = self.metrics.index(metric)
        return sum(pair.decisions[at] != 0 and not any(pair.decisions[:at] + pair.decisions[at + 1:])
                   for pair in self.pairs)


def pairs_across(results: Sequence[MetricResult]) -> list[PairAcross]:
    """The pairs that all metrics have tested, in the order of the first.

    Examples
    --------
    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> found = compare(ts, ["bleu", "chrf", "ter"], trials=999)
    >>> [(pair.a, pair.relations, pair.kind) for pair in pairs_across(list(found.metrics.values()))]
    [('A', ('>', '>', '>'), 'agree')]
    """
    return _across([(result.tested, result.sign) for result in results])


def alike_said(pairs: Sequence[PairAcross]) -> str:
    """On how many pairs of systems metrics say the same, as a part of a sentence.

    >>> alike_said([PairAcross("A", "B", (1.0, 2.0), (1, 1)), PairAcross("A", "C", (1.0, 2.0), (0, 0), False)])
    'alike on 1 of 1 pair, opposite on 0; 1 more cannot be decided with so few trials or units'
    """
    kinds = Counter(pair.kind for pair in pairs)
    n, lost = kinds.total() - kinds[UNDECIDED], kinds[UNDECIDED]
    if lost and not n:
        return f"{'the pair' if lost == 1 else f'all {lost:,} pairs'} {FEW}"
    return (f"alike on {kinds[AGREE]:,} of {counted(n, 'pair')}, opposite on {kinds['opposite']:,}"
            + (f"; {lost:,} more {FEW}" if lost else ""))


def disputed_in(task: TaskComparison) -> list[Disputed]:
    """What the metrics of a task say together of its pairs of systems, in each language pair that has several of them,
    and of the mean differences across the language pairs.

    A language pair is judged by the metrics that it has. Mean differences are taken only where several metrics have the
    same language pairs: else they would be of other test sets.
    """
    found = [Disputed(pair, tuple(comparison.metrics), tuple(pairs_across(list(comparison.metrics.values()))))
             for pair, comparison in task.pairs.items() if len(comparison.metrics) > 1]
    macro = [result for result in task.macro.values() if result.pairs]
    macro = [result for result in macro if result.language_pairs == macro[0].language_pairs]
    if len(macro) > 1:
        tables = [(result.pairs, 1 if result.higher_is_better else -1) for result in macro]
        found.append(Disputed(None, tuple(result.metric for result in macro), tuple(_across(tables))))
    return [one for one in found if one.pairs]


def _across(results: Sequence[tuple[Sequence[PairResult | MacroPair], int]]) -> list[PairAcross]:
    """The pairs that all have; of each metric its pairs, and the sign that turns a difference into an improvement."""
    tables = []
    for pairs, sign in results:
        table = {}
        for pair in pairs:
            decision = {"a": 1, "b": -1, None: 0}[pair.better]
            table[pair.a, pair.b] = (sign * pair.delta, decision, pair.decidable)
            table[pair.b, pair.a] = (-sign * pair.delta, -decision, pair.decidable)
        tables.append(table)
    found = []
    for pair in results[0][0]:
        if all((pair.a, pair.b) in table for table in tables):
            improvements, decisions, can = zip(*(table[pair.a, pair.b] for table in tables), strict=True)
            found.append(PairAcross(pair.a, pair.b, improvements, decisions, all(can)))
    return found


#-----------------------------------------------------------------------------------------------------------------------
# Systems over several language pairs: the mean of their differences, drawn within each pair and then averaged.
#
# p-values of language pairs are never combined: two-sided ones forget the sign, so that a system that wins here and
# loses
# there would come out ahead. What is averaged are differences in points, observed and under the null alike.


#: The tests whose replicates can be averaged.
MACRO_TESTS = ("ar", "bootstrap")


@dataclass(frozen=True, eq=False)
class MacroNumbers:
    """Systems that all language pairs have, best first, and their pairs, in points.

    Attributes
    ----------
    names : list of str
    scores, score_low, score_high : ndarray, shape (systems,)
        Ends are NaN where a system has a single unit in some language pair: nothing there says how far it may vary.
    pairs : ndarray of int, shape (pairs, 2)
        Of systems, the better-scoring first.
    delta, low, high, p, adjusted : ndarray, shape (pairs,)
        Ends are NaN where the two have a single unit in common in some language pair.
    decisions : ndarray of int, shape (pairs,)
        1 where the first is significantly better, -1 where the second is, else 0.
    decidable : ndarray of bool, shape (pairs,)
        Whether p could be small enough after the correction.
    n_apart : ndarray of int, shape (pairs,)
        Units that tell the systems apart: of all language pairs together, or of a bootstrap those of the language pair
        that has fewest.
    ranks : list of (int, int), or of (None, None)
        The latter where no pair could be decided by the correction of ranks.
    """

    names: list[str]
    scores: np.ndarray
    score_low: np.ndarray
    score_high: np.ndarray
    pairs: np.ndarray
    delta: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    adjusted: np.ndarray
    decisions: np.ndarray
    decidable: np.ndarray
    n_apart: np.ndarray
    ranks: list[tuple[int | None, int | None]]


def across_pairs(parts: Mapping[str, Measured], settings: Mapping[str, Settings], *, test: str, correction: str,
                 alpha: float, trials: int, seed: int, ci: str = "percentile", jobs: int = 1,
                 progress: Callable[[float], None] | None = None) -> MacroNumbers | None:
    """Compare the systems that all language pairs have; None where fewer than two do.

    Parameters
    ----------
    parts : mapping of str to Measured
        By language pair, under one metric.
    settings : mapping of str to Settings
        By language pair: the unit drawn in each, the resamples of intervals.
    test : {"ar", "bootstrap"}
    correction : str
        Over all pairs of these systems; ranks are corrected by Romano-Wolf.
    trials, seed : int
        Draws of each language pair, keyed by the seed and its name: other pairs in the task change none of them.
    ci : {"percentile", "jackknife-t"}
        The latter with the jackknife's variances of all language pairs and their degrees of freedom by Welch and
        Satterthwaite, those of one its units of equal size (Kish 1965) less one.

    Notes
    -----
    Swaps count the units of all language pairs together: that all favour the same of two systems is as rare as if they
    were of one. A bootstrap of few units is too sure, and that of other language pairs mends nothing: its p is at least
    that which the language pair with the fewest units can show.

    A pair of systems has a difference where each language pair has segments that both are scored on; one that has none
    somewhere is left out of the family.
    """
    first = next(iter(parts.values()))
    names = [name for name in first.names if all(name in part.names for part in parts.values())]
    if len(names) < 2:
        return None
    scores = np.mean([part.only(names).scores for part in parts.values()], axis=0)
    order = np.argsort(-first.sign * scores, kind="stable")
    names, scores, pairs = [names[k] for k in order], scores[order], engine.all_pairs(len(names))
    some = np.ones(len(pairs), dtype=bool)
    resamples = max(own.resamples for own in settings.values())
    drawn, delta = np.zeros((len(names), resamples)), np.zeros(len(pairs))
    apart, null = np.zeros((len(pairs), resamples)), np.zeros((len(pairs), trials))
    n_apart, by_part = [], []
    alone, alone_apart = np.zeros(len(names), dtype=bool), np.zeros(len(pairs), dtype=bool)
    for k, (pair, part) in enumerate(parts.items()):
        own = replace(settings[pair], test=test, trials=trials, seed=seed_of(seed, pair), ci="percentile")
        found = _one_pair(part.only(names), pairs, own, jobs)
        some &= found.some
        alone |= found.n_units < 2
        alone_apart |= found.n_common < 2
        n_apart.append(found.n_apart)
        by_part.append((found.errors / len(parts) ** 2, found.freedom))
        for total, values in ((drawn, found.drawn), (delta, found.delta), (apart, found.apart), (null, found.null)):
            total += values / len(parts)
        if progress is not None:
            progress((k + 1) / len(parts))
    least = (np.sum if TESTS[test].draws == "swaps" else np.min)(n_apart, axis=0)[some]
    ends = _ends(np.concatenate([scores, delta]), np.concatenate([drawn, apart]), by_part, ci, alpha)
    score_low, score_high = np.where(alone, np.nan, ends[:, :len(names)])
    low, high = np.where(alone_apart, np.nan, ends[:, len(names):])[:, some]
    null, pairs, delta = null[some], pairs[some], delta[some]
    floor = p_floor(TESTS[test], next(iter(settings.values())).unit, least)
    p, adjusted, for_ranks = _p_values(delta, null, floor, test, correction)
    decidable, by_ranks = (decidable_across(settings, least, trials, of) for of in (
        correction, rank_correction(next(iter(settings.values())))))
    decisions = np.where(decidable, decide(first.sign * delta, alpha, p=adjusted), 0)
    better = decision_matrix(len(names), pairs, decide(first.sign * delta, alpha, p=for_ranks))
    ranks: list[tuple[int | None, int | None]] = [(None, None)] * len(names)
    if by_ranks.any():
        ranks = [(int(a), int(b)) for a, b in zip(*rank_intervals(better), strict=True)]
    return MacroNumbers(names, scores, score_low, score_high, pairs, delta, low, high, p, adjusted, decisions,
                        decidable, least, ranks)


def decidable_across(settings: Mapping[str, Settings], n_apart: np.ndarray, trials: int | None, correction: str
                     ) -> np.ndarray:
    """Whether each pair of systems could be significant across the language pairs, see `can_reach`.

    Of stationary blocks the shortest mean length is taken, by which the least p is smallest.

    Parameters
    ----------
    settings : mapping of str to Settings
        By language pair.
    n_apart : ndarray of int, shape (pairs,)
        See `MacroNumbers`.
    trials : int or None
    correction : str
    """
    length = min((own.block_length for own in settings.values() if own.block_length is not None), default=None)
    return can_reach(replace(next(iter(settings.values())), trials=trials, block_length=length), n_apart, correction)


def seed_of(seed: int, pair: str) -> int:
    """The seed of one language pair's draws, from that of all and its name: pairs draw independently.

    >>> seed_of(0, "en-de") != seed_of(0, "en-cs")
    True
    """
    return int.from_bytes(hashlib.blake2b(f"{seed}\0{pair}".encode(), digest_size=8).digest(), "big")


def _ends(observed: np.ndarray, drawn: np.ndarray, by_part: list[tuple[np.ndarray, np.ndarray]], ci: str, alpha: float
          ) -> np.ndarray:
    """Of intervals, shape (2, rows); `by_part` has the variances and their degrees of freedom in each language pair."""
    if ci == "percentile":
        ends: np.ndarray = np.quantile(drawn, [alpha / 2, 1 - alpha / 2], axis=1)
        return ends
    from scipy.special import stdtrit

    variances, freedom = (np.array(of_parts) for of_parts in zip(*by_part, strict=True))
    half = stdtrit(welch_satterthwaite(variances, freedom), 1 - alpha / 2) * np.sqrt(variances.sum(axis=0))
    return np.array([observed - half, observed + half])


@dataclass(frozen=True, eq=False)
class _OnePair:
    """Of one language pair: observed and drawn differences, and drawn scores; of pairs without a common segment 0."""

    some: np.ndarray  # (pairs,)
    delta: np.ndarray  # (pairs,)
    apart: np.ndarray  # (pairs, resamples)
    null: np.ndarray  # (pairs, trials)
    drawn: np.ndarray  # (systems, resamples)
    n_units: np.ndarray  # (systems,)
    n_common: np.ndarray  # (pairs,)
    n_apart: np.ndarray  # (pairs,)
    errors: np.ndarray  # (systems + pairs,): the jackknife's variances
    freedom: np.ndarray  # (systems + pairs,)


def _one_pair(part: Measured, pairs: np.ndarray, settings: Settings, jobs: int) -> _OnePair:
    units = part.units(settings.unit, settings.block_length)
    assert settings.trials is not None, "both tests draw"
    systems = draw(part.metric, part.stored, units, settings, jobs, None)
    n, sides, rows = sides_of(part, systems, pairs, units, settings, jobs, None)
    some = n > 0
    delta, apart, null = np.zeros(len(pairs)), np.zeros((len(pairs), settings.resamples)), np.zeros(
        (len(pairs), settings.trials))
    i, j = rows.T
    delta[some] = sides.sample.observed[i] - sides.sample.observed[j]
    apart[some] = sides.sample.drawn[i] - sides.sample.drawn[j]
    tested = tested_against(sides, rows, settings, jobs, None)[:]
    if TESTS[settings.test].tries_all(units):  # as many of all swaps as are drawn elsewhere, none swapped among them
        tested = np.column_stack([delta[some], tested])
        tested = tested[:, np.random.default_rng(settings.seed).integers(tested.shape[1], size=settings.trials)]
    null[some] = tested
    itself = np.repeat(np.arange(len(part.names)), 2).reshape(-1, 2)
    (n_units, worth), (n_common, worth_common) = (pair_units(part, of, units) for of in (itself, pairs))
    errors = np.zeros(len(pairs))
    errors[some] = np.concatenate([np.empty(0), *(
        jackknife_se(sides.sample.left_out[i[few]] - sides.sample.left_out[j[few]])
        for few in row_chunks(len(rows), sides.sample.left_out.shape[1]))])
    n_apart = n_common.copy()
    n_apart[some] = units_apart(sides.data, rows, n_common[some], TESTS[settings.test].draws == "swaps")
    return _OnePair(some, delta, apart, null, systems.sample.drawn, n_units, n_common, n_apart,
                    np.concatenate([jackknife_se(systems.sample.left_out), errors]) ** 2,
                    np.asarray(units_freedom(np.concatenate([worth, worth_common]))))


def _p_values(delta: np.ndarray, null: np.ndarray, floor: np.ndarray, test: str, correction: str
              ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p, adjusted p, and those behind ranks; none is below the floor, which so few units cannot show."""
    if not len(delta):
        return delta, delta, delta
    p_values = TESTS[test].p_values
    assert p_values is not None, "tests without p cannot be averaged"
    p = np.maximum(floor, p_values(delta, null))
    if TESTS[test].draws == "bootstrap":
        null = null - null.mean(axis=1, keepdims=True)
    stepped = np.maximum(floor, romano_wolf(delta, null))
    return p, stepped if correction == "romano-wolf" else ADJUSTMENTS[correction](p), stepped


#-----------------------------------------------------------------------------------------------------------------------
# `compare_task`: every language pair of a shared task, and the systems across them.


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
    >>> from mtsig_core.testset import TestSet
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
    return TaskComparison(info, pairs, {name: macro[name] for name in metrics if name in macro}, exclude,
                          warnings=() if chosen else tuple(about_choice(info, metrics[0])))


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
