"""A kill -9 in the middle of saving: what was kept before is there, what was not yet kept is not
there at all.
"""

import pytest

from mtsig_core.reviews import Exclude
from pages._store.database import Database
from pages._store.kept_reviews import ReviewStore
from pages._store.kept_sets import SetStore
from tests.store.conftest import kill_in_the_middle

# Saves one set whole, then a second of which every statement is sent but the commit; and waits to
# be killed.
SAVES = """
import signal, sys
import sqlalchemy as sa
from mtsig_core import TestSet
from pages._store.database import Database
from pages._store.kept_sets import SetStore

def text(name):
    return TestSet(name, {"A": [f"{name} {k}" for k in range(20000)]}, {"ref": ["r"] * 20000})

database = Database(sys.argv[1])
store = SetStore(database)
print(store.keep(text("first"), "me"), flush=True)

def wait(connection):
    print("in the middle", flush=True)
    signal.pause()

sa.event.listen(database._engine, "commit", wait)
store.keep(text("second"), "me")
"""


@pytest.mark.long
def test_what_was_kept_is_there_and_nothing_half(url):
    link = kill_in_the_middle(SAVES, url)
    database = Database(url)
    store = SetStore(database)
    assert [saved.name for saved in store.list_owned("me")] == ["first"]
    assert store.load(store.find(link)).n_segments == 20_000
    with database._engine.begin() as db:
        assert db.exec_driver_sql("SELECT count(*) FROM mtsig_kept").scalar() == 1
    again = store.keep(store.load(store.find(link)).only(["A"]), "you")  # and it can be written to
    assert store.find(again)
    database.close()


# Saves a step of a review whole, then starts another review, or adds a step, of which all is sent
# but the commit.
REVIEWS = """
import signal, sys
import sqlalchemy as sa
from mtsig_core.reviews import Begin, Exclude
from pages._store.database import Database
from pages._store.kept_reviews import ReviewStore

begin = Begin("wmt", None, "d", {"en-de": "1"}, "bleu", {"trials": 999})
database = Database(sys.argv[1])
reviews = ReviewStore(database)
kept = reviews.begin(begin, "me")
reviews.add(kept.edit_link, Exclude("A", None, "late"), 1)
print(kept.edit_link, flush=True)

def wait(connection):
    print("in the middle", flush=True)
    signal.pause()

sa.event.listen(database._engine, "commit", wait)
"""
STEPS = {
    "a step": 'reviews.add(kept.edit_link, Exclude("B", None, "lost"), 2)',
    "a review": 'reviews.begin(begin, "me")',
}


@pytest.mark.long
@pytest.mark.parametrize("step", STEPS)
def test_a_review_has_all_steps_that_were_saved_and_goes_on(url, step):
    link = kill_in_the_middle(REVIEWS + STEPS[step], url)
    database = Database(url)
    reviews = ReviewStore(database)
    (kept,) = reviews.list_owned("me")
    assert kept.edit_link == link
    assert [one.system for one in kept.review.exclusions] == ["A"]
    kept = reviews.add(link, Exclude("C", None, "new"), 2)  # the step that was lost has left no gap
    assert [entry.number for entry in reviews.find(link).history] == [1, 2, 3]
    with database._engine.begin() as db:
        assert db.exec_driver_sql("SELECT version FROM mtsig_kept").scalar() == 3
    database.close()
