"""The figures of sweeps."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from scipy.stats import binomtest

from mtsig_core.experiments.frame import rate
from mtsig_core.experiments.sweeps import Detection, Slope, SystemSize
from mtsig_core.figures.experiment_plots import decisions, references, scores, widths
from mtsig_core.report.palette import BLUE, GREY, VERMILLION

SIZES = (10, 100, 1000)


def pair(size, significant, wrong, power, repeats=100):
    return Detection(size, float(size), rate(significant, repeats), rate(wrong, repeats), 0.5, power)


def system(name, size, score, width):
    ends = [None] * 3 if score is None else [score, score - 1, score + 2]
    return SystemSize(size, float(size), 100, name, *ends, None if width is None else -width / 2,
                      None if width is None else width / 2, width)


def said(figure):
    return [note.text for note in figure.layout.annotations]


def test_shares_with_their_intervals_and_where_the_curve_meets_the_line():
    rows = [pair(10, 20, 1, 0.15), pair(100, 85, 0, 0.8), pair(1000, 1, 0, 1.0, repeats=1)]
    figure = decisions(rows, 0.9, 200, unit="documents")
    planned, found, wrong = figure.data
    assert (list(planned.x), list(planned.y), planned.line.dash) == ([10, 100, 1000], [15, 80, 100], "dot")
    assert (list(found.y), found.marker.color) == ([20, 85, 100], BLUE)
    low, high = binomtest(20, 100).proportion_ci(method="wilson")
    assert (found.error_y.arrayminus[0], found.error_y.array[0]) == pytest.approx((20 - 100 * low, 100 * high - 20))
    assert found.error_y.arrayminus[2] == 0 and "once" in found.customdata[2]  # drawn once, it is no estimate
    assert (list(wrong.y), wrong.marker.color, wrong.error_y.array[1] > 0) == ([1, 0, 0], VERMILLION, True)
    assert wrong.marker.symbol != found.marker.symbol and wrong.marker.size < found.marker.size
    line, needed = figure.layout.shapes
    assert (line.y0, needed.x0, needed.y1) == (90, 200, 90)
    assert "documents in a test set" in said(figure) and said(figure)[-1] == "<b>about 200 documents</b>"
    assert figure.layout.xaxis.type == "log" and list(figure.layout.xaxis.tickvals) == [
        size for m in (10, 100, 1000) for size in (m, 2 * m, 5 * m) if size <= 1000]
    assert said(decisions(rows, 0.9, 5000, unit="documents"))[-1] == "<b>about 5,000 documents →</b>"
    assert said(decisions(rows, 0.9, 4, unit="documents"))[-1] == "<b>← about 4 documents</b>"
    assert len(decisions(rows, 0.9, None, unit="documents").layout.shapes) == 1


def test_dots_of_more_than_half_of_the_set_are_pale():
    rows = [pair(10, 20, 1, 0.15), pair(100, 85, 0, 0.8), pair(101, 40, 0, 0.8), pair(200, 1, 0, 0.9, repeats=1)]
    planned, *dots = decisions(rows, 0.9, 200, unit="documents", whole=200).data
    assert list(planned.x) == [10, 100, 101, 200]
    assert [(list(trace.x), trace.opacity) for trace in dots] == [
        ([10, 100], 1.0), ([10, 100], 1.0), ([101, 200], 0.35), ([101, 200], 0.35)]


def test_half_a_curve_says_so_on_the_axes_of_the_whole():
    rows = [pair(10, 20, 1, 0.15), pair(100, 85, 0, 0.8), pair(1000, 100, 0, 1.0)]
    whole = decisions(rows, 0.9, 200, unit="documents")
    for drawn in range(4):
        so_far = [*rows[:drawn], *(replace(row, significant=rate(0, 0), wrong=rate(0, 0)) for row in rows[drawn:])]
        figure = decisions(so_far, 0.9, 200, unit="documents")
        assert [list(trace.x) for trace in figure.data] == [[10, 100, 1000], *2 * [[10, 100, 1000][:drawn]]]
        assert (figure.layout.xaxis, figure.layout.yaxis.range, figure.layout.height, figure.layout.margin) == (
            whole.layout.xaxis, whole.layout.yaxis.range, whole.layout.height, whole.layout.margin)
        bands = [shape for shape in figure.layout.shapes if shape.type == "rect"]
        assert (len(bands), said(figure).count("still being<br>drawn")) == 2 * (drawn < 3,)
        for band in bands:
            assert [band.x0 < row.size < band.x1 for row in rows] == [k >= drawn for k in range(3)]


def test_26_systems_are_all_named_and_none_on_top_of_another():
    rows = [system(f"S{k}", size, 30 + 0.02 * k * (k != 25) - 20 * (k == 25), 0.1) for size in SIZES for k in range(26)]
    figure = scores(rows, {"S3": BLUE}, unit="documents", metric="BLEU")
    names = {note.text: note.y for note in figure.layout.annotations if note.xanchor == "left"}
    assert set(names) == {f"S{k}" for k in range(26)}
    low, high = figure.layout.yaxis.range
    pixels = (figure.layout.height - 56) / (high - low)
    heights = sorted(names.values())
    assert min(b - a for a, b in pairwise(heights)) * pixels >= 11 and low <= heights[0] and heights[-1] <= high
    ends = {shape.y1: shape.y0 for shape in figure.layout.shapes}  # of the names that moved, back to their lines
    assert all(ends.get(height, height) == pytest.approx(30 + 0.02 * k, abs=0.2)
               for k in range(25) for height in [names[f"S{k}"]])


def test_the_two_systems_stand_out_with_ribbons_and_names_are_literal():
    names = ["A", "<b>B</b>", "C"]
    rows = [system(name, size, 30.0 - 5 * k, 0.1) for size in SIZES for k, name in enumerate(names)]
    figure = scores(rows, {"A": BLUE, "<b>B</b>": VERMILLION}, unit="segments", metric="BLEU")
    lines = [trace for trace in figure.data if trace.fill is None]
    ribbons = [trace for trace in figure.data if trace.fill == "toself"]
    assert [line.line.color for line in lines] == [GREY, BLUE, VERMILLION]
    assert list(ribbons[0].x) == [*SIZES, *SIZES[::-1]] and list(ribbons[0].y) == [29.0] * 3 + [32.0] * 3
    assert {"A", "&lt;b&gt;B&lt;/b&gt;", "C", "segments in a test set; BLEU upwards"} == set(said(figure))


def test_the_fitted_line_runs_through_the_middle_of_the_points():
    rows = [system("A", size, 30.0, 2 / math.sqrt(size)) for size in SIZES]
    paper = [(10, 0.5), (100, 0.2)]
    figure = widths(rows, Slope("A", -0.5, 0.0, 0.29), paper, unit="documents", theirs="<i>paper</i>")
    theirs, line, dots = figure.data
    assert list(theirs.x) == [10, 100] and list(theirs.y) == [50, 20] and theirs.marker.symbol == "diamond-open"
    assert list(dots.y) == pytest.approx([200 / math.sqrt(size) for size in SIZES])
    assert list(line.y) == pytest.approx(list(dots.y))
    assert said(figure) == ["<b>slope -0.50</b>", "&lt;i&gt;paper&lt;/i&gt;", "documents in a test set"]


def test_intervals_by_number_of_references():
    figure = references([(1, 30.0, -0.1, 0.2), (2, 40.0, -0.05, 0.05)], [(1, 12.0, -0.05, 0.05)], metric="BLEU",
                        source="paper")
    theirs, ours = figure.data
    assert list(ours.x) == [1, 2] and list(ours.y) == [30, 40] and ours.marker.color == BLUE
    assert list(ours.error_y.arrayminus) == pytest.approx([3, 2]) and list(ours.error_y.array) == pytest.approx([6, 2])
    assert theirs.x[0] != 1 and theirs.marker.symbol != ours.marker.symbol  # beside it, not upon it
    assert list(figure.layout.xaxis.tickvals) == [1, 2]
    assert said(figure) == ["paper", "ours", "references; BLEU upwards"]
    assert len(references([(1, 30.0, -0.1, 0.2)], [], metric="chrF", source="paper").data) == 1


@pytest.mark.parametrize("between, bar", [((150, 400), (150, 400)), ((20, None), (100, 1000)), ((None, None), None)])
def test_the_size_needed_has_its_interval(between, bar):
    rows = [pair(100, 0.1, 0.0, 0.1), pair(1000, 0.9, 0.0, 0.9)]
    shapes = decisions(rows, 0.8, 250, unit="documents", between=between).layout.shapes
    assert [(shape.x0, shape.x1) for shape in shapes if shape.line.width == 7] == ([] if bar is None else [bar])
