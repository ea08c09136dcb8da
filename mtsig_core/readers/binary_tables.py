"""Tables in Parquet files and in workbooks of Excel."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from mtsig_core.errors import InputError, MtsigError
from mtsig_core.extras import explain_missing_package
from mtsig_core.languages import is_langpair
from mtsig_core.readers.columns import NAMES, InputTable, NumberedRows, show_names
from mtsig_core.readers.delimited import tidy_table
from mtsig_core.readers.limits import check_values, spend
from mtsig_core.testset import show_name


@contextmanager
def _explain_damage(name: str, kind: str, advice: str) -> Iterator[None]:
    """Turn the errors that libraries raise for a damaged file into an InputError."""
    try:
        yield
    except (MtsigError, MemoryError):
        raise
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        reason = show_name(reason)[:200].rstrip(".")
        raise InputError(f"{name} is not a valid {kind}: {reason}. {advice}") from None


_AS_CSV = "Or save the table as CSV."

# Parquet.

_CHUNKS = 100_000  # row groups by columns, more than any table of scores has
#: Bytes of a value of fixed length, which many rows may refer to, and each then has for itself.
_WIDEST = 32


def read_parquet(data: bytes, name: str) -> InputTable:
    """Read the table in a Parquet file, if its metadata show that it is within the limits."""
    with explain_missing_package("parquet", f"Reading {name}, a Parquet file,", _AS_CSV):
        from pyarrow import parquet

    with _explain_damage(name, "Parquet file", "Write or copy it again."):
        file = parquet.ParquetFile(io.BytesIO(data))
        _check_parquet(file, name)
        # Texts that are written once and referred to by many rows stay so, however long they are.
        paths = [file.schema.column(k).path for k in range(len(file.schema))]
        table = parquet.ParquetFile(io.BytesIO(data), read_dictionary=paths).read().flatten()
        metadata = table.schema.pandas_metadata or {}
        index = metadata.get("index_columns", ())
        columns = {}
        for k, column in enumerate(table.column_names):
            if column in index and column.startswith("__index_level_"):
                continue  # an index without a name says nothing
            columns[column] = _list_values(table.column(k))
    rows: NumberedRows = list(enumerate(zip(*columns.values(), strict=True), 1))
    return InputTable(name, list(map(show_name, columns)), rows)


def _check_parquet(file: Any, name: str) -> None:
    """Refuse, by its metadata, a ParquetFile that is too large or has other types of values."""
    metadata = file.metadata
    n_rows = metadata.num_rows
    n_columns = metadata.num_columns
    if metadata.num_row_groups * n_columns > _CHUNKS:
        raise InputError(
            f"{name} has {metadata.num_row_groups:,} row groups of {n_columns:,} columns. Write it "
            "again, in one."
        )
    titles = [
        column.name
        for column in file.schema
        if column.max_repetition_level or column.length > _WIDEST
    ]
    titles += [field.name for field in file.schema_arrow if _is_nested(field.type)]
    if titles:
        raise InputError(
            f"{name}: the column {titles[0]!r} contains lists, records or bytes. Expected columns of numbers "
            "and texts."
        )
    n_values = n_bytes = 0
    for k in range(metadata.num_row_groups):
        for j in range(n_columns):
            chunk = metadata.row_group(k).column(j)
            n_values += chunk.num_values
            n_bytes += chunk.total_uncompressed_size
            if "DELTA_BYTE_ARRAY" in chunk.encodings:  # a text may repeat a long one for free
                raise InputError(
                    f"{name} has texts in the encoding DELTA_BYTE_ARRAY. Write it again with dictionaries, as is "
                    "usual."
                )
    spend("columns", n_columns, name)
    spend("values", max(n_rows * n_columns, n_values), name)
    spend("mb", n_bytes, name)


def _is_nested(kind: Any) -> bool:
    """Whether values of an Arrow type are lists or records; records of plain values become columns."""
    from pyarrow import types

    if types.is_struct(kind):
        return any(types.is_nested(field.type) for field in kind)
    return bool(types.is_nested(kind))


def _list_values(column: Any) -> list[Any]:
    """The values of a column; the values of a dictionary column are made once."""
    values: list[Any] = []
    for chunk in column.chunks:
        if not hasattr(chunk, "dictionary"):
            values += chunk.to_pylist()
            continue
        texts = chunk.dictionary.to_pylist()
        texts = [text.decode() if isinstance(text, bytes) else text for text in texts]
        for place in chunk.indices.to_pylist():
            values.append(None if place is None else texts[place])
    return values


# Workbooks: the values in the cells of their only sheet. Nothing in them is computed, linked or
# run.

_UNPACKED = 1 << 30  # bytes of a workbook in all
_CHUNK, _OVERLAP = 1 << 20, 16  # bytes that are looked at at once, and again with the next ones
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_TAGS_OF_CELL = 4  # <c>, <v>, and their ends
_COST_OF_CELL = 10  # it takes as long to read as ten cells of a text
_PAIR = NAMES["langpair"][0]  # the column for the language pair that a sheet is named after
_GAP = 100_000  # empty rows on end: a row may be numbered as it likes

_Row = tuple[int, Sequence[Any]]


def read_xlsx(data: bytes, name: str) -> InputTable:
    """The table in a workbook, whose first row has the names of the columns."""
    with _explain_damage(name, "workbook", "Save it again, or save its sheet as CSV."):
        has_formulas = _check_files(data, name)
        sheets = {title: rows for title, rows in _list_sheets(data, name, has_formulas) if rows}
    of_pairs = len(sheets) > 1 and all(map(is_langpair, sheets))
    if len(sheets) != 1 and not of_pairs:
        raise InputError(
            f"{name} has {len(sheets)} sheets with values ({show_names(sheets) or 'none'}). Expected one, "
            "or one for each language pair, named after it. Remove the others, or save the sheet as CSV "
            "in UTF-8."
        )
    tables = {title: _tabulate_sheet(name, rows) for title, rows in sheets.items()}
    return _join_pairs(name, tables) if of_pairs else next(iter(tables.values()))


def _tabulate_sheet(name: str, rows: list[_Row]) -> InputTable:
    """The table in the rows of a sheet."""
    width = max(len(cells) for _, cells in rows)
    filled: list[_Row] = []
    for row, cells in rows:
        filled.append((row, [*cells, *[""] * (width - len(cells))]))
    (number, header), *body = _join_heads(_skip_title(filled))
    names = [show_name(str(cell).strip()) for cell in header]
    for place in range(1, width):
        has_cells = any(_is_filled(cells[place]) for _, cells in body)
        if names[place - 1] and not names[place] and has_cells:
            raise InputError(
                f"{name}, row {number}: column {place + 1} has no name, and the one before it is called "
                f"{names[place - 1]}. If one heading spans several columns, name each column instead."
            )
    return tidy_table(InputTable(name, names, list(body)), has_decimal_commas=True)


def _is_filled(cell: object) -> bool:
    return bool(str(cell).strip())


def _count_filled(row: _Row) -> int:
    return sum(map(_is_filled, row[1]))


def _skip_title(rows: list[_Row]) -> list[_Row]:
    """The rows from the names of the columns on: rows above with a single cell are a title."""
    start = 0
    while start + 2 < len(rows):
        if _count_filled(rows[start]) != 1 or _count_filled(rows[start + 1]) < 2:
            break
        start += 1
    return rows[start:]


def _join_heads(rows: list[_Row]) -> list[_Row]:
    """The rows with one row of names, where the first has headings that span several columns.

    The second row then has the names of these columns, above numbers.
    """
    if len(rows) < 3:
        return rows
    (_, upper), (number, lower), (_, first), *_ = rows
    if any(isinstance(cell, int | float) for cell in lower):
        return rows
    heads = list(upper)
    has_spans = False
    for k, cell in enumerate(lower):
        if _is_filled(cell):
            heads[k] = cell
            is_spanned = not _is_filled(upper[k]) and isinstance(first[k], int | float)
            has_spans = has_spans or is_spanned
    return [(number, heads), *rows[2:]] if has_spans else rows


def _join_pairs(name: str, tables: Mapping[str, InputTable]) -> InputTable:
    """Join the tables of several language pairs into one, with a column for the language pair."""
    titles: dict[str, None] = {}
    n_rows = 0
    for table in tables.values():
        titles |= dict.fromkeys(table.header)
        n_rows += len(table.rows)
    check_values(n_rows * (len(titles) + 1), name)
    rows: NumberedRows = []
    for pair, table in tables.items():
        for row, cells in table.rows:
            cell_of = dict(zip(table.header, cells, strict=True))
            joined = [pair, *(cell_of.get(title, "") for title in titles)]
            rows.append((f"sheet {pair}, row {row}", joined))
    return InputTable(name, [_PAIR, *titles], rows)


def _check_files(data: bytes, name: str) -> bool:
    """Refuse a workbook that unpacks to too much, takes too long to read, or declares a type.

    Returns
    -------
    bool
        Whether it has formulas.
    """
    n_tags = 0
    has_formulas = False
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        size = sum(member.file_size for member in members)
        spend("mb", size, name)
        if size > _UNPACKED:
            raise InputError(
                f"{name} unpacks to more than {_UNPACKED >> 20} MB. Save its sheet as CSV in UTF-8."
            )
        for member in members:
            for chunk, n_new in _read_chunks(archive, member):
                if b"<!DOCTYPE" in chunk or b"<!ENTITY" in chunk:
                    raise InputError(
                        f"{name} declares a document type or an entity, through which XML can do "
                        "harm. Save it again with Excel, or save its sheet as CSV."
                    )
                n_tags += chunk.count(b"<", len(chunk) - n_new)
                has_formulas = has_formulas or _FORMULA.search(chunk) is not None
    spend("values", n_tags * _COST_OF_CELL // _TAGS_OF_CELL, name)
    return has_formulas


def _read_chunks(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[tuple[bytes, int]]:
    """The bytes of a file in an archive, each chunk after the end of the one before it.

    With each the number of bytes that are new.
    """
    with archive.open(member) as file:
        overlap = b""
        while True:
            chunk = file.read(_CHUNK)
            if not chunk:
                return
            yield overlap + chunk, len(chunk)
            overlap = chunk[-_OVERLAP:]


def _list_sheets(data: bytes, name: str, has_formulas: bool) -> list[tuple[str, list[_Row]]]:
    """Each sheet with its numbered rows, up to the last that has a value."""
    sheets = []
    for sheet, rows in _open_sheets(data, name, has_formulas):
        filled: list[_Row] = []
        last = 0
        for row, (cells, formulas) in enumerate(rows, 1):
            spend("columns", len(cells), name)
            check_values(len(cells) * len(filled), name)
            if row - last > _GAP:
                raise InputError(
                    f"{name} has more than {_GAP:,} empty rows between others. Save its sheet as CSV in "
                    "UTF-8."
                )
            _check_formulas(f"{name}, sheet {show_name(sheet)}, row {row}", cells, formulas)
            texts = ["" if cell is None else cell for cell in cells]
            if any(map(_is_filled, texts)):
                filled.append((row, texts))
                last = row
        sheets.append((sheet, filled))
    return sheets


def _open_sheets(
    data: bytes, name: str, has_formulas: bool
) -> Iterator[tuple[str, Iterator[tuple[Sequence[Any], Sequence[Any]]]]]:
    """The title of each sheet, and its rows: the values, and the formulas where there are some."""
    with explain_missing_package("excel", f"Reading {name}, a workbook,", _AS_CSV):
        from openpyxl import load_workbook

    file = io.BytesIO(data)
    sheets = load_workbook(file, read_only=True, data_only=True, keep_links=False).worksheets
    formula_sheets = sheets
    if has_formulas:  # their values may not be there
        file = io.BytesIO(data)
        book = load_workbook(file, read_only=True, data_only=False, keep_links=False)
        formula_sheets = book.worksheets
    for sheet, formula_sheet in zip(sheets, formula_sheets, strict=True):
        sheet.reset_dimensions()
        formula_sheet.reset_dimensions()
        rows = sheet.iter_rows(values_only=True)
        if not has_formulas:
            yield sheet.title, ((cells, ()) for cells in rows)
        else:
            formulas = formula_sheet.iter_rows(values_only=True)
            yield sheet.title, zip(rows, formulas, strict=True)


def _check_formulas(location: str, cells: Sequence[Any], formulas: Sequence[Any]) -> None:
    """Refuse a row with a formula whose value is not in the file."""
    for k, text in enumerate(formulas):
        if cells[k] is None and isinstance(text, str) and text.startswith("="):
            raise InputError(
                f"{location}: the value of the formula {show_name(text[:40])} is not in the file. Open the "
                "workbook in Excel and save it, or replace formulas by their values."
            )
