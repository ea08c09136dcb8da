"""Figures of a comparison: differences, scores with ranks, agreement with human scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mtsig_core.figures.style import (
    BELOW,
    TITLE_LINE,
    Labels,
    Margins,
    error_bars,
    full,
    interval_bars,
    mark_zero,
    measured,
    noted,
    set_key,
    set_rows,
)
from mtsig_core.metrics import metric_title
from mtsig_core.report.palette import BLUE, GREY, VERMILLION, wrapped
from mtsig_core.report.sentences import (
    choose_form,
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
from mtsig_core.stats.ranks import RANK_RULES, find_top_group

# -------------------------------------------------------------------------------------------------
# Differences of all systems to the best, or to the baseline, with single and simultaneous intervals.


_MANY = 15  # systems whose rows are lower
_DIFFERENCE_ROW, _LOW_ROW = 26, 20  # pixels per system, and where they are many
_TITLE_WIDTH, _TITLE_LINES = 66, 3  # digits of a line of the title, and its lines


def differences(
    result: MetricResult, settings: Settings, notes: Sequence[str] = (), verdict: str = ""
) -> go.Figure:
    """A row a system, as ranked: its improvement over the best, or over the baseline, at 0.

    The verdict is the title, and colours are its groups. The thick bar is the interval of one pair,
    the thin line with ends the interval for all pairs together. Filled points differ significantly,
    hollow ones do not. The custom data are the system's place in the result and its name.
    """
    anchor, filled = pick_significant(result, settings)
    pair_of = view_anchor_pairs(result, settings)
    names: list[str] = []
    places: list[list[object]] = []
    values: list[float] = []
    single_intervals, joint_intervals = {}, {}
    for place, row in enumerate(result.systems):
        pair = pair_of.get(row.system)
        if pair is None and row.system != anchor:
            continue
        y = len(names)
        names.append(row.system)
        places.append([place, full(row.system)])
        values.append(0.0 if pair is None else pair.difference)
        if pair is not None and pair.ci is not None:
            single_intervals[y] = pair.ci
        if pair is not None and pair.ci_joint is not None:
            joint_intervals[y] = pair.ci_joint

    form = choose_form(result)
    figure = go.Figure()
    joint_name = name_simultaneous(result, settings)
    if joint_name is not None:
        _add_intervals(figure, joint_intervals, joint_name, places, form, thick=False)
    _add_intervals(figure, single_intervals, f"{write_level(settings)} CI", places, form)
    for group in group_systems(result, settings):
        rows = [y for y, name in enumerate(names) if name in group.members]
        points = go.Scatter(
            x=[values[y] for y in rows],
            y=rows,
            mode="markers",
            name=group.name,
            showlegend=bool(group.name and rows),
            marker=_mark_systems([names[y] for y in rows], filled, group.colour, size=11),
            customdata=[places[y] for y in rows],
            hovertemplate=f"%{{customdata[1]}}<br>%{{x:+{form}}}<extra></extra>",
        )
        figure.add_trace(points)
    set_key(figure)
    mark_zero(figure)
    labels = Labels(34, 2, names)
    metric = labels(metric_title(result.metric), 24)
    measured(figure, write_difference_axis(result, metric, labels(anchor, 28)))
    figure.update_xaxes(showgrid=True, zeroline=False, tickfont_size=13, exponentformat="power")
    title = _cut_title(verdict)
    margins = Margins(top=54 + TITLE_LINE * len(title), bottom=52, more=18)
    set_rows(figure, labels, names, _LOW_ROW if len(names) > _MANY else _DIFFERENCE_ROW, margins)
    figure.update_layout(
        title={
            "text": "<br>".join(map(full, title)),
            "font_size": 17,
            "x": 0,
            "xref": "container",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 24, "l": 8},
        }
    )
    return noted(labels.below(figure), notes)


def _add_intervals(
    figure: go.Figure,
    intervals: dict[int, tuple[float, float]],
    name: str,
    places: Sequence[object],
    form: str,
    thick: bool = True,
) -> None:
    if intervals:
        customdata = [places[y] for y in intervals]
        heights = list(intervals)
        interval_bars(figure, list(intervals.values()), heights, name, thick, customdata, form)


def _mark_systems(
    names: Sequence[str], filled: set[str], colour: str | list[str], size: int
) -> dict[str, Any]:
    """Points of systems: filled where they differ significantly."""
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
    """The groups of systems that the verdict speaks of; the last has all others and no name."""
    top_group = find_top_group(result)
    if settings.baseline is not None:  # the second system of each pair
        better = {pair.a for pair in result.pairs if pair.better == "a"}
        worse = {pair.a for pair in result.pairs if pair.better == "b"}
        groups = [
            SystemGroup("significantly better", BLUE, better),
            SystemGroup("significantly worse", VERMILLION, worse),
        ]
    elif top_group:
        name = name_first_place(RANK_RULES[settings.rank_rule])
        groups = [SystemGroup(name, BLUE, set(top_group))]
    else:
        groups = [SystemGroup("best score", BLUE, set(result.best))]
    remaining = {row.system for row in result.systems}
    for group in groups:
        remaining -= group.members
    return [*groups, SystemGroup("", GREY, remaining)]


# -------------------------------------------------------------------------------------------------
# Scores with their intervals, and the rank ranges to their right.


_FOREST_ROW, _LOW_FOREST_ROW = 24, 18  # pixels per system, and where they are many
#: Pixels to the right of the ranks, for the text of the last bar, however narrow the figure.
_RANKS = 48


def forest(result: MetricResult, settings: Settings, notes: Sequence[str] = ()) -> go.Figure:
    """A row a system, best on top: score with interval on the left, rank range on the right.

    Colours are the groups of the verdict; filled points differ significantly from the best or the
    baseline, hollow ones do not. A line separates clusters. The custom data of points and bars are
    the system's place in the result and its name. There is no right half without ranks (one system,
    a baseline, a test without p).
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
    right = 8
    if has_ranks:
        right = _RANKS
        figure.add_trace(_draw_ranks(systems, colours), 1, 2)
        last = len(systems)
        ticks = sorted({1, *range(5, last - 2, 5), last})
        figure.update_xaxes(range=[0.4, last + 0.6], tickvals=ticks, row=1, col=2)
        for end in cluster_ends(systems):  # across both halves, now that both have something
            figure.add_hline(end + 0.5, line={"color": GREY, "width": 1})
    figure.update_xaxes(showgrid=True, zeroline=False, tickfont_size=13)
    row_height = _LOW_FOREST_ROW if len(systems) > _MANY else _FOREST_ROW
    set_rows(figure, labels, names, row_height, Margins(36, BELOW, right, more=26))
    figure.update_annotations(font_size=14)
    if has_ranks:
        # Each title is above all of its half, so that there is room for both where it is narrow.
        title_of_scores, title_of_ranks = figure.layout.annotations
        title_of_scores.xshift = -labels.left / 2
        title_of_ranks.xshift = right / 2
    return noted(labels.below(figure), notes)


