"""Outputs that are hardly the right file are told, and others are not."""

import random

import pytest

from mtsig_core import TestSet
from mtsig_core.inference.text_cautions import about_texts

DRAW = random.Random(4)
REF = [" ".join("word" * DRAW.randint(1, 3) for _ in range(DRAW.randint(3, 40))) for _ in range(120)]
OUTPUT = [text.replace("wordword", "words", 1) + "." for text in REF]


def told(output, **more):
    cautions = list(about_texts(TestSet("toy", {"good": OUTPUT, "odd": output}, {"refA": REF}, **more)))
    assert all(caution.a == "odd" for caution in cautions)
    return {caution.code: caution.text for caution in cautions}


@pytest.mark.parametrize(("output", "fits"), [
    (OUTPUT[1:] + [""], "one line before"), (["a header", *OUTPUT[:-1]], "one line later"),
    (OUTPUT[2:] + ["", ""], "two lines before"), (["a", "b", *OUTPUT[:-2]], "two lines later"),
    (OUTPUT[:10] + OUTPUT[11:] + ["x"], "one line before"), (OUTPUT[::-1], "from the last line to the first")])
def test_lines_out_of_step(output, fits):
    assert f"The lines of odd fit reference refA better {fits}, by their lengths." in told(output)["out-of-step"]


@pytest.mark.parametrize("output", [OUTPUT, [text[:len(text) // 2] for text in OUTPUT], ["same"] * 120,
                                    random.Random(1).sample(OUTPUT, 120), [""] * 20 + OUTPUT[20:]])
def test_what_fits_as_it_stands_or_not_at_all_is_let_be(output):
    assert not {"out-of-step", "sorted", "is-source", "other-script"} & told(output).keys()


def test_sorted_lines_the_source_and_another_script():
    assert told(sorted(OUTPUT)).keys() == {"sorted"}
    mixed = [text.title() if k % 2 else text for k, text in enumerate(OUTPUT)]
    assert "sorted" in told(["", *sorted(mixed, key=str.casefold)[1:]])
    source = [text.upper() for text in REF]
    assert told([f"{text} " for text in source], sources=source).keys() == {"is-source"}
    assert told(["今天天气很好，我们去公园。"] * 120)["other-script"] == (
        "The output of odd looks Chinese, and the references do not. See whether it is of this language pair.")
    chinese = TestSet("toy", {"odd": OUTPUT[:4]}, {"refA": ["今天天气很好，我们去公园。"] * 4})
    assert "The output of odd does not look Chinese, as the references do" in [
        caution.text.partition(". See")[0] for caution in about_texts(chinese)]
