"""What experiments share: rows, shares with their Monte Carlo error, the loop over repeats, and
what is drawn from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from mtsig_core.errors import SettingError, format_count
from mtsig_core.metrics import Metric
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import pair_differences
from mtsig_core.stats.engine import Measured, has_gaps, measure, pair_statistics
from mtsig_core.stats.parallel import Progress, report_stage, run_in_order
from mtsig_core.stats.resampling import Units, group_positions
from mtsig_core.stats.settings import check_whole
from mtsig_core.stats.significance import approximate_randomization
from mtsig_core.testset import TestSet

_AT_ONCE = 8  # repeats that a thread takes at a time
_FIRST = 24  # repeats after which a first result is passed on, then after twice as many each time
_Z = 1.959963984540054  # normal quantile of 95% intervals
_Part = TypeVar("_Part")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Rate:
    """A share of repeats with its 95% Monte Carlo interval (Wilson 1927); None without repeats."""

    count: int
    n: int
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Mean:
    """A mean over repeats with its 95% Monte Carlo interval by normal theory; `share` as in
    `Rate`.
    """

    share: float
    low: float
    high: float
    n: int


def rate(count: int, n: int) -> Rate:
    """A share with Wilson's 95% interval, which is sound also near 0 and 1.

    >>> result = rate(10, 20)
    >>> result.share, round(result.low, 3), round(result.high, 3)
    (0.5, 0.299, 0.701)
    """
    return (
        Rate(int(count), n, count / n, *wilson(count / n, n)) if n else Rate(0, 0, None, None, None)
    )


def clustered_rate(yes: np.ndarray, cluster: np.ndarray) -> Rate:
    """A share of repeats that are alike within clusters, as comparisons on one sample are; both of
    shape (repeats,).

    Wilson's interval for as many independent repeats as have the variance over clusters (Korn and
    Graubard 1998), with the quantile of Student's t. Where all repeats agree, each cluster counts
    once.
    """
    from scipy.special import stdtrit

    n, count = len(yes), int(np.count_nonzero(yes))
    if n == 0:
        return rate(0, 0)
    share, (_, inverse) = count / n, np.unique(cluster, return_inverse=True)
    deviations = np.bincount(inverse, weights=yes - share)
    clusters = len(deviations)
    if clusters == 1:
        return Rate(count, n, share, *wilson(share, 1))
    variance = float(deviations @ deviations) * clusters / (clusters - 1) / n**2
    worth = (
        clusters
        if count in (0, n)
        else n
        if variance == 0
        else min(n, share * (1 - share) / variance)
    )
    return Rate(count, n, share, *wilson(share, worth, float(stdtrit(clusters - 1, 0.975))))


def wilson(share: float, n: float, z: float = _Z) -> tuple[float, float]:
    """Wilson's interval of a share of n, its ends without a rounding error."""
    middle, scale = share + z * z / (2 * n), 1 + z * z / n
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - half) / scale if share > 0 else 0.0, (
        middle + half
    ) / scale if share < 1 else 1.0


def mean_share(values: np.ndarray) -> Mean:
    """The mean of shares over repeats, shape (repeats,)."""
    half = _Z * float(values.std(ddof=1)) / math.sqrt(len(values))
    mean = float(values.mean())
    if half == 0 and mean in (0, 1):  # all alike: as sure as a share of so many can be
        return Mean(mean, *wilson(mean, len(values)), len(values))
    return Mean(mean, max(0.0, mean - half), min(1.0, mean + half), len(values))


# The fields of a row are the columns of its experiment. Files have all of them, tables those with a
# title: a new column is one line, a field with ``metadata=column(...)``.


def column(title: str, kind: str = "text", form: str = "") -> dict[str, tuple[str, str, str]]:
    """What tables show of a field: title, kind and form are those of a `Column`; `*` is the form of
    all scores.
    """
    return {"column": (title, kind, form)}


class Derived(property):
    """A value that follows from the fields of a row, as a column of tables; with `in_files` of
    files too.
    """

    column: tuple[str, str, str]
    in_files: bool


