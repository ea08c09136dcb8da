"""Workers: processes that do one job each. The module has the server's and the worker's side.

All workers are forked from one process that has imported all modules that jobs need. The server
requests a worker through a socket. Each worker has two pipes: it receives its job through one, and
sends reports through the other. It ends as soon as no process holds the other ends of its pipes, so
it also ends if the server crashes.
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
from mtsig_core._compiled import announce_compiling
from mtsig_core.errors import ClusterError, make_sendable
from mtsig_core.metrics.cache import Memory, cache_folder
from mtsig_core.readers.limits import read_whole_number
from mtsig_core.stats.parallel import on_cluster

#: Settings of glibc: arrays of up to 32 MB come from memory that the process keeps, so that later
#: arrays use it again.
_MALLOC_SETTINGS = {
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(64 << 20),
}
_TESTSETS = Memory(64, 256 << 20)  # as they are sent, by content: each is pickled once
_HEAVY = b"h"
_LIGHT = b"l"


class Died(SettingError):  # noqa: N818  what happened, for the page to show
    """A worker ended without a result."""

    def __init__(self):
        super().__init__(
            "The process that computed this was ended, most often because memory ran out: this server "
            f"gives one piece of work {worker_megabytes():,} MB (MTSIG_WORKER_MB). Try again, or use "
            "fewer trials, systems or segments."
        )


class WorkerPool:
    """Starts workers: each call returns one.

    With `loads`, what work needs is loaded beforehand.
    """

    def __init__(self, loads: bool = True):
        self._loads = loads
        self._lock = threading.Lock()
        self._process = None  # which forks the workers
        self._line = None
        self._folder = None

    def __call__(self, heavy: bool) -> Worker:
        """Return a worker."""
        return Worker(self, heavy)

    def start(self) -> None:
        """Start the process that forks workers, if it is not there."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                return
            if self._folder is None and not _can_keep_counts():
                self._folder = TemporaryDirectory(prefix="mtsig-")
                os.environ["MTSIG_CACHE"] = self._folder.name
            self._line, line_of_process = socket.socketpair()
            file = line_of_process.fileno()
            code = (
                f"import sys; sys.path[:] = {json.dumps(sys.path)}\n"
                f"from pages._work import worker_pool; worker_pool.fork_workers({file}, {self._loads})"
            )
            with ignore_interrupts():  # Ctrl+C is for the server
                self._process = subprocess.Popen(
                    [sys.executable, "-c", code],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[file],
                    env={**_MALLOC_SETTINGS, **os.environ},
                )
            line_of_process.close()

    def fork(self, heavy: bool) -> tuple[Connection, Connection]:
        """Return both pipes of a new worker: down to it, and up from it."""
        self.start()
        work_end, down = Pipe(duplex=False)
        up, report_end = Pipe(duplex=False)
        message = _HEAVY if heavy else _LIGHT
        files = [work_end.fileno(), report_end.fileno()]
        # Where the process was killed just now, `up` is at its end, and the next call starts
        # another.
        with work_end, report_end, self._lock, suppress(OSError):
            socket.send_fds(self._line, [message], files)
        return down, up


def _can_keep_counts() -> bool:
    """Return whether there is a folder in which processes can share counted statistics."""
    try:
        folder = cache_folder()
        if folder is None:
            return False
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.access(folder, os.W_OK)
    except (OSError, RuntimeError):
        return False


