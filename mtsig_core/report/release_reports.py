"""What a script asks of a comparison, as a part of its report: a decision, and what changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mtsig_core.errors import format_count, round_p
from mtsig_core.experiments.release import ReleaseJudgement
from mtsig_core.report.document import Paragraph, Report, Section, TableBlock
from mtsig_core.report.export import label_records, list_comparison_rows
from mtsig_core.report.sentences import AnyComparison
from mtsig_core.schema import Records, to_plain
from mtsig_core.stats.joint_decisions import map_comparisons

#: What may change of a system or of a pair.
_KINDS = ("score", "rank_low", "rank_high", "better")


def add_judgement(report: Report, judgement: ReleaseJudgement) -> Report:
    """Put the decision on a release first; in JSON it is ``gate``, in CSV rows of that table."""
    rows = []
    for row in judgement.rows:
        cells = {"test set": row.testset} if row.testset else {}
        cells |= {"metric": row.metric, "system": row.system}
        cells["improvement"] = f"{row.improvement:+.3g}"
        if row.margin is not None:
            cells["margin"] = f"{row.margin:g}"
        cells[judgement.p_name] = round_p(row.p_value)
        cells["decision"] = "fails" if row.fails else "passes"
        rows.append(cells)
    verdict, _, reason = judgement.reason.partition(": ")
    title = f"Release by rule {judgement.rule}: {verdict.lower()}"
    summary = Paragraph(text=reason, about=verdict)
    record = to_plain(judgement)
    return _put_first(report, "gate", title, summary, "Systems and the baseline.", record, rows)


def add_changes(report: Report, before: AnyComparison, now: AnyComparison) -> Report:
    """Put first what changed since a stored result; in JSON and CSV it is ``changes``.

    Scores, ranks, the better system of each pair, and settings can change. A system or pair that
    is new, or gone, has no value before, or now.
    """
    old_facts = _list_facts(before)
    new_facts = _list_facts(now)
    rows = []
    for key in old_facts | new_facts:
        old = old_facts.get(key)
        new = new_facts.get(key)
        if old != new:
            testset, metric, subject, kind = key
            place = {"testset": testset} if testset else {}
            row = {"metric": metric, "subject": subject, "kind": kind, "before": old, "now": new}
            rows.append(place | row)
    is_same = _list_digests(before) == _list_digests(now)
    outputs = "the same outputs" if is_same else "other outputs, or of another order of systems"
    text = f"{format_count(len(rows), 'change')} since the stored result, which is of {outputs}."
    summary = Paragraph(text=text, about="Changes")
    caption = "Changes since the stored result."
    record = {"same_outputs": is_same, "rows": rows}
    return _put_first(report, "changes", "Changes", summary, caption, record, rows)


def _list_digests(result: AnyComparison) -> dict[str, str]:
    """The digest of each test set, with its outputs."""
    comparisons = map_comparisons(result)
    return {name: comparison.testset.digest for name, comparison in comparisons.items()}


def _list_facts(result: AnyComparison) -> dict[tuple[str, str, str, str], Any]:
    """What may change, by test set, metric, subject and kind."""
    facts = {}
    for testset, comparison in map_comparisons(result).items():
        for row in list_comparison_rows(comparison):
            if row["table"] not in ("systems", "pairs"):
                continue
            metric = row["metric"]
            for field in row["signature"].split("|"):
                name, _, value = field.partition(":")
                facts[testset, metric, name, "setting"] = value
            subject = row["system"] or " - ".join(sorted([row["a"], row["b"]]))
            row["better"] = row.get(row.get("better") or "")  # the name, as a pair may turn round
            for kind in _KINDS:
                facts[testset, metric, subject, kind] = row.get(kind)
    return facts


def _put_first(
    report: Report,
    key: str,
    title: str,
    summary: Paragraph,
    caption: str,
    record: Any,
    rows: Records,
) -> Report:
    blocks: list[Any] = [summary]
    if rows:
        from mtsig_core.report.experiment_tables import record_table  # late: loads all experiments

        table = record_table(key, rows)
        blocks.append(TableBlock(table=table, title=title, caption=caption))
    return replace(
        report,
        sections=[Section(title, blocks), *report.sections],
        make_record=lambda: {**report.make_record(), key: record},
        make_rows=lambda: [*report.make_rows(), *label_records(key, record["rows"])],
    )
