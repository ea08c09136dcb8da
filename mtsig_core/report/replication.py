"""Published scores beside ours, as a table, in sentences, as text, JSON and CSV; of a test set, or of a whole task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from itertools import groupby
from operator import attrgetter

from mtsig_core.metrics import metric_title
from mtsig_core.report.export import records_csv
from mtsig_core.report.sentences import join_names
from mtsig_core.report.table import EMPTY, Cell, Column, Table, join_tables
from mtsig_core.report.text import printable, table_text, terminal_width
from mtsig_core.schema import to_json, to_plain
from mtsig_core.stats.published_scores import RankReplication, Replication, ScoreBeside, TaskReplication
from mtsig_core.stats.ranks import RANK_RULES

_TICK, _CROSS = "✓", "✗"
_COLUMNS = (
    Column("system", "system", "name"), Column("metric", "metric", "name"), Column("printed", "published", "written"),
    Column("here", "here", "written"), Column("same", "same", "text"), Column("gives", "what would give it", "text"))
Either = Replication | TaskReplication


def _by_pair(found: Either) -> dict[str, Replication]:
    """By language pair; that of a test set alone has no name."""
    return dict(found.pairs) if isinstance(found, TaskReplication) else {"": found}


def replication_table(found: Either) -> Table:
    """The published score, ours to as many decimals, whether they are the same, and what would give it; of a task the
    language pair first."""
    tables = {pair: Table("replication", _COLUMNS, tuple(
        (row.system, row.column, Cell(row.printed, float(row.printed)), Cell(_ours(row), row.score),
         _TICK if row.agrees else _CROSS, EMPTY if row.agrees else _gives(row, of)) for row in of.rows))
        for pair, of in _by_pair(found).items()}
    if isinstance(found, TaskReplication):
        return join_tables("replication", Column("language_pair", "language pair", "name"), tables)
    return tables[""]


def _gives(row: ScoreBeside, of: Replication) -> str:
    if row.setting is None:
        return f"none of the {of.tried} settings that were tried"
    return f"{row.setting}, which gives {row.gives} of {of.n_numbers}"


def _ours(row: ScoreBeside) -> str:
    """Our score, with a decimal more where rounding hides the difference."""
    decimals = len(row.printed.partition(".")[2])
    text = f"{row.score:.{decimals}f}"
    return text if row.agrees or float(text) != float(row.printed) else f"{row.score:.{decimals + 2}f}"


def replication_sentences(found: Either) -> list[str]:
    """How many published scores come out by each metric, what to make of the others, and what could not be compared."""
    parts, texts = _by_pair(found), []
    for pair, of in parts.items():
        for column, rows in groupby(of.rows, attrgetter("column")):
            agree = [row.agrees for row in rows]
            texts.append(f"{pair}{', ' * bool(pair)}{column}: {sum(agree)} of {len(agree)} published scores come out "
                         "here, at the precision that they are published with.")
    others = [row for of in parts.values() for row in of.rows if not row.agrees]
    if any(row.gives == 1 for row in others):
        texts.append("A setting that gives only one published score may do so by chance.")
    if any(row.setting is None for row in others):
        texts.append("Where no setting gives the published score, the outputs or references may differ from those that "
                     "were scored.")
    for pair, of in parts.items():
        suffixes = join_names([f"{name} is {here}" for name, here in of.by_suffix.items()])
        texts += [f"{pair}{': ' * bool(pair)}{text}" for text in (
            *_list_differences(of.by_rule, {
                "Only here": of.only_here, "Only in the table": of.only_there,
                "Not compared, because this test set cannot be scored by them": of.not_compared}),
            *[f"The end of a name says which references score: {suffixes}."] * bool(suffixes))]
    if isinstance(found, TaskReplication):
        texts += _list_differences(found.by_rule, {"Language pairs only here": found.only_here,
                                                   "Language pairs only in the table": found.only_there})
    return texts


def ranks_of(found: Either) -> dict[str, RankReplication]:
    """By language pair the published ranks, where the table has any."""
    return {pair: of.ranks for pair, of in _by_pair(found).items() if of.ranks is not None}


def published_ranks_table(found: Either) -> Table:
    """The published rank of each system and that by the rule that gives most of them, each with its cluster."""
    tables = {}
    for pair, ranks in ranks_of(found).items():
        with_clusters = any(row.published.cluster for row in ranks.rows)
        table = Table("published-ranks", (
            Column("system", "system", "name"), Column("rank_published", "published", "rank"),
            Column("cluster_published", "cluster", "count"), Column("rule", "rule"), Column("rank", "here", "rank"),
            Column("cluster", "cluster here", "count"), Column("same", "same", "text")), tuple(
            (row.system, (row.published.low, row.published.high or row.published.low), row.published.cluster,
             RANK_RULES[ranks.rule].title, (row.ours[ranks.rule].low, row.ours[ranks.rule].high),
             row.ours[ranks.rule].cluster, _TICK if row.agrees(ranks.rule) else _CROSS) for row in ranks.rows))
        tables[pair] = table if with_clusters else table.without("cluster_published", "cluster")
    if "" in tables:
        return tables[""]
    keys = set.intersection(*({*table.keys} for table in tables.values())) if tables else set()
    return join_tables("published-ranks", Column("language_pair", "language pair", "name"), {
        pair: table.select(*(key for key in table.keys if key in keys)) for pair, table in tables.items()})


def rank_sentences(found: Either) -> list[str]:
    """Which rule gives a published ranking, for which systems it does not, and how many ranks other rules give."""
    texts = []
    for pair, ranks in ranks_of(found).items():
        n, best = len(ranks.rows), ranks.counts[ranks.rule]
        titles = [RANK_RULES[rule].title for rule, count in ranks.counts.items() if count == best]
        about = f"{pair}{', ' * bool(pair)}{metric_title(ranks.metric)}"
        others = [f"{RANK_RULES[rule].title} {count}" for rule, count in ranks.counts.items() if count < best]
        wrong = [row.system for row in ranks.rows if not row.agrees(ranks.rule)]
        said = "The published ranking comes out" if not wrong else f"{best} of {n} published ranks come out"
        texts.append(f"{about}: {said} with ranks {' and '.join(titles)}."
                     + f" Different here: {join_names(wrong)}." * bool(wrong)
                     + f" Other rules give fewer of the {n}: {', '.join(others)}." * bool(others))
        texts += [f"Not ranked here: {join_names(list(ranks.not_compared))}."] * bool(ranks.not_compared)
    return texts


def _list_differences(by_rule: Mapping[str, str], lists: Mapping[str, Sequence[str]]) -> list[str]:
    """Names that are written in another way in the table, and what only one of the two has."""
    same = [f"{name} as {here}" for name, here in by_rule.items() if name.lower() != here.lower()]
    texts = [f"Names that differ only in case, spaces, dots, dashes and underscores are the same: {join_names(same)}."
             ] if same else []
    return texts + [f"{text}: {join_names(list(names))}." for text, names in lists.items() if names]


def _text(found: Either) -> str:
    tables = ([published_ranks_table(found)] if ranks_of(found) else []) + (
        [replication_table(found)] if not ranks_of(found) or replication_table(found) else [])
    lines = [*map(printable, rank_sentences(found)), *[""] * bool(ranks_of(found))]
    for table in tables:
        lines += [*table_text(table, terminal_width()), ""]
    return "\n".join([*lines, *map(printable, replication_sentences(found))]) + "\n"


def _json(found: Either) -> str:
    record = to_plain(found)
    for one in record["pairs"].values() if isinstance(found, TaskReplication) else [record]:
        if one["ranks"] is None:  # a table of scores
            del one["ranks"]
    return to_json(record | {"sentences": [*rank_sentences(found), *replication_sentences(found)]})


def _csv(found: Either) -> str:
    columns = [one.name for one in fields(ScoreBeside)]
    rows: list[dict[str, object]] = [{"language_pair": pair, **asdict(row)} for pair, of in _by_pair(found).items()
                                     for row in of.rows]
    columns = ["language_pair"] * isinstance(found, TaskReplication) + columns
    if ranks_of(found):
        return records_csv([*({"table": "ranks", **row} for row in published_ranks_table(found).records()),
                            *({"table": "scores", **{key: row[key] for key in columns}} for row in rows)])
    return records_csv(rows, columns)


REPLICATION_FORMS = {"text": _text, "json": _json, "csv": _csv}
