"""What a test set can see: the minimum detectable difference, power, and the size that a difference needs."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TypeVar

import numpy as np

__all__ = ["minimum_detectable_difference", "power_at", "units_needed"]

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
    with np.errstate(divide="ignore", invalid="ignore"):
        found = ndtr((difference - bound) / spread) + ndtr((-difference - bound) / spread)
    # without any spread the same difference is seen each time
    return np.where(spread > 0, found, (difference > bound).astype(float))[()]


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
