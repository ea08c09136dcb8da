"""Workbooks of Excel: the values in the cells of their only sheet. Nothing in them is computed, linked or run."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import Any

from mtsig_core.errors import InputError
from mtsig_core.readers.columns import InputTable, NumberedRows, show_names, tidy_table
from mtsig_core.readers.limits import check_values, spend
from mtsig_core.testset import show_name

_UNPACKED = 1 << 30  # bytes of a workbook in all
_GAP = 100_000  # empty rows on end: a row may be numbered as it likes


def read_xlsx(data: bytes, name: str) -> InputTable:
    """The table in a workbook, whose first row has the names of the columns."""
    try:
        _check_parts(data, name)
        sheets = {title: rows for title, rows in _list_sheets(data, name) if rows}
    except (InputError, MemoryError):
        raise
    except Exception as error:  # whatever damage makes of its libraries
        reason = show_name(str(error).splitlines()[0] if str(error) else type(error).__name__)[:200].rstrip(".")
        raise InputError(f"{name} is no sound workbook: {reason}. Save it again, or save its sheet as CSV.") from None
    if len(sheets) != 1:
        raise InputError(f"{name} has {len(sheets)} sheets with values ({show_names(sheets) or 'none'}). Expected one. "
                         "Remove the others, or save the sheet as CSV in UTF-8.")
    (_, header), *rows = next(iter(sheets.values()))
    width = max(len(cells) for _, cells in (*rows, (0, header)))
    full: NumberedRows = [(row, [*cells, *[""] * (width - len(cells))]) for row, cells in rows]
    names = [show_name(str(cell).strip()) for cell in (*header, *[""] * (width - len(header)))]
    return tidy_table(InputTable(name, names, full), has_decimal_commas=True)


def _check_parts(data: bytes, name: str) -> None:
    """Refuse a workbook that unpacks to too much, or whose XML declares a document type."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = sum(member.file_size for member in archive.infolist())
        spend("mb", size, name)
        if size > _UNPACKED:
            raise InputError(f"{name} unpacks to more than {_UNPACKED >> 20} MB. Save its sheet as CSV in UTF-8.")
        for member in archive.infolist():
            with archive.open(member) as part:
                if b"<!DOCTYPE" in (head := part.read(1 << 16)) or b"<!ENTITY" in head:
                    raise InputError(f"{name} declares a document type or an entity, through which XML can do harm. "
                                     "Save it again with Excel, or save its sheet as CSV.")


def _list_sheets(data: bytes, name: str) -> list[tuple[str, list[tuple[int, Sequence[Any]]]]]:
    """Each sheet with its numbered rows, up to the last that has a value."""
    from openpyxl import load_workbook  # late, as what reads no workbook needs none of it

    books = [load_workbook(io.BytesIO(data), read_only=True, data_only=is_computed, keep_links=False)
             for is_computed in (True, False)]
    sheets = []
    for sheet, formulas in zip(*(book.worksheets for book in books), strict=True):
        rows: list[tuple[int, Sequence[Any]]] = []
        for one in (sheet, formulas):
            one.reset_dimensions()
        for row, (cells, written) in enumerate(zip(sheet.iter_rows(values_only=True), formulas.iter_rows(
                values_only=True), strict=True), 1):
            spend("values", len(cells), name)
            check_values(len(cells) * len(rows), name)
            if row - (rows[-1][0] if rows else 0) > _GAP:
                raise InputError(f"{name} has more than {_GAP:,} empty rows between others. Save its sheet as CSV in "
                                 "UTF-8.")
            if bare := [text for cell, text in zip(cells, written, strict=True)
                        if cell is None and isinstance(text, str) and text.startswith("=")]:
                raise InputError(f"{name}, sheet {show_name(sheet.title)}, row {row}: the value of the formula "
                                 f"{show_name(bare[0][:40])} is not in the file. Open the workbook in Excel and save "
                                 "it, or replace formulas by their values.")
            if any(cell is not None and str(cell).strip() for cell in cells):
                rows.append((row, ["" if cell is None else cell for cell in cells]))
        sheets.append((sheet.title, rows))
    return sheets
