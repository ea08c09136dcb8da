"""What a test set can see: the minimum detectable difference, power, and the size that a difference
needs.

A standard error is itself estimated, and so is whatever is planned by it: quantiles are Student's,
with the degrees of freedom of the units that there are. `degrees_of_freedom` says how well one
standard error is known, `error_interval` and `noncentrality_interval` what that leaves open.
docs/statistics.md has how often these hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import SettingError
from mtsig_core.results import Comparison, SamplingSettings, Settings
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

_LEAST_UNITS = 5  # with fewer their kurtosis says nothing
_POINTS = 100  # of a distribution of standard errors
_FEW_LEVELS = 20  # units of which the p of all swaps are so many that none of them stands out
_MOST_PLANNED = 2**62  # units


def minimum_detectable_difference(
    se: Points,
    alpha: float = 0.05,
    power: float = 0.8,
    n_effective: np.ndarray | float = math.inf,
    n_swapped: np.ndarray | int | None = None,
) -> Points:
    """The true difference that a two-sided test at level alpha finds with this power: (t(1-a/2) +
    t(power)) SE.

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
    from scipy.special import ndtri, stdtrit

    freedom, level, least = units_freedom(n_effective), np.asarray(alpha), np.asarray(0.0)
    if n_swapped is not None:
        n = np.clip(n_swapped, 1, _FEW_LEVELS)
        steps = np.floor(alpha * 2.0 ** (n - 1) * (1 + 1e-12))
        level = np.where(n < _FEW_LEVELS, steps / 2.0 ** (n - 1), alpha)
        least = np.where(steps == 1, np.sqrt(n) * ndtri(power ** (1 / n)), 0.0)
    normal = np.isinf(freedom)
    known = np.where(normal, 1.0, freedom)
    errors = [
        np.where(normal, ndtri(p), stdtrit(known, p)) for p in (1 - level / 2, np.asarray(power))
    ]
    return keep_kind(
        se, np.where(np.equal(se, 0), 0.0, np.maximum(errors[0] + errors[1], least)) * se
    )


