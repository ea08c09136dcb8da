"""The matrix of all pairs."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from mtsig_core.figures.matrix_plot import matrix
from mtsig_core.results import Settings, SystemResult
from tests.builders.cases import brief
from tests.builders.toys import metric_result, pair_result

SETTINGS = Settings(
    unit="segment",
    block_length=None,
    alpha=0.05,
    resamples=2000,
    seed=0,
    version="0",
    test="ar",
    trials=9999,
    correction="holm",
    ci="percentile",
    baseline=None,
)


def made_up(n, p=lambda i, j: (0.0001, 0.001), names=None, higher=True, win=None):
    """N systems a point apart; p(i, j) gives raw and adjusted p."""
    names = names or [f"system {k}" for k in range(n)]
    pairs = []
    for i in range(n):
        for j in range(i + 1, n):
            raw, adjusted = (None, None) if win else p(i, j)
            better = "a" if (win or 1 - adjusted) >= 0.95 else None
            delta = float(j - i if higher else i - j)
            pairs.append(
                pair_result(
                    names[i],
                    names[j],
                    delta,
                    better,
                    ci_low=delta - 1,
                    ci_high=delta + 1,
                    p_value=raw,
                    p_adjusted=adjusted,
                    win=win,
                    lose=win and 1 - win,
                    se=0.5,
                    mdd=1.4,
                )
            )
    systems = [
        SystemResult(name, 40.0 - k, 39.0 - k, 41.0 - k, 1, n) for k, name in enumerate(names)
    ]
    return metric_result(systems, pairs, higher_is_better=higher, trials=SETTINGS.trials)


def texts(figure):
    """{(row, column): text}"""
    return {
        (y, x): text.replace("<b>", "").replace("</b>", "")
        for trace in figure.data
        if trace.type == "scatter" and trace.mode == "text"
        for x, y, text in zip(trace.x, trace.y, trace.text, strict=True)
    }


def above(figure):
    return {(row, column): text for (row, column), text in texts(figure).items() if row < column}


def below(figure):
    return {(row, column): text for (row, column), text in texts(figure).items() if row > column}


def test_differences_above_and_p_below():
    figure = matrix(made_up(4), SETTINGS)
    z = figure.data[0].z
    assert [[z[i][j] for j in range(4)] for i in range(4)] == [
        [None, 1, 2, 3],
        [None, None, 1, 2],
        [None, None, None, 1],
        [None] * 4,
    ]
    bar = figure.data[0]
    assert (bar.zmin, bar.zmax, bar.colorbar.ticktext) == (
        -3,
        3,
        ("−3", "0", "+3"),
    )  # nothing is larger
    assert above(figure)[0, 3] == "+3.00 ●"
    assert below(figure) == {(j, i): "0.0010" for i in range(4) for j in range(i + 1, 4)}
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # the best on top


def test_a_positive_difference_is_an_improvement_also_where_lower_is_better():
    assert matrix(made_up(3, higher=False), SETTINGS).data[0].z[0][2] == 2
    for higher, said in ((True, "row minus column in BLEU"), (False, "column minus row in BLEU")):
        bar = matrix(made_up(3, higher=higher), SETTINGS).data[0].colorbar.title.text
        assert bar == f"{said}: blue, the row is better"


def scaled(result, factor):
    return replace(
        result,
        systems=tuple(replace(one, score=one.score * factor) for one in result.systems),
        pairs=tuple(replace(one, delta=one.delta * factor) for one in result.pairs),
    )


@pytest.mark.parametrize(
    "factor, cell, hover, unit, end",
    [
        (1.0, "+3.00 ●", "+3.00 BLEU", "BLEU", "3"),
        (0.02, "+.0600 ●", "+0.0600 BLEU", "BLEU", "0.06"),
        (1e-7, "+3.00 ●", "+3.000e-07 BLEU", "10⁻⁷ BLEU", "3"),
        (1e6, "+3.00 ●", "+3.000e+06 BLEU", "10⁶ BLEU", "3"),
    ],
)
def test_cells_have_room_for_scores_of_any_scale_and_say_what_they_are_divided_by(
    factor, cell, hover, unit, end
):
    figure = matrix(scaled(made_up(4), factor), SETTINGS)
    assert above(figure)[0, 3] == cell
    said = dict(
        zip(
            zip(figure.data[-1].y, figure.data[-1].x, strict=True),
            figure.data[-1].hovertext,
            strict=True,
        )
    )
    assert hover in said[0, 3].split("<br>")
    bar = figure.data[0].colorbar
    assert (
        bar.title.text == f"row minus column in {unit}: blue, the row is better"
        and bar.ticktext[2] == f"+{end}"
    )


@pytest.mark.parametrize("p, glyph", [((0.001, 0.05), "●"), ((0.05, 0.06), "○"), ((0.06, 0.2), "")])
def test_what_is_not_significant_goes_out(p, glyph):
    figure, all_lit = matrix(made_up(40, lambda i, j: p), SETTINGS), matrix(made_up(40), SETTINGS)
    assert set(above(figure).values()) == ({glyph} if glyph else set())
    assert len(above(figure)) == (780 if glyph else 0)
    lit, out = (sum(value is not None for row in figure.data[k].z for value in row) for k in (0, 2))
    assert (lit, out) == ((780, 0) if glyph == "●" else (0, 780))
    assert (
        figure.data[0].colorscale == all_lit.data[0].colorscale
        and figure.data[0].zmax == all_lit.data[0].zmax
    )


def test_one_outlier_does_not_bleach_the_others_and_the_bar_says_so():
    """Nine systems a point apart and one 38 behind: the colour of the close pairs is nearly that
    without it.
    """
    close, whole = made_up(9), made_up(10)
    far = replace(
        whole,
        pairs=tuple(
            replace(pair, delta=pair.delta + 38) if pair.b == "system 9" else pair
            for pair in whole.pairs
        ),
    )
    alone, figure = matrix(close, SETTINGS).data[0], matrix(far, SETTINGS).data[0]
    assert figure.zmax <= 1.5 * alone.zmax
    assert figure.colorbar.ticktext == (f"≤ −{figure.zmax:.3g}", "0", f"≥ +{figure.zmax:.3g}")
    assert figure.z[0][9] == 47  # the number is as it was


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_on_every_cell(dark):
    def luminance(colour):
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in colour]
        return sum(weight * v for weight, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    figure = matrix(made_up(40), SETTINGS, dark)
    limit = figure.data[0].zmax
    inks = {
        x - y: ink
        for x, y, ink in zip(
            figure.data[1].x, figure.data[1].y, figure.data[1].textfont.color, strict=True
        )
    }
    stops, colours = zip(
        *(
            (stop, [int(v) for v in colour[4:-1].split(",")])
            for stop, colour in figure.data[0].colorscale
        ),
        strict=True,
    )
    for delta, ink in inks.items():
        cell = [
            np.interp(0.5 + 0.5 * delta / limit, stops, channel) / 255
            for channel in zip(*colours, strict=True)
        ]
        dark, bright = sorted((luminance(cell), 0.0 if ink == "#000000" else 1.0))
        assert (bright + 0.05) / (dark + 0.05) >= 4.4


@pytest.mark.parametrize(
    "n, p",
    brief(
        8,
        [
            (50, 0.0501),
            *itertools.product(
                [2, 14, 15, 18, 19], [1e-5, 0.0001, 0.00049, 0.0499, 0.0501, 0.9996, 1.0]
            ),
        ],
    ),
)
def test_p_is_never_printed_as_zero(n, p):
    shown = below(matrix(made_up(n, lambda i, j: (p, p)), SETTINGS)).values()
    assert all(float(text) > 0 and len(text) <= 7 for text in shown)
    assert all(float(text) == pytest.approx(p, abs=0.006) for text in shown)
    assert len(shown) == (0 if n > 18 and p <= 0.05 else n * (n - 1) // 2)


def test_names_are_shown_literally():
    names = ["<b>bold</b>", "<a href='http://h'>x</a>", "%{x} & co " + "long" * 30]
    text = json.dumps(matrix(made_up(3, names=names), SETTINGS).to_plotly_json(), default=list)
    assert "<b>bold" not in text and "<a href" not in text
    assert "&lt;b&gt;bold&lt;/b&gt;" in text and "%{x} &amp; co" in text


def test_long_names_that_begin_and_end_alike_are_told_apart_and_numbered_once():
    names = [
        f"a-very-long-institution-of-languages-{k:02}-contrastive-submission" for k in range(30)
    ]
    figure = matrix(made_up(30, names=names), SETTINGS)
    shown, below = figure.layout.yaxis.ticktext, figure.layout.annotations[-1].text
    assert all(
        f"-{k:02}-" in name and name.startswith(f"{k + 1}  ") and "[" not in name
        for k, name in enumerate(shown)
    )
    assert (
        below.startswith(f"1  {names[0]}<br>") and below.count("<br>") == 24
    )  # not as high as the figure
    assert below.endswith("and 6 more names")


def test_a_test_without_p_shows_the_share_of_wins():
    figure = matrix(made_up(3, win=0.973), replace(SETTINGS, test="koehn", correction="none"))
    assert set(below(figure).values()) == {"0.973"}
    assert (
        "share of wins" in figure.layout.title.text and "wins 97.3%" in figure.data[-1].hovertext[0]
    )
