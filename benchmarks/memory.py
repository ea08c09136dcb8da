"""A whole comparison on made-up statistics, to measure its memory."""

from __future__ import annotations

import re
import resource
from pathlib import Path

import numpy as np

from mtsig_core import TestSet, compare
from mtsig_core.metrics.bleu import Bleu


class _MadeUp(Bleu):
    """BLEU whose statistics are drawn, not counted."""

    def statistics(self, testset, progress=None):
        rng = np.random.default_rng(0)
        counts = np.empty(
            (len(testset.systems), testset.n_segments, len(self.stat_names)), np.int32
        )
        for system in counts:  # one at a time, so that making them is not what takes most memory
            system[:, 0] = rng.integers(5, 50, len(system))
            system[:, 1] = counts[0, :, 0]
            for n, share in enumerate((0.6, 0.35, 0.2, 0.1)):
                system[:, 2 + n] = system[:, 0] * rng.uniform(0.9 * share, share, len(system))
                system[:, 6 + n] = np.maximum(system[:, 0] - n, 0)
        return counts


def peak_mb() -> float:
    """Most memory that this process has had, in MB.

    `resource` knows of the process that started it too, where that had more.
    """
    status = Path("/proc/self/status")
    if not status.is_file():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    [most] = re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())
    return int(most) / 1024


def compare_made_up(n_systems: int, n_segments: int, n_trials: int) -> None:
    empty = ("",) * n_segments
    testset = TestSet(
        "made up", {f"system {k}": (*empty[1:], str(k)) for k in range(n_systems)}, {"ref": empty}
    )
    compare(testset, [_MadeUp()], trials=n_trials, resamples=min(n_trials, 2000))
