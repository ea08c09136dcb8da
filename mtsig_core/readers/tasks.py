"""A whole shared task from a folder or a zip archive, whatever its layout."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError, explain_unknown
from mtsig_core.languages import is_langpair
from mtsig_core.readers.cells import show_value
from mtsig_core.readers.document_tasks import (
    DocumentFiles,
    find_documents,
    list_document_pairs,
    read_documents_task,
)
from mtsig_core.readers.files import (
    MAX_DEPTH,
    OF_FINDER,
    FilePath,
    check_place,
    check_regular,
    exists,
    is_archive,
    is_file,
    is_folder,
    list_archive,
    list_folder,
)
from mtsig_core.readers.formats import (
    FOLDER,
    SCORE_TABLE,
    SYSTEMS_TABLE,
    find_format,
    list_endings,
    sniff,
    strip_ending,
)
from mtsig_core.readers.limits import check_values, parse_bounded_json, spend
from mtsig_core.readers.lines import explain_missing, read_beginning, read_bytes, read_lines
from mtsig_core.readers.rater_effects import ADJUSTED
from mtsig_core.readers.rating_formats import BLOCK_LINE, parse_blocks
from mtsig_core.readers.score_tables import (
    cut_lines,
    list_langpairs,
    list_pairs_of_lines,
    name_scores,
)
from mtsig_core.readers.scores import read_scores
from mtsig_core.readers.stand_ins import refuse_stand_in
from mtsig_core.readers.texts import drop_canary, find_runs
from mtsig_core.readers.wmt import (
    ONE_OF_EACH,
    OUTPUTS,
    find_pair,
    folder_name,
    language_pairs,
    list_left_out,
    read_wmt,
    read_wmt_xml,
    task_name,
    without_pair,
    xml_names,
)
from mtsig_core.score_names import settle_directions
from mtsig_core.task import SYSTEM_KINDS, SYSTEM_ROLES, SystemInfo, Task
from mtsig_core.testset import SegmentScores, TestSet, as_scores, is_human, show_name

_Scores = dict[str, dict[str, list[float | None]]]  # by name and system


@dataclass(frozen=True)
class _Part:
    """One language pair, until it is known which scores are better: the test set, made with its
    scores.
    """

    make: Callable[..., TestSet]
    scores: _Scores


# Segment scores beside texts, in the layout of mt-metrics-eval, with a block of lines for each system, in the order of
# the segments, and ``None`` where a score is missing::
#
#     human-scores/en-de.mqm.seg.score              SYSTEM<TAB>SCORE
#     metric-scores/en-de/COMET-22-refA.seg.score   the same; of references refA, or of the source: -src
#
# Scores of systems, documents and domains (``.sys.score``, ...) are not read.

HUMAN, METRIC_SCORES = "human-scores", "metric-scores"
ENDINGS = (".seg.score", ".seg.score.gz")


def _read_texts(folder: Path, pairs: Collection[str] | None, extras: _Extras) -> dict[str, _Part]:
    """The texts of a folder in WMT layout, and the segment scores beside them."""
    parts = {}
    for pair in language_pairs(folder) if pairs is None else pairs:
        testset = read_wmt(folder, pair, parses=extras.parses, keep_canary=True)
        parts[pair] = _Part(
            partial(replace, testset), _read_pair_scores(folder, pair.rpartition(".")[2], testset)
        )
    return parts


def _read_pair_scores(folder: Path, pair: str, testset: TestSet) -> _Scores:
    """All scores of one language pair, without systems that have none."""
    paths: dict[str, Path] = {}
    scores: _Scores = {}
    for path, name in _list_seg_scores(folder, pair):
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
            if (
                system not in testset.systems
                and system not in testset.references
                and not is_human(system)
            ):
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
        if scored := {
            system: values for system, values in by_system.items() if set(values) != {None}
        }:
            scores[name] = scored
    return scores


def _list_seg_scores(folder: Path, pair: str) -> list[tuple[Path, str]]:
    """The files of segment scores, and what the scores are called."""
    files = []
    for inside, start in ((folder / HUMAN, f"{pair}."), (folder / METRIC_SCORES / pair, "")):
        for name in list_folder(inside) if is_folder(inside) else ():
            ending = next((ending for ending in ENDINGS if name.endswith(ending)), None)
            if ending is not None and name.startswith(start):
                files.append((inside / name, name.removesuffix(ending)[len(start) :]))
    return files


def _list_score_names(folder: Path) -> list[str]:
    """What the segment scores of any language pair are called."""
    return [
        name
        for pair in language_pairs(folder)
        for _, name in _list_seg_scores(folder, pair.rpartition(".")[2])
    ]


# Segment scores alone, in the layout of WMT25.
#
# ``automatic_scores/SYSTEM.jsonl`` has a line for each document, with the scores of its segments::
#
#     {"language_pair": "en-de_DE", "domain": "news", "document_id": "n1",
#      "metric_scores": {"CometKiwi-XL": [0.81, 0.79], "MetricX-24-Hybrid-XL": [-2.1, -3.4]}}
#
# and ``systems_metadata.json`` beside that folder, which may be missing, says who is in the constrained track. A
# segment that a system lacks has no score.

SCORES = "automatic_scores"
_METADATA = "systems_metadata.json"
_LINE = (
    '{"language_pair": "en-de_DE", "domain": "news", "document_id": "n1", '
    '"metric_scores": {"CometKiwi-XL": [0.81, 0.79]}}'
)
_Key = tuple[str, str]  # domain and document id


@dataclass
class _Documents:
    """What is read of the documents of one language pair so far."""

    first: dict[_Key, tuple[int, str]] = field(
        default_factory=dict
    )  # segments of each document, and where it came
    scores: dict[str, dict[str, dict[_Key, list[float | None]]]] = field(
        default_factory=dict
    )  # metric, system
    systems: dict[str, None] = field(default_factory=dict)

    def add(self, key: _Key, system: str, by_metric: Mapping[str, list[Any]], where: str) -> None:
        """Add the scores of one document of a system."""
        self.systems.setdefault(system)
        for metric, scores in by_metric.items():
            length, before = self.first.setdefault(key, (len(scores), where))
            if len(scores) != length:
                raise InputError(
                    f"{where}: {show_name(metric)} has {len(scores)} scores for the document "
                    f"{show_name(key[1])}, which has {length} segments by {before}. Expected one each."
                )
            of_system = self.scores.setdefault(metric, {}).setdefault(system, {})
            if key in of_system:
                raise InputError(
                    f"{where}: the document {show_name(key[1])} comes a second time. Expected a line for "
                    "each document of a language pair."
                )
            of_system[key] = list(as_scores(f"{where}: {show_name(metric)}", scores))

    def join(self, name: str, pair: str) -> _Part:
        """The documents one after the other."""
        keys = [key for key, (length, _) in self.first.items() for _ in range(length)]
        if not keys:
            raise InputError(
                f"{name} has no score. Check that the task has scores of that language pair."
            )
        spend("systems", len(self.systems), name)
        check_values(len(keys) * len(self.systems) * (1 + len(self.scores)), name)
        scores = {
            metric: {
                system: [
                    score
                    for key, (length, _) in self.first.items()
                    for score in by_document.get(key, [None] * length)
                ]
                for system, by_document in by_system.items()
            }
            for metric, by_system in self.scores.items()
        }
        no_texts: dict[str, Any] = {system: [None] * len(keys) for system in self.systems}
        return _Part(
            partial(
                TestSet,
                name,
                no_texts,
                {},
                documents=[document for _, document in keys],
                domains=[domain for domain, _ in keys],
                langpair=pair,
            ),
            scores,
        )


def _read_scores(
    folder: Path, pairs: Collection[str] | None, extras: object = None
) -> dict[str, _Part]:
    """The scores of these language pairs; of all by default, sorted."""
    read: dict[str, _Documents] = {}
    for path in _list_score_files(folder):
        system, name = strip_ending(show_name(path.name)), show_name(path)
        for number, line in enumerate(read_lines(path, "an object of JSON in each line"), 1):
            if line.strip() and not _is_of_another(line, pairs):
                pair, key, by_metric = _parse_document(line, where := f"{name}, line {number}")
                if pairs is None or pair in pairs:
                    read.setdefault(pair, _Documents()).add(key, system, by_metric, where)
    if unknown := next((pair for pair in pairs or () if pair not in read), None):
        raise explain_unknown("language pair", unknown, _list_score_pairs(folder))
    return {
        pair: read[pair].join(f"{folder_name(folder)} {pair}", pair)
        for pair in (sorted(read) if pairs is None else pairs)
    }


def _is_of_another(line: str, pairs: Collection[str] | None) -> bool:
    """Whether a line is whole and names none of these language pairs: quicker than to parse it."""
    return (
        pairs is not None
        and line.endswith("}")
        and "\\" not in line
        and not any(pair in line for pair in pairs)
    )


def _parse_document(line: str, where: str) -> tuple[str, _Key, Mapping[str, list[Any]]]:
    """Language pair, document and scores by metric of a line."""
    try:
        entry = parse_bounded_json(line, where)
    except ValueError:
        raise InputError(f"{where} is no JSON. Expected an object such as {_LINE}.") from None
    entry = entry if isinstance(entry, dict) else {}
    names = [entry.get(key) for key in ("language_pair", "domain", "document_id")]
    by_metric = entry.get("metric_scores")
    if (
        not all(isinstance(name, str) and name.strip() for name in names)
        or not isinstance(by_metric, dict)
        or not all(isinstance(scores, list) for scores in by_metric.values())
    ):
        raise InputError(
            f"{where} is {show_value(line.strip())}. Expected an object such as {_LINE}."
        )
    pair, domain, document = map(str, names)
    return pair, (domain, document), by_metric


def _list_score_files(folder: Path) -> list[Path]:
    inside = folder / SCORES
    files = [
        check_regular(inside / name)
        for name in list_folder(inside)
        if name.endswith((".jsonl", ".jsonl.gz"))
    ]
    if not files:
        raise InputError(
            f"{show_name(inside)} has no file SYSTEM.jsonl. Expected one for each system."
        )
    return files


def _list_score_pairs(folder: Path) -> list[str]:
    """The language pairs that any line names, sorted; quick, so a list for a choice, not a check of
    the files.
    """
    names = {
        name
        for path in _list_score_files(folder)
        for name in re.findall(rb'"language_pair"\s*:\s*"([^"\\]+)"', read_bytes(path)[0])
    }
    return sorted(name.decode("utf-8", "replace") for name in names)


def _read_metadata(path: Path) -> dict[str, SystemInfo]:
    """{system: what the task says of it}, empty without the file."""
    if not exists(path):
        return {}
    try:
        table = parse_bounded_json(
            "\n".join(read_lines(check_regular(path), "an object of JSON")), show_name(path)
        )
    except ValueError as error:
        raise InputError(f"{show_name(path)} is no JSON: {error}. Mend or remove it.") from None
    if not isinstance(table, dict) or not all(isinstance(row, dict) for row in table.values()):
        raise InputError(
            f"{show_name(path)} has no object for each system. Expected one such as "
            '{"NAME": {"constrained": true}}.'
        )
    for name, row in table.items():
        if not isinstance(row.get("constrained"), bool | None):
            raise InputError(
                f"{show_name(path)}: 'constrained' of {show_name(name)} is "
                f"{show_name(repr(row['constrained']))}. Expected true or false."
            )
    return {
        name: replace(
            SystemInfo.of(name, row.get("constrained")), unsupported=_list_unsupported(row)
        )
        for name, row in table.items()
    }


def _list_unsupported(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The language pairs that a system does not support, as it said itself."""
    pairs = row.get("supported_lps")
    return (
        tuple(pair for pair, said in pairs.items() if said == "unsupported")
        if isinstance(pairs, dict)
        else ()
    )


