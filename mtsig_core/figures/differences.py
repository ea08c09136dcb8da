"""Differences of all systems to the best, or to the baseline, with single and simultaneous intervals."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from mtsig_core.figures._style import BLUE, GREY, Labels, full, interval_bars, measured, noted
from mtsig_core.metrics import metric_title
from mtsig_core.report.records import leaderboard_records
from mtsig_core.report.tables import apart, points, simultaneous_word
from mtsig_core.results import MetricResult, Settings

__all__ = ["differences"]

_ROW, _LINE = 26, 14  # pixels per system, and for a second line of names


def differences(result: MetricResult, settings: Settings, notes: Sequence[str] = ()) -> go.Figure:
    """A row a system but the best, or but the baseline: its improvement over that one, best on top.

    The thick bar is the single interval, the thin line with ends the simultaneous one. Filled points differ
    significantly, hollow ones do not. The custom data are the system's place in the result and its name.

    Parameters
    ----------
    result : MetricResult
        With a pair at least.
    settings : Settings
        Those of the comparison.
    notes : sequence of str
        Sentences that a saved picture has to have below it, such as `caveats`.
    """
    anchor, filled = apart(result, settings)
    header, records = leaderboard_records([result], settings)
    at, joint = header.index("losses") + 1, header.index("score") + 3  # its simultaneous interval; the difference
    shown = [(k, row[joint], row[joint + 1:joint + 3], row[at:at + 2]) for k, row in enumerate(records)
             if row[joint] is not None]
    names = [result.systems[k].system for k, *_ in shown]
    rows, named, level = list(range(len(shown))), Labels(34, 2, names), f"{100 * (1 - settings.alpha):g}% interval"
    whose = [[k, full(name)] for (k, *_), name in zip(shown, names, strict=True)]
    figure = go.Figure()
    word = simultaneous_word(result, settings)
    if word is not None:
        interval_bars(figure, [ends for *_, ends in shown], rows, word, False, whose, points(result))
    interval_bars(figure, [ends for *_, ends, _ in shown], rows, level if word is None else f"single {level}",
                  whose=whose, form=points(result))
    figure.add_trace(go.Scatter(
        x=[delta for _, delta, *_ in shown], y=rows, mode="markers", showlegend=False,
        marker=dict(size=11, color=BLUE, line=dict(color=BLUE, width=2),
                    symbol=["circle" if name in filled else "circle-open" for name in names]),
        customdata=whose, hovertemplate=f"%{{customdata[1]}}<br>%{{x:+{points(result)}}}<extra></extra>"))
    figure.add_vline(x=0, line=dict(color=GREY, width=2, dash="dash"))
    measured(figure, f"{named(metric_title(result.metric), 16)} improvement over {named(anchor, 28)}")
    figure.update_yaxes(tickvals=rows, ticktext=[named(name) for name in names], tickfont_size=13, zeroline=False,
                        range=[len(rows) - 0.4, -0.6], showgrid=False)
    figure.update_xaxes(showgrid=True, zeroline=False, tickfont_size=13, exponentformat="power")
    row = _ROW + _LINE * (named.lines - 1)
    figure.update_layout(height=row * len(rows) + 110, margin=dict(l=named.left, r=8, t=40, b=52), dragmode=False)
    return noted(named.below(figure), notes)
