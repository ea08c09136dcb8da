"""A real server and a real Chromium."""

import json
import shutil
import sys
import time
from argparse import ArgumentParser
from contextlib import ExitStack, closing, contextmanager, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Error, Page, TimeoutError, expect, sync_playwright

from mtsig_core.cli.main import main
from mtsig_core.cli.options import add_source_options, source_from
from pages._store.database import open_database
from pages._store.kept_sets import SetStore
from pages._ui.catalogue import PAGES
from tests.browser.held import Held
from tests.builders.processes import LIMIT, started
from tests.builders.streamlit_parts import runs_on_the_wire

#: Titles of the pages on a test set, by name.
TITLES = {name: page.title for name, page in PAGES.items() if page.opens == "testset"}
#: Milliseconds after which a list that should be open is opened again, or a click that was lost is
#: made again.
LIST = 6_000
#: Milliseconds between two looks at a page: Playwright's own way is one for each frame, and makes
#: the browser draw it.
POLL = 50
#: Headless alone first: it draws no windows around the pages, which spares a sixth of the time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
#: Where the middle of an element is on screen, also of one that was taken away a moment ago: a
#: figure is drawn anew.
MIDDLE = "e => { const box = e.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2] }"
PROJECTOR = {"viewport": {"width": 1280, "height": 720}, "reduced_motion": "reduce"}
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",
    "--js-flags=--no-opt",
]  # no page lives as long as V8's last compiler needs to pay: an eighth of the time


RUNS = Path(__file__).with_name("runs.js").read_text()


def _wait_for_function(page, expression, *, arg=None, timeout=LIMIT, polling=POLL):
    """Wait until an expression holds.

    Playwright's own has the page evaluate text, as its security policy forbids; what it is asked
    from outside it may.
    """
    until = time.monotonic() + timeout / 1000
    while time.monotonic() < until:
        try:
            if page.evaluate(expression, arg):
                return
        except Error as error:
            if (
                "Execution context was destroyed" not in error.message
            ):  # as another page is being opened
                raise
        page.wait_for_timeout(polling)
    raise TimeoutError(f"never true: {expression}")


Page.wait_for_function = _wait_for_function


@contextmanager
def server(*args, **environment):
    """Start the dashboard through the command line; gives its address, and ends it afterwards."""
    command = (sys.executable, "-m", "mtsig_core", "serve", *args, "--no-browser")
    with started(*command, port="--port", **environment) as address:
        yield address


def printed(command, *options):
    """What the command line prints, read as JSON."""
    with redirect_stdout(TextIOWrapper(BytesIO())) as out:
        assert main([*command.split(), *map(str, options), "--format", "json"]) == 0
        out.seek(0)
        return json.load(out)


@pytest.fixture(scope="session")
def root(tmp_path_factory):
    """A folder of shared tasks that the shared dashboard offers; tests may add theirs."""
    return tmp_path_factory.mktemp("root")


@pytest.fixture(scope="session")
def dashboard(root, tmp_path_factory):
    """The dashboard that the tests share, started on nothing; a test may hold its work."""
    folder = tmp_path_factory.mktemp("held")
    command = (sys.executable, "-m", "tests.browser.held", folder, "--server.headless", "true")
    with started(*command, port="--server.port", MTSIG_DATA_ROOT=str(root)) as address:
        yield Held(address, folder)


@pytest.fixture(scope="session")
def shared(dashboard):
    """Its address."""
    return dashboard.address


@pytest.fixture(scope="session")
def elsewhere():
    """The address of another dashboard on the same database, as the command line starts it."""
    with server() as address:
        yield address


@pytest.fixture(scope="session")
def at(shared):
    """Give the address of a page: on a test set, by its options on the command line, and with what
    is asked of it.
    """
    links = {}

    def address(path="", options=(), **asked):
        given = tuple(map(str, options))
        if given and given not in links:
            with closing(open_database()) as database:  # as if it had been uploaded
                source = _source(given)
                link = SetStore(database).keep(source.read(), "the tests", source)
                links[given] = f"~{link}"
        asked = {**({"testset": links[given]} if given else {}), **asked}
        return f"{shared}/{path}" + (f"?{urlencode(asked)}" if asked else "")

    return address


def _source(options):
    parser = ArgumentParser()
    add_source_options(parser)
    return source_from(parser.parse_args(options))


@pytest.fixture(scope="session")
def window(tmp_path_factory):
    """What most pages share: in one that keeps what it has read and compiled, a page opens in half
    the time. It keeps that as long as any page of the site is open, so one always is.
    """
    expect.set_options(timeout=LIMIT)
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=path, args=QUIET, **PROJECTOR
        )
        keeper = context.new_page()
        keeper.route("**", lambda route: route.fulfill(body=""))
        keeper.goto("http://localhost")
        yield _patient(context)
        context.close()


@pytest.fixture
def another_window(window):
    """Open windows that know nothing of each other or of `page`, with Playwright's options for a
    context.
    """
    with ExitStack() as windows:
        yield lambda **options: windows.enter_context(opened(window, **options))


def opened(window, **options):
    """A window of its own, with Playwright's options for a context."""
    return _patient(window.browser.new_context(**{**PROJECTOR, **options}))


