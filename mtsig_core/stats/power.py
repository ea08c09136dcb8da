"""The minimum detectable difference of a test set, power, and the size that a difference needs.

A standard error is itself estimated, and so is every plan that uses it: quantiles are Student's,
with the degrees of freedom of the units that there are. `degrees_of_freedom` estimates how well a
standard error is known. `error_interval` and `noncentrality_interval` turn this into intervals;
docs/statistics.md reports how often they hold.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import SettingError
from mtsig_core.results import Comparison, MetricResult, SamplingSettings, Settings
from mtsig_core.stats.arrays import apply_by_rows, apply_to_known
from mtsig_core.stats.few_units import (
    Points,
    can_reach,
    fewest_units,
    keep_kind,
    suggest_settings,
    swaps_units,
    unbiased,
    units_freedom,
)
from mtsig_core.stats.intervals import BoundArrays, finite_or_none
from mtsig_core.stats.noticed import find_noticed_difference
from mtsig_core.stats.quantiles import chi_squared_quantile, student_quantile

_LEAST_UNITS = 5  # with fewer their kurtosis says nothing
_POINTS = 100  # that stand for a distribution of standard errors
_FEW_LEVELS = 20  # units of which the p of all swaps are so many that none of them stands out
_MOST_PLANNED = 2**62  # units


def minimum_detectable_difference(
    se: Points,
    alpha: float = 0.05,
    power: float = 0.8,
    n_effective: np.ndarray | float = math.inf,
    n_swapped: np.ndarray | int | None = None,
) -> Points:
    """The true difference that a two-sided test at level alpha finds with this power.

    (t(1-a/2) + t(power)) SE.

    Parameters
    ----------
    se : float or ndarray
        Standard error of the difference, in points; of a bootstrap after `unbiased`.
    n_effective : float or ndarray
        Units of equal size that those it was estimated on are worth; by default so many that t is
        normal.
    n_swapped : ndarray of int, optional
        The units that a test by random swaps swaps: its p are multiples of 2/2^n. Where only the
        least of them is at most alpha it finds what all n units show, which they do with this power
        where each does with power^(1/n).

    Returns
    -------
    Same type as `se`, in points: 2.80 SE at the defaults.

    Examples
    --------
    >>> round(minimum_detectable_difference(1.0), 2), round(minimum_detectable_difference(1.0, n_effective=15.0), 2)
    (2.8, 3.01)
    """
    freedom = units_freedom(n_effective)
    level = np.asarray(alpha)
    least = np.asarray(0.0)
    if n_swapped is not None:
        n = np.clip(n_swapped, 1, _FEW_LEVELS)
        n_values = 2.0 ** (n - 1)  # of p
        n_reachable = np.floor(alpha * n_values * (1 + 1e-12))  # values of p up to alpha
        level = np.where(n < _FEW_LEVELS, n_reachable / n_values, alpha)
        power_of_each = power ** (1 / n)
        least_for_all = np.sqrt(n) * student_quantile(math.inf, power_of_each)
        least = np.where(n_reachable == 1, least_for_all, 0.0)
    quantile_of_level = student_quantile(freedom, 1 - level / 2)
    quantile_of_power = student_quantile(freedom, power)
    n_errors = np.maximum(quantile_of_level + quantile_of_power, least)
    n_errors = np.where(np.equal(se, 0), 0.0, n_errors)
    return keep_kind(se, n_errors * se)


def power_at(
    difference: np.ndarray | float,
    se: np.ndarray | float,
    alpha: float = 0.05,
    spread: np.ndarray | float | None = None,
    n_effective: np.ndarray | float = math.inf,
) -> np.ndarray | float:
    """Compute how often a two-sided test at level alpha finds a true difference in any direction.

    Parameters
    ----------
    difference, se : float or ndarray
        True difference, and the standard error that the test uses; in points.
    spread : float or ndarray, optional
        Standard deviation that the observed difference really has, by default `se`. Subsets drawn
        from one test set without replacement vary less than test sets do.
    n_effective : float or ndarray
        As in `minimum_detectable_difference`: the test estimates its standard error on so many
        units.

    Returns
    -------
    float or ndarray, 0 to 1

    Examples
    --------
    >>> round(float(power_at(2.80, 1.0)), 2), round(float(power_at(0.0, 1.0)), 2)
    (0.8, 0.05)
    """
    from scipy.special import ndtr

    # The last axis is for the standard errors that a test may estimate.
    difference = np.abs(difference)[..., None]
    se = np.asarray(se, dtype=float)[..., None]
    if spread is None:
        spread = se
    else:
        spread = np.asarray(spread, dtype=float)[..., None]
    bound = _bounds(alpha, n_effective) * se
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share_right = ndtr((difference - bound) / spread)
        share_wrong = ndtr((-difference - bound) / spread)
        share = share_right + share_wrong
    # Without any spread, each sample has the same difference.
    share = np.where(spread > 0, share, difference > bound)
    mean_share: np.ndarray | float = share.mean(axis=-1)[()]
    return mean_share


def exaggeration_at(
    difference: float, se: float, alpha: float = 0.05, n_effective: float = math.inf
) -> float:
    """Compute by how much significant differences exaggerate the true difference, on average.

    Gelman and Carlin (2014). E(abs(d) | abs(d) >= t SE) / difference of a normal d, the true difference not 0: the winner's
    curse of tests with little power.

    >>> round(exaggeration_at(2.80, 1.0), 2), round(exaggeration_at(0.5, 1.0), 2)
    (1.13, 4.79)
    """
    from scipy.special import ndtr

    size = abs(difference) / se
    bound = _bounds(alpha, n_effective)
    above = bound - size
    below = -bound - size
    share_above = ndtr(-above)
    share_below = ndtr(below)
    density_above = np.exp(-(above**2) / 2)
    density_below = np.exp(-(below**2) / 2)
    density = (density_above + density_below) / math.sqrt(2 * math.pi)
    significant_sizes = size * (share_above - share_below) + density
    share_significant = share_above + share_below
    mean_size = significant_sizes.mean() / share_significant.mean()
    return float(mean_size / size)


def _bounds(alpha: float, n_effective: np.ndarray | float) -> np.ndarray:
    """The differences that are just significant, in true standard errors.

    Over the estimates that a test may make of the standard error: t times `_estimates`, shape (...,
    points); of a known one the normal quantile, shape (..., 1).
    """
    freedom = np.asarray(units_freedom(n_effective), dtype=float)
    t = student_quantile(freedom, 1 - alpha / 2)
    if np.isinf(freedom).all():
        return t[..., None]
    bounds: np.ndarray = t[..., None] * _estimates(freedom)
    return bounds


def _estimates(freedom: np.ndarray) -> np.ndarray:
    """Evenly likely estimates of a standard error of 1 with f degrees of freedom.

    Shape (..., points).
    """
    from scipy.special import gammaincinv

    half = freedom[..., None] / 2
    levels = (np.arange(_POINTS) + 0.5) / _POINTS
    half_chi_squared = gammaincinv(half, levels)
    estimates: np.ndarray = np.sqrt(half_chi_squared / half)
    return estimates


def units_needed(
    difference: float,
    se: float,
    n_units: int,
    alpha: float = 0.05,
    power: float = 0.8,
    n_effective: float | None = None,
    swaps: bool = False,
) -> int:
    """The units that a two-sided test needs to find a true difference with this power.

    These are the fewest units whose minimum detectable difference is no larger. The standard error
    shrinks as 1/sqrt(units), and t shrinks as units grow.

    Parameters
    ----------
    difference : float
        In points, not 0.
    se : float
        Standard error of the difference on `n_units` units, in points; of a bootstrap after
        `unbiased`.
    n_effective : float, optional
        Units of equal size that these are worth, by default all; planned ones are worth as much
        each.
    swaps : bool
        Whether the test swaps units, so that p of few takes few values.

    Examples
    --------
    Half the difference needs four times the units, apart from a few that make up for an uncertain
    standard error:

    >>> units_needed(2.802, 1.0, 100), units_needed(1.401, 1.0, 100)
    (102, 402)
    """
    worth_of_unit = 1.0
    if n_effective is not None:
        worth_of_unit = n_effective / n_units

    def is_enough(n: int) -> bool:
        error = se * math.sqrt(n_units / n)
        n_swapped = None
        if swaps:
            n_swapped = n
        detectable = minimum_detectable_difference(
            error, alpha, power, worth_of_unit * n, n_swapped
        )
        return detectable <= abs(difference)

    ratio = minimum_detectable_difference(se, alpha, power) / difference
    low = max(1, math.ceil(n_units * ratio**2))
    high = low
    while not is_enough(high) and high < _MOST_PLANNED:
        low = high + 1
        high = 2 * high
    while low < high:
        middle = (low + high) // 2
        if is_enough(middle):
            high = middle
        else:
            low = middle + 1
    return low


def degrees_of_freedom(left_out: np.ndarray, resamples: int) -> np.ndarray:
    """Compute how well bootstrap standard errors are known, in degrees of freedom f.

    f SE^2 / sigma^2 is about chi-squared with f degrees: f = 2 / var(log SE^2), as in Satterthwaite
    (1946). The variance has two terms. The first is by Bonett (2006, Computational Statistics and
    Data Analysis 50, 775-782): c^2 (k - (n - 3) / n) / (n - 1), where c = n / (n - 2) and k is the
    kurtosis, about a trimmed mean, of what each unit adds. It is large where a few units decide.
    The second is 2 / (B - 1), for the draws of the bootstrap.

    Takes differences with one unit left out, shape (k, units), NaN for units that have no part in
    one; returns shape (k,), NaN with fewer than five units, and where nothing varies.
    """
    variances = apply_by_rows(lambda rows: apply_to_known(_log_variances, rows), left_out)
    freedom: np.ndarray = 2 / (variances + 2 / (resamples - 1))
    return freedom


def _log_variances(left_out: np.ndarray) -> np.ndarray:
    """Bonett's variance of log SE^2 for each row, shape (rows, units) -> (rows,)."""
    n = left_out.shape[1]
    if n < _LEAST_UNITS:
        return np.full(len(left_out), np.nan)
    means = left_out.mean(axis=1, keepdims=True)
    centred = left_out - means
    # Kurtosis does not depend on the scale, and fourth powers of tiny numbers would be 0.
    scale = np.abs(centred).max(axis=1, keepdims=True)
    centred /= np.maximum(scale, np.finfo(float).tiny)
    n_cut = int(n / (2 * math.sqrt(n - 4)))
    stop = n - n_cut
    partitioned = np.partition(centred, [n_cut, stop - 1], axis=1)
    inner = partitioned[:, n_cut:stop]
    squares = (centred**2).sum(axis=1)
    squares = np.where(squares > 0, squares, np.nan)
    # A square of squares: ** 4 takes 50 times as long, and rounds by processor.
    trimmed_means = inner.mean(axis=1, keepdims=True)
    fourths = np.square(centred - trimmed_means) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        kurtosis = n * fourths.sum(axis=1) / squares**2
    c = n / (n - 2)
    excess = np.maximum(kurtosis - (n - 3) / n, 0)
    variances: np.ndarray = c**2 * excess / (n - 1)
    return variances


