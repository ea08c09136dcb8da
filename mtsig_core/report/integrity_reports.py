"""The integrity of submissions and ratings as tables, sentences and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from mtsig_core.errors import format_count
from mtsig_core.experiments.integrity import CHANCE, DRIVES, SHORT_LINE, Integrity, TaskIntegrity
from mtsig_core.experiments.line_faults import LineFault
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import caution_record
from mtsig_core.report.document import (
    Block,
    Paragraph,
    Report,
    Section,
    Warnings,
)
from mtsig_core.report.experiment_reports import record_by_name, write_paragraphs
from mtsig_core.report.rating_reports import make_block, rating_sections, record_ratings
from mtsig_core.report.table import EMPTY, Table, TableBuilder
from mtsig_core.report.text import printable
from mtsig_core.schema import Records

#: From this share of lines in common, or this cross-BLEU, two outputs are nearly the same.
_ALIKE = 0.5
_CROSS_BLEU = 80.0
_INTEGRITY_NOTE = (
    f"Lines with fewer than {SHORT_LINE} characters do not count. Many lines equal to one reference can mean that the "
    "system saw it, or that the reference was post-edited from the system's output. The nearest system is the one with "
    "the highest cross-BLEU, which is BLEU with one output as the reference of the other. Nearly the same output can "
    f"mean one model under two names. A document drives an interval if {DRIVES:.0%} or more of the variance is from "
    "it, and so large a share is rare: equal documents with normal scores show it by chance in at most "
    f"{CHANCE:.0%} of test sets. Read its ratings. No finding is an accusation."
)


def integrity_table(integrity: Integrity) -> Table:
    """One row for each system: equal lines, its nearest system, and the document that drives it."""
    systems = integrity.systems
    table = TableBuilder("integrity", systems)
    table.add("system", "system", "name")
    has_texts = integrity.n_lines > 0
    if has_texts and systems:
        for name in systems[0].equal_to_reference:
            counts = [row.equal_to_reference[name] for row in systems]
            table.add_values(f"equal_{name}", f"equal to {name}", "count", counts)
    if any(row.equal_to_source is not None for row in systems):
        table.add("equal_source", "equal to source", "count", attrgetter("equal_to_source"))
    if has_texts:
        nearest = [row.nearest for row in systems]
        _add_facts(table, nearest, "system", "nearest", "nearest system", "name")
        _add_facts(table, nearest, "cross_bleu", "cross_bleu", "cross-BLEU", "score", ".1f")
        _add_facts(table, nearest, "share_equal", "share_equal", "lines in common", "share", ".1%")
    documents = [row.driving_document for row in systems]
    _add_facts(table, documents, "document", "document", "driving document", "name")
    _add_facts(table, documents, "share", "share", "of the variance", "share", ".0%")
    return table.build()


def _add_facts(  # noqa: PLR0913  a column and where its values are
    table: TableBuilder,
    facts: Sequence[Any],
    field: str,
    key: str,
    title: str,
    kind: str,
    form: str = "",
) -> None:
    """Add a column with a field of facts, empty for systems without."""
    cells = [EMPTY if fact is None else getattr(fact, field) for fact in facts]
    table.add_values(key, title, kind, cells, form=form)


@dataclass(frozen=True)
class _FaultWords:
    """A title for a kind of `LineFault`, and what it could mean."""

    title: str
    meaning: str


FAULT_WORDS: Mapping[str, _FaultWords] = {
    "empty": _FaultWords("empty", "the system gave no answer, or a line was lost on the way"),
    "untranslated": _FaultWords("untranslated", "the system returned the source unchanged"),
    "language": _FaultWords(
        "another language", "the system was asked for another language, or wrote about the task"
    ),
    "truncated": _FaultWords(
        "shorter, without an end",
        "the answer was cut at a limit of length, or a sentence is missing",
    ),
    "loop": _FaultWords("a loop", "the system repeated a phrase until a limit stopped it"),
    "repeated": _FaultWords(
        "the text of another line",
        "lines were shifted, or the system gave one standard answer to several sources",
    ),
    "added": _FaultWords("an added introduction", "a label, a number or a mark was not removed"),
    "remark": _FaultWords(
        "a remark", "thoughts or explanations of a language model were not removed"
    ),
    "entities": _FaultWords("HTML entities", "the output was escaped for a web page"),
}
_LISTED = 5  # numbers of lines in a cell
_EXAMPLE = 60  # characters


def faults_table(faults: Sequence[LineFault]) -> Table:
    """One row for each system and kind of fault, the most lines first."""
    ordered = sorted(faults, key=lambda fault: len(fault.lines), reverse=True)
    table = TableBuilder("line_faults", ordered)
    table.add("system", "system", "name")
    table.add("kind", "possible fault", "text", _name_fault)
    table.add("n", "number of lines", "count", lambda fault: len(fault.lines), where="files")
    table.add("share", "of all lines", "share", _share_lines, form=".1%", where="files")
    table.add("lines", "lines", "text", _list_lines)
    table.add("example", "example", "text", _quote_example)
    return table.build()


def _name_fault(fault: LineFault) -> str:
    title = FAULT_WORDS[fault.kind].title
    if fault.detail:
        return f"{title} ({printable(fault.detail)})"
    return title


def _share_lines(fault: LineFault) -> float:
    return len(fault.lines) / fault.n_lines


def _list_lines(fault: LineFault) -> str:
    """Write how many lines, and the first of their numbers."""
    numbers = ", ".join(map(str, fault.lines[:_LISTED]))
    if len(fault.lines) > _LISTED:
        numbers += ", ..."
    return f"{format_count(len(fault.lines), 'line')}: {numbers}"


def _quote_example(fault: LineFault) -> str:
    if len(fault.example) > _EXAMPLE:
        return f"{printable(fault.example[:_EXAMPLE])}..."
    return printable(fault.example)


def _explain_faults(faults: Sequence[LineFault]) -> list[str]:
    """Write what the faults in a table could mean, and what they were compared with."""
    kinds = dict.fromkeys(fault.kind for fault in faults)
    meanings = [f"{FAULT_WORDS[kind].title}: {FAULT_WORDS[kind].meaning}" for kind in kinds]
    return [
        "The list has lines with an anomaly that no reference and fewer than half of the other systems have.",
        f"What it could mean. {'; '.join(meanings)}. No finding is an accusation: read the lines first.",
    ]


def _sum_up_faults(faults: Sequence[LineFault]) -> str:
    """Name the systems with the most lines that are worth a look."""
    lines_of: dict[str, set[int]] = {}
    for fault in faults:
        lines_of.setdefault(fault.system, set()).update(fault.lines)
    systems = sorted(lines_of, key=lambda system: len(lines_of[system]), reverse=True)
    counts = [f"{printable(system)} ({len(lines_of[system])})" for system in systems[:_LISTED]]
    more = ""
    if len(systems) > _LISTED:
        more = f" and {len(systems) - _LISTED} more"
    return (
        f"Lines worth a look, in {format_count(len(systems), 'system')}: {', '.join(counts)}{more}."
    )


def list_findings(integrity: Integrity) -> list[str]:
    """Write sentences on what is worth a look, apart from the warnings about files."""
    sentences = []
    faults = _list_faults(integrity)
    if faults:
        sentences.append(_sum_up_faults(faults))
    near = _name_near_pairs(integrity)
    if near:
        sentences.append(
            f"Nearly the same output: {', '.join(near)}. The median cross-BLEU of two systems is "
            f"{integrity.median_cross_bleu:.0f}."
        )
    driven = []
    for row in integrity.systems:
        document = row.driving_document
        if document is not None:
            driven.append(
                f"{printable(row.system)} ({printable(document.document)}: {document.share:.0%} of the variance)"
            )
    if driven:
        sentences.append(
            f"One document makes the {metric_title(integrity.metric)} interval wide: {', '.join(driven)}."
        )
    return sentences


def _name_near_pairs(integrity: Integrity) -> list[str]:
    """The pairs with nearly the same output; two that are nearest to each other once."""
    pairs: dict[str, None] = {}
    for row in integrity.systems:
        nearest = row.nearest
        if nearest is None:
            continue
        if nearest.share_equal >= _ALIKE or nearest.cross_bleu >= _CROSS_BLEU:
            names = " and ".join(map(printable, sorted((row.system, nearest.system))))
            likeness = f"cross-BLEU {nearest.cross_bleu:.0f}, {nearest.share_equal:.0%} of the lines are equal"
            pairs[f"{names} ({likeness})"] = None
    return list(pairs)


def _list_faults(integrity: Integrity) -> list[LineFault]:
    return [fault for row in integrity.systems for fault in row.line_faults]


def integrity_blocks(integrity: Integrity, pair: str = "") -> list[Block]:
    """What is worth a look first, then the table; of a task with the name of the language pair."""
    cautions = list(integrity.warnings)
    for row in integrity.systems:
        cautions += row.warnings
    sentences = list_findings(integrity)
    if not sentences and not cautions:
        sentences = ["Nothing stands out."]
    blocks = write_paragraphs(sentences, "verdict", pair)
    blocks.append(Warnings(cautions=tuple(cautions)))
    faults = _list_faults(integrity)
    if faults:
        table = faults_table(faults)
        notes = tuple(_explain_faults(faults))
        blocks.append(make_block(table, "Lines worth a look", pair, notes))
    table = integrity_table(integrity)
    if not integrity.n_lines:
        is_driven = [row.driving_document is not None for row in integrity.systems]
        table = table.pick_rows(np.flatnonzero(is_driven).tolist())
    if table:
        caption = "Lines in common, by system"
        blocks.append(make_block(table, "Integrity", pair, (_INTEGRITY_NOTE,), caption))
    return blocks


def missing_blocks(missing: Mapping[str, Sequence[str]], n_pairs: int) -> list[Block]:
    """The systems that did not take part in all language pairs of a task, if there are any."""
    systems: dict[str, list[str]] = {}
    for system, pairs in missing.items():
        n_present = n_pairs - len(pairs)
        extent = f"without {', '.join(pairs)}"
        if len(pairs) > n_present:
            extent = f"in {n_present} of {format_count(n_pairs, 'pair')}"
        systems.setdefault(extent, []).append(printable(system))
    if not systems:
        return []
    texts = [f"{', '.join(names)} ({extent})" for extent, names in systems.items()]
    sentence = f"Not in all language pairs: {'; '.join(texts)}. Means over language pairs exclude these systems."
    return [Paragraph(text=sentence, role="verdict")]


def integrity_report(integrity: Integrity | TaskIntegrity) -> Report:
    """The integrity of a test set; of a task the systems without an output, then language pairs."""
    if isinstance(integrity, Integrity):
        return Report(
            f"Integrity of {integrity.testset}",
            [Section("", integrity_blocks(integrity)), *_list_rating_sections(integrity)],
            make_record=partial(_record_integrity, integrity),
            make_rows=partial(_list_integrity_rows, integrity),
        )
    sections = [Section("", missing_blocks(integrity.missing, len(integrity.pairs)))]
    pairs = {}
    rows = []
    for pair, in_pair in integrity.pairs.items():
        sections.append(Section(pair, integrity_blocks(in_pair, pair)))
        sections += _list_rating_sections(in_pair, pair)
        pairs[pair] = _record_integrity(in_pair)
        rows += [{"language_pair": pair, **row} for row in _list_integrity_rows(in_pair)]
    record = {"task": integrity.task, "missing": integrity.missing, "pairs": pairs}
    return Report(
        f"Integrity of {integrity.task}",
        sections,
        make_record=lambda: record,
        make_rows=lambda: rows,
    )


def _list_rating_sections(integrity: Integrity, pair: str = "") -> list[Section]:
    """The sections of ratings, where it is known who gave them."""
    if integrity.ratings is None:
        return []
    return rating_sections(integrity.ratings, pair)


def _record_integrity(integrity: Integrity) -> dict[str, Any]:
    systems = record_by_name(integrity.systems, "system")
    for row in integrity.systems:
        systems[row.system]["warnings"] = [caution_record(caution) for caution in row.warnings]
    ratings = None
    if integrity.ratings is not None:
        ratings = record_ratings(integrity.ratings)
    return {
        "testset": integrity.testset,
        "metric": integrity.metric,
        "n_lines": integrity.n_lines,
        "median_cross_bleu": integrity.median_cross_bleu,
        "systems": systems,
        "warnings": [caution_record(caution) for caution in integrity.warnings],
        "ratings": ratings,
    }


def _list_integrity_rows(integrity: Integrity) -> Records:
    records = integrity_table(integrity).records()
    return [{"testset": integrity.testset, **record} for record in records]
