"""Another page is shown from its top, also where a click on a row, a cell or a button has opened it: Streamlit does so
for its own links alone, and leaves any other where the page before was. On a phone, where the side bar lies over the
page, it closes."""

from __future__ import annotations

import streamlit as st

from pages._ui import address

__all__ = ["show"]

_SCRIPT = """
let seen
export default function({data: {page, opened}}) {
  const another = seen && seen.page !== page
  if (another) document.querySelector('[data-testid=stMain]')?.scrollTo(0, 0)
  const side = document.querySelector('[data-testid=stSidebar]')
  if ((another || seen && seen.opened !== opened) && innerWidth < 768 && side?.getBoundingClientRect().right > 0)
    side.querySelector('[data-testid=stSidebarCollapseButton] button')?.click()
  seen = {page, opened}
}
"""


def show(page: str) -> None:
    """Draw what scrolls up when `page` is another than that of the run before. Then, and for another test set or task,
    the side bar closes where it lies over the page."""
    opened = [address.peek(key) for key in ("testset", "shared_task")]
    _component()(data={"page": page, "opened": " ".join(filter(None, opened))}, key="page_top")


@st.cache_resource
def _component():
    return st.components.v2.component("mtsig_page_top", js=_SCRIPT)
