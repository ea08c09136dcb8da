"""A whole shared task from a folder or a zip archive, whatever its layout."""

from __future__ import annotations

import math
import os
import re
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mtsig_core.errors import InputError, SettingError, explain_unknown
from mtsig_core.readers.archives import MAX_DEPTH, is_zip, list_zip_names, open_task_file, unpack
from mtsig_core.readers.formats import FOLDER, SYSTEMS_TABLE, find_refusal
from mtsig_core.readers.limits import (
    allow_folder,
    check_place,
    check_regular,
    check_values,
    open_file,
    parse_json,
    spend,
)
from mtsig_core.readers.lines import FilePath, explain_missing, read_beginning, read_bytes, read_lines
from mtsig_core.readers.texts import drop_canary, find_runs
from mtsig_core.readers.wmt import (
    OUTPUTS,
    folder_name,
    language_pairs,
    list_left_out,
    read_wmt,
    task_name,
    without_pair,
)
from mtsig_core.readers.wmt_xml import read_wmt_xml, xml_names
from mtsig_core.task import KINDS, ROLES, SystemInfo, Task
from mtsig_core.testset import SegmentScores, TestSet, as_scores, is_human, settle_directions, show_name

# Tasks with texts and segment scores, in the layout of mt-metrics-eval.
#
# Beside the texts, which `read_wmt` reads, with a block of lines for each system, in the order of the segments, and
# ``None`` where a score is missing::
#
#     human-scores/en-de.mqm.seg.score              SYSTEM<TAB>SCORE
#     metric-scores/en-de/COMET-22-refA.seg.score   the same; of references refA, or of the source: -src
#
# Scores of systems, documents and domains (``.sys.score``, ...) are not read. Nothing there says which scores are
# better, so `settle_directions` does.

HUMAN, METRICS = "human-scores", "metric-scores"
ENDINGS = (".seg.score", ".seg.score.gz")
_Scores = dict[str, dict[str, list[float | None]]]  # by name and system


def read_metrics_task(folder: Path, pairs: Collection[str] | None = None, *, lower_is_better: Collection[str] = (),
                      higher_is_better: Collection[str] = (), keep_canary: bool = False) -> Task:
    """A task from a folder in the layout of mt-metrics-eval: texts, and human and metric scores by name.

    Scores whose direction neither the user nor name and range settle are left out, as `Task.assumed` says first. A
    reference that was scored too is known by its scores alone.
    """
    known = language_pairs(folder)
    for pair in pairs or ():
        if pair not in known:
            raise explain_unknown("language pair", pair, known)
    texts = {pair: read_wmt(folder, pair, keep_canary=True) for pair in dict.fromkeys(pairs or known)}
    scores = {pair: _read_pair_scores(folder, pair.rpartition(".")[2], testset) for pair, testset in texts.items()}
    names = dict.fromkeys(name for found in scores.values() for name in found)
    values = {name: [score for found in scores.values() for of_system in found.get(name, {}).values()
                     for score in of_system] for name in names}
    elsewhere = sorted({name for pair in known for _, name in _list_seg_scores(folder, pair.rpartition(".")[2])})
    directions, told = settle_directions(values, lower_is_better, higher_is_better, elsewhere)
    assumed = [*(list_left_out(folder) if pairs is None else ()),
               *(sentence for testset in texts.values() for sentence in testset.assumed), *told]
    testsets = {pair: replace(testset, scores={
        name: SegmentScores(by_system, directions[name].higher_is_better)
        for name, by_system in scores[pair].items() if name in directions}) for pair, testset in texts.items()}
    if not keep_canary:
        testsets = {pair: drop_canary(testset) for pair, testset in testsets.items()}
    return Task(folder_name(folder), testsets, assumed=tuple(assumed))