def derived(
    title: str, kind: str = "text", form: str = "", *, in_files: bool = False
) -> Callable[[Any], Any]:
    """A property that tables show after the fields."""

    def describe(get: Callable[[Any], Any]) -> Derived:
        value = Derived(get)
        value.column, value.in_files = (title, kind, form), in_files
        return value

    return describe


def pair_ends(low: float | None, high: float | None) -> tuple[float, float] | None:
    """Both ends of an interval; None where there is none."""
    return None if low is None or high is None else (low, high)


def shown_columns(row: type) -> dict[str, tuple[str, str, str]]:
    """Title, kind and form of the columns that tables show of a class of rows, by field."""
    described = {
        one.name: one.metadata["column"] for one in fields(row) if "column" in one.metadata
    }
    return described | {
        name: value.column for name, value in vars(row).items() if isinstance(value, Derived)
    }


def _derived_values(row: Any) -> dict[str, Any]:
    """What files have beside the fields of a row."""
    return {
        name: getattr(row, name)
        for name, value in vars(type(row)).items()
        if isinstance(value, Derived) and value.in_files
    }


def record_rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """The rows for JSON."""
    return [asdict(row) | _derived_values(row) for row in rows]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What was asked and what was found: rows in one or more `tables`, all other fields are
    settings and facts.
    """

    tables: ClassVar[Mapping[str, type]] = {}  # fields that hold rows, and the class of these

    metric: str

    def row(self, *key: Any) -> Any:
        """The row that begins with these values; None without it."""
        return next(
            (
                row
                for row in getattr(self, "rows", ())
                if key == tuple(getattr(row, field.name) for field in fields(row)[: len(key)])
            ),
            None,
        )

    def facts(self) -> dict[str, Any]:
        """Settings and facts by name: all but the rows, and arrays that are kept for figures."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.repr and field.name != "metric" and field.name not in self.tables
        }

    def records(self, table: str = "rows") -> list[dict[str, Any]]:
        """The rows of a table as flat mappings, for files."""
        return flatten_rows(getattr(self, table))

    def columns(self, table: str = "rows") -> list[str]:
        """The fields of a table's rows, which are there without any row, too."""
        return [field.name for field in fields(self.tables[table])]


@dataclass(frozen=True, kw_only=True)
class Simulation(Experiment):
    """An experiment on test sets that are drawn, with a level that conclusions are held against."""

    alpha: float
    seed: int


class DrawArrays:
    """Arrays of draws in their order: the first few, or several lots one after the other, are the
    same kind of thing.
    """

    arrays: ClassVar[tuple[str, ...]] = ()  # the fields with a value for each draw

    def first(self, n: int) -> Self:
        return self._replace({name: getattr(self, name)[:n] for name in self.arrays})

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        return parts[0]._replace(
            {name: np.concatenate([getattr(part, name) for part in parts]) for name in cls.arrays}
        )

    def _replace(self, arrays: Mapping[str, np.ndarray]) -> Self:
        changed: Self = replace(self, **arrays)  # type: ignore[type-var]
        return changed


def flatten_rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """The rows for CSV, a rate in columns of its own: the share by its name, then count, n, low and
    high.

    >>> from mtsig_core.experiments.sampling import Level
    >>> list(flatten_rows([Level(95, 98, rate(9, 10))])[0])
    ['low', 'high', 'right', 'right_count', 'right_n', 'right_low', 'right_high']
    """
    return [dict(_flatten(row)) for row in rows]


def _flatten(row: Any) -> Iterator[tuple[str, Any]]:
    values = {one.name: getattr(row, one.name) for one in fields(row)} | _derived_values(row)
    for key, value in values.items():
        if shown_columns(type(row)).get(key, ("", ""))[1] == "relative":  # two ends
            yield from zip((f"{key}_low", f"{key}_high"), value or (None, None), strict=True)
            continue
        for name, part in value.items() if isinstance(value, dict) else ((key, value),):
            yield name, part.share if isinstance(part, Rate | Mean) else part
            if isinstance(part, Rate | Mean):
                yield from (
                    (f"{name}_{part_key}", getattr(part, part_key))
                    for part_key in ("count", "n", "low", "high")
                    if hasattr(part, part_key)
                )


