"""Work that runs in threads, asked for by many: shared by its key, remembered, stopped when nobody wants it."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor

from mtsig_core.errors import Cancelled
from pages._ui import server_events

__all__ = ["Job", "Memory", "Office", "TooLong", "lasting"]

_TIMED = 1.0  # seconds of work whose speed is worth believing
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
    """The values last used, by key; shared by threads."""

    def __init__(self, size: int):
        self._size, self._values, self._lock = size, OrderedDict(), threading.Lock()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable):
        """The value of a key, None without one."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def keep(self, key: Hashable, value) -> None:
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)


class Job:
    """One piece of work under way; it goes on as long as a session wants it.

    Attributes
    ----------
    longest : float
        Seconds that it may take: where the speed of its first second says that it will take longer, it ends in
        `TooLong`.
    """

    def __init__(self, me: str, longest: float = math.inf):
        self.watchers, self.longest = {me}, longest
        self.future: Future
        self.begin()

    def begin(self) -> None:
        """Its turn has come."""
        self.begun = self.since = time.monotonic()
        self.stage, self.share, self.first = "", 0.0, 0.0

    def progress(self, stage: str, share: float) -> None:
        if not self.watchers:
            raise Cancelled("Nobody waits for this any more.")
        now = time.monotonic()
        # A share of all goes on from one stage to the next. The first share also loads what it needs.
        if share < self.share or not self.share:
            self.since, self.first = now, share
        self.stage, self.share = stage, share
        if _TIMED <= now - self.since and now - self.begun <= _LOST:
            seconds = now - self.begun + self.left(now)
            if seconds > self.longest:
                raise TooLong(seconds)

    def left(self, now: float) -> float:
        """Seconds that the rest takes at the speed since the share began; 0 where that cannot be told."""
        done = self.share - self.first
        return (now - self.since) / done * (1 - self.share) if done > 0 else 0.0

    def told(self) -> str:
        """Stage, share of it, and the time that the rest of it takes."""
        if not self.stage:
            return "waiting for its turn"
        now = time.monotonic()
        left = self.left(now) if self.share >= 0.02 and now - self.since >= 0.3 else 0.0
        return f"{self.stage}, {self.share:.0%}" + (f", about {lasting(left)} left" if left else "")


class Office:
    """The jobs of all sessions; two that ask for the same share one."""

    def __init__(self, kept: int = 128, workers: int = 2):
        self.values = Memory(kept)
        self.expected = Memory(kept)  # seconds, of what was too long
        self._jobs: dict[Hashable, Job] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="mtsig")

    def watch(self, key: tuple, work: Callable, me: str, longest: float = math.inf) -> Job:
        """The job for a key, started if need be. Of the same kind of work a session wants only the latest."""
        with self._lock:
            for other, job in self._jobs.items():
                if other[0] == key[0] and other != key:
                    job.watchers.discard(me)
            job = self._jobs.get(key)
            if job is None or not job.watchers:  # there is none, or it is about to stop
                job = self._jobs[key] = Job(me, longest)
                job.future = self._pool.submit(self._run, key, job, work)
            job.watchers.add(me)
            job.longest = max(job.longest, longest)
            return job

    def counts(self) -> dict[str, int]:
        """How many jobs there are, and how many values are kept."""
        return {"under_way": len(self._jobs), "kept": len(self.values)}

    def leave(self, key: tuple, me: str) -> None:
        with self._lock:
            if key in self._jobs:
                self._jobs[key].watchers.discard(me)

    def _run(self, key, job, work):
        try:
            job.begin()
            server_events.tell("job_start", kind=key[0])
            with server_events.timed("job_end", kind=key[0]):
                job.progress("", 0.0)
                value = work(job.progress)
            self.values.keep(key, value)
            return value
        except TooLong as found:
            self.expected.keep(key, found.seconds)
            raise
        finally:
            with self._lock:
                if self._jobs.get(key) is job:
                    del self._jobs[key]
