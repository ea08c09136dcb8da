"""Sections of the page Review: forms for editors of the review, and results for readers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

import streamlit as st

from mtsig_core import METRICS, Comparison, MtsigError
from mtsig_core.errors import Remedy, format_count
from mtsig_core.metrics import metric_titles
from mtsig_core.report.commands import defaults, task_command
from mtsig_core.report.pictures import task_picture
from mtsig_core.report.reports import render_report
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
from mtsig_core.report.task_reports import ranking_report
from mtsig_core.results import TaskComparison
from mtsig_core.reviews import (
    LONGEST_NAME,
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
from pages._sections.results_sections import TaskFiles
from pages._store.kept_reviews import KeptReview
from pages._ui import address, browser, charts, controls, frame, screen, testsets, views
from pages._ui.browser import copyable
from pages._ui.views import LINK, ReviewView, TaskView, reviews
from pages._work.memory import make_once

ALL = "all language pairs"
_PUBLIC = "all readers and every export show it"  # a name or reason that an editor gives
# Keys of the session: why the last change was not saved, a `_Message`; the link of a review that was
# just begun.
_SAID = "review.said"
_BEGUN = "review.begun"
# Keys of the session, too: the name of the editor; `_Seen`.
_AUTHOR = "review.author"
_SEEN = "review.seen"
_MOST_SHOWN = 10  # steps of the history; earlier ones are folded away


class _Message(NamedTuple):
    """Why a change was not saved, and the form that it was made in."""

    form: str  # empty: at the head of the page
    text: str


class _Seen(NamedTuple):
    """The review that was last shown, and how many of its steps were shown or made here."""

    review: str
    n_steps: int


def show_begin(view: TaskView, comparison: TaskComparison) -> str | None:
    """Offer to start a review of the page Results; then show the link to continue it."""
    digests = {pair: result.testset.digest for pair, result in comparison.pairs.items()}
    source = view.kept.source
    settings = dict(view.settings)
    if source.refs:
        settings["refs"] = source.refs
    if source.refs_as_systems:
        settings["refs_as_systems"] = source.refs_as_systems
    begin = Begin(view.name, source.track, view.kept.info.digest, digests, view.metric, settings)
    st.button(
        "Start a review",
        key="task.review",
        on_click=_begin,
        args=(begin,),
        help=(
            "A review keeps what you decide about this task: excluded systems with reasons, notes "
            "on disputed pairs, and which system is declared the winner. One link lets others read "
            "it, another lets them edit it."
        ),
    )
    show_message()
    return st.session_state.pop(_BEGUN, None)


def show_message(form: str = "") -> bool:
    """Show why the last change was not saved, at its form, or (empty) at the head of the page.

    Return whether there is a message.
    """
    message = st.session_state.get(_SAID)
    if message is None or message.form != form:
        return False
    del st.session_state[_SAID]
    screen.error(message.text)
    return True


def _begin(begin: Begin) -> None:
    try:
        review = reviews().begin(begin, browser.find_owner(make=True), _read_text(_AUTHOR))
    except MtsigError as problem:
        st.session_state[_SAID] = _Message("", str(problem))
    else:
        st.session_state[_BEGUN] = review.edit_link


# Forms.


@dataclass(frozen=True)
class _Form:
    """Fields with a button that saves all of them or none."""

    name: str
    label: str  # of the button
    make: Callable[[], Change]
    draw: Callable[[], object]
    is_unsaved: Callable[[], bool]  # whether the fields have what the review does not
    text: str  # the key of the field for a text
    find_fault: Callable[[], str | None] = lambda: None  # what is missing, in words
    cleared: Sequence[str] = ()  # keys of fields that are empty after a save

    def show(self, view: ReviewView) -> None:
        """Draw the form, and warn that what is typed is not saved.

        A click during a restart of the server is lost, but the typed text is still there.
        """
        with st.form(f"review.{self.name}", border=False):
            self.draw()
            st.form_submit_button(self.label, on_click=self._save, args=(view.kept,))
        if not show_message(self.name) and self.is_unsaved():
            screen.caution_box(f"Not saved yet. Press '{self.label}' to save your text.")

    def _save(self, kept: KeptReview) -> None:
        message = self.find_fault()
        if message is not None:
            st.session_state[_SAID] = _Message(self.name, message)
            return
        if _save(kept, self.make, self.name):
            st.session_state[browser.SAVED] = self.text
            for key in self.cleared:
                st.session_state[key] = None if ".system." in key else ""


def _save(kept: KeptReview, make: Callable[[], Change], form: str = "") -> bool:
    """Append a change to the review as it was on screen; return whether that was possible."""
    try:
        reviews().add(kept.edit_link, make(), len(kept.history), _read_text(_AUTHOR))
    except MtsigError as problem:
        st.session_state[_SAID] = _Message(form, str(problem))
        return False
    st.session_state[_SEEN] = _Seen(kept.read_link, len(kept.history) + 1)
    return True


def _read_text(key: str) -> str:
    """Return the text of a field, in one line."""
    return " ".join((st.session_state.get(key) or "").split())


def _draw_button(view: ReviewView, place, label: str, key: str, change: Change) -> None:
    place.button(label, key=f"review.{key}", on_click=_save, args=(view.kept, lambda: change))


def show_exclude(view: ReviewView, systems: Mapping[str, Sequence[str]]) -> None:
    """Let the user exclude a system; `systems` has the active systems of each language pair."""
    pair_place, system_place = st.columns(2)
    lang_pair = controls.choice(
        "In",
        [ALL, *systems],
        "review.exclude.pair",
        place=pair_place,
        pages_own=True,
        format_func=screen.name_parts_in,
    )
    if lang_pair == ALL:
        names = list(dict.fromkeys(itertools.chain.from_iterable(systems.values())))
    else:
        names = systems[lang_pair]
    system_key = f"review.exclude.system.{lang_pair}"
    reason_key = "review.exclude.reason"
    system = controls.choice(
        "System to exclude",
        names,
        system_key,
        place=system_place,
        optional=True,
        pages_own=True,
        placeholder="choose one",
    )

    def find_fault() -> str | None:
        if system is None:
            return "Choose a system to exclude."
        if not _read_text(reason_key):
            return f"Give a reason for excluding {system}. All readers and every export show it."
        return None

    def draw() -> None:
        st.text_input(
            "Reason",
            key=reason_key,
            max_chars=LONGEST_REASON,
            placeholder=_PUBLIC,
        )

    def make() -> Exclude:
        return Exclude(system, None if lang_pair == ALL else lang_pair, _read_text(reason_key))

    _Form(
        name="exclude",
        label="Exclude it",
        make=make,
        draw=draw,
        is_unsaved=lambda: bool(_read_text(reason_key)),
        text=reason_key,
        find_fault=find_fault,
        cleared=(reason_key, system_key),
    ).show(view)


def pick_settings(view: ReviewView) -> None:
    """Let the user choose metric, preset and rank rule; each choice is a change."""
    info = view.before.kept.info
    review = view.review
    own_scores = dict.fromkeys(itertools.chain.from_iterable(info.scores.values()))
    metrics = list(dict.fromkeys([*(METRICS if info.with_texts else ()), *own_scores]))
    is_mean = review.metric in own_scores
    presets = []
    for name, preset in PRESETS.items():
        if not preset.explain_misfit(is_mean, domains=True):
            presets.append(name)
    current = _find_preset(presets, review.tested)
    if current == controls.CUSTOM:
        presets.append(current)
    rule = SETTINGS["rank_rule"]
    left, middle, right = st.columns(3)
    _select(
        view,
        left,
        _Choice("Metric", metrics, review.metric, SetMetric, metric_titles(metrics).get),
    )
    _select(
        view,
        middle,
        _Choice(
            "Preset",
            presets,
            current,
            lambda name: SetSettings(PRESETS[name].settings, name),
            controls.name_preset,
        ),
    )
    _select(
        view,
        right,
        _Choice(
            rule.title,
            list(fitting_rules(is_mean)),
            review.settings.get("rank_rule", "simultaneous"),
            SetRule,
            rule.name_value,
        ),
    )


def _find_preset(presets: Sequence[str], settings: Mapping[str, object]) -> str:
    """Return the preset that has these settings."""
    default = defaults("compare")
    for name in presets:
        if {**default, **settings} == {**default, **PRESETS[name].settings}:
            return name
    return controls.CUSTOM


@dataclass(frozen=True)
class _Choice:
    """A choice that is kept in the review."""

    label: str
    options: Sequence[str]
    current: str
    make: Callable[[str], Change]
    format: Callable[[str], str]


def _select(view: ReviewView, place, choice: _Choice) -> None:
    """Draw a choice kept in the review, not in the session: another editor may have changed it."""
    key = f"review.{choice.label}.{len(view.kept.history)}"
    index = None
    if choice.current in choice.options:
        index = choice.options.index(choice.current)
    place.selectbox(
        choice.label,
        choice.options,
        index,
        key=key,
        format_func=choice.format,
        on_change=_save,
        args=(view.kept, lambda: choice.make(st.session_state[key])),
    )


def mend(view: ReviewView, remedy: Remedy) -> None:
    """Change the review as a caveat advises."""
    settings: dict[str, object] = dict(remedy)
    if "metrics" in settings:
        change: Change = SetMetric(settings["metrics"])
    else:
        if "refs" in settings:
            settings["refs"] = tuple(settings["refs"].split(","))
        change = SetSettings({**view.review.tested, **settings})
    _save(view.kept, lambda: change)


def show_decide(
    view: ReviewView, systems: Mapping[str, Sequence[str]], comparison: TaskComparison
) -> None:
    """Let the user declare the winner of a language pair; `systems` has the candidates."""
    macro = comparison.macro.get(view.review.metric)
    if macro is not None and macro.is_ranked:
        systems = {**systems, ACROSS_PAIRS: [row.system for row in macro.systems]}
    lang_pair = controls.choice(
        screen.name_parts_in("Language pair"),
        list(systems),
        "review.decide.pair",
        pages_own=True,
        format_func=screen.name_parts_in,
    )
    decided_pair = None if lang_pair == ACROSS_PAIRS else lang_pair
    declared: tuple[str, ...] = ()
    reason = ""
    label = "Decide"
    for decision in view.review.decisions:
        if decision.pair == decided_pair:
            declared = decision.first
            reason = decision.why
            label = "Change the decision"
    first_key = f"review.decide.first.{lang_pair}"
    why_key = f"review.decide.why.{lang_pair}"

    def draw() -> None:
        st.multiselect(
            "Declared winner",
            list(dict.fromkeys([*systems[lang_pair], *declared])),
            list(declared),
            key=first_key,
            placeholder="one system, or several joint winners",
            select_all=False,
        )
        st.text_area("Why", reason, key=why_key, max_chars=LONGEST_TEXT, height=68)

    def is_unsaved() -> bool:
        is_same_first = set(st.session_state[first_key]) == set(declared)
        return not is_same_first or _read_text(why_key) != reason

    _Form(
        name="decide",
        label=label,
        make=lambda: Decide(decided_pair, tuple(st.session_state[first_key]), _read_text(why_key)),
        draw=draw,
        is_unsaved=is_unsaved,
        text=why_key,
    ).show(view)


def show_note(view: ReviewView, systems: Mapping[str, Sequence[str]]) -> None:
    """Let the user write a note on a disputed pair of systems."""
    pair_place, left, right = st.columns(3)
    lang_pair = controls.choice(
        screen.name_parts_in("Language pair"),
        list(systems),
        "review.note.pair",
        place=pair_place,
        pages_own=True,
    )
    names = systems[lang_pair]
    key = f"review.note.a.{lang_pair}"
    a = controls.choice("One system", names, key, place=left, pages_own=True)
    others = [name for name in names if name != a]
    b = None
    if others:
        key = f"review.note.b.{lang_pair}"
        b = controls.choice("The other", others, key, place=right, pages_own=True)
    metric = view.review.metric
    text_key = f"review.note.text.{lang_pair}.{a}.{b}"
    label = "Save the note"
    for note in view.review.notes:
        if (note.pair, note.metric, {note.a, note.b}) == (lang_pair, metric, {a, b}):
            label = "Replace the note above"
    _Form(
        name="note",
        label=label,
        make=lambda: NoteOn(lang_pair, metric, a, b, _read_text(text_key)),
        draw=lambda: st.text_area("Note", key=text_key, max_chars=LONGEST_TEXT, height=68),
        is_unsaved=lambda: bool(_read_text(text_key)),
        text=text_key,
        find_fault=lambda: None if b else "A note needs two systems, and there is only one.",
        cleared=(text_key,),
    ).show(view)


def see_content(view: ReviewView, digest: str, digests: Mapping[str, str]) -> None:
    """Draw the button that continues with the task's current content."""
    label = "Continue with the current content"
    _draw_button(view, st, label, "content", SeeContent(digest, digests))


