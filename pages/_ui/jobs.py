"""Work under way and what came of it: who wants it, how far it is, how long it takes, the values last used."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future

from mtsig_core.errors import Cancelled

__all__ = ["Job", "Memory", "TooLong", "lasting"]

_TIMED = 1.0  # seconds of work whose speed is worth believing
_SURE, _FAR = 9.0, 20  # seconds before which only what would take so many times as long as it may is stopped
_LOST = 30.0  # seconds of work that may be thrown away: later it goes on, and says what is left


class TooLong(Cancelled):
    """Work that was stopped because it would take longer than may be unasked.

    Attributes
    ----------
    seconds : float
        How long it would take in all.
    """

    def __init__(self, seconds: float):
        super().__init__(f"This would take about {lasting(seconds)}.")
        self.seconds = seconds

    def __reduce__(self):
        return TooLong, (self.seconds,)


def lasting(seconds: float) -> str:
    """How long something takes, in words.

    Examples
    --------
    >>> lasting(48.2), lasting(200.0), lasting(90_000.0)
    ('48 s', '3 min', '25 h')
    """
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


class Memory:
    """The values last used, by key; shared by threads. So many of them, and of so much weight in all."""

    def __init__(self, size: int, most: float = math.inf):
        self._size, self._most, self._values, self._lock = size, most, OrderedDict(), threading.Lock()
        self._weight = 0.0

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def get(self, key: Hashable):
        """The value of a key, None without one."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key, (None,))[0]

    def keep(self, key: Hashable, value, weight: float = 0.0) -> None:
        """Keep a value, which alone may weigh more than all should."""
        with self._lock:
            self._weight += weight - self._values.pop(key, (None, 0.0))[1]
            self._values[key] = value, weight
            while len(self._values) > max(1, self._size if self._weight <= self._most else 1):
                self._weight -= self._values.popitem(last=False)[1][1]


class Job:
    """One piece of work; it goes on as long as a session wants it.

    Attributes
    ----------
    watchers : dict of str to float
        The sessions that want it, and when each was last seen open. It has its turn as that of the first of them.
    longest : float
        Seconds that it may take: where even its fastest second so far says that it will take longer, it ends in
        `TooLong`. So one that only starts slowly, as what is compiled once does, goes on; for that it has some seconds.
    future : Future
        Of its value.
    worker
        Who does it, None until its turn has come.
    at_work : bool
        Whether it has a place; not while it waits, nor while it pauses.
    placed : float
        When it got the place that it has.
    parts : dict
        Of its value, those that are there.
    """

    def __init__(self, key: Hashable, work: Callable, heavy: bool, longest: float = math.inf):
        self.key, self.work, self.heavy, self.longest = key, work, heavy, longest
        self.watchers: dict[str, float] = {}
        self.future, self.worker, self.at_work, self.parts, self.asked = Future(), None, False, {}, 0
        self.stage, self.share = "", 0.0
        self.begin()

    @property
    def owner(self) -> str:
        return next(iter(self.watchers), "")

    def begin(self) -> None:
        """Its turn has come: it is timed from here."""
        self.begun = self.since = self.placed = self.timed = time.monotonic()
        self.first = self.done = self.share
        self.fastest = 0.0  # share of it in a second

    def pause(self) -> None:
        """It gives its place to another, and takes no time meanwhile."""
        self.worker.pause()
        self.paused = time.monotonic()

    def resume(self) -> None:
        """Its turn has come again."""
        self.placed = time.monotonic()
        gone = self.placed - self.paused
        self.begun, self.since, self.timed = self.begun + gone, self.since + gone, self.timed + gone
        self.worker.resume()

    def told(self, kind: str, *values) -> None:
        """What a worker tells: a part of the value, or how far it is.

        Raises
        ------
        TooLong
        """
        if kind == "part":
            name, value = values
            self.parts = {**self.parts, name: value}  # who reads it has its own
        else:
            self.progress(*values)

    def progress(self, stage: str, share: float) -> None:
        now = time.monotonic()
        # A share of all goes on from one stage to the next. The first share also loads what it needs.
        if share < self.share or not self.share:
            self.since, self.first = self.timed, self.done = now, share
            self.fastest = 0.0
        self.stage, self.share = stage, share
        if now - self.timed >= _TIMED:
            self.fastest = max(self.fastest, (share - self.done) / (now - self.timed))
            self.timed, self.done = now, share
        spent = now - self.begun
        longest = self.longest if spent >= _SURE else _FAR * self.longest
        if self.fastest and spent <= _LOST and spent + (1 - share) / self.fastest > longest:
            raise TooLong(spent + self.left(now))

    def left(self, now: float) -> float:
        """Seconds that the rest takes at the speed since the share began; 0 where that cannot be told."""
        done = self.share - self.first
        return (now - self.since) / done * (1 - self.share) if done > 0 else 0.0

    def said(self) -> str:
        """Stage, share of it, and the time that the rest of it takes."""
        if not self.at_work:
            return "waiting for its turn" + (f", {self.share:.0%} done" if self.share else "")
        if not self.stage:
            return "starting"
        now = time.monotonic()
        left = self.left(now) if self.share >= 0.02 and now - self.since >= 0.3 else 0.0
        return f"{self.stage}, {self.share:.0%}" + (f", about {lasting(left)} left" if left else "")
