"""Workers, as the server sees them: processes that do one piece of work each.

They are forked from one that has imported all that work needs (`worker`), which is asked for them through a socket.
Each has two pipes: its work comes through one, and how it goes through the other. It ends as soon as nobody holds the
other ends any more, whatever became of the server.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from tempfile import TemporaryDirectory

import cloudpickle

from mtsig_core import SettingError, TestSet
from mtsig_core._command import ignore_interrupts
from mtsig_core.metrics.cache import cache_folder
from pages._work.memory import Memory

#: What glibc is told: arrays of up to 32 MB come from memory that the process keeps, as it used it before.
_KEEPS = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(64 << 20)}
_SEALED = Memory(64, 256 << 20)  # test sets as they are sent, by content: each is pickled once


class Died(SettingError):
    """A worker ended without a result."""

    def __init__(self):
        super().__init__("The process that computed this was ended from outside, most often because memory ran out. "
                         "Try again, or use fewer trials, systems or segments.")


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
            code = (f"import sys; sys.path[:] = {json.dumps(sys.path)}\n"
                    f"from pages._work import worker; worker.fork_workers({theirs.fileno()}, {self._loads})")
            with ignore_interrupts():  # Ctrl+C is for the server
                self._process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL,
                                                 pass_fds=[theirs.fileno()], env={**_KEEPS, **os.environ})
            theirs.close()

    def fork(self, heavy: bool) -> tuple[Connection, Connection]:
        """Both pipes of a new worker: down to it, and up from it."""
        self.start()
        theirs, down = Pipe(duplex=False)
        up, tells = Pipe(duplex=False)
        with theirs, tells, self._lock:
            with suppress(OSError):  # where it was killed just now `up` is at its end, and the next one is started anew
                socket.send_fds(self._line, [b"h" if heavy else b"l"], [theirs.fileno(), tells.fileno()])
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
        """The process that forked a worker reaps it only after a while: until then its number is nobody else's."""
        if self._pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._pid, number)  # with all that the work has started


def packed(work: Callable) -> list[bytes]:
    """Work as bytes, for `worker.unpacked`: how many parts follow, test sets, and what refers to them."""
    file, sealed = io.BytesIO(), {}
    pickler = _Pickler(file, sealed)
    pickler.dump(work)
    return [str(len(sealed)).encode(), *sealed.values(), file.getvalue()]


class _Written(list):
    """A file whose `write` is no compiled code: at each call of it other threads have their turn, the pages'."""

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
