"""`examine_dispute`: everything about one pair of systems, under several metrics, for whoever must
decide on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.errors import MtsigError, SettingError, format_count, suggest_name
from mtsig_core.experiments.domains import by_domain
from mtsig_core.metrics import Metric, is_segment_mean, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.results import (
    ByDomain,
    Comparison,
    MetricResult,
    PairResult,
    Settings,
    SystemResult,
)
from mtsig_core.score_names import order_metrics
from mtsig_core.stats.comparison import compare, split_by_reference
from mtsig_core.stats.engine import measure
from mtsig_core.stats.pair import PairExamination, examine_pair, find_extremes
from mtsig_core.stats.power import PairPlan, default_difference, plan
from mtsig_core.stats.ranks import RankInputs, fitting_rules
from mtsig_core.testset import TestSet

_DOCUMENTS, _SEGMENTS = 5, 2  # each way

RankEnds = tuple[int, int] | None
Sides = tuple[tuple["Decider", ...], tuple["Decider", ...]]  # in favour of each system


@dataclass(frozen=True)
class Decider:
    """A document or segment that moves the difference: its position, its name or line, and what it
    adds to the improvement of a over b, in points; see `contributions`.
    """

    position: int
    name: str
    added: float


@dataclass(frozen=True, eq=False)
class MetricDispute:
    """The pair under one metric."""

    result: MetricResult  # all systems and pairs
    pair: PairResult  # of the two, as the comparison has it: the better-scoring one first
    found: PairExamination  # a against b, by every test and interval
    units: Mapping[
        str, PairExamination
    ]  # the same by document, where documents are known, and by segment
    references: Mapping[str, PairExamination]  # by each of several references
    domains: (
        ByDomain | None
    )  # only the two in each domain, corrected over the domains; None without two domains
    #: What the test set can see, and what size would decide; see `mtsig_core.stats.power.plan`.
    plan: PairPlan | None
    #: By rank rule, the ends of the rank of each; None where there is none.
    ranks: Mapping[str, tuple[RankEnds, RankEnds]]

    @property
    def decision(self) -> int:
        """1 where a is significantly better, -1 where b is, 0 where neither."""
        sides = {"a": self.pair.a, "b": self.pair.b, None: None}
        return {self.found.a: 1, self.found.b: -1, None: 0}[sides[self.pair.better]]


@dataclass(frozen=True, eq=False)
class Dispute:
    """Two systems under several metrics, the one that counts first."""

    testset: TestSet
    a: str
    b: str
    #: Of all systems, by which the pair is decided: the family of the correction is all of its
    #: pairs.
    comparison: Comparison
    metrics: tuple[MetricDispute, ...]
    not_compared: Mapping[str, str]  # the other metrics, and why they say nothing of this pair
    #: Under the first metric, those that move the difference most; empty where there are none.
    documents: Sides
    segments: Sides


def examine_dispute(
    testset: TestSet,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    *,
    a: str | None = None,
    b: str | None = None,
    test: str = "ar",
    unit: str = "auto",
    block_length: float | None = None,
    trials: int = 9999,
    alpha: float = 0.05,
    correction: str = "auto",
    ci: str = "auto",
    resamples: int = 2000,
    seed: int = 0,
    jobs: int = 1,
    comparison: Comparison | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Dispute:
    """All that can be said of two systems: by metric, test, unit, reference, domain and rank rule,
    and what decides.

    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> result = examine_dispute(ts, ["bleu", "ter"], trials=999, resamples=100)
    >>> result.a, result.b, [(one.result.metric, one.decision) for one in result.metrics]
    ('A', 'B', [('bleu', 1), ('ter', 1)])
    """
    listed = _chosen(testset, metrics)
    settings = dict(
        test=test,
        unit=unit,
        block_length=block_length,
        trials=trials,
        alpha=alpha,
        correction=correction,
        ci=ci,
        resamples=resamples,
        seed=seed,
    )
    if comparison is None:
        comparison = compare(testset, listed, jobs=jobs, progress=progress, **settings)  # type: ignore[arg-type]
    a, b = _two(comparison, a, b)
    asked = dict(trials=trials, alpha=alpha, resamples=resamples, seed=seed, jobs=jobs)
    disputes, without = [], {}
    for k, metric in enumerate(listed):
        if progress is not None:
            progress(f"the pair by {metric.name}", k / len(listed))
        try:
            disputes.append(_by_metric(testset, comparison, metric, a, b, block_length, asked))
        except MtsigError as problem:
            without[metric.name] = str(problem)
    if not disputes:
        raise SettingError(f"No metric can compare {a} and {b}: {' '.join(without.values())}")
    return Dispute(
        testset, a, b, comparison, tuple(disputes), without, *_deciders(testset, disputes[0].found)
    )


def document_names(testset: TestSet) -> list[str]:
    """Each document's id, with its domain where it has one; in the order of their numbers."""
    labels = testset.documents or ()
    if testset.domains is not None:
        labels = [f"{domain} · {doc}" for domain, doc in zip(testset.domains, labels, strict=True)]
    return list(dict(zip(testset.document_index.tolist(), labels, strict=True)).values())


