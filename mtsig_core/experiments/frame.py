"""What experiments share: rows, shares with their Monte Carlo error, the loop over repeats, sources."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, fields, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np

from mtsig_core.errors import Remedy, SettingError, format_count
from mtsig_core.metrics import Metric, MetricLike
from mtsig_core.progress import Progress
from mtsig_core.schema import Records
from mtsig_core.stats.contrast import Contrast
from mtsig_core.stats.engine import Measured, measure
from mtsig_core.stats.intervals import Bounds
from mtsig_core.stats.parallel import run_in_order
from mtsig_core.stats.resampling import Units, group_positions
from mtsig_core.stats.settings import check_whole
from mtsig_core.stats.significance import approximate_randomization
from mtsig_core.testset import TestSet

_AT_ONCE = 8  # repeats that a thread takes at a time
_FIRST = 24  # repeats before the first look at the results; then twice as many each time
_Z = 1.959963984540054  # normal quantile of 95% intervals
_Repeat = TypeVar("_Repeat")
_Result = TypeVar("_Result")
_Row = TypeVar("_Row")


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
    """A mean over repeats with its 95% Monte Carlo interval by normal theory."""

    share: float
    low: float
    high: float
    n: int


def rate(count: int, n: int) -> Rate:
    """Return a share with Wilson's 95% interval, which is sound also near 0 and 1.

    >>> result = rate(10, 20)
    >>> result.share, round(result.low, 3), round(result.high, 3)
    (0.5, 0.299, 0.701)
    """
    if n == 0:
        return Rate(0, 0, None, None, None)
    share = count / n
    return Rate(int(count), n, share, *wilson(share, n))


def rate_of(yes: np.ndarray) -> Rate:
    """Return the share of repeats that are true, shape (repeats,)."""
    return rate(int(np.count_nonzero(yes)), len(yes))


def clustered_rate(yes: np.ndarray, cluster: np.ndarray) -> Rate:
    """Return a share of repeats that are alike within clusters, as comparisons on one sample are.

    Wilson's interval for as many independent repeats as have the variance over clusters (Korn and
    Graubard 1998), with the quantile of Student's t. Where all repeats agree, each cluster counts
    once. Both arrays have shape (repeats,).
    """
    from scipy.special import stdtrit

    n = len(yes)
    count = int(np.count_nonzero(yes))
    if n == 0:
        return rate(0, 0)
    share = count / n
    _, index = np.unique(cluster, return_inverse=True)
    deviations = np.bincount(index, weights=yes - share)
    n_clusters = len(deviations)
    if n_clusters == 1:
        return Rate(count, n, share, *wilson(share, 1))
    variance = float(deviations @ deviations) * n_clusters / (n_clusters - 1) / n**2
    if count in (0, n):
        n_effective: float = n_clusters
    elif variance == 0:
        n_effective = n
    else:
        n_effective = min(n, share * (1 - share) / variance)
    quantile = float(stdtrit(n_clusters - 1, 0.975))
    return Rate(count, n, share, *wilson(share, n_effective, quantile))


def wilson(share: float, n: float, z: float = _Z) -> Bounds:
    """Return Wilson's interval of a share of n; bounds of 0 and 1 are exact."""
    scale = 1 + z * z / n
    middle = share + z * z / (2 * n)
    variance = share * (1 - share) / n
    half_width = z * math.sqrt(variance + z * z / (4 * n * n))
    low = (middle - half_width) / scale if share > 0 else 0.0
    high = (middle + half_width) / scale if share < 1 else 1.0
    return low, high


def mean_share(values: np.ndarray) -> Mean:
    """Return the mean of shares over repeats, shape (repeats,)."""
    n = len(values)
    mean = float(values.mean())
    half_width = _Z * float(values.std(ddof=1)) / math.sqrt(n)
    if half_width == 0 and mean in (0, 1):  # all alike: as sure as a share of so many can be
        return Mean(mean, *wilson(mean, n), n)
    return Mean(mean, max(0.0, mean - half_width), min(1.0, mean + half_width), n)


# The fields of a row are the columns of its experiment. Files have all of them, tables those with a
# title: a new column is one line, a field with ``column(...)``.


def column(title: str, kind: str = "text", form: str = "") -> Any:
    """Declare a field that tables show.

    Title, kind and form are as in `Column`; `*` is the form of all scores.
    """
    return field(metadata={"column": (title, kind, form)})


