"""Reports as Markdown with GitHub's tables, which shows every name literally."""

from __future__ import annotations

import re

from wcwidth import width as text_width

from mtsig_core.report.caution_words import group_cautions, list_assumptions
from mtsig_core.report.document import (
    Assumptions,
    Block,
    Paragraph,
    Report,
    TableBlock,
    Warnings,
    is_verdict,
)
from mtsig_core.report.paper import (
    MOST_ON_A_PAGE,
    PAPER_PLACES,
    escape_last,
    is_on_paper,
    write_cells,
)
from mtsig_core.report.table import KINDS, Table, in_print
from mtsig_core.report.text import ALIGN, printable

_MARK_UP = re.compile(r"[\\`*_{}\[\]<>#|~$&!@]|\A(?:[-+=]|\d+[.)])(?=\s|\Z|[-=])")
_RULES = {"<": ":---", "^": ":---:", ">": "---:"}
_DASH = "\N{EM DASH}"  # in each cell of a row that stands for a line
_ROLES = ("remark", "printed", "note", "hint")  # of paragraphs that Markdown has no room for


def escape_markdown(text: str) -> str:
    r"""Text that Markdown shows literally.

    >>> print(escape_markdown("A_1 | <b>"))
    A\_1 \| \<b\>
    """
    return _MARK_UP.sub(escape_last, printable(text)).replace("  ", "&nbsp; ")


def report_markdown(report: Report) -> str:
    """The report in Markdown: the first verdict on top, tables with what is needed to read them."""
    title = f"# {escape_markdown(report.title)}"
    headline: list[str] = []
    paragraphs: list[str] = []
    if report.simulated:
        paragraphs.append(escape_markdown(report.simulated))
    for section, blocks in report.select_blocks(PAPER_PLACES, _is_shown):
        texts: list[str] = []
        for block in blocks:
            if is_verdict(block) and not headline:
                headline = block_markdown(block)
            else:
                texts += block_markdown(block)
        if section.title and texts:
            paragraphs.append(f"{'#' * section.depth} {escape_markdown(section.title)}")
        paragraphs += texts
    return "\n\n".join([title, *headline, *paragraphs]) + "\n"


def _is_shown(block: Block) -> bool:
    match block:
        case Paragraph():
            return block.role not in _ROLES
        case TableBlock(is_detail=True) if len(block.table.rows) > MOST_ON_A_PAGE:
            return False  # CSV has all
        case Assumptions():
            return True
    return is_on_paper(block)


def block_markdown(block: Block) -> list[str]:
    """The paragraphs of a block."""
    match block:
        case Paragraph(role="verdict"):
            return [f"**{escape_markdown(_write_paragraph(block))}**"]
        case Paragraph():
            return [escape_markdown(_write_paragraph(block))]
        case Warnings(cautions=cautions, several=several):
            groups = group_cautions(cautions, several=several)
            return [f"> **Warning:** {escape_markdown(' '.join(texts))}" for texts in groups]
        case Assumptions():
            return list(map(escape_markdown, list_assumptions(block.assumed, block.metrics)))
        case TableBlock(in_short="", table=table):
            sentences = [*block.notes, *table.legend.explain(table, "Bold", "A row of dashes")]
            sentences += table.legend.name_shaded(table)
            paragraphs = ["\n".join(_list_lines(block)), escape_markdown(" ".join(sentences))]
            return list(filter(None, paragraphs))
        case TableBlock():
            return [escape_markdown(block.in_short)]
    raise TypeError(type(block))


def _write_paragraph(block: Paragraph) -> str:
    if not block.about:
        return block.text
    return f"{block.about.removesuffix(':')}: {block.text}"


def _list_lines(block: TableBlock) -> list[str]:
    """A table whose columns are aligned for readers of the source too."""
    table: Table = block.table.for_readers()
    sides = [KINDS[column.kind].side for column in table.columns]
    rows = [list(map(escape_markdown, table.titles)), [_RULES[side] for side in sides]]
    for number, row in enumerate(write_cells(table, block.print_names)):
        cells = []
        for column, text in zip(table.columns, row, strict=True):
            cell = escape_markdown(in_print(column.kind, text))
            if (number, column.key) in table.marks:
                cell = f"**{cell}**"
            cells.append(cell)
        rows.append(cells)
        if number in table.ruled:
            rows.append([_DASH for _ in cells])
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        places = zip(row, sides, widths, strict=True)
        cells = [ALIGN[side](cell, width) for cell, side, width in places]
        lines.append(f"| {' | '.join(cells)} |")
    return lines