def power_at(
    difference: np.ndarray | float,
    se: np.ndarray | float,
    alpha: float = 0.05,
    spread: np.ndarray | float | None = None,
    n_effective: np.ndarray | float = math.inf,
) -> np.ndarray | float:
    """How often a two-sided test at level alpha finds a true difference, in either direction.

    Parameters
    ----------
    difference, se : float or ndarray
        True difference, and the standard error that the test reckons with; in points.
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

    difference, se = np.abs(difference)[..., None], np.asarray(se, dtype=float)[..., None]
    spread = se if spread is None else np.asarray(spread, dtype=float)[..., None]
    bound = _bounds(alpha, n_effective) * se
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = ndtr((difference - bound) / spread) + ndtr((-difference - bound) / spread)
    # without any spread the same difference is seen each time
    share: np.ndarray | float = np.where(spread > 0, found, difference > bound).mean(axis=-1)[()]
    return share


def exaggeration_at(
    difference: float, se: float, alpha: float = 0.05, n_effective: float = math.inf
) -> float:
    """How many times as large as the true difference significant ones are, on average (Gelman and
    Carlin 2014).

    E(abs(d) | abs(d) >= t SE) / difference of a normal d, the true difference not 0: the winner's
    curse of tests with little power.

    >>> round(exaggeration_at(2.80, 1.0), 2), round(exaggeration_at(0.5, 1.0), 2)
    (1.13, 4.79)
    """
    from scipy.special import ndtr

    size, bound = abs(difference) / se, _bounds(alpha, n_effective)
    above, below = bound - size, -bound - size
    density = (np.exp(-(above**2) / 2) + np.exp(-(below**2) / 2)) / math.sqrt(2 * math.pi)
    sizes = size * (ndtr(-above) - ndtr(below)) + density
    return float(sizes.mean() / (ndtr(-above) + ndtr(below)).mean() / size)


def _bounds(alpha: float, n_effective: np.ndarray | float) -> np.ndarray:
    """What a difference has to exceed, in true standard errors, over the estimates that a test may
    make of these: t times `_estimates`, shape (..., points); of known ones the normal quantile,
    shape (..., 1).
    """
    from scipy.special import stdtrit

    freedom = np.asarray(units_freedom(n_effective), dtype=float)
    if np.isinf(freedom).all():
        return np.full((*freedom.shape, 1), NormalDist().inv_cdf(1 - alpha / 2))
    bounds: np.ndarray = stdtrit(freedom, 1 - alpha / 2)[..., None] * _estimates(freedom)
    return bounds


def _estimates(freedom: np.ndarray) -> np.ndarray:
    """Evenly likely estimates of a standard error of 1 that is known with f degrees of freedom,
    shape (..., points).
    """
    from scipy.special import gammaincinv

    half = freedom[..., None] / 2
    estimates: np.ndarray = np.sqrt(gammaincinv(half, (np.arange(_POINTS) + 0.5) / _POINTS) / half)
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
    """The units that a two-sided test needs to find a true difference with this power: the fewest
    whose minimum detectable difference is no larger. SE shrinks as 1/sqrt(units), and t as they
    grow.

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
    Half the difference needs four times the units, but for what few of them leave open of the standard error:

    >>> units_needed(2.802, 1.0, 100), units_needed(1.401, 1.0, 100)
    (102, 402)
    """
    worth = 1.0 if n_effective is None else n_effective / n_units

    def enough(n: int) -> bool:
        error = se * math.sqrt(n_units / n)
        return minimum_detectable_difference(
            error, alpha, power, worth * n, n if swaps else None
        ) <= abs(difference)

    low = max(
        1, math.ceil(n_units * (minimum_detectable_difference(se, alpha, power) / difference) ** 2)
    )
    high = low
    while not enough(high) and high < _MOST_PLANNED:
        low, high = high + 1, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def degrees_of_freedom(left_out: np.ndarray, resamples: int) -> np.ndarray:
    """How well bootstrap standard errors are known: f, where f SE^2 / sigma^2 is about chi-squared
    with f degrees.

    f = 2 / var(log SE^2), as of Satterthwaite (1946). The variance is that of Bonett (2006,
    Computational Statistics and Data Analysis 50, 775-782), c^2 (k - (n - 3) / n) / (n - 1) with c
    = n / (n - 2) and k the kurtosis about a trimmed mean of what each unit adds, which is large
    where a few units decide; and 2 / (B - 1) for the draws of the bootstrap.

    Takes differences with one unit left out, shape (k, units), NaN for units that have no part in
    one; returns shape (k,), NaN with fewer than five units, and where nothing varies.
    """

    def variance(rows: np.ndarray) -> np.ndarray:
        n = rows.shape[1]
        if n < _LEAST_UNITS:
            return np.full(len(rows), np.nan)
        cut = int(n / (2 * math.sqrt(n - 4)))
        around = rows - rows.mean(axis=1, keepdims=True)
        around /= np.maximum(
            np.abs(around).max(axis=1, keepdims=True), np.finfo(float).tiny
        )  # of any scale
        middle = np.partition(around, [cut, n - 1 - cut], axis=1)[:, cut : n - cut].mean(
            axis=1, keepdims=True
        )
        squares = (around**2).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            fourths = (
                np.square(around - middle) ** 2
            )  # ** 4 takes 50 times as long, and rounds by processor
            kurtosis = n * fourths.sum(axis=1) / np.where(squares > 0, squares, np.nan) ** 2
        found: np.ndarray = (n / (n - 2)) ** 2 * np.maximum(kurtosis - (n - 3) / n, 0) / (n - 1)
        return found

    freedom: np.ndarray = 2 / (
        apply_by_rows(lambda rows: apply_to_known(variance, rows), left_out) + 2 / (resamples - 1)
    )
    return freedom


def error_interval(
    se: np.ndarray, freedom: np.ndarray, n_effective: np.ndarray, alpha: float = 0.05
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of level 1 - alpha for the true standard errors: sqrt(f / chi-squared(f)) SE sqrt(n
    / (n - 1)), with f of `degrees_of_freedom`, and n units of equal size as in `unbiased`; low and
    high, each of shape (k,).
    """
    from scipy.special import gammaincinv

    low, high = (
        unbiased(se, n_effective) / np.sqrt(2 / freedom * gammaincinv(freedom / 2, level))
        for level in (1 - alpha / 2, alpha / 2)
    )
    return low, high