def _read_pair_scores(folder: Path, pair: str, testset: TestSet) -> _Scores:
    """All scores of one language pair, without systems that have none."""
    found: _Scores = {}
    first: dict[str, Path] = {}
    for path, name in _list_seg_scores(folder, pair):
        if name in first:
            raise InputError(f"Two scores are called {show_name(name)}: {show_name(first[name])} and "
                             f"{show_name(path)}. Rename or remove one of them.")
        if "," in name or name != name.strip():
            raise InputError(f"{show_name(path)}: {show_name(name)!r} is no name for scores, as a list of metrics "
                             "could not name them. Rename the file.")
        first[name], by_system = path, read_blocks(path)
        for system, scores in by_system.items():
            if system not in testset.systems and system not in testset.references and not is_human(system):
                raise InputError(f"{show_name(path)}: {show_name(system)!r} has scores and no output. Expected one of "
                                 f"{', '.join(map(show_name, testset.systems))}; rename it, or remove its lines.")
            if len(scores) != testset.n_segments:
                raise InputError(f"{show_name(path)}: {show_name(system)} has {len(scores)} scores, the texts have "
                                 f"{testset.n_segments} segments. Expected a line for each, with None where a score is "
                                 "missing.")
        if scored := {system: scores for system, scores in by_system.items() if set(scores) != {None}}:
            found[name] = scored
    return found


def _list_seg_scores(folder: Path, pair: str) -> list[tuple[Path, str]]:
    """The files of segment scores, and what the scores are called."""
    found = []
    for inside, start in ((folder / HUMAN, f"{pair}."), (folder / METRICS / pair, "")):
        for path in sorted(Path(check_place(inside)).iterdir()) if inside.is_dir() else ():
            ending = next((ending for ending in ENDINGS if path.name.endswith(ending)), None)
            if ending is not None and path.name.startswith(start) and not path.name.startswith("."):
                found.append((path, path.name.removesuffix(ending)[len(start):]))
    return found


def read_blocks(path: Path) -> dict[str, list[float | None]]:
    """The scores of each system, in the order of the segments."""
    found: dict[str, list[float | None]] = {}
    for number, line in enumerate(read_lines(check_regular(path), "SYSTEM<TAB>SCORE in each line"), 1):
        system, _, score = line.strip().replace("\t", " ").rpartition(" ")
        try:
            value = None if score == "None" else math.inf if "_" in score else float(score)
        except ValueError:
            value = math.inf
        if not system.strip() or (value is not None and math.isinf(value)):
            raise InputError(f"{show_name(path)}, line {number} is {show_name(repr(line))[:60]}. Expected "
                             "SYSTEM<TAB>SCORE, with None where a score is missing.")
        found.setdefault(system.strip(), []).append(None if value != value else value)
    return found


# Tasks that publish segment scores alone, in the layout of WMT25.
#
# ``automatic_scores/SYSTEM.jsonl`` has a line for each document, with the scores of its segments::
#
#     {"language_pair": "en-de_DE", "domain": "news", "document_id": "n1",
#      "metric_scores": {"CometKiwi-XL": [0.81, 0.79], "MetricX-24-Hybrid-XL": [-2.1, -3.4]}}
#
# and ``systems_metadata.json`` beside that folder, which may be missing, says who is in the constrained track.

SCORES = "automatic_scores"
_METADATA = "systems_metadata.json"
_LINE = ('{"language_pair": "en-de_DE", "domain": "news", "document_id": "n1", '
         '"metric_scores": {"CometKiwi-XL": [0.81, 0.79]}}')
_Key = tuple[str, str]  # domain and document id


@dataclass
class _Pair:
    """What is read of one language pair so far."""

    length: dict[_Key, int] = field(default_factory=dict)  # segments of each document, in order
    first: dict[_Key, str] = field(default_factory=dict)  # where each was seen first, for messages
    scores: dict[str, dict[str, dict[_Key, list[float | None]]]] = field(default_factory=dict)  # metric, system
    systems: dict[str, None] = field(default_factory=dict)


