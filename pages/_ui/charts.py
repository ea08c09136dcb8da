"""Figures on screen, and experiments: each with its numbers, its files and the command that prints
it.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from operator import itemgetter
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from mtsig_core.experiments.frame import flatten_rows
from mtsig_core.figures.style import NOTES, TITLE_LINE
from mtsig_core.report import export
from mtsig_core.report.commands import command_line, defaults
from mtsig_core.report.palette import ON_DARK
from mtsig_core.report.table import Cell, Column, Table
from mtsig_core.source import Source
from pages._ui import screen
from pages._ui.browser import copyable
from pages._ui.views import View
from pages._work.memory import Memory

# pixels above a figure for the camera and the full screen, which would cover what stands there
_BAR = 26
_INK = {"light": "#1B2330", "dark": "#E8ECF2"}
#: Plotly writes a millionth as 1μ and a hundred thousand as 100k.
_TICKS = dict(exponentformat="power", minexponent=5, separatethousands=True)
_LEFT_OUT = "Numbers need more room: turn the phone, or touch a cell."
_MOST = 500  # rows of a table
_NOT_NEEDED = ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d"]
_GRID = {"light": "#DDE2E9", "dark": "#323A47"}
_TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "tex": "text/x-tex",
    "html": "text/html",
    "svg": "image/svg+xml",
}
_DRAWN = Memory(256)  # figures, of some 100 kB each


def dark() -> bool:
    """Return whether the viewer's theme is dark."""
    return st.context.theme.type == "dark"


