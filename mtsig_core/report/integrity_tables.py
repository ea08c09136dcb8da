"""What was found of the integrity of submissions, as text, LaTeX, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from mtsig_core.errors import format_count
from mtsig_core.experiments.integrity import DRIVES, SHORT_LINE, Integrity, TaskIntegrity
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import caution_record
from mtsig_core.report.document import Block, Paragraph, Report, Section, TableBlock, Warnings
from mtsig_core.report.export import records_csv
from mtsig_core.report.latex import report_latex
from mtsig_core.report.table import EMPTY, Column, Table
from mtsig_core.report.text import printable, report_text, terminal_width
from mtsig_core.schema import to_json

#: Two outputs are nearly one from this share of lines in common, or this cross-BLEU, on.
_ALIKE, _CROSS_BLEU = 0.5, 80.0
_NOTE = (f"Lines with fewer than {SHORT_LINE} characters do not count. Many lines equal to one reference can mean that "
         "the system saw it, or that the reference was post-edited from the system's output. The nearest system is the "
         "one with the highest cross-BLEU, which is BLEU with one output as the reference of the other. Nearly the "
         f"same output can mean one model under two names. A document drives an interval if {DRIVES:.0%} or more of "
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
                  Column("cross_bleu", "cross-BLEU", "score", ".1f"),
                  Column("share_equal", "lines in common", "share", ".1%")] if with_texts else []),
               Column("document", "driving document", "name"),
               Column("share", "of the variance", "share", ".0%"))
    rows = []
    for one in found.systems:
        near, driver = one.nearest, one.driving_document
        rows.append((one.system, *(one.equal_to_reference[name] for name in references),
                     *([one.equal_to_source] if with_source else []),
                     *(((near.system, near.cross_bleu, near.share_equal) if near else (EMPTY,) * 3)
                       if with_texts else ()),
                     *((driver.document, driver.share) if driver else (EMPTY, EMPTY))))
    return Table("integrity", columns, tuple(rows))


def list_findings(found: Integrity) -> list[str]:
    """Sentences: what is worth a look, beside the warnings about files."""
    near = {frozenset((one.system, one.nearest.system)): one.nearest for one in found.systems
            if one.nearest is not None and (one.nearest.share_equal >= _ALIKE or
                                            one.nearest.cross_bleu >= _CROSS_BLEU)}
    pairs = [f"{' and '.join(map(printable, sorted(pair)))} (cross-BLEU {one.cross_bleu:.0f}, {one.share_equal:.0%} of "
             "the lines are equal)" for pair, one in near.items()]
    driven = [f"{printable(one.system)} ({printable(one.driving_document.document)}: {one.driving_document.share:.0%} "
              "of the variance)" for one in found.systems if one.driving_document is not None]
    return [*([f"Nearly the same output: {', '.join(pairs)}. The median cross-BLEU of two systems is "
               f"{found.median_cross_bleu:.0f}."] if pairs else []),
            *([f"One document makes the {metric_title(found.metric)} interval wide: {', '.join(driven)}."]
              if driven else [])]


def integrity_blocks(found: Integrity, pair: str = "") -> list[Block]:
    """What is worth a look first, then the table; of a language pair of a task with its name."""
    cautions = tuple(caution for one in found.systems for caution in one.warnings)
    findings = list_findings(found)
    texts = findings or ([] if cautions else ["Nothing stands out."])
    shown = integrity_table(found)
    if not found.n_lines:
        shown = shown.pick_rows([k for k, one in enumerate(found.systems) if one.driving_document is not None])
    table = TableBlock(table=replace(shown, key=f"integrity{pair and '-'}{pair}"), title="Integrity",
                       caption=f"Lines in common, by system{pair and ', '}{pair}.", notes=(_NOTE,))
    return [*(Paragraph(text=text, role="verdict", about=pair) for text in texts),
            Warnings(cautions=cautions), *[table] * bool(shown.rows)]


def missing_blocks(missing: Mapping[str, Sequence[str]], n_pairs: int) -> list[Block]:
    """The systems that did not take part in all language pairs of a task; nothing where all did."""
    lacks: dict[str, list[str]] = {}
    for system, pairs in missing.items():
        kept = n_pairs - len(pairs)
        said = f"without {', '.join(pairs)}" if len(pairs) <= kept else f"in {kept} of {format_count(n_pairs, 'pair')}"
        lacks.setdefault(said, []).append(printable(system))
    if not lacks:
        return []
    texts = [f"{', '.join(systems)} ({said})" for said, systems in lacks.items()]
    return [Paragraph(text=f"Not in all language pairs: {'; '.join(texts)}. Means over language pairs leave these "
                           "systems out.", role="verdict")]


def integrity_report(found: Integrity) -> Report:
    return Report(f"Integrity of {found.testset}", [Section("", integrity_blocks(found))])


def task_integrity_report(found: TaskIntegrity) -> Report:
    """Who did not take part everywhere, then each language pair."""
    first = Section("", missing_blocks(found.missing, len(found.pairs)))
    return Report(f"Integrity of {found.task}", [first, *(Section(pair, integrity_blocks(one, pair))
                                                          for pair, one in found.pairs.items())])


def _record(found: Integrity | TaskIntegrity) -> dict[str, Any]:
    if isinstance(found, TaskIntegrity):
        return {"task": found.task, "missing": found.missing,
                "pairs": {pair: _record(one) for pair, one in found.pairs.items()}}
    systems = {}
    for one in found.systems:
        record = asdict(one) | {"warnings": list(map(caution_record, one.warnings))}
        systems[record.pop("system")] = record
    return {"testset": found.testset, "metric": found.metric, "n_lines": found.n_lines,
            "median_cross_bleu": found.median_cross_bleu, "systems": systems}


def _records(found: Integrity | TaskIntegrity) -> list[dict[str, Any]]:
    """A row for each system, of a task in each language pair."""
    if isinstance(found, TaskIntegrity):
        return [{"language_pair": pair, **row} for pair, one in found.pairs.items() for row in _records(one)]
    return [{"testset": found.testset, **row} for row in integrity_table(found).records()]


def _report(found: Integrity | TaskIntegrity) -> Report:
    return task_integrity_report(found) if isinstance(found, TaskIntegrity) else integrity_report(found)


INTEGRITY_FORMS: dict[str, Callable[[Integrity | TaskIntegrity], str]] = {
    "text": lambda found: report_text(_report(found), terminal_width()),
    "latex": lambda found: report_latex(_report(found)),
    "csv": lambda found: records_csv(_records(found)),
    "json": lambda found: to_json(_record(found))}
