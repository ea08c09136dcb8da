"""What a small test set tells of a large one: samples, their conclusions, and coverage of intervals
(Koehn 2004).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, ClassVar

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.frame import (
    Experiment,
    Population,
    Rate,
    Simulation,
    check_seed,
    clustered_rate,
    column,
    derived,
    draw_pair,
    in_units,
    make_rng,
    pair_population,
    pair_sides,
    population,
    rate,
    run_repeats,
    whole_p,
    wilson,
)
from mtsig_core.metrics import Metric, direction, part_counter, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.results import SamplingSettings
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import TOLERANCE, pair_differences, rounding_error
from mtsig_core.stats.engine import measure, segment_scores
from mtsig_core.stats.few_units import find_freedom
from mtsig_core.stats.intervals import Sample, finite_or_none, fitting_intervals, percentile
from mtsig_core.stats.pair import examine_pair
from mtsig_core.stats.parallel import Progress, report_stage
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

# What samples of a test set conclude, and whether the whole test set agrees.


def spread(scores: np.ndarray) -> float:
    """Standard deviation of the scores that are there (NaN where a sample has none); NaN below
    two.
    """
    known = scores[np.isfinite(scores)]
    return float(known.std(ddof=1)) if len(known) > 1 else float("nan")


def ratio_of_spreads(
    blocks: np.ndarray, broad: np.ndarray, alpha: float = 0.05
) -> tuple[float, float, float] | None:
    """Standard deviation of one lot of scores over that of another, and the ends of its interval of
    level 1 - alpha.

    Scores have shape (samples,), in the order of the samples, NaN where a sample has none. The
    interval is that of two normal lots (F distribution), each of as many independent samples as
    tell as much of a variance (Bartlett 1946): n / (1 + 2 sum of squared autocorrelations). None
    below two scores, and where the second lot does not vary.

    >>> some = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5])
    >>> [round(x, 2) for x in ratio_of_spreads(some * 2, some)]
    [2.0, 0.95, 4.21]
    """
    from scipy.special import fdtri

    above, below = spread(blocks), spread(broad)
    if not (np.isfinite(above) and below > rounding_error(broad)):
        return None
    free = [
        (len(known) - 1) / (1 + 2 * sum(correlation**2 for correlation in _autocorrelations(known)))
        for known in (scores[np.isfinite(scores)] for scores in (blocks, broad))
    ]
    low, high = (
        float(above / below / np.sqrt(fdtri(*free, p))) for p in (1 - alpha / 2, alpha / 2)
    )
    return above / below, low, high


def _autocorrelations(values: np.ndarray) -> list[float]:
    """Of lags 1, 2, ... up to the first that is not clearly above 0 (1.96 / sqrt(n))."""
    deviations = values - values.mean()
    total, correlations = float(deviations @ deviations), []
    for lag in range(1, len(deviations) // 2):
        correlation = float(deviations[lag:] @ deviations[:-lag]) / total if total > 0 else 0.0
        if correlation < 1.96 / np.sqrt(len(deviations)):
            break
        correlations.append(correlation)
    return correlations


def _rate_in_order(yes: np.ndarray) -> Rate:
    """A share of samples in their order, with Wilson's 95% interval for n / (1 + 2 sum of
    autocorrelations) of them.
    """
    if not len(yes):
        return rate(0, 0)
    share, worth = float(yes.mean()), len(yes) / (1 + 2 * sum(_autocorrelations(yes.astype(float))))
    return Rate(int(yes.sum()), len(yes), share, *wilson(share, worth))


@dataclass(frozen=True, eq=False)
class SampledSystem:
    """One system on every sample, in points; NaN where a sample has no score of it."""

    system: str
    full: float  # score on the whole test set
    scores: np.ndarray  # (samples,)
    low: np.ndarray  # ends of percentile intervals from a bootstrap of the sample's own segments
    high: np.ndarray

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest score; NaN where no sample has one."""
        known = self.scores[np.isfinite(self.scores)]
        return (
            (float(known.min()), float(known.max())) if len(known) else (float("nan"), float("nan"))
        )

    @property
    def sd(self) -> float:
        """Standard deviation of the scores; NaN below two."""
        return spread(self.scores)

    @property
    def hits(self) -> np.ndarray:
        """Whether each interval contains the score on the whole test set, shape (samples,)."""
        tie = TOLERANCE * abs(self.full)
        return (self.low - tie <= self.full) & (self.full <= self.high + tie)

    @property
    def hit_rate(self) -> Rate:
        """Of the samples that have a score."""
        return _rate_in_order(self.hits[np.isfinite(self.scores)])


