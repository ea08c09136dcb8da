"""Blocks and broad samples of a test set: what a small test set says about a large one (Koehn 2004)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.population import check_whole, in_units, whole_p
from mtsig_core.metrics import Metric, direction
from mtsig_core.results import SamplingSettings
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import TOLERANCE, rounding
from mtsig_core.stats.engine import has_gaps, paired
from mtsig_core.stats.intervals import Sample, percentile
from mtsig_core.stats.measured import measure
from mtsig_core.stats.one_score import Progress, stage
from mtsig_core.stats.parallel import in_order
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import check_jobs, check_level, check_trials, resolve_sampling
from mtsig_core.stats.significance import approximate_randomization, decide_pairs, win_rates
from mtsig_core.testset import TestSet

#-----------------------------------------------------------------------------------------------------------------------
# What samples of a test set say of systems and pairs, and whether the whole test set bears it out.


def spread(scores: np.ndarray) -> float:
    """Standard deviation of the scores that are there (NaN where a sample has none); NaN below two."""
    known = scores[np.isfinite(scores)]
    return float(known.std(ddof=1)) if len(known) > 1 else float("nan")


def ratio_of_spreads(blocks: np.ndarray, broad: np.ndarray, alpha: float = 0.05) -> tuple[float, float, float] | None:
    """Standard deviation of one lot of scores over that of another, and its interval of level 1 - alpha.

    The interval is that of two normal lots (F distribution): rough, but it tells how little a handful of samples says.
    Samples that follow each other may be alike, as blocks of one topic are: each lot counts as so many independent ones
    as tell as much of a variance (Bartlett 1946), n / (1 + 2 sum of squared autocorrelations).

    Parameters
    ----------
    blocks, broad : ndarray, shape (samples,)
        Scores in points, in the order of the samples; NaN where a sample has none.

    Returns
    -------
    (ratio, low, high), or None where one of them has fewer than two scores or the second does not vary

    Examples
    --------
    >>> some = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5])
    >>> [round(x, 2) for x in ratio_of_spreads(some * 2, some)]
    [2.0, 0.95, 4.21]
    """
    from scipy.special import fdtri

    above, below = spread(blocks), spread(broad)
    if not (np.isfinite(above) and below > rounding(broad)):
        return None
    free = [(np.isfinite(scores).sum() - 1) / _variance_inflation(scores) for scores in (blocks, broad)]
    low, high = (float(above / below / np.sqrt(fdtri(*free, p))) for p in (1 - alpha / 2, alpha / 2))
    return above / below, low, high


def _variance_inflation(scores: np.ndarray) -> float:
    """1 + 2 sum of squared autocorrelations."""
    return 1 + 2 * sum(correlation ** 2 for correlation in _autocorrelations(scores[np.isfinite(scores)]))


def _autocorrelations(values: np.ndarray) -> list[float]:
    """Of lags 1, 2, ... up to the first that is not clearly above 0 (1.96 / sqrt(n))."""
    apart = values - values.mean()
    total, found = float(apart @ apart), []
    for lag in range(1, len(apart) // 2):
        correlation = float(apart[lag:] @ apart[:-lag]) / total if total > 0 else 0.0
        if correlation < 1.96 / np.sqrt(len(apart)):
            break
        found.append(correlation)
    return found


def _share_interval(yes: np.ndarray) -> tuple[float, float]:
    """95% interval of a share (Wilson 1927) of samples in their order, which count as so many independent ones as tell
    as much of a mean, n / (1 + 2 sum of autocorrelations). NaN without samples."""
    yes = yes.astype(float)
    if not len(yes):
        return float("nan"), float("nan")
    n, share, z = len(yes) / (1 + 2 * sum(_autocorrelations(yes))), float(yes.mean()), 1.959963984540054
    middle, half = share + z * z / (2 * n), z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return float((middle - half) / (1 + z * z / n)), float((middle + half) / (1 + z * z / n))


@dataclass(frozen=True, eq=False)
class SampledSystem:
    """One system on every sample, in points; NaN where a sample has no score of it.

    Attributes
    ----------
    system : str
    full : float
        Score on the whole test set.
    scores, low, high : ndarray, shape (samples,)
        Scores, and their percentile intervals from a bootstrap of the sample's own segments.
    """

    system: str
    full: float
    scores: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest score; NaN where no sample has one."""
        known = self.scores[np.isfinite(self.scores)]
        return (float(known.min()), float(known.max())) if len(known) else (float("nan"), float("nan"))

    @property
    def known(self) -> int:
        """How many samples have a score."""
        return int(np.isfinite(self.scores).sum())

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
    def hit_interval(self) -> tuple[float, float]:
        """95% interval of the share of hits (Wilson 1927); samples that follow each other count as so many independent
        ones as tell as much of a mean, n / (1 + 2 sum of autocorrelations). NaN without samples."""
        return _share_interval(self.hits[np.isfinite(self.scores)])


