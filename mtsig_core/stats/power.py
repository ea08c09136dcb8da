"""What a test set can see: the minimum detectable difference, power, and the size that a difference needs.

A standard error is itself estimated, and so is whatever is planned by it: quantiles are Student's, with the degrees of
freedom of the units that there are. `degrees_of_freedom` says how well one standard error is known, `error_interval`
and `noncentrality_interval` what that leaves open. docs/statistics.md has how often these hold.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TypeVar, cast

import numpy as np

from mtsig_core.stats.arrays import apply_by_rows, apply_to_known

_LEAST_UNITS = 5  # with fewer their kurtosis says nothing
_POINTS = 100  # of a distribution of standard errors
_FEW_LEVELS = 20  # units of which the p of all swaps are so many that none of them stands out
_MOST_PLANNED = 2**62  # units

_Points = TypeVar("_Points", float, np.ndarray)


def unbiased(se: _Points, n_units: int | np.ndarray) -> _Points:
    """The bootstrap's standard error on n units x sqrt(n / (n - 1)), as its variance is too small by (n - 1) / n."""
    return _like(se, se * np.sqrt(n_units / np.maximum(n_units - 1, 1)))


def _like(se: _Points, found: np.ndarray | float) -> _Points:
    """What was found for standard errors, as a float where they are one."""
    if isinstance(se, float):
        return float(found)
    return cast(_Points, found)


def units_freedom(n_effective: np.ndarray | float) -> np.ndarray | float:
    """The degrees of freedom of a standard error from units worth so many of equal size (Kish 1965): one less, at least
    1."""
    return np.maximum(n_effective - 1.0, 1.0)


