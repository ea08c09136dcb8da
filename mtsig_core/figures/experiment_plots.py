"""Figures of the experiments: bootstrap, samples, sweeps, validation, inside a score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mtsig_core.experiments.frame import Rate
from mtsig_core.experiments.sweeps import FoundAtSize, Slope, SystemSize
from mtsig_core.figures.style import BELOW, ENDS, LEFT, Labels, full, measured, steps
from mtsig_core.report.cells import written_like
from mtsig_core.report.palette import BLUE, GREY, VERMILLION, width, wrapped

# The bootstrap of one score: its replicates with the interval, and how a bound settles with more of them.


_WIDTH_TICKS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]  # ticks, in percent
_SCORE_ROOM = 0.25  # room that a score of four digits and its percents need, as a part of what is drawn
_INSIDE, _OUTSIDE = "rgba(0,114,178,0.32)", "rgba(122,133,148,0.30)"


def replicates(edges: np.ndarray, counts: np.ndarray, score: float, median: float,
               interval: tuple[float, float] | None, about: tuple[float, float] | None = None, *,
               unit: str, form: str = ".2f") -> go.Figure:
    """Histogram of bootstrap scores, filled blue inside the interval (Zhang and Vogel 2004, Figs 1 and 2)."""
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
        _annotate(figure, at, 1.1 * top, f"{words} {at:{form}}", anchor)
    for at, anchor in () if interval is None else ((low, "right"), (high, "left")):
        figure.add_shape(type="line", x0=at, x1=at, y0=0, y1=0.5 * top, line=dict(color=BLUE, width=3))
        share = "" if about is None else f"  {100 * about[anchor == 'left']:+.2f}%"
        _annotate(figure, at, 0.5 * top, f"<b>{at:{form}}</b>{share}", anchor)
    ends = [*edges[[0, -1]].tolist(), score, *(interval or ())]
    width = max(ends) - min(ends) or 16.0
    drawn = [min(ends) - 0.06 * width, max(ends) + 0.06 * width]
    if interval is not None:  # what is said of its ends stands outside
        drawn = [min(drawn[0], low - _SCORE_ROOM * width), max(drawn[1], high + _SCORE_ROOM * width)]
    figure.update_xaxes(range=drawn, zeroline=False, showgrid=False,
                        tickfont_size=13, exponentformat="power")
    named = Labels()
    measured(figure, f"{named(unit)} of bootstrap samples")
    figure.update_yaxes(range=[0, 1.24 * top], visible=False)
    figure.update_layout(height=270, margin=dict(l=ENDS, r=ENDS, t=8, b=48), dragmode=False)
    return named.below(figure)


def settling(sizes: Sequence[int], ours: Sequence[float | None], ranges: Sequence[tuple[float, float] | None],
             theory: Sequence[float | None], published: Sequence[tuple[int, float]], *, unit: str) -> go.Figure:
    """Standard deviation of a relative bound against the number of resamples, on log axes."""
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
                        tickvals=_WIDTH_TICKS, ticktext=[f"{share:g}%" for share in _WIDTH_TICKS])
    measured(figure, "B, bootstrap samples")
    figure.update_layout(height=320, margin=dict(l=LEFT, r=8, t=8, b=48), dragmode=False, hovermode="closest")
    return figure


def _annotate(figure: go.Figure, x: float, y: float, text: str, anchor: str) -> None:
    figure.add_annotation(x=x, y=y, text=text, showarrow=False, font_size=14, yanchor="bottom", xanchor=anchor,
                          xshift=4 if anchor == "left" else -4)


# Samples of a test set: their scores, intervals, differences and conclusions (Koehn 2004, Figs 2 to 8).


_FAINT = "rgba(122,133,148,0.22)"
#: How a sample is marked that concludes as the whole set (1), the opposite (-1) or nothing (0): not by colour alone.
_MARKS = {1: dict(symbol="circle", color=BLUE, size=9), -1: dict(symbol="x", color=VERMILLION, size=11),
          0: dict(symbol="circle-open", color=GREY, size=8)}
_KINDS = (dict(color=BLUE, symbol="circle"), dict(color=VERMILLION, symbol="diamond"))
_DOT, _STEP = 0.009, 0.07  # width of a dot as a share of the axis, and its height as a share of a band
_SAMPLE_TICKS = 6  # at most, of sizes: a phone has room for as many
_WORDS = {1: "as the whole set", -1: "opposite", 0: "no conclusion"}


def spread(scores: Mapping[str, np.ndarray], whole: float, published: Mapping[str, tuple[float, float]] | None = None,
           *, unit: str, ghosts: Mapping[str, np.ndarray] | None = None, frame: Sequence[float] = (),
           form: str = ".2f") -> go.Figure:
    """Scores of samples of several kinds, one band above the other on one axis (Koehn 2004, Figs 2 and 3).

    Dots that would cover each other stand side by side: height says nothing else.

    Shapes: `scores` (samples,).
    """
    figure, published, named, old = go.Figure(), published or {}, Labels(), ghosts or {}
    known = [whole, *frame, *(v for values in old.values() for v in values[np.isfinite(values)]),
             *(v for values in scores.values() for v in values[np.isfinite(values)]),
             *(end for ends in published.values() for end in ends)]
    margin = 0.05 * (max(known) - min(known)) or 1.0
    for band, (kind, values) in enumerate(scores.items()):
        base = len(scores) - 1 - band
        if kind in published:
            low, high = published[kind]
            figure.add_shape(type="rect", x0=low, x1=high, y0=base + 0.06, y1=base + 0.94, fillcolor=_FAINT,
                             line_width=0, layer="below")
            outside = high < max(known) - 4 * margin  # clear of the dots where there is room
            figure.add_annotation(x=high, y=base + 0.06, text=f"Koehn: {low:g} to {high:g}", showarrow=False,
                                  xanchor="left" if outside else "right", yanchor="bottom", font_size=13,
                                  xshift=6 if outside else -4)
        dot = _DOT * (max(known) - min(known) + 2 * margin)
        if kind in old:
            figure.add_trace(go.Scatter(
                x=old[kind], y=base + 0.59 + _swarm(old[kind], dot), mode="markers", showlegend=False,
                marker=dict(size=7, symbol="circle-open", color=GREY, opacity=0.6),
                customdata=np.arange(1, len(old[kind]) + 1),
                hovertemplate=f"{full(kind)}, before the shuffle, sample %{{customdata}}: %{{x:{form}}}"
                              "<extra></extra>"))
        figure.add_trace(go.Scatter(
            x=values, y=base + 0.59 + _swarm(values, dot), mode="markers",
            marker=dict(size=7, opacity=0.95, **_KINDS[band % 2]),
            customdata=np.arange(1, len(values) + 1), showlegend=False,
            hovertemplate=f"{full(kind)}, sample %{{customdata}}: %{{x:{form}}}<extra></extra>"))
        figure.add_annotation(x=0, xref="paper", y=base + 0.6, text=f"<b>{named(kind, 14)}</b>", showarrow=False,
                              xanchor="right", font_size=16)
    figure.add_shape(type="line", x0=whole, x1=whole, y0=0, y1=len(scores), line=dict(color=GREY, width=2, dash="dot"))
    side = "left" if whole == min(known) else "right" if whole == max(known) else "center"  # not beyond the edge
    figure.add_annotation(x=whole, y=len(scores), text=f"whole test set {whole:{form}}", showarrow=False,
                          yanchor="bottom", xanchor=side, font_size=14)
    if old:
        figure.add_annotation(x=1, y=1, xref="paper", yref="paper", text="○ before the shuffle", showarrow=False,
                              xanchor="right", yanchor="top", font_size=14)
    figure.update_xaxes(range=[min(known) - margin, max(known) + margin], zeroline=False, tickfont_size=13)
    figure.update_yaxes(range=[0, len(scores) + 0.16], visible=False)
    measured(figure, f"{named(unit)} of a sample")
    figure.update_layout(height=300, margin=dict(l=120, r=8, t=8, b=46), dragmode=False, hovermode="closest")
    return named.below(figure)


def _swarm(values: np.ndarray, dot: float) -> np.ndarray:
    """Heights around 0, shape (samples,), at which dots of a width stand side by side; closer where they are many."""
    rows: list[float] = []  # where the last dot of each row ends
    place = np.zeros(len(values), dtype=int)
    for k in np.argsort(values).tolist():
        if np.isfinite(values[k]):
            place[k] = next((row for row, end in enumerate(rows) if end <= values[k]), len(rows))
            rows[place[k]:place[k] + 1] = [values[k] + dot]
    step = min(_STEP, 0.58 / max(len(rows), 1))
    heights: np.ndarray = step * np.where(place % 2, (place + 1) // 2, -(place // 2))  # rows 0, 1, -1, 2, -2, ...
    return heights


def intervals(scores: np.ndarray, low: np.ndarray, high: np.ndarray, hits: np.ndarray, whole: float, *,
              unit: str, form: str = ".2f") -> go.Figure:
    """The interval of each sample, and whether it contains the score on the whole test set (Koehn 2004, Fig. 6)."""
    figure, named = go.Figure(), Labels()
    for hit, color, symbol, words in ((True, BLUE, "circle", "hit"), (False, VERMILLION, "x", "miss")):
        chosen = np.flatnonzero((hits == hit) & np.isfinite(low))
        figure.add_trace(go.Scatter(
            x=chosen + 1, y=scores[chosen], mode="markers", name=words,
            marker=dict(color=color, symbol=symbol, size=6 if hit else 10),
            error_y=dict(type="data", symmetric=False, array=high[chosen] - scores[chosen],
                         arrayminus=scores[chosen] - low[chosen], color=color, thickness=1.5, width=2),
            customdata=np.stack([low[chosen], high[chosen]], axis=-1),
            hovertemplate=f"sample %{{x}}: %{{y:{form}}} [%{{customdata[0]:{form}}}, %{{customdata[1]:{form}}}], "
                          f"{words}<extra></extra>"))
    return _by_sample(figure, len(scores), whole, f"whole test set, {whole:{form}}", named(unit), named)


def outcomes(values: np.ndarray, verdicts: np.ndarray, line: float, words: str, *, what: str, unit: str = "",
             bounds: Sequence[float] = (), form: str = ".2f") -> go.Figure:
    """One value for each sample, marked by what the sample concluded (Koehn 2004, Figs 4, 7 and 8).

    Shapes: `values` (samples,), `verdicts` (samples,).
    """
    figure = go.Figure()
    for verdict, mark in _MARKS.items():
        chosen = np.flatnonzero((verdicts == verdict) & np.isfinite(values))
        figure.add_trace(go.Scatter(x=chosen + 1, y=values[chosen], mode="markers", name=_WORDS[verdict], marker=mark,
                                    hovertemplate=f"sample %{{x}}: %{{y:{form}}}, {_WORDS[verdict]}<extra></extra>"))
    for bound in bounds:
        figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=bound, y1=bound,
                         line=dict(color=BLUE, width=1.5, dash="dash"))
    named = Labels()
    return _by_sample(figure, len(values), line, words, f"{what} ({named(unit)})" if unit else what, named)


def ratios(rows: Mapping[str, Sequence[tuple[int, float, float, float]]], chosen: str,
           middle: Mapping[int, float]) -> go.Figure:
    """How much wider blocks spread than broad samples, by size, on log axes."""
    figure, named = go.Figure(), Labels()
    others = [(size, ratio, full(name)) for name, found in rows.items() if name != chosen for size, ratio, *_ in found]
    figure.add_trace(go.Scatter(
        x=[x for x, *_ in others], y=[y for _, y, _ in others], customdata=[[name] for *_, name in others],
        mode="markers", name="other systems", marker=dict(size=6, color=GREY, opacity=0.5),
        hovertemplate="%{customdata[0]}, %{x} segments: %{y:.2f}<extra></extra>"))
    figure.add_trace(go.Scatter(x=list(middle), y=list(middle.values()), mode="lines", name="median of all systems",
                                line=dict(color=GREY, width=2), hovertemplate="median: %{y:.2f}<extra></extra>"))
    size, ratio, low, high = np.array(rows.get(chosen) or np.empty((0, 4)), dtype=float).T
    figure.add_trace(go.Scatter(
        x=size, y=ratio, mode="markers", name=named(chosen), marker=dict(size=10, color=BLUE),
        error_y=dict(type="data", symmetric=False, array=high - ratio, arrayminus=ratio - low, color=BLUE,
                     thickness=1.5, width=3), customdata=np.stack([low, high], axis=-1),
        hovertemplate="%{x} segments: %{y:.2f} [%{customdata[0]:.2f}, %{customdata[1]:.2f}]<extra></extra>"))
    figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=1, y1=1, line=dict(color=GREY, width=2, dash="dot"))
    known = [1.0, *(end for found in rows.values() for row in found for end in row[1:2]), *low, *high]
    known = [value for value in known if value > 0]  # blocks that all have the same score have no place on this axis
    bottom, top = np.log10(min(known) * 0.9), np.log10(max(known) * 1.1)
    marks = [mark for mark in (0.2, 0.5, 1, 2, 3, 5, 10, 20, 50) if bottom <= np.log10(mark) <= top]
    figure.update_yaxes(type="log", range=[bottom, top], tickvals=marks, ticktext=[f"{mark:g}" for mark in marks],
                        tickfont_size=13, zeroline=False)
    sizes = list(middle)[::-math.ceil(len(middle) / _SAMPLE_TICKS) or None]
    figure.update_xaxes(type="log", tickvals=sizes, ticktext=[f"{x:,}" for x in sizes], tickfont_size=13,
                        zeroline=False, showgrid=False)
    measured(figure, "spread of blocks / of broad samples, by segments")
    figure.update_layout(height=320, margin=dict(l=LEFT, r=8, t=30, b=46), dragmode=False, hovermode="closest",
                         legend=dict(orientation="h", x=0, y=1.01, yanchor="bottom", font_size=14))
    return named.below(figure)


def _by_sample(figure: go.Figure, n: int, line: float, words: str, what: str, named: Labels) -> go.Figure:
    """Samples from left to right, and a level to compare them with."""
    figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=line, y1=line,
                     line=dict(color=GREY, width=2, dash="dot"))
    figure.add_trace(go.Scatter(x=[None], y=[None], mode="lines", name=words, hoverinfo="skip",
                                line=dict(color=GREY, width=2, dash="dot")))  # in the key, which has lines on a phone
    figure.update_xaxes(range=[0.3, n + 0.7], tickfont_size=13, zeroline=False, showgrid=False, tickformat="d",
                        nticks=min(n + 1, 12))
    figure.update_yaxes(tickfont_size=13, zeroline=False, title=None)
    measured(figure, f"{what}, by sample")
    figure.update_layout(height=280, margin=dict(l=LEFT, r=8, t=30, b=46), dragmode=False, hovermode="closest",
                         showlegend=True, legend=dict(orientation="h", x=0, y=1.01, yanchor="bottom", font_size=14))
    return named.below(figure)


# Sweeps: scores, how often a pair is significant, and widths of intervals by size, on log axes; and by references.


End = tuple[float, str, str]  # of a line: its height, name and colour

_FEW, _LEAD = 12, 0.06  # so many names are set large; how far to the right a name stands that had to move
_EACH = 14  # pixels of a name beside its line
_SWEEP_NAMES, _HALF_PAGE = 18, 36  # widest name beside its line, and of a figure in half of the page, in digits
_BANDS = {BLUE: "rgba(0,114,178,0.25)", VERMILLION: "rgba(213,94,0,0.22)"}
_UNDRAWN = "rgba(128,128,128,0.18)"
_PALE = 0.35
_SWEEP_TICKS = 4
_STEPS = [m * 10**k for k in range(7) for m in (1, 2, 5)]
_SHARES = [m * 10.0**k for k in range(-3, 3) for m in (1, 2, 5)]


def decisions(rows: Sequence[FoundAtSize], power: float, needed: int | None = None, *, unit: str,
              between: tuple[int | None, int | None] = (None, None), whole: float = math.inf) -> go.Figure:
    """Share of random test sets on which a difference is found, on which opposite to the whole, and what is planned."""
    x = [row.size for row in rows]
    figure = go.Figure()
    figure.add_trace(_line(x, [100 * row.planned for row in rows], GREY, 2, "dot"))
    apart, alike = ([row for row in rows if (row.size > whole / 2) is much] for much in (False, True))
    for part, opacity in ((apart, 1.0), *[(alike, _PALE)] * bool(alike)):
        figure.add_trace(_shares(part, [row.significant for row in part], BLUE, f"found on %{{customdata}} of {unit}",
                                 opacity=opacity))
        figure.add_trace(_shares(part, [row.wrong for row in part], VERMILLION, "opposite: %{customdata}",
                                 marker=dict(symbol="diamond", size=7), opacity=opacity))  # what lies under it is seen
    figure.add_shape(type="line", x0=0, x1=1, xref="x domain", y0=100 * power, y1=100 * power,
                     line=dict(color=GREY, width=1))
    for at, side, glyph, text, colour in ((0, "left", "●", "significant", BLUE), (1, "right", "┈┈", "planned", GREY),
                                          (0.43, "center", "◆", "opposite to the whole set", VERMILLION)):
        figure.add_annotation(x=at, y=1.02, xref="paper", yref="paper", yanchor="bottom", xanchor=side,
                              xshift=-LEFT * (side == "left"),  # a phone has room for all three
                              text=f'<span style="color:{colour}">{glyph}</span> {text}', showarrow=False, font_size=14)
    shares = [0, 20, 50, 80, 100]
    figure.update_yaxes(range=[-4, 106], tickvals=shares, ticktext=[f"{share}%" for share in shares], tickfont_size=13,
                        zeroline=False)
    _finish(figure, x, f"{unit} in a test set", 300, top=30)
    if (drawn := sum(row.significant.n > 0 for row in rows)) < len(rows):
        _mark_undrawn(figure, x, drawn)
    if needed is not None and x:
        if between[0] is not None and between[0] < max(x):
            figure.add_shape(type="line", x0=max(between[0], min(x)), x1=min(between[1] or max(x), max(x)),
                             y0=100 * power, y1=100 * power, line=dict(color=GREY, width=7), opacity=0.5)
        _mark_needed(figure, needed, x, 100 * power, unit)
    return figure


def _mark_undrawn(figure: go.Figure, sizes: Sequence[int], drawn: int) -> None:
    """A band over the last sizes, of which no test set is drawn yet, so that nobody concludes from the rest."""
    left = sizes[0] / 10 if not drawn else math.sqrt(math.prod(sizes[drawn - 1:drawn + 1]))
    figure.add_shape(type="rect", x0=left, x1=10 * sizes[-1], y0=0, y1=1, yref="y domain", layer="below", line_width=0,
                     fillcolor=_UNDRAWN)
    figure.add_annotation(x=1, xref="x domain", xanchor="right", xshift=-12, y=0.45, yref="y domain", font_size=15,
                          text="still being<br>drawn", showarrow=False)


def _mark_needed(figure: go.Figure, needed: int, sizes: Sequence[int], height: float, unit: str) -> None:
    """A line down from where the curve meets the power; an arrow at the edge where that is beyond the figure."""
    beyond, short = needed > max(sizes), needed < min(sizes)
    at = max(sizes) if beyond else min(sizes) if short else needed
    if at == needed:
        figure.add_shape(type="line", x0=at, x1=at, y0=-4, y1=height, line=dict(color=GREY, width=2))
    text = f"{'← ' * short}about {needed:,} {unit}{' →' * beyond}"
    foot = height if beyond else 0.25 * height  # under the curve no dots lie: they rise through the line of the power
    left = math.log(at) > (math.log(max(sizes)) + math.log(min(sizes))) / 2
    figure.add_annotation(x=math.log10(at), y=foot, text=f"<b>{text}</b>", showarrow=False, font_size=14,
                          xanchor="right" if left else "left", xshift=-6 if left else 6, yanchor="bottom")


def scores(rows: Sequence[SystemSize], emphasised: Mapping[str, str], *, unit: str, metric: str,
           lower: bool = False) -> go.Figure:
    """Mean score by size with a ribbon of the middle 90% of test sets (Zhang and Vogel 2004, Figs 4 to 7)."""
    names = list(dict.fromkeys(row.system for row in rows))
    figure, named = go.Figure(), Labels(_SWEEP_NAMES, among=names)
    ends: list[End] = []
    form = written_like(row.score for row in rows if row.score is not None)
    for name in sorted(names, key=lambda name: name in emphasised):
        mine = [(row, row.score) for row in rows if row.system == name and row.score is not None]
        x, colour = [row.size for row, _ in mine], emphasised.get(name, GREY)
        if name in emphasised:
            low, high = ([getattr(row, end) for row, _ in mine] for end in ("score_low", "score_high"))
            figure.add_trace(go.Scatter(x=[*x, *x[::-1]], y=[*low, *high[::-1]], fill="toself", mode="lines",
                                        line_width=0, fillcolor=_BANDS[colour], hoverinfo="skip", showlegend=False))
        line = _line(x, [score for _, score in mine], colour, 3 if name in emphasised else 1.5)
        line.update(hoverinfo=None, hovertemplate=f"{full(name)}: %{{y:{form}}} at %{{x:,}}<extra></extra>")
        figure.add_trace(line)
        ends += [(mine[-1][1], name, colour)] if mine else []
    tall = max(330, 70 + _EACH * len(ends))
    _name_lines(figure, ends, tall - 56, named)
    right = 32 + round(8 * min(_SWEEP_NAMES, max((width(name) for _, name, _ in ends), default=0)))
    upwards = f"{named(metric, 12)} upwards{', lower is better' * lower}"
    _finish(figure, [row.size for row in rows], f"{unit} in a test set; {upwards}", tall, right=right)
    return named.below(figure, _HALF_PAGE)


def widths(rows: Sequence[SystemSize], slope: Slope, published: Sequence[tuple[float, float]], *, unit: str,
           theirs: str) -> go.Figure:
    """Relative width of one system's interval against the size, with the fitted line."""
    mine = [(row.size, 100 * row.width) for row in rows if row.width]
    paper = [(size, 100 * width) for size, width in published]
    x, y = [size for size, _ in mine], [width for _, width in mine]
    figure = go.Figure()
    nearest = min(mine, key=lambda row: abs(math.log(row[0] / paper[-1][0])), default=(0, 0.0)) if paper else (0, 0.0)
    below = bool(paper) and paper[-1][1] < nearest[1]
    if paper:
        figure.add_trace(go.Scatter(
            x=[size for size, _ in paper], y=[width for _, width in paper], mode="lines+markers", showlegend=False,
            line=dict(color=GREY, width=1, dash="dot"), marker=dict(size=9, symbol="diamond-open", color=GREY),
            hovertemplate=f"{full(theirs)}: %{{y:.2f}}% at %{{x:,}}<extra></extra>"))
    if mine and slope.slope is not None:
        middle = [sum(map(math.log, values)) / len(mine) for values in (x, y)]
        fitted = [math.exp(middle[1] + slope.slope * (math.log(size) - middle[0])) for size in x]
        figure.add_trace(_line(x, fitted, BLUE, 2))
        at = len(x) // 2 if below else -1  # above our line where theirs is below it
        figure.add_annotation(
            x=math.log10(x[at]), y=math.log10(y[at]), text=f"<b>slope {slope.slope:.2f}</b>", showarrow=False,
            font_size=15, xanchor="left" if below else "right", yanchor="bottom" if below else "top",
            xshift=8 if below else -14, yshift=4 if below else -6)
    figure.add_trace(_size_dots(x, y, BLUE, "width %{y:.2f}% of the score"))
    if paper:
        # Where theirs is below there is room under its middle, else above its beginning.
        size, width = paper[max(0, len(paper) - 2) if below else 0]
        figure.add_annotation(
            x=math.log10(size), y=math.log10(width), showarrow=False, font_size=13, align="right",
            text=full(theirs).replace(" and ", " and<br>") if below else full(theirs),
            xanchor="right" if below else "left", yanchor="top" if below else "bottom", xshift=-8 if below else 8,
            yshift=-2 if below else 2)
    figure.update_yaxes(type="log", tickvals=_SHARES, ticktext=[f"{share:g}%" for share in _SHARES], tickfont_size=13)
    return _finish(figure, x + [size for size, _ in paper], f"{unit} in a test set", 330)


