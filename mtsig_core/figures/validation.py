"""Shares of repeats with their Monte Carlo intervals, held against a level and against a paper; and counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from mtsig_core.figures._style import BELOW, BLUE, ENDS, GREY, VERMILLION, Labels, full, measured
from mtsig_core.report.palette import wrapped

__all__ = ["counts", "p_values", "panels", "rates"]

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
    """One line for each share: a dot with its interval, and a diamond where another source has a number.

    Parameters
    ----------
    rows : sequence of (text, share, low, high, theirs)
        From top to bottom; None where unknown.
    level : float, optional
        A line to hold them against.
    other : str
        What the diamonds are.
    against : sequence of (text, share, low, high, theirs)
        Second shares on the same lines, marked by crosses.
    words : (str, str)
        What the dots and the crosses are; the legend is left out without them.
    what : str
        What the shares are of.
    """
    figure, named = _lines([row[0] for row in rows])
    _dots(figure, rows, "x", [_colour(row, level) for row in rows], name=words[0])
    if against:
        _dots(figure, against, "x", [VERMILLION] * len(against), symbol="x", name=words[1])
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
    """Shares in several situations side by side, on axes of one scale: a line for each text in all of them.

    Parameters
    ----------
    found : mapping of str to sequence of (text, share, low, high, theirs)
        By situation, from left to right.
    level : float
        A line to hold them against.
    what : str
        What the shares are of.
    predicted : mapping of str to float, optional
        By situation, a share to be expected there: a dotted line.
    at_most : bool
        Whether a share below the level is as it should be, and not marked.
    """
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
        _dots(figure, rows, axis, [_colour(row, level, at_most) for row in rows])
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
    """p-values on a log axis, a line for each case, and the level they are held against.

    Parameters
    ----------
    found : mapping of str to mapping of str to float
        By case, from top to bottom, and by series: up to three of ours, then up to two of a paper; None where unknown.
    alpha : float
    """
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
    """A bar for each case, from top to bottom, cut into parts.

    Parameters
    ----------
    found : mapping of str to mapping of str to int
        Parts of each case, all named alike.
    what : str
        What is counted.
    """
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


def _dots(figure: go.Figure, rows: Sequence[Row], axis: str, colors: Sequence[str], symbol: str = "circle",
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
