"""Metrics and domains: do metrics and domains agree, and which metric to trust."""

import streamlit as st

from pages._sections import metrics_sections
from pages._ui import address, controls, frame, screen

view = frame.open_page()
screen.cautions(
    caution for caution in view.comparison.warnings if caution.kind.concern in ("files", "scores")
)
tabs = metrics_sections.list_tabs(view)
address.own("inside")
tab = next(iter(tabs), "metrics")
places = {}
if len(tabs) > 1:
    tab, places = controls.tabs(tabs, "inside")
with places.get(tab, st.container()), screen.or_without():
    if tab == "metrics":
        metrics_sections.show_decisions(view)
    elif tab == "by domain":
        metrics_sections.show_domains(view)
    else:
        metrics_sections.show_agreement(view)
metrics_sections.offer_more(view)
