"""Figures of shares with their Monte Carlo intervals, of p-values, and of counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from mtsig_core.figures.experiment_style import KEY, draw_points, log_axis, set_size, start_figure
from mtsig_core.figures.style import (
    BELOW,
    ENDS,
    PLOT,
    Labels,
    error_bars,
    full,
    mark_x,
    measured,
    write_at,
)
from mtsig_core.report.palette import BLUE, GREY, OLIVE, VERMILLION, wrapped

#: (text, share, low, high, what another source has); None where unknown.
Row = tuple[str, float | None, float | None, float | None, float | None]

_GAP = 0.035  # between panels, as a share of the width
_TITLES = 33  # digits of the titles of all panels in a line, so that a phone has room for them
_LINE = 16  # pixels of a line of a name
#: Of the longest bar: pieces as short as that have no room for their number.
_SHORT = 0.02
#: How series of p-values are marked: three of ours, two of a paper.
_SERIES: tuple[dict[str, Any], ...] = (
    {"symbol": "circle", "color": BLUE},
    {"symbol": "x", "color": OLIVE},
    {"symbol": "circle-open", "color": BLUE, "line_width": 2},
    {"symbol": "diamond-open", "color": GREY, "line_width": 2},
    {"symbol": "x-open", "color": GREY, "line_width": 1.5},
)


def rates(
    rows: Sequence[Row],
    level: float | None = None,
    *,
    source: str = "",
    against: Sequence[Row] = (),
    words: tuple[str, str] = ("", ""),
    measure: str = "",
    line_title: str = "",
) -> go.Figure:
    """One line for each share: a dot with its interval, and a diamond for another source.

    `against` has shares to compare with, and `words` name both in the key. `line_title` says what names
    the lines.
    """
    texts = [row[0] for row in rows]
    figure, labels = _set_lines(texts)
    name, other_name = words
    colours = [_choose_colour(row, level) for row in rows]
    _add_shares(figure, rows, colours, name=name)
    if against:
        colours = [VERMILLION for _ in against]
        _add_shares(figure, against, colours, symbol="x", name=other_name)
    x = []
    y = []
    for table in (rows, against):
        for line, (*_, value) in enumerate(table):
            if value is not None:
                x.append(100 * value)
                y.append(line)
    if x:
        source_text = full(source)
        hover = f"{source_text}: %{{x:.1f}}%"
        points = draw_points(x, y, hover, GREY, "diamond-open", 11)
        points.update(marker_line_width=2)
        figure.add_trace(points)
        write_at(figure, 1, 1, f"◇ {source_text}", "right", **PLOT)
    left = 0.0
    if level is not None:
        # The key is clear of the name of the level, which is a small share where there are two.
        left = 0.25
        _mark_level(figure, level)
        percent = 100 * level
        write_at(figure, percent, 1, f"{percent:g}%", yref="paper")
    if line_title:
        write_at(figure, 0, 1, line_title, "left", **PLOT, xshift=-labels.left)
    figure.update_xaxes(ticksuffix="%")
    key = {**KEY, "x": left, "y": 1}
    figure.update_layout(showlegend=any(words), legend=key)
    _write_measure(figure, measure)
    return labels.below(figure)


def panels(
    rows_by_title: Mapping[str, Sequence[Row]],
    level: float,
    measure: str = "",
    *,
    at_most: bool = False,
    predicted: Mapping[str, float] | None = None,
) -> go.Figure:
    """Shares in several situations side by side, on axes of one scale; a line for each text."""
    predicted = predicted or {}
    rows_by_text: dict[str, list[Row]] = {}
    for rows in rows_by_title.values():
        for row in rows:
            rows_by_text.setdefault(row[0], []).append(row)
    texts = list(rows_by_text)
    # Narrow: panels side by side need the room on a phone.
    figure, labels = _set_lines(texts, 19, 2)
    x_range = _choose_range([level, *predicted.values()], rows_by_title)
    panel_width = (1 + _GAP) / len(rows_by_title)
    most_lines = 1
    for number, (title, rows) in enumerate(rows_by_title.items()):
        start = number * panel_width
        end = start + panel_width - _GAP
        axis_number = ""
        if number > 0:
            axis_number = str(number + 1)
        x_axis = {
            "domain": [start, end],
            "range": x_range,
            "tickfont_size": 13,
            "zeroline": False,
            "tickangle": 0,
            "nticks": 4,
        }
        figure.update_layout({f"xaxis{axis_number}": x_axis})
        axis = f"x{axis_number}"
        row_of = {row[0]: row for row in rows}  # a panel may lack a line
        panel_rows = [row_of.get(text, (text, None, None, None, None)) for text in texts]
        colours = [_choose_colour(row, level, at_most) for row in panel_rows]
        _add_shares(figure, panel_rows, colours, axis)
        _mark_level(figure, level, axis)
        lines = wrapped(title, _TITLES / len(rows_by_title))
        if title in predicted:
            lines.append("╌ predicted")
            x = 100 * predicted[title]
            mark_x(figure, x, (0, 1), GREY, "dash", xref=axis, yref="paper", layer="below")
        most_lines = max(most_lines, len(lines))
        title_text = "<br>".join(full(line.strip()) for line in lines)
        middle = start + (panel_width - _GAP) / 2
        write_at(figure, middle, 1, title_text, **PLOT)
    above = _LINE * (most_lines - 1)
    height = 76 + above + max(26, labels.lines * _LINE) * len(texts)
    figure.update_layout(height=height, showlegend=False, margin_t=28 + above)
    # The percent sign is not at each tick, which a phone has no room for.
    _write_measure(figure, f"% {measure}".rstrip())
    return labels.below(figure)


def _choose_range(
    shares: Sequence[float], rows_by_title: Mapping[str, Sequence[Row]]
) -> list[float]:
    """Return the ends of an axis, in percent, that has room for shares and for all intervals."""
    values = [100 * share for share in shares]
    for rows in rows_by_title.values():
        for _, _, low, high, _ in rows:
            values += [100 * bound for bound in (low, high) if bound is not None]
    margin = 0.06 * (max(values) - min(values)) or 1.0
    return [min(values) - margin, max(values) + margin]


def p_values(p_by_metric: Mapping[str, Mapping[str, float | None]], alpha: float) -> go.Figure:
    """p-values on a log axis, a line for each case, and the level to compare them with."""
    figure, labels = _set_lines(list(p_by_metric))
    first_case = next(iter(p_by_metric.values()))
    for mark, name in zip(_SERIES, first_case, strict=False):
        x = []
        y = []
        for line, p_by_series in enumerate(p_by_metric.values()):
            if p_by_series[name] is not None:
                x.append(p_by_series[name])
                y.append(line)
        series_name = full(name)
        hover = f"{series_name}: p = %{{x:.4f}}"
        points = draw_points(x, y, hover, size=11, name=series_name)
        points.update(marker=mark)
        figure.add_trace(points)
    mark_x(figure, alpha, (0, 1), BLUE, "dot", yref="paper")
    ticks = sorted({1e-5, 1e-4, 1e-3, 0.01, 0.02, alpha, 0.1, 0.2, 0.5, 1.0})
    figure.update_xaxes(log_axis(ticks, "{:g}"))
    height = 110 + 26 * len(p_by_metric)
    note = f"p on a log axis; dotted: the level, {alpha:g}"
    set_size(figure, height, labels.left, ENDS, 32, 46, showlegend=True, below=note)
    return labels.below(figure)


def counts(cases: Mapping[str, Mapping[str, int]], measure: str) -> go.Figure:
    """A bar for each case, from top to bottom, cut into pieces."""
    figure, labels = _set_lines(list(cases))
    longest = max(sum(pieces.values()) for pieces in cases.values())
    piece_names = next(iter(cases.values()))
    for colour, name in zip((BLUE, VERMILLION, GREY), piece_names, strict=False):
        values = [pieces[name] for pieces in cases.values()]
        texts: list[int | str] = []
        for value in values:
            has_room = value > _SHORT * longest
            texts.append(value if has_room else "")
        piece_name = full(name)
        bars = go.Bar(
            y=list(range(len(cases))),
            x=values,
            orientation="h",
            name=piece_name,
            hovertemplate=f"%{{x}} {piece_name}<extra></extra>",
        )
        bars.marker = {"color": colour, "line_width": 0}
        bars.update(text=texts, textposition="inside", textangle=0, insidetextanchor="middle")
        bars.update(textfont={"size": 14, "color": "white"}, constraintext="none")
        figure.add_trace(bars)
    layout = {"barmode": "stack", "bargap": 0.25, "showlegend": True, "legend_traceorder": "normal"}
    height = 92 + 30 * len(cases)
    set_size(figure, height, labels.left, ENDS, 32, 46, below=measure, **layout)
    return labels.below(figure)


def _set_lines(texts: Sequence[str], widest: int = 34, most: int = 2) -> tuple[go.Figure, Labels]:
    """Return a figure with a line for each text, from top to bottom, and what names them."""
    figure = start_figure()
    labels = Labels(widest, most, texts)
    line_labels = [labels(text) for text in texts]
    lines = list(range(len(texts)))
    y_range = [len(texts) - 0.5, -0.5]
    figure.update_yaxes(tickvals=lines, ticktext=line_labels, range=y_range)
    line_height = max(19, _LINE * labels.lines - 1)
    height = 74 + line_height * len(texts)
    set_size(figure, height, labels.left, ENDS, 28, BELOW)
    return figure, labels


def _write_measure(figure: go.Figure, measure: str) -> None:
    """Write below the axis what the shares are of, and make room for it."""
    if measure:
        measured(figure, measure)
        height = figure.layout.height + 10
        figure.update_layout(height=height, margin_b=46)


def _add_shares(
    figure: go.Figure,
    rows: Sequence[Row],
    colours: Sequence[str],
    axis: str = "x",
    symbol: str = "circle",
    name: str = "",
) -> None:
    """Draw shares with their intervals, each on its line."""
    x = []
    y = []
    low = []
    high = []
    customdata = []
    for line, (text, share, share_low, share_high, _) in enumerate(rows):
        if share is None or share_low is None or share_high is None:
            continue
        x.append(100 * share)
        y.append(line)
        low_percent = 100 * share_low
        high_percent = 100 * share_high
        low.append(low_percent)
        high.append(high_percent)
        customdata.append([full(text), f"{low_percent:.1f}%", f"{high_percent:.1f}%"])
    hover = "%{customdata[0]}: %{x:.1f}% [%{customdata[1]}, %{customdata[2]}]"  # noqa: RUF027  Plotly fills it
    point_colours = [colours[line] for line in y]
    points = draw_points(x, y, hover, point_colours, symbol, name=name)
    bars = error_bars(x, low, high, GREY)
    points.update(xaxis=axis, error_x=bars, customdata=customdata)
    figure.add_trace(points)


def _mark_level(figure: go.Figure, level: float, axis: str = "x") -> None:
    mark_x(figure, 100 * level, (0, 1), BLUE, "dot", xref=axis, yref="paper")


def _choose_colour(row: Row, level: float | None, at_most: bool = False) -> str:
    """Vermillion where the whole interval is off the level, or above it."""
    _, _, low, high, _ = row
    if level is None or low is None or high is None:
        return BLUE
    is_above = low > level
    is_below = high < level
    if is_above or (is_below and not at_most):
        return VERMILLION
    return BLUE