@dataclass(frozen=True)
class Tally:
    """How many samples led to a conclusion in the order of the whole test set, in the other order, or to none."""

    right: int
    wrong: int
    none: int


@dataclass(frozen=True, eq=False)
class SampledPair:
    """Two systems on every sample; differences are score(a) - score(b) in points, NaN where nothing is compared.

    Attributes
    ----------
    a, b : str
    higher_is_better : bool
    full : float
        Difference on the whole test set.
    deltas : ndarray, shape (samples,)
    win, lose : ndarray, shape (samples,)
        Koehn's paired bootstrap: shares of bootstrap samples on which a is better, or worse, than b.
    p_value : ndarray, shape (samples,)
        Of approximate randomization.
    whole_p : float
        p of the pair on the whole test set; see `mtsig_core.experiments.population.whole_p`. Where it is above alpha,
        the order that conclusions are held against may itself be chance.
    """

    a: str
    b: str
    higher_is_better: bool
    full: float
    deltas: np.ndarray
    win: np.ndarray
    lose: np.ndarray
    p_value: np.ndarray
    whole_p: float = float("nan")

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
        """1 where a sample says that a is better, -1 where that b is, else 0; shape (samples,).

        Parameters
        ----------
        test : {"koehn", "ar"}
            Share of wins at least 1 - alpha; or p at most alpha, with the sign of the difference.
        """
        if test == "koehn":
            return decide_pairs(self.win - self.lose, alpha, win=self.win, lose=self.lose)
        if test == "ar":
            return decide_pairs(self.improvements, alpha, p=self.p_value)
        raise SettingError(f"Unknown test {test!r} of samples. Available: koehn, ar.")

    def verdicts(self, test: str = "koehn", alpha: float = 0.05) -> np.ndarray:
        """Conclusions against the order of the whole test set: 1 right, -1 wrong, 0 none; shape (samples,).

        Where the whole test set has a tie, every conclusion is wrong.
        """
        concluded = self.concluded(test, alpha)
        order = 0 if abs(self.full) <= rounding(self.deltas) else self.sign * np.sign(self.full)
        return np.where(concluded == 0, 0, np.where(concluded == order, 1, -1))

    def tally(self, test: str = "koehn", alpha: float = 0.05) -> Tally:
        """How many samples are right, wrong, or undecided; see `verdicts`."""
        verdicts = self.verdicts(test, alpha)
        return Tally(*(int(np.sum(verdicts == verdict)) for verdict in (1, -1, 0)))

    def intervals(self, test: str = "koehn", alpha: float = 0.05) -> dict[str, tuple[float, float]]:
        """95% intervals of the shares of samples that are right, wrong and undecided, made as
        `SampledSystem.hit_interval` is."""
        verdicts = self.verdicts(test, alpha)
        return {name: _share_interval(verdicts == verdict) for name, verdict in (
            ("right", 1), ("wrong", -1), ("none", 0))}


