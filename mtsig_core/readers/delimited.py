"""Tables in texts with tabs, commas or semicolons between their columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from mtsig_core.errors import InputError
from mtsig_core.readers.columns import InputTable, NumberedRows, show_names
from mtsig_core.readers.limits import spend
from mtsig_core.testset import show_name


def read_delimited(text: str, name: str) -> InputTable:
    """The table in a text with separators; no header of an empty text.

    Excel's ``sep=;`` before the header, its decimal commas, and empty columns and rows at the end
    are known.
    """
    text, separator = _find_separator(text)
    first_line = re.split("[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
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
    gaps: list[int] = []  # empty rows are scores that are missing, unless they end the file
    try:
        for cells in reader:
            is_empty = not any(map(str.strip, cells))
            if not header:
                if not is_empty or len(cells) > 1:
                    header = [show_name(cell.strip()) for cell in cells]
            elif is_empty:
                if len(cells) > 1 or len(header) == 1:
                    gaps.append(reader.line_num)
            else:
                if not rows and len(cells) == len(header) - 1 and is_comment(header[-1]):
                    header.pop()
                if len(cells) != len(header):
                    raise InputError(
                        f"{name}, row {reader.line_num} has {len(cells)} columns, the header has "
                        f"{len(header)} ({show_names(header)}). Give every row the same columns."
                    )
                rows += [(row, ["" for _ in header]) for row in gaps]
                rows.append((reader.line_num, cells))
                gaps = []
    except csv.Error as error:
        raise InputError(
            f"{name}, row {reader.line_num} cannot be read: {error}. Check its quotes."
        ) from None
    return tidy_table(InputTable(name, header, rows), has_decimal_commas=separator != ",")


def _find_separator(text: str) -> tuple[str, str]:
    """The text, without Excel's line that names the separator, and the separator."""
    lines = text.lstrip("\r\n")
    line = re.match(r"sep=(.)\r?\n", lines)
    if line is not None:
        return "\n" + lines[line.end() :], line[1]
    first_line = re.split("[\r\n]", lines, maxsplit=1)[0]
    unquoted = re.sub('"[^"]*"', "", first_line)
    for separator in "\t,;":
        if separator in unquoted:
            return text, separator
    return text, "\t"


def is_comment(cell: str) -> bool:
    """Whether a cell of a header is a comment: some tables have a link to their documentation."""
    return cell.startswith("#")


def tidy_table(table: InputTable, *, has_decimal_commas: bool = False) -> InputTable:
    """A table without the empty columns at its end, as spreadsheets write them.

    It has points for decimal commas, where all numbers can have been written with these.
    """
    width = len(table.header)
    while width > 1 and not table.header[width - 1]:
        if any(map(str.strip, table.list_words(width - 1))):
            break
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
        for cell in cells:
            if isinstance(cell, str) and number.fullmatch(cell):
                return True
    return False


def _replace_commas(cells: Sequence[object], commas: Collection[int]) -> list[object]:
    """The cells of a row, with points for the commas in the texts of these columns."""
    changed = list(cells)
    for k in commas:
        cell = cells[k]
        if isinstance(cell, str):
            changed[k] = cell.replace(",", ".")
    return changed


_WITH_COMMA = re.compile(r"-?\d+,\d+(e-?\d+)?", re.IGNORECASE)
_WITHOUT_COMMA = re.compile(r"-?\d+|#?n/?a|none|null|", re.IGNORECASE)
_THOUSANDS = re.compile(r"-?[1-9]\d{0,2},\d{3}")


def _has_decimal_commas(column: Sequence[object]) -> bool:
    """Whether a column has numbers with decimal commas; only 85,250 may be as many thousands."""
    has_fractions = False
    for text in {cell.strip() for cell in column if isinstance(cell, str)}:
        if _WITH_COMMA.fullmatch(text):
            has_fractions = has_fractions or not _THOUSANDS.fullmatch(text)
        elif not _WITHOUT_COMMA.fullmatch(text):
            return False
    return has_fractions
