"""``serve --workers``: several processes of the dashboard behind a proxy.

The proxy keeps each browser to one of them.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from mtsig_core.errors import SettingError
from mtsig_core.source import PORTS_VARIABLE, TICKET_VARIABLE

_MOST = 64
_GRACE = 4.0  # seconds that the processes may take to end
_AT_ONCE = 3.0  # seconds: a process that ends sooner than this after its start probably never works
_TRIES = 3  # times in a row that a process may end at once
_PAUSE = 0.1  # seconds between two looks
_PROXY = Path(__file__).with_name("Caddyfile")


def serve_processes(
    command: list[str],
    environment: dict[str, str],
    n: int,
    address: str,
    port: int,
    open_browser: bool,
) -> int:
    """Run the dashboard in n processes until a signal comes; each that ends is started again."""
    if not 1 <= n <= _MOST:
        raise SettingError(f"--workers is {n}. Expected a number from 1 to {_MOST}.")
    caddy = shutil.which("caddy")
    if caddy is None:
        raise SettingError(
            "--workers needs the proxy Caddy, which is not installed. Install it (Debian: apt-get "
            "install caddy; others: https://caddyserver.com/docs/install), or serve from one process, "
            "without --workers."
        )
    ports = [str(number) for number in find_free_ports(n)]
    of_dashboard = {
        **environment,
        PORTS_VARIABLE: " ".join(ports),
        TICKET_VARIABLE: secrets.token_urlsafe(),
    }
    processes = []
    for number in ports:
        options = ["--server.address", "127.0.0.1", "--server.port", number]
        options += ["--server.headless", "true", "--logger.hideWelcomeMessage", "true"]
        processes.append(_Process([*command, *options], of_dashboard))
    with _caught_signals() as is_stopped, TemporaryDirectory(prefix="mtsig-workers-") as folder:
        of_proxy = {
            **os.environ,
            "MTSIG_PROXY_ADDRESS": address,
            "MTSIG_PROXY_PORT": str(port),
            "MTSIG_UPSTREAMS": " ".join(f"127.0.0.1:{number}" for number in ports),
            # The proxy writes its last configuration there, which nobody reads.
            "XDG_CONFIG_HOME": folder,
            "XDG_DATA_HOME": folder,
        }
        proxy_command = [caddy, "run", "--config", str(_PROXY), "--adapter", "caddyfile"]
        processes.append(_Process(proxy_command, of_proxy))
        url = f"http://{command[-1]}:{port}"
        _print(f"dashboard at {url}, {n} processes (Ctrl+C stops it)")
        if open_browser:
            webbrowser.open(url)
        return _keep_running(processes, is_stopped)


def find_free_ports(n: int) -> list[int]:
    with ExitStack() as probes:
        sockets = [probes.enter_context(socket.socket()) for _ in range(n)]
        for probe in sockets:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in sockets]


@contextmanager
def _caught_signals() -> Iterator[Callable[[], bool]]:
    """Give a function that tells whether a signal has asked for the end.

    After the first signal further ones change nothing.
    """
    signals: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        signals.append(number)

    handlers = {}
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        handlers[number] = signal.signal(number, note)
    try:
        yield lambda: bool(signals)
    finally:
        if not signals:
            for number, handler in handlers.items():
                signal.signal(number, handler)


@dataclass
class _Process:
    """A process that is started again when it ends."""

    command: list[str]
    environment: dict[str, str]
    failures: int = 0  # times in a row that it has ended at once

    def start(self) -> None:
        """Start it in a group of its own, so that all it starts can be ended with it."""
        self.started = time.monotonic()
        self.running = subprocess.Popen(
            self.command,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            process_group=0,
            preexec_fn=_END_WITH_PARENT,
        )

    def count_failure(self) -> None:
        if time.monotonic() - self.started < _AT_ONCE:
            self.failures += 1
        else:
            self.failures = 0

    def kill(self) -> None:
        """End what is left of it, and all that it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.running.pid, signal.SIGKILL)


def _keep_running(processes: list[_Process], is_stopped: Callable[[], bool]) -> int:
    """Run the processes until asked to stop, or until one keeps ending at once; return a status."""
    for process in processes:
        process.start()
    try:
        while not is_stopped():
            time.sleep(_PAUSE)
            for process in processes:
                status = process.running.poll()
                if status is None or is_stopped():
                    continue
                process.kill()  # what it has started may still be there
                process.count_failure()
                if process.failures == _TRIES:
                    program = Path(process.command[0]).name
                    _print(
                        f"{program} ended at once, {_TRIES} times in a row, with status {status}. See "
                        "its message above."
                    )
                    return 1
                _print(f"a process ended with status {status}; it is started again.")
                process.start()
        return 0
    finally:
        _end(processes)


def _print(text: str) -> None:
    print(f"mtsig: {text}", file=sys.stderr, flush=True)


def _end(processes: list[_Process]) -> None:
    for process in processes:
        process.running.terminate()
    deadline = time.monotonic() + _GRACE
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.running.wait(max(0.0, deadline - time.monotonic()))
    for process in processes:
        process.kill()
        process.running.wait()


def _ask_for_end_with_parent() -> Callable[[], None] | None:
    """Return what a new process calls first so that it ends when this one is gone (Linux)."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # found before the fork: nothing may be loaded after it
    set_death_signal = 1  # PR_SET_PDEATHSIG

    def ask() -> None:
        prctl(set_death_signal, signal.SIGTERM)

    return ask


_END_WITH_PARENT = _ask_for_end_with_parent()
