"""Sections of the page Review: forms that change a review, for its editors, and results for all
readers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st

from mtsig_core import METRICS, Comparison, MtsigError
from mtsig_core.errors import Remedy, StoreError
from mtsig_core.metrics import metric_titles
from mtsig_core.report.commands import defaults, task_command
from mtsig_core.report.pictures import task_picture
from mtsig_core.report.review import (
    ACROSS_PAIRS,
    MEASURED_SAID,
    circles_table,
    decision_cautions,
    decisions_table,
    history_sentences,
    left_out_table,
    nobody_ranked,
    notes_table,
    review_changes_table,
)
from mtsig_core.report.sentences import find_rank_rule, name_metric
from mtsig_core.report.table import number
from mtsig_core.results import TaskComparison
from mtsig_core.reviews import (
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
    SetSettings,
    TakeBack,
    taken_back,
)
from mtsig_core.stats.ranks import fitting_rules, ranks_before_after
from mtsig_core.stats.settings import PRESETS, SETTINGS
from pages._sections import results_sections
from pages._store.kept_reviews import KeptReview
from pages._ui import address, browser, controls, frame, screen, testsets, views
from pages._ui.browser import copyable
from pages._ui.views import LINK, ReviewView, TaskView, reviews
from pages._work.memory import make_once

ALL = "all language pairs"
_SAID, _BEGUN = "review.said", "review.begun"
_SAVED = "review.saved"  # the key of the field whose text the last press of a button has saved
_SHOWN = 10  # steps of the history that are seen at once


def show_begin(view: TaskView, comparison: TaskComparison) -> str | None:
    """Offer to start a review of the page Results; then show the link to continue it."""
    digests = {pair: one.testset.digest for pair, one in comparison.pairs.items()}
    source = view.kept.source
    taken = {"refs": source.refs, "refs_as_systems": source.refs_as_systems}
    start = Begin(
        view.name,
        source.track,
        view.kept.info.digest,
        digests,
        view.metric,
        view.settings | {name: value for name, value in taken.items() if value},
    )
    st.button(
        "Start a review",
        key="task.review",
        on_click=_begin,
        args=(start,),
        help=(
            "A review keeps what you decide about this task: excluded systems with reasons, notes on disputed pairs, and "
            "who is declared first. One link lets others read it, another lets them edit it."
        ),
    )
    show_message()
    return st.session_state.pop(_BEGUN, None)


def show_message(where: str = "") -> bool:
    """Show why the last change was not saved, at its form, or (empty) at the head of the page.

    Returns whether there is anything to say.
    """
    message = (
        st.session_state.pop(_SAID, None)
        if st.session_state.get(_SAID, ("",))[0] == where
        else None
    )
    if message is not None:
        screen.error(message[1])
    return message is not None


def _begin(start: Begin) -> None:
    try:
        st.session_state[_BEGUN] = reviews().begin(start, browser.find_owner(make=True)).edit_link
    except MtsigError as problem:
        st.session_state[_SAID] = "", str(problem)


def show_exclude(view: ReviewView, systems: Mapping[str, Sequence[str]]) -> None:
    """Let a system be excluded; `systems` are those of each language pair that take part."""
    where, who = st.columns(2)
    pair = controls.choice(
        "In", [ALL, *systems], "review.exclude.pair", place=where, pages_own=True
    )
    names = (
        list(dict.fromkeys(name for own in systems.values() for name in own))
        if pair == ALL
        else systems[pair]
    )
    system = who.selectbox(
        "System to exclude",
        names,
        index=None,
        placeholder="choose one",
        key=f"review.exclude.system.{pair}",
    )
    reason = "review.exclude.reason"

    def lacks():
        return (
            "Choose a system to exclude."
            if system is None
            else None
            if _text(reason)
            else f"Give a reason for excluding {system}: every export and all readers see it."
        )

    _form(
        view,
        "exclude",
        "Exclude it",
        lambda: Exclude(system, None if pair == ALL else pair, _text(reason)),
        lambda: st.text_input(
            "Reason",
            key=reason,
            max_chars=LONGEST_REASON,
            placeholder="all readers and every export have it",
        ),
        lambda: bool(_text(reason)),
        reason,
        lacks,
        (reason, f"review.exclude.system.{pair}"),
    )


def pick_settings(view: ReviewView) -> None:
    """Let metric, preset and rank rule be chosen; each choice is a change."""
    info, review, rule = view.before.kept.info, view.review, SETTINGS["rank_rule"]
    own = dict.fromkeys(name for names in info.scores.values() for name in names)
    metrics = list(dict.fromkeys([*(METRICS if info.with_texts else ()), *own]))
    means, usual = review.metric in own, defaults("compare")
    presets = [
        name for name, preset in PRESETS.items() if not preset.explain_misfit(means, domains=True)
    ]
    current = next(
        (
            name
            for name in presets
            if {**usual, **review.tested} == {**usual, **PRESETS[name].settings}
        ),
        controls.CUSTOM,
    )
    left, middle, right = st.columns(3)
    _select(view, left, "Metric", metrics, review.metric, SetMetric, metric_titles(metrics).get)
    _select(
        view,
        middle,
        "Preset",
        [*presets, *[controls.CUSTOM] * (current == controls.CUSTOM)],
        current,
        lambda name: SetSettings(PRESETS[name].settings, name),
        controls.name_preset,
    )
    _select(
        view,
        right,
        rule.title,
        list(fitting_rules(means)),
        review.settings.get("rank_rule", "simultaneous"),
        SetRule,
        rule.name_value,
    )


def mend(view: ReviewView, remedy: Remedy) -> None:
    """Change the review as a caveat advises."""
    asked = {
        name: tuple(value.split(",")) if name == "refs" else value for name, value in remedy.items()
    }
    _save(
        view.kept,
        lambda: (
            SetMetric(asked["metrics"])
            if "metrics" in asked
            else SetSettings({**view.review.tested, **asked})
        ),
    )


def show_decide(
    view: ReviewView, systems: Mapping[str, Sequence[str]], comparison: TaskComparison
) -> None:
    """Let the first of a language pair be declared; `found` has the candidates."""
    macro = comparison.macro.get(view.review.metric)
    if macro is not None and macro.is_ranked:
        systems = {**systems, ACROSS_PAIRS: [row.system for row in macro.systems]}
    pair = controls.choice("Language pair", list(systems), "review.decide.pair", pages_own=True)
    where = None if pair == ACROSS_PAIRS else pair
    decided = next((one for one in view.review.decisions if one.pair == where), None)
    there = (decided.first, decided.why) if decided else ((), "")
    first, why = f"review.decide.first.{pair}", f"review.decide.why.{pair}"
    names = list(dict.fromkeys([*systems[pair], *there[0]]))

    def draw():
        st.multiselect(
            "Declared first",
            names,
            list(there[0]),
            key=first,
            placeholder="one system, or several that share the place",
            select_all=False,
        )
        st.text_area("Why", there[1], key=why, max_chars=LONGEST_TEXT, height=68)

    _form(
        view,
        "decide",
        "Decide" if decided is None else "Change the decision",
        lambda: Decide(where, tuple(st.session_state[first]), _text(why)),
        draw,
        lambda: ({*st.session_state[first]}, _text(why)) != ({*there[0]}, there[1]),
        why,
    )


def show_note(view: ReviewView, systems: Mapping[str, Sequence[str]]) -> None:
    """Let a note on a disputed pair of systems be written."""
    where, left, right = st.columns(3)
    pair = controls.choice(
        "Language pair", list(systems), "review.note.pair", place=where, pages_own=True
    )
    a = left.selectbox("One system", systems[pair], key=f"review.note.a.{pair}")
    b = right.selectbox(
        "The other", [name for name in systems[pair] if name != a], key=f"review.note.b.{pair}"
    )
    text = f"review.note.text.{pair}.{a}.{b}"
    there = any(
        (one.pair, one.metric, {one.a, one.b}) == (pair, view.review.metric, {a, b})
        for one in view.review.notes
    )
    _form(
        view,
        "note",
        "Put it in place of the note above" if there else "Keep the note",
        lambda: NoteOn(pair, view.review.metric, a, b, _text(text)),
        lambda: st.text_area("Note", key=text, max_chars=LONGEST_TEXT, height=68),
        lambda: bool(_text(text)),
        text,
        lambda: None if b else "A note needs two systems, and there is only one.",
        (text,),
    )


def see_content(view: ReviewView, digest: str, digests: Mapping[str, str]) -> None:
    """Draw the button that continues with the task's current content."""
    _button(view, st, "Go on with the content as it is now", "content", SeeContent(digest, digests))


