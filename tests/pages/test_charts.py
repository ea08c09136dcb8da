"""Figures are made once for all who ask the same."""

from functools import partial

import plotly.graph_objects as go

from mtsig_core.figures.style import noted
from pages._ui import charts

MADE = []


def toy(rows, colour="blue"):
    MADE.append(rows)
    return go.Figure(go.Scatter(y=rows, line_color=colour))


def test_a_figure_is_made_once_for_each_that_is_asked(monkeypatch):
    def remember(rows, colour, is_dark):
        monkeypatch.setattr(charts, "dark", lambda: is_dark)
        return charts._remember_figure(partial(toy, rows, colour))

    first = remember([1, 2], "blue", False)
    before = first.to_json()
    assert remember([1, 2], "blue", False) is first
    assert len(MADE) == 1
    others = [
        remember([1, 3], "blue", False),
        remember([1, 2], "red", False),
        remember([1, 2], "blue", True),
    ]
    assert [list(one.data[0].y) for one in others] == [[1, 3], [1, 2], [1, 2]]
    assert len(MADE) == 4
    assert others[1].data[0].line.color == "red"
    assert others[2].layout.font.color != first.layout.font.color
    assert first.to_json() == before


def test_caveats_are_in_a_saved_picture_and_hidden_on_the_page():
    figure = go.Figure(layout=dict(height=100, margin=dict(l=0, b=20)))
    plain = charts._hide_repeated("a.b", figure, titled=True)
    noted(figure, ["Few units."])
    style = charts._hide_repeated("a.b", figure, titled=True)
    assert not plain
    assert '.st-key-a-b .annotation[data-index="0"] {display: none}' in style
    assert f"margin-bottom: -{figure.layout.height - 100}px" in style