def read_task_scores(folder: Path, pairs: Collection[str] | None = None, *, lower_is_better: Collection[str] = (),
                     higher_is_better: Collection[str] = ()) -> Task:
    """A task from a folder in the layout of WMT25: test sets of scores, with documents and domains. A segment that a
    system lacks has no score."""
    found = _read_scores(folder, pairs)
    for pair in pairs or ():
        if pair not in found:
            raise explain_unknown("language pair", pair, score_pairs(folder))
    values = {metric: [score for pair in found.values() for by_document in pair.scores.get(metric, {}).values()
                       for scores in by_document.values() for score in scores]
              for metric in dict.fromkeys(metric for pair in found.values() for metric in pair.scores)}
    said = {*lower_is_better, *higher_is_better}
    all_pairs = found if pairs is None or said <= values.keys() else _read_scores(folder, None)
    elsewhere = dict.fromkeys(metric for pair in all_pairs.values() for metric in pair.scores)
    directions, assumed = settle_directions(values, lower_is_better, higher_is_better, elsewhere,
                                            [pair.scores for pair in found.values()])
    name = folder_name(folder)
    order = sorted(found) if pairs is None else list(dict.fromkeys(pairs))
    testsets = {pair: _testset(f"{name} {pair}", pair, found[pair],
                               {metric: one.higher_is_better for metric, one in directions.items()}) for pair in order}
    told = _metadata(folder / _METADATA)
    present = {system for testset in testsets.values() for system in testset.systems}
    return Task(name, testsets, {system: info for system, info in told.items() if system in present},
                tuple(assumed))


def _read_scores(folder: Path, pairs: Collection[str] | None) -> dict[str, _Pair]:
    """What the files have of these language pairs; of all by default."""
    found: dict[str, _Pair] = {}
    for path in _score_lines_files(folder):
        system, name = show_name(path.name).removesuffix(".gz").removesuffix(".jsonl"), show_name(path)
        for number, line in enumerate(read_lines(path, "an object of JSON in each line"), 1):
            if line.strip() and not _of_another(line, pairs):
                _take(found, system, line, f"{name}, line {number}", pairs)
    return found


def score_pairs(folder: Path) -> list[str]:
    """The language pairs that any line names, sorted; quick, so a list for a choice, not a check of the files."""
    names = {name for path in _score_lines_files(folder) for name in re.findall(rb'"language_pair"\s*:\s*"([^"\\]+)"',
                                                                    read_bytes(path)[0])}
    return sorted(name.decode("utf-8", "replace") for name in names)


def _score_lines_files(folder: Path) -> list[Path]:
    inside = folder / SCORES
    check_place(inside)
    files = sorted(check_regular(path) for path in inside.iterdir() if path.name.endswith((".jsonl", ".jsonl.gz"))
                   and not path.name.startswith("."))
    if not files:
        raise InputError(f"{show_name(inside)} has no file SYSTEM.jsonl. Expected one for each system.")
    return files


def _of_another(line: str, pairs: Collection[str] | None) -> bool:
    """Whether a line is whole and cannot be of these language pairs, whose names it does not have: quicker than to
    parse it."""
    return pairs is not None and line.endswith("}") and "\\" not in line and not any(pair in line for pair in pairs)


def _take(found: dict[str, _Pair], system: str, line: str, where: str, pairs: Collection[str] | None) -> None:
    """Put the scores of one document where they belong."""
    try:
        entry = parse_json(line, where)
    except ValueError:
        raise InputError(f"{where} is no JSON. Expected an object such as {_LINE}.") from None
    if not isinstance(entry, dict):
        raise InputError(f"{where} is no object. Expected one such as {_LINE}.")
    pair, domain, document = (_text(entry, key, where) for key in ("language_pair", "domain", "document_id"))
    if pairs is not None and pair not in pairs:
        return
    by_metric = entry.get("metric_scores")
    if not isinstance(by_metric, dict) or not all(isinstance(scores, list) for scores in by_metric.values()):
        raise InputError(f"{where} has no lists under 'metric_scores'. Expected an object such as {_LINE}.")
    one, key = found.setdefault(pair, _Pair()), (domain, document)
    one.systems.setdefault(system)
    for metric, scores in by_metric.items():
        one.first.setdefault(key, where)
        if one.length.setdefault(key, len(scores)) != len(scores):
            raise InputError(f"{where}: {show_name(metric)} has {len(scores)} scores for the document "
                             f"{show_name(document)}, which has {one.length[key]} segments by {one.first[key]}. "
                             "Expected one for each.")
        of_system = one.scores.setdefault(metric, {}).setdefault(system, {})
        if key in of_system:
            raise InputError(f"{where}: the document {show_name(document)} comes a second time. Expected a line for "
                             "each document of a language pair.")
        of_system[key] = list(as_scores(f"{where}: {show_name(metric)}", scores))


