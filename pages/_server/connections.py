"""How many pages may be open, what each may send, and the connections below HTTP, before Streamlit hears of it."""

from __future__ import annotations

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Callable

from google.protobuf.message import DecodeError
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse

from mtsig_core.readers.limits import read_whole_number
from pages._server.internals import WIDGETS, BackMsg, ForwardMsg

_PATIENCE = 20.0  # seconds for a whole request to come, or the next one
_SIGNS_AT_ONCE, _SIGNS_EACH_SECOND = 100, 5.0  # signs of life, and pieces of messages, of a page
_LONGEST = 4 << 20  # bytes of a message: what is typed and chosen on a page; files come otherwise
_READ = 1 << 14  # bytes that are taken in at a time, all of whose signs are answered at once


def limit_connections(config, most: int, at_once: int) -> None:
    """Have Uvicorn's protocols do so.

    `most` lines may be open, and further ones are cut, after so many are taken at once: where the system lets no more
    files be open, all who come would wait for nothing, and each be told in the log.

    An answer is written in several pieces, and so is a page. The kernel would keep all but the first back until the
    browser confirms that one, up to 40 ms later. asyncio sees to this for sockets that it makes, not for Streamlit's.
    """
    class Line(config.http_protocol_class):
        def connection_made(self, transport):
            if len(self.connections) >= most:
                return transport.abort()
            line = transport.get_extra_info("socket")
            if line.family in (socket.AF_INET, socket.AF_INET6):
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            super().connection_made(transport)
            self.loop.call_later(_PATIENCE, self._look, None)

        def connection_lost(self, exc):
            if self.transport is not None:  # it was not cut at once
                super().connection_lost(exc)

        def _look(self, before):
            """Cut the line where no request has come since; one that became a page's is none of these any more."""
            if self in self.connections:
                if self.cycle is before and (before is None or before.response_complete):
                    return self.transport.abort()
                self.loop.call_later(_PATIENCE, self._look, self.cycle)

    class Page(config.ws_protocol_class):
        _left, _seen = float(_SIGNS_AT_ONCE), 0.0

        def connection_made(self, transport):
            if hasattr(transport, "max_size"):  # asyncio's own
                transport.max_size = _READ
            super().connection_made(transport)

        def handle_ping(self, *event):
            if self._may():
                super().handle_ping(*event)

        def handle_pong(self, *event):
            if self._may():
                super().handle_pong(*event)

        def handle_cont(self, *event):
            if self._may():
                super().handle_cont(*event)

        def _may(self):
            now = self.loop.time()
            self._left, self._seen = min(_SIGNS_AT_ONCE, self._left + (now - self._seen) * _SIGNS_EACH_SECOND) - 1, now
            if self._left < 0:
                self.transport.abort()
            return self._left >= 0

    config.http_protocol_class, config.ws_protocol_class = Line, Page
    config.backlog = min(config.backlog, at_once)
    config.ws_max_size = min(config.ws_max_size, _LONGEST)


# What a message of an open page may ask: Streamlit works many off before anybody is served.

MOST_FILES = 1000  # that are chosen at once: Streamlit makes an address for each
_MOST = 10_000  # widgets of a page, and elements that its browser still has
_ID, _NAME = 1000, 10_000  # letters of an id, and of a name: of a file, of a page as its address has it
#: What this dashboard's pages send. Of the rest some is for developers (`clear_cache` takes from all sessions what is
#: kept for them), and some writes files.
_ASKED = {"rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request"}
_OPERATIONS = {"deferred_file", "dataframe_chunk"}


class Forged(Exception):
    """No page of this dashboard sends such a message."""


def answered(data: bytes) -> bytes | None:
    """What to answer in Streamlit's place, nothing (``b""``) to what is for developers; None where it is to answer."""
    try:
        asked = BackMsg.FromString(data)
    except DecodeError:
        raise Forged from None
    kind = asked.WhichOneof("type")
    if kind not in _ASKED:
        return b""
    if kind == "rerun_script":
        _see_run(asked.rerun_script)
    elif kind == "file_urls_request":
        return _too_many_files(asked.file_urls_request)
    elif kind == "backend_operation_request":
        return _operation(asked.backend_operation_request)
    return None


def _see_run(run) -> None:
    widgets, kept = run.widget_states.widgets, run.cached_message_hashes
    _see(len(widgets) <= _MOST and len(kept) <= _MOST and _short(_NAME, run.page_name)
         and _short(_ID, run.page_script_hash, run.fragment_id, *kept)
         and all(widget.id.startswith(WIDGETS) and len(widget.id) <= _NAME for widget in widgets))


def _too_many_files(request) -> bytes | None:
    _see(_short(_ID, request.request_id, request.session_id))
    if len(request.file_names) > MOST_FILES:
        answer = ForwardMsg()
        answer.file_urls_response.response_id = request.request_id
        answer.file_urls_response.error_msg = (f"{len(request.file_names):,} files were chosen at once. Expected at "
                                               f"most {MOST_FILES:,}: choose fewer at a time, or a zip of them.")
        return answer.SerializeToString()
    _see(_short(_NAME, *request.file_names))
    return None


def _operation(request) -> bytes | None:
    _see(_short(_ID, request.request_id, request.session_id, request.deferred_file.file_id,
                request.dataframe_chunk.source_id) and _short(_NAME, request.dataframe_chunk.sort.column))
    return None if request.WhichOneof("payload") in _OPERATIONS else b""


def _short(most: int, *texts: str) -> bool:
    return all(len(text) <= most for text in texts)


def _see(well: bool) -> None:
    if not well:
        raise Forged


# How many pages may be open, and how much each may send.

#: Messages that a page may send at once, and then in each second: a hand sends more only by a key that it holds in a
#: field of numbers or a row of choices. A program could ask for a thousand runs of a page in one, and nobody else would
#: be served.
_MESSAGES_AT_ONCE, _MESSAGES_EACH_SECOND = 60, 4.0
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
<h1>The room is full</h1><p>This server has as many pages open as it may. Leave this one open: it tries again
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
        self._open, self._most = 0, max_sessions()
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
        left, seen = float(_MESSAGES_AT_ONCE), self._clock()

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
                left = min(_MESSAGES_AT_ONCE, left + (now - seen) * _MESSAGES_EACH_SECOND) - 1 - len(data) // _HEAVY
                seen = now
                if left < 0:
                    await self._sleep(-left / _MESSAGES_EACH_SECOND)
                try:
                    answer = answered(data)
                except Forged:
                    return await _ended(send, 1008)  # policy violation
                if answer is None:
                    return message
                if answer:
                    await send({"type": "websocket.send", "bytes": answer})

        return received


async def _ended(send, code: int) -> dict:
    await send({"type": "websocket.close", "code": code})
    return {"type": "websocket.disconnect", "code": code}


def max_sessions() -> int:
    """The pages that may be open: ``MTSIG_MAX_SESSIONS``, or fewer, as many as there are open files for."""
    files = _files()
    asked = read_whole_number("MTSIG_MAX_SESSIONS", 500)
    return asked if files is None else max(1, min(asked, (files - _LEFT - 2 * _spare(files)) // _NEEDS))


def max_connections() -> tuple[int, int]:
    """The lines that may be open, one for each page and those by which they are fetched; how many may come at once."""
    spare = _spare(_files() or 40_000)
    return max_sessions() + spare, spare


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
