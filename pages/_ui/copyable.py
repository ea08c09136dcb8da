"""Text to copy, such as a command. (With `st.code` a browser loads the grammars of 300 languages first, which takes
it longer than all that a page of this dashboard says.)"""

from __future__ import annotations

import streamlit as st

__all__ = ["command_box", "copyable"]

# The clipboard is there for https and this machine alone: elsewhere the text is marked, for Ctrl+C.
_SCRIPT = """
export default function({data, parentElement}) {
  const [label, text, button, told] = ['p', 'code', 'button', 'span'].map(name => parentElement.querySelector(name))
  const name = word => { button.textContent = word; button.ariaLabel = `${word}: ${data.label}` }
  label.textContent = data.label
  text.textContent = data.text
  text.parentElement.className = data.prose ? '' : 'code'
  name('Copy')
  button.onclick = async () => {
    getSelection().selectAllChildren(text)
    try { await navigator.clipboard.writeText(data.text) } catch {
      told.textContent = 'Marked: copy it with Ctrl+C'
      return
    }
    name('Copied')
    told.textContent = 'Copied'
    setTimeout(() => { name('Copy'); told.textContent = '' }, 2000)
  }
}
"""
_HTML = "<p></p><div><pre><code></code></pre><button type='button'>Copy</button></div><span role='status'></span>"
_STYLE = """
p {margin: 0 0 .25rem; font: .875rem var(--st-font); color: var(--st-text-color); opacity: .8}
div {position: relative}
pre {margin: 0; padding: .75rem 5rem .75rem .75rem; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5;
  font: .875rem var(--st-font); color: var(--st-text-color); background: var(--st-code-background-color);
  border-radius: var(--st-base-radius)}
pre.code {font-family: var(--st-code-font)}
code {font: inherit}
button {position: absolute; top: .4rem; right: .4rem; font: .8rem var(--st-font); color: var(--st-text-color);
  background: var(--st-background-color); border: 1px solid var(--st-border-color); padding: .2rem .5rem;
  border-radius: var(--st-button-radius); cursor: pointer}
button:hover, button:focus-visible {color: var(--st-primary-color); border-color: var(--st-primary-color)}
span {position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)}
"""


def copyable(text: str, key: str, label: str, *, prose: bool = False) -> None:
    """Draw a text as it is, below a label, with a button that copies it and is called by the label, which no other
    text of the page has. Prose has the font of the page; that of code is one more for a browser to load, and pictures
    that it has drawn by then it draws again."""
    _component()(data={"text": text, "label": label, "prose": prose}, key=key)


def command_box(line: str, key: str, prints: str) -> None:
    """A command line in a box of its own, and what it prints."""
    with st.expander("Command", key=f"{key}.box"):
        copyable(line, key, f"Command that prints {prints}")


@st.cache_resource
def _component():
    return st.components.v2.component("mtsig_copyable", html=f"<section>{_HTML}</section>", css=_STYLE, js=_SCRIPT)