def _testset(name: str, pair: str, found: _Pair, higher_is_better: Mapping[str, bool]) -> TestSet:
    keys = [key for key, length in found.length.items() for _ in range(length)]
    if not keys:
        raise InputError(f"{name} has no score. See whether the task has scores of that language pair.")
    spend("systems", len(found.systems), name)
    check_values(len(keys) * len(found.systems) * (1 + len(found.scores)), name)
    scores = {metric: SegmentScores({
        system: [score for key, length in found.length.items() for score in by_document.get(key, [None] * length)]
        for system, by_document in by_system.items()}, higher_is_better[metric])
        for metric, by_system in found.scores.items() if metric in higher_is_better}
    texts: dict[str, Any] = {system: [None] * len(keys) for system in found.systems}
    return TestSet(name, texts, {}, documents=[document for _, document in keys],
                   domains=[domain for domain, _ in keys], langpair=pair, scores=scores)


def _metadata(path: Path) -> dict[str, SystemInfo]:
    """{system: what the task says of it}, empty without the file."""
    if not os.path.lexists(path):
        return {}
    try:
        table = parse_json("\n".join(read_lines(check_regular(path), "an object of JSON")), show_name(path))
    except ValueError as error:
        raise InputError(f"{show_name(path)} is no JSON: {error}. Mend or remove it.") from None
    if not isinstance(table, dict) or not all(isinstance(row, dict) for row in table.values()):
        raise InputError(f"{show_name(path)} has no object for each system. Expected one such as "
                         '{"NAME": {"constrained": true}}.')
    for name, row in table.items():
        if not isinstance(row.get("constrained"), bool | None):
            raise InputError(f"{show_name(path)}: 'constrained' of {show_name(name)} is "
                             f"{show_name(repr(row['constrained']))}. Expected true or false.")
    return {name: SystemInfo.of(name, row.get("constrained")) for name, row in table.items()}


def _text(entry: Mapping[str, object], key: str, where: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where} has no {key!r}. Expected an object such as {_LINE}.")
    return value


# The folder of a task, which may be in a zip.

OF_FINDER = "__MACOSX"  # a folder beside what was zipped, with a file for each
_FEW = 4  # tasks that a message names


@contextmanager
def opened(folder: FilePath) -> Iterator[Path]:
    """A folder as it is, or a zip of one unpacked for as long as it is needed; messages name the archive."""
    with opened_with_rest(folder) as (task, _):
        yield task


@contextmanager
def opened_with_rest(folder: FilePath) -> Iterator[tuple[Path, Path]]:
    """As `opened`, and the folder that holds all that was zipped: a task may lie deeper, with files beside it."""
    head = read_beginning(folder) if os.path.isfile(folder) else b""
    if error := find_refusal(show_name(folder), head, FOLDER):
        raise error
    if not is_zip(folder):
        check_place(folder)
        if head.startswith(b"PK") or (head and os.fsdecode(folder).lower().endswith(".zip")):
            raise InputError(f"{show_name(folder)} is no zip file, or not all of one. Expected the folder of a shared "
                             "task, or a zip of it: zip the folder again, or copy or download the file again.")
        yield Path(folder), Path(folder)
        return
    with tempfile.TemporaryDirectory(prefix="mtsig-") as temporary, allow_folder(temporary):
        place = Path(temporary) / Path(os.fsdecode(folder)).stem
        try:
            with open_file(folder) as file:
                unpack(file, place)
            yield _find_task(place), place
        except InputError as error:
            raise InputError(str(error).replace(str(place), show_name(folder)), *error.remedies) from None


def _find_task(root: Path) -> Path:
    """The topmost folder that looks like a task: by the folders in it, else by the names of its files."""
    inside = [path for path in sorted(root.rglob("[!.]*"), key=lambda path: (len(path.parts), path))
              if OF_FINDER not in path.parts]
    holders = [path.parent for path in inside
               if path.is_dir() and path.name in ("references", SCORES, HUMAN, METRICS)]
    by_file = (path.parent for path in inside if path.is_file() and (
        ((found := task_name(path.name)) and found.role == "reference") or xml_names([path.name])))
    apart = sorted({holder for holder in holders if holders[0] not in (holder, *holder.parents)})
    if apart:
        named = ", ".join(show_name(path.relative_to(root)) for path in (holders[0], *apart[:_FEW]))
        raise InputError(f"The zip archive holds {1 + len(apart)} tasks: {named}{', ...' * (len(apart) > _FEW)}. "
                         "Expected one. Zip each task alone.")
    return holders[0] if holders else next(by_file, root)


