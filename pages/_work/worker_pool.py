"""Workers: processes that do one piece of work each, as the server sees them and as they see
themselves.

They are forked from one that has imported all that work needs, which is asked for them through a
socket. Each has two pipes: its work comes through one, and how it goes through the other. It ends
as soon as nobody holds the other ends any more, whatever became of the server.
"""

from __future__ import annotations

import gc
import io
import json
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from tempfile import TemporaryDirectory

import cloudpickle

from mtsig_core import SettingError, TestSet
from mtsig_core._command import ignore_interrupts
from mtsig_core.errors import ClusterError, make_sendable
from mtsig_core.metrics.cache import cache_folder
from mtsig_core.readers.limits import read_whole_number
from mtsig_core.stats.parallel import on_cluster
from pages._work.memory import Memory

#: What glibc is told: arrays of up to 32 MB come from memory that the process keeps, as it used it
#: before.
_KEEPS = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(64 << 20)}
_SEALED = Memory(64, 256 << 20)  # test sets as they are sent, by content: each is pickled once


class Died(SettingError):
    """A worker ended without a result."""

    def __init__(self):
        super().__init__(
            "The process that computed this was ended, most often because memory ran out: this server "
            f"gives one piece of work {worker_megabytes():,} MB (MTSIG_WORKER_MB). Try again, or use "
            "fewer trials, systems or segments."
        )


