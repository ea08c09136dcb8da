"""Decisions over all test sets and metrics together, for rules that look at all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mtsig_core.results import Comparison, MacroResult, MetricResult, PairResult, TaskComparison
from mtsig_core.stats.significance import holm


@dataclass(frozen=True)
class JointDecision:
    """A pair of systems by one metric, decided together with all others."""

    language_pair: str  # language pair or test set of a task; empty for a test set by itself
    metric: str
    pair: PairResult  # `p_adjusted`, `significant` and `better` are of all pairs together


def map_comparisons(result: Comparison | TaskComparison) -> Mapping[str, Comparison]:
    """The comparisons by language pair or test set; a test set by itself has an empty name."""
    if isinstance(result, Comparison):
        return {"": result}
    return result.pairs


def decide_together(result: Comparison | TaskComparison) -> list[JointDecision]:
    """Decide the pairs of all parts and metrics as one family; with a baseline, the pairs with it.

    A rule such as 'worse nowhere' looks at all of them. Corrected within each part and metric only,
    it fails a system that is as good as the baseline far more often than at alpha. Holm holds under
    any dependence of parts and metrics. Its two-sided p control both directions: 'worse' and
    'better' together err at most at alpha.

    A single part and metric keeps its own correction. Otherwise nothing is significant together
    that is not significant in its own part.

    Returns
    -------
    list of JointDecision
        In the order of parts, metrics and pairs, without pairs that have no p.

    Examples
    --------
    >>> from mtsig_core import TestSet, compare
    >>> good, bad = ["a b c d e"] * 40, ["a b c d"] * 40
    >>> toy = TestSet("toy", {"new": bad, "old": good}, {"ref": good})
    >>> for row in decide_together(compare(toy, ["bleu", "chrf"], trials=999, baseline="old")):
    ...     print(row.metric, row.pair.p_value, row.pair.p_adjusted, row.pair.better)
    bleu 0.001 0.002 b
    chrf 0.001 0.002 b
    """
    comparisons = map_comparisons(result)
    decisions = []
    for language_pair, comparison in comparisons.items():
        decisions += list_decisions(language_pair, comparison.metrics)
    if len({(row.language_pair, row.metric) for row in decisions}) < 2:
        return decisions
    alpha = next(iter(comparisons.values())).settings.alpha
    p_values = np.array([row.pair.p_value for row in decisions], dtype=float)
    adjusted = holm(p_values).tolist()
    return [
        replace(row, pair=_correct(row.pair, p, alpha))
        for row, p in zip(decisions, adjusted, strict=True)
    ]


def list_decisions(
    language_pair: str, results: Mapping[str, MetricResult | MacroResult]
) -> list[JointDecision]:
    """The pairs of results by metric that have a p, each metric decided by itself."""
    decisions = []
    for metric, result in results.items():
        tested: list[Any] = [pair for pair in result.pairs if pair.p_value is not None]
        decisions += [JointDecision(language_pair, metric, pair) for pair in tested]
    return decisions


def _correct(pair: PairResult, p: float, alpha: float) -> PairResult:
    """Correct the p of a pair, which stays at least what it is in its own part."""
    p_adjusted = max(p, pair.p_adjusted or 0.0)
    if p_adjusted > alpha:
        pair = replace(pair, significant=False, better=None)
    return replace(pair, p_adjusted=p_adjusted)
