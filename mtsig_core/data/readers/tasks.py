"""A whole shared task from a folder, whatever its layout."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mtsig_core.data.checks import literal
from mtsig_core.data.readers.archives import MAX_DEPTH, OF_FINDER, is_zip, names_in_zip, opened, opened_with_rest
from mtsig_core.data.readers.bounds import regular
from mtsig_core.data.readers.further_runs import runs_beside
from mtsig_core.data.readers.lines import FilePath, missing, shown
from mtsig_core.data.readers.metrics_task import ENDINGS, HUMAN, METRICS, read_metrics_task
from mtsig_core.data.readers.names import OUTPUTS, folder_name, task_name, without_pair
from mtsig_core.data.readers.task_scores import SCORES, read_task_scores, score_pairs
from mtsig_core.data.readers.wmt import language_pairs, left_out, read_wmt
from mtsig_core.data.readers.wmt_xml import read_wmt_xml, xml_names
from mtsig_core.data.task import Task
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import InputError, SettingError, unknown

__all__ = ["Contents", "contents_of", "has_scores", "is_task", "no_output", "pairs_of", "read_pair", "read_task",
           "tables_beside", "unread_sentences"]

_LAYOUT = {"references", *OUTPUTS, "sources", "documents", "metadata", "metainfo", SCORES, HUMAN, METRICS}
_OWN = ("systems.tsv", "systems_metadata.json")  # what a task says of its systems
_TABLE = re.compile(r"(.+?)(\.(tsv|csv|jsonl?|parquet)(\.gz)?|\.seg\.score(\.gz)?)", re.DOTALL)
_OF_WHOLE = re.compile(r".+\.(sys|doc|domain)\.score(\.gz)?", re.DOTALL)


@dataclass(frozen=True)
class Contents:
    """What there is in a zip of a task.

    Attributes
    ----------
    pairs : tuple of str
        Its language pairs.
    scores : tuple of (str, str, str)
        (language pair, name, file) of the tables of segment scores beside its texts.
    runs : tuple of (str, str, str)
        (language pair, system, file) of further training runs.
    unread : tuple of (str, str)
        Each other file, and why it is not read.
    """

    pairs: tuple[str, ...]
    scores: tuple[tuple[str, str, str], ...]
    runs: tuple[tuple[str, str, str], ...]
    unread: tuple[tuple[str, str], ...]


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
        raise InputError(missing(folder))
    with opened(folder) as inside:
        return _read_task(inside, pairs, lower_is_better, higher_is_better, keep_canary)


def _read_task(folder: Path, pairs: Collection[str] | None, lower_is_better: Collection[str],
               higher_is_better: Collection[str], keep_canary: bool) -> Task:
    if not folder.is_dir():
        raise InputError(f"{shown(folder)} is a file. Expected the folder of a shared task, or a zip of it.")
    if _scores_alone(folder):
        return read_task_scores(folder, pairs, lower_is_better=lower_is_better, higher_is_better=higher_is_better)
    if has_scores(folder):
        return read_metrics_task(folder, pairs, lower_is_better=lower_is_better, higher_is_better=higher_is_better,
                                 keep_canary=keep_canary)
    known = pairs_of(folder)
    for pair in pairs or ():
        if pair not in known:
            raise unknown("language pair", pair, known)
    if said := [*lower_is_better, *higher_is_better]:
        raise SettingError(f"{shown(folder)} has texts and no scores whose direction could be said, such as "
                           f"{shown(said[0])}.")
    testsets = {pair: read_pair(folder, pair, keep_canary=keep_canary) for pair in dict.fromkeys(pairs or known)}
    return _with_both(folder, testsets, pairs is None)


def _with_both(folder: Path, testsets: Mapping[str, TestSet], every: bool) -> Task:
    """The task of those language pairs that have outputs and references; where all were asked for, the others are
    named in `Task.assumed`."""
    bare = [pair for pair, testset in testsets.items() if not testset.systems]
    if bare and (not every or len(bare) == len(testsets)):
        raise InputError(no_output(folder, bare))
    said = [f"Left out: {pair}, which has references and no output." for pair in bare]
    said += left_out(folder) if every and not _xml(folder) else []
    said += [text for testset in testsets.values() for text in testset.assumed]
    return Task(folder_name(folder), {pair: one for pair, one in testsets.items() if pair not in bare},
                assumed=tuple(said))


def no_output(folder: FilePath, pairs: Collection[str]) -> str:
    """What to do about language pairs of which a folder has references alone."""
    return (f"{shown(folder)} has references and no output for {', '.join(pairs)}. Add outputs to its system-outputs/, "
            "or choose other language pairs.")


def has_scores(folder: FilePath) -> bool:
    """Whether a folder has segment scores, with texts or without, whose direction may be said."""
    return any((Path(folder) / name).is_dir() for name in (SCORES, HUMAN, METRICS)) or bool(
        names_in_zip(folder) & {SCORES, HUMAN, METRICS})


def _scores_alone(folder: FilePath) -> bool:
    """Whether a folder is in the layout of WMT25."""
    return (Path(folder) / SCORES).is_dir()


def is_task(folder: FilePath) -> bool:
    """Whether a folder, or a zip, looks like that of a shared task, of any layout that is told by its folders or XML
    files; a zip also by names that say all. Nothing is unpacked for it."""
    if is_zip(folder):
        names = sorted(names_in_zip(folder))
        found = (task_name(name) for name in names)
        return bool({"references", SCORES, HUMAN, METRICS} & {*names} or xml_names(names)
                    or any(one is not None and one.role == "reference" for one in found))
    return (Path(folder) / "references").is_dir() or has_scores(folder) or bool(_xml(Path(folder)))


def pairs_of(folder: FilePath) -> list[str]:
    """The language pairs of a shared task's folder, without reading all of it; see `language_pairs`."""
    with opened(folder) as inside:
        if _scores_alone(inside):
            return score_pairs(inside)
        return sorted(_xml(inside)) or language_pairs(inside)


