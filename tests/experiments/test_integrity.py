"""Integrity of submissions: equal lines counted by hand, and documents that drive intervals."""

import json

import numpy as np
import pytest

from mtsig_core import SegmentScores, TestSet
from mtsig_core.cli.main import main
from mtsig_core.experiments.integrity import examine_integrity
from mtsig_core.report.integrity_tables import list_findings

REFERENCE = [f"this is the line number {k} of the reference" for k in range(10)]


def test_equal_lines_are_counted_and_short_ones_are_not():
    reference = [*REFERENCE, "short"]
    copied = [*REFERENCE[:4], *(f"another sentence with the number {k}" for k in range(6)), "short"]
    near = [*copied[:9], "a line of its own, and long enough", "short"]
    source = [f"die Quelle hat die Zeile Nummer {k}" for k in range(11)]
    alone = [*source[:3], *(f"nobody else has this line {k}" for k in range(7)), "short"]
    found = examine_integrity(TestSet("toy", {"A": copied, "B": near, "C": alone}, {"ref": reference}, sources=source))
    a, b, c = found.systems
    assert found.n_lines == 10
    assert (a.equal_to_reference, b.equal_to_reference, c.equal_to_reference) == ({"ref": 4}, {"ref": 4}, {"ref": 0})
    assert (a.equal_to_source, c.equal_to_source) == (0, 3)
    assert (a.nearest.system, a.nearest.share_equal) == ("B", 0.9) and c.nearest.share_equal == 0.0
    assert list_findings(found) == ["Nearly the same output: A and B in 90% of the lines."]


def test_the_document_that_drives_an_interval_is_named():
    rng = np.random.default_rng(0)
    scores = rng.normal(80, 1, 60)
    scores[30:33] = 0.0
    rated = {"A": SegmentScores({"S": scores.tolist(), "T": rng.normal(80, 1, 60).tolist()})}
    found = examine_integrity(TestSet("toy", {"S": [None] * 60, "T": [None] * 60}, {}, scores=rated,
                                      documents=[f"d{k // 3}" for k in range(60)]))
    first, second = found.systems
    assert first.driving_document.document == "d10" and first.driving_document.share > 0.9
    assert second.driving_document is None and first.nearest is None


@pytest.mark.parametrize(("form", "part"), [("text", "Nothing stands out."), ("latex", "toprule"),
                                            ("csv", "system,equal_ref")])
def test_the_command_prints_it(form, part, tmp_path, capsys):
    names = {}
    for name, lines in {"ref": REFERENCE, "A": REFERENCE[::-1], "B": [f"a line of text as long as it is {k}"
                                                                      for k in range(10)]}.items():
        names[name] = str(tmp_path / f"{name}.txt")
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    asked = ["integrity", "--ref", names["ref"], "--system", names["A"], "--system", names["B"]]
    assert main([*asked, "--format", form]) == 0
    assert part in capsys.readouterr().out
    assert main([*asked, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["systems"]
    assert found["A"].keys() == {"equal_to_reference", "equal_to_source", "nearest", "driving_document", "warnings"}
    assert found["A"]["nearest"] == {"system": "B", "share_equal": 0.0}
