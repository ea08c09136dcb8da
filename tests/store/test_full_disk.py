"""A full disk, and a clock that goes back: what was saved stays, what cannot be saved is said."""

import resource
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from mtsig_core import TestSet
from mtsig_core.errors import StoreError
from mtsig_core.reviews import Begin, Exclude, NoteOn
from pages._store.database import DAY, Database
from pages._store.kept_reviews import ReviewStore
from pages._store.kept_sets import SetStore, TableStore

BEGIN = Begin("wmt", None, "d", {}, "bleu", {})


def named(name, n=2):
    return TestSet(name, {"A": [f"{name} {k * k}" for k in range(n)]}, {"ref": ["r"] * n})


@contextmanager
def full(size):
    """No file of this process may grow beyond that size."""
    soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard_limit))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft_limit, hard_limit))


class Kept:
    """One of each kind in a database, as its owner finds them."""

    def __init__(self, database):
        self.sets = SetStore(database)
        self.reviews = ReviewStore(database)
        self.tables = TableStore(database)
        self.link = self.sets.keep(named("one"), "me")
        self.edit_link = self.reviews.begin(BEGIN, "me").edit_link
        self.table = self.tables.keep("a\tb", "wmt", "me")

    def names(self):
        return [saved.name for saved in self.sets.list_owned("me")]

    def check(self):
        assert self.sets.load(self.sets.find(self.link)).n_segments == 2
        assert self.reviews.find(self.edit_link).history
        assert self.tables.find(self.table, "wmt") == "a\tb"


def test_a_full_disk(tmp_path):
    """Of every kind that is kept; once there is room again, it goes on."""
    database = Database(f"sqlite:///{tmp_path / 'sets.sqlite'}")
    kept = Kept(database)
    with full(1 << 10):
        for save in (
            lambda: kept.sets.keep(named("two", 9000), "me"),
            lambda: kept.sets.delete(kept.link, "me"),
            lambda: kept.reviews.begin(BEGIN, "me"),
            lambda: kept.tables.keep("z" * 99_999, "wmt", "me"),
            lambda: kept.reviews.add(kept.edit_link, NoteOn("a", "b", "c", "d", "x" * 4000), 1),
        ):
            with pytest.raises(StoreError, match="could not be (saved|deleted).*MTSIG_HOME"):
                save()
        kept.check()
    assert kept.names() == ["one"]
    assert len(kept.reviews.add(kept.edit_link, Exclude("A"), 1).history) == 2
    assert len(kept.reviews.list_owned("me")) == 1
    link = kept.sets.keep(named("two", 9000), "me")
    assert kept.sets.load(kept.sets.find(link)).n_segments == 9000
    database.close()


def test_what_is_kept_is_read_where_nothing_can_be_written(tmp_path):
    """Days later, when it would be noted as used."""
    now = [1000 * DAY]
    database = Database(f"sqlite:///{tmp_path / 'sets.sqlite'}", now=lambda: now[0])
    kept = Kept(database)
    database.close()
    sa.event.listen(database._engine, "connect", lambda db, _: db.execute("PRAGMA query_only=ON"))
    now[0] += 2 * DAY
    kept.check()
    for save in (
        lambda: kept.sets.keep(named("two"), "me"),
        lambda: kept.reviews.begin(BEGIN, "me"),
    ):
        with pytest.raises(StoreError, match="could not be saved.*readonly database"):
            save()
    database.close()


def test_a_clock_that_goes_back(url):
    """By a year: nothing expires, and steps stay in their order."""
    now = [1000 * DAY]
    database = Database(url, now=lambda: now[0])
    kept = Kept(database)
    now[0] -= 365 * DAY
    assert kept.sets.keep(named("one"), "me") == kept.link
    history = kept.reviews.add(kept.edit_link, Exclude("A"), 1).history
    assert [entry.number for entry in history] == [1, 2]
    kept.check()
    now[0] += 365 * DAY  # and right again
    kept.check()
    assert kept.names() == ["one"]
    database.close()


def test_a_clock_that_jumps_ahead(url):
    """By ten years, and is set right a minute later: what is kept is not forgotten for that."""
    now, passed = [1000 * DAY], [0.0]
    database = Database(url, now=lambda: now[0], passed=lambda: passed[0])
    kept = Kept(database)
    now[0] += 3650 * DAY
    passed[0] += 60
    kept.sets.keep(named("two"), "me")
    kept.reviews.begin(BEGIN, "me")
    now[0] -= 3650 * DAY
    kept.check()
    now[0] += 100 * DAY  # which really go by
    passed[0] += 100 * DAY
    kept.sets.keep(named("three"), "me")
    assert kept.sets.find(kept.link) is None
    assert kept.reviews.find(kept.edit_link) is None
    database.close()