@dataclass_transform(frozen_default=True, field_specifiers=(column,))
def table_row(cls: type[_Row]) -> type[_Row]:
    """Make a class a frozen dataclass, of which tables show the fields that are a `column`."""
    return dataclass(frozen=True)(cls)


class Derived(property):
    """A value that follows from the fields of a row, as a column of tables.

    With `in_files` files have it, too.
    """

    column: tuple[str, str, str]
    in_files: bool


def derived(
    title: str, kind: str = "text", form: str = "", *, in_files: bool = False
) -> Callable[[Any], Any]:
    """Decorate a property that tables show after the fields."""

    def describe(get: Callable[[Any], Any]) -> Derived:
        value = Derived(get)
        value.column = (title, kind, form)
        value.in_files = in_files
        return value

    return describe


def pair_ends(low: float | None, high: float | None) -> Bounds | None:
    """Return both bounds of an interval; None without an interval."""
    if low is None or high is None:
        return None
    return low, high


def shown_columns(row: type) -> dict[str, tuple[str, str, str]]:
    """Return title, kind and form of the columns that tables show of a class of rows, by field."""
    columns = {}
    for item in fields(row):
        if "column" in item.metadata:
            columns[item.name] = item.metadata["column"]
    for name, value in vars(row).items():
        if isinstance(value, Derived):
            columns[name] = value.column
    return columns


def _derived_values(row: Any) -> dict[str, Any]:
    """Return the values that files have after the fields of a row."""
    return {
        name: getattr(row, name)
        for name, value in vars(type(row)).items()
        if isinstance(value, Derived) and value.in_files
    }


def record_rows(rows: Iterable[Any]) -> Records:
    """The rows for JSON."""
    return [asdict(row) | _derived_values(row) for row in rows]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """The result of an experiment: rows in one or more `tables`, and its settings and facts."""

    tables: ClassVar[Mapping[str, type]] = {}  # fields that hold rows, and the class of these

    metric: str

    def row(self, *key: Any) -> Any:
        """Return the row that begins with these values; None without it."""
        for row in getattr(self, "rows", ()):
            names = [item.name for item in fields(row)]
            if key == tuple(getattr(row, name) for name in names[: len(key)]):
                return row
        return None

    def facts(self) -> dict[str, Any]:
        """Return settings and facts by name: all but the rows, and arrays for figures."""
        return {
            item.name: getattr(self, item.name)
            for item in fields(self)
            if item.repr and item.name != "metric" and item.name not in self.tables
        }

    def records(self, table: str = "rows") -> Records:
        """Return the rows of a table as flat mappings, for files."""
        return flatten_rows(getattr(self, table))

    def columns(self, table: str = "rows") -> list[str]:
        """Return the fields of a table's rows, also without any row."""
        return [item.name for item in fields(self.tables[table])]


@dataclass(frozen=True, kw_only=True)
class Simulation(Experiment):
    """An experiment on test sets that are drawn, with a level for its conclusions."""

    alpha: float
    seed: int


class DrawArrays:
    """Arrays of draws in their order, of which one can take the first, or join several."""

    arrays: ClassVar[tuple[str, ...]] = ()  # the fields with a value for each draw

    def first(self, n: int) -> Self:
        """Return the first n draws."""
        return self._replace({name: getattr(self, name)[:n] for name in self.arrays})

    @classmethod
    def joined(cls, blocks: Sequence[Self]) -> Self:
        """Join blocks of draws, one after the other."""
        arrays = {}
        for name in cls.arrays:
            arrays[name] = np.concatenate([getattr(block, name) for block in blocks])
        return blocks[0]._replace(arrays)

    def _replace(self, arrays: Mapping[str, np.ndarray]) -> Self:
        changed: Self = replace(self, **arrays)  # type: ignore[type-var]
        return changed


def flatten_rows(rows: Iterable[Any]) -> Records:
    """Flatten rows for CSV: a rate becomes its share by its name, then count, n, low and high.

    >>> from mtsig_core.experiments.sampling import Level
    >>> list(flatten_rows([Level(95, 98, rate(9, 10))])[0])
    ['low', 'high', 'right', 'right_count', 'right_n', 'right_low', 'right_high']
    """
    return [_flatten(row) for row in rows]


