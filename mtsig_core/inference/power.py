"""What a test set can see: the minimum detectable difference, power, and the size that a difference needs.

A standard error is itself estimated, and so is whatever is planned by it: `degrees_of_freedom` says how well it is
known, `error_interval` and `noncentrality_interval` what that leaves open. docs/planning.md has how often these hold.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TypeVar

import numpy as np

from mtsig_core.inference.row_chunks import by_rows, of_known

__all__ = ["degrees_of_freedom", "error_interval", "exaggeration_at", "minimum_detectable_difference",
           "noncentrality_interval", "power_at", "units_needed"]

_LEAST_UNITS = 5  # with fewer their kurtosis says nothing
_POINTS = 100  # of a distribution of standard errors

_Points = TypeVar("_Points", float, np.ndarray)


def minimum_detectable_difference(se: _Points, alpha: float = 0.05, power: float = 0.8) -> _Points:
    """The true difference that a two-sided test at level alpha finds with this power: (z(1-a/2) + z(power)) SE.

    Parameters
    ----------
    se : float or ndarray
        Standard error of the difference, in points.

    Returns
    -------
    Same type as `se`, in points: 2.80 SE at the defaults.

    Examples
    --------
    >>> round(minimum_detectable_difference(1.0), 2)
    2.8
    """
    normal = NormalDist()
    return (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)) * se


def power_at(difference: np.ndarray | float, se: np.ndarray | float, alpha: float = 0.05,
             spread: np.ndarray | float | None = None) -> np.ndarray | float:
    """How often a two-sided test at level alpha finds a true difference, in either direction.

    Parameters
    ----------
    difference, se : float or ndarray
        True difference, and the standard error that the test reckons with; in points.
    spread : float or ndarray, optional
        Standard deviation that the observed difference really has, by default `se`. Subsets drawn from one test set
        without replacement vary less than test sets do.

    Returns
    -------
    float or ndarray, 0 to 1

    Examples
    --------
    >>> round(float(power_at(2.80, 1.0)), 2), round(float(power_at(0.0, 1.0)), 2)
    (0.8, 0.05)
    """
    from scipy.special import ndtr

    difference, se = np.abs(difference), np.asarray(se, dtype=float)
    spread = se if spread is None else np.asarray(spread, dtype=float)
    bound = NormalDist().inv_cdf(1 - alpha / 2) * se
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = ndtr((difference - bound) / spread) + ndtr((-difference - bound) / spread)
    # without any spread the same difference is seen each time
    return np.where(spread > 0, found, (difference > bound).astype(float))[()]


def exaggeration_at(difference: float, se: float, alpha: float = 0.05) -> float:
    """How many times as large as the true difference significant ones are, on average (Gelman and Carlin 2014).

    E(abs(d) | abs(d) >= z SE) / difference of a normal d: the winner's curse of tests with little power.

    Parameters
    ----------
    difference, se : float
        True difference, not 0, and its standard error; in points.

    Examples
    --------
    >>> round(exaggeration_at(2.80, 1.0), 2), round(exaggeration_at(0.5, 1.0), 2)
    (1.13, 4.79)
    """
    from scipy.special import ndtr

    size, normal = abs(difference) / se, NormalDist()
    above, below = (sign * normal.inv_cdf(1 - alpha / 2) - size for sign in (1, -1))
    sizes = size * (ndtr(-above) - ndtr(below)) + normal.pdf(above) + normal.pdf(below)
    return float(sizes / (ndtr(-above) + ndtr(below)) / size)


def units_needed(difference: float, se: float, n_units: int, alpha: float = 0.05, power: float = 0.8) -> int:
    """The units that a two-sided test needs to find a true difference with this power; SE shrinks as 1/sqrt(units).

    Parameters
    ----------
    difference : float
        In points, not 0.
    se : float
        Standard error of the difference on `n_units` units, in points.

    Examples
    --------
    Half the difference needs four times the units:

    >>> units_needed(2.802, 1.0, 100), units_needed(1.401, 1.0, 100)
    (100, 400)
    """
    return max(1, math.ceil(n_units * (minimum_detectable_difference(se, alpha, power) / difference) ** 2))


def degrees_of_freedom(left_out: np.ndarray, resamples: int) -> np.ndarray:
    """How well bootstrap standard errors are known: f, where f SE^2 / sigma^2 is about chi-squared with f degrees.

    f = 2 / var(log SE^2), as of Satterthwaite (1946). The variance is that of Bonett (2006, Computational Statistics
    and Data Analysis 50, 775-782), c^2 (k - (n - 3) / n) / (n - 1) with c = n / (n - 2) and k the kurtosis about a
    trimmed mean of what each unit adds, which is large where a few units decide; and 2 / (B - 1) for the draws of
    the bootstrap.

    Parameters
    ----------
    left_out : ndarray, shape (k, units)
        Differences with one unit left out; NaN for units that have no part in one.
    resamples : int
        B, the bootstrap samples behind the standard errors.

    Returns
    -------
    ndarray, shape (k,)
        NaN with fewer than five units, and where nothing varies.
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

    freedom: np.ndarray = 2 / (by_rows(lambda rows: of_known(variance, rows), left_out) + 2 / (resamples - 1))
    return freedom


def error_interval(se: np.ndarray, freedom: np.ndarray, n_units: np.ndarray,
                   alpha: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Interval of level 1 - alpha for the true standard errors: sqrt(f / chi-squared(f)) SE sqrt(n / (n - 1)).

    Parameters
    ----------
    se, freedom : ndarray, shape (k,)
        Bootstrap standard errors, and what `degrees_of_freedom` gives.
    n_units : ndarray of int, shape (k,)
        n: the bootstrap's variance is too small by (n - 1) / n.

    Returns
    -------
    low, high : ndarray, shape (k,)
    """
    from scipy.special import gammaincinv

    unbiased = se * np.sqrt(n_units / np.maximum(n_units - 1, 1))
    low, high = (unbiased / np.sqrt(2 / freedom * gammaincinv(freedom / 2, level))
                 for level in (1 - alpha / 2, alpha / 2))
    return low, high


def noncentrality_interval(t: np.ndarray, freedom: np.ndarray, alpha: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Interval of level 1 - alpha for the true difference in true standard errors, of which `t` are the estimates.

    Both are uncertain: t has the noncentral t distribution with f degrees of freedom, whose noncentrality is sought
    (Johnson and Welch 1940).

    Parameters
    ----------
    t, freedom : ndarray, shape (k,)
        Differences over standard errors, and `degrees_of_freedom` of these.

    Returns
    -------
    low, high : ndarray, shape (k,)
    """
    from scipy.special import gammaincinv, ndtr

    levels = (np.arange(_POINTS) + 0.5) / _POINTS
    half = np.asarray(freedom, dtype=float)[:, None] / 2
    spread = np.asarray(t, dtype=float)[:, None] * np.sqrt(gammaincinv(half, levels) / half)  # t, had it its true SE

    def where(level: float) -> np.ndarray:
        low: np.ndarray = spread.min(axis=1) - 10
        high: np.ndarray = spread.max(axis=1) + 10
        for _ in range(40):
            middle = (low + high) / 2
            above = ndtr(spread - middle[:, None]).mean(axis=1) > level  # falls as the noncentrality grows
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return low

    return where(1 - alpha / 2), where(alpha / 2)
