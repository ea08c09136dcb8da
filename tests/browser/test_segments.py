"""The Segments page in a real browser."""

import pytest

from mtsig_core.report.commands import source_options
from tests.browser.conftest import fits, follow, settled
from tests.builders.screens import replace_in_some, written

pytestmark = pytest.mark.browser
A, B = "<img src=x onerror=alert(1)>", "**b**"


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    ref = [f"the old house number {k} stands near the river and the bridge" for k in range(60)]
    small = [text.replace("old", "small") for text in ref]
    sea = replace_in_some(ref, 3, "river and the", "sea or a")
    odd = ["هذه جملة <script>alert(2)</script>" if k % 4 else "x" * 10_000 for k in range(60)]
    documents = [f"*d{k // 2}*" for k in range(60)]
    folder = tmp_path_factory.mktemp("task")
    return source_options(written(folder, ref, (small, sea, odd), documents, (A, B, "c")))


def opened(page, address):
    page.goto(address)
    settled(page)


def listed(page):
    """The lines on the page of the list that is shown."""
    return [
        int(text.split(" · ")[0])
        for text in page.locator(".st-key-segments-list button").all_inner_texts()
    ]


def reading(page):
    """The segment that is shown: its line, and where it stands in the list."""
    words = page.locator(".mt-scrolls small").first.inner_text().split(" · ")
    return words[0], words[-1]


@pytest.mark.long
def test_keys_filters_and_the_address_and_no_filter_is_left_when_the_pair_leads_here(
    at, page, options
):
    opened(page, at("segments", options, a=A, b=B, order="line", trials=999))
    assert page.locator(".mt-answer").inner_text().startswith(f"All 60 segments: {A} ")
    assert reading(page) == ("line 1", "1 of 60")
    assert listed(page) == list(range(1, 9))
    for key, line in (("PageDown", 9), ("ArrowUp", 8)):
        page.keyboard.press(key)
        page.wait_for_url(f"**segment={line}")
        settled(page)
        assert reading(page) == (f"line {line}", f"{line} of 60")
    page.go_back()
    page.wait_for_url("**segment=9")
    settled(page)
    assert reading(page) == ("line 9", "9 of 60")
    fits(page)
    page.reload()
    settled(page)
    assert reading(page) == ("line 9", "9 of 60")
    assert listed(page) == list(range(9, 17))
    page.get_by_role("button", name="Filter").click()
    page.locator(".st-key-text input").fill("SEA or")
    page.locator(".st-key-text input").press("Enter")
    page.wait_for_url("**text=SEA**")
    settled(page)
    assert "segment=" not in page.url
    assert listed(page) == list(range(1, 23, 3))
    page.locator(".st-key-text input").fill("nowhere")
    page.locator(".st-key-text input").press("Enter")
    page.wait_for_url("**text=nowhere**")
    settled(page)
    assert page.locator(".mt-answer").inner_text() == "No segment matches"
    page.keyboard.press("Escape")
    follow(page, "One pair")
    page.wait_for_url("**/pair**")
    settled(page)
    page.get_by_role("tab", name="Segments").click()
    page.get_by_role("link", name="All segments, to search and sort").click()
    page.wait_for_url("**/segments**")
    settled(page)
    assert page.locator(".mt-answer").inner_text().startswith("All 60 segments: ")
    assert page.dialogs == []
    assert page.hosts == {"localhost"}


@pytest.mark.long
def test_long_words_and_other_scripts_fit_a_projector(at, page, options):
    opened(
        page, at("segments", options, a=A, b="c", also=B, order="line", document="*d4*", segment=9)
    )
    for line in (9, 10):  # ten thousand letters without a space, and Arabic
        if line == 10:
            page.keyboard.press("ArrowDown")
            page.wait_for_url("**segment=10**")
            settled(page)
        assert reading(page)[0] == f"line {line}"
        fits(page)
        box = page.locator(".mt-one")
        assert box.evaluate("e => e.getBoundingClientRect().bottom") <= 720
        assert page.locator(".mt-scrolls").evaluate("e => e.scrollWidth <= e.clientWidth")
