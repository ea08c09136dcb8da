"""Sweeps: what a larger or smaller test set would say, and how large a one a difference takes."""

import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.experiments.planning import default_difference
from mtsig_core.experiments.sweeps import count_detections, sweep_sizes
from mtsig_core.metrics import metric_title
from mtsig_core.report.experiment_tables import detection_records, detection_table
from pages._ui import controls, frame, one_pair, screen, sweeps_sections, testsets
from pages._ui.screen import end_page, or_end_page
from pages._ui.studies import study
from pages._ui.sweeps_sections import Curve

_POWERS = [0.5, 0.8, 0.9, 0.95]

view = frame.open_page("Sweeps", experiment=True)
unit = metric_title(view.metric)
a, b, (third, fourth) = one_pair.choose(view, 4)
usual = default_difference(row.score for row in view.result.systems)
difference = controls.slider(third, "Difference", usual, "difference", least=usual / 10, most=10 * usual,
                             step=usual / 10, format="%.3g", help="The curve, the dots and the size it needs follow.")
with fourth:
    power = controls.choice("Power", _POWERS, "power", default=0.8, help="How often the difference is to be found.")
with or_end_page():
    drawn, asked = sweeps_sections.pick_test_sets(view)
    curve = Curve(view, frozenset((a, b)), difference, power, drawn.counts)
    sweeping = study(view, "sweep size", **asked)
    sweep = sweeps_sections.run_sweep(sweeping, sweep_sizes, "Drawing test sets", view.testset, drawn.counts,
                                      meanwhile=curve.grow, sizes=drawn.sizes)
    planned, mine = curve.plan(sweep)
if mine is None:
    screen.error(f"{a} and {b} have no segment in common with a score. Choose another pair.")
    end_page()
units = f"{sweep.settings.unit}s"
rows = count_detections(sweep, mine.a, mine.b, difference)
command = sweeping.print_command(difference=f"{difference:g}", power=power, sizes=drawn.option)

curve.show_answer(sweep)
screen.cautions(caution for caution in view.comparison.warnings
                if caution.kind.concern == "differences" and caution.concerns_pair(a, b))
if mine.se:
    sweeping.show(curve.figure(sweep, mine, rows), detection_records(sweep, mine.a, mine.b, difference),
                  f"Share of random test sets that find a difference of {difference:g} {unit} between {mine.a} and "
                  f"{mine.b}, by size: from {rows[0].significant.share:.0%} at {rows[0].size} {units} to "
                  f"{rows[-1].significant.share:.0%} at {rows[-1].size}.", mine.a, mine.b, key="sweeps.decisions",
                  command=command, table=detection_table(rows))
    screen.faint(curve.about(sweep, mine, asked["repeats"]))
left, right = st.columns(2, gap="medium")
with left:
    sweeps_sections.show_scores(sweeping, sweep, mine, command)
with right:
    sweeps_sections.show_widths(sweeping, sweep, mine.a, command)
curve.show_plan(sweep, planned, mine)
testsets.offer_demo(testsets.ZHANG_VOGEL,
                    "As large as the test set of Zhang and Vogel (2004), a hundred documents with four "
                    "references:", view.source)
try:
    sweeps_sections.show_table_2(view, sweep, mine.a, asked)
    sweeps_sections.show_references(view, mine.a, asked)
except MtsigError as problem:
    screen.error(problem)
