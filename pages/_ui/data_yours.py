"""The test sets and tasks that were uploaded in this browser: to open, to rename, to delete."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from mtsig_core.errors import counted
from mtsig_core.store.database import DAY, megabytes
from mtsig_core.store.kept_sets import Saved
from pages._ui import browser, frame, screen, testsets

__all__ = ["show"]


def show() -> None:
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
