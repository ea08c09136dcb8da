"""What LaTeX, Typst and Markdown share: the blocks and cells that paper has."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Mapping
from itertools import chain

from mtsig_core.report.caution_words import group_cautions
from mtsig_core.report.document import Block, Paragraph, Report, TableBlock, Warnings
from mtsig_core.report.table import Table
from mtsig_core.report.text import printable

PAPER_PLACES = ("main", "caveats", "detail")
_LONGEST_TITLE = 14  # letters
MOST_ON_A_PAGE = 40  # rows of a table that floats


def select_for_paper(report: Report) -> list[Block]:
    """The blocks of a report that a paper has."""
    blocks: list[Block] = []
    for _, shown_blocks in report.select_blocks(PAPER_PLACES, is_on_paper):
        blocks += shown_blocks
    return blocks


def is_on_paper(block: Block) -> bool:
    """Whether a paper has the block; it has a matrix in numbers, not in signs."""
    if isinstance(block, TableBlock):
        return block.medium != "screen" and not block.table.has_kind("sign")
    return isinstance(block, Paragraph | Warnings)


def list_comments(block: Block) -> list[str]:
    """What a paper's file says of a block in comments, a line each: warnings, and what it leaves out."""
    match block:
        case Warnings(cautions=cautions, several=several):
            groups = group_cautions(cautions, len(cautions), several=several)
            return [f"Warning: {printable(text)}" for text in chain(*groups)]
        case Paragraph(role="remark" | "warning"):
            return [printable(block.text)]
        case TableBlock(caption="", in_short=sentence) if sentence:
            return [printable(sentence)]
    return []


def make_label(title: str, labels: Counter[str]) -> str:
    """A label that no other table has; `labels` counts them."""
    label = re.sub("[^a-z0-9]+", "-", title.lower())
    labels[label] += 1
    if labels[label] == 1:
        return label
    return f"{label}-{labels[label]}"


def write_cells(table: Table, print_names: Mapping[str, str]) -> list[list[str]]:
    """The text of each cell, with the names of systems in print."""
    rows = []
    for row in table.rows:
        texts = []
        for column, value in zip(table.columns, row, strict=True):
            if isinstance(value, str):
                value = print_names.get(value, value)
            elif column.kind == "pair" and value is not None:
                value = tuple(print_names.get(name, name) for name in value)
            texts.append(column.write(value))
        rows.append(texts)
    return rows


def escape_last(mark: re.Match[str]) -> str:
    """A piece of text with a backslash before its last character."""
    return rf"{mark[0][:-1]}\{mark[0][-1]}"


def title_lines(text: str) -> list[str]:
    """The head of a column in lines, none longer than its longest word or a few letters."""
    return textwrap.wrap(text, _LONGEST_TITLE, break_long_words=False, break_on_hyphens=False)