def list_dispute_metrics(testset: TestSet) -> list[str]:
    """BLEU, where there are texts, and all segment scores; human scores first."""
    return order_metrics(testset.scores, computed=["bleu"] * testset.has_texts)


def _chosen(
    testset: TestSet, metrics: str | Metric | Sequence[str | Metric] | None
) -> list[Metric]:
    if metrics is None:
        metrics = list_dispute_metrics(testset)
    elif isinstance(metrics, str) or not isinstance(metrics, Sequence):
        metrics = [metrics]
    return [resolve_metric(testset, one) for one in metrics]


def _two(comparison: Comparison, a: str | None, b: str | None) -> tuple[str, str]:
    """The two systems, of those that any metric has scores of."""
    known = list(
        dict.fromkeys(
            row.system for result in comparison.metrics.values() for row in result.systems
        )
    )
    for name in (a, b):
        if name is not None and name not in known:
            raise SettingError(
                f"No system {name!r} in {comparison.testset.name}.{suggest_name(name, known)} It has: "
                f"{', '.join(known)}."
            )
    first = a if a is not None else next((name for name in known if name != b), None)
    second = b if b is not None else next((name for name in known if name != first), None)
    if len(known) < 2:
        raise SettingError(
            f"{comparison.testset.name} has {format_count(len(known), 'system')} to compare. Expected "
            "at least two: add an output, or leave fewer systems out."
        )
    if first is None or second is None or first == second:
        raise SettingError(
            f"A pair is two systems, and {first!r} is given twice. Choose another for one of them.",
            {"b": "NAME"},
        )
    return first, second


def _by_metric(
    testset: TestSet,
    comparison: Comparison,
    metric: Metric,
    a: str,
    b: str,
    block_length: float | None,
    asked: Mapping[str, int | float],
) -> MetricDispute:
    """The pair under one metric."""
    result, settings = comparison.metrics[metric.name], comparison.settings
    part = testset if is_segment_mean(metric) else testset.only((a, b))
    part = part.keep_scorable(metric.name)
    statistics = cached_statistics(metric, part)

    def examined(of: TestSet, unit: str, counted: np.ndarray | None = None) -> PairExamination:
        length = block_length if unit == "block" else None
        return examine_pair(
            of,
            metric,
            a,
            b,
            unit=unit,
            block_length=length,
            statistics=counted,
            **asked,  # type: ignore[arg-type]
        )

    tests = examined(part, settings.unit, statistics)
    pair = next(pair for pair in result.pairs if {pair.a, pair.b} == {a, b})
    kinds = (["document"] if part.documents is not None else []) + ["segment"]
    units = {
        kind: tests if kind == settings.unit else examined(part, kind, statistics) for kind in kinds
    }
    by_reference = {} if is_segment_mean(metric) else split_by_reference(part, "ar")
    references = {name: examined(of, settings.unit) for name, of in by_reference.items()}
    plans = plan(
        comparison, default_difference(row.score for row in result.systems), metric=metric.name
    )
    return MetricDispute(
        result,
        pair,
        tests,
        units,
        references,
        _in_domains(testset, metric, a, b, settings, asked),
        next((row for row in plans if {row.a, row.b} == {a, b}), None),
        _ranks(testset, metric, result, a, b, settings),
    )


