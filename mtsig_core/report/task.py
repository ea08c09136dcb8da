"""A shared task as tables and in sentences; each format takes these.

The tables come first: systems by language pairs, pairs of systems, who stands first, where metrics disagree, training
runs. Then the sentences, in the order in which a reader meets them: the verdict, what has to be known before the ranks,
what the ranks are, where metrics disagree, and how it was tested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mtsig_core.errors import format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report import tables
from mtsig_core.report.caution_words import disagreement, list_names, otherwise_first
from mtsig_core.report.cells import written_like
from mtsig_core.report.palette import shortened
from mtsig_core.report.sentences import (
    ACROSS,
    CORRECTION_NAMES,
    TEST_NAMES,
    describe_settings,
    describe_version,
    join_names,
    name_intervals,
    name_metric,
    name_units,
    runs_sentences,
    write_level,
    write_trials_clause,
)
from mtsig_core.report.table import ROW_FORM, Column, Table, join_ends, join_tables
from mtsig_core.report.tables import cluster_ends
from mtsig_core.report.text import printable
from mtsig_core.report.words import (
    describe_compared_segments,
    describe_direction,
    describe_pairs_inside,
    describe_scored_segments,
    explain_no_decision,
    format_units,
    keeps_its_level,
    list_assumptions,
    list_caveat_findings,
    list_unreliable,
    pick_file_doubts,
    pick_qualifying,
)
from mtsig_core.results import Comparison, MacroResult, MetricResult, TaskComparison, TaskInfo
from mtsig_core.stats.across import AGREE, FEW, KINDS, MACRO_TESTS, NOT_ALIKE, UNDECIDED, Disputed, PairAcross
from mtsig_core.stats.arrays import contains_zero
from mtsig_core.stats.few_units import FEW_FOR_BOOTSTRAP, FEW_UNITS, rank_correction
from mtsig_core.stats.ranks import RANK_RULES, RankRule, count_reversed_pairs, find_top_group, has_clear_winner
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
               Column("ci", f"{write_level(settings)} interval", "interval", f"+{form}"), Column("p", "p", "p"),
               Column("adjusted_p", "adjusted p", "p"), Column("better", "better", "name"))
    rows = []
    for row in macro.pairs:
        a, b = name(found.task, row.a), name(found.task, row.b)
        rows.append((a, b, sign * row.delta, join_ends(row.ci_low, row.ci_high, sign), row.p_value, row.p_adjusted,
                     {"a": a, "b": b, None: "no significant difference" if row.decidable else UNDECIDED}[row.better]))
    return Table("head-to-head", columns, tuple(rows))


def tops_table(found: TaskComparison, metric: str) -> Table:
    """The top group of each language pair, best first, or why no system is ranked there; and the top group by
    simultaneous rank ranges where the ranks follow another rule."""
    rule = find_rank_rule(found)
    columns = [Column("language_pair", "language pair", "name"), Column("first", name_first_place(rule))]
    columns += [Column("first_simultaneous", "top group by simultaneous rank ranges")] * (rule.name != "simultaneous")
    rows = []
    for pair, (comparison, result) in select_metric(found, metric).items():
        first = [row.system for row in result.systems if row.rank_low == 1]
        why = "" if first else explain_no_ranks(comparison, result)
        simultaneous = first if result.ruled is None else result.ruled.first_held
        cells = [", ".join(first) or "no system is ranked" + (f" ({why})" if why else ""),
                 ", ".join(simultaneous) or "no system is ranked"]
        rows.append((pair, *cells[:len(columns) - 1]))
    return Table("first", tuple(columns), tuple(rows))


def runs_table(found: TaskComparison, metric: str) -> Table:
    """The systems that have several training runs, in each language pair and across them."""
    results: dict[str, MetricResult | MacroResult] = {
        pair: result for pair, (_, result) in select_metric(found, metric).items()}
    results |= {"all pairs": found.macro[metric]} if metric in found.macro else {}
    alpha = next(iter(found.pairs.values())).settings.alpha
    return _join_by_pair("runs", {pair: tables.runs_table(result, alpha) for pair, result in results.items()})


def pair_runs_table(found: TaskComparison, metric: str) -> Table:
    """The standard errors of each difference in each language pair that has training runs."""
    return _join_by_pair("pair-runs", {pair: tables.pair_runs_table(result)
                                       for pair, (_, result) in select_metric(found, metric).items()})


def _join_by_pair(key: str, parts: Mapping[str, Table]) -> Table:
    """The tables of language pairs one below the other; each row keeps the decimals of its language pair."""
    joined = join_tables(key, Column("language_pair", "language pair", "name"), parts)
    forms = [next(column.form for column in part.columns if column.form) for part in parts.values() for _ in part.rows]
    return replace(joined, row_forms=tuple(forms), columns=tuple(
        replace(column, form=ROW_FORM) if column.form else column for column in joined.columns))


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
    """What the systems with the first rank are called by a rule, as a title.

    >>> name_first_place(RANK_RULES["simultaneous"]), name_first_place(RANK_RULES["wmt25"])
    ('top group', 'first, ranked as WMT25')
    """
    return "top group" if rule.name == "simultaneous" else f"first, ranked {rule.title}"


def task_verdict(found: TaskComparison, metric: str) -> str:
    """Who is in the top group, in one sentence without its full stop: across the language pairs, or in the only one;
    else in how many a single system is better than all others."""
    have, macro, rule = select_metric(found, metric), found.macro.get(metric), find_rank_rule(found)
    title, where = metric_title(metric), format_count(len(have), "language pair") if len(have) > 1 else next(iter(have))
    if macro is not None and (first := [row.system for row in macro.systems if row.rank_low == 1]):
        n = sum(row.rank_low is not None for row in macro.systems)
        some = f"; {n} of {len(macro.systems)} systems took part in all" * (n < len(macro.systems))
        return _name_top(first, has_clear_winner(macro), n, f"across {where} ({title})") + some
    if len(have) == 1 and (names := find_top_group(have[where][1])) is not None:
        ours = rule.name == "simultaneous"
        only = have[where][1]
        return _name_top(names, has_clear_winner(only), len(only.systems), f"in {where} ({title})") if ours else \
            f"First in {where}, ranked {rule.title} ({title}): {', '.join(names)}"
    reasons = [explain_no_ranks(*one) for one in have.values()]
    if all(reasons):
        return f"No system is ranked in {'any of ' * (len(have) > 1)}{where} ({title}): " \
               f"{'; '.join(dict.fromkeys(filter(None, reasons)))}"
    n, better = sum(has_clear_winner(result) for _, result in have.values()), "significantly better than all others"
    alone = better if rule.name == "simultaneous" else f"the only first, ranked {rule.title},"
    return f"One system is {alone} in {n} of {where} ({title})"


def _name_top(names: Sequence[str], ahead: bool, n: int, where: str) -> str:
    others = "the other system" if n == 2 else f"the other {n - 1} systems"
    return f"{names[0]} is significantly better than {others} {where}" if ahead else \
        f"Top group {where}: {', '.join(names)}"


def explain_no_ranks(comparison: Comparison, result: MetricResult) -> str | None:
    """Why nobody is ranked where nothing can be decided, as a part of a sentence; None where something can be."""
    if len(result.systems) == 1:
        return "there is only one system"
    if TESTS[comparison.settings.test].p_values is None:
        return "this test controls no error over all pairs"
    why = explain_no_decision(comparison.settings, result, rank_correction(comparison.settings))
    return None if why is None else why[:1].lower() + why[1:]


# What has to be known before the ranks by a metric.


_FEW_PAIRS_NAMED = 6  # language pairs that a sentence names
_LONGEST = 40  # letters of a name in a sentence with many


def above_ranks(found: TaskComparison, metric: str) -> list[str]:
    """All that a reader has to know before the ranks by a metric, in sentences: whether anything says that it decides,
    whom others put on top, that segments are treated as independent, what is missing, what doubts there are."""
    asked = [caution.finding for caution in found.warnings if caution.metric == metric]
    noted = group_by_pair({pair: [caution.general for caution in pick_qualifying(*one) if caution.kind.above_ranks]
                           for pair, one in select_metric(found, metric).items()})
    return [*asked, *filter(None, [name_other_tops(found, metric)]), *noted, *describe_gaps(found, metric),
            *describe_doubts(found, metric)]


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
        f"{join_names(list(map(by, names)), shown=False)}" for names in groups.values()) + "."


def _find_overall_tops(found: TaskComparison) -> dict[str, tuple[Sequence[str], Sequence[str]]]:
    """By metric who is on top, across which language pairs or in which only one; without metrics that rank nobody."""
    tops: dict[str, tuple[Sequence[str], Sequence[str]]] = {}
    for name in list_metrics(found):
        have, macro = select_metric(found, name), found.macro.get(name)
        if macro is not None:
            tops[name] = tuple(row.system for row in macro.systems if row.rank_low == 1), macro.language_pairs
        elif len(have) == 1:
            tops[name] = find_top_group(next(iter(have.values()))[1]) or (), tuple(have)
    return {name: top for name, top in tops.items() if top[0]}


def name_pairs(pairs: Sequence[str]) -> str:
    """The names of language pairs; how many they are where a sentence has no room for them.

    >>> name_pairs(["en-cs", "en-fi"])
    'en-cs, en-fi'
    """
    return ", ".join(pairs) if len(pairs) <= _FEW_PAIRS_NAMED else format_count(len(pairs), "language pair")


def describe_gaps(found: TaskComparison, metric: str) -> list[str]:
    """What the table of a metric lacks, in sentences: language pairs that have no scores by it, and pairs of systems
    that nothing could decide; within the language pairs, then across them."""
    without = [pair for pair in found.task.pairs if pair not in found.task.pairs_with(metric)]
    sentences = [f"Excluded, because they have no {metric_title(metric)} scores: {', '.join(without)}."] if without \
        else []
    counts = {pair: (sum(not one.decidable for one in result.tested), len(result.tested))
              for pair, (_, result) in select_metric(found, metric).items() if result.ruled is None}  # rules count all
    some = {pair: "the only one" if m == 1 else f"all {n}" if n == m else f"{n} of the {m}"
            for pair, (n, m) in counts.items() if n}
    if some and metric in found.macro:
        where = join_names([f"{n} in {pair}" for pair, n in some.items()], shown=False) \
            if len(some) <= _FEW_PAIRS_NAMED else \
            f"{sum(n for n, _ in counts.values())} in {format_count(len(some), 'language pair')}"
        sentences.append(f"Wins, ties and losses exclude the pairs of systems that cannot be decided: {where}. "
                         "There are too few trials, or too few units that tell two systems apart.")
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
    sizes = [f"{format_units(found.pairs[pair].settings, n)}"
             + (f" worth {worth:.0f} of equal size" if round(worth) < n else "") + f" in {pair}"
             for pair, (n, worth) in sorted(units.items(), key=lambda one: one[1][1])]
    more = len(sizes) - _FEW_PAIRS_NAMED
    return join_names([*sizes[:_FEW_PAIRS_NAMED], *([f"so few in {more} more"] if more > 0 else [])], shown=False)


def describe_doubts(found: TaskComparison, metric: str) -> list[str]:
    """What puts the ranks by a metric in doubt, by language pair: texts that are hardly the right ones, where
    references disagree on who is ahead, why nobody is declared better in some pairs, and where ranks and decisions
    differ.

    By another rule than ours ranks have no correction within language pairs, and ours across them.
    """
    have = select_metric(found, metric)
    doubts = {pair: " ".join(filter(None, (
        *(caution.finding for caution in pick_file_doubts(one.warnings) if not result.was_given),
        disagreement(result, one.testset.n_segments),
        *(caution.finding for caution in one.warnings if caution.kind.beside_verdict and caution.metric == metric))))
        for pair, (one, result) in have.items()}
    sentences = [_list_by_pair(doubts)] if any(doubts.values()) else []
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
                {pair: f"{text}." for pair, text in differ.items() if text}))
    return sentences


def _list_by_pair(sentences: Mapping[str, str]) -> str:
    """The sentences of the first language pairs, and how many more have one."""
    items = [(pair, text) for pair, text in sentences.items() if text]
    first, more = items[:_FEW_PAIRS_NAMED], items[_FEW_PAIRS_NAMED:]
    if ACROSS in dict(more):  # of that there are no warnings
        first[-1] = ACROSS, sentences[ACROSS]
    return " ".join(f"{pair}: {text}" for pair, text in first) + (
        f" The same holds in {len(more)} more." if more else "")


# What the ranks are, and what another rule than ours hides.


def explain_marks(found: TaskComparison, metric: str, mark: str) -> list[str]:
    """What the ranks of `rank_table` are, which of them have a `mark`, and what a dash is, in sentences."""
    have, macro, rule = select_metric(found, metric), found.macro.get(metric), find_rank_rule(found)
    is_across = macro is not None and macro.is_ranked
    sentences = describe_ranks(have) if is_ranked(found, metric) else []
    if is_ranked(found, metric) or is_across:
        alike = all(one.settings.correction == rank_correction(one.settings) for one, _ in have.values())
        ours = "top group: no other system is significantly better" if alike else \
            "top group by rank range, which has a correction of its own"
        sentences.append(f"{mark} {ours}." if rule.name == "simultaneous" else f"{mark} {name_first_place(rule)}"
                         + f"; under all pairs: {ours}" * is_across + ".")
    return [*sentences, "A dash: no score, or no rank."]


def explain_ranking(found: TaskComparison, metric: str, mark: str, line: str = "A line") -> list[str]:
    """How to read `rank_table`, in sentences: its marks, its columns, and what separates clusters, a `line` or
    something else."""
    macro = found.macro.get(metric)
    sentences = [*explain_marks(found, metric, mark), "Under pairs: in how many language pairs a system has scores."]
    if macro is not None:
        by_rule = ", by the rule of the ranks" * any(
            result.ruled is not None for _, result in select_metric(found, metric).values())
        sentences += ["Under all pairs: its rank by the mean score over the language pairs."] * macro.is_ranked
        sentences.append(f"Wins, ties and losses are decisions within language pairs{by_rule}, added up.")
    return sentences + [f"{line} separates clusters: no rank range reaches across."] * bool(
        find_cluster_ends(found, metric))


def describe_ranks(have: Results) -> list[str]:
    """What the ranks within the language pairs are, and where they hold for all systems together."""
    settings, tested = next(iter(have.values()))[0].settings, any(result.tested for _, result in have.values())
    if TESTS[settings.test].p_values is None and tested and settings.rank_rule == "simultaneous":
        return ["There are no rank ranges: this test controls no error over all pairs of systems."]
    ranked = {pair: keeps_its_level(comparison) for pair, (comparison, result) in have.items()
              if result.systems[0].rank_low is not None}
    if not ranked:
        return []
    if settings.rank_rule != "simultaneous":
        return [f"Ranks within each language pair are {RANK_RULES[settings.rank_rule].title}."]
    held = [pair for pair, keeps in ranked.items() if keeps]
    if not held:
        return ["Rank ranges need not hold at the level said."]
    where = "each language pair" if len(held) == len(have) else join_names(held)
    return [f"Rank ranges hold jointly for all systems of {where}, not for the language pairs together"
            + f", and need not hold in {join_names([pair for pair in ranked if pair not in held])}"
            * (len(held) < len(ranked)) + "."]


@dataclass(frozen=True)
class Hidden:
    """What ranks by a rule hide under one metric, added up over the language pairs."""

    #: Pairs of systems with a significant difference.
    significant: int
    #: Those whose systems are in one cluster, with no line between them.
    significant_inside: int
    #: Ranks that could be compared with simultaneous rank ranges: one for each system and language pair.
    ranks: int
    #: Ranks that differ from them.
    changed: int
    #: Pairs of systems that the rule ranks apart without a significant difference.
    apart_not_significant: int = 0
    #: Significant pairs that are ranked the other way round.
    turned_round: int = 0
    #: Those of `significant_inside` whose rank ranges lie apart.
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
                  sum(count_reversed_pairs(result) for result, _ in ruled),
                  sum(own.inside_apart or 0 for _, own in ruled))


def describe_rule(found: TaskComparison, metric: str) -> str | None:
    """What the rule leaves out of account, and what it hides in this task, in sentences; None of our own rule."""
    rule, hidden = find_rank_rule(found), count_hidden(found, metric)
    if hidden is None:
        return None
    n, m = hidden.apart_not_significant, hidden.turned_round
    sentences = [
        f"Ranks {rule.title} ({rule.source}) leave out of account: {'; '.join(rule.ignores)}.",
        f"In this task {hidden.significant_inside} of {hidden.significant} significant pairs of systems "
        f"{describe_pairs_inside(hidden.significant_inside, hidden.inside_apart)}.",
        f"{n} {'pair' if n == 1 else 'pairs'} that it ranks apart {'is' if n == 1 else 'are'} not significant."]
    if m:
        sentences.append(f"{format_count(m, 'significant pair')} {'is' if m == 1 else 'are'} ranked the other way "
                         "round, the significantly worse system first.")
    if hidden.ranks:
        sentences.append(f"{hidden.changed} of {hidden.ranks} ranks of a system in a language pair differ from its "
                         "simultaneous rank interval.")
    if metric in found.macro and found.macro[metric].is_ranked:
        means = " of the mean over domains" * rule.by_domain
        sentences.append("Ranks across the language pairs are not by this rule: they stay simultaneous rank "
                         f"ranges{means}.")
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
                and pair.ci_high is not None and contains_zero(pair.ci_low, pair.ci_high) is decided
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
    return [f"Of {format_count(len(macro.pairs), 'pair')} of systems {', and '.join(parts)}. {why}{by}."]


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
    where = format_count(len(within), "language pair")
    if lost and lost == sum(len(one.pairs) for one in within):
        return f"{metrics}: all {lost:,} pairs of systems in {where} {FEW}"
    return (f"{metrics}: opposite on {opposite} of {opposite + some + alike} pairs of systems in "
            f"{where}, and only {decide} on {some}" + (f"; {lost:,} more {FEW}" if lost else ""))


# How a task was compared, ready for a paper; these sentences promise what the tests hold and no more.


_FEW_PAIRS_IN_SENTENCES = 5  # language pairs whose numbers are each said


def describe_tests(found: TaskComparison) -> list[str]:
    """How the language pairs were tested, in short phrases; several where they have not the same units."""
    phrases = [describe_settings(comparison) for comparison in found.pairs.values()]
    tested = [" or ".join(dict.fromkeys(one[key] for one in phrases if key in one))
              for key in ("test", "trials", "seed", "alpha")]
    corrections = dict.fromkeys(comparison.settings.correction for comparison in found.pairs.values())
    ranks = [phrases[0]["rank_rule"]] if "rank_rule" in phrases[0] else []
    across = ", and across them" * any(macro.pairs for macro in found.macro.values())
    return [*filter(None, tested), f"correction {' or '.join(corrections)} within each language pair{across}", *ranks]


def task_methods(found: TaskComparison, metric: str) -> str:
    """What was compared, how it was tested in each language pair and across them, and what was assumed and left out:
    one paragraph of plain text that names no winner.

    Parameters
    ----------
    found : TaskComparison
    metric : str
        One that some language pair was compared by.
    """
    have = select_metric(found, metric)
    settings = next(iter(have.values()))[0].settings
    return " ".join([
        *describe_subject(found, metric, "We compared", "by"), *describe_tests_within(have), *describe_ranks(have),
        *_describe_tests_across(found, metric), *describe_caveats(found, metric),
        *map(printable, list_assumptions(found.task.assumed, [metric])), *describe_exclusions(found),
        describe_version(settings)])


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
    pairs = format_count(len(have), "language pair") + f" ({join_names(list(have))})" * named
    simulated = any(comparison.testset.simulated for comparison, _ in have.values())
    return [f"{begin} {format_count(len(names), 'system')} of {printable(found.task.name)}{track} in {pairs} {by} "
            f"{name_metric(result)} ({describe_direction(result.higher_is_better, differences=False)}).",
            *["The task is simulated: its texts and ratings are made up."] * simulated]


def describe_tests_within(have: Results) -> list[str]:
    """How pairs of systems were tested within each language pair, and what that is not worth where it lacks."""
    sentences = group_by_pair({pair: runs_sentences(result) for pair, (_, result) in have.items()})
    sentences += _describe_test(have)
    some = {pair: f"{before}{format_count(comparison.testset.n_segments, 'segment')}{after}"
            for pair, (comparison, result) in have.items()
            for before, after in [describe_compared_segments(comparison, result)] if before}
    sentences += [f"Two systems were compared on {_phrase_by_pair(some)}."] if some else []
    sentences += group_by_pair({pair: describe_scored_segments(*one) for pair, one in have.items()})
    kinds = _phrase_by_pair({pair: name_intervals(result, comparison.settings)
                             for pair, (comparison, result) in have.items()})
    settings = next(iter(have.values()))[0].settings
    return [*sentences, f"{write_level(settings)} confidence intervals of scores are {kinds}, each for its own system."]


def _describe_test(have: Results) -> list[str]:
    """The test, its units and trials, and the correction."""
    tested = {pair: (comparison.settings, result) for pair, (comparison, result) in have.items() if result.tested}
    if not tested:
        return []
    settings = next(iter(tested.values()))[0]
    test = TESTS[settings.test]
    units = _phrase_by_pair({pair: f"{name_units(own)} as units{write_trials_clause(result, own)}"
                             for pair, (own, result) in tested.items()})
    families = _name_families({pair: len(result.tested) for pair, (_, result) in have.items()})
    corrected = f"There was no correction for the number of pairs of systems: {families}." \
        if settings.correction == "none" else \
        f"p was corrected by the method of {CORRECTION_NAMES[settings.correction]} over the pairs of systems of each " \
        f"language pair ({families}), and not over the language pairs together."
    no_p = (f"This test gives no p: a system counts as better where it wins on at least {write_level(settings)} of the "
            "bootstrap samples.")
    return [f"In each language pair all differences between two systems were tested by "
            f"{TEST_NAMES.get(test.name, test.title)} ({test.source}) with {units}, and alpha = {settings.alpha:g}.",
            corrected, *[no_p] * (test.p_values is None)]


def describe_caveats(found: TaskComparison, metric: str) -> list[str]:
    """What the decisions are not worth: in which language pairs none can be made, what is wrong with the test or the
    unit, and what therefore need not hold, across them too."""
    have, macro = select_metric(found, metric), found.macro.get(metric)
    reasons = {pair: [f"{why}." for why in [explain_no_decision(comparison.settings, result)] if why]
               + list_caveat_findings(comparison, result, here=False) for pair, (comparison, result) in have.items()}
    weak: dict[str, list[str]] = {}
    for pair, one in have.items():
        if parts := list_unreliable(*one):
            weak.setdefault(join_names(parts, shown=False), []).append(pair)
    sentences = group_by_pair(reasons) + [
        f"{'So' if len(pairs) == len(have) else f'In {join_names(pairs)}'} {parts} need not hold at the level said."
        for parts, pairs in weak.items()]
    lacking = [pair for pair, (comparison, _) in have.items() if not keeps_its_level(comparison)]
    if lacking and macro is not None and any(pair.decidable for pair in macro.pairs):
        where = "these draws" if len(lacking) == len(have) else f"the draws in {join_names(lacking)} too"
        sentences.append(f"Results across them rest on {where}, so they need not hold at the level said either.")
    return sentences


def _describe_tests_across(found: TaskComparison, metric: str) -> list[str]:
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
            f"{write_level(settings)} intervals of mean differences are {kind}, each for its own pair of systems.")
    if missing:
        others = "the other one is" if missing == 1 else f"the other {missing} are"
        have_all = "has" if n == 1 else "have"
        sentences.append(f"{format_count(n, 'system')} {have_all} all language pairs; {others} not ranked across them.")
    if not macro.is_ranked:
        sentences.append("Nobody is ranked across them, as no pair of systems could be significant with so few trials "
                         "or units.")
    elif n > 1 and all(keeps_its_level(comparison) for comparison, _ in have.values()):
        sentences.append("Rank ranges across them hold jointly for all systems ranked there (Romano and Wolf 2005).")
    return sentences


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
    return "; ".join(f"{phrase} ({join_names(names)})" for phrase, names in pairs.items())


def group_by_pair(sentences: Mapping[str, Sequence[str]]) -> list[str]:
    """Each sentence once, those that hold for all language pairs first, the others with theirs."""
    pairs: dict[str, list[str]] = {}
    for pair, own in sentences.items():
        for sentence in own:
            pairs.setdefault(sentence, []).append(pair)
    everywhere = [printable(sentence) for sentence, names in pairs.items() if len(names) == len(sentences)]
    return everywhere + [f"In {join_names(names)}: {printable(sentence)}" for sentence, names in pairs.items()
                         if len(names) < len(sentences)]


def _name_families(families: Mapping[str, int]) -> str:
    """How many pairs of systems each language pair has, or of many language pairs the range."""
    sizes: Iterable[int] = set(families.values())
    if len(set(sizes)) == 1:
        return f"{next(iter(sizes))} in each"
    if len(families) > _FEW_PAIRS_IN_SENTENCES:
        return f"{min(sizes)} to {max(sizes)} of them"
    return join_names([f"{n} in {pair}" for pair, n in families.items()])
