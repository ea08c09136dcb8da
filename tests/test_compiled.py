"""Compiled functions."""

import os
import subprocess
import sys
from types import SimpleNamespace

import numba

from mtsig_core import _compiled

# Counts, draws and scores; then whether that was loaded which only a compiler needs.
WORK = """
import sys
import numpy as np
from mtsig_core import TestSet, make_metric
from mtsig_core._kernels import count_uniform
toy = TestSet("toy", {"A": ["the cat sat down"]}, {"ref": ["the cat sat there"], "other": ["a cat sat down ."]})
print(make_metric("bleu").statistics(toy).tolist())
counts = np.zeros((2, 5), np.uint16)
print(count_uniform(np.arange(0, 60000, 6000, dtype=np.uint16), 16, 2, counts, 0), counts.tolist())
print(make_metric("bleu").score(np.arange(1.0, 10001).reshape(1000, 10)).sum())
print("numba.np.linalg" in sys.modules)
"""


def test_without_a_place_to_keep_code_it_compiles_anew(monkeypatch):
    def without_cache(cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return numba.njit(**options)

    monkeypatch.setattr(_compiled, "numba", SimpleNamespace(njit=without_cache))
    assert _compiled.compiled(lambda x: x + 1)(1) == 2


def test_code_that_is_kept_is_loaded_without_a_compilers_knowledge_and_counts_the_same(tmp_path):
    compiling, loading = (subprocess.run(
        [sys.executable, "-c", WORK], env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}, capture_output=True,
        text=True, check=True).stdout.split("\n") for _ in range(2))
    assert (compiling[-2], loading[-2]) == ("True", "False")
    assert compiling[:-2] == loading[:-2]


def test_a_numba_that_keeps_code_otherwise_works_as_it_likes(monkeypatch):
    def other(**options):
        return lambda function: function  # without what numba has for its cache

    monkeypatch.setattr(_compiled, "numba", SimpleNamespace(njit=other))
    assert _compiled.compiled(lambda x: x + 1)(1) == 2
