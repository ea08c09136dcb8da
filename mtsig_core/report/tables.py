"""The tables of a comparison, each made once with raw values: formats and pages choose of their
columns by key.

To add a column to the leaderboard, add it to `leaderboard_table`: text, LaTeX, HTML, CSV, notebook
and page have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import describe_gap, p_word
from mtsig_core.report.sentences import (
    ACROSS,
    Found,
    choose_form,
    explain_no_ranks,
    find_rank_rule,
    has_p_values,
    name_first_place,
    name_simultaneous,
    name_top_group,
    order_systems,
    see_anchor_pairs,
    see_pair,
    select_parts,
    write_level,
)
from mtsig_core.report.table import (
    EMPTY,
    ROW_FORM,
    Column,
    Table,
    join_ends,
    join_tables,
    signed,
    written_like,
)
from mtsig_core.results import (
    Comparison,
    MacroPair,
    MacroResult,
    MacroSystem,
    MetricResult,
    PairResult,
    PairRuns,
    Scores,
    Settings,
    SystemResult,
    SystemRuns,
    TaskComparison,
    TaskInfo,
)
from mtsig_core.stats.across import (
    AGREE,
    AGREEMENTS,
    NOT_ALIKE,
    RELATIONS,
    UNDECIDED,
    Disputed,
    PairAcross,
    pairs_across,
)
from mtsig_core.stats.ranks import RANK_RULES, find_other_leaders, find_top_group, has_clear_winner
from mtsig_core.stats.significance import is_split
from mtsig_core.task import SystemInfo
from mtsig_core.testset import TestSet, list_contents

#: A column, and what a row has in it.
_Part = tuple[Column, Callable[[Any], Any]]


def _table(
    key: str, parts: Sequence[_Part], rows: Iterable[Any], ruled: Iterable[int] = ()
) -> Table:
    return Table(
        key,
        tuple(column for column, _ in parts),
        tuple(tuple(value(row) for _, value in parts) for row in rows),
        ruled=frozenset(ruled),
    )


def _show(column: Column, is_shown: bool) -> Column:
    """The column, for files alone where readers do not need it."""
    return column if is_shown else replace(column, where="files")


# Systems


#: What the lines of `cluster_ends` say.
CLUSTERS_NOTE = "A line separates clusters: no rank range reaches over it."


def cluster_ends(systems: Sequence[SystemResult | MacroSystem]) -> set[int]:
    """The rows of a table of systems, best first, below which a line is drawn; the last row has
    none.

    >>> from mtsig_core.results import SystemResult
    >>> cluster_ends([SystemResult(name, 0.0, None, None, 1, 2, cluster) for name, cluster in zip("ABC", (1, 1, 2))])
    {1}
    """
    return {
        k
        for k, (row, below) in enumerate(pairwise(systems))
        if row.cluster is not None and below.cluster not in (None, row.cluster)
    }


def _metric_word(result: MetricResult) -> str:
    return f"{metric_title(result.metric)} {'↑' if result.higher_is_better else '↓'}"


def leaderboard_table(result: MetricResult, settings: Settings) -> Table:
    """The systems, best first: ranks, score and interval, the improvement over the best system (or
    the baseline) with its intervals, and wins, ties and losses, or with a baseline p and the
    decision. Files have all of these.
    """
    key, has_p = ("vs_baseline" if settings.baseline else "vs_best"), has_p_values(settings)
    compared, is_tally = bool(result.pairs), bool(result.pairs) and not settings.baseline
    form, interval = choose_form(result), f"{write_level(settings)} CI"
    means = " (segment mean)" * (
        result.ruled is not None and result.ruled.means is not None
    )  # no score of the rule
    seen = see_anchor_pairs(result, settings)

    def against(field: str) -> Callable[[SystemResult], Any]:
        return lambda row: getattr(seen[row.system], field) if row.system in seen else EMPTY

    jointly = name_simultaneous(result, settings) is not None
    with_p, with_wins = bool(settings.baseline) and has_p, bool(settings.baseline) and not has_p
    return _table(
        "systems",
        [
            *_system_parts(result, interval),
            (
                _show(Column(key, f"{key.replace('_', ' ')}{means}", "difference", form), compared),
                against("difference"),
            ),
            (
                _show(Column(f"{key}_ci", f"its {interval}", "interval", f"+{form}"), compared),
                against("ci"),
            ),
            (
                _show(
                    Column(f"{key}_ci_joint", f"{interval} for all pairs", "interval", f"+{form}"),
                    jointly,
                ),
                against("ci_joint"),
            ),
            (_show(Column(f"{key}_p", "p", "p"), with_p), against("p")),
            (
                _show(
                    Column(f"{key}_adjusted_p", p_word(settings.correction), "p"),
                    with_p and len(result.pairs) > 1,
                ),
                against("adjusted_p"),
            ),
            (_show(Column(f"{key}_win", "win", "share"), with_wins), against("win")),
            (_show(Column(f"{key}_lose", "lose", "share"), with_wins), against("lose")),
            (
                _show(Column(f"{key}_decision", "decision"), bool(settings.baseline)),
                against("decision"),
            ),
            *_tally_parts(result, is_tally),
            (Column("cluster", "cluster", "count", where="files"), lambda row: row.cluster),
        ],
        result.systems,
        cluster_ends(result.systems),
    )


def _system_parts(result: MetricResult, interval: str) -> list[_Part]:
    form = choose_form(result)
    runs = {
        row.system: (row.sd, row.sd_low, row.sd_high) for row in result.runs if row.sd is not None
    }
    return [
        (Column("metric", "metric", where="files"), lambda row: result.metric),
        (Column("rank", "rank", "rank"), lambda row: join_ends(row.rank_low, row.rank_high)),
        (Column("system", "system", "name"), lambda row: row.system),
        (Column("score", _metric_word(result), "score", form), lambda row: row.score),
        (Column("ci", interval, "interval", form), lambda row: join_ends(row.ci_low, row.ci_high)),
        *[(Column("sd", "SD between runs", "estimate", form), lambda row: runs.get(row.system))][
            : len(result.runs)
        ],
    ]


def _tally_parts(result: MetricResult, is_shown: bool = True) -> list[_Part]:
    """Wins, ties and losses; none where no pair can be decided."""
    known, tally = (
        result.ruled is not None or any(pair.decidable for pair in result.pairs),
        result.tally(),
    )

    def count(k: int) -> Callable[[SystemResult], Any]:
        return lambda row: tally[row.system][k] if known else None

    return [
        (_show(Column(key, key, "count"), is_shown), count(k))
        for k, key in enumerate(("wins", "ties", "losses"))
    ]


def systems_table(result: MetricResult) -> Table:
    """What a result says of its systems without the settings."""
    return _table(
        "systems",
        [*_system_parts(result, "interval"), *_tally_parts(result)],
        result.systems,
        cluster_ends(result.systems),
    )


def differences_table(result: MetricResult, settings: Settings) -> Table:
    """Of the leaderboard, the improvement of each system over the best, or over the baseline, and
    the decision.
    """
    table, key = (
        leaderboard_table(result, settings),
        "vs_baseline" if settings.baseline else "vs_best",
    )
    jointly = ["ci_joint"] if name_simultaneous(result, settings) is not None else []
    shown = [
        "ci",
        *jointly,
        *(["p", "adjusted_p"] if has_p_values(settings) else ["win", "lose"]),
        "decision",
    ]
    return table.pick_rows(
        k for k, value in enumerate(table.values(key)) if value != EMPTY
    ).show_only("system", key, *(f"{key}_{one}" for one in shown))


def add_metric_columns(table: Table, further: Sequence[MetricResult]) -> Table:
    """A table of systems with the score and the ranks by further metrics."""
    for result in further:
        rows = {
            row.system: (row.score, join_ends(row.rank_low, row.rank_high))
            for row in result.systems
        }
        table = table.with_columns(
            [
                Column(
                    f"score_{result.metric}", _metric_word(result), "score", choose_form(result)
                ),
                Column(f"rank_{result.metric}", "its rank", "rank"),
            ],
            [rows.get(name, (None, None)) for name in table.values("system")],
        )
    return table


def rank_changes_table(before: MetricResult, after: MetricResult) -> Table:
    """What excluding systems does to the ranks, and to wins, ties and losses, of every system."""

    def stand(result: MetricResult) -> dict[str, tuple[Any, str]]:
        tally = result.tally()
        return {
            row.system: (
                join_ends(row.rank_low, row.rank_high),
                "-".join(map(str, tally[row.system])),
            )
            for row in result.systems
        }

    now = stand(after)
    return _table(
        "rank-changes",
        [
            (Column("system", "system", "name"), lambda row: row[0]),
            (Column("rank_before", "rank with all", "rank"), lambda row: row[1][0]),
            (Column("rank", "rank now", "rank"), lambda row: now.get(row[0], ("excluded", ""))[0]),
            (Column("tally_before", "wins-ties-losses with all"), lambda row: row[1][1]),
            (Column("tally", "now"), lambda row: now.get(row[0], ("", ""))[1]),
        ],
        stand(before).items(),
    )


def by_reference_table(result: MetricResult) -> Table:
    """The top group by all references together and by each of them, and where these differ; no rows
    where there are not several references, or no ranks.
    """
    columns = (
        Column("reference", "reference"),
        Column("leaders", "top group"),
        Column("against", "against all together"),
    )
    together, others = find_top_group(result), find_other_leaders(result)
    if together is None or not result.by_reference:
        return Table("references", columns, ())
    n = max((pair.n for pair in result.pairs), default=0)
    systems = [row.system for row in result.systems]
    rows = [("all together", name_top_group(together, systems, has_clear_winner(result)), EMPTY)]
    for row in result.by_reference:
        some = f" ({row.n_segments:,} of {n:,} segments)" if row.n_segments < n else ""
        same = "same" if set(row.leaders) == set(together) else "more, on fewer segments"
        told = (
            name_top_group(row.leaders, systems, row.ahead),
            "differs" if row in others else same,
        )
        rows.append(
            (
                f"only {row.reference}{some}",
                *(told if row.decidable else ("cannot be decided", EMPTY)),
            )
        )
    return Table("references", columns, tuple(rows))


def scores_table(scores: Scores) -> Table:
    """The systems, and a column of scores for each metric."""
    parts: list[_Part] = [(Column("system", "system", "name"), lambda name: name)]
    for key, found in scores.metrics.items():
        by_system = {row.system: row.score for row in found.systems}
        form = written_like(by_system.values())
        parts.append((Column(key, metric_title(found.metric), "score", form), by_system.get))
    return _table("scores", parts, scores.testset.systems)


def exclusions_table(comparison: Comparison) -> Table:
    """The systems that were left out, and why."""
    return _table(
        "excluded",
        [
            (Column("system", "system", "name"), lambda one: one.system),
            (Column("reason", "reason"), lambda one: one.reason),
        ],
        comparison.excluded,
    )


# Pairs


#: Columns of `pairs_table` that say what could be seen of a pair.
DETECTABLE = ("se", "se_ratio", "min_difference", "min_difference_family", "segments")


def pairs_table(
    result: MetricResult | MacroResult,
    settings: Settings,
    most: int | None = None,
    name: Callable[[str], str] = str,
) -> Table:
    """All pairs, or the first `most`: the difference as an improvement of a, what was found, who is
    better, and what could be seen. Where pairs are compared on different segments, the number of
    these comes last. Of mean differences across language pairs there is less; `name` makes what a
    system is called.
    """
    level, form = f"{write_level(settings)} CI", choose_form(result)
    is_mean = isinstance(result, MacroResult)
    jointly = isinstance(result, MetricResult) and name_simultaneous(result, settings) is not None
    has_p, is_partial = (
        has_p_values(settings),
        len({getattr(pair, "n", 0) for pair in result.pairs}) > 1,
    )
    parts: list[_Part] = [
        (Column("pair", "pair", "pair"), lambda row: (name(row[0].a), name(row[0].b))),
        (
            Column(
                "difference", "mean difference" if is_mean else "difference", "difference", form
            ),
            lambda row: row[1].difference,
        ),
        (Column("ci", level, "interval", f"+{form}"), lambda row: row[1].ci),
        (
            _show(Column("ci_joint", f"{level} for all pairs", "interval", f"+{form}"), jointly),
            lambda row: row[1].ci_joint,
        ),
        (_show(Column("p", "p", "p"), has_p), lambda row: row[1].p),
        (
            _show(
                Column("adjusted_p", p_word(settings.correction), "p"),
                has_p and len(result.pairs) > 1,
            ),
            lambda row: row[1].adjusted_p,
        ),
        (_show(Column("win", "win", "share"), not has_p), lambda row: row[1].win),
        (_show(Column("lose", "lose", "share"), not has_p), lambda row: row[1].lose),
        (Column("better", "better"), lambda row: _name_better(row[0], name)),
    ]
    parts += (
        []
        if is_mean
        else [
            (Column("se", "SE", "score", form), lambda row: row[0].se),
            (Column("se_ratio", "SE doc/seg", "score"), lambda row: row[0].se_ratio),
            (
                Column("min_difference", "smallest detectable", "estimate", form),
                lambda row: (
                    None if row[0].mdd is None else (row[0].mdd, row[0].mdd_low, row[0].mdd_high)
                ),
            ),
            (
                _show(Column("min_difference_family", "for the family", "score", form), jointly),
                lambda row: row[0].mdd_family,
            ),
            (_show(Column("segments", "segments", "count"), is_partial), lambda row: row[0].n),
        ]
    )
    if isinstance(result, MetricResult) and result.has_rule_decisions:
        parts += _rule_parts(result, settings, name)
    return _table(
        "head-to-head" if is_mean else "pairs",
        parts,
        ((pair, see_pair(pair, pair.a, result, settings)) for pair in result.pairs[:most]),
    )


def _rule_parts(
    result: MetricResult, settings: Settings, name: Callable[[str], str]
) -> list[_Part]:
    """What the rule of the ranks says of a pair: its own difference, its p and the better
    system.
    """
    title = RANK_RULES[settings.rank_rule].title

    def improvement(row: Any) -> float | None:
        pair = row[0]
        return None if pair.rule_delta is None else result.sign * pair.rule_delta

    def better(row: Any) -> str | None:
        pair = row[0]
        if pair.rule_better is None:
            return None
        return name(pair.a if pair.rule_better == "a" else pair.b)

    has_p = any(pair.rule_p is not None for pair in result.pairs)
    return [
        (
            Column("rule_difference", f"difference {title}", "difference", choose_form(result)),
            improvement,
        ),
        (_show(Column("rule_p", f"p {title}", "p"), has_p), lambda row: row[0].rule_p),
        (Column("rule_better", f"better {title}"), better),
    ]


def _name_better(pair: PairResult | MacroPair, name: Callable[[str], str]) -> str | None:
    """Who is better; None where neither is, and what there is to say where that could not be
    decided on average.
    """
    if pair.better is None:
        return UNDECIDED if isinstance(pair, MacroPair) and not pair.decidable else None
    return name(pair.a if pair.better == "a" else pair.b)


def matrix_cells(result: MetricResult) -> dict[tuple[str, str], float | None]:
    """By the systems of row and column.

    Above the diagonal the difference row minus column, positive where the row is better; below it
    the adjusted p, or for a test without p the share of resamples that the better system wins.
    """
    place = {row.system: k for k, row in enumerate(result.systems)}
    cells: dict[tuple[str, str], float | None] = {}
    for pair in result.pairs:
        upper, lower = sorted((pair.a, pair.b), key=place.__getitem__)
        cells[upper, lower] = result.sign * pair.delta * (1 if pair.a == upper else -1)
        cells[lower, upper] = (
            pair.p_adjusted if pair.win is None or pair.lose is None else max(pair.win, pair.lose)
        )
    return cells


def numbered_matrix(result: MetricResult) -> Table:
    """The matrix of one metric for a page: columns are numbered, and what is significant stands
    out.
    """
    names = [row.system for row in result.systems]
    place = {name: k for k, name in enumerate(names)}
    below = "share" if any(pair.win is not None for pair in result.pairs) else "p"
    table = _against_each_other(
        "matrix", names, matrix_cells(result), None, "difference", choose_form(result)
    )
    marks = {
        (min(ends), str(max(ends) + 1))
        for pair in result.pairs
        if pair.significant
        for ends in [(place[pair.a], place[pair.b])]
    }
    lower = {(i, str(j + 1)): below for i in range(len(names)) for j in range(i)}
    return replace(table, marks=marks, other_kinds=lower)


def starred_matrix(result: MetricResult, name: Callable[[str], str] = str) -> Table:
    """The matrix of one metric in print: differences row minus column, with marks for small
    adjusted p. By a rule of ranks other than ours they are the differences of that rule, with marks
    for its p.
    """
    form, cells = choose_form(result), dict[tuple[str, str], str]()
    for pair in result.pairs:
        delta = pair.rule_delta if result.has_rule_decisions else pair.delta
        stars = _mark_by_rule(pair) if result.has_rule_decisions else _mark_p(pair.p_adjusted)
        if delta is None:
            continue
        improvement = result.sign * delta
        cells[pair.a, pair.b] = signed(improvement, form) + stars
        cells[pair.b, pair.a] = signed(-improvement, form) + stars
    names = [row.system for row in result.systems]
    table = _against_each_other("starred", names, cells, None)
    return replace(
        table, rows=tuple((number, name(system), *row) for number, system, *row in table.rows)
    )


def _mark_p(p: float | None) -> str:
    """The mark of a p; none where it is not small, or missing."""
    if p is None:
        return ""
    for level, mark in _STARS:
        if p < level:
            return mark
    return ""


def _mark_by_rule(pair: PairResult) -> str:
    """The mark of a pair that a rule of ranks decides: by its p, or a star where the rule has
    none.
    """
    if pair.rule_better is None:
        return ""
    return _mark_p(pair.rule_p) or _STARS[-1][1]


_STARS = ((0.001, "\N{DOUBLE DAGGER}"), (0.01, "\N{DAGGER}"), (0.05, "*"))


def signs_table(result: MetricResult, settings: Settings) -> Table:
    """Row against column: > significantly better, < significantly worse, . not significant, ?
    cannot be decided, ! test and scores disagree, - not tested. By a rule of ranks other than ours:
    > better by that rule, < worse, . neither.
    """
    signs: dict[tuple[str, str], str] = {}
    for pair in result.pairs:
        if result.has_rule_decisions:
            sign = _SIGN_OF_BETTER[pair.rule_better]
        else:
            sign = _sign_of(pair, settings)
        signs[pair.a, pair.b] = sign
        signs[pair.b, pair.a] = {">": "<", "<": ">"}.get(sign, sign)
    return _against_each_other("signs", [row.system for row in result.systems], signs, ".")


_SIGN_OF_BETTER = {"a": ">", "b": "<", None: "."}


def _sign_of(pair: PairResult, settings: Settings) -> str:
    """The sign of a pair by our test, its first system against its second."""
    if pair.n == 0:
        return "-"
    if not pair.decidable:
        return "?"
    if is_split(pair, settings.alpha):
        return "!"
    return _SIGN_OF_BETTER[pair.better]


def relations_table(results: Sequence[MetricResult]) -> Table:
    """Fig. 3 of Zhang and Vogel (2004): each system against each, a sign for every metric.

    ``>`` the system of the row is significantly better, ``<`` worse, ``~`` neither; metrics in
    their order.
    """
    signs = {
        ends: "".join(RELATIONS[side * decision] for decision in pair.decisions)
        for pair in pairs_across(results)
        for side, ends in ((1, (pair.a, pair.b)), (-1, (pair.b, pair.a)))
    }
    gone = without_relation(results)
    return _against_each_other(
        "relations", [row.system for row in results[0].systems if row.system not in gone], signs
    )


def _against_each_other(
    key: str,
    names: Sequence[str],
    cells: Mapping[tuple[str, str], Any],
    other: Any = EMPTY,
    kind: str = "sign",
    form: str = "",
) -> Table:
    rows = tuple(
        (
            k,
            name,
            *(EMPTY if column == name else cells.get((name, column), other) for column in names),
        )
        for k, name in enumerate(names, 1)
    )
    return Table(
        key,
        (
            Column("number", "", "count"),
            Column("system", "system", "name"),
            *(Column(str(k), str(k), kind, form) for k in range(1, len(names) + 1)),
        ),
        rows,
    )


def without_relation(results: Sequence[MetricResult]) -> list[str]:
    """The systems of which no pair is compared by all metrics, so that `relations_table` lacks
    them.
    """
    paired = {name for pair in pairs_across(results) for name in (pair.a, pair.b)}
    return [row.system for row in results[0].systems if row.system not in paired]


def across_table(results: Sequence[MetricResult], settings: Settings) -> Table:
    """Every pair under every metric, contradictions first: its improvement by each and whether that
    is significant, and what they say together; files have all that each metric found, and its
    sign.
    """
    found = [{frozenset((pair.a, pair.b)): pair for pair in result.pairs} for result in results]
    pairs = sorted(pairs_across(results), key=lambda pair: AGREEMENTS.index(pair.kind))
    parts: list[_Part] = [(Column("pair", "pair", "pair"), lambda across: (across.a, across.b))]
    for k, (result, table) in enumerate(zip(results, found, strict=True)):
        parts += _across_parts(k, result, table, settings)
    return _table(
        "pairs-across",
        [*parts, (Column("together", "together"), lambda across: across.kind)],
        pairs,
    )


def _across_parts(
    k: int, result: MetricResult, table: dict[frozenset[str], PairResult], settings: Settings
) -> list[_Part]:
    def seen(field: str) -> Callable[[Any], Any]:
        return lambda across: getattr(
            see_pair(table[frozenset((across.a, across.b))], across.a, result, settings), field
        )

    files = [
        ("ci", "interval"),
        ("p", "p"),
        ("adjusted_p", "p"),
        ("win", "share"),
        ("lose", "share"),
    ]
    return [
        (
            Column(
                f"improvement_{result.metric}",
                metric_title(result.metric),
                "decided",
                choose_form(result),
            ),
            lambda across: (across.improvements[k], across.decisions[k] != 0),
        ),
        *(
            (Column(f"{field}_{result.metric}", field, kind, where="files"), seen(field))
            for field, kind in files
        ),
        (
            Column(f"segments_{result.metric}", "segments", "count", where="files"),
            lambda across: table[frozenset((across.a, across.b))].n,
        ),
        (
            Column(f"relation_{result.metric}", "relation", "sign", where="files"),
            lambda across: RELATIONS[across.decisions[k]],
        ),
    ]


def pick_unlike(table: Table) -> Table:
    """Of `across_table`, the pairs on which metrics do not agree."""
    return table.pick_rows(
        k for k, kind in enumerate(table.values("together")) if kind in NOT_ALIKE
    )


# Training runs


def runs_table(found: Found, metric: str) -> Table:
    """Of each system that has several runs their number, SD with its interval, and scores; of a
    task in each language pair and across them.
    """
    parts: dict[str, tuple[Settings, MetricResult | MacroResult]] = {
        part: (one.settings, result) for part, (one, result) in select_parts(found, metric).items()
    }
    if isinstance(found, TaskComparison) and metric in found.macro:
        parts["all pairs"] = next(iter(parts.values()))[0], found.macro[metric]
    return _join_parts("runs", {part: _runs_table(*one) for part, one in parts.items()})


def _runs_table(settings: Settings, result: MetricResult | MacroResult) -> Table:
    several = [row for row in result.runs if len(row.scores) > 1]
    form = written_like(score for row in several for score in row.scores)
    return _table(
        "runs",
        [
            (Column("system", "system", "name"), lambda row: row.system),
            (Column("runs", "runs", "count"), lambda row: len(row.scores)),
            (
                Column("sd", f"SD between runs, {write_level(settings)} CI", "estimate", form),
                lambda row: (row.sd, row.sd_low, row.sd_high),
            ),
            (
                Column("scores", "scores of its runs"),
                lambda row: ", ".join(f"{score:{form}}" for score in row.scores),
            ),
        ],
        several,
    )


def pair_runs_table(found: Found, metric: str) -> Table:
    """Standard errors of each difference, from the test set, from the runs, and from both."""
    titles = {
        "se_testset": "SE of the test set",
        "se_runs": "SE between runs",
        "se_total": "SE of both",
    }
    return _join_parts(
        "pair-runs",
        {
            part: _table(
                "pair-runs",
                [
                    (Column("pair", "pair", "pair"), lambda row: (row.a, row.b)),
                    *(
                        (
                            Column(key, title, "score", choose_form(result)),
                            lambda row, key=key: getattr(row, key),
                        )
                        for key, title in titles.items()
                    ),
                ],
                result.pair_runs,
            )
            for part, (_, result) in select_parts(found, metric).items()
        },
    )


def _join_parts(key: str, parts: Mapping[str, Table]) -> Table:
    """The tables of language pairs one below the other; each row keeps the decimals of its language
    pair.
    """
    if "" in parts:
        return parts[""]
    joined = join_tables(key, Column("language_pair", "language pair", "name"), parts)
    forms = [
        next(column.form for column in part.columns if column.form)
        for part in parts.values()
        for _ in part.rows
    ]
    return replace(
        joined,
        row_forms=tuple(forms),
        columns=tuple(
            replace(column, form=ROW_FORM) if column.form else column for column in joined.columns
        ),
    )


def with_run_records(
    rows: Iterable[SystemResult | MacroSystem | PairResult | MacroPair],
    runs: Sequence[SystemRuns | PairRuns],
) -> list[dict[str, Any]]:
    """Rows of CSV with what their training runs add, where there are any; the scores of the runs
    have own rows.
    """

    def of(record: dict[str, Any]) -> tuple[Any, ...]:
        return record.get("system"), record.get("a"), record.get("b")

    more = {
        of(one): {key: value for key, value in one.items() if key != "scores"}
        for one in map(asdict, runs)
    }
    return [row | more.get(of(row), {}) for row in map(asdict, rows)]


def single_runs(result: MetricResult | MacroResult) -> list[dict[str, Any]]:
    """Rows of CSV: the score of each training run."""
    return [
        {"system": row.system, "run": k, "score": score}
        for row in result.runs
        for k, score in enumerate(row.scores, 1)
    ]


# What a test set holds


_TEXTS = ("reference", "system", "training run", "source")


def inventory_table(testset: TestSet) -> Table:
    """What is there; what is not counted of a text is None, what other things do not have is left
    empty.
    """

    def count(key: str) -> Callable[[Any], Any]:
        return lambda row: (
            EMPTY if getattr(row, key) is None and row.role not in _TEXTS else getattr(row, key)
        )

    parts: list[_Part] = [
        (Column("role", "role", "name"), lambda row: row.role),
        (
            Column("name", "name", "name"),
            lambda row: row.name if row.gap is None else describe_gap(row.gap),
        ),
        *(
            (Column(key, key, "count"), count(key))
            for key in ("segments", "words", "characters", "empty", "repeated")
        ),
    ]
    if testset.scores:
        parts.append(
            (
                Column("scores", "scores", "count"),
                lambda row: EMPTY if row.scores is None else row.scores,
            )
        )
    return _table("inventory", parts, list_contents(testset))


# A shared task: systems by language pairs, who is on top in each, where its metrics disagree.


MOST_PAIRS = 8  # language pairs in one table on paper


def name_system(task: TaskInfo, name: str) -> str:
    """The name of a system, what to call it in print where the table of systems says so, and
    whether it is contrastive or a human translation.

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


