"""On a phone: what figures say is whole, and the sidebar closes by itself."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import choose, cut_in_figures, follow, opened, ready, watched
from tests.builders.apps import LIGHTER

pytestmark = pytest.mark.browser
OVER = """figure => {
  const texts = '.annotation-text, .textpoint, .gtitle, .legendtext, .xtick text, .ytick text, .bartext'
  const notes = [...figure.querySelectorAll(texts)].filter(e => e.getClientRects().length)
    .map(e => [e.textContent, e.getBoundingClientRect()])
  return notes.filter(([, a], k) => notes.slice(k + 1).some(([, b]) => a.left < b.right && b.left < a.right
    && a.top < b.bottom - 2 && b.top < a.bottom - 2)).map(([text]) => text)}"""


@pytest.fixture(scope="module")
def phone(window):
    with opened(window, viewport={"width": 360, "height": 740}) as context:
        yield watched(context.new_page())


@pytest.mark.long
@pytest.mark.parametrize(
    "path, figures",
    [
        ("pairs", 1),
        ("summary", 1),
        ("pair", 2),
        ("trust", 1),
        ("size", 1),
        ("sampling", 3),
        ("bootstrap", 1),
        ("inside", 1),
    ],
)
def test_no_number_is_cut(at, phone, path, figures):
    asked = {"trials": 999, "questions": "off", **LIGHTER.get(path, {})}
    phone.goto(at(path, ("--demo-segments", 600), **asked))
    ready(phone)
    drawn = phone.locator(".js-plotly-plot")
    drawn.nth(figures - 1).wait_for()
    ready(phone)
    assert (
        cut_in_figures(phone)
        == []
        == [text for figure in drawn.all() for text in figure.evaluate(OVER)]
    )
    assert phone.get_by_test_id("stMain").evaluate("e => e.scrollWidth <= e.clientWidth")
    assert phone.problems == []


def test_the_answer_of_learn_is_out_of_sight_until_a_guess(at, phone):
    phone.goto(at("inside", ("--demo-segments", 600)))
    phone.get_by_role("button", name="No, never").wait_for()
    ready(phone)
    assert phone.locator(".mt-answer, .js-plotly-plot").count() > 1  # the work is done meanwhile
    assert not phone.locator(".mt-answer").first.is_visible()
    phone.get_by_role("button", name="No, never").click()
    phone.get_by_text("You said: No, never.").wait_for()
    phone.locator(".js-plotly-plot .main-svg").first.wait_for()
    ready(phone)
    assert phone.locator(".mt-answer").first.is_visible()


def covers(page):
    """Whether the sidebar lies over the page."""
    return page.get_by_test_id("stSidebar").evaluate("e => e.getBoundingClientRect().right > 0")


def open_side_bar(page):
    page.get_by_test_id("stExpandSidebarButton").click()
    page.wait_for_function(
        "document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().left === 0"
    )


@pytest.mark.long
def test_the_side_bar_closes_once_a_set_is_chosen_and_a_menu_once_a_page_is(at, phone):
    phone.goto(at("upload", ("--demo-segments", 60)))
    ready(phone)
    assert not covers(phone)
    follow(phone, "Methods")
    expect(phone.get_by_test_id("stPopoverBody")).to_have_count(0)  # the menu closes, too
    open_side_bar(phone)
    choose(phone, phone.locator(".st-key-testset input"), "simulated, 300 segments")
    ready(phone)
    phone.wait_for_function(
        "document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().right <= 0"
    )
    phone.goto(
        at("upload", ("--demo-segments", 60), task="true")
    )  # nothing opens a sidebar that is closed
    ready(phone)
    phone.evaluate("history.back()")
    ready(phone)
    assert not covers(phone)
    assert phone.problems == []
