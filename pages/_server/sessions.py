"""How many pages may be open, and which of their messages reach Streamlit."""

from __future__ import annotations

import re
from collections import Counter

import streamlit as st
from google.protobuf.message import DecodeError
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from mtsig_core.readers.limits import read_whole_number
from pages._server import internals, login
from pages._server.internals import BackMsg
from pages._work import events

_NEEDS = 4  # open files of a session
_OTHER = 550  # open files of the server itself, and of sessions that left less than two minutes ago
#: The messages of this dashboard's pages. Others are for developers: `clear_cache` empties the
#: caches of all sessions.
_MESSAGES = {
    "rerun_script",
    "stop_script",
    "app_heartbeat",
    "file_urls_request",
    "backend_operation_request",
}
_OPERATIONS = {"deferred_file", "dataframe_chunk"}  # others write files
#: `Set-Cookie` ends the cookie by which the proxy of `serve --workers` keeps a browser to one
#: process.
_FULL_HEADERS = {
    "Retry-After": "10",
    "Refresh": "10",
    "Cache-Control": "no-store",
    "Set-Cookie": "mtsig_worker=; Path=/; Max-Age=0",
}
_FULL = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<title>mtsig</title>
<body style="font: 1.25rem system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 1rem">
<h1>The room is full</h1><p>This server has as many pages open as it may. Leave this page open: it tries again
every ten seconds.</p></body></html>
"""


class Sessions:
    """Refuse pages beyond a number (``MTSIG_MAX_SESSIONS``), and drop messages that no page of the
    dashboard sends.
    """

    def __init__(self, app):
        self._app, self._open, self._most = app, 0, max_sessions()

    async def __call__(self, scope, receive, send):
        full = self._open >= self._most
        if scope["type"] == "websocket":
            if not full:
                return await self._serve(scope, receive, send)
            why = f"{self._most:,} pages are open, the limit set by MTSIG_MAX_SESSIONS and the system.\n"
            return await PlainTextResponse(why, 503, _FULL_HEADERS)(scope, receive, send)
        if (
            full
            and scope["type"] == "http"
            and "text/html" in Headers(scope=scope).get("accept", "")
        ):
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
    """The pages that may be open: ``MTSIG_MAX_SESSIONS``, or fewer if the system allows fewer open
    files.
    """
    asked = read_whole_number("MTSIG_MAX_SESSIONS", 500)
    try:
        import resource  # late: Windows has none
    except ImportError:
        return asked
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return (
        asked if files == resource.RLIM_INFINITY else max(1, min(asked, (files - _OTHER) // _NEEDS))
    )


# Files on their way to the server: how much of them it holds before they are opened, and what is
# said of the rest.

_PATH = re.compile(r"/_stcore/upload_file/([^/]*)/([^/]*)$")
_ID = 100  # letters that an id may have; Streamlit's have 36
_BESIDE = 10_000  # bytes that are counted for a file beside its content: a name may be long
_MOST_REASONS = 1000  # of one session
_refused: dict[str, dict[str, str]] = {}  # why, by session and file


def reason(file: str) -> str | None:
    """Why a file of this session was not taken, if that is why it is not there."""
    return _refused.get(internals.session_id(), {}).get(file)


def forget() -> None:
    """Forget why, for sessions that have left."""
    for session in [one for one in list(_refused) if not internals.is_open(one)]:
        _refused.pop(session, None)


class Uploads:
    """Refuse files of who may not see the pages, and files for which there is no room.

    Streamlit holds the chosen files until their page is closed, and shows a refusal as a number
    only. So a file for which there is no room is answered as if it were taken; the page does not
    find it, and says why.
    """

    def __init__(self, app):
        self._app, self._coming = app, Counter()  # bytes that are on their way, by session

    async def __call__(self, scope, receive, send):
        found = (
            _PATH.search(scope["path"])
            if scope["type"] == "http" and scope["method"] == "PUT"
            else None
        )
        if found is None:
            return await self._app(scope, receive, send)
        session, file = found.groups()
        size = Headers(scope=scope).get("content-length", "")
        if max(map(len, found.groups())) > _ID or not _may_bring(session):
            return await PlainTextResponse(
                "Only an open page of a user who may see it takes files.\n", 403
            )(scope, receive, send)
        if not re.fullmatch("[0-9]{1,18}", size):
            return await PlainTextResponse("Content-Length is missing.\n", 411)(
                scope, receive, send
            )
        if why := self._no_room(session, int(size)) or await self._take(
            session, int(size), scope, receive, send
        ):
            _refuse(session, file, why)
            while (await receive()).get("more_body"):  # else the browser sees a broken connection
                pass
            await Response(status_code=204)(scope, receive, send)

    def _no_room(self, session: str, size: int) -> str | None:
        """Why a file of this size cannot be taken."""
        most, room = (
            st.get_option("server.maxUploadSize"),
            read_whole_number("MTSIG_UNOPENED_MB", 1000) << 20,
        )
        held = _held()
        if held.get(session, 0) + self._coming[session] + size > (most + 1) << 20:  # with its frame
            return (
                f"The chosen files are together larger than {most:,} MB, the limit of a page "
                "(STREAMLIT_SERVER_MAX_UPLOAD_SIZE). Reload the page, and choose fewer at a time."
            )
        if sum(held.values()) + self._coming.total() + size > room:
            return (
                "This server holds as many chosen files as it may before they are opened, of all users together "
                "(MTSIG_UNOPENED_MB). Reload the page, and choose them again in a few minutes."
            )
        return None

    async def _take(self, session: str, size: int, scope, receive, send) -> str | None:
        """Let Streamlit take a file; why that failed."""
        self._coming[session] += size
        try:
            await self._app(scope, receive, send)
        except OSError as error:  # Streamlit writes large files to the disk for temporary files
            events.failed(error)
            return (
                "A file could not be taken: this server's disk for temporary files is full, or cannot be written. "
                "Tell whoever runs it, then reload the page and choose the file again."
            )
        finally:
            self._coming -= Counter({session: size})  # which drops what is 0
            if not internals.is_open(session):  # nobody else would remove what came for it
                internals.remove_files(session)
        return None


def _may_bring(session: str) -> bool:
    user = internals.find_user(session)
    return user is not None and login.may_see(user)


def _held() -> dict[str, int]:
    """Bytes that Streamlit holds for each session, with what it knows of each file."""
    return {
        session: sum(sizes) + _BESIDE * len(sizes)
        for session, sizes in internals.measure_files().items()
    }


def _refuse(session: str, file: str, why: str) -> None:
    reasons = _refused.setdefault(session, {})
    reasons[file] = why
    for old in list(reasons)[:-_MOST_REASONS]:
        del reasons[old]
