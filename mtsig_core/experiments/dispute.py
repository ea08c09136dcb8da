"""`examine_dispute`: everything about one pair of systems, under several metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from mtsig_core.errors import MtsigError, SettingError, format_count, suggest_name
from mtsig_core.experiments.breakdown import Breakdown, break_down
from mtsig_core.experiments.domains import by_domain
from mtsig_core.metrics import Metric, MetricsLike, is_segment_mean, resolve_metrics
from mtsig_core.progress import Progress
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
from mtsig_core.stats.significance import ONLY_LOOK
from mtsig_core.testset import TestSet

_DOCUMENTS = 5  # each way
_SEGMENTS = 2

RankEnds = tuple[int, int] | None
_Row = TypeVar("_Row", PairResult, PairPlan)
Sides = tuple[tuple["Decider", ...], tuple["Decider", ...]]  # in favour of each system


@dataclass(frozen=True)
class Decider:
    """A document or segment that moves the difference."""

    position: int
    name: str  # or its line
    added: float  # to the improvement of a over b, in points; see `contributions`


@dataclass(frozen=True, eq=False)
class MetricDispute:
    """The pair under one metric."""

    result: MetricResult  # all systems and pairs
    pair: PairResult  # of the two, as the comparison has it: the better-scoring one first
    examination: PairExamination  # a against b, by every test and interval
    #: The same by document, where documents are known, and by segment.
    units: Mapping[str, PairExamination]
    references: Mapping[str, PairExamination]  # by each of several references
    #: Only the two in each domain, corrected over the domains; None without two domains.
    domains: ByDomain | None
    #: What the test set can see, and what size would decide; see `mtsig_core.stats.power.plan`.
    plan: PairPlan | None
    #: By rank rule, the low and high rank of each system; None for a system without a rank.
    ranks: Mapping[str, tuple[RankEnds, RankEnds]]

    @property
    def decision(self) -> int:
        """1 where a is significantly better, -1 where b is, 0 where neither."""
        if self.pair.better is None:
            return 0
        better = self.pair.a if self.pair.better == "a" else self.pair.b
        return 1 if better == self.examination.a else -1


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
    #: Under the first metric, the documents that move the difference most; empty without documents.
    documents: Sides
    segments: Sides
    breakdown: Breakdown | None = None  # under the first metric, if asked for


def examine_dispute(  # noqa: PLR0913  the settings of `compare`, by name
    testset: TestSet,
    metrics: MetricsLike | None = None,
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
    rank_rule: str = "simultaneous",
    look: str = ONLY_LOOK,
    breakdown: bool = False,
    jobs: int = 1,
    comparison: Comparison | None = None,
    progress: Progress | None = None,
) -> Dispute:
    """Examine two systems by metric, test, unit, reference, domain and rank rule.

    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> result = examine_dispute(ts, ["bleu", "ter"], trials=999, resamples=100)
    >>> result.a, result.b, [(row.result.metric, row.decision) for row in result.metrics]
    ('A', 'B', [('bleu', 1), ('ter', 1)])
    """
    if metrics is None:
        metrics = list_dispute_metrics(testset)
    resolved = resolve_metrics(testset, metrics)
    if comparison is None:
        comparison = compare(
            testset,
            resolved,
            test=test,
            unit=unit,
            block_length=block_length,
            trials=trials,
            alpha=alpha,
            correction=correction,
            ci=ci,
            resamples=resamples,
            seed=seed,
            rank_rule=rank_rule,
            look=look,
            jobs=jobs,
            progress=progress,
        )
    a, b = _choose_pair(comparison, a, b)
    alpha = comparison.settings.alpha  # of the look
    sizes = {"trials": trials, "alpha": alpha, "resamples": resamples, "seed": seed, "jobs": jobs}
    task = _Task(testset, comparison, a, b, block_length, sizes)
    disputes = []
    not_compared = {}
    for k, metric in enumerate(resolved):
        if progress is not None:
            progress(f"the pair by {metric.name}", k / len(resolved))
        try:
            disputes.append(_examine_metric(task, metric))
        except MtsigError as problem:
            not_compared[metric.name] = str(problem)
    if not disputes:
        raise SettingError(f"No metric can compare {a} and {b}: {' '.join(not_compared.values())}")
    first = disputes[0].examination
    broken_down = None
    if breakdown:
        metric = next(metric for metric in resolved if metric.name == first.metric)
        broken_down = break_down(testset, metric, a, b, first.settings)
    return Dispute(
        testset=testset,
        a=a,
        b=b,
        comparison=comparison,
        metrics=tuple(disputes),
        not_compared=not_compared,
        documents=_find_documents(testset, first),
        segments=_find_segments(testset, first),
        breakdown=broken_down,
    )


def document_names(testset: TestSet) -> list[str]:
    """Each document's id, with its domain where it has one; in the order of their numbers."""
    labels: Sequence[str] = testset.documents or ()
    if testset.domains is not None:
        labels = [f"{domain} · {doc}" for domain, doc in zip(testset.domains, labels, strict=True)]
    by_number = dict(zip(testset.document_index.tolist(), labels, strict=True))
    return list(by_number.values())


