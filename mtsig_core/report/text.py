"""Reports and tables as text for a terminal, whose width the tables fit."""

from __future__ import annotations

import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

from mtsig_core.caution import Caution
from mtsig_core.report.caution_words import group_cautions
from mtsig_core.report.commands import remedy_options
from mtsig_core.report.document import Block, Facts, Paragraph, Report, TableBlock, Warnings
from mtsig_core.report.table import KINDS, Table
from mtsig_core.testset import show_name

_NARROWEST = 40  # characters: nothing is set for less
_GAP = "  "


def read_template(name: str) -> str:
    """A file of the folder `templates`, as it is."""
    return Path(__file__).with_name("templates").joinpath(name).read_text("utf-8")


def printable(text: str) -> str:
    """The text with everything that a terminal might obey (control and direction characters) made
    visible.
    """
    return text if text.isprintable() else show_name(text)


def terminal_width() -> int | None:
    """Characters of a line; None where output goes to a file or another program, which wants rows
    whole.
    """
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return max(_NARROWEST, shutil.get_terminal_size().columns) if is_terminal else None


def report_text(report: Report, width: int | None = None) -> str:
    """The whole of it; a verdict stands in place of the title of its section, and tables fit
    `width`.
    """
    lines: list[str] = []
    for section, blocks in report.sections_for("text"):
        lines += [""] if lines else []
        if section.title and not any(
            isinstance(block, Paragraph) and block.role == "verdict" for block in blocks
        ):
            lines.append(printable(section.title))
        for before, block in zip([None, *blocks], blocks, strict=False):
            apart = (
                isinstance(before, TableBlock) or before is not None and isinstance(block, Warnings)
            )
            lines += [""] * apart
            lines += _block_lines(block, width)
    return "\n".join(lines).rstrip() + "\n"


def warn(cautions: Iterable[Caution]) -> None:
    """Print warnings to standard error, a line each, with the options that help; three of a kind,
    and how many more.
    """
    for texts in _grouped(cautions, several=False):
        for text in texts:
            print(f"Warning: {printable(text)}", file=sys.stderr)


def printable_lines(text: str) -> str:
    """Like `printable`, with line ends kept."""
    return "\n".join(map(printable, text.split("\n")))


def _grouped(cautions: Iterable[Caution], several: bool) -> list[list[str]]:
    return group_cautions(
        cautions,
        several=several,
        say=lambda remedies: f"Options: {remedy_options(remedies)}." if remedies else "",
    )


def _block_lines(block: Block, width: int | None) -> list[str]:
    match block:
        case Paragraph(text=text, role=role, about=about):
            named = {
                "verdict": f"{about}. ",
                "methods": f"{about}: ",
                "signature": f"{about} ",
                "warning": "Warning: ",
            }
            return _wrap((named.get(role, "") if about or role == "warning" else "") + text, width)
        case Warnings():
            return [
                line
                for texts in _grouped(block.cautions, block.several)
                for line in (
                    "",
                    *(line for text in texts for line in _wrap(f"Warning: {text}", width)),
                )
            ][1:]
        case TableBlock():
            return [
                *table_text(block.table, width),
                *(line for note in block.notes for line in _wrap(note, width)),
            ]
        case Facts():
            return [line for name, text in block.pairs for line in _wrap(f"{name}: {text}", width)]
    raise TypeError(type(block))


def _wrap(text: str, width: int | None) -> list[str]:
    """A paragraph in lines that fit, broken between words; a signature has none, and can be copied
    whole.
    """
    text = printable(text)
    return (
        [text]
        if width is None
        else textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
    )


