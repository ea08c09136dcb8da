"""Files that never change, gzipped once for all: a room that opens the dashboard at once shares one network."""

from __future__ import annotations

import asyncio
import gzip
from posixpath import normpath

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response

_ENOUGH = 10_000  # bytes that are worth packing
_MOST = 1000  # files that are kept packed; Streamlit has some hundreds
_TEXTS = ("text/", "application/javascript", "application/json")


class Compression:
    """Answer with gzipped bytes whoever can read them, from the second on who asks for a file.

    A first picture takes 9 MB of scripts, of which a third is left. Streamlit sends them as they are, for it would pack
    them anew for each who asks. The first gets them so here too: one reader on his own machine would only wait for it.
    """

    def __init__(self, app):
        self._app = app
        self._asked: dict[str, asyncio.Future[Response | None] | None] = {}  # by path: what is packed, or to be

    async def __call__(self, scope, receive, send):
        if not _can_be_packed(scope):
            return await self._app(scope, receive, send)
        path = scope["path"]
        if path in self._asked:
            packing = self._asked[path] = self._asked[path] or asyncio.ensure_future(self._packed(scope))
            try:
                answer = await asyncio.shield(packing)
            except Exception:
                self._asked[path] = None  # the next who asks may have more luck
                raise
            if answer is not None:
                return await answer(scope, receive, send)

        async def noted(message):
            if message["type"] == "http.response.start" and _never_changes(message):
                if len(self._asked) < _MOST:
                    self._asked.setdefault(path)
                MutableHeaders(raw=message["headers"]).add_vary_header("Accept-Encoding")
            await send(message)

        await self._app(scope, receive, noted)

    async def _packed(self, scope) -> Response | None:
        """The whole answer; None where there is none any more."""
        start, parts = {}, []

        async def receive():  # who asks stays until the end
            await asyncio.Future()

        async def keep(message):
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                parts.append(message.get("body", b""))

        await self._app(scope, receive, keep)
        if not _never_changes(start):
            return None
        headers = Headers(raw=start["headers"])
        body = await asyncio.to_thread(gzip.compress, b"".join(parts), 6, mtime=0)
        return Response(body, headers={key: headers[key] for key in ("content-type", "cache-control")}
                        | {"content-encoding": "gzip", "vary": "Accept-Encoding"})


def _can_be_packed(scope) -> bool:
    """Whether the whole of something is asked for, by who can unpack it; under its one name, as a file answers to many
    (`/static//a.js`), and would be kept under each."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    path, asked = scope["path"], Headers(scope=scope)
    return (path == "/" + normpath(path).lstrip("/") and "gzip" in asked.get("accept-encoding", "")
            and not {"range", "if-none-match", "if-modified-since"} & {*asked})


def _never_changes(start) -> bool:
    """Whether an answer is a text that is long, plain, and the same for ever and for all."""
    headers = Headers(raw=start["headers"])
    return (start["status"] == 200 and "immutable" in headers.get("cache-control", "")
            and headers.get("content-type", "").startswith(_TEXTS) and "content-encoding" not in headers
            and int(headers.get("content-length", 0)) >= _ENOUGH)