def welch_satterthwaite(variances: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """The degrees of freedom of sums of independent variances (Welch 1947): (sum v)^2 / sum(v^2 / f), from shape
    (parts, ...); the largest of the parts' where no part varies."""
    total, own = variances.sum(axis=0), (variances**2 / freedom).sum(axis=0)
    found: np.ndarray = np.divide(total**2, own, out=np.array(freedom.max(axis=0), dtype=float), where=own > 0)
    return found


def minimum_detectable_difference(se: _Points, alpha: float = 0.05, power: float = 0.8,
                                  n_effective: np.ndarray | float = math.inf,
                                  n_swapped: np.ndarray | int | None = None) -> _Points:
    """The true difference that a two-sided test at level alpha finds with this power: (t(1-a/2) + t(power)) SE.

    Parameters
    ----------
    se : float or ndarray
        Standard error of the difference, in points; of a bootstrap after `unbiased`.
    n_effective : float or ndarray
        Units of equal size that those it was estimated on are worth; by default so many that t is normal.
    n_swapped : ndarray of int, optional
        The units that a test by random swaps swaps: its p are multiples of 2/2^n. Where only the least of them is at
        most alpha it finds what all n units show, which they do with this power where each does with power^(1/n).

    Returns
    -------
    Same type as `se`, in points: 2.80 SE at the defaults.

    Examples
    --------
    >>> round(minimum_detectable_difference(1.0), 2), round(minimum_detectable_difference(1.0, n_effective=15.0), 2)
    (2.8, 3.01)
    """
    from scipy.special import ndtri, stdtrit

    freedom, level, least = units_freedom(n_effective), np.asarray(alpha), np.asarray(0.0)
    if n_swapped is not None:
        n = np.clip(n_swapped, 1, _FEW_LEVELS)
        steps = np.floor(alpha * 2.0 ** (n - 1) * (1 + 1e-12))
        level = np.where(n < _FEW_LEVELS, steps / 2.0 ** (n - 1), alpha)
        least = np.where(steps == 1, np.sqrt(n) * ndtri(power ** (1 / n)), 0.0)
    normal = np.isinf(freedom)
    known = np.where(normal, 1.0, freedom)
    errors = [np.where(normal, ndtri(p), stdtrit(known, p)) for p in (1 - level / 2, np.asarray(power))]
    return _like(se, np.where(np.equal(se, 0), 0.0, np.maximum(errors[0] + errors[1], least)) * se)


def power_at(difference: np.ndarray | float, se: np.ndarray | float, alpha: float = 0.05,
             spread: np.ndarray | float | None = None, n_effective: np.ndarray | float = math.inf
             ) -> np.ndarray | float:
    """How often a two-sided test at level alpha finds a true difference, in either direction.

    Parameters
    ----------
    difference, se : float or ndarray
        True difference, and the standard error that the test reckons with; in points.
    spread : float or ndarray, optional
        Standard deviation that the observed difference really has, by default `se`. Subsets drawn from one test set
        without replacement vary less than test sets do.
    n_effective : float or ndarray
        As in `minimum_detectable_difference`: the test estimates its standard error on so many units.

    Returns
    -------
    float or ndarray, 0 to 1

    Examples
    --------
    >>> round(float(power_at(2.80, 1.0)), 2), round(float(power_at(0.0, 1.0)), 2)
    (0.8, 0.05)
    """
    from scipy.special import ndtr

    difference, se = np.abs(difference)[..., None], np.asarray(se, dtype=float)[..., None]
    spread = se if spread is None else np.asarray(spread, dtype=float)[..., None]
    bound = _bounds(alpha, n_effective) * se
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = ndtr((difference - bound) / spread) + ndtr((-difference - bound) / spread)
    # without any spread the same difference is seen each time
    share: np.ndarray | float = np.where(spread > 0, found, difference > bound).mean(axis=-1)[()]
    return share


def exaggeration_at(difference: float, se: float, alpha: float = 0.05, n_effective: float = math.inf) -> float:
    """How many times as large as the true difference significant ones are, on average (Gelman and Carlin 2014).

    E(abs(d) | abs(d) >= t SE) / difference of a normal d, the true difference not 0: the winner's curse of tests with
    little power.

    >>> round(exaggeration_at(2.80, 1.0), 2), round(exaggeration_at(0.5, 1.0), 2)
    (1.13, 4.79)
    """
    from scipy.special import ndtr

    size, bound = abs(difference) / se, _bounds(alpha, n_effective)
    above, below = bound - size, -bound - size
    density = (np.exp(-above**2 / 2) + np.exp(-below**2 / 2)) / math.sqrt(2 * math.pi)
    sizes = size * (ndtr(-above) - ndtr(below)) + density
    return float(sizes.mean() / (ndtr(-above) + ndtr(below)).mean() / size)


def _bounds(alpha: float, n_effective: np.ndarray | float) -> np.ndarray:
    """What a difference has to exceed, in true standard errors, over the estimates that a test may make of these: t
    times `_estimates`, shape (..., points); of known ones the normal quantile, shape (..., 1)."""
    from scipy.special import stdtrit

    freedom = np.asarray(units_freedom(n_effective), dtype=float)
    if np.isinf(freedom).all():
        return np.full((*freedom.shape, 1), NormalDist().inv_cdf(1 - alpha / 2))
    bounds: np.ndarray = stdtrit(freedom, 1 - alpha / 2)[..., None] * _estimates(freedom)
    return bounds


def _estimates(freedom: np.ndarray) -> np.ndarray:
    """Evenly likely estimates of a standard error of 1 that is known with f degrees of freedom, shape (..., points)."""
    from scipy.special import gammaincinv

    half = freedom[..., None] / 2
    estimates: np.ndarray = np.sqrt(gammaincinv(half, (np.arange(_POINTS) + 0.5) / _POINTS) / half)
    return estimates


def units_needed(difference: float, se: float, n_units: int, alpha: float = 0.05, power: float = 0.8,
                 n_effective: float | None = None, swaps: bool = False) -> int:
    """The units that a two-sided test needs to find a true difference with this power: the fewest whose minimum
    detectable difference is no larger. SE shrinks as 1/sqrt(units), and t as they grow.

    Parameters
    ----------
    difference : float
        In points, not 0.
    se : float
        Standard error of the difference on `n_units` units, in points; of a bootstrap after `unbiased`.
    n_effective : float, optional
        Units of equal size that these are worth, by default all; planned ones are worth as much each.
    swaps : bool
        Whether the test swaps units, so that p of few takes few values.

    Examples
    --------
    Half the difference needs four times the units, but for what few of them leave open of the standard error:

    >>> units_needed(2.802, 1.0, 100), units_needed(1.401, 1.0, 100)
    (102, 402)
    """
    worth = 1.0 if n_effective is None else n_effective / n_units

    def enough(n: int) -> bool:
        error = se * math.sqrt(n_units / n)
        return minimum_detectable_difference(error, alpha, power, worth * n, n if swaps else None) <= abs(difference)

    low = max(1, math.ceil(n_units * (minimum_detectable_difference(se, alpha, power) / difference) ** 2))
    high = low
    while not enough(high) and high < _MOST_PLANNED:
        low, high = high + 1, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def degrees_of_freedom(left_out: np.ndarray, resamples: int) -> np.ndarray:
    """How well bootstrap standard errors are known: f, where f SE^2 / sigma^2 is about chi-squared with f degrees.

    f = 2 / var(log SE^2), as of Satterthwaite (1946). The variance is that of Bonett (2006, Computational Statistics
    and Data Analysis 50, 775-782), c^2 (k - (n - 3) / n) / (n - 1) with c = n / (n - 2) and k the kurtosis about a
    trimmed mean of what each unit adds, which is large where a few units decide; and 2 / (B - 1) for the draws of the
    bootstrap.

    Takes differences with one unit left out, shape (k, units), NaN for units that have no part in one; returns shape
    (k,), NaN with fewer than five units, and where nothing varies.
    """
    def variance(rows: np.ndarray) -> np.ndarray:
        n = rows.shape[1]
        if n < _LEAST_UNITS:
            return np.full(len(rows), np.nan)
        cut = int(n / (2 * math.sqrt(n - 4)))
        around = rows - rows.mean(axis=1, keepdims=True)
        around /= np.maximum(np.abs(around).max(axis=1, keepdims=True), np.finfo(float).tiny)  # of any scale
        middle = np.partition(around, [cut, n - 1 - cut], axis=1)[:, cut:n - cut].mean(axis=1, keepdims=True)
        squares = (around**2).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            fourths = np.square(around - middle) ** 2  # ** 4 takes 50 times as long, and rounds by processor
            kurtosis = n * fourths.sum(axis=1) / np.where(squares > 0, squares, np.nan) ** 2
        found: np.ndarray = (n / (n - 2)) ** 2 * np.maximum(kurtosis - (n - 3) / n, 0) / (n - 1)
        return found

    freedom: np.ndarray = 2 / (apply_by_rows(lambda rows: apply_to_known(variance, rows),
                                             left_out) + 2 / (resamples - 1))
    return freedom


def error_interval(se: np.ndarray, freedom: np.ndarray, n_units: np.ndarray,
                   alpha: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Interval of level 1 - alpha for the true standard errors: sqrt(f / chi-squared(f)) SE sqrt(n / (n - 1)), with f
    of `degrees_of_freedom`, as the bootstrap's variance is too small by (n - 1) / n; low and high, each of shape (k,).
    """
    from scipy.special import gammaincinv

    low, high = (unbiased(se, n_units) / np.sqrt(2 / freedom * gammaincinv(freedom / 2, level))
                 for level in (1 - alpha / 2, alpha / 2))
    return low, high


def noncentrality_interval(t: np.ndarray, freedom: np.ndarray, alpha: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Interval of level 1 - alpha for the true difference in true standard errors, of which `t` are the estimates; low
    and high, each of shape (k,).

    Both are uncertain: t has the noncentral t distribution with f degrees of freedom, whose noncentrality is sought
    (Johnson and Welch 1940).
    """
    from scipy.special import ndtr

    spread = np.asarray(t, dtype=float)[:, None] * _estimates(np.asarray(freedom, dtype=float))  # t, had it its true SE

    def where(level: float) -> np.ndarray:
        low: np.ndarray = spread.min(axis=1) - 10
        high: np.ndarray = spread.max(axis=1) + 10
        for _ in range(40):
            middle = (low + high) / 2
            above = ndtr(spread - middle[:, None]).mean(axis=1) > level  # falls as the noncentrality grows
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return low

    return where(1 - alpha / 2), where(alpha / 2)
