"""The decision on a release as a part of a report."""

from __future__ import annotations

from dataclasses import replace

from mtsig_core.experiments.release import ReleaseJudgement
from mtsig_core.report.document import Paragraph, Report, Section, TableBlock
from mtsig_core.report.experiment_tables import record_table
from mtsig_core.report.export import label_records
from mtsig_core.schema import to_plain

_VERDICTS = {True: "Passes", False: "Fails", None: "Cannot be decided"}


def add_judgement(report: Report, judgement: ReleaseJudgement) -> Report:
    """Put the decision on a release first; in JSON it is ``gate``, in CSV rows of that table."""
    record = to_plain(judgement)
    rows = record["rows"]
    verdict = Paragraph(
        text=f"{_VERDICTS[judgement.passed]}: {judgement.reason}", about=f"Rule {judgement.rule}"
    )
    block = TableBlock(
        table=record_table("gate", rows), title="Release", caption="Systems and the baseline."
    )
    return replace(
        report,
        sections=[Section("Release", [verdict, block]), *report.sections],
        make_record=lambda: {**report.make_record(), "gate": record},
        make_rows=lambda: [*report.make_rows(), *label_records("gate", rows)],
    )
