"""The Pair page without a browser."""

import base64
import json
import re

import pytest

from mtsig_core import compare
from mtsig_core.cli.main import main
from mtsig_core.errors import round_p, write_p
from mtsig_core.experiments.breakdown import break_down
from mtsig_core.report.caution_kinds import CAUTION_KINDS
from mtsig_core.results import SamplingSettings
from mtsig_core.source import Source
from tests.builders.screens import (
    NAMES,
    answers,
    arguments,
    captions,
    copied,
    links,
    replace_in_most,
    sentences,
    words,
    write_ratings,
    written,
)

ARABIC = "هذه جملة <script>alert(2)</script> & **صغيرة**"


@pytest.fixture
def source(tmp_path):
    """Three systems, the last two identical, on documents of two segments."""
    ref = sentences(40)
    worse = replace_in_most(ref, 3, "sentence", "word")
    mixed = replace_in_most(ref, 2, "small test", "big")
    mixed[5] = ARABIC
    return written(tmp_path, ref, (worse, mixed, mixed), [f"d{k // 2}" for k in range(40)])


@pytest.fixture
def open_pair(opened):
    """The page One pair, which must not fail."""

    def start(*arguments, **controls):
        page = opened("pair", *arguments, **controls)
        return page

    return start


def answer(page):
    return answers(page)[0]


def test_a_system_is_not_paired_with_itself(open_pair, source):
    page = open_pair(source, a=NAMES[0], b=NAMES[0])
    assert "Choose another system" in words(page)
    page.selectbox(key="b").set_value(NAMES[2]).run()
    assert "BLEU" in answer(page)


def test_identical_outputs(open_pair, source):
    page = open_pair(source, a=NAMES[1], b=NAMES[2])
    assert "The outputs of " in answer(page)
    assert "have identical outputs" in words(page)
    assert not page.get("plotly_chart")


@pytest.mark.parametrize(("n", "subject"), [(1, "The only segment: "), (2, "All 2 segments: ")])
def test_from_so_few_segments_nothing_is_said(opened, tmp_path, n, subject):
    outputs = (sentences(n), ["this is the sentence"] * n)
    few = written(tmp_path, sentences(n), outputs, names=NAMES[:2])
    page = opened("pair", few)
    [verdict] = answers(page)  # and none on equivalence
    assert verdict.count(": cannot be decided with so few trials or units<") == 1
    assert "<td>yes</td>" not in words(page)
    assert "There is no interval with fewer than 3" in words(page)
    assert "Equivalence" not in [tab.label for tab in page.tabs]
    assert subject in answer(opened("segments", few))
    page = opened("bootstrap", few, pool="10000", tab="How many resamples")
    [verdict] = answers(page)
    assert " CI " not in verdict
    assert len(page.get("plotly_chart")) == 1
    assert "There is no interval with fewer than 3" in words(page)
    assert "no interval settles with more resamples" in words(page)
    assert "is blue" not in captions(page)


@pytest.mark.parametrize(
    ("test", "unit", "evidence", "n_alarms"),
    [
        ("koehn", "segment", "Wins of ", 2),  # among other tests, and above
        ("percentile", "block", "adjusted p", 1),
        ("riezler-maxwell", "segment", "adjusted p", 1),
    ],
)
def test_other_tests_and_units(open_pair, source, test, unit, evidence, n_alarms):
    page = open_pair(source, test=test, unit=unit, a=NAMES[0], b=NAMES[1])
    assert f'"mt-faint">{evidence}' in words(page)
    documents_ignored = CAUTION_KINDS["documents-ignored"].general in words(page)
    assert documents_ignored == (unit == "segment")
    assert words(page).count("it gives about 10% false alarms") == n_alarms


def test_the_margin_decides_on_equivalence(open_pair, source):
    page = open_pair(source, a=NAMES[0], b=NAMES[1])
    # Without a margin the page claims nothing.
    assert page.number_input(key="margin").value is None
    assert "quivalent within ±" not in words(page)
    assert "Enter the largest" in captions(page)
    page.number_input(key="margin").set_value(90.0).run()
    assert "Equivalent within ±90 BLEU" in words(page)
    page.number_input(key="margin").set_value(0.01).run()
    assert "Not shown to be equivalent within ±0.01 BLEU" in words(page)


def test_where_lower_is_better_an_improvement_is_positive_for_the_margin_too(open_pair, source):
    first = compare(source.read(), "ter").metrics["ter"].pairs[0]
    assert first.significant
    page = open_pair(source, a=first.a, b=first.b, metric="ter")
    page.number_input(key="margin").set_value(0.01).run()
    tests = re.search(r"p (\S+) against -0.01 or less, (\S+) against 0.01", captions(page))
    lower, upper = map(float, tests.groups())
    assert lower < 0.05
    assert upper > 0.95


