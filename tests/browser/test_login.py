"""Logging in, in a browser: it ends where it began."""

import pytest
from playwright.sync_api import expect

from tests.builders.serving import serving


@pytest.mark.long
def test_the_link_that_was_opened_is_opened_after_the_login(page, tmp_path):
    with serving(tmp_path) as (_, address, own):
        page.goto(f"{address}/methods?seed=3")
        own.email = "mallory@example.net"
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_text("mallory@example.net may not use this dashboard")).to_be_visible()
        own.email = "ada@example.org"
        page.get_by_role("button", name="Log out").click()
        page.get_by_role("button", name="Log in").click()
        page.wait_for_selector("h1:has-text('Methods')")
        assert page.url == f"{address}/methods?seed=3"
        assert page.problems == []


@pytest.mark.long
def test_who_goes_to_the_first_page_meanwhile_stays_there(page, tmp_path):
    with serving(tmp_path) as (_, address, own):
        own.email = "ada@example.org"
        for path in ("methods?seed=3", ""):
            page.goto(f"{address}/{path}")
            page.get_by_role("button", name="Log in").wait_for()
            kept = f"'/{path}'" if path else "null"
            page.wait_for_function(f"sessionStorage.getItem('mtsig_back') === {kept}")
        page.get_by_role("button", name="Log in").click()
        page.wait_for_selector("h1:has-text('Summary')")
        assert page.url == f"{address}/"
        assert page.problems == []