# The table of the systems of a task: ``systems.tsv`` beside it, or a file of another name.
#
# With a header, of which only ``system`` is needed, and empty cells where nothing is known. A line before it may name
# the metric that decides::
#
#     # metric: XCOMET-XL
#     system<TAB>constrained<TAB>role<TAB>kind<TAB>name

SYSTEMS = "systems.tsv"
_COLUMNS = ("system", "constrained", "role", "kind", "name")
_YES_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "": None}


@dataclass(frozen=True)
class SystemsTable:
    """What the table of a task says: of each system, and which metric decides."""

    systems: Mapping[str, SystemInfo] = field(default_factory=dict)
    primary: str | None = None

    @property
    def withdrawn(self) -> tuple[str, ...]:
        return tuple(name for name, info in self.systems.items() if info.role == "withdrawn")


def read_systems(path: FilePath) -> SystemsTable:
    """A table of systems; what it leaves open of a system is as its name says."""
    lines = read_lines(path, SYSTEMS_TABLE)
    n = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
    notes = (line.lstrip("# ").partition(":") for line in lines[:n])
    primary = next((name.strip() for key, _, name in notes if key.strip().lower() == "metric" and name.strip()), None)
    header, *rows = ([cell.strip() for cell in line.split("\t")] for line in lines[n:] or [""])
    if "system" not in header or set(header) - set(_COLUMNS) or len(set(header)) < len(header):
        raise InputError(f"{show_name(path)}, line {n + 1} has the columns "
                         f"{', '.join(map(show_name, header))[:200]}. Expected "
                         f"{', '.join(_COLUMNS)}, with tabs between them; all but the first may be missing.")
    systems: dict[str, SystemInfo] = {}
    for number, cells in enumerate(rows, n + 2):
        if not any(cells):
            continue
        where = f"{show_name(path)}, line {number}"
        if len(cells) > len(header):
            raise InputError(f"{where} has {len(cells)} columns, the header has {len(header)}. Expected as many.")
        row = dict.fromkeys(_COLUMNS, "") | dict(zip(header, cells, strict=False))
        system = show_name(row["system"])
        if not system or system in systems:
            raise InputError(f"{where} names {show_name(repr(system)) if system else 'no system'}"
                             f"{' a second time' if system else ''}. Expected a line for each system.")
        usual = SystemInfo.of(system)
        for column, among in (("constrained", _YES_NO), ("role", ROLES), ("kind", KINDS)):
            if row[column].lower() not in among and row[column]:
                raise InputError(f"{where}: {column} is {show_name(row[column])!r}. Expected one of "
                                 f"{', '.join(filter(None, among))}, or nothing.")
        systems[system] = SystemInfo(_YES_NO[row["constrained"].lower()], row["role"].lower() or usual.role,
                                     row["kind"].lower() or usual.kind, row["name"] or None)
    return SystemsTable(systems, primary and show_name(primary))


def find_systems(folder: FilePath | None, table: FilePath | None = None) -> SystemsTable:
    """The table of systems that is named, else that in a task's folder or zip; an empty one where there is none."""
    if table is not None or folder is None:
        return SystemsTable() if table is None else read_systems(table)
    with open_task_file(folder, SYSTEMS) as path:
        return SystemsTable() if path is None else read_systems(path)


# A whole shared task from a folder, whatever its layout.

_LAYOUT = {"references", *OUTPUTS, "sources", "documents", "metadata", "metainfo", SCORES, HUMAN, METRICS}
_OWN = ("systems.tsv", "systems_metadata.json")  # what a task says of its systems
_TABLE = re.compile(r"(.+?)(\.(tsv|csv|jsonl?|parquet)(\.gz)?|\.seg\.score(\.gz)?)", re.DOTALL)
_OF_WHOLE = re.compile(r".+\.(sys|doc|domain)\.score(\.gz)?", re.DOTALL)


