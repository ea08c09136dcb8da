"""The data on screen, with the user's choices and settings.

They are a test set, or a shared task with a test set for each language pair. A kept review has its
own settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

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
from mtsig_core.languages import name_parts
from mtsig_core.metrics import depends_on_testset, resolve_metric
from mtsig_core.metrics.tokenizers import TOKENIZERS, tokenizer_name
from mtsig_core.report.caution_words import name_metric
from mtsig_core.report.commands import command_line, task_command
from mtsig_core.report.review import left_out_said
from mtsig_core.report.sentences import count_tracks
from mtsig_core.results import TaskComparison
from mtsig_core.reviews import Review
from mtsig_core.score_names import order_metrics
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.kept_tasks import KeptDraws, KeptTask
from mtsig_core.stats.ranks import fitting_rules
from mtsig_core.stats.significance import ONLY_LOOK, level_at_look, parse_look
from mtsig_core.testset import name_as_system
from pages._server import review_steps
from pages._store.kept_reviews import KeptReview, ReviewStore
from pages._ui import address, background, controls, result_cache, screen, testsets
from pages._ui.catalogue import PAGES
from pages._ui.controls import choice, several, toggle, unlike
from pages._ui.screen import end_page
from pages._work.memory import remember

LEFT_OUT = "exclude"  # the key of the excluded systems
REASON = "reason."  # and, before the name of each, of the reason
_SYSTEMS = ("a", "b", "system", "baseline", "also")  # the keys of controls that name systems
_OF_ONE_SET = (LEFT_OUT, "domain", "tokenize", "official")
_TRACKS = ("all systems", "constrained", "unconstrained")


@dataclass(frozen=True)
class Selection:
    """The chosen part of a test set."""

    testset: TestSet  # without the excluded systems
    family: TestSet  # with them, on the same segments and references
    unranked: TestSet | None  # the references that neither score nor take part, as systems
    source: Source  # names it on the command line


def pick_tokenizer(full_set: TestSet) -> TestSet:
    """Let the user choose the tokenizer; return the test set with it.

    Auto does not change the test set.
    """
    if not full_set.has_texts:
        return full_set
    tokenizer = choice(
        f"Tokenizer (auto: {tokenizer_name(full_set)})",
        ["auto", *TOKENIZERS],
        "tokenize",
        help=(
            "Splits texts into words, with the names of sacreBLEU. auto: the tokenizer given with the texts, "
            "else by the target language: zh for Chinese, ja-mecab for Japanese, ko-mecab for Korean, "
            "13a for all others."
        ),
    )
    if tokenizer == "auto":
        return full_set
    return _with_tokenizer(full_set, tokenizer)


@remember(16)
def _with_tokenizer(full_set: TestSet, tokenizer: str) -> TestSet:
    return replace(full_set, tokenizer=tokenizer)


def pick_selection(
    full_set: TestSet, source: Source, metric: str, is_drawn: bool = True
) -> Selection:
    """Let the user choose references, domain and systems; the source has the defaults.

    Human translations that score systems, or that have no texts, take part if the metric is their
    ratings.
    """
    place = None
    box = nullcontext()
    if is_drawn:
        place = st
        box = st.expander("Systems and segments", key="selection.box")
    with box:
        references, join = _pick_scoring(full_set, source, metric, place)
        other_references = [name for name in full_set.references if name not in references]
        names = list(full_set.systems)
        if join:
            humans = dict.fromkeys((*other_references, *full_set.rated_humans))
            names += [name_as_system(name) for name in humans]
        excluded = several(
            "Exclude systems",
            names,
            LEFT_OUT,
            [],
            place=place,
            help="Ranks and the correction depend on the systems compared. Summary shows how.",
        )
        domain = _pick_domain(full_set, place)
    scored_by = metric if metric in full_set.scores else None
    family, unranked = _select(full_set, tuple(references), join, domain, scored_by)
    testset = _exclude(family, tuple(excluded))
    if family.systems and not testset.systems:
        raise SettingError(
            "Every system is excluded. Keep one under Systems and segments, two to compare."
        )
    source = replace(
        source,
        tokenize=full_set.tokenizer,
        refs=tuple(references) if other_references else (),
        refs_as_systems=join,
        domain=domain,
        exclude=tuple(excluded),
    )
    return Selection(testset, family, unranked, source)


def _pick_scoring(full_set: TestSet, source: Source, metric: str, place) -> tuple[list[str], bool]:
    """Let the user choose the scoring references, if possible; also return whether others join."""
    names = list(full_set.references)
    if len(names) <= 1 and not full_set.rated_humans:
        return names, False
    is_rated = metric in full_set.scores and bool(_list_rated(full_set, metric))

    def may_join(references):
        return is_rated or len(references) < len(names)

    return _pick_references(names, source, may_join, "Systems and segments", place)


def _pick_domain(full_set: TestSet, place) -> str | None:
    if full_set.domains is None:
        return None
    all_domains = unlike("all", full_set.domains)
    names = [all_domains, *dict.fromkeys(full_set.domains)]
    domain = choice("Domain", names, "domain", place=place)
    return None if domain == all_domains else domain


def _pick_references(
    names: Sequence[str],
    source: Source | TaskSource,
    may_join: Callable[[list[str]], bool],
    box: str,
    place=st,
) -> tuple[list[str], bool]:
    """Let the user choose the scoring references, and whether the other references take part.

    They can take part if `may_join(scoring references)` is true.
    """
    references = list(names)
    if len(names) > 1:
        usual = list(source.refs) or references
        references = several("Score with", names, "refs", usual, place=place)
        if not references:
            raise SettingError(f"No reference to score with. Choose at least one under {box}.")
    is_able = may_join(references)
    join = toggle(
        "References take part as systems",
        source.refs_as_systems,
        "humans",
        disabled=not is_able,
        place=place,
        help="Ranks the references that do not score. With ratings as the metric, ranks "
        "all rated references.",
    )
    return references, join and is_able


def _list_rated(full_set: TestSet, metric: str) -> list[str]:
    """Return the human translations that are no systems and have ratings by a metric."""
    rated = full_set.scores[metric].by_system
    return [name for name in full_set.rated_humans if name in rated]


def of_this_set_alone(key: str, texts: list[str], new: TestSet) -> bool:
    """Return whether a choice holds only for the old test set, not for the new one.

    Excluded systems, the reasons, the domain and the tokenizer belong to one set. Systems stay
    chosen if the new set has systems of the same name.
    """
    if key in _SYSTEMS:
        humans = [name_as_system(name) for name in (*new.references, *new.rated_humans)]
        return not {*new.systems, *humans}.issuperset(texts)
    return key in _OF_ONE_SET or key.startswith(REASON)


@remember(16)
def _select(
    full_set: TestSet,
    references: tuple[str, ...],
    join: bool,
    domain: str | None,
    scored_by: str | None,
) -> tuple[TestSet, TestSet | None]:
    """Return the family and the unranked references of a `Selection`.

    `scored_by` is the metric if it is a mean of segment scores, else None.
    """
    other_references = [name for name in full_set.references if name not in references]
    family = full_set
    if other_references or join:
        family = full_set.scored_with(references, others_as_systems=join)
    family = family.keep_scorable(scored_by or "")
    unranked = None
    if not join:
        unranked = _make_unranked(full_set, family, other_references, scored_by)
    if domain is not None:
        family = family.in_domain(domain)
        if unranked is not None:
            unranked = unranked.in_domain(domain)
    return family, unranked


@remember(16)
def _exclude(family: TestSet, names: tuple[str, ...]) -> TestSet:
    excluded = [name for name in names if name in family.systems]
    if not excluded:
        return family
    return family.without(excluded)


def _make_unranked(
    full_set: TestSet, family: TestSet, other_references: Sequence[str], scored_by: str | None
) -> TestSet | None:
    """Return the references that do not take part, as systems.

    If ratings are the metric, these are all rated references.
    """
    texts = {}
    if scored_by is not None:
        no_texts = (None,) * full_set.n_segments
        texts = dict.fromkeys(_list_rated(full_set, scored_by), no_texts)
    else:
        for name in other_references:
            if None not in full_set.references[name]:
                texts[name] = full_set.references[name]
    if not texts:
        return None
    as_system = {name: name_as_system(name) for name in texts}
    return replace(
        family,
        systems={as_system[name]: values for name, values in texts.items()},
        runs={},
        parses={
            as_system[name]: full_set.parses[name] for name in texts if name in full_set.parses
        },
        scores={metric: scores.select(as_system) for metric, scores in full_set.scores.items()},
    )


# What was chosen, and the comparison that it asks for.


@dataclass(frozen=True)
class View:
    """The data on screen: everything that a page draws comes from here."""

    testset: TestSet  # without what the user has excluded
    full_set: TestSet  # all that was read
    selection: Selection
    metric: str
    settings: dict  # keyword arguments of `mtsig_core.compare`
    source: Source  # names the test set and what was excluded on the command line

    @property
    def title(self) -> str:
        """Return the name of the open test set."""
        return self.full_set.name

    @property
    def is_simulated(self) -> bool:
        """Return whether the data are simulated."""
        return self.full_set.simulated

    def describe_data(self) -> list[str]:
        """Write name and size of the test set in short phrases."""
        testset = self.testset
        phrases = [testset.name, format_count(testset.n_segments, "segment")]
        if testset.n_documents is not None:
            phrases.append(format_count(testset.n_documents, "document"))
        phrases.append(format_count(len(testset.systems), "system"))
        n_excluded = len(set(self.selection.family.systems) - set(testset.systems))
        if n_excluded:
            phrases.append(f"{format_count(n_excluded, 'system')} excluded")
        return phrases

    @property
    def comparison(self) -> Comparison:
        """Return the comparison by the metric on screen."""
        return self.compare()

    @property
    def result(self) -> MetricResult:
        """Return its result by the metric on screen."""
        return self.comparison.metrics[self.metric]

    @property
    def alpha(self) -> float:
        """Return the level of the tests."""
        look = parse_look(self.settings.get("look", ONLY_LOOK))
        return level_at_look(self.settings["alpha"], look)

    @property
    def level(self) -> str:
        """Return the confidence of intervals, in percent."""
        return f"{100 * (1 - self.alpha):g}%"

    @property
    def recounted(self) -> bool:
        """Return whether statistics of a line depend on the other lines of the set."""
        return depends_on_testset(resolve_metric(self.testset, self.metric))

    def named(self, *systems: str, metric: str = "") -> tuple[str, ...]:
        """Return the names that make the name of a file: test set, systems, metric."""
        names = [self.testset.name]
        if len(systems) == 2:
            names.append("pair")
        return (*names, *systems, metric or self.metric)

    def compare(self, metric: str | None = None, **changed) -> Comparison:
        """Compare the systems by this metric or another, with some settings changed.

        A rank rule that does not fit another metric does not rank by it, as in `mtsig_core.compare`.
        """
        settings = {**self.settings, **changed}
        rule = settings.get("rank_rule", "simultaneous")
        is_other = metric is not None and metric != self.metric
        if is_other and rule not in fitting_rules(metric in self.testset.scores):
            settings["rank_rule"] = "simultaneous"
        compared = result_cache.comparison(self.testset, metric or self.metric, **settings)
        if rule == compared.settings.rank_rule:
            return compared
        return replace(compared, settings=replace(compared.settings, rank_rule=rule))

    def experiment(
        self,
        function: Callable,
        description: str,
        *,
        metric: str | None = None,
        testset: TestSet | None = None,
        **arguments,
    ):
        """Return an experiment on this test set or another, as `result_cache.experiment`."""
        return result_cache.experiment(
            testset or self.testset, metric or self.metric, function, description, **arguments
        )

    def command(self, name: str | None = None, *flags: str, **options) -> str:
        """Return the command line that prints the numbers of this view, or of an experiment."""
        if name is None:
            return command_line("compare", self.source, metrics=self.metric, **self.settings)
        return command_line(name, self.source, *flags, **{"metrics": self.metric, **options})


BACK = "back"  # the key of the page that opened a language pair


def show_way_back(view: View) -> None:
    """Draw a link to the page of the shared task that opened this language pair.

    It has the task's choices.
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
    #: The label of the test set that is open and that no page of a task can show.
    instead_of: str = ""

    def __post_init__(self) -> None:
        # A review may exclude a system that the task has no longer, which its page tells.
        with_all_systems = self.kept.leaving_out(())
        screen.PART_NOUN.set(name_parts(with_all_systems.info.pairs))

    @property
    def title(self) -> str:
        """Return the name of the open task."""
        return self.kept.info.name

    @property
    def is_simulated(self) -> bool:
        """Return whether the data are simulated."""
        return self.offer.is_simulated

    def describe_data(self) -> list[str]:
        """Write name and size of the task in short phrases."""
        info = self.kept.info
        pairs = format_count(len(info.pairs), "language pair")
        systems = format_count(len(info.systems), "system")
        return [info.name, pairs, systems, *count_tracks(info, info.systems)]

    @property
    def settings_without_rule(self) -> dict:
        """Return the settings except the rule for ranks."""
        return {name: value for name, value in self.settings.items() if name != "rank_rule"}

    def comparison(self, meanwhile: Callable[[dict[str, Comparison]], None]) -> TaskComparison:
        """Compare all language pairs by the metric; `meanwhile` draws the finished ones."""
        return compare_by(
            self.kept, [self.metric], self.settings, "Comparing all language pairs", meanwhile
        )

    def by_rule(self) -> dict[str, TaskComparison]:
        """Rank all language pairs by each rule that fits, from the same draws."""
        kept_task = self.kept
        metric = self.metric
        settings = self.settings_without_rule

        def work(progress):
            return task_by_rules(kept_task, metric, progress, jobs=-1, **settings)

        key = ("rank rules", kept_task.digest, metric, *sorted(settings.items()))
        return background.result(key, work, "Ranking by each rule")

    def known(self, metric: str) -> TaskComparison | None:
        """Return the comparison by another metric if it was computed before."""
        if not background.is_kept(_key(self.kept, [metric], self.settings)):
            return None
        return compare_by(self.kept, [metric], self.settings, "")

    def address_of(self, pair: str, digest: str) -> dict[str, str | None]:
        """Return the query for the test set of a language pair.

        It has the `digest` of the content, and no defaults. So the page leaves it as it is, and one
        press of Back undoes it.
        """
        info = self.kept.info
        computed = METRICS if pair in info.with_texts else ()
        usual_metric, *_ = order_metrics(info.scores[pair], computed=computed)
        testset = self.offer.testset(self.name, pair)
        query = {
            BACK: "results",
            "testset": testsets.track_name(testset, self.kept.source.track),
            "metric": None if self.metric == usual_metric else self.metric,
        }
        if not self.offer.is_simulated and self.offer.saved is None:  # its content may change
            query[address.SEEN] = digest[:12]
        return query

    def command(self, comparison: TaskComparison) -> str:
        """Return the command line that prints these numbers."""
        metrics = [self.metric]
        for pair in comparison.pairs.values():
            metrics += pair.metrics
        human = None
        if comparison.agreement is not None:
            human = comparison.agreement.human
        unique_metrics = tuple(dict.fromkeys(metrics))
        return task_command(self.kept.source, metrics=unique_metrics, human=human, **self.settings)


