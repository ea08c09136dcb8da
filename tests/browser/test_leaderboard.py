"""The Leaderboard in a real browser, as `serve` opens it."""

import json
import subprocess
import sys

import pytest

from tests.browser.conftest import CHECKOUT, click_point, ready, settled
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


def test_shows_what_the_command_line_prints(serve, page, options):
    done = subprocess.run([sys.executable, "-m", "mtsig_core", "compare", *map(str, options), "--format", "json"],
                          cwd=CHECKOUT, capture_output=True, check=True)
    systems = json.loads(done.stdout)["metrics"]["bleu"]["systems"]
    page.goto(f"{serve(*options)}/leaderboard")
    settled(page)
    for (rank, name, score, low, *_), system in zip(cells(page, "leaderboard-table")[1:], systems, strict=True):
        assert name == system["system"] and int(rank) == system["rank_low"]
        assert float(score) == pytest.approx(system["score"], rel=1e-5)
        assert float(low) == pytest.approx(system["ci_low"], rel=1e-5)
    assert "is ahead of all others" in page.locator(".mt-answer").inner_text()
    page.wait_for_selector(".ytick text", state="attached")
    ticks = page.locator(".ytick text").all_text_contents()
    assert ticks == [system["system"] for system in systems]
    assert page.dialogs == [] and page.hosts == {"localhost"}


def test_a_view_is_a_link(serve, page, options):
    address = serve(*options)
    page.goto(f"{address}/leaderboard?test=bootstrap&seed=7")
    settled(page)
    status = page.locator(".mt-status").first.inner_text()
    assert "bootstrap, signed shift (bootstrap)" in status and "seed 7" in status
    page.get_by_text("More settings").click()
    seed = page.locator(".st-key-seed input")
    seed.fill("8")
    seed.press("Enter")
    page.wait_for_function("location.search.includes('seed=8')")
    settled(page)
    assert "seed 8" in page.locator(".mt-status").first.inner_text()


def click_on_a_dot(page, k):
    click_point(page, "leaderboard-forest", page.locator(".st-key-leaderboard-forest .point").nth(k))


def key_on_a_row(page, k):
    click(page, "leaderboard-table", k, x=120)  # a cell alone opens nothing
    page.keyboard.press("Shift+Space")


@pytest.mark.parametrize("open_row", [click_on_a_dot, lambda page, k: click(page, "leaderboard-table", k),
                                      key_on_a_row], ids=["dot", "box", "keyboard"])
def test_opens_the_pair_with_the_best_and_comes_back(serve, page, options, open_row):
    page.goto(f"{serve(*options)}/leaderboard")
    ready(page)
    best, second = (row[1] for row in cells(page, "leaderboard-table")[1:])
    for k, name, other in ((1, second, best), (0, best, second)):
        open_row(page, k)
        page.wait_for_selector("h1:has-text('Pair')")
        ready(page)
        assert page.locator(".mt-answer").first.inner_text().startswith(f"{name} and {other}: ")
        page.go_back()
        page.wait_for_selector("h1:has-text('Leaderboard')")
        ready(page)
        assert "/leaderboard" in page.url  # what was clicked is not remembered
    assert page.dialogs == [] and page.hosts == {"localhost"}


def test_fits_a_projector(serve, page, options):
    page.goto(f"{serve(*options)}/leaderboard")
    settled(page)
    main = page.locator('[data-testid="stMain"]')
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator(".js-plotly-plot").bounding_box()["y"] < 500
