"""What the Plotly figures share: names made safe for Plotly, axes, lines, points, histograms."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from mtsig_core.report.palette import GREY, shortened, told_apart, width, wrapped
from mtsig_core.report.text import printable

#: Pixels for the axis numbers below a figure, for the axis numbers next to it, and for the ends of
#: the first and the last number below. Where they need more, Plotly makes room by drawing the
#: figure again.
BELOW = 36
LEFT = 56
ENDS = 24
TITLE_LINE = 22  # pixels of a line of a title
#: Draws a figure when it is needed.
MakeFigure = Callable[[], go.Figure]
#: Name of the annotation at the lower edge with what the claims of a figure depend on.
NOTES = "notes"
_SECOND_LINE = 14  # pixels of a second line of names in a row
_LINE = 16  # pixels from one line of the names below a figure to the next
_MOST_LINES = 24  # of names below a figure; a single name has as many as it needs
_NOTE_WIDTH = 52  # digits of a line of a note below a figure, as many as a phone has room for
_DIGIT = 0.58  # of the font size, in most fonts at most
#: Places as shares of the plot.
PLOT = {"xref": "paper", "yref": "paper"}

# -------------------------------------------------------------------------------------------------
# Names.


class Labels:
    """Names as texts of one figure: shown literally whatever they contain, in lines, and whole.

    A name that its lines cannot hold is cut where it is like the others and numbered; `below`
    writes it out under the figure, so that a saved picture has it too.

    Parameters
    ----------
    widest : float
        Of a line of an axis, in digits.
    most : int
        Lines of a name of an axis.
    among : sequence of str
        Names that have to be told apart.

    Attributes
    ----------
    lines : int
        The most lines that a name has taken.
    left : int
        Pixels next to an axis of these names. A saved picture is drawn with fonts that are often
        wider than the fonts of the screen.
    """

    def __init__(self, widest: float = 32, most: int = 1, among: Sequence[str] = ()) -> None:
        self._widest, self._most = widest, most
        self._among = list(map(printable, among))
        self._short: dict[float, dict[str, str]] = {}  # by width
        self._marks: dict[str, str] = {}
        self.lines, self.left = 1, 8

    def __call__(self, name: str, widest: float = 0, number: int | None = None) -> str:
        """The name as Plotly text for an axis, or for one line of a width elsewhere.

        With a number, the name follows it.
        """
        name = printable(name)
        line_width = self._widest
        most = self._most
        if widest:
            line_width = widest
            most = 1
        lines = wrapped(name, line_width)
        if len(lines) > most:
            lines = [self._cut_and_mark(name, line_width - 4, number)]
        if number is not None:
            lines[0] = f"{number}  {lines[0]}"
        if not widest:
            self.lines = max(self.lines, len(lines))
            self.left = max(self.left, 16 + measure_text(lines, 13))
        return "<br>".join(map(full, lines))

    def _cut_and_mark(self, name: str, widest: float, number: int | None) -> str:
        if widest not in self._short:
            short_names = told_apart(self._among, widest)
            self._short[widest] = dict(zip(self._among, short_names, strict=True))
        short = self._short[widest].get(name) or shortened(name, widest)
        if number is not None:
            self._marks.setdefault(name, f"{number} ")
            return short
        mark = self._marks.setdefault(name, f"[{len(self._marks) + 1}]")
        return f"{short} {mark}"

    def below(self, figure: go.Figure, widest: float = 76) -> go.Figure:
        """Write the names that were cut below the figure, as many as it has room for."""
        lines: list[str] = []
        n_written = 0
        for name, mark in self._marks.items():
            name_lines = wrapped(f"{mark} {name}", widest)
            if lines and len(lines) + len(name_lines) > _MOST_LINES:
                break
            lines += name_lines
            n_written += 1
        n_more = len(self._marks) - n_written
        if n_more:
            lines.append(f"and {n_more} more names")
        if lines:
            right = figure.layout.margin.r - 8
            _write_below(figure, lines, 1, right - measure_text(lines, 12))
        return figure


def measure_text(lines: Iterable[str], font_size: int) -> int:
    """Pixels of the widest line."""
    return round(_DIGIT * font_size * max(map(width, lines)))


def full(name: str) -> str:
    """A name as Plotly text in one line, for hover: no tag, and no character that turns text."""
    return html.escape(printable(name), quote=False)


def noted(figure: go.Figure, sentences: Iterable[str]) -> go.Figure:
    """Write sentences below all else, so that a saved picture has what its claims depend on."""
    lines = wrapped(" ".join(map(printable, sentences)), _NOTE_WIDTH)
    if any(lines):
        _write_below(figure, lines, 0, 8 - figure.layout.margin.l)
        figure.layout.annotations[-1].name = NOTES
    return figure


def _write_below(figure: go.Figure, lines: Sequence[str], x: float, shift: float) -> None:
    """Write lines below all else, and make the figure higher by them."""
    bottom = figure.layout.margin.b
    height = _LINE * len(lines) + 8
    text = "<br>".join(map(full, lines))
    options = {"align": "left", "xshift": shift, "yshift": -bottom, "font_size": 12}
    write_at(figure, x, 0, text, "left", "top", **PLOT, **options)
    new_height = figure.layout.height + height
    figure.update_layout(height=new_height, margin_b=bottom + height)


# -------------------------------------------------------------------------------------------------
# Texts, lines and points.


def write_at(
    figure: go.Figure,
    x: float,
    y: float,
    text: str,
    anchor: str = "center",
    above: str = "bottom",
    **options: Any,
) -> None:
    """Write a text in a figure, above a point by default."""
    defaults = {"showarrow": False, "font_size": 14, "xanchor": anchor, "yanchor": above}
    figure.add_annotation(x=x, y=y, text=text, **defaults | options)


def measured(figure: go.Figure, text: str) -> None:
    """Write what the axis measures; the viewer's theme sets the titles of axes too pale."""
    write_at(figure, 0.5, 0, text, "center", "top", **PLOT, yshift=-25)