def compare_by(
    kept_task: KeptTask,
    metrics: list[str],
    settings: dict,
    description: str,
    meanwhile: Callable[[dict[str, Comparison]], None] | None = None,
) -> TaskComparison:
    """Compare all language pairs by these metrics, and remember the draws.

    `description` and `meanwhile` are as in `background.result`.
    """
    deciding_settings = result_cache.deciding(settings)

    def work(progress):
        cache = KeptDraws()
        result = compare_task(
            kept_task,
            metrics,
            jobs=-1,
            progress=progress,
            on_pair=progress.part,
            cache=cache,
            **settings,
        )
        return deciding_settings, result, dict(cache)

    def decide(cache):
        return compare_task(kept_task, metrics, cache=cache, **settings)

    key = _key(kept_task, metrics, settings)
    return result_cache.decided_from(key, work, deciding_settings, decide, description, meanwhile)


def _key(kept_task: KeptTask, metrics: list[str], settings: dict) -> tuple:
    return "task", kept_task.digest, *metrics, tuple(sorted(result_cache.drawing(settings).items()))


def choose_task(change: DeltaGenerator) -> TaskView:
    """Draw the controls in the sidebar and under `change`; return the view that they make."""
    address.keep(BACK, None)
    offers = _list_task_offers()
    usual = _find_task_of_set(offers)
    name_in_address = address.asked("shared_task")
    labels = {name: offer.label for name, offer in offers.items()}
    name = controls.pick_opened("Shared task", "shared_task", labels, usual)
    if name == usual:  # a link may have named it: the address of the next page does not need it
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
            raise testsets.Gone(name_in_address, "shared task")
        kept_task = _pick_task_references(offers[name], None if track == _TRACKS[0] else track)
        own_scores = kept_task.info.own_scores
    except MtsigError:  # the controls stay
        controls.metric(METRICS)
        controls.pick_settings(PAGES["results"], change)
        raise
    names = list(own_scores)
    if kept_task.info.with_texts:
        names += METRICS
    metric = controls.metric(order_metrics(names, kept_task.info.primary))
    settings = controls.pick_settings(PAGES["results"], change, metric in own_scores)
    instead_of = ""
    is_chosen = name_in_address is not None and name != usual
    if offers[name].is_simulated and not is_chosen:
        instead_of = _name_open_set()
    return TaskView(name, offers[name], kept_task, metric, settings, instead_of)


