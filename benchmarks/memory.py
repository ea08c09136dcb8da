"""A whole comparison on made-up statistics, to measure its memory."""

from __future__ import annotations

import numpy as np

from mtsig_core import TestSet, compare
from mtsig_core.metrics.bleu import Bleu


class _MadeUp(Bleu):
    """BLEU whose statistics are drawn, not counted."""

    def statistics(self, testset, progress=None):
        rng = np.random.default_rng(0)
        shape = len(testset.systems), testset.n_segments
        length = rng.integers(5, 50, shape, dtype=np.int32)
        shares = (0.6, 0.35, 0.2, 0.1)
        correct = [(length * rng.uniform(0.9 * share, share, shape)).astype(np.int32) for share in shares]
        totals = [np.maximum(length - n, 0) for n in range(4)]
        reference = np.broadcast_to(length[:1], shape)
        return np.stack([length, reference, *correct, *totals], axis=-1)


def compare_made_up(n_systems: int, n_segments: int, n_trials: int) -> None:
    empty = ("",) * n_segments
    testset = TestSet("made up", {f"system {k}": (*empty[1:], str(k)) for k in range(n_systems)}, {"ref": empty})
    compare(testset, [_MadeUp()], trials=n_trials, resamples=min(n_trials, 2000))
