"""A review in two browsers: a reload loses nothing that was typed, and a reader sees a decision as
it is made.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ready

DRAFTS = "sessionStorage.getItem('mtsig_drafts')"
FEW = "999"  # permutations


@pytest.mark.long
def test_a_reload_keeps_what_is_typed_and_a_reader_sees_what_is_saved(at, page, another_window):
    page.goto(at("results", trials=FEW))
    ready(page)
    page.get_by_role("button", name="Start a review").click()
    page.get_by_role("tab", name="History and sharing").click()
    ready(page)
    page.wait_for_url("**tab=History**")
    page.get_by_role("textbox", name="Your name").fill("Ana")
    page.get_by_role("textbox", name="Your name").press("Enter")
    why = page.get_by_role("textbox", name="Why")
    why.press_sequentially("half-writ")
    page.reload()
    ready(page)
    expect(why).to_have_value("half-writ")
    expect(page.get_by_role("textbox", name="Your name")).to_have_value("Ana")
    expect(page.get_by_role("tab", name="History and sharing")).to_have_attribute(
        "aria-selected", "true"
    )

    link = page.locator("text=/review\\?review=/").first.inner_text()
    reader = another_window().new_page()
    reader.goto(link)
    ready(reader)
    expect(reader.get_by_role("heading", name="0 of 4 decided")).to_be_visible()
    editor = another_window().new_page()
    editor.goto(page.url)
    ready(editor)
    editor.get_by_role("textbox", name="Why").press_sequentially("another rea")
    page.get_by_placeholder("one system, or several").first.click()
    page.keyboard.type("Cedar")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("heading", name="1 of 4 decided")).to_be_visible(timeout=30_000)
    expect(reader.get_by_role("heading", name="1 of 4 decided")).to_be_visible(timeout=30_000)
    expect(reader.get_by_text("half-writ").first).to_be_visible()
    expect(editor.get_by_text("Ana: decided").first).to_be_visible(timeout=30_000)
    expect(editor.get_by_role("textbox", name="Why")).to_have_value("another rea")
    page.wait_for_function(f"!{DRAFTS}.includes('half-writ')")  # what is saved is no draft
