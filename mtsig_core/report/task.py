"""A shared task as tables and in sentences; each format takes these.

The tables come first: systems by language pairs, pairs of systems, who stands first, where metrics disagree, training
runs. Then the sentences, in the order in which a reader meets them: the verdict, what has to be known before the ranks,
what the ranks are, where metrics disagree, and how it was tested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mtsig_core.errors import counted
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import disagreement, list_names, otherwise_first
from mtsig_core.report.cells import written_like
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
from mtsig_core.report.table import ROW_FORM, Column, Table, join_ends
from mtsig_core.report.tables import cluster_ends, how_tested, points
from mtsig_core.report.text import printable
from mtsig_core.report.words import (
    assumptions,
    caveat_findings,
    direction,
    keeps_its_level,
    list_unreliable,
    qualifying,
    segments_compared,
    what_is_scored,
    wrong_files,
)
from mtsig_core.results import Comparison, MacroResult, MetricResult, TaskComparison, TaskInfo
from mtsig_core.stats.across import AGREE, FEW, KINDS, MACRO_TESTS, NOT_ALIKE, UNDECIDED, Disputed, PairAcross
from mtsig_core.stats.arrays import holds_zero
from mtsig_core.stats.few_units import FEW_FOR_BOOTSTRAP, FEW_UNITS, cannot_decide, rank_correction, units_said
from mtsig_core.stats.ranks import RANK_RULES, RankRule, headline, inside_said, is_ahead, turned_round
from mtsig_core.stats.significance import TESTS
from mtsig_core.task import SystemInfo

# What was found by one metric.

Results = Mapping[str, tuple[Comparison, MetricResult]]


def select_metric(found: TaskComparison, metric: str) -> Results:
    """The language pairs that were compared by a metric, and what was found by it in each."""
    return {pair: (comparison, comparison.metrics[metric]) for pair, comparison in found.pairs.items()
            if metric in comparison.metrics}


def list_metrics(found: TaskComparison) -> list[str]:
    """All metrics, in the order of the language pairs."""
    return list(dict.fromkeys(name for comparison in found.pairs.values() for name in comparison.metrics))


def order_systems(found: TaskComparison, metric: str) -> list[str]:
    """The systems by one metric: as the macro result has them, or else as they come in one language pair after another.
    """
    if metric in found.macro:
        return [row.system for row in found.macro[metric].systems]
    return list(dict.fromkeys(row.system for _, result in select_metric(found, metric).values()
                              for row in result.systems))


def find_rank_rule(found: TaskComparison) -> RankRule:
    """The rule of the ranks within each language pair; ours where nothing is compared."""
    rules = [comparison.settings.rank_rule for comparison in found.pairs.values()]
    return RANK_RULES[rules[0] if rules else "simultaneous"]


def is_ranked(found: TaskComparison, metric: str | None = None) -> bool:
    """Whether anybody has a rank within some language pair, by a metric or by any."""
    return any(row.rank_low for comparison in found.pairs.values() for name, result in comparison.metrics.items()
               if metric in (None, name) for row in result.systems)


@dataclass(frozen=True)
class Top:
    """Who stands first in a language pair by the rule of ranks; or why nobody is ranked, where that is known.

    `simultaneous` are those by simultaneous rank intervals.
    """

    systems: tuple[str, ...]
    why_none: str | None
    simultaneous: tuple[str, ...]


def find_tops(found: TaskComparison, metric: str) -> dict[str, Top]:
    """Who stands first in each language pair."""
    tops = {}
    for pair, (comparison, result) in select_metric(found, metric).items():
        first = tuple(row.system for row in result.systems if row.rank_low == 1)
        tops[pair] = Top(first, None if first else explain_no_ranks(comparison, result),
                         first if result.ruled is None else result.ruled.first_held)
    return tops


# Tables.


def name_system(task: TaskInfo, name: str) -> str:
    """The name of a system, what to call it in print where the table of systems says so, and whether it is contrastive
    or a human translation.

    >>> name_system(TaskInfo("toy", "", (), {"s1": SystemInfo(display_name="Tower")}, (), {}, ()), "s1")
    's1 (Tower)'
    """
    info = task.systems.get(name, SystemInfo())
    words = [info.display_name] if info.display_name not in (None, name) else []
    words += info.labels
    return f"{name} ({', '.join(map(str, words))})" if words else name


def name_in_print(task: TaskInfo, name: str) -> str:
    """What to call a system in a paper, and whether it is contrastive or a human translation."""
    info = task.systems.get(name, SystemInfo())
    called = info.display_name or name
    return f"{called} ({', '.join(info.labels)})" if info.labels else called


def is_in_other_track(task: TaskInfo, name: str) -> bool:
    """Whether a system is one that the table of the systems does not put into the constrained track, where it puts
    any there."""
    infos = task.systems
    return any(info.constrained for info in infos.values()) and not (name in infos and infos[name].constrained)


def rank_table(found: TaskComparison, metric: str, name: Callable[[TaskInfo, str], str] = name_system) -> Table:
    """The ranks of each system across the language pairs and in each of them; the number of language pairs in which it
    has a score; its mean score, wins, ties and losses.

    Marked: ranks that reach the first. Grey: systems that are not in the constrained track. Ruled: ends of clusters.
    `name` makes what a system is called.
    """
    have, macro = select_metric(found, metric), found.macro.get(metric)
    own = {pair: {row.system: row for row in result.systems} for pair, (_, result) in have.items()}
    across = {row.system: row for row in macro.systems} if macro is not None else {}
    judged = {system for _, result in have.values() for pair in result.tested
              if pair.decidable or result.ruled is not None for system in (pair.a, pair.b)}
    form = written_like(row.score for _, result in have.values() for row in result.systems)
    columns = [Column("system", "system", "name"), *[Column("rank", "all pairs", "rank")] * bool(across),
               Column("n_pairs", "pairs", "count"), *(Column(pair, pair, "rank") for pair in have)]
    if across:
        columns += [Column("score", "mean score", "score", form),
                    *(Column(key, key, "count") for key in ("wins", "ties", "losses"))]
    systems, marks = order_systems(found, metric), set()
    rows: list[tuple[Any, ...]] = []
    for system in systems:
        ranked: dict[str, Any] = {"rank": across[system]} if across else {}
        ranked |= {pair: rows_of.get(system) for pair, rows_of in own.items()}
        ranks = {key: None if row is None else join_ends(row.rank_low, row.rank_high) for key, row in ranked.items()}
        marks |= {(len(rows), key) for key, ends in ranks.items() if ends is not None and ends[0] == 1}
        n_pairs = sum(system in rows_of for rows_of in own.values())
        cells: dict[str, Any] = {"system": name(found.task, system), **ranks, "n_pairs": n_pairs}
        if across:
            row, counts = across[system], ("wins", "ties", "losses")
            cells |= {"score": row.score, **{key: getattr(row, key) if system in judged else None for key in counts}}
        rows.append(tuple(cells[column.key] for column in columns))
    return Table("ranking", tuple(columns), tuple(rows), marks, find_cluster_ends(found, metric),
                 {k for k, system in enumerate(systems) if is_in_other_track(found.task, system)})


def find_cluster_ends(found: TaskComparison, metric: str) -> set[int]:
    """The rows of `rank_table` below which a line is drawn between clusters: those across the language pairs, or of the
    only one. Of several without ranks across them each has its own, and there is no line."""
    if metric in found.macro:
        return cluster_ends(found.macro[metric].systems)
    results = [result for _, result in select_metric(found, metric).values()]
    return cluster_ends(results[0].systems) if len(results) == 1 else set()


def macro_pairs_table(found: TaskComparison, metric: str,
                      name: Callable[[TaskInfo, str], str] = lambda task, name: name) -> Table:
    """All pairs of systems that have every language pair: the mean difference with its interval, as an improvement of a
    over b, p, decision; no rows where nothing was averaged."""
    macro, settings = found.macro.get(metric), next(iter(found.pairs.values())).settings
    if macro is None:
        return Table("head-to-head", (), ())
    sign = 1 if macro.higher_is_better else -1
    form = written_like(row.score for row in macro.systems if row.score is not None)
    columns = (Column("a", "a", "name"), Column("b", "b", "name"),
               Column("difference", "mean difference", "difference", form),
               Column("ci", f"{level(settings)} interval", "interval", f"+{form}"), Column("p", "p", "p"),
               Column("adjusted_p", "adjusted p", "p"), Column("better", "better", "name"))
    rows = []
    for row in macro.pairs:
        a, b = name(found.task, row.a), name(found.task, row.b)
        rows.append((a, b, sign * row.delta, join_ends(row.ci_low, row.ci_high, sign), row.p_value, row.p_adjusted,
                     {"a": a, "b": b, None: "not separated" if row.decidable else UNDECIDED}[row.better]))
    return Table("head-to-head", columns, tuple(rows))


def tops_table(found: TaskComparison, metric: str) -> Table:
    """Who stands first in each language pair, best first, and by simultaneous rank intervals where the ranks follow
    another rule."""
    tops, rule = find_tops(found, metric), find_rank_rule(found)
    columns = [Column("language_pair", "language pair", "name"), Column("first", name_first_place(rule))]
    rows: list[tuple[str, ...]] = [(pair, _list_top(top.systems, top.why_none)) for pair, top in tops.items()]
    if rule.name != "simultaneous":
        columns.append(Column("first_simultaneous", "may be the first by simultaneous rank intervals"))
        rows = [(*row, _list_top(top.simultaneous, None)) for row, top in zip(rows, tops.values(), strict=True)]
    return Table("first", tuple(columns), tuple(rows))


def _list_top(systems: Sequence[str], why_none: str | None) -> str:
    return ", ".join(systems) or "nobody is ranked" + (f" ({why_none})" if why_none else "")


def runs_table(found: TaskComparison, metric: str) -> Table:
    """Of the systems that have several training runs, in each language pair and across them: their number, the SD
    between them with its interval, and the score of each."""
    settings = next(iter(found.pairs.values())).settings
    results: dict[str, MetricResult | MacroResult] = {
        pair: result for pair, (_, result) in select_metric(found, metric).items()}
    results |= {"all pairs": found.macro[metric]} if metric in found.macro else {}
    columns = (Column("language_pair", "language pair", "name"), Column("system", "system", "name"),
               Column("runs", "runs", "count"), Column("sd", "SD between runs", "score", ROW_FORM),
               Column("sd_ci", f"its {level(settings)} interval", "interval", ROW_FORM),
               Column("scores", "scores of its runs"))
    rows, forms = [], []
    for pair, result in results.items():
        form = written_like(score for row in result.runs for score in row.scores)
        several = [row for row in result.runs if len(row.scores) > 1]
        rows += [(pair, row.system, len(row.scores), row.sd, join_ends(row.sd_low, row.sd_high),
                  ", ".join(f"{score:{form}}" for score in row.scores)) for row in several]
        forms += [form] * len(several)
    return Table("runs", columns, tuple(rows), row_forms=tuple(forms))


def pair_runs_table(found: TaskComparison, metric: str) -> Table:
    """The standard errors of each difference in each language pair that has training runs: of the test set, between
    runs, and of both."""
    columns = (Column("language_pair", "language pair", "name"), Column("pair", "difference", "pair"),
               Column("se_testset", "SE of the test set", "score", ROW_FORM),
               Column("se_runs", "SE between runs", "score", ROW_FORM),
               Column("se_total", "SE of both", "score", ROW_FORM))
    rows = [((pair, (row.a, row.b), row.se_testset, row.se_runs, row.se_total), points(result))
            for pair, (_, result) in select_metric(found, metric).items() for row in result.pair_runs]
    return Table("pair-runs", columns, tuple(row for row, _ in rows), row_forms=tuple(form for _, form in rows))


def dispute_counts_table(disputed: Sequence[Disputed]) -> Table:
    """A row for each language pair, one for their sum, and one for the decisions on mean differences across them: pairs
    of systems by how metrics decide together, and those that one metric alone decides."""
    metrics = list(dict.fromkeys(name for one in disputed for name in one.metrics))
    kinds = [AGREE, "some decide", "opposite", *([UNDECIDED] if any(one.count(UNDECIDED) for one in disputed) else [])]
    columns = (Column("language_pair", "language pair", "name"), Column("n_pairs", "pairs of systems", "count"),
               *(Column(kind.replace(" ", "_"), "alike" if kind == AGREE else kind, "count") for kind in kinds),
               *(Column(f"only_{name}", f"only {metric_title(name)}", "count") for name in metrics))

    def row(title: str, parts: Sequence[Disputed]) -> tuple[Any, ...]:
        only = [[one.alone(name) for one in parts if name in one.metrics] for name in metrics]
        return (title, sum(len(one.pairs) for one in parts),
                *(sum(one.count(kind) for one in parts) for kind in kinds),
                *(sum(counts) if counts else None for counts in only))

    within = [one for one in disputed if one.language_pair is not None]
    rows = [row(str(one.language_pair), [one]) for one in within]
    rows += [row("sum of the language pairs", within)] if len(within) > 1 else []
    rows += [row(f"{ACROSS}, by mean difference", [one]) for one in disputed if one.language_pair is None]
    return Table("disagreement", columns, tuple(rows))


def disputed_pairs_table(disputed: Sequence[Disputed]) -> Table:
    """The pairs of systems on which the metrics do not agree, contradictions first: the improvement of a over b by each
    metric, and whether it is significant."""
    metrics = list(dict.fromkeys(name for one in disputed for name in one.metrics))
    forms = {name: written_like(pair.improvements[one.metrics.index(name)] for one in disputed if name in one.metrics
                                for pair in one.pairs) for name in metrics}
    columns = (Column("language_pair", "language pair", "name"), Column("a", "a", "name"), Column("b", "b", "name"),
               Column("together", "together"),
               *(Column(name, metric_title(name), "decided", forms[name]) for name in metrics))
    rows = []
    for one, pair in list_disputed_pairs(disputed):
        by = {name: (value, decision != 0)
              for name, value, decision in zip(one.metrics, pair.improvements, pair.decisions, strict=True)}
        rows.append((one.language_pair or ACROSS, pair.a, pair.b, pair.kind, *map(by.get, metrics)))
    return Table("disputed-pairs", columns, tuple(rows))


def list_disputed_pairs(disputed: Sequence[Disputed]) -> list[tuple[Disputed, PairAcross]]:
    """The pairs of systems on which metrics do not agree, contradictions first."""
    return [(one, pair) for kind in NOT_ALIKE for one in disputed for pair in one.pairs if pair.kind == kind]


# The verdict.


def name_first_place(rule: RankRule) -> str:
    """What it says of systems that they stand first by a rule, as a title.

    >>> name_first_place(RANK_RULES["simultaneous"]), name_first_place(RANK_RULES["wmt25"])
    ('may be the first', 'first, ranked as WMT25')
    """
    return "may be the first" if rule.name == "simultaneous" else f"first, ranked {rule.title}"


def task_verdict(found: TaskComparison, metric: str) -> str:
    """Who is ahead, in one sentence without its full stop: across the language pairs, or in the only one; else in how
    many anybody is."""
    have, macro, by = select_metric(found, metric), found.macro.get(metric), f"By {metric_title(metric)}"
    if macro is not None and (first := [row.system for row in macro.systems if row.rank_low == 1]):
        among = f"of the {sum(row.rank_low is not None for row in macro.systems)} systems that have all"
        ahead = f"{first[0]} is ahead, {among}" if is_ahead(macro) else \
            f"{len(first)} {among} may be the first: {', '.join(first)}"
        return f"{by} across {len(have)} language pairs {ahead}"
    rule, (pair, (_, only)) = find_rank_rule(found), next(iter(have.items()))
    ours = rule.name == "simultaneous"
    if len(have) == 1 and (names := headline(only)) is not None:
        ahead = f"{name_first_place(rule)}: {', '.join(names)}" if not ours else \
            f"{names[0]} is ahead of all others" if is_ahead(only) else \
            f"{len(names)} of the {len(only.systems)} systems may be the first: {', '.join(names)}"
        return f"{by} in {pair} {ahead}"
    reasons = [explain_no_ranks(*one) for one in have.values()]
    if all(reasons):
        where = pair if len(have) == 1 else f"any of {len(have)} language pairs"
        return f"{by} nobody is ranked in {where}: {'; '.join(dict.fromkeys(filter(None, reasons)))}"
    n = sum(is_ahead(result) for _, result in have.values())
    ahead = "ahead of all others" if ours else f"alone the first, ranked {rule.title},"
    return f"{by} one system is {ahead} in {n} of {counted(len(have), 'language pair')}"


def explain_no_ranks(comparison: Comparison, result: MetricResult) -> str | None:
    """Why nobody is ranked where nothing can be decided, as a part of a sentence; None where something can be."""
    if len(result.systems) == 1:
        return "there is only one system"
    if TESTS[comparison.settings.test].p_values is None:
        return "this test controls no error over all pairs"
    why = cannot_decide(comparison.settings, result, rank_correction(comparison.settings))
    return None if why is None else why[:1].lower() + why[1:]


def list_tops(found: TaskComparison, metric: str) -> dict[str, str]:
    """By language pair a sentence that says who stands first there, or that nobody is ranked."""
    rule = find_rank_rule(found)
    sentences = {}
    for pair, top in find_tops(found, metric).items():
        parts = [f"{name_first_place(rule)}: {', '.join(top.systems)}" if top.systems else
                 _list_top((), top.why_none)]
        if rule.name != "simultaneous":
            by = "by simultaneous rank intervals"
            parts.append(f"may be the first {by}: {', '.join(top.simultaneous)}" if top.simultaneous else
                         f"nobody is ranked {by}")
        sentences[pair] = f"In {pair} {'; '.join(parts)}."
    return sentences


# What has to be known before the ranks by a metric.


_FEW_PAIRS_NAMED = 6  # language pairs that a sentence names
_LONGEST = 40  # letters of a name in a sentence with many


def above_ranks(found: TaskComparison, metric: str, warned: bool = True) -> list[str]:
    """All that a reader has to know before the ranks by a metric, in sentences: whether anything says that it decides,
    whom others put on top, that segments are treated as independent, what is missing, what doubts there are.

    Where no warnings are beside them, as in a paper (not `warned`), the methods say what is treated as independent.
    """
    asked = [caution.finding for caution in found.warnings if caution.metric == metric]
    independent = group_by_pair({
        pair: [caution.finding for caution in qualifying(*one) if caution.code == "no-documents"]
        for pair, one in select_metric(found, metric).items()}) if warned else []
    return [*asked, *filter(None, [name_other_tops(found, metric)]), *independent,
            *describe_gaps(found, metric, warned), *describe_doubts(found, metric, warned)]


def name_other_tops(found: TaskComparison, metric: str, *beside: TaskComparison) -> str | None:
    """Whom other metrics, of `found` and of what is `beside` it, put on top across language pairs that have this one
    too, or in the only one; None where nobody else. Their language pairs are named where they are others."""
    tops = {name: top for one in (*beside, found) for name, top in _find_overall_tops(one).items()}
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
        return shortened(metric_title(name), _LONGEST) + (f" ({name_pairs(where)})" if set(where) != set(pairs) else "")

    return "Other metrics name another top group: " + "; ".join(
        f"{list_names([shortened(name, _LONGEST) for name in tops[names[0]][0]])} by "
        f"{listed(list(map(by, names)), shown=False)}" for names in groups.values()) + "."


def _find_overall_tops(found: TaskComparison) -> dict[str, tuple[Sequence[str], Sequence[str]]]:
    """By metric who is on top, across which language pairs or in which only one; without metrics that rank nobody."""
    tops: dict[str, tuple[Sequence[str], Sequence[str]]] = {}
    for name in list_metrics(found):
        have, macro = select_metric(found, name), found.macro.get(name)
        if macro is not None:
            tops[name] = tuple(row.system for row in macro.systems if row.rank_low == 1), macro.language_pairs
        elif len(have) == 1:
            tops[name] = headline(next(iter(have.values()))[1]) or (), tuple(have)
    return {name: top for name, top in tops.items() if top[0]}


def name_pairs(pairs: Sequence[str]) -> str:
    """The names of language pairs; how many they are where a sentence has no room for them.

    >>> name_pairs(["en-cs", "en-fi"])
    'en-cs, en-fi'
    """
    return ", ".join(pairs) if len(pairs) <= _FEW_PAIRS_NAMED else counted(len(pairs), "language pair")


def describe_gaps(found: TaskComparison, metric: str, warned: bool = True) -> list[str]:
    """What the table of a metric is without, in sentences: language pairs that have no scores by it, and pairs of
    systems that nothing could decide; within the language pairs, then across them."""
    without = [pair for pair in found.task.pairs if pair not in found.task.pairs_with(metric)]
    sentences = [f"Without scores by {metric_title(metric)}, and left out: {', '.join(without)}."] if without else []
    counts = {pair: (sum(not one.decidable for one in result.tested), len(result.tested))
              for pair, (_, result) in select_metric(found, metric).items() if result.ruled is None}  # rules count all
    some = {pair: "the only one" if m == 1 else f"all {n}" if n == m else f"{n} of the {m}"
            for pair, (n, m) in counts.items() if n}
    if some and metric in found.macro:
        where = listed([f"{n} in {pair}" for pair, n in some.items()], shown=False) \
            if len(some) <= _FEW_PAIRS_NAMED else \
            f"{sum(n for n, _ in counts.values())} in {counted(len(some), 'language pair')}"
        why = "The warnings say why." if warned else \
            "There are too few trials, or too few units that tell two systems apart."
        sentences.append(
            f"Wins, ties and losses are without the pairs of systems that cannot be decided: {where}. {why}")
    return [*sentences, *describe_gaps_across(found, metric)]


def describe_gaps_across(found: TaskComparison, metric: str) -> list[str]:
    """What there is not across the language pairs, and why: decisions and ranks where too little could be decided,
    intervals where a language pair has a single unit; and where few units make them too narrow."""
    if why := explain_no_mean(found, metric):
        return [why]
    if (macro := found.macro.get(metric)) is None:
        return []
    n, sentences = len(macro.pairs), []
    if shut := sum(not pair.decidable for pair in macro.pairs):
        which = "the only pair of systems" if n == 1 else \
            f"{f'all {n:,}' if shut == n else f'{shut:,} of {n:,}'} pairs of systems"
        nobody = ", and nobody is ranked" * (not macro.is_ranked)
        sentences.append(f"Across the language pairs {which} {FEW}{nobody}.")
    least = _count_least_units(found, macro)
    one = {pair: own for pair, own in least.items() if own[0] < 2}
    few = {pair: own for pair, own in least.items() if own[0] >= 2 and own[1] < FEW_UNITS}
    if one:
        sentences.append("Across the language pairs there is no interval of systems that have one unit in a language "
                         f"pair, as from one there is none: {_name_sizes(found, one)}.")
    if few and any(pair.ci_low is not None for pair in macro.pairs):
        narrow = "" if macro.ci == "jackknife-t" else ", and rather too narrow,"
        sentences.append(f"Intervals across the language pairs are rough{narrow} where one of these has fewer than "
                         f"{FEW_UNITS} units, or such as are worth fewer: {_name_sizes(found, few)}.")
    return sentences


def explain_no_mean(found: TaskComparison, metric: str) -> str:
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


def _count_least_units(found: TaskComparison, macro: MacroResult) -> dict[str, tuple[int, float]]:
    """By language pair the units of the pair of systems across them that has fewest, and how many of equal size its
    units are worth.

    Not those of all language pairs together: drawn from n units a mean varies sqrt((n - 1) / n) times as much as it
    should, which further language pairs as small do not mend. Ten of two units each have intervals as much too narrow
    as one.
    """
    names = {name for pair in macro.pairs for name in (pair.a, pair.b)}
    units = {pair: [(row.n_units, row.n_effective or row.n_units) for row in result.pairs
                    if row.n_units and {row.a, row.b} <= names]
             for pair, (_, result) in select_metric(found, macro.metric).items()}
    return {pair: min(own, key=lambda one: one[1]) for pair, own in units.items() if own}


def _name_sizes(found: TaskComparison, units: dict[str, tuple[int, float]]) -> str:
    """Such as "4 documents in en-de and 87 documents worth 20 of equal size in en-cs", those with fewest first."""
    sizes = [f"{units_said(found.pairs[pair].settings, n)}"
             + (f" worth {worth:.0f} of equal size" if round(worth) < n else "") + f" in {pair}"
             for pair, (n, worth) in sorted(units.items(), key=lambda one: one[1][1])]
    more = len(sizes) - _FEW_PAIRS_NAMED
    return listed([*sizes[:_FEW_PAIRS_NAMED], *([f"so few in {more} more"] if more > 0 else [])], shown=False)


def describe_doubts(found: TaskComparison, metric: str, warned: bool = True) -> list[str]:
    """What puts the ranks by a metric in doubt, by language pair: texts that are hardly the right ones, where
    references disagree on who is ahead, why nobody is declared better in some pairs, and where ranks and decisions
    differ.

    By another rule than ours ranks have no correction within language pairs, and ours across them.
    """
    have = select_metric(found, metric)
    doubts = {pair: " ".join(filter(None, (
        *(caution.finding for caution in wrong_files(one.warnings) if not result.was_given),
        disagreement(result, one.testset.n_segments),
        *(caution.finding for caution in one.warnings if caution.kind.beside_verdict and caution.metric == metric))))
        for pair, (one, result) in have.items()}
    sentences = [_list_by_pair(doubts, warned)] if any(doubts.values()) else []
    otherwise = [one.settings for one, _ in have.values() if one.settings.correction != rank_correction(one.settings)]
    if otherwise:  # by the same correction in all of them
        own, used, across = rank_correction(otherwise[0]), otherwise[0].correction, found.macro.get(metric)
        ours = {pair: result for pair, (_, result) in have.items() if result.ruled is None}
        differ = {pair: otherwise_first(result) for pair, result in ours.items()}
        differ[ACROSS] = otherwise_first(across) if across is not None else ""
        ranks, decisions = ("Ranks", "wins and losses") if ours else ("Ranks across the language pairs", "decisions")
        if any(differ.values()):
            by = "are not" if used == "none" else f"by {used}"
            sentences.append(f"{ranks} are corrected by {own}, {decisions} {by}. " + _list_by_pair(
                {pair: f"{text}." for pair, text in differ.items() if text}, warned))
    return sentences


def _list_by_pair(sentences: Mapping[str, str], warned: bool) -> str:
    """The sentences of the first language pairs, and how many more have one."""
    items = [(pair, text) for pair, text in sentences.items() if text]
    first, more = items[:_FEW_PAIRS_NAMED], items[_FEW_PAIRS_NAMED:]
    if ACROSS in dict(more):  # of that there are no warnings
        first[-1] = ACROSS, sentences[ACROSS]
    return " ".join(f"{pair}: {text}" for pair, text in first) + (
        f" So it is in {len(more)} more{'; see the warnings' * warned}." if more else "")


# What the ranks are, and what another rule than ours hides.


#: What a dash is in `rank_table`.
MISSING_SAID = "no score, or no rank"


def describe_ranks(found: TaskComparison) -> str:
    """What the ranks within the language pairs are, and whether they hold for all systems together, as a part of a
    sentence."""
    rule = find_rank_rule(found)
    if rule.name != "simultaneous":
        return f"Ranks within each language pair {rule.title}"
    lacking = [pair for pair, comparison in found.pairs.items() if not keeps_its_level(comparison)]
    if len(lacking) == len(found.pairs):
        return "Rank intervals, which need not hold at the level said"
    but = f" but {listed(lacking, shown=False)}, where they need not" if lacking else ""
    return f"Rank intervals hold jointly within each language pair{but}"


def explain_marks(found: TaskComparison, mark: str, metric: str | None = None) -> str:
    """What it means that the rank of a system has a `mark`; empty where nobody is ranked by a metric, or by any,
    neither within the language pairs nor across them, where ranks are always ours."""
    across = [macro for name, macro in found.macro.items() if metric in (None, name)]
    if not is_ranked(found, metric) and not any(macro.is_ranked for macro in across):
        return ""
    alike = all(one.settings.correction == rank_correction(one.settings) for one in found.pairs.values())
    rule, ours = find_rank_rule(found), "may be the first, as no other is significantly better" if alike else \
        "may be the first by its rank interval, which has a correction of its own"
    if rule.name == "simultaneous":
        return f"{mark} {ours}"
    return f"{mark} {name_first_place(rule)}" + (f", under all pairs: {ours}" if found.macro else "")


def explain_across_columns(found: TaskComparison, metric: str) -> str:
    """What the columns across the language pairs are, in sentences; empty where there are none."""
    macro = found.macro.get(metric)
    if macro is None:
        return ""
    rank = "Under all pairs: its rank by the mean score over the language pairs. " * macro.is_ranked
    by_rule = ", by the rule of the ranks" * any(
        result.ruled is not None for _, result in select_metric(found, metric).values())
    return f"{rank}Wins, ties and losses are decisions within language pairs{by_rule}, added up."


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
    apart_not_significant : int
        Pairs of systems that the rule ranks apart though they are not significantly so.
    turned_round : int
        Pairs that are significantly apart and ranked the other way round.
    inside_apart : int
        Those of `significant_inside` whose rank ranges lie apart.
    """

    significant: int
    significant_inside: int
    ranks: int
    changed: int
    apart_not_significant: int = 0
    turned_round: int = 0
    inside_apart: int = 0


