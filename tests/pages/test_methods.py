"""The Methods page without a browser."""

from html import unescape
from pathlib import Path

from streamlit.testing.v1 import AppTest

from mtsig_core.intervals import INTERVALS
from mtsig_core.serving import SOURCE_VARIABLE
from mtsig_core.significance import TESTS

APP = Path(__file__).resolve().parents[2] / "app.py"


def test_says_what_every_test_is_also_without_a_test_set(monkeypatch):
    for name in (SOURCE_VARIABLE, "MTSIG_DATA_ROOT"):
        monkeypatch.delenv(name, raising=False)
    page = AppTest.from_file(str(APP), default_timeout=60).run().switch_page("pages/methods.py").run()
    assert not page.exception
    said = unescape("\n".join(element.proto.body for element in page.get("html")))
    assert all(f"{test.name}: {test.title}" in said and test.source in said for test in TESTS.values())
    assert all(f"<td>{name}</td>" in said for name in INTERVALS)
    assert "rejects about 11% of true nulls" in said
