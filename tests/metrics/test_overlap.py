"""Matched n-grams found in the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core.metrics.overlap import align, bleu_tokens, matched_pieces

WESTERN, CHINESE = bleu_tokens("13a"), bleu_tokens("zh")


@pytest.mark.parametrize(
    "text, references, tokens, pieces",
    [
        (
            "the black cat sat there",
            ["a black cat sat on the mat"],
            WESTERN,  # the longest that covers a token
            [("the", 1), (" ", 0), ("black cat sat", 3), (" there", 0)],
        ),
        ("a b c d e", ["a b c d e"], WESTERN, [("a b c d e", 4)]),
        (
            "a b c d",
            ["a b x c d"],
            WESTERN,
            [("a b", 2), (" ", 0), ("c d", 2)],
        ),  # neighbours that match apart
        (
            "no no no",
            ["no"],
            WESTERN,
            [("no", 1), (" ", 0), ("no", 1), (" ", 0), ("no", 1)],
        ),  # not clipped
        (
            "Yes, he won.",
            ["yes, he lost."],
            WESTERN,
            [("Yes", 0), (", he", 2), (" won", 0), (".", 1)],
        ),
        ("a b c", ["a b", "b c", None], WESTERN, [("a b c", 2)]),
        (
            "a b",
            ["x a", "b y"],
            WESTERN,
            [("a", 1), (" ", 0), ("b", 1)],
        ),  # several references do not join
        ("我爱北京", ["我在北京"], CHINESE, [("我", 1), ("爱", 0), ("北京", 2)]),
        ("  a\u00a0 b\t", ["a b"], WESTERN, [("  ", 0), ("a\u00a0 b", 2), ("\t", 0)]),
        ("", ["a"], WESTERN, []),
        ("   ", ["a"], WESTERN, [("   ", 0)]),
        ("a", [""], WESTERN, [("a", 0)]),
    ],
)
def test_by_hand(text, references, tokens, pieces):
    assert matched_pieces(text, references, tokens) == pieces


@pytest.mark.parametrize(
    "text", ["Tom &amp; Jerry", "a <skipped> b", "&quot;a&quot; b", "&lt;b&gt; b"]
)
def test_what_cannot_be_placed_is_not_marked(text):
    assert matched_pieces(text, ["Tom & Jerry a b"], WESTERN) == [(text, 0)]


def test_align():
    assert align("a, b", ["a", ",", "b"]) == [(0, 1), (1, 2), (3, 4)]
    assert (
        align("a b c", ["a", "b"]) is None
        and align("a", ["b"]) is None
        and align("a", [""]) is None
    )


@given(
    st.text(alphabet="ab ,.-&;1<\u0628\u4e2d\n", max_size=30),
    st.text(alphabet="ab ,.-1\u4e2d", max_size=30),
)
def test_the_pieces_are_the_text(text, reference):
    for tokens in (WESTERN, CHINESE):
        pieces = matched_pieces(text, [reference], tokens)
        assert "".join(piece for piece, _ in pieces) == text
        assert all(piece and 0 <= order <= 4 for piece, order in pieces)
