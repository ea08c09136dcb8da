"""Pages in Streamlit's AppTest, and what follows a click on them."""

import functools

import streamlit as st

from pages._ui.catalogue import PAGES
from pages._ui.screen import end_page
from tests.builders.screens import APP
from tests.builders.streamlit_parts import Page, by_path

#: The pages on a test set.
ROWS = {name: page for name, page in PAGES.items() if page.opens == "testset"}
#: What the longest work is asked for unless a test asks for more.
LIGHTER = {"size": {"repeats": "30", "sizes": "50%, 100%"}, "trust": {"pairs": "200"}}


def with_fewer(function, few):
    return functools.wraps(function)(lambda *args, **asked: function(*args, **asked | few))


def app(path=None, **asked):
    """The dashboard, not yet run: its first page, or what a path leads to."""
    page = Page(APP, default_timeout=600)  # no page is too slow for a busy machine
    for key, value in asked.items():
        page.query_params[key] = value
    return page if path is None else by_path(page, path)


def followed(page, click, monkeypatch):
    """Do what leads to another page, and go there in the same session, which AppTest does not do;
    what is asked.
    """
    asked = []
    with monkeypatch.context() as patch:
        patch.setattr(
            st,
            "switch_page",
            lambda page, query_params: asked.append((page, query_params)) or end_page(),
        )
        click()
    ((to, query),) = asked
    page.query_params = dict(query)
    page.switch_page(f"pages/{to.name}").run().run()
    return query


def press(page, label, n=0):
    [button for button in page.button if button.label == label][n].click()
    return page.run()
