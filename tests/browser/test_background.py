"""Work that takes long: its progress, its Cancel, and other pages meanwhile. The simulated corpus, as it opens."""

import pytest
from playwright.sync_api import TimeoutError

from tests.browser.conftest import ready

pytestmark = pytest.mark.browser
LONG = "trials=49999&seed=8128"
CANCEL, AGAIN = ".st-key-background-cancel button", ".st-key-background-again button"


def busy(page):
    """The line beside the progress of the work under way."""
    page.wait_for_selector(CANCEL, timeout=60_000)
    return page.locator(".mt-plain", has_text="%").last


def cancel(page):
    """Click until it is cancelled: a click may come just as one piece of work ends and the next begins."""
    for _ in range(5):
        page.locator(CANCEL).click()
        try:
            return page.wait_for_selector(AGAIN, timeout=3_000)
        except TimeoutError:
            busy(page)
    raise AssertionError("it goes on after five clicks on Cancel")


def follow(page, name):
    """Click until it is there: Streamlit drops a click that meets its own timer on the way."""
    for _ in range(3):
        page.get_by_role("link", name=name, exact=True).click()
        try:
            return page.wait_for_selector(f"h1:has-text('{name}')", timeout=15_000)
        except TimeoutError:
            continue
    raise AssertionError(f"the page {name} does not come after three clicks")


def test_progress_and_cancel(serve, page):
    page.goto(f"{serve('--demo')}/pair?{LONG}")
    said = busy(page)
    first = said.inner_text()
    assert "%" in first and page.locator('[data-testid="stProgress"]').count() == 1
    page.wait_for_function("first => ![...document.querySelectorAll('.mt-plain')].some(e => e.innerText == first)",
                           arg=first, timeout=20_000)  # it moves on
    cancel(page)
    assert "cancelled" in page.locator('[data-testid="stMain"]').inner_text()
    assert page.locator(CANCEL).count() == 0 and page.locator(".mt-answer").count() == 0
    page.locator(AGAIN).click()
    page.wait_for_selector(".mt-answer", timeout=60_000)


@pytest.mark.parametrize("seed, asked, pair", [
    (8129, "", "Spanish and Portuguese"), (8130, "&a=Danish&b=Greek", "Danish and Greek")])
def test_leaving_the_page_loses_nothing(serve, page, seed, asked, pair):
    page.goto(f"{serve('--demo')}/pair?trials=49999&seed={seed}{asked}")
    busy(page)
    follow(page, "Methods")
    page.wait_for_timeout(1000)
    follow(page, "Pair")
    ready(page)
    status = page.locator(".mt-status").first.inner_text()
    assert f"seed {seed}" in status and "49999 trials" in status
    assert page.problems == []
    assert page.locator(".mt-answer").first.inner_text().startswith(f"{pair}: +")
