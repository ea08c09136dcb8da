"""Experiment-wise error: how likely is a wrong conclusion among many comparisons of equal systems?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.population import (
    Population,
    Rate,
    check_whole,
    equal_systems,
    population,
    rate,
    repeated,
    told,
)
from mtsig_core.inference import engine
from mtsig_core.inference.across_corrections import every_correction
from mtsig_core.inference.correction import CORRECTIONS, romano_wolf
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.inference.resampling import Units
from mtsig_core.inference.settings import check_level
from mtsig_core.inference.significance import approximate_randomization, significant
from mtsig_core.metrics import Metric

__all__ = ["STREAM", "FamilyError", "FamilyErrors", "corrected", "drawn_from", "families", "if_independent",
           "randomized"]

_SEGMENTS, _SYSTEMS = 300, (2, 3, 4, 6, 8, 10, 15)
STREAM = 40  # of the draws of test sets
_COMPARED = ("all pairs", "with the first")


@dataclass(frozen=True)
class FamilyError:
    """Test sets of equal systems with a wrong conclusion somewhere.

    Attributes
    ----------
    systems : int
    compared : {"all pairs", "with the first"}
    comparisons : int
    if_independent : float
        1 - (1 - alpha)^comparisons.
    wrong : dict of str to Rate
        By correction (`CORRECTIONS`).
    """

    systems: int
    compared: str
    comparisons: int
    if_independent: float
    wrong: dict[str, Rate]


@dataclass(frozen=True)
class FamilyErrors:
    """Experiment-wise error of families of several sizes.

    Attributes
    ----------
    metric : str
    alpha : float
    repeats, trials, seed, n_segments : int
    rows : tuple of FamilyError
        First those of all pairs. Families share their first systems, so the rows are not independent.
    """

    metric: str
    alpha: float
    repeats: int
    trials: int
    seed: int
    n_segments: int
    rows: tuple[FamilyError, ...]

    @property
    def of_all_pairs(self) -> tuple[FamilyError, ...]:
        return tuple(row for row in self.rows if row.compared == _COMPARED[0])


def families(testset: TestSet, metric: str | Metric, *, systems: int = 15, repeats: int = 300,
             n_segments: int | None = None, trials: int = 2999, alpha: float = 0.05, seed: int = 0, jobs: int = 1,
             statistics: np.ndarray | None = None, progress: Progress | None = None,
             found: Callable[[int, int, FamilyErrors], None] | None = None) -> FamilyErrors:
    """Wrong conclusions among equal systems, by approximate randomization with each correction.

    All pairs are compared, and in a family of its own every system with the first, as with a baseline. Equal systems
    are made by chance: each of them says of each segment what one of the real ones says, drawn anew.

    Parameters
    ----------
    testset, metric, statistics, progress, found
        As in `mtsig_core.experiments.type_one_error.type_one`.
    systems : int
        The largest family, 2 to 50.
    repeats : int
        Test sets drawn with replacement.
    n_segments : int, optional
        Segments of each: 300 by default, or all where there are fewer.
    trials : int
        By default enough for Bonferroni among 105 pairs: with fewer, its smallest p times the pairs exceeds alpha.
    alpha, seed, jobs
        As in `compare`.

    Raises
    ------
    SettingError
        For fewer than two systems, or fewer than 10 segments.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e", "a b c d x"] * 30, "B": ["a b c d x", "a b c d e", "a b c y e"] * 20},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = families(ts, "bleu", systems=4, repeats=10, trials=99)
    >>> [(row.systems, row.comparisons, round(row.if_independent, 3)) for row in found.rows]
    [(2, 1, 0.05), (3, 3, 0.143), (4, 6, 0.265), (3, 2, 0.098), (4, 3, 0.143)]
    """
    check_level(alpha)
    check_whole("systems", systems, 2, 50)
    check_whole("repeats", repeats, 1, 100_000)
    whole, n = drawn_from(testset, metric, n_segments, alpha, trials, statistics, progress)
    units, pairs = Units.segments(n), engine.all_pairs(systems)
    sizes = sorted({size for size in _SYSTEMS if size < systems} | {systems})
    within = {(size, _COMPARED[0]): pairs.max(axis=1) < size for size in sizes}
    within |= {(size, _COMPARED[1]): within[size, _COMPARED[0]] & (pairs[:, 0] == 0) for size in sizes if size > 2}

    def one(k: int, rng: np.random.Generator) -> list[list[bool]]:
        data = engine.UnitStatistics(whole.metric, equal_systems(whole, systems, n, rng), units)
        delta, null, p = randomized(data, pairs, trials, rng)
        return [_wrong(delta[among], null[among], p[among], alpha, data.units) for among in within.values()]

    def gathered(sets: list[list[list[bool]]]) -> FamilyErrors:
        counts = np.array(sets).sum(axis=0)  # (families, corrections)
        return FamilyErrors(whole.metric.name, alpha, len(sets), trials, seed, n, tuple(
            FamilyError(size, compared, (k := int(among.sum())), if_independent(alpha, k),
                        {name: rate(int(c), len(sets)) for name, c in zip(CORRECTIONS, row, strict=True)})
            for ((size, compared), among), row in zip(within.items(), counts, strict=True)))

    return gathered(repeated(one, repeats, seed, STREAM, jobs=jobs, progress=stage(progress, "families"),
                             found=told(found, repeats, gathered)))


def if_independent(alpha: float, comparisons: int) -> float:
    """1 - (1 - alpha)^k, the chance of a wrong conclusion among k independent comparisons of equals.

    Examples
    --------
    >>> round(if_independent(0.05, 105), 4)
    0.9954
    """
    return 1 - (1 - alpha) ** comparisons


def drawn_from(testset: TestSet, metric: str | Metric, n_segments: int | None, alpha: float, trials: int,
               statistics: np.ndarray | None, progress: Progress | None) -> tuple[Population, int]:
    """What test sets are drawn from, and the segments of each, for settings with which anything can be found."""
    check_whole("trials", trials, 1, 100_000)
    if alpha < 1 / (trials + 1):
        raise SettingError(f"With {trials} trials no p can be {alpha:g} or less. Use more trials, or a larger alpha.")
    whole = population(testset, metric, statistics=statistics, progress=progress)
    if whole.n_segments < 10:
        raise SettingError(f"Too few segments to draw test sets from: {whole.n_segments}. Expected at least 10.")
    n = min(_SEGMENTS, whole.n_segments) if n_segments is None else check_whole("segments", n_segments, 2, 100_000)
    return whole, n


def randomized(data: engine.UnitStatistics, pairs: np.ndarray, trials: int,
               rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Differences of pairs, shape (pairs,), their null by swaps, (pairs, trials), and p, (pairs,)."""
    delta = data.scores[pairs[:, 0]] - data.scores[pairs[:, 1]]
    null = engine.swap_differences(data, pairs, trials, int(rng.integers(1 << 62)))
    return delta, null, approximate_randomization(delta, null)


def corrected(delta: np.ndarray, null: np.ndarray, p: np.ndarray, units: Units) -> dict[str, np.ndarray]:
    """Adjusted p of a family by every correction, each of shape (pairs,)."""
    return every_correction(p, romano_wolf(delta, null, whole=units.all_swaps is not None))


def _wrong(delta: np.ndarray, null: np.ndarray, p: np.ndarray, alpha: float, units: Units) -> list[bool]:
    """Whether anything is significant, by correction."""
    adjusted = corrected(delta, null, p, units)
    return [bool(significant(adjusted[name].min(), alpha)) for name in CORRECTIONS]
