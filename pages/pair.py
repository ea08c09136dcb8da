"""One pair: how large the difference is, whether it could be chance, and where it comes from."""

import streamlit as st

from mtsig_core.errors import format_count
from pages._sections import pair_sections, segments_sections
from pages._ui import caveats, frame, screen, views
from pages._ui.screen import end_page

view = frame.open_page()
a, b, _ = views.choose_pair(view)
pair = pair_sections.Pair(view, a, b, pair_sections.examine(view, a, b))
screen.answer(pair_sections.state_verdict(pair))
warnings = pair_sections.list_warnings(pair)
if more := caveats.show(warnings, "first", most=2):
    screen.faint(f"{format_count(more, 'more caveat')} under Other tests and intervals.")
if pair.identical:
    end_page()
pair_sections.show_contradictions(pair)

left, right = st.columns(2)
with left:
    st.markdown("**How large is it?**")
    pair_sections.show_size(pair)
with right:
    st.markdown("**Could it be chance?**")
    pair_sections.show_chance(pair)

documents, segments, tests, equal, card = pair_sections.open_tabs()
with documents:
    pair_sections.show_documents(view, pair.found, a, b)
with segments:
    segments_sections.show_most_in_favour(view, pair.found, a, b)
with tests:
    if more:
        caveats.show(warnings, "all")
    pair_sections.show_other_tests(pair)
with equal:
    pair_sections.show_equivalence(pair.found)
with card:
    pair_sections.show_card(view, a, b)
