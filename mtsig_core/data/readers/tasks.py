"""A whole shared task from a folder, whatever its layout."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mtsig_core.data.readers.archives import names_in_zip, opened
from mtsig_core.data.readers.bounds import regular
from mtsig_core.data.readers.lines import FilePath, missing, shown
from mtsig_core.data.readers.metrics_task import HUMAN, METRICS, read_metrics_task
from mtsig_core.data.readers.task_scores import SCORES, read_task_scores, score_pairs
from mtsig_core.data.readers.wmt import language_pairs, left_out, read_wmt
from mtsig_core.data.readers.wmt_xml import read_wmt_xml, xml_names
from mtsig_core.data.task import Task
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import InputError, SettingError, unknown

__all__ = ["has_scores", "is_task", "no_output", "pairs_of", "read_pair", "read_task", "tables_beside"]


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
    return Task(folder.resolve().name, {pair: one for pair, one in testsets.items() if pair not in bare},
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
    """Whether a folder looks like that of a shared task, of any layout that is told by its folders or XML files."""
    return (Path(folder) / "references").is_dir() or has_scores(folder) or bool(_xml(Path(folder)))


def pairs_of(folder: FilePath) -> list[str]:
    """The language pairs of a shared task's folder, without reading all of it; see `language_pairs`."""
    with opened(folder) as inside:
        if _scores_alone(inside):
            return score_pairs(inside)
        return sorted(_xml(inside)) or language_pairs(inside)


def tables_beside(folder: FilePath, pairs: Collection[str]) -> list[tuple[str, str, str]]:
    """(language pair, name, file) of the tables of segment scores in the folder of a task with texts, which are called
    ``PAIR.NAME.tsv``, such as ``en-zh.esa.tsv``; no command takes them by itself."""
    if not Path(folder).is_dir() or has_scores(folder):
        return []
    parts = [(path.name.split("."), str(path)) for path in sorted(Path(folder).glob("*.*.tsv")) if path.is_file()]
    return [(named[0], named[1], path) for named, path in parts if len(named) == 3 and named[0] in pairs]


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
        return read_wmt_xml(list(map(regular, xml[langpair])), langpair, name=f"{folder.resolve().name} {langpair}",
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
