"""What one open page may ask of the server, and how many may be open: before Streamlit hears of it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse

from mtsig_core.readers.limits import whole_number
from pages._ui import server_messages

__all__ = ["Sessions", "lines", "most"]

#: Messages that a page may send at once, and then in each second: a hand sends more only by a key that it holds in a
#: field of numbers or a row of choices. A program could ask for a thousand runs of a page in one, and nobody else would
#: be served.
_AT_ONCE, _EACH_SECOND = 60, 4.0
_HEAVY = 100_000  # bytes for which a message counts once more
_NEEDS = 4  # open files of a session
_BROWSER = "_streamlit_xsrf"  # a cookie that each has
#: Ends the cookie by which the proxy of `serve --workers` keeps a browser to a worker, so that it is led to any.
_ANEW = {"Set-Cookie": "mtsig_worker=; Path=/; Max-Age=0"}
_MOMENT = 30.0  # seconds
_LEFT = 450  # of the server's own, and of sessions that left two minutes ago at the latest
_FULL = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<title>mtsig</title>
<body style="font: 1.25rem system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 1rem">
<h1>The room is full</h1><p>This server has as many pages open as it may. Leave this one open: it tries again by itself,
every ten seconds.</p></body></html>
"""


class Sessions:
    """Refuse pages beyond a number (``MTSIG_MAX_SESSIONS``), and have one that sends too much wait for its turn.

    Who has a page open, or had one a moment ago, finds room to load it anew, and stays with its worker, which has what
    it uploaded; who has none here is led to any worker, where there are several. What a page sends too much is not
    read, so that it fills nobody's memory. What no page sends, as a text, ends the line on which it came.
    """

    def __init__(self, app, clock: Callable[[], float] = time.monotonic, sleep=asyncio.sleep):
        self._app, self._clock, self._sleep = app, clock, sleep
        self._open, self._most = 0, most()
        self._here: Counter[str] = Counter()  # pages of each browser, with those that were closed a moment ago

    async def __call__(self, scope, receive, send):
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        browser = HTTPConnection(scope).cookies.get(_BROWSER, "")
        here = self._here[browser] > 0
        full, elsewhere = self._open >= self._most + (here and max(2, self._most // 10)), {} if here else _ANEW
        if scope["type"] == "websocket":
            if full:
                return await PlainTextResponse(f"{self._most:,} pages are open, as many as MTSIG_MAX_SESSIONS and the "
                                               "system allow.\n", 503, elsewhere)(scope, receive, send)
            return await self._serve(browser, scope, receive, send)
        if full and "text/html" in Headers(scope=scope).get("accept", ""):
            return await HTMLResponse(_FULL, 503, {"Retry-After": "10", "Refresh": "10", "Cache-Control": "no-store",
                                                   **elsewhere})(scope, receive, send)
        await self._app(scope, receive, send)

    async def _serve(self, browser, scope, receive, send):
        gone = False

        async def sent(message):
            nonlocal gone
            try:
                await send(message)
            except OSError:
                gone = True
                raise

        self._open += 1
        self._here[browser] += bool(browser)
        try:
            await self._app(scope, self._slowed(receive, sent), sent)
        except RuntimeError:  # Streamlit goes on with a page that has gone while it sent to it, and cannot
            if not gone:
                raise
        finally:
            self._open -= 1
            asyncio.get_running_loop().call_later(_MOMENT, self._forget, browser)

    def _forget(self, browser):
        self._here[browser] -= 1
        if self._here[browser] <= 0:
            del self._here[browser]

    def _slowed(self, receive, send):
        left, seen = float(_AT_ONCE), self._clock()

        async def received():
            nonlocal left, seen
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return message
                data = message.get("bytes")
                if data is None:
                    return await _ended(send, 1003)  # unsupported data
                now = self._clock()
                left, seen = min(_AT_ONCE, left + (now - seen) * _EACH_SECOND) - 1 - len(data) // _HEAVY, now
                if left < 0:
                    await self._sleep(-left / _EACH_SECOND)
                try:
                    answer = server_messages.answered(data)
                except server_messages.Forged:
                    return await _ended(send, 1008)  # policy violation
                if answer is None:
                    return message
                if answer:
                    await send({"type": "websocket.send", "bytes": answer})

        return received


async def _ended(send, code: int) -> dict:
    await send({"type": "websocket.close", "code": code})
    return {"type": "websocket.disconnect", "code": code}


def most() -> int:
    """The pages that may be open: ``MTSIG_MAX_SESSIONS``, or fewer, as many as there are open files for."""
    files = _files()
    asked = whole_number("MTSIG_MAX_SESSIONS", 500)
    return asked if files is None else max(1, min(asked, (files - _LEFT - 2 * _spare(files)) // _NEEDS))


def lines() -> tuple[int, int]:
    """The lines that may be open, one for each page and those by which they are fetched; how many may come at once."""
    spare = _spare(_files() or 40_000)
    return most() + spare, spare


def _spare(files: int) -> int:
    return max(64, (files - _LEFT) // 10)


def _files() -> int | None:
    """What the system lets this process open; None where it sets no limit, or none that can be asked for."""
    try:
        import resource  # late: there is none on Windows
    except ImportError:
        return None
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if files == resource.RLIM_INFINITY else files
