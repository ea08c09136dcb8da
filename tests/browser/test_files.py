"""Files of a figure: its picture by the camera, its numbers as CSV."""

import csv
from xml.etree import ElementTree

import pytest

from tests.browser.conftest import ready, settled

pytestmark = pytest.mark.browser
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def leaderboard(serve, page, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "files"
    folder.mkdir(exist_ok=True)
    for n, name in enumerate(("ref", "a", "b")):
        lines = (f"the old house {k} stands near the {'river' if k % 3 >= n else 'sea'} and\n" for k in range(40))
        (folder / f"{name}.txt").write_text("".join(lines))
    page.goto(f"{serve('--ref', folder / 'ref.txt', '--system', folder / 'a.txt', '--system', folder / 'b.txt')}"
              "/leaderboard")
    ready(page)
    page.locator("summary", has_text="Numbers, files, command").click()
    return page


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_camera_saves_the_picture_chosen(leaderboard, kind):
    leaderboard.locator(".st-key-leaderboard-forest-picture label", has_text=kind).click()
    leaderboard.wait_for_timeout(500)
    settled(leaderboard)
    leaderboard.locator(".js-plotly-plot").hover()
    with leaderboard.expect_download() as download:
        leaderboard.locator('.modebar-btn[data-title*="ownload"]').click()
    assert download.value.suggested_filename == f"leaderboard-forest.{kind}"
    content = download.value.path().read_bytes()
    if kind == "png":
        assert content.startswith(PNG) and content.rstrip().endswith(b"IEND\xaeB`\x82") and len(content) > 10_000
    else:
        text = "".join(ElementTree.fromstring(content).itertext())
        assert "Rank interval" in text and "BLEU with 95% interval" in text
    assert leaderboard.hosts == {"localhost"}


def test_the_numbers_as_csv_are_those_on_screen(leaderboard):
    with leaderboard.expect_download() as download:
        leaderboard.locator(".st-key-leaderboard-forest-csv button").click()
    header, *rows = csv.reader(download.value.path().read_text().splitlines())
    shown = [row.split("\t") for row in leaderboard.locator(".mt-table tr").all_inner_texts()]
    assert download.value.suggested_filename == "leaderboard-forest.csv"
    assert [[cell.strip() for cell in row] for row in shown] == [[cell.lstrip("'") for cell in row]  # formulas defused
                                                                 for row in (header, *rows)]
