"""The address of a page, which contains every choice of the user.

A link restores all choices, and the Back button undoes one choice at a time.
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
_LINK = "address.link"  # choices of the first link of the session, until a control reads them
_COMPLAINTS = "address.complaints"  # by text, whether each was shown
_PAGE = "address.page"
_OF_SETS = "address.of_sets"  # choices that belong to one test set, by its content
_AWAITED = "address.awaited"  # the set opened last, while the browser may still send its choices
_NOTHING = object()
SEEN = "digest"  # which content was seen; not a choice
#: Page and key of a review, which has its own settings: its address has only keys of its page.
_REVIEW = "review"
Query = dict[str, list[str]]


class Partly(ValueError):  # noqa: N818  a part is right
    """Part of what the address asks is not available; `accepted` is the part that is."""

    def __init__(self, refused: str, accepted: object):
        super().__init__(refused)
        self.accepted = accepted


def begin(page: str) -> None:
    """Start a run of a page. After a link or Back the address decides, otherwise the session."""
    state = st.session_state
    query = _read_query()
    # `_DRAWN` is set last: a run that another breaks off may set only some of these.
    is_first = _DRAWN not in state
    is_next_page = not is_first and page != state[_PAGE]
    if is_first:
        _begin_session(query)
    elif by_history():
        _follow_history(query)
    elif is_next_page:
        _follow_link(query)
    if is_next_page:
        state[_PAGES_OWN] = set()
        state[_LINKED] = set()
        is_shown = state[_COMPLAINTS]
        state[_COMPLAINTS] = {text: True for text in is_shown if not is_shown[text]}
    state[_PAGE] = page
    state[_DRAWN] = {}


def _begin_session(query: Query) -> None:
    state = st.session_state
    state[_KEPT] = query
    state[_LINK] = dict(query)
    state[_SHOWN] = {}
    state[_COMPLAINTS] = {}
    state[_OF_SETS] = {}
    state[_PAGES_OWN] = set()
    state[_LINKED] = set()


def _follow_history(query: Query) -> None:
    """Take the choices of the address.

    The address of a review does not contain the choices of other pages; these are kept.
    """
    state = st.session_state
    choices = {}
    if _REVIEW in query:
        choices = {
            key: texts for key, texts in state[_KEPT].items() if key not in state[_PAGES_OWN]
        }
    state[_KEPT] = choices | query


def _follow_link(query: Query) -> None:
    """Forget the choices of the last page, and take the requests of a link for the page it opens.

    For all other choices the session is newer than the address: a click may come before the browser
    has the last change.
    """
    state = st.session_state
    for key in {_REVIEW, *state[_PAGES_OWN]}:
        state[_KEPT].pop(key, None)
        state[_SHOWN].pop(key, None)
        state.pop(key, None)
    for key, texts in query.items():
        if key not in state[_LINKED]:
            state[_KEPT].setdefault(key, texts)


def _read_query() -> Query:
    return {key: st.query_params.get_all(key) for key in st.query_params}


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

    Parameters
    ----------
    key : str
    usual : object
        The default, which the address omits.
    read : callable
        Turns texts of the address into a value; raises ValueError (or `Partly`) for what is not
        available.
    write : callable
        Turns a value into texts.
    pages_own : bool
        Whether the choice is forgotten when another page opens.
    always : bool
        Whether the address has the default too: it differs between pages.
    """
    state = st.session_state
    if _is_changed(key):  # by the user or a callback
        is_default = state[key] == usual and not always
        keep(key, None if is_default else write(state[key]))
        state[_LINK].pop(key, None)
        # Streamlit has written the new query under the old page, to which Back leads.
        if page() != _REVIEW:
            keep(_REVIEW, None)
    texts = state[_KEPT].get(key)
    value = usual
    if texts is not None:
        try:
            value = read(texts)
        except ValueError as refused:
            value = getattr(refused, "accepted", usual)
            if state[_LINK].get(key) == texts:
                _complain(f"{key}={refused}", value, usual)
    state[_LINK].pop(key, None)
    # Even if unchanged: new options make a new control, which starts from the session.
    state[key] = value
    state[_SHOWN][key] = value
    needs_default = always and texts is not None
    is_omitted = value == usual and not needs_default
    state[_DRAWN][key] = None if is_omitted else write(value)
    if pages_own:
        own(key)
    return value


def _is_changed(key: str) -> bool:
    """Return whether a control is set to something else than this module has set it to."""
    state = st.session_state
    return key in state and state[key] != state[_SHOWN].get(key, _NOTHING)


