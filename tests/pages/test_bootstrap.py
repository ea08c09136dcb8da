"""The Bootstrap page without a browser."""

import json
from functools import partial

import pytest

from mtsig_core import compare
from mtsig_core.cli.main import main
from mtsig_core.report.table import rounded
from mtsig_core.source import Source
from tests.builders.screens import NAMES, all_copied, answers, arguments, copied, words


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


def test_the_commands_print_the_numbers_on_screen(open_page, source, capsys):
    page = open_page(source, seed="4", system=NAMES[0], ci="percentile", tab="How many resamples")
    printed = []
    for name in ("compare", "sweep"):
        command = arguments(next(line for line in copied(page) if f"mtsig {name} " in line))
        assert main([*command, "--format", "json"]) == 0
        printed.append(json.loads(capsys.readouterr().out)["metrics"]["bleu"])
    system = next(s for s in printed[0]["systems"] if s["system"] == NAMES[0])
    assert f"{system['ci_low']:.2f} to {system['ci_high']:.2f}" in answers(page)[0]
    assert printed[1]["system"] == NAMES[0]
    assert len(printed[1]["growing"]) == 7
    for row in printed[1]["growing"]:
        assert (
            f"<td>{row['median']:.2f}</td><td>[{row['low']:.2f}, {row['high']:.2f}]</td>"
            in words(page)
        )
    for row in printed[1]["repeats"]:
        assert f"<td>{row['runs']:,}</td>" in words(page)
        assert f"<td>{rounded(row['theory'])}</td>" in words(page)
