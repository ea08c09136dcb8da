"""Show figures and experiments.

Each figure has its numbers, its files and the command that prints it.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mtsig_core.experiments.frame import flatten_rows
from mtsig_core.figures.style import NOTES, TITLE_LINE, MakeFigure
from mtsig_core.metrics.cache import Memory
from mtsig_core.report import export
from mtsig_core.report.commands import command_line, defaults
from mtsig_core.report.document import Report
from mtsig_core.report.palette import ON_DARK
from mtsig_core.report.reports import render_report
from mtsig_core.report.table import Cell, Column, Table
from mtsig_core.source import Source
from pages._server import internals
from pages._ui import screen
from pages._ui.browser import copyable
from pages._ui.views import View

# pixels above a figure for the camera and the full screen, which would cover what is there
_BAR = 26
_INK = {"light": "#1B2330", "dark": "#E8ECF2"}
_GRID = {"light": "#DDE2E9", "dark": "#323A47"}
#: Plotly writes a millionth as 1μ and a hundred thousand as 100k.
_TICKS = {"exponentformat": "power", "minexponent": 5, "separatethousands": True}
_LEFT_OUT = "Numbers need more room: turn the phone, or touch a cell."
_MOST_ROWS = 500  # of a table
_NOT_NEEDED = ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d"]
_TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "tex": "text/x-tex",
    "typ": "text/plain",
    "md": "text/markdown",
    "html": "text/html",
    "svg": "image/svg+xml",
}
_FIGURES = Memory(256)  # of some 100 kB each


def dark() -> bool:
    """Return whether the viewer's theme is dark."""
    return st.context.theme.type == "dark"


def show(  # noqa: PLR0913  each page names what its figure has
    make: MakeFigure,
    key: str,
    alt: str,
    *,
    files: Sequence[str],
    rows: Sequence,
    command: str,
    header: Sequence[str] | None = None,
    table: Table | None = None,
    with_table: bool = True,
    select: bool = False,
    titled: bool = True,
    prints: str = "these numbers",
) -> list:
    """Draw a figure in the colours of the viewer's theme, with its numbers, files and command.

    Parameters
    ----------
    make : callable
        A `functools.partial`, by which the figure is remembered.
    key : str
    alt : str
        Says in a sentence what the figure shows.
    files : sequence of str
        The beginning of the names of its files.
    rows : sequence
        Its numbers, as in `csv_button`.
    command : str
        The command line that prints its numbers.
    header : sequence of str, optional
        The names of the columns of `rows`.
    table : Table, optional
        Shows the numbers instead of `rows`.
    with_table : bool
        Whether a table shows the numbers.
    select : bool
        Whether points can be chosen.
    titled : bool
        Whether the title is in the figure; otherwise only a saved picture has it, because the page
        says it above.
    prints : str
        What the command prints, where the figure draws what no command prints, such as resamples.

    Returns
    -------
    list
        The custom data of the points that were chosen.
    """
    header, rows = _list_columns(header, rows)
    figure = _remember_figure(make)
    place = st.container(key=f"figure.{key}")
    with place, numbers_box(key):
        picture = st.radio(
            "The camera icon saves the figure as",
            ["png", "svg"],
            horizontal=True,
            key=f"{key}.picture",
        )
        csv_button(files, key, rows, header=header)
        copy_command(command, key, prints)
        if with_table:
            screen.show_table(table or _make_table(header, rows[:_MOST_ROWS]), key=f"{key}.table")
            if len(rows) > _MOST_ROWS:
                st.caption(f"The first {_MOST_ROWS} of {len(rows)} rows; the file has all.")
    name = export.file_name(*files, _end_of_name(key), ending=picture)
    config = {
        "displaylogo": False,
        # Streamlit adds a button for the full screen, but not to a bar whose buttons are all named.
        "displayModeBar": True,
        "modeBarButtonsToRemove": _NOT_NEEDED,
        "toImageButtonOptions": {
            "format": picture,
            "filename": name.removesuffix(f".{picture}"),  # Plotly adds the ending
            "scale": 2,
        },
    }
    hiding = _hide_repeated(key, figure, titled)
    if hiding:
        place.html(hiding)
    if figure.layout.meta:
        place.html(_fit_narrow_screens(key, figure.layout.meta))
    options = {}
    if select:
        options = {"on_select": "rerun", "selection_mode": "points"}
    event = place.plotly_chart(figure, key=key, alt=alt, config=config, **options)
    if not select:
        return []
    return [point["customdata"] for point in event.selection.points]


