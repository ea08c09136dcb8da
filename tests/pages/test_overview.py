"""The Overview page without a browser."""

from mtsig_core.data.source import Source
from tests.pages.toys import words


def test_shows_the_answer_and_the_ways_in(opened, tmp_path):
    for name, text in (("ref", "a b c d e f"), ("good", "a b c d e f"), ("bad", "a b x d y f")):
        (tmp_path / f"{name}.txt").write_text(f"{text}\n" * 40)
    systems = tuple((None, str(tmp_path / f"{name}.txt")) for name in ("bad", "good"))
    source = Source(((None, str(tmp_path / "ref.txt")),), systems)
    page = opened(None, source)
    assert not page.exception
    said = words(page)
    assert "good is ahead of all others" in said and "<td>1</td>" in said
    assert said.count('<tr class="mt-cluster">') == 1 and "A line separates clusters" in page.caption[0].value
    assert "No document ids: segments are taken as independent" in said
    link = next(link for link in page.get("page_link") if link.proto.label == "How to load one")
    assert link.proto.page.endswith("data") and "task=true" in link.proto.query_string
    text = " ".join(element.value for element in page.markdown)
    assert all(f"**{way}**" in text for way in ("Explore your own outputs", "Teach", "Review a shared task"))