class Worker:
    """A process that does one job; a heavy job gives way to other processes.

    Attributes
    ----------
    weight : int
        Bytes of the result, as it was sent.
    """

    def __init__(self, pool: WorkerPool, heavy: bool):
        self.weight = 0
        self._pool = pool
        self._heavy = heavy
        self._pid = None
        self._lock = threading.Lock()
        self._is_killed = False
        self._is_paused = False

    def run(self, work: Callable, report: Callable[..., None]):
        """Have the work done, and return its value; pass on what it reports meanwhile."""
        down, up = self._pool.fork(self._heavy)
        try:
            self._begin(up.recv())
            for message in packed(work):
                down.send_bytes(message)
            while True:
                content = up.recv_bytes()
                kind, *values = pickle.loads(content)
                if kind == "done":
                    self.weight = len(content)
                    return values[0]
                if kind == "failed":
                    raise values[0]
                report(kind, *values)
        except (EOFError, ConnectionError) as error:
            raise Died from error
        finally:
            with self._lock:
                self._signal(signal.SIGKILL)
                self._pid = None  # a later signal finds no process
                down.close()
                up.close()

    def kill(self) -> None:
        """End the process."""
        with self._lock:
            self._is_killed = True
            self._signal(signal.SIGKILL)

    def pause(self) -> None:
        """Stop the process until `resume`."""
        with self._lock:
            self._is_paused = True
            self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let the process go on."""
        with self._lock:
            self._is_paused = False
            self._signal(signal.SIGCONT)

    def _begin(self, pid: int) -> None:
        with self._lock:
            self._pid = pid
            if self._is_killed:
                raise EOFError
            if self._is_paused:
                self._signal(signal.SIGSTOP)

    def _signal(self, number: int) -> None:
        """Send a signal to the process and all that the work has started.

        The process that forked a worker reaps it only after a while. Until then its number is
        nobody else's.
        """
        if self._pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._pid, number)


def packed(work: Callable) -> list[bytes]:
    """Return work as bytes, for `unpacked`: the number of test sets, these, and the rest."""
    file = io.BytesIO()
    testsets = {}
    _Pickler(file, testsets).dump(work)
    return [str(len(testsets)).encode(), *testsets.values(), file.getvalue()]


class _Chunks(list):
    """A file whose `write` is not compiled code.

    So other threads, such as the threads of pages, can run at each call.
    """

    def write(self, content: bytes) -> None:
        self.append(bytes(content))


def _pack_testset(testset: TestSet) -> bytes:
    chunks = _Chunks()
    pickle.Pickler(chunks, pickle.HIGHEST_PROTOCOL).dump((testset, testset.digest))
    return b"".join(chunks)


class _Pickler(cloudpickle.Pickler):
    """Leaves out test sets, which are large and often the same."""

    def __init__(self, file, testsets):
        super().__init__(file)
        self._testsets = testsets

    def persistent_id(self, value):
        if not isinstance(value, TestSet):
            return None
        key = (value.digest, value.name, value.simulated, value.assumed, value.lines)
        self._testsets[key] = _TESTSETS.make(key, lambda: _pack_testset(value), len)
        return list(self._testsets).index(key)


# -- what a worker does, and the process that forks workers ---------------------------------------


def compare_toys() -> None:
    """Run a comparison of tiny test sets, so that all compiled code is loaded."""
    from mtsig_core import compare, examine_pair

    texts = []
    for k in range(30):
        start = k % 7
        texts.append(" ".join("abcdefghij"[start : start + 4]))
    toy = TestSet("toy", {"A": texts, "B": texts[1:] + texts[:1]}, {"ref": texts})
    compare(toy, trials=99, resamples=99)
    examine_pair(toy, "bleu", "A", "B", trials=99)


_NICE = 5  # below the server, which draws the pages; heavy work twice as far
_LONG = 10.0  # seconds after which work gives way to all other work
_LAST = 14  # how far below the server it then is
_PAUSE = 0.2  # seconds between two looks at which workers have ended
_LEAST_INTERVAL = 0.05  # seconds between two reports about the same stage
#: What is loaded before the first visit.
_FIRST_MODULES = (
    "numba",
    "mtsig_core.cli.main",
    "mtsig_core.stats.kept_tasks",
    "pages._ui.result_cache",
    "joblib",
    "threadpoolctl",
    "scipy.special",
)
_LATER_MODULES = ("sacrebleu", "pandas", "scipy.stats")  # which take long, and few need
_REST = 0.5  # seconds without a request before more is loaded, once there was one


class Progress:
    """The argument through which a job reports its progress."""

    def __init__(self, report: Callable[..., None]):
        self._report = report
        self._lock = threading.Lock()
        self._stage = ""
        self._share = -1.0
        self._time = 0.0

    def __call__(self, stage: str, share: float) -> None:
        """Report that so much of a stage is done, unless the last report was just now."""
        with self._lock:
            now = time.monotonic()
            is_due = now - self._time >= _LEAST_INTERVAL
            if is_due or stage != self._stage or share < self._share:
                self._stage = stage
                self._share = share
                self._time = now
                self._report("progress", stage, share)

    def part(self, name: str, value) -> None:
        """Send a part of the result, which the page may show meanwhile."""
        with self._lock:
            self._report("part", name, value)


def computed(work: Callable, progress: Progress, heavy: bool):
    """Return the value of work; heavy work goes to the cluster of ``MTSIG_DASK``, if any."""
    cluster = None
    if heavy:
        cluster = os.environ.get("MTSIG_DASK", "").strip() or None
    try:
        with on_cluster(cluster), announce_compiling(lambda text: progress(text, 0.0)):
            return work(progress)
    except ClusterError as error:
        raise ClusterError(
            f"{error} MTSIG_DASK names that cluster. Start the server without it to compute on this "
            "machine."
        ) from error


def unpacked(receive: Callable[[], bytes]) -> Callable:
    """Return the work that `packed` wrote; `receive` returns one message after another."""
    n_testsets = int(receive())
    testsets = []
    for _ in range(n_testsets):
        testset, digest = pickle.loads(receive())
        testset.__dict__["digest"] = digest  # it takes a second to find again
        testsets.append(testset)
    return _Unpickler(receive(), testsets).load()


class _Unpickler(pickle.Unpickler):
    """Puts test sets back where `packed` left them out.

    A method, as Python 3.13.0 forbids to assign one.
    """

    def __init__(self, content: bytes, testsets: list[TestSet]):
        super().__init__(io.BytesIO(content))
        self._testsets = testsets

    def persistent_load(self, k):
        return self._testsets[k]


def fork_workers(line: int, loads: bool) -> None:
    """Fork a worker for each message, until the server is gone; then none is left.

    While there is no request it `loads` what work needs, compiled code too, so that workers begin
    with it.
    """
    os.nice(_NICE)
    requests = socket.socket(fileno=line)
    workers = set()
    server = os.getppid()

    def end_with_server(*_):
        if os.getppid() != server:
            raise SystemExit

    signal.signal(signal.SIGALRM, end_with_server)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)
    chores = []
    if loads:
        # Compiling may take a minute, in which workers are asked for: a process of its own does it.
        chores = [
            *(partial(import_module, name) for name in _FIRST_MODULES),
            lambda: workers.add(_fork(requests, compare_toys)),
            compare_toys,
            *(partial(import_module, name) for name in _LATER_MODULES),
            _share_memory,
        ]
    wait_time = 0.0
    try:
        while True:
            timeout = None
            if workers:
                timeout = _PAUSE
            elif chores:
                timeout = wait_time
            ready, _, _ = select.select([requests], [], [], timeout)
            workers -= _reap(workers)
            if ready:
                message, files, *_ = socket.recv_fds(requests, 1, 2)
                if not message:
                    break
                workers.add(_fork(requests, partial(_work, message, files)))
                for file in files:
                    os.close(file)
                wait_time = _REST
            elif chores and not workers:
                chore = chores.pop(0)
                chore()
    finally:
        for pid in workers:  # also those that pause
            os.kill(pid, signal.SIGKILL)
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)


def _share_memory() -> None:
    """Keep what all workers share from being copied."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    gc.collect()
    gc.freeze()