def list_dispute_metrics(testset: TestSet) -> list[str]:
    """BLEU, where there are texts, and all segment scores; human scores first."""
    return order_metrics(testset.scores, computed=["bleu"] if testset.has_texts else [])


def _choose_pair(comparison: Comparison, a: str | None, b: str | None) -> tuple[str, str]:
    """The two systems, of those that any metric has scores of; the best ones by default."""
    rows = [row for result in comparison.metrics.values() for row in result.systems]
    known = list(dict.fromkeys(row.system for row in rows))
    name = comparison.testset.name
    for system in (a, b):
        if system is not None and system not in known:
            raise SettingError(
                f"No system {system!r} in {name}.{suggest_name(system, known)} It has: "
                f"{', '.join(known)}."
            )
    if len(known) < 2:
        raise SettingError(
            f"{name} has {format_count(len(known), 'system')} to compare. Expected "
            "at least two: add an output, or exclude fewer systems."
        )
    first = a or next(system for system in known if system != b)
    second = b or next(system for system in known if system != first)
    if first == second:
        raise SettingError(
            f"A pair is two systems, and {first!r} is given twice. Choose another for one of them.",
            {"b": "NAME"},
        )
    return first, second


@dataclass(frozen=True)
class _Task:
    """The pair to examine, and how."""

    testset: TestSet
    comparison: Comparison
    a: str
    b: str
    block_length: float | None
    sizes: Mapping[str, Any]  # arguments of `examine_pair` and `by_domain`

    @property
    def settings(self) -> Settings:
        return self.comparison.settings

    def examine(
        self,
        testset: TestSet,
        metric: Metric,
        unit: str,
    ) -> PairExamination:
        return examine_pair(
            testset,
            metric,
            self.a,
            self.b,
            unit=unit,
            block_length=self.block_length if unit == "block" else None,
            **self.sizes,
        )

    def find_row(self, rows: Iterable[_Row]) -> _Row | None:
        """The row of the two among rows of pairs."""
        for row in rows:
            if {row.a, row.b} == {self.a, self.b}:
                return row
        return None


def _examine_metric(task: _Task, metric: Metric) -> MetricDispute:
    """The pair under one metric."""
    result = task.comparison.metrics[metric.name]
    testset = task.testset if is_segment_mean(metric) else task.testset.only((task.a, task.b))
    testset = testset.keep_scorable(metric.name)
    unit = task.settings.unit
    examination = task.examine(testset, metric, unit)
    pair = task.find_row(result.pairs)
    assert pair is not None, "a comparison has all pairs of its systems"
    by_unit: dict[str, PairExamination] = {}
    for kind in ("document", "segment"):
        if kind == unit:
            by_unit[kind] = examination
        elif kind == "segment" or testset.documents is not None:
            by_unit[kind] = task.examine(testset, metric, kind)
    by_reference = {}
    if not is_segment_mean(metric):
        for name, scored in split_by_reference(testset, "ar").items():
            by_reference[name] = task.examine(scored, metric, unit)
    difference = default_difference(row.score for row in result.systems)
    return MetricDispute(
        result=result,
        pair=pair,
        examination=examination,
        units=by_unit,
        references=by_reference,
        domains=_examine_domains(task, metric),
        plan=task.find_row(plan(task.comparison, difference, metric=metric.name)),
        ranks=_rank_by_rules(task, metric),
    )


