"""The Segments page without a browser."""

import csv
import html
import io
import re
from functools import partial
from pathlib import Path

import pytest

from mtsig_core.cli.main import main
from mtsig_core.report import export
from mtsig_core.source import Source
from pages._sections import segments_sections
from pages._sections.segments_sections import PAGE
from tests.builders.screens import NAMES, answers, arguments, copied, sentences, words, written

ARABIC = "هذه جملة <script>alert(2)</script> & **صغيرة**"
LONG = "very long text " * 700


@pytest.fixture
def source(tmp_path):
    ref = sentences(60)
    worse = [text.replace("sentence", "word") if k % 3 else text for k, text in enumerate(ref)]
    mixed = [
        ARABIC
        if k == 5
        else LONG
        if k == 7
        else text.replace("small test", "big")
        if k % 2
        else text
        for k, text in enumerate(ref)
    ]
    other = [f"=other {k}" for k in range(60)]
    documents = [f"{'talk' if k >= 40 else 'news'}\t*d{k // 2}*" for k in range(60)]
    return written(tmp_path, ref, (worse, mixed, other), documents)


@pytest.fixture
def open_segments(opened):
    return partial(opened, "segments")


def answer(page):
    return html.unescape(answers(page)[0])


def lines(page):
    """The lines of the segments on the page of the list that is shown, and what each is said to
    add.
    """
    rows = [button for button in page.button if str(button.key).startswith("segments.row.")]
    return [
        (int(line), float(added))
        for line, added in (row.label.removesuffix(" BLEU").split(" · ") for row in rows)
    ]


def reading(page):
    """The line of the segment whose texts are shown."""
    return int(re.search(r"BLEU</b> <small><bdi>line (\d+)", words(page)).group(1))


def press(page, key):
    page.button(key=f"segments.step.{key}").click().run()


def test_lengths_and_expressions_are_in_the_link_and_mistakes_are_messages(open_segments, source):
    page = open_segments(
        source, a=NAMES[0], b=NAMES[1], text=r"number 1\d\b", how="regular expression"
    )
    assert not page.exception and "10 of 60 segments" in answer(page)
    page.text_input(key="text").set_value("(").run()
    assert not page.exception and "cannot be read: missing )" in words(page)
    page = open_segments(source, a=NAMES[0], b=NAMES[1], shortest="30", longest="2")
    assert not page.exception and "at least 30 characters, at most 2 characters" in words(page)
    page.button(key="segments.clear").click().run()
    assert (
        "All 60 segments" in answer(page) and not {"shortest", "longest"} & page.query_params.keys()
    )
    page.number_input(key="shortest").set_value(1).run()
    assert page.query_params["shortest"] == "1.0" and "All 60 segments" in answer(page)


def test_the_scores_say_how_many_segments_have_them(opened):
    page = opened(
        "segments", Source(demo_task=True), metric="human", a="Cedar-open", b="Fir-closed"
    )
    assert (
        "All 1,000 segments, 548 with scores of both: Cedar-open 73.50, Fir-closed 69.14"
        in answer(page)
    )


def test_one_segment_at_a_time_and_a_page_of_the_list(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[1])
    assert not page.exception and "All 60 segments: " in answer(page)
    first = lines(page)
    assert len(first) == PAGE and [value for _, value in first] == sorted(
        (v for _, v in first), reverse=True
    )
    assert reading(page) == first[0][0] and words(page).count('class="mt-pair"') == 1
    press(page, "Down")
    assert reading(page) == first[1][0] and page.query_params["segment"] == str(first[1][0])
    press(page, "PageDown")
    assert reading(page) == lines(page)[0][0] and not set(lines(page)) & set(first)
    press(page, "Up")
    assert reading(page) == first[-1][0] and lines(page) == first
    page.selectbox(key="order").set_value("most in favour of B").run()
    assert [value for _, value in lines(page)] == sorted(value for _, value in lines(page))
    assert reading(page) == lines(page)[0][0]
    page.selectbox(key="order").set_value("line").run()
    assert [line for line, _ in lines(page)] == list(range(1, PAGE + 1))
    assert (
        page.button(key="segments.step.Up").disabled
        and page.button(key="segments.step.PageUp").disabled
    )
    page.button(key="segments.row.3").click().run()
    assert reading(page) == 4 and not page.button(key="segments.step.Up").disabled
    assert {
        page.button(key=f"segments.step.{key}").proto.shortcut
        for key in ("Up", "Down", "PageUp", "PageDown")
    } == {"up", "down", "pageup", "pagedown"}


