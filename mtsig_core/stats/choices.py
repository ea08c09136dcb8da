"""Where the answer depends on the choice: between corrections, between tests, and between pairs of one result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np

from mtsig_core.results import MetricResult, PairResult
from mtsig_core.stats.ranks import decision_matrix, intransitive_triples
from mtsig_core.stats.significance import ADJUSTMENTS, decide_pairs

#: What each correction keeps at the level.
CONTROLS = {
    "none": "the error of each single pair",
    "bonferroni": "any false claim, under any dependence",
    "holm": "any false claim, under any dependence",
    "bh": "the expected share of false claims, under positive dependence",
    "by": "the expected share of false claims, under any dependence",
    "romano-wolf": "any false claim, from the joint null of all pairs",
}

#: Why the correction that usually finds most may find less.
FEWER_THAN_HOLM = (
    "Romano-Wolf mostly finds what Holm finds and more; not here. It holds each difference against the most extreme of "
    "all pairs, each in standard deviations of its own null, and where units are few or unequal some nulls reach "
    "further in these than others. Both control the same error: choose one beforehand, not by what it finds.")


def every_correction(p: np.ndarray, romano_wolf: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """The same raw p-values under each correction.

    Parameters
    ----------
    p : ndarray, shape (pairs,)
        Raw p-values.
    romano_wolf : ndarray, shape (pairs,), optional
        Its adjusted p-values, which cannot be had from `p` alone; left out where the test does not allow it.

    Returns
    -------
    dict of str to ndarray, shape (pairs,)

    Examples
    --------
    >>> {name: adjusted.round(3).tolist() for name, adjusted in every_correction(np.array([0.01, 0.03])).items()}
    {'none': [0.01, 0.03], 'bonferroni': [0.02, 0.06], 'holm': [0.02, 0.03], 'bh': [0.02, 0.03], 'by': [0.03, 0.045]}
    """
    adjusted = {name: adjust(p) for name, adjust in ADJUSTMENTS.items()}
    return adjusted if romano_wolf is None else {**adjusted, "romano-wolf": romano_wolf}


def decide_by(tested: Sequence[PairResult], sign: int, adjusted: np.ndarray, alpha: float) -> np.ndarray:
    """What adjusted p decide on pairs that were tested, as `significance.decide_pairs` has it; shape (pairs,).

    Parameters
    ----------
    tested : sequence of PairResult
        Pairs that have p.
    sign : int
        What turns a difference of scores into an improvement.
    adjusted : ndarray, shape (pairs,)
    alpha : float
    """
    improvement = np.array([sign * pair.delta for pair in tested])
    side = np.array([{"a": 1, "b": -1, None: np.sign(own)}[pair.favours]
                     for pair, own in zip(tested, improvement, strict=True)])
    return decide_pairs(improvement, alpha, p=adjusted, side=side)


def disagreeing(decisions: Mapping[str, np.ndarray]) -> np.ndarray:
    """Indices of the pairs on which not all choices decide alike.

    Parameters
    ----------
    decisions : mapping of str to ndarray, shape (pairs,)
        What each choice (a correction, a test) decides on each pair, the pairs in the same order.

    Examples
    --------
    >>> disagreeing({"none": np.array([1, 1, 0]), "holm": np.array([1, 0, 0])}).tolist()
    [1]
    """
    if not decisions:
        return np.zeros(0, dtype=int)
    stacked = np.array(list(decisions.values()))
    return np.flatnonzero((stacked != stacked[0]).any(axis=0))


def better_matrix(result: MetricResult) -> np.ndarray:
    """Who is significantly better than whom, shape (systems, systems), in the order of the leaderboard."""
    place = {system.system: k for k, system in enumerate(result.systems)}
    pairs = np.array([(place[pair.a], place[pair.b]) for pair in result.pairs], dtype=int).reshape(-1, 2)
    signs = np.array([{"a": 1, "b": -1, None: 0}[pair.better] for pair in result.pairs], dtype=int)
    return decision_matrix(len(result.systems), pairs, signs)


def triple_examples(better: np.ndarray, limit: int = 20) -> list[tuple[int, int, int]]:
    """The triples that `intransitive_triples` counts; where they are more than `limit`, one for each better system and
    no more than that.

    Parameters
    ----------
    better : ndarray of bool, shape (systems, systems)
    limit : int

    Returns
    -------
    list of (i, j, k)
        i is better than k, but neither is separable from j.

    Examples
    --------
    >>> triple_examples(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    [(0, 1, 2)]
    """
    tied = ~(better | better.T)
    np.fill_diagonal(tied, False)
    all_fit = intransitive_triples(better) <= limit
    found: list[tuple[int, int, int]] = []
    for i, row in enumerate(better):
        own = ((i, int(j), int(k)) for j in np.flatnonzero(tied[i]) for k in np.flatnonzero(row & tied[j]))
        found += own if all_fit else islice(own, 1)
    return found[:limit]