def show_history(view: ReviewView) -> None:
    """Draw the steps, the newest first, each with a button to undo it while it is in force."""
    sentences, gone = (
        history_sentences(without_link(view.kept.history, view.title)),
        taken_back(view.kept.history),
    )
    steps = list(zip(view.kept.history, sentences, strict=True))[::-1]
    for entry, text in steps[:_SHOWN]:
        _step(view, entry, text, entry.number in gone)
    if steps[_SHOWN:]:
        with st.expander(f"{len(steps) - _SHOWN} earlier steps", key="review.earlier"):
            for entry, text in steps[_SHOWN:]:
                _step(view, entry, text, entry.number in gone)


def _step(view: ReviewView, entry: Entry, text: str, gone: bool) -> None:
    left, back = st.columns([6, 1], vertical_alignment="center")
    with left:
        screen.plain(f"{entry.number}. {text}")
    if view.may_edit and entry.number > 1 and not gone:
        _button(view, back, "Take back", f"take.{entry.number}", TakeBack(entry.number))


def _form(
    view: ReviewView,
    name: str,
    label: str,
    make: Callable[[], Change],
    draw: Callable[[], object],
    unkept: Callable[[], bool],
    text: str,
    lacks: Callable[[], str | None] = lambda: None,
    clear: Sequence[str] = (),
) -> None:
    """Draw fields with a button that saves all of them or none; `text` is the key of the one for a
    text.

    A click that comes while the server starts again is lost, and what was typed stands there still:
    that it is not kept is said, where it is `unkept`.
    """
    with st.form(f"review.{name}", border=False):
        draw()
        st.form_submit_button(
            label, on_click=_save, args=(view.kept, make, name, lacks, clear, text)
        )
    if not show_message(name) and unkept():
        screen.caution_box(f"Not saved yet: press '{label}' to keep what you wrote here.")