def _flatten(row: Any) -> dict[str, Any]:
    columns = shown_columns(type(row))
    values = {item.name: getattr(row, item.name) for item in fields(row)}
    values |= _derived_values(row)
    flat: dict[str, Any] = {}
    for name, value in values.items():
        _, kind, _ = columns.get(name, ("", "", ""))
        if kind == "relative":
            flat[f"{name}_low"], flat[f"{name}_high"] = value or (None, None)
        elif isinstance(value, dict):
            for key, item in value.items():
                flat |= _flatten_value(key, item)
        else:
            flat |= _flatten_value(name, value)
    return flat


def _flatten_value(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Rate | Mean):
        return {name: value}
    flat = {name: value.share}
    for key in ("count", "n", "low", "high"):
        if hasattr(value, key):
            flat[f"{name}_{key}"] = getattr(value, key)
    return flat


def check_seed(seed: int) -> int:
    """Return the seed, or raise a `SettingError`."""
    return check_whole("seed", seed, 0, (1 << 64) - 1)


def make_rng(seed: int, stream: int, k: int) -> np.random.Generator:
    """Make the generator of repeat k of an experiment, whose kind of draws is number `stream`."""
    return np.random.default_rng([seed, stream, k])


def run_repeats(
    repeat: Callable[[int], _Repeat],
    gather: Callable[[list[_Repeat]], _Result],
    n: int,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
    watch: Callable[[int, int, _Result], object] | None = None,
) -> _Result:
    """Gather the results of repeat(k) for k = 0 .. n - 1, in order, for any number of threads.

    `watch` is called now and then before the last repeat, with the number of repeats so far, n, and
    the result of these.
    """

    def run_block(block: int) -> list[_Repeat]:
        start = block * _AT_ONCE
        return [repeat(k) for k in range(start, min(start + _AT_ONCE, n))]

    results: list[_Repeat] = []
    next_look = _FIRST
    blocks = run_in_order(run_block, math.ceil(n / _AT_ONCE), jobs)
    with closing(blocks):  # at once, also when it is cancelled
        for block in blocks:
            results += block
            if progress is not None:
                progress("repeats", len(results) / n)
            if watch is not None and next_look <= len(results) < n:
                watch(len(results), n, gather(results))
                next_look = 2 * len(results)
    return gather(results)


# The sources of test sets: systems on common segments, pairs, equal systems; and sizes.


_FEWEST = 10  # segments that test sets are drawn from
_SWAPS = 999  # for each p of a whole test set


@dataclass(frozen=True, eq=False)
class Population:
    """The segments that all of some systems have."""

    metric: Metric
    systems: tuple[str, ...]
    statistics: np.ndarray  # (systems, segments, stats)
    scores: np.ndarray  # (systems,), in points, on all segments
    documents: np.ndarray | None  # (segments,), numbered from 0 without a gap

    @classmethod
    def from_measured(cls, measured: Measured) -> Population:
        """Take the systems in the order of `measured`."""
        documents = None
        if measured.testset.documents is not None:
            documents = measured.testset.document_index
        return cls(
            measured.metric,
            tuple(measured.names),
            measured.statistics,
            measured.scores,
            documents,
        )

    @property
    def n_segments(self) -> int:
        """The number of segments."""
        return int(self.statistics.shape[1])

    @property
    def n_documents(self) -> int:
        """The number of documents, 0 without ids."""
        return 0 if self.documents is None else int(self.documents.max()) + 1

    @property
    def units(self) -> Units:
        """The documents, or the segments without ids."""
        if self.documents is None:
            return Units.segments(self.n_segments)
        return Units("document", self.documents, self.n_documents)


def population(
    testset: TestSet,
    metric: MetricLike,
    *,
    progress: Progress | None = None,
) -> Population:
    """Return the population of all systems, best first."""
    measured = measure(testset, metric, progress=progress)
    _check_enough(len(measured.names))
    return Population.from_measured(_take_common(measured).best_first())


def _take_common(measured: Measured) -> Measured:
    """Take the segments for which all systems have a score."""
    if not measured.has_gaps:
        return measured
    common = np.flatnonzero((measured.statistics[..., -1] > 0).all(axis=0))
    if not len(common):
        raise SettingError(
            f"No segment has a score by {measured.metric.name} for all of {', '.join(measured.names)}. "
            "Choose systems that were rated on the same segments."
        )
    testset = measured.testset.take(common.tolist())
    return Measured(testset, measured.metric, measured.statistics[:, common])