def _list_task_offers() -> dict[str, testsets.TaskOffer]:
    """Return the shared tasks of this browser, and the upload that a link names."""
    offers = testsets.available_tasks()
    task, _, _ = (address.asked("testset") or "").partition("/")
    for name in (address.asked("shared_task"), task):
        if name:
            offer = testsets.find_task(name, offers)
            if offer is not None:
                offers.setdefault(name, offer)
    return offers


def _name_open_set() -> str:
    """Return the label of the test set that is open on other pages, if it is the user's own.

    Empty if it is simulated, or of a shared task.
    """
    offers = testsets.available()
    offer = testsets.find(address.asked("testset") or next(iter(offers)), offers)
    if offer is None or offer.source.simulated:
        return ""
    return offer.label


def _pick_task_references(offer: testsets.TaskOffer, track: str | None) -> KeptTask:
    """Let the user choose the scoring references, and if the others take part; return the task.

    Without such a choice, nothing is drawn.
    """
    task = testsets.open_kept_task(offer, track)
    of_pairs = list(task.references.values())
    if not any(len(texts) > 1 or rated for texts, rated in of_pairs):
        return task
    names = list(dict.fromkeys(name for texts, _ in of_pairs for name in texts))

    def may_join(references):
        for texts, rated in of_pairs:
            n_scoring = len(set(texts) & set(references))
            if rated or 0 < n_scoring < len(texts):
                return True
        return False

    with st.expander("References", key="task.references"):
        references, join = _pick_references(names, offer.source, may_join, "References")
    if len(references) == len(names):
        references = []
    return testsets.open_kept_task(offer, track, tuple(references), join)


