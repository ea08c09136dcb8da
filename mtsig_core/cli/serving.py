"""``serve``: start the dashboard on a test set, and what is checked before it starts."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import webbrowser
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from types import FrameType
from typing import Any, TypeVar

from mtsig_core._command import STATUS, ignore_interrupts
from mtsig_core.cli.options import (
    add_pairs,
    add_source_options,
    refuse_of_one_pair,
    source_from,
    task_source,
)
from mtsig_core.errors import SettingError
from mtsig_core.readers.limits import (
    LOCAL_VARIABLES,
    UPLOAD_VARIABLES,
    local_limit,
    read_whole_number,
    upload_limits,
)
from mtsig_core.source import (
    PORTS_VARIABLE,
    SOURCE_VARIABLE,
    TASK_VARIABLE,
    Source,
    TaskSource,
    list_options,
)
from mtsig_core.stats.parallel import on_cluster

# -------------------------------------------------------------------------------------------------
# ``MTSIG_LOGIN``: the file that says how users of the dashboard log in, checked before the server starts.


_OF_ALL = ("redirect_uri", "cookie_secret")
_OF_PROVIDER = ("client_id", "client_secret", "server_metadata_url")
_ADDRESSES = ("redirect_uri", "server_metadata_url")
_OPTIONAL = ("client_kwargs", "expose_tokens")


def login_options(environment: Mapping[str, str]) -> list[str]:
    """Streamlit's options for the file of secrets that ``MTSIG_LOGIN`` names."""
    if not (name := environment.get("MTSIG_LOGIN")):
        # Streamlit looks for secrets in the user's home too, and shows no page where that is below
        # a file (/dev/null).
        there = os.path.isdir(os.path.expanduser("~"))
        return [] if there else ["--secrets.files", os.path.abspath(".streamlit/secrets.toml")]
    try:
        with open(name, "rb") as file:
            secrets = tomllib.load(file)
    except OSError as error:
        raise SettingError(
            f"MTSIG_LOGIN is {name}, which cannot be read: {error.strerror}. Expected a TOML file with "
            "a section [auth], see docs/serving.md."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"MTSIG_LOGIN is {name}, which is not TOML: {error}.") from error
    if (wrong := next(_find_faults(secrets), None)) is not None:
        raise SettingError(f"MTSIG_LOGIN is {name}, {wrong}. docs/serving.md has an example.")
    if importlib.util.find_spec("authlib") is None or importlib.util.find_spec("httpx") is None:
        raise SettingError(
            "MTSIG_LOGIN needs the packages authlib and httpx: pip install 'mtsig[login]'."
        )
    return ["--secrets.files", os.path.abspath(name)]