def split_columns(table: Table, pairs: Sequence[str]) -> list[Table]:
    """The table in several, each with a few of the columns of language pairs; the first has the
    columns before them, the last those behind.
    """
    keys, n = table.keys, len(pairs)
    before, behind = keys[1 : keys.index(pairs[0])], keys[keys.index(pairs[-1]) + 1 :]
    return [
        table.select(
            keys[0],
            *(before if not k else ()),
            *pairs[k : k + MOST_PAIRS],
            *(behind if k + MOST_PAIRS >= n else ()),
        )
        for k in range(0, n, MOST_PAIRS)
    ]


def rank_table(
    found: TaskComparison, metric: str, name: Callable[[TaskInfo, str], str] = name_system
) -> Table:
    """The ranks of each system across the language pairs and in each of them; the number of
    language pairs in which it has a score; its mean score, wins, ties and losses.

    Marked: ranks that reach the first. Grey: systems that are not in the constrained track. Ruled:
    ends of clusters. `name` makes what a system is called.
    """
    parts, macro, infos = select_parts(found, metric), found.macro.get(metric), found.task.systems
    within = {
        pair: {row.system: row for row in result.systems} for pair, (_, result) in parts.items()
    }
    across = {row.system: row for row in macro.systems} if macro is not None else {}
    judged = {
        system
        for _, result in parts.values()
        for pair in result.tested
        if pair.decidable or result.ruled is not None
        for system in (pair.a, pair.b)
    }

    def rank(rows: Mapping[str, SystemResult | MacroSystem]) -> Callable[[str], Any]:
        return lambda system: (
            join_ends(rows[system].rank_low, rows[system].rank_high) if system in rows else None
        )

    def count(key: str) -> Callable[[str], Any]:
        return lambda system: getattr(across[system], key) if system in judged else None

    form = written_like(row.score for _, result in parts.values() for row in result.systems)
    systems = order_systems(found, metric)
    ends = (
        cluster_ends(macro.systems)
        if macro is not None
        else cluster_ends(next(iter(parts.values()))[1].systems)
        if len(parts) == 1
        else set()
    )
    table = _table(
        "ranking",
        [
            (Column("system", "system", "name"), lambda system: name(found.task, system)),
            *[(Column("rank", "rank across", "rank"), rank(across))] * bool(across),
            (
                Column("n_pairs", "language pairs", "count"),
                lambda system: sum(system in rows for rows in within.values()),
            ),
            *((Column(pair, pair, "rank"), rank(rows)) for pair, rows in within.items()),
            *(
                [
                    (
                        Column("score", "mean score", "score", form),
                        lambda system: across[system].score,
                    ),
                    *(
                        (Column(key, key, "count"), count(key))
                        for key in ("wins", "ties", "losses")
                    ),
                ]
                if across
                else []
            ),
        ],
        systems,
        ends,
    )
    marks = {
        (k, key)
        for key in table.keys
        if key in ("rank", *within)
        for k, ranks in enumerate(table.values(key))
        if ranks is not None and ranks[0] == 1
    }
    return replace(table, marks=marks, grey=find_unconstrained(systems, infos))


