"""`validate` on the command line."""

import io
import json

import pandas as pd
import pytest

QUICK = {"conclusions": ["--resamples", "50"], "calibration": ["--resamples", "50"],
         "coverage": ["--repeats", "10", "--resamples", "50"], "type1": ["--pairs", "10", "--trials", "99"],
         "families": ["--repeats", "5", "--trials", "99", "--systems", "3"],
         "claims": ["--repeats", "5", "--trials", "99", "--systems", "4", "--better", "1"]}
SHARES = {"conclusions": "right", "calibration": "right", "coverage": "covered", "type1": "rejected",
          "families": "none", "claims": "any_false"}


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


def table_of(done):
    assert done.status == 0, done.err
    return pd.read_csv(io.StringIO(done.out), keep_default_na=False)


def test_the_columns_and_keys_are_there_also_where_no_pair_changes(run):
    quick = ["--demo-segments", "240", "--trials", "99", "--resamples", "50"]
    keys, columns = [], []
    for some in ([], ["--only", "Spanish,Finnish"]):  # these are far apart by either unit
        found = json.loads(run("validate", "units", *quick, *some).out)["metrics"]["bleu"]
        pairs = json.loads(run("validate", "changed-pairs", *quick, *some).out)["metrics"]["bleu"]
        keys.append((list(found), list(pairs)))
        table = table_of(run("validate", "changed-pairs", *quick, *some, "--format", "csv"))
        columns.append(list(table.columns))
        assert len(table) == len(pairs["pairs"]) and bool(len(table)) != bool(some)
    assert keys[0] == keys[1] and columns[0] == columns[1] and columns[0][:4] == ["metric", "correction", "a", "b"]
    assert "rows" in keys[0][0] and "pairs" in keys[0][1] and "pairs" not in keys[0][0]


def test_one_pair_for_all_metrics_which_each_row_names(run, tmp_path):
    """Metric x ranks A, B, C and metric y ranks C, B, A."""
    scores = []
    for metric, sign in (("x", 1), ("y", -1)):
        lines = [f"{name}\t{k}\t{(k * 7) % 11 + sign * better}" for better, name in enumerate("CBA")
                 for k in range(1, 61)]
        (tmp_path / f"{metric}.tsv").write_text("\n".join(["system\tline\tscore", *lines]))
        scores += ["--scores", f"{metric}={tmp_path / metric}.tsv"]
    for metrics, pair in (("x,y", {("A", "B")}), ("y,x", {("C", "B")})):
        asked = ["validate", "pair", *scores, "--trials", "99", "--metrics", metrics]
        table = table_of(run(*asked, "--format", "csv"))
        assert set(zip(table.a, table.b, strict=True)) == pair and set(table.metric) == {"x", "y"}
        assert {(one["a"], one["b"]) for one in json.loads(run(*asked).out)["metrics"].values()} == pair


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
    (["type1", "--demo-segments", "5"], "from: 5. Expected at least 10"),
    (["pair", "--demo-segments", "50", "--metrics", "dep-f"], "dep-f needs a parse")])
def test_a_refusal_is_one_line(run, args, message):
    done = run("validate", *args)
    assert done.status == 2 and message in done.err and done.err.count("\n") == 1
