"""What is made of a shared task to be published, by the name of its format."""

from __future__ import annotations

from collections.abc import Sequence

from mtsig_core.data.review import Entry
from mtsig_core.data.task_source import TaskSource
from mtsig_core.report.review_report import review_record
from mtsig_core.report.task_export import TASK_FORMS
from mtsig_core.report.task_html import task_html
from mtsig_core.report.task_latex import task_latex
from mtsig_core.report.task_manifest import task_manifest
from mtsig_core.results.task import TaskComparison

__all__ = ["TASK_DOCUMENTS", "task_document"]

#: All formats, those of `TASK_FORMS` first.
TASK_DOCUMENTS = (*TASK_FORMS, "latex", "html", "manifest")


def task_document(form: str, found: TaskComparison, source: TaskSource, command: str,
                  history: Sequence[Entry] = ()) -> str:
    """A comparison of a task in one of the formats `TASK_DOCUMENTS`; `command` prints its numbers.

    `history` is that of a review, whose decisions and notes are then there too.
    """
    review = review_record(history, found) if history else None
    if form in TASK_FORMS:
        return TASK_FORMS[form](found, review)
    if form == "manifest":
        return task_manifest(found, source, command, review)
    return {"latex": task_latex, "html": task_html}[form](found, command, review)
