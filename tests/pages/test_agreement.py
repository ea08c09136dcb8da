"""Which metric to trust, on the page Metrics and domains."""

from dataclasses import replace
from html import unescape

import pytest

from mtsig_core.experiments.metric_agreement import agreement
from mtsig_core.report.experiment_reports import agreement_table, agreement_verdict
from tests.builders.screens import NAMES, answers, copied, words, write_ratings

VIEW = {"inside": "which metric to trust"}


@pytest.fixture
def rated(source, tmp_path):
    levels = dict(zip(NAMES, (3, 5, 1), strict=True))
    ratings = {}
    for place, (name, level) in enumerate(levels.items()):
        ratings[name] = [level + (k * 7 + place) % 5 for k in range(1, 51)]
    return replace(source, scores=(("<b>esa", write_ratings(tmp_path / "esa.tsv", ratings)),))


@pytest.mark.long
def test_the_page_has_the_numbers_of_the_core(opened, rated):
    page = opened("metrics", rated, **VIEW)
    assert len(page.get("plotly_chart")) == 1
    found = agreement(rated.read(), "<b>esa")
    assert f">{agreement_verdict(found)}<" in unescape(answers(page)[0])
    for row in agreement_table(found).texts():
        for cell in row[1:]:
            assert f"<td>{cell}</td>" in words(page)
    assert "50 of 60 segments and 3 of 3 systems" in words(page)
    assert "<b>esa" not in words(page)


def test_metrics_are_chosen(opened, rated):
    page = opened("metrics", rated, **VIEW, held="bleu")
    assert "Is one metric better" not in [element.value for element in page.subheader]
    assert "BLEU has a soft pairwise accuracy" in answers(page)[0]
    assert "--metrics bleu" in copied(page)[0]


def test_a_metric_against_people_and_the_directions_assumed_are_told(opened, rated, tmp_path):
    points = {name: [9 - level] * 50 for name, level in zip(NAMES, (3, 5, 1), strict=True)}
    table = ("points", write_ratings(tmp_path / "points.tsv", points))
    source = replace(rated, scores=(*rated.scores, table))
    page = opened("metrics", source, **VIEW, human="points", held="<b>esa")
    shown = unescape(words(page))
    assert "<b>esa and points put most pairs of systems in opposite orders" in shown
    assert "We assume that higher <b>esa scores are better" in shown
    assert "We assume that higher points scores are better" in shown
