"""Cells that remember their number."""

import copy

import pytest

from mtsig_core.report.table import Cell, choose_cell_form, rounded


def test_a_cell_is_its_text_and_copies_keep_the_number():
    cell = copy.deepcopy(Cell("1.0e-05", 1e-5))
    assert cell == "1.0e-05" and f"{cell}" == "1.0e-05" and cell.value == 1e-5


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e-6, 0.01, 1.0, 1e3, 1e5, 1e9, 1e300])
def test_three_digits_of_a_number_can_be_read_back_at_any_scale(scale):
    for value in (1.234 * scale, 9.996 * scale, -5.5 * scale):
        text = rounded(value, "+")
        assert text.value == value and text[0] in "+-" and len(text) <= 10
        assert float(text.replace(",", "")) == pytest.approx(value, rel=0.006)


@pytest.mark.parametrize(
    "score, differences",
    [(3e-6, [1.4e-7, -2e-9]), (5e9, [3e7]), (2e5, [1200.0, 3.0]), (1e-300, [2e-301])],
)
def test_in_a_small_cell_the_largest_difference_has_one_digit_before_the_point(score, differences):
    decimals, power = choose_cell_form([score], differences)
    assert decimals == 2 and 1 <= max(map(abs, differences)) / 10.0**power < 10
