"""How ranks of a shared task were made, and what another rule than ours hides, over all of its language pairs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from mtsig_core.errors import counted
from mtsig_core.inference.few_units import cannot_decide, rank_correction
from mtsig_core.inference.rank_rules import RANK_RULES, RankRule, inside_said
from mtsig_core.inference.ranking import turned_round
from mtsig_core.inference.significance import TESTS
from mtsig_core.report.caveats import keeps_its_level
from mtsig_core.report.cells import Table, number
from mtsig_core.report.phrases import listed
from mtsig_core.results import Comparison, MetricResult
from mtsig_core.results.task import TaskComparison

__all__ = ["Hidden", "first_rows", "first_sentences", "first_title", "hidden_by_rule", "is_ranked", "marked_said",
           "rank_rule", "ranks_record", "ranks_said", "rule_said", "undecided"]

NOBODY = "nobody is ranked"


@dataclass(frozen=True)
class Hidden:
    """What ranks by a rule hide under one metric, added up over the language pairs.

    Attributes
    ----------
    significant : int
        Pairs of systems that are significantly apart.
    significant_inside : int
        Those of them whose systems are in one cluster, with no line between them.
    ranks : int
        Ranks that could be compared with simultaneous rank intervals: one for each system and language pair.
    changed : int
        Those of them that differ.
    apart_not_significant : int or None
        Pairs of systems that the rule ranks apart though they are not significantly so; None in results of versions
        that did not say.
    turned_round : int
        Pairs that are significantly apart and ranked the other way round.
    inside_apart : int or None
        Those of `significant_inside` whose rank ranges lie apart; None in results of versions that did not say.
    """

    significant: int
    significant_inside: int
    ranks: int
    changed: int
    apart_not_significant: int | None = None
    turned_round: int = 0
    inside_apart: int | None = None


def rank_rule(found: TaskComparison) -> RankRule:
    """The rule of the ranks within each language pair; ours where nothing is compared."""
    rules = [comparison.settings.rank_rule for comparison in found.pairs.values()]
    return RANK_RULES[rules[0] if rules else "simultaneous"]


def first_title(rule: RankRule) -> str:
    """What it says of systems that they stand first by a rule, as a title.

    >>> first_title(RANK_RULES["simultaneous"]), first_title(RANK_RULES["wmt25"])
    ('may be the first', 'first, ranked as WMT25')
    """
    return "may be the first" if rule.name == "simultaneous" else f"first, ranked {rule.title}"


def hidden_by_rule(found: TaskComparison, metric: str) -> Hidden | None:
    """What the ranks hide; None of our own rule, which hides nothing."""
    results = [comparison.metrics[metric] for comparison in found.pairs.values() if metric in comparison.metrics]
    ruled = [(result, result.ruled) for result in results if result.ruled is not None]
    if not ruled:
        return None
    held = [(len(result.systems), own.changed) for result, own in ruled if own.changed is not None]
    apart = [own.apart_not_significant for _, own in ruled if own.apart_not_significant is not None]
    inside = [own.inside_apart for _, own in ruled if own.inside_apart is not None]
    return Hidden(sum(pair.significant for result, _ in ruled for pair in result.pairs),
                  sum(own.significant_inside for _, own in ruled),
                  sum(n for n, _ in held), sum(changed for _, changed in held),
                  sum(apart) if len(apart) == len(ruled) else None, sum(turned_round(result) for result, _ in ruled),
                  sum(inside) if len(inside) == len(ruled) else None)


def is_ranked(found: TaskComparison, metric: str | None = None) -> bool:
    """Whether anybody has a rank within some language pair, by a metric or by any."""
    return any(row.rank_low for comparison in found.pairs.values() for name, result in comparison.metrics.items()
               if metric in (None, name) for row in result.systems)


def ranks_said(found: TaskComparison) -> str:
    """What the ranks within the language pairs are, and whether they hold for all systems together, as a part of a
    sentence."""
    rule = rank_rule(found)
    if rule.name != "simultaneous":
        return f"Ranks within each language pair {rule.title}"
    lacking = [pair for pair, comparison in found.pairs.items() if not keeps_its_level(comparison)]
    if len(lacking) == len(found.pairs):
        return "Rank intervals, which need not hold at the level said"
    but = f" but {listed(lacking, shown=False)}, where they need not" if lacking else ""
    return f"Rank intervals hold jointly within each language pair{but}"


def marked_said(found: TaskComparison, how: str, metric: str | None = None) -> str:
    """What it means that the rank of a system is marked, after `how` it is; empty where nobody is ranked by a metric,
    or by any, neither within the language pairs nor across them, where ranks are always ours."""
    across = [macro for name, macro in found.macro.items() if metric in (None, name)]
    if not is_ranked(found, metric) and not any(macro.is_ranked for macro in across):
        return ""
    alike = all(one.settings.correction == rank_correction(one.settings) for one in found.pairs.values())
    rule, ours = rank_rule(found), "may be the first, as no other is significantly better" if alike else \
        "may be the first by its rank interval, which has a correction of its own"
    if rule.name == "simultaneous":
        return f"{how} {ours}"
    return f"{how} {first_title(rule)}" + (f", under all pairs: {ours}" if found.macro else "")


def rule_said(found: TaskComparison, metric: str) -> str | None:
    """What the rule leaves out of account, and what it hides in this task, in sentences; None of our own rule."""
    rule, hidden = rank_rule(found), hidden_by_rule(found, metric)
    if hidden is None:
        return None
    changed = "" if not hidden.ranks else (f" {hidden.changed} of {hidden.ranks} ranks of a system in a language pair "
                                           "differ from its simultaneous rank interval.")
    n = hidden.apart_not_significant
    unsupported = "" if n is None else (f" {number(n, 'd')} {'pair' if n == 1 else 'pairs'} that it ranks apart "
                                        f"{'is' if n == 1 else 'are'} not significant.")
    turned = "" if not hidden.turned_round else (
        f" {counted(hidden.turned_round, 'significant pair')} {'is' if hidden.turned_round == 1 else 'are'} ranked the "
        "other way round, the significantly worse system first.")
    of = " of the mean over domains" * rule.by_domain
    across = f" Ranks across the language pairs are not by this rule: they stay simultaneous rank intervals{of}." \
        if metric in found.macro and found.macro[metric].is_ranked else ""
    return (f"Ranks {rule.title} ({rule.source}) leave out of account: {'; '.join(rule.ignores)}. In this task "
            f"{hidden.significant_inside} of {hidden.significant} significant pairs of systems "
            f"{inside_said(hidden.significant_inside, hidden.inside_apart)}.{unsupported}{turned}{changed}{across}")


def first_rows(found: TaskComparison, metric: str) -> Table:
    """Header and rows: who may be the first in each language pair, best first, and by simultaneous rank intervals where
    the ranks follow another rule.
    """
    have = {pair: comparison.metrics[metric] for pair, comparison in found.pairs.items()
            if metric in comparison.metrics}
    told = {pair: _first(found.pairs[pair], result) for pair, result in have.items()}
    rule = rank_rule(found)
    ruled = [result.ruled for result in have.values() if result.ruled is not None]
    if any(own.apart_not_significant is None for own in ruled) or not ruled:  # of versions that did not say, or ours
        first = first_title(rule if ruled else RANK_RULES["simultaneous"])
        return ["language pair", first], [[pair, said] for pair, said in told.items()]
    return (["language pair", first_title(rule), "may be the first by simultaneous rank intervals"],
            [[pair, told[pair], told[pair] if result.ruled is None else
              ", ".join(result.ruled.first_held) or NOBODY] for pair, result in have.items()])


def first_sentences(firsts: Table) -> dict[str, str]:
    """What `first_rows` says of each language pair, as a sentence.

    >>> first_sentences((["language pair", "may be the first"], [["en-de", "A, B"], ["en-fr", "nobody is ranked"]]))
    {'en-de': 'In en-de may be the first: A, B.', 'en-fr': 'In en-fr nobody is ranked.'}
    """
    (_, *titles), rows = firsts
    ways = [title.partition(" by ")[1:] for title in titles]
    return {pair: f"In {pair} " + "; ".join(
        names + "".join(way) if names.startswith(NOBODY) else f"{title}: {names}"
        for title, way, names in zip(titles, ways, cells, strict=True)) + "." for pair, *cells in rows}


def _first(comparison: Comparison, result: MetricResult) -> str:
    why = undecided(comparison, result)
    return ", ".join(row.system for row in result.systems if row.rank_low == 1) or NOBODY + (f" ({why})" if why else "")


def undecided(comparison: Comparison, result: MetricResult) -> str | None:
    """Why nobody is ranked where nothing can be decided, as a part of a sentence; None where something can be."""
    if len(result.systems) == 1:
        return "there is only one system"
    if TESTS[comparison.settings.test].p_values is None:
        return "this test controls no error over all pairs"
    why = cannot_decide(comparison.settings, result, rank_correction(comparison.settings))
    return None if why is None else why[:1].lower() + why[1:]


def ranks_record(found: TaskComparison) -> dict[str, Any]:
    """The rule and what it hides by each metric, for JSON."""
    rule = rank_rule(found)
    metrics = dict.fromkeys(name for comparison in found.pairs.values() for name in comparison.metrics)
    hidden = {name: hidden_by_rule(found, name) for name in metrics}
    return {"rule": rule.name, "source": rule.source, "ignores": list(rule.ignores),
            "metrics": {name: asdict(own) for name, own in hidden.items() if own is not None}}
