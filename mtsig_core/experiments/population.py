"""What validation draws its test sets from, and how its repeats are run and counted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TypeVar

import numpy as np

from mtsig_core.errors import SettingError, counted
from mtsig_core.metrics import Metric
from mtsig_core.stats import engine
from mtsig_core.stats.engine import has_gaps, paired
from mtsig_core.stats.measured import Measured, measure
from mtsig_core.stats.one_score import Progress, stage
from mtsig_core.stats.parallel import in_order
from mtsig_core.stats.resampling import Units, members
from mtsig_core.stats.significance import approximate_randomization
from mtsig_core.testset import TestSet

#-----------------------------------------------------------------------------------------------------------------------
# What validation draws its test sets from, and how its repeats are run and counted.


_AT_ONCE = 8  # repeats that a thread takes at a time
_FIRST = 24  # repeats after which somebody is told of them, then after twice as many each time
_Result = TypeVar("_Result")
_Found = TypeVar("_Found")


@dataclass(frozen=True, eq=False)
class Population:
    """The segments that all of some systems have, best system first.

    Attributes
    ----------
    metric : Metric
    systems : tuple of str
    statistics : ndarray, shape (systems, segments, stats)
    scores : ndarray, shape (systems,)
        In points, on all segments.
    documents : ndarray of int, shape (segments,), or None
        The document of each segment, numbered from 0 without a gap.
    """

    metric: Metric
    systems: tuple[str, ...]
    statistics: np.ndarray
    scores: np.ndarray
    documents: np.ndarray | None

    @property
    def n_segments(self) -> int:
        return int(self.statistics.shape[1])

    @property
    def n_documents(self) -> int:
        return 0 if self.documents is None else int(self.documents.max()) + 1

    def segments_of_documents(self) -> list[np.ndarray]:
        """The segments of each document."""
        return [] if self.documents is None else members(self.documents)


@dataclass(frozen=True)
class Rate:
    """A share of repeats, with its 95% Monte Carlo interval (Wilson 1927).

    Attributes
    ----------
    count, n : int
    share, low, high : float or None
        None without repeats.
    """

    count: int
    n: int
    share: float | None
    low: float | None
    high: float | None


def rate(count: int, n: int) -> Rate:
    """A share with Wilson's 95% interval, which is sound also near 0 and 1.

    Examples
    --------
    >>> found = rate(10, 20)
    >>> found.share, round(found.low, 3), round(found.high, 3)
    (0.5, 0.299, 0.701)
    """
    if n == 0:
        return Rate(0, 0, None, None, None)
    low, high = _wilson(count / n, n, 1.959963984540054)
    return Rate(int(count), n, count / n, low, high)


def clustered_rate(yes: np.ndarray, cluster: np.ndarray) -> Rate:
    """A share of repeats that are alike within clusters, as comparisons on one sample are, with its 95% interval.

    Wilson's, with so many independent repeats as tell as much of a share whose variance is taken over clusters
    (Korn and Graubard 1998), at most the repeats there are, and the quantile of Student's t with a degree of freedom
    less than there are clusters. Where all say the same, each cluster counts once.

    Parameters
    ----------
    yes : ndarray of bool, shape (repeats,)
    cluster : ndarray of int, shape (repeats,)

    Examples
    --------
    >>> yes = np.repeat([True, False, True, True], 5)
    >>> found = clustered_rate(yes, np.repeat(np.arange(4), 5))
    >>> found.share, round(found.low, 2), round(found.high, 2)
    (0.75, 0.13, 0.98)
    """
    from scipy.special import stdtrit

    n, count = len(yes), int(np.count_nonzero(yes))
    if n == 0:
        return rate(0, 0)
    share, (_, inverse) = count / n, np.unique(cluster, return_inverse=True)
    apart = np.bincount(inverse, weights=yes - share)
    clusters = len(apart)
    if clusters == 1:
        return Rate(count, n, share, *_wilson(share, 1, 1.959963984540054))
    variance = float(apart @ apart) * clusters / (clusters - 1) / n**2
    worth = clusters if count in (0, n) else n if variance == 0 else min(n, share * (1 - share) / variance)
    return Rate(count, n, share, *_wilson(share, worth, float(stdtrit(clusters - 1, 0.975))))


def _wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's interval, its ends without a rounding error."""
    middle, scale = share + z * z / (2 * n), 1 + z * z / n
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - half) / scale if share > 0 else 0.0, (middle + half) / scale if share < 1 else 1.0


