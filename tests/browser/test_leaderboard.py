"""The Leaderboard in a real browser, as `serve` opens it."""

from functools import partial

import pytest

from tests.browser.conftest import click_point, fits, printed, ready, settled
from tests.browser.grids import cells, click

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    folder = tmp_path_factory.mktemp("task")
    ref = [f"the old house number {k} stands near the river and the bridge" for k in range(60)]
    texts = {"ref": ref, "a": [t.replace("old", "small") for t in ref], "docs": [f"d{k // 2}" for k in range(60)],
             "b": [t.replace("river and the", f"sea {k % 3} or a") for k, t in enumerate(ref)]}
    for name, lines in texts.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    return ["--ref", folder / "ref.txt", "--docs", folder / "docs.txt",
            "--system", f"<img src=x onerror=alert(1)>={folder / 'a.txt'}", "--system", f"**b**={folder / 'b.txt'}"]


# The fonts that a page has asked for.
FONTS = "[...document.fonts].filter(font => font.status !== 'unloaded').map(font => font.family.replaceAll('\"', ''))"


def click_on_a_dot(page, row):
    click_point(page, "leaderboard-forest", page.locator(".st-key-leaderboard-forest .point").nth(row))


def key_on_a_row(page, row):
    click(page, "leaderboard-table", row, x=120)  # a cell alone opens nothing
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")  # it has the focus
    page.keyboard.press("Shift+Space")


def test_a_link_shows_what_the_command_line_prints_and_three_ways_open_the_pair(at, page, options):
    """Also: a setting that is changed is in the address, and what was clicked is not remembered."""
    page.goto(at("leaderboard", options, test="bootstrap", seed=7))
    settled(page)
    status = page.locator(".mt-status").first.inner_text()
    assert "bootstrap, signed shift (bootstrap)" in status and "seed 7" in status
    assert "Source Code Pro" not in page.evaluate(FONTS)  # pictures would be drawn once more when it has come
    page.get_by_text("More settings").click()
    seed = page.locator(".st-key-seed input")
    seed.fill("8")
    seed.press("Enter")
    page.wait_for_function("location.search.includes('seed=8')")
    settled(page)
    assert "seed 8" in page.locator(".mt-status").first.inner_text()
    systems = printed("compare", *options, "--test", "bootstrap", "--seed", 8)["metrics"]["bleu"]["systems"]
    for (rank, name, score, low, *_), system in zip(cells(page, "leaderboard-table")[1:], systems, strict=True):
        assert name == system["system"] and int(float(rank)) == system["rank_low"]
        assert float(score) == pytest.approx(system["score"], rel=1e-5)
        assert float(low) == pytest.approx(system["ci_low"], rel=1e-5)
    alone = "is significantly better than" in page.locator(".mt-answer").inner_text()
    assert alone is (systems[0]["rank_high"] == 1)
    page.wait_for_selector(".ytick text", state="attached")
    assert page.locator(".ytick text").all_text_contents() == [system["system"] for system in systems]
    fits(page)
    assert page.locator(".js-plotly-plot").bounding_box()["y"] < 500
    best, second = (system["system"] for system in systems)
    for open_row, k, name, other in ((click_on_a_dot, 1, second, best),
                                     (partial(click, key="leaderboard-table"), 1, second, best),
                                     (key_on_a_row, 0, best, second)):
        open_row(page, row=k)
        page.wait_for_selector("h1:has-text('Pair')")
        ready(page)
        assert page.locator(".mt-answer").first.inner_text().startswith(f"{name} and {other}: ")
        page.go_back()
        page.wait_for_selector("h1:has-text('Leaderboard')")
        ready(page)
        assert "/leaderboard" in page.url  # what was clicked is not remembered
    assert page.dialogs == [] and page.hosts == {"localhost"}
