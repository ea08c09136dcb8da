"""Timing: the shortest of some runs, as everything else on the machine only adds to it."""

from __future__ import annotations

import time
from collections.abc import Callable


def best(function: Callable[[], object], repeats: int) -> float:
    """The shortest of some runs, in seconds, after one that is not counted."""
    function()
    return shortest(function, repeats)


def shortest(function: Callable[[], object], repeats: int) -> float:
    """The shortest of some runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)
