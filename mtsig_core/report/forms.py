"""A comparison in every form that it is written in."""

from collections.abc import Callable

from mtsig_core.report import export, html_report, latex, terminal
from mtsig_core.results import Comparison

__all__ = ["FORMS"]

FORMS: dict[str, Callable[[Comparison], str]] = {
    "text": terminal.comparison_text, "json": export.comparison_json, "csv": export.comparison_csv,
    "latex": latex.comparison_latex, "html": html_report.comparison_html, "matrix": export.matrix_csv}
