"""The figures of the page Metrics."""

import numpy as np

from mtsig_core.figures.experiment_plots import by_length, by_order, mean_intervals, rankings, student_density

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


def test_lengths_have_absolute_scores_of_two_systems_and_two_metrics():
    ratios = [0.85, 1.0, 1.2]
    lines = [("<b>A", "BLEU", ratios, [24, 29, 25]), ("B", "BLEU", ratios, [23, 27.5, 24]),
             ("<b>A", "GTM", ratios, [25, 26, 24.2]), ("B", "GTM", ratios, [24.9, 25.5, 23.9])]
    figure = by_length(lines)
    assert [trace.y for trace in figure.data] == [tuple(line[3]) for line in lines]
    assert [trace.line.color for trace in figure.data] == [BLUE, VERMILLION] * 2
    assert [trace.line.dash for trace in figure.data] == ["solid"] * 2 + ["dash"] * 2
    low, high = figure.layout.xaxis.range
    assert low < 0.85 and high > 1.2 and figure.layout.shapes[0].x0 == 1
    ends = {note.text.split("</span> ")[-1]: note.y for note in figure.layout.annotations if note.xanchor == "left"}
    assert list(ends) == ["<b>BLEU</b> &lt;b&gt;A", "<b>GTM</b> &lt;b&gt;A", "<b>BLEU</b> B", "<b>GTM</b> B"]
    assert max(np.diff(list(ends.values()))) <= -0.07 * (29 - 23)  # apart from each other


def test_rankings_name_all_of_a_few_and_the_two_of_many():
    few = rankings([("A", 30.0, 25.0), ("B" * 40, 29.0, 26.0)], ("A", "B" * 40), unit="BLEU")
    assert [trace.line.color for trace in few.data] == [BLUE, VERMILLION] and few.data[0].y == (30, 25)
    assert said(few)[:2] == ["<b>A 30.00</b>", "<b>BBBB…BBBB [1] 29.00</b>"]
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
