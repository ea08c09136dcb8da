"""One pair: how large the difference is, whether it could be chance, and where it comes from."""

import streamlit as st

from mtsig_core.errors import format_count
from pages._ui import caveats, frame, one_pair, screen, segment_sections
from pages._ui.screen import end_page

view = frame.open_page()
a, b, _ = one_pair.choose(view)
pair = one_pair.Pair(view, a, b, one_pair.examine(view, a, b))
screen.answer(one_pair.state_verdict(pair))
warnings = one_pair.list_warnings(pair)
if more := caveats.show(warnings, "first", most=2):
    screen.faint(f"{format_count(more, 'more caveat')} under Other tests and intervals.")
if pair.identical:
    end_page()
one_pair.show_contradictions(pair)

left, right = st.columns(2)
with left:
    st.markdown("**How large is it?**")
    one_pair.show_size(pair)
with right:
    st.markdown("**Could it be chance?**")
    one_pair.show_chance(pair)

documents, segments, tests, equal, card = one_pair.open_tabs()
with documents:
    one_pair.show_documents(view, pair.found, a, b)
with segments:
    segment_sections.show_most_in_favour(view, pair.found, a, b)
with tests:
    if more:
        caveats.show(warnings, "all")
    one_pair.show_other_tests(pair)
with equal:
    one_pair.show_equivalence(pair.found)
with card:
    one_pair.show_card(view, a, b)