def count_hidden(found: TaskComparison, metric: str) -> Hidden | None:
    """What the ranks hide; None of our own rule, which hides nothing."""
    ruled = [(result, result.ruled) for _, result in select_metric(found, metric).values() if result.ruled is not None]
    if not ruled:
        return None
    compared = [(len(result.systems), own.changed) for result, own in ruled if own.changed is not None]
    return Hidden(sum(pair.significant for result, _ in ruled for pair in result.pairs),
                  sum(own.significant_inside for _, own in ruled),
                  sum(n for n, _ in compared), sum(changed for _, changed in compared),
                  sum(own.apart_not_significant or 0 for _, own in ruled),
                  sum(turned_round(result) for result, _ in ruled), sum(own.inside_apart or 0 for _, own in ruled))


def describe_rule(found: TaskComparison, metric: str) -> str | None:
    """What the rule leaves out of account, and what it hides in this task, in sentences; None of our own rule."""
    rule, hidden = find_rank_rule(found), count_hidden(found, metric)
    if hidden is None:
        return None
    n, m = hidden.apart_not_significant, hidden.turned_round
    sentences = [
        f"Ranks {rule.title} ({rule.source}) leave out of account: {'; '.join(rule.ignores)}.",
        f"In this task {hidden.significant_inside} of {hidden.significant} significant pairs of systems "
        f"{inside_said(hidden.significant_inside, hidden.inside_apart)}.",
        f"{n} {'pair' if n == 1 else 'pairs'} that it ranks apart {'is' if n == 1 else 'are'} not significant."]
    if m:
        sentences.append(f"{counted(m, 'significant pair')} {'is' if m == 1 else 'are'} ranked the other way round, "
                         "the significantly worse system first.")
    if hidden.ranks:
        sentences.append(f"{hidden.changed} of {hidden.ranks} ranks of a system in a language pair differ from its "
                         "simultaneous rank interval.")
    if metric in found.macro and found.macro[metric].is_ranked:
        means = " of the mean over domains" * rule.by_domain
        sentences.append("Ranks across the language pairs are not by this rule: they stay simultaneous rank "
                         f"intervals{means}.")
    return " ".join(sentences)