def _find_task_of_set(offers: dict[str, testsets.TaskOffer]) -> str:
    """Return the task of the test set that is open on other pages; else the first."""
    testset = address.asked("testset") or ""
    for name, offer in offers.items():
        if offer.has_testset(name, testset):
            return name
    return next(iter(offers))


# A kept review, and its shared task with and without the systems it excludes.

LINK = "review"  # the key of the link in the address
_LAST = "review.last"  # the key of the review that was opened last


@dataclass(frozen=True)
class ReviewView:
    """The review that the link in the address opens."""

    kept: KeptReview | None  # none where the address has no link
    before: TaskView | None = None  # the task as the review compares it, with all systems
    now: TaskView | None = None  # without the excluded systems

    @property
    def title(self) -> str | None:
        """Return the name of the reviewed task."""
        return None if self.before is None else self.before.title

    @property
    def is_simulated(self) -> bool:
        """Return whether the data are simulated."""
        return self.before is not None and self.before.is_simulated

    def describe_data(self) -> list[str]:
        """Write in short phrases what is reviewed, and how far the review is."""
        if self.kept is None:
            return ["no review is open"]
        review = self.review
        return [
            self.title,
            f"{review.track or 'all'} systems",
            *left_out_said(review),
            name_metric(review.metric),
            f"{len(review.decisions)} decided",
            "you can change it" if self.may_edit else "read only",
        ]

    @property
    def review(self) -> Review:
        """Return the decisions of the review."""
        return self.kept.review

    @property
    def may_edit(self) -> bool:
        """Return whether the link allows to change the review."""
        return self.kept.edit_link is not None

    def address_of(self, link: str) -> str:
        """Return the whole address that opens the review by a link."""
        page, _, _ = (st.context.url or "/review").partition("?")
        return f"{page}?{LINK}={link}"


