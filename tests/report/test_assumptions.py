"""What was assumed when a test set was read stands in every export of a comparison."""

import csv
import io
import json

import pytest

from mtsig_core import Comparison, Task, compare, read_scores
from mtsig_core.experiments.metric_agreement import task_agreement
from mtsig_core.report.agreement import agreement_text
from mtsig_core.report.sentences import paper_sentences

SCORES = {name: [level + k % 3 / 10 for k in range(20)] for name, level in (("A", .5), ("B", .6), ("C", .7))}
SAID = "mine: lower is better, as was said."


@pytest.fixture(scope="module")
def found():
    tables = {"mine": SCORES, "XCOMET": SCORES, "other": SCORES}
    return compare(read_scores(tables, ["mine"], name="toy"), ["mine", "XCOMET"], trials=99, resamples=99)


def test_it_is_known_of_each_score(found):
    assert found.testset.assumed == (
        SAID, "XCOMET: higher is better, as its name is known and its scores lie between 0.5 and 0.9.",
        "other: higher is better, as nothing else was said.")
    assert Comparison.from_json(found.render("json")) == found
    assert json.loads(found.render("json"))["testset"]["assumed"] == list(found.testset.assumed)


@pytest.mark.parametrize("form", ["text", "csv", "latex", "html"])
def test_it_stands_in_every_export_for_the_metrics_compared(found, form):
    text = found.render(form)
    assert f"Assumed: {SAID}" in text and "Assumed: XCOMET: higher" in text and "other:" not in text


def test_rows_and_sentences(found):
    rows = [row for row in csv.DictReader(io.StringIO(found.render("csv"))) if row["table"] == "assumed"]
    assert [row["reason"] for row in rows][0] == f"Assumed: {SAID}" and rows[0]["testset"] == "toy"
    assert f"Assumed: {SAID}" in paper_sentences(found, "mine") and SAID not in paper_sentences(found, "XCOMET")


def test_what_agrees_over_a_task_tells_it_of_the_scores_held_against_each_other():
    pair = read_scores({"mine": SCORES, "XCOMET": SCORES, "other": SCORES}, ["mine"], name="toy")
    task = Task("toy", {"en-de": pair}, assumed=("Left out: en-cs, which has outputs and no reference.", *pair.assumed))
    text = agreement_text(task_agreement(task, "mine", ["XCOMET"], resamples=50))
    assert text.endswith(f"\nLeft out: en-cs, which has outputs and no reference.\nAssumed: {SAID}\nAssumed: XCOMET: "
                         "higher is better, as its name is known and its scores lie between 0.5 and 0.9.\n")
