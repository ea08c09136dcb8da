"""Checks before every response of the server.

The server accepts only some host names, refuses some paths, and adds security headers.
"""

from __future__ import annotations

import hashlib
import os
import re
from base64 import b64encode
from ipaddress import IPv4Address, IPv6Address, ip_address

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

from pages._server import frontend, internals

_HOST = re.compile(r"(?:\[([\da-f:.]+)\]|([^\s/@?#:\[\]]+))(?::\d*)?", re.IGNORECASE)


class Guard:
    """Refuse some requests, and add headers to all responses.

    The guard refuses these requests:

    - Requests with an ambiguous end. A proxy and the server could see the end at different places,
      and take a part of one request for the next request.
    - Requests for a host name that is not the server's. Another site can let its own name point to
      this server (DNS rebinding), and its page would then pass as a page of this server. This does
      not work with an address, so every address is accepted.
    - Requests for closed paths.
    - Requests of a session from a page of another site. Streamlit would ask other hosts for this
      machine's own address, and serve no request meanwhile.
    """

    def __init__(self, app):
        self._app = app
        self._names = list_names()
        self._headers = [(key.lower().encode(), value.encode()) for key, value in headers().items()]

    async def __call__(self, scope, receive, send):
        """Answer a request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message):
            if message["type"].endswith("http.response.start"):
                message["headers"] = self._add_headers(message["headers"])
            await send(message)

        app = self._refuse(scope) or self._app
        await app(scope, receive, send_with_headers)

    def _add_headers(self, sent: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        names = {name for name, _ in self._headers}
        result = [(name, value) for name, value in sent if name.lower() not in names]
        return result + self._headers

    def _refuse(self, scope) -> PlainTextResponse | None:
        """Return the answer to a request that is not let in; None for any other."""
        request = Headers(scope=scope)
        host = request.get("host")
        if "content-length" in request and "transfer-encoding" in request:
            return PlainTextResponse(
                "Content-Length and Transfer-Encoding do not go together: nobody knows where the "
                "request ends. Send one of them.\n",
                400,
            )
        if not is_served(name_in(host), self._names):
            return PlainTextResponse(
                "This server does not answer to this name. The person who runs the server can add the name to "
                "MTSIG_HOSTS.\n",
                421,
            )
        path = f"{scope['path']}/"
        if any(f"{closed}/" in path for closed in internals.CLOSED_PATHS):
            return PlainTextResponse("Not Found\n", 404)
        if scope["type"] == "websocket":
            origin = request.get("origin")
            if origin not in (None, f"http://{host}", f"https://{host}"):
                return PlainTextResponse(
                    "A page of another address may not open a session here. A proxy must pass Host "
                    "on as it came.\n",
                    403,
                )
        return None


async def answer_failure(_request, _error) -> PlainTextResponse:
    """Answer where the server itself fails, which passes no guard."""
    return PlainTextResponse("Internal Server Error\n", 500, headers())


def list_names() -> list[str]:
    """Return the names of the server: localhost, its options, and ``MTSIG_HOSTS``.

    `*.` at the beginning of a name means all names below it.
    """
    names = ["localhost"]
    for text in os.environ.get("MTSIG_HOSTS", "").split(","):
        name = text.strip().lower().rstrip(".")
        if name:
            names.append(name)
    for option in ("server.address", "browser.serverAddress"):
        name = st.get_option(option)
        if name:
            names.append(name.lower())
    return names


def name_in(host: str | None) -> str:
    """Return the name in a header `Host`, without its port; empty without a name."""
    match = _HOST.fullmatch(host or "")
    if match is None:
        return ""
    address, name = match.groups()
    return (address or name).lower().rstrip(".")


def is_served(name: str, known_names: list[str]) -> bool:
    """Return whether a name is one of these, or an address."""
    if not name:
        return False
    if _read_address(name) is not None:
        return True
    for known in known_names:
        is_below = known.startswith("*.") and name.endswith(known[1:])
        if is_below or known in (name, "*"):
            return True
    return False


def is_local(name: str) -> bool:
    """Return whether a name or an address means this machine itself."""
    address = _read_address(name)
    return name == "localhost" or (address is not None and address.is_loopback)


def headers() -> dict[str, str]:
    """Return the headers of all responses.

    Only scripts from this server run: Streamlit's files, the scripts in its page, and the
    components of this dashboard, which are blobs.
    """
    hashes = []
    for script in re.findall(r"<script>(.*?)</script>", frontend.read_page(), re.DOTALL):
        digest = hashlib.sha256(script.encode()).digest()
        hashes.append(f"'sha256-{b64encode(digest).decode()}'")
    policy = {
        "default-src": ["'self'"],
        "script-src": ["'self'", "blob:", *hashes],
        "style-src": ["'self'", "'unsafe-inline'"],  # Streamlit and Plotly style what they draw
        "img-src": ["'self'", "data:", "blob:"],
        "font-src": ["'self'", "data:"],
        "media-src": ["'self'", "data:", "blob:"],
        "worker-src": ["'self'", "blob:"],
        "frame-src": ["'self'", "data:"],  # the one-page summary of a pair
        # X-Frame-Options can name no other site: a browser that knows this directive ignores it
        "frame-ancestors": ["'self'", *os.environ.get("MTSIG_EMBED_HOSTS", "").split(",")],
        "form-action": ["'self'"],
        "base-uri": ["'self'"],
        "object-src": ["'none'"],
    }
    directives = [f"{name} {' '.join(sources)}" for name, sources in policy.items()]
    return {
        "Content-Security-Policy": "; ".join(directives),
        "X-Frame-Options": "SAMEORIGIN",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",  # a link to an upload is a secret
        "X-Robots-Tag": "noindex",  # and no search engine lists it
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    }


def _read_address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name)
    except ValueError:
        return None
