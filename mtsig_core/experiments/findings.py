"""The findings of a task: what a paper prints of each language pair, in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.autorank import PairAutoRank, autorank, used_metrics
from mtsig_core.metrics import resolve_metric
from mtsig_core.results import Comparison, TaskComparison, TaskInfo
from mtsig_core.stats.across import compare_task, task_metrics
from mtsig_core.stats.engine import Measured, measure
from mtsig_core.task import Task
from mtsig_core.testset import TestSet

__all__ = ["Findings", "PairFindings", "make_findings"]


@dataclass(frozen=True)
class PairFindings:
    """One language pair."""

    comparison: Comparison
    autorank: PairAutoRank | None  # None where the task has no other metric
    domains: Mapping[str, Mapping[str, float]]  # by domain, the score of each system; empty with fewer than two


@dataclass(frozen=True)
class Findings:
    """The language pairs of a task by one metric, such as human scores, and perhaps further ones beside it."""

    found: TaskComparison
    metric: str  # the one that ranks
    further: tuple[str, ...]
    rule: str  # of AutoRank
    pairs: Mapping[str, PairFindings]


def make_findings(task: Task, metrics: str | Sequence[str] | None = None, *, rule: str = "2025",
                  progress: Callable[[str, float], None] | None = None, **settings: Any) -> Findings:
    """Compare the systems of each language pair, with AutoRank by the task's other metrics, and scores by domain.

    Parameters
    ----------
    metrics : str or sequence of str, optional
        The first ranks the systems, the others stand beside it; by default the first of the task: human scores, where
        there are any.
    rule : str
        That of `autorank`.
    settings
        Those of `compare_task`.

    Examples
    --------
    >>> toy = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> found = make_findings(Task("toy", {"en-de": toy}), "bleu", trials=999)
    >>> found.pairs["en-de"].comparison.metrics["bleu"].systems[0].system, found.pairs["en-de"].autorank
    ('A', None)
    """
    metric, *further = [metrics] if isinstance(metrics, str) else metrics or task_metrics(
        TaskInfo.from_task(task), None)[:1]
    found = compare_task(task, [metric, *further], progress=progress, **settings)
    return Findings(found, metric, tuple(further), rule, {pair: PairFindings(
        comparison, _rank_by_metrics(task, pair, metric, rule), _score_domains(task.testsets[pair], metric))
        for pair, comparison in found.pairs.items() if metric in comparison.metrics})


def _rank_by_metrics(task: Task, pair: str, metric: str, rule: str) -> PairAutoRank | None:
    testset = task.testsets[pair]
    names = [name for name in used_metrics(pair, testset) if name in testset.scores]
    if names in ([], [metric]):
        return None
    try:
        return autorank(Task(task.name, {pair: testset}), names, rule=rule, resamples=2).pairs[pair]
    except SettingError:  # no two systems have all of them
        return None


def _score_domains(testset: TestSet, metric: str) -> dict[str, dict[str, float]]:
    scored = _measure(testset, metric).testset  # without segments, and so domains, that have no score
    names = list(dict.fromkeys(scored.domains or ()))
    parts = {name: _measure(scored.in_domain(name), metric) for name in names if len(names) > 1}
    return {name: {system: float(score) for system, score in zip(part.names, part.scores, strict=True)
                   if np.isfinite(score)} for name, part in parts.items()}


def _measure(testset: TestSet, metric: str) -> Measured:
    part = testset.keep_scorable(metric)
    return measure(part, resolve_metric(part, metric))
