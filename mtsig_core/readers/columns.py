"""Tables as columns, whatever the format: a header and numbered rows.

`delimited.py`, `json_tables.py` and `binary_tables.py` read them from files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

from mtsig_core.errors import InputError, suggest_name
from mtsig_core.extras import explain_missing_package
from mtsig_core.judgements import Annotation, AttentionCheck, ErrorSpan
from mtsig_core.readers.cells import count_truths, read_column
from mtsig_core.readers.limits import spend
from mtsig_core.score_names import RAW_DA
from mtsig_core.testset import as_list, show_name

if TYPE_CHECKING:
    import pandas as pd

#: Scores of segments by system, None where one is missing; values by column.
ScoresBySystem = dict[str, list[float | None]]
ListedColumns = dict[str, list[Any]]
ColumnsByName = Mapping[str, Sequence[Any]]


class ArrowTable(Protocol):
    """A table with Arrow's interface, as polars, pyarrow and duckdb have it."""

    def __arrow_c_stream__(self) -> object:
        """Export the table."""


NamedColumns: TypeAlias = "pd.DataFrame | ArrowTable | Mapping[str, Iterable[Any]]"
#: The number of a row, or what a message calls it.
RowId: TypeAlias = int | str
#: The type of a cell is unknown until `cells` has read it.
NumberedRows = list[tuple[RowId, Sequence[object]]]
_Read = TypeVar("_Read")

#: Known names of columns, in small letters, by the content of the column.
NAMES: Mapping[str, tuple[str, ...]] = {
    "system": ("system", "system_name", "system_id", "mt_system", "sys", "model", "model_name"),
    "line": (
        "line",
        "line_number",
        "lineno",
        "line_id",
        "segment",
        "segment_id",
        "seg",
        "seg_id",
        "segid",
        "sentence",
        "sentence_id",
        "sent",
        "sent_id",
        "id",
        "index",
    ),
    "score": ("score", "scores", "rating", "value", "esa_score"),
    "rater": ("rater", "rater_id", "annotator", "annotator_id"),
    "slot": ("rating slot",),  # of several ratings of an item, which it is, whoever gave it
    "docid": ("docid", "doc_id", "doc", "document", "document_id"),
    "domain": ("domain", "domain_name", "genre"),
    "source": ("source", "src"),
    "reference": ("reference", "ref", "refa", "refb"),
    "output": ("hypothesis", "hyp", "mt", "target", "tgt", "translation", "output"),
    "langpair": (
        "lp",
        "langs",
        "langpair",
        "langpairs",
        "lang_pair",
        "language_pair",
        "language pair",
        "language pairs",
        "language-pair",
        "lang pair",
        "pair",
    ),
}
EXPECTED_COLUMNS = (
    "Expected one row per score, with the columns system, line, score (and docid, domain). One row per line and one "
    "column per system also works."
)
RAW = "raw"  # the column of scores as they were given, next to standardized ones
#: Names of columns that hold no scores.
_NO_SCORES = set().union(*(names for role, names in NAMES.items() if role != "score"))


#: The column with the `Evidence` of each score, in the table of a campaign.
EVIDENCE = "evidence"


class Evidence(NamedTuple):
    """What an annotation tells of an output beside its score."""

    annotation: Annotation
    source: str | None
    output: str | None
    spans: tuple[ErrorSpan, ...]


