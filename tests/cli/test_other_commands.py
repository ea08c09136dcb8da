"""`score`, `segments`, `serve`, and what all commands share."""

import io
import json
import os
import pty
import subprocess
import sys

import pandas as pd
import pytest
import sacrebleu

from mtsig_core.source import TASK_VARIABLE, TaskSource
from tests.builders.processes import free_port
from tests.builders.text_files import write_task


def test_score_is_sacrebleus(run_json, files, options):
    data = run_json("score", *options)["metrics"]["bleu"]
    ref = (files / "ref.txt").read_text().splitlines()
    metric = sacrebleu.BLEU()
    for name, score in data["scores"].items():
        system = (files / f"{name}.txt").read_text().splitlines()
        assert score == pytest.approx(metric.corpus_score(system, [ref]).score, abs=1e-9)
    assert data["signature"] == str(metric.get_signature())


def test_segments_sum_to_the_score(run, run_json, options):
    table = pd.read_csv(io.StringIO(run("segments", *options, "--metrics", "bleu").out))
    assert list(table.columns[:6]) == ["system", "line", "domain", "docid", "sys_len", "ref_len"]
    assert len(table) == 180 and table["line"].max() == 60
    sums = table[table.system == "good"].iloc[:, 4:].sum().tolist()
    scores = run_json("score", *options)["metrics"]["bleu"]["scores"]
    assert sacrebleu.BLEU()._compute_score_from_stats(sums).score == pytest.approx(
        scores["good"], abs=1e-9
    )


def test_segments_as_parquet(run, options, tmp_path):
    target = tmp_path / "segments.parquet"
    assert run("segments", *options, "--format", "parquet", "--out", target).status == 0
    assert len(pd.read_parquet(target)) == 180
    assert run("segments", *options, "--format", "parquet").status == 2


def test_help(process):
    help_text = process("--help", text=True).stdout
    assert "examples:" in help_text and "compare" in help_text
    alone = process(text=True)
    assert (alone.returncode, alone.stdout, alone.stderr) == (0, help_text, "")


@pytest.mark.parametrize(
    "asked, said",
    [
        (["comapre"], "Unknown command 'comapre'. Did you mean 'compare'?"),
        (["sweep", "sise"], "Unknown command 'sise'. Did you mean 'size'?"),
        (
            ["compare", "--demo", "--metrcs", "bleu"],
            "Did you mean '--metrics'? See mtsig compare --help.",
        ),
        (["task", "--demo-task", "--formt=json"], "Did you mean '--format'?"),
        (["score", "--demo", "--format", "jsn"], "Unknown --format 'jsn'. Did you mean 'json'?"),
        # as other programs call it
        (
            ["compare", "--hyp", "a.txt"],
            "Unrecognized arguments: --hyp a.txt. Did you mean '--system'?",
        ),
        (["compare", "--reference=r.txt"], "Did you mean '--ref'?"),
        (["compare", "-m", "bleu"], "Did you mean '--metrics'?"),
        (["compare", "--paired-bs"], "Did you mean '--test bootstrap'?"),
        (["compare", "--demo-segments", "9", "--correction", "fdr_bh"], "Did you mean 'bh'?"),
        (["score", "--demo-segments", "9", "--metrics", "comet"], "Options: --scores comet=FILE."),
    ],
)
def test_what_is_nearly_right_is_named(run, asked, said):
    done = run(*asked)
    assert done.status == 2 and said in done.err


@pytest.mark.long
def test_an_ascii_terminal_is_no_obstacle(process, files):
    done = process(
        "score",
        "--ref",
        files / "ref.txt",
        "--system",
        f"系统={files / 'good.txt'}",
        env={"PYTHONIOENCODING": "ascii", "PATH": "", "MTSIG_CACHE": ""},
    )
    assert done.returncode == 0 and b"\\u7cfb" in done.stdout


@pytest.mark.long
def test_a_closed_pipe_ends_quietly(options, checkout):
    command = [sys.executable, "-m", "mtsig_core", "segments", *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=checkout
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 0


@pytest.mark.parametrize("asked", ["--help", "--version"])
def test_what_cannot_be_printed_is_told(checkout, asked):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "mtsig_core", asked],
            cwd=checkout,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=120,
        )
    assert done.returncode == 2 and done.stderr == (
        b"mtsig: Standard output cannot be written: No space left on device.\n"
    )