def _patient(context):
    """The context, whose pages know of each run of the script that they ask for, and wait as long
    as a busy machine may need.
    """
    context.set_default_timeout(LIMIT)
    context.add_init_script("({})({}, {}, {}, {})".format(RUNS, *runs_on_the_wire()))
    return context


@pytest.fixture
def page(window):
    """A page at projector size that remembers what it asked for, and any dialog; it knows of no
    page before.
    """
    page = window.new_page()
    yield watched(page)
    page.close()
    window.clear_cookies()


def watched(page):
    """The page, which remembers from now on the hosts it asks, its dialogs, and the errors in its
    console.
    """
    page.hosts, page.dialogs, page.problems = set(), [], []
    page.on(
        "request",
        lambda request: (
            page.hosts.add(request.url.split("/")[2].split(":")[0])
            if request.url.startswith("http")
            else None
        ),
    )
    page.on("dialog", lambda dialog: (page.dialogs.append(dialog.message), dialog.dismiss()))
    # A link to a page first looks for the server below the page's own path, and is told 404; and a
    # button looks whether its file is there once it is drawn, which may have been replaced by then.
    # Both are Streamlit's way; that files can be saved is tested by saving them.
    page.on(
        "console",
        lambda said: (
            page.problems.append(f"{said.text} {said.location['url']}")
            if said.type == "error"
            and not any(
                part in f"{said.location['url']} {said.text}"
                for part in ("/_stcore/", "/media/", "Download Button source error")
            )
            else None
        ),
    )
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    return page


def settled(page):
    """Wait until all that was asked of the script is answered, nothing is stale, and every figure
    is drawn.
    """
    page.wait_for_function("mtsigSettled()", polling=POLL)


def ready(page):
    """Wait until the page is there and settled; work that the page waits for is done then."""
    page.wait_for_selector("h1")
    settled(page)


def follow(page, name):
    """Open another page by its link in the menus."""
    (section,) = (row.section for row in PAGES.values() if row.title == name)
    if section:
        page.locator(".st-key-menus").get_by_role("button", name=section).click()
    menus = page.locator(".st-key-menus, [data-testid=stPopoverBody]")
    menus.get_by_role("link", name=name, exact=True).click()
    page.wait_for_selector(f"h1:has-text('{name}')")


def open_tab(page, name):
    """Open a tab of the page by its name, or its beginning."""
    page.get_by_role("tab", name=name).first.click()
    settled(page)


#: What a field of several holds; nothing of a field of one, whose list still has what it holds.
CHOSEN = """field => field.closest('[data-testid="stMultiSelect"]')?.querySelector('[aria-label="Selected values"]')
    ?.textContent ?? ''"""


def choose(page, field, name):
    """Pick what has this name from the list of a field.

    The list closes when something moves below it: then again.
    """
    field.scroll_into_view_if_needed()
    option = page.get_by_role("option", name=name, exact=True).first
    for _ in range(LIMIT // LIST):
        field.fill("")
        field.fill(name)
        try:
            return option.click(timeout=LIST)
        except TimeoutError:
            page.keyboard.press("Escape")
            if name in field.evaluate(CHOSEN):  # the click was late, and has worked
                return None
    raise TimeoutError(f"the list never showed {name}")


def click_point(page, key, point):
    """Click a point of the figure of this key, once the figure has seen that the mouse is there.

    What moves under the mouse at that moment is not clicked: then again.
    """
    for _ in range(LIMIT // LIST):
        settled(page)
        point.scroll_into_view_if_needed()
        (x, y), asks = point.evaluate(MIDDLE), page.evaluate("mtsigAsks()")
        page.mouse.move(x - 2, y - 2)
        page.mouse.move(x, y)
        try:
            page.wait_for_selector(f".st-key-{key} .hoverlayer .hovertext", timeout=LIST)
            page.mouse.click(x, y)
            return page.wait_for_function(f"mtsigAsks() > {asks}", timeout=LIST, polling=POLL)
        except TimeoutError:
            page.mouse.move(0, 0)
    raise TimeoutError(f"the figure {key} never took the click")


def fits(page):
    """Nothing is wider than the page or its parts."""
    for wide in (
        "document.documentElement",
        "document.querySelector('[data-testid=\"stMain\"]')",
        "document.querySelector('[data-testid=\"stSidebarContent\"]')",
    ):
        assert page.evaluate(f"{wide}.scrollWidth <= {wide}.clientWidth"), wide


def cut_in_figures(page):
    """What is written in the figures of a page and cut by their frames; caveats are only in saved
    pictures.
    """
    return [
        text
        for figure in page.locator(".js-plotly-plot").all()
        for text in figure.evaluate("""figure => {
        const frame = figure.querySelector('.main-svg').getBoundingClientRect();
        return [...figure.querySelectorAll('.annotation-text, .xtick text, .ytick text, .bartext')].filter(text => {
            const box = text.getBoundingClientRect(), note = text.closest('.annotation');
            if (note && getComputedStyle(note).display === 'none') return false;
            return !box.width || box.left < frame.left - 1 || box.right > frame.right + 1;
        }).map(text => text.textContent);}""")
    ]
