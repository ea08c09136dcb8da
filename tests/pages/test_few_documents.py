"""Where so few documents can decide nothing (five, of which p is at least .0625), no page says
more.
"""

import pytest

from mtsig_core import compare
from tests.builders.screens import answers, captions, caution_codes, sentences, words, written


@pytest.fixture
def source(tmp_path):
    ref = sentences(20)
    worse = [text.replace("sentence", "word") if k % 3 else text for k, text in enumerate(ref)]
    return written(tmp_path, ref, (ref, worse, ["nothing"] * 20), [f"d{k // 4}" for k in range(20)])


@pytest.mark.parametrize("page", ["summary", "pairs", "pair"])
def test_the_headline_and_a_warning_say_so(opened, source, page):
    shown = opened(page, source)
    told = {"pair": "cannot be decided", "pairs": "Cannot be decided: 5 documents are too few"}
    assert told.get(page, "No system is ranked: 5 documents are too few") in "".join(answers(shown))
    assert "all 32 permutations (exact)" in words(shown)
    assert "too-few-units" in caution_codes(shown, compare(source.read()).warnings)


def test_the_pair_counts_all_swaps_and_takes_a_margin(opened, source):
    shown = opened("pair", source)
    said = words(shown)
    assert "2 of all 32 permutations give a difference" in said
    assert "p = 0.0625" in said
    assert "There is no smallest detectable difference: with so few documents" in said
    shown.number_input(key="margin").set_value(5.0).run()
    assert "Two one-sided t tests" in captions(shown)


def test_sweeps_promises_nothing(opened, source):
    shown = opened("size", source, repeats="30", sizes="5")
    assert "annot be decided with 5 documents" in words(shown)
    assert "and more that often" not in words(shown)
    assert "<td>nothing</td>" in words(shown)
