"""Can I trust the test: six questions, answered by simulation from the test set."""

import streamlit as st

from pages._sections import questions
from pages._sections.trust_sections import (
    show_calibration,
    show_claims,
    show_coverage,
    show_power,
    show_type_one,
    show_units,
)
from pages._ui import controls, frame

#: What answers each question of `questions.toml`, by its name.
ANSWERS = {
    "False alarms": show_type_one,
    "Coverage": show_coverage,
    "Many comparisons": show_claims,
    "Units": show_units,
    "Calibration": show_calibration,
    "Power": show_power,
}

view = frame.open_page(experiment=True)
with st.container(key="cards"):
    name = controls.steps(
        "Question", list(ANSWERS), "experiment", "False alarms", label_visibility="collapsed"
    )
ANSWERS[name](view, questions.ask(name))
