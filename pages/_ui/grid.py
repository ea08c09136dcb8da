"""Large tables: Streamlit's data frame, which sorts by a click on a head, searches, scrolls and keeps its heads.

It draws on a canvas, so names stand there literally. Its own CSV and copying are off (`client.disableDataExport`):
they would carry spreadsheet formulas raw.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Collection, Sequence

import pandas as pd
import streamlit as st

from mtsig_core.report.palette import told_apart

MOST_PLAIN = 20  # rows of a table that needs no sorting
#: What a browser draws of one table; more is counted and left out. pandas styles 260,000 cells at most, and takes long.
MOST_CELLS, MOST_COLUMNS, MOST_PROSE = 30_000, 100, 500
_SEEN = MOST_PLAIN + 1  # of a larger one at once, below its head
_ROW = 28  # pixels, as all these
_LETTER, _WIDEST = 7, 320
_LEFT_TO_RIGHT = "\u200e"  # an invisible mark
_MARK = "background-color: #0072B2; color: #FFFFFF; font-weight: 600"  # as figures mark the best
_SHADE = "background-color: rgba(128, 128, 128, 0.15)"  # on light and on dark
_PAGE = 850  # what a table may take of a page on a projector


def show(header: Sequence[str], rows: Sequence[Sequence[str]], names: set[int], key: str | None,
         open_rows: bool = False, *, open_cells: bool = False, marks: Collection[tuple[int, int]] = (),
         clusters: Collection[int] = ()) -> int | tuple[int, int] | None:
    """Draw a table; a column in which a cell knows its number (`mtsig_core.report.cells`) is sorted by the numbers."""
    n_columns, header, rows = len(header), header[:MOST_COLUMNS], [row[:MOST_COLUMNS] for row in rows]
    # The browser itself would measure the first rows alone.
    widths = [min(max(map(len, column)) * _LETTER + 20, _WIDEST) for column in zip(header, *rows, strict=True)]
    wide = sum(widths) > _PAGE
    shown, hints = list(range(len(rows))), []
    if len(rows) > MOST_PLAIN and key is not None:
        text = st.text_input("Filter rows", key=f"{key}.filter", placeholder="a name, or any other text",
                             max_chars=300, width=320).casefold()
        shown = [k for k in shown if any(text in cell.casefold() for cell in rows[k])]
        hints = [f"{len(shown)} of {len(rows)} rows."] * bool(text) + [
            f"Below the lower edge: {len(shown) - _SEEN} more, scroll there."] * (len(shown) > _SEEN) + [
            "A click on a head sorts. Above the right corner: columns, search, full screen."]
    if len(shown) > (most := MOST_CELLS // len(header)):
        hints.insert(0, f"This table shows the first {most:,} of {len(shown):,} rows"
                     + (". Filter to see others." if key is not None else "."))
        shown = shown[:most]
    if n_columns > len(header):
        hints.append(f"This table shows the first {len(header)} of {n_columns:,} columns.")
    elif wide:
        hints.append(f"{len(header)} columns, of which the last may lie beyond the right edge: scroll there.")
    if hints:
        st.caption(" ".join(hints))
    cells = [rows[row] for row in shown]
    marked = frozenset((at, column) for at, row in enumerate(shown) for column in range(len(header))
                       if (row, column) in marks)
    numbers = frozenset(k for k in range(len(header)) if any(hasattr(row[k], "value") for row in rows))
    shaded = frozenset(at for at, row in enumerate(shown) if sum(end < row for end in clusters) % 2)
    look = (tuple(header), tuple(widths), frozenset(names), numbers, marked, shaded, wide, key)
    if not (open_rows or open_cells):
        return _draw_once(_digest(cells), look, _cells=cells)
    event = _draw(_digest(cells), cells, look, on_select="rerun",
                  selection_mode="single-cell" if open_cells else "single-row")
    if open_cells:
        return next(((shown[row], int(column)) for row, column in event.selection.cells), None)
    chosen = event.selection.rows
    return shown[chosen[0]] if chosen else None


def apart(names: Sequence[str]) -> Sequence[str]:
    """The names of a column, which are cut at their ends; where they would look alike then, in their middle instead."""
    most = (_WIDEST - 20) // _LETTER
    return told_apart(names, most) if len({name[:most] for name in names}) < len(set(names)) else names


def _digest(rows):
    """What stands in the cells, and what they are sorted by."""
    found = hashlib.blake2b(digest_size=16)
    for row in rows:
        found.update("\x1f".join(row).encode("utf-8", "surrogatepass"))
        found.update(repr([getattr(cell, "value", None) for cell in row]).encode())
    return found.digest()


@st.cache_resource(max_entries=256, show_spinner=False)
def _draw_once(digest, look, _cells) -> None:
    """Draw a table of which nothing can be chosen; Streamlit remembers what it has sent, for all who see the same."""
    _draw(digest, _cells, look)


def _draw(digest, rows, look, **more):
    *_, key = look
    frame, configs = _frame(digest, look[:-1], _rows=rows)
    return st.dataframe(frame, column_config=dict(configs), hide_index=True, key=key, row_height=_ROW, placeholder="-",
                        height="content" if len(rows) <= MOST_PLAIN else _ROW * (_SEEN + 1), **more)


@st.cache_resource(max_entries=64, show_spinner=False)
def _frame(digest, look, _rows):
    """What a table shows, written out once: for a whole task pandas takes a third of a second, each run of a page."""
    (header, widths, names, numbers, marked, shaded, wide), rows = look, _rows
    columns, configs = {}, {}
    for k, title in enumerate(header):
        cells = [row[k] for row in rows]
        cells = list(map(_set_left, cells if k in numbers else apart(cells))) if k in names else cells
        columns[str(k)] = pd.Series([_Number(cell) for cell in cells] if k in numbers else cells, dtype=object)
        kind = st.column_config.NumberColumn if k in numbers else st.column_config.TextColumn
        configs[str(k)] = kind(title or " ", width=widths[k], pinned=wide and k in names,  # which sets them paler
                               alignment="left" if k in names else "right")
    frame = pd.DataFrame(columns).style.format(lambda cell: getattr(cell, "text", cell))
    if marked or shaded:
        styles = pd.DataFrame([[_MARK if (row, k) in marked else _SHADE if row in shaded else ""
                                for k in range(len(header))] for row in range(len(rows))], columns=list(columns))
        frame = frame.apply(lambda _: styles, axis=None)
    frame.set_uuid(digest.hex())
    frame._compute()
    written = frame._translate(False, False)  # the two are what Streamlit calls, each time
    frame._compute, frame._translate = lambda: frame, lambda *_: written
    return frame, configs


def _set_left(name: str) -> str:
    """The name; a mark before one in right-to-left script, which the canvas would else draw out of its cell."""
    turned = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return _LEFT_TO_RIGHT + name if turned else name


class _Number(float):
    """What the data frame sorts by; it shows the text. Words among numbers come last, a dash is nothing."""

    def __new__(cls, cell):
        value = getattr(cell, "value", math.nan if cell in ("", "-") else math.inf)
        number = super().__new__(cls, math.nan if value is None else f"{value:.6g}")  # what a screen reader reads out
        number.text = cell
        return number