def show(
    make: Callable[[], go.Figure],
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
    """Draw a figure in the colours of the viewer's theme, with its numbers, files and command below
    it.

    `make` is a `functools.partial`, by which the figure is remembered; `alt` says in a sentence
    what it shows. `rows` are its numbers, as in `csv_button`, which `command` prints; `table` shows
    them otherwise. Where a figure draws what no command prints, such as resamples, `prints` says
    what the command prints instead. Gives the custom data of the points clicked. Not `titled`: only
    a saved picture has the title, because the page says it above.
    """
    header, rows = _columns(header, rows)
    figure = _drawn(make, "dark" if dark() else "light")
    place = st.container()
    with st.expander("Numbers, files, command", key=f"{key}.box"):
        picture = st.radio(
            "The camera above the figure saves it as",
            ["png", "svg"],
            horizontal=True,
            key=f"{key}.picture",
        )
        csv_button(files, key, rows, header=header)
        copy_command(command, key, prints)
        if with_table and table is not None:
            screen.show_table(table, key=f"{key}.table")
        elif with_table:
            screen.show_table(_as_table(header, rows[:_MOST]), key=f"{key}.table")
        if with_table and len(rows) > _MOST:
            st.caption(f"The first {_MOST} of {len(rows)} rows; the file has all.")
    name = export.file_name(*files, _name(key), ending=picture).removesuffix(
        f".{picture}"
    )  # Plotly adds the ending
    # Streamlit adds a button for the full screen, but not to a bar whose buttons are all named.
    config = {
        "displaylogo": False,
        "displayModeBar": True,
        "modeBarButtonsToRemove": _NOT_NEEDED,
        "toImageButtonOptions": {"format": picture, "filename": name, "scale": 2},
    }
    if style := _hide_repeated(key, figure, titled):
        place.html(style)
    if figure.layout.meta:
        place.html(_narrow(key, figure.layout.meta))
    event = place.plotly_chart(
        figure,
        key=key,
        alt=alt,
        config=config,
        on_select="rerun" if select else "ignore",
        selection_mode="points",
    )
    return [point["customdata"] for point in event.selection.points] if select else []


def _hide_repeated(key, figure, titled):
    """Return a style that cuts off the room of a title, unless `titled`, and of caveats: the page
    has both above, and a saved picture needs them. The bar of buttons in the room of the title
    moves down.
    """
    here, title, styles, cut = f".st-key-{key.replace('.', '-')}", figure.layout.title.text, [], 0
    if title and not titled:
        cut = TITLE_LINE * (1 + title.count("<br>"))
        styles += [
            f"{here} .gtitle {{display: none}} {here} .js-plotly-plot {{margin-top: -{cut}px}}",
            f"{here} .modebar-container {{top: {cut}px !important}}",
        ]
    for k, note in enumerate(figure.layout.annotations):
        if note.name == NOTES:
            cut += figure.layout.margin.b + note.yshift
            styles.append(f'{here} .annotation[data-index="{k}"] {{display: none}}')
    styles += [f"{here} {{clip-path: inset(0 0 {cut}px 0); margin-bottom: -{cut}px}}"] * (cut > 0)
    return f"<style>{' '.join(styles)}</style>" if styles else ""


def _narrow(key, said):
    """Return a style for narrow screens: the figure's key is set in lines, and cells too narrow for
    their texts lose them.
    """
    words, here = said["key"].replace("<br>", r" "), f".st-key-{key.replace('.', '-')}"
    return f"""<style>{here} .js-plotly-plot {{container-type: inline-size}}
@container (max-width: {said["key_from"]}px) {{
{here} .gtitle {{display: none}}
{here} .js-plotly-plot::before {{content: "{words}"; position: absolute; top: {_BAR + 4}px; z-index: 1;
                                   font-size: .8rem; line-height: 1.2; pointer-events: none}}
}}
@container (max-width: {said["texts_from"]}px) {{
{here} .textpoint {{display: none}}
{here} .js-plotly-plot::before {{content: "{words}. {_LEFT_OUT}"}}
}}</style>"""


def grow(make: Callable[[], go.Figure], key: str, alt: str) -> None:
    """Draw a figure that is not complete yet, without numbers, files and command."""
    st.plotly_chart(
        _drawn(make, "dark" if dark() else "light"),
        key=key,
        alt=alt,
        config={"displayModeBar": False},
    )


def _drawn(make, theme):
    """Return the figure, made once for all users who need the same one; nobody may change it."""
    asked = hashlib.blake2b(pickle.dumps((make, theme), pickle.HIGHEST_PROTOCOL)).digest()
    return _DRAWN.make(asked, lambda: _colour(make(), theme))


def _colour(figure, theme):
    """Set the colours of a figure: Streamlit's own axis labels are too pale for a projector.

    Plotly's `update_layout` would take a quarter of the drawing time.
    """
    layout, ink = figure.layout, _INK[theme]
    if theme == "dark":
        _brighten(figure)
    layout.margin.t, layout.height = (layout.margin.t or 0) + _BAR, (layout.height or 450) + _BAR
    for text in (layout, layout.title, *layout.annotations):
        text.font.color = ink
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        axis.tickfont.color, axis.gridcolor = ink, _GRID[theme]
        for key, value in _TICKS.items():
            axis[key] = value
    return figure


def _brighten(figure):
    """Dots and lines as they stand out on a dark page.

    Bars stay as they are: their texts are white.
    """
    parts = [
        part
        for trace in figure.select_traces({"type": "scatter"})
        for part in (trace.marker, trace.line, trace.error_x, trace.error_y)
    ]
    for part in (*parts, *(shape.line for shape in figure.layout.shapes)):
        colour = part.color
        if isinstance(colour, str):
            part.color = ON_DARK.get(colour, colour)
        elif colour is not None:
            part.color = [ON_DARK.get(one, one) for one in colour]


def _as_table(header, rows):
    """Make a table of numbers without rounding them."""
    columns = [
        Column(str(k), title, "name" if rows and isinstance(rows[0][k], str) else "written")
        for k, title in enumerate(header)
    ]
    return Table(
        "numbers",
        tuple(columns),
        tuple(
            tuple(
                value if value is None or isinstance(value, str) else Cell(str(value), value)
                for value in row
            )
            for row in rows
        ),
    )


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
    header, rows = _columns(header, rows)
    download(text, export.to_csv(header, rows), (*files, _name(key)), "csv", f"{key}.csv")


def download(
    title: str,
    content: str | bytes | Callable[[], str | bytes],
    named: Sequence[str],
    ending: str,
    key: str,
) -> None:
    """Draw a button that saves a file.

    If `content` is a function, it makes the file when the user presses the button.
    """
    st.download_button(
        title,
        content,
        export.file_name(*named, ending=ending),
        _TYPES[ending.rpartition(".")[2]],
        key=key,
        on_click="ignore",
    )


def copy_command(command: str, key: str, prints: str = "these numbers") -> None:
    """Show the command that prints the numbers of a figure or a table; `key` as in `show`."""
    copyable(command, f"{key}.command", f"Command that prints {prints} ({_name(key)})")


def _name(key):
    """Return the end of the names of a figure's files."""
    return key.partition(".")[2]


def _columns(header: Sequence[str] | None, rows: Sequence) -> tuple[list[str], list[list]]:
    """Return the names of all columns, and the values of each row."""
    if header is None:
        rows = flatten_rows(rows) if rows and is_dataclass(rows[0]) else rows
        header, rows = list(rows[0]) if rows else [], [row.values() for row in rows]
    return list(header), list(map(list, rows))


# -------------------------------------------------------------------------------------------------
# An experiment: one set of arguments for its computation, its figures and files, and its command.


_PAGES = {"validate": "trust", "sample": "sampling", "sweep": "size", "metrics": "inside"}


@dataclass(frozen=True)
class Study:
    """An experiment with its arguments, which are also the arguments of its command."""

    view: View
    command: str  # such as "validate type1"
    metric: str
    asked: Mapping[str, Any]
    source: Source  # where the test set comes from

    @property
    def key(self) -> str:
        group, name = self.command.split()
        return f"{_PAGES[group]}.{name}"

    def run(
        self,
        function: Callable,
        what: str,
        figure: Callable[[Any], Callable[[], go.Figure]] | None = None,
        things: str = "",
        **more,
    ):
        """Return the result; until it is there, draw the `figure` of the first repeats, which are
        called `things`.
        """

        def growing(parts):
            (done, n), one = max(parts.items(), key=itemgetter(0))
            sentence = f"{done:,} of {n:,} {things} so far"
            grow(figure(one), f"{self.key}.growing.{done}", f"{sentence}.")
            screen.faint(
                f"{sentence}, so intervals are wider than they will be. Numbers, tables and files come with "
                "the last."
            )

        return self.view.experiment(
            function,
            what,
            metric=self.metric,
            **self.asked,
            **{"meanwhile": figure and growing, **more},
        )

    def print_command(self, **more) -> str:
        """Return the command line that prints the numbers, without defaults."""
        flags = [f"--{name}" for name, value in self.asked.items() if value is True]
        asked = {name: value for name, value in self.asked.items() if not isinstance(value, bool)}
        return command_line(
            self.command, self.source, *flags, **{"metrics": self.metric, **asked, **more}
        )

    def show(
        self,
        figure: Callable[[], go.Figure],
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
        """Draw a figure with the rows that the command prints; only the command has the arguments
        `more`.
        """
        show(
            figure,
            key=key or self.key,
            files=self._name(systems),
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
        with st.expander("Numbers, files, command", key=f"{key}.box"):
            csv_button(self._name(systems), key, rows)
            copy_command(self.print_command(**more), key)

    def _name(self, systems: Sequence[str]) -> tuple[str, ...]:
        return self.view.named(*systems, metric=self.metric.replace(",", "-"))


def study(
    view: View, command: str, metric: str | None = None, source: Source | None = None, **asked
) -> Study:
    """Make an experiment on the test set of a view, with its level and seed if the command has
    these.
    """
    settings = {key: view.settings[key] for key in ("alpha", "seed") if key in defaults(command)}
    return Study(view, command, metric or view.metric, settings | asked, source or view.source)
