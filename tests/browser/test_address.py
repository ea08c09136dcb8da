"""Back and Forward, and another test set: one press is one step, and what was said of one set stays
with it.
"""

from contextlib import suppress
from urllib.parse import urlencode

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.conftest import LIST, choose, follow, open_tab, ready
from tests.builders.processes import LIMIT

pytestmark = pytest.mark.browser
OWN, OTHER = "(a task)/en-de", "other/en-de"  # the first of all that are offered


def outputs(ref, *names):
    """One output for each name, each with another mistake."""
    mistakes = (
        lambda text, k: text.replace("house", "small"),
        lambda text, k: text.replace("river and the", "sea or a") if k % 3 == 0 else text,
        lambda text, k: text.replace("the", "a") if k % 4 else text,
    )
    return {
        name: [mistake(text, k) for k, text in enumerate(ref)]
        for name, mistake in zip(names, mistakes, strict=True)
    }


def write(file, lines):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines))


@pytest.fixture(scope="module")
def served(root, shared):
    """A dashboard that offers two test sets with one system in common, and opens on the first."""
    ref = [f"the old house number {k} stands near the river and the bridge" for k in range(60)]
    for task, lines, names in (
        (OWN, ref, ("a", "b", "Greek")),
        (OTHER, ref[::-1], ("Danish", "Spanish", "Greek")),
    ):
        folder = root / task.split("/")[0]
        write(folder / "references/en-de.refA.txt", lines)
        for name, output in outputs(lines, *names).items():
            write(folder / f"system-outputs/en-de/{name}.txt", output)
    return shared


def chosen(page, key):
    return page.locator(f".st-key-{key} input").first.input_value()


def pick(page, key, value, name=None):
    """Choose by typing, and wait until the page shows it and the address says it, or its name."""
    field = page.locator(f".st-key-{key} input").first
    choose(page, field, value)
    page.wait_for_function(
        "([key, value]) => document.querySelector(`.st-key-${key} input`)?.value === value",
        arg=[key, value],
    )
    page.wait_for_function(
        "([key, value]) => new URLSearchParams(location.search).get(key) === value",
        arg=[key, name or value],
    )
    ready(page)


def step(page, press, key, value):
    """One press of Back or Forward, and what a control shows after it."""
    press()
    page.wait_for_function(
        "([key, value]) => document.querySelector(`.st-key-${key} input`)?.value === value",
        arg=[key, value],
    )
    ready(page)
    assert chosen(page, key) == value


def test_one_press_is_one_step_and_what_applies_stays(served, page):
    page.goto(f"{served}/pair?seed=5&trials=999")
    at_the_beginning = page.evaluate("history.length")
    ready(page)
    page.wait_for_function("location.search.includes('digest=')")
    assert page.evaluate("history.length") == at_the_beginning  # one press of Back leaves
    first, second = chosen(page, "a"), chosen(page, "b")
    assert chosen(page, "testset") == OWN
    assert "Greek" not in (first, second)
    follow(page, "Segments")
    ready(page)
    pick(page, "a", "Greek")
    pick(page, "testset", OTHER)
    assert chosen(page, "a") == "Greek"
    at_the_end = page.evaluate("history.length")
    step(page, page.go_back, "testset", OWN)
    assert chosen(page, "a") == "Greek"
    step(page, page.go_back, "a", first)
    page.go_back()
    page.wait_for_selector("h1:has-text('One pair')")
    ready(page)
    assert (chosen(page, "a"), chosen(page, "b")) == (first, second)
    page.go_forward()
    page.wait_for_selector("h1:has-text('Segments')")
    for key, value in (("a", "Greek"), ("testset", OTHER)):
        step(page, page.go_forward, key, value)
    assert page.evaluate("history.length") == at_the_end


#: The names of the links that have a background.
MARKED = """links => links.filter(link => getComputedStyle(link).backgroundColor !== 'rgba(0, 0, 0, 0)').map(
    link => link.querySelector('p').textContent)"""


def leave_out(page, name, reason):
    systems = page.locator(".st-key-exclude input").first
    if not systems.is_visible():
        page.get_by_text("Systems and segments").click()
    for _ in range(LIMIT // LIST):  # a choice is lost where the list closes under the mouse
        choose(page, systems, name)
        with suppress(TimeoutError):
            page.wait_for_function(
                "value => location.search.includes(value)",
                arg=urlencode({"exclude": name}),
                timeout=LIST,
            )
            break
    ready(page)
    page.keyboard.press("Escape")
    field = page.get_by_placeholder("Reason, kept in the link")
    open_tab(page, "Excluded")
    field.wait_for()
    field.fill(reason)
    field.press("Enter")
    page.wait_for_function("reason => location.search.includes(reason)", arg=reason)


def says_left_out(page, name=None, reason=None):
    """Wait until the page says who is left out, and why: the tab may tell of it late."""
    fields = page.get_by_placeholder("Reason, kept in the link")
    expect(fields).to_have_count(0 if name is None else 1)
    if name is not None:
        expect(fields).to_have_value(reason)
    ready(page)
    page.locator(".st-key-summary-paper button").first.click()
    sentence = page.locator("code", has_text="We compared")
    sentence.wait_for()
    if name is None:
        expect(sentence).not_to_contain_text("Excluded:")
    else:
        expect(sentence).to_contain_text(f"Excluded: {name} ({reason}).")
    page.keyboard.press("Escape")
    sentence.wait_for(state="hidden")


@pytest.mark.long
def test_what_is_left_out_and_why_belongs_to_its_set(served, page):
    asked = {"testset": OTHER, "seed": 5, "trials": 999, "a": "Greek"}
    page.goto(f"{served}/segments?{urlencode(asked)}")
    ready(page)
    follow(page, "Summary")
    ready(page)
    leave_out(page, "Danish", "withdrawn")
    says_left_out(page, "Danish", "withdrawn")
    page.reload()
    says_left_out(page, "Danish", "withdrawn")
    assert "seed=5" in page.url
    assert "a=Greek" in page.url  # which this page has no use for, and keeps
    pick(page, "testset", OWN)
    says_left_out(page)
    pick(page, "testset", OTHER)  # by hand: the tab knows
    says_left_out(page, "Danish", "withdrawn")
    step(page, page.go_back, "testset", OWN)
    says_left_out(page)
    assert page.locator(".mt-error").count() == 0
    assert page.problems == []  # nothing is blamed on a link


@pytest.mark.long
@pytest.mark.parametrize("address", ["", "summary"])
def test_the_link_to_the_open_page_is_marked(served, page, address):
    """The first page has two addresses."""
    page.goto(f"{served}/{address}")
    ready(page)
    page.get_by_role("button", name="Compare").click()
    links = page.get_by_test_id("stPopoverBody").get_by_test_id("stPageLink-NavLink")
    assert links.evaluate_all(MARKED) == ["Summary"]
