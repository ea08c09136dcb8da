"""Files on their way to the server: how much of them it holds before they are opened, and what is said of the rest."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from contextlib import suppress

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response

from mtsig_core.readers.limits import read_whole_number
from pages._server import internals, login
from pages._work import events

_PATH = re.compile(r"/_stcore/upload_file/([^/]*)/([^/]*)$")
_ID = 100  # letters that an id may have; Streamlit's have 36
_PAUSE, _LONGEST = 60.0, 1800.0  # seconds that a sender may be silent, and that a file may take
_BESIDE = 10_000  # bytes that are counted for a file beside its content: a name may be long
_MOST_REASONS = 1000  # of one session
_NO_ROOM = ("This server holds as many chosen files as it may before they are opened, of all users together "
            "(MTSIG_UNOPENED_MB). Reload the page, and choose them again in a few minutes.")
_refused: dict[str, dict[str, str]] = {}  # why, by session and file


def reason(file: str) -> str | None:
    """Why a file of this session was not taken, if that is why it is not there."""
    return _refused.get(internals.session_id(), {}).get(file)


def forget() -> None:
    """Forget why, for sessions that have left."""
    for session in [one for one in list(_refused) if not internals.is_open(one)]:
        _refused.pop(session, None)


class Uploads:
    """Take no more files than there is room for, and none of who may not see the pages.

    Streamlit holds what was chosen until its page is closed, and tells of a file that is refused a number alone. So one
    that is not taken is answered as if it were, and the page, which then does not find it, says why.
    """

    def __init__(self, app):
        self._app = app
        self._coming, self._come = Counter(), Counter()  # bytes of what is on its way, by session; of that what is here

    async def __call__(self, scope, receive, send):
        found = _PATH.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if found is None:
            return await self._app(scope, receive, send)
        session, file = found.groups()
        size = Headers(scope=scope).get("content-length", "")
        if max(map(len, found.groups())) > _ID or not _may_bring(session):
            answer = PlainTextResponse("Only an open page takes files, of who may see it.\n", 403)
        elif not re.fullmatch("[0-9]{1,18}", size):
            answer = PlainTextResponse("How long is it? Content-Length is missing.\n", 411)
        elif (why := await self._taken(session, int(size), scope, receive, send)) is not None:
            _refuse(session, file, why)
            await _read_out(receive)
            answer = Response(status_code=204)
        else:
            return
        await answer(scope, receive, send)

    async def _taken(self, session: str, size: int, scope, receive, send) -> str | None:
        """Let Streamlit take a file; why it could not. Of a page counts what it announces, of all what has come: who
        announces much and sends nothing takes nobody's room."""
        most, room = st.get_option("server.maxUploadSize"), read_whole_number("MTSIG_UNOPENED_MB", 1000) << 20
        here, begun, held = 0, time.monotonic(), _held()
        if held.get(session, 0) + self._coming[session] + size > (most + 1) << 20:  # with its frame
            return (f"The chosen files are together larger than {most:,} MB, the most that a page may bring "
                    "(STREAMLIT_SERVER_MAX_UPLOAD_SIZE). Reload the page, and choose fewer at a time.")
        if sum(held.values()) + self._come.total() > room:
            return _NO_ROOM

        async def counted():
            nonlocal here
            message = await asyncio.wait_for(receive(), _PAUSE)
            here, before = here + len(message.get("body", b"")), here
            self._come[session] += here - before
            if here > size or time.monotonic() - begun > _LONGEST or not internals.is_open(session):
                raise _Broken
            if here >> 20 > before >> 20 and sum(_held().values()) + self._come.total() > room:
                raise _Full
            return message

        self._coming[session] += size
        try:
            await self._app(scope, counted, send)
        except _Full:
            return _NO_ROOM
        except (_Broken, TimeoutError):
            return "A file did not come whole. Reload the page, and choose it again."
        except OSError as error:  # it writes what comes to a temporary file
            events.failed(error)
            return ("A file could not be taken: this server's disk for temporary files is full, or cannot be written. "
                    "Tell whoever runs it, then reload the page and choose the file again.")
        finally:
            for counter, n in ((self._coming, size), (self._come, here)):
                counter[session] -= n
                if not counter[session]:
                    del counter[session]
            if not internals.is_open(session):  # nobody would remove what has come for it
                internals.remove_files(session)
        return None


class _Broken(Exception):
    """More comes than was announced, it takes too long, or for whom it was is gone."""


class _Full(Exception):
    """There is no more room."""


async def _read_out(receive) -> None:
    """Read what is left of a request, or the browser would see a broken line; not for ever."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_LONGEST):
            while (await asyncio.wait_for(receive(), _PAUSE)).get("more_body"):
                pass


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