def tables_beside(folder: FilePath, pairs: Collection[str], depth: int = 1) -> list[tuple[str, str, str]]:
    """(language pair, name, file) of the tables of segment scores in the folder of a task with texts, and so many
    folders below it that are not the task's own. They are called ``PAIR.NAME.tsv``, such as ``en-zh.esa.tsv``, or end
    as other files of scores do; no command takes them by itself."""
    if not Path(folder).is_dir() or _scores_alone(folder):
        return []
    named = [(_table_name(path.name), str(path)) for path in _loose(Path(folder), depth)]
    return [(found[0], found[1], path) for found, path in named if found is not None and found[0] in pairs]


def contents_of(archive: FilePath) -> Contents:
    """What there is in a zip of a task, each file that is not read with the reason.

    Raises
    ------
    InputError
        Where there is no task in it, as `read_task`.
    """
    with opened_with_rest(archive) as (task, whole):
        pairs = pairs_of(task)
        places = [task] if task == whole else [task, whole]
        scores = [one for place in places for one in tables_beside(place, pairs, MAX_DEPTH)]
        runs = [one for place in places for one in runs_beside(place, pairs)]
        loose = [path for place in places for path in _loose(place, MAX_DEPTH)]
        unread = _unread_in_layout(task, pairs) + _unread_beside(task, pairs, loose, {path for *_, path in (
            *scores, *runs)})

        def at(path: str | Path) -> str:
            return Path(path).relative_to(whole).as_posix()

        def inside(found: Iterable[tuple[str, str, str]]) -> tuple[tuple[str, str, str], ...]:
            return tuple((pair, name, f"{os.fsdecode(archive)}/{at(path)}") for pair, name, path in found)

        return Contents(tuple(pairs), inside(scores), inside(runs),
                        tuple((literal(at(path)), why) for path, why in unread))


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


