"""Reports as one HTML file, and as a notebook has them.

The file needs nothing else: no script, font, picture or network.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtsig_core.errors import Remedy, format_arguments
from mtsig_core.extras import explain_missing_package
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import group_cautions, list_assumptions
from mtsig_core.report.commands import defaults
from mtsig_core.report.document import (
    SECTION_PLACES,
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
from mtsig_core.report.sentences import describe_direction
from mtsig_core.report.table import KINDS, Column, Table, in_print
from mtsig_core.report.tables import scores_table, systems_table
from mtsig_core.report.text import printable
from mtsig_core.results import MetricResult, MetricScores, Scores

if TYPE_CHECKING:
    from jinja2 import Template

#: Code that a template made, which is not escaped again.
Markup = Any

_MOST_OPEN_ROWS = 30  # of a table on a page that is not folded away
_MOST_OPEN_IN_NOTEBOOK = 3  # pairs, or kinds of warnings
_PAGE_PLACES = ("main", "caveats", "detail", "page")
_NOTEBOOK_PLACES = ("main", "caveats", "detail")
#: Roles of paragraphs that a page, or a notebook, has no room for.
_NOT_ON_PAGE = ("hint", "remark", "printed")
_NOT_IN_NOTEBOOK = (*_NOT_ON_PAGE, "paper", "signature")
#: How paragraphs look on a page, by role.
_CLASSES = {"summary": "note", "note": "note", "warning": "warning", "caveat": "warning"}


# -------------------------------------------------------------------------------------------------
# A page.


def report_html(report: Report) -> str:
    """A page in light or dark, as the reader's system prefers.

    The verdicts come first, then the sections by their places. Names are shown literally.
    """
    sections = list(report.select_blocks(_PAGE_PLACES, is_on_page))
    verdicts: list[Block] = []
    for _, blocks in sections:
        verdicts += filter(is_verdict, blocks)
    sections.sort(key=lambda section_and_blocks: SECTION_PLACES.index(section_and_blocks[0].place))
    return template("report.html").render(
        report=report,
        verdicts=verdicts,
        links=[(section.key, section.title) for section, _ in sections if section.key],
        sections=[(section, _list_page_blocks(blocks)) for section, blocks in sections],
    )


def _list_page_blocks(blocks: Iterable[Block]) -> list[Markup]:
    written: list[Markup] = []
    for block in blocks:
        if not is_verdict(block):
            written += _page_block(block)
    return written


def is_on_page(block: Block) -> bool:
    """Whether a page has the block; it has a matrix in numbers, not in signs."""
    if isinstance(block, Paragraph):
        return block.role not in _NOT_ON_PAGE
    return not (isinstance(block, TableBlock) and block.table.has_kind("sign"))


def _page_block(block: Block) -> list[Markup]:
    macros = _macros()
    match block:
        case Paragraph(role="signature"):
            return [macros.signature(block.text, block.about, "note")]
        case Paragraph():
            label = ""
            if block.role in ("methods", "paper"):
                label = block.about
            return [macros.paragraph(block.text, _CLASSES.get(block.role, ""), label)]
        case Warnings():
            groups = group_cautions(block.cautions, several=block.several)
            return [macros.warning(texts, "warning") for texts in groups]
        case Assumptions():
            return _assumptions(block)
        case TableBlock():
            legend = block.table.legend.explain(
                block.table, marked="Blue", grey="Grey", dark="Dark grey"
            )
            is_open = len(block.table.rows) <= _MOST_OPEN_ROWS
            return _table_with_notes(block, legend, is_open, "note")
        case Figure():
            return [macros.figure(block.draw(), block.caption)]
        case Facts():
            return [macros.facts(block.pairs, block.code)]
    raise TypeError(type(block))


def _assumptions(block: Assumptions) -> list[Markup]:
    sentences = list_assumptions(block.assumed, block.metrics)
    return [_macros().paragraph(sentence) for sentence in sentences]


def _table_with_notes(
    block: TableBlock, legend: Sequence[str], is_open: bool, css: str
) -> list[Markup]:
    macros = _macros()
    table = table_html(block.table, has_borders=block.medium == "paper")
    if block.fold:
        table = macros.folded(block.fold, [table], is_open)
    return [table, *(macros.paragraph(note, css) for note in (*block.notes, *legend))]


# -------------------------------------------------------------------------------------------------
# What a notebook shows.


def report_fragment(report: Report) -> str:
    """Write a report for a notebook, in the notebook's font and colours.

    It has no figures. Caveats and long tables are folded away.
    """
    macros = _macros()
    written: list[Markup] = []
    for section, blocks in report.select_blocks(_NOTEBOOK_PLACES, _is_in_notebook):
        contents: list[Markup] = []
        for block in blocks:
            contents += _notebook_block(block)
        if section.place == "caveats":
            n = sum(len(block.cautions) for block in blocks if isinstance(block, Warnings))
            written.append(macros.folded(f"{section.title}: {n}", contents, _is_few(n)))
            continue
        if section.title and not any(map(is_verdict, blocks)):
            written.append(macros.title(section.title))
        written += contents
    return _notebook_html(written)


def _is_in_notebook(block: Block) -> bool:
    match block:
        case Paragraph():
            return block.role not in _NOT_IN_NOTEBOOK
        case TableBlock():
            return not (block.table.has_kind("sign") or block.table.has_kind("matrix"))
        case Figure() | Facts():
            return False
    return True


def _notebook_block(block: Block) -> list[Markup]:
    """A block in a notebook, which has no styles for it and knows the arguments that help."""
    macros = _macros()
    match block:
        case Paragraph():
            return [macros.paragraph(block.text, label=block.about)]
        case Warnings():
            groups = group_cautions(block.cautions, several=block.several, say=_name_arguments)
            return [macros.warning(texts) for texts in groups]
        case Assumptions():
            return _assumptions(block)
        case TableBlock(in_short=""):
            legend = block.table.legend.explain(block.table, marked="")
            return _table_with_notes(block, legend, _is_few(len(block.table.rows)), "")
        case TableBlock():
            return [macros.paragraph(block.in_short)]
    raise TypeError(type(block))


def _is_few(n: int) -> bool:
    return n <= _MOST_OPEN_IN_NOTEBOOK


def _name_arguments(remedies: Sequence[Remedy]) -> str:
    """The arguments of `compare` that help."""
    known = defaults("compare").keys()
    arguments = format_arguments(remedy for remedy in remedies if remedy.keys() <= known)
    if not arguments:
        return ""
    return f"Arguments: {arguments}."


def metric_table(result: MetricResult) -> str:
    """Write the systems by one metric for a notebook, with its signature."""
    macros = _macros()
    direction = _name_lower_is_better(result)
    return _notebook_html(
        [
            macros.metric_title(metric_title(result.metric), direction),
            table_html(systems_table(result)),
            macros.signature(result.signature),
        ]
    )


def score_table(scores: Scores) -> str:
    """Write scores for a notebook: a column for each metric, and the signatures."""
    macros = _macros()
    written = [table_html(scores_table(scores))]
    for result in scores.metrics.values():
        title = metric_title(result.metric)
        direction = _name_lower_is_better(result)
        written.append(macros.metric_title(title, direction, result.signature))
    n = len(scores.warnings)
    if n:
        block = Warnings(cautions=scores.warnings, several=len(scores.metrics) > 1)
        written.append(macros.folded(f"Caveats: {n}", _notebook_block(block), _is_few(n)))
    return _notebook_html(written)


def _name_lower_is_better(result: MetricResult | MetricScores) -> str:
    """The direction of a metric in which lower is better; nothing for another."""
    if result.higher_is_better:
        return ""
    return describe_direction(False, differences=isinstance(result, MetricResult))


def _notebook_html(blocks: Sequence[Markup]) -> str:
    return template("notebook.html").render(blocks=blocks)


# -------------------------------------------------------------------------------------------------
# Tables and templates.


def table_html(table: Table, has_borders: bool = False) -> Markup:
    """A table that scrolls within itself; `has_borders` if it is to be pasted into a document.

    Names and texts are set left, and what stands out is marked.
    """
    table = table.for_readers()
    column_classes = [_choose_column_class(column) for column in table.columns]
    head = list(zip(column_classes, table.titles, strict=True))
    name_key = table.name_key()
    rows = []
    for number, texts in enumerate(table.texts()):
        cells = []
        for column, css, text in zip(table.columns, column_classes, texts, strict=True):
            if not css and (number, column.key) in table.marks:
                css = "mark"
            if number in table.dark and column.key == name_key:
                css += " dark"
            cells.append((css, in_print(column.kind, text)))
        row_classes = []
        if number in table.grey:
            row_classes.append("grey")
        if number in table.ruled:
            row_classes.append("ruled")
        rows.append((" ".join(row_classes), cells))
    return _macros().table(head, rows, has_borders)


def _choose_column_class(column: Column) -> str:
    if KINDS[column.kind].side == "<" and column.kind != "rank":
        return "name"
    return ""


def _macros() -> Any:
    return template("blocks.html").module


@cache
def template(name: str) -> Template:
    """A template of the report.

    It shows text literally: no tag, and no character that turns the direction of what follows.
    """
    with explain_missing_package("html", "A report in HTML"):
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        finalize=_make_printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["px"] = "{:.1f}".format
    return environment.get_template(name)


def _make_printable(value: object) -> object:
    """The value of an expression in a template, printable unless a template made it."""
    is_markup = hasattr(value, "__html__")
    if is_markup or not isinstance(value, str):
        return value
    return printable(value)
