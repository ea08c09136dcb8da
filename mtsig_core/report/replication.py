"""Printed scores beside ours, as a table, in sentences, as text, JSON and CSV; of a test set, or of a whole task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields

from mtsig_core.report.export import records_csv
from mtsig_core.report.sentences import join_names
from mtsig_core.report.table import EMPTY, Cell, Column, Table, join_tables
from mtsig_core.report.text import printable, table_text, terminal_width
from mtsig_core.schema import to_json, to_plain
from mtsig_core.stats.published_scores import Replication, ScoreBeside, TaskReplication

_TICK, _CROSS = "✓", "✗"
_COLUMNS = (
    Column("system", "system", "name"), Column("metric", "metric", "name"), Column("printed", "printed", "written"),
    Column("here", "here", "written"), Column("same", "same", "text"), Column("gives", "what would give it", "text"))
Either = Replication | TaskReplication


def _by_pair(found: Either) -> dict[str, Replication]:
    """By language pair; that of a test set alone has no name."""
    return dict(found.pairs) if isinstance(found, TaskReplication) else {"": found}


def replication_table(found: Either) -> Table:
    """The printed score, ours to as many decimals, whether they are the same, and what would give it; of a task the
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
        return "nothing that was tried"
    return f"{row.setting}, which gives {row.gives} of {of.n_numbers}"


def _ours(row: ScoreBeside) -> str:
    """Our score, with a decimal more where rounding hides the difference."""
    decimals = len(row.printed.partition(".")[2])
    text = f"{row.score:.{decimals}f}"
    return text if row.agrees or float(text) != float(row.printed) else f"{row.score:.{decimals + 2}f}"


def replication_sentences(found: Either) -> list[str]:
    """How many printed numbers come out by each metric, what would give the others, and what could not be compared."""
    parts = _by_pair(found)
    texts = [f"{pair}{', ' * bool(pair)}{column}: {sum(row.agrees for row in rows)} of {len(rows)} printed numbers "
             "come out here, at the precision that they are printed with."
             for pair, of in parts.items() for column, rows in _by_column(of).items()]
    texts += [*_name_settings(parts), *_name_unexplained(parts)]
    for pair, of in parts.items():
        where = f"{pair}: " if pair else ""
        texts += [where + text for text in _list_differences(of.by_rule, {
            "Only here": of.only_here, "Only in the table": of.only_there,
            "Not compared, as this test set cannot be scored by them": of.not_compared})]
        if of.by_suffix:
            names = join_names([f"{name} is {here}" for name, here in of.by_suffix.items()])
            texts.append(f"{where}The end of a name says which references score: {names}.")
    if isinstance(found, TaskReplication):
        texts += _list_differences(found.by_rule, {"Language pairs only here": found.only_here,
                                                   "Language pairs only in the table": found.only_there})
    return texts


def _by_column(of: Replication) -> dict[str, list[ScoreBeside]]:
    columns: dict[str, list[ScoreBeside]] = {}
    for row in of.rows:
        columns.setdefault(row.column, []).append(row)
    return columns


def _name_settings(parts: Mapping[str, Replication]) -> list[str]:
    """What gives the numbers that do not come out, the setting that gives most numbers of the table first."""
    by_setting: dict[tuple[int, str, str], dict[str, list[str]]] = {}
    for pair, of in parts.items():
        for row in of.rows:
            if row.setting is not None and row.signature is not None and row.gives is not None:
                places = by_setting.setdefault((row.gives, row.setting, row.signature), {})
                places.setdefault(f"{row.column} in {pair}" if pair else row.column, []).append(row.system)
    n, texts = next((of.n_numbers for of in parts.values()), 0), []
    for (gives, setting, signature), places in sorted(by_setting.items(), key=lambda one: -one[0][0]):
        numbers = join_names([f"{where} of {join_names(names)}" for where, names in places.items()])
        comes = "come out" if len(places) > 1 else "comes out"
        chance = ", so it may do so by chance" if gives == 1 < n else ""
        texts.append(f"{numbers} {comes} {'' if setting.startswith('printed') else 'with '}{setting} ({signature}). "
                     f"That gives {gives} of the {n} numbers of the table{chance}.")
    return texts


def _name_unexplained(parts: Mapping[str, Replication]) -> Iterator[str]:
    for pair, of in parts.items():
        for column, rows in _by_column(of).items():
            if rest := [row.system for row in rows if not row.agrees and row.setting is None]:
                where = f" in {pair}" if pair else ""
                yield (f"{column}{where} of {join_names(rest)} does not come out with any of the {of.tried} "
                       "settings that were tried: the outputs or references may be other ones.")


def _list_differences(by_rule: Mapping[str, str], lists: Mapping[str, Sequence[str]]) -> list[str]:
    """Names that are written in another way in the table, and what only one of the two has."""
    same = [f"{name} as {here}" for name, here in by_rule.items() if name.lower() != here.lower()]
    texts = ["Taken to be the same, as the names differ only in case, spaces, dots, dashes and underscores (chrF2 is "
             f"chrF): {join_names(same)}."] if same else []
    return texts + [f"{text}: {join_names(list(names))}." for text, names in lists.items() if names]


def _text(found: Either) -> str:
    lines = [*table_text(replication_table(found), terminal_width()), "", *map(printable, replication_sentences(found))]
    return "\n".join(lines) + "\n"


def _json(found: Either) -> str:
    return to_json(to_plain(found) | {"sentences": replication_sentences(found)})


def _csv(found: Either) -> str:
    columns = [one.name for one in fields(ScoreBeside)]
    if not isinstance(found, TaskReplication):
        return records_csv([asdict(row) for row in found.rows], columns)
    return records_csv([{"language_pair": pair, **asdict(row)} for pair, of in found.pairs.items() for row in of.rows],
                       ["language_pair", *columns])


REPLICATION_FORMS = {"text": _text, "json": _json, "csv": _csv}
