"""Long work: it runs in another process, shows its progress, can be cancelled, and asks first if it
takes over a minute.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import wait

import streamlit as st

from mtsig_core import SettingError
from pages._server import health, internals
from pages._ui import address, screen, session_limits
from pages._ui.screen import end_page
from pages._work.memory import MISSING
from pages._work.scheduler import Scheduler, TooLong, lasting
from pages._work.worker_pool import Progress, WorkerPool, worker_megabytes

PATIENCE = 0.8  # seconds that a page waits before it shows progress
LONGEST = 60.0  # seconds that work may take unasked
_REDRAWN = 0.2  # seconds between two looks at the progress
# times as long as it took to draw what is there so far, nothing is drawn: it takes time from the
# work
_SHARE = 5
#: Kinds of work that never wait for others.
_SHORT = ("compare", "contributions", "examine_pair", "references", "segments found")
_CANCELLED = "background.cancelled"
_ALLOWED = "background.allowed"  # the keys of work that may take as long as it takes
_PLACED = "background.placed"  # the keys of all work that this run of the page has asked for
_SCHEDULER = Scheduler(WorkerPool(), session_limits.places(), internals.is_open)
health.count_jobs_by(_SCHEDULER.counts)


def result(
    key: tuple,
    work: Callable[[Progress], object],
    what: str,
    meanwhile: Callable[[dict], None] | None = None,
):
    """Return the value of some work, remembered by its key.

    It depends on the `key` alone: the kind of work, then all that counts. work(progress) runs in
    another process and refers to nothing of Streamlit. It may call progress(stage, share) and
    progress.part(name, part): `meanwhile` draws the parts that are there, by name. Where it takes
    longer than `PATIENCE`, the page shows progress, with `what`, and waits in its own run: a timer
    that asks for reruns would meet clicks, and Streamlit forgets one of the two then. Where even
    its fastest second so far says that it would take longer than `LONGEST`, it is stopped, and the
    page says how long it would take and asks.
    """
    value = _SCHEDULER.values.get(
        key, MISSING
    )  # asked for once: another session's may take its room at any time
    place = keep_place(key, value is not MISSING)
    if value is not MISSING:
        return value
    if key in st.session_state.setdefault(_CANCELLED, set()):
        _draw(place, f"{what}: cancelled.", "Run it after all", _again, key)
        end_page()
    allowed = key in st.session_state.setdefault(_ALLOWED, set())
    if not allowed and key in _SCHEDULER.expected:
        _ask(place, key, what)
    longest = math.inf if allowed else LONGEST
    job = _SCHEDULER.watch(key, work, internals.session_id(), longest, heavy=key[0] not in _SHORT)
    if not _done(job, PATIENCE):
        address.write()  # while one waits, it is already a link to what will come
        _show_progress(place, job, key, what, meanwhile)
    try:
        return job.future.result()
    except TooLong:
        _ask(place, key, what)
    except MemoryError as error:
        raise SettingError(
            f"This needs more memory than the {worker_megabytes():,} MB that this server gives one piece of work "
            "(MTSIG_WORKER_MB). Use fewer trials, systems or segments; the command line has no such limit."
        ) from error


def is_kept(key: tuple) -> bool:
    """Return whether the value of some work is there."""
    return key in _SCHEDULER.values


def keep_place(key: tuple, there: bool = True):
    """Reserve the place of some work's progress, once in a run, so that what follows keeps its
    position.
    """
    placed = st.session_state.setdefault(_PLACED, set())
    place = None if key in placed and there else st.empty()
    placed.add(key)
    return place


def begin() -> None:
    """Start a run of a page."""
    st.session_state[_PLACED] = set()
    prepare()


def prepare() -> None:
    """Load what work needs, because work may come soon."""
    _SCHEDULER.prepare()


def _show_progress(place, job, key, what, meanwhile):
    """Show progress, a button to cancel, and the parts that are there, until the work is done."""
    line, share, part = _draw(place, what, "Cancel", _cancel, key, working=True)
    done, drawn, rest = False, {}, 0.0
    while not done:
        parts, begun = dict(job.parts), time.monotonic()
        if meanwhile is not None and parts.keys() != drawn.keys() and begun >= rest:
            with part.container():
                meanwhile(parts)
            drawn, rest = parts, time.monotonic() + _SHARE * (time.monotonic() - begun)
        share.progress(min(1.0, job.share))
        with line:
            screen.plain(f"{what}: {job.said()}")
        done = _done(job, _REDRAWN)
    place.empty()


def _ask(place, key, what):
    """Show how long the work would take, and end the page unless the user asks for it."""
    long = lasting(_SCHEDULER.expected.get(key))
    _draw(
        place,
        f"{what} would take about {long}. A smaller test set, or fewer permutations under Change, is "
        "faster.",
        f"Run it: about {long}",
        _allow,
        key,
    )
    end_page()


def _draw(place, text, button, clicked, key, working=False):
    """Draw a line, a place below it, and a button, always at the same position so that each
    replaces the other at once.
    """
    with place.container():
        line, below = st.empty(), st.empty()
        with line:
            screen.plain(text)
        # a click is never taken for other work's
        name = f"background.{clicked.__name__.strip('_')}.{hash(key):x}"
        st.button(button, key=name, on_click=clicked, args=(key,))
        part = st.empty()
        # hides what the last run drew; not where the page asks first, which may go on without the
        # value
        if working:
            st.html('<span class="mt-working" hidden></span>')
    return line, below, part


def _done(job, patience):
    """Return whether the work ends within some seconds.

    Each call lets Streamlit end a run that a click made obsolete.
    """
    until = time.monotonic() + patience
    while not wait([job.future], 0.05).done and time.monotonic() < until:
        st.session_state.get(_PLACED)
    return job.future.done()


def _cancel(key):
    _SCHEDULER.leave(key, internals.session_id())
    st.session_state[_CANCELLED].add(key)


def _allow(key):
    st.session_state[_ALLOWED].add(key)


def _again(key):
    st.session_state[_CANCELLED].discard(key)
