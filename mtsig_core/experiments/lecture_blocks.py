"""Blocks and broad samples of one system, sample by sample: what a lecture shows of them (Koehn 2004, 3.2 to 3.4)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.experiments.blocks_and_broad import positions
from mtsig_core.experiments.sample_results import ratio_of_spreads
from mtsig_core.inference.measured import Measured, measure
from mtsig_core.metrics import Metric

__all__ = ["BlocksAndBroad", "blocks_and_broad"]


@dataclass(frozen=True, eq=False)
class BlocksAndBroad:
    """Scores of one system on small test sets cut from a large one.

    Attributes
    ----------
    size : int
        Segments in each.
    blocks, broad : ndarray, shape (samples,)
        In points.
    shuffled : ndarray, shape (samples,)
        Of blocks after the segments were put in a random order.
    ribbon, shuffled_ribbon : ndarray, shape (at most 1000,)
        Scores of consecutive stretches of the large set, from its first to its last segment; and after the shuffle.
    """

    size: int
    blocks: np.ndarray
    broad: np.ndarray
    shuffled: np.ndarray
    ribbon: np.ndarray
    shuffled_ribbon: np.ndarray

    def first(self, samples: int) -> BlocksAndBroad:
        """The first of each alone."""
        return replace(self, blocks=self.blocks[:samples], broad=self.broad[:samples],
                       shuffled=self.shuffled[:samples])

    @staticmethod
    def range_of(scores: np.ndarray) -> tuple[float, float]:
        """The least and the largest."""
        return float(scores.min()), float(scores.max())

    def difficulty(self, stretches: np.ndarray) -> np.ndarray:
        """How hard stretches are: 0 for the best score on the ribbon, 1 for the worst."""
        low, high = self.range_of(self.ribbon)
        return np.asarray((high - stretches) / ((high - low) or 1.0))

    @property
    def ratio(self) -> float:
        """Spread of the blocks over that of the broad samples, each as a standard deviation."""
        return _ratio(self.blocks, self.broad)

    @property
    def ratio_interval(self) -> tuple[float, float] | None:
        """Its 95% interval, see `ratio_of_spreads`; None where there is none."""
        found = ratio_of_spreads(self.blocks, self.broad)
        return found and found[1:]

    @property
    def by_order(self) -> bool:
        """Whether blocks spread clearly wider in the order of the segments than after the shuffle."""
        found = ratio_of_spreads(self.blocks, self.shuffled)
        return found is not None and found[1] > 1

    @property
    def shuffled_ratio(self) -> float:
        """The same of the blocks after the shuffle."""
        return _ratio(self.shuffled, self.broad)


def blocks_and_broad(testset: TestSet, metric: str | Metric, system: str, size: int = 300, seed: int = 0,
                     statistics: np.ndarray | None = None) -> BlocksAndBroad:
    """Cut a test set both ways; the samples are those of `mtsig_core.experiments.blocks_and_broad.sampling`.

    Raises
    ------
    SettingError
        If there are too few segments for two samples.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 30 + ["a b c d x"] * 30}, {"ref": ["a b c d e"] * 60})
    >>> found = blocks_and_broad(ts, "wer", "A", 20)
    >>> found.blocks.tolist(), found.broad.tolist()
    ([0.0, 10.0, 20.0], [10.0, 10.0, 10.0])
    """
    seen = measure(testset, metric, statistics=statistics).only([system])
    n = seen.testset.n_segments

    def cut(kind: str, shuffle_seed: int | None = None) -> np.ndarray:
        return _scores(seen, positions(kind, n, size, shuffle_seed))

    stretch = max(2, -(-n // 1000))
    return BlocksAndBroad(size, cut("blocks"), cut("broad"), cut("blocks", seed),
                          *(_scores(seen, positions("blocks", n, stretch, order)) for order in (None, seed)))


def _scores(seen: Measured, rows: np.ndarray) -> np.ndarray:
    counted = seen.counter()
    return np.array([float(np.asarray(seen.metric.score(counted(row).sum(axis=1)))[0]) for row in rows])


def _ratio(one: np.ndarray, other: np.ndarray) -> float:
    """Of standard deviations; 1 where neither varies."""
    spreads = [float(scores.std(ddof=1)) if len(scores) > 1 else 0.0 for scores in (one, other)]
    return spreads[0] / spreads[1] if spreads[1] else 1.0 if not spreads[0] else float("inf")
