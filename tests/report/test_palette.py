"""Text broken into lines and cut, and colours that text stands out on."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core.report.palette import (
    BLUE,
    OLIVE,
    ON_DARK,
    VERMILLION,
    level,
    mixed,
    shortened,
    width,
    wrapped,
)

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = "mtsig_core/report/templates"
STYLES = (
    "assets/style.css",
    "assets/lecture/stage.css",
    f"{TEMPLATES}/style.css",
    f"{TEMPLATES}/segments.css",
)


def read(file):
    return (ROOT / file).read_text(encoding="utf-8")


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


def test_the_table_of_colours_is_that_of_the_palette_and_of_the_styles():
    rows = re.findall(
        r"^\| (\w+) \| `(#\w{6})` `(#\w{6})` \|", read("CONTRIBUTING.md"), re.MULTILINE
    )
    table = {name: colours for name, *colours in rows}
    for name, light in (("blue", BLUE), ("vermillion", VERMILLION), ("olive", OLIVE)):
        assert table[name] == [light, ON_DARK[light]]
    known = {colour for colours in table.values() for colour in colours}
    for style in STYLES:
        for colour in re.findall(r"#[0-9A-Fa-f]{6}\b", read(style)):
            channels = bytes.fromhex(colour[1:])
            if max(channels) - min(channels) > 60:  # no grey
                assert colour in known, style
