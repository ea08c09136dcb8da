"""The command `compile`."""

import os
import subprocess
import sys

import pytest

from mtsig_core.cli import compiling
from mtsig_core.cli.compiling import _SHARES, compile_metrics, say_where
from mtsig_core.cli.main import main
from mtsig_core.metrics import list_metrics
from mtsig_core.metrics.kernels import ngrams
from mtsig_core.simulation.corpus import load_demo
from mtsig_core.stats import kernels


def test_it_says_where_how_much_and_whether_it_was_there(tmp_path):
    for name, size in (("count.1.nbc", 400_000), ("count.2.nbc", 500_000), ("count.pyc", 9)):
        (tmp_path / name).write_bytes(bytes(size))
    os.utime(tmp_path / "count.1.nbc", (1000, 1000))
    where = f"0.9 MB are in:\n{tmp_path}\n"
    assert say_where({str(tmp_path)}, began=2000) == f"Compiled 1 function. {where}"
    os.utime(tmp_path / "count.2.nbc", (1000, 1000))
    assert say_where({str(tmp_path)}, began=2000) == f"All code was compiled before. {where}"


def test_without_a_folder_it_says_so_before_it_compiles(monkeypatch, capsys):
    monkeypatch.setattr(compiling, "list_code_folders", set)
    monkeypatch.setattr(compiling, "ProcessPoolExecutor", None)
    assert main(["compile"]) == 2
    assert "Set NUMBA_CACHE_DIR to a folder" in capsys.readouterr().err


def test_it_uses_what_counts_draws_and_scores():
    compile_metrics(["bleu"])
    for kernel in (
        ngrams.count_ngrams,
        kernels.count_draws,
        kernels.count_stationary,
        kernels.swap_stationary,
        kernels.sum_swapped,
    ):
        assert kernel.signatures


@pytest.mark.long
def test_nothing_is_left_to_compile(tmp_path):
    """In a new folder, found again by a process with all metrics and by the command itself."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "MTSIG_CACHE": ""}

    def call(*arguments):
        done = subprocess.run(
            [sys.executable, *arguments], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    command = ("-m", "mtsig_core", "compile")
    first = call(*command)
    assert "Compiled " in first and str(tmp_path) in first
    names = list_metrics(load_demo(100))
    assert {name for share in _SHARES for name in share} <= set(names)
    work = (
        "from mtsig_core._compiled import announce_compiling\n"
        "from mtsig_core.cli.compiling import compile_metrics\n"
        f"with announce_compiling(print): compile_metrics({names})"
    )
    assert call("-c", work) == ""
    assert call(*command).startswith("All code was compiled before.")
