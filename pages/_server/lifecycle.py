"""The server's beginning and end, and what it tidies between the runs of pages."""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import gc
import inspect
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module

import plotly.graph_objects as go
import streamlit as st

from mtsig_core import compare
from mtsig_core.metrics import METRICS, list_metrics
from mtsig_core.version import __version__
from pages._server import internals, sessions
from pages._work import events
from pages._work.first_comparison import FirstDraws

#: Seconds that a thread may compute while others wait. A page is sent in a hundred messages, before
#: each of which the thread that sends waits as long as this where pages are being drawn: with
#: Python's own 5 ms half a second.
_TURN = 5e-4
_OFTEN = 30.0  # seconds between two searches of all memory, each of which takes a tenth of one
_USED = 20  # quick searches in between, below which nothing worth a long one has happened


async def tidy() -> None:
    """See to it for as long as the server runs."""
    sys.setswitchinterval(_TURN)
    before = 0
    while True:
        await asyncio.sleep(_OFTEN)
        sessions.forget()
        if internals.end_closed_sessions() or gc.get_stats()[0]["collections"] >= before + _USED:
            await asyncio.to_thread(_search)
            before = gc.get_stats()[0]["collections"]


def _search() -> None:
    gc.collect()
    _give_back()


def _give_back() -> None:
    """Free memory belongs to the system again: the library of C keeps it otherwise (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


# The server's beginning and end.

_LONGEST_MESSAGE = (
    4 << 20
)  # bytes that a page may send at once: what is typed and chosen; files take another way
GRACE = 3.0  # seconds that the server may take to end
#: What pages import, and what they import when they need it.
_LOADED = (
    "pages._ui.frame",
    "pages._sections.comparison_sections",
    "pages._sections.published_comparison",
    "pandas.io.formats.style",
    *(f"mtsig_core.figures.{name}" for name in ("experiment_plots", "comparison_plots")),
    *dict.fromkeys(place.partition(":")[0] for place in METRICS.values()),
)


def send_at_once(protocol: type) -> type:
    """Uvicorn's HTTP protocol, with sockets that send each part of an answer at once.

    The kernel keeps later parts back until the browser confirms the first, up to 40 ms. asyncio
    turns this off for sockets that it opens, but Streamlit opens its own.
    """

    class Protocol(protocol):
        def connection_made(self, transport):
            connection = transport.get_extra_info("socket")
            if connection.family in (socket.AF_INET, socket.AF_INET6):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            super().connection_made(transport)

    return Protocol


@asynccontextmanager
async def life(app) -> AsyncIterator[None]:
    """Tell when the server starts and stops; open a browser if wanted; whatever runs, end soon
    after being told to.

    The pages' code is loaded before anybody is served: the browser that starts meanwhile waits.
    """
    events.tell("start", version=__version__)
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    if hasattr(server, "should_exit"):  # Uvicorn's, which would end with the signal
        _end_soon(server)
        server.config.http_protocol_class = send_at_once(server.config.http_protocol_class)
        server.config.ws_max_size = min(server.config.ws_max_size, _LONGEST_MESSAGE)
    tidying = asyncio.create_task(tidy())
    if not st.get_option("server.headless"):  # it listens already, so what the browser asks waits
        address = f"http://{st.get_option('browser.serverAddress')}:{st.get_option('server.port')}"
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    _load()
    events.be_terse()
    threading.Thread(
        target=_open_demonstration, daemon=True
    ).start()  # while the first browser loads Streamlit
    yield
    tidying.cancel()
    events.tell("stop")


def _load() -> None:
    """Load the pages' code; the process from which workers come loads theirs at the same time."""
    from pages._ui import background

    background.prepare()
    for name in _LOADED:
        import_module(name)
    go.Figure(go.Bar()).to_json()  # Plotly loads its parts when they are first needed
    # as Streamlit does before its first element; it looks through all modules, once
    inspect.stack()
    internals.ignore_pages_folder()
    gc.collect()
    # what is there stays: without this, each run of a page spends 80 ms looking through it
    gc.freeze()
    gc.enable()


def _open_demonstration() -> None:
    """Do what the first visit would wait for, whatever it opens: most of it loads code, and the
    demonstration stays.
    """
    from mtsig_core.figures import comparison_plots
    from pages._ui import catalogue, testsets

    testset = testsets.read_beforehand(catalogue.TASK)
    metric = list_metrics(testset)[0]
    comparison = compare(testset, metric, cache=FirstDraws(testset))
    for draw in (comparison_plots.differences, comparison_plots.forest):
        draw(comparison.metrics[metric], comparison.settings).to_json()


def _end_soon(server) -> None:
    """When a signal asks for the end, see that it comes: work that does not listen would go on for
    as long as it takes, and connections that nobody closes too.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, partial(_stop, server))


def _stop(server, number, frame) -> None:
    """End the server soon.

    To be asked again changes nothing: Uvicorn would leave its work where it is, with errors.
    """
    if server.should_exit:
        return
    server.should_exit = True
    timer = threading.Timer(GRACE, os._exit, (0,))
    timer.daemon = True
    timer.start()
    atexit.register(
        _ignore_signals
    )  # what was registered last comes first: nothing that tidies up is interrupted


def _ignore_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
