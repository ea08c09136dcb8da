"""Rankings of a task: by several metrics at once (AutoRank), by each rank rule, and as findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import SettingError, explain_unknown
from mtsig_core.metrics import METRICS, Metric, is_segment_mean, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.progress import Progress, report_stage
from mtsig_core.readers.official_tables import OfficialTable
from mtsig_core.readers.published_values import PublishedValues
from mtsig_core.results import Comparison, MetricResult, Settings, TaskComparison, TaskInfo
from mtsig_core.score_names import pick_human_scores
from mtsig_core.stats.across import compare_task, task_metrics
from mtsig_core.stats.cautions import find_missing_tokenizers, warn_of_skew
from mtsig_core.stats.comparison import compare
from mtsig_core.stats.engine import Measured, bootstrap_scores, measure
from mtsig_core.stats.kept_tasks import KeptDraws, KeptTask
from mtsig_core.stats.published_scores import (
    Replication,
    TaskReplication,
    match_names,
    match_published,
    replicate_ranks,
)
from mtsig_core.stats.ranks import count_only_by_rule, fitting_rules
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import resolve
from mtsig_core.stats.weighted import rank_by_weighted_mean
from mtsig_core.task import Task
from mtsig_core.testset import TestSet

# AutoRank: one order of the systems from several metrics, with its uncertainty. WMT chose by it
# which systems people rate. Sources: Kocmi et al. 2024, preliminary WMT24 ranking (rule "2024"); Kocmi et
# al. 2025, preliminary ranking of WMT25 (rule "2025").


RULES = ("2025", "2024")
#: WMT25 took all five metrics in language pairs with a reference. CometKiwi-XL was left out
#: elsewhere, where the other metrics had no reference either. Source: the task's own script for
#: AutoRank.
_FIVE = {"CometKiwi-XL", "GEMBA-ESA-CMDA", "GEMBA-ESA-GPT4.1", "MetricX-24-Hybrid-XL", "XCOMET-XL"}
_WITH_REFERENCE_IN_2025 = {
    "cs-de_DE",
    "cs-uk_UA",
    "en-ar_EG",
    "en-cs_CZ",
    "en-et_EE",
    "en-is_IS",
    "en-ja_JP",
    "en-ko_KR",
    "en-ru_RU",
    "en-sr_Cyrl_RS",
    "en-uk_UA",
    "en-zh_CN",
    "ja-zh_CN",
}
_CHRF_ALONE = {"en-bho_IN", "en-mas_KE"}


@dataclass(frozen=True)
class AutoRanked:
    """A system, with its rank range, and its values in resamples."""

    system: str
    autorank: float  # 1 is the best, as many as there are systems the worst
    #: The middle 1 - alpha of its values in resamples, in which the scaling of the metrics varies
    #: too. No confidence interval: maxima and near ties do not vary between resamples as they do
    #: between test sets.
    low: float
    high: float
    #: Of all systems together, by tests of the weighted mean of metrics; None where nothing can be
    #: decided.
    rank_low: int | None
    rank_high: int | None
    places: Mapping[str, int]  # its place by each single metric


@dataclass(frozen=True)
class PairAutoRank:
    """One language pair: its metrics, and the systems, the best first."""

    metrics: tuple[str, ...]
    systems: tuple[AutoRanked, ...]
    without: tuple[str, ...]  # systems that lack the scores of a metric
    settings: Settings
    as_published: bool = False  # whether the metrics are those that WMT25 is known to have used
    #: About metrics that are left out because their tokenizer is not installed, and about systems
    #: that differ in a few units only.
    warnings: tuple[Caution, ...] = ()


@dataclass(frozen=True)
class AutoRank:
    """AutoRank of the language pairs of a task."""

    task: str
    rule: str
    pairs: Mapping[str, PairAutoRank]


@dataclass(frozen=True, eq=False)
class CombinedMetrics:
    """The systems of a test set by several metrics, as many as have scores of all."""

    metrics: tuple[Measured, ...]
    systems: tuple[str, ...]
    without: tuple[str, ...]
    scores: np.ndarray  # shape (metrics, systems), with the sign that makes higher better
    autorank: np.ndarray  # shape (systems,)

    def by_system(self) -> dict[str, float]:
        """AutoRank of each system."""
        return dict(zip(self.systems, self.autorank.tolist(), strict=True))


def autorank(  # noqa: PLR0913  each parameter is an option of the command
    task: Task,
    metrics: Sequence[str] | None = None,
    *,
    rule: str = "2025",
    unit: str = "auto",
    trials: int = 9999,
    resamples: int = 2000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> AutoRank:
    """Order the systems of each language pair by several metrics at once.

    By the rule of 2025 the score x of each metric becomes (x - median) / (maximum - 25th
    percentile), over the systems; the mean over metrics is mapped linearly to 1 (best) to the
    number of systems (worst). By the rule of 2024 each metric is mapped first, to 1 up to one more
    than the number of systems, and then averaged. WMT24's published values use this scale; its
    paper says up to the number of systems.

    With the scaling as observed, AutoRank is a weighted mean of scores. Rank ranges come from
    randomization tests of the differences of that mean, corrected by Romano-Wolf for all pairs, as
    in `compare`: units (documents) are swapped between two systems, the same for all metrics. So
    they hold for all systems together. The result also has the range in resamples of the units,
    each with its own scaling.

    By default, the metrics are the ones that the task used, where they are known (WMT25). Otherwise
    they are all scores of the task except human scores, or BLEU and chrF without such scores.

    >>> from mtsig_core import SegmentScores
    >>> scores = {name: SegmentScores({"A": [.9, .8], "B": [.7, .7], "C": [.1, .5]}) for name in ("x", "y")}
    >>> toy = TestSet("toy", {name: [None, None] for name in "ABC"}, {}, scores=scores)
    >>> [(row.system, round(row.autorank, 2)) for row in autorank(Task("toy", {"en-de": toy})).pairs["en-de"].systems]
    [('A', 1.0), ('B', 1.55), ('C', 3.0)]
    """
    _check_rule(rule)
    pairs = {}
    for lang_pair, testset in task.testsets.items():
        names, missing = _choose_metrics(lang_pair, testset, metrics)
        settings, units = resolve(
            testset,
            test="ar",
            unit=unit,
            block_length=None,
            trials=trials,
            alpha=alpha,
            correction="romano-wolf",
            ci="percentile",
            resamples=resamples,
            seed=seed,
            baseline=None,
        )
        ranking = _rank_pair(testset, names, rule, settings, units, jobs)
        as_published = not metrics and rule == "2025" and testset.scores.keys() >= _FIVE
        cautions = (*missing, *ranking.warnings)
        pairs[lang_pair] = replace(ranking, as_published=as_published, warnings=cautions)
        if progress is not None:
            progress(lang_pair, len(pairs) / len(task.testsets))
    return AutoRank(task.name, rule, pairs)


def _choose_metrics(
    lang_pair: str, testset: TestSet, metrics: Sequence[str] | None
) -> tuple[list[str], list[Caution]]:
    """Choose the metrics, and find the cautions about those whose tokenizer is missing."""
    names = list(metrics or used_metrics(lang_pair, testset))
    if not metrics and not testset.has_texts and not set(names) <= testset.scores.keys():
        raise SettingError(
            f"{testset.name} has only human scores, and AutoRank needs automatic metrics. Add the "
            "texts, or a table with scores of metrics."
        )
    missing = find_missing_tokenizers(testset, names, lang_pair)
    available = [name for name in names if name not in missing]
    # Where all are missing, the error of computing them says what to install.
    return available or names, list(missing.values())


def used_metrics(lang_pair: str, testset: TestSet) -> list[str]:
    """List the metrics by which the task ranked a language pair if that is known, else all."""
    people = pick_human_scores(testset.scores)
    names = [name for name in testset.scores if name not in people]
    if "chrF++" in names and lang_pair in _CHRF_ALONE:
        return ["chrF++"]
    if set(names) >= _FIVE:
        used = [name for name in names if name in _FIVE]
        if lang_pair not in _WITH_REFERENCE_IN_2025:
            used.remove("CometKiwi-XL")
        return used
    return names or ["bleu", "chrf"]


def _check_rule(rule: str) -> None:
    if rule not in RULES:
        raise explain_unknown("rule", rule, RULES)


def combine_metrics(testset: TestSet, names: Sequence[str], rule: str) -> CombinedMetrics:
    """Score the systems by each metric, and combine the scores of those that have all."""
    _check_rule(rule)
    measured = []
    for name in names:
        metric = resolve_metric(testset, name)
        measured.append(Measured(testset, metric, cached_statistics(metric, testset)))
    scores = np.array([by_metric.sign * by_metric.scores for by_metric in measured])
    has_all = ~np.isnan(scores).any(axis=0)
    systems = [name for name, has in zip(testset.systems, has_all, strict=True) if has]
    if len(systems) < 2:
        raise SettingError(
            f"{testset.name}: fewer than two systems have scores of {', '.join(names)}. Choose other "
            "metrics.",
            {"metrics": "NAME,..."},
        )
    scores = scores[:, has_all]
    without = [name for name in testset.systems if name not in systems]
    autorank = combine(scores[:, :, None], rule)[:, 0]
    return CombinedMetrics(
        metrics=tuple(by_metric.only(systems) for by_metric in measured),
        systems=tuple(systems),
        without=tuple(without),
        scores=scores,
        autorank=autorank,
    )


def _rank_pair(
    testset: TestSet,
    names: Sequence[str],
    rule: str,
    settings: Settings,
    units: Units,
    jobs: int,
) -> PairAutoRank:
    combined = combine_metrics(testset, names, rule)
    low, high = _range_in_resamples(combined, rule, settings, units, jobs)
    signs = [by_metric.sign for by_metric in combined.metrics]
    weights = weigh_metrics(combined.scores, rule) * signs
    ranked = rank_by_weighted_mean(combined.metrics, weights, units, settings, jobs)
    order = np.argsort(-combined.scores, axis=1, kind="stable")
    places = 1 + np.argsort(order, axis=1, kind="stable")
    rows = []
    for k, system in enumerate(combined.systems):
        rank_low, rank_high = ranked.ranges[k]
        autorank = float(combined.autorank[k])
        system_places = places[:, k].tolist()
        row = AutoRanked(
            system=system,
            autorank=autorank,
            low=float(low[k]),
            high=float(high[k]),
            rank_low=rank_low,
            rank_high=rank_high,
            places=dict(zip(names, system_places, strict=True)),
        )
        rows.append(row)
    rows.sort(key=lambda row: row.autorank)
    cautions = tuple(warn_of_skew(ranked.skewed, settings, units.pieces, "AutoRank"))
    return PairAutoRank(tuple(names), tuple(rows), combined.without, settings, warnings=cautions)


def _range_in_resamples(
    combined: CombinedMetrics, rule: str, settings: Settings, units: Units, jobs: int
) -> np.ndarray:
    """Find the middle 1 - alpha of AutoRank in resamples, the same for all metrics.

    The lower and the upper bound, shape (2, systems).
    """
    scores = []
    for by_metric in combined.metrics:
        data = by_metric.sum_by(units)
        resampled = bootstrap_scores(data, settings.resamples, settings.seed, jobs=jobs)
        scores.append(by_metric.sign * resampled)
    tail = 100 * settings.alpha / 2
    values = combine(np.array(scores), rule)
    bounds: np.ndarray = np.percentile(values, [tail, 100 - tail], axis=1)
    return bounds


def combine(values: np.ndarray, rule: str) -> np.ndarray:
    """Compute AutoRank, shape (systems, samples), from scores of which higher is better.

    Scores have shape (metrics, systems, samples).
    """
    if rule == "2024":
        ranks = _to_ranks(values, axis=1, worst=values.shape[1] + 1)
        return np.asarray(ranks.mean(axis=0))
    median = np.median(values, axis=1, keepdims=True)
    spread = _spread_of_2025(values)
    scaled = np.divide(values - median, spread, out=np.zeros_like(values), where=spread > 0)
    return _to_ranks(scaled.mean(axis=0), axis=0, worst=values.shape[1])


def weigh_metrics(scores: np.ndarray, rule: str) -> np.ndarray:
    """Find the weight of each metric in AutoRank, with the scaling of these scores.

    The weighted sums of scores order the systems as AutoRank does, and differ in proportion to it.
    Shape (metrics, systems) -> (metrics,).

    >>> weigh_metrics(np.array([[9.0, 5.0, 1.0], [0.3, 0.3, 0.3]]), "2024").tolist()
    [0.125, 0.0]
    """
    spread = np.ptp(scores, axis=1) if rule == "2024" else _spread_of_2025(scores)[:, 0]
    weights: np.ndarray = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    return weights


def _spread_of_2025(values: np.ndarray) -> np.ndarray:
    """Return the maximum less the 25th percentile of the systems, which are the second axis."""
    quartile = np.percentile(values, 25, axis=1, keepdims=True)
    spread: np.ndarray = values.max(axis=1, keepdims=True) - quartile
    return spread


def _to_ranks(values: np.ndarray, axis: int, worst: int) -> np.ndarray:
    """Map values linearly: the highest to 1, the lowest to `worst`; all to 1 if they are equal."""
    best = values.max(axis=axis, keepdims=True)
    span = best - values.min(axis=axis, keepdims=True)
    share = np.divide(best - values, span, out=np.zeros_like(values), where=span > 0)
    return np.asarray(1 + share * (worst - 1))


# Ranks by all rules, from the same draws.


_Result = TypeVar("_Result", Comparison, TaskComparison)


def compare_by_rules(
    run: Callable[..., _Result], segment_means: bool, progress: Progress | None = None
) -> dict[str, _Result]:
    """Compare by each rank rule that fits; a rule that needs domains is left out without any.

    `run` compares by the arguments `rank_rule` and `progress`; with a cache of its own it draws
    once.
    """
    rules = fitting_rules(segment_means)
    results = {}
    for k, rule in enumerate(rules.values()):
        report = report_stage(progress, f"ranks {rule.title}", k, len(rules))
        try:
            results[rule.name] = run(rank_rule=rule.name, progress=report)
        except SettingError:
            if not rule.by_domain:
                raise
    return results


def testset_by_rules(
    testset: TestSet, metric: Metric, progress: Progress | None = None, **settings: Any
) -> dict[str, Comparison]:
    """Compare a test set by each rule; `settings` are as in `compare`, without the rule."""
    run = partial(compare, testset, metric, cache=KeptDraws(), **settings)
    return compare_by_rules(run, is_segment_mean(metric), progress)


def task_by_rules(
    task: KeptTask, metric: str, progress: Progress | None = None, **settings: Any
) -> dict[str, TaskComparison]:
    """Compare a task by each rule; `settings` are as in `compare_task`, without the rule."""
    run = partial(compare_task, task, [metric], cache=KeptDraws(), **settings)
    return compare_by_rules(run, metric in task.info.own_scores, progress)


def with_published_ranks(
    replication: Replication, table: OfficialTable, by_rule: Mapping[str, Comparison]
) -> Replication:
    """Add published ranks next to the ranks by each rule, by the first metric."""
    results = {
        rule: next(iter(comparison.metrics.values())) for rule, comparison in by_rule.items()
    }
    return replace(replication, ranks=replicate_ranks(results, table))


def with_ranks_of_task(
    replication: TaskReplication,
    tables: Mapping[str, OfficialTable],
    by_rule: Mapping[str, TaskComparison],
) -> TaskReplication:
    """Add published ranks to each language pair of a task that has a table of ranks."""
    pairs = dict(replication.pairs)
    lang_pairs, _ = match_names(tables, replication.pairs)
    for name, lang_pair in lang_pairs.items():
        table = tables[name]
        is_ranked = all(lang_pair in comparison.pairs for comparison in by_rule.values())
        if table.ranks and is_ranked:
            rules = {rule: comparison.pairs[lang_pair] for rule, comparison in by_rule.items()}
            pairs[lang_pair] = with_published_ranks(pairs[lang_pair], table, rules)
    return replace(replication, pairs=pairs)


def count_against_tests(result: MetricResult) -> Counter[str]:
    """Count the significant pairs that the ranks tie, and the others that they separate.

    Ranges that share a rank tie two systems. `significant`, of them `tied`; `not_significant`, of
    them `separated`; `only_by_rule`: of the latter, pairs that the test of the rule calls different.
    """
    low = {row.system: row.rank_low or 0 for row in result.systems}
    high = {row.system: row.rank_high or 0 for row in result.systems}
    counts = Counter(only_by_rule=count_only_by_rule(result))
    for pair in result.pairs:
        # Two ranges share a rank where neither begins after the end of the other one.
        a_reaches_b = low[pair.a] <= high[pair.b]
        b_reaches_a = low[pair.b] <= high[pair.a]
        is_tied = a_reaches_b and b_reaches_a
        if pair.better is not None:
            counts["significant"] += 1
            counts["tied"] += is_tied
        else:
            counts["not_significant"] += 1
            counts["separated"] += not is_tied
    return counts


# The findings of a task: the numbers that a paper prints of each language pair, in one place.


@dataclass(frozen=True)
class PairFindings:
    """One language pair."""

    comparison: Comparison
    autorank: CombinedMetrics | None  # None where the task has no other metric
    domains: Mapping[str, Mapping[str, float]]  # by domain, the score of each system


@dataclass(frozen=True)
class Findings:
    """The language pairs of a task by one metric, such as human scores, and perhaps further ones."""

    comparison: TaskComparison
    metric: str  # the one that ranks
    further: tuple[str, ...]
    rule: str  # of AutoRank
    pairs: Mapping[str, PairFindings]
    published: tuple[str, ...] = ()  # columns of published scores that were asked for


def make_findings(
    task: Task | KeptTask,
    metrics: str | Sequence[str] | None = None,
    *,
    rule: str = "2025",
    published: PublishedValues | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Findings:
    """Compare the systems of each language pair, with AutoRank and scores by domain.

    The first metric ranks the systems, and the other metrics are shown next to it. By default it is
    the first metric of the task, or human scores where the task has them. AutoRank uses the task's
    other metrics. `rule` is as in `autorank`, `settings` as in `compare_task`. If the rank rule
    needs segment scores, other metrics without segment scores get simultaneous rank ranges.

    `published` scores of systems stand next to what is computed. Metrics after the first may also
    be names of its columns.

    >>> toy = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> findings = make_findings(Task("toy", {"en-de": toy}), "bleu", trials=999)
    >>> row = findings.pairs["en-de"]
    >>> row.comparison.metrics["bleu"].systems[0].system, row.autorank
    ('A', None)
    """
    _check_rule(rule)
    if isinstance(task, KeptTask):
        texts = task.task
    else:
        texts = task
    if isinstance(metrics, str):
        metrics = [metrics]
    elif not metrics:
        metrics = task_metrics(TaskInfo.from_task(texts), None)[:1]
    systems = {lang_pair: testset.systems for lang_pair, testset in texts.testsets.items()}
    own_published = match_published(published or {}, systems)
    published_only = _find_published_only(texts, metrics[1:], own_published)
    metric, *further = [name for name in metrics if name not in published_only]
    comparison = compare_task(task, [metric, *further], progress=progress, **settings)
    comparison = replace(comparison, published=own_published)
    pairs = {}
    for lang_pair, pair_comparison in comparison.pairs.items():
        if metric in pair_comparison.metrics:
            testset = texts.testsets[lang_pair]
            pairs[lang_pair] = PairFindings(
                pair_comparison,
                _rank_by_metrics(testset, lang_pair, metric, rule),
                _score_domains(testset, metric),
            )
    return Findings(comparison, metric, tuple(further), rule, pairs, tuple(published_only))


def _find_published_only(task: Task, names: Iterable[str], published: PublishedValues) -> list[str]:
    """Find the names that are columns of published scores, and no metrics of the task."""
    columns: set[str] = set()
    for values in published.values():
        for of_system in values.values():
            columns |= of_system.keys()
    for testset in task.testsets.values():
        columns -= testset.scores.keys()
    return [name for name in names if name in columns and name not in METRICS]


def _rank_by_metrics(
    testset: TestSet, lang_pair: str, metric: str, rule: str
) -> CombinedMetrics | None:
    names = [name for name in used_metrics(lang_pair, testset) if name in testset.scores]
    if names in ([], [metric]):
        return None
    try:
        return combine_metrics(testset, names, rule)
    except SettingError:  # no two systems have all of them
        return None


def _score_domains(testset: TestSet, metric: str) -> dict[str, dict[str, float]]:
    """Score the systems in each domain; empty with fewer than two domains."""
    # Segments, and so domains, without a score do not count.
    scored = _measure(testset, metric).testset
    domains = list(dict.fromkeys(scored.domains or ()))
    scores: dict[str, dict[str, float]] = {}
    if len(domains) < 2:
        return scores
    for domain in domains:
        measured = _measure(scored.in_domain(domain), metric)
        scores[domain] = {}
        for system, score in zip(measured.names, measured.scores.tolist(), strict=True):
            if np.isfinite(score):
                scores[domain][system] = score
    return scores


def _measure(testset: TestSet, metric: str) -> Measured:
    testset = testset.keep_scorable(metric)
    return measure(testset, resolve_metric(testset, metric))
