"""All pairs at once: differences above the diagonal, p-values below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from mtsig_core.figures.style import Labels, full, noted
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import p_word
from mtsig_core.report.palette import BLUE, GREY, colour_limit, ink, level, mixed, width
from mtsig_core.report.sentences import (
    choose_form,
    describe_difference,
    describe_undecided,
    write_level,
)
from mtsig_core.report.table import choose_cell_form, format_p, signed
from mtsig_core.results import MetricResult, PairResult, Settings
from mtsig_core.stats.significance import significant

_WIDTH = 690  # pixels of the cells on a screen of 1280: what the sizes of text are chosen for
_WIDEST = 24  # of a name, in digits
_EVERY_P, _EVERY_NUMBER, _SHORT_NUMBER = 18, 14, 26  # up to so many systems a cell has room for it
#: Pixels of the whole figure, which a projector shows with the answer above it; more only for many
#: systems.
_HEIGHT = 330
_SCREEN = 0.5  # of the font size: a digit in the font of the dashboard
_ICONS = 70  # pixels of those to the right of the key
_DARK, _LIGHT = "#1B2330", "#E8ECF2"


def matrix(
    result: MetricResult, settings: Settings, dark: bool = False, notes: Sequence[str] = ()
) -> go.Figure:
    """A row and a column a system, in the order of the leaderboard.

    Above the diagonal is the improvement of row over column. Below it is the adjusted p, or for a
    test without p the share of resamples that the better system wins.

    What is significant has a colour: hue is direction, depth is size, up to `colour_limit`. What is
    not is set bold below. Where cells are small, only pairs that are not significant show p, and
    columns have numbers. The last trace is transparent and takes the clicks: its points have the
    customdata (row, column). The meta of the layout says how wide the figure must be for its key,
    and for the texts of its cells.
    """
    drawing = _Matrix(result, settings, dark)
    figure = drawing.figure
    n = drawing.n
    size = drawing.size
    names = result.names
    labels = Labels(_WIDEST, among=names)
    metric = labels(metric_title(result.metric), _WIDEST)
    drawing.add_differences(f"{describe_difference(result)} in {drawing.form.unit}{metric}")
    diagonal = {(row, row): 0 for row in range(n)}
    drawing.add_cells(diagonal, 0.3)
    drawing.add_chances()
    drawing.add_targets()
    top = _set_axes(drawing, names, labels)
    height_on_screen = (_HEIGHT - top - 70) // max(n, 1)
    row_height = max(15, min(40, round(size * 0.92), height_on_screen))
    key = drawing.write_key()
    widest_line = max(map(width, key.split("<br>")))
    key_width = round(14 * _SCREEN * widest_line)
    hover_font = {"color": "white", "size": 14}
    hover_label = {"bgcolor": _DARK, "bordercolor": _DARK, "font": hover_font}
    title = {
        # The span, because the theme of the dashboard sets titles bold.
        "text": f'<span style="font-weight:400">{key}</span>',
        "font_size": 14,
        "x": 0,
        "xref": "container",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 16},
    }
    texts_from = labels.left + 8 + n * _widest_text(figure)
    meta = {"key": key, "key_from": key_width + _ICONS, "texts_from": texts_from}
    height = top + row_height * n + 70
    margin = {"l": labels.left, "r": 8, "t": top, "b": 62}
    figure.update_layout(meta=meta, height=height, margin=margin, title=title)
    figure.update_layout(
        dragmode=False,
        hovermode="closest",
        hoverdistance=-1,
        showlegend=False,
        plot_bgcolor="rgba(0,0,0,0)",
        hoverlabel=hover_label,
    )
    return noted(labels.below(figure), notes)


def _set_axes(drawing: _Matrix, names: Sequence[str], labels: Labels) -> int:
    """Name rows and columns; return the pixels above the cells."""
    n = drawing.n
    if n <= _EVERY_NUMBER:
        row_labels = [labels(name) for name in names]
        column_labels, angle = row_labels, None  # upright on a phone
        widest = round(8 * min(_WIDEST, max(map(width, names), default=0)))
        top = 80
        if widest > drawing.size:  # upright where a column has no room for them
            angle = -90
            top = 62 + widest
    else:
        row_labels = [labels(name, number=place) for place, name in enumerate(names, 1)]
        column_labels = [str(place) for place in range(1, n + 1)]
        angle = 0
        top = 58
    font_size = max(9, min(13, round(drawing.size * 0.62)))
    axis = {
        "tickvals": list(range(n)),
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "ticks": "",
        "tickfont_size": font_size,
    }
    drawing.figure.update_xaxes(axis, ticktext=column_labels, side="top", tickangle=angle)
    drawing.figure.update_xaxes(range=[-0.5, n - 0.5], autotickangles=[0, -90], automargin="top")
    drawing.figure.update_yaxes(axis, ticktext=row_labels, range=[n - 0.5, -0.5])
    return top


_Cell = tuple[int, int]  # row and column


class _MatrixPair(NamedTuple):
    """A pair above the diagonal, and the improvement of row over column."""

    pair: PairResult
    improvement: float


class _Matrix:
    """The traces of a matrix, from the bottom to the top."""

    def __init__(self, result: MetricResult, settings: Settings, dark: bool):
        self.result, self.settings, self.dark = result, settings, dark
        self.figure = go.Figure()
        self.n = len(result.systems)
        self.size = _WIDTH / max(self.n, 1)  # pixels of a cell
        place = {row.system: number for number, row in enumerate(result.systems)}
        self.pairs: dict[_Cell, _MatrixPair] = {}
        for pair in result.pairs:
            first = place[pair.a]
            second = place[pair.b]
            improvement = result.sign * pair.delta
            if first > second:
                first, second, improvement = second, first, -improvement
            self.pairs[first, second] = _MatrixPair(pair, improvement)
        scores = [row.score for row in result.systems]
        self.form = choose_cell_form(scores, [cell.improvement for cell in self.pairs.values()])

    def _fill_grid(self, values: Mapping[_Cell, float]) -> list[list[float | None]]:
        grid: list[list[float | None]] = []
        for row in range(self.n):
            cells = [values.get((row, column)) for column in range(self.n)]
            grid.append(cells)
        return grid

    def _add_heatmap(self, values: Mapping[_Cell, float], **options: Any) -> None:
        places = list(range(self.n))
        grid = self._fill_grid(values)
        look = {"xgap": 1, "ygap": 1, "hoverinfo": "skip"} | options
        heatmap = go.Heatmap(z=grid, x=places, y=places, **look)
        self.figure.add_trace(heatmap)

    def add_cells(self, values: Mapping[_Cell, float], opacity: float) -> None:
        """Draw grey cells where there is anything."""
        colours = [[0, GREY], [1, GREY]]
        self._add_heatmap(values, colorscale=colours, opacity=opacity, showscale=False)

    def add_texts(self, texts: Mapping[_Cell, str], size: int, **options: Any) -> None:
        """Write texts in cells.

        A heatmap's own text has an automatic colour that is too pale on the middle blues.
        """
        scatter = go.Scatter(
            x=[column for _, column in texts],
            y=[row for row, _ in texts],
            mode="text",
            hoverinfo="skip",
            text=list(texts.values()),
            textfont_size=size,
            **options,
        )
        self.figure.add_trace(scatter)

    def add_differences(self, difference: str) -> None:
        """Draw significant differences in colour; of the others the cell, in grey."""
        limit, is_clipped = colour_limit(cell.improvement for cell in self.pairs.values())
        coloured = {}
        grey = {}
        texts = {}
        inks = []
        for place, (pair, improvement) in self.pairs.items():
            text_colour = _LIGHT if self.dark else _DARK
            if pair.significant:
                coloured[place] = improvement
                text_colour = ink(level(improvement, limit), self.dark)
            else:
                grey[place] = improvement
            text = self._write_difference(pair, self.form.scale(improvement))
            if text:
                texts[place] = text
                inks.append(text_colour)
        end = f"{self.form.scale(limit):.3g}"
        end_texts = [f"−{end}", "0", f"+{end}"]
        if is_clipped:
            end_texts = [f"≤ −{end}", "0", f"≥ +{end}"]
        title = {"text": f"{difference}: blue, the row is better", "side": "bottom"}
        colour_bar = {
            "orientation": "h",
            "thickness": 10,
            "len": 0.5,
            "x": 0,
            "xanchor": "left",
            "y": 0,
            "yanchor": "top",
            "ypad": 12,
            "tickvals": [-limit, 0, limit],
            "ticktext": end_texts,
            "tickfont_size": 12,
            "outlinewidth": 0,
            "title": title | {"font_size": 12},
        }
        colours = self._scale_colours()
        limits = {"zmin": -limit, "zmax": limit}
        self._add_heatmap(coloured, **limits, colorscale=colours, colorbar=colour_bar)
        font_size = self._size_differences()
        self.add_texts(texts, font_size, textfont_color=inks)
        self.add_cells(grey, 0.12)

    def _scale_colours(self) -> list[tuple[float, str]]:
        """Return the colours of a scale from 0 to 1, deeper towards both ends."""
        colours = []
        for step in range(-10, 11):
            depth = step / 10
            place = 0.5 + 0.5 * depth * abs(depth)
            red, green, blue = mixed(depth, self.dark)
            colours.append((place, f"rgb({red},{green},{blue})"))
        return colours

    def _size_differences(self) -> int:
        if self.n > _SHORT_NUMBER:
            return max(9, min(16, round(self.size * 0.55)))
        if self.n <= _EVERY_NUMBER:
            return _fit(self.size, 4.2)
        if self.form.decimals == 2:
            return _fit(self.size, 2.3)
        return _fit(self.size, 2.9)

    def add_chances(self) -> None:
        """Write p below the diagonal, bold where not significant; in small cells only that."""
        if self.n > _EVERY_P:
            size = _fit(self.size, 1.9)
        elif self.n > _EVERY_NUMBER:
            size = _fit(self.size, 2.75)
        else:
            size = _fit(self.size, 2.9)
        significant_texts = {}
        open_texts = {}
        for (row, column), (pair, _) in self.pairs.items():
            text = self._write_chance(pair)
            if pair.significant:
                significant_texts[column, row] = text
            else:
                open_texts[column, row] = f"<b>{text}</b>"
        if self.n <= _EVERY_P:
            self.add_texts(significant_texts, size, opacity=0.75)
        self.add_texts(open_texts, size, opacity=1)

    def add_targets(self) -> None:
        """Draw transparent points for clicks, of which the nearest is pointed at.

        Not Scattergl, which takes a second without a GPU.
        """
        places = []
        texts = []
        for (row, column), cell in self.pairs.items():
            text = self._describe(cell)
            places += [(row, column), (column, row)]
            texts += [text, text]
        targets = go.Scatter(
            x=[column for _, column in places],
            y=[row for row, _ in places],
            mode="markers",
            customdata=places,
            marker={"symbol": "square", "size": 8, "color": BLUE, "opacity": 0},
            hovertext=texts,
            hovertemplate="%{hovertext}<extra></extra>",
            selected_marker_opacity=0,
            unselected_marker_opacity=0,
        )
        self.figure.add_trace(targets)

    def write_key(self) -> str:
        """Write what colours and numbers mean, in two lines."""
        if any(pair.win is not None for pair, _ in self.pairs.values()):
            return (
                f"Colour: one system wins {write_level(self.settings)} or more of the "
                "resamples.<br>Below the diagonal: its share of wins"
            )
        n_tested = len(self.result.tested)
        above = "Colour: significant."
        if self.settings.correction != "none" and n_tested != 1:
            above += " ○: significant only before correction."
        p_name = p_word(self.settings.correction, n_tested)
        which = "bold if"
        if self.n > _EVERY_P:
            which = "only where"
        return f"{above}<br>Below the diagonal: {p_name}, {which} not significant"

    def _describe(self, cell: _MatrixPair) -> str:
        """Describe a pair in words, as Plotly text."""
        pair = cell.pair
        a = full(pair.a)
        b = full(pair.b)
        decision = ""
        if pair.better == "a":
            decision = f"<br>{a} is better"
        elif pair.better == "b":
            decision = f"<br>{b} is better"
        elif pair.p_value is not None or pair.win is not None:
            decision = f"<br>{describe_undecided(pair, self.settings)}"
        if pair.p_value is not None:
            chances = f"p {format_p(pair.p_value)}, adjusted {format_p(pair.p_adjusted)}"
        elif pair.win is not None:
            chances = f"wins {pair.win:.1%}, loses {pair.lose:.1%} of the resamples"
        else:
            chances = "not tested: no segment in common"
        improvement = signed(cell.improvement, choose_form(self.result))
        metric = full(metric_title(self.result.metric))
        return f"{a} − {b}<br>{improvement} {metric}<br>{chances}{decision}"

    def _write_difference(self, pair: PairResult, value: float) -> str:
        """Write difference and glyph, or in smaller cells one of them.

        That is the difference of a significant pair in few places, or else the glyph.
        """
        glyph = choose_glyph(pair, self.settings.alpha)
        decimals = self.form.decimals
        least = 0.0005
        if decimals == 2:
            least = 0.005
        if self.n <= _EVERY_NUMBER:
            text = str(signed(value, f".{decimals}f"))
            if decimals != 2:
                text = text.replace("0.", ".", 1)
            return f"{text} {glyph}".strip()
        size = abs(value)
        if self.n > _SHORT_NUMBER or not pair.significant or size < least:
            return glyph
        if size >= 9.95:
            digits = f"{size:.0f}"
        elif size >= 0.995:
            digits = f"{size:.1f}"
        elif decimals == 2:
            digits = f"{size:.2f}".lstrip("0")
        else:
            digits = f"{size:.3f}".lstrip("0")
        if value < 0:
            return f"−{digits}"
        return digits

    def _write_chance(self, pair: PairResult) -> str:
        p = pair.p_adjusted
        has_room = self.n <= _EVERY_NUMBER
        if p is None:
            return _write_wins(pair, has_room)
        if has_room:
            return format_p(p)
        if p < 10**-4:  # never 0
            return f"{p:.0e}".replace("e-0", "e-")
        if p < 0.01:
            return f"{p:.4f}".lstrip("0")
        text = f"{p:.3f}"
        if self.n > _EVERY_P:
            text = f"{p:.2f}"
        if float(text) == 1:
            return "1"
        return text.lstrip("0")


def _write_wins(pair: PairResult, has_room: bool) -> str:
    if pair.win is None or pair.lose is None:
        return "-"
    share = max(pair.win, pair.lose)
    if has_room:
        return f"{share:.3f}"
    return f"{share:.2f}".lstrip("0")


def choose_glyph(pair: PairResult, alpha: float) -> str:
    """Choose a mark for a pair that is significant, or only without the correction."""
    if pair.significant:
        return "●"
    if pair.p_value is not None and pair.favours is None and significant(pair.p_value, alpha):
        return "○"
    return ""


def _widest_text(figure: go.Figure) -> int:
    """Pixels of the widest text of a cell on screen."""
    widest = 0.0
    for trace in figure.select_traces({"type": "scatter", "mode": "text"}):
        for text in trace.text:
            plain = text.removeprefix("<b>").removesuffix("</b>")
            widest = max(widest, trace.textfont.size * width(plain))
    return round(_SCREEN * widest)


def _fit(size: float, ems: float) -> int:
    """Font size with which text of so many ems fits a cell."""
    return max(7, min(13, int(size / ems)))
