"""Figures of a comparison and of one pair: scores, differences, all pairs, agreement with people,
drivers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mtsig_core.figures.style import (
    BELOW,
    ENDS,
    TITLE_LINE,
    Labels,
    add_histogram,
    full,
    interval_bars,
    measured,
    noted,
    set_key,
    set_rows,
)
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import p_word
from mtsig_core.report.palette import (
    BLUE,
    GREY,
    VERMILLION,
    colour_limit,
    ink,
    level,
    mixed,
    width,
    wrapped,
)
from mtsig_core.report.sentences import (
    choose_form,
    describe_difference,
    describe_undecided,
    name_first_place,
    name_score_axis,
    name_simultaneous,
    pick_significant,
    view_anchor_pairs,
    write_difference_axis,
    write_level,
)
from mtsig_core.report.table import choose_cell_form, format_p, rank_interval, rounded, signed
from mtsig_core.report.tables import cluster_ends
from mtsig_core.report.text import printable
from mtsig_core.results import Agreement, MetricResult, PairResult, Settings, TaskAgreement
from mtsig_core.stats.ranks import RANK_RULES, find_top_group
from mtsig_core.stats.significance import significant

# -------------------------------------------------------------------------------------------------
# Differences of all systems to the best, or to the baseline, with single and simultaneous intervals.


_DIFFERENCE_ROW, _LOW_ROW, _MANY = 26, 20, 15  # pixels per system, and where they are many
_TITLE_WIDE = 66  # digits of a line of the title


def differences(
    result: MetricResult, settings: Settings, notes: Sequence[str] = (), verdict: str = ""
) -> go.Figure:
    """A row a system, as they are ranked: its improvement over the best, or over the baseline,
    which is at 0.

    The verdict is the title, and colours are its groups. The thick bar is the interval of one pair,
    the thin line with ends that for all pairs together. Filled points differ significantly, hollow
    ones do not. The custom data are the system's place in the result and its name.
    """
    anchor, filled = pick_significant(result, settings)
    seen, word = view_anchor_pairs(result, settings), name_simultaneous(result, settings)
    shown = [
        (k, row.system, seen.get(row.system))
        for k, row in enumerate(result.systems)
        if row.system in seen or row.system == anchor
    ]
    names = [name for _, name, _ in shown]
    whose = [[k, full(name)] for k, name, _ in shown]
    values = [0.0 if own is None else own.difference for *_, own in shown]
    named, level, form = Labels(34, 2, names), f"{write_level(settings)} CI", choose_form(result)
    figure = go.Figure()
    for text, thick in ((word, False), (level, True)):
        ends = {
            k: own.ci if thick else own.ci_joint
            for k, (*_, own) in enumerate(shown)
            if own is not None
        }
        known = {k: both for k, both in ends.items() if both is not None}
        if text is not None and known:
            interval_bars(
                figure,
                list(known.values()),
                list(known),
                text,
                thick,
                [whose[k] for k in known],
                form,
            )
    for group, colour, members in group_systems(result, settings):
        rows = [k for k, name in enumerate(names) if name in members]
        figure.add_trace(
            go.Scatter(
                x=[values[k] for k in rows],
                y=rows,
                mode="markers",
                name=group,
                showlegend=bool(group and rows),
                marker=dict(
                    size=11,
                    color=colour,
                    line=dict(color=colour, width=2),
                    symbol=["circle" if names[k] in filled else "circle-open" for k in rows],
                ),
                customdata=[whose[k] for k in rows],
                hovertemplate=f"%{{customdata[1]}}<br>%{{x:+{form}}}<extra></extra>",
            )
        )
    set_key(figure)
    figure.add_vline(x=0, line=dict(color=GREY, width=2, dash="dash"))
    measured(
        figure,
        write_difference_axis(result, named(metric_title(result.metric), 24), named(anchor, 28)),
    )
    figure.update_xaxes(showgrid=True, zeroline=False, tickfont_size=13, exponentformat="power")
    lines = wrapped(printable(verdict), _TITLE_WIDE) if verdict else []
    lines = lines if len(lines) <= 3 else [*lines[:2], f"{lines[2].rstrip()}…"]
    set_rows(
        figure,
        named,
        names,
        _DIFFERENCE_ROW if len(names) <= _MANY else _LOW_ROW,
        bottom=52,
        more=18,
        top=54 + TITLE_LINE * len(lines),
    )
    figure.update_layout(
        title=dict(
            text="<br>".join(map(full, lines)),
            font_size=17,
            x=0,
            xref="container",
            y=1,
            yref="container",
            yanchor="top",
            pad=dict(t=24, l=8),
        )
    )
    return noted(named.below(figure), notes)


def group_systems(result: MetricResult, settings: Settings) -> list[tuple[str, str, set[str]]]:
    """The groups of systems that the verdict speaks of, each with its name and its colour; the last
    are all others, without a name.
    """
    names = {row.system for row in result.systems}
    if settings.baseline is not None:
        better, worse = (
            {pair.a for pair in result.pairs if pair.better == side} for side in "ab"
        )  # b: the baseline
        groups = [
            ("significantly better", BLUE, better),
            ("significantly worse", VERMILLION, worse),
        ]
    elif top := find_top_group(result):
        groups = [(name_first_place(RANK_RULES[settings.rank_rule]), BLUE, set(top))]
    else:
        groups = [("best score", BLUE, set(result.best))]
    return [*groups, ("", GREY, names.difference(*(members for *_, members in groups)))]


# -------------------------------------------------------------------------------------------------
# Scores with their intervals, and the rank ranges beside them.


_FOREST_ROW, _LOW_FOREST_ROW = 24, 18  # pixels per system, and where they are many
# and beside the ranks, for what is written at the end of the last bar, however narrow the figure
_RANKS = 48


def forest(result: MetricResult, settings: Settings, notes: Sequence[str] = ()) -> go.Figure:
    """A row a system, best on top: score with interval on the left, rank range on the right.

    Colours are the groups of the verdict; filled points differ significantly from the best or the
    baseline, hollow ones do not. A line separates clusters. The custom data of points and bars are
    the system's place in the result and its name. Without ranks (one system, a baseline, a test
    without p) the right half is left out.
    """
    systems, named = result.systems, Labels(34, 2, [system.system for system in result.systems])
    ranks = [
        (s.rank_low, s.rank_high)
        for s in systems
        if s.rank_low is not None and s.rank_high is not None
    ]
    ranked = 1 < len(systems) == len(ranks)
    scores = f"{named(metric_title(result.metric), 24)} {name_score_axis(result, settings)}"
    titles = [scores, "Rank range"][: 1 + ranked]
    figure = make_subplots(
        1,
        1 + ranked,
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=titles,
        column_widths=[0.68, 0.32] if ranked else None,
    )
    rows = list(range(len(systems)))
    whose = [[k, full(s.system)] for k, s in enumerate(systems)]
    anchor, filled = pick_significant(result, settings)
    filled |= result.best if settings.baseline is None else {anchor}
    colours = {
        name: colour for _, colour, members in group_systems(result, settings) for name in members
    }
    colour = [colours[s.system] for s in systems]
    arms = [
        (s.score - s.ci_low, s.ci_high - s.score)
        for s in systems
        if s.ci_low is not None and s.ci_high is not None
    ]
    figure.add_trace(
        go.Scatter(
            x=[s.score for s in systems],
            y=rows,
            mode="markers",
            showlegend=False,
            marker=dict(
                size=9,
                color=colour,
                line=dict(color=colour, width=2),
                symbol=["circle" if s.system in filled else "circle-open" for s in systems],
            ),
            error_x=None
            if len(arms) < len(systems)
            else dict(
                type="data",
                symmetric=False,
                array=[right for _, right in arms],
                arrayminus=[left for left, _ in arms],
                color=GREY,
                thickness=1.5,
                width=3,
            ),
            customdata=whose,
            hovertemplate=f"%{{customdata[1]}}<br>%{{x:{choose_form(result)}}}<extra></extra>",
        ),
        1,
        1,
    )
    if ranked:
        figure.add_trace(
            go.Bar(
                base=[low - 0.3 for low, _ in ranks],
                x=[high - low + 0.6 for low, high in ranks],
                y=rows,
                orientation="h",
                width=0.5,
                marker=dict(color=colour, opacity=0.75),
                showlegend=False,
                text=[rank_interval(*ends).replace("-", "–") for ends in ranks],
                textposition="outside",
                cliponaxis=False,
                outsidetextfont_size=13,
                constraintext="none",
                customdata=whose,
                hovertemplate="%{customdata[1]}<br>rank %{text}<extra></extra>",
            ),
            1,
            2,
        )
        last = len(systems)
        ticks = sorted({1, *range(5, last - 2, 5), last})
        figure.update_xaxes(range=[0.4, last + 0.6], tickvals=ticks, row=1, col=2)
        for k in cluster_ends(systems):  # across both halves, now that both have something
            figure.add_hline(k + 0.5, line=dict(color=GREY, width=1))
    figure.update_xaxes(showgrid=True, zeroline=False, tickfont_size=13)
    right = _RANKS if ranked else 8
    set_rows(
        figure,
        named,
        [s.system for s in systems],
        _FOREST_ROW if len(systems) <= _MANY else _LOW_FOREST_ROW,
        top=36,
        bottom=BELOW,
        right=right,
        more=26,
    )
    figure.update_annotations(font_size=14)
    if (
        ranked
    ):  # each title is above all of its half, so that there is room for both where that is narrow
        for title, shift in zip(
            figure.layout.annotations, (-named.left / 2, right / 2), strict=True
        ):
            title.xshift = shift
    return noted(named.below(figure), notes)


# -------------------------------------------------------------------------------------------------
# All pairs at once: differences above the diagonal, p-values below it.


_WIDTH = 690  # pixels of the cells on a screen of 1280: what the sizes of text are chosen for
_WIDEST = 24  # of a name, in digits
_EVERY_P, _EVERY_NUMBER, _SHORT_NUMBER = 18, 14, 26  # up to so many systems a cell has room for it
# pixels of the whole figure, which a projector shows with the control above it; more only for many
# systems
_HIGH = 620
_SCREEN = 0.5  # of the font size: a digit in the font of the dashboard
_ICONS = 70  # pixels of those beside the key


def matrix(
    result: MetricResult, settings: Settings, dark: bool = False, notes: Sequence[str] = ()
) -> go.Figure:
    """A row and a column a system, in the order of the leaderboard: above the diagonal the
    improvement of row over column, below it the adjusted p, or for a test without p the share of
    resamples that the better system wins.

    What is significant has a colour: hue is direction, depth is size, up to `colour_limit`. What is
    not is set bold below. Where cells are small, only pairs that are not significant show p, and
    columns have numbers. The last trace is transparent and takes the clicks: its points have the
    customdata (row, column). The meta of the layout says how wide the figure must be for its key,
    and for the texts of its cells.
    """
    drawn = _Matrix(result, settings, dark)
    n, size, names = drawn.n, drawn.size, [system.system for system in result.systems]
    upright, named, figure = n <= _EVERY_NUMBER, Labels(_WIDEST, among=names), drawn.figure
    drawn.add_differences(
        f"{describe_difference(result)} in {drawn.form.unit}"
        f"{named(metric_title(result.metric), _WIDEST)}"
    )
    drawn.add_cells([[0 if i == j else None for j in range(n)] for i in range(n)], 0.3)
    drawn.add_chances()
    drawn.add_targets()
    axis = dict(
        tickvals=list(range(n)),
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        ticks="",
        tickfont_size=max(9, min(13, round(size * 0.62))),
    )
    shown = [named(name, number=None if upright else k) for k, name in enumerate(names, 1)]
    top = 62 + round(8 * min(_WIDEST, max(map(width, names), default=0))) if upright else 58
    row_height = max(15, min(40, round(size * 0.92), (_HIGH - top - 70) // max(n, 1)))
    figure.update_xaxes(
        **axis,
        ticktext=shown if upright else [str(k) for k in range(1, n + 1)],
        side="top",
        tickangle=-90 if upright else 0,
        range=[-0.5, n - 0.5],
    )
    figure.update_yaxes(**axis, ticktext=shown, range=[n - 0.5, -0.5])
    key = drawn.key()
    figure.update_layout(
        meta=dict(
            key=key,
            key_from=round(14 * _SCREEN * max(map(width, key.split("<br>")))) + _ICONS,
            texts_from=named.left + 8 + n * _widest_text(figure),
        ),
        height=top + row_height * n + 70,
        margin=dict(l=named.left, r=8, t=top, b=62),
        dragmode=False,
        hovermode="closest",
        hoverdistance=-1,
        showlegend=False,
        plot_bgcolor="rgba(0,0,0,0)",
        hoverlabel=dict(
            bgcolor="#1B2330", bordercolor="#1B2330", font=dict(color="white", size=14)
        ),
        # The span, because the theme of the dashboard sets titles bold.
        title=dict(
            text=f'<span style="font-weight:400">{key}</span>',
            font_size=14,
            x=0,
            xref="container",
            y=1,
            yref="container",
            yanchor="top",
            pad=dict(t=16),
        ),
    )
    return noted(named.below(figure), notes)


class _Matrix:
    """The traces of a matrix, from the bottom to the top."""

    def __init__(self, result: MetricResult, settings: Settings, dark: bool):
        self.result, self.settings, self.dark, self.figure = result, settings, dark, go.Figure()
        self.n = len(result.systems)
        self.size = _WIDTH / max(self.n, 1)  # pixels of a cell
        place = {system.system: k for k, system in enumerate(result.systems)}
        #: By row and column above the diagonal: the pair there, and the improvement of row over
        #: column.
        self.cells: dict[tuple[int, int], tuple[PairResult, float]] = {}
        for pair in result.pairs:
            i, j = place[pair.a], place[pair.b]
            improvement = result.sign * pair.delta
            self.cells[min(i, j), max(i, j)] = (pair, improvement if i < j else -improvement)
        self.form = choose_cell_form(
            [s.score for s in result.systems], [value for _, value in self.cells.values()]
        )

    def add_cells(self, z: Sequence[Sequence[float | None]], opacity: float) -> None:
        """Grey cells where there is anything."""
        self.figure.add_trace(
            go.Heatmap(
                z=z,
                x=list(range(self.n)),
                y=list(range(self.n)),
                xgap=1,
                ygap=1,
                colorscale=[[0, GREY], [1, GREY]],
                opacity=opacity,
                showscale=False,
                hoverinfo="skip",
            )
        )

    def add_texts(self, texts: Mapping[tuple[int, int], str], size: int, **more: Any) -> None:
        """Not a heatmap's own text: its automatic colour is too pale on the middle blues."""
        self.figure.add_trace(
            go.Scatter(
                x=[column for _, column in texts],
                y=[row for row, _ in texts],
                mode="text",
                hoverinfo="skip",
                text=list(texts.values()),
                textfont_size=size,
                **more,
            )
        )

    def add_differences(self, difference: str) -> None:
        """Those that are significant, in colour; of the others the cell, in grey."""
        n, form = self.n, self.form
        limit, clipped = colour_limit(value for _, value in self.cells.values())
        coloured: list[list[float | None]] = [[None] * n for _ in range(n)]
        grey: list[list[float | None]] = [[None] * n for _ in range(n)]
        texts, inks = {}, []
        for (i, j), (pair, value) in self.cells.items():
            (coloured if pair.significant else grey)[i][j] = value
            if text := self._write_difference(pair, form.scale(value)):
                texts[i, j] = text
                inks.append(
                    ink(level(value, limit), self.dark)
                    if pair.significant
                    else "#E8ECF2"
                    if self.dark
                    else "#1B2330"
                )
        stops = [k / 10 for k in range(-10, 11)]
        least, most = ("≤ ", "≥ ") if clipped else ("", "")
        end = f"{form.scale(limit):.3g}"
        self.figure.add_trace(
            go.Heatmap(
                z=coloured,
                x=list(range(n)),
                y=list(range(n)),
                zmin=-limit,
                zmax=limit,
                xgap=1,
                ygap=1,
                hoverinfo="skip",
                colorscale=[
                    [0.5 + 0.5 * u * abs(u), "rgb({},{},{})".format(*mixed(u, self.dark))]
                    for u in stops
                ],
                colorbar=dict(
                    orientation="h",
                    thickness=10,
                    len=0.5,
                    x=0,
                    xanchor="left",
                    y=0,
                    yanchor="top",
                    ypad=12,
                    tickvals=[-limit, 0, limit],
                    ticktext=[f"{least}−{end}", "0", f"{most}+{end}"],
                    tickfont_size=12,
                    outlinewidth=0,
                    title=dict(
                        text=f"{difference}: blue, the row is better", side="bottom", font_size=12
                    ),
                ),
            )
        )
        self.add_texts(
            texts,
            _fit(self.size, 4.2)
            if n <= _EVERY_NUMBER
            else _fit(self.size, 2.3 if form.decimals == 2 else 2.9)
            if n <= _SHORT_NUMBER
            else max(9, min(16, round(self.size * 0.55))),
            textfont_color=inks,
        )
        self.add_cells(grey, 0.12)

    def add_chances(self) -> None:
        """What is below the diagonal, bold where not significant; where cells are small, only
        that.
        """
        size = _fit(
            self.size, 1.9 if self.n > _EVERY_P else 2.9 if self.n <= _EVERY_NUMBER else 2.75
        )
        for is_significant in (True, False) if self.n <= _EVERY_P else (False,):
            texts = {
                (j, i): self._write_chance(pair)
                for (i, j), (pair, _) in self.cells.items()
                if pair.significant == is_significant
            }
            self.add_texts(
                texts
                if is_significant
                else {cell: f"<b>{text}</b>" for cell, text in texts.items()},
                size,
                opacity=0.75 if is_significant else 1,
            )

    def add_targets(self) -> None:
        """Transparent points, the nearest of which is pointed at.

        Not Scattergl, which takes a second without a GPU.
        """
        spots, texts = [], []
        for (i, j), (pair, value) in self.cells.items():
            spots += [(i, j), (j, i)]
            texts += [self._describe(pair, value)] * 2
        self.figure.add_trace(
            go.Scatter(
                x=[column for _, column in spots],
                y=[row for row, _ in spots],
                mode="markers",
                customdata=spots,
                marker=dict(symbol="square", size=8, color=BLUE, opacity=0),
                hovertext=texts,
                hovertemplate="%{hovertext}<extra></extra>",
                selected_marker_opacity=0,
                unselected_marker_opacity=0,
            )
        )

    def key(self) -> str:
        if any(pair.win is not None for pair, _ in self.cells.values()):
            return (
                f"Above the diagonal: in colour where one side wins {write_level(self.settings)} or more of the "
                "resamples.<br>Below: its share of wins"
            )
        m = len(self.result.tested)
        raw = "" if self.settings.correction == "none" or m == 1 else ", ○ only without correction"
        shown = f"{p_word(self.settings.correction, m)}, {'only where' if self.n > _EVERY_P else 'bold if'}"
        return f"Above the diagonal: in colour where significant{raw}.<br>Below: {shown} not significant"

    def _describe(self, pair: PairResult, value: float) -> str:
        """A pair in words, as Plotly text."""
        untested = pair.p_value is None and pair.win is None
        chances = (
            "not tested: no segment in common"
            if untested
            else f"wins {pair.win:.1%}, loses {pair.lose:.1%} of the resamples"
            if pair.p_value is None
            else f"p {format_p(pair.p_value)}, adjusted {format_p(pair.p_adjusted)}"
        )
        decision = {
            "a": f"<br>{full(pair.a)} is better",
            "b": f"<br>{full(pair.b)} is better",
            None: "" if untested else f"<br>{describe_undecided(pair, self.settings)}",
        }[pair.better]
        return (
            f"{full(pair.a)} − {full(pair.b)}<br>{signed(value, choose_form(self.result))} "
            f"{full(metric_title(self.result.metric))}<br>{chances}{decision}"
        )

    def _write_difference(self, pair: PairResult, value: float) -> str:
        """Difference and glyph where there is room; else the difference of a significant pair in
        few places; else the glyph.
        """
        glyph, is_short = choose_glyph(pair, self.settings.alpha), self.form.decimals == 2
        if self.n <= _EVERY_NUMBER:
            text = signed(value, f".{self.form.decimals}f")
            return f"{text if is_short else text.replace('0.', '.', 1)} {glyph}".strip()
        size = abs(value)
        if self.n > _SHORT_NUMBER or not pair.significant or size < (0.005 if is_short else 0.0005):
            return glyph
        small = f"{size:.{2 if is_short else 3}f}".lstrip("0")
        return "−" * (value < 0) + (
            f"{size:.0f}" if size >= 9.95 else f"{size:.1f}" if size >= 0.995 else small
        )

    def _write_chance(self, pair: PairResult) -> str:
        has_room = self.n <= _EVERY_NUMBER
        if pair.p_adjusted is None:
            share = None if pair.win is None or pair.lose is None else max(pair.win, pair.lose)
            return (
                "-" if share is None else f"{share:.3f}" if has_room else f"{share:.2f}".lstrip("0")
            )
        p = pair.p_adjusted
        if has_room:
            return format_p(p)
        if p < 10**-4:  # never 0
            return f"{p:.0e}".replace("e-0", "e-")
        text = f"{p:.4f}" if p < 0.01 else f"{p:.{2 if self.n > _EVERY_P else 3}f}"
        return "1" if float(text) == 1 else text.lstrip("0")


