"""The address of a page holds every choice: a link restores them all, and Back undoes one at a
time.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping

import streamlit as st

from pages._server.components import component
from pages._server.internals import by_history
from pages._ui.catalogue import PAGES

_KEPT = "address.kept"  # the choices as the address writes them: {key: texts}
_SHOWN = "address.shown"  # what each control was last set to
_DRAWN = "address.drawn"  # what the controls of this run add to the address; None for a default
_PAGES_OWN = "address.pages_own"  # keys that are forgotten when another page opens
_LINKED = "address.linked"  # keys in the links that this page drew
_LINK = "address.link"  # what the first link of the session asked, until a control reads it
_COMPLAINTS = "address.complaints"
_PAGE = "address.page"
_OF_SETS = "address.of_sets"  # choices that belong to one test set, by its content
_AWAITED = "address.awaited"  # the set opened last, while the browser may still send its choices
_NOTHING = object()
SEEN = "digest"  # which content was seen; not a choice
# page and key of a review, which has its own settings: beside it go only keys of its page
_WHOLE = "review"


class Partly(ValueError):
    """Part of what the address asks is not available; `rest` is the part that is."""

    def __init__(self, refused: str, rest: object):
        super().__init__(refused)
        self.rest = rest


def begin(page: str) -> None:
    """Start a run of a page. After a link or Back the address decides, otherwise the session."""
    state, arrived = (
        st.session_state,
        {key: st.query_params.get_all(key) for key in st.query_params},
    )
    first = _DRAWN not in state  # what is set last: a run that another breaks off may set only some
    if first:
        state[_SHOWN], state[_COMPLAINTS], state[_OF_SETS], state[_LINK] = {}, {}, {}, dict(arrived)
        state[_PAGES_OWN], state[_LINKED] = set(), set()
    if first or by_history():
        is_review = _WHOLE in arrived and not first
        others = (
            state[_KEPT] if is_review else {}
        )  # of the other pages, which the address of a review does not have
        state[_KEPT] = {
            key: texts for key, texts in others.items() if key not in state[_PAGES_OWN]
        } | arrived
    elif page != state[_PAGE]:
        for key in {_WHOLE, *state[_PAGES_OWN]}:
            state[_KEPT].pop(key, None)
            state[_SHOWN].pop(key, None)
            state.pop(key, None)
        # Take what a link of ours asks of the page it opens. The session is ahead of the address in
        # everything else: a click may come before the browser has the last change.
        state[_KEPT].update(
            {
                key: texts
                for key, texts in arrived.items()
                if key not in state[_KEPT] and key not in state[_LINKED]
            }
        )
    if not first and page != state[_PAGE]:
        state[_PAGES_OWN], state[_LINKED] = set(), set()
        state[_COMPLAINTS] = {text: True for text, seen in state[_COMPLAINTS].items() if not seen}
    state[_PAGE], state[_DRAWN] = page, {}


def settle(
    key: str,
    usual: object,
    read: Callable[[list[str]], object],
    write: Callable[[object], list[str]],
    *,
    pages_own: bool = False,
    always: bool = False,
):
    """Return the value of a control and put it into the session, where the control reads it.

    `usual` is the default. The address omits it, except with `always`, for a default that differs
    between pages. `read` turns texts of the address into a value and raises ValueError (or
    `Partly`) for what is not available; `write` does the reverse. With `pages_own` the choice is
    forgotten when another page opens.
    """
    state = st.session_state
    if key in state and state[key] != state[_SHOWN].get(
        key, _NOTHING
    ):  # the user or a callback changed it
        keep(key, None if state[key] == usual and not always else write(state[key]))
        state[_LINK].pop(key, None)
        if (
            page() != _WHOLE
        ):  # Streamlit has written the new query under the old page, where Back leads
            keep(_WHOLE, None)
    value, wish = usual, state[_KEPT].get(key)
    if wish is not None:
        try:
            value = read(wish)
        except ValueError as refused:
            value = getattr(refused, "rest", usual)
            if state[_LINK].get(key) == wish:
                instead = (
                    "it is ignored"
                    if value != usual or usual in (None, "", [])
                    else "using the default"
                )
                state[_COMPLAINTS].setdefault(
                    f"The link asks for {key}={refused}, which is not available here; {instead}.",
                    False,
                )
    state[_LINK].pop(key, None)
    state[key] = (
        value  # even if unchanged: new options make a new control, which starts from the session
    )
    state[_SHOWN][key] = value
    state[_DRAWN][key] = (
        None if value == usual and not (always and wish is not None) else write(value)
    )
    if pages_own:
        state[_PAGES_OWN].add(key)
    return value


def asked(key: str) -> str | None:
    """Return the last text of a key in the address, or None."""
    texts = st.session_state[_KEPT].get(key)
    return texts[-1] if texts else None


def peek(key: str) -> str | None:
    """Return what a control will show that this run has not drawn yet, as the address writes it."""
    state = st.session_state
    return (
        str(state[key])
        if key in state and state[key] != state[_SHOWN].get(key, _NOTHING)
        else asked(key)
    )


def own(key: str) -> None:
    """Forget a key when another page opens."""
    st.session_state[_PAGES_OWN].add(key)


def page() -> str:
    """Return the page of this run."""
    return st.session_state[_PAGE]


def keep(key: str, texts: list[str] | None) -> None:
    """Set the texts of a key in the address; None removes it."""
    if texts is None:
        st.session_state[_KEPT].pop(key, None)
    else:
        st.session_state[_KEPT][key] = list(texts)


def switched_set(old: str, new: str, belongs: Callable[[str, list[str]], bool]) -> None:
    """Keep the choices that belong to the old test set, and restore those made for the new one.

    `old` and `new` are digests of content; `belongs(key, texts)` tells whether a choice holds only
    for the old set.
    """
    state = st.session_state
    state[_OF_SETS][old] = {
        key: texts for key, texts in state[_KEPT].items() if belongs(key, texts)
    }
    for key in state[_OF_SETS][old]:
        del state[_KEPT][key]
    state[_AWAITED] = None if new in state[_OF_SETS] else new
    state[_KEPT].update(state[_OF_SETS].get(new, {}))
    state[_LINK], state[_COMPLAINTS] = {}, {}


def take_aside(told: object) -> bool:
    """Add the choices that the browser kept from an earlier session: {content: {key: texts}}.

    Choices of this session win. Returns whether some belong to the open set.
    """
    state = st.session_state
    if not isinstance(told, dict) or not all(isinstance(keys, dict) for keys in told.values()):
        return False
    sound = {
        content: {
            key: [str(text) for text in texts]
            for key, texts in keys.items()
            if isinstance(texts, list)
        }
        for content, keys in told.items()
    }
    state[_OF_SETS] = sound | state[_OF_SETS]
    late = sound.get(state.pop(_AWAITED, None), {})
    state[_KEPT].update(late)
    return bool(late)


def complaints() -> list[str]:
    """Return what the link asked for that is not available; shown until another page opens."""
    said = st.session_state[_COMPLAINTS]
    said.update(dict.fromkeys(said, True))
    return list(said)


def write() -> None:
    """Write the choices into the address as one step of the history, if any is missing there."""
    query, stands = (
        _alone(_query()),
        _alone({key: st.query_params.get_all(key) for key in st.query_params}),
    )
    if query != {key: query[key] for key in [SEEN] if key in query} | stands:
        st.query_params.from_dict(query)


def link(
    name: str,
    label: str,
    *,
    icon: str = ":material/arrow_forward:",
    help: str | None = None,
    opened=None,
    **asks: str | None,
) -> None:
    """Draw a link to a page that keeps the choices and adds `asks`; None omits one.

    A page that is `opened` is marked, whichever of its addresses it has.
    """
    query = elsewhere(asks)
    st.session_state[_LINKED] |= query.keys() - asks.keys()
    st.page_link(opened or PAGES[name].file, label=label, icon=icon, help=help, query_params=query)


def go(name: str, **asks: str | list[str] | None) -> None:
    """Open a page now with the choices and `asks`; None asks for the default."""
    for key, text in asks.items():
        keep(key, [text] if isinstance(text, str) else text)
        st.session_state[_SHOWN][key] = st.session_state.get(
            key
        )  # what is on screen is not the user's choice
    st.switch_page(PAGES[name].file, query_params=_alone(elsewhere(asks)))


def _alone(query: dict[str, list[str]]) -> dict[str, list[str]]:
    """Drop what is no key of its own page, such as the open tab, if the query opens a review."""
    if _WHOLE not in query:
        return query
    own = {_WHOLE, *st.session_state[_PAGES_OWN]}
    return {key: texts for key, texts in query.items() if key in own}


def _query() -> dict[str, list[str]]:
    """Return the query of this page, with the choices whose controls are not drawn."""
    query = {**st.session_state[_KEPT], **st.session_state[_DRAWN]}
    return {key: texts for key, texts in query.items() if texts is not None}


def elsewhere(asks: Mapping[str, str | list[str] | None]) -> dict[str, list[str]]:
    """Return the query of another page: the choices, and `asks`."""
    own = {_WHOLE, *st.session_state[_PAGES_OWN]}
    kept = {key: texts for key, texts in _query().items() if key not in own}
    asked = {key: [text] if isinstance(text, str) else text for key, text in asks.items()}
    return {key: texts for key, texts in {**kept, **asked}.items() if texts is not None}


# The browser keeps the choices for test sets that are not open, so that a reload does not lose
# them.

_SESSION = "aside.session"


def keep_in_browser(along: dict[str, str | None]) -> None:
    """Store the choices of other test sets in the tab, read back those of an earlier session, and
    add `along` to the tab's address.
    """
    session = st.session_state.setdefault(_SESSION, secrets.token_hex(4))
    kept = component("aside")(
        data={"session": session, "sets": st.session_state[_OF_SETS], "along": along},
        key="aside",
        on_kept_change=lambda: None,
    ).kept
    if kept is not None and take_aside(kept):
        st.rerun()