def noncentrality_interval(
    t: np.ndarray, freedom: np.ndarray, alpha: float = 0.05
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of level 1 - alpha for the true difference in true standard errors, of which `t` are
    the estimates; low and high, each of shape (k,).

    Both are uncertain: t has the noncentral t distribution with f degrees of freedom, whose
    noncentrality is sought (Johnson and Welch 1940).
    """
    from scipy.special import ndtr

    spread = np.asarray(t, dtype=float)[:, None] * _estimates(
        np.asarray(freedom, dtype=float)
    )  # t, had it its true SE

    def where(level: float) -> np.ndarray:
        low: np.ndarray = spread.min(axis=1) - 10
        high: np.ndarray = spread.max(axis=1) + 10
        for _ in range(40):
            middle = (low + high) / 2
            above = (
                ndtr(spread - middle[:, None]).mean(axis=1) > level
            )  # falls as the noncentrality grows
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return low

    return where(1 - alpha / 2), where(alpha / 2)


# How large a test set must be, by the standard errors of this one.


_BEYOND = (
    1e100  # a standard error so many times a difference asks for more units than a float holds
)


class PairError(NamedTuple):
    """What the whole set says of a pair, in points."""

    delta: float  # improvement of the first system over the second
    se: float
    df: float  # degrees of freedom of the standard error; NaN where it is not known at all
    n_units: int  # that both systems have, and how many of equal size these are worth
    n_effective: float


#: By pair.
PairErrors = dict[tuple[str, str], PairError]


class SweptSizes(Protocol):
    """What planning takes of a `SizeSweep`."""

    @property
    def errors(self) -> PairErrors: ...
    @property
    def settings(self) -> SamplingSettings: ...
    @property
    def n_units(self) -> int: ...
    @property
    def n_segments(self) -> int: ...


@dataclass(frozen=True)
class PairPlan:
    """The size that one pair of systems needs, in units that both systems have; in a sweep, of the
    sets that it draws.

    Sizes have an interval of level 1 - alpha, ``_low`` to ``_high``. ``_family`` is for a test at
    alpha / `n_pairs`: enough after Bonferroni, Holm and ``bh``, and most often after Romano-Wolf.
    No size is below that with which a p can be so small.
    """

    a: str
    b: str
    # improvement of a over b on this set, in points, and its standard error, None of one unit
    delta: float
    se: float | None
    mdd: (
        float | None
    )  # the difference that this set finds with the power asked for; None where it can find none
    #: For the difference asked for; None where the standard error is 0 or beyond all measure. No
    #: interval with fewer than five units.
    units: int | None
    segments: int | None  # of so many units of the same mean length
    #: For `delta`, were it the true difference; ``_high`` is None where 0 cannot be excluded.
    units_for_own: int | None
    segments_for_own: int | None
    mdd_family: float | None
    units_low: int | None
    units_high: int | None
    units_family: int | None
    units_family_low: int | None
    units_family_high: int | None
    segments_family: int | None
    units_for_own_low: int | None
    units_for_own_high: int | None
    units_for_own_family: int | None
    units_for_own_family_low: int | None
    units_for_own_family_high: int | None
    segments_for_own_family: int | None
    se_df: float | None  # degrees of freedom of the standard error, see `degrees_of_freedom`
    n_pairs: int
    decidable: (
        bool  # whether any difference could be significant with so many units, without correction
    )
    n_effective: float  # how many units of equal size those at hand are worth


def default_difference(scores: Iterable[float]) -> float:
    """A difference worth planning for on the scale of some scores: a thirtieth of the largest, as
    1, 2 or 5 x 10^k.

    Of BLEU about 30 that is 1 point, of a metric from 0 to 1 some hundredths.

    >>> default_difference([28.9, 20.1]), default_difference([6.4]), default_difference([0.61, 0.58])
    (1.0, 0.2, 0.02)
    >>> default_difference([0.0]), default_difference([-0.4, 0.1])
    (1.0, 0.01)
    """
    largest = max(map(abs, scores), default=0.0)
    if largest == 0:
        return 1.0
    wanted = largest / 30
    steps = (float(f"{m}e{math.floor(math.log10(wanted)) + k}") for k in (0, 1) for m in (1, 2, 5))
    return min(steps, key=lambda step: abs(math.log(step / wanted)))


def plan(
    source: Comparison | SweptSizes,
    difference: float,
    power: float = 0.8,
    *,
    metric: str | None = None,
) -> tuple[PairPlan, ...]:
    """How large a test set each pair needs to find a difference with a power, by the standard
    errors of this one.

    Normal theory, with SE falling as 1/sqrt(units); `PairSize.expected` beside
    `PairSize.significant` of a sweep of sizes shows how well it holds here. The segments are those
    of units of the same mean length. For one test at alpha, and for a family of all pairs; each
    size with an interval, for which docs/statistics.md has measured how often it holds the true
    one. The test is that of the comparison, ``ar`` for a sweep.

    Parameters
    ----------
    source : Comparison or SizeSweep
        Of a comparison, the pairs that it tested; stationary blocks count as segments.
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
    >>> row.units == row.segments, row.units > row.units_for_own
    (True, True)
    """
    errors, at_hand, settings = (
        _compared(source, metric) if isinstance(source, Comparison) else _swept(source)
    )
    if not errors:
        raise SettingError("A difference takes two systems. Add another output.")
    if not (math.isfinite(difference) and difference > 0):
        raise SettingError(
            f"The difference is {difference:g}. Expected a number of points above 0, such as 1."
        )
    if not 0 < power < 1:
        raise SettingError(f"power is {power:g}. Expected a number between 0 and 1, such as 0.8.")
    m = len(errors)
    delta, se, freedom, n, worth = (
        np.array(column) for column in zip(*errors.values(), strict=True)
    )
    se_ends = error_interval(se, freedom, worth, settings.alpha)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(delta) / unbiased(se, worth)
        of_one = noncentrality_interval(t, freedom, settings.alpha)
        own_ends = [
            np.abs(delta) / np.maximum(of_one[1], -of_one[0]),
            np.abs(delta) / np.maximum(of_one[0], 0),
        ]
    error, swaps = unbiased(se, worth), swaps_units(settings)
    enough, rows = replace(settings, trials=None), []
    tests = [
        (family, settings.alpha / pairs, fewest_units(enough, pairs, "bonferroni"))
        for family, pairs in (("", 1), ("_family", m))
    ]
    for k, (a, b) in enumerate(errors):
        row: dict[str, Any] = {}
        n_units, n_segments = at_hand[k]
        for family, level, least in tests:
            # what never varies says nothing of other differences
            row[f"mdd{family}"] = (
                None
                if n[k] < least or se[k] == 0
                else float(
                    minimum_detectable_difference(
                        error[k], level, power, worth[k], n[k] if swaps else None
                    )
                )
            )
            for own, target, ends in (("", difference, se_ends), ("_for_own", delta[k], own_ends)):
                for end, one in zip(
                    ("", "_low", "_high"), (error[k], ends[0][k], ends[1][k]), strict=True
                ):
                    known = se[k] > 0 and one < _BEYOND * abs(target)
                    row[f"units{own}{family}{end}"] = (
                        None
                        if not known
                        else max(
                            least,
                            units_needed(
                                float(target),
                                float(one),
                                n_units,
                                level,
                                power,
                                float(worth[k]),
                                swaps,
                            ),
                        )
                    )
                units = row[f"units{own}{family}"]
                row[f"segments{own}{family}"] = (
                    None if units is None else round(units * (n_segments / n_units))
                )
        rows.append(
            PairPlan(
                a=a,
                b=b,
                delta=float(delta[k]),
                n_pairs=m,
                se=float(se[k]) if math.isfinite(se[k]) else None,
                se_df=float(freedom[k]) if math.isfinite(freedom[k]) else None,
                decidable=bool(n[k] >= tests[0][2]),
                n_effective=float(worth[k]),
                **row,
            )
        )
    return tuple(rows)


def cannot_plan(source: Comparison | SweptSizes, metric: str | None = None) -> Caution | None:
    """The warning that the test set is too small for any difference to be significant; None where
    some could be.
    """
    errors, _, settings = (
        _compared(source, metric) if isinstance(source, Comparison) else _swept(source)
    )
    most = max((error.n_units for error in errors.values()), default=0)
    settings = replace(settings, trials=None, correction="none")
    if not errors or can_reach(settings, np.array([most])).any():
        return None
    return Caution(
        "cannot-plan",
        {"unit": settings.unit, "n": most, "needed": fewest_units(settings, 1)},
        remedies=suggest_settings(settings, 1),
    )


def _compared(
    comparison: Comparison, metric: str | None
) -> tuple[PairErrors, list[tuple[int, int]], Settings]:
    """What a sweep has as its errors, the units and segments that the systems of each pair have in
    common, and the settings of the test.
    """
    result = comparison.metrics[next(iter(comparison.metrics)) if metric is None else metric]
    errors, at_hand = {}, []
    for pair in result.tested:
        if pair.se is None and pair.n_units != 1:
            continue
        errors[pair.a, pair.b] = PairError(
            result.sign * pair.delta,
            math.nan if pair.se is None else pair.se,
            math.nan if pair.se_df is None else pair.se_df,
            pair.n_units,
            pair.n_effective,
        )
        at_hand.append((pair.n_units if comparison.settings.unit == "document" else pair.n, pair.n))
    return errors, at_hand, comparison.settings


def _swept(sweep: SweptSizes) -> tuple[PairErrors, list[tuple[int, int]], Settings]:
    """The same of a sweep, for the test `ar`; its units are those that are drawn, whether both
    systems have them or not.
    """
    settings = Settings(
        test="ar",
        trials=None,
        correction="none",
        ci="percentile",
        baseline=None,
        **asdict(sweep.settings),
    )
    return sweep.errors, [(sweep.n_units, sweep.n_segments)] * len(sweep.errors), settings
