"""Show text and tables.

Names of systems, files and documents are data, so all of them pass through `escape` here.

A large table is Streamlit's data frame, which sorts by a click on a heading, searches, scrolls and
keeps its headings in sight. It draws on a canvas, so names need no escaping there. Its CSV export
and copying are off (`client.disableDataExport`), because they would not escape spreadsheet
formulas.
"""

from __future__ import annotations

import hashlib
import html
import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import pandas as pd
import streamlit as st

from mtsig_core import Caution, MtsigError
from mtsig_core.errors import Remedy
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import group_cautions
from mtsig_core.report.document import use_noun
from mtsig_core.report.palette import told_apart
from mtsig_core.report.table import MISSING, Cell, Column, Table
from mtsig_core.report.text import printable_lines
from mtsig_core.stats.settings import SETTINGS
from pages._server.components import STYLE
from pages._ui import controls

_UNDER_CHANGE = {
    name: setting.title
    for name, setting in SETTINGS.items()
    if setting.offered or name in ("rank_rule", "look")
}
_IN_SIDEBAR = {
    "metrics": "Metric",
    "tokenize": "Tokenizer",
    "exclude": "Systems and segments > Exclude systems",
    "refs_as_systems": "Systems and segments > References take part as systems",
}
#: The labels of the controls that the frame has for arguments; after the last `>` comes the label.
LABELS = _UNDER_CHANGE | _IN_SIDEBAR
#: What the parts of the open task are called, see `languages.name_parts`.
PART_NOUN = ContextVar("part noun", default="language pair")
_TRIALS = SETTINGS["trials"].list_offers(False, {})


def locate_remedies(remedies: Iterable[Remedy]) -> str:
    """Write where the frame has these remedies, in a sentence for each place; empty without any.

    >>> locate_remedies([{"unit": "document"}, {"trials": 2345}, {"docs": "F"}, {"metrics": "bleu"}])
    'Under Change: Unit: Document, or Trials: 4,999. In the sidebar: Metric: BLEU.'
    """
    ways: dict[str, list[str]] = {}
    for remedy in remedies:
        if all(_is_on_screen(name, value) for name, value in remedy.items()):
            place = "In the sidebar" if remedy.keys() <= _IN_SIDEBAR.keys() else "Under Change"
            settings = [_describe_setting(name, value) for name, value in remedy.items()]
            ways.setdefault(place, []).append(" with ".join(settings))
    return " ".join(f"{place}: {', or '.join(settings)}." for place, settings in ways.items())


def _is_on_screen(name: str, value: str | int) -> bool:
    if name == "trials":
        return int(value) <= _TRIALS[-1]
    if name == "exclude":
        return True
    is_placeholder = str(value).isupper()  # such as FILE
    return name in LABELS and not is_placeholder


def _describe_setting(name: str, value: str | int) -> str:
    """Write a setting with its value as its control has them."""
    label = LABELS[name]
    if value is True:
        return label
    if name == "metrics":
        return f"{label}: {metric_title(str(value))}"
    if name == "trials":
        value = offer_trials(value)
    if name in SETTINGS:
        value = SETTINGS[name].name_value(value)
    return f"{label}: {value}"


def offer_trials(least: str | int) -> int | None:
    """Return the smallest number of trials in the menu that is at least this one, if any is."""
    return next((trials for trials in _TRIALS if trials >= int(least)), None)


# -- text -----------------------------------------------------------------------------------------

#: Letters of Hebrew, Arabic and related scripts, with what joins the words of one name; names in a
#: list are further apart.
_RIGHT_TO_LEFT = re.compile(
    "[{0}](?:[ '._-]?[{0}])*".format("\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc")
)
_LONGEST = 5000  # characters of a message, which may list what a stranger wrote


def style() -> None:
    """Draw the style sheet of this module and its neighbours, once in each run of a page."""
    PART_NOUN.set("language pair")
    st.html(STYLE)


def name_parts_in(value: Any) -> Any:
    """Write in a text or table what the parts of the open task are called."""
    return use_noun(value, PART_NOUN.get())


