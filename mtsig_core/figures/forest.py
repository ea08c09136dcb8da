"""Scores with their intervals, and the rank intervals beside them."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mtsig_core.figures._style import BELOW, BLUE, GREY, Labels, full, noted
from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import rank_interval
from mtsig_core.report.tables import apart, cluster_ends, points, with_interval
from mtsig_core.results import MetricResult, Settings

__all__ = ["forest"]

_ROW, _LINE = 24, 14  # pixels per system, and for a second line of names
_RANKS = 48  # and beside the ranks, for what is written at the end of the last bar, however narrow the figure


def forest(result: MetricResult, settings: Settings, notes: Sequence[str] = ()) -> go.Figure:
    """A row a system, best on top: score with interval on the left, simultaneous rank interval on the right.

    Blue are the best-scoring systems, or the baseline; filled points differ significantly from it, hollow ones do not.
    A line separates clusters.
    The custom data of points and bars are the system's place in the result and its name.
    Without ranks (one system, a baseline, a test without p) the right half is left out.

    Parameters
    ----------
    result : MetricResult
    settings : Settings
        Those of the comparison.
    notes : sequence of str
        Sentences that a saved picture has to have below it, such as `caveats`.
    """
    systems, named = result.systems, Labels(34, 2, [system.system for system in result.systems])
    ranks = [(s.rank_low, s.rank_high) for s in systems if s.rank_low is not None and s.rank_high is not None]
    ranked = 1 < len(systems) == len(ranks)
    scores = f"{named(metric_title(result.metric), 24)} {with_interval(result, settings)}"
    titles = [scores, "Rank interval"][:1 + ranked]
    figure = make_subplots(1, 1 + ranked, shared_yaxes=True, horizontal_spacing=0.03, subplot_titles=titles,
                           column_widths=[0.68, 0.32] if ranked else None)
    rows = list(range(len(systems)))
    whose = [[k, full(s.system)] for k, s in enumerate(systems)]
    anchor, filled = apart(result, settings)
    best = {anchor} if settings.baseline is not None else result.best
    filled |= best
    colour = [BLUE if s.system in best else GREY for s in systems]
    arms = [(s.score - s.ci_low, s.ci_high - s.score) for s in systems
            if s.ci_low is not None and s.ci_high is not None]
    figure.add_trace(go.Scatter(
        x=[s.score for s in systems], y=rows, mode="markers", showlegend=False,
        marker=dict(size=9, color=colour, line=dict(color=colour, width=2),
                    symbol=["circle" if s.system in filled else "circle-open" for s in systems]),
        error_x=None if len(arms) < len(systems) else dict(
            type="data", symmetric=False, array=[right for _, right in arms], arrayminus=[left for left, _ in arms],
            color=GREY, thickness=1.5, width=3),
        customdata=whose, hovertemplate=f"%{{customdata[1]}}<br>%{{x:{points(result)}}}<extra></extra>"), 1, 1)
    if ranked:
        figure.add_trace(go.Bar(
            base=[low - 0.3 for low, _ in ranks], x=[high - low + 0.6 for low, high in ranks], y=rows,
            orientation="h", width=0.5, marker=dict(color=colour, opacity=0.75), showlegend=False,
            text=[rank_interval(*ends).replace("-", "–") for ends in ranks], textposition="outside",
            cliponaxis=False, outsidetextfont_size=13, constraintext="none", customdata=whose,
            hovertemplate="%{customdata[1]}<br>rank %{text}<extra></extra>"), 1, 2)
        last = len(systems)
        ticks = sorted({1, *range(5, last - 2, 5), last})
        figure.update_xaxes(range=[0.4, last + 0.6], tickvals=ticks, row=1, col=2)
        for k in cluster_ends(systems):  # across both halves, now that both have something
            figure.add_hline(k + 0.5, line=dict(color=GREY, width=1))
    figure.update_yaxes(tickvals=rows, ticktext=[named(s.system) for s in systems], tickfont_size=13,
                        range=[len(systems) - 0.4, -0.6], showgrid=False, zeroline=False)
    figure.update_xaxes(showgrid=True, zeroline=False, tickfont_size=13)
    row = _ROW + _LINE * (named.lines - 1)
    right = _RANKS if ranked else 8
    figure.update_layout(height=row * len(systems) + 98, margin=dict(l=named.left, r=right, t=36, b=BELOW),
                         dragmode=False)
    figure.update_annotations(font_size=14)
    if ranked:  # each title is above all of its half, so that there is room for both where that is narrow
        for title, shift in zip(figure.layout.annotations, (-named.left / 2, right / 2), strict=True):
            title.xshift = shift
    return noted(named.below(figure), notes)