def _examine_domains(task: _Task, metric: Metric) -> ByDomain | None:
    settings = task.settings
    if len(set(task.testset.domains or ())) < 2 or settings.unit == "block":
        return None
    try:
        return by_domain(
            task.testset.only((task.a, task.b)),
            metric,
            test="bootstrap" if settings.test == "bootstrap" else "ar",
            unit=settings.unit,
            **task.sizes,
        )
    except SettingError:  # rated in only one domain
        return None


def _rank_by_rules(task: _Task, metric: Metric) -> dict[str, tuple[RankEnds, RankEnds]]:
    """The ranks of the two by each rule that fits the metric.

    These do not depend on the rule that the comparison was ranked by.
    """
    settings = task.settings
    ranked = task.comparison.metrics[metric.name]
    unruled = _remove_rule(ranked)  # what other rules start from
    names = [row.system for row in unruled.systems]
    segment_scores = None
    domains = None
    if is_segment_mean(metric):
        measured = measure(task.testset.keep_scorable(metric.name), metric).only(names)
        segment_scores = measured.segment_scores
        domains = measured.testset.domains
    inputs = RankInputs.from_result(unruled, settings.alpha, segment_scores, domains)
    rules = fitting_rules(segment_scores is not None, domains is not None)
    by_rule = {}
    for rule in rules.values():
        if rule.name == settings.rank_rule:
            ranks = _list_ranks(ranked.systems)
        elif rule.name == "simultaneous":  # from decisions that only the comparison has
            ranks = _list_ranks(unruled.systems)
        else:
            _, computed = rule.rank(inputs)
            bounds = zip(computed.low.tolist(), computed.high.tolist(), strict=True)
            ranks = dict(zip(names, bounds, strict=True))
        by_rule[rule.name] = ranks[task.a], ranks[task.b]
    return by_rule


def _remove_rule(result: MetricResult) -> MetricResult:
    """Return the result with its systems as before a rule ranked them.

    They have no ranks where that is not known.
    """
    if result.ruled is None:
        return result
    if result.ruled.unruled:
        return replace(result, systems=result.ruled.unruled)
    systems = [replace(row, rank_low=None, rank_high=None) for row in result.systems]
    return replace(result, systems=tuple(systems))


def _list_ranks(systems: Sequence[SystemResult]) -> dict[str, RankEnds]:
    """The rank range of each system that a comparison gives; None where it gives none."""
    ranks: dict[str, RankEnds] = {}
    for row in systems:
        if row.rank_low is None or row.rank_high is None:
            ranks[row.system] = None
        else:
            ranks[row.system] = row.rank_low, row.rank_high
    return ranks


def _find_segments(testset: TestSet, examination: PairExamination) -> Sides:
    """The segments that move the difference most, in favour of each."""
    names = [str(line) for line in testset.lines]
    return _find_deciders(examination.sign * examination.by_segment, names, _SEGMENTS)


def _find_documents(testset: TestSet, examination: PairExamination) -> Sides:
    """The documents that move the difference most, in favour of each."""
    if examination.by_document is None:
        return (), ()
    added = examination.sign * examination.by_document
    return _find_deciders(added, document_names(testset), _DOCUMENTS)


def _find_deciders(added: np.ndarray, names: Sequence[str], n: int) -> Sides:
    """Find the n that add most, and the n that take most."""
    for_first, for_second = (
        tuple(Decider(int(k), names[k], float(added[k])) for k in positions)
        for positions in find_extremes(added, n)
    )
    return for_first, for_second
