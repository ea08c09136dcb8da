"""Blocks and broad samples of a test set: what a small test set says about a large one (Koehn 2004)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, ClassVar

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.frame import Experiment, Rate, Simulation, check_seed, column, rate, run_repeats, wilson
from mtsig_core.experiments.population import in_units, pair_sides, whole_p
from mtsig_core.metrics import Metric, direction
from mtsig_core.results import SamplingSettings
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import TOLERANCE, rounding_error
from mtsig_core.stats.engine import measure
from mtsig_core.stats.intervals import Sample, finite_or_none, percentile
from mtsig_core.stats.parallel import Progress, report_stage
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import check_jobs, check_level, check_trials, resolve_sampling
from mtsig_core.stats.significance import approximate_randomization, decide_pairs, win_rates
from mtsig_core.testset import TestSet

# What samples of a test set conclude, and whether the whole test set agrees.


def spread(scores: np.ndarray) -> float:
    """Standard deviation of the scores that are there (NaN where a sample has none); NaN below two."""
    known = scores[np.isfinite(scores)]
    return float(known.std(ddof=1)) if len(known) > 1 else float("nan")


def ratio_of_spreads(blocks: np.ndarray, broad: np.ndarray, alpha: float = 0.05) -> tuple[float, float, float] | None:
    """Standard deviation of one lot of scores over that of another, and the ends of its interval of level 1 - alpha.

    Scores have shape (samples,), in the order of the samples, NaN where a sample has none. The interval is that of two
    normal lots (F distribution), each of as many independent samples as tell as much of a variance (Bartlett 1946):
    n / (1 + 2 sum of squared autocorrelations). None below two scores, and where the second lot does not vary.

    >>> some = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5])
    >>> [round(x, 2) for x in ratio_of_spreads(some * 2, some)]
    [2.0, 0.95, 4.21]
    """
    from scipy.special import fdtri

    above, below = spread(blocks), spread(broad)
    if not (np.isfinite(above) and below > rounding_error(broad)):
        return None
    free = [(len(known) - 1) / (1 + 2 * sum(correlation ** 2 for correlation in _autocorrelations(known)))
            for known in (scores[np.isfinite(scores)] for scores in (blocks, broad))]
    low, high = (float(above / below / np.sqrt(fdtri(*free, p))) for p in (1 - alpha / 2, alpha / 2))
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
    """A share of samples in their order, with Wilson's 95% interval for n / (1 + 2 sum of autocorrelations) of them."""
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
        return (float(known.min()), float(known.max())) if len(known) else (float("nan"), float("nan"))

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
    """Two systems on every sample; differences are score(a) - score(b) in points, NaN where nothing is compared."""

    a: str
    b: str
    higher_is_better: bool
    full: float  # difference on the whole test set
    deltas: np.ndarray  # (samples,)
    win: np.ndarray  # Koehn's paired bootstrap: shares of bootstrap samples on which a is better than b
    lose: np.ndarray
    p_value: np.ndarray  # of approximate randomization
    whole_p: float = float("nan")  # of the whole set: where it is above alpha, the order may itself be chance

    def flipped(self) -> SampledPair:
        """The same pair as b and a."""
        return replace(self, a=self.b, b=self.a, full=-self.full, deltas=-self.deltas, win=self.lose, lose=self.win)

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
        """Conclusions against the order of the whole test set, all wrong of a tie: 1 right, -1 wrong, 0 none."""
        concluded = self.concluded(test, alpha)
        order = 0 if abs(self.full) <= rounding_error(self.deltas) else self.sign * np.sign(self.full)
        return np.where(concluded == 0, 0, np.where(concluded == order, 1, -1))

    def tally(self, test: str = "koehn", alpha: float = 0.05) -> dict[str, Rate]:
        """How many samples are right, wrong, or conclude nothing; see `verdicts`."""
        verdicts = self.verdicts(test, alpha)
        return {name: _rate_in_order(verdicts == verdict) for name, verdict in (
            ("right", 1), ("wrong", -1), ("none", 0))}


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


# Blocks and broad samples of a test set: what a small test set tells of a large one (Koehn 2004, 3.2 to 3.4, 5, 6).


SAMPLE_KINDS = ("blocks", "broad")


