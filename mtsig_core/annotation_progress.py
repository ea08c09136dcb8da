"""How far the annotation of a test set is: in all, by domain, by system and by rater."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mtsig_core.judgements import AttentionCheck, Judgement, Judgements
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
    rows = [row for row in judgements.rows if row.line in document_of]
    by_domain: dict[str, list[Judgement]] = {domain: [] for domain in testset.domains or ()}
    by_system: dict[str, list[Judgement]] = {system: [] for system in testset.systems}
    by_rater: dict[str, list[Judgement]] = {}
    for row in rows:
        by_system.setdefault(row.system, []).append(row)
        by_rater.setdefault(row.rater, []).append(row)
        if row.line in domain_of:
            by_domain[domain_of[row.line]].append(row)
    groups = {"all": {"": rows}, "domain": by_domain, "system": by_system, "rater": by_rater}
    progress = []
    for kind, by_name in groups.items():
        for name, rows_of_group in by_name.items():
            progress.append(_count_row(kind, name, rows_of_group, document_of, judgements))
    return tuple(progress)


def _count_row(
    kind: str,
    name: str,
    rows: list[Judgement],
    document_of: Mapping[int, object],
    judgements: Judgements,
) -> ProgressRow:
    lines = {row.line for row in rows}
    checks: Sequence[AttentionCheck] = ()
    if kind == "all":
        checks = judgements.checks
    elif kind == "rater":
        checks = [check for check in judgements.checks if check.rater == name]
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
