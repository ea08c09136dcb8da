"""`validate`, `sweep` and `metrics` on the command line: JSON and CSV hold the numbers of the
core.
"""

import io
import json
from dataclasses import asdict

import pandas as pd
import pytest

from mtsig_core.experiments.inside_score import lengths, precisions, students_t
from mtsig_core.simulation.corpus import load_demo
from tests.builders.cases import brief

#: Command -> options, then tables in JSON and columns of theirs that CSV has too ({name:
#: (columns)}).
COMMANDS = {
    "validate conclusions": (["--resamples", "50"], {"rows": ["right"]}),
    "validate calibration": (["--resamples", "50"], {"levels": ["right"]}),
    "validate coverage": (["--repeats", "10", "--resamples", "50"], {"rows": ["covered"]}),
    "validate type1": (["--pairs", "10", "--trials", "99"], {"rows": ["rejected"]}),
    "validate families": (["--repeats", "5", "--trials", "99", "--systems", "3"], {"rows": []}),
    "validate claims": (
        ["--repeats", "5", "--trials", "99", "--systems", "4", "--better", "1"],
        {"rows": ["any_false"]},
    ),
    "validate variants": (["--trials", "99"], {"rows": ["p_ar", "p_bootstrap", "p_as_printed"]}),
    "validate pair": (
        ["--trials", "99", "--metrics", "nist,bleu", "--segments", "100"],
        {"rows": ["p_value"]},
    ),
    "validate units": (
        ["--trials", "99", "--resamples", "50"],
        {"rows": ["both", "segment_only", "document_only"]},
    ),
    "validate changed-pairs": (
        ["--trials", "99", "--resamples", "50"],
        {"pairs": ["p_segment", "p_document"]},
    ),
    "sample spread": (["--sizes", "20,60", "--shuffle"], {"rows": ["blocks", "ratio"]}),
    "sweep size": (
        [
            "--sizes",
            "5,15",
            "--repeats",
            "5",
            "--resamples",
            "50",
            "--difference",
            "2",
            "--power",
            "0.9",
        ],
        {"systems": ["width"], "pairs": ["size"], "slopes": ["slope"], "plan": []},
    ),
    "sweep references": (
        [
            "--shares",
            "0.5,1",
            "--repeats",
            "2",
            "--resamples",
            "50",
            "--demo-references",
            "4",
            "--unit",
            "segment",
            "--only",
            "Spanish",
        ],
        {"rows": ["score", "width", "paper_score"]},
    ),
    "metrics precisions": ([], {"systems": ["p4"]}),
    "metrics lengths": (["--system-name", "Danish"], {"points": []}),
    "metrics example": (["--line", "7", "--system-name", "Greek"], {"steps": ["precision"]}),
    "metrics averages": (["--seed", "3"], {"systems": ["average"]}),
    "metrics students-t": (["--alpha", "0.1"], {"rows": ["t_low"]}),
    "metrics signatures": (["--system-name", "German"], {"scores": ["bleu"]}),
}


def plain(value):
    """A number, or the share of a row that has its Monte Carlo interval too."""
    return value["share"] if isinstance(value, dict) else value


def table_of(done):
    assert done.status == 0, done.err
    return pd.read_csv(io.StringIO(done.out))


@pytest.mark.parametrize("command", brief(5, COMMANDS))
def test_json_and_csv_have_the_same_numbers(run, command):
    options, tables = COMMANDS[command]
    asked = [*command.split(), "--demo-segments", "240", *options]
    done = run(*asked)
    assert done.status == 0, done.err
    found = json.loads(done.out)
    table = table_of(
        run(*asked, "--format", "csv", *(["--jobs", "2"] if command.startswith("validate") else []))
    )
    assert found["testset"]["simulated"] and list(found["metrics"]) == list(
        dict.fromkeys(table.metric)
    )
    for metric, one in found["metrics"].items():
        for name, columns in tables.items():
            theirs = table[
                (table.metric == metric) & (table.table == name if "table" in table else True)
            ]
            rows = one[name] + one.get("beside_points", [])
            assert len(theirs) == len(rows) > 0
            for column in columns:
                ours = [
                    float("nan") if plain(row[column]) is None else plain(row[column])
                    for row in rows
                ]
                assert theirs[column].tolist() == pytest.approx(ours, nan_ok=True)