def error_interval(
    se: np.ndarray, freedom: np.ndarray, n_effective: np.ndarray, alpha: float = 0.05
) -> BoundArrays:
    """Interval of level 1 - alpha for the true standard errors, each bound of shape (k,).

    sqrt(f / chi-squared(f)) SE sqrt(n / (n - 1)), with f of `degrees_of_freedom`, and n units of
    equal size as in `unbiased`.
    """
    error = unbiased(se, n_effective)
    low = error / np.sqrt(chi_squared_quantile(freedom, 1 - alpha / 2) / freedom)
    high = error / np.sqrt(chi_squared_quantile(freedom, alpha / 2) / freedom)
    return low, high


def noncentrality_interval(t: np.ndarray, freedom: np.ndarray, alpha: float = 0.05) -> BoundArrays:
    """Interval of level 1 - alpha for the true difference in true standard errors.

    `t` has the estimates; each bound has shape (k,). Difference and standard error are both
    uncertain: t has the noncentral t distribution with f degrees of freedom, whose noncentrality is
    sought (Johnson and Welch 1940).
    """
    from scipy.special import ndtr

    # The difference in true standard errors, for each standard error that may be estimated.
    estimates = _estimates(np.asarray(freedom, dtype=float))
    differences = np.asarray(t, dtype=float)[:, None] * estimates

    def find_noncentrality(level: float) -> np.ndarray:
        low: np.ndarray = differences.min(axis=1) - 10
        high: np.ndarray = differences.max(axis=1) + 10
        for _ in range(40):
            middle = (low + high) / 2
            # The probability falls as the noncentrality grows.
            probabilities = ndtr(differences - middle[:, None])
            is_too_low = probabilities.mean(axis=1) > level
            low = np.where(is_too_low, middle, low)
            high = np.where(is_too_low, high, middle)
        return low

    low = find_noncentrality(1 - alpha / 2)
    high = find_noncentrality(alpha / 2)
    return low, high


