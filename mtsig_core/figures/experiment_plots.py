"""Figures of the experiments: bootstrap, samples, sweeps, validation, inside a score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mtsig_core.experiments.frame import Rate
from mtsig_core.experiments.sweeps import Detection, Slope, SystemSize
from mtsig_core.figures.style import BELOW, ENDS, LEFT, Band, Labels, add_histogram, full, measured
from mtsig_core.report.palette import BLUE, GREY, VERMILLION, width, wrapped
from mtsig_core.report.table import written_like

_TURNED = 14  # pixels that the name of a vertical axis takes
_KEY = dict(orientation="h", x=0, y=1.01, yanchor="bottom", font_size=14)  # above a figure


def _start() -> go.Figure:
    return go.Figure(
        layout={axis: dict(tickfont_size=13, zeroline=False) for axis in ("xaxis", "yaxis")}
    )


def _set_size(
    figure: go.Figure,
    height: float,
    left: float = LEFT,
    right: float = 8,
    top: float = 8,
    bottom: float = 48,
    *,
    below: str = "",
    **more: Any,
) -> None:
    """Height and margins of a figure that is not dragged, and a note below it; the key is above."""
    if below:
        measured(figure, below)
    figure.update_layout(
        height=height,
        margin=dict(l=left, r=right, t=top, b=bottom),
        dragmode=False,
        hovermode="closest",
        legend=_KEY,
        **more,
    )


def _write_beside(figure: go.Figure, text: str) -> None:
    """What a vertical axis measures, turned, at the left edge."""
    _write(
        figure,
        0,
        0.5,
        text,
        "left",
        "middle",
        xref="paper",
        yref="paper",
        xshift=-figure.layout.margin.l,
        textangle=-90,
    )


def _log_axis(ticks: Sequence[float], form: str = "{:,}", **more: Any) -> dict[str, Any]:
    """A log axis with these ticks."""
    return (
        dict(type="log", tickvals=list(ticks), ticktext=[form.format(tick) for tick in ticks])
        | more
    )


def _write(
    figure: go.Figure,
    x: float,
    y: float,
    text: str,
    anchor: str = "center",
    above: str = "bottom",
    **more: Any,
) -> None:
    """Text in a figure, above a point by default."""
    figure.add_annotation(
        **dict(x=x, y=y, text=text, showarrow=False, font_size=14, xanchor=anchor, yanchor=above)
        | more
    )


def _mark_x(
    figure: go.Figure,
    x: float,
    low: float,
    high: float,
    colour: str,
    dash: str = "solid",
    width: float = 2,
    **more: Any,
) -> None:
    """A vertical line."""
    figure.add_shape(
        type="line",
        x0=x,
        x1=x,
        y0=low,
        y1=high,
        line=dict(color=colour, width=width, dash=dash),
        **more,
    )


def _mark_y(figure: go.Figure, y: float, colour: str, dash: str = "dot", width: float = 2) -> None:
    """A horizontal line across the figure."""
    figure.add_shape(
        type="line",
        xref="x domain",
        x0=0,
        x1=1,
        y0=y,
        y1=y,
        line=dict(color=colour, width=width, dash=dash),
    )


def _dots(
    x: Any,
    y: Any,
    hover: str,
    colour: Any = BLUE,
    symbol: str = "circle",
    size: float = 10,
    name: str = "",
    line: str = "",
    **more: Any,
) -> go.Scatter:
    """Points with a hover text, joined by a line of that dash where one is given; in the key by
    their name.
    """
    joined = (
        dict(mode="lines+markers", line=dict(color=colour, width=1, dash=line))
        if line
        else dict(mode="markers")
    )
    trace = go.Scatter(
        x=x,
        y=y,
        marker=dict(size=size, symbol=symbol, color=colour),
        name=name,
        showlegend=bool(name),
        hovertemplate=f"{hover}<extra></extra>" if hover else None,
        **joined,
    )
    return trace.update(more)


def _bars(
    values: Any,
    low: Any,
    high: Any,
    colour: str,
    thickness: float = 1.5,
    width: float | None = None,
) -> dict[str, Any]:
    """Error bars from the values to the ends of their intervals."""
    values, low, high = (np.asarray(some, dtype=float) for some in (values, low, high))
    return dict(
        type="data",
        symmetric=False,
        array=(high - values).tolist(),
        arrayminus=(values - low).tolist(),
        color=colour,
        thickness=thickness,
        width=width,
    )


# The bootstrap of one score: its replicates with the interval, and how a bound settles with more of
# them.


_WIDTH_TICKS = [
    0.001,
    0.002,
    0.005,
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.5,
    1,
    2,
    5,
    10,
    20,
    50,
]  # ticks, in percent
_SCORE_ROOM = (
    0.25  # room that a score of four digits and its percents need, as a part of what is drawn
)
_INSIDE, _OUTSIDE = "rgba(0,114,178,0.32)", "rgba(122,133,148,0.30)"


def replicate_histogram(
    edges: np.ndarray,
    counts: np.ndarray,
    score: float,
    median: float,
    interval: tuple[float, float] | None,
    about: tuple[float, float] | None = None,
    *,
    unit: str,
    form: str = ".2f",
) -> go.Figure:
    """Histogram of bootstrap scores, filled blue inside the interval (Zhang and Vogel 2004, Figs 1
    and 2).
    """
    low, high = interval or (math.inf, math.inf)
    top = float(counts.max(initial=1))
    figure = _start()
    add_histogram(
        figure,
        edges,
        counts,
        (
            Band(-math.inf, low, GREY, _OUTSIDE),
            Band(low, high, BLUE, _INSIDE),
            Band(high, math.inf, GREY, _OUTSIDE),
        ),
        1.5,
    )
    sides = ("right", "left") if score <= median else ("left", "right")
    for at, anchor, dash, words in (
        (score, sides[0], "solid", "observed"),
        (median, sides[1], "dot", "median"),
    ):
        _mark_x(figure, at, 0, 1.1 * top, VERMILLION if dash == "solid" else BLUE, dash, 3)
        _write(
            figure,
            at,
            1.1 * top,
            f"{words} {at:{form}}",
            anchor,
            xshift=4 if anchor == "left" else -4,
        )
    for at, anchor in () if interval is None else ((low, "right"), (high, "left")):
        _mark_x(figure, at, 0, 0.5 * top, BLUE, width=3)
        share = "" if about is None else f"  {100 * about[anchor == 'left']:+.2f}%"
        _write(
            figure,
            at,
            0.5 * top,
            f"<b>{at:{form}}</b>{share}",
            anchor,
            xshift=4 if anchor == "left" else -4,
        )
    ends = [*edges[[0, -1]].tolist(), score, *(interval or ())]
    width = max(ends) - min(ends) or 16.0
    drawn = [min(ends) - 0.06 * width, max(ends) + 0.06 * width]
    if interval is not None:  # the texts of its ends are outside
        drawn = [
            min(drawn[0], low - _SCORE_ROOM * width),
            max(drawn[1], high + _SCORE_ROOM * width),
        ]
    figure.update_xaxes(range=drawn, showgrid=False, exponentformat="power")
    figure.update_yaxes(range=[0, 1.24 * top], visible=False)
    named = Labels()
    of = "" if about is None or interval is None else "; %: distance from the median"
    _set_size(figure, 270, ENDS, ENDS, below=f"{named(unit)} of resamples{of}")
    return named.below(figure)


def settling(
    sizes: Sequence[int],
    ours: Sequence[float | None],
    ranges: Sequence[tuple[float, float] | None],
    theory: Sequence[float | None],
    published: Sequence[tuple[int, float]],
    *,
    unit: str,
) -> go.Figure:
    """Standard deviation of a relative bound against the number of resamples, on log axes."""
    known = [
        (size, 100 * value, *(100 * end for end in ends or (math.nan, math.nan)))
        for size, value, ends in zip(sizes, ours, ranges, strict=True)
        if value
    ]
    line = [(size, 100 * value) for size, value in zip(sizes, theory, strict=True) if value]
    paper = [(size, 100 * value) for size, value in published]
    figure = _start()
    if paper:
        figure.add_trace(
            _dots(
                *_columns(paper),
                "Zhang and Vogel: B = %{x:,}, %{y:.3f}%",
                GREY,
                "diamond-open",
                9,
                f"Zhang and Vogel, {full(unit)}",
                "dot",
            )
        )
    figure.add_trace(_line(*_columns(line), BLUE, 2).update(name="theory", showlegend=True))
    x, y, low, high = zip(*known, strict=True) if known else ((),) * 4
    figure.add_trace(
        _dots(
            x,
            y,
            "here: B = %{x:,}, %{y:.3f}%",
            size=11,
            marker_line=dict(color="white", width=1),
            error_y=_bars(y, low, high, BLUE),
            name="here",
        )
    )
    seen = [
        math.log10(value) for value in (*_columns([*line, *paper])[1], *low, *high) if value > 0
    ] or [0.0]
    figure.update_xaxes(_log_axis(sizes, range=[math.log10(75), math.log10(14_000)]))
    figure.update_yaxes(
        _log_axis(_WIDTH_TICKS, "{:g}%", range=[min(seen) - 0.12, max(seen) + 0.12])
    )
    _set_size(
        figure, 346, top=58, below="B, resamples", showlegend=True
    )  # a phone has the key in three lines
    return figure


def _columns(pairs: Iterable[Sequence[float]]) -> tuple[list[float], list[float]]:
    """Pairs of numbers as two lists."""
    pairs = list(pairs)
    return [first for first, _ in pairs], [second for _, second in pairs]


# Samples of a test set: their scores, intervals, differences and conclusions (Koehn 2004, Figs 2 to
# 8).


_FAINT = "rgba(122,133,148,0.22)"
#: How a sample is marked that concludes as the whole set (1), the opposite (-1) or nothing (0): not
#: only by colour.
_MARKS = {1: (BLUE, "circle", 9), -1: (VERMILLION, "x", 11), 0: (GREY, "circle-open", 8)}
_KINDS = ((BLUE, "circle"), (VERMILLION, "diamond"))
_DOT, _STEP = (
    0.009,
    0.07,
)  # width of a dot as a share of the axis, and its height as a share of a band
_SAMPLE_TICKS = 6  # at most, of sizes: a phone has room for as many
_WORDS = {1: "as the whole set", -1: "opposite", 0: "no conclusion"}


def sample_scores(
    scores: Mapping[str, np.ndarray],
    whole: float,
    published: Mapping[str, tuple[float, float]] | None = None,
    *,
    unit: str,
    ghosts: Mapping[str, np.ndarray] | None = None,
    form: str = ".2f",
) -> go.Figure:
    """Scores of samples of several kinds, one band above the other on one axis (Koehn 2004, Figs 2
    and 3).

    Dots that would cover each other stand side by side: height says nothing else.

    Shapes: `scores` (samples,).
    """
    figure, published, named, old = _start(), published or {}, Labels(), ghosts or {}
    known = [
        whole,
        *(end for ends in published.values() for end in ends),
        *(v for values in (*old.values(), *scores.values()) for v in values[np.isfinite(values)]),
    ]
    margin = 0.05 * (max(known) - min(known)) or 1.0
    for band, (kind, values) in enumerate(scores.items()):
        base = len(scores) - 1 - band
        if kind in published:
            low, high = published[kind]
            figure.add_shape(
                type="rect",
                x0=low,
                x1=high,
                y0=base + 0.06,
                y1=base + 0.94,
                fillcolor=_FAINT,
                line_width=0,
                layer="below",
            )
            outside = high < max(known) - 4 * margin  # clear of the dots where there is room
            _write(
                figure,
                high,
                base + 0.06,
                f"Koehn: {low:g} to {high:g}",
                "left" if outside else "right",
                font_size=13,
                xshift=6 if outside else -4,
            )
        dot = _DOT * (max(known) - min(known) + 2 * margin)
        if kind in old:
            figure.add_trace(
                _dots(
                    old[kind],
                    base + 0.59 + _swarm(old[kind], dot),
                    f"{full(kind)}, before the shuffle, sample %{{customdata}}: %{{x:{form}}}",
                    GREY,
                    "circle-open",
                    7,
                    marker_opacity=0.6,
                    customdata=np.arange(1, len(old[kind]) + 1),
                )
            )
        colour, symbol = _KINDS[band % 2]
        figure.add_trace(
            _dots(
                values,
                base + 0.59 + _swarm(values, dot),
                f"{full(kind)}, sample %{{customdata}}: %{{x:{form}}}",
                colour,
                symbol,
                7,
                marker_opacity=0.95,
                customdata=np.arange(1, len(values) + 1),
            )
        )
        _write(
            figure,
            0,
            base + 0.6,
            f"<b>{named(kind, 14)}</b>",
            "right",
            "middle",
            xref="paper",
            font_size=16,
        )
    _mark_x(figure, whole, 0, len(scores), GREY, "dot")
    side = (
        "left" if whole == min(known) else "right" if whole == max(known) else "center"
    )  # not beyond the edge
    _write(figure, whole, len(scores), f"whole test set {whole:{form}}", side)
    if old:
        _write(figure, 1, 1, "○ before the shuffle", "right", "top", xref="paper", yref="paper")
    figure.update_xaxes(range=[min(known) - margin, max(known) + margin])
    figure.update_yaxes(range=[0, len(scores) + 0.16], visible=False)
    _set_size(figure, 300, 120, bottom=46, below=f"{named(unit)} of a sample")
    return named.below(figure)


def _swarm(values: np.ndarray, dot: float) -> np.ndarray:
    """Heights around 0, shape (samples,), at which dots of a width stand side by side; closer where
    they are many.
    """
    rows: list[float] = []  # where the last dot of each row ends
    place = np.zeros(len(values), dtype=int)
    for k in np.argsort(values).tolist():
        if np.isfinite(values[k]):
            place[k] = next((row for row, end in enumerate(rows) if end <= values[k]), len(rows))
            rows[place[k] : place[k] + 1] = [values[k] + dot]
    step = min(_STEP, 0.58 / max(len(rows), 1))
    heights: np.ndarray = step * np.where(
        place % 2, (place + 1) // 2, -(place // 2)
    )  # rows 0, 1, -1, 2, -2, ...
    return heights


def intervals(
    scores: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    hits: np.ndarray,
    whole: float,
    *,
    unit: str,
    form: str = ".2f",
    frame: tuple[float, float] | None = None,
) -> go.Figure:
    """The interval of each sample, and whether it contains the score on the whole test set (Koehn
    2004, Fig. 6).

    `frame` are the ends of an axis that several figures share.
    """
    figure, named = _start(), Labels()
    for hit, color, symbol, words in (
        (True, BLUE, "circle", "contains the score of the whole set"),
        (False, VERMILLION, "x", "does not"),
    ):
        chosen = np.flatnonzero((hits == hit) & np.isfinite(low))
        ends = low[chosen], high[chosen]
        figure.add_trace(
            _dots(
                chosen + 1,
                scores[chosen],
                f"sample %{{x}}: %{{y:{form}}} [%{{customdata[0]:{form}}}, "
                f"%{{customdata[1]:{form}}}], {words}",
                color,
                symbol,
                6 if hit else 10,
                words,
                error_y=_bars(scores[chosen], *ends, color, width=2),
                customdata=np.stack(ends, axis=-1),
            )
        )
        if frame is not None and not len(
            chosen
        ):  # the key of each figure has as many lines, so that axes are level
            figure.add_trace(_dots([None], [None], "", color, symbol, 6 if hit else 10, words))
    if frame is not None:
        margin = 0.05 * (frame[1] - frame[0]) or 1.0
        figure.update_yaxes(range=[frame[0] - margin, frame[1] + margin])
    return _by_sample(
        figure, len(scores), whole, f"whole test set, {whole:{form}}", named(unit), named
    )


def outcomes(
    values: np.ndarray,
    verdicts: np.ndarray,
    line: float,
    words: str,
    *,
    what: str,
    unit: str = "",
    bounds: Sequence[float] = (),
    form: str = ".2f",
) -> go.Figure:
    """One value for each sample, marked by what the sample concluded (Koehn 2004, Figs 4, 7 and 8).

    Shapes: `values` (samples,), `verdicts` (samples,).
    """
    figure = _start()
    for verdict, mark in _MARKS.items():
        chosen = np.flatnonzero((verdicts == verdict) & np.isfinite(values))
        figure.add_trace(
            _dots(
                chosen + 1,
                values[chosen],
                f"sample %{{x}}: %{{y:{form}}}, {_WORDS[verdict]}",
                *mark,
                name=_WORDS[verdict],
            )
        )
    for bound in bounds:
        _mark_y(figure, bound, BLUE, "dash", 1.5)
    named = Labels()
    return _by_sample(
        figure, len(values), line, words, f"{what} ({named(unit)})" if unit else what, named
    )


def ratios(
    rows: Mapping[str, Sequence[tuple[int, float, float, float]]],
    chosen: str,
    middle: Mapping[int, float],
) -> go.Figure:
    """How much wider blocks spread than broad samples, by size, on log axes."""
    figure, named = _start(), Labels()
    others = [
        (size, ratio, full(name))
        for name, points in rows.items()
        if name != chosen
        for size, ratio, *_ in points
    ]
    figure.add_trace(
        _dots(
            [x for x, *_ in others],
            [y for _, y, _ in others],
            "%{customdata[0]}, %{x} segments: %{y:.2f}",
            GREY,
            size=6,
            name="other systems",
            customdata=[[name] for *_, name in others],
            marker_opacity=0.5,
        )
    )
    figure.add_trace(
        go.Scatter(
            x=list(middle),
            y=list(middle.values()),
            mode="lines",
            name="median of all systems",
            line=dict(color=GREY, width=2),
            hovertemplate="median: %{y:.2f}<extra></extra>",
        )
    )
    size, ratio, low, high = np.array(rows.get(chosen) or np.empty((0, 4)), dtype=float).T
    figure.add_trace(
        _dots(
            size,
            ratio,
            "%{x} segments: %{y:.2f} [%{customdata[0]:.2f}, %{customdata[1]:.2f}]",
            name=named(chosen),
            error_y=_bars(ratio, low, high, BLUE, width=3),
            customdata=np.stack([low, high], axis=-1),
        )
    )
    _mark_y(figure, 1, GREY)
    known = [
        1.0,
        *(end for points in rows.values() for row in points for end in row[1:2]),
        *low,
        *high,
    ]
    known = [
        value for value in known if value > 0
    ]  # blocks that all have the same score have no place on this axis
    bottom, top = np.log10(min(known) * 0.9), np.log10(max(known) * 1.1)
    marks = [mark for mark in (0.2, 0.5, 1, 2, 3, 5, 10, 20, 50) if bottom <= np.log10(mark) <= top]
    figure.update_yaxes(_log_axis(marks, "{:g}", range=[bottom, top]))
    sizes = list(middle)[:: -math.ceil(len(middle) / _SAMPLE_TICKS) or None]
    figure.update_xaxes(_log_axis(sizes, showgrid=False))
    _set_size(
        figure, 320, top=30, bottom=46, below="spread of blocks / of broad samples, by segments"
    )
    return named.below(figure)


def _by_sample(
    figure: go.Figure, n: int, line: float, words: str, what: str, named: Labels
) -> go.Figure:
    """Samples from left to right, and a level to compare them with."""
    _mark_y(figure, line, GREY)
    figure.add_trace(
        go.Scatter(
            x=[None],
            y=[None],
            mode="lines",
            name=words,
            hoverinfo="skip",
            line=dict(color=GREY, width=2, dash="dot"),
        )
    )  # in the key, which has lines on a phone
    figure.update_xaxes(range=[0.3, n + 0.7], showgrid=False, tickformat="d", nticks=min(n + 1, 12))
    # The key has three lines where two such figures are side by side: clear of the camera above
    # them.
    _set_size(figure, 308, top=58, bottom=46, left=LEFT + _TURNED, below="sample", showlegend=True)
    _write_beside(figure, what)
    return named.below(figure)


# Sweeps: scores, how often a pair is significant, and widths of intervals by size, on log axes; and
# by references.


End = tuple[float, str, str]  # of a line: its height, name and colour

_FEW, _LEAD = (
    12,
    0.06,
)  # so many names are set large; how far to the right a name stands that had to move
_EACH = 14  # pixels of a name beside its line
_SWEEP_NAMES, _HALF_PAGE = (
    18,
    36,
)  # widest name beside its line, and of a figure in half of the page, in digits
_BANDS = {BLUE: "rgba(0,114,178,0.25)", VERMILLION: "rgba(213,94,0,0.22)"}
_UNDRAWN = "rgba(128,128,128,0.18)"
_PALE = 0.35
_SWEEP_TICKS = 4
_STEPS = [m * 10**k for k in range(7) for m in (1, 2, 5)]
_SHARES = [m * 10.0**k for k in range(-3, 3) for m in (1, 2, 5)]


def decisions(
    rows: Sequence[Detection],
    power: float,
    needed: int | None = None,
    *,
    unit: str,
    between: tuple[int | None, int | None] = (None, None),
    whole: float = math.inf,
    beyond: Sequence[Detection] = (),
) -> go.Figure:
    """Share of random test sets on which a difference is found, on which opposite to the whole, and
    what is planned; dashed `beyond` the sizes drawn.
    """
    x = [row.size for row in (*rows, *beyond)]
    figure = _start()
    figure.add_trace(
        _line([row.size for row in rows], [100 * row.planned for row in rows], GREY, 2, "dot")
    )
    apart, alike = (
        [row for row in rows if (row.size > whole / 2) is much] for much in (False, True)
    )
    for part, opacity in ((apart, 1.0), *[(alike, _PALE)] * bool(alike)):
        figure.add_trace(
            _shares(
                part,
                [row.significant for row in part],
                BLUE,
                f"found on %{{customdata}} of {unit}",
                opacity=opacity,
            )
        )
        figure.add_trace(
            _shares(
                part,
                [row.wrong for row in part],
                VERMILLION,
                "opposite: %{customdata}",
                marker=dict(symbol="diamond", size=7),
                opacity=opacity,
            )
        )  # what lies under it is seen
    _mark_y(figure, 100 * power, GREY, "solid", 1)
    for at, side, glyph, text, colour in (
        (0, "left", "●", "significant", BLUE),
        (1, "right", "┈┈", "planned", GREY),
        (0.43, "center", "◆", "opposite to the whole set", VERMILLION),
    ):
        _write(
            figure,
            at,
            1.02,
            f'<span style="color:{colour}">{glyph}</span> {text}',
            side,
            xref="paper",
            yref="paper",
            xshift=-LEFT * (side == "left"),
        )  # a phone has room for all three
    shares = [0, 20, 50, 80, 100]
    figure.update_yaxes(
        range=[-4, 106], tickvals=shares, ticktext=[f"{share}%" for share in shares]
    )
    _finish(figure, x, f"{unit} in a test set", 300 + 18 * bool(beyond), top=30 + 18 * bool(beyond))
    figure.update_layout(margin_l=LEFT + _TURNED)
    _write_beside(figure, "found")
    if beyond:
        figure.add_trace(
            _line(
                [row.size for row in beyond], [100 * row.planned for row in beyond], GREY, 2, "dash"
            )
        )
        _write(
            figure,
            1,
            1.02,
            f'<span style="color:{GREY}">╌╌</span> extrapolated',
            "right",
            xref="paper",
            yref="paper",
            yshift=18,
        )
    if (drawn := sum(row.significant.n > 0 for row in rows)) < len(rows):
        _mark_undrawn(figure, [row.size for row in rows], drawn)
    if needed is not None and x:
        if between[0] is not None and between[0] < max(x):
            figure.add_shape(
                type="line",
                x0=max(between[0], min(x)),
                x1=min(between[1] or max(x), max(x)),
                y0=100 * power,
                y1=100 * power,
                line=dict(color=GREY, width=7),
                opacity=0.5,
            )
        _mark_needed(figure, needed, x, 100 * power, unit)
    return figure


def _mark_undrawn(figure: go.Figure, sizes: Sequence[int], drawn: int) -> None:
    """A band over the last sizes, of which no test set is drawn yet, so that nobody concludes from
    the rest.
    """
    left = sizes[0] / 10 if not drawn else math.sqrt(math.prod(sizes[drawn - 1 : drawn + 1]))
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
    _write(
        figure,
        1,
        0.45,
        "still being<br>drawn",
        "right",
        "middle",
        xref="x domain",
        xshift=-12,
        yref="y domain",
        font_size=15,
    )


def _mark_needed(
    figure: go.Figure, needed: int, sizes: Sequence[int], height: float, unit: str
) -> None:
    """A line down from where the curve meets the power; an arrow at the edge where that is beyond
    the figure.
    """
    beyond, short = needed > max(sizes), needed < min(sizes)
    at = max(sizes) if beyond else min(sizes) if short else needed
    if at == needed:
        _mark_x(figure, at, -4, height, GREY)
    text = f"{'← ' * short}about {needed:,} {unit}{' →' * beyond}"
    foot = (
        height if beyond else 0.25 * height
    )  # under the curve no dots lie: they rise through the line of the power
    left = math.log(at) > (math.log(max(sizes)) + math.log(min(sizes))) / 2
    _write(
        figure,
        math.log10(at),
        foot,
        f"<b>{text}</b>",
        "right" if left else "left",
        xshift=-6 if left else 6,
    )


def scores(
    rows: Sequence[SystemSize],
    emphasised: Mapping[str, str],
    *,
    unit: str,
    metric: str,
    lower: bool = False,
) -> go.Figure:
    """Mean score by size with a ribbon of the middle 90% of test sets (Zhang and Vogel 2004, Figs 4
    to 7).
    """
    names = list(dict.fromkeys(row.system for row in rows))
    figure, named = _start(), Labels(_SWEEP_NAMES, among=names)
    ends: list[End] = []
    form = written_like(row.score for row in rows if row.score is not None)
    for name in sorted(names, key=lambda name: name in emphasised):
        mine = [(row, row.score) for row in rows if row.system == name and row.score is not None]
        x, colour = [row.size for row, _ in mine], emphasised.get(name, GREY)
        if name in emphasised:
            low, high = (
                [getattr(row, end) for row, _ in mine] for end in ("score_low", "score_high")
            )
            figure.add_trace(
                go.Scatter(
                    x=[*x, *x[::-1]],
                    y=[*low, *high[::-1]],
                    fill="toself",
                    mode="lines",
                    line_width=0,
                    fillcolor=_BANDS[colour],
                    hoverinfo="skip",
                    showlegend=False,
                )
            )
        line = _line(x, [score for _, score in mine], colour, 3 if name in emphasised else 1.5)
        line.update(
            hoverinfo=None, hovertemplate=f"{full(name)}: %{{y:{form}}} at %{{x:,}}<extra></extra>"
        )
        figure.add_trace(line)
        ends += [(mine[-1][1], name, colour)] if mine else []
    tall = max(330, 70 + _EACH * len(ends))
    _name_lines(figure, ends, tall - 56, named)
    right = 32 + round(8 * min(_SWEEP_NAMES, max((width(name) for _, name, _ in ends), default=0)))
    upwards = f"{named(metric, 12)} upwards{', lower is better' * lower}"
    _finish(
        figure, [row.size for row in rows], f"{unit} in a test set; {upwards}", tall, right=right
    )
    return named.below(figure, _HALF_PAGE)


def widths(
    rows: Sequence[SystemSize],
    slope: Slope,
    published: Sequence[tuple[float, float]],
    *,
    unit: str,
    theirs: str,
) -> go.Figure:
    """Relative width of one system's interval against the size, with the fitted line."""
    mine = [(row.size, 100 * row.width) for row in rows if row.width]
    paper = [(size, 100 * width) for size, width in published]
    x, y = [size for size, _ in mine], [width for _, width in mine]
    figure = _start()
    if paper:
        figure.add_trace(
            _dots(
                *_columns(paper),
                f"{full(theirs)}: %{{y:.2f}}% at %{{x:,}}",
                GREY,
                "diamond-open",
                9,
                full(theirs),
                "dot",
            )
        )
    if mine and slope.slope is not None:
        middle = [sum(map(math.log, values)) / len(mine) for values in (x, y)]
        fitted = [math.exp(middle[1] + slope.slope * (math.log(size) - middle[0])) for size in x]
        figure.add_trace(
            _line(x, fitted, BLUE, 2).update(name=f"slope {slope.slope:.2f}", showlegend=True)
        )
    figure.add_trace(_size_dots(x, y, BLUE, "width %{y:.2f}% of the score"))
    figure.update_yaxes(_log_axis(_SHARES, "{:g}%"))
    return _finish(figure, x + [size for size, _ in paper], f"{unit} in a test set", 344, top=42)


