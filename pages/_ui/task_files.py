"""The files that a shared task is taken away as, and the command that prints them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from mtsig_core.report import export
from mtsig_core.report.task_export import task_document
from mtsig_core.results import TaskComparison
from mtsig_core.source import TaskSource
from mtsig_core.store.reviews import Entry
from pages._ui import picture
from pages._ui.copyable import command_box

__all__ = ["show"]

_FORMS = (("CSV", "csv", "csv", "text/csv"), ("JSON", "json", "json", "application/json"),
          ("LaTeX", "latex", "tex", "text/x-tex"), ("Report (HTML)", "html", "html", "text/html"),
          ("Manifest", "manifest", "manifest.json", "application/json"))


def show(found: TaskComparison, drawn: str, metric: str, source: TaskSource, command: str, what: str,
         history: Sequence[Entry] = ()) -> None:
    """A button for each file and the picture `drawn`; what they are of, a task or a review, is in their names."""
    st.subheader("Take it away")
    named = partial(export.file_name, found.task.name, metric, what)
    with st.container(horizontal=True):
        for title, form, ending, mime in _FORMS:
            st.download_button(title, partial(task_document, form, found, source, command, history),
                               named(ending=ending), mime, key=f"{what}.{form}", on_click="ignore")
        st.download_button("Picture (SVG)", drawn, named(ending="svg"), "image/svg+xml", key=f"{what}.svg",
                           on_click="ignore")
        picture.png_button("Picture (PNG)", drawn, named(ending="png"), f"{what}.png")
    command_box(command, f"{what}.command", f"this {what}, and in other formats these files")
