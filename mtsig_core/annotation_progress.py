"""How far the annotation of a test set is: in all, by domain, by system and by rater."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mtsig_core.judgements import Judgement, Judgements
from mtsig_core.testset import TestSet


@dataclass(frozen=True)
class ProgressRow:
    """What was annotated in all, of a domain or a system, or by a rater."""

    kind: str  # {"all", "domain", "system", "rater"}
    name: str
    documents: int
    items: int  # each counted once, whoever rated it
    judgements: int  # scores of an item and system
    raters: int
    #: Of work; None without a log, and of a system, as raters see several at once.
    hours: float | None
    seconds_per_item: float | None
    checks: int  # attention checks of a rater, or of all
    checks_passed: int


def measure_progress(testset: TestSet) -> tuple[ProgressRow, ...]:
    """How far the annotation of a test set is; empty where no annotation tool tells."""
    judgements = testset.judgements
    if judgements is None or not judgements.is_campaign:
        return ()
    document_of = dict(zip(testset.lines, testset.documents or testset.lines, strict=True))
    domain_of: dict[int, str] = dict(zip(testset.lines, testset.domains or (), strict=False))
    groups: dict[tuple[str, str], list[Judgement]] = {("all", ""): []}
    for domain in dict.fromkeys(testset.domains or ()):
        groups["domain", domain] = []
    for system in testset.systems:
        groups["system", system] = []
    for row in judgements.rows:
        if row.line in document_of:
            groups["all", ""].append(row)
            groups.setdefault(("system", row.system), []).append(row)
            groups.setdefault(("rater", row.rater), []).append(row)
            if row.line in domain_of:
                groups["domain", domain_of[row.line]].append(row)
    return tuple(
        _count_row(kind, name, rows, document_of, judgements)
        for (kind, name), rows in groups.items()
    )


def _count_row(
    kind: str,
    name: str,
    rows: list[Judgement],
    document_of: Mapping[int, object],
    judgements: Judgements,
) -> ProgressRow:
    lines = {row.line for row in rows}
    checks = [check for check in judgements.checks if kind == "all" or check.rater == name]
    hours = per_item = None
    annotations = {judgements.annotation_by_id[row.annotation] for row in rows}
    timed = [annotation for annotation in annotations if annotation.seconds is not None]
    if timed and kind != "system":
        seconds = sum(annotation.seconds or 0 for annotation in timed)
        hours = seconds / 3600
        per_item = seconds / sum(annotation.n_items for annotation in timed)
    return ProgressRow(
        kind,
        name,
        documents=len({document_of[line] for line in lines}),
        items=len(lines),
        judgements=len(rows),
        raters=len({row.rater for row in rows}),
        hours=hours,
        seconds_per_item=per_item,
        checks=len(checks),
        checks_passed=sum(check.is_passed for check in checks),
    )