def _button(view: ReviewView, place, label: str, key: str, change: Change) -> None:
    place.button(label, key=f"review.{key}", on_click=_save, args=(view.kept, lambda: change))


def _select(
    view: ReviewView,
    place,
    label: str,
    options: Sequence[str],
    current: str,
    make: Callable[[str], Change],
    shown: Callable[[str], str],
) -> None:
    """Draw a choice kept in the review, not in the session: another editor may have changed it."""
    key = f"review.{label}.{len(view.kept.history)}"
    place.selectbox(
        label,
        options,
        options.index(current) if current in options else None,
        key=key,
        format_func=shown,
        on_change=_save,
        args=(view.kept, lambda: make(st.session_state[key])),
    )


def _save(
    kept: KeptReview,
    make: Callable[[], Change],
    where: str = "",
    lacks: Callable[[], str | None] = lambda: None,
    clear: Sequence[str] = (),
    text: str = "",
) -> None:
    """Append a change to the review as it was on screen; if that fails, the typed text stays."""
    if (message := lacks()) is not None:
        st.session_state[_SAID] = where, message
        return
    try:
        reviews().add(kept.edit_link, make(), len(kept.history))
    except MtsigError as problem:
        st.session_state[_SAID] = where, str(problem)
    else:
        st.session_state[_SAVED] = text
        for key in clear:
            st.session_state[key] = None if ".system." in key else ""