def population(testset: TestSet, metric: str | Metric, *, statistics: np.ndarray | None = None,
               progress: Progress | None = None) -> Population:
    """The population of all systems.

    Parameters
    ----------
    testset : TestSet
    metric : str or Metric
    statistics : ndarray, shape (systems, segments, stats), optional
        ``metric.statistics(testset)``, where that is known already.

    Raises
    ------
    SettingError
        For fewer than two systems, or systems without a common segment.
    """
    return _population(measure(testset, metric, statistics=statistics, progress=stage(progress, "counting")))


def _population(seen: Measured) -> Population:
    _check_enough(len(seen.names))
    if seen.has_gaps:
        shared = np.flatnonzero((seen.statistics[..., -1] > 0).all(axis=0))
        if not len(shared):
            raise SettingError(f"No segment has a score by {seen.metric.name} for all of {', '.join(seen.names)}. "
                               "Choose systems that were rated on the same segments.")
        seen = Measured(seen.testset.at(shared.tolist()), seen.metric, seen.statistics[:, shared])
    seen = seen.best_first()
    documents = None if seen.testset.documents is None else seen.testset.document_index
    return Population(seen.metric, tuple(seen.names), seen.statistics, seen.scores, documents)


def pair_population(testset: TestSet, metric: str | Metric, a: str | None, b: str | None, *,
                    statistics: np.ndarray | None = None,
                    progress: Progress | None = None) -> tuple[Population, list[int]]:
    """The population of two systems, whatever segments the others lack, and the rows of a and b in it.

    Parameters
    ----------
    testset, metric, statistics, progress
        As in `population`.
    a, b : str or None
        By default the best, or the best of the others that scores otherwise somewhere; each by all the scores it has.

    Raises
    ------
    SettingError
        As in `population`, and for one system given twice.
    """
    seen = measure(testset, metric, statistics=statistics, progress=stage(progress, "counting"))
    _check_enough(len(seen.names))
    if a is not None and a == b:
        raise SettingError(f"A and B are both {a}. Choose another system for one of them.")
    free = [name for name in seen.best_first().names if name not in (a, b)]
    given = a if a is not None else b
    first = free.pop(0) if given is None else given
    rows = dict(zip(seen.names, seen.statistics, strict=True))
    others = [name for name in free if first in rows and not np.array_equal(rows[name], rows[first])] or free
    two = (first, b or others[0]) if a is not None or given is None else (others[0], first)
    both = _population(seen.only(two))
    return both, [both.systems.index(name) for name in two]


def _check_enough(n: int) -> None:
    if n < 2:
        raise SettingError(f"{n} system{'s' * (n != 1)} to compare. Expected at least 2 different ones: add outputs, "
                           "or leave fewer out.")


