"""Files on their way to the server: how much of them it holds before they are opened, and what is said of the rest."""

from __future__ import annotations

import re
from collections import Counter

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response

from mtsig_core.readers.limits import read_whole_number
from pages._server import internals, login
from pages._work import events

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

    Streamlit holds the chosen files until their page is closed, and shows a refusal as a number only. So a file for
    which there is no room is answered as if it were taken; the page does not find it, and says why.
    """

    def __init__(self, app):
        self._app, self._coming = app, Counter()  # bytes that are on their way, by session

    async def __call__(self, scope, receive, send):
        found = _PATH.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if found is None:
            return await self._app(scope, receive, send)
        session, file = found.groups()
        size = Headers(scope=scope).get("content-length", "")
        if max(map(len, found.groups())) > _ID or not _may_bring(session):
            return await PlainTextResponse("Only an open page of a user who may see it takes files.\n", 403)(
                scope, receive, send)
        if not re.fullmatch("[0-9]{1,18}", size):
            return await PlainTextResponse("Content-Length is missing.\n", 411)(scope, receive, send)
        if (why := self._no_room(session, int(size)) or await self._take(session, int(size), scope, receive, send)):
            _refuse(session, file, why)
            while (await receive()).get("more_body"):  # else the browser sees a broken connection
                pass
            await Response(status_code=204)(scope, receive, send)

    def _no_room(self, session: str, size: int) -> str | None:
        """Why a file of this size cannot be taken."""
        most, room = st.get_option("server.maxUploadSize"), read_whole_number("MTSIG_UNOPENED_MB", 1000) << 20
        held = _held()
        if held.get(session, 0) + self._coming[session] + size > (most + 1) << 20:  # with its frame
            return (f"The chosen files are together larger than {most:,} MB, the limit of a page "
                    "(STREAMLIT_SERVER_MAX_UPLOAD_SIZE). Reload the page, and choose fewer at a time.")
        if sum(held.values()) + self._coming.total() + size > room:
            return ("This server holds as many chosen files as it may before they are opened, of all users together "
                    "(MTSIG_UNOPENED_MB). Reload the page, and choose them again in a few minutes.")
        return None

    async def _take(self, session: str, size: int, scope, receive, send) -> str | None:
        """Let Streamlit take a file; why that failed."""
        self._coming[session] += size
        try:
            await self._app(scope, receive, send)
        except OSError as error:  # Streamlit writes large files to the disk for temporary files
            events.failed(error)
            return ("A file could not be taken: this server's disk for temporary files is full, or cannot be written. "
                    "Tell whoever runs it, then reload the page and choose the file again.")
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
    return {session: sum(sizes) + _BESIDE * len(sizes) for session, sizes in internals.measure_files().items()}


def _refuse(session: str, file: str, why: str) -> None:
    reasons = _refused.setdefault(session, {})
    reasons[file] = why
    for old in list(reasons)[:-_MOST_REASONS]:
        del reasons[old]
