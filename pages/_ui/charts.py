"""Figures on screen, each with its numbers, its files and the command that prints it."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from mtsig_core import export
from pages._ui import words

__all__ = ["columns", "show"]

_INK = {"light": "#1B2330", "dark": "#E8ECF2"}
_GRID = {"light": "#DDE2E9", "dark": "#323A47"}


def show(figure: go.Figure, key: str, alt: str, *, header: Sequence[str], rows: Sequence[Sequence], command: str,
         table: tuple = (), with_table: bool = True, select: bool = False) -> list:
    """Draw a figure in the colours of the viewer's theme, and below it all that is behind it.

    Parameters
    ----------
    figure : go.Figure
    key : str
        ``"page.figure"``, also the name of the files.
    alt : str
        The text alternative: what the figure shows, in a sentence.
    header, rows
        The table of its numbers.
    command : str
        The command line that prints them.
    table : tuple, optional
        (header, rows) to show in place of those numbers, which are as they are.
    with_table : bool
        Whether to show that table below the figure; False where the page has it anyway.
    select : bool
        Whether points can be clicked.

    Returns
    -------
    list
        The custom data of the points clicked.
    """
    theme = "dark" if st.context.theme.type == "dark" else "light"
    # The theme of Streamlit alone sets axis labels in a grey too pale for a projector.
    figure.update_layout(font_color=_INK[theme], title_font_color=_INK[theme])
    figure.update_annotations(font_color=_INK[theme])
    figure.update_xaxes(tickfont_color=_INK[theme], gridcolor=_GRID[theme])
    figure.update_yaxes(tickfont_color=_INK[theme], gridcolor=_GRID[theme])
    place = st.container()
    with st.expander("Numbers, files, command"):
        picture = st.radio("The camera above the figure saves it as", ["png", "svg"], horizontal=True,
                           key=f"{key}.picture")
        name = key.replace(".", "-")
        st.download_button("Numbers as CSV", export.to_csv(header, rows), f"{name}.csv", "text/csv",
                           key=f"{key}.csv", on_click="ignore")
        st.code(command, language=None, wrap_lines=True)
        if with_table:
            shown, cells = table or (header, [["-" if cell is None else str(cell) for cell in row] for row in rows])
            words.table(shown, cells[:500])
        if with_table and len(rows) > 500:
            st.caption(f"The first 500 of {len(rows)} rows; the file has all.")
    config = {"displaylogo": False, "modeBarButtons": [["toImage"]],
              "toImageButtonOptions": {"format": picture, "filename": name, "scale": 2}}
    event = place.plotly_chart(figure, key=key, alt=alt, config=config, on_select="rerun" if select else "ignore",
                               selection_mode="points")
    return [point["customdata"] for point in event.selection.points] if select else []


def columns(rows: Sequence[dict]) -> dict:
    """Rows with named values as the header and rows that `show` takes."""
    return dict(header=list(rows[0]) if rows else [], rows=[list(row.values()) for row in rows])
