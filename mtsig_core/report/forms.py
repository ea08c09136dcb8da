"""A comparison in every form that it is written in."""

from collections.abc import Callable

from mtsig_core.report import export, html, latex, result_json, terminal
from mtsig_core.results import Comparison

FORMS: dict[str, Callable[[Comparison], str]] = {
    "text": terminal.comparison_text, "json": result_json.comparison_json, "csv": export.comparison_csv,
    "latex": latex.comparison_latex, "html": html.comparison_html, "matrix": export.matrix_csv}
