"""An upload is kept: after a reload, behind its link in another browser, after a restart; listed where it was made."""

import pytest

from tests.browser.conftest import follow, ready, server
from tests.browser.grids import told

pytestmark = pytest.mark.browser
REF = "".join(f"this is sentence {k} of the set\n" for k in range(40)).encode()
OUTPUTS = {"mine": REF.replace(b"is", b"was"), "<b>theirs</b>": REF.replace(b"sentence", b"phrase")}
NUMBERS = ".mt-status, .mt-answer, .mt-table"


def numbers(page):
    ready(page)
    told(page)
    return page.locator(f'[data-testid="stMain"] :is({NUMBERS})').evaluate_all("all => all.map(e => e.textContent)")


def upload(page, address, title):
    page.goto(f"{address}/data")
    ready(page)
    files = {"ref.txt": REF, **{f"{name}.txt": text for name, text in OUTPUTS.items()}}
    page.locator('input[type="file"]').set_input_files(
        [{"name": name, "mimeType": "text/plain", "buffer": text} for name, text in files.items()])
    page.get_by_role("button", name="Open these files").wait_for()
    ready(page)
    page.get_by_label("Name of the test set").fill(title)
    page.get_by_label("Name of the test set").press("Enter")
    ready(page)
    page.get_by_role("button", name="Open these files").click()
    page.get_by_text("Opened: ").wait_for()
    ready(page)


def yours(page):
    follow(page, "Data")
    ready(page)
    return page.locator(".mt-plain", has_text="kept until").all_inner_texts()


def test_nothing_that_was_uploaded_is_lost(page, another_window):
    with server() as first:
        upload(page, first, "<i>my</i> set")
        follow(page, "Leaderboard")
        seen, link = numbers(page), page.url.removeprefix(first)
        assert "<i>my</i> set · 40 segments · 2 systems" in seen[0] and "testset=~" in link
        page.reload()
        assert numbers(page) == seen and page.url == first + link
        theirs = another_window().new_page()
        theirs.goto(first + link)
        assert numbers(theirs) == seen
        assert yours(theirs) == []  # it is listed where it was made alone
        assert len(yours(page)) == 1
        for tab in (page, theirs):
            tab.goto("about:blank")  # so that none asks for a server that is gone
    with server() as second:
        page.goto(second + link)
        assert numbers(page) == seen
        listed, = yours(page)
        assert listed.startswith("<i>my</i> set: 40 segments, 2 systems, 0.1 MB, kept until 2")
        page.get_by_role("button", name="Rename").click()
        field = page.locator('[data-testid="stPopoverBody"] input')
        field.fill("renamed")
        page.get_by_role("button", name="Rename it").click()
        page.locator(".mt-plain", has_text="renamed: 40 segments").wait_for()
        ready(page)
        page.get_by_role("button", name="Delete").click()
        page.get_by_role("button", name="Delete it").click()
        page.locator(".mt-plain", has_text="kept until").wait_for(state="detached")
        page.goto(second + link)
        ready(page)
        assert "The test set of this link is not here: it was deleted" in page.locator(".mt-error").inner_text()
        assert page.locator(".mt-answer, .mt-table, .mt-status").count() == 0  # no page of another set
        assert page.url == second + link
        page.get_by_role("link", name="Upload its files").click()
        page.wait_for_selector("h1:has-text('Data')")
        page.locator('input[type="file"]').wait_for(state="attached")
        assert page.problems == [] and page.dialogs == []


def test_other_content_under_the_same_name_is_said(page, tmp_path):
    for name, text in {"ref": REF, "a": OUTPUTS["mine"], "b": OUTPUTS["<b>theirs</b>"]}.items():
        (tmp_path / f"{name}.txt").write_bytes(text)
    options = ["--ref", tmp_path / "ref.txt", "--system", tmp_path / "a.txt", "--system", tmp_path / "b.txt"]
    said = "Other content stands under the name of this test set now"
    with server(*options) as first:
        page.goto(f"{first}/leaderboard")
        ready(page)
        page.wait_for_function("location.search.includes('digest=')")
        link = page.url.removeprefix(first)
        page.reload()
        ready(page)
        assert page.locator(".mt-error").count() == 0
        (tmp_path / "b.txt").write_bytes(REF)
        follow(page, "Pair")
        ready(page)
        assert said in page.locator(".mt-error").inner_text()  # while one looks
        page.goto(first + link)
        ready(page)
        assert said in page.locator(".mt-error").inner_text()  # and by the link
