"""Sweeps: what a larger or smaller test set would say, and how large a one a difference takes."""

from dataclasses import asdict
from functools import partial

import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.experiments.papers import SENTENCES_PER_DOCUMENT, ZHANG_VOGEL_2
from mtsig_core.experiments.planning import default_difference
from mtsig_core.experiments.population import default_sizes, in_units, parse_sizes
from mtsig_core.experiments.sweeps import count_detections, sweep_sizes
from mtsig_core.figures.experiment_plots import scores, widths
from mtsig_core.metrics import metric_title
from mtsig_core.report.experiment_tables import detection_records, detection_table, plan_table, width_table
from mtsig_core.report.palette import BLUE, VERMILLION
from pages._ui import (
    charts,
    controls,
    frame,
    one_pair,
    screen,
    sweeps_sections,
    testsets,
)
from pages._ui.screen import end_page, or_end_page
from pages._ui.sweeps_sections import Curve

_POWERS, _REPEATS = [0.5, 0.8, 0.9, 0.95], [30, 100, 300]
_FEW_PAIRS = 15  # in sight
_TEN, _SIZES = "ten sizes", ["10, 20, 50, 80, 100", "10%, 20%, 50%, 80%, 100%"]

view = frame.open_page("Sweeps", experiment=True)
testset, metric, settings = view.testset, view.metric, view.comparison.settings
alpha, seed, unit = view.settings["alpha"], view.settings["seed"], metric_title(metric)
a, b, (third, fourth) = one_pair.choose(view, 4)
usual = default_difference(row.score for row in view.result.systems)
difference = controls.slider(third, "Difference", usual, "difference", least=usual / 10, most=10 * usual,
                             step=usual / 10, format="%.3g", help="The curve, the dots and the size it needs follow.")
with fourth:
    power = controls.choice("Power", _POWERS, "power", default=0.8, help="How often the difference is to be found.")
with st.expander("Test sets drawn", key="sweeps.drawn"):
    places = st.columns(3)
    with places[0]:
        sizes = controls.choice("Sizes", [_TEN, *_SIZES], "sizes", free=True, help="In units or in percent of the set; "
                                "type others, such as 20, 50, 100%.")
    with places[1]:
        drawn = controls.choice("Drawn by", ["auto", "segment", "document"], "drawn", help="auto: the unit chosen at "
                                "the side under More settings.")
    with places[2]:
        repeats = controls.choice("Test sets of each size", _REPEATS, "repeats", default=100)
asked = {"repeats": repeats, "unit": view.settings["unit"] if drawn == "auto" else drawn, "alpha": alpha, "seed": seed}


with or_end_page():
    parsed = None if sizes == _TEN else tuple(parse_sizes(sizes))
    kind = settings.unit if asked["unit"] == "auto" else asked["unit"]
    n = testset.n_documents if kind == "document" and testset.documents is not None else testset.n_segments
    counts = default_sizes(n, kind) if parsed is None else in_units(parsed, n)
    curve = Curve(view, frozenset((a, b)), difference, power, counts)
    sweep = sweeps_sections.run_sweep(view, sweep_sizes, "Drawing test sets", testset, counts, meanwhile=curve.grow,
                                  sizes=parsed, **asked)
    planned, mine = curve.plan(sweep)
if mine is None:
    screen.error(f"{a} and {b} have no segment in common with a score. Choose another pair.")
    end_page()
units = f"{sweep.settings.unit}s"
rows = count_detections(sweep, mine.a, mine.b, difference)
of_systems = [row for row in sweep.systems if row.system == mine.a]
slope = next(line for line in sweep.slopes if line.system == mine.a)
command = sweeps_sections.command("size", metric, view.source, asked, difference=f"{difference:g}", power=power,
                                **({} if sizes == _TEN else {"sizes": sizes.replace(" ", "")}))

curve.show_answer(sweep)
screen.cautions(caution for caution in view.comparison.warnings
                if caution.kind.concern == "differences" and caution.concerns_pair(a, b))
