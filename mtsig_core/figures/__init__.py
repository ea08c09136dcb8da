"""Results -> plotly figures. Nothing is computed here."""

from functools import partial

import plotly.graph_objects as go

from mtsig_core.errors import SettingError, suggest_name
from mtsig_core.figures.comparison_plots import differences, differences_by_metric, forest
from mtsig_core.figures.matrix_plot import matrix
from mtsig_core.figures.style import MakeFigure
from mtsig_core.report.sentences import (
    list_caution_texts,
    list_metric_rows,
    name_sides,
    state_answer,
    write_level,
)
from mtsig_core.results import Comparison

__all__ = [
    "differences",
    "draw_figure",
    "forest",
    "matrix",
    "of_comparison",
    "differences_by_metric",
    "prepare_differences",
]


def of_comparison(comparison: Comparison, metric: str) -> dict[str, MakeFigure]:
    """Return what draws each figure that a comparison has under a metric, by its name."""
    result = comparison.metrics[metric]
    settings = comparison.settings
    notes = tuple(list_caution_texts(comparison, metric))
    figures: dict[str, MakeFigure] = {"forest": partial(forest, result, settings, notes)}
    if result.pairs:
        figures["differences"] = prepare_differences(comparison, metric)
    if result.pairs and settings.baseline is None:
        figures["matrix"] = partial(matrix, result, settings, notes=notes)
    return figures


def prepare_differences(comparison: Comparison, metric: str) -> MakeFigure:
    """Return what draws the differences of a comparison: of two systems, by all metrics."""
    result = comparison.metrics[metric]
    settings = comparison.settings
    notes = tuple(list_caution_texts(comparison, metric))
    answer = state_answer(comparison, metric)
    if len(result.pairs) > 1:
        return partial(differences, result, settings, notes, answer)
    rows = tuple(list_metric_rows(comparison, metric))
    system, _ = name_sides(result, settings)
    return partial(differences_by_metric, rows, system, write_level(settings), notes, answer)


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