@dataclass(frozen=True, eq=False)
class SampledPair:
    """Two systems on every sample; differences are score(a) - score(b) in points, NaN where nothing
    is compared.
    """

    a: str
    b: str
    higher_is_better: bool
    full: float  # difference on the whole test set
    deltas: np.ndarray  # (samples,)
    win: (
        np.ndarray
    )  # Koehn's paired bootstrap: shares of bootstrap samples on which a is better than b
    lose: np.ndarray
    p_value: np.ndarray  # of approximate randomization
    whole_p: float = float(
        "nan"
    )  # of the whole set: where it is above alpha, the order may itself be chance

    def flipped(self) -> SampledPair:
        """The same pair as b and a."""
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
        """What turns a difference of scores into an improvement of a over b."""
        return 1 if self.higher_is_better else -1

    @property
    def improvements(self) -> np.ndarray:
        """Improvement of a over b on each sample, positive also where lower scores are better."""
        return self.sign * self.deltas

    def concluded(self, test: str = "koehn", alpha: float = 0.05) -> np.ndarray:
        """1 where a sample says that a is better, -1 where that b is, else 0; shape (samples,)."""
        if test == "koehn":
            return decide_pairs(self.win - self.lose, alpha, win=self.win, lose=self.lose)
        if test == "ar":
            return decide_pairs(self.improvements, alpha, p=self.p_value)
        raise SettingError(f"Unknown test {test!r} of samples. Available: koehn, ar.")

    def verdicts(self, test: str = "koehn", alpha: float = 0.05) -> np.ndarray:
        """Conclusions against the order of the whole test set, all wrong of a tie: 1 right, -1
        wrong, 0 none.
        """
        concluded = self.concluded(test, alpha)
        order = (
            0 if abs(self.full) <= rounding_error(self.deltas) else self.sign * np.sign(self.full)
        )
        return np.where(concluded == 0, 0, np.where(concluded == order, 1, -1))

    def tally(self, test: str = "koehn", alpha: float = 0.05) -> dict[str, Rate]:
        """How many samples are right, wrong, or conclude nothing; see `verdicts`."""
        verdicts = self.verdicts(test, alpha)
        return {
            name: _rate_in_order(verdicts == verdict)
            for name, verdict in (("right", 1), ("wrong", -1), ("none", 0))
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
    whole_units: int  # that p on the whole test set comes from swaps of

    def system(self, name: str) -> SampledSystem:
        return next(system for system in self.systems if system.system == name)

    def pair(self, a: str, b: str) -> SampledPair:
        """The pair in the order asked for."""
        sampled = next(pair for pair in self.pairs if {pair.a, pair.b} == {a, b})
        return sampled if sampled.a == a else sampled.flipped()


# Blocks and broad samples of a test set: what a small test set tells of a large one (Koehn 2004,
# 3.2 to 3.4, 5, 6).


SAMPLE_KINDS = ("blocks", "broad")


def positions(kind: str, n_segments: int, size: int, shuffle_seed: int | None = None) -> np.ndarray:
    """The segments of every sample, shape (samples, size).

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
        most = n_segments // 2
        way_out = (
            f"Use samples of at most {most} segments." if most >= 2 else "Use a larger test set."
        )
        raise SettingError(
            f"Two samples of {size} segments need {2 * size}, and there are {n_segments}. {way_out}"
        )
    order = np.arange(n_segments)
    if shuffle_seed is not None:
        order = np.random.default_rng(shuffle_seed).permutation(order)
    used = order[: n_samples * size]
    return used.reshape(n_samples, size) if kind == "blocks" else used.reshape(size, n_samples).T


def sampling(
    testset: TestSet,
    metric: str | Metric,
    kind: str,
    *,
    size: int = 300,
    shuffle: bool = False,
    alpha: float = 0.05,
    resamples: int = 1000,
    trials: int = 999,
    seed: int = 0,
    jobs: int = 1,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
) -> Sampling:
    """Take a test set for the truth, cut it into small ones, and see what each of these would have
    said.

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
    seen = measure(
        testset, metric, statistics=statistics, progress=report_stage(progress, "counting")
    )
    metric, part = seen.metric, seen.testset
    rows = positions(kind, part.n_segments, size, seed if shuffle else None)
    pairs, counted = seen.order[engine.all_pairs(len(seen.order))], seen.counter()

    p_whole = whole_p(
        metric, seen.statistics, pairs, part.document_index if part.documents else None, seed
    )
    sides, sided = pair_sides(metric, seen.statistics, pairs)
    full, names, on_all = pair_differences(sides.scores, sided), seen.names, seen.scores.tolist()

    def conclude(sample: int, _: np.random.Generator) -> tuple[np.ndarray, ...]:
        # A seed for each sample from both numbers, so that samples of one seed are not those of the
        # next.
        own = int(np.random.SeedSequence((seed, sample)).generate_state(1, np.uint64)[0])
        return _conclude_sample(
            metric, counted(rows[sample]), pairs, replace(settings, seed=own), trials
        )

    def gather(samples: list[tuple[np.ndarray, ...]]) -> Sampling:
        scores, low, high, deltas, win, lose, p = (
            np.ascontiguousarray(np.array(values).T) for values in zip(*samples, strict=True)
        )
        return Sampling(
            metric=metric.name,
            higher_is_better=metric.higher_is_better,
            signature=metric.signature(testset),
            kind=kind,
            size=size,
            n_samples=len(samples),
            n_segments=part.n_segments,
            shuffled=shuffle,
            settings=settings,
            trials=trials,
            whole_units=part.n_documents or part.n_segments,
            systems=tuple(
                SampledSystem(names[k], on_all[k], scores[k], low[k], high[k]) for k in seen.order
            ),
            pairs=tuple(
                SampledPair(
                    names[a],
                    names[b],
                    metric.higher_is_better,
                    float(full[k]),
                    deltas[k],
                    win[k],
                    lose[k],
                    p[k],
                    float(p_whole[k]),
                )
                for k, (a, b) in enumerate(pairs)
            ),
        )

    return run_repeats(
        conclude,
        gather,
        len(rows),
        seed,
        0,
        jobs=jobs,
        progress=report_stage(progress, f"{kind} of {size}"),
    )


def sample_both_kinds(
    testset: TestSet,
    metric: str | Metric,
    *,
    statistics: np.ndarray | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    **asked: Any,
) -> dict[str, Sampling]:
    """`sampling` of blocks and of broad samples, by kind."""

    def report(k: int) -> Progress | None:
        return progress and (
            lambda stage, share: progress("samples", (k + share) / len(SAMPLE_KINDS))
        )

    return {
        kind: sampling(
            testset, metric, kind, statistics=statistics, jobs=jobs, progress=report(k), **asked
        )
        for k, kind in enumerate(SAMPLE_KINDS)
    }


def _conclude_sample(
    metric: Metric,
    statistics: np.ndarray,
    pairs: np.ndarray,
    settings: SamplingSettings,
    trials: int,
) -> tuple[np.ndarray, ...]:
    """Of one sample scores, low and high ends, shape (systems,), differences, wins, losses and p,
    shape (pairs,).
    """
    data = engine.UnitStatistics(metric, statistics, Units.segments(statistics.shape[1]))
    drawn = engine.bootstrap_scores(data, settings.resamples, settings.seed)
    low, high = percentile(Sample(data.scores, drawn, np.empty((0, 0))), settings.alpha)
    if not len(pairs):
        return data.scores, low, high, *[np.empty(0)] * 4
    sides, rows = pair_sides(metric, statistics, pairs)
    if rows is not pairs:  # each pair on what both have, by the same draws
        drawn = engine.bootstrap_scores(sides, settings.resamples, settings.seed)
    deltas = pair_differences(sides.scores, rows)
    win, lose = win_rates(pair_differences(drawn, rows) * direction(metric))
    p = approximate_randomization(
        deltas, engine.swap_differences(sides, rows, trials, settings.seed)
    )
    return (
        data.scores,
        low,
        high,
        deltas,
        *(np.where(np.isnan(deltas), np.nan, x) for x in (win, lose, p)),
    )


# How much wider blocks of neighbours spread than broad samples, for every system and several sizes.


#: Sizes of samples that are offered.
SIZES = (10, 20, 30, 50, 100, 200, 300, 600, 1000, 3000)
_ENOUGH = 5  # samples without which a spread says nothing


@dataclass(frozen=True)
class Spread:
    """One system on samples of one size."""

    size: int = field(metadata=column("segments", "count"))  # in a sample
    samples: int = field(metadata=column("samples", "count"))  # of each kind
    system: str
    #: Standard deviation of the scores, in points; None where fewer than two samples have one.
    blocks: float | None = field(metadata=column("SD of blocks", "amount"))
    broad: float | None = field(metadata=column("SD of broad samples", "amount"))
    ratio: float | None = field(
        metadata=column("ratio", "estimate", ".2f")
    )  # blocks / broad (`ratio_of_spreads`)
    ratio_low: float | None
    ratio_high: float | None


@dataclass(frozen=True, kw_only=True)
class Spreads(Simulation):
    """Spreads of all systems and sizes; intervals have level 1 - alpha."""

    tables: ClassVar[Mapping[str, type]] = {"rows": Spread}

    n_segments: int
    shuffled: bool
    rows: tuple[Spread, ...]  # by size, then system, the best first

    def ratios(self) -> dict[int, tuple[float, float, float]]:
        """Size -> smallest, median and largest ratio of the systems; sizes without any are left
        out.
        """
        by_size: dict[int, list[float]] = {}
        for row in self.rows:
            if row.ratio is not None:
                by_size.setdefault(row.size, []).append(row.ratio)
        return {
            size: (min(ratios), median(ratios), max(ratios)) for size, ratios in by_size.items()
        }


def spreads(
    testset: TestSet,
    metric: str | Metric,
    *,
    sizes: Sequence[float] | None = None,
    shuffle: bool = False,
    alpha: float = 0.05,
    seed: int = 0,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
) -> Spreads:
    """How much wider scores of blocks spread than those of broad samples (Koehn 2004, 3.2 and 3.3).

    Sizes are segments of a sample, or shares of the set; by default those of `SIZES` that give five
    samples.
    """
    check_level(alpha)
    check_seed(seed)
    if not testset.systems:
        raise SettingError("No system to look at. Give at least one output.")
    seen = measure(
        testset, metric, statistics=statistics, progress=report_stage(progress, "counting")
    )
    metric, n, counted = seen.metric, seen.testset.n_segments, seen.counter()
    sizes = (
        tuple(size for size in SIZES if n // size >= _ENOUGH)
        if sizes is None
        else in_units(sizes, n)
    )
    if not sizes:
        raise SettingError(
            f"A spread takes {_ENOUGH} samples or more, and {n} segments give no {_ENOUGH} samples of "
            f"{SIZES[0]}. Expected at least {_ENOUGH * SIZES[0]} segments, or "
            "smaller samples."
        )
    cut = {
        (size, kind): positions(kind, n, size, seed if shuffle else None)
        for size in sizes
        for kind in SAMPLE_KINDS
    }
    rows, report = [], report_stage(progress, "samples")
    for done, size in enumerate(sizes, 1):
        blocks, broad = (
            np.array([metric.score(counted(sample).sum(axis=1)) for sample in cut[size, kind]]).T
            for kind in SAMPLE_KINDS
        )
        for k in seen.order:
            deviations = (finite_or_none(spread(scores[k])) for scores in (blocks, broad))
            rows.append(
                Spread(
                    size,
                    len(blocks[k]),
                    seen.names[k],
                    *deviations,
                    *(ratio_of_spreads(blocks[k], broad[k], alpha) or (None, None, None)),
                )
            )
        if report is not None:
            report(done / len(sizes))
    return Spreads(
        metric=metric.name, alpha=alpha, seed=seed, n_segments=n, shuffled=shuffle, rows=tuple(rows)
    )


# Coverage: how often an interval from a small test set holds the score of the large one it was
# drawn from.


_SEGMENTS, _DOCUMENTS = 300, 30  # of a test set
_SEGMENT_STREAM, _DOCUMENT_STREAM = 30, 31

_Ends = tuple[str, str, str, float, float]  # unit, kind, quantity, low, high
_Covering = tuple[str, str, str, str, float, float]  # what the test set was drawn by, and those


@dataclass(frozen=True)
class Covered:
    """How often one kind of interval holds the true value."""

    sampled: str  # what test sets are drawn by: segment or document
    unit: str  # what the bootstrap draws: segment or document
    kind: str  # a key of `mtsig_core.stats.intervals.INTERVALS`
    quantity: str  # score of system A, or its difference to B
    covered: Rate
    width: float  # mean width in points


@dataclass(frozen=True, kw_only=True)
class Coverage(Simulation):
    """Coverage of every kind of interval; they have level 1 - alpha."""

    tables: ClassVar[Mapping[str, type]] = {"rows": Covered}

    a: str
    b: str
    repeats: int
    resamples: int
    n_segments: int  # drawn for each test set
    n_documents: int | None  # None without document ids
    rows: tuple[Covered, ...]


def coverage(
    testset: TestSet,
    metric: str | Metric,
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
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
    watch: Callable[[int, int, Coverage], None] | None = None,
) -> Coverage:
    """Coverage of the intervals of one score and of one difference, on test sets drawn by segment
    and by document.
    """
    check_level(alpha)
    check_whole("repeats", repeats, 1, 1_000_000)
    check_whole("resamples", resamples, 20, 1_000_000)
    draws = draw_pair(
        testset,
        metric,
        a,
        b,
        n_segments,
        n_documents,
        (_SEGMENTS, _DOCUMENTS),
        "test sets",
        statistics=statistics,
        progress=progress,
    )
    whole = draws.whole
    truth = {"score": draws.scores[0], "difference": draws.scores[0] - draws.scores[1]}

    def repeat(k: int, rng: np.random.Generator) -> list[_Covering]:
        sets = draws.draw_sets(rng, make_rng(seed, _DOCUMENT_STREAM, k))
        return [
            (sampled, *ends)
            for sampled, both, units, key in sets
            for ends in _ends(whole.metric, both, units, resamples, alpha, key)
        ]

    def gather(sets: list[list[_Covering]]) -> Coverage:
        rows = []
        for intervals in zip(*sets, strict=True):
            sampled, unit, kind, quantity = intervals[0][:4]
            low, high = np.array([ends[4:] for ends in intervals], dtype=float).T
            hits = int(((low <= truth[quantity]) & (truth[quantity] <= high)).sum())
            rows.append(
                Covered(
                    sampled, unit, kind, quantity, rate(hits, len(sets)), float(np.mean(high - low))
                )
            )
        return Coverage(
            metric=whole.metric.name,
            alpha=alpha,
            seed=seed,
            a=draws.names[0],
            b=draws.names[1],
            repeats=len(sets),
            resamples=resamples,
            n_segments=draws.n_segments,
            n_documents=draws.n_documents,
            rows=tuple(rows),
        )

    return run_repeats(
        repeat,
        gather,
        repeats,
        seed,
        _SEGMENT_STREAM,
        jobs=jobs,
        progress=report_stage(progress, "test sets"),
        watch=watch,
    )


def _ends(
    metric: Metric, both: np.ndarray, units: Units, resamples: int, alpha: float, seed: int
) -> list[_Ends]:
    """Every interval of one test set."""
    data = engine.UnitStatistics(metric, both, units)
    drawn, left_out = engine.bootstrap_scores(data, resamples, seed), engine.jackknife_scores(data)
    segments = segment_scores(metric, both) if units.kind == "segment" else None
    combined: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "score": lambda x: x[:1],
        "difference": lambda x: x[:1] - x[1:],
    }
    freedom = find_freedom(data, both)[:1]  # the same for both systems and their difference
    quantities = {
        name: Sample(
            combine(data.scores),
            combine(drawn),
            combine(left_out),
            None if segments is None else combine(segments),
            freedom,
        )
        for name, combine in combined.items()
    }
    return [
        (units.kind, kind, quantity, float(low[0]), float(high[0]))
        for kind, interval in fitting_intervals(segments is not None).items()
        for quantity, sample in quantities.items()
        for low, high in [interval(sample, alpha)]
    ]


# Are conclusions from small test sets those of a much larger one? (Koehn 2004, section 7, Tables 3
# and 4.)


#: Segments of a sample in Koehn's Table 3.
CONCLUSION_SIZES = (100, 300, 600, 3000)
#: Lower ends of the levels in Koehn's Table 4, in percent; the first is 100% itself.
_LEVELS = (100, 99, 98, 95, 90, 80, 70, 60, 50)
_STREAM = 20
_Sampled = tuple[
    np.ndarray, np.ndarray, np.ndarray
]  # by pair: larger share of wins, the way it goes, if concluded


@dataclass(frozen=True)
class Concluded:
    """Conclusions on one pair from samples of one size, no two of which share a segment: right is
    as the whole test set, whose own order may be chance where its p is above alpha.
    """

    a: str = field(metadata=column("better", "name"))
    b: str = field(metadata=column("worse", "name"))
    #: On the whole test set, in points, positive where higher is better.
    delta: float = field(metadata=column("difference", "amount"))
    size: int  # segments of a sample
    right: Rate = field(metadata=column("as the whole set", "estimate", ".1%"))
    wrong: Rate = field(metadata=column("opposite", "estimate", ".1%"))
    whole_p: float = field(metadata=column("p of the whole set", "p"))


@dataclass(frozen=True)
class Level:
    """Conclusions whose larger share of wins lies in one range of percent, and how many are right;
    intervals go by samples (`clustered_rate`), and do not take into account that samples of
    different sizes overlap.
    """

    low: float
    high: float  # not in the range, except where both ends are 100, for all wins
    right: Rate = field(metadata=column("as the whole set", "estimate", ".1%"))

    @derived("share of wins")
    def level(self) -> str:
        """As Koehn prints it, such as 95%-97.9%."""
        return "100%" if self.low == 100 else f"{self.low:g}%-{self.high - 0.1:.1f}%"

    @derived("conclusions", "count")
    def n(self) -> int:
        return self.right.n


@dataclass(frozen=True, kw_only=True)
class Conclusions(Simulation):
    """Conclusions from many samples of a test set, held against the whole of it."""

    tables: ClassVar[Mapping[str, type]] = {"rows": Concluded, "levels": Level}

    resamples: int
    n_segments: int
    sizes: tuple[int, ...]
    samples: tuple[int, ...]  # of each size
    rows: tuple[Concluded, ...]  # by pair, then size
    levels: tuple[Level, ...]  # over all pairs and sizes
    #: By size, of shape (samples, pairs): 1 for a right conclusion, -1 for a wrong one, 0 for none.
    verdicts: dict[int, np.ndarray] = field(compare=False, repr=False)

    def totals(self, size: int | None = None) -> tuple[Rate, Rate]:
        """Of all samples of a size (by default of all sizes): the share concluded; of those, the
        share right.
        """
        verdicts = np.concatenate([some for n, some in self.verdicts.items() if size in (None, n)])
        sample = np.broadcast_to(np.arange(len(verdicts))[:, None], verdicts.shape)
        concluded = verdicts != 0
        return (
            clustered_rate(concluded.ravel(), sample.ravel()),
            clustered_rate(verdicts[concluded] == 1, sample[concluded]),
        )

    @property
    def undecided(self) -> tuple[tuple[str, str], ...]:
        """The pairs whose order on the whole test set may itself be chance."""
        return tuple(
            dict.fromkeys(
                (row.a, row.b) for row in self.rows if not significant(row.whole_p, self.alpha)
            )
        )


def conclusions(
    testset: TestSet,
    metric: str | Metric,
    *,
    sizes: tuple[int, ...] | None = None,
    resamples: int = 1000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
    watch: Callable[[int, int, Conclusions], None] | None = None,
) -> Conclusions:
    """Conclusions of Koehn's paired bootstrap from broad samples by segment, right or wrong by the
    whole test set.

    Each system is compared with the next two by score, which are the nine pairs of Koehn's six
    systems; pairs with equal scores are left out. All pairs do differ, a little or much, so this is
    no check of the type-I error.
    """
    check_level(alpha)
    check_whole("resamples", resamples, 20, 1_000_000)
    whole = population(testset, metric, statistics=statistics, progress=progress)
    sizes = _settle_sizes(whole.n_segments, sizes)
    pairs = _differing_pairs(whole)
    truth = np.sign(pair_differences(whole.scores, pairs))
    p_whole = whole_p(whole.metric, whole.statistics, pairs, whole.documents, seed)
    tasks = [(size, rows) for size in sizes for rows in positions("broad", whole.n_segments, size)]
    # The first of them are of all sizes, in proportion; each has the draws of its number in the
    # list.
    order = np.argsort(
        [
            (k + 0.5) / (whole.n_segments // size)
            for size in sizes
            for k in range(whole.n_segments // size)
        ],
        kind="stable",
    )

    def repeat(place: int, _: np.random.Generator) -> _Sampled:
        (size, rows), rng = tasks[order[place]], make_rng(seed, _STREAM, int(order[place]))
        data = engine.UnitStatistics(whole.metric, whole.statistics[:, rows], Units.segments(size))
        drawn = engine.bootstrap_scores(data, resamples, int(rng.integers(1 << 62)))
        win, lose = win_rates(pair_differences(drawn, pairs))
        decisions = decide_pairs(win - lose, alpha, win=win, lose=lose)
        return np.maximum(win, lose), np.sign(win - lose) * truth, decisions != 0

    def gather(samples: list[_Sampled]) -> Conclusions:
        done, in_order = order[: len(samples)], np.argsort(order[: len(samples)])
        # each of shape (tasks, pairs); agrees: 1, 0 or -1
        share, agrees, concluded = (
            np.array(values)[in_order] for values in zip(*samples, strict=True)
        )
        size_of = np.array([size for size, _ in tasks])[done[in_order]]
        verdicts = np.where(concluded, agrees, 0).astype(int)
        by_size = {size: verdicts[size_of == size] for size in sizes}
        return Conclusions(
            metric=whole.metric.name,
            alpha=alpha,
            seed=seed,
            resamples=resamples,
            n_segments=whole.n_segments,
            sizes=sizes,
            samples=tuple(len(some) for some in by_size.values()),
            rows=_conclude(whole, pairs, by_size, p_whole),
            levels=_levels(share, agrees),
            verdicts=by_size,
        )

    return run_repeats(
        repeat,
        gather,
        len(tasks),
        seed,
        _STREAM,
        jobs=jobs,
        progress=report_stage(progress, "samples"),
        watch=watch,
    )


def _settle_sizes(n_segments: int, sizes: tuple[int, ...] | None) -> tuple[int, ...]:
    """The sizes asked for, by default those of the paper of which the test set gives two
    samples.
    """
    sizes = (
        tuple(size for size in CONCLUSION_SIZES if n_segments // size > 1)
        if sizes is None
        else tuple(check_whole("size", size, 2, 1_000_000) for size in dict.fromkeys(sizes))
    )
    for size in sizes or CONCLUSION_SIZES[:1]:
        if n_segments // size < 2:
            raise SettingError(
                f"{n_segments} segments give no two samples of {size}. Expected at least {2 * size} "
                "segments, or smaller samples."
            )
    return sizes


def _differing_pairs(whole: Population) -> np.ndarray:
    """Nearby pairs of systems whose scores on the whole test set differ, shape (pairs, 2)."""
    pairs = nearby_pairs(len(whole.systems))
    apart = np.abs(pair_differences(whole.scores, pairs)) > rounding_error(whole.scores)
    pairs = np.asarray(pairs[apart])
    if not len(pairs):
        raise SettingError(
            "All systems have the same score on the whole test set: no conclusion is right or wrong."
        )
    return pairs


def _conclude(
    whole: Population, pairs: np.ndarray, by_size: Mapping[int, np.ndarray], p_whole: np.ndarray
) -> tuple[Concluded, ...]:
    """A row for each pair and size, from verdicts of shape (samples, pairs)."""
    rows = []
    for p, (i, j) in enumerate(pairs):
        delta = float(abs(whole.scores[i] - whole.scores[j]))
        for size, verdicts in by_size.items():
            right, wrong = (
                rate(int((verdicts[:, p] == way).sum()), len(verdicts)) for way in (1, -1)
            )
            rows.append(
                Concluded(
                    whole.systems[i], whole.systems[j], delta, size, right, wrong, float(p_whole[p])
                )
            )
    return tuple(rows)


def nearby_pairs(n_systems: int) -> np.ndarray:
    """Each system with the next two, shape (pairs, 2).

    >>> nearby_pairs(4).tolist()
    [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    """
    return np.array([(i, j) for i in range(n_systems) for j in range(i + 1, min(i + 3, n_systems))])


def _levels(share: np.ndarray, agrees: np.ndarray) -> tuple[Level, ...]:
    """Koehn's Table 4: below 50% (ties between equal halves) nothing is concluded."""
    percent, levels = np.round(100 * share, 9), []
    sample = np.broadcast_to(np.arange(len(share))[:, None], share.shape)
    for low, high in zip(_LEVELS, (np.inf, *_LEVELS), strict=False):
        inside = (percent >= low) & (percent < high) & (agrees != 0)
        levels.append(
            Level(low, min(high, 100), clustered_rate(agrees[inside] == 1, sample[inside]))
        )
    return tuple(levels)


# One pair, metric by metric: which differences each test calls real (Riezler and Maxwell 2005,
# Table 1).


@dataclass(frozen=True)
class PairTest:
    """What one test says of the pair, by segment or by document; p is uncorrected."""

    a: str
    b: str
    unit: str
    test: str  # a key of `mtsig_core.stats.significance.TESTS` that gives a p
    p_value: float
    significant: bool


@dataclass(frozen=True, kw_only=True)
class AllPairTests(Simulation):
    """Two systems under one metric; the signature is that on the segments tested."""

    tables: ClassVar[Mapping[str, type]] = {"rows": PairTest}

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
        """None without that unit or test."""
        return next(
            (row.p_value for row in self.rows if (row.unit, row.test) == (unit, test)), None
        )

    def significant(self, unit: str, test: str) -> bool:
        """False too without that unit or test."""
        return any(row.significant for row in self.rows if (row.unit, row.test) == (unit, test))


def pair_tests(
    testset: TestSet,
    metric: str | Metric,
    a: str | None = None,
    b: str | None = None,
    *,
    n_segments: int | None = None,
    trials: int = 9999,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = 1,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
) -> AllPairTests:
    """Every test that gives a p, on one pair, by segment and where there are documents by document.

    By default on all segments: `n_segments` takes the first broad sample of so many, at most half
    of them.
    """
    metric = resolve_metric(testset, metric)
    if statistics is None:
        statistics = cached_statistics(metric, testset, report_stage(progress, "counting"))
    if n_segments is not None:
        check_whole("segments", n_segments, 2, testset.n_segments // 2)
        rows = positions("broad", testset.n_segments, n_segments)[0]
        statistics = part_counter(metric, testset, statistics)(rows)
        testset = testset.take(rows.tolist())
    both, two = pair_population(testset, metric, a, b, statistics=statistics)
    a, b = (both.systems[k] for k in two)
    by_unit = {
        unit: examine_pair(
            testset,
            metric,
            a,
            b,
            unit=unit,
            trials=trials,
            alpha=alpha,
            seed=seed,
            jobs=jobs,
            statistics=statistics,
            progress=progress,
        )
        for unit in ("segment", *(["document"] if both.n_documents > 1 else []))
    }
    one = by_unit["segment"]
    rows = tuple(
        PairTest(a, b, unit, outcome.test, outcome.p_value, significant(outcome.p_value, alpha))
        for unit, examined in by_unit.items()
        for outcome in examined.outcomes
        if outcome.p_value is not None
        and (unit == "segment" or not TESTS[outcome.test].of_segments)
    )
    return AllPairTests(
        metric=metric.name,
        alpha=alpha,
        seed=seed,
        a=a,
        b=b,
        signature=metric.signature(testset),
        score_a=one.score_a,
        score_b=one.score_b,
        improvement=one.sign * one.delta,
        trials=trials,
        n_segments=one.n,
        rows=rows,
    )
