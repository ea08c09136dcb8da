"""`validate` on the command line."""

import io
import json

import pandas as pd
import pytest

QUICK = {"conclusions": ["--resamples", "50"], "calibration": ["--resamples", "50"],
         "coverage": ["--repeats", "10", "--resamples", "50"], "type1": ["--pairs", "10", "--trials", "99"],
         "families": ["--repeats", "5", "--trials", "99", "--systems", "3"]}
SHARES = {"conclusions": "right", "calibration": "right", "coverage": "covered", "type1": "rejected",
          "families": "none"}


def asked(name, *more):
    return ["validate", name, "--demo-segments", "240", *QUICK[name], *more]


@pytest.mark.parametrize("name", QUICK)
def test_json_and_csv_have_the_same_numbers(run, name):
    done = run(*asked(name))
    assert done.status == 0, done.err
    found = json.loads(done.out)
    rows = next(value for key, value in found["metrics"]["bleu"].items() if key in ("rows", "levels"))
    table = pd.read_csv(io.StringIO(run(*asked(name, "--format", "csv", "--jobs", "2")).out))
    assert found["testset"]["simulated"] and len(table) == len(rows) > 0 and table.metric.eq("bleu").all()
    share = SHARES[name]
    ours = [(row["wrong"] if name == "families" else row)[share]["share"] for row in rows]
    assert table[share].astype(object).where(table[share].notna(), None).tolist() == ours
    assert {f"{share}_low", f"{share}_high", f"{share}_n"} <= set(table.columns)


P_VALUES = {"variants": (["--trials", "99"], "rows", {"p_ar", "p_bootstrap", "p_as_printed"}),
            "pair": (["--trials", "99", "--metrics", "nist,bleu", "--segments", "100"], "rows", {"p_value"}),
            "units": (["--trials", "99", "--resamples", "50"], "rows", {"both", "segment_only", "document_only"}),
            "changed-pairs": (["--trials", "99", "--resamples", "50"], "pairs", {"p_segment", "p_document"})}


@pytest.mark.parametrize("name", P_VALUES)
def test_what_the_papers_ask_of_pairs(run, name):
    more, field, columns = P_VALUES[name]
    asked = ["validate", name, "--demo-segments", "240", *more]
    found = json.loads(run(*asked).out)
    table = pd.read_csv(io.StringIO(run(*asked, "--format", "csv", "--jobs", "2").out), keep_default_na=False)
    assert columns < set(table.columns) and list(found["metrics"]) == list(dict.fromkeys(table.metric))
    for metric, one in found["metrics"].items():
        mine = table[table.metric == metric]
        assert len(mine) == len(one[field]) > 0
        for column in columns:
            assert mine[column].tolist() == pytest.approx([row[column] for row in one[field]])


@pytest.mark.parametrize("name, source, metric, n", [
    ("conclusions", "Koehn (2004), Table 3", "bleu", 9), ("pair", "Riezler and Maxwell (2005), Table 1", "dep-f", 1),
    ("variants", "Riezler and Maxwell (2005), Table 2", "nist", 5)])
def test_the_numbers_of_the_papers_come_along(run, name, source, metric, n):
    more = QUICK.get(name, ["--trials", "99"])
    published = json.loads(run("validate", name, "--demo-segments", "240", *more).out)["published"]
    assert published["source"] == source and len(published["rows"][metric]) == n
    assert all(len(row) == len(published["columns"]) for row in published["rows"][metric])


def test_systems_are_chosen_and_metrics_too(run):
    found = json.loads(run(*asked("type1", "--a", "Danish", "--b", "Greek", "--metrics", "chrf,bleu")).out)["metrics"]
    assert list(found) == ["chrf", "bleu"] and (found["chrf"]["a"], found["bleu"]["b"]) == ("Danish", "Greek")


@pytest.mark.parametrize("args, message", [
    (["type1", "--demo-segments", "240", "--a", "Dansk"], "No system 'Dansk'"),
    (["type1", "--demo-segments", "5"], "5 segments are too few"), (["type1", "--jobs", "0"], "jobs is 0"),
    (["conclusions", "--demo-segments", "150"], "150 segments give no two samples of 100"),
    (["coverage", "--demo-segments", "240", "--only", "Danish"], "1 system to compare"),
    (["families", "--demo-segments", "240", "--trials", "3"], "With 3 trials"),
    (["pair", "--segments", "26"], "segments is 26"), (["pair", "--metrics", "dep-f"], "dep-f needs a parse")])
def test_what_cannot_be(run, args, message):
    done = run("validate", *args, *([] if "--demo-segments" in args else ["--demo-segments", "50"]))
    assert done.status == 2 and message in done.err and done.err.count("\n") == 1
