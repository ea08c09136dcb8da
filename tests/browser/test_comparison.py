"""Summary, All pairs and One pair in a real browser, in one visit: clicks, keys, layout."""

import pytest
from playwright.sync_api import expect

from mtsig_core.report.commands import source_options
from tests.browser.conftest import (
    choose,
    click_point,
    fits,
    follow,
    open_tab,
    printed,
    ready,
    settled,
    watched,
)
from tests.browser.grids import cells, click
from tests.builders.screens import replace_in_most, written

pytestmark = pytest.mark.browser
A, B, C = "<img src=x onerror=alert(1)>", "**b** <b>x</b>", "c"
#: The fonts that a page has asked for.
FONTS = "[...document.fonts].filter(font => font.status !== 'unloaded').map(font => font.family.replaceAll('\"', ''))"
PATHS = {"Summary": "summary", "All pairs": "pairs", "One pair": "pair"}
MATRIX, DIFFERENCE = ".st-key-pairs-matrix", ".st-key-pair-difference"


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    ref = [f"the old house number {k} stands near the river and the bridge" for k in range(240)]
    small = replace_in_most(ref, 5, "old house", "small home")
    hill = replace_in_most(ref, 3, "the bridge", "hill")
    script = replace_in_most(ref, 4, "bridge", "bridge <script>alert(2)</script>")
    documents = [f"d{k // 2}" for k in range(240)]
    folder = tmp_path_factory.mktemp("task")
    return source_options(written(folder, ref, (small, hill, script), documents, (A, B, C)))


@pytest.fixture(scope="module")
def found(options):
    """What the command line prints of the same files."""
    return printed("compare", *options, "--seed", 8, "--trials", 999)["metrics"]["bleu"]


@pytest.fixture(scope="module")
def visit(at, window, options):
    page = watched(window.new_page())
    page.goto(at("summary", options, seed=8, trials=999, pool=50_000))
    ready(page)
    yield page
    page.close()
    window.clear_cookies()


@pytest.fixture
def page(visit):
    yield visit
    assert visit.dialogs == []
    assert visit.hosts == {"localhost"}
    assert visit.problems == []


def answer(page):
    return page.locator(".mt-answer").first.inner_text()


def open_page(page, name):
    follow(page, name)
    settled(page)
    assert f"/{PATHS[name]}" in page.url
    assert "seed=8" in page.url


def go_back(page, name):
    page.go_back()
    page.wait_for_selector(f"h1:has-text('{name}')")
    ready(page)
    assert f"/{PATHS[name]}" in page.url  # what was clicked is not remembered


def click_on_a_dot(page, row):
    open_tab(page, "Scores and ranks")
    click_point(page, "summary-forest", page.locator(".st-key-summary-forest .point").nth(row))


def click_on_a_row(page, row):
    open_tab(page, "Table")
    click(page, "summary-table", row)


def key_on_a_row(page, row):
    open_tab(page, "Table")
    click(page, "summary-table", row, x=120)  # a cell alone opens nothing
    page.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )  # it has the focus
    page.keyboard.press("Shift+Space")


def read_pair(page):
    return tuple(page.locator(f".st-key-{key} input").first.input_value() for key in "ab")


def test_three_ways_open_a_pair_from_the_summary(page, found):
    names = [system["system"] for system in found["systems"]]
    # Pictures would be drawn once more when it has come.
    assert "Source Code Pro" not in page.evaluate(FONTS)
    fits(page)
    figure = page.locator(".js-plotly-plot").first.bounding_box()
    assert figure["y"] < 720  # it begins on the first screen
    forest = page.locator(".st-key-summary-forest .ytick text")
    forest.first.wait_for(state="attached")
    assert forest.all_text_contents() == names
    open_tab(page, "Table")
    assert [name for _, name, *_ in cells(page, "summary-table")[1:]] == names
    fits(page)
    best, second, _ = names
    for open_row, row, pair in (
        (click_on_a_dot, 1, (second, best)),
        (click_on_a_row, 1, (second, best)),
        (key_on_a_row, 0, (best, second)),
    ):
        open_row(page, row=row)
        page.wait_for_selector("h1:has-text('One pair')")
        ready(page)
        assert read_pair(page) == pair
        go_back(page, "Summary")


def cell(page, row, column, n=3):
    """The middle of a cell of the matrix, on screen."""
    area = page.locator(f"{MATRIX} .nsewdrag")
    area.scroll_into_view_if_needed()
    settled(page)
    box = area.bounding_box()
    return box["x"] + box["width"] * (column + 0.5) / n, box["y"] + box["height"] * (row + 0.5) / n


