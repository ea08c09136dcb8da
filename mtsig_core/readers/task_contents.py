"""List the contents of a zip of a task, and the files next to the texts of a task.

Next to the texts are tables of segment scores, further training runs, and files that are not read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mtsig_core.errors import InputError, MissingPackageError
from mtsig_core.grouping import group_values
from mtsig_core.readers import automatic_scores
from mtsig_core.readers.document_tasks import list_lone_outputs
from mtsig_core.readers.files import (
    MAX_DEPTH,
    OF_FINDER,
    FilePath,
    is_file,
    is_folder,
    keep_until_changed,
    list_folder,
    list_paths,
)
from mtsig_core.readers.formats import FOLDER, SCORE_TABLE, list_endings, sniff
from mtsig_core.readers.lines import read_beginning, read_table
from mtsig_core.readers.published_values import list_published_files
from mtsig_core.readers.score_tables import cut_lines, list_pairs_of_lines
from mtsig_core.readers.systems_table import METADATA_FILE, SYSTEMS_FILE, is_of_participants
from mtsig_core.readers.task_names import OUTPUTS, drop_set, explain_aside, task_name, without_pair
from mtsig_core.readers.tasks import (
    HUMAN_FOLDER,
    METRIC_FOLDER,
    SEG_SCORE_ENDINGS,
    TaskTable,
    describe_task_table,
    find_document_files,
    find_plain_sets,
    find_task,
    find_xml,
    is_description,
    is_mqm_table,
    is_of_task,
    is_task,
    is_unrated_campaign,
    list_task_tables,
    pairs_of,
)
from mtsig_core.readers.texts import PairFile, find_runs
from mtsig_core.testset import show_name

_TASK_FOLDERS = {
    "references",
    *OUTPUTS,
    "sources",
    "documents",
    "metadata",
    "metainfo",
    automatic_scores.FOLDER_NAME,
    HUMAN_FOLDER,
    METRIC_FOLDER,
}
_TABLES_OF_SYSTEMS = (SYSTEMS_FILE, METADATA_FILE)
_MAX_NAMES = 8  # files of which a sentence has the names


class FileOfPair(NamedTuple):
    """A file that may join one language pair of a task."""

    pair: str
    name: str  # of the scores, or of the system
    path: str


class UnreadFile(NamedTuple):
    """A file that is not read, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Contents:
    """The contents of a zip of a task."""

    pairs: tuple[str, ...]  # its language pairs
    scores: tuple[PairFile, ...]  # tables of segment scores next to its texts
    runs: tuple[PairFile, ...]  # further training runs
    unread: tuple[tuple[str, str], ...]
    has_only_scores: bool = False  # tables that name their language pairs, without texts
    has_errors: bool = False  # whether one of these lists errors of MQM, which have weights


def contents_of(archive: FilePath) -> Contents:
    """List the contents of a zip of a task, with a reason for each file that is not read."""
    root = Path(archive)
    task = find_task(archive)
    pairs = pairs_of(archive)
    places = list(dict.fromkeys((task, root)))  # a task may be in a subfolder, with files above it
    scores: dict[PairFile, None] = {}
    runs: list[PairFile] = []
    files = sorted(_list_task_files(archive, task))
    for place in places:
        scores |= dict.fromkeys(tables_beside(place, pairs, MAX_DEPTH))
        runs += find_runs(place, pairs)
        files += _list_loose(place, MAX_DEPTH)
    tables = list_task_tables(task)
    read_paths = {path for _, _, path in (*scores, *runs)}
    read_paths |= {str(table.path) for table in tables}
    read_paths |= {str(file.path) for file in list_published_files(archive)}
    if tables:
        read_paths |= {str(path) for path in files if is_description(path)}
    for paths in find_xml(task).values():
        read_paths |= set(map(str, paths))
    for folder in find_plain_sets(task).values():
        read_paths |= set(map(str, list_paths(folder)))
    documents = find_document_files(task)
    if documents is not None:
        read_paths |= set(map(str, documents.all))
    table_paths = {path for _, _, path in scores}
    unread = []
    for path in files:
        reason = "" if str(path) in read_paths else _explain_unread(path, task, pairs)
        if str(path) in table_paths:
            reason = explain_other_pairs(path, pairs)
        if reason:
            unread.append(UnreadFile(show_name(path.relative_to(root).as_posix()), reason))
    has_errors = any(is_mqm_table(table) for table in tables)
    return Contents(
        tuple(pairs), tuple(scores), tuple(runs), tuple(unread), bool(tables), has_errors
    )