# -------------------------------------------------------------------------------------------------
# How large a test set must be, by the standard errors of this one.


#: A standard error so many times a difference needs more units than a float holds.
_BEYOND = 1e100


class PairError(NamedTuple):
    """The difference of a pair on all segments, and its standard error, in points."""

    delta: float  # improvement of the first system over the second
    se: float
    df: float  # degrees of freedom of the standard error; NaN where it is not known at all
    n_units: int  # that both systems have, and how many of equal size these are worth
    n_effective: float


#: By pair.
PairErrors = dict[tuple[str, str], PairError]


class SweptSizes(Protocol):  # the class is above this module
    """The attributes of a `SizeSweep` that planning needs."""

    @property
    def errors(self) -> PairErrors: ...  # noqa: D102  a protocol of attributes
    @property
    def settings(self) -> SamplingSettings: ...  # noqa: D102
    @property
    def n_units(self) -> int: ...  # noqa: D102
    @property
    def n_segments(self) -> int: ...  # noqa: D102


@dataclass(frozen=True)
class Size:
    """How many units a test set needs, with an interval of level 1 - alpha.

    No size is below the one with which a p can be so small. The size is None where the standard
    error is 0 or beyond all measure. There is no interval with fewer than five units, and `high` is
    None where the difference may be 0.
    """

    units: int | None
    low: int | None
    high: int | None
    segments: int | None  # in so many units of the same mean length

    @property
    def segment_ends(self) -> tuple[float, ...]:
        """The interval in segments, without an end where the difference may be 0; or nothing."""
        if self.units is None or self.segments is None or self.low is None:
            return ()
        per_unit = self.segments / self.units
        high = math.inf if self.high is None else self.high
        return self.low * per_unit, high * per_unit


