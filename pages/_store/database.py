"""The database in which the dashboard keeps uploads and reviews.

It is SQLite below ``MTSIG_HOME``, or the database that ``MTSIG_DATABASE_URL`` names (PostgreSQL).
Each upload or review is a row of one table: a blob with its kind, its owner, its links, and a
version that grows by one with each change.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, SQLAlchemyError

from mtsig_core.errors import SettingError, StoreError
from mtsig_core.extras import name_packages
from pages._store.earlier import move_earlier_tables

DAY = 24 * 60 * 60
MEGABYTE = 1 << 20
_JUMP = DAY  # seconds: a clock that gains more than this was set
_NOTED_AGAIN = 60 * 60  # seconds between two notes that something was used
# seconds that a database may take to answer a connection, unless its address says otherwise
_CONNECT_TIMEOUT = "10"
_BACKENDS = ("sqlite", "postgresql")
_OPENINGS = 3  # tries: another server may make the tables at the same moment

_META = sa.MetaData()
KEPT = sa.Table(
    "mtsig_kept",
    _META,
    sa.Column("link", sa.String(64), primary_key=True),  # opens it
    sa.Column("edit_link", sa.String(64), unique=True),  # also opens it, and allows to change it
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("owner", sa.String(64), nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("digest", sa.String(64), index=True),  # none where equal content is no duplicate
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("size", sa.Integer, nullable=False),  # bytes of the content
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("created", sa.Float, nullable=False),  # seconds since 1970
    sa.Column("used", sa.Float, nullable=False),
    sa.UniqueConstraint("owner", "kind", "digest"),
)


@dataclass(frozen=True)
class Limits:
    """What may be kept, of each kind."""

    owner_bytes: int = 500 * MEGABYTE  # of one owner
    total_bytes: int = 5000 * MEGABYTE  # of all owners
    days: float = 90  # without use until something expires; 0 for never
    count: int = 1000  # of one owner

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Limits:
        """Read ``MTSIG_QUOTA_MB``, ``MTSIG_QUOTA_ALL_MB``, ``MTSIG_EXPIRY_DAYS``,
        ``MTSIG_QUOTA_SETS``.
        """  # noqa: D205  four names do not fit into a line
        megabytes = cls.owner_bytes / MEGABYTE
        total_megabytes = cls.total_bytes / MEGABYTE
        return cls(
            int(_read_number(environment, "MTSIG_QUOTA_MB", megabytes) * MEGABYTE),
            int(_read_number(environment, "MTSIG_QUOTA_ALL_MB", total_megabytes) * MEGABYTE),
            _read_number(environment, "MTSIG_EXPIRY_DAYS", cls.days, 10**6),
            int(_read_number(environment, "MTSIG_QUOTA_SETS", cls.count)),
        )


def _read_number(
    environment: Mapping[str, str], name: str, default: float, limit: int = 10**12
) -> float:
    text = environment.get(name, "").strip()
    try:
        value = float(text or default)
    except ValueError:
        value = -1
    if not 0 <= value < limit:
        raise SettingError(f"{name} is {text!r}. Expected a number, 0 or more, below {limit:,}.")
    return value


@dataclass(frozen=True)
class Blob:
    """A row of the table, without its content; it has the fields of `KEPT`."""

    link: str
    edit_link: str | None
    kind: str
    name: str
    about: str
    digest: str | None
    size: int
    version: int
    created: float
    used: float


_WITHOUT_CONTENT = sa.select(*(KEPT.c[field.name] for field in fields(Blob)))


class Database:
    """The blobs of a database.

    Parameters
    ----------
    url : str or sqlalchemy.URL
    limits : Limits, optional
    now : callable, optional
        Gives the time, in seconds since 1970.
    passed : callable, optional
        Gives seconds that pass whatever the clock is set to; by default since the system started,
        or `now` if that is given.
    """

    def __init__(
        self,
        url: str | sa.URL,
        limits: Limits | None = None,
        now: Callable[[], float] | None = None,
        passed: Callable[[], float] | None = None,
    ):
        self._engine = _make_engine(url)
        self.limits = limits or Limits()
        self.now = now or time.time
        self._passed = passed or now or _time_since_boot
        self._opened = self.now() - self._passed()
        with self._reached("test set", "opened"):
            self._make_table()

    def _make_table(self) -> None:
        for attempt in range(_OPENINGS):
            try:
                _META.create_all(self._engine)
                move_earlier_tables(self._engine, KEPT)
                return
            except DBAPIError:
                if attempt == _OPENINGS - 1:
                    raise

    def close(self) -> None:
        self._engine.dispose()

    def add(
        self,
        kind: str,
        owner: str,
        content: bytes,
        *,
        name: str = "",
        about: str = "",
        digest: str | None = None,
        edit_link: str | None = None,
    ) -> str:
        """Keep a blob, all of it or nothing; return its link.

        A blob of this kind and owner with the same `digest` keeps its link, and gets the new name
        and `about`. `owner` is a secret: with this secret one can list, rename and delete the blob.
        """
        row = {
            "kind": kind,
            "owner": hash_owner(owner),
            "name": name,
            "about": about,
            "digest": digest,
            "edit_link": edit_link,
        }
        self._forget_expired(kind)
        with self._reached(kind, "saved"):
            try:
                return self._add(row, content)
            except IntegrityError:  # the same owner kept the same content at the same moment
                return self._add(row, content)

    def _add(self, row: Mapping[str, Any], content: bytes) -> str:
        now = self.now()
        with self._engine.begin() as db:
            known_link = self._keep_again(db, row)
            if known_link is not None:
                return known_link
            self._check_count(db, row["kind"], row["owner"])
            self._check_room(db, row["kind"], row["owner"], len(content))
            link = secrets.token_urlsafe(16)
            values = {**row, "link": link, "content": content, "size": len(content)}
            values |= {"version": 1, "created": now, "used": now}
            db.execute(sa.insert(KEPT).values(values))
            return link

    def _keep_again(self, db: sa.Connection, row: Mapping[str, Any]) -> str | None:
        """Return the link of what this owner keeps already, under the new name."""
        if row["digest"] is None:
            return None
        is_same = (
            (KEPT.c.kind == row["kind"])
            & (KEPT.c.owner == row["owner"])
            & (KEPT.c.digest == row["digest"])
        )
        changes = {
            "name": row["name"],
            "about": row["about"],
            "used": _later_of_used(self.now()),
        }
        db.execute(sa.update(KEPT).where(is_same).values(changes))
        link: str | None = db.scalar(sa.select(KEPT.c.link).where(is_same))
        return link

    def find(self, kind: str, link: str) -> Blob | None:
        """Return the blob of a link of either kind; None if it does not exist or has expired.

        The blob counts as used. If the database cannot be written, the blob is still returned.
        """
        has_link = (KEPT.c.kind == kind) & ((KEPT.c.link == link) | (KEPT.c.edit_link == link))
        with self._begin(kind, "read") as db:
            row = db.execute(_WITHOUT_CONTENT.where(has_link)).one_or_none()
            if row is None or self._is_expired(row.used):
                return None
            if self.now() - row.used > _NOTED_AGAIN:
                with suppress(OperationalError), db.begin_nested():
                    db.execute(sa.update(KEPT).where(has_link).values(used=self.now()))
            return Blob(**row._mapping)

    def read(self, kind: str, link: str) -> bytes | None:
        """Return the content behind a link."""
        with self._begin(kind, "read") as db:
            content: bytes | None = db.scalar(sa.select(KEPT.c.content).where(KEPT.c.link == link))
            return content

    def list_owned(self, kind: str, owner: str) -> list[Blob]:
        """Return what an owner keeps of a kind, the newest first."""
        is_owned = (KEPT.c.kind == kind) & (KEPT.c.owner == hash_owner(owner))
        query = _WITHOUT_CONTENT.where(is_owned).order_by(KEPT.c.created.desc())
        with self._begin(kind, "read") as db:
            blobs = [Blob(**row._mapping) for row in db.execute(query)]
        return [blob for blob in blobs if not self._is_expired(blob.used)]

    def has_content(self, kind: str, digest: str) -> bool:
        """Return whether anybody keeps something with this digest."""
        query = sa.select(KEPT.c.link).where(KEPT.c.kind == kind, KEPT.c.digest == digest)
        with self._begin(kind, "read") as db:
            return db.scalar(query.limit(1)) is not None

    def replace(self, blob: Blob, content: bytes) -> bool:
        """Replace the content of a blob; False if somebody else has changed it since."""
        is_same = (KEPT.c.link == blob.link) & (KEPT.c.version == blob.version)
        changes = {
            "content": content,
            "size": len(content),
            "version": blob.version + 1,
            "used": _later_of_used(self.now()),
        }
        with self._begin(blob.kind, "saved") as db:
            owner = db.scalar(sa.select(KEPT.c.owner).where(KEPT.c.link == blob.link))
            self._check_room(db, blob.kind, owner, len(content) - blob.size)
            return db.execute(sa.update(KEPT).where(is_same).values(changes)).rowcount > 0

    def rename(self, kind: str, link: str, owner: str, name: str) -> bool:
        """Rename a blob of this owner; False if the owner has no such blob."""
        is_owned = (KEPT.c.link == link) & (KEPT.c.owner == hash_owner(owner))
        with self._begin(kind, "renamed") as db:
            return db.execute(sa.update(KEPT).where(is_owned).values(name=name)).rowcount > 0

    def delete(self, kind: str, link: str, owner: str) -> bool:
        """Delete a blob of this owner; False if the owner has no such blob."""
        has_link = (KEPT.c.link == link) | (KEPT.c.edit_link == link)
        is_owned = (KEPT.c.kind == kind) & (KEPT.c.owner == hash_owner(owner))
        with self._begin(kind, "deleted") as db:
            return db.execute(sa.delete(KEPT).where(has_link & is_owned)).rowcount > 0

    def _is_expired(self, used: float) -> bool:
        return bool(self.limits.days) and used < self.now() - self.limits.days * DAY

    def _forget_expired(self, kind: str) -> None:
        """Delete what has expired, unless the clock was set ahead: it may be set right again."""
        jump = self.now() - self._passed() - self._opened
        if self.limits.days and jump < _JUMP:
            is_expired = KEPT.c.used < self.now() - self.limits.days * DAY
            with self._begin(kind, "saved") as db:
                db.execute(sa.delete(KEPT).where(is_expired))

    def _check_count(self, db: sa.Connection, kind: str, owner: str) -> None:
        """Raise SettingError if this owner may not keep one more."""
        is_owned = (KEPT.c.kind == kind) & (KEPT.c.owner == owner)
        n = db.execute(sa.select(sa.func.count()).where(is_owned)).scalar_one()
        if n >= self.limits.count:
            raise SettingError(
                f"This browser keeps {n:,} {kind}s here already, as many as this server allows "
                "(MTSIG_QUOTA_SETS). Delete one that is not needed any more, or ask the person who runs it "
                "for room."
            )

    def _check_room(self, db: sa.Connection, kind: str, owner: str | None, size: int) -> None:
        """Raise SettingError if the limits leave no room for `size` bytes more of this kind."""
        query = sa.select(sa.func.sum(KEPT.c.size)).where(KEPT.c.kind == kind)
        by_owner = query.where(KEPT.c.owner == owner)
        for limit, setting, subject, used_query in (
            (self.limits.owner_bytes, "MTSIG_QUOTA_MB", "yours take", by_owner),
            (self.limits.total_bytes, "MTSIG_QUOTA_ALL_MB", "all of this server take", query),
        ):
            used = db.execute(used_query).scalar_one() or 0
            if used + size > limit:
                raise SettingError(
                    f"There is no room for this {kind}, which takes {format_megabytes(size)}: "
                    f"{subject} {format_megabytes(used)} of {format_megabytes(limit)} already "
                    f"({setting}). Delete one that is not needed any more, or ask the person who runs this "
                    "server for room."
                )

    @contextmanager
    def _begin(self, kind: str, action: str) -> Iterator[sa.Connection]:
        """Begin a transaction, whose errors are those of `_reached`."""
        with self._reached(kind, action), self._engine.begin() as db:
            yield db

    @contextmanager
    def _reached(self, kind: str, action: str) -> Iterator[None]:
        """Raise errors of the database as StoreError."""
        try:
            yield
        except SQLAlchemyError as error:
            raise StoreError(
                f"The {kind} could not be {action}: the database of {kind}s says "
                f"{_describe(error)!r}. Check that the folder MTSIG_HOME, or the server that "
                "MTSIG_DATABASE_URL names, is there and can be written."
            ) from error


def open_database(environment: Mapping[str, str] = os.environ) -> Database:
    """Open the database that the environment names."""
    return Database(find_url(environment), Limits.from_environment(environment))


def find_url(environment: Mapping[str, str] = os.environ) -> str | sa.URL:
    """Return the database of ``MTSIG_DATABASE_URL`` or ``MTSIG_HOME``, else one for the user."""
    url = environment.get("MTSIG_DATABASE_URL", "").strip()
    if url:
        return url
    home = find_home(environment)
    file = home / "testsets.sqlite"
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        # SQLite gives the files that it makes next to this file the same permissions.
        os.close(os.open(file, os.O_CREAT, 0o600))
    except OSError as error:
        raise StoreError(
            f"The folder for kept test sets, {home}, cannot be used: {error.strerror}. Name another "
            "with MTSIG_HOME."
        ) from error
    return sa.URL.create("sqlite", database=str(file))


def find_home(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that ``MTSIG_HOME`` names, else the user's data folder."""
    home = environment.get("MTSIG_HOME", "").strip()
    if home:
        return Path(home).absolute()
    from platformdirs import user_data_path

    return user_data_path("mtsig", appauthor=False).absolute()


