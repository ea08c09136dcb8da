"""Made-up faults of lines are found where they were made."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core.alignment import MAX_DIFFERENCE, MAX_LINES, find_first_fault
from mtsig_core.readers import read_lines
from tests.builders.cases import brief

KINDS = ["joined", "split", "missing", "extra"]


def spoil(lines, kind, rng):
    """The lines with one fault, and where it is (its line, from 1)."""
    row = rng.randrange(len(lines) - 1)
    before, line, after = lines[:row], lines[row], lines[row + 1 :]
    if kind == "joined":
        return [*before, f"{line} {after[0]}", *after[1:]], row + 1
    if kind == "missing":
        return before + after, row + 1
    if kind == "extra":
        return [*before, rng.choice(lines), line, *after], row + 1
    if len(line) < 4:
        return spoil(lines, kind, rng)
    spaces = [i for i, c in enumerate(line[1:-1], 1) if c == " "]
    cut = rng.choice(spaces or range(1, len(line) - 1))
    return [*before, line[:cut], line[cut:].strip(), *after], row + 1


def corpus(n, rng):
    """A reference and an output that translates it with some other words and lengths."""
    words = ["".join(rng.choices("abcdefghijklmnop", k=rng.randint(2, 9))) for _ in range(2000)]
    reference = [rng.choices(words, k=rng.randint(3, 40)) for _ in range(n)]
    output = [
        [rng.choice(words) if rng.random() < 0.4 else word for word in line if rng.random() < 0.95]
        for line in reference
    ]
    return [" ".join(line) for line in reference], [" ".join(line) for line in output]


REFERENCE = [
    "The first line is here.",
    "Second one.",
    "A third line, rather longer than others.",
    "Four.",
    "The last line of them all.",
]


@pytest.mark.parametrize(
    "output, line",
    [
        (["The first line is here. Second one.", *REFERENCE[2:]], 2),
        ([*REFERENCE[:2], "A third line,", "rather longer than others.", *REFERENCE[3:]], 3),
        ([*REFERENCE[:2], *REFERENCE[3:]], 3),
        (REFERENCE[:4], 5),
        (["Here is the translation you asked for:", *REFERENCE], 1),
        ([*REFERENCE, ""], 6),
        (REFERENCE, None),
        (REFERENCE[:2], None),
    ],
)  # nothing to find, or too much
def test_small(output, line):
    assert find_first_fault(REFERENCE, output) == line


def test_what_a_search_cannot_help_is_not_searched():
    reference = ["line"] * 100
    assert find_first_fault(reference, reference[:-MAX_DIFFERENCE]) is not None
    assert find_first_fault(reference, reference[: -MAX_DIFFERENCE - 1]) is None
    assert find_first_fault([""] * (MAX_LINES + 1), [""] * MAX_LINES) is None


@given(*[st.lists(st.text(max_size=9), min_size=1, max_size=12)] * 2)
def test_any_texts_give_a_line_that_is_there(reference, output):
    line = find_first_fault(reference, output)
    assert line is None or 1 <= line <= max(len(reference), len(output))


@pytest.mark.parametrize("kind", KINDS)
def test_made_up_faults_are_found(kind):
    rng = random.Random(1)
    n_near = 0
    for _ in range(40):
        reference, output = corpus(80, rng)
        output[10], output[20], output[30] = "", "word " * 500, "x"  # no fault
        output, line = spoil(output, kind, rng)
        n_near += abs(find_first_fault(reference, output) - line) <= 1
    assert n_near >= 36


@pytest.mark.parametrize("langpair", brief(1, ["en-de", "en-zh"]))
@pytest.mark.parametrize("kind", KINDS)
def test_real_outputs(wmt24, langpair, kind):
    rng = random.Random(4)
    reference = read_lines(wmt24 / "references" / f"{langpair}.refA.txt")[:300]
    outputs = [
        read_lines(path)[:300]
        for path in sorted((wmt24 / "system-outputs" / langpair).iterdir())[::3]
    ]
    distances = []
    for _ in range(12):
        output, line = spoil(rng.choice(outputs), kind, rng)
        distances.append(abs(find_first_fault(reference, output) - line))
    assert np.mean(np.array(distances) <= 1) >= 0.9
