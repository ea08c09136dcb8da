"""How large a test set must be, reckoned from one that is at hand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mtsig_core.errors import SettingError
from mtsig_core.inference.power import minimum_detectable_difference, units_needed
from mtsig_core.results import Comparison

if TYPE_CHECKING:
    from mtsig_core.experiments.sweep_results import PairErrors, SizeSweep

__all__ = ["PairPlan", "default_difference", "plan"]


@dataclass(frozen=True)
class PairPlan:
    """The size that one pair of systems needs.

    Attributes
    ----------
    a, b : str
    delta, se, mdd : float
        Improvement of a over b on this set, its standard error, and the difference that this set finds with the power
        asked for; in points.
    units, segments : int or None
        For the difference asked for; None where the standard error is 0.
    units_for_own, segments_for_own : int or None
        For `delta`, were it the true difference.
    """

    a: str
    b: str
    delta: float
    se: float
    mdd: float
    units: int | None
    segments: int | None
    units_for_own: int | None
    segments_for_own: int | None


def default_difference(scores: Iterable[float]) -> float:
    """A difference worth planning for on the scale of some scores: a thirtieth of the largest, as 1, 2 or 5 x 10^k.

    Of BLEU about 30 that is 1 point, of a metric from 0 to 1 some hundredths.

    Examples
    --------
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


def plan(found: Comparison | SizeSweep, difference: float, power: float = 0.8, *,
         metric: str | None = None) -> tuple[PairPlan, ...]:
    """How large a test set each pair needs to find a difference with a power, by the standard errors at hand.

    Normal theory, with SE falling as 1/sqrt(units); `PairSize.expected` beside `PairSize.significant` of a sweep of
    sizes shows how well it holds here. The segments are those of units of the same mean length. For one test at alpha:
    a correction for many pairs needs more.

    Parameters
    ----------
    found : Comparison or SizeSweep
        Of a comparison, the pairs that it tested; stationary blocks count as segments.
    difference : float
        In points, not 0.
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
    >>> row, = plan(compare(ts, trials=999), difference=20.0)
    >>> row.units == row.segments, row.units > row.units_for_own
    (True, True)
    """
    errors, n_units, n_segments = _compared(found, metric) if isinstance(found, Comparison) else \
        (found.errors, found.n_units, found.n_segments)
    if not errors:
        raise SettingError("A difference takes two systems. Add another output.")
    if not math.isfinite(difference) or difference == 0:
        raise SettingError(f"The difference is {difference:g}. Expected a number of points other than 0, such as 1.")
    if not 0 < power < 1:
        raise SettingError(f"power is {power:g}. Expected a number between 0 and 1, such as 0.8.")
    alpha, length = found.settings.alpha, n_segments / n_units

    def size(of: float, se: float) -> tuple[int | None, int | None]:
        if of == 0 or se == 0:
            return None, None
        units = units_needed(of, se, n_units, alpha, power)
        return units, round(units * length)

    return tuple(PairPlan(a, b, delta, se, minimum_detectable_difference(se, alpha, power), *size(difference, se),
                          *size(delta, se)) for (a, b), (delta, se) in errors.items())


def _compared(comparison: Comparison, metric: str | None) -> tuple[PairErrors, int, int]:
    """What a sweep has as its errors, and the units and segments of the test set."""
    result, info = comparison.metrics[next(iter(comparison.metrics)) if metric is None else metric], comparison.testset
    sign = 1 if result.higher_is_better else -1
    errors = {(pair.a, pair.b): (sign * pair.delta, pair.se) for pair in result.pairs if pair.se is not None}
    n_documents = info.n_documents if comparison.settings.unit == "document" else None
    return errors, info.n_segments if n_documents is None else n_documents, info.n_segments
