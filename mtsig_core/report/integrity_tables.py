"""What was found of the integrity of submissions, as text, LaTeX, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from mtsig_core.experiments.integrity import DRIVES, SHORT_LINE, Integrity
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import caution_record
from mtsig_core.report.document import Block, Paragraph, Report, Section, TableBlock, Warnings
from mtsig_core.report.export import records_csv
from mtsig_core.report.latex import report_latex
from mtsig_core.report.table import EMPTY, Column, Table
from mtsig_core.report.text import printable, report_text, terminal_width
from mtsig_core.schema import to_json

_ALIKE = 0.5  # share of lines in common from which two outputs are nearly one
_NOTE = (f"Lines with fewer than {SHORT_LINE} characters do not count. Many lines equal to one reference can mean that "
         "the system saw it, or that the reference was post-edited from the system's output. Many lines equal to "
         f"another output can mean one model under two names. A document drives an interval if {DRIVES:.0%} or more of "
         "the variance is from it: read its ratings. No finding is an accusation.")


def integrity_table(found: Integrity) -> Table:
    """One row for each system: equal lines, its nearest system, and the document that drives its interval."""
    with_texts = found.n_lines > 0
    references = list(found.systems[0].equal_to_reference) if found.systems and with_texts else []
    with_source = any(one.equal_to_source is not None for one in found.systems)
    columns = (Column("system", "system", "name"),
               *(Column(f"equal_{name}", f"equal to {name}", "count") for name in references),
               *([Column("equal_source", "equal to source", "count")] if with_source else []),
               *([Column("nearest", "nearest system", "name"),
                  Column("share_equal", "lines in common", "share", ".1%")] if with_texts else []),
               Column("document", "driving document", "name"),
               Column("share", "of the variance", "share", ".0%"))
    rows = []
    for one in found.systems:
        near, driver = one.nearest, one.driving_document
        rows.append((one.system, *(one.equal_to_reference[name] for name in references),
                     *([one.equal_to_source] if with_source else []),
                     *(((near.system, near.share_equal) if near else (EMPTY, EMPTY)) if with_texts else ()),
                     *((driver.document, driver.share) if driver else (EMPTY, EMPTY))))
    return Table("integrity", columns, tuple(rows))


def list_findings(found: Integrity) -> list[str]:
    """Sentences: what is worth a look, beside the warnings about files."""
    near = {frozenset((one.system, one.nearest.system)): one.nearest.share_equal for one in found.systems
            if one.nearest is not None and one.nearest.share_equal >= _ALIKE}
    pairs = [f"{' and '.join(map(printable, sorted(pair)))} in {share:.0%} of the lines"
             for pair, share in near.items()]
    driven = [f"{printable(one.system)} ({printable(one.driving_document.document)}: {one.driving_document.share:.0%} "
              "of the variance)" for one in found.systems if one.driving_document is not None]
    return [*([f"Nearly the same output: {', '.join(pairs)}."] if pairs else []),
            *([f"One document makes the {metric_title(found.metric)} interval wide: {', '.join(driven)}."]
              if driven else [])]


def integrity_blocks(found: Integrity) -> list[Block]:
    """What is worth a look first, then the table."""
    cautions = tuple(caution for one in found.systems for caution in one.warnings)
    findings = list_findings(found)
    texts = findings or ([] if cautions else ["Nothing stands out."])
    shown = integrity_table(found)
    if not found.n_lines:
        shown = shown.pick_rows([k for k, one in enumerate(found.systems) if one.driving_document is not None])
    table = TableBlock(table=shown, title="Integrity", caption="Lines in common, by system.",
                       notes=(_NOTE,))
    return [*(Paragraph(text=text, role="verdict") for text in texts),
            Warnings(cautions=cautions), *[table] * bool(shown.rows)]


def integrity_report(found: Integrity) -> Report:
    return Report(f"Integrity of {found.testset}", [Section("", integrity_blocks(found))])


def integrity_record(found: Integrity) -> dict[str, Any]:
    systems = {}
    for one in found.systems:
        record = asdict(one) | {"warnings": list(map(caution_record, one.warnings))}
        systems[record.pop("system")] = record
    return {"testset": found.testset, "metric": found.metric, "n_lines": found.n_lines, "systems": systems}


def integrity_records(found: Integrity) -> list[dict[str, Any]]:
    """A row for each system."""
    return [{"testset": found.testset, **row} for row in integrity_table(found).records()]


INTEGRITY_FORMS: dict[str, Callable[[Integrity], str]] = {
    "text": lambda found: report_text(integrity_report(found), terminal_width()),
    "latex": lambda found: report_latex(integrity_report(found)),
    "csv": lambda found: records_csv(integrity_records(found)),
    "json": lambda found: to_json(integrity_record(found))}
