"""Ratings of a reference on screen: unranked at first, ranked as the user says, under the ratings
alone.
"""

import pytest

from mtsig_core.source import Source
from tests.builders.screens import copied, sentences, words, write


@pytest.fixture
def source(tmp_path):
    lines = sentences(40)
    rated = ("A", 50), ("B", 60), ("refA", 90)
    rows = [f"{name}\t{k}\t{score + k % 7}" for name, score in rated for k in range(1, 41)]
    systems = {name: [text.replace("small", name) for text in lines] for name in "AB"}
    return Source(
        ref=(("refA", write(tmp_path / "ref.txt", lines)),),
        system=tuple(
            (name, write(tmp_path / f"{name}.txt", texts)) for name, texts in systems.items()
        ),
        scores=(("esa", write(tmp_path / "esa.tsv", ["system\tline\tscore", *rows])),),
    )


def commands(page):
    return [line for line in copied(page) if line.startswith("mtsig ")]


def test_unranked_at_first(opened, source):
    page = opened("summary", source, metric="esa", trials="999")
    assert "B is significantly better than A" in words(page)
    assert "40 esa scores of refA are not used" in words(page)
    assert ">not ranked</td><td>HUMAN-refA</td><td>93.00</td>" in words(page)
    page.toggle(key="humans").set_value(True).run()
    assert "HUMAN-refA is significantly better than the other" in words(page)
    assert "not ranked" not in words(page)
    assert all("--refs-as-systems" in command for command in commands(page))
    assert commands(page)
