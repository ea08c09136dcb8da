"""The Bootstrap page without a browser."""

from functools import partial

import pytest

from mtsig_core import compare
from mtsig_core.source import Source
from tests.builders.screens import NAMES, all_copied, answers, words


@pytest.fixture
def open_page(opened):
    return partial(opened, "bootstrap", pool="10000")


def test_the_interval_is_that_of_the_leaderboard(open_page, source):
    page = open_page(source)
    best = compare(source.read()).metrics["bleu"].systems[0]
    assert page.selectbox(key="system").value == best.system
    assert (
        f"{best.score:.2f} BLEU (95% CI {best.ci_low:.2f} to {best.ci_high:.2f})<"
        in answers(page)[0]
    )
    for kind in ("Percentile", "Basic", "BCa", "Jackknife t (chosen)"):
        assert f">{kind}</td>" in words(page)
    for text in ("by segment", "by document", "ratio of widths"):
        assert text in words(page)
    assert len(page.get("plotly_chart")) == 1
    page = open_page(source, tab="How many resamples")
    assert len(page.get("plotly_chart")) == 2
    assert "Zhang" not in words(page)
    assert (
        "each end of the percentile interval would move by about" in answers(page)[1]
    )  # not the one chosen


def test_an_interval_without_documents_says_so(open_page, source):
    said = "Student's t treats segments as independent, so it is the same by document."
    assert said in [
        caption.value for caption in open_page(Source(demo_task=True), metric="human").caption
    ]
    assert said not in [caption.value for caption in open_page(source).caption]


def test_a_score_of_nothing(open_page, source):
    page = open_page(source, system=NAMES[2], tab="How many resamples")
    assert "0.00 BLEU (95% CI 0.00 to 0.00)<" in answers(page)[0]
    assert len(page.get("plotly_chart")) == 1
    assert "interval would move by about 0.00 BLEU<" in answers(page)[1]


def test_the_pool_is_chosen_in_the_address(open_page, source):
    page = open_page(source, pool="20000", tab="How many resamples")
    assert any("One pool of 20,000 independent resamples" in e.help for e in page.caption)
    assert "--pool 20000" in all_copied(page)
    page = open_page(source, pool="auto", tab="How many resamples")
    assert any("One pool of 200,000 independent resamples" in e.help for e in page.caption)
