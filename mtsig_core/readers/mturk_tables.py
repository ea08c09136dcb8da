"""WMT's tables of systems from MTurk, whose columns have spaces between them.

`ad-sys-scores-cs-en.csv` has a header. `ad-sys-ranking-cs-en-z-names.csv` has none. `clusters.csv`
has the ranks of several language pairs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from mtsig_core.readers.columns import NAMES, InputTable, NumberedRows

_SYSTEM, _PAIR = NAMES["system"][0], NAMES["langpair"][0]
#: The columns of a ranking, which has no header.
_RANKING = ("raw.scr", "z.scr", "n", "n.all", "sys", _SYSTEM)
_NUMBERS = re.compile(r"-?\d+(\.\d+)?")
_NUMBERED_SYSTEM = re.compile(r"(.+)\.\d+")


class _Line(NamedTuple):
    """A line of a file."""

    number: int
    words: list[str]


def read_mturk_systems(text: str, name: str) -> InputTable | None:
    """The scores or the ranks of systems in such a table; None of another text."""
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            lines.append(_Line(number, line.split()))
    if not lines or re.search("[\t,;]", text):
        return None
    titles = [word.lower() for word in lines[0].words]
    if _is_ranking(lines[0].words):
        titles = [*_RANKING]
    else:
        del lines[0]
    has_known_columns = "sys" in titles or {"cluster_start", _SYSTEM} <= {*titles}
    if not lines or not has_known_columns or any(len(line.words) != len(titles) for line in lines):
        return None
    rows = [_Line(line.number, line.words) for line in lines]
    if "cluster_start" in titles:
        return _tabulate_clusters(rows, titles, name)
    return _tabulate_scores(rows, titles, name)


def _is_ranking(words: Sequence[str]) -> bool:
    """Whether a line has two scores, two numbers of ratings, and the system under two names."""
    if len(words) != len(_RANKING):
        return False
    *numbers, numbered, system = words
    return all(map(_NUMBERS.fullmatch, numbers)) and numbered.startswith(system)


def _tabulate_scores(lines: Sequence[_Line], titles: Sequence[str], name: str) -> InputTable:
    systems = _list_systems(lines, titles)
    columns = [k for k, title in enumerate(titles) if title.endswith(".scr")]
    rows: NumberedRows = []
    for system, line in zip(systems, lines, strict=True):
        rows.append((line.number, [system, *(line.words[k] for k in columns)]))
    return InputTable(name, [_SYSTEM, *(titles[k].upper() for k in columns)], rows)


def _tabulate_clusters(lines: Sequence[_Line], titles: Sequence[str], name: str) -> InputTable:
    """Ranks from the first to the last of a cluster, and the number of the cluster."""
    places = {title: k for k, title in enumerate(titles)}
    systems = _list_systems(lines, titles)
    n_clusters: dict[str, int] = {}
    rows: NumberedRows = []
    for system, line in zip(systems, lines, strict=True):
        pair = f"{line.words[places['src']]}-{line.words[places['trg']]}"
        low, high = line.words[places["cluster_start"]], line.words[places["cluster_end"]]
        cluster = n_clusters.setdefault(pair, 1)
        if line.words[places["end_of_cluster"]].lower() == "true":
            n_clusters[pair] += 1
        rows.append((line.number, [pair, system, low, high, str(cluster)]))
    return InputTable(name, [_PAIR, _SYSTEM, "rank_low", "rank_high", "cluster"], rows)


def _list_systems(lines: Sequence[_Line], titles: Sequence[str]) -> list[str]:
    """The systems without the number that the campaign gave each, as in the ratings."""
    column = titles.index("sys" if "sys" in titles else _SYSTEM)
    systems = []
    for line in lines:
        numbered = _NUMBERED_SYSTEM.fullmatch(line.words[column])
        systems.append(line.words[column] if numbered is None else numbered[1])
    return systems