def test_serve_checks_before_it_starts(run, files):
    assert "absent.txt" in run("serve", "--ref", files / "absent.txt", "--no-browser").err
    assert "--port is 0" in run("serve", "--port", "0", "--no-browser").err
    assert (
        "Port 8501 of 192.0.2.7 cannot be used"
        in run("serve", "--address", "192.0.2.7", "--no-browser").err
    )
    assert (
        "--workers is 0"
        in run("serve", "--workers", "0", "--port", free_port(), "--no-browser").err
    )


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        *(
            (name, text, f"{name} is '{text}'. Expected")
            for name in (
                "MTSIG_UPLOAD_MB",
                "MTSIG_QUOTA_MB",
                "MTSIG_JOBS",
                "MTSIG_MAX_SESSIONS",
                "MTSIG_UNOPENED_MB",
                "MTSIG_WORKER_MINUTES",
            )
            for text in ("nan", "-1")
        ),
        ("STREAMLIT_SERVER_MAX_UPLOAD_SIZE", "-5", "STREAMLIT_SERVER_MAX_UPLOAD_SIZE is '-5'"),
        ("MTSIG_LOGN", "secrets.toml", "MTSIG_LOGN is not a setting. Did you mean MTSIG_LOGIN?"),
        ("MTSIG_WORKER_MINUTE", "5", "Did you mean MTSIG_WORKER_MINUTES?"),
        ("MTSIG_WORKER_MINUTES", "1e2", "MTSIG_WORKER_MINUTES is '1e2'"),
        ("MTSIG_JOBS", "0", "MTSIG_JOBS is '0'"),
        ("MTSIG_HOSTS", "a.example, https://b.example", "MTSIG_HOSTS has 'https://b.example'"),
        ("MTSIG_HOSTS", "a.example b.example", "MTSIG_HOSTS has 'a.example b.example'"),
        ("MTSIG_EMBED_HOSTS", "a.example; script-src *", "MTSIG_EMBED_HOSTS has 'a.example; "),
        ("MTSIG_EMBED_HOSTS", "*", "MTSIG_EMBED_HOSTS has '*'"),
        ("MTSIG_HEALTH_TOKEN", "中", "MTSIG_HEALTH_TOKEN has letters that no header can carry"),
        ("MTSIG_DATA_ROOT", "absent", "MTSIG_DATA_ROOT is absent, which is not a folder"),
        (
            "MTSIG_LOG",
            "absent/log",
            "MTSIG_LOG is absent/log, which cannot be written: No such file",
        ),
        (
            "MTSIG_HOME",
            os.devnull,
            f"{os.devnull}, cannot be used: File exists. Name another with MTSIG_HOME",
        ),
        (
            "XDG_DATA_HOME",
            os.devnull,
            f"{os.devnull}/mtsig, cannot be used: Not a directory. Name another with MTSIG_HOME",
        ),
        (
            "MTSIG_CACHE",
            os.devnull,
            f"MTSIG_CACHE is {os.devnull}, which cannot be used: File exists",
        ),
        ("MTSIG_CACHE", f"{os.devnull}/below", "which cannot be used: Not a directory"),
        (
            "MTSIG_WORKER_MB",
            "1",
            "MTSIG_WORKER_MB is 1, in which no computation can begin. Expected at least 256",
        ),
        ("MTSIG_WORKER_MB", "255", "Expected at least 256"),
        ("MTSIG_DATA", "/data", "MTSIG_DATA is not a setting. Did you mean MTSIG_DATA_ROOT?"),
        ("MTSIG_TOKEN", "x", "MTSIG_TOKEN is not a setting. Did you mean MTSIG_HEALTH_TOKEN?"),
        ("MTSIG_URL", "x", "MTSIG_URL is not a setting. Did you mean MTSIG_DATABASE_URL?"),
        ("MTSIG_DATABASE_URL", "mysql://x", "MTSIG_DATABASE_URL"),
        ("MTSIG_DASK", "here", "scheduler answers at here"),
    ],
)
def test_serve_names_a_setting_that_is_wrong_before_it_starts(
    run, monkeypatch, tmp_path, name, text, said
):
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("it started"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, text)
    if name == "XDG_DATA_HOME":  # where the database lies without a name for its folder
        monkeypatch.delenv("MTSIG_HOME")
    done = run("serve", "--port", free_port(), "--no-browser")
    assert done.status == 2 and said in done.err


