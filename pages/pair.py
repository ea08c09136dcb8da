"""One pair: how large is the difference, could it be chance, and where does it come from."""

import streamlit as st

from mtsig_core.errors import format_count
from pages._sections import pair_sections, segments_sections
from pages._ui import browser, caution_boxes, frame, screen, views

view = frame.open_page()
a, b, _ = views.choose_pair(view, columns=None)
pair = pair_sections.examine_systems(view, a, b)
files_place = browser.export_box("pair")
pair_sections.show_verdict(pair)
cautions = pair_sections.list_cautions(pair)
n_more = caution_boxes.show(cautions, "first", most=2)
if n_more:
    screen.faint(f"{format_count(n_more, 'more caveat')} under Other tests and intervals.")
if pair.identical:
    screen.end_page()
pair_sections.show_unlike(pair)

left, right = st.columns(2)
with left:
    st.subheader("How large is it?")
    pair_sections.show_size(pair)
with right:
    st.subheader("Could it be chance?")
    pair_sections.show_chance(pair)

if pair_sections.asks_for_summary(files_place):
    pair_sections.show_summary(pair, files_place)
    screen.end_page()
opened, tabs = pair_sections.open_tabs(pair)
if "Documents" in tabs:
    with tabs["Documents"]:
        pair_sections.show_documents(pair)
if "Segments" in tabs:
    with tabs["Segments"]:
        segments_sections.show_most_in_favour(pair)
if opened == pair_sections.BREAKDOWN:
    with tabs[opened]:
        pair_sections.show_breakdown(pair)
with tabs["Other tests and intervals"]:
    if n_more:
        caution_boxes.show(cautions, "all")
    pair_sections.show_other_tests(pair)
if "Equivalence" in tabs:
    with tabs["Equivalence"]:
        pair_sections.show_equivalence(pair)
