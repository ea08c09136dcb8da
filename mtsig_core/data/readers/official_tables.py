"""A table of scores that was printed elsewhere, such as the organisers' own: what each system got by each metric.

With a header, and tabs, semicolons or commas between columns; wide, a column for each metric, or long::

    system<TAB>BLEU<TAB>chrF            system<TAB>metric<TAB>score
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass

from mtsig_core.data.readers.lines import FilePath, read_lines, shown
from mtsig_core.errors import InputError

__all__ = ["OfficialTable", "official_table", "read_official"]

_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)")
_NOTHING = {"", "-", "--", "—", "–", "n/a", "na", "none", "nan"}
_LONG = {"system", "metric", "score"}


@dataclass(frozen=True)
class OfficialTable:
    """Scores as they were printed.

    Attributes
    ----------
    columns : mapping of str to mapping of str to str
        By metric, as the table calls it: the number of each system, digit by digit; without those that have none.
    systems : tuple of str
        As the table calls them.
    """

    columns: Mapping[str, Mapping[str, str]]
    systems: tuple[str, ...]


def read_official(path: FilePath) -> OfficialTable:
    """The table in a file; errors as `official_table` has them."""
    return official_table("\n".join(read_lines(path)), shown(path))


def official_table(text: str, name: str = "The table") -> OfficialTable:
    """A table as text.

    Parameters
    ----------
    name : str
        What a message calls it.

    Raises
    ------
    InputError
        With the line, what was expected there, and what came.

    Examples
    --------
    >>> official_table("system,BLEU,chrF\\nA,27.8,55.10\\nB,-,54.0").columns
    {'BLEU': {'A': '27.8'}, 'chrF': {'A': '55.10', 'B': '54.0'}}
    """
    first = text.lstrip().partition("\n")[0]
    separator = next((sign for sign in "\t;," if sign in first), None)
    if separator is None:
        raise InputError(f"{name} has no columns in its first line, {shown(first[:80])!r}. Expected system and the "
                         "names of metrics, with tabs, semicolons or commas between them.")
    reader = csv.reader(io.StringIO(text), delimiter=separator,
                        quoting=csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL)
    try:
        lines = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader if any(map(str.strip, cells))]
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num} cannot be read: {error}. Check its quotes.") from None
    (_, header), *rows = lines
    lower = [title.lower() for title in header]
    long = set(lower) >= _LONG
    metrics = header[1:]
    if not long and (not all(metrics) or len(set(metrics)) < len(metrics)):
        raise InputError(f"{name}, line 1 has the columns {shown(', '.join(header))[:200]}. Expected the name of the "
                         "system first, and then a metric in each column, none twice.")
    columns: dict[str, dict[str, str]] = {} if long else {metric: {} for metric in metrics}
    systems: dict[str, None] = {}
    for number, cells in rows:
        where = f"{name}, line {number}"
        if len(cells) != len(header):
            raise InputError(f"{where} has {len(cells)} columns, the header has {len(header)}. Expected as many.")
        named = dict(zip(lower, cells, strict=True))
        system = named["system"] if long else cells[0]
        entries = [(named["metric"], named["score"])] if long else list(zip(metrics, cells[1:], strict=True))
        if not system or any(not metric for metric, _ in entries):
            raise InputError(f"{where} names no system, or no metric. Expected both.")
        if not long and system in systems or any(system in columns.get(metric, ()) for metric, _ in entries):
            raise InputError(f"{where} has a second score of {shown(system)!r}. Expected one by each metric.")
        systems[system] = None
        for metric, cell in entries:
            cell = cell.strip("*").replace("\u2212", "-").strip()
            own = columns.setdefault(metric, {})
            if cell.lower() in _NOTHING:
                continue
            if not _NUMBER.fullmatch(cell):
                raise InputError(f"{where}: {shown(metric)} is {shown(cell)[:80]!r}. Expected a number such as 27.8, "
                                 "or a dash where there is none.")
            own[system] = cell
    if not systems or not columns:
        raise InputError(f"{name} has no line below its header, or no metric. Expected a line for each system.")
    return OfficialTable(columns, tuple(systems))
