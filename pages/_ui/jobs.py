"""Work that runs in threads, asked for by many: shared by its key, remembered, stopped when nobody wants it."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor

from mtsig_core.errors import Cancelled

__all__ = ["Job", "Memory", "Office"]


class Memory:
    """The values last used, by key; shared by threads."""

    def __init__(self, size: int):
        self._size, self._values, self._lock = size, OrderedDict(), threading.Lock()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

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
    """One piece of work under way; it goes on as long as a session wants it."""

    def __init__(self, me: str):
        self.watchers = {me}
        self.stage, self.share, self.since = "", 0.0, time.monotonic()
        self.future: Future

    def progress(self, stage: str, share: float) -> None:
        if not self.watchers:
            raise Cancelled("Nobody waits for this any more.")
        if stage != self.stage:
            self.since = time.monotonic()
        self.stage, self.share = stage, share

    def told(self) -> str:
        """Stage, share of it, and the time that the rest of it takes at the speed so far."""
        if not self.stage:
            return "waiting for its turn"
        spent = time.monotonic() - self.since
        left = "" if self.share < 0.02 or spent < 0.3 else f", about {spent / self.share * (1 - self.share):.0f} s left"
        return f"{self.stage}, {self.share:.0%}{left}"


class Office:
    """The jobs of all sessions; two that ask for the same share one."""

    def __init__(self, kept: int = 128, workers: int = 2):
        self.values = Memory(kept)
        self._jobs: dict[Hashable, Job] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="mtsig")

    def watch(self, key: tuple, work: Callable, me: str) -> Job:
        """The job for a key, started if need be. Of the same kind of work a session wants only the latest."""
        with self._lock:
            for other, job in self._jobs.items():
                if other[0] == key[0] and other != key:
                    job.watchers.discard(me)
            job = self._jobs.get(key)
            if job is None or not job.watchers:  # there is none, or it is about to stop
                job = self._jobs[key] = Job(me)
                job.future = self._pool.submit(self._run, key, job, work)
            job.watchers.add(me)
            return job

    def leave(self, key: tuple, me: str) -> None:
        with self._lock:
            if key in self._jobs:
                self._jobs[key].watchers.discard(me)

    def _run(self, key, job, work):
        try:
            job.progress("", 0.0)
            value = work(job.progress)
            self.values.keep(key, value)
            return value
        finally:
            with self._lock:
                if self._jobs.get(key) is job:
                    del self._jobs[key]