# XML, whose names say the language pair.


def _find_xml(folder: Path) -> dict[str, list[Path]]:
    """The XML files by language pair, of a folder that has no plain texts."""
    if not is_folder(folder) or is_folder(folder / "references") or is_folder(folder / SCORES):
        return {}
    try:
        files = xml_names(list_folder(folder))
    except InputError:  # a folder that is closed
        return {}
    return {pair: [folder / name for name in names] for pair, names in files.items()}


def _read_xml(
    folder: Path, pairs: Collection[str] | None, extras: object = None
) -> dict[str, _Part]:
    files = _find_xml(folder)
    if unknown := next((pair for pair in pairs or () if pair not in files), None):
        raise explain_unknown("language pair", unknown, sorted(files))
    return {
        pair: _Part(
            partial(
                replace,
                read_wmt_xml(
                    list(map(check_regular, files[pair])),
                    pair,
                    name=f"{folder_name(folder)} {pair}",
                    keep_canary=True,
                ),
            ),
            {},
        )
        for pair in (sorted(files) if pairs is None else pairs)
    }


# The table of the systems of a task: ``systems.tsv`` in its folder, or a file of another name. Its header needs only
# ``system``; cells may be empty. Lines before it may name the metric that decides, and the announced rank rule::
#
#     # metric: XCOMET-XL
#     # rank rule: wmt25
#     system<TAB>constrained<TAB>role<TAB>kind<TAB>name

