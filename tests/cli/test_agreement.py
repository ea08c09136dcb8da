"""`agreement` on texts and ratings."""

import csv
import io
import itertools
import json

import pytest


@pytest.fixture
def rated(options, files):
    """Options for texts with ratings of 50 of 60 lines, by which `good` is best and `poor`
    worst.
    """
    rows = ["system\tline\tscore"]
    for shift, (name, level) in enumerate((("good", 9), ("fair", 7), ("poor", 1))):
        rows += [f"{name}\t{k}\t{level + k * (3 + shift) % 7}" for k in range(1, 51)]
    table = files / "people.tsv"
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    quick = "--human people --trials 199 --resamples 100".split()
    return [*options, "--scores", f"people={table}", *quick]


def test_json_has_the_documented_keys(run_json, rated):
    data = run_json("agreement", *rated)
    assert data["human"] == "people"
    assert data["metrics"].keys() == {"bleu", "chrf", "ter"}
    assert data["testset"]["n_segments"] == 50
    assert data["settings"]["unit"] == "document"
    for metric in data["metrics"].values():
        assert (metric["n_pairs"], metric["pairwise_accuracy"]) == (3, 1.0)
        for kind in ("pairwise_accuracy", "soft_pairwise_accuracy"):
            assert 0 <= metric[f"{kind}_low"] <= metric[kind] <= metric[f"{kind}_high"] <= 1
    assert len(data["comparisons"]) == 3
    assert data["comparisons"][0].keys() == {"a", "b", "delta", "p_value", "p_adjusted"}


def test_a_human_score_that_is_not_there(run, rated):
    done = run("agreement", *rated, "--human", "peopel")
    assert done.status == 2 and "It has: people" in done.err


@pytest.fixture
def of_task(tmp_path):
    """The command for a task of two language pairs, three systems and two scores."""
    folder = tmp_path / "task" / "automatic_scores"
    folder.mkdir(parents=True)
    for better, name in enumerate("ABC"):
        lines = []
        for pair, k in itertools.product(("en-de", "en-cs"), range(12)):
            esa, comet = 60 + 9 * better + k * 7 % 11, 0.5 + better / 9 + (k * 5 + better) % 7 / 50
            row = {"language_pair": pair, "document_id": f"d{k}", "domain": "news"}
            lines.append(json.dumps(row | {"metric_scores": {"esa": [esa], "COMET": [comet]}}))
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    return "agreement --human esa --trials 99 --resamples 50 --folder", folder.parent


def test_a_whole_task_has_each_language_pair_and_their_mean(run, run_json, of_task):
    data = run_json(*of_task)
    accuracies = []
    for pair in ("en-de", "en-cs"):
        seed = data["pairs"][pair]["settings"]["seed"]
        alone = run_json(*of_task, "--langpair", pair, "--seed", seed)
        assert alone["metrics"] == data["pairs"][pair]["metrics"]
        accuracies.append(alone["metrics"]["COMET"]["soft_pairwise_accuracy"])
    mean = sum(accuracies) / 2
    assert data["metrics"]["COMET"]["soft_pairwise_accuracy"] == pytest.approx(mean)
    said = f"Over 2 language pairs COMET has a soft pairwise accuracy of {mean:.3f} with esa."
    assert said in run(*of_task).out
    rows = csv.DictReader(io.StringIO(run(*of_task, "--format", "csv").out))
    assert [row["language_pair"] for row in rows] == ["", *data["pairs"]]
    only = run_json(*of_task, "--pairs", "en-cs")
    assert only["pairs"]["en-cs"] == data["pairs"]["en-cs"]
    two = run_json(*of_task, "--exclude", "A")
    for own in two["pairs"].values():
        assert own["testset"]["systems"] == ["B", "C"]


def test_a_table_for_a_whole_task_names_its_language_pairs_itself(run_json, of_task, tmp_path):
    table = tmp_path / "mine.csv"
    lines = ["lp,system,line,score"]
    for pair, better, k in itertools.product(("en-de", "en-cs"), range(3), range(12)):
        lines.append(f"{pair},{'ABC'[better]},{k + 1},{better + k % 3}")
    table.write_text("\n".join(lines))
    mine = run_json(*of_task, "--scores", f"mine={table}", "--human", "mine")
    assert (mine["human"], mine["pairs"].keys()) == ("mine", {"en-de", "en-cs"})


@pytest.mark.parametrize(
    "options, told",
    [
        ("--domain news", "--domain is for one language pair"),
        ("--run en-de:A=a.txt", "--run is for one language pair"),
        ("--pairs en-fr", "Unknown language pair 'en-fr'"),
        ("--scores x=y.tsv", "y.tsv does not exist"),
    ],
)
def test_what_a_whole_task_cannot_be_asked(run, of_task, options, told):
    failed = run(*of_task, *options.split())
    assert failed.status == 2
    assert told in failed.err