def references(ours: Sequence[tuple[int, float, float, float]], theirs: Sequence[tuple[int, float, float, float]], *,
               metric: str, source: str) -> go.Figure:
    """Score of one system and its interval by number of references (Zhang and Vogel 2004, Fig. 8)."""
    figure = go.Figure()
    drawn = ((theirs, GREY, "diamond-open", source, 0.06), (ours, BLUE, "circle", "ours", 0.0))
    for rows, colour, symbol, name, shift in (one for one in drawn if one[0]):
        x, y = [row[0] + shift for row in rows], [row[1] for row in rows]
        told = [f"{row[1]:{written_like([row[1]])}} [{100 * row[2]:+.2f}%, {100 * row[3]:+.2f}%]" for row in rows]
        figure.add_trace(go.Scatter(
            x=x, y=y, mode="lines+markers", showlegend=False, line=dict(color=colour, width=1.5, dash="dot"),
            marker=dict(size=10, symbol=symbol, color=colour), customdata=told, name=name,
            error_y=dict(type="data", symmetric=False, array=[row[1] * row[3] for row in rows],
                         arrayminus=[-row[1] * row[2] for row in rows], color=colour, thickness=2, width=6),
            hovertemplate=f"{full(name)}: %{{customdata}}<extra></extra>"))
        figure.add_annotation(x=x[-1], y=y[-1], text=full(name), showarrow=False, xanchor="left", xshift=12,
                              font_size=14)
    counts = sorted({row[0] for row in (*ours, *theirs)})
    figure.update_xaxes(tickvals=counts, range=[counts[0] - 0.25, counts[-1] + 0.25], zeroline=False, tickfont_size=13)
    figure.update_yaxes(tickfont_size=13, zeroline=False)
    figure.update_layout(height=300, margin=dict(l=LEFT, r=190 if theirs else 60, t=8, b=48), dragmode=False,
                         hovermode="closest")
    named = Labels()
    measured(figure, f"references; {named(metric)} upwards")
    return named.below(figure)


