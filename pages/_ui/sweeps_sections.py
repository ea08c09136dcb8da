"""Parts of the page Sweeps: the size that a difference takes, and the tables beside Zhang and Vogel (2004)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median_low
from typing import NamedTuple

import plotly.graph_objects as go
import streamlit as st

from mtsig_core import TestSet
from mtsig_core.errors import format_count
from mtsig_core.experiments.papers import SENTENCES_PER_DOCUMENT, ZHANG_VOGEL_2, ZHANG_VOGEL_3, ZHANG_VOGEL_4
from mtsig_core.experiments.planning import PairPlan, cannot_plan, plan
from mtsig_core.experiments.population import default_sizes, in_units, parse_sizes
from mtsig_core.experiments.sweeps import (
    SHARES,
    Detection,
    SizeSweep,
    count_detections,
    plan_detections,
    reference_sets,
    sweep_references,
    sweep_sizes,
    with_references,
)
from mtsig_core.figures.experiment_plots import decisions, references, scores, widths
from mtsig_core.metrics import metric_title
from mtsig_core.report.experiment_tables import (
    as_good_as,
    grid_table,
    needed,
    own_order,
    plan_table,
    reference_records,
    reference_table,
    size_table,
    system_records,
    width_table,
)
from mtsig_core.report.palette import BLUE, VERMILLION
from mtsig_core.report.table import rounded
from mtsig_core.source import Source
from pages._ui import charts, controls, one_pair, screen, session_limits
from pages._ui.studies import Study, study
from pages._ui.views import View
from pages._work.memory import Memory, make_once

_TEN, _SIZES, _REPEATED = "ten sizes", ["10, 20, 50, 80, 100", "10%, 20%, 50%, 80%, 100%"], [30, 100, 300]
_FEW_PAIRS = 15  # in sight


class Sizes(NamedTuple):
    """The sizes of the test sets that are drawn."""

    sizes: tuple[float, ...] | None  # as `sweep_sizes` takes them
    counts: list[int]  # in units
    option: str | None  # as the command line takes them


def pick_test_sets(view: View) -> tuple[Sizes, dict]:
    """Choose which test sets are drawn; their sizes, and the other arguments of `sweep_sizes`."""
    testset = view.testset
    with st.expander("Test sets drawn", key="sweeps.drawn"):
        places = st.columns(3)
        with places[0]:
            text = controls.choice("Sizes", [_TEN, *_SIZES], "sizes", free=True, help="In units or in percent of the "
                                   "set; type others, such as 20, 50, 100%.")
        with places[1]:
            drawn = controls.choice("Drawn by", ["auto", "segment", "document"], "drawn", help="auto: the unit chosen "
                                    "in the sidebar under Change.")
        with places[2]:
            repeats = controls.choice("Test sets of each size", _REPEATED, "repeats", default=100)
    unit = view.settings["unit"] if drawn == "auto" else drawn
    kind = view.comparison.settings.unit if unit == "auto" else unit
    n = testset.n_documents if kind == "document" and testset.documents is not None else testset.n_segments
    sizes = None if text == _TEN else tuple(parse_sizes(text))
    counts = default_sizes(n, kind) if sizes is None else in_units(sizes, n)
    asked = {"repeats": repeats, "unit": unit}
    return Sizes(sizes, counts, None if sizes is None else text.replace(" ", "")), asked


def run_sweep(sweeping: Study, function: Callable, what: str, testset: TestSet, counts: Sequence[int], **more):
    """The result of a sweep that draws test sets of each of these sizes."""
    return sweeping.run(function, what, testset=testset, **more, limit=partial(
        session_limits.check_sweep, testset, counts, sweeping.asked["repeats"]))


@dataclass(frozen=True)
class Curve:
    """One pair of systems and the difference that is asked about."""

    view: View
    pair: frozenset[str]
    difference: float  # in points; 0 to 1
    power: float
    sizes: Sequence[int]  # of the test sets that are drawn, in units

    def plan(self, sweep: SizeSweep) -> tuple[tuple[PairPlan, ...], PairPlan | None]:
        """The sizes that all pairs need, and this one; None where it cannot be compared."""
        planned = make_once(plan, sweep, self.difference, self.power)
        return planned, next((row for row in planned if {row.a, row.b} == self.pair), None)

    def figure(self, sweep: SizeSweep, mine: PairPlan, rows: Sequence[Detection]) -> Callable[[], go.Figure]:
        """What makes the figure of the curve and its dots."""
        return partial(decisions, rows, self.power, mine.units, unit=f"{sweep.settings.unit}s", whole=sweep.n_units,
                       between=(mine.units_low, mine.units_high))

    def grow(self, parts: Mapping[tuple[int], SizeSweep]) -> None:
        """Draw what is known already, on the axes that it will have in the end."""
        whole = parts[0,]
        _, mine = self.plan(whole)
        if mine is None:
            return
        self.show_answer(whole)
        if not mine.se:
            return
        asked = whole, mine.a, mine.b, self.difference
        rows = [count_detections(parts[row.size,], *asked[1:])[0] if (row.size,) in parts else row
                for row in plan_detections(*asked, self.sizes)]
        sentence = f"Test sets of {len(parts) - 1} of {len(self.sizes)} sizes are drawn so far"
        charts.grow(self.figure(whole, mine, rows), f"sweeps.growing.{len(parts)}", f"{sentence}; the planned curve.")
        screen.faint(f"{sentence}, the smallest first: the dots so far are no result. The headline and the dotted "
                     "curve come from the whole set and stay. Scores, intervals, tables and files come with the last "
                     "dot.")

    def show_answer(self, sweep: SizeSweep) -> None:
        """What the standard errors of the whole test set say."""
        planned, mine = self.plan(sweep)
        units, unit, difference = f"{sweep.settings.unit}s", metric_title(self.view.metric), self.difference
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
            + ". ")
        cannot = cannot_plan(sweep)
        here = cannot.text if cannot else (f"This set has {sweep.n_units:,} {units} and finds {rounded(mine.mdd)} "
                                           f"{unit} and more that often.")
        screen.plain(f"{family}{mine.a} and {mine.b} differ by {rounded(mine.delta)} here; were that true, it would "
                     f"take {own}. {here}")
        typical = median_low([row.units for row in planned if row.units] or [0])
        if mine.units and mine.units < typical / 4:
            screen.caution_box("These two systems are nearly alike, so even a small difference shows. The median pair "
                               f"needs about {typical:,} {units} for {difference:g} {unit}.")
        if sweep.settings.unit == "segment" and self.view.testset.documents is not None:
            screen.caution_box("Segments of a document are treated as independent here, so the sizes are too small. "
                               "Choose the document as unit.")
        if sweep.n_units < 100:
            screen.caution_box(f"The smallest test sets have {self.sizes[0]} {units}. With so few the percentile test "
                               "finds too much. Trust the planned curve rather than the dots.")

    def show_plan(self, sweep: SizeSweep, planned: Sequence[PairPlan], mine: PairPlan) -> None:
        """The sizes that the pairs need; of many pairs, first those of one system."""
        unit, units, alpha = metric_title(self.view.metric), f"{sweep.settings.unit}s", self.view.alpha
        st.subheader("How large a test set does each pair need?")
        few = planned if len(planned) <= _FEW_PAIRS else [row for row in planned if mine.a in (row.a, row.b)]
        screen.show_table(plan_table(few, self.difference, unit, units))
        if len(few) < len(planned):
            st.caption(f"The {len(few)} pairs with {mine.a}.")
            with st.expander(f"All {len(planned)} pairs", key="sweeps.all.box"):
                screen.show_table(plan_table(planned, self.difference, unit, units), key="sweeps.all")
        family = "" if mine.n_pairs < 2 else (f", or among {mine.n_pairs} pairs at alpha/{mine.n_pairs} (Bonferroni's "
                                              "level: enough for every correction but by)")
        st.caption(f"For power {self.power:.0%}, tested alone at alpha {alpha:g}{family}. Brackets: {self.view.level} "
                   f"intervals. {units.capitalize()} needed = {sweep.n_units:,} x (z SE / difference)², at least as "
                   "many as can give so small a p. This is normal theory: with few units the tests may find less.")

    def about(self, sweep: SizeSweep, mine: PairPlan, repeats: int) -> str:
        """What the dots, the curve and the line are."""
        difference, alpha, unit = self.difference, sweep.settings.alpha, metric_title(self.view.metric)
        return (f"Dots: share of {repeats} random test sets of each size that find a difference of {difference:g} "
                f"{unit} (p at most {alpha:g}, uncorrected, percentile test on {sweep.settings.resamples} resamples by "
                f"{sweep.settings.unit}), with 95% Monte Carlo intervals; their differences are moved by "
                f"{rounded(difference - mine.delta, '+')}. Opposite: against the order of the whole set; "
                f"{own_order(mine, alpha)}. Pale dots stand for more than half of this set: such parts overlap and "
                "repeat what the whole set says. Dotted: what normal theory plans for new test sets. It meets the "
                f"line of {self.power:.0%} at the size it needs; the bar is its {100 * (1 - alpha):g}% interval.")


# Scores and widths of intervals by size.


def show_scores(sweeping: Study, sweep: SizeSweep, mine: PairPlan, printed: str) -> None:
    """Mean scores of all systems, the two of a pair in colour."""
    unit = metric_title(sweeping.metric)
    st.subheader("Scores")
    sweeping.show(partial(scores, sweep.systems, {mine.a: BLUE, mine.b: VERMILLION}, unit=f"{sweep.settings.unit}s",
                          metric=unit, lower=not sweep.higher_is_better), sweep.systems,
                  f"Mean {unit} of each system by test-set size; the ribbons narrow as the sets grow.",
                  key="sweeps.scores", command=printed)
    st.caption("Mean score over the test sets; ribbons hold the middle 90% of them (Figs 4 to 7 of Zhang and Vogel)."
               + (" The weights of this metric come from each test set, so scores grow." if sweep.recounted else ""))


def show_widths(sweeping: Study, sweep: SizeSweep, system: str, printed: str) -> None:
    """Relative widths of the intervals of one system, beside those of the paper."""
    st.subheader("Intervals")
    rows = [row for row in sweep.systems if row.system == system]
    slope = next(line for line in sweep.slopes if line.system == system)
    theirs = "human" if sweeping.metric in sweeping.view.testset.scores else ZHANG_VOGEL_2.nearest(sweeping.metric)
    length = 1 if sweep.settings.unit == "document" else SENTENCES_PER_DOCUMENT
    paper = [(round(size * length), (high - low) / 100) for size, low, high in ZHANG_VOGEL_2.rows[theirs]]
    figure = partial(widths, rows, slope, paper, unit=f"{sweep.settings.unit}s",
                     theirs=f"Zhang and Vogel, {metric_title(theirs)}")
    sweeping.show(figure, rows, "Relative width of the interval against the test-set size on log axes, falling with "
                  f"slope {slope.slope}.", system, key="sweeps.widths", command=printed, table=width_table(rows))
    st.caption("Mean width of the percentile interval, relative to its median. "
               + ("" if slope.slope is None else f"The line has slope {slope.slope:.3f} (SE {slope.se or 0:.3f}): "
                  f"doubling the test set narrows the interval by {slope.per_doubling:.0%}. ")
               + "Independent units give -1/2 and 29%, the 30% of Zhang and Vogel; few units make the line flatter.")


# Beside Zhang and Vogel (2004): Table 2; Tables 3 and 4 with Figure 8.

_SIMULATED, _REFERENCES = 1592, 4  # the first hundred documents of the simulated corpus; theirs were as many, of 8.8
_ANEW = Memory(4)  # those test sets: to simulate one takes longer than all the rest of the page
_FEWEST = 5  # units of the smallest test set
_REPEATS = 20  # for each set of references
_NOT_EQ_4 = ("Their M-BLEU scores lie below their BLEU, which an arithmetic mean of the same precisions (their eq. 4, "
             "and ours) cannot: do not expect to meet them. ")


def show_table_2(view: View, sweep: SizeSweep, system: str, asked: dict) -> None:
    """Relative intervals of one system at the shares that they took."""
    several, source = _with_references(view, system)
    n = several.n_documents if sweep.settings.unit == "document" else several.n_segments
    percents = [percent for percent, *_ in ZHANG_VOGEL_2.rows["bleu"] if round(percent / 100 * n) >= _FEWEST]
    shares = study(view, "sweep size", source=source, **asked)
    st.subheader("Beside Zhang and Vogel: how wide is an interval?")
    swept = run_sweep(shares, sweep_sizes, "Drawing parts of the test set", several,
                      [round(percent / 100 * n) for percent in percents],
                      sizes=tuple(percent / 100 for percent in percents))
    screen.plain(f"System {system}: relative {100 * (1 - view.settings['alpha']):g}% interval by size")
    screen.show_table(size_table(swept, system))
    st.caption(f"{_about(several)}. Ours: means over {asked['repeats']} random parts by {sweep.settings.unit}; one "
               f"interval for the whole set. {ZHANG_VOGEL_2.source}: {ZHANG_VOGEL_2.about}; human: fluency and "
               "adequacy, parts by document, bootstrap by sentence. " + _NOT_EQ_4
               + "Their Figure 3 is a switch on the Leaderboard.")
    shares.show_numbers(system_records(swept, view.metric in view.testset.scores), system, key="sweeps.table2",
                        sizes=",".join(f"{percent}%" for percent in percents))


def show_references(view: View, system: str, asked: dict) -> None:
    """What more references bring to one system."""
    metric = view.metric
    st.subheader("How many references?")
    if metric in view.testset.scores:
        screen.plain(f"{metric} is a table of scores, which no reference changes. Choose a metric of texts.")
        return
    several, source = _with_references(view, system)
    if len(several.references) < 2:
        screen.plain("This set has one reference, or none: with several, their number is looked at here.")
        return
    fewer = study(view, "sweep references", source=source, **asked | {"repeats": _REPEATS})
    sets = reference_sets(list(several.references))
    swept = run_sweep(fewer, sweep_references, "Scoring with fewer references", several,
                      [round(share * several.n_segments) for share in SHARES for _ in sets])
    records = reference_records(swept)
    whole = [row for row in swept.rows if row.size == swept.n_units and row.low is not None]
    if whole and whole[-1].equivalent is not None:
        screen.answer(f"With {whole[-1].references} references, an interval as narrow beside its score as with one "
                      f"takes {as_good_as(whole[-1])}")
        first, last = ((row.score, (row.high - row.low) * row.score) for row in (whole[0], whole[-1]))
        screen.plain(f"Scores grow with references, here from {rounded(first[0])} to {rounded(last[0])}: in points the "
                     f"interval is {rounded(last[1])} wide, with one {rounded(first[1])}.")
    scale = 1 if metric == "nist" else 100  # they print BLEU as a fraction
    theirs = [(count, scale * score, low / 100, high / 100)
              for count, score, low, high in ZHANG_VOGEL_3.rows.get(metric, ())]
    if not whole:
        screen.plain(f"{system} scores 0, whatever the references, and no interval is relative to that: nothing to "
                     "draw.")
    if whole or theirs:
        fewer.show(partial(references, [(row.references, row.score, row.low, row.high) for row in whole], theirs,
                           metric=metric_title(metric), source="Zhang and Vogel"), records,
                   f"Score of {system} with its interval, by number of references; the table below has the numbers.",
                   system)
    screen.show_table(reference_table(swept, system))
    st.caption(f"{_about(several)}. Means over sets that use every reference equally often. The share of the data with "
               "these references gives as narrow a relative interval as all of it with one; in brackets its 95% Monte "
               "Carlo interval, of what the draws leave open. They find that four references make up for 30 to 40% "
               "of it (4.2). "
               + ("Here NIST and M-BLEU intervals do not narrow, a limit of the simulation: on real texts they do. "
                  if several.simulated and metric in ("nist", "m-bleu") else "")
               + (_NOT_EQ_4 if metric == "m-bleu" else ""))
    screen.show_table(grid_table(swept, system))
    st.caption("Low and high end in percent of the median, by share of the set and number of references; means over "
               f"{_REPEATS} random parts for each set of references"
               + (f"; in brackets {ZHANG_VOGEL_4.source if metric == 'nist' else ZHANG_VOGEL_3.source}."
                  if any(row["paper_low"] is not None for row in records) else "."))


def _with_references(view: View, system: str) -> tuple[TestSet, Source]:
    """The test set with this system alone, the simulated one short and with several references; and its source."""
    testset, source = view.testset, one_pair.source_for(view, system)
    if not testset.simulated:
        return _ANEW.make((testset.digest, system), lambda: testset.only([system])), source
    n = min(testset.n_segments, _SIMULATED)
    several = _ANEW.make(testset.digest, lambda: with_references(testset.take(range(n)), _REFERENCES))
    if source.demo is not None:
        source = replace(source, demo=n)
    anew = len(testset.references) == 1
    return several.only([system]), replace(source, demo_references=_REFERENCES, refs=()) if anew else source


def _about(several: TestSet) -> str:
    size = f"{several.n_segments:,} segments" + (
        f" in {several.n_documents} documents" if several.documents is not None else "")
    n = len(several.references)  # none of scores alone
    scored = f", {format_count(n, 'reference')}" if n else ""
    return f"{'Simulated, the first ' if several.simulated else ''}{size}{scored}"

