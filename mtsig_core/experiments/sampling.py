"""Small test sets from a large one: samples, their conclusions, coverage of intervals (Koehn 2004)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.frame import (
    Experiment,
    PairDraws,
    PairSet,
    Population,
    Rate,
    Simulation,
    check_seed,
    clustered_rate,
    column,
    derived,
    in_units,
    make_rng,
    pair_population,
    population,
    rate,
    rate_of,
    run_repeats,
    table_row,
    whole_p,
    wilson,
)
from mtsig_core.grouping import group_values
from mtsig_core.metrics import CountSegments, Metric, MetricLike, direction, resolve_metric
from mtsig_core.progress import Progress, report_stage
from mtsig_core.results import SamplingSettings
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import TOLERANCE, pair_differences, rounding_error
from mtsig_core.stats.contrast import Contrast, contrast_pairs
from mtsig_core.stats.engine import Measured, measure, segment_scores
from mtsig_core.stats.few_units import find_freedom
from mtsig_core.stats.intervals import Bounds, Sample, finite_or_none, fitting_intervals, percentile
from mtsig_core.stats.pair import examine_pair
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import (
    check_jobs,
    check_level,
    check_trials,
    check_whole,
    resolve_sampling,
)
from mtsig_core.stats.significance import (
    TESTS,
    approximate_randomization,
    decide_pairs,
    significant,
    win_rates,
)
from mtsig_core.testset import TestSet

# Samples of a test set, their conclusions, and whether the whole test set agrees.


def spread(scores: np.ndarray) -> float:
    """Compute the standard deviation of the scores without NaN; NaN below two."""
    known = scores[np.isfinite(scores)]
    return float(known.std(ddof=1)) if len(known) > 1 else float("nan")


def ratio_of_spreads(
    blocks: np.ndarray, broad: np.ndarray, alpha: float = 0.05
) -> tuple[float, float, float] | None:
    """Estimate the ratio of two standard deviations, and its interval of level 1 - alpha.

    Scores have shape (samples,), in the order of the samples, NaN where a sample has none. The
    interval is for normal scores (F distribution). Dependent samples count as fewer independent
    ones that estimate a variance as well (Bartlett 1946): n / (1 + 2 sum of squared
    autocorrelations). None below two scores, and where the second scores do not vary.

    >>> scores = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5])
    >>> [round(x, 2) for x in ratio_of_spreads(scores * 2, scores)]
    [2.0, 0.95, 4.21]
    """
    from scipy.special import fdtri

    blocks_sd = spread(blocks)
    broad_sd = spread(broad)
    if not (np.isfinite(blocks_sd) and broad_sd > rounding_error(broad)):
        return None
    blocks_freedom = _freedom_of_variance(blocks)
    broad_freedom = _freedom_of_variance(broad)
    ratio = blocks_sd / broad_sd
    low = ratio / np.sqrt(fdtri(blocks_freedom, broad_freedom, 1 - alpha / 2))
    high = ratio / np.sqrt(fdtri(blocks_freedom, broad_freedom, alpha / 2))
    return ratio, float(low), float(high)


def _freedom_of_variance(scores: np.ndarray) -> float:
    known = scores[np.isfinite(scores)]
    squares = [correlation**2 for correlation in _autocorrelations(known)]
    return (len(known) - 1) / (1 + 2 * sum(squares))


def _autocorrelations(values: np.ndarray) -> list[float]:
    """List autocorrelations of lags 1, 2, ... until one is not clearly above 0 (1.96 / sqrt(n))."""
    n = len(values)
    deviations = values - values.mean()
    total = float(deviations @ deviations)
    correlations: list[float] = []
    if total <= 0:
        return correlations
    for lag in range(1, n // 2):
        correlation = float(deviations[lag:] @ deviations[:-lag]) / total
        if correlation < 1.96 / np.sqrt(n):
            break
        correlations.append(correlation)
    return correlations


def _rate_in_order(yes: np.ndarray) -> Rate:
    """Return a share of samples in their order, with Wilson's 95% interval.

    It is for n / (1 + 2 sum of autocorrelations) of the n samples.
    """
    n = len(yes)
    if n == 0:
        return rate(0, 0)
    share = float(yes.mean())
    n_effective = n / (1 + 2 * sum(_autocorrelations(yes.astype(float))))
    return Rate(int(yes.sum()), n, share, *wilson(share, n_effective))


@dataclass(frozen=True, eq=False)
class SampledSystem:
    """One system on every sample, in points; NaN where a sample has no score of it."""

    system: str
    full: float  # score on the whole test set
    scores: np.ndarray  # (samples,)
    low: np.ndarray  # bounds of percentile intervals from a bootstrap of the sample's segments
    high: np.ndarray

    @property
    def range(self) -> Bounds:
        """The lowest and the highest score; NaN where no sample has one."""
        known = self.scores[np.isfinite(self.scores)]
        if not len(known):
            return float("nan"), float("nan")
        return float(known.min()), float(known.max())

    @property
    def sd(self) -> float:
        """Standard deviation of the scores; NaN below two."""
        return spread(self.scores)

    @property
    def hits(self) -> np.ndarray:
        """Whether each interval contains the score on the whole test set, shape (samples,)."""
        tie = TOLERANCE * abs(self.full)
        is_above_low = self.low - tie <= self.full
        is_below_high = self.full <= self.high + tie
        return is_above_low & is_below_high

    @property
    def hit_rate(self) -> Rate:
        """The share of hits, of the samples that have a score."""
        return _rate_in_order(self.hits[np.isfinite(self.scores)])


@dataclass(frozen=True, eq=False)
class SampledPair:
    """Two systems on every sample; differences are score(a) - score(b) in points.

    NaN where nothing is compared.
    """

    a: str
    b: str
    higher_is_better: bool
    full: float  # difference on the whole test set
    deltas: np.ndarray  # (samples,)
    #: Koehn's paired bootstrap: shares of bootstrap samples on which a is better, and worse, than b.
    win: np.ndarray
    lose: np.ndarray
    p_value: np.ndarray  # of approximate randomization
    #: Of the whole set: where it is above alpha, the order may itself be chance.
    whole_p: float = float("nan")

    def flipped(self) -> SampledPair:
        """Return the same pair as b and a."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            full=-self.full,
            deltas=-self.deltas,
            win=self.lose,
            lose=self.win,
        )

    @property
    def sign(self) -> int:
        """The factor that turns a difference of scores into an improvement of a over b."""
        return 1 if self.higher_is_better else -1

    @property
    def improvements(self) -> np.ndarray:
        """Improvement of a over b on each sample, positive also where lower scores are better."""
        return self.sign * self.deltas

    def concluded(self, test: str = "koehn", alpha: float = 0.05) -> np.ndarray:
        """Decide each sample, shape (samples,): 1 where a is better, -1 where b is, else 0."""
        if test == "koehn":
            return decide_pairs(self.win - self.lose, alpha, win=self.win, lose=self.lose)
        if test == "ar":
            return decide_pairs(self.improvements, alpha, p=self.p_value)
        raise SettingError(f"Unknown test {test!r} of samples. Available: koehn, ar.")

    def verdicts(self, test: str = "koehn", alpha: float = 0.05) -> np.ndarray:
        """Compare conclusions with the whole test set, where all are wrong if it has a tie.

        1 right, -1 wrong, 0 none; shape (samples,).
        """
        concluded = self.concluded(test, alpha)
        order = 0
        if abs(self.full) > rounding_error(self.deltas):
            order = self.sign * int(np.sign(self.full))
        verdicts = np.where(concluded == order, 1, -1)
        verdicts[concluded == 0] = 0
        return verdicts

    def tally(self, test: str = "koehn", alpha: float = 0.05) -> dict[str, Rate]:
        """Count the samples that are right, wrong, or conclude nothing; see `verdicts`."""
        verdicts = self.verdicts(test, alpha)
        return {
            "right": _rate_in_order(verdicts == 1),
            "wrong": _rate_in_order(verdicts == -1),
            "none": _rate_in_order(verdicts == 0),
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Sampling(Experiment):
    """All samples of one kind and size."""

    higher_is_better: bool
    signature: str  # of the metric on the whole test set
    kind: str  # blocks or broad
    size: int  # segments in a sample
    n_samples: int
    n_segments: int  # of the test set, of which the last few may be in no sample
    shuffled: bool
    settings: SamplingSettings
    trials: int
    systems: tuple[SampledSystem, ...]  # best on the whole test set first
    pairs: tuple[SampledPair, ...]  # all of them, the better first
    whole_units: int  # that are swapped for p of the whole test set

    def system(self, name: str) -> SampledSystem:
        """Find a system."""
        return next(system for system in self.systems if system.system == name)

    def pair(self, a: str, b: str) -> SampledPair:
        """Find a pair, in this order."""
        sampled = next(pair for pair in self.pairs if {pair.a, pair.b} == {a, b})
        return sampled if sampled.a == a else sampled.flipped()


# Blocks and broad samples of a test set (Koehn 2004, 3.2 to 3.4, 5, 6).


SAMPLE_KINDS = ("blocks", "broad")


def positions(kind: str, n_segments: int, size: int, shuffle_seed: int | None = None) -> np.ndarray:
    """Choose the segments of every sample, shape (samples, size).

    Of N segments there are N // size samples. Broad sample k takes segments k, k + N // size, k + 2
    (N // size), ... (Koehn 2004, 3.3); block k takes consecutive ones (3.2). What does not fill a
    sample, at the end, is in none.

    With a seed the segments are put in a random order first. A `SettingError` for an unknown kind,
    and for a size that leaves fewer than two samples.

    >>> positions("blocks", 7, 3).tolist(), positions("broad", 7, 3).tolist()
    ([[0, 1, 2], [3, 4, 5]], [[0, 2, 4], [1, 3, 5]])
    """
    if kind not in SAMPLE_KINDS:
        raise SettingError(
            f"Unknown kind of sample {kind!r}. Available: {', '.join(SAMPLE_KINDS)}."
        )
    if isinstance(size, bool) or not isinstance(size, int) or size < 2:
        raise SettingError(
            f"The sample size is {size}. Expected a whole number of segments, at least 2."
        )
    n_samples = n_segments // size
    if n_samples < 2:
        advice = "Use a larger test set."
        if n_segments >= 4:
            advice = f"Use samples of at most {n_segments // 2} segments."
        raise SettingError(
            f"Two samples of {size} segments need {2 * size}, and there are {n_segments}. {advice}"
        )
    order = np.arange(n_segments)
    if shuffle_seed is not None:
        order = np.random.default_rng(shuffle_seed).permutation(order)
    used = order[: n_samples * size]
    if kind == "blocks":
        return used.reshape(n_samples, size)
    return used.reshape(size, n_samples).T


def sampling(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
    kind: str,
    *,
    size: int = 300,
    shuffle: bool = False,
    alpha: float = 0.05,
    resamples: int = 1000,
    trials: int = 999,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Sampling:
    """Cut a test set into small ones, and compare their conclusions with the whole set's.

    Each sample has draws of its own by segment, which all systems share. A metric whose statistics
    depend on the test set (NIST) is counted again on each sample, so that small samples score below
    the whole.
    """
    settings, _ = resolve_sampling(
        testset, unit="segment", block_length=None, alpha=alpha, resamples=resamples, seed=seed
    )
    check_trials(trials, alpha, "ar")
    check_jobs(jobs)
    positions(kind, testset.n_segments, size)  # mistakes show before the work
    measured = measure(testset, metric, progress=progress)
    metric = measured.metric
    scored = measured.testset
    rows = positions(kind, scored.n_segments, size, seed if shuffle else None)
    count = measured.counter()
    pairs = measured.order[engine.all_pairs(len(measured.order))]
    unit = "segment" if scored.documents is None else "document"
    contrast = contrast_pairs(metric, measured.statistics, measured.units(unit), pairs)
    p_of_whole = whole_p(contrast, seed)

    def conclude(k: int) -> _SampleConclusions:
        # The seed of a sample comes from both numbers, so that two seeds share no samples.
        sequence = np.random.SeedSequence((seed, k))
        sample_seed = int(sequence.generate_state(1, np.uint64)[0])
        sample_settings = replace(settings, seed=sample_seed)
        return _conclude_sample(metric, count(rows[k]), pairs, sample_settings, trials)

    def gather(samples: list[_SampleConclusions]) -> Sampling:
        columns = zip(*samples, strict=True)
        by_sample = _SampleConclusions(*(np.stack(column, axis=1) for column in columns))
        signature = metric.signature(testset)
        n_units = scored.n_documents or scored.n_segments
        systems = _list_systems(measured, by_sample)
        sampled_pairs = _list_pairs(measured, contrast, p_of_whole, by_sample)
        return Sampling(
            metric=metric.name,
            higher_is_better=metric.higher_is_better,
            signature=signature,
            kind=kind,
            size=size,
            n_samples=len(samples),
            n_segments=scored.n_segments,
            shuffled=shuffle,
            settings=settings,
            trials=trials,
            whole_units=n_units,
            systems=tuple(systems),
            pairs=tuple(sampled_pairs),
        )

    report = report_stage(progress, f"{kind} of {size}")
    return run_repeats(conclude, gather, len(rows), jobs=jobs, progress=report)


def _list_systems(measured: Measured, by_sample: _SampleConclusions) -> Iterator[SampledSystem]:
    for k in measured.order:
        yield SampledSystem(
            system=measured.names[k],
            full=float(measured.scores[k]),
            scores=by_sample.scores[k],
            low=by_sample.low[k],
            high=by_sample.high[k],
        )


def _list_pairs(
    measured: Measured,
    contrast: Contrast,
    p_of_whole: np.ndarray,
    by_sample: _SampleConclusions,
) -> Iterator[SampledPair]:
    """List the pairs of a contrast on the whole test set, with their conclusions on samples."""
    deltas = contrast.fill(contrast.deltas)
    higher_is_better = measured.metric.higher_is_better
    for k, (first, second) in enumerate(contrast.pairs):
        delta = float(deltas[k])
        p = float(p_of_whole[k])
        yield SampledPair(
            a=measured.names[first],
            b=measured.names[second],
            higher_is_better=higher_is_better,
            full=delta,
            deltas=by_sample.deltas[k],
            win=by_sample.win[k],
            lose=by_sample.lose[k],
            p_value=by_sample.p[k],
            whole_p=p,
        )


def sample_both_kinds(
    testset: TestSet,
    metric: MetricLike,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
    **settings: Any,
) -> dict[str, Sampling]:
    """Run `sampling` for blocks and for broad samples, by kind."""
    samples = {}
    for k, kind in enumerate(SAMPLE_KINDS):
        report = report_stage(progress, "samples", k, len(SAMPLE_KINDS))
        samples[kind] = sampling(testset, metric, kind, jobs=jobs, progress=report, **settings)
    return samples


class _SampleConclusions(NamedTuple):
    """The results of one sample; of several, with an axis of samples after the first."""

    scores: np.ndarray  # (systems,)
    low: np.ndarray
    high: np.ndarray
    deltas: np.ndarray  # (pairs,); NaN without a common segment
    win: np.ndarray
    lose: np.ndarray
    p: np.ndarray


def _conclude_sample(
    metric: Metric,
    statistics: np.ndarray,
    pairs: np.ndarray,
    settings: SamplingSettings,
    trials: int,
) -> _SampleConclusions:
    resamples = settings.resamples
    seed = settings.seed
    units = Units.segments(statistics.shape[1])
    data = engine.UnitStatistics(metric, statistics, units)
    scores = engine.bootstrap_scores(data, resamples, seed)
    low, high = percentile(Sample(data.scores, scores, np.empty((0, 0))), settings.alpha)
    contrast = contrast_pairs(metric, statistics, units, pairs, data)
    if contrast.data is data:
        differences = contrast.difference(scores)
    else:  # each pair on its common segments, by the same draws
        differences = contrast.bootstrap(resamples, seed)
    win, lose = win_rates(differences * direction(metric))
    p = approximate_randomization(contrast.deltas, contrast.swap(trials, seed))
    return _SampleConclusions(
        scores=data.scores,
        low=low,
        high=high,
        deltas=contrast.fill(contrast.deltas),
        win=contrast.fill(win),
        lose=contrast.fill(lose),
        p=contrast.fill(p),
    )


# How much wider blocks spread than broad samples, for every system and several sizes.


#: Sizes of samples that are offered.
SIZES = (10, 20, 30, 50, 100, 200, 300, 600, 1000, 3000)
_ENOUGH = 5  # samples without which a spread says nothing


@table_row
class Spread:
    """One system on samples of one size."""

    size: int = column("segments", "count")  # in a sample
    samples: int = column("samples", "count")  # of each kind
    system: str
    #: Standard deviation of the scores, in points; None where fewer than two samples have one.
    blocks: float | None = column("SD of blocks", "amount")
    broad: float | None = column("SD of broad samples", "amount")
    #: Blocks / broad (`ratio_of_spreads`).
    ratio: float | None = column("ratio", "estimate", ".2f")
    ratio_low: float | None
    ratio_high: float | None


@dataclass(frozen=True, kw_only=True)
class Spreads(Simulation):
    """Spreads of all systems and sizes; intervals have level 1 - alpha."""

    tables = {"rows": Spread}

    n_segments: int
    shuffled: bool
    rows: tuple[Spread, ...]  # by size, then system, the best first

    def ratios(self) -> dict[int, tuple[float, float, float]]:
        """Return the smallest, median and largest ratio of the systems, by size.

        Sizes without any are left out.
        """
        by_size = group_values((row.ratio, row.size) for row in self.rows if row.ratio is not None)
        return {
            size: (min(ratios), median(ratios), max(ratios)) for size, ratios in by_size.items()
        }


def spreads(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
    *,
    sizes: Sequence[float] | None = None,
    shuffle: bool = False,
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
) -> Spreads:
    """Measure how much wider blocks spread than broad samples (Koehn 2004, 3.2 and 3.3).

    Sizes are segments of a sample, or shares of the set. By default they are the `SIZES` that give
    five samples.
    """
    check_level(alpha)
    check_seed(seed)
    if not testset.systems:
        raise SettingError("No system to look at. Give at least one output.")
    measured = measure(testset, metric, progress=progress)
    n = measured.testset.n_segments
    if sizes is None:
        unit_sizes = [size for size in SIZES if n // size >= _ENOUGH]
    else:
        unit_sizes = in_units(sizes, n)
    if not unit_sizes:
        raise SettingError(
            f"Too few segments for {_ENOUGH} samples of {SIZES[0]}, which a spread takes: {n}. Expected at "
            f"least {_ENOUGH * SIZES[0]}, or smaller samples."
        )
    shuffle_seed = seed if shuffle else None
    positions_by_size = {}
    for size in unit_sizes:  # mistakes show before the work
        positions_by_size[size] = [positions(kind, n, size, shuffle_seed) for kind in SAMPLE_KINDS]
    count = measured.counter()
    rows = []
    for n_done, (size, (block_rows, broad_rows)) in enumerate(positions_by_size.items(), 1):
        blocks = _score_samples(measured.metric, count, block_rows)
        broad = _score_samples(measured.metric, count, broad_rows)
        for k in measured.order:
            ratio = ratio_of_spreads(blocks[k], broad[k], alpha) or (None, None, None)
            blocks_sd = finite_or_none(spread(blocks[k]))
            broad_sd = finite_or_none(spread(broad[k]))
            n_samples = len(block_rows)
            rows.append(Spread(size, n_samples, measured.names[k], blocks_sd, broad_sd, *ratio))
        if progress is not None:
            progress("samples", n_done / len(unit_sizes))
    return Spreads(
        metric=measured.metric.name,
        alpha=alpha,
        seed=seed,
        n_segments=n,
        shuffled=shuffle,
        rows=tuple(rows),
    )


def _score_samples(metric: Metric, count: CountSegments, samples: np.ndarray) -> np.ndarray:
    """Score all systems on each sample, shape (systems, samples)."""
    return np.array([metric.score(count(rows).sum(axis=1)) for rows in samples]).T


# Coverage: how often an interval from a small test set contains the score of its large source.


_SEGMENTS = 300  # of a test set
_DOCUMENTS = 30
_SEGMENT_STREAM = 30
_DOCUMENT_STREAM = 31


@dataclass(frozen=True)
class Covered:
    """The share of intervals of one kind that contain the true value."""

    sampled: str  # what test sets are drawn by: segment or document
    unit: str  # what the bootstrap draws: segment or document
    kind: str  # a key of `mtsig_core.stats.intervals.INTERVALS`
    quantity: str  # score of system A, or its difference to B
    covered: Rate
    width: float  # mean width in points


@dataclass(frozen=True, kw_only=True)
class Coverage(Simulation):
    """Coverage of every kind of interval; they have level 1 - alpha."""

    tables = {"rows": Covered}

    a: str
    b: str
    repeats: int
    resamples: int
    n_segments: int  # drawn for each test set
    n_documents: int | None  # None without document ids
    rows: tuple[Covered, ...]


def coverage(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
    a: str | None = None,
    b: str | None = None,
    *,
    repeats: int = 1000,
    n_segments: int | None = None,
    n_documents: int | None = None,
    resamples: int = 1000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    watch: Callable[[int, int, Coverage], None] | None = None,
) -> Coverage:
    """Count how often the intervals of a score and of a difference contain the true value.

    Test sets are drawn by segment and by document.
    """
    check_level(alpha)
    check_seed(seed)
    check_whole("repeats", repeats, 1, 1_000_000)
    check_whole("resamples", resamples, 20, 1_000_000)
    pair = pair_population(testset, metric, a, b, progress=progress)
    draws = PairDraws.from_population(pair, n_segments, n_documents, _SEGMENTS, _DOCUMENTS)
    score_a, score_b = pair.scores
    truth = {"score": score_a, "difference": score_a - score_b}

    def repeat(k: int) -> list[_Interval]:
        pair_sets = [
            draws.draw_segments(make_rng(seed, _SEGMENT_STREAM, k)),
            *draws.draw_documents(make_rng(seed, _DOCUMENT_STREAM, k)),
        ]
        intervals = []
        for pair_set in pair_sets:
            intervals += _estimate_intervals(pair.metric, pair_set, resamples, alpha)
        return intervals

    def gather(sets: list[list[_Interval]]) -> Coverage:
        rows = []
        for intervals in zip(*sets, strict=True):
            first = intervals[0]
            low = np.array([interval.low for interval in intervals])
            high = np.array([interval.high for interval in intervals])
            is_covered = (low <= truth[first.quantity]) & (truth[first.quantity] <= high)
            row = Covered(
                sampled=first.sampled,
                unit=first.unit,
                kind=first.kind,
                quantity=first.quantity,
                covered=rate_of(is_covered),
                width=float(np.mean(high - low)),
            )
            rows.append(row)
        return Coverage(
            metric=pair.metric.name,
            alpha=alpha,
            seed=seed,
            a=pair.systems[0],
            b=pair.systems[1],
            repeats=len(sets),
            resamples=resamples,
            n_segments=draws.n_segments,
            n_documents=draws.n_documents,
            rows=tuple(rows),
        )

    report = report_stage(progress, "test sets")
    return run_repeats(repeat, gather, repeats, jobs=jobs, progress=report, watch=watch)


class _Interval(NamedTuple):
    """One interval of one test set; the names are as in `Covered`."""

    sampled: str
    unit: str
    kind: str
    quantity: str
    low: float
    high: float


def _estimate_intervals(
    metric: Metric, pair_set: PairSet, resamples: int, alpha: float
) -> list[_Interval]:
    """Estimate every interval of one test set, of the first score and of the difference."""
    units = pair_set.units
    contrast = contrast_pairs(metric, pair_set.statistics, units, np.array([[0, 1]]))
    data = contrast.data
    scores = engine.bootstrap_scores(data, resamples, pair_set.seed)
    left_out = engine.jackknife_scores(data)
    # The same for both systems and their difference.
    freedom = find_freedom(data, pair_set.statistics)[:1]
    segments = segment_scores(metric, pair_set.statistics) if units.kind == "segment" else None
    score_segments = difference_segments = None
    if segments is not None:
        score_segments = segments[:1]
        difference_segments = contrast.difference(segments)
    score = Sample(data.scores[:1], scores[:1], left_out[:1], score_segments, freedom)
    difference = Sample(
        contrast.deltas,
        contrast.difference(scores),
        contrast.difference(left_out),
        difference_segments,
        freedom,
    )
    intervals = []
    for kind, estimate in fitting_intervals(segments is not None).items():
        for quantity, sample in (("score", score), ("difference", difference)):
            low, high = estimate(sample, alpha)
            intervals.append(
                _Interval(
                    pair_set.drawn_by, units.kind, kind, quantity, float(low[0]), float(high[0])
                )
            )
    return intervals


# Do small test sets give the same conclusions as a much larger one? (Koehn 2004, section 7, Tables
# 3 and 4.)


#: Segments of a sample in Koehn's Table 3.
CONCLUSION_SIZES = (100, 300, 600, 3000)
#: Lower bounds of the levels in Koehn's Table 4, in percent; the first is 100% itself.
_LEVELS = (100, 99, 98, 95, 90, 80, 70, 60, 50)
_STREAM = 20


@table_row
class Concluded:
    """Conclusions on one pair from samples of one size, no two of which share a segment.

    Right is as the whole test set, whose own order may be chance where its p is above alpha.
    """

    a: str = column("better", "name")
    b: str = column("worse", "name")
    #: On the whole test set, in points, positive where higher is better.
    delta: float = column("difference", "amount")
    size: int  # segments of a sample
    right: Rate = column("as the whole set", "estimate", ".1%")
    wrong: Rate = column("opposite", "estimate", ".1%")
    whole_p: float = column("p of the whole set", "p")


@table_row
class Level:
    """Conclusions whose larger share of wins lies in one range of percent.

    Intervals go by samples (`clustered_rate`), and do not take into account that samples of
    different sizes overlap.
    """

    low: float
    high: float  # not in the range, except where both bounds are 100, for all wins
    right: Rate = column("as the whole set", "estimate", ".1%")

    @derived("share of wins")
    def level(self) -> str:
        """The range as Koehn prints it, such as 95%-97.9%."""
        return "100%" if self.low == 100 else f"{self.low:g}%-{self.high - 0.1:.1f}%"

    @derived("conclusions", "count")
    def n(self) -> int:
        """The number of conclusions."""
        return self.right.n


@dataclass(frozen=True, kw_only=True)
class Conclusions(Simulation):
    """Conclusions from many samples of a test set, compared with the whole of it."""

    tables = {"rows": Concluded, "levels": Level}

    resamples: int
    n_segments: int
    sizes: tuple[int, ...]
    samples: tuple[int, ...]  # of each size
    rows: tuple[Concluded, ...]  # by pair, then size
    levels: tuple[Level, ...]  # over all pairs and sizes
    #: By size, of shape (samples, pairs): 1 for a right conclusion, -1 for a wrong one, 0 for none.
    verdicts: dict[int, np.ndarray] = field(compare=False, repr=False)

    def totals(self, size: int | None = None) -> tuple[Rate, Rate]:
        """Return the share of samples concluded, and of those, the share right.

        They are of a size, by default of all sizes.
        """
        sizes = list(self.verdicts) if size is None else [size]
        verdicts = np.concatenate([self.verdicts[n] for n in sizes])
        sample = np.broadcast_to(np.arange(len(verdicts))[:, None], verdicts.shape)
        concluded = verdicts != 0
        return (
            clustered_rate(concluded.ravel(), sample.ravel()),
            clustered_rate(verdicts[concluded] == 1, sample[concluded]),
        )

    def of_closest_pair(self) -> tuple[str, str, Rate]:
        """Return the pair that differs least on the whole test set, and how often it is right.

        The share is of the samples of all sizes that conclude something.
        """
        rows = sorted(self.rows, key=lambda row: abs(row.delta))[: len(self.sizes)]
        n_right = sum(row.right.count for row in rows)
        n_wrong = sum(row.wrong.count for row in rows)
        return rows[0].a, rows[0].b, rate(n_right, n_right + n_wrong)

    @property
    def undecided(self) -> tuple[tuple[str, str], ...]:
        """The pairs whose order on the whole test set may itself be chance."""
        pairs = [(row.a, row.b) for row in self.rows if not significant(row.whole_p, self.alpha)]
        return tuple(dict.fromkeys(pairs))


def conclusions(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
    *,
    sizes: tuple[int, ...] | None = None,
    resamples: int = 1000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    watch: Callable[[int, int, Conclusions], None] | None = None,
) -> Conclusions:
    """Compare conclusions of Koehn's paired bootstrap from broad samples with the whole test set.

    Each system is compared with the next two by score, which are the nine pairs of Koehn's six
    systems; pairs with equal scores are left out. All pairs truly differ, a little or much, so this
    does not check the type I error.
    """
    check_level(alpha)
    check_seed(seed)
    check_whole("resamples", resamples, 20, 1_000_000)
    source = population(testset, metric, progress=progress)
    sizes = _choose_sizes(source.n_segments, sizes)
    pairs = _differing_pairs(source)
    contrast = contrast_pairs(source.metric, source.statistics, source.units, pairs)
    p_of_whole = whole_p(contrast, seed)
    tasks = []
    progress_of_task = []  # in the samples of its size
    for size in sizes:
        samples = positions("broad", source.n_segments, size)
        tasks += [(size, rows) for rows in samples]
        progress_of_task += [(k + 0.5) / len(samples) for k in range(len(samples))]
    # The first tasks are of all sizes, in proportion; each has the draws of its number in the list.
    order = np.argsort(progress_of_task, kind="stable")

    def repeat(place: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Larger share of wins, the sign of the win, and whether it is concluded, by pair."""
        task = int(order[place])
        size, rows = tasks[task]
        sample = contrast_pairs(
            source.metric, source.statistics[:, rows], Units.segments(size), pairs
        )
        draw_seed = int(make_rng(seed, _STREAM, task).integers(1 << 62))
        win, lose = win_rates(sample.bootstrap(resamples, draw_seed))
        decisions = decide_pairs(win - lose, alpha, win=win, lose=lose)
        return np.maximum(win, lose), np.sign(win - lose), decisions != 0

    def gather(results: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> Conclusions:
        done = order[: len(results)]
        in_order = np.argsort(done)
        # each of shape (tasks, pairs)
        share, sign, concluded = (
            np.array(values)[in_order] for values in zip(*results, strict=True)
        )
        agrees = sign * np.sign(contrast.deltas)  # 1, 0 or -1
        verdicts = np.where(concluded, agrees, 0).astype(int)
        size_of_task = np.array([size for size, _ in tasks])[done[in_order]]
        by_size = {size: verdicts[size_of_task == size] for size in sizes}
        n_samples = [len(verdicts) for verdicts in by_size.values()]
        rows = _conclude(source, pairs, by_size, p_of_whole)
        levels = _count_levels(share, agrees)
        return Conclusions(
            metric=source.metric.name,
            alpha=alpha,
            seed=seed,
            resamples=resamples,
            n_segments=source.n_segments,
            sizes=sizes,
            samples=tuple(n_samples),
            rows=rows,
            levels=levels,
            verdicts=by_size,
        )

    report = report_stage(progress, "samples")
    return run_repeats(repeat, gather, len(tasks), jobs=jobs, progress=report, watch=watch)


def _choose_sizes(n_segments: int, sizes: tuple[int, ...] | None) -> tuple[int, ...]:
    """Check the sizes, or choose the sizes in the paper that give two samples of the test set."""
    if sizes is None:
        chosen_sizes = [size for size in CONCLUSION_SIZES if n_segments // size > 1]
    else:
        chosen_sizes = [check_whole("size", size, 2, 1_000_000) for size in dict.fromkeys(sizes)]
    for size in chosen_sizes or CONCLUSION_SIZES[:1]:
        if n_segments // size < 2:
            raise SettingError(
                f"Too few segments for two samples of {size}: {n_segments}. Expected at least {2 * size}, "
                "or smaller samples."
            )
    return tuple(chosen_sizes)


def _differing_pairs(source: Population) -> np.ndarray:
    """List nearby pairs of systems whose scores on the whole test set differ, shape (pairs, 2)."""
    pairs = nearby_pairs(len(source.systems))
    differences = np.abs(pair_differences(source.scores, pairs))
    differing: np.ndarray = pairs[differences > rounding_error(source.scores)]
    if not len(differing):
        raise SettingError(
            "All systems have the same score on the whole test set: no conclusion is right or wrong."
        )
    return differing


def _conclude(
    source: Population,
    pairs: np.ndarray,
    by_size: Mapping[int, np.ndarray],
    p_of_whole: np.ndarray,
) -> tuple[Concluded, ...]:
    """Make a row for each pair and size, from verdicts of shape (samples, pairs)."""
    rows = []
    for k, (first, second) in enumerate(pairs):
        delta = float(abs(source.scores[first] - source.scores[second]))
        p = float(p_of_whole[k])
        for size, verdicts in by_size.items():
            right = rate_of(verdicts[:, k] == 1)
            wrong = rate_of(verdicts[:, k] == -1)
            row = Concluded(
                a=source.systems[first],
                b=source.systems[second],
                delta=delta,
                size=size,
                right=right,
                wrong=wrong,
                whole_p=p,
            )
            rows.append(row)
    return tuple(rows)


def nearby_pairs(n_systems: int) -> np.ndarray:
    """Pair each system with the next two, shape (pairs, 2).

    >>> nearby_pairs(4).tolist()
    [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    """
    pairs = engine.all_pairs(n_systems)
    nearby: np.ndarray = pairs[pairs[:, 1] - pairs[:, 0] <= 2]
    return nearby


def _count_levels(share: np.ndarray, agrees: np.ndarray) -> tuple[Level, ...]:
    """Count as in Koehn's Table 4; below 50% (ties between equal halves) nothing is concluded."""
    percent = np.round(100 * share, 9)
    sample = np.broadcast_to(np.arange(len(share))[:, None], share.shape)
    levels = []
    high = 100
    for low in _LEVELS:
        is_inside = (percent >= low) & (agrees != 0)
        if low < 100:
            is_inside &= percent < high
        right = clustered_rate(agrees[is_inside] == 1, sample[is_inside])
        levels.append(Level(low, high, right))
        high = low
    return tuple(levels)


# One pair by every test that gives a p (Riezler and Maxwell 2005, Table 1).


@dataclass(frozen=True)
class PairTest:
    """The result of one test of the pair, by segment or by document; p is uncorrected."""

    a: str
    b: str
    unit: str
    test: str  # a key of `mtsig_core.stats.significance.TESTS` that gives a p
    p_value: float
    significant: bool


@dataclass(frozen=True, kw_only=True)
class AllPairTests(Simulation):
    """Two systems under one metric; the signature is that on the segments tested."""

    tables = {"rows": PairTest}

    a: str
    b: str
    signature: str
    score_a: float
    score_b: float
    improvement: float  # of a over b in points, positive also where lower scores are better
    trials: int
    n_segments: int
    rows: tuple[PairTest, ...]  # by unit, then test

    def p_value(self, unit: str, test: str) -> float | None:
        """Return p; None without that unit or test."""
        for row in self.rows:
            if (row.unit, row.test) == (unit, test):
                return row.p_value
        return None

    def significant(self, unit: str, test: str) -> bool:
        """Return whether the test is significant; False also without that unit or test."""
        return any(row.significant for row in self.rows if (row.unit, row.test) == (unit, test))


def pair_tests(  # noqa: PLR0913  each parameter is an option of the command
    testset: TestSet,
    metric: MetricLike,
    a: str | None = None,
    b: str | None = None,
    *,
    n_segments: int | None = None,
    trials: int = 9999,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> AllPairTests:
    """Run every test that gives a p on one pair, by segment, and by document where there are ids.

    By default on all segments: `n_segments` takes the first broad sample of so many, at most half
    of them.
    """
    metric = resolve_metric(testset, metric)
    if n_segments is not None:
        check_whole("segments", n_segments, 2, testset.n_segments // 2)
        segments = positions("broad", testset.n_segments, n_segments)[0]
        testset = testset.take(segments.tolist())
    pair = pair_population(testset, metric, a, b, progress=progress)
    a, b = pair.systems
    units = ["segment"]
    if pair.n_documents > 1:
        units.append("document")
    examinations = {}
    rows = []
    for unit in units:
        examination = examine_pair(
            testset,
            metric,
            a,
            b,
            unit=unit,
            trials=trials,
            alpha=alpha,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
        examinations[unit] = examination
        for outcome in examination.outcomes:
            p = outcome.p_value
            is_by_unit = unit == "segment" or not TESTS[outcome.test].of_segments
            if p is not None and is_by_unit:
                rows.append(PairTest(a, b, unit, outcome.test, p, significant(p, alpha)))
    by_segment = examinations["segment"]
    improvement = by_segment.sign * by_segment.delta
    return AllPairTests(
        metric=metric.name,
        alpha=alpha,
        seed=seed,
        a=a,
        b=b,
        signature=metric.signature(testset),
        score_a=by_segment.score_a,
        score_b=by_segment.score_b,
        improvement=improvement,
        trials=trials,
        n_segments=by_segment.n,
        rows=tuple(rows),
    )
