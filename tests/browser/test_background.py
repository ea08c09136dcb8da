"""Work that takes long: its progress, its Cancel, and other pages meanwhile.

The work waits for the test.
"""

import time

import pytest
from playwright.sync_api import expect

from mtsig_core.report.commands import source_options
from tests.browser.conftest import follow, ready
from tests.builders.processes import LIMIT
from tests.builders.screens import sentences, written

pytestmark = pytest.mark.browser
CANCEL, AGAIN = (
    '[class*="st-key-background-cancel"] button',
    '[class*="st-key-background-again"] button',
)
ANSWER = ".mt-answer"


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    ref = sentences(60)
    systems = (
        [text.replace("small", word) if k % every else text for k, text in enumerate(ref)]
        for word, every in (("big", 2), ("little", 7), ("tiny", 3))
    )
    return source_options(written(tmp_path_factory.mktemp("task"), ref, systems, names="abc"))


@pytest.fixture
def held(dashboard):
    yield dashboard
    dashboard.let_go()


@pytest.fixture
def said(page):
    return page.locator(".mt-plain", has_text="Examining the pair")


@pytest.mark.long
def test_progress_cancel_other_pages_and_once_more(held, at, page, said, options):
    held.hold(0.25)
    page.goto(at("pair", options, trials=1999))
    expect(said).to_contain_text(
        ["held by the test, 25%"]
    )  # a list: what stood before may still be there a moment
    expect(page.locator('[data-testid="stProgress"]')).to_have_count(1)
    held.hold(0.5)
    expect(said).to_contain_text(["50%"])
    for leave in (False, True):
        page.locator(CANCEL).click()
        expect(said).to_have_text(["Examining the pair: cancelled."])
        expect(page.locator(CANCEL)).to_be_hidden()
        expect(page.locator('[data-testid="stProgress"]')).to_be_hidden()
        if leave:  # what was cancelled stays so while other pages are open
            follow(page, "Upload")
            follow(page, "One pair")
            expect(said).to_have_text(["Examining the pair: cancelled."])
        page.locator(AGAIN).click()
        expect(said).to_contain_text(["50%"])
        expect(page.locator(AGAIN)).to_be_hidden()
    assert page.locator(ANSWER).count() == 0
    held.let_go()
    page.wait_for_selector(ANSWER)
    ready(page)
    assert said.count() == page.locator(CANCEL).count() == 0
    other_settings_hide_what_was_there(held, page, said)
    leaving_the_page_loses_nothing_and_the_work_goes_on(held, page, said)
    assert page.problems == []


def other_settings_hide_what_was_there(held, page, said):
    held.hold()
    page.get_by_role("button", name="Change").click()
    seed = page.locator(".st-key-seed input")
    seed.fill("7")
    seed.press("Enter")
    expect(said).to_contain_text(["25%"])
    expect(page.locator(ANSWER).first).to_be_hidden()
    expect(page.get_by_role("button", name="Numbers, files, command").first).to_be_hidden()


def leaving_the_page_loses_nothing_and_the_work_goes_on(held, page, said):
    follow(page, "Upload")
    follow(page, "One pair")
    expect(said).to_contain_text(["25%"])
    follow(page, "Upload")
    ready(page)
    held.let_go()
    until = time.monotonic() + LIMIT / 1000
    while not held.done():
        assert time.monotonic() < until
        page.wait_for_timeout(50)
    assert (
        page.locator("h1").inner_text() == "Upload"
    )  # what is done takes nobody away from where they are
    follow(page, "One pair")
    page.wait_for_selector(ANSWER)
    ready(page)
    status = page.locator(".mt-status").first.inner_text()
    assert "seed 7" in status
    assert "1,999 permutations" in status
    assert "between a and c" in page.locator(ANSWER).first.inner_text()
