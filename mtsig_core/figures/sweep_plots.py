"""Figures of sweeps: decisions, scores and widths of intervals by size, and scores by references."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import plotly.graph_objects as go

from mtsig_core.experiments.frame import Rate
from mtsig_core.experiments.sweeps import Detection, Slope, SystemSize
from mtsig_core.figures.experiment_style import (
    draw_line,
    draw_points,
    log_axis,
    mark_y,
    set_size,
    start_figure,
    write_beside,
)
from mtsig_core.figures.style import LEFT, PLOT, Labels, error_bars, full, mark_x, write_at
from mtsig_core.report.experiment_tables import Sizes
from mtsig_core.report.palette import BLUE, GREY, OLIVE, VERMILLION, width
from mtsig_core.report.table import written_like

HALF_PAGE = 36  # digits of a line below a figure in half of the page
#: Ticks of shares, in percent.
SHARE_TICKS = tuple(digit * 10.0**power for power, digit in product(range(-3, 3), (1, 2, 5)))
_SIZES = tuple(digit * 10**power for power, digit in product(range(7), (1, 2, 5)))
_FEW_NAMES = 12  # so many names are set large
_LEAD = 0.06  # how far to the right a name is that had to move
_NAME_HEIGHT = 14  # pixels of a name at the end of its line
_WIDEST_NAME = 18  # at the end of its line, in digits
_FEW_TICKS = 4
_BANDS = {BLUE: "rgba(0,114,178,0.25)", OLIVE: "rgba(111,125,0,0.22)"}
_UNDRAWN = "rgba(128,128,128,0.18)"
_PALE = 0.35
_WHITE_EDGE = {"color": "white", "width": 1}


def decisions(
    rows: Sequence[Detection],
    power: float,
    needed: int | None = None,
    *,
    unit: str,
    between: Sizes = (None, None),
    n_whole: float = math.inf,
    beyond: Sequence[Detection] = (),
) -> go.Figure:
    """Share of random test sets on which a difference is found, or the opposite, and the plan.

    Rows above half of the `n_whole` test set are pale. The plan is dashed `beyond` the sizes drawn.
    """
    sizes = [row.size for row in (*rows, *beyond)]
    figure = start_figure()
    figure.add_trace(_draw_plan(rows, "dot"))
    independent = [row for row in rows if row.size <= n_whole / 2]
    alike = [row for row in rows if row.size > n_whole / 2]
    _add_shares(figure, independent, unit, 1.0)
    if alike:
        _add_shares(figure, alike, unit, _PALE)
    mark_y(figure, 100 * power, GREY, "solid", 1)
    # A phone has room for all three.
    _write_key(figure, 0, "●", "significant", "left", BLUE, xshift=-LEFT)
    _write_key(figure, 1, "┈┈", "planned", "right", GREY, xshift=0)
    _write_key(figure, 0.43, "◆", "opposite result", "center", VERMILLION, xshift=0)
    shares = [0, 20, 50, 80, 100]
    share_texts = [f"{share}%" for share in shares]
    figure.update_yaxes(range=[-4, 106], tickvals=shares, ticktext=share_texts)
    height, top = 270, 30
    if beyond:  # the key has a second line
        height, top = height + 18, top + 18
    note = f"{unit} in a test set"
    _set_sizes(figure, sizes, note, height, top=top)
    figure.update_layout(margin_l=LEFT + 14)
    write_beside(figure, "found")
    if beyond:
        figure.add_trace(_draw_plan(beyond, "dash"))
        _write_key(figure, 1, "╌╌", "extrapolated", "right", GREY, yshift=18)
    n_drawn = sum(row.significant.n > 0 for row in rows)
    if n_drawn < len(rows):
        row_sizes = [row.size for row in rows]
        _mark_undrawn(figure, row_sizes, n_drawn)
    if needed is not None and sizes:
        y = 100 * power
        least, most = min(sizes), max(sizes)
        low, high = between
        if low is not None and low < most:
            x_low, x_high = max(low, least), min(high or most, most)
            line = {"color": GREY, "width": 7}
            figure.add_shape(type="line", x0=x_low, x1=x_high, y0=y, y1=y, line=line, opacity=0.5)
        _mark_needed(figure, needed, sizes, y, unit)
    return figure


def _draw_plan(rows: Sequence[Detection], dash: str) -> go.Scatter:
    sizes = [row.size for row in rows]
    planned = [100 * row.planned for row in rows]
    return draw_line(sizes, planned, GREY, 2, dash)


def _write_key(
    figure: go.Figure, x: float, glyph: str, text: str, anchor: str, colour: str, **shift: Any
) -> None:
    text = f'<span style="color:{colour}">{glyph}</span> {text}'
    write_at(figure, x, 1.02, text, anchor, **PLOT, **shift)


def _add_shares(figure: go.Figure, rows: Sequence[Detection], unit: str, opacity: float) -> None:
    """Draw how often a difference is found, and how often the opposite."""
    found_rates = [row.significant for row in rows]
    hover = f"found on %{{customdata}} of {unit}"
    points = _draw_shares(rows, found_rates, BLUE, hover)
    points.update(opacity=opacity)
    figure.add_trace(points)
    opposite = [row.wrong for row in rows]
    points = _draw_shares(rows, opposite, VERMILLION, "opposite: %{customdata}")
    # What is under it can be seen.
    points.update(marker={"symbol": "diamond", "size": 7}, opacity=opacity)
    figure.add_trace(points)


def _draw_shares(
    rows: Sequence[Detection], rates: Sequence[Rate], colour: str, hover: str
) -> go.Scatter:
    """Return dots with the Monte Carlo intervals of shares.

    A set that was drawn once is no estimate, and has no interval.
    """
    sizes = []
    values = []
    low = []
    high = []
    texts = []
    for row, rate in zip(rows, rates, strict=True):
        if rate.share is None or rate.low is None or rate.high is None:
            continue
        value = 100 * rate.share
        sizes.append(row.size)
        values.append(value)
        value_low = value
        value_high = value
        text = f"{value:.0f}%, once"
        if rate.n > 1:
            value_low = 100 * rate.low
            value_high = 100 * rate.high
            text = f"{value:.0f}% [{value_low:.0f}%, {value_high:.0f}%]"
        low.append(value_low)
        high.append(value_high)
        texts.append(text)
    points = draw_points(sizes, values, f"%{{x:,}}: {hover}", colour)
    bars = error_bars(values, low, high, colour, width=4)
    return points.update(marker_line=_WHITE_EDGE, customdata=texts, error_y=bars)


def _mark_undrawn(figure: go.Figure, sizes: Sequence[int], n_drawn: int) -> None:
    """Draw a band over the last sizes, of which no test set is drawn yet.

    So nobody concludes from the others.
    """
    if n_drawn == 0:
        left = sizes[0] / 10
    else:
        left = math.sqrt(sizes[n_drawn - 1] * sizes[n_drawn])
    figure.add_shape(
        type="rect",
        x0=left,
        x1=10 * sizes[-1],
        y0=0,
        y1=1,
        yref="y domain",
        layer="below",
        line_width=0,
        fillcolor=_UNDRAWN,
    )
    domain = {"xref": "x domain", "yref": "y domain"}
    text = "still being<br>drawn"
    write_at(figure, 1, 0.45, text, "right", "middle", **domain, xshift=-12, font_size=15)


def _mark_needed(
    figure: go.Figure, needed: int, sizes: Sequence[int], height: float, unit: str
) -> None:
    """Draw a line down from where the curve meets the power; an arrow if that is off the figure."""
    low = min(sizes)
    high = max(sizes)
    x = needed
    text = f"about {needed:,} {unit}"
    y = 0.25 * height
    if needed > high:
        x = high
        text = f"{text} →"
        y = height  # there the curve has no dots below, which rise through the line of the power
    elif needed < low:
        x = low
        text = f"← {text}"
    else:
        mark_x(figure, x, (-4, height), GREY)
    anchor = "left"
    shift = 6
    middle = (math.log(high) + math.log(low)) / 2
    if math.log(x) > middle:
        anchor = "right"
        shift = -6
    # A text of a log axis is at the logarithm of its place.
    write_at(figure, math.log10(x), y, f"<b>{text}</b>", anchor, xshift=shift)


class _LineEnd(NamedTuple):
    height: float
    name: str
    colour: str


def scores(
    rows: Sequence[SystemSize],
    emphasised: Mapping[str, str],
    *,
    unit: str,
    metric: str,
    lower: bool = False,
) -> go.Figure:
    """Mean score by size, with the middle 90% of test sets (Zhang and Vogel 2004, Figs 4 to 7).

    `emphasised` has the colours of systems that stand out.
    """
    names = list(dict.fromkeys(row.system for row in rows))
    figure = start_figure()
    labels = Labels(_WIDEST_NAME, among=names)
    form = written_like(row.score for row in rows if row.score is not None)
    line_ends = []
    for name in sorted(names, key=lambda name: name in emphasised):
        scored = [row for row in rows if row.system == name and row.score is not None]
        sizes = [row.size for row in scored]
        means = [row.score or 0.0 for row in scored]
        colour = GREY
        line_width = 1.5
        if name in emphasised:
            colour = emphasised[name]
            line_width = 3
            low = [row.score_low for row in scored]
            high = [row.score_high for row in scored]
            # Around the band: along its lower edge and back along its upper one.
            x_outline = [*sizes, *sizes[::-1]]
            y_outline = [*low, *high[::-1]]
            figure.add_scatter(
                x=x_outline,
                y=y_outline,
                fill="toself",
                mode="lines",
                line_width=0,
                fillcolor=_BANDS[colour],
                hoverinfo="skip",
                showlegend=False,
            )
        line = draw_line(sizes, means, colour, line_width)
        hover = f"{full(name)}: %{{y:{form}}} at %{{x:,}}<extra></extra>"
        line.update(hoverinfo=None, hovertemplate=hover)
        figure.add_trace(line)
        if scored:
            line_ends.append(_LineEnd(means[-1], name, colour))
    height = max(330, 70 + _NAME_HEIGHT * len(line_ends))
    if line_ends:
        _name_lines(figure, line_ends, height - 56, labels)
    widest = max((width(end.name) for end in line_ends), default=0)
    right = 32 + round(8 * min(_WIDEST_NAME, widest))
    upwards = f"{labels(metric, 12)} upwards"
    if lower:
        upwards += ", lower is better"
    note = f"{unit} in a test set; {upwards}"
    all_sizes = [row.size for row in rows]
    _set_sizes(figure, all_sizes, note, height, right=right)
    return labels.below(figure, HALF_PAGE)


def _name_lines(
    figure: go.Figure, line_ends: Sequence[_LineEnd], pixels: int, labels: Labels
) -> None:
    """Write all names at the right ends of their lines, apart on a figure so high.

    A name that had to move has a thin line to its own.
    """
    values: list[float] = []
    for trace in figure.data:
        values += trace.y
    least = min(values)
    most = max(values)
    span = most - least or 1.0
    are_few = len(line_ends) <= _FEW_NAMES
    name_height = _NAME_HEIGHT
    grey_size = 11
    if are_few:
        name_height = 18
        grey_size = 14
    step = span * name_height / pixels * 1.1
    ordered = sorted(line_ends, reverse=True)
    own_heights = [end.height for end in ordered]
    lowest = least - max(0.05 * span, step)
    heights = _spread_heights(own_heights, step, lowest)
    for end, height in zip(ordered, heights, strict=True):
        x = 1.0
        has_moved = not are_few or abs(height - end.height) > 0.3 * step
        if has_moved:
            x = 1 + _LEAD
            line = {"color": end.colour, "width": 1}
            ends = {"x0": 1, "x1": x, "y0": end.height, "y1": height}
            figure.add_shape(type="line", xref="paper", **ends, line=line)
        font_size = grey_size
        if end.colour != GREY:
            font_size += 1
        label = labels(end.name)
        options = {"xref": "paper", "xshift": 4, "font_size": font_size}
        write_at(figure, x, height, label, "left", "middle", **options)
    bottom = lowest - step / 2
    top = max(most, heights[0]) + 0.05 * span
    figure.update_yaxes(range=[bottom, top])


def _spread_heights(wanted_heights: Sequence[float], step: float, lowest: float) -> list[float]:
    """Return heights that are at least a step apart, from the top to the lowest."""
    heights: list[float] = []
    for height in wanted_heights:
        if heights:
            height = min(height, heights[-1] - step)
        heights.append(height)
    floor = lowest
    for place in reversed(range(len(heights))):
        heights[place] = max(heights[place], floor)
        floor = heights[place] + step
    return heights


def widths(
    rows: Sequence[SystemSize],
    slope: Slope,
    published: Sequence[tuple[float, float]],
    *,
    unit: str,
    source: str,
) -> go.Figure:
    """Relative width of one system's interval against the size, with the fitted line.

    `published` are sizes and widths of a paper, which is called `source`.
    """
    x = []
    y = []
    for row in rows:
        if row.width:
            x.append(row.size)
            y.append(100 * row.width)
    x_paper = [size for size, _ in published]
    y_paper = [100 * relative_width for _, relative_width in published]
    figure = start_figure()
    if published:
        name = full(source)
        hover = f"{name}: %{{y:.2f}}% at %{{x:,}}"
        points = draw_points(x_paper, y_paper, hover, GREY, "diamond-open", 9, name, joined="dot")
        figure.add_trace(points)
    if x and slope.slope is not None:
        x_middle = sum(map(math.log, x)) / len(x)
        y_middle = sum(map(math.log, y)) / len(y)
        fitted = [math.exp(y_middle + slope.slope * (math.log(size) - x_middle)) for size in x]
        line = draw_line(x, fitted, BLUE, 2)
        line.update(name=f"slope {slope.slope:.2f}", showlegend=True)
        figure.add_trace(line)
    points = draw_points(x, y, "%{x:,}: width %{y:.2f}% of the score", BLUE)
    points.update(marker_line=_WHITE_EDGE)
    figure.add_trace(points)
    figure.update_yaxes(log_axis(SHARE_TICKS, "{:g}%"))
    note = f"{unit} in a test set"
    _set_sizes(figure, [*x, *x_paper], note, 344, top=42)
    return figure


def references(
    ours: Sequence[tuple[int, float, float, float]],
    published: Sequence[tuple[int, float, float, float]],
    *,
    metric: str,
    source: str,
) -> go.Figure:
    """Score of one system with its interval by number of references (Zhang and Vogel 2004, Fig. 8).

    Rows are a number of references, the score, and the bounds relative to the score.
    """
    figure = start_figure()
    labels = Labels()
    if published:
        _add_reference_scores(figure, published, 0.06, source, GREY, "diamond-open")
    if ours:
        _add_reference_scores(figure, ours, 0.0, "ours", BLUE, "circle")
    counts = sorted({row[0] for row in (*ours, *published)})
    x_range = [counts[0] - 0.25, counts[-1] + 0.25]
    figure.update_xaxes(tickvals=counts, range=x_range)
    right = 60
    if published:
        right = 190
    note = f"references; {labels(metric)} upwards"
    set_size(figure, 300, right=right, below=note)
    return labels.below(figure)


def _add_reference_scores(
    figure: go.Figure,
    rows: Sequence[tuple[int, float, float, float]],
    shift: float,
    name: str,
    colour: str,
    symbol: str,
) -> None:
    x = []
    y = []
    low = []
    high = []
    texts = []
    for n_references, score, relative_low, relative_high in rows:
        x.append(n_references + shift)
        y.append(score)
        low.append(score * (1 + relative_low))
        high.append(score * (1 + relative_high))
        bounds = f"[{100 * relative_low:+.2f}%, {100 * relative_high:+.2f}%]"
        form = written_like([score])
        texts.append(f"{score:{form}} {bounds}")
    title = full(name)
    hover = f"{title}: %{{customdata}}"
    points = draw_points(x, y, hover, colour, symbol, name=name, joined="dot")
    bars = error_bars(y, low, high, colour, 2, 6)
    points.update(customdata=texts, showlegend=False, error_y=bars)
    figure.add_trace(points)
    write_at(figure, x[-1], y[-1], title, "left", "middle", xshift=12)


def _set_sizes(
    figure: go.Figure, sizes: Sequence[float], note: str, height: int, top: int = 8, right: int = 8
) -> None:
    """Set a log axis of sizes."""
    low = min(sizes, default=1)
    high = max(sizes, default=1)
    ticks = [size for size in _SIZES if low <= size <= high]
    if right > 8:  # next to names a phone has room for few
        step = math.ceil(len(ticks) / _FEW_TICKS)
        ticks = ticks[::step]
    if not sizes:
        high = 10
    x_range = [math.log10(low) - 0.04, math.log10(high) + 0.04]
    figure.update_xaxes(log_axis(ticks, range=x_range))
    set_size(figure, height, right=right, top=top, below=note)
