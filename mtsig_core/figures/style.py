"""What the Plotly figures share: names made safe for Plotly and shown whole, axes, histograms."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain

import numpy as np
import plotly.graph_objects as go

from mtsig_core.report.palette import GREY, shortened, told_apart, width, wrapped
from mtsig_core.report.text import printable

#: Pixels for the numbers of an axis below a figure and beside it, and for what the first and the
#: last of those below stand out: where they need more, Plotly makes room by drawing all of it
#: again.
BELOW, LEFT, ENDS = 36, 56, 24
TITLE_LINE = 22  # pixels of a line of a title
NOTES = (
    "notes"  # name of the annotation at the lower edge with what the claims of a figure depend on
)
_SECOND = 14  # pixels of a second line of names in a row
_LINE = 16  # from one line of the names below a figure to the next
_KEY = 24  # lines of names below a figure at most; a single name is whole
_NOTE = 52  # digits of a line of a note below a figure, as many as a phone has room for
_DIGIT = 0.58  # of the font size, in most fonts at most


class Labels:
    """Names as texts of one figure: shown literally whatever they contain, in lines, and whole.

    A name that its lines cannot hold is cut where it is like the others and numbered; `below`
    writes it out under the figure, so that a saved picture has it too.

    `widest` is that of a line of an axis in digits, `most` the lines of a name of an axis, `among`
    are names that have to be told apart. `lines` is the most that a name has taken, `left` the
    pixels beside an axis of these names: a saved picture is drawn with fonts that are often wider
    than those of the screen.
    """

    def __init__(self, widest: float = 32, most: int = 1, among: Sequence[str] = ()) -> None:
        self._widest, self._most, self.lines, self.left = widest, most, 1, 8
        self._among = list(map(printable, among))
        self._short: dict[float, dict[str, str]] = {}  # by width
        self._marks: dict[str, str] = {}

    def __call__(self, name: str, widest: float = 0, number: int | None = None) -> str:
        """The name as Plotly text for an axis, or where a width is given, for one line of that
        width elsewhere; after its number where it has one.
        """
        name = printable(name)
        lines = wrapped(name, widest or self._widest)
        if len(lines) > (1 if widest else self._most):
            short = self._cut(name, (widest or self._widest) - 4)
            mark = self._marks.setdefault(
                name, f"[{len(self._marks) + 1}]" if number is None else f"{number} "
            )
            lines = [f"{short} {mark}" if number is None else short]
        if number is not None:
            lines[0] = f"{number}  {lines[0]}"
        if not widest:
            self.lines = max(self.lines, len(lines))
            self.left = max(self.left, 16 + round(_DIGIT * 13 * max(map(width, lines))))
        return "<br>".join(map(full, lines))

    def _cut(self, name: str, widest: float) -> str:
        if widest not in self._short:
            self._short[widest] = dict(
                zip(self._among, told_apart(self._among, widest), strict=True)
            )
        return self._short[widest].get(name) or shortened(name, widest)

    def below(self, figure: go.Figure, widest: float = 76) -> go.Figure:
        """The figure, with the names that were cut written out below it, as many as it has room
        for.
        """
        names = [wrapped(f"{mark} {name}", widest) for name, mark in self._marks.items()]
        ends = list(accumulate(map(len, names)))
        held = sum(end <= _KEY for end in ends) or 1
        lines = [
            *chain(*names[:held]),
            *[f"and {len(names) - held} more names"] * (held < len(names)),
        ]
        if lines:
            margin = figure.layout.margin
            _write_below(
                figure, lines, 1, margin.r - 8 - round(_DIGIT * 12 * max(map(width, lines)))
            )
        return figure


def full(name: str) -> str:
    """A name as Plotly text in one line, for hover: no tag, and no character that turns what
    follows it.
    """
    return html.escape(printable(name), quote=False)


def noted(figure: go.Figure, sentences: Iterable[str]) -> go.Figure:
    """The figure with sentences below all else, so that a saved picture has what its claims depend
    on.
    """
    lines = wrapped(" ".join(map(printable, sentences)), _NOTE)
    if any(lines):
        _write_below(figure, lines, 0, 8 - figure.layout.margin.l)
        figure.layout.annotations[-1].name = NOTES
    return figure


def _write_below(figure: go.Figure, lines: Sequence[str], x: float, shift: float) -> None:
    """Lines below all that there is, for which the figure grows."""
    margin, high = figure.layout.margin, _LINE * len(lines) + 8
    figure.add_annotation(
        x=x,
        y=0,
        xref="paper",
        yref="paper",
        xanchor="left",
        yanchor="top",
        align="left",
        showarrow=False,
        xshift=shift,
        yshift=-margin.b,
        font_size=12,
        text="<br>".join(map(full, lines)),
    )
    figure.update_layout(height=figure.layout.height + high, margin_b=margin.b + high)


def measured(figure: go.Figure, text: str) -> None:
    """What the axis measures: a note, because the viewer's theme sets the titles of axes too
    pale.
    """
    figure.add_annotation(
        x=0.5,
        y=0,
        xref="paper",
        yref="paper",
        yshift=-25,
        xanchor="center",
        yanchor="top",
        text=text,
        showarrow=False,
        font_size=14,
    )


def set_rows(
    figure: go.Figure,
    named: Labels,
    names: Sequence[str],
    high: int,
    *,
    top: int,
    bottom: int,
    right: int = 8,
    more: int = 0,
) -> None:
    """A row for each name, the first on top, `high` pixels and more where names have several
    lines.
    """
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[named(name) for name in names],
        tickfont_size=13,
        range=[len(names) - 0.4, -0.6],
        showgrid=False,
        zeroline=False,
    )
    figure.update_layout(
        height=(high + _SECOND * (named.lines - 1)) * len(names) + top + bottom + more,
        margin=dict(l=named.left, r=right, t=top, b=bottom),
        dragmode=False,
    )


def interval_bars(
    figure: go.Figure,
    ends: Sequence[Sequence[float | None]],
    at: Sequence[float],
    name: str,
    thick: bool = True,
    whose: Sequence[object] | None = None,
    form: str = ".2f",
) -> None:
    """Horizontal intervals (low, high) at heights, named in a line above: a thick bar, or a thin
    line with ends.

    `whose` is the custom data of each, where they can be clicked; `form` that of the scores.
    """
    xs = [x for low, high in ends for x in (low, high, None)]
    ys = [y for y in at for _ in range(3)]
    figure.add_trace(
        go.Scatter(
            x=xs,
            y=ys,
            mode="lines" if thick else "lines+markers",
            name=name,
            showlegend=True,
            customdata=None if whose is None else [one for one in whose for _ in range(3)],
            line=dict(color=GREY, width=6 if thick else 1.5),
            hovertemplate=f"%{{x:+{form}}}<extra></extra>",
            marker=None
            if thick
            else dict(symbol="line-ns", size=11, color=GREY, line=dict(color=GREY, width=1.5)),
        )
    )


def set_key(figure: go.Figure) -> None:
    """Set the key in a line above the figure, with room for the longest name of what is drawn so
    far.
    """
    # Plotly's own measure is that of the screen, and cuts the end of a line where a saved picture
    # has a wider font.
    widest = max((width(one.name) for one in figure.data if one.showlegend), default=0)
    figure.update_layout(
        showlegend=widest > 0,
        legend=dict(
            orientation="h",
            x=0,
            xanchor="left",
            y=1,
            yanchor="bottom",
            font_size=13,
            itemclick=False,
            itemdoubleclick=False,
            entrywidth=round(_DIGIT * 13 * widest),
        ),
    )


def add_histogram(
    figure: go.Figure,
    edges: np.ndarray,
    counts: np.ndarray,
    parts: Iterable[tuple[float, float, str, str]],
    width: float,
) -> None:
    """A histogram as one filled line of steps for each part (low, high, colour, fill), where bars
    would not be cut.
    """
    for low, high, colour, fill in parts:
        ends = np.clip(np.column_stack([edges[:-1], edges[1:]]), low, high)
        there = ends[:, 0] < ends[:, 1]
        xs, ys = ends[there].ravel().tolist(), np.repeat(counts[there], 2).tolist()
        if xs:
            figure.add_trace(
                go.Scatter(
                    x=[xs[0], *xs, xs[-1]],
                    y=[0, *ys, 0],
                    mode="lines",
                    fill="tozeroy",
                    fillcolor=fill,
                    showlegend=False,
                    line=dict(color=colour, width=width, simplify=False),
                    hoverinfo="skip",
                )
            )
