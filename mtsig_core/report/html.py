"""Reports as one HTML file that needs nothing else: no script, no font, no picture, no network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtsig_core.errors import format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import group_cautions
from mtsig_core.report.document import (
    SECTION_PLACES,
    Block,
    Facts,
    Figure,
    Paragraph,
    Report,
    Section,
    TableBlock,
    Warnings,
)
from mtsig_core.report.palette import ink, mixed
from mtsig_core.report.table import KINDS, Table
from mtsig_core.report.text import printable

if TYPE_CHECKING:
    from jinja2 import Template

LEVELS = 10  # of each colour of a figure
_MOST_OPEN = 30  # rows of a table that is not folded away
_CLASSES = {"summary": "note", "note": "note", "warning": "warning"}  # of paragraphs, by role


def report_html(report: Report) -> str:
    """A page in light or dark, as the reader's system prefers: the verdicts first, then the sections by their places.
    Names are shown literally."""
    sections = list(report.sections_for("html"))
    verdicts = [block for _, blocks in sections for block in blocks
                if isinstance(block, Paragraph) and block.role == "verdict"]
    sections.sort(key=lambda both: SECTION_PLACES.index(both[0].place))
    links = [(section.key, section.title) for section, _ in sections if section.key]
    return template("report.html").render(
        report=report, verdicts=verdicts, links=links, levels=LEVELS, mixed=mixed, ink=ink,
        sections=[_section_html(section, blocks) for section, blocks in sections])


def _section_html(section: Section, blocks: Sequence[Block]) -> str:
    key = f' id="{literal(section.key)}"' if section.key else ""
    title = [f"<h{section.depth}{key}>{literal(section.title)}</h{section.depth}>"] if section.title else []
    return "\n".join([*title, *(_WRITERS[type(block)](block) for block in blocks)])


def _write_paragraph(block: Paragraph) -> str:
    if block.role == "verdict":
        return ""  # on top
    about = f"<b>{literal(block.about)}:</b> " if block.about and block.role == "methods" else ""
    if block.role == "signature":
        return f'<p class="note">{literal(block.about)} <code>{literal(block.text)}</code></p>'
    return f"<p{_class(_CLASSES.get(block.role, ''))}>{about}{literal(block.text)}</p>"


def _class(names: str) -> str:
    return f' class="{names}"' if names else ""


def _write_warnings(block: Warnings) -> str:
    groups = group_cautions(block.cautions, several=block.several)
    return "\n".join(f'<p class="warning">{"<br>".join(map(literal, texts))}</p>' for texts in groups)


def _write_table(block: TableBlock) -> str:
    code = table_html(block.table)
    if block.fold:
        code = folded(block.fold, code, len(block.table.rows) <= _MOST_OPEN)
    return "\n".join([code, *(f'<p class="note">{literal(note)}</p>' for note in block.notes)])


def _write_figure(block: Figure) -> str:
    caption = f"<figcaption>{literal(block.caption)}</figcaption>" if block.caption else ""
    return f"<figure>{block.draw()}{caption}</figure>"


def _write_facts(block: Facts) -> str:
    values = [f"<code>{literal(text)}</code>" if name in block.code else literal(text) for name, text in block.pairs]
    rows = (f'<dt>{literal(name)}</dt><dd dir="auto">{value}</dd>'
            for (name, _), value in zip(block.pairs, values, strict=True))
    return f"<dl>{''.join(rows)}</dl>"


_WRITERS: dict[type[Block], Callable[[Any], str]] = {
    Paragraph: _write_paragraph, Warnings: _write_warnings, TableBlock: _write_table, Figure: _write_figure,
    Facts: _write_facts}


def folded(title: str, content: str, is_open: bool) -> str:
    return f"<details{' open' * is_open}><summary>{literal(title)}</summary>{content}</details>"


def table_html(shown: Table) -> str:
    """A table that scrolls within itself: names and texts are set left, and what stands out is marked."""
    shown = shown.for_readers()
    left = [KINDS[column.kind].side == "<" and column.kind != "rank" for column in shown.columns]

    def cell(tag: str, text: str, is_left: bool, is_marked: bool = False) -> str:
        return f"<{tag}{_class('name' if is_left else 'mark' * is_marked)}>{literal(text)}</{tag}>"

    rows = []
    for number, texts in enumerate(shown.texts()):
        kinds = " ".join(["grey"] * (number in shown.grey) + ["ruled"] * (number in shown.ruled))
        cells = (cell("td", text, is_left, (number, key) in shown.marks)
                 for key, text, is_left in zip(shown.keys, texts, left, strict=True))
        rows.append(f"<tr{_class(kinds)}>{''.join(cells)}</tr>")
    head = "".join(map(partial(cell, "th"), shown.titles, left))
    body = "\n".join(rows)
    return (f'<div class="scroll" tabindex="0"><table>\n<thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table></div>")


def literal(text: str) -> str:
    """Text shown literally: no tag, and no character that turns the direction of what follows."""
    return escape(printable(text))


@cache
def template(name: str) -> Template:
    """A template of the report, which shows text literally: no tag, and no character that turns the direction of what
    follows."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    def literal(value: object) -> object:
        return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value

    environment = Environment(loader=FileSystemLoader(Path(__file__).with_name("templates")), autoescape=True,
                              finalize=literal, undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True)
    environment.filters["px"] = "{:.1f}".format
    environment.globals |= {"metric_title": metric_title, "counted": format_count}
    return environment.get_template(name)
