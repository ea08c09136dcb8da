"""The Bootstrap page without a browser."""

from functools import partial

import pytest

from mtsig_core import compare
from mtsig_core.source import Source
from mtsig_core.stats.comparison import bootstrap_systems
from tests.builders.apps import press
from tests.builders.screens import NAMES, all_copied, answers, read_address, words


@pytest.fixture
def open_page(opened):
    return partial(opened, "bootstrap", pool="10000")


def test_the_interval_is_the_middle_of_the_bars(open_page, source):
    page = open_page(source)
    best, chosen = (
        compare(source.read(), ci=kind).metrics["bleu"].systems[0]
        for kind in ("percentile", "auto")
    )
    assert page.selectbox(key="system").value == best.system
    assert (
        f"{best.score:.2f} BLEU; the middle 95% of its resamples are "
        f"{best.ci_low:.2f} to {best.ci_high:.2f}<" in answers(page)[0]
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
    assert "0.00 BLEU; the middle 95% of its resamples are 0.00 to 0.00<" in answers(page)[0]
    assert len(page.get("plotly_chart")) == 1
    assert "interval would move by about 0.00 BLEU<" in answers(page)[1]


def test_the_pool_is_chosen_in_the_address(open_page, source):
    page = open_page(source, pool="20000", tab="How many resamples")
    assert any("One pool of 20,000 independent resamples" in e.help for e in page.caption)
    assert "--pool 20000" in all_copied(page)
    page = open_page(source, pool="auto", tab="How many resamples")
    assert any("One pool of 200,000 independent resamples" in e.help for e in page.caption)


def test_resamples_are_drawn_one_by_one_after_a_guess(open_page, source):
    page = open_page(source, guess_bootstrap="0.5 to 2")
    (drawn,) = bootstrap_systems(source.read(), "bleu", only=[NAMES[1]])
    for n, label in ((1, "Draw 1 more"), (2, "100 more"), (102, "All 2,000")):
        assert f"On resample {n}, " in answers(page)[0]
        assert f" scores {drawn.drawn[n - 1]:.2f} BLEU<" in answers(page)[0]
        page = press(page, label)
        assert read_address(page)["drawn"] == str({1: 2, 2: 102, 102: 2000}[n])
    assert "the middle 95% of its resamples" in answers(page)[0]
