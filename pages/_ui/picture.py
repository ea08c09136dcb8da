"""A picture that is SVG, to take away as PNG: drawn by the browser, so that nothing more has to be installed."""

from __future__ import annotations

import streamlit as st

__all__ = ["png_button"]

_MOST = 16_000  # pixels of a side, as large as every browser can draw
# Twice as sharp as the screen, or as large as that. On white: SVG has no ground of its own.
_SCRIPT = """
export default function({data, parentElement}) {
  const button = parentElement.querySelector('button')
  button.textContent = data.label
  button.onclick = async () => {
    const url = URL.createObjectURL(new Blob([data.svg], {type: 'image/svg+xml'}))
    const image = new Image()
    image.src = url
    await image.decode()
    const scale = Math.min(2, data.most / Math.max(image.naturalWidth, image.naturalHeight))
    const canvas = document.createElement('canvas')
    canvas.width = Math.ceil(image.naturalWidth * scale)
    canvas.height = Math.ceil(image.naturalHeight * scale)
    const pen = canvas.getContext('2d')
    pen.fillStyle = '#FFFFFF'
    pen.fillRect(0, 0, canvas.width, canvas.height)
    pen.drawImage(image, 0, 0, canvas.width, canvas.height)
    URL.revokeObjectURL(url)
    const link = document.createElement('a')
    link.href = canvas.toDataURL('image/png')
    link.download = data.file
    link.click()
  }
}
"""
_STYLE = """
button {font: .875rem var(--st-font); color: var(--st-text-color); cursor: pointer; min-height: 2.5rem;
  background: var(--st-background-color); border: 1px solid var(--st-border-color); padding: .25rem .75rem;
  border-radius: var(--st-button-radius)}
button:hover, button:focus-visible {color: var(--st-primary-color); border-color: var(--st-primary-color)}
"""


def png_button(label: str, svg: str, file: str, key: str) -> None:
    """A button that saves an SVG picture, whole and on white, as the PNG `file`."""
    _component()(data={"label": label, "svg": svg, "file": file, "most": _MOST}, key=key, width="content")


@st.cache_resource
def _component():
    return st.components.v2.component("mtsig_picture", html='<button type="button"></button>', css=_STYLE, js=_SCRIPT)