def point_at(page, x, y):
    """Move the pointer there, as a hand does, until the figure says what is below it."""
    page.mouse.move(x - 5, y - 5)
    page.mouse.move(x, y, steps=5)
    page.wait_for_selector(".hoverlayer .hovertext", state="attached")


@pytest.mark.long
def test_the_matrix_opens_a_pair_follows_the_corrections_and_fills_the_screen(page, found):
    open_page(page, "All pairs")
    page.wait_for_selector(f"{MATRIX} .textpoint")
    names = [system["system"] for system in found["systems"]]
    significant = sum(pair["significant"] for pair in found["pairs"])
    assert answer(page).startswith(f"By BLEU: {significant} of 3 pairs ")
    assert page.locator(".textpoint").count() == 6
    assert page.locator(f"{MATRIX} .annotation-text", has_text="[1]").text_content() == f"[1] {A}"
    x, y = cell(page, 2, 1)
    point_at(page, x, y)
    assert names[2] in page.locator(".hoverlayer").text_content()
    fits(page)
    page.mouse.click(x, y)
    page.wait_for_selector("h1:has-text('One pair')")
    ready(page)
    assert read_pair(page) == tuple(names[1:])
    go_back(page, "All pairs")
    the_arrow_keys_step_through_the_corrections(page)
    columns_beyond_the_edge_are_announced(page)
    before = page.locator(".nsewdrag").bounding_box()["width"]
    page.locator(f'{MATRIX} [data-title="Fullscreen"]').click()
    width = "document.querySelector('.nsewdrag').getBoundingClientRect().width"
    page.wait_for_function(f"{width} > {before * 1.2}")
    page.keyboard.press("Escape")
    page.wait_for_function(f"Math.abs({width} - {before}) < 2")
    fits(page)


def the_arrow_keys_step_through_the_corrections(page):
    page.locator(".st-key-decided").get_by_text("no correction", exact=True).click()
    page.wait_for_url("**decided=none**")
    for name in ("bh", "holm"):
        page.keyboard.press("ArrowRight")
        page.wait_for_url(f"**decided={name}**")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda url: "decided=" not in url)  # it is the one chosen at the side
    settled(page)


def columns_beyond_the_edge_are_announced(page):
    page.set_viewport_size({"width": 700, "height": 720})
    page.get_by_role("button", name="Numbers, files, command").first.click()
    box = page.get_by_test_id("stPopoverBody")
    table, hint = box.locator(".mt-sideways"), box.locator(".mt-more")
    hint.wait_for(state="visible")
    table.locator(".mt-scroll").evaluate("e => e.scrollLeft = e.scrollWidth")
    hint.wait_for(state="hidden")
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1280, "height": 720})
    settled(page)


@pytest.mark.long
def test_a_bar_of_pair_opens_its_document(page, found):
    pair = next(pair for pair in found["pairs"] if {pair["a"], pair["b"]} == {A, B})
    open_page(page, "One pair")
    for key, name in (("a", pair["a"]), ("b", pair["b"])):
        choose(page, page.locator(f".st-key-{key} input"), name)
        page.wait_for_function(
            f"name => document.querySelector('.st-key-{key} input').value === name", arg=name
        )
        ready(page)
    expect(page.locator(".js-plotly-plot")).to_have_count(3)
    fits(page)
    for figure in page.locator(".js-plotly-plot").all()[:2]:
        box = figure.bounding_box()
        assert box["y"] + box["height"] < 760
    page.locator(f'{DIFFERENCE} [data-title="Fullscreen"]').click()
    page.wait_for_function(
        f"document.querySelector('{DIFFERENCE} .js-plotly-plot').offsetWidth > 1200"
    )
    page.keyboard.press("Escape")
    page.wait_for_function(
        f"document.querySelector('{DIFFERENCE} .js-plotly-plot').offsetWidth < 700"
    )
    bar = page.locator(".st-key-pair-documents .point path").first
    name = page.locator(".st-key-pair-documents .ytick text").first.text_content()
    click_point(page, "pair-documents", bar)
    page.wait_for_selector("h1:has-text('Segments')")
    ready(page)
    assert answer(page).startswith("2 of ")
    page.get_by_role("button", name="Filter").click()
    assert page.locator(".st-key-document input").input_value() == name
