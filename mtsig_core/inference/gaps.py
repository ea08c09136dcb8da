"""Segment scores with gaps: what pairs of systems have in common."""

from __future__ import annotations

import numpy as np

from mtsig_core.inference.columns import Columns
from mtsig_core.inference.engine import in_bits
from mtsig_core.metrics import Metric, is_segment_mean

__all__ = ["common", "has_gaps", "paired", "segment_scores"]


def has_gaps(metric: Metric, statistics: np.ndarray | Columns) -> bool:
    """Whether a system lacks a score that another has."""
    if isinstance(statistics, Columns) or not is_segment_mean(metric):
        return False
    return not (statistics[..., -1] > 0).all()


def common(metric: Metric, statistics: np.ndarray | Columns, pairs: np.ndarray) -> np.ndarray:
    """Number of segments that both systems of each pair have, shape (pairs,)."""
    if isinstance(statistics, Columns) or not is_segment_mean(metric):
        return np.full(len(pairs), statistics.shape[1])
    rated = statistics[..., -1]
    n: np.ndarray = np.rint((rated @ rated.T)[pairs[:, 0], pairs[:, 1]]).astype(int)
    return n


def paired(statistics: np.ndarray, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Statistics of pairs, each on the segments that both its systems have a score for, and the pairs in these.

    Every pair gets two rows of its own. All that works on systems works on them, and with the same draws, so that a
    null stays joint for all pairs.

    Parameters
    ----------
    statistics : ndarray, shape (systems, segments, stats)
        (score, 1), or (0, 0) where there is no score; the last says whether there is one.
    pairs : ndarray of int, shape (pairs, 2)

    Returns
    -------
    statistics : ndarray, shape (2 * pairs, segments, stats)
    pairs : ndarray of int, shape (pairs, 2)

    Examples
    --------
    >>> two = np.array([[[80, 1], [70, 1]], [[60, 1], [0, 0]]])
    >>> paired(two, np.array([[0, 1]]))[0].tolist()
    [[[80, 1], [0, 0]], [[60, 1], [0, 0]]]
    """
    both = statistics[pairs] * statistics[pairs, :, -1:].prod(axis=1, keepdims=True)
    return both.reshape(-1, *statistics.shape[1:]), np.arange(2 * len(pairs)).reshape(-1, 2)


def segment_scores(metric: Metric, statistics: np.ndarray | Columns) -> np.ndarray | None:
    """The scores of single segments, NaN where there is none; None for a metric that is no mean of them, as a mean of
    the means of domains is none.

    They are multiples of a power of two, 2^-42 of the largest: .1 + .2 is .3.
    """
    if isinstance(statistics, Columns) or not is_segment_mean(metric) or statistics.shape[-1] > 2:
        return None
    scores, counts = np.moveaxis(statistics, -1, 0)
    return np.where(counts > 0, in_bits(scores, np.abs(scores).max(initial=0.0), 42), np.nan)
