"""The server between the runs of pages: memory that nobody needs any more is given back, and threads take turns."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import sys

from streamlit.runtime import get_instance

from pages._ui import server_uploads

__all__ = ["tidy"]

#: Seconds that a thread may compute while others wait. A page is sent in a hundred messages, before each of which the
#: thread that sends waits as long as this where pages are being drawn: with Python's own 5 ms half a second.
_TURN = 5e-4
_OFTEN = 30.0  # seconds between two searches of all memory, each of which takes a tenth of one
_USED = 20  # quick searches in between, below which nothing worth a long one has happened


async def tidy() -> None:
    """See to it for as long as the server runs."""
    sys.setswitchinterval(_TURN)
    before = 0
    while True:
        await asyncio.sleep(_OFTEN)
        if _forget_left() or gc.get_stats()[0]["collections"] >= before + _USED:
            await asyncio.to_thread(_search)
            before = gc.get_stats()[0]["collections"]


def _forget_left() -> bool:
    """Whether sessions are forgotten that left two minutes ago: Streamlit forgets them when another leaves, and the
    last when another comes; else all that they chose to upload would stay."""
    server_uploads.forget()
    left = get_instance()._session_mgr._session_storage._cache.expire()
    for _, info in left:
        info.session.shutdown()
    return bool(left)


def _search() -> None:
    gc.collect()
    _give_back()


def _give_back() -> None:
    """Free memory belongs to the system again: the library of C keeps it otherwise (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