def test_a_segment_by_its_address(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[1], order="line", segment="60")
    assert reading(page) == 60 and [line for line, _ in lines(page)] == [57, 58, 59, 60]
    assert (
        page.button(key="segments.step.Down").disabled
        and page.button(key="segments.step.PageDown").disabled
    )
    near = re.findall(r"<small>(before it in the document|after it), line (\d+)<", words(page))
    assert near == [("before it in the document", "59")]  # the other of its document, and no more
    page = open_segments(
        source, a=NAMES[0], b=NAMES[1], segment="7", genre="talk"
    )  # it is in none of the filters
    assert reading(page) == 7 and "Line 7 is not among the 20 segments that match" in words(page)
    press(page, "Down")
    assert reading(page) == lines(page)[0][0]
    page = open_segments(source, a=NAMES[0], b=NAMES[1], segment="7", genre="talk")
    page.button(key="segments.clear").click().run()
    assert "All 60 segments: " in answer(page) and reading(page) == lines(page)[0][0]


def test_filters_in_the_link(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[1], document="news · *d2*")
    assert {line for line, _ in lines(page)} == {5, 6} and "2 of 60 segments: " in answer(page)
    page = open_segments(source, a=NAMES[0], b=NAMES[1], genre="talk", order="line", segment="60")
    assert [line for line, _ in lines(page)] == list(range(57, 61))
    page = open_segments(
        source, a=NAMES[0], b=NAMES[1], text="WORD", where="output of A", order="line", segment="60"
    )
    assert [line for line, _ in lines(page)] == [k + 1 for k in range(60) if k % 3][32:]
    page = open_segments(source, a=NAMES[0], b=NAMES[1], text="WORD", where="output of B")
    assert "No segment matches" in answer(page)


def test_the_segments_that_decide(open_segments, source):
    page = open_segments(source, a=NAMES[1], b=NAMES[0])
    assert f"Without 1 of the 60 segments, {NAMES[0]} would not score higher" in html.unescape(
        words(page)
    )  # the line that is ten thousand characters too long
    page.selectbox(key="only").set_value("those that decide").run()
    assert "1 of 60 segments: " in answer(page) and [line for line, _ in lines(page)] == [8]
    page.text_input(key="text").set_value("nowhere").run()
    assert "those that decide" in words(page) and "No segment matches" in answer(page)


def test_differences_are_marked_instead(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[1], order="line", segment="2")
    assert "mt-n4" in words(page) and '<span class="mt-alone">word' not in words(page)
    page.selectbox(key="marks").set_value("differences between the two").run()
    said = words(page)
    assert 'the <span class="mt-alone">word</span> number 1 of' in said  # of A
    assert (
        'the <span class="mt-alone">sentence</span> number 1 of the <span class="mt-alone">big</span> set'
        in said
    )
    assert not re.search(r'class="mt-n\d"', said)


def test_all_systems_of_one_segment_sorted_by_its_score(open_segments, source, monkeypatch):
    page = open_segments(source, a=NAMES[0], b=NAMES[1], segment="2", all="true")
    table = words(page)[words(page).index('<table class="mt-each">') :]
    rows = re.findall(
        r"<tr><td>(?:<b>[AB]: )?<bdi>(.*?)</bdi>(?:</b>)?</td><td>(.*?)</td>", html.unescape(table)
    )
    assert rows.pop() == ("ref", "")
    from sacrebleu.metrics.bleu import BLEU

    texts = [Path(file).read_text().split("\n")[1] for _, file in (*source.system, *source.ref)]
    scores = {
        name: BLEU().corpus_score([output], [[texts[3]]]).score
        for name, output in zip(NAMES, texts[:3], strict=True)
    }
    assert [name for name, _ in rows] == sorted(scores, key=scores.get, reverse=True)
    assert {name: float(score) for name, score in rows} == pytest.approx(scores, abs=0.006)
    monkeypatch.setattr(segments_sections, "SYSTEMS", 2)
    page = open_segments(source, a=NAMES[0], b=NAMES[1], segment="2", all="true", page="2")
    said = words(page)
    assert (
        said.count("<tr><td>") == 2
        and html.escape(NAMES[2]) in said[said.index('<table class="mt-each">') :]
    )


