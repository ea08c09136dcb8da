"""Validation: do tests and intervals keep what they promise, on test sets drawn from this one?"""

import streamlit as st

from pages._ui import controls, frame, screen
from pages._ui.validation_sections import (
    show_conclusions,
    show_coverage,
    show_families,
    show_pair,
    show_type_one,
    show_units,
)

#: name -> (what it asks, what shows it in the columns beside the choice)
EXPERIMENTS = {
    "type-I error": ("How often does a test find a difference where there is none?", show_type_one),
    "documents or segments": ("Which conclusions change when documents are kept whole?", show_units),
    "conclusions": ("Do small test sets conclude what the large one does?", show_conclusions),
    "coverage": ("How often does an interval hold the score of the large test set?", show_coverage),
    "many comparisons": ("How likely is a false claim somewhere among many pairs?", show_families),
    "one pair, several metrics": ("Which metrics and tests call the same difference real?", show_pair)}

view = frame.open_page("Validation", experiment=True)
left, right = st.columns([1, 3])
with left:
    experiment = controls.choice("Experiment", list(EXPERIMENTS), "experiment")
question, show = EXPERIMENTS[experiment]
screen.plain(question)
show(view, right)
