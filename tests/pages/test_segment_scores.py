"""Segment scores on screen, with gaps."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from mtsig_core.source import Source
from tests.builders import screens
from tests.builders.screens import write_ratings, written

N = 60


@pytest.fixture
def source(tmp_path):
    """Three systems with texts; scores of which some are missing."""
    rng = np.random.default_rng(4)
    reference = [f"this is sentence {k} of the set" for k in range(N)]
    outputs = [[f"this was sentence {k} of {name}" for k in range(N)] for name in "ABC"]
    rows = ["system\tline\tscore"]
    for place, name in enumerate("ABC"):
        for k in range(1, N + 1):
            if rng.random() < 0.9:
                rows.append(f"{name}\t{k}\t{rng.normal(70 - 5 * place, 10):.0f}")
    source = written(tmp_path, reference, outputs, names="ABC")
    return replace(source, scores=(("human", screens.write(tmp_path / "human.tsv", rows)),))


def words(app):
    return unescape(screens.words(app))


def test_inside_a_score_offers_what_needs_no_texts(opened, source):
    texts = {"inside": "output length"}  # a link from a set that has them
    for asked in ({}, texts):
        app = opened("inside", Source(scores=source.scores), **asked)
        assert app.get("plotly_chart")
        assert [tab.label for tab in app.tabs] == ["Student's t", "A case to read"]
    assert {"Output length", "Signatures"} < {tab.label for tab in opened("inside", source).tabs}


def test_the_pair_says_how_many_lines_it_is_compared_on(opened, source):
    app = opened("pair", source, metric="human", a="A", b="B")
    said = words(app)
    assert "Student's t" in said
    assert any(f"on the {n} segments with scores for both<" in said for n in range(40, N))


def test_back_from_a_set_with_scores(opened, source):
    """The metric chosen there is not to be had on the simulated corpus."""
    app = opened("summary", source, metric="human", test="t")
    app.selectbox(key="testset").select("simulated corpus, 300 segments").run()
    assert app.selectbox(key="metric").value == "bleu"
    assert app.selectbox(key="test").value == "ar"


@pytest.mark.parametrize(
    "page, asked", [("sampling", {"size": "10"}), ("bootstrap", {"pool": "10000"})]
)
def test_scores_of_millionths_are_written_in_digits_that_tell_them_apart(
    opened, tmp_path, page, asked
):
    rng = np.random.default_rng(2)
    ratings = {}
    for place, name in enumerate("ABC"):
        ratings[name] = [repr(float((7 - place + rng.normal()) * 1e-6)) for _ in range(N)]
    source = Source(scores=(("tiny", write_ratings(tmp_path / "tiny.tsv", ratings)),))
    said = words(opened(page, source, **asked))
    assert re.search(r"[3-9]\.\d+e-0[67]", said)
    zeros = re.findall(r"[^<>]{0,30}\b0\.00+\b[^<>]{0,9}", said)
    assert [text for text in zeros if "p 0." not in text] == []


def test_a_metric_of_texts_stands_beside_ranks_by_segment_scores(opened, source):
    asked = {"metric": "human", "metrics": "bleu", "trials": "999", "rank_rule": "wmt25"}
    app = opened("summary", source, **asked)
    assert [message.value for message in app.error] == []
    said = words(app)
    assert "First, ranked as WMT25" in said and "made of segment scores" not in said
    assert "BLEU" in said


@pytest.mark.parametrize("texts", [True, False])
def test_ranks_as_wmt24_ask_for_domains(opened, source, texts, tmp_path):
    if not texts:
        source = Source(scores=source.scores)
    asked = {"metric": "human", "trials": "999", "rank_rule": "wmt24"}
    app = opened("summary", source, **asked)
    assert app.selectbox(key="rank_rule").value == "wmt24"
    for said in (
        "as WMT24 need domains",
        "a column 'domain' of the table of scores",
        "Under Change: Rank rule: simultaneous rank ranges.",
    ):
        assert said in words(app)
    head, *lines = (tmp_path / "human.tsv").read_text().splitlines()
    rows = [f"{head}\tdomain"]
    for line in lines:
        _, number, _ = line.split()
        rows.append(f"{line}\t{'speech' if int(number) > 50 else 'news'}")
    screens.write(tmp_path / "human.tsv", rows)
    assert "First, ranked as WMT24" in words(opened("summary", source, **asked))