def test_scores_on_the_matching_segments_are_sacrebleus(open_segments, source):
    from sacrebleu.metrics.bleu import BLEU

    page = open_segments(source, a=NAMES[0], b=NAMES[1], genre="talk")
    texts = [
        Path(file).read_text().split("\n")[40:60] for _, file in (*source.system[:2], *source.ref)
    ]
    a, b = (BLEU().corpus_score(output, [texts[2]]).score for output in texts[:2])
    assert f"{NAMES[0]} {a:.2f}, {NAMES[1]} {b:.2f}, {a - b:+.2f} BLEU" in answer(page)
    assert any("not tested" in e.value for e in page.caption)


@pytest.mark.parametrize("line", ["61", "x", "-1"])
def test_a_link_to_what_is_not_there(open_segments, source, line):
    gone = dict.fromkeys(("a", "also", "document", "genre", "where", "order"), "gone")
    page = open_segments(source, b=NAMES[1], segment=line, **gone)
    assert not page.exception and "All 60 segments: " in answer(page) and len(lines(page)) == PAGE


def test_changes_of_filters(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[1], document="news · *d2*")
    page.selectbox(key="genre").set_value("talk").run()  # the document is gone with its domain
    assert not page.exception and "20 of 60 segments: " in answer(page)
    page = open_segments(source, a=NAMES[0], b=NAMES[1], segment="60", order="line")
    page.text_input(key="text").set_value("number").run()
    assert reading(page) == 1 and "segment" not in page.query_params
    page = open_segments(source, a=NAMES[0], b=NAMES[1], text="<b>nowhere</b>", genre="talk")
    assert "No segment matches" in answer(page) and "domain talk" in words(page)
    assert "&lt;b&gt;nowhere" in words(page) and "<b>nowhere" not in words(page)
    page.button(key="segments.clear").click().run()
    assert not page.exception and "All 60 segments: " in answer(page)


def test_names_and_texts_are_literal(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[1], order="line", also=NAMES[2], segment="6")
    said = words(page)
    press(page, "Down")
    press(page, "Down")
    said += words(page)
    assert "&lt;img src=x" in said and "<img" not in said and "<script" not in said
    plain = html.unescape(re.sub("<[^>]*>", "", said))
    assert (
        ARABIC in plain and LONG.strip() in plain and "=other 5" in plain and 'dir="auto"' in said
    )
    assert not [
        e for e in [*page.markdown, *page.caption] if "![](" in e.value or "onerror" in e.value
    ]


def test_identical_and_too_few_systems(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[0])
    assert not page.exception and "Choose another system" in words(page)
    page = open_segments(Source(ref=source.ref, system=source.system[:1]))
    assert not page.exception and "There is only one system, so there is no pair" in words(page)
    same = tuple((name, source.system[0][1]) for name in "AB")
    page = open_segments(Source(ref=source.ref, system=same))
    assert (
        not page.exception
        and "+0.00 BLEU" in answer(page)
        and {value for _, value in lines(page)} == {0.0}
    )


def test_the_file_has_all_that_match_and_is_made_when_asked_for(open_segments, source, monkeypatch):
    made = []
    real = export.to_csv
    monkeypatch.setattr(export, "to_csv", lambda *table: made.append(real(*table)) or made[-1])
    handed = {}
    import streamlit as st

    monkeypatch.setattr(
        st, "download_button", lambda *args, **more: handed.update({more["key"]: args[1]})
    )
    page = open_segments(source, a=NAMES[0], b=NAMES[2], genre="news", order="line")
    assert not page.exception and made == []
    rows = list(csv.DictReader(io.StringIO(handed["segments.csv"]().decode("utf-8-sig"))))
    assert [int(row["line"]) for row in rows] == list(range(1, 41))
    assert rows[3]["docid"] == "*d1*" and rows[3][f"output {NAMES[2]}"] == "'=other 3"
    rows = list(csv.DictReader(io.StringIO(handed["segments.systems"]().decode("utf-8-sig"))))
    assert {(row["line"], row["system"], row["output"]) for row in rows} >= {
        ("1", NAMES[2], "'=other 0")
    }
    assert [float(row["score"]) for row in rows] == sorted(
        (float(row["score"]) for row in rows), reverse=True
    )
    read = handed["segments.html"]()
    assert read.count('class="mt-pair"') == 40 and "40 of 60 segments: " in read
    assert "<img" not in read and "&lt;img" in read


def test_the_command_prints_the_counts_of_the_two(open_segments, source, capsys):
    page = open_segments(source, a=NAMES[1], b=NAMES[0], exclude=NAMES[2])
    assert main(arguments(copied(page)[0])) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 120 and {row["system"] for row in rows} == set(NAMES[:2])
