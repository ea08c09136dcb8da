"""Limit the number of open pages, and filter their messages and files before Streamlit."""

from __future__ import annotations

import re
from collections import Counter

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from mtsig_core.readers.limits import read_whole_number
from pages._server import internals, login
from pages._work import events

_FILES_OF_SESSION = 4  # open files
_OTHER_FILES = 550  # of the server itself, and of sessions that left less than two minutes ago
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
    """Refuse pages beyond a number (``MTSIG_MAX_SESSIONS``), and messages that no page sends."""

    def __init__(self, app):
        self._app = app
        self._open = 0
        self._most = max_sessions()

    async def __call__(self, scope, receive, send):
        """Answer a request."""
        app = self._app
        is_full = self._open >= self._most
        if scope["type"] == "websocket" and not is_full:
            app = self._serve
        elif scope["type"] == "websocket":
            text = f"{self._most:,} pages are open, the limit set by MTSIG_MAX_SESSIONS and the system.\n"
            app = PlainTextResponse(text, 503, _FULL_HEADERS)
        elif is_full and _asks_for_page(scope):
            app = HTMLResponse(_FULL, 503, _FULL_HEADERS)
        await app(scope, receive, send)

    async def _serve(self, scope, receive, send):
        is_gone = False

        async def send_and_notice(message):
            nonlocal is_gone
            try:
                await send(message)
            except OSError:
                is_gone = True
                raise

        async def receive_from_page():
            while True:
                message = await receive()
                is_data = message["type"] == "websocket.receive"
                if not is_data or internals.is_from_page(message.get("bytes")):
                    return message

        self._open += 1
        try:
            await self._app(scope, receive_from_page, send_and_notice)
        except RuntimeError:  # Streamlit goes on sending to a page that has closed
            if not is_gone:
                raise
        finally:
            self._open -= 1


def _asks_for_page(scope) -> bool:
    """Return whether a browser asks for a page with a session: phones that vote have none."""
    if scope["type"] != "http" or scope["path"].startswith("/vote"):
        return False
    return "text/html" in Headers(scope=scope).get("accept", "")


def max_sessions() -> int:
    """Return how many pages may be open: ``MTSIG_MAX_SESSIONS``, or what open files allow."""
    most = read_whole_number("MTSIG_MAX_SESSIONS", 500)
    try:
        import resource  # late: Windows has none
    except ImportError:
        return most
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return most
    allowed = (files - _OTHER_FILES) // _FILES_OF_SESSION
    return max(1, min(most, allowed))


# -- files on their way to the server -------------------------------------------------------------

_LONGEST_ID = 100  # letters; Streamlit's have 36
_BESIDE_CONTENT = 10_000  # bytes that are counted for each file: a name may be long
_MOST_REASONS = 1000  # of one session
_refused: dict[str, dict[str, str]] = {}  # reasons, by session and file


def find_reason(file: str) -> str | None:
    """Return why a file of this session was refused; None if it was not."""
    return _refused.get(internals.session_id(), {}).get(file)


def forget_closed() -> None:
    """Forget the reasons for sessions that have left."""
    for session in list(_refused):
        if not internals.is_open(session):
            _refused.pop(session, None)


class Uploads:
    """Refuse files of users who may not see the pages, and files for which there is no room.

    Streamlit keeps the chosen files until their page is closed, and shows a refusal only as a
    number. So a file for which there is no room gets the same response as an accepted file. The
    page does not find the file, and gives the reason.
    """

    def __init__(self, app):
        self._app = app
        self._coming = Counter()  # bytes that are on their way, by session

    async def __call__(self, scope, receive, send):
        """Answer a request."""
        match = None
        if scope["type"] == "http" and scope["method"] == "PUT":
            match = internals.UPLOAD_PATH.search(scope["path"])
        if match is None:
            await self._app(scope, receive, send)
            return
        session, file = match.groups()
        length = Headers(scope=scope).get("content-length", "")
        refusal = _refuse_request(session, file, length)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        size = int(length)
        reason = self._find_lack_of_room(session, size)
        if reason is None:
            reason = await self._pass_on(session, size, scope, receive, send)
        if reason is not None:
            _refuse(session, file, reason)
            while (await receive()).get("more_body"):  # else the browser sees a broken connection
                pass
            await Response(status_code=204)(scope, receive, send)

    def _find_lack_of_room(self, session: str, size: int) -> str | None:
        """Return why a file of this size cannot be accepted; None if it can."""
        most_megabytes = st.get_option("server.maxUploadSize")
        room = read_whole_number("MTSIG_UNOPENED_MB", 1000) << 20
        sizes = _measure_sessions()
        of_session = sizes.get(session, 0) + self._coming[session] + size
        if of_session > (most_megabytes + 1) << 20:  # with the frame of the request
            return (
                f"The chosen files are together larger than {most_megabytes:,} MB, the limit of a page "
                "(STREAMLIT_SERVER_MAX_UPLOAD_SIZE). Reload the page, and choose fewer at a time."
            )
        if sum(sizes.values()) + self._coming.total() + size > room:
            return (
                "This server holds as many chosen files as it may before they are opened, of all users together "
                "(MTSIG_UNOPENED_MB). Reload the page, and choose them again in a few minutes."
            )
        return None

    async def _pass_on(self, session: str, size: int, scope, receive, send) -> str | None:
        """Let Streamlit accept a file; return why that failed, if it did."""
        self._coming[session] += size
        try:
            await self._app(scope, receive, send)
        except OSError as error:  # Streamlit writes large files to the disk for temporary files
            events.failed(error)
            return (
                "A file could not be taken: this server's disk for temporary files is full, or cannot be written. "
                "Tell the person who runs the server, then reload the page and choose the file again."
            )
        finally:
            self._coming -= Counter({session: size})  # which drops a session at 0
            if not internals.is_open(session):  # nobody else would remove its files
                internals.remove_files(session)
        return None


def _refuse_request(session: str, file: str, length: str) -> PlainTextResponse | None:
    """Return the answer to a request that no page of a user sends; None for any other."""
    is_id = len(session) <= _LONGEST_ID and len(file) <= _LONGEST_ID
    if not is_id or not _may_upload(session):
        return PlainTextResponse("Only an open page of a user who may see it takes files.\n", 403)
    if not re.fullmatch("[0-9]{1,18}", length):
        return PlainTextResponse("Content-Length is missing.\n", 411)
    return None


def _may_upload(session: str) -> bool:
    user = internals.find_user(session)
    return user is not None and login.may_see(user)


def _measure_sessions() -> dict[str, int]:
    """Return the bytes that Streamlit holds for each session, with what it knows of each file."""
    return {
        session: sum(sizes) + _BESIDE_CONTENT * len(sizes)
        for session, sizes in internals.measure_files().items()
    }


def _refuse(session: str, file: str, reason: str) -> None:
    reasons = _refused.setdefault(session, {})
    reasons[file] = reason
    for old_file in list(reasons)[:-_MOST_REASONS]:
        del reasons[old_file]
