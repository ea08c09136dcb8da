"""The answer to an address that no page has: Streamlit itself would show its first page there."""

from __future__ import annotations

from pathlib import Path
from string import Template

import streamlit as st
from starlette.responses import HTMLResponse
from starlette.routing import Match, Route

from pages._server.components import ASSETS

_PAGES = {file.stem for file in Path(__file__).parents[1].glob("*.py")}
#: What the paths of Streamlit's own files and logins begin with.
_OTHERS = ("static", "media", "component", "app", "auth", "oauth2callback")


class NoPage(Route):
    """The route of all paths that look like a page, and are none."""

    def __init__(self):
        super().__init__("/{path:path}", _answer)

    def matches(self, scope):
        """Match an unknown page; all other paths belong to the routes after this one."""
        if scope["type"] == "http" and _is_missing(scope["path"]):
            return super().matches(scope)
        return Match.NONE, {}


def _is_missing(path: str) -> bool:
    """Return whether a path is of a page that does not exist.

    A file has a dot in its name, and a path for programs has a word that begins with `_`.
    """
    base = _find_base()
    name = path.removeprefix(base).strip("/")
    words = name.split("/")
    is_other = "." in words[-1] or words[0] in _OTHERS or any(word[:1] == "_" for word in words)
    is_below_base = path == base or path.startswith(f"{base}/")
    return is_below_base and name != "" and name not in _PAGES and not is_other


def _find_base() -> str:
    """Return the path below which the server is, such as `/mtsig`; empty at the root."""
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    return f"/{base}" if base else ""


async def _answer(_request) -> HTMLResponse:
    page = Template((ASSETS / "no_page.html").read_text(encoding="utf-8"))
    return HTMLResponse(page.substitute(base=_find_base()), 404)
