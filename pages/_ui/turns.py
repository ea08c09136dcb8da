"""Pages take turns: whoever came first is drawn first, and all the faster, as Python draws one at a time anyway."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Turns", "turn", "waiting"]

_AT_ONCE = 2  # pages: while one waits for a disk or a database, another is drawn
_LONGEST = 1.0  # seconds after which a page that is still being drawn lets the next begin


class Turns:
    """A place at which so many are at work at once, in the order in which they came.

    Parameters
    ----------
    at_once : int
    longest : float
        Seconds after which one that is still at work does not count any more.
    clock : callable, optional
    """

    def __init__(self, at_once: int = _AT_ONCE, longest: float = _LONGEST, clock: Callable = time.monotonic):
        self._at_once, self._longest, self._clock = at_once, longest, clock
        self._begun: dict[int, float] = {}  # by thread
        self._queue: deque[int] = deque()
        self._changed = threading.Condition()

    def enter(self) -> None:
        """Wait for one's turn."""
        me = threading.get_ident()
        with self._changed:
            self._queue.append(me)
            while self._queue[0] != me or not self._is_room():
                self._changed.wait(self._longest / 4)
            self._queue.popleft()
            self._begun[me] = self._clock()
            self._changed.notify_all()  # there may be room for the next one too

    def leave(self) -> None:
        with self._changed:
            self._begun.pop(threading.get_ident(), None)
            self._changed.notify_all()

    def holds(self) -> bool:
        """Whether this thread has a turn."""
        return threading.get_ident() in self._begun

    def _is_room(self):
        now = self._clock()
        return sum(now - begun < self._longest for begun in self._begun.values()) < self._at_once


_TURNS = Turns()


@contextmanager
def turn() -> Iterator[None]:
    """Draw a page when it is its turn."""
    _TURNS.enter()
    try:
        yield
    finally:
        _TURNS.leave()


@contextmanager
def waiting() -> Iterator[None]:
    """Let others have their turn while this page waits for work; one that ends meanwhile needs none any more."""
    had = _TURNS.holds()
    _TURNS.leave()
    yield
    if had:
        _TURNS.enter()
