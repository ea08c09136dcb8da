"""The command ``compile``: compile all code before the first use, as for an image or for CI."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from mtsig_core._compiled import KeptCode, list_kept_code
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
    kept: set[KeptCode] = set()
    pool = ProcessPoolExecutor(args.processes, get_context("spawn"))
    with progress_line() as progress, pool:
        shares = [pool.submit(compile_metrics, names) for names in _SHARES]
        for n_done, share in enumerate(as_completed(shares)):
            if progress is not None:
                progress("compiling", n_done / len(shares))
            kept |= share.result()
    write(say_kept(kept), None)


def compile_metrics(names: Iterable[str]) -> set[KeptCode]:
    """Compile all that counts, scores and compares with these metrics, unless it is there."""
    import numba  # noqa: F401  compiled code is used wherever there is some

    testset = load_demo(_N_SEGMENTS)
    metrics = [make_metric(name) for name in names]
    for metric in metrics:
        metric.score(metric.statistics(testset))
    for unit in ("segment", "block"):
        compare(testset, metrics, unit=unit)
    return list_kept_code()


def say_kept(kept: Iterable[KeptCode]) -> str:
    """Say how much code there is now, and where."""
    folders = {Path(code.folder) for code in kept if code.folder is not None}
    if not folders:
        raise SettingError(
            "No folder for compiled code is writable, so each process compiles again for half a "
            "minute. Set NUMBA_CACHE_DIR to a folder that you may write to."
        )
    files = [file for folder in folders for file in folder.glob("*.nb[ic]")]
    n_bytes = sum(file.stat().st_size for file in files)
    n_compiled = len({code.name for code in kept if code.is_new})
    verdict = "All code was compiled before."
    if n_compiled:
        verdict = f"Compiled {format_count(n_compiled, 'function')}."
    places = "\n".join(sorted(map(str, folders)))
    return f"{verdict} {n_bytes / 1e6:.1f} MB are in:\n{places}\n"
