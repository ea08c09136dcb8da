"""How long a reader waits for the screen: one window of a real browser, and a server that has
nothing else to do.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

from benchmarks import data
from benchmarks.load import start, stop
from benchmarks.window import Window, new_window
from mtsig_core import TestSet
from mtsig_core.stats.settings import SETTINGS
from pages._ui.catalogue import PAGES

_PAGES = ("Summary", "All pairs", "One pair", "Bootstrap")
_ROUNDS = 5
_TRIES = 20
_SLOW = 20  # Mbit/s, with 20 ms until an answer begins: a share of a lecture hall's network
_PAUSE = 1.5  # seconds that a reader looks at what is there
#: Sets window.waited to seconds from the next click, or from when the page was opened, until: its
#: title and a picture stand in the page; its run has ended, nothing of the run before is left, and
#: the browser has painted.
_WATCH = """([title, opened]) => {
    const seen = window.waited = {}, app = () => document.querySelector('[data-testid="stApp"]');
    let begun = opened ? 0 : null, ran = opened;
    if (!opened)  // a short run may begin and end between two looks
        new MutationObserver((_, observer) => { if (begun !== null) { ran = true; observer.disconnect(); } }).observe(
            document.querySelector('[data-testid="stMain"]'), {childList: true, subtree: true, characterData: true});
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
#: The least page that has a title and a picture.
_LEAST = """import plotly.graph_objects as go
import streamlit as st

st.title("Summary")
st.plotly_chart(go.Figure(go.Scatter(y=[1, 3, 2])))
"""


def screen(testset: TestSet) -> None:
    """Print seconds: of the first picture of a server that has just started, of other pages, of a
    control's change.
    """
    with tempfile.TemporaryDirectory() as folder:
        _compare_with_streamlit(folder)
        asked = urlencode({"testset": data.write_task(testset, Path(folder) / "big")})
        settings = {"MTSIG_CACHE": str(Path(folder) / "cache")}
        address, server = start(1, folder, settings)
        link = f"{address}/summary?{asked}"
        try:
            with new_window() as window:
                _say("a server that has just started, in a new browser", [_visited(window, link)])
                _say(
                    "a new window of that browser", [_visited(window, link) for _ in range(_ROUNDS)]
                )
                _measure(window)
                started_again = []
                for _ in range(_ROUNDS):
                    stop(server)
                    _, server = start(1, folder, settings, int(address.rsplit(":", 1)[1]))
                    started_again.append(_visited(window, link))
                _say("a server started again, in a browser that knew it", started_again)
            _say("a new browser", [_first(link) for _ in range(_ROUNDS)])
            _say(
                f"a new browser over a line of {_SLOW} Mbit/s",
                [_first(link, _SLOW) for _ in range(_ROUNDS)],
            )
        finally:
            stop(server)


def _compare_with_streamlit(folder: str) -> None:
    """Print how long the demonstration takes, and the least page that has a title and a picture."""
    app = Path(folder) / "least.py"
    app.write_text(_LEAST)
    plain = {"served": ("streamlit", "run", str(app), "--server.headless", "true", "--server.port")}
    for what, how in (("one picture in plain Streamlit", plain), ("the demonstration", {})):
        address, server = start(1, "", {"MTSIG_CACHE": str(Path(folder) / "first")}, **how)
        try:
            _say(f"{what}, just started", [_first(address)])
            _say(f"{what}, in a new browser", [_first(address) for _ in range(_ROUNDS)])
        finally:
            stop(server)


def _first(link: str, megabits: float = 0) -> dict[str, float]:
    """In a new browser, over a line of so many megabits a second where that is told."""
    with new_window() as window:
        if megabits:
            window.ask("Network.enable")
            window.ask(
                "Network.emulateNetworkConditions",
                offline=False,
                latency=20,
                downloadThroughput=megabits * 125_000,
                uploadThroughput=megabits * 125_000,
            )
        return _visited(window, link)


def _measure(window: Window) -> None:
    for name in _PAGES[1:]:
        _say(f"{name}, for the first time", [_opened(window, name)])
    rounds = [{name: _opened(window, name) for name in _PAGES} for _ in range(_ROUNDS)]
    for name in _PAGES:
        _say(f"{name}, again", [found[name] for found in rounds])
    _opened(window, "Summary")
    for key, names in (
        ("correction", ("bonferroni", "none", "holm")),
        ("test", ("bootstrap", "percentile", "ar")),
    ):
        for how, asked in (("for the first time", names), ("again", names * 2)):
            waits = [_chosen(window, key, SETTINGS[key].name_value(name)) for name in asked]
            _say(f"another {key}, {how}", waits, "all")


def _say(what: str, waits: list[dict[str, float]], *told: str) -> None:
    medians = (
        f"{key} {statistics.median(found[key] for found in waits):5.2f} s"
        for key in told or ("picture", "all")
    )
    print(f"{what:<50} {', '.join(medians):>30}", flush=True)


def _waited(window: Window) -> dict[str, float]:
    found: dict[str, float] = window.wait("window.waited?.all && window.waited")
    time.sleep(_PAUSE)
    return found


def _visited(window: Window, link: str) -> dict[str, float]:
    window.ask("Page.enable")
    said = window.ask(
        "Page.addScriptToEvaluateOnNewDocument",
        source=f"addEventListener('DOMContentLoaded', () => ({_WATCH})(['Summary', true]))",
    )
    window.ask("Page.navigate", url=link)
    found = _waited(window)
    window.ask("Page.removeScriptToEvaluateOnNewDocument", **said)
    return found


def _opened(window: Window, name: str) -> dict[str, float]:
    (section,) = (page.section for page in PAGES.values() if page.title == name)
    window.value(f"{_with_text('.st-key-menus button p', section)}.click()")
    link = _with_text('[data-testid="stPopoverBody"] a', name)
    window.wait(f"!!{link}")
    window.value(f"({_WATCH})({json.dumps([name, False])})")
    window.value(f"{link}.click()")
    return _waited(window)


def _chosen(window: Window, key: str, name: str) -> dict[str, float]:
    """After another choice of a setting, which is under Change."""
    if not window.value(f"!!document.querySelector('.st-key-{key} input')"):
        window.value("document.querySelector('.st-key-settings-box button').click()")
        window.wait(f"!!document.querySelector('.st-key-{key} input')")
    field, option = (
        f"document.querySelector('.st-key-{key} input')",
        _with_text('[role="option"]', name),
    )
    for _ in range(_TRIES):  # a field may not listen yet
        window.value(f"{field}.blur(), {field}.focus(), {field}.select()")
        window.ask("Input.insertText", text=name)
        time.sleep(_PAUSE / 5)
        if window.value(f"!!{option}"):
            break
    window.value(f"({_WATCH})(['', false])")
    window.value(f"{option}.click()")
    return _waited(window)


def _with_text(selector: str, text: str) -> str:
    """An expression for the first element that says this."""
    all_such = f"[...document.querySelectorAll({json.dumps(selector)})]"
    return f"{all_such}.find(it => it.innerText.trim().split(String.fromCharCode(10)).pop() === {json.dumps(text)})"
