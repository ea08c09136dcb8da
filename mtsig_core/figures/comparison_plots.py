"""Figures of a comparison: differences, scores with ranks, agreement with human scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mtsig_core.figures.style import (
    BELOW,
    PLOT,
    TITLE_LINE,
    Labels,
    Margins,
    error_bars,
    full,
    interval_bars,
    mark_zero,
    measure_text,
    measured,
    noted,
    set_key,
    set_row_texts,
    set_rows,
    write_at,
)
from mtsig_core.metrics import metric_title
from mtsig_core.report.palette import BLUE, GREY, VERMILLION, wrapped
from mtsig_core.report.sentences import (
    NO_DIFFERENCE,
    MetricRow,
    choose_form,
    find_anchor,
    find_rule_of,
    name_first_place,
    name_score_axis,
    name_simultaneous,
    pick_significant,
    view_anchor_pairs,
    write_difference_axis,
    write_level,
)
from mtsig_core.report.table import rank_interval
from mtsig_core.report.tables import cluster_ends
from mtsig_core.report.text import printable
from mtsig_core.results import Agreement, MetricResult, Settings, SystemResult, TaskAgreement
from mtsig_core.stats.intervals import Bounds
from mtsig_core.stats.ranks import find_top_group

# -------------------------------------------------------------------------------------------------
# Differences of all systems to the best, or to the baseline, with single and simultaneous intervals.


_MANY = 15  # more systems than these have lower rows
_DIFFERENCE_ROW, _LOW_ROW = 26, 16  # pixels of a row at most, and at least
_ALL_ROWS = 200  # pixels that a projector has for the rows, with the answer above them
_TITLE_WIDTH, _TITLE_LINES = 66, 3  # digits of a line of the title, and the most lines


def differences(
    result: MetricResult, settings: Settings, notes: Sequence[str] = (), verdict: str = ""
) -> go.Figure:
    """A row a system, as ranked: its improvement over the best, or over the baseline, at 0.

    The verdict is the title, and colours are its groups. The thick bar is the interval of one pair,
    the thin line with ends the interval for all pairs together. Filled points differ significantly,
    hollow ones do not. The custom data are the system's index in the result and its name.
    """
    _, filled = pick_significant(result, settings)
    anchor = find_anchor(result, settings)
    rows = _list_difference_rows(result, settings, anchor)
    form = choose_form(result)
    figure = go.Figure()
    joint_name = name_simultaneous(result, settings)
    if joint_name is not None:
        joint_intervals = [row.ci_joint for row in rows]
        _add_intervals(figure, rows, joint_intervals, joint_name, form, thick=False)
    single_intervals = [row.ci for row in rows]
    _add_intervals(figure, rows, single_intervals, f"{write_level(settings)} CI", form)
    for group in group_systems(result, settings):
        figure.add_trace(_draw_differences(rows, group, filled, form))
    set_key(figure)
    mark_zero(figure)

    names = [row.system for row in rows]
    labels = Labels(34, 2, names)
    metric = labels(metric_title(result.metric), 24)
    measured(figure, write_difference_axis(result, metric, labels(anchor, 28)))
    figure.update_xaxes(showgrid=True, zeroline=False, tickfont_size=13, exponentformat="power")
    margins = Margins(top=54 + _set_title(figure, verdict), bottom=52, more=18)
    row_height = max(_LOW_ROW, min(_DIFFERENCE_ROW, _ALL_ROWS // len(names)))
    set_rows(figure, labels, names, row_height, margins)
    return noted(labels.below(figure), notes)


def _set_title(figure: go.Figure, verdict: str) -> int:
    """Set the verdict as the title; return the pixels that it takes."""
    title_lines = _cut_title(verdict)
    title = {
        "text": "<br>".join(map(full, title_lines)),
        "font_size": 17,
        "x": 0,
        "xref": "container",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 24, "l": 8},
    }
    figure.update_layout(title=title)
    return TITLE_LINE * len(title_lines)


class _DifferenceRow(NamedTuple):
    """A system, and its difference to the best or to the baseline."""

    system: str
    customdata: list[object]
    difference: float
    ci: Bounds | None
    ci_joint: Bounds | None


def _list_difference_rows(
    result: MetricResult, settings: Settings, anchor: str
) -> list[_DifferenceRow]:
    """The anchor at 0, and all systems that are compared with it."""
    pair_of = view_anchor_pairs(result, settings)
    rows = []
    for customdata, row in zip(_list_customdata(result.systems), result.systems, strict=True):
        pair = pair_of.get(row.system)
        if pair is not None:
            difference = pair.difference
            rows.append(_DifferenceRow(row.system, customdata, difference, pair.ci, pair.ci_joint))
        elif row.system == anchor:
            rows.append(_DifferenceRow(row.system, customdata, 0.0, None, None))
    return rows


def _list_customdata(systems: Sequence[SystemResult]) -> list[list[object]]:
    """The custom data of systems: index and name."""
    return [[index, full(row.system)] for index, row in enumerate(systems)]


def _add_intervals(
    figure: go.Figure,
    rows: Sequence[_DifferenceRow],
    intervals: Sequence[Bounds | None],
    name: str,
    form: str,
    thick: bool = True,
) -> None:
    """Draw the intervals of the rows that have one."""
    bounds = []
    heights = []
    customdata = []
    for y, (row, interval) in enumerate(zip(rows, intervals, strict=True)):
        if interval is not None:
            bounds.append(interval)
            heights.append(y)
            customdata.append(row.customdata)
    if bounds:
        interval_bars(figure, bounds, heights, name, thick, customdata, form)


def _draw_differences(
    rows: Sequence[_DifferenceRow], group: SystemGroup, filled: set[str], form: str
) -> go.Scatter:
    """The points of the systems of a group."""
    heights = [y for y, row in enumerate(rows) if row.system in group.members]
    members = [rows[y] for y in heights]
    names = [row.system for row in members]
    differences = [row.difference for row in members]
    marker = _mark_systems(names, filled, group.colour, size=11)
    points = go.Scatter(x=differences, y=heights, mode="markers", marker=marker, name=group.name)
    points.showlegend = bool(group.name and members)
    points.customdata = [row.customdata for row in members]
    points.hovertemplate = f"%{{customdata[1]}}<br>%{{x:+{form}}}<extra></extra>"
    return points


def _mark_systems(
    names: Sequence[str], filled: set[str], colour: str | list[str], size: int
) -> dict[str, Any]:
    """The markers of systems, hollow unless they are in `filled`."""
    symbols = ["circle" if name in filled else "circle-open" for name in names]
    line = {"color": colour, "width": 2}
    return {"size": size, "color": colour, "line": line, "symbol": symbols}


def _cut_title(verdict: str) -> list[str]:
    if not verdict:
        return []
    lines = wrapped(printable(verdict), _TITLE_WIDTH)
    if len(lines) > _TITLE_LINES:
        lines = lines[:_TITLE_LINES]
        lines[-1] = f"{lines[-1].rstrip()}…"
    return lines


class SystemGroup(NamedTuple):
    """Systems that the verdict speaks of together."""

    name: str
    colour: str
    members: set[str]


def group_systems(result: MetricResult, settings: Settings) -> list[SystemGroup]:
    """The groups of systems that the verdict speaks of, then one without a name for the others."""
    top_group = find_top_group(result)
    if settings.baseline is not None:
        # The baseline is the second system, b, of each pair.
        better = {pair.a for pair in result.pairs if pair.better == "a"}
        worse = {pair.a for pair in result.pairs if pair.better == "b"}
        groups = [
            SystemGroup("significantly better", BLUE, better),
            SystemGroup("significantly worse", VERMILLION, worse),
        ]
    elif top_group:
        name = name_first_place(find_rule_of([result], settings.rank_rule))
        groups = [SystemGroup(name, BLUE, set(top_group))]
    else:
        groups = [SystemGroup("best score", BLUE, set(result.best))]
    remaining = set(result.names)
    for group in groups:
        remaining -= group.members
    return [*groups, SystemGroup("", GREY, remaining)]


# -------------------------------------------------------------------------------------------------
# The difference of two systems by each metric.


_PAIR_ROW = 44  # pixels of a row with two lines
_SIDE = 20  # digits of the name of a side


def differences_by_metric(
    metric_rows: Sequence[MetricRow],
    system: str,
    level: str,
    notes: Sequence[str] = (),
    verdict: str = "",
) -> go.Figure:
    """A row for each metric: the improvement of a system over the only other, with its interval.

    Points of several metrics are not comparable, so each row has its own scale, and its numbers are
    beside it. The custom data of a point are 0 and the metric.
    """
    labels = Labels(34)
    texts = []
    for metric_row in metric_rows:
        texts.append(f"<b>{labels(metric_row.title)}</b><br>{metric_row.numbers}")
        labels.left = max(labels.left, 16 + measure_text([metric_row.numbers], 13))
    has_own_scales = len(metric_rows) > 1
    rows = [_scale_row(row, has_own_scales) for row in metric_rows]
    figure = go.Figure()
    _add_intervals(figure, rows, [row.ci for row in rows], f"{level} CI", "")
    _add_decisions(figure, rows, metric_rows)
    figure.update_traces(hovertemplate=None, hoverinfo="none")  # the numbers are in the row
    set_key(figure)
    mark_zero(figure)
    bounds = [0.0]
    for row in rows:
        bounds += [row.difference, *(row.ci or ())]
    margin = 0.06 * (max(bounds) - min(bounds)) or 1.0
    x_range = [min(bounds) - margin, max(bounds) + margin]
    figure.update_xaxes(range=x_range, showticklabels=not has_own_scales)
    figure.update_xaxes(zeroline=False, tickfont_size=13, exponentformat="power")
    right = f"{labels(system, _SIDE)} better ▶"
    write_at(figure, 1, 0, right, "right", "top", **PLOT, yshift=-25)
    margins = Margins(top=54 + _set_title(figure, verdict), bottom=52, more=18)
    set_row_texts(figure, texts, labels.left, _PAIR_ROW, margins)
    return noted(labels.below(figure), notes)


def _scale_row(row: MetricRow, has_own_scale: bool) -> _DifferenceRow:
    """The pair by a metric, in points, or as shares of what is furthest from 0."""
    pair = row.pair
    ci = row.pair.ci
    reach = 1.0
    if has_own_scale:
        reach = max(map(abs, (pair.difference, *(ci or ())))) or 1.0
    if ci is not None:
        ci = (ci[0] / reach, ci[1] / reach)
    return _DifferenceRow(row.title, [0, full(row.title)], pair.difference / reach, ci, None)


def _add_decisions(
    figure: go.Figure, rows: Sequence[_DifferenceRow], metric_rows: Sequence[MetricRow]
) -> None:
    """Add the points in the colours of their decisions, filled where significant."""
    members: dict[str, set[str]] = {"better": set(), "worse": set(), NO_DIFFERENCE: set()}
    for row in metric_rows:
        members.get(row.pair.decision, members[NO_DIFFERENCE]).add(row.title)
    filled = members["better"] | members["worse"]
    for group in (
        SystemGroup("significantly better", BLUE, members["better"]),
        SystemGroup("significantly worse", VERMILLION, members["worse"]),
        SystemGroup(NO_DIFFERENCE, GREY, members[NO_DIFFERENCE]),
    ):
        figure.add_trace(_draw_differences(rows, group, filled, ""))


# -------------------------------------------------------------------------------------------------
# Scores with their intervals, and the rank ranges to their right.


_FOREST_ROW, _LOW_FOREST_ROW = 24, 18  # pixels of a row, and of a low row
_MARGIN = 8  # pixels to the right of the scores
_RANKS_MARGIN = 48  # pixels to the right of the ranks, for the text of the last bar


def forest(result: MetricResult, settings: Settings, notes: Sequence[str] = ()) -> go.Figure:
    """A row a system, best on top: score with interval on the left, rank range on the right.

    Colours are the groups of the verdict; filled points differ significantly from the best or the
    baseline, hollow ones do not. A line separates clusters. The custom data of points and bars are
    the system's index in the result and its name. Without ranks (one system, a baseline, a test
    without p) there is no right half.
    """
    systems = result.systems
    names = [row.system for row in systems]
    labels = Labels(34, 2, names)
    metric = labels(metric_title(result.metric), 24)
    titles = [f"{metric} {name_score_axis(result, settings)}"]
    has_ranks = len(systems) > 1 and all(row.rank_low is not None for row in systems)
    widths = None
    if has_ranks:
        titles.append("Rank range")
        widths = [0.68, 0.32]
    figure = make_subplots(
        1,
        len(titles),
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=titles,
        column_widths=widths,
    )
    colour_of: dict[str, str] = {}
    for group in group_systems(result, settings):
        colour_of |= dict.fromkeys(group.members, group.colour)
    colours = [colour_of[name] for name in names]
    figure.add_trace(_draw_scores(result, settings, colours), 1, 1)
    right_margin = _MARGIN
    if has_ranks:
        right_margin = _RANKS_MARGIN
        figure.add_trace(_draw_ranks(systems, colours), 1, 2)
        last_rank = len(systems)
        ticks = sorted({1, *range(5, last_rank - 2, 5), last_rank})
        figure.update_xaxes(range=[0.4, last_rank + 0.6], tickvals=ticks, row=1, col=2)
        # Plotly draws these lines across the halves that have a trace, so they come last.
        for last_row in cluster_ends(systems):
            figure.add_hline(last_row + 0.5, line={"color": GREY, "width": 1})
    figure.update_xaxes(showgrid=True, zeroline=False, tickfont_size=13)
    row_height = _FOREST_ROW
    if len(systems) > _MANY:
        row_height = _LOW_FOREST_ROW
    margins = Margins(top=36, bottom=BELOW, right=right_margin, more=26)
    set_rows(figure, labels, names, row_height, margins)
    figure.update_annotations(font_size=14)
    if has_ranks:
        # Each title is centred above its half with the margin, so that both fit in a narrow figure.
        title_of_scores, title_of_ranks = figure.layout.annotations
        title_of_scores.xshift = -labels.left / 2
        title_of_ranks.xshift = right_margin / 2
    return noted(labels.below(figure), notes)


def _draw_scores(result: MetricResult, settings: Settings, colours: list[str]) -> go.Scatter:
    """The points of all systems, with their intervals if all have one."""
    anchor, significant = pick_significant(result, settings)
    filled = significant | {anchor}
    if settings.baseline is None:
        filled = significant | result.best
    scores = [row.score for row in result.systems]
    names = result.names
    points = go.Scatter(
        x=scores,
        y=list(range(len(scores))),
        mode="markers",
        showlegend=False,
        marker=_mark_systems(names, filled, colours, size=9),
        customdata=_list_customdata(result.systems),
        hovertemplate=f"%{{customdata[1]}}<br>%{{x:{choose_form(result)}}}<extra></extra>",
    )
    low = [row.ci_low for row in result.systems]
    high = [row.ci_high for row in result.systems]
    if None not in low and None not in high:
        points.error_x = error_bars(scores, low, high, GREY, width=3)
    return points


def _draw_ranks(systems: Sequence[SystemResult], colours: list[str]) -> go.Bar:
    starts = []
    lengths = []
    texts = []
    for row in systems:
        low = row.rank_low or 1
        high = row.rank_high or len(systems)
        # A bar ends a little beyond its ranks, so that a single rank is seen.
        starts.append(low - 0.3)
        lengths.append(high - low + 0.6)
        texts.append(rank_interval(low, high).replace("-", "–"))
    marker = {"color": colours, "opacity": 0.75}
    rows = list(range(len(systems)))
    bars = go.Bar(base=starts, x=lengths, y=rows, orientation="h", width=0.5, marker=marker)
    bars.update(text=texts, textposition="outside", outsidetextfont_size=13)
    bars.update(cliponaxis=False, constraintext="none", showlegend=False)
    bars.customdata = _list_customdata(systems)
    bars.hovertemplate = "%{customdata[1]}<br>rank %{text}<extra></extra>"
    return bars


# -------------------------------------------------------------------------------------------------
# How far metrics agree with human scores: dots with their intervals.


class _Accuracy(NamedTuple):
    """A kind of accuracy, its attribute of a row, and how it is drawn."""

    name: str
    attribute: str
    colour: str
    symbol: str
    shift: float  # of its dots, from the middle of the row


_ACCURACIES = (
    _Accuracy("soft pairwise accuracy", "soft_pairwise_accuracy", BLUE, "circle", -0.12),
    _Accuracy("pairwise accuracy", "pairwise_accuracy", GREY, "diamond-open", 0.18),
)
_METRIC_ROW = 40  # pixels
_COIN = 0.5  # accuracy of a coin toss


def agreement_dots(agreement: Agreement | TaskAgreement) -> go.Figure:
    """A row a metric, the most agreeing on top: soft pairwise accuracy above, pairwise below.

    The line at 0.5 is the accuracy of a coin toss for each pair.
    """
    figure = go.Figure()
    labels = Labels(34, 2)
    bounds = [_COIN]
    for accuracy in _ACCURACIES:
        dots = _list_dots(agreement, accuracy)
        figure.add_trace(_draw_accuracy(accuracy, dots))
        for dot in dots:
            bounds += [dot.low, dot.high]
    line = {"color": GREY, "width": 1, "dash": "dot"}
    figure.add_shape(
        type="line", x0=_COIN, x1=_COIN, y0=0, y1=1, yref="paper", layer="below", line=line
    )
    low = max(0.0, min(bounds) - 0.03)
    high = min(1.0, max(bounds) + 0.03)
    x_range = [low, high + 0.005]
    figure.update_xaxes(range=x_range, tickfont_size=13, zeroline=False, tickformat=".2f")
    human = labels(agreement.human, 30)
    measured(figure, f"agreement with {human} (1: always; dotted line: 0.5, as a coin would)")
    metrics = [metric_title(row.metric) for row in agreement.metrics]
    set_rows(figure, labels, metrics, _METRIC_ROW, Margins(top=30, bottom=48, more=32))
    legend = {
        "orientation": "h",
        "x": 0,
        "y": 1.01,
        "yanchor": "bottom",
        "font_size": 14,
        "itemclick": False,
        "itemdoubleclick": False,
    }
    figure.update_layout(hovermode="closest", showlegend=True, legend=legend)
    return labels.below(figure)


class _Dot(NamedTuple):
    """The accuracy of a metric, with its interval."""

    metric: str
    height: float
    value: float
    low: float
    high: float


def _list_dots(agreement: Agreement | TaskAgreement, accuracy: _Accuracy) -> list[_Dot]:
    """The metrics that have this kind of accuracy."""
    dots = []
    for index, row in enumerate(agreement.metrics):
        value = getattr(row, accuracy.attribute)
        if value is not None:
            low = getattr(row, f"{accuracy.attribute}_low")
            high = getattr(row, f"{accuracy.attribute}_high")
            height = index + accuracy.shift
            dots.append(_Dot(metric_title(row.metric), height, value, low, high))
    return dots


def _draw_accuracy(accuracy: _Accuracy, dots: Sequence[_Dot]) -> go.Scatter:
    """The dots of one kind; the custom data are the metric and the bounds of the interval."""
    values = [dot.value for dot in dots]
    low = [dot.low for dot in dots]
    high = [dot.high for dot in dots]
    heights = [dot.height for dot in dots]
    name = accuracy.name
    colour = accuracy.colour
    line = {"color": colour, "width": 2}
    marker = {"size": 10, "color": colour, "symbol": accuracy.symbol, "line": line}
    points = go.Scatter(x=values, y=heights, mode="markers", name=name, marker=marker)
    points.error_x = error_bars(values, low, high, colour, thickness=2, width=4)
    points.customdata = [[full(dot.metric), dot.low, dot.high] for dot in dots]
    bounds = "[%{customdata[1]:.3f}, %{customdata[2]:.3f}]"  # noqa: RUF027  Plotly fills it
    points.hovertemplate = f"%{{customdata[0]}}: {name} %{{x:.3f}} {bounds}<extra></extra>"
    return points
