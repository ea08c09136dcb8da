"""The frame of the dashboard: page settings, who may see it, navigation, test set and settings.

No statistics.
"""

from pathlib import Path

import streamlit as st

from pages._server import login

ASSETS = Path(__file__).with_name("assets")
st.set_page_config("mtsig", page_icon=str(ASSETS / "favicon.svg"), layout="wide")
st.logo(str(ASSETS / "logo.svg"), size="large")

if login.is_passed():
    from pages._ui import frame

    frame.draw()
    login.offer_logout()
