"""`--review`: a review that the page Review exported settles who takes part, metric and settings."""

import csv
import io
import json

import pytest

from mtsig_core.report.review import review_record
from mtsig_core.reviews import Begin, Entry, Exclude, SetRule, TakeBack


@pytest.fixture
def review(tmp_path):
    """The file of a review of the simulated task, of which one exclusion was taken back."""
    settings = {"trials": 99, "resamples": 50, "rank_rule": "simultaneous"}
    changes = [
        Begin("demo-task", "constrained", "d", {}, "human", settings),
        Exclude("Elm-closed", None, "late, = too"),
        Exclude("Oak-closed", "qab-en"),
        TakeBack(3),
        SetRule("wmt24"),
    ]
    history = [Entry(number, 0.0, change) for number, change in enumerate(changes, 1)]
    path = tmp_path / "review.json"
    path.write_text(json.dumps({"task": {}, "review": review_record(history)}, default=str))
    return path


def test_findings_follow_a_review(run, review):
    asked = "findings --demo-task --pairs qab-en --format"
    text = run(asked, "text", "--review", review).out
    assert "Excluded: Elm-closed (late, = too)." in text and "Ranked as WMT24." in text
    options = ["--track", "constrained", "--exclude", r"Elm-closed=late, = too", "--trials", "99"]
    options += ["--resamples", "50", "--rank-rule", "wmt24", "--metrics", "human"]
    same = run(asked, "csv", *options).out
    assert run(asked, "csv", "--review", review).out == same
    rows = [row for row in csv.DictReader(io.StringIO(same)) if row["table"] == "systems"]
    names = {row["system"] for row in rows}
    assert "Oak-closed" in names and "Elm-closed" not in names
    assert all(name.endswith("-closed") for name in names)


def test_what_a_review_settles_cannot_be_set_otherwise(run, review):
    done = run("findings --demo-task --seed 3 --rank-rule wmt25 --review", review)
    assert done.status == 2 and "--rank-rule is set by the review" in done.err


def test_a_link_is_told_from_a_file(run):
    done = run("findings --demo-task --review http://127.0.0.1:8501/review?review=abc")
    assert done.status == 2 and "save the JSON under Export" in done.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", "JSON"),
        ('{"task": {}}', "has no review. Expected the JSON file that the page Review offers"),
        ('{"review": {"history": [{"change": {"kind": "fly"}}]}}', "step 1 of the review"),
        ('{"review": {"history": [3]}}', "step 1 of the review"),
    ],
)
def test_other_files_are_refused(run, tmp_path, content, message):
    path = tmp_path / "other.json"
    path.write_text(content)
    done = run("findings --demo-task --review", path)
    assert done.status == 2 and message in done.err