def positions(kind: str, n_segments: int, size: int, shuffle_seed: int | None = None) -> np.ndarray:
    """The segments of every sample, shape (samples, size).

    Of N segments there are N // size samples. Broad sample k takes segments k, k + N // size, k + 2 (N // size), ...
    (Koehn 2004, 3.3); block k takes consecutive ones (3.2). What does not fill a sample, at the end, is in none.

    With a seed the segments are put in a random order first. A `SettingError` for an unknown kind, and for a size that
    leaves fewer than two samples.

    >>> positions("blocks", 7, 3).tolist(), positions("broad", 7, 3).tolist()
    ([[0, 1, 2], [3, 4, 5]], [[0, 2, 4], [1, 3, 5]])
    """
    if kind not in SAMPLE_KINDS:
        raise SettingError(f"Unknown kind of sample {kind!r}. Available: {', '.join(SAMPLE_KINDS)}.")
    if isinstance(size, bool) or not isinstance(size, int) or size < 2:
        raise SettingError(f"The sample size is {size}. Expected a whole number of segments, at least 2.")
    n_samples = n_segments // size
    if n_samples < 2:
        most = n_segments // 2
        way_out = f"Use samples of at most {most} segments." if most >= 2 else "Use a larger test set."
        raise SettingError(f"Two samples of {size} segments need {2 * size}, and there are {n_segments}. {way_out}")
    order = np.arange(n_segments)
    if shuffle_seed is not None:
        order = np.random.default_rng(shuffle_seed).permutation(order)
    used = order[:n_samples * size]
    return used.reshape(n_samples, size) if kind == "blocks" else used.reshape(size, n_samples).T


def sampling(testset: TestSet, metric: str | Metric, kind: str, *, size: int = 300, shuffle: bool = False,
             alpha: float = 0.05, resamples: int = 1000, trials: int = 999, seed: int = 0, jobs: int = 1,
             statistics: np.ndarray | None = None, progress: Progress | None = None) -> Sampling:
    """Take a test set for the truth, cut it into small ones, and see what each of these would have said.

    Each sample has draws of its own by segment, which all systems share. A metric whose statistics depend on the test
    set (NIST) is counted again on each sample, so that small samples score below the whole.
    """
    settings, _ = resolve_sampling(testset, unit="segment", block_length=None, alpha=alpha, resamples=resamples,
                                   seed=seed)
    check_trials(trials, alpha, "ar")
    check_jobs(jobs)
    positions(kind, testset.n_segments, size)  # mistakes show before the work
    seen = measure(testset, metric, statistics=statistics, progress=report_stage(progress, "counting"))
    metric, part = seen.metric, seen.testset
    rows = positions(kind, part.n_segments, size, seed if shuffle else None)
    pairs, counted = seen.order[engine.all_pairs(len(seen.order))], seen.counter()

    p_whole = whole_p(metric, seen.statistics, pairs, part.document_index if part.documents else None, seed)
    full, names, on_all = _differences(*pair_sides(metric, seen.statistics, pairs)), seen.names, seen.scores.tolist()

    def conclude(sample: int, _: np.random.Generator) -> tuple[np.ndarray, ...]:
        # A seed for each sample from both numbers, so that samples of one seed are not those of the next.
        own = int(np.random.SeedSequence((seed, sample)).generate_state(1, np.uint64)[0])
        return _conclude_sample(metric, counted(rows[sample]), pairs, replace(settings, seed=own), trials)

    def gather(samples: list[tuple[np.ndarray, ...]]) -> Sampling:
        scores, low, high, deltas, win, lose, p = (np.ascontiguousarray(np.array(values).T)
                                                   for values in zip(*samples, strict=True))
        return Sampling(
            metric=metric.name, higher_is_better=metric.higher_is_better, signature=metric.signature(testset),
            kind=kind, size=size, n_samples=len(samples), n_segments=part.n_segments, shuffled=shuffle,
            settings=settings, trials=trials, whole_units=part.n_documents or part.n_segments,
            systems=tuple(SampledSystem(names[k], on_all[k], scores[k], low[k], high[k]) for k in seen.order),
            pairs=tuple(SampledPair(names[a], names[b], metric.higher_is_better, float(full[k]), deltas[k], win[k],
                                    lose[k], p[k], float(p_whole[k])) for k, (a, b) in enumerate(pairs)))

    return run_repeats(conclude, gather, len(rows), seed, 0, jobs=jobs, progress=report_stage(
        progress, f"{kind} of {size}"))


