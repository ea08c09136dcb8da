"""Tables of scores, and how far metrics decide as people do, computed slowly."""

from itertools import product

import numpy as np

from mtsig_core import TestSet
from mtsig_core.testset import SegmentScores

NAMES = "ABCD"


def rated(scores, lower=(), **more):
    """A test set of score tables, {name: (systems, segments)}, NaN where there is none."""
    first = next(iter(scores.values()))
    tables = {
        metric: SegmentScores(
            {
                name: [None if x != x else float(x) for x in row]
                for name, row in zip(NAMES, values, strict=False)
            },
            metric not in lower,
        )
        for metric, values in scores.items()
    }
    return TestSet(
        "toy",
        {name: [None] * first.shape[1] for name in NAMES[: len(first)]},
        {},
        scores=tables,
        **more,
    )


def rated_systems(by_system, documents=None, higher=True, metric="human", **more):
    """A test set of scores alone, {system: scores}, None or NaN where there is none."""
    scores = {}
    for name, values in by_system.items():
        scores[name] = [None if x is None or x != x else float(x) for x in values]
    return TestSet(
        "rated",
        {name: [None] * len(values) for name, values in scores.items()},
        {},
        documents=None if documents is None else [str(document) for document in documents],
        scores={metric: SegmentScores(scores, higher)},
        **more,
    )


def noisy(seed, n, spread=1.0, n_systems=3):
    draws = np.random.default_rng(seed).normal(0, spread, (n_systems, n))
    return np.round(np.arange(n_systems)[:, None] * 0.4 + draws, 1)


def enumerated(a, b):
    """One-sided p of mean(a) > mean(b) over all swaps, those of the same difference counted half;
    slowly.
    """
    both = [(x, y) for x, y in zip(a, b, strict=True) if x == x and y == y]
    observed, above, all_swaps = (
        sum(x - y for x, y in both),
        0.0,
        list(product((1, -1), repeat=len(both))),
    )
    for signs in all_swaps:
        swapped = sum(sign * (x - y) for sign, (x, y) in zip(signs, both, strict=True))
        above += 0.5 if abs(swapped - observed) < 1e-9 else float(swapped > observed)
    return above / len(all_swaps)


def by_hand(people, metric, sign=1):
    """Pairwise and soft pairwise accuracy of two tables without gaps, pair by pair."""
    right = ordered = 0
    apart = []
    for i in range(len(people)):
        for j in range(i):
            theirs, ours = (
                people[i].mean() - people[j].mean(),
                sign * (metric[i].mean() - metric[j].mean()),
            )
            ordered += abs(theirs) > 1e-9
            right += theirs * ours > 1e-9
            apart.append(
                abs(
                    enumerated(people[i], people[j])
                    - enumerated(sign * metric[i], sign * metric[j])
                )
            )
    return right / ordered, 1 - sum(apart) / len(apart)
