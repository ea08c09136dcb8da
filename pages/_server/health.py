"""The state of the server (sessions, jobs, memory, cache), locally or with the token."""

from __future__ import annotations

import hmac
import json
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.request import Request, urlopen

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from mtsig_core.source import PORTS_VARIABLE
from mtsig_core.version import __version__
from pages._server import guard, internals

_STARTED = time.monotonic()
_WAIT = 2.0  # seconds that another worker may take to answer
_count_jobs: Callable[[], dict[str, int]] = dict


def count_jobs_by(count: Callable[[], dict[str, int]]) -> None:
    """Set the function that counts the jobs; before this call the health page has no jobs."""
    global _count_jobs
    _count_jobs = count


async def answer(request) -> JSONResponse:
    """Answer ``/_mtsig/health``: about all processes; with ``?own`` about the one that answers."""
    if not _is_allowed(request):
        error = (
            "Asked from another machine, this page needs the token that MTSIG_HEALTH_TOKEN holds: "
            "Authorization: Bearer TOKEN."
        )
        return JSONResponse({"error": error}, 403)
    if "own" in request.query_params:
        return JSONResponse(await run_in_threadpool(_describe_process))
    health = await run_in_threadpool(_describe_server)
    is_broken = any("error" in worker for worker in health["workers"])
    return JSONResponse(health, 503 if is_broken else 200)


def _is_allowed(request) -> bool:
    """Return whether a request has the token, or comes from this machine under its own name.

    A proxy on the same machine passes on the host name of the original request.
    """
    token = os.environ.get("MTSIG_HEALTH_TOKEN")
    authorization = request.headers.get("authorization", "")
    if token and hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode()):
        return True
    if request.client is None:
        return False
    name = guard.name_in(request.headers.get("host"))
    return guard.is_local(request.client.host) and guard.is_local(name)


def _describe_server() -> dict:
    ports = os.environ.get(PORTS_VARIABLE, "").split()
    workers = [_ask_process(port) for port in ports]
    if not workers:
        workers = [_describe_process()]
    return {"version": __version__, "cache": _measure_cache(), "workers": workers}


def _describe_process() -> dict:
    return {
        "pid": os.getpid(),
        "seconds": round(time.monotonic() - _STARTED),
        "sessions": internals.count_sessions(),
        "jobs": _count_jobs(),
        "memory_bytes": _measure_memory(os.getpid()),
    }


def _ask_process(port: str) -> dict:
    token = os.environ.get("MTSIG_HEALTH_TOKEN", "")
    request = Request(
        f"http://127.0.0.1:{port}/_mtsig/health?own", headers={"Authorization": f"Bearer {token}"}
    )
    try:
        with urlopen(request, timeout=_WAIT) as response:
            return json.load(response)
    except (OSError, ValueError) as error:
        return {"port": int(port), "error": type(error).__name__}


def _measure_memory(pid: int) -> int:
    """Return the bytes in memory of a process and all that it started.

    Shared memory is divided among the processes that share it (PSS). 0 if the system does not
    report the memory.
    """
    process = Path(f"/proc/{pid}")
    children = []
    try:
        status = (process / "smaps_rollup").read_text()
        for file in process.glob("task/*/children"):
            children += file.read_text().split()
    except OSError:  # it has ended, or this is no Linux
        return 0
    kilobytes = [int(number) for number in re.findall(r"^Pss: +(\d+) kB$", status, re.M)]
    return 1024 * sum(kilobytes) + sum(_measure_memory(int(child)) for child in children)


def _measure_cache() -> dict[str, int]:
    """Return the size of the cache on disk."""
    # late: it loads much that a server needs only with its first session
    from mtsig_core.metrics.cache import cache_folder

    folder = cache_folder()
    sizes = []
    if folder is not None and folder.is_dir():
        for file in os.scandir(folder):
            with suppress(FileNotFoundError):  # removed meanwhile
                sizes.append(file.stat().st_size)
    return {"files": len(sizes), "bytes": sum(sizes)}
