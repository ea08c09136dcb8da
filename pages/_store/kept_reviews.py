"""Reviews that the dashboard keeps, each behind a link to read and another to go on."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from functools import cached_property

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from mtsig_core.errors import SettingError
from mtsig_core.reviews import (
    Begin,
    Change,
    Entry,
    Review,
    change_from_json,
    change_to_json,
    check,
    replay,
)
from mtsig_core.schema import parse_json
from pages._store.database import Database, hidden, later

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
