"""What the browser's tab says was put aside, which may be anything, and may come late."""

from types import SimpleNamespace

import pytest

from pages._ui import address

OUT = {"exclude": ["A"], "reason.A": ["late"]}


@pytest.fixture
def state(monkeypatch):
    state = {address._OF_SETS: {}, address._KEPT: {"seed": ["5"]}, address._LINK: {}, address._COMPLAINTS: {}}
    monkeypatch.setattr(address, "st", SimpleNamespace(session_state=state))
    return state


def switch(old, new):
    address.switched_set(old, new, lambda key, texts: key == "exclude" or key.startswith("reason."))


def test_told_before_the_set_is_opened(state):
    assert not address.take_aside({"x": OUT}) and state[address._KEPT] == {"seed": ["5"]}
    switch("y", "x")
    assert state[address._KEPT] == {"seed": ["5"], **OUT}
    assert not address.take_aside({"x": {}})  # the session knows better


def test_told_after_the_set_is_opened(state):
    switch("y", "x")
    assert address.take_aside({"x": OUT}) and state[address._KEPT] == {"seed": ["5"], **OUT}
    state[address._KEPT].pop("exclude")
    assert not address.take_aside({"x": OUT}) and "exclude" not in state[address._KEPT]  # once


def test_nothing_is_taken_for_a_set_that_a_link_opened(state):
    assert not address.take_aside({"x": OUT}) and state[address._KEPT] == {"seed": ["5"]}


@pytest.mark.parametrize("told", [None, 3, "x", ["x"], {"x": ["exclude"]}, {"x": None}])
def test_what_it_never_said_is_not_taken(state, told):
    assert not address.take_aside(told) and state[address._OF_SETS] == {}


def test_only_texts_are_taken(state):
    address.take_aside({"x": {"exclude": [1, "A"], "seed": 3}})
    assert state[address._OF_SETS] == {"x": {"exclude": ["1", "A"]}}