def references(
    ours: Sequence[tuple[int, float, float, float]],
    theirs: Sequence[tuple[int, float, float, float]],
    *,
    metric: str,
    source: str,
) -> go.Figure:
    """Score of one system and its interval by number of references (Zhang and Vogel 2004, Fig.

    8).
    """
    figure = _start()
    drawn = ((theirs, GREY, "diamond-open", source, 0.06), (ours, BLUE, "circle", "ours", 0.0))
    for rows, colour, symbol, name, shift in (one for one in drawn if one[0]):
        x, y = [row[0] + shift for row in rows], [row[1] for row in rows]
        hover = [
            f"{row[1]:{written_like([row[1]])}} [{100 * row[2]:+.2f}%, {100 * row[3]:+.2f}%]"
            for row in rows
        ]
        low, high = ([row[1] * (1 + row[end]) for row in rows] for end in (2, 3))
        figure.add_trace(
            _dots(
                x,
                y,
                f"{full(name)}: %{{customdata}}",
                colour,
                symbol,
                name=name,
                line="dot",
                customdata=hover,
                showlegend=False,
                error_y=_bars(y, low, high, colour, 2, 6),
            )
        )
        _write(figure, x[-1], y[-1], full(name), "left", "middle", xshift=12)
    counts = sorted({row[0] for row in (*ours, *theirs)})
    figure.update_xaxes(tickvals=counts, range=[counts[0] - 0.25, counts[-1] + 0.25])
    named = Labels()
    _set_size(
        figure, 300, right=190 if theirs else 60, below=f"references; {named(metric)} upwards"
    )
    return named.below(figure)


