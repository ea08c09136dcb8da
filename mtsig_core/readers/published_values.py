"""Published scores and ranks of whole systems, in tables that lie in the folder of a task, or alone.

`official_tables.py` reads a table. Here is which files of a folder are such tables, by their
content, and of which language pair each is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

from mtsig_core.errors import InputError
from mtsig_core.readers.columns import find_column
from mtsig_core.readers.delimited import read_delimited
from mtsig_core.readers.files import (
    FilePath,
    is_archive,
    is_file,
    is_folder,
    list_paths,
    read_uploaded,
)
from mtsig_core.readers.formats import sniff
from mtsig_core.readers.limits import limit_reading, upload_limits
from mtsig_core.readers.lines import read_beginning
from mtsig_core.readers.mturk_tables import read_mturk_systems
from mtsig_core.readers.official_tables import (
    OfficialTable,
    PublishedRank,
    parse_official_tables,
    read_published,
)
from mtsig_core.readers.score_tables import cut_lines
from mtsig_core.readers.systems_table import METADATA_FILE, SYSTEMS_FILE
from mtsig_core.readers.task_names import find_pair, without_pair
from mtsig_core.testset import show_name

#: By language pair, system and column: numbers and ranks as they were printed.
PublishedValues: TypeAlias = dict[str, dict[str, dict[str, str]]]

RANK = "rank"
_ENDINGS = re.compile(r".+\.(tsv|csv|xlsx)(\.gz)?", re.IGNORECASE | re.DOTALL)
_MOST_BYTES = 1 << 20  # of a table of systems
#: Columns of tables of segments, or of texts.
_NOT_OF_SYSTEMS = ("line", "docid", "rater", "source", "reference", "output")


class PublishedFile(NamedTuple):
    """A table of published scores, by language pair."""

    path: Path
    tables: dict[str, OfficialTable]


def list_published_files(folder: FilePath) -> list[PublishedFile]:
    """The tables of published scores in a folder and the folders in it, in a zip, or in a file."""
    files = []
    for path in sorted(_list_files(folder)):
        tables = read_published_file(path)
        if tables:
            files.append(PublishedFile(path, tables))
    return files


def _list_files(folder: FilePath, depth: int = 1) -> list[Path]:
    is_workbook = os.fsdecode(folder).lower().endswith(".xlsx")  # which is a zip, too
    if is_workbook or not is_folder(folder):
        return [Path(folder)]
    files = []
    for path in list_paths(folder):
        if is_file(path):
            files.append(path)
        elif depth and not is_archive(folder):  # of which all is listed
            files += _list_files(path, depth - 1)
    return files


def read_published_file(path: Path) -> dict[str, OfficialTable]:
    """The tables of a file by language pair; empty of any other file.

    The file must say the language pairs, in a column, by its sheets or by its name.
    """
    is_named_so = _ENDINGS.fullmatch(path.name) and path.name not in (SYSTEMS_FILE, METADATA_FILE)
    if not is_named_so or (os.path.isfile(path) and os.path.getsize(path) > _MOST_BYTES):
        return {}
    with suppress(InputError):  # which is the message where the file is read for something else
        fmt = sniff(cut_lines(read_beginning(path)))
        if fmt is None or not fmt.holds_scores:
            return _parse_file(path)
    return {}


def read_published_uploads(files: Iterable[tuple[str, bytes]]) -> list[PublishedFile]:
    """The tables of published scores among uploaded files, each a name and its content."""
    published = []
    for name, content in files:
        with limit_reading(upload_limits()), read_uploaded({name: content}):
            tables = read_published_file(Path(name))
        if tables:
            published.append(PublishedFile(Path(name), tables))
    return published


def _parse_file(path: Path) -> dict[str, OfficialTable]:
    name = show_name(path.name)
    text = read_published(path)
    if read_mturk_systems(text, name) is None:
        header = read_delimited(text, name).header
        if find_column(header, "system") is None:
            return {}
        if any(find_column(header, content) is not None for content in _NOT_OF_SYSTEMS):
            return {}
    tables = parse_official_tables(text, name, is_task=False)
    _, pair, _ = without_pair(path.name)
    pair_of_name = pair or find_pair(path.name)
    published = {}
    for pair, table in tables.items():
        has_values = any(table.columns.values()) or table.ranks
        if has_values and (pair or pair_of_name):
            published[pair or pair_of_name] = table
    return published


def join_published(files: Iterable[PublishedFile]) -> PublishedValues:
    """The values of all files; a column that was there before has the name of its file."""
    values: PublishedValues = {}
    titles: dict[str, set[str]] = {}
    for file in files:
        for pair, table in file.tables.items():
            known_titles = titles.setdefault(pair, set())
            for column, texts in _list_columns(table).items():
                title = f"{column} ({file.path.name})" if column in known_titles else column
                known_titles.add(title)
                for system, text in texts.items():
                    values.setdefault(pair, {}).setdefault(system, {})[title] = text
    return values


def _list_columns(table: OfficialTable) -> dict[str, Mapping[str, str]]:
    """The numbers of each column, and the ranks, by system."""
    columns = {title: texts for title, texts in table.columns.items() if texts}
    if table.ranks:
        columns[RANK] = {system: _write_rank(rank) for system, rank in table.ranks.items()}
    return columns


def _write_rank(rank: PublishedRank) -> str:
    if rank.high in (None, rank.low):
        return str(rank.low)
    return f"{rank.low}-{rank.high}"
