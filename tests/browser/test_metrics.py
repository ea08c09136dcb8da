"""The Metrics page in a real browser: every view, and the address."""

from urllib.parse import urlencode

import pytest

from tests.browser.conftest import choose, cut_in_figures, ready

pytestmark = pytest.mark.browser
VIEWS = {"n-gram precisions": "brevity penalty 1.000", "output length": "at a length ratio", "step by step": "= 0.268",
         "sentence average": "change order", "Student's t": "bootstrap by document",
         "signatures": "the same output has"}


def test_every_view_fits_answers_and_is_in_the_address(at, page):
    first, *others = VIEWS
    page.goto(at("inside", ("--demo-segments", 600), inside=first))
    check(page, first)
    for view in others:
        choose(page, page.locator(".st-key-inside input"), view)
        page.wait_for_function("said => document.querySelector('.mt-answer')?.textContent.includes(said)",
                               arg=VIEWS[view])
        check(page, view)
        assert urlencode({"inside": view}) in page.url


def check(page, view):
    """It answers, and nothing of it is cut."""
    ready(page)
    main = page.locator('[data-testid="stMain"]')
    assert VIEWS[view] in main.locator(".mt-answer").first.text_content()
    assert main.locator(".mt-error").count() == 0 and page.problems == [] and page.hosts == {"localhost"}
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth"), view
    assert cut_in_figures(page) == [], view
