"""Training runs beside the folder, the XML or the task that a test set comes from."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
import sacrebleu

from mtsig_core import InputError, compare
from mtsig_core.readers.texts import find_runs, join_runs
from mtsig_core.report.commands import source_options, task_command
from mtsig_core.source import Source, TaskSource
from tests.builders.toys import texts

REFERENCE, (A, A2, B, B2, C) = texts(5, [0.3, 0.33, 0.4, 0.36, 0.5], 12)
CANARY = "canary 1-2-3"


@pytest.fixture
def folder(tmp_path):
    """Two language pairs of the same texts; the first line is a canary.

    Beside it the further runs.
    """

    def write(path, *lines):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([CANARY, *lines]) + "\n", encoding="utf-8")
        return path

    for pair in ("en-de", "en-cs"):
        write(tmp_path / "task" / "references" / f"{pair}.refA.txt", *REFERENCE)
        (docs := tmp_path / "task" / "documents").mkdir(exist_ok=True)
        (docs / f"{pair}.docs").write_text(
            "canary\tcanary\n" + "".join(f"news\td{k // 2}\n" for k in range(12))
        )
        for name, output in (("A", A), ("B", B), ("C", C)):
            write(tmp_path / "task" / "system-outputs" / pair / f"{name}.txt", *output)
    for name, output in (("A", A2), ("B", B2)):
        write(tmp_path / f"{name}.run2.txt", *output)
    return tmp_path / "task"


@pytest.fixture
def runs(folder):
    return tuple((name, str(folder.parent / f"{name}.run2.txt")) for name in "AB")


def points(output):
    return sacrebleu.corpus_bleu(output, [REFERENCE]).score


def test_a_folder_has_runs_without_the_line_that_is_a_canary(folder, runs):
    source = Source(folder=str(folder), langpair="en-de", run=runs)
    testset = source.read()
    assert (
        testset.runs == {"A": (tuple(A2),), "B": (tuple(B2),)}
        and list(testset.references["refA"]) == REFERENCE
    )
    plain = replace(source, run=()).read()
    assert testset.lines == plain.lines
    assert testset.digest == replace(plain, runs={"A": [A2], "B": [B2]}).digest
    whole = source.include_all().read()
    assert whole.runs["A"][0] == (CANARY, *A2) and whole.systems["C"][0] == CANARY
    below = replace(source, below=str(folder.parent))
    assert source_options(below)[2:6] == ["--run", "A=A.run2.txt", "--run", "B=B.run2.txt"]


def test_what_a_run_cannot_be(folder, runs):
    testset = Source(folder=str(folder), langpair="en-de", keep_canary=True).read()
    (folder.parent / "short.txt").write_text("one\n")
    with pytest.raises(
        InputError, match="short.txt has 1 line, the reference refA of task en-de has 13"
    ):
        join_runs(testset, [("A", folder.parent / "short.txt")])
    with pytest.raises(InputError, match="'a', which is no system. Did you mean 'A'"):
        join_runs(testset, [("a", runs[0][1])])


def test_a_language_pair_that_is_left_out_takes_no_runs_and_no_scores(folder, runs, run):
    """Said, where it was ignored before; a pair that does not exist is called so."""
    given = f"en-cs:A={runs[0][1]}"
    told = "A is given for en-cs, which is not among the language pairs that are chosen"
    demo = "task --demo --pairs qaa-en --run", given.replace("en-cs", "qab-en")
    of_folder = "--folder", folder, "--pairs", "en-de"
    for asked, said in (
        (("task", *of_folder, "--run", given), f"{told}: en-de."),
        (("task", *of_folder, "--scores", given), f"{told}: en-de."),
        (("agreement --human A", *of_folder, "--scores", given), told),
        (demo, "A is given for qab-en"),
        (("task", *of_folder, "--run", given.replace("cs:", "xx:")), "language pair 'en-xx'"),
        (("task", *of_folder, "--scores", given.replace("cs:", "xx:")), "language pair 'en-xx'"),
    ):
        failed = run(*asked)
        assert failed.status == 2
        assert said in failed.err
    assert "--pairs en-de,en-cs" in run("task", *of_folder, "--run", given).err


def test_xml_has_runs(folder):
    def seg(output):
        return "".join(f'<seg id="{k}">{line}</seg>' for k, line in enumerate(output, 1))

    (file := folder.parent / "set.xml").write_text(
        f'<dataset id="set"><doc id="d" origlang="en"><src lang="en"><p>{seg(REFERENCE)}</p></src>'
        f'<ref lang="de" translator="A"><p>{seg(REFERENCE)}</p></ref>'
        + "".join(
            f'<hyp system="{name}" lang="de"><p>{seg(output)}</p></hyp>'
            for name, output in (("A", A), ("B", B))
        )
        + "</doc></dataset>",
        encoding="utf-8",
    )
    for name, output in (("A", A2), ("B", B2)):
        (folder.parent / f"{name}.txt").write_text("\n".join(output) + "\n", encoding="utf-8")
    testset = Source(
        xml=(str(file),), run=tuple((name, str(folder.parent / f"{name}.txt")) for name in "AB")
    ).read()
    found = compare(testset, trials=99, resamples=99).metrics["bleu"]
    assert {row.system: row.score for row in found.systems} == pytest.approx(
        {"A": np.mean([points(A), points(A2)]), "B": np.mean([points(B), points(B2)])}
    )


def test_run_k_of_each_language_pair_makes_run_k_across_them(folder, runs, run, run_json):
    """The SD of means of the scores, of A that has two runs in both; B has them in one, C in
    none.
    """
    again = folder.parent / "again.txt"
    again.write_text("\n".join([CANARY, *C]) + "\n", encoding="utf-8")
    given = [f"--run=en-de:{name}={path}" for name, path in runs]
    asked = "task --trials 99 --resamples 99 --folder", folder, *given, f"--run=en-cs:A={again}"
    by_run = [points(A), (points(A2) + points(C)) / 2]
    (mine,) = (row for row in run_json(*asked)["macro"]["bleu"]["systems"] if "runs" in row)
    assert (mine["system"], mine["runs"]["scores"]) == ("A", pytest.approx(by_run))
    sd = mine["runs"]["sd"]
    assert sd == pytest.approx(abs(by_run[0] - by_run[1]) / 2**0.5)
    assert mine["score"] == pytest.approx(np.mean(by_run))
    rows = csv.DictReader(io.StringIO(run(*asked, "--format", "csv").out))
    across = [row for row in rows if not row["language_pair"]]
    spreads = {row["system"]: row["sd"] for row in across if row["table"] == "systems"}
    assert spreads == {"A": str(sd), "B": "", "C": ""}
    of_runs = [(row["run"], float(row["score"])) for row in across if row["table"] == "runs"]
    assert of_runs == [(str(k), score) for k, score in enumerate(mine["runs"]["scores"], 1)]
    line = next(line for line in run(*asked).out.splitlines() if line.startswith("all pairs"))
    assert line.split()[2:5] == ["A", "2", f"{sd:.2f}"]


def test_runs_lie_in_the_folder_of_a_task(tmp_path):
    for name in (
        "en-de.A.run2.txt",
        "en-de.A.run10.txt",
        "en-de.A.v1.run3.txt",
        "en-de.A.run1.txt",
        "en-cs.A.run2.txt",
        "en-de.A.txt",
        "A.run2.txt",
    ):
        (tmp_path / name).write_text("a\n")
    assert find_runs(tmp_path, ["en-de"]) == [
        ("en-de", system, str(tmp_path / f"en-de.{system}.run{k}.txt"))
        for system, k in (("A", 2), ("A", 10), ("A.v1", 3))
    ]


def test_a_changed_run_is_seen_and_commands_name_runs(folder, runs, run_json):
    path = runs[0][1]
    asked = "task --trials 99 --resamples 99 --folder", folder, f"--run=en-de:A={path}"
    first = run_json(*asked)
    (folder.parent / "A.run2.txt").write_text("\n".join([CANARY, *C]) + "\n", encoding="utf-8")
    assert run_json(*asked) != first
    there = TaskSource(str(folder), run=(("en-de", *runs[0]),), below=str(folder.parent))
    assert task_command(there) == "mtsig task --folder task --run en-de:A=A.run2.txt"
