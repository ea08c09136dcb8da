"""Figures on a phone: what is written in them is whole there, too."""

import pytest

from tests.browser.conftest import choose, cut_in_figures, follow, ready, watched
from tests.pages.conftest import LIGHTER

pytestmark = pytest.mark.browser
OVER = """figure => {
  const texts = '.annotation-text, .textpoint, .gtitle, .legendtext, .xtick text, .ytick text, .bartext'
  const notes = [...figure.querySelectorAll(texts)].filter(e => e.getClientRects().length)
    .map(e => [e.textContent, e.getBoundingClientRect()])
  return notes.filter(([, a], k) => notes.slice(k + 1).some(([, b]) => a.left < b.right && b.left < a.right
    && a.top < b.bottom - 2 && b.top < a.bottom - 2)).map(([text]) => text)}"""


@pytest.mark.parametrize("path, figures, said", [
    ("significance", 1, "row minus column"), ("leaderboard", 1, "Rank interval"),
    ("validation", 1, "of true nulls rejected"), ("sweeps", 3, "opposite to the whole set"),
    ("sampling", 5, "broad samples, by segments"), ("pair", 2, "added to the difference"),
    ("bootstrap", 2, "here, and the line of theory"), ("metrics", 1, "four-grams")])
def test_no_number_is_cut(at, another_window, path, figures, said):
    page = watched(another_window(viewport={"width": 360, "height": 740}).new_page())
    page.goto(at(path, ("--demo-segments", 600), **LIGHTER.get(path, {})))
    ready(page)
    drawn = page.locator(".js-plotly-plot")
    drawn.nth(figures - 1).wait_for()
    ready(page)
    assert said in " ".join(drawn.locator("text").all_text_contents())
    assert cut_in_figures(page) == [] == [text for figure in drawn.all() for text in figure.evaluate(OVER)]
    assert page.get_by_test_id("stMain").evaluate("e => e.scrollWidth <= e.clientWidth") and page.problems == []


def covers(page):
    """Whether the sidebar lies over the page."""
    return page.get_by_test_id("stSidebar").evaluate("e => e.getBoundingClientRect().right > 0")


def open_side_bar(page):
    page.get_by_test_id("stExpandSidebarButton").click()
    page.wait_for_function("document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().left === 0")


def test_the_side_bar_closes_once_a_page_or_a_set_is_chosen(at, another_window):
    page = watched(another_window(viewport={"width": 360, "height": 740}).new_page())
    page.goto(at("data", ("--demo-segments", 60)))
    ready(page)
    assert not covers(page)
    open_side_bar(page)
    follow(page, "Methods")
    ready(page)
    page.wait_for_function("document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().right <= 0")
    assert page.locator("h1").evaluate("""e => { const {x, y} = e.getBoundingClientRect()
        return document.elementFromPoint(x + 5, y + 5) === e || e.contains(document.elementFromPoint(x + 5, y + 5))}""")
    open_side_bar(page)
    choose(page, page.locator(".st-key-testset input"), "simulated, 300 segments")
    page.wait_for_function("document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().right <= 0")
    ready(page)
    page.goto(at("data", ("--demo-segments", 60), task="true"))  # nothing opens a sidebar that is closed
    ready(page)
    page.evaluate("history.back()")
    ready(page)
    assert not covers(page) and page.problems == []
