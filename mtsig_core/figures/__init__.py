"""Results -> plotly figures. Nothing is computed here."""

from collections.abc import Callable
from functools import partial

import plotly.graph_objects as go

from mtsig_core.figures.differences import differences
from mtsig_core.figures.forest import forest
from mtsig_core.figures.matrix import matrix
from mtsig_core.results import Comparison

__all__ = ["differences", "forest", "matrix", "of_comparison"]


def of_comparison(comparison: Comparison, metric: str) -> dict[str, Callable[[], go.Figure]]:
    """What draws each figure that a comparison has under a metric, by its name."""
    result, settings = comparison.metrics[metric], comparison.settings
    there = [forest, *[differences] * bool(result.pairs), *[matrix] * bool(result.pairs and settings.baseline is None)]
    return {drawn.__name__: partial(drawn, result, settings) for drawn in there}