def show_history(view: ReviewView) -> None:
    """Draw the steps, the newest first, each with a button to undo it while it is in force."""
    history = view.kept.history
    sentences = history_sentences(without_link(history, view.title))
    steps = list(zip(history, sentences, strict=True))
    steps.reverse()
    undone = taken_back(history)
    for entry, text in steps[:_MOST_SHOWN]:
        _show_step(view, entry, text, entry.number in undone)
    earlier = steps[_MOST_SHOWN:]
    if earlier:
        with st.expander(f"{len(earlier)} earlier steps", key="review.earlier"):
            for entry, text in earlier:
                _show_step(view, entry, text, entry.number in undone)


def _show_step(view: ReviewView, entry: Entry, text: str, is_undone: bool) -> None:
    left, right = st.columns([6, 1], vertical_alignment="center")
    with left:
        screen.plain(f"{entry.number}. {text}")
    if view.may_edit and entry.number > 1 and not is_undone:
        _draw_button(view, right, "Undo", f"take.{entry.number}", TakeBack(entry.number))


# What everybody sees.


def watch(view: ReviewView) -> None:
    """Show what others changed since the last run of the page, which runs again when they do."""
    review = view.kept.read_link
    history = view.kept.history
    browser.watch_review(review, len(history))
    last_view = st.session_state.get(_SEEN)
    if last_view is not None and last_view.review == review and last_view.n_steps < len(history):
        sentences = history_sentences(without_link(history, view.title))
        screen.plain(f"New: {'; '.join(sentences[last_view.n_steps :])}.")
    st.session_state[_SEEN] = _Seen(review, len(history))