def _reap(workers: set[int]) -> set[int]:
    """Return the processes that have ended."""
    ended = set()
    for worker in workers:
        pid, _ = os.waitpid(worker, os.WNOHANG)
        if pid:
            ended.add(pid)
    return ended


def _fork(requests: socket.socket, act: Callable[[], None]) -> int:
    """Return the number of a new process that acts, and ends."""
    pid = os.fork()
    if pid == 0:
        with suppress(BaseException):
            requests.close()
            act()
        os._exit(0)
    return pid


def _work(message: bytes, files: list[int]) -> None:
    """Do one piece of work in this process."""
    work_file, report_file = files
    down = Connection(work_file, writable=False)
    up = Connection(report_file, readable=False)
    heavy = message == _HEAVY
    os.setpgid(0, 0)  # a signal to this group reaches what it starts, too
    if heavy:
        os.nice(_NICE)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("800")  # where memory runs out, a worker goes, and not the server
    _limit_memory()
    up.send(os.getpid())
    up.send_bytes(_compute(down, up, heavy))


def _limit_memory() -> None:
    """Limit the memory that this process may use in addition to its present memory.

    It has no effect where the system does not report the present memory. The limit counts private
    writable memory. The address space would be too large a measure: each thread reserves some, and
    files and compiled code take some too.
    """
    with suppress(ImportError, OSError, ValueError):  # the last where it is limited already
        import resource  # late: Windows has none

        lines = Path("/proc/self/status").read_text().splitlines()
        status = dict(line.split(":", 1) for line in lines)
        kilobytes = int(status["VmData"].split()[0])
        limit = (kilobytes << 10) + (worker_megabytes() << 20)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def worker_megabytes() -> int:
    """Return the megabytes that one piece of work may use: ``MTSIG_WORKER_MB``."""
    return read_whole_number("MTSIG_WORKER_MB", 4000)


def worker_seconds() -> int:
    """Return the seconds that one piece of work may take: ``MTSIG_WORKER_MINUTES``."""
    return 60 * read_whole_number("MTSIG_WORKER_MINUTES", 60)


#: A result may take this share of a worker's memory: the server keeps it, and pages draw it.
_SHARE_OF_RESULT = 1 / 16


def _compute(down: Connection, up: Connection, heavy: bool) -> bytes:
    """Return the result of the job in the form in which it is sent."""
    try:
        work = unpacked(down.recv_bytes)
        threading.Thread(target=_end_with_the_server, args=(down,), daemon=True).start()
        _give_way_later(heavy)
        progress = Progress(lambda *report: up.send(report))
        content = cloudpickle.dumps(("done", computed(work, progress, heavy)))
        if len(content) > _SHARE_OF_RESULT * (worker_megabytes() << 20):
            raise MemoryError
        return content
    except Exception as error:
        return pickle.dumps(("failed", make_sendable(error)))


def _give_way_later(heavy: bool) -> None:
    """Let this process with all its threads give way to others once its work has taken long."""
    own_nice = _NICE
    if heavy:
        own_nice += _NICE
    of_server = os.getpriority(os.PRIO_PROCESS, 0) - own_nice
    timer = threading.Timer(_LONG, os.setpriority, (os.PRIO_PGRP, 0, of_server + _LAST))
    timer.daemon = True
    timer.start()


def _end_with_the_server(down: Connection) -> None:
    """End this process when the server is gone, which shows as the end of its pipe."""
    with suppress(OSError):
        select.select([down], [], [])
    os.killpg(0, signal.SIGKILL)