def _line(x: Sequence[int], y: Sequence[float], colour: str, width: float, dash: str = "solid") -> go.Scatter:
    return go.Scatter(x=x, y=y, mode="lines", line=dict(color=colour, width=width, dash=dash), hoverinfo="skip",
                      showlegend=False)


def _size_dots(x: Sequence[int], y: Sequence[float], colour: str, told: str, **more: Any) -> go.Scatter:
    trace = go.Scatter(x=x, y=y, mode="markers", marker=dict(size=10, color=colour, line=dict(color="white", width=1)),
                       hovertemplate=f"%{{x:,}}: {told}<extra></extra>", showlegend=False)
    return trace.update(more)


def _shares(rows: Sequence[FoundAtSize], shares: Sequence[Rate], colour: str, told: str, **more: Any) -> go.Scatter:
    """Dots with the Monte Carlo intervals of shares; a set that was drawn once is no estimate, and has none."""
    known = [(row.size, one.share, one.low, one.high, one.n) for row, one in zip(rows, shares, strict=True)
             if one.share is not None and one.low is not None and one.high is not None]
    trace = _size_dots([size for size, *_ in known], [100 * share for _, share, *_ in known], colour, told, **more)
    return trace.update(
        customdata=[f"{share:.0%} [{low:.0%}, {high:.0%}]" if n > 1 else f"{share:.0%}, once"
                    for _, share, low, high, n in known],
        error_y=dict(type="data", symmetric=False, color=colour, thickness=1.5, width=4,
                     array=[100 * (high - share) * (n > 1) for _, share, _, high, n in known],
                     arrayminus=[100 * (share - low) * (n > 1) for _, share, low, _, n in known]))


