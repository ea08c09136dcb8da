"""Ratings of people in the folder of a task with texts, as ``PAIR.NAME.tsv``, by options."""

import json
import os

import pytest

from tests.builders.processes import free_port


@pytest.fixture
def rated(folder):
    """The folder with ratings of 40 of 60 lines."""
    lines = [
        f"{k}\t{name}\t{level + k % 7}"
        for k in range(1, 41)
        for name, level in (("good", 90), ("fair", 80), ("poor", 30))
    ]
    (folder / "en-de.esa.tsv").write_text("\n".join(["line\tsystem\tscore", *lines]))
    return folder


def test_on_the_command_line_they_are_read_or_named(run, rated):
    asked = ["task", "--folder", rated, "--trials", 99, "--format", "json"]
    table = rated / "en-de.esa.tsv"
    assert list(json.loads(run(*asked).out)["pairs"]["en-de"]["metrics"]) == ["esa"]
    turned = json.loads(
        run(*asked, "--scores", f"en-de:esa={table}", "--lower-is-better", "esa").out
    )
    assert [row["system"] for row in turned["pairs"]["en-de"]["metrics"]["esa"]["systems"]] == [
        "poor",
        "fair",
        "good",
    ]
    for wrong, told in (
        (f"esa={table}", "names no language pair of the task"),
        (f"en-xx:esa={table}", "Unknown language pair 'en-xx'"),
        ("en-de:esa=nowhere.tsv", "nowhere.tsv"),
    ):
        failed = run(*asked, "--scores", wrong)
        assert failed.status == 2 and told in failed.err


def test_ratings_of_language_pairs_without_texts_are_named(run, folder):
    row = "ann,{},{},TGT,eng,{},{},test-en-news_one,False,[],1.0,2.0\n"
    rows = []
    for name, level in (("good", 90), ("poor", 30)):
        for code in ("deu", "ces"):
            rows += [row.format(name, k, code, level + k % 7) for k in range(40)]
    (folder / "wave.csv").write_text("".join(rows))
    done = run("task", "--folder", folder, "--trials", 99, "--metrics", "ESA")
    assert "ESA of en-de is read from" in done.err
    assert "wave.csv: it has scores of en-cs too, of which there are no texts" in done.err


@pytest.mark.parametrize(
    "asked, said",
    [
        (["--run", "esa=t.tsv"], "expected PAIR:NAME=FILE"),
        (["--scores", "esa=t.tsv"], "t.tsv does not exist"),
        (["--scores", "en-zh:esa=t.tsv"], "en-zh"),
        (["--scores", "en-de:esa=absent.tsv"], "absent.tsv does not exist"),
        (["--pairs", "en-xx"], "en-xx"),
        (["--run", "en-de:nobody=absent.txt"], "absent.txt does not exist"),
        (["--systems-table", "absent.tsv"], "absent.tsv does not exist"),
        *(
            (asked, f"{asked[0]} is for one language pair, but you asked for all")
            for asked in (
                ["--refs", "refA"],
                ["--refs-as-systems"],
                ["--tokenize", "char"],
                ["--parse", "good=absent.txt"],
            )
        ),
        (
            ["--ids", "absent.txt", "--scores", "en-de:esa=absent.tsv"],
            "--ids is for one language pair",
        ),
        (
            ["--langpair", "en-de", "--pairs", "en-de"],
            "--pairs goes with --folder DIR without --langpair",
        ),
    ],
)
def test_mistakes_show_before_the_server_starts(rated, run, monkeypatch, asked, said):
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("it started"))
    done = run("serve", "--folder", rated, *asked, "--port", free_port(), "--no-browser")
    assert done.status == 2 and said in done.err and len(done.err.splitlines()) == 1
