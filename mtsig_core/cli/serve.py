"""``serve``: start the dashboard on a test set."""

from __future__ import annotations

import importlib.util
import os
import socket
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from mtsig_core._command import STATUS, held
from mtsig_core.cli.serve_login import login_options
from mtsig_core.cli.serve_settings import check_settings
from mtsig_core.cli.serve_workers import serve_workers
from mtsig_core.data.source import SOURCE_VARIABLE, Source
from mtsig_core.data.task_source import TASK_VARIABLE, TaskSource
from mtsig_core.errors import SettingError

__all__ = ["serve"]

_FILES = 10_000  # that a server may have open, where the system lets it

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = _PACKAGE / "_dashboard"
_ROOT = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent  # in a checkout the dashboard lies beside the package
#: What ``python -m streamlit`` does; until its server listens to Ctrl+C, that ends it without a word, and until it has
#: loaded all (`pages._ui.server_life`) there is no garbage worth looking for.
_STREAMLIT = f"""import gc, os, runpy, signal
gc.disable()
signal.signal(signal.SIGINT, lambda *_: os._exit({STATUS}))
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
runpy.run_module("streamlit", run_name="__main__", alter_sys=True)"""


def serve(source: Source | None, task: TaskSource | None = None, *, port: int, open_browser: bool,
          address: str | None = None, workers: int = 1) -> int:
    """Check the test set, then become the dashboard's server; with several workers, start them and wait for the end.

    Parameters
    ----------
    source : Source or None
        Its tables and runs are those of `task`, where that is given.
    task : TaskSource, optional
        The whole task that its folder is.
    port : int
    open_browser : bool
    address : str, optional
        Where to listen, such as ``0.0.0.0``; by default on this machine alone.
    workers : int
        Processes, behind a proxy.

    Raises
    ------
    MtsigError
        If the source cannot be read, the port is taken, or the dashboard is not installed.
    """
    app = _ROOT / "asgi.py"
    if not app.is_file():
        raise SettingError(f"The dashboard is not there: expected {app}. Install mtsig anew: pip install .")
    if importlib.util.find_spec("streamlit") is None:
        raise SettingError("The dashboard needs the package streamlit. Install it: pip install streamlit")
    address = address or os.environ.get("STREAMLIT_SERVER_ADDRESS") or "localhost"
    _check_port(address, port)
    environment = dict(os.environ)
    check_settings(environment)
    for variable in (SOURCE_VARIABLE, TASK_VARIABLE):
        environment.pop(variable, None)
    if task is not None and source is not None:
        task.check()  # each of its parts is read when it is opened
        environment[TASK_VARIABLE] = _absolute_task(task).to_json()
        source = replace(source, scores=(), run=())
    elif source is not None:
        source.read()  # mistakes show here, not in the browser
    if source is not None:
        environment[SOURCE_VARIABLE] = _absolute(source).to_json()
    # Streamlit finds its configuration beside the app. -P: what lies in the user's folder is no module of it.
    command = [sys.executable, "-P", "-c", _STREAMLIT, "run", str(app), *login_options(environment)]
    command += ["--browser.serverAddress", "localhost" if address in ("0.0.0.0", "::") else address]
    _allow_files()
    if workers != 1:
        return serve_workers(command, environment, workers, address, port, open_browser)
    print(f"mtsig: dashboard at http://{command[-1]}:{port} (Ctrl+C stops it)", file=sys.stderr, flush=True)
    command += ["--server.address", address, "--server.port", str(port)]
    with held():
        os.execve(sys.executable, [*command, "--server.headless", "false" if open_browser else "true"], environment)


def _check_port(address: str, port: int) -> None:
    if not 0 < port < 65536:
        raise SettingError(f"--port is {port}. Expected a number from 1 to 65535.")
    try:
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except OSError as error:
        raise SettingError(f"Port {port} of {address} cannot be used: {error.strerror}. Choose another with --port, "
                           "or an address of this machine with --address.") from error


def _allow_files() -> None:
    """Let what is started from here open as many files as the system allows: each page that is open takes four."""
    try:
        import resource  # late: there is none on Windows
    except ImportError:
        return
    usual, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if most == resource.RLIM_INFINITY else min(_FILES, most)
    if usual != resource.RLIM_INFINITY and usual < wanted:
        with suppress(ValueError, OSError):  # macOS names no limit and has one
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _absolute(source: Source) -> Source:
    """With files wherever they are, and shown as from here: nobody else is told where that is."""
    single = ("folder", "src", "docs", "ids", "systems_table")
    files: dict[str, Any] = {key: _path(getattr(source, key)) for key in single}
    files |= {key: tuple((name, _path(file)) for name, file in getattr(source, key))
              for key in ("ref", "system", "run", "parse", "scores")}
    return replace(source, xml=tuple(map(os.path.abspath, source.xml)), named_from=os.getcwd(), **files)


def _absolute_task(task: TaskSource) -> TaskSource:
    files: dict[str, Any] = {key: tuple((pair, name, _path(file)) for pair, name, file in getattr(task, key))
                             for key in ("scores", "run")}
    return replace(task, folder=_path(task.folder), systems_table=_path(task.systems_table), named_from=os.getcwd(),
                   **files)


def _path(name: str | None) -> str | None:
    return None if name is None else os.path.abspath(name)
