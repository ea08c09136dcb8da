"""A task whose texts are documents in JSON, as WMT25 and WMT26 published them.

It has one file of sources and references, and a file of outputs for each system, side by side or
below ``systems/``, each with all language pairs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from mtsig_core.errors import InputError, explain_unknown
from mtsig_core.readers.files import is_file, list_paths
from mtsig_core.readers.formats import sniff, strip_ending
from mtsig_core.readers.lines import read_beginning, read_bytes, read_text_table_file
from mtsig_core.readers.score_tables import cut_lines
from mtsig_core.readers.text_formats import split_document_id
from mtsig_core.readers.text_tables import TextTable, align_tables
from mtsig_core.testset import TestSet, show_name

_SYSTEMS = "systems"  # the folder of the outputs
_FORM = "wmt25-texts"  # among the formats
#: The name of the source where it is in place of a reference.
STAND_IN = "source in place of a reference"
_ENDINGS = (".jsonl", ".jsonl.gz")


@dataclass(frozen=True)
class DocumentFiles:
    """The files of such a task."""

    main: Path  # sources and references
    outputs: tuple[Path, ...]

    @property
    def all(self) -> tuple[Path, ...]:
        """Every file of the task."""
        return self.main, *self.outputs


def find_documents(folder: Path) -> DocumentFiles | None:
    """The files of such a task in a folder, or in an archive; None of another."""
    mains, outputs = _list_documents(folder)
    if len(mains) != 1 or not outputs:
        return None
    [main] = mains
    return DocumentFiles(main, tuple(outputs))


def list_lone_outputs(folder: Path) -> list[Path]:
    """The files of outputs in a folder where the file of their sources is missing."""
    mains, outputs = _list_documents(folder)
    if mains:
        return []
    return outputs


def _list_documents(folder: Path) -> tuple[list[Path], list[Path]]:
    """The files of sources and references, and the files of outputs."""
    mains: list[Path] = []
    outputs: list[Path] = []
    paths = {*list_paths(folder), *list_paths(folder / _SYSTEMS)}
    for path in sorted(paths):
        if not path.name.endswith(_ENDINGS) or not is_file(path):
            continue
        record = _read_first(path)
        if record is None:
            continue
        if "hypothesis" in record:
            outputs.append(path)
        else:
            mains.append(path)
    return mains, outputs


def _read_first(path: Path) -> dict[str, object] | None:
    """The first record of a file of documents; None of another file."""
    head = cut_lines(read_beginning(path))
    fmt = sniff(head)
    if fmt is None or fmt.name != _FORM:
        return None
    first_line, _, _ = head.partition(b"\n")
    try:
        record = json.loads(first_line)
    except (ValueError, RecursionError):  # the message comes when the file is read
        return None
    return record if isinstance(record, dict) else None


def list_document_pairs(files: DocumentFiles) -> tuple[list[str], list[str]]:
    """The language pairs that have references, and the others; a quick list, not a check."""
    has_references: dict[str, bool] = {}
    data, _ = read_bytes(files.main)
    for line in data.split(b"\n"):
        match = re.search(rb'"doc_id"\s*:\s*"([^"\\]+)"', line)
        if match is None:
            continue
        pair = split_document_id(match[1].decode("utf-8", "replace")).langpair
        is_translated = re.search(rb'"refs"\s*:\s*\{\s*"', line) is not None
        has_references[pair] = has_references.get(pair, False) or is_translated
    with_references = [pair for pair in has_references if has_references[pair]]
    return with_references, [pair for pair in has_references if not has_references[pair]]


def read_documents_task(
    files: DocumentFiles, pairs: Collection[str] | None, rated: Collection[str] = ()
) -> dict[str, TestSet]:
    """The test set of each of these language pairs; by default of all with references or ratings.

    A system takes part where it has documents of the pair. Sources stand in for the references of
    `rated` pairs without any, until ratings join them.
    """
    with_references, others = list_document_pairs(files)
    known = [*with_references, *(pair for pair in others if pair in rated)]
    if not known:
        raise InputError(
            f"{show_name(files.main)} has no references ({', '.join(others)}), and there are no human scores. "
            "Add references, or annotations in the same folder."
        )
    for pair in pairs or ():
        if pair not in known:
            raise explain_unknown("language pair", pair, known)
    main = _read_table(files.main)
    outputs = {strip_ending(show_name(path.name)): _read_table(path) for path in files.outputs}
    bare = replace(main, references={STAND_IN: main.sources or ()})
    testsets = {}
    if pairs is None:
        pairs = known
    for pair in pairs:
        table = main if pair in with_references else bare
        testsets[pair] = _join(pair, table, outputs)
    return testsets


def drop_stand_in(testset: TestSet) -> TestSet:
    """The test set without the sources in place of references, once it has scores."""
    if list(testset.references) != [STAND_IN]:
        return testset
    return replace(testset, references={})


def _read_table(path: Path) -> TextTable:
    table = read_text_table_file(path)
    if table is None:
        raise InputError(
            f"{show_name(path)} is not a file of documents. Expected an object with doc_id in each line."
        )
    return table


def _join(pair: str, main: TextTable, outputs: dict[str, TextTable]) -> TestSet:
    """The test set of a language pair."""
    tables = {name: table for name, table in outputs.items() if pair in (table.langpairs or ())}
    (main, *aligned), _ = align_tables([main, *tables.values()], pair)
    systems = {}
    for name, table in zip(tables, aligned, strict=True):
        texts = next(iter(table.outputs.values()))
        systems[name] = _fill(texts)
    references = {name: texts for name, texts in main.references.items() if any(texts)}
    return TestSet(
        pair,
        systems,
        references,
        sources=None if main.sources is None else _fill(main.sources),
        documents=main.documents,
        domains=main.domains,
        langpair=pair,
    )


def _fill(texts: Iterable[str | None]) -> list[str]:
    """Replace each missing text by an empty text."""
    return [text or "" for text in texts]
