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


def test_threads_change_nothing(run, options):
    asked = ("sweep", "size", *options, "--repeats", "5", "--resamples", "50", "--metrics", "bleu,nist")
    assert run(*asked).out == run(*asked, "--jobs", "2").out


@pytest.mark.parametrize("more, message", [
    (["--sizes", "5,x"], "'5,x' is no list"), (["--unit", "block"], "--unit segment"), (["--jobs", "0"], "jobs is 0"),
    (["--difference", "0"], "difference is 0"), (["--difference", "1", "--power", "2"], "power is 2"),
    (["--repeats", "0"], "repeats is 0"), (["--resamples", "10"], "alpha 0.05 is below")])
def test_what_cannot_be_done_is_said(run, options, more, message):
    result = run("sweep", "size", *options, *more)
    assert result.status == 2 and message in result.err and result.out == ""


def test_references_of_the_demonstration(run):
    asked = ("sweep", "references", "--demo-segments", "200", "--unit", "segment", "--only", "Spanish", "--shares",
             "0.5,1", "--repeats", "2", "--resamples", "50")
    found = json.loads(run(*asked).out)
    assert len(found["testset"]["references"]) == 4 and found["testset"]["systems"] == ["Spanish"]
    rows = found["metrics"]["bleu"]["rows"]
    assert [(row["references"], row["size"]) for row in rows] == [(k, n) for k in (1, 2, 3, 4) for n in (100, 200)]
    assert rows[-1]["score"] > rows[1]["score"]
    table = list(csv.DictReader(io.StringIO(run(*asked, "--format", "csv", "--jobs", "2").out)))
    assert [float(row["width"]) for row in table] == [row["width"] for row in rows]


def test_one_reference_is_too_few(run, options):
    result = run("sweep", "references", *options)
    assert result.status == 2 and "has 1 reference" in result.err
