"""Inside a score: its parts, and why a mean of sentence scores is not the corpus score."""

from dataclasses import replace

import streamlit as st

from pages._sections import inside_sections
from pages._ui import frame, screen
from pages._ui.screen import end_page

view = frame.open_page(experiment=True)
if view.testset.runs:
    screen.error(
        "This page cannot show training runs yet. Open a test set that has one output of each system; Summary "
        "and One pair show all runs."
    )
    end_page()
system = inside_sections.choose_system(view)
found = None
# A mean of segment scores, such as human scores, has no corpus score beside it: then BLEU has, as
# on the left.
summed = (
    replace(view, metric="bleu")
    if view.metric in view.testset.scores and view.testset.references
    else view
)
left, right = st.columns(2, gap="medium") if view.testset.has_texts else (None, st.container())
if left is not None:
    with left, screen.or_without():
        inside_sections.show_precisions(view, system)
with right, screen.or_without():
    found = inside_sections.show_averages(summed)

tab, places = inside_sections.open_tabs("inside", view.testset.has_texts)
with places[tab], screen.or_without():
    if tab != "sentence average":
        inside_sections.SHOW[tab](view, system)
    elif found is not None:
        inside_sections.show_case(summed, *found)