def _name_lines(figure: go.Figure, ends: Sequence[End], pixels: int, named: Labels) -> None:
    """All names at the right ends of their lines, kept apart on a figure so high; a name that had to move has a thin
    line to its own."""
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
            figure.add_shape(type="line", xref="paper", x0=1, x1=1 + _LEAD, y0=value, y1=height,
                             line=dict(color=colour, width=1))
        figure.add_annotation(x=1 + _LEAD * moved, xref="paper", y=height, text=named(name), showarrow=False,
                              xanchor="left", xshift=4, font_size=(11 if not few else 14) + (colour != GREY))
    figure.update_yaxes(range=[low - step / 2, max(max(drawn), heights[0]) + 0.05 * span])


def _finish(figure: go.Figure, sizes: Sequence[float], text: str, height: int, top: int = 8,
            right: int = 8) -> go.Figure:
    ticks = [size for size in _STEPS if min(sizes, default=1) <= size <= max(sizes, default=1)]
    # beside names a phone has room for few
    ticks = ticks[::math.ceil(len(ticks) / _SWEEP_TICKS)] if right > 8 else ticks
    low, high = math.log10(min(sizes, default=1)), math.log10(max(sizes, default=10))
    figure.update_xaxes(type="log", range=[low - 0.04, high + 0.04], tickvals=ticks, zeroline=False, tickfont_size=13,
                        ticktext=[f"{size:,}" for size in ticks])
    figure.update_layout(height=height, margin=dict(l=LEFT, r=right, t=top, b=48), dragmode=False, hovermode="closest")
    measured(figure, text)
    return figure


