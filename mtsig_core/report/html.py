"""Reports as one HTML file that needs nothing else, no script, font, picture or network; and as a
notebook has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from mtsig_core.errors import Remedy, format_arguments, format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import group_cautions
from mtsig_core.report.commands import defaults
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
from mtsig_core.report.sentences import describe_direction
from mtsig_core.report.table import KINDS, Table
from mtsig_core.report.tables import scores_table, systems_table
from mtsig_core.report.text import printable, read_template
from mtsig_core.results import MetricResult, MetricScores, Scores

if TYPE_CHECKING:
    from jinja2 import Template

_MOST_OPEN = 30  # rows of a table that is not folded away
_FEW = 3  # pairs, or kinds of warnings, that a notebook does not fold away
_NOTEBOOK_STYLE = f"<style>\n{read_template('notebook.css')}</style>"
_CLASSES = {"summary": "note", "note": "note", "warning": "warning"}  # of paragraphs, by role


def report_html(report: Report) -> str:
    """A page in light or dark, as the reader's system prefers: the verdicts first, then the
    sections by their places. Names are shown literally.
    """
    sections = list(report.sections_for("html"))
    verdicts = [block for _, blocks in sections for block in blocks if _is_verdict(block)]
    sections.sort(key=lambda both: SECTION_PLACES.index(both[0].place))
    links = [(section.key, section.title) for section, _ in sections if section.key]
    return template("report.html").render(
        report=report,
        verdicts=verdicts,
        links=links,
        sections=[_section_html(section, blocks) for section, blocks in sections],
    )


def _is_verdict(block: Block) -> bool:
    return isinstance(block, Paragraph) and block.role == "verdict"


def _section_html(section: Section, blocks: Sequence[Block]) -> str:
    key = f' id="{literal(section.key)}"' if section.key else ""
    title = (
        [f"<h{section.depth}{key}>{literal(section.title)}</h{section.depth}>"]
        if section.title
        else []
    )
    return "\n".join([*title, *(_block_html(block) for block in blocks if not _is_verdict(block))])


def report_fragment(report: Report) -> str:
    """What a notebook shows of it, in its font and colours: all but figures; caveats and long
    tables are folded away.
    """
    parts = []
    for section, blocks in report.sections_for("notebook"):
        titled = section.title and not any(map(_is_verdict, blocks))
        written = [_block_html(block, is_page=False) for block in blocks]
        n = sum(len(block.cautions) for block in blocks if isinstance(block, Warnings))
        if section.place == "caveats":
            parts.append(folded(f"{section.title}: {n}", "".join(written), n <= _FEW))
        else:
            parts += [f"<p><b>{literal(section.title)}</b></p>"] * bool(titled) + written
    return _fragment(parts)


def _block_html(block: Block, is_page: bool = True) -> str:
    """A block on a page, or in a notebook, which has no room for much and knows the arguments that
    help.
    """
    match block:
        case Paragraph(role="signature"):
            about = literal(f"{block.about} ") if block.about else ""
            return f"<p{_class('note' * is_page)}>{about}<code>{literal(block.text)}</code></p>"
        case Paragraph():
            named = block.about and (not is_page or block.role == "methods")
            about = f"<b>{literal(block.about)}:</b> " if named else ""
            return f"<p{_class(_CLASSES.get(block.role, '') * is_page)}>{about}{literal(block.text)}</p>"
        case Warnings():
            say = (lambda _: "") if is_page else _name_arguments
            return "\n".join(
                f"<p{_class('warning' * is_page)}>{'<br>'.join(map(literal, texts))}</p>"
                for texts in group_cautions(block.cautions, several=block.several, say=say)
            )
        case TableBlock():
            code = table_html(block.table)
            if block.fold:
                code = folded(
                    block.fold, code, len(block.table.rows) <= (_MOST_OPEN if is_page else _FEW)
                )
            return "\n".join(
                [
                    code,
                    *(f"<p{_class('note' * is_page)}>{literal(note)}</p>" for note in block.notes),
                ]
            )
        case Figure():
            caption = f"<figcaption>{literal(block.caption)}</figcaption>" if block.caption else ""
            return f"<figure>{block.draw()}{caption}</figure>"
        case Facts():
            shown = (
                (name, (_code if name in block.code else literal)(text))
                for name, text in block.pairs
            )
            rows = (f'<dt>{literal(name)}</dt><dd dir="auto">{text}</dd>' for name, text in shown)
            return f"<dl>{''.join(rows)}</dl>"
    raise TypeError(type(block))


def _class(names: str) -> str:
    return f' class="{names}"' if names else ""


def _code(text: str) -> str:
    return f"<code>{literal(text)}</code>"


def _name_arguments(remedies: Sequence[Remedy]) -> str:
    """What helps by arguments of `compare`."""
    told = format_arguments(
        remedy for remedy in remedies if remedy.keys() <= defaults("compare").keys()
    )
    return f"Arguments: {told}." if told else ""


def _fragment(parts: Sequence[str]) -> str:
    return "\n".join(['<div class="mtsig">', _NOTEBOOK_STYLE, *parts, "</div>"])


def metric_table(result: MetricResult) -> str:
    """What a notebook shows of the systems by one metric, with its signature."""
    return _fragment(
        [
            f"<p>{_title(result)}</p>",
            table_html(systems_table(result)),
            f"<p>{_code(result.signature)}</p>",
        ]
    )


def score_table(scores: Scores) -> str:
    """The same of scores: the systems, a column for each metric, and the signatures."""
    warnings, n = (
        Warnings(cautions=scores.warnings, several=len(scores.metrics) > 1),
        len(scores.warnings),
    )
    return _fragment(
        [
            table_html(scores_table(scores)),
            *(f"<p>{_title(one)} {_code(one.signature)}</p>" for one in scores.metrics.values()),
            *[folded(f"Caveats: {n}", _block_html(warnings, is_page=False), n <= _FEW)] * bool(n),
        ]
    )


def _title(result: MetricResult | MetricScores) -> str:
    direction = (
        ""
        if result.higher_is_better
        else f" ({describe_direction(False, isinstance(result, MetricResult))})"
    )
    return f"<b>{literal(metric_title(result.metric))}</b>{direction}"


def folded(title: str, content: str, is_open: bool) -> str:
    return f"<details{' open' * is_open}><summary>{literal(title)}</summary>{content}</details>"


def table_html(shown: Table) -> str:
    """A table that scrolls within itself: names and texts are set left, and what stands out is
    marked.
    """
    shown = shown.for_readers()
    left = [KINDS[column.kind].side == "<" and column.kind != "rank" for column in shown.columns]

    def cell(tag: str, text: str, is_left: bool, is_marked: bool = False) -> str:
        return f"<{tag}{_class('name' if is_left else 'mark' * is_marked)}>{literal(text)}</{tag}>"

    rows = []
    for number, texts in enumerate(shown.texts()):
        kinds = " ".join(["grey"] * (number in shown.grey) + ["ruled"] * (number in shown.ruled))
        cells = (
            cell("td", text, is_left, (number, key) in shown.marks)
            for key, text, is_left in zip(shown.keys, texts, left, strict=True)
        )
        rows.append(f"<tr{_class(kinds)}>{''.join(cells)}</tr>")
    head = "".join(map(partial(cell, "th"), shown.titles, left))
    body = "\n".join(rows)
    return (
        f'<div class="scroll" tabindex="0"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def literal(text: str) -> str:
    """Text shown literally: no tag, and no character that turns the direction of what follows."""
    return escape(printable(text))


@cache
def template(name: str) -> Template:
    """A template of the report, which shows text literally: no tag, and no character that turns the
    direction of what follows.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    def literal(value: object) -> object:
        return (
            printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
        )

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        finalize=literal,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["px"] = "{:.1f}".format
    environment.globals |= {"metric_title": metric_title, "counted": format_count}
    return environment.get_template(name)