def numbers_box(key: str) -> DeltaGenerator:
    """Draw the button that opens numbers, files and command; `key` as in `show`."""
    icon = ":material/table_view:"
    with st.container(key=f"numbers.{key}"):  # which shows the icon only
        return st.popover("Numbers, files, command", icon=icon, type="tertiary", key=f"{key}.box")


def _hide_repeated(key: str, figure: go.Figure, titled: bool) -> str:
    """Return a style that hides what the page has above its figure.

    That is the title, unless `titled`, and the caveats: only a saved picture needs them. The bar of
    buttons, which is in the room of the title, moves down.
    """
    element = internals.select_element(key)
    title = figure.layout.title.text
    styles = []
    cut = 0
    if title and not titled:
        cut = TITLE_LINE * (1 + title.count("<br>"))
        styles += [
            f"{element} {internals.FIGURE_TITLE} {{display: none}}",
            f"{element} {internals.FIGURE} {{margin-top: -{cut}px}}",
            f"{element} {internals.FIGURE_BAR} {{top: calc({cut}px - var(--mt-lift)) !important}}",
        ]
    for k, annotation in enumerate(figure.layout.annotations):
        if annotation.name == NOTES:
            cut += figure.layout.margin.b + annotation.yshift
            styles.append(f"{element} {internals.FIGURE_NOTE.format(k)} {{display: none}}")
    if cut > 0:
        styles.append(
            f"{element} {{clip-path: inset(calc(0px - var(--mt-lift)) 0 {cut}px 0); margin-bottom: -{cut}px}}"
        )
    if not styles:
        return ""
    return f"<style>{' '.join(styles)}</style>"


def _fit_narrow_screens(key: str, meta: Mapping[str, Any]) -> str:
    """Return a style for narrow screens.

    The figure's key is set in lines, and cells too narrow for their texts lose them.
    """
    words = meta["key"].replace("<br>", " ")
    element = internals.select_element(key)
    figure = f"{element} {internals.FIGURE}"
    return f"""<style>{figure} {{container-type: inline-size}}
@container (max-width: {meta["key_from"]}px) {{
{element} {internals.FIGURE_TITLE} {{display: none}}
{figure}::before {{content: "{words}"; position: absolute; top: {_BAR + 4}px; z-index: 1;
                   font-size: .8rem; line-height: 1.2; pointer-events: none}}
}}
@container (max-width: {meta["texts_from"]}px) {{
{element} {internals.FIGURE_TEXTS} {{display: none}}
{figure}::before {{content: "{words}. {_LEFT_OUT}"}}
}}</style>"""


def list_bins(edges: np.ndarray, counts: np.ndarray) -> list[tuple[float, float, int]]:
    """Return the rows of a histogram: from, to and count."""
    edges = edges.tolist()
    return list(zip(edges[:-1], edges[1:], counts.tolist(), strict=True))


def grow(make: MakeFigure, key: str, alt: str) -> None:
    """Draw a figure that is not complete yet, without numbers, files and command."""
    figure = _remember_figure(make)
    st.plotly_chart(figure, key=key, alt=alt, config={"displayModeBar": False})


