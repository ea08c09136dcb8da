"""Shares of repeats with their Monte Carlo intervals, held against a level and against a paper."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from mtsig_core.figures._style import BLUE, GREY, VERMILLION, full, label

__all__ = ["rates"]


def rates(rows: Sequence[tuple[str, float | None, float | None, float | None, float | None]],
          level: float | None = None, *, other: str = "", axis: tuple[float, float] | None = None) -> go.Figure:
    """One line for each share: a dot with its interval, and a diamond where another source has a number.

    Parameters
    ----------
    rows : sequence of (text, share, low, high, theirs)
        From top to bottom; None where unknown.
    level : float, optional
        A line to hold them against.
    other : str
        What the diamonds are.
    axis : (float, float), optional
        Ends of the axis, as shares.
    """
    known = [(k, row) for k, row in enumerate(rows) if row[1] is not None]
    theirs = [(k, row[4]) for k, row in enumerate(rows) if row[4] is not None]
    figure = go.Figure()
    figure.add_trace(go.Scatter(
        x=[100 * row[1] for _, row in known], y=[k for k, _ in known], mode="markers", showlegend=False,
        marker=dict(size=10, color=[_colour(row, level) for _, row in known]),
        error_x=dict(type="data", symmetric=False, array=[100 * (row[3] - row[1]) for _, row in known],
                     arrayminus=[100 * (row[1] - row[2]) for _, row in known], thickness=1.5, color=GREY),
        customdata=[[full(row[0]), f"{row[2]:.1%}", f"{row[3]:.1%}"] for _, row in known],
        hovertemplate="%{customdata[0]}: %{x:.1f}% [%{customdata[1]}, %{customdata[2]}]<extra></extra>"))
    if theirs:
        figure.add_trace(go.Scatter(
            x=[100 * value for _, value in theirs], y=[k for k, _ in theirs], mode="markers", showlegend=False,
            marker=dict(size=11, symbol="diamond-open", color=GREY, line_width=2), hovertemplate=(
                f"{full(other)}: %{{x:.1f}}%<extra></extra>")))
    if level is not None:
        figure.add_vline(x=100 * level, line=dict(color=BLUE, width=2, dash="dot"))
        figure.add_annotation(x=100 * level, y=1, yref="paper", yanchor="bottom", showarrow=False, font_size=14,
                              text=f"{100 * level:g}%")
    if theirs:
        figure.add_annotation(x=1, y=1, xref="paper", yref="paper", xanchor="right", yanchor="bottom", showarrow=False,
                              font_size=14, text=f"◇ {label(other)}")
    if axis is not None:
        figure.update_xaxes(range=[100 * axis[0], 100 * axis[1]])
    figure.update_xaxes(ticksuffix="%", tickfont_size=13, zeroline=False)
    figure.update_yaxes(tickvals=list(range(len(rows))), ticktext=[label(row[0]) for row in rows], tickfont_size=13,
                        range=[len(rows) - 0.5, -0.5], zeroline=False)
    figure.update_layout(height=62 + 19 * len(rows), margin=dict(l=8, r=16, t=28, b=24), dragmode=False)
    return figure


def _colour(row, level):
    """Vermillion where the whole interval lies off the level."""
    return VERMILLION if level is not None and not row[2] <= level <= row[3] else BLUE
