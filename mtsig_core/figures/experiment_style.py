"""What the figures of experiments share: axes, points, sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from mtsig_core.figures.style import LEFT, PLOT, measured, write_at
from mtsig_core.report.palette import BLUE

#: The key, above a figure.
KEY = {"orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom", "font_size": 14}
FAINT = "rgba(122,133,148,0.22)"


def start_figure() -> go.Figure:
    """Return a figure without traces."""
    axis = {"tickfont_size": 13, "zeroline": False}
    return go.Figure(layout={"xaxis": axis, "yaxis": axis})


def set_size(  # noqa: PLR0913  four margins
    figure: go.Figure,
    height: float,
    left: float = LEFT,
    right: float = 8,
    top: float = 8,
    bottom: float = 48,
    *,
    below: str = "",
    **layout: Any,
) -> None:
    """Set height and margins of a figure that is not dragged, and write what its axis measures."""
    if below:
        measured(figure, below)
    figure.update_layout(
        height=height,
        margin={"l": left, "r": right, "t": top, "b": bottom},
        dragmode=False,
        hovermode="closest",
        legend=KEY,
        **layout,
    )


def write_beside(figure: go.Figure, text: str) -> None:
    """Write what a vertical axis measures, turned, at the left edge."""
    left = figure.layout.margin.l
    write_at(figure, 0, 0.5, text, "left", "middle", **PLOT, xshift=-left, textangle=-90)


def log_axis(ticks: Sequence[float], form: str = "{:,}", **options: Any) -> dict[str, Any]:
    """Return a log axis with these ticks."""
    texts = [form.format(tick) for tick in ticks]
    return {"type": "log", "tickvals": list(ticks), "ticktext": texts, **options}


def mark_y(figure: go.Figure, y: float, colour: str, dash: str = "dot", width: float = 2) -> None:
    """Draw a horizontal line across the figure."""
    line = {"color": colour, "width": width, "dash": dash}
    figure.add_shape(type="line", xref="x domain", x0=0, x1=1, y0=y, y1=y, line=line)


def draw_points(  # noqa: PLR0913  the data, the hover, and four looks
    x: Any,
    y: Any,
    hover: str,
    colour: Any = BLUE,
    symbol: str = "circle",
    size: float = 10,
    name: str = "",
    joined: str = "",
) -> go.Scatter:
    """Return points with a hover text, in the key by their name.

    A line with the dash `joined` joins them.
    """
    points = go.Scatter(
        x=x,
        y=y,
        mode="markers",
        marker={"size": size, "symbol": symbol, "color": colour},
        name=name,
        showlegend=bool(name),
    )
    if hover:
        points.hovertemplate = f"{hover}<extra></extra>"
    if joined:
        points.update(mode="lines+markers", line={"color": colour, "width": 1, "dash": joined})
    return points


def draw_line(
    x: Sequence[float], y: Sequence[float], colour: str, width: float, dash: str = "solid"
) -> go.Scatter:
    """Return a line without a hover text, that is not in the key."""
    line = {"color": colour, "width": width, "dash": dash}
    return go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False)
