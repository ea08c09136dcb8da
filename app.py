"""The frame of the dashboard: page settings, who may see it, navigation, test set and settings. No statistics."""

import gc
from pathlib import Path

import streamlit as st

from pages._ui import login

ASSETS = Path(__file__).with_name("assets")
st.set_page_config("mtsig", page_icon=str(ASSETS / "favicon.svg"), layout="wide")
st.logo(str(ASSETS / "logo.svg"), size="large")


@st.cache_resource
def _settle_memory():
    """What the imports left is kept for good: without this, each rerun spends 80 ms looking through it."""
    gc.collect()
    gc.freeze()


if login.passed():
    from pages._ui import frame  # of no use before

    _settle_memory()
    frame.draw()
    login.offer_end()
