"""Printed score tables that are kept, each behind a link that nobody can guess."""

from __future__ import annotations

import secrets

import sqlalchemy as sa

from mtsig_core.data.database import DAY, Database, hidden, megabytes
from mtsig_core.errors import SettingError

__all__ = ["TableStore"]

_META = sa.MetaData()
_TABLE = sa.Table(
    "mtsig_official", _META,
    sa.Column("link", sa.String(64), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False, index=True),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("used", sa.Float, nullable=False))
_SIZE = sa.func.coalesce(sa.func.sum(sa.func.length(_TABLE.c.content)), 0)


class TableStore(Database):
    """The kept tables of a database.

    Parameters
    ----------
    where, limits, now
        As `Database` takes them. Tables are held to the limits apart from test sets and reviews.

    Raises
    ------
    StoreError
        From every method, if the database cannot be reached, read or written.
    """

    _kind, _tables = "table", _META

    def keep(self, text: str, about: str, owner: str) -> str:
        """Keep a table; the link to it. The same text about the same of the same owner keeps its link.

        Parameters
        ----------
        about : str
            The test set or the task that it stands beside.
        owner : str
            A secret of whoever gave it, whose quota it takes.
        """
        mine, content, now = hidden(owner), text.encode("utf-8", "backslashreplace"), self._now()
        same = sa.and_(_TABLE.c.owner == mine, _TABLE.c.about == about, _TABLE.c.content == content)
        with self._reached("saved"), self._engine.begin() as db:
            if self.limits.days:
                db.execute(sa.delete(_TABLE).where(_TABLE.c.used < now - self.limits.days * DAY))
            link: str | None = db.scalar(sa.select(_TABLE.c.link).where(same).limit(1))
            if link is None:
                self._check_number(db, _TABLE.c.owner, mine)
                for most, setting, which in ((self.limits.mine, "MTSIG_QUOTA_MB", [_TABLE.c.owner == mine]),
                                             (self.limits.all, "MTSIG_QUOTA_ALL_MB", [])):
                    if db.execute(sa.select(_SIZE).where(*which)).scalar_one() + len(content) > most:
                        raise SettingError(f"There is no room for this table: those that are kept take "
                                           f"{megabytes(most)} already ({setting}). Ask whoever runs this server "
                                           "for room.")
                link = secrets.token_urlsafe(16)
                db.execute(sa.insert(_TABLE).values(link=link, owner=mine, about=about, content=content, used=now))
            return link

    def find(self, link: str, about: str) -> str | None:
        """The text behind a link, if it is about that; None where there is nothing, or nothing any more."""
        with self._reached("read"), self._engine.begin() as db:
            row = self._find(db, sa.select(_TABLE), _TABLE, (_TABLE.c.link == link) & (_TABLE.c.about == about))
        return None if row is None else bytes(row.content).decode()
