"""What experiments draw their test sets from: systems on common segments, pairs, equal systems; and sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from mtsig_core.errors import SettingError, format_count
from mtsig_core.metrics import Metric
from mtsig_core.stats import engine
from mtsig_core.stats.engine import Measured, has_gaps, measure, pair_statistics
from mtsig_core.stats.parallel import Progress, report_stage
from mtsig_core.stats.resampling import Units, group_positions
from mtsig_core.stats.settings import check_whole
from mtsig_core.stats.significance import approximate_randomization
from mtsig_core.testset import TestSet

_FEWEST = 10  # segments that test sets are drawn from
_SWAPS = 999  # behind each p of a whole test set


@dataclass(frozen=True, eq=False)
class Population:
    """The segments that all of some systems have, best system first."""

    metric: Metric
    systems: tuple[str, ...]
    statistics: np.ndarray  # (systems, segments, stats)
    scores: np.ndarray  # (systems,), in points, on all segments
    documents: np.ndarray | None  # (segments,), numbered from 0 without a gap

    @property
    def n_segments(self) -> int:
        return int(self.statistics.shape[1])

    @property
    def n_documents(self) -> int:
        return 0 if self.documents is None else int(self.documents.max()) + 1


def population(testset: TestSet, metric: str | Metric, *, statistics: np.ndarray | None = None,
               progress: Progress | None = None) -> Population:
    """The population of all systems; `statistics` are ``metric.statistics(testset)``, where known already."""
    return _population(measure(testset, metric, statistics=statistics, progress=report_stage(progress, "counting")))


def _population(seen: Measured) -> Population:
    _check_enough(len(seen.names))
    if seen.has_gaps:
        shared = np.flatnonzero((seen.statistics[..., -1] > 0).all(axis=0))
        if not len(shared):
            raise SettingError(f"No segment has a score by {seen.metric.name} for all of {', '.join(seen.names)}. "
                               "Choose systems that were rated on the same segments.")
        seen = Measured(seen.testset.take(shared.tolist()), seen.metric, seen.statistics[:, shared])
    seen = seen.best_first()
    documents = None if seen.testset.documents is None else seen.testset.document_index
    return Population(seen.metric, tuple(seen.names), seen.statistics, seen.scores, documents)


def pair_population(testset: TestSet, metric: str | Metric, a: str | None, b: str | None, *,
                    statistics: np.ndarray | None = None,
                    progress: Progress | None = None) -> tuple[Population, list[int]]:
    """The population of two systems, by default the best two that differ somewhere, and the rows of a and b in it."""
    seen = measure(testset, metric, statistics=statistics, progress=report_stage(progress, "counting"))
    _check_enough(len(seen.names))
    if a is not None and a == b:
        raise SettingError(f"A and B are both {a}. Choose another system for one of them.")
    free = [name for name in seen.best_first().names if name not in (a, b)]
    named = a if a is not None else b
    first = free.pop(0) if named is None else named
    rows = dict(zip(seen.names, seen.statistics, strict=True))
    others = [name for name in free if first in rows and not np.array_equal(rows[name], rows[first])] or free
    two = (first, b or others[0]) if a is not None or named is None else (others[0], first)
    both = _population(seen.only(two))
    return both, [both.systems.index(name) for name in two]


def _check_enough(n: int) -> None:
    if n < 2:
        raise SettingError(f"{n} system{'s' * (n != 1)} to compare. Expected at least 2 different ones: add outputs, "
                           "or leave fewer out.")


def count_segments(whole: Population, n_segments: int | None, usual: int, things: str = "test sets") -> int:
    """How many segments each test set has: as asked, or the usual number, or all where there are fewer."""
    if whole.n_segments < _FEWEST:
        raise SettingError(f"Too few segments to draw {things} from: {whole.n_segments}. Expected at least {_FEWEST}.")
    return min(usual, whole.n_segments) if n_segments is None else check_whole("segments", n_segments, 2, 1_000_000)


def mix_systems(whole: Population, systems: int, better: int, share: float, n: int,
                rng: np.random.Generator) -> np.ndarray:
    """Statistics of systems that are equal except the first `better` ones, shape (systems, n, stats).

    Each system has on each segment, drawn with replacement, the output of a random real system; the better ones have on
    a share of the segments that of the best.
    """
    speaker = rng.integers(0, len(whole.systems), (systems, n))
    if better:
        speaker[:better][rng.random((better, n)) < share] = 0  # the best of the real ones
    return whole.statistics[speaker, rng.integers(0, whole.n_segments, n)]


@dataclass(frozen=True, eq=False)
class PairDraws:
    """Two systems, of which test sets of so many segments, or whole documents, are drawn with replacement."""

    whole: Population
    names: tuple[str, str]
    statistics: np.ndarray  # (2, segments, stats)
    scores: np.ndarray  # (2,)
    n_segments: int
    n_documents: int | None  # None without document ids
    segments_of: list[np.ndarray]  # of each document

    def draw_sets(self, rng: np.random.Generator, rng_documents: np.random.Generator, *, swapped: bool = False,
                  weights: np.ndarray | None = None) -> Iterator[tuple[str, np.ndarray, Units, int]]:
        """One test set by segment and, where there are documents, one of whole documents, drawn with weights if given.

        What was drawn, its statistics (2, segments, stats), the units to test it by, and a seed for its draws. Where
        they are `swapped` to make the two equal, a coin decides for each segment which output is whose, and documents
        are drawn only with weights.
        """
        n = self.n_segments
        both = self.statistics[:, rng.integers(0, self.whole.n_segments, n)]
        if swapped:
            both = np.where((rng.random(n) < 0.5)[:, None], both[::-1], both)
        yield "segment", both, Units.segments(n), int(rng.integers(1 << 62))
        if self.n_documents is None or swapped and weights is None:
            return
        chosen = rng_documents.integers(0, self.whole.n_documents, self.n_documents) if weights is None else \
            rng_documents.choice(self.whole.n_documents, self.n_documents, p=weights)
        drawn, key = [self.segments_of[d] for d in chosen], int(rng_documents.integers(1 << 62))
        index = np.repeat(np.arange(len(drawn)), list(map(len, drawn)))
        for units in (Units("document", index, len(drawn)), Units.segments(len(index))):
            yield "document", self.statistics[:, np.concatenate(drawn)], units, key


def draw_pair(testset: TestSet, metric: str | Metric, a: str | None, b: str | None, n_segments: int | None,
              n_documents: int | None, usual: tuple[int, int], things: str, *, statistics: np.ndarray | None = None,
              progress: Progress | None = None) -> PairDraws:
    """What test sets of two systems are drawn from, by default of the `usual` numbers of segments and documents."""
    whole, rows = pair_population(testset, metric, a, b, statistics=statistics, progress=progress)
    n, drawn = count_segments(whole, n_segments, usual[0], things), None
    if whole.n_documents > 1:
        drawn = min(usual[1], whole.n_documents) if n_documents is None else check_whole(
            "documents", n_documents, 2, 100_000)
    elif n_documents is not None:
        raise SettingError("The test set has no document ids to draw documents by. Give them, or leave this out.")
    first, second = (whole.systems[row] for row in rows)
    return PairDraws(whole, (first, second), whole.statistics[rows], whole.scores[rows], n, drawn,
                     [] if whole.documents is None else group_positions(whole.documents))


def describe_swaps(n_units: int) -> str:
    """The permutations behind each p of so many units, in words: 999, or all there are.

    >>> describe_swaps(1000), describe_swaps(6)
    ('999 permutations', 'all 64 permutations')
    """
    every = Units.segments(n_units).all_swaps
    return f"{_SWAPS} permutations" if every is None else f"all {every + 1:,} permutations"


def pair_sides(metric: Metric, statistics: np.ndarray, pairs: np.ndarray,
               documents: np.ndarray | None = None) -> tuple[engine.UnitStatistics, np.ndarray]:
    """The systems of pairs, where some lack scores each on the segments of both, and the rows of each pair in these."""
    if len(pairs) and has_gaps(metric, statistics):
        statistics, pairs = pair_statistics(statistics, pairs)
    units = Units.segments(statistics.shape[1]) if documents is None else Units(
        "document", documents, int(documents.max()) + 1)
    return engine.UnitStatistics(metric, statistics, units), pairs


def whole_p(metric: Metric, statistics: np.ndarray, pairs: np.ndarray, documents: np.ndarray | None,
            seed: int) -> np.ndarray:
    """Uncorrected p of each pair, shape (pairs,), on the whole test set by approximate randomization, by document where
    these are known; NaN without a common segment. Above alpha, samples that conclude the opposite need not be wrong."""
    if not len(pairs):
        return np.empty(0)
    data, rows = pair_sides(metric, statistics, pairs, documents)
    deltas = data.scores[rows[:, 0]] - data.scores[rows[:, 1]]
    p = approximate_randomization(deltas, engine.swap_differences(data, rows, _SWAPS, seed))
    p[np.isnan(deltas)] = np.nan
    return p


# Sizes of test sets: by default, as people write them, in units.

_LEAST, _LARGEST = 5, 1_000_000  # units of a subset
_SMALLEST_SET = 2 * _LEAST


def default_sizes(n_units: int, kind: str = "unit") -> list[int]:
    """Up to ten sizes, evenly spaced on a log scale from a hundredth of the set (10 at least) to all of it.

    >>> default_sizes(2018)
    [20, 34, 56, 94, 160, 260, 430, 730, 1200, 2018]
    """
    if n_units < _SMALLEST_SET:
        fewer = kind != "segment"
        raise SettingError(f"The test set has {format_count(n_units, kind)}. A sweep of sizes needs at least "
                           f"{_SMALLEST_SET}; choose {'the unit segment, ' * fewer}other sizes or a larger test set.",
                           *[{"unit": "segment"}] * fewer, {"sizes": "N,..."})
    low = max(_LEAST if n_units < 40 else 10, n_units / 100)
    steps = [float(f"{size:.2g}") for size in np.geomspace(low, n_units, 10)[:-1]]
    return sorted({*(math.floor(size) for size in steps if size < n_units), n_units})


def parse_sizes(text: str) -> list[float]:
    """Sizes as `sweep_sizes` takes them: whole numbers of units, and shares of the set with a percent sign.

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

    >>> in_units([50, 0.1, 1.0, 100], 100)
    [10, 50, 100]
    """
    counts = set()
    for size in sizes:
        if isinstance(size, Real) and not isinstance(size, Integral):
            if not 0 < size <= 1:
                raise SettingError(f"size is {size}. Expected a whole number of units, or a share of the set above 0 "
                                   "and at most 1 (100%).")
            share, size = size, round(size * n_units)
            if size < _LEAST:
                raise SettingError(f"{share:.0%} of {n_units} units are {size}. Expected at least {_LEAST}: take "
                                   "larger shares, or smaller units, such as segments.")
        counts.add(size)
    if not counts:
        raise SettingError("sizes is empty. Expected at least one, such as 50.")
    return [check_whole("size", size, _LEAST, _LARGEST) for size in sorted(counts)]
