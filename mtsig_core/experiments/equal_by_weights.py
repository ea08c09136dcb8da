"""Two systems made equal without a swap: documents are drawn with weights under which both have the same score.

Swapping whole documents of two systems that differ makes the difference itself a part of what hangs together within a
document. Weights keep each document as it is, and so what segments of a document have in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from mtsig_core.metrics import Metric

__all__ = ["LEAST_KEPT", "EqualWeights", "equal_weights", "predicted_rejections"]

#: The effective number of documents, as a share of all, below which the weights leave too little of the test set.
LEAST_KEPT = 0.5
_DOUBLINGS, _HALVINGS = 20, 60


@dataclass(frozen=True, eq=False)
class EqualWeights:
    """Weights of documents under which two systems are equal.

    Attributes
    ----------
    weights : ndarray, shape (documents,)
        Their sum is 1.
    effective : float
        Kish's effective number of documents, 1 / sum of squared weights.
    se_ratio : float
        Standard error of the difference by document / by segment, in the weighted population.
    """

    weights: np.ndarray
    effective: float
    se_ratio: float


def equal_weights(metric: Metric, both: np.ndarray, documents: np.ndarray) -> EqualWeights | None:
    """The weights nearest to equal ones, in relative entropy, under which two systems have the same score.

    Parameters
    ----------
    metric : Metric
    both : ndarray, shape (2, segments, stats)
    documents : ndarray of int, shape (segments,)
        Numbered from 0 without a gap.

    Returns
    -------
    EqualWeights or None
        None where no weights make them equal, or they leave fewer than `LEAST_KEPT` of the documents.

    References
    ----------
    Efron (1981), Nonparametric standard errors and confidence intervals, section 11 (exponential tilting).
    Kish (1965), Survey Sampling, 11.7.

    Examples
    --------
    >>> from mtsig_core.metrics.segment_scores import SegmentMean
    >>> both = np.array([[[3.0, 1], [5, 1], [1, 1]], [[2.0, 1], [6, 1], [1, 1]]])
    >>> equal_weights(SegmentMean("human", True), both, np.arange(3)).weights.round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    sums = np.stack([_by_document(documents, both[s]) for s in (0, 1)])  # (2, documents, stats)
    n = sums.shape[1]
    pull = _influence(metric, sums, sums.sum(axis=1))
    if not np.ptp(pull) > 0:
        return None
    pull = pull / pull.std()

    def weights_at(t: float) -> np.ndarray:
        free = np.exp(t * pull - (t * pull).max())
        found: np.ndarray = free / free.sum()
        return found

    def difference(t: float) -> float:
        a, b = metric.score(n * np.einsum("j,sjk->sk", weights_at(t), sums))
        return float(a - b)

    start = difference(0.0)
    far = -0.1 if start > 0 else 0.1  # a larger t favours the first system
    for _ in range(_DOUBLINGS):
        if difference(far) * start <= 0:
            break
        far *= 2
    else:
        return None
    near = 0.0
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        near, far = (middle, far) if difference(middle) * start > 0 else (near, middle)
    weights = weights_at(far)
    effective = float(1 / (weights ** 2).sum())
    if effective < LEAST_KEPT * n:
        return None
    spread = weights[documents] * n
    per_segment = _influence(metric, both, (spread[:, None] * both).sum(axis=1))
    by_document = weights @ _by_document(documents, per_segment) ** 2 * n
    by_segment = spread @ per_segment ** 2
    return EqualWeights(weights, effective, float(np.sqrt(by_document / by_segment))) if by_segment > 0 else None


def predicted_rejections(se_ratio: float, alpha: float) -> float:
    """How often a two-sided test at level alpha rejects a true null whose standard error is so many times the one that
    it reckons with: 2 Phi(-z / ratio), z being the normal quantile of 1 - alpha / 2.

    Examples
    --------
    >>> round(predicted_rejections(1, 0.05), 3), round(predicted_rejections(1.5, 0.05), 3)
    (0.05, 0.191)
    """
    normal = NormalDist()
    return 2 * normal.cdf(-normal.inv_cdf(1 - alpha / 2) / se_ratio)


def _by_document(documents: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Sums of each document, shape (segments, ...) -> (documents, ...)."""
    found = np.zeros((int(documents.max()) + 1, *values.shape[1:]))
    np.add.at(found, documents, values)
    return found


def _influence(metric: Metric, statistics: np.ndarray, at: np.ndarray) -> np.ndarray:
    """What each unit adds to the difference of the scores, to first order: shape (2, units, stats) -> (units,).

    `at` are the sums at which the slope is taken, shape (2, stats).
    """
    step = 1e-4 * np.maximum(np.abs(at), 1.0)
    shifts = step[:, None, :] * np.eye(at.shape[1])  # (2, stats, stats): one statistic at a time
    slope = (metric.score(at[:, None] + shifts) - metric.score(at[:, None] - shifts)) / (2 * step)
    each = np.einsum("snk,sk->sn", statistics, slope)
    found: np.ndarray = each[0] - each[1]
    return found