def pair_population(
    testset: TestSet,
    metric: MetricLike,
    a: str | None,
    b: str | None,
    *,
    progress: Progress | None = None,
) -> Population:
    """Return the population of a and b, in this order; by default the best two that differ."""
    measured = measure(testset, metric, progress=progress)
    _check_enough(len(measured.names))
    if a is not None and a == b:
        raise SettingError(f"A and B are both {a}. Choose another system for one of them.")
    names = _choose_two(measured, a, b)
    return Population.from_measured(_take_common(measured.only(names)))


def _choose_two(measured: Measured, a: str | None, b: str | None) -> tuple[str, str]:
    if a is not None and b is not None:
        return a, b
    candidates = [name for name in measured.best_first().names if name not in (a, b)]
    if a is not None:
        fixed = a
    elif b is not None:
        fixed = b
    else:
        fixed = candidates.pop(0)
    rows = dict(zip(measured.names, measured.statistics, strict=True))
    partner = candidates[0]
    if fixed in rows:
        for name in candidates:
            if not np.array_equal(rows[name], rows[fixed]):
                partner = name
                break
    if fixed == b:
        return partner, fixed
    return fixed, partner


def _check_enough(n: int) -> None:
    if n < 2:
        raise SettingError(
            f"{format_count(n, 'system')} to compare. Expected at least 2 different ones: add outputs, "
            "or exclude fewer."
        )


def count_segments(source: Population, n_segments: int | None, default: int) -> int:
    """Check or choose the number of segments of each test set, at most all by default."""
    if source.n_segments < _FEWEST:
        raise SettingError(
            f"Too few segments to draw test sets from: {source.n_segments}. Expected at least {_FEWEST}."
        )
    if n_segments is None:
        return min(default, source.n_segments)
    return check_whole("segments", n_segments, 2, 1_000_000)


def mix_systems(
    source: Population, systems: int, better: int, share: float, n: int, rng: np.random.Generator
) -> np.ndarray:
    """Mix systems that are equal, except the first `better` systems.

    The result has the statistics, shape (systems, n, stats). Segments are drawn with replacement. On
    each, a system has the output of a random real system. On a share of the segments, a better
    system has the output of the best real system, which is the first.
    """
    output_of = rng.integers(0, len(source.systems), (systems, n))
    if better:
        is_best = rng.random((better, n)) < share
        output_of[:better][is_best] = 0
    segments = rng.integers(0, source.n_segments, n)
    mixed: np.ndarray = source.statistics[output_of, segments]
    return mixed


@dataclass(frozen=True, eq=False)
class PairSet:
    """One test set of two systems."""

    drawn_by: str  # segment or document
    statistics: np.ndarray  # (2, segments, stats)
    units: Units  # to test it by
    seed: int  # of its draws


@dataclass(frozen=True, eq=False)
class PairDraws:
    """Two systems whose test sets are drawn with replacement, by segment or by whole document."""

    source: Population  # of the two
    n_segments: int  # of each test set
    n_documents: int | None  # None without document ids
    segments_of: list[np.ndarray]  # of each document

    @classmethod
    def from_population(
        cls,
        source: Population,
        n_segments: int | None,
        n_documents: int | None,
        default_segments: int,
        default_documents: int,
    ) -> PairDraws:
        """Check or choose the sizes of the test sets."""
        n_segments = count_segments(source, n_segments, default_segments)
        if source.n_documents > 1:
            if n_documents is None:
                n_documents = min(default_documents, source.n_documents)
            check_whole("documents", n_documents, 2, 100_000)
        elif n_documents is not None:
            raise SettingError(
                "The test set has no document ids to draw documents by. Give them, or remove this option."
            )
        segments_of = []
        if source.documents is not None:
            segments_of = group_positions(source.documents)
        return cls(source, n_segments, n_documents, segments_of)

    def draw_segments(self, rng: np.random.Generator, *, swapped: bool = False) -> PairSet:
        """Draw a test set by segment.

        Where it is `swapped` to make the two equal, a coin decides for each segment which output
        belongs to which system.
        """
        n = self.n_segments
        both = self.source.statistics[:, rng.integers(0, self.source.n_segments, n)]
        if swapped:
            coins = rng.random(n) < 0.5
            both = np.where(coins[:, None], both[::-1], both)
        return PairSet("segment", both, Units.segments(n), int(rng.integers(1 << 62)))

    def draw_documents(
        self, rng: np.random.Generator, weights: np.ndarray | None = None
    ) -> list[PairSet]:
        """Draw a test set of whole documents, to be tested by document and by segment.

        Weights have shape (documents,); without they are equal. Without document ids there is no
        such test set.
        """
        if self.n_documents is None:
            return []
        n = self.source.n_documents
        if weights is None:
            documents = rng.integers(0, n, self.n_documents)
        else:
            documents = rng.choice(n, self.n_documents, p=weights)
        segments = [self.segments_of[document] for document in documents]
        seed = int(rng.integers(1 << 62))
        statistics = self.source.statistics[:, np.concatenate(segments)]
        index = np.repeat(np.arange(len(segments)), [len(rows) for rows in segments])
        by_document = Units("document", index, len(segments))
        return [
            PairSet("document", statistics, units, seed)
            for units in (by_document, Units.segments(len(index)))
        ]


