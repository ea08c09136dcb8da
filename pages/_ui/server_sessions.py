"""What one open page may ask of the server, and how many may be open: before Streamlit hears of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse

from mtsig_core.data.readers.bounds import whole_number

__all__ = ["Sessions", "most"]

#: Messages that a page may send at once, and then in each second: a hand does not, a program could ask for a thousand
#: runs of a page in one, and nobody else would be served.
_AT_ONCE, _EACH_SECOND = 60, 4.0
_NEEDS = 4  # open files of a session
_OTHERS = 400  # of all else: the server's own, and sessions that left two minutes ago at the latest
_FULL = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<title>mtsig</title>
<body style="font: 1.25rem system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 1rem">
<h1>The room is full</h1><p>This server has as many pages open as it may. Leave this one open: it tries again by itself,
every ten seconds.</p></body></html>
"""


class Sessions:
    """Refuse pages beyond a number (``MTSIG_MAX_SESSIONS``), and have one that sends too much wait for its turn.

    What it sends is then not read, so that it fills nobody's memory. A text where Streamlit expects bytes ends the
    session in which it came.
    """

    def __init__(self, app, clock: Callable[[], float] = time.monotonic, sleep=asyncio.sleep):
        self._app, self._clock, self._sleep = app, clock, sleep
        self._open, self._most = 0, most()

    async def __call__(self, scope, receive, send):
        full = self._open >= self._most
        if scope["type"] == "websocket":
            if full:
                return await PlainTextResponse(f"{self._most:,} pages are open, as many as MTSIG_MAX_SESSIONS and the "
                                               "system allow.\n", 503)(scope, receive, send)
            self._open += 1
            try:
                return await self._app(scope, self._slowed(receive, send), send)
            finally:
                self._open -= 1
        if full and scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", ""):
            return await HTMLResponse(_FULL, 503, {"Retry-After": "10", "Refresh": "10", "Cache-Control": "no-store"})(
                scope, receive, send)
        await self._app(scope, receive, send)

    def _slowed(self, receive, send):
        left, seen = float(_AT_ONCE), self._clock()

        async def received():
            nonlocal left, seen
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            if message.get("bytes") is None:
                await send({"type": "websocket.close", "code": 1003})  # unsupported data
                return {"type": "websocket.disconnect", "code": 1003}
            now = self._clock()
            left, seen = min(_AT_ONCE, left + (now - seen) * _EACH_SECOND) - 1, now
            if left < 0:
                await self._sleep(-left / _EACH_SECOND)
            return message

        return received


def most() -> int:
    """The pages that may be open: ``MTSIG_MAX_SESSIONS``, or fewer, as many as the system lets this process open files
    for."""
    asked = whole_number("MTSIG_MAX_SESSIONS", 500)
    try:
        import resource  # late: there is none on Windows
    except ImportError:
        return asked
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return asked if files == resource.RLIM_INFINITY else max(1, min(asked, (files - _OTHERS) // _NEEDS))
