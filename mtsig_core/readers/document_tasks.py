"""A task whose texts are documents in JSON, as WMT25 published them: one file of sources and
references, and a file of outputs for each system, side by side or below ``systems/``, each with all
language pairs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from mtsig_core.errors import InputError, explain_unknown
from mtsig_core.readers.files import is_archive, is_file, is_folder, list_archive, list_folder
from mtsig_core.readers.formats import sniff, strip_ending
from mtsig_core.readers.lines import read_beginning, read_bytes, read_text_table_file
from mtsig_core.readers.score_tables import cut_lines
from mtsig_core.readers.text_tables import TextTable, align_tables
from mtsig_core.testset import TestSet, show_name

_SYSTEMS = "systems"  # the folder of the outputs
_FORM = "wmt25-texts"  # among the formats
_ENDINGS = (".jsonl", ".jsonl.gz")


@dataclass(frozen=True)
class DocumentFiles:
    """The files of such a task."""

    main: Path  # sources and references
    outputs: tuple[Path, ...]

    @property
    def all(self) -> tuple[Path, ...]:
        return self.main, *self.outputs


def find_documents(folder: Path) -> DocumentFiles | None:
    """The files of such a task in a folder, or in an archive; None of another."""
    mains: list[Path] = []
    outputs: list[Path] = []
    for path in _list_files(folder):
        record = _read_first(path)
        if record is None:
            continue
        if "hypothesis" in record:
            outputs.append(path)
        else:
            mains.append(path)
    return DocumentFiles(mains[0], tuple(outputs)) if len(mains) == 1 and outputs else None


def _list_files(folder: Path) -> list[Path]:
    """The files that may be of such a task, by their names."""
    if is_archive(folder):
        paths = list_archive(folder)
    else:
        places = [place for place in (folder, folder / _SYSTEMS) if is_folder(place)]
        paths = [place / name for place in places for name in list_folder(place)]
    return sorted(path for path in paths if path.name.endswith(_ENDINGS) and is_file(path))


def _read_first(path: Path) -> dict[str, object] | None:
    """The first record of a file of documents; None of another file."""
    head = cut_lines(read_beginning(path))
    fmt = sniff(head)
    if fmt is None or fmt.name != _FORM:
        return None
    try:
        record = json.loads(head.split(b"\n", 1)[0])
    except (ValueError, RecursionError):  # which is told once the file is read
        return None
    return record if isinstance(record, dict) else None


def list_document_pairs(files: DocumentFiles) -> tuple[list[str], list[str]]:
    """The language pairs that have references, and the others; quick, so a list for a choice, not a
    check.
    """
    with_references: dict[str, None] = {}
    pairs: dict[str, None] = {}
    for line in read_bytes(files.main)[0].split(b"\n"):
        named = re.search(rb'"doc_id"\s*:\s*"([^"\\]+?)_#_', line)
        if named is None:
            continue
        pair = named[1].decode("utf-8", "replace")
        pairs.setdefault(pair)
        if re.search(rb'"refs"\s*:\s*\{\s*"', line):
            with_references.setdefault(pair)
    return [*with_references], [pair for pair in pairs if pair not in with_references]


def read_documents_task(files: DocumentFiles, pairs: Collection[str] | None) -> dict[str, TestSet]:
    """The test set of each of these language pairs; of all that have references by default.

    A system takes part where it has documents of the pair.
    """
    known, _ = list_document_pairs(files)
    for pair in pairs or ():
        if pair not in known:
            raise explain_unknown("language pair", pair, known)
    main = _read_table(files.main)
    outputs = {strip_ending(show_name(path.name)): _read_table(path) for path in files.outputs}
    return {pair: _join(pair, main, outputs) for pair in (known if pairs is None else pairs)}


def _read_table(path: Path) -> TextTable:
    table = read_text_table_file(path)
    if table is None:
        raise InputError(
            f"{show_name(path)} is no file of documents. Expected an object with doc_id in each line."
        )
    return table


def _join(pair: str, main: TextTable, outputs: dict[str, TextTable]) -> TestSet:
    """The test set of a language pair."""
    own = {name: table for name, table in outputs.items() if pair in (table.langpairs or ())}
    (first, *others), _ = align_tables([main, *own.values()], pair)
    systems = {}
    for name, table in zip(own, others, strict=True):
        systems[name] = _fill(next(iter(table.outputs.values())))
    references = {name: texts for name, texts in first.references.items() if any(texts)}
    sources = None if first.sources is None else _fill(first.sources)
    return TestSet(
        pair,
        systems,
        references,
        sources=sources,
        documents=first.documents,
        domains=first.domains,
        langpair=pair,
    )


def _fill(texts: Iterable[str | None]) -> list[str]:
    """The texts, with an empty one where there is none."""
    return [text or "" for text in texts]