def _list_task_files(archive: FilePath, task: Path) -> list[Path]:
    """The files in a task's own folders."""
    return [path for path in list_paths(archive) if is_file(path) and _find_task_folder(path, task)]


def _find_task_folder(path: Path, task: Path) -> str:
    """Which of a task's own folders a file is in; empty for another file."""
    if task not in path.parents:
        return ""
    first_folder, *inside = path.relative_to(task).parts
    return first_folder if inside and first_folder in _TASK_FOLDERS else ""


def _list_loose(folder: Path, depth: int) -> list[Path]:
    """The files of a folder, and of subfolders that are neither a task's own nor a task."""
    files = []
    for name in list_folder(folder):
        path = folder / name
        if name == OF_FINDER:
            continue
        if is_file(path):
            files.append(path)
        elif depth and is_folder(path) and name not in _TASK_FOLDERS and not is_task(path):
            files += _list_loose(path, depth - 1)
    return files


def unread_sentences(unread: Iterable[tuple[str, str]]) -> list[str]:
    """Write which files of a task are not read, with one sentence per reason."""
    sentences = []
    for reason, files in group_values(unread).items():
        names = ", ".join(files[:_MAX_NAMES])
        if len(files) > _MAX_NAMES:
            names += f" and {len(files) - _MAX_NAMES:,} more"
        sentences.append(f"Not read: {names}. The reason: {reason}.")
    return sentences


# Tables of segment scores.


def tables_beside(folder: FilePath, pairs: Collection[str], depth: int = 1) -> list[FileOfPair]:
    """The tables of segment scores in the folder of a task with texts, for these language pairs.

    Ratings are known by their content; other tables are called ``PAIR.NAME.tsv``, such as
    ``en-zh.esa.tsv``, or end as other files of scores do. `depth`: how many folders below are
    searched.
    """
    root = Path(folder)
    has_texts = is_folder(root) and not is_folder(root / automatic_scores.FOLDER_NAME)
    if not has_texts or list_task_tables(root):
        return []
    files = []
    for path in _list_loose(root, depth):
        table = _find_table(path, pairs)
        if table is not None:
            files += [FileOfPair(pair, table.name, str(path)) for pair in table.pairs]
    return files


def explain_other_pairs(path: Path, pairs: Collection[str]) -> str:
    """What a table next to texts has of language pairs without texts; empty where it has none."""
    table = _find_table(path, None)
    others = [] if table is None else [pair for pair in table.pairs if pair not in pairs]
    if not others:
        return ""
    return (
        f"it has scores of {', '.join(others)} too, of which there are no texts; alone it is a task of all its "
        "language pairs"
    )


def _find_table(path: Path, pairs: Collection[str] | None) -> TaskTable | None:
    """Return the table of scores in a file next to texts, with its part of these language pairs.

    None if the file is not a table of scores. `pairs`: None for all.
    """
    name_parts = _split_table_name(path.name)
    if name_parts is not None:
        pair, name = name_parts
        is_asked = pairs is None or pair in pairs
        return TaskTable(name, path, [pair]) if is_asked else None
    if path.name in _TABLES_OF_SYSTEMS or is_of_task(path.name) or task_name(path.name) is not None:
        return None
    table = None
    with suppress(InputError):  # the message is in the reason why it is not read
        table = _find_ratings(path)
    if table is None or pairs is None:
        return table
    if not table.pairs and len(pairs) == 1:
        return table._replace(pairs=[*pairs])
    return table._replace(pairs=[pair for pair in table.pairs if pair in pairs])


@keep_until_changed
def _find_ratings(file: FilePath) -> TaskTable | None:
    """The table of scores of segments in a file whose content shows it; None of another file."""
    path = Path(file)
    head = read_beginning(path)
    fmt = sniff(cut_lines(head))
    if fmt is None or not fmt.holds_scores:
        return None
    pairs = list_pairs_of_lines(path)
    return None if pairs is None else describe_task_table(path, head, pairs)


