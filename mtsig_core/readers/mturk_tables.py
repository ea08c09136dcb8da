"""WMT's tables of systems from MTurk, whose columns have spaces between them.

`ad-sys-scores-cs-en.csv` has a header. `ad-sys-ranking-cs-en-z-names.csv` has none. `clusters.csv`
has the ranks of several language pairs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from mtsig_core.readers.columns import NAMES, InputTable, NumberedRows

_SCORES = ("RAW.SCR", "Z.SCR")
#: The columns of a ranking, which has no header.
_RANKING = (*_SCORES, "N", "N.ALL", "SYS", "SYSTEM")
_CLUSTERS = {"SRC", "TRG", "CLUSTER_START", "CLUSTER_END", "END_OF_CLUSTER", "SYSTEM"}
_FIRST_OF_RANKING = re.compile(r"(-?\d+(\.\d+)? ){4}(\S+)\.\d+ \3")


class _Record(NamedTuple):
    """A row of a file: its cells by the names of their columns."""

    number: int
    cells: dict[str, str]


def drop_number(system: str) -> str:
    """The name of a system without the number that the campaign gave it.

    >>> drop_number("Online-B.1234")
    'Online-B'
    """
    return re.sub(r"\.\d+$", "", system)


def read_mturk_systems(text: str, name: str) -> InputTable | None:
    """The scores or the ranks of systems in such a table; None of another text."""
    if re.search("[\t,;]", text):
        return None
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, words) for number, words in lines if words]
    if not lines:
        return None
    _, header = lines[0]
    if _FIRST_OF_RANKING.fullmatch(" ".join(header)):
        header = list(_RANKING)
    else:
        del lines[0]
    if any(len(words) != len(header) for _, words in lines):
        return None
    records = [_Record(number, dict(zip(header, words, strict=True))) for number, words in lines]
    if {*header} >= _CLUSTERS:
        return _tabulate_clusters(records, name)
    if {*header} >= {"SYS", *_SCORES}:
        return _tabulate_scores(records, name)
    return None


def _tabulate_scores(records: Sequence[_Record], name: str) -> InputTable:
    rows: NumberedRows = []
    for record in records:
        scores = [record.cells[title] for title in _SCORES]
        rows.append((record.number, [drop_number(record.cells["SYS"]), *scores]))
    return InputTable(name, [NAMES["system"][0], *_SCORES], rows)


def _tabulate_clusters(records: Sequence[_Record], name: str) -> InputTable:
    """Ranks from the first to the last of a cluster, and the number of the cluster."""
    numbers: dict[str, int] = {}
    rows: NumberedRows = []
    for record in records:
        cells = record.cells
        pair = f"{cells['SRC']}-{cells['TRG']}"
        number = numbers.setdefault(pair, 1)
        if cells["END_OF_CLUSTER"] == "True":
            numbers[pair] += 1
        ranks = (cells["CLUSTER_START"], cells["CLUSTER_END"], str(number))
        rows.append((record.number, [pair, drop_number(cells["SYSTEM"]), *ranks]))
    header = [NAMES["langpair"][0], NAMES["system"][0], "rank_low", "rank_high", "cluster"]
    return InputTable(name, header, rows)
