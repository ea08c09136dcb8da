"""Cells that remember their number, and the rows that are made of them."""

import copy

import pytest

from mtsig_core.report.cells import Cell
from mtsig_core.report.tables import leaderboard_rows, pair_rows
from tests.report.test_outputs import SETTINGS, result


def test_a_cell_is_its_text_and_copies_keep_the_number():
    cell = copy.deepcopy(Cell("1.0e-05", 1e-5))
    assert cell == "1.0e-05" and f"{cell}" == "1.0e-05" and cell.value == 1e-5


@pytest.mark.parametrize("make", [leaderboard_rows, pair_rows])
def test_every_number_of_a_table_can_be_sorted_by(make):
    header, rows = make(result(), SETTINGS)
    words = {"system", "pair", "better", "decision"}
    for row in rows:
        for title, cell in zip(header, row, strict=True):
            assert title in words or cell in ("", "-") or isinstance(cell.value, float | int), title
