"""Cards of segments: direction and language of each text, marks that need no colour, names and
texts literal.
"""

import html
import re

from mtsig_core import TestSet
from mtsig_core.judgements import ErrorSpan, Judgement, Judgements
from mtsig_core.report.segment_cards import (
    DIFFERENCES,
    ERRORS,
    MARKS,
    MATCHES,
    STYLE,
    card,
    language_tag,
    list_marks,
    neighbour,
    segments_html,
    system_list,
)

NAME = "<img src=x> مترجم-1"
SET = TestSet(
    "set",
    {NAME: ["GPT-4 جملة <script>x</script> عربية طويلة هنا", ""], "B": ["جملة عربية 3.5", "same"]},
    {"ref": ["جملة عربية", "same"]},
    sources=["An Arabic sentence", "the same"],
    langpair="en-ar",
    documents=["وثيقة 7", "d"],
)


def texts(page):
    """Direction, language and words of each text."""
    found = re.findall(
        r'<div class="mt-text"(?: dir="(\w+)")?(?: lang="([\w-]+)")?>(.*?)</div>', page
    )
    return [
        (direction, language, html.unescape(re.sub("<[^>]*>", "", inner)))
        for direction, language, inner in found
    ]


def test_each_text_has_its_direction_and_language():
    assert texts(card(SET, [NAME, "B"], 0, "+1")) == [
        ("auto", "en", "An Arabic sentence"),
        ("rtl", "ar", "جملة عربية"),
        ("rtl", "ar", SET.systems[NAME][0]),
        ("rtl", "ar", "جملة عربية 3.5"),
    ]
    assert texts(card(SET, [NAME, "B"], 1, "+1"))[2:] == [
        ("", "", "(empty)"),
        ("rtl", "ar", "same"),
    ]
    first = card(SET, [NAME, "B"], 0, "+1", outputs_first=True)
    assert [text for _, _, text in texts(first)][2:] == ["An Arabic sentence", "جملة عربية"]


def test_languages_become_tags():
    assert [language_tag(name) for name in ("en", "pt_BR", "sr@latin", "ğ", "")] == [
        "en",
        "pt-BR",
        "",
        "",
        "",
    ]


def test_names_and_texts_are_literal_and_apart_from_what_stands_beside_them():
    tokens = str.split
    for page in (
        card(SET, [NAME, "B"], 0, NAME, tokens=tokens, notes=[NAME]),
        neighbour(SET, [NAME, "B"], 0, NAME),
        card(SET, [NAME, "B"], 0, "+1", marks=MARKS[1]),
        system_list(
            SET,
            0,
            [("B", "1.0"), (NAME, "0.5")],
            "+1",
            unit="BLEU",
            tokens=tokens,
            pair_names=(NAME, "B"),
        ),
        segments_html(SET, [NAME, "B"], [0, 1], ["+1", "-1"], title=NAME, tokens=tokens),
    ):
        assert "<img" not in page and "<script" not in page and "&lt;script" in page
    page = card(SET, [NAME, "B"], 0, "+1")
    assert f"<bdi>{html.escape(NAME)}</bdi>" in page and "<bdi>وثيقة 7</bdi>" in page


def test_marks():
    matches = card(SET, [NAME, "B"], 0, "+1", tokens=str.split)
    assert '<span class="mt-n2">جملة عربية</span> 3.5' in matches and "mt-alone" not in matches
    differences = card(SET, [NAME, "B"], 0, "+1", marks=MARKS[1], tokens=str.split)
    assert re.findall('<span class="mt-alone">(.*?)</span>', differences) == [
        "GPT-4",
        "&lt;script&gt;x&lt;/script&gt;",
        "طويلة هنا",
        "3.5",
    ]
    assert re.search(r"\.mt-alone \{[^}]*underline", STYLE)  # legible without colour
    assert 'class="mt-' not in re.sub(
        'class="mt-(pair|wide|quiet|text)[^"]*"', "", card(SET, ["B"], 0, "")
    )


def test_a_file_to_read_asks_no_other_host():
    page = segments_html(SET, [NAME, "B"], [0, 1], ["+1", "-1"], title="t")
    assert page.startswith("<!DOCTYPE html>") and '<meta charset="utf-8">' in page
    assert not re.search(r"https?:|url\(|<script|src=", page.replace(html.escape(NAME), ""))
    assert len(texts(page)) == 8


def test_errors_are_marked_where_raters_marked_them():
    """A major error covers a minor one; several ratings of an output are beside its name."""
    rows = (
        Judgement("A", 7, 14.0, "x", "1", (ErrorSpan(0, 5, "minor", ""),)),
        Judgement("A", 7, 98.0, "y", "2", (ErrorSpan(3, 90, "major", ""),)),
        Judgement("B", 7, 50.0, "x", "1"),
    )
    rated = TestSet(
        "set",
        {"A": ["abcdefg"], "B": ["<b>"]},
        {},
        lines=[7],
        scores={"ESA": {"A": [56.0], "B": [50.0]}},
        judgements=Judgements("ESA", rows),
    )
    assert list_marks(rated) == [ERRORS, DIFFERENCES] and list_marks(SET) == [MATCHES, DIFFERENCES]
    marked = '<span class="mt-minor">abc</span><span class="mt-major">defg</span>'
    page = card(rated, ["A", "B"], 0, "head", marks=ERRORS)
    assert marked in page and "A: rated 14, 98" in page and "&lt;b&gt;" in page
    listed = system_list(rated, 0, [("A", "56"), ("B", "50")], "head", unit="ESA", marks=ERRORS)
    assert marked in listed
    assert "minor error" in segments_html(rated, ["A", "B"], [0], ["h"], title="t", marks=ERRORS)
