"""Sections of the page Test-set size: the size that a difference needs, the effect of references,
scores by size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median_low
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from mtsig_core import TestSet
from mtsig_core.errors import format_count
from mtsig_core.experiments.frame import default_sizes, in_units, parse_sizes
from mtsig_core.experiments.papers import ZHANG_VOGEL_3, ZHANG_VOGEL_4, ZHANG_VOGEL_6
from mtsig_core.experiments.sweeps import (
    Detection,
    SizeSweep,
    Stability,
    count_detections,
    plan_detections,
    sweep_references,
    with_references,
)
from mtsig_core.figures.sample_plots import settling
from mtsig_core.figures.sweep_plots import decisions, references, scores, widths
from mtsig_core.metrics import metric_title
from mtsig_core.report.experiment_tables import (
    as_good_as,
    detection_records,
    detection_table,
    grid_table,
    needed,
    own_order,
    plan_table,
    reference_records,
    reference_table,
    width_table,
)
from mtsig_core.report.palette import BLUE, VERMILLION
from mtsig_core.report.table import rounded
from mtsig_core.source import Source
from mtsig_core.stats.power import PairPlan, cannot_plan, plan
from pages._ui import charts, controls, screen, views
from pages._ui.charts import Study, study
from pages._ui.views import View
from pages._work.memory import make_once, remember

_TEN, _SIZES, _REPEATED = (
    "ten sizes",
    ["10, 20, 50, 80, 100", "10%, 20%, 50%, 80%, 100%"],
    [30, 100, 300],
)
_FEW_PAIRS, _OF_ONE = 15, 12  # in sight: all, or those of one system
_FARTHEST, _ROOM, _POINTS = (
    1000,
    1.2,
    20,
)  # how far the curve goes beyond the largest size, to reach the answer


class Sizes(NamedTuple):
    """The sizes of the random test sets."""

    sizes: tuple[float, ...] | None  # as `sweep_sizes` takes them
    counts: list[int]  # in units
    option: str | None  # as the command line takes them


def pick_test_sets(view: View) -> tuple[Sizes, dict]:
    """Let the random test sets be chosen; return their sizes, and the other arguments of
    `sweep_sizes`.
    """
    testset = view.testset
    with st.expander("Test sets drawn", key="size.drawn"):
        places = st.columns(3)
        with places[0]:
            text = controls.choice(
                "Sizes",
                [_TEN, *_SIZES],
                "sizes",
                free=True,
                help="In units or in percent of the set; type others, such as 20, 50, 100%.",
            )
        with places[1]:
            drawn = controls.choice(
                "Drawn by",
                ["auto", "segment", "document"],
                "drawn",
                help="auto: the unit chosen in the sidebar under Change.",
            )
        with places[2]:
            repeats = controls.choice("Test sets of each size", _REPEATED, "repeats", default=100)
    unit = view.settings["unit"] if drawn == "auto" else drawn
    kind = view.comparison.settings.unit if unit == "auto" else unit
    n = (
        testset.n_documents
        if kind == "document" and testset.documents is not None
        else testset.n_segments
    )
    sizes = None if text == _TEN else tuple(parse_sizes(text))
    counts = default_sizes(n, kind) if sizes is None else in_units(sizes, n)
    asked = {"repeats": repeats, "unit": unit}
    return Sizes(sizes, counts, None if sizes is None else text.replace(" ", "")), asked


@dataclass(frozen=True)
class Curve:
    """A difference between two systems, and the size that it needs."""

    view: View
    pair: frozenset[str]
    difference: float  # in points; 0 to 1
    power: float
    sizes: Sequence[int]  # of the test sets that are drawn, in units
    together: bool = False  # whether all pairs are tested

    def plan(self, sweep: SizeSweep) -> tuple[tuple[PairPlan, ...], PairPlan | None]:
        """Return the sizes that all pairs need, and this one; None if it cannot be compared."""
        planned = make_once(plan, sweep, self.difference, self.power)
        return planned, next((row for row in planned if {row.a, row.b} == self.pair), None)

    def figure(
        self, sweep: SizeSweep, mine: PairPlan, rows: Sequence[Detection]
    ) -> Callable[[], go.Figure]:
        """Return the function that draws the curve and its dots."""
        largest, beyond = max(self.sizes), []
        if mine.units is not None and largest < mine.units <= _FARTHEST * largest:
            sizes = np.geomspace(largest, _ROOM * mine.units, _POINTS).round().astype(int).tolist()
            beyond = plan_detections(
                sweep, mine.a, mine.b, self.difference, sorted({*sizes, mine.units})
            )
        return partial(
            decisions,
            rows,
            self.power,
            mine.units,
            unit=f"{sweep.settings.unit}s",
            n_whole=sweep.n_units,
            between=(mine.units_low, mine.units_high),
            beyond=beyond,
        )

    def grow(self, parts: Mapping[tuple[int], SizeSweep]) -> None:
        """Draw the curve so far, on its final axes."""
        whole = parts[0,]
        _, mine = self.plan(whole)
        if mine is None:
            return
        self.show_answer(whole)
        if not mine.se:
            return
        asked = whole, mine.a, mine.b, self.difference
        rows = [
            count_detections(parts[row.size,], *asked[1:])[0] if (row.size,) in parts else row
            for row in plan_detections(*asked, self.sizes)
        ]
        sentence = f"Test sets of {len(parts) - 1} of {len(self.sizes)} sizes are drawn so far"
        charts.grow(
            self.figure(whole, mine, rows),
            f"size.growing.{len(parts)}",
            f"{sentence}; the planned curve.",
        )
        screen.faint(
            f"{sentence}, the smallest first: the dots so far are not the result. The headline and the "
            "dotted curve come from the whole set and stay. The rest comes with the last dot."
        )

    def show_answer(self, sweep: SizeSweep) -> None:
        """Write the size that the difference needs, by the standard errors of the whole test
        set.
        """
        planned, mine = self.plan(sweep)
        units, unit = f"{sweep.settings.unit}s", metric_title(self.view.metric)
        if mine.se == 0:
            screen.answer(
                f"{mine.a} and {mine.b} "
                + (
                    "score the same"
                    if mine.delta == 0
                    else f"differ by the same {rounded(abs(mine.delta))} {unit}"
                )
                + f" on all {units}: nothing varies, and there is nothing to plan"
            )
            return
        size, ends = (
            (mine.units_family, (mine.units_family_low, mine.units_family_high))
            if self.together
            else (mine.units, (mine.units_low, mine.units_high))
        )
        segments = mine.segments_family if self.together else mine.segments
        among = f" when {mine.n_pairs} pairs are tested" if self.together else ""
        screen.answer(
            f"A difference of {self.difference:g} {unit} takes {needed(size, segments, units, None)} to be "
            f"found {self.power:.0%} of the time{among}"
        )
        found = None if cannot_plan(sweep) else mine.mdd_family if self.together else mine.mdd
        screen.numbers(
            (
                f"{units.capitalize()} needed",
                "-" if size is None else f"{size:,}",
                _write_ends(self.view.level, ends),
            ),
            ("This test set has", f"{sweep.n_units:,}", units),
            (
                "It finds differences of at least",
                "-" if found is None else rounded(found),
                f"{unit}, {self.power:.0%} of the time",
            ),
        )
        self._caution(sweep, planned, mine, units, unit)

    def _caution(
        self, sweep: SizeSweep, planned: Sequence[PairPlan], mine: PairPlan, units: str, unit: str
    ) -> None:
        if (cannot := cannot_plan(sweep)) is not None:
            screen.cautions([cannot])
        typical = median_low([row.units for row in planned if row.units] or [0])
        if mine.units and mine.units < typical / 4:
            screen.caution_box(
                "These two systems are nearly alike, so even a small difference shows. The median pair "
                f"needs about {typical:,} {units} for {self.difference:g} {unit}."
            )
        if sweep.settings.unit == "segment" and self.view.testset.documents is not None:
            screen.caution_box(
                "Segments of a document are treated as independent, so the sizes are too small. In the "
                "sidebar, under Change: Unit = document."
            )

    def show(self, sweeping: Study, sweep: SizeSweep, mine: PairPlan, command: str) -> None:
        """Draw the size needed, and the curve."""
        self.show_answer(sweep)
        screen.cautions(
            caution
            for caution in self.view.comparison.warnings
            if caution.kind.concern == "differences" and caution.concerns_pair(mine.a, mine.b)
        )
        if not mine.se:
            return
        rows = count_detections(sweep, mine.a, mine.b, self.difference)
        unit, units = metric_title(self.view.metric), f"{sweep.settings.unit}s"
        sweeping.show(
            self.figure(sweep, mine, rows),
            detection_records(sweep, mine.a, mine.b, self.difference),
            f"Share of random test sets that find a difference of {self.difference:g} {unit} between "
            f"{mine.a} and {mine.b}: {rows[0].significant.share:.0%} at {rows[0].size} {units}, "
            f"{rows[-1].significant.share:.0%} at {rows[-1].size}.",
            mine.a,
            mine.b,
            key="size.decisions",
            command=command,
            table=detection_table(rows),
        )
        last = ", and the last dot is the whole set itself" * (rows[-1].size == sweep.n_units)
        st.caption(
            "Dotted: how often a new test set of each size would find the difference, for one pair; dashed "
            "beyond the sizes drawn. Dots: the same for random parts of this test set, with the difference set "
            f"to {self.difference:g}. Pale dots share most segments with others{last}.",
            help=self._about(sweep, mine),
        )

    def show_plan(self, sweep: SizeSweep, planned: Sequence[PairPlan], mine: PairPlan) -> None:
        """Draw the sizes that the pairs need; of many pairs, first those of one system."""
        unit, units, alpha = (
            metric_title(self.view.metric),
            f"{sweep.settings.unit}s",
            self.view.alpha,
        )
        few = (
            planned
            if len(planned) <= _FEW_PAIRS
            else [row for row in planned if mine.a in (row.a, row.b)][:_OF_ONE]
        )
        screen.show_table(plan_table(few, self.difference, unit, units))
        if len(few) < len(planned):
            screen.faint(f"{len(few)} pairs with {mine.a}.")
            with st.expander(f"All {len(planned)} pairs", key="size.all.box"):
                screen.show_table(plan_table(planned, self.difference, unit, units), key="size.all")
        family = (
            ""
            if mine.n_pairs < 2
            else (
                f", and for {mine.n_pairs} pairs with Bonferroni, which is enough for "
                "Holm and Benjamini-Hochberg, and usually for Romano-Wolf"
            )
        )
        st.caption(
            f"{units.capitalize()} needed for {self.power:.0%} power at alpha {alpha:g}{family}. Brackets: "
            f"{self.view.level} intervals. The difference seen is usually larger than the true one if it stood "
            "out, so plan for one that you name.",
            help=f"{sweep.n_units:,} x (t SE / difference)², and at least as many as can give so small a p. t "
            "is Student's, for the units planned. With few units the tests may find less.",
        )

    def _about(self, sweep: SizeSweep, mine: PairPlan) -> str:
        """Describe the dots, the curve and the line."""
        alpha = sweep.settings.alpha
        return (
            f"Each dot is a share of random test sets with uncorrected p at most {alpha:g}, with its Monte Carlo "
            f"interval. The test: percentile, {sweep.settings.resamples} resamples by {sweep.settings.unit}. "
            f"Their differences are moved by {rounded(self.difference - mine.delta, '+')}. Opposite: "
            f"against the order of the whole set; {own_order(mine, alpha)}. Pale: more than half of this test set. "
            f"The dotted curve is planned by Student's t and meets the line of {self.power:.0%} at the size "
            "needed; the bar is its interval. With few units the percentile test finds too much: trust the curve."
        )


def _write_ends(level: str, ends: tuple[int | None, int | None]) -> str:
    if ends[0] is None:
        return ""
    return (
        f"{level} CI {ends[0]:,} to {'no upper limit' if ends[1] is None else format(ends[1], ',')}"
    )


# Scores and widths of intervals by size.


def show_by_size(
    sweeping: Study,
    sweep: SizeSweep,
    system: str,
    beside: str = "",
    printed: str = "",
    published: Sequence[tuple[float, float]] = (),
    theirs: str = "",
    page: str = "size",
) -> None:
    """Draw mean scores of all systems, one or two of them in colour, and relative widths of the
    intervals of the first, beside `published` ones.
    """
    unit, units = metric_title(sweeping.metric), f"{sweep.settings.unit}s"
    left, right = st.columns(2, gap="medium")
    with left:
        colours = {system: BLUE} | ({beside: VERMILLION} if beside else {})
        sweeping.show(
            partial(
                scores,
                sweep.systems,
                colours,
                unit=units,
                metric=unit,
                lower=not sweep.higher_is_better,
            ),
            sweep.systems,
            f"Mean {unit} of each system by test-set size; the ribbons narrow as the sets grow.",
            key=f"{page}.scores",
            command=printed,
        )
        st.caption(
            "Mean score over the test sets; ribbons hold the middle 90% of them."
            + (
                " The weights of this metric come from each test set, so scores grow."
                if sweep.recounted
                else ""
            )
        )
    rows = [row for row in sweep.systems if row.system == system]
    slope = next(line for line in sweep.slopes if line.system == system)
    with right:
        sweeping.show(
            partial(widths, rows, slope, published, unit=units, source=theirs),
            rows,
            "Relative width of the "
            f"interval against the test-set size on log axes, falling with slope {slope.slope}.",
            system,
            key=f"{page}.widths",
            command=printed,
            table=width_table(rows),
        )
        st.caption(
            "Mean width of the percentile interval, relative to its median."
            + (
                ""
                if slope.slope is None
                else f" Doubling the test set narrows the interval by {slope.per_doubling:.0%}; independent units "
                "give 29%."
            )
        )


def show_settling(
    view: View, pooling: Study, settled: Stability, theirs: str | None = None
) -> None:
    """Draw how an end of the interval settles with the number of resamples, beside Zhang and
    Vogel's numbers by a metric of `theirs`.
    """
    repeats = settled.repeats
    page = "papers" if theirs else "bootstrap"
    if any(row.relative_sd for row in repeats):
        figure = partial(
            settling,
            [row.resamples for row in repeats],
            [row.relative_sd for row in repeats],
            [row.relative_sd_range for row in repeats],
            [row.relative_theory for row in repeats],
            [row[:2] for row in ZHANG_VOGEL_6.rows[theirs]] if theirs else [],
            unit=metric_title(theirs or view.metric),
        )
        pooling.show(
            figure,
            repeats,
            "Standard deviation of an end of the relative interval against the number of "
            "resamples, on log axes: it falls with the square root.",
            settled.system,
            key=f"{page}.settling",
        )
    else:
        screen.plain("Nothing to draw: the score does not vary from resample to resample.")


# References.

_SIMULATED, _REFERENCES = 1592, 4  # the first hundred documents of the simulated corpus
_REPEATS = 20  # for each set of references


def show_references(
    view: View, system: str | None = None, asked: dict | None = None, with_paper: bool = False
) -> None:
    """Draw the effect of more references on one system, with the numbers of Zhang and Vogel (2004)
    if `published`.
    """
    metric = view.metric
    system = system or controls.choice(
        "System", [row.system for row in view.result.systems], "system", width=420
    )
    if metric in view.testset.scores:
        screen.plain(
            f"{metric} is a table of scores, which no reference changes. Choose a metric of texts."
        )
        return
    several, source = with_several_references(view, system)
    if len(several.references) < 2:
        screen.plain(
            "This test set has fewer than two references, so their number cannot be varied."
        )
        return
    fewer = study(
        view,
        "sweep references",
        source=source,
        repeats=_REPEATS,
        unit=(asked or view.settings)["unit"],
    )
    swept = fewer.run(sweep_references, "Scoring with fewer references", testset=several)
    whole = [row for row in swept.rows if row.size == swept.n_units and row.low is not None]
    if whole and whole[-1].equivalent is not None:
        screen.answer(
            f"With {whole[-1].references} references, {as_good_as(whole[-1])} gives as narrow an interval "
            "(relative to the score) as all of it with one reference"
        )
    scale = 1 if metric == "nist" else 100  # the paper prints BLEU as a fraction
    theirs = [
        (count, scale * score, low / 100, high / 100)
        for count, score, low, high in (ZHANG_VOGEL_3.rows.get(metric, ()) if with_paper else ())
    ]
    if not whole:
        screen.plain(f"{system} scores 0 with any number of references: nothing to draw.")
    records = reference_records(swept)
    if whole or theirs:
        fewer.show(
            partial(
                references,
                [(row.references, row.score, row.low, row.high) for row in whole],
                theirs,
                metric=metric_title(metric),
                source="Zhang and Vogel",
            ),
            records,
            f"Score of {system} with its interval, by number of references; the table has the numbers.",
            system,
            key="papers.references" if with_paper else "",
        )
    st.caption(
        f"{describe_size(several)}. Means over sets that use every reference equally often, and over "
        f"{_REPEATS} random parts."
        + (
            " Here NIST and M-BLEU intervals do not narrow, a limit of the simulation: on real texts they do."
            if several.simulated and metric in ("nist", "m-bleu")
            else ""
        )
    )
    screen.show_table(reference_table(swept, system, with_paper))
    if with_paper:
        screen.show_table(grid_table(swept, system))
        st.caption(
            "Low and high end in percent of the median, by share of the set and number of references; in "
            f"brackets {ZHANG_VOGEL_4.source if metric == 'nist' else ZHANG_VOGEL_3.source}. The paper finds "
            "that four references make up for 30 to 40% of it (4.2)."
        )


def with_several_references(view: View, system: str) -> tuple[TestSet, Source]:
    """Return the test set with only this system, a simulated one shortened and with several
    references; and its source.
    """
    testset, source = view.testset, views.source_for(view, system)
    if not testset.simulated:
        return _only(testset, system), source
    n = min(testset.n_segments, _SIMULATED)
    several = _simulate_references(testset, n)
    if source.demo is not None:
        source = replace(source, demo=n)
    few = len(testset.references) == 1
    return several.only([system]), replace(
        source, demo_references=_REFERENCES, refs=()
    ) if few else source


@remember(4)  # a part knows its digest, which takes time to find
def _only(testset: TestSet, system: str) -> TestSet:
    return testset.only([system])


@remember(4)  # to simulate them takes longer than all the rest of the page
def _simulate_references(testset: TestSet, n: int) -> TestSet:
    return with_references(testset.take(range(n)), _REFERENCES)


def describe_size(several: TestSet) -> str:
    """Write how large the test set of these numbers is: a simulated one is shorter than the one
    that is open.
    """
    size = f"{several.n_segments:,} segments" + (
        f" in {several.n_documents} documents" if several.documents is not None else ""
    )
    n = len(several.references)  # none where there are only scores
    scored = f", {format_count(n, 'reference')}" if n else ""
    return f"{'Simulated, the first ' if several.simulated else ''}{size}{scored}"
