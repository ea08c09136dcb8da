"""What runs in the browser: a secret that tells who it is, text to copy, pictures as PNG, a page's top."""

from __future__ import annotations

import re
import secrets

import streamlit as st

from pages._ui import address

_COOKIE = "mtsig_browser"
_ME = "browser.me"

# The cookie that is there stays, as when two tabs ask at once; Python hears which it is.
_OWNER_SCRIPT = f"""
export default function({{data, setStateValue}}) {{
  const found = document.cookie.match(/(?:^|; ){_COOKIE}=([\\w-]{{20,64}})(?:;|$)/)
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const value = found ? found[1] : data
  document.cookie = `{_COOKIE}=${{value}}; Max-Age=34560000; Path=/; SameSite=Lax${{secure}}`
  if (value !== data) setStateValue('known', value)
}}
"""


def find_owner(*, make: bool = False) -> str | None:
    """The secret of this browser; None where it has none yet, unless one is to be made."""
    state = st.session_state
    if _ME not in state:
        state[_ME] = _sound(st.context.cookies.get(_COOKIE))
    if state[_ME] is None and make:
        state[_ME] = secrets.token_urlsafe(24)
    return state[_ME]


def remember() -> None:
    """Have the browser keep its secret, on the page where there is something to keep."""
    me = find_owner(make=True)
    known = _sound(_owner_component()(data=me, key="browser.cookie", on_known_change=lambda: None).known)
    if known is not None:
        st.session_state[_ME] = known


@st.cache_resource
def _owner_component():
    return st.components.v2.component("mtsig_browser", js=_OWNER_SCRIPT)


def _sound(text) -> str | None:
    return text if isinstance(text, str) and re.fullmatch(r"[\w-]{20,64}", text, re.ASCII) else None


# Text to copy. With `st.code` a browser loads the grammars of 300 languages first, longer than all else takes.

# The clipboard is there for https and this machine alone: elsewhere the text is marked, for Ctrl+C.
_COPY_SCRIPT = """
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
_COPY_STYLE = """
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
    _copy_component()(data={"text": text, "label": label, "prose": prose}, key=key)


def command_box(line: str, key: str, prints: str) -> None:
    """A command line in a box of its own, and what it prints."""
    with st.expander("Command", key=f"{key}.box"):
        copyable(line, key, f"Command that prints {prints}")


@st.cache_resource
def _copy_component():
    return st.components.v2.component("mtsig_copyable", html=f"<section>{_HTML}</section>", css=_COPY_STYLE,
                                      js=_COPY_SCRIPT)


# An SVG picture saved as PNG: drawn by the browser, so that nothing more has to be installed.

_MOST = 16_000  # pixels of a side, as large as every browser can draw
# Twice as sharp as the screen, or as large as that. On white: SVG has no ground of its own.
_PICTURE_SCRIPT = """
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
_PICTURE_STYLE = """
button {font: .875rem var(--st-font); color: var(--st-text-color); cursor: pointer; min-height: 2.5rem;
  background: var(--st-background-color); border: 1px solid var(--st-border-color); padding: .25rem .75rem;
  border-radius: var(--st-button-radius)}
button:hover, button:focus-visible {color: var(--st-primary-color); border-color: var(--st-primary-color)}
"""


def png_button(label: str, svg: str, file: str, key: str) -> None:
    """A button that saves an SVG picture, whole and on white, as the PNG `file`."""
    _picture_component()(data={"label": label, "svg": svg, "file": file, "most": _MOST}, key=key, width="content")


@st.cache_resource
def _picture_component():
    return st.components.v2.component("mtsig_picture", html='<button type="button"></button>', css=_PICTURE_STYLE,
                                      js=_PICTURE_SCRIPT)


_TOP_SCRIPT = """
let seen
export default function({data: {page, opened}}) {
  const another = seen && seen.page !== page
  if (another) document.querySelector('[data-testid=stMain]')?.scrollTo(0, 0)
  const side = document.querySelector('[data-testid=stSidebar]')
  if ((another || seen && seen.opened !== opened) && innerWidth < 768 && side?.getBoundingClientRect().right > 0)
    side.querySelector('[data-testid=stSidebarCollapseButton] button')?.click()
  seen = {page, opened}
}
"""


def show_page_top(page: str) -> None:
    """Draw what scrolls up when `page` is another than that of the run before. Then, and for another test set or task,
    the sidebar closes where it lies over the page."""
    opened = [address.peek(key) for key in ("testset", "shared_task")]
    _top_component()(data={"page": page, "opened": " ".join(filter(None, opened))}, key="page_top")


@st.cache_resource
def _top_component():
    return st.components.v2.component("mtsig_page_top", js=_TOP_SCRIPT)