class WorkerPool:
    """Starts workers: each call gives one. What work needs is loaded beforehand, if it `loads`."""

    def __init__(self, loads: bool = True):
        self._loads = loads
        self._lock, self._process, self._line, self._folder = threading.Lock(), None, None, None

    def __call__(self, heavy: bool) -> Worker:
        return Worker(self, heavy)

    def start(self) -> None:
        """Let it load what work needs, if it is not there."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                return
            if self._folder is None and not _counts_are_kept():
                self._folder = TemporaryDirectory(prefix="mtsig-")
                os.environ["MTSIG_CACHE"] = self._folder.name
            self._line, theirs = socket.socketpair()
            code = (
                f"import sys; sys.path[:] = {json.dumps(sys.path)}\n"
                f"from pages._work import worker_pool; worker_pool.fork_workers({theirs.fileno()}, {self._loads})"
            )
            with ignore_interrupts():  # Ctrl+C is for the server
                self._process = subprocess.Popen(
                    [sys.executable, "-c", code],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    env={**_KEEPS, **os.environ},
                )
            theirs.close()

    def fork(self, heavy: bool) -> tuple[Connection, Connection]:
        """Both pipes of a new worker: down to it, and up from it."""
        self.start()
        theirs, down = Pipe(duplex=False)
        up, tells = Pipe(duplex=False)
        with (
            theirs,
            tells,
            self._lock,
            suppress(OSError),
        ):  # where it was killed just now `up` is at its end, and the next one is started anew
            socket.send_fds(
                self._line, [b"h" if heavy else b"l"], [theirs.fileno(), tells.fileno()]
            )
        return down, up


def _counts_are_kept() -> bool:
    """Whether there is a folder that processes can share what they have counted in."""
    try:
        folder = cache_folder()
        folder is None or folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder is not None and os.access(folder, os.W_OK)
    except (OSError, RuntimeError):
        return False


class Worker:
    """A process that does one piece of work; heavy work leaves the cores to others.

    Attributes
    ----------
    weight : int
        Bytes of the result, as it was sent.
    """

    def __init__(self, pool: WorkerPool, heavy: bool):
        self._pool, self._heavy, self.weight = pool, heavy, 0
        self._pid, self._lock, self._wanted, self._paused = None, threading.Lock(), True, False

    def run(self, work: Callable, tell: Callable[..., None]):
        """Have the work done, and give its value; what it tells meanwhile is passed on."""
        down, up = self._pool.fork(self._heavy)
        try:
            self._begin(up.recv())
            for part in packed(work):
                down.send_bytes(part)
            while True:
                content = up.recv_bytes()
                kind, *values = pickle.loads(content)
                if kind == "done":
                    self.weight = len(content)
                    return values[0]
                if kind == "failed":
                    raise values[0]
                tell(kind, *values)
        except (EOFError, ConnectionError) as error:
            raise Died from error
        finally:
            with self._lock:
                self._signal(signal.SIGKILL)
                self._pid = None  # what comes later finds no process
                down.close(), up.close()

    def kill(self) -> None:
        with self._lock:
            self._wanted = False
            self._signal(signal.SIGKILL)

    def pause(self) -> None:
        with self._lock:
            self._paused = True
            self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        with self._lock:
            self._paused = False
            self._signal(signal.SIGCONT)

    def _begin(self, pid):
        with self._lock:
            self._pid = pid
            if not self._wanted:
                raise EOFError
            if self._paused:
                self._signal(signal.SIGSTOP)

    def _signal(self, number):
        """The process that forked a worker reaps it only after a while: until then its number is
        nobody else's.
        """
        if self._pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._pid, number)  # with all that the work has started


def packed(work: Callable) -> list[bytes]:
    """Work as bytes, for `unpacked`: how many parts follow, test sets, and what refers to them."""
    file, sealed = io.BytesIO(), {}
    pickler = _Pickler(file, sealed)
    pickler.dump(work)
    return [str(len(sealed)).encode(), *sealed.values(), file.getvalue()]


class _Written(list):
    """A file whose `write` is no compiled code: at each call of it other threads have their turn,
    the pages'.
    """

    def write(self, content):
        self.append(bytes(content))


def _seal(testset):
    pickle.Pickler(written := _Written(), pickle.HIGHEST_PROTOCOL).dump((testset, testset.digest))
    return b"".join(written)


class _Pickler(cloudpickle.Pickler):
    """Leaves out test sets, which are large and often the same."""

    def __init__(self, file, sealed):
        super().__init__(file)
        self._sealed = sealed

    def persistent_id(self, found):
        if not isinstance(found, TestSet):
            return None
        key = (found.digest, found.name, found.simulated, found.assumed, found.lines)
        self._sealed[key] = _SEALED.make(key, lambda: _seal(found), len)
        return list(self._sealed).index(key)


# What a worker does, and the process that forks a worker for each piece of work.


def compare_toys() -> None:
    """Do what work does, on next to nothing: all that is compiled is there then."""
    from mtsig_core import compare, examine_pair

    texts = [" ".join("abcdefghij"[k % 7 : k % 7 + 4]) for k in range(30)]
    toy = TestSet("toy", {"A": texts, "B": texts[1:] + texts[:1]}, {"ref": texts})
    compare(toy, trials=99, resamples=99)
    examine_pair(toy, "bleu", "A", "B", trials=99)


_NICE = 5  # below the server, which draws the pages; heavy work twice as far
_LONG, _LAST = (
    10.0,
    14,
)  # seconds after its begin, when work stands back for all other, and how far below the server
_LOOKS = 0.2  # seconds between two looks at who has ended
_OFTEN = 0.05  # seconds between two words about the same stage
_LOADED = (
    "numba",
    "mtsig_core.cli.main",
    "mtsig_core.stats.kept_tasks",
    "pages._ui.result_cache",
    "joblib",
    "threadpoolctl",
    "scipy.special",
    "sacrebleu",
    "pandas",
    "scipy.stats",
)
_FIRST = 7  # of these; few need the others, which take long: the first visit goes first
_REST = 0.5  # seconds without a question before more is loaded, once somebody has asked


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
    """The value of work; what is heavy is done on the cluster that ``MTSIG_DASK`` names, if it
    names one.
    """
    try:
        with on_cluster(os.environ.get("MTSIG_DASK", "").strip() or None if heavy else None):
            return work(progress)
    except ClusterError as error:
        raise ClusterError(
            f"{error} MTSIG_DASK names that cluster. Start the server without it to compute on this "
            "machine."
        ) from error


def unpacked(parts: Callable[[], bytes]) -> Callable:
    """The work whose parts come from here one by one."""
    sealed = [pickle.loads(parts()) for _ in range(int(parts()))]
    for testset, digest in sealed:
        testset.__dict__["digest"] = digest  # it takes a second to find again
    return _Unpickler(parts(), [testset for testset, _ in sealed]).load()


class _Unpickler(pickle.Unpickler):
    """Puts test sets back where `workers.packed` left them out.

    A method, as Python 3.13.0 forbids to assign one.
    """

    def __init__(self, content: bytes, testsets: list[TestSet]):
        super().__init__(io.BytesIO(content))
        self._testsets = testsets

    def persistent_load(self, k):
        return self._testsets[k]


def fork_workers(line: int, loads: bool) -> None:
    """Fork a worker for each message, until the server is gone; then none is left.

    While nobody asks it `loads` what work needs, compiled code too, so that workers begin with it.
    """
    os.nice(_NICE)
    asked, children, server = socket.socket(fileno=line), set(), os.getppid()

    def look(*_):
        if os.getppid() != server:
            raise SystemExit

    def compile_first():
        children.add(
            _fork(asked, compare_toys)
        )  # may take a minute, in which workers are asked for

    def settle():
        signal.setitimer(signal.ITIMER_REAL, 0)
        gc.collect()
        gc.freeze()  # what all share stays shared

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)
    imports = [partial(import_module, name) for name in _LOADED]
    chores, rest = (
        [*imports[:_FIRST], compile_first, compare_toys, *imports[_FIRST:], settle]
        if loads
        else [],
        0.0,
    )
    try:
        while True:
            pause = _LOOKS if children else rest if chores else None
            ready, _, _ = select.select([asked], [], [], pause)
            for pid in list(children):
                if os.waitpid(pid, os.WNOHANG)[0]:
                    children.discard(pid)
            if ready:
                message, fds, *_ = socket.recv_fds(asked, 1, 2)
                if not message:
                    break
                children.add(_fork(asked, partial(_work, message, fds)))
                for fd in fds:
                    os.close(fd)
                rest = _REST
            elif chores and not children:
                chores.pop(0)()
    finally:
        for pid in children:  # also those that pause
            os.kill(pid, signal.SIGKILL)
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)


def _fork(asked, act):
    """The number of a new process that acts, and ends."""
    if (pid := os.fork()) == 0:
        with suppress(BaseException):
            asked.close()
            act()
        os._exit(0)
    return pid


def _work(message, fds):
    """Do one piece of work in this process."""
    down, up, heavy = (
        Connection(fds[0], writable=False),
        Connection(fds[1], readable=False),
        message == b"h",
    )
    os.setpgid(0, 0)  # whoever ends it ends what it starts, too
    os.nice(_NICE if heavy else 0)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("800")  # where memory runs out, a worker goes, and not the server
    _limit_memory()
    up.send(os.getpid())
    up.send_bytes(_done(down, up, heavy))


def _limit_memory():
    """Let this process take so much memory besides what it has now, where the system tells how much
    that is.

    Counted is what it may write to and shares with nobody. Addresses would count too much: each
    thread reserves some, and files and compiled code lie there, too.
    """
    with suppress(ImportError, OSError, ValueError):  # the last where it is bounded already
        import resource  # late: there is none on Windows

        status = dict(
            line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines()
        )
        most = (int(status["VmData"].split()[0]) << 10) + (worker_megabytes() << 20)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def worker_megabytes() -> int:
    """Megabytes that one piece of work may take: ``MTSIG_WORKER_MB``."""
    return read_whole_number("MTSIG_WORKER_MB", 4000)


def _done(down, up, heavy):
    """What came of the work, as it is sent."""
    try:
        work = unpacked(down.recv_bytes)
        threading.Thread(target=_end_with_the_server, args=(down,), daemon=True).start()
        last = os.getpriority(os.PRIO_PROCESS, 0) - _NICE * (1 + heavy) + _LAST
        late = threading.Timer(
            _LONG, os.setpriority, (os.PRIO_PGRP, 0, last)
        )  # with all its threads
        late.daemon = True
        late.start()
        return cloudpickle.dumps(
            ("done", computed(work, Progress(lambda *told: up.send(told)), heavy))
        )
    except Exception as error:
        return pickle.dumps(("failed", make_sendable(error)))


def _end_with_the_server(down):
    """The server sends nothing more: what comes is its end."""
    with suppress(OSError):
        select.select([down], [], [])
    os.killpg(0, signal.SIGKILL)