# Shares of repeats with their Monte Carlo intervals, held against a level and against a paper; and counts.


#: (text, share, low, high, what another source has); None where unknown.
Row = tuple[str, float | None, float | None, float | None, float | None]

_GAP = 0.035  # between panels, as a share of the width
#: How series of p-values are marked: three of ours, two of a paper.
_SERIES: tuple[dict[str, Any], ...] = (
    dict(symbol="circle", color=BLUE), dict(symbol="x", color=VERMILLION),
    dict(symbol="circle-open", color=BLUE, line_width=2), dict(symbol="diamond-open", color=GREY, line_width=2),
    dict(symbol="x-open", color=GREY, line_width=1.5))
_TITLES = 33  # digits of the titles of all panels in a line, so that a phone has room for them
_LINE = 18  # pixels of a line of a name
_TOLD = 0.02  # of the longest bar: parts as short as that have no room for their number
_FILLS = (BLUE, VERMILLION, GREY)


def rates(rows: Sequence[Row], level: float | None = None, *, other: str = "",
          against: Sequence[Row] = (), words: tuple[str, str] = ("", ""), what: str = "") -> go.Figure:
    """One line for each share: a dot with its interval, and a diamond where another source has a number."""
    figure, named = _lines([row[0] for row in rows])
    _share_dots(figure, rows, "x", [_colour(row, level) for row in rows], name=words[0])
    if against:
        _share_dots(figure, against, "x", [VERMILLION] * len(against), symbol="x", name=words[1])
    theirs = [(k, row[4]) for some in (rows, against) for k, row in enumerate(some) if row[4] is not None]
    if theirs:
        figure.add_trace(go.Scatter(
            x=[100 * value for _, value in theirs], y=[k for k, _ in theirs], mode="markers", showlegend=False,
            marker=dict(size=11, symbol="diamond-open", color=GREY, line_width=2), hovertemplate=(
                f"{full(other)}: %{{x:.1f}}%<extra></extra>")))
        figure.add_annotation(x=1, y=1, xref="paper", yref="paper", xanchor="right", yanchor="bottom", showarrow=False,
                              font_size=14, text=f"◇ {full(other)}")
    if level is not None:
        _mark(figure, level, "x")
        figure.add_annotation(x=100 * level, y=1, yref="paper", yanchor="bottom", showarrow=False, font_size=14,
                              text=f"{100 * level:g}%")
    figure.update_xaxes(ticksuffix="%", tickfont_size=13, zeroline=False)
    beside = 0 if level is None else 0.25  # clear of the name of the level, which is a small share where there are two
    figure.update_layout(showlegend=any(words), legend=dict(orientation="h", x=beside, y=1, yanchor="bottom",
                                                            font_size=14))
    return named.below(_of(figure, what))