def equal_systems(whole: Population, systems: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Statistics of systems made equal by chance, shape (systems, n, stats).

    Segments are drawn with replacement, and each system says of each of them what one of the real ones says, drawn
    anew, so that none is better than another.
    """
    speaker = rng.integers(0, len(whole.systems), (systems, n))
    return whole.statistics[speaker, rng.integers(0, whole.n_segments, n)]


def check_whole(what: str, value: float, least: int, most: int) -> int:
    """A whole number within its range.

    Raises
    ------
    SettingError
    """
    if isinstance(value, bool) or not (isinstance(value, Integral) and least <= value <= most):
        raise SettingError(f"{what} is {value}. Expected a whole number from {least:,} to {most:,}.")
    return int(value)


def of_documents(statistics: np.ndarray, segments_of: Sequence[np.ndarray],
                 chosen: np.ndarray) -> tuple[np.ndarray, list[Units]]:
    """The segments of the documents chosen, shape (systems, segments, stats); and they by document and by segment.

    Parameters
    ----------
    statistics : ndarray, shape (systems, segments, stats)
    segments_of : sequence of ndarray
        The segments of each document.
    chosen : ndarray of int
        Documents, some of them several times.
    """
    drawn = [segments_of[d] for d in chosen]
    index = np.repeat(np.arange(len(drawn)), [len(segments) for segments in drawn])
    return statistics[:, np.concatenate(drawn)], [Units("document", index, len(drawn)), Units.segments(len(index))]


def generator(seed: int, stream: int, k: int) -> np.random.Generator:
    """The generator of repeat k of an experiment, whose kind of draws has the number `stream`."""
    return np.random.default_rng([seed, stream, k])


def repeated(task: Callable[[int, np.random.Generator], _Result], n: int, seed: int, stream: int, *, jobs: int = 1,
             progress: engine.Progress | None = None,
             found: Callable[[list[_Result]], object] | None = None) -> list[_Result]:
    """task(k, rng) for each repeat k, in order, every repeat with a generator of its own.

    Repeats are keyed by (seed, stream, k), so the results are the same for any number of threads, and the first of
    many are those of an experiment with as many repeats: `found` is called with them now and then, before the last.
    """
    check_whole("seed", seed, 0, (1 << 64) - 1)

    def some(part: int) -> list[_Result]:
        starts = range(part * _AT_ONCE, min((part + 1) * _AT_ONCE, n))
        return [task(k, generator(seed, stream, k)) for k in starts]

    results: list[_Result] = []
    due = _FIRST
    with closing(in_order(some, -(-n // _AT_ONCE), jobs)) as parts:  # at once, also when it is cancelled
        for part in parts:
            results += part
            if progress is not None:
                progress(len(results) / n)
            if found is not None and due <= len(results) < n:
                found(results)
                due = 2 * len(results)
    return results


def told(found: Callable[[int, int, _Found], object] | None, n: int,
         gathered: Callable[[list[_Result]], _Found]) -> Callable[[list[_Result]], object] | None:
    """What `repeated` is to call of n repeats, where somebody wants to be told: how many there are so far, n, and the
    result of these."""
    return None if found is None else lambda results: found(len(results), n, gathered(results))


#-----------------------------------------------------------------------------------------------------------------------
# Whether the whole test set, which conclusions of its parts are held against, is itself decided.


_SWAPS = 999


def swaps_said(n_units: int) -> str:
    """The swaps behind each p of so many units, in words: 999, or all there are.

    >>> swaps_said(1000), swaps_said(6)
    ('999 swaps', 'all 64 swaps')
    """
    every = Units.segments(n_units).all_swaps
    return f"{_SWAPS} swaps" if every is None else f"all {every + 1:,} swaps"


def whole_p(metric: Metric, statistics: np.ndarray, pairs: np.ndarray, documents: np.ndarray | None,
            seed: int) -> np.ndarray:
    """p of each pair on the whole test set by approximate randomization, uncorrected, 999 trials or all swaps
    of few units.

    Where it is above alpha, the order of the two on the whole set may itself be chance, and samples that conclude the
    opposite need not be wrong.

    Parameters
    ----------
    metric : Metric
    statistics : ndarray, shape (systems, segments, stats)
    pairs : ndarray of int, shape (pairs, 2)
    documents : ndarray of int, shape (segments,), or None
        The document of each segment, numbered from 0 without a gap; these are the units where they are known.
    seed : int

    Returns
    -------
    ndarray, shape (pairs,)
        NaN for a pair without a common segment.

    Examples
    --------
    >>> from mtsig_core.metrics import metric_of
    >>> from mtsig_core import TestSet
    >>> outputs = {"A": ["a b c d e"] * 60, "B": ["a b c d e", "a b c d x"] * 30, "C": ["a b c d x", "a b c d e"] * 30}
    >>> ts = TestSet("toy", outputs, {"ref": ["a b c d e"] * 60})
    >>> wer = metric_of(ts, "wer")
    >>> whole_p(wer, wer.statistics(ts), np.array([[0, 1], [1, 2]]), None, 0).tolist()
    [0.001, 1.0]
    """
    if not len(pairs):
        return np.empty(0)
    if has_gaps(metric, statistics):
        statistics, pairs = paired(statistics, pairs)
    units = Units.segments(statistics.shape[1]) if documents is None else Units(
        "document", documents, int(documents.max()) + 1)
    data = engine.UnitStatistics(metric, statistics, units)
    deltas = data.scores[pairs[:, 0]] - data.scores[pairs[:, 1]]
    p = approximate_randomization(deltas, engine.swap_differences(data, pairs, _SWAPS, seed))
    p[np.isnan(deltas)] = np.nan
    return p


#-----------------------------------------------------------------------------------------------------------------------
# The sizes of a sweep: by default, as people write them, in units.


_LEAST, _LARGEST = 5, 1_000_000  # units of a subset
_SMALLEST_SET = 2 * _LEAST


def default_sizes(n_units: int, kind: str = "unit") -> list[int]:
    """Up to ten sizes, evenly spaced on a log scale from a hundredth of the set (10 at least) to all of it.

    Examples
    --------
    >>> default_sizes(2018)
    [20, 34, 56, 94, 160, 260, 430, 730, 1200, 2018]
    """
    if n_units < _SMALLEST_SET:
        fewer = kind != "segment"
        raise SettingError(f"The test set has {counted(n_units, kind)}. A sweep of sizes needs at least "
                           f"{_SMALLEST_SET}; choose {'the unit segment, ' * fewer}other sizes or a larger test set.",
                           *[{"unit": "segment"}] * fewer, {"sizes": "N,..."})
    low = max(_LEAST if n_units < 40 else 10, n_units / 100)
    steps = [float(f"{size:.2g}") for size in np.geomspace(low, n_units, 10)[:-1]]
    return sorted({*(math.floor(size) for size in steps if size < n_units), n_units})


def parse_sizes(text: str) -> list[float]:
    """Sizes as `sweep_sizes` takes them: whole numbers of units, and shares of the set with a percent sign.

    Examples
    --------
    >>> parse_sizes("20, 50, 12.5%, 100%")
    [20, 50, 0.125, 1.0]
    """
    def one(part: str) -> float:
        return float(part[:-1]) / 100 if part.endswith("%") else int(part)

    try:
        return [one(part.strip()) for part in text.split(",")]
    except ValueError:
        raise SettingError(f"{text!r} is no list of sizes. Expected numbers of units or shares of the set, such as "
                           "10,20,50 or 10%,50%,100%.") from None


def in_units(sizes: Sequence[float], n_units: int) -> list[int]:
    """Sizes in units, ascending, each once; fractions are shares of the set.

    Raises
    ------
    SettingError
        Without any, and for sizes out of range.

    Examples
    --------
    >>> in_units([50, 0.1, 1.0, 100], 100)
    [10, 50, 100]
    """
    for share in filter(_is_share, sizes):
        if (few := round(_share(share) * n_units)) < _LEAST:
            raise SettingError(f"{share:.0%} of {n_units} units are {few}. Expected at least {_LEAST}: take larger "
                               "shares, or smaller units, such as segments.")
    found = sorted({round(_share(size) * n_units) if _is_share(size) else size for size in sizes})
    if not found:
        raise SettingError("sizes is empty. Expected at least one, such as 50.")
    return [check_whole("size", size, _LEAST, _LARGEST) for size in found]


def _is_share(size: float) -> bool:
    return isinstance(size, Real) and not isinstance(size, Integral)


def _share(size: float) -> float:
    if not 0 < size <= 1:
        raise SettingError(f"size is {size}. Expected a whole number of units, or a share of the set above 0 and at "
                           "most 1 (100%).")
    return size
