"""Matched n-grams found in the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core.metrics.overlap import align, bleu_tokens, matched_pieces

WESTERN, CHINESE = bleu_tokens("13a"), bleu_tokens("zh")


def marked(text, *references, tokens=WESTERN):
    return matched_pieces(text, references, tokens)


def test_the_longest_n_gram_that_covers_a_token_counts():
    assert marked("the black cat sat there", "a black cat sat on the mat") == [
        ("the", 1), (" ", 0), ("black cat sat", 3), (" there", 0)]


def test_five_in_a_row_are_four_grams():
    assert marked("a b c d e", "a b c d e") == [("a b c d e", 4)]


def test_neighbours_that_match_apart_are_not_run_together():
    assert marked("a b c d", "a b x c d") == [("a b", 2), (" ", 0), ("c d", 2)]


def test_a_repeated_token_is_marked_each_time():
    assert marked("no no no", "no") == [("no", 1), (" ", 0), ("no", 1), (" ", 0), ("no", 1)]


def test_punctuation_is_a_token_of_its_own():
    assert marked("Yes, he won.", "yes, he lost.") == [("Yes", 0), (", he", 2), (" won", 0), (".", 1)]


def test_case_matters():
    assert marked("The cat", "the Cat") == [("The cat", 0)]


def test_several_references_do_not_join():
    assert marked("a b c", "a b", "b c", None) == [("a b c", 2)]
    assert marked("a b", "x a", "b y") == [("a", 1), (" ", 0), ("b", 1)]


def test_chinese_is_matched_by_character():
    assert marked("我爱北京", "我在北京", tokens=CHINESE) == [("我", 1), ("爱", 0), ("北京", 2)]


def test_white_space_is_kept():
    assert marked("  a\u00a0 b\t", "a b") == [("  ", 0), ("a\u00a0 b", 2), ("\t", 0)]


@pytest.mark.parametrize("text", ["Tom &amp; Jerry", "a <skipped> b", "&quot;a&quot; b", "&lt;b&gt; b"])
def test_what_cannot_be_placed_is_not_marked(text):
    assert marked(text, "Tom & Jerry a b") == [(text, 0)]


def test_nothing_to_mark():
    assert marked("", "a") == [] and marked("   ", "a") == [("   ", 0)] and marked("a", "") == [("a", 0)]


def test_align():
    assert align("a, b", ["a", ",", "b"]) == [(0, 1), (1, 2), (3, 4)]
    assert align("a b c", ["a", "b"]) is None and align("a", ["b"]) is None and align("a", [""]) is None


@given(st.text(alphabet="ab ,.-&;1<\u0628\u4e2d\n", max_size=30), st.text(alphabet="ab ,.-1\u4e2d", max_size=30))
def test_the_pieces_are_the_text(text, reference):
    for tokens in (WESTERN, CHINESE):
        pieces = matched_pieces(text, [reference], tokens)
        assert "".join(piece for piece, _ in pieces) == text
        assert all(piece and 0 <= order <= 4 for piece, order in pieces)
