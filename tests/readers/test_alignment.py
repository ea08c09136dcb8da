"""find_first_fault: made-up faults are found where they were made."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core.readers import read_lines
from mtsig_core.readers.alignment import MAX_DIFFERENCE, MAX_LINES, Fault, find_first_fault

KINDS = ["joined", "split", "missing", "extra"]


def spoil(lines, kind, rng):
    """The lines with one fault, and where it is (as Fault says it)."""
    at = rng.randrange(len(lines) - 1)
    before, line, after = lines[:at], lines[at], lines[at + 1:]
    if kind == "joined":
        return [*before, f"{line} {after[0]}", *after[1:]], at + 1
    if kind == "missing":
        return before + after, at + 1
    if kind == "extra":
        return [*before, rng.choice(lines), line, *after], at + 1
    if len(line) < 4:
        return spoil(lines, kind, rng)
    spaces = [i for i, c in enumerate(line[1:-1], 1) if c == " "]
    cut = rng.choice(spaces or range(1, len(line) - 1))
    return [*before, line[:cut], line[cut:].strip(), *after], at + 1


def corpus(n, rng):
    """A reference and an output that translates it with some other words and lengths."""
    words = ["".join(rng.choices("abcdefghijklmnop", k=rng.randint(2, 9))) for _ in range(2000)]
    reference = [rng.choices(words, k=rng.randint(3, 40)) for _ in range(n)]
    output = [[rng.choice(words) if rng.random() < 0.4 else word for word in line if rng.random() < 0.95]
              for line in reference]
    return [" ".join(line) for line in reference], [" ".join(line) for line in output]


class TestSmall:
    REFERENCE = ["The first line is here.", "Second one.", "A third line, rather longer than others.", "Four.",
                 "The last line of them all."]

    @pytest.mark.parametrize("output, fault", [
        (["The first line is here. Second one.", "A third line, rather longer than others.", "Four.", "The last line."],
         Fault("joined", 1)),
        (["The first line is here.", "Second one.", "A third line,", "rather longer than others.", "Four.",
          "The last line."], Fault("split", 3)),
        (["The first line is here.", "Second one.", "Four.", "The last line of them all."], Fault("missing", 3)),
        (["The first line is here.", "Second one.", "A third line, rather longer than others.", "Four."],
         Fault("missing", 5)),
        (["Here is the translation you asked for:", *REFERENCE], Fault("extra", 1)),
        ([*REFERENCE, ""], Fault("extra", 6)),
        ([*REFERENCE[:2], "", *REFERENCE[2:]], Fault("extra", 3)),
    ])
    def test_each_kind(self, output, fault):
        assert find_first_fault(self.REFERENCE, output) == fault

    def test_too_different(self):
        reference = ["line"] * 100
        assert find_first_fault(reference, reference[:-MAX_DIFFERENCE]) is not None
        assert find_first_fault(reference, reference[:-MAX_DIFFERENCE - 1]) is None
        assert find_first_fault(["a"], ["a", "b"]) is None

    def test_too_long(self):
        assert find_first_fault([""] * (MAX_LINES + 1), [""] * MAX_LINES) is None

    @given(*[st.lists(st.text(max_size=9), min_size=1, max_size=12)] * 2)
    def test_any_texts_give_a_line_that_is_there(self, reference, output):
        fault = find_first_fault(reference, output)
        if fault:
            assert fault.kind in (KINDS[::2] if len(output) < len(reference) else KINDS[1::2])
            assert 1 <= fault.line <= len(reference if fault.kind == "missing" else output)


def best_by_search(reference, output):
    """The start of the one fault, by trying each place: lengths alone, squared differences of logarithms."""
    ref, out = (np.log([len(line) + 1 for line in text]) for text in (reference, output))
    shift = len(out) - len(ref)
    n = min(len(ref), len(out))
    before = np.concatenate([[0], np.cumsum((ref[:n] - out[:n]) ** 2)])
    after = np.concatenate([np.cumsum((ref[::-1][:n] - out[::-1][:n])[:n] ** 2)[::-1], [0]])
    return int(np.argmin(before + after)) + 1 if abs(shift) == 1 else None


@pytest.mark.parametrize("kind", ["missing", "extra"])
def test_agrees_with_trying_every_place(kind):
    rng = random.Random(5)
    near = 0
    for _ in range(30):
        reference, output = corpus(60, rng)
        output, _ = spoil(output, kind, rng)
        near += abs(find_first_fault(reference, output).line - best_by_search(reference, output)) <= 1
    assert near >= 24


@pytest.mark.parametrize("kind", KINDS)
def test_made_up_faults_are_found(kind):
    rng = random.Random(1)
    exact = kinds = 0
    for _ in range(40):
        reference, output = corpus(80, rng)
        output, line = spoil(output, kind, rng)
        fault = find_first_fault(reference, output)
        assert abs(fault.line - line) <= 1
        exact += fault.line == line
        kinds += fault.kind == kind
    assert exact >= 36 and kinds >= 34


def test_a_wild_line_is_not_a_fault():
    rng = random.Random(3)
    reference, output = corpus(100, rng)
    output[10], output[20], output[30] = "", "word " * 500, "x"
    joined = [*output[:70], f"{output[70]} {output[71]}", *output[72:]]
    assert find_first_fault(reference, joined) == Fault("joined", 71)
    cut = len(output[70]) // 2
    split = [*output[:70], output[70][:cut], output[70][cut:], output[71], "word " * 500, *output[73:]]
    assert find_first_fault(reference, split) == Fault("split", 71)


@pytest.mark.parametrize("langpair", ["en-de", "en-zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_real_outputs(wmt24, langpair, kind):
    rng = random.Random(4)
    reference = read_lines(wmt24 / "references" / f"{langpair}.refA.txt")[:300]
    outputs = [read_lines(path)[:300] for path in sorted((wmt24 / "system-outputs" / langpair).iterdir())[::3]]
    distances = []
    for _ in range(12):
        output, line = spoil(rng.choice(outputs), kind, rng)
        distances.append(abs(find_first_fault(reference, output).line - line))
    assert np.mean(np.array(distances) == 0) >= 0.75
    assert np.mean(np.array(distances) <= 1) >= 0.92
