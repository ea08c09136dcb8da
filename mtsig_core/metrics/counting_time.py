"""How long counting will take, known before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from mtsig_core.metrics import Metric
from mtsig_core.metrics.cache import is_cached
from mtsig_core.testset import TestSet

__all__ = ["WORTH_SAYING", "estimate_seconds", "long_wait"]

#: Seconds from which on someone who waits should know.
WORTH_SAYING = 10

_QUICK = 5_000  # outputs that every metric counts well before that
_FIRST, _GROWTH = 16, 4  # segments of the first sample, and how much larger the next is
_ENOUGH = 0.2  # seconds that a sample takes whose time is worth believing
_QUICKLY = 1  # seconds for all, by a sample: however far out that is, they are no long wait


def estimate_seconds(metric: Metric, testset: TestSet) -> float:
    """How long ``metric.statistics(testset)`` takes here and now, from samples of segments spread over the set.

    Costs a fraction of a second, and besides what the first use of a metric costs, to load it. That is not in it.

    Returns
    -------
    float
        Seconds.

    Examples
    --------
    >>> from mtsig_core.metrics import make_metric
    >>> toy = TestSet("toy", systems={"A": ["a b c d"] * 50}, references={"ref": ["a b c d"] * 50})
    >>> 0 < estimate_seconds(make_metric("bleu"), toy) < 10
    True
    """
    n, size = testset.n_segments, _FIRST
    _seconds(metric, testset, 1)  # the first call loads compiled code
    while True:
        seconds = _seconds(metric, testset, min(size, n))
        whole = seconds * n / min(size, n)
        if seconds >= _ENOUGH or size * _GROWTH >= n or whole < _QUICKLY:
            return whole
        size *= _GROWTH


def long_wait(metrics: Sequence[Metric], testset: TestSet, each_reference: bool = False) -> str | None:
    """A sentence on how long counting takes, where that is worth saying; None where it is not, or all is cached.

    That each reference is counted alone too takes about as long again.
    """
    if len(testset.systems) * testset.n_segments <= _QUICK:
        return None
    times, parts = 2 if each_reference else 1, [(metric, testset.under(metric.name)) for metric in metrics]
    seconds = {metric.name: times * estimate_seconds(metric, part) for metric, part in parts
               if not is_cached(metric, part)}
    if sum(seconds.values()) < WORTH_SAYING:
        return None
    slow = ", ".join(f"{name} {_rounded(value)}" for name, value in seconds.items() if value >= 1)
    return (f"Counting {len(testset.systems)} x {testset.n_segments:,} segments takes about "
            f"{_rounded(sum(seconds.values()))} ({slow}). --domain and --only make it less.")


def _seconds(metric: Metric, testset: TestSet, size: int) -> float:
    """How long a sample of so many segments takes."""
    sample = testset.at(np.linspace(0, testset.n_segments - 1, size).astype(int).tolist())
    start = perf_counter()
    metric.statistics(sample)
    return perf_counter() - start


def _rounded(seconds: float) -> str:
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
