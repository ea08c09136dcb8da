"""Summary: which system is best, is that more than chance, and what limits the claim?"""

import streamlit as st

from mtsig_core.report.sentences import explain_far_firsts, state_answer
from pages._sections import comparison_sections, published_comparison, summary_sections
from pages._ui import frame, screen

view = frame.open_page(adjust=summary_sections.compare_with)
if summary_sections.is_report():
    summary_sections.show_report(view)
    screen.end_page()

screen.answer(state_answer(view.comparison, view.metric))
for sentence in explain_far_firsts(view.comparison, view.metric):
    screen.plain(sentence)
caveats, buttons = st.container(), st.container(horizontal=True)
with buttons:
    summary_sections.pick_baseline(view)
summary_sections.show_differences(view)
more = st.container()

excluded = comparison_sections.list_excluded(view)
several = len(view.whole.references) > 1
tabs = dict(zip(names := [
    "Scores and ranks", "Table", *["References"] * several, *["Excluded"] * bool(excluded), "Published scores",
    "All caveats"], st.tabs(names, default=summary_sections.choose_first_tab(view)), strict=True))
with tabs["Scores and ranks"]:
    summary_sections.show_scores(view)
with tabs["Table"]:
    others = comparison_sections.pick_further_metrics(view)
    summary_sections.show_table(view, others)
if several:
    with tabs["References"]:
        summary_sections.show_references(view)
if excluded:
    with tabs["Excluded"]:
        excluded = comparison_sections.show_excluded(view)
with tabs["Published scores"]:
    published_comparison.show(view)
with tabs["All caveats"]:
    first, every = summary_sections.find_caveats(view, others)
    summary_sections.show_all_caveats(every, bool(others))
with caveats:
    summary_sections.show_caveats(view, first, every, more)
with buttons:
    summary_sections.show_buttons(view, excluded, others)
