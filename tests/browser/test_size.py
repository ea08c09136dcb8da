"""The page Test-set size in a real browser: the difference is dragged."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import fits, ready, settled

pytestmark = pytest.mark.browser


def test_what_is_dragged_moves_headline_curve_and_address(at, page):
    page.goto(at("size", ("--demo-segments", 300), repeats=30, sizes="50%, 100%", unit="segment"))
    ready(page)
    answer = page.locator(".mt-answer").first
    curve = page.locator(".st-key-size-decisions .scatterlayer path.js-line")
    before = answer.inner_text(), curve.first.get_attribute("d")
    assert "A difference of 1 BLEU takes" in before[0]
    slider = page.locator(".st-key-difference")
    thumb, rail = slider.locator("input"), slider.get_by_test_id("stSlider").bounding_box()
    box = slider.get_by_test_id("stSliderThumbValue").locator("..").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(rail["x"] + 0.3 * rail["width"], box["y"], steps=8)
    page.mouse.up()
    expect(answer).not_to_have_text(before[0])
    settled(page)
    dragged = float(re.search(r"A difference of ([\d.]+) BLEU", answer.inner_text())[1])
    assert 2 <= dragged <= 4 and f"difference={dragged}" in page.url
    assert float(thumb.input_value()) == dragged
    assert curve.first.get_attribute("d") != before[1]
    thumb.press("ArrowRight")
    expect(answer).to_have_text(re.compile(f"A difference of {dragged + 0.1:g} BLEU"))
    settled(page)
    fits(page)
