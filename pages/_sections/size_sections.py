"""Sections of the page Test-set size: the size needed, references, and scores by size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median_low
from typing import NamedTuple

import numpy as np
import streamlit as st

from mtsig_core import MetricResult, TestSet
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
from mtsig_core.figures.style import MakeFigure
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
from mtsig_core.report.noticed_words import explain_noticed_difference
from mtsig_core.report.palette import BLUE, OLIVE
from mtsig_core.report.table import rounded
from mtsig_core.source import Source
from mtsig_core.stats.power import PairPlan, cannot_plan, plan
from pages._ui import charts, controls, screen, views
from pages._ui.charts import Study, study
from pages._ui.views import View
from pages._work.memory import make_once, remember

_TEN = "ten sizes"
_SIZES = ["10, 20, 50, 80, 100", "10%, 20%, 50%, 80%, 100%"]
_REPEATED = [30, 100, 300]
_FEW_PAIRS = 15  # pairs that are all in sight
_OF_ONE = 12  # pairs of one system in sight, where there are more
_FARTHEST = 1000  # how many times the largest size the curve goes, to reach the answer
_ROOM = 1.2  # how far the curve goes beyond the answer
_POINTS = 20  # of the curve beyond the largest size


class Sizes(NamedTuple):
    """The sizes of the random test sets."""

    sizes: tuple[float, ...] | None  # as `sweep_sizes` takes them
    counts: list[int]  # in units
    option: str | None  # as the command line takes them


def pick_test_sets(view: View) -> tuple[Sizes, dict]:
    """Let the user choose the random test sets.

    Return their sizes, and the other arguments of `sweep_sizes`.
    """
    with st.expander("Test sets drawn", key="size.drawn"):
        sizes_place, unit_place, repeats_place = st.columns(3)
        with sizes_place:
            text = controls.choice(
                "Sizes",
                [_TEN, *_SIZES],
                "sizes",
                free=True,
                help="In units or in percent of the set; type others, such as 20, 50, 100%.",
            )
        with unit_place:
            unit = controls.choice(
                "Drawn by",
                ["auto", "segment", "document"],
                "drawn",
                help="auto: the unit chosen under Change.",
            )
        with repeats_place:
            repeats = controls.choice("Test sets of each size", _REPEATED, "repeats", default=100)
    if unit == "auto":
        unit = view.settings["unit"]
    kind = view.comparison.settings.unit if unit == "auto" else unit
    arguments = {"repeats": repeats, "unit": unit}
    n_units = view.testset.n_segments
    if kind == "document" and view.testset.documents is not None:
        n_units = view.testset.n_documents
    if text == _TEN:
        return Sizes(None, default_sizes(n_units, kind), None), arguments
    sizes = tuple(parse_sizes(text))
    return Sizes(sizes, in_units(sizes, n_units), text.replace(" ", "")), arguments


def explain_difference(result: MetricResult) -> str:
    """Write the help of the difference to plan for."""
    about_people = explain_noticed_difference(result)
    return f"The difference to be found, in points. {about_people}".strip()


@dataclass(frozen=True)
class Curve:
    """A difference between two systems, and the size that it needs."""

    view: View
    pair: frozenset[str]
    difference: float  # in points
    power: float  # 0 to 1
    sizes: Sequence[int]  # of the test sets that are drawn, in units
    together: bool = False  # whether all pairs are tested

    @property
    def metric(self) -> str:
        """The title of the metric, in which differences are given."""
        return metric_title(self.view.metric)

    def plan(self, sweep: SizeSweep) -> tuple[tuple[PairPlan, ...], PairPlan | None]:
        """Return the plans of all pairs, and of this one; None if it cannot be compared."""
        plans = make_once(plan, sweep, self.difference, self.power)
        for row in plans:
            if {row.a, row.b} == self.pair:
                return plans, row
        return plans, None

    def figure(self, sweep: SizeSweep, own_plan: PairPlan, rows: Sequence[Detection]) -> MakeFigure:
        """Return the function that draws the curve and its dots."""
        largest = max(self.sizes)
        needed_units = own_plan.size.units
        beyond: Sequence[Detection] = []
        if needed_units is not None and largest < needed_units <= _FARTHEST * largest:
            sizes = np.geomspace(largest, _ROOM * needed_units, _POINTS).round().astype(int)
            beyond = plan_detections(
                sweep,
                own_plan.a,
                own_plan.b,
                self.difference,
                sorted({*sizes.tolist(), needed_units}),
            )
        return partial(
            decisions,
            rows,
            self.power,
            needed_units,
            unit=_plural_unit(sweep),
            n_whole=sweep.n_units,
            between=(own_plan.size.low, own_plan.size.high),
            beyond=beyond,
        )

    def grow(self, sweeps: Mapping[tuple[int], SizeSweep]) -> None:
        """Draw the curve so far, on its final axes."""
        full_sweep = sweeps[0,]
        _, own_plan = self.plan(full_sweep)
        if own_plan is None:
            return
        self.show_answer(full_sweep)
        if not own_plan.se:
            return
        pair = (own_plan.a, own_plan.b, self.difference)
        rows = []
        for row in plan_detections(full_sweep, *pair, self.sizes):
            if (row.size,) in sweeps:
                row = count_detections(sweeps[row.size,], *pair)[0]
            rows.append(row)
        sentence = f"Test sets of {len(sweeps) - 1} of {len(self.sizes)} sizes are drawn so far"
        charts.grow(
            self.figure(full_sweep, own_plan, rows),
            f"size.growing.{len(sweeps)}",
            f"{sentence}; the planned curve.",
        )
        screen.faint(
            f"{sentence}, the smallest first: the dots so far are not the result. The headline and "
            "the dotted curve come from the whole set and stay. The rest comes with the last dot."
        )

    def show_answer(self, sweep: SizeSweep) -> None:
        """Write the size that the difference needs, by the standard errors of the whole set."""
        plans, own_plan = self.plan(sweep)
        units = _plural_unit(sweep)
        if own_plan.se == 0:
            screen.answer(
                f"{own_plan.a} and {own_plan.b} {self._say_constant(own_plan)} on all {units}: "
                "nothing varies, and there is nothing to plan"
            )
            return
        if self.together:
            size = own_plan.size_family
            smallest = own_plan.mdd_family
            condition = f" when {own_plan.n_pairs} pairs are tested"
        else:
            size = own_plan.size
            smallest = own_plan.mdd
            condition = ""
        size_text = needed(size.units, size.segments, units, None)
        screen.answer(
            f"A difference of {self.difference:g} {self.metric} takes {size_text} to be found "
            f"{self.power:.0%} of the time{condition}"
        )
        if smallest is None or cannot_plan(sweep):
            detectable = "-"
        else:
            detectable = rounded(smallest)
        screen.tiles(
            (
                f"{units.capitalize()} needed",
                "-" if size.units is None else f"{size.units:,}",
                _write_interval(self.view.level, size.low, size.high),
            ),
            ("This test set has", f"{sweep.n_units:,}", units),
            (
                "It finds differences of at least",
                detectable,
                f"{self.metric}, {self.power:.0%} of the time",
            ),
        )
        self._warn(sweep, plans, own_plan)

    def _say_constant(self, own_plan: PairPlan) -> str:
        if own_plan.delta == 0:
            return "score the same"
        return f"differ by the same {rounded(abs(own_plan.delta))} {self.metric}"

    def _warn(self, sweep: SizeSweep, plans: Sequence[PairPlan], own_plan: PairPlan) -> None:
        """Write what puts the size in doubt."""
        units = _plural_unit(sweep)
        caution = cannot_plan(sweep)
        if caution is not None:
            screen.cautions([caution])
        sizes = [row.size.units for row in plans if row.size.units]
        if own_plan.size.units and own_plan.size.units < median_low(sizes) / 4:
            screen.caution_box(
                "These two systems are nearly alike, so even a small difference shows. The median "
                f"pair needs about {median_low(sizes):,} {units} for "
                f"{self.difference:g} {self.metric}."
            )
        if sweep.settings.unit == "segment" and self.view.testset.documents is not None:
            screen.caution_box(
                "Segments of a document are treated as independent, so the sizes are too small. "
                "Under Change: Unit: Document."
            )

    def show(self, sweeping: Study, sweep: SizeSweep, own_plan: PairPlan, command: str) -> None:
        """Draw the size needed, and the curve."""
        self.show_answer(sweep)
        a = own_plan.a
        b = own_plan.b
        screen.cautions(
            caution
            for caution in self.view.comparison.warnings
            if caution.kind.concern == "differences" and caution.concerns_pair(a, b)
        )
        if not own_plan.se:
            return
        rows = count_detections(sweep, a, b, self.difference)
        units = _plural_unit(sweep)
        first = rows[0]
        last = rows[-1]
        sweeping.show(
            self.figure(sweep, own_plan, rows),
            detection_records(sweep, a, b, self.difference),
            f"Share of random test sets that find a difference of {self.difference:g} "
            f"{self.metric} between {a} and {b}: {first.significant.share:.0%} at {first.size} "
            f"{units}, {last.significant.share:.0%} at {last.size}.",
            a,
            b,
            key="size.decisions",
            command=command,
            table=detection_table(rows),
        )
        whole_set = ""
        if last.size == sweep.n_units:
            whole_set = ", and the last dot is the whole set itself"
        st.caption(
            "Dotted: how often a new test set of each size would find the difference, for one pair; "
            "dashed beyond the sizes drawn. Dots: the same for random parts of this test set, with "
            f"the difference set to {self.difference:g}. Pale dots share most segments with "
            f"others{whole_set}.",
            help=self._about(sweep, own_plan),
        )

    def show_plan(self, sweep: SizeSweep, plans: Sequence[PairPlan], own_plan: PairPlan) -> None:
        """Draw the sizes that the pairs need; with many pairs, the pairs of one system first."""
        units = _plural_unit(sweep)
        rows = plans
        if len(plans) > _FEW_PAIRS:
            rows = [row for row in plans if own_plan.a in (row.a, row.b)][:_OF_ONE]
        screen.show_table(plan_table(rows, self.difference, self.metric, units))
        if len(rows) < len(plans):
            screen.faint(f"{len(rows)} pairs with {own_plan.a}.")
            with st.expander(f"All {len(plans)} pairs", key="size.all.box"):
                screen.show_table(
                    plan_table(plans, self.difference, self.metric, units), key="size.all"
                )
        family = ""
        if own_plan.n_pairs > 1:
            family = (
                f", and for {own_plan.n_pairs} pairs with Bonferroni, which is enough for "
                "Holm and Benjamini-Hochberg, and usually for Romano-Wolf"
            )
        st.caption(
            f"{units.capitalize()} needed for {self.power:.0%} power at alpha "
            f"{self.view.alpha:g}{family}. Brackets: {self.view.level} intervals. If you pick a pair because of "
            "its difference, the true difference is usually smaller. So plan for a difference that you choose.",
            help=f"{sweep.n_units:,} x (t SE / difference)², and at least as many as can give so "
            "small a p. t is Student's, for the units planned. With few units the tests may find "
            "less.",
        )

    def _about(self, sweep: SizeSweep, own_plan: PairPlan) -> str:
        """Describe the dots, the curve and the line."""
        alpha = sweep.settings.alpha
        shift = rounded(self.difference - own_plan.delta, "+")
        return (
            "Each dot is a share of random test sets with uncorrected p at most "
            f"{alpha:g}, with its Monte Carlo interval. The test: percentile, "
            f"{sweep.settings.resamples} resamples by {sweep.settings.unit}. Their differences are "
            f"moved by {shift}. Opposite: against the order of the whole set; "
            f"{own_order(own_plan, alpha)}. Pale: more than half of this test set. The dotted curve "
            f"is planned by Student's t and meets the line of {self.power:.0%} at the size needed; "
            "the bar is its interval. With few units the percentile test gives too many false alarms; "
            "use the curve."
        )


def _plural_unit(sweep: SizeSweep) -> str:
    return f"{sweep.settings.unit}s"


def _write_interval(level: str, low: int | None, high: int | None) -> str:
    if low is None:
        return ""
    upper_limit = "no upper limit" if high is None else f"{high:,}"
    return f"{level} CI {low:,} to {upper_limit}"


# Scores and widths of intervals by size.


@dataclass(frozen=True)
class Published:
    """Relative widths of intervals by size, of another source."""

    widths: Sequence[tuple[float, float]] = ()
    source: str = ""


def show_by_size(
    sweeping: Study,
    sweep: SizeSweep,
    highlighted: Sequence[str],
    command: str = "",
    published: Published = Published(),
    page: str = "size",
) -> None:
    """Draw mean scores of all systems, and widths of the intervals of the first of `highlighted`.

    One or two systems are highlighted with colours. Widths are relative, next to published ones.
    """
    metric = metric_title(sweeping.metric)
    units = _plural_unit(sweep)
    left, right = st.columns(2, gap="medium")
    with left:
        colours = dict(zip(highlighted, (BLUE, OLIVE), strict=False))
        sweeping.show(
            partial(
                scores,
                sweep.systems,
                colours,
                unit=units,
                metric=metric,
                lower=not sweep.higher_is_better,
            ),
            sweep.systems,
            f"Mean {metric} of each system by test-set size; the ribbons narrow as the sets grow.",
            key=f"{page}.scores",
            command=command,
        )
        caption = "Mean score over the test sets; ribbons hold the middle 90% of them."
        if sweep.recounted:
            caption += " The weights of this metric come from each test set, so scores grow."
        st.caption(caption)
    system = highlighted[0]
    rows = [row for row in sweep.systems if row.system == system]
    slope = next(line for line in sweep.slopes if line.system == system)
    with right:
        sweeping.show(
            partial(widths, rows, slope, published.widths, unit=units, source=published.source),
            rows,
            "Relative width of the interval against the test-set size on log axes, falling with "
            f"slope {slope.slope}.",
            system,
            key=f"{page}.widths",
            command=command,
            table=width_table(rows),
        )
        caption = "Mean width of the percentile interval, relative to its median."
        if slope.slope is not None:
            caption += (
                f" Doubling the test set narrows the interval by {slope.per_doubling:.0%}; "
                "independent units give 29%."
            )
        st.caption(caption)


def show_settling(
    view: View, pooling: Study, result: Stability, published: str | None = None
) -> None:
    """Draw how an end of the interval settles with the number of resamples.

    `published`: the metric of Zhang and Vogel's numbers next to it.
    """
    repeats = result.repeats
    if not any(row.relative_sd for row in repeats):
        screen.plain("Nothing to draw: the score does not vary from resample to resample.")
        return
    published_sds = []
    if published is not None:
        published_sds = [row[:2] for row in ZHANG_VOGEL_6.rows[published]]
    figure = partial(
        settling,
        [row.resamples for row in repeats],
        [row.relative_sd for row in repeats],
        [row.relative_sd_range for row in repeats],
        [row.relative_theory for row in repeats],
        published_sds,
        unit=metric_title(published or view.metric),
    )
    page = "bootstrap" if published is None else "papers"
    pooling.show(
        figure,
        repeats,
        "Standard deviation of an end of the relative interval against the number of "
        "resamples, on log axes: it falls with the square root.",
        result.system,
        key=f"{page}.settling",
    )


# References.

_SIMULATED = 1592  # segments: the first hundred documents of the simulated corpus
_REFERENCES = 4
_REPEATS = 20  # for each set of references


def show_references(
    view: View,
    system: str | None = None,
    unit: str | None = None,
    with_paper: bool = False,
) -> None:
    """Draw the effect of more references on one system.

    `with_paper`: next to the numbers of Zhang and Vogel (2004).
    """
    metric = view.metric
    if system is None:
        system = controls.choice("System", view.result.names, "system", width=420)
    if metric in view.testset.scores:
        screen.plain(
            f"{metric} is a table of scores, which no reference changes. Choose a metric of texts."
        )
        return
    testset, source = with_several_references(view, system)
    if len(testset.references) < 2:
        screen.plain(
            "This test set has fewer than two references, so their number cannot be varied."
        )
        return
    experiment = study(
        view,
        "sweep references",
        source=source,
        repeats=_REPEATS,
        unit=unit or view.settings["unit"],
    )
    result = experiment.run(sweep_references, "Scoring with fewer references", testset=testset)
    rows = [row for row in result.rows if row.size == result.n_units and row.low is not None]
    if not rows:
        screen.plain(f"{system} scores 0 with any number of references: nothing to draw.")
    elif rows[-1].equivalent is not None:
        screen.answer(
            f"With {rows[-1].references} references, {as_good_as(rows[-1])} gives as narrow an "
            "interval (relative to the score) as all of it with one reference"
        )
    published = _published_references(metric) if with_paper else []
    if rows or published:
        experiment.show(
            partial(
                references,
                [(row.references, row.score, row.low, row.high) for row in rows],
                published,
                metric=metric_title(metric),
                source="Zhang and Vogel",
            ),
            reference_records(result),
            f"Score of {system} with its interval, by number of references; "
            "the table has the numbers.",
            system,
            key="papers.references" if with_paper else "",
        )
    caption = (
        f"{describe_size(testset)}. Means over sets that use every reference equally often, and "
        f"over {_REPEATS} random parts."
    )
    if testset.simulated and metric in ("nist", "m-bleu"):
        caption += (
            " Here NIST and M-BLEU intervals do not narrow, a limit of the simulation: on real "
            "texts they do."
        )
    st.caption(caption)
    screen.show_table(reference_table(result, system, with_paper))
    if with_paper:
        screen.show_table(grid_table(result, system))
        paper = ZHANG_VOGEL_4 if metric == "nist" else ZHANG_VOGEL_3
        st.caption(
            "Low and high end in percent of the median, by share of the set and number of "
            f"references; in brackets {paper.source}. The paper finds that four references make up "
            "for 30 to 40% of it (4.2)."
        )


def _published_references(metric: str) -> list[tuple[int, float, float, float]]:
    """The scores and intervals of Zhang and Vogel (2004) by number of references."""
    scale = 1 if metric == "nist" else 100  # the paper prints BLEU as a fraction
    rows = []
    for count, score, low, high in ZHANG_VOGEL_3.rows.get(metric, ()):
        rows.append((count, scale * score, low / 100, high / 100))
    return rows


def with_several_references(view: View, system: str) -> tuple[TestSet, Source]:
    """Return the test set with only this system, and its source.

    A simulated test set is shortened and gets several references.
    """
    testset = view.testset
    source = views.source_for(view, system)
    if not testset.simulated:
        return _only(testset, system), source
    n = min(testset.n_segments, _SIMULATED)
    with_more = _simulate_references(testset, n).only([system])
    if source.demo is not None:
        source = replace(source, demo=n)
    if len(testset.references) == 1:
        source = replace(source, demo_references=_REFERENCES, refs=())
    return with_more, source


@remember(4)  # a part knows its digest, which takes time to find
def _only(testset: TestSet, system: str) -> TestSet:
    return testset.only([system])


@remember(4)  # to simulate them takes longer than all the rest of the page
def _simulate_references(testset: TestSet, n: int) -> TestSet:
    return with_references(testset.take(range(n)), _REFERENCES)


def describe_size(testset: TestSet) -> str:
    """Write how large the test set of these numbers is.

    A simulated test set here is shorter than the open test set.
    """
    text = f"{testset.n_segments:,} segments"
    if testset.documents is not None:
        text += f" in {testset.n_documents} documents"
    if testset.references:  # a set of only scores has no references
        text += f", {format_count(len(testset.references), 'reference')}"
    if testset.simulated:
        return f"Simulated, the first {text}"
    return text