def test_they_are_those_of_the_core(run_json):
    demo = load_demo(60)

    def printed(view, options):
        return run_json(f"metrics {view} --demo-segments 60 {options}")["metrics"]["bleu"]

    assert printed("precisions", "")["systems"] == list(map(asdict, precisions(demo)))
    theirs = lengths(demo, system="Greek", beside="Danish", most=20)
    ours = printed("lengths", "--segments 20 --system-name Greek --beside Danish")
    assert ours["points"] == list(map(asdict, theirs.points))
    assert ours["beside_points"] == list(map(asdict, theirs.beside_points))
    found = printed("students-t", "--system-name Finnish --resamples 99 --jobs 2")
    assert found["document_low"] == students_t(demo, system="Finnish", resamples=99).document_low


def test_they_can_be_pasted_as_markdown(run, run_json):
    asked = "metrics precisions --demo-segments 60"
    rows = run_json(asked)["metrics"]["bleu"]["systems"]
    lines = run(f"{asked} --format markdown").out.splitlines()
    head, rules, *table = [line for line in lines if line.startswith("|")]
    assert head.split()[1] == "system" and set(rules) <= set("|:- ")
    assert len({len(line) for line in (head, rules, *table)}) == 1  # aligned in the source
    written = [line.split()[1::2] for line in table]
    assert [row[0] for row in written] == [row["system"] for row in rows]
    assert [float(row[1]) for row in written] == pytest.approx([row["p1"] for row in rows], 1e-3)
    asked = "validate units --demo-segments 240 --trials 99 --resamples 50 --format"
    subject, _, heading, head, *table, signature = run(f"{asked} text").out.splitlines()
    assert subject.startswith("mtsig validate units on simulated corpus")
    assert (heading, head.split()[:2]) == ("BLEU", ["correction", "both"]) and "nrefs" in signature
    rows = table_of(run(f"{asked} csv"))
    assert [line.split()[1] for line in table] == rows.both.astype(str).tolist()


def test_samples_are_counted_for_readers(run, run_json):
    asked = "sample broad --demo-segments 240 --sample-size 40 --only Spanish,Finnish --resamples 50 --trials 99"
    [counted] = run_json(asked)["metrics"]["bleu"]["pairs"]
    done = run(f"{asked} --format text").out
    assert len(done.splitlines()) < 20  # no row for each sample
    cells = done[done.index("whole p") :].splitlines()[1].split()
    ours = [str(counted["ar"][name]) for name in ("right", "wrong", "none")]
    assert cells[:2] == [counted["a"], counted["b"]] and cells[4:7] == ours


def test_without_a_line_the_example_is_that_of_the_note(run_json):
    command = "metrics example --demo-segments 20"
    found = run_json(command)["metrics"]["bleu"]
    assert found["of"].startswith("the example of the reading note, no line of the test set")
    assert round(found["brevity_penalty"], 4) == 0.8465
    assert found["claims"][2]["value"] == 0.085
    found = run_json(f"{command} --tokenize char --lowercase")["metrics"]["bleu"]
    letters = len("Israeliofficialsresponsibilityofairportsafety")
    assert "case:lc" in found["signature"]
    assert found["sys_len"] == found["steps"][0]["total"] == letters


def test_the_columns_and_keys_are_there_also_where_no_pair_changes(run, run_json):
    command = "validate changed-pairs --demo-segments 240 --trials 99 --resamples 50"
    keys, columns = [], []
    for some, changes in (("", True), ("--only Spanish,Finnish", False)):  # far apart by either
        found = run_json(f"{command} {some}")["metrics"]["bleu"]
        table = table_of(run(f"{command} {some} --format csv"))
        keys.append(list(found))
        columns.append(list(table.columns))
        assert len(table) == len(found["pairs"])
        assert bool(len(table)) == changes
    assert keys[0] == keys[1]
    assert columns[0] == columns[1]
    assert columns[0][:4] == ["metric", "correction", "a", "b"]


def test_one_pair_for_all_metrics_which_each_row_names(run, tmp_path):
    """Metric x ranks A, B, C and metric y ranks C, B, A."""
    scores = []
    for metric, sign in (("x", 1), ("y", -1)):
        lines = ["system\tline\tscore"]
        for better, name in enumerate("CBA"):
            lines += [f"{name}\t{k}\t{(k * 7) % 11 + sign * better}" for k in range(1, 61)]
        (tmp_path / f"{metric}.tsv").write_text("\n".join(lines))
        scores += ["--scores", f"{metric}={tmp_path / metric}.tsv"]
    for metrics, pair in (("x,y", {("A", "B")}), ("y,x", {("C", "B")})):
        asked = f"validate pair --trials 99 --format csv --metrics {metrics}"
        table = table_of(run(asked, *scores))
        assert set(zip(table.a, table.b, strict=True)) == pair
        assert set(table.metric) == {"x", "y"}


