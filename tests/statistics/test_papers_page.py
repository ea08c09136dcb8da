"""What docs/papers.md says that the commands print, they print: those that take seconds on the whole corpus."""

import json
import re
import shlex
from pathlib import Path

import pytest

from mtsig_core.__main__ import main

pytestmark = pytest.mark.statistics
PAPERS = (Path(__file__).resolve().parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")


def printed(capsys, command):
    assert f"python -m mtsig_core {command}" in PAPERS
    assert main([*shlex.split(command), "--jobs", "-1"]) == 0
    return json.loads(capsys.readouterr().out)["metrics"]["bleu"]


def ours(label):
    """The last cell of the row of the page that begins so."""
    line = next(line for line in PAPERS.splitlines() if line.startswith(f"| {label} |"))
    return line.rstrip(" |").split("|")[-1].strip()


def test_table_3_of_koehn(capsys):
    cells = {}
    for row in printed(capsys, "validate conclusions --demo")["rows"]:
        right, wrong = (round(100 * row[side]["share"]) for side in ("right", "wrong"))
        cells.setdefault(f"{row['a']} - {row['b']}", []).append(f"{right}/{wrong}" if wrong else str(right))
    assert len(cells) == 9
    for pair, shares in cells.items():
        assert ours(pair) == " ".join(shares)


@pytest.mark.parametrize("kind, figure, what", [
    ("blocks", "Figure 2", "BLEU of Spanish on 100 blocks of 300 consecutive sentences"),
    ("broad", "Figure 3", "the same on 100 broad samples")])
def test_ranges_of_samples(capsys, kind, figure, what):
    found = printed(capsys, f"sample {kind} --demo --sample-size 300")["summary"]["Spanish"]
    row = re.search(rf"\| {figure} \| {what} \| .+? \| (.+?) \|", PAPERS)
    assert row[1] == f"{found['lowest']:.1f} to {found['highest']:.1f}"