def choose_glyph(pair: PairResult, alpha: float) -> str:
    """Whether the pair is significant, or only without the correction."""
    raw = pair.p_value is not None and pair.favours is None and significant(pair.p_value, alpha)
    return "●" if pair.significant else "○" if raw else ""


def _widest_text(figure: go.Figure) -> int:
    """Pixels of the widest text of a cell on screen."""
    written = figure.select_traces(dict(type="scatter", mode="text"))
    return round(
        _SCREEN
        * max(
            (
                trace.textfont.size * width(text.removeprefix("<b>").removesuffix("</b>"))
                for trace in written
                for text in trace.text
            ),
            default=0,
        )
    )


def _fit(size: float, ems: float) -> int:
    """Font size with which text of so many ems fits a cell."""
    return max(7, min(13, int(size / ems)))


# -------------------------------------------------------------------------------------------------
# How far metrics agree with people: dots with their intervals.


_METRIC_ROW = 40
_KINDS = (
    ("soft pairwise accuracy", "soft_pairwise_accuracy", BLUE, "circle", -0.12),
    ("pairwise accuracy", "pairwise_accuracy", GREY, "diamond-open", 0.18),
)


def agreement_dots(found: Agreement | TaskAgreement) -> go.Figure:
    """A row a metric, the most agreeing on top: soft pairwise accuracy above, pairwise accuracy
    below, with intervals.

    The line at 0.5 is where a coin would stand that orders each pair.
    """
    figure, named, ends = go.Figure(), Labels(34, 2), [0.5]
    for text, key, colour, symbol, shift in _KINDS:
        known = [
            (
                k,
                getattr(one, key),
                getattr(one, f"{key}_low"),
                getattr(one, f"{key}_high"),
                one.metric,
            )
            for k, one in enumerate(found.metrics)
            if getattr(one, key) is not None
        ]
        ends += [end for _, _, low, high, _ in known for end in (low, high)]
        figure.add_trace(
            go.Scatter(
                x=[value for _, value, *_ in known],
                y=[k + shift for k, *_ in known],
                mode="markers",
                name=text,
                marker=dict(size=10, color=colour, symbol=symbol, line=dict(color=colour, width=2)),
                error_x=dict(
                    type="data",
                    symmetric=False,
                    array=[high - value for _, value, _, high, _ in known],
                    arrayminus=[value - low for _, value, low, _, _ in known],
                    color=colour,
                    thickness=2,
                    width=4,
                ),
                customdata=[
                    [full(metric_title(metric)), low, high] for *_, low, high, metric in known
                ],
                hovertemplate=f"%{{customdata[0]}}: {text} %{{x:.3f}} "
                "[%{customdata[1]:.3f}, %{customdata[2]:.3f}]<extra></extra>",
            )
        )
    figure.add_shape(
        type="line",
        x0=0.5,
        x1=0.5,
        y0=0,
        y1=1,
        yref="paper",
        layer="below",
        line=dict(color=GREY, width=1, dash="dot"),
    )
    low, high = max(0.0, min(ends) - 0.03), min(1.0, max(ends) + 0.03)
    figure.update_xaxes(
        range=[low, high + 0.005], tickfont_size=13, zeroline=False, tickformat=".2f"
    )
    measured(
        figure,
        f"agreement with {named(found.human, 30)} (1: always; dotted line: 0.5, as a coin would)",
    )
    set_rows(
        figure,
        named,
        [metric_title(one.metric) for one in found.metrics],
        _METRIC_ROW,
        top=30,
        bottom=48,
        more=32,
    )
    figure.update_layout(
        hovermode="closest",
        showlegend=True,
        legend=dict(
            orientation="h",
            x=0,
            y=1.01,
            yanchor="bottom",
            font_size=14,
            itemclick=False,
            itemdoubleclick=False,
        ),
    )
    return named.below(figure)


