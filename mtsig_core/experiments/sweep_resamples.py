"""How far the interval of a score depends on the number of bootstrap samples."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError, counted
from mtsig_core.inference import engine
from mtsig_core.inference.few_units import pair_units
from mtsig_core.inference.intervals import LEAST_UNITS, Sample, percentile
from mtsig_core.inference.one_score import Progress, finite, prepare, relative, stage
from mtsig_core.inference.resampling import make_units
from mtsig_core.inference.ties import rounding
from mtsig_core.metrics import Metric
from mtsig_core.results import SamplingSettings

__all__ = ["Growing", "Repeated", "Stability", "stability", "default_pool", "bound_sd", "flat", "GROWING",
           "REPEATED"]

#: Numbers of resamples looked at: Zhang and Vogel (2004), Table 5, with three smaller ones, and Table 6.
GROWING = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
REPEATED = (100, 500, 1000, 2000, 10_000)
_POOLS = (10_000, 20_000, 50_000, 100_000, 200_000)
_DRAWS = 6 * 10**8  # units that are drawn in a few seconds
_TELL = 20  # runs that tell a standard deviation to about a sixth


@dataclass(frozen=True)
class Growing:
    """The percentile interval from the first `resamples` of the pool (Zhang and Vogel 2004, Table 5)."""

    resamples: int
    median: float
    low: float
    high: float

    @property
    def relative(self) -> tuple[float, float] | None:
        return relative(self.low, self.median, self.high)


@dataclass(frozen=True)
class Repeated:
    """Percentile intervals from `runs` disjoint runs of the pool (Zhang and Vogel 2004, Table 6).

    Attributes
    ----------
    resamples, runs : int
        Draws of each run; runs that the pool has room for.
    sd_low, sd_high : float or None
        Standard deviation of the bounds over the runs, in points; None below two runs.
    theory : float
        What `bound_sd` expects of both.
    relative : (float, float) or None
        Mean of the relative bounds.
    relative_sd : float or None
        Standard deviation of the relative bounds, the root mean square of both.
    relative_sd_range : (float, float) or None
        Its 95% interval, the bounds being nearly independent and normal: few runs tell it roughly.
    relative_theory : float or None
        What `bound_sd` expects of a bound less its own median, over the median of the pool.
    """

    resamples: int
    runs: int
    sd_low: float | None
    sd_high: float | None
    theory: float
    relative: tuple[float, float] | None
    relative_sd: float | None
    relative_sd_range: tuple[float, float] | None
    relative_theory: float | None


@dataclass(frozen=True)
class Stability:
    """How the percentile interval of one score settles as the number of resamples grows.

    Attributes
    ----------
    system, metric : str
    settings : SamplingSettings
        As resolved; its test, trials and correction are not used here, its resamples are those of the pool.
    score, median, sigma : float
        Observed; median and standard deviation of the whole pool.
    growing : tuple of Growing
        Nested: each row draws on, so it shares the draws of the rows above it.
    repeats : tuple of Repeated
    """

    system: str
    metric: str
    settings: SamplingSettings
    score: float
    median: float
    sigma: float
    growing: tuple[Growing, ...]
    repeats: tuple[Repeated, ...]

    def end_sd(self, resamples: int) -> float:
        """How far each end moves when so many samples are drawn anew, as a standard deviation in points: as seen in
        runs of the pool where there are enough, else by the theory of normal scores."""
        for row in self.repeats:
            if row.resamples == resamples and row.sd_low is not None and row.sd_high is not None and row.runs >= _TELL:
                return math.sqrt((row.sd_low ** 2 + row.sd_high ** 2) / 2)
        return bound_sd(self.settings.alpha) * self.sigma / math.sqrt(resamples)


def stability(testset: TestSet, metric: str | Metric, system: str | None = None, *, pool: int | None = None,
              unit: str = "auto", block_length: float | None = None, alpha: float = 0.05, seed: int = 0,
              jobs: int = 1, statistics: np.ndarray | None = None, progress: Progress | None = None) -> Stability:
    """How many resamples are enough? (Zhang and Vogel 2004, 4.3, Tables 5 and 6.)

    One pool of replicates serves both questions: its beginnings show how the interval settles, and cut into disjoint
    runs it tells how far a bound moves when all is drawn anew. The first replicates are those of `compare`, so the row
    with as many resamples has its percentile interval.

    The paper does not say whether the rows of its Table 5 share samples, which bound the one STDEV of Table 6 is of
    (here both are given, and their root mean square), or how it reads a quantile between two samples. Its means at
    B = 100 lie where the 2nd and the 98th of 100 ordered values would, hence to the left; here quantiles are
    interpolated as everywhere in this package.

    Parameters
    ----------
    testset, metric, statistics, progress
        As in `bootstrap_systems`.
    system : str, optional
        By default the best.
    pool : int, optional
        Replicates in all, at least 100; by default `default_pool`.
    unit, block_length, alpha, seed, jobs
        As in `compare`.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 30 + ["a b c d x"] * 30}, {"ref": ["a b c d e"] * 60})
    >>> found = stability(ts, "bleu", "A", unit="segment", pool=1000)
    >>> [row.resamples for row in found.growing], [(row.resamples, row.runs) for row in found.repeats]
    ([100, 200, 500, 1000], [(100, 10), (500, 2), (1000, 1)])
    """
    pool = default_pool(make_units(testset, unit, block_length).n) if pool is None else pool
    if pool < GROWING[0]:
        raise SettingError(f"pool is {pool}. Expected at least {GROWING[0]} bootstrap samples.")
    only = None if system is None else [system]
    settings, seen = prepare(testset, metric, only, statistics, progress, unit=unit, alpha=alpha,
                             block_length=block_length, resamples=pool, seed=seed)
    seen = seen.only(seen.best_first().names[:1])
    units = seen.units(settings.unit, settings.block_length)
    n = int(pair_units(seen, np.array([[0, 0]]), units)[0][0])
    if n < LEAST_UNITS:
        raise SettingError(f"{seen.names[0]} has a score on {counted(n, units.kind)}: from fewer than {LEAST_UNITS} "
                           "there is no interval that more bootstrap samples could settle. Take a larger test set.")
    data = seen.by(units)
    drawn = engine.bootstrap_scores(data, pool, seed, jobs=jobs, progress=stage(progress, "pool"))[0]
    median, sigma = float(np.median(drawn)), float(drawn.std(ddof=1))
    return Stability(
        seen.names[0], seen.metric.name, settings, float(data.scores[0]), median, sigma,
        tuple(Growing(size, *_middle(drawn[None, :size], alpha)[:, 0].tolist()) for size in GROWING if size <= pool),
        tuple(_repeat(drawn, size, median, sigma, alpha) for size in REPEATED if size <= pool))


def default_pool(n_units: int) -> int:
    """The largest pool that is drawn in a few seconds: 200,000 replicates up to 3,000 units, 10,000 at the least."""
    return max((pool for pool in _POOLS if pool * n_units <= _DRAWS), default=_POOLS[0])


def bound_sd(alpha: float = 0.05, less_median: bool = False) -> float:
    """Standard deviation of a percentile bound over repeated bootstraps of B draws, in units of sigma / sqrt(B).

    Large-sample theory of normal order statistics: the quantile at level p has variance p (1 - p) / phi(z_p)^2, and
    two at p < q have covariance p (1 - q) / (phi(z_p) phi(z_q)) (David and Nagaraja 2003, 10.5).

    Parameters
    ----------
    alpha : float
        The interval has level 1 - alpha.
    less_median : bool
        Of the bound less the median of the same draws, which is what a relative bound measures.

    Examples
    --------
    >>> round(bound_sd(), 2), round(bound_sd(less_median=True), 2)
    (2.67, 2.76)
    """
    from scipy.special import ndtri

    def density(level: float) -> float:
        return math.exp(-ndtri(level) ** 2 / 2) / math.sqrt(2 * math.pi)

    p = alpha / 2
    variance = p * (1 - p) / density(p) ** 2
    if less_median:
        variance += 0.25 / density(0.5) ** 2 - p / (density(p) * density(0.5))
    return math.sqrt(variance)


def flat(row: Growing | Repeated) -> dict[str, float | None]:
    """The fields of a row and its relative ends, by name; of an interval, its two ends."""
    columns: dict[str, float | None] = {}
    for key, value in (asdict(row) | {"relative": row.relative}).items():
        if key in ("relative", "relative_sd_range"):
            columns[f"{key}_low"], columns[f"{key}_high"] = value or (None, None)
        else:
            columns[key] = value
    return columns


def _middle(drawn: np.ndarray, alpha: float) -> np.ndarray:
    """Median and percentile bounds of each row, shape (3, rows)."""
    sample = Sample(np.empty(0), drawn, np.empty((0, 0)))
    return np.array([np.median(drawn, axis=1), *percentile(sample, alpha)])


def _repeat(drawn: np.ndarray, size: int, median: float, sigma: float, alpha: float) -> Repeated:
    runs = len(drawn) // size
    medians, *bounds = _middle(drawn[:runs * size].reshape(runs, size), alpha)
    sd_low, sd_high = [None, None] if runs < 2 else [
        sd if (sd := float(bound.std(ddof=1))) > rounding(bound) else 0.0 for bound in bounds]
    ratios = [(bound - medians) / np.abs(medians) for bound in bounds] if medians.all() else None
    mean = None if ratios is None else finite(*(ratio.mean() for ratio in ratios))
    spread = between = None
    if ratios is not None and runs > 1:
        spread = math.sqrt(np.mean([ratio.var(ddof=1) for ratio in ratios]))
        between = _sd_range(spread, 2 * (runs - 1))
    scale = sigma / math.sqrt(size)
    return Repeated(size, runs, sd_low, sd_high, bound_sd(alpha) * scale, mean, spread, between,
                    None if median == 0 else bound_sd(alpha, less_median=True) * scale / abs(median))


def _sd_range(sd: float, freedom: int) -> tuple[float, float]:
    """95% interval of a standard deviation of normal values."""
    from scipy.special import chdtri

    low, high = (sd * math.sqrt(freedom / chdtri(freedom, level)) for level in (0.025, 0.975))
    return low, high