def panels(found: Mapping[str, Sequence[Row]], level: float, what: str = "", *, at_most: bool = False,
           predicted: Mapping[str, float] | None = None) -> go.Figure:
    """Shares in several situations side by side, on axes of one scale: a line for each text in all of them."""
    expected = predicted or {}
    lines = list(dict.fromkeys(row[0] for rows in found.values() for row in rows))
    figure, named = _lines(lines)
    known = [100 * end for rows in found.values() for row in rows for end in row[2:4] if end is not None]
    marks = [100 * share for share in (level, *expected.values())]
    low, high = min(known + marks), max(known + marks)
    margin, width, above = 0.06 * (high - low) or 1.0, (1 + _GAP) / len(found), 1
    for k, (title, rows) in enumerate(found.items()):
        axis = "x" if k == 0 else f"x{k + 1}"
        figure.update_layout({f"xaxis{axis[1:]}": dict(
            domain=[k * width, (k + 1) * width - _GAP], range=[low - margin, high + margin],
            tickfont_size=13, tickangle=0, nticks=4, zeroline=False)})
        by_text = {row[0]: row for row in rows}  # a panel may lack a line
        rows = [by_text.get(line, (line, None, None, None, None)) for line in lines]
        _share_dots(figure, rows, axis, [_colour(row, level, at_most) for row in rows])
        _mark(figure, level, axis)
        if title in expected:
            figure.add_shape(type="line", x0=100 * expected[title], x1=100 * expected[title], y0=0, y1=1, xref=axis,
                             yref="paper", line=dict(color=GREY, width=2, dash="dash"), layer="below")
        told = [*wrapped(title, _TITLES / len(found)), *["╌ predicted"] * (title in expected)]
        above = max(above, len(told))
        figure.add_annotation(x=(k + 0.5) * width - _GAP / 2, y=1, xref="paper", yref="paper", yanchor="bottom",
                              xanchor="center", showarrow=False, font_size=14,
                              text="<br>".join(full(line.strip()) for line in told))
    more = _LINE * (above - 1)
    figure.update_layout(height=76 + more + max(26, named.lines * _LINE) * len(lines), showlegend=False,
                         margin_t=28 + more)
    return named.below(_of(figure, f"% {what}".rstrip()))  # not at each tick, which a phone has no room for


def p_values(found: Mapping[str, Mapping[str, float | None]], alpha: float) -> go.Figure:
    """p-values on a log axis, a line for each case, and the level they are held against."""
    figure, named = _lines(list(found))
    series = list(next(iter(found.values())))
    for mark, name in zip(_SERIES, series, strict=False):
        known = [(k, parts[name]) for k, parts in enumerate(found.values()) if parts[name] is not None]
        figure.add_trace(go.Scatter(
            x=[p for _, p in known], y=[k for k, _ in known], mode="markers", name=full(name),
            marker=dict(size=11, **mark), hovertemplate=f"{full(name)}: p = %{{x:.4f}}<extra></extra>"))
    figure.add_shape(type="line", x0=alpha, x1=alpha, y0=0, y1=1, yref="paper", line=dict(color=BLUE, width=2,
                                                                                       dash="dot"))
    ticks = sorted({1e-5, 1e-4, 1e-3, 0.01, 0.02, alpha, 0.1, 0.2, 0.5, 1.0})
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{tick:g}" for tick in ticks], tickfont_size=13,
                        zeroline=False)
    measured(figure, f"p on a log axis; dotted: the level, {alpha:g}")
    figure.update_layout(height=110 + 26 * len(found), showlegend=True, margin=dict(l=named.left, r=ENDS, t=32, b=46),
                         legend=dict(orientation="h", x=0, y=1, yanchor="bottom", font_size=14))
    return named.below(figure)


def counts(found: Mapping[str, Mapping[str, int]], what: str) -> go.Figure:
    """A bar for each case, from top to bottom, cut into parts."""
    (figure, named), whole = _lines(list(found)), max(sum(parts.values()) for parts in found.values())
    for color, part in zip(_FILLS, next(iter(found.values())), strict=False):
        values = [parts[part] for parts in found.values()]
        figure.add_trace(go.Bar(
            y=list(range(len(found))), x=values, orientation="h", name=full(part),
            text=[v if v > _TOLD * whole else "" for v in values], textposition="inside", textangle=0,
            insidetextanchor="middle", textfont=dict(size=14, color="white"),
            marker=dict(color=color, line_width=0), constraintext="none",
            hovertemplate=f"%{{x}} {full(part)}<extra></extra>"))
    figure.update_xaxes(tickfont_size=13, zeroline=False)
    measured(figure, what)
    figure.update_layout(barmode="stack", bargap=0.25, height=92 + 30 * len(found), showlegend=True,
                         margin=dict(l=named.left, r=ENDS, t=32, b=46), legend=dict(
                             orientation="h", x=0, y=1, yanchor="bottom", font_size=14, traceorder="normal"))
    return named.below(figure)


def _lines(texts: Sequence[str]) -> tuple[go.Figure, Labels]:
    """A figure with a line for each text, from top to bottom, and what names them."""
    figure, named = go.Figure(), Labels(34, 2, texts)
    figure.update_yaxes(tickvals=list(range(len(texts))), ticktext=[named(text) for text in texts], tickfont_size=13,
                        range=[len(texts) - 0.5, -0.5], zeroline=False)
    figure.update_layout(height=74 + max(19, _LINE * named.lines - 1) * len(texts), dragmode=False,
                         margin=dict(l=named.left, r=ENDS, t=28, b=BELOW))
    return figure, named


def _of(figure: go.Figure, what: str) -> go.Figure:
    """Say below the axis what the shares are of, and make room for it."""
    if what:
        measured(figure, what)
        figure.update_layout(height=figure.layout.height + 10, margin_b=46)
    return figure


def _share_dots(figure: go.Figure, rows: Sequence[Row], axis: str, colors: Sequence[str], symbol: str = "circle",
          name: str = "") -> None:
    """Shares with their intervals, each on its line."""
    known = [(k, text, share, low, high) for k, (text, share, low, high, _) in enumerate(rows)
             if share is not None and low is not None and high is not None]
    figure.add_trace(go.Scatter(
        x=[100 * share for _, _, share, *_ in known], y=[k for k, *_ in known], mode="markers", name=name, xaxis=axis,
        showlegend=bool(name), marker=dict(size=10, symbol=symbol, color=[colors[k] for k, *_ in known]),
        error_x=dict(type="data", symmetric=False, array=[100 * (high - share) for _, _, share, _, high in known],
                     arrayminus=[100 * (share - low) for _, _, share, low, _ in known], thickness=1.5, color=GREY),
        customdata=[[full(text), f"{low:.1%}", f"{high:.1%}"] for _, text, _, low, high in known],
        hovertemplate="%{customdata[0]}: %{x:.1f}% [%{customdata[1]}, %{customdata[2]}]<extra></extra>"))


