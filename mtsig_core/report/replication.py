"""Printed scores beside ours, as a table, in sentences, as text, JSON and CSV; of a test set, or of a whole task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

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
    said = [line for pair, of in _by_pair(found).items() for line in _come_out(of, f"{pair}, " if pair else "")]
    said += _settings(found)
    said += [line for pair, of in _by_pair(found).items() for line in _not_compared(of, f"{pair}: " if pair else "")]
    if isinstance(found, TaskReplication):
        said += _same_name(found.by_rule, "")
        said += [f"{text}: {join_names(list(names))}." for names, text in (
            (found.only_here, "Language pairs only here"), (found.only_there, "Language pairs only in the table"))
            if names]
    return said


def _come_out(of: Replication, where: str) -> list[str]:
    said = []
    for column in dict.fromkeys(row.column for row in of.rows):
        own = [row for row in of.rows if row.column == column]
        said.append(f"{where}{column}: {sum(row.agrees for row in own)} of {len(own)} printed numbers come out here, "
                    "at the precision that they are printed with.")
    return said


def _settings(found: Either) -> list[str]:
    """What gives the numbers that do not come out, the setting that gives most numbers of the table first."""
    by_setting: dict[tuple[int, str, str], dict[str, list[str]]] = {}
    said, parts = [], _by_pair(found)
    for pair, of in parts.items():
        for row in of.rows:
            where = f"{row.column} in {pair}" if pair else row.column
            if row.setting is not None and row.signature is not None and row.gives is not None:
                key = -row.gives, row.setting, row.signature
                by_setting.setdefault(key, {}).setdefault(where, []).append(row.system)
    for (gives, setting, signature), places in sorted(by_setting.items(), key=lambda one: one[0][0]):
        n = next(iter(parts.values())).n_numbers
        whose = join_names([f"{where} of {join_names(names)}" for where, names in places.items()])
        comes = "come out" if len(places) > 1 else "comes out"
        said.append(f"{whose} {comes} {'' if setting.startswith('printed') else 'with '}{setting} ({signature}). That "
                    f"gives {-gives} of the {n} numbers of the table" + (
                        ", so it may do so by chance." if -gives == 1 < n else "."))
    for pair, of in parts.items():
        for column in dict.fromkeys(row.column for row in of.rows):
            rest = [row.system for row in of.rows if row.column == column and not row.agrees and row.setting is None]
            if rest:
                said.append(f"{column}{f' in {pair}' if pair else ''} of {join_names(rest)} does not come out with any "
                            f"of the {of.tried} settings that were tried: the outputs or references may be other ones.")
    return said


def _not_compared(of: Replication, where: str) -> list[str]:
    said = _same_name(of.by_rule, where)
    said += [f"{where}The end of a name says which references score: "
             f"{join_names([f'{name} is {here}' for name, here in of.by_suffix.items()])}."] * bool(of.by_suffix)
    for names, text in ((of.only_here, "Only here"), (of.only_there, "Only in the table")):
        if names:
            said.append(f"{where}{text}: {join_names(list(names))}.")
    if of.not_compared:
        said.append(f"{where}Not compared, as this test set cannot be scored by them: "
                    f"{join_names(list(of.not_compared))}.")
    return said


def _same_name(by_rule: Mapping[str, str], where: str) -> list[str]:
    told = [f"{name} as {here}" for name, here in by_rule.items() if name.lower() != here.lower()]
    return [f"{where}Taken to be the same, as the names are but for case, spaces, dots, dashes and underscores (chrF2 "
            f"is chrF): {join_names(told)}."] * bool(told)


def _text(found: Either) -> str:
    lines = [*table_text(replication_table(found), terminal_width()), "", *map(printable, replication_sentences(found))]
    return "\n".join(lines) + "\n"


def _json(found: Either) -> str:
    return to_json(to_plain(found) | {"sentences": replication_sentences(found)})


def _csv(found: Either) -> str:
    fields = list(ScoreBeside.__dataclass_fields__)
    if not isinstance(found, TaskReplication):
        return records_csv([asdict(row) for row in found.rows], fields)
    return records_csv([{"language_pair": pair, **asdict(row)} for pair, of in found.pairs.items() for row in of.rows],
                       ["language_pair", *fields])


REPLICATION_FORMS = {"text": _text, "json": _json, "csv": _csv}
