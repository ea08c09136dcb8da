"""All pairs at once: differences above the diagonal, p-values below it."""

from __future__ import annotations

import plotly.graph_objects as go

from mtsig_core.figures._style import Labels, full
from mtsig_core.inference.significance import significant
from mtsig_core.report.palette import BLUE, GREY, ink, level, mixed, width
from mtsig_core.report.tables import format_p, p_word, row_against_column
from mtsig_core.results import MetricResult, PairResult, Settings

__all__ = ["matrix"]

#: By row and column above the diagonal: the pair there, and the improvement of row over column.
Cells = dict[tuple[int, int], tuple[PairResult, float]]

_WIDTH = 690  # pixels of the cells on a screen of 1280: what the sizes of text are chosen for
_WIDEST = 24  # of a name, in digits
_EVERY_P, _EVERY_NUMBER = 18, 14  # up to so many systems a cell has room for it
_FILLED, _HOLLOW = "●", "○"


def matrix(result: MetricResult, settings: Settings) -> go.Figure:
    """A row and a column a system, in the order of the leaderboard.

    Above the diagonal the improvement of row over column: hue is direction, lightness
    is size (on a square-root scale, so that one weak system does not bleach all others), and the glyph is
    significance. Below it the adjusted p, or for a test without p the share of samples that the better system wins;
    what is not significant is set bold. Where cells are small, p is left to the hover except for pairs that are not
    significant. The last trace is transparent: its points have the customdata (row, column), and take the clicks.

    Parameters
    ----------
    result : MetricResult
    settings : Settings
    """
    n, named = len(result.systems), Labels(_WIDEST)
    place = {system.system: k for k, system in enumerate(result.systems)}
    cells: Cells = {}
    for pair in result.pairs:
        i, j = place[pair.a], place[pair.b]
        improvement = result.sign * pair.delta
        cells[min(i, j), max(i, j)] = (pair, improvement if i < j else -improvement)
    limit = max((abs(value) for _, value in cells.values()), default=0) or 1.0
    size = _WIDTH / max(n, 1)
    figure = go.Figure()
    difference = f"{row_against_column(result)} in {named(result.metric.upper(), _WIDEST)}"
    _add_differences(figure, cells, n, limit, size, difference, settings.alpha)
    figure.add_trace(go.Heatmap(
        z=[[0 if i == j else None for j in range(n)] for i in range(n)], x=list(range(n)), y=list(range(n)), xgap=1,
        ygap=1, colorscale=[[0, GREY], [1, GREY]], opacity=0.3, showscale=False, hoverinfo="skip"))
    _add_chances(figure, cells, n, size)
    _add_targets(figure, cells, full(result.metric.upper()))
    names = [system.system for system in result.systems]
    axis = dict(tickvals=list(range(n)), ticktext=[named(name) for name in names], showgrid=False, zeroline=False,
                fixedrange=True, tickfont_size=max(9, min(13, round(size * 0.62))), ticks="")
    row_height = max(15, min(40, round(size * 0.92)))
    top = 62 + round(8 * min(_WIDEST, max(map(width, names), default=0)))
    figure.update_xaxes(**axis, side="top", tickangle=-90, range=[-0.5, n - 0.5])
    figure.update_yaxes(**axis, range=[n - 0.5, -0.5])
    figure.update_layout(
        height=top + row_height * n + 70, margin=dict(l=named.left, r=8, t=top, b=62), dragmode=False,
        hovermode="closest", hoverdistance=-1, showlegend=False, plot_bgcolor="rgba(0,0,0,0)",
        hoverlabel=dict(bgcolor="#1B2330", bordercolor="#1B2330", font=dict(color="white", size=14)),
        # The span, because the theme of the dashboard sets titles bold.
        title=dict(text=f'<span style="font-weight:400">{_key(settings, cells, n)}</span>', font_size=14, x=0,
                   xref="container", y=1, yref="container", yanchor="top", pad=dict(t=16)))
    return named.below(figure)


def _add_differences(figure: go.Figure, cells: Cells, n: int, limit: float, size: float, difference: str,
                     alpha: float) -> None:
    z = [[cells[i, j][1] if (i, j) in cells else None for j in range(n)] for i in range(n)]
    stops = [k / 10 for k in range(-10, 11)]
    figure.add_trace(go.Heatmap(
        z=z, x=list(range(n)), y=list(range(n)), zmin=-limit, zmax=limit, xgap=1, ygap=1, hoverinfo="skip",
        colorscale=[[0.5 + 0.5 * u * abs(u), "rgb({},{},{})".format(*mixed(u))] for u in stops],
        colorbar=dict(orientation="h", thickness=10, len=0.5, x=0, xanchor="left", y=0, yanchor="top", ypad=12,
                      tickvals=[-limit, 0, limit], ticktext=[f"−{limit:.1f}", "0", f"+{limit:.1f}"], tickfont_size=12,
                      title=dict(text=f"{difference}: blue, the row is better", side="bottom",
                                 font_size=12), outlinewidth=0)))
    both = n <= _EVERY_NUMBER
    texts, inks = {}, []
    for cell, (pair, value) in cells.items():
        text = f"{value:+.2f} {_glyph(pair, alpha)}".strip() if both else _glyph(pair, alpha)
        if text:
            texts[cell] = text
            inks.append(ink(level(value, limit)))
    # Not the heatmap's own text: its automatic colour is too pale on the middle blues.
    figure.add_trace(go.Scatter(
        x=[j for _, j in texts], y=[i for i, _ in texts], mode="text", hoverinfo="skip", text=list(texts.values()),
        textfont=dict(size=_fit(size, 4.2) if both else max(9, min(16, round(size * 0.55))), color=inks)))


