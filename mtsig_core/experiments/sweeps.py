"""How scores, intervals and conclusions change with the number of segments, references and
resamples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mtsig_core.errors import SettingError, format_count
from mtsig_core.experiments.frame import (
    Experiment,
    Rate,
    column,
    default_sizes,
    derived,
    in_units,
    pair_ends,
    rate,
)
from mtsig_core.metrics import (
    Metric,
    depends_on_testset,
    direction,
    is_segment_mean,
    resolve_metric,
)
from mtsig_core.results import SamplingSettings
from mtsig_core.simulation.corpus import KOEHN_SYSTEMS, simulate
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import TOLERANCE, pair_differences, rounding_error
from mtsig_core.stats.comparison import prepare_systems, relative_ends
from mtsig_core.stats.engine import Measured, count_differing_units, measure, pair_statistics
from mtsig_core.stats.few_units import p_floor, pair_units, unbiased
from mtsig_core.stats.intervals import LEAST_UNITS, Sample, finite_ends, percentile
from mtsig_core.stats.parallel import Progress, report_stage, run_in_order
from mtsig_core.stats.power import PairError, PairErrors, degrees_of_freedom, power_at
from mtsig_core.stats.resampling import (
    BLOCK,
    Units,
    bootstrap_weights,
    draw_subset,
    group_positions,
    make_units,
)
from mtsig_core.stats.settings import check_trials, check_whole, resolve_sampling
from mtsig_core.stats.significance import TESTS, significant
from mtsig_core.testset import TestSet

# What a sweep of sizes finds, in rows.


@dataclass(frozen=True)
class SystemSize:
    """One system on random test sets of one size."""

    size: int = field(metadata=column("size", "count"))  # units: segments or documents
    segments: float  # mean number of segments
    repeats: int = field(metadata=column("test sets", "count"))
    system: str
    #: Mean score, and the 5th and 95th percentile of the scores over the repeats, in points.
    score: float | None = field(metadata=column("mean score", "score", "*"))
    score_low: float | None
    score_high: float | None
    low: (
        float | None
    )  # ends and width of the interval relative to its median, as fractions, means over the repeats
    high: float | None
    width: float | None

    @derived("relative interval", "relative")
    def relative(self) -> tuple[float, float] | None:
        return pair_ends(self.low, self.high)


@dataclass(frozen=True)
class PairSize:
    """One pair of systems on random test sets of one size."""

    size: int  # as in `SystemSize`
    segments: float
    repeats: int
    a: str  # the better system on the whole set comes first
    b: str
    delta: float | None  # mean improvement of a over b, in points
    significant: Rate  # repeats on which the pair is significant, in either direction
    # of these, the other direction than on the whole set; of none where that has them level
    wrong: Rate
    #: The share significant that the standard error of the whole set lets expect on these subsets:
    #: without replacement they vary less than fresh test sets do.
    expected: float
    # the same on fresh test sets of that size, if the difference of the whole set is the true one
    power: float


@dataclass(frozen=True)
class Slope:
    """Least-squares line of log width on log size; -1/2 is what independent units lead to."""

    system: str
    slope: (
        float | None
    )  # None with fewer than two, or three, sizes, or where these are too close together for a line
    se: float | None
    per_doubling: (
        float | None
    )  # by how much doubling the test set narrows the interval, as a fraction: 1 - 2^slope


@dataclass(frozen=True, kw_only=True)
class SizeSweep(Experiment):
    """Random test sets of several sizes, drawn from one."""

    tables: ClassVar[Mapping[str, type]] = {
        "systems": SystemSize,
        "pairs": PairSize,
        "slopes": Slope,
    }

    signature: str
    higher_is_better: bool
    settings: SamplingSettings  # as resolved; its trials and correction are not used
    n_units: int  # of the whole test set
    n_segments: int
    scores: dict[str, float]  # on the whole test set, best first
    errors: PairErrors  # by pair: improvement on the whole set and its bootstrap standard error
    systems: tuple[SystemSize, ...]  # by size, then in the order of the scores
    pairs: tuple[PairSize, ...]
    slopes: tuple[Slope, ...]
    recounted: bool  # whether the metric was counted again on each subset
    #: (repeats, pairs, 2), by size, in points: on a subset a pair is significant where the lower
    #: end lies above 0, or the upper below it. NaN where the pair has no difference there.
    ends: dict[int, np.ndarray] = field(compare=False, repr=False)
    #: (repeats, systems), by size: widths of the relative intervals behind `SystemSize.width`;
    #: systems best first.
    widths: dict[int, np.ndarray] = field(compare=False, repr=False)
    #: (systems, resamples), bootstrap scores of the set itself, in points, where it is among the
    #: sizes.
    whole: np.ndarray | None = field(compare=False, repr=False)


# How sure the ratio of two widths of intervals is, where both were made from the same draws.


_REPLICATES = 200
_STREAM = 51


def by_repeats(first: np.ndarray, several: np.ndarray) -> tuple[float, float] | None:
    """95% interval of (mean of several / mean of first)^2, widths on the same test sets of shape
    (repeats,); None below two repeats, and where a mean is not above 0. By the delta method on the
    logarithm and Student's t.
    """
    from scipy.special import stdtrit

    known = np.isfinite(first) & np.isfinite(several)
    first, several, n = first[known], several[known], int(known.sum())
    if n < 2 or not (first.mean() > 0 and several.mean() > 0):
        return None
    spread = float((several / several.mean() - first / first.mean()).std(ddof=1))
    half = float(stdtrit(n - 1, 0.975)) * spread / math.sqrt(n)
    return _square_ratio(float(several.mean() / first.mean()), half)


def by_draws(
    first: Sequence[np.ndarray], several: Sequence[np.ndarray], alpha: float, seed: int
) -> tuple[float, float] | None:
    """The same for one test set, by drawing again from the bootstrap scores (resamples,) of each
    set of references.
    """
    n = len(first[0])
    index = np.random.default_rng([seed, _STREAM]).integers(0, n, (_REPLICATES + 1, n))
    index[0] = np.arange(n)  # those that were drawn
    widths = [
        np.mean([_widths(drawn[index], alpha) for drawn in some], axis=0)
        for some in (first, several)
    ]
    if not all((some > 0).all() for some in widths):
        return None
    logs = np.log(widths[1] / widths[0])
    return _square_ratio(math.exp(logs[0]), 1.959963984540054 * float(logs[1:].std(ddof=1)))


def _square_ratio(ratio: float, half: float) -> tuple[float, float]:
    """The interval of a ratio squared, from half of that of its logarithm."""
    return ratio**2 * math.exp(-2 * half), ratio**2 * math.exp(2 * half)


def _widths(drawn: np.ndarray, alpha: float) -> np.ndarray:
    """Widths of percentile intervals relative to the median, shape (replicates,)."""
    median, low, high = _percentiles(drawn, alpha)
    with np.errstate(divide="ignore", invalid="ignore"):
        widths: np.ndarray = (high - low) / np.abs(median)
    return widths


def _percentiles(drawn: np.ndarray, alpha: float) -> np.ndarray:
    """Median and percentile bounds of each row, shape (3, rows)."""
    sample = Sample(np.empty(0), drawn, np.empty((0, 0)))
    return np.array([np.median(drawn, axis=1), *percentile(sample, alpha)])


# How scores, intervals and conclusions change with the size of the test set.


_WHOLE = 2000  # bootstrap samples of the whole set
_GROUPS = 1000  # of units that a large subset is bootstrapped by
_MOST_REPEATS = 10_000
_MOST_RESAMPLES = (
    1 << 20
)  # so that no two subsets share draws: each has 2^12 blocks of them to itself
_BAND = (5, 95)  # percentiles over the repeats
_STEEPEST = 100  # slope of a line through widths: what is steeper comes of sizes side by side

_Counter = Callable[[np.ndarray], np.ndarray]


class _Subject(NamedTuple):
    """What is drawn from, systems best first, pairs with the better system first."""

    metric: Metric
    testset: TestSet
    units: Units
    members: list[np.ndarray]  # segments of each unit
    by_unit: (
        np.ndarray
    )  # (units, systems, stats): so a subset is copied in long runs, in a third of the time
    whole: engine.UnitStatistics  # of all units, as `compare` has them
    counted: _Counter | None  # counts segments again, for a metric that needs it
    names: list[str]
    pairs: np.ndarray
    gaps: bool
    common: np.ndarray  # units that both systems of each pair have
    worth: np.ndarray  # how many of equal size these are worth
    few: np.ndarray  # the pairs that only a handful of units tells apart
    apart: np.ndarray  # which units these are, (few, units)

    def part(self, chosen: np.ndarray) -> engine.UnitStatistics:
        """Of some units in random order; of many in random groups, whose sums vary alike and cost
        less to draw.
        """
        n = min(len(chosen), _GROUPS)
        by_unit = (
            self.by_unit.take(chosen, axis=0)
            if self.counted is None
            else self._recount(chosen, self.counted)
        )
        if n < len(chosen):
            by_unit = np.add.reduceat(by_unit, np.arange(n) * len(chosen) // n, axis=0)
        return _numbers(self.metric, by_unit)

    def _recount(self, chosen: np.ndarray, counted: _Counter) -> np.ndarray:
        segments_of = [self.members[unit] for unit in chosen]
        index = np.repeat(np.arange(len(chosen)), [len(segments) for segments in segments_of])
        counts = counted(np.concatenate(segments_of))
        return Units(self.units.kind, index, len(chosen)).sum(counts).swapaxes(0, 1)

    @property
    def rows(self) -> np.ndarray:
        """Where the statistics of each pair are: those of its systems, or of these on their common
        segments.
        """
        if not self.gaps:
            return self.pairs
        return len(self.names) + np.arange(2 * len(self.pairs)).reshape(-1, 2)


def sweep_sizes(
    testset: TestSet,
    metric: str | Metric,
    *,
    sizes: Sequence[float] | None = None,
    repeats: int = 100,
    unit: str = "auto",
    resamples: int = 500,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
    watch: Callable[[int, SizeSweep], None] | None = None,
) -> SizeSweep:
    """How much testing data is needed? (Zhang and Vogel 2004, 4.1, Figs 4-7 and Table 2.)

    For each size, random subsets of the units are drawn for every repeat, with replacement only
    where the size exceeds the set; the set itself is taken once, with the draws of `compare`. On
    each subset percentile intervals, and for each pair the percentile test (their 3.2),
    uncorrected. A metric whose statistics depend on the test set (NIST) is counted again on every
    subset, so that its scores grow with the size as in their Fig. 4.
    """
    settings, units = resolve_sampling(
        testset, unit=unit, block_length=None, alpha=alpha, resamples=resamples, seed=seed
    )
    check_trials(resamples, alpha, "percentile")
    if units.kind == "block":
        raise SettingError(
            "A smaller test set is drawn from segments or documents, and the unit is block. Choose "
            "segment or document.",
            {"unit": "segment"},
            {"unit": "document"},
        )
    check_whole("repeats", repeats, 1, _MOST_REPEATS)
    check_whole("resamples", resamples, 2, _MOST_RESAMPLES)
    subject = _subject(
        measure(
            testset, metric, statistics=statistics, progress=report_stage(progress, "counting")
        ),
        settings,
    )
    n = subject.units.n
    sizes = default_sizes(n, subject.units.kind) if sizes is None else in_units(sizes, n)
    times = [1 if size == n else repeats for size in sizes]
    tasks = [
        (size, repeat) for size, most in zip(sizes, times, strict=True) for repeat in range(most)
    ]
    # About how long a subset takes: its bootstrap goes by at most `_GROUPS` sums, to count again
    # takes longer than all.
    work = np.cumsum(
        [
            100 + min(size, _GROUPS) + size * (0.05 if subject.counted is None else 1)
            for size, _ in tasks
        ]
    )
    gather = partial(_gather, subject, settings, *_find_errors(subject, settings.seed, jobs))
    if watch is not None:
        watch(0, gather({}))
    by_size: dict[int, list[_Drawn]] = {}
    done = 0
    with closing(
        run_in_order(lambda k: _one(subject, *tasks[k], settings), len(tasks), jobs)
    ) as results:
        for size, most in zip(sizes, times, strict=True):
            by_size[size] = []
            for _ in range(most):
                by_size[size].append(next(results))
                done += 1
                if progress is not None:
                    progress("test sets", float(work[done - 1] / work[-1]))
            if watch is not None:
                watch(size, gather({size: by_size[size]}))
    return gather(by_size)


def _subject(seen: Measured, settings: SamplingSettings) -> _Subject:
    seen = seen.best_first()
    units, pairs, statistics = (
        seen.units(settings.unit),
        engine.all_pairs(len(seen.names)),
        seen.statistics,
    )
    if seen.has_gaps:
        statistics = np.concatenate([statistics, pair_statistics(statistics, pairs)[0]])
    counted = seen.counter() if depends_on_testset(seen.metric) else None
    by_unit = np.ascontiguousarray(units.sum(statistics).swapaxes(0, 1))
    subject = _Subject(
        seen.metric,
        seen.testset,
        units,
        group_positions(units.index),
        by_unit,
        _numbers(seen.metric, by_unit),
        counted,
        seen.names,
        pairs,
        seen.has_gaps,
        *pair_units(seen.has_score, pairs, units),
        *[np.empty(0)] * 2,
    )
    few = np.flatnonzero(
        count_differing_units(subject.whole, subject.rows, subject.common) < subject.common
    )
    first, second = by_unit.swapaxes(0, 1)[subject.rows[few].T]
    return subject._replace(few=few, apart=(first != second).any(axis=2))


def _numbers(metric: Metric, by_unit: np.ndarray) -> engine.UnitStatistics:
    return engine.UnitStatistics(metric, by_unit.swapaxes(0, 1), Units.segments(len(by_unit)))


class _Drawn(NamedTuple):
    """What one subset gives: by system (k,), by pair (pairs,)."""

    scores: np.ndarray
    relative: np.ndarray
    deltas: np.ndarray
    segments: int
    ends: np.ndarray
    drawn: np.ndarray | None


def _one(subject: _Subject, size: int, repeat: int, settings: SamplingSettings) -> _Drawn:
    chosen = draw_subset(subject.units.n, size, settings.seed, repeat)
    if size == subject.units.n:  # the set itself, with the draws of `compare`
        data, first_block = subject.whole, 0
    else:
        data, first_block = subject.part(chosen), size << 26 | repeat << 12
    drawn = _bootstrap(data, settings.resamples, settings.seed, first_block)
    k, rows = len(subject.names), subject.rows
    medians, *ends = _percentiles(drawn[:k], settings.alpha)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative_ends = (np.array(ends) - medians) / np.where(medians == 0, np.nan, np.abs(medians))
    sign = direction(subject.metric)
    deltas, differences = (sign * pair_differences(x, rows) for x in (data.scores, drawn))
    n = np.full(len(rows), size)
    n[subject.few] = np.count_nonzero(subject.apart[:, chosen], axis=1)
    floor = p_floor(TESTS["percentile"], settings.unit, n)
    tails = _ends(deltas, differences, settings.alpha)
    tails[~significant(floor, settings.alpha)] = np.nan  # so few tell nothing
    sizes = np.bincount(subject.units.index, minlength=subject.units.n)
    return _Drawn(
        data.scores[:k],
        relative_ends,
        deltas,
        int(sizes[chosen].sum()),
        tails,
        drawn[:k] if size == subject.units.n else None,
    )


def _ends(deltas: np.ndarray, differences: np.ndarray, alpha: float) -> np.ndarray:
    """The samples next to the tails that the percentile test allows, shape (pairs, 2): on one side
    of 0 where p is at most alpha; NaN for a pair without a difference.
    """
    n = differences.shape[1]
    allowed = math.floor((alpha + TOLERANCE) * (n + 1) / 2) - 1  # samples on the wrong side of 0
    places = [allowed, n - 1 - allowed]
    ends = np.partition(np.nan_to_num(differences), places, axis=1)[:, places]
    return np.where(np.isfinite(deltas)[:, None], ends, np.nan)


def _bootstrap(
    data: engine.UnitStatistics, resamples: int, seed: int, first_block: int
) -> np.ndarray:
    """Scores (rows, resamples), with blocks of draws of their own."""
    blocks = range(first_block, first_block - (-resamples // BLOCK))
    drawn = np.concatenate(
        [
            data.score(data.weighted_sums(bootstrap_weights(data.units, seed, block)))
            for block in blocks
        ],
        axis=1,
    )[:, :resamples]
    np.copyto(drawn, data.scores[:, None], where=np.isnan(drawn))
    return drawn


def _find_errors(subject: _Subject, seed: int, jobs: int) -> tuple[np.ndarray, PairErrors]:
    """The places of pairs that can be compared on the whole set, and what is known of them by the
    draws of `compare`.
    """
    whole, (first, second) = subject.whole, subject.rows.T
    drawn, left_out = (
        engine.bootstrap_scores(whole, _WHOLE, seed, jobs=jobs),
        engine.jackknife_scores(whole),
    )
    deltas = direction(subject.metric) * (whole.scores[first] - whole.scores[second])
    freedom = degrees_of_freedom(left_out[first] - left_out[second], _WHOLE)
    tested = np.flatnonzero(np.isfinite(deltas))
    values = np.stack(
        [deltas, (drawn[first] - drawn[second]).std(axis=1, ddof=1), freedom, subject.worth]
    )
    return tested, {
        (subject.names[subject.pairs[k, 0]], subject.names[subject.pairs[k, 1]]): PairError(
            delta, se, df, int(subject.common[k]), worth
        )
        for k, (delta, se, df, worth) in zip(
            tested.tolist(), values[:, tested].T.tolist(), strict=True
        )
    }


def _gather(
    subject: _Subject,
    settings: SamplingSettings,
    tested: np.ndarray,
    errors: PairErrors,
    by_size: Mapping[int, Sequence[_Drawn]],
) -> SizeSweep:
    """The sweep of these sizes."""
    n, systems, pairs = subject.units.n, list[SystemSize](), list[PairSize]()
    for size, drawn in by_size.items():
        head = size, float(np.mean([one.segments for one in drawn])), len(drawn)
        systems += (SystemSize(*head, *row) for row in _system_rows(subject.names, drawn))
        pairs += _pair_rows(head, tested, errors, drawn, n, settings.alpha)
    slopes = tuple(
        _slope(name, [row for row in systems if row.system == name]) for name in subject.names
    )
    return SizeSweep(
        metric=subject.metric.name,
        signature=subject.metric.signature(subject.testset),
        higher_is_better=subject.metric.higher_is_better,
        settings=settings,
        n_units=n,
        n_segments=subject.testset.n_segments,
        errors=errors,
        systems=tuple(systems),
        pairs=tuple(pairs),
        scores=dict(
            zip(subject.names, subject.whole.scores[: len(subject.names)].tolist(), strict=True)
        ),
        slopes=slopes,
        recounted=depends_on_testset(subject.metric),
        ends={
            size: np.array([one.ends[tested] for one in drawn]) for size, drawn in by_size.items()
        },
        widths={
            size: np.array([one.relative[1] - one.relative[0] for one in drawn])
            for size, drawn in by_size.items()
        },
        whole=by_size[n][0].drawn if n in by_size else None,
    )


def _system_rows(names: Sequence[str], subsets: Sequence[_Drawn]) -> Iterator[tuple[Any, ...]]:
    """The fields of `SystemSize` from the system on."""
    scores, relative_ends = (
        np.array([one.scores for one in subsets]),
        np.array([one.relative for one in subsets]),
    )
    for k, name in enumerate(names):
        values, (low, high) = scores[:, k][np.isfinite(scores[:, k])], relative_ends[:, :, k].T
        known = np.isfinite(low) & np.isfinite(high)
        band = [None] * 3 if not len(values) else [values.mean(), *np.percentile(values, _BAND)]
        ends = (
            [None] * 3
            if not known.any()
            else [low[known].mean(), high[known].mean(), (high - low)[known].mean()]
        )
        yield name, *(None if value is None else float(value) for value in (*band, *ends))


def _pair_rows(
    head: tuple[int, float, int],
    tested: np.ndarray,
    errors: PairErrors,
    subsets: Sequence[_Drawn],
    n_units: int,
    alpha: float,
) -> Iterator[PairSize]:
    """The rows of one size."""
    deltas, ends = (
        np.array([getattr(one, what)[tested] for one in subsets]) for what in ("deltas", "ends")
    )
    for k, (pair, error) in enumerate(errors.items()):
        delta = error.delta
        known, rates = (
            deltas[:, k][np.isfinite(deltas[:, k])],
            _count_significant(ends[:, k], delta),
        )
        if len(subsets) == 1:  # the set itself, which is no estimate
            rates = [replace(one, low=None, high=None) for one in rates]
        yield PairSize(
            *head,
            *pair,
            float(known.mean()) if len(known) else None,
            rates[0],
            rates[1] if delta else rate(0, 0),
            *_expect(delta, error, head[0], n_units, alpha),
        )


def _count_significant(ends: np.ndarray, delta: float) -> list[Rate]:
    """Test sets with these ends, shape (repeats, 2), that find a difference, and those that find
    the opposite.
    """
    (low, high), tie = ends.T, TOLERANCE * abs(delta)
    ahead, behind = low > tie, high < -tie
    return [
        rate(int(np.count_nonzero(some)), len(ends))
        for some in (ahead | behind, behind if delta > 0 else ahead)
    ]


def _expect(
    delta: float, error: PairError, size: int, n_units: int, alpha: float
) -> tuple[float, float]:
    """How often a difference is significant on parts of the whole set of a size, and on fresh sets.

    On parts it is the percentile test, by normal theory; on fresh sets a test that keeps its level,
    as `units_needed` plans for: Student's t with what the units of that size are worth.
    """
    growth = math.sqrt(n_units / size)
    se = error.se * growth
    spread = se * math.sqrt(1 - size / n_units) if size <= n_units else se
    fresh_se = unbiased(error.se, error.n_effective) * growth
    worth = error.n_effective * size / n_units
    return (
        float(power_at(delta, se, alpha, spread)),
        float(power_at(delta, fresh_se, alpha, n_effective=worth)),
    )


def _slope(system: str, rows: Sequence[SystemSize]) -> Slope:
    known = [(math.log(row.size), math.log(row.width)) for row in rows if row.width]
    if len(known) < 2:
        return Slope(system, None, None, None)
    x, y = np.array(known).T
    about = x - x.mean()
    slope = float(about @ y / (about @ about))
    rest = y - y.mean() - slope * about
    se = (
        None
        if len(known) < 3
        else math.sqrt(float(rest @ rest) / (len(known) - 2) / float(about @ about))
    )
    if abs(slope) > _STEEPEST:
        return Slope(system, None, None, None)
    return Slope(system, slope, se, 1 - 2**slope)


# What a sweep of sizes says of a difference that is asked about, in place of the one that the pair
# has.


@dataclass(frozen=True)
class Detection:
    """Random test sets of one size, the pair's differences shifted so that the whole set has the
    one asked about.
    """

    size: int = field(metadata=column("size", "count"))  # units
    segments: float | None = field(
        metadata=column("segments", "share", ",.0f")
    )  # mean number; None of sets not drawn
    #: Sets on which the pair is significant, and on which b is then ahead, with their Monte Carlo
    #: intervals.
    significant: Rate = field(metadata=column("significant", "estimate", ".0%"))
    wrong: Rate = field(metadata=column("opposite to the whole set", "estimate", ".0%"))
    #: What normal theory expects of parts of this set, and Student's t plans for fresh test sets of
    #: that size; 0 to 1.
    expected: float = field(metadata=column("expected of parts of this set", "share", ".0%"))
    planned: float = field(metadata=column("planned for fresh sets", "share", ".0%"))

    @derived("test sets", "count")
    def n(self) -> int:
        return self.significant.n


def count_detections(sweep: SizeSweep, a: str, b: str, difference: float) -> tuple[Detection, ...]:
    """How often random test sets of each size find a difference, were it that of the whole set: the
    differences of the sweep are moved by it less the pair's own.
    """
    delta = _known(sweep, a, b, difference).delta
    place = list(sweep.errors).index((a, b))
    rows = []
    for row in (row for row in sweep.pairs if (row.a, row.b) == (a, b)):
        (planned,) = plan_detections(sweep, a, b, difference, [row.size])
        found, wrong = _count_significant(
            sweep.ends[row.size][:, place] + (difference - delta), difference
        )
        rows.append(replace(planned, segments=row.segments, significant=found, wrong=wrong))
    return tuple(rows)


def plan_detections(
    sweep: SizeSweep, a: str, b: str, difference: float, sizes: Iterable[int]
) -> tuple[Detection, ...]:
    """What theory says of test sets of some sizes before any are drawn; parameters as of
    `count_detections`.
    """
    error = _known(sweep, a, b, difference)
    return tuple(
        Detection(
            size,
            None,
            rate(0, 0),
            rate(0, 0),
            *_expect(difference, error, size, sweep.n_units, sweep.settings.alpha),
        )
        for size in sizes
    )


def _known(sweep: SizeSweep, a: str, b: str, difference: float) -> PairError:
    """What the whole set says of a pair."""
    if not (math.isfinite(difference) and difference > 0):
        raise SettingError(
            f"The difference is {difference:g}. Expected a number of points above 0, such as 1."
        )
    if (a, b) not in sweep.errors:
        raise SettingError(f"The sweep has no pair {a} - {b}.")
    return sweep.errors[a, b]


# How scores and intervals change with the number of references, and with the size of the test set
# too.


#: Parts of the test set, as in Table 4 of Zhang and Vogel (2004).
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class ReferenceSize:
    """One system, scored with so many references, on random test sets of one size."""

    references: int = field(metadata=column("references", "count"))  # used at a time
    sets: int  # of so many, which the means are over
    size: int  # units
    system: str
    #: Mean score in points; means of the ends and the width of the relative interval, as fractions.
    score: float | None = field(metadata=column("mean score", "score", "*"))
    low: float | None
    high: float | None
    width: float | None
    #: The share of this size that is as good with so many references as this size with one, by
    #: widths that fall with the square root of the size.
    equivalent: float | None = field(
        metadata=column("share of the data for as narrow an interval", "estimate", ".0%")
    )
    #: Its 95% Monte Carlo interval (`by_draws`): what random test sets, and of the whole set the
    #: bootstrap samples, leave open. None with one reference.
    equivalent_low: float | None = None
    equivalent_high: float | None = None

    @derived("relative interval", "relative")
    def relative(self) -> tuple[float, float] | None:
        return pair_ends(self.low, self.high)


@dataclass(frozen=True, kw_only=True)
class ReferenceSweep(Experiment):
    """All numbers of references and sizes."""

    tables: ClassVar[Mapping[str, type]] = {"rows": ReferenceSize}

    settings: SamplingSettings
    names: tuple[str, ...]  # the references
    n_units: int
    rows: tuple[ReferenceSize, ...]  # by number of references, size, then system


def sweep_references(
    testset: TestSet,
    metric: str | Metric,
    *,
    shares: Sequence[float] = SHARES,
    repeats: int = 20,
    unit: str = "auto",
    resamples: int = 500,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> ReferenceSweep:
    """How many references are needed? (Zhang and Vogel 2004, 4.2, Fig. 8, Tables 3 and 4.)

    Each number of references takes every reference in turn (`reference_sets`), and results are
    means over these sets.
    """
    metric = resolve_metric(testset, metric)
    names = tuple(testset.references)
    if is_segment_mean(metric):
        raise SettingError(
            f"{metric.name} is a table of scores, which no reference changes. Choose a metric of texts."
        )
    if len(names) < 2:
        raise SettingError(
            f"{testset.name} has {len(names)} reference. Give at least two.", {"ref": "FILE"}
        )
    if testset.n_references is None:
        raise SettingError(
            f"The references of {testset.name} lack segments. Leave those references out.",
            {"refs": "NAME,..."},
        )
    for share in shares:
        if not (isinstance(share, Real) and 0 < share <= 1):
            raise SettingError(
                f"A share of the test set is {share}. Expected a number above 0 and at most 1."
            )
    swept, sets = [], reference_sets(names)
    for k, chosen in enumerate(sets):

        def report(report_stage: str, share: float, done: int = k) -> None:
            if progress is not None:
                progress(
                    "sets of references", (done + share * (report_stage == "test sets")) / len(sets)
                )

        swept.append(
            sweep_sizes(
                testset.scored_with(chosen),
                metric,
                sizes=list(map(float, shares)),
                repeats=repeats,
                unit=unit,
                resamples=resamples,
                alpha=alpha,
                seed=seed,
                jobs=jobs,
                progress=report,
            )
        )
    return ReferenceSweep(
        metric=metric.name,
        settings=swept[0].settings,
        names=names,
        n_units=swept[0].n_units,
        rows=tuple(_reference_rows(names, sets, swept, seed)),
    )


def reference_sets(names: Sequence[str]) -> list[tuple[str, ...]]:
    """For each number of references so many neighbours on a circle of them, so that each is used
    equally often.

    >>> reference_sets(["a", "b", "c"])
    [('a',), ('b',), ('c',), ('a', 'b'), ('b', 'c'), ('c', 'a'), ('a', 'b', 'c')]
    """
    n = len(names)
    return [
        tuple(names[(start + i) % n] for i in range(k))
        for k in range(1, n + 1)
        for start in range(n if k < n else 1)
    ]


def with_references(testset: TestSet, n_references: int = 4) -> TestSet:
    """The simulated corpus with several references; any other test set as it is."""
    known = {system.name for system in KOEHN_SYSTEMS}
    if not testset.simulated or len(testset.references) > 1 or not testset.systems.keys() <= known:
        return testset
    simulated = simulate(testset.n_segments, n_references=n_references).only(list(testset.systems))
    if any(simulated.systems[name] != texts for name, texts in testset.systems.items()):
        raise SettingError(
            "This is a part of the simulated corpus, which has one reference. Take its first segments "
            "rather than a domain.",
            {"demo_segments": "N"},
        )
    return simulated


def _reference_rows(
    names: Sequence[str], sets: Sequence[Sequence[str]], swept: Sequence[SizeSweep], seed: int
) -> Iterator[ReferenceSize]:
    by_count = [
        [one for chosen, one in zip(sets, swept, strict=True) if len(chosen) == k]
        for k in range(1, len(names) + 1)
    ]
    by_key = [
        [{(row.size, row.system): row for row in one.systems} for one in some] for some in by_count
    ]
    for k, some in enumerate(by_key, 1):
        for key in some[0]:
            score, low, high, width = (
                _mean([getattr(rows[key], what) for rows in some])
                for what in ("score", "low", "high", "width")
            )
            first = _mean([rows[key].width for rows in by_key[0]])
            ends = (
                _interval_of_share(by_count[0], by_count[k - 1], *key, seed)
                if k > 1 and width and first
                else None
            )
            yield ReferenceSize(
                k,
                len(some),
                *key,
                score,
                low,
                high,
                width,
                (width / first) ** 2 if width and first else None,
                *ends or (None, None),
            )


def _interval_of_share(
    first: Sequence[SizeSweep], several: Sequence[SizeSweep], size: int, system: str, seed: int
) -> tuple[float, float] | None:
    """The Monte Carlo interval of a share that is as good; sweeps share their test sets and
    bootstrap samples.
    """
    if size == first[0].n_units:
        one_reference, more = (
            [one.whole[list(one.scores).index(system)] for one in some if one.whole is not None]
            for some in (first, several)
        )
        return by_draws(one_reference, more, first[0].settings.alpha, seed)
    return by_repeats(
        *(
            np.mean([one.widths[size][:, list(one.scores).index(system)] for one in some], axis=0)
            for some in (first, several)
        )
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return None if len(known) < len(values) else float(np.mean(known))


# How far the interval of a score depends on the number of bootstrap samples.


#: Numbers of resamples looked at: Zhang and Vogel (2004), Table 5, with three smaller ones, and
#: Table 6.
GROWING = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
REPEATED = (100, 500, 1000, 2000, 10_000)
_POOLS = (10_000, 20_000, 50_000, 100_000, 200_000)
_DRAWS = 6 * 10**8  # units that are drawn in a few seconds
_TELL = 20  # runs that tell a standard deviation to about a sixth


@dataclass(frozen=True)
class Growing:
    """The percentile interval from the first `resamples` of the pool (Zhang and Vogel 2004, Table
    5).
    """

    resamples: int = field(metadata=column("B", "count"))
    median: float = field(metadata=column("median", "score", "*"))
    low: float
    high: float

    @derived("interval", "interval", "*")
    def interval(self) -> tuple[float, float]:
        return self.low, self.high

    @derived("relative", "relative", in_files=True)
    def relative(self) -> tuple[float, float] | None:
        return relative_ends(self.low, self.median, self.high)


@dataclass(frozen=True)
class Repeated:
    """Percentile intervals from `runs` disjoint runs of the pool (Zhang and Vogel 2004, Table
    6).
    """

    resamples: int = field(
        metadata=column("B", "count")
    )  # draws of each run; runs that the pool has room for
    runs: int = field(metadata=column("runs", "count"))
    #: Standard deviation of the bounds over the runs, in points; None below two runs. `bound_sd`
    #: expects of both:
    sd_low: float | None = field(metadata=column("SD of low", "amount"))
    sd_high: float | None = field(metadata=column("SD of high", "amount"))
    theory: float = field(metadata=column("σ/√B", "amount"))
    relative: tuple[float, float] | None = field(metadata=column("mean interval", "relative"))
    #: Standard deviation of the relative bounds, the root mean square of both.
    relative_sd: float | None = field(metadata=column("relative SD", "share", ".3%"))
    #: Its 95% interval, the bounds being nearly independent and normal: few runs tell it roughly.
    relative_sd_range: tuple[float, float] | None = field(metadata=column("", "relative"))
    relative_theory: (
        float | None
    )  # what `bound_sd` expects of a bound less its own median, over the median of the pool


@dataclass(frozen=True, kw_only=True)
class Stability(Experiment):
    """How the percentile interval of one score settles as the number of resamples grows."""

    tables: ClassVar[Mapping[str, type]] = {"growing": Growing, "repeats": Repeated}

    system: str
    #: As resolved; its test, trials and correction are not used here, its resamples are those of
    #: the pool.
    settings: SamplingSettings
    score: float  # observed; median and standard deviation of the whole pool
    median: float
    sigma: float
    growing: tuple[
        Growing, ...
    ]  # nested: each row draws on, so it shares the draws of the rows above it
    repeats: tuple[Repeated, ...]

    def end_sd(self, resamples: int) -> float:
        """How far each end moves with another seed, as a standard deviation in points: as seen in
        enough runs of the pool, else by the theory of normal scores.
        """
        for row in self.repeats:
            if (
                row.resamples == resamples
                and row.sd_low is not None
                and row.sd_high is not None
                and row.runs >= _TELL
            ):
                return math.sqrt((row.sd_low**2 + row.sd_high**2) / 2)
        return bound_sd(self.settings.alpha) * self.sigma / math.sqrt(resamples)


def stability(
    testset: TestSet,
    metric: str | Metric,
    system: str | None = None,
    *,
    pool: int | None = None,
    unit: str = "auto",
    block_length: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
) -> Stability:
    """How many resamples are enough? (Zhang and Vogel 2004, 4.3, Tables 5 and 6.)

    One pool of replicates, of which the first are those of `compare`, serves both questions: its
    beginnings show how the interval settles, and cut into disjoint runs it tells how far a bound
    moves with another seed. Quantiles are interpolated; the paper's means at B = 100 lie where the
    2nd and 98th of 100 ordered values would.
    """
    pool = default_pool(make_units(testset, unit, block_length).n) if pool is None else pool
    if pool < GROWING[0]:
        raise SettingError(f"pool is {pool}. Expected at least {GROWING[0]} resamples.")
    only = None if system is None else [system]
    settings, seen = prepare_systems(
        testset,
        metric,
        only,
        statistics,
        progress,
        unit=unit,
        alpha=alpha,
        block_length=block_length,
        resamples=pool,
        seed=seed,
    )
    seen = seen.only(seen.best_first().names[:1])
    units = seen.units(settings.unit, settings.block_length)
    n = int(pair_units(seen.has_score, np.array([[0, 0]]), units)[0][0])
    if n < LEAST_UNITS:
        raise SettingError(
            f"{seen.names[0]} has a score on {format_count(n, units.kind)}: from fewer than "
            f"{LEAST_UNITS} no interval settles with more resamples. "
            "Take a larger test set."
        )
    data = seen.sum_by(units)
    drawn = engine.bootstrap_scores(
        data, pool, seed, jobs=jobs, progress=report_stage(progress, "pool")
    )[0]
    median, sigma = float(np.median(drawn)), float(drawn.std(ddof=1))
    return Stability(
        metric=seen.metric.name,
        system=seen.names[0],
        settings=settings,
        score=float(data.scores[0]),
        median=median,
        sigma=sigma,
        growing=tuple(
            Growing(size, *_percentiles(drawn[None, :size], alpha)[:, 0].tolist())
            for size in GROWING
            if size <= pool
        ),
        repeats=tuple(
            _repeat(drawn, size, median, sigma, alpha) for size in REPEATED if size <= pool
        ),
    )


def default_pool(n_units: int) -> int:
    """The largest pool that is drawn in a few seconds: 200,000 replicates up to 3,000 units, 10,000
    at the least.
    """
    return max((pool for pool in _POOLS if pool * n_units <= _DRAWS), default=_POOLS[0])


def bound_sd(alpha: float = 0.05, less_median: bool = False) -> float:
    """Standard deviation of a percentile bound over repeated bootstraps of B draws, in units of
    sigma / sqrt(B).

    By the large-sample theory of normal order statistics (David and Nagaraja 2003, 10.5).

    >>> round(bound_sd(), 2), round(bound_sd(less_median=True), 2)
    (2.67, 2.76)
    """
    from scipy.special import ndtri

    def density(level: float) -> float:
        return math.exp(-(ndtri(level) ** 2) / 2) / math.sqrt(2 * math.pi)

    p = alpha / 2
    variance = p * (1 - p) / density(p) ** 2
    if less_median:
        variance += 0.25 / density(0.5) ** 2 - p / (density(p) * density(0.5))
    return math.sqrt(variance)


def _repeat(drawn: np.ndarray, size: int, median: float, sigma: float, alpha: float) -> Repeated:
    runs = len(drawn) // size
    medians, *bounds = _percentiles(drawn[: runs * size].reshape(runs, size), alpha)
    sd_low, sd_high = (
        [None, None]
        if runs < 2
        else [
            sd if (sd := float(bound.std(ddof=1))) > rounding_error(bound) else 0.0
            for bound in bounds
        ]
    )
    ratios = [(bound - medians) / np.abs(medians) for bound in bounds] if medians.all() else None
    mean = None if ratios is None else finite_ends(*(ratio.mean() for ratio in ratios))
    spread = between = None
    if ratios is not None and runs > 1:
        spread = math.sqrt(np.mean([ratio.var(ddof=1) for ratio in ratios]))
        between = _sd_range(spread, 2 * (runs - 1))
    scale = sigma / math.sqrt(size)
    return Repeated(
        size,
        runs,
        sd_low,
        sd_high,
        bound_sd(alpha) * scale,
        mean,
        spread,
        between,
        None if median == 0 else bound_sd(alpha, less_median=True) * scale / abs(median),
    )


def _sd_range(sd: float, freedom: int) -> tuple[float, float]:
    """95% interval of a standard deviation of normal values."""
    from scipy.special import chdtri

    low, high = (sd * math.sqrt(freedom / chdtri(freedom, level)) for level in (0.025, 0.975))
    return low, high
