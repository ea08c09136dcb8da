"""Text to copy, such as a command. (With `st.code` a browser loads the grammars of 300 languages first, which takes
it longer than all that a page of this dashboard says.)"""

from __future__ import annotations

import streamlit as st

__all__ = ["copyable"]

# The clipboard is there for https and this machine alone: elsewhere the text is marked, for Ctrl+C.
_SCRIPT = """
export default function({data, parentElement}) {
  const text = parentElement.querySelector('code'), button = parentElement.querySelector('button')
  text.textContent = data
  button.onclick = async () => {
    getSelection().selectAllChildren(text)
    try { await navigator.clipboard.writeText(data) } catch { return }
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 2000)
  }
}
"""
_HTML = "<pre><code></code></pre><button type='button'>Copy</button>"
_STYLE = """
div {position: relative}
pre {margin: 0; padding: .75rem 5rem .75rem .75rem; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5;
  font: .875rem var(--st-code-font); color: var(--st-text-color); background: var(--st-code-background-color);
  border-radius: var(--st-base-radius)}
code {font: inherit}
button {position: absolute; top: .4rem; right: .4rem; font: .8rem var(--st-font); color: var(--st-text-color);
  background: var(--st-background-color); border: 1px solid var(--st-border-color); padding: .2rem .5rem;
  border-radius: var(--st-button-radius); cursor: pointer}
button:hover, button:focus-visible {color: var(--st-primary-color); border-color: var(--st-primary-color)}
"""


def copyable(text: str, key: str) -> None:
    """Draw a text as it is, with a button that copies it."""
    _component()(data=text, key=key)


@st.cache_resource
def _component():
    return st.components.v2.component("mtsig_copyable", html=f"<div>{_HTML}</div>", css=_STYLE, js=_SCRIPT)
