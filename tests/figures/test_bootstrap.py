"""The figures of the bootstrap of a score."""

import math

import numpy as np
import pytest

from mtsig_core.figures.experiment_plots import replicates, settling

BLUE, GREY = "#0072B2", "#7A8594"
EDGES, COUNTS = np.linspace(20, 26, 7), np.array([1, 5, 20, 22, 4, 2])
SIZES, PAPER = (100, 500, 1000), ((100, 0.006), (500, 0.0027), (1000, 0.0019))


def said(figure):
    return [note.text for note in figure.layout.annotations]


def test_filled_inside_the_interval():
    low, inside, high = replicates(EDGES, COUNTS, 23.0, 23.2, (21.5, 24.5), unit="BLEU").data
    assert (max(low.x), min(inside.x), max(inside.x), min(high.x)) == (21.5, 21.5, 24.5, 24.5)
    assert [trace.line.color for trace in (low, inside, high)] == [GREY, BLUE, GREY]
    assert (max(low.y), max(inside.y), max(high.y)) == (5, 22, 4)


@pytest.mark.parametrize("score, anchors", [(23.0, ["right", "left"]), (23.4, ["left", "right"])])
def test_labels_stand_beside_their_lines(score, anchors):
    figure = replicates(EDGES, COUNTS, score, 23.2, (21.5, 24.5), (-0.07, 0.06), unit="BLEU")
    assert said(figure) == [f"observed {score:.2f}", "median 23.20", "<b>21.50</b>  -7.00%", "<b>24.50</b>  +6.00%",
                            "BLEU of bootstrap samples"]
    assert [note.xanchor for note in figure.layout.annotations[:2]] == anchors
    assert sorted(line.x0 for line in figure.layout.shapes) == sorted([21.5, score, 23.2, 24.5])


def test_without_an_interval_and_without_variation():
    figure = replicates(EDGES, COUNTS, 23.0, 23.2, None, unit="BLEU")
    assert [trace.line.color for trace in figure.data] == [GREY] and len(figure.layout.shapes) == 2
    counts, edges = np.histogram(np.full(9, 30.0), 60)
    figure = replicates(edges, counts, 30.0, 30.0, (30.0, 30.0), unit="BLEU")
    assert figure.layout.xaxis.range[0] < 30 < figure.layout.xaxis.range[1]


def test_settling_in_percent_on_log_axes():
    figure = settling(SIZES, [0.002, 0.001, None], [(0.0018, 0.0023), (0.0008, 0.0014), None],
                      [0.0021, 0.00095, 0.00067], PAPER, unit="BLEU")
    paper, theory, ours = figure.data
    assert list(paper.y) == pytest.approx([0.6, 0.27, 0.19]) and list(theory.x) == list(SIZES)
    assert list(ours.x) == [100, 500] and list(ours.y) == pytest.approx([0.2, 0.1])
    assert list(ours.error_y.array) == pytest.approx([0.03, 0.04])
    assert list(ours.error_y.arrayminus) == pytest.approx([0.02, 0.02])
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    low, high = figure.layout.yaxis.range
    assert low < math.log10(0.067) and high > math.log10(0.6)
    assert said(figure)[:2] == ["here, and the line of theory", "Zhang and Vogel, BLEU"]
