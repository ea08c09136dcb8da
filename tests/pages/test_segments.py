"""The Segments page without a browser."""

import csv
import html
import io
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from mtsig_core.data.source import Source
from mtsig_core.report import export
from tests.pages.toys import APP, NAMES, answers, arguments, sentences, words, written

ARABIC = "هذه جملة <script>alert(2)</script> & **صغيرة**"
LONG = "very long text " * 700


@pytest.fixture
def source(tmp_path):
    ref = sentences(60)
    worse = [text.replace("sentence", "word") if k % 3 else text for k, text in enumerate(ref)]
    mixed = [ARABIC if k == 5 else LONG if k == 7 else text.replace("small test", "big") if k % 2 else text
             for k, text in enumerate(ref)]
    other = [f"=other {k}" for k in range(60)]
    documents = [f"{'talk' if k >= 40 else 'news'}\t*d{k // 2}*" for k in range(60)]
    return written(tmp_path, ref, (worse, mixed, other), documents)


@pytest.fixture
def open_segments(opened):
    return partial(opened, "segments")


def answer(page):
    return html.unescape(answers(page)[0])


def lines(page):
    """The lines of the segments on screen, and what each is said to add."""
    return [(int(line), float(added)) for added, line in
            re.findall(r"<b>([+-][\d.]+) BLEU</b> <small>line (\d+)", words(page))]


def test_all_segments_at_first(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[1])
    assert not page.exception
    assert "All 60 segments: " in answer(page) and len(lines(page)) == 25
    added = [value for _, value in lines(page)]
    assert added == sorted(added, reverse=True)
    page.selectbox(key="order").set_value("most in favour of B").run()
    assert [value for _, value in lines(page)] == sorted(value for _, value in lines(page))
    page.selectbox(key="order").set_value("line").run()
    assert [line for line, _ in lines(page)] == list(range(1, 26))
    page.session_state["page"] = 3
    page.run()
    assert [line for line, _ in lines(page)] == list(range(51, 61))


def test_filters_in_the_link(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[1], document="news · *d2*")
    assert {line for line, _ in lines(page)} == {5, 6} and "2 of 60 segments: " in answer(page)
    page = open_segments(source, a=NAMES[0], b=NAMES[1], genre="talk", order="line")
    assert [line for line, _ in lines(page)] == list(range(41, 61))
    page = open_segments(source, a=NAMES[0], b=NAMES[1], text="WORD", where="output of A", order="line", page="2")
    assert [line for line, _ in lines(page)] == [k + 1 for k in range(60) if k % 3][25:]
    page = open_segments(source, a=NAMES[0], b=NAMES[1], text="WORD", where="output of B")
    assert "No segment matches" in answer(page)


def test_scores_on_the_matching_segments_are_sacrebleus(open_segments, source):
    from sacrebleu.metrics.bleu import BLEU

    page = open_segments(source, a=NAMES[0], b=NAMES[1], genre="talk")
    texts = [Path(file).read_text().split("\n")[40:60] for _, file in (*source.system[:2], *source.ref)]
    a, b = (BLEU().corpus_score(output, [texts[2]]).score for output in texts[:2])
    assert f"{NAMES[0]} {a:.2f}, {NAMES[1]} {b:.2f}, {a - b:+.2f} BLEU" in answer(page)
    assert any("untested" in e.value for e in page.caption)


@pytest.mark.parametrize("query", [dict(document="gone"), dict(genre="gone"), dict(where="gone"), dict(order="gone"),
                                   dict(page="99"), dict(page="x"), dict(page="-1"), dict(also="gone"), dict(a="gone")])
def test_a_link_to_what_is_not_there(open_segments, source, query):
    page = open_segments(source, **{"b": NAMES[1], "a": NAMES[0], **query})
    assert not page.exception and "All 60 segments: " in answer(page) and len(lines(page)) == 25


def test_changes_of_filters(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[1], document="news · *d2*")
    page.selectbox(key="genre").set_value("talk").run()  # the document is gone with its domain
    assert not page.exception and "20 of 60 segments: " in answer(page)
    page = open_segments(source, a=NAMES[0], b=NAMES[1], page="3")
    assert len(lines(page)) == 10
    page.text_input(key="text").set_value("number").run()
    assert page.session_state["page"] == 1 and len(lines(page)) == 25


def test_nothing_found_says_so_and_can_be_undone(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[1], text="<b>nowhere</b>", genre="talk")
    assert "No segment matches" in answer(page) and "domain talk" in words(page)
    assert "&lt;b&gt;nowhere" in words(page) and "<b>nowhere" not in words(page)
    page.button[0].click().run()
    assert not page.exception and "All 60 segments: " in answer(page)


def test_names_and_texts_are_literal(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[1], order="line", also=NAMES[2])
    said = words(page)
    assert "&lt;img src=x" in said and "<img" not in said and "<script" not in said
    plain = html.unescape(re.sub("<[^>]*>", "", said))
    assert ARABIC in plain and LONG.strip() in plain and "=other 0" in plain and 'dir="auto"' in said
    assert not [e for e in [*page.markdown, *page.caption] if "![](" in e.value or "onerror" in e.value]


def test_identical_and_too_few_systems(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[0])
    assert not page.exception and "Choose another system" in words(page)
    page = open_segments(Source(ref=source.ref, system=source.system[:1]))
    assert not page.exception and "there is no pair to examine" in words(page)
    same = tuple((name, source.system[0][1]) for name in "AB")
    page = open_segments(Source(ref=source.ref, system=same))
    assert not page.exception and "+0.00 BLEU" in answer(page) and {value for _, value in lines(page)} == {0.0}


def test_the_file_has_all_that_match_and_is_made_when_asked_for(open_segments, source, monkeypatch):
    made = []
    real = export.to_csv
    monkeypatch.setattr(export, "to_csv", lambda *table: made.append(real(*table)) or made[-1])
    handed = []
    import streamlit as st
    monkeypatch.setattr(st, "download_button", lambda *args, **more: handed.append(more["data"]))
    page = open_segments(source, a=NAMES[0], b=NAMES[2], genre="news", order="line")
    assert not page.exception and made == []
    rows = list(csv.DictReader(io.StringIO(handed[-1]())))
    assert [int(row["line"]) for row in rows] == list(range(1, 41))
    assert rows[3]["docid"] == "*d1*" and rows[3][f"output {NAMES[2]}"] == "'=other 3"


def test_the_command_prints_the_counts_of_the_two(open_segments, source):
    page = open_segments(source, a=NAMES[1], b=NAMES[0], exclude=NAMES[2])
    command = [sys.executable, "-m", "mtsig_core", *arguments(page.code[0].value)]
    done = subprocess.run(command, cwd=APP.parent, capture_output=True, check=True)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert len(rows) == 120 and {row["system"] for row in rows} == set(NAMES[:2])
