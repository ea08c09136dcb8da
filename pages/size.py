"""Test-set size: how many segments or documents are needed to find a difference."""

import streamlit as st

from mtsig_core.experiments.sweeps import sweep_sizes
from mtsig_core.stats.power import choose_difference, round_to_step
from pages._sections import questions, size_sections
from pages._sections.size_sections import Curve
from pages._ui import controls, frame, screen, views
from pages._ui.charts import study
from pages._ui.screen import end_page, or_end_page

_POWERS = [0.5, 0.8, 0.9, 0.95]

view = frame.open_page(experiment=True)
a, b, (difference_place, power_place, tested_place) = views.choose_pair(view, 5)
default = choose_difference(view.result)
step = round_to_step(default / 20)
difference = controls.slider(
    difference_place,
    "Difference",
    default,
    "difference",
    least=step,
    most=200 * step,
    step=step,
    format="%.3g",
    help=size_sections.explain_difference(view.result),
)
with power_place:
    power = controls.choice(
        "Power",
        _POWERS,
        "power",
        default=0.8,
        format_func="{:.0%}".format,
        help="How often the test should find the difference.",
    )
n_systems = len(view.result.systems)
n_pairs = n_systems * (n_systems - 1) // 2
with tested_place:
    n_tested = controls.choice(
        "Pairs tested",
        [1, n_pairs] if n_pairs > 1 else [1],
        "tested",
        help="With more pairs, each needs a larger test set, because p-values are corrected.",
    )
question = questions.ask("size")
answer = st.container()
drawing = st.container()
with or_end_page():
    with drawing:
        sizes, arguments = size_sections.pick_test_sets(view)
    with answer:
        curve = Curve(view, frozenset((a, b)), difference, power, sizes.counts, n_tested > 1)
        sweeping = study(view, "sweep size", **arguments)
        sweep = sweeping.run(
            sweep_sizes, "Drawing test sets", meanwhile=curve.grow, sizes=sizes.sizes
        )
        plans, own_plan = curve.plan(sweep)
        if own_plan is None:
            screen.error(
                f"{a} and {b} have no segment in common with a score. Choose another pair."
            )
            end_page()
        question.answer(own_plan.size.segments, *own_plan.size.segment_ends)
        command = sweeping.print_command(
            difference=f"{difference:g}", power=power, sizes=sizes.option
        )
        curve.show(sweeping, sweep, own_plan, command)
tab, places = controls.tabs(["All pairs", "References", "Scores and intervals by size"])
with places[tab], or_end_page():
    if tab == "All pairs":
        curve.show_plan(sweep, plans, own_plan)
    elif tab == "References":
        size_sections.show_references(view, own_plan.a, arguments["unit"])
    else:
        size_sections.show_by_size(sweeping, sweep, [own_plan.a, own_plan.b], command)
