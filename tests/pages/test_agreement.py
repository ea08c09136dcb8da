"""Which metric to trust, on the page Metrics and domains."""

from dataclasses import replace
from html import unescape

import pytest

from mtsig_core.experiments.metric_agreement import agreement
from mtsig_core.report.experiment_reports import agreement_table, agreement_verdict
from tests.builders.screens import NAMES, answers, copied, words, write

VIEW = {"inside": "which metric to trust"}


@pytest.fixture
def rated(source, tmp_path):
    lines = ["system\tline\tscore"] + [
        f"{name}\t{k}\t{(3, 5, 1)[at] + (k * 7 + at) % 5}"
        for at, name in enumerate(NAMES)
        for k in range(1, 51)
    ]
    return replace(source, scores=(("<b>esa", write(tmp_path / "esa.tsv", lines)),))


@pytest.mark.long
def test_the_page_has_the_numbers_of_the_core_and_of_its_command(opened, rated, print_json):
    page = opened("metrics", rated, **VIEW)
    assert len(page.get("plotly_chart")) == 1
    found = agreement(rated.read(), "<b>esa")
    assert f">{agreement_verdict(found)}<" in unescape(answers(page)[0])
    for row in agreement_table(found).texts():
        assert all(f"<td>{cell}</td>" in words(page) for cell in row[1:])
    assert "50 of 60 segments and 3 of 3 systems" in words(page)
    assert "<b>esa" not in words(page)
    printed = print_json(copied(page)[0])["metrics"]
    assert {name: one["soft_pairwise_accuracy"] for name, one in printed.items()} == {
        one.metric: one.soft_pairwise_accuracy for one in found.metrics
    }


def test_metrics_are_chosen(opened, rated):
    page = opened("metrics", rated, **VIEW, held="bleu")
    assert "Is one metric better" not in [element.value for element in page.subheader]
    assert "BLEU has a soft pairwise accuracy" in answers(page)[0]
    assert "--metrics bleu" in copied(page)[0]


def test_a_metric_against_people_and_the_directions_assumed_are_told(opened, rated, tmp_path):
    lines = ["system\tline\tscore"] + [
        f"{name}\t{k}\t{9 - (3, 5, 1)[at]}" for at, name in enumerate(NAMES) for k in range(1, 51)
    ]
    page = opened(
        "metrics",
        replace(rated, scores=(*rated.scores, ("points", write(tmp_path / "points.tsv", lines)))),
        **VIEW,
        human="points",
        held="<b>esa",
    )
    shown = unescape(words(page))
    assert "<b>esa orders most pairs of systems otherwise than points" in shown
    assert "Assumed: <b>esa: higher is better" in shown
    assert "Assumed: points: higher is better" in shown
