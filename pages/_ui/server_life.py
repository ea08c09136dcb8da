"""The server's beginning and end."""

from __future__ import annotations

import os
import signal
import threading
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import streamlit as st

from mtsig_core.version import __version__
from pages._ui import server_events

__all__ = ["GRACE", "life"]

GRACE = 3.0  # seconds that the server may take to end


@asynccontextmanager
async def life(app) -> AsyncIterator[None]:
    """Tell when the server starts and stops; open a browser if wanted; whatever runs, end soon after being told to."""
    server_events.tell("start", version=__version__)
    _end_soon()
    if not st.get_option("server.headless"):  # it listens already, so what the browser asks waits
        address = f"http://{st.get_option('browser.serverAddress')}:{st.get_option('server.port')}"
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    yield
    server_events.tell("stop")


def _end_soon() -> None:
    """When a signal asks for the end, see that it comes: work that does not listen would go on for as long as it
    takes, and connections that nobody closes too."""
    for number in (signal.SIGTERM, signal.SIGINT):
        server = getattr(signal.getsignal(number), "__self__", None)  # Uvicorn's, which would end with the signal
        if hasattr(server, "should_exit"):
            signal.signal(number, partial(_stop, server))


def _stop(server, number, frame) -> None:
    timer = threading.Timer(GRACE, os._exit, (0,))
    timer.daemon = True
    timer.start()
    server.force_exit = server.should_exit  # asked twice
    server.should_exit = True
