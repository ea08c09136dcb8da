"""A view is a link: opened first on another server and in another browser, it shows the same numbers."""

from itertools import zip_longest

import pytest

from mtsig_core.report.commands import source_options
from tests.browser.conftest import ready
from tests.browser.grids import told
from tests.pages.test_links import OWN, SAYS, SETTINGS, TESTED, task

pytestmark = pytest.mark.browser
NUMBERS = ".mt-status, .mt-answer, .mt-table, .mt-pair, .stDataFrame canvas, code"


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    return source_options(task(tmp_path_factory.mktemp("task")))


def numbers(page):
    ready(page)
    told(page)
    return page.locator(f'[data-testid="stMain"] :is({NUMBERS})').evaluate_all("all => all.map(e => e.textContent)")


@pytest.mark.slow  # test_saved.py opens one
@pytest.mark.parametrize("path", ["leaderboard", "pair", "segments"])
def test_the_same_numbers_on_another_server(shared, at, page, elsewhere, another_window, options, path):
    page.goto(at(path, options, **SETTINGS, **OWN[path]))
    there = numbers(page)
    assert all(part in " ".join(there) for part in ("90 segments", *SAYS.get(path, TESTED)))
    other = another_window().new_page()
    other.goto(page.url.replace(shared, elsewhere))
    assert [both for both in zip_longest(there, numbers(other)) if both[0] != both[1]] == []
    assert page.locator(".mt-error").count() == other.locator(".mt-error").count() == 0
