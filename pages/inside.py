"""Inside a score: its parts, and why a mean of sentence scores is not the corpus score."""

from dataclasses import replace

import streamlit as st

from pages._sections import inside_sections, questions
from pages._ui import frame, screen
from pages._ui.screen import end_page

view = frame.open_page(experiment=True)
if view.testset.runs:
    screen.error(
        "This page cannot show training runs. Open a test set with one output per system, or see Summary and One "
        "pair."
    )
    end_page()
question = questions.ask("inside")
system = inside_sections.choose_system(view)
has_texts = view.testset.has_texts
# A mean of segment scores, such as human scores, has no corpus score to compare it with; BLEU has.
corpus_view = view
if view.metric in view.testset.scores and view.testset.references:
    corpus_view = replace(view, metric="bleu")
averages_place = st.container()
if has_texts:
    averages_place, precisions_place = st.columns(2, gap="medium")
    with precisions_place, screen.or_without():
        inside_sections.show_precisions(view, system)
averages = None
with averages_place, screen.or_without():
    averages = inside_sections.show_averages(corpus_view, question)

tab, places = inside_sections.open_tabs("inside", has_texts)
with places[tab], screen.or_without():
    if tab != "sentence average":
        inside_sections.SHOW[tab](view, system)
    elif averages is not None:
        inside_sections.show_case(corpus_view, *averages)
