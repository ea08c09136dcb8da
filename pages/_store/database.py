"""The database in which the dashboard keeps what is to last: how it is reached, and how much of it
there may be.

SQLite below ``MTSIG_HOME``, or the database that ``MTSIG_DATABASE_URL`` names (PostgreSQL).
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from mtsig_core.errors import SettingError, StoreError

DAY = 24 * 60 * 60
# seconds by which a clock that was set, and did not only run, is ahead of the time that has gone by
_JUMP = DAY
_SEEN_AGAIN = 60 * 60  # seconds: what is opened all the time is not noted as used each time
# seconds that a database may take to answer each way to speak to it, unless its address says so
_PATIENCE = "10"
INSERT: dict[str, Callable[..., sqlite.Insert | postgresql.Insert]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}


@dataclass(frozen=True)
class Limits:
    """What may be kept."""

    mine: int = 500 << 20  # bytes, packed, of one owner's sets
    all: int = 5000 << 20  # the same of everybody's
    days: float = 90  # how long a set is kept that nobody opens; 0 for ever
    sets: int = 1000  # how many one owner may keep, however small

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Limits:
        """Those of ``MTSIG_QUOTA_MB``, ``MTSIG_QUOTA_ALL_MB``, ``MTSIG_EXPIRY_DAYS`` and
        ``MTSIG_QUOTA_SETS``.
        """

        def number(name: str, default: float, most: int = 10**12) -> float:
            text = environment.get(name, "").strip()
            try:
                value = float(text or default)
            except ValueError:
                value = -1
            if not 0 <= value < most:
                raise SettingError(
                    f"{name} is {text!r}. Expected a number, 0 or more, below {most:,}."
                )
            return value

        usual = cls()
        return cls(
            int(number("MTSIG_QUOTA_MB", usual.mine >> 20) * (1 << 20)),
            int(number("MTSIG_QUOTA_ALL_MB", usual.all >> 20) * (1 << 20)),
            number("MTSIG_EXPIRY_DAYS", usual.days, 10**6),
            int(number("MTSIG_QUOTA_SETS", usual.sets)),
        )


class Database:
    """What is kept of one kind; several kinds share a database.

    `where`: an address as SQLAlchemy takes it, or what is kept of another kind in the same
    database; `now`: the time, in seconds since 1970; `passed`: seconds that no clock that is set
    changes. These and the limits are those of the other kind by default.
    """

    _kind: str
    _tables: sa.MetaData  # that it needs; made where they are not there
    _owned: sa.Table  # a row for each that is kept, with its `owner` and when it was last `used`

    def __init__(
        self,
        where: str | sa.URL | Database,
        limits: Limits | None = None,
        now: Callable[[], float] | None = None,
        passed: Callable[[], float] | None = None,
    ):
        beside = where if isinstance(where, Database) else None
        self._engine: sa.Engine = (
            _engine(where) if not isinstance(where, Database) else where._engine
        )
        self.limits: Limits = limits or (beside.limits if beside else Limits())
        self._now: Callable[[], float] = now or (beside._now if beside else time.time)
        #: Seconds that go by, whatever the clock is set to.
        self._passed: Callable[[], float] = passed or (
            beside._passed if beside else now or _time_since_boot
        )
        self._opened = self._now() - self._passed()
        with self._reached("opened"):
            self._make_tables()

    def _make_tables(self) -> None:
        """Make the tables that are not there; another server may make each of them at the same
        moment.
        """
        for _ in self._tables.tables:
            with suppress(DBAPIError):
                return self._tables.create_all(self._engine)
        self._tables.create_all(self._engine)

    def close(self) -> None:
        self._engine.dispose()

    def _expired(self, used: float) -> bool:
        return bool(self.limits.days) and used < self._now() - self.limits.days * DAY

    def _find(
        self, db: sa.Connection, rows: sa.Select[Any], which: sa.ColumnElement[bool]
    ) -> sa.Row[Any] | None:
        """The one of these rows; None where there is none, or none any more.

        It counts as used, unless nothing can be written: what is kept can be read all the same.
        """
        row = db.execute(rows.where(which)).one_or_none()
        if row is None or self._expired(row.used):
            return None
        if self._now() - row.used > _SEEN_AGAIN:
            with suppress(OperationalError), db.begin_nested():
                db.execute(sa.update(self._owned).where(which).values(used=self._now()))
        return row

    def _delete(self, *which: sa.ColumnElement[bool], what: str = "deleted") -> bool:
        """Whether there were such, which are gone now."""
        with self._reached(what), self._engine.begin() as db:
            return db.execute(sa.delete(self._owned).where(*which)).rowcount > 0

    def _forget_expired(self) -> None:
        """Before something is saved; not while the clock is ahead by a jump: who sets it right
        finds all again.
        """
        jump = self._now() - self._passed() - self._opened
        if self.limits.days and jump < _JUMP:
            self._delete(self._owned.c.used < self._now() - self.limits.days * DAY, what="saved")

    def _check_number(self, db: sa.Connection, owner: str) -> None:
        """Whether this owner may keep one more."""
        n = db.execute(sa.select(sa.func.count()).where(self._owned.c.owner == owner)).scalar_one()
        if n >= self.limits.sets:
            raise SettingError(
                f"This browser keeps {n:,} {self._kind}s here already, as many as this server allows "
                "(MTSIG_QUOTA_SETS). Delete one that is not needed any more, or ask whoever runs it "
                "for room."
            )

    def _check_room(
        self, db: sa.Connection, size: int, mine: sa.Select[Any], every: sa.Select[Any]
    ) -> None:
        """Whether the limits leave room for so many bytes more; what the owner's take, and what all
        take, are sums.
        """
        for most, setting, whose, held in (
            (self.limits.mine, "MTSIG_QUOTA_MB", "yours take", mine),
            (self.limits.all, "MTSIG_QUOTA_ALL_MB", "all of this server take", every),
        ):
            taken = db.execute(held).scalar_one() or 0
            if taken + size > most:
                raise SettingError(
                    f"There is no room for this {self._kind}, which takes {megabytes(size)}: {whose} "
                    f"{megabytes(taken)} of {megabytes(most)} already ({setting}). Delete one that is "
                    "not needed any more, or ask whoever runs this server for room."
                )

    @contextmanager
    def _reached(self, what: str) -> Iterator[None]:
        """Errors of the database as ours."""
        try:
            yield
        except SQLAlchemyError as error:
            raise StoreError(
                f"The {self._kind} could not be {what}: the database of {self._kind}s says "
                f"{_reason(error)!r}. See whether the folder MTSIG_HOME, or the server that "
                "MTSIG_DATABASE_URL names, is there and can be written."
            ) from error


def database_url(environment: Mapping[str, str] = os.environ) -> str | sa.URL:
    """The database that ``MTSIG_DATABASE_URL`` or ``MTSIG_HOME`` names, else one in the user's data
    folder.
    """
    url = environment.get("MTSIG_DATABASE_URL", "").strip()
    if url:
        return url
    home = find_home(environment)
    file = home / "testsets.sqlite"
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(
            os.open(file, os.O_CREAT, 0o600)
        )  # SQLite gives what it makes beside it the same rights
    except OSError as error:
        raise StoreError(
            f"The folder for kept test sets, {home}, cannot be used: {error.strerror}. Name another "
            "with MTSIG_HOME."
        ) from error
    return sa.URL.create("sqlite", database=str(file))


def find_home(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder that ``MTSIG_HOME`` names, else the user's data folder."""
    named = environment.get("MTSIG_HOME", "").strip()
    if named:
        return Path(named).absolute()
    from platformdirs import user_data_path

    return user_data_path("mtsig", appauthor=False).absolute()


