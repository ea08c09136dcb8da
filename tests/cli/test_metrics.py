"""`metrics` on the command line."""

import io
import json
from dataclasses import asdict

import pandas as pd
import pytest

from mtsig_core.cli.main import main
from mtsig_core.experiments.inside_score import lengths, precisions, students_t
from mtsig_core.simulation.corpus import load_demo

#: view -> (options, where its rows are in JSON, a column)
VIEWS = {"precisions": ([], "systems", "p4"), "lengths": (["--system-name", "Danish"], "points", "gtm"),
         "example": (["--line", "7", "--system-name", "Greek"], "steps", "precision"),
         "averages": (["--seed", "3"], "systems", "average"), "students-t": (["--alpha", "0.1"], "rows", "t_low"),
         "signatures": (["--system-name", "German"], "scores", "bleu")}


@pytest.mark.parametrize("view", VIEWS)
def test_json_and_csv_have_the_same_numbers(run, view):
    options, place, column = VIEWS[view]
    asked = ["metrics", view, "--demo-segments", "200", *options]
    done = run(*asked)
    assert done.status == 0, done.err
    data = json.loads(done.out)
    rows = data["metrics"]["bleu"][place] + data["metrics"]["bleu"].get("beside_points", [])
    table = pd.read_csv(io.StringIO(run(*asked, "--format", "csv").out), float_precision="round_trip")
    assert data["testset"]["simulated"] and table.metric.eq("bleu").all()
    assert table[column].tolist() == [row[column] for row in rows] and len(rows) > 1


def test_they_are_those_of_the_core(run):
    demo = load_demo(200)

    def printed(view, *options):
        return json.loads(run("metrics", view, "--demo-segments", "200", *options).out)["metrics"]["bleu"]

    assert printed("precisions")["systems"] == list(map(asdict, precisions(demo)))
    theirs = lengths(demo, system="Greek", beside="Danish", most=50)
    ours = printed("lengths", "--segments", "50", "--system-name", "Greek", "--beside", "Danish")
    assert [ours["points"], ours["beside_points"]] == [
        list(map(asdict, points)) for points in (theirs.points, theirs.beside_points)]
    found = printed("students-t", "--system-name", "Finnish", "--resamples", "500", "--jobs", "2")
    assert found["document_low"] == students_t(demo, system="Finnish", resamples=500).document_low


def test_without_a_line_the_example_is_that_of_the_note(run):
    found = json.loads(run("metrics", "example", "--demo-segments", "20").out)["metrics"]["bleu"]
    assert found["of"].startswith("the example of the reading note, no line of the test set")
    assert round(found["brevity_penalty"], 4) == 0.8465 and found["claims"][2]["value"] == 0.085
    asked = ["metrics", "example", "--demo-segments", "20", "--tokenize", "char", "--lowercase"]
    found = json.loads(run(*asked).out)["metrics"]["bleu"]
    letters = len("".join("Israeli officials responsibility of airport safety".split()))
    assert "case:lc" in found["signature"] and found["sys_len"] == found["steps"][0]["total"] == letters


def test_other_metrics_and_tokenizers(run):
    found = json.loads(run("metrics", "averages", "--demo-segments", "200", "--metrics", "chrf,bleu").out)["metrics"]
    assert list(found) == ["chrf", "bleu"] and found["chrf"]["unsmoothed_zeros"] is None
    signature = json.loads(run("metrics", "lengths", "--demo-segments", "50", "--tokenize", "char", "--lowercase").out)
    assert "case:lc|tok:char|" in signature["metrics"]["bleu"]["gtm_signature"]


def test_scores_of_a_table(run, tmp_path):
    file = tmp_path / "human.tsv"
    file.write_text("system\tline\tscore\n" + "".join(f"{s}\t{k}\t{(k * 7 + ord(s)) % 11}\n" for s in "AB"
                                                    for k in range(1, 121)))
    found = json.loads(run("metrics", "students-t", "--scores", f"human={file}").out)["metrics"]["human"]
    assert [row["n"] for row in found["rows"]] == [100, 120] and found["signature"].startswith("scores:human")
    for view, message in (("averages", "human is a mean of segment scores"),
                          ("precisions", "human has no n-gram precisions"), ("signatures", "human has no n-gram")):
        done = run("metrics", view, "--scores", f"human={file}")
        assert done.status == 2 and message in done.err and done.err.count("\n") == 1


@pytest.mark.parametrize("args, message", [
    (["example", "--line", "99"], "has no line 99. It has 50, from 1 to 50"),
    (["example", "--line", "3", "--system-name", "Dansk"], "No system 'Dansk'"),
    (["lengths", "--segments", "0"], "segments is 0"), (["lengths", "--system-name", "Dansk"], "No system 'Dansk'"),
    (["example", "--metrics", "bleu,chrf"], "chrf has no n-gram"),
    (["example", "--system-name", "Greek"], "--system-name Greek without --line"),
    (["students-t", "--jobs", "0"], "jobs is 0"), (["students-t", "--alpha", "2"], "alpha is 2"),
    (["averages", "--only", "Danish"], "1 system to rank"), (["precisions", "--metrics", "ter"], "ter has no n-gram"),
    (["precisions", "--exclude", "Spanish,Portuguese,Danish,Greek,German,Finnish"], "exclude leaves out Spanish")])
def test_what_cannot_be(run, args, message):
    done = run("metrics", *args, "--demo-segments", "50")
    assert done.status == 2 and message in done.err and done.err.count("\n") == 1


def test_help_names_every_view(capsys):
    with pytest.raises(SystemExit):
        main(["metrics", "--help"])
    text = capsys.readouterr().out
    assert all(view in text for view in VIEWS)
