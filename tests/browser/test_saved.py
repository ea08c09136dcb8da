"""An upload is kept: after a reload, by its link in another browser, a task also on another server;
listed where it was made.
"""

from contextlib import contextmanager
from itertools import zip_longest
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import choose, follow, ready, watched
from tests.browser.grids import told
from tests.builders.toys import task_files, zipped

pytestmark = pytest.mark.browser
REF = "".join(f"this is sentence {k} of the set\n" for k in range(40)).encode()
OUTPUTS = {"mine": REF.replace(b"is", b"was"), "<b>theirs": REF.replace(b"sentence", b"phrase")}
SETTINGS = {
    "test": "bootstrap",
    "correction": "holm",
    "ci": "basic",
    "alpha": "0.01",
    "trials": "1999",
    "seed": "11",
}
NUMBERS = ".mt-status, .mt-answer, .mt-table, .stDataFrame canvas, code"


def numbers(page):
    ready(page)
    told(page)
    return page.locator(f'[data-testid="stMain"] :is({NUMBERS})').evaluate_all(
        "all => all.map(e => e.textContent)"
    )


def upload(page, address, title):
    page.goto(
        f"{address}/upload?{urlencode(SETTINGS)}"
    )  # which are those of the other pages, and kept for them
    ready(page)
    files = {"ref.txt": REF, **{f"{name}.txt": text for name, text in OUTPUTS.items()}}
    page.locator('input[type="file"]').set_input_files(
        [{"name": name, "mimeType": "text/plain", "buffer": text} for name, text in files.items()]
    )
    page.get_by_role("button", name="Open these files").wait_for()
    ready(page)
    page.get_by_label("Name this test set").fill(title)
    page.get_by_label("Name this test set").press("Enter")
    ready(page)
    page.get_by_role("button", name="Open these files").click()
    page.locator(".mt-tiles").wait_for()
    ready(page)


def yours(page):
    follow(page, "Upload")
    ready(page)
    for fold in page.locator("summary", has_text="Your uploads").all():
        fold.click()
    return page.locator(".mt-plain", has_text="kept until").all_inner_texts()


@contextmanager
def stranger(window):
    """A tab that knows nothing, and of which nobody knows: as in another browser, but for what that
    would load anew.
    """
    mine = window.cookies()
    window.clear_cookies()
    tab = watched(window.new_page())
    yield tab
    tab.close()
    window.clear_cookies()
    window.add_cookies(mine)


@pytest.mark.long
def test_nothing_that_was_uploaded_is_lost(shared, page, window):
    """Its link shows the same after a reload and to a stranger; it is listed where it was made
    alone.
    """
    upload(page, shared, "<i>my</i> set")
    follow(page, "Summary")
    ready(page)
    assert "testset=~" in page.url
    seen, link = numbers(page), page.url.removeprefix(shared)
    assert "<i>my</i> set · 40 segments · 2 systems" in seen[0]
    assert all(
        part in " ".join(seen)
        for part in ("seed 11", "alpha 0.01", "1,999 resamples", "holm", "basic")
    )
    page.reload()
    assert [both for both in zip_longest(seen, numbers(page)) if both[0] != both[1]] == []
    with stranger(window) as theirs:
        theirs.goto(shared + link)
        assert numbers(theirs) == seen
        assert yours(theirs) == []
    (listed,) = yours(page)
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
    page.goto(shared + link)
    ready(page)
    assert (
        "The test set of this link is not here: it was deleted"
        in page.locator(".mt-error").inner_text()
    )
    assert page.locator(".mt-answer, .mt-table, .mt-status").count() == 0  # no page of another set
    assert page.url == shared + link
    page.get_by_role("link", name="Upload its files").click()
    page.locator('input[type="file"]').wait_for(state="attached")
    assert page.problems == []
    assert page.dialogs == []


@pytest.mark.long
def test_an_uploaded_task_is_its_link(shared, elsewhere, page, window):
    """Task and Review are about it after a reload, Back, and for a stranger on another server."""
    page.goto(f"{shared}/upload")
    ready(page)
    page.locator('input[type="file"]').set_input_files(
        {"name": "My task.zip", "mimeType": "application/zip", "buffer": zipped(task_files())}
    )
    page.get_by_role("button", name="Open the task").click()
    page.wait_for_selector("h1:has-text('Results')")
    page.locator(".mt-answer").wait_for()
    seen, link = numbers(page), page.url.removeprefix(shared)
    assert seen[0] == "My task · 3 language pairs · 3 systems"
    assert page.title() == "My task · Results · mtsig"
    page.reload()
    page.locator(".mt-answer").wait_for()
    assert numbers(page) == seen
    assert page.url == shared + link
    choose(page, page.locator(".st-key-metric input"), "BLEU")
    page.locator(".mt-answer", has_text="BLEU: ").wait_for()
    ready(page)
    page.go_back()
    page.locator(".mt-answer", has_text="Human scores (esa): ").wait_for()
    expect(page.locator("canvas th", has_text="en-uk")).to_have_count(
        0
    )  # a grid tells its cells later
    assert numbers(page) == seen
    assert page.url == shared + link
    with stranger(window) as theirs:
        theirs.goto(elsewhere + link)
        theirs.locator(".mt-answer").wait_for()
        assert numbers(theirs) == seen
    page.get_by_role("button", name="Start a review").click()
    page.wait_for_selector("h1:has-text('Review')")
    page.locator(".mt-answer").wait_for()
    assert numbers(page)[0].startswith("My task · all systems")
    (listed,) = yours(page)
    assert listed.startswith("My task: shared task, 3 language pairs, 3 systems, ")
    assert page.problems == []