def _line(
    x: Sequence[float], y: Sequence[float], colour: str, width: float, dash: str = "solid"
) -> go.Scatter:
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        line=dict(color=colour, width=width, dash=dash),
        hoverinfo="skip",
        showlegend=False,
    )


def _size_dots(
    x: Sequence[int], y: Sequence[float], colour: str, hover: str, **more: Any
) -> go.Scatter:
    return _dots(
        x, y, f"%{{x:,}}: {hover}", colour, marker_line=dict(color="white", width=1), **more
    )


def _shares(
    rows: Sequence[Detection], shares: Sequence[Rate], colour: str, hover: str, **more: Any
) -> go.Scatter:
    """Dots with the Monte Carlo intervals of shares; a set that was drawn once is no estimate, and
    has none.
    """
    known = [
        (row.size, 100 * one.share, 100 * one.low, 100 * one.high, one.n)
        for row, one in zip(rows, shares, strict=True)
        if one.share is not None and one.low is not None and one.high is not None
    ]
    values = [value for _, value, *_ in known]
    low, high = ([row[end] if row[4] > 1 else row[1] for row in known] for end in (2, 3))
    return _size_dots([size for size, *_ in known], values, colour, hover, **more).update(
        customdata=[
            f"{value:.0f}% [{low:.0f}%, {high:.0f}%]" if n > 1 else f"{value:.0f}%, once"
            for _, value, low, high, n in known
        ],
        error_y=_bars(values, low, high, colour, width=4),
    )


