"""The matrix of all pairs in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import fits, follow, settled

pytestmark = pytest.mark.browser
NAMES = ["<img src=x onerror=alert(1)>", "**b** <b>x</b>", "![](http://h.example/x.png)"]


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    folder = tmp_path_factory.mktemp("task")
    texts = [[f"the old house number {k} stands near the river and the bridge" for k in range(60)]]
    texts.append([t.replace("old", "small") if k % 2 else t for k, t in enumerate(texts[0])])
    texts.append([t.replace("river and the", f"sea {k % 3} or a") for k, t in enumerate(texts[1])])
    given = ["--ref", folder / "ref.txt"]
    for k, (name, lines) in enumerate(zip(["ref", *NAMES], [texts[0], *texts], strict=True)):
        file = folder / ("ref.txt" if k == 0 else f"{k}.txt")
        file.write_text("".join(f"{line}\n" for line in lines))
        given += [] if k == 0 else ["--system", f"{name}={file}"]
    return given


def cell(page, row, column, n=3):
    """The middle of a cell of the matrix, on screen."""
    area = page.locator(".st-key-significance-matrix .nsewdrag")
    area.scroll_into_view_if_needed()
    settled(page)
    box = area.bounding_box()
    return box["x"] + box["width"] * (column + 0.5) / n, box["y"] + box["height"] * (row + 0.5) / n


def point_at(page, x, y):
    """Move the pointer there, as a hand does, until the figure says what is below it."""
    page.mouse.move(x - 5, y - 5)
    page.mouse.move(x, y, steps=5)
    page.wait_for_selector(".hoverlayer .hovertext", state="attached")


def test_the_matrix_fits_a_click_opens_the_pair_it_follows_the_corrections_and_fills_the_screen(at, page, options):
    page.goto(at("significance", options, seed=5))
    settled(page)
    page.wait_for_selector(".st-key-significance-matrix .textpoint")
    assert page.locator(".mt-answer").inner_text() == "3 of 3 pairs differ significantly (romano-wolf, alpha 0.05)"
    assert page.locator(".ytick text").all_text_contents() == ["<img src=…=alert(1)> [1]", *NAMES[1:]]
    assert page.locator(".annotation-text", has_text="[1]").text_content() == f"[1] {NAMES[0]}"
    assert page.locator(".textpoint").count() == 6
    point_at(page, *cell(page, 0, 1))
    assert NAMES[0] in page.locator(".hoverlayer").text_content()
    fits(page)
    page.set_viewport_size({"width": 700, "height": 720})
    page.locator("summary", has_text="Numbers, files, command").click()
    table, hint = page.locator(".mt-sideways").first, page.locator(".mt-more").first
    hint.wait_for(state="visible")  # columns beyond the right edge are announced
    table.locator(".mt-scroll").evaluate("e => e.scrollLeft = e.scrollWidth")
    hint.wait_for(state="hidden")
    page.set_viewport_size({"width": 1800, "height": 720})
    hint.wait_for(state="hidden")
    page.set_viewport_size({"width": 1280, "height": 720})
    for row, column in ((0, 2), (2, 1)):
        x, y = cell(page, row, column)
        point_at(page, x, y)
        page.mouse.click(x, y)
        page.wait_for_url("**/pair?**")
        page.wait_for_selector("h1:has-text('Pair')")
        settled(page)
        a, b = (NAMES[k] for k in sorted((row, column)))
        assert page.locator(".mt-answer").first.inner_text().startswith(f"{a} and {b}: ")
        assert "seed=5" in page.url
        follow(page, "Significance")
        settled(page)
        assert "/significance" in page.url  # the click is not remembered
    the_arrow_keys_step_through_the_corrections(page)
    it_fills_the_screen_and_comes_back(page)
    assert page.dialogs == [] and page.hosts == {"localhost"}


def the_arrow_keys_step_through_the_corrections(page):
    steps, said = page.locator(".st-key-decided"), page.locator(".mt-plain", has_text="pairs are significant")
    assert steps.locator("label").all_inner_texts()[1:] == [
        "raw p", "BH", "Holm", "Romano-Wolf (chosen)", "Bonferroni", "BY"]
    steps.get_by_text("raw p", exact=True).click()
    expect(said).to_have_text(re.compile("^raw p: 3 of 3 pairs are significant"))
    settled(page)
    assert "decided=none" in page.url and steps.locator("input:checked").count() == 1
    for name in ("BH", "Holm", "Romano-Wolf"):
        page.keyboard.press("ArrowRight")
        expect(said).to_have_text(re.compile(f"^{name}: "))
        settled(page)
    assert "decided=" not in page.url  # it is the one chosen in the sidebar


def it_fills_the_screen_and_comes_back(page):
    before = page.locator(".st-key-significance-matrix .nsewdrag").bounding_box()
    page.locator('.st-key-significance-matrix [data-title="Fullscreen"]').click()
    page.wait_for_function(f"""document.querySelector('.nsewdrag').getBoundingClientRect().width
                               > {before['width'] * 1.2}""")
    page.keyboard.press("Escape")
    page.wait_for_function(f"""Math.abs(document.querySelector('.nsewdrag').getBoundingClientRect().width
                               - {before['width']}) < 2""")
    fits(page)
