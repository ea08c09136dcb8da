"""The figures of the page Validation."""

import pytest

from mtsig_core.figures.experiment_plots import counts, p_values, panels, rates, ratios

BLUE, VERMILLION, GREY = "#0072B2", "#D55E00", "#7A8594"
ROWS = [("<b>one</b>", 0.05, 0.03, 0.08, 0.06), ("two", 0.20, 0.10, 0.30, None), ("three", None, None, None, None)]


def said(figure):
    return [note.text for note in figure.layout.annotations]


def test_shares_with_intervals_a_level_and_a_paper():
    dots, theirs = rates(ROWS, 0.05, other="<i>").data
    assert (list(dots.x), list(dots.y), list(theirs.x), list(theirs.y)) == ([5, 20], [0, 1], [6], [0])
    assert list(dots.error_x.array) == pytest.approx([3, 10])
    assert list(dots.error_x.arrayminus) == pytest.approx([2, 10])
    assert list(dots.marker.color) == [BLUE, VERMILLION]  # the second lies off the level
    figure = rates(ROWS, 0.05, other="<i>")
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;one&lt;/b&gt;" and said(figure) == ["◇ &lt;i&gt;", "5%"]
    assert figure.layout.shapes[0].x0 == 5 and not figure.layout.showlegend


def test_two_shares_on_a_line_differ_by_more_than_colour():
    right, wrong = rates(ROWS[:2], against=[("one", 0.01, 0, 0.02, None), ROWS[2]], words=("right", "wrong")).data[:2]
    assert (right.name, right.marker.symbol, wrong.name, wrong.marker.symbol) == ("right", "circle", "wrong", "x")
    assert list(wrong.x) == [1] and list(wrong.marker.color) == [VERMILLION]


def test_panels_share_lines_and_scale():
    figure = panels({"here": ROWS[:2], "there": [("two", 0.4, 0.3, 0.5, None)]}, 0.05, "of all")
    assert figure.layout.margin.b == 46  # room for what is measured
    here, there = figure.data
    assert (here.xaxis, there.xaxis, list(there.y)) == ("x", "x2", [1])  # on the line of its text
    assert figure.layout.xaxis.range == figure.layout.xaxis2.range
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0] and figure.layout.xaxis2.domain[1] <= 1.0001
    assert said(figure) == ["here", "there", "% of all"]
    assert [shape.xref for shape in figure.layout.shapes] == ["x", "x2"]


def test_p_values_on_a_log_axis():
    figure = p_values({"a<b": {"ar": 0.5, "as printed": 0.2, "other": None}, "c": {"ar": 0.001, "as printed": 0.0005,
                                                                                "other": 0.01}}, 0.05)
    assert [list(trace.x) for trace in figure.data] == [[0.5, 0.001], [0.2, 0.0005], [0.01]]
    assert list(figure.data[2].y) == [1] and len({trace.marker.symbol for trace in figure.data}) == 3
    assert figure.layout.xaxis.type == "log" and figure.layout.shapes[0].x0 == 0.05
    assert figure.layout.yaxis.ticktext == ("a&lt;b", "c") and "0.05" in figure.layout.xaxis.ticktext


def test_counts_tell_their_numbers_where_there_is_room():
    figure = counts({"none": {"both": 90, "only": 10}, "holm": {"both": 80, "only": 1}}, "pairs")
    both, only = figure.data
    assert (list(both.x), list(only.x), list(only.text)) == ([90, 80], [10, 1], ["10", ""])
    assert figure.layout.barmode == "stack" and (both.marker.color, only.marker.color) == (BLUE, VERMILLION)


def test_ratios_put_one_system_before_the_others():
    rows = {"<i>": [(10, 1.5, 1.2, 1.9), (20, 2.0, 1.4, 2.9)], "other": [(10, 0.5, 0.4, 0.7)]}
    others, middle, mine = ratios(rows, "<i>", {10: 1.0, 20: 2.0}).data
    assert (list(others.x), list(others.y), list(middle.y)) == ([10], [0.5], [1, 2])
    assert (list(mine.y), mine.name) == ([1.5, 2.0], "&lt;i&gt;")
    assert list(mine.error_y.array) == pytest.approx([0.4, 0.9])
    assert len(ratios(rows, "none of them", {10: 1.0}).data[2].x) == 0  # a system whose scores do not vary
    alike = ratios({"A": [(10, 0.0, 0.0, 0.0)]}, "A", {10: 0.0})  # all blocks
    assert min(alike.layout.yaxis.range) > -1


def test_what_is_predicted_is_marked_in_its_panel():
    rows = [("ar", 0.12, 0.10, 0.14, None)]
    figure = panels({"alone": rows, "together": rows}, 0.05, predicted={"together": 0.2})
    line, = (shape for shape in figure.layout.shapes if shape.line.color == GREY)
    assert (line.x0, line.x1, line.xref) == (20, 20, "x2") and figure.layout.xaxis.range[1] > 20
    assert "together<br>╌ predicted" in [note.text for note in figure.layout.annotations]


@pytest.mark.parametrize("at_most, below", [(False, VERMILLION), (True, BLUE)])
def test_a_share_below_the_level_is_marked_unless_that_is_as_it_should_be(at_most, below):
    rows = [("low", 0.01, 0.0, 0.02, None), ("at", 0.05, 0.04, 0.06, None), ("high", 0.2, 0.1, 0.3, None)]
    dots = panels({"one": rows}, 0.05, at_most=at_most).data[0]
    assert list(dots.marker.color) == [below, BLUE, VERMILLION]
