"""The Segments page without a browser."""

import csv
import html
import io
import re
from pathlib import Path

import pytest
import streamlit as st
from sacrebleu.metrics.bleu import BLEU

from mtsig_core.report import export
from mtsig_core.source import Source
from pages._sections import segments_sections
from pages._sections.segments_sections import PAGE
from tests.builders.screens import (
    NAMES,
    answers,
    captions,
    replace_in_most,
    sentences,
    words,
    written,
)

ARABIC = "هذه جملة <script>alert(2)</script> & **صغيرة**"
LONG = "very long text " * 700


@pytest.fixture
def source(tmp_path):
    """Three systems on two domains of documents with two segments each."""
    ref = sentences(60)
    worse = replace_in_most(ref, 3, "sentence", "word")
    mixed = replace_in_most(ref, 2, "small test", "big")
    mixed[5] = ARABIC
    mixed[7] = LONG
    unlike = [f"=other {k}" for k in range(60)]
    documents = [f"{'talk' if k >= 40 else 'news'}\t*d{k // 2}*" for k in range(60)]
    return written(tmp_path, ref, (worse, mixed, unlike), documents)


@pytest.fixture
def open_segments(opened):
    """The page Segments, which must not fail."""

    def start(*arguments, **controls):
        page = opened("segments", *arguments, **controls)
        return page

    return start


@pytest.fixture
def open_first_two(open_segments, source):
    """The page on the first two systems."""

    def start(**controls):
        return open_segments(source, a=NAMES[0], b=NAMES[1], **controls)

    return start


def answer(page):
    return html.unescape(answers(page)[0])


def listed(page):
    """The lines on the page of the list, with what each adds to the difference."""
    rows = {}
    for button in page.button:
        if str(button.key).startswith("segments.row."):
            line, contribution = button.label.removesuffix(" BLEU").split(" · ")
            rows[int(line)] = float(contribution)
    return rows


def list_lines(page):
    return list(listed(page))


def read_line(page):
    """The line of the segment whose texts are shown."""
    return int(re.search(r"BLEU</b> <small><bdi>line (\d+)", words(page)).group(1))


def press(page, key):
    page.button(key=f"segments.step.{key}").click().run()


def is_disabled(page, key):
    return page.button(key=f"segments.step.{key}").disabled


def read_outputs(source, start, stop):
    """Some lines of each output, then those of the reference."""
    files = [file for _, file in (*source.system, *source.ref)]
    return [Path(file).read_text().split("\n")[start:stop] for file in files]


def score(output, reference):
    return BLEU().corpus_score(output, [reference]).score


def test_lengths_and_expressions_are_in_the_link_and_mistakes_are_messages(open_first_two):
    page = open_first_two(text=r"number 1\d\b", how="regular expression")
    assert "10 of 60 segments" in answer(page)
    page.text_input(key="text").set_value("(").run()
    assert "cannot be read: missing )" in words(page)
    page = open_first_two(shortest="30", longest="2")
    assert "at least 30 characters, at most 2 characters" in words(page)
    page.button(key="segments.clear").click().run()
    assert "All 60 segments" in answer(page)
    assert "shortest" not in page.query_params
    assert "longest" not in page.query_params
    page.number_input(key="shortest").set_value(1).run()
    assert page.query_params["shortest"] == "1.0"
    assert "All 60 segments" in answer(page)


def test_the_scores_say_how_many_segments_have_them(open_segments):
    page = open_segments(Source(demo_task=True), metric="human", a="Cedar-open", b="Fir-closed")
    assert "All 1,000 segments, 548 scored for both: Cedar-open 73.50, Fir-closed 69.14" in (
        answer(page)
    )


def test_one_segment_at_a_time_and_a_page_of_the_list(open_first_two):
    page = open_first_two()
    assert "All 60 segments: " in answer(page)
    first = list_lines(page)
    values = list(listed(page).values())
    assert len(first) == PAGE
    assert values == sorted(values, reverse=True)
    assert read_line(page) == first[0]
    assert words(page).count('class="mt-pair"') == 1
    press(page, "Down")
    assert read_line(page) == first[1]
    assert page.query_params["segment"] == str(first[1])
    press(page, "PageDown")
    assert read_line(page) == list_lines(page)[0]
    assert set(first).isdisjoint(list_lines(page))
    press(page, "Up")
    assert read_line(page) == first[-1]
    assert list_lines(page) == first


