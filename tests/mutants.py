"""Break each estimator and the decision once, as `mutants.toml` lists, and see a test fail: ``make
mutants``.

``python -m tests.mutants holm kernels`` runs only the rows with one of these words in them.
"""

import importlib
import os
import re
import shutil
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FAILED = 1  # what pytest exits with where a test failed; anything else is no answer
USED = (
    "hypothesis",
    "pandas",
    "sacrebleu",
    "scipy.stats",
    "statsmodels.stats.api",
)  # loaded once, for all forks


def read_mutants():
    return tomllib.loads((ROOT / "tests" / "mutants.toml").read_text(encoding="utf-8"))["mutants"]


def write_pattern(code):
    """A pattern that finds code however the formatter breaks its lines, and with either quotes."""
    tokens = re.findall(r"\w+|[^\w\s]", code)
    parts = []
    for token in tokens:
        if token in ("'", '"'):
            parts.append("['\"]")
        elif token in (")", "]", "}"):
            parts.append(",?\\s*" + re.escape(token))
        else:
            parts.append(re.escape(token))
    return re.compile(r"\s*".join(parts))


def mutate(text, mutant):
    """The text of the file with the one place changed."""
    places = list(write_pattern(mutant["old"]).finditer(text))
    if len(places) != 1:
        raise SystemExit(
            f"{mutant['file']}: {mutant['old']!r} occurs {len(places)} times. "
            "Expected once: mend mutants.toml."
        )
    start, end = places[0].span()
    return text[:start] + mutant["new"].strip() + text[end:]


def run_tests(folder, tests, numba_cache):
    """The exit code of pytest in a copy of the project, and what it printed; in a fork, which
    begins with `USED`.
    """
    log = folder / "log"
    if (child := os.fork()) == 0:
        output = os.open(log, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.chdir(folder)
        os.environ |= {"NUMBA_CACHE_DIR": str(numba_cache), "PYTHONDONTWRITEBYTECODE": "1"}
        sys.dont_write_bytecode, sys.path[0] = True, str(folder)
        os._exit(
            pytest.main(
                [
                    "-x",
                    "-q",
                    "-n",
                    "0",
                    "-p",
                    "no:cacheprovider",
                    "--timeout=300",
                    "--tb=line",
                    *tests,
                ]
            )
        )
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code, log.read_text(encoding="utf-8", errors="replace")


def run_mutant(folder, mutant):
    """What became of one mutant: killed, survived, or what pytest said where it could not run."""
    file = folder / mutant["file"]
    original = file.read_text(encoding="utf-8")
    file.write_text(mutate(original, mutant), encoding="utf-8")
    # compiled code is kept by the time and size of its file alone, so that of a mutant never meets
    # the other's
    cache = folder / f"numba-{time.time_ns()}" if mutant.get("compiled") else folder / "numba"
    code, out = run_tests(folder, mutant["tests"], cache)
    file.write_text(original, encoding="utf-8")
    return {0: "SURVIVED", FAILED: "killed"}.get(code, f"ERROR {code}\n{out}")


def main(words):
    mutants = [
        one for one in read_mutants() if not words or any(word in str(one) for word in words)
    ]
    for name in USED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("mtsig_core", "tests"):
            shutil.copytree(
                ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__")
            )
        shutil.copy(ROOT / "pyproject.toml", folder)
        code, out = run_tests(
            folder, sorted({test for one in mutants for test in one["tests"]}), folder / "numba"
        )
        if code:
            raise SystemExit(f"The tests fail before anything is broken:\n{out}")
        killed = 0
        for mutant in mutants:
            start, found = time.monotonic(), run_mutant(folder, mutant)
            killed += found == "killed"
            print(
                f"{time.monotonic() - start:5.0f} s  {mutant['file']:38} {mutant['breaks']:66} {found}",
                flush=True,
            )
    print(f"{killed} of {len(mutants)} killed")
    return killed < len(mutants)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
