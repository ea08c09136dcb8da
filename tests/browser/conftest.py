"""A real server and a real Chromium."""

import functools
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

CHECKOUT = Path(__file__).resolve().parents[2]
#: The first is the overview.
PAGES = ("", "data", "leaderboard", "significance", "pair", "bootstrap", "sampling", "sweeps", "validation",
         "metrics", "segments", "methods")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def server(*args):
    """Start the dashboard through the command line; gives its address, and ends it afterwards."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "mtsig_core", "serve", *map(str, args), "--port", str(port), "--no-browser"],
        cwd=CHECKOUT, env={**os.environ, "MTSIG_DATA_ROOT": ""}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://localhost:{port}"
    try:
        _wait_for(f"{address}/_stcore/health", process)
        yield address
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(address, process):
    for _ in range(120):
        try:
            return urllib.request.urlopen(address, timeout=1)
        except OSError:
            if process.poll() is not None:
                raise RuntimeError(f"the server ended with status {process.returncode}") from None
            time.sleep(0.25)
    raise RuntimeError("the server did not start within 30 s")


@pytest.fixture(scope="session")
def serve():
    """Start the dashboard, once for the same options; gives its address."""
    with ExitStack() as started:
        yield functools.cache(lambda *args: started.enter_context(server(*args)))


@pytest.fixture(scope="session")
def chromium():
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium):
    """A page at projector size that remembers what it asked for, and any dialog."""
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    yield watched(context.new_page())
    context.close()


def watched(page):
    """The page, which remembers from now on the hosts it asks, its dialogs, and the errors in its console."""
    page.hosts, page.dialogs, page.problems = set(), [], []
    page.on("request", lambda request: page.hosts.add(request.url.split("/")[2].split(":")[0])
            if request.url.startswith("http") else None)
    page.on("dialog", lambda dialog: (page.dialogs.append(dialog.message), dialog.dismiss()))
    # A link to a page first looks for the server below the page's own path, and is told 404: Streamlit's way.
    page.on("console", lambda said: page.problems.append(f"{said.text} {said.location['url']}")
            if said.type == "error" and "/_stcore/" not in said.location["url"] else None)
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    return page


def settled(page):
    """Wait until the script has ended, nothing on the page is stale, and every figure is drawn."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=60_000)
    page.wait_for_function("!document.querySelector('[data-stale=\"true\"]')", timeout=60_000)
    page.wait_for_timeout(300)
    page.wait_for_function("""[...document.querySelectorAll('[data-testid="stPlotlyChart"]')]
                              .every(figure => figure.querySelector('.main-svg'))""", timeout=60_000)


def ready(page):
    """Wait until the page is settled and no work goes on behind it, nor begins."""
    page.wait_for_selector("h1", timeout=60_000)
    for _ in range(2):
        settled(page)
        page.wait_for_function("!document.querySelector('.st-key-background-cancel')", timeout=60_000)
    settled(page)
