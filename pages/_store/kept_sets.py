"""Test sets and tables of published scores that are kept, each behind a link that nobody can
guess.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, StoreError
from mtsig_core.source import Source, TaskSource
from mtsig_core.testset import SegmentScores, TestSet
from pages._store.database import INSERT, Database, Limits, database_url, hidden, later

# of `_pack`; one more whenever what it writes changes. 1 had sentences in place of assumptions
_FORMAT = 2

_META = sa.MetaData()
_CONTENT = sa.Table(
    "mtsig_content",
    _META,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("packed", sa.LargeBinary, nullable=False),
)
_SAVED = sa.Table(
    "mtsig_saved",
    _META,
    sa.Column("link", sa.String(64), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("digest", sa.ForeignKey(_CONTENT.c.digest), nullable=False, index=True),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("used", sa.Float, nullable=False),
    sa.UniqueConstraint("owner", "digest"),
)


@dataclass(frozen=True)
class Saved:
    """A test set, or a shared task, that is kept, as a list shows it."""

    link: str  # whoever knows it may open the set
    name: str
    digest: str
    size: int  # in bytes, packed
    n_segments: int
    n_systems: int
    source: Source  # what names the files on the command line
    created: float  # seconds since 1970
    used: float
    #: Of a shared task: what is taken of its zip, whose file it names without a folder; None of a
    #: test set.
    task: TaskSource | None = None
    pairs: tuple[str, ...] = ()  # of a shared task: its language pairs
    #: Of a shared task: the files in its zip that are not read, each with the reason.
    unread: tuple[tuple[str, str], ...] = ()


class Store(Database):
    """The kept test sets of a database."""

    _kind, _tables, _owned = "test set", _META, _SAVED

    def keep(self, testset: TestSet, owner: str, source: Source | None = None) -> str:
        """Keep all of a test set, or nothing; its link.

        The same content of the same owner keeps its link, and takes the new name.

        `owner`: a secret of whoever may list, rename and delete it; `source`: what names its files
        on the command line; it is not read.
        """
        return self._keep_packed(
            testset.name,
            owner,
            _pack(testset),
            {
                "n_segments": testset.n_segments,
                "n_systems": len(testset.systems),
                "source": (source or Source()).to_json(),
            },
        )

    def keep_task(
        self,
        name: str,
        content: bytes,
        owner: str,
        source: TaskSource,
        pairs: Sequence[str],
        n_systems: int,
        unread: Sequence[tuple[str, str]] = (),
    ) -> str:
        """Keep the zip of a shared task; as `keep`, and with the arguments as `Saved` has them."""
        taken = {"task": source.to_json(), "pairs": list(pairs), "unread": list(unread)}
        return self._keep_packed(
            name,
            owner,
            json.dumps(taken).encode() + b"\n" + content,
            {"n_segments": 0, "n_systems": n_systems, **taken},
        )

    def _keep_packed(
        self, name: str, owner: str, packed: bytes, about: Mapping[str, object]
    ) -> str:
        digest, told, owner = (
            hashlib.blake2b(packed, digest_size=16).hexdigest(),
            json.dumps(about),
            hidden(owner),
        )
        self._forget_expired()
        with self._reached("saved"):
            try:
                return self._keep(name, owner, digest, packed, told)
            except IntegrityError:  # the same owner kept the same content at the same moment
                return self._keep(name, owner, digest, packed, told)

    def _keep(self, name: str, owner: str, digest: str, packed: bytes, about: str) -> str:
        now, mine = self._now(), sa.and_(_SAVED.c.owner == owner, _SAVED.c.digest == digest)
        with self._engine.begin() as db:
            link: str | None = db.scalar(sa.select(_SAVED.c.link).where(mine))
            if link is not None:
                db.execute(
                    sa.update(_SAVED)
                    .where(mine)
                    .values(name=name, about=about, used=later(_SAVED.c.used, now))
                )
                return link
            self._check_number(db, owner)
            held = sa.select(sa.func.sum(_CONTENT.c.size))
            self._check_room(
                db,
                len(packed),
                held.join(_SAVED).where(_SAVED.c.owner == owner),
                held.where(_CONTENT.c.digest != digest),
            )
            insert = INSERT[self._engine.dialect.name](_CONTENT).values(
                digest=digest, size=len(packed), packed=packed
            )
            # An update also where it is there: nobody may forget it now, for whom nobody keeps it
            # yet.
            db.execute(
                insert.on_conflict_do_update(
                    index_elements=[_CONTENT.c.digest], set_={"size": len(packed)}
                )
            )
            link = secrets.token_urlsafe(16)
            db.execute(
                sa.insert(_SAVED).values(
                    link=link,
                    owner=owner,
                    name=name,
                    digest=digest,
                    about=about,
                    created=now,
                    used=now,
                )
            )
            return link

    def find(self, link: str) -> Saved | None:
        """What is behind a link; None where there is nothing, or nothing any more.

        It counts as used.
        """
        with self._reached("read"), self._engine.begin() as db:
            row = self._find(db, _LISTED, _SAVED.c.link == link)
        return None if row is None else _saved(row)

    def load(self, saved: Saved) -> TestSet:
        """The test set itself, under the name it has now."""
        return _unpack(self._packed(saved), saved.name)

    def load_zip(self, saved: Saved) -> bytes:
        """The zip of a shared task."""
        return self._packed(saved).partition(b"\n")[2]

    def has_content(self, digest: str) -> bool:
        """Whether anybody still keeps something with this digest."""
        with self._reached("read"), self._engine.begin() as db:
            return (
                db.scalar(sa.select(_CONTENT.c.digest).where(_CONTENT.c.digest == digest))
                is not None
            )

    def _packed(self, saved: Saved) -> bytes:
        with self._reached("read"), self._engine.begin() as db:
            packed: bytes | None = db.scalar(
                sa.select(_CONTENT.c.packed).where(_CONTENT.c.digest == saved.digest)
            )
        if packed is None or hashlib.blake2b(packed, digest_size=16).hexdigest() != saved.digest:
            what = "test set" if saved.task is None else "shared task"
            raise StoreError(
                f"The kept {what} {saved.name!r} is damaged in the database. Upload its files again."
            )
        return packed

    def of(self, owner: str) -> list[Saved]:
        """The sets of an owner, the newest first."""
        with self._reached("read"), self._engine.begin() as db:
            rows = db.execute(
                _LISTED.where(_SAVED.c.owner == hidden(owner)).order_by(_SAVED.c.created.desc())
            )
            return [_saved(row) for row in rows if not self._expired(row.used)]

    def rename(self, link: str, owner: str, name: str) -> bool:
        """Give a set of this owner another name; False where it is none of theirs."""
        with self._reached("renamed"), self._engine.begin() as db:
            return (
                db.execute(
                    sa.update(_SAVED)
                    .where(_SAVED.c.link == link, _SAVED.c.owner == hidden(owner))
                    .values(name=name)
                ).rowcount
                > 0
            )

    def delete(self, link: str, owner: str) -> bool:
        """Forget a set of this owner, and its content if nobody else keeps it; False where it is
        none of theirs.
        """
        return self._delete(_SAVED.c.link == link, _SAVED.c.owner == hidden(owner))

    def _delete(self, *which: sa.ColumnElement[bool], what: str = "deleted") -> bool:
        gone = super()._delete(*which, what=what)
        if gone:
            # Where somebody keeps that content again at this moment, it stays.
            with suppress(IntegrityError), self._engine.begin() as db:
                db.execute(
                    sa.delete(_CONTENT).where(_CONTENT.c.digest.not_in(sa.select(_SAVED.c.digest)))
                )
        return gone


def open_store(environment: Mapping[str, str] = os.environ) -> Store:
    """The store in the database that the environment names."""
    return Store(database_url(environment), Limits.from_environment(environment))


# -- a test set as bytes --------------------------------------------------------------------------


def _pack(testset: TestSet) -> bytes:
    """All of a test set but its name; the same content gives the same bytes."""
    content = {
        field.name: getattr(testset, field.name)
        for field in fields(TestSet)
        if field.name != "name"
    }
    content = {
        key: dict(value) if isinstance(value, Mapping) else value
        for key, value in content.items()
        if key != "runs" or value
    }
    content["scores"] = {
        name: [dict(one.by_system), one.higher_is_better] for name, one in testset.scores.items()
    }
    content["assumed"] = [[one.code, dict(one.facts)] for one in testset.assumed]
    return zlib.compress(
        json.dumps({"format": _FORMAT, **content}, separators=(",", ":")).encode(), 6
    )


def _unpack(packed: bytes, name: str) -> TestSet:
    content = json.loads(zlib.decompress(packed))
    if content.pop("format") > _FORMAT or not content.keys() <= {
        field.name for field in fields(TestSet)
    }:
        raise StoreError(
            f"The kept test set {name!r} was saved by a newer version of mtsig. Update this one."
        )
    try:
        content["scores"] = {key: SegmentScores(*value) for key, value in content["scores"].items()}
        content["assumed"] = [
            Assumption("as-written", {"text": one}) if isinstance(one, str) else Assumption(*one)
            for one in content.get("assumed", ())
        ]
        return TestSet(name, **content)
    except (InputError, KeyError, TypeError, ValueError) as error:
        raise StoreError(
            f"The kept test set {name!r} was saved by another version of mtsig, and this one cannot read "
            "it. Upload its files again."
        ) from error


# -- the database ---------------------------------------------------------------------------------

_LISTED = sa.select(_SAVED, _CONTENT.c.size).join(_CONTENT)


def _saved(row: sa.Row[Any]) -> Saved:
    about = json.loads(row.about)
    source = Source()
    with suppress(InputError):  # an earlier version had none; that of another version is not needed
        source = Source.from_json(about.get("source", "{}"))
    task = TaskSource.from_json(about["task"]) if "task" in about else None
    return Saved(
        row.link,
        row.name,
        row.digest,
        row.size,
        about["n_segments"],
        about["n_systems"],
        source,
        row.created,
        row.used,
        task,
        tuple(about.get("pairs", ())),
        tuple((file, why) for file, why in about.get("unread", ())),
    )


# Tables of published scores that are kept, each behind a link that nobody can guess.

_TABLES_META = sa.MetaData()
_TABLE = sa.Table(
    "mtsig_official",
    _TABLES_META,
    sa.Column("link", sa.String(64), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False, index=True),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("used", sa.Float, nullable=False),
)


class TableStore(Database):
    """The kept tables of a database, which are held to the limits apart from test sets and
    reviews.
    """

    _kind, _tables, _owned = "table", _TABLES_META, _TABLE

    def keep(self, text: str, about: str, owner: str) -> str:
        """Keep a table; its link.

        The same text about the same test set or task of the same owner keeps its link.
        """
        mine, content, now = hidden(owner), text.encode("utf-8", "backslashreplace"), self._now()
        same = sa.and_(_TABLE.c.owner == mine, _TABLE.c.about == about, _TABLE.c.content == content)
        self._forget_expired()
        with self._reached("saved"), self._engine.begin() as db:
            link: str | None = db.scalar(sa.select(_TABLE.c.link).where(same).limit(1))
            if link is None:
                self._check_number(db, mine)
                held = sa.select(sa.func.sum(sa.func.length(_TABLE.c.content)))
                self._check_room(db, len(content), held.where(_TABLE.c.owner == mine), held)
                link = secrets.token_urlsafe(16)
                db.execute(
                    sa.insert(_TABLE).values(
                        link=link, owner=mine, about=about, content=content, used=now
                    )
                )
            return link

    def find(self, link: str, about: str) -> str | None:
        """The text behind a link, if it is about that; None where there is nothing, or nothing any
        more.
        """
        with self._reached("read"), self._engine.begin() as db:
            row = self._find(
                db, sa.select(_TABLE), (_TABLE.c.link == link) & (_TABLE.c.about == about)
            )
        return None if row is None else bytes(row.content).decode()
