"""Text broken into lines and cut, and colours that text stands out on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core.report.palette import BLUE, VERMILLION, level, mixed, shortened, width, wrapped


@given(st.text(), st.floats(8, 60))
def test_lines_are_the_text_and_none_is_too_wide(text, widest):
    lines = wrapped(text, widest)
    assert "".join(lines) == text
    assert all(width(line) <= widest + 1e-9 for line in lines)


@given(st.text(min_size=1), st.floats(8, 60))
def test_what_is_cut_keeps_its_ends(text, widest):
    short = shortened(text, widest)
    assert width(short) <= widest + 1e-9
    assert short == text or (text.startswith(short.split("…")[0]) and "…" in short)


def test_colours_are_white_at_nothing_and_full_at_the_limit():
    assert mixed(level(0, 3)) == (255, 255, 255)
    assert ["#{:02X}{:02X}{:02X}".format(*mixed(level(v, 3))) for v in (3, -3, 9)] == [
        BLUE,
        VERMILLION,
        BLUE,
    ]
    assert level(0.75, 3) == pytest.approx(0.5)