def compare_decisions_with_intervals(found: TaskComparison, metric: str) -> list[str]:
    """Which to go by where decisions across the language pairs and the intervals beside them differ; empty where none
    do."""
    macro, settings = found.macro.get(metric), next((one.settings for one in found.pairs.values()), None)
    if macro is None or settings is None:
        return []
    parts = []
    for decided, words, zero in ((False, "not separated", "without"), (True, "significantly apart", "with")):
        n = sum(pair.decidable and (pair.better is not None) is decided and pair.ci_low is not None
                and pair.ci_high is not None and holds_zero(pair.ci_low, pair.ci_high) is decided
                for pair in macro.pairs)
        if n:
            parts.append(f"{n:,} {'is' if n == 1 else 'are'} {words} and {'has' if n == 1 else 'have'} an interval "
                         f"{zero} 0 in it")
    if not parts:
        return []
    corrected = settings.correction != "none" and len(macro.pairs) > 1
    why = f"An interval is for its pair alone and by another method{', a decision for all pairs' * corrected}"
    # a bootstrap of so few rejects too often to be gone by
    shaky = TESTS[settings.test].draws == "bootstrap" and any(
        worth < FEW_FOR_BOOTSTRAP for _, worth in _count_least_units(found, macro).values())
    by = "" if shaky else ": go by the decision"
    return [f"Of {counted(len(macro.pairs), 'pair')} of systems {', and '.join(parts)}. {why}{by}."]


