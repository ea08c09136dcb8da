"""The sizes of a sweep: by default, as people write them, in units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real

import numpy as np

from mtsig_core.errors import SettingError, counted
from mtsig_core.experiments.population import check_whole

__all__ = ["default_sizes", "in_units", "parse_sizes"]

_LEAST, _LARGEST = 5, 1_000_000  # units of a subset
_SMALLEST_SET = 2 * _LEAST


def default_sizes(n_units: int, kind: str = "unit") -> list[int]:
    """Up to ten sizes, evenly spaced on a log scale from a hundredth of the set (10 at least) to all of it.

    Examples
    --------
    >>> default_sizes(2018)
    [20, 34, 56, 94, 160, 260, 430, 730, 1200, 2018]
    """
    if n_units < _SMALLEST_SET:
        fewer = kind != "segment"
        raise SettingError(f"The test set has {counted(n_units, kind)}. A sweep of sizes needs at least "
                           f"{_SMALLEST_SET}; choose {'the unit segment, ' * fewer}other sizes or a larger test set.",
                           *[{"unit": "segment"}] * fewer, {"sizes": "N,..."})
    low = max(_LEAST if n_units < 40 else 10, n_units / 100)
    steps = [float(f"{size:.2g}") for size in np.geomspace(low, n_units, 10)[:-1]]
    return sorted({*(math.floor(size) for size in steps if size < n_units), n_units})


def parse_sizes(text: str) -> list[float]:
    """Sizes as `sweep_sizes` takes them: whole numbers of units, and shares of the set with a percent sign.

    Examples
    --------
    >>> parse_sizes("20, 50, 12.5%, 100%")
    [20, 50, 0.125, 1.0]
    """
    def one(part: str) -> float:
        return float(part[:-1]) / 100 if part.endswith("%") else int(part)

    try:
        return [one(part.strip()) for part in text.split(",")]
    except ValueError:
        raise SettingError(f"{text!r} is no list of sizes. Expected numbers of units or shares of the set, such as "
                           "10,20,50 or 10%,50%,100%.") from None


def in_units(sizes: Sequence[float], n_units: int) -> list[int]:
    """Sizes in units, ascending, each once; fractions are shares of the set.

    Raises
    ------
    SettingError
        Without any, and for sizes out of range.

    Examples
    --------
    >>> in_units([50, 0.1, 1.0, 100], 100)
    [10, 50, 100]
    """
    for share in filter(_is_share, sizes):
        if (few := round(_share(share) * n_units)) < _LEAST:
            raise SettingError(f"{share:.0%} of {n_units} units are {few}. Expected at least {_LEAST}: take larger "
                               "shares, or smaller units, such as segments.")
    found = sorted({round(_share(size) * n_units) if _is_share(size) else size for size in sizes})
    if not found:
        raise SettingError("sizes is empty. Expected at least one, such as 50.")
    return [check_whole("size", size, _LEAST, _LARGEST) for size in found]


def _is_share(size: float) -> bool:
    return isinstance(size, Real) and not isinstance(size, Integral)


def _share(size: float) -> float:
    if not 0 < size <= 1:
        raise SettingError(f"size is {size}. Expected a whole number of units, or a share of the set above 0 and at "
                           "most 1 (100%).")
    return size