def _find_faults(secrets: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the file, as the end of a sentence.

    An unknown key may be misspelt, and let everybody in.
    """
    auth, own = secrets.get("auth"), secrets.get("mtsig", {})
    if not isinstance(auth, dict):
        yield "which has no section [auth]"
        return
    if not isinstance(own, dict):
        yield f"where mtsig is {own!r}. Expected a section [mtsig]"
        return
    providers = {
        name: one for name, one in auth.items() if isinstance(one, dict) and name not in _OPTIONAL
    }
    for where, section, needed, others in (
        ("outside of its sections", secrets, (), ("auth", "mtsig")),
        (
            "in [auth]",
            auth,
            _OF_ALL if providers else (*_OF_ALL, *_OF_PROVIDER),
            (*_OPTIONAL, *providers),
        ),
        *((f"in [auth.{name}]", one, _OF_PROVIDER, _OPTIONAL) for name, one in providers.items()),
        ("in [mtsig]", own, (), ("allowed",)),
    ):
        if missing := [key for key in needed if not section.get(key)]:
            yield f"which lacks {', '.join(missing)} {where}"
        yield from (
            f"which has {key!r} {where}. Expected there: {', '.join((*needed, *others))}"
            for key in section
            if key not in (*needed, *others)
        )
        yield from (
            f"where {key} is no text. Expected one in quotes"
            for key in needed
            if not isinstance(section[key], str)
        )
        yield from (
            f"where {key} is {section[key]!r}. Expected an address that begins with https://"
            for key in needed
            if key in _ADDRESSES and not re.match("https?://[^/]", section[key])
        )
    allowed = own.get("allowed", [])
    if not isinstance(allowed, list) or not all(
        isinstance(one, str) and re.fullmatch(r"[^@\s]*@[^@\s]+", one) for one in allowed
    ):
        yield f'where allowed is {allowed!r}. Expected a list such as ["ada@example.org", "@uni.example"]'


# -------------------------------------------------------------------------------------------------
# What the environment says to the dashboard, checked before the server starts: a mistake shows here, not in the
# browser of who comes first.


_WHOLE_NUMBERS = (
    "MTSIG_MAX_DRAWS",
    "MTSIG_MAX_PAIRS",
    "MTSIG_MAX_SWEEP",
    "MTSIG_JOBS",
    "MTSIG_WORKER_MB",
    "MTSIG_MAX_SESSIONS",
    "MTSIG_UNOPENED_MB",
    "STREAMLIT_SERVER_MAX_UPLOAD_SIZE",
)
_LEAST_OF_WORKER = 256  # MB: with 128 a worker cannot start its threads, and never answers
_ALIKE = 0.8  # share of letters: the variables of other programs may begin with MTSIG_, too
#: The settings of docs/serving.md. Nobody would notice that a misspelt one, such as the login, has
#: no effect.
SETTINGS_OF_SERVER = {
    *_WHOLE_NUMBERS,
    "MTSIG_DATA_ROOT",
    "MTSIG_HOSTS",
    "MTSIG_LOGIN",
    "MTSIG_HEALTH_TOKEN",
    "MTSIG_LOG",
    "MTSIG_DASK",
    "MTSIG_CACHE",
    "MTSIG_HOME",
    "MTSIG_DATABASE_URL",
    "MTSIG_EXPIRY_DAYS",
    "MTSIG_QUOTA_MB",
    "MTSIG_QUOTA_ALL_MB",
    "MTSIG_QUOTA_SETS",
    *UPLOAD_VARIABLES.values(),
    *LOCAL_VARIABLES.values(),
}

#: What processes of the dashboard tell each other; no setting.
_OF_PROCESSES = (SOURCE_VARIABLE, TASK_VARIABLE, PORTS_VARIABLE)


def check_settings(environment: Mapping[str, str]) -> None:
    """Try each setting of docs/serving.md that can be wrong, except the login's."""
    from mtsig_core.store.database import Limits  # late: it imports SQLAlchemy
    from mtsig_core.store.kept_sets import open_store

    upload_limits(environment)
    for name in LOCAL_VARIABLES:
        local_limit(name, environment)
    Limits.from_environment(environment)
    _check_numbers(environment)
    _check_names(environment)
    for host in filter(None, map(str.strip, environment.get("MTSIG_HOSTS", "").split(","))):
        if not re.fullmatch(r"\*|(\*\.)?[\w.-]+", host):
            raise SettingError(
                f"MTSIG_HOSTS has {host!r}. Expected only names, with commas between, such as "
                "mtsig.example.org,*.uni.example."
            )
    if not environment.get("MTSIG_HEALTH_TOKEN", "").isascii():
        raise SettingError(
            "MTSIG_HEALTH_TOKEN has letters that no header can carry. Expected only ASCII."
        )
    if (root := environment.get("MTSIG_DATA_ROOT")) and not os.path.isdir(root):
        raise SettingError(
            f"MTSIG_DATA_ROOT is {root}, which is no folder. Expected one that holds shared tasks."
        )
    _check_log(environment.get("MTSIG_LOG", "-"))
    _check_cache(environment.get("MTSIG_CACHE", ""))
    open_store(environment).close()
    with on_cluster(environment.get("MTSIG_DASK", "").strip() or None):
        pass


def _check_numbers(environment: Mapping[str, str]) -> None:
    for name in _WHOLE_NUMBERS:
        read_whole_number(name, 1, environment)
    megabytes = read_whole_number("MTSIG_WORKER_MB", _LEAST_OF_WORKER, environment)
    if megabytes < _LEAST_OF_WORKER:
        raise SettingError(
            f"MTSIG_WORKER_MB is {megabytes}, in which no computation can begin. Expected at least "
            f"{_LEAST_OF_WORKER}, or unset it for 4000."
        )


def _check_names(environment: Mapping[str, str]) -> None:
    """Raise SettingError for a variable that is none of ours, where one of ours was probably
    meant.
    """
    from difflib import get_close_matches  # late, as it is in errors

    known = [name.removeprefix("MTSIG_") for name in sorted(SETTINGS_OF_SERVER)]
    for variable in environment:
        if not variable.startswith("MTSIG_") or variable in (*SETTINGS_OF_SERVER, *_OF_PROCESSES):
            continue
        name = variable.removeprefix("MTSIG_")
        shortened = [one for one in known if {*name.split("_")} <= {*one.split("_")}]
        meant = get_close_matches(name, known, 1, _ALIKE) or shortened
        if meant:
            raise SettingError(
                f"{variable} is no setting. Did you mean MTSIG_{meant[0]}? Correct the name, or unset "
                "it."
            )


def _check_log(log: str) -> None:
    if log in ("", "-"):
        return
    try:
        open(log, "ab").close()
    except OSError as error:
        raise SettingError(
            f"MTSIG_LOG is {log}, which cannot be written: {error.strerror}."
        ) from error


def _check_cache(folder: str) -> None:
    """Write a file where counts are to be kept; without a name for the folder the server may do
    without.
    """
    if not folder:
        return
    place = Path(folder).expanduser()
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        TemporaryFile(dir=place).close()
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SettingError(
            f"MTSIG_CACHE is {folder}, which cannot be used: {reason}. Expected a folder that can be "
            "written, or nothing: then counts are kept only while the dashboard runs."
        ) from error


# -------------------------------------------------------------------------------------------------
# ``serve --workers``: several processes of the dashboard behind a proxy, which keeps each browser to one of them.


_MOST = 64
_GRACE = 4.0  # seconds that the processes may take to end
_AT_ONCE = 3.0  # seconds: what ends sooner than this after its start may do so again
_TRIES = 3  # of what ends at once, in a row: one that something else has ended gets another
_LOOK = 0.1  # seconds between two looks
_PROXY = Path(__file__).with_name("Caddyfile")


def serve_workers(
    command: list[str],
    environment: dict[str, str],
    n: int,
    address: str,
    port: int,
    open_browser: bool,
) -> int:
    """Run the dashboard in several processes until a signal asks for the end; each that ends is
    started again.
    """
    if not 1 <= n <= _MOST:
        raise SettingError(f"--workers is {n}. Expected a number from 1 to {_MOST}.")
    caddy = shutil.which("caddy")
    if caddy is None:
        raise SettingError(
            "--workers needs the proxy Caddy, which is not installed. Install it (Debian: apt-get "
            "install caddy; others: https://caddyserver.com/docs/install), or serve from one process, "
            "without --workers."
        )
    ports = [str(number) for number in _free_ports(n)]
    shared = {**environment, PORTS_VARIABLE: " ".join(ports)}
    proxy = {
        **os.environ,
        "MTSIG_PROXY_ADDRESS": address,
        "MTSIG_PROXY_PORT": str(port),
        "MTSIG_UPSTREAMS": " ".join(f"127.0.0.1:{number}" for number in ports),
    }
    commands = [
        (
            [
                *command,
                "--server.address",
                "127.0.0.1",
                "--server.port",
                number,
                "--server.headless",
                "true",
                "--logger.hideWelcomeMessage",
                "true",
            ],
            shared,
        )
        for number in ports
    ]
    commands.append(([caddy, "run", "--config", str(_PROXY), "--adapter", "caddyfile"], proxy))
    with _stopping() as stopped, TemporaryDirectory(prefix="mtsig-workers-") as own:
        proxy |= {
            "XDG_CONFIG_HOME": own,
            "XDG_DATA_HOME": own,
        }  # it keeps its last configuration, for nobody
        shown = f"http://{command[-1]}:{port}"
        print(
            f"mtsig: dashboard at {shown}, {n} processes (Ctrl+C stops it)",
            file=sys.stderr,
            flush=True,
        )
        if open_browser:
            webbrowser.open(shown)
        return _keep_running(commands, stopped)


def _free_ports(n: int) -> list[int]:
    with ExitStack() as probes:
        sockets = [probes.enter_context(socket.socket()) for _ in range(n)]
        for probe in sockets:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in sockets]


