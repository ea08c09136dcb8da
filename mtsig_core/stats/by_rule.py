"""One metric's result by another rule of ranks than ours, made of what was found already: no pair is tested again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mtsig_core.metrics import Metric, mean_over_domains
from mtsig_core.results import MetricResult, RuledRanks, Settings, SystemResult
from mtsig_core.stats.intervals import INTERVALS
from mtsig_core.stats.measured import Measured, measure
from mtsig_core.stats.one_score import finite
from mtsig_core.stats.pairwise import draw
from mtsig_core.stats.ranks import RANK_RULES, apart, inside_clusters, ranks_by
from mtsig_core.testset import TestSet


def by_rule(result: MetricResult, testset: TestSet, metric: Metric, settings: Settings) -> MetricResult:
    """The result with the systems scored, listed, counted and ranked by `settings.rank_rule`, and what this hides.

    Parameters
    ----------
    result : MetricResult
        With simultaneous rank intervals, or with none; without `by_reference` it comes back, for what each reference
        alone says is ranked by our rule. Its pairs stay as they are.
    testset : TestSet
        That it is of; looked at where the rule is made of segment scores.
    metric : Metric
    settings : Settings
        As it was compared with, but for the rule.
    """
    rule, (before, after) = RANK_RULES[settings.rank_rule], result.signature.rsplit("|alpha:", 1)
    result = replace(result, signature=f"{before}|ranks:{rule.name}|alpha:{after}", by_reference=())
    systems, order, scores, domains = result.systems, np.arange(len(result.systems)), None, None
    if rule.of_segments:
        seen = measure(testset.under(metric.name), metric).only(row.system for row in systems)
        scores, domains = seen.segment_scores, seen.testset.domains
        if rule.by_domain:
            seen = over_domains(seen)
            systems, order = _scored(result, seen, settings), seen.order
    if settings.baseline is not None or len(systems) < 2:  # no ranks, but the score of the rule
        means = tuple(result.systems[k].score for k in order)
        return replace(result, systems=tuple(systems[k] for k in order),
                       ruled=RuledRanks((), 0, None, (), 0, 0, means=means) if rule.by_domain else None)
    ends = np.array([(row.ci_low, row.ci_high) for row in systems], dtype=float).T
    order, ranks = ranks_by(rule.name, scores, ends[0], ends[1], result.sign, settings.alpha, domains)
    place = {row.system: k for k, row in enumerate(systems)}
    pairs = np.array([(place[pair.a], place[pair.b]) for pair in result.pairs], dtype=int).reshape(-1, 2)
    significant = np.array([pair.significant for pair in result.pairs], dtype=bool)
    inside = inside_clusters(ranks, pairs, significant)
    changed = None if systems[0].rank_low is None else sum(
        (row.rank_low, row.rank_high) != both for row, both in zip(systems, zip(ranks.low, ranks.high, strict=True),
                                                                   strict=True))
    return replace(
        result, systems=tuple(replace(systems[k], rank_low=int(ranks.low[k]), rank_high=int(ranks.high[k]),
                                      cluster=int(ranks.cluster[k])) for k in order),
        ruled=RuledRanks(
            tuple(ranks.cluster[order].tolist()), int(inside.sum()), changed,
            tuple(row.system for row in systems if row.rank_low == 1), apart(ranks, pairs, ~significant),
            apart(ranks, pairs, inside), tuple(ranks.wins[order].tolist()), tuple(ranks.losses[order].tolist()),
            tuple(result.systems[k].score for k in order) if rule.by_domain else None))


def over_domains(seen: Measured) -> Measured:
    """The same systems and segments, scored by the mean over domains of the mean in each."""
    return measure(seen.testset, mean_over_domains(seen.metric))


def _scored(result: MetricResult, seen: Measured, settings: Settings) -> tuple[SystemResult, ...]:
    """The systems of a result with their scores as they are measured here, and the intervals of these.

    What Student's t is for a mean of segments, the jackknife's is for a mean of means.
    """
    drawn = draw(seen.metric, seen.stored, seen.units(settings.unit, settings.block_length),
                 replace(settings, test="ar"), 1, None)
    kind = result.ci or settings.ci
    low, high = INTERVALS["jackknife-t" if kind == "t" else kind](drawn.sample, settings.alpha)
    ends = [finite(*both) or (None, None) for both in zip(low, high, strict=True)]
    return tuple(replace(row, score=float(score), ci_low=one, ci_high=other)
                 for row, score, (one, other) in zip(result.systems, seen.scores, ends, strict=True))


