"""Rankings of a task: by several metrics at once (AutoRank), by each rank rule, and as a paper
prints them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import SettingError, explain_unknown
from mtsig_core.metrics import Metric, is_segment_mean, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.readers.official_tables import OfficialTable
from mtsig_core.results import Comparison, MetricResult, Settings, TaskComparison, TaskInfo
from mtsig_core.score_names import pick_human_scores
from mtsig_core.stats.across import compare_task, task_metrics
from mtsig_core.stats.cautions import find_missing_tokenizers, warn_of_skew
from mtsig_core.stats.comparison import compare
from mtsig_core.stats.engine import Measured, bootstrap_scores, measure
from mtsig_core.stats.kept_tasks import KeptDraws, KeptTask
from mtsig_core.stats.parallel import Progress
from mtsig_core.stats.published_scores import (
    Replication,
    TaskReplication,
    match_names,
    replicate_ranks,
)
from mtsig_core.stats.ranks import RANK_RULES, fitting_rules
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import resolve
from mtsig_core.stats.weighted import rank_by_weighted_mean
from mtsig_core.task import Task
from mtsig_core.testset import TestSet

# AutoRank: one order of the systems from several metrics, by which WMT chose whom people rate, with
# its uncertainty.  Sources: Kocmi et al. 2024, preliminary WMT24 ranking (rule "2024"); Kocmi et
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
    places: Mapping[str, int]  # its place by each metric alone


@dataclass(frozen=True)
class PairAutoRank:
    """One language pair: its metrics, and the systems, the best first."""

    metrics: tuple[str, ...]
    systems: tuple[AutoRanked, ...]
    without: tuple[str, ...]  # systems that lack the scores of a metric
    settings: Settings
    as_published: bool = False  # whether the metrics are those that WMT25 is known to have used
    #: Of metrics that are left out because their tokenizer is not installed, and of systems that a
    #: few units set apart.
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
    scores: (
        np.ndarray
    )  # shape (metrics, systems): higher is better, so turned round where it is not
    autorank: np.ndarray  # shape (systems,)

    def by_system(self) -> dict[str, float]:
        """AutoRank of each system."""
        return dict(zip(self.systems, self.autorank.tolist(), strict=True))


def autorank(
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
    progress: Callable[[str, float], None] | None = None,
) -> AutoRank:
    """Order the systems of each language pair by several metrics at once.

    By the rule of 2025 the score x of each metric becomes (x - median) / (maximum - 25th
    percentile), over the systems; the mean over metrics is mapped linearly to 1 (best) to the
    number of systems (worst). By the rule of 2024 each metric is mapped first, to 1 up to one more
    than the number of systems, and then averaged. So WMT24's published values are; its paper says
    up to the number of systems.

    With the scaling as observed, AutoRank is a weighted mean of scores. Rank ranges come from
    randomization tests of the differences of that mean, corrected by Romano-Wolf for all pairs, as
    in `compare`: units (documents) trade places between two systems, the same for all metrics. So
    they hold for all systems together. How far resamples of the units move AutoRank, with the
    scaling, stands beside them.

    Metrics are by default those that the task used, where that is known (WMT25); else all scores of
    the task but those of people, or BLEU and chrF where it has none.

    >>> from mtsig_core import SegmentScores
    >>> scores = {name: SegmentScores({"A": [.9, .8], "B": [.7, .7], "C": [.1, .5]}) for name in ("x", "y")}
    >>> toy = TestSet("toy", {name: [None, None] for name in "ABC"}, {}, scores=scores)
    >>> [(one.system, round(one.autorank, 2)) for one in autorank(Task("toy", {"en-de": toy})).pairs["en-de"].systems]
    [('A', 1.0), ('B', 1.55), ('C', 3.0)]
    """
    _check_rule(rule)
    pairs = {}
    for k, (pair, testset) in enumerate(task.testsets.items()):
        names = tuple(metrics or used_metrics(pair, testset))
        if not metrics and not testset.has_texts and not {*names} <= testset.scores.keys():
            raise SettingError(
                f"{testset.name} has only human scores, and AutoRank needs automatic metrics. Add the "
                "texts, or a table with scores of metrics."
            )
        missing = find_missing_tokenizers(testset, names, pair)
        if missing.keys() < {*names}:  # where all are missing, computing them says what to install
            names = tuple(name for name in names if name not in missing)
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
        as_published = not metrics and rule == "2025" and {*testset.scores} >= _FIVE
        found = _rank_pair(testset, names, rule, settings, units, jobs)
        pairs[pair] = replace(
            found, as_published=as_published, warnings=(*missing.values(), *found.warnings)
        )
        if progress is not None:
            progress(pair, (k + 1) / len(task.testsets))
    return AutoRank(task.name, rule, pairs)


def used_metrics(pair: str, testset: TestSet) -> list[str]:
    """The metrics by which the task ranked a language pair, as far as that is known; else all that
    it has.
    """
    people = pick_human_scores(testset.scores)
    names = [name for name in testset.scores if name not in people]
    if "chrF++" in names and pair in _CHRF_ALONE:
        return ["chrF++"]
    if {*names} >= _FIVE:
        return [
            name
            for name in names
            if name in _FIVE and (name != "CometKiwi-XL" or pair in _WITH_REFERENCE_IN_2025)
        ]
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
    scores = np.array([seen.sign * seen.scores for seen in measured])
    has_all = ~np.isnan(scores).any(axis=0)
    if np.count_nonzero(has_all) < 2:
        raise SettingError(
            f"{testset.name}: fewer than two systems have scores of {', '.join(names)}. Choose other "
            "metrics.",
            {"metrics": "NAME,..."},
        )
    systems = tuple(name for name, there in zip(testset.systems, has_all, strict=True) if there)
    without = tuple(name for name, there in zip(testset.systems, has_all, strict=True) if not there)
    scores = scores[:, has_all]
    return CombinedMetrics(
        tuple(seen.only(systems) for seen in measured),
        systems,
        without,
        scores,
        combine(scores[:, :, None], rule)[:, 0],
    )


def _rank_pair(
    testset: TestSet, names: Sequence[str], rule: str, settings: Settings, units: Units, jobs: int
) -> PairAutoRank:
    combined = combine_metrics(testset, names, rule)
    low, high = _range_in_resamples(combined, rule, settings, units, jobs)
    weights = weigh_metrics(combined.scores, rule) * [seen.sign for seen in combined.metrics]
    ranked = rank_by_weighted_mean(combined.metrics, weights, units, settings, jobs)
    places = 1 + np.argsort(
        np.argsort(-combined.scores, axis=1, kind="stable"), axis=1, kind="stable"
    )
    rows = []
    for k, system in enumerate(combined.systems):
        places_alone = {name: int(own[k]) for name, own in zip(names, places, strict=True)}
        rows.append(
            AutoRanked(
                system,
                float(combined.autorank[k]),
                float(low[k]),
                float(high[k]),
                *ranked.ranges[k],
                places_alone,
            )
        )
    rows.sort(key=lambda row: row.autorank)
    warnings = tuple(warn_of_skew(ranked.skewed, settings, units.pieces, "AutoRank"))
    return PairAutoRank(tuple(names), tuple(rows), combined.without, settings, warnings=warnings)


def _range_in_resamples(
    combined: CombinedMetrics, rule: str, settings: Settings, units: Units, jobs: int
) -> np.ndarray:
    """The ends of the middle 1 - alpha of AutoRank in resamples, the same for all metrics; shape
    (2, systems).
    """
    drawn = [
        seen.sign
        * bootstrap_scores(seen.sum_by(units), settings.resamples, settings.seed, jobs=jobs)
        for seen in combined.metrics
    ]
    tail = 100 * settings.alpha / 2
    ends: np.ndarray = np.percentile(combine(np.array(drawn), rule), [tail, 100 - tail], axis=1)
    return ends


def combine(values: np.ndarray, rule: str) -> np.ndarray:
    """AutoRank, shape (systems, samples), from scores of which higher is better, shape (metrics,
    systems, samples).
    """
    if rule == "2024":
        return np.asarray(_to_ranks(values, axis=1, worst=values.shape[1] + 1).mean(axis=0))
    middle = np.median(values, axis=1, keepdims=True)
    spread = _spread_of_2025(values)
    scaled = np.divide(values - middle, spread, out=np.zeros_like(values), where=spread > 0)
    return _to_ranks(scaled.mean(axis=0), axis=0, worst=len(values[0]))


def weigh_metrics(scores: np.ndarray, rule: str) -> np.ndarray:
    """The weight of each metric in AutoRank, whose scaling is held at these scores, shape (metrics,
    systems) -> (metrics,): the weighted sums of scores order the systems as AutoRank does, and
    differ in proportion to it.

    >>> weigh_metrics(np.array([[9.0, 5.0, 1.0], [0.3, 0.3, 0.3]]), "2024").tolist()
    [0.125, 0.0]
    """
    if rule == "2024":
        spread = np.ptp(scores, axis=1)
    else:
        spread = _spread_of_2025(scores)[:, 0]
    weights: np.ndarray = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    return weights


def _spread_of_2025(values: np.ndarray) -> np.ndarray:
    """The maximum less the 25th percentile of the systems, which are the second axis."""
    spread: np.ndarray = values.max(axis=1, keepdims=True) - np.percentile(
        values, 25, axis=1, keepdims=True
    )
    return spread


def _to_ranks(values: np.ndarray, axis: int, worst: int) -> np.ndarray:
    """Values mapped linearly: the highest to 1, the lowest to `worst`; all to 1 where they are
    equal.
    """
    best = values.max(axis=axis, keepdims=True)
    span = best - values.min(axis=axis, keepdims=True)
    share = np.divide(best - values, span, out=np.zeros_like(values), where=span > 0)
    return np.asarray(1 + share * (worst - 1))


# Ranks by all rules, from the same draws: what the choice of a rule changes.


_Found = TypeVar("_Found", Comparison, TaskComparison)


def compare_by_rules(
    run: Callable[..., _Found], segment_means: bool, progress: Progress | None = None
) -> dict[str, _Found]:
    """The comparison by each rank rule that fits; a rule that needs domains is left out where there
    are none.

    `run` compares by the arguments `rank_rule` and `progress`; with a cache of its own it draws
    once.
    """
    rules, found = fitting_rules(segment_means), {}
    for k, rule in enumerate(rules.values()):
        try:
            found[rule.name] = run(
                rank_rule=rule.name,
                progress=None
                if progress is None
                else partial(_report, progress, f"ranks {rule.title}", k, len(rules)),
            )
        except SettingError:
            if not rule.by_domain:
                raise
    return found


def testset_by_rules(
    testset: TestSet, metric: Metric, progress: Progress | None = None, **settings: Any
) -> dict[str, Comparison]:
    """The same for a test set by a metric; `settings` are those of `compare` without the rule."""
    return compare_by_rules(
        partial(compare, testset, metric, cache=KeptDraws(), **settings),
        is_segment_mean(metric),
        progress,
    )


def task_by_rules(
    task: KeptTask, metric: str, progress: Progress | None = None, **settings: Any
) -> dict[str, TaskComparison]:
    """The same for a task by a metric; `settings` are those of `compare_task` without the rule."""
    return compare_by_rules(
        partial(compare_task, task, [metric], cache=KeptDraws(), **settings),
        metric in task.info.own_scores,
        progress,
    )


def _report(progress: Progress, stage: str, k: int, n: int, _: str, share: float) -> None:
    progress(stage, (k + share) / n)


def with_published_ranks(
    found: Replication, table: OfficialTable, by_rule: Mapping[str, Comparison]
) -> Replication:
    """Published scores beside ours, with published ranks beside those by each rule, by the first
    metric.
    """
    return replace(
        found,
        ranks=replicate_ranks(
            {rule: next(iter(one.metrics.values())) for rule, one in by_rule.items()}, table
        ),
    )


def with_ranks_of_task(
    found: TaskReplication,
    tables: Mapping[str, OfficialTable],
    by_rule: Mapping[str, TaskComparison],
) -> TaskReplication:
    """The same for each language pair of a task."""
    here, _ = match_names(tables, found.pairs)
    return replace(
        found,
        pairs=dict(found.pairs)
        | {
            pair: with_published_ranks(
                found.pairs[pair],
                tables[name],
                {rule: one.pairs[pair] for rule, one in by_rule.items()},
            )
            for name, pair in here.items()
            if tables[name].ranks and all(pair in one.pairs for one in by_rule.values())
        },
    )


@dataclass(frozen=True)
class RankedAgainstTests:
    """How rank ranges differ from the tests of the pairs.

    Ranges that share a rank tie two systems.
    """

    significant: int  # pairs
    tied: int  # of them
    not_significant: int  # pairs
    separated: int  # of them

    def __add__(self, other: RankedAgainstTests) -> RankedAgainstTests:
        return RankedAgainstTests(
            self.significant + other.significant,
            self.tied + other.tied,
            self.not_significant + other.not_significant,
            self.separated + other.separated,
        )


def count_against_tests(result: MetricResult) -> RankedAgainstTests:
    """Of the significant pairs those that the ranks tie, and of the others those that they
    separate.
    """
    ranks = {row.system: (row.rank_low or 0, row.rank_high or 0) for row in result.systems}
    apart = [
        max(ranks[pair.a][0], ranks[pair.b][0]) > min(ranks[pair.a][1], ranks[pair.b][1])
        for pair in result.pairs
    ]
    significant = [pair.better is not None for pair in result.pairs]
    tied = sum(yes and not one for yes, one in zip(significant, apart, strict=True))
    separated = sum(one and not yes for yes, one in zip(significant, apart, strict=True))
    return RankedAgainstTests(
        sum(significant), tied, len(significant) - sum(significant), separated
    )


# The findings of a task: what a paper prints of each language pair, in one place.


@dataclass(frozen=True)
class PairFindings:
    """One language pair."""

    comparison: Comparison
    autorank: CombinedMetrics | None  # None where the task has no other metric
    domains: Mapping[
        str, Mapping[str, float]
    ]  # by domain, the score of each system; empty with fewer than two


@dataclass(frozen=True)
class Findings:
    """The language pairs of a task by one metric, such as human scores, and perhaps further ones
    beside it.
    """

    found: TaskComparison
    metric: str  # the one that ranks
    further: tuple[str, ...]
    rule: str  # of AutoRank
    pairs: Mapping[str, PairFindings]


def make_findings(
    task: Task,
    metrics: str | Sequence[str] | None = None,
    *,
    rule: str = "2025",
    progress: Callable[[str, float], None] | None = None,
    **settings: Any,
) -> Findings:
    """Compare the systems of each language pair, with AutoRank by the task's other metrics, and
    scores by domain.

    The first metric ranks the systems, the others stand beside it; by default it is the first of
    the task, human scores where there are any. `rule` is that of `autorank`, `settings` those of
    `compare_task`. Where their rank rule needs segment scores, the others that have none are ranked
    by simultaneous rank ranges.

    >>> toy = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> found = make_findings(Task("toy", {"en-de": toy}), "bleu", trials=999)
    >>> found.pairs["en-de"].comparison.metrics["bleu"].systems[0].system, found.pairs["en-de"].autorank
    ('A', None)
    """
    _check_rule(rule)
    metric, *further = (
        [metrics]
        if isinstance(metrics, str)
        else metrics or task_metrics(TaskInfo.from_task(task), None)[:1]
    )
    apart = _list_without_rule(task, further, settings.get("rank_rule", "simultaneous"))
    together = [name for name in (metric, *further) if name not in apart]
    found = compare_task(task, together, progress=progress, **settings)
    if apart:
        other = compare_task(
            task, apart, progress=progress, **settings | {"rank_rule": "simultaneous"}
        )
        found = _add_metrics(found, other)
    pairs = {}
    for pair, comparison in found.pairs.items():
        if metric in comparison.metrics:
            pairs[pair] = PairFindings(
                comparison,
                _rank_by_metrics(task, pair, metric, rule),
                _score_domains(task.testsets[pair], metric),
            )
    return Findings(found, metric, tuple(further), rule, pairs)


def _list_without_rule(task: Task, metrics: Sequence[str], rank_rule: str) -> list[str]:
    """The metrics that a rule cannot rank by, as it needs scores of segments; none for a rule that
    is not known.
    """
    if rank_rule not in RANK_RULES or rank_rule in fitting_rules(segment_means=False):
        return []
    of_segments: set[str] = set()
    for testset in task.testsets.values():
        of_segments |= testset.scores.keys()
    return [name for name in metrics if name not in of_segments]


def _add_metrics(found: TaskComparison, other: TaskComparison) -> TaskComparison:
    """The language pairs of a comparison with the metrics of another one beside theirs."""
    pairs = {}
    for pair, one in found.pairs.items():
        more = other.pairs[pair].metrics if pair in other.pairs else {}
        pairs[pair] = replace(one, metrics={**one.metrics, **more})
    return replace(found, pairs=pairs, warnings=(*found.warnings, *other.warnings))


def _rank_by_metrics(task: Task, pair: str, metric: str, rule: str) -> CombinedMetrics | None:
    testset = task.testsets[pair]
    names = [name for name in used_metrics(pair, testset) if name in testset.scores]
    if names in ([], [metric]):
        return None
    try:
        return combine_metrics(testset, names, rule)
    except SettingError:  # no two systems have all of them
        return None


def _score_domains(testset: TestSet, metric: str) -> dict[str, dict[str, float]]:
    scored = _measure(
        testset, metric
    ).testset  # without segments, and so domains, that have no score
    names = list(dict.fromkeys(scored.domains or ()))
    parts = {name: _measure(scored.in_domain(name), metric) for name in names if len(names) > 1}
    return {
        name: {
            system: float(score)
            for system, score in zip(part.names, part.scores, strict=True)
            if np.isfinite(score)
        }
        for name, part in parts.items()
    }


def _measure(testset: TestSet, metric: str) -> Measured:
    part = testset.keep_scorable(metric)
    return measure(part, resolve_metric(part, metric))