@dataclass(frozen=True)
class PairPlan:
    """The size that one pair of systems needs, in units that both systems have.

    In a sweep, units of the sets that it draws. ``_family`` is for a test at alpha / `n_pairs`:
    enough after Bonferroni, Holm and ``bh``, and most often after Romano-Wolf.
    """

    a: str
    b: str
    #: Improvement of a over b on this set, in points, and its standard error, None of one unit.
    delta: float
    se: float | None
    #: The difference that this set finds with the chosen power; None where it can find none.
    mdd: float | None
    mdd_family: float | None
    #: For the chosen difference.
    size: Size
    size_family: Size
    #: For `delta`, were it the true difference.
    size_for_own: Size
    size_for_own_family: Size
    se_df: float | None  # degrees of freedom of the standard error, see `degrees_of_freedom`
    n_pairs: int
    #: Whether any difference could be significant with so many units, without correction.
    decidable: bool
    n_effective: float  # how many units of equal size those at hand are worth

    def to_record(self) -> dict[str, Any]:
        """The plan as a row of a file, with a key for each number of each size."""
        record = {
            "a": self.a,
            "b": self.b,
            "delta": self.delta,
            "se": self.se,
            "mdd": self.mdd,
            "mdd_family": self.mdd_family,
        }
        sizes = {
            "": self.size,
            "_family": self.size_family,
            "_for_own": self.size_for_own,
            "_for_own_family": self.size_for_own_family,
        }
        for suffix, size in sizes.items():
            record[f"units{suffix}"] = size.units
            record[f"units{suffix}_low"] = size.low
            record[f"units{suffix}_high"] = size.high
            record[f"segments{suffix}"] = size.segments
        record["se_df"] = self.se_df
        record["n_pairs"] = self.n_pairs
        record["decidable"] = self.decidable
        record["n_effective"] = self.n_effective
        return record


def default_difference(scores: Iterable[float]) -> float:
    """A difference worth planning for on the scale of some scores.

    A thirtieth of the largest, as 1, 2 or 5 x 10^k. Of BLEU about 30 that is 1 point, of a metric
    from 0 to 1 some hundredths.

    >>> default_difference([28.9, 20.1]), default_difference([6.4]), default_difference([0.61, 0.58])
    (1.0, 0.2, 0.02)
    >>> default_difference([0.0]), default_difference([-0.4, 0.1])
    (1.0, 0.01)
    """
    largest = max(map(abs, scores), default=0.0)
    if largest == 0:
        return 1.0
    return round_to_step(largest / 30)


def choose_difference(result: MetricResult) -> float:
    """A difference to plan for: the one that people notice 8 times in 10.

    Where no published curve says which that is, `default_difference`.
    """
    noticed = find_noticed_difference(result)
    if noticed is None:
        return default_difference(row.score for row in result.systems)
    return float(f"{noticed:.2g}")


