"""Text on screen. Names of systems, files and documents are data: everything passes through `escape` here."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import isnan
from typing import NoReturn

import streamlit as st

from mtsig_core import Caution, MtsigError
from mtsig_core.errors import Remedy
from mtsig_core.report.cells import Cell
from mtsig_core.report.table import KINDS, MISSING, Table
from mtsig_core.report.text import printable_lines
from mtsig_core.report.words import group_cautions
from mtsig_core.stats.settings import SETTINGS
from pages._ui import grid

#: The label of the control by the argument it gives; what is not here is given elsewhere than in the sidebar.
LABELS = {"metrics": "Metric", "tokenize": "Tokenizer", "rank_rule": "Ranks", "exclude": "Leave out systems",
          "refs_as_systems": "References take part as systems",
          **{name: setting.title for name, setting in SETTINGS.items() if setting.offered}}
_TRIALS = SETTINGS["trials"].list_offers(False, {})


def in_side_bar(remedies: Iterable[Remedy]) -> str:
    """Whin the sidebarbar has of them, as a sentence; empty where it has nothing.

    >>> in_side_bar([{"unit": "document"}, {"trials": 2345}, {"docs": "FILE"}, {"refs_as_systems": True}])
    'In the sidebar: Unit = document, or Trials = 4999, or References take part as systems.'
    """
    told = [" with ".join(_set(name, value) for name, value in remedy.items()) for remedy in remedies
            if all(map(_is_there, *zip(*remedy.items(), strict=True)))]
    return f"In the sidebar: {', or '.join(told)}." if told else ""


def _is_there(name: str, value: str | int) -> bool:
    """Whether the sidebar has it; only the name of a system may be in capitals and not stand for what is to find."""
    if name == "trials":
        return int(value) <= _TRIALS[-1]
    return name in LABELS and (name == "exclude" or not str(value).isupper())


def _set(name: str, value: str | int) -> str:
    if name == "trials":
        value = next(offered for offered in _TRIALS if offered >= int(value))
    return LABELS[name] if value is True else f"{LABELS[name]} = {value}"


#: Hebrew, Arabic and their kin, with what joins the words of one name; names in a list are further apart.
_RIGHT_TO_LEFT = re.compile("[{0}](?:[ '._-]?[{0}])*".format("\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"))
_LONGEST = 5000  # characters of a message, which may list what a stranger wrote
_STYLE = """<style>
[data-testid="stMainBlockContainer"] {padding: 3.5rem 3rem 3rem}
[data-testid="stMainBlockContainer"] h1 {font-size: 2.25rem; padding-top: .5rem; padding-bottom: .75rem}
[data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] p {color: inherit}
[data-testid="stCaptionContainer"] {opacity: .8}
.st-key-page_top {position: absolute} /* has nothing to show, and would be a gap */
.mt-status {overflow-wrap: anywhere; opacity: .8; font-size: .85rem; margin: -.5rem 0 .5rem}
.mt-plain {overflow-wrap: anywhere}
.mt-answer {font-size: 1.5rem; line-height: 1.3; font-weight: 600; margin: 0 0 .25rem; overflow-wrap: anywhere}
.mt-numbers {display: flex; flex-wrap: wrap; gap: .5rem 3rem; margin: .25rem 0}
.mt-big {font-size: 2.5rem; line-height: 1.1; font-weight: 600; font-variant-numeric: tabular-nums}
.mt-faint {opacity: .8; font-size: .85rem}
.mt-box {border-left: 4px solid; padding: .5rem .75rem; margin: .35rem 0; border-radius: .25rem;
         background: color-mix(in srgb, currentColor 6%, transparent); overflow-wrap: anywhere; white-space: pre-line}
