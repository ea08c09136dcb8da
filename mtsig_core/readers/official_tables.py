"""A table of published scores, such as the organisers' own: the score of each system by each
metric.

With a header, and tabs, semicolons or commas between columns; wide, a column for each metric, or
long::

    system<TAB>BLEU<TAB>chrF            system<TAB>metric<TAB>score

That of a whole shared task has a column of language pairs too, anywhere; of one language pair its
rows are taken. WMT's own ``automatic-scores.tsv`` is such: pair, system, metric, score, and columns
that say nothing here.

A ranking has the columns rank_low and rank_high, or rank (1, 1-3), and may have cluster; beside
scores or without.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mtsig_core.errors import InputError
from mtsig_core.readers.columns import NAMES, InputTable, find_column
from mtsig_core.readers.delimited import read_delimited
from mtsig_core.readers.files import FilePath
from mtsig_core.readers.lines import read_lines, read_table, sniff_file
from mtsig_core.testset import show_name

_PUBLISHED = "a table of published scores"
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)")
_NOTHING = {"", "-", "--", "—", "–", "n/a", "na", "none", "nan"}
_LONG = {"system", "metric", "score"}
_RANK = re.compile(r"(\d{1,6})(?:\s*[-\N{EN DASH}\N{EM DASH}]\s*(\d{1,6}))?")
_OF_RANKS = {"rank", "rank_low", "rank_high", "cluster"}


_Row = tuple[int | str, list[str]]  # the number of a line, and its cells


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
    ranks: Mapping[str, PublishedRank] = field(
        default_factory=dict
    )  # by system, as the table calls it


def read_official(path: FilePath, langpair: str | None = None) -> OfficialTable:
    """The table in a file; errors as `parse_official_table` has them."""
    return parse_official_table(read_published(path), show_name(path), langpair)


def read_official_task(path: FilePath) -> dict[str, OfficialTable]:
    """The tables of a shared task in a file; errors as `parse_official_tables` has them."""
    return parse_official_tables(read_published(path), show_name(path))


def read_published(path: FilePath) -> str:
    """The table in a file as text; of a workbook, such as WMT24's AutoRank with a sheet for each
    language pair, the columns of numbers.
    """
    fmt = sniff_file(path)
    if fmt is None or fmt.name != "xlsx":
        return "\n".join(read_lines(path, _PUBLISHED))
    table = read_table(path)
    system = find_column(table.header, "system")
    if system is None:  # a frame of pandas has the systems as its index, whose column has no name
        system = table.header.index("") if "" in table.header else 0
    pair = find_column(table.header, "langpair")
    numeric = [
        k for k in range(len(table.header)) if k not in (system, pair) and _has_numbers(table, k)
    ]
    names = {system: "system"}
    if pair is not None:
        names = {pair: NAMES["langpair"][0], **names}
    kept = table.select([*names, *numeric])
    header = [*names.values(), *(table.header[k] for k in numeric)]
    return "\n".join(map(_write_row, [header, *(cells for _, cells in kept.rows)]))


def _write_row(cells: Sequence[object]) -> str:
    """A row with tabs between its cells, and no others."""
    return "\t".join(re.sub(r"\s+", " ", str(cell)) for cell in cells)


def _has_numbers(table: InputTable, column: int) -> bool:
    """Whether a column has numbers, and nothing else but marks of no value."""
    cells = [word.strip() for word in table.list_words(column)]
    return any(map(_NUMBER.fullmatch, cells)) and all(
        cell.lower() in _NOTHING or _NUMBER.fullmatch(cell) for cell in cells
    )


def parse_official_table(
    text: str, name: str = "The table", langpair: str | None = None
) -> OfficialTable:
    """A table as text.

    `name`: what a message calls it; `langpair`: of which language pair, where the table has
    several.

    Examples
    --------
    >>> parse_official_table("system,BLEU,chrF\\nA,27.8,55.10\\nB,-,54.0").columns
    {'BLEU': {'A': '27.8'}, 'chrF': {'A': '55.10', 'B': '54.0'}}
    >>> parse_official_table("lp,system,BLEU\\nen-de,A,27.8\\nen-zh,A,33.1", langpair="en-zh").columns
    {'BLEU': {'A': '33.1'}}
    """
    tables = parse_official_tables(text, name, is_task=False)
    matches = [
        pair
        for pair in tables
        if langpair is not None
        and re.sub(r"[\W_]", "", pair.casefold()) == re.sub(r"[\W_]", "", langpair.casefold())
    ] or list(tables)
    if len(matches) > 1:
        reason = (
            "the test set does not say which it is of"
            if langpair is None
            else f"none is {langpair}"
        )
        raise InputError(
            f"{name} has the language pairs {show_name(', '.join(tables))[:200]}, and {reason}. Keep the "
            "rows of one language pair."
        )
    return tables[matches[0]]


def parse_official_tables(
    text: str, name: str = "The table", is_task: bool = True
) -> dict[str, OfficialTable]:
    """A table as text: one for each language pair, as it calls them; that of a whole task must name
    them.

    Examples
    --------
    >>> parse_official_tables("lp,system,BLEU\\nen-de,A,27.8\\nen-zh,A,33.1")["en-zh"].columns
    {'BLEU': {'A': '33.1'}}
    """
    table = read_delimited(text, name)
    if len(table.header) < 2 or not any(table.header):
        first_line = text.lstrip().partition("\n")[0]
        raise InputError(
            f"{name} has no columns in its first line, {show_name(first_line[:80])!r}. Expected system "
            "and the names of metrics, with tabs, semicolons or commas between them."
        )
    places = [k for k, title in enumerate(table.header) if title.lower() in NAMES["langpair"]]
    titles = [title for k, title in enumerate(table.header) if k not in places]
    ranks = {key: k for k, title in enumerate(titles) if (key := _rank_key(title)) and k}
    ranks = ranks if "rank" in ranks or {"rank_low", "rank_high"} <= {*ranks} else {}
    titles = [title for k, title in enumerate(titles) if k not in ranks.values()]
    is_long = {title.lower() for title in titles} >= _LONG
    expected = ""
    if len(places) != 1 and (is_task or places):
        expected = "one that is called 'language pair', besides the system and the metrics: a task has several"
    elif not is_long and (not all(titles[1:]) or len({*titles[1:]}) < len(titles) - 1):
        expected = "the name of the system first, and then a metric in each column, none twice"
    if expected:
        raise InputError(
            f"{name}, line 1 has the columns {show_name(', '.join(table.header))[:200]}. Expected "
            f"{expected}."
        )
    by_pair: dict[str, list[_Row]] = {}
    of_ranks: dict[str, list[_Row]] = {}
    for number, values in table.rows:
        cells = [
            show_name(str(cell).strip()) for cell in values
        ]  # of a delimited file all are texts
        if any(cells):
            pair = cells.pop(places[0]) if places else ""
            if places and not pair:
                raise InputError(
                    f"{name}, line {number} names no language pair. Expected a name such as en-de."
                )
            by_pair.setdefault(pair, []).append(
                (number, [cell for k, cell in enumerate(cells) if k not in ranks.values()])
            )
            of_ranks.setdefault(pair, []).append((number, cells))
    if not by_pair:
        raise InputError(f"{name} has no line below its header. Expected a line for each system.")
    if ranks and not is_long:
        return {
            pair: _parse_ranking(titles, rows, by_pair[pair], ranks, name)
            for pair, rows in of_ranks.items()
        }
    return {pair: _parse_rows(titles, rows, name, is_long) for pair, rows in by_pair.items()}


def _rank_key(title: str) -> str:
    """Which column of a ranking this is, empty for another."""
    key = re.sub(r"[\s-]+", "_", title.lower())
    return key if key in _OF_RANKS else ""


def _parse_ranking(
    titles: list[str], rows: list[_Row], others: list[_Row], places: Mapping[str, int], name: str
) -> OfficialTable:
    """The ranking of one language pair; `others` are its rows without ranks, whose further columns
    are scores if all their cells are numbers.
    """
    found: dict[str, PublishedRank] = {}
    for number, cells in rows:
        where, system, own = (
            f"{name}, line {number}",
            cells[0],
            {key: cells[k].strip() for key, k in places.items()},
        )
        if not system or system in found:
            raise InputError(
                f"{where} names {'a system twice' if system else 'no system'}. Expected one line for each "
                "system."
            )
        text = own["rank"] if "rank" in own else f"{own['rank_low']}-{own['rank_high']}"
        if text.replace("-", "").lower() in _NOTHING:
            continue
        rank, cluster = _RANK.fullmatch(text), own.get("cluster", "")
        if (
            rank is None
            or not 1 <= int(rank[1]) <= int(rank[2] or rank[1])
            or cluster
            and not cluster.isdecimal()
        ):
            what, cell = (
                ("cluster", cluster) if cluster and not cluster.isdecimal() else ("rank", text)
            )
            raise InputError(
                f"{where}: the {what} is {show_name(cell)[:80]!r}. Expected a whole number from 1"
                f"{', or a range such as 1-3' * (what == 'rank')}."
            )
        found[system] = PublishedRank(
            int(rank[1]), int(rank[2]) if rank[2] else None, int(cluster or 0) or None
        )
    if any(one.high is not None for one in found.values()):
        found = {
            name: one if one.high is not None else replace(one, high=one.low)
            for name, one in found.items()
        }
    scores = [
        k
        for k in range(1, len(titles))
        if all(cells[k].lower() in _NOTHING or _NUMBER.fullmatch(cells[k]) for _, cells in others)
    ]
    kept = [(number, [cells[k] for k in (0, *scores)]) for number, cells in others]
    columns = (
        _parse_rows([titles[k] for k in (0, *scores)], kept, name, False).columns if scores else {}
    )
    return OfficialTable(columns, tuple(cells[0] for _, cells in rows), name, found)


def _parse_rows(titles: list[str], rows: list[_Row], name: str, is_long: bool) -> OfficialTable:
    """The table of one language pair; of a wide one all metrics, with or without a score."""
    columns: dict[str, dict[str, str]] = {metric: {} for metric in titles[1:] if not is_long}
    seen: dict[tuple[str, str], None] = {}
    for number, cells in rows:
        where, row = f"{name}, line {number}", dict(zip(map(str.lower, titles), cells, strict=True))
        system = row["system"] if is_long else cells[0]
        for metric, cell in (
            [(row["metric"], row["score"])] if is_long else zip(titles[1:], cells[1:], strict=True)
        ):
            if not system or not metric:
                raise InputError(f"{where} names no system, or no metric. Expected both.")
            scores = columns.setdefault(metric, {})
            if (system, metric) in seen and (system in scores or not is_long):
                raise InputError(
                    f"{where} has a second score of {show_name(system)!r}. Expected one by each metric."
                )
            seen[system, metric] = None
            cell = cell.strip("*").replace("\u2212", "-").strip()
            if cell.lower() not in _NOTHING:
                if not _NUMBER.fullmatch(cell):
                    raise InputError(
                        f"{where}: {show_name(metric)} is {show_name(cell)[:80]!r}. Expected a number "
                        "such as 27.8, or a dash for no score."
                    )
                scores[system] = cell
    if not seen:
        raise InputError(
            f"{name} has no column of a metric. Expected the name of the system first, and then a metric "
            "in each column."
        )
    return OfficialTable(columns, tuple(dict.fromkeys(system for system, _ in seen)), name)
