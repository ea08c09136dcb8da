"""Code that runs in the browser: its secret, text to copy, figures as PNG, scrolling to the top."""

from __future__ import annotations

import re
import secrets

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._server.components import component
from pages._ui import address

_COOKIE = "mtsig_browser"  # also in `owner.js`
_ME = "browser.me"
SAVED = "browser.saved"  # the key of the field whose text the last press of a button has saved
_TEXT = (
    "<section class='copyable'><p></p><div><pre><code></code></pre><button type='button'>Copy</button></div>"
    "<span role='status'></span></section>"
)
_SHARE = (
    "<section class='share'><button type='button'></button><span role='status'></span></section>"
)
_BUTTON = "<section class='picture'><button type='button'></button></section>"
_LARGEST = 16_000  # pixels of a side, as large as every browser can draw


def find_owner(*, make: bool = False) -> str | None:
    """Return the secret of this browser, or None if it has none yet and `make` is not set."""
    state = st.session_state
    if _ME not in state:
        state[_ME] = _check_secret(st.context.cookies.get(_COOKIE))
    if state[_ME] is None and make:
        state[_ME] = secrets.token_urlsafe(24)
    return state[_ME]


def remember() -> None:
    """Let the browser keep its secret, on a page with something to keep."""
    result = component("owner")(
        data=find_owner(make=True), key="browser.cookie", on_known_change=lambda: None
    )
    known = _check_secret(result.known)
    if known is not None:
        st.session_state[_ME] = known


def _check_secret(text: object) -> str | None:
    """Return what can be a secret of a browser; None for anything else."""
    if isinstance(text, str) and re.fullmatch(r"[\w-]{20,64}", text, re.ASCII):
        return text
    return None


def copyable(
    text: str, key: str, label: str, *, prose: bool = False, formatted: bool = False
) -> None:
    """Draw a text with a button that copies it, below a label that no other text of the page has.

    Formatted text is HTML that a word processor gets as what it shows.

    With `st.code` a browser would load the grammars of 300 languages first. Prose uses the font of
    the page, because a font for code would have to load too, and then the browser would draw all
    figures again.
    """
    data = {"text": text, "label": label, "prose": prose, "formatted": formatted}
    component("copyable", _TEXT)(data=data, key=key)


def export_box(page: str) -> DeltaGenerator:
    """Draw Share and Export at the head of the page; return the place of the files in Export.

    Share copies the address that the page has when the button is pressed.
    """
    with st.container(horizontal=True, key="page.files"):
        component("share", _SHARE)(data={}, key=f"{page}.share", width="content")
        return st.popover("Export", icon=":material/download:", key=f"{page}.export")


def command_box(line: str, key: str, prints: str) -> None:
    """Draw a command line in a box, with the text that it prints."""
    with st.expander("Command", key=f"{key}.box"):
        copyable(line, key, f"Command that prints {prints}")


def png_button(svg: str, file: str, key: str) -> None:
    """Draw a button that saves an SVG picture as the PNG `file`, whole and on white."""
    component("picture", _BUTTON)(
        data={"label": "Picture (PNG)", "svg": svg, "file": file, "most": _LARGEST},
        key=key,
        width="content",
    )


def keep_drafts(page: str) -> None:
    """Let the tab keep what is typed on a page and not sent, and put it back after a reload.

    Each review has drafts of its own. The text of a field that was saved is forgotten.
    """
    scope = address.asked("review") or page
    saved = st.session_state.pop(SAVED, "")
    component("drafts")(data={"scope": scope, "saved": saved}, key="drafts")


def watch_review(link: str, n_steps: int) -> None:
    """Let the browser ask for the number of steps of a review, and run the page when it changes.

    A timer of Streamlit would run the page too, and could take a click that meets it.
    """
    component("watch")(
        data={"review": link, "steps": n_steps}, key="watch", on_steps_change=lambda: None
    )


def show_page_top(page: str) -> None:
    """Scroll to the top when another page opens.

    Then, and for another test set or task, close the sidebar where it covers the page.
    """
    opened = [address.peek(key) or "" for key in ("testset", "shared_task")]
    component("page_top")(data={"page": page, "opened": " ".join(opened).strip()}, key="page_top")