def _name_lines(figure: go.Figure, ends: Sequence[End], pixels: int, named: Labels) -> None:
    """All names at the right ends of their lines, kept apart on a figure so high; a name that had
    to move has a thin line to its own.
    """
    if not ends:
        return
    drawn = [value for trace in figure.data for value in trace.y]
    span = (max(drawn) - min(drawn)) or 1.0
    few = len(ends) <= _FEW
    step = span * (18 if few else _EACH) / pixels * 1.1
    heights: list[float] = []
    shown = sorted(ends, reverse=True)
    for value, *_ in shown:
        heights.append(min(value, heights[-1] - step) if heights else value)
    low = min(drawn) - max(0.05 * span, step)
    for k in range(len(shown) - 1, -1, -1):  # back up from the lower edge
        heights[k] = max(heights[k], low if k == len(shown) - 1 else heights[k + 1] + step)
    for (value, name, colour), height in zip(shown, heights, strict=True):
        moved = not few or abs(height - value) > 0.3 * step
        if moved:
            figure.add_shape(
                type="line",
                xref="paper",
                x0=1,
                x1=1 + _LEAD,
                y0=value,
                y1=height,
                line=dict(color=colour, width=1),
            )
        _write(
            figure,
            1 + _LEAD * moved,
            height,
            named(name),
            "left",
            "middle",
            xref="paper",
            xshift=4,
            font_size=(11 if not few else 14) + (colour != GREY),
        )
    figure.update_yaxes(range=[low - step / 2, max(max(drawn), heights[0]) + 0.05 * span])


