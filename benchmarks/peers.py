"""The command lines of peers on the same work, each as its users run it: files in, a decision for
each pair out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import data

_N_SYSTEMS = 5


def peers(python: str, testset) -> list[dict]:
    """Seconds of whole commands, the texts read from files, nothing cached.

    Parameters
    ----------
    python : str
        The interpreter of an environment that has sacreBLEU and compare-mt.
    testset : TestSet
    """
    names = list(testset.systems)[:_N_SYSTEMS]
    n_pairs = _N_SYSTEMS * (_N_SYSTEMS - 1) // 2
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        reference, files = data.write(testset.only(names), Path(folder))
        systems = [f"--system={path}" for path in files]
        compare_mt = str(Path(python).with_name("compare-mt"))
        for tool, work, pairs, command in (
            (
                "mtsig",
                "bootstrap, 1,000: all pairs, intervals, correction, ranks",
                n_pairs,
                _ours(
                    reference,
                    systems,
                    "--test",
                    "bootstrap",
                    "--trials",
                    "1000",
                    "--resamples",
                    "1000",
                ),
            ),
            (
                "sacreBLEU",
                "--paired-bs, 1,000: the others against the first",
                _N_SYSTEMS - 1,
                [
                    python,
                    "-m",
                    "sacrebleu",
                    reference,
                    "-i",
                    *files,
                    "-m",
                    "bleu",
                    "--paired-bs",
                    "--paired-bs-n",
                    "1000",
                ],
            ),
            (
                "compare-mt",
                "bootstrap=1000: all pairs",
                n_pairs,
                [
                    compare_mt,
                    reference,
                    *files,
                    "--compare_scores",
                    "score_type=sacrebleu,bootstrap=1000",
                    *(
                        f"--compare_{what}"
                        for what in (
                            "word_accuracies",
                            "sentence_buckets",
                            "ngrams",
                            "sentence_examples",
                        )
                    ),
                ],
            ),
            (
                "mtsig",
                "randomization, 10,000: all pairs, intervals, correction, ranks",
                n_pairs,
                _ours(reference, systems),
            ),
            (
                "sacreBLEU",
                "--paired-ar, 10,000: the others against the first",
                _N_SYSTEMS - 1,
                [python, "-m", "sacrebleu", reference, "-i", *files, "-m", "bleu", "--paired-ar"],
            ),
        ):
            begun = time.perf_counter()
            done = subprocess.run(
                list(map(str, command)),
                capture_output=True,
                text=True,
                env={**os.environ, "MTSIG_CACHE": ""},
            )
            if done.returncode:
                raise SystemExit(f"{tool} failed: {done.stderr.strip().rpartition(chr(10))[2]}")
            rows.append(
                {"tool": tool, "work": work, "pairs": pairs, "seconds": time.perf_counter() - begun}
            )
            print(
                f"{tool:<12} {work:<64} {pairs:>3} pairs {rows[-1]['seconds']:8.2f} s", flush=True
            )
    return rows


def _ours(reference, systems, *options):
    return [sys.executable, "-m", "mtsig_core", "compare", "--ref", reference, *systems, *options]