def escape(text: str) -> str:
    """Escape a text for `st.html`, which does not interpret Markdown."""
    return html.escape(str(text))


def _literal(text: str) -> str:
    """Escape a text between tags.

    Right-to-left parts are isolated, so that a browser does not move the digits and signs next to
    them. Invisible characters become escapes.
    """
    return _RIGHT_TO_LEFT.sub(
        r"<bdi>\g<0></bdi>", escape(printable_lines(name_parts_in(str(text))))
    )


def status(*lines: Iterable[str]) -> None:
    """Draw lines of short phrases on the data and the test; nothing without any."""
    written = []
    for line in lines:
        phrases = list(line)
        if phrases:
            written.append(_literal(" · ".join(phrases)))
    if written:
        st.html(f'<div class="mt-status">{"<br>".join(written)}</div>')


def answer(text: str) -> None:
    """Draw the answer of the page as its heading, in one sentence."""
    st.html(f'<div role="status"><h2 class="mt-answer">{_literal(text)}</h2></div>')


def tiles(*cells: tuple[str, str, str]) -> None:
    """Draw the numbers of an answer side by side, each as (label, number, note)."""
    written = []
    for label, number, note in cells:
        written.append(
            f'<div><div class="mt-faint">{_literal(label)}</div>'
            f'<div class="mt-number">{_literal(number)}</div>'
            f'<div class="mt-faint">{_literal(note)}</div></div>'
        )
    st.html(f'<div class="mt-tiles">{"".join(written)}</div>')


def question(text: str, answer: str = "") -> None:
    """Draw a question to the reader, and the answer below it."""
    st.html(f'<div class="mt-question"><b>{_literal(text)}</b> {_literal(answer)}</div>')


def plain(text: str) -> None:
    """Draw a paragraph, shown literally."""
    st.html(f'<div class="mt-plain">{_literal(text)}</div>')


def faint(text: str, width: str = "stretch") -> None:
    """Draw a remark below its subject, shown literally."""
    st.html(f'<div class="mt-plain mt-faint">{_literal(text)}</div>', width=width)


def error(problem: str | MtsigError) -> None:
    """Draw a message about something that the user can correct, and where."""
    advice = locate_remedies(getattr(problem, "remedies", ()))
    text = f"{problem} {advice}".rstrip()
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}..."
    st.html(f'<div class="mt-box mt-error" role="alert">{_literal(text)}</div>')


def caution_box(text: str) -> None:
    """Draw one caveat."""
    st.html(f'<div class="mt-box mt-caution">{_literal(text)}</div>')


def cautions(all_cautions: Iterable[Caution], several: bool = False, hints: bool = True) -> None:
    """Draw caveats, a box for each kind.

    With `several` metrics each names its metric; with `hints` each shows where the frame has its
    remedy.
    """
    options = {"several": several}
    if hints:
        options["say"] = locate_remedies
    boxes = []
    for texts in group_cautions(all_cautions, **options):
        lines = "<br>".join(_literal(text) for text in texts)
        boxes.append(f'<div class="mt-box mt-caution">{lines}</div>')
    if boxes:
        st.html("".join(boxes))


# -- tables ---------------------------------------------------------------------------------------

MOST_PLAIN = 20  # rows of a table that needs no sorting
#: What a browser draws of one table; more is counted and left out. pandas styles 260,000 cells at
#: most, and takes long.
MOST_CELLS = 30_000
MOST_COLUMNS = 100
MOST_PROSE = 500  # rows of a table of sentences
_ROWS_IN_SIGHT = MOST_PLAIN + 1  # of a large table, below its head
_ROW = 28  # pixels
_PAGE = 882  # pixels that a page has for a table on a projector
_LETTER = 7  # pixels
_MARGIN = 20  # pixels of a column next to its text
_WIDEST = 320  # pixels of a column
_LONGEST_NAME = (_WIDEST - _MARGIN) // _LETTER  # letters
_LEFT_TO_RIGHT = "\u200e"  # an invisible mark
_MARK = "background-color: #0072B2; color: #FFFFFF; font-weight: 600"  # as figures mark the best
_SHADE = "background-color: rgba(128, 128, 128, 0.15)"  # on light and on dark


