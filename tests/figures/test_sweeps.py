"""The figures of sweeps."""

import math

import pytest

from mtsig_core.experiments.sweep_results import PairSize, Slope, SystemSize
from mtsig_core.figures._style import BLUE, GREY, VERMILLION
from mtsig_core.figures.sweeps import decisions, references, scores, widths

SIZES = (10, 100, 1000)


def pair(size, significant, wrong, power):
    return PairSize(size, float(size), 100, "A", "B", 1.0, significant, wrong, 0.5, power)


def system(name, size, score, width):
    ends = [None] * 3 if score is None else [score, score - 1, score + 2]
    return SystemSize(size, float(size), 100, name, *ends, None if width is None else -width / 2,
                      None if width is None else width / 2, width)


def said(figure):
    return [note.text for note in figure.layout.annotations]


def test_shares_in_percent_and_a_line_at_the_power_wanted():
    rows = [pair(10, 0.2, 0.01, 0.15), pair(100, 0.85, None, 0.8), pair(1000, 1.0, 0.0, 1.0)]
    figure = decisions(rows, 0.9, unit="documents")
    planned, found, wrong = figure.data
    assert (list(planned.x), list(planned.y), planned.line.dash) == ([10, 100, 1000], [15, 80, 100], "dot")
    assert (list(found.y), found.marker.color) == ([20, 85, 100], BLUE)
    assert (list(wrong.x), list(wrong.y), wrong.marker.color) == ([10, 1000], [1, 0], VERMILLION)
    assert wrong.marker.symbol != found.marker.symbol and wrong.marker.size < found.marker.size
    assert [shape.y0 for shape in figure.layout.shapes] == [90] and said(figure)[-1] == "documents in a test set"
    assert figure.layout.xaxis.type == "log" and list(figure.layout.xaxis.tickvals) == [
        size for m in (10, 100, 1000) for size in (m, 2 * m, 5 * m) if size <= 1000]


def test_the_two_systems_stand_out_with_ribbons_and_names_are_literal():
    names = ["A", "<b>B</b>", "C"]
    rows = [system(name, size, 30.0 - 5 * k, 0.1) for size in SIZES for k, name in enumerate(names)]
    figure = scores(rows, {"A": BLUE, "<b>B</b>": VERMILLION}, unit="segments", metric="BLEU")
    lines = [trace for trace in figure.data if trace.fill is None]
    ribbons = [trace for trace in figure.data if trace.fill == "toself"]
    assert [line.line.color for line in lines] == [GREY, BLUE, VERMILLION]
    assert list(ribbons[0].x) == [*SIZES, *SIZES[::-1]] and list(ribbons[0].y) == [29.0] * 3 + [32.0] * 3
    assert {"A", "&lt;b&gt;B&lt;/b&gt;", "C", "segments in a test set; BLEU upwards"} == set(said(figure))


def test_names_at_the_ends_keep_apart():
    rows = [system(name, size, 20 + score, 0.1) for size in SIZES for name, score in (("A", 10), ("B", 0.1), ("C", 0))]
    figure = scores(rows, {}, unit="segments", metric="BLEU")
    high, middle, low = sorted((note.y for note in figure.layout.annotations if note.xanchor == "left"), reverse=True)
    assert high == 30 and middle == pytest.approx(20.1) and low < 20


def test_sizes_without_a_score_are_left_out():
    rows = [system("A", 10, None, None), system("A", 100, 30.0, 0.1)]
    figure = scores(rows, {"A": BLUE}, unit="segments", metric="BLEU")
    assert all(list(trace.x) in ([100], [100, 100]) for trace in figure.data)
    assert list(widths(rows, Slope("A", None, None, None), (), unit="segments", theirs="").data[0].x) == [100]


def test_the_fitted_line_runs_through_the_middle_of_the_points():
    rows = [system("A", size, 30.0, 2 / math.sqrt(size)) for size in SIZES]
    paper = [(10, 0.5), (100, 0.2)]
    figure = widths(rows, Slope("A", -0.5, 0.0, 0.29), paper, unit="documents", theirs="<i>paper</i>")
    theirs, line, dots = figure.data
    assert list(theirs.x) == [10, 100] and list(theirs.y) == [50, 20] and theirs.marker.symbol == "diamond-open"
    assert list(dots.y) == pytest.approx([200 / math.sqrt(size) for size in SIZES])
    assert list(line.y) == pytest.approx(list(dots.y))
    assert said(figure) == ["<b>slope -0.50</b>", "&lt;i&gt;paper&lt;/i&gt;", "documents in a test set"]


@pytest.mark.parametrize("factor, anchors", [(2.0, ("left", "bottom")), (0.5, ("right", "top"))])
def test_the_paper_is_named_where_there_is_room(factor, anchors):
    rows = [system("A", size, 30.0, 2 / math.sqrt(size)) for size in SIZES]
    paper = [(size, factor * 2 / math.sqrt(size)) for size in (10, 100)]
    figure = widths(rows, Slope("A", None, None, None), paper, unit="documents", theirs="paper")
    note = figure.layout.annotations[0]
    assert (note.text, note.xanchor, note.yanchor) == ("paper", *anchors)


def test_without_a_fit_or_a_paper_the_points_remain():
    figure = widths([system("A", 10, 30.0, 0.1)], Slope("A", None, None, None), (), unit="documents", theirs="paper")
    assert len(figure.data) == 1 and said(figure) == ["documents in a test set"]


def test_intervals_by_number_of_references():
    figure = references([(1, 30.0, -0.1, 0.2), (2, 40.0, -0.05, 0.05)], [(1, 12.0, -0.05, 0.05)], metric="BLEU",
                        source="paper")
    theirs, ours = figure.data
    assert list(ours.x) == [1, 2] and list(ours.y) == [30, 40] and ours.marker.color == BLUE
    assert list(ours.error_y.arrayminus) == pytest.approx([3, 2]) and list(ours.error_y.array) == pytest.approx([6, 2])
    assert theirs.x[0] != 1 and theirs.marker.symbol != ours.marker.symbol  # beside it, not upon it
    assert list(figure.layout.xaxis.tickvals) == [1, 2]
    assert said(figure) == ["paper", "ours", "references; BLEU upwards"]
    assert len(references([(1, 30.0, -0.1, 0.2)], [], metric="CHRF", source="paper").data) == 1
