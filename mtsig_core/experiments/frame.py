"""What experiments share: rows with settings, shares with their Monte Carlo error, and the loop over repeats."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from mtsig_core.stats import engine
from mtsig_core.stats.parallel import run_in_order
from mtsig_core.stats.settings import check_whole

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
    """A mean over repeats with its 95% Monte Carlo interval by normal theory; `share` as in `Rate`."""

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
    return Rate(int(count), n, count / n, *wilson(count / n, n)) if n else Rate(0, 0, None, None, None)


def clustered_rate(yes: np.ndarray, cluster: np.ndarray) -> Rate:
    """A share of repeats that are alike within clusters, as comparisons on one sample are; both of shape (repeats,).

    Wilson's interval for as many independent repeats as have the variance over clusters (Korn and Graubard 1998), with
    the quantile of Student's t. Where all repeats agree, each cluster counts once.
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
    worth = clusters if count in (0, n) else n if variance == 0 else min(n, share * (1 - share) / variance)
    return Rate(count, n, share, *wilson(share, worth, float(stdtrit(clusters - 1, 0.975))))


def wilson(share: float, n: float, z: float = _Z) -> tuple[float, float]:
    """Wilson's interval of a share of n, its ends without a rounding error."""
    middle, scale = share + z * z / (2 * n), 1 + z * z / n
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - half) / scale if share > 0 else 0.0, (middle + half) / scale if share < 1 else 1.0


def mean_share(values: np.ndarray) -> Mean:
    """The mean of shares over repeats, shape (repeats,)."""
    half = _Z * float(values.std(ddof=1)) / math.sqrt(len(values))
    mean = float(values.mean())
    if half == 0 and mean in (0, 1):  # all alike: as sure as a share of so many can be
        return Mean(mean, *wilson(mean, len(values)), len(values))
    return Mean(mean, max(0.0, mean - half), min(1.0, mean + half), len(values))


# The fields of a row are the columns of its experiment. Files have all of them, tables those with a title: a new column
# is one line, a field with ``metadata=column(...)``.


def column(title: str, kind: str = "text", form: str = "") -> dict[str, tuple[str, str, str]]:
    """What tables show of a field: title, kind and form are those of a `Column`; `*` is the form of all scores."""
    return {"column": (title, kind, form)}


class Derived(property):
    """A value that follows from the fields of a row, as a column of tables; with `in_files` of files too."""

    column: tuple[str, str, str]
    in_files: bool


def derived(title: str, kind: str = "text", form: str = "", *, in_files: bool = False) -> Callable[[Any], Any]:
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
    described = {one.name: one.metadata["column"] for one in fields(row) if "column" in one.metadata}
    return described | {name: value.column for name, value in vars(row).items() if isinstance(value, Derived)}


def _derived_values(row: Any) -> dict[str, Any]:
    """What files have beside the fields of a row."""
    return {name: getattr(row, name) for name, value in vars(type(row)).items()
            if isinstance(value, Derived) and value.in_files}


def record_rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """The rows for JSON."""
    return [asdict(row) | _derived_values(row) for row in rows]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What was asked and what was found: rows in one or more `tables`, all other fields are settings and facts."""

    tables: ClassVar[Mapping[str, type]] = {}  # fields that hold rows, and the class of these

    metric: str

    def row(self, *key: Any) -> Any:
        """The row that begins with these values; None without it."""
        return next((row for row in getattr(self, "rows", ()) if key == tuple(
            getattr(row, field.name) for field in fields(row)[:len(key)])), None)

    def facts(self) -> dict[str, Any]:
        """Settings and facts by name: all but the rows, and arrays that are kept for figures."""
        return {field.name: getattr(self, field.name) for field in fields(self)
                if field.repr and field.name != "metric" and field.name not in self.tables}

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
    """Arrays of draws in their order: the first few, or several lots one after the other, are the same kind of thing.
    """

    arrays: ClassVar[tuple[str, ...]] = ()  # the fields with a value for each draw

    def first(self, n: int) -> Self:
        return self._replace({name: getattr(self, name)[:n] for name in self.arrays})

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        return parts[0]._replace({name: np.concatenate([getattr(part, name) for part in parts])
                                  for name in cls.arrays})

    def _replace(self, arrays: Mapping[str, np.ndarray]) -> Self:
        changed: Self = replace(self, **arrays)  # type: ignore[type-var]
        return changed


def flatten_rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """The rows for CSV, a rate in columns of its own: the share by its name, then count, n, low and high.

    >>> from mtsig_core.experiments.validation import Level
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
                yield from ((f"{name}_{part_key}", getattr(part, part_key))
                            for part_key in ("count", "n", "low", "high") if hasattr(part, part_key))


def check_seed(seed: int) -> int:
    """A seed, or a `SettingError`."""
    return check_whole("seed", seed, 0, (1 << 64) - 1)


def make_rng(seed: int, stream: int, k: int) -> np.random.Generator:
    """The generator of repeat k of an experiment, whose kind of draws has the number `stream`."""
    return np.random.default_rng([seed, stream, k])


def run_repeats(repeat: Callable[[int, np.random.Generator], _Part], gather: Callable[[list[_Part]], _Result], n: int,
                seed: int, stream: int, *, jobs: int = 1, progress: engine.StageProgress | None = None,
                watch: Callable[[int, int, _Result], object] | None = None) -> _Result:
    """What `gather` makes of repeat(k, rng) for k = 0 .. n - 1, in order, for any number of threads.

    `watch` is called now and then, before the last, with how many there are so far, n, and the result of these.
    """
    check_seed(seed)

    def some(part: int) -> list[_Part]:
        starts = range(part * _AT_ONCE, min((part + 1) * _AT_ONCE, n))
        return [repeat(k, make_rng(seed, stream, k)) for k in starts]

    results: list[_Part] = []
    due = _FIRST
    with closing(run_in_order(some, -(-n // _AT_ONCE), jobs)) as parts:  # at once, also when it is cancelled
        for part in parts:
            results += part
            if progress is not None:
                progress(len(results) / n)
            if watch is not None and due <= len(results) < n:
                watch(len(results), n, gather(results))
                due = 2 * len(results)
    return gather(results)
