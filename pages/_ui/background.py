"""Work that may take longer than a moment: it runs in a thread, is remembered, shows its progress, can be cancelled."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait

import streamlit as st

from mtsig_core import Cancelled, SettingError
from pages._ui import words

__all__ = ["Memory", "result"]

PATIENCE = 0.8  # seconds that a page waits before it shows progress instead
_REDRAWN = 0.4  # seconds between two looks at the progress
_WORKERS = 2
_KEPT = 128  # values, of all sessions together
_ME = "background.me"
_CANCELLED = "background.cancelled"


class Memory:
    """The values last used, by key; shared by threads."""

    def __init__(self, size: int):
        self._size, self._values, self._lock = size, OrderedDict(), threading.Lock()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def get(self, key: Hashable):
        """The value of a key, None without one."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def keep(self, key: Hashable, value) -> None:
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)


class _Job:
    """One piece of work under way; it goes on as long as a session wants it."""

    def __init__(self, me: str):
        self.watchers = {me}
        self.stage, self.share, self.since = "", 0.0, time.monotonic()
        self.future: Future

    def progress(self, stage: str, share: float) -> None:
        if not self.watchers:
            raise Cancelled("Nobody waits for this any more.")
        if stage != self.stage:
            self.since = time.monotonic()
        self.stage, self.share = stage, share

    def told(self) -> str:
        """Stage, share of it, and the time that the rest of it takes at the speed so far."""
        if not self.stage:
            return "waiting for its turn"
        spent = time.monotonic() - self.since
        left = "" if self.share < 0.02 or spent < 0.3 else f", about {spent / self.share * (1 - self.share):.0f} s left"
        return f"{self.stage}, {self.share:.0%}{left}"


class _Office:
    """The jobs of all sessions; two that ask for the same share one."""

    def __init__(self):
        self.values = Memory(_KEPT)
        self._jobs: dict[Hashable, _Job] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="mtsig")

    def watch(self, key: tuple, work: Callable, me: str) -> _Job:
        """The job for a key, started if need be. Of the same kind of work a session wants only the latest."""
        with self._lock:
            for other, job in self._jobs.items():
                if other[0] == key[0] and other != key:
                    job.watchers.discard(me)
            job = self._jobs.get(key)
            if job is None or not job.watchers:  # there is none, or it is about to stop
                job = self._jobs[key] = _Job(me)
                job.future = self._pool.submit(self._run, key, job, work)
            job.watchers.add(me)
            return job

    def leave(self, key: tuple, me: str) -> None:
        with self._lock:
            if key in self._jobs:
                self._jobs[key].watchers.discard(me)

    def _run(self, key, job, work):
        try:
            job.progress("", 0.0)
            value = work(job.progress)
            self.values.keep(key, value)
            return value
        finally:
            with self._lock:
                if self._jobs.get(key) is job:
                    del self._jobs[key]


_OFFICE = _Office()


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
        wait([job.future], PATIENCE)
    if job is None or not job.future.done():
        _show_progress(job, key, what, me, cancelled)
    try:
        return job.future.result()
    except MemoryError as error:
        raise SettingError("There is not enough memory for this. Use fewer trials, systems or segments.") from error


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
            st.rerun()
        st.progress(min(1.0, job.share))
        words.plain(f"{what}: {job.told()}")
        if st.button("Cancel", key="background.cancel"):
            _OFFICE.leave(key, me)
            cancelled.add(key)
            st.rerun(scope="fragment")

    panel()
    st.stop()