def table_text(table: Table, width: int | None = None) -> list[str]:
    """The lines of a table.

    Where it is wider than `width`, its heads are set in lines, then its long names, and at last its
    columns are given in several blocks, each with the names on the left. Cells that stand out end
    with an asterisk.

    >>> from mtsig_core.report.table import Column
    >>> print(*table_text(Table("toy", (Column("system", "system", "name"), Column("n", "segments", "count")),
    ...                         (("A", 1000), ("B", None)))), sep="\\n")
    system  segments
    A          1,000
    B              -
    """
    table = table.for_readers()
    head = [[printable(title)] for title in table.titles]
    body = [
        [
            [printable(cell) + "*" * ((number, key) in table.marks)]
            for key, cell in zip(table.keys, row, strict=True)
        ]
        for number, row in enumerate(table.texts())
    ]
    sides = [KINDS[column.kind].side for column in table.columns]
    widths = _widths(head, body)
    if width is None or _whole(widths) <= width:
        return _lines(table, head, body, sides, list(range(len(widths))))
    head = [
        textwrap.wrap(
            title[0], max(9, *(text_width(row[k][0]) for row in body)), break_long_words=False
        )
        or [""]
        if body
        else title
        for k, title in enumerate(head)
    ]
    if _whole(_widths(head, body)) > width:
        most = max(12, width // 4)
        body = [[_broken(cell[0], most) for cell in row] for row in body]
    lines: list[str] = []
    for places in _blocks(_widths(head, body), _name_columns(table), width):
        lines += ([""] if lines else []) + _lines(table, head, body, sides, places)
    return lines


def _name_columns(table: Table) -> list[int]:
    """The columns on the left that say what a row is about: all up to the last name of those it
    begins with.
    """
    kinds = [column.kind for column in table.columns]
    last = next((k for k, kind in enumerate(kinds) if kind in ("name", "pair")), 0)
    while last + 1 < len(kinds) and kinds[last + 1] in ("name", "pair"):
        last += 1
    return list(range(last + 1))


def _blocks(widths: Sequence[int], first: Sequence[int], width: int) -> list[list[int]]:
    """Columns in blocks that fit, each with the first ones; a column that fits in none has one of
    its own.
    """
    blocks, base = [[*first]], _whole([widths[k] for k in first])
    for k in range(len(first), len(widths)):
        if len(blocks[-1]) > len(first) and _whole([widths[j] for j in (*blocks[-1], k)]) > max(
            width, base
        ):
            blocks.append([*first])
        blocks[-1].append(k)
    return blocks


def _lines(
    table: Table,
    head: list[list[str]],
    body: list[list[list[str]]],
    sides: Sequence[str],
    places: Sequence[int],
) -> list[str]:
    widths = _widths(head, body)
    rule = "-" * _whole([widths[k] for k in places])
    lines = []
    for number, row in enumerate([head, *body], -1):
        height = max(len(row[k]) for k in places)
        for at in range(height):
            cells = [
                _pad(_line(row[k], at, height, number < 0), widths[k], sides[k]) for k in places
            ]
            lines.append(_GAP.join(cells).rstrip())
        if number in table.ruled:
            lines.append(rule)
    return lines


def _line(cell: list[str], at: int, height: int, is_head: bool) -> str:
    """One line of a cell; heads stand at the bottom of their row, other cells at the top."""
    place = at - (height - len(cell)) if is_head else at
    return cell[place] if 0 <= place < len(cell) else ""


def _broken(text: str, most: int) -> list[str]:
    return [text] if text_width(text) <= most else textwrap.wrap(text, most) or [""]


def _widths(head: list[list[str]], body: list[list[list[str]]]) -> list[int]:
    return [
        max(text_width(line) for row in [head, *body] for line in row[k]) for k in range(len(head))
    ]


def _whole(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def text_width(text: str) -> int:
    """Columns that a terminal gives the text: East Asian wide characters take two, combining ones
    none.
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(ch) else 2 if unicodedata.east_asian_width(ch) in "WF" else 1
        for ch in text
    )


def _pad(text: str, width: int, side: str) -> str:
    space = width - text_width(text)
    left = {"<": 0, "^": space // 2, ">": space}[side]
    return " " * left + text + " " * (space - left)
