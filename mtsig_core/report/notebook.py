"""Reports as a notebook shows them: compact, in the font and the colours of the notebook, light or dark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mtsig_core.errors import Remedy, format_arguments
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import group_cautions
from mtsig_core.report.commands import defaults
from mtsig_core.report.document import Block, Facts, Paragraph, Report, TableBlock, Warnings
from mtsig_core.report.html import folded, literal, table_html
from mtsig_core.report.sentences import describe_direction
from mtsig_core.report.tables import scores_table, systems_table
from mtsig_core.results import MetricResult, MetricScores, Scores

_FEW = 3  # pairs, or kinds of warnings, that are not folded away
# No colour of text or paper: both are the notebook's. Its own rules for tables are less specific than these.
_STYLE = """<style>
.mtsig .scroll {overflow-x: auto} .mtsig p {margin: .5em 0}
.mtsig table {border-collapse: collapse; font-variant-numeric: tabular-nums}
.mtsig table th, .mtsig table td {text-align: right; padding: .2em .6em; white-space: nowrap}
.mtsig table th.name, .mtsig table td.name {text-align: left; white-space: pre-wrap}
.mtsig table thead th {border-bottom: 1px solid currentColor; vertical-align: bottom}
.mtsig table tr.ruled td {border-bottom: 1px solid currentColor}
.mtsig summary {cursor: pointer}
</style>"""


def report_fragment(report: Report) -> str:
    """All of it but figures; caveats and long tables are folded away."""
    parts = []
    for section, blocks in report.sections_for("notebook"):
        titled = section.title and not any(isinstance(block, Paragraph) and block.role == "verdict" for block in blocks)
        written = [_WRITERS[type(block)](block) for block in blocks]
        n = sum(len(block.cautions) for block in blocks if isinstance(block, Warnings))
        if section.place == "caveats":
            parts.append(folded(f"{section.title}: {n}", "".join(written), n <= _FEW))
        else:
            parts += [_paragraph(f"<b>{literal(section.title)}</b>")] * bool(titled) + written
    return _whole(parts)


def _write_paragraph(block: Paragraph) -> str:
    about = f"<b>{literal(block.about)}</b>. " if block.about else ""
    text = literal(block.text)
    return _paragraph(f"{about}<code>{text}</code>" if block.role == "signature" else about + text)


def _write_warnings(block: Warnings) -> str:
    groups = group_cautions(block.cautions, several=block.several, say=_arguments)
    return "".join(_paragraph("<br>".join(map(literal, texts))) for texts in groups)


def _write_table(block: TableBlock) -> str:
    code = table_html(block.table)
    notes = "".join(_paragraph(literal(note)) for note in block.notes)
    return (folded(block.fold, code, len(block.table.rows) <= _FEW) if block.fold else code) + notes


def _write_facts(block: Facts) -> str:
    return "".join(_paragraph(f"{literal(name)}: {literal(text)}") for name, text in block.pairs)


_WRITERS: dict[type[Block], Callable[[Any], str]] = {
    Paragraph: _write_paragraph, Warnings: _write_warnings, TableBlock: _write_table, Facts: _write_facts}


def metric_table(result: MetricResult) -> str:
    """The systems by one metric, and its signature."""
    return _whole([_paragraph(_title(result)),
                   table_html(systems_table(result)),
                   _paragraph(f"<code>{literal(result.signature)}</code>")])


def score_table(scores: Scores) -> str:
    """The systems, a column for each metric, and the signatures."""
    signatures = (_paragraph(f"{_title(found)} <code>{literal(found.signature)}</code>")
                  for found in scores.metrics.values())
    warnings = Warnings(cautions=scores.warnings, several=len(scores.metrics) > 1)
    n = len(scores.warnings)
    return _whole([table_html(scores_table(scores)), *signatures,
                   *[folded(f"Caveats: {n}", _write_warnings(warnings), n <= _FEW)] * bool(n)])


def _arguments(remedies: Sequence[Remedy]) -> str:
    """What helps by arguments of `compare`."""
    told = format_arguments(remedy for remedy in remedies if remedy.keys() <= defaults("compare").keys())
    return f"Arguments: {told}." if told else ""


def _title(result: MetricResult | MetricScores) -> str:
    said = "" if result.higher_is_better else f" ({describe_direction(False, isinstance(result, MetricResult))})"
    return f"<b>{literal(metric_title(result.metric))}</b>{said}"


def _paragraph(content: str) -> str:
    return f"<p>{content}</p>"


def _whole(parts: Sequence[str]) -> str:
    return "\n".join(['<div class="mtsig">', _STYLE, *parts, "</div>"])
