"""The command ``compile``: compile all code before the first use, as for an image or for CI."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from mtsig_core._compiled import list_code_folders
from mtsig_core.cli.inputs import progress_line, write
from mtsig_core.errors import SettingError, format_count
from mtsig_core.metrics import make_metric
from mtsig_core.simulation.corpus import load_demo
from mtsig_core.stats.comparison import compare

#: Metrics that share code are compiled by one process. What takes longest comes first.
_SHARES = (("bleu", "chrf"), ("ter",), ("meteor",), ("gtm",), ("nist",), ("wer",))
_N_SEGMENTS = 100  # which make enough scores for compiled code to be used


def add_compile(parser: ArgumentParser) -> None:
    """Add the option of ``compile``, and where the code goes."""
    parser.add_argument(
        "--processes", type=int, choices=(1, 2), default=2, help="that compile (default: 2)"
    )
    parser.epilog = (
        "NUMBA_CACHE_DIR names the folder for the code. Without it, this is the folder of mtsig, or "
        "the user's cache if that is not writable. Other users, and other kinds of processors, "
        "compile again."
    )


def run_compile(args: Namespace) -> None:
    """Compile in other processes, and say where the code is."""
    began = time.time()
    check_folder()
    folders: set[str] = set()
    pool = ProcessPoolExecutor(args.processes, get_context("spawn"))
    with progress_line() as progress, pool:
        shares = [pool.submit(compile_metrics, names) for names in _SHARES]
        for n_done, share in enumerate(as_completed(shares)):
            if progress is not None:
                progress("compiling", n_done / len(shares))
            folders |= share.result()
    write(say_where(folders, began), None)


def compile_metrics(names: Iterable[str]) -> set[str]:
    """Compile all that counts, scores and compares with these metrics; return where it is kept."""
    import numba  # noqa: F401  compiled code is used wherever there is some

    testset = load_demo(_N_SEGMENTS)
    metrics = [make_metric(name) for name in names]
    for metric in metrics:
        metric.score(metric.statistics(testset))
    for unit in ("segment", "block"):
        compare(testset, metrics, unit=unit)
    return list_code_folders()


def check_folder() -> None:
    """Raise an error if no folder for compiled code is writable, before anything is compiled."""
    from mtsig_core.stats import kernels  # noqa: F401  numba looks for the folder of its functions

    if not list_code_folders():
        raise SettingError(
            "No folder for compiled code is writable, so each process compiles again for half a "
            "minute. Set NUMBA_CACHE_DIR to a folder that you may write to."
        )


def say_where(folders: Iterable[str], began: float) -> str:
    """Say how much code there is, where, and how many functions were compiled since then."""
    files = [file.stat() for folder in folders for file in Path(folder).glob("*.nbc")]
    n_bytes = sum(file.st_size for file in files)
    n_new = sum(file.st_mtime >= began for file in files)
    verdict = "All code was compiled before."
    if n_new:
        verdict = f"Compiled {format_count(n_new, 'function')}."
    places = "\n".join(sorted(folders))
    return f"{verdict} {n_bytes / 1e6:.1f} MB are in:\n{places}\n"