@dataclass(frozen=True)
class Contents:
    """What there is in a zip of a task."""

    pairs: tuple[str, ...]  # its language pairs
    #: (language pair, name, file) of the tables of segment scores beside its texts.
    scores: tuple[tuple[str, str, str], ...]
    runs: tuple[tuple[str, str, str], ...]  # (language pair, system, file) of further training runs
    unread: tuple[tuple[str, str], ...]  # each other file, and why it is not read


def read_task(folder: FilePath, pairs: Collection[str] | None = None, *, lower_is_better: Collection[str] = (),
              higher_is_better: Collection[str] = (), keep_canary: bool = False) -> Task:
    """A shared task from a folder: all its language pairs, or some.

    Parameters
    ----------
    folder : path-like
        A folder, or a zip of one. In the layout of WMT25 (``automatic_scores/SYSTEM.jsonl``); with texts of 2021 to
        2024 as `read_wmt` reads them, and segment scores beside them as mt-metrics-eval has them
        (`read_metrics_task`); or with WMT's XML files, whose names say the language pair
        (``newstest2021.en-de.all.xml``), as `read_wmt_xml` reads them.
    pairs : collection of str, optional
        Language pairs, in the order wanted; all by default.
    lower_is_better, higher_is_better : collection of str
        Names of scores of which the user says what is better, of language pairs that are not chosen too; see
        `settle_directions`.
    keep_canary : bool
        As in `read_wmt`.

    Raises
    ------
    InputError, SettingError
        As the readers of the layouts.
    """
    if not os.path.lexists(folder):
        raise InputError(explain_missing(folder))
    with opened(folder) as inside:
        if not inside.is_dir():
            raise InputError(f"{show_name(inside)} is a file. Expected the folder of a shared task, or a zip of it.")
        if _has_scores_alone(inside):
            return read_task_scores(inside, pairs, lower_is_better=lower_is_better, higher_is_better=higher_is_better)
        if has_scores(inside):
            return read_metrics_task(inside, pairs, lower_is_better=lower_is_better, higher_is_better=higher_is_better,
                                     keep_canary=keep_canary)
        if directed := [*lower_is_better, *higher_is_better]:
            raise SettingError(f"{show_name(inside)} has texts and no scores whose direction could be said, such as "
                               f"{show_name(directed[0])}.")
        return _read_texts(inside, pairs, keep_canary)


def _read_texts(folder: Path, pairs: Collection[str] | None, keep_canary: bool) -> Task:
    """The task of those language pairs that have outputs and references; where all were asked for, the others are
    named in `Task.assumed`."""
    known = pairs_of(folder)
    for pair in pairs or ():
        if pair not in known:
            raise explain_unknown("language pair", pair, known)
    testsets = {pair: read_pair(folder, pair, keep_canary=keep_canary) for pair in dict.fromkeys(pairs or known)}
    bare = [pair for pair, testset in testsets.items() if not testset.systems]
    if bare and (pairs is not None or len(bare) == len(testsets)):
        raise InputError(no_output(folder, bare))
    assumed = [f"Left out: {pair}, which has references and no output." for pair in bare]
    assumed += list_left_out(folder) if pairs is None and not _xml(folder) else []
    assumed += [text for testset in testsets.values() for text in testset.assumed]
    return Task(folder_name(folder), {pair: one for pair, one in testsets.items() if pair not in bare},
                assumed=tuple(assumed))


def no_output(folder: FilePath, pairs: Collection[str]) -> str:
    """What to do about language pairs of which a folder has references alone."""
    return (f"{show_name(folder)} has references and no output for {', '.join(pairs)}. Add outputs to its "
            "system-outputs/, or choose other language pairs.")


def has_scores(folder: FilePath) -> bool:
    """Whether a folder has segment scores, with texts or without, whose direction may be said."""
    return any((Path(folder) / name).is_dir() for name in (SCORES, HUMAN, METRICS)) or bool(
        list_zip_names(folder) & {SCORES, HUMAN, METRICS})


def _has_scores_alone(folder: FilePath) -> bool:
    """Whether a folder is in the layout of WMT25."""
    return (Path(folder) / SCORES).is_dir()


