"""Systems across language pairs and across metrics, and `compare_task`: a whole shared task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import (
    MissingBaselineError,
    MissingTokenizerError,
    MtsigError,
    SettingError,
    explain_unknown,
)
from mtsig_core.metrics import METRICS, Metric, check_each_once, check_score_name, resolve_metric
from mtsig_core.progress import Progress, prefix_stages, report_stage
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
from mtsig_core.score_names import (
    check_settled,
    drop_as_given,
    order_metrics,
    pick_human_scores,
)
from mtsig_core.stats import engine
from mtsig_core.stats.cautions import about_choice, about_missing_tokenizer
from mtsig_core.stats.comparison import (
    Cache,
    decide_by_fitting_rules,
    draw,
    draws_key,
    join_comparisons,
    resolve_comparison,
)
from mtsig_core.stats.decisions import Decisions, average_runs_across, decide_tests, rank_systems
from mtsig_core.stats.draws import (
    PairTests,
    derive_seed,
    draw_part,
    has_domains,
    jackknife_errors,
    score_over_domains,
    test_pairs,
)
from mtsig_core.stats.engine import Measured, measure
from mtsig_core.stats.few_units import p_floor, pair_units, welch_satterthwaite
from mtsig_core.stats.intervals import finite_or_none, jackknife_se
from mtsig_core.stats.parallel import run_in_order, runs_elsewhere
from mtsig_core.stats.ranks import RANK_RULES
from mtsig_core.stats.settings import (
    Plan,
    check_jobs,
    check_rule_fits,
    explain_no_baseline,
    resolve_plan,
)
from mtsig_core.stats.significance import ONLY_LOOK, SIDES, TESTS
from mtsig_core.task import Task, TaskExclusion, without
from mtsig_core.testset import TestSet

# -------------------------------------------------------------------------------------------------
# Several metrics on the same pairs: they agree, only some decide, or they contradict.


NOT_ALIKE = ("opposite", "significant by some metrics only")
AGREE = "agree"
UNDECIDED = "cannot be decided"
FEW = "cannot be decided with so few trials or units"
#: What metrics may say of a pair together, the gravest first.
AGREEMENTS = (*NOT_ALIKE, AGREE, UNDECIDED)
#: What a decision is written as, after Zhang and Vogel (2004, Fig. 3).
RELATIONS = {1: ">", -1: "<", 0: "~"}


@dataclass(frozen=True)
class PairAcross:
    """One pair under several metrics, in their order."""

    #: Ordered by the first metric.
    a: str
    b: str
    #: Differences in points of each metric, positive where a is better.
    improvements: tuple[float, ...]
    decisions: tuple[int, ...]  # 1 where a is significantly better, -1 where b is, 0 where neither
    decidable: bool = True  # whether each of them could have decided, with so many trials and units

    @property
    def relations(self) -> tuple[str, ...]:
        """The relation by each metric: ``>`` significantly better, ``<`` worse, ``~`` neither."""
        return tuple(RELATIONS[decision] for decision in self.decisions)

    @property
    def kind(self) -> str:
        """One of `AGREEMENTS`.

        If no metric decides, and one could not have, nobody knows whether they agree.
        """
        is_better_by_some = 1 in self.decisions
        is_worse_by_some = -1 in self.decisions
        if is_better_by_some and is_worse_by_some:
            return "opposite"
        if len(set(self.decisions)) > 1:
            return "significant by some metrics only"
        if self.decidable or self.decisions[0] != 0:
            return AGREE
        return UNDECIDED


@dataclass(frozen=True)
class Disputed:
    """The results of several metrics together, for all pairs of systems in one language pair."""

    language_pair: str | None  # None for the mean differences across the language pairs
    metrics: tuple[str, ...]
    pairs: tuple[PairAcross, ...]  # those that all of these metrics have tested

    def count(self, kind: str) -> int:
        """Count the pairs of one of `AGREEMENTS`."""
        return sum(pair.kind == kind for pair in self.pairs)

    def count_alone(self, metric: str) -> int:
        """Count the pairs that only this metric decides."""
        index = self.metrics.index(metric)
        n_alone = 0
        for pair in self.pairs:
            n_deciding = sum(decision != 0 for decision in pair.decisions)
            n_alone += pair.decisions[index] != 0 and n_deciding == 1
        return n_alone


def pairs_across(results: Sequence[MetricResult]) -> list[PairAcross]:
    """Return the pairs that all metrics have tested, in the order of the first."""
    return _join_metrics([(result.tested, result.sign) for result in results])


def find_disputes(task: TaskComparison) -> list[Disputed]:
    """Return what metrics say together of pairs of systems, in each language pair and across them.

    A language pair is judged by the metrics that it has. Mean differences are compared only where
    several metrics have the same language pairs: else they would be of other test sets.
    """
    disputes = []
    for lang_pair, comparison in task.pairs.items():
        if len(comparison.metrics) > 1:
            results = list(comparison.metrics.values())
            pairs = pairs_across(results)
            metrics = tuple(comparison.metrics)
            disputes.append(Disputed(lang_pair, metrics, tuple(pairs)))
    macro = [result for result in task.macro.values() if result.pairs]
    macro = [result for result in macro if result.language_pairs == macro[0].language_pairs]
    if len(macro) > 1:
        metrics = tuple(result.metric for result in macro)
        pairs_by_metric = []
        for result in macro:
            sign = -1
            if result.higher_is_better:
                sign = 1
            pairs_by_metric.append((result.pairs, sign))
        pairs = _join_metrics(pairs_by_metric)
        disputes.append(Disputed(None, metrics, tuple(pairs)))
    return [dispute for dispute in disputes if dispute.pairs]


class _Decision(NamedTuple):
    """The result of one metric for one pair."""

    improvement: float
    decision: int
    is_decidable: bool


def _join_metrics(
    results: Sequence[tuple[Sequence[PairResult | MacroPair], int]],
) -> list[PairAcross]:
    """Return the pairs that all metrics have.

    Each metric has its pairs, and the sign that turns a difference into an improvement.
    """
    number_of_side = {"a": 1, "b": -1, None: 0}
    tables = []
    for pairs, sign in results:
        table = {}
        for pair in pairs:
            improvement = sign * pair.delta
            decision = number_of_side[pair.better]
            table[pair.a, pair.b] = _Decision(improvement, decision, pair.decidable)
            table[pair.b, pair.a] = _Decision(-improvement, -decision, pair.decidable)
        tables.append(table)
    joined = []
    first_pairs, _ = results[0]
    for pair in first_pairs:
        names = (pair.a, pair.b)
        if all(names in table for table in tables):
            rows = [table[names] for table in tables]
            improvements = tuple(row.improvement for row in rows)
            decisions = tuple(row.decision for row in rows)
            are_decidable = all(row.is_decidable for row in rows)
            joined.append(PairAcross(pair.a, pair.b, improvements, decisions, are_decidable))
    return joined


# -------------------------------------------------------------------------------------------------
# Systems over several language pairs: the mean of their differences, drawn within each language pair.
#
# p-values of language pairs are never combined: two-sided p-values lose the sign, so a system that
# wins in one pair and loses in another would seem better. Differences in points are averaged,
# observed and under the null alike.


#: The tests whose replicates can be averaged.
MACRO_TESTS = ("ar", "bootstrap")


@dataclass(frozen=True, eq=False)
class AcrossDraws:
    """Systems that all language pairs have, best first, and their pairs, in points.

    Nothing here depends on a decision. Arrays over systems + pairs have the systems first.
    """

    names: tuple[str, ...]
    sign: int  # {1, -1}: What turns a difference of scores into an improvement
    trials: int
    #: int, shape (pairs, 2): Those that have segments in common in each language pair, the
    #: better-scoring first.
    pairs: np.ndarray
    observed: np.ndarray  # shape (systems + pairs,): Scores and differences
    drawn: np.ndarray  # shape (systems + pairs, resamples): The same on bootstrap samples
    #: shape (language pairs, systems + pairs): Of the jackknife in each language pair, and the
    #: degrees of freedom.
    variances: np.ndarray
    freedom: np.ndarray
    #: bool, shape (systems + pairs,): What has a single unit in some language pair: nothing there
    #: says how far it may vary.
    single: np.ndarray
    #: int, shape (pairs,): Units that tell the systems apart: the sum over all language pairs, or
    #: for a bootstrap the count of the language pair that has fewest.
    n_apart: np.ndarray
    tests: PairTests
    #: The same systems scored by the mean over domains, which a rule of ranks may ask for; None
    #: without domains.
    over_domains: AcrossDraws | None = None


@dataclass(frozen=True, eq=False)
class _Share:
    """The share of one language pair in systems and pairs; 0 for a pair without common segments."""

    is_tested: np.ndarray  # bool, shape (pairs,)
    is_single: np.ndarray  # bool, shape (systems + pairs,)
    n_apart: np.ndarray  # int, shape (pairs,)
    observed: np.ndarray  # shape (systems + pairs,)
    replicates: np.ndarray  # shape (systems + pairs, resamples)
    null: np.ndarray  # shape (pairs, trials)
    variances: np.ndarray  # shape (systems + pairs,)
    freedom: np.ndarray  # shape (systems + pairs,)


def _draw_share(measured: Measured, pairs: np.ndarray, plan: Plan, jobs: int) -> _Share:
    draws = draw_part(measured, pairs, plan, jobs)
    contrast = draws.contrast
    systems = draws.systems.sample
    sides = draws.sides.sample
    assert systems.freedom is not None, "it was drawn for intervals"
    assert sides.freedom is not None, "it was drawn for intervals"
    is_tested = contrast.is_tested

    def place(of_systems: np.ndarray, of_tested: np.ndarray, fill: float = 0.0) -> np.ndarray:
        """Systems, then all pairs; pairs that are not tested have the value `fill`."""
        of_pairs = np.full((len(pairs), *of_tested.shape[1:]), fill)
        of_pairs[is_tested] = of_tested
        return np.concatenate([of_systems, of_pairs])

    numbers = np.arange(len(measured.names))
    with_itself = np.column_stack([numbers, numbers])  # a system as a pair
    systems_and_pairs = np.concatenate([with_itself, pairs])
    n_units, _ = pair_units(measured.has_score, systems_and_pairs, contrast.data.units)
    n_trials = draws.joint.shape[1]
    null = np.zeros((len(pairs), n_trials))
    null[is_tested] = draws.joint
    differences = contrast.difference(sides.replicates)
    system_errors = jackknife_se(systems.left_out)
    pair_errors = jackknife_errors(sides.left_out, contrast.rows)
    errors = place(system_errors, pair_errors)
    first_sides = contrast.rows[:, 0]
    pair_freedom = sides.freedom[first_sides]
    freedom = place(systems.freedom, pair_freedom, fill=1.0)
    observed = place(systems.observed, contrast.deltas)
    replicates = place(systems.replicates, differences)
    return _Share(
        is_tested=is_tested,
        is_single=n_units < 2,
        n_apart=draws.n_apart,
        observed=observed,
        replicates=replicates,
        null=null,
        variances=errors**2,
        freedom=freedom,
    )


def draw_across(  # noqa: PLR0914  sums of seven arrays over language pairs
    measured: Mapping[str, Measured],
    plans: Mapping[str, Plan],
    *,
    trials: int,
    seed: int,
    baseline: str | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> AcrossDraws | None:
    """Draw the systems that all language pairs have, under one metric; None for fewer than two.

    With a baseline, which all of them have, only the pairs with it are drawn, and it comes second.

    `plans` have the unit and the resamples of each language pair, and one test, ``ar`` or
    ``bootstrap``. The seed and the name of a language pair decide its draws, so that other language
    pairs in the task do not change them.

    Swaps count the units of all language pairs together: all of them favour the same system as
    rarely as if they belonged to one language pair. A bootstrap of few units is too sure, and other
    language pairs do not help: its p is at least the smallest p that the language pair with the
    fewest units can show.

    A pair of systems has a difference where each language pair has segments that both are scored
    on. A pair without any in some language pair is left out of the family.
    """
    names = _order_common_systems(list(measured.values()))
    plan = next(iter(plans.values()))
    if len(names) < 2:
        return None
    n = len(names)
    share = 1 / len(measured)
    pairs = engine.all_pairs(n)
    if baseline is not None:
        base = names.index(baseline)
        pairs = np.array([(opponent, base) for opponent in range(n) if opponent != base])
    observed = np.zeros(n + len(pairs))
    replicates = np.zeros((n + len(pairs), plan.resamples))
    null = np.zeros((len(pairs), trials))
    is_tested = np.ones(len(pairs), dtype=bool)
    is_single = np.zeros(n + len(pairs), dtype=bool)
    n_apart = []
    variances = []
    freedom = []
    for number, (lang_pair, counted) in enumerate(measured.items(), 1):
        keyed = replace(plans[lang_pair], trials=trials, seed=derive_seed(seed, lang_pair))
        lang_pair_share = _draw_share(counted.only(names), pairs, keyed, jobs)
        observed += share * lang_pair_share.observed
        replicates += share * lang_pair_share.replicates
        null += share * lang_pair_share.null
        is_tested &= lang_pair_share.is_tested
        is_single |= lang_pair_share.is_single
        n_apart.append(lang_pair_share.n_apart)
        variances.append(share**2 * lang_pair_share.variances)
        freedom.append(lang_pair_share.freedom)
        if progress is not None:
            progress("across language pairs", number * share)

    units_apart = _count_units_apart(plan, np.array(n_apart))[is_tested]
    tests = PairTests()
    if is_tested.any():
        test = TESTS[plan.test]
        floor = p_floor(test, plan.unit, units_apart)
        family = np.arange(len(floor))
        deltas = observed[n:][is_tested]
        tests = test_pairs(deltas, null[is_tested], test, floor, [family])
    is_drawn = np.concatenate([np.ones(n, dtype=bool), is_tested])
    return AcrossDraws(
        names=tuple(names),
        sign=next(iter(measured.values())).sign,
        trials=trials,
        pairs=pairs[is_tested],
        observed=observed[is_drawn],
        drawn=replicates[is_drawn],
        variances=np.array(variances)[:, is_drawn],
        freedom=np.array(freedom)[:, is_drawn],
        single=is_single[is_drawn],
        n_apart=units_apart,
        tests=tests,
    )


def _count_units_apart(plan: Plan, n_apart: np.ndarray) -> np.ndarray:
    """Count the units that tell each pair apart, from the counts of each language pair."""
    if TESTS[plan.test].draws == "swaps":
        return np.asarray(np.sum(n_apart, axis=0))
    return np.asarray(np.min(n_apart, axis=0))


def _order_common_systems(measured: Sequence[Measured]) -> list[str]:
    """Return the systems that all language pairs have, the best mean score first."""
    first = measured[0]
    names = first.names
    for counted in measured:
        names = [name for name in names if name in counted.names]
    if not names:
        return []
    scores = np.mean([counted.only(names).scores for counted in measured], axis=0)
    order = np.argsort(-first.sign * scores, kind="stable")
    return [names[k] for k in order]


def decide_across(draws: AcrossDraws, settings: Settings, ci: str) -> tuple[np.ndarray, Decisions]:
    """Return intervals of systems and pairs, shape (2, systems + pairs), and what is decided.

    Intervals are ``percentile``, or ``jackknife-t`` with the jackknife's variances of all language
    pairs. Their degrees of freedom are by Welch and Satterthwaite; a language pair has its units of
    equal size (Kish 1965) less one. Bounds are NaN without an interval.
    """
    from scipy.special import stdtrit

    alpha = settings.alpha
    if ci == "percentile":
        levels = [alpha / 2, 1 - alpha / 2]
        intervals = np.quantile(draws.drawn, levels, axis=1)
    else:
        freedom = welch_satterthwaite(draws.variances, draws.freedom)
        t = stdtrit(freedom, 1 - alpha / 2)
        error = np.sqrt(draws.variances.sum(axis=0))
        half = t * error
        intervals = np.array([draws.observed - half, draws.observed + half])
    intervals = np.where(draws.single, np.nan, intervals)
    n_systems = len(draws.names)
    deltas = draws.observed[n_systems:]
    settings = replace(settings, trials=draws.trials)
    decisions = decide_tests(draws.tests, deltas, draws.sign, draws.n_apart, settings)
    return intervals, decisions


def settings_across(settings: Mapping[str, Settings]) -> Settings:
    """Return the settings of a decision across language pairs, from the settings of each.

    For stationary blocks the shortest mean length counts, because p can be smallest by it.
    """
    rows = list(settings.values())
    lengths = [row.block_length for row in rows if row.block_length is not None]
    shortest = min(lengths, default=None)
    return replace(rows[0], block_length=shortest)


# -------------------------------------------------------------------------------------------------
# `compare_task`: every language pair of a shared task, and the systems across them.


class TaskParts(Protocol):
    """A task whose language pairs are read when one of them is compared."""

    @property
    def info(self) -> TaskInfo:
        """What results say of it."""

    @property
    def excluded(self) -> tuple[TaskExclusion, ...]:
        """The systems that are left out of it already."""

    def testset(self, lang_pair: str) -> TestSet:
        """Read a language pair."""


@dataclass(frozen=True)
class _ReadTask:
    """A task that is read already."""

    task: Task
    excluded: tuple[TaskExclusion, ...]

    @property
    def info(self) -> TaskInfo:
        return TaskInfo.from_task(self.task)

    def testset(self, lang_pair: str) -> TestSet:
        return self.task.testsets[lang_pair]


def compare_task(  # noqa: PLR0913  each choice of a user is a parameter
    task: Task | TaskParts,
    metrics: str | Sequence[str] | None = None,
    *,
    test: str = "ar",
    unit: str = "auto",
    block_length: float | None = None,
    trials: int = 9999,
    alpha: float = 0.05,
    correction: str = "auto",
    ci: str = "auto",
    resamples: int = 2000,
    seed: int = 0,
    baseline: str | None = None,
    rank_rule: str = "simultaneous",
    look: str = ONLY_LOOK,
    by_reference: bool = True,
    exclude: Iterable[TaskExclusion] = (),
    refs: tuple[str, ...] = (),
    refs_as_systems: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
    on_pair: Callable[[str, Comparison], None] | None = None,
    cache: Cache | None = None,
) -> TaskComparison:
    """Find the real differences of a shared task, in each language pair and across them.

    Parameters
    ----------
    task : Task, or TaskParts
    metrics : str or sequence of str, optional
        By default all scores that the task has, BLEU where it has none: human scores first, then
        the metric that the task's table names; where nothing says which metric decides, a warning
        asks. A language pair is compared by the metrics it has, and left out if it has no such
        metric.
    test : {"ar", "bootstrap", ...}
        As in `compare`, within each language pair. Across them the mean difference is tested by the
        same, where its draws can be averaged (``ar``, ``bootstrap``); else there is no macro
        result.
    unit, block_length, trials, alpha, correction, ci, resamples, seed, rank_rule, look,
    by_reference, jobs
        As in `compare`, for each language pair; the family of a correction is all pairs of systems
        in one language pair, and, of the macro result, all pairs of systems that have every
        language pair.
    baseline : str, optional
        Compare only with this system, in each language pair and across them; there are no rank
        ranges then. A language pair without it is left out, and a warning names it.
    exclude : iterable of TaskExclusion
        Systems to leave out, in all language pairs or in one, each with a reason.
    refs : tuple of str
        References to score with, in each language pair those that it has; all if empty.
    refs_as_systems : bool
        Whether the others, and those with ratings, act as systems, as ``HUMAN-NAME``; see
        `Task.scored_with`.
    progress : callable, optional
        Called with (stage, share of all of it done).
    on_pair : callable, optional
        Called with (language pair, comparison) as each is finished; with several metrics once for
        each.
    cache : mutable mapping, optional
        What was drawn before, by content and settings of the draws, and what is drawn now: with
        another alpha, correction or rank rule nothing is drawn again.

    Returns
    -------
    TaskComparison

    Examples
    --------
    >>> a, b, c = ["a b c d e"] * 40, ["a b c d"] * 40, ["a b c"] * 40
    >>> from mtsig_core.testset import TestSet
    >>> pair = TestSet("toy", {"A": a, "B": b, "C": c}, {"ref": a})
    >>> result = compare_task(Task("toy", {"en-de": pair, "en-cs": pair.only(["A", "B"])}), "bleu", trials=999)
    >>> [(row.system, row.n_pairs, row.rank_low, row.wins) for row in result.macro["bleu"].systems]
    [('A', 2, 1, 3), ('B', 2, 2, 1), ('C', 1, None, 0)]
    """
    if isinstance(task, Task):
        if refs or refs_as_systems:
            task = task.scored_with(refs or None, others_as_systems=refs_as_systems)
        exclude = tuple(exclude)
        task = _ReadTask(without(task, exclude), exclude)
    info = task.info
    names = task_metrics(info, metrics)
    if baseline is not None and baseline not in info.systems:
        raise explain_no_baseline(baseline, info.systems)
    check_jobs(jobs)
    sampling = {
        "test": test,
        "unit": unit,
        "block_length": block_length,
        "trials": trials,
        "resamples": resamples,
        "seed": seed,
    }
    decisions = {
        "alpha": alpha,
        "correction": correction,
        "ci": ci,
        "baseline": baseline,
        "rank_rule": rank_rule,
        "look": look,
    }
    if cache is None:
        cache = {}
    metrics_and_pairs: list[tuple[str, str]] = []
    for name in names:
        lang_pairs = info.pairs_with(name)
        metrics_and_pairs.extend((name, lang_pair) for lang_pair in lang_pairs)
    n_steps = len(metrics_and_pairs) + len(
        names
    )  # one per comparison, and one across language pairs
    steps = _Steps(n_steps, progress)
    work = _TaskWork(task, sampling, decisions, by_reference, jobs, cache, steps)
    work.check(metrics_and_pairs)
    comparisons: dict[tuple[str, str], Comparison] = {}
    macro: dict[str, MacroResult] = {}
    for metric in names:
        measured: dict[str, Measured] = {}
        by_lang_pair = {}
        for lang_pair, comparison in work.compare(metric, measured):
            by_lang_pair[lang_pair] = comparison
            comparisons[metric, lang_pair] = comparison
            if on_pair is not None:
                on_pair(lang_pair, comparison)
        if len(by_lang_pair) > 1:
            # In the order of the task: what was drawn on other machines comes last.
            in_order = {pair: by_lang_pair[pair] for pair in info.pairs if pair in by_lang_pair}
            macro[metric] = work.compare_across(metric, in_order, measured)
        work.steps.finish_step()
    if not comparisons and work.missing:
        raise next(iter(work.missing.values()))
    joined = join_task(
        info, names, comparisons, macro, task.excluded, are_given=metrics is not None
    )
    return replace(joined, warnings=(*work.list_cautions(), *joined.warnings))


class _Steps:
    """The progress of all steps.

    A step has an unknown number of stages. Each takes half of the remaining step, so progress never
    goes back.
    """

    def __init__(self, n_steps: int, progress: Progress | None):
        self._n_steps = n_steps
        self._progress = progress
        self._n_finished = 0
        self._reached = 0.0
        self._stages: list[str] = []

    def report(self, stage: str, share: float) -> None:
        """Report the share of a stage."""
        if not self._stages or self._stages[-1] != stage:
            self._stages.append(stage)
        n_passed = len(self._stages) - 1
        left = 0.5**n_passed
        of_step = 1 - left + left * share / 2
        of_all = (self._n_finished + of_step) / self._n_steps
        self._reached = max(self._reached, of_all)
        if self._progress is not None:
            self._progress(stage, self._reached)

    def finish_step(self) -> None:
        self._n_finished += 1
        self._stages.clear()


@dataclass(eq=False)
class _TaskWork:
    """The steps of `compare_task`: each language pair by a metric, and that metric across them."""

    task: TaskParts
    sampling: dict[str, Any]
    decisions: dict[str, Any]
    by_reference: bool
    jobs: int
    cache: Cache
    steps: _Steps
    #: By metric and language pair, why it could not be computed there: its tokenizer is not
    #: installed, or the baseline has no score.
    missing: dict[tuple[str, str], SettingError] = field(default_factory=dict)

    def check(self, steps: Sequence[tuple[str, str]]) -> None:
        """Raise for a setting that does not fit some metric and language pair.

        It is called before anything is drawn, so that no long task stops in its middle. The message
        names the language pair, unless the setting fits none.
        """
        errors: dict[str, MtsigError] = {}
        n_errors = 0
        metrics: list[Metric] = []
        for metric, lang_pair in steps:
            testset = self.task.testset(lang_pair)
            try:
                chosen_metric = resolve_metric(testset, metric)
                metrics.append(chosen_metric)
                resolve_comparison(testset, [chosen_metric], **self.sampling, **self.decisions)
            except MissingTokenizerError:
                continue  # which stops only this language pair, and becomes a caution
            except MissingBaselineError as error:
                self.missing[metric, lang_pair] = error
            except MtsigError as error:
                n_errors += 1
                errors.setdefault(lang_pair, error)
        check_rule_fits(self.decisions["rank_rule"], metrics)
        if not errors:
            return
        lang_pair, first = next(iter(errors.items()))
        if n_errors == len(steps):
            raise first
        raise type(first)(f"{lang_pair}: {first}", *first.remedies)

    def list_cautions(self) -> list[Caution]:
        """Warn of the metrics that are missing in some language pair."""
        cautions = []
        for (metric, lang_pair), error in self.missing.items():
            if isinstance(error, MissingTokenizerError):
                testset = self.task.testset(lang_pair)
                cautions.append(about_missing_tokenizer(testset, metric, lang_pair))
            else:
                facts = {"pair": lang_pair, "baseline": self.decisions["baseline"]}
                cautions.append(Caution("baseline-missing", facts, metric))
        return cautions

    def compare(
        self, metric: str, measured: dict[str, Measured]
    ) -> Iterator[tuple[str, Comparison]]:
        """Yield language pairs with their comparisons by a metric, one after the other.

        With other machines, what was drawn before comes first. What is counted here is added to
        `measured`.
        """
        lang_pairs = []
        for lang_pair in self.task.info.pairs_with(metric):
            if (metric, lang_pair) in self.missing:
                self.steps.finish_step()
            else:
                lang_pairs.append(lang_pair)
        sent = []
        if runs_elsewhere():
            sent = [pair for pair in lang_pairs if not self._is_drawn(metric, pair)]
        for lang_pair in lang_pairs:
            if lang_pair in sent:
                continue
            self.steps.report(f"{lang_pair}, looking", 0.0)
            try:
                comparison = self._compare_pair(metric, lang_pair, measured)
            except MissingTokenizerError as error:
                self.missing[metric, lang_pair] = error
                self.steps.finish_step()
                continue
            yield lang_pair, comparison
        if not sent:
            return
        self.steps.report(f"{len(sent)} language pairs on other machines", 0.0)
        testsets = [self.task.testset(lang_pair) for lang_pair in sent]
        draw_pair = partial(_draw_elsewhere, testsets, metric, self.by_reference, self.sampling)
        drawn_elsewhere = run_in_order(draw_pair, len(sent))
        for lang_pair, draws_by_key in zip(sent, drawn_elsewhere, strict=True):
            self.steps.report(f"{lang_pair}, done elsewhere", 0.0)
            for key, draws in draws_by_key.items():
                self.cache[key] = draws
            yield lang_pair, self._compare_pair(metric, lang_pair, measured)

    def _is_drawn(self, metric: str, lang_pair: str) -> bool:
        testset = self.task.testset(lang_pair)
        plan, _ = resolve_plan(testset, **self.sampling)
        chosen_metric = resolve_metric(testset, metric)
        key = draws_key(testset, chosen_metric, plan, self.by_reference)
        return key in self.cache

    def _compare_pair(
        self, metric: str, lang_pair: str, measured: dict[str, Measured]
    ) -> Comparison:
        counted: dict[str, Measured] = {}
        draws = draw(
            self.task.testset(lang_pair),
            metric,
            **self.sampling,
            by_reference=self.by_reference,
            jobs=self.jobs,
            cache=self.cache,
            counted=counted,
            progress=prefix_stages(self.steps.report, f"{lang_pair}, "),
        )
        if metric in counted:
            measured[lang_pair] = counted[metric]
        self.steps.finish_step()
        return decide_by_fitting_rules(draws, **self.decisions)

    def compare_across(
        self, metric: str, comparisons: Mapping[str, Comparison], measured: Mapping[str, Measured]
    ) -> MacroResult:
        """Compare by a metric across its language pairs."""
        results = [comparison.metrics[metric] for comparison in comparisons.values()]
        settings = {pair: comparison.settings for pair, comparison in comparisons.items()}
        # As within language pairs, where one of them has few units.
        has_few_units = any(result.ci == "jackknife-t" for result in results)
        ci = "percentile"
        if has_few_units:
            ci = "jackknife-t"
        draws = None
        if self.sampling["test"] in MACRO_TESTS:
            draws = self._draw_across(metric, settings, measured)
        rule = RANK_RULES[self.decisions["rank_rule"]]
        fits_rule = any(result.ruled is not None for result in results)
        if draws is not None and rule.by_domain and fits_rule:
            draws = draws.over_domains
        lang_pairs = tuple(comparisons)
        settings_of_macro = settings_across(settings)
        result = _macro_result(metric, results, lang_pairs, draws, settings_of_macro, ci)
        if rule.by_mean_place and fits_rule:
            return _add_better_shares(result, results)
        return result

    def _draw_across(
        self, metric: str, settings: Mapping[str, Settings], measured: Mapping[str, Measured]
    ) -> AcrossDraws | None:
        """Draw the mean differences, also of the mean over domains for rules that use it."""
        plans = {}
        testsets = {}
        keys = []
        for lang_pair, of_pair in settings.items():
            testset = self.task.testset(lang_pair)
            plan = replace(Plan.from_settings(of_pair), trials=None)
            plans[lang_pair] = plan
            testsets[lang_pair] = testset
            chosen_metric = resolve_metric(testset, metric)
            keys.append(draws_key(testset, chosen_metric, plan, False))
        # With a baseline other pairs are drawn, whose key cannot be that of all pairs.
        baseline = self.decisions["baseline"]
        kind = "across" if baseline is None else f"across, {baseline}"
        key = (kind, tuple(testsets), self.sampling["trials"], *keys)
        if key not in self.cache:
            all_measured = {}
            for lang_pair, testset in testsets.items():
                counted = measured.get(lang_pair)
                if counted is None:
                    counted = measure(testset.keep_scorable(metric), metric)
                all_measured[lang_pair] = counted
            self.cache[key] = self._draw_means(metric, all_measured, plans)
        draws: AcrossDraws | None = self.cache[key]
        return draws

    def _draw_means(
        self, metric: str, measured: Mapping[str, Measured], plans: Mapping[str, Plan]
    ) -> AcrossDraws | None:
        draw_means = partial(
            draw_across,
            plans=plans,
            trials=self.sampling["trials"],
            seed=self.sampling["seed"],
            baseline=self.decisions["baseline"],
            jobs=self.jobs,
            progress=report_stage(self.steps.report, f"{metric} across language pairs"),
        )
        draws = draw_means(measured)
        have_domains = all(has_domains(counted) for counted in measured.values())
        if draws is None or not have_domains:
            return draws
        over_domains = {pair: score_over_domains(counted) for pair, counted in measured.items()}
        return replace(draws, over_domains=draw_means(over_domains))


def _draw_elsewhere(
    testsets: Sequence[TestSet],
    metric: str,
    by_reference: bool,
    sampling: dict[str, Any],
    number: int,
) -> dict[Any, Any]:
    cache: dict[Any, Any] = {}
    draw(testsets[number], metric, **sampling, by_reference=by_reference, cache=cache)
    return cache


def join_task(
    info: TaskInfo,
    metrics: Sequence[str],
    comparisons: Mapping[tuple[str, str], Comparison],
    macro: Mapping[str, MacroResult],
    exclude: tuple[TaskExclusion, ...],
    are_given: bool,
) -> TaskComparison:
    """Join comparisons by a single metric, from (metric, language pair), to one of the whole task.

    `are_given` says whether the user named the metrics.
    """
    pairs = {}
    for lang_pair in info.pairs:
        keys = [(name, lang_pair) for name in metrics]
        by_metric = [comparisons[key] for key in keys if key in comparisons]
        if by_metric:
            joined = join_comparisons(by_metric)
            excluded = find_exclusions(lang_pair, exclude)
            pairs[lang_pair] = replace(joined, excluded=excluded)
    macro_in_order = {name: macro[name] for name in metrics if name in macro}
    cautions: tuple[Caution, ...] = ()
    if not are_given:
        cautions = tuple(about_choice(info, metrics[0]))
    return TaskComparison(info, pairs, macro_in_order, exclude, warnings=cautions)


def find_exclusions(lang_pair: str, exclude: Iterable[TaskExclusion]) -> tuple[Exclusion, ...]:
    """Return the systems that are left out of one language pair, and why."""
    return tuple(
        Exclusion(exclusion.system, exclusion.reason)
        for exclusion in exclude
        if exclusion.pair in (None, lang_pair)
    )


def task_metrics(task: TaskInfo, metrics: str | Sequence[str] | None = None) -> list[str]:
    """Return the metrics to compare a task by.

    By default all scores of the task, and BLEU for language pairs without scores. Of ratings that
    are there as they were given, too, the standardized ones.
    """
    if metrics is None:
        names = _choose_metrics(task)
    elif isinstance(metrics, str):
        names = [metrics]
    else:
        names = list(metrics)
    check_each_once(names)
    scores_by_pair = task.scores.values()
    given_scores = list(dict.fromkeys(chain.from_iterable(scores_by_pair)))
    for name in names:
        check_settled(name, task.assumed)
        if not task.pairs_with(name):
            listed = ", ".join(given_scores) or "none"
            raise SettingError(
                f"No language pair of {task.name} has {name!r}. Scores of segments: {listed}."
            )
        if name in given_scores:
            check_score_name(name, task.name)
        elif name not in METRICS:
            raise explain_unknown("metric", name, [*METRICS, *given_scores])
    return names


def _choose_metrics(task: TaskInfo) -> list[str]:
    metrics = drop_as_given(task.own_scores)
    if not all(task.scores.values()):
        metrics = [*metrics, "bleu"]
    names = order_metrics(metrics, task.primary)
    if task.primary is not None and task.primary not in names:
        n_human = len(pick_human_scores(names))
        names.insert(n_human, task.primary)
    return names


def _macro_result(
    metric: str,
    results: Sequence[MetricResult],
    lang_pairs: tuple[str, ...],
    draws: AcrossDraws | None,
    settings: Settings,
    ci: str,
) -> MacroResult:
    """Add up the decisions of all language pairs, and take in the mean differences, if drawn."""
    systems = _add_up_decisions(results)
    by_wins = _order_by_wins(systems.values())
    result = MacroResult(metric, results[0].higher_is_better, lang_pairs, systems=by_wins, pairs=())
    if draws is None:
        return result
    intervals, decisions = decide_across(draws, settings, ci)
    low, high = (list(map(finite_or_none, bounds)) for bounds in intervals)
    n = len(draws.names)
    ranked = []
    ranks = rank_systems(n, draws.pairs, decisions.for_ranks)
    for k, name in enumerate(draws.names):
        rank_low, rank_high, cluster = ranks[k]
        row = replace(
            systems.pop(name),
            score=float(draws.observed[k]),
            ci_low=low[k],
            ci_high=high[k],
            rank_low=rank_low,
            rank_high=rank_high,
            cluster=cluster,
        )
        ranked.append(row)
    unranked = _order_by_wins(systems.values())
    pairs = _list_macro_pairs(draws, decisions, low[n:], high[n:], len(lang_pairs))
    runs = average_runs_across(results, draws.names, settings.alpha)
    return replace(result, systems=(*ranked, *unranked), pairs=pairs, runs=runs, ci=ci)


def _add_up_decisions(results: Sequence[MetricResult]) -> dict[str, MacroSystem]:
    """Return a row for each system, without a score."""
    systems: dict[str, MacroSystem] = {}
    for result in results:
        for name, (wins, ties, losses) in result.tally().items():
            row = systems.get(name)
            if row is None:
                row = MacroSystem(name, 0, None, None, None, None, None, 0, 0, 0)
            systems[name] = replace(
                row,
                n_pairs=row.n_pairs + 1,
                wins=row.wins + wins,
                ties=row.ties + ties,
                losses=row.losses + losses,
            )
    return systems


def _add_better_shares(macro: MacroResult, results: Sequence[MetricResult]) -> MacroResult:
    """Add the mean share of systems with a better score, over a system's language pairs."""
    shares: dict[str, list[float]] = {}
    for result in results:
        improvements = result.sign * np.array([row.score for row in result.systems])
        for row, improvement in zip(result.systems, improvements, strict=True):
            n_better = np.count_nonzero(improvements > improvement)
            shares.setdefault(row.system, []).append(n_better / len(improvements))
    systems = [
        replace(row, better_share=float(np.mean(shares[row.system]))) for row in macro.systems
    ]
    return replace(macro, systems=tuple(systems))