def choose_review() -> ReviewView:
    """Open the review of the address, else the one opened last; return its view."""
    last = st.session_state.get(_LAST)
    # Also after Back: leaving the page has removed it from the address.
    if address.asked(LINK) is None and last is not None:
        address.keep(LINK, [last])
    link = address.settle(LINK, "", lambda texts: texts[-1], lambda value: [value], pages_own=True)
    if not link:
        return ReviewView(None)
    kept_review = reviews().find(link)
    if kept_review is None:
        st.session_state.pop(_LAST, None)
        raise InputError(
            "The review of this link is not here: it was deleted, it has expired, or it was kept on "
            "another server. Ask the sender of the link for a new one."
        )
    st.session_state[_LAST] = link
    review = kept_review.review
    offers = testsets.available_tasks()
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
    offer = testsets.find_task(review.task, offers)
    if offer is None:
        raise InputError(_explain_missing_task(review.task))
    if link != last:
        _open_everywhere(review, offer)
    full_task = testsets.open_kept_task(offer, review.track, review.refs, review.refs_as_systems)
    without_excluded = full_task.leaving_out(review.exclusions)
    before = TaskView(review.task, offer, full_task, review.metric, review.tested)
    return ReviewView(kept_review, before, replace(before, kept=without_excluded))


def _explain_missing_task(name: str) -> str:
    if name.startswith(testsets.KEPT):
        return (
            "The shared task of this review was uploaded, and is not here: it was deleted, it has "
            "expired, or it was kept on another server."
        )
    return (
        f"The shared task {name!r} of this review is not offered here. The person who runs this "
        "server names its folder with MTSIG_DATA_ROOT."
    )


