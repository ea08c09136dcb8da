"""The figures of a pair."""

import numpy as np

from mtsig_core.figures.pair_plots import drivers, half_eye, null_tails

X = np.linspace(-1, 3, 41)
Y = np.exp(-((X - 1) ** 2))
HOSTILE = "<b>x</b>"
BLUE, VERMILLION = "#0072B2", "#D55E00"


def said(figure):
    return [
        annotation.text for annotation in figure.layout.annotations if "BLEU" not in annotation.text
    ]


def test_half_eye_is_blue_above_zero_and_vermillion_below():
    figure = half_eye(X, Y, 1.0, (-0.4, 2.4), a="A", b="B", unit="BLEU")
    areas = [trace for trace in figure.data if trace.fill == "tozeroy"]
    assert [area.line.color for area in areas] == [BLUE, VERMILLION]
    assert min(areas[0].x) == 0 and max(areas[1].x) == 0  # they meet on the zero line
    bar, point = figure.data[2:]
    assert list(bar.x) == [-0.4, 2.4] and list(point.x) == [1.0]
    assert said(figure) == ["◀ B better", "A better ▶"]


def test_tails_begin_at_the_observed_difference():
    edges, counts = np.linspace(-3, 3, 7), np.array([1, 5, 20, 22, 4, 2])
    low, middle, high = null_tails(edges, counts, -1.5, unit="BLEU").data
    assert (max(low.x), min(middle.x), max(middle.x), min(high.x)) == (-1.5, -1.5, 1.5, 1.5)
    assert [low.line.color, high.line.color] == [VERMILLION, BLUE]
    assert max(high.y) == 4 and max(low.y) == 5
    assert said(null_tails(edges, counts, -1.5, unit="BLEU")) == ["observed<br>-1.50", "+1.50"]


def test_drivers_are_coloured_by_direction():
    figure = drivers(["d1", "d2"], [0.4, -0.2], a="A", b="B", unit="BLEU")
    assert list(figure.data[0].marker.color) == [BLUE, VERMILLION]
    assert list(figure.data[0].text) == ["+0.400", "-0.200"]
    small = drivers(["d1", "d2"], [5.5e-8, -1e-9], a="A", b="B", unit="TINY")
    assert list(small.data[0].text) == ["+5.50e-08", "-1.00e-09"]


def test_names_that_are_cut_stand_in_full_below():
    names = ["n" * 300, "m" * 299 + "x", "m" * 299 + "y"]
    for figure in (
        half_eye(X, Y, 1.0, None, a=names[0], b=names[1], unit="BLEU"),
        drivers(names, [1.0, 2.0, 3.0], a=names[0], b=names[1], unit="BLEU"),
    ):
        below = figure.layout.annotations[-1]
        assert (
            below.y == 0
            and below.yshift == -48
            and figure.layout.margin.b > 48 + 15 * below.text.count("<br>")
        )
        said = below.text.replace("<br>", "")
        assert f"[1] {names[0]}" in said or f"[1] {names[1]}" in said
        assert all(name in said for name in names[:2])
    assert len({*figure.layout.yaxis.ticktext}) == 3
