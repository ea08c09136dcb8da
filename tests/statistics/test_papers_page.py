"""What docs/papers.md says that the commands print, they print: those that take seconds on the
whole corpus.
"""

import json
import re
import shlex
from pathlib import Path

import pytest

from mtsig_core.cli.main import main

pytestmark = pytest.mark.statistics
PAPERS = (Path(__file__).resolve().parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")


def printed(capsys, command):
    assert f"mtsig {command}" in PAPERS
    jobs = [] if command.startswith("metrics") else ["--jobs", "-1"]
    assert main([*shlex.split(command), *jobs]) == 0
    return json.loads(capsys.readouterr().out)["metrics"]["bleu"]


def ours(label):
    """The last cell of the row of the page that begins so."""
    line = next(line for line in PAPERS.splitlines() if line.startswith(f"| {label} |"))
    return line.rstrip(" |").split("|")[-1].strip()


def test_table_3_of_koehn(capsys):
    cells = {}
    for row in printed(capsys, "validate conclusions --demo")["rows"]:
        right, wrong = (round(100 * row[side]["share"]) for side in ("right", "wrong"))
        cells.setdefault(f"{row['a']} - {row['b']}", []).append(
            f"{right}/{wrong}" if wrong else str(right)
        )
    assert len(cells) == 9
    for pair, shares in cells.items():
        assert ours(pair) == " ".join(shares)


@pytest.mark.long
@pytest.mark.parametrize(
    "kind, figure, what",
    [
        ("blocks", "Figure 2", "BLEU of Spanish on 100 blocks of 300 consecutive sentences"),
        ("broad", "Figure 3", "the same on 100 broad samples"),
    ],
)
def test_ranges_of_samples(capsys, kind, figure, what):
    found = printed(capsys, f"sample {kind} --demo --sample-size 300")["summary"]["Spanish"]
    row = re.search(rf"\| {figure} \| {what} \| .+? \| (.+?) \|", PAPERS)
    assert row[1] == f"{found['lowest']:.1f} to {found['highest']:.1f}"
    row = (
        "| the same of blocks"
        if kind == "blocks"
        else "Figure 6 | 95% intervals of the broad samples that hold BLEU of all 30,000"
    )
    assert ours(row) == f"{found['hits']} of {found['intervals']}"


@pytest.mark.long
def test_broad_samples_of_koehn(capsys):
    found = {
        (pair["a"], pair["b"]): pair
        for pair in printed(capsys, "sample broad --demo --sample-size 300")["pairs"]
    }
    deltas = [row["delta"] for row in found["Spanish", "Danish"]["samples"]]
    label = "Figure 4 | Spanish minus Danish on the broad samples; how many are negative"
    assert ours(
        label
    ) == f"{min(deltas):.2f} to {max(deltas):.2f}; {sum(d < 0 for d in deltas)}".replace("0.", ".")
    for label, pair in (
        (
            "Figure 7 | broad samples that find Spanish better than Danish at 95%, and the opposite",
            ("Spanish", "Danish"),
        ),
        ("Figure 8 | Portuguese better than Danish, and the opposite", ("Portuguese", "Danish")),
    ):
        koehn = found[pair]["koehn"]
        assert ours(label) == f"{koehn['right']}, {koehn['wrong']}"


@pytest.mark.long
def test_table_1_of_koehn(capsys):
    rows = {row["system"]: row for row in printed(capsys, "metrics precisions --demo")["systems"]}
    for system, label in (
        ("Spanish", "Table 1 | precision of unigrams and four-grams, BLEU; Spanish"),
        ("Finnish", "| Finnish"),
    ):
        assert ours(label) == ", ".join(f"{rows[system][key]:.1f}" for key in ("p1", "p4", "bleu"))


@pytest.mark.long
def test_table_1_of_riezler_and_maxwell(capsys):
    command = "validate pair --demo --metrics nist,bleu --segments 2000 --a Portuguese --b Danish"
    assert f"mtsig {command}" in PAPERS and main(shlex.split(command)) == 0
    found = json.loads(capsys.readouterr().out)["metrics"]
    for metric, scale, row in (
        ("nist", 1, "NIST | 6.43 and 6.58, < .0001, < .0001"),
        ("bleu", 100, "BLEU | .301 and .298, .158, .1"),
    ):
        one = found[metric]
        p = {test["test"]: test["p_value"] for test in one["rows"] if test["unit"] == "segment"}
        said = [float(number) for number in re.findall(r"[\d.]+", ours(row))]
        assert said == pytest.approx(
            [one["score_b"] / scale, one["score_a"] / scale, p["ar"], p["riezler-maxwell"]],
            abs=0.005 if scale == 1 else 0.0006,
        )


@pytest.mark.long
def test_table_2_of_riezler_and_maxwell(capsys):
    assert main(shlex.split("validate variants --demo --metrics nist")) == 0
    rows = json.loads(capsys.readouterr().out)["metrics"]["nist"]["rows"]
    for label, field in (
        ("difference in NIST, five pairs", "difference"),
        ("p by randomization", "p_ar"),
        ("p by bootstrap", "p_as_printed"),
    ):
        assert ours(label) == " ".join(f"{row[field]:.3f}"[1:] for row in rows)


@pytest.mark.long
def test_the_ratio_of_spreads(capsys):
    assert main(shlex.split("sample spread --demo")) == 0
    ratios = json.loads(capsys.readouterr().out)["metrics"]["bleu"]["ratios"]
    row = re.search(r"\| Figures 2, 3 \| standard deviation .+? \| - \| (.+?) \|", PAPERS)
    assert row[1] == next(f"{found['median']:.1f}" for found in ratios if found["size"] == 300)


@pytest.mark.long
def test_table_4_of_koehn(capsys):
    levels = [level["right"] for level in printed(capsys, "validate calibration --demo")["levels"]]
    conclusions, right = (
        " | ".join(str(round(number)) for number in row)
        for row in ([level["n"] for level in levels], [100 * level["share"] for level in levels])
    )
    assert f"| ours: conclusions | {conclusions} |\n| right | {right} |\n" in PAPERS


def cells(label):
    """The cells of the row of the page that begins so."""
    line = next(line for line in PAPERS.splitlines() if line.startswith(f"| {label} |"))
    return [cell.strip() for cell in line.strip(" |").split("|")[1:]]


def share(number, digits):
    """As the page rounds it, halves up."""
    return f"{number + 1e-9:.{digits}f}".replace("0.", ".", 1)


@pytest.mark.long
def test_students_interval_of_koehn(capsys):
    one = printed(capsys, "metrics students-t --demo")
    row = one["rows"][-1]
    halves = [
        share((high - low) / 2, 2)
        for low, high in (
            (row["t_low"], row["t_high"]),
            (row["boot_low"], row["boot_high"]),
            (one["document_low"], one["document_high"]),
        )
    ]
    label = "section 4 | 95% interval of a mean of 30,000 sentence scores: Student's t, bootstrap"
    assert ours(label) == "{:.2f} ±{}, ±{} (by document ±{})".format(row["mean"], *halves)


@pytest.mark.long
def test_table_1_of_zhang_and_vogel(capsys):
    command = re.search(r"^mtsig (sweep size .+ --sizes 100% .+)$", PAPERS, re.M)[1]
    assert main([*shlex.split(command), "--jobs", "-1"]) == 0
    for metric, one in json.loads(capsys.readouterr().out)["metrics"].items():
        row = next(row for row in one["systems"] if row["system"] == "Spanish")
        score = f"{row['score']:.{2 if metric == 'nist' else 1}f}"
        said = f"{score} [{100 * row['low']:.2f}, +{100 * row['high']:.2f}] |"
        assert re.search(rf"^\| {metric.upper()} \| [^|]+ \| {re.escape(said)}$", PAPERS, re.M)


@pytest.mark.long
def test_true_nulls_rejected(capsys):
    one = printed(capsys, "validate type1 --demo")
    rejected = {
        (row["null"], row["unit"], row["test"]): share(row["rejected"]["share"], 3)
        for row in one["rows"]
    }
    for label, null, unit in (
        (
            "false-alarm rate by sentence: `ar`, signed shift, shift as printed",
            "segment",
            "segment",
        ),
        ("pairs by document, tested by document", "document", "document"),
        ("the same, tested by sentence", "document", "segment"),
    ):
        assert ours(label) == " ".join(
            rejected[null, unit, test] for test in ("ar", "bootstrap", "riezler-maxwell")
        )
    label = f"predicted for `ar` by the ratio of standard errors, {one['se_ratio']:.2f}"
    assert ours(label) == share(one["predicted"], 3)


@pytest.mark.long
def test_false_and_lost_claims(capsys):
    rows = {row["correction"]: row for row in printed(capsys, "validate claims --demo")["rows"]}
    order = [rows[name] for name in ("none", "bonferroni", "holm", "bh", "by", "romano-wolf")]
    assert cells("test sets with a false claim") == [
        share(row["any_false"]["share"], 2) for row in order
    ]
    assert cells("true differences lost") == [share(row["lost"]["share"], 2) for row in order]
