"""`compare` as its users run it."""

import csv
import io
import json

import pytest

KEYS = {
    "testset": {
        "name",
        "digest",
        "n_segments",
        "n_documents",
        "references",
        "systems",
        "simulated",
    },
    "settings": {
        "test",
        "unit",
        "trials",
        "alpha",
        "correction",
        "ci",
        "resamples",
        "seed",
        "version",
    },
    "system": {"system", "score", "ci_low", "ci_high", "rank_low", "rank_high"},
    "pair": {
        "a",
        "b",
        "delta",
        "ci_low",
        "ci_high",
        "p_value",
        "p_adjusted",
        "significant",
        "better",
        "win",
        "lose",
        "ci_joint_low",
        "ci_joint_high",
        "se",
        "se_ratio",
        "mdd",
    },
    "warning": {"code", "text", "metric", "a", "b", "remedies", "here", "advice", "facts"},
}


def as_json(result):
    def no_constant(name):
        raise AssertionError(f"{name} in the output")

    return json.loads(result.out, parse_constant=no_constant)


class TestJson:
    def test_has_the_keys_of_the_contract(self, run, options):
        data = as_json(run("compare", *options, "--format", "json"))
        assert KEYS["testset"] <= data["testset"].keys()
        assert KEYS["settings"] <= data["settings"].keys()
        bleu = data["metrics"]["bleu"]
        assert {"signature", "higher_is_better", "systems", "pairs"} <= bleu.keys()
        assert all(KEYS["system"] <= row.keys() for row in bleu["systems"])
        assert all(KEYS["pair"] <= row.keys() for row in bleu["pairs"])
        assert data["warnings"] and all(KEYS["warning"] == row.keys() for row in data["warnings"])

    def test_best_first_and_better_named_first(self, run, options):
        bleu = as_json(run("compare", *options, "--format", "json"))["metrics"]["bleu"]
        assert [row["system"] for row in bleu["systems"]] == ["good", "fair", "poor"]
        assert [(row["a"], row["b"]) for row in bleu["pairs"]] == [
            ("good", "fair"),
            ("good", "poor"),
            ("fair", "poor"),
        ]
        assert all(row["delta"] >= 0 for row in bleu["pairs"])
        assert bleu["pairs"][1]["better"] == "a" and bleu["pairs"][1]["significant"]

    def test_defaults(self, run, options):
        settings = as_json(run("compare", *options, "--format", "json"))["settings"]
        expected = {
            "test": "ar",
            "unit": "document",
            "trials": 9999,
            "resamples": 2000,
            "alpha": 0.05,
            "seed": 0,
            "correction": "romano-wolf",
            "ci": "jackknife-t",
        }
        assert expected.items() <= settings.items()

    def test_human_scores_decide_where_there_are_some(self, run, options, files):
        (files / "esa.tsv").write_text(
            "system\tline\tscore\n"
            + "".join(
                f"{name}\t{k}\t{70 + 5 * j + k % 7}\n"
                for j, name in enumerate(("good", "fair"))
                for k in range(1, 61)
            )
        )
        scored = [*options, "--scores", f"esa={files / 'esa.tsv'}"]
        found = run("compare", *scored, "--trials", 199, "--format", "json")
        assert (
            list(as_json(found)["metrics"]) == ["esa"] and "by esa, the human scores" in found.err
        )
        assert list(
            as_json(
                run("compare", *scored, "--trials", 199, "--metrics", "bleu", "--format", "json")
            )["metrics"]
        ) == ["bleu"]
        named = as_json(
            run("pair", *scored, "--trials", 199, "--resamples", 100, "--format", "json")
        )
        assert list(named["metrics"]) == ["esa", "bleu"]
        neural = [*options, "--scores", f"COMET={files / 'esa.tsv'}"]
        assert list(
            as_json(run("compare", *neural, "--trials", 199, "--format", "json"))["metrics"]
        ) == ["bleu"]

    def test_baseline_is_b(self, run, options):
        bleu = as_json(run("compare", *options, "--format", "json", "--baseline", "fair"))[
            "metrics"
        ]["bleu"]
        assert [(row["a"], row["b"]) for row in bleu["pairs"]] == [
            ("good", "fair"),
            ("poor", "fair"),
        ]
        assert bleu["pairs"][1]["delta"] < 0 and bleu["pairs"][1]["better"] == "b"
        assert {row["rank_low"] for row in bleu["systems"]} == {None}


class TestOtherFormats:
    def test_text(self, run, options):
        out = run("compare", *options).out
        assert "60 segments; 15 documents; 3 systems" in out
        assert "Randomization test by document; 9,999 permutations; seed 0" in out
        warnings = as_json(run("compare", *options, "--format", "json"))["warnings"]
        (few,) = (one["text"] for one in warnings if one["code"] == "few-units")
        assert "Row against column" in out and f"Warning: {few}" in out
        assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in out
        assert "0.0000" not in out

    def test_csv_holds_systems_and_pairs(self, run, options):
        rows = list(csv.DictReader(io.StringIO(run("compare", *options, "--format", "csv").out)))
        assert [row["table"] for row in rows] == ["systems"] * 3 + ["pairs"] * 3
        assert rows[0]["system"] == "good" and rows[3]["a"] == "good"
        assert all("|correction:romano-wolf|" in row["signature"] for row in rows)

    @pytest.mark.parametrize("form", ["latex", "html"])
    def test_reports_are_the_same_for_the_same_seed(self, run, options, form):
        first, again, other = (
            run("compare", *options, "--format", form, "--seed", seed).out for seed in (0, 0, 1)
        )
        assert first == again != other

    def test_out_is_written_whole(self, run, options, tmp_path):
        target = tmp_path / "result.json"
        assert run("compare", *options, "--format", "json", "--out", target).out == ""
        assert json.loads(target.read_text())["testset"]["n_segments"] == 60
        assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".mtsig")] == []


class TestSources:
    def test_demo(self, run):
        data = as_json(
            run("compare", "--demo-segments", "600", "--format", "json", "--trials", "999")
        )
        assert data["testset"]["simulated"] and data["testset"]["n_segments"] == 600
        assert len(data["metrics"]["bleu"]["systems"]) == 6

    def test_choice_of_systems_and_domain(self, run, options):
        data = as_json(
            run("compare", *options, "--only", "good,poor", "--domain", "news", "--format", "json")
        )
        assert data["testset"]["systems"] == ["good", "poor"]
        data = as_json(run("compare", *options, "--exclude", "poor", "--format", "json"))
        assert data["testset"]["systems"] == ["fair", "good"]

    def test_a_canary_is_left_out_and_said_to_be(self, run, options, files):
        (files / "docs.txt").write_text(
            "canary\tcanary\n" + "".join(f"news\td{k // 4}\n" for k in range(59))
        )
        found = run("compare", *options, "--trials", 99, "--resamples", 50, "--format", "json")
        assert as_json(found)["testset"]["n_segments"] == 59
        assert (
            found.err
            == "mtsig: line 1, a canary by the documents file, is excluded. --keep-canary keeps it.\n"
        )
        kept = run(
            "compare",
            *options,
            "--trials",
            99,
            "--resamples",
            50,
            "--keep-canary",
            "--format",
            "json",
        )
        assert as_json(kept)["testset"]["n_segments"] == 60 and not kept.err
