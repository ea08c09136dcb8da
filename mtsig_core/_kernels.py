"""Compiled loops over random draws; see `mtsig_core.inference.resampling` for what they mean."""

import numpy as np

from mtsig_core._compiled import compiled

__all__ = ["count_draws", "count_stationary", "swap_stationary"]


@compiled
def count_draws(draws: np.ndarray, counts: np.ndarray) -> None:
    """Count how often each unit was drawn: draws (replicates, draws) of unit numbers -> counts (replicates, units)."""
    for r in range(draws.shape[0]):
        for t in range(draws.shape[1]):
            counts[r, draws[r, t]] += 1


@compiled
def count_stationary(begins: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> None:
    """Like `count_draws`, for blocks on a circle.

    begins (replicates, segments) says where a new block begins, starts the segment it begins with.
    """
    n = counts.shape[1]
    for r in range(begins.shape[0]):
        position = starts[r, 0]
        for t in range(n):
            if begins[r, t]:
                position = starts[r, t]
            counts[r, position] += 1
            position += 1
            if position == n:
                position = 0


@compiled
def swap_stationary(begins: np.ndarray, coins: np.ndarray, swaps: np.ndarray) -> None:
    """One coin per block: swaps (replicates, segments) takes the coin of the block that a segment lies in.

    The segments before the first beginning belong to the last block, for the segments lie on a circle.
    """
    n = swaps.shape[1]
    for r in range(begins.shape[0]):
        current = coins[r, 0]
        for t in range(n - 1, -1, -1):
            if begins[r, t]:
                current = coins[r, t]
                break
        for t in range(n):
            if begins[r, t]:
                current = coins[r, t]
            swaps[r, t] = current
