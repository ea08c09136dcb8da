"""Read a whole shared task from a folder or a zip archive, in any known layout."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, MissingPackageError, SettingError, explain_unknown
from mtsig_core.languages import is_langpair, name_parts
from mtsig_core.readers import automatic_scores
from mtsig_core.readers.automatic_scores import read_automatic_scores
from mtsig_core.readers.columns import InputTable
from mtsig_core.readers.document_tasks import (
    DocumentFiles,
    find_documents,
    list_document_pairs,
    list_lone_outputs,
    read_documents_task,
)
from mtsig_core.readers.files import (
    FilePath,
    check_place,
    check_regular,
    is_archive,
    is_file,
    is_folder,
    list_folder,
    list_paths,
    open_file,
)
from mtsig_core.readers.formats import FOLDER, SCORE_TABLE, Format, find_format, sniff
from mtsig_core.readers.lines import explain_missing, read_beginning, read_lines, read_table
from mtsig_core.readers.pearmut import find_campaign_pair
from mtsig_core.readers.published_values import list_published_files, read_published_file
from mtsig_core.readers.rater_effects import ADJUSTED
from mtsig_core.readers.rating_formats import BLOCK_LINE, parse_blocks
from mtsig_core.readers.score_tables import cut_lines, list_langpairs, name_scores
from mtsig_core.readers.scores import read_scores
from mtsig_core.readers.stand_ins import refuse_stand_in
from mtsig_core.readers.systems_table import (
    METADATA_FILE,
    is_of_participants,
    read_metadata,
    read_participants,
)
from mtsig_core.readers.task_names import (
    drop_set,
    explain_aside,
    find_pair,
    folder_name,
    task_name,
    without_pair,
    xml_names,
)
from mtsig_core.readers.texts import drop_canary, index_by_name
from mtsig_core.readers.uploads import (
    find_common_set,
    find_role_word,
    read_uploads,
    take_as_guessed,
)
from mtsig_core.readers.wmt import ONE_OF_EACH, language_pairs, list_left_out, read_wmt
from mtsig_core.readers.wmt_xml import read_wmt_xml
from mtsig_core.score_names import RAW_DA, STANDARDIZED_DA, settle_directions
from mtsig_core.task import Task
from mtsig_core.testset import SegmentScores, TestSet, is_human, show_name


@dataclass(frozen=True)
class _Options:
    """How to read the test sets of a task."""

    lower_is_better: Collection[str] = ()
    higher_is_better: Collection[str] = ()
    keep_canary: bool = False
    raters: str = "mean"  # as in `read_scores`
    mqm_weights: Mapping[str, float] = field(default_factory=dict)  # the same
    parses: Sequence[tuple[str, FilePath]] = ()  # of the texts of a single language pair
    rated: Collection[str] = ()  # language pairs that ratings will join


# Texts as plain files, with segment scores next to them, in the layout of mt-metrics-eval. A file
# of scores has a block of lines for each system, in the order of the segments, and ``None`` for a
# missing score::
#
#     human-scores/en-de.mqm.seg.score              SYSTEM<TAB>SCORE
#     metric-scores/en-de/COMET-22-refA.seg.score   the same; of references refA, or of the source: -src
#
# Scores of systems, documents and domains (``.sys.score``, ...) are not read.

HUMAN_FOLDER = "human-scores"
METRIC_FOLDER = "metric-scores"
SEG_SCORE_ENDINGS = (".seg.score", ".seg.score.gz")


class _SegScoreFile(NamedTuple):
    """A file of segment scores, and what the scores are called."""

    name: str
    path: Path


def _read_texts(
    folder: Path, pairs: Collection[str] | None, options: _Options
) -> dict[str, TestSet]:
    """Read the texts of a folder in WMT layout, and the segment scores next to them."""
    testsets = {}
    for pair in language_pairs(folder) if pairs is None else pairs:
        testset = read_wmt(folder, pair, parses=options.parses, keep_canary=True)
        scores = _read_seg_scores(folder, drop_set(pair), testset)
        testsets[pair] = replace(testset, scores=scores) if scores else testset
    return testsets


def _read_seg_scores(folder: Path, pair: str, testset: TestSet) -> dict[str, SegmentScores]:
    """All scores of one language pair, without systems that have none."""
    paths: dict[str, Path] = {}
    scores = {}
    for name, path in _list_seg_scores(folder, pair):
        if name in paths:
            raise InputError(
                f"Two scores are called {show_name(name)}: {show_name(paths[name])} and "
                f"{show_name(path)}. {ONE_OF_EACH}"
            )
        if "," in name or name != name.strip():
            raise InputError(
                f"{show_name(path)}: {show_name(name)!r} is no name for scores, as a list of metrics "
                "could not name them. Rename the file."
            )
        paths[name] = path
        by_system = parse_blocks(read_lines(check_regular(path), BLOCK_LINE), show_name(path))
        for system, values in by_system.items():
            _check_block(path, system, values, testset)
        scored = {system: values for system, values in by_system.items() if set(values) != {None}}
        if scored:
            scores[name] = SegmentScores(scored)
    return scores


def _check_block(path: Path, system: str, values: Sequence[float | None], testset: TestSet) -> None:
    is_known = system in testset.systems or system in testset.references or is_human(system)
    if not is_known:
        raise InputError(
            f"{show_name(path)}: {show_name(system)!r} has scores and no output. Expected one of "
            f"{', '.join(map(show_name, testset.systems))}. Rename it, or remove its lines."
        )
    if len(values) != testset.n_segments:
        raise InputError(
            f"{show_name(path)}: {show_name(system)} has {len(values)} scores, the texts have "
            f"{testset.n_segments} segments. Expected a line for each, with None where a score is "
            "missing."
        )


def _list_seg_scores(folder: Path, pair: str) -> list[_SegScoreFile]:
    files = []
    places = ((folder / HUMAN_FOLDER, f"{pair}."), (folder / METRIC_FOLDER / pair, ""))
    for place, prefix in places:
        for path in list_paths(place):
            for ending in SEG_SCORE_ENDINGS:
                if path.name.startswith(prefix) and path.name.endswith(ending):
                    name = path.name.removeprefix(prefix).removesuffix(ending)
                    files.append(_SegScoreFile(name, path))
    return files


def _list_seg_score_names(folder: Path) -> set[str]:
    """What the segment scores of any language pair are called."""
    names = set()
    for pair in language_pairs(folder):
        names |= {file.name for file in _list_seg_scores(folder, drop_set(pair))}
    return names


# Scores of segments without texts, in the layout of WMT25.


def _read_automatic_scores(
    folder: Path, pairs: Collection[str] | None, _options: _Options
) -> dict[str, TestSet]:
    return read_automatic_scores(folder, pairs)


def _list_automatic_score_names(folder: Path) -> set[str]:
    testsets = read_automatic_scores(folder, None).values()
    return {name for testset in testsets for name in testset.scores}


# XML, whose names say the language pair.


def find_xml(folder: Path) -> dict[str, list[Path]]:
    """The XML files by language pair, of a folder that has no plain texts."""
    has_other_layout = is_folder(folder / "references") or is_folder(
        folder / automatic_scores.FOLDER_NAME
    )
    if not is_folder(folder) or has_other_layout:
        return {}
    try:
        files = xml_names(list_folder(folder))
    except InputError:  # a folder that is closed
        return {}
    return {pair: [folder / name for name in names] for pair, names in files.items()}


def _read_xml(
    folder: Path, pairs: Collection[str] | None, _options: _Options
) -> dict[str, TestSet]:
    files = find_xml(folder)
    if pairs is None:
        pairs = sorted(files)
    _check_pairs(pairs, sorted(files))
    testsets = {}
    for pair in pairs:
        paths = [check_regular(path) for path in files[pair]]
        name = f"{folder_name(folder)} {pair}"
        testsets[pair] = read_wmt_xml(paths, pair, name=name, keep_canary=True)
    return testsets


def _check_pairs(pairs: Iterable[str], known: Collection[str]) -> None:
    for pair in pairs:
        if pair not in known:
            raise explain_unknown(name_parts(known), pair, known)


# Tables of scores without texts that name their language pairs, such as the waves of a human
# evaluation. Tables of one name are joined.


_MQM = "MQM"  # what scores of MQM are called


#: Names of files that are no texts of a task.
_NO_TEXTS = re.compile(
    r"(?is).+\.(csv|tsv|json|ya?ml|md|py|r|sh|log|pdf|png|svg|html?|zip|tgz|tar(\.\w+)?)"
)


class TaskTable(NamedTuple):
    """A file with scores of segments."""

    name: str  # what the scores are called
    path: Path
    pairs: list[str]  # language pairs, by its content, or else by its name


def list_task_tables(folder: Path) -> list[TaskTable]:
    """List the tables in a folder that has only tables, or in a file; empty for other folders.

    Tables of published scores of whole systems may lie next to them, lists of errors of the source,
    and other files that cannot be texts.
    """
    if _list_marks(folder):
        return []
    paths = [path for path in sorted(_list_files(folder)) if not is_description(path)]
    names = [path.name for path in paths]
    rating_paths = [path for path in paths if not explain_aside(path.name, names)]
    tables = []
    for path in rating_paths or paths:
        head = read_beginning(path)
        fmt = sniff(cut_lines(head))
        if _lies_beside_tables(path, head, fmt):
            continue
        if fmt is None or not _may_hold_scores(fmt):
            return []
        try:
            table = describe_task_table(path, head, list_langpairs(path))
        except (InputError, MissingPackageError):
            if fmt.holds_scores:
                raise
            continue  # another file of a form in which scores may be
        if not table.pairs:
            return []
        tables.append(table)
        if table.name == STANDARDIZED_DA:
            tables.append(table._replace(name=RAW_DA))
    return tables


def _may_hold_scores(fmt: Format) -> bool:
    return fmt.holds_scores or SCORE_TABLE in fmt.reads


def _lies_beside_tables(path: Path, head: bytes, fmt: Format | None) -> bool:
    """Whether a file is no table of scores of segments, and cannot be a text that others score."""
    if is_unrated_campaign(path, head):
        return True
    if fmt is not None and fmt.holds_scores:
        return False
    if read_published_file(path):
        return True
    if fmt is not None and _may_hold_scores(fmt):
        return False
    return _NO_TEXTS.fullmatch(path.name) is not None or path in list_lone_outputs(path.parent)


def is_unrated_campaign(path: Path, head: bytes) -> bool:
    """Whether a file is of a campaign of Pearmut in which nobody has rated yet."""
    if not find_campaign_pair(path.name):
        return False
    return not head.strip() or (_is_rating_file(path) and not list_langpairs(path))


def is_mqm_table(table: TaskTable) -> bool:
    """Whether a table lists errors, which have weights."""
    return table.name == _MQM


def _list_files(folder: Path) -> list[Path]:
    """The files in a folder or an archive; a table of ratings by itself."""
    if os.path.isfile(folder) and not is_archive(folder):
        return [folder] if _is_rating_file(folder) else []
    return [path for path in list_paths(folder) if is_file(path)]


def _is_rating_file(path: FilePath) -> bool:
    """Whether a file holds human evaluation as published, which may be of several language pairs."""
    fmt = sniff(cut_lines(read_beginning(path)))
    return fmt is not None and fmt.holds_scores and SCORE_TABLE in fmt.reads


def describe_task_table(path: Path, head: bytes, pairs: Iterable[str]) -> TaskTable:
    """A table of scores by its beginning, its name, and the language pairs that its rows have."""
    table_pairs = [pair for pair in pairs if is_langpair(pair)]
    if not table_pairs:
        _, pair, _ = without_pair(path.name)
        pair = pair or find_pair(path.name)
        table_pairs = [pair] if pair else []
    return TaskTable(name_scores(head) or path.name.partition(".")[0], path, table_pairs)


def is_description(path: Path) -> bool:
    """Whether a file next to tables is a readme, a list of participants, or a header on its own."""
    if is_of_participants(path) or re.match("readme|license|licence", path.name, re.IGNORECASE):
        return True
    if not re.match("header", path.name, re.IGNORECASE):
        return False
    return read_beginning(path).count(b"\n") <= 1


def _list_table_pairs(folder: Path) -> list[str]:
    pairs: dict[str, None] = {}
    for table in list_task_tables(folder):
        pairs.update(dict.fromkeys(table.pairs))
    return list(pairs)


def _read_tables(
    folder: Path, pairs: Collection[str] | None, options: _Options
) -> dict[str, TestSet]:
    tables = list_task_tables(folder)
    has_errors = any(map(is_mqm_table, tables))
    if options.mqm_weights and not has_errors:
        raise SettingError(
            f"{show_name(folder)}: weights of MQM errors are given, and no table lists errors. Leave the "
            "weights out."
        )
    testsets = {}
    # Each file is read once, as those of all language pairs are large.
    contents: dict[Path, InputTable] = {}
    for pair in _list_table_pairs(folder) if pairs is None else pairs:
        files: list[tuple[str, InputTable]] = []
        for table in tables:
            if pair in table.pairs:
                if table.path not in contents:
                    contents[table.path] = read_table(table.path)
                files.append((table.name, contents[table.path]))
        # All language pairs decide the direction of scores together, later.
        testset = read_scores(
            files,
            name=pair,
            langpair=pair,
            raters=options.raters,
            mqm_weights=options.mqm_weights if _MQM in dict(files) else {},
            higher_is_better={name for name, _ in files},
        )
        assumed = []
        for assumption in testset.assumed:
            if assumption.code.startswith("direction"):
                continue
            if "langpair" in assumption.facts:
                assumption = replace(assumption, facts={**assumption.facts, "langpair": pair})
            assumed.append(assumption)
        testsets[pair] = replace(testset, langpair=pair, assumed=tuple(assumed))
    return testsets


# Documents in JSON, as WMT25 published them.


def find_document_files(folder: Path) -> DocumentFiles | None:
    """The files of such a task, in a folder without those that show another one."""
    return None if not is_folder(folder) or _list_marks(folder) else find_documents(folder)


def _list_document_pairs(folder: Path) -> tuple[list[str], list[str]]:
    """The language pairs with references, and those without."""
    files = find_document_files(folder)
    return ([], []) if files is None else list_document_pairs(files)


def _list_usable_pairs(folder: Path) -> list[str]:
    """The language pairs with references or ratings; all of a task without either."""
    with_references, others = _list_document_pairs(folder)
    if not others:
        return with_references
    rated = _list_rated_pairs(folder)
    return [*with_references, *(pair for pair in others if pair in rated)] or others


def _list_rated_pairs(folder: Path) -> set[str]:
    """The language pairs that tables of ratings name, in a folder or those in it."""
    paths: set[Path] = set()
    for place in (folder, *filter(is_folder, list_paths(folder))):
        paths.update(filter(is_file, list_paths(place)))
    rated: set[str] = set()
    for path in sorted(paths):
        if _is_rating_file(path):
            rated.update(describe_task_table(path, b"", list_langpairs(path)).pairs)
    return rated


def _read_documents(
    folder: Path, pairs: Collection[str] | None, options: _Options
) -> dict[str, TestSet]:
    files = find_document_files(folder)
    testsets = {} if files is None else read_documents_task(files, pairs, options.rated)
    name = folder_name(folder)
    return {pair: replace(testset, name=f"{name} {pair}") for pair, testset in testsets.items()}


# Test sets in plain folders: a reference such as ref.txt, and a text for each system.


def find_plain_sets(folder: Path) -> Mapping[str, FilePath]:
    """The folders of test sets by name: the folder by itself, or those in it."""
    if _list_marks(folder):
        return {}
    if _has_plain_reference(folder):
        return {folder_name(folder): folder}
    folders = filter(is_folder, list_paths(folder))
    testset_folders = [
        (show_name(path.name), path) for path in folders if _has_plain_reference(path)
    ]
    return index_by_name(testset_folders, "test set", "Rename one of the folders.")


def _has_plain_reference(folder: FilePath) -> bool:
    """Whether a folder has a reference by a plain name, and none of a language pair."""
    names = list_folder(folder)
    if any(map(is_of_task, names)):
        return False
    references = [name for name in names if find_role_word(name) == "reference"]
    # The folder `references` is of a shared task.
    return any(is_file(Path(folder, name)) for name in references)


def _read_plain_sets(
    folder: Path, pairs: Collection[str] | None, _options: _Options
) -> dict[str, TestSet]:
    folders = find_plain_sets(folder)
    names = list(folders) if pairs is None else pairs
    _check_pairs(names, list(folders))
    testsets = {name: _read_plain_set(name, folders[name]) for name in names}
    check_sets(testsets)
    return testsets


def check_sets(testsets: Mapping[str, TestSet]) -> None:
    """Refuse two test sets with the same content, and test sets without a system in common."""
    names: dict[str, str] = {}
    for name, testset in testsets.items():
        twin = names.setdefault(testset.digest, name)
        if twin != name:
            raise InputError(
                f"{show_name(twin)} and {show_name(name)} have the same content, which would count twice. "
                "Remove one of them."
            )
    systems = [set(testset.systems) for testset in testsets.values()]
    if not set.intersection(*systems):
        raise InputError(
            f"No system is in all test sets: {', '.join(testsets)}. Name the files of a system alike."
        )


def _read_plain_set(name: str, folder: FilePath) -> TestSet:
    """Read a folder as if its files were uploaded together."""
    paths = [path for path in list_paths(folder) if is_file(path) and not is_description(path)]
    files = [(path.name, open_file(path).read()) for path in paths]
    try:
        _, pair = find_common_set(file for file, _ in files)
        return name_set(read_uploads(take_as_guessed(files), langpair=pair or None), name)
    except InputError as error:
        raise InputError(f"{show_name(name)}: {error}") from None


def name_set(testset: TestSet, name: str) -> TestSet:
    """The test set by another name, whose end may be its language pair: news.en-zh."""
    langpair = testset.langpair
    if langpair is None and is_langpair(drop_set(name)):
        langpair = drop_set(name)
    return replace(testset, name=name, langpair=langpair)


# A whole shared task, whatever its layout.


@dataclass(frozen=True)
class _Layout:
    """A layout of the files of a task."""

    list_pairs: Callable[[Path], list[str]]  # quickly, without reading the files
    #: These language pairs, all if None, with scores as if higher were better.
    read: Callable[[Path, Collection[str] | None, _Options], dict[str, TestSet]]
    #: The names of all scores, of any language pair.
    list_scores: Callable[[Path], Collection[str]] = lambda _folder: ()


_TEXTS = _Layout(language_pairs, _read_texts, _list_seg_score_names)
_XML = _Layout(lambda folder: sorted(find_xml(folder)), _read_xml)
_DOCUMENTS = _Layout(_list_usable_pairs, _read_documents)
_SCORES = _Layout(
    automatic_scores.list_scored_pairs, _read_automatic_scores, _list_automatic_score_names
)
_TABLES = _Layout(
    _list_table_pairs,
    _read_tables,
    lambda folder: {table.name for table in list_task_tables(folder)},
)
_PLAIN = _Layout(lambda folder: list(find_plain_sets(folder)), _read_plain_sets)


def _find_layout(folder: Path) -> _Layout:
    if is_folder(folder / automatic_scores.FOLDER_NAME):
        return _SCORES
    if find_xml(folder):
        return _XML
    if list_task_tables(folder):
        return _TABLES
    if find_document_files(folder):
        return _DOCUMENTS
    if is_folder(folder) and find_plain_sets(folder):
        return _PLAIN
    if not has_segments(folder) and list_published_files(folder):
        raise InputError(
            f"{show_name(folder)} has published scores of systems, and no segments, by which they could be "
            "compared. The command task shows them. Add texts, or scores of segments."
        )
    lone_outputs = [] if _list_marks(folder) else list_lone_outputs(folder)
    if lone_outputs:
        raise InputError(
            f"{show_name(folder)} has outputs ({show_name(lone_outputs[0].name)}, ...) and not the file of their "
            "sources and references. Add it, such as wmt26-genmt.jsonl, or the annotations of these outputs."
        )
    return _TEXTS


def find_task(folder: FilePath) -> Path:
    """The folder of a task: a folder as it is, or in a zip the topmost that looks like one.

    Such a folder has the subfolders of a task, else files with names of one.
    """
    head = read_beginning(folder) if os.path.isfile(folder) else b""
    name = show_name(folder)
    refuse_stand_in(head, name, FOLDER)
    if head and not is_archive(folder) and _is_rating_file(folder):
        return check_regular(Path(folder))
    find_format(name, head, FOLDER)  # which refuses another format
    root = Path(folder)
    if not is_archive(folder):
        check_place(folder)
        if head.startswith(b"PK") or (head and os.fsdecode(folder).lower().endswith(".zip")):
            raise InputError(
                f"{name} is not a complete zip file. Expected the folder of a shared "
                "task, or a zip of it: zip the folder again, or copy or download the file again."
            )
        if root.name == automatic_scores.FOLDER_NAME:
            raise InputError(
                f"{name} is one folder of a shared task. Did you mean {show_name(root.parent)}?"
            )
        return root
    parents = [path.parent for path in _list_marks(folder)]
    if not parents and find_plain_sets(root):
        return root
    if not parents:
        parents = [
            path.parent for path in list_paths(folder) if is_file(path) and is_of_task(path.name)
        ]
        return parents[0] if parents else root
    topmost = parents[0]
    apart = {parent for parent in parents if topmost not in (parent, *parent.parents)}
    if apart:
        tasks = [topmost, *sorted(apart)]
        names = ", ".join(show_name(task.relative_to(root)) for task in tasks[:5])
        if len(tasks) > 5:
            names += ", ..."
        raise InputError(
            f"The zip archive contains {len(tasks)} tasks: {names}. Expected one. Put each task in a zip "
            "of its own."
        )
    return topmost


def is_of_task(file: str) -> bool:
    """Whether the name of a file shows that it is a reference, or XML, of a task."""
    name = task_name(file)
    return (name is not None and name.role == "reference") or bool(xml_names([file]))


def has_scores(folder: FilePath) -> bool:
    """Whether a folder has segment scores, with texts or without, whose direction may be given."""
    marks = _list_marks(folder)
    if not marks:
        return bool(list_task_tables(Path(folder)))
    return any(path.name != "references" for path in marks)


def has_segments(folder: FilePath) -> bool:
    """Whether a folder, an archive or a file has texts, or scores of segments.

    Others may have published scores of whole systems.
    """
    path = Path(folder)
    if find_documents(path) is not None or list_task_tables(path):
        return True
    names = [file.name for file in list_paths(path)]
    return is_folder(path) and (is_task(path) or any(map(is_of_task, names)))


def _list_marks(folder: FilePath) -> list[Path]:
    """The folders that show a task, in a folder, or at any depth in a zip."""
    names = ("references", automatic_scores.FOLDER_NAME, HUMAN_FOLDER, METRIC_FOLDER)
    return [path for path in list_paths(folder) if path.name in names and is_folder(path)]


def is_task(folder: FilePath) -> bool:
    """Whether a folder, or a zip, looks like a shared task.

    The signs are its subfolders or its XML; for a zip also the names of its files, tables or
    documents.
    """
    names = [path.name for path in list_paths(folder)]
    root = Path(folder)
    has_sets = is_folder(folder) and len(find_plain_sets(root)) > 1
    if has_sets or _list_marks(folder) or xml_names(names):
        return True
    if not is_archive(folder):
        return False
    return (
        any(map(is_of_task, names))
        or bool(list_task_tables(root))
        or find_document_files(root) is not None
    )


def pairs_of(folder: FilePath) -> list[str]:
    """The language pairs of a shared task's folder, without reading all of it.

    As in `language_pairs`.
    """
    task = find_task(folder)
    return _find_layout(task).list_pairs(task)


def read_task(  # noqa: PLR0913  options of users
    folder: FilePath,
    pairs: Collection[str] | None = None,
    *,
    lower_is_better: Collection[str] = (),
    higher_is_better: Collection[str] = (),
    keep_canary: bool = False,
    raters: str = "mean",
    mqm_weights: Mapping[str, float] = MappingProxyType({}),
    rated: Collection[str] = (),
) -> Task:
    """A shared task from a folder: all its language pairs, or some.

    Parameters
    ----------
    folder : path-like
        A folder, or a zip of a folder, in one of the layouts of docs/data.md; or a file of ratings that names its
        language pairs. The layout of WMT25 has
        ``automatic_scores/SYSTEM.jsonl``. The layout of 2021 to 2024 has texts for `read_wmt`, and
        next to them segment scores as in mt-metrics-eval (``human-scores/en-de.mqm.seg.score``).
        The third layout has WMT's XML files for `read_wmt_xml`, with the language pair in their
        names (``newstest2021.en-de.all.xml``).
    pairs : collection of str, optional
        Language pairs, in this order; all by default.
    lower_is_better, higher_is_better : collection of str
        Names of scores whose direction the user gives, also for language pairs that are not read.
        Scores are left out if neither the user nor their name and range settle the direction;
        `Task.assumed` reports this first. See `settle_directions`.
    keep_canary : bool
        As in `read_wmt`.
    raters : {"mean", "segments", "adjusted"}
    mqm_weights : mapping of str to float
        As in `read_scores`, for a folder that has only ratings.
    rated : collection of str
        Language pairs that ratings will join, so that they need no references.

    Raises
    ------
    InputError, SettingError
        As the readers of the layouts.
    """
    if not os.path.lexists(folder):
        raise InputError(explain_missing(folder))
    task = find_task(folder)
    layout = _find_layout(task)
    if not is_folder(task) and layout is not _TABLES:
        raise InputError(
            f"{show_name(task)} is a file without ratings that name their language pair. Expected such ratings, "
            "the folder of a shared task, or a zip of it."
        )
    if layout is _TEXTS and pairs:
        _check_pairs(pairs, language_pairs(task))
    options = _Options(
        lower_is_better, higher_is_better, keep_canary, raters, mqm_weights, rated=rated
    )
    testsets, assumed_of_testsets = _read_testsets(task, layout, pairs, options)
    bare = [pair for pair, testset in testsets.items() if not testset.systems]
    if bare and (pairs is not None or len(bare) == len(testsets)):
        raise InputError(no_output(task, bare))
    assumed = [Assumption("pair-without-output", {"pair": pair}) for pair in bare]
    if pairs is None and layout is _TEXTS:
        assumed += list_left_out(task)
    if pairs is None and layout is _DOCUMENTS:
        _, without_references = _list_document_pairs(task)
        assumed += [
            Assumption("pair-without-reference", {"pair": pair})
            for pair in without_references
            if pair not in rated
        ]
    systems = {system for testset in testsets.values() for system in testset.systems}
    if layout is _SCORES:
        infos = read_metadata(task / METADATA_FILE, systems)
    else:
        infos = read_participants(task, systems, list(testsets))
    return Task(
        folder_name(task),
        {pair: testset for pair, testset in testsets.items() if pair not in bare},
        infos,
        (*assumed, *assumed_of_testsets),
    )


def read_pair(  # noqa: PLR0913  options of users
    folder: FilePath,
    langpair: str,
    *,
    parses: Sequence[tuple[str, FilePath]] = (),
    keep_canary: bool = False,
    lower_is_better: Collection[str] = (),
    higher_is_better: Collection[str] = (),
    is_rated: bool = False,
    **of_ratings: Any,
) -> TestSet:
    """The test set of one language pair of a shared task, of any layout.

    As in `read_task` and `read_wmt`. `is_rated`: ratings will join it, so it needs no
    reference. `of_ratings`: raters and mqm_weights.
    """
    task = find_task(folder)
    layout = _find_layout(task)
    if parses and (layout is not _TEXTS or has_scores(task)):
        content = "XML" if layout is _XML else "segment scores"
        raise SettingError(
            f"{show_name(task)} has {content}, with which mtsig reads no parses. Give the texts as plain "
            "files."
        )
    rated = [langpair] if is_rated else []
    options = _Options(
        lower_is_better, higher_is_better, keep_canary, parses=parses, rated=rated, **of_ratings
    )
    testsets, assumed = _read_testsets(task, layout, [langpair], options)
    return replace(testsets[langpair], assumed=tuple(assumed))


def _read_testsets(
    task: Path, layout: _Layout, pairs: Collection[str] | None, options: _Options
) -> tuple[dict[str, TestSet], list[Assumption]]:
    """The test sets by language pair, and what was assumed.

    The user says which scores are better, or their name and range.
    """
    if options.raters != "mean" and layout is not _TABLES:
        raise SettingError(
            f"{show_name(task)} names no raters. Expected tables of ratings. Give the tables, or take "
            "the mean over raters.",
            {"scores": "NAME=FILE"},
            {"raters": "mean"},
        )
    distinct_pairs = None if pairs is None else list(dict.fromkeys(pairs))
    testsets = layout.read(task, distinct_pairs, options)
    assumed: list[Assumption] = []
    for testset in testsets.values():
        assumed += [assumption for assumption in testset.assumed if assumption not in assumed]
    testsets, assumed_directions = _settle_scores(task, layout, testsets, options)
    if not options.keep_canary:
        testsets = {pair: drop_canary(testset) for pair, testset in testsets.items()}
    return testsets, assumed + assumed_directions


def _settle_scores(
    task: Path, layout: _Layout, testsets: dict[str, TestSet], options: _Options
) -> tuple[dict[str, TestSet], list[Assumption]]:
    """Keep the scores whose direction is known from the scores of all language pairs together."""
    values: dict[str, list[float | None]] = {}
    for testset in testsets.values():
        for name, scores in testset.scores.items():
            if _find_unadjusted(name, testset) == name:
                for by_segment in scores.by_system.values():
                    values.setdefault(name, []).extend(by_segment)
    other_names: Collection[str] = ()
    if not {*options.lower_is_better, *options.higher_is_better} <= values.keys():
        other_names = sorted(set(layout.list_scores(task)))
    directions, assumed = settle_directions(
        values,
        options.lower_is_better,
        options.higher_is_better,
        other_names,
        [testset.scores for testset in testsets.values() if not testset.has_texts],
    )
    settled = {}
    for pair, testset in testsets.items():
        tables = {}
        for name, scores in testset.scores.items():
            direction = directions.get(_find_unadjusted(name, testset))
            if direction is not None:
                tables[name] = replace(scores, higher_is_better=direction.higher_is_better)
        settled[pair] = replace(testset, scores=tables) if testset.scores else testset
    return settled, assumed


def _find_unadjusted(name: str, testset: TestSet) -> str:
    """Return the original of adjusted scores, which has the same direction; else the same name."""
    rated = name.removesuffix(ADJUSTED)
    return rated if rated in testset.scores else name


def no_output(folder: FilePath, pairs: Collection[str]) -> str:
    """What to do about language pairs of which a folder has only references."""
    first_pair = drop_set(next(iter(pairs)))
    return (
        f"{show_name(folder)} has references and no output for {', '.join(pairs)}. Expected files in its "
        f"system-outputs/{first_pair}. Add outputs there, or choose other language pairs."
    )
