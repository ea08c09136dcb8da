"""The methods that a Python user calls on a caution or a result.

Only this module knows both the results and the code that shows them. Only `mtsig_core` imports it.
Files and figures are imported on first use, because many users compare systems without drawing
figures.
"""

from __future__ import annotations

from html import escape
from typing import Any

from mtsig_core.caution import Fact, Kind, Words
from mtsig_core.errors import MissingPackageError
from mtsig_core.extras import explain_missing_package
from mtsig_core.presenter import register_presenter
from mtsig_core.report.caution_kinds import find_kind, write_words
from mtsig_core.results import Comparison, MetricResult, Scores, TaskComparison


class Facade:
    """The `Presenter` of the package."""

    def find_kind(self, code: str) -> Kind | None:
        """Return the row of a code."""
        return find_kind(code)

    def write_words(self, fact: Fact) -> Words:
        """Fill the words of a caution or an assumption with its facts."""
        return write_words(fact)

    def show(self, result: Comparison | MetricResult | Scores | TaskComparison) -> str:
        """Return a result as HTML for a notebook: in one line where packages for more are missing."""
        try:
            return self._show_whole(result)
        except MissingPackageError as error:
            return f"<pre>{escape(repr(result))}</pre><p>{escape(str(error))}</p>"

    def _show_whole(self, result: Comparison | MetricResult | Scores | TaskComparison) -> str:
        from mtsig_core.report import html

        if isinstance(result, MetricResult):
            return html.metric_table(result)
        if isinstance(result, Scores):
            return html.score_table(result)
        return html.report_fragment(_report(result))

    def render(self, result: Comparison | TaskComparison, form: str) -> str:
        """Return a comparison as a file has it."""
        from mtsig_core.report import reports

        return reports.render_report(_report(result), form)

    def draw_figure(self, comparison: Comparison, name: str, metric: str | None) -> Any:
        """Return one figure of a comparison."""
        with explain_missing_package("figures", "A figure"):
            from mtsig_core import figures

        return figures.draw_figure(comparison, name, metric)

    def read_comparison(self, text: str) -> Comparison:
        """Return the comparison that a JSON file has."""
        from mtsig_core.report import export

        return export.read_comparison(text)

    def read_task_comparison(self, text: str) -> TaskComparison:
        """Return the comparison of a task that a JSON file has."""
        from mtsig_core.report import export

        return export.read_task_comparison(text)


def _report(result: Comparison | TaskComparison) -> Any:
    from mtsig_core.report import reports, task_reports

    if isinstance(result, TaskComparison):
        return task_reports.task_report(result)
    return reports.comparison_report(result)


register_presenter(Facade())
