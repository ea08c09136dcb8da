"""Leaderboard: who is ahead, and by how much more than chance."""

from dataclasses import replace
from functools import partial

import streamlit as st

from mtsig_core.figures import differences, forest
from mtsig_core.metrics import metric_title
from mtsig_core.report.sentences import (
    explain_far_firsts,
    keeps_its_level,
    list_caveats,
    state_verdict,
)
from mtsig_core.report.tables import add_metric_columns, by_reference_table, differences_table, leaderboard_table
from mtsig_core.report.text import printable
from mtsig_core.stats.significance import FAMILY_WISE
from pages._ui import charts, comparison_sections, controls, frame, one_pair, published_comparison, screen
from pages._ui.browser import copyable

_FIGURES = ("scores and ranks", "differences")


def against(view):
    """The view with the baseline chosen on this page; beside it, what is drawn."""
    left, right = st.columns(2)
    with left:
        baseline = controls.pick_baseline(list(view.testset.systems))
    controls.choice("Figure", _FIGURES, "figure", pages_own=True, place=right, width=320)
    if baseline is None:
        return view
    return replace(view, settings={**view.settings, "baseline": baseline, "rank_rule": "simultaneous"})  # no ranks


view = frame.open_page("Leaderboard", adjust=against)
comparison, result = view.comparison, view.result
about_all = [caution for caution in comparison.warnings if caution.concerns_all]
screen.answer(f"By {metric_title(view.metric)}: {state_verdict(comparison, view.metric)}")
for sentence in explain_far_firsts(comparison, view.metric):
    screen.plain(sentence)
screen.cautions(about_all)
table = leaderboard_table(result, comparison.settings)
blue = "the best score" if comparison.settings.baseline is None else "the baseline"
numbers = dict(rows=table.records(), files=view.named(), command=view.command(), select=True)
told = tuple(list_caveats(comparison, view.metric))  # in a picture that is saved, too
apart = result.pairs and st.session_state["figure"] == _FIGURES[1]
if apart:
    clicked = charts.show(
        partial(differences, result, comparison.settings, told), key="leaderboard.differences", **numbers,
        table=differences_table(result, comparison.settings),
        alt=f"Differences of all systems to {blue}, with single and simultaneous intervals; numbers below.")
    st.caption(f"Difference of each system from {blue}. A single interval covers one pair; the simultaneous intervals "
               "of all pairs hold together: read these to judge several systems. Filled: significantly different; "
               "hollow: not significant, which does not mean equal. The test decides. Click a dot to open the pair.")
else:
    clicked = charts.show(
        partial(forest, result, comparison.settings, told), key="leaderboard.forest", **numbers, with_table=False,
        alt="Scores with intervals and rank ranges of all systems, best first; the table below has the same "
            "numbers.")
if table.ruled:
    drawn = "Shading in the table separates" if apart else "Lines, and shading in the table, separate"
    st.caption(f"{drawn} clusters: no rank range reaches from one into the next.")
holds = keeps_its_level(comparison) and comparison.settings.correction in FAMILY_WISE
jointly = ", and hold for all pairs together" if holds else ""
if not result.pairs:
    st.caption("The interval is for the score of this system: there is no other to compare it with, hence no rank.")
elif not apart:
    st.caption(f"Blue: {blue}. Grey and filled: significantly different from it; hollow: not significant, which does "
               f"not mean equal. Overlapping intervals do not decide: decisions come from the differences{jointly}. "
               f"Click a dot or a bar, or tick a row of the table, to open the pair with {blue}.")
if by_reference := by_reference_table(result):
    screen.show_table(by_reference, prose=True)
others = comparison_sections.pick_further_metrics(view)
table = add_metric_columns(table, others).add_rows(
    comparison_sections.reference_records(view, [other.metric for other in others]))
chosen = screen.show_table(table.rename(vs_best_ci_joint="simultaneous", vs_baseline_ci_joint="simultaneous"),
                           "leaderboard.table", open_rows=True)
if clicked:
    one_pair.open_pair(view, result.systems[clicked[0][0]].system)
elif chosen is not None:
    one_pair.open_pair(view, table.values("system")[chosen])
about_others = comparison_sections.warnings_of(view, others)
if others:
    several = ",".join([view.metric, *(other.metric for other in others)])
    comparison_sections.show_disagreement(view, others, about_others, replace(view, metric=several).command())
comparison_sections.show_figure_3(view)
excluded = comparison_sections.show_excluded(view)

more = [caution for caution in (*comparison.warnings, *about_others)
        if caution not in about_all and (caution.metric == view.metric or caution.kind.concern != "scores")]
if more:
    st.subheader("Caveats")
    screen.cautions(more, several=bool(others))
published_comparison.show(view)
comparison_sections.show_exports(view, "leaderboard", excluded, [other.metric for other in others])
copyable(printable(result.signature), "leaderboard.signature", f"Signature ({metric_title(view.metric)})",
         prose=True)
