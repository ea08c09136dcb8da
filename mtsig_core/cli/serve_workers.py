"""``serve --workers``: several processes of the dashboard behind a proxy, which keeps each browser to one of them."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from types import FrameType

from mtsig_core.data.source import PORTS_VARIABLE, SHARED_VARIABLE
from mtsig_core.errors import SettingError

__all__ = ["serve_workers"]

_MOST = 64
_GRACE = 4.0  # seconds that the processes may take to end
_AT_ONCE = 3.0  # seconds: what ends sooner than this after its start may do so again
_TRIES = 3  # of what ends at once, in a row: one that something else has ended gets another
_LOOK = 0.1  # seconds between two looks
_PREFIX = "mtsig-workers-"  # of folders for temporary files
_NEW = 60.0  # seconds in which one that nobody holds may yet be held
_PROXY = Path(__file__).with_name("Caddyfile")


def serve_workers(command: list[str], environment: dict[str, str], n: int, address: str, port: int,
                  open_browser: bool) -> int:
    """Run the dashboard in several processes until a signal asks for the end; what ends by itself is started again.

    Parameters
    ----------
    command : list of str
        Starts one, but for where it listens; ends with the name under which browsers reach the proxy.
    environment : dict
    n : int
        Processes.
    address, port
        Where the proxy listens.
    open_browser : bool

    Returns
    -------
    int
        The status to exit with: 0 where it was asked to end.

    Raises
    ------
    SettingError
        If the number makes no sense or there is no proxy.
    """
    if not 1 <= n <= _MOST:
        raise SettingError(f"--workers is {n}. Expected a number from 1 to {_MOST}.")
    caddy = shutil.which("caddy")
    if caddy is None:
        raise SettingError("--workers needs the proxy Caddy, which is not installed. Install it (Debian: apt-get "
                           "install caddy; others: https://caddyserver.com/docs/install), or serve from one process, "
                           "without --workers.")
    ports = [str(number) for number in _free_ports(n)]
    shared = {**environment, PORTS_VARIABLE: " ".join(ports)}
    proxy = {**os.environ, "MTSIG_PROXY_ADDRESS": address, "MTSIG_PROXY_PORT": str(port),
             "MTSIG_UPSTREAMS": " ".join(f"127.0.0.1:{number}" for number in ports)}
    commands = [([*command, "--server.address", "127.0.0.1", "--server.port", number, "--server.headless", "true",
                  "--logger.hideWelcomeMessage", "true"], shared) for number in ports]
    commands.append(([caddy, "run", "--config", str(_PROXY), "--adapter", "caddyfile"], proxy))
    with _stopping() as stopped, _folder() as own:
        shared[SHARED_VARIABLE] = os.path.join(own, "results")  # what one has computed the others need not
        proxy |= {"XDG_CONFIG_HOME": own, "XDG_DATA_HOME": own}  # it keeps its last configuration, for nobody
        shown = f"http://{command[-1]}:{port}"
        print(f"mtsig: dashboard at {shown}, {n} processes (Ctrl+C stops it)", file=sys.stderr, flush=True)
        if open_browser:
            webbrowser.open(shown)
        return _keep_running(commands, stopped)


@contextmanager
def _folder() -> Iterator[str]:
    """A folder for temporary files that goes with this process; what one has left that was killed goes before."""
    for left in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError), _held(left) as status:  # another's, or one that is in use
            if status.st_uid == os.getuid() and status.st_mtime < time.time() - _NEW:
                shutil.rmtree(left)
    with TemporaryDirectory(prefix=_PREFIX) as own, _held(own):
        yield own


@contextmanager
def _held(folder: str | Path) -> Iterator[os.stat_result]:
    """Hold a folder, which no other process can meanwhile; none that is started from here does."""
    import fcntl  # late: there is none on Windows

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _free_ports(n: int) -> list[int]:
    with ExitStack() as probes:
        sockets = [probes.enter_context(socket.socket()) for _ in range(n)]
        for probe in sockets:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in sockets]


@contextmanager
def _stopping() -> Iterator[Callable[[], bool]]:
    """Whether a signal has asked for the end since."""
    asked = []

    def ask(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _keep_running(commands: list[tuple[list[str], dict[str, str]]], stopped: Callable[[], bool]) -> int:
    """Start the processes, and each again that ends; end them all when asked, or when one ends at once again and again.
    """
    running = [_start(*command) for command in commands]
    begun = [time.monotonic()] * len(commands)
    in_a_row = [0] * len(commands)  # times that each has ended at once
    try:
        while not stopped():
            time.sleep(_LOOK)
            for k, process in enumerate(running):
                if (status := process.poll()) is None or stopped():
                    continue
                _kill(process)  # what it has started may still be there
                in_a_row[k] = in_a_row[k] + 1 if time.monotonic() - begun[k] < _AT_ONCE else 0
                if in_a_row[k] == _TRIES:
                    print(f"mtsig: {Path(commands[k][0][0]).name} ended at once, {_TRIES} times in a row, with status "
                          f"{status}. What it said stands above.", file=sys.stderr)
                    return 1
                print(f"mtsig: a process ended with status {status}; it is started again.", file=sys.stderr, flush=True)
                running[k], begun[k] = _start(*commands[k]), time.monotonic()
        return 0
    finally:
        _end(running)


def _start(command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A process with a group of its own, so that all it starts can be ended with it."""
    return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, process_group=0,
                            preexec_fn=_WITH_PARENT)


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.terminate()
    until = time.monotonic() + _GRACE
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, until - time.monotonic()))
    for process in processes:
        _kill(process)
        process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End what is left of a process and all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _dying_with_parent() -> Callable[[], None] | None:
    """What a new process does first, so that it is told to end when this one is gone, however that came (Linux)."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # found before the fork: nothing is to be loaded after it

    def ask() -> None:
        prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG

    return ask


_WITH_PARENT = _dying_with_parent()
