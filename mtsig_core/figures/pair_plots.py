"""Figures of one pair: the bootstrapped difference, its null, and what drives the difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mtsig_core.figures.style import (
    ENDS,
    PLOT,
    Band,
    Labels,
    add_histogram,
    full,
    interval_bars,
    mark_x,
    mark_zero,
    measured,
    set_key,
    write_at,
)
from mtsig_core.report.palette import BLUE, GREY, VERMILLION, width
from mtsig_core.report.table import rounded
from mtsig_core.stats.intervals import Bounds

_ROW = 24  # pixels per bar
_LINE, _SECOND_LINE = 18, 12  # pixels of a line above a figure, and of a second line of names
_SIDE, _BOTH_SIDES = 20, 16  # widest name of a side, and both together in one line, in digits
#: Pixels between names and bars for a number, which a narrow figure has no room for next to its bar.
_VALUE = 34
_HALF_PAGE = 36  # digits of a line below a figure in half of the page
_INTERVAL_NAMES = 46  # pixels of the names of two intervals
_FILL = {
    BLUE: "rgba(0,114,178,0.55)",
    VERMILLION: "rgba(213,94,0,0.65)",
    GREY: "rgba(122,133,148,0.35)",
}
#: Axes of differences.
_AXIS = {"zeroline": False, "tickfont_size": 13, "exponentformat": "power"}


def half_eye(  # noqa: PLR0913  the data of a pair, its intervals, and their words
    x: np.ndarray,
    y: np.ndarray,
    delta: float,
    interval: Bounds | None,
    *,
    a: str,
    b: str,
    unit: str,
    form: str = ".2f",
    joint: Bounds | None = None,
    interval_names: tuple[str, str] = ("", ""),
) -> go.Figure:
    """The density (x, y) of bootstrapped improvements of a over b, with the observed one below.

    Intervals, single and simultaneous (joint), have their `interval_names` below the figure. Right of
    zero is blue, the other side vermillion.
    """
    height = 1.0
    figure = go.Figure()
    bounds = [delta, 0.0, *(interval or ()), *(joint or ())]
    if len(y):
        height = float(y.max())
        _add_density(figure, x, y)
        bounds += x[[0, -1]].tolist()
    if interval is not None and joint is not None:
        single_name, joint_name = interval_names
        interval_bars(figure, [interval], [-0.1 * height], single_name, form=form)
        interval_bars(figure, [joint], [-0.24 * height], joint_name, thick=False, form=form)
        set_key(figure)
        _add_observed(figure, delta, None, -0.1 * height, form)
    else:
        _add_observed(figure, delta, interval, -0.1 * height, form)
    mark_zero(figure)
    low = min(bounds)
    high = max(bounds)
    margin = 0.04 * (high - low) or 1.0
    x_range = [low - margin, high + margin]
    figure.update_xaxes(range=x_range, **_AXIS)
    labels = Labels(among=(a, b))
    unit_label = labels(unit, 16)
    measured(figure, f"{unit_label} difference, bootstrapped")
    label_b = label_a = None
    if low < -margin:
        label_b = labels(b, _SIDE)
    if high > margin:
        label_a = labels(a, _SIDE)
    fits = width(a) + width(b) <= _BOTH_SIDES
    _write_sides(figure, label_b, label_a, fits)
    _set_size(figure, n_lines=2)  # as `null_tails`, which is beside it
    top = 1.22 * height
    if joint is None:
        figure.update_yaxes(range=[-0.2 * height, top], visible=False)
        return labels.below(figure, _HALF_PAGE)
    figure.update_yaxes(range=[-0.36 * height, top], visible=False)
    _set_key_below(figure, labels)
    return figure


def _add_observed(
    figure: go.Figure, delta: float, interval: Bounds | None, y: float, form: str
) -> None:
    """Draw the observed difference, on its interval if there is one to draw."""
    hover = f"%{{x:+{form}}}<extra></extra>"
    if interval is not None:
        line = {"color": GREY, "width": 6}
        _add_scatter(figure, interval, [y, y], mode="lines", line=line, hovertemplate=hover)
    edge = {"color": "white", "width": 2}
    marker = {"size": 15, "color": _choose_colour(delta), "line": edge}
    _add_scatter(figure, [delta], [y], mode="markers", marker=marker, hovertemplate=hover)


def _set_key_below(figure: go.Figure, labels: Labels) -> None:
    """Set the names of the intervals, a line each, below what the axis measures."""
    bottom = figure.layout.margin.b + _INTERVAL_NAMES
    height_with_names = figure.layout.height + _INTERVAL_NAMES
    figure.update_layout(height=height_with_names, margin_b=bottom)
    labels.below(figure, _HALF_PAGE)
    key_height = (figure.layout.margin.b - bottom) / figure.layout.height
    legend = {"yref": "container", "yanchor": "bottom", "y": key_height}
    figure.update_layout(legend=legend)


def _add_density(figure: go.Figure, x: np.ndarray, y: np.ndarray) -> None:
    """Fill the density right of zero blue, and the rest vermillion."""
    x_zero = []
    y_zero = []
    if x.min() < 0 < x.max():
        x_zero = [0.0]
        y_zero = [float(np.interp(0, x, y))]
    is_right = x > 0
    x_right = x_zero + x[is_right].tolist()
    y_right = y_zero + y[is_right].tolist()
    _add_filled_curve(figure, x_right, y_right, BLUE)
    is_left = x < 0
    x_left = x[is_left].tolist() + x_zero
    y_left = y[is_left].tolist() + y_zero
    _add_filled_curve(figure, x_left, y_left, VERMILLION)


def _add_filled_curve(
    figure: go.Figure, x: Sequence[float], y: Sequence[float], colour: str
) -> None:
    if not x:
        return
    line = {"color": colour, "width": 2, "simplify": False}
    fill = {"fill": "tozeroy", "fillcolor": _FILL[colour]}
    _add_scatter(figure, x, y, mode="lines", line=line, **fill, hoverinfo="skip")


def _add_scatter(figure: go.Figure, x: Sequence[float], y: Sequence[float], **options: Any) -> None:
    points = go.Scatter(x=list(x), y=y, showlegend=False, **options)
    figure.add_trace(points)


def _choose_colour(improvement: float) -> str:
    if improvement >= 0:
        return BLUE
    return VERMILLION


def null_tails(
    edges: np.ndarray,
    counts: np.ndarray,
    delta: float,
    *,
    unit: str,
    form: str = ".2f",
    exact: bool = False,
) -> go.Figure:
    """The histogram of differences that random swaps give, or all swaps (exact).

    Those at least as large as the observed one are filled.
    """
    size = abs(delta)
    height = float(counts.max(initial=1))
    start = float(edges[0])
    end = float(edges[-1])
    figure = go.Figure()
    left_tail = Band(-np.inf, -size, VERMILLION, _FILL[VERMILLION])
    middle = Band(-size, size, GREY, _FILL[GREY])
    right_tail = Band(size, np.inf, BLUE, _FILL[BLUE])
    add_histogram(figure, edges, counts, [left_tail, middle, right_tail], 1)
    for x in sorted({-delta, delta}):
        text = f"{x:+{form}}"
        dash = "dot"
        line_width = 2
        if x == delta:
            text = f"observed<br>{text}"
            dash = "solid"
            line_width = 3
        colour = _choose_colour(x)
        mark_x(figure, x, (0, 1.04 * height), colour, dash, line_width)
        anchor = _choose_anchor(x, size, end)
        write_at(figure, x, 1.05 * height, text, anchor)
    figure.update_xaxes(range=[start, end], **_AXIS)
    labels = Labels()
    unit_label = labels(unit, 12)
    permutations = "random"
    if exact:
        permutations = "all"
    measured(figure, f"{unit_label} difference after {permutations} permutations")
    y_range = [-0.02 * height, 1.4 * height]
    figure.update_yaxes(range=y_range, visible=False)
    _set_size(figure, n_lines=2)
    return labels.below(figure, _HALF_PAGE)


def _choose_anchor(x: float, size: float, end: float) -> str:
    """Next to the text of the other line if the two are near, else inside the figure."""
    are_near = size < 0.35 * end
    if are_near and x > 0:
        return "left"
    if are_near or x > 0.7 * end:
        return "right"
    if x < -0.7 * end:
        return "left"
    return "center"


def drivers(
    names: Sequence[str], values: Sequence[float], *, a: str, b: str, unit: str
) -> go.Figure:
    """Draw what each unit adds to the difference as a bar, blue for a, vermillion for b.

    The custom data of a bar are its number and its name; values are improvements of a over b in
    points.
    """
    rows = list(range(len(names)))
    labels = Labels(34, 2, [*names, a, b])
    reach = 1.3 * max(map(abs, values), default=1.0)
    colours = [_choose_colour(value) for value in values]
    texts = [rounded(value, "+") for value in values]
    bars = go.Bar(
        x=list(values),
        y=rows,
        orientation="h",
        marker_color=colours,
        text=texts,
        textposition="outside",
        cliponaxis=False,
        showlegend=False,
        outsidetextfont_size=13,
    )
    bars.customdata = [[number, full(name)] for number, name in enumerate(names)]
    bars.hovertemplate = "%{customdata[1]}<br>%{text}<extra></extra>"
    figure = go.Figure(bars)
    mark_zero(figure)
    figure.update_xaxes(range=[-reach, reach], tickangle=0, nticks=4, **_AXIS)
    unit_label = labels(unit, 24)
    measured(figure, f"{unit_label} added to the difference")
    row_labels = [labels(name) for name in names]
    figure.update_yaxes(
        tickvals=rows,
        ticktext=row_labels,
        tickfont_size=13,
        showgrid=False,
        range=[len(names) - 0.4, -0.6],
        zeroline=False,
        ticklabelstandoff=_VALUE,
    )
    row_height = _ROW + _SECOND_LINE * (labels.lines - 1)
    label_b = labels(b, _SIDE)
    label_a = labels(a, _SIDE)
    n_lines = _write_sides(figure, label_b, label_a, fits=False)
    height = row_height * len(names) + 110
    _set_size(figure, height, n_lines)
    # In the middle of the whole figure, where a phone has room.
    figure.layout.annotations[0].xshift = -labels.left / 2
    figure.update_layout(margin_l=labels.left + _VALUE, margin_r=_VALUE)
    return labels.below(figure)


def _write_sides(figure: go.Figure, b: str | None, a: str | None, fits: bool) -> int:
    """Write which side of zero is whose, if it has anything; return the number of lines.

    Both are in one line if it `fits` even in a narrow window.
    """
    n_lines = 1
    if a is not None and b is not None and not fits:
        n_lines = 2
    if b is not None:
        # In two lines b is above a.
        above = _LINE * (n_lines - 1)
        write_at(figure, 0, 1, f"◀ {b} better", "left", **PLOT, yshift=above)
    if a is not None:
        write_at(figure, 1, 1, f"{a} better ▶", "right", **PLOT, yshift=0)
    return n_lines


def _set_size(figure: go.Figure, height: int = 200, n_lines: int = 1) -> None:
    """Set the height of a figure, without the lines above it but the first."""
    more = _LINE * (n_lines - 1)
    margin = {"l": ENDS, "r": ENDS, "t": 28 + more, "b": 48}
    figure.update_layout(height=height + more, margin=margin, dragmode=False)
    figure.update_xaxes(showgrid=True)
