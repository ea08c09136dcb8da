"""Who works when: the jobs of all sessions take turns, and a job that nobody wants any more
ends.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from itertools import count

from mtsig_core.errors import Cancelled
from pages._work import events
from pages._work.memory import Memory

_TIMED = 1.0  # seconds of work whose speed is worth believing
_SURE, _FAR = (
    9.0,
    20,
)  # seconds before which only what would take so many times as long as it may is stopped
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


class Job:
    """One piece of work; it goes on as long as a session wants it.

    Attributes
    ----------
    watchers : dict of str to float
        The sessions that want it, and when each was last seen open. It has its turn as that of the
        first of them.
    longest : float
        Seconds that it may take: where even its fastest second so far says that it will take
        longer, it ends in `TooLong`. So one that only starts slowly, as what is compiled once does,
        goes on; for that it has some seconds.
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
        self.future, self.worker, self.at_work, self.parts, self.asked = (
            Future(),
            None,
            False,
            {},
            0,
        )
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
        """What a worker tells: a part of the value, or how far it is."""
        if kind == "part":
            name, value = values
            self.parts = {**self.parts, name: value}  # who reads it has its own
        else:
            self.progress(*values)

    def progress(self, stage: str, share: float) -> None:
        now = time.monotonic()
        # A share of all goes on from one stage to the next. The first share also loads what it
        # needs.
        if share < self.share or not self.share:
            self.since, self.first = self.timed, self.done = now, share
            self.fastest = 0.0
        self.stage, self.share = stage, share
        if now - self.timed >= _TIMED:
            self.fastest = max(self.fastest, (share - self.done) / (now - self.timed))
            self.timed, self.done = now, share
        spent = now - self.begun
        longest = self.longest if spent >= _SURE else _FAR * self.longest
        if (
            self.fastest
            and spent <= _LOST
            and (seconds := spent + (1 - share) / self.fastest) > longest
        ):
            raise TooLong(
                seconds
            )  # at the mean speed so far, which its slow start lowers, it would be far more

    def left(self, now: float) -> float:
        """Seconds that the rest takes at the speed since the share began; 0 where that cannot be
        told.
        """
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


# seconds after which a session that is closed wants nothing any more; a reload takes one or two
LEASE = 5.0
# jobs of a session that keep their memory while others of its own work; the one left longest ends
_PAUSING = 2
_PAUSED = 2  # sessions, for each place, whose jobs keep their memory while others' work
_TURN = 5.0  # seconds for which a job has its place, if another session waits for one
_NOBODY = "Nobody waits for this any more."
_LOOKS = 1.0  # seconds between two looks at who is there


