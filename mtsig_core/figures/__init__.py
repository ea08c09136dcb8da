"""Results -> plotly figures. Nothing is computed here."""

from collections.abc import Callable
from functools import partial

import plotly.graph_objects as go

from mtsig_core.figures.comparison_plots import differences, forest, matrix
from mtsig_core.report.sentences import list_caveats, state_answer
from mtsig_core.results import Comparison

__all__ = ["differences", "forest", "matrix", "of_comparison"]


def of_comparison(comparison: Comparison, metric: str) -> dict[str, Callable[[], go.Figure]]:
    """What draws each figure that a comparison has under a metric, by its name."""
    result, settings = comparison.metrics[metric], comparison.settings
    notes = tuple(list_caveats(comparison, metric))
    found: dict[str, Callable[[], go.Figure]] = {"forest": partial(forest, result, settings, notes)}
    if result.pairs:
        found["differences"] = partial(
            differences, result, settings, notes, state_answer(comparison, metric)
        )
    if result.pairs and settings.baseline is None:
        found["matrix"] = partial(matrix, result, settings, notes=notes)
    return found
