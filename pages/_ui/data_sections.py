"""Parts of the page Data: what may be uploaded, what was, and files that did not come."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile

from mtsig_core.errors import counted
from mtsig_core.readers.limits import upload_limits
from mtsig_core.report.commands import command_line
from mtsig_core.source import Source
from mtsig_core.store.database import DAY, megabytes
from mtsig_core.store.kept_sets import Saved
from pages._server import uploads
from pages._ui import browser, controls, frame, screen, testsets
from pages._ui.browser import copyable

_FIELD, _SAID = "uploaded.field", "uploaded.said"


def choose_files(key: str) -> Sequence[UploadedFile]:
    """A field for several files; those that the server has. Where it has none of them, the list begins anew."""
    state = st.session_state
    field = f"{key}{state.get(_FIELD, '')}"
    files = st.file_uploader("Files", accept_multiple_files=True, key=field, label_visibility="collapsed")
    said = why_missing(state[field])
    if said and not files:
        state[_FIELD], state[_SAID] = state.get(_FIELD, 0) + 1, said
        st.rerun()
    if files:
        state.pop(_SAID, None)
    for text in said or state.get(_SAID, ()):
        screen.error(text)
    return files


def why_missing(files: Sequence[UploadedFile | DeletedFile | None]) -> list[str]:
    """Why some of these files are not here, each reason once; nothing where all are."""
    reasons = [uploads.reason(file.file_id) for file in files if isinstance(file, DeletedFile)]
    said = list(dict.fromkeys(reason for reason in reasons if reason))
    if lost := reasons.count(None):
        said.append(f"{counted(lost, 'chosen file')} {'is' if lost == 1 else 'are'} not here any more: the server "
                    "was started again, or this page was away for long. Choose again. What was opened is kept, under "
                    "Yours." + (" A file that is here has a role below." if len(reasons) < len(files) else ""))
    return said


# What may be uploaded, and how a shared task is loaded.


def show_how_to_upload() -> None:
    """Three ways, for who asks for them; a link may ask, too."""
    if not controls.toggle("How to load a shared task", False, "task", pages_own=True):
        return
    screen.prose_table(["a folder in WMT layout", "how it gets here"], [
        [f"zipped, up to {upload_limits().zip_mb:,} MB unpacked",
         "Upload the zip below, by itself. The pages Task and Review then work on it, and each of its language pairs "
         "is in the list Test set. Tables of segment scores in it are read where their names say which language pair "
         "they are of: en-de.esa.tsv, en-de.mqm.seg.score."],
        ["on the machine of this dashboard",
         "Start the dashboard with MTSIG_DATA_ROOT set to the folder above it. The page Task then lists every task "
         "below it, folders and zips, and the list Test set has each of their language pairs"
         + (", as it does now." if os.environ.get("MTSIG_DATA_ROOT") else "; now it is not set.")],
        ["alone, or one language pair of it", "Start the dashboard on it, by one of the commands below."]])
    copyable("\n".join(command_line("serve", Source(folder="wmt24", langpair=pair)) for pair in (None, "en-de")),
             "data.serve", "Commands that start the dashboard on it")
    screen.plain("WMT layout: references/en-de.refA.txt, system-outputs/en-de/NAME.txt, and, best, "
                 "documents/en-de.docs and sources/en-de.txt; names as of 2021 to 2023 are known, too. Segment scores "
                 "alone: automatic_scores/NAME.jsonl, as WMT 2025 published them. Or XML: newstest2021.en-de.all.xml. "
                 "Choose the references that score at the side, under Systems and segments.")


def tell_what_may_come() -> None:
    """The kinds of files, and how much of them."""
    screen.plain("Plain text, one segment per line (UTF-8, .gz too): at least one reference and one system, best with "
                 "a documents file (docid, or domain, tab, docid, for each line). Or a zip of a shared-task folder in "
                 "WMT layout. Segment scores of people or of a model (TSV, CSV, JSONL, Parquet: system, line, score, "
                 "or a column for each system; COMET's JSON) come alone or with the texts, joined by line, or by id "
                 "where a file has the id of each line. A.run1.txt and A.run2.txt are outputs of two training runs of "
                 f"system A. Of text up to {upload_limits().mb:,} MB may be opened at once.")


# What was uploaded in this browser: to open, to rename, to delete.


def show_yours() -> None:
    """A line for each; nothing where there is none."""
    browser.remember()
    mine = testsets.store().of(browser.owner())
    if not mine:
        return
    limits = testsets.store().limits
    st.subheader("Yours")
    for saved in mine:
        about, opened, renamed, deleted = st.columns([6, 1.2, 1.4, 1.3], vertical_alignment="center")
        with about:
            size = counted(saved.n_segments, "segment") if saved.task is None else \
                f"shared task, {counted(len(saved.pairs), 'language pair')}"
            screen.plain(f"{saved.name}: {size}, {counted(saved.n_systems, 'system')}, {megabytes(saved.size)}, "
                         f"{_until(saved, limits.days)}")
        if opened.button("Open", key=f"yours.open.{saved.link}"):
            if saved.task is not None:
                frame.open_task(f"{testsets.KEPT}{saved.link}", saved.pairs[0])
            frame.open_testset(f"{testsets.KEPT}{saved.link}")
        with renamed.popover("Rename"):
            name = st.text_input("Name", saved.name, key=f"yours.name.{saved.link}", max_chars=100)
            if st.button("Rename it", key=f"yours.rename.{saved.link}") and name.strip():
                testsets.store().rename(saved.link, browser.owner(), name.strip())
                st.rerun()
        with deleted.popover("Delete"):
            st.caption("Every link to it ends here. This cannot be undone.")
            if st.button("Delete it", key=f"yours.delete.{saved.link}"):
                testsets.delete(saved)
                st.rerun()
    used = megabytes(sum(saved.size for saved in mine))
    st.caption(f"Kept on this server, {used} of {megabytes(limits.mine)}, and listed in this browser alone. Whoever "
               "has the address of a page can open its test set: share it as you would the files.")


def _until(saved: Saved, days: float) -> str:
    if not days:
        return "kept until you delete it"
    return f"kept until {datetime.fromtimestamp(saved.used + days * DAY, UTC):%Y-%m-%d}, longer if it is opened"