SYSTEMS_FILE = "systems.tsv"
_YES_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "": None}
#: What the cells of a column may be.
_CELLS: Mapping[str, Collection[str]] = {
    "constrained": _YES_NO,
    "role": (*SYSTEM_ROLES, ""),
    "kind": (*SYSTEM_KINDS, ""),
}


@dataclass(frozen=True)
class SystemsTable:
    """What the table of a task says: of each system, which metric decides, and how ranks are
    made.
    """

    systems: Mapping[str, SystemInfo] = field(default_factory=dict)
    primary: str | None = None
    rank_rule: str | None = None

    @property
    def withdrawn(self) -> tuple[str, ...]:
        return tuple(name for name, info in self.systems.items() if info.role == "withdrawn")


def read_systems(path: FilePath) -> SystemsTable:
    """A table of systems; what it leaves open of a system is as its name says."""
    lines = read_lines(path, SYSTEMS_TABLE)
    n = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
    notes = {
        key.strip().lower(): show_name(name.strip())
        for key, _, name in (line.lstrip("# ").partition(":") for line in reversed(lines[:n]))
        if name.strip()
    }
    header, *rows = ([cell.strip() for cell in line.split("\t")] for line in lines[n:] or [""])
    known = {"system", *_CELLS, "name", "unsupported"}
    if "system" not in header or set(header) - known or len(set(header)) < len(header):
        raise InputError(
            f"{show_name(path)}, line {n + 1} has the columns "
            f"{', '.join(map(show_name, header))[:200]}. Expected system, {', '.join(_CELLS)}, "
            "name, unsupported, with tabs between them; all but the first may be missing."
        )
    systems: dict[str, SystemInfo] = {}
    for number, cells in enumerate(rows, n + 2):
        if not any(cells):
            continue
        where = f"{show_name(path)}, line {number}"
        if len(cells) > len(header):
            raise InputError(
                f"{where} has {len(cells)} columns, the header has {len(header)}. Expected as many."
            )
        row = dict(zip(header, cells, strict=False))
        name = show_name(row.get("system", ""))
        if not name or name in systems:
            raise InputError(
                f"{where} names {show_name(repr(name)) if name else 'no system'}"
                f"{' a second time' if name else ''}. Expected a line for each system."
            )
        if wrong := next(
            (key for key, among in _CELLS.items() if row.get(key, "").lower() not in among), None
        ):
            raise InputError(
                f"{where}: {wrong} is {show_name(row[wrong])!r}. Expected one of "
                f"{', '.join(filter(None, _CELLS[wrong]))}, or nothing."
            )
        constrained, role, kind = (row.get(key, "").lower() for key in _CELLS)
        usual = SystemInfo.of(name)
        systems[name] = SystemInfo(
            _YES_NO[constrained],
            role or usual.role,
            kind or usual.kind,
            row.get("name") or None,
            tuple(filter(None, map(str.strip, row.get("unsupported", "").split(",")))),
        )
    return SystemsTable(systems, notes.get("metric"), notes.get("rank rule"))


