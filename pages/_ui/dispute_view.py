"""The dispute card on the page Pair: everything about two systems, to read, to print, to send as one file."""

from __future__ import annotations

import base64

import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.experiments.dispute import default_metrics, examine_dispute
from mtsig_core.metrics import metric_title
from mtsig_core.report import export
from mtsig_core.report.commands import command_line
from mtsig_core.report.dispute_card import card_html
from mtsig_core.stats.comparison import joined
from pages._ui import background, controls, results, screen
from pages._ui.copyable import command_box
from pages._ui.ending import or_end_page
from pages._ui.view import View

__all__ = ["show_card"]

_HIGH = 700  # pixels of the card on the page, which scrolls


def show_card(view: View, a: str, b: str) -> None:
    """Below a toggle, which stands in the address: the card, a button for its file, and the command."""
    if not controls.toggle("Dispute card: everything about this pair on one page, to print or to send", False, "card",
                           pages_own=True):
        return
    compared = []
    for name in dict.fromkeys([view.metric, *default_metrics(view.testset)]):
        try:
            compared.append(results.comparison(view.testset, name, **view.settings))
        except MtsigError as problem:  # a test that does not fit this metric
            screen.error(f"{metric_title(name)}: {problem}")
    comparison = joined(compared)
    names = list(comparison.metrics)
    testset, settings = view.testset, view.settings
    key = ("dispute", testset.digest, a, b, *names, *sorted(view.settings.items()))

    def work(progress):
        return examine_dispute(testset, names, a=a, b=b, comparison=comparison, jobs=results.jobs(testset),
                               progress=progress, **settings)

    with or_end_page():
        found = background.result(key, work, "Making the dispute card")
    command = command_line("pair", view.source, f"--metrics={','.join(names)}", a=a, b=b, **view.settings)
    html = card_html(found, command)
    st.download_button("Dispute card (HTML)", html, export.file_name(*view.named(a, b), "dispute", ending="html"),
                       "text/html", key="pair.card", on_click="ignore")
    st.caption("Opens offline and prints on A4. This page's address opens it here again.")
    sealed = base64.b64encode(html.encode("utf-8", "backslashreplace")).decode()  # an origin of its own
    st.iframe(f"data:text/html;charset=utf-8;base64,{sealed}", height=_HIGH)
    command_box(" ".join([command, "--format", "html"]), "dispute.command", "this card")