# Where metrics disagree.


DISPUTES_NOTE = ("Opposite: each of two metrics decides, in another direction. Some decide: significant by one, not by "
                 "another. Only NAME: that metric alone decides. Of pairs of systems that all metrics have tested. To "
                 "try several metrics and keep one is to test more than once: choose the one that counts beforehand, "
                 "or report all.")
#: How to read `disputed_pairs_table`.
DISPUTED_PAIRS_NOTE = "Positive where a is better, for metrics where lower is better too; ● is significant."


def disputes_verdict(disputed: Sequence[Disputed]) -> str:
    """How often the metrics agree in all language pairs together, in a sentence without its full stop."""
    within = [one for one in disputed if one.language_pair is not None]
    metrics = ", ".join(dict.fromkeys(metric_title(name) for one in within for name in one.metrics))
    opposite, some, alike, lost = (sum(one.count(kind) for one in within) for kind in KINDS)
    decide = "one decides" if max((len(one.metrics) for one in within), default=0) == 2 else "some decide"
    where = counted(len(within), "language pair")
    if lost and lost == sum(len(one.pairs) for one in within):
        return f"{metrics}: all {lost:,} pairs of systems in {where} {FEW}"
    return (f"{metrics}: opposite on {opposite} of {opposite + some + alike} pairs of systems in "
            f"{where}, and only {decide} on {some}" + (f"; {lost:,} more {FEW}" if lost else ""))


