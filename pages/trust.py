"""Can I trust the test? Six questions about tests and intervals, answered by simulation from the test set."""

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

#: name -> (its question, what answers it, what links called it before)
QUESTIONS = {
    "False alarms": ("How often does a test find a difference that is not there?", show_type_one, "type-I error"),
    "Coverage": ("How often does an interval contain the true score?", show_coverage, "coverage"),
    "Many comparisons": ("What happens when many pairs are tested?", show_claims, "many comparisons"),
    "Units": ("Do documents change what is significant?", show_units, "documents or segments"),
    "Calibration": ("How often is a significant result right?", show_calibration, "calibration"),
    "Power": ("How often does a small test set find a difference?", show_power, "conclusions")}

view = frame.open_page(experiment=True)
former = {was: name for name, (_, _, was) in QUESTIONS.items()}
with st.container(key="cards"):
    name = controls.steps("Question", list(QUESTIONS), "experiment", "False alarms", former=former,
                          captions=[question for question, *_ in QUESTIONS.values()], label_visibility="collapsed")
QUESTIONS[name][1](view)
