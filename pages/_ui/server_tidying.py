"""The server between the runs of pages: memory that nobody needs any more is given back, and threads take turns."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import time

__all__ = ["tidy"]

#: Seconds that a thread may compute while others wait. A page is sent in a hundred messages, before each of which the
#: thread that sends waits as long as this where pages are being drawn: with Python's own 5 ms half a second.
_TURN = 5e-4
_OFTEN = 30.0  # seconds between two searches of all memory, each of which takes a tenth of one
_USED = 20  # quick searches in between, below which nothing worth a long one has happened


def tidy() -> None:
    """See to it for as long as the server runs."""
    sys.setswitchinterval(_TURN)
    threading.Thread(target=_keep_tidy, daemon=True, name="mtsig tidying").start()


def _keep_tidy() -> None:
    before = 0
    while True:
        time.sleep(_OFTEN)
        if gc.get_stats()[0]["collections"] >= before + _USED:
            gc.collect()
            _give_back()
            before = gc.get_stats()[0]["collections"]


def _give_back() -> None:
    """Free memory belongs to the system again: the library of C keeps it otherwise (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
