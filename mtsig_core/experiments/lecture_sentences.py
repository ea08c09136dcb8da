"""A few short sentences of two systems, to be resampled one by one before the eyes of a room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.inference.measured import measure
from mtsig_core.inference.resampling import BLOCK, subset
from mtsig_core.metrics import Metric, direction

__all__ = ["Excerpt", "excerpt", "from_blocks", "span"]

_CHOICE = 6  # times as many short sentences as are shown: those of a seed are drawn from these


@dataclass(frozen=True, eq=False)
class Excerpt:
    """A few segments of two systems.

    Attributes
    ----------
    testset : TestSet
        The two systems on these segments alone.
    metric : Metric
    statistics : ndarray, shape (2, segments, stats)
    """

    testset: TestSet
    metric: Metric
    statistics: np.ndarray

    @property
    def n(self) -> int:
        return self.testset.n_segments

    @property
    def scores(self) -> np.ndarray:
        """Of the two, in points, shape (2,)."""
        return self.score(self.statistics.sum(axis=1))

    @property
    def improvement(self) -> float:
        """By how much the first system is better, in points."""
        a, b = self.scores.tolist()
        return direction(self.metric) * float(a - b)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Scores of summed statistics, shape (..., stats) -> (...)."""
        return np.asarray(self.metric.score(sums), dtype=np.float64)


def excerpt(testset: TestSet, metric: str | Metric, a: str, b: str, n: int, seed: int) -> Excerpt:
    """Short sentences of a test set, drawn by the seed from the shortest that there are, in the order of the set.

    Parameters
    ----------
    testset : TestSet
        With texts.
    metric : str or Metric
        Whose statistics of a segment do not depend on the others.
    a, b : str
    n : int
        Sentences; those to draw from are six times as many, the shortest by the longest of reference and two outputs.
    seed : int

    Raises
    ------
    SettingError
        Without texts, or with too few segments that have an output of both.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b", "a b c d", "a"], "B": ["a c", "a b c e", "b"]},
    ...              {"ref": ["a b", "a b c d", "a"]})
    >>> excerpt(ts, "bleu", "A", "B", 2, 1).testset.n_segments
    2
    """
    if not testset.has_texts:
        raise SettingError(f"{testset.name} has scores and no texts: there is no sentence to show. Choose a test set "
                           "with texts.")
    two = testset.only([a, b])
    columns = [*two.systems.values(), *two.references.values()]
    lengths = np.array([max(len(text or "") for text in texts) for texts in zip(*columns, strict=True)])
    whole = np.flatnonzero([all(texts) for texts in zip(*two.systems.values(), strict=True)])
    if len(whole) < n:
        raise SettingError(f"{testset.name} has {len(whole)} segments with an output of both {a} and {b}. This scene "
                           f"needs {n}: choose another pair, or a larger test set.")
    short = whole[np.argsort(lengths[whole], kind="stable")][:_CHOICE * n]
    seen = measure(two.at(np.sort(short[subset(len(short), n, seed, 0)]).tolist()), metric).only([a, b])
    return Excerpt(seen.testset, seen.metric, seen.statistics)


def from_blocks(draw: Callable[[int], np.ndarray], start: int, stop: int) -> np.ndarray:
    """Replicates `start` to `stop` of those that come in blocks, shape (stop - start, ...)."""
    first = start // BLOCK
    found: np.ndarray = np.concatenate([draw(block) for block in range(first, max(first, (stop - 1) // BLOCK) + 1)])
    return found[start - first * BLOCK:stop - first * BLOCK]


def span(values: np.ndarray, *, about: float | None = None) -> dict[str, float]:
    """Ends of an axis that holds all values with some room, as far to both sides of `about` where that is given.

    Examples
    --------
    >>> span(np.array([10.0, 20.0])), span(np.array([-1.0, 2.0]), about=0.0)
    ({'low': 9.4, 'high': 20.6}, {'low': -2.24, 'high': 2.24})
    """
    low, high = float(values.min()), float(values.max())
    if about is not None:
        reach = max(about - low, high - about)
        low, high = about - reach, about + reach
    room = 0.06 * (high - low) or 1.0
    return {"low": low - room, "high": high + room}
