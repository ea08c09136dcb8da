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
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk(tmp_path):
    """Of every kind that is kept; once there is room again, it goes on."""
    database = Database(f"sqlite:///{tmp_path / 'sets.sqlite'}")
    store, reviews, tables = SetStore(database), ReviewStore(database), TableStore(database)
    link, edit = store.keep(named("one"), "me"), reviews.begin(BEGIN, "me").edit_link
    table = tables.keep("a\tb", "wmt", "me")
    with full(1 << 10):
        for saves in (
            lambda: store.keep(named("two", 9000), "me"),
            lambda: store.delete(link, "me"),
            lambda: reviews.begin(BEGIN, "me"),
            lambda: tables.keep("z" * 99_999, "wmt", "me"),
            lambda: reviews.add(edit, NoteOn("a", "b", "c", "d", "x" * 4000), 1),
        ):
            with pytest.raises(StoreError, match="could not be (saved|deleted).*MTSIG_HOME"):
                saves()
        assert [saved.name for saved in store.list_owned("me")] == ["one"] and store.load(
            store.find(link)
        ).n_segments == 2
    assert [saved.name for saved in store.list_owned("me")] == ["one"] and tables.find(
        table, "wmt"
    ) == "a\tb"
    assert (
        len(reviews.add(edit, Exclude("A"), 1).history) == 2 and len(reviews.list_owned("me")) == 1
    )
    assert store.load(store.find(store.keep(named("two", 9000), "me"))).n_segments == 9000
    database.close()


def test_what_is_kept_is_read_where_nothing_can_be_written(tmp_path):
    """Days later, when it would be noted as used."""
    now = [1000 * DAY]
    database = Database(f"sqlite:///{tmp_path / 'sets.sqlite'}", now=lambda: now[0])
    store, reviews, tables = SetStore(database), ReviewStore(database), TableStore(database)
    link, edit = store.keep(named("one"), "me"), reviews.begin(BEGIN, "me").edit_link
    table = tables.keep("t", "x", "me")
    database.close()
    sa.event.listen(database._engine, "connect", lambda db, _: db.execute("PRAGMA query_only=ON"))
    now[0] += 2 * DAY
    assert (
        store.load(store.find(link)).n_segments == 2
        and reviews.find(edit)
        and tables.find(table, "x") == "t"
    )
    for saves in (lambda: store.keep(named("two"), "me"), lambda: reviews.begin(BEGIN, "me")):
        with pytest.raises(StoreError, match="could not be saved.*readonly database"):
            saves()
    database.close()


def test_a_clock_that_goes_back(url):
    """By a year: nothing expires, and steps stay in their order."""
    now = [1000 * DAY]
    database = Database(url, now=lambda: now[0])
    store, reviews, tables = SetStore(database), ReviewStore(database), TableStore(database)
    link, edit = store.keep(named("one"), "me"), reviews.begin(BEGIN, "me").edit_link
    table = tables.keep("t", "x", "me")
    now[0] -= 365 * DAY
    assert store.keep(named("one"), "me") == link
    assert [entry.number for entry in reviews.add(edit, Exclude("A"), 1).history] == [1, 2]
    assert reviews.find(edit).review.exclusions[0].system == "A" and tables.find(table, "x") == "t"
    now[0] += 365 * DAY  # and right again
    assert (
        store.find(link)
        and [saved.name for saved in store.list_owned("me")] == ["one"]
        and reviews.find(edit)
    )
    database.close()


def test_a_clock_that_jumps_ahead(url):
    """By ten years, and is set right a minute later: what is kept is not forgotten for that."""
    now, passed = [1000 * DAY], [0.0]
    database = Database(url, now=lambda: now[0], passed=lambda: passed[0])
    store, reviews = SetStore(database), ReviewStore(database)
    link, edit = store.keep(named("one"), "me"), reviews.begin(BEGIN, "me").edit_link
    now[0] += 3650 * DAY
    passed[0] += 60
    store.keep(named("two"), "me"), reviews.begin(BEGIN, "me")
    now[0] -= 3650 * DAY
    assert store.find(link) and reviews.find(edit).history
    now[0] += 100 * DAY  # which really go by
    passed[0] += 100 * DAY
    store.keep(named("three"), "me")
    assert store.find(link) is None and reviews.find(edit) is None
    database.close()
