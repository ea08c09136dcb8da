"""A process that forks a worker for each piece of work, and what a worker does; nothing here imports Streamlit."""

from __future__ import annotations

import gc
import io
import os
import pickle
import select
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection

import cloudpickle

from mtsig_core import TestSet
from mtsig_core.errors import ClusterError, sendable
from mtsig_core.inference.parallel import on_cluster

__all__ = ["Progress", "computed", "nurse", "unpacked"]

_NICE = 5  # below the server, which draws the pages; heavy work twice as far
_LONG, _LAST = 10.0, 19  # seconds after its begin, when work is below all others, and how far
_OFTEN = 0.05  # seconds between two words about the same stage
_LOADED = ("numba", "mtsig_core.cli.main", "mtsig_core.report.kept_tasks", "pages._ui.results", "joblib",
           "threadpoolctl", "scipy.special")
_LATER = ("sacrebleu", "pandas", "scipy.stats")  # what few need and what takes long: work is asked for meanwhile


class Progress:
    """What work is called with: tells how far it is."""

    def __init__(self, tell: Callable[..., None]):
        self._tell, self._told, self._lock = tell, ("", -1.0, 0.0), threading.Lock()

    def __call__(self, stage: str, share: float) -> None:
        """So much of a stage is done; not each time is told."""
        with self._lock:
            before, reached, when = self._told
            if (now := time.monotonic()) - when >= _OFTEN or stage != before or share < reached:
                self._told = stage, share, now
                self._tell("progress", stage, share)

    def part(self, name: str, value) -> None:
        """A part of the result is there, which the page may show meanwhile."""
        with self._lock:
            self._tell("part", name, value)


def computed(work: Callable, progress: Progress, heavy: bool):
    """The value of work; what is heavy is done on the cluster that ``MTSIG_DASK`` names, if it names one."""
    try:
        with on_cluster(os.environ.get("MTSIG_DASK", "").strip() or None if heavy else None):
            return work(progress)
    except ClusterError as error:
        raise ClusterError(f"{error} MTSIG_DASK names that cluster to this server, which computes by itself where it "
                           "is started without it.") from error


def unpacked(parts: Callable[[], bytes]) -> Callable:
    """The work whose parts come from here one by one."""
    sealed = [pickle.loads(parts()) for _ in range(int(parts()))]
    for testset, digest in sealed:
        testset.__dict__["digest"] = digest  # it takes a second to find again
    unpickler = pickle.Unpickler(io.BytesIO(parts()))
    unpickler.persistent_load = lambda k: sealed[k][0]
    return unpickler.load()


def nurse(line: int, loads: bool) -> None:
    """Fork a worker for each message, until the server is gone; then none is left.

    Until it is asked it `loads` what work needs, compiled code too.
    """
    os.nice(_NICE)
    asked, children, server = socket.socket(fileno=line), set(), os.getppid()

    def look(*_):
        if os.getppid() != server:
            raise SystemExit

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)  # to compile may take a minute
    chores, helper = _chores() if loads else [], None
    try:
        while True:
            idle = bool(chores) and helper not in children
            ready, _, _ = select.select([asked], [], [], 0 if idle else 1 if children else None)
            for pid in list(children):
                if os.waitpid(pid, os.WNOHANG)[0]:
                    children.discard(pid)
            if ready:
                kind, fds, *_ = socket.recv_fds(asked, 1, 2)
                if not kind:
                    break
                children.add(_forked(asked, fds, kind == b"h"))
            elif idle and (helper := chores.pop(0)()) is not None:
                children.add(helper)
    finally:
        for pid in children:  # also those that pause
            os.kill(pid, signal.SIGKILL)
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)


def _forked(asked, fds, heavy):
    """The number of a new worker."""
    if (pid := os.fork()) == 0:
        asked.close()
        _work(Connection(fds[0], writable=False), Connection(fds[1], readable=False), heavy)
    for fd in fds:
        os.close(fd)
    return pid


def _chores():
    """What is done while nobody asks; one that leaves it to a process gives its number."""
    def load(name):
        import_module(name)

    def compiled():
        from mtsig_core import compare, examine_pair

        texts = [" ".join("abcdefghij"[k % 7:k % 7 + 4]) for k in range(30)]
        toy = TestSet("toy", {"A": texts, "B": texts[1:] + texts[:1]}, {"ref": texts})
        compare(toy, trials=99, resamples=99)
        examine_pair(toy, "bleu", "A", "B", trials=99)

    def compiling():  # may take a minute, in which workers are asked for
        if (pid := os.fork()) == 0:
            with suppress(BaseException):
                compiled()
            os._exit(0)
        return pid

    def settled():
        signal.setitimer(signal.ITIMER_REAL, 0)
        gc.collect()
        gc.freeze()  # what all share stays shared

    return [*(partial(load, name) for name in _LOADED), compiling, compiled,
            *(partial(load, name) for name in _LATER), settled]


def _work(down, up, heavy):
    """Do one piece of work in this process, and end it."""
    with suppress(BaseException):
        os.setpgid(0, 0)  # whoever ends it ends what it starts, too
        os.nice(_NICE if heavy else 0)
        with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
            file.write("800")  # where memory runs out, a worker goes, and not the server
        up.send(os.getpid())
        up.send_bytes(_done(down, up, heavy))
    os._exit(0)


def _done(down, up, heavy):
    """What came of the work, as it is sent."""
    try:
        work = unpacked(down.recv_bytes)
        threading.Thread(target=_end_with_the_server, args=(down,), daemon=True).start()
        late = threading.Timer(_LONG, os.setpriority, (os.PRIO_PGRP, 0, _LAST))  # with all its threads
        late.daemon = True
        late.start()
        return cloudpickle.dumps(("done", computed(work, Progress(lambda *told: up.send(told)), heavy)))
    except Exception as error:
        return pickle.dumps(("failed", sendable(error)))


def _end_with_the_server(down):
    """The server sends nothing more: what comes is its end."""
    with suppress(OSError):
        select.select([down], [], [])
    os.killpg(0, signal.SIGKILL)
