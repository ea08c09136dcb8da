"""Text and tables on screen.

Names of systems, files and documents are data: everything passes through `escape` here.

A large table is Streamlit's data frame, which sorts by a click on a head, searches, scrolls and
keeps its heads. It draws on a canvas, so names are shown literally there. Its own CSV and copying
are off (`client.disableDataExport`): they would carry spreadsheet formulas raw.
"""

from __future__ import annotations

import hashlib
import html
import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NoReturn

import pandas as pd
import streamlit as st

from mtsig_core import Caution, MtsigError
from mtsig_core.errors import Remedy
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import group_cautions
from mtsig_core.report.palette import told_apart
from mtsig_core.report.table import KINDS, MISSING, Cell, Table
from mtsig_core.report.text import printable_lines
from mtsig_core.stats.settings import SETTINGS
from pages._server.components import STYLE

#: Where the sidebar has the control of an argument; the last part is its label.
LABELS = {
    "metrics": "Metric",
    "tokenize": "Tokenizer",
    "exclude": "Systems and segments > Exclude systems",
    "refs_as_systems": "Systems and segments > References take part as systems",
    **{
        name: f"Change > {setting.title}"
        for name, setting in SETTINGS.items()
        if setting.offered or name == "rank_rule"
    },
}
_TRIALS = SETTINGS["trials"].list_offers(False, {})


def in_side_bar(remedies: Iterable[Remedy]) -> str:
    """Write where the sidebar has these remedies, as a sentence; empty if it has none of them.

    >>> in_side_bar([{"unit": "document"}, {"trials": 2345}, {"docs": "FILE"}, {"metrics": "bleu"}])
    'In the sidebar: Change > Unit: Document, or Change > Trials: 4,999, or Metric: BLEU.'
    """
    ways = [
        " with ".join(_name_setting(name, value) for name, value in remedy.items())
        for remedy in remedies
        if all(map(_is_there, *zip(*remedy.items(), strict=True)))
    ]
    return f"In the sidebar: {', or '.join(ways)}." if ways else ""


def _is_there(name: str, value: str | int) -> bool:
    """Return whether the sidebar has a remedy.

    A value in capitals is a placeholder, unless it is the name of a system.
    """
    if name == "trials":
        return int(value) <= _TRIALS[-1]
    return name in LABELS and (name == "exclude" or not str(value).isupper())


def _name_setting(name: str, value: str | int) -> str:
    value = offer_trials(value) if name == "trials" else value
    named = (
        metric_title(str(value))
        if name == "metrics"
        else SETTINGS[name].name_value(value)
        if name in SETTINGS
        else value
    )
    return LABELS[name] if value is True else f"{LABELS[name]}: {named}"


def offer_trials(least: str | int) -> int | None:
    """Return the smallest number of trials in the menu that is at least this one; None if there is
    no such number.
    """
    return next((offered for offered in _TRIALS if offered >= int(least)), None)


#: Hebrew, Arabic and their kin, with what joins the words of one name; names in a list are further
#: apart.
_RIGHT_TO_LEFT = re.compile(
    "[{0}](?:[ '._-]?[{0}])*".format("\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc")
)
_LONGEST = 5000  # characters of a message, which may list what a stranger wrote


def style() -> None:
    """Draw the style sheet of this module and its neighbours, once in each run of a page."""
    st.html(STYLE)


def escape(text: str) -> str:
    """Escape a text for `st.html`, which does not interpret Markdown."""
    return html.escape(str(text))


def _literal(text: str) -> str:
    """Escape a text between tags, and isolate right-to-left parts so that a browser does not move
    the digits and signs next to them. Invisible characters become escapes.
    """
    return _RIGHT_TO_LEFT.sub(r"<bdi>\g<0></bdi>", escape(printable_lines(str(text))))


def status(*lines: Iterable[str]) -> None:
    """Draw lines of short phrases on the data and the test."""
    joined = "<br>".join(_literal(" · ".join(line)) for line in map(list, lines) if line)
    st.html(f'<div class="mt-status">{joined}</div>')


def answer(text: str) -> None:
    """Draw the answer of the page, in one sentence."""
    st.html(f'<div class="mt-answer" role="status">{_literal(text)}</div>')


def numbers(*found: tuple[str, str, str]) -> None:
    """Draw big numbers in a row, each as (name, number, note in faint)."""
    cells = "".join(
        f'<div><div>{_literal(what)}</div><div class="mt-big">{_literal(number)}</div>'
        f'<div class="mt-faint">{_literal(note)}</div></div>'
        for what, number, note in found
    )
    st.html(f'<div class="mt-numbers">{cells}</div>')