def _remember_figure(make: MakeFigure) -> go.Figure:
    """Return the figure in the viewer's theme, made once for all users.

    Nobody may change it.
    """
    theme = "dark" if dark() else "light"
    content = pickle.dumps((make, theme), pickle.HIGHEST_PROTOCOL)
    key = hashlib.blake2b(content).digest()
    return _FIGURES.make(key, lambda: _set_colours(make(), theme))


def _set_colours(figure: go.Figure, theme: str) -> go.Figure:
    """Set the colours of a figure: Streamlit's own axis labels are too pale for a projector.

    Plotly's `update_layout` would take a quarter of the drawing time.
    """
    layout = figure.layout
    ink = _INK[theme]
    if theme == "dark":
        _brighten(figure)
    layout.margin.t = (layout.margin.t or 0) + _BAR
    layout.height = (layout.height or 450) + _BAR
    for element in (layout, layout.title, *layout.annotations):
        element.font.color = ink
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        axis.tickfont.color = ink
        axis.gridcolor = _GRID[theme]
        for name, value in _TICKS.items():
            axis[name] = value
    return figure


def _brighten(figure: go.Figure) -> None:
    """Give dots and lines the colours for a dark page.

    Bars stay as they are: their texts are white.
    """
    elements = [shape.line for shape in figure.layout.shapes]
    for trace in figure.select_traces({"type": "scatter"}):
        elements += [trace.marker, trace.line, trace.error_x, trace.error_y]
    for element in elements:
        colour = element.color
        if isinstance(colour, str):
            element.color = ON_DARK.get(colour, colour)
        elif colour is not None:
            element.color = [ON_DARK.get(value, value) for value in colour]


def _make_table(header: Sequence[str], rows: Sequence[Sequence]) -> Table:
    """Return a table of numbers that are not rounded."""
    columns = []
    for k, title in enumerate(header):
        is_name = bool(rows) and isinstance(rows[0][k], str)
        columns.append(Column(str(k), title, "name" if is_name else "written"))
    cells = [tuple(_write_unrounded(value) for value in row) for row in rows]
    return Table("numbers", tuple(columns), tuple(cells))


