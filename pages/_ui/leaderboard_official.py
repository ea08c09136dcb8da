"""Scores that were printed elsewhere beside those of the leaderboard: pasted or uploaded."""

from __future__ import annotations

import hashlib
from pathlib import Path

import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.data.readers.lines import decode
from mtsig_core.data.readers.official_tables import official_table
from mtsig_core.inference.replicate import replicate
from mtsig_core.report.commands import command_line
from mtsig_core.report.replication_report import REPLICATION_FORMS, replication_rows, replication_sentences
from pages._ui import background, screen
from pages._ui.view import View

__all__ = ["show"]

_LONGEST = 50_000  # characters of a table


def show(view: View) -> None:
    """A box for a table, and below it what comes out here, what does not, and what would give it."""
    st.subheader("Do printed scores come out here?")
    with st.expander("Set an official table beside these scores"):
        st.caption("System and a column for each metric, or system, metric, score; tabs, semicolons or commas between. "
                   "It stays in this session, and is not part of the link.")
        pasted = st.text_area("Paste a table", key="official.text", max_chars=_LONGEST, height=120,
                              placeholder="system, BLEU, chrF")
        file = st.file_uploader("or upload it", type=["tsv", "csv", "txt"], key="official.file")
        text = pasted
        try:
            if file is not None:
                text = decode(file.getvalue()[:_LONGEST], file.name, False).removeprefix("\ufeff")
            if text.strip():
                _show_found(view, official_table(text), hashlib.sha256(text.encode()).hexdigest())
        except MtsigError as problem:
            screen.error(problem)


def _show_found(view, table, digest):
    def work(progress):
        return replicate(view.testset, table, _whole(view), progress=progress)

    found = background.result(("official", view.testset.digest, view.whole.digest, digest), work,
                              "Looking for the settings of the table")
    for sentence in replication_sentences(found):
        screen.plain(sentence)
    header, rows = replication_rows(found)
    screen.table(header, rows, names=[0, 1, 5], key="official.table")
    st.download_button("As CSV", REPLICATION_FORMS["csv"](found), "official.csv", "text/csv", key="official.csv",
                       on_click="ignore")
    st.code(command_line("score", view.source, official="FILE"), language=None, wrap_lines=True)


def _whole(view):
    """All references and, where the files are here, the canary line, which are tried too."""
    source = view.source
    if source.refs_as_systems:
        return None
    if source.folder is not None and Path(source.folder).is_dir():
        return source.everything().read()
    return view.whole.only(view.testset.systems)
