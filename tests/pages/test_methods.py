"""The Methods page without a browser."""

from html import unescape

from mtsig_core.inference.intervals import INTERVALS
from mtsig_core.inference.significance import TESTS
from tests.pages.toys import words


def test_says_what_every_test_is_also_without_a_test_set(opened):
    page = opened("methods")
    assert not page.exception
    said = unescape(words(page))
    assert all(f"{test.name}: {test.title}" in said and test.source in said for test in TESTS.values())
    assert all(f"<td>{name}</td>" in said for name in INTERVALS)
    assert "rejects about 11% of true nulls" in said
