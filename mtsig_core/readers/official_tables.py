"""Tables of published scores, such as the organisers' scores: one score per system and metric.

A table has a header, and tabs, semicolons or commas between its columns. It is wide, with a column
for each metric, or long::

    system<TAB>BLEU<TAB>chrF            system<TAB>metric<TAB>score

The table of a whole shared task also has a column of language pairs, in any place; a language pair
has the rows with its name. WMT's ``automatic-scores.tsv`` is an example: it has pair, system,
metric, score, and columns that mtsig ignores.

Columns without any number, such as the name of a system in print, are ignored. WMT's tables of
MTurk, such as ``clusters.csv``, have spaces between their columns; `mturk_tables.py` reads them.

A ranking has the columns rank_low and rank_high, or rank (1, 1-3), and may have cluster. It can
have scores too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from mtsig_core.errors import InputError
from mtsig_core.readers.columns import NAMES, InputTable, find_column
from mtsig_core.readers.delimited import read_delimited
from mtsig_core.readers.files import FilePath
from mtsig_core.readers.lines import read_lines, read_table, sniff_file
from mtsig_core.readers.mturk_tables import read_mturk_systems
from mtsig_core.readers.task_names import find_pair
from mtsig_core.testset import show_name

_EXPECTED = "a table of published scores"
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)")
_NOTHING = {"", "-", "--", "—", "–", "n/a", "na", "none", "nan"}
_LONG_COLUMNS = {"system", "metric", "score"}
_RANK = re.compile(r"(\d{1,6})(?:\s*[-\N{EN DASH}\N{EM DASH}]\s*(\d{1,6}))?")
_RANK_COLUMNS = {"rank", "rank_low", "rank_high", "cluster"}
#: Numbers that describe a system, and do not score it.
_IS_OF_SYSTEM = re.compile(r"param(eter)?s?(_b|_count)?|size(_b)?")
_PAIR_COLUMNS = {re.sub(r"[\s-]+", "_", title) for title in NAMES["langpair"]}


class _Row(NamedTuple):
    """A line of a table."""

    number: int | str
    cells: list[str]


@dataclass(frozen=True)
class PublishedRank:
    """A rank range as it was printed."""

    low: int
    high: int | None  # None where the ranking has single ranks, so that systems may share one
    cluster: int | None


@dataclass(frozen=True)
class OfficialTable:
    """Scores as they were printed."""

    #: By metric, as the table calls it: the number of each system, digit by digit; without those
    #: that have none.
    columns: Mapping[str, Mapping[str, str]]
    systems: tuple[str, ...]  # as the table calls them
    name: str = "The table"  # what a message calls it
    #: By system, as the table calls it.
    ranks: Mapping[str, PublishedRank] = field(default_factory=dict)


def read_official(path: FilePath, langpair: str | None = None) -> OfficialTable:
    """The table in a file; errors as `parse_official_table` has them."""
    return parse_official_table(read_published(path), show_name(path), langpair)


def read_official_task(path: FilePath) -> dict[str, OfficialTable]:
    """The tables of a shared task in a file, whose name may say the language pair.

    Errors as `parse_official_tables` has them.
    """
    pair = find_pair(Path(path).name)
    tables = parse_official_tables(read_published(path), show_name(path), is_task=not pair)
    return {pair_of_table or pair: table for pair_of_table, table in tables.items()}


def read_published(path: FilePath) -> str:
    """The table in a file as text; of a workbook, its columns with tabs between them.

    Such as WMT24's AutoRank has a sheet for each language pair.
    """
    fmt = sniff_file(path)
    if fmt is None or fmt.name != "xlsx":
        return "\n".join(read_lines(path, _EXPECTED))
    table = read_table(path)
    header = [title or NAMES["system"][0] for title in table.header]
    if find_column(header, "system") is None:
        header[0] = NAMES["system"][0]
    return "\n".join(map(_write_row, [header, *(cells for _, cells in table.rows)]))


def _write_row(cells: Sequence[object]) -> str:
    """A row with tabs between its cells, and no others."""
    return "\t".join(re.sub(r"\s+", " ", str(cell)) for cell in cells)


def _is_number_or_nothing(cell: str) -> bool:
    return cell.lower() in _NOTHING or _NUMBER.fullmatch(cell) is not None


def parse_official_table(
    text: str, name: str = "The table", langpair: str | None = None
) -> OfficialTable:
    r"""A table as text.

    `name`: what a message calls it; `langpair`: of which language pair, where the table has
    several.

    Examples
    --------
    >>> parse_official_table("system,BLEU,chrF\nA,27.8,55.10\nB,-,54.0").columns
    {'BLEU': {'A': '27.8'}, 'chrF': {'A': '55.10', 'B': '54.0'}}
    >>> parse_official_table("lp,system,BLEU\nen-de,A,27.8\nen-zh,A,33.1", langpair="en-zh").columns
    {'BLEU': {'A': '33.1'}}
    """
    tables = parse_official_tables(text, name, is_task=False)
    pairs = list(tables)
    reason = "the test set does not say which it is of"
    if langpair is not None:
        reason = f"none is {langpair}"
        matching = [pair for pair in tables if _simplify(pair) == _simplify(langpair)]
        pairs = matching or pairs
    if len(pairs) > 1:
        raise InputError(
            f"{name} has the language pairs {show_name(', '.join(tables))[:200]}, and {reason}. Keep the "
            "rows of one language pair."
        )
    return tables[pairs[0]]


def _arrange_columns(table: InputTable) -> InputTable:
    """A wide table with its language pairs and systems first, then its numbers.

    Columns of words, such as the name of a system in print, and of numbers that score no system are
    left out. Where no column has numbers, all stay, so that a message can name them.
    """
    titles = [_name_column(title) for title in table.header]
    if {*titles} >= _LONG_COLUMNS:
        return table
    pair_places = [k for k, title in enumerate(titles) if title in _PAIR_COLUMNS]
    others = [k for k in range(len(titles)) if k not in pair_places]
    others.sort(key=lambda k: titles[k] != "system")  # all others keep their order
    system_places = others[:1]
    value_places = []
    has_numbers = False
    for place in others[1:]:
        cells = [_clean_number(word) for word in table.list_words(place)]
        is_rank = titles[place] in _RANK_COLUMNS
        is_of_system = _IS_OF_SYSTEM.fullmatch(titles[place]) is not None
        is_score = any(map(_NUMBER.fullmatch, cells)) and not is_of_system
        is_empty = all(map(_is_number_or_nothing, cells)) and not is_of_system
        has_numbers |= is_rank or is_score
        if is_rank or is_score or is_empty:
            value_places.append(place)
    if not has_numbers:
        value_places = others[1:]
    return table.select([*pair_places, *system_places, *value_places])


def _name_column(title: str) -> str:
    return re.sub(r"[\s-]+", "_", title.lower())


def _clean_number(text: str) -> str:
    """A number without stars for bold, and with the minus sign of a keyboard."""
    return text.strip().strip("*").replace("\u2212", "-").strip()


def _simplify(pair: str) -> str:
    return re.sub(r"[\W_]", "", pair.casefold())


def parse_official_tables(
    text: str, name: str = "The table", is_task: bool = True
) -> dict[str, OfficialTable]:
    r"""Parse a table: return one table per language pair, by the name of the pair in the text.

    The table of a whole task must name its language pairs.

    Examples
    --------
    >>> parse_official_tables("lp,system,BLEU\nen-de,A,27.8\nen-zh,A,33.1")["en-zh"].columns
    {'BLEU': {'A': '33.1'}}
    """
    table = read_mturk_systems(text, name) or _arrange_columns(read_delimited(text, name))
    layout = _find_layout(table, text, name, is_task)
    tables = {}
    for pair, rows in _split_by_pair(table, layout.pair_place, name).items():
        tables[pair] = layout.parse(rows, name)
    return tables


@dataclass(frozen=True)
class _Layout:
    """What the columns of a table hold."""

    pair_place: int | None  # of the column of language pairs
    titles: Sequence[str]  # of all other columns
    rank_columns: Mapping[str, int]  # places in `titles`; none of a table without a ranking
    is_long: bool  # whether each row is one score

    def parse(self, rows: Sequence[_Row], name: str) -> OfficialTable:
        """The table of one language pair."""
        if self.is_long:
            rank_places = self.rank_columns.values()
            places = [k for k in range(len(self.titles)) if k not in rank_places]
            return _parse_long(*_select_columns(self.titles, rows, places), name)
        if self.rank_columns:
            return _parse_ranking(self.titles, rows, self.rank_columns, name)
        return _parse_wide(self.titles, rows, name)


def _find_layout(table: InputTable, text: str, name: str, is_task: bool) -> _Layout:
    """What the columns of a table hold; an error if they are none of published scores."""
    if len(table.header) < 2 or not any(table.header):
        first_line, _, _ = text.lstrip().partition("\n")
        raise InputError(
            f"{name} has no columns in its first line, {show_name(first_line[:80])!r}. Expected system "
            "and the names of metrics, with tabs, semicolons or commas between them."
        )
    pair_places = [
        k for k, title in enumerate(table.header) if _name_column(title) in _PAIR_COLUMNS
    ]
    titles = [title for k, title in enumerate(table.header) if k not in pair_places]
    rank_columns = _find_rank_columns(titles)
    score_titles = [title for k, title in enumerate(titles) if k not in rank_columns.values()]
    is_long = {title.lower() for title in score_titles} >= _LONG_COLUMNS
    metrics = score_titles[1:]  # the first names the system
    expected = ""
    if len(pair_places) != 1 and (is_task or pair_places):
        expected = "one that is called 'language pair', besides the system and the metrics: a task has several"
    elif not is_long and (not all(metrics) or len({*metrics}) < len(metrics)):
        expected = "the name of the system first, and then a metric in each column, none twice"
    if expected:
        raise InputError(
            f"{name}, line 1 has the columns {show_name(', '.join(table.header))[:200]}. Expected "
            f"{expected}."
        )
    pair_place = None
    if pair_places:
        [pair_place] = pair_places
    return _Layout(pair_place, titles, rank_columns, is_long)


def _split_by_pair(table: InputTable, pair_place: int | None, name: str) -> dict[str, list[_Row]]:
    """The rows of each language pair, without its column; all under '' where there is none."""
    rows_by_pair: dict[str, list[_Row]] = {}
    for number, values in table.rows:
        # Of a delimited file all are texts.
        cells = [show_name(str(cell).strip()) for cell in values]
        if not any(cells):
            continue
        pair = ""
        if pair_place is not None:
            pair = cells.pop(pair_place)
            if not pair:
                raise InputError(
                    f"{name}, line {number} names no language pair. Expected a name such as en-de."
                )
        rows_by_pair.setdefault(pair, []).append(_Row(number, cells))
    if not rows_by_pair:
        raise InputError(f"{name} has no line below its header. Expected a line for each system.")
    return rows_by_pair


def _find_rank_columns(titles: Sequence[str]) -> dict[str, int]:
    """The columns of a ranking; none of another table. The first column names the system."""
    places = {}
    for place, title in enumerate(titles):
        key = _name_column(title)
        if key in _RANK_COLUMNS and place > 0:
            places[key] = place
    has_range = {"rank_low", "rank_high"} <= {*places}
    if "rank" in places or has_range:
        return places
    return {}


def _select_columns(
    titles: Sequence[str], rows: Sequence[_Row], places: Sequence[int]
) -> tuple[list[str], list[_Row]]:
    selected = [_Row(number, [cells[k] for k in places]) for number, cells in rows]
    return [titles[k] for k in places], selected


def _parse_ranking(
    titles: Sequence[str], rows: Sequence[_Row], rank_columns: Mapping[str, int], name: str
) -> OfficialTable:
    """The ranking of one language pair.

    Further columns are scores if all their cells are numbers.
    """
    systems: list[str] = []
    ranks: dict[str, PublishedRank] = {}
    for number, cells in rows:
        location = f"{name}, line {number}"
        system = cells[0]
        if not system:
            raise InputError(f"{location} names no system. Expected one line for each system.")
        if system in systems:
            raise InputError(f"{location} names a system twice. Expected one line for each system.")
        systems.append(system)
        rank_cells = {key: cells[k].strip() for key, k in rank_columns.items()}
        rank = _parse_rank(rank_cells, location)
        if rank is not None:
            ranks[system] = rank
    if any(rank.high is not None for rank in ranks.values()):
        for system, rank in ranks.items():
            if rank.high is None:
                ranks[system] = replace(rank, high=rank.low)
    places = [0]
    for place in range(1, len(titles)):
        cells = [row.cells[place] for row in rows]
        if place not in rank_columns.values() and all(map(_is_number_or_nothing, cells)):
            places.append(place)
    columns: Mapping[str, Mapping[str, str]] = {}
    if len(places) > 1:
        columns = _parse_wide(*_select_columns(titles, rows, places), name).columns
    return OfficialTable(columns, tuple(systems), name, ranks)


def _parse_rank(cells: Mapping[str, str], location: str) -> PublishedRank | None:
    """Parse the rank of a row from its cells by column; None for a row without a rank."""
    if "rank" in cells:
        text = cells["rank"]
    else:
        text = f"{cells['rank_low']}-{cells['rank_high']}"
    if text.replace("-", "").lower() in _NOTHING:
        return None
    cluster = cells.get("cluster", "")
    if cluster and not cluster.isdecimal():
        raise InputError(
            f"{location}: the cluster is {show_name(cluster)[:80]!r}. Expected a whole number from 1."
        )
    match = _RANK.fullmatch(text)
    low = 0
    high = None
    if match is not None:
        low = int(match[1])
        if match[2] is not None:
            high = int(match[2])
    if low < 1 or (high is not None and high < low):
        raise InputError(
            f"{location}: the rank is {show_name(text)[:80]!r}. Expected a whole number from 1, or a range "
            "such as 1-3."
        )
    return PublishedRank(low, high, int(cluster or 0) or None)


class _Entry(NamedTuple):
    """A score as it is printed."""

    location: str
    system: str
    metric: str
    text: str


def _parse_long(titles: Sequence[str], rows: Sequence[_Row], name: str) -> OfficialTable:
    """The table of one language pair with a row for each score."""
    entries = []
    lower_titles = [title.lower() for title in titles]
    for number, cells in rows:
        row = dict(zip(lower_titles, cells, strict=True))
        entries.append(_Entry(f"{name}, line {number}", row["system"], row["metric"], row["score"]))
    return _join_entries(entries, {}, name)


def _parse_wide(titles: Sequence[str], rows: Sequence[_Row], name: str) -> OfficialTable:
    """The table of one language pair with a column for each metric, with or without a score."""
    _, *metrics = titles
    entries = []
    for number, (system, *cells) in rows:
        for metric, cell in zip(metrics, cells, strict=True):
            entries.append(_Entry(f"{name}, line {number}", system, metric, cell))
    return _join_entries(entries, {metric: {} for metric in metrics}, name)


def _join_entries(
    entries: Sequence[_Entry], columns: dict[str, dict[str, str]], name: str
) -> OfficialTable:
    for entry in entries:
        if not entry.system or not entry.metric:
            raise InputError(f"{entry.location} names no system, or no metric. Expected both.")
        scores = columns.setdefault(entry.metric, {})
        if entry.system in scores:
            raise InputError(
                f"{entry.location} has a second score of {show_name(entry.system)!r}. Expected one by each "
                "metric."
            )
        text = _clean_number(entry.text)
        if text.lower() in _NOTHING:
            continue
        if not _NUMBER.fullmatch(text):
            raise InputError(
                f"{entry.location}: {show_name(entry.metric)} is {show_name(text)[:80]!r}. Expected a number "
                "such as 27.8, or a dash for no score."
            )
        scores[entry.system] = text
    if not entries:
        raise InputError(
            f"{name} has no column of a metric. Expected the name of the system first, and then a metric "
            "in each column."
        )
    return OfficialTable(columns, tuple(dict.fromkeys(entry.system for entry in entries)), name)
