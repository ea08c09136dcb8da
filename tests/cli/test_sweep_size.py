"""`sweep size` and `sweep references`."""

import csv
import io
import json

import pytest


def test_json_and_csv_say_the_same(run, options):
    asked = ("sweep", "size", *options, "--sizes", "5,15,30", "--repeats", "10", "--resamples", "100",
             "--difference", "2", "--power", "0.9")
    found = json.loads(run(*asked).out)
    assert found["settings"]["unit"] == "document" and found["settings"]["repeats"] == 10
    bleu = found["metrics"]["bleu"]
    assert list(bleu["scores"]) == ["good", "fair", "poor"] and bleu["n_units"] == 15
    assert [len(bleu[table]) for table in ("systems", "pairs", "slopes", "plan")] == [9, 9, 3, 3]
    assert {row["repeats"] for row in bleu["pairs"] if row["size"] == 15} == {1}
    rows = list(csv.DictReader(io.StringIO(run(*asked, "--format", "csv").out)))
    for table in ("systems", "pairs", "slopes", "plan"):
        theirs = [row for row in rows if row["table"] == table]
        for mine, row in zip(bleu[table], theirs, strict=True):
            assert {key: "" if value is None else str(value) for key, value in mine.items()}.items() <= row.items()


def test_sizes_as_shares_stand_beside_the_papers(run, tmp_path, options):
    """Table 2 of Zhang and Vogel at a tenth, a fifth, half and all of the set; people beside people."""
    table = tmp_path / "people.tsv"
    table.write_text("system\tline\tscore\n" + "".join(
        f"{name}\t{k + 1}\t{60 + k % 7 + j}\n" for j, name in enumerate(("fair", "good")) for k in range(60)))
    asked = ("sweep", "size", *options, "--scores", f"people={table}", "--metrics", "bleu,people,chrf", "--unit",
             "segment", "--sizes", "10%,20%,25,50%,100%", "--repeats", "2", "--resamples", "50", "--only", "good")
    found = json.loads(run(*asked).out)["metrics"]
    theirs = {name: [(row["size"], row["paper_low"], row["paper_high"]) for row in one["systems"]]
              for name, one in found.items()}
    assert theirs["bleu"] == [(6, -0.134, 0.1366), (12, -0.0958, 0.0969), (25, None, None), (30, -0.0606, 0.0614),
                              (60, -0.0435, 0.0441)]
    assert theirs["people"][0] == (6, -0.0465, 0.0477) and theirs["chrf"][0] == (6, None, None)
    assert found["bleu"]["paper"] == "Zhang and Vogel (2004), Table 2"


@pytest.mark.parametrize("sweep, more, message", [("size", ["--unit", "block"], "--unit segment"),
                                                  ("size", ["--sizes", "5,x"], "'5,x' is no list"),
                                                  ("references", [], "has 1 reference")])
def test_what_cannot_be_done_is_said(run, options, sweep, more, message):
    result = run("sweep", sweep, *options, *more)
    assert result.status == 2 and message in result.err and result.out == ""


def test_references_of_the_demonstration(run):
    asked = ("sweep", "references", "--demo-segments", "200", "--unit", "segment", "--only", "Spanish", "--shares",
             "0.5,1", "--repeats", "2", "--resamples", "50")
    found = json.loads(run(*asked).out)
    assert len(found["testset"]["references"]) == 4 and found["testset"]["systems"] == ["Spanish"]
    rows = found["metrics"]["bleu"]["rows"]
    assert [(row["references"], row["size"]) for row in rows] == [(k, n) for k in (1, 2, 3, 4) for n in (100, 200)]
    assert rows[-1]["score"] > rows[1]["score"]
    assert [row["paper_score"] for row in rows] == [None, 0.12, None, 0.152, None, 0.173, None, 0.184]
    assert (rows[1]["paper_low"], rows[1]["paper_high"], rows[0]["paper_low"]) == (-0.0518, 0.056, None)
    table = list(csv.DictReader(io.StringIO(run(*asked, "--format", "csv", "--jobs", "2").out)))
    assert [float(row["width"]) for row in table] == [row["width"] for row in rows]
