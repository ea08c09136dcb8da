"""Integrity of submissions: equal lines counted by hand, and documents that drive intervals."""

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from mtsig_core import TestSet
from mtsig_core.experiments.integrity import chance_of_share, examine_integrity
from mtsig_core.report.integrity_reports import list_findings
from tests.builders.score_tables import rated_systems

REFERENCE = [f"this is the line number {k} of the reference" for k in range(10)]


def test_equal_lines_are_counted_and_short_ones_are_not():
    reference = [*REFERENCE, "short"]
    copied = [*REFERENCE[:4], *(f"another sentence with the number {k}" for k in range(6)), "short"]
    near = [*copied[:9], "a line of its own, and long enough", "short"]
    source = [f"die Quelle hat die Zeile Nummer {k}" for k in range(11)]
    alone = [*source[:3], *(f"nobody else has this line {k}" for k in range(7)), "short"]
    found = examine_integrity(
        TestSet("toy", {"A": copied, "B": near, "C": alone}, {"ref": reference}, sources=source)
    )
    a, b, c = found.systems
    assert found.n_lines == 10
    assert (a.equal_to_reference, b.equal_to_reference, c.equal_to_reference) == (
        {"ref": 4},
        {"ref": 4},
        {"ref": 0},
    )
    assert (a.equal_to_source, c.equal_to_source) == (0, 3)
    assert (a.nearest.system, a.nearest.share_equal) == ("B", 0.9) and c.nearest.share_equal == 0.0
    assert list_findings(found) == [
        "Lines worth a look, in 1 system: C (3).",
        f"Nearly the same output: A and B (cross-BLEU {a.nearest.cross_bleu:.0f}, 90% of the lines are equal). The "
        f"median cross-BLEU of two systems is {found.median_cross_bleu:.0f}.",
    ]
    expected = BLEU(tokenize="13a").corpus_score(near, [copied]).score
    assert a.nearest.cross_bleu == b.nearest.cross_bleu == pytest.approx(expected)


def test_the_document_that_drives_an_interval_is_named():
    scores = np.random.default_rng(0).normal(80, 1, (2, 60))
    scores[0, 30:33] = 0.0
    by_system = dict(zip("ST", scores, strict=True))
    found = examine_integrity(rated_systems(by_system, [f"d{k // 3}" for k in range(60)]))
    first, second = found.systems
    driving = first.driving_document
    assert driving.document == "d10"
    assert driving.share > 0.9
    assert driving.p_value < 0.001
    assert (second.driving_document, first.nearest) == (None, None)


def drives_by_chance(sizes, repeats, systems=1):
    """Share of test sets of normal documents, all of one quality, in which a document drives the
    interval of a system.
    """
    rng, flagged = np.random.default_rng(len(sizes)), 0
    documents = [f"d{k}" for k, size in enumerate(sizes) for _ in range(size)]
    for _ in range(repeats):
        means = rng.normal(80, 5, (systems, len(sizes)))
        scores = {f"S{k}": np.repeat(row, sizes) for k, row in enumerate(means)}
        found = examine_integrity(rated_systems(scores, documents))
        flagged += any(one.driving_document is not None for one in found.systems)
    return flagged / repeats


@pytest.mark.statistics
@pytest.mark.parametrize(
    "sizes, systems, band",
    [
        ([3] * 5, 1, (0.02, 0.085)),
        ([3] * 10, 1, (0.02, 0.085)),
        ([3] * 20, 1, (0.02, 0.085)),
        ([3] * 30, 1, (0, 0.075)),
        ([20, 8, 6, 4, 3, 3, 2, 2, 1, 1], 1, (0.02, 0.085)),
        ([3] * 10, 6, (0.015, 0.085)),
    ],
)
def test_documents_that_are_equal_seldom_drive_an_interval(sizes, systems, band):
    """By the share alone it was 1.00 with 5 documents, .90 with 10, .39 with 20 and .12 with 30."""
    low, high = band
    assert low <= drives_by_chance(sizes, 300, systems) <= high


def test_the_chance_of_a_share_is_that_of_a_loop():
    sizes, rng = [9, 5, 3, 2, 2], np.random.default_rng(7)
    largest = []
    for _ in range(4000):
        means = rng.normal(size=5)
        without = [np.average(np.delete(means, k), weights=np.delete(sizes, k)) for k in range(5)]
        apart = [(one - np.mean(without)) ** 2 for one in without]
        largest.append(max(apart) / sum(apart))
    assert chance_of_share(0.6, np.array(sizes)) == pytest.approx(
        np.mean(np.array(largest) >= 0.6), abs=0.035
    )


def test_a_document_that_is_only_long_drives_nothing():
    """Of four documents the largest share is never small."""
    scores = [80.0] * 40 + [70.0] * 4 + [75.0] * 4 + [82.0] * 4
    documents = ["long"] * 40 + ["a"] * 4 + ["b"] * 4 + ["c"] * 4
    found = examine_integrity(rated_systems({"S": scores}, documents))
    assert found.systems[0].driving_document is None


def write_lines(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_command_prints_it(tmp_path, run, run_json):
    other = [f"a line of text as long as it is {k}" for k in range(10)]
    ref = write_lines(tmp_path / "ref.txt", REFERENCE)
    a, b = (
        write_lines(tmp_path / f"{name}.txt", lines)
        for name, lines in (("A", REFERENCE[::-1]), ("B", other))
    )
    asked = "integrity --ref", ref, "--system", a, "--system", b
    assert "Nothing stands out." in run(*asked).out
    assert "system,equal_ref" in run(*asked, "--format", "csv").out
    found = run_json(*asked)["systems"]["A"]
    assert found["nearest"]["system"] == "B"
    keys = {"equal_to_reference", "equal_to_source", "nearest", "driving_document", "warnings"}
    keys.add("line_faults")
    assert found.keys() == keys


def test_the_command_tells_who_lacks_a_language_pair(tmp_path, run, run_json):
    for pair, names in (("en-de", "AB"), ("en-cs", "A")):
        write_lines(tmp_path / "references" / f"{pair}.ref.txt", REFERENCE)
        for name in names:
            write_lines(tmp_path / "system-outputs" / pair / f"{name}.txt", REFERENCE)
    asked = "integrity --folder", tmp_path
    assert "Not in all language pairs: B (without en-cs)." in run(*asked).out
    assert "language_pair,testset" in run(*asked, "--format", "csv").out
    whole = run_json(*asked)
    assert whole["missing"] == {"B": ["en-cs"]}
    assert whole["pairs"].keys() == {"en-cs", "en-de"}