def test_serve_takes_settings_that_are_right(run, monkeypatch, tmp_path):
    started = []
    monkeypatch.setattr(os, "execve", lambda *told: started.append(told))
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "MTSIG_JOBS": " 2",
        "MTSIG_LOG": "log",
        "MTSIG_HOME": "home",
        "MTSIG_HOSTS": "a.example, *.uni.example,xn--p1ai,",
        "MTSIG_EMBED_HOSTS": "https://*.uni.example, localhost:8000",
        "MTSIG_WORKER_MINUTES": "",
        "MTSIG_VERSION": "3",
        "MTSIG_WORKER_MB": "256",
    }.items():
        monkeypatch.setenv(name, text)
    assert (
        run("serve", "--port", free_port(), "--no-browser").err.startswith("mtsig: dashboard at")
        and started
    )


def test_serve_shows_one_language_pair_of_a_folder_as_a_task_too(run, files, monkeypatch, tmp_path):
    started = []
    monkeypatch.setattr(os, "execve", lambda *told: started.append(told[2]))
    write_task(files, tmp_path / "wmt")
    for more in ((), ("--tokenize", "char")):
        run(
            "serve",
            "--folder",
            tmp_path / "wmt",
            "--langpair",
            "en-de",
            *more,
            "--port",
            free_port(),
            "--no-browser",
        )
    task, plain = (environment.get(TASK_VARIABLE) for environment in started)
    assert (
        TaskSource.from_json(task).pairs == ("en-de",) and plain is None
    )  # a task has no tokenizer


@pytest.mark.long
def test_progress_goes_to_a_terminal_and_only_there(run, options, checkout):
    terminal, other_end = pty.openpty()
    command = ["compare", *options, "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "mtsig_core", *command],
        cwd=checkout,
        stdout=subprocess.PIPE,
        stderr=other_end,
        timeout=120,
    )
    shown = os.read(terminal, 1 << 16).decode()
    os.close(terminal), os.close(other_end)
    assert "bleu: test 100%" in shown
    elsewhere = run(*command)
    assert json.loads(done.stdout) == json.loads(elsewhere.out) and elsewhere.err == ""


def test_out_follows_links_and_leaves_devices(run, options, tmp_path):
    target, link = tmp_path / "real.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    assert run("score", *options, "--out", link).status == 0
    assert run("score", *options, "--out", "-").out == run("score", *options).out != ""
    assert link.is_symlink() and "good" in target.read_text()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    assert run("score", *options, "--out", pipe).status == 0
    assert b"good" in reader.communicate(timeout=30)[0] and pipe.is_fifo()


@pytest.mark.parametrize(
    ("name", "form", "beginning"),
    [
        ("a.json", (), "{"),
        ("a.MD", (), "# Scores"),
        ("a.v2", (), "system"),
        ("a.json", ("--format", "csv"), "metric,"),
    ],
)
def test_the_ending_of_the_output_names_the_format(run, options, tmp_path, name, form, beginning):
    done = run("score", *options, *form, "--out", tmp_path / name)
    assert (done.status, done.out, done.err) == (0, "", "")
    assert (tmp_path / name).read_text().startswith(beginning)


@pytest.mark.parametrize("name", ["a.tex", "a.docx"])
def test_an_ending_that_the_command_does_not_write_is_refused(run, options, tmp_path, name):
    done = run("score", *options, "--out", tmp_path / name)
    assert done.status == 2 and f"this command writes no {name[1:]} file." in done.err
    assert "--format: text, json, csv, markdown." in done.err
    assert not (tmp_path / name).exists()


def test_the_output_is_as_closed_as_the_file_that_it_replaces(run, options, tmp_path, monkeypatch):
    target, modes, replace = tmp_path / "a.txt", [], os.replace
    target.write_text("old")
    target.chmod(0o600)
    monkeypatch.setattr(os, "umask", lambda _: 0o027)
    monkeypatch.setattr(
        os, "replace", lambda a, b: (modes.append(os.stat(a).st_mode), replace(a, b))
    )
    for name in ("a.txt", "new.txt"):
        assert run("score", *options, "--out", tmp_path / name).status == 0
    assert [oct(mode & 0o777) for mode in modes] == ["0o600", "0o640"]
    assert oct(target.stat().st_mode & 0o777) == "0o600"


def test_score_warns_of_empty_lines(run, files, options):
    lines = (files / "fair.txt").read_text().splitlines()
    (files / "fair.txt").write_text("\n".join(["", *lines[1:]]) + "\n")
    result = run("score", *options)
    assert (
        "System fair has 1 empty segment of 60, the first at line 1" in result.err
        and result.status == 0
    )
