"""`--fail-if` as a script uses it: the commands of docs/ci.md on releases of the simulated corpus."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from mtsig_core.cli import testset_commands
from mtsig_core.cli.main import main
from mtsig_core.simulation.corpus import load_demo
from tests.builders.code import ROOT

SCRIPTS = re.findall(
    r"^```sh\n(.*?)^```", (ROOT / "docs" / "ci.md").read_text("utf-8"), re.M | re.S
)
BEFORE, TASK, STORED, MARGIN = (re.findall("^mtsig (.+)$", script, re.M) for script in SCRIPTS)
N_SEGMENTS = 400
GOOD, BAD = "Spanish", "Finnish"


def write_lines(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@pytest.fixture
def release(tmp_path, monkeypatch):
    """Write a baseline and a release: as files, and on two test sets of a task."""
    demo = load_demo(N_SEGMENTS)
    monkeypatch.chdir(tmp_path)

    def write(name):
        texts = {"old": demo.systems["Danish"], "new": demo.systems[name]}
        write_lines(Path("ref.txt"), demo.references["ref"])
        write_lines(Path("docs.txt"), demo.documents)
        for system, lines in texts.items():
            write_lines(Path(f"{system}.txt"), lines)
        half = N_SEGMENTS // 2
        for folder, part in (("news", slice(half)), ("chat", slice(half, None))):
            write_lines(Path(folder) / "ref.txt", demo.references["ref"][part])
            write_lines(Path(folder) / "docs.txt", demo.documents[part])
            for system, lines in texts.items():
                write_lines(Path(folder) / f"{system}.txt", lines[part])

    return write


@pytest.mark.parametrize("name, status", [(GOOD, 0), (BAD, 3)])
def test_the_commands_of_the_page(release, run, name, status):
    release(name)
    for command in (*BEFORE, *TASK, *MARGIN):
        done = run(*shlex.split(command))
        assert done.status == status
        said = [line for line in done.err.splitlines() if "comparisons" in line]
        assert len(said) == (status == 3)
    assert ("Passes" if status == 0 else "Fails") in Path("report.md").read_text("utf-8")
    gate = json.loads(Path("report.json").read_text("utf-8"))["gate"]
    assert gate["passed"] is (status == 0) and gate["rule"] == "worse"
    assert {(row["testset"], row["metric"]) for row in gate["rows"]} == {
        (testset, metric) for testset in ("news", "chat") for metric in ("bleu", "chrf")
    }


@pytest.mark.long
@pytest.mark.parametrize("name, status", [(GOOD, 0), (BAD, 3)])
def test_the_script_of_the_page_in_a_shell(release, name, status):
    release(name)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["sh", "-c", SCRIPTS[0]], env=os.environ | {"PATH": path}, check=False)
    assert done.returncode == status


def test_every_format_has_the_decision(release, run):
    release(BAD)
    (command,) = BEFORE
    words = shlex.split(command)[:-2]
    for form in ("text", "json", "csv", "markdown", "latex", "typst", "html"):
        done = run(*words, "--trials", "999", "--format", form)
        assert done.status == 3
        needle = "gate" if form == "csv" else "significantly worse than old: new by BLEU"
        assert needle in done.out, form


@pytest.mark.parametrize(
    "options, words",
    [
        ("--fail-if worse", "--fail-if needs --baseline NAME"),
        ("--fail-if wors --baseline old", "Did you mean 'worse'"),
        ("--fail-if worse --baseline old --margin bleu=1", "--margin needs --fail-if not-noninf"),
        ("--fail-if not-noninferior --baseline old --margin bleu", "'bleu' is no METRIC=X"),
        ("--fail-if not-noninferior --baseline old", "bleu needs a margin"),
        ("--fail-if worse --baseline old --test koehn", "koehn has no p"),
        ("--fail-if worse --baseline old --trials 19", "Cannot be decided: 20 documents or"),
        ("--fail-if not-noninferior --baseline old --margin 1", "'1' is no METRIC=X"),
        ("--fail-if not-noninferior --baseline old --margin bleu=nan", "points above 0"),
        (
            "--fail-if not-noninferior --baseline old --margin bleu=1 --margin bleu=2",
            "names a metric twice",
        ),
        ("--fail-if worse --baseline old --system same=old.txt", "same and old are identical"),
    ],
)
def test_what_decides_nothing_is_status_2(release, run, options, words):
    release(GOOD)
    files = "--ref ref.txt --docs docs.txt --system old.txt --system new.txt --metrics bleu,ter"
    if "noninferior" in options or "koehn" in options:
        files = files.removesuffix(",ter")
    done = run("compare", *files.split(), *options.split())
    assert done.status == 2 and words in done.err


def test_a_bad_file_is_status_2(release, run):
    release(GOOD)
    Path("new.txt").write_text("one line\n", encoding="utf-8")
    done = run(*shlex.split(BEFORE[0]))
    assert done.status == 2 and "new.txt" in done.err and not Path("report.md").exists()


def test_a_test_set_without_the_release_is_status_2(release, run):
    release(GOOD)
    Path("chat/new.txt").unlink()
    done = run(*shlex.split(TASK[0]))
    assert done.status == 2 and "new on chat by BLEU" in done.err


def test_a_task_that_is_watched_does_not_decide(run):
    done = run("task", "--demo-task", *"--baseline Oak-closed --fail-if worse --watch".split())
    assert done.status == 2 and "--fail-if has no effect with --watch" in done.err


FILES = "--ref ref.txt --docs docs.txt --system old=old.txt --system new=new.txt".split()


def test_what_changed_since_a_stored_result(release, run, run_json):
    """The stored one is of a good release, and the next one of a bad release with fewer trials."""
    release(GOOD)
    store, show = (shlex.split(command) for command in STORED)
    assert run(*store).status == 0 and run(*show).status == 0
    assert "0 changes since the stored result, which is of the same outputs" in Path(
        "changes.md"
    ).read_text("utf-8")
    stored = json.loads(Path("stored.json").read_text("utf-8"))["metrics"]["bleu"]["systems"]
    release(BAD)
    options = [*FILES, "--trials", "999", "--against", "stored.json"]
    data = run_json("compare", *options, "--system", "third=new.txt")
    changes = data["changes"]
    assert changes["same_outputs"] is False
    rows = {(row["subject"], row["kind"]): (row["before"], row["now"]) for row in changes["rows"]}
    before = {row["system"]: row["score"] for row in stored}
    now = {row["system"]: row["score"] for row in data["metrics"]["bleu"]["systems"]}
    assert rows["new", "score"] == (before["new"], now["new"])
    assert rows["third", "score"] == (None, now["third"])
    assert ("old", "score") not in rows
    assert rows["trials", "setting"] == ("9999", "999")
    assert rows["new - old", "better"] == (None, "old")
    for form in ("text", "csv", "markdown", "latex", "typst", "html"):
        assert "new - old" in run("compare", *options, "--format", form).out, form


def test_a_result_of_other_references_is_refused(release, run):
    release(GOOD)
    assert run("compare", *FILES, "--out", "stored.json").status == 0
    stored = Path("stored.json").read_text("utf-8")
    older = re.sub('"reference_digest": ".*?"', '"reference_digest": ""', stored)
    Path("older.json").write_text(older, encoding="utf-8")
    done = run("compare", *FILES, "--against", "older.json")
    assert done.status == 2 and "written by an older version of mtsig" in done.err
    references = Path("ref.txt").read_text("utf-8")
    Path("ref.txt").write_text(references.replace("the", "a", 1), encoding="utf-8")
    done = run("compare", *FILES, "--against", "stored.json")
    assert done.status == 2 and "is not of these references" in done.err
    done = run("compare", *FILES, "--against", "ref.txt")
    assert done.status == 2 and "This is not JSON" in done.err
    done = run("compare", *FILES, "--against", "stored.json", "--rank-rule", "all")
    assert done.status == 2 and "without --against" in done.err


def test_a_bad_release_fails_although_nobody_reads_its_report(release, monkeypatch, capsys):
    release(BAD)

    class ClosedPipe(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    dropped = []
    monkeypatch.setattr(testset_commands, "drop_output", lambda: dropped.append(True))
    monkeypatch.setattr(sys, "stdout", ClosedPipe())
    status = main(["compare", *FILES, "--trials", "999", "--baseline", "old", "--fail-if", "worse"])
    assert status == 3 and dropped == [True]
    assert "new by BLEU" in capsys.readouterr().err


@pytest.mark.parametrize("name", [GOOD, BAD])
def test_a_paper_has_the_difference_from_the_baseline(release, run, name):
    release(name)
    options = [*FILES, "--metrics", "bleu,ter", "--trials", "999", "--baseline", "old"]
    gate = json.loads(run("compare", *options, "--fail-if", "worse", "--format", "json").out)
    improvements = [row["improvement"] for row in gate["gate"]["rows"]]
    paper = run("compare", *options, "--format", "markdown").out
    row = re.search(r"^\| difference \|(.+)\|$", paper, re.M)[1]
    printed = [float(cell.replace("\N{MINUS SIGN}", "-")) for cell in row.split("|")]
    assert printed == pytest.approx(improvements, abs=0.005)
    assert "Differences are from old; positive is better" in paper


def test_scores_that_only_the_release_lacks_decide_nothing(run, tmp_path, monkeypatch):
    """Its best segments would pass."""
    monkeypatch.chdir(tmp_path)
    rows = ["system\tline\tscore"]
    for line in range(100):
        rows += [f"old\t{line + 1}\t{line % 7 + 2}", f"new\t{line + 1}\t{line % 7 + line % 2}"]
    Path("all.tsv").write_text("\n".join(rows))
    Path("best.tsv").write_text("\n".join(row for row in rows if not re.match("new.*[0123]$", row)))
    options = "--higher-is-better qa --baseline old --fail-if worse --trials 999".split()
    assert run("compare", "--scores", "qa=all.tsv", *options).status == 3
    done = run("compare", "--scores", "qa=best.tsv", *options)
    assert done.status == 2 and "scores of segments that other systems have by qa" in done.err


def test_what_changed_in_several_test_sets(release, run):
    release(GOOD)
    task = "task --set news=news --set chat=chat --trials 199 --resamples 100".split()
    assert run(*task, "--out", "stored.json").status == 0
    same = json.loads(run(*task, "--against", "stored.json", "--format", "json").out)["changes"]
    assert same == {"same_outputs": True, "rows": []}
    path = Path("chat/new.txt")
    path.write_text("changed\n" + path.read_text("utf-8").partition("\n")[2], encoding="utf-8")
    changes = json.loads(run(*task, "--against", "stored.json", "--format", "json").out)["changes"]
    assert changes["same_outputs"] is False
    assert {row["testset"] for row in changes["rows"]} == {"chat"}
    assert "score" in {row["kind"] for row in changes["rows"] if row["subject"] == "new"}
    Path("news/ref.txt").write_text("changed\n" * (N_SEGMENTS // 2), encoding="utf-8")
    done = run(*task, "--against", "stored.json")
    assert done.status == 2 and "news is not of these references" in done.err
    done = run("compare", *FILES, "--against", "stored.json")
    assert done.status == 2 and "stored.json is not a result of this command" in done.err
