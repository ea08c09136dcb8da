"""Streamlit's files as this server sends them: compressed, and with a welcome in its page."""

from __future__ import annotations

import gzip
import re
from functools import cache
from pathlib import Path
from zlib import crc32

from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.staticfiles import NotModifiedResponse

from mtsig_core.metrics.cache import remember
from pages._server import internals
from pages._server.components import ASSETS

#: Where a header `Accept-Encoding` names gzip, if not with the weight 0.
_GZIP = re.compile(r"(^|,)\s*gzip\s*(;\s*q=(0?\.0*[1-9]\d*|1(\.0*)?)\s*)?(,|$)", re.IGNORECASE)


class Frontend(internals.StreamlitFiles):
    """Send Streamlit's files compressed, and its page with a welcome.

    Streamlit does not compress its files, because it would do so again for each visitor.
    """

    async def get_response(self, path, scope):
        """Return the answer to a request for a file or a page."""
        # Without headers Streamlit returns a file also where the browser has it.
        response = await super().get_response(path, {**scope, "headers": []})
        if not isinstance(response, FileResponse):
            return response
        name = Path(response.path).name
        request = Headers(scope=scope)
        accepts_gzip = _GZIP.search(request.get("accept-encoding", ""))
        if accepts_gzip and name in compress_files() and "range" not in request:
            response = _replace_content(response, compress_files()[name])
            response.headers["content-encoding"] = "gzip"
        elif name == internals.PAGE.name:
            response = _replace_content(response, read_page().encode())
        response.headers["vary"] = "Accept-Encoding"
        if self.is_not_modified(response.headers, request):
            return NotModifiedResponse(response.headers)
        return response


def _replace_content(file: FileResponse, content: bytes) -> Response:
    """Return the answer that has another content than a file."""
    headers = {"cache-control": file.headers["cache-control"], "etag": f'"{crc32(content)}"'}
    return Response(content, headers=headers, media_type=file.media_type)


@cache
def compress_files() -> dict[str, bytes]:
    """Return the page, scripts and styles by name, compressed once and kept in the cache.

    The page names the scripts, by hashes of their content.
    """
    return remember(dict[str, bytes], _compress, read_page())


def _compress():
    contents = {path.name: path.read_bytes() for path in internals.list_files()}
    contents[internals.PAGE.name] = read_page().encode()
    return {name: gzip.compress(content, mtime=0) for name, content in contents.items()}


@cache
def read_page() -> str:
    """Return Streamlit's page with the welcome, which is on screen until the app draws.

    The welcome replaces Streamlit's text for browsers without scripts, which leads to paths that
    are closed. The script for figures is loaded from the start: Streamlit would request it only
    with the first figure.
    """
    figures = f'<link rel="modulepreload" fetchpriority="low" href="{internals.FIGURE_SCRIPT}" />'
    title = f"{figures}<title>mtsig"
    page = internals.PAGE.read_text("utf-8").replace("<title>Streamlit", title)
    welcome = (ASSETS / "welcome.html").read_text("utf-8")
    return re.sub("<noscript>.*</noscript>", welcome, page, flags=re.DOTALL)