def test_the_summary_is_the_one_that_the_command_writes(open_pair, source, capsys):
    page = open_pair(
        source, a=NAMES[1], b=NAMES[0], trials="999", card="true", test="koehn", unit="block"
    )
    assert page.toggle(key="card").value
    [command] = [line for line in copied(page) if line.endswith("--format html")]
    assert main(arguments(command)) == 0
    encoded = page.get("iframe")[0].proto.src.partition("base64,")[2]
    assert base64.b64decode(encoded).decode() == capsys.readouterr().out
    assert "One-page summary (HTML)" in [button.label for button in page.get("download_button")]


def test_a_document_leads_to_its_segments(open_pair, source):
    page = open_pair(source, a=NAMES[1], b=NAMES[0])
    page.selectbox(key="read").set_value("d4").run()
    assert links(page)["Read them"]["document"] == "d4"
    assert "document" not in links(page)["All segments, to search and sort"]


def test_a_metric_at_its_floor_claims_neither_a_difference_nor_equality(open_pair, tmp_path):
    ref = [f"word{k % 7}" for k in range(40)]
    outputs = [[text if k % n else "other" for k, text in enumerate(ref)] for n in (3, 4)]
    page = open_pair(written(tmp_path, ref, outputs, names=NAMES[:2]), trials="999")
    text = words(page)
    assert text.count("no 4-gram of the whole set matches a reference") == 1
    assert "Equivalent within" not in text
    assert "Smallest detectable difference (80% power)" not in text
    assert "Equivalence" not in [tab.label for tab in page.tabs]


def test_where_test_and_scores_disagree_nobody_is_better(open_pair, tmp_path):
    b = [50 + k % 10 for k in range(200)]
    a = [score - 40 for score in b[:12]] + [score + 1 for score in b[12:]]
    table = Source(scores=(("h", write_ratings(tmp_path / "h.tsv", {"A": a, "B": b})),))
    page = open_pair(table, test="wilcoxon", unit="segment", trials="999")
    assert answer(page).count(": test and scores disagree") == 1
    assert words(page).count("the signed ranks favour one system") == 1


def test_says_what_compare_says(open_pair, source):
    page = open_pair(source, a=NAMES[1], b=NAMES[0])
    pairs = compare(source.read()).metrics["bleu"].pairs
    [pair] = [pair for pair in pairs if {pair.a, pair.b} == set(NAMES[:2])]
    sign = 1 if pair.a == NAMES[1] else -1
    interval = sorted([sign * pair.ci_joint_low, sign * pair.ci_joint_high])
    low, high = interval
    for number in (
        f"{sign * pair.delta:+.2f}",
        f"{low:.2f} to {high:.2f}",
        round_p(pair.p_adjusted),
        f"{pair.mdd_family:.2f}",
    ):
        assert f'mt-number">{number}<' in words(page)
    for text in (
        f"{write_p(pair.p_value)} for this pair only.",
        "approximate randomization",
        "bootstrap, signed shift",
        "shift method as printed",
        "Jackknife t (chosen)",
        "Smallest detectable difference",
        "for all 3 pairs together",
    ):
        assert text in words(page)
    assert "Choose unit, test and metric before you look at the result" in captions(page)
    charts = page.get("plotly_chart")
    assert len(charts) == 3
    traces = json.loads(charts[0].proto.spec)["data"]
    joint = next(trace for trace in traces if "all 3 pairs" in trace.get("name", ""))
    assert joint["x"][:2] == interval
    assert len(set(copied(page))) == 1


def test_texts_are_literal_and_marked_as_chosen(open_pair, source):
    page = open_pair(source, a=NAMES[0], b=NAMES[1])
    text = words(page)
    for shows, hides in (("&lt;script&gt;", "<script"), ("mt-n4", '<span class="mt-alone">small')):
        assert shows in text
        assert hides not in text
    assert 'dir="auto"' in text
    page.selectbox(key="marks").set_value("differences between the two").run()
    assert '<span class="mt-alone">small' in words(page)
    assert "<script" not in words(page)


def test_words_and_lengths_are_those_of_the_core(open_pair, source):
    page = open_pair(source, a=NAMES[0], b=NAMES[1], tab="Words and lengths")
    settings = SamplingSettings("document", None, 0.05, 2000, 0, "")
    expected = break_down(source.read(), "bleu", NAMES[0], NAMES[1], settings)
    shown = words(page)
    titles = [title.value for title in page.subheader]
    assert "BLEU of segments by length of the reference in words" in titles and expected.words
    for row in (*expected.words, *expected.lengths):
        assert f"{row.score_a:.2f}" in shown and f"{row.difference:+.2f}" in shown
    assert "exploratory" in captions(page)
    page.session_state["tab"] = "Documents"  # they are counted only when their tab is open
    assert not [title.value for title in page.run().subheader if "F1 of words" in title.value]
