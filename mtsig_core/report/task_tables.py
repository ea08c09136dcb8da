"""A shared task as tables: systems by language pairs, systems across them, ranks, and metrics that disagree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mtsig_core.errors import counted
from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import Cell, Table, number, rank_interval, signed, written_like
from mtsig_core.report.palette import shortened
from mtsig_core.report.sentences import (
    ACROSS,
    CORRECTION_NAMES,
    TEST_NAMES,
    computed_said,
    intervals_name,
    level,
    listed,
    metric_name,
    runs_sentences,
    trials_clause,
    units_name,
)
from mtsig_core.report.tables import cluster_ends, how_tested
from mtsig_core.report.terminal import table_lines
from mtsig_core.report.text import printable
from mtsig_core.report.words import (
    assumptions,
    caveats,
    direction,
    keeps_its_level,
    qualifying,
    segments_compared,
    what_is_scored,
    wrong_files,
)
from mtsig_core.results import Comparison, MacroPair, MacroResult, MacroSystem, MetricResult, TaskComparison, TaskInfo
from mtsig_core.stats.across import (
    AGREE,
    FEW,
    KINDS,
    MACRO_TESTS,
    NOT_ALIKE,
    UNDECIDED,
    Disputed,
    PairAcross,
    disputed_in,
)
from mtsig_core.stats.arrays import holds_zero
from mtsig_core.stats.cautions import BESIDE_VERDICT, disagreement, named, otherwise_first
from mtsig_core.stats.few_units import FEW_FOR_BOOTSTRAP, FEW_UNITS, cannot_decide, rank_correction, units_said
from mtsig_core.stats.ranks import RANK_RULES, RankRule, headline, inside_said, is_ahead, turned_round
from mtsig_core.stats.significance import TESTS
from mtsig_core.task import SystemInfo

#-----------------------------------------------------------------------------------------------------------------------
# What a reader of the numbers across the language pairs of a task has to know beside them, in sentences.


_FEW_PAIRS_NAMED = 6  # language pairs that a sentence names


def across_columns(found: TaskComparison, metric: str) -> str:
    """What stands in the columns across the language pairs, in sentences; empty where there are none."""
    macro = found.macro.get(metric)
    rank = "Under all pairs: its rank by the mean score over the language pairs. "
    by_rule = ", by the rule of the ranks" * any(
        one.metrics[metric].ruled is not None for one in found.pairs.values() if metric in one.metrics)
    return "" if macro is None else \
        f"{rank * macro.is_ranked}Wins, ties and losses are decisions within language pairs{by_rule}, added up."


def not_averaged(found: TaskComparison, metric: str) -> str:
    """Why there is nothing across several language pairs, in a sentence; empty where there is something."""
    macro = found.macro.get(metric)
    if macro is None or macro.pairs:
        return ""
    tests = {comparison.settings.test for comparison in found.pairs.values()}
    scored = any(row.score is not None for row in macro.systems)
    why = "this test gives no draws that could be averaged" if not tests.issubset(MACRO_TESTS) else \
        f"no two systems have {'segments in common in ' * scored}all of them"
    lacks = "is ranked" if scored else "has a mean score or a rank"
    return f"Differences were not averaged over the language pairs, so nobody {lacks} across them: {why}."


def across_gaps(found: TaskComparison, metric: str) -> list[str]:
    """What there is not across the language pairs, and why: decisions and ranks where too little could be decided,
    intervals where a language pair has a single unit; and where few units make them too narrow."""
    if why := not_averaged(found, metric):
        return [why]
    macro = found.macro.get(metric)
    if macro is None:
        return []
    n = len(macro.pairs)
    shut, said = sum(not pair.decidable for pair in macro.pairs), []
    if shut:
        which = "the only pair of systems" if n == 1 else \
            f"{f'all {n:,}' if shut == n else f'{shut:,} of {n:,}'} pairs of systems"
        nobody = ", and nobody is ranked" * (not macro.is_ranked)
        said.append(f"Across the language pairs {which} {FEW}{nobody}.")
    least = _least_units(found, macro)
    one = {pair: own for pair, own in least.items() if own[0] < 2}
    few = {pair: own for pair, own in least.items() if own[0] >= 2 and own[1] < FEW_UNITS}
    if one:
        said.append("Across the language pairs there is no interval of systems that have one unit in a language pair, "
                    f"as from one there is none: {_sized(found, one)}.")
    if few and any(pair.ci_low is not None for pair in macro.pairs):
        narrow = "" if macro.ci == "jackknife-t" else ", and rather too narrow,"
        said.append(f"Intervals across the language pairs are rough{narrow} where one of these has "
                    f"fewer than {FEW_UNITS} units, or such as are worth fewer: {_sized(found, few)}.")
    return said


def decision_notes(found: TaskComparison, metric: str) -> list[str]:
    """Which to go by where decisions across the language pairs and the intervals beside them differ; empty where none
    do."""
    macro, settings = found.macro.get(metric), next((one.settings for one in found.pairs.values()), None)
    if macro is None or settings is None:
        return []
    told = []
    for decided, words, zero in ((False, "not separated", "without"), (True, "significantly apart", "with")):
        n = sum(pair.decidable and (pair.better is not None) is decided and pair.ci_low is not None
                and pair.ci_high is not None and holds_zero(pair.ci_low, pair.ci_high) is decided
                for pair in macro.pairs)
        if n:
            told.append(f"{n:,} {'is' if n == 1 else 'are'} {words} and {'has' if n == 1 else 'have'} an interval "
                        f"{zero} 0 in it")
    if not told:
        return []
    corrected = settings.correction != "none" and len(macro.pairs) > 1
    why = f"An interval is for its pair alone and by another method{', a decision for all pairs' * corrected}"
    # a bootstrap of so few rejects too often to be gone by
    shaky = TESTS[settings.test].draws == "bootstrap" and any(
        worth < FEW_FOR_BOOTSTRAP for _, worth in _least_units(found, macro).values())
    by = "" if shaky else ": go by the decision"
    return [f"Of {counted(len(macro.pairs), 'pair')} of systems {', and '.join(told)}. {why}{by}."]


def _least_units(found: TaskComparison, macro: MacroResult) -> dict[str, tuple[int, float]]:
    """By language pair the units of the pair of systems across them that has fewest, and how many of equal size its
    units are worth.

    Not those of all language pairs together: drawn from n units a mean varies sqrt((n - 1) / n) times as much as it
    should, which further language pairs as small do not mend. Ten of two units each have intervals as much too narrow
    as one.
    """
    names = {name for pair in macro.pairs for name in (pair.a, pair.b)}
    units = {pair: [(row.n_units, row.n_effective or row.n_units) for row in comparison.metrics[macro.metric].pairs
                    if row.n_units and {row.a, row.b} <= names]
             for pair, comparison in found.pairs.items() if macro.metric in comparison.metrics}
    return {pair: min(own, key=lambda one: one[1]) for pair, own in units.items() if own}


def _sized(found: TaskComparison, units: dict[str, tuple[int, float]]) -> str:
    """Such as "4 documents in en-de and 87 documents worth 20 of equal size in en-cs", those with fewest first."""
    told = [f"{units_said(found.pairs[pair].settings, n)}"
            + (f" worth {worth:.0f} of equal size" if round(worth) < n else "") + f" in {pair}"
            for pair, (n, worth) in sorted(units.items(), key=lambda one: one[1][1])]
    more = len(told) - _FEW_PAIRS_NAMED
    return listed([*told[:_FEW_PAIRS_NAMED], *([f"so few in {more} more"] if more > 0 else [])], shown=False)


#-----------------------------------------------------------------------------------------------------------------------
# How ranks of a shared task were made, and what another rule than ours hides, over all of its language pairs.


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


#-----------------------------------------------------------------------------------------------------------------------
# Where the metrics of a shared task do not agree: counts, the pairs of systems, text, JSON and CSV.


DISPUTES_NOTE = ("Opposite: each of two metrics decides, in another direction. Some decide: significant by one, not by "
                 "another. Only NAME: that metric alone decides. Of pairs of systems that all metrics have tested. To "
                 "try several metrics and keep one is to test more than once: choose the one that counts beforehand, "
                 "or report all.")
_SHOWN = 20  # contradictions in the text
_PRINTED = 200  # pairs of systems in a report


def disputes_verdict(found: Sequence[Disputed]) -> str:
    """How often the metrics agree in all language pairs together, in a sentence without its full stop."""
    within = [one for one in found if one.language_pair is not None]
    metrics = list(dict.fromkeys(metric_title(name) for one in within for name in one.metrics))
    opposite, some, alike, lost = (sum(one.count(kind) for one in within) for kind in KINDS)
    decide = "one decides" if max((len(one.metrics) for one in within), default=0) == 2 else "some decide"
    where = counted(len(within), "language pair")
    if lost and lost == sum(len(one.pairs) for one in within):
        return f"{', '.join(metrics)}: all {lost:,} pairs of systems in {where} {FEW}"
    return (f"{', '.join(metrics)}: opposite on {opposite} of {opposite + some + alike} pairs of systems in "
            f"{where}, and only {decide} on {some}" + (f"; {lost:,} more {FEW}" if lost else ""))


def dispute_counts(found: Sequence[Disputed]) -> Table:
    """A row for each language pair, one for their sum, and one for the decisions on mean differences across them."""
    metrics = list(dict.fromkeys(name for one in found for name in one.metrics))
    kinds_shown = [*reversed(KINDS[:-1]), *([UNDECIDED] if any(one.count(UNDECIDED) for one in found) else [])]
    header = ["language pair", "pairs of systems", *("alike" if kind == AGREE else kind for kind in kinds_shown),
              *(f"only {metric_title(name)}" for name in metrics)]

    def row(title: str, parts: Sequence[Disputed]) -> list[str]:
        kinds = [sum(one.count(kind) for one in parts) for kind in kinds_shown]
        alone = [[one.alone(name) for one in parts if name in one.metrics] for name in metrics]
        return [title, *(number(n, ",d") for n in (sum(len(one.pairs) for one in parts), *kinds)),
                *(number(sum(own), ",d") if own else "-" for own in alone)]

    within = [one for one in found if one.language_pair is not None]
    rows = [row(str(one.language_pair), [one]) for one in within]
    rows += [row("sum of the language pairs", within)] if len(within) > 1 else []
    return header, rows + [row(f"{ACROSS}, by mean difference", [one]) for one in found if one.language_pair is None]


def kinds_rows(found: Sequence[Disputed]) -> Table:
    """The same without a column for each metric, for a page."""
    header, rows = dispute_counts(found)
    n = next((k for k, title in enumerate(header) if title.startswith("only ")), len(header))
    return header[:n], [row[:n] for row in rows]


def disputes_alone(found: Sequence[Disputed]) -> str:
    """How many pairs of systems within language pairs each metric decides alone, in a sentence."""
    counts: dict[str, int] = {}
    for one in found:
        for name in one.metrics if one.language_pair is not None else ():
            counts[name] = counts.get(name, 0) + one.alone(name)
    return f"Decided by one metric alone: {', '.join(f'{metric_title(name)} {n:,}' for name, n in counts.items())}."


def shown_disputes(found: Sequence[Disputed]) -> tuple[list[tuple[Disputed, PairAcross]], str]:
    """The first pairs of systems on which metrics disagree, as many as fit a report; what is said of the others."""
    every = _disputed(found)
    n = len(every)
    return every[:_PRINTED], f" The first {_PRINTED} of {n:,} are shown; CSV and JSON have all." if n > _PRINTED else ""


def who_decides_rows(found: Sequence[tuple[Disputed, PairAcross]]) -> Table:
    """A row a pair of systems, with the metrics by which each is significantly better, and those that decide neither
    way."""
    def by(one: Disputed, pair: PairAcross, decision: int) -> str:
        return ", ".join(metric_title(name) for name, own in zip(one.metrics, pair.decisions, strict=True)
                         if own == decision) or "-"

    return ["language pair", "a", "b", "a better by", "b better by", "neither by"], [
        [one.language_pair or ACROSS, pair.a, pair.b, *(by(one, pair, decision) for decision in (1, -1, 0))]
        for one, pair in found]


def dispute_rows(found: Sequence[Disputed]) -> Table:
    """The pairs of systems on which the metrics do not agree, contradictions first; ``●`` where a metric decides."""
    metrics = list(dict.fromkeys(name for one in found for name in one.metrics))
    rows, forms = [], _forms(found)
    for one, pair in _disputed(found):
        cells = {metric: Cell(f"{signed(value, forms[metric])}{' ●' * (decision != 0)}", value)
                 for metric, value, decision in zip(one.metrics, pair.improvements, pair.decisions, strict=True)}
        rows.append([one.language_pair or ACROSS, pair.a, pair.b, pair.kind,
                     *(cells.get(name, "-") for name in metrics)])
    return ["language pair", "a", "b", "together", *(metric_title(name) for name in metrics)], rows


def disputes_text(found: Sequence[Disputed]) -> list[str]:
    """Lines for a terminal: the counts, and the contradictions."""
    if not found:
        return []
    header, rows = dispute_counts(found)
    lines = ["", f"Where metrics disagree. {printable(disputes_verdict(found))}.",
             *table_lines(header, rows, "<" + ">" * (len(header) - 1)), DISPUTES_NOTE]
    header, rows = dispute_rows(found)
    opposite = [row for row in rows if row[3] == KINDS[0]]
    if opposite:
        more = f"; the first {_SHOWN} of {len(opposite)}" * (len(opposite) > _SHOWN)
        lines += ["", f"Opposite decisions{more}; ● significant, positive where a is better:",
                  *table_lines(header, opposite[:_SHOWN], "<<<<" + ">" * (len(header) - 4))]
    return lines


def disputes_json(task: TaskComparison) -> list[dict[str, Any]]:
    """For each language pair (None: the mean differences) the counts, and the pairs on which metrics do not agree."""
    return [{"language_pair": one.language_pair, "metrics": list(one.metrics), "n_pairs": len(one.pairs),
             **{kind.replace(" ", "_"): one.count(kind) for kind in KINDS},
             "only": {name: one.alone(name) for name in one.metrics},
             "pairs": [{"a": pair.a, "b": pair.b, "together": pair.kind,
                        "improvements": dict(zip(one.metrics, pair.improvements, strict=True)),
                        "decisions": dict(zip(one.metrics, pair.decisions, strict=True))}
                       for of, pair in _disputed([one])]} for one in disputed_in(task)]


def disputes_records(found: Sequence[Disputed]) -> list[dict[str, object]]:
    """A record for each metric of each pair of systems on which metrics do not agree."""
    return [{"language_pair": one.language_pair or "", "metric": metric, "a": pair.a, "b": pair.b,
             "together": pair.kind, "improvement": improvement, "decision": decision}
            for one, pair in _disputed(found)
            for metric, improvement, decision in zip(one.metrics, pair.improvements, pair.decisions, strict=True)]


def _disputed(found: Sequence[Disputed]) -> list[tuple[Disputed, PairAcross]]:
    return [(one, pair) for kind in NOT_ALIKE for one in found for pair in one.pairs if pair.kind == kind]


def _forms(found: Sequence[Disputed]) -> dict[str, str]:
    """How the improvements of each metric are written, as their size asks: alike in all language pairs."""
    values: dict[str, list[float]] = {}
    for one in found:
        for pair in one.pairs:
            for metric, value in zip(one.metrics, pair.improvements, strict=True):
                values.setdefault(metric, []).append(value)
    return {metric: written_like(own) for metric, own in values.items()}


#-----------------------------------------------------------------------------------------------------------------------
# A shared task as tables: systems by language pairs, and the systems across them.


_FEW_PAIRS_TOLD = 6  # language pairs that a sentence names
_LONGEST = 40  # letters of a name in a sentence with many
MISSING = "-"
#: What it stands for.
MISSING_SAID = "no score, or no rank"


def order_of(found: TaskComparison, metric: str) -> list[str]:
    """The systems by one metric: as the macro result has them, or else as they come in one language pair after another.
    """
    if metric in found.macro:
        return [row.system for row in found.macro[metric].systems]
    results = [comparison.metrics[metric] for comparison in found.pairs.values() if metric in comparison.metrics]
    return list(dict.fromkeys(row.system for result in results for row in result.systems))


def picture_rows(found: TaskComparison, metric: str) -> tuple[list[str], list[list[str]], set[tuple[int, int]]]:
    """Header, rows, and the cells (row, column) of who may be the first: each system's rank interval in each language
    pair, a dash where it has no score, or no rank; in how many pairs it has one; across them its rank interval, mean
    score, wins, ties and losses.
    """
    have = {pair: comparison.metrics[metric] for pair, comparison in found.pairs.items()
            if metric in comparison.metrics}
    in_pairs = {pair: {row.system: row for row in result.systems} for pair, result in have.items()}
    macro = found.macro.get(metric)
    rows_of = {row.system: row for row in macro.systems} if macro is not None else {}
    judged = {name for result in have.values() for pair in result.tested
              if pair.decidable or result.ruled is not None for name in (pair.a, pair.b)}
    header = ["system", *have, "pairs"] + (["all pairs", "mean score", "wins", "ties", "losses"] if macro else [])
    form = written_like(row.score for result in have.values() for row in result.systems)
    rows: list[list[str]] = []
    marks: set[tuple[int, int]] = set()
    for name in order_of(found, metric):
        own = [systems.get(name) for systems in in_pairs.values()]
        ends = [(None, None) if row is None else (row.rank_low, row.rank_high) for row in own]
        n = sum(row is not None for row in own)
        ranked = {k: row for k, row in enumerate(own, 1)} | ({len(own) + 2: rows_of[name]} if macro else {})
        marks |= {(len(rows), k) for k, row in ranked.items() if row is not None and row.rank_low == 1}
        rows.append([system_text(found.task, name), *(rank_interval(*one) for one in ends),
                     Cell(f"{n}/{len(have)}", n),
                     *(_macro_cells(rows_of[name], form, name in judged) if macro is not None else ())])
    return header, rows, marks


def picture_ends(found: TaskComparison, metric: str) -> set[int]:
    """The rows of the picture below which a line is drawn between clusters: those across the language pairs, or of the
    only one. Of several without ranks across them each has its own, and there is no line."""
    if metric in found.macro:
        return cluster_ends(found.macro[metric].systems)
    results = [one.metrics[metric] for one in found.pairs.values() if metric in one.metrics]
    return cluster_ends(results[0].systems) if len(results) == 1 else set()


def answer_first(header: list[str], rows: list[list[str]], marks: set[tuple[int, int]], n_pairs: int
                 ) -> tuple[list[str], list[list[str]], set[tuple[int, int]]]:
    """A picture with the rank across the language pairs, and in how many pairs a system is, right after its name: of
    30 pairs they would lie out of sight behind them.

    >>> answer_first(["system", "en-de", "en-cs", "pairs", "all pairs"], [["A", "1", "2", "2/2", "1-2"]], {(0, 4)}, 2)
    (['system', 'all pairs', 'pairs', 'en-de', 'en-cs'], [['A', '1-2', '2/2', '1', '2']], {(0, 1)})
    """
    summary = [k for k in (n_pairs + 2, n_pairs + 1) if k < len(header)]
    order = [0, *summary, *(k for k in range(1, len(header)) if k not in summary)]
    place = {old: new for new, old in enumerate(order)}
    return ([header[k] for k in order], [[row[k] for k in order] for row in rows],
            {(row, place[k]) for row, k in marks})


def system_text(task: TaskInfo, name: str) -> str:
    """The name of a system, what to call it in print where the table of systems says so, and whether it is contrastive
    or a human translation.

    >>> from collections.abc import Mapping

