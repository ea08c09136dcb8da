"""Rows and values that are no scores of segments."""

import random

import pytest

from mtsig_core.errors import InputError
from mtsig_core.readers.scores import join_scores, read_scores
from mtsig_core.testset import TestSet

RANDOM = random.Random(3)
N = 30
FLOATS = {name: [round(RANDOM.uniform(0.2, 0.9), 4) for _ in range(N)] for name in "ABC"}
WHOLE = {name: [RANDOM.randint(40, 100) for _ in range(N)] for name in "ABC"}


def scores(table, name="COMET"):
    testset = read_scores({name: table})
    codes = [one.code for one in testset.assumed]
    return {system: list(own) for system, own in testset.scores[name].by_system.items()}, codes


@pytest.mark.parametrize("rows", [FLOATS, WHOLE])
@pytest.mark.parametrize(
    "summary", [sum, lambda own: round(sum(own) / len(own), 2), lambda own: sum(own) / len(own)]
)
def test_a_last_row_of_sums_or_means_is_dropped(rows, summary):
    table = {name: [*own, summary(own)] for name, own in rows.items()}
    found, codes = scores(table)
    assert found == rows and "summary-rows" in codes
    texts = TestSet("toy", {name: ["x"] * N for name in rows}, {"ref": ["x"] * N})
    assert len(join_scores(texts, {"COMET": table}).scores["COMET"].by_system["A"]) == N
    numbered, codes = scores({"line": list(range(1, N + 2)), **table})
    assert numbered == rows and "summary-rows" in codes


@pytest.mark.parametrize("label", ["mean", "Average", "TOTAL", "all"])
def test_a_row_that_is_called_so_is_dropped(label):
    table = {
        "line": [*range(1, N + 1), label],
        **{name: [*own, 0.5] for name, own in FLOATS.items()},
    }
    assert scores(table)[0] == FLOATS
    long = {
        "system": [name for name in "AB" for _ in range(N + 1)],
        "line": [*range(1, N + 1), label] * 2,
        "score": [*FLOATS["A"], 0.1, *FLOATS["B"], 0.1],
    }
    assert scores(long)[0] == {"A": FLOATS["A"], "B": FLOATS["B"]}


@pytest.mark.parametrize(
    "table",
    [
        FLOATS,
        WHOLE,
        {name: [*own, 50] for name, own in WHOLE.items()},
        {"A": [3] * 6, "B": [4] * 6},
        {"A": [1, 2, 3, 4, 5, 3], "B": [2, 2, 2, 2, 2, 2]},
        {"A": [0.0] * 9, "B": [0.0] * 9},
        {
            name: [level + k % 3 / 10 for k in range(20)]
            for name, level in (("A", 0.5), ("B", 0.6), ("C", 0.7))
        },
        {"line": ["all", "who", "total"], "A": [1, 2, 3], "B": [2, 3, 4]},
    ],
)
def test_other_last_rows_stay(table):
    assert "summary-rows" not in scores(table)[1]


@pytest.mark.parametrize("mark", [-1, -999])
def test_marks_of_judgements_that_failed_are_missing(mark):
    table = {name: [*own[:-2], mark, None] for name, own in WHOLE.items()}
    testset = read_scores({"judge": table})
    assert testset.scores["judge"].by_system["A"][-2:] == (None, None)
    assert (
        f"We treat 3 judge scores of {mark} as missing, because all other scores are 0 or more."
        in [one.text for one in testset.assumed]
    )


@pytest.mark.parametrize(
    "values",
    [
        [-1, 0, 1, 1, 0, -1],
        [-1, -0.5, 0.3, 0.2, 0.9, 1],
        [-1, -2, -3, -1, -1, 0],
        [-1, -1, -1, -1, 5, 4],
        [0, 1, 2, 3, 4, 5],
    ],
)
def test_a_scale_that_has_negative_numbers_keeps_them(values):
    assert scores({"A": values, "B": values[::-1]})[0]["A"] == values


def test_two_scales_are_refused():
    percent = [100 * score for score in FLOATS["B"]]
    with pytest.raises(
        InputError, match="scores of A range from 0.2.* and those of B from 2.*one scale.*Multiply"
    ):
        read_scores({"COMET": {"A": FLOATS["A"], "B": percent}})
    beyond = [1.07, *FLOATS["A"][1:]]
    with pytest.raises(InputError, match="scores of A range from 0.* to 1.07, .*one scale"):
        read_scores({"COMET": {"A": beyond, "B": percent}})
    with pytest.raises(InputError, match="one scale"):
        read_scores({"COMET": {"A": FLOATS["A"], "B": [-4.0, 107.0, *percent[2:]]}})
    long = {
        "system": ["A"] * N + ["B"] * N,
        "line": [*range(1, N + 1)] * 2,
        "score": [*FLOATS["A"], *percent],
    }
    with pytest.raises(InputError, match="one scale"):
        read_scores({"COMET": long})


@pytest.mark.parametrize(
    "bad", [[0.0] * N, [0, 1] * (N // 2), [RANDOM.uniform(0, 0.1) for _ in range(N)]]
)
def test_a_bad_system_is_on_the_scale_of_the_others(bad):
    assert scores({"A": bad, "B": WHOLE["B"]})[0]["A"] == bad