def plain(text: str) -> None:
    """Draw a paragraph, shown literally."""
    st.html(f'<div class="mt-plain">{_literal(text)}</div>')


def faint(text: str, width: str = "stretch") -> None:
    """Draw a remark below its subject, shown literally."""
    st.html(f'<div class="mt-plain mt-faint">{_literal(text)}</div>', width=width)


def error(told: str | MtsigError) -> None:
    """Draw a message about something that the user can correct, and where."""
    text = f"{told} {in_side_bar(getattr(told, 'remedies', ()))}".rstrip()
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    st.html(f'<div class="mt-box mt-error" role="alert">{_literal(text)}</div>')


def messages(texts: Iterable[str]) -> None:
    """Draw messages above the title of a page, clear of the toolbar."""
    boxes = "".join(
        f'<div class="mt-box mt-error" role="alert">{_literal(text)}</div>' for text in texts
    )
    if boxes:
        st.html(f'<div class="mt-above">{boxes}</div>')


def caution_box(text: str) -> None:
    """Draw one caveat."""
    st.html(f'<div class="mt-box mt-caution">{_literal(text)}</div>')


def cautions(found: Iterable[Caution], several: bool = False, hints: bool = True) -> None:
    """Draw caveats, a box for each kind.

    With `several` metrics each names its metric; with `hints` each shows where the sidebar has its
    remedy.
    """
    say = in_side_bar if hints else lambda remedies: ""
    boxes = [
        f'<div class="mt-box mt-caution">{"<br>".join(map(_literal, texts))}</div>'
        for texts in group_cautions(found, several=several, say=say)
    ]
    if boxes:
        st.html("".join(boxes))


# Tables.

MOST_PLAIN = 20  # rows of a table that needs no sorting
#: What a browser draws of one table; more is counted and left out. pandas styles 260,000 cells at
#: most, and takes long.
MOST_CELLS, MOST_COLUMNS, MOST_PROSE = 30_000, 100, 500
_SEEN = MOST_PLAIN + 1  # rows of a large table in sight, below its head
_ROW, _PAGE = 28, 882  # pixels of a row, and of the room that a page has for a table on a projector
_LETTER, _WIDEST = 7, 320  # pixels of a letter, and of a column
_LONGEST_NAME = (_WIDEST - 20) // _LETTER  # letters of a name
_LEFT_TO_RIGHT = "\u200e"  # an invisible mark
_MARK = "background-color: #0072B2; color: #FFFFFF; font-weight: 600"  # as figures mark the best
_SHADE = "background-color: rgba(128, 128, 128, 0.15)"  # on light and on dark


class _Pair(str):
    """Two names as a table writes them."""

    names: tuple[str, str]

    def __new__(cls, text: str, names: tuple[str, str]):
        pair = super().__new__(cls, text)
        pair.names = names
        return pair


def show_table(
    shown: Table,
    key: str | None = None,
    *,
    open_rows: bool = False,
    open_cells: bool = False,
    prose: bool = False,
    whole: bool = False,
) -> int | tuple[int, str] | None:
    """Draw a `Table` of the reports, by the kinds of its columns; return the chosen row, or the row
    and the key of the column of a chosen cell.

    Names are set left and cut when too long. A long table can be sorted and filtered, as can one of
    which rows or cells can be opened. Where a page has two of the same key and as many rows, they
    need keys. In a table of `prose` all cells are sentences; a `whole` one has all its rows in
    sight, to be printed.
    """
    if prose:
        return prose_table(shown.titles, shown.texts())
    shown = shown.for_readers()
    kinds = [column.kind for column in shown.columns]
    rows = [
        [_cell(*one) for one in zip(shown.columns, *both, strict=True)]
        for both in zip(shown.rows, shown.texts(), strict=True)
    ]
    names = {
        k for k, kind in enumerate(kinds) if kind in ("name", "pair") or kind == "rank" and not k
    }
    texts = {k for k, kind in enumerate(kinds) if kind == "text"}
    if whole or not (
        open_rows
        or open_cells
        or shown.marks
        or len(rows) > MOST_PLAIN
        or len(kinds) > MOST_COLUMNS
    ):
        return _draw_plain(shown.titles, rows, names, texts, shown.ruled)
    marks = {(row, shown.keys.index(column)) for row, column in shown.marks}
    chosen = _show_grid(
        shown.titles,
        rows,
        {*names, *texts},
        key or f"{shown.key} {len(rows)}",
        open_rows,
        open_cells,
        marks,
        shown.ruled,
    )
    return (chosen[0], shown.keys[chosen[1]]) if isinstance(chosen, tuple) else chosen


