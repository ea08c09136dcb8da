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
from playwright.sync_api import expect, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

CHECKOUT = Path(__file__).resolve().parents[2]
#: The first is the overview.
PAGES = ("", "data", "leaderboard", "significance", "pair", "bootstrap", "sampling", "sweeps", "validation",
         "metrics", "segments", "methods")
#: Milliseconds that anything may take: a test never counts on speed, so this is for what never comes at all.
LIMIT = 120_000
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]


def _number(message, field):
    return message.DESCRIPTOR.fields_by_name[field].number


#: What Streamlit's messages of a run are called on the wire, for the script that watches for them.
RUNS = (Path(__file__).with_name("runs.js").read_text(), _number(BackMsg, "rerun_script"),
        _number(ForwardMsg, "new_session"), _number(ForwardMsg, "script_finished"), ForwardMsg.FINISHED_EARLY_FOR_RERUN)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def server(*args):
    """Start the dashboard through the command line; gives its address, and ends it afterwards."""
    with started("mtsig_core", "serve", *args, "--no-browser", port="--port") as address:
        yield address


@contextmanager
def started(*command, port, **environment):
    """Run a module that serves the dashboard; `port` is what its option for it is called."""
    number = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", *map(str, command), port, str(number)], cwd=CHECKOUT,
        env={**os.environ, "MTSIG_DATA_ROOT": "", **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://localhost:{number}"
    try:
        _wait_for(f"{address}/_stcore/health", process)
        yield address
    finally:
        process.terminate()
        process.wait(LIMIT / 1000)


def _wait_for(address, process):
    until = time.monotonic() + LIMIT / 1000
    while time.monotonic() < until:
        try:
            return urllib.request.urlopen(address, timeout=1)
        except OSError:
            if process.poll() is not None:
                raise RuntimeError(f"the server ended with status {process.returncode}") from None
            time.sleep(0.1)
    raise RuntimeError("the server did not start")


@pytest.fixture(scope="session")
def serve():
    """Start the dashboard, once for the same options; gives its address."""
    with ExitStack() as running:
        yield functools.cache(lambda *args: running.enter_context(server(*args)))


@pytest.fixture(scope="session")
def chromium():
    """Its contexts know of each run of the script that they ask for, and wait as long as a busy machine may need."""
    expect.set_options(timeout=LIMIT)
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        opened = browser.new_context

        def new_context(**options):
            context = opened(**{"viewport": {"width": 1280, "height": 720}, "reduced_motion": "reduce", **options})
            context.set_default_timeout(LIMIT)
            context.add_init_script("({})({}, {}, {}, {})".format(*RUNS))
            return context

        browser.new_context = new_context
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def window(chromium):
    """What most pages share: a window each, with all scripts of the dashboard read anew, takes seconds."""
    context = chromium.new_context()
    yield context
    context.close()


@pytest.fixture
def page(window):
    """A page at projector size that remembers what it asked for, and any dialog; it knows of no page before."""
    page = window.new_page()
    yield watched(page)
    page.close()
    window.clear_cookies()


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
    """Wait until all that was asked of the script is answered, nothing is stale, and every figure is drawn."""
    page.wait_for_function("mtsigSettled()")


def ready(page):
    """Wait until the page is there and settled; work that the page waits for is done then."""
    page.wait_for_selector("h1")
    settled(page)


def click_point(page, key, point):
    """Click a point of the figure of this key, once the figure has seen that the mouse is there."""
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x - 2, y - 2)
    page.mouse.move(x, y)
    page.wait_for_selector(f".st-key-{key} .hoverlayer .hovertext")
    page.mouse.click(x, y)
