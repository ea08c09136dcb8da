"""Tables as columns, whatever the format: from files and from memory, each as a header and numbered
rows.
"""

from __future__ import annotations

import csv
import io
import os
import re
import zipfile
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from mtsig_core.errors import InputError, suggest_name
from mtsig_core.languages import is_langpair
from mtsig_core.readers.cells import (
    ABSENT,
    count_truths,
    read_column,
    read_value,
    show_value,
    to_name,
)
from mtsig_core.readers.limits import check_values, parse_bounded_json, spend
from mtsig_core.testset import as_list, show_name

if TYPE_CHECKING:
    import pandas as pd

NamedColumns: TypeAlias = "pd.DataFrame | Mapping[str, Iterable[Any]]"
#: With their numbers, or what a message calls them. Of which type a cell is, nobody knows before
#: `cells` has read it.
NumberedRows = list[tuple[int | str, Sequence[object]]]
_Read = TypeVar("_Read")

#: What columns are called, in small letters, by what they hold.
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
    "Expected a row for each score with the columns system, line, score (and docid, domain). A row for each line with "
    "a column for each system is read too."
)
_ROW = '{"system": "A", "line": 1, "score": 0.8}'
_CHUNKS = 100_000  # row groups by columns, more than any table of scores has
# bytes of a value of fixed length, which many rows may refer to, and each then has for itself
_WIDEST = 32


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
    higher_is_better: bool | None = None  # where the format says so
    is_standardized: bool = False  # whether the scores are standardized by rater
    #: Whether lines are called DOCUMENT:ITEM, with the place of a segment in its document.
    counts_by_document: bool = False
    #: The columns that the user says are of systems, where there is a column for each.
    told_systems: Collection[str] = ()
    weights: Mapping[str, float] = field(
        default_factory=dict
    )  # of MQM's errors, of which its scores are sums
    #: Of a table with a row for each error: the table of ratings, by weights of which some are
    #: given.
    sum_errors: Callable[[Mapping[str, float]], InputTable] | None = None

    def where(self, row: int | str) -> str:
        return f"{self.name}, {row if isinstance(row, str) else f'row {row}'}"

    def read(self, place: int, read: Callable[[object], _Read]) -> list[_Read]:
        """The values of a column, which `read`, such as `cells.to_text`, makes of its cells."""
        return read_column(self.where, self.header[place], self.rows, place, read)

    def list_cells(self, place: int) -> list[object]:
        """The cells of a column as they are, for guesses of what it holds."""
        return [cells[place] for _, cells in self.rows]

    def list_words(self, place: int) -> list[str]:
        """The cells of a column as texts, for guesses of what it holds."""
        return [str(cells[place]) for _, cells in self.rows]

    def list_values(self, place: int) -> list[str]:
        """The different values of a column as texts, in their order."""
        return list(dict.fromkeys(map(str.strip, self.list_words(place))))

    def check_column(self, name: str) -> None:
        """Raise InputError where the table has no column of that name."""
        if name not in self.header:
            raise InputError(
                f"{self.name} has no column {show_name(name)!r}.{suggest_name(name, self.header)} It has: "
                f"{show_names(self.header)}."
            )

    def list_columns(self) -> dict[str, list[object]]:
        """The cells of each column by its name."""
        return {name: self.list_cells(place) for place, name in enumerate(self.header)}

    def select(self, places: Sequence[int]) -> InputTable:
        """The table of these columns, in this order."""
        rows: NumberedRows = [(row, [cells[place] for place in places]) for row, cells in self.rows]
        return replace(self, header=[self.header[place] for place in places], rows=rows)

    def count_truths(self) -> InputTable:
        """The same with 1 and 0 in columns of true and false, which a judge may give as scores;
        what is called a line, a system or the like is no score.
        """
        changed: dict[int, list[object]] = {}
        for place, title in enumerate(self.header):
            if any(title.lower() in names for held, names in NAMES.items() if held != "score"):
                continue
            counted = count_truths(self.list_cells(place))
            if counted is not None:
                changed[place] = counted
        if not changed:
            return self
        rows: NumberedRows = []
        for number, (row, cells) in enumerate(self.rows):
            rows.append(
                (
                    row,
                    [
                        changed[place][number] if place in changed else cell
                        for place, cell in enumerate(cells)
                    ],
                )
            )
        return replace(self, rows=rows)

    def find_score(self, metric: str) -> int | None:
        """The column of the scores: the one named after them, else the only one with a usual
        name.
        """
        lower = [column.lower() for column in self.header]
        if metric.lower() in lower:
            return lower.index(metric.lower())
        places = [
            k for k, column in enumerate(lower) if column in (*NAMES["score"], *self.score_names)
        ]
        if len(places) > 1:
            columns = [show_name(self.header[k]) for k in places]
            raise InputError(
                f"{self.name} has {' and '.join(columns)}, and none is called {show_name(metric)}. Remove "
                f"all but one, or call the scores {' or '.join(columns)} themselves."
            )
        return places[0] if places else None