# -------------------------------------------------------------------------------------------------
# One pair: the bootstrapped difference, the null of approximate randomization, and what drives the difference.


_ROW = 24  # pixels per bar
_LINE, _SECOND = 18, 12  # pixels of a line above a figure, and of a second line of names
_SIDE, _BOTH = 20, 16  # widest name of a side, and both together in one line, in digits
# pixels between names and bars for a number, which a narrow figure has no room for beside its bar
_VALUE = 34
_HALF = 36  # of a figure in half of the page
_NAMES = 46  # pixels of the names of two intervals
_FILL = {
    BLUE: "rgba(0,114,178,0.55)",
    VERMILLION: "rgba(213,94,0,0.65)",
    GREY: "rgba(122,133,148,0.35)",
}


def half_eye(
    x: np.ndarray,
    y: np.ndarray,
    delta: float,
    interval: tuple[float, float] | None,
    *,
    a: str,
    b: str,
    unit: str,
    form: str = ".2f",
    joint: tuple[float, float] | None = None,
    called: tuple[str, str] = ("", ""),
) -> go.Figure:
    """The density (x, y) of bootstrapped improvements of a over b, and under it the observed one
    with its intervals, single and simultaneous (joint), `called` by name below the figure. Right of
    zero is blue, the rest vermillion.
    """
    top = float(y.max()) if len(y) else 1.0
    figure = go.Figure()
    if len(y):
        at_zero = float(np.interp(0, x, y))
        for keep, end, colour in ((x > 0, 0, BLUE), (x < 0, -1, VERMILLION)):
            if keep.any():
                inside = x.min() < 0 < x.max()
                part = [(0.0, at_zero)] if inside else []
                curve = list(zip(x[keep].tolist(), y[keep].tolist(), strict=True))
                curve = part + curve if end == 0 else curve + part
                figure.add_trace(
                    go.Scatter(
                        x=[p for p, _ in curve],
                        y=[q for _, q in curve],
                        mode="lines",
                        fill="tozeroy",
                        line=dict(color=colour, width=2, simplify=False),
                        fillcolor=_FILL[colour],
                        showlegend=False,
                        hoverinfo="skip",
                    )
                )
    ends = [delta, 0.0, *(interval or ()), *(joint or ()), *(x[[0, -1]].tolist() if len(x) else ())]
    if interval is not None and joint is not None:
        interval_bars(figure, [interval], [-0.1 * top], called[0], form=form)
        interval_bars(figure, [joint], [-0.24 * top], called[1], thick=False, form=form)
        set_key(figure)
    elif interval is not None:
        figure.add_trace(
            go.Scatter(
                x=list(interval),
                y=[-0.1 * top] * 2,
                mode="lines",
                showlegend=False,
                line=dict(color=GREY, width=6),
                hovertemplate=f"%{{x:+{form}}}<extra></extra>",
            )
        )
    figure.add_trace(
        go.Scatter(
            x=[delta],
            y=[-0.1 * top],
            mode="markers",
            showlegend=False,
            marker=dict(
                size=15, color=BLUE if delta >= 0 else VERMILLION, line=dict(color="white", width=2)
            ),
            hovertemplate=f"%{{x:+{form}}}<extra></extra>",
        )
    )
    _zero(figure)
    margin = 0.04 * (max(ends) - min(ends)) or 1.0
    figure.update_xaxes(
        range=[min(ends) - margin, max(ends) + margin],
        zeroline=False,
        tickfont_size=13,
        exponentformat="power",
    )
    named = Labels(among=(a, b))
    measured(figure, f"{named(unit, 16)} difference, bootstrapped")
    figure.update_yaxes(range=[(-0.2 if joint is None else -0.36) * top, 1.22 * top], visible=False)
    lines = _sides(figure, named, min(ends) < -margin, max(ends) > margin, a, b)
    _sized(figure, lines=lines)
    below = figure.layout.margin.b + _NAMES
    if joint is not None:  # what they are called, a line each, below what the axis measures
        figure.update_layout(height=figure.layout.height + _NAMES, margin_b=below)
    named.below(figure, _HALF)
    if joint is not None:
        figure.update_layout(
            legend=dict(
                yref="container",
                yanchor="bottom",
                y=(figure.layout.margin.b - below) / figure.layout.height,
            )
        )
    return figure


