"""What was read stays in memory by its weight; uploads are kept whatever else is opened."""

import threading
import time

import pytest
import streamlit

from mtsig_core import TestSet
from mtsig_core.metrics.cache import NO_VALUE, Memory
from pages._work.memory import make_once, weigh_testset

_LEAST = 1 << 16


def kept(memory, keys):
    made = []
    for key in keys:
        memory.make(key, lambda key=key: made.append(key) or key, lambda _: _LEAST)
    return made


def test_what_was_not_used_for_longest_makes_room():
    memory = Memory(100, 3 * _LEAST)
    assert kept(memory, "abca") == ["a", "b", "c"]
    assert kept(memory, "dab") == ["d", "b"]  # b was not used for longest when d came
    memory.make("large", lambda: "large", lambda _: 99 * _LEAST)
    assert kept(memory, ["large", "a"]) == [
        "a"
    ]  # one that is larger than all the room makes its own


def test_many_small_ones_stay_and_streamlit_clears_none():
    memory = Memory(100, 30 * _LEAST)
    assert len(kept(memory, range(25))) == 25
    streamlit.cache_resource.clear(), streamlit.cache_data.clear()
    assert kept(memory, range(25)) == []


def test_it_is_made_once_and_what_fails_is_not_kept():
    memory, made, begun = Memory(100), [], threading.Event()

    def make():
        begun.set()
        time.sleep(0.01)
        made.append(1)
        return "value"

    others = [threading.Thread(target=memory.make, args=("key", make, len)) for _ in range(4)]
    for thread in others:
        thread.start()
    for thread in others:
        thread.join()
    assert made == [1]
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            memory.make("other", lambda: 1 / 0, len)
    assert memory.make("other", lambda: "now", len) == "now"
    assert not memory._making


@pytest.mark.parametrize("value", [None, 0, False, (), ""])
def test_a_value_that_says_nothing_is_a_value(value):
    memory, made = Memory(100), []
    for _ in range(2):
        assert memory.make("key", lambda: made.append(1) or value) == value
    assert made == [1]
    assert "key" in memory
    assert memory.get("key", NO_VALUE) == value
    assert memory.get("other", NO_VALUE) is NO_VALUE


def test_a_test_set_weighs_what_its_texts_do():
    small, large = (
        TestSet("t", {"A": ["x" * 10 + str(k) for k in range(n)]}, {"r": ["y"] * n})
        for n in (10, 1000)
    )
    assert 50 * weigh_testset(small) < weigh_testset(large) < 200_000


# What is made of results is made once.


def test_the_same_objects_make_it_once_and_others_anew():
    made = []

    def make(*of):
        made.append(of)
        return len(made)

    one, other = [1], [1]  # equal, and not the same
    assert [make_once(make, one, "x") for _ in range(3)] == [1, 1, 1]
    assert make_once(make, other, "x") == 2
    assert make_once(make, one, "y") == 3
    assert make_once(make, one, "x") == 1
    assert make_once(make, 1) == 4
    assert make_once(make, True) == 5
    assert make_once(make, 1.0) == 6
    assert made[0][0] is one