def is_task(folder: FilePath) -> bool:
    """Whether a folder, or a zip, looks like that of a shared task, of any layout that is told by its folders or XML
    files; a zip also by names that say all. Nothing is unpacked for it."""
    if is_zip(folder):
        names = sorted(list_zip_names(folder))
        found = (task_name(name) for name in names)
        return bool({"references", SCORES, HUMAN, METRICS} & {*names} or xml_names(names)
                    or any(one is not None and one.role == "reference" for one in found))
    return (Path(folder) / "references").is_dir() or has_scores(folder) or bool(_xml(Path(folder)))


def pairs_of(folder: FilePath) -> list[str]:
    """The language pairs of a shared task's folder, without reading all of it; see `language_pairs`."""
    with opened(folder) as inside:
        if _has_scores_alone(inside):
            return score_pairs(inside)
        return sorted(_xml(inside)) or language_pairs(inside)


def tables_beside(folder: FilePath, pairs: Collection[str], depth: int = 1) -> list[tuple[str, str, str]]:
    """(language pair, name, file) of the tables of segment scores in the folder of a task with texts, and so many
    folders below it that are not the task's own. They are called ``PAIR.NAME.tsv``, such as ``en-zh.esa.tsv``, or end
    as other files of scores do; no command takes them by itself."""
    if not Path(folder).is_dir() or _has_scores_alone(folder):
        return []
    named = [(_table_name(path.name), str(path)) for path in _loose(Path(folder), depth)]
    return [(found[0], found[1], path) for found, path in named if found is not None and found[0] in pairs]


def contents_of(archive: FilePath) -> Contents:
    """What there is in a zip of a task, each file that is not read with the reason."""
    with opened_with_rest(archive) as (task, whole):
        pairs, places = pairs_of(task), list(dict.fromkeys((task, whole)))
        scores = [one for place in places for one in tables_beside(place, pairs, MAX_DEPTH)]
        runs = [one for place in places for one in find_runs(place, pairs)]
        own = [path for folder in sorted(task.iterdir()) if folder.is_dir() and folder.name in _LAYOUT
               for path in sorted(folder.rglob("[!.]*")) if path.is_file()]
        files = [*own, *(path for place in places for path in _loose(place, MAX_DEPTH))]
        read = {path for *_, path in (*scores, *runs)} | {str(path) for paths in _xml(task).values() for path in paths}
        reasons = [(path, _explain_unread(path, task, pairs)) for path in files if str(path) not in read]

        def locate(found: Iterable[tuple[str, str, str]]) -> tuple[tuple[str, str, str], ...]:
            return tuple((pair, name, f"{os.fsdecode(archive)}/{Path(path).relative_to(whole).as_posix()}")
                         for pair, name, path in found)

        return Contents(tuple(pairs), locate(scores), locate(runs), tuple(
            (show_name(path.relative_to(whole).as_posix()), reason) for path, reason in reasons if reason))


def unread_sentences(unread: Iterable[tuple[str, str]]) -> list[str]:
    """Which files of a task are not read, a sentence for each reason.

    >>> unread_sentences([("a.md", "its name says nothing"), ("b.md", "its name says nothing")])
    ['Not read: a.md, b.md. The reason: its name says nothing.']
    """
    by_reason: dict[str, list[str]] = {}
    for file, why in unread:
        by_reason.setdefault(why, []).append(file)
    return [f"Not read: {', '.join(files[:_LISTED])}{f' and {len(files) - _LISTED:,} more' * (len(files) > _LISTED)}. "
            f"The reason: {why}." for why, files in by_reason.items()]


