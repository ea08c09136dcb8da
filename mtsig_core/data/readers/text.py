"""Plain text files, one segment per line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from mtsig_core.data.checks import literal
from mtsig_core.data.readers.assemble import assemble, by_name, check_langpair
from mtsig_core.data.readers.lines import FilePath
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError

__all__ = ["read_text"]

NamedFile = tuple[str | None, FilePath]


def read_text(
    references: Sequence[NamedFile],
    systems: Sequence[NamedFile],
    *,
    sources: FilePath | None = None,
    documents: FilePath | None = None,
    parses: Sequence[tuple[str, FilePath]] = (),
    runs: Sequence[tuple[str, FilePath]] = (),
    langpair: str | None = None,
    name: str | None = None,
    keep_canary: bool = False,
) -> TestSet:
    """A test set from text files, plain or gzipped, with one segment per line.

    Parameters
    ----------
    references, systems : sequence of (str or None, path-like)
        Name and file of each; None stands for the file's name without ``.txt``, ``.gz`` or ``.txt.gz``.
        There may be no systems.
    sources : path-like, optional
        Source text.
    documents : path-like, optional
        A line per segment: ``docid`` or ``domain<TAB>docid``.
    parses : sequence of (str, path-like)
        System or reference, and its parse in CoNLL-U; see `mtsig_core.data.readers.conllu.read_conllu`.
    runs : sequence of (str, path-like)
        System, and its output after a further training run, in the order of the runs; see docs/runs.md.
    langpair : str, optional
        Such as ``en-de``.
    name : str, optional
        Name of the set. By default that of the folder that holds the references and systems, and the language pair.
    keep_canary : bool
        Whether to keep a line that the documents file calls ``canary``; see `mtsig_core.data.readers.wmt.read_wmt`.

    Raises
    ------
    InputError
        If a file cannot be read or does not match the first reference, or a name is empty or comes twice.
    SettingError
        If there is no reference, or the language pair is not one.
    """
    if not references:
        raise SettingError("No reference. Give at least one, a text file with one segment per line.")
    if langpair is not None:
        check_langpair(langpair)
    files = {what: by_name(((_stem(path) if own is None else own, path) for own, path in group), what,
                           "Give each a name of its own.", {argument: "NAME=FILE"})
             for what, argument, group in (("reference", "ref", references), ("system", "system", systems))}
    further: dict[str, list[FilePath]] = {}
    for system, path in runs:
        further.setdefault(system, []).append(path)
    if name is None:
        paths = [*files["reference"].values(), *files["system"].values()]
        name = " ".join(filter(None, [_common_folder(paths), langpair]))
    return assemble(name, files["reference"], files["system"], sources=sources, documents=documents,
                    parses=by_name(parses, "parse", "Give one for each."), runs=further, langpair=langpair,
                    keep_canary=keep_canary)


def _stem(path: FilePath) -> str:
    return literal(Path(os.fsdecode(path)).name).removesuffix(".gz").removesuffix(".txt")


def _common_folder(paths: Sequence[FilePath]) -> str:
    """Name of the nearest folder that holds all these files; of the first file if that is the root."""
    folders = [os.path.dirname(os.path.abspath(os.fsdecode(path))) for path in paths]
    try:
        return os.path.basename(os.path.commonpath(folders)) or _stem(paths[0])
    except ValueError:  # on different drives
        return _stem(paths[0])