@dataclass(frozen=True, eq=False)
class Sampling:
    """All samples of one kind and size.

    Attributes
    ----------
    metric : str
    higher_is_better : bool
    signature : str
        Of the metric on the whole test set.
    kind : {"blocks", "broad"}
    size, n_samples, n_segments : int
        Segments in a sample; samples; segments of the test set, of which the last few may be in no sample.
    shuffled : bool
    settings : SamplingSettings
        As resolved.
    trials : int
        Random swaps of each sample.
    systems : tuple of SampledSystem
        Best on the whole test set first.
    pairs : tuple of SampledPair
        All of them, the better first.
    whole_units : int
        That p on the whole test set comes from swaps of.
    """

    metric: str
    higher_is_better: bool
    signature: str
    kind: str
    size: int
    n_samples: int
    n_segments: int
    shuffled: bool
    settings: SamplingSettings
    trials: int
    systems: tuple[SampledSystem, ...]
    pairs: tuple[SampledPair, ...]
    whole_units: int

    def system(self, name: str) -> SampledSystem:
        return next(system for system in self.systems if system.system == name)

    def pair(self, a: str, b: str) -> SampledPair:
        """The pair in the order asked for."""
        found = next(pair for pair in self.pairs if {pair.a, pair.b} == {a, b})
        return found if found.a == a else found.flipped()


#-----------------------------------------------------------------------------------------------------------------------
# Blocks and broad samples of a test set: what a small test set tells of a large one (Koehn 2004, 3.2 to 3.4, 5, 6).


KINDS = ("blocks", "broad")


