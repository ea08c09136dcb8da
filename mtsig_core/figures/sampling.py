"""Samples of a test set: their scores, intervals, differences and conclusions (Koehn 2004, Figs 2 to 8)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from mtsig_core.figures._style import BLUE, GREY, LEFT, VERMILLION, Labels, full, measured

__all__ = ["intervals", "outcomes", "ratios", "spread"]

_FAINT = "rgba(122,133,148,0.22)"
#: How a sample is marked that concludes as the whole set (1), the opposite (-1) or nothing (0): not by colour alone.
_MARKS = {1: dict(symbol="circle", color=BLUE, size=9), -1: dict(symbol="x", color=VERMILLION, size=11),
          0: dict(symbol="circle-open", color=GREY, size=8)}
_KINDS = (dict(color=BLUE, symbol="circle"), dict(color=VERMILLION, symbol="diamond"))
_DOT, _STEP = 0.009, 0.07  # width of a dot as a share of the axis, and its height as a share of a band
_TICKS = 6  # at most, of sizes: a phone has room for as many
_WORDS = {1: "as the whole set", -1: "opposite", 0: "no conclusion"}


def spread(scores: Mapping[str, np.ndarray], whole: float, published: Mapping[str, tuple[float, float]] | None = None,
           *, unit: str, ghosts: Mapping[str, np.ndarray] | None = None, frame: Sequence[float] = (),
           form: str = ".2f") -> go.Figure:
    """Scores of samples of several kinds, one band above the other on one axis (Koehn 2004, Figs 2 and 3).

    Dots that would cover each other stand side by side: height says nothing else.

    Parameters
    ----------
    scores : mapping of str to ndarray, shape (samples,)
        By kind, in the order from above; NaN is not drawn.
    whole : float
        Score on the whole test set.
    published : mapping of str to (float, float), optional
        Ranges to lay faintly behind the bands.
    unit : str
        What the axis measures, such as ``"BLEU"``.
    ghosts : mapping of str to ndarray, optional
        Scores by kind as they were before the segments were shuffled, drawn faintly.
    frame : sequence of float
        Values that the axis takes in anyway, so that it stays as it was.
    form : str
        How scores are written (`mtsig_core.report.cells.written_like`).
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

    Parameters
    ----------
    values : ndarray, shape (samples,)
    verdicts : ndarray of int, shape (samples,)
        1 where the conclusion is that of the whole test set, -1 where it is not, 0 without one.
    line : float
        A level to mark, and `words` what it is.
    what, unit : str
        What the values are, and what they are measured in.
    bounds : sequence of float
        Levels beyond which there is a conclusion.
    form : str
        How the values are written.
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
    """How much wider blocks spread than broad samples, by size, on log axes.

    Parameters
    ----------
    rows : mapping of str to sequence of (size, ratio, low, high)
        By system; that which is `chosen` is drawn with its intervals, the others as grey dots.
    chosen : str
    middle : mapping of int to float
        Median of the systems by size.
    """
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
    sizes = list(middle)[::-math.ceil(len(middle) / _TICKS) or None]
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

