"""Long jobs in another process.

A job shows its progress and can be cancelled. If it takes more than a minute, the page asks first.
The server limits the time and the memory of a job.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import wait
from dataclasses import dataclass, field

import streamlit as st
from joblib import cpu_count
from streamlit.delta_generator import DeltaGenerator

from mtsig_core import SettingError
from mtsig_core.metrics.cache import NO_VALUE
from mtsig_core.readers.limits import read_whole_number
from mtsig_core.source import PORTS_VARIABLE
from pages._server import health, internals
from pages._ui import address, screen
from pages._ui.screen import end_page
from pages._work.scheduler import Job, Scheduler, TooLong, format_duration
from pages._work.worker_pool import Progress, WorkerPool, worker_megabytes, worker_seconds

PATIENCE = 0.8  # seconds that a page waits before it shows progress
LONGEST = 60.0  # seconds that work may take unasked
_REDRAWN = 0.2  # seconds between two looks at the progress
#: After parts were drawn, no more are for so many times as long: drawing takes time from the work.
_REST = 5
#: Kinds of work that never wait for others.
_SHORT = ("compare", "contributions", "examine_pair", "references", "segments found")
_CANCELLED = "background.cancelled"
_ALLOWED = "background.allowed"  # the keys of work that may take as long as the server allows
_PLACED = "background.placed"  # the keys of all work that this run of the page has asked for


def count_places() -> int:
    """Return how many jobs of a lane may run at once.

    ``MTSIG_JOBS`` sets the number; the default is one job per core of each server process.
    """
    servers = len(os.environ.get(PORTS_VARIABLE, "").split()) or 1
    return read_whole_number("MTSIG_JOBS", max(1, cpu_count() // servers))


_SCHEDULER = Scheduler(WorkerPool(), count_places(), internals.is_open, worker_seconds())
health.count_jobs_by(_SCHEDULER.counts)


@dataclass
class _Task:
    """Work that a page waits for, and what it shows meanwhile."""

    key: tuple
    description: str
    place: DeltaGenerator | None
    draw_parts: Callable[[dict], None] | None
    drawn_parts: dict = field(default_factory=dict)
    rest_until: float = 0.0

    def ask(self) -> None:
        """Say how long the work would take, and end the page unless the user asks for it."""
        seconds = _SCHEDULER.expected.get(self.key)
        duration = format_duration(seconds)
        most = worker_seconds()
        if seconds > most:
            raise SettingError(
                f"{self.description} would take about {duration}. This server gives one piece of work "
                f"{most // 60:,} min (MTSIG_WORKER_MINUTES). Use fewer trials, systems or segments; the "
                "command line has no such limit."
            )
        text = (
            f"{self.description} would take about {duration}. A smaller test set, or fewer permutations "
            "under Change, is faster."
        )
        self._draw(text, f"Run it: about {duration}", _allow)
        end_page()

    def offer_again(self) -> None:
        """Say that the work was cancelled, and end the page unless the user asks for it."""
        self._draw(f"{self.description}: cancelled.", "Run it after all", _again)
        end_page()

    def show_progress(self, job: Job) -> None:
        """Show progress, a button to cancel, and the parts that are there, until the end."""
        line, bar, parts_place = self._draw(self.description, "Cancel", _cancel, is_working=True)
        while not job.future.done():
            self._show_parts(job, parts_place)
            bar.progress(min(1.0, job.share))
            with line:
                screen.plain(f"{self.description}: {job.describe()}")
            _wait(job, _REDRAWN)
        self.place.empty()

    def _show_parts(self, job: Job, place: DeltaGenerator) -> None:
        start = time.monotonic()
        partial_results = dict(job.parts)
        is_new = partial_results.keys() != self.drawn_parts.keys()
        if self.draw_parts is None or not is_new or start < self.rest_until:
            return
        with place.container():
            self.draw_parts(partial_results)
        self.drawn_parts = partial_results
        end = time.monotonic()
        self.rest_until = end + _REST * (end - start)

    def _draw(self, text: str, button: str, on_click: Callable, is_working: bool = False):
        """Draw a line, a place below it, and a button; return the places.

        They are always at the same position, so that each replaces the last at once.
        """
        with self.place.container():
            line = st.empty()
            below = st.empty()
            with line:
                screen.plain(text)
            # The key of the work is in it: a click is never taken for other work's.
            name = f"background.{on_click.__name__.strip('_')}.{hash(self.key):x}"
            st.button(button, key=name, on_click=on_click, args=(self.key,))
            parts_place = st.empty()
            # It hides what the last run drew; not where the page asks first, which may go on
            # without the value.
            if is_working:
                st.html('<span class="mt-working" hidden></span>')
            return line, below, parts_place


def result(
    key: tuple,
    work: Callable[[Progress], object],
    description: str,
    meanwhile: Callable[[dict], None] | None = None,
):
    """Return the value of some work, remembered by its key.

    If the job takes longer than `PATIENCE`, the page shows progress and waits in its own run. A
    timer that asks for reruns could coincide with a click, and Streamlit would lose one of the two.
    If even the fastest second so far predicts a time above `LONGEST`, the job is stopped. The page
    then shows how long the job would take, and asks.

    Parameters
    ----------
    key : tuple
        The kind of work, then everything that its value depends on.
    work : callable
        It runs in another process and refers to nothing of Streamlit. It may call progress(stage,
        share) and progress.part(name, part).
    description : str
        Of the work, at the beginning of a sentence.
    meanwhile : callable, optional
        Draws the parts that are there, by name.
    """
    # Only one look: another session's value may take its room at any time.
    value = _SCHEDULER.values.get(key, NO_VALUE)
    place = keep_place(key, value is not NO_VALUE)
    if value is not NO_VALUE:
        return value
    task = _Task(key, description, place, meanwhile)
    if key in st.session_state.setdefault(_CANCELLED, set()):
        task.offer_again()
    longest = LONGEST
    if key in st.session_state.setdefault(_ALLOWED, set()):
        longest = worker_seconds()
    elif key in _SCHEDULER.expected:
        task.ask()
    heavy = key[0] not in _SHORT
    job = _SCHEDULER.watch(key, work, internals.session_id(), longest, heavy=heavy)
    _wait(job, PATIENCE)
    if not job.future.done():
        address.write()  # while one waits, it is already a link to what will come
        task.show_progress(job)
    try:
        return job.future.result()
    except TooLong:
        task.ask()
    except MemoryError as error:
        raise SettingError(
            f"This needs more memory than the {worker_megabytes():,} MB that this server gives one piece of work "
            "(MTSIG_WORKER_MB). Use fewer trials, systems or segments; the command line has no such limit."
        ) from error


def is_kept(key: tuple) -> bool:
    """Return whether the value of some work is there."""
    return key in _SCHEDULER.values


def keep_place(key: tuple, is_open: bool = True) -> DeltaGenerator | None:
    """Reserve the place of some work's progress, once in a run.

    What follows then keeps its position.
    """
    placed = st.session_state.setdefault(_PLACED, set())
    place = None
    if key not in placed or not is_open:
        place = st.empty()
    placed.add(key)
    return place


def begin() -> None:
    """Start a run of a page."""
    st.session_state[_PLACED] = set()
    prepare()


def prepare() -> None:
    """Load what work needs, because work may come soon."""
    _SCHEDULER.prepare()


def _wait(job: Job, seconds: float) -> None:
    """Wait until the work ends, for some seconds."""
    deadline = time.monotonic() + seconds
    while not wait([job.future], 0.05).done and time.monotonic() < deadline:
        internals.let_run_end()


def _cancel(key: tuple) -> None:
    _SCHEDULER.leave(key, internals.session_id())
    st.session_state[_CANCELLED].add(key)


def _allow(key: tuple) -> None:
    st.session_state[_ALLOWED].add(key)


def _again(key: tuple) -> None:
    st.session_state[_CANCELLED].discard(key)
