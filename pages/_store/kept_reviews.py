"""Reviews in the database, each with a link to read it and another link to edit it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

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
from pages._store.database import Blob, Database

_KIND = "review"


class ChangedMeanwhile(SettingError):  # noqa: N818  what happened, for the page to show
    """Somebody else has changed the review since it was looked at; `entries` are what was added."""

    def __init__(self, entries: tuple[Entry, ...]):
        times = "once"
        if len(entries) != 1:
            times = f"{len(entries)} times"
        super().__init__(
            f"Somebody else changed this review {times} while you looked at it, so yours was not "
            "saved. See below what is new, and do it again if it is still right."
        )
        self.entries = entries


@dataclass(frozen=True)
class KeptReview:
    """A review as a link opens it."""

    read_link: str  # who knows it may look at the review
    edit_link: str | None  # who knows it may go on; None where the review was opened to read
    history: tuple[Entry, ...]
    used: float  # when it was last opened, in seconds since 1970

    @cached_property
    def review(self) -> Review:
        """What the history amounts to."""
        return replay(self.history)


class ReviewStore:
    """The reviews of a database."""

    def __init__(self, database: Database):
        self._database = database

    def begin(self, change: Begin, owner: str, author: str = "") -> KeptReview:
        """Start a review, which the owner may list and delete."""
        now = self._database.now()
        history = (Entry(1, now, change, author),)
        edit_link = secrets.token_urlsafe(16)
        link = self._database.add(_KIND, owner, _pack(history), edit_link=edit_link)
        return KeptReview(link, edit_link, history, now)

    def find(self, link: str) -> KeptReview | None:
        """Return the review of a link of either kind; None if it does not exist or has expired.

        The review counts as used.
        """
        blob = self._database.find(_KIND, link)
        if blob is None:
            return None
        edit_link = None
        if blob.edit_link == link:
            edit_link = link
        return KeptReview(blob.link, edit_link, self._read_history(blob), blob.used)

    def add(self, edit_link: str, change: Change, last_number: int, author: str = "") -> KeptReview:
        """Append a change, all of it or nothing; `last_number` is of the last entry looked at."""
        blob = self._database.find(_KIND, edit_link)
        if blob is None or blob.edit_link != edit_link:
            raise SettingError(
                "This link does not let one change a review: it is one to read, or the review was "
                "deleted or has expired."
            )
        history = self._read_history(blob)
        if len(history) != last_number:
            raise ChangedMeanwhile(history[last_number:])
        check(history, change)
        now = self._database.now()
        history = (*history, Entry(last_number + 1, now, change, author))
        if not self._database.replace(blob, _pack(history)):
            raise ChangedMeanwhile(self._read_history(blob)[last_number:])
        return KeptReview(blob.link, edit_link, history, now)

    def list_owned(self, owner: str) -> list[KeptReview]:
        """Return the reviews that an owner started, the newest first, each to go on with."""
        blobs = self._database.list_owned(_KIND, owner)
        return [
            KeptReview(blob.link, blob.edit_link, self._read_history(blob), blob.used)
            for blob in blobs
        ]

    def delete(self, edit_link: str, owner: str) -> bool:
        """Delete a review of this owner; False if the owner has no such review."""
        return self._database.delete(_KIND, edit_link, owner)

    def _read_history(self, blob: Blob) -> tuple[Entry, ...]:
        content = self._database.read(_KIND, blob.link)
        if content is None:  # it was deleted just now
            raise SettingError("This review was deleted or has expired.")
        entries = parse_json(content.decode())
        history = []
        for number, (time, change, *author) in enumerate(entries, 1):
            # Reviews of an earlier version have no authors.
            name = author[0] if author else ""
            history.append(Entry(number, time, change_from_json(change), name))
        return tuple(history)


def _pack(history: Iterable[Entry]) -> bytes:
    steps = [(entry.at, change_to_json(entry.change), entry.author) for entry in history]
    return json.dumps(steps).encode()
