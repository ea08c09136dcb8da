"""Take a picture of every page: ``python docs/screenshots.py``.

Needs the packages of the extra ``test``.

Each page is taken in light and dark, large and as large as a projector shows it, on the simulated
corpus or on the test set that further options name: ``python docs/screenshots.py --folder wmt24
--langpair en-de``.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    "summary",
    "pairs",
    "pair",
    "segments",
    "metrics",
    "results",
    "lecture",
    "sampling",
    "bootstrap",
    "size",
    "trust",
    "inside",
    "papers",
    "methods",
    "upload",
)
BROWSERS = ("chromium-headless-shell", "chromium")
README = {"summary": ("summary", "projector"), "summary-dark": ("summary", "projector-dark")}
LOOKS = {
    "light": ("light", 1440, 1000),
    "dark": ("dark", 1440, 1000),
    "projector": ("light", 1280, 720),
    "projector-dark": ("dark", 1280, 720),
}
PATIENCE = 180_000  # ms; the simulated corpus is counted and tested in seconds, not at once
BUSY = '[data-stale="true"], [class*="st-key-background-cancel"], [data-testid="stSkeleton"]'


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--to", type=Path, default=ROOT / "screenshots", metavar="DIR")
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=PAGES, metavar="PAGE")
    parser.add_argument(
        "--readme", action="store_true", help="write the pictures of the README instead: docs/*.png"
    )
    options, source = parser.parse_known_args()
    source = source or (["--demo-segments", "600"] if options.readme else ["--demo"])
    if options.readme:
        wanted = [
            (page, look, ROOT / "docs" / f"{name}.png") for name, (page, look) in README.items()
        ]
    else:
        options.to.mkdir(parents=True, exist_ok=True)
        wanted = [
            (page, look, options.to / f"{page}-{look}.png")
            for page in options.pages
            for look in LOOKS
        ]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "mtsig_core", "serve", *source, "--port", str(port), "--no-browser"],
        cwd=ROOT,
        env={**os.environ, "MTSIG_DATA_ROOT": ""},
    )
    try:
        wait_for(f"http://localhost:{port}/_stcore/health")
        take(f"http://localhost:{port}", wanted)
    finally:
        server.terminate()
        server.wait(10)


def wait_for(address, seconds=120):
    end = time.monotonic() + seconds
    while True:
        try:
            return urllib.request.urlopen(address, timeout=10)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.3)


def take(address, wanted):
    with sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, BROWSERS)), None)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for page, look, path in wanted:
            scheme, width, height = LOOKS[look]
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, bypass_csp=True
            )  # it evaluates text in the page to know when all is drawn
            tab = context.new_page()
            tab.goto(f"{address}/{'' if page == 'summary' else page}?questions=off")
            finished(tab)
            tab.screenshot(path=path)
            print(path)
            context.close()
        browser.close()


def finished(tab):
    """Wait until the whole page is there: twice nothing runs, and every figure is drawn."""
    tab.wait_for_selector("h1", timeout=PATIENCE)
    for _ in range(2):
        tab.wait_for_timeout(900)
        tab.wait_for_selector(
            '[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=PATIENCE
        )
        tab.wait_for_function("busy => !document.querySelector(busy)", arg=BUSY, timeout=PATIENCE)
        tab.wait_for_function(
            """[...document.querySelectorAll('[data-testid="stPlotlyChart"]')]
                                 .every(figure => figure.querySelector('.main-svg'))""",
            timeout=PATIENCE,
        )


if __name__ == "__main__":
    main()
