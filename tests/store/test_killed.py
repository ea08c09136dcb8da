"""A kill -9 in the middle of saving: what was kept before is there, what was not yet kept is not there at all."""

import pytest

from mtsig_core.store.kept_sets import Store
from tests.store.conftest import kill_in_the_middle

# Saves one set whole, then a second of which every statement is sent but the commit; and waits to be killed.
SAVES = """
import signal, sys
import sqlalchemy as sa
from mtsig_core import TestSet
from mtsig_core.store.kept_sets import Store

def text(name):
    return TestSet(name, {"A": [f"{name} {k}" for k in range(20000)]}, {"ref": ["r"] * 20000})

store = Store(sys.argv[1])
print(store.keep(text("first"), "me"), flush=True)

def wait(connection):
    print("in the middle", flush=True)
    signal.pause()

sa.event.listen(store._engine, "commit", wait)
store.keep(text("second"), "me")
"""


@pytest.mark.long
def test_what_was_kept_is_there_and_nothing_half(url):
    link, store = kill_in_the_middle(SAVES, url), Store(url)
    assert [saved.name for saved in store.of("me")] == ["first"]
    assert store.load(store.find(link)).n_segments == 20_000
    with store._engine.begin() as db:
        assert db.exec_driver_sql("SELECT count(*) FROM mtsig_content").scalar() == 1
    again = store.keep(store.load(store.find(link)).only(["A"]), "you")  # and it can be written to
    assert store.find(again)
    store.close()
