"""Reports as Typst, whose tables fit their page and show every name literally."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from mtsig_core.report.document import Block, Paragraph, Report, TableBlock, Warnings
from mtsig_core.report.paper import (
    MOST_ON_A_PAGE,
    escape_last,
    list_comments,
    make_label,
    select_for_paper,
    title_lines,
    write_cells,
)
from mtsig_core.report.table import KINDS, Table, in_print
from mtsig_core.report.text import printable, read_template

#: #mtsig-fit shrinks a table that is wider than its page, #mtsig-note sets what belongs to a table.
TYPST_PREAMBLE = read_template("preamble.typ")
_MARK_UP = r"[\\#$*_`<>@\[\]~\"'/]"
_AT_START = r"\A(?:[-+=](?=\s|\Z|=)|\d+(\.)(?=\s|\Z))"  # a list, a heading
_SHORTHAND = r"(?<!\w)-(?=\d)|-(?=[-?])|(?<=-)-|\.(?=\.)|(?<=\.)\."  # a dash, an ellipsis
_ESCAPED = re.compile(f"{_MARK_UP}|{_AT_START}|{_SHORTHAND}")
_SPACE = re.compile(r"\A | \Z|(?<= ) ")
_ALIGN = {"<": "left", "^": "center", ">": "right"}


def escape_typst(text: str) -> str:
    r"""Text that Typst shows literally.

    >>> print(escape_typst("50% of #A_1 at -2..."))
    50% of \#A\_1 at \-2\.\.\.
    """
    escaped = _ESCAPED.sub(escape_last, printable(text))
    return _SPACE.sub(r"\\u{20}", escaped)


def report_typst(report: Report) -> str:
    """Write a complete Typst file, which a document may also take in with ``#include``.

    Comments at the top repeat the warnings. Each table has what is needed to read it; how it was
    tested is written once.
    """
    comments: list[str] = []
    output: list[str] = []
    labels: Counter[str] = Counter()
    for block in select_for_paper(report):
        comments += list_comments(block)
        output += _write_block(block, labels)
    head = TYPST_PREAMBLE + "".join(f"// {line}\n" for line in comments)
    return "\n".join([head, *output])


def _write_block(block: Block, labels: Counter[str]) -> list[str]:
    match block:
        case TableBlock(caption=""):
            return []
        case TableBlock():
            return [table_typst(block, make_label(block.title, labels))]
        case Paragraph(role="methods" | "printed"):
            return [f"*{escape_typst(block.about)}: methods.* {escape_typst(block.text)}\n"]
        case Paragraph(role="text") if block.about:
            return [f"*{escape_typst(block.about)}.* {escape_typst(block.text)}\n"]
        case Paragraph() | Warnings():
            return []
    raise TypeError(type(block))


def table_typst(block: TableBlock, label: str) -> str:
    """A table with its caption and what is needed to read it.

    It floats and fits its page, except where its rows need several pages.
    """
    table = block.table.for_readers()
    legend = table.legend.explain(table, marked="Bold", grey="Grey", dark="Dark grey")
    header = ", ".join(map(_write_title, table.titles))
    aligned = ", ".join(_ALIGN[KINDS[column.kind].side] for column in table.columns)
    lines = [
        f"table(columns: {len(table.columns)}, align: ({aligned},), stroke: none, inset: (x: 4pt, y: 3pt),",
        "table.hline(),",
        f"table.header({header}),",
        "table.hline(stroke: .5pt),",
        *_row_lines(table, write_cells(table, block.print_names)),
        "table.hline(),",
        ")",
    ]
    body = "\n  ".join(lines)
    if len(table.rows) <= MOST_ON_A_PAGE:
        body = f"mtsig-fit({body})"
    note = " ".join([*block.notes, *legend, *block.caveats])
    figure = f"#figure(kind: table, caption: [{escape_typst(block.caption)}],\n  {body},\n) <tab-mtsig-{label}>"
    return f"{figure}\n#mtsig-note[{escape_typst(note)}]\n"


def _write_title(title: str) -> str:
    lines = r" \ ".join(map(escape_typst, title_lines(title)))
    return f"[{lines}]"


def _row_lines(table: Table, texts: Sequence[Sequence[str]]) -> list[str]:
    lines = []
    name_key = table.name_key()
    for number, row in enumerate(texts):
        cells = []
        for column, text in zip(table.columns, row, strict=True):
            cell = escape_typst(in_print(column.kind, text))
            if (number, column.key) in table.marks:
                cell = f"*{cell}*"
            fill = ""
            if number in table.grey:
                fill = "mtsig-grey"
            if number in table.dark and column.key == name_key:
                fill = "mtsig-dark"
            cells.append(f"{fill}[{cell}]")
        lines.append(f"{', '.join(cells)},")
        if number in table.ruled:
            lines.append("table.hline(stroke: .5pt),")
    return lines