def _finish(
    figure: go.Figure, sizes: Sequence[float], text: str, height: int, top: int = 8, right: int = 8
) -> go.Figure:
    ticks = [size for size in _STEPS if min(sizes, default=1) <= size <= max(sizes, default=1)]
    # beside names a phone has room for few
    ticks = ticks[:: math.ceil(len(ticks) / _SWEEP_TICKS)] if right > 8 else ticks
    low, high = math.log10(min(sizes, default=1)), math.log10(max(sizes, default=10))
    figure.update_xaxes(_log_axis(ticks, range=[low - 0.04, high + 0.04]))
    _set_size(figure, height, right=right, top=top, below=text)
    return figure


# Shares of repeats with their Monte Carlo intervals, held against a level and against a paper; and
# counts.


#: (text, share, low, high, what another source has); None where unknown.
Row = tuple[str, float | None, float | None, float | None, float | None]

_GAP = 0.035  # between panels, as a share of the width
#: How series of p-values are marked: three of ours, two of a paper.
_SERIES: tuple[dict[str, Any], ...] = (
    dict(symbol="circle", color=BLUE),
    dict(symbol="x", color=VERMILLION),
    dict(symbol="circle-open", color=BLUE, line_width=2),
    dict(symbol="diamond-open", color=GREY, line_width=2),
    dict(symbol="x-open", color=GREY, line_width=1.5),
)
_TITLES = 33  # digits of the titles of all panels in a line, so that a phone has room for them
_LINE = 18  # pixels of a line of a name
_TOLD = 0.02  # of the longest bar: parts as short as that have no room for their number
_FILLS = (BLUE, VERMILLION, GREY)