@dataclass(frozen=True)
class _ScreenColumn:
    """A column of a table as a screen draws it."""

    title: str
    kind: str  # "name", "pair", "text", or the kind of a number
    texts: tuple[str, ...]
    values: tuple[Any, ...]  # in the table of the report: two names in a column of pairs
    sort_keys: tuple[float, ...]  # infinite for words among numbers, NaN for nothing

    @property
    def is_name(self) -> bool:
        return self.kind in ("name", "pair")

    @property
    def is_left(self) -> bool:
        return self.is_name or self.kind == "text"

    @property
    def is_number(self) -> bool:
        """Whether any cell has a number that sorts it."""
        return any(math.isfinite(key) for key in self.sort_keys)

    @property
    def width(self) -> int:
        """Pixels; the browser itself would measure the first rows only."""
        longest = max(len(text) for text in (self.title, *self.texts))
        return min(longest * _LETTER + _MARGIN, _WIDEST)

    def pick_rows(self, rows: Sequence[int]) -> _ScreenColumn:
        return replace(
            self,
            texts=tuple(self.texts[row] for row in rows),
            values=tuple(self.values[row] for row in rows),
            sort_keys=tuple(self.sort_keys[row] for row in rows),
        )


def show_table(
    table: Table,
    key: str | None = None,
    *,
    open_rows: bool = False,
    open_cells: bool = False,
    prose: bool = False,
    all_rows: bool = False,
) -> int | tuple[int, str] | None:
    """Draw a table of the reports, by the kinds of its columns.

    Names are set left and cut when too long. A long table can be sorted and filtered.

    Parameters
    ----------
    table : Table
    key : str, optional
        Needed where a page has two tables of the same key and as many rows.
    open_rows, open_cells : bool
        Whether the user can choose a row, or a cell.
    prose : bool
        All cells are sentences.
    all_rows : bool
        All rows are in sight, to be printed.

    Returns
    -------
    int, tuple of int and str, or None
        The chosen row, or the row and the column's key of the chosen cell.
    """
    table = name_parts_in(table)
    if prose:
        return prose_table(table.titles, table.texts())
    table = table.for_readers()
    columns = _make_columns(table)
    n_rows = len(table.rows)
    needs_grid = open_rows or open_cells or table.marks
    is_large = n_rows > MOST_PLAIN or len(columns) > MOST_COLUMNS
    if all_rows or not (needs_grid or is_large):
        return _draw_plain(columns, table)
    marks = {(row, table.keys.index(column)) for row, column in table.marks}
    grid = _Grid(key or f"{table.key} {n_rows}", columns, n_rows, marks, table.ruled)
    if open_cells:
        cell = grid.choose_cell()
        if cell is None:
            return None
        row, column = cell
        return row, table.keys[column]
    if open_rows:
        return grid.choose_row()
    return grid.show()


def _make_columns(table: Table) -> list[_ScreenColumn]:
    columns = []
    text_rows = table.texts()
    for k, column in enumerate(table.columns):
        texts = tuple(row[k] for row in text_rows)
        values = tuple(row[k] for row in table.rows)
        sort_keys = []
        for value, text in zip(values, texts, strict=True):
            sort_keys.append(_find_sort_key(column, value, text))
        kind = column.kind
        if kind == "rank" and k == 0:
            kind = "name"  # ranks in the first column name the rows
        columns.append(_ScreenColumn(column.title, kind, texts, values, tuple(sort_keys)))
    return columns


def _find_sort_key(column: Column, value: Any, text: str) -> float:
    """Return the sort key of a cell: numbers first, then words, then a dash or an empty cell."""
    if isinstance(value, Cell):
        return value.value
    if text in ("", MISSING):
        return math.nan
    number = column.sort_key(value)
    if math.isnan(number):
        return math.inf
    return number


