"""Inside a score: precisions by order, scores by length, two rankings, intervals of a mean, Student's t."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from mtsig_core.figures._style import BELOW, BLUE, ENDS, GREY, LEFT, VERMILLION, Labels, full, measured
from mtsig_core.report.cells import written_like

__all__ = ["by_length", "by_order", "mean_intervals", "rankings", "student_density"]

_PAPER = dict(size=11, symbol="diamond-open", color=GREY, line_width=2)
_TAIL = "rgba(213,94,0,0.35)"
_DEEPEST = 30  # how many times smaller a precision may be than the chosen system's to be drawn
_BESIDE, _HALF = 17.5, 36  # widest name beside its line, and of a figure in half of the page, in digits
_CAMERA = -34  # clear of the button that saves the picture
_NAMED = 12  # systems up to which all lines of a ranking are named


def by_order(systems: Sequence[tuple[str, Sequence[float | None]]], chosen: str,
             published: Sequence[tuple[int, float]] = (), *, source: str = "") -> go.Figure:
    """Precision of n-grams by their length, a line for each system on a log axis; one stands out.

    Parameters
    ----------
    systems : sequence of (name, percents)
        Of unigrams, bigrams, ...
    chosen : str
    published : sequence of (order, percent)
        Of the chosen system, from a paper.
    source : str
        What these are.
    """
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
                    _say(figure, n, np.log10(value), f"<b>{value:.1f}%</b>", "left", "bottom", 8)
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
    """Scores by length ratio: a colour for each system, BLEU solid and GTM broken, all on one axis.

    Parameters
    ----------
    lines : sequence of (system, metric, ratios, scores)
        Of one or two systems with two metrics each; output / reference, rising, and points.
    paper : bool
        Whether the frame has the length ratios of Koehn (2004), Figure 1, from .85 to 1.2.
    """
    figure, named = go.Figure(), Labels(_BESIDE)
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
        _say(figure, high, above, text, "left", "middle", 0)
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
    """Corpus score on the left, mean of sentence scores on the right: lines that cross are pairs that disagree.

    Parameters
    ----------
    rows : sequence of (system, corpus score, mean)
    emphasised : sequence of str
        Two systems to stand out.
    unit : str
        Such as ``"BLEU"``.
    """
    colours = dict(zip(emphasised, (BLUE, VERMILLION), strict=False))
    figure, named = go.Figure(), Labels(_BESIDE, among=[name for name, *_ in rows])
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
            _say(figure, side, above, f"<b>{text}</b>" if name in colours else text, anchor, "middle", shift)
    figure.update_xaxes(range=[-1.8, 2.8], tickvals=[0, 1], tickfont_size=14, showgrid=False, zeroline=False,
                        side="top", tickangle=0,
                        ticktext=[f"corpus<br>{named(unit)}", f"mean of<br>sentence {named(unit)}"])
    figure.update_yaxes(visible=False)
    figure.update_layout(height=326, margin=dict(l=8, r=8, t=48, b=8), dragmode=False, hovermode="closest")
    return named.below(figure, _HALF)


def mean_intervals(rows: Sequence[tuple[str, float, Sequence[tuple[str, float | None, float | None]]]], *,
                   unit: str) -> go.Figure:
    """Intervals of means, those of one size below each other: Student's t and bootstraps.

    Parameters
    ----------
    rows : sequence of (text, mean, intervals)
        From top to bottom; an interval is (kind, low, high), None where unknown.
    unit : str
        What the axis measures.
    """
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
        _say(figure, at, height, f"±{at:.4f}", "left", "bottom", 4)
    figure.update_xaxes(range=[float(x[0]), float(x[-1])], tickfont_size=13, zeroline=False, showgrid=False)
    figure.update_yaxes(visible=False, range=[0, 0.43])
    measured(figure, "standard errors from the mean")
    figure.update_layout(height=270, margin=dict(l=8, r=8, t=30, b=48), dragmode=False, showlegend=True,
                         legend=dict(orientation="h", x=0, y=1.01, yanchor="bottom", font_size=14))
    return figure


def _say(figure: go.Figure, x: float, y: float, text: str, anchor: str, above: str, shift: int) -> None:
    figure.add_annotation(x=x, y=y, text=text, showarrow=False, font_size=14, xanchor=anchor, yanchor=above,
                          xshift=shift)
