"""Readers in real browsers: each in a window that knows nothing of the others."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import sys
import time
from urllib.parse import urlencode

from playwright.async_api import Error, async_playwright

from benchmarks.reader import PAGES
from pages._ui import catalogue

_PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_LONGEST = 600_000  # milliseconds
#: A page is there when its title is, nothing of the run before is left, and no run is under way.
_THERE = """title => [...document.querySelectorAll('h1')].some(h => h.innerText.includes(title))
    && document.querySelector('[data-testid="stApp"]').dataset.testScriptState === 'notRunning'
    && !document.querySelector('[data-stale="true"]')"""


def chromium() -> str | None:
    """The first Chromium of this machine; Playwright's own, if any, where there is none."""
    return next(filter(None, map(shutil.which, _PROGRAMS)), None)


async def browse(
    address: str, asks: list[dict[str, str]], until: float, think: float, windows: int
) -> list[dict]:
    """Open pages by their links at the side, in windows of one browser; the visits."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        done = await asyncio.gather(
            *(_read(browser, address, asks, until, think, seed) for seed in range(windows))
        )
        await browser.close()
    return [visit for visits in done for visit in visits]


async def _read(browser, address, asks, until, think, seed):
    draw = random.Random(seed)
    asked = draw.choice(asks)
    context = await browser.new_context(
        viewport={"width": 1280, "height": 720}, reduced_motion="reduce", bypass_csp=True
    )  # it evaluates text in the page to know when all is there
    window, visits = await context.new_page(), []
    await asyncio.sleep(draw.uniform(0, think))
    while time.monotonic() < until:
        page = draw.choice(
            [
                other
                for other in PAGES[1:]
                if not visits or visits[-1]["page"] != f"{other} (browser)"
            ]
        )
        begun, wrong, called = time.monotonic(), "", f"{page} (browser)"
        title = catalogue.PAGES[page].title
        try:
            if visits and not visits[-1]["wrong"]:
                section = catalogue.PAGES[page].section
                if section:
                    menus = window.locator(".st-key-menus")
                    await menus.get_by_role("button", name=section).click(timeout=_LONGEST)
                await window.get_by_role("link", name=title, exact=True).first.click(
                    timeout=_LONGEST
                )
            else:
                called = "any page (browser, with all that it loads first)"
                await window.goto(f"{address}/{page}?{urlencode(asked)}", timeout=_LONGEST)
            await window.wait_for_function(_THERE, arg=title, timeout=_LONGEST, polling=50)
            if await window.locator('[data-testid="stException"]').count():
                wrong = "an exception on the page"
            elif refusals := await window.locator(".mt-error").all_inner_texts():
                wrong = f"an error on the page: {refusals[0]}"[:200]
        except Error as problem:
            wrong = str(problem).splitlines()[0][:200]
        seconds = time.monotonic() - begun
        visits.append(
            {
                "page": called,
                "asked": str(asked),
                "seconds": seconds,
                "first": seconds,
                "wrong": wrong,
            }
        )
        await asyncio.sleep(draw.expovariate(1 / think))
    return visits


if __name__ == "__main__":
    address, asks, until, think, windows = sys.argv[1:]
    print(
        json.dumps(
            asyncio.run(browse(address, json.loads(asks), float(until), float(think), int(windows)))
        )
    )