def _make_engine(url: str | sa.URL) -> sa.Engine:
    try:
        engine = sa.create_engine(_add_driver(url), pool_pre_ping=True)
    except (SQLAlchemyError, ImportError) as error:
        raise StoreError(
            f"MTSIG_DATABASE_URL cannot be used: {_describe(error)}. Expected such as postgresql://"
            f"user@host/name, and that psycopg is there: pip install {name_packages('postgresql')}"
        ) from error
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _set_up_sqlite)
    return engine


def _add_driver(address: str | sa.URL) -> sa.URL:
    """Use psycopg 3 for PostgreSQL unless the address names another driver."""
    url = sa.make_url(address)
    if url.drivername in ("postgres", "postgresql"):
        query = {"connect_timeout": _CONNECT_TIMEOUT, **url.query}
        url = url.set(drivername="postgresql+psycopg", query=query)
    if url.get_backend_name() not in _BACKENDS:
        raise StoreError(
            f"MTSIG_DATABASE_URL names a database of {url.get_backend_name()}. Expected PostgreSQL, such "
            "as postgresql://user@host/name, or none for SQLite below MTSIG_HOME."
        )
    return url


def _set_up_sqlite(connection: Any, _record: object) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=20000"):
        connection.execute(f"PRAGMA {pragma}")


def _time_since_boot() -> float:
    """Return seconds that pass also while the machine sleeps, where the system counts these."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def _later_of_used(now: float) -> sa.ColumnElement[float]:
    """Return the later time, so that a clock that was set back lets nothing expire."""
    return sa.case((KEPT.c.used > now, KEPT.c.used), else_=now)


def hash_owner(owner: str) -> str:
    """Return what the database knows of an owner's secret."""
    return hashlib.blake2b(owner.encode(), digest_size=16).hexdigest()


def _describe(error: Exception) -> str:
    original = getattr(error, "orig", None) or error
    first_line = str(original).strip().partition("\n")[0]
    return first_line or type(error).__name__


def format_megabytes(size: float) -> str:
    """Write a number of bytes; at least 0.1 MB unless it is 0."""
    megabytes = size / MEGABYTE
    if size:
        megabytes = max(megabytes, 0.1)
    return f"{megabytes:,.1f} MB"
