"""New processes of the command line, an older commit and the files as they are, in turn.

A new process becomes slower unnoticed, an import here and a check of files there. Both run in turn,
so that what else the machine does slows both. Seconds of a core say more than those of a clock
where others use the machine. The least of all runs counts, because everything else only adds to it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import data

HERE = Path(__file__).resolve().parents[1]
_FIVE = ("--metrics", "bleu,chrf,ter,meteor,nist", "--trials", "999")


@dataclass(frozen=True)
class Case:
    """Arguments of Python, and whether the process finds what an earlier one has counted."""

    work: str
    arguments: list[str]
    is_cached: bool = False


@dataclass(frozen=True)
class Seconds:
    """What a process took, by the clock and of a core."""

    elapsed: float
    of_core: float


def compare_commits(commit: str, testset, repeats: int) -> list[dict]:
    """Time each case in both checkouts, print the least seconds and their ratios.

    Parameters
    ----------
    commit : str
        Any name that git has for it.
    testset : TestSet
    repeats : int
        Runs of each case, after one that is not counted: it compiles and fills the cache.
    """
    rows = []
    print(f"{'seconds of a core, and by the clock':<48} {commit:>16} {'now':>16}  ratios")
    with tempfile.TemporaryDirectory() as folder, _check_out(commit, Path(folder)) as older:
        trees = {commit: older, "now": HERE}
        caches = {name: str(Path(folder) / f"cache-{k}") for k, name in enumerate(trees)}
        for case in _list_cases(testset, Path(folder)):
            runs: dict[str, list[Seconds]] = {name: [] for name in trees}
            for k in range(repeats + 1):
                # another seed, so that nobody finds the same comparison
                seed = ["--seed", str(k)] if case.is_cached else []
                for name, tree in trees.items():
                    cache = caches[name] if case.is_cached else ""
                    seconds = _run([*case.arguments, *seed], tree, cache)
                    if k > 0:
                        runs[name].append(seconds)
            rows.append(_show(case, runs[commit], runs["now"]))
    return rows


@contextmanager
def _check_out(commit: str, folder: Path) -> Iterator[Path]:
    """A checkout of a commit, for as long as it is measured."""
    tree = folder / "older"
    git = ["git", "-C", str(HERE), "worktree"]
    done = subprocess.run(
        [*git, "add", "--quiet", "--detach", str(tree), commit], capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{commit} cannot be checked out: {done.stderr.strip()}")
    try:
        yield tree
    finally:
        subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def _list_cases(testset, folder: Path) -> list[Case]:
    reference, files = data.write(testset, folder)
    systems = [f"--system={path}" for path in files]
    mtsig = ["-m", "mtsig_core"]
    compare = [*mtsig, "compare", "--ref", str(reference)]
    n = len(systems)
    return [
        Case("import of the package", ["-c", "import mtsig_core"]),
        Case("help", [*mtsig, "--help"]),
        Case("two systems", [*compare, *systems[:2]]),
        Case(f"{n} systems", [*compare, *systems]),
        Case(f"{n} systems, five metrics", [*compare, *systems, *_FIVE]),
        Case(f"{n} systems, five metrics counted before", [*compare, *systems, *_FIVE], True),
    ]


def _run(arguments: list[str], tree: Path, cache: str) -> Seconds:
    environment = {**os.environ, "MTSIG_CACHE": cache, "PYTHONPATH": str(tree)}
    # without compiled modules, each process would compile them all
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments], cwd=tree, env=environment, capture_output=True, text=True
    )
    elapsed = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        message = done.stderr.strip().rpartition("\n")[2]
        raise SystemExit(f"{tree}: {' '.join(arguments[:3])} failed: {message}")
    of_user = after.ru_utime - before.ru_utime
    of_system = after.ru_stime - before.ru_stime
    return Seconds(elapsed, of_user + of_system)


def _show(case: Case, older_runs: list[Seconds], runs: list[Seconds]) -> dict:
    older = _find_least(older_runs)
    now = _find_least(runs)
    ratio_of_core = now.of_core / older.of_core
    ratio_elapsed = now.elapsed / older.elapsed
    print(
        f"{case.work:<48} {older.of_core:7.3f} {older.elapsed:8.3f} {now.of_core:7.3f} {now.elapsed:8.3f}"
        f"  {ratio_of_core:.2f} {ratio_elapsed:.2f}",
        flush=True,
    )
    return {"work": case.work, "ratio_of_core": ratio_of_core, "ratio_elapsed": ratio_elapsed}


def _find_least(runs: list[Seconds]) -> Seconds:
    elapsed = min(run.elapsed for run in runs)
    of_core = min(run.of_core for run in runs)
    return Seconds(elapsed, of_core)
