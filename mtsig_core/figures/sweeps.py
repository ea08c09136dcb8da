"""Sweeps: scores, how often a pair is significant, and widths of intervals by size, on log axes; and by references."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from mtsig_core.experiments.population import Rate
from mtsig_core.experiments.sweep_difference import FoundAtSize
from mtsig_core.experiments.sweep_results import Slope, SystemSize
from mtsig_core.figures._style import BLUE, GREY, LEFT, VERMILLION, Labels, full, measured
from mtsig_core.report.cells import written_like
from mtsig_core.report.palette import width

__all__ = ["decisions", "references", "scores", "widths"]

End = tuple[float, str, str]  # of a line: its height, name and colour

_FEW, _LEAD = 12, 0.06  # so many names are set large; how far to the right a name stands that had to move
_EACH = 14  # pixels of a name beside its line
_BESIDE, _HALF = 18, 36  # widest name beside its line, and of a figure in half of the page, in digits
_BANDS = {BLUE: "rgba(0,114,178,0.25)", VERMILLION: "rgba(213,94,0,0.22)"}
_UNDRAWN = "rgba(128,128,128,0.18)"
_PALE = 0.35
_TICKS = 4
_STEPS = [m * 10**k for k in range(7) for m in (1, 2, 5)]
_SHARES = [m * 10.0**k for k in range(-3, 3) for m in (1, 2, 5)]


def decisions(rows: Sequence[FoundAtSize], power: float, needed: int | None = None, *, unit: str,
              between: tuple[int | None, int | None] = (None, None), whole: float = math.inf) -> go.Figure:
    """Share of random test sets on which a difference is found, on which opposite to the whole, and what is planned.

    Parameters
    ----------
    rows : sequence of FoundAtSize
        Of one pair and one difference, by size; those that are still to be drawn are marked as such.
    power : float
        Where a line stands, 0 to 1.
    needed : int, optional
        The size with that power, where the planned curve meets the line.
    unit : str
        What the size counts, such as ``"documents"``.
    between : (int or None, int or None)
        The interval of `needed`, a bar on the line of the power; without an upper end up to the edge.
    whole : float
        Units of the test set. Dots above half of it are pale: these test sets are mostly the same units, and say what
        the whole says, the more so the larger they are.
    """
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
    """Mean score by size with a ribbon of the middle 90% of test sets (Zhang and Vogel 2004, Figs 4 to 7).

    Parameters
    ----------
    emphasised : mapping of str to str
        Colours of the systems that stand out; the others are grey, without ribbons.
    lower : bool
        Whether a lower score is better.
    """
    names = list(dict.fromkeys(row.system for row in rows))
    figure, named = go.Figure(), Labels(_BESIDE, among=names)
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
    right = 32 + round(8 * min(_BESIDE, max((width(name) for _, name, _ in ends), default=0)))
    upwards = f"{named(metric, 12)} upwards{', lower is better' * lower}"
    _finish(figure, [row.size for row in rows], f"{unit} in a test set; {upwards}", tall, right=right)
    return named.below(figure, _HALF)


def widths(rows: Sequence[SystemSize], slope: Slope, published: Sequence[tuple[float, float]], *, unit: str,
           theirs: str) -> go.Figure:
    """Relative width of one system's interval against the size, with the fitted line.

    Parameters
    ----------
    rows : sequence of SystemSize
        Of one system.
    published : sequence of (float, float)
        Sizes and relative widths (fractions) of a paper.
    theirs : str
        What these points are.
    """
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
    figure.add_trace(_dots(x, y, BLUE, "width %{y:.2f}% of the score"))
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
    """Score of one system and its interval by number of references (Zhang and Vogel 2004, Fig. 8).

    Parameters
    ----------
    ours, theirs : sequence of (int, float, float, float)
        Number of references, score in points, and the ends of its interval relative to it (fractions).
    source : str
        Where `theirs` comes from.
    """
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


def _dots(x: Sequence[int], y: Sequence[float], colour: str, told: str, **more: Any) -> go.Scatter:
    trace = go.Scatter(x=x, y=y, mode="markers", marker=dict(size=10, color=colour, line=dict(color="white", width=1)),
                       hovertemplate=f"%{{x:,}}: {told}<extra></extra>", showlegend=False)
    return trace.update(more)


def _shares(rows: Sequence[FoundAtSize], shares: Sequence[Rate], colour: str, told: str, **more: Any) -> go.Scatter:
    """Dots with the Monte Carlo intervals of shares; a set that was drawn once is no estimate, and has none."""
    known = [(row.size, one.share, one.low, one.high, one.n) for row, one in zip(rows, shares, strict=True)
             if one.share is not None and one.low is not None and one.high is not None]
    trace = _dots([size for size, *_ in known], [100 * share for _, share, *_ in known], colour, told, **more)
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
    ticks = ticks[::math.ceil(len(ticks) / _TICKS)] if right > 8 else ticks  # beside names a phone has room for few
    low, high = math.log10(min(sizes, default=1)), math.log10(max(sizes, default=10))
    figure.update_xaxes(type="log", range=[low - 0.04, high + 0.04], tickvals=ticks, zeroline=False, tickfont_size=13,
                        ticktext=[f"{size:,}" for size in ticks])
    figure.update_layout(height=height, margin=dict(l=LEFT, r=right, t=top, b=48), dragmode=False, hovermode="closest")
    measured(figure, text)
    return figure
