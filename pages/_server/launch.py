"""Start the dashboard's server on a test set: ``mtsig serve`` calls `serve`.

This module does not load Streamlit: the server is another program, which replaces this process.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from mtsig_core._command import STATUS, ignore_interrupts
from mtsig_core.errors import SettingError
from mtsig_core.source import SOURCE_VARIABLE, TASK_VARIABLE, Source, TaskSource, list_options
from pages._server.login_file import login_options
from pages._server.processes import serve_processes
from pages._server.server_settings import check_settings

_APP = Path(__file__).resolve().parents[2] / "asgi.py"
_MOST_FILES = 10_000  # that a server may have open, if the system lets it
#: What ``python -m streamlit`` does. Until its server listens to signals, and again once that has
#: ended, a signal ends the process without a message and leaves no temporary folder. Until
#: `pages._server.lifecycle` has loaded everything there is no garbage worth looking for.
_STREAMLIT = f"""import atexit, gc, os, runpy, signal
gc.disable()
SIGNALS = signal.SIGINT, signal.SIGTERM
def end(number, frame):
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    atexit._run_exitfuncs()
    os._exit({STATUS} if number == signal.SIGINT else 0)
for each in SIGNALS:
    signal.signal(each, end)
signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
runpy.run_module("streamlit", run_name="__main__", alter_sys=True)"""


def serve(
    source: Source | None,
    task: TaskSource | None = None,
    *,
    port: int,
    open_browser: bool,
    address: str | None = None,
    workers: int = 1,
) -> int:
    """Check the test set, then become the dashboard's server, or run several."""
    address = address or os.environ.get("STREAMLIT_SERVER_ADDRESS") or "localhost"
    _check_port(address, port)
    environment = dict(os.environ)
    check_settings(environment)
    _pass_sources(source, task, environment)
    # Streamlit finds its configuration next to the app. With -P, it cannot import a module from the
    # user's folder.
    command = [sys.executable, "-P", "-c", _STREAMLIT, "run", str(_APP)]
    command += login_options(environment)
    host = "localhost" if address in ("0.0.0.0", "::") else address
    command += ["--browser.serverAddress", host]
    _allow_files()
    if workers != 1:
        return serve_processes(command, environment, workers, address, port, open_browser)
    print(
        f"mtsig: dashboard at http://{host}:{port} (Ctrl+C stops it)", file=sys.stderr, flush=True
    )
    headless = "false" if open_browser else "true"
    command += ["--server.address", address, "--server.port", str(port)]
    command += ["--server.headless", headless]
    with ignore_interrupts(signal.SIGTERM):
        os.execve(sys.executable, command, environment)
    return 0  # never reached: `execve` replaces this program


def _check_port(address: str, port: int) -> None:
    if not 0 < port < 65536:
        raise SettingError(f"--port is {port}. Expected a number from 1 to 65535.")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except OSError as error:
        raise SettingError(
            f"Port {port} of {address} cannot be used: {error.strerror}. Choose another with --port, "
            "or an address of this machine with --address."
        ) from error


def _pass_sources(
    source: Source | None, task: TaskSource | None, environment: dict[str, str]
) -> None:
    """Check what the dashboard opens, and name it in the environment of the server.

    So the terminal reports a mistake in a test set, and not the browser. The files of a task are
    read when they are opened.
    """
    for variable in (SOURCE_VARIABLE, TASK_VARIABLE):
        environment.pop(variable, None)
    if source is None:
        return
    if task is None:
        source.read()
    else:
        task.check()
        environment[TASK_VARIABLE] = make_absolute(task).to_json()
        source = replace(source, scores=(), run=())
    environment[SOURCE_VARIABLE] = make_absolute(source).to_json()


def _allow_files() -> None:
    """Let the server open as many files as the system allows: each open page takes four."""
    try:
        import resource  # late: Windows has none
    except ImportError:
        return
    soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = _MOST_FILES
    if hard_limit != resource.RLIM_INFINITY:
        limit = min(limit, hard_limit)
    if soft_limit != resource.RLIM_INFINITY and soft_limit < limit:
        with suppress(ValueError, OSError):  # macOS names no limit and has one
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard_limit))


_AnySource = TypeVar("_AnySource", Source, TaskSource)


def make_absolute(source: _AnySource) -> _AnySource:
    """Return a source with absolute paths, which pages show as seen from the current folder."""
    files: dict[str, Any] = {}
    for name, option in list_options(type(source)).items():
        if option.is_path:
            files[name] = _make_paths_absolute(getattr(source, name))
    return replace(source, named_from=os.getcwd(), **files)


def _make_paths_absolute(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, tuple):
        return os.path.abspath(value)
    paths = []
    for item in value:
        if isinstance(item, tuple):
            paths.append((*item[:-1], os.path.abspath(item[-1])))
        else:
            paths.append(os.path.abspath(item))
    return tuple(paths)
