"""The studentised bootstrap: differences on resamples, each divided by its own standard error.

A corpus score is not a mean. So each unit is represented by its jackknife pseudo-value (Tukey
1958): resamples draw the mean of the pseudo-values, and their spread in a resample gives its
standard error. For a mean of segment scores over units of equal size, pseudo-values are the units'
own differences, and nothing is approximated.
"""

from __future__ import annotations

import numpy as np

from mtsig_core.progress import Progress
from mtsig_core.stats.arrays import Rows, pair_differences
from mtsig_core.stats.engine import fits_in_memory
from mtsig_core.stats.intervals import jackknife_se
from mtsig_core.stats.parallel import run_in_order
from mtsig_core.stats.resampling import BLOCK, Units, bootstrap_weights

#: A resample without spread counts as so many standard errors: no observed difference is as far
#: from 0, and rounding of this size is invisible.
_FARTHEST = 1e4


def pseudo_values(left_out: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute what each unit adds to a quantity, about its mean, and which units take part in it.

    (n - 1) (mean of all scores with a unit left out - the score with this one left out), of shape
    (k, units), 0 for units without a part; the second array is true for those that have one.

    >>> pseudo_values(np.array([[3.0, 2.0, 1.0]]))[0].tolist()
    [[-2.0, 0.0, 2.0]]
    """
    has_part = ~np.isnan(left_out)
    n = has_part.sum(axis=1, keepdims=True)
    known = np.where(has_part, left_out, 0.0)
    total = known.sum(axis=1, keepdims=True)
    mean = total / np.maximum(n, 1)
    pulls = (n - 1) * (mean - known)
    values = np.where(has_part, pulls, 0.0)
    return values, has_part


def draw_studentised(
    left_out: np.ndarray,
    pairs: np.ndarray,
    units: Units,
    n_trials: int,
    seed: int,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> np.ndarray | Rows:
    """Studentised differences of all pairs on the same resamples, in points.

    They are multiplied by the standard error of each pair.
    `left_out` has the scores of the systems with each unit left out, shape (systems, units).
    Stationary blocks are drawn as the pieces of consecutive segments that are left out. The result
    has shape (pairs, n_trials); where this would take too much memory, rows are made whenever they
    are looked at.
    """
    pieces = units
    if units.block_length is not None:
        pieces = Units.segments(left_out.shape[1])

    def make(rows: slice | np.ndarray) -> np.ndarray:
        differences = pair_differences(left_out, pairs[rows])
        return _studentise(differences, pieces, n_trials, seed, jobs)

    if not fits_in_memory(len(pairs), n_trials):
        return Rows((len(pairs), n_trials), make)
    differences = pair_differences(left_out, pairs)
    return _studentise(differences, pieces, n_trials, seed, jobs, progress)


def _studentise(
    left_out: np.ndarray,
    pieces: Units,
    n_trials: int,
    seed: int,
    jobs: int,
    progress: Progress | None = None,
) -> np.ndarray:
    """Studentised differences times their standard errors, shape (k, n_trials)."""
    values, has_part = pseudo_values(left_out)
    has_all_parts = has_part.all()
    # Shape (units, k), to be multiplied by weights.
    values = values.T
    has_part = has_part.T
    squares = values**2
    errors = jackknife_se(left_out)

    def draw_block(block: int) -> np.ndarray:
        n_left = n_trials - block * BLOCK
        weights = bootstrap_weights(pieces, seed, block)[:n_left].astype(float)
        n: np.ndarray | int = weights.shape[1]
        if not has_all_parts:
            n = weights @ has_part
        n = np.maximum(n, 1)
        means = weights @ values / n
        spread = weights @ squares / n - means**2
        variances = np.maximum(spread, 0.0) / np.maximum(n - 1, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = means / np.sqrt(variances)
        t = np.where(means == 0, 0.0, t)
        bounded = np.clip(np.nan_to_num(t), -_FARTHEST, _FARTHEST)
        block_differences: np.ndarray = bounded * errors
        return block_differences.T

    differences = np.empty((len(left_out), n_trials))
    n_blocks = -(-n_trials // BLOCK)
    blocks = run_in_order(draw_block, n_blocks, jobs)
    for block, block_differences in enumerate(blocks):
        start = block * BLOCK
        stop = start + BLOCK
        differences[:, start:stop] = block_differences
        if progress is not None:
            progress("resamples", min(1.0, stop / n_trials))
    return differences