def round_to_step(target: float) -> float:
    """The nearest of 1, 2 or 5 x 10^k.

    >>> round_to_step(0.23), round_to_step(3.4)
    (0.2, 5.0)
    """
    exponent = math.floor(math.log10(target))
    # Read from text: 10.0 ** -2 is not quite 0.01.
    steps = []
    for k in (exponent, exponent + 1):
        steps += [float(f"{mantissa}e{k}") for mantissa in (1, 2, 5)]
    return min(steps, key=lambda step: abs(math.log(step / target)))


def plan(
    source: Comparison | SweptSizes,
    difference: float,
    power: float = 0.8,
    *,
    metric: str | None = None,
) -> tuple[PairPlan, ...]:
    """Estimate how large a test set each pair needs to find a difference with a power.

    The estimate uses the standard errors of this test set and normal theory, by which they fall as
    1/sqrt(units). Compare `PairSize.expected` with `PairSize.significant` of a sweep of sizes to
    see how well it holds here. The number of segments assumes units of the same mean length. Sizes
    are for one test at alpha, and for a family of all pairs. Each size has an interval;
    docs/statistics.md reports how often such intervals contain the true size. The test is the one
    of the comparison, or ``ar`` for a sweep.

    Parameters
    ----------
    source : Comparison or SizeSweep
        A comparison gives the pairs that it tested. Stationary blocks count as segments.
    difference : float
        In points, above 0.
    power : float
        Between 0 and 1.
    metric : str, optional
        Of a comparison, by default the first.

    Raises
    ------
    SettingError

    Examples
    --------
    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 30 + ["a b c d x"] * 30, "B": ["a x c d e"] * 60},
    ...              {"ref": ["a b c d e"] * 60})
    >>> row, = plan(compare(ts, trials=999), difference=5.0)
    >>> row.size.units == row.size.segments, row.size.units > row.size_for_own.units
    (True, True)
    """
    return plan_pairs(source, difference, power, metric=metric, names=None)


def plan_pairs(
    source: Comparison | SweptSizes,
    difference: float,
    power: float = 0.8,
    *,
    metric: str | None,
    names: Collection[frozenset[str]] | None,
) -> tuple[PairPlan, ...]:
    """As `plan`, but only pairs with these names are planned, as each takes time; all if None."""
    pairs, settings = _list_pairs(source, metric)
    if not pairs:
        raise SettingError("A difference takes two systems. Add another output.")
    is_positive = math.isfinite(difference) and difference > 0
    if not is_positive:
        raise SettingError(
            f"The difference is {difference:g}. Expected a number of points above 0, such as 1."
        )
    if not 0 < power < 1:
        raise SettingError(f"power is {power:g}. Expected a number between 0 and 1, such as 0.8.")
    n_pairs = len(pairs)
    any_trials = replace(settings, trials=None)
    fewest = fewest_units(any_trials, 1, "bonferroni")
    fewest_in_family = fewest_units(any_trials, n_pairs, "bonferroni")
    one_test = _Test(settings.alpha, power, fewest)
    family_test = _Test(settings.alpha / n_pairs, power, fewest_in_family)
    plans = []
    for pair in pairs:
        if names is None or frozenset((pair.a, pair.b)) in names:
            planned = _plan_pair(pair, difference, settings, one_test, family_test, n_pairs)
            plans.append(planned)
    return tuple(plans)


class _Pair(NamedTuple):
    """A pair to plan for, and the units and segments that planned sets are counted in."""

    a: str
    b: str
    error: PairError
    n_units: int
    n_segments: int


class _Test(NamedTuple):
    """A test at this level that is to find a difference with this power."""

    level: float
    power: float
    least: int  # units without which no p can be so small


class _Errors(NamedTuple):
    """A standard error and its interval, in points."""

    error: float
    low: float
    high: float


