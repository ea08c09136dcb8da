"""One pair: how large is the difference, could it be chance, and where does it come from."""

import streamlit as st

from mtsig_core.errors import format_count
from pages._sections import pair_sections, segments_sections
from pages._ui import caution_boxes, frame, screen, views

view = frame.open_page()
a, b, _ = views.choose_pair(view)
pair = pair_sections.examine_systems(view, a, b)
screen.answer(pair_sections.state_verdict(pair))
cautions = pair_sections.list_cautions(pair)
n_more = caution_boxes.show(cautions, "first", most=2)
if n_more:
    screen.faint(f"{format_count(n_more, 'more caveat')} under Other tests and intervals.")
if pair.identical:
    screen.end_page()
pair_sections.show_contradictions(pair)

left, right = st.columns(2)
with left:
    st.markdown("**How large is it?**")
    pair_sections.show_size(pair)
with right:
    st.markdown("**Could it be chance?**")
    pair_sections.show_chance(pair)

documents_tab, segments_tab, tests_tab, equivalence_tab, export_tab = pair_sections.open_tabs()
with documents_tab:
    pair_sections.show_documents(pair)
with segments_tab:
    segments_sections.show_most_in_favour(pair)
with tests_tab:
    if n_more:
        caution_boxes.show(cautions, "all")
    pair_sections.show_other_tests(pair)
with equivalence_tab:
    pair_sections.show_equivalence(pair)
with export_tab:
    pair_sections.show_card(pair)