def rates(
    rows: Sequence[Row],
    level: float | None = None,
    *,
    other: str = "",
    against: Sequence[Row] = (),
    words: tuple[str, str] = ("", ""),
    what: str = "",
    beside: str = "",
) -> go.Figure:
    """One line for each share: a dot with its interval, and a diamond where another source has a
    number.

    `beside` says what names the lines.
    """
    figure, named = _lines([row[0] for row in rows])
    _share_dots(figure, rows, "x", [_colour(row, level) for row in rows], name=words[0])
    if against:
        _share_dots(figure, against, "x", [VERMILLION] * len(against), symbol="x", name=words[1])
    theirs = [
        (k, row[4]) for some in (rows, against) for k, row in enumerate(some) if row[4] is not None
    ]
    if theirs:
        figure.add_trace(
            _dots(
                [100 * value for _, value in theirs],
                [k for k, _ in theirs],
                f"{full(other)}: %{{x:.1f}}%",
                GREY,
                "diamond-open",
                11,
                marker_line_width=2,
            )
        )
        _write(figure, 1, 1, f"◇ {full(other)}", "right", xref="paper", yref="paper")
    if level is not None:
        _mark(figure, level, "x")
        _write(figure, 100 * level, 1, f"{100 * level:g}%", yref="paper")
    if beside:
        _write(figure, 0, 1, beside, "left", xref="paper", yref="paper", xshift=-named.left)
    figure.update_xaxes(ticksuffix="%")
    right = (
        0 if level is None else 0.25
    )  # clear of the name of the level, which is a small share where there are two
    figure.update_layout(showlegend=any(words), legend=_KEY | dict(x=right, y=1))
    return named.below(_of(figure, what))


def panels(
    rows_by_title: Mapping[str, Sequence[Row]],
    level: float,
    what: str = "",
    *,
    at_most: bool = False,
    predicted: Mapping[str, float] | None = None,
) -> go.Figure:
    """Shares in several situations side by side, on axes of one scale: a line for each text in all
    of them.
    """
    expected = predicted or {}
    lines = list(dict.fromkeys(row[0] for rows in rows_by_title.values() for row in rows))
    figure, named = _lines(lines, 14, 3)  # narrow: panels side by side need the room on a phone
    known = [
        100 * end
        for rows in rows_by_title.values()
        for row in rows
        for end in row[2:4]
        if end is not None
    ]
    marks = [100 * share for share in (level, *expected.values())]
    low, high = min(known + marks), max(known + marks)
    margin, width, above = 0.06 * (high - low) or 1.0, (1 + _GAP) / len(rows_by_title), 1
    for k, (title, rows) in enumerate(rows_by_title.items()):
        axis = "x" if k == 0 else f"x{k + 1}"
        figure.update_layout(
            {
                f"xaxis{axis[1:]}": dict(
                    domain=[k * width, (k + 1) * width - _GAP],
                    range=[low - margin, high + margin],
                    tickfont_size=13,
                    zeroline=False,
                    tickangle=0,
                    nticks=4,
                )
            }
        )
        by_text = {row[0]: row for row in rows}  # a panel may lack a line
        rows = [by_text.get(line, (line, None, None, None, None)) for line in lines]
        _share_dots(figure, rows, axis, [_colour(row, level, at_most) for row in rows])
        _mark(figure, level, axis)
        if title in expected:
            _mark_x(
                figure,
                100 * expected[title],
                0,
                1,
                GREY,
                "dash",
                xref=axis,
                yref="paper",
                layer="below",
            )
        titles = [
            *wrapped(title, _TITLES / len(rows_by_title)),
            *["╌ predicted"] * (title in expected),
        ]
        above = max(above, len(titles))
        _write(
            figure,
            (k + 0.5) * width - _GAP / 2,
            1,
            "<br>".join(full(line.strip()) for line in titles),
            xref="paper",
            yref="paper",
        )
    more = _LINE * (above - 1)
    figure.update_layout(
        height=76 + more + max(26, named.lines * _LINE) * len(lines),
        showlegend=False,
        margin_t=28 + more,
    )
    return named.below(
        _of(figure, f"% {what}".rstrip())
    )  # not at each tick, which a phone has no room for


def p_values(p_by_metric: Mapping[str, Mapping[str, float | None]], alpha: float) -> go.Figure:
    """p-values on a log axis, a line for each case, and the level they are held against."""
    figure, named = _lines(list(p_by_metric))
    series = list(next(iter(p_by_metric.values())))
    for mark, name in zip(_SERIES, series, strict=False):
        known = [
            (k, parts[name])
            for k, parts in enumerate(p_by_metric.values())
            if parts[name] is not None
        ]
        figure.add_trace(
            _dots(
                [p for _, p in known],
                [k for k, _ in known],
                f"{full(name)}: p = %{{x:.4f}}",
                size=11,
                name=full(name),
                marker=mark,
            )
        )
    _mark_x(figure, alpha, 0, 1, BLUE, "dot", yref="paper")
    ticks = sorted({1e-5, 1e-4, 1e-3, 0.01, 0.02, alpha, 0.1, 0.2, 0.5, 1.0})
    figure.update_xaxes(_log_axis(ticks, "{:g}"))
    _set_size(
        figure,
        110 + 26 * len(p_by_metric),
        named.left,
        ENDS,
        32,
        46,
        showlegend=True,
        below=f"p on a log axis; dotted: the level, {alpha:g}",
    )
    return named.below(figure)


