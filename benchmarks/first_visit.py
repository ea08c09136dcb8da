"""What a first visit moves and how long it takes: a browser that knows nothing, over a slow line."""

from __future__ import annotations

import statistics
import tempfile

from benchmarks.load import start, stop
from benchmarks.window import new_window

_PAGES = ("", "pairs", *(f"{page}?questions=off" for page in ("sampling", "size", "trust")))
_ROUNDS = 3
_MEGABITS, _LATENCY = 10, 40  # of a shared line: Mbit/s, and milliseconds until an answer begins
#: Sets window.seen to milliseconds until the first text of mtsig is painted, the page's heading, and
#: its first figure.
_WATCH = """
const seen = window.seen = {}, texts = {
    text: '#welcome, [data-testid="stMain"] :is(h1, h2)',
    heading: '[data-testid="stMain"] :is(h1, h2)',
    figure: '[data-testid="stMain"] .main-svg',
};
const look = () => {
    for (const [name, selector] of Object.entries(texts))
        if (!seen[name] && document.querySelector(selector)?.checkVisibility())
            setTimeout(() => { seen[name] ??= performance.now(); });  // after it is painted
    requestAnimationFrame(look);
};
look();
"""
_BYTES = """['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind))
    .reduce((sum, entry) => sum + entry.transferSize, 0)"""


def first_visit() -> None:
    """Print, for some pages of the demonstration, megabytes and seconds of a first visit."""
    print(f"{_MEGABITS} Mbit/s, {_LATENCY} ms; median of {_ROUNDS}; seconds until")
    print("page             MB   first text   heading   figure")
    with tempfile.TemporaryDirectory() as cache:
        address, server = start(1, "", {"MTSIG_CACHE": cache})
        try:
            for page in _PAGES:
                visits = [_visit(f"{address}/{page}") for _ in range(_ROUNDS)]
                megabytes, text, heading, figure = map(statistics.median, zip(*visits, strict=True))
                print(
                    f"/{page:<12} {megabytes:5.2f} {text:12.2f} {heading:9.2f} {figure:8.2f}",
                    flush=True,
                )
        finally:
            stop(server)


def _visit(link: str) -> tuple[float, float, float, float]:
    """Megabytes that a new browser gets, and seconds until text, heading and figure."""
    with new_window() as window:
        window.ask("Network.enable")
        window.ask(
            "Network.emulateNetworkConditions",
            offline=False,
            latency=_LATENCY,
            downloadThroughput=_MEGABITS * 125_000,
            uploadThroughput=_MEGABITS * 125_000,
        )
        window.ask("Page.enable")
        window.ask("Page.addScriptToEvaluateOnNewDocument", source=_WATCH)
        window.ask("Page.navigate", url=link)
        seen = window.wait("window.seen?.figure && window.seen")
        size = window.value(_BYTES)
    return size / 1e6, seen["text"] / 1000, seen["heading"] / 1000, seen["figure"] / 1000
