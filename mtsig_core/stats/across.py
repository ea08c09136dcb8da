"""Systems across language pairs and across metrics, and `compare_task`: a whole shared task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from mtsig_core.errors import MissingTokenizerError, MtsigError, SettingError, explain_unknown
from mtsig_core.metrics import METRICS, resolve_metric
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
from mtsig_core.score_names import check_settled, order_metrics, pick_human_scores
from mtsig_core.stats import engine
from mtsig_core.stats.cautions import about_choice, about_missing_tokenizer
from mtsig_core.stats.comparison import (
    Cache,
    decide,
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
from mtsig_core.stats.settings import Plan, check_jobs, resolve_plan
from mtsig_core.stats.significance import SIDES, TESTS
from mtsig_core.task import Task, TaskExclusion, without
from mtsig_core.testset import TestSet

# -------------------------------------------------------------------------------------------------
# Several metrics on the same pairs: where they decide alike, where only significant by some, where they contradict.


NOT_ALIKE = ("opposite", "significant by some")
AGREE, UNDECIDED = "agree", "cannot be decided"
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
    improvements: tuple[
        float, ...
    ]  # differences in points of each metric, positive where a is better
    decisions: tuple[int, ...]  # 1 where a is significantly better, -1 where b is, 0 where neither
    decidable: bool = True  # whether each of them could have decided, with so many trials and units

    @property
    def relations(self) -> tuple[str, ...]:
        """By metric: ``>`` a is significantly better, ``<`` worse, ``~`` neither."""
        return tuple(RELATIONS[decision] for decision in self.decisions)

    @property
    def kind(self) -> str:
        """One of `AGREEMENTS`: where no metric decides, and one could not have, nobody knows
        whether they agree.
        """
        if len(set(self.decisions)) == 1:
            return AGREE if self.decidable or self.decisions[0] else UNDECIDED
        return NOT_ALIKE[not {1, -1} <= set(self.decisions)]


@dataclass(frozen=True)
class Disputed:
    """What several metrics say together of all pairs of systems in one language pair of a task."""

    language_pair: str | None  # None for the mean differences across the language pairs
    metrics: tuple[str, ...]
    pairs: tuple[PairAcross, ...]  # those that all of these metrics have tested

    def count(self, kind: str) -> int:
        """How many pairs are of one of `AGREEMENTS`."""
        return sum(pair.kind == kind for pair in self.pairs)

    def alone(self, metric: str) -> int:
        """How many pairs one metric decides, and no other does."""
        at = self.metrics.index(metric)
        return sum(
            pair.decisions[at] != 0 and not any(pair.decisions[:at] + pair.decisions[at + 1 :])
            for pair in self.pairs
        )


def pairs_across(results: Sequence[MetricResult]) -> list[PairAcross]:
    """The pairs that all metrics have tested, in the order of the first."""
    return _across([(result.tested, result.sign) for result in results])


def find_disputes(task: TaskComparison) -> list[Disputed]:
    """What the metrics of a task say together of its pairs of systems, in each language pair that
    has several of them, and of the mean differences across the language pairs.

    A language pair is judged by the metrics that it has. Mean differences are taken only where
    several metrics have the same language pairs: else they would be of other test sets.
    """
    found = [
        Disputed(
            pair, tuple(comparison.metrics), tuple(pairs_across(list(comparison.metrics.values())))
        )
        for pair, comparison in task.pairs.items()
        if len(comparison.metrics) > 1
    ]
    macro = [result for result in task.macro.values() if result.pairs]
    macro = [result for result in macro if result.language_pairs == macro[0].language_pairs]
    if len(macro) > 1:
        tables = [(result.pairs, 1 if result.higher_is_better else -1) for result in macro]
        found.append(
            Disputed(None, tuple(result.metric for result in macro), tuple(_across(tables)))
        )
    return [one for one in found if one.pairs]


def _across(results: Sequence[tuple[Sequence[PairResult | MacroPair], int]]) -> list[PairAcross]:
    """The pairs that all have; of each metric its pairs, and the sign that turns a difference into
    an improvement.
    """
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
            improvements, decisions, can = zip(
                *(table[pair.a, pair.b] for table in tables), strict=True
            )
            found.append(PairAcross(pair.a, pair.b, improvements, decisions, all(can)))
    return found


# -------------------------------------------------------------------------------------------------
# Systems over several language pairs: the mean of their differences, drawn within each pair and then averaged.
#
# p-values of language pairs are never combined: two-sided ones forget the sign, so that a system that wins here and
# loses there would come out ahead. What is averaged are differences in points, observed and under the null alike.


#: The tests whose replicates can be averaged.
MACRO_TESTS = ("ar", "bootstrap")


@dataclass(frozen=True, eq=False)
class AcrossDraws:
    """Systems that all language pairs have, best first, and their pairs, in points; nothing that
    depends on a decision.
    """

    names: tuple[str, ...]
    sign: int  # {1, -1}: What turns a difference of scores into an improvement
    trials: int
    #: int, shape (pairs, 2): Those that have segments in common in each language pair, the
    #: better-scoring first.
    pairs: np.ndarray
    #: Scores of the systems, then differences of the pairs, shape (systems + pairs,); and on
    #: bootstrap samples.
    observed: np.ndarray
    drawn: np.ndarray  # shape (systems + pairs, resamples)
    #: shape (language pairs, systems + pairs): Of the jackknife in each language pair, and the
    #: degrees of freedom.
    variances: np.ndarray
    freedom: np.ndarray
    #: bool, shape (systems + pairs,): What stands on a single unit in some language pair: nothing
    #: there says how far it may vary.
    single: np.ndarray
    #: int, shape (pairs,): Units that tell the systems apart: of all language pairs together, or of
    #: a bootstrap those of the language pair that has fewest.
    n_apart: np.ndarray
    tests: PairTests
    #: The same systems scored by the mean over domains, which a rule of ranks may ask for; None
    #: without domains.
    over_domains: AcrossDraws | None = None


def draw_across(
    parts: Mapping[str, Measured],
    plans: Mapping[str, Plan],
    *,
    trials: int,
    seed: int,
    jobs: int = 1,
    progress: Callable[[float], None] | None = None,
) -> AcrossDraws | None:
    """Draw the systems that all language pairs have, under one metric; None where fewer than two
    do.

    `plans` have the unit and the resamples of each language pair, and one test, ``ar`` or
    ``bootstrap``. Draws of each language pair are keyed by the seed and its name: other pairs in
    the task change none of them.

    Swaps count the units of all language pairs together: that all favour the same of two systems is
    as rare as if they were of one. A bootstrap of few units is too sure, and that of other language
    pairs mends nothing: its p is at least that which the language pair with the fewest units can
    show.

    A pair of systems has a difference where each language pair has segments that both are scored
    on; one that has none somewhere is left out of the family.
    """
    first = next(iter(parts.values()))
    names = [name for name in first.names if all(name in part.names for part in parts.values())]
    if len(names) < 2:
        return None
    scores = np.mean([part.only(names).scores for part in parts.values()], axis=0)
    names = [names[k] for k in np.argsort(-first.sign * scores, kind="stable")]
    pairs, n, share = engine.all_pairs(len(names)), len(names), 1 / len(parts)
    everything = np.concatenate(
        [np.repeat(np.arange(n), 2).reshape(-1, 2), pairs]
    )  # each system, then each pair
    observed, single = np.zeros(len(everything)), np.zeros(len(everything), dtype=bool)
    drawn = np.zeros((len(everything), max(plan.resamples for plan in plans.values())))
    null, some = np.zeros((len(pairs), trials)), np.ones(len(everything), dtype=bool)
    n_apart, errors = np.zeros((len(parts), len(pairs)), dtype=int), []
    for k, (pair, part) in enumerate(parts.items()):
        part = part.only(names)
        one = draw_part(
            part, pairs, replace(plans[pair], trials=trials, seed=derive_seed(seed, pair)), jobs
        )
        contrast = one.contrast
        own = np.concatenate([np.ones(n, dtype=bool), contrast.is_tested])
        single |= pair_units(part.has_score, everything, contrast.data.units)[0] < 2
        some &= own
        n_apart[k, contrast.is_tested] = one.n_apart
        systems, sides = one.systems.sample, one.sides.sample
        observed[own] += share * np.concatenate([systems.observed, contrast.deltas])
        drawn[own] += share * np.concatenate([systems.drawn, contrast.difference(sides.drawn)])
        null[contrast.is_tested] += share * one.joint
        assert systems.freedom is not None and sides.freedom is not None, (
            "they were drawn for intervals"
        )
        freedom = np.ones(len(everything))
        freedom[own] = np.concatenate([systems.freedom, sides.freedom[contrast.rows[:, 0]]])
        system_errors = jackknife_se(systems.left_out)
        pair_errors = jackknife_errors(sides.left_out, contrast.rows)
        variances = np.zeros(len(everything))
        variances[own] = np.concatenate([system_errors, pair_errors]) ** 2
        errors.append((share**2 * variances, freedom))
        if progress is not None:
            progress((k + 1) * share)
    plan, tested = next(iter(plans.values())), some[n:]
    test = TESTS[plan.test]
    least = (np.sum(n_apart, axis=0) if test.draws == "swaps" else np.min(n_apart, axis=0))[tested]
    tests = (
        PairTests()
        if not tested.any()
        else test_pairs(
            observed[n:][tested],
            null[tested],
            test,
            p_floor(test, plan.unit, least),
            [np.arange(len(least))],
        )
    )
    kept_variances, freedom = (np.array(values)[:, some] for values in zip(*errors, strict=True))
    return AcrossDraws(
        tuple(names),
        first.sign,
        trials,
        pairs[tested],
        observed[some],
        drawn[some],
        kept_variances,
        freedom,
        single[some],
        least,
        tests,
    )


def decide_across(draws: AcrossDraws, settings: Settings, ci: str) -> tuple[np.ndarray, Decisions]:
    """Intervals of systems and pairs, shape (2, systems + pairs), NaN where there is none, and what
    is decided.

    Intervals are ``percentile``, or ``jackknife-t`` with the jackknife's variances of all language
    pairs and their degrees of freedom by Welch and Satterthwaite, those of one its units of equal
    size (Kish 1965) less one.
    """
    from scipy.special import stdtrit

    alpha = settings.alpha
    if ci == "percentile":
        ends = np.quantile(draws.drawn, [alpha / 2, 1 - alpha / 2], axis=1)
    else:
        half = stdtrit(
            welch_satterthwaite(draws.variances, draws.freedom), 1 - alpha / 2
        ) * np.sqrt(draws.variances.sum(axis=0))
        ends = np.array([draws.observed - half, draws.observed + half])
    decisions = decide_tests(
        draws.tests,
        draws.observed[len(draws.names) :],
        draws.sign,
        draws.n_apart,
        replace(settings, trials=draws.trials),
    )
    return np.where(draws.single, np.nan, ends), decisions


def settings_across(settings: Mapping[str, Settings]) -> Settings:
    """The settings of a decision across language pairs, from those of each: of stationary blocks
    with the shortest mean length, by which the least p is smallest.
    """
    lengths = [own.block_length for own in settings.values() if own.block_length is not None]
    return replace(next(iter(settings.values())), block_length=min(lengths, default=None))


# -------------------------------------------------------------------------------------------------
# `compare_task`: every language pair of a shared task, and the systems across them.


class TaskParts(Protocol):
    """A task whose language pairs are read when one of them is compared."""

    @property
    def info(self) -> TaskInfo: ...

    @property
    def excluded(self) -> tuple[TaskExclusion, ...]:
        """Who is left out of it already."""

    def testset(self, pair: str) -> TestSet: ...


@dataclass(frozen=True)
class _ReadTask:
    """A task that is read already."""

    task: Task
    excluded: tuple[TaskExclusion, ...]

    @property
    def info(self) -> TaskInfo:
        return TaskInfo.from_task(self.task)

    def testset(self, pair: str) -> TestSet:
        return self.task.testsets[pair]


def compare_task(
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
    rank_rule: str = "simultaneous",
    by_reference: bool = True,
    exclude: Iterable[TaskExclusion] = (),
    refs: tuple[str, ...] = (),
    refs_as_systems: bool = False,
    jobs: int = 1,
    progress: Callable[[str, float], None] | None = None,
    found: Callable[[str, Comparison], None] | None = None,
    cache: Cache | None = None,
) -> TaskComparison:
    """Which differences between the systems of a shared task are real, in each language pair and
    across them?

    Parameters
    ----------
    task : Task, or TaskParts
    metrics : str or sequence of str, optional
        By default all scores that the task has, BLEU where it has none: human scores first, then
        the metric that the task's table names; where nothing says which metric decides, a warning
        asks. A language pair is compared by those it has, and left out where it has none of them.
    test : {"ar", "bootstrap", ...}
        As in `compare`, within each language pair. Across them the mean difference is tested by the
        same, where its draws can be averaged (``ar``, ``bootstrap``); else there is no macro
        result.
    unit, block_length, trials, alpha, correction, ci, resamples, seed, rank_rule, by_reference,
    jobs
        As in `compare`, for each language pair; the family of a correction is all pairs of systems
        in one language pair, and, of the macro result, all pairs of systems that have every
        language pair.
    exclude : iterable of TaskExclusion
        Systems to leave out, in all language pairs or in one, each with a reason.
    refs : tuple of str
        References to score with, in each language pair those that it has; all if empty.
    refs_as_systems : bool
        Whether the others, and those with ratings, act as systems, as ``HUMAN-NAME``; see
        `Task.scored_with`.
    progress : callable, optional
        Called with (stage, share of all of it done).
    found : callable, optional
        Called with (language pair, comparison) as each is there; with several metrics once for
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
    >>> found = compare_task(Task("toy", {"en-de": pair, "en-cs": pair.only(["A", "B"])}), "bleu", trials=999)
    >>> [(row.system, row.n_pairs, row.rank_low, row.wins) for row in found.macro["bleu"].systems]
    [('A', 2, 1, 3), ('B', 2, 2, 1), ('C', 1, None, 0)]
    """
    if isinstance(task, Task):
        if refs or refs_as_systems:
            task = task.scored_with(refs or None, others_as_systems=refs_as_systems)
        exclude = tuple(exclude)
        task = _ReadTask(without(task, exclude), exclude)
    info = task.info
    names = task_metrics(info, metrics)
    check_jobs(jobs)
    sampling = dict(
        test=test,
        unit=unit,
        block_length=block_length,
        trials=trials,
        resamples=resamples,
        seed=seed,
    )
    decisions = dict(alpha=alpha, correction=correction, ci=ci, rank_rule=rank_rule)
    work = _TaskWork(
        task,
        sampling,
        decisions,
        by_reference,
        jobs,
        {} if cache is None else cache,
        _Shares(sum(len(info.pairs_with(name)) + 1 for name in names), progress),
    )
    work.check([(name, pair) for name in names for pair in info.pairs_with(name)])
    parts: dict[tuple[str, str], Comparison] = {}
    macro: dict[str, MacroResult] = {}
    for metric in names:
        counted: dict[str, Measured] = {}
        for pair, one in work.compare(metric, info.pairs_with(metric), counted):
            parts[metric, pair] = one
            if found is not None:
                found(pair, one)
        own = {
            pair: parts[metric, pair] for pair in info.pairs_with(metric) if (metric, pair) in parts
        }
        if len(own) > 1:
            macro[metric] = work.compare_across(metric, own, counted)
        work.shares.step()
    if not parts and work.missing:
        raise next(iter(work.missing.values()))
    found_all = join_task(info, names, parts, macro, task.excluded, chosen=metrics is not None)
    missing = [
        about_missing_tokenizer(task.testset(pair), metric, pair) for metric, pair in work.missing
    ]
    return replace(found_all, warnings=(*missing, *found_all.warnings))


class _Shares:
    """How far the whole is: a stage of unknown number takes half of what is left of a step, and
    none goes back.
    """

    def __init__(self, n_steps: int, progress: Callable[[str, float], None] | None):
        self._n, self._progress = n_steps, progress
        self._done, self._reached, self._stages = 0, 0.0, list[str]()

    def report(self, stage: str, share: float) -> None:
        self._stages.extend([stage] * (stage not in self._stages[-1:]))
        left = 0.5 ** (len(self._stages) - 1)
        self._reached = max(self._reached, (self._done + 1 - left + left * share / 2) / self._n)
        if self._progress is not None:
            self._progress(stage, self._reached)

    def step(self) -> None:
        self._done += 1
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
    shares: _Shares
    #: By metric and language pair, why it could not be computed there: its tokenizer is not
    #: installed.
    missing: dict[tuple[str, str], MissingTokenizerError] = field(default_factory=dict)

    def check(self, steps: Sequence[tuple[str, str]]) -> None:
        """Raise for a setting that does not fit some metric and language pair, before anything is
        drawn: a long task does not stop in its middle. The message names the language pair, unless
        the setting fits none.
        """
        errors: dict[tuple[str, str], MtsigError] = {}
        for metric, pair in steps:
            testset = self.task.testset(pair)
            try:
                resolve_comparison(
                    testset,
                    [resolve_metric(testset, metric)],
                    **self.sampling,
                    **self.decisions,
                    baseline=None,
                )
            except MissingTokenizerError:
                continue  # which stops only this language pair, and is told with the others
            except MtsigError as error:
                errors[metric, pair] = error
        if not errors:
            return
        (_, pair), first = next(iter(errors.items()))
        if len(errors) == len(steps):
            raise first
        raise type(first)(f"{pair}: {first}", *first.remedies)

    def compare(
        self, metric: str, pairs: Sequence[str], counted: dict[str, Measured]
    ) -> Iterator[tuple[str, Comparison]]:
        """Language pairs with their comparisons, one after the other; on other machines what was
        drawn before comes first. What is counted here is kept in `counted`.
        """
        sent = (
            [pair for pair in pairs if not self._is_drawn(metric, pair)] if runs_elsewhere() else []
        )
        for pair in pairs:
            if pair not in sent:
                self.shares.report(f"{pair}, looking", 0.0)
                try:
                    comparison = self._compare(metric, pair, counted)
                except MissingTokenizerError as error:
                    self.missing[metric, pair] = error
                    self.shares.step()
                    continue
                yield pair, comparison
        if not sent:
            return
        self.shares.report(f"{len(sent)} language pairs on other machines", 0.0)
        sets = [self.task.testset(pair) for pair in sent]
        draw_pair = partial(_draw_elsewhere, sets, metric, self.by_reference, self.sampling)
        for pair, drawn in zip(sent, run_in_order(draw_pair, len(sent)), strict=True):
            self.shares.report(f"{pair}, done elsewhere", 0.0)
            for key, value in drawn.items():
                self.cache[key] = value
            yield pair, self._compare(metric, pair, counted)

    def _is_drawn(self, metric: str, pair: str) -> bool:
        testset = self.task.testset(pair)
        plan, _ = resolve_plan(testset, **self.sampling)
        return (
            draws_key(testset, resolve_metric(testset, metric), plan, self.by_reference)
            in self.cache
        )

    def _compare(self, metric: str, pair: str, counted: dict[str, Measured]) -> Comparison:
        testset, own = self.task.testset(pair), dict[str, Measured]()
        draws = draw(
            testset,
            metric,
            **self.sampling,
            by_reference=self.by_reference,
            jobs=self.jobs,
            cache=self.cache,
            counted=own,
            progress=lambda stage, share: self.shares.report(f"{pair}, {stage}", share),
        )
        if metric in own:
            counted[pair] = own[metric]
        self.shares.step()
        return decide(draws, **self.decisions)

    def compare_across(
        self, metric: str, pairs: dict[str, Comparison], counted: dict[str, Measured]
    ) -> MacroResult:
        """The metric across its language pairs."""
        results = [comparison.metrics[metric] for comparison in pairs.values()]
        settings = {pair: comparison.settings for pair, comparison in pairs.items()}
        # as within language pairs: where one of them has few units
        ci = (
            "jackknife-t" if any(result.ci == "jackknife-t" for result in results) else "percentile"
        )
        draws = (
            self._draw_across(metric, settings, counted)
            if self.sampling["test"] in MACRO_TESTS
            else None
        )
        if draws is not None and RANK_RULES[self.decisions["rank_rule"]].by_domain:
            draws = draws.over_domains
        return _macro_result(metric, results, tuple(pairs), draws, settings_across(settings), ci)

    def _draw_across(
        self, metric: str, settings: dict[str, Settings], counted: dict[str, Measured]
    ) -> AcrossDraws | None:
        """Draw the mean differences; where rank rules could ask for it, those of the mean over
        domains, too.
        """
        plans = {
            pair: replace(Plan.from_settings(one), trials=None) for pair, one in settings.items()
        }
        sets = {pair: self.task.testset(pair) for pair in settings}
        key = (
            "across",
            tuple(sets),
            self.sampling["trials"],
            *(
                draws_key(one, resolve_metric(one, metric), plans[pair], False)
                for pair, one in sets.items()
            ),
        )
        if key not in self.cache:
            parts = {
                pair: counted.get(pair) or measure(one.keep_scorable(metric), metric)
                for pair, one in sets.items()
            }
            draw = partial(
                draw_across,
                plans=plans,
                trials=self.sampling["trials"],
                seed=self.sampling["seed"],
                jobs=self.jobs,
                progress=lambda share: self.shares.report(f"{metric} across language pairs", share),
            )
            draws = draw(parts)
            if draws is not None and all(has_domains(part) for part in parts.values()):
                draws = replace(
                    draws,
                    over_domains=draw(
                        {pair: score_over_domains(one) for pair, one in parts.items()}
                    ),
                )
            self.cache[key] = draws
        drawn: AcrossDraws | None = self.cache[key]
        return drawn


def _draw_elsewhere(
    sets: Sequence[TestSet], metric: str, by_reference: bool, sampling: dict[str, Any], k: int
) -> dict[Any, Any]:
    cache: dict[Any, Any] = {}
    draw(sets[k], metric, **sampling, by_reference=by_reference, cache=cache)
    return cache


def join_task(
    info: TaskInfo,
    metrics: Sequence[str],
    parts: Mapping[tuple[str, str], Comparison],
    macro: Mapping[str, MacroResult],
    exclude: tuple[TaskExclusion, ...],
    chosen: bool,
) -> TaskComparison:
    """The whole of comparisons by one of the metrics each, by (metric, language pair); whether the
    user has `chosen` them.
    """
    by_pair = {
        pair: [parts[name, pair] for name in metrics if (name, pair) in parts]
        for pair in info.pairs
    }
    pairs = {
        pair: replace(join_comparisons(several), excluded=find_exclusions(pair, exclude))
        for pair, several in by_pair.items()
        if several
    }
    return TaskComparison(
        info,
        pairs,
        {name: macro[name] for name in metrics if name in macro},
        exclude,
        warnings=() if chosen else tuple(about_choice(info, metrics[0])),
    )


def find_exclusions(pair: str, exclude: Iterable[TaskExclusion]) -> tuple[Exclusion, ...]:
    """Who is left out of one language pair, and why."""
    return tuple(Exclusion(one.system, one.reason) for one in exclude if one.pair in (None, pair))


def task_metrics(task: TaskInfo, metrics: str | Sequence[str] | None = None) -> list[str]:
    """The metrics to compare a task by: those that are named; else all scores it has, and BLEU for
    pairs without.
    """
    if metrics is None:
        no_scores = any(not own for own in task.scores.values())
        names = order_metrics([*task.own_scores, *["bleu"] * no_scores], task.primary)
        if task.primary is not None and task.primary not in names:
            names.insert(len(pick_human_scores(names)), task.primary)
    else:
        names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names or len(set(names)) < len(names):
        raise SettingError(
            f"metrics are {', '.join(names) or 'none'}. Expected at least one, each only once."
        )
    for name in names:
        check_settled(name, task.assumed)
        if not task.pairs_with(name):
            known = dict.fromkeys(name for own in task.scores.values() for name in own)
            raise SettingError(
                f"No language pair of {task.name} has {name!r}. Scores of segments: "
                f"{', '.join(known) or 'none'}."
            )
        if name in METRICS and any(name in own for own in task.scores.values()):
            raise SettingError(
                f"{task.name} has segment scores that are called {name}, as a metric of mtsig is. Give "
                f"them another name, such as my-{name}."
            )
        if name not in METRICS and not any(name in own for own in task.scores.values()):
            raise explain_unknown(
                "metric", name, [*METRICS, *(name for own in task.scores.values() for name in own)]
            )
    return names


def _macro_result(
    metric: str,
    results: Sequence[MetricResult],
    language_pairs: tuple[str, ...],
    draws: AcrossDraws | None,
    settings: Settings,
    ci: str,
) -> MacroResult:
    """Decisions of all language pairs added up; and the mean differences where they could be
    drawn.
    """
    tallies: dict[str, list[tuple[int, int, int]]] = {}
    for result in results:
        for name, counts in result.tally().items():
            tallies.setdefault(name, []).append(counts)
    decided = {name: np.sum(own, axis=0).tolist() for name, own in tallies.items()}

    def row(
        name: str,
        score: float | None = None,
        low: float | None = None,
        high: float | None = None,
        ranks: tuple[int | None, int | None, int | None] = (None, None, None),
    ) -> MacroSystem:
        wins, ties, losses = decided[name]
        return MacroSystem(
            name,
            len(tallies[name]),
            score,
            low,
            high,
            ranks[0],
            ranks[1],
            wins,
            ties,
            losses,
            ranks[2],
        )

    names, ranked, pairs = (
        () if draws is None else draws.names,
        list[MacroSystem](),
        list[MacroPair](),
    )
    if draws is not None:
        ends, found = decide_across(draws, settings, ci)
        low, high = (list(map(finite_or_none, own)) for own in ends)
        ranks, n = rank_systems(len(names), draws.pairs, found.for_ranks), len(names)
        ranked = [
            row(name, float(draws.observed[k]), low[k], high[k], ranks[k])
            for k, name in enumerate(names)
        ]
        pairs = [
            MacroPair(
                names[i],
                names[j],
                len(results),
                float(draws.observed[n + k]),
                low[n + k],
                high[n + k],
                float(p),
                float(adjusted),
                SIDES[int(found.better[k])],
                bool(found.decidable[k]),
                int(draws.n_apart[k]),
            )
            for k, ((i, j), p, adjusted) in enumerate(
                zip(
                    draws.pairs,
                    *([] if one is None else one for one in (found.p, found.adjusted)),
                    strict=True,
                )
            )
        ]
    others = sorted(tallies.keys() - set(names), key=lambda name: (-decided[name][0], name))
    return MacroResult(
        metric,
        results[0].higher_is_better,
        language_pairs,
        (*ranked, *map(row, others)),
        tuple(pairs),
        average_runs_across(results, names, settings.alpha),
        None if draws is None else ci,
    )
