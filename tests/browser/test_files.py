"""Files of a figure: its picture by the camera, the report, a command."""

import struct
from urllib.parse import urljoin
from xml.etree import ElementTree

import pytest

from mtsig_core.report.commands import source_options
from tests.browser.conftest import open_tab, ready, settled, watched
from tests.builders.screens import replace_in_some, written

pytestmark = pytest.mark.browser
PNG = b"\x89PNG\r\n\x1a\n"


def open_numbers(page):
    """Open numbers, files and command of the figure of scores."""
    button = page.locator(".st-key-summary-forest-box button")
    if button.get_attribute("aria-expanded") == "false":
        button.click()


@pytest.fixture(scope="module")
def visit(at, window, tmp_path_factory):
    """One page for all tests; it knows its `address`, and where it was `opened`."""
    near_river = [f"the old house {k} stands near the river and" for k in range(40)]
    outputs = [replace_in_some(near_river, step, "river", "sea") for step in (3, 2)]
    documents = [f"d{k}" for k in range(40)]  # with them nothing has to be warned of
    folder = tmp_path_factory.getbasetemp() / "files"
    source = written(folder, near_river, outputs, documents, "ab")
    page = watched(window.new_page())
    page.opened = None
    page.address = at("summary", source_options(source), trials=999)
    yield page
    page.close()


@pytest.fixture
def leaderboard(visit):
    """The page with the scores; loaded again only where a test has led it elsewhere."""
    if visit.url != visit.opened:
        visit.goto(visit.address)
        ready(visit)
        open_tab(visit, "Scores and ranks")
        visit.opened = visit.url
    return visit


@pytest.mark.long
@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_camera_saves_the_picture_chosen(leaderboard, kind):
    open_numbers(leaderboard)
    leaderboard.locator(".st-key-summary-forest-picture label", has_text=kind).click()
    settled(leaderboard)
    leaderboard.keyboard.press("Escape")
    leaderboard.locator(".st-key-summary-forest .js-plotly-plot").hover()
    with leaderboard.expect_download() as download:
        leaderboard.locator('.st-key-summary-forest .modebar-btn[data-title*="ownload"]').click()
    assert download.value.suggested_filename == f"files-bleu-forest.{kind}"
    content = download.value.path().read_bytes()
    if kind == "png":
        assert content.startswith(PNG)
        assert content.rstrip().endswith(b"IEND\xaeB`\x82")
        assert len(content) > 10_000
    else:
        text = "".join(ElementTree.fromstring(content).itertext())
        assert "Rank range" in text
        assert "BLEU with 95% CI" in text
    assert leaderboard.hosts == {"localhost"}


def test_the_report_opens_offline_in_light_and_dark(leaderboard, another_window, tmp_path):
    leaderboard.locator(".st-key-summary-export button").first.click()
    with leaderboard.expect_download() as download:
        leaderboard.locator(".st-key-summary-comparison-html button").click()
    leaderboard.keyboard.press("Escape")
    download.value.save_as(tmp_path / download.value.suggested_filename)
    colours = set()
    for scheme in ("light", "dark"):
        report = watched(another_window(offline=True, color_scheme=scheme).new_page())
        report.goto((tmp_path / "files-bleu-comparison.html").as_uri())
        assert report.problems == []
        assert report.hosts == set()
        assert report.locator("svg").count() == 2  # the scores, and the difference of the pair
        assert report.locator("svg").first.bounding_box()["width"] > 500
        colours.add(report.evaluate("getComputedStyle(document.querySelector('svg text')).fill"))
    assert len(colours) == 2


def test_a_command_is_copied_by_its_button(leaderboard):
    leaderboard.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_numbers(leaderboard)
    place = leaderboard.locator(".st-key-summary-forest-command")
    told, label = place.get_by_role("status"), "Command that prints these numbers (forest)"
    assert place.get_by_text(label, exact=True).is_visible()
    assert told.inner_text() == ""
    leaderboard.get_by_role(
        "button", name=f"Copy: {label}", exact=True
    ).click()  # by its name alone, on all the page
    leaderboard.get_by_role("button", name=f"Copied: {label}", exact=True).wait_for()
    assert told.text_content() == "Copied"
    text = place.locator("code").inner_text()
    assert text.startswith("mtsig compare --ref")
    assert leaderboard.evaluate("navigator.clipboard.readText()") == text


@pytest.mark.long
def test_the_picture_of_a_task_is_whole_as_png(visit):
    """Twice as large as the SVG, which holds all of it."""
    visit.goto(
        urljoin(visit.address, "/results?shared_task=simulated+task&metric=human&trials=999")
    )
    files = {}
    visit.get_by_role("button", name="Export").click()
    for kind in ("SVG", "PNG"):
        with visit.expect_download() as download:
            visit.get_by_role("button", name=f"Picture ({kind})").click()
        files[kind] = download.value.path().read_bytes()
        assert download.value.suggested_filename == f"simulated-task-human-task.{kind.lower()}"
    size = [2 * int(ElementTree.fromstring(files["SVG"]).get(side)) for side in ("width", "height")]
    assert files["PNG"].startswith(PNG)
    assert list(struct.unpack(">II", files["PNG"][16:24])) == size
    assert len(files["PNG"]) > 10_000
    assert visit.hosts == {"localhost"}