def find_systems(folder: FilePath | None, table: FilePath | None = None) -> SystemsTable:
    """The table of systems that is named, else that in a task's folder, or the topmost in a zip; an
    empty one where there is none.
    """
    if table is not None or folder is None:
        return SystemsTable() if table is None else read_systems(table)
    path = Path(folder, SYSTEMS_FILE)
    if is_archive(folder):
        path = next(
            (one for one in list_archive(folder) if one.name == SYSTEMS_FILE and is_file(one)), path
        )
    return read_systems(check_regular(path)) if exists(path) else SystemsTable()


# Tables of scores without texts, such as the waves of a human evaluation, that name their language
# pairs. Those of one name are put together.


class _Table(NamedTuple):
    """A file with scores of segments."""

    name: str  # what the scores are called
    path: Path
    pairs: list[str]  # language pairs, by its content, or else by its name


def _list_tables(folder: Path) -> list[_Table]:
    """The tables in a folder that has nothing else; empty of another."""
    tables: list[_Table] = []
    for path in [] if _list_marks(folder) else sorted(_list_top(folder)):
        if not is_file(path) or _says_nothing(path):
            continue
        head = read_beginning(path)
        fmt = sniff(cut_lines(head))
        if fmt is None or SCORE_TABLE not in fmt.reads:
            return []
        table = _describe_table(path, head, list_langpairs(path))
        if not table.pairs:
            return []
        tables.append(table)
    return tables


def _describe_table(path: Path, head: bytes, named: Iterable[str]) -> _Table:
    """A table of scores by what it says, and the language pairs that its rows have."""
    pairs = [pair for pair in named if is_langpair(pair)]
    if not pairs:
        pairs = list(filter(None, [without_pair(path.name)[1] or find_pair(path.name)]))
    return _Table(name_scores(head) or path.name.partition(".")[0], path, pairs)


def _says_nothing(path: Path) -> bool:
    """Whether a file beside tables is a description: a readme, or a header in a file of its own."""
    if re.match("readme|license|licence", path.name, re.IGNORECASE):
        return True
    return (
        re.match("header", path.name, re.IGNORECASE) is not None
        and read_beginning(path).count(b"\n") <= 1
    )


def _join_pairs(tables: Iterable[_Table]) -> list[str]:
    return list(dict.fromkeys(pair for *_, pairs in tables for pair in pairs))


def _read_tables(folder: Path, pairs: Collection[str] | None, extras: _Extras) -> dict[str, _Part]:
    tables, parts = _list_tables(folder), {}
    for pair in _join_pairs(tables) if pairs is None else pairs:
        own = [(name, path) for name, path, pairs_of_table in tables if pair in pairs_of_table]
        testset = read_scores(
            own, name=pair, langpair=pair, raters=extras.raters, higher_is_better=dict(own)
        )  # which all pairs decide together, below
        testset = replace(
            testset,
            langpair=pair,
            assumed=tuple(
                replace(one, facts={**one.facts, "langpair": pair})
                if "langpair" in one.facts
                else one
                for one in testset.assumed
                if not one.code.startswith("direction")
            ),
        )
        scores = {
            name: {system: list(own) for system, own in one.by_system.items()}
            for name, one in testset.scores.items()
        }
        parts[pair] = _Part(partial(replace, testset), scores)
    return parts


# Documents in JSON, as WMT25 published them.


def _find_documents(folder: Path) -> DocumentFiles | None:
    """The files of such a task, in a folder without those that show another one."""
    return None if not is_folder(folder) or _list_marks(folder) else find_documents(folder)


def _list_document_pairs(folder: Path) -> tuple[list[str], list[str]]:
    """The language pairs with references, and those without."""
    files = _find_documents(folder)
    return ([], []) if files is None else list_document_pairs(files)


def _read_documents(
    folder: Path, pairs: Collection[str] | None, extras: object = None
) -> dict[str, _Part]:
    files = _find_documents(folder)
    testsets = {} if files is None else read_documents_task(files, pairs)
    return {
        pair: _Part(partial(replace, testset, name=f"{folder_name(folder)} {pair}"), {})
        for pair, testset in testsets.items()
    }


