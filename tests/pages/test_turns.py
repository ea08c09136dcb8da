"""Pages take turns."""

import threading
import time

import pytest

from pages._work import scheduler


def arrive(place, name, done, go):
    """Somebody who waits for a turn, and has it until told to go."""
    def stay():
        place.enter()
        done.append(name)
        go.wait(120)
        place.leave()

    before = len(place._queue)
    thread = threading.Thread(target=stay, daemon=True)
    thread.start()
    while len(place._queue) == before and name not in done:
        time.sleep(0.001)
    return thread


def test_who_comes_first_is_first():
    place, done, go = scheduler.Turns(at_once=1, longest=60.0), [], [threading.Event() for _ in range(5)]
    threads = [arrive(place, k, done, go[k]) for k in range(5)]
    for k in range(5):
        assert done == list(range(k + 1))  # nobody else meanwhile
        go[k].set()
        threads[k].join(120)
        while k < 4 and len(done) == k + 1:
            time.sleep(0.001)


def test_one_that_takes_long_holds_nobody_up():
    now, done, go = [0.0], [], threading.Event()
    place = scheduler.Turns(at_once=1, longest=0.04, clock=lambda: now[0])
    threads = [arrive(place, k, done, go) for k in range(2)]
    assert done == [0]
    now[0] = 1.0
    while done != [0, 1]:
        time.sleep(0.001)
    go.set()
    for thread in threads:
        thread.join(120)


def test_what_waits_leaves_its_turn_and_has_it_again(monkeypatch):
    place = scheduler.Turns(at_once=1, longest=60.0)
    monkeypatch.setattr(scheduler, "_TURNS", place)
    with scheduler.turn():
        with scheduler.waiting():
            assert not place.holds()
        assert place.holds()
        with pytest.raises(KeyError), scheduler.waiting():
            raise KeyError
        assert not place.holds()  # it ends
    with scheduler.waiting():
        assert not place.holds()
    assert not place.holds() and not place._queue
