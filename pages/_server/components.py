"""Browser components: scripts from `assets`, some with HTML, in the style of the pages."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

ASSETS = Path(__file__).resolve().parents[2] / "assets"
STYLE = ASSETS / "style.css"


@st.cache_resource
def component(name: str, html: str | None = None):
    """Return the component whose script is ``assets/components/NAME.js``."""
    style = None
    if html is not None:
        style = _read(STYLE)
    script = _read(ASSETS / "components" / f"{name}.js")
    return st.components.v2.component(f"mtsig_{name}", html=html, css=style, js=script)


@st.cache_resource
def lecture_component(*scenes: str):
    """Return the stage of the lecture with the scenes of these names."""
    folder = ASSETS / "lecture"
    scripts = [_read(folder / f"{name}.js") for name in ("stage", "room", *scenes)]
    style = _read(folder / "stage.css")
    return st.components.v2.component("mtsig_lecture", css=style, js="\n".join(scripts))


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")
