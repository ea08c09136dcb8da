"""How far metrics agree with people: dots with their intervals."""

from __future__ import annotations

import plotly.graph_objects as go

from mtsig_core.figures._style import BLUE, GREY, Labels, full, measured
from mtsig_core.metrics import metric_title
from mtsig_core.results.agreement import Agreement, TaskAgreement

__all__ = ["agreement_dots"]

_ROW = 40
_KINDS = (("soft pairwise accuracy", "soft_pairwise_accuracy", BLUE, "circle", -0.12),
          ("pairwise accuracy", "pairwise_accuracy", GREY, "diamond-open", 0.18))


def agreement_dots(found: Agreement | TaskAgreement) -> go.Figure:
    """A row a metric, the most agreeing on top: soft pairwise accuracy above, pairwise accuracy below, with intervals.

    The line at 0.5 is where a coin would stand that orders each pair.
    """
    figure, named, ends = go.Figure(), Labels(34, 2), [0.5]
    for text, key, colour, symbol, shift in _KINDS:
        known = [(k, getattr(one, key), getattr(one, f"{key}_low"), getattr(one, f"{key}_high"), one.metric)
                 for k, one in enumerate(found.metrics) if getattr(one, key) is not None]
        ends += [end for _, _, low, high, _ in known for end in (low, high)]
        figure.add_trace(go.Scatter(
            x=[value for _, value, *_ in known], y=[k + shift for k, *_ in known], mode="markers", name=text,
            marker=dict(size=10, color=colour, symbol=symbol, line=dict(color=colour, width=2)),
            error_x=dict(type="data", symmetric=False, array=[high - value for _, value, _, high, _ in known],
                         arrayminus=[value - low for _, value, low, _, _ in known], color=colour, thickness=2, width=4),
            customdata=[[full(metric_title(metric)), low, high] for *_, low, high, metric in known],
            hovertemplate=f"%{{customdata[0]}}: {text} %{{x:.3f}} "
                          "[%{customdata[1]:.3f}, %{customdata[2]:.3f}]<extra></extra>"))
    figure.add_shape(type="line", x0=0.5, x1=0.5, y0=0, y1=1, yref="paper", layer="below",
                     line=dict(color=GREY, width=1, dash="dot"))
    rows = len(found.metrics)
    figure.update_yaxes(tickvals=list(range(rows)), ticktext=[named(metric_title(one.metric)) for one in found.metrics],
                        tickfont_size=14, range=[rows - 0.4, -0.6], showgrid=False, zeroline=False)
    low, high = max(0.0, min(ends) - 0.03), min(1.0, max(ends) + 0.03)
    figure.update_xaxes(range=[low, high + 0.005], tickfont_size=13, zeroline=False, tickformat=".2f")
    measured(figure, f"agreement with {named(found.human, 30)} (1: always; dotted line: 0.5, as a coin would)")
    figure.update_layout(height=_ROW * rows + 110, margin=dict(l=named.left, r=8, t=30, b=48), dragmode=False,
                         hovermode="closest", showlegend=True,
                         legend=dict(orientation="h", x=0, y=1.01, yanchor="bottom", font_size=14, itemclick=False,
                                     itemdoubleclick=False))
    return named.below(figure)