def ask_name() -> None:
    """Let an editor give a name, which the history has with each step."""
    st.text_input(
        "Your name, for the history",
        key=_AUTHOR,
        max_chars=LONGEST_NAME,
        placeholder=_PUBLIC,
    )


def in_each_pair(comparison: TaskComparison, metric: str) -> dict[str, list[str]]:
    """Return the systems of each language pair, best first."""
    systems = {}
    for lang_pair, result in comparison.pairs.items():
        if metric in result.metrics:
            systems[lang_pair] = result.metrics[metric].names
    return systems


def open_pair(view: ReviewView, lang_pair: str, comparisons: Mapping[str, Comparison]) -> None:
    """Open a language pair with the review's metric, settings and exclusions."""
    review = view.review
    reasons = {}
    for exclusion in review.exclusions:
        is_here = exclusion.pair in (None, lang_pair)
        if is_here and exclusion.system in comparisons[lang_pair].testset.systems:
            reasons[exclusion.system] = exclusion.reason
    last_set = st.session_state.pop(frame.SET, None)
    if last_set is not None:  # its choices wait for it
        _, last_digest = last_set
        address.switched_set(last_digest, "", _belongs_to_set)
    task = TaskComparison(view.before.kept.info, comparisons, {})
    default = defaults("compare")
    # A default is not in the address: else the page would take it out, and Back would need one
    # press more.
    settings: dict[str, object] = {}
    for key, value in {"rank_rule": default["rank_rule"], **review.tested}.items():
        settings[key] = None if value == default.get(key) else str(value)
    settings["humans"] = "true" if review.refs_as_systems else None
    settings["refs"] = list(review.refs) or None
    excluded = {f"{views.REASON}{name}": reason or None for name, reason in reasons.items()}
    query = {
        **settings,
        **view.before.address_of(lang_pair, task.pairs[lang_pair].testset.digest),
        views.BACK: None,
        views.LEFT_OUT: list(reasons) or None,
        **excluded,
    }
    address.go("summary", **query)


