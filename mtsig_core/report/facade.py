"""What results show of themselves: a table in a notebook, files and figures. Results import this when asked."""

from __future__ import annotations

from typing import Any

from mtsig_core.errors import SettingError, explain_unknown, suggest_name
from mtsig_core.report.export import read_comparison as read_comparison
from mtsig_core.report.html import metric_table, score_table
from mtsig_core.report.reports import FORMS, comparison_fragment
from mtsig_core.results import Comparison, MetricResult, Scores, TaskComparison


def show(result: Comparison | MetricResult | Scores | TaskComparison) -> str:
    """A result as HTML for a notebook."""
    if isinstance(result, Comparison):
        return comparison_fragment(result)
    if isinstance(result, MetricResult):
        return metric_table(result)
    if isinstance(result, Scores):
        return score_table(result)
    from mtsig_core.report.task_reports import task_fragment  # and with it all that only a task needs

    return task_fragment(result)


def render(comparison: Comparison, form: str) -> str:
    """A comparison as a file has it, in one of `FORMS`."""
    if form not in FORMS:
        raise explain_unknown("form", form, FORMS)
    return FORMS[form](comparison)


def draw_figure(comparison: Comparison, name: str, metric: str | None) -> Any:
    """One figure of a comparison, by its first metric if none is given."""
    from mtsig_core.figures import of_comparison

    figures = of_comparison(comparison, next(iter(comparison.metrics)) if metric is None else metric)
    if name not in figures:
        raise SettingError(f"This comparison has no figure {name!r}.{suggest_name(name, figures)} It has: "
                           f"{', '.join(figures)}.")
    return figures[name]()