def _mark(figure: go.Figure, level: float, axis: str) -> None:
    figure.add_shape(type="line", x0=100 * level, x1=100 * level, xref=axis, y0=0, y1=1, yref="paper",
                     line=dict(color=BLUE, width=2, dash="dot"))


def _colour(row: Row, level: float | None, at_most: bool = False) -> str:
    """Vermillion where the whole interval lies off the level, or above it."""
    _, _, low, high, _ = row
    if level is None or low is None or high is None:
        return BLUE
    return BLUE if low <= level and (at_most or level <= high) else VERMILLION


# Inside a score: precisions by order, scores by length, two rankings, intervals of a mean, Student's t.


_PAPER = dict(size=11, symbol="diamond-open", color=GREY, line_width=2)
_TAIL = "rgba(213,94,0,0.35)"
_DEEPEST = 30  # how many times smaller a precision may be than the chosen system's to be drawn
_METRIC_NAMES, _HALF_PAGE = 17.5, 36  # widest name beside its line, and of a figure in half of the page, in digits
_CAMERA = -34  # clear of the button that saves the picture
_NAMED = 12  # systems up to which all lines of a ranking are named


def by_order(systems: Sequence[tuple[str, Sequence[float | None]]], chosen: str,
             published: Sequence[tuple[int, float]] = (), *, source: str = "") -> go.Figure:
    """Precision of n-grams by their length, a line for each system on a log axis; one stands out."""
    figure, named = go.Figure(), Labels(30)
    for name, percents in sorted(systems, key=lambda row: row[0] == chosen):
        mine = name == chosen
        figure.add_trace(go.Scatter(
            x=list(range(1, len(percents) + 1)), y=[value or None for value in percents], showlegend=False,
            mode="lines+markers", marker=dict(size=10 if mine else 5), hovertemplate=(
                f"{full(name)}: %{{y:.1f}}% of the %{{x}}-grams<extra></extra>"),
            line=dict(color=BLUE if mine else GREY, width=3 if mine else 1.2)))
        if mine:
            for n, value in enumerate(percents, 1):
                if value:
                    _annotate_shifted(figure, n, np.log10(value), f"<b>{value:.1f}%</b>", "left", "bottom", 8)
            figure.add_annotation(  # where the lines, which fall, leave room
                x=1, y=1, xref="paper", yref="paper", xanchor="right", yanchor="top", showarrow=False, font_size=14,
                xshift=_CAMERA, text=f'<span style="color:{BLUE}">●</span> <b>{named(name)}</b>')
    if published:
        figure.add_trace(go.Scatter(
            x=[n for n, _ in published], y=[value for _, value in published], mode="markers", marker=_PAPER,
            hovertemplate=f"{full(source)}: %{{y:.1f}}%<extra></extra>", showlegend=False))
        figure.add_annotation(x=1, y=1, xref="paper", yref="paper", xanchor="right", yanchor="top", showarrow=False,
                              font_size=14, xshift=_CAMERA, yshift=-20, text=f"◇ {full(source)}")
    figure.update_xaxes(tickvals=[1, 2, 3, 4], ticktext=["unigrams", "bigrams", "trigrams", "four-grams"],
                        range=[0.5, 4.5], tickfont_size=14, zeroline=False, tickangle=0)
    # Systems that hardly match anything leave the frame below: they would squeeze all others.
    seen = [value for _, percents in systems for value in percents if value] + [value for _, value in published]
    own = [value for name, percents in systems for value in percents if value and name == chosen] or seen or [1.0]
    low, high = max(min(seen, default=1.0), min(own) / _DEEPEST) * 0.85, max(seen, default=100.0) * 1.2
    shares = [m * 10.0**k for k in range(-3, 3) for m in (1, 2, 5) if m * 10.0**k <= 100]
    figure.update_yaxes(type="log", range=[float(np.log10(low)), float(np.log10(high))],
                        tickvals=shares, ticktext=[f"{share:g}%" for share in shares], tickfont_size=13,
                        zeroline=False)
    below = BELOW + 6  # for names that never turn
    figure.update_layout(height=306, margin=dict(l=LEFT, r=ENDS, t=8, b=below), dragmode=False, hovermode="closest")
    return named.below(figure)


def by_length(lines: Sequence[tuple[str, str, Sequence[float], Sequence[float]]], *, paper: bool = True) -> go.Figure:
    """Scores by length ratio: a colour for each system, BLEU solid and GTM broken, all on one axis."""
    figure, named = go.Figure(), Labels(_METRIC_NAMES)
    ends, colours = [], dict(zip(dict.fromkeys(line[0] for line in lines), (BLUE, VERMILLION), strict=False))
    for system, metric, ratios, scores in lines:
        first = metric == lines[0][1]
        figure.add_trace(go.Scatter(
            x=list(ratios), y=list(scores), mode="lines+markers", showlegend=False,
            line=dict(color=colours[system], width=3 if first else 2, dash="solid" if first else "dash"),
            marker=dict(size=9, symbol="circle" if first else "diamond-open", color=colours[system]),
            hovertemplate=f"{full(system)}, {full(metric)}: %{{y:.2f}} at %{{x:.2f}}<extra></extra>"))
        ends.append((scores[-1], f'<span style="color:{colours[system]}">{"●" if first else "◇"}</span> '
                     f"<b>{full(metric)}</b> {named(system)}"))
    values = [score for *_, scores in lines for score in scores]
    step, above = 0.08 * (max(values) - min(values) or 1.0), np.inf
    low, high = min(line[2][0] for line in lines), max(line[2][-1] for line in lines)
    low, high = (min(low, 0.85), max(high, 1.2)) if paper else (low, high)
    for value, text in sorted(ends, reverse=True):
        above = min(value, above - step)
        _annotate_shifted(figure, high, above, text, "left", "middle", 0)
        figure.layout.annotations[-1].xshift = 14
    span = high - low or 1.0
    figure.add_shape(type="line", x0=1, x1=1, y0=0, y1=1, yref="paper", line=dict(color=GREY, width=1), layer="below")
    figure.add_annotation(x=1, y=1, yref="paper", yanchor="bottom", showarrow=False, font_size=14,
                          text="as long as the reference")
    figure.update_xaxes(range=[low - 0.03 * span, high + 0.35 * span], tickfont_size=13, zeroline=False, showgrid=False,
                        **(dict(tickvals=[round(0.85 + 0.05 * k, 2) for k in range(8)]) if paper else {}))
    figure.update_yaxes(ticksuffix=" ", tickfont_size=13, zeroline=False, title_text="points", title_font_size=14)
    figure.update_layout(height=340, margin=dict(l=LEFT, r=8, t=30, b=48), dragmode=False, hovermode="closest")
    measured(figure, "length ratio: words of the output / words of the reference")
    return named.below(figure)