def test_the_list_has_an_order(open_first_two):
    page = open_first_two()
    page.selectbox(key="order").set_value("most in favour of B").run()
    values = list(listed(page).values())
    assert values == sorted(values)
    assert read_line(page) == list_lines(page)[0]
    page.selectbox(key="order").set_value("line").run()
    assert list_lines(page) == list(range(1, PAGE + 1))
    assert is_disabled(page, "Up")
    assert is_disabled(page, "PageUp")
    page.button(key="segments.row.3").click().run()
    assert read_line(page) == 4
    assert not is_disabled(page, "Up")
    for key in ("Up", "Down", "PageUp", "PageDown"):
        assert page.button(key=f"segments.step.{key}").proto.shortcut == key.lower()


def test_a_segment_by_its_address(open_first_two):
    page = open_first_two(order="line", segment="60")
    assert read_line(page) == 60
    assert list_lines(page) == [57, 58, 59, 60]
    assert is_disabled(page, "Down")
    assert is_disabled(page, "PageDown")
    near = re.findall(r"<small>(before it in the document|after it), line (\d+)<", words(page))
    assert near == [("before it in the document", "59")]  # its document has two segments


def test_a_segment_that_the_filters_do_not_match(open_first_two):
    page = open_first_two(segment="7", genre="talk")
    assert read_line(page) == 7
    assert "Line 7 is not among the segments that match the filter (20)" in words(page)
    press(page, "Down")
    assert read_line(page) == list_lines(page)[0]
    page = open_first_two(segment="7", genre="talk")
    page.button(key="segments.clear").click().run()
    assert "All 60 segments: " in answer(page)
    assert read_line(page) == list_lines(page)[0]


def test_filters_in_the_link(open_first_two):
    page = open_first_two(document="news · *d2*")
    assert set(list_lines(page)) == {5, 6}
    assert "2 of 60 segments: " in answer(page)
    page = open_first_two(genre="talk", order="line", segment="60")
    assert list_lines(page) == list(range(57, 61))
    page = open_first_two(text="WORD", where="output of A", order="line", segment="60")
    assert list_lines(page) == [k + 1 for k in range(60) if k % 3][32:]
    page = open_first_two(text="WORD", where="output of B")
    assert "No segment matches" in answer(page)


def test_the_segments_that_decide(open_segments, source):
    page = open_segments(source, a=NAMES[1], b=NAMES[0])
    # It is the line that is ten thousand characters too long.
    sentence = (
        f"Without the 1 segment (of 60) most in favour of {NAMES[0]}, {NAMES[0]} loses its lead"
    )
    assert sentence in html.unescape(words(page))
    page.selectbox(key="only").set_value("those that decide").run()
    assert "1 of 60 segments: " in answer(page)
    assert list_lines(page) == [8]
    page.text_input(key="text").set_value("nowhere").run()
    assert "those that decide" in words(page)
    assert "No segment matches" in answer(page)


def test_differences_are_marked_instead(open_first_two):
    page = open_first_two(order="line", segment="2")
    assert "mt-n4" in words(page)
    assert '<span class="mt-alone">word' not in words(page)
    page.selectbox(key="marks").set_value("differences between the two").run()
    text = words(page)
    assert 'the <span class="mt-alone">word</span> number 1 of' in text  # of A
    assert (
        'the <span class="mt-alone">sentence</span> number 1 of the <span class="mt-alone">big</span> set'
        in text
    )
    assert not re.search(r'class="mt-n\d"', text)


def test_all_systems_of_one_segment_sorted_by_its_score(open_first_two, source, monkeypatch):
    text = words(open_first_two(segment="2", all="true"))
    _, _, table = text.partition('<table class="mt-each">')
    rows = re.findall(
        r"<tr><td>(?:<b>[AB]: )?<bdi>(.*?)</bdi>(?:</b>)?</td><td>(.*?)</td>", html.unescape(table)
    )
    assert rows.pop() == ("ref", "")
    *outputs, reference = read_outputs(source, 1, 2)
    scores = {name: score(output, reference) for name, output in zip(NAMES, outputs, strict=True)}
    assert [name for name, _ in rows] == sorted(scores, key=scores.get, reverse=True)
    assert {name: float(value) for name, value in rows} == pytest.approx(scores, abs=0.006)
    monkeypatch.setattr(segments_sections, "SYSTEMS", 2)
    text = words(open_first_two(segment="2", all="true", page="2"))
    _, _, table = text.partition('<table class="mt-each">')
    assert text.count("<tr><td>") == 2
    assert html.escape(NAMES[2]) in table


