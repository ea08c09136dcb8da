"""How long a pool of bootstrap samples takes, known before it is drawn."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.inference import engine
from mtsig_core.inference.one_score import Progress, prepare
from mtsig_core.inference.resampling import BLOCK
from mtsig_core.metrics import Metric

__all__ = ["seconds_per_sample"]

_GROWTH = 4  # how much larger the next pool is than the last
_ENOUGH = 0.2  # seconds that a pool takes whose time is worth believing


def seconds_per_sample(testset: TestSet, metric: str | Metric, system: str | None = None, *, unit: str = "auto",
                       block_length: float | None = None, alpha: float = 0.05, seed: int = 0, jobs: int = 1,
                       statistics: np.ndarray | None = None, progress: Progress | None = None) -> float:
    """How long one bootstrap sample takes in `stability` here and now, from small pools that grow until it can be told.

    Parameters
    ----------
    testset, metric, system, unit, block_length, alpha, seed, jobs, statistics, progress
        As in `stability`.

    Returns
    -------
    float
        Seconds.
    """
    settings, seen = prepare(testset, metric, None if system is None else [system], statistics, progress, unit=unit,
                             alpha=alpha, block_length=block_length, resamples=BLOCK, seed=seed)
    seen = seen.only(seen.best_first().names[:1])
    data = seen.by(seen.units(settings.unit, settings.block_length))

    def seconds(size: int) -> float:
        start = perf_counter()
        engine.bootstrap_scores(data, size, seed, jobs=jobs)
        return perf_counter() - start

    seconds(BLOCK)  # the first call loads compiled code
    size = BLOCK
    while (spent := seconds(size)) < _ENOUGH:
        size *= _GROWTH
    return spent / size