def describe_swaps(n_units: int) -> str:
    """Describe the permutations for each p of so many units: 999, or all that exist.

    >>> describe_swaps(1000), describe_swaps(6)
    ('999 permutations', 'all 64 permutations')
    """
    n_swaps = Units.segments(n_units).all_swaps
    if n_swaps is None:
        return f"{_SWAPS} permutations"
    return f"all {n_swaps + 1:,} permutations"


def whole_p(contrast: Contrast, seed: int) -> np.ndarray:
    """Test each pair of a whole test set by approximate randomization, uncorrected, shape (pairs,).

    NaN without a common segment. Where p is above alpha, samples that conclude the opposite need
    not be wrong.
    """
    p = approximate_randomization(contrast.deltas, contrast.swap(_SWAPS, seed))
    return contrast.fill(p)


# Sizes of test sets: the default, parsed, in units.

_LEAST = 5  # units of a subset
_LARGEST = 1_000_000
_SMALLEST_SET = 2 * _LEAST


def default_sizes(n_units: int, kind: str = "unit") -> list[int]:
    """Choose up to ten sizes, evenly spaced on a log scale.

    They reach from a hundredth of the set (10 at least) to all of it.

    >>> default_sizes(2018)
    [20, 34, 56, 94, 160, 260, 430, 730, 1200, 2018]
    """
    if n_units < _SMALLEST_SET:
        advice = "choose "
        remedies: list[Remedy] = [{"sizes": "N,..."}]
        if kind != "segment":
            advice = "choose the unit segment, "
            remedies.insert(0, {"unit": "segment"})
        raise SettingError(
            f"The test set has {format_count(n_units, kind)}. A sweep of sizes needs at least "
            f"{_SMALLEST_SET}; {advice}other sizes or a larger test set.",
            *remedies,
        )
    least = _LEAST if n_units < 40 else 10
    low = max(least, n_units / 100)
    steps = [float(f"{size:.2g}") for size in np.geomspace(low, n_units, 10)[:-1]]
    sizes = {math.floor(size) for size in steps if size < n_units}
    return sorted(sizes | {n_units})


def parse_sizes(text: str) -> list[float]:
    """Parse sizes as `sweep_sizes` takes them: numbers of units, and percentages of the set.

    >>> parse_sizes("20, 50, 12.5%, 100%")
    [20, 50, 0.125, 1.0]
    """
    sizes: list[float] = []
    try:
        for word in text.split(","):
            size = word.strip()
            sizes.append(float(size[:-1]) / 100 if size.endswith("%") else int(size))
    except ValueError:
        raise SettingError(
            f"{text!r} is not a list of sizes. Expected numbers of units or shares of the set, such as "
            "10,20,50 or 10%,50%,100%."
        ) from None
    return sizes


def in_units(sizes: Sequence[float], n_units: int) -> list[int]:
    """Convert sizes to units, ascending, each once; fractions are shares of the set.

    >>> in_units([50, 0.1, 1.0, 100], 100)
    [10, 50, 100]
    """
    counts = {_count_in_units(size, n_units) for size in sizes}
    if not counts:
        raise SettingError("sizes is empty. Expected at least one, such as 50.")
    return [check_whole("size", size, _LEAST, _LARGEST) for size in sorted(counts)]


def _count_in_units(size: float, n_units: int) -> Any:
    if not isinstance(size, Real) or isinstance(size, Integral):
        return size
    if not 0 < size <= 1:
        raise SettingError(
            f"size is {size}. Expected a whole number of units, or a share of the set above 0 "
            "and at most 1 (100%)."
        )
    count = round(size * n_units)
    if count < _LEAST:
        raise SettingError(
            f"Too few units in {size:.0%} of {n_units}: {count}. Expected at least {_LEAST}: take "
            "larger shares, or smaller units, such as segments."
        )
    return count
