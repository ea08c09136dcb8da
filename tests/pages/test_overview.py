"""The Overview page without a browser."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from mtsig_core.serving import SOURCE_VARIABLE
from mtsig_core.sources import Source

APP = Path(__file__).resolve().parents[2] / "app.py"


def test_shows_the_answer_and_the_ways_in(monkeypatch, tmp_path):
    for name, text in (("ref", "a b c d e f"), ("good", "a b c d e f"), ("bad", "a b x d y f")):
        (tmp_path / f"{name}.txt").write_text(f"{text}\n" * 40)
    systems = tuple((None, str(tmp_path / f"{name}.txt")) for name in ("bad", "good"))
    source = Source(((None, str(tmp_path / "ref.txt")),), systems)
    monkeypatch.setenv(SOURCE_VARIABLE, source.to_json())
    page = AppTest.from_file(str(APP), default_timeout=60).run()
    assert not page.exception
    said = "\n".join(element.proto.body for element in page.get("html"))
    assert "good is ahead of all others" in said and "<td>1-1</td>" in said
    text = " ".join(element.value for element in page.markdown)
    assert all(f"**{way}**" in text for way in ("Explore your own outputs", "Teach", "Review a shared task"))