def rankings(rows: Sequence[tuple[str, float, float]], emphasised: Sequence[str] = (), *,
             unit: str) -> go.Figure:
    """Corpus score on the left, mean of sentence scores on the right: lines that cross are pairs that disagree."""
    colours = dict(zip(emphasised, (BLUE, VERMILLION), strict=False))
    figure, named = go.Figure(), Labels(_METRIC_NAMES, among=[name for name, *_ in rows])
    form = written_like(score for _, *scores in rows for score in scores)
    for name, *scores in sorted(rows, key=lambda row: row[0] in colours):
        colour = colours.get(name, GREY)
        figure.add_trace(go.Scatter(
            x=[0, 1], y=scores, mode="lines+markers", showlegend=False, marker=dict(size=8, color=colour),
            line=dict(color=colour, width=3 if name in colours else 1.2),
            hovertemplate=f"{full(name)}: %{{y:{form}}}<extra></extra>"))
    shown = [row for row in rows if len(rows) <= _NAMED or row[0] in colours]
    values = [score for _, *scores in rows for score in scores]
    step = 0.07 * (max(values) - min(values) or 1.0)
    for side, anchor, shift in ((0, "right", -10), (1, "left", 10)):
        above = np.inf
        for name, *scores in sorted(shown, key=lambda row: -row[1:][side]):
            above = min(scores[side], above - step)
            text = f"{named(name)} {scores[side]:{form}}"
            _annotate_shifted(figure, side, above, f"<b>{text}</b>" if name in colours else text, anchor, "middle",
                              shift)
    figure.update_xaxes(range=[-1.8, 2.8], tickvals=[0, 1], tickfont_size=14, showgrid=False, zeroline=False,
                        side="top", tickangle=0,
                        ticktext=[f"corpus<br>{named(unit)}", f"mean of<br>sentence {named(unit)}"])
    figure.update_yaxes(visible=False)
    figure.update_layout(height=326, margin=dict(l=8, r=8, t=48, b=8), dragmode=False, hovermode="closest")
    return named.below(figure, _HALF_PAGE)


def mean_intervals(rows: Sequence[tuple[str, float, Sequence[tuple[str, float | None, float | None]]]], *,
                   unit: str) -> go.Figure:
    """Intervals of means, those of one size below each other: Student's t and bootstraps."""
    marks = (dict(color=BLUE, symbol="circle", size=9), dict(color=VERMILLION, symbol="diamond", size=9),
             dict(color=GREY, symbol="square", size=9))
    kinds = list(dict.fromkeys(kind for _, _, ends in rows for kind, *_ in ends))
    form = written_like(mean for _, mean, _ in rows)
    figure = go.Figure()
    for place, (kind, mark) in enumerate(zip(kinds, marks, strict=False)):
        known = [(k, mean, low, high) for k, (_, mean, ends) in enumerate(rows) for name, low, high in ends
                 if name == kind and low is not None and high is not None]
        figure.add_trace(go.Scatter(
            x=[mean for _, mean, *_ in known], y=[k + 0.24 * (place - 0.5) for k, *_ in known], mode="markers",
            marker=mark, name=kind, error_x=dict(
                type="data", symmetric=False, array=[high - mean for _, mean, _, high in known],
                arrayminus=[mean - low for _, mean, low, _ in known], color=mark["color"], thickness=2.5, width=5),
            customdata=[[low, high] for *_, low, high in known],
            hovertemplate=f"{kind}: %{{x:{form}}} [%{{customdata[0]:{form}}}, %{{customdata[1]:{form}}}]"
                          "<extra></extra>"))
    figure.update_yaxes(tickvals=list(range(len(rows))), ticktext=[full(text) for text, *_ in rows], tickfont_size=14,
                        range=[len(rows) - 0.3, -0.5], zeroline=False, showgrid=False)
    figure.update_xaxes(tickfont_size=13, zeroline=False)
    named = Labels()
    measured(figure, named(unit))
    figure.update_layout(height=110 + 48 * len(rows), margin=dict(l=8, r=8, t=30, b=48), dragmode=False,
                         hovermode="closest", showlegend=True,
                         legend=dict(orientation="h", x=0, y=1.01, yanchor="bottom", font_size=14))
    return named.below(figure)


def student_density(x: np.ndarray, t: np.ndarray, normal: np.ndarray, t_factor: float, normal_factor: float,
                    n: int) -> go.Figure:
    """Student's t beside the normal distribution, the tails beyond its factor filled (Koehn 2004, Fig. 5)."""
    figure = go.Figure()
    for tail in (x <= -t_factor, x >= t_factor):
        if tail.any():
            figure.add_trace(go.Scatter(x=x[tail], y=t[tail], mode="lines", line_width=0, fill="tozeroy",
                                        fillcolor=_TAIL, hoverinfo="skip", showlegend=False))
    for y, colour, dash, text in ((normal, GREY, "dot", "normal"), (t, BLUE, "solid", f"Student's t, n = {n}")):
        figure.add_trace(go.Scatter(x=x, y=y, mode="lines", line=dict(color=colour, width=3, dash=dash), name=text,
                                    hoverinfo="skip"))
    for at, colour, dash, height in ((normal_factor, GREY, "dot", 0.20), (t_factor, VERMILLION, "solid", 0.12)):
        for side in (-1, 1):
            figure.add_shape(type="line", x0=side * at, x1=side * at, y0=0, y1=height,
                             line=dict(color=colour, width=2, dash=dash))
        _annotate_shifted(figure, at, height, f"±{at:.4f}", "left", "bottom", 4)
    figure.update_xaxes(range=[float(x[0]), float(x[-1])], tickfont_size=13, zeroline=False, showgrid=False)
    figure.update_yaxes(visible=False, range=[0, 0.43])
    measured(figure, "standard errors from the mean")
    figure.update_layout(height=270, margin=dict(l=8, r=8, t=30, b=48), dragmode=False, showlegend=True,
                         legend=dict(orientation="h", x=0, y=1.01, yanchor="bottom", font_size=14))
    return figure


def _annotate_shifted(figure: go.Figure, x: float, y: float, text: str, anchor: str, above: str, shift: int) -> None:
    figure.add_annotation(x=x, y=y, text=text, showarrow=False, font_size=14, xanchor=anchor, yanchor=above,
                          xshift=shift)
