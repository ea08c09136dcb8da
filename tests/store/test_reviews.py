"""Reviews come back step by step, by two links; nothing is overwritten silently, and nothing is
half saved.
"""

import re
import threading

import pytest
import sqlalchemy as sa

from mtsig_core.errors import SettingError
from mtsig_core.reviews import Begin, Decide, Exclude, SetRule, TakeBack
from pages._store.database import DAY, Database, Limits
from pages._store.kept_reviews import ChangedMeanwhile, ReviewStore

BEGIN = Begin("wmt", None, "d", {"en-de": "1"}, "bleu", {"trials": 999})
NAME = "<b>نظام</b>\x00\ud800"


@pytest.fixture
def reviews(store):
    return ReviewStore(store.database)


def test_all_of_it_comes_back_after_a_restart(reviews, url, clock):
    link = reviews.begin(BEGIN, "me").edit_link
    clock.now += 90
    reviews.add(link, Exclude(NAME, "en-de", "late"), 1)
    told = reviews.add(link, Decide("en-de", (NAME, "B"), "because"), 2)
    database = Database(url, now=clock)
    again = ReviewStore(database)
    found = again.find(link)
    assert found.history == told.history
    assert found.review == told.review
    assert [entry.at for entry in found.history] == [clock.now - 90, clock.now, clock.now]
    database.close()


def test_one_link_reads_and_another_goes_on(reviews):
    kept = reviews.begin(BEGIN, "me")
    read = reviews.find(kept.read_link)
    assert read.history == kept.history
    assert read.edit_link is None
    assert kept.edit_link not in repr(read)
    assert kept.edit_link != kept.read_link
    assert all(re.fullmatch(r"[\w-]{22,}", link) for link in (kept.edit_link, kept.read_link))
    with pytest.raises(SettingError, match="does not let one change"):
        reviews.add(kept.read_link, SetRule("wmt24"), 1)
    assert reviews.find(kept.edit_link).history == kept.history
    assert reviews.find("") is None


def test_the_second_of_two_editors_is_told(reviews):
    link = reviews.begin(BEGIN, "me").edit_link
    reviews.add(link, Exclude("A"), 1)
    with pytest.raises(ChangedMeanwhile, match="changed this review once") as told:
        reviews.add(link, Exclude("B"), 1)
    assert [entry.change for entry in told.value.entries] == [Exclude("A")]
    assert len(reviews.find(link).history) == 2
    reviews.add(link, TakeBack(2), 2)
    assert reviews.find(link).review.exclusions == ()


def test_two_at_the_same_moment(reviews, store, monkeypatch):
    """Both have looked before either writes."""
    link, both, said = reviews.begin(BEGIN, "me").edit_link, threading.Barrier(2), []
    database = store.database
    room = database._check_room
    monkeypatch.setattr(database, "_check_room", lambda *args: (both.wait(20), room(*args)))

    def add(name):
        try:
            said.append(len(reviews.add(link, Exclude(name), 1).history))
        except ChangedMeanwhile as error:
            said.append([entry.change.system for entry in error.entries])

    threads = [threading.Thread(target=add, args=(name,)) for name in "AB"]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    kept = reviews.find(link)
    assert len(kept.history) == 2
    assert kept.review.exclusions[0].system in "AB"
    assert sorted(map(str, said)) == sorted(["2", str([kept.review.exclusions[0].system])])


def test_who_started_it_lists_and_deletes_it(reviews):
    first, second = (reviews.begin(BEGIN, "me").edit_link for _ in range(2))
    assert {kept.edit_link for kept in reviews.list_owned("me")} == {
        first,
        second,
    }
    assert reviews.list_owned("you") == []
    assert not reviews.delete(first, "you")
    assert reviews.delete(first, "me")
    assert reviews.find(first) is None
    with pytest.raises(SettingError, match="was deleted or has expired"):
        reviews.add(first, SetRule("wmt24"), 1)
    assert reviews.find(second)


def test_it_expires_and_has_a_quota_as_sets_have(reviews, store, url, clock):
    old = reviews.begin(BEGIN, "me").edit_link
    clock.now += 9 * DAY
    used = reviews.begin(BEGIN, "me").edit_link
    clock.now += 2 * DAY
    assert reviews.find(old) is None
    assert reviews.find(used)
    limits = Limits(owner_bytes=600, total_bytes=2 << 20, days=10)
    database = Database(url, limits, clock)
    small = ReviewStore(database)
    seen = 1
    with pytest.raises(
        SettingError, match=r"There is no room for this review, .* yours take.*\(MTSIG_QUOTA_MB\)"
    ):
        for seen in range(1, 9):
            small.add(used, Decide("en-de", ("A",), "x" * 100 + str(seen)), seen)
    assert len(reviews.find(used).history) == seen > 1
    reviews.begin(BEGIN, "you")  # which forgets what has expired
    with database._engine.begin() as db:
        assert db.execute(sa.text("SELECT count(*) FROM mtsig_kept")).scalar() == 2
    database.close()