def _loose(folder: Path, depth: int) -> list[Path]:
    """The files of a folder, and of those below it that are none of a task's own and no task themselves."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name == OF_FINDER:
            continue
        if path.is_file():
            found.append(path)
        elif depth and path.is_dir() and path.name not in _LAYOUT and not is_task(path):
            found += _loose(path, depth - 1)
    return found


def _table_name(file: str) -> tuple[str, str] | None:
    """Language pair, and name of the scores, of a table that is called ``[SET.]PAIR.NAME.tsv``, or the like.

    >>> _table_name("en-cs.esa.tsv"), _table_name("wmt24.en-cs.esa.v2.csv.gz"), _table_name("en-cs.mqm.seg.score")
    (('en-cs', 'esa'), ('en-cs', 'esa.v2'), ('en-cs', 'mqm'))
    >>> _table_name("comet.en-cs.jsonl"), _table_name("en-cs.meta.jsonl"), _table_name("notes.tsv")
    (('en-cs', 'comet'), None, None)
    """
    _, pair, rest = without_pair(file)
    found = _TABLE.fullmatch(rest)
    if not pair or found is None or task_name(file) is not None:
        return None
    name = found[1].replace(f".{pair}", "", 1).strip()
    return (pair, name) if name and "," not in name else None


_LISTED = 8  # files of which a sentence has the names
_NO_NAME = "its name is none that a file of a task has there"
_OF_WHOLES = "it has scores of whole systems, documents or domains, and only those of segments are read"


def _explain_unread(path: Path, task: Path, pairs: Collection[str]) -> str:
    """Why a file of a task is not read; empty where it is. Outputs of another name are told by `read_wmt`."""
    parts, name = path.relative_to(task).parts if path.is_relative_to(task) else (path.name,), path.name
    top = parts[0] if len(parts) > 1 and parts[0] in _LAYOUT else ""
    if top in (HUMAN, METRICS) and name.endswith(ENDINGS):
        pair = path.parent.name if top == METRICS else name.partition(".")[0]
        return "" if pair in {known.rpartition(".")[2] for known in pairs} else _explain_pair(pair)
    if _OF_WHOLE.fullmatch(name) and top in ("", HUMAN, METRICS):
        return _OF_WHOLES
    if top:
        is_own = name.endswith((".jsonl", ".jsonl.gz")) if top == SCORES else top in OUTPUTS or (
            top not in (HUMAN, METRICS) and task_name("/".join(parts)) is not None)
        return "" if is_own else _NO_NAME
    is_flat = not (task / "references").is_dir()
    if name in _OWN or is_flat and path.parent == task and task_name(name) is not None:
        return ""
    if table := _table_name(name):
        return "the task has scores alone, and such a table joins texts" if table[0] in pairs else \
            _explain_pair(table[0])
    if _TABLE.fullmatch(name) and not task_name(name):
        return "its name says no language pair. A table of segment scores is called such as en-de.esa.tsv"
    return "its name is not that of a file of a task"


def _explain_pair(pair: str) -> str:
    return f"{pair} is no language pair of which the task has a reference"


def read_pair(folder: FilePath, langpair: str, *, parses: Sequence[tuple[str, FilePath]] = (),
              keep_canary: bool = False, lower_is_better: Collection[str] = (),
              higher_is_better: Collection[str] = ()) -> TestSet:
    """The test set of one language pair of a shared task, of any layout; see `read_task` and `read_wmt`."""
    with opened(folder) as inside:
        name, xml, is_scored = show_name(inside), _xml(inside), has_scores(inside)
        if parses and (xml or is_scored):
            what = "XML, whose texts take" if xml else "segment scores beside its texts or alone, and takes"
            raise SettingError(f"{name} has {what} no parse. Give the texts as plain files.")
        if xml and langpair not in xml:
            raise explain_unknown("language pair", langpair, sorted(xml))
        if xml:
            return read_wmt_xml(list(map(check_regular, xml[langpair])), langpair,
                                name=f"{folder_name(inside)} {langpair}", keep_canary=keep_canary)
        if not is_scored:
            return read_wmt(inside, langpair, parses=parses, keep_canary=keep_canary)
        task = read_task(inside, [langpair], lower_is_better=lower_is_better, higher_is_better=higher_is_better,
                         keep_canary=keep_canary)
        return replace(task.testsets[langpair], assumed=task.assumed)


def _xml(folder: Path) -> dict[str, list[Path]]:
    """The XML files by language pair, of a folder that has no plain texts."""
    if not folder.is_dir() or (folder / "references").is_dir() or _has_scores_alone(folder):
        return {}
    try:
        named = xml_names(sorted(name for name in os.listdir(folder) if not name.startswith(".")))
    except PermissionError:
        return {}
    return {pair: [folder / name for name in names] for pair, names in named.items()}
