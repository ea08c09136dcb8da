"""Can I trust the test: six questions, answered by simulation from the test set."""

import streamlit as st

from pages._sections.trust_sections import (
    show_calibration,
    show_claims,
    show_coverage,
    show_power,
    show_type_one,
    show_units,
)
from pages._ui import controls, frame

#: name -> (its question, what answers it)
QUESTIONS = {
    "False alarms": ("How often does a test find a difference that is not there?", show_type_one),
    "Coverage": ("How often does an interval contain the true score?", show_coverage),
    "Many comparisons": ("What happens when many pairs are tested?", show_claims),
    "Units": ("Do documents change what is significant?", show_units),
    "Calibration": ("How often is a significant result right?", show_calibration),
    "Power": ("How often does a small test set find a difference?", show_power),
}

view = frame.open_page(experiment=True)
with st.container(key="cards"):
    name = controls.steps(
        "Question",
        list(QUESTIONS),
        "experiment",
        "False alarms",
        captions=[question for question, _ in QUESTIONS.values()],
        label_visibility="collapsed",
    )
QUESTIONS[name][1](view)