def null_tails(
    edges: np.ndarray,
    counts: np.ndarray,
    delta: float,
    *,
    unit: str,
    form: str = ".2f",
    exact: bool = False,
) -> go.Figure:
    """The histogram of differences that random swaps give, or all swaps (exact); those at least as
    large as the observed one are filled.
    """
    size, top = abs(delta), float(counts.max(initial=1))
    figure = go.Figure()
    add_histogram(
        figure,
        edges,
        counts,
        [
            (low, high, colour, _FILL[colour])
            for low, high, colour in (
                (-np.inf, -size, VERMILLION),
                (-size, size, GREY),
                (size, np.inf, BLUE),
            )
        ],
        1,
    )
    for at in sorted({-delta, delta}):
        seen = at == delta
        figure.add_shape(
            type="line",
            x0=at,
            x1=at,
            y0=0,
            y1=1.04 * top,
            line=dict(
                color=BLUE if at >= 0 else VERMILLION,
                width=3 if seen else 2,
                dash="solid" if seen else "dot",
            ),
        )
        figure.add_annotation(
            x=at,
            y=1.05 * top,
            text=f"{'observed<br>' if seen else ''}{at:+{form}}",
            showarrow=False,
            yanchor="bottom",
            xanchor=_anchor(at, size, float(edges[-1])),
            font_size=14,
        )
    figure.update_xaxes(
        zeroline=False,
        tickfont_size=13,
        exponentformat="power",
        range=[float(edges[0]), float(edges[-1])],
    )
    named = Labels()
    measured(
        figure, f"{named(unit, 12)} difference after {'all' if exact else 'random'} permutations"
    )
    figure.update_yaxes(range=[-0.02 * top, 1.4 * top], visible=False)
    return named.below(_sized(figure), _HALF)


