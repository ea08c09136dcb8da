"""Ratings of a reference on screen: unranked at first, ranked as the user says, under the ratings
alone.
"""

from dataclasses import replace

import pytest

from tests.builders.screens import copied, sentences, words, write_ratings, written


@pytest.fixture
def source(tmp_path):
    lines = sentences(40)
    outputs = [[text.replace("small", name) for text in lines] for name in "AB"]
    levels = {"A": 50, "B": 60, "refA": 90}
    ratings = {name: [level + k % 7 for k in range(1, 41)] for name, level in levels.items()}
    source = written(tmp_path, lines, outputs, names="AB")
    ref = (("refA", source.ref[0][1]),)
    return replace(source, ref=ref, scores=(("esa", write_ratings(tmp_path / "esa.tsv", ratings)),))


def test_unranked_at_first(opened, source):
    page = opened("summary", source, metric="esa", trials="999")
    assert "B is significantly better than A" in words(page)
    assert "40 esa scores of refA are not used" in words(page)
    assert ">not ranked</td><td>HUMAN-refA</td><td>93.00</td>" in words(page)
    page.toggle(key="humans").set_value(True).run()
    assert "HUMAN-refA is significantly better than the other" in words(page)
    assert "not ranked" not in words(page)
    commands = [line for line in copied(page) if line.startswith("mtsig ")]
    assert commands
    for command in commands:
        assert "--refs-as-systems" in command
