"""One pair: the bootstrapped difference, the null of approximate randomization, and what drives the difference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from mtsig_core.figures.style import ENDS, Labels, add_histogram, full, interval_bars, measured, set_key
from mtsig_core.report.palette import BLUE, GREY, VERMILLION, width
from mtsig_core.report.table import rounded

_ROW = 24  # pixels per bar
_LINE, _SECOND = 18, 12  # pixels of a line above a figure, and of a second line of names
_SIDE, _BOTH = 20, 16  # widest name of a side, and both together in one line, in digits
_VALUE = 34  # pixels between names and bars for a number, which a narrow figure has no room for beside its bar
_HALF = 36  # of a figure in half of the page
_NAMES = 46  # pixels of the names of two intervals
_FILL = {BLUE: "rgba(0,114,178,0.55)", VERMILLION: "rgba(213,94,0,0.65)", GREY: "rgba(122,133,148,0.35)"}


def half_eye(x: np.ndarray, y: np.ndarray, delta: float, interval: tuple[float, float] | None, *, a: str, b: str,
             unit: str, form: str = ".2f", joint: tuple[float, float] | None = None,
             called: tuple[str, str] = ("", "")) -> go.Figure:
    """The density (x, y) of bootstrapped improvements of a over b, and under it the observed one with its intervals,
    single and simultaneous (joint), `called` by name below the figure. Right of zero is blue, the rest vermillion."""
    top = float(y.max()) if len(y) else 1.0
    figure = go.Figure()
    if len(y):
        at_zero = float(np.interp(0, x, y))
        for keep, end, colour in ((x > 0, 0, BLUE), (x < 0, -1, VERMILLION)):
            if keep.any():
                inside = x.min() < 0 < x.max()
                part = [(0.0, at_zero)] if inside else []
                curve = list(zip(x[keep].tolist(), y[keep].tolist(), strict=True))
                curve = part + curve if end == 0 else curve + part
                figure.add_trace(go.Scatter(
                    x=[p for p, _ in curve], y=[q for _, q in curve], mode="lines", fill="tozeroy",
                    line=dict(color=colour, width=2, simplify=False), fillcolor=_FILL[colour], showlegend=False,
                    hoverinfo="skip"))
    ends = [delta, 0.0, *(interval or ()), *(joint or ()), *(x[[0, -1]].tolist() if len(x) else ())]
    if interval is not None and joint is not None:
        interval_bars(figure, [interval], [-0.1 * top], called[0], form=form)
        interval_bars(figure, [joint], [-0.24 * top], called[1], thick=False, form=form)
        set_key(figure)
    elif interval is not None:
        figure.add_trace(go.Scatter(x=list(interval), y=[-0.1 * top] * 2, mode="lines", showlegend=False,
                                    line=dict(color=GREY, width=6), hovertemplate=f"%{{x:+{form}}}<extra></extra>"))
    figure.add_trace(go.Scatter(
        x=[delta], y=[-0.1 * top], mode="markers", showlegend=False,
        marker=dict(size=15, color=BLUE if delta >= 0 else VERMILLION, line=dict(color="white", width=2)),
        hovertemplate=f"%{{x:+{form}}}<extra></extra>"))
    _zero(figure)
    margin = 0.04 * (max(ends) - min(ends)) or 1.0
    figure.update_xaxes(range=[min(ends) - margin, max(ends) + margin], zeroline=False,
                        tickfont_size=13, exponentformat="power")
    named = Labels(among=(a, b))
    measured(figure, f"{named(unit, 16)} difference, bootstrapped")
    figure.update_yaxes(range=[(-0.2 if joint is None else -0.36) * top, 1.22 * top], visible=False)
    lines = _sides(figure, named, min(ends) < -margin, max(ends) > margin, a, b)
    _sized(figure, lines=lines)
    below = figure.layout.margin.b + _NAMES
    if joint is not None:  # what they are called, a line each, below what the axis measures
        figure.update_layout(height=figure.layout.height + _NAMES, margin_b=below)
    named.below(figure, _HALF)
    if joint is not None:
        figure.update_layout(legend=dict(yref="container", yanchor="bottom",
                                         y=(figure.layout.margin.b - below) / figure.layout.height))
    return figure


def null_tails(edges: np.ndarray, counts: np.ndarray, delta: float, *, unit: str, form: str = ".2f",
               exact: bool = False) -> go.Figure:
    """The histogram of differences that random swaps give, or all swaps (exact); those at least as large as the
    observed one are filled."""
    size, top = abs(delta), float(counts.max(initial=1))
    figure = go.Figure()
    add_histogram(figure, edges, counts, [(low, high, colour, _FILL[colour]) for low, high, colour in (
        (-np.inf, -size, VERMILLION), (-size, size, GREY), (size, np.inf, BLUE))], 1)
    for at in sorted({-delta, delta}):
        seen = at == delta
        figure.add_shape(type="line", x0=at, x1=at, y0=0, y1=1.04 * top, line=dict(
            color=BLUE if at >= 0 else VERMILLION, width=3 if seen else 2, dash="solid" if seen else "dot"))
        figure.add_annotation(x=at, y=1.05 * top, text=f"{'observed<br>' if seen else ''}{at:+{form}}", showarrow=False,
                              yanchor="bottom", xanchor=_anchor(at, size, float(edges[-1])), font_size=14)
    figure.update_xaxes(zeroline=False, tickfont_size=13, exponentformat="power",
                        range=[float(edges[0]), float(edges[-1])])
    named = Labels()
    measured(figure, f"{named(unit, 12)} difference after {'all' if exact else 'random'} permutations")
    figure.update_yaxes(range=[-0.02 * top, 1.4 * top], visible=False)
    return named.below(_sized(figure), _HALF)


def drivers(names: Sequence[str], values: Sequence[float], *, a: str, b: str, unit: str) -> go.Figure:
    """What single units add to the difference: a bar each, blue for a, vermillion for b.

    The custom data of a bar are its number and its name; values are improvements of a over b in points.
    """
    rows, named = list(range(len(names))), Labels(34, 2, [*names, a, b])
    reach = 1.3 * max(map(abs, values), default=1.0)
    figure = go.Figure(go.Bar(
        x=list(values), y=rows, orientation="h", marker_color=[BLUE if v >= 0 else VERMILLION for v in values],
        text=[rounded(v, "+") for v in values], textposition="outside", cliponaxis=False, showlegend=False,
        outsidetextfont_size=13, customdata=[[k, full(name)] for k, name in enumerate(names)],
        hovertemplate="%{customdata[1]}<br>%{text}<extra></extra>"))
    _zero(figure)
    figure.update_xaxes(range=[-reach, reach], zeroline=False, tickfont_size=13, tickangle=0, nticks=4,
                        exponentformat="power")
    measured(figure, f"{named(unit, 24)} added to the difference")
    figure.update_yaxes(tickvals=rows, ticktext=[named(name) for name in names], tickfont_size=13,
                        showgrid=False, range=[len(names) - 0.4, -0.6], zeroline=False,
                        ticklabelstandoff=_VALUE)
    row = _ROW + _SECOND * (named.lines - 1)
    _sized(figure, row * len(names) + 110, _sides(figure, named, True, True, a, b, both=0))
    figure.layout.annotations[0].xshift = -named.left / 2  # in the middle of all of it, where a phone has room
    return named.below(figure.update_layout(margin_l=named.left + _VALUE, margin_r=_VALUE))


def _zero(figure: go.Figure) -> None:
    figure.add_vline(x=0, line=dict(color=GREY, width=2, dash="dash"))


def _anchor(at: float, size: float, end: float) -> str:
    """Beside the other line's words where the two are near, inside the figure where they are not."""
    if size < 0.35 * end:
        return "left" if at > 0 else "right"
    return "right" if at > 0.7 * end else "left" if at < -0.7 * end else "center"


def _sides(figure: go.Figure, named: Labels, left: bool, right: bool, a: str, b: str,
           both: float = _BOTH) -> int:
    """Which side of zero is whose, in one line where both have room even in a narrow window; returns the lines."""
    told = [(0, "left", f"◀ {named(b, _SIDE)} better")] * left + [(1, "right", f"{named(a, _SIDE)} better ▶")] * right
    lines = 1 + (left and right and width(a) + width(b) > both)
    for k, (x, anchor, text) in enumerate(told):
        figure.add_annotation(x=x, y=1, xref="paper", yref="paper", xanchor=anchor, yanchor="bottom", text=text,
                              showarrow=False, font_size=14, yshift=_LINE * (lines - 1) * (1 - k))
    return lines


def _sized(figure: go.Figure, height: int = 200, lines: int = 1) -> go.Figure:
    """The figure, so high with one line above it."""
    more = _LINE * (lines - 1)
    figure.update_layout(height=height + more, margin=dict(l=ENDS, r=ENDS, t=28 + more, b=48), dragmode=False)
    figure.update_xaxes(showgrid=True)
    return figure
