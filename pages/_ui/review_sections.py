"""The parts of the page Review, as everybody sees them; who may go on with it finds the controls beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st

from mtsig_core import Comparison, MtsigError
from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import number
from mtsig_core.report.commands import defaults
from mtsig_core.report.review import (
    MEASURED_SAID,
    circles_table,
    decision_cautions,
    decisions_table,
    left_out_table,
    nobody_ranked,
    notes_table,
    rank_changes_table,
    review_command,
)
from mtsig_core.report.task import find_rank_rule
from mtsig_core.report.task_html import task_picture
from mtsig_core.results import TaskComparison
from mtsig_core.stats.ranks import ranks_before_after
from mtsig_core.store.reviews import Entry
from pages._ui import address, browser, frame, review_changes, screen, selection, task_files, tasks, testsets
from pages._ui.copyable import copyable
from pages._ui.made_once import made_once
from pages._ui.review_view import LINK, ReviewView, reviews

__all__ = ["in_each_pair", "open_pair", "show_decisions", "show_files", "show_left_out", "show_links", "show_mine",
           "show_notes", "without_link"]

_PAGE = frame.ROOT / "pages" / "review.py"
_LEADERBOARD = frame.ROOT / "pages" / "leaderboard.py"


def in_each_pair(found: TaskComparison, metric: str) -> dict[str, list[str]]:
    """The systems of each language pair, best first."""
    return {pair: [row.system for row in comparison.metrics[metric].systems]
            for pair, comparison in found.pairs.items() if metric in comparison.metrics}


def open_pair(view: ReviewView, pair: str, whole: Mapping[str, Comparison]) -> None:
    """Open a language pair as the review compares it: its metric, its settings, and without those it leaves out."""
    gone = {one.system: one.reason for one in view.review.exclusions if one.pair in (None, pair)}
    gone = {name: reason for name, reason in gone.items() if name in whole[pair].testset.systems}
    if (before := st.session_state.pop(frame.SET, None)) is not None:  # what was chosen for another set waits there
        address.switched_set(before[1], "", lambda key, texts: key in (selection.LEFT_OUT, "tokenize")
                             or key.startswith(selection.REASON))
    named = view.before.address_of(pair, TaskComparison(view.before.kept.info, whole, {}))
    usual = defaults("compare")
    # What is usual stands in no address: else the page would take it out, and Back would need one press more.
    settings = {key: None if value == usual.get(key) else str(value) for key, value in
                {"rank_rule": usual["rank_rule"], **view.review.tested}.items()}
    settings |= {"humans": "true" if view.review.refs_as_systems else None, "refs": list(view.review.refs) or None}
    address.go(_LEADERBOARD, **settings, **named, **{selection.LEFT_OUT: list(gone) or None},
               **{f"{selection.REASON}{name}": reason or None for name, reason in gone.items()})


def show_left_out(view: ReviewView, before: TaskComparison | None, now: TaskComparison | None) -> None:
    """Who is left out and why, and what that does to the ranks."""
    metric, gone = view.review.metric, view.review.exclusions
    st.subheader("Left out" if gone else "Nobody is left out")
    if gone and not view.may_edit:
        screen.show_table(left_out_table(view.review.exclusions))
    for one in gone if view.may_edit else ():
        told, back = st.columns([6, 1], vertical_alignment="center")
        with told:
            screen.plain(f"{one.system}, {one.pair or 'all language pairs'}: {one.reason or 'no reason given'}")
        review_changes.show_put_back(view, back, one)
    if view.may_edit and (now or before) is not None:
        review_changes.show_exclude(view, in_each_pair(now or before, metric))
    if gone and now is not None and before is not None:
        found = ranks_before_after(before, now, metric)
        st.subheader("Ranks before and after")
        if nobody_ranked(found):
            screen.plain("Nobody is ranked, neither with all systems nor without those left out.")
            return
        screen.show_prose_table(circles_table(found, find_rank_rule(now)))
        screen.show_table(rank_changes_table(found), "review.ranks")
        st.caption("Before: with all systems; now: without those left out, which is a smaller family. An arrow: the "
                   "rank is another now. Who stood behind a system that is left out moves up by that alone.")


def show_decisions(view: ReviewView, now: TaskComparison | None) -> None:
    """Who is declared the first in each language pair."""
    st.subheader("Decisions")
    screen.show_prose_table(decisions_table(view.review, now))
    for said in decision_cautions(view.review, now) if now is not None else ():
        screen.caution_box(said)
    if view.may_edit and now is not None:
        review_changes.show_decide(view, in_each_pair(now, view.review.metric), now)


def show_notes(view: ReviewView, now: TaskComparison | None) -> None:
    """Notes on disputed pairs of systems."""
    if not view.review.notes and not view.may_edit:
        return
    st.subheader("Notes on disputed pairs of systems")
    if view.review.notes:
        screen.show_prose_table(notes_table(view.review.notes, now))
        st.caption(MEASURED_SAID) if now is not None else None
    if view.may_edit and now is not None:
        review_changes.show_note(view, in_each_pair(now, view.review.metric))


def show_links(view: ReviewView) -> None:
    """The links to share."""
    st.subheader("Share it")
    copyable(view.address_of(view.kept.read_link), "review.read",
             "Link for readers: who has it can read the review, and change nothing")
    if view.may_edit:
        copyable(view.address_of(view.kept.edit_link), "review.edit",
                 "Link for who goes on with it, as you can: it is the address of this page")


def show_files(view: ReviewView, now: TaskComparison) -> None:
    """The files, with what was decided, and the command that prints them from the JSON among them."""
    source = view.now.kept.source
    task_files.show(now, made_once(task_picture, now, view.review.metric), view.review.metric, source,
                    review_command(source, now.task.name, view.review), "review",
                    without_link(view.kept.history, now.task.name))
    st.caption("Save the JSON first: the command reads it, with exclusions, metric, rule, decisions and notes, and "
               "prints each of these files in its format, byte for byte. The picture is that of the report.")


def without_link(history: Sequence[Entry], name: str) -> tuple[Entry, ...]:
    """The history for a file: who has that is not given the link to an uploaded task."""
    begin, *rest = history
    if not begin.change.task.startswith(testsets.KEPT):
        return tuple(history)
    return (replace(begin, change=replace(begin.change, task=name)), *rest)


def show_mine() -> None:
    """The reviews that were started in this browser."""
    browser.remember()
    try:
        mine = reviews().of(browser.owner())
    except MtsigError as problem:
        return screen.error(problem)
    if not mine:
        return
    st.subheader("Yours")
    names = {name: offer.label for name, offer in tasks.available().items()}
    for kept in mine:
        about, opened, deleted = st.columns([6, 1.2, 1.3], vertical_alignment="center")
        begun = datetime.fromtimestamp(kept.history[0].at, UTC)
        with about:
            screen.plain(f"{names.get(kept.review.task, kept.review.task)}, {metric_title(kept.review.metric)}: "
                         f"begun {begun:%Y-%m-%d %H:%M} UTC, "
                         f"{number(len(kept.history), 'd')} {'step' if len(kept.history) == 1 else 'steps'}, "
                         f"{number(len(kept.review.decisions), 'd')} decided")
        if opened.button("Open", key=f"review.open.{kept.read_link}"):
            address.go(_PAGE, **{LINK: kept.edit_link})
        with deleted.popover("Delete"):
            st.caption("Both links to it end here. This cannot be undone.")
            if st.button("Delete it", key=f"review.delete.{kept.read_link}"):
                _delete(kept)


def _delete(kept) -> None:
    try:
        reviews().delete(kept.edit_link, browser.owner())
    except MtsigError as problem:
        screen.error(problem)
    else:
        st.rerun()

