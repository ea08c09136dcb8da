"""Segment scores on screen, with gaps."""

import re
from html import unescape

import numpy as np
import pytest

from mtsig_core.source import Source
from tests.builders import screens

N = 60


@pytest.fixture
def source(tmp_path):
    """Three systems with texts; scores of which some are missing."""
    rng = np.random.default_rng(4)
    texts = {"ref": [f"this is sentence {k} of the set" for k in range(N)]}
    texts |= {name: [f"this was sentence {k} of {name}" for k in range(N)] for name in "ABC"}
    for name, lines in texts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    rows = [
        f"{name}\t{k}\t{rng.normal(70 - 5 * place, 10):.0f}"
        for place, name in enumerate("ABC")
        for k in range(1, N + 1)
        if rng.random() < 0.9
    ]
    (tmp_path / "human.tsv").write_text("system\tline\tscore\n" + "\n".join(rows) + "\n")
    return Source(
        ref=(("ref", str(tmp_path / "ref.txt")),),
        system=tuple((name, str(tmp_path / f"{name}.txt")) for name in "ABC"),
        scores=(("human", str(tmp_path / "human.tsv")),),
    )


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
    assert any(f" on {n} segments. " in said for n in range(40, N))


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
    rows = [
        f"{name}\t{k}\t{(7 - place + rng.normal(0, 1)) * 1e-6!r}\n"
        for place, name in enumerate("ABC")
        for k in range(1, N + 1)
    ]
    (tmp_path / "tiny.tsv").write_text("system\tline\tscore\n" + "".join(rows))
    app = opened(page, Source(scores=(("tiny", str(tmp_path / "tiny.tsv")),)), **asked)
    said = words(app)
    assert re.search(r"[3-9]\.\d+e-0[67]", said)
    assert not [
        part for part in re.findall(r"[^<>]{0,30}\b0\.00+\b[^<>]{0,9}", said) if "p 0." not in part
    ]


@pytest.mark.parametrize("texts", [True, False])
def test_ranks_as_wmt24_ask_for_domains(opened, source, texts, tmp_path):
    source = source if texts else Source(scores=source.scores)
    app = opened("summary", source, metric="human", trials="999", rank_rule="wmt24")
    assert app.selectbox(key="rank_rule").value == "wmt24"
    assert "as WMT24 need domains" in words(app)
    assert "a column 'domain' of the table of scores" in words(app)
    assert "In the sidebar: Change > Rank rule: simultaneous rank ranges." in words(app)
    lines = (tmp_path / "human.tsv").read_text().splitlines()
    (tmp_path / "human.tsv").write_text(
        "\n".join(
            [
                f"{lines[0]}\tdomain",
                *(
                    f"{line}\t{'speech' if int(line.split()[1]) > 50 else 'news'}"
                    for line in lines[1:]
                ),
            ]
        )
    )
    app = opened("summary", source, metric="human", trials="999", rank_rule="wmt24")
    assert "First, ranked as WMT24" in words(app)
