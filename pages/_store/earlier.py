"""Databases of an earlier version: move the rows of their tables into the table of this version."""

from __future__ import annotations

import json

import sqlalchemy as sa

_SAVED = "mtsig_saved"
_CONTENT = "mtsig_content"
_TABLES = "mtsig_official"
_REVIEWS = "mtsig_review"
_ENTRIES = "mtsig_review_entry"

_MOVE_SETS = f"""
INSERT INTO mtsig_kept
    (link, kind, owner, name, about, digest, content, size, version, created, used)
SELECT {_SAVED}.link, 'test set', {_SAVED}.owner, {_SAVED}.name, {_SAVED}.about, {_SAVED}.digest,
    {_CONTENT}.packed, {_CONTENT}.size, 1, {_SAVED}.created, {_SAVED}.used
FROM {_SAVED} JOIN {_CONTENT} ON {_SAVED}.digest = {_CONTENT}.digest
"""
_MOVE_TABLES = f"""
INSERT INTO mtsig_kept (link, kind, owner, name, about, content, size, version, created, used)
SELECT link, 'table', owner, '', about, content, length(content), 1, used, used FROM {_TABLES}
"""


def move_earlier_tables(engine: sa.Engine, new_table: sa.Table) -> None:
    """Move the rows of the tables of an earlier version and drop the tables, in one transaction."""
    tables = set(sa.inspect(engine).get_table_names())
    with engine.begin() as db:
        if {_SAVED, _CONTENT} <= tables:
            db.execute(sa.text(_MOVE_SETS))
            _drop(db, _SAVED, _CONTENT)
        if _TABLES in tables:
            db.execute(sa.text(_MOVE_TABLES))
            _drop(db, _TABLES)
        if {_REVIEWS, _ENTRIES} <= tables:
            _move_reviews(db, new_table)
            _drop(db, _ENTRIES, _REVIEWS)


def _move_reviews(db: sa.Connection, new_table: sa.Table) -> None:
    entries = sa.text(f"SELECT at, change FROM {_ENTRIES} WHERE review = :id ORDER BY number")
    for review in db.execute(sa.text(f"SELECT * FROM {_REVIEWS}")).all():
        rows = db.execute(entries, {"id": review.id}).all()
        steps = [(row.at, json.loads(row.change)) for row in rows]
        content = json.dumps(steps).encode()  # as in `kept_reviews`
        db.execute(
            sa.insert(new_table).values(
                link=review.read_link,
                edit_link=review.edit_link,
                kind="review",
                owner=review.owner,
                name="",
                about="",
                content=content,
                size=len(content),
                version=len(rows),
                created=review.created,
                used=review.used,
            )
        )


def _drop(db: sa.Connection, *tables: str) -> None:
    for table in tables:
        db.execute(sa.text(f"DROP TABLE {table}"))