if mine.se:
    charts.show(curve.figure(sweep, mine, rows), key="sweeps.decisions", files=view.named(mine.a, mine.b),
                command=command,
                **charts.columns(detection_records(sweep, mine.a, mine.b, difference)), table=detection_table(rows),
                alt=f"Share of random test sets that find a difference of {difference:g} {unit} between {mine.a} and "
                    f"{mine.b}, by size: from {rows[0].significant.share:.0%} at {rows[0].size} {units} to "
                    f"{rows[-1].significant.share:.0%} at {rows[-1].size}.")
    screen.faint(curve.about(sweep, mine, repeats))

left, right = st.columns(2, gap="medium")
with left:
    st.subheader("Scores")
    charts.show(partial(scores, sweep.systems, {mine.a: BLUE, mine.b: VERMILLION}, unit=units, metric=unit,
                        lower=not view.result.higher_is_better), key="sweeps.scores",
                files=view.named(), command=command, header=list(asdict(sweep.systems[0])),
                rows=[list(asdict(row).values()) for row in sweep.systems], with_table=False,
                alt=f"Mean {unit} of each system by test-set size; the ribbons narrow as the sets grow.")
    st.caption("Mean score over the test sets; ribbons hold the middle 90% of them (Figs 4 to 7 of Zhang and Vogel). "
               + ("Counted anew on every test set, as the weights of this metric come from it: scores grow."
                  if sweep.recounted else "They close towards the whole set, as large parts of it overlap."))
with right:
    st.subheader("Intervals")
    theirs = "human" if metric in testset.scores else ZHANG_VOGEL_2.nearest(metric)
    length = 1 if units == "documents" else SENTENCES_PER_DOCUMENT
    paper = [(round(size * length), (high - low) / 100) for size, low, high in ZHANG_VOGEL_2.rows[theirs]]
    charts.show(partial(widths, of_systems, slope, paper, unit=units,
                        theirs=f"Zhang and Vogel, {metric_title(theirs)}"),
                key="sweeps.widths", files=view.named(mine.a), command=command,
                header=list(asdict(of_systems[0])), rows=[list(asdict(row).values()) for row in of_systems],
                table=width_table(of_systems), alt="Relative width of the interval against the test-set size on log "
                                                  f"axes, falling with slope {slope.slope}.")
    st.caption("Width of the percentile interval relative to its median, mean over the test sets, with a straight line "
               + ("" if slope.slope is None else f"of slope {slope.slope:.3f} (SE {slope.se or 0:.3f}): doubling the "
                  f"test set narrows it by {slope.per_doubling:.0%}. ")
               + "Independent units give -1/2 and 29%, the 30% of Zhang and Vogel; percentile intervals of few units "
                 "are too narrow, which makes the line flatter.")

st.subheader("How large a test set does each pair need?")
few = planned if len(planned) <= _FEW_PAIRS else [row for row in planned if mine.a in (row.a, row.b)]
screen.show_table(plan_table(few, difference, unit, units))
if len(few) < len(planned):
    st.caption(f"The {len(few)} pairs with {mine.a}.")
    with st.expander(f"All {len(planned)} pairs", key="sweeps.all.box"):
        screen.show_table(plan_table(planned, difference, unit, units), key="sweeps.all")
family = "" if mine.n_pairs < 2 else (f", or among {mine.n_pairs} pairs at alpha/{mine.n_pairs} (Bonferroni's level: "
                                      "enough for every correction but by)")
st.caption(f"For power {power:.0%}, tested alone at alpha {alpha:g}{family}. Brackets: {100 * (1 - alpha):g}% "
           f"intervals: the standard error is an estimate, and so is a pair's own difference. {units.capitalize()} "
           f"needed = {sweep.n_units:,} x (z SE / difference)², but never fewer than can give so small a p at all. "
           "This is normal theory: on a set of few units the tests of Significance, which count swaps or draws, may "
           "find less.")
testsets.offer_demo(testsets.ZHANG_VOGEL,
                    "As large as the test set of Zhang and Vogel (2004), a hundred documents with four "
                    "references:", view.source)
try:
    sweeps_sections.show_table_2(view, sweep, mine.a, asked)
    sweeps_sections.show_references(view, mine.a, asked)
except MtsigError as problem:
    screen.error(problem)