def _cell(column, value, text: str) -> str:
    """Return the text of a cell, with the value that sorts it or the two names of a pair."""
    if column.kind == "pair":
        return _Pair(text, value)
    if (
        not KINDS[column.kind].is_number
        or text in ("", MISSING)
        or math.isnan(number := column.sort_key(value))
    ):
        return text
    return Cell(text, number)


def _fit_names(cells: Sequence[str]) -> Sequence[str]:
    """Shorten the names of a column at their ends, or in the middle where they would look alike.

    Each name of a pair is shortened separately.
    """
    if cells and all(isinstance(cell, _Pair) for cell in cells):
        names = [name for cell in cells for name in cell.names]
        cut = told_apart(names, (_LONGEST_NAME - 3) // 2)
        return [
            cell if len(cell) <= _LONGEST_NAME else f"{a} - {b}"
            for cell, a, b in zip(cells, cut[::2], cut[1::2], strict=True)
        ]
    alike = len({cell[:_LONGEST_NAME] for cell in cells}) < len(set(cells))
    return told_apart(cells, _LONGEST_NAME) if alike else cells


def _draw_plain(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    names: Collection[int],
    texts: Collection[int],
    clusters: Collection[int],
) -> None:
    """Draw all rows at once, with a line below the last row of each cluster."""

    def cells(tag, row, shown):
        named = [
            f' class="mt-name" title="{escape(cell)}"'
            if k in names
            else ' class="mt-text"'
            if k in texts
            else ""
            for k, cell in enumerate(row)
        ]
        return "".join(
            f"<{tag}{extra}>{_literal(cell)}</{tag}>"
            for cell, extra in zip(shown, named, strict=True)
        )

    columns = [
        _fit_names(column) if k in names else column
        for k, column in enumerate(zip(*rows, strict=True))
    ]
    body = "".join(
        ('<tr class="mt-cluster">' if k in clusters else "<tr>") + f"{cells('td', row, shown)}</tr>"
        for k, (row, shown) in enumerate(zip(rows, zip(*columns, strict=True), strict=True))
    )
    st.html(
        '<div class="mt-sideways"><div class="mt-more">more columns to the right →</div>'
        f'<div class="mt-scroll"><table class="mt-table"><thead><tr>{cells("th", header, header)}</tr></thead>'
        f"<tbody>{body}</tbody></table></div></div>"
    )


def prose_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Draw a table of sentences, set left, with broken lines."""
    head = "".join(f'<th class="mt-name">{_literal(cell)}</th>' for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{_literal(cell)}</td>" for cell in row) + "</tr>"
        for row in rows[:MOST_PROSE]
    )
    st.html(
        f'<table class="mt-table mt-prose"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    )
    if len(rows) > MOST_PROSE:
        faint(f"This table shows the first {MOST_PROSE} of {len(rows):,} rows.")


def _show_grid(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    names: set[int],
    key: str,
    open_rows: bool,
    open_cells: bool,
    marks: Collection[tuple[int, int]],
    clusters: Collection[int],
) -> int | tuple[int, int] | None:
    """Draw a large table; a column with numbers (`Cell`) is sorted by them."""
    n_columns, header, rows = (
        len(header),
        header[:MOST_COLUMNS],
        [row[:MOST_COLUMNS] for row in rows],
    )
    # The browser itself would measure the first rows only.
    widths = [
        min(max(map(len, column)) * _LETTER + 20, _WIDEST)
        for column in zip(header, *rows, strict=True)
    ]
    wide = sum(widths) > _PAGE
    shown = _filter_rows(rows, key, len(header), n_columns, wide)
    cells = [rows[row] for row in shown]
    marked = frozenset(
        (at, column)
        for at, row in enumerate(shown)
        for column in range(len(header))
        if (row, column) in marks
    )
    numbers = frozenset(
        k for k in range(len(header)) if any(hasattr(row[k], "value") for row in rows)
    )
    shaded = frozenset(at for at, row in enumerate(shown) if sum(end < row for end in clusters) % 2)
    look = (tuple(header), tuple(widths), frozenset(names), numbers, marked, shaded, wide, key)
    if not (open_rows or open_cells):
        return _draw_once(_digest(cells), look, _cells=cells)
    event = _draw(
        _digest(cells),
        cells,
        look,
        on_select="rerun",
        selection_mode="single-cell" if open_cells else "single-row",
    )
    if open_cells:
        return next(((shown[row], int(column)) for row, column in event.selection.cells), None)
    chosen = event.selection.rows
    return shown[chosen[0]] if chosen else None


def _filter_rows(
    rows: Sequence[Sequence[str]], key: str, n_columns: int, of: int, wide: bool
) -> list[int]:
    """Let the rows of a long table be filtered, and show how many are out of sight; return the
    visible rows.
    """
    shown, hints, line = (
        list(range(len(rows))),
        [],
        st.container(horizontal=True, vertical_alignment="center"),
    )
    if len(rows) > MOST_PLAIN:
        text = line.text_input(
            "Filter rows",
            key=f"{key}.filter",
            placeholder="Filter rows: a name, or any other text",
            max_chars=300,
            width=320,
            label_visibility="collapsed",
        ).casefold()
        shown = [k for k in shown if any(text in cell.casefold() for cell in rows[k])]
        hints = (
            [f"{len(shown)} of {len(rows)} rows."] * bool(text)
            + [f"Scroll down for {len(shown) - _SEEN} more."] * (len(shown) > _SEEN)
            + ["Click a heading to sort."]
        )
    if len(shown) > (most := MOST_CELLS // n_columns):
        hints.insert(
            0, f"This table shows the first {most:,} of {len(shown):,} rows. Filter to see others."
        )
        shown = shown[:most]
    if of > n_columns:
        hints.append(f"This table shows the first {n_columns} of {of:,} columns.")
    elif wide:
        hints.append(f"{n_columns} columns: scroll right to see the last.")
    if hints:
        line.caption(" ".join(hints))
    return shown


def _digest(rows):
    """Return a digest of the cells and of the values that sort them."""
    found = hashlib.blake2b(digest_size=16)
    for row in rows:
        found.update("\x1f".join(row).encode("utf-8", "surrogatepass"))
        found.update(repr([getattr(cell, "value", None) for cell in row]).encode())
    return found.digest()


@st.cache_resource(max_entries=256, show_spinner=False)
def _draw_once(digest, look, _cells) -> None:
    """Draw a table without choices; Streamlit remembers what it sent, for all users who see the
    same.
    """
    _draw(digest, _cells, look)


def _draw(digest, rows, look, **more):
    *_, key = look
    frame, configs = _frame(digest, look[:-1], _rows=rows)
    return st.dataframe(
        frame,
        column_config=dict(configs),
        hide_index=True,
        key=key,
        row_height=_ROW,
        placeholder="-",
        height="content" if len(rows) <= MOST_PLAIN else _ROW * (_SEEN + 1),
        **more,
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def _frame(digest, look, _rows):
    """Return the data frame of a table, made once: for a whole task pandas takes a third of a
    second in each run.
    """
    (header, widths, names, numbers, marked, shaded, wide), rows = look, _rows
    columns, configs = {}, {}
    for k, title in enumerate(header):
        cells = [row[k] for row in rows]
        cells = (
            list(map(_set_left, cells if k in numbers else _fit_names(cells)))
            if k in names
            else cells
        )
        columns[str(k)] = pd.Series(
            [_Number(cell) for cell in cells] if k in numbers else cells, dtype=object
        )
        kind = st.column_config.NumberColumn if k in numbers else st.column_config.TextColumn
        configs[str(k)] = kind(
            title or " ",
            width=widths[k],
            pinned=wide and k in names,  # which sets them paler
            alignment="left" if k in names else "right",
        )
    frame = pd.DataFrame(columns).style.format(lambda cell: getattr(cell, "text", cell))
    if marked or shaded:
        styles = pd.DataFrame(
            [
                [
                    _MARK if (row, k) in marked else _SHADE if row in shaded else ""
                    for k in range(len(header))
                ]
                for row in range(len(rows))
            ],
            columns=list(columns),
        )
        frame = frame.apply(lambda _: styles, axis=None)
    frame.set_uuid(digest.hex())
    frame._compute()
    written = frame._translate(False, False)  # the two are what Streamlit calls, each time
    frame._compute, frame._translate = lambda: frame, lambda *_: written
    return frame, configs


def _set_left(name: str) -> str:
    """Put a mark before a name in right-to-left script, which the canvas would otherwise draw
    outside its cell.
    """
    turned = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return _LEFT_TO_RIGHT + name if turned else name


class _Number(float):
    """The value that sorts a cell of the data frame, which shows its text.

    Words sort last, and a dash shows nothing.
    """

    def __new__(cls, cell):
        value = getattr(cell, "value", math.nan if cell in ("", "-") else math.inf)
        number = super().__new__(
            cls, math.nan if value is None else f"{value:.6g}"
        )  # what a screen reader reads out
        number.text = cell
        return number


# How a page ends before its last line.


class PageEnded(BaseException):
    """A page is complete before its last line.

    Not an `Exception`: only `or_without` may catch it.
    """


def end_page() -> NoReturn:
    """End the page here, and let the frame finish: after Streamlit's own stop nothing more reaches
    the browser.
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