def find_column(header: Sequence[str], role: str) -> int | None:
    """The place of the first column that holds this, by the names in `NAMES`."""
    lower = [column.lower() for column in header]
    return next((lower.index(name) for name in NAMES[role] if name in lower), None)


def find_columns(header: Sequence[str], roles: Iterable[str]) -> dict[str, int]:
    """The place of the first column of each of these roles; without the roles that have none.

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
    return ", ".join(map(show_name, names[:most])) + (", ..." if len(names) > most else "")


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


def _check_lengths(name: str, columns: Mapping[str, Sequence[Any]], what: str) -> None:
    """Refuse columns that are not of one length."""
    if len({len(values) for values in columns.values()}) > 1:
        sizes = ", ".join(
            f"{show_name(column)} {len(values)}" for column, values in columns.items()
        )
        raise InputError(
            f"{name} has columns of unequal length: {sizes}. Expected as many {what} in each."
        )


def join_columns(name: str, columns: Mapping[str, Sequence[Any]], what: str) -> InputTable:
    """A table from columns, which must be of one length."""
    spend("columns", len(columns), name)
    _check_lengths(name, columns, what)
    return InputTable(name, list(columns), list(enumerate(zip(*columns.values(), strict=True), 1)))


# -- from memory ----------------------------------------------------------------------------------


def read_columns(name: str, table: NamedColumns) -> dict[str, list[Any]]:
    """Columns by name, with None for what is missing."""
    if isinstance(table, Mapping):
        columns = {
            column: list(as_list(f"{name}: column {column}", values))
            for column, values in table.items()
        }
    elif hasattr(table, "__arrow_c_stream__") and not hasattr(table, "isna"):
        columns = _read_arrow(name, table)
    elif not hasattr(table, "isna"):
        raise InputError(
            f"{name} is of the type {type(table).__name__}. Expected a data frame of pandas or polars, or "
            "a mapping from names of columns to lists."
        )
    else:
        if not table.columns.is_unique:
            check_unique(name, list(map(str, table.columns)))
        columns = {
            column: values.astype(object).where(values.notna(), None).tolist()
            for column, values in table.items()
        }
    if wrong := [column for column in columns if not isinstance(column, str)]:
        raise InputError(
            f"{name} has a column that is called {wrong[0]!r}. Expected texts as names of columns."
        )
    return columns


def _read_arrow(name: str, table: Any) -> dict[str, list[Any]]:
    """The columns of a frame that gives itself as Arrow does: of polars, pyarrow, duckdb and
    others.
    """
    import pyarrow

    frame = pyarrow.table(table)
    for column in frame.column_names:
        if frame.column_names.count(column) > 1:
            raise InputError(
                f"{name} has the column {show_name(column)!r} twice. Rename or remove one of them."
            )
    return {column: frame.column(column).to_pylist() for column in frame.column_names}


def read_frame_table(name: str, table: NamedColumns) -> InputTable:
    """The table in a data frame, or in columns by name."""
    if not isinstance(table, Mapping) and hasattr(
        table, "reset_index"
    ):  # an index that has a name says which line
        table = table.reset_index(
            [level for level in table.index.names if level and level not in table.columns]
        )
    return join_columns(name, read_columns(name, table), "rows")


# -- text -----------------------------------------------------------------------------------------


def read_text_table(text: str, name: str) -> InputTable:
    """The table in a text: JSON, which begins with a bracket, or delimited."""
    return (read_json if text.lstrip()[:1] in ("{", "[") else read_delimited)(text, name)


def read_delimited(text: str, name: str) -> InputTable:
    """The table in a text with tabs, commas or semicolons between its columns; no header of an
    empty text. Excel's ``sep=;`` before the header, its decimal commas, and empty columns and rows
    at the end are known.
    """
    lines = text.lstrip("\r\n")
    told = re.match(r"sep=(.)\r?\n", lines)
    text = text if told is None else "\n" + lines[told.end() :]
    first_line = re.split("[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    unquoted = re.sub('"[^"]*"', "", first_line)
    separator = told[1] if told else next((sign for sign in "\t,;" if sign in unquoted), "\t")
    spend("columns", first_line.count(separator) + 1, name)
    spend("values", text.count(separator) + text.count("\n"), name)
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=separator,
        strict=True,
        quoting=csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL,
    )
    header: list[str] = []
    rows: NumberedRows = []
    gaps: NumberedRows = []  # empty rows are scores that are missing, unless they end the file
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells) and (len(cells) < 2 or header):
                gaps += (
                    [(reader.line_num, [""])] * (len(header) == 1)
                    if len(cells) < 2
                    else [(reader.line_num, cells)]
                )
            elif not header:
                header = [show_name(cell.strip()) for cell in cells]
            elif len(cells) == len(header) - 1 and not rows and is_comment(header[-1]):
                header.pop()
                rows.append((reader.line_num, cells))
            elif len(cells) == len(header):
                rows += [*gaps, (reader.line_num, cells)]
                gaps = []
            else:
                raise InputError(
                    f"{name}, row {reader.line_num} has {len(cells)} columns, the header has "
                    f"{len(header)} ({show_names(header)}). Give every row the same columns."
                )
    except csv.Error as error:
        raise InputError(
            f"{name}, row {reader.line_num} cannot be read: {error}. Check its quotes."
        ) from None
    return tidy_table(InputTable(name, header, rows), has_decimal_commas=separator != ",")


def is_comment(cell: str) -> bool:
    """Whether a cell of a header is no name of a column: some tables tell there where they are
    documented.
    """
    return cell.startswith("#")


def tidy_table(table: InputTable, *, has_decimal_commas: bool = False) -> InputTable:
    """A table without the empty columns at its end, as spreadsheets write them; with points for
    decimal commas, where all numbers can have been written with these.
    """
    width = len(table.header)
    while (
        width > 1
        and not table.header[width - 1]
        and not any(map(str.strip, table.list_words(width - 1)))
    ):
        width -= 1
    if width < len(table.header):
        table = table.select(range(width))
    if not has_decimal_commas or _has_decimal_points(table.rows):
        return table
    commas = {k for k in range(width) if _has_decimal_commas(table.list_cells(k))}
    if not commas:
        return table
    return replace(table, rows=[(row, _replace_commas(cells, commas)) for row, cells in table.rows])


def _has_decimal_points(rows: NumberedRows) -> bool:
    """Whether some text is a number with a point.

    The numbers of a workbook are no texts, and have neither sign.
    """
    number = re.compile(r"\s*-?\d+\.\d+\s*")
    for _, cells in rows:
        if any(isinstance(cell, str) and number.fullmatch(cell) for cell in cells):
            return True
    return False


def _replace_commas(cells: Sequence[object], commas: Container[int]) -> list[object]:
    """The cells of a row, with points for the commas in the texts of these columns."""
    return [
        cell.replace(",", ".") if k in commas and isinstance(cell, str) else cell
        for k, cell in enumerate(cells)
    ]


def _has_decimal_commas(column: Sequence[object]) -> bool:
    """Whether a column has numbers with decimal commas; 85,250 alone could be as many thousands."""
    cells = [cell.strip() for cell in column if isinstance(cell, str)]
    numbers = [cell for cell in cells if re.fullmatch(r"-?\d+,\d+(e-?\d+)?", cell, re.IGNORECASE)]
    others = {*cells} - {*numbers}
    return all(
        re.fullmatch(r"-?\d+|#?n/?a|none|null|", cell, re.IGNORECASE) for cell in others
    ) and any(not re.fullmatch(r"-?[1-9]\d{0,2},\d{3}", cell) for cell in numbers)


def read_json(text: str, name: str) -> InputTable:
    """The table in JSON: objects in an array, in lines, or in the only list of an object; lists by
    column; as pandas writes one, in any orient with names of columns; or what COMET writes.
    """
    whole = _parse_whole(text, name)
    if isinstance(whole, dict) and whole:
        if (table := _read_orient(name, whole)) is not None:
            return table
        are_lists = all(isinstance(values, list) for values in whole.values())
        if are_lists and not any(
            isinstance(value, dict | list) for values in whole.values() for value in values
        ):
            return join_columns(name, whole, "values")
        lists = [
            key
            for key, values in whole.items()
            if isinstance(values, list)
            and values
            and all(
                isinstance(entry, dict) and find_column(list(entry), "system") is not None
                for entry in values
            )
        ]
        if len(lists) > 1:
            raise InputError(
                f"{name} has {len(lists)} lists of scores: {show_names(lists)}. Expected one. Put each in "
                "a file of its own."
            )
        if lists:
            return _join_records(name, _check_records(name, list(enumerate(whole[lists[0]], 1))))
        if are_lists:
            return _read_comet(name, whole)
    return _join_records(name, read_records(text, name, whole))


def _parse_whole(text: str, name: str) -> Any:
    """What a text of JSON says as a whole, None where it is none, as one with an object in each
    line.
    """
    try:
        return parse_bounded_json(text, name)
    except ValueError:
        return None


def read_records(text: str, name: str, whole: Any = None) -> list[tuple[int | str, dict[str, Any]]]:
    """The numbered objects of a text of JSON, in an array or in lines.

    `whole` is the text parsed, where it is.
    """
    whole = _parse_whole(text, name) if whole is None else whole
    entries: list[tuple[int | str, Any]] = (
        list(enumerate(whole, 1))
        if isinstance(whole, list)
        else [
            (k, _parse_row(name, k, line))
            for k, line in enumerate(text.split("\n"), 1)
            if line.strip()
        ]
    )
    return _check_records(name, entries)


def _check_records(
    name: str, entries: Sequence[tuple[int | str, Any]]
) -> list[tuple[int | str, dict[str, Any]]]:
    """Refuse what is no object."""
    if wrong := next((entry for entry in entries if not isinstance(entry[1], dict)), None):
        raise InputError(
            f"{InputTable(name, [], []).where(wrong[0])} is {show_value(wrong[1])}. Expected an object "
            f"such as {_ROW}."
        )
    return list(entries)


def _read_orient(name: str, whole: Mapping[str, Any]) -> InputTable | None:
    """A table as pandas writes it with orient 'split', 'table', 'index' or 'columns'; None of
    another object.
    """
    data = whole.get("data")
    if isinstance(data, list) and isinstance(whole.get("schema"), dict):
        records = _check_records(name, list(enumerate(data, 1)))
        index = [record.pop("index", None) for _, record in records]
        table = _join_records(name, records)
        return _number_rows(name, table.list_columns(), None if None in index else index)
    header = whole.get("columns")
    if isinstance(data, list) and isinstance(header, list):
        titles = _name_columns(name, header)
        for number, row in enumerate(data, 1):
            if not isinstance(row, list) or len(row) != len(header):
                raise InputError(
                    f"{name}, row {number} of 'data' is {show_value(row)}. Expected a list of "
                    f"{len(header)}, one for each of 'columns' ({show_names(titles)})."
                )
        table = InputTable(name, titles, list(enumerate(data, 1)))
        return _number_rows(name, table.list_columns(), whole.get("index"))
    if (
        not all(isinstance(value, dict) for value in whole.values())
        or len(set(map(tuple, whole.values()))) != 1
    ):
        return None
    inside = list(next(iter(whole.values())))
    if all(map(str.isdigit, inside)) and not all(
        map(str.isdigit, whole)
    ):  # orient 'columns': rows are numbered
        return _number_rows(
            name, {key: list(values.values()) for key, values in whole.items()}, inside
        )
    if all(map(str.isdigit, whole)) or any(
        find_column(inside, held) is not None for held in NAMES
    ):  # 'index'
        return _number_rows(
            name, {key: [values[key] for values in whole.values()] for key in inside}, list(whole)
        )
    raise InputError(
        f"{name} is an object of objects: {show_names(whole)}, and in each {show_names(inside)}. Which "
        "are the columns? Expected an object for each row, as pandas writes with orient='records'."
    )


def _name_columns(name: str, header: Sequence[object]) -> list[str]:
    """The names of the columns of a table that lists them."""
    titles = [
        read_value(f"{name}, name of column {place}", title, to_name)
        for place, title in enumerate(header, 1)
    ]
    check_unique(name, titles)
    return titles


def _number_rows(name: str, columns: dict[str, list[Any]], index: object) -> InputTable:
    """A table with the index of its rows as a column, unless it only counts them."""
    if index is not None and not isinstance(index, list):
        raise InputError(
            f"{name}: 'index' is {show_value(index)}. Expected a list, with a name or number for each "
            "row. Write it again with orient='records'."
        )
    counts = index is None or [str(one) for one in index] == [str(k) for k in range(len(index))]
    if index is not None and not counts and "index" not in columns:
        columns = {"index": index, **columns}
    return join_columns(name, columns, "values")


def _parse_row(name: str, row: int, line: str) -> Any:
    try:
        return parse_bounded_json(line, f"{name}, row {row}", is_counted=True)
    except ValueError:
        raise InputError(
            f"{name}, row {row} is {show_value(line)}, which is no JSON. Expected an object such as "
            f"{_ROW}."
        ) from None


def _join_records(
    name: str, entries: Sequence[tuple[int | str, Mapping[str, Any]]], **more: Any
) -> InputTable:
    """The table of numbered objects."""
    header = list(dict.fromkeys(key for _, entry in entries for key in entry))
    spend("columns", len(header), name)
    check_values(len(header) * len(entries), name)
    rows: NumberedRows = [
        (row, [entry.get(key, ABSENT) for key in header]) for row, entry in entries
    ]
    return InputTable(name, header, rows, **more)


def _read_comet(name: str, whole: Mapping[str, list[Any]]) -> InputTable:
    """What ``comet-score --to_json`` writes, {output file: [{src, mt, ref, COMET}, ...]}, as a row
    for each score.
    """
    from mtsig_core.readers.formats import SEGMENTS, strip_ending  # late: it knows the readers here

    systems = {
        file: strip_ending(os.path.basename(file.replace("\\", "/")), SEGMENTS) for file in whole
    }
    if twice := next(
        (one for one in systems.values() if list(systems.values()).count(one) > 1), None
    ):
        raise InputError(
            f"{name} has two outputs of {show_name(twice)}. Give each system an output file of its own "
            "name."
        )
    _check_lengths(name, {systems[file]: entries for file, entries in whole.items()}, "segments")
    entries = [
        (
            f"segment {k} of {show_name(file)}",
            {**entry, "system": systems[file], "line": k} if isinstance(entry, dict) else entry,
        )
        for file, own in whole.items()
        for k, entry in enumerate(own, 1)
    ]
    return _join_records(
        name,
        _check_records(name, entries),
        n_lines=len(next(iter(whole.values()))),
        score_names=("comet",),
    )


# -- Parquet --------------------------------------------------------------------------------------


def read_parquet(data: bytes, name: str) -> InputTable:
    """The table in a Parquet file, once its metadata say that it is small enough to be read."""
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(io.BytesIO(data))
        _check_parquet(file, name)
        # Texts that are written once and referred to by many rows are kept so, however long they
        # are.
        paths = [file.schema.column(k).path for k in range(len(file.schema))]
        table = parquet.ParquetFile(io.BytesIO(data), read_dictionary=paths).read().flatten()
        index = (table.schema.pandas_metadata or {}).get("index_columns", ())
        columns = {
            column: _list_values(table.column(k))
            for k, column in enumerate(table.column_names)
            if column not in index or not column.startswith("__index_level_")
        }  # one without a name says nothing
    except (InputError, MemoryError):
        raise
    except Exception as error:  # whatever damage makes of its libraries
        reason = show_name(str(error).splitlines()[0] if str(error) else type(error).__name__)[
            :200
        ].rstrip(".")
        raise InputError(
            f"{name} is no sound Parquet file: {reason}. Write or copy it again."
        ) from None
    return InputTable(
        name, list(map(show_name, columns)), list(enumerate(zip(*columns.values(), strict=True), 1))
    )


def _check_parquet(file: Any, name: str) -> None:
    """Refuse a table that is too large, or none of numbers and texts, by the metadata of a
    ParquetFile.
    """
    from pyarrow import types

    about = file.metadata
    if about.num_row_groups * about.num_columns > _CHUNKS:
        raise InputError(
            f"{name} has {about.num_row_groups:,} row groups of {about.num_columns:,} columns. Write it "
            "again, in one."
        )
    wrong = [
        column.name
        for column in file.schema
        if column.max_repetition_level or column.length > _WIDEST
    ]
    wrong += [
        field.name
        for field in file.schema_arrow
        if types.is_nested(field.type)
        and not (
            types.is_struct(field.type)
            and not any(types.is_nested(inner.type) for inner in field.type)
        )
    ]
    if wrong:
        raise InputError(
            f"{name}: the column {wrong[0]!r} holds lists, records or bytes. Expected columns of numbers "
            "and texts."
        )
    chunks = [
        about.row_group(k).column(j)
        for k in range(about.num_row_groups)
        for j in range(about.num_columns)
    ]
    if any(
        "DELTA_BYTE_ARRAY" in chunk.encodings for chunk in chunks
    ):  # however long, a beginning costs nothing
        raise InputError(
            f"{name} has texts in the encoding DELTA_BYTE_ARRAY. Write it again with dictionaries, as is "
            "usual."
        )
    spend("columns", about.num_columns, name)
    spend(
        "values",
        max(about.num_rows * about.num_columns, sum(chunk.num_values for chunk in chunks)),
        name,
    )
    spend("mb", sum(chunk.total_uncompressed_size for chunk in chunks), name)


def _list_values(column: Any) -> list[Any]:
    """The values of a column; those of a dictionary are made once."""
    values: list[Any] = []
    for chunk in column.chunks:
        if hasattr(chunk, "dictionary"):  # of texts, which some programs write as bytes
            texts = [
                value.decode() if isinstance(value, bytes) else value
                for value in chunk.dictionary.to_pylist()
            ]
            values += [
                None if place is None else texts[place] for place in chunk.indices.to_pylist()
            ]
        else:
            values += chunk.to_pylist()
    return values


# Workbooks of Excel: the values in the cells of their only sheet. Nothing in them is computed,
# linked or run.

_UNPACKED = 1 << 30  # bytes of a workbook in all
_CHUNK, _OVERLAP = 1 << 20, 16  # bytes that are looked at at once, and again with the next ones
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_TAGS_OF_CELL = 4  # <c>, <v>, and their ends
_COST_OF_CELL = 10  # it takes as long to read as ten cells of a text
_PAIR = NAMES["langpair"][0]  # the column for the language pair that a sheet is named after
_GAP = 100_000  # empty rows on end: a row may be numbered as it likes


def read_xlsx(data: bytes, name: str) -> InputTable:
    """The table in a workbook, whose first row has the names of the columns."""
    try:
        has_formulas = _check_parts(data, name)
        sheets = {title: rows for title, rows in _list_sheets(data, name, has_formulas) if rows}
    except (InputError, MemoryError):
        raise
    except Exception as error:  # whatever damage makes of its libraries
        reason = show_name(str(error).splitlines()[0] if str(error) else type(error).__name__)[
            :200
        ].rstrip(".")
        raise InputError(
            f"{name} is no sound workbook: {reason}. Save it again, or save its sheet as CSV."
        ) from None
    if len(sheets) > 1 and all(map(is_langpair, sheets)):
        return _join_pairs(
            name, {pair: _tabulate_sheet(name, rows) for pair, rows in sheets.items()}
        )
    if len(sheets) != 1:
        raise InputError(
            f"{name} has {len(sheets)} sheets with values ({show_names(sheets) or 'none'}). Expected one, "
            "or one for each language pair, named after it. Remove the others, or save the sheet as CSV "
            "in UTF-8."
        )
    return _tabulate_sheet(name, next(iter(sheets.values())))


_Rows = list[tuple[int, Sequence[Any]]]


def _tabulate_sheet(name: str, rows: _Rows) -> InputTable:
    """The table in the rows of a sheet."""
    width = max(len(cells) for _, cells in rows)
    full: _Rows = [(row, [*cells, *[""] * (width - len(cells))]) for row, cells in rows]
    (number, header), *below = _join_heads(_skip_title(full))
    names = [show_name(str(cell).strip()) for cell in header]
    for place in range(1, width):
        if (
            not names[place]
            and names[place - 1]
            and any(_is_filled(cells[place]) for _, cells in below)
        ):
            raise InputError(
                f"{name}, row {number}: column {place + 1} has no name, and the one before it is called "
                f"{names[place - 1]}. If one heading spans several columns, name each column instead."
            )
    return tidy_table(InputTable(name, names, [*below]), has_decimal_commas=True)


def _is_filled(cell: object) -> bool:
    return bool(str(cell).strip())


def _skip_title(rows: _Rows) -> _Rows:
    """The rows from the names of the columns on: rows above with a single cell are a title."""
    start = 0
    while start + 2 < len(rows) and _count_filled(rows[start]) == 1 < _count_filled(
        rows[start + 1]
    ):
        start += 1
    return rows[start:]


def _count_filled(row: tuple[int, Sequence[Any]]) -> int:
    return sum(map(_is_filled, row[1]))


def _join_heads(rows: _Rows) -> _Rows:
    """The rows with one row of names, where the first has headings that span several columns, and
    the second the names of these columns, above numbers.
    """
    if len(rows) < 3:
        return rows
    (_, upper), (number, lower), (_, first), *_ = rows
    has_numbers = any(isinstance(cell, int | float) for cell in lower)
    spanned = [
        k
        for k, cell in enumerate(upper)
        if not _is_filled(cell) and _is_filled(lower[k]) and isinstance(first[k], int | float)
    ]
    if has_numbers or not spanned:
        return rows
    heads = [
        below if _is_filled(below) else above for above, below in zip(upper, lower, strict=True)
    ]
    return [(number, heads), *rows[2:]]


def _join_pairs(name: str, tables: Mapping[str, InputTable]) -> InputTable:
    """One table of those of several language pairs, with a column that says the pair."""
    header = list(dict.fromkeys(column for table in tables.values() for column in table.header))
    check_values(sum(len(table.rows) for table in tables.values()) * (len(header) + 1), name)
    rows: NumberedRows = []
    for pair, table in tables.items():
        for row, cells in table.rows:
            own = dict(zip(table.header, cells, strict=True))
            rows.append(
                (f"sheet {pair}, row {row}", [pair, *(own.get(column, "") for column in header)])
            )
    return InputTable(name, [_PAIR, *header], rows)


def _check_parts(data: bytes, name: str) -> bool:
    """Refuse a workbook that unpacks to too much, that would take too long to read, or whose XML
    declares a document type. Returns whether it has formulas.
    """
    n_tags = 0
    has_formulas = False
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = sum(member.file_size for member in archive.infolist())
        spend("mb", size, name)
        if size > _UNPACKED:
            raise InputError(
                f"{name} unpacks to more than {_UNPACKED >> 20} MB. Save its sheet as CSV in UTF-8."
            )
        for member in archive.infolist():
            with archive.open(member) as part:
                before = b""
                while chunk := part.read(_CHUNK):
                    seen = before + chunk
                    if b"<!DOCTYPE" in seen or b"<!ENTITY" in seen:
                        raise InputError(
                            f"{name} declares a document type or an entity, through which XML can do "
                            "harm. Save it again with Excel, or save its sheet as CSV."
                        )
                    n_tags += chunk.count(b"<")
                    has_formulas = has_formulas or _FORMULA.search(seen) is not None
                    before = chunk[-_OVERLAP:]
    spend("values", n_tags * _COST_OF_CELL // _TAGS_OF_CELL, name)
    return has_formulas


def _pair_rows(sheet: Any, written_sheet: Any) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
    """The rows of a sheet, each with what was written there: a value, or the formula of it."""
    sheet.reset_dimensions()
    if written_sheet is None:
        for cells in sheet.iter_rows(values_only=True):
            yield cells, cells
        return
    written_sheet.reset_dimensions()
    yield from zip(
        sheet.iter_rows(values_only=True), written_sheet.iter_rows(values_only=True), strict=True
    )


def _list_sheets(
    data: bytes, name: str, has_formulas: bool
) -> list[tuple[str, list[tuple[int, Sequence[Any]]]]]:
    """Each sheet with its numbered rows, up to the last that has a value."""
    from openpyxl import load_workbook  # late, as what reads no workbook needs none of it

    values = load_workbook(
        io.BytesIO(data), read_only=True, data_only=True, keep_links=False
    ).worksheets
    formulas = [None] * len(values)
    if has_formulas:  # whose values may not be there
        formulas = load_workbook(
            io.BytesIO(data), read_only=True, data_only=False, keep_links=False
        ).worksheets
    sheets = []
    for sheet, written_sheet in zip(values, formulas, strict=True):
        rows: list[tuple[int, Sequence[Any]]] = []
        for row, (cells, written) in enumerate(_pair_rows(sheet, written_sheet), 1):
            spend("columns", len(cells), name)
            check_values(len(cells) * len(rows), name)
            if row - (rows[-1][0] if rows else 0) > _GAP:
                raise InputError(
                    f"{name} has more than {_GAP:,} empty rows between others. Save its sheet as CSV in "
                    "UTF-8."
                )
            _check_formulas(f"{name}, sheet {show_name(sheet.title)}, row {row}", cells, written)
            if any(cell is not None and str(cell).strip() for cell in cells):
                rows.append((row, ["" if cell is None else cell for cell in cells]))
        sheets.append((sheet.title, rows))
    return sheets


def _check_formulas(where: str, cells: Sequence[Any], written: Sequence[Any]) -> None:
    """Refuse a row with a formula whose value is not in the file."""
    for cell, text in zip(cells, written, strict=True):
        if cell is None and isinstance(text, str) and text.startswith("="):
            raise InputError(
                f"{where}: the value of the formula {show_name(text[:40])} is not in the file. Open the "
                "workbook in Excel and save it, or replace formulas by their values."
            )
