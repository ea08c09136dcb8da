"""What the pages say where so few documents can decide nothing: five, of which p is at least .0625."""

import pytest

from tests.pages.toys import answers, sentences, words, written


@pytest.fixture
def source(tmp_path):
    ref = sentences(20)
    worse = [text.replace("sentence", "word") for text in ref]
    return written(tmp_path, ref, (ref, worse, ["nothing"] * 20), [f"d{k // 4}" for k in range(20)])


@pytest.mark.parametrize("page", [None, "leaderboard", "significance", "pair"])
def test_nothing_is_tied(opened, source, page):
    found = opened(page, source)
    assert not found.exception
    said = words(found)
    assert "annot be decided with 5 documents" in "".join(answers(found))
    assert "May be the first" not in said and "not separated" not in said
    assert "all 32 swaps, exact" in said and "Take at least 6 documents, or the segment as unit" in said
    if page in (None, "leaderboard"):
        assert "intervals and p are rough below 30" in said
    if page == "pair":
        captions = " ".join(caption.value for caption in found.caption)
        assert "2 of all 32 swaps, none swapped among them" in captions and "p = 2/32 = 0.0625, exactly" in captions
        assert "No minimum detectable difference" in said
        entered = found.number_input(key="margin").set_value(5.0).run()
        captions = " ".join(caption.value for caption in entered.caption)
        assert "Two one-sided t tests (Schuirmann 1987)" in captions and "too easily" not in captions
        assert "Go by the decision" not in said  # there is none
    if page == "significance":
        assert "too few for 3 pairs" not in said.partition("correction</th>")[2]  # which would be cut at the edge
        assert "trials: use" not in said  # all swaps are tried: more trials would decide nothing


def test_no_level_is_claimed_of_a_bootstrap(opened, source):
    """Whose decisions on few documents are false too often, whatever the correction."""
    said = words(opened("significance", source, test="bootstrap"))
    assert "no correction controls the error" in said and "Controlled is" not in said and "any false claim" not in said
    assert "Controlled is any false claim" in words(opened("significance", source))
    for test, claimed in (("bootstrap", False), ("ar", True)):
        captions = " ".join(caption.value for caption in opened("leaderboard", source, test=test).caption)
        assert ("hold for all pairs together" in captions) == claimed


def test_sweeps_promises_nothing(opened, source):
    found = opened("sweeps", source, repeats="30", sizes="5")
    said = words(found)
    assert not found.exception and "Cannot be decided with 5 documents. Take at least 6 documents" in said
    assert "and more that often" not in said and "<td>nothing</td>" in said