def keep_drafts(view: ReviewView) -> None:
    """Let the tab keep what is in the forms and is not saved."""
    browser.keep_drafts(view.kept.read_link, st.session_state.pop(_SAVED, ""))


def _text(key: str) -> str:
    """Return the text of a field, in one line."""
    return " ".join((st.session_state.get(key) or "").split())


# What everybody sees.

_LOOK = 5.0  # seconds between two looks whether a review has changed


@st.fragment(run_every=_LOOK)
def look_for_changes(view: ReviewView) -> None:
    """Draw the page again when an editor has changed the review or deleted it.

    Only for readers: Streamlit may forget a click that meets the timer, and what an editor does
    next shows the changes anyway.
    """
    with suppress(StoreError):  # the next look finds the database again
        now = reviews().find(view.kept.read_link)
        if now is None or len(now.history) != len(view.kept.history):
            st.rerun()


def in_each_pair(comparison: TaskComparison, metric: str) -> dict[str, list[str]]:
    """Return the systems of each language pair, best first."""
    return {
        pair: [row.system for row in one.metrics[metric].systems]
        for pair, one in comparison.pairs.items()
        if metric in one.metrics
    }


def open_pair(view: ReviewView, pair: str, whole: Mapping[str, Comparison]) -> None:
    """Open a language pair with the review's metric, settings and exclusions."""
    gone = {one.system: one.reason for one in view.review.exclusions if one.pair in (None, pair)}
    gone = {name: reason for name, reason in gone.items() if name in whole[pair].testset.systems}
    if (
        before := st.session_state.pop(frame.SET, None)
    ) is not None:  # what was chosen for another set waits there
        address.switched_set(
            before[1],
            "",
            lambda key, texts: key in (views.LEFT_OUT, "tokenize") or key.startswith(views.REASON),
        )
    named = view.before.address_of(pair, TaskComparison(view.before.kept.info, whole, {})) | {
        views.BACK: None
    }
    usual = defaults("compare")
    # What is usual stands in no address: else the page would take it out, and Back would need one
    # press more.
    settings = {
        key: None if value == usual.get(key) else str(value)
        for key, value in {"rank_rule": usual["rank_rule"], **view.review.tested}.items()
    }
    settings |= {
        "humans": "true" if view.review.refs_as_systems else None,
        "refs": list(view.review.refs) or None,
    }
    address.go(
        "summary",
        **settings,
        **named,
        **{views.LEFT_OUT: list(gone) or None},
        **{f"{views.REASON}{name}": reason or None for name, reason in gone.items()},
    )


def show_left_out(
    view: ReviewView, before: TaskComparison | None, now: TaskComparison | None
) -> None:
    """Draw the excluded systems, the reasons, and the effect on the ranks."""
    metric, gone = view.review.metric, view.review.exclusions
    if not gone:
        screen.plain("No system is excluded.")
    if gone and not view.may_edit:
        screen.show_table(left_out_table(view.review.exclusions))
    for one in gone if view.may_edit else ():
        left, back = st.columns([6, 1], vertical_alignment="center")
        with left:
            screen.plain(
                f"{one.system}, {one.pair or 'all language pairs'}: {one.reason or 'no reason given'}"
            )
        _button(
            view, back, "Put back", f"back.{one.pair}.{one.system}", PutBack(one.system, one.pair)
        )
    if view.may_edit and (now or before) is not None:
        show_exclude(view, in_each_pair(now or before, metric))
    if gone and now is not None and before is not None:
        changes = ranks_before_after(before, now, metric)
        st.subheader("Ranks before and after")
        if nobody_ranked(changes):
            screen.plain(
                "Nobody is ranked, neither with all systems nor without the excluded ones."
            )
            return
        screen.show_table(circles_table(changes, find_rank_rule(now)), prose=True)
        screen.show_table(review_changes_table(changes), "review.ranks")
        st.caption(
            "Before: with all systems. Now: without the excluded ones, so with fewer pairs to correct for. An "
            "arrow: the rank changed. A system below an excluded one moves up for that reason only."
        )