@contextmanager
def _stopping() -> Iterator[Callable[[], bool]]:
    """Whether a signal has asked for the end since; from then on further ones change nothing."""
    asked = []

    def ask(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    before = {
        number: signal.signal(number, ask)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield lambda: bool(asked)
    finally:
        if not asked:
            for number, handler in before.items():
                signal.signal(number, handler)


def _keep_running(
    commands: list[tuple[list[str], dict[str, str]]], stopped: Callable[[], bool]
) -> int:
    """Run the processes, each again that ends, until asked to stop or until one keeps ending at
    once.
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
                    print(
                        f"mtsig: {Path(commands[k][0][0]).name} ended at once, {_TRIES} times in a row, with status "
                        f"{status}. See its message above.",
                        file=sys.stderr,
                    )
                    return 1
                print(
                    f"mtsig: a process ended with status {status}; it is started again.",
                    file=sys.stderr,
                    flush=True,
                )
                running[k], begun[k] = _start(*commands[k]), time.monotonic()
        return 0
    finally:
        _end(running)


def _start(command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A process with a group of its own, so that all it starts can be ended with it."""
    return subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, process_group=0, preexec_fn=_WITH_PARENT
    )


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
    """What a new process does first, so that it is told to end when this one is gone, however that
    came (Linux).
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # found before the fork: nothing is to be loaded after it

    def ask() -> None:
        prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG

    return ask


_WITH_PARENT = _dying_with_parent()


# -------------------------------------------------------------------------------------------------
# ``serve``: start the dashboard on a test set.


_FILES = 10_000  # that a server may have open, where the system lets it

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = _PACKAGE / "_dashboard"
_ROOT = (
    _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
)  # in a checkout the dashboard lies beside the package
#: What ``python -m streamlit`` does. Until its server listens to signals, and again once that has
#: ended, each ends it without a word and leaves no temporary folder. Until it has loaded all
#: (`pages._server.lifecycle`) there is no garbage worth looking for.
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


def add_serve(sub: ArgumentParser) -> None:
    add_source_options(sub)
    add_pairs(sub)
    sub.add_argument(
        "--port", type=int, default=8501, metavar="N", help="port to listen on (default: 8501)"
    )
    sub.add_argument(
        "--address", help="address to listen on (default: localhost, this machine only)"
    )
    sub.add_argument(
        "--workers",
        type=int,
        default=1,
        metavar="N",
        help="number of processes; more than one needs the proxy Caddy (default: 1)",
    )
    sub.add_argument("--no-browser", action="store_true", help="do not open a browser")


def run_serve(args: Namespace) -> int:
    source, task = source_from(args, whole_task=True), None
    if args.folder is not None and args.langpair is None:
        refuse_of_one_pair(args, "refs", "refs_as_systems")
        task = task_source(args)
    elif args.pairs:
        raise SettingError(
            "--pairs goes with --folder DIR without --langpair, a whole task. Leave it out."
        )
    elif args.folder is not None and source == Source(folder=args.folder, langpair=args.langpair):
        task = task_source(
            args, pairs=(args.langpair,)
        )  # so that Results has this pair, and no simulated task
    return serve(
        source,
        task,
        port=args.port,
        open_browser=not args.no_browser,
        address=args.address,
        workers=args.workers,
    )


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
    app = _ROOT / "asgi.py"
    if not app.is_file():
        raise SettingError(
            f"The dashboard is not there: expected {app}. Install mtsig again: pip install ."
        )
    if importlib.util.find_spec("streamlit") is None:
        raise SettingError(
            "The dashboard needs the package streamlit. Install it: pip install streamlit"
        )
    address = address or os.environ.get("STREAMLIT_SERVER_ADDRESS") or "localhost"
    _check_port(address, port)
    environment = dict(os.environ)
    check_settings(environment)
    for variable in (SOURCE_VARIABLE, TASK_VARIABLE):
        environment.pop(variable, None)
    if task is not None and source is not None:
        task.check()  # each of its parts is read when it is opened
        environment[TASK_VARIABLE] = _absolute(task).to_json()
        source = replace(source, scores=(), run=())
    elif source is not None:
        source.read()  # mistakes show here, not in the browser
    if source is not None:
        environment[SOURCE_VARIABLE] = _absolute(source).to_json()
    # Streamlit finds its configuration beside the app. -P: what lies in the user's folder is no
    # module of it.
    command = [sys.executable, "-P", "-c", _STREAMLIT, "run", str(app), *login_options(environment)]
    command += ["--browser.serverAddress", "localhost" if address in ("0.0.0.0", "::") else address]
    _allow_files()
    if workers != 1:
        return serve_workers(command, environment, workers, address, port, open_browser)
    print(
        f"mtsig: dashboard at http://{command[-1]}:{port} (Ctrl+C stops it)",
        file=sys.stderr,
        flush=True,
    )
    command += ["--server.address", address, "--server.port", str(port)]
    with ignore_interrupts(signal.SIGTERM):
        os.execve(
            sys.executable,
            [*command, "--server.headless", "false" if open_browser else "true"],
            environment,
        )


def _check_port(address: str, port: int) -> None:
    if not 0 < port < 65536:
        raise SettingError(f"--port is {port}. Expected a number from 1 to 65535.")
    try:
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except OSError as error:
        raise SettingError(
            f"Port {port} of {address} cannot be used: {error.strerror}. Choose another with --port, "
            "or an address of this machine with --address."
        ) from error


def _allow_files() -> None:
    """Let what is started from here open as many files as the system allows: each page that is open
    takes four.
    """
    try:
        import resource  # late: there is none on Windows
    except ImportError:
        return
    usual, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if most == resource.RLIM_INFINITY else min(_FILES, most)
    if usual != resource.RLIM_INFINITY and usual < wanted:
        with suppress(ValueError, OSError):  # macOS names no limit and has one
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


_Source = TypeVar("_Source", Source, TaskSource)


def _absolute(source: _Source) -> _Source:
    """With files wherever they are, and shown as from here: nobody else is told where that is."""

    def absolute(value: Any) -> Any:
        if not isinstance(value, tuple):
            return None if value is None else os.path.abspath(value)
        return tuple(
            each[:-1] + (absolute(each[-1]),) if isinstance(each, tuple) else absolute(each)
            for each in value
        )

    files: dict[str, Any] = {}
    for name, option in list_options(type(source)).items():
        if option.is_path:
            files[name] = absolute(getattr(source, name))
    return replace(source, named_from=os.getcwd(), **files)
