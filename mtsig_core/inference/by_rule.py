"""One metric's result with ranks by another rule than ours, made of what was found already: nothing is drawn again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.inference.measured import measure
from mtsig_core.inference.rank_rules import RANK_RULES, apart, inside_clusters, inside_said, ranks_by
from mtsig_core.inference.ranking import turned_round
from mtsig_core.inference.text_cautions import plural
from mtsig_core.metrics import Metric
from mtsig_core.results import Caution, MetricResult, RuledRanks, Settings

__all__ = ["about_rule", "by_rule"]


def by_rule(result: MetricResult, testset: TestSet, metric: Metric, settings: Settings) -> MetricResult:
    """The result with ranks by `settings.rank_rule`, and what these hide.

    Parameters
    ----------
    result : MetricResult
        With simultaneous rank intervals, or with none; without `by_reference` it comes back, for what each reference
        alone says is ranked by our rule.
    testset : TestSet
        That it is of; looked at where the rule is made of segment scores.
    metric : Metric
    settings : Settings
        As it was compared with, but for the rule.
    """
    rule, (before, after) = settings.rank_rule, result.signature.rsplit("|alpha:", 1)
    result = replace(result, signature=f"{before}|ranks:{rule}|alpha:{after}", by_reference=())
    if settings.baseline is not None or len(result.systems) < 2:
        return result
    place = {row.system: k for k, row in enumerate(result.systems)}
    ends = np.array([(row.ci_low, row.ci_high) for row in result.systems], dtype=float).T
    pairs = np.array([(place[pair.a], place[pair.b]) for pair in result.pairs], dtype=int).reshape(-1, 2)
    significant = np.array([pair.significant for pair in result.pairs], dtype=bool)
    scores, domains = None, None
    if RANK_RULES[rule].of_segments:
        seen = measure(testset.under(metric.name), metric).best_first()
        scores, domains = seen.segment_scores, seen.testset.domains
    ruled = ranks_by(rule, scores, ends[0], ends[1], result.sign, settings.alpha, domains)
    systems = tuple(replace(row, rank_low=int(low), rank_high=int(high))
                    for row, low, high in zip(result.systems, ruled.low, ruled.high, strict=True))
    inside = inside_clusters(ruled, pairs, significant)
    changed = None if result.systems[0].rank_low is None else sum(
        a != b for a, b in zip(result.systems, systems, strict=True))
    return replace(result, systems=systems, ruled=RuledRanks(
        tuple(ruled.cluster.tolist()), int(inside.sum()), changed,
        tuple(row.system for row in result.systems if row.rank_low == 1), apart(ruled, pairs, ~significant),
        apart(ruled, pairs, inside)))


def about_rule(settings: Settings, result: MetricResult, ruled: RuledRanks) -> Caution:
    """What ranks by another rule than ours leave out of account, and what they hide here."""
    rule, inside = RANK_RULES[settings.rank_rule], ruled.significant_inside
    changed = "" if ruled.changed is None else (f"; {ruled.changed} of {len(result.systems)} rank ranges differ from "
                                                "simultaneous rank intervals")
    turned = turned_round(result)
    against = "" if not turned else (f", and {turned} {'is' if turned == 1 else 'are'} ranked the other way round, the "
                                     "significantly worse system first")
    here = f"Here {inside} significant {plural(inside, 'pair')} {inside_said(inside, ruled.inside_apart)}" \
           f"{against}{changed}."
    if not (inside or turned or ruled.changed):
        here = "Here it hides no significant pair" + (
            "." if ruled.changed is None else ", and all rank ranges are the simultaneous rank intervals.")
    return Caution.of("rank-rule", f"Ranks {rule.title} ({rule.source}): {'; '.join(rule.ignores)}.", result.metric,
                      here=here,
                      remedies=({"rank_rule": "simultaneous"},))
