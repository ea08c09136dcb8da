"""Reports and tables as text for a terminal, whose width the tables fit."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wcwidth import ljust, rjust, wrap
from wcwidth import width as text_width

from mtsig_core.caution import Caution
from mtsig_core.errors import Remedy
from mtsig_core.report.caution_words import group_cautions, list_assumptions
from mtsig_core.report.commands import remedy_options
from mtsig_core.report.document import (
    Assumptions,
    Block,
    Facts,
    Figure,
    Paragraph,
    Report,
    TableBlock,
    Warnings,
    is_verdict,
)
from mtsig_core.report.table import KINDS, Table
from mtsig_core.testset import show_name

_NARROWEST = 40  # characters: nothing is set for less
_NARROWEST_HEAD = 9
_NARROWEST_CELL = 12
_GAP = "  "
_PLACES = ("main", "caveats", "detail", "terminal")
_OTHER_ROLES = ("remark", "printed", "paper")  # of paragraphs that text has no room for
_BEFORE_ABOUT = {"verdict": ". ", "methods": ": ", "signature": " "}


def read_template(name: str) -> str:
    """A file of the folder `templates`, as it is."""
    return Path(__file__).with_name("templates").joinpath(name).read_text("utf-8")


def printable(text: str) -> str:
    """The text with what a terminal might obey made visible: control and direction characters."""
    if text.isprintable():
        return text
    return show_name(text)


def printable_lines(text: str) -> str:
    """Like `printable`, with line ends kept."""
    return "\n".join(map(printable, text.split("\n")))


def terminal_width() -> int | None:
    """Characters of a line.

    None where output goes to a file or another program, which needs unbroken rows.
    """
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return max(_NARROWEST, shutil.get_terminal_size().columns)


def print_note(text: str) -> None:
    """Print to standard error, in one line, what a command does that nobody asked for."""
    print(f"mtsig: {printable(text)}", file=sys.stderr)


def warn(cautions: Iterable[Caution]) -> None:
    """Print warnings to standard error, a line each, with the options that help.

    Three of a kind are printed, and how many more there are.
    """
    for texts in _group_with_options(cautions, several=False):
        for text in texts:
            print(f"Warning: {printable(text)}", file=sys.stderr)


def _group_with_options(cautions: Iterable[Caution], several: bool) -> list[list[str]]:
    return group_cautions(cautions, several=several, say=_name_options)


def _name_options(remedies: Sequence[Remedy]) -> str:
    if not remedies:
        return ""
    return f"Options: {remedy_options(remedies)}."


# -------------------------------------------------------------------------------------------------
# Reports.


def report_text(report: Report, width: int | None = None) -> str:
    """The report as text, whose tables fit `width`.

    A verdict replaces the title of its section.
    """
    lines: list[str] = []
    for section, blocks in report.select_blocks(_PLACES, _is_shown):
        if lines:
            lines.append("")
        if section.title and not any(map(is_verdict, blocks)):
            lines.append(printable(section.title))
        before: Block | None = None
        for block in blocks:
            if _is_apart(before, block):
                lines.append("")
            lines += _block_lines(block, width)
            before = block
    return "\n".join(lines).rstrip() + "\n"


def _is_shown(block: Block) -> bool:
    """Whether text has the block; it has a matrix in signs, not in numbers."""
    match block:
        case Paragraph():
            return block.role not in _OTHER_ROLES
        case TableBlock():
            is_elsewhere = block.is_detail or block.medium == "paper"
            return not is_elsewhere and not block.table.has_kind("matrix")
        case Figure() | Facts():
            return False
    return True


def _is_apart(before: Block | None, block: Block) -> bool:
    """Whether an empty line separates two blocks."""
    if before is None:
        return False
    is_after_table = isinstance(before, TableBlock) and not before.in_short
    return is_after_table or isinstance(block, Warnings)


def _block_lines(block: Block, width: int | None) -> list[str]:
    match block:
        case Paragraph():
            return _wrap(_write_paragraph(block), width)
        case Warnings():
            return _caution_lines(block, width)
        case Assumptions():
            sentences = list_assumptions(block.assumed, block.metrics, remedies=True)
            return _wrap_all(sentences, width)
        case TableBlock(in_short="", table=table):
            legend = table.legend.explain(table, marked="*") + table.legend.name_shaded(table)
            return [*table_text(table, width), *_wrap_all([*block.notes, *legend], width)]
        case TableBlock():
            return _wrap(block.in_short, width)
    raise TypeError(type(block))


def _write_paragraph(block: Paragraph) -> str:
    if block.role == "warning":
        return f"Warning: {block.text}"
    if block.about and block.role in _BEFORE_ABOUT:
        return f"{block.about}{_BEFORE_ABOUT[block.role]}{block.text}"
    return block.text


def _caution_lines(block: Warnings, width: int | None) -> list[str]:
    lines: list[str] = []
    for texts in _group_with_options(block.cautions, block.several):
        if lines:
            lines.append("")
        lines += _wrap_all([f"Warning: {text}" for text in texts], width)
    return lines


def _wrap_all(texts: Iterable[str], width: int | None) -> list[str]:
    lines: list[str] = []
    for text in texts:
        lines += _wrap(text, width)
    return lines


def _wrap(text: str, width: int | None) -> list[str]:
    """A paragraph in lines that fit, broken between words.

    A signature has no spaces, so it is not broken and can be copied.
    """
    text = printable(text)
    if width is None:
        return [text]
    return wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


# -------------------------------------------------------------------------------------------------
# Tables.


def _center(text: str, width: int) -> str:
    left = (width - text_width(text)) // 2
    return ljust(rjust(text, left + text_width(text)), width)


#: By the side of a kind of column, what fills a cell with spaces to a width.
ALIGN: dict[str, Callable[[str, int], str]] = {"<": ljust, "^": _center, ">": rjust}


def table_text(table: Table, width: int | None = None) -> list[str]:
    r"""The lines of a table.

    Where it is wider than `width`, its heads are broken into lines, then its long names. At last its
    columns are given in several blocks, each with the names on the left. Cells that stand out end
    with an asterisk.

    >>> from mtsig_core.report.table import Column
    >>> print(*table_text(Table("toy", (Column("system", "system", "name"), Column("n", "segments", "count")),
    ...                         (("A", 1000), ("B", None)))), sep="\n")
    system  segments
    A          1,000
    B              -
    """
    table = table.for_readers()
    grid = _Grid(
        head=[[printable(title)] for title in table.titles],
        body=_write_cells(table),
        sides=[KINDS[column.kind].side for column in table.columns],
        ruled=table.ruled,
    )
    if width is None or _full_width(grid.widths()) <= width:
        return grid.lines(range(len(table.columns)))
    grid.wrap_heads()
    if _full_width(grid.widths()) > width:
        grid.wrap_cells(max(_NARROWEST_CELL, width // 4))
    lines: list[str] = []
    for block in grid.split_columns(_name_columns(table), width):
        if lines:
            lines.append("")
        lines += grid.lines(block)
    return lines


def _write_cells(table: Table) -> list[list[list[str]]]:
    """The lines of each cell, which is one line before it is wrapped."""
    body = []
    for number, texts in enumerate(table.texts()):
        row = []
        for key, text in zip(table.keys, texts, strict=True):
            line = printable(text)
            if (number, key) in table.marks:
                line += "*"
            row.append([line])
        body.append(row)
    return body


def _name_columns(table: Table) -> list[int]:
    """The columns on the left that say what a row is about: up to the first names."""
    kinds = [column.kind for column in table.columns]
    is_name = [kind in ("name", "pair") for kind in kinds]
    if True not in is_name:
        return [0]
    end = is_name.index(True) + 1
    while end < len(kinds) and is_name[end]:
        end += 1
    return list(range(end))


@dataclass
class _Grid:
    """The lines of each cell of a table, and how they are set."""

    head: list[list[str]]
    body: list[list[list[str]]]
    sides: Sequence[str]
    ruled: Collection[int]

    def widths(self) -> list[int]:
        widths = [0 for _ in self.head]
        for row in (self.head, *self.body):
            for column, lines in enumerate(row):
                widths[column] = max(widths[column], *map(text_width, lines))
        return widths

    def wrap_heads(self) -> None:
        """Break each head into lines that are as wide as the cells below it."""
        if not self.body:
            return
        for column, (title, *_) in enumerate(self.head):
            widest_cell = max(text_width(row[column][0]) for row in self.body)
            limit = max(_NARROWEST_HEAD, widest_cell)
            self.head[column] = wrap(title, limit, break_long_words=False) or [""]

    def wrap_cells(self, limit: int) -> None:
        for row in self.body:
            for column, (text, *_) in enumerate(row):
                if text_width(text) > limit:
                    row[column] = wrap(text, limit) or [""]

    def split_columns(self, names: Sequence[int], width: int) -> list[list[int]]:
        """Columns in blocks that fit, each with the names first.

        A column that fits in none has a block of its own.
        """
        widths = self.widths()
        limit = max(width, _full_width([widths[k] for k in names]))
        blocks = [[*names]]
        for column in range(len(names), len(widths)):
            longer = [*blocks[-1], column]
            fits = _full_width([widths[k] for k in longer]) <= limit
            if fits or len(blocks[-1]) == len(names):
                blocks[-1] = longer
            else:
                blocks.append([*names, column])
        return blocks

    def lines(self, columns: Sequence[int]) -> list[str]:
        """The lines of some columns: a head at the bottom of its row, other cells at the top."""
        widths = self.widths()
        height = max(len(self.head[column]) for column in columns)
        head = []
        for cell in self.head:
            above = ["" for _ in range(height - len(cell))]
            head.append(above + cell)
        lines = self._row_lines(head, columns, widths)
        rule = "".ljust(_full_width([widths[k] for k in columns]), "-")
        for number, row in enumerate(self.body):
            lines += self._row_lines(row, columns, widths)
            if number in self.ruled:
                lines.append(rule)
        return lines

    def _row_lines(
        self, row: Sequence[Sequence[str]], columns: Sequence[int], widths: Sequence[int]
    ) -> list[str]:
        lines = []
        for k in range(max(len(row[column]) for column in columns)):
            cells = []
            for column in columns:
                text = ""
                if k < len(row[column]):
                    text = row[column][k]
                align = ALIGN[self.sides[column]]
                cells.append(align(text, widths[column]))
            lines.append(_GAP.join(cells).rstrip())
        return lines


def _full_width(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)
