"""The address of a page holds all that was chosen: a link opens it again, and Back undoes one choice at a time."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping

import streamlit as st

from pages._server.components import component
from pages._server.internals import by_history
from pages._ui.catalogue import PAGES

_KEPT = "address.kept"  # what was chosen, as the address says it: {key: texts}
_SHOWN = "address.shown"  # what each control was last set to
_DRAWN = "address.drawn"  # what the controls of this run add to the address; None where they are as usual
_PAGES_OWN = "address.pages_own"  # keys that are forgotten as soon as another page is opened
_LINKED = "address.linked"  # keys that stood in the links between pages, as these were drawn on this page
_LINK = "address.link"  # what the link asked that the session began with, until a control has seen it
_COMPLAINTS = "address.complaints"
_PAGE = "address.page"
_OF_SETS = "address.of_sets"  # what was chosen for a test set alone, by the set's content
_AWAITED = "address.awaited"  # the set opened last, where the browser may yet tell what had been chosen for it
_NOTHING = object()
SEEN = "digest"  # says what content was seen; no choice
_WHOLE = "review"  # page and key of a link to what has all its settings in itself: where it stands, it stands alone


class Partly(ValueError):
    """Some of what the address asks is not available; `rest` is what is."""

    def __init__(self, refused: str, rest: object):
        super().__init__(refused)
        self.rest = rest


def begin(page: str) -> None:
    """Start a run of a page: a link, or Back, says all anew; else the session knows."""
    state, arrived = st.session_state, {key: st.query_params.get_all(key) for key in st.query_params}
    first = _KEPT not in state
    if first:
        state[_SHOWN], state[_COMPLAINTS], state[_OF_SETS], state[_LINK] = {}, {}, {}, dict(arrived)
        state[_PAGES_OWN], state[_LINKED] = set(), set()
    if first or by_history():
        state[_KEPT] = arrived if first or _WHOLE not in arrived else {**state[_KEPT], **arrived}
    elif page != state[_PAGE]:
        for key in {_WHOLE, *state[_PAGES_OWN]}:
            state[_KEPT].pop(key, None)
            state[_SHOWN].pop(key, None)
            state.pop(key, None)
        # What a link within the product asks of the page that it opens. Of the rest the session knows better: a click
        # may come before the browser has heard of the last change.
        state[_KEPT].update({key: texts for key, texts in arrived.items()
                             if key not in state[_KEPT] and key not in state[_LINKED]})
    if not first and page != state[_PAGE]:
        state[_PAGES_OWN], state[_LINKED] = set(), set()
        state[_COMPLAINTS] = {text: True for text, seen in state[_COMPLAINTS].items() if not seen}
    state[_PAGE], state[_DRAWN] = page, {}


def settle(key: str, usual: object, read: Callable[[list[str]], object], write: Callable[[object], list[str]], *,
           pages_own: bool = False, always: bool = False):
    """What a control is to show; puts it into the session, from where the control takes it.

    `usual` is what it shows when nothing was chosen, which does not stand in the address, unless a choice `always`
    does: it may be another on another page. `read` makes a value of what the address says, and raises ValueError (or
    `Partly`) for what is not available; `write` says a value. What is the page's own is forgotten when another page is
    opened.
    """
    state = st.session_state
    if key in state and state[key] != state[_SHOWN].get(key, _NOTHING):  # the user changed it, or a callback
        keep(key, None if state[key] == usual and not always else write(state[key]))
        state[_LINK].pop(key, None)
        if page() != _WHOLE:  # Streamlit writes what it opens under the page that it leaves, to where Back leads
            keep(_WHOLE, None)
    value, wish = usual, state[_KEPT].get(key)
    if wish is not None:
        try:
            value = read(wish)
        except ValueError as refused:
            value = getattr(refused, "rest", usual)
            if state[_LINK].get(key) == wish:
                instead = "it is ignored" if value != usual or usual in (None, "", []) else \
                    "using the default"
                state[_COMPLAINTS].setdefault(
                    f"The link asks for {key}={refused}, which is not available here; {instead}.", False)
    state[_LINK].pop(key, None)
    state[key] = value  # also where it is so already: other options make another control, which would not know
    state[_SHOWN][key] = value
    state[_DRAWN][key] = None if value == usual and not (always and wish is not None) else write(value)
    if pages_own:
        state[_PAGES_OWN].add(key)
    return value


def asked(key: str) -> str | None:
    """What the address says of a key, if anything."""
    texts = st.session_state[_KEPT].get(key)
    return texts[-1] if texts else None


def peek(key: str) -> str | None:
    """What a control that this run has not drawn yet will show, as the address would say it."""
    state = st.session_state
    return str(state[key]) if key in state and state[key] != state[_SHOWN].get(key, _NOTHING) else asked(key)


def own(key: str) -> None:
    """Have a key forgotten when another page is opened."""
    st.session_state[_PAGES_OWN].add(key)


def page() -> str:
    """The page of this run."""
    return st.session_state[_PAGE]


def keep(key: str, texts: list[str] | None) -> None:
    """Set what the address is to say of a key; None for nothing."""
    if texts is None:
        st.session_state[_KEPT].pop(key, None)
    else:
        st.session_state[_KEPT][key] = list(texts)


def switched_set(old: str, new: str, belongs: Callable[[str, list[str]], bool]) -> None:
    """Put aside what was chosen for one test set alone, and take out again what was chosen for the other before.

    Parameters
    ----------
    old, new : str
        The content of the sets.
    belongs : callable
        (key, what the address says of it) -> whether it holds for the old one alone.
    """
    state = st.session_state
    state[_OF_SETS][old] = {key: texts for key, texts in state[_KEPT].items() if belongs(key, texts)}
    for key in state[_OF_SETS][old]:
        del state[_KEPT][key]
    state[_AWAITED] = None if new in state[_OF_SETS] else new
    state[_KEPT].update(state[_OF_SETS].get(new, {}))
    state[_LINK], state[_COMPLAINTS] = {}, {}


def take_aside(told: object) -> bool:
    """Put aside what the browser tells, as an earlier session gave it: {content: {key: what the address says of it}};
    what this session has stays.

    Returns whether some of it holds for the set that is open, which was opened before the browser told.
    """
    state = st.session_state
    if not isinstance(told, dict) or not all(isinstance(keys, dict) for keys in told.values()):
        return False
    sound = {content: {key: [str(text) for text in texts] for key, texts in keys.items() if isinstance(texts, list)}
             for content, keys in told.items()}
    state[_OF_SETS] = sound | state[_OF_SETS]
    late = sound.get(state.pop(_AWAITED, None), {})
    state[_KEPT].update(late)
    return bool(late)


def complaints() -> list[str]:
    """What the link asked in vain; said on the page where it was found, until another is opened."""
    said = st.session_state[_COMPLAINTS]
    said.update(dict.fromkeys(said, True))
    return list(said)


def write() -> None:
    """Put what was chosen into the address, in one step of the history; none where no choice is missing there."""
    query, stands = _alone(_query()), _alone({key: st.query_params.get_all(key) for key in st.query_params})
    if query != {key: query[key] for key in [SEEN] if key in query} | stands:
        st.query_params.from_dict(query)


def link(name: str, label: str, *, icon: str = ":material/arrow_forward:", help: str | None = None, **asks: str
         ) -> None:
    """A link to the page of that name that keeps what was chosen, and asks more of it."""
    query = elsewhere(asks)
    st.session_state[_LINKED] |= query.keys() - asks.keys()
    st.page_link(PAGES[name].file, label=label, icon=icon, help=help, query_params=query)


def go(name: str, **asks: str | list[str] | None) -> None:
    """Open a page now, with what was chosen, and ask more of it; None asks for what is usual there."""
    for key, text in asks.items():
        keep(key, [text] if isinstance(text, str) else text)
        st.session_state[_SHOWN][key] = st.session_state.get(key)  # what is on screen is no choice of the user's
    st.switch_page(PAGES[name].file, query_params=_alone(elsewhere(asks)))


def _alone(query: dict[str, list[str]]) -> dict[str, list[str]]:
    """Without all else, where there is a link to the whole."""
    return {_WHOLE: query[_WHOLE]} if _WHOLE in query else query


def _query() -> dict[str, list[str]]:
    """The address of this page; what is not drawn, as where the page waits, stays in it."""
    query = {**st.session_state[_KEPT], **st.session_state[_DRAWN]}
    return {key: texts for key, texts in query.items() if texts is not None}


def elsewhere(asks: Mapping[str, str | list[str] | None]) -> dict[str, list[str]]:
    """The address of another page: what was chosen, and what more is asked of it."""
    kept = {key: texts for key, texts in _query().items() if key not in {_WHOLE, *st.session_state[_PAGES_OWN]}}
    asked = {key: [text] if isinstance(text, str) else text for key, text in asks.items()}
    return {key: texts for key, texts in {**kept, **asked}.items() if texts is not None}


# The browser keeps over a reload what was chosen for test sets that are not open now.

_SESSION = "aside.session"


def keep_in_browser(along: dict[str, str | None]) -> None:
    """Have the tab keep what the session has put aside, and hear what an earlier session of the tab had; and add to its
    address what stands `along` there."""
    session = st.session_state.setdefault(_SESSION, secrets.token_hex(4))
    kept = component("aside")(data={"session": session, "sets": st.session_state[_OF_SETS], "along": along},
                              key="aside", on_kept_change=lambda: None).kept
    if kept is not None and take_aside(kept):
        st.rerun()

