"""The Overview page without a browser."""

import pytest

from mtsig_core.source import Source
from tests.pages.toys import sentences, words, write


def test_shows_the_answer_and_the_ways_in(opened, tmp_path):
    for name, text in (("ref", "a b c d e f"), ("good", "a b c d e f"), ("bad", "a b x d y f")):
        (tmp_path / f"{name}.txt").write_text(f"{text}\n" * 40)
    systems = tuple((None, str(tmp_path / f"{name}.txt")) for name in ("bad", "good"))
    source = Source(((None, str(tmp_path / "ref.txt")),), systems)
    page = opened(None, source)
    assert not page.exception
    said = words(page)
    assert "good is significantly better than the other" in said and ">1</td>" in said
    assert said.count('<tr class="mt-cluster">') == 1 and "A line separates clusters" in page.caption[0].value
    assert "Segments are treated as independent" in said
    link = next(link for link in page.get("page_link") if link.proto.label == "How to load one")
    assert link.proto.page.endswith("upload") and "task=true" in link.proto.query_string
    text = " ".join(element.value for element in page.markdown)
    assert all(f"**{way}**" in text for way in ("Explore your own outputs", "Teach", "Review a shared task"))


@pytest.mark.parametrize("page", [None, "leaderboard", "significance", "pair"])
def test_lines_in_another_order_stand_beside_each_verdict(opened, tmp_path, page):
    ref = [f"{text} {'and so on ' * (k * k % 7)}" for k, text in enumerate(sentences(60))]
    outputs = {"good": [text.replace("small", "tiny") for text in ref], "odd": ref[20:] + ref[:20]}
    source = Source(((None, write(tmp_path / "ref.txt", ref)),),
                    tuple((name, write(tmp_path / f"{name}.txt", lines)) for name, lines in outputs.items()))
    shown = opened(page, source)
    assert not shown.exception
    assert words(shown).count("The lines of odd do not follow the order of reference ref") == 1
