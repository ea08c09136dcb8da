"""Methods: the method in use, then every method with its formula, source and caution."""

import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.report.sentences import describe_methods
from pages._sections.methods_sections import SHOW
from pages._ui import controls, frame, screen
from pages._ui.browser import command_box

view = frame.take_view()
if not isinstance(view, MtsigError):
    st.header("The method in use")
    try:
        screen.plain(describe_methods(view.comparison, view.metric))
    except MtsigError as problem:
        screen.error(problem)
    command_box(view.command(), "methods.command", "the comparison with these settings")
st.caption(
    "To cite the method, name the test, the unit, the number of permutations or resamples, and the correction. "
    "The signature contains all of them. Cite the source of the test below, and Post (2018) "
    "for sacreBLEU's scores."
)
st.header("All methods")
title, places = controls.tabs(list(SHOW))
with places[title]:
    SHOW[title](view)