def _in_domains(
    testset: TestSet,
    metric: Metric,
    a: str,
    b: str,
    settings: Settings,
    asked: Mapping[str, int | float],
) -> ByDomain | None:
    if len(set(testset.domains or ())) < 2 or settings.unit == "block":
        return None
    try:
        return by_domain(
            testset.only((a, b)),
            metric,
            test="bootstrap" if settings.test == "bootstrap" else "ar",
            unit=settings.unit,
            **asked,  # type: ignore[arg-type]
        )
    except SettingError:  # rated in only one domain
        return None


def _ranks(
    testset: TestSet, metric: Metric, result: MetricResult, a: str, b: str, settings: Settings
) -> dict[str, tuple[RankEnds, RankEnds]]:
    """The ranks of the two by each rule that fits the metric, whichever rule the comparison was
    ranked by.
    """
    chosen = _list_rank_ends(result.systems)
    result = _remove_rule(result)  # what other rules start from
    names = [row.system for row in result.systems]
    segments = domains = None
    if is_segment_mean(metric):
        seen = measure(testset.keep_scorable(metric.name), metric).only(names)
        segments, domains = seen.segment_scores, seen.testset.domains
    given, by_rule = RankInputs.from_result(result, settings.alpha, segments, domains), {}
    for rule in fitting_rules(segments is not None, domains is not None).values():
        if rule.name == settings.rank_rule:
            ends = chosen
        elif rule.name == "simultaneous":  # from decisions that only the comparison has
            ends = _list_rank_ends(result.systems)
        else:
            _, ranks = rule.rank(given)
            ends = dict(
                zip(names, zip(ranks.low.tolist(), ranks.high.tolist(), strict=True), strict=True)
            )
        by_rule[rule.name] = ends[a], ends[b]
    return by_rule


def _remove_rule(result: MetricResult) -> MetricResult:
    """The result with the systems as they were before a rule ranked them; without ranks where that
    is not known.
    """
    if result.ruled is None:
        return result
    if result.ruled.unruled:
        return replace(result, systems=result.ruled.unruled)
    return replace(
        result, systems=tuple(replace(row, rank_low=None, rank_high=None) for row in result.systems)
    )


def _list_rank_ends(systems: Sequence[SystemResult]) -> dict[str, RankEnds]:
    """The rank range of each system that a comparison gives; None where it gives none."""
    ends: dict[str, RankEnds] = {}
    for row in systems:
        if row.rank_low is None or row.rank_high is None:
            ends[row.system] = None
        else:
            ends[row.system] = row.rank_low, row.rank_high
    return ends


def _deciders(testset: TestSet, tests: PairExamination) -> tuple[Sides, Sides]:
    """The documents and segments that move the difference most, in favour of each."""

    def most(added: np.ndarray, names: Sequence[str], n: int) -> Sides:
        added = tests.sign * added
        first, second = (
            tuple(Decider(int(k), names[k], float(added[k])) for k in part)
            for part in find_extremes(added, n)
        )
        return first, second

    segments = most(tests.by_segment, [str(line) for line in testset.lines], _SEGMENTS)
    documents = (
        None
        if tests.by_document is None
        else most(tests.by_document, document_names(testset), _DOCUMENTS)
    )
    return documents or ((), ()), segments
