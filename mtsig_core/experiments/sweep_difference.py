"""What a sweep of sizes says of a difference that is asked about, in place of the one that the pair has."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.population import Rate, rate
from mtsig_core.experiments.sweep_results import SizeSweep
from mtsig_core.inference.power import power_at
from mtsig_core.inference.ties import TOLERANCE

__all__ = ["FoundAtSize", "found_at", "planned_at"]


@dataclass(frozen=True)
class FoundAtSize:
    """Random test sets of one size, the pair's differences shifted so that the whole set has the one asked about.

    Attributes
    ----------
    size : int
        Units.
    segments : float or None
        Mean number of segments; None where none were drawn.
    significant, wrong : Rate
        Sets on which the pair is significant, and on which b is then ahead, with their Monte Carlo intervals.
    expected, planned : float
        What normal theory expects of parts of this set, and plans for fresh test sets of that size; 0 to 1.
    """

    size: int
    segments: float | None
    significant: Rate
    wrong: Rate
    expected: float
    planned: float


def found_at(found: SizeSweep, a: str, b: str, difference: float) -> tuple[FoundAtSize, ...]:
    """How often random test sets of each size find a difference, were it that of the whole set.

    The subsets, their bootstrap samples and so their spread are those of the sweep; only their middle is moved, by
    the difference asked about less the pair's own. At its own difference the shares are those of `PairSize`.

    Parameters
    ----------
    a, b : str
        A pair of the sweep, in its order.
    difference : float
        Of a over b, in points; above 0.

    Raises
    ------
    SettingError
        For a pair that the sweep does not have, and a difference that is not above 0.

    Examples
    --------
    >>> from mtsig_core import TestSet
    >>> from mtsig_core.experiments.sweep_size import sweep_sizes
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 30 + ["a b c d x"] * 30, "B": ["a x c d e"] * 60},
    ...              {"ref": ["a b c d e"] * 60})
    >>> swept = sweep_sizes(ts, "bleu", sizes=[10, 40], repeats=20)
    >>> own = swept.errors["A", "B"].delta
    >>> [(row.size, row.significant.share) for row in found_at(swept, "A", "B", own)]
    [(10, 1.0), (40, 1.0)]
    """
    delta, _ = _known(found, a, b, difference)
    place = list(found.errors).index((a, b))
    rows = []
    for row in (row for row in found.pairs if (row.a, row.b) == (a, b)):
        low, high = found.ends[row.size][:, place].T + (difference - delta)
        tie = TOLERANCE * difference
        ahead, behind = low > tie, high < -tie
        planned, = planned_at(found, a, b, difference, [row.size])
        rows.append(replace(planned, segments=row.segments,
                            significant=rate(int(np.count_nonzero(ahead | behind)), row.repeats),
                            wrong=rate(int(np.count_nonzero(behind)), row.repeats)))
    return tuple(rows)


def planned_at(found: SizeSweep, a: str, b: str, difference: float, sizes: Iterable[int]) -> tuple[FoundAtSize, ...]:
    """What theory says of test sets of some sizes, before any are drawn: parameters and errors as in `found_at`."""
    _, whole_se = _known(found, a, b, difference)
    rows = []
    for size in sizes:
        se, part = whole_se * math.sqrt(found.n_units / size), min(1.0, size / found.n_units)
        spread = se if size > found.n_units else se * math.sqrt(1 - part)
        alpha = found.settings.alpha
        rows.append(FoundAtSize(size, None, rate(0, 0), rate(0, 0), float(power_at(difference, se, alpha, spread)),
                                float(power_at(difference, se, alpha))))
    return tuple(rows)


def _known(found: SizeSweep, a: str, b: str, difference: float) -> tuple[float, float]:
    """Improvement of a over b on the whole set, and its standard error."""
    if not (math.isfinite(difference) and difference > 0):
        raise SettingError(f"The difference is {difference:g}. Expected a number of points above 0, such as 1.")
    if (a, b) not in found.errors:
        raise SettingError(f"The sweep has no pair {a} - {b}.")
    return found.errors[a, b][:2]