def _plan_pair(
    pair: _Pair,
    difference: float,
    settings: Settings,
    one_test: _Test,
    family_test: _Test,
    n_pairs: int,
) -> PairPlan:
    delta, se, freedom, n_common, n_effective = pair.error
    errors, own_errors = _estimate_errors(pair.error, settings.alpha)
    swaps = swaps_units(settings)

    def find_detectable(test: _Test) -> float | None:
        if n_common < test.least or se == 0:  # a difference that never varies tells nothing
            return None
        n_swapped = None
        if swaps:
            n_swapped = n_common
        detectable = minimum_detectable_difference(
            errors.error, test.level, test.power, n_effective, n_swapped
        )
        return float(detectable)

    def find_size(target: float, error: float, test: _Test) -> int | None:
        if not (se > 0 and error < _BEYOND * abs(target)):
            return None
        needed = units_needed(
            target, error, pair.n_units, test.level, test.power, n_effective, swaps
        )
        return max(test.least, needed)

    def find_sizes(target: float, errors: _Errors, test: _Test) -> Size:
        units = find_size(target, errors.error, test)
        low = find_size(target, errors.low, test)
        high = find_size(target, errors.high, test)
        segments = None
        if units is not None:
            mean_length = pair.n_segments / pair.n_units
            segments = round(units * mean_length)
        return Size(units, low, high, segments)

    return PairPlan(
        a=pair.a,
        b=pair.b,
        delta=delta,
        se=finite_or_none(se),
        mdd=find_detectable(one_test),
        mdd_family=find_detectable(family_test),
        size=find_sizes(difference, errors, one_test),
        size_family=find_sizes(difference, errors, family_test),
        size_for_own=find_sizes(delta, own_errors, one_test),
        size_for_own_family=find_sizes(delta, own_errors, family_test),
        se_df=finite_or_none(freedom),
        n_pairs=n_pairs,
        decidable=n_common >= one_test.least,
        n_effective=n_effective,
    )


def _estimate_errors(pair: PairError, alpha: float) -> tuple[_Errors, _Errors]:
    """Estimate the standard error and its interval, for a named difference and for the pair's own.

    The pair's own difference is uncertain too. Its interval has the standard errors at which the
    noncentrality of t would be a difference of this size.
    """
    se, freedom, n_effective = (np.array([x]) for x in (pair.se, pair.df, pair.n_effective))
    error = unbiased(se, n_effective)
    low, high = error_interval(se, freedom, n_effective, alpha)
    size = abs(pair.delta)
    with np.errstate(divide="ignore", invalid="ignore"):
        t_low, t_high = noncentrality_interval(size / error, freedom, alpha)
        own_low = size / np.maximum(t_high, -t_low)
        own_high = size / np.maximum(t_low, 0)
    errors = _Errors(error.item(), low.item(), high.item())
    own_errors = _Errors(error.item(), own_low.item(), own_high.item())
    return errors, own_errors


def cannot_plan(source: Comparison | SweptSizes, metric: str | None = None) -> Caution | None:
    """The caution that the test set is too small for any difference to be significant.

    None where some difference could be.
    """
    pairs, settings = _list_pairs(source, metric)
    most = max((pair.error.n_units for pair in pairs), default=0)
    settings = replace(settings, trials=None, correction="none")
    is_reachable = can_reach(settings, np.array([most])).any()
    if not pairs or is_reachable:
        return None
    needed = fewest_units(settings, 1)
    facts = {"unit": settings.unit, "n": most, "needed": needed}
    remedies = suggest_settings(settings, 1)
    return Caution("cannot-plan", facts, remedies=remedies)


def _list_pairs(
    source: Comparison | SweptSizes, metric: str | None
) -> tuple[list[_Pair], Settings]:
    """The pairs to plan for, and the settings of the test."""
    if isinstance(source, Comparison):
        return _list_compared(source, metric), source.settings
    # A sweep draws its units whether both systems have them or not; its test is ``ar``.
    settings = Settings(
        test="ar",
        trials=None,
        correction="none",
        ci="percentile",
        baseline=None,
        **asdict(source.settings),
    )
    pairs = [
        _Pair(a, b, error, source.n_units, source.n_segments)
        for (a, b), error in source.errors.items()
    ]
    return pairs, settings


def _list_compared(comparison: Comparison, metric: str | None) -> list[_Pair]:
    if metric is None:
        metric = next(iter(comparison.metrics))
    result = comparison.metrics[metric]
    pairs = []
    for pair in result.tested:
        if pair.se is None and pair.n_units != 1:
            continue
        improvement = result.sign * pair.delta
        se = math.nan
        if pair.se is not None:
            se = pair.se
        freedom = math.nan
        if pair.se_df is not None:
            freedom = pair.se_df
        error = PairError(improvement, se, freedom, pair.n_units, pair.n_effective)
        n_units = pair.n
        if comparison.settings.unit == "document":
            n_units = pair.n_units
        pairs.append(_Pair(pair.a, pair.b, error, n_units, pair.n))
    return pairs