@pytest.mark.parametrize(
    "name, source, metric, n",
    [
        ("conclusions --resamples 50", "Koehn (2004), Table 3", "bleu", 9),
        ("pair --trials 99", "Riezler and Maxwell (2005), Table 1", "dep-f", 1),
        ("variants --trials 99", "Riezler and Maxwell (2005), Table 2", "nist", 5),
    ],
)
def test_the_numbers_of_the_papers_come_along(run_json, name, source, metric, n):
    published = run_json(f"validate {name} --demo-segments 240")["published"]
    rows = published["rows"][metric]
    assert (published["source"], len(rows)) == (source, n)
    assert {len(row) for row in rows} == {len(published["columns"])}


def test_sizes_as_shares_stand_beside_the_papers(run_json, tmp_path, options):
    """Table 2 of Zhang and Vogel at a tenth, a fifth, half and all of the set; people beside
    people.
    """
    lines = ["system\tline\tscore"]
    for better, name in enumerate(("fair", "good")):
        lines += [f"{name}\t{k + 1}\t{60 + k % 7 + better}" for k in range(60)]
    table = tmp_path / "people.tsv"
    table.write_text("\n".join(lines))
    asked = "sweep size --metrics bleu,people,chrf --unit segment --only good"
    sizes = "--sizes 10%,20%,25,50%,100% --repeats 2 --resamples 50"
    found = run_json(f"{asked} {sizes}", *options, "--scores", f"people={table}")["metrics"]
    theirs = {
        name: [(row["size"], row["paper_low"], row["paper_high"]) for row in one["systems"]]
        for name, one in found.items()
    }
    assert theirs["bleu"] == [
        (6, -0.134, 0.1366),
        (12, -0.0958, 0.0969),
        (25, None, None),
        (30, -0.0606, 0.0614),
        (60, -0.0435, 0.0441),
    ]
    assert theirs["people"][0] == (6, -0.0465, 0.0477)
    assert theirs["chrf"][0] == (6, None, None)


def test_scores_of_a_table(run, run_json, tmp_path):
    file = tmp_path / "human.tsv"
    lines = ["system\tline\tscore"]
    for name in "AB":
        lines += [f"{name}\t{k}\t{(k * 7 + ord(name)) % 11}" for k in range(1, 121)]
    file.write_text("\n".join(lines))
    scores = "--scores", f"human={file}"
    found = run_json("metrics students-t", *scores)["metrics"]["human"]
    assert [row["n"] for row in found["rows"]] == [100, 120]
    assert found["signature"].startswith("scores:human")
    for view, message in (
        ("averages", "human is a mean of segment scores"),
        ("signatures", "human has no n-gram"),
    ):
        done = run(f"metrics {view}", *scores)
        assert (done.status, done.err.count("\n")) == (2, 1)
        assert message in done.err


@pytest.mark.parametrize(
    "args, message",
    [
        ("validate type1 --demo-segments 5", "from: 5. Expected at least 10"),
        ("validate pair --metrics dep-f", "dep-f needs a parse"),
        ("sweep size --sizes 5,x", "'5,x' is not a list"),
        ("sweep references", "Expected at least 5: take larger shares"),
        ("metrics example --line 99", "has no line 99. It has 50, from 1 to 50"),
        ("metrics example --line 3 --system-name Dansk", "No system 'Dansk'"),
        ("metrics lengths --segments 0", "segments is 0"),
        ("metrics example --metrics bleu,chrf", "chrf has no n-gram"),
        ("metrics example --system-name Greek", "--system-name Greek without --line"),
        ("metrics students-t --jobs 0", "jobs is 0"),
        ("metrics students-t --alpha 2", "alpha is 2"),
        ("metrics averages --only Danish", "1 system to rank"),
        ("metrics precisions --metrics ter", "ter has no n-gram"),
        (
            "metrics precisions --exclude Spanish,Portuguese,Danish,Greek,German,Finnish",
            "exclude removes Spanish",
        ),
    ],
)
def test_what_cannot_be(run, args, message):
    command, view, *more = args.split()
    done = run(command, view, "--demo-segments", "50", *more)
    assert done.status == 2 and message in done.err and done.err.count("\n") == 1
