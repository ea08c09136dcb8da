"""The bootstrap of one score: its replicates with the interval, and how a bound settles with more of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from mtsig_core.figures._style import BLUE, ENDS, GREY, LEFT, VERMILLION, Labels, full, measured, steps

__all__ = ["replicates", "settling"]

_SHARES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]  # ticks, in percent
_BESIDE = 0.25  # room that a score of four digits and its percents need, as a part of what is drawn
_INSIDE, _OUTSIDE = "rgba(0,114,178,0.32)", "rgba(122,133,148,0.30)"


def replicates(edges: np.ndarray, counts: np.ndarray, score: float, median: float,
               interval: tuple[float, float] | None, about: tuple[float, float] | None = None, *,
               unit: str, form: str = ".2f") -> go.Figure:
    """Histogram of bootstrap scores, filled blue inside the interval (Zhang and Vogel 2004, Figs 1 and 2).

    Parameters
    ----------
    edges, counts : ndarray
        Histogram of the replicates.
    score, median : float
        Observed, and of the replicates.
    interval, about : (float, float) or None
        In points; and relative to the median, as fractions.
    unit : str
        What the axis measures, such as ``"BLEU"``.
    form : str
        How its numbers are written.
    """
    low, high = interval or (math.inf, math.inf)
    top = float(counts.max(initial=1))
    figure = go.Figure()
    # Steps as one filled line, cut at the ends of the interval: bars would not be cut.
    for start, end, fill, line in ((-math.inf, low, _OUTSIDE, GREY), (low, high, _INSIDE, BLUE),
                                   (high, math.inf, _OUTSIDE, GREY)):
        xs, ys = steps(edges, counts, start, end)
        if xs:
            figure.add_trace(go.Scatter(
                x=[xs[0], *xs, xs[-1]], y=[0, *ys, 0], mode="lines", fill="tozeroy", fillcolor=fill, showlegend=False,
                line=dict(color=line, width=1.5, simplify=False), hoverinfo="skip"))
    sides = ("right", "left") if score <= median else ("left", "right")
    for at, anchor, dash, words in ((score, sides[0], "solid", "observed"), (median, sides[1], "dot", "median")):
        figure.add_shape(type="line", x0=at, x1=at, y0=0, y1=1.1 * top,
                         line=dict(color=VERMILLION if dash == "solid" else BLUE, width=3, dash=dash))
        _say(figure, at, 1.1 * top, f"{words} {at:{form}}", anchor)
    for at, anchor in () if interval is None else ((low, "right"), (high, "left")):
        figure.add_shape(type="line", x0=at, x1=at, y0=0, y1=0.5 * top, line=dict(color=BLUE, width=3))
        share = "" if about is None else f"  {100 * about[anchor == 'left']:+.2f}%"
        _say(figure, at, 0.5 * top, f"<b>{at:{form}}</b>{share}", anchor)
    ends = [*edges[[0, -1]].tolist(), score, *(interval or ())]
    width = max(ends) - min(ends) or 16.0
    drawn = [min(ends) - 0.06 * width, max(ends) + 0.06 * width]
    if interval is not None:  # what is said of its ends stands outside
        drawn = [min(drawn[0], low - _BESIDE * width), max(drawn[1], high + _BESIDE * width)]
    figure.update_xaxes(range=drawn, zeroline=False, showgrid=False,
                        tickfont_size=13, exponentformat="power")
    named = Labels()
    measured(figure, f"{named(unit)} of bootstrap samples")
    figure.update_yaxes(range=[0, 1.24 * top], visible=False)
    figure.update_layout(height=270, margin=dict(l=ENDS, r=ENDS, t=8, b=48), dragmode=False)
    return named.below(figure)


def settling(sizes: Sequence[int], ours: Sequence[float | None], ranges: Sequence[tuple[float, float] | None],
             theory: Sequence[float | None], published: Sequence[tuple[int, float]], *, unit: str) -> go.Figure:
    """Standard deviation of a relative bound against the number of resamples, on log axes.

    Parameters
    ----------
    sizes : sequence of int
    ours, theory : sequence of float
        Fractions of the score; None where unknown.
    ranges : sequence of (float, float) or None
        Intervals of ours, for the error bars.
    published : sequence of (int, float)
        Points of the paper, fractions too.
    unit : str
        The metric of the paper's points.
    """
    known = [(k, 100 * value) for k, value in enumerate(ours) if value]
    x, y = [sizes[k] for k, _ in known], [value for _, value in known]
    line = [(size, 100 * value) for size, value in zip(sizes, theory, strict=True) if value]
    paper = [(size, 100 * value) for size, value in published]
    figure = go.Figure()
    figure.add_trace(go.Scatter(
        x=[size for size, _ in paper], y=[value for _, value in paper], mode="lines+markers", showlegend=False,
        line=dict(color=GREY, width=1, dash="dot"), marker=dict(size=9, symbol="diamond-open", color=GREY),
        hovertemplate="Zhang and Vogel: B = %{x:,}, %{y:.3f}%<extra></extra>"))
    figure.add_trace(go.Scatter(
        x=[size for size, _ in line], y=[value for _, value in line], mode="lines", showlegend=False,
        line=dict(color=BLUE, width=2), hoverinfo="skip"))
    bars = [100 * np.array(ranges[k]) for k, _ in known]
    figure.add_trace(go.Scatter(
        x=x, y=y, mode="markers", showlegend=False, marker=dict(size=11, color=BLUE, line=dict(color="white", width=1)),
        error_y=dict(type="data", symmetric=False, array=[bar[1] - v for bar, v in zip(bars, y, strict=True)],
                     arrayminus=[v - bar[0] for bar, v in zip(bars, y, strict=True)], color=BLUE, thickness=1.5),
        hovertemplate="here: B = %{x:,}, %{y:.3f}%<extra></extra>"))
    seen = [value for _, value in (*line, *paper)] + [float(v) for bar in bars for v in bar]
    seen = [math.log10(value) for value in seen if value > 0] or [0.0]
    above = bool(line) and line[0][1] > paper[0][1]  # the lines fall: free are the right of the upper, the left of
    for points, text, over in ((line, "here, and the line of theory", above),  # the lower
                               (paper, f"Zhang and Vogel, {full(unit)}", not above)):
        if len(points) > 2:
            size, value = points[1 if over else 2]
            figure.add_annotation(x=math.log10(size), y=math.log10(value), text=text, showarrow=False, font_size=14,
                                  xanchor="left" if over else "right", xshift=10 if over else -14,
                                  yanchor="bottom" if over else "top", yshift=2 if over else -10)
    figure.update_xaxes(type="log", range=[math.log10(75), math.log10(14_000)], tickvals=list(sizes),
                        ticktext=[f"{size:,}" for size in sizes], tickfont_size=13, zeroline=False)
    figure.update_yaxes(type="log", range=[min(seen) - 0.12, max(seen) + 0.12], tickfont_size=13, zeroline=False,
                        tickvals=_SHARES, ticktext=[f"{share:g}%" for share in _SHARES])
    measured(figure, "B, bootstrap samples")
    figure.update_layout(height=320, margin=dict(l=LEFT, r=8, t=8, b=48), dragmode=False, hovermode="closest")
    return figure


def _say(figure: go.Figure, x: float, y: float, text: str, anchor: str) -> None:
    figure.add_annotation(x=x, y=y, text=text, showarrow=False, font_size=14, yanchor="bottom", xanchor=anchor,
                          xshift=4 if anchor == "left" else -4)
