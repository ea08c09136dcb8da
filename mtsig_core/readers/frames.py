"""A data frame, or columns by name -> a TestSet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from mtsig_core.errors import InputError, suggest_name
from mtsig_core.readers.columns import Columns, find_column, read_columns
from mtsig_core.readers.lines import FilePath
from mtsig_core.readers.plain_text import check_langpair
from mtsig_core.testset import TestSet, as_texts, is_human

#: Of scores: a file, columns, or an array of shape (systems, segments).
Table: TypeAlias = "FilePath | Columns | np.ndarray"
#: What columns of each role hold; references are called ref, refA, reference, ...
_ASIDE = {"sources": "source", "documents": "docid", "domains": "domain"}


def read_frame(frame: Columns, *, references: str | Sequence[str] | None = None, systems: Sequence[str] | None = None,
               sources: str | None = None, documents: str | None = None, domains: str | None = None,
               langpair: str | None = None, name: str = "data frame") -> TestSet:
    """A test set from a data frame with a row for each segment, and a column for each system and reference.

    Parameters
    ----------
    frame : pandas.DataFrame, or mapping of str to sequence
        Texts by column. A reference may miss some; a system has an empty text where it has nothing.
    references : str or sequence of str, optional
        Columns; by default those called ref, refA, reference and the like.
    systems : sequence of str, optional
        Columns; by default all that are nothing else.
    sources, documents, domains : str, optional
        Columns; by default those called source or src, docid, doc_id or document, and domain, where there are such.
    langpair : str, optional
        Such as ``"en-de"``.
    name : str
        What the set is called.

    Raises
    ------
    InputError
        If there is no such column, or what it holds are no texts: with the row, what was expected, and what came.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"docid": [1, 1], "refA": ["a b", "c d"], "GPT": ["a b", "c"], "NLLB": ["a", "d"]})
    >>> read_frame(frame, name="toy")
    <TestSet 'toy': 2 systems, 2 segments>
    >>> read_frame(frame, name="toy").n_documents
    1
    """
    if langpair is not None:
        check_langpair(langpair)
    columns = read_columns(name, frame)
    header = list(columns)
    roles: dict[str, str | None] = {}
    for (role, content), column_name in zip(_ASIDE.items(), (sources, documents, domains), strict=True):
        place = find_column(header, content)
        usual = None if place is None else header[place]
        roles[role] = usual if column_name is None else _check_column(name, columns, column_name)
    if references is None:
        references = [column for column in columns if is_human(column) and column.lower().startswith("ref")]
        if not references:
            raise InputError(f"{name}: no column is called like a reference (ref, refA, reference). Say which it is; "
                             f"there are: {', '.join(columns)}.")
    references = [references] if isinstance(references, str) else references
    if systems is None:
        systems = [column for column in columns if column not in (*references, *roles.values())]
    systems = [systems] if isinstance(systems, str) else systems
    parts: dict[str, Any] = {role: _read_texts(name, columns, names, role == "references")
                             for role, names in (("systems", systems), ("references", references))}
    parts |= {role: None if column is None else [text if text is None else str(text) for text in columns[column]]
              for role, column in roles.items()}
    return TestSet(name, langpair=langpair, **parts)


def name_rows(table: Table, testset: TestSet) -> Table:
    """A table of scores; an array of shape (systems, segments) with the names of the systems to its rows."""
    if not isinstance(table, np.ndarray):
        return table
    if table.ndim != 2 or len(table) != len(testset.systems):
        raise InputError(f"The array of scores has the shape {table.shape}. Expected (systems, segments), here "
                         f"({len(testset.systems)}, {testset.n_segments}).")
    return dict(zip(testset.systems, table, strict=True))


def _check_column(name: str, columns: Iterable[str], column: str) -> str:
    if column not in columns:
        raise InputError(f"{name} has no column {column!r}.{suggest_name(column, columns)} "
                         f"It has: {', '.join(columns)}.")
    return column


def _read_texts(name: str, columns: Mapping[str, Sequence[Any]], names: Sequence[str], missing: bool
                ) -> dict[str, tuple[Any, ...]]:
    if twice := [column for column in names if list(names).count(column) > 1]:
        raise InputError(f"{name}: the column {twice[0]!r} is named twice. Name each once.")
    taken_for = "reference" if missing else "system"
    return {column: as_texts(f"{name}, column {column} (taken for a {taken_for})",
                             columns[_check_column(name, columns, column)], missing) for column in names}
