"""How many pages may be open, and which of their messages reach Streamlit."""

from __future__ import annotations

from google.protobuf.message import DecodeError
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse

from mtsig_core.readers.limits import read_whole_number
from pages._server.internals import BackMsg

_NEEDS = 4  # open files of a session
_OTHER = 550  # open files of the server itself, and of sessions that left less than two minutes ago
#: The messages of this dashboard's pages. Others are for developers: `clear_cache` empties the caches of all sessions.
_MESSAGES = {"rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request"}
_OPERATIONS = {"deferred_file", "dataframe_chunk"}  # others write files
#: `Set-Cookie` ends the cookie by which the proxy of `serve --workers` keeps a browser to one process.
_FULL_HEADERS = {"Retry-After": "10", "Refresh": "10", "Cache-Control": "no-store",
                 "Set-Cookie": "mtsig_worker=; Path=/; Max-Age=0"}
_FULL = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<title>mtsig</title>
<body style="font: 1.25rem system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 1rem">
<h1>The room is full</h1><p>This server has as many pages open as it may. Leave this page open: it tries again
every ten seconds.</p></body></html>
"""


class Sessions:
    """Refuse pages beyond a number (``MTSIG_MAX_SESSIONS``), and drop messages that no page of the dashboard sends."""

    def __init__(self, app):
        self._app, self._open, self._most = app, 0, max_sessions()

    async def __call__(self, scope, receive, send):
        full = self._open >= self._most
        if scope["type"] == "websocket":
            if not full:
                return await self._serve(scope, receive, send)
            why = f"{self._most:,} pages are open, the limit set by MTSIG_MAX_SESSIONS and the system.\n"
            return await PlainTextResponse(why, 503, _FULL_HEADERS)(scope, receive, send)
        if full and scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", ""):
            return await HTMLResponse(_FULL, 503, _FULL_HEADERS)(scope, receive, send)
        await self._app(scope, receive, send)

    async def _serve(self, scope, receive, send):
        gone = False

        async def sent(message):
            nonlocal gone
            try:
                await send(message)
            except OSError:
                gone = True
                raise

        async def received():
            while True:
                message = await receive()
                if message["type"] != "websocket.receive" or is_from_page(message.get("bytes")):
                    return message

        self._open += 1
        try:
            await self._app(scope, received, sent)
        except RuntimeError:  # Streamlit goes on sending to a page that has closed
            if not gone:
                raise
        finally:
            self._open -= 1


def is_from_page(data: bytes | None) -> bool:
    """Whether a page of the dashboard sends such a message."""
    try:
        message = BackMsg.FromString(data or b"")
    except DecodeError:
        return False
    kind = message.WhichOneof("type")
    if kind == "backend_operation_request":
        return message.backend_operation_request.WhichOneof("payload") in _OPERATIONS
    return kind in _MESSAGES


def max_sessions() -> int:
    """The pages that may be open: ``MTSIG_MAX_SESSIONS``, or fewer if the system allows fewer open files."""
    asked = read_whole_number("MTSIG_MAX_SESSIONS", 500)
    try:
        import resource  # late: Windows has none
    except ImportError:
        return asked
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return asked if files == resource.RLIM_INFINITY else max(1, min(asked, (files - _OTHER) // _NEEDS))
