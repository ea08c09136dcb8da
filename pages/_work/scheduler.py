"""Schedule the jobs of all sessions: jobs take turns, and a job without a waiting session ends."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from contextlib import suppress
from itertools import count

from mtsig_core.errors import Cancelled
from mtsig_core.metrics.cache import Memory
from pages._work import events

_TIMED = 1.0  # seconds of work whose speed is worth believing
_SURE = 9.0  # seconds before which only work that would take far too long is stopped
_FAR = 20  # times as long as it may take
#: Seconds of work that may be thrown away. Later the work goes on, and says how much is left.
_LOSS = 30.0


class TooLong(Cancelled):  # noqa: N818  what happened, for the page to ask about
    """A job was stopped because it would take longer than its limit.

    Attributes
    ----------
    seconds : float
        How long it would take in all.
    """

    def __init__(self, seconds: float):
        super().__init__(f"This would take about {format_duration(seconds)}.")
        self.seconds = seconds

    def __reduce__(self):
        return TooLong, (self.seconds,)


def format_duration(seconds: float) -> str:
    """Write how long something takes.

    Examples
    --------
    >>> format_duration(48.2), format_duration(200.0), format_duration(90_000.0)
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
        The sessions that want it, and when each was last seen open. The first of them owns it: the
        job has its turn when that session has.
    longest : float
        Limit in seconds. The job ends in `TooLong` if even its fastest second so far predicts a
        longer time, so that a job that only starts slowly goes on.
    future : Future
        The future of its value.
    worker
        The worker that does it; None before its first turn.
    at_work : bool
        Whether it has a place. It has no place while it waits or pauses.
    placed : float
        The time when it got its present place.
    parts : dict
        The parts of its value that are there, by name.
    request : int
        The number of the latest request for it.
    is_overdue : bool
        Whether it was ended because it took longer than the limit for all jobs.
    """

    def __init__(self, key: Hashable, work: Callable, heavy: bool, longest: float = math.inf):
        self.key = key
        self.work = work
        self.heavy = heavy
        self.longest = longest
        self.watchers: dict[str, float] = {}
        self.future = Future()
        self.worker = None
        self.at_work = False
        self.parts = {}
        self.request = 0
        self.is_overdue = False
        self.stage = ""
        self.share = 0.0
        self.begin()

    @property
    def owner(self) -> str:
        return next(iter(self.watchers), "")

    def begin(self) -> None:
        """Start its clocks: its turn has come."""
        now = time.monotonic()
        self.begun = now
        self.placed = now
        self._start_stage(now)

    def _start_stage(self, now: float) -> None:
        """Measure its speed from here on."""
        self._stage_begun = now
        self._first_share = self.share
        self._timed = now
        self._timed_share = self.share
        self._fastest = 0.0  # share of it in a second

    def pause(self) -> None:
        """Give its place to another, and take no time meanwhile."""
        self.worker.pause()
        self._paused = time.monotonic()

    def resume(self) -> None:
        """Go on: its turn has come again."""
        self.placed = time.monotonic()
        pause = self.placed - self._paused
        self.begun += pause
        self._stage_begun += pause
        self._timed += pause
        self.worker.resume()

    def receive(self, kind: str, *values) -> None:
        """Note what a worker reports: a part of the value, or how far it is."""
        if kind == "part":
            name, value = values
            self.parts = {**self.parts, name: value}  # a copy: other threads read the old one
        else:
            self.note_progress(*values)

    def note_progress(self, stage: str, share: float) -> None:
        """Note how far it is; raise `TooLong` if it would take too long."""
        now = time.monotonic()
        is_next_stage = share < self.share  # where stages share one progress, it goes on
        is_loaded = not self.share  # the first share also loads what it needs
        self.stage = stage
        self.share = share
        if is_next_stage or is_loaded:
            self._start_stage(now)
        if now - self._timed >= _TIMED:
            speed = (share - self._timed_share) / (now - self._timed)
            self._fastest = max(self._fastest, speed)
            self._timed = now
            self._timed_share = share
        self._check_duration(now)

    def _check_duration(self, now: float) -> None:
        spent = now - self.begun
        if not self._fastest or spent > _LOSS:
            return
        longest = self.longest
        if spent < _SURE:
            longest *= _FAR
        # At the mean speed so far, which its slow start lowers, it would be far more.
        seconds = spent + (1 - self.share) / self._fastest
        if seconds > longest:
            raise TooLong(seconds)

    def estimate_rest(self, now: float) -> float:
        """Return the seconds that the rest takes at the speed of this stage; 0 where unknown."""
        done = self.share - self._first_share
        spent = now - self._stage_begun
        is_known = self.share >= 0.02 and spent >= 0.3
        if done <= 0 or not is_known:
            return 0.0
        return spent / done * (1 - self.share)

    def describe(self) -> str:
        """Write stage, share of it, and the time that the rest of it takes."""
        if not self.at_work:
            text = "waiting for its turn"
            if self.share:
                text += f", {self.share:.0%} done"
            return text
        if not self.stage:
            return "starting"
        text = f"{self.stage}, {self.share:.0%}"
        seconds = self.estimate_rest(time.monotonic())
        if seconds:
            text += f", about {format_duration(seconds)} left"
        return text


# seconds after which a session that is closed wants nothing any more; a reload takes one or two
LEASE = 5.0
# jobs of a session that keep their memory while its other jobs work; the oldest request ends
_PAUSED_JOBS = 2
_PAUSED_SESSIONS = 2  # for each place: their jobs keep their memory while other sessions work
_TURN = 5.0  # seconds for which a job has its place, if another session waits for one
_NOBODY = "Nobody waits for this any more."
_PAUSE = 1.0  # seconds between two looks at who is there


class Scheduler:
    """The jobs of all sessions; two that ask for the same share one.

    Heavy jobs and light jobs have separate lanes with the same number of places, so that short jobs
    never wait for long jobs. In a lane a session has one place. Its latest job works, and its other
    jobs pause. Sessions take turns: after some seconds in its place, a job pauses if another
    session waits.

    Parameters
    ----------
    pool : callable
        (heavy) -> worker, with `run(work, report)`, `kill()`, `pause()`, `resume()` and the
        `weight` of its value; its `start()` prepares for that.
    places : int
        Of each lane.
    is_open : callable, optional
        (session) -> whether its page is still open.
    most_seconds : float
        Limit for the working time of a job; after that it is ended.
    """

    def __init__(
        self,
        pool: Callable,
        places: int = 2,
        is_open: Callable[[str], bool] = lambda _: True,
        most_seconds: float = math.inf,
    ):
        self.values = Memory(128, 256 << 20)
        self.expected = Memory(128)  # seconds, of what was too long
        self.pool = pool
        self._places = places
        self._is_open = is_open
        self._most_seconds = most_seconds
        self._jobs: dict[Hashable, Job] = {}
        self._working: list[Job] = []  # those with a place, also those that were just killed
        self._turns: dict[str, int] = {}  # when each session had its last turn
        self._count = count(1)
        self._lock = threading.RLock()
        self._is_looking = False

    def watch(
        self,
        key: tuple,
        work: Callable,
        session: str,
        longest: float = math.inf,
        heavy: bool = True,
    ) -> Job:
        """Return the job for a key, started if need be.

        A session wants only its latest job of each kind.
        """
        with self._lock:
            for other_job in list(self._jobs.values()):
                if other_job.key[0] == key[0] and other_job.key != key:
                    self._drop(other_job, session)
            job = self._jobs.get(key)
            if job is None:
                job = Job(key, work, heavy, longest)
                self._jobs[key] = job
            job.request = next(self._count)
            job.longest = max(job.longest, longest)
            job.watchers[session] = time.monotonic()
            self._turns.setdefault(session, next(self._count))
            if not job.at_work:
                self._make_place(job, session)
            self._assign()
            if not self._is_looking:
                self._is_looking = True
                threading.Thread(target=self._look_on, daemon=True, name="mtsig leases").start()
            return job

    def leave(self, key: tuple, session: str) -> None:
        """Note that a session does not want this any more."""
        with self._lock:
            if key in self._jobs:
                self._drop(self._jobs[key], session)
                self._assign()

    def look(self) -> None:
        """Drop the sessions that have closed, and end the jobs that take too long."""
        with self._lock:
            now = time.monotonic()
            for job in list(self._jobs.values()):
                for session, last_seen in list(job.watchers.items()):
                    if self._is_open(session):
                        job.watchers[session] = now
                    elif now - last_seen >= LEASE:
                        self._drop(job, session)
                if job.at_work and now - job.begun > self._most_seconds:
                    job.is_overdue = True
                    job.worker.kill()
            self._assign()

    def prepare(self) -> None:
        """Prepare for work that may come soon."""
        self.pool.start()

    def counts(self) -> dict[str, int]:
        """Return how many jobs work, how many wait, and how many values are kept."""
        with self._lock:
            waiting = [job for job in self._jobs.values() if not job.at_work]
            return {
                "working": len(self._working),
                "waiting": len(waiting),
                "kept": len(self.values),
            }

    # -- with the lock held -----------------------------------------------------------------------

    def _drop(self, job: Job, session: str) -> None:
        job.watchers.pop(session, None)
        if job.watchers:
            return
        del self._jobs[job.key]  # a later request starts another
        if job.worker is None:
            job.future.set_exception(Cancelled(_NOBODY))
        else:
            job.worker.kill()

    def _make_place(self, job: Job, session: str) -> None:
        """Set back what this session asked for before.

        It pauses, or goes on for another session that wants it.
        """
        for other_job in self._jobs.values():
            if other_job is not job and other_job.heavy == job.heavy and other_job.owner == session:
                other_job.watchers[session] = other_job.watchers.pop(session)
                if other_job.at_work and other_job.owner == session:
                    other_job.pause()
                    self._free(other_job)
        pausing = [
            other_job
            for other_job in self._jobs.values()
            if other_job.owner == session and other_job.worker and not other_job.at_work
        ]
        pausing.sort(key=lambda other_job: other_job.request)
        for other_job in pausing[:-_PAUSED_JOBS]:
            if other_job is not job:
                self._drop(other_job, session)

    def _assign(self) -> None:
        """Give the free places of both lanes to jobs that wait."""
        for heavy in (False, True):
            job = self._find_next(heavy)
            while job is not None:
                self._give_place(job)
                job = self._find_next(heavy)

    def _give_place(self, job: Job) -> None:
        job.at_work = True
        self._working.append(job)
        self._turns[job.owner] = next(self._count)
        if job.worker is not None:
            job.resume()
            return
        job.begin()
        job.worker = self.pool(job.heavy)
        threading.Thread(target=self._run, args=(job,), daemon=True, name="mtsig job").start()

    def _find_next(self, heavy: bool) -> Job | None:
        """Return the job that is to begin or go on.

        If no place is free, the job that has had its place longest gives it up.
        """
        busy = [job for job in self._working if job.heavy is heavy]
        owners = {job.owner for job in busy}
        waiting = [
            job
            for job in self._jobs.values()
            if job.heavy is heavy and not job.at_work and job.owner not in owners
        ]
        last = None
        if len(busy) >= self._places:
            last = self._find_last(busy)
            if last is None:
                return None
            begun = [job for job in waiting if job.worker]
            if len({job.owner for job in begun}) >= _PAUSED_SESSIONS * self._places:
                waiting = begun
        if not waiting:
            return None
        if last is not None:
            last.pause()
            self._free(last)
            self._turns[last.owner] = next(self._count)
        return min(waiting, key=lambda job: (self._turns[job.owner], -job.request))

    def _find_last(self, busy: list[Job]) -> Job | None:
        """Return the job that has had its place longest, if its turn is over."""
        now = time.monotonic()
        over = [job for job in busy if now - job.placed >= _TURN and self._jobs.get(job.key) is job]
        return min(over, key=lambda job: job.placed, default=None)

    def _free(self, job: Job) -> None:
        job.at_work = False
        with suppress(ValueError):
            self._working.remove(job)

    # -- in threads of their own ------------------------------------------------------------------

    def _run(self, job: Job) -> None:
        value = None
        problem = None
        kind = job.key[0]
        try:
            events.tell("job_start", kind=kind)
            with events.timed("job_end", kind=kind):
                value = self._compute(job)
            self.values.keep(job.key, value, job.worker.weight)
        except BaseException as error:
            problem = error
            if isinstance(error, TooLong):
                self.expected.keep(job.key, error.seconds)
        with self._lock:
            if self._jobs.get(job.key) is job:
                del self._jobs[job.key]
            self._free(job)
            self._assign()
        if problem is None:
            job.future.set_result(value)
        else:
            job.future.set_exception(problem)

    @staticmethod
    def _compute(job: Job):
        try:
            return job.worker.run(job.work, job.receive)
        except Exception:
            if not job.watchers:  # it was killed for that
                raise Cancelled(_NOBODY) from None
            if job.is_overdue:
                raise TooLong(time.monotonic() - job.begun) from None
            raise

    def _look_on(self) -> None:
        while True:
            time.sleep(_PAUSE)
            self.look()
            with self._lock:
                if not self._jobs:
                    self._is_looking = False
                    self._turns.clear()
                    return
