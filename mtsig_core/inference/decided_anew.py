"""A comparison with other decisions of the same draws: another correction of p, or ranks by another rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.inference.across_corrections import with_adjusted
from mtsig_core.inference.by_rule import by_rule
from mtsig_core.inference.cautions import find_cautions
from mtsig_core.inference.correction import ADJUSTMENTS
from mtsig_core.inference.few_units import about_test, can_reach, told_apart_in, trials_needed
from mtsig_core.inference.resampling import Units, make_units
from mtsig_core.inference.runs import about_runs
from mtsig_core.inference.settings import check_metric, check_rank_rule
from mtsig_core.inference.significance import TESTS
from mtsig_core.metrics import Metric, metrics_for
from mtsig_core.results import Comparison, MetricResult, Settings, TestSetInfo

__all__ = ["corrected_by", "drawn_alike", "ranked", "ranked_by", "serves_corrections"]


def serves_corrections(settings: Settings) -> bool:
    """Whether a comparison has all that `corrected_by` needs: p, a correction that leaves the least of them as it is,
    so that it decides whatever another could, and ranks of ours."""
    return (TESTS[settings.test].p_values is not None and settings.correction in ("none", "romano-wolf")
            and settings.rank_rule == "simultaneous")


def drawn_alike(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Settings, as `compare` takes them, of comparisons that might serve `corrected_by` for these.

    >>> drawn_alike({"correction": "holm", "seed": 3})[0], drawn_alike({"correction": "romano-wolf"})
    ({'correction': 'auto', 'seed': 3}, [])
    """
    if settings.get("correction") not in ADJUSTMENTS or settings.get("rank_rule", "simultaneous") != "simultaneous":
        return []
    return [{**settings, "correction": other} for other in ("auto", "romano-wolf", "none")]


def corrected_by(comparison: Comparison, testset: TestSet, correction: str) -> Comparison:
    """A comparison with its p corrected in another way; no draw is made again.

    Parameters
    ----------
    comparison : Comparison
        One that `serves_corrections`, by metrics that a name alone says.
    testset : TestSet
        That it is of.
    correction : str
        Any but Romano-Wolf, which needs the draws.

    Examples
    --------
    >>> from mtsig_core import compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> corrected_by(compare(ts, trials=999), ts, "holm") == compare(ts, trials=999, correction="holm")
    True
    """
    settings = replace(comparison.settings, correction=correction)
    m = len(testset.under(*comparison.metrics).systems)
    few = trials_needed(settings, m * (m - 1) // 2) is not None  # what each reference alone says needs trials, too
    return _anew(comparison, testset, settings, {
        name: replace(_corrected(result, settings), by_reference=() if few else result.by_reference)
        for name, result in comparison.metrics.items()})


def ranked_by(comparison: Comparison, testset: TestSet, rule: str) -> Comparison:
    """A comparison by simultaneous rank intervals with ranks by another rule; no draw is made again.

    Parameters
    ----------
    comparison : Comparison
        By metrics that a name alone says.
    testset : TestSet
        That it is of.
    rule : str
        As `rank_rule` of `compare`.

    Examples
    --------
    >>> from mtsig_core import compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> ranked_by(compare(ts, trials=999), ts, "overlap") == compare(ts, trials=999, rank_rule="overlap")
    True
    """
    check_rank_rule(rule, testset)
    return _anew(comparison, testset, replace(comparison.settings, rank_rule=rule), comparison.metrics)


def ranked(testset: TestSet, settings: Settings, units: Units, metrics: Sequence[Metric],
           results: Mapping[str, MetricResult]) -> Comparison:
    """What was found, with ranks by the rule that is asked for, and warnings."""
    if settings.rank_rule != "simultaneous":
        results = {metric.name: by_rule(results[metric.name], testset, metric, settings) for metric in metrics}
    warnings = (*about_test(settings, units, results.values()),
                *about_runs(testset, settings, results.values()),
                *find_cautions(testset, settings, units, metrics, results))
    return Comparison(TestSetInfo.of(testset), settings, warnings, results)


def _anew(comparison: Comparison, testset: TestSet, settings: Settings, results: Mapping[str, MetricResult],
          ) -> Comparison:
    metrics = metrics_for(testset, list(comparison.metrics))
    for metric in metrics:
        check_metric(metric, settings.test, settings.ci, settings.rank_rule)
    found = ranked(testset, settings, make_units(testset, settings.unit, settings.block_length), metrics, results)
    return replace(found, excluded=comparison.excluded)


def _corrected(result: MetricResult, settings: Settings) -> MetricResult:
    p = np.array([pair.p_value for pair in result.pairs if pair.p_value is not None])
    result = with_adjusted(result, ADJUSTMENTS[settings.correction](p), settings.alpha)
    decidable = can_reach(replace(settings, trials=result.trials), told_apart_in(result.pairs))
    pairs = tuple(
        pair if can else replace(pair, decidable=False, mdd=None, mdd_low=None, mdd_high=None, mdd_family=None)
        for pair, can in zip(result.pairs, decidable, strict=True))
    before, after = result.signature.rsplit("|correction:", 1)
    return replace(result, pairs=pairs,
                   signature=f"{before}|correction:{settings.correction}|{after.partition('|')[2]}")
