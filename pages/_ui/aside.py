"""What was chosen for test sets that are not open now: the tab of the browser keeps it over a reload."""

from __future__ import annotations

import streamlit as st

from pages._ui import address

__all__ = ["keep"]

# The session knows better what it has put aside itself; of all else the tab tells it.
_SCRIPT = """
export default function({data, setStateValue}) {
  const key = 'mtsig_aside'
  const kept = JSON.parse(sessionStorage.getItem(key) ?? '{}')
  sessionStorage.setItem(key, JSON.stringify({...kept, ...data}))
  if (Object.keys(kept).some(set => !(set in data))) setStateValue('kept', {...kept, ...data})
}
"""


def keep() -> None:
    """Have the tab keep what the session has put aside, and hear what an earlier session of the tab had."""
    kept = _component()(data=address.put_aside(), key="aside", on_kept_change=lambda: None).kept
    if kept is not None and address.take_aside(kept):
        st.rerun()


@st.cache_resource
def _component():
    return st.components.v2.component("mtsig_aside", js=_SCRIPT)
