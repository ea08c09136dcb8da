"""How long a reader waits for the screen: one window of a real browser, and a server that has nothing else to do."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

from benchmarks import data
from benchmarks.browsers import chromium
from benchmarks.load import start, stop
from mtsig_core import TestSet

__all__ = ["screen"]

_PAGES = ("Leaderboard", "Significance", "Pair", "Bootstrap")
_ROUNDS = 5
_LONGEST = 120_000  # milliseconds
#: Sets window.waited to seconds from the next click, or from when the page was opened, until: its title and a picture
#: stand in the page; its run has ended, nothing of the run before is left, and the browser has painted.
_WATCH = """([title, opened]) => {
    const seen = window.waited = {}, app = () => document.querySelector('[data-testid="stApp"]');
    let begun = opened ? 0 : null, ran = opened;
    const look = () => {
        const heading = document.querySelector('[data-testid="stMain"] h1'), now = performance.now();
        ran = ran || app()?.dataset.testScriptState === 'running';
        const there = begun !== null && ran && heading?.textContent.includes(title);
        if (there && !seen.picture && document.querySelector('[data-testid="stMain"] .main-svg'))
            seen.picture = (now - begun) / 1000;
        if (there && seen.picture && app().dataset.testScriptState === 'notRunning'
                && !document.querySelector('[data-stale="true"]'))
            return setTimeout(() => { seen.all = (performance.now() - begun) / 1000; });
        requestAnimationFrame(look);
    };
    if (!opened)
        document.addEventListener('click', () => { begun = performance.now(); }, {capture: true, once: true});
    look();
}"""


def screen(testset: TestSet) -> None:
    """Print seconds: of the first picture of a server that has just started, of other pages, of a control's change."""
    with tempfile.TemporaryDirectory() as folder:
        asked = urlencode({"testset": data.write_task(testset, Path(folder) / "big")})
        address, server = start(1, folder, {"MTSIG_CACHE": str(Path(folder) / "cache")})
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
                context = browser.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=True)
                _measure(context.new_page(), f"{address}/leaderboard?{asked}")
                browser.close()
        finally:
            stop(server)


def _measure(window: Page, link: str) -> None:
    window.add_init_script(f"addEventListener('DOMContentLoaded', () => ({_WATCH})(['Leaderboard', true]))")
    window.goto(link, timeout=_LONGEST)
    _say("a server that has just started, its first page", [_waited(window)])
    _say("a new window of it", [_reloaded(window)])
    for name in _PAGES[1:]:
        _say(f"{name}, for the first time", [_opened(window, name)])
    rounds = [{name: _opened(window, name) for name in _PAGES} for _ in range(_ROUNDS)]
    for name in _PAGES:
        _say(f"{name}, again", [found[name] for found in rounds])
    _opened(window, "Leaderboard")
    corrections = ("bonferroni", "none", "holm")
    for how, names in (("computed", corrections), ("again", corrections * 2)):
        _say(f"another correction, {how}", [_chosen(window, "correction", name) for name in names], "all")


def _say(what: str, waits: list[dict[str, float]], *told: str) -> None:
    medians = (f"{key} {statistics.median(found[key] for found in waits):5.2f} s" for key in told or ("picture", "all"))
    print(f"{what:<50} {', '.join(medians):>30}", flush=True)


def _waited(window: Page) -> dict[str, float]:
    window.wait_for_function("() => window.waited?.all", timeout=_LONGEST, polling=100)
    found: dict[str, float] = window.evaluate("window.waited")
    window.wait_for_timeout(1500)  # as a reader would, before what follows
    return found


def _reloaded(window: Page) -> dict[str, float]:
    window.reload(timeout=_LONGEST)
    return _waited(window)


def _opened(window: Page, name: str) -> dict[str, float]:
    window.evaluate(_WATCH, [name, False])
    window.get_by_role("link", name=name, exact=True).first.click(no_wait_after=True)
    return _waited(window)


def _chosen(window: Page, key: str, name: str) -> dict[str, float]:
    field = window.locator(f".st-key-{key} input").first
    field.click()
    field.fill(name)
    option = window.get_by_role("option", name=name, exact=True).first
    option.wait_for()
    window.evaluate(_WATCH, ["", False])
    option.click(no_wait_after=True)
    return _waited(window)
