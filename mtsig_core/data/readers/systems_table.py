"""The table of the systems of a task: ``systems.tsv`` beside it, or a file of another name.

With a header, of which only ``system`` is needed, and empty cells where nothing is known. A line before it may name
the metric that decides::

    # metric: XCOMET-XL
    system<TAB>constrained<TAB>role<TAB>kind<TAB>name
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mtsig_core.data.checks import literal
from mtsig_core.data.readers.archives import file_beside
from mtsig_core.data.readers.formats import SYSTEMS_TABLE
from mtsig_core.data.readers.lines import FilePath, read_lines, shown
from mtsig_core.data.task import KINDS, ROLES, SystemInfo
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import InputError

__all__ = ["SYSTEMS", "read_primary", "read_systems", "systems_of", "without_withdrawn"]

SYSTEMS = "systems.tsv"
_COLUMNS = ("system", "constrained", "role", "kind", "name")
_YES_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "": None}


def read_systems(path: FilePath) -> dict[str, SystemInfo]:
    """What a table says of each system; what it leaves open is as the name says.

    Raises
    ------
    InputError
        With file and line, what was expected there, and what came.
    """
    before, table = _parts(read_lines(path, SYSTEMS_TABLE))
    header, *lines = ([cell.strip() for cell in line.split("\t")] for line in table or [""])
    if "system" not in header or set(header) - set(_COLUMNS) or len(set(header)) < len(header):
        raise InputError(f"{shown(path)}, line {len(before) + 1} has the columns "
                         f"{', '.join(map(shown, header))[:200]}. Expected "
                         f"{', '.join(_COLUMNS)}, with tabs between them; all but the first may be missing.")
    found: dict[str, SystemInfo] = {}
    for number, cells in enumerate(lines, len(before) + 2):
        if not any(cells):
            continue
        where = f"{shown(path)}, line {number}"
        if len(cells) > len(header):
            raise InputError(f"{where} has {len(cells)} columns, the header has {len(header)}. Expected as many.")
        row = dict.fromkeys(_COLUMNS, "") | dict(zip(header, cells, strict=False))
        system = literal(row["system"])
        if not system or system in found:
            raise InputError(f"{where} names {shown(repr(system)) if system else 'no system'}"
                             f"{' a second time' if system else ''}. Expected a line for each system.")
        told = SystemInfo.of(system)
        for column, among in (("constrained", _YES_NO), ("role", ROLES), ("kind", KINDS)):
            if row[column].lower() not in among and row[column]:
                raise InputError(f"{where}: {column} is {shown(row[column])!r}. Expected one of "
                                 f"{', '.join(filter(None, among))}, or nothing.")
        found[system] = SystemInfo(_YES_NO[row["constrained"].lower()], row["role"].lower() or told.role,
                                   row["kind"].lower() or told.kind, row["name"] or None)
    return found


def read_primary(path: FilePath) -> str | None:
    """The metric that a table names as the one that decides; None where it names none."""
    told, _ = _parts(read_lines(path, SYSTEMS_TABLE))
    named = (line.lstrip("# ").partition(":") for line in told)
    return next((literal(name.strip()) for key, _, name in named if key.strip().lower() == "metric" and name.strip()),
                None)


def _parts(lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines before the header, which begin with #, and the others."""
    n = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return lines[:n], lines[n:]


def systems_of(folder: FilePath) -> dict[str, SystemInfo]:
    """What the table in a task's folder, or in a zip of it, says; empty where there is none."""
    with file_beside(folder, SYSTEMS) as path:
        return {} if path is None else read_systems(path)


def without_withdrawn(testset: TestSet, folder: FilePath, table: FilePath | None = None) -> TestSet:
    """The test set of one language pair without the systems that the table in the folder of its task, or another,
    calls withdrawn; `TestSet.assumed` says so."""
    told = systems_of(folder) if table is None else read_systems(table)
    gone = [name for name in testset.systems if name in told and told[name].role == "withdrawn"]
    if not gone:
        return testset
    named = SYSTEMS if table is None else literal(Path(table).name)
    said = f"Left out: {', '.join(gone)}, whose role in the task's table of systems, {named}, is withdrawn."
    return replace(testset.without(gone), assumed=(said, *testset.assumed))
