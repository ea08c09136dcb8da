"""Systems made equal, each compared with the first: p-values under a true null (Riezler and Maxwell 2005, Table 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.experiments.population import check_whole, equal_systems, population
from mtsig_core.inference import engine
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.inference.resampling import Units
from mtsig_core.inference.settings import check_level
from mtsig_core.inference.significance import approximate_randomization, riezler_maxwell, signed_shift
from mtsig_core.metrics import Metric

__all__ = ["Variant", "Variants", "variants"]

_SYSTEMS, _SEGMENTS, _STREAM = 6, 2000, 41  # those of the paper


@dataclass(frozen=True)
class Variant:
    """The first system against another.

    Attributes
    ----------
    pair : str
        As the paper names it, such as ``1:2``.
    difference : float
        Of their scores, in points, without a sign.
    p_ar, p_bootstrap, p_as_printed : float
        Of approximate randomization, of the signed shift, and of the shift as the paper prints it.
    """

    pair: str
    difference: float
    p_ar: float
    p_bootstrap: float
    p_as_printed: float


@dataclass(frozen=True)
class Variants:
    """Equal systems.

    Attributes
    ----------
    metric : str
    alpha : float
    trials, seed, n_segments : int
    rows : tuple of Variant
    """

    metric: str
    alpha: float
    trials: int
    seed: int
    n_segments: int
    rows: tuple[Variant, ...]


def variants(testset: TestSet, metric: str | Metric, *, n_segments: int | None = None, trials: int = 9999,
             alpha: float = 0.05, seed: int = 0, jobs: int = 1, statistics: np.ndarray | None = None,
             progress: Progress | None = None) -> Variants:
    """Six systems that are equal by construction; the first is compared with each of the others, by segment.

    Parameters
    ----------
    testset, metric, statistics, progress
        As in `mtsig_core.experiments.type_one_error.type_one`.
    n_segments : int, optional
        Drawn with replacement: 2,000 by default, as in the paper, or all where there are fewer.
    trials, alpha, seed, jobs
        As in `compare`.

    Raises
    ------
    SettingError
        For fewer than two systems.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e", "a b c d x"] * 30, "B": ["a b c d x", "a b c d e", "a b c y e"] * 20},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = variants(ts, "bleu", trials=999)
    >>> [row.pair for row in found.rows], found.n_segments
    (['1:2', '1:3', '1:4', '1:5', '1:6'], 60)
    """
    check_level(alpha)
    check_whole("trials", trials, 1, 1_000_000)
    check_whole("seed", seed, 0, (1 << 64) - 1)
    whole = population(testset, metric, statistics=statistics, progress=progress)
    n = min(_SEGMENTS, whole.n_segments) if n_segments is None else check_whole("segments", n_segments, 2, 1_000_000)
    rng = np.random.default_rng([seed, _STREAM])
    data = engine.UnitStatistics(whole.metric, equal_systems(whole, _SYSTEMS, n, rng), Units.segments(n))
    pairs = np.array([(0, k) for k in range(1, _SYSTEMS)])
    delta, key = data.scores[0] - data.scores[1:], int(rng.integers(1 << 62))
    drawn = engine.bootstrap_scores(data, trials, key, jobs=jobs, progress=stage(progress, "bootstrap"))
    drawn = drawn[:1] - drawn[1:]
    swapped = engine.swap_differences(data, pairs, trials, key, jobs=jobs, progress=stage(progress, "swaps"))
    p = approximate_randomization(delta, swapped), signed_shift(delta, drawn), riezler_maxwell(delta, drawn)
    return Variants(whole.metric.name, alpha, trials, seed, n, tuple(
        Variant(f"1:{k}", *map(float, row)) for k, row in enumerate(zip(np.abs(delta), *p, strict=True), 2)))
