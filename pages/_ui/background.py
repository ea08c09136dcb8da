"""Work that may take longer than a moment: it runs in a thread, is remembered, shows its progress, can be cancelled."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from concurrent.futures import wait

import streamlit as st

from mtsig_core import SettingError
from mtsig_core.jobs import Office
from pages._ui import words

__all__ = ["result"]

PATIENCE = 0.8  # seconds that a page waits before it shows progress instead
_REDRAWN = 0.4  # seconds between two looks at the progress
_ME = "background.me"
_CANCELLED = "background.cancelled"
_OFFICE = Office()


def result(key: tuple, work: Callable[[Callable[[str, float], None]], object], what: str):
    """The value of some work, remembered by its key.

    Where it takes longer than `PATIENCE`, the page shows progress and ends here; it runs again when the value is there.

    Parameters
    ----------
    key : tuple
        The kind of work, then all that its value depends on.
    work : callable
        (progress) -> value, with progress(stage, share); it touches nothing of Streamlit.
    what : str
        Says on screen what takes so long.
    """
    if key in _OFFICE.values:
        return _OFFICE.values.get(key)
    me = st.session_state.setdefault(_ME, secrets.token_hex(8))
    cancelled = st.session_state.setdefault(_CANCELLED, set())
    job = None
    if key not in cancelled:
        job = _OFFICE.watch(key, work, me)
        _wait(job)
    if job is None or not job.future.done():
        _show_progress(job, key, what, me, cancelled)
    try:
        return job.future.result()
    except MemoryError as error:
        raise SettingError("There is not enough memory for this. Use fewer trials, systems or segments.") from error


def _wait(job):
    """For a moment, in short steps: each look at the session lets a click that came meanwhile through."""
    until = time.monotonic() + PATIENCE
    while not wait([job.future], 0.05).done and time.monotonic() < until:
        st.session_state.get(_ME)


def _show_progress(job, key, what, me, cancelled):
    """Progress with Cancel, or what was cancelled; the page ends here until there is a value."""
    @st.fragment(run_every=_REDRAWN)
    def panel():
        if key in cancelled:
            words.plain(f"{what}: cancelled.")
            if st.button("Run it after all", key="background.again"):
                cancelled.discard(key)
                st.rerun()
            return
        if job.future.done():
            st.session_state.get(_ME)  # a click on another page comes first: a rerun asked for after it would undo it
            st.rerun()
        st.progress(min(1.0, job.share))
        words.plain(f"{what}: {job.told()}")
        if st.button("Cancel", key="background.cancel"):
            _OFFICE.leave(key, me)
            cancelled.add(key)
            st.rerun(scope="fragment")

    panel()
    st.stop()
