"""Results -> plotly figures. Nothing is computed here."""

from collections.abc import Callable
from functools import partial

import plotly.graph_objects as go

from mtsig_core.errors import SettingError, suggest_name
from mtsig_core.figures.comparison_plots import differences, forest
from mtsig_core.figures.matrix_plot import matrix
from mtsig_core.report.sentences import list_caution_texts, state_answer
from mtsig_core.results import Comparison

__all__ = ["differences", "draw_figure", "forest", "matrix", "of_comparison"]


def of_comparison(comparison: Comparison, metric: str) -> dict[str, Callable[[], go.Figure]]:
    """Return what draws each figure that a comparison has under a metric, by its name."""
    result, settings = comparison.metrics[metric], comparison.settings
    notes = tuple(list_caution_texts(comparison, metric))
    figures: dict[str, Callable[[], go.Figure]] = {
        "forest": partial(forest, result, settings, notes)
    }
    if result.pairs:
        answer = state_answer(comparison, metric)
        figures["differences"] = partial(differences, result, settings, notes, answer)
    if result.pairs and settings.baseline is None:
        figures["matrix"] = partial(matrix, result, settings, notes=notes)
    return figures


def draw_figure(comparison: Comparison, name: str, metric: str | None = None) -> go.Figure:
    """Return one figure of a comparison, by its first metric if none is given."""
    if metric is None:
        metric = next(iter(comparison.metrics))
    figures = of_comparison(comparison, metric)
    if name not in figures:
        raise SettingError(
            f"This comparison has no figure {name!r}.{suggest_name(name, figures)} It has: "
            f"{', '.join(figures)}."
        )
    return figures[name]()