def mark_x(
    figure: go.Figure,
    x: float,
    heights: tuple[float, float],
    colour: str,
    dash: str = "solid",
    width: float = 2,
    **options: Any,
) -> None:
    """Draw a vertical line between two heights."""
    low, high = heights
    line = {"color": colour, "width": width, "dash": dash}
    figure.add_shape(type="line", x0=x, x1=x, y0=low, y1=high, line=line, **options)


def mark_zero(figure: go.Figure) -> None:
    """Draw a line where there is no difference."""
    figure.add_vline(x=0, line={"color": GREY, "width": 2, "dash": "dash"})


def error_bars(
    values: Any,
    low: Any,
    high: Any,
    colour: str,
    thickness: float = 1.5,
    width: float | None = None,
) -> dict[str, Any]:
    """Error bars from the values to the bounds of their intervals."""
    values = np.asarray(values, dtype=float)
    above = np.asarray(high, dtype=float) - values
    below = values - np.asarray(low, dtype=float)
    return {
        "type": "data",
        "symmetric": False,
        "array": above.tolist(),
        "arrayminus": below.tolist(),
        "color": colour,
        "thickness": thickness,
        "width": width,
    }


# -------------------------------------------------------------------------------------------------
# Rows of names, intervals, keys.


class Margins(NamedTuple):
    """Pixels around the rows of a figure, and more between them and its edges."""

    top: int
    bottom: int
    right: int = 8
    more: int = 0


def set_rows(
    figure: go.Figure, labels: Labels, names: Sequence[str], row_height: int, margins: Margins
) -> None:
    """Set a row for each name, the first on top; rows are higher if names have several lines."""
    texts = [labels(name) for name in names]
    row_height += _SECOND_LINE * (labels.lines - 1)
    set_row_texts(figure, texts, labels.left, row_height, margins)


def set_row_texts(
    figure: go.Figure, texts: Sequence[str], left: int, row_height: int, margins: Margins
) -> None:
    """Set a row for each Plotly text, the first on top, with so many pixels for the texts."""
    figure.update_yaxes(
        tickvals=list(range(len(texts))),
        ticktext=texts,
        tickfont_size=13,
        range=[len(texts) - 0.4, -0.6],
        showgrid=False,
        zeroline=False,
    )
    top, bottom, right, more = margins
    height = row_height * len(texts) + top + bottom + more
    margin = {"l": left, "r": right, "t": top, "b": bottom}
    figure.update_layout(height=height, margin=margin, dragmode=False)


def interval_bars(
    figure: go.Figure,
    intervals: Sequence[tuple[float, float]],
    heights: Sequence[float],
    name: str,
    thick: bool = True,
    customdata: Sequence[object] | None = None,
    form: str = ".2f",
) -> None:
    """Draw horizontal intervals at heights, named in the key: thick bars, or thin ones with ends.

    `customdata` has what can be clicked; `form` is the format of the scores.
    """
    x: list[float | None] = []
    for low, high in intervals:
        x += [low, high, None]
    y = np.repeat(heights, 3).tolist()  # the ends of an interval, and a gap
    bars = go.Scatter(x=x, y=y, name=name, showlegend=True)
    bars.hovertemplate = f"%{{x:+{form}}}<extra></extra>"
    if thick:
        bars.update(mode="lines", line={"color": GREY, "width": 6})
    else:
        line = {"color": GREY, "width": 1.5}
        marker = {"symbol": "line-ns", "size": 11, "color": GREY, "line": line}
        bars.update(mode="lines+markers", line=line, marker=marker)
    if customdata is not None:
        points_data: list[object] = []
        for interval_data in customdata:
            points_data += [interval_data, interval_data, interval_data]
        bars.customdata = points_data
    figure.add_trace(bars)


def set_key(figure: go.Figure) -> None:
    """Set the key in a line above the figure, with room for the longest name drawn so far."""
    # Plotly measures with the fonts of the screen. It cuts the end of a line where a saved picture
    # has a wider font.
    widest = max((width(trace.name) for trace in figure.data if trace.showlegend), default=0)
    legend = {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 1,
        "yanchor": "bottom",
        "font_size": 13,
        "itemclick": False,
        "itemdoubleclick": False,
        "entrywidth": round(_DIGIT * 13 * widest),
    }
    figure.update_layout(showlegend=widest > 0, legend=legend)


class Band(NamedTuple):
    """A range of a histogram, and how it is drawn."""

    low: float
    high: float
    colour: str
    fill: str


def add_histogram(
    figure: go.Figure,
    edges: np.ndarray,
    counts: np.ndarray,
    bands: Iterable[Band],
    line_width: float,
) -> None:
    """Draw a histogram as one filled line of steps for each band, where bars would not be cut."""
    bins = np.column_stack([edges[:-1], edges[1:]])
    for band in bands:
        cut_bins = np.clip(bins, band.low, band.high)
        is_inside = cut_bins[:, 0] < cut_bins[:, 1]
        if not is_inside.any():
            continue
        x = cut_bins[is_inside].ravel().tolist()
        y = np.repeat(counts[is_inside], 2).tolist()
        line = {"color": band.colour, "width": line_width, "simplify": False}
        steps = go.Scatter(
            x=[x[0], *x, x[-1]],
            y=[0, *y, 0],
            mode="lines",
            fill="tozeroy",
            fillcolor=band.fill,
            showlegend=False,
            line=line,
            hoverinfo="skip",
        )
        figure.add_trace(steps)
