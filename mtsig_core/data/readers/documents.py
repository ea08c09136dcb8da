"""Reading which document, and which domain, each segment belongs to."""

from __future__ import annotations

import os

from mtsig_core.data.readers.formats import DOCUMENTS
from mtsig_core.data.readers.json_text import parse_json
from mtsig_core.data.readers.lines import FilePath, read_lines, shown
from mtsig_core.errors import InputError

__all__ = ["is_canary", "read_documents"]

COLUMNS = {1: "1 column (docid)", 2: "2 columns (domain<TAB>docid)"}


def read_documents(path: FilePath, *, blanks: bool = False) -> tuple[list[str], list[str] | None]:
    """The document id of each segment, and its domain where the file has it.

    Parameters
    ----------
    path : path-like
        A line per segment: ``docid`` or ``domain<TAB>docid``, the same throughout; or, in a file named ``.jsonl`` or
        where each line begins with a brace, an object with ``docid`` and ``domain``.
    blanks : bool
        Whether a file without tabs that has two words in each line is ``domain docid``, as in older shared tasks.

    Returns
    -------
    documents, domains : list of str, list of str or None

    Raises
    ------
    InputError
        If the file is unreadable, or a line is of another form.
    """
    lines = read_lines(path, DOCUMENTS)
    if os.fsdecode(path).removesuffix(".gz").endswith(".jsonl") or all(line.startswith("{") for line in lines):
        rows = [_from_json(line, path, number) for number, line in enumerate(lines, 1)]
    else:
        separator = None if blanks and all(len(line.split()) == 2 and "\t" not in line for line in lines) else "\t"
        rows = [[field.strip() for field in line.split(separator)] for line in lines]
    for number, row in enumerate(rows, 1):
        if len(row) > 2:
            raise InputError(f"{shown(path)}, line {number} has {len(row)} columns; docid or domain<TAB>docid is "
                             "expected. Take out the other tabs.")
        if not all(row):
            raise InputError(f"{shown(path)}, line {number} has an empty {'line' if len(row) == 1 else 'field'}; "
                             "each segment needs a document id. Fill it in.")
        if len(row) != len(rows[0]):
            raise InputError(f"{shown(path)}, line {number} has {COLUMNS[len(row)]}, the lines before have "
                             f"{COLUMNS[len(rows[0])]}. Give every line the same columns.")
    return [row[-1] for row in rows], [row[0] for row in rows] if len(rows[0]) == 2 else None


def is_canary(document: str, domain: str | None) -> bool:
    """Whether a line is the canary string of a shared task, which is there to be found, not translated."""
    return "canary" in (document, domain)


def _from_json(line: str, path: FilePath, number: int) -> list[str]:
    try:
        entry = parse_json(line, shown(path))
        fields = [entry[key] for key in ("domain", "docid") if key == "docid" or entry.get(key) is not None]
        return [str(field).strip() if isinstance(field, str | int | float) and not isinstance(field, bool)
                and field == field else "" for field in fields]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f'{shown(path)}, line {number} is {line[:60]!r}; {{"docid": "..."}} is expected, with '
                         '"domain" or without.') from None