def counts(parts: Mapping[str, Mapping[str, int]], what: str) -> go.Figure:
    """A bar for each case, from top to bottom, cut into parts."""
    (figure, named), whole = (
        _lines(list(parts)),
        max(sum(parts.values()) for parts in parts.values()),
    )
    for color, part in zip(_FILLS, next(iter(parts.values())), strict=False):
        values = [parts[part] for parts in parts.values()]
        figure.add_trace(
            go.Bar(
                y=list(range(len(parts))),
                x=values,
                orientation="h",
                name=full(part),
                text=[v if v > _TOLD * whole else "" for v in values],
                textposition="inside",
                textangle=0,
                insidetextanchor="middle",
                textfont=dict(size=14, color="white"),
                marker=dict(color=color, line_width=0),
                constraintext="none",
                hovertemplate=f"%{{x}} {full(part)}<extra></extra>",
            )
        )
    _set_size(
        figure,
        92 + 30 * len(parts),
        named.left,
        ENDS,
        32,
        46,
        below=what,
        barmode="stack",
        bargap=0.25,
        showlegend=True,
        legend_traceorder="normal",
    )
    return named.below(figure)


def _lines(texts: Sequence[str], widest: int = 34, most: int = 2) -> tuple[go.Figure, Labels]:
    """A figure with a line for each text, from top to bottom, and what names them."""
    figure, named = _start(), Labels(widest, most, texts)
    figure.update_yaxes(
        tickvals=list(range(len(texts))),
        ticktext=[named(text) for text in texts],
        range=[len(texts) - 0.5, -0.5],
    )
    _set_size(
        figure, 74 + max(19, _LINE * named.lines - 1) * len(texts), named.left, ENDS, 28, BELOW
    )
    return figure, named


def _of(figure: go.Figure, what: str) -> go.Figure:
    """Say below the axis what the shares are of, and make room for it."""
    if what:
        measured(figure, what)
        figure.update_layout(height=figure.layout.height + 10, margin_b=46)
    return figure


def _share_dots(
    figure: go.Figure,
    rows: Sequence[Row],
    axis: str,
    colors: Sequence[str],
    symbol: str = "circle",
    name: str = "",
) -> None:
    """Shares with their intervals, each on its line."""
    known = [
        (k, full(text), 100 * share, 100 * low, 100 * high)
        for k, (text, share, low, high, _) in enumerate(rows)
        if share is not None and low is not None and high is not None
    ]
    places, texts, shares, lows, highs = zip(*known, strict=True) if known else ((),) * 5
    figure.add_trace(
        _dots(
            shares,
            places,
            "%{customdata[0]}: %{x:.1f}% [%{customdata[1]}, %{customdata[2]}]",
            [colors[k] for k in places],
            symbol,
            name=name,
            xaxis=axis,
            error_x=_bars(shares, lows, highs, GREY),
            customdata=[
                [text, f"{low:.1f}%", f"{high:.1f}%"]
                for text, low, high in zip(texts, lows, highs, strict=True)
            ],
        )
    )


def _mark(figure: go.Figure, level: float, axis: str) -> None:
    _mark_x(figure, 100 * level, 0, 1, BLUE, "dot", xref=axis, yref="paper")


def _colour(row: Row, level: float | None, at_most: bool = False) -> str:
    """Vermillion where the whole interval lies off the level, or above it."""
    _, _, low, high, _ = row
    if level is None or low is None or high is None:
        return BLUE
    return BLUE if low <= level and (at_most or level <= high) else VERMILLION


# Inside a score: precisions by order, scores by length, two rankings, intervals of a mean,
# Student's t.


_TAIL = "rgba(213,94,0,0.35)"
_DEEPEST = 30  # how many times smaller a precision may be than the chosen system's to be drawn
_METRIC_NAMES = 17.5  # widest name beside its line, in digits
_NAMED = 12  # systems up to which all lines of a ranking are named


def by_order(systems: Sequence[tuple[str, Sequence[float | None]]], chosen: str) -> go.Figure:
    """Precision of n-grams by their length, a line for each system on a log axis; one stands
    out.
    """
    figure, named = _start(), Labels(30)
    for name, percents in sorted(systems, key=lambda row: row[0] == chosen):
        mine = name == chosen
        figure.add_trace(
            _dots(
                list(range(1, len(percents) + 1)),
                [value or None for value in percents],
                f"{full(name)}: %{{y:.1f}}% of the %{{x}}-grams",
                BLUE if mine else GREY,
                size=10 if mine else 5,
                name=named(name) if mine else "",
                line="solid",
                line_width=3 if mine else 1.2,
            )
        )
        if mine:
            for n, value in enumerate(percents, 1):
                if value:
                    _write(figure, n, np.log10(value), f"<b>{value:.1f}%</b>", "left", xshift=8)
    figure.update_xaxes(
        tickvals=[1, 2, 3, 4],
        ticktext=["unigrams", "bigrams", "trigrams", "four-grams"],
        range=[0.5, 4.5],
        tickfont_size=14,
        tickangle=0,
    )
    # Systems that hardly match anything leave the frame below: they would squeeze all others.
    seen = [value for _, percents in systems for value in percents if value]
    own = (
        [value for name, percents in systems for value in percents if value and name == chosen]
        or seen
        or [1.0]
    )
    low, high = (
        max(min(seen, default=1.0), min(own) / _DEEPEST) * 0.85,
        max(seen, default=100.0) * 1.2,
    )
    figure.update_yaxes(_log_axis(_SHARES[:-2], "{:g}%", range=[math.log10(low), math.log10(high)]))
    _set_size(
        figure, 306, right=ENDS, top=30, bottom=BELOW + 6, showlegend=True
    )  # for names that never turn
    return named.below(figure)


