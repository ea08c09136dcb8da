"""Sweeps: results by the number of segments, references and resamples."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real

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
    rate_of,
    table_row,
)
from mtsig_core.metrics import (
    CountSegments,
    Metric,
    MetricLike,
    depends_on_testset,
    is_adapted,
    is_segment_mean,
    resolve_metric,
)
from mtsig_core.progress import Progress, report_stage
from mtsig_core.results import SamplingSettings
from mtsig_core.simulation.corpus import KOEHN_SYSTEMS, simulate
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import TOLERANCE, pair_differences, rounding_error
from mtsig_core.stats.comparison import prepare_systems, relative_ends
from mtsig_core.stats.contrast import Contrast, contrast_pairs
from mtsig_core.stats.engine import Measured, measure
from mtsig_core.stats.few_units import p_floor, pair_units, unbiased
from mtsig_core.stats.intervals import LEAST_UNITS, Bounds, Sample, finite_ends, percentile
from mtsig_core.stats.parallel import run_in_order
from mtsig_core.stats.power import PairError, PairErrors, degrees_of_freedom, power_at
from mtsig_core.stats.resampling import (
    Units,
    bootstrap_weights,
    draw_subset,
    group_positions,
    make_units,
)
from mtsig_core.stats.settings import check_trials, check_whole, resolve_sampling
from mtsig_core.stats.significance import TESTS, significant
from mtsig_core.testset import TestSet

# The rows of a sweep of sizes.


@table_row
class SystemSize:
    """One system on random test sets of one size."""

    size: int = column("size", "count")  # units: segments or documents
    segments: float  # mean number of segments
    repeats: int = column("test sets", "count")
    system: str
    #: Mean score, and the 5th and 95th percentile of the scores over the repeats, in points.
    score: float | None = column("mean score", "score", "*")
    score_low: float | None
    score_high: float | None
    #: Bounds and width of the interval relative to its median, as fractions, means over the
    #: repeats.
    low: float | None
    high: float | None
    width: float | None

    @derived("relative interval", "relative")
    def relative(self) -> Bounds | None:
        """The bounds."""
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
    #: Of these, how many have the opposite result; none if the pair is equal on the whole set.
    wrong: Rate
    #: The share significant that the standard error of the whole set lets expect on these subsets:
    #: without replacement they vary less than fresh test sets do.
    expected: float
    #: The same on fresh test sets of that size, if the difference of the whole set is the true one.
    power: float


@dataclass(frozen=True)
class Slope:
    """Least-squares line of log width on log size; independent units lead to -1/2."""

    system: str
    #: None with fewer than two sizes (the error: three), or where they are too close together.
    slope: float | None
    se: float | None
    per_doubling: float | None  # the fraction by which doubling narrows the interval: 1 - 2^slope


@dataclass(frozen=True, kw_only=True)
class SizeSweep(Experiment):
    """Random test sets of several sizes, drawn from one."""

    tables = {
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
    #: (repeats, pairs, 2), by size, in points: on a subset a pair is significant where both lie on
    #: one side of 0 (`_find_tails`). NaN where the pair has no difference there.
    ends: dict[int, np.ndarray] = field(compare=False, repr=False)
    #: (repeats, systems), by size: widths of the relative intervals behind `SystemSize.width`;
    #: systems best first.
    widths: dict[int, np.ndarray] = field(compare=False, repr=False)
    #: (systems, resamples), bootstrap scores of the set itself, in points, where it is among the
    #: sizes.
    whole: np.ndarray | None = field(compare=False, repr=False)


# Monte Carlo intervals of the ratio of two widths that were made from the same draws.


_REPLICATES = 200
_Z = 1.959963984540054  # normal quantile of 95% intervals
_STREAM = 51


def by_repeats(single: np.ndarray, multiple: np.ndarray) -> Bounds | None:
    """Estimate the 95% interval of (mean of multiple / mean of single)^2.

    Both are widths on the same test sets, of shape (repeats,). The interval is by the delta method
    on the logarithm and Student's t. None below two repeats, and where a mean is not above 0.
    """
    from scipy.special import stdtrit

    is_known = np.isfinite(single) & np.isfinite(multiple)
    single = single[is_known]
    multiple = multiple[is_known]
    n = len(single)
    if n < 2 or single.mean() <= 0 or multiple.mean() <= 0:
        return None
    sd = float((multiple / multiple.mean() - single / single.mean()).std(ddof=1))
    half_width = float(stdtrit(n - 1, 0.975)) * sd / math.sqrt(n)
    return _square_ratio(float(multiple.mean() / single.mean()), half_width)


def by_draws(
    single: Sequence[np.ndarray], multiple: Sequence[np.ndarray], alpha: float, seed: int
) -> Bounds | None:
    """Estimate the interval of `by_repeats` for one test set.

    The bootstrap scores of each set of references, of shape (resamples,), are drawn again.
    """
    n = len(single[0])
    index = np.random.default_rng([seed, _STREAM]).integers(0, n, (_REPLICATES + 1, n))
    index[0] = np.arange(n)  # the bootstrap scores as they are
    single_widths = np.mean([_relative_widths(scores[index], alpha) for scores in single], axis=0)
    widths = np.mean([_relative_widths(scores[index], alpha) for scores in multiple], axis=0)
    if not ((single_widths > 0).all() and (widths > 0).all()):
        return None
    logs = np.log(widths / single_widths)
    half_width = _Z * float(logs[1:].std(ddof=1))
    return _square_ratio(math.exp(logs[0]), half_width)


def _square_ratio(ratio: float, half_width: float) -> Bounds:
    """Return the interval of a squared ratio, from half the interval of the ratio's logarithm."""
    low = ratio**2 * math.exp(-2 * half_width)
    high = ratio**2 * math.exp(2 * half_width)
    return low, high


