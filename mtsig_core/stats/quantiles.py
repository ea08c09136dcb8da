"""Quantiles of Student's t and of chi-squared.

scipy computes the same, but takes a quarter of a short process to load. So it serves only where
few degrees of freedom or far tails need it.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

import numpy as np

_STEPS = 3  # of Halley's method, each of which triples the digits
#: Coefficients of 1/f, 1/f^3, ... in log Gamma((f + 1) / 2) - log Gamma(f / 2) - log(f / 2) / 2.
_STUDENT_SERIES = (-1 / 4, 1 / 24, -1 / 20, 17 / 112, -31 / 36)

_log_gamma = np.vectorize(math.lgamma, otypes=[float])


def student_quantile(freedom: np.ndarray | float, level: np.ndarray | float) -> np.ndarray:
    """Compute the values below which Student's t lies with probability `level`.

    Infinite degrees of freedom give the quantile of the normal distribution.

    >>> [round(float(student_quantile(freedom, 0.975)), 4) for freedom in (5, 42.5, np.inf)]
    [2.5706, 2.0174, 1.96]
    """
    quantiles: np.ndarray = _student_quantiles(freedom, level)
    return quantiles


@lru_cache(maxsize=1 << 12)  # mostly all pairs of systems have the same degrees of freedom
def _student_quantile(freedom: float, level: float) -> float:
    share = level - 0.5  # between 0 and the quantile
    if math.isnan(freedom):
        return math.nan
    if freedom < 30 or not 0 < abs(share) <= 0.49998:
        from scipy.special import stdtrit

        return float(stdtrit(freedom, level))
    inverse = 1 / min(freedom, 1e300)
    log_gammas = sum(c * inverse ** (2 * k + 1) for k, c in enumerate(_STUDENT_SERIES))
    scale = math.exp(log_gammas) / math.sqrt(2 * math.pi)
    z = NormalDist().inv_cdf(level)
    t = z + (z**3 + z) / 4 * inverse
    for _ in range(_STEPS):
        place = t**2 / (1 + t**2 * inverse)
        density = scale * math.exp(-(1 / inverse + 1) / 2 * math.log1p(t**2 * inverse))
        term = series = 1.0
        k = 0
        while term > 1e-17 * series:
            k += 1
            term *= place * (1 + (2 * k - 1) * inverse) / (2 * k + 1)
            series += term
        step = t * series - share / density
        t -= step / (1 + step * (1 + inverse) * place / t / 2)
    return t


_student_quantiles = np.vectorize(_student_quantile, otypes=[float])


def chi_squared_quantile(freedom: np.ndarray, level: float) -> np.ndarray:
    """Compute the values below which chi-squared lies with probability `level`.

    >>> chi_squared_quantile(np.array([3.0, 42.5]), 0.975).round(4)
    array([ 9.3484, 62.3839])
    """
    is_near = abs(level - 0.5) < 0.499
    has_all_digits = is_near & ~(freedom < 5)
    half = np.where(has_all_digits, freedom, 5) / 2
    log_scale = half * np.log(half) - half - _log_gamma(half + 1)
    share = level if is_near else 0.5
    z = NormalDist().inv_cdf(share)
    spread = 1 / (9 * half)
    excess: np.ndarray = (1 - spread + z * np.sqrt(spread)) ** 3 - 1  # Wilson and Hilferty (1931)
    for _ in range(_STEPS):
        density = np.exp(log_scale + half * (np.log1p(excess) - excess))
        mass = density * _sum_products(half + half * excess, lambda k: 1 / (half + k))
        step = (1 + excess) * (mass - share) / (half * density)
        excess = excess - step / (1 + step / 2 * (half * excess + 1) / (1 + excess))
    quantiles: np.ndarray = freedom * (1 + excess)
    if has_all_digits.all():
        return quantiles
    from scipy.special import gammaincinv

    few = 2 * gammaincinv(freedom / 2, level)
    return np.where(has_all_digits, quantiles, few)


def _sum_products(x: np.ndarray, factor: Callable[[int], np.ndarray]) -> np.ndarray:
    """The sum of 1 + x f(1) + x^2 f(1) f(2) + ..., until no term counts."""
    n_terms = 0
    product = total = np.ones_like(x)
    while (product > 1e-17 * total).any():
        for k in range(n_terms + 1, n_terms + 17):  # to look takes as long as two terms
            product = product * x * factor(k)
            total = total + product
        n_terms += 16
    return total