# A whole shared task, whatever its layout.


class _Extras(NamedTuple):
    """What only some layouts have."""

    parses: Sequence[tuple[str, FilePath]] = ()  # of the texts of a single language pair
    raters: str = "mean"  # as in `read_scores`


@dataclass(frozen=True)
class _Layout:
    """How the files of a task lie."""

    list_pairs: Callable[[Path], list[str]]  # quickly, without reading the files
    read: Callable[
        [Path, Collection[str] | None, _Extras], dict[str, _Part]
    ]  # these language pairs; None for all
    list_scores: Callable[[Path], Collection[str]] = (
        lambda folder: ()
    )  # the names of all scores, of any language pair


_TEXTS = _Layout(language_pairs, _read_texts, _list_score_names)
_XML = _Layout(lambda folder: sorted(_find_xml(folder)), _read_xml)
_DOCUMENTS = _Layout(lambda folder: _list_document_pairs(folder)[0], _read_documents)
_SCORES_ALONE = _Layout(
    _list_score_pairs,
    _read_scores,
    lambda folder: {name for part in _read_scores(folder, None).values() for name in part.scores},
)
_TABLES = _Layout(
    lambda folder: _join_pairs(_list_tables(folder)),
    _read_tables,
    lambda folder: {name for name, *_ in _list_tables(folder)},
)


def _find_layout(folder: Path) -> _Layout:
    if is_folder(folder / SCORES):
        return _SCORES_ALONE
    if _find_xml(folder):
        return _XML
    if _list_tables(folder):
        return _TABLES
    return _DOCUMENTS if _find_documents(folder) else _TEXTS


def find_task(folder: FilePath) -> Path:
    """The folder of a task: a folder as it is, or in a zip the topmost that looks like one, by the
    folders in it, else by the names of its files.
    """
    head = read_beginning(folder) if os.path.isfile(folder) else b""
    refuse_stand_in(head, show_name(folder), FOLDER)
    find_format(show_name(folder), head, FOLDER)  # which refuses another format
    root = Path(folder)
    if not is_archive(folder):
        check_place(folder)
        if head.startswith(b"PK") or (head and os.fsdecode(folder).lower().endswith(".zip")):
            raise InputError(
                f"{show_name(folder)} is no zip file, or not all of one. Expected the folder of a shared "
                "task, or a zip of it: zip the folder again, or copy or download the file again."
            )
        return root
    holders = [path.parent for path in _list_marks(folder)]
    if apart := sorted(
        {holder for holder in holders if holders[0] not in (holder, *holder.parents)}
    ):
        named = ", ".join(show_name(path.relative_to(root)) for path in (holders[0], *apart[:4]))
        raise InputError(
            f"The zip archive holds {1 + len(apart)} tasks: {named}{', ...' * (len(apart) > 4)}. "
            "Expected one. Put each task in a zip of its own."
        )
    by_file = (
        path.parent for path in list_archive(folder) if is_file(path) and _is_of_task(path.name)
    )
    return holders[0] if holders else next(by_file, root)


def _is_of_task(file: str) -> bool:
    """Whether the name of a file shows that it is a reference, or XML, of a task."""
    name = task_name(file)
    return name is not None and name.role == "reference" or bool(xml_names([file]))


def has_scores(folder: FilePath) -> bool:
    """Whether a folder has segment scores, with texts or without, whose direction may be said."""
    marks = _list_marks(folder)
    return (
        any(path.name != "references" for path in marks)
        or not marks
        and bool(_list_tables(Path(folder)))
    )


def _list_marks(folder: FilePath) -> list[Path]:
    """The folders that show a task, in a folder, or at any depth in a zip."""
    return [
        path
        for path in _list_top(folder)
        if path.name in ("references", SCORES, HUMAN, METRIC_SCORES) and is_folder(path)
    ]


def _list_top(folder: FilePath) -> list[Path]:
    """What is in a folder, or at any depth in a zip."""
    if is_archive(folder):
        return list_archive(folder)
    return [Path(folder, name) for name in list_folder(folder)] if is_folder(folder) else []


def is_task(folder: FilePath) -> bool:
    """Whether a folder, or a zip, looks like a shared task by the folders in it, its XML, or in a
    zip its names.
    """
    names = [path.name for path in _list_top(folder)]
    return bool(
        _list_marks(folder)
        or xml_names(names)
        or is_archive(folder)
        and (
            any(map(_is_of_task, names))
            or _list_tables(Path(folder))
            or _find_documents(Path(folder))
        )
    )


def pairs_of(folder: FilePath) -> list[str]:
    """The language pairs of a shared task's folder, without reading all of it; see
    `language_pairs`.
    """
    task = find_task(folder)
    return _find_layout(task).list_pairs(task)