@dataclass(frozen=True)
class InputTable:
    """A table of any format."""

    name: str  # what messages call it
    header: list[str]
    rows: NumberedRows
    #: Where the format counts lines for each system and names none: how many each has.
    n_lines: int | None = None
    score_names: tuple[str, ...] = ()  # further names of the column of the scores
    #: Ratings that the format marks as unusable: their number by language pair and reason.
    left_out: Mapping[tuple[str, str], int] = field(default_factory=dict)
    higher_is_better: bool | None = None  # None if the format does not define it
    is_standardized: bool = False  # whether the scores are standardized by rater
    #: Whether lines are called DOCUMENT:ITEM, with the place of a segment in its document.
    counts_by_document: bool = False
    #: The columns that the user says are of systems, where there is a column for each.
    told_systems: Collection[str] = ()
    #: Weights of MQM's errors, of which its scores are sums.
    weights: Mapping[str, float] = field(default_factory=dict)
    #: Of a table with a row for each error: the table of ratings, by weights of which some are
    #: given.
    sum_errors: Callable[[Mapping[str, float]], InputTable] | None = None
    #: By language pair: the items with known answers; of a campaign these may be none.
    checks: Mapping[str, Sequence[AttentionCheck]] = field(default_factory=dict)
    is_campaign: bool = False  # whether an annotation tool wrote it
    annotations: Mapping[RowId, Annotation] = field(default_factory=dict)  # when rows were rated
    #: Of scores that are standardized: the table of all scores as raters gave them.
    as_given: InputTable | None = None

    def locate(self, row: RowId) -> str:
        """Name a row for messages."""
        return f"{self.name}, {row}" if isinstance(row, str) else f"{self.name}, row {row}"

    def read(self, place: int, read: Callable[[object], _Read]) -> list[_Read]:
        """The values of a column, which `read`, such as `cells.to_text`, makes of its cells."""
        return read_column(self.locate, self.header[place], self.rows, place, read)

    def list_cells(self, place: int) -> list[object]:
        """The cells of a column as they are, for guesses of what it holds."""
        return [cells[place] for _, cells in self.rows]

    def list_words(self, place: int) -> list[str]:
        """The cells of a column as texts, for guesses of what it holds."""
        return [str(cells[place]) for _, cells in self.rows]

    def list_values(self, place: int) -> list[str]:
        """The different values of a column as texts, in their order."""
        return list(dict.fromkeys(map(str.strip, self.list_words(place))))

    def list_columns(self) -> dict[str, list[object]]:
        """The cells of each column by its name."""
        return {name: self.list_cells(place) for place, name in enumerate(self.header)}

    def check_column(self, name: str) -> None:
        """Raise InputError where the table has no column of that name."""
        if name not in self.header:
            raise InputError(
                f"{self.name} has no column {show_name(name)!r}.{suggest_name(name, self.header)} It has: "
                f"{show_names(self.header)}."
            )

    def select(self, places: Sequence[int]) -> InputTable:
        """The table of these columns, in this order."""
        rows: NumberedRows = [(row, [cells[place] for place in places]) for row, cells in self.rows]
        return replace(self, header=[self.header[place] for place in places], rows=rows)

    def count_truths(self) -> InputTable:
        """The same with 1 and 0 in columns of true and false, which a judge may give as scores."""
        changed: dict[int, list[object]] = {}
        for place, title in enumerate(self.header):
            if title.lower() not in _NO_SCORES:
                counted = count_truths(self.list_cells(place))
                if counted is not None:
                    changed[place] = counted
        if not changed:
            return self
        rows: NumberedRows = []
        for k, (row, cells) in enumerate(self.rows):
            changed_cells = list(cells)
            for place, counted in changed.items():
                changed_cells[place] = counted[k]
            rows.append((row, changed_cells))
        return replace(self, rows=rows)

    def find_score(self, metric: str) -> int | None:
        """The column of scores: the one named after them, else the only one with a usual name."""
        lower = [title.lower() for title in self.header]
        name = metric.lower()
        if self.is_standardized and name == RAW_DA.lower():
            name = RAW
        if name in lower:
            return lower.index(name)
        usual = (*NAMES["score"], *self.score_names)
        places = [place for place, title in enumerate(lower) if title in usual]
        if len(places) > 1:
            titles = [show_name(self.header[place]) for place in places]
            raise InputError(
                f"{self.name} has {' and '.join(titles)}, and none is called {show_name(metric)}. Remove "
                f"all but one, or call the scores {' or '.join(titles)} themselves."
            )
        return places[0] if places else None


def find_column(header: Sequence[str], role: str) -> int | None:
    """Find the position of the first column with this role, by the names in `NAMES`."""
    lower = [title.lower() for title in header]
    for name in NAMES[role]:
        if name in lower:
            return lower.index(name)
    return None


