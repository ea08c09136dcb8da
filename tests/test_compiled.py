"""Compiled functions."""

import os
import subprocess
import sys

import numba
import pytest

from mtsig_core import _compiled

# Code that draws and scores, and code that counts.
WORK = """
import numpy as np
from mtsig_core import TestSet, make_metric
from mtsig_core.stats.kernels import count_draws
counts = np.zeros((2, 5), np.uint16)
count_draws(np.array([[0, 1, 1, 4, 0], [2, 2, 2, 2, 3]], np.uint16), counts)
print(counts.tolist())
print(make_metric("bleu").score(np.arange(1.0, 10001).reshape(1000, 10)).sum())
"""
COUNT = """
toy = TestSet("toy", {"A": ["the cat sat down"]}, {"ref": ["the cat sat there"], "other": ["a cat sat down ."]})
print(make_metric("bleu").statistics(toy).tolist())
"""

# A thread is in the middle of loading the compiler, and another needs a part of it.
MEETING = """
import sys, threading
from mtsig_core.metrics.counting import compiled_late

class Pause:
    begun, gone_on = threading.Event(), threading.Event()

    def find_spec(self, name, *more):
        if name == "numba.core.decorators" and not self.begun.is_set():
            self.begun.set()
            self.gone_on.wait(1)  # the other one waits for this: it does not come

def load():
    import numba
    print("loaded")

def half(x):
    return x / 2

sys.meta_path.insert(0, Pause())
first = threading.Thread(target=load)
first.start()
Pause.begun.wait()
print(compiled_late(lambda x: half(x) + 1, half)(4.0))
first.join()
"""


def made_with(monkeypatch, njit):
    """A function that this makes in place of numba; numba itself is there again when it is
    called.
    """
    with monkeypatch.context() as patch:
        patch.setattr(numba, "njit", njit)
        return _compiled.compiled(lambda x: x + 1)


def test_without_a_place_to_keep_code_it_compiles_anew(monkeypatch):
    njit = numba.njit

    def without_cache(cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(**options)

    add = made_with(monkeypatch, without_cache)
    announced = []
    with _compiled.announce_compiling(announced.append):
        assert add(1) == 2
        assert announced == ["compiling, only this first time"]
        assert add(2) == 3
    assert add(1.5) == 2.5
    assert len(announced) == 1


def test_numba_switched_off_is_for_the_users_functions(monkeypatch):
    """Only compiled code wraps around at 64 bits: here in a function, and in one that it calls."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)

    @_compiled.compiled_helper
    def multiply(a, b):
        return a * b

    product = _compiled.compiled(lambda a, b: multiply(a, b) + multiply(a, min(b, 4)))
    assert product(2**62, 8) == 0

    def theirs():
        return 1

    assert numba.njit(theirs) is theirs


@pytest.mark.long
@pytest.mark.parametrize("count", ["", COUNT], ids=["draws", "and counts"])
def test_code_that_is_kept_on_disk_counts_the_same(tmp_path, count):
    """The second process asks numba to switch off, which is no reason to count otherwise."""
    compiling, loading = (
        subprocess.run(
            [sys.executable, "-c", WORK + count],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": switched_off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for switched_off in "01"
    )
    assert compiling == loading and list(tmp_path.rglob("*.nbi"))


def test_a_compiler_is_loaded_once_it_would_have_paid_for_itself(monkeypatch):
    monkeypatch.setattr(_compiled, "_saved", 0)
    assert _compiled.worth_compiling(0)  # this process has one
    monkeypatch.delitem(sys.modules, "numba")
    half = _compiled._LOADING // 2
    assert [_compiled.worth_compiling(half) for _ in range(3)] == [False, False, True]


@pytest.mark.long
def test_what_is_counted_is_compared_without_a_compiler(tmp_path):
    work = (
        "import sys; from mtsig_core.cli.main import main; "
        "main('compare --demo-segments 60 --metrics bleu,chrf --trials 999'.split()); "
        "print('numba' in sys.modules)"
    )
    counting, cached = (
        subprocess.run(
            [sys.executable, "-c", work],
            env={**os.environ, "MTSIG_CACHE": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("\n")
        for _ in range(2)
    )
    assert (counting[-2], cached[-2]) == ("True", "False")
    assert counting[:-2] == cached[:-2]


@pytest.mark.long
def test_threads_that_need_a_compiler_at_once_wait_for_each_other():
    done = subprocess.run([sys.executable, "-c", MEETING], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("loaded\n3.0\n", "")
