"""Figures inside a score: precisions, lengths, two rankings, intervals of a mean, Student's t."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from mtsig_core.figures.experiment_style import draw_points, log_axis, set_size, start_figure
from mtsig_core.figures.style import BELOW, ENDS, Labels, error_bars, full, mark_x, write_at
from mtsig_core.figures.sweep_plots import HALF_PAGE, SHARE_TICKS
from mtsig_core.report.palette import BLUE, GREY, OLIVE
from mtsig_core.report.table import written_like

_TAIL = "rgba(0,114,178,0.35)"
_DEEPEST = 30  # how many times smaller a precision may be than the chosen system's to be drawn
_WIDEST_NAME = 17.5  # next to its line, in digits
_NAMED = 12  # systems up to which all lines of a ranking are named


def by_order(systems: Sequence[tuple[str, Sequence[float | None]]], system: str) -> go.Figure:
    """Precision of n-grams by their length, a line for each system on a log axis; one stands out."""
    figure = start_figure()
    labels = Labels(30)
    values = []
    chosen_values = []
    for name, percents in sorted(systems, key=lambda row: row[0] == system):
        above_zero = [value for value in percents if value]
        values += above_zero
        orders = list(range(1, len(percents) + 1))
        y = [value or None for value in percents]  # a log axis has no zero
        hover = f"{full(name)}: %{{y:.1f}}% of the %{{x}}-grams"
        points = draw_points(orders, y, hover, GREY, size=5, joined="solid")
        points.line.width = 1.2
        if name == system:
            chosen_values = above_zero
            points.update(name=labels(name), showlegend=True, line={"color": BLUE, "width": 3})
            points.update(marker={"color": BLUE, "size": 10})
            for order, value in zip(orders, percents, strict=True):
                if value:
                    text = f"<b>{value:.1f}%</b>"
                    height = np.log10(value)
                    write_at(figure, order, height, text, "left", xshift=8)
        figure.add_trace(points)
    figure.update_xaxes(
        tickvals=[1, 2, 3, 4],
        ticktext=["unigrams", "bigrams", "trigrams", "four-grams"],
        range=[0.5, 4.5],
        tickfont_size=14,
        tickangle=0,
    )
    # Systems that hardly match anything leave the frame below: they would squeeze all others.
    least = min(chosen_values or values or [1.0]) / _DEEPEST
    low = 0.85 * max(min(values, default=1.0), least)
    high = 1.2 * max(values, default=100.0)
    y_range = [math.log10(low), math.log10(high)]
    y_axis = log_axis(SHARE_TICKS[:-2], "{:g}%", range=y_range)
    figure.update_yaxes(y_axis)
    # For names that never turn.
    set_size(figure, 306, right=ENDS, top=30, bottom=BELOW + 6, showlegend=True)
    return labels.below(figure)


def by_length(
    lines: Sequence[tuple[str, str, Sequence[float], Sequence[float]]], *, paper: bool = True
) -> go.Figure:
    """Scores by length ratio: a colour for each system, BLEU solid and GTM broken, on one axis.

    Lines have a system, a metric, ratios and scores.
    """
    figure, labels = start_figure(), Labels(_WIDEST_NAME)
    systems = list(dict.fromkeys(system for system, *_ in lines))
    colour_of = dict(zip(systems, (BLUE, OLIVE), strict=False))
    first_metric = lines[0][1]
    low, high = [], []
    for system, metric, ratios, scores in lines:
        low.append(ratios[0])
        high.append(ratios[-1])
        symbol, dash, line_width = "diamond-open", "dash", 2
        if metric == first_metric:
            symbol, dash, line_width = "circle", "solid", 3
        metric_name = full(metric)
        hover = f"{full(system)}, {metric_name}: %{{y:.2f}} at %{{x:.2f}}"
        name = f"{metric_name} {labels(system)}"
        colour = colour_of[system]
        points = draw_points(
            list(ratios), list(scores), hover, colour, symbol, 9, name, joined=dash
        )
        points.update(line_width=line_width)
        figure.add_trace(points)
    lowest, highest = min(low), max(high)
    if paper:
        lowest, highest = min(lowest, 0.85), max(highest, 1.2)
        figure.update_xaxes(tickvals=[0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2])
    span = highest - lowest or 1.0
    mark_x(figure, 1, (0, 1), GREY, width=1, yref="paper", layer="below")
    anchor, shift = "center", 0
    # Next to the line where half of the text would leave the figure.
    if 1 - lowest > 0.75 * span:
        anchor, shift = "right", -4
    elif 1 - lowest < 0.25 * span:
        anchor, shift = "left", 4
    write_at(figure, 1, 0, "as long as the reference", anchor, yref="paper", xshift=shift)
    margin = 0.03 * span
    figure.update_xaxes(range=[lowest - margin, highest + margin], showgrid=False)
    figure.update_yaxes(ticksuffix=" ", title_text="points", title_font_size=14)
    note = "length ratio: words of output / reference"
    set_size(figure, 376, top=78, below=note, showlegend=True)
    return labels.below(figure)


def rankings(
    rows: Sequence[tuple[str, float, float]], emphasised: Sequence[str] = (), *, unit: str
) -> go.Figure:
    """Corpus score left, mean of sentence scores right: lines that cross are pairs that disagree."""
    colour_of = dict(zip(emphasised, (BLUE, OLIVE), strict=False))
    names = []
    values = []
    for name, corpus, mean in rows:
        names.append(name)
        values += [corpus, mean]
    labels = Labels(_WIDEST_NAME, among=names)
    figure = start_figure()
    form = written_like(values)
    for name, *scores in sorted(rows, key=lambda row: row[0] in colour_of):
        colour = colour_of.get(name, GREY)
        hover = f"{full(name)}: %{{y:{form}}}"
        points = draw_points([0, 1], scores, hover, colour, size=8, joined="solid")
        points.line.width = 1.2
        if name in colour_of:
            points.line.width = 3
        figure.add_trace(points)
    labelled = [row for row in rows if len(rows) <= _NAMED or row[0] in colour_of]
    span = max(values) - min(values) or 1.0
    step = 0.07 * span
    left = [(corpus, name) for name, corpus, _ in labelled]
    right = [(mean, name) for name, _, mean in labelled]
    for x, scored, anchor, shift in ((0, left, "right", -10), (1, right, "left", 10)):
        height = np.inf
        for score, name in sorted(scored, key=lambda pair: -pair[0]):
            height = min(score, height - step)
            text = f"{labels(name)} {score:{form}}"
            if name in colour_of:
                text = f"<b>{text}</b>"
            write_at(figure, x, height, text, anchor, "middle", xshift=shift)
    unit_label = labels(unit)
    side_titles = [f"corpus<br>{unit_label}", f"mean of<br>sentence {unit_label}"]
    figure.update_xaxes(
        range=[-1.8, 2.8],
        tickvals=[0, 1],
        tickfont_size=14,
        showgrid=False,
        side="top",
        tickangle=0,
        ticktext=side_titles,
    )
    figure.update_yaxes(visible=False)
    set_size(figure, 326, 8, 8, 48, 8)
    return labels.below(figure, HALF_PAGE)


def mean_intervals(
    rows: Sequence[tuple[str, float, Sequence[tuple[str, float | None, float | None]]]],
    *,
    unit: str,
) -> go.Figure:
    """Draw intervals of means, each size in a group of rows: Student's t and bootstraps.

    Rows have a text, a mean, and the kind and bounds of each interval.
    """
    kinds: list[str] = []
    texts = []
    means = []
    for text, mean, intervals in rows:
        texts.append(full(text))
        means.append(mean)
        for kind, _, _ in intervals:
            if kind not in kinds:
                kinds.append(kind)
    form = written_like(means)
    figure = start_figure()
    labels = Labels()
    looks = ((BLUE, "circle"), (OLIVE, "diamond"), (GREY, "square"))
    for number, (kind, (colour, symbol)) in enumerate(zip(kinds, looks, strict=False)):
        shift = 0.24 * (number - 0.5)
        x = []
        y = []
        low = []
        high = []
        for line, (_, mean, intervals) in enumerate(rows):
            for name, lowest, highest in intervals:
                if name == kind and lowest is not None and highest is not None:
                    x.append(mean)
                    y.append(line + shift)
                    low.append(lowest)
                    high.append(highest)
        bounds = f"[%{{customdata[0]:{form}}}, %{{customdata[1]:{form}}}]"
        hover = f"{kind}: %{{x:{form}}} {bounds}"
        points = draw_points(x, y, hover, colour, symbol, 9, kind)
        points.error_x = error_bars(x, low, high, colour, 2.5, 5)
        points.customdata = list(zip(low, high, strict=True))
        figure.add_trace(points)
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=texts,
        tickfont_size=14,
        range=[len(rows) - 0.3, -0.5],
        showgrid=False,
    )
    height = 110 + 48 * len(rows)
    set_size(figure, height, 8, top=30, below=labels(unit), showlegend=True)
    return labels.below(figure)


def student_density(
    x: np.ndarray, t: np.ndarray, normal: np.ndarray, t_factor: float, normal_factor: float, n: int
) -> go.Figure:
    """Student's t and the normal distribution, the tails beyond its factor filled (Koehn, Fig. 5)."""
    figure = start_figure()
    no_line = {"mode": "lines", "line_width": 0, "hoverinfo": "skip", "showlegend": False}
    for is_in_tail in (x <= -t_factor, x >= t_factor):
        if is_in_tail.any():
            x_tail = x[is_in_tail]
            y_tail = t[is_in_tail]
            figure.add_scatter(x=x_tail, y=y_tail, fill="tozeroy", fillcolor=_TAIL, **no_line)
    grey_line = {"color": GREY, "width": 3, "dash": "dot"}
    figure.add_scatter(x=x, y=normal, mode="lines", line=grey_line, name="normal", hoverinfo="skip")
    name = f"Student's t, n = {n}"
    blue_line = {"color": BLUE, "width": 3, "dash": "solid"}
    figure.add_scatter(x=x, y=t, mode="lines", line=blue_line, name=name, hoverinfo="skip")
    marks = ((normal_factor, 0.20, GREY, "dot"), (t_factor, 0.12, BLUE, "solid"))
    for factor, top, colour, dash in marks:
        for side in (-1, 1):
            mark_x(figure, side * factor, (0, top), colour, dash)
        write_at(figure, factor, top, f"±{factor:.4f}", "left", xshift=4)
    x_range = [float(x[0]), float(x[-1])]
    figure.update_xaxes(range=x_range, showgrid=False)
    figure.update_yaxes(visible=False, range=[0, 0.43])
    set_size(figure, 270, 8, top=30, below="standard errors from the mean", showlegend=True)
    return figure
