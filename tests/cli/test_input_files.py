"""Files that options name: patterns that the shell left as they are, several at once, standard input."""

import gzip
import io
import json
import os
import sys

import pytest


@pytest.fixture
def place(files, monkeypatch):
    """The folder of the test set, as the working folder, with names that have a meaning elsewhere."""
    monkeypatch.chdir(files)
    for name, copy in (("good", "x[1]"), ("poor", "-x"), ("fair", "a=b $(id)")):
        (files / f"{name}.txt").rename(files / f"{copy}.txt")
    os.mkdir("out")
    for name in ("x[1]", "-x", "a=b $(id)"):
        os.link(f"{name}.txt", f"out/{name}.txt")
    return files


@pytest.fixture
def send(monkeypatch):
    """Put bytes on standard input."""

    def call(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return call


def score_names(run_json, *options):
    return list(run_json("score", "--ref", "ref.txt", *options)["metrics"]["bleu"]["scores"])


def test_patterns_and_lists_name_the_same_files(run_json, place):
    whole = ["-x", "a=b $(id)", "x[1]"]
    listed = sorted(map(str, place.glob("out/*.txt")))
    assert score_names(run_json, "--system", "out/*.txt") == whole
    assert score_names(run_json, "--system", *listed, "--metrics", "bleu") == whole
    assert score_names(run_json, "--system=*x.txt", "--system", "x[[]1].txt") == ["-x", "x[1]"]


def test_a_file_is_itself_whatever_its_name_would_match(run_json, place):
    (place / "x1.txt").write_text("other\n")
    assert score_names(run_json, "--system", "x[1].txt", "N=x[1].txt") == ["x[1]", "N"]


def test_a_pattern_does_not_take_the_reference_for_a_system(run, place):
    os.link("ref.txt", "out/ref.txt")
    done = run("score --ref out/ref.txt --system out/*.txt --format json")
    assert list(json.loads(done.out)["metrics"]["bleu"]["scores"]) == ["-x", "a=b $(id)", "x[1]"]
    assert done.err.count("out/ref.txt is another file of the test set") == 1
    named = run("score --ref out/ref.txt --system R=out/ref.txt x[1].txt --format json")
    assert "R" in json.loads(named.out)["metrics"]["bleu"]["scores"]


def test_a_name_is_of_one_file_but_for_scores_that_are_pooled(run, run_json, place):
    done = run("score --ref ref.txt --system A=out/*.txt")
    assert done.status == 2 and "Two systems are called A: out/-x.txt and out/a=b" in done.err
    for wave, start in (("w1", 1), ("w2", 4)):
        rows = [f"{system}\t{start + k}\t{k}" for system in "AB" for k in range(3)]
        (place / f"{wave}.tsv").write_text("\n".join(["system\tline\tscore", *rows]))
    found = run_json("compare --scores h=w?.tsv --trials 99 --resamples 50 --higher-is-better h")
    assert found["testset"]["n_segments"] == 6
    assert "nope*.txt does not exist" in run("score --ref ref.txt --system nope*.txt").err


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_is_a_file(run, run_json, place, send, pack):
    content = (place / "x[1].txt").read_bytes()
    send(pack(content))
    found = run_json("score --ref ref.txt --system Mine=- --system x[1].txt")
    scores = found["metrics"]["bleu"]["scores"]
    assert list(scores) == ["Mine", "x[1]"] and scores["Mine"] == scores["x[1]"]
    send(content.partition(b"\n")[0])
    done = run("score --ref ref.txt --system -")
    assert (
        done.status == 2 and "standard input has 1 line, the reference ref.txt has 60" in done.err
    )


def test_standard_input_is_read_once_and_never_awaited_from_a_person(run, place, send, monkeypatch):
    send(b"a\n")
    done = run("score --ref - --system -")
    assert done.status == 2 and "standard input can be read once, and is named twice" in done.err
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    done = run("score --ref ref.txt --system A=-")
    assert done.status == 2 and "standard input is a terminal, or closed. Name a file" in done.err
    monkeypatch.setattr(sys, "stdin", None)
    assert "is a terminal, or closed" in run("score --ref ref.txt --system -").err
    send(b"a\n")
    assert "serve reads its files again" in run("serve --ref - --system x[1].txt").err


def test_ratings_of_a_task_from_standard_input_are_never_those_of_the_last_time(
    run_json, text_folder, send
):
    """What a task computed is kept by its content, also where nothing on disk has changed."""
    means = []
    for shift in (0, 5):
        rows = [
            f"{system}\t{k}\t{k % 7 + shift}" for system in ("good", "poor") for k in range(1, 61)
        ]
        send("\n".join(["system\tline\tscore", *rows]).encode())
        asked = (
            "task --scores en-de:h=- --higher-is-better h --metrics h --trials 99 --resamples 50"
        )
        found = run_json(f"{asked} --only good,poor --folder", text_folder)
        [row, _] = found["pairs"]["en-de"]["metrics"]["h"]["systems"]
        means.append(row["score"])
    assert means[1] - means[0] == pytest.approx(5)


def test_a_task_says_what_to_do_with_a_list_of_files(run, files, monkeypatch):
    """A PATH may follow its options, so these take one value each."""
    monkeypatch.chdir(files)
    done = run("task --folder . --scores h=ref.txt good.txt poor.txt")
    assert done.status == 2 and "Name an option before each file" in done.err