def _write_unrounded(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    return Cell(str(value), value)


def csv_button(
    files: Sequence[str],
    key: str,
    rows: Sequence,
    text: str = "Numbers as CSV",
    header: Sequence[str] | None = None,
) -> None:
    """Draw a button that saves numbers; `files` and `key` as in `show`.

    A row is a mapping or a dataclass, unless there is a header.
    """
    header, rows = _list_columns(header, rows)
    content = export.to_csv(header, rows)
    download(text, content, (*files, _end_of_name(key)), "csv", f"{key}.csv")


def download(
    title: str,
    content: str | bytes | Callable[[], str | bytes],
    names: Sequence[str],
    ending: str,
    key: str,
) -> None:
    """Draw a button that saves a file.

    If `content` is a function, it makes the file when the user presses the button.
    """
    _, _, last_ending = ending.rpartition(".")
    st.download_button(
        title,
        content,
        export.file_name(*names, ending=ending),
        _TYPES[last_ending],
        key=key,
        on_click="ignore",
    )


#: The formats of a report, with the title of its button and the ending of its file.
_REPORT_FORMATS = {
    "csv": ("CSV", "csv"),
    "json": ("JSON", "json"),
    "latex": ("LaTeX", "tex"),
    "typst": ("Typst", "typ"),
    "markdown": ("Markdown", "md"),
    "html": ("HTML report", "html"),
}


def download_report(
    make_report: Callable[[], Report], names: Sequence[str], key: str, has_html: bool = True
) -> None:
    """Draw a button for each format of a report."""

    def render(form: str) -> str:
        return render_report(make_report(), form)

    for form, (title, ending) in _REPORT_FORMATS.items():
        if form != "html" or has_html:
            download(title, partial(render, form), names, ending, f"{key}.{form}")


def copy_command(command: str, key: str, prints: str = "these numbers") -> None:
    """Show the command that prints the numbers of a figure or a table; `key` as in `show`."""
    label = f"Command that prints {prints} ({_end_of_name(key)})"
    copyable(command, f"{key}.command", label)


def _end_of_name(key: str) -> str:
    """Return the end of the names of a figure's files."""
    _, _, end = key.partition(".")
    return end


def _list_columns(header: Sequence[str] | None, rows: Sequence) -> tuple[list[str], list[list]]:
    """Return the names of all columns, and the values of each row."""
    if header is not None:
        return list(header), [list(row) for row in rows]
    if not rows:
        return [], []
    if is_dataclass(rows[0]):
        rows = flatten_rows(rows)
    return list(rows[0]), [list(row.values()) for row in rows]


# -------------------------------------------------------------------------------------------------
# An experiment: one set of arguments for its computation, its figures and files, and its command.


_PAGES = {"validate": "trust", "sample": "sampling", "sweep": "size", "metrics": "inside"}


@dataclass(frozen=True)
class Study:
    """An experiment with its arguments, which are also the arguments of its command."""

    view: View
    command: str  # such as "validate type1"
    metric: str
    arguments: Mapping[str, Any]
    source: Source  # where the test set comes from

    @property
    def key(self) -> str:
        """The key of its figure on the page."""
        group, name = self.command.split()
        return f"{_PAGES[group]}.{name}"

    def run(
        self,
        function: Callable,
        description: str,
        figure: Callable[[Any], MakeFigure] | None = None,
        things: str = "",
        **more,
    ):
        """Return the result.

        Until it is there, draw the `figure` of the first repeats, which are called `things`.
        """

        def draw_partial_results(results):
            (done, n), result = max(results.items(), key=itemgetter(0))
            sentence = f"{done:,} of {n:,} {things} so far"
            grow(figure(result), f"{self.key}.growing.{done}", f"{sentence}.")
            screen.faint(
                f"{sentence}, so intervals are wider than they will be. Numbers, tables and files come with "
                "the last."
            )

        arguments = {**self.arguments, **more}
        if figure is not None:
            arguments.setdefault("meanwhile", draw_partial_results)
        return self.view.experiment(function, description, metric=self.metric, **arguments)

    def print_command(self, **more) -> str:
        """Return the command line that prints the numbers, without defaults."""
        flags = []
        options = {"metrics": self.metric}
        for name, value in self.arguments.items():
            if value is True:
                flags.append(f"--{name}")
            elif value is not False:
                options[name] = value
        return command_line(self.command, self.source, *flags, **{**options, **more})

    def show(  # noqa: PLR0913  as `show` of this module
        self,
        figure: MakeFigure,
        rows: Sequence,
        alt: str,
        *systems: str,
        key: str = "",
        header: Sequence[str] | None = None,
        table: Table | None = None,
        with_table: bool = False,
        command: str = "",
        **more,
    ) -> None:
        """Draw a figure with the rows that the command prints.

        Only the command has the arguments `more`.
        """
        show(
            figure,
            key=key or self.key,
            files=self._list_names(systems),
            header=header,
            rows=rows,
            table=table,
            command=command or self.print_command(**more),
            with_table=with_table or table is not None,
            alt=alt,
        )

    def show_numbers(self, rows: Sequence, *systems: str, key: str = "", **more) -> None:
        """Offer the rows of something without a figure, and the command that prints them."""
        key = key or self.key
        with numbers_box(key):
            csv_button(self._list_names(systems), key, rows)
            copy_command(self.print_command(**more), key)

    def _list_names(self, systems: Sequence[str]) -> tuple[str, ...]:
        return self.view.named(*systems, metric=self.metric.replace(",", "-"))


def study(
    view: View, command: str, metric: str | None = None, source: Source | None = None, **arguments
) -> Study:
    """Return an experiment on the test set of a view, with its level and seed if they count."""
    options = defaults(command)
    settings = {name: view.settings[name] for name in ("alpha", "seed") if name in options}
    return Study(view, command, metric or view.metric, settings | arguments, source or view.source)