def _complain(choice: str, value: object, usual: object) -> None:
    result = "using the default"
    if value != usual or usual in (None, "", []):
        result = "it is ignored"
    text = f"The link asks for {choice}, which is not available here; {result}."
    st.session_state[_COMPLAINTS].setdefault(text, False)


def asked(key: str) -> str | None:
    """Return the last text of a key in the address, or None."""
    texts = st.session_state[_KEPT].get(key)
    if not texts:
        return None
    return texts[-1]


def peek(key: str) -> str | None:
    """Return the future value of a control that is not drawn yet, as a text of the address."""
    if _is_changed(key):
        return str(st.session_state[key])
    return asked(key)


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
    of_old = {key: texts for key, texts in state[_KEPT].items() if belongs(key, texts)}
    for key in of_old:
        del state[_KEPT][key]
    state[_OF_SETS][old] = of_old
    state[_AWAITED] = None if new in state[_OF_SETS] else new
    state[_KEPT].update(state[_OF_SETS].get(new, {}))
    state[_LINK] = {}
    state[_COMPLAINTS] = {}


def take_aside(stored: object) -> bool:
    """Add the choices that the browser kept from an earlier session: {content: {key: texts}}.

    Choices of this session win. Returns whether some belong to the open set.
    """
    state = st.session_state
    if not isinstance(stored, dict):
        return False
    of_sets = {}
    for content, choices in stored.items():
        if not isinstance(choices, dict):
            return False
        of_sets[content] = _read_choices(choices)
    state[_OF_SETS] = of_sets | state[_OF_SETS]
    of_open_set = of_sets.get(state.pop(_AWAITED, None), {})
    state[_KEPT].update(of_open_set)
    return bool(of_open_set)


def _read_choices(choices: dict) -> Query:
    query = {}
    for key, texts in choices.items():
        if isinstance(texts, list):
            query[key] = [str(text) for text in texts]
    return query


def complaints() -> list[str]:
    """Return messages on unavailable values in the link; they stay until another page opens."""
    texts = list(st.session_state[_COMPLAINTS])
    st.session_state[_COMPLAINTS] = dict.fromkeys(texts, True)
    return texts


def write() -> None:
    """Write the choices into the address as one step of the history, if any is missing there."""
    query = _drop_others_of_review(_make_query())
    written = _drop_others_of_review(_read_query())
    if SEEN in query:  # no step of its own
        written.setdefault(SEEN, query[SEEN])
    if query != written:
        st.query_params.from_dict(query)


def link(
    name: str,
    label: str,
    *,
    icon: str | None = ":material/arrow_forward:",
    help: str | None = None,  # noqa: A002  as Streamlit's
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
    state = st.session_state
    for key, texts in _make_lists(asks).items():
        keep(key, texts)
        state[_SHOWN][key] = state.get(key)  # what is on screen is not the user's choice
    st.switch_page(PAGES[name].file, query_params=_drop_others_of_review(elsewhere(asks)))


def _drop_others_of_review(query: Query) -> Query:
    """If the query opens a review, drop all keys that its page does not have, such as the tab."""
    if _REVIEW not in query:
        return query
    own_keys = {_REVIEW, *st.session_state[_PAGES_OWN]}
    return {key: texts for key, texts in query.items() if key in own_keys}


def _make_query() -> Query:
    """Return the query of this page, with the choices whose controls are not drawn."""
    query = {**st.session_state[_KEPT], **st.session_state[_DRAWN]}
    return {key: texts for key, texts in query.items() if texts is not None}


def elsewhere(asks: Mapping[str, str | list[str] | None]) -> Query:
    """Return the query of another page: the choices, and `asks`."""
    query = _make_query()
    for key in (_REVIEW, *st.session_state[_PAGES_OWN]):
        query.pop(key, None)
    query.update(_make_lists(asks))
    return {key: texts for key, texts in query.items() if texts is not None}


def _make_lists(asks: Mapping[str, str | list[str] | None]) -> dict[str, list[str] | None]:
    return {key: [texts] if isinstance(texts, str) else texts for key, texts in asks.items()}


# The browser keeps the choices for test sets that are not open: a reload does not lose them.

_SESSION = "aside.session"


def keep_in_browser(along: dict[str, str | None]) -> None:
    """Store the choices of other test sets in the tab, and add `along` to the tab's address.

    It also reads back the choices of an earlier session.
    """
    session = st.session_state.setdefault(_SESSION, secrets.token_hex(4))
    result = component("aside")(
        data={"session": session, "sets": st.session_state[_OF_SETS], "along": along},
        key="aside",
        on_kept_change=lambda: None,
    )
    if result.kept is not None and take_aside(result.kept):
        st.rerun()
