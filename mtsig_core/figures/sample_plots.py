"""Figures of samples: the bootstrap of one score, and samples of a test set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from mtsig_core.figures.experiment_style import (
    FAINT,
    draw_line,
    draw_points,
    log_axis,
    mark_y,
    set_size,
    start_figure,
    write_beside,
)
from mtsig_core.figures.style import (
    ENDS,
    LEFT,
    PLOT,
    Band,
    Labels,
    add_histogram,
    error_bars,
    full,
    mark_x,
    write_at,
)
from mtsig_core.report.palette import BLUE, GREY, OLIVE, VERMILLION
from mtsig_core.stats.intervals import Bounds

# -------------------------------------------------------------------------------------------------
# The bootstrap of one score: its replicates with the interval, and how a bound settles with more.


#: Ticks of widths, in percent.
_WIDTH_TICKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
#: Room that a score of four digits and its percents need, as a share of what is drawn.
_SCORE_ROOM = 0.25
_INSIDE = "rgba(0,114,178,0.32)"
_OUTSIDE = "rgba(122,133,148,0.30)"


def replicate_histogram(  # noqa: PLR0913  the replicates, three marks, and their words
    edges: np.ndarray,
    counts: np.ndarray,
    score: float,
    median: float,
    interval: Bounds | None,
    about: Bounds | None = None,
    *,
    unit: str,
    form: str = ".2f",
) -> go.Figure:
    """Histogram of bootstrap scores, blue inside the interval (Zhang and Vogel 2004, Figs 1 and 2).

    `about` are the bounds of the interval relative to the median.
    """
    low, high = interval or (math.inf, math.inf)
    top = float(counts.max(initial=4))  # the first few are no towers
    figure = start_figure()
    bands = (
        Band(-math.inf, low, GREY, _OUTSIDE),
        Band(low, high, BLUE, _INSIDE),
        Band(high, math.inf, GREY, _OUTSIDE),
    )
    add_histogram(figure, edges, counts, bands, 1.5)
    # The texts are on the outer sides of the two lines.
    score_side = "left"
    median_side = "right"
    if score <= median:
        score_side = "right"
        median_side = "left"
    mark_top = 1.1 * top
    mark_x(figure, score, (0, mark_top), GREY, "solid", 3)
    _write_next_to(figure, score, mark_top, f"observed {score:{form}}", score_side)
    mark_x(figure, median, (0, mark_top), BLUE, "dot", 3)
    _write_next_to(figure, median, mark_top, f"median {median:{form}}", median_side)
    ends = edges[[0, -1]].tolist()
    bounds = [*ends, score, *(interval or ())]
    width = max(bounds) - min(bounds) or 16.0
    left = min(bounds) - 0.06 * width
    right = max(bounds) + 0.06 * width
    labels = Labels()
    note = f"{labels(unit)} of each resample"
    if interval is not None:
        for number, (bound, side) in enumerate(((low, "right"), (high, "left"))):
            text = f"<b>{bound:{form}}</b>"
            if about is not None:
                text += f"  {100 * about[number]:+.2f}%"
            bound_top = 0.5 * top
            mark_x(figure, bound, (0, bound_top), BLUE, width=3)
            _write_next_to(figure, bound, bound_top, text, side)
        # The texts of its bounds are outside.
        left = min(left, low - _SCORE_ROOM * width)
        right = max(right, high + _SCORE_ROOM * width)
        if about is not None:
            note += "; %: distance from the median"
    figure.update_xaxes(range=[left, right], showgrid=False, exponentformat="power")
    figure.update_yaxes(range=[0, 1.24 * top], visible=False)
    set_size(figure, 270, ENDS, ENDS, below=note)
    return labels.below(figure)


def _write_next_to(figure: go.Figure, x: float, y: float, text: str, anchor: str) -> None:
    shift = -4
    if anchor == "left":
        shift = 4
    write_at(figure, x, y, text, anchor, xshift=shift)


def settling(
    sizes: Sequence[int],
    ours: Sequence[float | None],
    ranges: Sequence[Bounds | None],
    theory: Sequence[float | None],
    published: Sequence[tuple[int, float]],
    *,
    unit: str,
) -> go.Figure:
    """Standard deviation of a relative bound against the number of resamples, on log axes."""
    figure = start_figure()
    values = []  # on the vertical axis
    if published:
        x_paper = [size for size, _ in published]
        y_paper = [100 * value for _, value in published]
        values += y_paper
        hover = "Zhang and Vogel: B = %{x:,}, %{y:.3f}%"
        name = f"Zhang and Vogel, {full(unit)}"
        points = draw_points(x_paper, y_paper, hover, GREY, "diamond-open", 9, name, joined="dot")
        figure.add_trace(points)
    x_theory, y_theory = [], []
    for size, value in zip(sizes, theory, strict=True):
        if value:
            x_theory.append(size)
            y_theory.append(100 * value)
    values += y_theory
    line = draw_line(x_theory, y_theory, BLUE, 2)
    line.update(name="theory", showlegend=True)
    figure.add_trace(line)
    x, y, low, high = [], [], [], []
    for size, value, bounds in zip(sizes, ours, ranges, strict=True):
        if value:
            x.append(size)
            y.append(100 * value)
            lowest, highest = bounds or (math.nan, math.nan)
            low.append(100 * lowest)
            high.append(100 * highest)
    points = draw_points(x, y, "here: B = %{x:,}, %{y:.3f}%", size=11, name="here")
    bars = error_bars(y, low, high, BLUE)
    points.update(marker_line={"color": "white", "width": 1}, error_y=bars)
    figure.add_trace(points)
    values += [bound for bound in (*low, *high) if bound > 0]
    logs = [math.log10(value) for value in values if value > 0] or [0.0]
    x_range = [math.log10(75), math.log10(14_000)]
    figure.update_xaxes(log_axis(sizes, range=x_range))
    y_range = [min(logs) - 0.12, max(logs) + 0.12]
    figure.update_yaxes(log_axis(_WIDTH_TICKS, "{:g}%", range=y_range))
    # A phone has the key in three lines.
    set_size(figure, 346, top=58, below="B, resamples", showlegend=True)
    return figure


# -------------------------------------------------------------------------------------------------
# Samples of a test set: their scores, intervals, differences and conclusions (Koehn 2004, Figs 2 to 8).


#: Width of a dot as a share of the axis, and its height as a share of a band.
_DOT_WIDTH = 0.009
_DOT_HEIGHT = 0.07
_KINDS = ((BLUE, "circle"), (OLIVE, "diamond"))
_RATIO_TICKS = (0.2, 0.5, 1, 2, 3, 5, 10, 20, 50)
_MOST_TICKS = 6  # of sizes: a phone has room for as many


def sample_scores(
    scores: Mapping[str, np.ndarray],
    whole_score: float,
    published: Mapping[str, Bounds] | None = None,
    *,
    unit: str,
    ghosts: Mapping[str, np.ndarray] | None = None,
    form: str = ".2f",
) -> go.Figure:
    """Scores of samples of several kinds, in bands on one axis (Koehn 2004, Figs 2 and 3).

    Dots that would cover each other are side by side: height says nothing else. `whole_score` is the
    score of the whole test set; `ghosts` are samples before a shuffle.

    Shapes: `scores` (samples,).
    """
    figure, labels = start_figure(), Labels()
    published, ghosts = published or {}, ghosts or {}
    values = [whole_score, *_list_finite(scores), *_list_finite(ghosts)]
    for bounds in published.values():
        values += bounds
    low, high = min(values), max(values)
    margin = 0.05 * (high - low) or 1.0
    dot_width = _DOT_WIDTH * (high - low + 2 * margin)
    for number, (kind, drawn_scores) in enumerate(scores.items()):
        base = len(scores) - 1 - number
        if kind in published:
            is_inside = max(published[kind]) >= high - 4 * margin
            _add_published_range(figure, published[kind], base, is_inside)
        middle = base + 0.59
        kind_name = full(kind)
        hover = f"sample %{{customdata}}: %{{x:{form}}}"
        if kind in ghosts:
            y = middle + _swarm(ghosts[kind], dot_width)
            ghost_hover = f"{kind_name}, before the shuffle, {hover}"
            points = draw_points(ghosts[kind], y, ghost_hover, GREY, "circle-open", 7)
            _add_samples(figure, points, 0.6)
        colour, symbol = _KINDS[number % 2]
        y = middle + _swarm(drawn_scores, dot_width)
        points = draw_points(drawn_scores, y, f"{kind_name}, {hover}", colour, symbol, 7)
        _add_samples(figure, points, 0.95)
        text = f"<b>{labels(kind, 14)}</b>"
        write_at(figure, 0, base + 0.6, text, "right", "middle", xref="paper", font_size=16)
    mark_x(figure, whole_score, (0, len(scores)), GREY, "dot")
    anchor = "center"
    if whole_score == low:  # not beyond the edge
        anchor = "left"
    elif whole_score == high:
        anchor = "right"
    write_at(figure, whole_score, len(scores), f"whole test set {whole_score:{form}}", anchor)
    if ghosts:
        write_at(figure, 1, 1, "○ before the shuffle", "right", "top", **PLOT)
    figure.update_xaxes(range=[low - margin, high + margin])
    figure.update_yaxes(range=[0, len(scores) + 0.16], visible=False)
    set_size(figure, 264, 120, bottom=46, below=f"{labels(unit)} of a sample")
    return labels.below(figure)


def _list_finite(scores: Mapping[str, np.ndarray]) -> list[float]:
    values: list[float] = []
    for kind_scores in scores.values():
        values += kind_scores[np.isfinite(kind_scores)].tolist()
    return values


def _add_samples(figure: go.Figure, points: go.Scatter, opacity: float) -> None:
    """Draw the samples of a kind, each with its number."""
    numbers = np.arange(1, len(points.x) + 1)
    points.update(marker_opacity=opacity, customdata=numbers)
    figure.add_trace(points)


def _add_published_range(figure: go.Figure, bounds: Bounds, base: int, is_inside: bool) -> None:
    """Draw the range of a paper, and write it clear of the dots where there is room."""
    low, high = bounds
    figure.add_shape(
        type="rect",
        x0=low,
        x1=high,
        y0=base + 0.06,
        y1=base + 0.94,
        fillcolor=FAINT,
        line_width=0,
        layer="below",
    )
    anchor = "left"
    shift = 6
    if is_inside:
        anchor = "right"
        shift = -4
    text = f"Koehn: {low:g} to {high:g}"
    write_at(figure, high, base + 0.06, text, anchor, font_size=13, xshift=shift)


def _swarm(values: np.ndarray, dot_width: float) -> np.ndarray:
    """Heights around 0, shape (samples,), at which dots are side by side; closer where many."""
    row_ends: list[float] = []  # where the last dot of each row ends
    row_of_dot = np.zeros(len(values), dtype=int)
    for dot in np.argsort(values).tolist():
        if not np.isfinite(values[dot]):
            continue
        row = 0
        while row < len(row_ends) and row_ends[row] > values[dot]:
            row += 1
        if row == len(row_ends):
            row_ends.append(0.0)
        row_ends[row] = values[dot] + dot_width
        row_of_dot[dot] = row
    step = min(_DOT_HEIGHT, 0.58 / max(len(row_ends), 1))
    # Rows 0, 1, -1, 2, -2, ...
    is_above = row_of_dot % 2 == 1
    rows_above = (row_of_dot + 1) // 2
    rows_below = row_of_dot // 2
    heights: np.ndarray = step * np.where(is_above, rows_above, -rows_below)
    return heights


def intervals(  # noqa: PLR0913  the samples, the whole test set, and their words
    scores: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    hits: np.ndarray,
    whole_score: float,
    *,
    unit: str,
    form: str = ".2f",
    frame: Bounds | None = None,
) -> go.Figure:
    """The interval of each sample, and whether it has the score of the whole set (Koehn, Fig. 6).

    `frame` are the ends of an axis that several figures share.
    """
    figure = start_figure()
    labels = Labels()
    looks = (
        (True, BLUE, "circle", 6, "contains the score of the whole set"),
        (False, VERMILLION, "x", 10, "does not"),
    )
    for is_hit, colour, symbol, size, words in looks:
        has_look = (hits == is_hit) & np.isfinite(low)
        samples = np.flatnonzero(has_look)
        y = scores[samples]
        y_low = low[samples]
        y_high = high[samples]
        bounds = f"[%{{customdata[0]:{form}}}, %{{customdata[1]:{form}}}]"
        hover = f"sample %{{x}}: %{{y:{form}}} {bounds}, {words}"
        points = draw_points(samples + 1, y, hover, colour, symbol, size, words)
        points.error_y = error_bars(y, y_low, y_high, colour, width=2)
        points.customdata = np.column_stack([y_low, y_high])
        figure.add_trace(points)
        if frame is not None and len(samples) == 0:
            # The key of each figure has as many lines, so that axes are level.
            key_entry = draw_points([None], [None], "", colour, symbol, size, words)
            figure.add_trace(key_entry)
    if frame is not None:
        lowest, highest = frame
        margin = 0.05 * (highest - lowest) or 1.0
        y_range = [lowest - margin, highest + margin]
        figure.update_yaxes(range=y_range)
    words = f"whole test set, {whole_score:{form}}"
    return _set_samples(figure, len(scores), whole_score, words, labels(unit), labels)


class _Mark(NamedTuple):
    """The mark of a sample, which is more than a colour."""

    words: str
    colour: str
    symbol: str
    size: int


#: A sample may conclude as the whole set (1), the opposite (-1) or nothing (0).
_MARKS = {
    1: _Mark("as the whole set", BLUE, "circle", 9),
    -1: _Mark("opposite", VERMILLION, "x", 11),
    0: _Mark("no conclusion", GREY, "circle-open", 8),
}


def outcomes(  # noqa: PLR0913  the samples, the line to compare them with, and their words
    values: np.ndarray,
    verdicts: np.ndarray,
    line: float,
    words: str,
    *,
    axis_title: str,
    unit: str = "",
    bounds: Sequence[float] = (),
    form: str = ".2f",
) -> go.Figure:
    """One value for each sample, marked by what it concluded (Koehn 2004, Figs 4, 7 and 8).

    Shapes: `values` (samples,), `verdicts` (samples,).
    """
    figure = start_figure()
    labels = Labels()
    for verdict, mark in _MARKS.items():
        has_verdict = (verdicts == verdict) & np.isfinite(values)
        samples = np.flatnonzero(has_verdict)
        mark_words, colour, symbol, size = mark
        hover = f"sample %{{x}}: %{{y:{form}}}, {mark_words}"
        y = values[samples]
        points = draw_points(samples + 1, y, hover, colour, symbol, size, mark_words)
        figure.add_trace(points)
    for bound in bounds:
        mark_y(figure, bound, BLUE, "dash", 1.5)
    axis = axis_title
    if unit:
        axis += f" ({labels(unit)})"
    return _set_samples(figure, len(values), line, words, axis, labels)


def _set_samples(
    figure: go.Figure, n: int, line: float, words: str, axis: str, labels: Labels
) -> go.Figure:
    """Set samples from left to right, and a line to compare them with."""
    mark_y(figure, line, GREY)
    # In the key, which has lines on a phone.
    key_line = {"color": GREY, "width": 2, "dash": "dot"}
    figure.add_scatter(
        x=[None], y=[None], mode="lines", name=words, hoverinfo="skip", line=key_line
    )
    x_range = [0.3, n + 0.7]
    n_ticks = min(n + 1, 12)
    figure.update_xaxes(range=x_range, showgrid=False, tickformat="d", nticks=n_ticks)
    # The key has three lines where two such figures are side by side: clear of the camera above
    # them.
    set_size(figure, 308, LEFT + 14, top=58, bottom=46, below="sample", showlegend=True)
    write_beside(figure, axis)
    return labels.below(figure)


def ratios(
    rows: Mapping[str, Sequence[tuple[int, float, float, float]]],
    system: str,
    middle: Mapping[int, float],
) -> go.Figure:
    """Draw how much wider blocks spread than broad samples, by size, on log axes.

    Rows are by system: size, ratio, and the bounds of its interval. `middle` has the median of all
    systems by size.
    """
    figure = start_figure()
    labels = Labels()
    values = [1.0]
    x = []
    y = []
    names = []
    for name, system_rows in rows.items():
        for size, ratio, _, _ in system_rows:
            values.append(ratio)
            if name != system:
                x.append(size)
                y.append(ratio)
                names.append([full(name)])
    hover = "%{customdata[0]}, %{x} segments: %{y:.2f}"  # noqa: RUF027  Plotly fills it
    points = draw_points(x, y, hover, GREY, size=6, name="other systems")
    points.update(customdata=names, marker_opacity=0.5)
    figure.add_trace(points)
    figure.add_scatter(
        x=list(middle),
        y=list(middle.values()),
        mode="lines",
        name="median of all systems",
        line={"color": GREY, "width": 2},
        hovertemplate="median: %{y:.2f}<extra></extra>",
    )
    chosen_rows = rows.get(system) or np.empty((0, 4))
    sizes, ratio, low, high = np.array(chosen_rows, dtype=float).T
    hover = "%{x} segments: %{y:.2f} [%{customdata[0]:.2f}, %{customdata[1]:.2f}]"  # noqa: RUF027  Plotly fills it
    points = draw_points(sizes, ratio, hover, name=labels(system))
    points.error_y = error_bars(ratio, low, high, BLUE, width=3)
    points.customdata = np.column_stack([low, high])
    figure.add_trace(points)
    mark_y(figure, 1, GREY)
    values += [*low, *high]
    # Blocks that all have the same score have no place on this axis.
    values = [value for value in values if value > 0]
    bottom = np.log10(min(values) * 0.9)
    top = np.log10(max(values) * 1.1)
    ticks = [tick for tick in _RATIO_TICKS if bottom <= np.log10(tick) <= top]
    y_axis = log_axis(ticks, "{:g}", range=[bottom, top])
    figure.update_yaxes(y_axis)
    step = max(1, math.ceil(len(middle) / _MOST_TICKS))
    size_ticks = list(middle)[::-step]  # the largest has a tick
    figure.update_xaxes(log_axis(size_ticks, showgrid=False))
    note = "spread of blocks / of broad samples, by segments"
    set_size(figure, 320, top=30, bottom=46, below=note)
    return labels.below(figure)
