"""Data frames and other tables in memory -> a TestSet, or a table of scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mtsig_core.errors import InputError, nearest
from mtsig_core.readers.lines import FilePath
from mtsig_core.readers.plain_text import check_langpair
from mtsig_core.testset import TestSet, as_list, as_texts, is_human

if TYPE_CHECKING:
    import pandas as pd

Columns: TypeAlias = "pd.DataFrame | Mapping[str, Iterable[Any]]"
#: Of scores: a file, columns, or an array of shape (systems, segments).
Table: TypeAlias = "FilePath | Columns | np.ndarray"
Rows = list[tuple[int, Sequence[Any]]]  # with their numbers, for messages

#: What columns are called that are no systems, in small letters; references are called ref, refA, reference, ...
_ASIDE = {"sources": ("source", "src"), "documents": ("docid", "doc_id", "document"), "domains": ("domain",)}


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
    columns = _columns(name, frame)
    aside = {role: _there(name, columns, asked) if asked is not None else
             next((column for column in columns if column.lower() in known), None)
             for (role, known), asked in zip(_ASIDE.items(), (sources, documents, domains), strict=True)}
    if references is None:
        references = [column for column in columns if is_human(column) and column.lower().startswith("ref")]
        if not references:
            raise InputError(f"{name}: no column is called like a reference (ref, refA, reference). Say which it is; "
                             f"there are: {', '.join(columns)}.")
    references = [references] if isinstance(references, str) else references
    if systems is None:
        systems = [column for column in columns if column not in (*references, *aside.values())]
    systems = [systems] if isinstance(systems, str) else systems
    parts: dict[str, Any] = {role: _texts(name, columns, chosen, role == "references")
                             for role, chosen in (("systems", systems), ("references", references))}
    parts |= {role: None if column is None else [text if text is None else str(text) for text in columns[column]]
              for role, column in aside.items()}
    return TestSet(name, langpair=langpair, **parts)


def of_systems(table: Table, testset: TestSet) -> Table:
    """A table of scores; an array of shape (systems, segments) with the names of the systems to its rows."""
    if not isinstance(table, np.ndarray):
        return table
    if table.ndim != 2 or len(table) != len(testset.systems):
        raise InputError(f"The array of scores has the shape {table.shape}. Expected (systems, segments), here "
                         f"({len(testset.systems)}, {testset.n_segments}).")
    return dict(zip(testset.systems, table, strict=True))


def score_rows(table: Columns, metric: str) -> tuple[str, list[str], Rows]:
    """What to call a table of scores in messages, its header, and its rows with their numbers."""
    name = f"The table {metric}"
    if not isinstance(table, Mapping) and hasattr(table, "reset_index"):  # an index that has a name says which line
        table = table.reset_index([level for level in table.index.names if level and level not in table.columns])
    columns = _columns(name, table)
    lengths = {column: len(values) for column, values in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{column} {length}" for column, length in lengths.items())
        raise InputError(f"{name} has columns of unequal length: {told}. Expected as many rows in each.")
    return name, list(columns), list(enumerate(zip(*columns.values(), strict=True), 1))


def _columns(name: str, table: Columns) -> dict[str, list[Any]]:
    """Columns by name, with None for what is missing."""
    if isinstance(table, Mapping):
        columns = {column: list(as_list(f"{name}: column {column}", values)) for column, values in table.items()}
    elif not hasattr(table, "isna"):
        raise InputError(f"{name} is of the type {type(table).__name__}. Expected a data frame of pandas, or a mapping "
                         "from names of columns to lists.")
    else:
        names = list(table.columns)
        if twice := [column for column in names if names.count(column) > 1]:
            raise InputError(f"{name} has the column {twice[0]!r} twice. Rename or remove one of them.")
        columns = {column: [None if gone else value for value, gone in zip(
            table[column], table[column].isna(), strict=True)] for column in names}
    if wrong := [column for column in columns if not isinstance(column, str)]:
        raise InputError(f"{name} has a column that is called {wrong[0]!r}. Expected texts as names of columns.")
    return columns


def _there(name: str, columns: Iterable[str], column: str) -> str:
    if column not in columns:
        raise InputError(f"{name} has no column {column!r}.{nearest(column, columns)} It has: {', '.join(columns)}.")
    return column


def _texts(name: str, columns: Mapping[str, Sequence[Any]], chosen: Sequence[str], missing: bool
           ) -> dict[str, tuple[Any, ...]]:
    if twice := [column for column in chosen if list(chosen).count(column) > 1]:
        raise InputError(f"{name}: the column {twice[0]!r} is named twice. Name each once.")
    taken_for = "reference" if missing else "system"
    return {column: as_texts(f"{name}, column {column} (taken for a {taken_for})",
                             columns[_there(name, columns, column)], missing) for column in chosen}
