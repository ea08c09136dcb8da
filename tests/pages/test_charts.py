"""Figures are made once for all who ask the same."""

from functools import partial

import plotly.graph_objects as go

from pages._ui import charts

MADE = []


def toy(rows, colour="blue"):
    MADE.append(rows)
    return go.Figure(go.Scatter(y=rows, line_color=colour))


def test_a_figure_is_made_once_for_each_that_is_asked():
    first = charts._drawn(partial(toy, [1, 2]), "light")
    before = first.to_json()
    assert charts._drawn(partial(toy, [1, 2]), "light") is first and len(MADE) == 1
    others = [charts._drawn(partial(toy, rows, colour), theme) for rows, colour, theme in (
        ([1, 3], "blue", "light"), ([1, 2], "red", "light"), ([1, 2], "blue", "dark"))]
    assert [list(one.data[0].y) for one in others] == [[1, 3], [1, 2], [1, 2]] and len(MADE) == 4
    assert others[1].data[0].line.color == "red" and others[2].layout.font.color != first.layout.font.color
    assert first.to_json() == before
