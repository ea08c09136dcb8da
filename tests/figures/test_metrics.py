"""The figures of the page Metrics."""

import numpy as np
import pytest

from mtsig_core.figures.metrics import by_length, by_order, mean_intervals, rankings, student_density

BLUE, VERMILLION, GREY = "#0072B2", "#D55E00", "#7A8594"


def said(figure):
    return [note.text for note in figure.layout.annotations]


def test_the_chosen_system_stands_out_and_the_paper_beside_it():
    figure = by_order([("<b>A", [60.0, 30.0, 15.0, 8.0]), ("B", [50.0, 20.0, 0.0, None])], "<b>A",
                      [(1, 62.6), (4, 14.7)], source="Koehn")
    other, mine, paper = figure.data
    assert (mine.line.color, other.line.color) == (BLUE, GREY) and other.y == (50, 20, None, None)
    assert paper.x == (1, 4) and paper.marker.symbol == "diamond-open"
    assert said(figure) == [*(f"<b>{value}%</b>" for value in (60.0, 30.0, 15.0, 8.0)),
                            f'<span style="color:{BLUE}">●</span> <b>&lt;b&gt;A</b>', "◇ Koehn"]
    low, high = figure.layout.yaxis.range
    assert low < np.log10(8) and np.log10(62.6) < high


def test_a_system_that_matches_nothing_does_not_squeeze_the_others():
    figure = by_order([("A", [60.0, 30.0, 15.0, 9.0]), ("B", [5.0, 1.0, 0.1, 0.0001])], "A")
    assert 10 ** figure.layout.yaxis.range[0] > 0.2
    assert by_order([("A", [None] * 4)], "A").data[0].y == (None,) * 4


def test_lengths_are_shares_of_the_actual_score():
    figure = by_length([0.8, 0.9, 1.0, 1.1], [("BLEU", [16, 18, 20, 15]), ("GTM", [54, 57, 60, 58])],
                       [0.78, 0.89, 1, 1], 2)
    penalty, bleu, gtm = figure.data
    assert bleu.y == pytest.approx([80, 90, 100, 75]) and gtm.y == pytest.approx([90, 95, 100, 290 / 3])
    assert penalty.y == pytest.approx([78, 89, 100, 100])
    assert (bleu.marker.symbol, gtm.marker.symbol) == ("circle", "diamond") and bleu.line.color != gtm.line.color
    assert figure.layout.shapes[0].x0 == 1.0 and "as it is, 1.00" in said(figure)
    assert {"<b>BLEU</b>", "<b>GTM</b>", "┈┈ brevity penalty alone"} <= set(said(figure))


def test_labels_at_the_left_are_kept_apart():
    figure = by_length([0.8, 1.0], [("BLEU", [16, 20]), ("GTM", [16.1, 20])], [0.8, 1], 1)
    heights = [note.y for note in figure.layout.annotations if note.xanchor == "right" and note.x == 0.8]
    assert len(heights) == 3 and min(-np.diff(sorted(heights, reverse=True))) >= 6.4


def test_a_score_of_nothing_is_not_divided_by():
    figure = by_length([0.0, 0.0], [("BLEU", [0, 0]), ("GTM", [0, 0])], [0.0, 0.0], 1)
    assert figure.data[1].y == (None, None)


def test_rankings_name_all_of_a_few_and_the_two_of_many():
    few = rankings([("A", 30.0, 25.0), ("B" * 40, 29.0, 26.0)], ("A", "B" * 40), unit="BLEU")
    assert [trace.line.color for trace in few.data] == [BLUE, VERMILLION] and few.data[0].y == (30, 25)
    assert said(few)[:2] == ["<b>A 30.0</b>", "<b>BBBB…BBBB [1] 29.0</b>"]
    assert few.layout.annotations[-1].text.replace("<br>", "") == f"[1] {'B' * 40}"
    assert "B" * 40 in few.data[1].hovertemplate
    many = rankings([(f"s{k}", k, k) for k in range(20)], ("s3", "s4"), unit="BLEU")
    assert len(many.data) == 20 and len(said(many)) == 4
    assert few.layout.xaxis.ticktext == ("corpus<br>BLEU", "mean of<br>sentence BLEU")


def test_intervals_of_one_size_lie_below_each_other():
    figure = mean_intervals([("n = 100", 30.0, [("t", 28.0, 32.0), ("boot", None, None)]),
                             ("n = 200", 31.0, [("t", 30.0, 32.0), ("boot", 30.5, 32.5), ("doc", None, None)])],
                            unit="x")
    t, boot, doc = figure.data
    assert t.error_x.array == (2, 1) and t.y[0] < t.y[1] and boot.x == (31,) and boot.y[0] > t.y[1] and len(doc.x) == 0
    assert len({trace.marker.symbol for trace in figure.data}) == 3


def test_the_tails_begin_at_the_factor():
    x = np.linspace(-4, 4, 81)
    figure = student_density(x, np.exp(-x**2), np.exp(-x**2), 2.7764, 1.96, 5)
    left, right, *lines = figure.data
    assert left.x.max() <= -2.7764 and right.x.min() >= 2.7764 and [line.name for line in lines][1].endswith("n = 5")
    assert {"±1.9600", "±2.7764"} <= set(said(figure))
    assert len(student_density(x, x * 0, x * 0, 12.7, 1.96, 2).data) == 2  # the tails lie outside