def _belongs_to_set(key: str, _texts: object) -> bool:
    return key in (views.LEFT_OUT, "tokenize") or key.startswith(views.REASON)


def show_left_out(
    view: ReviewView, before: TaskComparison | None, now: TaskComparison | None
) -> None:
    """Draw the excluded systems, the reasons, and the effect on the ranks."""
    metric = view.review.metric
    exclusions = view.review.exclusions
    comparison = now or before
    if not exclusions:
        screen.plain("No system is excluded.")
    elif not view.may_edit:
        screen.show_table(left_out_table(exclusions))
    else:
        for exclusion in exclusions:
            _show_exclusion(view, exclusion)
    if view.may_edit and comparison is not None:
        show_exclude(view, in_each_pair(comparison, metric))
    if exclusions and now is not None and before is not None:
        _show_changed_ranks(before, now, metric)


def _show_exclusion(view: ReviewView, exclusion: Exclude) -> None:
    """Draw an excluded system, with a button to put it back."""
    system = exclusion.system
    lang_pair = exclusion.pair
    left, right = st.columns([6, 1], vertical_alignment="center")
    with left:
        reason = exclusion.reason or "no reason given"
        screen.plain(f"{system}, {lang_pair or screen.name_parts_in(ALL)}: {reason}")
    _draw_button(view, right, "Put back", f"back.{lang_pair}.{system}", PutBack(system, lang_pair))


