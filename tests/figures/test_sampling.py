"""The figures of samples."""

import numpy as np
import pytest

from mtsig_core.figures.experiment_plots import intervals, outcomes, spread

BLUE, VERMILLION = "#0072B2", "#D55E00"
NAN = float("nan")


def said(figure):
    return [note.text for note in figure.layout.annotations]


def test_blocks_lie_above_broad_samples_on_one_axis():
    figure = spread({"Blocks": np.array([21.0, 37.0]), "Broad samples": np.array([27.0, 31.0, NAN])}, 29.0,
                    {"Blocks": (20, 38)}, unit="<b>")
    above, below = figure.data
    assert min(above.y) > 1 > max(below.y) and above.x.tolist() == [21, 37]
    (low, high), (box, line) = figure.layout.xaxis.range, figure.layout.shapes
    assert low < 20 and high > 38 and (box.x0, box.x1, line.x0) == (20, 38, 29)
    assert 1 < box.y0 < min(above.y) and box.y1 < 2
    assert said(figure) == ["Koehn: 20 to 38", "<b>Blocks</b>", "<b>Broad samples</b>", "whole test set 29.00",
                            "&lt;b&gt; of a sample"]


def test_shuffled_samples_stand_on_the_axis_of_before_among_their_ghosts():
    before, after = np.array([21.0, 30.0, 37.0]), np.array([28.0, 29.0, 30.0])
    kept = spread({"Blocks": before}, 29.0, {"Blocks": (20, 38)}, unit="BLEU").layout.xaxis.range
    figure = spread({"Blocks": after}, 29.0, unit="BLEU", ghosts={"Blocks": before}, frame=(20, 38))
    ghost, dots = figure.data
    assert figure.layout.xaxis.range == kept and "○ before the shuffle" in said(figure)
    assert (ghost.x.tolist(), dots.x.tolist()) == (before.tolist(), after.tolist())
    assert (ghost.marker.color, ghost.marker.symbol) == ("#7A8594", "circle-open") and dots.marker.color == BLUE
    assert "before the shuffle" in ghost.hovertemplate


def test_height_is_no_number_of_a_sample():
    """Dots apart from each other share a height, whatever their order; those that would cover each other do not."""
    values = np.array([30.0, 20.0, 40.0, NAN])
    heights = spread({"Blocks": values}, 29.0, unit="BLEU").data[0].y
    assert len(set(heights.tolist())) == 1
    crowd = np.concatenate([np.full(9, 30.0), [20.0, 40.0]])
    heights = spread({"Blocks": crowd}, 29.0, unit="BLEU").data[0].y
    assert len(set(heights[:9].tolist())) == 9 and heights[9] == heights[10] == pytest.approx(np.median(heights[:9]))
    many = spread({"Blocks": np.full(500, 30.0)}, 29.0, unit="BLEU").data[0].y
    assert 0.25 < min(many) < max(many) < 0.95


def test_hits_and_misses_differ_by_more_than_colour():
    scores = np.array([30.0, 35.0, NAN])
    hit, miss = intervals(scores, scores - 2, scores + 1, np.array([True, False, False]), 30.0, unit="BLEU").data[:2]
    assert (hit.x.tolist(), miss.x.tolist()) == ([1], [2])
    assert (hit.marker.symbol, miss.marker.symbol, hit.marker.color, miss.marker.color) == (
        "circle", "x", BLUE, VERMILLION)
    assert (miss.error_y.arrayminus, miss.error_y.array) == ((2,), (1,))


@pytest.mark.parametrize("unit, text", [("BLEU", "Improvement (BLEU), by sample"),
                                        ("", "Improvement, by sample")])
def test_outcomes_are_marked_by_their_verdict(unit, text):
    figure = outcomes(np.array([1.0, -2.0, 0.5, NAN]), np.array([1, -1, 0, 0]), 0.8, "whole", what="Improvement",
                      unit=unit, bounds=(5, 95))
    assert {trace.name: trace.x.tolist() for trace in figure.data[:-1]} == {
        "as the whole set": [1], "opposite": [2], "no conclusion": [3]}
    assert len({trace.marker.symbol for trace in figure.data[:-1]}) == 3
    assert sorted(shape.y0 for shape in figure.layout.shapes) == [0.8, 5, 95]
    assert said(figure) == [text] and figure.data[-1].name == "whole"