def drivers(
    names: Sequence[str], values: Sequence[float], *, a: str, b: str, unit: str
) -> go.Figure:
    """What single units add to the difference: a bar each, blue for a, vermillion for b.

    The custom data of a bar are its number and its name; values are improvements of a over b in
    points.
    """
    rows, named = list(range(len(names))), Labels(34, 2, [*names, a, b])
    reach = 1.3 * max(map(abs, values), default=1.0)
    figure = go.Figure(
        go.Bar(
            x=list(values),
            y=rows,
            orientation="h",
            marker_color=[BLUE if v >= 0 else VERMILLION for v in values],
            text=[rounded(v, "+") for v in values],
            textposition="outside",
            cliponaxis=False,
            showlegend=False,
            outsidetextfont_size=13,
            customdata=[[k, full(name)] for k, name in enumerate(names)],
            hovertemplate="%{customdata[1]}<br>%{text}<extra></extra>",
        )
    )
    _zero(figure)
    figure.update_xaxes(
        range=[-reach, reach],
        zeroline=False,
        tickfont_size=13,
        tickangle=0,
        nticks=4,
        exponentformat="power",
    )
    measured(figure, f"{named(unit, 24)} added to the difference")
    figure.update_yaxes(
        tickvals=rows,
        ticktext=[named(name) for name in names],
        tickfont_size=13,
        showgrid=False,
        range=[len(names) - 0.4, -0.6],
        zeroline=False,
        ticklabelstandoff=_VALUE,
    )
    row = _ROW + _SECOND * (named.lines - 1)
    _sized(figure, row * len(names) + 110, _sides(figure, named, True, True, a, b, both=0))
    figure.layout.annotations[0].xshift = (
        -named.left / 2
    )  # in the middle of all of it, where a phone has room
    return named.below(figure.update_layout(margin_l=named.left + _VALUE, margin_r=_VALUE))


