"""Reviews of shared tasks: the decisions of an organiser, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from mtsig_core.errors import InputError, SettingError
from mtsig_core.schema import from_plain, parse_json, to_plain
from mtsig_core.task import TaskExclusion

# A review is its history: one entry after another. Nothing is ever removed from the history: an
# entry that is taken back stays, with the entry that takes it back.

LONGEST_REASON = 200
LONGEST_TEXT = 4000
LONGEST_NAME = 60
_LONGEST = {"reason": LONGEST_REASON, "why": LONGEST_TEXT, "text": LONGEST_TEXT}


# -- changes --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Begin:
    """Starts a review: its task, and the settings of the comparison at that time."""

    task: str  # its name in the address of the dashboard
    track: str | None  # only the systems of this track
    digest: str  # of the content of the task when it was reviewed, as `Task.digest`
    digests: Mapping[str, str]  # the digest of each language pair
    metric: str
    settings: Mapping[str, Any]  # keyword arguments of `compare_task`


@dataclass(frozen=True)
class Exclude:
    """Leaves a system out, in one language pair or (None) in all."""

    system: str
    pair: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class PutBack:
    """Lets a system take part again where it was left out."""

    system: str
    pair: str | None = None


@dataclass(frozen=True)
class SetRule:
    """Chooses the rule for ranks."""

    rule: str


@dataclass(frozen=True)
class SetSettings:
    """Chooses all settings of the test and the rule for ranks, perhaps by the name of a preset."""

    settings: Mapping[str, Any]
    preset: str | None = None


@dataclass(frozen=True)
class SetMetric:
    """Chooses the metric."""

    metric: str


@dataclass(frozen=True)
class NoteOn:
    """Adds a note on a pair of systems, in a language pair by a metric.

    Without a text the note is removed.
    """

    pair: str
    metric: str
    a: str
    b: str
    text: str


@dataclass(frozen=True)
class Decide:
    """Declares the winner in a language pair, or (None) across all of them, and why.

    Several systems may tie. Without a name the decision is removed.
    """

    pair: str | None
    first: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class SeeContent:
    """Accepts the content that the task has now."""

    digest: str
    digests: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TakeBack:
    """Takes an entry back, by its number. To take back a `TakeBack` restores the first entry."""

    number: int


Change = (
    Begin
    | Exclude
    | PutBack
    | SetRule
    | SetSettings
    | SetMetric
    | NoteOn
    | Decide
    | SeeContent
    | TakeBack
)
#: By the name that JSON has for it.
CHANGES: Mapping[str, type[Any]] = {
    "begin": Begin,
    "exclude": Exclude,
    "put back": PutBack,
    "rule": SetRule,
    "settings": SetSettings,
    "metric": SetMetric,
    "note": NoteOn,
    "decide": Decide,
    "content": SeeContent,
    "take back": TakeBack,
}


_OF_REFERENCES = ("refs", "refs_as_systems")


@dataclass(frozen=True)
class Entry:
    """A step of the history."""

    number: int  # from 1
    at: float  # seconds since 1970
    change: Change
    author: str = ""  # the name that somebody gave; empty where none was given


@dataclass(frozen=True)
class Review(Begin):
    """The state of a review."""

    exclusions: tuple[TaskExclusion, ...] = ()
    notes: tuple[NoteOn, ...] = ()
    decisions: tuple[Decide, ...] = ()

    @property
    def refs(self) -> tuple[str, ...]:
        """The references to score with, as `compare_task` takes them."""
        return tuple(self.settings.get("refs", ()))

    @property
    def refs_as_systems(self) -> bool:
        """Whether the other references act as systems."""
        return bool(self.settings.get("refs_as_systems", False))

    @property
    def tested(self) -> dict[str, Any]:
        """The settings of the test, without references, which belong to the compared data."""
        return {name: value for name, value in self.settings.items() if name not in _OF_REFERENCES}


# -- what a history amounts to --------------------------------------------------------------------


def replay(history: Sequence[Entry]) -> Review:
    """Return the review after all entries of a history, in order, except entries taken back.

    >>> begin = Begin("toy", None, "0", {}, "bleu", {})
    >>> steps = [begin, Exclude("A", None, "late"), Exclude("B"), TakeBack(2)]
    >>> review = replay([Entry(k, 0.0, step) for k, step in enumerate(steps, 1)])
    >>> [exclusion.system for exclusion in review.exclusions]
    ['B']
    """
    if not history or not isinstance(history[0].change, Begin):
        raise InputError("A review begins with what is reviewed, and this one does not.")
    review = Review(**vars(history[0].change))
    inactive = taken_back(history)
    for entry in history[1:]:
        if entry.number not in inactive:
            review = apply(review, entry.change)
    return review


def taken_back(history: Sequence[Entry]) -> frozenset[int]:
    """Return the numbers of the entries that are not in force."""
    inactive: set[int] = set()
    # From the last entry on: whether an entry that takes back is in force itself is then known.
    for entry in reversed(history):
        change = entry.change
        if not isinstance(change, TakeBack) or entry.number in inactive:
            continue
        if change.number in inactive:
            inactive.remove(change.number)
        else:
            inactive.add(change.number)
    return frozenset(inactive)


def apply(review: Review, change: Change) -> Review:
    """Return the review after a change; taking back is about a history, see `replay`."""
    if isinstance(change, Exclude | PutBack):
        return _change_exclusions(review, change)
    if isinstance(change, NoteOn):
        return _change_notes(review, change)
    if isinstance(change, Decide):
        return _change_decisions(review, change)
    if isinstance(change, SetRule):
        review = replace(review, settings={**review.settings, "rank_rule": change.rule})
    elif isinstance(change, SetSettings):
        settings = {
            name: value for name, value in review.settings.items() if name in _OF_REFERENCES
        }
        review = replace(review, settings={**settings, **change.settings})
    elif isinstance(change, SetMetric):
        review = replace(review, metric=change.metric)
    elif isinstance(change, SeeContent):
        review = replace(review, digest=change.digest, digests=change.digests)
    return review


def _change_exclusions(review: Review, change: Exclude | PutBack) -> Review:
    place = (change.system, change.pair)
    exclusions = [
        exclusion for exclusion in review.exclusions if (exclusion.system, exclusion.pair) != place
    ]
    if isinstance(change, Exclude):
        exclusions.append(TaskExclusion(change.system, change.reason, change.pair))
    return replace(review, exclusions=tuple(exclusions))


def _change_notes(review: Review, change: NoteOn) -> Review:
    notes = [note for note in review.notes if _subject_of(note) != _subject_of(change)]
    if change.text:
        notes.append(change)
    return replace(review, notes=tuple(notes))


def _subject_of(note: NoteOn) -> tuple[str, str, frozenset[str]]:
    """Return language pair, metric and systems, whichever system is named first."""
    return note.pair, note.metric, frozenset((note.a, note.b))


def _change_decisions(review: Review, change: Decide) -> Review:
    decisions = [decision for decision in review.decisions if decision.pair != change.pair]
    if change.first:
        decisions.append(change)
    return replace(review, decisions=tuple(decisions))


def check(history: Sequence[Entry], change: Change) -> None:
    """Raise SettingError for a change that says nothing new."""
    check_lengths(change)
    if isinstance(change, TakeBack):
        if not 1 < change.number <= len(history):
            raise SettingError(
                f"Entry {change.number} cannot be undone. Expected one from 2 to {len(history)}."
            )
        if change.number in taken_back(history):
            raise SettingError(f"Entry {change.number} was already undone.")
        return
    if isinstance(change, NoteOn) and change.a == change.b:
        raise SettingError("A note is on two systems. Choose two different ones.")
    review = replay(history)
    if isinstance(change, Begin) or apply(review, change) == review:
        raise SettingError("Nothing was changed: this is so already.")


def check_lengths(change: Change) -> None:
    """Raise SettingError for a text that is too long."""
    for name, longest in _LONGEST.items():
        length = len(getattr(change, name, ""))
        if length > longest:
            raise SettingError(
                f"This text has {length:,} characters. Expected at most {longest:,}."
            )


# -- changes as JSON ------------------------------------------------------------------------------


def change_to_json(change: Change) -> dict[str, Any]:
    """Return a change as JSON has it."""
    kind = next(name for name, kind in CHANGES.items() if isinstance(change, kind))
    return {"kind": kind, **to_plain(change)}


def read_review(text: str, place: str) -> Review:
    """The review in the JSON of a task, as the page Review exports it."""
    record = parse_json(text)
    review = record.get("review") if isinstance(record, dict) else None
    steps = review.get("history") if isinstance(review, dict) else None
    if not isinstance(steps, list):
        raise InputError(
            f"{place} has no review. Expected the JSON file that the page Review offers under Export."
        )
    history = []
    for number, step in enumerate(steps, 1):
        step_place = f"{place}, step {number} of the review"
        data = from_plain(dict[str, Any], step, step_place)
        change = change_from_json(
            from_plain(dict[str, Any], data.get("change"), step_place), step_place
        )
        history.append(Entry(number, 0.0, change))
    return replay(history)


def change_from_json(data: Mapping[str, Any], place: str = "The review") -> Change:
    """Return a change of `change_to_json`; InputError for one that this version does not know."""
    values = dict(data)
    kind_name = str(values.pop("kind", None))
    kind = CHANGES.get(kind_name)
    if kind is None or not values.keys() <= {field.name for field in fields(kind)}:
        raise InputError(
            f"{place} has a change of a kind {kind_name[:40]!r} that this version of mtsig does not "
            "know. Update mtsig."
        )
    change: Change = from_plain(kind, values, place)
    return change
