"""What a sweep of sizes finds, in rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mtsig_core.results import SamplingSettings

__all__ = ["PairError", "PairErrors", "PairSize", "SizeSweep", "Slope", "SystemSize"]


class PairError(NamedTuple):
    """Improvement of the first system over the second and its standard error, in points; how well this is known, in
    degrees of freedom (NaN: not at all); the units that both systems have, and how many of equal size these are worth.
    """

    delta: float
    se: float
    df: float
    n_units: int
    n_effective: float


#: By pair.
PairErrors = dict[tuple[str, str], PairError]


@dataclass(frozen=True)
class SystemSize:
    """One system on random test sets of one size.

    Attributes
    ----------
    size : int
        Units: segments or documents.
    segments : float
        Mean number of segments.
    repeats : int
    system : str
    score, score_low, score_high : float or None
        Mean score, and the 5th and 95th percentile of the scores over the repeats, in points.
    low, high, width : float or None
        Ends and width of the interval relative to its median, as fractions, means over the repeats.
    """

    size: int
    segments: float
    repeats: int
    system: str
    score: float | None
    score_low: float | None
    score_high: float | None
    low: float | None
    high: float | None
    width: float | None


@dataclass(frozen=True)
class PairSize:
    """One pair of systems on random test sets of one size.

    Attributes
    ----------
    size, segments, repeats
        As in `SystemSize`.
    a, b : str
        The better system on the whole set comes first.
    delta : float or None
        Mean improvement of a over b, in points.
    significant : float
        Share of the repeats on which the pair is significant, in either direction.
    wrong : float or None
        Share on which it is significant and b ahead; None where the whole set has them level.
    expected : float
        The share significant that the standard error of the whole set lets expect on these subsets: without
        replacement they vary less than fresh test sets do.
    power : float
        The same on fresh test sets of that size, if the difference of the whole set is the true one.
    significant_low, significant_high, wrong_low, wrong_high : float or None
        95% Monte Carlo intervals (Wilson 1927) of the shares over such subsets; None for the set itself, taken once.
    """

    size: int
    segments: float
    repeats: int
    a: str
    b: str
    delta: float | None
    significant: float
    wrong: float | None
    expected: float
    power: float
    significant_low: float | None = None
    significant_high: float | None = None
    wrong_low: float | None = None
    wrong_high: float | None = None


@dataclass(frozen=True)
class Slope:
    """Least-squares line of log width on log size; -1/2 is what independent units lead to.

    Attributes
    ----------
    system : str
    slope, se : float or None
        None with fewer than two, or three, sizes, or where these are too close together for a line.
    per_doubling : float or None
        By how much doubling the test set narrows the interval, as a fraction: 1 - 2^slope.
    """

    system: str
    slope: float | None
    se: float | None
    per_doubling: float | None


@dataclass(frozen=True)
class SizeSweep:
    """Random test sets of several sizes, drawn from one.

    Attributes
    ----------
    metric, signature : str
    higher_is_better : bool
    settings : SamplingSettings
        As resolved; its trials and correction are not used.
    n_units, n_segments : int
        Of the whole test set.
    scores : mapping of str to float
        On the whole test set, best first.
    errors : mapping of (str, str) to PairError
        By pair: improvement on the whole set and its bootstrap standard error.
    systems, pairs : tuple
        By size, then in the order of the scores.
    slopes : tuple of Slope
    recounted : bool
        Whether the metric was counted anew on each subset.
    ends : mapping of int to ndarray, shape (repeats, pairs, 2)
        By size, in points: on a subset a pair is significant where the lower end lies above 0, or the upper below it.
        NaN where the pair has no difference there.
    widths : mapping of int to ndarray, shape (repeats, systems)
        By size: widths of the relative intervals behind `SystemSize.width`; systems best first.
    whole : ndarray, shape (systems, resamples), or None
        Bootstrap scores of the set itself, in points, where it is among the sizes.
    """

    metric: str
    signature: str
    higher_is_better: bool
    settings: SamplingSettings
    n_units: int
    n_segments: int
    scores: dict[str, float]
    errors: PairErrors
    systems: tuple[SystemSize, ...]
    pairs: tuple[PairSize, ...]
    slopes: tuple[Slope, ...]
    recounted: bool
    ends: dict[int, np.ndarray] = field(compare=False, repr=False)
    widths: dict[int, np.ndarray] = field(compare=False, repr=False)
    whole: np.ndarray | None = field(compare=False, repr=False)