# How a task was compared, ready for a paper; these sentences promise what the tests hold and no more.


_FEW_PAIRS_IN_SENTENCES = 5  # language pairs whose numbers are each said


def describe_tests(found: TaskComparison) -> list[str]:
    """How the language pairs were tested, in short phrases; several where they have not the same units."""
    phrases = [how_tested(comparison) for comparison in found.pairs.values()]
    tested = [" or ".join(dict.fromkeys(one[key] for one in phrases if key in one))
              for key in ("test", "trials", "seed", "alpha")]
    corrections = dict.fromkeys(comparison.settings.correction for comparison in found.pairs.values())
    ranks = [phrases[0]["rank_rule"]] if "rank_rule" in phrases[0] else []
    across = ", and across them" * any(macro.pairs for macro in found.macro.values())
    return [*filter(None, tested), f"correction {' or '.join(corrections)} within each language pair{across}", *ranks]


def task_methods(found: TaskComparison, metric: str) -> str:
    """What was compared, how it was tested in each language pair and across them, and what was assumed and left out:
    one paragraph of plain text, which says nothing of who won.

    Parameters
    ----------
    found : TaskComparison
    metric : str
        One that some language pair was compared by.
    """
    return " ".join([*describe_subject(found, metric, "We compared", "by"),
                     *describe_tests_within(select_metric(found, metric)), *describe_tests_across(found, metric),
                     *describe_basis(found, metric)])


