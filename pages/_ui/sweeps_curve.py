"""What the page Sweeps says of one pair: how large a test set a difference takes, and how often random ones find it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median_low

import plotly.graph_objects as go

from mtsig_core.experiments.planning import PairPlan, cannot_plan, plan
from mtsig_core.experiments.sweeps import FoundAtSize, SizeSweep, found_at, planned_at
from mtsig_core.figures.experiment_plots import decisions
from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import rounded
from mtsig_core.report.experiment_tables import needed, own_order
from mtsig_core.stats.significance import FEW_TO_DRAW
from pages._ui import charts, screen
from pages._ui.made_once import made_once
from pages._ui.view import View

__all__ = ["Curve"]


@dataclass(frozen=True)
class Curve:
    """One pair of systems and the difference that is asked about.

    Attributes
    ----------
    view : View
    pair : frozenset of str
    difference, power : float
        In points; 0 to 1.
    sizes : sequence of int
        Of the test sets that are drawn, in units.
    """

    view: View
    pair: frozenset[str]
    difference: float
    power: float
    sizes: Sequence[int]

    def plan(self, found: SizeSweep) -> tuple[tuple[PairPlan, ...], PairPlan | None]:
        """The sizes that all pairs need, and this one; None where it cannot be compared."""
        planned = made_once(plan, found, self.difference, self.power)
        return planned, next((row for row in planned if {row.a, row.b} == self.pair), None)

    def figure(self, found: SizeSweep, mine: PairPlan, rows: Sequence[FoundAtSize]) -> Callable[[], go.Figure]:
        """What makes the figure of the curve and its dots."""
        return partial(decisions, rows, self.power, mine.units, unit=f"{found.settings.unit}s", whole=found.n_units,
                       between=(mine.units_low, mine.units_high))

    def grow(self, parts: Mapping[int, SizeSweep]) -> None:
        """Draw what is known already, on the axes that it will have in the end.

        Parameters
        ----------
        parts : mapping of int to SizeSweep
            Of 0 what the whole test set says, and what was found of each size that is drawn.
        """
        whole = parts[0]
        _, mine = self.plan(whole)
        if mine is None:
            return
        self.show_answer(whole)
        if not mine.se:
            return
        asked = whole, mine.a, mine.b, self.difference
        rows = [found_at(parts[row.size], *asked[1:])[0] if row.size in parts else row
                for row in planned_at(*asked, self.sizes)]
        said = f"Test sets of {len(parts) - 1} of {len(self.sizes)} sizes are drawn so far"
        charts.grow(self.figure(whole, mine, rows), f"sweeps.growing.{len(parts)}", f"{said}; the planned curve.")
        screen.faint(f"{said}, the smallest first: the dots so far are no result. What is said above and the dotted "
                     "curve come from the whole set, and stay. Scores, intervals, tables and files come with the last "
                     "dot.")

    def show_answer(self, found: SizeSweep) -> None:
        """What the standard errors of the whole test set say."""
        planned, mine = self.plan(found)
        units, unit, difference = f"{found.settings.unit}s", metric_title(self.view.metric), self.difference
        if mine.se == 0:
            screen.answer(f"{mine.a} and {mine.b} " + (
                "score the same" if mine.delta == 0 else f"differ by the same {rounded(abs(mine.delta))} {unit}")
                + f" on all {units}: nothing varies, and there is nothing to plan")
            return
        screen.answer(f"{mine.a} and {mine.b}: a difference of {difference:g} {unit} is found {self.power:.0%} of the "
                      "time with " + needed(mine.units, mine.segments, units, (mine.units_low, mine.units_high)))
        own = needed(mine.units_for_own, mine.segments_for_own, units,
                     (mine.units_for_own_low, mine.units_for_own_high))
        family = "" if mine.n_pairs < 2 else (
            f"Tested among all {mine.n_pairs} pairs this one takes at most " + needed(
                mine.units_family, mine.segments_family, units, (mine.units_family_low, mine.units_family_high))
            + self._most(planned) + ". ")
        both = found.errors[mine.a, mine.b].n_units
        of_both = f", {both:,} of them with scores for both," if both < found.n_units else ""
        here = cannot_plan(found) or (f"This set has {found.n_units:,} {units}{of_both} and finds {rounded(mine.mdd)} "
                                      f"{unit} and more that often.")
        screen.plain(f"{family}{mine.a} and {mine.b} differ by {rounded(mine.delta)} here; were that true, it would "
                     f"take {own}. {here}")
        typical = median_low([row.units for row in planned if row.units] or [0])
        if mine.units and mine.units < typical / 4:
            screen.caution_box("These two say nearly the same, so that even a small difference shows. Of all pairs the "
                               f"one in the middle needs about {typical:,} {units} for {difference:g} {unit}.")
        if found.settings.unit == "segment" and self.view.testset.documents is not None:
            screen.caution_box("Segments of a document are taken as independent here: the sizes are too small by the "
                               "square of the SE ratio on the page Significance. Choose the document as unit.")
        if found.n_units < 100:
            none = f"With fewer than {FEW_TO_DRAW} p is at least 2/2^n, which may be too large. " \
                if self.sizes[0] < FEW_TO_DRAW else ""
            screen.caution_box(f"The smallest test sets have {self.sizes[0]} {units}. With so few the percentile test "
                               f"finds too much. {none}Pale dots stand for test sets that are more than half of this "
                               "one, which say what it says itself. Trust the planned curve rather than the dots.")

    def _most(self, planned: Sequence[PairPlan]) -> str:
        """The most that any pair needs, where that is another."""
        most = max(planned, key=lambda row: row.units_family or 0)
        return "" if {most.a, most.b} == self.pair or most.units_family is None else \
            f" ({most.a} - {most.b}, which needs most, {most.units_family:,})"

    def about(self, found: SizeSweep, mine: PairPlan, repeats: int) -> str:
        """What the dots, the curve and the line are."""
        difference, alpha, unit = self.difference, found.settings.alpha, metric_title(self.view.metric)
        return (f"All for a difference of {difference:g} {unit}. Dots: share of {repeats} random test sets of each "
                f"size with p at most {alpha:g}, uncorrected, by the percentile test (Zhang and Vogel 2004, 3.2) on "
                f"{found.settings.resamples} bootstrap samples by {found.settings.unit}, with 95% Monte Carlo "
                f"intervals. Their differences are moved by {rounded(difference - mine.delta, '+')}, so that the whole "
                f"set has the one asked about. Opposite is against the order of the whole set; "
                f"{own_order(mine, alpha)}. They are drawn without replacement: pale dots stand for more than half of "
                "the set, parts that are alike and come to say what the whole says, whatever fresh test sets would; "
                "the last is the set itself, once. Dotted: what normal theory plans for fresh test sets. It meets the "
                f"line of {self.power:.0%} at the size it needs, and the bar is its {100 * (1 - alpha):g}% interval.")