def _show_changed_ranks(before: TaskComparison, now: TaskComparison, metric: str) -> None:
    changes = ranks_before_after(before, now, metric)
    st.subheader("Ranks before and after")
    if nobody_ranked(changes):
        screen.plain("No system is ranked, with or without the excluded systems.")
        return
    screen.show_table(circles_table(changes, find_rank_rule(now)), prose=True)
    screen.show_table(review_changes_table(changes), "review.ranks")
    st.caption(
        "Before: with all systems. Now: without the excluded systems, so with fewer pairs to correct for. Arrow: "
        "the rank changed. A system below an excluded one moves up for this reason only."
    )


def show_decisions(view: ReviewView, now: TaskComparison | None) -> None:
    """Draw the declared winner of each language pair."""
    table = decisions_table(view.review, now)
    n_decided = sum(bool(cell) for cell in table.values("declared"))
    st.subheader(f"{n_decided} of {len(table.rows)} decided")
    if not any(table.values("why")):
        table = table.select(*(key for key in table.keys if key != "why"))
    may_decide = view.may_edit and now is not None
    left = st.container()
    if may_decide:
        left, right = st.columns([3, 2])
    with left:
        screen.show_table(table, prose=True)
        if now is not None:
            screen.cautions(decision_cautions(view.review, now))
    if may_decide:
        with right:
            ask_name()
            show_decide(view, in_each_pair(now, view.review.metric), now)


