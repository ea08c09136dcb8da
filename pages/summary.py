"""Summary: which system is best, could it be chance, and which caveats apply."""

import streamlit as st

from pages._sections import comparison_sections, published_comparison, summary_sections
from pages._ui import browser, caution_boxes, controls, frame, screen

view = frame.open_page(adjust=summary_sections.compare_with)
if summary_sections.is_report():
    summary_sections.show_report(view)
    screen.end_page()

excluded = comparison_sections.list_excluded(view)
known = summary_sections.find_known_metrics(view)
comparison = summary_sections.join_all(view, excluded, known)
files_place = browser.export_box("summary")
summary_sections.show_verdict(view, comparison)
cautions_place = st.container()
sentences_place = st.container()
summary_sections.show_differences(view, comparison)
further_cautions_place = st.container()

titles = ["Scores and ranks", "Table"]
if len(view.full_set.references) > 1:
    titles.append("References")
if excluded:
    titles.append("Excluded")
titles.append("Published scores")
cautions = comparison_sections.list_all_cautions(view, comparison)
if cautions:
    titles.append("All caveats")
_, tabs = controls.tabs(titles, usual=summary_sections.choose_first_tab(view))
with tabs["Scores and ranks"]:
    summary_sections.show_scores(view, comparison)
with tabs["Table"]:
    further = comparison_sections.pick_further_metrics(view)
    comparison = summary_sections.join_all(view, excluded, further)
    summary_sections.show_table(view, comparison, further)
if "References" in tabs:
    with tabs["References"]:
        summary_sections.show_references(view)
if excluded:
    with tabs["Excluded"]:
        excluded = comparison_sections.show_excluded(view)
        comparison = summary_sections.join_all(view, excluded, further)
with tabs["Published scores"]:
    published_comparison.show(view)
cautions = comparison_sections.list_all_cautions(view, comparison)
if "All caveats" in tabs:
    with tabs["All caveats"]:
        caution_boxes.show(cautions, "all", several=bool(further))
with cautions_place:
    summary_sections.show_cautions(view, comparison, cautions, further_cautions_place)
with sentences_place:
    summary_sections.show_sentences(view, comparison)
with files_place:
    summary_sections.show_files(view, comparison)
summary_sections.speak_of_all_metrics(view, known, further)
