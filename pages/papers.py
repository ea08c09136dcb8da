"""Reproduce the papers: their tables and figures, each next to ours from the test set."""

import streamlit as st

from mtsig_core import MtsigError
from pages._sections.papers_sections import ITEMS, PAPERS
from pages._ui import controls, frame, screen

view = frame.open_page(experiment=True)
ALL = "All tables and figures"
titles = {ALL: ALL}
for key, item in ITEMS.items():
    paper = PAPERS[key.partition("-")[0]]
    titles[key] = f"{paper}, {item.title}"
item_key = controls.choice(
    "Table or figure", list(titles), "item", format_func=titles.get, pages_own=True
)


def choose(key: str) -> None:
    """Open a table or figure."""
    st.session_state["item"] = key


if item_key == ALL:
    screen.answer("Choose a table or figure to see ours next to the paper's")
    st.caption(
        "The papers' test sets are not available. So our numbers are similar to the papers' numbers, not identical."
    )
    with st.container(key="papers-list"):
        columns = st.columns(len(PAPERS))
    for place, (paper, name) in zip(columns, PAPERS.items(), strict=True):
        with place.container(gap="xxsmall"):
            st.subheader(name)
            for key, item in ITEMS.items():
                if key.startswith(paper):
                    st.button(
                        item.title,
                        key=f"papers.{key}",
                        type="tertiary",
                        on_click=choose,
                        args=(key,),
                    )
else:
    try:
        ITEMS[item_key].show(view)
    except MtsigError as problem:
        screen.error(problem)
