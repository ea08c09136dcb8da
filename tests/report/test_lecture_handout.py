"""Handouts of the lecture."""

import re
from dataclasses import replace

import pytest

from mtsig_core import TestSet
from mtsig_core.readers import read_scores
from mtsig_core.report.lecture_texts import (
    HandoutPart,
    Strip,
    explain_unsuited,
    handout,
    read_scenes,
    strip_svg,
)

PART = HandoutPart(
    "Title",
    "A question?",
    "Seed 4.",
    "So it is.",
    "few sentences.",
    "An exercise?",
    "The answer.",
    "lecture?scene=mean",
    [["1", "<img src=x onerror=alert(1)>"]],
    [Strip("dots", [1.0, 2.0, 2.1], 0, 4)],
)


def test_the_answer_has_a_page_of_its_own_and_texts_are_literal():
    page = handout([PART, replace(PART, title="Another")])
    sections = re.findall(r"<section>.*?</section>", page, re.DOTALL)
    assert len(sections) == 4 and ["The answer." in section for section in sections] == [
        False,
        True,
        False,
        True,
    ]
    assert "<img" not in page and "&lt;img" in page and "http" not in page.replace("http-equiv", "")


@pytest.mark.parametrize("values", [[1.0], [-5.0, 9.0], [2.0] * 1000])
def test_all_values_stand_on_the_axis_and_the_highest_column_fits(values):
    drawn = strip_svg(Strip("dots", values, 0, 4, [(2.0, "two")]))
    bars = [
        tuple(map(float, found))
        for found in re.findall(
            r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', drawn
        )
    ]
    assert (
        bars
        and all(20 <= x <= 620 and y >= 20 and wide > 0 for x, y, wide, _ in bars)
        and ">two</text>" in drawn
    )


def test_answers_by_hand():
    found = {key: scene.answer for key, scene in read_scenes().items()}
    assert found["mean"].startswith("50, and 26.") and "= 110.2, 36.7%" in found["bootstrap"]
    assert found["randomization"].startswith("2/2^5 = 0.0625") and "= 19." in found["blocks"]
    assert found["documents"].startswith("1 + (10 - 1) x 0.2 = 2.8; 1,000 / 2.8 = 357")
    assert (
        found["power"].startswith("1 / 0.8 = 1.25 standard errors: in 24%")
        and "about 2,000" in found["power"]
    )
    assert found["comparisons"].startswith(
        "190 pairs, 9.5 false stars, 99.994%, and 0.05 / 190 = 0.00026"
    )


def test_why_a_scene_is_not_about_a_test_set_and_what_to_do():
    lines = ["a b"] * 12
    assert explain_unsuited(TestSet("two", {"A": lines, "B": lines}, {"ref": lines}), 12) == ""
    alone = TestSet("one", {"A": lines}, {"ref": lines})
    assert "This scene needs two systems, and" in explain_unsuited(alone, 12)
    assert "has only scores. Open" in explain_unsuited(
        read_scores({"human": {"A": [80, 70], "B": [75, 60]}}), 2
    )
