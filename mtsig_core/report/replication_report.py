"""Printed scores beside ours, as a table, in sentences, as text, JSON and CSV."""

from __future__ import annotations

from dataclasses import asdict

from mtsig_core.inference.replicate import Replication, ScoreBeside
from mtsig_core.report.cells import Cell, Table
from mtsig_core.report.export import records_csv, to_json
from mtsig_core.report.phrases import listed
from mtsig_core.report.terminal import printable, table_lines

__all__ = ["REPLICATION_FORMS", "replication_rows", "replication_sentences"]

_TICK, _CROSS = "✓", "✗"


def replication_rows(found: Replication) -> Table:
    """Header and rows: system, metric, the printed score, ours to as many decimals, a tick or a cross."""
    rows = [[row.system, row.column, Cell(row.printed, float(row.printed)), Cell(_ours(row), row.score),
             _TICK if row.agrees else _CROSS, "" if row.agrees else row.setting or "nothing that was tried"]
            for row in found.rows]
    return ["system", "metric", "printed", "here", "same", "what would give it"], rows


def _ours(row: ScoreBeside) -> str:
    """Our score, with a decimal more where rounding hides the difference."""
    decimals = len(row.printed.partition(".")[2])
    text = f"{row.score:.{decimals}f}"
    return text if row.agrees or float(text) != float(row.printed) else f"{row.score:.{decimals + 2}f}"


def replication_sentences(found: Replication) -> list[str]:
    """How many printed numbers come out by each metric, what would give the others, and what could not be compared."""
    said = []
    for column in dict.fromkeys(row.column for row in found.rows):
        own = [row for row in found.rows if row.column == column]
        same = sum(row.agrees for row in own)
        said.append(f"{column}: {same} of {len(own)} printed numbers come out here, at the precision that they are "
                    "printed with.")
        by_setting: dict[tuple[str, str], list[str]] = {}
        for row in own:
            if row.setting is not None and row.signature is not None:
                by_setting.setdefault((row.setting, row.signature), []).append(row.system)
        for (setting, signature), names in by_setting.items():
            said.append(f"{column} of {listed(names)} comes out {setting if setting.startswith('printed') else ''}"
                        f"{'' if setting.startswith('printed') else 'with ' + setting} ({signature}).")
        rest = [row.system for row in own if not row.agrees and row.setting is None]
        if rest:
            said.append(f"{column} of {listed(rest)} does not come out with any of the {found.tried} settings that "
                        "were tried: the outputs or references may be other ones.")
    if any(row.setting for row in found.rows):
        said.append("A setting that gives a single number with few digits may do so by chance.")
    by_rule = [f"{name} as {here}" for name, here in found.by_rule.items() if name.lower() != here.lower()]
    if by_rule:
        said.append(f"Taken to be the same, as the names are but for case, spaces, dots, dashes and underscores (chrF2 "
                    f"is chrF): {listed(by_rule)}.")
    for names_of, text in ((found.only_here, "Only here"), (found.only_there, "Only in the table")):
        if names_of:
            said.append(f"{text}: {listed(list(names_of))}.")
    if found.not_compared:
        said.append(f"Not compared, as this test set cannot be scored by them: {listed(list(found.not_compared))}.")
    return said


def _text(found: Replication) -> str:
    header, rows = replication_rows(found)
    lines = table_lines(header, [[printable(str(cell)) for cell in row] for row in rows], "<<>><<")
    return "\n".join([*lines, "", *map(printable, replication_sentences(found))]) + "\n"


def _json(found: Replication) -> str:
    return to_json(asdict(found) | {"sentences": replication_sentences(found)})


def _csv(found: Replication) -> str:
    return records_csv([asdict(row) for row in found.rows], list(ScoreBeside.__dataclass_fields__))


REPLICATION_FORMS = {"text": _text, "json": _json, "csv": _csv}
