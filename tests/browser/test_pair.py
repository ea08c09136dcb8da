"""Pair, Segments and Bootstrap in a real browser, in one visit."""

import pytest
from playwright.sync_api import expect

from mtsig_core.report.table import format_p
from tests.browser.conftest import choose, click_point, fits, follow, printed, ready, settled

pytestmark = pytest.mark.browser
A, B = "<img src=x onerror=alert(1)>", "**b**"


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    folder = tmp_path_factory.mktemp("task")
    ref = [f"the old house number {k} stands near the river and the bridge" for k in range(240)]
    texts = {"ref": ref, "docs": [f"d{k // 2}" for k in range(240)],
             "a": [t.replace("old", "small") if k % 5 else t for k, t in enumerate(ref)],
             "b": [t.replace("the bridge", "hill") if k % 3 else t for k, t in enumerate(ref)],
             "c": [f"{t} <script>alert(2)</script>" if k % 4 else t for k, t in enumerate(ref)]}
    for name, lines in texts.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    return ["--ref", folder / "ref.txt", "--docs", folder / "docs.txt", "--system", f"{A}={folder / 'a.txt'}",
            "--system", f"{B}={folder / 'b.txt'}", "--system", f"c={folder / 'c.txt'}"]


def test_the_numbers_that_the_command_line_prints_full_screen_and_a_bar_opens_its_document(at, page, options):
    found = printed("compare", *options)["metrics"]["bleu"]
    pair = next(pair for pair in found["pairs"] if {pair["a"], pair["b"]} == {A, B})
    page.goto(at("pair", options, a=A, b=B, pool=50000))
    ready(page)
    delta = pair["delta"] if pair["a"] == A else -pair["delta"]
    answer = page.locator(".mt-answer").first.inner_text()
    assert answer.startswith(f"{A} and {B}: {delta:+.2f} BLEU [")
    assert f"adjusted p {format_p(pair['p_adjusted'])}" in answer
    said = "\n".join(page.locator(".mt-status").all_inner_texts())
    assert f"p {format_p(pair['p_value'])} for this pair alone" in said
    row = page.locator(".mt-table tbody tr", has_text="approximate randomization").inner_text().split("\t")
    assert row[:2] == ["approximate randomization", format_p(pair["p_value"])]
    expect(page.locator(".js-plotly-plot")).to_have_count(3)
    fits(page)
    for figure in page.locator(".js-plotly-plot").all()[:2]:
        box = figure.bounding_box()
        assert box["y"] + box["height"] < 760
    choose(page, page.locator(".st-key-b input"), "c")
    page.wait_for_url("**b=c**")
    ready(page)
    assert page.locator(".mt-answer").first.inner_text().startswith(f"{A} and c: ")
    assert "<script>alert(2)</script>" in page.locator(".mt-pair").first.inner_text()
    assert page.locator(".mt-n4").count() > 0
    figure = page.locator(".st-key-pair-difference")
    figure.locator('[data-title="Fullscreen"]').click()
    page.wait_for_function("document.querySelector('.st-key-pair-difference .js-plotly-plot').offsetWidth > 1200")
    page.keyboard.press("Escape")
    page.wait_for_function("document.querySelector('.st-key-pair-difference .js-plotly-plot').offsetWidth < 700")
    bar = page.locator(".st-key-pair-documents .point path").first
    name = page.locator(".st-key-pair-documents .ytick text").first.text_content()
    click_point(page, "pair-documents", bar)
    page.wait_for_selector("h1:has-text('Segments')")
    ready(page)
    assert page.locator(".st-key-document input").input_value() == name
    assert page.locator(".mt-answer").first.inner_text().startswith("2 of ")
    the_intervals_are_those_printed(page, found["systems"])


def the_intervals_are_those_printed(page, systems):
    follow(page, "Bootstrap")
    drawn(page)
    assert page.locator(".mt-answer").first.inner_text().startswith(f"{B}: ")  # the best
    choose(page, page.locator(".st-key-system input"), A)
    page.wait_for_url("**system=**img**")
    page.wait_for_function("name => document.querySelector('.mt-answer').innerText.startsWith(name)", arg=f"{A}: ")
    drawn(page)
    system = next(s for s in systems if s["system"] == A)
    answer = page.locator(".mt-answer").first.inner_text()
    ends = f"[{system['ci_low']:.2f}, {system['ci_high']:.2f}]"
    assert answer.startswith(f"{A}: {system['score']:.2f} BLEU, 95% interval {ends} (")
    assert any(ends in row for row in page.locator(".mt-table tbody tr", has_text="(chosen)").all_inner_texts())
    assert page.locator(".js-plotly-plot").count() == 2
    assert page.get_by_text("One pool of 50,000 independent samples").count() == 1
    fits(page)
    for table in page.locator(".mt-scroll:visible").all():  # those in closed boxes scroll in themselves
        seen = table.evaluate("e => [e.scrollWidth, e.clientWidth, e.innerText.slice(0, 60)]")
        assert seen[0] <= seen[1] + 1, seen
    box = page.locator(".js-plotly-plot").first.bounding_box()
    assert box["y"] + box["height"] < 720
    assert page.dialogs == [] and page.hosts == {"localhost"}


def drawn(page):
    """Wait until the pool is drawn too, which may go on behind the page."""
    settled(page)
    page.wait_for_selector("text=independent samples is cut into runs")
    settled(page)
