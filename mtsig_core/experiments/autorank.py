"""AutoRank: one order of the systems from several metrics, by which WMT chose whom people rate, with its uncertainty.

Sources: Kocmi et al. 2024, preliminary WMT24 ranking (rule "2024"); Kocmi et al. 2025, preliminary ranking of WMT25
(rule "2025").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.errors import SettingError, explain_unknown
from mtsig_core.metrics import resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.results import SamplingSettings
from mtsig_core.stats.engine import UnitStatistics, bootstrap_scores
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import resolve_sampling
from mtsig_core.task import Task
from mtsig_core.testset import TestSet, pick_human_scores

__all__ = ["AutoRank", "AutoRanked", "PairAutoRank", "autorank"]

RULES = ("2025", "2024")
#: WMT25 took all five metrics in language pairs with a reference. CometKiwi-XL was left out elsewhere, where the other
#: metrics had no reference either. Source: the task's own script for AutoRank.
_FIVE = {"CometKiwi-XL", "GEMBA-ESA-CMDA", "GEMBA-ESA-GPT4.1", "MetricX-24-Hybrid-XL", "XCOMET-XL"}
_WITH_REFERENCE_IN_2025 = {"cs-de_DE", "cs-uk_UA", "en-ar_EG", "en-cs_CZ", "en-et_EE", "en-is_IS", "en-ja_JP",
                           "en-ko_KR", "en-ru_RU", "en-sr_Cyrl_RS", "en-uk_UA", "en-zh_CN", "ja-zh_CN"}
_CHRF_ALONE = {"en-bho_IN", "en-mas_KE"}


@dataclass(frozen=True)
class AutoRanked:
    """A system, with its bootstrap interval and the places that it takes in the resamples."""

    system: str
    autorank: float  # 1 is the best, as many as there are systems the worst
    low: float
    high: float
    rank_low: int
    rank_high: int
    places: Mapping[str, int]  # its place by each metric alone


@dataclass(frozen=True)
class PairAutoRank:
    """One language pair: its metrics, and the systems, the best first."""

    metrics: tuple[str, ...]
    systems: tuple[AutoRanked, ...]
    without: tuple[str, ...]  # systems that lack the scores of a metric
    sampling: SamplingSettings
    as_published: bool = False  # whether the metrics are those that WMT25 is known to have used


@dataclass(frozen=True)
class AutoRank:
    """AutoRank of the language pairs of a task."""

    task: str
    rule: str
    pairs: Mapping[str, PairAutoRank]


def autorank(task: Task, metrics: Sequence[str] | None = None, *, rule: str = "2025", unit: str = "auto",
             resamples: int = 2000, alpha: float = 0.05, seed: int = 0, jobs: int = 1,
             progress: Callable[[str, float], None] | None = None) -> AutoRank:
    """Order the systems of each language pair by several metrics at once.

    By the rule of 2025 the score x of each metric becomes (x - median) / (maximum - 25th percentile), over the systems;
    the mean over metrics is mapped linearly to 1 (best) to the number of systems (worst). By the rule of 2024 each
    metric is mapped first, to 1 up to one more than the number of systems, and then averaged. So WMT24's published
    values are; its paper says up to the number of systems.

    Units (documents) are drawn within the language pair, the same for all metrics and systems.

    Parameters
    ----------
    metrics : sequence of str, optional
        By default those that the task used, where that is known (WMT25); else all scores of the task but those of
        people, or BLEU and chrF where it has none.
    rule : str
        One of `RULES`.

    Raises
    ------
    SettingError
        If the rule or a metric is unknown, or fewer than two systems have all metrics.

    Examples
    --------
    >>> from mtsig_core import SegmentScores
    >>> scores = {name: SegmentScores({"A": [.9, .8], "B": [.7, .7], "C": [.1, .5]}) for name in ("x", "y")}
    >>> toy = TestSet("toy", {name: [None, None] for name in "ABC"}, {}, scores=scores)
    >>> [(one.system, round(one.autorank, 2)) for one in autorank(Task("toy", {"en-de": toy})).pairs["en-de"].systems]
    [('A', 1.0), ('B', 1.55), ('C', 3.0)]
    """
    if rule not in RULES:
        raise explain_unknown("rule", rule, RULES)
    pairs = {}
    for k, (pair, testset) in enumerate(task.testsets.items()):
        names = tuple(metrics or used_metrics(pair, testset))
        if not metrics and not testset.has_texts and not {*names} <= testset.scores.keys():
            raise SettingError(f"{testset.name} has only human scores, and AutoRank needs automatic metrics. Add the "
                               "texts, or a table with scores of metrics.")
        sampling, units = resolve_sampling(testset, unit=unit, block_length=None, alpha=alpha, resamples=resamples,
                                           seed=seed)
        pairs[pair] = replace(_rank_pair(testset, names, rule, sampling, units, jobs), as_published=(
            not metrics and rule == "2025" and _FIVE <= {*testset.scores}))
        if progress is not None:
            progress(pair, (k + 1) / len(task.testsets))
    return AutoRank(task.name, rule, pairs)


def used_metrics(pair: str, testset: TestSet) -> list[str]:
    """The metrics by which the task ranked a language pair, as far as that is known; else all that it has."""
    people = pick_human_scores(testset.scores)
    names = [name for name in testset.scores if name not in people]
    if "chrF++" in names and pair in _CHRF_ALONE:
        return ["chrF++"]
    if _FIVE <= {*names}:
        return [name for name in names if name in _FIVE and (name != "CometKiwi-XL" or pair in _WITH_REFERENCE_IN_2025)]
    return names or ["bleu", "chrf"]


def _rank_pair(testset: TestSet, names: Sequence[str], rule: str, sampling: SamplingSettings, units: Units, jobs: int
               ) -> PairAutoRank:
    scores = []
    for name in names:
        metric = resolve_metric(testset, name)
        data = UnitStatistics(metric, cached_statistics(metric, testset), units)
        drawn = bootstrap_scores(data, sampling.resamples, sampling.seed, jobs=jobs)
        scores.append((1 if metric.higher_is_better else -1) * np.column_stack([data.scores, drawn]))
    values = np.array(scores)  # (metrics, systems, 1 + resamples)
    has_all = ~np.isnan(values[:, :, 0]).any(axis=0)
    systems = [name for name, there in zip(testset.systems, has_all, strict=True) if there]
    if len(systems) < 2:
        raise SettingError(f"{testset.name}: fewer than two systems have scores of {', '.join(names)}. Choose other "
                           "metrics.", {"metrics": "NAME,..."})
    values = values[:, has_all]
    ranked = combine(values, rule)
    places = 1 + np.argsort(np.argsort(ranked, axis=0, kind="stable"), axis=0, kind="stable")
    alone = 1 + np.argsort(np.argsort(-values[:, :, 0], axis=1, kind="stable"), axis=1, kind="stable")
    tail = 100 * sampling.alpha / 2
    low, high = np.percentile(ranked[:, 1:], [tail, 100 - tail], axis=1)
    first = np.percentile(places[:, 1:], tail, axis=1, method="inverted_cdf")
    last = np.percentile(places[:, 1:], 100 - tail, axis=1, method="inverted_cdf")
    rows = [AutoRanked(system, float(ranked[k, 0]), float(low[k]), float(high[k]),
                       int(min(first[k], places[k, 0])), int(max(last[k], places[k, 0])),
                       {name: int(own[k]) for name, own in zip(names, alone, strict=True)})
            for k, system in enumerate(systems)]
    without = tuple(name for name, there in zip(testset.systems, has_all, strict=True) if not there)
    return PairAutoRank(tuple(names), tuple(sorted(rows, key=lambda one: one.autorank)), without, sampling)


def combine(values: np.ndarray, rule: str) -> np.ndarray:
    """AutoRank, shape (systems, samples), from scores of which higher is better, shape (metrics, systems, samples)."""
    if rule == "2024":
        return np.asarray(_to_ranks(values, axis=1, worst=values.shape[1] + 1).mean(axis=0))
    middle = np.median(values, axis=1, keepdims=True)
    spread = values.max(axis=1, keepdims=True) - np.percentile(values, 25, axis=1, keepdims=True)
    scaled = np.divide(values - middle, spread, out=np.zeros_like(values), where=spread > 0)
    return _to_ranks(scaled.mean(axis=0), axis=0, worst=len(values[0]))


def _to_ranks(values: np.ndarray, axis: int, worst: int) -> np.ndarray:
    """Values mapped linearly: the highest to 1, the lowest to `worst`; all to 1 where they are equal."""
    best = values.max(axis=axis, keepdims=True)
    span = best - values.min(axis=axis, keepdims=True)
    share = np.divide(best - values, span, out=np.zeros_like(values), where=span > 0)
    return np.asarray(1 + share * (worst - 1))
