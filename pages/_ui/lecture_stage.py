"""The stage of the lecture: one component of plain JavaScript for all scenes."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

__all__ = ["component"]

_ASSETS = Path(__file__).resolve().parents[2] / "assets" / "lecture"


@st.cache_resource
def component(*scenes: str):
    """The stage with the scenes of these names."""
    def read(*names):
        return "\n".join((_ASSETS / name).read_text(encoding="utf-8") for name in names)

    return st.components.v2.component("mtsig_lecture", css=read("stage.css"), js=read(
        "stage.js", *(f"{name}.js" for name in scenes)))