def _engine(url: str | sa.URL) -> sa.Engine:
    try:
        engine = sa.create_engine(_with_driver(url), pool_pre_ping=True)
    except (SQLAlchemyError, ImportError) as error:
        raise StoreError(
            f"MTSIG_DATABASE_URL cannot be used: {_reason(error)}. Expected such as postgresql://"
            'user@host/name, and that psycopg is there: pip install "psycopg[binary]".'
        ) from error
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _set_up_sqlite)
    return engine


def _with_driver(address: str | sa.URL) -> sa.URL:
    """PostgreSQL is spoken to by psycopg, version 3, unless the address names another driver; who
    does not answer is not waited for by the minute.
    """
    url = sa.make_url(address)
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(
            drivername="postgresql+psycopg", query={"connect_timeout": _PATIENCE, **url.query}
        )
    if url.get_backend_name() not in INSERT:
        raise StoreError(
            f"MTSIG_DATABASE_URL names a database of {url.get_backend_name()}. Expected PostgreSQL, such "
            "as postgresql://user@host/name, or none for SQLite below MTSIG_HOME."
        )
    return url


def _set_up_sqlite(connection: Any, _record: object) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=20000"):
        connection.execute(f"PRAGMA {pragma}")


def _time_since_boot() -> float:
    """Seconds that go by, also while the machine sleeps, where the system counts these."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def later(used: sa.ColumnElement[float], now: float) -> sa.ColumnElement[float]:
    """The later of both: after a clock has gone back, nothing expires for having been used
    meanwhile.
    """
    return sa.case((used > now, used), else_=now)


def hidden(owner: str) -> str:
    """What the database knows of an owner's secret."""
    return hashlib.blake2b(owner.encode(), digest_size=16).hexdigest()


def _reason(error: Exception) -> str:
    return (
        str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
        or type(error).__name__
    )


def megabytes(size: float) -> str:
    """A number of bytes in words; of more than none at least 0.1 MB."""
    return f"{max(size / (1 << 20), 0.1 * bool(size)):,.1f} MB"