def _zero(figure: go.Figure) -> None:
    figure.add_vline(x=0, line=dict(color=GREY, width=2, dash="dash"))


def _anchor(at: float, size: float, end: float) -> str:
    """Beside the other line's words where the two are near, inside the figure where they are
    not.
    """
    if size < 0.35 * end:
        return "left" if at > 0 else "right"
    return "right" if at > 0.7 * end else "left" if at < -0.7 * end else "center"


def _sides(
    figure: go.Figure, named: Labels, left: bool, right: bool, a: str, b: str, both: float = _BOTH
) -> int:
    """Which side of zero is whose, in one line where both have room even in a narrow window;
    returns the lines.
    """
    told = [(0, "left", f"◀ {named(b, _SIDE)} better")] * left + [
        (1, "right", f"{named(a, _SIDE)} better ▶")
    ] * right
    lines = 1 + (left and right and width(a) + width(b) > both)
    for k, (x, anchor, text) in enumerate(told):
        figure.add_annotation(
            x=x,
            y=1,
            xref="paper",
            yref="paper",
            xanchor=anchor,
            yanchor="bottom",
            text=text,
            showarrow=False,
            font_size=14,
            yshift=_LINE * (lines - 1) * (1 - k),
        )
    return lines


def _sized(figure: go.Figure, height: int = 200, lines: int = 1) -> go.Figure:
    """The figure, so high with one line above it."""
    more = _LINE * (lines - 1)
    figure.update_layout(
        height=height + more, margin=dict(l=ENDS, r=ENDS, t=28 + more, b=48), dragmode=False
    )
    figure.update_xaxes(showgrid=True)
    return figure