def find_columns(header: Sequence[str], roles: Iterable[str]) -> dict[str, int]:
    """Find the position of the first column of each of these roles; missing roles are left out.

    >>> find_columns(["sys", "COMET", "seg_id"], ["system", "line", "docid"])
    {'system': 0, 'line': 2}
    """
    places = {}
    for role in roles:
        place = find_column(header, role)
        if place is not None:
            places[role] = place
    return places


def show_names(names: Iterable[str], most: int = 12) -> str:
    """Names in a message, the first dozen."""
    names = list(names)
    texts = list(map(show_name, names[:most]))
    if len(names) > most:
        texts.append("...")
    return ", ".join(texts)


def name_output(file: str) -> str:
    """The system that the file of its output is named after, on any operating system."""
    from mtsig_core.readers.formats import strip_ending  # late: it knows the readers of tables

    return strip_ending(os.path.basename(file.replace("\\", "/")))


def check_unique(name: str, header: Sequence[str]) -> None:
    """Refuse a table in which two columns have one name, or none."""
    places: dict[str, int] = {}
    for place, title in enumerate(header, 1):
        first = places.setdefault(title, place)
        if first == place:
            continue
        if not title.strip():
            raise InputError(
                f"{name}: columns {first} and {place} have no name. Name or remove them."
            )
        raise InputError(
            f"{name} has the column {show_name(title)} twice. Rename or remove one of them."
        )


def check_equal_lengths(name: str, columns: ColumnsByName, items: str) -> None:
    """Refuse columns that are not of one length."""
    lengths = {title: len(values) for title, values in columns.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{show_name(title)} {length}" for title, length in lengths.items())
        raise InputError(
            f"{name} has columns of unequal length: {sizes}. Expected the same number of {items} in each."
        )


def join_columns(name: str, columns: ColumnsByName, items: str) -> InputTable:
    """A table from columns, which must be of one length; messages call their cells `items`."""
    spend("columns", len(columns), name)
    check_equal_lengths(name, columns, items)
    return InputTable(name, list(columns), list(enumerate(zip(*columns.values(), strict=True), 1)))


# From memory.


def read_columns(name: str, table: Any) -> ListedColumns:
    """Columns by name, with None for what is missing."""
    columns: dict[str, list[Any]] | None = None
    if isinstance(table, Mapping):
        columns = {
            column: list(as_list(f"{name}: column {column}", values))
            for column, values in table.items()
        }
    elif hasattr(table, "isna") and hasattr(table, "columns"):
        check_unique(name, list(map(str, table.columns)))
        columns = {}
        for column, values in table.items():
            columns[column] = values.astype(object).where(values.notna(), None).tolist()
    elif hasattr(table, "get_columns"):  # polars, for which nothing else has to be installed
        columns = {column.name: column.to_list() for column in table.get_columns()}
    elif hasattr(table, "__arrow_c_stream__"):
        with suppress(ValueError):  # a single column, which is no table
            columns = _read_arrow(name, table)
    if columns is None:
        raise InputError(
            f"{name} is of the type {type(table).__name__}. Expected a data frame of pandas or polars (a "
            "LazyFrame after collect()), a table of Arrow, or a mapping from names of columns to lists."
        )
    for column in columns:
        if not isinstance(column, str):
            raise InputError(
                f"{name} has a column that is called {column!r}. Expected texts as names of columns."
            )
    return columns


def _read_arrow(name: str, table: Any) -> ListedColumns:
    """Read the columns of a frame with Arrow's interface, as in polars, pyarrow or duckdb."""
    with explain_missing_package("parquet", f"Reading {name}, a data frame that is not of pandas,"):
        import pyarrow

    frame = pyarrow.table(table)
    check_unique(name, frame.column_names)
    return {column: frame.column(column).to_pylist() for column in frame.column_names}


def read_frame_table(name: str, table: Any) -> InputTable:
    """The table in a data frame, or in columns by name."""
    if not isinstance(table, Mapping) and hasattr(table, "reset_index"):
        # an index that has a name says which line
        levels = [level for level in table.index.names if level and level not in table.columns]
        table = table.reset_index(levels)
    return join_columns(name, read_columns(name, table), "rows")