def describe_subject(found: TaskComparison, metric: str, begin: str, by: str, named: bool = True) -> list[str]:
    """What was compared: systems and their track, task, language pairs (with their names), metric."""
    have = select_metric(found, metric)
    names = order_systems(found, metric)
    infos = [found.task.systems[name] for name in names if name in found.task.systems]
    closed = sum(info.constrained is True for info in infos)
    track = "" if not closed else ", all in the constrained track," if all(info.constrained for info in infos) else \
        f", {closed} of them in the constrained track,"
    beside = [word for info in infos for word in info.labels]
    if second := beside.count("contrastive"):
        track += f"{'' if track else ','} {second} of them contrastive, beside a primary one,"
    if human := beside.count("human translation"):
        whose = "a human translation" if human == 1 else "human translations"
        track += f"{'' if track else ','} {human} of them {whose},"
    result = next(iter(have.values()))[1]
    pairs = counted(len(have), "language pair") + f" ({listed(list(have))})" * named
    simulated = any(comparison.testset.simulated for comparison, _ in have.values())
    return [f"{begin} {counted(len(names), 'system')} of {printable(found.task.name)}{track} in {pairs} {by} "
            f"{metric_name(result)} ({direction(result.higher_is_better, differences=False)}).",
            *["The task is simulated: its texts and ratings are made up."] * simulated]


