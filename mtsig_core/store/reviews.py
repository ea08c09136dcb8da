"""Reviews of shared tasks: what an organiser decided, step by step, and how it is kept."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from mtsig_core.errors import InputError, SettingError
from mtsig_core.schema import from_plain, parse_json, to_plain
from mtsig_core.store.database import Database, hidden, later
from mtsig_core.task import TaskExclusion

# A review is what its history says, one entry after another. Nothing is ever taken out of the
# history: an entry that is taken back stays, with the entry that takes it back.

LONGEST_REASON, LONGEST_TEXT = 200, 4000


# -- changes --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Begin:
    """Starts a review: what is reviewed, and how it was compared then."""

    task: str  # what the shared task is called where it is opened
    track: str | None  # the systems of one track alone
    digest: str  # of the content of the task when it was reviewed, as `Task.digest`
    digests: Mapping[str, str]  # that of each language pair
    metric: str
    settings: Mapping[
        str, Any
    ]  # keyword arguments of `compare_task`, the rule for ranks among them


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
    """Chooses all settings of the test, the rule for ranks among them, perhaps by the name of a
    preset.
    """

    settings: Mapping[str, Any]
    preset: str | None = None


@dataclass(frozen=True)
class SetMetric:
    """Chooses the metric."""

    metric: str


@dataclass(frozen=True)
class NoteOn:
    """Says something of a disputed pair of systems, in a language pair by a metric; without a text
    the note is removed.
    """

    pair: str
    metric: str
    a: str
    b: str
    text: str


@dataclass(frozen=True)
class Decide:
    """Declares who is the first in a language pair, or (None) across all of them, several where
    they tie, and why; without a name the decision is removed.
    """

    pair: str | None
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


@dataclass(frozen=True)
class Entry:
    """A step of the history."""

    number: int  # from 1
    at: float  # seconds since 1970
    change: Change


@dataclass(frozen=True)
class Review(Begin):
    """What stands now."""

    exclusions: tuple[TaskExclusion, ...] = ()
    notes: tuple[NoteOn, ...] = ()
    decisions: tuple[Decide, ...] = ()

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
        return {
            name: value
            for name, value in self.settings.items()
            if name not in ("refs", "refs_as_systems")
        }


# -- what a history amounts to --------------------------------------------------------------------


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
    for entry in reversed(
        history
    ):  # one that takes back comes later, so it is known by now whether it is in force
        if isinstance(entry.change, TakeBack) and entry.number not in gone:
            gone ^= {entry.change.number}
    return frozenset(gone)


def apply(review: Review, change: Change) -> Review:
    """The review after a change; taking back is about a history, see `replay`."""
    match change:
        case Exclude(system, pair) | PutBack(system, pair):
            remaining = [
                one for one in review.exclusions if (one.system, one.pair) != (system, pair)
            ]
            added = (
                [TaskExclusion(system, change.reason, pair)] if isinstance(change, Exclude) else []
            )
            return replace(review, exclusions=(*remaining, *added))
        case SetRule(rule):
            return replace(review, settings={**review.settings, "rank_rule": rule})
        case SetSettings(settings):
            of_references = {
                name: value for name, value in review.settings.items() if name not in review.tested
            }
            return replace(review, settings={**of_references, **settings})
        case SetMetric(metric):
            return replace(review, metric=metric)
        case NoteOn(pair, metric, a, b, text):
            notes = [
                one
                for one in review.notes
                if (one.pair, one.metric, {one.a, one.b}) != (pair, metric, {a, b})
            ]
            return replace(review, notes=(*notes, change) if text else tuple(notes))
        case Decide(pair, first):
            decisions = [one for one in review.decisions if one.pair != pair]
            return replace(review, decisions=(*decisions, change) if first else tuple(decisions))
        case SeeContent(digest, digests):
            return replace(review, digest=digest, digests=digests)
    return review


def check(history: Sequence[Entry], change: Change) -> None:
    """Whether a change says something that is not so already."""
    check_lengths(change)
    if isinstance(change, TakeBack):
        if not 1 < change.number <= len(history):
            raise SettingError(
                f"Entry {change.number} cannot be taken back. Expected one from 2 to {len(history)}."
            )
        if change.number in taken_back(history):
            raise SettingError(f"Entry {change.number} is taken back already.")
    elif isinstance(change, NoteOn) and change.a == change.b:
        raise SettingError("A note is on two systems. Choose two different ones.")
    elif isinstance(change, Begin) or apply(replay(history), change) == replay(history):
        raise SettingError("Nothing was changed: this is so already.")


def check_lengths(change: Change) -> None:
    """Raises SettingError where a text is too long."""
    for name, longest in (
        ("reason", LONGEST_REASON),
        ("why", LONGEST_TEXT),
        ("text", LONGEST_TEXT),
    ):
        if len(getattr(change, name, "")) > longest:
            raise SettingError(
                f"This text has {len(getattr(change, name)):,} characters. Expected at most "
                f"{longest:,}."
            )


# -- changes as JSON ------------------------------------------------------------------------------


def change_to_json(change: Change) -> dict[str, Any]:
    """A change as what JSON can write."""
    kind = next(name for name, kind in CHANGES.items() if isinstance(change, kind))
    return {"kind": kind, **to_plain(change)}


def change_from_json(data: Mapping[str, Any], where: str = "The review") -> Change:
    """What `change_to_json` gave; InputError for a change that this version does not know."""
    values = {**data}
    kind = CHANGES.get(str(values.pop("kind", None)))
    if kind is None or not values.keys() <= {one.name for one in fields(kind)}:
        raise InputError(
            f"{where} has a change of a kind {str(data.get('kind'))[:40]!r} that this version of mtsig "
            "does not know. Update mtsig."
        )
    change: Change = from_plain(kind, values, where)
    return change


# Reviews of shared tasks that are kept: what was done, step by step, behind a link to read and
# another to go on.

_META = sa.MetaData()
_REVIEW = sa.Table(
    "mtsig_review",
    _META,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("read_link", sa.String(64), nullable=False, unique=True),
    sa.Column("edit_link", sa.String(64), nullable=False, unique=True),
    sa.Column("owner", sa.String(64), nullable=False, index=True),
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("used", sa.Float, nullable=False),
)
_ENTRY = sa.Table(
    "mtsig_review_entry",
    _META,
    sa.Column("review", sa.ForeignKey(_REVIEW.c.id, ondelete="CASCADE"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("change", sa.Text, nullable=False),
)
_HELD = sa.select(sa.func.sum(_REVIEW.c.size))


class ChangedMeanwhile(SettingError):
    """Somebody else has changed the review since it was looked at; `entries` are what was added."""

    def __init__(self, entries: tuple[Entry, ...]):
        n = "once" if len(entries) == 1 else f"{len(entries)} times"
        super().__init__(
            f"Somebody else changed this review {n} while you looked at it, so yours was not saved. See "
            "below what is new, and do it again if it is still right."
        )
        self.entries = entries


@dataclass(frozen=True)
class KeptReview:
    """A review as a link opens it."""

    read_link: str  # who knows it may look at the review
    edit_link: (
        str | None
    )  # who knows it may go on with the review; None where it was opened to read
    history: tuple[Entry, ...]
    used: float  # when it was last opened, in seconds since 1970

    @cached_property
    def review(self) -> Review:
        """What the history amounts to."""
        return replay(self.history)


class ReviewStore(Database):
    """The kept reviews of a database, which are held to the limits apart from test sets."""

    _kind, _tables, _owned = "review", _META, _REVIEW

    def begin(self, change: Begin, owner: str) -> KeptReview:
        """Start a review, all of it or nothing; `owner` is a secret of whoever may list and delete
        it.
        """
        self._forget_expired()
        text, now, mine = json.dumps(change_to_json(change)), self._now(), hidden(owner)
        key, reading, editing = (secrets.token_urlsafe(16) for _ in range(3))
        with self._reached("saved"), self._engine.begin() as db:
            self._check_number(db, mine)
            self._check_room(db, len(text), _HELD.where(_REVIEW.c.owner == mine), _HELD)
            db.execute(
                sa.insert(_REVIEW).values(
                    id=key,
                    read_link=reading,
                    edit_link=editing,
                    owner=mine,
                    size=len(text),
                    created=now,
                    used=now,
                )
            )
            db.execute(sa.insert(_ENTRY).values(review=key, number=1, at=now, change=text))
        return KeptReview(reading, editing, (Entry(1, now, change),), now)

    def find(self, link: str) -> KeptReview | None:
        """What is behind a link of either kind; None where there is nothing, or nothing any more.

        It counts as used.
        """
        with self._reached("read"), self._engine.begin() as db:
            row = self._find(
                db,
                sa.select(_REVIEW),
                (_REVIEW.c.read_link == link) | (_REVIEW.c.edit_link == link),
            )
            return (
                None
                if row is None
                else KeptReview(
                    row.read_link,
                    row.edit_link if row.edit_link == link else None,
                    _history(db, row.id),
                    row.used,
                )
            )

    def add(self, edit_link: str, change: Change, seen: int) -> KeptReview:
        """Append a change to the history, all of it or nothing; `seen` is the number of the last
        entry that was seen.
        """
        try:
            with self._reached("saved"), self._engine.begin() as db:
                return self._add(db, edit_link, change, seen)
        except _SameMoment as error:
            kept = self.find(edit_link)
            raise ChangedMeanwhile(kept.history[seen:] if kept is not None else ()) from error

    def _add(self, db: sa.Connection, edit_link: str, change: Change, seen: int) -> KeptReview:
        row = db.execute(sa.select(_REVIEW).where(_REVIEW.c.edit_link == edit_link)).one_or_none()
        if row is None or self._expired(row.used):
            raise SettingError(
                "This link does not let one change a review: it is one to read, or the review was "
                "deleted or has expired."
            )
        history, text, now = _history(db, row.id), json.dumps(change_to_json(change)), self._now()
        if len(history) != seen:
            raise ChangedMeanwhile(history[seen:])
        check(history, change)
        self._check_room(db, len(text), _HELD.where(_REVIEW.c.owner == row.owner), _HELD)
        try:  # nobody else may add an entry of this number
            db.execute(
                sa.insert(_ENTRY).values(review=row.id, number=seen + 1, at=now, change=text)
            )
        except IntegrityError as error:
            raise _SameMoment from error
        db.execute(
            sa.update(_REVIEW)
            .where(_REVIEW.c.id == row.id)
            .values(size=_REVIEW.c.size + len(text), used=later(_REVIEW.c.used, now))
        )
        return KeptReview(
            row.read_link, row.edit_link, (*history, Entry(seen + 1, now, change)), now
        )

    def of(self, owner: str) -> list[KeptReview]:
        """The reviews that an owner started, the newest first, each to go on with."""
        with self._reached("read"), self._engine.begin() as db:
            rows = db.execute(
                sa.select(_REVIEW)
                .where(_REVIEW.c.owner == hidden(owner))
                .order_by(_REVIEW.c.created.desc())
            ).all()
            return [
                KeptReview(row.read_link, row.edit_link, _history(db, row.id), row.used)
                for row in rows
                if not self._expired(row.used)
            ]

    def delete(self, edit_link: str, owner: str) -> bool:
        """Forget a review of this owner; False where it is none of theirs."""
        return self._delete(_REVIEW.c.edit_link == edit_link, _REVIEW.c.owner == hidden(owner))


class _SameMoment(Exception):
    """Two wrote at the same moment."""


def _history(db: sa.Connection, key: str) -> tuple[Entry, ...]:
    rows = db.execute(sa.select(_ENTRY).where(_ENTRY.c.review == key).order_by(_ENTRY.c.number))
    return tuple(
        Entry(row.number, row.at, change_from_json(parse_json(row.change))) for row in rows
    )
