"""`agreement` on texts and ratings."""

import csv
import io
import json

import pytest


@pytest.fixture
def rated(options, files):
    """Options for texts with ratings of 50 of 60 lines, by which `good` is best and `poor`
    worst.
    """
    rows = [
        f"{name}\t{k}\t{level + k * (3 + shift) % 7}"
        for shift, (name, level) in enumerate((("good", 9), ("fair", 7), ("poor", 1)))
        for k in range(1, 51)
    ]
    (files / "people.tsv").write_text(
        "\n".join(["system\tline\tscore", *rows]) + "\n", encoding="utf-8"
    )
    return [
        *options,
        "--scores",
        f"people={files / 'people.tsv'}",
        "--human",
        "people",
        "--trials",
        "199",
        "--resamples",
        "100",
    ]


def test_json_has_the_documented_keys(run, rated):
    data = json.loads(run("agreement", *rated, "--format", "json").out)
    assert data["human"] == "people" and data["metrics"].keys() == {"bleu", "chrf", "ter"}
    assert data["testset"]["n_segments"] == 50 and data["settings"]["unit"] == "document"
    for one in data["metrics"].values():
        assert (one["n_pairs"], one["pairwise_accuracy"]) == (3, 1.0)
        for kind in ("pairwise_accuracy", "soft_pairwise_accuracy"):
            assert 0 <= one[f"{kind}_low"] <= one[kind] <= one[f"{kind}_high"] <= 1
    assert len(data["comparisons"]) == 3
    assert data["comparisons"][0].keys() == {"a", "b", "delta", "p_value", "p_adjusted"}


def test_a_human_score_that_is_not_there(run, rated):
    done = run("agreement", *rated, "--human", "peopel")
    assert done.status == 2 and "It has: people" in done.err


def test_a_whole_task_has_each_language_pair_and_their_mean(run, tmp_path):
    folder = tmp_path / "task" / "automatic_scores"
    folder.mkdir(parents=True)
    for at, name in enumerate("ABC"):
        rows = [
            {
                "language_pair": pair,
                "document_id": f"d{k}",
                "domain": "news",
                "metric_scores": {
                    "esa": [60 + 9 * at + k * 7 % 11],
                    "COMET": [0.5 + at / 9 + (k * 5 + at) % 7 / 50],
                },
            }
            for pair in ("en-de", "en-cs")
            for k in range(12)
        ]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = (
        "agreement",
        "--folder",
        folder.parent,
        "--human",
        "esa",
        "--trials",
        99,
        "--resamples",
        50,
    )
    data = json.loads(run(*asked, "--format", "json").out)
    alone = {
        pair: json.loads(
            run(
                *asked,
                "--langpair",
                pair,
                "--seed",
                data["pairs"][pair]["settings"]["seed"],
                "--format",
                "json",
            ).out
        )
        for pair in ("en-de", "en-cs")
    }
    assert {pair: own["metrics"] for pair, own in alone.items()} == {
        pair: own["metrics"] for pair, own in data["pairs"].items()
    }
    mean = sum(own["metrics"]["COMET"]["soft_pairwise_accuracy"] for own in alone.values()) / 2
    assert data["metrics"]["COMET"]["soft_pairwise_accuracy"] == pytest.approx(mean)
    text = run(*asked).out
    assert (
        f"Over 2 language pairs COMET has a soft pairwise accuracy of {mean:.3f} with esa." in text
    )
    rows = list(csv.DictReader(io.StringIO(run(*asked, "--format", "csv").out)))
    assert [row["language_pair"] for row in rows] == ["", *data["pairs"]]
    only = json.loads(run(*asked, "--pairs", "en-cs", "--format", "json").out)
    assert only["pairs"]["en-cs"] == data["pairs"]["en-cs"]
    table = tmp_path / "mine.csv"  # which names its language pairs itself
    table.write_text(
        "lp,system,line,score\n"
        + "".join(
            f"{pair},{name},{k + 1},{at + k % 3}\n"
            for pair in ("en-de", "en-cs")
            for at, name in enumerate("ABC")
            for k in range(12)
        )
    )
    mine = json.loads(
        run(*asked, "--scores", f"mine={table}", "--human", "mine", "--format", "json").out
    )
    assert mine["human"] == "mine" and list(mine["pairs"]) == list(data["pairs"])
    two = json.loads(run(*asked, "--exclude", "A", "--format", "json").out)
    assert [own["testset"]["systems"] for own in two["pairs"].values()] == [["B", "C"]] * 2
    for options, told in (
        (["--domain", "news"], "--domain is for one language pair"),
        (["--run", "en-de:A=a.txt"], "--run is for one language pair"),
        (["--pairs", "en-fr"], "Unknown language pair 'en-fr'"),
        (["--scores", "x=y.tsv"], "y.tsv does not exist"),
    ):
        failed = run(*asked, *options)
        assert failed.status == 2 and told in failed.err, failed.err