def positions(kind: str, n_segments: int, size: int, shuffle_seed: int | None = None) -> np.ndarray:
    """The segments of every sample, shape (samples, size).

    Of N segments there are N // size samples. Broad sample k takes segments k, k + N // size, k + 2 (N // size), ...
    (Koehn 2004, 3.3); block k takes consecutive ones (3.2). What does not fill a sample, at the end, is in none.

    Parameters
    ----------
    kind : {"blocks", "broad"}
    n_segments, size : int
    shuffle_seed : int, optional
        Puts the segments in a random order first.

    Raises
    ------
    SettingError
        For an unknown kind, and a size that leaves fewer than two samples.

    Examples
    --------
    >>> positions("blocks", 7, 3).tolist(), positions("broad", 7, 3).tolist()
    ([[0, 1, 2], [3, 4, 5]], [[0, 2, 4], [1, 3, 5]])
    """
    if kind not in KINDS:
        raise SettingError(f"Unknown kind of sample {kind!r}. Available: {', '.join(KINDS)}.")
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

    Every sample gets draws of its own, by segment as in the paper; all systems share them. A metric whose statistics
    depend on the test set (NIST) is counted anew on each sample, but its weights stay as a sample is resampled; NIST
    grows with the test set, so that small samples lie below the whole.

    Parameters
    ----------
    testset, metric, statistics, progress
        As in `mtsig_core.stats.one_score.bootstrap_systems`.
    kind : {"blocks", "broad"}
        See `positions`.
    size : int
        Segments in a sample.
    shuffle : bool
        Whether the segments are put in a random order first: then blocks are like broad samples.
    alpha : float
        Intervals have level 1 - alpha.
    resamples, trials : int
        Bootstrap samples, also of the paired bootstrap; random swaps of approximate randomization.
    seed, jobs : int
        As in `compare`; the parallel work is a sample.

    Raises
    ------
    SettingError
        For settings out of range, and where there are too few segments for two samples.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 60, "B": ["a b c d x"] * 30 + ["a b c d e"] * 30},
    ...              {"ref": ["a b c d e"] * 60})
    >>> found = sampling(ts, "bleu", "broad", size=20, resamples=200, trials=99)
    >>> found.n_samples, found.system("A").range, found.pair("A", "B").tally("koehn")
    (3, (100.0, 100.0), Tally(right=3, wrong=0, none=0))
    >>> sampling(ts, "bleu", "blocks", size=20, resamples=200, trials=99).pair("A", "B").tally("koehn")
    Tally(right=2, wrong=0, none=1)
    """
    settings, _ = resolve_sampling(testset, unit="segment", block_length=None, alpha=alpha, resamples=resamples,
                                   seed=seed)
    check_trials(trials, alpha, "ar")
    check_jobs(jobs)
    positions(kind, testset.n_segments, size)  # mistakes show before the work
    seen = measure(testset, metric, statistics=statistics, progress=stage(progress, "counting"))
    metric, part = seen.metric, seen.testset
    rows = positions(kind, part.n_segments, size, seed if shuffle else None)
    pairs, counted = seen.order[engine.all_pairs(len(seen.order))], seen.counter()

    def one(sample: int) -> _Found:
        # A seed for each sample, told by both numbers, so that samples of one seed are not those of the next.
        own = int(np.random.SeedSequence((seed, sample)).generate_state(1, np.uint64)[0])
        return _sample(metric, counted(rows[sample]), pairs, replace(settings, seed=own), trials)

    report, found = stage(progress, f"{kind} of {size}"), []
    with closing(in_order(one, len(rows), jobs)) as results:
        for result in results:
            found.append(result)
            if report is not None:
                report(len(found) / len(rows))
    scores, low, high = (_read_only([getattr(f, key) for f in found]) for key in ("scores", "low", "high"))
    deltas, win, lose, p = (_read_only([getattr(f, key) for f in found]) for key in ("deltas", "win", "lose", "p"))
    p_whole = whole_p(metric, seen.statistics, pairs, part.document_index if part.documents else None, seed)
    full, names, scores_on_all = _differences(metric, seen.statistics, pairs), seen.names, seen.scores.tolist()
    return Sampling(
        metric.name, metric.higher_is_better, metric.signature(testset), kind, size, len(rows), part.n_segments,
        shuffle, settings, trials,
        tuple(SampledSystem(names[k], scores_on_all[k], scores[k], low[k], high[k]) for k in seen.order),
        tuple(SampledPair(names[a], names[b], metric.higher_is_better, float(full[k]), deltas[k], win[k], lose[k], p[k],
                          float(p_whole[k])) for k, (a, b) in enumerate(pairs)),
        part.n_documents or part.n_segments)


@dataclass(frozen=True, eq=False)
class _Found:
    """One sample: arrays of shape (systems,) and (pairs,)."""

    scores: np.ndarray
    low: np.ndarray
    high: np.ndarray
    deltas: np.ndarray
    win: np.ndarray
    lose: np.ndarray
    p: np.ndarray


def _sample(metric: Metric, statistics: np.ndarray, pairs: np.ndarray, settings: SamplingSettings,
            trials: int) -> _Found:
    data = _numbers(metric, statistics)
    drawn = engine.bootstrap_scores(data, settings.resamples, settings.seed)
    low, high = percentile(Sample(data.scores, drawn, np.empty((0, 0))), settings.alpha)
    if not len(pairs):
        return _Found(data.scores, low, high, *[np.empty(0)] * 4)
    if has_gaps(metric, statistics):  # each pair on what both have, by the same draws
        both, pairs = paired(statistics, pairs)
        sides = _numbers(metric, both)
        drawn = engine.bootstrap_scores(sides, settings.resamples, settings.seed)
    else:
        sides = data
    a, b = pairs.T
    deltas = sides.scores[a] - sides.scores[b]
    win, lose = win_rates((drawn[a] - drawn[b]) * direction(metric))
    p = approximate_randomization(deltas, engine.swap_differences(sides, pairs, trials, settings.seed))
    return _Found(data.scores, low, high, deltas, *(np.where(np.isnan(deltas), np.nan, x) for x in (win, lose, p)))


def _numbers(metric: Metric, statistics: np.ndarray) -> engine.UnitStatistics:
    return engine.UnitStatistics(metric, statistics, Units.segments(statistics.shape[1]))


def _differences(metric: Metric, statistics: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Differences on all segments that both systems of a pair have, shape (pairs,)."""
    if len(pairs) and has_gaps(metric, statistics):
        statistics, pairs = paired(statistics, pairs)
    scores = _numbers(metric, statistics).scores
    differences: np.ndarray = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    return differences


