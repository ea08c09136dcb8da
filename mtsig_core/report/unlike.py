"""That two systems are too unlike for randomization, in words."""

from __future__ import annotations

import numpy as np

from mtsig_core.inference.one_pair import PairExamination
from mtsig_core.inference.power import unbiased, units_freedom
from mtsig_core.report.tables import format_p
from mtsig_core.results import UNLIKE, swap_ratio

__all__ = ["unlike_said"]


def unlike_said(found: PairExamination, n: float | None) -> str:
    """That random swaps of so many equal units vary less than samples do, where they clearly do, and what that does to
    p."""
    from scipy.special import stdtr

    se = found.se.get(found.settings.unit)
    ratio = swap_ratio(found.delta, se, float(np.sqrt(np.mean(np.square(found.swapped)))), n)
    if not se or ratio is None or ratio <= UNLIKE:
        return ""
    p = 2 * float(stdtr(units_freedom(found.n_effective), -abs(found.delta) / unbiased(se, found.n_units)))
    shown = next(outcome.p_value for outcome in found.outcomes if outcome.test == "ar")
    if shown is None or p <= shown:
        return ""
    return (f" Bootstrap samples vary {ratio:.2f} times as much as swaps would of no difference: {found.a} and "
            f"{found.b} are too unlike to trade places, and this p is too small. By the standard error it would be "
            f"about {format_p(p)}.")
