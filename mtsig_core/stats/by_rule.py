"""One metric's result by another rule of ranks than ours, made of what was drawn already: no pair is tested again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mtsig_core.results import MetricResult, RuledRanks, Settings, SystemResult
from mtsig_core.stats.draws import MetricDraws
from mtsig_core.stats.intervals import INTERVALS, Sample
from mtsig_core.stats.one_score import finite
from mtsig_core.stats.ranks import RANK_RULES, Ranks, apart, inside_clusters, ranks_by


def rank_by_rule(result: MetricResult, draws: MetricDraws, settings: Settings) -> MetricResult:
    """The result with the systems scored, listed, counted and ranked by `settings.rank_rule`, and what this hides; its
    pairs stay as they are."""
    rule, systems, order = RANK_RULES[settings.rank_rule], result.systems, np.arange(len(result.systems))
    if rule.by_domain:
        assert draws.over_domains is not None, "settings.check_rank_rule has seen to that"
        systems, order = _score_by(draws.over_domains, result, settings), _best_first(draws.over_domains, draws.sign)
    means = tuple(result.systems[k].score for k in order) if rule.by_domain else None
    if settings.baseline is not None or len(systems) < 2:  # no ranks, but the score of the rule
        return replace(result, systems=tuple(systems[k] for k in order),
                       ruled=RuledRanks((), 0, None, (), 0, 0, means=means) if rule.by_domain else None)
    ends = np.array([(row.ci_low, row.ci_high) for row in systems], dtype=float).T
    order, ranks = ranks_by(rule.name, draws.systems.segments, ends[0], ends[1], result.sign, settings.alpha,
                            draws.domains)
    ranked = tuple(replace(systems[k], rank_low=int(ranks.low[k]), rank_high=int(ranks.high[k]),
                           cluster=int(ranks.cluster[k])) for k in order)
    return replace(result, systems=ranked, ruled=_ruled(result, order, ranks, rule.by_domain))


def _ruled(result: MetricResult, order: np.ndarray, ranks: Ranks, by_domain: bool) -> RuledRanks:
    """What ranks by a rule hide of a result that has our own."""
    systems = result.systems
    place = {row.system: k for k, row in enumerate(systems)}
    pairs = np.array([(place[pair.a], place[pair.b]) for pair in result.pairs], dtype=int).reshape(-1, 2)
    significant = np.array([pair.significant for pair in result.pairs], dtype=bool)
    inside = inside_clusters(ranks, pairs, significant)
    changed = None if systems[0].rank_low is None else sum(
        (row.rank_low, row.rank_high) != both for row, both in zip(systems, zip(ranks.low, ranks.high, strict=True),
                                                                   strict=True))
    return RuledRanks(
        tuple(ranks.cluster[order].tolist()), int(inside.sum()), changed,
        tuple(row.system for row in systems if row.rank_low == 1), apart(ranks, pairs, ~significant),
        apart(ranks, pairs, inside), tuple(ranks.wins[order].tolist()), tuple(ranks.losses[order].tolist()),
        tuple(systems[k].score for k in order) if by_domain else None)


def _best_first(sample: Sample, sign: int) -> np.ndarray:
    return np.argsort(-sign * sample.observed, kind="stable")


def _score_by(sample: Sample, result: MetricResult, settings: Settings) -> tuple[SystemResult, ...]:
    """The systems of a result with the scores of a sample, and their intervals.

    What Student's t is for a mean of segments, the jackknife's is for a mean of means.
    """
    kind = result.ci or settings.ci
    low, high = INTERVALS["jackknife-t" if kind == "t" else kind](sample, settings.alpha)
    ends = [finite(*both) or (None, None) for both in zip(low, high, strict=True)]
    return tuple(replace(row, score=float(score), ci_low=one, ci_high=other)
                 for row, score, (one, other) in zip(result.systems, sample.observed, ends, strict=True))


