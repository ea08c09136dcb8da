"""Differences of two texts, by hand."""

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from mtsig_core.report import segment_cards
from mtsig_core.report.segment_cards import differing_pieces, reading_units

LETTERS = st.text(alphabet="ab ,\u0628\u4e2d\u4eba\u0e01\u0e31\n", max_size=14)


def marked(text, other):
    mine, _ = differing_pieces(text, other)
    return [piece for piece, differs in mine if differs]


def kept(text, pieces):
    """The units that are not marked."""
    flags = [differs for piece, differs in pieces for _ in piece]
    return [unit for unit, (start, _) in zip(*reading_units(text), strict=True) if not flags[start]]


@settings(max_examples=40)
@given(LETTERS, LETTERS)
def test_what_is_not_marked_is_the_same_in_both(text, other):
    both = differing_pieces(text, other)
    for words, pieces in zip((text, other), both, strict=True):
        assert "".join(piece for piece, _ in pieces) == words and all(piece for piece, _ in pieces)
        assert all(one[1] != two[1] for one, two in zip(pieces, pieces[1:], strict=False))
    assert kept(text, both[0]) == kept(other, both[1])


def test_words_where_there_are_spaces_and_characters_where_there_are_none():
    assert marked("the old house", "the new house") == ["old"]
    assert marked("a b c d", "a x y d") == ["b c"]  # with the space between them
    assert marked("البيت القديم كبير", "البيت الجديد كبير") == ["القديم"]
    assert marked("我今天去北京", "我昨天去北京") == ["今"]
    assert marked("日本語のテキスト", "日本語テキスト") == ["の"]
    assert marked("오늘은 날씨가", "어제는 날씨가") == ["오늘은"]
    assert marked("GPT-4 很好", "GPT-5 很好") == ["4"]
    assert marked("same", "same") == marked("", "x") == marked("", "") == []
    assert marked("x y", "") == ["x y"]


def test_a_character_keeps_its_marks_and_what_is_joined_to_it():
    assert reading_units("กำลังดี")[0] == ["กำ", "ลั", "ง", "ดี"]
    decomposed = unicodedata.normalize("NFD", "Über é")
    assert reading_units(decomposed)[0] == decomposed.split()
    family, woman, flags = "👨\u200d👩\u200d👧", "👩🏽\u200d🚀", "🇩🇪🇫🇷"
    assert reading_units(family + woman + flags)[0] == [family, woman, "🇩🇪", "🇫🇷"]
    assert reading_units("\u200d\u0301a")[0]  # marks with nothing before them


def test_what_is_too_long_is_not_compared(monkeypatch):
    monkeypatch.setattr(segment_cards, "MOST_EQUAL", 3)
    assert differing_pieces("a a", "a a") is None and marked("a b c d", "a b c x") == ["d"]