def describe_tests_within(have: Results) -> list[str]:
    """How pairs of systems were tested within each language pair, and what that is not worth where it lacks."""
    sentences = group_by_pair({pair: runs_sentences(result) for pair, (_, result) in have.items()})
    sentences += _describe_test(have)
    some = {pair: f"{before}{counted(comparison.testset.n_segments, 'segment')}{after}"
            for pair, (comparison, result) in have.items() for before, after in [segments_compared(comparison, result)]
            if before}
    sentences += [f"Two systems were compared on {_phrase_by_pair(some)}."] if some else []
    sentences += group_by_pair({pair: what_is_scored(*one) for pair, one in have.items()})
    sentences += describe_caveats(have) + _describe_ranks_within(have)
    kinds = _phrase_by_pair({pair: intervals_name(result, comparison.settings)
                             for pair, (comparison, result) in have.items()})
    settings = next(iter(have.values()))[0].settings
    return [*sentences, f"{level(settings)} confidence intervals of scores are {kinds}, each for its own system."]


def _describe_test(have: Results) -> list[str]:
    """The test, its units and trials, and the correction."""
    tested = {pair: (comparison.settings, result) for pair, (comparison, result) in have.items() if result.tested}
    if not tested:
        return []
    settings = next(iter(tested.values()))[0]
    test = TESTS[settings.test]
    units = _phrase_by_pair({pair: f"{units_name(own)} as units{trials_clause(result, own)}"
                             for pair, (own, result) in tested.items()})
    families = _name_families({pair: len(result.tested) for pair, (_, result) in have.items()})
    corrected = f"There was no correction for the number of pairs of systems: {families}." \
        if settings.correction == "none" else \
        f"p was corrected by the method of {CORRECTION_NAMES[settings.correction]} over the pairs of systems of each " \
        f"language pair ({families}), and not over the language pairs together."
    no_p = (f"This test gives no p: a system counts as better where it wins on at least {level(settings)} of the "
            "bootstrap samples.")
    return [f"In each language pair all differences between two systems were tested by "
            f"{TEST_NAMES.get(test.name, test.title)} ({test.source}) with {units}, and alpha = {settings.alpha:g}.",
            corrected, *[no_p] * (test.p_values is None)]


def _describe_ranks_within(have: Results) -> list[str]:
    """What the ranks within the language pairs are."""
    ranked = {pair: keeps_its_level(comparison) for pair, (comparison, result) in have.items()
              if result.systems[0].rank_low is not None}
    settings = next(iter(have.values()))[0].settings
    if ranked and settings.rank_rule != "simultaneous":
        return [f"Ranks within each language pair are {RANK_RULES[settings.rank_rule].title}."]
    if any(ranked.values()):
        where = "each language pair" if all(ranked.get(pair) for pair in have) else \
            listed([pair for pair, keeps in ranked.items() if keeps])
        return [f"Rank intervals hold jointly for all systems of {where}, not for the language pairs together."]
    if TESTS[settings.test].p_values is None and any(result.tested for _, result in have.values()):
        return ["There are no rank intervals: this test controls no error over all pairs of systems."]
    return []


