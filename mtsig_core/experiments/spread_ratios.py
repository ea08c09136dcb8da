"""How much wider blocks of neighbours spread than broad samples, for every system and several sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.blocks_and_broad import KINDS, positions
from mtsig_core.experiments.population import check_whole
from mtsig_core.experiments.sample_results import ratio_of_spreads, spread
from mtsig_core.experiments.size_choice import in_units
from mtsig_core.inference.measured import measure
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.inference.settings import check_level
from mtsig_core.metrics import Metric

__all__ = ["SIZES", "Spread", "Spreads", "spreads"]

#: Sizes of samples that are offered.
SIZES = (10, 20, 30, 50, 100, 200, 300, 600, 1000, 3000)
_ENOUGH = 5  # samples without which a spread says nothing


@dataclass(frozen=True)
class Spread:
    """One system on samples of one size.

    Attributes
    ----------
    size, samples : int
        Segments in a sample, and samples of each kind.
    system : str
    blocks, broad : float or None
        Standard deviations of the scores, in points; None where fewer than two samples have one.
    ratio, ratio_low, ratio_high : float or None
        blocks / broad; see `mtsig_core.experiments.sample_results.ratio_of_spreads`.
    """

    size: int
    samples: int
    system: str
    blocks: float | None
    broad: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None


@dataclass(frozen=True)
class Spreads:
    """Spreads of all systems and sizes.

    Attributes
    ----------
    metric : str
    alpha : float
        Intervals have level 1 - alpha.
    seed, n_segments : int
    shuffled : bool
    rows : tuple of Spread
        By size, then system, the best first.
    """

    metric: str
    alpha: float
    seed: int
    n_segments: int
    shuffled: bool
    rows: tuple[Spread, ...]

    def ratios(self) -> dict[int, tuple[float, float, float]]:
        """Size -> smallest, median and largest ratio of the systems; sizes without any are left out."""
        found: dict[int, list[float]] = {}
        for row in self.rows:
            if row.ratio is not None:
                found.setdefault(row.size, []).append(row.ratio)
        return {size: (min(ratios), median(ratios), max(ratios)) for size, ratios in found.items()}


def spreads(testset: TestSet, metric: str | Metric, *, sizes: Sequence[float] | None = None, shuffle: bool = False,
            alpha: float = 0.05, seed: int = 0, statistics: np.ndarray | None = None,
            progress: Progress | None = None) -> Spreads:
    """Standard deviations of the scores of blocks and of broad samples (Koehn 2004, 3.2 and 3.3).

    Neighbours are of one document, topic and difficulty, so that blocks differ more than segments from all over do:
    the ratio says how far a consecutive test set may be off beside what the bootstrap by segment expects.

    Parameters
    ----------
    testset, metric, shuffle, seed, statistics, progress
        As in `mtsig_core.experiments.blocks_and_broad.sampling`.
    sizes : sequence of int or float, optional
        Segments of a sample, or shares of the set; by default those of `SIZES` that give five samples.
    alpha : float
        Intervals of the ratios have level 1 - alpha.

    Raises
    ------
    SettingError
        For a test set too short, or a size that leaves fewer than two samples.

    Examples
    --------
    Easy segments come first, hard ones last.

    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 60 + ["a b c d x"] * 60}, {"ref": ["a b c d e"] * 120})
    >>> row, = spreads(ts, "wer", sizes=(13,)).rows
    >>> row.samples, row.blocks > 9 * row.broad
    (9, True)
    """
    check_level(alpha)
    check_whole("seed", seed, 0, (1 << 64) - 1)
    if not testset.systems:
        raise SettingError("No system to look at. Give at least one output.")
    seen = measure(testset, metric, statistics=statistics, progress=stage(progress, "counting"))
    metric, n, counted = seen.metric, seen.testset.n_segments, seen.counter()
    sizes = tuple(size for size in SIZES if n // size >= _ENOUGH) if sizes is None else in_units(sizes, n)
    if not sizes:
        raise SettingError(f"How spreads change with the size is told by {_ENOUGH} samples or more: {n} segments give "
                           f"no {_ENOUGH} samples of {SIZES[0]}. Expected at least {_ENOUGH * SIZES[0]} segments, or "
                           "smaller samples.")
    cut = {(size, kind): positions(kind, n, size, seed if shuffle else None) for size in sizes for kind in KINDS}
    rows, report = [], stage(progress, "samples")
    for done, size in enumerate(sizes, 1):
        blocks, broad = (np.array([metric.score(counted(sample).sum(axis=1)) for sample in cut[size, kind]]).T
                         for kind in KINDS)
        rows += [_spread(size, seen.names[k], blocks[k], broad[k], alpha) for k in seen.order]
        if report is not None:
            report(done / len(sizes))
    return Spreads(metric.name, alpha, seed, n, shuffle, tuple(rows))


def _spread(size: int, system: str, blocks: np.ndarray, broad: np.ndarray, alpha: float) -> Spread:
    sd_blocks, sd_broad = (value if np.isfinite(value := spread(scores)) else None for scores in (blocks, broad))
    return Spread(size, len(blocks), system, sd_blocks, sd_broad,
                  *(ratio_of_spreads(blocks, broad, alpha) or (None, None, None)))