def find_unconstrained(systems: Sequence[str], infos: Mapping[str, SystemInfo]) -> set[int]:
    """The rows of systems that are known not to be in the constrained track; none where no system
    is in it. A system of unknown track and a human translation are in neither track.
    """
    if not any(info.constrained for info in infos.values()):
        return set()
    known = {
        name for name, info in infos.items() if info.constrained is False and info.kind != "human"
    }
    return {row for row, name in enumerate(systems) if name in known}


def tops_table(found: TaskComparison, metric: str) -> Table:
    """The top group of each language pair, best first, or why no system is ranked there; and the
    top group by simultaneous rank ranges where the ranks follow another rule.
    """
    rule = find_rank_rule(found)
    columns = [
        Column("language_pair", "language pair", "name"),
        Column("first", name_first_place(rule)),
    ]
    columns += [Column("first_simultaneous", "top group by simultaneous rank ranges")] * (
        rule.name != "simultaneous"
    )
    rows = []
    for pair, (comparison, result) in select_parts(found, metric).items():
        first = [row.system for row in result.systems if row.rank_low == 1]
        why = "" if first else explain_no_ranks(comparison, result)
        simultaneous = first if result.ruled is None else result.ruled.first_held
        cells = [
            ", ".join(first) or "no system is ranked" + (f" ({why})" if why else ""),
            ", ".join(simultaneous) or "no system is ranked",
        ]
        rows.append((pair, *cells[: len(columns) - 1]))
    return Table("first", tuple(columns), tuple(rows))