from mtsig_core.task import SystemInfo
    >>> system_text(TaskInfo("toy", "", (), {"s1": SystemInfo(display_name="Tower")}, (), {}, ()), "s1")
    's1 (Tower)'
    """
    info = task.systems.get(name, SystemInfo())
    said = [info.display_name] if info.display_name not in (None, name) else []
    said += info.beside
    return f"{name} ({', '.join(map(str, said))})" if said else name


def task_tested(found: TaskComparison) -> list[str]:
    """How the language pairs were tested, in short phrases; several where they have not the same units."""
    told = [how_tested(comparison) for comparison in found.pairs.values()]
    said = [" or ".join(dict.fromkeys(one[key] for one in told if key in one))
            for key in ("test", "trials", "seed", "alpha")]
    corrections = dict.fromkeys(comparison.settings.correction for comparison in found.pairs.values())
    ranks = [told[0]["rank_rule"]] if "rank_rule" in told[0] else []
    across = ", and across them" * any(macro.pairs for macro in found.macro.values())
    return [*filter(None, said), f"correction {' or '.join(corrections)} within each language pair{across}", *ranks]


def task_left_out(found: TaskComparison) -> str:
    """Who was left out, in which language pair where it was not all, and why where somebody said so."""
    return ", ".join(one.system + (f" in {one.pair}" if one.pair else "") + (f" ({one.reason})" if one.reason else "")
                     for one in found.excluded)


def task_verdict(found: TaskComparison, metric: str) -> str:
    """Who is ahead, in one sentence: across the language pairs, or in the only one; else in how many anybody is."""
    results = {pair: one.metrics[metric] for pair, one in found.pairs.items() if metric in one.metrics}
    macro, by = found.macro.get(metric), f"By {metric_title(metric)}"
    if macro is not None and (first := [row.system for row in macro.systems if row.rank_low == 1]):
        of = f"of the {sum(row.rank_low is not None for row in macro.systems)} systems that have all"
        ahead = f"{first[0]} is ahead, {of}" if is_ahead(macro) else \
            f"{len(first)} {of} may be the first: {', '.join(first)}"
        return f"{by} across {len(results)} language pairs {ahead}"
    rule = rank_rule(found)
    ours = rule.name == "simultaneous"
    if len(results) == 1 and (names := headline(only := next(iter(results.values())))) is not None:
        ahead = f"{first_title(rule)}: {', '.join(names)}" if not ours else \
            f"{names[0]} is ahead of all others" if is_ahead(only) else \
            f"{len(names)} of the {len(only.systems)} systems may be the first: {', '.join(names)}"
        return f"{by} in {next(iter(results))} {ahead}"
    if all(why := [undecided(found.pairs[pair], result) for pair, result in results.items()]):
        where = next(iter(results)) if len(results) == 1 else f"any of {len(results)} language pairs"
        return f"{by} nobody is ranked in {where}: {'; '.join(dict.fromkeys(filter(None, why)))}"
    n = sum(map(is_ahead, results.values()))
    ahead = "ahead of all others" if ours else f"alone the first, ranked {rule.title},"
    return f"{by} one system is {ahead} in {n} of {counted(len(results), 'language pair')}"


def above_ranks(found: TaskComparison, metric: str, warned: bool = True) -> list[str]:
    """All that a reader has to know before the ranks by a metric, in sentences: whether anything says that it decides,
    whom others put on top, and that segments are taken as independent; `task_gaps`, then `task_notes`.

    Where no warnings are beside them, as in a paper, the methods say what is taken as independent.
    """
    asked = [caution.finding for caution in found.warnings if caution.metric == metric]
    assumed = _grouped({pair: [caution.finding for caution in qualifying(*one) if caution.code == "no-documents"]
                        for pair, one in have_metric(found, metric).items()}) if warned else []
    return [*asked, *filter(None, [other_tops(found, metric)]), *assumed, *task_gaps(found, metric, warned),
            *task_notes(found, metric, warned)]


def other_tops(found: TaskComparison, metric: str, *beside: TaskComparison) -> str | None:
    """Whom other metrics, of `found` and of what is `beside` it, put on top across language pairs that have this one
    too, or in the only one; None where nobody else. Their language pairs are named where they are others."""
    tops = {name: top for one in (*beside, found) for name, top in _tops(one).items()}
    if metric not in tops:
        return None
    mine, pairs = tops[metric]
    groups: dict[frozenset[str], list[str]] = {}
    for name, (top, where) in tops.items():
        if set(top) != set(mine) and set(where) & set(pairs):
            groups.setdefault(frozenset(top), []).append(name)
    if not groups:
        return None

    def by(name: str) -> str:
        where = tops[name][1]
        return shortened(metric_title(name), _LONGEST) + (f" ({pairs_said(where)})" if set(where) != set(pairs) else "")

    return "Other metrics name another top group: " + "; ".join(
        f"{named([shortened(name, _LONGEST) for name in tops[names[0]][0]])} by "
        f"{listed(list(map(by, names)), shown=False)}" for names in groups.values()) + "."


def _tops(found: TaskComparison) -> dict[str, tuple[Sequence[str], Sequence[str]]]:
    """By metric who is on top, across which language pairs or in which only one; without metrics that rank nobody."""
    tops: dict[str, tuple[Sequence[str], Sequence[str]]] = {}
    for name in dict.fromkeys(name for one in found.pairs.values() for name in one.metrics):
        have, macro = have_metric(found, name), found.macro.get(name)
        if macro is not None:
            tops[name] = tuple(row.system for row in macro.systems if row.rank_low == 1), macro.language_pairs
        elif len(have) == 1:
            tops[name] = headline(next(iter(have.values()))[1]) or (), tuple(have)
    return {name: top for name, top in tops.items() if top[0]}


def pairs_said(pairs: Sequence[str]) -> str:
    """The names of language pairs; how many they are where a sentence has no room for them.

    >>> pairs_said(["en-cs", "en-fi"])
    'en-cs, en-fi'
    """
    return ", ".join(pairs) if len(pairs) <= _FEW_PAIRS_TOLD else counted(len(pairs), "language pair")


def task_gaps(found: TaskComparison, metric: str, warned: bool = True) -> list[str]:
    """What the table of a metric is without, in sentences: language pairs that have no scores by it, and pairs of
    systems that nothing could decide; within the language pairs, then across them.

    Where no warnings are beside them, as in a paper, they are not sent to.
    """
    without = [pair for pair in found.task.pairs if pair not in found.task.pairs_with(metric)]
    said = [f"Without scores by {metric_title(metric)}, and left out: {', '.join(without)}."] if without else []
    tested = {pair: comparison.metrics[metric].tested for pair, comparison in found.pairs.items()
              if metric in comparison.metrics and comparison.metrics[metric].ruled is None}  # rules count all pairs
    counts = {pair: (sum(not one.decidable for one in pairs), len(pairs)) for pair, pairs in tested.items()}
    some = {pair: "the only one" if of == 1 else f"all {n}" if n == of else f"{n} of the {of}"
            for pair, (n, of) in counts.items() if n}
    if some and metric in found.macro:
        named = [f"{n} in {pair}" for pair, n in some.items()]
        where = listed(named, shown=False) if len(some) <= _FEW_PAIRS_TOLD else \
            f"{sum(n for n, _ in counts.values())} in {counted(len(some), 'language pair')}"
        why = "The warnings say why." if warned else \
            "There are too few trials, or too few units that tell two systems apart."
        said.append(f"Wins, ties and losses are without the pairs of systems that cannot be decided: {where}. {why}")
    return [*said, *across_gaps(found, metric)]


def task_notes(found: TaskComparison, metric: str, warned: bool = True) -> list[str]:
    """What a reader of the ranks by a metric has to know beside them: texts that are hardly the right ones, where
    references disagree on who is ahead, why nobody is declared better in some pairs, and where the decisions do, by
    language pair.

    By another rule than ours ranks have no correction within language pairs, and ours across them.
    """
    have = {pair: one for pair, one in found.pairs.items() if metric in one.metrics}
    notes = {"": {pair: " ".join(filter(None, (
        *(caution.finding for caution in wrong_files(one.warnings) if not one.metrics[metric].was_given),
        disagreement(one.metrics[metric], one.testset.n_segments),
        *(caution.finding for caution in one.warnings if caution.code in BESIDE_VERDICT and caution.metric == metric)
    ))) for pair, one in have.items()}}
    otherwise = [one.settings for one in have.values() if one.settings.correction != rank_correction(one.settings)]
    if otherwise:  # by the same correction in all of them
        own, used, across = rank_correction(otherwise[0]), otherwise[0].correction, found.macro.get(metric)
        by = "are not" if used == "none" else f"by {used}"
        ours = {pair: one.metrics[metric] for pair, one in have.items() if one.metrics[metric].ruled is None}
        which = ("Ranks", "wins and losses") if ours else ("Ranks across the language pairs", "decisions")
        notes[f"{which[0]} are corrected by {own}, {which[1]} {by}. "] = {
            **{pair: otherwise_first(result) for pair, result in ours.items()},
            ACROSS: otherwise_first(across) if across is not None else ""}
    return [general + _by_pair({pair: said.rstrip(".") for pair, said in told.items() if said}, warned)
            for general, told in notes.items() if any(told.values())]


def _by_pair(told: Mapping[str, str], warned: bool) -> str:
    first, more = [*told.items()][:_FEW_PAIRS_TOLD], len(told) - _FEW_PAIRS_TOLD
    if ACROSS in [*told][_FEW_PAIRS_TOLD:]:  # of that there are no warnings
        first[-1] = ACROSS, told[ACROSS]
    return " ".join(f"{pair}: {said}." for pair, said in first) + (
        f" So it is in {more} more{'; see the warnings' * warned}." if more > 0 else "")


def _macro_cells(row: MacroSystem, form: str, judged: bool) -> list[str]:
    """Wins, ties and losses are not said of a system of which nothing could be decided."""
    return [rank_interval(row.rank_low, row.rank_high), number(row.score, form),
            *(number(count if judged else None, "d") for count in (row.wins, row.ties, row.losses))]


def macro_pair_rows(macro: MacroResult, alpha: float) -> Table:
    """Header and rows of all pairs of systems that have every language pair: the mean difference with its interval, as
    an improvement of a over b, p, decision."""
    sign = 1 if macro.higher_is_better else -1
    form = written_like(row.score for row in macro.systems if row.score is not None)
    header = ["a", "b", "mean difference", f"{100 * (1 - alpha):g}% interval", "p", "adjusted p", "better"]
    return header, [[row.a, row.b, signed(sign * row.delta, form),
                     _interval(row, sign, form),
                     number(row.p_value, ".4f"), number(row.p_adjusted, ".4f"),
                     {"a": row.a, "b": row.b, None: "not separated" if row.decidable else UNDECIDED}[row.better]]
                    for row in macro.pairs]


def _interval(row: MacroPair, sign: int, form: str) -> str:
    """Of the mean difference as an improvement of a over b; a dash where there is none."""
    if row.ci_low is None or row.ci_high is None:
        return MISSING
    return "[{}, {}]".format(*(signed(end, form) for end in sorted((sign * row.ci_low, sign * row.ci_high))))


#-----------------------------------------------------------------------------------------------------------------------
# How a shared task was compared, in sentences ready for a paper; they promise what the tests hold and no more.


_SO = "So "  # begins a conclusion
_FEW_PAIRS_IN_SENTENCES = 5  # language pairs whose numbers are each said
Have = Mapping[str, tuple[Comparison, MetricResult]]


def task_methods(found: TaskComparison, metric: str) -> str:
    """What was compared, how it was tested in each language pair and across them, and what was assumed and left out:
    one paragraph of plain text, which says nothing of who won.

    Parameters
    ----------
    found : TaskComparison
    metric : str
        One that some language pair was compared by.
    """
    have = have_metric(found, metric)
    return " ".join([*subject_sentences(found, metric, "We compared", "by"), *within_sentences(have),
                     *across_sentences(found, metric), *common_sentences(found, metric)])


def have_metric(found: TaskComparison, metric: str) -> Have:
    """The language pairs that were compared by a metric, and what was found by it in each."""
    return {pair: (comparison, comparison.metrics[metric]) for pair, comparison in found.pairs.items()
            if metric in comparison.metrics}


def subject_sentences(found: TaskComparison, metric: str, begin: str, by: str, named: bool = True) -> list[str]:
    """What was compared: systems and their track, task, language pairs (with their names), metric."""
    have = have_metric(found, metric)
    names = dict.fromkeys(row.system for _, result in have.values() for row in result.systems)
    closed = [found.task.systems[name].constrained for name in names if name in found.task.systems]
    beside = [word for name in names if name in found.task.systems for word in found.task.systems[name].beside]
    second, human = beside.count("contrastive"), beside.count("human translation")
    track = "" if True not in closed else ", all in the constrained track," if all(closed) else \
        f", {closed.count(True)} of them in the constrained track,"
    track += f"{'' if track else ','} {second} of them contrastive, beside a primary one," if second else ""
    whose = "a human translation" if human == 1 else "human translations"
    track += f"{'' if track else ','} {human} of them {whose}," if human else ""
    one = next(iter(have.values()))[1]
    pairs = counted(len(have), "language pair") + f" ({listed(list(have))})" * named
    said = [f"{begin} {counted(len(names), 'system')} of {printable(found.task.name)}{track} in {pairs} {by} "
            f"{metric_name(one)} ({direction(one.higher_is_better, differences=False)})."]
    if any(comparison.testset.simulated for comparison, _ in have.values()):
        said.append("The task is simulated: its texts and ratings are made up.")
    return said


def within_sentences(have: Have) -> list[str]:
    """How pairs of systems were tested within each language pair, and what that is not worth where it lacks."""
    tested = {pair: (comparison.settings, result) for pair, (comparison, result) in have.items() if result.tested}
    said = _grouped({pair: runs_sentences(result) for pair, (_, result) in have.items()})
    if tested:
        settings = next(iter(tested.values()))[0]
        test = TESTS[settings.test]
        drawn = _phrase_by_pair({pair: f"{units_name(own)} as units{trials_clause(result, own)}"
                          for pair, (own, result) in tested.items()})
        said.append(f"In each language pair all differences between two systems were tested by "
                    f"{TEST_NAMES.get(test.name, test.title)} ({test.source}) with {drawn}, and alpha = "
                    f"{settings.alpha:g}.")
        families = _sizes({pair: len(result.tested) for pair, (_, result) in have.items()})
        if settings.correction == "none":
            said.append(f"There was no correction for the number of pairs of systems: {families}.")
        else:
            said.append(f"p was corrected by the method of {CORRECTION_NAMES[settings.correction]} over the pairs of "
                        f"systems of each language pair ({families}), and not over the language pairs together.")
        if test.p_values is None:
            said.append(f"This test gives no p: a system counts as better where it wins on at least {level(settings)} "
                        "of the bootstrap samples.")
    some = {pair: f"{before}{counted(comparison.testset.n_segments, 'segment')}{after}"
            for pair, (comparison, result) in have.items() for before, after in [segments_compared(comparison, result)]
            if before}
    said += [f"Two systems were compared on {_phrase_by_pair(some)}."] if some else []
    said += _grouped({pair: what_is_scored(comparison, result) for pair, (comparison, result) in have.items()})
    said += caveat_sentences(have)
    ranked = {pair: keeps_its_level(comparison) for pair, (comparison, result) in have.items()
              if result.systems[0].rank_low is not None}
    rule = next(iter(have.values()))[0].settings.rank_rule
    if ranked and rule != "simultaneous":
        said.append(f"Ranks within each language pair are {RANK_RULES[rule].title}.")
    elif any(ranked.values()):
        where = "each language pair" if all(ranked.get(pair) for pair in have) else \
            listed([pair for pair, keeps in ranked.items() if keeps])
        said.append(f"Rank intervals hold jointly for all systems of {where}, not for the language pairs together.")
    elif tested and TESTS[settings.test].p_values is None:
        said.append("There are no rank intervals: this test controls no error over all pairs of systems.")
    kinds = _phrase_by_pair({
        pair: intervals_name(result, comparison.settings) for pair, (comparison, result) in have.items()})
    one = next(iter(have.values()))[0].settings
    said.append(f"{level(one)} confidence intervals of scores are {kinds}, each for its own system.")
    return said


def caveat_sentences(have: Have) -> list[str]:
    """What the decisions of each language pair are not worth: in which none can be made, and what is wrong with the
    test or the unit."""
    return _grouped({pair: [f"{sentence}." for sentence in [cannot_decide(comparison.settings, result)] if sentence]
                     + caveats(comparison, result, here=False)
                     for pair, (comparison, result) in have.items()})


def level_across(found: TaskComparison, metric: str) -> list[str]:
    """That what is said across the language pairs need not hold at its level, where it need not."""
    have, macro = have_metric(found, metric), found.macro.get(metric)
    lacking = [pair for pair, (comparison, _) in have.items() if not keeps_its_level(comparison)]
    if not lacking or len(have) < 2 or macro is None or not any(pair.decidable for pair in macro.pairs):
        return []
    where = "these draws" if len(lacking) == len(have) else f"the draws in {listed(lacking)} too"
    return [f"What is said across them rests on {where}, so it need not hold at the level said either."]


def across_sentences(found: TaskComparison, metric: str) -> list[str]:
    """How systems were compared across the language pairs; why not, where they were not."""
    have = have_metric(found, metric)
    macro = found.macro.get(metric)
    if len(have) < 2 or macro is None:
        return []
    if not macro.pairs:
        return [not_averaged(found, metric)]
    settings = next(iter(have.values()))[0].settings
    n, missing = (sum((row.score is None) is lacks for row in macro.systems) for lacks in (False, True))
    m = len(macro.pairs)
    corrected = "A single pair of systems needs no correction" if m == 1 else \
        f"There was no correction for these {m} pairs of systems" if settings.correction == "none" else \
        f"p was corrected over these {m} pairs of systems by the method of {CORRECTION_NAMES[settings.correction]}"
    said = [f"Across the {len(have)} language pairs, which count the same, the mean difference of two systems was "
            f"tested by the draws made within each language pair and averaged, so that p of language pairs were "
            f"not combined. {corrected}."]
    if any(pair.ci_low is not None for pair in macro.pairs):
        kind = "jackknife t intervals, with degrees of freedom by Welch (1947)" if macro.ci == "jackknife-t" else \
            f"percentile bootstrap intervals from {settings.resamples} resamples"
        said.append(f"{level(settings)} intervals of mean differences are {kind}, each for its own pair of systems.")
    if missing:
        said.append(f"{counted(n, 'system')} {'has' if n == 1 else 'have'} all language pairs; "
                    f"{'the other one is' if missing == 1 else f'the other {missing} are'} not ranked across them.")
    if lacking := level_across(found, metric):
        said += lacking
    elif not macro.is_ranked:
        said.append("Nobody is ranked across them, as no pair of systems could be significant with so few trials or "
                    "units.")
    elif n > 1:
        said.append("Rank intervals across them hold jointly for all systems ranked there (Romano and Wolf 2005).")
    return said


def common_sentences(found: TaskComparison, metric: str) -> list[str]:
    """What was assumed of the metric, what was left out, and with what all was computed."""
    first = next(iter(have_metric(found, metric).values()))[0]
    said = list(map(printable, assumptions(found.task.assumed, [metric])))
    return [*said, *left_out_sentences(found), computed_said(first.settings)]


def left_out_sentences(found: TaskComparison) -> list[str]:
    """Which systems were left out, and why; no sentence where none was."""
    return [f"Left out: {printable(task_left_out(found))}."] if found.excluded else []


def signature_sentences(found: TaskComparison, metric: str) -> list[str]:
    """The signature, with the values of all language pairs in each field where they differ; and the digest."""
    signatures = {pair: result.signature for pair, (_, result) in have_metric(found, metric).items()}
    fields = [signature.split("|") for signature in signatures.values()]
    differ, text = len(set(signatures.values())) > 1, _phrase_by_pair(signatures)
    if len({tuple(field.partition(":")[0] for field in own) for own in fields}) == 1:
        text = "|".join(values[0] if len(set(values)) == 1 else
                        ",".join([values[0], *(value.partition(":")[2] for value in values[1:])])
                        for values in zip(*fields, strict=True))
    how = " (values that differ in the order of the language pairs)" if differ else ""
    return [f"Signature{how}: {printable(text)}.", f"Task digest: {printable(found.task.digest)}."]


def _phrase_by_pair(phrases: Mapping[str, str]) -> str:
    """One phrase where all language pairs have the same; else each with those that it holds for."""
    pairs: dict[str, list[str]] = {}
    for pair, phrase in phrases.items():
        pairs.setdefault(phrase, []).append(pair)
    if len(pairs) == 1:
        return next(iter(pairs))
    return "; ".join(f"{phrase} ({listed(names)})" for phrase, names in pairs.items())


def _grouped(sentences: Mapping[str, Sequence[str]]) -> list[str]:
    """Each sentence once, those that hold for all language pairs first, the others with theirs; conclusions last.

    A conclusion may stand after what is said of other language pairs: it does not begin by what it follows from then.
    """
    pairs: dict[str, list[str]] = {}
    for pair, own in sentences.items():
        for sentence in own:
            pairs.setdefault(sentence, []).append(pair)
    said: dict[bool, list[str]] = {True: [], False: []}
    for sentence, names in sorted(pairs.items(), key=lambda one: one[0].startswith(_SO)):
        everywhere = len(names) == len(sentences)
        where = "" if everywhere else f"In {listed(names)}{' ' if sentence.startswith(_SO) else ': '}"
        said[everywhere].append(where + printable(sentence if everywhere else sentence.removeprefix(_SO)))
    return said[True] + said[False]


def _sizes(families: Mapping[str, int]) -> str:
    """How many pairs of systems each language pair has, or of many language pairs the range."""
    sizes: Iterable[int] = set(families.values())
    if len(set(sizes)) == 1:
        return f"{next(iter(sizes))} in each"
    if len(families) > _FEW_PAIRS_IN_SENTENCES:
        return f"{min(sizes)} to {max(sizes)} of them"
    return listed([f"{n} in {pair}" for pair, n in families.items()])
