"""How large a test set must be, by the standard errors of this one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.errors import SettingError
from mtsig_core.results import Comparison, SamplingSettings, Settings
from mtsig_core.stats.few_units import can_reach, fewest_units, suggest_settings, swaps_units
from mtsig_core.stats.power import error_interval, minimum_detectable_difference, noncentrality_interval, unbiased
from mtsig_core.stats.power import units_needed as sized

_BEYOND = 1e100  # a standard error so many times a difference asks for more units than a float holds


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
    """The size that one pair of systems needs, in units that both systems have; in a sweep, of the sets that it draws.

    Sizes have an interval of level 1 - alpha, ``_low`` to ``_high``. ``_family`` is for a test at alpha / `n_pairs`:
    enough after any correction but ``by``. No size is below that with which a p can be so small.
    """

    a: str
    b: str
    delta: float  # improvement of a over b on this set, in points, and its standard error, None of one unit
    se: float | None
    mdd: float | None  # the difference that this set finds with the power asked for; None where it can find none
    #: For the difference asked for; None where the standard error is 0 or beyond all measure. No interval with fewer
    #: than five units.
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
    decidable: bool  # whether any difference could be significant with so many units, without correction


def default_difference(scores: Iterable[float]) -> float:
    """A difference worth planning for on the scale of some scores: a thirtieth of the largest, as 1, 2 or 5 x 10^k.

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


def plan(source: Comparison | SweptSizes, difference: float, power: float = 0.8, *,
         metric: str | None = None) -> tuple[PairPlan, ...]:
    """How large a test set each pair needs to find a difference with a power, by the standard errors of this one.

    Normal theory, with SE falling as 1/sqrt(units); `PairSize.expected` beside `PairSize.significant` of a sweep of
    sizes shows how well it holds here. The segments are those of units of the same mean length. For one test at alpha,
    and for a family of all pairs; each size with an interval, for which docs/statistics.md has measured how often it
    holds the true one. The test is that of the comparison, ``ar`` for a sweep.

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
    errors, at_hand, settings = _compared(source, metric) if isinstance(source, Comparison) else _swept(source)
    if not errors:
        raise SettingError("A difference takes two systems. Add another output.")
    if not (math.isfinite(difference) and difference > 0):
        raise SettingError(f"The difference is {difference:g}. Expected a number of points above 0, such as 1.")
    if not 0 < power < 1:
        raise SettingError(f"power is {power:g}. Expected a number between 0 and 1, such as 0.8.")
    m = len(errors)
    delta, se, freedom, n, worth = (np.array(column) for column in zip(*errors.values(), strict=True))
    se_ends = error_interval(se, freedom, n, settings.alpha)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(delta) / se * np.sqrt(np.maximum(n - 1, 1) / n)
        of_one = noncentrality_interval(t, freedom, settings.alpha)
        own_ends = [np.abs(delta) / np.maximum(of_one[1], -of_one[0]), np.abs(delta) / np.maximum(of_one[0], 0)]
    error, swaps = unbiased(se, n), swaps_units(settings)
    enough, rows = replace(settings, trials=None), []
    tests = [(family, settings.alpha / pairs, fewest_units(enough, pairs, "bonferroni"))
             for family, pairs in (("", 1), ("_family", m))]
    for k, (a, b) in enumerate(errors):
        row: dict[str, Any] = {}
        n_units, n_segments = at_hand[k]
        for family, level, least in tests:
            # what never varies says nothing of other differences
            row[f"mdd{family}"] = None if n[k] < least or se[k] == 0 else float(minimum_detectable_difference(
                error[k], level, power, worth[k], n[k] if swaps else None))
            for own, target, ends in (("", difference, se_ends), ("_for_own", delta[k], own_ends)):
                for end, one in zip(("", "_low", "_high"), (error[k], ends[0][k], ends[1][k]), strict=True):
                    known = se[k] > 0 and one < _BEYOND * abs(target)
                    row[f"units{own}{family}{end}"] = None if not known else max(
                        least, sized(float(target), float(one), n_units, level, power, float(worth[k]), swaps))
                units = row[f"units{own}{family}"]
                row[f"segments{own}{family}"] = None if units is None else round(units * (n_segments / n_units))
        rows.append(PairPlan(a=a, b=b, delta=float(delta[k]), n_pairs=m,
                             se=float(se[k]) if math.isfinite(se[k]) else None,
                             se_df=float(freedom[k]) if math.isfinite(freedom[k]) else None,
                             decidable=bool(n[k] >= tests[0][2]), **row))
    return tuple(rows)


def cannot_plan(source: Comparison | SweptSizes, metric: str | None = None) -> Caution | None:
    """The warning that the test set is too small for any difference to be significant; None where some could be."""
    errors, _, settings = _compared(source, metric) if isinstance(source, Comparison) else _swept(source)
    most = max((error.n_units for error in errors.values()), default=0)
    settings = replace(settings, trials=None, correction="none")
    if not errors or can_reach(settings, np.array([most])).any():
        return None
    return Caution("cannot-plan", {"unit": settings.unit, "n": most, "needed": fewest_units(settings, 1)},
                   remedies=suggest_settings(settings, 1))


def _compared(comparison: Comparison, metric: str | None) -> tuple[PairErrors, list[tuple[int, int]], Settings]:
    """What a sweep has as its errors, the units and segments that the systems of each pair have in common, and the
    settings of the test."""
    result = comparison.metrics[next(iter(comparison.metrics)) if metric is None else metric]
    errors, at_hand = {}, []
    for pair in result.tested:
        if pair.se is None and pair.n_units != 1:
            continue
        errors[pair.a, pair.b] = PairError(result.sign * pair.delta, math.nan if pair.se is None else pair.se,
                                           math.nan if pair.se_df is None else pair.se_df, pair.n_units,
                                           pair.n_effective)
        at_hand.append((pair.n_units if comparison.settings.unit == "document" else pair.n, pair.n))
    return errors, at_hand, comparison.settings


def _swept(sweep: SweptSizes) -> tuple[PairErrors, list[tuple[int, int]], Settings]:
    """The same of a sweep, for the test `ar`; its units are those that are drawn, whether both systems have them or
    not."""
    settings = Settings(test="ar", trials=None, correction="none", ci="percentile", baseline=None,
                        **asdict(sweep.settings))
    return sweep.errors, [(sweep.n_units, sweep.n_segments)] * len(sweep.errors), settings