def dispute_counts_table(disputed: Sequence[Disputed]) -> Table:
    """A row for each language pair, one for their sum, and one for the decisions on mean
    differences across them: pairs of systems by how metrics decide together, and those that one
    metric alone decides.
    """
    metrics = list(dict.fromkeys(name for one in disputed for name in one.metrics))
    kinds = [
        AGREE,
        "significant by some",
        "opposite",
        *[UNDECIDED] * any(one.count(UNDECIDED) for one in disputed),
    ]
    columns = (
        Column("language_pair", "language pair", "name"),
        Column("n_pairs", "pairs of systems", "count"),
        *(
            Column(kind.replace(" ", "_"), "alike" if kind == AGREE else kind, "count")
            for kind in kinds
        ),
        *(Column(f"only_{name}", f"only {metric_title(name)}", "count") for name in metrics),
    )

    def row(title: str, parts: Sequence[Disputed]) -> tuple[Any, ...]:
        only = [[one.alone(name) for one in parts if name in one.metrics] for name in metrics]
        return (
            title,
            sum(len(one.pairs) for one in parts),
            *(sum(one.count(kind) for one in parts) for kind in kinds),
            *(sum(counts) if counts else None for counts in only),
        )

    within = [one for one in disputed if one.language_pair is not None]
    rows = [row(str(one.language_pair), [one]) for one in within]
    rows += [row("sum of the language pairs", within)] if len(within) > 1 else []
    rows += [
        row(f"{ACROSS}, by mean difference", [one]) for one in disputed if one.language_pair is None
    ]
    return Table("disagreement", columns, tuple(rows))