.mt-error {border-color: #D55E00} .mt-caution {border-color: #E69F00; font-size: .9rem}
/* A table wider than the page says so until its last column is in sight: the timeline stands only where it scrolls. */
.mt-sideways {timeline-scope: --mt-x} .mt-scroll {overflow-x: auto; scroll-timeline: --mt-x inline}
.mt-more {max-height: 0; overflow: hidden; visibility: hidden; text-align: right; font-size: .85rem;
          animation: mt-more linear both; animation-timeline: --mt-x}
@keyframes mt-more {0%, 95% {max-height: 2em; visibility: visible} 100% {max-height: 2em; visibility: hidden}}
.mt-table {border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem}
.mt-table th {text-align: right; font-weight: 600; padding: .3rem .6rem; border-bottom: 2px solid currentColor;
              vertical-align: bottom}
.mt-table td {text-align: right; padding: .22rem .6rem; white-space: nowrap;
              border-bottom: 1px solid color-mix(in srgb, currentColor 14%, transparent)}
.mt-table .mt-cluster td {border-bottom: 1px solid currentColor}
.mt-table .mt-name {text-align: left; max-width: 24rem; overflow: hidden; text-overflow: ellipsis}
.mt-table td.mt-text {text-align: left; white-space: normal; min-width: 12rem} .mt-table th.mt-text {text-align: left}
.mt-table.mt-prose td {white-space: normal; overflow-wrap: anywhere; min-width: 4rem; text-align: left;
                       vertical-align: top}
.mt-table.mt-prose td:first-child {min-width: 6.5rem}
/* Figures are drawn for all widths: on a phone they have what room there is, and smaller notes. */
@media (max-width: 640px) {
[data-testid="stMainBlockContainer"] {padding: 3.5rem 1rem 3rem}
.annotation-text {font-size: 12px !important}
}
</style>"""


def escape(text: str) -> str:
    """Text made safe for `st.html`, which neither interprets Markdown nor, after this, tags."""
    return html.escape(str(text))


def _literal(text: str) -> str:
    """The same between tags, where what is written from right to left stands apart from what comes before and after:
    else a browser sets "+4.5e-07" after such a name as "4.5+" and "e-07" on two sides of it. A character that would
    turn what follows it, or that nobody sees, is an escape."""
    return _RIGHT_TO_LEFT.sub(r"<bdi>\g<0></bdi>", escape(printable_lines(str(text))))


def status(*lines: Iterable[str]) -> None:
    """Lines that say what is loaded and how it is tested, each made of short phrases."""
    joined = "<br>".join(_literal(" · ".join(line)) for line in map(list, lines) if line)
    st.html(f'{_STYLE}<div class="mt-status">{joined}</div>')


def answer(text: str) -> None:
    """The answer of the page, in one sentence."""
    st.html(f'{_STYLE}<div class="mt-answer" role="status">{_literal(text)}</div>')


def numbers(*found: tuple[str, str, str]) -> None:
    """Big numbers in a row, each as (what it is, the number, a note in faint)."""
    cells = "".join(f'<div><div>{_literal(what)}</div><div class="mt-big">{_literal(number)}</div>'
                    f'<div class="mt-faint">{_literal(note)}</div></div>' for what, number, note in found)
    st.html(f'{_STYLE}<div class="mt-numbers">{cells}</div>')


def plain(text: str) -> None:
    """A paragraph, shown literally."""
    st.html(f'<div class="mt-plain">{_literal(text)}</div>')


def faint(text: str) -> None:
    """A remark below what it is about, shown literally."""
    st.html(f'<div class="mt-plain mt-faint">{_literal(text)}</div>')


def error(told: str | MtsigError) -> None:
    """A message about something the user can mend, and where."""
    text = f"{told} {in_side_bar(getattr(told, 'remedies', ()))}".rstrip()
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    st.html(f'{_STYLE}<div class="mt-box mt-error" role="alert">{_literal(text)}</div>')


def messages(texts: Iterable[str]) -> None:
    """Messages above the title of a page, clear of the toolbar."""
    boxes = "".join(f'<div class="mt-box mt-error" role="alert">{_literal(text)}</div>' for text in texts)
    if boxes:
        st.html(f'{_STYLE}<div style="margin-top: 1.75rem">{boxes}</div>')


def caution_box(text: str) -> None:
    """One warning."""
    st.html(f'{_STYLE}<div class="mt-box mt-caution">{_literal(text)}</div>')


def cautions(found: Iterable[Caution], several: bool = False) -> None:
    """Warnings, a box for each kind; with the metric they are about where there are several."""
    boxes = [f'<div class="mt-box mt-caution">{"<br>".join(map(_literal, texts))}</div>'
             for texts in group_cautions(found, several=several, say=in_side_bar)]
    if boxes:
        st.html(_STYLE + "".join(boxes))


def show_table(shown: Table, key: str | None = None, *, open_rows: bool = False, open_cells: bool = False,
               prose: bool = False) -> int | tuple[int, str] | None:
    """A `Table` of the reports, by the kinds of its columns.

    Names are set left and cut when too long. A long table can be sorted and filtered, as can one of which rows or cells
    can be opened. Where a page has two of the same key and as many rows, they need keys. In a table of `prose` all
    cells are sentences.

    Returns
    -------
    int, (int, str) or None
        The row that was chosen, or the row and the key of the column of a cell that was.
    """
    if prose:
        return prose_table(shown.titles, shown.texts())
    shown = shown.for_readers()
    kinds = [column.kind for column in shown.columns]
    rows = [[Cell(text, number) if KINDS[column.kind].is_number and text not in ("", MISSING)
             and not isnan(number := column.sort_key(value)) else text
             for column, value, text in zip(shown.columns, *both, strict=True)]
            for both in zip(shown.rows, shown.texts(), strict=True)]
    names = {k for k, kind in enumerate(kinds) if kind in ("name", "pair") or kind == "rank" and not k}
    texts = {k for k, kind in enumerate(kinds) if kind == "text"}
    if not (open_rows or open_cells or shown.marks or len(rows) > grid.MOST_PLAIN or len(kinds) > grid.MOST_COLUMNS):
        return _draw_plain(shown.titles, rows, names, texts, shown.ruled)
    marks = {(row, shown.keys.index(column)) for row, column in shown.marks}
    chosen = grid.show(shown.titles, rows, {*names, *texts}, key or f"{shown.key} {len(rows)}", open_rows,
                       open_cells=open_cells, marks=marks, clusters=shown.ruled)
    return (chosen[0], shown.keys[chosen[1]]) if isinstance(chosen, tuple) else chosen


def _draw_plain(header: Sequence[str], rows: Sequence[Sequence[str]], names: Collection[int], texts: Collection[int],
                clusters: Collection[int]) -> None:
    """All rows at once, with a line below those that end a cluster."""
    def cells(tag, row, shown):
        named = [f' class="mt-name" title="{escape(cell)}"' if k in names else ' class="mt-text"' if k in texts else ""
                 for k, cell in enumerate(row)]
        return "".join(f"<{tag}{extra}>{_literal(cell)}</{tag}>" for cell, extra in zip(shown, named, strict=True))

    columns = [grid.apart(column) if k in names else column for k, column in enumerate(zip(*rows, strict=True))]
    body = "".join(('<tr class="mt-cluster">' if k in clusters else "<tr>") + f"{cells('td', row, shown)}</tr>"
                   for k, (row, shown) in enumerate(zip(rows, zip(*columns, strict=True), strict=True)))
    st.html(f'{_STYLE}<div class="mt-sideways"><div class="mt-more">more columns to the right →</div>'
            f'<div class="mt-scroll"><table class="mt-table"><thead><tr>{cells("th", header, header)}</tr></thead>'
            f"<tbody>{body}</tbody></table></div></div>")


def prose_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table of sentences: set left, with lines broken."""
    head = "".join(f'<th class="mt-name">{_literal(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{_literal(cell)}</td>" for cell in row) + "</tr>"
                   for row in rows[:grid.MOST_PROSE])
    st.html(f'{_STYLE}<table class="mt-table mt-prose"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>')
    if len(rows) > grid.MOST_PROSE:
        faint(f"This table shows the first {grid.MOST_PROSE} of {len(rows):,} rows.")


# How a page ends before its last line.


class PageEnded(BaseException):
    """A page has said all it can. No `Exception`: no page is to catch it but by `or_without`."""


def end_page() -> NoReturn:
    """End the page here; the frame still does its part: after Streamlit's own stop nothing more reaches the browser."""
    raise PageEnded


@contextmanager
def or_end_page() -> Iterator[None]:
    """Say why something cannot be had, and end the page."""
    try:
        yield
    except MtsigError as problem:
        error(problem)
        end_page()


def or_without() -> suppress:
    """What comes after stays where this part was cancelled or asks whether to run: it can do without."""
    return suppress(PageEnded)
