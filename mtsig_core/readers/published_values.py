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

from mtsig_core.errors import InputError, MissingPackageError
from mtsig_core.extras import check_installed
from mtsig_core.readers.columns import InputTable, find_column
from mtsig_core.readers.delimited import read_delimited
from mtsig_core.readers.files import (
    FilePath,
    is_archive,
    is_file,
    is_folder,
    keep_until_changed,
    list_paths,
    open_file,
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
from mtsig_core.readers.task_names import find_pair
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
    files = [PublishedFile(path, read_published_file(path)) for path in _list_files(folder)]
    return sorted(file for file in files if file.tables)


def _list_files(folder: FilePath, depth: int = 1) -> list[Path]:
    """The files of a folder and of the folders in it, all in a zip, or the file itself."""
    is_workbook = os.fsdecode(folder).lower().endswith(".xlsx")  # which is a zip, too
    if is_workbook:
        check_installed("excel", f"Reading {show_name(folder)}, a workbook,", "openpyxl")
    if is_workbook or not is_folder(folder):
        return [Path(folder)]
    files = []
    for path in list_paths(folder):
        if is_file(path):
            files.append(path)
        elif depth and not is_archive(folder):  # of which all is listed
            files += _list_files(path, depth - 1)
    return files


@keep_until_changed
def read_published_file(file: FilePath) -> dict[str, OfficialTable]:
    """The tables of a file by language pair; empty of any other file.

    The file must say the language pairs, in a column, by its sheets or by its name.
    """
    path = Path(file)
    # Where the file is read for something else, the error is its message.
    with suppress(InputError, MissingPackageError, OSError):
        if _may_be_published(path):
            return _read_tables(path)
    return {}


def _may_be_published(path: Path) -> bool:
    if path.name in (SYSTEMS_FILE, METADATA_FILE) or not _ENDINGS.fullmatch(path.name):
        return False
    with open_file(path) as file:  # on disk, in a zip, or uploaded
        return len(file.read(_MOST_BYTES + 1)) <= _MOST_BYTES


def _read_tables(path: Path) -> dict[str, OfficialTable]:
    fmt = sniff(cut_lines(read_beginning(path)))
    if fmt is not None and fmt.holds_scores:
        return {}
    text = read_published(path)
    name = show_name(path.name)
    is_mturk = read_mturk_systems(text, name) is not None
    if not is_mturk and not _has_systems(read_delimited(text, name)):
        return {}
    pair_of_name = find_pair(path.name)
    published = {}
    for pair, table in parse_official_tables(text, name, is_task=False).items():
        has_values = any(table.columns.values()) or table.ranks
        if has_values and (pair or pair_of_name):
            published[pair or pair_of_name] = table
    return published


def _has_systems(table: InputTable) -> bool:
    """Whether a table has a row for each system, and none for segments or texts."""
    is_of_others = any(find_column(table.header, role) is not None for role in _NOT_OF_SYSTEMS)
    return find_column(table.header, "system") is not None and not is_of_others


def read_published_uploads(files: Iterable[tuple[str, bytes]]) -> list[PublishedFile]:
    """The tables of published scores among uploaded files, each a name and its content."""
    published = []
    for name, content in files:
        with limit_reading(upload_limits()), read_uploaded({name: content}):
            published.append(PublishedFile(Path(name), read_published_file(Path(name))))
    return [file for file in published if file.tables]


def join_published(files: Iterable[PublishedFile]) -> PublishedValues:
    """The values of all files; a column that was there before has the name of its file."""
    values: PublishedValues = {}
    titles: dict[str, set[str]] = {}
    for file in files:
        for pair, table in file.tables.items():
            known_titles = titles.setdefault(pair, set())
            for column, texts in _list_columns(table).items():
                title = column
                if column in known_titles:
                    title = f"{column} ({file.path.name})"
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