def show_decisions(view: ReviewView, now: TaskComparison | None) -> None:
    """Draw the declared first of each language pair."""
    shown = decisions_table(view.review, now)
    n = sum(bool(cell) for cell in shown.values("declared"))
    st.subheader(f"{n} of {len(shown.rows)} decided")
    may_decide = view.may_edit and now is not None
    left, right = st.columns([3, 2]) if may_decide else (st.container(), None)
    with left:
        screen.show_table(
            shown
            if any(shown.values("why"))
            else shown.select(*(key for key in shown.keys if key != "why")),
            prose=True,
        )
        screen.cautions(decision_cautions(view.review, now) if now is not None else ())
    if may_decide:
        with right:
            show_decide(view, in_each_pair(now, view.review.metric), now)


def show_notes(view: ReviewView, now: TaskComparison | None) -> None:
    """Draw notes on disputed pairs of systems."""
    if not view.review.notes:
        screen.plain("There are no notes on pairs of systems.")
    if view.review.notes:
        screen.show_table(notes_table(view.review.notes, now), prose=True)
        st.caption(MEASURED_SAID) if now is not None else None
    if view.may_edit and now is not None:
        show_note(view, in_each_pair(now, view.review.metric))


def show_links(view: ReviewView) -> None:
    """Draw the links to share."""
    copyable(
        view.address_of(view.kept.read_link),
        "review.read",
        "Link for readers, who can change nothing",
    )
    if view.may_edit:
        copyable(
            view.address_of(view.kept.edit_link),
            "review.edit",
            "Link for editors, the address of this page: whoever has it can change the review",
        )


def show_files(view: ReviewView, now: TaskComparison) -> None:
    """Draw the files, with the decisions, and the command that prints their numbers."""
    source = view.now.kept.source
    results_sections.show_files(
        now,
        make_once(task_picture, now, view.review.metric),
        view.review.metric,
        source,
        task_command(source, metrics=view.review.metric, **view.review.settings),
        "review",
        without_link(view.kept.history, now.task.name),
    )
    st.caption(
        "The files have the decisions and notes. The command prints their numbers, with the exclusions. "
        "The picture is the one in the report."
    )


def without_link(history: Sequence[Entry], name: str) -> tuple[Entry, ...]:
    """Return the history for a file, without the link to an uploaded task."""
    begin, *rest = history
    if not begin.change.task.startswith(testsets.KEPT):
        return tuple(history)
    return (replace(begin, change=replace(begin.change, task=name)), *rest)


def show_mine() -> None:
    """Draw the reviews started in this browser."""
    browser.remember()
    try:
        mine = reviews().list_owned(browser.find_owner())
    except MtsigError as problem:
        return screen.error(problem)
    if not mine:
        return
    st.subheader("Yours")
    names = {name: offer.label for name, offer in testsets.available_tasks().items()}
    for kept in mine:
        about, opened, deleted = st.columns([6, 1.2, 1.3], vertical_alignment="center")
        begun = datetime.fromtimestamp(kept.history[0].at, UTC)
        with about:
            screen.plain(
                f"{names.get(kept.review.task, kept.review.task)}, {name_metric(kept.review.metric)}: "
                f"begun {begun:%Y-%m-%d %H:%M} UTC, "
                f"{number(len(kept.history), 'd')} {'step' if len(kept.history) == 1 else 'steps'}, "
                f"{number(len(kept.review.decisions), 'd')} decided"
            )
        if opened.button("Open", key=f"review.open.{kept.read_link}"):
            address.go("review", **{LINK: kept.edit_link})
        with deleted.popover("Delete"):
            st.caption("Both links to it end here. This cannot be undone.")
            if st.button("Delete it", key=f"review.delete.{kept.read_link}"):
                _delete(kept)


def _delete(kept) -> None:
    try:
        reviews().delete(kept.edit_link, browser.find_owner())
    except MtsigError as problem:
        screen.error(problem)
    else:
        st.rerun()
