"""Dashboards as processes of their own."""

import os
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


#: Milliseconds that anything may take: a test never counts on speed, so this is for what never
#: comes at all.
LIMIT = 300_000


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def started(*command, port, cwd=CHECKOUT, **environment):
    """Run a command that serves the dashboard; `port` is what its option for it is called.

    What it writes to standard error is shown with a test that fails.
    """
    number = free_port()
    process = subprocess.Popen(
        [*map(str, command), port, str(number)],
        cwd=cwd,
        env={**os.environ, "MTSIG_DATA_ROOT": "", **environment},
        stdout=subprocess.DEVNULL,
    )
    address = f"http://localhost:{number}"
    try:
        _wait_for(f"{address}/_stcore/health", process)
        yield address
    finally:
        process.terminate()
        process.wait(LIMIT / 1000)


def _wait_for(address, process):
    until = time.monotonic() + LIMIT / 1000
    while time.monotonic() < until:
        try:
            return urllib.request.urlopen(address, timeout=1)
        except OSError:
            if process.poll() is not None:
                raise RuntimeError(f"the server ended with status {process.returncode}") from None
            time.sleep(0.1)
    raise RuntimeError("the server did not start")