class Scheduler:
    """The jobs of all sessions; two that ask for the same share one.

    Heavy work and the rest have lanes of their own, with as many places each, so that what is short
    never waits for what is long. In a lane a session has one place. Of its jobs the one asked for
    last works and the others pause. Sessions take turns: a job that has had its place for some
    seconds pauses where another session waits.

    Parameters
    ----------
    pool : callable
        (heavy) -> worker, with `run(work, tell)`, `kill()`, `pause()`, `resume()` and the `weight`
        of its value; its `start()` prepares for that.
    places : int
        Of each lane.
    is_open : callable, optional
        (session) -> whether somebody still looks at it.
    kept : int
        Values that are remembered.
    most : float
        Bytes of them in all, but for the last.
    """

    def __init__(
        self,
        pool: Callable,
        places: int = 2,
        is_open: Callable[[str], bool] = lambda me: True,
        kept: int = 128,
        most: float = 256 << 20,
    ):
        self.values = Memory(kept, most)
        self.expected = Memory(kept)  # seconds, of what was too long
        self.pool, self._places, self._is_open = pool, places, is_open
        self._jobs: dict[Hashable, Job] = {}
        self._working: list[Job] = []  # those with a place, also those that were just killed
        self._turns, self._count = {}, count(1)  # when each session had its last turn
        self._lock, self._looking = threading.RLock(), False

    def watch(
        self, key: tuple, work: Callable, me: str, longest: float = math.inf, heavy: bool = True
    ) -> Job:
        """The job for a key, started if need be.

        Of the same kind of work a session wants only the latest.
        """
        with self._lock:
            for other in list(self._jobs.values()):
                if other.key[0] == key[0] and other.key != key:
                    self._drop(other, me)
            if (job := self._jobs.get(key)) is None:
                job = self._jobs[key] = Job(key, work, heavy)
                job.longest = longest
            job.asked, job.longest = next(self._count), max(job.longest, longest)
            job.watchers[me] = time.monotonic()
            self._turns.setdefault(me, next(self._count))
            if not job.at_work:
                self._make_place(job, me)
            self._assign()
            if not self._looking:
                self._looking = True
                threading.Thread(target=self._look_on, daemon=True, name="mtsig leases").start()
            return job

    def leave(self, key: tuple, me: str) -> None:
        """A session does not want this any more."""
        with self._lock:
            if key in self._jobs:
                self._drop(self._jobs[key], me)
                self._assign()

    def look(self) -> None:
        """Drop the sessions that have closed."""
        with self._lock:
            now = time.monotonic()
            for job in list(self._jobs.values()):
                for me, seen in list(job.watchers.items()):
                    if self._is_open(me):
                        job.watchers[me] = now
                    elif now - seen >= LEASE:
                        self._drop(job, me)
            self._assign()

    def prepare(self) -> None:
        """Work may come soon."""
        self.pool.start()

    def counts(self) -> dict[str, int]:
        """How many jobs work, how many wait, and how many values are kept."""
        with self._lock:
            return {
                "working": len(self._working),
                "waiting": sum(not job.at_work for job in self._jobs.values()),
                "kept": len(self.values),
            }

    # -- with the lock held ----------------------------------------------------------------------------------

    def _drop(self, job, me):
        job.watchers.pop(me, None)
        if not job.watchers:
            del self._jobs[job.key]  # who asks from now on starts anew
            if job.worker is None:
                job.future.set_exception(Cancelled(_NOBODY))
            else:
                job.worker.kill()

    def _make_place(self, job, me):
        """What this session asked for before stands back: it pauses, or has its place as another's
        who wants it.
        """
        for other in self._jobs.values():
            if other is not job and other.heavy == job.heavy and other.owner == me:
                other.watchers[me] = other.watchers.pop(me)
                if other.at_work and other.owner == me:
                    other.pause()
                    self._free(other)
        pausing = [
            one for one in self._jobs.values() if one.owner == me and one.worker and not one.at_work
        ]
        for other in sorted(pausing, key=lambda one: one.asked)[:-_PAUSING]:
            if other is not job:
                self._drop(other, me)

    def _assign(self):
        """Give the free places of both lanes away."""
        for heavy in (False, True):
            while (job := self._next(heavy)) is not None:
                job.at_work = True
                self._working.append(job)
                self._turns[job.owner] = next(self._count)
                if job.worker is None:
                    job.begin()
                    job.worker = self.pool(heavy)
                    threading.Thread(
                        target=self._run, args=(job,), daemon=True, name="mtsig job"
                    ).start()
                else:
                    job.resume()

    def _next(self, heavy):
        """Who is to begin or go on; where no place is free, instead of the one that has had its
        place longest.
        """
        busy = [job for job in self._working if job.heavy is heavy]
        owners = {job.owner for job in busy}
        waiting = [
            job
            for job in self._jobs.values()
            if job.heavy is heavy and not job.at_work and job.owner not in owners
        ]
        if full := len(busy) >= self._places:
            long = [
                job
                for job in busy
                if time.monotonic() - job.placed >= _TURN and self._jobs.get(job.key) is job
            ]
            begun = [job for job in waiting if job.worker]
            many = len({job.owner for job in begun}) >= _PAUSED * self._places
            waiting = [] if not long else begun if many else waiting
        if not waiting:
            return None
        if full:
            other = min(long, key=lambda job: job.placed)
            other.pause()
            self._free(other)
            self._turns[other.owner] = next(self._count)
        return min(waiting, key=lambda job: (self._turns[job.owner], -job.asked))

    def _free(self, job):
        job.at_work = False
        if job in self._working:
            self._working.remove(job)

    # -- in threads of their own -----------------------------------------------------------------------------

    def _run(self, job):
        value = problem = None
        try:
            events.tell("job_start", kind=job.key[0])
            with events.timed("job_end", kind=job.key[0]):
                value = self._value(job)
            self.values.keep(job.key, value, job.worker.weight)
        except BaseException as found:
            problem = found
            if isinstance(found, TooLong):
                self.expected.keep(job.key, found.seconds)
        with self._lock:
            if self._jobs.get(job.key) is job:
                del self._jobs[job.key]
            self._free(job)
            self._assign()
        job.future.set_result(value) if problem is None else job.future.set_exception(problem)

    @staticmethod
    def _value(job):
        try:
            return job.worker.run(job.work, job.told)
        except Exception:
            if not job.watchers:  # it was killed for that
                raise Cancelled(_NOBODY) from None
            raise

    def _look_on(self):
        while True:
            time.sleep(_LOOKS)
            self.look()
            with self._lock:
                if not self._jobs:
                    self._looking = False
                    self._turns.clear()
                    return
