"""Which browser this is: a secret in a cookie, by which it finds again what was uploaded in it."""

from __future__ import annotations

import re
import secrets

import streamlit as st

__all__ = ["owner", "remember"]

_COOKIE = "mtsig_browser"
_ME = "browser.me"

# The cookie that is there stays, as when two tabs ask at once; Python hears which it is.
_SCRIPT = f"""
export default function({{data, setStateValue}}) {{
  const found = document.cookie.match(/(?:^|; ){_COOKIE}=([\\w-]{{20,64}})(?:;|$)/)
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const value = found ? found[1] : data
  document.cookie = `{_COOKIE}=${{value}}; Max-Age=34560000; Path=/; SameSite=Lax${{secure}}`
  if (value !== data) setStateValue('known', value)
}}
"""


def owner(*, make: bool = False) -> str | None:
    """The secret of this browser; None where it has none yet, unless one is to be made."""
    state = st.session_state
    if _ME not in state:
        state[_ME] = _sound(st.context.cookies.get(_COOKIE))
    if state[_ME] is None and make:
        state[_ME] = secrets.token_urlsafe(24)
    return state[_ME]


def remember() -> None:
    """Have the browser keep its secret, on the page where there is something to keep."""
    me = owner(make=True)
    known = _sound(_component()(data=me, key="browser.cookie", on_known_change=lambda: None).known)
    if known is not None:
        st.session_state[_ME] = known


@st.cache_resource
def _component():
    return st.components.v2.component("mtsig_browser", js=_SCRIPT)


def _sound(text) -> str | None:
    return text if isinstance(text, str) and re.fullmatch(r"[\w-]{20,64}", text, re.ASCII) else None
