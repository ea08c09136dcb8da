"""What changes a review: forms and buttons, which are drawn for who may go on with it alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from mtsig_core import METRICS, MtsigError
from mtsig_core.metrics import metric_titles
from mtsig_core.report.review import history_sentences
from mtsig_core.report.task import list_tops
from mtsig_core.results import TaskComparison
from mtsig_core.stats.ranks import RANK_RULES, fitting_rules
from mtsig_core.store.reviews import (
    LONGEST_REASON,
    LONGEST_TEXT,
    Begin,
    Change,
    Decide,
    Entry,
    Exclude,
    NoteOn,
    PutBack,
    SeeContent,
    SetMetric,
    SetRule,
    TakeBack,
    taken_back,
)
from pages._ui import browser, screen
from pages._ui.review_view import ReviewView, reviews
from pages._ui.task_view import TaskView

__all__ = ["pick_metric_and_rule", "see_content", "show_begin", "show_decide", "show_exclude", "show_history",
           "show_message", "show_note", "show_put_back"]

ALL = "all language pairs"
_SAID, _BEGUN = "review.said", "review.begun"
_SHOWN = 10  # steps of the history that are seen at once


def show_begin(view: TaskView, found: TaskComparison) -> str | None:
    """Offer to start a review of what the page Task shows; once it is started, the link to go on with it."""
    digests = {pair: comparison.testset.digest for pair, comparison in found.pairs.items()}
    source = view.kept.source
    taken = {"refs": source.refs, "refs_as_systems": source.refs_as_systems}
    start = Begin(view.name, source.track, view.kept.info.digest, digests, view.metric,
                  view.settings | {name: value for name, value in taken.items() if value})
    st.subheader("Decide about it")
    st.caption("A review keeps what you decide about this task, step by step: systems left out, with reasons, notes on "
               "disputed pairs, who is declared the first. One link lets others read it, another lets them go on.")
    st.button("Start a review", key="task.review", on_click=_begin, args=(start,))
    show_message()
    return st.session_state.pop(_BEGUN, None)


def show_message(where: str = "") -> bool:
    """Why the last change was not saved, at the form that it came from, or (empty) at the head of the page.

    Returns whether there is anything to say.
    """
    said = st.session_state.pop(_SAID, None) if st.session_state.get(_SAID, ("",))[0] == where else None
    if said is not None:
        screen.error(said[1])
    return said is not None


def _begin(start: Begin) -> None:
    try:
        st.session_state[_BEGUN] = reviews().begin(start, browser.owner(make=True)).edit_link
    except MtsigError as problem:
        st.session_state[_SAID] = "", str(problem)


def show_exclude(view: ReviewView, systems: Mapping[str, Sequence[str]]) -> None:
    """Leave a system out; `systems` are those of each language pair that take part."""
    where, who = st.columns(2)
    pair = where.selectbox("In", [ALL, *systems], key="review.exclude.pair")
    names = list(dict.fromkeys(name for own in systems.values() for name in own)) if pair == ALL else systems[pair]
    system = who.selectbox("System to leave out", names, index=None, placeholder="choose one",
                           key=f"review.exclude.system.{pair}")
    reason = "review.exclude.reason"

    def lacks():
        return "Choose a system to leave out." if system is None else None if _text(reason) else \
            f"Give a reason for leaving out {system}: it stands in every export and for all readers."

    _form(view, "exclude", "Leave it out", lambda: Exclude(system, None if pair == ALL else pair, _text(reason)),
          lambda: st.text_input("Reason", key=reason, max_chars=LONGEST_REASON,
                                placeholder="stands in every export and for all readers"),
          lambda: bool(_text(reason)), lacks, (reason, f"review.exclude.system.{pair}"))


def show_put_back(view: ReviewView, place, one) -> None:
    """The button that lets a system take part again."""
    _button(view, place, "Put back", f"back.{one.pair}.{one.system}", PutBack(one.system, one.pair))


def pick_metric_and_rule(view: ReviewView) -> None:
    """Metric and rule for ranks; each choice is a change."""
    info, review = view.before.kept.info, view.review
    own = dict.fromkeys(name for names in info.scores.values() for name in names)
    metrics = list(dict.fromkeys([*(METRICS if info.with_texts else ()), *own]))
    rules = fitting_rules(review.metric in own)
    left, right = st.columns(2)
    _select(view, left, "Metric", metrics, review.metric, SetMetric, metric_titles(metrics).get)
    _select(view, right, "Ranks", list(rules), review.settings.get("rank_rule", "simultaneous"), SetRule,
            lambda rule: RANK_RULES[rule].title)


def show_decide(view: ReviewView, systems: Mapping[str, Sequence[str]], found: TaskComparison) -> None:
    """Declare who is the first in a language pair; what was `found` says who may be."""
    pair = st.selectbox("Language pair", list(systems), key="review.decide.pair")
    decided = next((one for one in view.review.decisions if one.pair == pair), None)
    there = (decided.first, decided.why) if decided else ((), "")
    screen.plain(list_tops(found, view.review.metric)[pair])
    first, why = f"review.decide.first.{pair}", f"review.decide.why.{pair}"
    names = list(dict.fromkeys([*systems[pair], *there[0]]))

    def draw():
        st.multiselect("Declared the first", names, list(there[0]), key=first,
                       placeholder="one system, or several that share the place")
        st.text_area("Why", there[1], key=why, max_chars=LONGEST_TEXT, height=68)

    _form(view, "decide", "Decide" if decided is None else "Decide anew",
          lambda: Decide(pair, tuple(st.session_state[first]), _text(why)), draw,
          lambda: ({*st.session_state[first]}, _text(why)) != ({*there[0]}, there[1]))


def show_note(view: ReviewView, systems: Mapping[str, Sequence[str]]) -> None:
    """Note something on a disputed pair of systems."""
    where, left, right = st.columns(3)
    pair = where.selectbox("Language pair", list(systems), key="review.note.pair")
    a = left.selectbox("One system", systems[pair], key=f"review.note.a.{pair}")
    b = right.selectbox("The other", [name for name in systems[pair] if name != a], key=f"review.note.b.{pair}")
    text = f"review.note.text.{pair}.{a}.{b}"
    there = any((one.pair, one.metric, {one.a, one.b}) == (pair, view.review.metric, {a, b})
                for one in view.review.notes)
    _form(view, "note", "Put it in place of the note above" if there else "Keep the note",
          lambda: NoteOn(pair, view.review.metric, a, b, _text(text)),
          lambda: st.text_area("Note", key=text, max_chars=LONGEST_TEXT, height=68), lambda: bool(_text(text)),
          lambda: None if b else "A note is on two systems, and there is one alone.", (text,))


def see_content(view: ReviewView, digest: str, digests: Mapping[str, str]) -> None:
    """The button that goes on with the content that the task has by now."""
    _button(view, st, "Go on with the content as it is now", "content", SeeContent(digest, digests))


def show_history(view: ReviewView) -> None:
    """The steps, the newest first, each that is in force with a button that takes it back."""
    said, gone = history_sentences(view.kept.history), taken_back(view.kept.history)
    steps = list(zip(view.kept.history, said, strict=True))[::-1]
    for entry, text in steps[:_SHOWN]:
        _step(view, entry, text, entry.number in gone)
    if steps[_SHOWN:]:
        with st.expander(f"{len(steps) - _SHOWN} earlier steps", key="review.earlier"):
            for entry, text in steps[_SHOWN:]:
                _step(view, entry, text, entry.number in gone)


def _step(view: ReviewView, entry: Entry, text: str, gone: bool) -> None:
    told, back = st.columns([6, 1], vertical_alignment="center")
    with told:
        screen.plain(f"{entry.number}. {text}")
    if view.may_edit and entry.number > 1 and not gone:
        _button(view, back, "Take back", f"take.{entry.number}", TakeBack(entry.number))


def _form(view: ReviewView, name: str, label: str, make: Callable[[], Change], draw: Callable[[], object],
          unkept: Callable[[], bool], lacks: Callable[[], str | None] = lambda: None,
          clear: Sequence[str] = ()) -> None:
    """Fields with a button: what they say is saved at once, or not at all.

    A click that comes while the server starts again is lost, and what was typed stands there still: that it is not kept
    is said, where it is `unkept`.
    """
    with st.form(f"review.{name}", border=False):
        draw()
        st.form_submit_button(label, on_click=_save, args=(view.kept.edit_link, len(view.kept.history), make, name,
                                                           lacks, clear))
    if not show_message(name) and unkept():
        screen.caution_box(f"Not kept yet: what stands here is not in the review. '{label}' keeps it.")


def _button(view: ReviewView, place, label: str, key: str, change: Change) -> None:
    place.button(label, key=f"review.{key}", on_click=_save,
                 args=(view.kept.edit_link, len(view.kept.history), lambda: change))


def _select(view: ReviewView, place, label: str, options: Sequence[str], current: str, make: Callable[[str], Change],
            shown: Callable[[str], str]) -> None:
    """A choice that stands in the review, not in the session: another editor may have changed it."""
    key = f"review.{label}.{len(view.kept.history)}"
    place.selectbox(label, options, options.index(current) if current in options else None, key=key,
                    format_func=shown, on_change=_save, args=(
                        view.kept.edit_link, len(view.kept.history), lambda: make(st.session_state[key])))


def _save(link: str, seen: int, make: Callable[[], Change], where: str = "",
          lacks: Callable[[], str | None] = lambda: None, clear: Sequence[str] = ()) -> None:
    """Append a change to what was seen on screen; what was typed stays where it could not be saved."""
    if (said := lacks()) is not None:
        st.session_state[_SAID] = where, said
        return
    try:
        reviews().add(link, make(), seen)
    except MtsigError as problem:
        st.session_state[_SAID] = where, str(problem)
    else:
        for key in clear:
            st.session_state[key] = None if ".system." in key else ""


def _text(key: str) -> str:
    """What a field says, in one line."""
    return " ".join((st.session_state.get(key) or "").split())
