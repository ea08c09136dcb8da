"""What stands before every answer of the server: names it answers to, paths it does not, headers
that browsers heed.
"""

from __future__ import annotations

import hashlib
import os
import re
from base64 import b64encode
from ipaddress import ip_address
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

#: What Streamlit offers to programs, without asking who they are.
CLOSED = ("/_stcore/metrics", "/_stcore/agent")


class Guard:
    """Refuse requests whose end is not clear, under a name that is not the server's, for a closed
    path, or for a session from another site's page; add headers to all answers.

    A proxy may take another end for that of a request than the server does, and part of it for the
    next one's.

    A page of another site may have its own name point here (DNS rebinding), and would then be let
    in as this one's. It cannot do so with an address, so every address is answered to. Where a
    session is asked for from elsewhere Streamlit would ask other hosts for this machine's own
    address, and nobody would be served meanwhile.
    """

    def __init__(self, app):
        self._app, self._names = app, names()
        self._headers = [(key.lower().encode(), value.encode()) for key, value in headers().items()]
        self._hints = [(b"link", hint.encode()) for hint in hints()]

    async def __call__(self, scope, receive, send):
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)

        async def answer(message):
            if message["type"].endswith("http.response.start"):
                own = {key for key, _ in self._headers}
                message["headers"] = [
                    (key, value) for key, value in message["headers"] if key.lower() not in own
                ]
                if dict(message["headers"]).get(b"content-type", b"").startswith(b"text/html"):
                    message["headers"] += self._hints
                message["headers"] += self._headers
            await send(message)

        app, asked = self._app, Headers(scope=scope)
        host, origin = asked.get("host"), asked.get("origin")
        if "content-length" in asked and "transfer-encoding" in asked:
            app = PlainTextResponse(
                "Content-Length and Transfer-Encoding do not go together: nobody knows where the "
                "request ends. Send one of them.\n",
                400,
            )
        elif not served(name_in(host), self._names):
            app = PlainTextResponse(
                "This server does not answer to this name. Whoever runs it can add the name to "
                "MTSIG_HOSTS.\n",
                421,
            )
        elif any(f"{closed}/" in f"{scope['path']}/" for closed in CLOSED):
            app = PlainTextResponse("Not Found\n", 404)
        elif scope["type"] == "websocket" and origin not in (
            None,
            f"http://{host}",
            f"https://{host}",
        ):
            app = PlainTextResponse(
                "A page of another address may not open a session here. A proxy must pass Host on "
                "as it came.\n",
                403,
            )
        await app(scope, receive, answer)


async def broken(request, error) -> PlainTextResponse:
    """The answer where the server itself fails, which passes no guard."""
    return PlainTextResponse("Internal Server Error\n", 500, headers())


def names() -> list[str]:
    """What the server is called: ``MTSIG_HOSTS``, with commas between; `*.` before a name stands
    for all below it.
    """
    given = [
        name.strip().lower().rstrip(".") for name in os.environ.get("MTSIG_HOSTS", "").split(",")
    ]
    set_elsewhere = [st.get_option("server.address"), st.get_option("browser.serverAddress")]
    return ["localhost", *filter(None, given), *(name.lower() for name in set_elsewhere if name)]


def name_in(host: str | None) -> str:
    """The name in a header `Host`, without its port; empty where there is none."""
    found = re.fullmatch(
        r"(?:\[([\da-f:.]+)\]|([^\s/@?#:\[\]]+))(?::\d*)?", host or "", re.IGNORECASE
    )
    return (found[1] or found[2]).lower().rstrip(".") if found else ""


def served(name: str, known: list[str]) -> bool:
    """Whether a name is one of these, or an address."""
    return bool(name) and (
        _address(name) is not None
        or any(
            name == one or one == "*" or one.startswith("*.") and name.endswith(one[1:])
            for one in known
        )
    )


def local(name: str) -> bool:
    """Whether a name or an address is this machine to itself."""
    address = _address(name)
    return name == "localhost" or address is not None and address.is_loopback


def headers() -> dict[str, str]:
    """The headers of all answers.

    Of scripts those run that Streamlit brings: its files, the one in its page, and the components
    of this dashboard, which come as blobs.
    """
    page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    inside = [
        f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    ]
    policy = {
        "default-src": ["'self'"],
        "script-src": ["'self'", "blob:", *inside],
        "style-src": ["'self'", "'unsafe-inline'"],  # Streamlit and Plotly style what they draw
        "img-src": ["'self'", "data:", "blob:"],
        "font-src": ["'self'", "data:"],
        "media-src": ["'self'", "data:", "blob:"],
        "worker-src": ["'self'", "blob:"],
        "frame-src": ["'self'", "data:"],  # the one-page summary
        "frame-ancestors": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'self'"],
        "object-src": ["'none'"],
    }
    return {
        "Content-Security-Policy": "; ".join(
            f"{key} {' '.join(values)}" for key, values in policy.items()
        ),
        "X-Frame-Options": "SAMEORIGIN",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",  # a link to what was uploaded is a secret
        "X-Robots-Tag": "noindex",  # and no search engine lists it
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    }


def hints() -> list[str]:
    """What a browser may fetch as soon as it has a page's first bytes: what draws pictures, 5 MB
    that Streamlit would ask for only with the first of them.
    """
    return [
        f"<./static/js/{path.name}>; rel=modulepreload; fetchpriority=low"
        for path in (Path(st.__file__).parent / "static/static/js").glob("PlotlyChart.*.js")
    ]


def _address(name):
    try:
        return ip_address(name)
    except ValueError:
        return None