def sample_both_kinds(testset: TestSet, metric: str | Metric, *, statistics: np.ndarray | None = None, jobs: int = 1,
                      progress: Progress | None = None, **asked: Any) -> dict[str, Sampling]:
    """`sampling` of blocks and of broad samples, by kind."""
    def report(k: int) -> Progress | None:
        return progress and (lambda stage, share: progress("samples", (k + share) / len(SAMPLE_KINDS)))

    return {kind: sampling(testset, metric, kind, statistics=statistics, jobs=jobs, progress=report(k), **asked)
            for k, kind in enumerate(SAMPLE_KINDS)}


def _conclude_sample(metric: Metric, statistics: np.ndarray, pairs: np.ndarray, settings: SamplingSettings,
                     trials: int) -> tuple[np.ndarray, ...]:
    """Of one sample scores, low and high ends, shape (systems,), differences, wins, losses and p, shape (pairs,)."""
    data = engine.UnitStatistics(metric, statistics, Units.segments(statistics.shape[1]))
    drawn = engine.bootstrap_scores(data, settings.resamples, settings.seed)
    low, high = percentile(Sample(data.scores, drawn, np.empty((0, 0))), settings.alpha)
    if not len(pairs):
        return data.scores, low, high, *[np.empty(0)] * 4
    sides, rows = pair_sides(metric, statistics, pairs)
    if rows is not pairs:  # each pair on what both have, by the same draws
        drawn = engine.bootstrap_scores(sides, settings.resamples, settings.seed)
    deltas = _differences(sides, rows)
    win, lose = win_rates((drawn[rows[:, 0]] - drawn[rows[:, 1]]) * direction(metric))
    p = approximate_randomization(deltas, engine.swap_differences(sides, rows, trials, settings.seed))
    return data.scores, low, high, deltas, *(np.where(np.isnan(deltas), np.nan, x) for x in (win, lose, p))


def _differences(sides: engine.UnitStatistics, rows: np.ndarray) -> np.ndarray:
    differences: np.ndarray = sides.scores[rows[:, 0]] - sides.scores[rows[:, 1]]
    return differences


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
    ratio: float | None = field(metadata=column("ratio", "estimate", ".2f"))  # blocks / broad (`ratio_of_spreads`)
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
        """Size -> smallest, median and largest ratio of the systems; sizes without any are left out."""
        by_size: dict[int, list[float]] = {}
        for row in self.rows:
            if row.ratio is not None:
                by_size.setdefault(row.size, []).append(row.ratio)
        return {size: (min(ratios), median(ratios), max(ratios)) for size, ratios in by_size.items()}


def spreads(testset: TestSet, metric: str | Metric, *, sizes: Sequence[float] | None = None, shuffle: bool = False,
            alpha: float = 0.05, seed: int = 0, statistics: np.ndarray | None = None,
            progress: Progress | None = None) -> Spreads:
    """How much wider scores of blocks spread than those of broad samples (Koehn 2004, 3.2 and 3.3).

    Sizes are segments of a sample, or shares of the set; by default those of `SIZES` that give five samples.
    """
    check_level(alpha)
    check_seed(seed)
    if not testset.systems:
        raise SettingError("No system to look at. Give at least one output.")
    seen = measure(testset, metric, statistics=statistics, progress=report_stage(progress, "counting"))
    metric, n, counted = seen.metric, seen.testset.n_segments, seen.counter()
    sizes = tuple(size for size in SIZES if n // size >= _ENOUGH) if sizes is None else in_units(sizes, n)
    if not sizes:
        raise SettingError(f"A spread takes {_ENOUGH} samples or more, and {n} segments give no {_ENOUGH} samples of "
                           f"{SIZES[0]}. Expected at least {_ENOUGH * SIZES[0]} segments, or "
                           "smaller samples.")
    cut = {(size, kind): positions(kind, n, size, seed if shuffle else None) for size in sizes for kind in SAMPLE_KINDS}
    rows, report = [], report_stage(progress, "samples")
    for done, size in enumerate(sizes, 1):
        blocks, broad = (np.array([metric.score(counted(sample).sum(axis=1)) for sample in cut[size, kind]]).T
                         for kind in SAMPLE_KINDS)
        for k in seen.order:
            deviations = (finite_or_none(spread(scores[k])) for scores in (blocks, broad))
            rows.append(Spread(size, len(blocks[k]), seen.names[k], *deviations,
                               *(ratio_of_spreads(blocks[k], broad[k], alpha) or (None, None, None))))
        if report is not None:
            report(done / len(sizes))
    return Spreads(metric=metric.name, alpha=alpha, seed=seed, n_segments=n, shuffled=shuffle, rows=tuple(rows))