def _relative_widths(scores: np.ndarray, alpha: float) -> np.ndarray:
    """Measure percentile intervals relative to the median, shape (replicates,)."""
    median, low, high = _percentiles(scores, alpha)
    with np.errstate(divide="ignore", invalid="ignore"):
        widths: np.ndarray = (high - low) / np.abs(median)
    return widths


def _percentiles(scores: np.ndarray, alpha: float) -> np.ndarray:
    """Compute the median and percentile bounds of each row, shape (3, rows)."""
    sample = Sample(np.empty(0), scores, np.empty((0, 0)))
    low, high = percentile(sample, alpha)
    return np.array([np.median(scores, axis=1), low, high])


@dataclass(frozen=True, eq=False)
class _Source:
    """The test set that subsets are drawn from, its systems best first."""

    measured: Measured
    contrast: Contrast  # of all pairs
    units: Units
    members: list[np.ndarray]  # segments of each unit
    #: (units, rows, stats): so a subset is copied in long runs, in a third of the time. The rows are
    #: the systems, and where scores are missing both sides of each pair.
    by_unit: np.ndarray
    data: engine.UnitStatistics  # of all units, as `compare` has them
    pair_rows: np.ndarray  # the rows of each tested pair
    n_units: np.ndarray  # units that both systems of each tested pair have
    few_pairs: np.ndarray  # the tested pairs that differ in a few units only
    differs: np.ndarray  # in which units they do, (few pairs, units)

    @classmethod
    def from_measured(cls, measured: Measured, unit: str) -> _Source:
        measured = measured.best_first()
        units = measured.units(unit)
        metric = measured.metric
        statistics = measured.statistics
        all_pairs = engine.all_pairs(len(statistics))
        contrast = contrast_pairs(metric, statistics, units, all_pairs)
        pair_rows = contrast.rows
        if measured.has_gaps:
            pair_rows = pair_rows + len(statistics)
            statistics = np.concatenate([statistics, contrast.statistics])
        sums = units.sum(statistics)
        by_unit = np.ascontiguousarray(sums.swapaxes(0, 1))
        n_units = contrast.n_units[contrast.is_tested]
        n_differing = contrast.count_differing_units(is_swapped=False)[contrast.is_tested]
        few_pairs = np.flatnonzero(n_differing < n_units)
        first, second = by_unit.swapaxes(0, 1)[pair_rows[few_pairs].T]
        differs = (first != second).any(axis=2)
        return cls(
            measured=measured,
            contrast=contrast,
            units=units,
            members=group_positions(units.index),
            by_unit=by_unit,
            data=_unit_statistics(metric, by_unit),
            pair_rows=pair_rows,
            n_units=n_units,
            few_pairs=few_pairs,
            differs=differs,
        )

    @property
    def names(self) -> list[str]:
        return self.measured.names

    @cached_property
    def count(self) -> CountSegments | None:
        """The function that counts segments again, for a metric that depends on the test set."""
        return self.measured.counter() if depends_on_testset(self.measured.metric) else None

    def subset(self, sampled: np.ndarray) -> engine.UnitStatistics:
        """Return the statistics of some units in random order.

        Many units go into random groups, whose sums vary alike and cost less to draw.
        """
        if self.count is None:
            by_unit = self.by_unit.take(sampled, axis=0)
        else:
            segments = [self.members[unit] for unit in sampled]
            n_segments = [len(rows) for rows in segments]
            index = np.repeat(np.arange(len(sampled)), n_segments)
            counts = self.count(np.concatenate(segments))
            subset_units = Units(self.units.kind, index, len(sampled))
            by_unit = subset_units.sum(counts).swapaxes(0, 1)
        n_sampled = len(sampled)
        if n_sampled > _GROUPS:
            starts = np.arange(_GROUPS) * n_sampled // _GROUPS
            by_unit = np.add.reduceat(by_unit, starts, axis=0)
        return _unit_statistics(self.measured.metric, by_unit)


# How scores, intervals and conclusions change with the size of the test set.


_WHOLE = 2000  # bootstrap samples of the whole set
_GROUPS = 1000  # of units that a large subset is bootstrapped by
_MOST_REPEATS = 10_000
_MOST_RESAMPLES = 1 << 20  # each subset has 2^12 blocks of draws to itself
_BAND = (5, 95)  # percentiles over the repeats
_STEEPEST = 100  # slope of a line through widths: only sizes close together give a steeper one


