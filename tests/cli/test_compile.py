"""The command `compile`."""

import os
import subprocess
import sys

import pytest

from mtsig_core import METRICS, SettingError
from mtsig_core._compiled import KeptCode
from mtsig_core.cli.compiling import _SHARES, compile_metrics, say_kept


def test_it_says_where_how_much_and_whether_it_was_there(tmp_path):
    folder = tmp_path / "code"
    folder.mkdir()
    for name in ("count.1.nbc", "count.nbi", "count.pyc"):
        (folder / name).write_bytes(bytes(500_000))
    old = KeptCode("count", str(folder), False)
    assert say_kept({old}) == f"All code was compiled before. 1.0 MB are in:\n{folder}\n"
    new = KeptCode("score", str(folder), True)
    assert say_kept({old, new}).startswith("Compiled 1 function. 1.0 MB are in:\n")
    with pytest.raises(SettingError, match="Set NUMBA_CACHE_DIR to a folder"):
        say_kept({KeptCode("count", None, True)})


def test_it_compiles_what_counts_draws_and_scores():
    """In this process, which has compiled most of it before."""
    names = {code.name.rpartition(".")[2] for code in compile_metrics(["bleu"])}
    assert names >= {
        "count_ngrams",
        "count_draws",
        "count_stationary",
        "swap_stationary",
        "sum_swapped",
        "_points_of_each",
        "_differences_of_each",
    }


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
    names = [name for name in METRICS if not getattr(METRICS[name], "needs_parses", False)]
    assert {name for share in _SHARES for name in share} <= set(names)
    work = (
        "from mtsig_core.cli.compiling import compile_metrics\n"
        f"print([code.name for code in compile_metrics({names}) if code.is_new])"
    )
    assert call("-c", work) == "[]\n"
    assert call(*command).startswith("All code was compiled before.")
