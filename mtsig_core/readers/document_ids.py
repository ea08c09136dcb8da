"""The file that says which document, and which domain, each segment belongs to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from mtsig_core.errors import InputError
from mtsig_core.readers.cells import read_field, to_name
from mtsig_core.readers.columns import NAMES, find_column
from mtsig_core.readers.files import FilePath
from mtsig_core.readers.formats import DOCUMENTS
from mtsig_core.readers.limits import parse_bounded_json
from mtsig_core.readers.lines import read_lines
from mtsig_core.readers.text_tables import TextInTable
from mtsig_core.testset import show_name

_SENTENCE_WORDS = 6
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？", "।", "…", '."', ".”")
_DISTINCT = 0.8  # share of the lines of a text that repeat no other line
_COLUMNS = {1: "1 column (docid)", 2: "2 columns (domain<TAB>docid)"}
#: What a column of documents may be called; data sets from the web have the address of each
#: article.
_DOCUMENT_COLUMNS = (*NAMES["docid"], "url")


class DocumentIds(NamedTuple):
    """The document of each segment, and its domain where the file has it."""

    documents: list[str] | None = None
    domains: list[str] | None = None


def read_documents(path: FilePath, *, has_blanks: bool = False) -> DocumentIds:
    """The document id of each segment, and its domain where the file has it.

    `has_blanks`: whether two words in each line are ``domain docid``, as in older shared tasks.
    """
    if isinstance(path, TextInTable):
        return DocumentIds(list(path.lines), None if path.domains is None else list(path.domains))
    lines = read_lines(path, DOCUMENTS)
    table = _read_named_columns(lines)
    if table is not None:
        return table
    rows = _split_rows(path, lines, has_blanks)
    for number, row in enumerate(rows, 1):
        _check_row(f"{show_name(path)}, line {number} has", row, rows[0])
    documents = [row[-1] for row in rows]
    sentence = _find_sentence(documents)
    if sentence is not None:
        raise InputError(
            f"{show_name(path)} contains a text, such as {sentence[:60]!r}, and a different one in each line. "
            "Expected one document id per line, the same for all lines of a document."
        )
    has_domains = len(rows[0]) == 2
    return DocumentIds(documents, [row[0] for row in rows] if has_domains else None)


def _split_rows(path: FilePath, lines: Sequence[str], has_blanks: bool) -> list[list[str]]:
    """Document, or domain and document, of each line."""
    is_json = os.fsdecode(path).removesuffix(".gz").endswith(".jsonl")
    if is_json or all(line.startswith("{") for line in lines):
        return [_read_json_line(line, path, number) for number, line in enumerate(lines, 1)]
    has_two_words = all(len(line.split()) == 2 and "\t" not in line for line in lines)
    separator = None if has_blanks and has_two_words else "\t"
    return [[cell.strip() for cell in line.split(separator)] for line in lines]


def _check_row(location: str, row: Sequence[str], first_row: Sequence[str]) -> None:
    if len(row) > 2:
        raise InputError(
            f"{location} {len(row)} columns. Expected docid or domain<TAB>docid. Remove the other tabs."
        )
    if not all(row):
        empty = "line" if len(row) == 1 else "field"
        raise InputError(
            f"{location} an empty {empty}. Expected a document id for each segment. Fill it in."
        )
    if len(row) != len(first_row):
        raise InputError(
            f"{location} {_COLUMNS[len(row)]}, the lines before have {_COLUMNS[len(first_row)]}. Give "
            "every line the same columns."
        )


def _find_sentence(ids: Sequence[str]) -> str | None:
    """A line of a text that is given as document ids; None of ids, some of which are titles.

    Hardly a line of a text comes twice, and most lines are sentences.
    """
    sentences = [
        line
        for line in ids
        if len(line.split()) >= _SENTENCE_WORDS or line.endswith(_SENTENCE_ENDS)
    ]
    are_distinct = len({*ids}) >= _DISTINCT * len(ids)
    if len(ids) > 1 and are_distinct and len(sentences) > len(ids) / 2:
        return sentences[0]
    return None


def _read_named_columns(lines: Sequence[str]) -> DocumentIds | None:
    """Documents and domains of a table whose first line names its columns; None of other files.

    The metadata of FLORES are such a table (URL, domain, topic, ...).
    """
    if not lines:
        return None
    header = [cell.strip().lower() for cell in lines[0].split("\t")]
    rows = [[cell.strip() for cell in line.split("\t")] for line in lines[1:]]
    document_column = next(
        (header.index(name) for name in _DOCUMENT_COLUMNS if name in header), None
    )
    domain_column = find_column(header, "domain")
    if document_column is None or len(header) == 1 or not rows:
        return None
    if len(header) == 2 and domain_column is None:
        return None
    if any(len(row) != len(header) for row in rows):
        return None
    documents = [row[document_column] for row in rows]
    domains = None if domain_column is None else [row[domain_column] for row in rows]
    if "" in documents or (domains is not None and "" in domains):
        return None  # messages about empty cells come line by line
    return DocumentIds(documents, domains)


def _read_json_line(line: str, path: FilePath, number: int) -> list[str]:
    """The document of a segment, after the domain where there is one."""
    location = f"{show_name(path)}, line {number}"
    try:
        entry = parse_bounded_json(line, show_name(path))
    except ValueError:
        entry = None
    if not isinstance(entry, dict) or "docid" not in entry:
        raise InputError(
            f'{location} is {line[:60]!r}. Expected {{"docid": "..."}}, with "domain" or without.'
        )
    keys = ["docid"] if entry.get("domain") is None else ["domain", "docid"]
    return [read_field(location, entry, key, to_name) for key in keys]
