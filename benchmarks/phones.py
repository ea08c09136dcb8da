"""A room that votes: phones that look at the stage and vote, while its lecturer goes on."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from typing import Any
from urllib.parse import urlencode

import httpx
import numpy as np
from playwright.async_api import Locator, Page, async_playwright

from benchmarks.browsers import chromium
from benchmarks.load import seconds_of_cores, start, stop

_PAUSE = 2.0  # seconds between two looks of a phone, as in assets/vote/phone.js
_EACH = 10.0  # seconds between two votes of a phone: more than anybody votes
_STEPS = 20
_KEY = "key => dispatchEvent(new KeyboardEvent('keydown', {key}))"


def phones(n: int, workers: int, seconds: float) -> None:
    """Print how long a look, a vote and a step of the stage take, and the share of a core."""
    with tempfile.TemporaryDirectory() as folder:
        address, server = start(workers, folder)
        try:
            asyncio.run(_lecture(address, server.pid, n, seconds))
        finally:
            stop(server)


async def _lecture(address: str, pid: int, n: int, seconds: float) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        page = await browser.new_page(reduced_motion="reduce")
        await page.goto(f"{address}/lecture?{urlencode({'scene': 'bootstrap'})}")
        stage = page.locator(".stage")
        await page.get_by_role("button", name="Vote by phone").click()
        code = int((await stage.locator(".join .big").first.inner_text()).replace(" ", ""))
        await page.keyboard.press("p")
        spent, began = seconds_of_cores(pid), time.monotonic()
        room = asyncio.create_task(_fill(address, code, n, seconds))
        await asyncio.sleep(seconds / 2)
        print(f"votes on the stage: {await stage.locator('.tally .big').inner_text()}")
        looks, votes = await room
        share = (seconds_of_cores(pid) - spent) / (time.monotonic() - began)
        _say("look", looks)
        _say("vote", votes)
        print(f"share of a core: {share:.1%}")
        room = asyncio.create_task(_fill(address, code, n, _STEPS * 1.5))
        _say("step", await _step(page, stage))
        await room
        await browser.close()


async def _fill(address: str, code: int, n: int, seconds: float) -> tuple[list[float], list[float]]:
    looks: list[float] = []
    votes: list[float] = []
    until = time.monotonic() + seconds
    async with httpx.AsyncClient(base_url=address, limits=httpx.Limits(max_connections=n)) as http:

        async def tell(waits: list[float], **message: object) -> dict[str, Any]:
            began = time.monotonic()
            answer = await http.post("/_mtsig/room", json={"code": code, **message})
            waits.append(time.monotonic() - began)
            shown: dict[str, Any] = answer.json()
            return shown

        async def phone(number: int) -> None:
            me = f"{number:032x}"
            await asyncio.sleep(random.uniform(0, _PAUSE))
            voted = time.monotonic() - random.uniform(0, _EACH)
            while time.monotonic() < until:
                shown = await tell(looks, phone=me)
                if shown["phase"] == "open" and time.monotonic() > voted + _EACH:
                    voted = time.monotonic()
                    values = [random.randint(0, 12)]
                    await tell(votes, phone=me, place=shown["place"], values=values)
                await asyncio.sleep(_PAUSE)

        await asyncio.gather(*map(phone, range(n)))
    return looks, votes


async def _step(page: Page, stage: Locator) -> list[float]:
    """Take steps on the stage; seconds until each is in the address, that is, Python has it."""
    for _ in range(2):
        await page.evaluate(_KEY, "n")  # without a guess
    await stage.get_by_text("1 of 1,000").wait_for()
    waits = []
    for step in range(2, _STEPS + 2):
        await asyncio.sleep(1)
        began = time.monotonic()
        await page.evaluate(_KEY, "1")
        await page.wait_for_url(f"**step={step}**")
        waits.append(time.monotonic() - began)
    return waits


def _say(what: str, waits: list[float]) -> None:
    half, most, worst = np.quantile(waits, [0.5, 0.95, 1.0])
    print(f"{what}: {len(waits)}, half within {half:.3f} s, 95% within {most:.3f} s, {worst:.3f} s")
