"""Whether the whole test set, which conclusions of its parts are held against, is itself decided."""

from __future__ import annotations

import numpy as np

from mtsig_core.inference import engine
from mtsig_core.inference.gaps import has_gaps, paired
from mtsig_core.inference.resampling import Units
from mtsig_core.inference.significance import approximate_randomization
from mtsig_core.metrics import Metric

__all__ = ["swaps_said", "whole_p"]

_SWAPS = 999


def swaps_said(n_units: int) -> str:
    """The swaps behind each p of so many units, in words: 999, or all there are.

    >>> swaps_said(1000), swaps_said(6)
    ('999 swaps', 'all 64 swaps')
    """
    every = Units.segments(n_units).all_swaps
    return f"{_SWAPS} swaps" if every is None else f"all {every + 1:,} swaps"


def whole_p(metric: Metric, statistics: np.ndarray, pairs: np.ndarray, documents: np.ndarray | None,
            seed: int) -> np.ndarray:
    """p of each pair on the whole test set by approximate randomization, uncorrected, 999 trials or all swaps
    of few units.

    Where it is above alpha, the order of the two on the whole set may itself be chance, and samples that conclude the
    opposite need not be wrong.

    Parameters
    ----------
    metric : Metric
    statistics : ndarray, shape (systems, segments, stats)
    pairs : ndarray of int, shape (pairs, 2)
    documents : ndarray of int, shape (segments,), or None
        The document of each segment, numbered from 0 without a gap; these are the units where they are known.
    seed : int

    Returns
    -------
    ndarray, shape (pairs,)
        NaN for a pair without a common segment.

    Examples
    --------
    >>> from mtsig_core.metrics import metric_of
    >>> from mtsig_core import TestSet
    >>> outputs = {"A": ["a b c d e"] * 60, "B": ["a b c d e", "a b c d x"] * 30, "C": ["a b c d x", "a b c d e"] * 30}
    >>> ts = TestSet("toy", outputs, {"ref": ["a b c d e"] * 60})
    >>> wer = metric_of(ts, "wer")
    >>> whole_p(wer, wer.statistics(ts), np.array([[0, 1], [1, 2]]), None, 0).tolist()
    [0.001, 1.0]
    """
    if not len(pairs):
        return np.empty(0)
    if has_gaps(metric, statistics):
        statistics, pairs = paired(statistics, pairs)
    units = Units.segments(statistics.shape[1]) if documents is None else Units(
        "document", documents, int(documents.max()) + 1)
    data = engine.UnitStatistics(metric, statistics, units)
    deltas = data.scores[pairs[:, 0]] - data.scores[pairs[:, 1]]
    p = approximate_randomization(deltas, engine.swap_differences(data, pairs, _SWAPS, seed))
    p[np.isnan(deltas)] = np.nan
    return p