def check_seed(seed: int) -> int:
    """A seed, or a `SettingError`."""
    return check_whole("seed", seed, 0, (1 << 64) - 1)


def make_rng(seed: int, stream: int, k: int) -> np.random.Generator:
    """The generator of repeat k of an experiment, whose kind of draws has the number `stream`."""
    return np.random.default_rng([seed, stream, k])


def run_repeats(
    repeat: Callable[[int, np.random.Generator], _Part],
    gather: Callable[[list[_Part]], _Result],
    n: int,
    seed: int,
    stream: int,
    *,
    jobs: int = 1,
    progress: engine.StageProgress | None = None,
    watch: Callable[[int, int, _Result], object] | None = None,
) -> _Result:
    """What `gather` makes of repeat(k, rng) for k = 0 .. n - 1, in order, for any number of
    threads.

    `watch` is called now and then, before the last, with how many there are so far, n, and the
    result of these.
    """
    check_seed(seed)

    def some(part: int) -> list[_Part]:
        starts = range(part * _AT_ONCE, min((part + 1) * _AT_ONCE, n))
        return [repeat(k, make_rng(seed, stream, k)) for k in starts]

    results: list[_Part] = []
    due = _FIRST
    with closing(
        run_in_order(some, -(-n // _AT_ONCE), jobs)
    ) as parts:  # at once, also when it is cancelled
        for part in parts:
            results += part
            if progress is not None:
                progress(len(results) / n)
            if watch is not None and due <= len(results) < n:
                watch(len(results), n, gather(results))
                due = 2 * len(results)
    return gather(results)


# What experiments draw their test sets from: systems on common segments, pairs, equal systems; and
# sizes.


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


def population(
    testset: TestSet,
    metric: str | Metric,
    *,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
) -> Population:
    """The population of all systems; `statistics` are ``metric.statistics(testset)``, where known
    already.
    """
    return _population(
        measure(testset, metric, statistics=statistics, progress=report_stage(progress, "counting"))
    )


def _population(seen: Measured) -> Population:
    _check_enough(len(seen.names))
    if seen.has_gaps:
        shared = np.flatnonzero((seen.statistics[..., -1] > 0).all(axis=0))
        if not len(shared):
            raise SettingError(
                f"No segment has a score by {seen.metric.name} for all of {', '.join(seen.names)}. "
                "Choose systems that were rated on the same segments."
            )
        seen = Measured(seen.testset.take(shared.tolist()), seen.metric, seen.statistics[:, shared])
    seen = seen.best_first()
    documents = None if seen.testset.documents is None else seen.testset.document_index
    return Population(seen.metric, tuple(seen.names), seen.statistics, seen.scores, documents)


def pair_population(
    testset: TestSet,
    metric: str | Metric,
    a: str | None,
    b: str | None,
    *,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
) -> tuple[Population, list[int]]:
    """The population of two systems, by default the best two that differ somewhere, and the rows of
    a and b in it.
    """
    seen = measure(
        testset, metric, statistics=statistics, progress=report_stage(progress, "counting")
    )
    _check_enough(len(seen.names))
    if a is not None and a == b:
        raise SettingError(f"A and B are both {a}. Choose another system for one of them.")
    free = [name for name in seen.best_first().names if name not in (a, b)]
    named = a if a is not None else b
    first = free.pop(0) if named is None else named
    rows = dict(zip(seen.names, seen.statistics, strict=True))
    others = [
        name for name in free if first in rows and not np.array_equal(rows[name], rows[first])
    ] or free
    two = (first, b or others[0]) if a is not None or named is None else (others[0], first)
    both = _population(seen.only(two))
    return both, [both.systems.index(name) for name in two]


def _check_enough(n: int) -> None:
    if n < 2:
        raise SettingError(
            f"{n} system{'s' * (n != 1)} to compare. Expected at least 2 different ones: add outputs, "
            "or leave fewer out."
        )


def count_segments(
    whole: Population, n_segments: int | None, usual: int, things: str = "test sets"
) -> int:
    """How many segments each test set has: as asked, or the usual number, or all where there are
    fewer.
    """
    if whole.n_segments < _FEWEST:
        raise SettingError(
            f"Too few segments to draw {things} from: {whole.n_segments}. Expected at least {_FEWEST}."
        )
    return (
        min(usual, whole.n_segments)
        if n_segments is None
        else check_whole("segments", n_segments, 2, 1_000_000)
    )


def mix_systems(
    whole: Population, systems: int, better: int, share: float, n: int, rng: np.random.Generator
) -> np.ndarray:
    """Statistics of systems that are equal except the first `better` ones, shape (systems, n,
    stats).

    Each system has on each segment, drawn with replacement, the output of a random real system; the
    better ones have on a share of the segments that of the best.
    """
    speaker = rng.integers(0, len(whole.systems), (systems, n))
    if better:
        speaker[:better][rng.random((better, n)) < share] = 0  # the best of the real ones
    mixed: np.ndarray = whole.statistics[speaker, rng.integers(0, whole.n_segments, n)]
    return mixed


@dataclass(frozen=True, eq=False)
class PairDraws:
    """Two systems, of which test sets of so many segments, or whole documents, are drawn with
    replacement.
    """

    whole: Population
    names: tuple[str, str]
    statistics: np.ndarray  # (2, segments, stats)
    scores: np.ndarray  # (2,)
    n_segments: int
    n_documents: int | None  # None without document ids
    segments_of: list[np.ndarray]  # of each document

    def draw_sets(
        self,
        rng: np.random.Generator,
        rng_documents: np.random.Generator,
        *,
        swapped: bool = False,
        weights: np.ndarray | None = None,
    ) -> Iterator[tuple[str, np.ndarray, Units, int]]:
        """One test set by segment and, where there are documents, one of whole documents, drawn
        with weights if given.

        What was drawn, its statistics (2, segments, stats), the units to test it by, and a seed for
        its draws. Where they are `swapped` to make the two equal, a coin decides for each segment
        which output is whose, and documents are drawn only with weights.
        """
        n = self.n_segments
        both = self.statistics[:, rng.integers(0, self.whole.n_segments, n)]
        if swapped:
            both = np.where((rng.random(n) < 0.5)[:, None], both[::-1], both)
        yield "segment", both, Units.segments(n), int(rng.integers(1 << 62))
        if self.n_documents is None or swapped and weights is None:
            return
        chosen = (
            rng_documents.integers(0, self.whole.n_documents, self.n_documents)
            if weights is None
            else rng_documents.choice(self.whole.n_documents, self.n_documents, p=weights)
        )
        drawn, key = [self.segments_of[d] for d in chosen], int(rng_documents.integers(1 << 62))
        index = np.repeat(np.arange(len(drawn)), list(map(len, drawn)))
        for units in (Units("document", index, len(drawn)), Units.segments(len(index))):
            yield "document", self.statistics[:, np.concatenate(drawn)], units, key


def draw_pair(
    testset: TestSet,
    metric: str | Metric,
    a: str | None,
    b: str | None,
    n_segments: int | None,
    n_documents: int | None,
    usual: tuple[int, int],
    things: str,
    *,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
) -> PairDraws:
    """What test sets of two systems are drawn from, by default of the `usual` numbers of segments
    and documents.
    """
    whole, rows = pair_population(testset, metric, a, b, statistics=statistics, progress=progress)
    n, drawn = count_segments(whole, n_segments, usual[0], things), None
    if whole.n_documents > 1:
        drawn = (
            min(usual[1], whole.n_documents)
            if n_documents is None
            else check_whole("documents", n_documents, 2, 100_000)
        )
    elif n_documents is not None:
        raise SettingError(
            "The test set has no document ids to draw documents by. Give them, or leave this out."
        )
    first, second = (whole.systems[row] for row in rows)
    return PairDraws(
        whole,
        (first, second),
        whole.statistics[rows],
        whole.scores[rows],
        n,
        drawn,
        [] if whole.documents is None else group_positions(whole.documents),
    )


def describe_swaps(n_units: int) -> str:
    """The permutations behind each p of so many units, in words: 999, or all there are.

    >>> describe_swaps(1000), describe_swaps(6)
    ('999 permutations', 'all 64 permutations')
    """
    every = Units.segments(n_units).all_swaps
    return f"{_SWAPS} permutations" if every is None else f"all {every + 1:,} permutations"


def pair_sides(
    metric: Metric, statistics: np.ndarray, pairs: np.ndarray, documents: np.ndarray | None = None
) -> tuple[engine.UnitStatistics, np.ndarray]:
    """The systems of pairs, where some lack scores each on the segments of both, and the rows of
    each pair in these.
    """
    if len(pairs) and has_gaps(metric, statistics):
        statistics, pairs = pair_statistics(statistics, pairs)
    units = (
        Units.segments(statistics.shape[1])
        if documents is None
        else Units("document", documents, int(documents.max()) + 1)
    )
    return engine.UnitStatistics(metric, statistics, units), pairs


def whole_p(
    metric: Metric,
    statistics: np.ndarray,
    pairs: np.ndarray,
    documents: np.ndarray | None,
    seed: int,
) -> np.ndarray:
    """Uncorrected p of each pair, shape (pairs,), on the whole test set by approximate
    randomization, by document where these are known; NaN without a common segment. Above alpha,
    samples that conclude the opposite need not be wrong.
    """
    if not len(pairs):
        return np.empty(0)
    data, rows = pair_sides(metric, statistics, pairs, documents)
    deltas = pair_differences(data.scores, rows)
    p = approximate_randomization(deltas, engine.swap_differences(data, rows, _SWAPS, seed))
    p[np.isnan(deltas)] = np.nan
    return p


# Sizes of test sets: by default, as people write them, in units.

_LEAST, _LARGEST = 5, 1_000_000  # units of a subset
_SMALLEST_SET = 2 * _LEAST


def default_sizes(n_units: int, kind: str = "unit") -> list[int]:
    """Up to ten sizes, evenly spaced on a log scale from a hundredth of the set (10 at least) to
    all of it.

    >>> default_sizes(2018)
    [20, 34, 56, 94, 160, 260, 430, 730, 1200, 2018]
    """
    if n_units < _SMALLEST_SET:
        fewer = kind != "segment"
        raise SettingError(
            f"The test set has {format_count(n_units, kind)}. A sweep of sizes needs at least "
            f"{_SMALLEST_SET}; choose {'the unit segment, ' * fewer}other sizes or a larger test set.",
            *[{"unit": "segment"}] * fewer,
            {"sizes": "N,..."},
        )
    low = max(_LEAST if n_units < 40 else 10, n_units / 100)
    steps = [float(f"{size:.2g}") for size in np.geomspace(low, n_units, 10)[:-1]]
    return sorted({*(math.floor(size) for size in steps if size < n_units), n_units})


def parse_sizes(text: str) -> list[float]:
    """Sizes as `sweep_sizes` takes them: whole numbers of units, and shares of the set with a
    percent sign.

    >>> parse_sizes("20, 50, 12.5%, 100%")
    [20, 50, 0.125, 1.0]
    """

    def one(part: str) -> float:
        return float(part[:-1]) / 100 if part.endswith("%") else int(part)

    try:
        return [one(part.strip()) for part in text.split(",")]
    except ValueError:
        raise SettingError(
            f"{text!r} is no list of sizes. Expected numbers of units or shares of the set, such as "
            "10,20,50 or 10%,50%,100%."
        ) from None


def in_units(sizes: Sequence[float], n_units: int) -> list[int]:
    """Sizes in units, ascending, each once; fractions are shares of the set.

    >>> in_units([50, 0.1, 1.0, 100], 100)
    [10, 50, 100]
    """
    counts = set()
    for size in sizes:
        if isinstance(size, Real) and not isinstance(size, Integral):
            if not 0 < size <= 1:
                raise SettingError(
                    f"size is {size}. Expected a whole number of units, or a share of the set above 0 "
                    "and at most 1 (100%)."
                )
            share, size = size, round(size * n_units)
            if size < _LEAST:
                raise SettingError(
                    f"{share:.0%} of {n_units} units are {size}. Expected at least {_LEAST}: take "
                    "larger shares, or smaller units, such as segments."
                )
        counts.add(size)
    if not counts:
        raise SettingError("sizes is empty. Expected at least one, such as 50.")
    return [check_whole("size", size, _LEAST, _LARGEST) for size in sorted(counts)]