def _unread_in_layout(task: Path, pairs: Collection[str]) -> list[tuple[Path, str]]:
    """The files in a task's own folders that no reader takes; outputs of another name are told by `read_wmt`."""
    found, plain = [], {pair.rpartition(".")[2] for pair in pairs}
    for inside in sorted(task.iterdir()):
        if not inside.is_dir() or inside.name not in _LAYOUT:
            continue
        for path in sorted(path for path in inside.rglob("[!.]*") if path.is_file()):
            at = path.relative_to(task).as_posix()
            if inside.name in (HUMAN, METRICS):
                of = path.parent.name if inside.name == METRICS else path.name.partition(".")[0]
                if why := _why_no_scores(path.name) or _OF_NO_PAIR.format(of) * (of not in plain):
                    found.append((path, why))
            elif inside.name == SCORES:
                found += [(path, _NO_NAME)] * (not path.name.endswith((".jsonl", ".jsonl.gz")))
            elif inside.name not in OUTPUTS and task_name(at) is None:
                found.append((path, _NO_NAME))
    return found


_LISTED = 8  # files of which a sentence has the names
_NO_NAME = "its name is none that a file of a task has there"
_OF_NO_PAIR = "{} is no language pair of which the task has a reference"


def _why_no_scores(name: str) -> str:
    """Why a file among scores is not read; empty where it is."""
    if name.endswith(ENDINGS):
        return ""
    return "it has scores of whole systems, documents or domains, and only those of segments are read" \
        if _OF_WHOLE.fullmatch(name) else _NO_NAME


def _unread_beside(task: Path, pairs: Collection[str], loose: Iterable[Path], taken: Collection[str]
                   ) -> list[tuple[Path, str]]:
    """The files beside a task's own folders that are neither texts, nor `taken`, nor what it says of its systems."""
    xml = {path for paths in _xml(task).values() for path in paths}
    flat = not (task / "references").is_dir()
    found = []
    for path in loose:
        own = path.name in _OWN or path in xml or flat and path.parent == task and task_name(path.name) is not None
        if own or str(path) in taken:
            continue
        table = _table_name(path.name)
        if table is not None:
            why = "the task has scores alone, and such a table joins texts" if table[0] in pairs else \
                _OF_NO_PAIR.format(table[0])
        elif _TABLE.fullmatch(path.name) and not task_name(path.name):
            why = "its name says no language pair. A table of segment scores is called such as en-de.esa.tsv"
        else:
            why = _why_no_scores(path.name) if _OF_WHOLE.fullmatch(path.name) else \
                "its name is not that of a file of a task"
        found.append((path, why))
    return found


def read_pair(folder: FilePath, langpair: str, *, parses: Sequence[tuple[str, FilePath]] = (),
              keep_canary: bool = False, lower_is_better: Collection[str] = (),
              higher_is_better: Collection[str] = ()) -> TestSet:
    """The test set of one language pair of a shared task, of any layout; see `read_task` and `read_wmt`."""
    with opened(folder) as inside:
        return _read_pair(inside, langpair, parses, keep_canary, lower_is_better, higher_is_better)


def _read_pair(folder: Path, langpair: str, parses: Sequence[tuple[str, FilePath]], keep_canary: bool,
               lower_is_better: Collection[str], higher_is_better: Collection[str]) -> TestSet:
    if xml := _xml(folder):
        if langpair not in xml:
            raise unknown("language pair", langpair, sorted(xml))
        if parses:
            raise SettingError(f"{shown(folder)} has XML, whose texts take no parse. Give the texts as plain files.")
        return read_wmt_xml(list(map(regular, xml[langpair])), langpair, name=f"{folder_name(folder)} {langpair}",
                            keep_canary=keep_canary)
    if not has_scores(folder):
        return read_wmt(folder, langpair, parses=parses, keep_canary=keep_canary)
    if parses:
        raise SettingError(f"{shown(folder)} has segment scores beside its texts or alone, and takes no parse. Give "
                           "the texts as plain files.")
    task = read_task(folder, [langpair], lower_is_better=lower_is_better, higher_is_better=higher_is_better,
                     keep_canary=keep_canary)
    return replace(task.testsets[langpair], assumed=task.assumed)


def _xml(folder: Path) -> dict[str, list[Path]]:
    """The XML files by language pair, of a folder that has no plain texts."""
    if not folder.is_dir() or (folder / "references").is_dir() or _scores_alone(folder):
        return {}
    try:
        named = xml_names(sorted(name for name in os.listdir(folder) if not name.startswith(".")))
    except PermissionError:
        return {}
    return {pair: [folder / name for name in names] for pair, names in named.items()}
