"""Folders in the layout of the WMT shared tasks, of 2024 and of 2021 to 2023.

The inputs of the metrics tasks mix both: ``system_outputs/en-de/SET.en-de.hyp.NAME.de``. Files with
complete names may also be in one folder. Each file may be gzipped.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, find_closest
from mtsig_core.languages import is_langpair, languages_of
from mtsig_core.readers.columns import show_names
from mtsig_core.readers.files import (
    FilePath,
    check_regular,
    exists,
    is_folder,
    list_folder,
    list_paths,
)
from mtsig_core.readers.lines import explain_missing
from mtsig_core.readers.task_names import OUTPUTS, TaskName, drop_set, folder_name, task_name
from mtsig_core.readers.texts import TestSetFiles, assemble, check_langpair, index_by_name
from mtsig_core.testset import TestSet, show_name

_MAX_NAMES = 8  # of other files, in a message
_OTHER_FOLDERS = ("sources", "documents", "metadata", "metainfo")
ONE_OF_EACH = "Remove or rename one of them."
LAYOUT = (
    "Expected a reference such as ref.txt and a text for each system, side by side or in a folder for each "
    "test set; or one of four layouts of shared tasks. Folders references/ and system-outputs/ with files such as "
    "references/en-de.refA.txt or references/SET.en-de.ref.A.de. Files side by side, such as SET.en-de.ref.A.de "
    "and SET.en-de.hyp.NAME.de. XML, such as SET.en-de.all.xml. Files of human "
    "scores, as published, that name their language pairs, and no texts."
)


class _File(NamedTuple):
    """A file, and what its name says."""

    name: TaskName
    path: Path


class _PairSet(NamedTuple):
    """A language pair of one of the sets in a folder."""

    set: str  # empty where names of files say none
    pair: str

    @property
    def full_name(self) -> str:
        return f"{self.set}.{self.pair}" if self.set else self.pair


def language_pairs(folder: FilePath) -> list[str]:
    """The language pairs that a folder in WMT layout has references for, sorted.

    A pair that comes in several sets is listed once for each, as ``SET.en-de``.

    Raises
    ------
    InputError
        If the folder cannot be read or has no ``references/``.
    """
    pair_sets = _list_pair_sets(_find_references(Path(folder)))
    pairs = [pair_set.pair for pair_set in pair_sets]
    names = []
    for pair_set in pair_sets:
        has_several_sets = pairs.count(pair_set.pair) > 1
        names.append(pair_set.full_name if has_several_sets else pair_set.pair)
    return sorted(names)


def _list_pair_sets(references: Iterable[_File]) -> set[_PairSet]:
    return {_PairSet(file.name.set, file.name.pair) for file in references}


def read_wmt(
    folder: FilePath,
    langpair: str,
    *,
    parses: Sequence[tuple[str, FilePath]] = (),
    keep_canary: bool = False,
) -> TestSet:
    """The test set of one language pair from a folder in WMT layout.

    Parameters
    ----------
    folder : path-like
        The folder that has ``references/`` and ``system-outputs/``; ``sources/`` and ``documents/``
        (or ``metadata/``, ``metainfo/``) are optional.
    langpair : str
        One of `language_pairs`.
    parses : sequence of (str, path-like)
        System or reference, and its parse in CoNLL-U; see `mtsig_core.readers.conllu.read_conllu`.
    keep_canary : bool
        Whether to keep a line that the documents file calls ``canary``: a string that helps to
        detect the test set in training data, and is not a translation. The set's `lines` count the
        lines of the files in both cases.

    Returns
    -------
    TestSet
        With all references of the pair (``A`` is named ``refA``), and the systems in the order of
        their names. A reference that also lies among the outputs, as mt-metrics-eval has it, is no
        system.

    Raises
    ------
    InputError
        If the folder is of another layout, has no reference for the pair, or its files do not
        match.
    SettingError
        If `langpair` is not of the form ``en-de`` (or ``SET.en-de``).
    """
    root = Path(folder)
    check_langpair(drop_set(langpair))
    references = _find_references(root)
    pair_set = _choose_set(_list_pair_sets(references), langpair, root)
    places = [f"{outputs}/{pair_set.pair}" for outputs in OUTPUTS]
    searched_folders = [""]
    if is_folder(root / "references"):
        searched_folders = [*_OTHER_FOLDERS, *OUTPUTS, *places]
    files = _find_files(root, searched_folders)
    references_of_set = [file for file in references if file.name.set == pair_set.set]
    paths = TestSetFiles(
        index_by_name(
            _select_role(references_of_set, "reference", pair_set), "reference", ONE_OF_EACH
        ),
        index_by_name(_select_role(files, "system", pair_set), "system", ONE_OF_EACH),
        sources=_find_only(files, "source", pair_set),
        documents=_find_only(files, "documents", pair_set),
        parses=index_by_name(parses, "parse", "Give one for each."),
    )
    testset = assemble(
        f"{pair_set.set or folder_name(root)} {pair_set.pair}",
        paths,
        langpair=pair_set.pair,
        keep_canary=keep_canary,
        has_blanks=True,
    )
    systems = {
        name: texts
        for name, texts in testset.systems.items()
        if testset.references.get(name) != texts
    }
    assumed = list(testset.assumed)
    for place in places:
        assumed += _list_unread_outputs(root, place)
    return replace(testset, systems=systems, assumed=tuple(assumed))


def _select_role(
    files: Iterable[_File], role: str, pair_set: _PairSet
) -> list[tuple[str, FilePath]]:
    """Select the name and path of each file of a role.

    Files with names of another generation are included, but not files of another set.
    """
    selected: list[tuple[str, FilePath]] = []
    for name, path in files:
        is_of_set = not pair_set.set or name.set in ("", pair_set.set)
        if name.role == role and name.pair == pair_set.pair and is_of_set:
            selected.append((name.name, check_regular(path)))
    return sorted(selected)


def _find_only(files: Iterable[_File], role: str, pair_set: _PairSet) -> FilePath | None:
    """The only file of a role; of documents, the one with the usual ending comes first."""
    paths = [path for _, path in _select_role(files, role, pair_set)]
    if role == "documents":
        paths = [path for path in paths if ".docs" in Path(path).suffixes] or paths
    if len(paths) > 1:
        raise InputError(
            f"There are two {role.removesuffix('s')} files: {show_name(paths[0])} and "
            f"{show_name(paths[1])}. {ONE_OF_EACH}"
        )
    return paths[0] if paths else None


def _list_unread_outputs(folder: Path, place: str) -> list[Assumption]:
    """Files among the outputs that have no name of an output, as an assumption."""
    names = [path.name for path in list_paths(folder / place)]
    unread = [show_name(name) for name in names if not task_name(f"{place}/{name}")]
    if not unread:
        return []
    facts = {"place": place, "n": len(unread), "files": unread[:_MAX_NAMES]}
    return [Assumption("names-of-outputs", facts)]


def list_left_out(folder: Path) -> list[Assumption]:
    """What lies in a task and is not read: outputs without a reference, and odd language pairs.

    A task does not publish a reference for each pair. Such as en-zh-x is not a language pair.
    """
    places = list(OUTPUTS)
    odd_names = set()
    for outputs in OUTPUTS:
        for path in list_paths(folder / outputs):
            if is_folder(path):
                places.append(f"{outputs}/{path.name}")
                odd_names.add(path.name)
    for place in (*OUTPUTS, "references"):
        for path in list_paths(folder / place):
            if task_name(f"{place}/{path.name}"):
                continue
            pair = re.search(r"(?:^|\.)([A-Za-z]{2,3}(?:_\w+)?-[\w-]+)(?=\.)", path.name)
            if pair is not None:
                odd_names.add(pair[1])
    pairs = {file.name.pair for file in _find_files(folder, places) if file.name.role == "system"}
    pairs -= {file.name.pair for file in _find_references(folder)}
    without_reference = [
        Assumption("pair-without-reference", {"pair": pair}) for pair in sorted(pairs)
    ]
    no_pairs = [
        Assumption("no-language-pair", {"name": show_name(name)})
        for name in sorted(odd_names)
        if not is_langpair(name)
    ]
    return without_reference + no_pairs


def _find_files(folder: Path, places: Iterable[str]) -> list[_File]:
    """Find the files in these subfolders (if they exist) whose names can be parsed.

    Backups are not included, because their names cannot be parsed.
    """
    files = []
    for place in places:
        if not exists(folder / place):
            continue
        for file in list_folder(folder / place):
            name = task_name(f"{place}/{file}" if place else file)
            if name is not None:
                files.append(_File(name, folder / place / file))
    return files


def _find_references(folder: Path) -> list[_File]:
    """The reference files."""
    if not is_folder(folder):
        if os.path.lexists(folder):
            raise InputError(f"{show_name(folder)} is a file; a folder is expected. {LAYOUT}")
        raise InputError(explain_missing(folder))
    inside = folder / "references"
    is_flat = not is_folder(inside)
    files = _find_files(folder, [""] if is_flat else ["references"])
    references = [file for file in files if file.name.role == "reference"]
    has_outputs = any(file.name.role == "system" for file in files)
    if is_flat and not (references and has_outputs):
        near = [path for path in list_paths(folder) if is_folder(path / "references")]
        if folder.name in ("references", *OUTPUTS):
            near.append(folder.parent)
        hint = f" Did you mean {show_name(near[0])}?" if near else ""
        raise InputError(
            f"{show_name(folder)} has no references/; it has {_show_content(folder)}. {LAYOUT}{hint}"
        )
    if not references:
        raise InputError(
            f"{show_name(inside)} has no reference; it has {_show_content(inside)}. {LAYOUT}"
        )
    return references


def _show_content(folder: Path) -> str:
    return show_names(list_folder(folder), _MAX_NAMES) or "nothing"


def _choose_set(pair_sets: Collection[_PairSet], langpair: str, folder: Path) -> _PairSet:
    """The set and pair that a language pair, or SET.pair, stands for."""
    by_full_name = {pair_set.full_name: pair_set for pair_set in pair_sets}
    if langpair in by_full_name:
        return by_full_name[langpair]
    of_pair = sorted(name for name in by_full_name if by_full_name[name].pair == langpair)
    if len(of_pair) == 1:
        return by_full_name[of_pair[0]]
    if of_pair:
        raise InputError(
            f"{show_name(folder)} has {len(of_pair)} sets for {langpair}. Choose one: "
            f"{', '.join(of_pair)}."
        )
    pairs = sorted({pair_set.pair for pair_set in pair_sets})
    source, target = languages_of(langpair)
    closest: str | None = f"{target}-{source}"
    if closest not in pairs:
        closest = find_closest(langpair, [*by_full_name, *pairs])
    hint = "" if closest is None else f" Did you mean {closest}?"
    raise InputError(
        f"{show_name(folder)} has no reference for {show_name(langpair)}; it has "
        f"{', '.join(pairs)}.{hint}"
    )
