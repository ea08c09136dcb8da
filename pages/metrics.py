"""Metrics: what is inside a score, what moves it, what a mean of sentence scores is not, and which metric to trust."""

import streamlit as st

from pages._ui import controls, frame, screen
from pages._ui.metrics_sections import (
    show_agreement,
    show_averages,
    show_domains,
    show_example,
    show_lengths,
    show_precisions,
    show_signatures,
    show_students_t,
)
from pages._ui.screen import end_page

_VIEWS = {"n-gram precisions": show_precisions, "output length": show_lengths, "step by step": show_example,
          "sentence average": show_averages, "Student's t": show_students_t, "signatures": show_signatures,
          "which metric to trust": show_agreement, "by domain": show_domains}
_BY_METRIC = ("Student's t", "by domain", "which metric to trust", "sentence average")  # others: BLEU, so texts

view = frame.open_page("Metrics", experiment=True)
if view.testset.runs:
    screen.error("What is inside a score is not shown of training runs yet. Open a test set that has one output of "
                 "each system; Leaderboard and Pair show all runs.")
    end_page()
first, *places = st.columns(4)
with first:
    chosen = controls.choice("Look at", tuple(_VIEWS) if view.testset.has_texts else _BY_METRIC, "inside")
if chosen not in _BY_METRIC and view.metric != "bleu":
    screen.plain(f"This view is about BLEU, whatever the metric in the sidebar ({view.metric}).")
_VIEWS[chosen](view, places)