def read_task(
    folder: FilePath,
    pairs: Collection[str] | None = None,
    *,
    lower_is_better: Collection[str] = (),
    higher_is_better: Collection[str] = (),
    keep_canary: bool = False,
    raters: str = "mean",
) -> Task:
    """A shared task from a folder: all its language pairs, or some.

    Parameters
    ----------
    folder : path-like
        A folder, or a zip of one. In the layout of WMT25 (``automatic_scores/SYSTEM.jsonl``); with
        texts of 2021 to 2024 as `read_wmt` reads them, and segment scores beside them as
        mt-metrics-eval has them (``human-scores/en-de.mqm.seg.score``); or with WMT's XML files,
        whose names say the language pair (``newstest2021.en-de.all.xml``), as `read_wmt_xml` reads
        them.
    pairs : collection of str, optional
        Language pairs, in the order wanted; all by default.
    lower_is_better, higher_is_better : collection of str
        Names of scores of which the user says what is better, of language pairs that are not chosen
        too. Scores whose direction neither the user nor name and range settle are left out, as
        `Task.assumed` says first; see `settle_directions`.
    keep_canary : bool
        As in `read_wmt`.
    raters : {"mean", "segments", "adjusted"}
        As in `read_scores`, of a folder of ratings alone.

    Raises
    ------
    InputError, SettingError
        As the readers of the layouts.
    """
    if not os.path.lexists(folder):
        raise InputError(explain_missing(folder))
    task = find_task(folder)
    if not is_folder(task):
        raise InputError(
            f"{show_name(task)} is a file. Expected the folder of a shared task, or a zip of it."
        )
    layout = _find_layout(task)
    if (
        layout is _TEXTS
        and pairs
        and (unknown := next(iter(set(pairs) - {*language_pairs(task)}), None))
    ):
        raise explain_unknown("language pair", unknown, language_pairs(task))
    testsets, told = _read_parts(
        task, layout, pairs, lower_is_better, higher_is_better, keep_canary, _Extras(raters=raters)
    )
    bare = [pair for pair, testset in testsets.items() if not testset.systems]
    if bare and (pairs is not None or len(bare) == len(testsets)):
        raise InputError(no_output(task, bare))
    assumed = [Assumption("pair-without-output", {"pair": pair}) for pair in bare]
    if pairs is None and layout is _TEXTS:
        assumed += list_left_out(task)
    if pairs is None and layout is _DOCUMENTS:
        assumed += [
            Assumption("pair-without-reference", {"pair": pair})
            for pair in _list_document_pairs(task)[1]
        ]
    infos = _read_metadata(task / _METADATA) if layout is _SCORES_ALONE else {}
    present = {system for testset in testsets.values() for system in testset.systems}
    return Task(
        folder_name(task),
        {pair: one for pair, one in testsets.items() if pair not in bare},
        {system: info for system, info in infos.items() if system in present},
        (*assumed, *told),
    )


def read_pair(
    folder: FilePath,
    langpair: str,
    *,
    parses: Sequence[tuple[str, FilePath]] = (),
    keep_canary: bool = False,
    lower_is_better: Collection[str] = (),
    higher_is_better: Collection[str] = (),
    raters: str = "mean",
) -> TestSet:
    """The test set of one language pair of a shared task, of any layout; see `read_task` and
    `read_wmt`.
    """
    task = find_task(folder)
    layout = _find_layout(task)
    if parses and (layout is not _TEXTS or has_scores(task)):
        what = "XML" if layout is _XML else "segment scores"
        raise SettingError(
            f"{show_name(task)} has {what}, with which mtsig reads no parses. Give the texts as plain "
            "files."
        )
    testsets, told = _read_parts(
        task,
        layout,
        [langpair],
        lower_is_better,
        higher_is_better,
        keep_canary,
        _Extras(parses, raters),
    )
    return replace(testsets[langpair], assumed=tuple(told))


def _read_parts(
    task: Path,
    layout: _Layout,
    pairs: Collection[str] | None,
    lower_is_better: Collection[str],
    higher_is_better: Collection[str],
    keep_canary: bool,
    extras: _Extras,
) -> tuple[dict[str, TestSet], list[Assumption]]:
    """The test sets by language pair, and what was assumed.

    Nothing says which scores are better but the user, or their name and range.
    """
    if extras.raters != "mean" and layout is not _TABLES:
        raise SettingError(
            f"{show_name(task)} names no raters. Expected tables of ratings. Give the tables, or take "
            "the mean over raters.",
            {"scores": "NAME=FILE"},
            {"raters": "mean"},
        )
    parts = layout.read(task, pairs if pairs is None else list(dict.fromkeys(pairs)), extras)
    values: dict[str, list[float | None]] = {}
    base = {
        name: name if (rated := name.removesuffix(ADJUSTED)) not in part.scores else rated
        for part in parts.values()
        for name in part.scores
    }
    for metric, by_system in (item for part in parts.values() for item in part.scores.items()):
        if base[metric] == metric:
            values.setdefault(metric, []).extend(
                score for scores in by_system.values() for score in scores
            )
    is_known = {*lower_is_better, *higher_is_better} <= values.keys()
    directions, told = settle_directions(
        values,
        lower_is_better,
        higher_is_better,
        () if is_known else sorted(set(layout.list_scores(task))),
        [part.scores for part in parts.values()] if layout in (_SCORES_ALONE, _TABLES) else (),
    )
    testsets = {
        pair: part.make(
            scores={
                name: SegmentScores(by_system, directions[base[name]].higher_is_better)
                for name, by_system in part.scores.items()
                if base[name] in directions
            }
        )
        for pair, part in parts.items()
    }
    assumed = [*(one for testset in testsets.values() for one in testset.assumed), *told]
    return {
        pair: testset if keep_canary else drop_canary(testset) for pair, testset in testsets.items()
    }, assumed


