"""From decisions on pairs to ranks of systems."""

from __future__ import annotations

import numpy as np

from mtsig_core.results import MetricResult, ReferenceLeaders
from mtsig_core.results.task import MacroResult

__all__ = ["decision_matrix", "rank_intervals", "intransitive_triples", "headline", "is_ahead",
           "otherwise_led", "turned_round"]


def decision_matrix(n_systems: int, pairs: np.ndarray, decisions: np.ndarray) -> np.ndarray:
    """Who is significantly better than whom.

    Parameters
    ----------
    n_systems : int
    pairs : ndarray of int, shape (pairs, 2)
    decisions : ndarray of int, shape (pairs,)
        1 where the first system of the pair is significantly better, -1 where the second is, else 0.

    Returns
    -------
    ndarray of bool, shape (systems, systems)
        True at (i, j) where i is significantly better than j.
    """
    better = np.zeros((n_systems, n_systems), dtype=bool)
    first, second = pairs[:, 0], pairs[:, 1]
    better[first[decisions > 0], second[decisions > 0]] = True
    better[second[decisions < 0], first[decisions < 0]] = True
    return better


def rank_intervals(better: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Simultaneous rank intervals: 1 + number of systems significantly better, to S - number significantly worse.

    They hold jointly at the level at which the decisions control the family-wise error (Mogstad et al. 2024 in
    economics; WMT's rank ranges with a correction).

    Examples
    --------
    >>> low, high = rank_intervals(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    >>> low.tolist(), high.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


def intransitive_triples(better: np.ndarray) -> int:
    """Number of triples (i, j, k) with i not separable from j, nor j from k, but i better than k."""
    tied = ~(better | better.T)
    through = tied.astype(np.int64) @ tied.astype(np.int64)
    return int((through * better).sum())


def headline(result: MetricResult) -> tuple[str, ...] | None:
    """The systems that no other is significantly better than: one is a winner, of several each may be the first.

    None where ranks are undefined or there is only one system.
    """
    if len(result.systems) < 2 or result.systems[0].rank_low is None:
        return None
    if result.systems[0].rank_low == result.systems[0].rank_high == 1:
        return (result.systems[0].system,)
    return tuple(row.system for row in result.systems if row.rank_low == 1)


def is_ahead(result: MetricResult | MacroResult) -> bool:
    """Whether a system is significantly better than each other one.

    To be the only one that may be the first is less: each other is then worse than somebody.
    """
    return len(result.systems) > 1 and any(row.rank_high == 1 for row in result.systems)


def otherwise_led(result: MetricResult) -> tuple[ReferenceLeaders, ...]:
    """The references by which alone other systems are ahead than by all of them together.

    One with too few segments to decide anything is no answer. One that lacks segments separates fewer systems: that it
    lets more be first is then no other answer.
    """
    together = headline(result)
    n = max((pair.n or 0 for pair in result.pairs), default=0)
    return () if together is None else tuple(
        row for row in result.by_reference if row.decidable and set(row.leaders) != set(together)
        and not (row.n_segments < n and set(together) < set(row.leaders)))


def turned_round(result: MetricResult) -> int:
    """How many significant pairs have ranks that call the worse system the better one.

    Ours never do. Rules that go by score can where systems are rated on different segments.
    """
    rank = {row.system: (row.rank_low or 0, row.rank_high or 0) for row in result.systems}
    sides = [(pair.a, pair.b) if pair.better == "a" else (pair.b, pair.a) for pair in result.pairs if pair.better]
    return sum(rank[worse][1] < rank[better][0] for better, worse in sides)
