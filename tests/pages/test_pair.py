"""The Pair page without a browser."""

import base64
import html
import json
import re
from functools import partial

import pytest

from mtsig_core import compare
from mtsig_core.cli.main import main
from mtsig_core.report.caution_kinds import CAUTION_KINDS
from mtsig_core.report.table import write_p
from mtsig_core.source import Source
from tests.builders.screens import NAMES, answers, arguments, copied, sentences, words, written

ARABIC = "هذه جملة <script>alert(2)</script> & **صغيرة**"


@pytest.fixture
def source(tmp_path):
    ref = sentences(40)
    worse = [text.replace("sentence", "word") if k % 3 else text for k, text in enumerate(ref)]
    mixed = [
        ARABIC if k == 5 else text.replace("small test", "big") if k % 2 else text
        for k, text in enumerate(ref)
    ]
    return written(tmp_path, ref, (worse, mixed, mixed), [f"d{k // 2}" for k in range(40)])


@pytest.fixture
def open_pair(opened):
    return partial(opened, "pair")


def answer(page):
    return answers(page)[0]


def test_says_what_compare_and_the_command_say(open_pair, source, capsys):
    page = open_pair(source, a=NAMES[1], b=NAMES[0])
    assert not page.exception
    result = compare(source.read()).metrics["bleu"]
    pair = next(p for p in result.pairs if {p.a, p.b} == set(NAMES[:2]))
    delta = pair.delta if pair.a == NAMES[1] else -pair.delta
    assert f"({delta:+.2f} BLEU, 95% CI " in answer(page) and write_p(
        pair.p_adjusted, "adjusted p"
    ) in answer(page)
    low, high = sorted(
        (1 if pair.a == NAMES[1] else -1) * end for end in (pair.ci_joint_low, pair.ci_joint_high)
    )
    assert f"95% CI for all pairs together {low:.2f} to {high:.2f}" in answer(
        page
    )  # which goes with the adjusted p
    assert (
        f"{write_p(pair.p_value)} for this pair only. Corrected for 3 pairs, which decides"
        in words(page)
    )
    assert len(page.get("plotly_chart")) == 3
    assert f"That is not the probability that {html.escape(NAMES[1])} is better." in words(page)
    assert any(
        "Choose before you look at the result." in caption.value for caption in page.sidebar.caption
    )
    for title in (
        "approximate randomization",
        "bootstrap, signed shift",
        "shift method as printed",
    ):
        assert title in words(page)
    assert "Jackknife t (chosen)" in words(page)
    assert "Smallest detectable difference" in words(page) and "for all 3 pairs together" in words(
        page
    )
    drawn = json.loads(page.get("plotly_chart")[0].proto.spec)["data"]
    assert next(trace for trace in drawn if "all 3 pairs" in trace.get("name", ""))["x"][:2] == [
        low,
        high,
    ]
    [command] = set(copied(page))
    assert main([*arguments(command), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)["metrics"]["bleu"]["pair"]
    assert {printed["a"], printed["b"]} == set(NAMES[:2]) and printed["p_value"] == pair.p_value
    assert printed["p_adjusted"] == pair.p_adjusted  # for all three pairs, as on the page


def test_names_and_texts_are_literal(open_pair, source):
    page = open_pair(source, a=NAMES[0], b=NAMES[1])
    assert (
        "&lt;img src=x" in words(page)
        and "<img" not in words(page)
        and "<script" not in words(page)
    )
    assert "&lt;script&gt;" in words(page) and 'dir="auto"' in words(page)
    assert not [
        e for e in [*page.markdown, *page.caption] if "![](" in e.value or "onerror" in e.value
    ]
    assert "mt-n4" in words(page) and '<span class="mt-alone">small' not in words(page)
    page.selectbox(key="marks").set_value("differences between the two").run()
    assert (
        not page.exception
        and '<span class="mt-alone">small' in words(page)
        and "<script" not in words(page)
    )


def test_a_system_is_not_paired_with_itself(open_pair, source):
    page = open_pair(source, a=NAMES[0], b=NAMES[0])
    assert not page.exception and "Choose another system" in words(page)
    page.selectbox(key="b").set_value(NAMES[2]).run()
    assert not page.exception and "BLEU" in answer(page)


def test_identical_outputs(open_pair, source):
    page = open_pair(source, a=NAMES[1], b=NAMES[2])
    assert not page.exception and "the outputs are identical" in answer(page)
    assert "have identical outputs" in words(page) and len(page.get("plotly_chart")) == 0


@pytest.mark.parametrize("n", [1, 2])
def test_from_so_few_segments_nothing_is_said(opened, tmp_path, n):
    few = written(
        tmp_path, sentences(n), (sentences(n), ["this is the sentence"] * n), names=NAMES[:2]
    )
    page = opened("pair", few)
    assert (
        not page.exception
        and answers(page)[0].count(": cannot be decided with so few trials or units (") == 1
    )
    assert len(answers(page)) == 1 and " BLEU, p = " in answers(page)[0]  # and none on equivalence
    assert "<td>yes</td>" not in words(page) and "There is no interval with fewer than 3" in words(
        page
    )
    assert any("Equivalence cannot be tested" in e.value for e in page.caption)
    page = opened("segments", few)
    assert ("The only segment: " if n == 1 else "All 2 segments: ") in answers(page)[0]
    page = opened("bootstrap", few, pool="10000", tab="How many resamples")
    assert (
        not page.exception and " CI " not in answers(page)[0] and len(page.get("plotly_chart")) == 1
    )
    assert len(answers(page)) == 1 and "There is no interval with fewer than 3" in words(page)
    assert "no interval settles with more resamples" in words(page)
    assert not any("is blue" in e.value for e in page.caption)


@pytest.mark.parametrize(
    "test, unit", [("koehn", "segment"), ("percentile", "block"), ("riezler-maxwell", "segment")]
)
def test_other_tests_and_units(open_pair, source, test, unit):
    page = open_pair(source, test=test, unit=unit, a=NAMES[0], b=NAMES[1])
    assert not page.exception
    assert ("wins" if test == "koehn" else "adjusted p") in answer(page)
    assert (CAUTION_KINDS["documents-ignored"].general in words(page)) == (unit == "segment")
    assert words(page).count("it gives about 10% false alarms") == 1 + (
        test == "koehn"
    )  # among other tests, and above


def test_the_margin_decides_on_equivalence(open_pair, source):
    page = open_pair(source, a=NAMES[0], b=NAMES[1])
    assert (
        page.number_input(key="margin").value is None
    )  # and of one that nobody chose nothing is claimed
    assert "quivalent within ±" not in words(page) and any(
        "Enter the largest" in e.value for e in page.caption
    )
    page.number_input(key="margin").set_value(90.0).run()
    assert "Equivalent within ±90 BLEU" in words(page)
    page.number_input(key="margin").set_value(0.01).run()
    assert "Not shown to be equivalent within ±0.01 BLEU" in words(page)


def test_where_lower_is_better_an_improvement_is_positive_for_the_margin_too(open_pair, source):
    first = compare(source.read(), "ter").metrics["ter"].pairs[0]
    page = open_pair(source, a=first.a, b=first.b, metric="ter")
    page.number_input(key="margin").set_value(0.01).run()
    said = next(caption.value for caption in page.caption if "Two one-sided" in caption.value)
    lower, upper = re.search(r"p (\S+) against -0.01 or less, (\S+) against 0.01", said).groups()
    assert first.significant and float(lower) < 0.05 < 0.95 < float(upper)


def test_the_summary_is_the_one_that_the_command_writes(open_pair, source, capsys):
    page = open_pair(
        source, a=NAMES[1], b=NAMES[0], trials="999", card="true", test="koehn", unit="block"
    )
    assert not page.exception and page.toggle(key="card").value
    command = next(line for line in copied(page) if line.endswith("--format html"))
    assert main(arguments(command)) == 0
    made = page.get("iframe")[0].proto.src.partition("base64,")[2]
    assert base64.b64decode(made).decode() == capsys.readouterr().out
    assert "One-page summary (HTML)" in [button.label for button in page.get("download_button")]


def test_a_document_leads_to_its_segments(open_pair, source):
    page = open_pair(source, a=NAMES[1], b=NAMES[0])
    page.selectbox(key="pair.document").set_value("d4").run()
    assert not page.exception
    links = [
        link.proto.query_string
        for link in page.get("page_link")
        if link.proto.label in ("Read them", "All segments, to search and sort")
    ]
    assert len(links) == 2 and "document=d4" in links[0] and "document=d4" not in links[1]


def test_a_metric_at_its_floor_claims_neither_a_difference_nor_equality(open_pair, tmp_path):
    ref = [f"word{k % 7}" for k in range(40)]
    outputs = [[text if k % n else "other" for k, text in enumerate(ref)] for n in (3, 4)]
    page = open_pair(written(tmp_path, ref, outputs, names=NAMES[:2]), trials="999")
    said = words(page)
    assert not page.exception and said.count("no 4-gram of the whole set matches a reference") == 1
    assert (
        "Equivalent within" not in said and "Smallest detectable difference (80% power)" not in said
    )
    assert "Equivalence is not tested" in said


def test_where_test_and_scores_disagree_nobody_is_better(open_pair, tmp_path):
    b = [50 + k % 10 for k in range(200)]
    a = [value + (1 if k >= 12 else -40) for k, value in enumerate(b)]
    table = tmp_path / "h.tsv"
    table.write_text(
        "system\tline\tscore\n"
        + "".join(
            f"{name}\t{k}\t{value}\n"
            for name, row in (("A", a), ("B", b))
            for k, value in enumerate(row, 1)
        )
    )
    page = open_pair(
        Source(scores=(("h", str(table)),)), test="wilcoxon", unit="segment", trials="999"
    )
    assert not page.exception and answer(page).count(": test and scores disagree") == 1
    assert words(page).count("the signed ranks favour one system") == 1
