"""Test-set size: how many segments or documents it takes to find a difference."""

import streamlit as st

from mtsig_core.experiments.sweeps import sweep_sizes
from mtsig_core.stats.power import default_difference
from pages._sections import size_sections
from pages._sections.size_sections import Curve
from pages._ui import controls, frame, screen, views
from pages._ui.charts import study
from pages._ui.screen import end_page, or_end_page

_POWERS = [0.5, 0.8, 0.9, 0.95]

view = frame.open_page(experiment=True)
a, b, (third, fourth, fifth) = views.choose_pair(view, 5)
usual = default_difference(row.score for row in view.result.systems)
difference = controls.slider(
    third,
    "Difference",
    usual,
    "difference",
    least=usual / 10,
    most=10 * usual,
    step=usual / 10,
    format="%.3g",
    help="The difference to be found, in points.",
)
with fourth:
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
with fifth:
    tested = controls.choice(
        "Pairs tested",
        [1, n_pairs] if n_pairs > 1 else [1],
        "tested",
        help="With more pairs, each needs a larger test set, because p-values are corrected.",
    )
answer, drawing = st.container(), st.container()
with or_end_page():
    with drawing:
        drawn, asked = size_sections.pick_test_sets(view)
    with answer:
        curve = Curve(view, frozenset((a, b)), difference, power, drawn.counts, tested > 1)
        sweeping = study(view, "sweep size", **asked)
        sweep = sweeping.run(
            sweep_sizes,
            "Drawing test sets",
            meanwhile=curve.grow,
            sizes=drawn.sizes,
        )
        planned, mine = curve.plan(sweep)
        if mine is None:
            screen.error(
                f"{a} and {b} have no segment in common with a score. Choose another pair."
            )
            end_page()
        command = sweeping.print_command(
            difference=f"{difference:g}", power=power, sizes=drawn.option
        )
        curve.show(sweeping, sweep, mine, command)
tab, places = controls.tabs(["All pairs", "References", "Scores and intervals by size"])
with places[tab], or_end_page():
    if tab == "All pairs":
        curve.show_plan(sweep, planned, mine)
    elif tab == "References":
        size_sections.show_references(view, mine.a, asked)
    else:
        size_sections.show_by_size(sweeping, sweep, mine.a, mine.b, command)
