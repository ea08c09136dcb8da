"""Start and stop the server, and clean up between the runs of pages."""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import gc
import os
import signal
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module

import streamlit as st

from mtsig_core import compare
from mtsig_core.metrics import OWN_METRICS, list_metrics
from mtsig_core.version import __version__
from pages._server import frontend, internals, sessions
from pages._work import events
from pages._work.first_comparison import FirstDraws

#: Seconds that a thread may compute while others wait. A page is sent in a hundred messages. Before
#: each of them the thread that sends waits as long as this while pages are being drawn: with
#: Python's own 5 ms half a second.
_TURN = 5e-4
_PAUSE = 30.0  # seconds between two searches of all memory, each of which takes a tenth of one
_LEAST_USE = 20  # quick searches in between: with fewer, nothing worth a long one has happened


async def tidy() -> None:
    """Tidy for as long as the server runs."""
    sys.setswitchinterval(_TURN)
    count = 0
    while True:
        await asyncio.sleep(_PAUSE)
        sessions.forget_closed()
        if internals.end_closed_sessions() or _count_searches() >= count + _LEAST_USE:
            await asyncio.to_thread(_search_memory)
            count = _count_searches()


def _count_searches() -> int:
    """Return the number of quick searches of memory so far."""
    return gc.get_stats()[0]["collections"]


def _search_memory() -> None:
    gc.collect()
    _give_back()


def _give_back() -> None:
    """Give free memory back to the system, where glibc would keep it."""
    if sys.platform != "linux":
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


# -- the server's beginning and end ---------------------------------------------------------------

#: Bytes that a page may send at once: what is typed and chosen. Files come another way.
_LONGEST_MESSAGE = 4 << 20
GRACE = 3.0  # seconds that the server may take to end
#: What pages import, and what they import when they need it.
_MODULES = [
    "pages._ui.frame",
    "pages._sections.comparison_sections",
    "pages._sections.published_comparison",
    "pandas.io.formats.style",
    "mtsig_core.figures.sample_plots",
    "mtsig_core.figures.comparison_plots",
    *sorted({place.partition(":")[0] for place in OWN_METRICS.values()}),
]


@asynccontextmanager
async def life(_app) -> AsyncIterator[None]:
    """Start and stop the server.

    It opens a browser if wanted. The pages' code is loaded before anybody is served: the browser
    that starts meanwhile waits. After a signal the server ends soon, whatever runs.
    """
    events.tell("start", version=__version__)
    server = internals.find_server()
    if server is not None:
        _end_soon(server)
        internals.send_at_once(server)
        internals.limit_messages(server, _LONGEST_MESSAGE)
    tidying = asyncio.create_task(tidy())
    if not st.get_option("server.headless"):  # it listens already, so the browser's request waits
        address = f"http://{st.get_option('browser.serverAddress')}:{st.get_option('server.port')}"
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    _load()
    events.be_terse()
    # while the first browser loads Streamlit
    threading.Thread(target=_open_demonstration, daemon=True).start()
    yield
    tidying.cancel()
    events.tell("stop")


def _load() -> None:
    """Load the pages' code; the process that forks workers loads its code at the same time."""
    from pages._ui import background

    background.prepare()
    for name in _MODULES:
        import_module(name)
    internals.load_lazy_parts()
    frontend.compress_files()
    internals.ignore_pages_folder()
    gc.collect()
    # Without this, each run of a page would spend 80 ms looking through what always stays.
    gc.freeze()
    gc.enable()


def _open_demonstration() -> None:
    """Open the demonstration, so that the first visitor does not wait for it or for its code."""
    from mtsig_core.figures import comparison_plots
    from pages._ui import catalogue, testsets

    testset = testsets.read_beforehand(catalogue.TASK)
    metric = list_metrics(testset)[0]
    comparison = compare(testset, metric, cache=FirstDraws(testset))
    result = comparison.metrics[metric]
    for draw in (comparison_plots.differences, comparison_plots.forest):
        draw(result, comparison.settings).to_json()


def _end_soon(server) -> None:
    """End the server soon after a signal.

    Otherwise it would wait for jobs that ignore the signal, and for connections that stay open.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, partial(_stop, server))


def _stop(server, _number, _frame) -> None:
    """End the server soon; a second signal changes nothing.

    At a second signal, Uvicorn would stop in the middle of its work, with errors.
    """
    if server.should_exit:
        return
    server.should_exit = True
    timer = threading.Timer(GRACE, os._exit, (0,))
    timer.daemon = True
    timer.start()
    # Registered last, it is called first: nothing that tidies up is interrupted.
    atexit.register(_ignore_signals)


def _ignore_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
