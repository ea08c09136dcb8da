"""What the browser's tab says was put aside, which may be anything, and may come late."""

from types import SimpleNamespace

import pytest

from mtsig_core import TestSet
from pages._ui import address
from pages._ui.views import of_this_set_alone

OUT = {"exclude": ["A"], "reason.A": ["late"]}


@pytest.fixture
def state(monkeypatch):
    state = {
        address._OF_SETS: {},
        address._KEPT: {"seed": ["5"]},
        address._LINK: {},
        address._COMPLAINTS: {},
    }
    monkeypatch.setattr(address, "st", SimpleNamespace(session_state=state))
    return state


def switch(old, new):
    address.switched_set(old, new, lambda key, texts: key == "exclude" or key.startswith("reason."))


def test_told_before_the_set_is_opened(state):
    assert not address.take_aside({"x": OUT})
    assert state[address._KEPT] == {"seed": ["5"]}
    switch("y", "x")
    assert state[address._KEPT] == {"seed": ["5"], **OUT}
    assert not address.take_aside({"x": {}})  # the session knows better


def test_told_after_the_set_is_opened(state):
    switch("y", "x")
    assert address.take_aside({"x": OUT})
    assert state[address._KEPT] == {"seed": ["5"], **OUT}
    state[address._KEPT].pop("exclude")
    assert not address.take_aside({"x": OUT})
    assert "exclude" not in state[address._KEPT]  # once


def test_nothing_is_taken_for_a_set_that_a_link_opened(state):
    assert not address.take_aside({"x": OUT})
    assert state[address._KEPT] == {"seed": ["5"]}


@pytest.mark.parametrize("told", [None, 3, "x", ["x"], {"x": ["exclude"]}, {"x": None}])
def test_what_it_never_said_is_not_taken(state, told):
    assert not address.take_aside(told)
    assert state[address._OF_SETS] == {}


def test_only_texts_are_taken(state):
    address.take_aside({"x": {"exclude": [1, "A"], "seed": 3}})
    assert state[address._OF_SETS] == {"x": {"exclude": ["1", "A"]}}


NEW = TestSet(
    "new", {"A": ["a"] * 2, "B": ["b"] * 2}, {"refA": ["a"] * 2}, domains=["news", "social"]
)


@pytest.mark.parametrize(
    ("key", "texts", "left"),
    [
        ("exclude", ["A"], True),
        ("domain", ["social"], True),
        ("tokenize", ["zh"], True),
        ("a", ["A"], False),
        ("a", ["C"], True),
        ("alpha", ["0.01"], False),
        ("metric", ["chrf"], False),
    ],
)
def test_what_was_said_of_one_set_is_not_said_of_the_next(key, texts, left):
    assert of_this_set_alone(key, texts, NEW) == left