def test_scores_on_the_matching_segments_are_sacrebleus(open_first_two, source):
    page = open_first_two(genre="talk")
    output_a, output_b, _, reference = read_outputs(source, 40, 60)
    a, b = score(output_a, reference), score(output_b, reference)
    assert f"{NAMES[0]} {a:.2f}, {NAMES[1]} {b:.2f}, {a - b:+.2f} BLEU" in answer(page)
    assert "no test" in captions(page)


@pytest.mark.parametrize("line", ["61", "x", "-1"])
def test_a_link_to_what_is_not_there(open_segments, source, line):
    gone = dict.fromkeys(("a", "also", "document", "genre", "where", "order"), "gone")
    page = open_segments(source, b=NAMES[1], segment=line, **gone)
    assert "All 60 segments: " in answer(page)
    assert len(listed(page)) == PAGE


def test_changes_of_filters(open_first_two):
    page = open_first_two(document="news · *d2*")
    page.selectbox(key="genre").set_value("talk").run()  # the document is gone with its domain
    assert "20 of 60 segments: " in answer(page)
    page = open_first_two(segment="60", order="line")
    page.text_input(key="text").set_value("number").run()
    assert read_line(page) == 1
    assert "segment" not in page.query_params
    page = open_first_two(text="<b>nowhere</b>", genre="talk")
    assert "No segment matches" in answer(page)
    assert "domain talk" in words(page)
    assert "&lt;b&gt;nowhere" in words(page)
    assert "<b>nowhere" not in words(page)
    page.button(key="segments.clear").click().run()
    assert "All 60 segments: " in answer(page)


def test_names_and_texts_are_literal(open_first_two):
    page = open_first_two(order="line", also=NAMES[2], segment="6")
    text = words(page)
    press(page, "Down")
    press(page, "Down")
    text += words(page)
    assert "&lt;img src=x" in text
    assert "<img" not in text
    assert "<script" not in text
    assert 'dir="auto"' in text
    plain = html.unescape(re.sub("<[^>]*>", "", text))
    for output in (ARABIC, LONG.strip(), "=other 5"):
        assert output in plain
    for element in [*page.markdown, *page.caption]:
        assert "![](" not in element.value
        assert "onerror" not in element.value


def test_identical_and_too_few_systems(open_segments, source):
    page = open_segments(source, a=NAMES[0], b=NAMES[0])
    assert "Choose another system" in words(page)
    page = open_segments(Source(ref=source.ref, system=source.system[:1]))
    assert "There is only one system, so there is no pair" in words(page)
    same = tuple((name, source.system[0][1]) for name in "AB")
    page = open_segments(Source(ref=source.ref, system=same))
    assert "+0.00 BLEU" in answer(page)
    assert set(listed(page).values()) == {0.0}


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_file_has_all_that_match_and_is_made_when_asked_for(open_segments, source, monkeypatch):
    tables, files = [], {}
    write_csv = export.to_csv

    def count_tables(*table):
        tables.append(table)
        return write_csv(*table)

    def keep_file(_label, data, *_, **options):
        files[options["key"]] = data

    monkeypatch.setattr(export, "to_csv", count_tables)
    monkeypatch.setattr(st, "download_button", keep_file)
    open_segments(source, a=NAMES[0], b=NAMES[2], genre="news", order="line")
    assert not tables
    rows = read_csv(files["segments.csv"]().decode("utf-8-sig"))
    assert len(tables) == 1
    assert [int(row["line"]) for row in rows] == list(range(1, 41))
    assert rows[3]["docid"] == "*d1*"
    assert rows[3][f"output {NAMES[2]}"] == "'=other 3"
    rows = read_csv(files["segments.systems"]().decode("utf-8-sig"))
    assert ("1", NAMES[2], "'=other 0") in [
        (row["line"], row["system"], row["output"]) for row in rows
    ]
    scores = [float(row["score"]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    readable = files["segments.html"]()
    assert readable.count('class="mt-pair"') == 40
    assert "40 of 60 segments: " in readable
    assert "<img" not in readable
    assert "&lt;img" in readable


def test_annotations_alone_are_read_with_the_errors_that_raters_marked(open_segments):
    file = Path(__file__).parents[1] / "readers" / "pearmut" / "dynamic.annotations.json"
    source = Source(scores=(("ESA", str(file)),), langpair="ces_Latn-deu_Latn")
    page = open_segments(source, a="Cedar", b="Oak")
    shown = "".join(block.body for block in page.get("html"))
    assert "mt-minor" in shown and "minor error" in shown
    assert "no texts to read" not in words(page)
    page = open_segments(source, a="Cedar", b="Oak", text="summer", where="output of A")
    assert " of 12 segments" in answer(page)