def describe_caveats(have: Results) -> list[str]:
    """What the decisions of each language pair are not worth: in which none can be made, what is wrong with the test or
    the unit, and what therefore need not hold."""
    reasons = {pair: [f"{why}." for why in [cannot_decide(comparison.settings, result)] if why]
               + caveat_findings(comparison, result, here=False) for pair, (comparison, result) in have.items()}
    weak: dict[str, list[str]] = {}
    for pair, one in have.items():
        if parts := list_unreliable(*one):
            weak.setdefault(listed(parts, shown=False), []).append(pair)
    return group_by_pair(reasons) + [
        f"{'So' if len(pairs) == len(have) else f'In {listed(pairs)}'} {parts} need not hold at the level said."
        for parts, pairs in weak.items()]


def describe_tests_across(found: TaskComparison, metric: str) -> list[str]:
    """How systems were compared across the language pairs; why not, where they were not."""
    have, macro = select_metric(found, metric), found.macro.get(metric)
    if len(have) < 2 or macro is None:
        return []
    if not macro.pairs:
        return [explain_no_mean(found, metric)]
    settings = next(iter(have.values()))[0].settings
    n, missing = (sum((row.score is None) is lacks for row in macro.systems) for lacks in (False, True))
    m = len(macro.pairs)
    corrected = "A single pair of systems needs no correction" if m == 1 else \
        f"There was no correction for these {m} pairs of systems" if settings.correction == "none" else \
        f"p was corrected over these {m} pairs of systems by the method of {CORRECTION_NAMES[settings.correction]}"
    sentences = [f"Across the {len(have)} language pairs, which count the same, the mean difference of two systems was "
                 f"tested by the draws made within each language pair and averaged, so that p of language pairs were "
                 f"not combined. {corrected}."]
    if any(pair.ci_low is not None for pair in macro.pairs):
        kind = "jackknife t intervals, with degrees of freedom by Welch (1947)" if macro.ci == "jackknife-t" else \
            f"percentile bootstrap intervals from {settings.resamples} resamples"
        sentences.append(
            f"{level(settings)} intervals of mean differences are {kind}, each for its own pair of systems.")
    if missing:
        others = "the other one is" if missing == 1 else f"the other {missing} are"
        have_all = "has" if n == 1 else "have"
        sentences.append(f"{counted(n, 'system')} {have_all} all language pairs; {others} not ranked across them.")
    if unreliable := describe_caveats_across(found, metric):
        return sentences + unreliable
    if not macro.is_ranked:
        sentences.append("Nobody is ranked across them, as no pair of systems could be significant with so few trials "
                         "or units.")
    elif n > 1:
        sentences.append("Rank intervals across them hold jointly for all systems ranked there (Romano and Wolf 2005).")
    return sentences


def describe_caveats_across(found: TaskComparison, metric: str) -> list[str]:
    """That what is said across the language pairs need not hold at its level, where it need not."""
    have, macro = select_metric(found, metric), found.macro.get(metric)
    lacking = [pair for pair, (comparison, _) in have.items() if not keeps_its_level(comparison)]
    if not lacking or len(have) < 2 or macro is None or not any(pair.decidable for pair in macro.pairs):
        return []
    where = "these draws" if len(lacking) == len(have) else f"the draws in {listed(lacking)} too"
    return [f"What is said across them rests on {where}, so it need not hold at the level said either."]


def describe_basis(found: TaskComparison, metric: str) -> list[str]:
    """What was assumed of the metric, what was left out, and with what all was computed."""
    settings = next(iter(select_metric(found, metric).values()))[0].settings
    return [*map(printable, assumptions(found.task.assumed, [metric])), *describe_exclusions(found),
            computed_said(settings)]


def describe_exclusions(found: TaskComparison) -> list[str]:
    """Which systems were left out, in which language pair where it was not all, and why where somebody said so; no
    sentence where none was."""
    names = [one.system + (f" in {one.pair}" if one.pair else "") + (f" ({one.reason})" if one.reason else "")
             for one in found.excluded]
    return [f"Left out: {printable(', '.join(names))}."] if names else []


def describe_signatures(found: TaskComparison, metric: str) -> list[str]:
    """The signature, with the values of all language pairs in each field where they differ; and the digest."""
    signatures = {pair: result.signature for pair, (_, result) in select_metric(found, metric).items()}
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


def group_by_pair(sentences: Mapping[str, Sequence[str]]) -> list[str]:
    """Each sentence once, those that hold for all language pairs first, the others with theirs."""
    pairs: dict[str, list[str]] = {}
    for pair, own in sentences.items():
        for sentence in own:
            pairs.setdefault(sentence, []).append(pair)
    everywhere = [printable(sentence) for sentence, names in pairs.items() if len(names) == len(sentences)]
    return everywhere + [f"In {listed(names)}: {printable(sentence)}" for sentence, names in pairs.items()
                         if len(names) < len(sentences)]


def _name_families(families: Mapping[str, int]) -> str:
    """How many pairs of systems each language pair has, or of many language pairs the range."""
    sizes: Iterable[int] = set(families.values())
    if len(set(sizes)) == 1:
        return f"{next(iter(sizes))} in each"
    if len(families) > _FEW_PAIRS_IN_SENTENCES:
        return f"{min(sizes)} to {max(sizes)} of them"
    return listed([f"{n} in {pair}" for pair, n in families.items()])