def _split_table_name(file: str) -> tuple[str, str] | None:
    """Language pair, and name of the scores, of a table called ``[SET.]PAIR.NAME.tsv`` or the like.

    >>> [_split_table_name(name) for name in ("en-cs.esa.tsv", "wmt24.en-cs.esa.v2.csv.gz", "comet.en-cs.jsonl")]
    [('en-cs', 'esa'), ('en-cs', 'esa.v2'), ('en-cs', 'comet')]
    >>> _split_table_name("en-cs.mqm.seg.score"), _split_table_name("en-cs.meta.jsonl"), _split_table_name("notes.tsv")
    (('en-cs', 'mqm'), None, None)
    """
    _, pair, label = without_pair(file)
    endings = "|".join(map(re.escape, [*list_endings(SCORE_TABLE), ".seg.score"]))
    table = re.fullmatch(rf"(.+?)({endings})(\.gz)?", label, re.DOTALL)
    if not pair or table is None or task_name(file) is not None:
        return None
    name = table[1].replace(f".{pair}", "", 1).strip()
    return (pair, name) if name and "," not in name else None


# Why a file is not read.


def _explain_unread(path: Path, task: Path, pairs: Collection[str]) -> str:
    """Why a file of a task is not read; empty where it is.

    `read_wmt` tells which outputs have another name.
    """
    if is_of_participants(path):
        return ""
    reason = _explain_kind(path, task)
    if reason:
        return reason
    folder = _find_task_folder(path, task)
    pair = ""
    if folder == HUMAN_FOLDER:
        is_read = path.name.endswith(SEG_SCORE_ENDINGS)
        pair, _, _ = path.name.partition(".")
    elif folder == METRIC_FOLDER:
        is_read = path.name.endswith(SEG_SCORE_ENDINGS)
        pair = path.parent.name
    elif folder == automatic_scores.FOLDER_NAME:
        is_read = path.name.endswith(automatic_scores.ENDINGS)
    elif folder:
        place = path.relative_to(task).as_posix()
        is_read = folder in OUTPUTS or task_name(place) is not None
    else:
        is_flat = path.parent == task and not is_folder(task / "references")
        is_text = is_flat and task_name(path.name) is not None
        is_read = is_text or path.name in _TABLES_OF_SYSTEMS
        name_parts = _split_table_name(path.name)
        if name_parts is not None:
            pair, _ = name_parts
    if pair and pair not in {drop_set(task_pair) for task_pair in pairs}:
        return f"{pair} is no language pair of which the task has a reference"
    if is_read:
        return ""
    return _explain_table(path, [*pairs]) or (
        "no text of a task, and no table of segment scores such as en-de.esa.tsv, has such a name"
    )


def _explain_kind(path: Path, task: Path) -> str:
    """Why a file is not read, whatever it is called; empty where it may be."""
    head = read_beginning(path)
    if is_unrated_campaign(path, head):
        return "nobody has rated in this campaign yet"
    if path in list_lone_outputs(task):
        return (
            "it has outputs, and the file of their sources, such as wmt26-genmt.jsonl, is not there"
        )
    fmt = sniff(cut_lines(head))
    if fmt is not None and FOLDER in fmt.reads:
        return "it is an archive in another folder or archive; unpack it, or give only this archive"
    return explain_aside(path.name, list_folder(path.parent))


def _explain_table(path: Path, pairs: Sequence[str]) -> str:
    """Explain why a table of scores next to texts is not read; empty for other files."""
    fmt = sniff(cut_lines(read_beginning(path)))
    if fmt is None or fmt.reads.get(SCORE_TABLE) is None:
        return ""
    try:
        table = _find_ratings(path)
        if fmt.name == "xlsx":
            read_table(path)  # for its error
    except (InputError, MissingPackageError) as error:
        return str(error).replace(show_name(path), "it").rstrip(".")
    if table is None:
        return (
            "its content does not show that it has scores of segments. If it has them, name it like "
            f"{pairs[0]}.esa{path.suffix}. If it has published scores of systems, compare with them on "
            "the page Results"
        )
    if not table.pairs:
        return (
            f"it has scores ({table.name}), and neither its content nor its name says of which language pair. Call "
            f"it such as {pairs[0]}.{table.name}{path.suffix}"
        )
    return f"it has scores of {', '.join(table.pairs)}, and the task has no reference of that language pair"
