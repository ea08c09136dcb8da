"""Another page is shown from its top, also where a click on a row, a cell or a button has opened it: Streamlit does so
for its own links alone, and leaves any other where the page before was."""

from __future__ import annotations

import streamlit as st

__all__ = ["show"]

_SCRIPT = """
let seen
export default function({data}) {
  if (seen !== undefined && seen !== data) document.querySelector('[data-testid=stMain]')?.scrollTo(0, 0)
  seen = data
}
"""


def show(page: str) -> None:
    """Draw what scrolls up when `page` is another than that of the run before."""
    _component()(data=page, key="page_top")


@st.cache_resource
def _component():
    return st.components.v2.component("mtsig_page_top", js=_SCRIPT)