def _open_everywhere(review: Review, offer: testsets.TaskOffer) -> None:
    """Open the task of a review on the other pages too: no other data are expected there.

    Nothing changes if one of its language pairs is open.
    """
    names = [offer.testset(review.task, pair) for pair in offer.pairs]
    if names and address.asked("testset") not in names:
        address.keep("testset", [names[0]])
        address.keep("metric", [review.metric])
        address.keep("shared_task", None)


@st.cache_resource
def reviews() -> ReviewStore:
    """Return the store of reviews."""
    return ReviewStore(testsets.store().database)


def count_steps(link: str) -> int:
    """Count the steps of the review with a link; 0 without a review."""
    review = reviews().find(link)
    return 0 if review is None else len(review.history)


review_steps.count_steps_by(count_steps)


def _close():
    st.session_state.pop(_LAST, None)
    address.keep(LINK, None)
    st.session_state[LINK] = ""


# -------------------------------------------------------------------------------------------------
# Two systems of a test set, and opening One pair on them.


def choose_pair(view: View, columns: int | Sequence[float] | None) -> tuple[str, str, list]:
    """Let the user choose two systems, by default the two best; also return the free columns.

    Without columns the choice is in the sidebar. With fewer than two systems it ends the page.
    """
    names = [system.system for system in view.result.systems]
    if len(names) < 2:
        screen.error(
            "There is only one system, so there is no pair. Upload another output, or exclude fewer systems."
        )
        end_page()
    places = [st.sidebar] * 2
    if columns is not None:
        places = st.columns(columns)
    left, right, *free_columns = places
    a = controls.choice("System A", names, "a", place=left)
    b = controls.choice("System B", names, "b", names[1], place=right)
    if a == b:
        screen.error(f"A and B are both {a}. Choose another system for one of them.")
        end_page()
    return a, b, free_columns


def open_pair(view: View, a: str, b: str | None = None) -> None:
    """Open One pair on a system and another one.

    The other system is `b`, else the baseline or the best system. If the first system is this
    system, the other is the best of the remaining systems.
    """
    names = [system.system for system in view.result.systems]
    if a not in names:
        screen.plain(
            f"{a} is not ranked. In the sidebar, let the other references take part as systems."
        )
        return
    if b is None:
        leading = view.settings.get("baseline") or names[0]
        b = next((name for name in (leading, *names) if name != a), None)
    if b is not None:
        address.go("pair", **query_of_pair(names, a, b))


def query_of_pair(names: Sequence[str], a: str, b: str) -> dict[str, str | None]:
    """Return the query of One pair for two systems; `names` are all systems, the best first.

    The default systems of the page are not in the query: removing them there would add a step for
    the Back button.
    """
    best, second, *_ = (*names, None, None)
    return {"a": None if a == best else a, "b": None if b == second else b}


def source_for(view: View, *names: str) -> Source:
    """Return the view's source with only these systems, whatever the view excludes."""
    return replace(view.source, exclude=(), only=names)