def _order_by_wins(systems: Iterable[MacroSystem]) -> tuple[MacroSystem, ...]:
    return tuple(sorted(systems, key=lambda row: (-row.wins, row.system)))


def _list_macro_pairs(
    draws: AcrossDraws,
    decisions: Decisions,
    low: Sequence[float | None],
    high: Sequence[float | None],
    n_lang_pairs: int,
) -> tuple[MacroPair, ...]:
    if decisions.p is None or decisions.adjusted is None:  # no pair could be tested
        return ()
    n_systems = len(draws.names)
    deltas = draws.observed[n_systems:]
    pairs = []
    for k, (first, second) in enumerate(draws.pairs):
        delta = float(deltas[k])
        p_value = float(decisions.p[k])
        p_adjusted = float(decisions.adjusted[k])
        better_side = int(decisions.better[k])
        is_decidable = bool(decisions.decidable[k])
        n_apart = int(draws.n_apart[k])
        better = SIDES[better_side]
        pair = MacroPair(
            a=draws.names[first],
            b=draws.names[second],
            n_pairs=n_lang_pairs,
            delta=delta,
            ci_low=low[k],
            ci_high=high[k],
            p_value=p_value,
            p_adjusted=p_adjusted,
            better=better,
            decidable=is_decidable,
            n_apart=n_apart,
        )
        pairs.append(pair)
    return tuple(pairs)