def sweep_sizes(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
    *,
    sizes: Sequence[float] | None = None,
    repeats: int = 100,
    unit: str = "auto",
    resamples: int = 500,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    watch: Callable[[int, SizeSweep], None] | None = None,
) -> SizeSweep:
    """Test random subsets of several sizes (Zhang and Vogel 2004, 4.1, Figs 4-7 and Table 2).

    For each size, random subsets of the units are drawn for every repeat, with replacement only
    where the size exceeds the set; the set itself is taken once, with the draws of `compare`. Each
    subset gets percentile intervals, and each pair on it the percentile test (their 3.2),
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
    measured = measure(testset, metric, progress=progress)
    source = _Source.from_measured(measured, settings.unit)
    n = source.units.n
    unit_sizes = default_sizes(n, source.units.kind) if sizes is None else in_units(sizes, n)
    tasks: list[tuple[int, int]] = []
    for size in unit_sizes:
        n_repeats = 1 if size == n else repeats
        tasks += [(size, repeat) for repeat in range(n_repeats)]
    work = np.cumsum([_estimate_work(size, source.count is not None) for size, _ in tasks])
    errors = _find_errors(source, settings.seed, jobs)

    def gather(subsets: Mapping[int, Sequence[_Subset]]) -> SizeSweep:
        return _gather(source, settings, errors, subsets)

    if watch is not None:
        watch(0, gather({}))
    by_size: dict[int, list[_Subset]] = {}
    results = run_in_order(lambda k: _test_subset(source, *tasks[k], settings), len(tasks), jobs)
    with closing(results):
        for k, result in enumerate(results):
            size, _ = tasks[k]
            by_size.setdefault(size, []).append(result)
            if progress is not None:
                progress("test sets", float(work[k] / work[-1]))
            is_last = k + 1 == len(tasks) or tasks[k + 1][0] != size
            if watch is not None and is_last:
                watch(size, gather({size: by_size[size]}))
    return gather(by_size)


def _estimate_work(size: int, is_counted_again: bool) -> float:
    """Estimate how long a subset takes, for the progress.

    The bootstrap goes by at most `_GROUPS` sums; to count again takes longer than all.
    """
    per_unit = 1 if is_counted_again else 0.05
    return 100 + min(size, _GROUPS) + size * per_unit


def _unit_statistics(metric: Metric, by_unit: np.ndarray) -> engine.UnitStatistics:
    return engine.UnitStatistics(metric, by_unit.swapaxes(0, 1), Units.segments(len(by_unit)))


@dataclass(frozen=True, eq=False)
class _Subset:
    """The results of one subset."""

    n_segments: int
    scores: np.ndarray  # (systems,)
    low: np.ndarray  # (systems,): bounds relative to the median
    high: np.ndarray
    deltas: np.ndarray  # (pairs,)
    tails: np.ndarray  # (pairs, 2): from `_find_tails`
    replicates: np.ndarray | None  # (systems, resamples): only of the set itself


def _test_subset(source: _Source, size: int, repeat: int, settings: SamplingSettings) -> _Subset:
    n = source.units.n
    sampled = draw_subset(n, size, settings.seed, repeat)
    is_all = size == n
    if is_all:  # the set itself, with the draws of `compare`
        data = source.data
        first_block = 0
    else:
        data = source.subset(sampled)
        first_block = size << 26 | repeat << 12
    scores = engine.bootstrap_scores(
        data,
        settings.resamples,
        settings.seed,
        # blocks of draws that no other subset has
        draw_weights=lambda k: bootstrap_weights(data.units, settings.seed, first_block + k),
    )
    n_systems = len(source.names)
    medians, low, high = _percentiles(scores[:n_systems], settings.alpha)
    scale = np.where(medians == 0, np.nan, np.abs(medians))
    sign = source.measured.sign
    deltas = sign * pair_differences(data.scores, source.pair_rows)
    differences = sign * pair_differences(scores, source.pair_rows)
    tails = _find_tails(differences, settings.alpha)
    tails[~np.isfinite(deltas)] = np.nan
    n_units = np.full(len(deltas), size)
    n_units[source.few_pairs] = np.count_nonzero(source.differs[:, sampled], axis=1)
    floor = p_floor(TESTS["percentile"], settings.unit, n_units)
    tails[~significant(floor, settings.alpha)] = np.nan  # so few units show nothing
    unit_sizes = np.bincount(source.units.index, minlength=n)
    n_segments = int(unit_sizes[sampled].sum())
    replicates = None
    if is_all:
        replicates = scores[:n_systems]
    return _Subset(
        n_segments=n_segments,
        scores=data.scores[:n_systems],
        low=(low - medians) / scale,
        high=(high - medians) / scale,
        deltas=deltas,
        tails=tails,
        replicates=replicates,
    )


def _find_tails(differences: np.ndarray, alpha: float) -> np.ndarray:
    """Find the samples next to the tails that the percentile test allows, shape (pairs, 2).

    Both are on one side of 0 where p is at most alpha.
    """
    n = differences.shape[1]
    n_allowed = math.floor((alpha + TOLERANCE) * (n + 1) / 2) - 1  # on the wrong side of 0
    places = [n_allowed, n - 1 - n_allowed]
    return np.partition(np.nan_to_num(differences), places, axis=1)[:, places]


def _find_errors(source: _Source, seed: int, jobs: int) -> PairErrors:
    """Estimate the standard error of each tested pair on the whole set, by the draws of `compare`."""
    contrast = source.contrast
    deltas = source.measured.sign * contrast.deltas
    se = contrast.bootstrap(_WHOLE, seed, jobs=jobs).std(axis=1, ddof=1)
    left_out = contrast.difference(engine.jackknife_scores(contrast.data))
    freedom = degrees_of_freedom(left_out, _WHOLE)
    n_effective = contrast.n_effective[contrast.is_tested]
    errors = {}
    for k, (first, second) in enumerate(contrast.pairs[contrast.is_tested]):
        error = PairError(
            float(deltas[k]),
            float(se[k]),
            float(freedom[k]),
            int(source.n_units[k]),
            float(n_effective[k]),
        )
        errors[source.names[first], source.names[second]] = error
    return errors


def _gather(
    source: _Source,
    settings: SamplingSettings,
    errors: PairErrors,
    by_size: Mapping[int, Sequence[_Subset]],
) -> SizeSweep:
    """Make the sweep of these sizes."""
    n = source.units.n
    metric = source.measured.metric
    systems: list[SystemSize] = []
    pairs: list[PairSize] = []
    tails = {}
    widths = {}
    for size, subsets in by_size.items():
        systems += _system_rows(size, source.names, subsets)
        tails[size] = np.array([subset.tails for subset in subsets])
        deltas = np.array([subset.deltas for subset in subsets])
        widths[size] = np.array([subset.high - subset.low for subset in subsets])
        n_segments = _mean_segments(subsets)
        for k, (names, error) in enumerate(errors.items()):
            detected, wrong = _count_significant(tails[size][:, k], error.delta)
            if size == n:  # the set itself, which is no estimate
                detected = replace(detected, low=None, high=None)
                wrong = replace(wrong, low=None, high=None)
            if error.delta == 0:
                wrong = rate(0, 0)
            delta = _finite_mean(deltas[:, k])
            expected = _expect(error.delta, error, size, n, settings.alpha)
            row = PairSize(
                size, n_segments, len(subsets), *names, delta, detected, wrong, *expected
            )
            pairs.append(row)
    scores = source.data.scores[: len(source.names)].tolist()
    score_by_system = dict(zip(source.names, scores, strict=True))
    slopes = [_fit_slope(name, systems) for name in source.names]
    replicates = None
    if n in by_size:
        replicates = by_size[n][0].replicates
    testset = source.measured.testset
    return SizeSweep(
        metric=metric.name,
        signature=metric.signature(testset),
        higher_is_better=metric.higher_is_better,
        settings=settings,
        n_units=n,
        n_segments=testset.n_segments,
        errors=errors,
        systems=tuple(systems),
        pairs=tuple(pairs),
        scores=score_by_system,
        slopes=tuple(slopes),
        recounted=depends_on_testset(metric),
        ends=tails,
        widths=widths,
        whole=replicates,
    )


def _mean_segments(subsets: Sequence[_Subset]) -> float:
    return float(np.mean([subset.n_segments for subset in subsets]))


def _finite_mean(values: np.ndarray) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else None


def _system_rows(
    size: int, names: Sequence[str], subsets: Sequence[_Subset]
) -> Iterator[SystemSize]:
    n_segments = _mean_segments(subsets)
    scores = np.array([subset.scores for subset in subsets])
    low = np.array([subset.low for subset in subsets])
    high = np.array([subset.high for subset in subsets])
    low = np.where(np.isfinite(high), low, np.nan)
    high = np.where(np.isfinite(low), high, np.nan)
    for k, name in enumerate(names):
        score_low = score_high = None
        finite = scores[:, k][np.isfinite(scores[:, k])]
        if len(finite):
            score_low, score_high = np.percentile(finite, _BAND).tolist()
        mean_low = _finite_mean(low[:, k])
        mean_high = _finite_mean(high[:, k])
        mean_width = _finite_mean(high[:, k] - low[:, k])
        yield SystemSize(
            size=size,
            segments=n_segments,
            repeats=len(subsets),
            system=name,
            score=_finite_mean(scores[:, k]),
            score_low=score_low,
            score_high=score_high,
            low=mean_low,
            high=mean_high,
            width=mean_width,
        )


def _count_significant(tails: np.ndarray, delta: float) -> tuple[Rate, Rate]:
    """Count the test sets with these tails, shape (repeats, 2), that find a difference.

    The second rate is of those that find the opposite of delta.
    """
    low, high = tails.T
    tie = TOLERANCE * abs(delta)
    is_better = low > tie
    is_worse = high < -tie
    is_opposite = is_worse if delta > 0 else is_better
    return rate_of(is_better | is_worse), rate_of(is_opposite)


def _expect(delta: float, error: PairError, size: int, n_units: int, alpha: float) -> Bounds:
    """Return the power on subsets of the set of a size, and on fresh sets of that size.

    On subsets it is the power of the percentile test, by normal theory. On fresh sets it is the
    power of a test that keeps its level, as `units_needed` plans for: Student's t with as many
    units as these are worth.
    """
    growth = math.sqrt(n_units / size)
    se = error.se * growth
    spread = se
    if size <= n_units:
        spread = se * math.sqrt(1 - size / n_units)
    fresh_se = unbiased(error.se, error.n_effective) * growth
    n_effective = error.n_effective * size / n_units
    on_subsets = power_at(delta, se, alpha, spread)
    on_fresh_sets = power_at(delta, fresh_se, alpha, n_effective=n_effective)
    return float(on_subsets), float(on_fresh_sets)


def _fit_slope(system: str, rows: Sequence[SystemSize]) -> Slope:
    log_sizes = []
    log_widths = []
    for row in rows:
        if row.system == system and row.width:
            log_sizes.append(math.log(row.size))
            log_widths.append(math.log(row.width))
    n_points = len(log_sizes)
    if n_points < 2:
        return Slope(system, None, None, None)
    x = np.array(log_sizes)
    y = np.array(log_widths)
    x = x - x.mean()
    sum_of_squares = float(x @ x)
    slope = float(x @ y) / sum_of_squares
    if abs(slope) > _STEEPEST:
        return Slope(system, None, None, None)
    residuals = y - y.mean() - slope * x
    se = None
    if n_points > 2:
        variance = float(residuals @ residuals) / (n_points - 2)
        se = math.sqrt(variance / sum_of_squares)
    return Slope(system, slope, se, 1 - 2**slope)


# A sweep of sizes as if a pair had another difference.


@table_row
class Detection:
    """Random test sets of one size, as if the whole set had the difference asked about.

    The pair's differences are shifted to it.
    """

    size: int = column("size", "count")  # units
    #: Mean number; None of sets that were not drawn.
    segments: float | None = column("segments", "share", ",.0f")
    #: Sets on which the pair is significant, and on which b is then ahead, with their Monte Carlo
    #: intervals.
    significant: Rate = column("significant", "estimate", ".0%")
    wrong: Rate = column("opposite result", "estimate", ".0%")
    #: By normal theory on subsets of this set, and by Student's t on fresh test sets of that size;
    #: 0 to 1.
    expected: float = column("expected of parts of this set", "share", ".0%")
    planned: float = column("planned for fresh sets", "share", ".0%")

    @derived("test sets", "count")
    def n(self) -> int:
        """The number of test sets drawn."""
        return self.significant.n


def count_detections(sweep: SizeSweep, a: str, b: str, difference: float) -> tuple[Detection, ...]:
    """Count the random test sets of each size that would find a difference.

    The differences of the sweep are shifted as if the whole set had this difference.
    """
    shift = difference - _find_error(sweep, a, b, difference).delta
    place = list(sweep.errors).index((a, b))
    rows = []
    for row in sweep.pairs:
        if (row.a, row.b) == (a, b):
            (planned,) = plan_detections(sweep, a, b, difference, [row.size])
            tails = sweep.ends[row.size][:, place] + shift
            detected, wrong = _count_significant(tails, difference)
            rows.append(replace(planned, segments=row.segments, significant=detected, wrong=wrong))
    return tuple(rows)


def plan_detections(
    sweep: SizeSweep, a: str, b: str, difference: float, sizes: Iterable[int]
) -> tuple[Detection, ...]:
    """Plan test sets of some sizes by theory, before any are drawn."""
    error = _find_error(sweep, a, b, difference)
    rows = []
    for size in sizes:
        expected, planned = _expect(difference, error, size, sweep.n_units, sweep.settings.alpha)
        rows.append(Detection(size, None, rate(0, 0), rate(0, 0), expected, planned))
    return tuple(rows)


def _find_error(sweep: SizeSweep, a: str, b: str, difference: float) -> PairError:
    if not (math.isfinite(difference) and difference > 0):
        raise SettingError(
            f"The difference is {difference:g}. Expected a number of points above 0, such as 1."
        )
    if (a, b) not in sweep.errors:
        raise SettingError(f"The sweep has no pair {a} - {b}.")
    return sweep.errors[a, b]


# How scores and intervals change with the number of references and the size of the test set.


#: Parts of the test set, as in Table 4 of Zhang and Vogel (2004).
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@table_row
class ReferenceSize:
    """One system, scored with so many references, on random test sets of one size."""

    references: int = column("references", "count")  # used at a time
    sets: int  # of so many references, over which the means are
    size: int  # units
    system: str
    #: Mean score in points; means of the bounds and the width of the relative interval, as
    #: fractions.
    score: float | None = column("mean score", "score", "*")
    low: float | None
    high: float | None
    width: float | None
    #: The share of this size that is as good with so many references as this size with one, by
    #: widths that fall with the square root of the size.
    equivalent: float | None = column(
        "share of the data for as narrow an interval", "estimate", ".0%"
    )
    #: Its 95% Monte Carlo interval (`by_draws`), for the random test sets, and of the whole set for
    #: the bootstrap samples. None with one reference.
    equivalent_low: float | None = None
    equivalent_high: float | None = None

    @derived("relative interval", "relative")
    def relative(self) -> Bounds | None:
        """The bounds."""
        return pair_ends(self.low, self.high)


@dataclass(frozen=True, kw_only=True)
class ReferenceSweep(Experiment):
    """All numbers of references and sizes."""

    tables = {"rows": ReferenceSize}

    settings: SamplingSettings
    names: tuple[str, ...]  # the references
    n_units: int
    rows: tuple[ReferenceSize, ...]  # by number of references, size, then system


def sweep_references(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
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
    """Sweep sizes with each number of references (Zhang and Vogel 2004, 4.2, Fig. 8, Tables 3, 4).

    Each number of references takes every reference in turn (`reference_sets`), and results are
    means over these sets.
    """
    metric = resolve_metric(testset, metric)
    names = tuple(testset.references)
    if is_segment_mean(metric) and not is_adapted(metric):
        raise SettingError(
            f"{metric.name} is a table of scores, which no reference changes. Choose a metric of texts."
        )
    if len(names) < 2:
        raise SettingError(
            f"{testset.name} has {len(names)} reference. Give at least two.", {"ref": "FILE"}
        )
    if testset.n_references is None:
        raise SettingError(
            f"The references of {testset.name} lack segments. Exclude those references.",
            {"refs": "NAME,..."},
        )
    for share in shares:
        if not (isinstance(share, Real) and 0 < share <= 1):
            raise SettingError(
                f"A share of the test set is {share}. Expected a number above 0 and at most 1."
            )
    sizes = [float(share) for share in shares]
    sweeps: dict[int, list[SizeSweep]] = {}
    sets = reference_sets(names)
    for k, chosen_references in enumerate(sets):

        def report(stage: str, share: float, n_done: int = k) -> None:
            if progress is not None and stage == "test sets":
                progress("sets of references", (n_done + share) / len(sets))

        sweep = sweep_sizes(
            testset.scored_with(chosen_references),
            metric,
            sizes=sizes,
            repeats=repeats,
            unit=unit,
            resamples=resamples,
            alpha=alpha,
            seed=seed,
            jobs=jobs,
            progress=report,
        )
        sweeps.setdefault(len(chosen_references), []).append(sweep)
    first_sweep = sweeps[1][0]
    rows = _reference_rows(sweeps, seed)
    return ReferenceSweep(
        metric=metric.name,
        settings=first_sweep.settings,
        names=names,
        n_units=first_sweep.n_units,
        rows=tuple(rows),
    )


def reference_sets(names: Sequence[str]) -> list[tuple[str, ...]]:
    """List for each number of references so many neighbours on a circle of them.

    So each reference is used equally often.

    >>> reference_sets(["a", "b", "c"])
    [('a',), ('b',), ('c',), ('a', 'b'), ('b', 'c'), ('c', 'a'), ('a', 'b', 'c')]
    """
    circle = [*names, *names]
    n = len(names)
    sets = []
    for k in range(1, n):
        sets += [tuple(circle[start : start + k]) for start in range(n)]
    return [*sets, tuple(names)]


def with_references(testset: TestSet, n_references: int = 4) -> TestSet:
    """Return the simulated corpus with several references; any other test set as it is."""
    simulated_names = {system.name for system in KOEHN_SYSTEMS}
    if (
        not testset.simulated
        or len(testset.references) > 1
        or not testset.systems.keys() <= simulated_names
    ):
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
    sweeps: Mapping[int, Sequence[SizeSweep]], seed: int
) -> Iterator[ReferenceSize]:
    """Make a row for each number of references, size and system; `sweeps` are by that number."""
    for n_references, same_number in sweeps.items():
        for first_row in same_number[0].systems:
            size = first_row.size
            system = first_row.system
            rows = [_find_row(sweep, size, system) for sweep in same_number]
            width = _mean([row.width for row in rows])
            single_rows = [_find_row(sweep, size, system) for sweep in sweeps[1]]
            single_width = _mean([row.width for row in single_rows])
            equivalent = low = high = None
            if width and single_width:
                equivalent = (width / single_width) ** 2
                if n_references > 1:
                    interval = _interval_of_share(sweeps[1], same_number, size, system, seed)
                    low, high = interval or (None, None)
            mean_score = _mean([row.score for row in rows])
            mean_low = _mean([row.low for row in rows])
            mean_high = _mean([row.high for row in rows])
            yield ReferenceSize(
                references=n_references,
                sets=len(same_number),
                size=size,
                system=system,
                score=mean_score,
                low=mean_low,
                high=mean_high,
                width=width,
                equivalent=equivalent,
                equivalent_low=low,
                equivalent_high=high,
            )


def _find_row(sweep: SizeSweep, size: int, system: str) -> SystemSize:
    return next(row for row in sweep.systems if (row.size, row.system) == (size, system))


def _interval_of_share(
    single: Sequence[SizeSweep], multiple: Sequence[SizeSweep], size: int, system: str, seed: int
) -> Bounds | None:
    """Estimate the Monte Carlo interval of a share that is as good.

    Sweeps with a single and with several references share their test sets and bootstrap samples.
    """
    if size != single[0].n_units:
        return by_repeats(_mean_widths(single, size, system), _mean_widths(multiple, size, system))
    alpha = single[0].settings.alpha
    return by_draws(
        _bootstrap_scores(single, system), _bootstrap_scores(multiple, system), alpha, seed
    )


def _mean_widths(sweeps: Sequence[SizeSweep], size: int, system: str) -> np.ndarray:
    """Average the widths over sweeps, shape (repeats,)."""
    widths = []
    for sweep in sweeps:
        place = list(sweep.scores).index(system)
        widths.append(sweep.widths[size][:, place])
    mean: np.ndarray = np.mean(widths, axis=0)
    return mean


def _bootstrap_scores(sweeps: Sequence[SizeSweep], system: str) -> list[np.ndarray]:
    scores = []
    for sweep in sweeps:
        assert sweep.whole is not None, "the set itself is among the sizes"
        scores.append(sweep.whole[list(sweep.scores).index(system)])
    return scores


def _mean(values: Sequence[float | None]) -> float | None:
    """Average values; None where one of them is unknown."""
    if any(value is None for value in values):
        return None
    return float(np.mean(np.array(values, dtype=float)))


# How far the interval of a score depends on the number of bootstrap samples.


#: Numbers of resamples: Zhang and Vogel (2004), Table 5, with three smaller ones, and Table 6.
GROWING = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
REPEATED = (100, 500, 1000, 2000, 10_000)
_POOLS = (10_000, 20_000, 50_000, 100_000, 200_000)
_DRAWS = 6 * 10**8  # units that are drawn in a few seconds
_TELL = 20  # runs that tell a standard deviation to about a sixth


@table_row
class Growing:
    """The percentile interval from the first `resamples` of the pool.

    As in Zhang and Vogel (2004), Table 5.
    """

    resamples: int = column("B", "count")
    median: float = column("median", "score", "*")
    low: float
    high: float

    @derived("interval", "interval", "*")
    def interval(self) -> Bounds:
        """The bounds in points."""
        return self.low, self.high

    @derived("relative", "relative", in_files=True)
    def relative(self) -> Bounds | None:
        """The bounds relative to the median."""
        return relative_ends(self.low, self.median, self.high)


@table_row
class Repeated:
    """Percentile intervals from disjoint runs of the pool (Zhang and Vogel 2004, Table 6)."""

    resamples: int = column("B", "count")  # draws of each run
    runs: int = column("runs", "count")  # that the pool has room for
    #: Standard deviation of the bounds over the runs, in points; None below two runs.
    sd_low: float | None = column("SD of low", "amount")
    sd_high: float | None = column("SD of high", "amount")
    theory: float = column("σ/√B", "amount")  # what `bound_sd` expects of both
    relative: Bounds | None = column("mean interval", "relative")
    #: Standard deviation of the relative bounds, the root mean square of both.
    relative_sd: float | None = column("relative SD", "share", ".3%")
    #: Its 95% interval, as if the bounds were independent and normal: few runs estimate it roughly.
    relative_sd_range: Bounds | None = column("", "relative")
    #: What `bound_sd` expects of a bound less its own median, over the median of the pool.
    relative_theory: float | None


@dataclass(frozen=True, kw_only=True)
class Stability(Experiment):
    """How the percentile interval of one score settles as the number of resamples grows."""

    tables = {"growing": Growing, "repeats": Repeated}

    system: str
    settings: SamplingSettings  # as resolved; `resamples` counts the pool
    score: float  # observed; median and standard deviation of the whole pool
    median: float
    sigma: float
    growing: tuple[Growing, ...]  # each row has the draws of the rows above it
    repeats: tuple[Repeated, ...]

    def end_sd(self, resamples: int) -> float:
        """Return how far each bound moves with another seed, as a standard deviation in points.

        It is observed in enough runs of the pool, else by the theory of normal scores.
        """
        for row in self.repeats:
            if row.resamples == resamples and row.runs >= _TELL:
                assert row.sd_low is not None and row.sd_high is not None, "there are enough runs"
                return math.sqrt((row.sd_low**2 + row.sd_high**2) / 2)
        return bound_sd(self.settings.alpha) * self.sigma / math.sqrt(resamples)


def stability(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
    system: str | None = None,
    *,
    pool: int | None = None,
    unit: str = "auto",
    block_length: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Stability:
    """Measure how many resamples are enough (Zhang and Vogel 2004, 4.3, Tables 5 and 6).

    One pool of replicates, which begins with the replicates of `compare`, answers two questions.
    Its beginnings show how the interval settles. Disjoint runs of it show how far a bound moves
    with another seed. Quantiles are interpolated; the paper's means at B = 100 lie where the 2nd
    and 98th of 100 ordered values would.
    """
    if pool is None:
        pool = default_pool(make_units(testset, unit, block_length).n)
    if pool < GROWING[0]:
        raise SettingError(f"pool is {pool}. Expected at least {GROWING[0]} resamples.")
    only = None
    if system is not None:
        only = [system]
    settings, measured = prepare_systems(
        testset,
        metric,
        only,
        progress,
        unit=unit,
        alpha=alpha,
        block_length=block_length,
        resamples=pool,
        seed=seed,
    )
    best = measured.best_first().names[0]
    measured = measured.only([best])
    units = measured.units(settings.unit, settings.block_length)
    n_units = int(pair_units(measured.has_score, np.array([[0, 0]]), units)[0][0])
    if n_units < LEAST_UNITS:
        raise SettingError(
            f"{best} has a score on {format_count(n_units, units.kind)}: from fewer than "
            f"{LEAST_UNITS} no interval settles with more resamples. "
            "Take a larger test set."
        )
    data = measured.sum_by(units)
    report = report_stage(progress, "pool")
    scores = engine.bootstrap_scores(data, pool, seed, jobs=jobs, progress=report)[0]
    growing = []
    for size in GROWING:
        if size <= pool:
            median, low, high = _percentiles(scores[None, :size], alpha)[:, 0].tolist()
            growing.append(Growing(size, median, low, high))
    repeats = [_repeat(scores, size, alpha) for size in REPEATED if size <= pool]
    median_score = float(np.median(scores))
    sigma = float(scores.std(ddof=1))
    return Stability(
        metric=measured.metric.name,
        system=best,
        settings=settings,
        score=float(data.scores[0]),
        median=median_score,
        sigma=sigma,
        growing=tuple(growing),
        repeats=tuple(repeats),
    )


def default_pool(n_units: int) -> int:
    """Return the largest pool that is drawn in a few seconds.

    It has 200,000 replicates up to 3,000 units, and at least 10,000.
    """
    fitting = [pool for pool in _POOLS if pool * n_units <= _DRAWS]
    return max(fitting, default=_POOLS[0])


def bound_sd(alpha: float = 0.05, less_median: bool = False) -> float:
    """Return the standard deviation of a percentile bound, in units of sigma / sqrt(B).

    It is over repeated bootstraps of B draws, by the large-sample theory of normal order statistics
    (David and Nagaraja 2003, 10.5).

    >>> round(bound_sd(), 2), round(bound_sd(less_median=True), 2)
    (2.67, 2.76)
    """
    from scipy.special import ndtri

    p = alpha / 2
    density = _normal_density(float(ndtri(p)))
    variance = p * (1 - p) / density**2
    if less_median:
        median_density = _normal_density(0.0)
        variance += 0.25 / median_density**2 - p / (density * median_density)
    return math.sqrt(variance)


def _normal_density(x: float) -> float:
    return math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def _repeat(pool: np.ndarray, size: int, alpha: float) -> Repeated:
    """Compare disjoint runs of a size of the pool, which are scores of shape (resamples,)."""
    median = float(np.median(pool))
    scale = float(pool.std(ddof=1)) / math.sqrt(size)
    n_runs = len(pool) // size
    runs = pool[: n_runs * size].reshape(n_runs, size)
    medians, low, high = _percentiles(runs, alpha)
    sd_low = sd_high = None
    if n_runs > 1:
        sd_low = _deviation(low)
        sd_high = _deviation(high)
    interval = relative_sd = relative_sd_range = relative_theory = None
    if medians.all():
        relative_low = (low - medians) / np.abs(medians)
        relative_high = (high - medians) / np.abs(medians)
        interval = finite_ends(relative_low.mean(), relative_high.mean())
        if n_runs > 1:
            variance = (relative_low.var(ddof=1) + relative_high.var(ddof=1)) / 2
            relative_sd = math.sqrt(variance)
            relative_sd_range = _sd_range(relative_sd, 2 * (n_runs - 1))
    if median != 0:
        relative_theory = bound_sd(alpha, less_median=True) * scale / abs(median)
    return Repeated(
        resamples=size,
        runs=n_runs,
        sd_low=sd_low,
        sd_high=sd_high,
        theory=bound_sd(alpha) * scale,
        relative=interval,
        relative_sd=relative_sd,
        relative_sd_range=relative_sd_range,
        relative_theory=relative_theory,
    )


def _deviation(values: np.ndarray) -> float:
    """Compute the standard deviation, 0 where it is a matter of rounding."""
    sd = float(values.std(ddof=1))
    return sd if sd > rounding_error(values) else 0.0


def _sd_range(sd: float, freedom: int) -> Bounds:
    """Estimate the 95% interval of a standard deviation of normal values."""
    from scipy.special import chdtri

    low = sd * math.sqrt(freedom / chdtri(freedom, 0.025))
    high = sd * math.sqrt(freedom / chdtri(freedom, 0.975))
    return low, high