def _read_only(found: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays of samples, set the other way round: (samples, k) -> (k, samples)."""
    turned = np.ascontiguousarray(np.array(found).T)
    turned.flags.writeable = False
    return turned


#-----------------------------------------------------------------------------------------------------------------------
# How much wider blocks of neighbours spread than broad samples, for every system and several sizes.


#: Sizes of samples that are offered.
SIZES = (10, 20, 30, 50, 100, 200, 300, 600, 1000, 3000)
_ENOUGH = 5  # samples without which a spread says nothing


@dataclass(frozen=True)
class Spread:
    """One system on samples of one size.

    Attributes
    ----------
    size, samples : int
        Segments in a sample, and samples of each kind.
    system : str
    blocks, broad : float or None
        Standard deviations of the scores, in points; None where fewer than two samples have one.
    ratio, ratio_low, ratio_high : float or None
        blocks / broad; see `mtsig_core.experiments.sampling.ratio_of_spreads`.
    """

    size: int
    samples: int
    system: str
    blocks: float | None
    broad: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None


@dataclass(frozen=True)
class Spreads:
    """Spreads of all systems and sizes.

    Attributes
    ----------
    metric : str
    alpha : float
        Intervals have level 1 - alpha.
    seed, n_segments : int
    shuffled : bool
    rows : tuple of Spread
        By size, then system, the best first.
    """

    metric: str
    alpha: float
    seed: int
    n_segments: int
    shuffled: bool
    rows: tuple[Spread, ...]

    def ratios(self) -> dict[int, tuple[float, float, float]]:
        """Size -> smallest, median and largest ratio of the systems; sizes without any are left out."""
        found: dict[int, list[float]] = {}
        for row in self.rows:
            if row.ratio is not None:
                found.setdefault(row.size, []).append(row.ratio)
        return {size: (min(ratios), median(ratios), max(ratios)) for size, ratios in found.items()}


def spreads(testset: TestSet, metric: str | Metric, *, sizes: Sequence[float] | None = None, shuffle: bool = False,
            alpha: float = 0.05, seed: int = 0, statistics: np.ndarray | None = None,
            progress: Progress | None = None) -> Spreads:
    """Standard deviations of the scores of blocks and of broad samples (Koehn 2004, 3.2 and 3.3).

    Neighbours are of one document, topic and difficulty, so that blocks differ more than segments from all over do:
    the ratio says how far a consecutive test set may be off beside what the bootstrap by segment expects.

    Parameters
    ----------
    testset, metric, shuffle, seed, statistics, progress
        As in `mtsig_core.experiments.sampling.sampling`.
    sizes : sequence of int or float, optional
        Segments of a sample, or shares of the set; by default those of `SIZES` that give five samples.
    alpha : float
        Intervals of the ratios have level 1 - alpha.

    Raises
    ------
    SettingError
        For a test set too short, or a size that leaves fewer than two samples.

    Examples
    --------
    Easy segments come first, hard ones last.

    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 60 + ["a b c d x"] * 60}, {"ref": ["a b c d e"] * 120})
    >>> row, = spreads(ts, "wer", sizes=(13,)).rows
    >>> row.samples, row.blocks > 9 * row.broad
    (9, True)
    """
    check_level(alpha)
    check_whole("seed", seed, 0, (1 << 64) - 1)
    if not testset.systems:
        raise SettingError("No system to look at. Give at least one output.")
    seen = measure(testset, metric, statistics=statistics, progress=stage(progress, "counting"))
    metric, n, counted = seen.metric, seen.testset.n_segments, seen.counter()
    sizes = tuple(size for size in SIZES if n // size >= _ENOUGH) if sizes is None else in_units(sizes, n)
    if not sizes:
        raise SettingError(f"How spreads change with the size is told by {_ENOUGH} samples or more: {n} segments give "
                           f"no {_ENOUGH} samples of {SIZES[0]}. Expected at least {_ENOUGH * SIZES[0]} segments, or "
                           "smaller samples.")
    cut = {(size, kind): positions(kind, n, size, seed if shuffle else None) for size in sizes for kind in KINDS}
    rows, report = [], stage(progress, "samples")
    for done, size in enumerate(sizes, 1):
        blocks, broad = (np.array([metric.score(counted(sample).sum(axis=1)) for sample in cut[size, kind]]).T
                         for kind in KINDS)
        rows += [_spread(size, seen.names[k], blocks[k], broad[k], alpha) for k in seen.order]
        if report is not None:
            report(done / len(sizes))
    return Spreads(metric.name, alpha, seed, n, shuffle, tuple(rows))


def _spread(size: int, system: str, blocks: np.ndarray, broad: np.ndarray, alpha: float) -> Spread:
    sd_blocks, sd_broad = (value if np.isfinite(value := spread(scores)) else None for scores in (blocks, broad))
    return Spread(size, len(blocks), system, sd_blocks, sd_broad,
                  *(ratio_of_spreads(blocks, broad, alpha) or (None, None, None)))