def _add_chances(figure: go.Figure, cells: Cells, n: int, size: float) -> None:
    """Scatter, not heatmap: its text takes the colour of the page."""
    for sure in (True, False):
        found = {cell: pair for cell, (pair, _) in cells.items() if pair.significant == sure}
        if n > _EVERY_P and sure:
            continue
        texts = [_chance(pair, n) for pair in found.values()]
        figure.add_trace(go.Scatter(
            x=[i for i, _ in found], y=[j for _, j in found], mode="text", hoverinfo="skip",
            text=texts if sure else [f"<b>{text}</b>" for text in texts], opacity=0.75 if sure else 1,
            textfont_size=_fit(size, 1.9 if n > _EVERY_P else 2.9 if n <= _EVERY_NUMBER else 2.75)))


def _add_targets(figure: go.Figure, cells: Cells, metric: str) -> None:
    """Transparent points, the nearest of which is pointed at. Not Scattergl, which takes a second where no GPU is."""
    spots, said = [], []
    for (i, j), (pair, value) in cells.items():
        spots += [(i, j), (j, i)]
        said += [_said(pair, value, metric)] * 2
    figure.add_trace(go.Scatter(
        x=[column for _, column in spots], y=[row for row, _ in spots], mode="markers", customdata=spots,
        marker=dict(symbol="square", size=8, color=BLUE, opacity=0), hovertext=said,
        hovertemplate="%{hovertext}<extra></extra>", selected_marker_opacity=0, unselected_marker_opacity=0))


def _said(pair: PairResult, value: float, metric: str) -> str:
    """A pair in words, as Plotly text."""
    untested = pair.p_value is None and pair.win is None
    chances = ("not tested: no segment in common" if untested else
               f"wins {pair.win:.1%}, loses {pair.lose:.1%} of the samples" if pair.p_value is None
               else f"p {format_p(pair.p_value)}, adjusted {format_p(pair.p_adjusted)}")
    decision = {"a": f"{full(pair.a)} is better", "b": f"{full(pair.b)} is better", None: "not separated"}[pair.better]
    return f"{full(pair.a)} − {full(pair.b)}<br>{value:+.2f} {metric}<br>{chances}<br>{decision}"


def _key(settings: Settings, cells: Cells, n: int) -> str:
    if any(pair.win is not None for pair, _ in cells.values()):
        level = f"{100 * (1 - settings.alpha):g}%"
        return (f"Above the diagonal: {_FILLED} one side wins {level} or more of the samples.<br>"
                "Below: its share of wins")
    raw = "" if settings.correction == "none" else f"  {_HOLLOW} only without correction"
    return (f"Above the diagonal: {_FILLED} significant{raw}.<br>"
            f"Below: {p_word(settings.correction)}, {'only where' if n > _EVERY_P else 'bold if'} not significant")


def _glyph(pair: PairResult, alpha: float) -> str:
    raw = pair.p_value is not None and significant(pair.p_value, alpha)
    return _FILLED if pair.significant else _HOLLOW if raw else ""


def _chance(pair: PairResult, n: int) -> str:
    if pair.p_adjusted is not None:
        return format_p(pair.p_adjusted) if n <= _EVERY_NUMBER else _compact(pair.p_adjusted, 2 if n > _EVERY_P else 3)
    if pair.win is None or pair.lose is None:
        return "-"
    share = max(pair.win, pair.lose)
    return f"{share:.3f}" if n <= _EVERY_NUMBER else f"{share:.2f}".lstrip("0")


def _compact(p: float, digits: int) -> str:
    """Without the leading zero, and never 0."""
    if p < 10 ** -4:
        return f"{p:.0e}".replace("e-0", "e-")
    text = f"{p:.4f}" if p < 0.01 else f"{p:.{digits}f}"
    return "1" if float(text) == 1 else text.lstrip("0")


def _fit(size: float, ems: float) -> int:
    """Font size with which text of so many ems fits a cell."""
    return max(7, min(13, int(size / ems)))