def _list_places(systems: Sequence[SystemResult]) -> list[list[object]]:
    """The custom data of systems."""
    return [[place, full(row.system)] for place, row in enumerate(systems)]


def _draw_scores(result: MetricResult, settings: Settings, colours: list[str]) -> go.Scatter:
    anchor, filled = pick_significant(result, settings)
    filled |= result.best if settings.baseline is None else {anchor}
    scores = [row.score for row in result.systems]
    names = [row.system for row in result.systems]
    points = go.Scatter(
        x=scores,
        y=list(range(len(scores))),
        mode="markers",
        showlegend=False,
        marker=_mark_systems(names, filled, colours, size=9),
        customdata=_list_places(result.systems),
        hovertemplate=f"%{{customdata[1]}}<br>%{{x:{choose_form(result)}}}<extra></extra>",
    )
    low = [row.ci_low for row in result.systems]
    high = [row.ci_high for row in result.systems]
    if None not in low and None not in high:
        points.error_x = error_bars(scores, low, high, GREY, width=3)
    return points


def _draw_ranks(systems: Sequence[SystemResult], colours: list[str]) -> go.Bar:
    ranks = [(row.rank_low or 1, row.rank_high or len(systems)) for row in systems]
    return go.Bar(
        base=[low - 0.3 for low, _ in ranks],
        x=[high - low + 0.6 for low, high in ranks],
        y=list(range(len(systems))),
        orientation="h",
        width=0.5,
        marker={"color": colours, "opacity": 0.75},
        showlegend=False,
        text=[rank_interval(low, high).replace("-", "–") for low, high in ranks],
        textposition="outside",
        cliponaxis=False,
        outsidetextfont_size=13,
        constraintext="none",
        customdata=_list_places(systems),
        hovertemplate="%{customdata[1]}<br>rank %{text}<extra></extra>",
    )


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


def agreement_dots(agreement: Agreement | TaskAgreement) -> go.Figure:
    """A row a metric, the most agreeing on top: soft pairwise accuracy above, pairwise below.

    The line at 0.5 is where a coin would be that orders each pair.
    """
    figure, labels = go.Figure(), Labels(34, 2)
    bounds = [0.5]
    for accuracy in _ACCURACIES:
        trace = _draw_accuracy(agreement, accuracy)
        figure.add_trace(trace)
        for _, low, high in trace.customdata:
            bounds += [low, high]
    line = {"color": GREY, "width": 1, "dash": "dot"}
    figure.add_shape(
        type="line", x0=0.5, x1=0.5, y0=0, y1=1, yref="paper", layer="below", line=line
    )
    low, high = max(0.0, min(bounds) - 0.03), min(1.0, max(bounds) + 0.03)
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


def _draw_accuracy(agreement: Agreement | TaskAgreement, accuracy: _Accuracy) -> go.Scatter:
    """The dots of one kind; the custom data are the metric and the bounds of the interval."""
    x, y, customdata = [], [], []
    for place, row in enumerate(agreement.metrics):
        value = getattr(row, accuracy.attribute)
        if value is not None:
            low = getattr(row, f"{accuracy.attribute}_low")
            high = getattr(row, f"{accuracy.attribute}_high")
            x.append(value)
            y.append(place + accuracy.shift)
            customdata.append([full(metric_title(row.metric)), low, high])
    low = [low for _, low, _ in customdata]
    high = [high for _, _, high in customdata]
    line = {"color": accuracy.colour, "width": 2}
    return go.Scatter(
        x=x,
        y=y,
        mode="markers",
        name=accuracy.name,
        marker={"size": 10, "color": accuracy.colour, "symbol": accuracy.symbol, "line": line},
        error_x=error_bars(x, low, high, accuracy.colour, thickness=2, width=4),
        customdata=customdata,
        hovertemplate=f"%{{customdata[0]}}: {accuracy.name} %{{x:.3f}} "
        "[%{customdata[1]:.3f}, %{customdata[2]:.3f}]<extra></extra>",
    )
