"""The page Inside a score in a real browser: every tab, and the address."""

from urllib.parse import urlencode

import pytest

from tests.browser.conftest import cut_in_figures, open_tab, ready

pytestmark = pytest.mark.browser
#: What is said beside the tabs, and in each: its title, its name in the address.
ALWAYS = ("brevity penalty 1.000", " order")
TABS = {"Worked example": ("step by step", "= 0.268"), "Output length": ("output length", "at a length ratio"),
        "Student's t": ("Student's t", "bootstrap by document"), "Signatures": ("signatures", "the same output has")}


def test_every_tab_fits_answers_and_is_in_the_address(at, page):
    page.goto(at("inside", ("--demo-segments", 600)))
    for tab, (name, said) in TABS.items():
        ready(page)
        open_tab(page, tab)
        page.wait_for_function("said => [...document.querySelectorAll('.mt-answer')].some("
                               "answer => answer.textContent.includes(said))", arg=said)
        check(page, tab)
        assert name == "step by step" or urlencode({"inside": name}) in page.url
    page.reload()
    ready(page)
    assert page.get_by_role("tab", selected=True).inner_text() == "Signatures"


def check(page, tab):
    """It answers, and nothing of it is cut."""
    ready(page)
    main = page.locator('[data-testid="stMain"]')
    answers = " ".join(main.locator(".mt-answer").all_text_contents())
    assert [said for said in ALWAYS if said not in answers] == []
    assert main.locator(".mt-error").count() == 0 and page.problems == [] and page.hosts == {"localhost"}
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth"), tab
    assert cut_in_figures(page) == [], tab