def disputed_pairs_table(disputed: Sequence[Disputed]) -> Table:
    """The pairs of systems on which the metrics do not agree, contradictions first: the improvement
    of a over b by each metric, and whether it is significant.
    """
    metrics = list(dict.fromkeys(name for one in disputed for name in one.metrics))
    forms = {
        name: written_like(
            pair.improvements[one.metrics.index(name)]
            for one in disputed
            if name in one.metrics
            for pair in one.pairs
        )
        for name in metrics
    }
    columns = (
        Column("language_pair", "language pair", "name"),
        Column("a", "a", "name"),
        Column("b", "b", "name"),
        Column("together", "together"),
        *(Column(name, metric_title(name), "decided", forms[name]) for name in metrics),
    )
    rows = []
    for one, pair in list_disputed_pairs(disputed):
        by = {
            name: (value, decision != 0)
            for name, value, decision in zip(
                one.metrics, pair.improvements, pair.decisions, strict=True
            )
        }
        rows.append((one.language_pair or ACROSS, pair.a, pair.b, pair.kind, *map(by.get, metrics)))
    return Table("disputed-pairs", columns, tuple(rows))


def list_disputed_pairs(disputed: Sequence[Disputed]) -> list[tuple[Disputed, PairAcross]]:
    """The pairs of systems on which metrics do not agree, contradictions first."""
    return [
        (one, pair)
        for kind in NOT_ALIKE
        for one in disputed
        for pair in one.pairs
        if pair.kind == kind
    ]
