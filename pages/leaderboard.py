"""Leaderboard: who is ahead, and by how much more than chance."""

from dataclasses import replace

import streamlit as st

from mtsig_core.diagnostics import FAMILY_WISE
from mtsig_core.figures import forest
from mtsig_core.tables import leaderboard_rows, verdict, with_metrics
from pages._ui import charts, controls, exports, family, frame, further, words


def against(view):
    """The view with the baseline chosen on this page."""
    baseline = controls.pick_baseline(list(view.testset.systems))
    return view if baseline is None else replace(view, settings={**view.settings, "baseline": baseline})


view = frame.open_page("Leaderboard", adjust=against)
comparison, result = view.comparison, view.result
later = ("not-equal", "interval-and-decision")
about_all = [caution for caution in comparison.warnings if caution.a is None and caution.code not in later]
said = verdict(result, comparison.settings)
if said is not None:
    words.answer(said)
words.cautions(about_all)

header, rows = leaderboard_rows(result, comparison.settings)
charts.show(
    forest(result, comparison.settings), key="leaderboard.forest",
    header=header, rows=rows, command=view.command(), with_table=False,
    alt="Scores with intervals and rank intervals of all systems, best first; the table below has the same numbers.")
blue = "the best score" if comparison.settings.baseline is None else "the baseline"
jointly = ", and hold for all pairs together" if comparison.settings.correction in FAMILY_WISE else ""
st.caption(f"Blue: {blue}. Grey and filled: significantly different from it; hollow: not, which is not 'equal'. "
           f"Overlap of two intervals is not the paired test: decisions come from the differences{jointly}.")
others = further.pick(view)
words.table(*with_metrics(header, rows + family.reference_rows(view, len(header)), 1, others), names=[1])
if others:
    several = ",".join([view.metric, *(other.metric for other in others)])
    further.show_disagreement(result, others, replace(view, metric=several).command())
left_out = family.show_left_out(view)

if len(about_all) < len(comparison.warnings):
    st.subheader("Keep in mind")
    words.cautions(caution for caution in comparison.warnings if caution not in about_all)
exports.show(comparison, view.metric, "leaderboard", left_out)
st.html(f'<div class="mt-status">{words.escape(result.signature)}</div>')