def _fit_names(column: _ScreenColumn) -> Sequence[str]:
    """Shorten the names of a column at their ends, or in the middle where they would look alike.

    Each name of a pair is shortened separately.
    """
    if column.kind == "pair" and column.texts:
        return _fit_pairs(column)
    beginnings = {name[:_LONGEST_NAME] for name in column.texts}
    if len(beginnings) < len(set(column.texts)):
        return told_apart(column.texts, _LONGEST_NAME)
    return column.texts


def _fit_pairs(column: _ScreenColumn) -> list[str]:
    names = [name for pair in column.values for name in pair]
    short_names = iter(told_apart(names, (_LONGEST_NAME - 3) // 2))
    texts = []
    for text in column.texts:
        short_text = f"{next(short_names)} - {next(short_names)}"
        texts.append(short_text if len(text) > _LONGEST_NAME else text)
    return texts


def _draw_plain(columns: Sequence[_ScreenColumn], table: Table) -> None:
    """Draw all rows at once, with a line below the last row of each cluster, and with shading."""
    head = []
    rows: list[list[str]] = [[] for _ in table.rows]
    name_key = table.name_key()
    for key, column in zip(table.keys, columns, strict=True):
        head.append(_table_cell("th", column, column.title, column.title))
        texts = column.texts
        if column.is_name:
            texts = _fit_names(column)
        for row, text in enumerate(texts):
            css = ""
            if (row, key) in table.marks:
                css = "mt-mark"
            elif row in table.dark and key == name_key:
                css = "mt-dark"
            rows[row].append(_table_cell("td", column, text, column.texts[row], css))
    body = []
    for row, cells in enumerate(rows):
        classes = []
        if row in table.ruled:
            classes.append("mt-cluster")
        if row in table.grey:
            classes.append("mt-grey")
        tag = "<tr>"
        if classes:
            tag = f'<tr class="{" ".join(classes)}">'
        body.append(f"{tag}{''.join(cells)}</tr>")
    st.html(
        '<div class="mt-sideways"><div class="mt-more">more columns to the right →</div>'
        f'<div class="mt-scroll"><table class="mt-table"><thead><tr>{"".join(head)}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div></div>"
    )


def _table_cell(tag: str, column: _ScreenColumn, text: str, full_text: str, css: str = "") -> str:
    classes = [css] if css else []
    attributes = ""
    if column.is_name:
        classes.insert(0, "mt-name")
        attributes = f' title="{escape(full_text)}"'
    elif column.is_left:
        classes.insert(0, "mt-text")
    if classes:
        attributes = f' class="{" ".join(classes)}"{attributes}'
    return f"<{tag}{attributes}>{_literal(text)}</{tag}>"


def prose_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Draw a table of sentences, set left, with broken lines."""
    head = [f'<th class="mt-name">{_literal(title)}</th>' for title in titles]
    body = []
    for row in rows[:MOST_PROSE]:
        cells = [f"<td>{_literal(text)}</td>" for text in row]
        body.append(f"<tr>{''.join(cells)}</tr>")
    st.html(
        f'<table class="mt-table mt-prose"><thead><tr>{"".join(head)}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table>"
    )
    if len(rows) > MOST_PROSE:
        faint(f"This table shows the first {MOST_PROSE} of {len(rows):,} rows.")


class _Grid:
    """A large table: its filters, and the rows and columns that a browser can draw."""

    def __init__(
        self,
        key: str,
        columns: Sequence[_ScreenColumn],
        n_rows: int,
        marks: Collection[tuple[int, int]],
        ruled: Collection[int],
    ):
        self._key = key
        self._n_rows = n_rows
        self._n_all_columns = len(columns)
        self._columns = columns[:MOST_COLUMNS]
        self._is_wide = sum(column.width for column in self._columns) > _PAGE
        self._rows = self._filter_rows()
        self._look = self._make_look(marks, ruled)

    def show(self) -> None:
        """Draw the table without choices."""
        _draw_once(self._look)

    def choose_row(self) -> int | None:
        """Draw the table; return the row that the user has chosen."""
        event = _draw(self._look, on_select="rerun", selection_mode="single-row")
        if not event.selection.rows:
            return None
        return self._rows[event.selection.rows[0]]

    def choose_cell(self) -> tuple[int, int] | None:
        """Draw the table; return row and column of the cell that the user has chosen."""
        event = _draw(self._look, on_select="rerun", selection_mode="single-cell")
        if not event.selection.cells:
            return None
        row, column = event.selection.cells[0]
        return self._rows[row], int(column)

    def _filter_rows(self) -> list[int]:
        """Let the user filter a long table; return the rows to draw, and say what is out of sight."""
        line = st.container(horizontal=True, vertical_alignment="center")
        text = ""
        if self._n_rows > MOST_PLAIN:
            text = controls.text(
                line,
                "Filter rows",
                f"{self._key}.filter",
                pages_own=True,
                placeholder="Filter rows: a name, or any other text",
                max_chars=300,
                width=320,
                label_visibility="collapsed",
            ).casefold()
        rows = list(range(self._n_rows))
        if text:
            rows = [row for row in rows if self._has_text(row, text)]
        most = MOST_CELLS // len(self._columns)
        hints = self._list_row_hints(len(rows), most, bool(text)) + self._list_column_hints()
        if hints:
            line.caption(" ".join(hints))
        return rows[:most]

    def _list_row_hints(self, n_rows: int, most: int, is_filtered: bool) -> list[str]:
        """Say how many of the filtered rows are out of sight."""
        hints = []
        if n_rows > most:
            hints.append(
                f"This table shows the first {most:,} of {n_rows:,} rows. Filter to see others."
            )
        if is_filtered:
            hints.append(f"{n_rows} of {self._n_rows} rows.")
        if self._n_rows > MOST_PLAIN:
            if n_rows > _ROWS_IN_SIGHT:
                hints.append(f"Scroll down for {n_rows - _ROWS_IN_SIGHT} more.")
            hints.append("Click a heading to sort.")
        return hints

    def _list_column_hints(self) -> list[str]:
        """Say how many of the columns are out of sight."""
        n_columns = len(self._columns)
        if self._n_all_columns > n_columns:
            return [f"This table shows the first {n_columns} of {self._n_all_columns:,} columns."]
        if self._is_wide:
            return [f"{n_columns} columns: scroll right to see the last."]
        return []

    def _has_text(self, row: int, text: str) -> bool:
        return any(text in column.texts[row].casefold() for column in self._columns)

    def _make_look(self, marks: Collection[tuple[int, int]], ruled: Collection[int]) -> _GridLook:
        """Return what the browser is given, with every other cluster shaded."""
        n_columns = len(self._columns)
        marked = []
        shaded = []
        for k, row in enumerate(self._rows):
            marked += [(k, column) for column in range(n_columns) if (row, column) in marks]
            n_clusters_above = sum(last_row < row for last_row in ruled)
            if n_clusters_above % 2 == 1:
                shaded.append(k)
        columns = []
        for column in self._columns:
            visible = column.pick_rows(self._rows)
            texts = visible.texts
            if column.is_left and not column.is_number:
                texts = _fit_names(visible)
            if column.is_left:
                texts = [_set_left(text) for text in texts]
            columns.append(
                _GridColumn(
                    column.title,
                    column.width,
                    column.is_left,
                    column.is_number,
                    tuple(texts),
                    visible.sort_keys,
                )
            )
        return _GridLook(
            self._key, tuple(columns), self._is_wide, frozenset(marked), frozenset(shaded)
        )


@dataclass(frozen=True)
class _GridColumn:
    title: str
    width: int
    is_left: bool
    is_number: bool
    texts: tuple[str, ...]
    sort_keys: tuple[float, ...]

    def make_series(self) -> pd.Series:
        """Return what the data frame holds: texts, or numbers that sort and show their texts."""
        values = self.texts
        if self.is_number:
            values = list(map(_Number, self.sort_keys, self.texts))
        return pd.Series(values, dtype=object)

    def configure(self, is_wide: bool):
        """Return the configuration of the column; names stay in sight in a wide table."""
        make = st.column_config.TextColumn
        if self.is_number:
            make = st.column_config.NumberColumn
        return make(
            self.title or " ",
            width=self.width,
            pinned=is_wide and self.is_left,  # which sets them paler
            alignment="left" if self.is_left else "right",
        )


@dataclass(frozen=True)
class _GridLook:
    """The parts of a data frame on screen."""

    key: str
    columns: tuple[_GridColumn, ...]
    is_wide: bool
    marked: frozenset[tuple[int, int]]  # cells, by row and column
    shaded: frozenset[int]  # rows

    @property
    def n_rows(self) -> int:
        return len(self.columns[0].texts)

    def digest(self) -> bytes:
        content = (
            self.key,
            self.columns,
            self.is_wide,
            sorted(self.marked),
            sorted(self.shaded),
        )
        return hashlib.blake2b(repr(content).encode(), digest_size=16).digest()

    def make_frame(self):
        """Return the data frame, styled by pandas: numbers show their texts."""
        frame = pd.DataFrame(
            {str(k): column.make_series() for k, column in enumerate(self.columns)}
        )
        styled = frame.style.format(lambda cell: getattr(cell, "text", cell))
        if self.marked or self.shaded:
            styles = self._style_cells(frame)
            styled = styled.apply(lambda _: styles, axis=None)
        styled.set_uuid(self.digest().hex())
        return styled

    def _style_cells(self, frame: pd.DataFrame) -> pd.DataFrame:
        styles = pd.DataFrame("", index=frame.index, columns=frame.columns)
        for row in self.shaded:
            styles.iloc[row] = _SHADE
        for row, column in self.marked:
            styles.iat[row, column] = _MARK
        return styles


class _Number(float):
    """The value that sorts a cell of the data frame, which shows its text."""

    def __new__(cls, sort_key: float, text: str):
        number = super().__new__(cls, f"{sort_key:.6g}")  # what a screen reader reads out
        number.text = text
        return number


def _draw_once(look: _GridLook) -> None:
    """Draw a table without choices.

    Streamlit remembers the sent table for all users who see the same table.
    """
    _draw_digest(look.digest(), look)


@st.cache_resource(max_entries=256, show_spinner=False)
def _draw_digest(digest: bytes, _look: _GridLook) -> None:  # noqa: ARG001  what is remembered by
    _draw(_look)


def _draw(look: _GridLook, **options):
    height = "content"
    if look.n_rows > MOST_PLAIN:
        height = _ROW * (_ROWS_IN_SIGHT + 1)
    return st.dataframe(
        look.make_frame(),
        column_config={
            str(k): column.configure(look.is_wide) for k, column in enumerate(look.columns)
        },
        hide_index=True,
        key=look.key,
        row_height=_ROW,
        placeholder="-",
        height=height,
        **options,
    )


def _set_left(name: str) -> str:
    """Put a mark before a right-to-left name, which the canvas would draw outside its cell."""
    if any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name):
        return _LEFT_TO_RIGHT + name
    return name


# -- how a page ends before its last line ---------------------------------------------------------


class PageEnded(BaseException):  # noqa: N818  no error: the page is complete
    """A page is complete before its last line.

    Not an `Exception`: only `or_without` may catch it.
    """


def end_page() -> NoReturn:
    """End the page here, and let the frame finish.

    After Streamlit's own stop, nothing that the frame draws would reach the browser.
    """
    raise PageEnded


@contextmanager
def or_end_page() -> Iterator[None]:
    """Show why something is not available, and end the page."""
    try:
        yield
    except MtsigError as problem:
        error(problem)
        end_page()


def or_without() -> suppress:
    """Go on with the page if this part was cancelled or asks whether to run."""
    return suppress(PageEnded)