def show_notes(view: ReviewView, now: TaskComparison | None) -> None:
    """Draw notes on disputed pairs of systems."""
    if view.review.notes:
        screen.show_table(notes_table(view.review.notes, now), prose=True)
        if now is not None:
            st.caption(MEASURED_SAID)
    else:
        screen.plain("There are no notes on pairs of systems.")
    if view.may_edit and now is not None:
        show_note(view, in_each_pair(now, view.review.metric))


def show_links(view: ReviewView) -> None:
    """Draw the links to share."""
    copyable(
        view.address_of(view.kept.read_link),
        "review.read",
        "Link for readers (they cannot change anything)",
    )
    if view.may_edit:
        copyable(
            view.address_of(view.kept.edit_link),
            "review.edit",
            "Link for editors (anyone with it can change the review)",
        )


def show_files(view: ReviewView, now: TaskComparison) -> None:
    """Draw the files, with the decisions, and the command that prints their numbers."""
    metric = view.review.metric
    command = task_command(view.now.kept.source, metrics=metric, **view.review.settings)
    history = without_link(view.kept.history, now.task.name)
    picture = make_once(task_picture, now, metric)
    make_page = partial(ranking_report, now, metric, history)
    charts.download(
        "Ranking with its reasons, to print",
        lambda: render_report(make_page(), "html"),
        (now.task.name, metric, "ranking"),
        "html",
        "review.ranking",
    )
    results_sections.show_files(TaskFiles(now, picture, metric, command, "review", history))
    st.caption(
        "The files contain the decisions and notes. To archive the review, keep the JSON: it contains all "
        "numbers, decisions and reasons, and who took each step and when. The command prints the "
        "numbers, with the exclusions. The picture is the one in the report."
    )


def without_link(history: Sequence[Entry], name: str) -> tuple[Entry, ...]:
    """Return the history for a file, without the link to an uploaded task."""
    begin, *later = history
    if not begin.change.task.startswith(testsets.KEPT):
        return tuple(history)
    return (replace(begin, change=replace(begin.change, task=name)), *later)


def show_mine() -> None:
    """Draw the reviews started in this browser."""
    browser.remember()
    try:
        own_reviews = reviews().list_owned(browser.find_owner())
    except MtsigError as problem:
        screen.error(problem)
        return
    if not own_reviews:
        return
    st.subheader("Yours")
    labels = {name: offer.label for name, offer in testsets.available_tasks().items()}
    for kept in own_reviews:
        _show_review(kept, labels.get(kept.review.task, kept.review.task))


def _show_review(kept: KeptReview, task: str) -> None:
    """Describe a review, with buttons to open and delete it."""
    about, open_place, delete_place = st.columns([6, 1.2, 1.3], vertical_alignment="center")
    begun = datetime.fromtimestamp(kept.history[0].at, UTC)
    with about:
        screen.plain(
            f"{task}, {name_metric(kept.review.metric)}: begun {begun:%Y-%m-%d %H:%M} UTC, "
            f"{format_count(len(kept.history), 'step')}, "
            f"{number(len(kept.review.decisions), 'd')} decided"
        )
    if open_place.button("Open", key=f"review.open.{kept.read_link}"):
        address.go("review", **{LINK: kept.edit_link})
    with delete_place.popover("Delete"):
        st.caption("Both links stop working. This cannot be undone.")
        if st.button("Delete it", key=f"review.delete.{kept.read_link}"):
            _delete(kept)


def _delete(kept: KeptReview) -> None:
    try:
        reviews().delete(kept.edit_link, browser.find_owner())
    except MtsigError as problem:
        screen.error(problem)
    else:
        st.rerun()
