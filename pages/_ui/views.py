"""The data on screen: a test set, or a shared task with a test set for each language pair, with the
user's choices and settings. A kept review has its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

import streamlit as st

from mtsig_core import (
    METRICS,
    Comparison,
    InputError,
    MetricResult,
    MtsigError,
    SettingError,
    TestSet,
    compare_task,
)
from mtsig_core.errors import format_count
from mtsig_core.experiments.rankings import task_by_rules
from mtsig_core.metrics import depends_on_testset, resolve_metric
from mtsig_core.metrics.tokenizers import TOKENIZERS, tokenizer_name
from mtsig_core.report.commands import command_line, task_command
from mtsig_core.results import TaskComparison
from mtsig_core.reviews import Review
from mtsig_core.score_names import order_metrics
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.kept_tasks import KeptDraws, KeptTask
from mtsig_core.testset import name_as_system
from pages._store.kept_reviews import KeptReview, ReviewStore
from pages._ui import address, background, controls, result_cache, screen, testsets
from pages._ui.catalogue import PAGES
from pages._ui.controls import choice, several, toggle, unlike
from pages._ui.screen import end_page
from pages._work.memory import remember

LEFT_OUT = "exclude"  # the key of the excluded systems
REASON = "reason."  # and, before the name of each, of the reason
_SYSTEMS = ("a", "b", "system", "baseline", "also")  # the keys of controls that name systems
_TRACKS = ("all systems", "constrained", "unconstrained")


@dataclass(frozen=True)
class Part:
    """The chosen part of a test set."""

    testset: TestSet  # without the systems left out
    family: TestSet  # with them, on the same segments and references
    unranked: TestSet | None  # the references that neither score nor take part, as systems
    source: Source  # what says so on the command line


def pick_tokenizer(whole: TestSet) -> TestSet:
    """Let the tokenizer be chosen; return the test set with it.

    Auto leaves the test set as it was read.
    """
    if whole.has_texts:
        chosen = choice(
            f"Tokenizer (auto: {tokenizer_name(whole)})",
            ["auto", *TOKENIZERS],
            "tokenize",
            help=(
                "Splits texts into words, with the names of sacreBLEU. auto: the tokenizer given with the texts, "
                "else by the target language: zh for Chinese, ja-mecab for Japanese, ko-mecab for Korean, "
                "13a for all others."
            ),
        )
        if chosen != "auto":
            return _with_tokenizer(whole, chosen)
    return whole


@remember(16)
def _with_tokenizer(whole: TestSet, tokenizer: str) -> TestSet:
    return replace(whole, tokenizer=tokenizer)


def pick_part(whole: TestSet, source: Source, metric: str, drawn: bool = True) -> Part:
    """Let references, domain and systems be chosen, with the source's choice as the default.

    Without effect nothing is `drawn`.

    Human translations that score others, or whose texts are not here, take part where the metric is
    their ratings.
    """
    place = st if drawn else None
    with st.expander("Systems and segments", key="selection.box") if drawn else nullcontext():
        chosen, join = list(whole.references), False
        if len(chosen) > 1 or whole.rated_humans:
            rated = metric in whole.scores and bool(_rated(whole, metric))
            chosen, join = _pick_references(
                chosen,
                source,
                lambda some: rated or len(some) < len(whole.references),
                "Systems and segments",
                place,
            )
        others = [name for name in whole.references if name not in chosen]
        joined = (
            map(name_as_system, {**dict.fromkeys(others), **dict.fromkeys(whole.rated_humans)})
            if join
            else ()
        )
        left_out = several(
            "Exclude systems",
            [*whole.systems, *joined],
            LEFT_OUT,
            [],
            place=place,
            help="Ranks and the correction depend on the systems compared. Summary shows how.",
        )
        domain = None
        if whole.domains is not None:
            anything = unlike("all", whole.domains)
            domain = choice(
                "Domain", [anything, *dict.fromkeys(whole.domains)], "domain", place=place
            )
            domain = None if domain == anything else domain
    rated = metric if metric in whole.scores else None
    source = replace(
        source,
        tokenize=whole.tokenizer,
        refs=tuple(chosen) if others else (),
        refs_as_systems=join,
        domain=domain,
        exclude=tuple(left_out),
    )
    part = Part(*_parts(whole, tuple(chosen), join, domain, tuple(left_out), rated), source)
    if part.family.systems and not part.testset.systems:
        raise SettingError(
            "Every system is excluded. Keep one under Systems and segments, two to compare."
        )
    return part


def _pick_references(
    names: Sequence[str],
    source: Source | TaskSource,
    may_join: Callable[[list[str]], bool],
    box: str,
    place=st,
) -> tuple[list[str], bool]:
    """Let the scoring references be chosen, and whether the others take part, where these
    `may_join`.
    """
    chosen = list(names)
    if len(names) > 1:
        chosen = several("Score with", names, "refs", list(source.refs) or chosen, place=place)
        if not chosen:
            raise SettingError(f"No reference to score with. Choose at least one under {box}.")
    able = may_join(chosen)
    return chosen, toggle(
        "References take part as systems",
        source.refs_as_systems,
        "humans",
        disabled=not able,
        place=place,
        help="Ranks the references that do not score. With ratings as the metric, ranks "
        "all rated references.",
    ) and able


def _rated(whole, metric):
    """Return the human translations that are no systems and have ratings by a metric."""
    return [name for name in whole.rated_humans if name in whole.scores[metric].by_system]


def of_this_set_alone(key: str, texts: list[str], new: TestSet) -> bool:
    """Return whether a choice holds only for the old test set, not for the new one.

    Who is left out, and why, which domain is looked at, and what finds the words, is said of one
    set. Systems stay chosen where the new set has systems of that name.
    """
    if key in _SYSTEMS:
        names = {*new.systems, *map(name_as_system, (*new.references, *new.rated_humans))}
        return not names.issuperset(texts)
    return key in (LEFT_OUT, "domain", "tokenize", "official") or key.startswith(REASON)


@remember(16)
def _parts(whole, chosen, join, domain, left_out, rated):
    """Return the three test sets of a `Part`; `rated` is the metric if it is a mean of segment
    scores, else None.
    """
    others = [name for name in whole.references if name not in chosen]
    family = whole.scored_with(chosen, others_as_systems=join) if others or join else whole
    family = family.keep_scorable(rated or "")
    unranked = None if join else _unranked(whole, family, others, rated)
    if domain is not None:
        family, unranked = family.in_domain(domain), unranked and unranked.in_domain(domain)
    left_out = [name for name in left_out if name in family.systems]
    return family.without(left_out) if left_out else family, family, unranked


def _unranked(whole, family, others, rated):
    """Return the references that do not take part as systems; if ratings are the metric, only the
    rated ones.
    """
    texts = {name: whole.references[name] for name in others if None not in whole.references[name]}
    if rated is not None:
        texts = {name: (None,) * whole.n_segments for name in _rated(whole, rated)}
    if not texts:
        return None
    return replace(
        family,
        systems={name_as_system(name): values for name, values in texts.items()},
        runs={},
        parses={name_as_system(name): whole.parses[name] for name in texts if name in whole.parses},
        scores={
            metric: scores.select({name: name_as_system(name) for name in texts})
            for metric, scores in whole.scores.items()
        },
    )


# What was chosen, and the comparison that it asks for.


@dataclass(frozen=True)
class View:
    """The data on screen: everything that a page draws comes from here."""

    testset: TestSet  # without the systems and segments that the user left out
    whole: TestSet  # all that was read
    part: Part  # what was chosen of it
    metric: str
    settings: dict  # keyword arguments of `mtsig_core.compare`
    # the same for the command line: where the test set comes from, and what was left out of it
    source: Source

    @property
    def title(self) -> str:
        """Return the name of the open test set."""
        return self.whole.name

    @property
    def simulated_size(self) -> str | None:
        """Return the size of simulated data; None for other data."""
        return (
            (
                f"{format_count(len(self.whole.systems), 'system')}, "
                f"{format_count(self.whole.n_segments, 'segment')}"
            )
            if self.whole.simulated
            else None
        )

    @property
    def comparison(self) -> Comparison:
        return self.compare()

    @property
    def result(self) -> MetricResult:
        return self.comparison.metrics[self.metric]

    @property
    def alpha(self) -> float:
        return self.settings["alpha"]

    @property
    def level(self) -> str:
        """Return the confidence of intervals, in percent."""
        return f"{100 * (1 - self.alpha):g}%"

    @property
    def recounted(self) -> bool:
        """Return whether a part of the test set has other statistics by this metric than within the
        whole.
        """
        return depends_on_testset(resolve_metric(self.testset, self.metric))

    def named(self, *systems: str, metric: str = "") -> tuple[str, ...]:
        """Return the parts of the names of this view's files: the test set, the systems, the
        metric.
        """
        return (
            self.testset.name,
            *(["pair"] if len(systems) == 2 else []),
            *systems,
            metric or self.metric,
        )

    def compare(self, metric: str | None = None, **changed) -> Comparison:
        """Compare the systems by this metric or another, with some settings changed."""
        return result_cache.comparison(
            self.testset, metric or self.metric, **{**self.settings, **changed}
        )

    def experiment(
        self,
        function: Callable,
        what: str,
        *,
        metric: str | None = None,
        testset: TestSet | None = None,
        **asked,
    ):
        """Return the result of an experiment on this test set or another, as
        `result_cache.experiment`.
        """
        return result_cache.experiment(
            testset or self.testset, metric or self.metric, function, what, **asked
        )

    def command(self, name: str | None = None, *flags: str, **asked) -> str:
        """Return the command line that prints the numbers of this view, or of an experiment on
        it.
        """
        if name is None:
            return command_line("compare", self.source, metrics=self.metric, **self.settings)
        return command_line(name, self.source, *flags, **{"metrics": self.metric, **asked})


BACK = "back"  # the key of the page that opened a language pair


def show_way_back(view: View) -> None:
    """Draw a link to the page of the shared task that opened this language pair, with the task's
    choices.
    """
    name = address.asked("testset") or ""
    if address.asked(BACK) == "results" and testsets.is_of_task(name):
        address.link(
            "results",
            "Back to Results",
            icon=":material/arrow_back:",
            metric=view.metric,
            track=testsets.track_of(name),
            **{BACK: None},
        )


# A shared task.


@dataclass(frozen=True)
class TaskView:
    """The shared task on screen, with the choices in the sidebar."""

    name: str  # of the task, as the address has it
    offer: testsets.TaskOffer
    kept: KeptTask
    metric: str
    settings: dict  # keyword arguments of `compare_task`
    instead_of: str = (
        ""  # the label of the test set that is open and that no page of a task can show
    )

    @property
    def title(self) -> str:
        """Return the name of the open task."""
        return self.kept.info.name

    @property
    def simulated_size(self) -> str | None:
        """Return the size of simulated data; None for other data."""
        return (
            None
            if self.offer.source.folder is not None
            else (
                f"{format_count(len(self.kept.info.systems), 'system')}, "
                f"{format_count(len(self.kept.info.pairs), 'language pair')}"
            )
        )

    @property
    def settings_without_rule(self) -> dict:
        return {name: value for name, value in self.settings.items() if name != "rank_rule"}

    def comparison(self, meanwhile: Callable[[dict[str, Comparison]], None]) -> TaskComparison:
        """Compare all language pairs by the metric; `meanwhile` draws the finished ones."""
        return compare_by(
            self.kept, [self.metric], self.settings, "Comparing all language pairs", meanwhile
        )

    def by_rule(self) -> dict[str, TaskComparison]:
        """Rank all language pairs by each rule that fits, from the same draws."""
        kept, metric = self.kept, self.metric
        settings = self.settings_without_rule

        def work(progress):
            return task_by_rules(kept, metric, progress, jobs=-1, **settings)

        return background.result(
            ("rank rules", kept.digest, metric, *sorted(settings.items())),
            work,
            "Ranking by each rule",
        )

    def known(self, metric: str) -> TaskComparison | None:
        """Return the comparison by another metric if it was computed before."""
        key = _key(self.kept, [metric], self.settings)
        return (
            None
            if not background.is_kept(key)
            else compare_by(self.kept, [metric], self.settings, "")
        )

    def address_of(self, pair: str, comparison: TaskComparison) -> dict[str, str | None]:
        """Return the query for the test set of a language pair, and for the metric unless it is the
        default there.

        With the content, and without what is usual, the page leaves it as it is, so that one press
        of Back undoes it.
        """
        info = self.kept.info
        usual = order_metrics(
            info.scores[pair], computed=METRICS if pair in info.with_texts else ()
        )[0]
        named = {
            BACK: "results",
            "testset": testsets.track_name(
                self.offer.testset(self.name, pair), self.kept.source.track
            ),
            "metric": None if self.metric == usual else self.metric,
        }
        may_change = self.offer.source.folder is not None and self.offer.saved is None
        return named | (
            {address.SEEN: comparison.pairs[pair].testset.digest[:12]} if may_change else {}
        )

    def command(self, comparison: TaskComparison) -> str:
        """Return the command line that prints these numbers."""
        metrics = dict.fromkeys(
            [self.metric, *(name for one in comparison.pairs.values() for name in one.metrics)]
        )
        human = None if comparison.agreement is None else comparison.agreement.human
        return task_command(self.kept.source, metrics=tuple(metrics), human=human, **self.settings)


def compare_by(
    kept: KeptTask,
    metrics: list[str],
    settings: dict,
    what: str,
    meanwhile: Callable[[dict[str, Comparison]], None] | None = None,
) -> TaskComparison:
    """Compare all language pairs by these metrics, and remember the draws, as in
    `result_cache.comparison`.
    """
    asked = result_cache.deciding(settings)

    def work(progress):
        cache = KeptDraws()
        result = compare_task(
            kept, metrics, jobs=-1, progress=progress, found=progress.part, cache=cache, **settings
        )
        return asked, result, dict(cache)

    return result_cache.decided_from(
        _key(kept, metrics, settings),
        work,
        asked,
        lambda cache: compare_task(kept, metrics, cache=cache, **settings),
        what,
        meanwhile,
    )


def _key(kept: KeptTask, metrics: list[str], settings: dict) -> tuple:
    return "task", kept.digest, *metrics, tuple(sorted(result_cache.drawing(settings).items()))


def choose_task() -> TaskView:
    """Draw the controls in the sidebar; return the view that they make."""
    address.keep(BACK, None)
    offers = testsets.available_tasks()
    for asked in filter(
        None, (address.asked("shared_task"), (address.asked("testset") or "").partition("/")[0])
    ):
        if (
            offer := testsets.find_task(asked, offers)
        ) is not None:  # an upload, of whoever sent its link
            offers.setdefault(asked, offer)
    usual, wish = _of_the_set(offers), address.asked("shared_task")
    labels = {one: offer.label for one, offer in offers.items()}
    name = controls.pick_opened("Shared task", "shared_task", labels, usual)
    if (
        name == usual
    ):  # which a link may have named: it does not stand in the address of the next page either
        address.keep("shared_task", None)
    track = controls.choice(
        "Systems",
        _TRACKS,
        "track",
        pages_own=True,
        help=(
            "Constrained systems had the same training data. The table of systems that comes with the task says which "
            "these are."
        ),
    )
    try:
        if name is None:
            raise testsets.Gone(wish, "shared task")
        kept = _pick_task_references(offers[name], None if track == _TRACKS[0] else track)
        own = kept.info.own_scores
    except MtsigError:  # the controls stay
        controls.metric(METRICS)
        controls.pick_settings(PAGES["results"])
        raise
    texts = list(METRICS) if kept.info.with_texts else []
    metric = controls.metric(order_metrics([*own, *texts], kept.info.primary))
    settings = controls.pick_settings(PAGES["results"], metric in own)
    is_chosen = wish is not None and name != usual
    instead_of = "" if is_chosen or offers[name].source.folder is not None else _name_open_set()
    return TaskView(name, offers[name], kept, metric, settings, instead_of)


def _name_open_set() -> str:
    """Return the label of the test set that is open on other pages, if it is one of its own: not
    simulated, and of no shared task. Empty if there is none.
    """
    offers = testsets.available()
    offer = testsets.find(address.asked("testset") or next(iter(offers)), offers)
    return "" if offer is None or offer.source.simulated else offer.label


def _pick_task_references(offer: testsets.TaskOffer, track: str | None) -> KeptTask:
    """Let the scoring references be chosen, and whether the others take part, if there is such a
    choice; return the task.
    """
    every = testsets.open_kept_task(offer, track).references
    names = list(dict.fromkeys(name for texts, _ in every.values() for name in texts))
    if not any(len(texts) > 1 or rated for texts, rated in every.values()):
        return testsets.open_kept_task(offer, track)
    with st.expander("References", key="task.references"):

        def may_join(some):
            return any(
                rated or len({*texts} & {*some}) not in (0, len(texts))
                for texts, rated in every.values()
            )

        chosen, join = _pick_references(names, offer.source, may_join, "References")
    return testsets.open_kept_task(
        offer, track, tuple(chosen) if len(chosen) < len(names) else (), join
    )


def _of_the_set(offers: dict[str, testsets.TaskOffer]) -> str:
    """Return the task of the test set seen last; else the first."""
    seen = address.asked("testset") or ""
    return next(
        (
            name
            for name, offer in offers.items()
            if seen.startswith(
                f"{name}/" if offer.source.folder is not None else testsets.TASK.title
            )
        ),
        next(iter(offers)),
    )


# A kept review, and its shared task with and without the systems it excludes.

LINK = "review"  # the key of the link in the address
_LAST = "review.last"  # that of the review opened last


@dataclass(frozen=True)
class ReviewView:
    """The review that the link in the address opens."""

    kept: KeptReview | None  # none where the address has no link
    before: TaskView | None = (
        None  # the task as the review compares it, with all systems, and without those left out
    )
    now: TaskView | None = None

    @property
    def title(self) -> str | None:
        """Return the name of the reviewed task."""
        return (
            None if self.before is None else self.before.title
        )  # of all systems: some may be gone by now

    @property
    def simulated_size(self) -> str | None:
        return None if self.before is None else self.before.simulated_size

    @property
    def review(self) -> Review:
        return self.kept.review

    @property
    def may_edit(self) -> bool:
        return self.kept.edit_link is not None

    def address_of(self, link: str) -> str:
        """Return the whole address that opens the review by a link."""
        return f"{(st.context.url or '/review').partition('?')[0]}?{LINK}={link}"


def choose_review() -> ReviewView:
    """Open the review of the address, else the one opened last; return its view."""
    last = st.session_state.get(_LAST)
    if (
        address.asked(LINK) is None and last is not None
    ):  # also after Back: leaving the page took it away
        address.keep(LINK, [last])
    link = address.settle(LINK, "", lambda texts: texts[-1], lambda value: [value], pages_own=True)
    if not link:
        return ReviewView(None)
    kept = reviews().find(link)
    if kept is None:
        st.session_state.pop(_LAST, None)
        raise InputError(
            "The review of this link is not here: it was deleted, it has expired, or it was kept on "
            "another server. Ask whoever sent the link for another."
        )
    st.session_state[_LAST] = link
    review, offers = kept.review, testsets.available_tasks()
    address.link(
        "results",
        "Back to Results",
        icon=":material/arrow_back:",
        shared_task=review.task,
        track=review.track,
        metric=review.metric,
    )
    st.caption("The review sets task, metric and settings.")
    st.button("Close this review", on_click=_close)
    if (offer := testsets.find_task(review.task, offers)) is None:
        raise InputError(
            "The shared task of this review was uploaded, and is not here: it was deleted, it has "
            "expired, or it was kept on another server."
            if review.task.startswith(testsets.KEPT)
            else f"The shared task {review.task!r} of this review is not offered here. Whoever runs this "
            "server names its folder with MTSIG_DATA_ROOT."
        )
    if link != last:
        _open_everywhere(review, offer)
    whole = testsets.open_kept_task(offer, review.track, review.refs, review.refs_as_systems)
    before = TaskView(review.task, offer, whole, review.metric, review.tested)
    return ReviewView(
        kept,
        before,
        TaskView(
            review.task, offer, whole.leaving_out(review.exclusions), review.metric, review.tested
        ),
    )


def _open_everywhere(review: Review, offer: testsets.TaskOffer) -> None:
    """Open the task of a review on the other pages too, unless one of its language pairs is open:
    who comes by a link expects no other data there.
    """
    seen = address.asked("testset") or ""
    names = [offer.testset(review.task, pair) for pair in offer.pairs]
    if names and seen not in names:
        address.keep("testset", [names[0]])
        address.keep("metric", [review.metric])
        address.keep("shared_task", None)


@st.cache_resource
def reviews() -> ReviewStore:
    return ReviewStore(testsets.store().database)


def _close():
    st.session_state.pop(_LAST, None)
    address.keep(LINK, None)
    st.session_state[LINK] = ""


# -------------------------------------------------------------------------------------------------
# Two systems of a test set, and opening One pair on them.


def choose_pair(view: View, columns: int | Sequence[float] = 2) -> tuple[str, str, list]:
    """Let two systems be chosen, by default the two best; the columns next to the menus are free
    for more.

    It ends the page where there are no two.
    """
    names = [system.system for system in view.result.systems]
    if len(names) < 2:
        screen.error(
            "There is only one system, so there is no pair. Upload another output, or exclude fewer systems."
        )
        end_page()
    left, right, *beside = st.columns(columns)
    a = controls.choice("System A", names, "a", place=left)
    b = controls.choice("System B", names, "b", names[1], place=right)
    if a == b:
        screen.error(f"A and B are both {a}. Choose another system for one of them.")
        end_page()
    return a, b, beside


def open_pair(view: View, a: str, b: str | None = None) -> None:
    """Open One pair on a system and the baseline or the best system; if it is that system, on the
    best of the others.
    """
    names = [system.system for system in view.result.systems]
    if a not in names:
        screen.plain(
            f"{a} is not ranked. In the sidebar, let the other references take part as systems."
        )
        return
    leading = view.settings.get("baseline") or names[0]
    b = b or next((name for name in (leading, *names) if name != a), None)
    if b is not None:
        address.go("pair", **query_of_pair(names, a, b))


def query_of_pair(names: Sequence[str], a: str, b: str) -> dict[str, str | None]:
    """Return the query of One pair for two systems if the test set has only these, the best first.

    Those chosen there anyway stay out of it: to take them out again would be a step for Back.
    """
    usual = dict(zip("ab", names, strict=False))
    return {key: None if name == usual.get(key) else name for key, name in (("a", a), ("b", b))}


def source_for(view: View, *names: str) -> Source:
    """Return the view's source with only these systems, whatever the view excludes."""
    return replace(view.source, exclude=(), only=names)