def no_output(folder: FilePath, pairs: Collection[str]) -> str:
    """What to do about language pairs of which a folder has only references."""
    return (
        f"{show_name(folder)} has references and no output for {', '.join(pairs)}. Expected files in its "
        f"system-outputs/{next(iter(pairs)).rpartition('.')[2]}. Add outputs there, or choose other language "
        "pairs."
    )


# What lies beside the texts of a task: tables of segment scores, further training runs, and what is
# not read.

_LAYOUT = {
    "references",
    *OUTPUTS,
    "sources",
    "documents",
    "metadata",
    "metainfo",
    SCORES,
    HUMAN,
    METRIC_SCORES,
}
_OWN = (SYSTEMS_FILE, _METADATA)  # what a task says of its systems
_LISTED = 8  # files of which a sentence has the names


@dataclass(frozen=True)
class Contents:
    """What there is in a zip of a task."""

    pairs: tuple[str, ...]  # its language pairs
    #: (language pair, name, file) of the tables of segment scores beside its texts.
    scores: tuple[tuple[str, str, str], ...]
    runs: tuple[tuple[str, str, str], ...]  # (language pair, system, file) of further training runs
    unread: tuple[tuple[str, str], ...]  # each other file, and why it is not read
    has_only_scores: bool = False  # tables that name their language pairs, without texts


def contents_of(archive: FilePath) -> Contents:
    """What there is in a zip of a task, each file that is not read with the reason."""
    task, whole = find_task(archive), Path(archive)
    pairs, places = (
        pairs_of(archive),
        list(dict.fromkeys((task, whole))),
    )  # a task may lie deeper, with files beside it
    scores = tuple(
        dict.fromkeys(one for place in places for one in tables_beside(place, pairs, MAX_DEPTH))
    )
    runs = tuple(one for place in places for one in find_runs(place, pairs))
    own = [
        path
        for path in list_archive(archive)
        if is_file(path)
        and task in path.parents
        and len(parts := path.relative_to(task).parts) > 1
        and parts[0] in _LAYOUT
    ]
    files = [*sorted(own), *(path for place in places for path in _list_loose(place, MAX_DEPTH))]
    read = {path for *_, path in (*scores, *runs)} | {
        str(path) for paths in _find_xml(task).values() for path in paths
    }
    tables = {str(path) for _, path, _ in _list_tables(task)}
    documents = _find_documents(task)
    if documents is not None:
        read |= {str(path) for path in documents.all}
    reasons = [
        (path, _explain_unread(path, task, pairs))
        for path in files
        if str(path) not in read | tables
    ]
    return Contents(
        tuple(pairs),
        scores,
        runs,
        tuple(
            (show_name(path.relative_to(whole).as_posix()), reason)
            for path, reason in reasons
            if reason
        ),
        bool(tables),
    )


def tables_beside(
    folder: FilePath, pairs: Collection[str], depth: int = 1
) -> list[tuple[str, str, str]]:
    """(language pair, name, file) of the tables of segment scores in the folder of a task with
    texts, and so many folders below it that are not the task's own. Ratings are known by their
    content; other tables are called ``PAIR.NAME.tsv``, such as ``en-zh.esa.tsv``, or end as other
    files of scores do.
    """
    if not is_folder(folder) or is_folder(Path(folder, SCORES)) or _list_tables(Path(folder)):
        return []
    found: list[tuple[str, str, str]] = []
    for path in _list_loose(Path(folder), depth):
        found += [(pair, name, str(path)) for pair, name in _name_table(path, pairs)]
    return found


def _name_table(path: Path, pairs: Collection[str]) -> list[tuple[str, str]]:
    """Language pairs of a task, and name of the scores, of a table beside its texts; empty of
    another file.
    """
    named = _split_table_name(path.name)
    if named is not None and named[0] in pairs:
        return [named]
    if (
        named is not None
        or path.name in _OWN
        or _is_of_task(path.name)
        or task_name(path.name) is not None
    ):
        return []
    with suppress(InputError):  # which `_explain_unread` tells
        table = _find_ratings(path)
        if table is not None:
            return [(pair, table.name) for pair in _match_pairs(table, pairs)]
    return []


def _find_ratings(path: Path) -> _Table | None:
    """The table of scores of segments in a file whose content shows it; None of another file."""
    if not os.path.isfile(path):  # in an archive
        return _read_ratings(path)
    state = os.stat(path)
    return _read_ratings_of(path, state.st_size, state.st_mtime_ns, state.st_ino)


@lru_cache(maxsize=256)
def _read_ratings_of(path: Path, *_state: int) -> _Table | None:
    """The same, kept until the file changes: pages ask in each run."""
    return _read_ratings(path)


