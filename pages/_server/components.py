"""Components of the browser: scripts in `assets`, some with HTML, all with the one style of the
pages.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

ASSETS = Path(__file__).resolve().parents[2] / "assets"
STYLE = ASSETS / "style.css"


@st.cache_resource
def component(name: str, html: str | None = None):
    """The component whose script is ``assets/components/NAME.js``."""
    return st.components.v2.component(
        f"mtsig_{name}",
        html=html,
        css=None if html is None else STYLE.read_text(encoding="utf-8"),
        js=(ASSETS / "components" / f"{name}.js").read_text(encoding="utf-8"),
    )


@st.cache_resource
def lecture_component(*scenes: str):
    """The stage of the lecture with the scenes of these names."""

    def read(*names):
        return "\n".join((ASSETS / "lecture" / name).read_text(encoding="utf-8") for name in names)

    return st.components.v2.component(
        "mtsig_lecture",
        css=read("stage.css"),
        js=read("stage.js", *(f"{name}.js" for name in scenes)),
    )
