"""What the browser does for the address: it keeps, over a reload, what was chosen for test sets that are not open now,
and adds to the address what is no step of its history."""

from __future__ import annotations

import secrets

import streamlit as st

from pages._ui import address

__all__ = ["keep"]

# The session knows better what it has put aside itself; of all else the tab tells it, once: a second word would come
# with what the controls showed before the first was heard.
_SCRIPT = """
let told
export default function({data: {session, sets, along}, setStateValue}) {
  const search = new URLSearchParams(location.search)
  for (const [key, text] of Object.entries(along)) if (text && !search.has(key)) {
    search.set(key, text)
    history.replaceState(history.state, '', `?${search}`)
  }
  const key = 'mtsig_aside'
  const kept = JSON.parse(sessionStorage.getItem(key) ?? '{}')
  sessionStorage.setItem(key, JSON.stringify({...kept, ...sets}))
  if (told === session) return
  told = session
  if (Object.keys(kept).some(set => !(set in sets))) setStateValue('kept', {...kept, ...sets})
}
"""
_SESSION = "aside.session"


def keep(along: dict[str, str | None]) -> None:
    """Have the tab keep what the session has put aside, and hear what an earlier session of the tab had; and add to its
    address what stands `along` there."""
    session = st.session_state.setdefault(_SESSION, secrets.token_hex(4))
    kept = _component()(data={"session": session, "sets": address.put_aside(), "along": along}, key="aside",
                        on_kept_change=lambda: None).kept
    if kept is not None and address.take_aside(kept):
        st.rerun()


@st.cache_resource
def _component():
    return st.components.v2.component("mtsig_aside", js=_SCRIPT)