def _read_ratings(path: Path) -> _Table | None:
    head = read_beginning(path)
    fmt = sniff(cut_lines(head))
    if fmt is None or not fmt.holds_scores:
        return None
    pairs = list_pairs_of_lines(path)
    return None if pairs is None else _describe_table(path, head, pairs)


def _match_pairs(table: _Table, pairs: Collection[str]) -> list[str]:
    """The language pairs of a task that a table has scores of; the only one of a task where the
    table names none.
    """
    if not table.pairs:
        return [*pairs] if len(pairs) == 1 else []
    return [pair for pair in table.pairs if pair in pairs]


def _list_loose(folder: Path, depth: int) -> list[Path]:
    """The files of a folder, and of those below it that are none of a task's own and no task
    themselves.
    """
    files = []
    for path in (folder / name for name in list_folder(folder) if name != OF_FINDER):
        if is_file(path):
            files.append(path)
        elif depth and is_folder(path) and path.name not in _LAYOUT and not is_task(path):
            files += _list_loose(path, depth - 1)
    return files


def unread_sentences(unread: Iterable[tuple[str, str]]) -> list[str]:
    """Which files of a task are not read, a sentence for each reason."""
    by_reason: dict[str, list[str]] = {}
    for file, why in unread:
        by_reason.setdefault(why, []).append(file)
    return [
        f"Not read: {', '.join(files[:_LISTED])}{f' and {len(files) - _LISTED:,} more' * (len(files) > _LISTED)}. "
        f"The reason: {why}."
        for why, files in by_reason.items()
    ]


def _split_table_name(file: str) -> tuple[str, str] | None:
    """Language pair, and name of the scores, of a table that is called ``[SET.]PAIR.NAME.tsv``, or
    the like.

    >>> [_split_table_name(name) for name in ("en-cs.esa.tsv", "wmt24.en-cs.esa.v2.csv.gz", "comet.en-cs.jsonl")]
    [('en-cs', 'esa'), ('en-cs', 'esa.v2'), ('en-cs', 'comet')]
    >>> _split_table_name("en-cs.mqm.seg.score"), _split_table_name("en-cs.meta.jsonl"), _split_table_name("notes.tsv")
    (('en-cs', 'mqm'), None, None)
    """
    _, pair, rest = without_pair(file)
    table = _match_table(rest)
    if not pair or table is None or task_name(file) is not None:
        return None
    name = table[1].replace(f".{pair}", "", 1).strip()
    return (pair, name) if name and "," not in name else None


def _match_table(name: str) -> re.Match[str] | None:
    """The name of a file that ends as one with scores does; its first group is without that."""
    endings = "|".join(map(re.escape, [*list_endings(SCORE_TABLE), ".seg.score"]))
    return re.fullmatch(rf"(.+?)({endings})(\.gz)?", name, re.DOTALL)


def _explain_unread(path: Path, task: Path, pairs: Collection[str]) -> str:
    """Why a file of a task is not read; empty where it is.

    Outputs of another name are told by `read_wmt`.
    """
    parts, name = (
        path.relative_to(task).parts if path.is_relative_to(task) else (path.name,),
        path.name,
    )
    top, pair = parts[0] if len(parts) > 1 and parts[0] in _LAYOUT else "", ""
    if top in (HUMAN, METRIC_SCORES):
        is_own, pair = (
            name.endswith(ENDINGS),
            path.parent.name if top == METRIC_SCORES else name.partition(".")[0],
        )
    elif top:
        is_own = (
            name.endswith((".jsonl", ".jsonl.gz"))
            if top == SCORES
            else top in OUTPUTS or (task_name("/".join(parts)) is not None)
        )
    else:
        is_flat = path.parent == task and not is_folder(task / "references")
        is_own, (pair, _) = (
            name in _OWN or is_flat and task_name(name) is not None,
            _split_table_name(name) or ("", ""),
        )
    if pair and pair not in {known.rpartition(".")[2] for known in pairs}:
        return f"{pair} is no language pair of which the task has a reference"
    if is_own:
        return ""
    return _explain_table(path, pairs) or (
        "no text of a task, and no table of segment scores such as en-de.esa.tsv, has such a name"
    )


def _explain_table(path: Path, pairs: Collection[str]) -> str:
    """Why a table of scores beside texts is not read; empty of what is none."""
    fmt = sniff(cut_lines(read_beginning(path)))
    if fmt is None or fmt.reads.get(SCORE_TABLE) is None:
        return ""
    try:
        table = _find_ratings(path)
    except InputError as error:
        return str(error).replace(show_name(path), "it").rstrip(".")
    if table is None:
        return (
            "its content does not show that it has scores of segments. If it has them, name it like "
            f"{next(iter(pairs))}.esa{path.suffix}. If it has published scores of systems, compare with them on "
            "the page Results"
        )
    if not table.pairs:
        return (
            f"it has scores ({table.name}), and neither its content nor its name says of which language pair. Call "
            f"it such as {next(iter(pairs))}.{table.name}{path.suffix}"
        )
    return f"it has scores of {', '.join(table.pairs)}, and the task has no reference of that language pair"
