"""The figures of the experiments."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binomtest

from mtsig_core.experiments.frame import rate
from mtsig_core.experiments.sweeps import Detection, Slope, SystemSize
from mtsig_core.figures.rate_plots import counts, p_values, panels, rates
from mtsig_core.figures.sample_plots import (
    intervals,
    outcomes,
    ratios,
    replicate_histogram,
    sample_scores,
    settling,
)
from mtsig_core.figures.score_plots import (
    by_length,
    by_order,
    mean_intervals,
    rankings,
    student_density,
)
from mtsig_core.figures.sweep_plots import decisions, references, scores, widths
from mtsig_core.report.palette import BLUE, GREY, OLIVE, VERMILLION

EDGES, COUNTS = np.linspace(20, 26, 7), np.array([1, 5, 20, 22, 4, 2])
RUNS, PAPER = (100, 500, 1000), ((100, 0.006), (500, 0.0027), (1000, 0.0019))
SIZES, NAN = (10, 100, 1000), float("nan")
ROWS = [
    ("<b>one</b>", 0.05, 0.03, 0.08, 0.06),
    ("two", 0.20, 0.10, 0.30, None),
    ("three", None, None, None, None),
]


def pair(size, significant, wrong, power, repeats=100):
    return Detection(
        size, float(size), rate(significant, repeats), rate(wrong, repeats), 0.5, power
    )


def system(name, size, score, width):
    ends = [None] * 3 if score is None else [score, score - 1, score + 2]
    return SystemSize(
        size,
        float(size),
        100,
        name,
        *ends,
        None if width is None else -width / 2,
        None if width is None else width / 2,
        width,
    )


def said(figure):
    return [note.text for note in figure.layout.annotations]


# The bootstrap of a score.


def test_filled_inside_the_interval():
    low, inside, high = replicate_histogram(
        EDGES, COUNTS, 23.0, 23.2, (21.5, 24.5), unit="BLEU"
    ).data
    assert (max(low.x), min(inside.x), max(inside.x), min(high.x)) == (21.5, 21.5, 24.5, 24.5)
    assert [trace.line.color for trace in (low, inside, high)] == [GREY, BLUE, GREY]
    assert (max(low.y), max(inside.y), max(high.y)) == (5, 22, 4)


def test_without_an_interval_and_without_variation():
    figure = replicate_histogram(EDGES, COUNTS, 23.0, 23.2, None, unit="BLEU")
    assert [trace.line.color for trace in figure.data] == [GREY] and len(figure.layout.shapes) == 2
    counts, edges = np.histogram(np.full(9, 30.0), 60)
    figure = replicate_histogram(edges, counts, 30.0, 30.0, (30.0, 30.0), unit="BLEU")
    assert figure.layout.xaxis.range[0] < 30 < figure.layout.xaxis.range[1]


def test_settling_in_percent_on_log_axes():
    figure = settling(
        RUNS,
        [0.002, 0.001, None],
        [(0.0018, 0.0023), (0.0008, 0.0014), None],
        [0.0021, 0.00095, 0.00067],
        PAPER,
        unit="BLEU",
    )
    paper, theory, ours = figure.data
    assert list(paper.y) == pytest.approx([0.6, 0.27, 0.19]) and list(theory.x) == list(RUNS)
    assert list(ours.x) == [100, 500] and list(ours.y) == pytest.approx([0.2, 0.1])
    assert list(ours.error_y.array) == pytest.approx([0.03, 0.04])
    low, high = figure.layout.yaxis.range
    assert low < math.log10(0.067) and high > math.log10(0.6)
    assert [trace.name for trace in figure.data] == ["Zhang and Vogel, BLEU", "theory", "here"]


# Inside a score.


def test_the_chosen_system_stands_out():
    figure = by_order([("<b>A", [60.0, 30.0, 15.0, 8.0]), ("B", [50.0, 20.0, 0.0, None])], "<b>A")
    other, mine = figure.data
    assert (mine.line.color, other.line.color) == (BLUE, GREY) and other.y == (50, 20, None, None)
    assert said(figure) == [f"<b>{value}%</b>" for value in (60.0, 30.0, 15.0, 8.0)]
    assert [trace.name for trace in figure.data] == ["", "&lt;b&gt;A"]
    low, high = figure.layout.yaxis.range
    assert low < np.log10(8) and np.log10(60) < high


def test_lengths_have_absolute_scores_of_two_systems_and_two_metrics():
    ratios = [0.85, 1.0, 1.2]
    lines = [
        ("<b>A", "BLEU", ratios, [24, 29, 25]),
        ("B", "BLEU", ratios, [23, 27.5, 24]),
        ("<b>A", "GTM", ratios, [25, 26, 24.2]),
        ("B", "GTM", ratios, [24.9, 25.5, 23.9]),
    ]
    figure = by_length(lines)
    assert [trace.y for trace in figure.data] == [tuple(line[3]) for line in lines]
    assert [trace.line.color for trace in figure.data] == [BLUE, OLIVE] * 2
    assert [trace.line.dash for trace in figure.data] == ["solid"] * 2 + ["dash"] * 2
    low, high = figure.layout.xaxis.range
    assert low < 0.85 and high > 1.2 and figure.layout.shapes[0].x0 == 1
    assert [trace.name for trace in figure.data] == [
        "BLEU &lt;b&gt;A",
        "BLEU B",
        "GTM &lt;b&gt;A",
        "GTM B",
    ]


@pytest.mark.parametrize(
    "ratios, anchor", [([0.8, 1.0], "right"), ([0.9, 1.1], "center"), ([1.0, 1.2], "left")]
)
def test_the_words_at_the_length_of_the_reference_stay_in_the_figure(ratios, anchor):
    figure = by_length([("A", "BLEU", ratios, [24, 29])], paper=False)
    assert [(note.text, note.xanchor) for note in figure.layout.annotations][0] == (
        "as long as the reference",
        anchor,
    )


def test_rankings_name_all_of_a_few_and_the_two_of_many():
    few = rankings([("A", 30.0, 25.0), ("B" * 40, 29.0, 26.0)], ("A", "B" * 40), unit="BLEU")
    assert [trace.line.color for trace in few.data] == [BLUE, OLIVE] and few.data[0].y == (
        30,
        25,
    )
    assert said(few)[:2] == ["<b>A 30.00</b>", "<b>BBBB…BBBB [1] 29.00</b>"]
    assert few.layout.annotations[-1].text.replace("<br>", "") == f"[1] {'B' * 40}"
    assert "B" * 40 in few.data[1].hovertemplate
    many = rankings([(f"s{k}", k, k) for k in range(20)], ("s3", "s4"), unit="BLEU")
    assert len(many.data) == 20 and len(said(many)) == 4
    assert few.layout.xaxis.ticktext == ("corpus<br>BLEU", "mean of<br>sentence BLEU")


def test_intervals_of_one_size_lie_below_each_other():
    figure = mean_intervals(
        [
            ("n = 100", 30.0, [("t", 28.0, 32.0), ("boot", None, None)]),
            ("n = 200", 31.0, [("t", 30.0, 32.0), ("boot", 30.5, 32.5)]),
        ],
        unit="x",
    )
    t, boot = figure.data
    assert t.error_x.array == (2, 1) and t.y[0] < t.y[1] and boot.x == (31,) and boot.y[0] > t.y[1]


def test_the_tails_begin_at_the_factor():
    x = np.linspace(-4, 4, 81)
    figure = student_density(x, np.exp(-(x**2)), np.exp(-(x**2)), 2.7764, 1.96, 5)
    left, right, *lines = figure.data
    assert (
        left.x.max() <= -2.7764
        and right.x.min() >= 2.7764
        and [line.name for line in lines][1].endswith("n = 5")
    )
    assert {"±1.9600", "±2.7764"} <= set(said(figure))
    assert len(student_density(x, x * 0, x * 0, 12.7, 1.96, 2).data) == 2  # the tails lie outside


# Samples.


def test_blocks_lie_above_broad_samples_on_one_axis():
    figure = sample_scores(
        {"Blocks": np.array([21.0, 37.0]), "Broad samples": np.array([27.0, 31.0, NAN])},
        29.0,
        {"Blocks": (20, 38)},
        unit="<b>",
    )
    above, below = figure.data
    assert min(above.y) > 1 > max(below.y) and above.x.tolist() == [21, 37]
    (low, high), (box, line) = figure.layout.xaxis.range, figure.layout.shapes
    assert low < 20 and high > 38 and (box.x0, box.x1, line.x0) == (20, 38, 29)
    assert 1 < box.y0 < min(above.y) and box.y1 < 2
    assert said(figure) == [
        "Koehn: 20 to 38",
        "<b>Blocks</b>",
        "<b>Broad samples</b>",
        "whole test set 29.00",
        "&lt;b&gt; of a sample",
    ]


def test_shuffled_samples_stand_on_the_axis_of_before_among_their_ghosts():
    before, after = np.array([21.0, 30.0, 37.0]), np.array([28.0, 29.0, 30.0])
    kept = sample_scores({"Blocks": before}, 29.0, unit="BLEU").layout.xaxis.range
    figure = sample_scores({"Blocks": after}, 29.0, unit="BLEU", ghosts={"Blocks": before})
    ghost, dots = figure.data
    assert figure.layout.xaxis.range == kept and "○ before the shuffle" in said(figure)
    assert (ghost.x.tolist(), dots.x.tolist()) == (before.tolist(), after.tolist())
    assert (ghost.marker.color, ghost.marker.symbol) == (
        "#7A8594",
        "circle-open",
    ) and dots.marker.color == BLUE
    assert "before the shuffle" in ghost.hovertemplate


def test_hits_and_misses_differ_by_more_than_colour():
    scores = np.array([30.0, 35.0, NAN])
    hit, miss = intervals(
        scores, scores - 2, scores + 1, np.array([True, False, False]), 30.0, unit="BLEU"
    ).data[:2]
    assert (hit.x.tolist(), miss.x.tolist()) == ([1], [2])
    assert (hit.marker.symbol, miss.marker.symbol, hit.marker.color, miss.marker.color) == (
        "circle",
        "x",
        BLUE,
        VERMILLION,
    )
    assert (miss.error_y.arrayminus, miss.error_y.array) == ((2,), (1,))


@pytest.mark.parametrize("unit, text", [("BLEU", "Improvement (BLEU)"), ("", "Improvement")])
def test_outcomes_are_marked_by_their_verdict(unit, text):
    figure = outcomes(
        np.array([1.0, -2.0, 0.5, NAN]),
        np.array([1, -1, 0, 0]),
        0.8,
        "whole",
        axis_title="Improvement",
        unit=unit,
        bounds=(5, 95),
    )
    assert {trace.name: trace.x.tolist() for trace in figure.data[:-1]} == {
        "as the whole set": [1],
        "opposite": [2],
        "no conclusion": [3],
    }
    assert len({trace.marker.symbol for trace in figure.data[:-1]}) == 3
    assert sorted(shape.y0 for shape in figure.layout.shapes) == [0.8, 5, 95]
    assert said(figure) == ["sample", text] and figure.data[-1].name == "whole"


# Sweeps.


def test_shares_with_their_intervals_and_where_the_curve_meets_the_line():
    rows = [pair(10, 20, 1, 0.15), pair(100, 85, 0, 0.8), pair(1000, 1, 0, 1.0, repeats=1)]
    figure = decisions(rows, 0.9, 200, unit="documents")
    planned, found, wrong = figure.data
    assert (list(planned.x), list(planned.y), planned.line.dash) == (
        [10, 100, 1000],
        [15, 80, 100],
        "dot",
    )
    assert (list(found.y), found.marker.color) == ([20, 85, 100], BLUE)
    low, high = binomtest(20, 100).proportion_ci(method="wilson")
    assert (found.error_y.arrayminus[0], found.error_y.array[0]) == pytest.approx(
        (20 - 100 * low, 100 * high - 20)
    )
    assert (
        found.error_y.arrayminus[2] == 0 and "once" in found.customdata[2]
    )  # drawn once, it is no estimate
    assert (list(wrong.y), wrong.marker.color, wrong.error_y.array[1] > 0) == (
        [1, 0, 0],
        VERMILLION,
        True,
    )
    assert wrong.marker.symbol != found.marker.symbol and wrong.marker.size < found.marker.size
    line, needed = figure.layout.shapes
    assert (line.y0, needed.x0, needed.y1) == (90, 200, 90)
    assert (
        "documents in a test set" in said(figure)
        and said(figure)[-1] == "<b>about 200 documents</b>"
    )
    assert figure.layout.xaxis.type == "log" and list(figure.layout.xaxis.tickvals) == [
        size for m in (10, 100, 1000) for size in (m, 2 * m, 5 * m) if size <= 1000
    ]
    assert (
        said(decisions(rows, 0.9, 5000, unit="documents"))[-1] == "<b>about 5,000 documents →</b>"
    )
    assert said(decisions(rows, 0.9, 4, unit="documents"))[-1] == "<b>← about 4 documents</b>"
    assert len(decisions(rows, 0.9, None, unit="documents").layout.shapes) == 1
    *drawn, dashed = decisions(
        rows, 0.9, 4000, unit="documents", beyond=[rows[-1], pair(4000, 0, 0, 0.9)]
    ).data
    assert len(drawn) == 3 and (list(dashed.x), dashed.line.dash) == ([1000, 4000], "dash")


def test_half_a_curve_says_so_on_the_axes_of_the_whole():
    rows = [pair(10, 20, 1, 0.15), pair(100, 85, 0, 0.8), pair(1000, 100, 0, 1.0)]
    whole = decisions(rows, 0.9, 200, unit="documents")
    for drawn in range(4):
        so_far = [
            *rows[:drawn],
            *(replace(row, significant=rate(0, 0), wrong=rate(0, 0)) for row in rows[drawn:]),
        ]
        figure = decisions(so_far, 0.9, 200, unit="documents")
        assert [list(trace.x) for trace in figure.data] == [
            [10, 100, 1000],
            *2 * [[10, 100, 1000][:drawn]],
        ]
        assert (
            figure.layout.xaxis,
            figure.layout.yaxis.range,
            figure.layout.height,
            figure.layout.margin,
        ) == (
            whole.layout.xaxis,
            whole.layout.yaxis.range,
            whole.layout.height,
            whole.layout.margin,
        )
        bands = [shape for shape in figure.layout.shapes if shape.type == "rect"]
        assert (len(bands), said(figure).count("still being<br>drawn")) == 2 * (drawn < 3,)
        for band in bands:
            assert [band.x0 < row.size < band.x1 for row in rows] == [k >= drawn for k in range(3)]


def test_26_systems_are_all_named_and_none_on_top_of_another():
    rows = [
        system(f"S{k}", size, 30 + 0.02 * k * (k != 25) - 20 * (k == 25), 0.1)
        for size in SIZES
        for k in range(26)
    ]
    figure = scores(rows, {"S3": BLUE}, unit="documents", metric="BLEU")
    names = {note.text: note.y for note in figure.layout.annotations if note.xanchor == "left"}
    assert set(names) == {f"S{k}" for k in range(26)}
    low, high = figure.layout.yaxis.range
    pixels = (figure.layout.height - 56) / (high - low)
    heights = sorted(names.values())
    assert (
        min(b - a for a, b in pairwise(heights)) * pixels >= 11
        and low <= heights[0]
        and heights[-1] <= high
    )
    ends = {
        shape.y1: shape.y0 for shape in figure.layout.shapes
    }  # of the names that moved, back to their lines
    assert all(
        ends.get(height, height) == pytest.approx(30 + 0.02 * k, abs=0.2)
        for k in range(25)
        for height in [names[f"S{k}"]]
    )


def test_the_two_systems_stand_out_with_ribbons_and_names_are_literal():
    names = ["A", "<b>B</b>", "C"]
    rows = [system(name, size, 30.0 - 5 * k, 0.1) for size in SIZES for k, name in enumerate(names)]
    figure = scores(rows, {"A": BLUE, "<b>B</b>": OLIVE}, unit="segments", metric="BLEU")
    lines = [trace for trace in figure.data if trace.fill is None]
    ribbons = [trace for trace in figure.data if trace.fill == "toself"]
    assert [line.line.color for line in lines] == [GREY, BLUE, OLIVE]
    assert (
        list(ribbons[0].x) == [*SIZES, *SIZES[::-1]]
        and list(ribbons[0].y) == [29.0] * 3 + [32.0] * 3
    )
    assert {"A", "&lt;b&gt;B&lt;/b&gt;", "C", "segments in a test set; BLEU upwards"} == set(
        said(figure)
    )


def test_the_fitted_line_runs_through_the_middle_of_the_points():
    rows = [system("A", size, 30.0, 2 / math.sqrt(size)) for size in SIZES]
    paper = [(10, 0.5), (100, 0.2)]
    figure = widths(
        rows, Slope("A", -0.5, 0.0, 0.29), paper, unit="documents", source="<i>paper</i>"
    )
    theirs, line, dots = figure.data
    assert (
        list(theirs.x) == [10, 100]
        and list(theirs.y) == [50, 20]
        and theirs.marker.symbol == "diamond-open"
    )
    assert list(dots.y) == pytest.approx([200 / math.sqrt(size) for size in SIZES])
    assert list(line.y) == pytest.approx(list(dots.y))
    assert [trace.name for trace in figure.data[:2]] == ["&lt;i&gt;paper&lt;/i&gt;", "slope -0.50"]


def test_intervals_by_number_of_references():
    figure = references(
        [(1, 30.0, -0.1, 0.2), (2, 40.0, -0.05, 0.05)],
        [(1, 12.0, -0.05, 0.05)],
        metric="BLEU",
        source="paper",
    )
    theirs, ours = figure.data
    assert list(ours.x) == [1, 2] and list(ours.y) == [30, 40] and ours.marker.color == BLUE
    assert list(ours.error_y.arrayminus) == pytest.approx([3, 2]) and list(
        ours.error_y.array
    ) == pytest.approx([6, 2])
    assert theirs.x[0] != 1 and theirs.marker.symbol != ours.marker.symbol  # beside it, not upon it
    assert list(figure.layout.xaxis.tickvals) == [1, 2]
    assert said(figure) == ["paper", "ours", "references; BLEU upwards"]
    assert len(references([(1, 30.0, -0.1, 0.2)], [], metric="chrF", source="paper").data) == 1


# Validation.


def test_shares_with_intervals_a_level_and_a_paper():
    dots, theirs = rates(ROWS, 0.05, source="<i>").data
    assert (list(dots.x), list(dots.y), list(theirs.x), list(theirs.y)) == (
        [5, 20],
        [0, 1],
        [6],
        [0],
    )
    assert list(dots.error_x.array) == pytest.approx([3, 10])
    assert list(dots.error_x.arrayminus) == pytest.approx([2, 10])
    assert list(dots.marker.color) == [BLUE, VERMILLION]  # the second lies off the level
    figure = rates(ROWS, 0.05, source="<i>")
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;one&lt;/b&gt;" and said(figure) == [
        "◇ &lt;i&gt;",
        "5%",
    ]
    assert figure.layout.shapes[0].x0 == 5 and not figure.layout.showlegend


def test_panels_share_lines_and_scale():
    figure = panels({"here": ROWS[:2], "there": [("two", 0.4, 0.3, 0.5, None)]}, 0.05, "of all")
    assert figure.layout.margin.b == 46  # room for what is measured
    here, there = figure.data
    assert (here.xaxis, there.xaxis, list(there.y)) == ("x", "x2", [1])  # on the line of its text
    assert figure.layout.xaxis.range == figure.layout.xaxis2.range
    assert (
        figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]
        and figure.layout.xaxis2.domain[1] <= 1.0001
    )
    assert said(figure) == ["here", "there", "% of all"]
    assert [shape.xref for shape in figure.layout.shapes] == ["x", "x2"]
    *_, predicted = panels(
        {"here": ROWS[:2], "there": ROWS[:1]}, 0.05, predicted={"there": 0.2}
    ).layout.shapes
    assert (predicted.x0, predicted.xref, predicted.line.dash) == (20, "x2", "dash")


def test_p_values_on_a_log_axis():
    figure = p_values(
        {
            "a<b": {"ar": 0.5, "as printed": 0.2, "other": None},
            "c": {"ar": 0.001, "as printed": 0.0005, "other": 0.01},
        },
        0.05,
    )
    assert [list(trace.x) for trace in figure.data] == [[0.5, 0.001], [0.2, 0.0005], [0.01]]
    assert (
        list(figure.data[2].y) == [1] and len({trace.marker.symbol for trace in figure.data}) == 3
    )
    assert figure.layout.xaxis.type == "log" and figure.layout.shapes[0].x0 == 0.05
    assert (
        figure.layout.yaxis.ticktext == ("a&lt;b", "c") and "0.05" in figure.layout.xaxis.ticktext
    )


def test_counts_tell_their_numbers_where_there_is_room():
    figure = counts({"none": {"both": 90, "only": 10}, "holm": {"both": 80, "only": 1}}, "pairs")
    both, only = figure.data
    assert (list(both.x), list(only.x), list(only.text)) == ([90, 80], [10, 1], ["10", ""])
    assert figure.layout.barmode == "stack" and (both.marker.color, only.marker.color) == (
        BLUE,
        VERMILLION,
    )


def test_ratios_put_one_system_before_the_others():
    rows = {"<i>": [(10, 1.5, 1.2, 1.9), (20, 2.0, 1.4, 2.9)], "other": [(10, 0.5, 0.4, 0.7)]}
    others, middle, mine = ratios(rows, "<i>", {10: 1.0, 20: 2.0}).data
    assert (list(others.x), list(others.y), list(middle.y)) == ([10], [0.5], [1, 2])
    assert (list(mine.y), mine.name) == ([1.5, 2.0], "&lt;i&gt;")
    assert list(mine.error_y.array) == pytest.approx([0.4, 0.9])
    assert (
        len(ratios(rows, "none of them", {10: 1.0}).data[2].x) == 0
    )  # a system whose scores do not vary
    alike = ratios({"A": [(10, 0.0, 0.0, 0.0)]}, "A", {10: 0.0})  # all blocks
    assert min(alike.layout.yaxis.range) > -1
