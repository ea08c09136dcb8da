"""A review of a shared task: what an organiser decided about it, as a value, and each step that led there.

A review is what its history says, one entry after another. Nothing is ever taken out of the history: an entry that is
taken back stays, with the entry that takes it back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from mtsig_core.data.task_exclusions import TaskExclusion
from mtsig_core.errors import InputError, SettingError

__all__ = ["Begin", "CHANGES", "Change", "Decide", "Decision", "Entry", "Exclude", "LONGEST_REASON", "LONGEST_TEXT",
           "Note", "NoteOn", "PutBack", "Review", "SeeContent", "SetMetric", "SetRule", "TakeBack", "apply",
           "change_from_json", "change_to_json", "check", "check_lengths", "replay", "taken_back"]

LONGEST_REASON, LONGEST_TEXT = 200, 4000


@dataclass(frozen=True)
class Note:
    """What is said of a disputed pair of systems, in a language pair by a metric."""

    pair: str
    metric: str
    a: str
    b: str
    text: str


@dataclass(frozen=True)
class Decision:
    """Who is declared the first in a language pair, several where they tie, and why."""

    pair: str
    first: tuple[str, ...]
    why: str = ""


@dataclass(frozen=True)
class Review:
    """What stands now.

    Attributes
    ----------
    task : str
        What the shared task is called where it is opened.
    track : str or None
        The systems of one track alone.
    digest : str
        Of the content of the task when it was reviewed, as `Task.digest`.
    digests : mapping of str to str
        That of each language pair.
    metric : str
    settings : mapping
        Keyword arguments of `compare_task`, the rule for ranks among them.
    exclusions : tuple of TaskExclusion
    notes : tuple of Note
    decisions : tuple of Decision
    """

    task: str
    track: str | None
    digest: str
    digests: Mapping[str, str]
    metric: str
    settings: Mapping[str, Any]
    exclusions: tuple[TaskExclusion, ...] = ()
    notes: tuple[Note, ...] = ()
    decisions: tuple[Decision, ...] = ()

    @property
    def refs(self) -> tuple[str, ...]:
        """The references to score with, as `compare_task` takes them."""
        return tuple(self.settings.get("refs", ()))

    @property
    def refs_as_systems(self) -> bool:
        """Whether the others act as systems."""
        return bool(self.settings.get("refs_as_systems", False))

    @property
    def tested(self) -> dict[str, Any]:
        """The settings but for those of references, which say what is compared."""
        return {name: value for name, value in self.settings.items() if name not in ("refs", "refs_as_systems")}


# -- changes ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Begin:
    """Starts a review; the fields are those of `Review`."""

    task: str
    track: str | None
    digest: str
    digests: Mapping[str, str]
    metric: str
    settings: Mapping[str, Any]


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
class SetMetric:
    """Chooses the metric."""

    metric: str


@dataclass(frozen=True)
class NoteOn:
    """Says something of a disputed pair of systems; without a text the note is removed."""

    pair: str
    metric: str
    a: str
    b: str
    text: str


@dataclass(frozen=True)
class Decide:
    """Declares who is the first in a language pair; without a name the decision is removed."""

    pair: str
    first: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class SeeContent:
    """Goes on with the content that the task has by now."""

    digest: str
    digests: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TakeBack:
    """Takes an entry back, by its number; one that took back another puts that into force again."""

    number: int


Change = Begin | Exclude | PutBack | SetRule | SetMetric | NoteOn | Decide | SeeContent | TakeBack
#: By the name that JSON has for it.
CHANGES: Mapping[str, type[Any]] = {
    "begin": Begin, "exclude": Exclude, "put back": PutBack, "rule": SetRule, "metric": SetMetric, "note": NoteOn,
    "decide": Decide, "content": SeeContent, "take back": TakeBack}


@dataclass(frozen=True)
class Entry:
    """A step of the history.

    Attributes
    ----------
    number : int
        From 1.
    at : float
        Seconds since 1970.
    change : Change
    """

    number: int
    at: float
    change: Change


# -- what a history amounts to ---------------------------------------------------------------------------------


def replay(history: Sequence[Entry]) -> Review:
    """The review that a history amounts to: its entries in their order, without those taken back.

    >>> begin = Begin("toy", None, "0", {}, "bleu", {})
    >>> steps = [begin, Exclude("A", None, "late"), Exclude("B"), TakeBack(2)]
    >>> review = replay([Entry(k, 0.0, step) for k, step in enumerate(steps, 1)])
    >>> [one.system for one in review.exclusions]
    ['B']
    """
    if not history or not isinstance(history[0].change, Begin):
        raise InputError("A review begins with what is reviewed, and this one does not.")
    review, gone = Review(**vars(history[0].change)), taken_back(history)
    for entry in history[1:]:
        if entry.number not in gone:
            review = apply(review, entry.change)
    return review


def taken_back(history: Sequence[Entry]) -> frozenset[int]:
    """The numbers of the entries that are not in force."""
    gone: set[int] = set()
    for entry in reversed(history):  # one that takes back comes later, so it is known by now whether it is in force
        if isinstance(entry.change, TakeBack) and entry.number not in gone:
            gone ^= {entry.change.number}
    return frozenset(gone)


def apply(review: Review, change: Change) -> Review:
    """The review after a change; taking back is about a history, see `replay`."""
    match change:
        case Exclude(system, pair, reason):
            rest = [one for one in review.exclusions if (one.system, one.pair) != (system, pair)]
            return replace(review, exclusions=(*rest, TaskExclusion(system, reason, pair)))
        case PutBack(system, pair):
            return replace(review, exclusions=tuple(one for one in review.exclusions
                                                    if (one.system, one.pair) != (system, pair)))
        case SetRule(rule):
            return replace(review, settings={**review.settings, "rank_rule": rule})
        case SetMetric(metric):
            return replace(review, metric=metric)
        case NoteOn(pair, metric, a, b, text):
            others = [one for one in review.notes if (one.pair, one.metric, {one.a, one.b}) != (pair, metric, {a, b})]
            return replace(review, notes=(*others, *([Note(pair, metric, a, b, text)] if text else [])))
        case Decide(pair, first, why):
            kept = [one for one in review.decisions if one.pair != pair]
            return replace(review, decisions=(*kept, *([Decision(pair, first, why)] if first else [])))
        case SeeContent(digest, digests):
            return replace(review, digest=digest, digests=digests)
    return review


def check(history: Sequence[Entry], change: Change) -> None:
    """Whether a change says something that is not so already.

    Raises
    ------
    SettingError
        Else; and where a text is too long, or an entry cannot be taken back.
    """
    check_lengths(change)
    if isinstance(change, TakeBack):
        if not 1 < change.number <= len(history):
            raise SettingError(f"Entry {change.number} cannot be taken back. Expected one from 2 to {len(history)}.")
        if change.number in taken_back(history):
            raise SettingError(f"Entry {change.number} is taken back already.")
    elif isinstance(change, NoteOn) and change.a == change.b:
        raise SettingError("A note is on two systems. Choose two different ones.")
    elif isinstance(change, Begin) or apply(replay(history), change) == replay(history):
        raise SettingError("Nothing was changed: this is so already.")


def check_lengths(change: Change) -> None:
    """Raises SettingError where a text is too long."""
    for name, longest in (("reason", LONGEST_REASON), ("why", LONGEST_TEXT), ("text", LONGEST_TEXT)):
        if len(getattr(change, name, "")) > longest:
            raise SettingError(f"This text has {len(getattr(change, name)):,} characters. Expected at most "
                               f"{longest:,}.")


# -- changes as JSON -------------------------------------------------------------------------------------------


def change_to_json(change: Change) -> dict[str, Any]:
    """A change as what JSON can write."""
    kind = next(name for name, kind in CHANGES.items() if isinstance(change, kind))
    return {"kind": kind, **asdict(change)}


def change_from_json(data: Mapping[str, Any]) -> Change:
    """What `change_to_json` gave."""
    kind = CHANGES.get(data.get("kind", ""))
    if kind is None or not data.keys() - {"kind"} <= {one.name for one in fields(kind)}:
        raise InputError(f"The review has an entry of a kind {data.get('kind')!r} that this version of mtsig does not "
                         "know. Update mtsig.")
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items() if name != "kind"}
    change: Change = kind(**given)
    return change
