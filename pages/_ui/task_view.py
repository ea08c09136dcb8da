"""What the pages Task and Review have on screen: a shared task, a metric, a track, the settings; a kept review."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

import streamlit as st

from mtsig_core import METRICS, Comparison, InputError, MtsigError, SettingError, compare_task
from mtsig_core.errors import format_count
from mtsig_core.readers.tasks import unread_sentences
from mtsig_core.report.caution_words import fit_remedies_to_task, group_cautions
from mtsig_core.report.commands import task_command
from mtsig_core.report.sentences import count_tracks, explain_far_firsts, explain_ranking
from mtsig_core.report.table import Column, Table
from mtsig_core.report.tables import rank_table
from mtsig_core.results import TaskComparison
from mtsig_core.stats.cautions import about_choice
from mtsig_core.stats.kept_tasks import KeptDraws, KeptTask
from mtsig_core.store.reviews import KeptReview, Review, ReviewStore
from mtsig_core.testset import order_metrics
from pages._ui import address, background, controls, result_cache, screen, session_limits, testsets
from pages._ui.catalogue import PAGES
from pages._ui.screen import end_page, in_side_bar

FEW = 4  # language pairs of which all is said in sight

_TRACKS = ("all systems", "constrained", "unconstrained")


@dataclass(frozen=True)
class TaskView:
    """What is chosen in the sidebar."""

    name: str  # of the task, as the address has it
    offer: testsets.TaskOffer
    kept: KeptTask
    metric: str
    settings: dict  # keyword arguments of `compare_task`

    @property
    def title(self) -> str:
        """What is open."""
        return self.kept.info.name

    def comparison(self, meanwhile: Callable[[dict[str, Comparison]], None]) -> TaskComparison:
        """All language pairs compared by the metric; `meanwhile` draws those that are there already."""
        return compare_by(self.kept, [self.metric], self.settings, "Comparing all language pairs", meanwhile)

    def known(self, metric: str) -> TaskComparison | None:
        """All language pairs compared by another metric, where that was drawn before."""
        key = _key(self.kept, [metric], self.settings)
        return None if background.kept(key) is None else compare_by(self.kept, [metric], self.settings, "")

    def address_of(self, pair: str, comparison: TaskComparison) -> dict[str, str | None]:
        """What the address says of the test set of a language pair, and of the metric, unless that is usual there.

        With the content, and without what is usual, the page leaves it as it is, so that one press of Back undoes it.
        """
        info = self.kept.info
        usual = order_metrics([*(METRICS if pair in info.with_texts else ()), *info.scores[pair]])[0]
        named = {"testset": testsets.track_name(self.offer.testset(self.name, pair), self.kept.source.track),
                 "metric": None if self.metric == usual else self.metric}
        may_change = self.offer.source.folder is not None and self.offer.saved is None
        return named | ({address.SEEN: comparison.pairs[pair].testset.digest[:12]} if may_change else {})

    def command(self, comparison: TaskComparison) -> str:
        """The command line that prints what is found."""
        metrics = dict.fromkeys([self.metric, *(name for one in comparison.pairs.values() for name in one.metrics)])
        human = None if comparison.agreement is None else comparison.agreement.human
        return task_command(self.kept.source, metrics=",".join(metrics), human=human, **self.settings)


def compare_by(kept: KeptTask, metrics: list[str], settings: dict, what: str,
               meanwhile: Callable[[dict[str, Comparison]], None] | None = None) -> TaskComparison:
    """All language pairs compared by these metrics; what that draws is remembered, as in `result_cache.comparison`."""
    pairs = [pair for metric in metrics for pair in kept.info.pairs_with(metric)]
    session_limits.check_task(kept.sizes, pairs, compare_task, settings)
    asked = result_cache.deciding(settings)

    def work(progress):
        cache = KeptDraws()
        result = compare_task(kept, metrics, jobs=-1, progress=progress, found=progress.part, cache=cache, **settings)
        return asked, result, dict(cache)

    return result_cache.decided_from(_key(kept, metrics, settings), work, asked, lambda cache: compare_task(
        kept, metrics, cache=cache, **settings), what, meanwhile)


def _key(kept: KeptTask, metrics: list[str], settings: dict) -> tuple:
    return "task", kept.digest, *metrics, tuple(sorted(result_cache.drawing(settings).items()))


def choose() -> TaskView:
    """Draw the controls in the sidebar; what they make."""
    offers = testsets.available_tasks()
    for asked in filter(None, (address.asked("shared_task"), (address.asked("testset") or "").partition("/")[0])):
        if (offer := testsets.find_task(asked, offers)) is not None:  # an upload, of whoever sent its link
            offers.setdefault(asked, offer)
    usual, wish = _of_the_set(offers), address.asked("shared_task")
    labels = {one: offer.label for one, offer in offers.items()}
    name = controls.pick_opened("Shared task", "shared_task", labels, usual)
    if name == usual:  # which a link may have named: it does not stand in the address of the next page either
        address.keep("shared_task", None)
    track = controls.choice("Systems", _TRACKS, "track", pages_own=True, help=(
        "Constrained systems had the same data to learn from. What of the others is said depends on the table of "
        "systems that comes with the task."))
    try:
        if name is None:
            raise testsets.Gone(wish, "shared task")
        kept = _pick_references(offers[name], None if track == _TRACKS[0] else track)
        own = kept.info.own_scores
    except MtsigError:  # the controls stay
        controls.metric(METRICS)
        controls.pick_settings(PAGES["task"])
        raise
    texts = list(METRICS) if kept.info.with_texts else []
    metric = controls.metric(order_metrics([*own, *texts], kept.info.primary))
    return TaskView(name, offers[name], kept, metric, controls.pick_settings(PAGES["task"], metric in own))


def _pick_references(offer: testsets.TaskOffer, track: str | None) -> KeptTask:
    """Choose which references score, and whether the others take part, where there is such a choice; the task so."""
    every = testsets.open_kept_task(offer, track).references
    names = list(dict.fromkeys(name for texts, _ in every.values() for name in texts))
    able = any(len(texts) > 1 or rated for texts, rated in every.values())
    if not able:
        return testsets.open_kept_task(offer, track)
    with st.expander("References", key="task.references"):
        chosen = controls.several("Score with", names, "refs", list(offer.source.refs) or names) \
            if len(names) > 1 else names
        if not chosen and names:
            raise SettingError("No reference to score with. Choose at least one under References.")
        free = any(rated or len(set(texts) & set(chosen)) not in (0, len(texts)) for texts, rated in every.values())
        join = controls.toggle("References take part as systems", offer.source.refs_as_systems, "humans",
                               disabled=not free, help="Those that do not score, and all that were rated.") and free
    return testsets.open_kept_task(offer, track, tuple(chosen) if len(chosen) < len(names) else (), join)


def _of_the_set(offers: dict[str, testsets.TaskOffer]) -> str:
    """The task that the test set is of which was looked at before; else the first."""
    seen = address.asked("testset") or ""
    return next((name for name, offer in offers.items() if seen.startswith(
        f"{name}/" if offer.source.folder is not None else testsets.TASK.title)), next(iter(offers)))


def open_page(view: TaskView | MtsigError, title: str) -> TaskView:
    """Start the page of a task: its title, what is loaded; ends it with a message where the task cannot be read."""
    st.title(title)
    if isinstance(view, MtsigError):
        screen.error(str(view))
        end_page()
    info = view.kept.info
    screen.status([info.name, format_count(len(info.pairs), "language pair"), format_count(len(info.systems), "system"),
                   *count_tracks(info, info.systems)])
    return view


def ask_which_metric(view: TaskView) -> None:
    """Say that nothing says which metric decides, where the one in the sidebar is only the first of several."""
    if view.metric in view.kept.info.own_scores[:1]:
        for caution in about_choice(view.kept.info, view.metric):
            screen.caution_box(f"{caution.finding} Choose the metric that decides in the sidebar.")


def show_picture(comparison: TaskComparison, metric: str, key: str | None = None) -> str | None:
    """Draw the picture of a task; the language pair in which a rank was clicked, where it has a key."""
    shown = rank_table(comparison, metric)
    clicked = screen.show_table(shown, key, open_cells=key is not None)
    if clicked is None or clicked[1] not in comparison.pairs or shown.values(clicked[1])[clicked[0]] is None:
        return None
    return clicked[1]


def show_key(comparison: TaskComparison, metric: str, click: str = "") -> None:
    """Say below the picture what its ranks and marks are, and what a `click` does."""
    st.caption(" ".join([*explain_ranking(comparison, metric, "Coloured:", "Shading"),
                         f"Click a cell to open the language pair{click}."]))


def show_far_firsts(comparison: TaskComparison, metric: str) -> None:
    """Say where a system is in the top group although better-scoring ones are not; in a box where that is often so."""
    sentences = explain_far_firsts(comparison, metric)
    title = f"In the top group although better-scoring systems are not: {len(sentences)} times"
    with st.expander(title, key="task.far-firsts") if len(sentences) > FEW else nullcontext():
        for sentence in sentences:
            screen.plain(sentence)


def show_unread(view: TaskView) -> None:
    """Say which files in the zip of a task are not read."""
    if view.offer.unread:
        screen.caution_box(" ".join(unread_sentences(view.offer.unread)))


def show_warnings(comparison: TaskComparison, key: str) -> None:
    """All warnings by language pair, those of a kind together, for who opens the box."""
    n = sum(len(one.warnings) for one in comparison.pairs.values())
    if n:
        with st.expander(f"Caveats: {format_count(n, 'warning')}", key=key):
            columns = Column("language_pair", "language pair", "name"), Column("text", "warning")
            screen.show_table(Table("warnings", columns, tuple(
                (pair, " ".join(texts)) for pair, one in comparison.pairs.items() for texts in group_cautions(
                    fit_remedies_to_task(one.warnings), several=len(one.metrics) > 1, say=in_side_bar))), prose=True)


# A kept review, and its shared task with and without the systems it excludes.

LINK = "review"  # the key of the link in the address
_LAST = "review.last"  # that of the review opened last


@dataclass(frozen=True)
class ReviewView:
    """What is opened by the link in the address."""

    kept: KeptReview | None  # none where the address has no link
    before: TaskView | None = None  # the task as the review compares it, with all systems, and without those left out
    now: TaskView | None = None

    @property
    def title(self) -> str | None:
        """What is open."""
        return None if self.before is None else self.before.title  # of all systems: some may be gone by now

    @property
    def review(self) -> Review:
        return self.kept.review

    @property
    def may_edit(self) -> bool:
        return self.kept.edit_link is not None

    def address_of(self, link: str) -> str:
        """The whole address under which a link opens the review."""
        return f"{(st.context.url or '/review').partition('?')[0]}?{LINK}={link}"


def choose_review() -> ReviewView:
    """Open the review of the address, else the one opened last; what it has on screen."""
    if address.asked(LINK) is None and _LAST in st.session_state:  # also after Back: leaving the page took it away
        address.keep(LINK, [st.session_state[_LAST]])
    link = address.settle(LINK, "", lambda texts: texts[-1], lambda value: [value], pages_own=True)
    if not link:
        return ReviewView(None)
    kept = reviews().find(link)
    if kept is None:
        st.session_state.pop(_LAST, None)
        raise InputError("The review of this link is not here: it was deleted, it has expired, or it was kept on "
                         "another server. Ask whoever sent the link for another.")
    st.session_state[_LAST] = link
    st.caption("Task, metric and settings are those of the review.")
    st.button("Close this review", on_click=_close)
    review, offers = kept.review, testsets.available_tasks()
    if (offer := testsets.find_task(review.task, offers)) is None:
        raise InputError("The shared task of this review was uploaded, and is not here: it was deleted, it has "
                         "expired, or it was kept on another server." if review.task.startswith(testsets.KEPT) else
                         f"The shared task {review.task!r} of this review is not offered here. Whoever runs this "
                         "server names its folder with MTSIG_DATA_ROOT.")
    whole = testsets.open_kept_task(offer, review.track, review.refs, review.refs_as_systems)
    before = TaskView(review.task, offer, whole, review.metric, review.tested)
    return ReviewView(kept, before, TaskView(review.task, offer, whole.leaving_out(review.exclusions), review.metric,
                                             review.tested))


@st.cache_resource
def reviews() -> ReviewStore:
    return ReviewStore(testsets.store())


def _close():
    st.session_state.pop(_LAST, None)
    address.keep(LINK, None)
    st.session_state[LINK] = ""