def by_length(
    lines: Sequence[tuple[str, str, Sequence[float], Sequence[float]]], *, paper: bool = True
) -> go.Figure:
    """Scores by length ratio: a colour for each system, BLEU solid and GTM broken, all on one
    axis.
    """
    figure, named = _start(), Labels(_METRIC_NAMES)
    colours = dict(zip(dict.fromkeys(line[0] for line in lines), (BLUE, VERMILLION), strict=False))
    for system, metric, ratios, scores in lines:
        first = metric == lines[0][1]
        figure.add_trace(
            _dots(
                list(ratios),
                list(scores),
                f"{full(system)}, {full(metric)}: %{{y:.2f}} at %{{x:.2f}}",
                colours[system],
                "circle" if first else "diamond-open",
                9,
                f"{full(metric)} {named(system)}",
                line="solid" if first else "dash",
                line_width=3 if first else 2,
            )
        )
    low, high = min(line[2][0] for line in lines), max(line[2][-1] for line in lines)
    low, high = (min(low, 0.85), max(high, 1.2)) if paper else (low, high)
    span = high - low or 1.0
    _mark_x(figure, 1, 0, 1, GREY, width=1, yref="paper", layer="below")
    # Beside the line where half of the text would leave the figure.
    side = "right" if 1 - low > 0.75 * span else "left" if 1 - low < 0.25 * span else "center"
    _write(
        figure,
        1,
        0,
        "as long as the reference",
        side,
        yref="paper",
        xshift={"right": -4, "left": 4, "center": 0}[side],
    )
    figure.update_xaxes(
        range=[low - 0.03 * span, high + 0.03 * span],
        showgrid=False,
        **(dict(tickvals=[round(0.85 + 0.05 * k, 2) for k in range(8)]) if paper else {}),
    )
    figure.update_yaxes(ticksuffix=" ", title_text="points", title_font_size=14)
    _set_size(
        figure, 376, top=78, below="length ratio: words of output / reference", showlegend=True
    )
    return named.below(figure)


def rankings(
    rows: Sequence[tuple[str, float, float]], emphasised: Sequence[str] = (), *, unit: str
) -> go.Figure:
    """Corpus score on the left, mean of sentence scores on the right: lines that cross are pairs
    that disagree.
    """
    colours = dict(zip(emphasised, (BLUE, VERMILLION), strict=False))
    figure, named = _start(), Labels(_METRIC_NAMES, among=[name for name, *_ in rows])
    form = written_like(score for _, *scores in rows for score in scores)
    for name, *scores in sorted(rows, key=lambda row: row[0] in colours):
        colour = colours.get(name, GREY)
        figure.add_trace(
            _dots(
                [0, 1],
                scores,
                f"{full(name)}: %{{y:{form}}}",
                colour,
                size=8,
                line="solid",
                line_width=3 if name in colours else 1.2,
            )
        )
    shown = [row for row in rows if len(rows) <= _NAMED or row[0] in colours]
    values = [score for _, *scores in rows for score in scores]
    step = 0.07 * (max(values) - min(values) or 1.0)
    for side, anchor, shift in ((0, "right", -10), (1, "left", 10)):
        above = np.inf
        for name, *scores in sorted(shown, key=lambda row: -row[1:][side]):
            above = min(scores[side], above - step)
            text = f"{named(name)} {scores[side]:{form}}"
            _write(
                figure,
                side,
                above,
                f"<b>{text}</b>" if name in colours else text,
                anchor,
                "middle",
                xshift=shift,
            )
    figure.update_xaxes(
        range=[-1.8, 2.8],
        tickvals=[0, 1],
        tickfont_size=14,
        showgrid=False,
        side="top",
        tickangle=0,
        ticktext=[f"corpus<br>{named(unit)}", f"mean of<br>sentence {named(unit)}"],
    )
    figure.update_yaxes(visible=False)
    _set_size(figure, 326, 8, 8, 48, 8)
    return named.below(figure, _HALF_PAGE)


def mean_intervals(
    rows: Sequence[tuple[str, float, Sequence[tuple[str, float | None, float | None]]]],
    *,
    unit: str,
) -> go.Figure:
    """Intervals of means, those of one size below each other: Student's t and bootstraps."""
    kinds = list(dict.fromkeys(kind for _, _, ends in rows for kind, *_ in ends))
    form = written_like(mean for _, mean, _ in rows)
    figure = _start()
    for place, (kind, mark) in enumerate(
        zip(kinds, ((BLUE, "circle"), (VERMILLION, "diamond"), (GREY, "square")), strict=False)
    ):
        known = [
            (k, mean, low, high)
            for k, (_, mean, ends) in enumerate(rows)
            for name, low, high in ends
            if name == kind and low is not None and high is not None
        ]
        means, ends = [mean for _, mean, *_ in known], [[low, high] for *_, low, high in known]
        figure.add_trace(
            _dots(
                means,
                [k + 0.24 * (place - 0.5) for k, *_ in known],
                f"{kind}: %{{x:{form}}} [%{{customdata[0]:{form}}}, %{{customdata[1]:{form}}}]",
                *mark,
                9,
                kind,
                customdata=ends,
                error_x=_bars(means, *_columns(ends), mark[0], 2.5, 5),
            )
        )
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[full(text) for text, *_ in rows],
        tickfont_size=14,
        range=[len(rows) - 0.3, -0.5],
        showgrid=False,
    )
    named = Labels()
    _set_size(figure, 110 + 48 * len(rows), 8, top=30, below=named(unit), showlegend=True)
    return named.below(figure)


def student_density(
    x: np.ndarray, t: np.ndarray, normal: np.ndarray, t_factor: float, normal_factor: float, n: int
) -> go.Figure:
    """Student's t beside the normal distribution, the tails beyond its factor filled (Koehn 2004,
    Fig. 5).
    """
    figure = _start()
    for tail in (x <= -t_factor, x >= t_factor):
        if tail.any():
            figure.add_trace(
                go.Scatter(
                    x=x[tail],
                    y=t[tail],
                    mode="lines",
                    line_width=0,
                    fill="tozeroy",
                    fillcolor=_TAIL,
                    hoverinfo="skip",
                    showlegend=False,
                )
            )
    for y, colour, dash, text in (
        (normal, GREY, "dot", "normal"),
        (t, BLUE, "solid", f"Student's t, n = {n}"),
    ):
        figure.add_trace(
            go.Scatter(
                x=x,
                y=y,
                mode="lines",
                line=dict(color=colour, width=3, dash=dash),
                name=text,
                hoverinfo="skip",
            )
        )
    for at, colour, dash, height in (
        (normal_factor, GREY, "dot", 0.20),
        (t_factor, VERMILLION, "solid", 0.12),
    ):
        for side in (-1, 1):
            _mark_x(figure, side * at, 0, height, colour, dash)
        _write(figure, at, height, f"±{at:.4f}", "left", xshift=4)
    figure.update_xaxes(range=[float(x[0]), float(x[-1])], showgrid=False)
    figure.update_yaxes(visible=False, range=[0, 0.43])
    _set_size(figure, 270, 8, top=30, below="standard errors from the mean", showlegend=True)
    return figure
